"""What the host tells everyone on all pages: an announcement, and a maintenance, in which no match begins and no clock runs.

A maintenance is stored as a downtime of the hall, so clocks know nothing else of it.
"""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Final, TypeVar

import msgspec

from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import UnderMaintenance
from meadhall.server.hall.host_deeds import Done
from meadhall.server.hall.switches import Switches
from meadhall.server.store import switches, uptime
from meadhall.server.store.database import Db
from meadhall.server.store.uptime import Downtime

T = TypeVar("T", bound="Announcement | Maintenance")

LONGEST: Final = 300
"""Characters of an announcement."""

LATEST: Final = timedelta(days=90)
"""How far in the future an announcement or a maintenance can end."""


class Announcement(msgspec.Struct, frozen=True):
    """A line for everyone until a time. ``german``: the same in German; "" if it is shown as it is."""

    text: str
    german: str
    until: datetime


class Maintenance(msgspec.Struct, frozen=True):
    """A time in which no match begins and no clock runs."""

    begins: datetime
    until: datetime


def told(found: Switches, kind: type[T], at: datetime) -> T | None:
    """Return the announcement or the maintenance that is told at a time; None without one, and after its end."""
    value = found.values.get(kind.__name__.lower())
    known = None if value is None else msgspec.json.decode(value, type=kind)
    return known if known is not None and known.until > at else None


def check_new_match(found: Switches, at: datetime) -> None:
    """Refuse a new match during a maintenance. Raises UnderMaintenance."""
    maintenance = told(found, Maintenance, at)
    if maintenance is not None and maintenance.begins <= at:
        left = -((at - maintenance.until) // timedelta(minutes=1))
        raise UnderMaintenance(_("No new match begins during the maintenance. It ends in {count} min.").format(count=left))


# ----------------------------------------------------------------------------------------------------------------------- deeds


def announce(db: Db, text: str, german: str = "", until: str = "") -> Done:
    """Announce something in place of the last announcement; without a text, nothing any more. Raises BadSetup."""
    text, german = (" ".join(each.split()) for each in (text, german))
    if not text:
        switches.put(db, "announcement", None)
        return Done(subject="ended")
    if max(len(text), len(german)) > LONGEST:
        raise BadSetup(_("An announcement has at most {count} characters.").format(count=LONGEST))
    found = Announcement(text, german, _checked_end(db, until))
    switches.put(db, "announcement", msgspec.json.encode(found).decode())
    return Done(found.until.isoformat(), subject=found.text)


def plan_maintenance(db: Db, begins: str = "", until: str = "") -> Done:
    """Plan a maintenance in place of the last one; without a beginning, none. One that has begun ends now. Raises BadSetup."""
    before = switches.read(db).get("maintenance")
    if before is not None:
        uptime.cut_downtime(db, msgspec.json.decode(before, type=Maintenance).begins)
        switches.put(db, "maintenance", None)
    if not begins:
        return Done(subject="ended")
    found = Maintenance(max(begin := _in_time(begins, db.now()), db.now()), _checked_end(db, until, begin))
    if found.begins >= found.until:
        raise BadSetup(_("A maintenance must end after it begins."))
    switches.put(db, "maintenance", msgspec.json.encode(found).decode())
    uptime.add_downtime(db, Downtime(found.begins, found.until))
    times = [found.begins.isoformat(), found.until.isoformat()]
    return Done(times, subject=" – ".join(times))


def _checked_end(db: Db, until: str, after: datetime | None = None) -> datetime:
    found = _in_time(until, after or db.now())
    if not db.now() < found <= db.now() + LATEST:
        raise BadSetup(_("The end must be in the future, and within {count} days.").format(count=LATEST.days))
    return found


def _in_time(text: str, after: datetime) -> datetime:
    """Return the time that a form or a command names. ``now`` is ``after``, and a time of day is the next one. Raises BadSetup.

    Without a time zone it is in the one of this machine.
    """
    if text == "now":
        return after
    try:
        if ":" in text[:3]:
            found = datetime.combine(after.astimezone().date(), time.fromisoformat(text.zfill(5))).astimezone()
            return found if found > after else (found.replace(tzinfo=None) + timedelta(days=1)).astimezone()
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        raise BadSetup(_("{text} is no time; write now, 21:00, or 2026-11-28T21:00.").format(text=repr(text))) from None
