"""The Gymnasium environment: one match, one seat of which a learner plays against bots.

If all bots are compiled policies, a step is one call of a compiled rule (``CompiledEnv``). Other bots are given views of a
``Match`` (``MatchEnv``).
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from meadhall.bots import bot as named_bot
from meadhall.engine.checks import Seed, as_integer, check_count, check_seed, quoted
from meadhall.engine.errors import BadSetup, MalformedAction
from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import View, concealed
from meadhall.engine.registry import game
from meadhall.envs.desks import (
    NO_KEY,
    announced,
    check_learner,
    compiled_policies,
    is_compiled,
    keys,
    make_desks,
    make_terms,
    opponents,
    refusal,
    stepping_of,
    table_of,
)
from meadhall.envs.observation import Form, Observation, check_form, layout, observe
from meadhall.envs.render import MODES, render
from meadhall.envs.stepping import EVERY_SEAT, ILLEGAL, ROTATING, TERMINATED, TRUNCATED, VIEWER_BIT

Step = tuple[Observation, float, bool, bool, dict[str, Any]]


class SeatEnv(gymnasium.Env[Any, Any]):
    """A match of which a learner plays one seat, see ``gym_env``.

    Attributes:
        game: the game, in the edition of the options.
        players: the number of players.
        options: the checked options.
        render_mode: how ``render`` shows the match; None: not at all.
    """

    metadata = {"render_modes": list(MODES), "render_fps": 2}  # noqa: RUF012 - Gymnasium's

    def __init__(
        self,
        subject: Game,
        players: int,
        options: Mapping[str, Any],
        form: Form,
        limit: int,
        illegal: Literal["lose", "raise"],
        render_mode: str | None,
    ) -> None:
        if render_mode is not None and render_mode not in MODES:
            raise BadSetup(f"the render mode must be one of {', '.join(MODES)}, not {quoted(render_mode)}")
        self.game = subject.edition_for(options)
        self.players = players
        self.options = options
        self.render_mode = render_mode
        self.observation_space = layout(subject).space(form)
        self.action_space = gymnasium.spaces.Discrete(subject.actions)
        self._form: Form = form
        self._limit = limit
        self._raises = illegal == "raise"

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions, bool (actions,), as maskable algorithms of sb3-contrib ask for them."""
        raise NotImplementedError

    def view(self) -> View:
        """Return the match as the learner may know it."""
        raise NotImplementedError

    def render(self) -> Any:
        """Show the match as the learner may know it, see ``meadhall.envs.render``; None without a render mode."""
        return None if self.render_mode is None else render(self.view(), self.render_mode)  # type: ignore[call-overload]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.game.name}: {self.players} players>"

    __str__ = __repr__


def _number(action: Any) -> int:
    """Return an action as an integer. Raises MalformedAction."""
    try:
        return operator.index(action)
    except TypeError:
        raise MalformedAction(f"an action is an integer, not {quoted(action)}") from None


