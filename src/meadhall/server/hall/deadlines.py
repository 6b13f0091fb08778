"""Deadlines of clocks: jobs of the scheduler that are stored with the entries that begin a decision.

A job says only when to look at a table. Whether time is up follows from the clocks, that is from the entries and the downtimes.
So a job that comes too early or twice does no harm: it waits again, or ends. What happens when time is up is stored in the
transaction that ends the job, so it happens once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final, Protocol

from meadhall.engine.errors import MeadhallError
from meadhall.engine.match.match import Match
from meadhall.server.hall.clocks import Clocks, Outage
from meadhall.server.hall.notifications import PAUSE, Notification, notify
from meadhall.server.hall.state import TableState, is_current
from meadhall.server.hall.upkeep.scheduler import Scheduler, at_table
from meadhall.server.hall.uptime import CLOCK_JOB, Uptime
from meadhall.server.store import jobs
from meadhall.server.store.database import Db, Effect
from meadhall.server.store.jobs import Job
from meadhall.server.store.models import Clock

# ------------------------------------------------------------------------------------------------------------- reminders of turns

# When a match reminds a player: it is their turn, or their time is short.
#
# A match with a slow clock, or with none, tells a player of their turn. While a live clock runs, players are expected to stay.
# The time is short at the end of each decision with a clock.


_LIVE_MARGIN: Final = timedelta(seconds=20)
_SLOW_PART: Final = 8
"""The last eighth of a slow clock is short, three hours of a day, but never more than a day."""

_EXTRA: Final = timedelta(days=1)
"""How long after its deadline a message may still be sent: downtimes of the hall move the deadline."""


def margin(clock: Clock) -> timedelta:
    """Return how long before its deadline the time of a decision is short."""
    return _LIVE_MARGIN if clock.is_live else min(timedelta(days=1), timedelta(seconds=clock.seconds) / _SLOW_PART)


@dataclass(frozen=True)
class TurnReminders:
    """Reminders of the players to move, an effect of the transaction that begins their decision.

    Attributes:
        of_seats: for each seat its notifications, each with the time at which it is due, and the guests who hold the seat.
    """

    of_seats: Sequence[tuple[Sequence[tuple[Notification, datetime]], Collection[str]]]

    def __call__(self, db: Db) -> None:
        """Store the notifications."""
        for reminders, guests in self.of_seats:
            for notification, at in reminders:
                notify(db, notification, guests, at)

    @property
    def due_at(self) -> datetime:
        """When the first of them is due."""
        return min(at for reminders, _guests in self.of_seats for _notification, at in reminders)


def reminders_after(before: TableState, after: TableState, looking: Collection[int]) -> TurnReminders | None:
    """Return the reminders of the players to move that a change stores; None if no player needs one.

    ``looking``: the seats to move whose players have a page of the table in front of them. In a match without a clock such
    players aren't reminded.
    """
    match, table = after.match, after.table
    if match is None or match.ended or table.daily is not None:
        return None
    people = [seat for seat in match.deciders if table.seats[seat].kind == "human" and seat not in match.stand_ins]
    found = [(_reminders_of(seat, before, after, match, seat in looking), table.seats[seat].guests) for seat in people]
    of_seats = [(reminders, guests) for reminders, guests in found if reminders]
    return TurnReminders(of_seats) if of_seats else None


def _reminders_of(
    seat: int, before: TableState, after: TableState, match: Match, is_looking: bool
) -> list[tuple[Notification, datetime]]:
    """Return the reminders of one seat, and when they are due."""
    clocks, at, known = after.clocks, after.at, before.match
    deadline = None if clocks is None else clocks.deadline_of(seat)
    reminders: list[tuple[Notification, datetime]] = []
    until = None if deadline is None else max(deadline, at) + _EXTRA
    is_new = known is None or seat not in known.deciders or known.stand_ins.keys() != match.stand_ins.keys()
    if is_new and (not is_looking if clocks is None else deadline is not None and not clocks.clock.is_live):
        reminders.append((Notification("turn", after.table.id, match.next_number, until=until), at + PAUSE))
    if clocks is not None and deadline is not None and deadline != (before.clocks and before.clocks.deadline_of(seat)):
        short_at = deadline - margin(clocks.clock)
        if short_at > at + _LIVE_MARGIN:
            reminders.append((Notification("short", after.table.id, match.next_number, until=until), short_at))
    return reminders


def turn_due(state: TableState, note: Notification, guest: str) -> bool | datetime:
    """Return whether a player still has the decision that they are told of, or from when on their time is short."""
    match, seat, clocks = state.match, state.table.seat_of(guest), state.running_clocks
    if match is None or seat is None or state.table.status != "running" or seat in match.stand_ins:
        return False
    if seat not in match.deciders or not is_current(match, seat, note.number):
        return False
    if note.kind == "turn":
        return True
    deadline = None if clocks is None else clocks.deadline_of(seat)
    return False if deadline is None or clocks is None else deadline - margin(clocks.clock)


# ---------------------------------------------------------------------------------------------------------------------- deadlines


_CLOSE: Final = 2.0
"""Seconds before a deadline from which on the job waits for it."""


class NotUp(MeadhallError):
    """No seat of the table has run out of time."""


class ClockedRoom(Protocol):
    """The parts of a room that its deadlines use."""

    @property
    def deadline(self) -> datetime | None:
        """When the time of the seat to move is up; None if no clock runs."""

    def let_time_be_up(self, job: Job) -> None:
        """Apply the table's rule for the end of the time, and end the job in the same transaction. Raises NotUp."""


