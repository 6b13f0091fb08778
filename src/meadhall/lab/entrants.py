"""Entrants: the bots of a run. Besides the names of bots they may be functions, classes, ``module:function``, and ``without``.

They travel to processes as pickles. There a bot that doesn't return or crashes harms only its run. ``without`` and reports name
actions by their kinds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard

import cloudpickle  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt

from meadhall.bots import BadAnswer, BadBot, Bot, bot
from meadhall.bots.bot import Declaration, chooser, resolved
from meadhall.bots.policy import POLICIES
from meadhall.engine.checks import Seed, as_integer, check_seed, quoted
from meadhall.engine.compiled import module_of
from meadhall.engine.compute.bulk import LIMIT
from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import View
from meadhall.engine.report_terms import MOST_KINDS, ActionKind
from meadhall.engine.state.chance import step_key
from meadhall.engine.state.schema import copied
from meadhall.engine.text.language import gettext as _

LOOP = Path(__file__).parent / "balance" / "trace_loop.py"

PLACE = re.compile(r"(?P<module>[^\W\d][\w.]*):(?P<function>[^\W\d][\w.]*)")


class BotFailed(MeadhallError, BadAnswer):
    """A bot of a run has failed, or chose no legal action; or its process has died."""


@dataclass(frozen=True)
class Without:
    """A bot that avoids kinds of actions wherever it has another action, see ``without``."""

    bot: Entrant
    kinds: tuple[str, ...]


Entrant: TypeAlias = "str | Callable[..., Any] | Without"
"""A bot of a run: its name, ``module:function``, a function of a view, a class with ``choose(view)``, or ``without(…)``."""


def without(bot: Entrant, *kinds: str) -> Without:
    """Return a bot that avoids kinds of actions wherever it has another action.

    How much worse it plays says what these actions are worth to it (Jaffe et al.: Evaluating Competitive Game Balance with
    Restricted Play, 2012). Where a search or a function chooses such an action, the heuristic player chooses another.

    Args:
        bot: the bot.
        kinds: the kinds of actions, as ``meadhall balance`` lists them.

    Examples:
        >>> from meadhall.lab import simulate, without
        >>> report = simulate("axes-and-allies", ["karl", without("karl", "ally")], games=50, seed="mead")
        >>> sorted(report.bots)
        ['karl', 'karl without ally']
    """
    return Without(bot, kinds)


@dataclass(frozen=True)
class Entrants:
    """The bots of a run that are no names, as pickles by the names of the report."""

    own: Mapping[str, bytes] = field(default_factory=dict)

    def bot(self, subject: Game, name: str, seed: Seed) -> Bot:
        """Make a bot for one seat of one match. The time of searches is CPU time."""
        if name not in self.own:
            return bot(subject, name, seed, alone=True)
        return self._made(subject, name, cloudpickle.loads(self.own[name]), seed)

    def _made(self, subject: Game, name: str, entrant: Any, seed: Seed) -> Bot:
        if isinstance(entrant, Without):
            inner = entrant.bot
            made = bot(subject, inner, seed, alone=True) if is_name(inner) else self._made(subject, name, inner, seed)
            return AvoidingBot(subject, name, made, kind_mask(subject, entrant.kinds), seed)
        return OwnBot(subject, name, _found(name, entrant))


def entered(subject: Game, bots: Sequence[Entrant]) -> tuple[tuple[str, ...], Entrants]:
    """Return the names of these bots for reports, and the bots that are no names. Raises BadSetup, UnknownBot or BadBot."""
    names: list[str] = []
    own: dict[str, bytes] = {}
    for entrant in bots:
        name = _name_of(subject, entrant)
        if not is_name(entrant):
            pickled = cloudpickle.dumps(entrant)
            if own.setdefault(name, pickled) != pickled:
                raise BadSetup(f"two different bots are called {name}")
        names.append(name)
    return tuple(names), Entrants(own)


def is_name(entrant: Entrant) -> TypeGuard[str]:
    """Return whether an entrant is the name of a bot."""
    return isinstance(entrant, str) and ":" not in entrant


def _name_of(subject: Game, entrant: Entrant) -> str:
    if isinstance(entrant, Without):
        kind_mask(subject, entrant.kinds)
        return f"{_name_of(subject, entrant.bot)} without {', '.join(entrant.kinds)}"
    if isinstance(entrant, str):
        if is_name(entrant):
            bot(subject, entrant)
        else:
            _found(entrant, entrant)
        return entrant
    _found(quoted(entrant), entrant)
    return str(getattr(entrant, "__name__", type(entrant).__name__))


def _found(name: str, entrant: Any) -> Callable[..., Any]:
    """Return the function or class behind an entrant. Raises BadBot."""
    if isinstance(entrant, str):
        place = PLACE.fullmatch(entrant)
        if place is None:
            raise BadBot(f"a bot of your own is given as module:function, not as {quoted(entrant)}")
        return resolved(Declaration(name, place["module"], place["function"]))
    method = getattr(entrant, "choose", None)
    if callable(method) and not isinstance(entrant, type):
        return method  # type: ignore[no-any-return]
    if callable(entrant) and (not isinstance(entrant, type) or callable(method)):
        return entrant  # type: ignore[no-any-return]
    raise BadBot(f"{quoted(entrant)} is neither the name of a bot, a function of a view, nor has it a method choose(view)")


class OwnBot:
    """A function of a view, or a new object of a class, on one seat of one match."""

    def __init__(self, subject: Game, name: str, found: Callable[..., Any]) -> None:
        self.name = name
        self._game = subject
        self._choose = chooser(found, subject)

    def choose(self, view: View) -> int:
        """Return the bot's action. Raises BotFailed."""
        try:
            answer = self._choose(copy(view))
        except Exception as error:
            raise BotFailed(f"{self.name} failed: {type(error).__name__}: {error}") from error
        action = as_integer(getattr(answer, "number", answer)) if not isinstance(answer, bool) else None
        if action is None or action not in view.legal:
            raise BotFailed(f"{self.name} answered {quoted(answer)}, which is not a legal action")
        return action


