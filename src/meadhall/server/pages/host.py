"""The models of the pages of hosts and helpers."""

from __future__ import annotations

from typing import Final

from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import marked
from meadhall.server.store.models import Guest
from meadhall.server.web.links import link

_SECTIONS: Final = (
    ("/host", marked("Cases"), ("helper", "host")),
    ("/host/announcements", marked("Announcements"), ("host",)),
    ("/host/switches", marked("Switches"), ("host",)),
    ("/host/log", marked("Log"), ("host",)),
)
"""The sections: their addresses, their titles, and the roles that see them."""


def sections(reader: Guest) -> list[tuple[str, str]]:
    """Return the addresses and titles of the sections that a reader with a role may open."""
    return [(link(path), _(title)) for path, title, roles in _SECTIONS if reader.role in roles]