def _only_stopped(before: Clocks, after: Clocks) -> bool:
    """Return whether some of several clocks have stopped and the others go on, so that the next deadline is later."""
    stays = set(after.all_running) < set(before.all_running)
    return stays and before.deadline is not None and after.deadline is not None and before.deadline <= after.deadline


class Deadlines:
    """Waits for the deadlines of all tables with a clock."""

    def __init__(self, scheduler: Scheduler, uptime: Uptime) -> None:
        self._scheduler = scheduler
        self._time = scheduler.time
        self._uptime = uptime

    @property
    def outages(self) -> tuple[Outage, ...]:
        """The times in which no clock ran."""
        return self._uptime.outages

    def register(self, room_of: Callable[[str], Awaitable[ClockedRoom]]) -> None:
        """Do the jobs of clocks from now on. ``room_of`` returns the room of a table."""
        self._scheduler.register(CLOCK_JOB, at_table(room_of, self._look))

    def moved(self, before: TableState, after: TableState) -> Effect | None:
        """Return the effect that moves the deadline of a table in the transaction that changes its clocks; None if it stays.

        While a bot plays or the clocks are paused, the old job stays, and also after the first of several seats that choose at
        the same time. It comes too early, and does nothing.
        """
        old, new, table = before.clocks, after.clocks, after.table.id
        if new is None or (old is not None and old.deadline == new.deadline):
            return None
        if not new.deciders:
            return partial(jobs.cancel, kind=CLOCK_JOB, key=table)
        if new.deadline is None or (old is not None and _only_stopped(old, new)):
            return None
        return partial(jobs.put, kind=CLOCK_JOB, key=table, due_at=new.deadline)

    def expect(self, clocks: Clocks | None, reminders: TurnReminders | None) -> None:
        """Let the scheduler look in time after a deadline was moved, and for reminders of the players to move."""
        if reminders is not None:
            self._scheduler.expect(reminders.due_at)
        if clocks is not None and clocks.deadline is not None:
            self._scheduler.expect(clocks.deadline)

    async def _look(self, room: ClockedRoom, job: Job) -> None:
        """Let time be up at a table, or wait for its deadline."""
        self._uptime.beat()  # if the hall was frozen, it learns that before it acts
        while (deadline := room.deadline) is not None:
            left = (deadline - self._time.now()).total_seconds()
            if left > _CLOSE:
                self._scheduler.finish(job, again_at=deadline)
                return
            await self._time.sleep(left)
            try:
                room.let_time_be_up(job)
            except NotUp:  # meanwhile the seat has played, or a downtime was found
                continue
            return