class AvoidingBot:
    """Another bot that avoids kinds of actions, given as a mask of bits."""

    def __init__(self, subject: Game, name: str, inner: Bot, avoided: int, seed: Seed) -> None:
        self.name = name
        self._inner = inner
        self._avoided = avoided
        self._kinds = kinds_by_action(subject)
        self._policy = POLICIES.get(inner.name, POLICIES["karl" if subject.greedy is not None else "thrall"])
        self._loop = module_of(subject, LOOP)
        self._rng = np.array(step_key(check_seed(seed), 0), np.uint64)
        self._buffers = np.zeros((2, subject.actions), np.int32)

    def choose(self, view: View) -> int:
        """Return the inner bot's choice, or another one if that choice must be avoided."""
        if self._inner.name not in POLICIES:
            action = self._inner.choose(view)
            kind = int(self._kinds[action])
            if kind < 0 or not (self._avoided >> kind) & 1:
                return action
        out, kept = self._buffers
        states = copied(view.states)
        return int(self._loop.choose_one(self._policy, self._avoided, states, out, kept, self._kinds, self._rng))


def play_out(match: Match, bots: Sequence[Any], limit: int = LIMIT) -> None:
    """Let the bots, one per seat, play the match to its end, or until it has ``limit`` decisions."""
    while (actor := match.actor) is not None and len(match.steps) < limit:
        match.play(bots[actor].choose(match.view(actor)), actor)


# ------------------------------------------------------------------------------------------------------------ kinds of actions


def action_kinds(subject: Game) -> tuple[ActionKind, ...]:
    """Return the kinds of actions that a game declares; else every action is a kind, if there are not too many."""
    if subject.elements.actions:
        return subject.elements.actions
    if subject.actions > MOST_KINDS:
        return ()
    return tuple(
        ActionKind(f"action_{k}", _("action {number}").format(number=k), range(k, k + 1)) for k in range(subject.actions)
    )


def kinds_by_action(subject: Game) -> npt.NDArray[np.int64]:
    """Return the index of the kind of each action, int64 (actions,); -1 for an action of no kind."""
    found = np.full(subject.actions, -1, np.int64)
    for number, kind in enumerate(action_kinds(subject)):
        found[kind.actions.start : kind.actions.stop] = number
    return found


def kind_mask(subject: Game, names: Iterable[str]) -> int:
    """Return these kinds of actions as a mask of bits. Raises BadSetup."""
    known = [kind.name for kind in action_kinds(subject)]
    for name in names:
        if name not in known:
            listed = ", ".join(known) or "none"
            raise BadSetup(f"{subject.title} has no kind of action {quoted(name)}; its kinds: {listed}")
    return sum(1 << known.index(name) for name in dict.fromkeys(names))
