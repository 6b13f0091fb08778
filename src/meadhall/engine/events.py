"""Events: what happened, as rules report it and as people, records and verifiers read it.

Rules append rows of integers to a ``log``. Row 0 is its header and counts the events there were, even those that no longer
fitted; a log of length zero takes nothing and costs nothing. A row holds the kind of the event, who may see it, how many
arguments it has, and the arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from meadhall.engine.language import gettext
from meadhall.engine.rule import i64, rule
from meadhall.engine.schema import Grid

Log = npt.NDArray[np.int32]

ARGUMENTS = 6
"""The most arguments that an event can have."""

EVERYBODY = -1
"""Audience of a public event; a seat's number is that seat alone, ``NOBODY`` the full record alone."""
NOBODY = -2

_KIND, _AUDIENCE, _COUNT, _FIRST = 0, 1, 2, 3
WIDTH = _FIRST + ARGUMENTS
_NONE = -(1 << 30)


def new_log(capacity: int) -> Log:
    """An empty log with room for ``capacity`` events."""
    return np.zeros((capacity + 1, WIDTH), np.int32)


NO_LOG_SHAPE = (0, WIDTH)
"""Shape of the log of length zero, to which nobody listens."""


@rule
def tell(log: Grid, audience: int, kind: int, a: int, b: int, c: int, d: int) -> None:
    """Append an event of up to four arguments for one audience; unused arguments are ``_NONE``."""
    if log.shape[0] == 0:
        return
    log[0, 0] += 1
    at = log[0, 0]
    if at >= log.shape[0]:
        return
    log[at, _KIND] = kind
    log[at, _AUDIENCE] = audience
    log[at, _FIRST] = a
    log[at, _FIRST + 1] = b
    log[at, _FIRST + 2] = c
    log[at, _FIRST + 3] = d
    log[at, _COUNT] = int(a != _NONE) + int(b != _NONE) + int(c != _NONE) + int(d != _NONE)  # NumPy's own True and True is True


@rule
def emit(log: Grid, kind: int, a: int = _NONE, b: int = _NONE, c: int = _NONE, d: int = _NONE) -> None:
    """Append a public event."""
    tell(log, i64(EVERYBODY), kind, i64(a), i64(b), i64(c), i64(d))


@rule
def whisper(log: Grid, audience: int, kind: int, a: int = _NONE, b: int = _NONE, c: int = _NONE, d: int = _NONE) -> None:
    """Append an event that only seat ``audience`` may see (or ``NOBODY``, until the match is over)."""
    tell(log, i64(audience), kind, i64(a), i64(b), i64(c), i64(d))


@rule
def append_argument(log: Grid, value: int) -> None:
    """Give the event emitted last one argument more."""
    at = log[0, 0] if log.shape[0] > 0 else 0
    if at == 0 or at >= log.shape[0]:
        return
    log[at, _FIRST + log[at, _COUNT]] = value
    log[at, _COUNT] += 1


@rule
def happened(log: Grid) -> int:
    """How many events there were; they are at 1, 2, 3 … of a log that was long enough."""
    return log[0, 0]


@rule
def kind_at(log: Grid, at: int) -> int:
    """The kind of an event."""
    return log[at, _KIND]


@rule
def arguments_at(log: Grid, at: int) -> int:
    """How many arguments an event has."""
    return log[at, _COUNT]


@rule
def argument_at(log: Grid, at: int, index: int) -> int:
    """An argument of an event."""
    return log[at, _FIRST + index]


Argument = Callable[[int], Any]
"""How an argument is written in a record: from the rule's integer to a number or a name."""


def number(value: int) -> int:
    """An argument that is a number: a count, a roll, a space."""
    return value


def seat(value: int) -> int:
    """An argument that is a seat, written as its number; in words it is the player's name."""
    return value


def named(*names: str) -> Argument:
    """An argument written as the name at its place, e.g. a card's or a colour's."""
    return lambda value: names[value]


@dataclass(frozen=True)
class EventKind:
    """What a kind of event is called in records, what its arguments are, the rule it comes from, and its words.

    ``text`` is a message for gettext with ``{0}``, ``{1}`` … for the arguments. An argument declared as ``seat`` is put in
    as that player's name. ``rest`` formats any further arguments of an event with a varying number of them. ``rules`` names
    another rule for events with an argument of this name, e.g. a card that has a rule of its own.
    """

    name: str
    arguments: tuple[Argument, ...]
    rule: str
    text: str
    rest: Argument | None = None
    rules: Mapping[str, str] = field(default_factory=dict, hash=False)

    def rule_of(self, arguments: Sequence[Any]) -> str:
        """The rule that such an event with these arguments comes from."""
        return next((self.rules[value] for value in arguments if value in self.rules), self.rule)

    def argument(self, index: int) -> Argument:
        """How argument ``index`` is written."""
        return self.arguments[index] if index < len(self.arguments) else self.rest or number

    def in_words(self, arguments: Sequence[Any], names: Sequence[str]) -> str:
        """What happened, in the current language; ``names`` are the players'."""
        values = [names[value] if self.argument(i) is seat else value for i, value in enumerate(arguments)]
        return gettext(self.text).format(*values)


@dataclass(frozen=True)
class Event:
    """Something that happened in a match.

    Attributes:
        kind: the game's number for this kind of event.
        name: its name in records, e.g. ``"attack_roll"``.
        arguments: seats, numbers and names, as the game's rules list them.
        audience: -1 everybody, a seat that seat alone, -2 nobody until the match is over.
    """

    kind: int
    name: str
    arguments: tuple[Any, ...]
    audience: int = EVERYBODY

    def to_list(self) -> list[Any]:
        """The event as a record holds it: ``["attack_roll", 0, 5]``."""
        return [self.name, *self.arguments]

    def visible_to(self, viewer: int) -> bool:
        """Whether seat ``viewer`` (-1: a spectator) may see it."""
        return self.audience == EVERYBODY or (viewer >= 0 and self.audience == viewer)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.arguments))})"


def read_log(log: Log, kinds: dict[int, EventKind]) -> tuple[Event, ...]:
    """The events in a log that was long enough."""
    events = []
    for row in log[1 : 1 + int(log[0, 0])].tolist():
        kind = kinds[row[_KIND]]
        values = row[_FIRST : _FIRST + row[_COUNT]]
        arguments = tuple(kind.argument(i)(value) for i, value in enumerate(values))
        events.append(Event(row[_KIND], kind.name, arguments, row[_AUDIENCE]))
    return tuple(events)
