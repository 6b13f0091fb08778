"""The clocks of a match. They follow from the clock of its table, its entries with their times, and the downtimes of the hall.

Only people have clocks. A seat's clock runs from the beginning of its decision to its action. It stands still while a bot plays
the seat, while the clocks are paused, and while the hall was down.

Time that a seat has used stays used when it takes back its action, and the increment goes with the action. Otherwise a seat could
gain time by taking back and playing again. On a clock with a time for each decision, a decision has its full time again if
another person has played since: then the others have agreed to the take-back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Self

from meadhall.engine.match import Match, Step
from meadhall.server.store.clock import Clock
from meadhall.server.store.models import Downtime, Entry

ONE_MORE_MINUTE: Final = 60.0
"""Seconds that a seat has after a bot has played a decision for it, or has left it."""

COME_BACK: Final = timedelta(seconds=20)
"""How long no clock runs after a downtime, so that pages can connect again."""

Standstill = tuple[datetime, datetime]
"""A time in which no clock ran: its beginning and its end."""


def standstills(downtimes: Iterable[Downtime]) -> tuple[Standstill, ...]:
    """Return the times in which no clock ran, in order and without overlaps."""
    found: list[Standstill] = []
    for downtime in sorted(downtimes, key=lambda each: each.began_at):
        began, ended = downtime.began_at, downtime.ended_at + COME_BACK
        if found and began <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], ended)
        else:
            found.append((began, ended))
    return tuple(found)


def running_seconds(since: datetime, until: datetime, standstills: Sequence[Standstill]) -> float:
    """Return the seconds between two times in which clocks ran; 0 if the second is earlier: clocks of machines may differ."""
    seconds = (until - since).total_seconds()
    for began, ended in reversed(standstills):
        if ended <= since:
            break
        seconds -= max(0.0, (min(ended, until) - max(began, since)).total_seconds())
    return max(0.0, seconds)


def deadline_after(since: datetime, time: timedelta, standstills: Iterable[Standstill]) -> datetime:
    """Return the deadline of a time that begins at ``since``. Standstills don't count."""
    deadline = since + time
    for began, ended in standstills:
        if ended > since and began < deadline:
            deadline += ended - max(began, since)
    return deadline


