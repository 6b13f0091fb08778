"""The clocks that a table can have. They are chosen before the match."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, get_args

from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import gettext as _
from meadhall.server.hall.seating import Change
from meadhall.server.store.models import Clock, ClockKind, TableRow, TimeUp

MINUTE: Final = 60
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR

SECONDS: Final[Mapping[ClockKind, Mapping[int, int]]] = {
    "seat": {3 * MINUTE: 2, 5 * MINUTE: 3, 10 * MINUTE: 5, 20 * MINUTE: 10},
    "decision": dict.fromkeys((30, 60, 120), 0),
    "slow": dict.fromkeys((1 * DAY, 3 * DAY, 7 * DAY), 0),
    "reserve": {3 * DAY: 4 * HOUR, 7 * DAY: 12 * HOUR, 14 * DAY: 1 * DAY},
}
"""The times in seconds that each kind of clock can have, with the usual increment of each."""

INCREMENTS: Final[Mapping[ClockKind, tuple[int, ...]]] = {
    "seat": (0, 2, 3, 5, 10, 15, 30),
    "decision": (0,),
    "slow": (0,),
    "reserve": (0, 4 * HOUR, 12 * HOUR, 1 * DAY),
}
"""The seconds that a seat can gain with each action."""

TIME_UP: Final[Mapping[ClockKind, TimeUp]] = {
    "seat": "bot_decision",
    "decision": "bot_decision",
    "slow": "bot_seat",
    "reserve": "bot_seat",
}
"""The default rule for the end of the time."""


def check_clock(kind: str, seconds: int | None = None, increment: int | None = None, time_up: str | None = None) -> Clock | None:
    """Return a clock that a table can have, with defaults for what is None. ``none`` is no clock.

    Raises BadSetup: there is no such clock. The message says which there are.
    """
    if kind == "none":
        if (seconds, increment, time_up) != (None, None, None):
            raise BadSetup(_("A table without a clock has no times."))
        return None
    for known in get_args(ClockKind):
        if kind == known:
            return _check_times(known, seconds, increment, time_up)
    kinds = ", ".join(("none", *get_args(ClockKind)))
    raise BadSetup(_("There is no such clock. Possible are: {values}.").format(values=kinds))


def _check_times(kind: ClockKind, seconds: int | None, increment: int | None, time_up: str | None) -> Clock:
    time = list(SECONDS[kind])[1] if seconds is None else seconds
    if time not in SECONDS[kind]:
        raise BadSetup(_("This clock can't have that time. Possible seconds: {values}.").format(values=_listed(SECONDS[kind])))
    gain = SECONDS[kind][time] if increment is None else increment
    if gain not in INCREMENTS[kind]:
        values = _listed(INCREMENTS[kind])
        raise BadSetup(_("This clock can't have that increment. Possible seconds: {values}.").format(values=values))
    for known in get_args(TimeUp):
        if (time_up or TIME_UP[kind]) == known:
            return Clock(kind, time, gain, known)
    values = ", ".join(get_args(TimeUp))
    raise BadSetup(_("When time is up, only this can happen: {values}.").format(values=values))


def _listed(values: Iterable[int]) -> str:
    return ", ".join(map(str, values))


def with_clock(clock: Clock | None) -> Change:
    """Return the change of the table's clock. Raises BadSetup for a puzzle of the day, which has none."""

    def change(table: TableRow) -> TableRow:
        if clock is not None and table.daily is not None:
            raise BadSetup(_("A puzzle of the day has no clock."))
        return replace(table, clock=clock)

    return change
