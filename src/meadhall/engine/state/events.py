"""Events: what happened in a match. Rules emit them; the log, the animations, the record and the verifier read them.

Rules append rows of integers to a ``log``. Row 0 is the header and counts all events, including those that did not fit. A log of
length zero takes no events and costs nothing. A row holds the kind of the event, its audience, the number of its arguments, and
the arguments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from meadhall.engine.compile.rule import i64, rule
from meadhall.engine.errors import BadEvent, BadGame
from meadhall.engine.state.schema import Grid
from meadhall.engine.text.language import gettext, marked

Log = npt.NDArray[np.int32]

ARGUMENTS = 6
"""The largest number of arguments of an event. A rule with more to tell emits several events, for example one for each seat."""

PUBLIC = -1
"""Audience of a public event. A seat's number means that seat alone; ``HIDDEN`` means no seat until the match is over."""
HIDDEN = -2

_KIND, _AUDIENCE, _COUNT, _FIRST = 0, 1, 2, 3
WIDTH = _FIRST + ARGUMENTS
_NONE = -(1 << 30)


def new_log(capacity: int) -> Log:
    """Return an empty log with room for ``capacity`` events."""
    return np.zeros((capacity + 1, WIDTH), np.int32)


NO_LOG_SHAPE = (0, WIDTH)
"""Shape of the log of length zero, which takes no events."""


@rule
def append_event(log: Grid, audience: int, kind: int, a: int, b: int, c: int, d: int) -> None:
    """Append an event of up to four arguments for one audience; unused arguments are ``_NONE``."""
    if log.shape[0] == 0:
        return
    log[0, 0] += 1
    row = log[0, 0]
    if row >= log.shape[0]:
        return
    log[row, _KIND] = kind
    log[row, _AUDIENCE] = audience
    log[row, _FIRST] = a
    log[row, _FIRST + 1] = b
    log[row, _FIRST + 2] = c
    log[row, _FIRST + 3] = d
    log[row, _COUNT] = int(a != _NONE) + int(b != _NONE) + int(c != _NONE) + int(d != _NONE)  # NumPy: True + True is True


@rule
def emit(log: Grid, kind: int, a: int = _NONE, b: int = _NONE, c: int = _NONE, d: int = _NONE) -> None:
    """Append a public event.

    Examples:
        >>> from meadhall.engine.state.events import EventKind, emit, new_log, number, read_log, seat
        >>> log = new_log(4)
        >>> emit(log, 1, 0, 5)
        >>> read_log(log, {1: EventKind("rolled", (seat, number), "AA-1", "{0} rolls {1}")})[0].to_list()
        ['rolled', 0, 5]
    """
    append_event(log, i64(PUBLIC), kind, i64(a), i64(b), i64(c), i64(d))


@rule
def emit_private(log: Grid, audience: int, kind: int, a: int = _NONE, b: int = _NONE, c: int = _NONE, d: int = _NONE) -> None:
    """Append an event that only seat ``audience`` may see (``HIDDEN``: no seat until the match is over).

    Examples:
        >>> from meadhall.engine.state.events import EventKind, emit_private, new_log, number, read_log
        >>> log = new_log(4)
        >>> emit_private(log, 1, 2, 7)  # seat 1 draws card 7
        >>> event = read_log(log, {2: EventKind("drew", (number,), "VA-1", "You draw {0}")})[0]
        >>> event.visible_to(1), event.visible_to(0)
        (True, False)
    """
    append_event(log, i64(audience), kind, i64(a), i64(b), i64(c), i64(d))


@rule
def append_argument(log: Grid, value: int) -> None:
    """Append an argument to the event emitted last.

    An event has at most six arguments. A rule can't raise, so the seventh is counted but not stored, and ``read_log`` refuses the
    event.

    Examples:
        >>> from meadhall.sdk import append_argument, arguments_at, emit
        >>> from meadhall.engine.state.events import new_log
        >>> log = new_log(4)
        >>> emit(log, 7, 0, 5)
        >>> append_argument(log, 6)
        >>> arguments_at(log, 1)
        np.int32(3)
    """
    row = log[0, 0] if log.shape[0] > 0 else 0
    if row == 0 or row >= log.shape[0]:
        return
    if log[row, _COUNT] < ARGUMENTS:
        log[row, _FIRST + log[row, _COUNT]] = value
    log[row, _COUNT] += 1


