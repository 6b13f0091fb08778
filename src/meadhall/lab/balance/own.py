"""Own figures: functions of a finished match, and counters of events, which need no code.

A counter is a text: the name of an event, conditions on its fields, and at last ``by`` and the field of a seat, which counts for
each seat: ``"dies weapon=double axe by killer"``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, TypeAlias

import cloudpickle  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt

from meadhall.bots.bot import Declaration, resolved
from meadhall.engine.checks import check_line, meant, quoted
from meadhall.engine.errors import BadEvent, BadSetup, MeadhallError
from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.state.events import EventKind, number, seat
from meadhall.lab.entrants import PLACE

OwnFigure: TypeAlias = "str | Callable[[Match], Any]"
"""A function of a finished match, or its ``module:function``. It returns a number, a sum and a count, or None."""

LONGEST_NAME = 80
MOST_CODES = 1024
"""The largest number of values of a field that are compared with a text."""
MOST_LISTED = 60

_COUNTER = re.compile(r"(?P<event>\S+)(?P<conditions>(?:\s+\w+=.*?)*?)(?:\s+by\s+(?P<by>\w+))?")
_CONDITION = re.compile(r"(\w+)=(.*?)(?=\s+\w+=|$)")


class FigureFailed(MeadhallError):
    """A function for a figure has failed, or has returned something else than a number."""


@dataclass(frozen=True)
class Own:
    """Own figures of a run.

    Attributes:
        counters: the texts of counters by the names of their figures.
        functions: functions of a match as pickles, by the names of their figures.
    """

    counters: Mapping[str, str] = field(default_factory=dict)
    functions: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def texts(self) -> dict[str, str]:
        """Return what each figure counts: the text of a counter, or the name of a function."""
        given = {name: cloudpickle.loads(function) for name, function in self.functions.items()}
        return {**self.counters, **{name: getattr(each, "__name__", str(each)) for name, each in given.items()}}

    def measure(self, name: str, match: Match) -> tuple[float, float]:
        """Return what a match adds to a figure: a sum and a count. Raises FigureFailed."""
        try:
            found = _function(name, cloudpickle.loads(self.functions[name]))(match)
        except Exception as error:
            raise FigureFailed(f"the figure {name} failed: {type(error).__name__}: {error}") from error
        if found is None:
            return 0.0, 0.0
        try:
            total, count = found if isinstance(found, tuple) else (found, 1)
            pair = float(total), float(count)
        except (TypeError, ValueError):
            pair = float("nan"), 0.0
        if not all(map(isfinite, pair)):
            raise FigureFailed(f"the figure {name} returned {quoted(found)}, which is no number, no sum and count, and not None")
        return pair


def checked_own(editions: Sequence[Game], players: int, counters: Mapping[str, str], functions: Mapping[str, OwnFigure]) -> Own:
    """Return own figures, checked.

    Args:
        editions: the game with the events of each variant. A counter must fit one of them at least.
        players: the largest number of players.

    Raises:
        BadSetup: a counter names no event, field or value of the game, or a name is invalid.
        BadBot: there is no such function.
    """
    for name in (*counters, *functions):
        if check_line(name, "the name of a figure", LONGEST_NAME) != name or "." in name or not name:
            raise BadSetup(f"a figure can't be called {quoted(name)}: its name is a line without a dot")
        if name in counters and name in functions:
            raise BadSetup(f"two figures are called {name}")
    for text in counters.values():
        found = (counter_for(edition, text, players) for edition in editions)
        refusals = [each for each in found if isinstance(each, BadSetup)]
        if len(refusals) == len(editions):
            raise refusals[0]
    for name, function in functions.items():
        _function(name, function)
    return Own(dict(counters), {name: cloudpickle.dumps(function) for name, function in functions.items()})


def counter_for(edition: Game, text: str, players: int) -> Counter | BadSetup:
    """Return the counter that a text means in a game, or why it means none there."""
    try:
        return Counter.of(edition, text, players)
    except BadSetup as refusal:
        return refusal


def _function(name: str, given: Any) -> Callable[[Match], Any]:
    if isinstance(given, str):
        place = PLACE.fullmatch(given)
        if place is None:
            raise BadSetup(f"the function of the figure {name} is given as module:function, not as {quoted(given)}")
        return resolved(Declaration(name, place["module"], place["function"]))
    if not callable(given):
        raise BadSetup(f"the figure {name} is a function of a match or module:function, not {quoted(given)}")
    return given  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Counter:
    """Which events are counted.

    Attributes:
        event: the number of the kind of event.
        conditions: for each condition the arguments that it looks at, of which one must be among these integers.
        by: the argument with the seat for which an event counts; -1: events count for the match.
    """

    event: int
    conditions: tuple[tuple[range, tuple[int, ...]], ...]
    by: int = -1

    @classmethod
    def of(cls, edition: Game, text: str, players: int) -> Counter:
        """Read a counter. Values are written as in records, seats count from 1. Raises BadSetup."""
        parts = _COUNTER.fullmatch(check_line(text, "a counter", 200).strip())
        if parts is None:
            raise BadSetup(f'a counter is written as "EVENT FIELD=VALUE by FIELD", not as {quoted(text)}')
        kinds = {kind.name: (code, kind) for code, kind in edition.events.items()}
        code, kind = kinds[_known(parts["event"], kinds, f"{edition.title} has no event")]
        conditions = []
        for name, value in _CONDITION.findall(parts["conditions"]):
            index, places = _field(kind, name)
            conditions.append((places, _codes(kind, index, name, value.strip(), players)))
        by = -1
        if parts["by"] is not None:
            by, _places = _field(kind, parts["by"])
            if kind.argument(by) is not seat:
                raise BadSetup(f"{parts['by']} of the event {kind.name} is no seat, so there is no count by it")
        return cls(int(code), tuple(conditions), by)

    def rows(self, told: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the rows of ``Trace.told`` that count."""
        found: npt.NDArray[np.int64] = told[told[:, 2] == self.event]
        for places, codes in self.conditions:
            here = np.isin(found[:, 5 + places.start : 5 + places.stop], codes)
            here &= np.arange(places.start, places.stop) < found[:, 4:5]
            found = found[here.any(axis=1)]
        return found


