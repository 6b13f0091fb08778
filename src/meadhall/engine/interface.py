"""What the engine calls of a game: the protocols of its rules and words, and what takes the place of the parts that a game
lacks.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from meadhall.engine.checks import quoted
from meadhall.engine.errors import BadGame
from meadhall.engine.state.events import PUBLIC, Event, EventKind, Part, number, seat
from meadhall.engine.text.language import gettext as _, speaking


class GameRules(Protocol):
    """The rule functions that every game has, on the game's state. ``log`` receives the events.

    A game whose seats decide at the same time has one more, ``deciders(state) -> int``, see ``engine/match/deciders.py``.
    """

    def setup(self, state: Any, players: int, options: Any, log: Any) -> None:
        """Set up a blank state up to the first decision; ``options`` are the integers of ``Game.encode_options``."""

    def legal(self, state: Any, out: Any) -> int:
        """Write the legal actions to ``out`` in ascending order and return their number."""

    def play(self, state: Any, action: int, log: Any) -> None:
        """Play a legal action and everything that follows up to the next decision."""

    def score(self, state: Any, out: Any) -> None:
        """Write each seat's payoff of a finished state to ``out``: 0 to 1, or points within ``Game.payoffs``."""


class HidingRules(GameRules, Protocol):
    """The rule functions of a game with hidden information. Seat -1 is a spectator."""

    def conceal(self, state: Any, seat: int) -> None:
        """Blank what a seat may not know."""

    def redeal(self, state: Any, seat: int) -> None:
        """Fill the blanks of a concealed state at random with values the seat can't tell from the true ones.

        This samples a determinization of the information set.
        """


class GameWords(Hashable, Protocol):
    """The texts of a game, in the current language: a module or an object, the same one for the same edition.

    A game may supply only some of them, see ``complete_words``.

    ``state`` is a concealed state; ``names`` are the players' names in seat order.
    """

    def action(self, state: Any, action: int, names: Sequence[str]) -> str:
        """Return the text of an action of the seat to move, e.g. ``"attack Björn"``."""

    def event(self, event: Event, names: Sequence[str], viewer: int = PUBLIC, part: Part = Part.LINE) -> str:
        """Return the text of an event. It calls seat ``viewer`` "you". ``part``: where it is told; "" if it isn't told there."""

    def refusal(self, state: Any, action: int, names: Sequence[str]) -> tuple[str, str]:
        """Return the rule id and text of why the seat to move can't play ``action``; ``("", "")`` if the action is legal.

        ``check_game`` compares this with ``legal``.
        """

    def prompt(self, state: Any, names: Sequence[str], viewer: int) -> str:
        """Return the text of the pending decision for seat ``viewer`` (-1: a spectator)."""

    def ending(self, state: Any) -> tuple[str, str]:
        """Return the rule id and text of how a finished match ended."""


_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")

REQUIRED_RULES = ("setup", "legal", "play", "score")
HOOKS = ("action", "event", "refusal", "prompt", "ending")
"""The functions of ``GameWords``."""

PLAYED = 0
"""The kind of the event that tells of an action in a game without events."""


def conceals(rules: GameRules) -> bool:
    """Return whether the rules hide anything."""
    return hasattr(rules, "conceal")


