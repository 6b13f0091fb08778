"""The clocks of a match. They follow from the clock of its table, its entries with their times, and the downtimes of the hall.

Only people have clocks. A seat's clock runs from the beginning of its decision to its action. It stands still while a bot plays
the seat, while the clocks are paused, and while the hall was down. A slow one stands still in the holidays of its player, too.

A live clock also stands still while the boards play the actions before it, but never for more than six seconds after an action.
The entry of an action says how long the boards play it. So the time is the same for each viewer, even
one who skips the play or has switched it off.

Time that a seat has used stays used when it takes back its action, and the increment goes with the action. Otherwise a seat could
gain time by taking back and playing again. On a clock with a time for each decision, a decision has its full time again if
another person has played since: then the others have agreed to the take-back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Self, get_args

from meadhall.engine.errors import BadSetup
from meadhall.engine.game import BEAT_SECONDS, beats_of
from meadhall.engine.match.deciders import deciders
from meadhall.engine.match.match import Match
from meadhall.engine.match.step import Step
from meadhall.engine.text.language import gettext as _, ngettext
from meadhall.server.hall.lobby_changes import Change
from meadhall.server.store.models import Clock, ClockKind, Entry, TableRow, TimeUp
from meadhall.server.store.uptime import Downtime, Holiday

# ----------------------------------------------------------------------------------------------- the clocks that a table can have

# The clocks that a table can have. They are chosen before the match.


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


def time_in_words(seconds: int) -> str:
    """Say a time: "30 seconds", "2 minutes", "12 hours", "3 days"."""
    if seconds % DAY == 0 and seconds:
        return ngettext("{count} day", "{count} days", seconds // DAY).format(count=seconds // DAY)
    if seconds % HOUR == 0 and seconds:
        return ngettext("{count} hour", "{count} hours", seconds // HOUR).format(count=seconds // HOUR)
    if seconds % MINUTE == 0 and seconds:
        return ngettext("{count} minute", "{count} minutes", seconds // MINUTE).format(count=seconds // MINUTE)
    return ngettext("{count} second", "{count} seconds", seconds).format(count=seconds)


def with_clock(clock: Clock | None) -> Change:
    """Return the change of the table's clock. Raises BadSetup for a puzzle of the day, which has none."""

    def change(table: TableRow) -> TableRow:
        if clock is not None and table.daily is not None:
            raise BadSetup(_("A puzzle of the day has no clock."))
        return replace(table, clock=clock)

    return change


# ---------------------------------------------------------------------------------------------------------- the clocks of a match


COME_BACK: Final = timedelta(seconds=20)
"""How long no clock runs after a downtime, so that pages can connect again."""

LONGEST_PLAY: Final = timedelta(seconds=6)
"""How long after an action no clock runs at most, because the boards still play."""

Outage = tuple[datetime, datetime]
"""A time in which no clock ran: its beginning and its end."""


def outages(downtimes: Iterable[Downtime]) -> tuple[Outage, ...]:
    """Return the times in which no clock ran, in order and without overlaps."""
    return _merged((downtime.began_at, downtime.ended_at + COME_BACK) for downtime in downtimes)


def _merged(times: Iterable[Outage]) -> tuple[Outage, ...]:
    found: list[Outage] = []
    for began, ended in sorted(times):
        if found and began <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], ended)
        else:
            found.append((began, ended))
    return tuple(found)


def running_seconds(since: datetime, until: datetime, outages: Sequence[Outage]) -> float:
    """Return the seconds between two times in which clocks ran; 0 if the second is earlier: clocks of machines may differ."""
    seconds = (until - since).total_seconds()
    for began, ended in reversed(outages):
        if ended <= since:
            break
        seconds -= max(0.0, (min(ended, until) - max(began, since)).total_seconds())
    return max(0.0, seconds)


def deadline_after(since: datetime, time: timedelta, outages: Iterable[Outage]) -> datetime:
    """Return the deadline of a time that begins at ``since``. Outages don't count."""
    deadline = since + time
    for began, ended in outages:
        if ended > since and began < deadline:
            deadline += ended - max(began, since)
    return deadline


@dataclass(frozen=True)
class Pause:
    """A pause: the seat that asked for it, and when it began."""

    seat: int
    at: datetime