def _known(name: str, known: Iterable[str], what: str) -> str:
    """Return a name if it is known. Raises BadSetup, which tells the nearest."""
    listed = list(known)
    if name not in listed:
        raise BadSetup(f"{what} {quoted(name)}{meant(name, listed) or '; there are: ' + ', '.join(listed[:MOST_LISTED])}")
    return name


def _field(kind: EventKind, name: str) -> tuple[int, range]:
    """Return the index of a field of an event, and the arguments that it names. Raises BadSetup."""
    names = [each.lstrip("*") for each in kind.fields]
    index = names.index(_known(name, names, f"the event {kind.name} has no field"))
    return index, range(index, 6 if kind.fields[index].startswith("*") else index + 1)


def _codes(kind: EventKind, index: int, name: str, value: str, players: int) -> tuple[int, ...]:
    """Return the integers of rules that are written as this value. Raises BadSetup."""
    convert = kind.argument(index)
    if convert in (seat, number):
        first, end = (1, players + 1) if convert is seat else (-(1 << 31), 1 << 31)
        if not value.lstrip("-").isdecimal() or int(value) not in range(first, end):
            wanted = f"a player from 1 to {players}" if convert is seat else "a number"
            raise BadSetup(f"{name} of the event {kind.name} is {wanted}, not {quoted(value)}")
        return (int(value) - (convert is seat),)
    written: dict[str, list[int]] = {}
    for code in range(-1, MOST_CODES):
        try:
            written.setdefault(_plain(str(convert(code))), []).append(code)
        except (MeadhallError, BadEvent, LookupError, ValueError, TypeError):
            continue
    return tuple(written[_known(_plain(value), written, f"{name} of the event {kind.name} is never")])


def _plain(text: str) -> str:
    return text.replace("_", " ").casefold()
