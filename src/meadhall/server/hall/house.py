"""Words of the host for everyone: lines on all pages, and the texts in the folder ``house`` beside the database.

A maintenance, in which no match begins and no clock runs, is stored as a downtime of the hall, so clocks know nothing else of it.
"""

from __future__ import annotations

from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Final

import msgspec

from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import gettext as _, marked
from meadhall.server.errors import UnderMaintenance
from meadhall.server.hall.host_deeds import Done
from meadhall.server.hall.switches import Switches
from meadhall.server.store import switches, uptime
from meadhall.server.store.database import Db
from meadhall.server.store.uptime import Downtime

LONGEST: Final = 300
"""Characters of an announcement."""

_LATEST: Final = timedelta(days=90)
"""How far in the future an announcement or a maintenance can end."""


class Notice(msgspec.Struct, frozen=True):
    """A line for everyone until a time: an announcement; or a maintenance, which has no text, and ``begins`` at a time."""

    until: datetime
    begins: datetime | None = None
    text: str = ""
    german: str = ""


PAGES: Final = {
    "/contact": ("contact", marked("Contact")),
    "/imprint": ("imprint", marked("Imprint")),
    "/house-rules": ("rules", marked("House rules")),
}
"""The pages of the host: the name and the title of each, by its path."""


class House:
    """The folder with the texts of the host: contact.md, imprint.md, rules.md, and contact.de.md in German."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def has(self, name: str) -> bool:
        """Return whether the host has written a page: ``contact``, ``imprint`` or ``rules``."""
        return (self._folder / f"{name}.md").is_file()

    def pages(self) -> list[tuple[str, str]]:
        """Return the paths and titles of the pages that the host has written."""
        return [(path, title) for path, (name, title) in PAGES.items() if self.has(name)]

    def read(self, name: str) -> str:
        """Return the text of a file; "" without it."""
        file = self._folder / name
        return file.read_text("utf-8", "replace") if file.is_file() else ""


def told(found: Switches, at: datetime) -> list[Notice]:
    """Return what is told to everyone at a time."""
    stored = [found.values[name] for name in ("maintenance", "announcement") if name in found.values]
    return [each for each in (msgspec.json.decode(value, type=Notice) for value in stored) if each.until > at]


def check_new_match(found: Switches, at: datetime) -> None:
    """Refuse a new match during a maintenance. Raises UnderMaintenance."""
    for each in told(found, at):
        if each.begins is not None and each.begins <= at:
            left = -((at - each.until) // timedelta(minutes=1))
            raise UnderMaintenance(_("No new match begins during the maintenance. It ends in {count} min.").format(count=left))


# ----------------------------------------------------------------------------------------------------------------------- deeds


def announce(db: Db, text: str = "", german: str = "", until: str = "") -> Done:
    """Announce something in place of the last announcement; without a text, nothing any more. Raises BadSetup."""
    if not text.strip():
        switches.put(db, "announcement", None)
        return Done(_("Nothing is announced any more."), subject="ended")
    if max(len(text), len(german)) > LONGEST:
        raise BadSetup(_("An announcement has at most {count} characters.").format(count=LONGEST))
    found = Notice(_checked_end(db, until, db.now()), text=text, german=german)
    switches.put(db, "announcement", msgspec.json.encode(found).decode())
    return Done(_("It stands on all pages until {time}.").format(time=found.until), subject=text)


def plan_maintenance(db: Db, begins: str = "", until: str = "") -> Done:
    """Plan a maintenance in place of the last one; without a beginning, none. One that has begun ends now. Raises BadSetup."""
    before = switches.read(db).get("maintenance")
    if before is not None:
        uptime.cut_downtime(db, msgspec.json.decode(before, type=Notice).begins)
        switches.put(db, "maintenance", None)
    if not begins:
        return Done(_("No maintenance is planned."), subject="ended")
    begin = max(_in_time(begins, db.now()), db.now())
    end = _checked_end(db, until, begin)
    switches.put(db, "maintenance", msgspec.json.encode(Notice(end, begin)).decode())
    uptime.add_downtime(db, Downtime(begin, end))
    return Done(_("Maintenance: {times}").format(times=f"{begin} – {end}"), subject=f"{begin} – {end}")


def _checked_end(db: Db, until: str, after: datetime) -> datetime:
    found = _in_time(until, after)
    if not after < found <= db.now() + _LATEST:
        raise BadSetup(_("The end must be later than the beginning and now, and within {count} days.").format(count=_LATEST.days))
    return found


def _in_time(text: str, after: datetime) -> datetime:
    """Return the time that a form or a command names. ``now`` is ``after``, and a time of day is the next one. Raises BadSetup.

    Without a time zone it is in the one of this machine.
    """
    try:
        if ":" in text[:3]:
            found = datetime.combine(after.astimezone().date(), time.fromisoformat(text.zfill(5))).astimezone()
            return found if found > after else (found.replace(tzinfo=None) + timedelta(days=1)).astimezone()
        return after if text == "now" else datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        raise BadSetup(_("{text} is no time; write now, 21:00, or 2026-11-28T21:00.").format(text=repr(text))) from None
