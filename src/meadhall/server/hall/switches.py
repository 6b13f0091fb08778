"""The switches and quotas of a hall, which its host sets while it runs: ``meadhall host switch``, or the page of the host.

They are read from the database at the start and after each deed of a host, so looking at one costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import gettext as _, marked
from meadhall.server.errors import SwitchedOff
from meadhall.server.hall.host_deeds import Done
from meadhall.server.store import switches
from meadhall.server.store.database import Db
from meadhall.server.store.models import Guest
from meadhall.server.store.store import Store

ON: Final = "on"
ACCOUNTS: Final = "accounts"
OFF: Final = "off"

_DIGITS: Final = 6
"""Digits of the largest quota."""


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
    "evenings": Switch(marked("Evenings: who may open one")),
    "ladder": Switch(marked("Ladder"), usual=OFF, values=(ON, OFF)),
    "hold_newcomers": Switch(marked("New guests from the network of someone shut out wait for a helper"), values=(ON, OFF)),
    "tables_per_guest": Switch(marked("Unfinished tables that a guest may host"), usual="50", values=()),
    "new_in_hour": Switch(marked("New guests and uploaded records from one network address in an hour"), usual="300", values=()),
    "cases_in_day": Switch(marked("Reports of people and lines that a guest may send in a day"), usual="10", values=()),
}


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


def set_switches(db: Db, values: Mapping[str, str]) -> Done:
    """Set switches and quotas by their names, a deed of a host. The answer has the new values. Raises BadSetup."""
    for name, value in values.items():
        known = SWITCHES.get(name)
        if known is None:
            raise BadSetup(_("There is no switch {name}. There are: {names}.").format(name=name, names=", ".join(SWITCHES)))
        is_number = value.isascii() and value.isdecimal() and len(value) <= _DIGITS
        if not (value in known.values if known.values else is_number):
            possible = ", ".join(known.values) or _("a whole number")
            raise BadSetup(_("{name} can be: {values}, not {value}.").format(name=name, values=possible, value=repr(value)))
        switches.put(db, name, value)
    told = ", ".join(f"{name} {value}" for name, value in values.items())
    return Done(told, subject=told)