class CompiledEnv(SeatEnv):
    """A match against compiled policies. A step is one call of a compiled rule."""

    def __init__(
        self,
        subject: Game,
        players: int,
        options: Mapping[str, Any],
        form: Form,
        limit: int,
        illegal: Literal["lose", "raise"],
        render_mode: str | None,
        seat: int,
        bots: Sequence[Any],
        copy: bool,
    ) -> None:
        super().__init__(subject, players, options, form, limit, illegal, render_mode)
        self._copy = copy
        self._policies, self._rule = compiled_policies(subject, bots)
        self._memory = np.zeros(table_of(subject).itemsize, np.uint8)
        table = self._memory.view(table_of(subject))
        table["desk"] = make_desks(subject, 1)
        table["terms"] = make_terms(subject, players, options, seat, self._policies, 1, limit, AutoresetMode.DISABLED)
        self._prepare()

    def _prepare(self) -> None:
        """Make what a copy or pickle doesn't contain."""
        module = stepping_of(self.game, self._policies, self._rule)
        self._start, self._advance = module.start_one, module.advance_one
        table = self._memory.view(table_of(self.game))
        self._desks = table["desk"]
        self._mask, self._reward = self._desks["mask"][0], self._desks["reward"]
        named = layout(self.game).named(self._desks["view"])
        self._seen: Any = {name: cells[0] for name, cells in named.items()} if self._form == "dict" else table["seen"][0]

    def __getstate__(self) -> dict[str, Any]:
        made = ("_start", "_advance", "_desks", "_seen", "_mask", "_reward")
        return {name: value for name, value in self.__dict__.items() if name not in made}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()

    def reset(
        self,
        *,
        seed: Seed | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 - Gymnasium's
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a new match: with a seed game 0 of the bulk run with this seed, without one the next game of the run.

        Raises BadSetup for an invalid seed.
        """
        if as_integer(seed) is not None:
            super().reset(seed=as_integer(seed))
        if self._desks["key"][0] == NO_KEY:
            with announced(self.game, self._advance):
                self._advance(self._memory, 0)  # changes nothing before the first match
        if seed is not None or self._desks["key"][0] == NO_KEY:
            self._desks["key"], self._desks["bot_key"] = keys(seed)
            self._desks["number"] = 0
        with announced(self.game, self._start):
            viewer = self._start(self._memory)
        return self._observation(), {"action_mask": self._mask.copy() if self._copy else self._mask, "seat": viewer}

    def step(self, action: Any) -> Step:
        """Play an action of the learner, and the bots' actions up to its next decision.

        Raises:
            BadSetup: the environment was never reset.
            MalformedAction: the action is no integer.
            IllegalAction: the action is illegal, and illegal actions raise. Nothing has changed.
        """
        if type(action) is not int:
            action = _number(action)
        if self._raises:
            self._check(action)
        try:
            told = self._advance(self._memory, action)
        except OverflowError:  # no 64-bit integer, so it is illegal
            told = self._advance(self._memory, -1)
        info = {"action_mask": self._mask.copy() if self._copy else self._mask, "seat": (told >> VIEWER_BIT) - 1}
        if not told & (TERMINATED | TRUNCATED):
            return self._observation(), 0.0, False, False, info
        if self._desks["key"][0] == NO_KEY:
            raise BadSetup("reset the environment before its first step")
        info["rewards"] = self._desks["payoffs"][0, : self.players].copy()
        info["illegal"] = bool(told & ILLEGAL)
        return self._observation(), float(self._reward[0]), bool(told & TERMINATED), bool(told & TRUNCATED), info

    def _check(self, action: int) -> None:
        if not self._desks["ended"][0] and not (0 <= action < self.game.actions and self._mask[action]):
            raise refusal(self.game, self.players, self.game.state.at(self._desks["state"]), action)

    def _observation(self) -> Observation:
        if not self._copy:
            return self._seen  # type: ignore[no-any-return]
        if self._form == "dict":
            return {name: cells.copy() for name, cells in self._seen.items()}
        return self._seen.copy()  # type: ignore[no-any-return]

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions, bool (actions,), as maskable algorithms of sb3-contrib ask for them."""
        mask: npt.NDArray[np.int8] = self._mask
        return mask.astype(np.bool_)

    def view(self) -> View:
        """Return the match as the learner may know it, without its events."""
        viewer = int(self._desks["viewer"][0])
        seats = Match(self.game, players=self.players, options=self.options).seats
        asked = self._desks["state"]["actor"][0] == viewer and not self._desks["ended"][0]
        legal = tuple(map(int, np.flatnonzero(self._mask))) if asked else ()
        states = concealed(self.game, self._desks["state"].copy(), viewer)
        number = int(self._desks["length"][0]) + 1
        return View(self.game, self.options, seats, viewer, states, (), (), number, legal)


class MatchEnv(SeatEnv):
    """A match against bots that are given views of it. Each match has new bots, if they are given by name.

    Attributes:
        match: the match that is being played. It has the record, the events and their texts.
    """

    match: Match

    def __init__(
        self,
        subject: Game,
        players: int,
        options: Mapping[str, Any],
        form: Form,
        limit: int,
        illegal: Literal["lose", "raise"],
        render_mode: str | None,
        seat: int,
        bots: Sequence[Any],
    ) -> None:
        super().__init__(subject, players, options, form, limit, illegal, render_mode)
        self._seats, self._bots = seat, bots
        self._seed, self._games, self._over = b"", 0, True
        for bot in bots:
            self._chooser(bot, b"a seed")  # refuses what is no bot

    def _chooser(self, bot: Any, seed: bytes) -> Callable[[View], Any]:
        """Return what chooses a bot's actions in one match. Raises UnknownBot or BadSetup."""
        if isinstance(bot, str):
            return named_bot(self.game, bot, seed).choose
        if hasattr(bot, "choose"):
            return bot.choose  # type: ignore[no-any-return]
        if not callable(bot) or is_compiled(bot):
            raise BadSetup(f"a bot is a name, has a method choose(view), or is a function of a view; not {quoted(bot)}")
        chooser: Callable[[View], Any] = bot
        return chooser

    def reset(
        self,
        *,
        seed: Seed | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 - Gymnasium's
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a new match; its seed and those of the bots follow from the seed, without one from the earlier seed.

        Raises BadSetup for an invalid seed.
        """
        if as_integer(seed) is not None:
            super().reset(seed=as_integer(seed))
        if seed is not None or not self._seed:
            self._seed, self._games = check_seed(seed), 0
        self._seat = self._games % self.players if self._seats == ROTATING else self._seats
        self.match = Match(self.game, players=self.players, seed=self._key("match"), options=self.options)
        chosen = {
            (self._seat + 1 + k) % self.players: self._chooser(bot, self._key(f"bot {k}")) for k, bot in enumerate(self._bots)
        }
        self._choosers, self._decisions, self._over = chosen, 0, False
        self._games += 1
        self._play_bots()
        return self._observation(), self._info()

    def _key(self, of: str) -> bytes:
        return hashlib.sha256(b"%s %d %s" % (self._seed, self._games, of.encode())).digest()

    def _play_bots(self) -> None:
        """Play for the bots until the learner has to choose or the match is over."""
        while self.match.actor is not None and self._seat not in self.match.deciders:
            actor = self.match.actor
            self.match.play(self._choosers[actor](self.match.view(actor)), actor)

    def step(self, action: Any) -> Step:
        """Play an action of the learner, and the bots' actions up to its next decision.

        Raises:
            BadSetup: the environment was never reset.
            MalformedAction: the action is no integer.
            IllegalAction: the action is illegal, and illegal actions raise. Nothing has changed.
        """
        if not self._seed:
            raise BadSetup("reset the environment before its first step")
        action, asked = _number(action), self._seat in self.match.deciders
        payoffs, illegal, truncated = np.zeros(self.players), False, False
        if not self._over and asked and action not in self.match.view(self._seat).legal:
            if self._raises:
                raise refusal(self.game, self.players, self.match.view(self._seat).state, action)
            payoffs[self._seat], illegal, self._over = self.game.kind_of(self.players, self.options).smallest, True, True
        elif not self._over:
            if asked:
                self.match.play(action, self._seat)
                self._decisions += 1
                self._play_bots()
            result = self.match.result()
            if result is not None:
                payoffs[:] = result.scores
            truncated = result is None and self._decisions == self._limit
            self._over = result is not None or truncated
        info = self._info()
        if self._over:
            info |= {"rewards": payoffs, "illegal": illegal}
        return self._observation(), float(payoffs[self._seat]), self._over and not truncated, truncated, info

    def _observation(self) -> Observation:
        return observe(self.game, self.match.states, self._seat, self._form)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks().astype(np.int8), "seat": self._seat}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions, bool (actions,), as maskable algorithms of sb3-contrib ask for them."""
        if self._over or self._seat not in self.match.deciders:
            return np.ones(self.game.actions, np.bool_)  # the next action is ignored
        mask = np.zeros(self.game.actions, np.bool_)
        mask[list(self.match.view(self._seat).legal)] = True
        return mask

    def view(self) -> View:
        """Return the match as the learner may know it."""
        return self.match.view(self._seat)


def gym_env(
    name: str | Game,
    seat: int | Literal["rotate"] | None = 0,
    bots: Any = "thrall",
    *,
    players: int | None = None,
    observations: Form = "flat",
    max_episode_steps: int | None = None,
    illegal: Literal["lose", "raise"] = "lose",
    copy: bool = True,
    render_mode: str | None = None,
    **options: Any,
) -> SeatEnv:
    """Make a Gymnasium environment in which a learner plays one seat of a match against bots.

    ``info`` has ``action_mask``, int8 (actions,), 1 where an action is legal, and ``seat``, the learner's seat. At the end it
    also has ``rewards``, float64 (players,), of all seats, and ``illegal``, whether an illegal action ended the match. A reward
    is a payoff; it is 0 until the match is over. Where the next action is ignored, the mask allows every action: at the end of a
    match, and if a match is over before the learner's first decision; then the next step ends it with its reward.

    Args:
        name: the game, or its name.
        seat: the learner's seat; ``"rotate"`` for another seat in every match; None for every seat (self-play).
        bots: the player on all other seats, or one for each, clockwise from the learner: the name of a level,
            ``search@1000``, a bot object, a function of a view, or a rule like ``Game.greedy``. Thrall, karl and
            rules are compiled policies; if all bots are, a step takes a few microseconds.
        players: the number of players; by default the smallest number.
        observations: ``flat`` for one array, ``dict`` for an array per field, see ``layout``.
        max_episode_steps: the number of the learner's decisions after which the match is truncated; by default no limit.
        illegal: ``lose`` ends the match of an illegal action with the smallest payoff; ``raise`` raises ``IllegalAction`` and
            changes nothing.
        copy: whether observations and masks are copies. Without copies they are the environment's own memory, which the next step
            overwrites. It matters only against compiled policies.
        render_mode: ``ansi``, ``svg`` or ``rgb_array``; None: ``render`` shows nothing.
        options: options of the game.

    Raises:
        BadSetup: an argument is invalid.
        UnknownBot: the game has no bot with this name.
        NoEnvs: Gymnasium is not installed.

    Examples:
        >>> env = gym_env("axes-and-allies", seat=0, bots="karl", players=3)
        >>> observation, info = env.reset(seed=1)
        >>> done = False
        >>> while not done:
        ...     action = env.action_space.sample(mask=info["action_mask"])
        ...     observation, reward, terminated, truncated, info = env.step(action)
        ...     done = terminated or truncated
        >>> sum(info["rewards"])
        np.float64(1.0)
    """
    subject = game(name)
    count, chosen = subject.check_setup(subject.min_players if players is None else players, options)
    learner = check_learner(seat, count)
    others = [] if learner == EVERY_SEAT else opponents(bots, count)
    if illegal not in ("lose", "raise"):
        raise BadSetup(f"illegal actions lose or raise, not {quoted(illegal)}")
    limit = 0 if max_episode_steps is None else check_count(max_episode_steps, "steps")
    common = subject, count, chosen, check_form(observations), limit, illegal, render_mode, learner, others
    return CompiledEnv(*common, bool(copy)) if all(map(is_compiled, others)) else MatchEnv(*common)
