"""What the host tells on all pages, and the pages that the host writes: contact, imprint and house rules."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from markdown_it import MarkdownIt

from meadhall.engine.text.language import current_language, marked
from meadhall.engine.text.language import gettext as _
from meadhall.pictures.regions import encoded
from meadhall.pictures.templates import as_markup
from meadhall.server.errors import NotFound
from meadhall.server.hall.announcements import Announcement, Maintenance, told
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.house import House
from meadhall.server.pages.clock import moment
from meadhall.server.pages.models import Moment
from meadhall.server.pages.templates import environment, template
from meadhall.server.web.links import link

_ADDRESS: Final = re.compile(r"(https?://[^\s<>\"]*[^\s<>\".,;:!?')\]])")


@dataclass(frozen=True)
class Told:
    """A line on all pages: an announcement, or a maintenance that ``begins``.

    Attributes:
        until: when it ends.
        parts: the text, whose parts at odd places are addresses; empty for a maintenance.
        begins: when the maintenance begins.
    """

    until: Moment
    parts: tuple[str, ...] = ()
    begins: Moment | None = None


def told_now(hall: Hall) -> list[Told]:
    """Return what the host tells everyone now, in the current language."""
    found: list[Told] = []
    now = hall.time.now()
    if (maintenance := told(hall.switches, Maintenance, now)) is not None:
        found.append(Told(moment(maintenance.until), begins=moment(maintenance.begins)))
    if (line := told(hall.switches, Announcement, now)) is not None:
        words = (line.german or line.text) if current_language() == "de" else line.text
        found.append(Told(moment(line.until), tuple(_ADDRESS.split(words))))
    return found


def told_message(hall: Hall) -> bytes:
    """Return the same as HTML, for the stream of a page that is open."""
    return encoded(template("_told.html").render(told=told_now(hall)))


PAGES: Final = {
    "/contact": ("contact", marked("Contact")),
    "/imprint": ("imprint", marked("Imprint")),
    "/house-rules": ("rules", marked("House rules")),
}
"""The pages that the host writes: the file and the title of each, by its path."""


def house_links(house: House) -> list[tuple[str, str]]:
    """Return the addresses and titles of the pages that the host has written."""
    return [(link(path), _(title)) for path, (name, title) in PAGES.items() if house.has(name)]


def house_page(house: House, path: str) -> dict[str, Any]:
    """Return the title and the HTML of a page that the host has written. Raises NotFound."""
    name, title = PAGES[path]
    text = house.text(name, current_language())
    if text is None:
        raise NotFound(_("There is no page at this address."))
    return {"title": _(title), "text": as_markup(_MARKDOWN.render(text))}


_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")

environment().globals.update(house_links=house_links)


def robots() -> str:
    """Return robots.txt (RFC 9309): programs may list the front page, the rules and the host's pages, but no tables."""
    allowed = (f"{link('/')}$", *map(link, ("/rules/", "/static/", "/tiles/", *PAGES)))
    return "\n".join(["User-agent: *", *(f"Allow: {path}" for path in allowed), f"Disallow: {link('/')}", ""])


def security(house: House, url: str, at: datetime) -> str | None:
    """Return security.txt (RFC 9116): the host's, or one that leads to the contact; None without both.

    It expires after 30 days unless the host's says when. ``url``: the address of the hall.
    """
    text = house.read("security.txt") or (f"Contact: {url}/contact\n" if house.has("contact") else None)
    if text is None or re.search("^Expires:", text, re.MULTILINE | re.IGNORECASE):
        return text
    return f"{text.rstrip()}\nExpires: {at.astimezone(UTC) + _SECURITY_LASTS:%Y-%m-%dT00:00:00Z}\n"


_SECURITY_LASTS: Final = timedelta(days=30)
