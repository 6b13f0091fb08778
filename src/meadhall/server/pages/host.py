"""The words of the pages of hosts and helpers, and of what they let the hall tell a guest."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from meadhall.engine.text.language import gettext as _, marked
from meadhall.server.hall.talk import muted_words
from meadhall.server.store.models import Guest
from meadhall.server.web.links import link

_SECTIONS: Final = (
    ("/host", marked("Cases"), ("helper", "host")),
    ("/host/waiting", marked("New guests"), ("helper", "host")),
    ("/host/switches", marked("Switches"), ("host",)),
    ("/host/log", marked("The log"), ("host",)),
)
"""The sections: their addresses, their titles, and the roles that see them."""


def sections(reader: Guest) -> list[tuple[str, str]]:
    """Return the addresses and titles of the sections that a reader with a role may open."""
    return [(link(path), _(title)) for path, title, roles in _SECTIONS if reader.role in roles]


def personal_news(guest: Guest, now: datetime) -> list[str]:
    """Return what the next page tells a guest once, in words."""
    reason = " " + _("Reason: {reason}").format(reason=guest.reason) if guest.reason else ""
    words = {
        "renamed": _("A helper of this hall has given you another name: {name}.").format(name=guest.name) + reason,
        "muted": muted_words(guest) if guest.muted_until is not None and guest.muted_until > now else "",
        "acted": _("Something was done about what you have reported. Thank you."),
        "unfounded": _("The helpers have looked at what you have reported, and saw no reason to do something."),
    }
    told = guest.told.split() if (guest.closed_until or now) <= now else ()  # who is shut out reads only that
    return [words[key] for key in told if words.get(key)]