@dataclass(frozen=True)
class Clocks:
    """The clocks of a match after some entries.

    Attributes:
        clock: the clock of the table.
        left: the seconds that each seat had left at ``since``.
        deciders: the seats to move: one, or several that choose at the same time; none when the match has ended.
        since: when the seats to move began to think, or went on after a pause or after the choice of another. While the
            boards play, it is later than now.
        used: the seconds that each seat had used for its decision before ``since``.
        bots: the seats that bots play now.
        pause: the pause of the match, in which no clock runs; None without one.
        outages: the times in which no clock ran.
        holidays: of the players of slow clocks: the seat and the time of each.
        next_number: the number of the next action.
        undone_count: the number of times that actions were taken back.
    """

    clock: Clock
    left: tuple[float, ...]
    deciders: tuple[int, ...]
    since: datetime
    bots: frozenset[int]
    used: tuple[float, ...]
    outages: tuple[Outage, ...] = ()
    holidays: tuple[tuple[int, Holiday], ...] = ()
    pause: Pause | None = None
    next_number: int = 1
    undone_count: int = 0

    @classmethod
    def of_start(cls, clock: Clock, match: Match, at: datetime, outages: tuple[Outage, ...] = ()) -> Self:
        """Return the clocks of a match that begins at that time."""
        seconds, unused = (float(clock.seconds),) * match.players, (0.0,) * match.players
        return cls(clock, seconds, match.deciders, at, _bots(match), unused, outages)

    # ---------------------------------------------------------------------------------------------------------- reading them

    @property
    def all_running(self) -> tuple[int, ...]:
        """The seats whose clocks run, the first one whose time is up first."""
        seats = () if self.pause else [seat for seat in self.deciders if seat not in self.bots]
        return tuple(sorted(seats, key=self._due) if len(seats) > 1 else seats)

    @property
    def running(self) -> int | None:
        """The seat whose clock runs, of several the one whose time is up first; None if none does."""
        return next(iter(self.all_running), None)

    def deadline_of(self, seat: int | None) -> datetime | None:
        """Return when the time of a seat is up; None if its clock doesn't run."""
        if seat is None or seat not in self.all_running:
            return None
        return self._due(seat)

    def _due(self, seat: int) -> datetime:
        return deadline_after(self.since, timedelta(seconds=self.left[seat]), self.still(seat))

    def still(self, seat: int) -> tuple[Outage, ...]:
        """Return the times in which the clock of a seat stands still, also while other seats have to move."""
        if not self.holidays:
            return self.outages
        return _merged([*self.outages, *((each.began_at, each.ended_at) for each in self.holidays_of(seat))])

    def holidays_of(self, seat: int) -> list[Holiday]:
        """Return the holidays of the player of a seat."""
        return [each for k, each in self.holidays if k == seat]

    @property
    def deadline(self) -> datetime | None:
        """When the time of the running clock is up; None if no clock runs."""
        return self.deadline_of(self.running)

    def left_at(self, at: datetime) -> tuple[float, ...]:
        """Return the seconds that each seat has left at that time."""
        return tuple(max(0.0, left - seconds) for left, seconds in zip(self.left, self._elapsed(at), strict=True))

    def still_until(self, at: datetime) -> datetime | None:
        """Return until when no clock runs, because the boards play or after a downtime; None if it is over at that time."""
        until = max([self.since, *(ended for began, ended in self.outages if began <= at)])
        return until if until > at else None

    def _elapsed(self, at: datetime) -> list[float]:
        """Return the seconds that each clock has run since ``since``."""
        running = self.all_running
        return [running_seconds(self.since, at, self.still(k)) if k in running else 0.0 for k in range(len(self.left))]

    # ------------------------------------------------------------------------------------------------------------- following

    def with_play(self, entry: Entry, match: Match) -> Entry:
        """Return a new entry, the last one of ``match``, that says for how many milliseconds the boards play it.

        A later version may play it for another time, so the entry says it. Slow clocks don't need it.
        """
        is_action = match.next_number > self.next_number
        beats = beats_of(match.view(None)) if is_action and self.clock.is_live else 0
        return replace(entry, data={"plays": round(1000 * beats * BEAT_SECONDS)}) if beats else entry

    def after(self, entry: Entry, match: Match) -> Self:
        """Return the clocks after the next entry.

        ``match`` is the match after it. The seconds that a person has thought are noted in it.
        """
        undone = match.undone[self.undone_count :]
        if match.next_number > self.next_number:
            return self._decided(entry, match)
        if undone:
            return self._taken_back([step for each in undone for step in each.steps], entry, match)
        match entry.kind:
            case "pause":
                return replace(self._stopped(entry.at), pause=Pause(entry.seat, entry.at))
            case "resume":
                return replace(self._stopped(entry.at), pause=None)
            case "stand_in":
                return self._taken_over(entry, match)
            case "return":
                return self._returned(entry, match)
            case "swap":
                return replace(self, holidays=tuple(each for each in self.holidays if each[0] != entry.seat))._returned(
                    entry, match
                )
            case "holiday":
                return self._with_holiday(entry)
            case _:
                return self

    def _decided(self, entry: Entry, match: Match) -> Self:
        """Return the clocks after an action. Where several seats choose at the same time, the clocks of the others go on."""
        seat, stopped = entry.seat, self._stopped(entry.at)
        left = stopped.left
        if seat not in self.bots:
            match.note_seconds(stopped.used[seat])
            left = tuple(self.clock.with_increment(each) if k == seat else each for k, each in enumerate(left))
        plays = timedelta(milliseconds=(entry.data or {}).get("plays", 0))  # entries of earlier versions don't say it
        shown = min(stopped.since + plays, entry.at + LONGEST_PLAY)  # after what the boards still play
        return replace(stopped, left=left, since=shown)._at_decision(entry, match, self._others(seat))

    def _others(self, seat: int) -> frozenset[int]:
        """Return the other seats that choose at the same time."""
        return frozenset(self.deciders) - {seat}

    def _taken_back(self, steps: Sequence[Step], entry: Entry, match: Match) -> Self:
        """Return the clocks after actions were taken back, the oldest of them first."""
        of_people = [step for step in steps if step.seconds is not None]
        stopped = self._stopped(entry.at)
        left = list(stopped.left)
        for step in of_people:
            left[step.seat] = max(0.0, left[step.seat] - self.clock.increment)
        waiting = frozenset(self.deciders) - {step.seat for step in steps}
        going_on = frozenset(seat for seat in waiting if all(seat in deciders(match.game, step.before) for step in steps))
        back = replace(stopped, left=tuple(left), since=entry.at)._at_decision(entry, match, going_on)  # boards show this at once
        first = steps[0]
        if self.clock.is_of_seats or first.seconds is None or any(step.seat != first.seat for step in of_people):
            return back
        rest = max(0.0, self.clock.seconds - first.seconds)
        return replace(back, left=tuple(rest if seat == first.seat else each for seat, each in enumerate(back.left)))

    def _stopped(self, at: datetime) -> Self:
        """Return the clocks with the time counted that the running one has used, as if it began again now."""
        used = tuple(each + seconds for each, seconds in zip(self.used, self._elapsed(at), strict=True))
        return replace(self, left=self.left_at(at), used=used, since=max(at, self.since))

    def _at_decision(self, entry: Entry, match: Match, going_on: frozenset[int] = frozenset()) -> Self:
        """Return the clocks at the beginning of the decision that follows an entry. Seats that are ``going_on`` had it before."""
        left = self.left
        if not self.clock.is_of_seats:
            left = tuple(each if seat in going_on else float(self.clock.seconds) for seat, each in enumerate(left))
        return replace(
            self,
            left=left,
            deciders=() if match.ended else match.deciders,
            since=max(entry.at, self.since),
            used=tuple(each if seat in going_on else 0.0 for seat, each in enumerate(self.used)),
            bots=_bots(match),
            next_number=match.next_number,
            undone_count=len(match.undone),
        )

    def _taken_over(self, entry: Entry, match: Match) -> Self:
        """Return the clocks after a bot has taken over a seat."""
        stopped = self._stopped(entry.at) if entry.seat in self.all_running else self
        return replace(stopped._with_time_to_go_on(entry.seat), bots=_bots(match))

    def _returned(self, entry: Entry, match: Match) -> Self:
        """Return the clocks after the owner of a seat has come back. If it is the seat to move, its decision begins now."""
        if entry.seat not in self.deciders:
            return replace(self._with_time_to_go_on(entry.seat), bots=_bots(match))
        stopped = self._stopped(entry.at)
        back = replace(stopped._with_time_to_go_on(entry.seat), bots=_bots(match))
        return back._at_decision(entry, match, self._others(entry.seat))

    def _with_holiday(self, entry: Entry) -> Self:
        """Return the clocks after a player has said when they are on holiday, in place of what they said of that day before."""
        began, ended = (datetime.fromisoformat((entry.data or {})[name]) for name in ("from", "until"))
        others = tuple(each for each in self.holidays if (each[0], each[1].began_at) != (entry.seat, began))
        said = ((entry.seat, Holiday(began, ended)),) if began < ended else ()
        return replace(self, holidays=others + said)

    def _with_time_to_go_on(self, seat: int) -> Self:
        if not self.clock.is_of_seats:
            return self
        left = tuple(max(each, self.clock.one_more) if k == seat else each for k, each in enumerate(self.left))
        return replace(self, left=left)


def _bots(match: Match) -> frozenset[int]:
    """Return the seats that bots play, also for their owners."""
    return frozenset(k for k, seat in enumerate(match.seats) if seat.kind == "bot") | match.stand_ins.keys()
