"""The switches and quotas of a hall, which its host sets while it runs: ``meadhall host switch``, or the page of the host.

They are read from the database at the start and after each deed of a host, so looking at one costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import marked
from meadhall.server.errors import SwitchedOff
from meadhall.server.hall.host_deeds import Done
from meadhall.server.store import switches
from meadhall.server.store.database import Db
from meadhall.server.store.models import Guest
from meadhall.server.store.store import Store

ON: Final = "on"
ACCOUNTS: Final = "accounts"
OFF: Final = "off"

LARGEST: Final = 1_000_000
"""The largest quota."""


@dataclass(frozen=True)
class Switch:
    """Something that a hall can offer.

    Attributes:
        title: what it is.
        refusal: why a request is refused while it is off.
        values: what the host can choose.
        usual: the value of a new hall.
    """

    title: str
    refusal: str = marked("The host of this hall has switched that off.")
    values: tuple[str, ...] = (ON, ACCOUNTS, OFF)
    usual: str = ON


@dataclass(frozen=True)
class Quota:
    """A number that limits what one guest or address may do. ``usual``: that of a new hall."""

    title: str
    usual: int


SWITCHES: Final[Mapping[str, Switch]] = {
    "new_guests": Switch(marked("New guests"), marked("This hall takes no new guests at the moment.")),
    "chat": Switch(marked("Chat at the tables"), marked("This hall has no chat.")),
    "quick_match": Switch(marked("Find opponents"), marked("This hall finds no opponents for you at the moment.")),
    "reports": Switch(marked("Balance reports of the workshop"), marked("This hall makes no reports.")),
    "prints": Switch(marked("Prints of games"), marked("This hall can't print.")),
    "uploads": Switch(marked("Uploads of records"), marked("This hall takes no records.")),
    "evenings": Switch(marked("Evenings: who may open one")),
    "ladder": Switch(marked("Ladder"), values=(ON, OFF), usual=OFF),
    "hold_newcomers": Switch(marked("New guests from the network of someone shut out wait for a helper"), values=(ON, OFF)),
}

QUOTAS: Final[Mapping[str, Quota]] = {
    "tables_per_guest": Quota(marked("Unfinished tables that a guest may host"), 50),
    "new_in_hour": Quota(marked("New guests and uploaded records from one network address in an hour"), 300),
    "cases_in_day": Quota(marked("Reports of people and lines that a guest may send in a day"), 10),
}

ALL: Final[Mapping[str, Switch | Quota]] = {**SWITCHES, **QUOTAS}
"""The switches and quotas."""


class Switches:
    """What the host of a hall has set.

    Attributes:
        values: each switch, and everything else that is set, by its name. The same mapping as long as the hall runs.
        quotas: each quota by its name.
        version: rises with every change.
    """

    def __init__(self, store: Store) -> None:
        self.values: dict[str, str] = {}
        self.quotas: dict[str, int] = {}
        self.version = 0
        self._store = store
        self.read()

    def read(self) -> bool:
        """Read everything anew. Return whether something has changed. Raises DatabaseUnavailable."""
        found = self._store.transact(switches.read)
        before = dict(self.values)
        self.values.clear()
        self.values.update({name: each.usual for name, each in SWITCHES.items()} | found)
        self.quotas.update({name: int(found.get(name, each.usual)) for name, each in QUOTAS.items()})
        self.version += self.values != before
        return self.values != before

    def allows(self, name: str, guest: Guest) -> bool:
        """Return whether a guest may use what a switch is for."""
        return self.values[name] == ON or (self.values[name] == ACCOUNTS and guest.has_account)

    def check(self, name: str, guest: Guest) -> None:
        """Refuse a guest who may not use what a switch is for. Raises SwitchedOff."""
        if not self.allows(name, guest):
            raise SwitchedOff(self.reason(name))

    def reason(self, name: str) -> str:
        """Return why a guest may not use what a switch is for."""
        if self.values[name] == ACCOUNTS:
            return _("In this hall only people with an account can do that.")
        return _(SWITCHES[name].refusal)


def set_switch(db: Db, name: str, value: str) -> Done:
    """Set a switch or a quota, a deed of a host. The answer is the name and the value. Raises BadSetup."""
    check_switch(name, value)
    switches.put(db, name, value)
    return Done(f"{name} {value}", subject=f"{name} {value}")


def check_switch(name: str, value: str) -> None:
    """Refuse a value that a switch or quota can't have. Raises BadSetup."""
    if name in SWITCHES:
        if value not in SWITCHES[name].values:
            possible = ", ".join(SWITCHES[name].values)
            raise BadSetup(_("{name} can be: {values}, not {value}.").format(name=name, values=possible, value=value))
    elif name not in QUOTAS:
        names = ", ".join(ALL)
        raise BadSetup(_("There is no switch {name}. There are: {names}.").format(name=name, names=names))
    elif not (value.isascii() and value.isdecimal() and int(value[:9]) <= LARGEST):
        words = _("{name} must be a whole number from 0 to {most}, not {value}.")
        raise BadSetup(words.format(name=name, most=LARGEST, value=value))


def value_of(found: Mapping[str, str], name: str) -> str:
    """Return the value of a switch or quota, from everything that is set."""
    return found.get(name, str(ALL[name].usual))