@rule
def event_count(log: Grid) -> int:
    """Return the number of events, which start at row 1. It includes events that did not fit.

    Examples:
        >>> from meadhall.sdk import emit, event_count
        >>> from meadhall.engine.state.events import new_log
        >>> log = new_log(4)
        >>> emit(log, 7, 0, 5)
        >>> int(event_count(log))
        1
    """
    return log[0, 0] if log.shape[0] > 0 else 0


@rule
def kind_at(log: Grid, row: int) -> int:
    """Return the kind of the event in a row; -1 if the log was too short for that event.

    Examples:
        >>> from meadhall.sdk import emit, kind_at
        >>> from meadhall.engine.state.events import new_log
        >>> log = new_log(4)
        >>> emit(log, 7, 0, 5)
        >>> int(kind_at(log, 1))
        7
    """
    return log[row, _KIND] if row < log.shape[0] else -1


@rule
def arguments_at(log: Grid, row: int) -> int:
    """Return the number of arguments of the event in a row.

    Examples:
        >>> from meadhall.sdk import arguments_at, emit
        >>> from meadhall.engine.state.events import new_log
        >>> log = new_log(4)
        >>> emit(log, 7, 0, 5)
        >>> int(arguments_at(log, 1))
        2
    """
    return log[row, _COUNT] if row < log.shape[0] else 0


@rule
def argument_at(log: Grid, row: int, index: int) -> int:
    """Return an argument of the event in a row; 0 if it has no such argument.

    Examples:
        >>> from meadhall.sdk import argument_at, emit
        >>> from meadhall.engine.state.events import new_log
        >>> log = new_log(4)
        >>> emit(log, 7, 0, 5)
        >>> int(argument_at(log, 1, 1))
        5
    """
    return log[row, _FIRST + index] if row < log.shape[0] and 0 <= index < ARGUMENTS else 0


Argument = Callable[[int], Any]
"""Converts a rule's integer argument to its form in a record: a number or a name."""


def number(value: int) -> int:
    """Write an argument as a number: a count, a roll, a space.

    Examples:
        >>> from meadhall.sdk import number
        >>> number(5)
        5
    """
    return value


def seat(value: int) -> int:
    """Write an argument as a seat's number; texts show the player's name.

    Examples:
        >>> from meadhall.sdk import seat
        >>> seat(2)
        2
    """
    return value


def named(*names: str) -> Argument:
    """Write an argument as one of these names, e.g. of a card or a colour.

    Examples:
        >>> from meadhall.sdk import named
        >>> colour = named("red", "blue")
        >>> colour(1)
        'blue'
    """

    def piece(value: int) -> str:
        if not 0 <= value < len(names):  # Python would take -1 for the last name
            raise BadEvent(f"an event names number {value} of {len(names)} names: {', '.join(names)}")
        return names[value]

    return piece


class Part(Enum):
    """The places where an event is told: a line of the log, the title of a turn, and the summary of a turn."""

    LINE = "line"
    TURN = "turn"
    BRIEF = "brief"


TURN = (marked("{0}'s turn"), marked("Your turn"))
"""The title of a turn that an event of its first argument, a seat, begins."""


_PLACE = re.compile(r"\{(\d+)\}")