def check_name(name: Any) -> None:
    """Check that a game's name fits into addresses and file names. Raises BadGame."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise BadGame(f"the name of a game has lower-case letters and digits, in words joined by hyphens, not {quoted(name)}")


def check_rules(name: str, rules: Any) -> None:
    """Check that the rule functions that every game needs are there. Raises BadGame."""
    missing = [function for function in REQUIRED_RULES if not callable(getattr(rules, function, None))]
    if missing:
        raise BadGame(f"the rules of {name} lack {', '.join(missing)}; every game needs {', '.join(REQUIRED_RULES)}")
    if hasattr(rules, "conceal") != hasattr(rules, "redeal"):
        has, lacks = ("conceal", "redeal") if hasattr(rules, "conceal") else ("redeal", "conceal")
        raise BadGame(f"the rules of {name} have {has} but not {lacks}: a game with hidden information needs both")


# ---------------------------------------------------------------------------------------------------------------------- events


class NoEvents(dict[int, EventKind]):
    """The kinds of events of a game that declares none. Its log tells the actions; an undeclared kind has a number for a name."""

    def __init__(self) -> None:
        super().__init__({PLAYED: EventKind("played", (seat, str), text="{0}: {1}", turn=("{0}: {1}",))})

    def __missing__(self, kind: int) -> EventKind:
        return EventKind(f"event_{kind}", (), rest=number)


def played(words: GameWords, state: Any, seat: int, action: int, names: Sequence[str]) -> Event:
    """Return the event that tells of an action. ``state``: the state before it, as a spectator may know it.

    Its text is in English, and translated when it is told.
    """
    if not hasattr(own_words(words), "action"):
        return Event(PLAYED, "played", (seat, action))
    with speaking("en"):
        return Event(PLAYED, "played", (seat, words.action(state, action, names)))


# ----------------------------------------------------------------------------------------------------------------------- words


class Words:
    """The words of a game: its own where it supplies them, otherwise defaults. A game's own optional functions are here, too.

    Attributes:
        supplied: the game's own words, None if it has none.
    """

    def __init__(self, supplied: Any, rules: GameRules, actions: int, events: Mapping[int, EventKind]) -> None:
        self.supplied, self._rules, self._actions, self._events = supplied, rules, actions, events
        own = [hook for hook in HOOKS if hasattr(supplied, hook) and not (hook == "event" and isinstance(events, NoEvents))]
        vars(self).update({hook: getattr(supplied, hook) for hook in own})

    def __getattr__(self, name: str) -> Any:
        """Return an optional part of the game's own words, such as ``sketch``."""
        if name.startswith("_") or name == "supplied":
            raise AttributeError(name)
        return getattr(self.supplied, name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Words) and other.supplied is self.supplied and other._events is self._events

    def __hash__(self) -> int:
        return hash((id(self.supplied), id(self._events)))

    def action(self, state: Any, action: int, names: Sequence[str]) -> str:
        """Return the number of an action as its text."""
        return _("action {number}").format(number=action)

    def event(self, event: Event, names: Sequence[str], viewer: int = PUBLIC, part: Part = Part.LINE) -> str:
        """Return the text of the event's kind."""
        kind = self._events[event.kind]
        values = [names[value] if kind.argument(i) is seat else value for i, value in enumerate(event.arguments)]
        if isinstance(self._events, NoEvents) and event.kind == PLAYED:
            values[1] = self.action(None, values[1], names) if isinstance(values[1], int) else _(values[1])
        return kind.in_words(event.arguments, names, viewer, part, values)

    def refusal(self, state: Any, action: int, names: Sequence[str]) -> tuple[str, str]:
        """Refuse every action that is not legal, without a rule."""
        out = np.zeros(self._actions, np.int32)
        count = 0 if state.actor < 0 else int(self._rules.legal(state, out))
        return ("", "") if action in out[:count] else ("", _("This isn't possible now."))

    def prompt(self, state: Any, names: Sequence[str], viewer: int) -> str:
        """Name the seat to move."""
        if state.actor < 0:
            return _("The match is over.")
        deciders = getattr(self._rules, "deciders", None)
        chooses = viewer >= 0 and (deciders(state) >> viewer & 1 if deciders else viewer == state.actor)
        return _("It is your turn.") if chooses else _("It is {name}'s turn.").format(name=names[state.actor])

    def ending(self, state: Any) -> tuple[str, str]:
        """Say that the match was played to its end, without a rule."""
        return "", _("played to the end")


def complete_words(supplied: Any, rules: GameRules, actions: int, events: Mapping[int, EventKind]) -> GameWords:
    """Return words with every hook: ``supplied`` themselves if they have them all, otherwise with defaults."""
    if isinstance(supplied, Words):
        supplied = supplied.supplied
    if all(hasattr(supplied, hook) for hook in HOOKS) and not isinstance(events, NoEvents):
        words: GameWords = supplied
        return words
    return Words(supplied, rules, actions, events)


def own_words(words: Any) -> Any:
    """Return the words that a game has supplied itself; None if it has none."""
    return words.supplied if isinstance(words, Words) else words


def title_of(name: str) -> str:
    """Return a title made from a game's name: ``"three-in-a-row"`` is "Three in a row"."""
    return name.replace("-", " ").replace("_", " ").capitalize()
