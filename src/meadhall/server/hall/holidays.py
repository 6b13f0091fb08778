"""Holidays: the slow clocks of a person stand for some days a year, said in advance.

A holiday is stored for the person. Then a job for each running table with a slow clock where they play tells it there: as an
entry of the match, so that the clocks follow from it after a restart. The start of a match stores such a
job, too.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Final

from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import gettext as _, ngettext
from meadhall.server.hall.services import TableRoom
from meadhall.server.hall.state import TableState
from meadhall.server.hall.upkeep.scheduler import Scheduler, at_table
from meadhall.server.store import jobs, tables, uptime
from meadhall.server.store.database import Db, Effect
from meadhall.server.store.jobs import Job
from meadhall.server.store.models import Guest, TableRow
from meadhall.server.store.store import Store
from meadhall.server.store.uptime import Holiday

DAYS_A_YEAR: Final = 20

_JOB: Final = "holiday"
_DAY: Final = timedelta(days=1)


class Holidays:
    """The holidays of all guests."""

    def __init__(self, store: Store, scheduler: Scheduler, room_of: Callable[[str], Awaitable[TableRoom]]) -> None:
        self._store = store
        self._scheduler = scheduler
        scheduler.register(_JOB, at_table(room_of, self._tell))

    def of_guest(self, guest: Guest) -> list[Holiday]:
        """Return the holidays of a guest, past ones, too."""
        return self._store.transact(uptime.holidays_of, [guest.id])

    def take(self, guest: Guest, first: str, last: str) -> None:
        """Let the guest's slow clocks stand from one day to another, given as ISO dates in UTC. Raises BadSetup."""
        now = self._store.time.now()
        wanted = _checked(first, last, now.date())

        def store(db: Db) -> None:
            _check_room(uptime.holidays_of(db, [guest.id]), wanted)
            uptime.add_holiday(db, guest.id, wanted)
            _tell_all(db, guest.id, now)

        self._store.transact(store)
        self._scheduler.expect(now)

    def end(self, guest: Guest, first: str) -> None:
        """End a holiday now, or cancel one that hasn't begun."""
        now = self._store.time.now()
        began_at = datetime.combine(_day(first), datetime.min.time(), UTC)

        def store(db: Db) -> None:
            uptime.end_holiday(db, guest.id, began_at, now)
            _tell_all(db, guest.id, now)

        self._store.transact(store)
        self._scheduler.expect(now)

    def _tell(self, room: TableRoom, _job: Job) -> None:
        """Tell the holidays of its players at a table."""
        if is_slow(room.table):
            room.change(_note, self._store)


def is_slow(table: TableRow) -> bool:
    """Return whether the clocks of a table stand in holidays."""
    return table.clock is not None and not table.clock.is_live


def telling(table: TableRow, at: datetime) -> Effect:
    """Return the effect that lets the holidays of its players be told at a table."""
    return partial(jobs.put, kind=_JOB, key=table.id, due_at=at)


def days_used(taken: Sequence[Holiday], year: int) -> int:
    """Return how many days of a year are holidays."""
    return sum(day.year == year for each in taken for day in _days(each))


def last_day(holiday: Holiday) -> date:
    """Return the last day of a holiday."""
    return (holiday.ended_at - timedelta(microseconds=1)).date()


def _days(holiday: Holiday) -> list[date]:
    first = holiday.began_at.date()
    return [first + k * _DAY for k in range((last_day(holiday) - first).days + 1)]


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadSetup(_("Choose the first and the last day of your holiday.")) from None


def _checked(first: str, last: str, today: date) -> Holiday:
    began, ended = _day(first), _day(last)
    if began <= today:
        raise BadSetup(_("A holiday begins tomorrow at the earliest."))
    if ended < began or (ended - began).days >= 2 * DAYS_A_YEAR or (began - today).days > 366:
        raise BadSetup(_("A holiday begins within a year, and ends on its first day or later."))
    return Holiday(*(datetime.combine(day, datetime.min.time(), UTC) for day in (began, ended + _DAY)))


def _check_room(taken: Sequence[Holiday], wanted: Holiday) -> None:
    """Refuse a holiday that overlaps another one, or makes more days than a year has. Raises BadSetup."""
    if any(each.began_at < wanted.ended_at and wanted.began_at < each.ended_at for each in taken):
        raise BadSetup(_("You are on holiday then already."))
    for year in {day.year for day in _days(wanted)}:
        left = DAYS_A_YEAR - days_used(taken, year)
        if days_used([wanted], year) > left:
            text = ngettext(
                "You have {count} day of holiday left in {year}.", "You have {count} days of holiday left in {year}.", left
            )
            raise BadSetup(text.format(count=left, year=year))


def _tell_all(db: Db, guest: str, at: datetime) -> None:
    for table in tables.unfinished_of(db, guest):
        if is_slow(table) and table.status == "running":
            telling(table, at)(db)


def _ended(holiday: Holiday, at: datetime) -> Holiday:
    """Return a holiday that ends at a time, or never begins. One that is over stays as it was."""
    return Holiday(holiday.began_at, max(holiday.began_at, min(holiday.ended_at, at)))


def _within_limit(taken: Sequence[Holiday], told: Sequence[Holiday], at: datetime) -> list[Holiday]:
    """Return the holidays that count at a seat. A seat may have several guests, but no more days in a year than one of them.

    Those that the table was told of first come first, and what has passed of them stays.
    """
    order = {each.began_at: number for number, each in enumerate(told)}
    days = {day for each in told if each.began_at < at for day in _days(_ended(each, at))}
    counted = []
    for each in sorted(taken, key=lambda each: (order.get(each.began_at, len(told)), each.began_at, each.ended_at)):
        ended_at = each.ended_at
        for day in _days(each):
            if day not in days and sum(other.year == day.year for other in days) >= DAYS_A_YEAR:
                ended_at = datetime.combine(day, datetime.min.time(), UTC)
                break
            days.add(day)
        if each.began_at < ended_at:
            counted.append(Holiday(each.began_at, ended_at))
    return counted


def _note(draft: TableState, store: Store) -> None:
    """Add an entry for each holiday that has changed, and isn't over."""
    if draft.match is None or draft.match.over or draft.clocks is None:
        return
    for row in draft.table.seats if draft.table.status == "running" else ():
        found = store.transact(uptime.holidays_of, row.guests) if row.guests else []
        known = draft.clocks.holidays_of(row.seat)
        taken = {each.began_at: each for each in _within_limit(found, known, draft.at)}
        cancelled = [_ended(each, draft.at) for each in known if each.began_at not in taken]
        for each in (*cancelled, *taken.values()):
            if each not in known and (each.ended_at > draft.at or each.began_at in {one.began_at for one in known}):
                data = {"from": each.began_at.isoformat(), "until": each.ended_at.isoformat()}
                draft.add("holiday", row.seat, data=data)