@dataclass(frozen=True)
class EventKind:
    """A kind of event.

    Texts are messages for gettext with ``{0}``, ``{1}`` … for the arguments; a ``seat`` is shown as the player's name.

    Attributes:
        name: its name in records.
        arguments: the converters of its arguments.
        rule: the id of the rule it comes from, "" if it comes from no rule of a rulebook.
        text: its line in the log; "" for its name and arguments.
        rest: the converter of all further arguments, for events with a varying number of them. The last place of a text shows
            all arguments from there on, if they have this converter.
        rules: rule ids for events that have this name among their arguments, e.g. a card with a separate rule.
        you: its lines for the player who is argument 0, 1 …, e.g. ``("You attack {1}", "{0} attacks you")``; "" where there is
            none.
        turn: the title of the turn that it begins in the log, then the titles for argument 0, 1 …; empty if its own line is the
            title, None if it continues a turn.
        brief: its words in the summary of a turn, which has the title for its subject, then the words for argument 0, 1 …; empty
            if the summary leaves it out.
        joins: names of kinds that it continues: it begins no turn after one of them with the same seat as first argument.
        fields: the names of its arguments; by default those of their converters. The last may begin with ``*``: then it names all
            arguments from there on.
        beats: how long the stage of a page plays it (see ``BEAT_SECONDS``). Bots wait for so long, and live clocks stand.

    Examples:
        >>> from meadhall.engine.state.events import EventKind, number, seat
        >>> kind = EventKind("rolled", (seat, number), "PG-2", "{0} rolls {1}", you=("You roll {1}",))
        >>> kind.in_words((0, 3), ["Gorm", "Astrid"]), kind.in_words((0, 3), ["Gorm", "Astrid"], viewer=0)
        ('Gorm rolls 3', 'You roll 3')
        >>> kind.message((0, 3)), kind.rule_of((0, 3)), kind.argument(1) is number
        ('{0} rolls {1}', 'PG-2', True)
        >>> kind.fields
        ('seat', 'number')
        >>> EventKind("dealt", (seat,), "PG-1", "{0} is dealt {1}", rest=number).in_words((0, 14, 3, 41), ["Gorm"])
        'Gorm is dealt 14, 3, 41'
    """

    name: str
    arguments: tuple[Argument, ...]
    rule: str = ""
    text: str = ""
    rest: Argument | None = None
    rules: Mapping[str, str] = field(default_factory=dict, hash=False)
    you: tuple[str, ...] = ()
    turn: tuple[str, ...] | None = None
    brief: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    beats: int = 0

    def __post_init__(self) -> None:
        if len(self.arguments) > ARGUMENTS:
            raise BadGame(
                f"the event {self.name} is declared with {len(self.arguments)} arguments; an event has at most {ARGUMENTS}"
            )
        if not self.fields:
            object.__setattr__(self, "fields", _default_fields(self.arguments, self.rest))
        for field_name in self.fields:
            if not field_name.removeprefix("*").isidentifier() or field_name in RESERVED or self.fields.count(field_name) > 1:
                raise BadGame(f"an argument of the event {self.name} can't be called {field_name!r}")

    def rule_of(self, arguments: Sequence[Any]) -> str:
        """Return the id of the rule that an event with these arguments comes from."""
        return next((self.rules[value] for value in arguments if value in self.rules), self.rule)

    def argument(self, index: int) -> Argument:
        """Return the converter of argument ``index``."""
        return self.arguments[index] if index < len(self.arguments) else self.rest or number

    def message(self, arguments: Sequence[Any], viewer: int = PUBLIC, part: Part = Part.LINE) -> str:
        """Return the message for seat ``viewer`` (-1: a spectator), not translated; "" if it has none for this part."""
        if part is Part.LINE:
            told: tuple[str, ...] = (self.text or self._plain_text(arguments), *self.you)
        else:
            told = (self.turn or ()) if part is Part.TURN else self.brief
        last = len(self.arguments) - 1  # its text serves further arguments, too
        for i, value in enumerate(arguments):
            place = 1 + min(i, last)
            if value == viewer and self.argument(i) is seat and place < len(told) and told[place]:
                return told[place]
        return told[0] if told else ""

    def _plain_text(self, arguments: Sequence[Any]) -> str:
        """Return a line from the name and the arguments: ``"attack roll: {0}, {1}"``."""
        name = self.name.replace("_", " ").replace("{", "{{").replace("}", "}}")
        return ": ".join(filter(None, (name, ", ".join(f"{{{k}}}" for k in range(len(arguments))))))

    def in_words(
        self, arguments: Sequence[Any], names: Sequence[str], viewer: int = PUBLIC, part: Part = Part.LINE, values: Any = None
    ) -> str:
        """Return the event as text in the current language.

        Args:
            names: the players' names in seat order.
            viewer: the seat that the text calls "you"; -1: none.
            part: where the event is told; the text is "" if it isn't told there.
            values: the texts of the arguments, if they are not the players' names and the arguments themselves.
        """
        message = self.message(arguments, viewer, part)
        if values is None:
            values = [names[value] if self.argument(i) is seat else value for i, value in enumerate(arguments)]
        if self.rest is not None and len(values) == len(arguments):
            last = max(map(int, _PLACE.findall(message)), default=len(values))
            if self.argument(last) is self.rest:
                values = [*values[:last], ", ".join(map(str, values[last:]))]
        return gettext(message).format(*values) if message else ""


