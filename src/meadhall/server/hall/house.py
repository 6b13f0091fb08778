"""What the host of a hall sets while it runs: switches and quotas, lines on all pages; and the pages that the host writes.

All but the pages is read from the database at the start and after each deed of a host, so looking at it costs nothing. The pages
are Markdown files in the folder ``house`` beside the database. A maintenance, in which no match begins and no clock runs, is
stored as a downtime of the hall, so clocks know nothing else of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Final

import msgspec

from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import gettext as _, marked
from meadhall.server.errors import SwitchedOff, UnderMaintenance
from meadhall.server.store import switches, uptime
from meadhall.server.store.database import Db
from meadhall.server.store.host_log import Done
from meadhall.server.store.models import Guest
from meadhall.server.store.store import Store

ON: Final = "on"
ACCOUNTS: Final = "accounts"
OFF: Final = "off"

LONGEST: Final = 300
"""Characters of an announcement."""

_LATEST: Final = timedelta(days=90)
"""How far in the future an announcement or a maintenance can end."""


@dataclass(frozen=True)
class Switch:
    """Something that a hall offers, or a quota: a number that limits what one guest or address may do.

    Attributes:
        title: what it is.
        refusal: why a request is refused while it is off.
        usual: the value of a new hall.
        values: what the host can choose; empty for a quota.
    """

    title: str
    refusal: str = marked("The host of this hall has switched that off.")
    usual: str = ON
    values: tuple[str, ...] = (ON, ACCOUNTS, OFF)


SWITCHES: Final[Mapping[str, Switch]] = {
    "new_guests": Switch(marked("New guests"), marked("This hall takes no new guests at the moment.")),
    "chat": Switch(marked("Chat at the tables"), marked("This hall has no chat.")),
    "quick_match": Switch(marked("Find opponents"), marked("This hall finds no opponents for you at the moment.")),
    "reports": Switch(marked("Balance reports of the workshop"), marked("This hall makes no reports.")),
    "prints": Switch(marked("Prints of games"), marked("This hall can't print.")),
    "uploads": Switch(marked("Uploads of records"), marked("This hall takes no records.")),
    "evenings": Switch(marked("Opening of evenings")),
    "ladder": Switch(marked("Ladder"), usual=OFF, values=(ON, OFF)),
    "hold_newcomers": Switch(marked("New guests from the network of someone shut out wait for a helper"), values=(ON, OFF)),
    "tables_per_guest": Switch(marked("Unfinished tables that a guest may host"), usual="50", values=()),
    "new_in_hour": Switch(marked("New guests and uploaded records from one network address in an hour"), usual="300", values=()),
    "cases_in_day": Switch(marked("Reports of people and lines that a guest may send in a day"), usual="10", values=()),
}


class Notice(msgspec.Struct, frozen=True):
    """A line for everyone until a time: an announcement; or a maintenance, which has no text, and ``begins`` at a time."""

    until: datetime
    begins: datetime | None = None
    text: str = ""
    german: str = ""


class Switches:
    """The settings of the host of a hall.

    Attributes:
        values: the value of each switch, and everything else that is set, by its name. The same mapping as long as the hall runs.
        version: rises with every change.
    """

    def __init__(self, store: Store) -> None:
        self.values: dict[str, str] = {}
        self.version = 0
        self._store = store
        self.read()

    def read(self) -> bool:
        """Read everything again. Return whether something has changed. Raises DatabaseUnavailable."""
        found = {name: each.usual for name, each in SWITCHES.items()} | self._store.transact(switches.read)
        if found == self.values:
            return False
        self.values.clear()
        self.values.update(found)
        self.version += 1
        return True

    def quota(self, name: str) -> int:
        """Return a quota."""
        return int(self.values[name])

    def allows(self, name: str, guest: Guest) -> bool:
        """Return whether a switch is on for a guest."""
        return self.values[name] == ON or (self.values[name] == ACCOUNTS and guest.has_account)

    def check(self, name: str, guest: Guest) -> None:
        """Refuse a guest for whom a switch is off. Raises SwitchedOff."""
        if not self.allows(name, guest):
            raise SwitchedOff(self.reason(name))

    def reason(self, name: str) -> str:
        """Return why a switch is off for a guest."""
        accounts_only = self.values[name] == ACCOUNTS
        return _("In this hall only people with an account can do that.") if accounts_only else _(SWITCHES[name].refusal)

    def told(self) -> list[Notice]:
        """Return what is told to everyone now."""
        stored = filter(None, (self.values.get(name) for name in ("maintenance", "announcement")))
        notices = (msgspec.json.decode(value, type=Notice) for value in stored)
        return [each for each in notices if each.until > self._store.time.now()]

    def check_new_match(self) -> None:
        """Refuse a new match during a maintenance. Raises UnderMaintenance."""
        at = self._store.time.now()
        for each in self.told():
            if each.begins is not None and each.begins <= at:
                left = -((at - each.until) // timedelta(minutes=1))
                raise UnderMaintenance(
                    _("No new match begins during the maintenance. It ends in {count} min.").format(count=left)
                )


PAGES: Final = {
    "/contact": ("contact", marked("Contact")),
    "/imprint": ("imprint", marked("Imprint")),
    "/house-rules": ("rules", marked("House rules")),
}
"""The pages of the host: the name and the title of each, by its path."""


@dataclass(frozen=True)
class House:
    """The folder with the texts of the host: contact.md, imprint.md, rules.md, and contact.de.md in German."""

    folder: Path

    def has(self, name: str) -> bool:
        """Return whether the host has written a page: ``contact``, ``imprint`` or ``rules``."""
        return (self.folder / f"{name}.md").is_file()

    def pages(self) -> list[tuple[str, str]]:
        """Return the paths and titles of the pages that the host has written."""
        return [(path, title) for path, (name, title) in PAGES.items() if self.has(name)]

    def read(self, name: str) -> str:
        """Return the text of a file; "" without it."""
        file = self.folder / name
        return file.read_text("utf-8", "replace") if file.is_file() else ""


# ----------------------------------------------------------------------------------------------------------------------- deeds


def set_switches(db: Db, values: Mapping[str, str]) -> Done:
    """Set switches and quotas by their names, a deed of a host. The answer has the new values. Raises BadSetup."""
    for name, value in values.items():
        known = SWITCHES.get(name)
        if known is None:
            raise BadSetup(_("There is no switch {name}. There are: {names}.").format(name=name, names=", ".join(SWITCHES)))
        if not (value in known.values if known.values else re.fullmatch("[0-9]{1,6}", value)):
            possible = ", ".join(known.values) or _("a whole number")
            raise BadSetup(_("{name} can be: {values}, not {value}.").format(name=name, values=possible, value=repr(value)))
        switches.put(db, name, value)
    told = ", ".join(f"{name} {value}" for name, value in values.items())
    return Done(told, subject=told)


def announce(db: Db, text: str = "", german: str = "", until: str = "") -> Done:
    """Announce something in place of the last announcement; without a text, nothing any more. Raises BadSetup."""
    if not text.strip():
        switches.put(db, "announcement", "")
        return Done(_("Nothing is announced any more."), subject="ended")
    if max(len(text), len(german)) > LONGEST:
        raise BadSetup(_("An announcement has at most {count} characters.").format(count=LONGEST))
    found = Notice(_checked_end(db, until, db.now()), text=text, german=german)
    switches.put(db, "announcement", msgspec.json.encode(found).decode())
    return Done(_("It stands on all pages until {time}.").format(time=found.until), subject=text)


def plan_maintenance(db: Db, begins: str = "", until: str = "") -> Done:
    """Plan a maintenance in place of the last one; without a beginning, none. One that has begun ends now. Raises BadSetup."""
    before = switches.read(db).get("maintenance")
    if before:
        uptime.cut_downtime(db, msgspec.json.decode(before, type=Notice).begins)
        switches.put(db, "maintenance", "")
    if not begins:
        return Done(_("No maintenance is planned."), subject="ended")
    begin = max(_in_time(begins, db.now()), db.now())
    end = _checked_end(db, until, begin)
    switches.put(db, "maintenance", msgspec.json.encode(Notice(end, begin)).decode())
    uptime.add_downtime(db, begin, end)
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