@dataclass(frozen=True)
class Clocks:
    """The clocks of a match after some entries.

    Attributes:
        clock: the clock of the table.
        left: the seconds that each seat had left at ``since``.
        actor: the seat to move; None when the match has ended.
        since: when the seat to move began to think, or went on after a pause.
        used: the seconds that it had used for this decision before ``since``.
        bots: the seats that bots play now.
        is_paused: whether the clocks are paused.
        standstills: the times in which no clock ran.
        next_number: the number of the next action.
        undone_count: the number of times that actions were taken back.
    """

    clock: Clock
    left: tuple[float, ...]
    actor: int | None
    since: datetime
    bots: frozenset[int]
    standstills: tuple[Standstill, ...] = ()
    used: float = 0.0
    is_paused: bool = False
    next_number: int = 1
    undone_count: int = 0

    @classmethod
    def of_start(cls, clock: Clock, match: Match, at: datetime, standstills: tuple[Standstill, ...] = ()) -> Self:
        """Return the clocks of a match that begins at that time."""
        return cls(clock, (float(clock.seconds),) * match.players, match.actor, at, _bots(match), standstills)

    # ---------------------------------------------------------------------------------------------------------- reading them

    @property
    def running(self) -> int | None:
        """The seat whose clock runs; None if none does."""
        return None if self.is_paused or self.actor in self.bots else self.actor

    @property
    def deadline(self) -> datetime | None:
        """When the time of the running clock is up; None if no clock runs."""
        if self.running is None:
            return None
        return deadline_after(self.since, timedelta(seconds=self.left[self.running]), self.standstills)

    def left_at(self, at: datetime) -> tuple[float, ...]:
        """Return the seconds that each seat has left at that time."""
        running, seconds = self.running, self._elapsed(at)
        return tuple(max(0.0, left - seconds) if seat == running else left for seat, left in enumerate(self.left))

    def stands_still_until(self, at: datetime) -> datetime | None:
        """Return the end of the standstill after a downtime, if one lasts at that time."""
        return next((ended for began, ended in reversed(self.standstills) if began <= at < ended), None)

    def _elapsed(self, at: datetime) -> float:
        return 0.0 if self.running is None else running_seconds(self.since, at, self.standstills)

    # ------------------------------------------------------------------------------------------------------------- following

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
            case "pause" | "resume":
                return replace(self._stopped(entry.at), is_paused=entry.kind == "pause")
            case "stand_in":
                return self._taken_over(entry, match)
            case "return" | "swap":
                return self._returned(entry, match)
            case _:
                return self

    def _decided(self, entry: Entry, match: Match) -> Self:
        """Return the clocks after an action."""
        seat, gained = entry.seat, 0
        stopped = self
        if seat not in self.bots:
            stopped = self._stopped(entry.at)
            match.note_seconds(stopped.used)
            gained = self.clock.increment
        left = tuple(each + gained if k == seat else each for k, each in enumerate(stopped.left))
        return replace(stopped, left=left)._at_decision(entry, match)

    def _taken_back(self, steps: Sequence[Step], entry: Entry, match: Match) -> Self:
        """Return the clocks after actions were taken back, the oldest of them first."""
        of_people = [step for step in steps if step.seconds is not None]
        stopped = self._stopped(entry.at)
        left = list(stopped.left)
        for step in of_people:
            left[step.seat] = max(0.0, left[step.seat] - self.clock.increment)
        back = replace(stopped, left=tuple(left))._at_decision(entry, match)
        first = steps[0]
        if self.clock.kind == "seat" or first.seconds is None or any(step.seat != first.seat for step in of_people):
            return back
        rest = max(0.0, self.clock.seconds - first.seconds)
        return replace(back, left=tuple(rest if seat == first.seat else each for seat, each in enumerate(back.left)))

    def _stopped(self, at: datetime) -> Self:
        """Return the clocks with the time counted that the running one has used, as if it began again now."""
        seconds = self._elapsed(at)
        return replace(self, left=self.left_at(at), used=self.used + seconds, since=max(at, self.since))

    def _at_decision(self, entry: Entry, match: Match) -> Self:
        """Return the clocks at the beginning of the decision that follows an entry."""
        left = self.left
        if self.clock.kind != "seat":
            left = (float(self.clock.seconds),) * len(left)
        return replace(
            self,
            left=left,
            actor=None if match.ended else match.actor,
            since=max(entry.at, self.since),
            used=0.0,
            bots=_bots(match),
            next_number=match.next_number,
            undone_count=len(match.undone),
        )

    def _taken_over(self, entry: Entry, match: Match) -> Self:
        """Return the clocks after a bot has taken over a seat."""
        stopped = self._stopped(entry.at) if entry.seat == self.running else self
        return replace(stopped._with_one_more_minute(entry.seat), bots=_bots(match))

    def _returned(self, entry: Entry, match: Match) -> Self:
        """Return the clocks after the owner of a seat has come back. If it is the seat to move, its decision begins now."""
        back = replace(self._with_one_more_minute(entry.seat), bots=_bots(match))
        return back._at_decision(entry, match) if entry.seat == self.actor else back

    def _with_one_more_minute(self, seat: int) -> Self:
        if self.clock.kind != "seat":
            return self
        left = tuple(max(each, ONE_MORE_MINUTE) if k == seat else each for k, each in enumerate(self.left))
        return replace(self, left=left)


def _bots(match: Match) -> frozenset[int]:
    """Return the seats that bots play, also for their owners."""
    return frozenset(k for k, seat in enumerate(match.seats) if seat.kind == "bot") | match.stand_ins.keys()