RESERVED = frozenset(("kind", "name", "arguments", "audience", "fields", "to_list", "to_dict", "visible_to"))
"""The attributes of an event, which can't be names of its arguments."""


def _default_fields(arguments: Sequence[Argument], rest: Argument | None) -> tuple[str, ...]:
    """Return names after the converters of arguments: ``("seat", "number", "number_2")``."""
    names = [getattr(argument, "__name__", "value") for argument in arguments]
    names = [name if name.isidentifier() and name not in RESERVED else "value" for name in names]
    numbered = [name if k == names.index(name) else f"{name}_{names[: k + 1].count(name)}" for k, name in enumerate(names)]
    return tuple(numbered) if rest is None else (*numbered, "*rest")


@dataclass(frozen=True)
class Event:
    """Something that happened in a match.

    Its arguments are attributes, too, by the names that the game gives them: ``event.seat``, ``event.card``.

    Attributes:
        kind: the game's number for this kind of event.
        name: its name in records, e.g. ``"attack_roll"``.
        arguments: seats, numbers and names, as the game's rules list them.
        audience: ``PUBLIC`` (-1), the number of the one seat that may see it, or ``HIDDEN`` (-2) until the match is over.
        fields: the names of the arguments, see ``EventKind``.

    Examples:
        >>> from meadhall.engine.state.events import Event
        >>> event = Event(7, "attack_roll", (0, 5), audience=2, fields=("seat", "roll"))
        >>> event.to_list(), event.visible_to(2), event.visible_to(0)
        (['attack_roll', 0, 5], True, False)
        >>> event.roll, event.to_dict()
        (5, {'event': 'attack_roll', 'seat': 0, 'roll': 5})
    """

    kind: int
    name: str
    arguments: tuple[Any, ...]
    audience: int = PUBLIC
    fields: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_"):
            for index, known in enumerate(self.fields):
                if known == name and index < len(self.arguments):
                    return self.arguments[index]
                if known == f"*{name}":
                    return self.arguments[index:]
            raise AttributeError(f"the event {self.name} has no {name}; it has: {', '.join(self.fields) or 'no arguments'}")
        raise AttributeError(name)

    def to_dict(self) -> dict[str, Any]:
        """Return the event with the names of its arguments: ``{"event": "attack_roll", "seat": 0, "roll": 5}``."""
        names = [name.lstrip("*") for name in self.fields]
        return {"event": self.name} | {name: getattr(self, name) for name in names if hasattr(self, name)}

    def to_list(self) -> list[Any]:
        """Return the event as a record holds it: ``["attack_roll", 0, 5]``."""
        return [self.name, *self.arguments]

    def visible_to(self, viewer: int) -> bool:
        """Return whether seat ``viewer`` (-1: a spectator) may see the event."""
        return self.audience == PUBLIC or (viewer >= 0 and self.audience == viewer)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.arguments))})"


def read_log(log: Log, kinds: dict[int, EventKind]) -> tuple[Event, ...]:
    """Return the events of a log that had room for all of them.

    Raises:
        BadEvent: an event is of no declared kind, has too many arguments, or has one without a name.
    """
    events = []
    for row in log[1 : 1 + int(log[0, 0])].tolist():
        try:
            kind = kinds[row[_KIND]]
        except KeyError:
            raise BadEvent(f"the rules emitted an event of kind {row[_KIND]}, which the game doesn't declare") from None
        if row[_COUNT] > ARGUMENTS:
            raise BadEvent(
                f"the event {kind.name} has {row[_COUNT]} arguments; an event has at most {ARGUMENTS}, so emit several"
            )
        values = row[_FIRST : _FIRST + row[_COUNT]]
        arguments = tuple(kind.argument(i)(value) for i, value in enumerate(values))
        events.append(Event(row[_KIND], kind.name, arguments, row[_AUDIENCE], kind.fields))
    return tuple(events)
