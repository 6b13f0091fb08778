"""The host's own pages: contact, imprint and house rules; and the lines of the host on all pages."""

from __future__ import annotations

import re
from typing import Final

from markdown_it import MarkdownIt

from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import marked
from meadhall.server.hall.house import House
from meadhall.server.pages.templates import environment
from meadhall.server.web.links import link

PAGES: Final = {
    "/contact": ("contact", marked("Contact")),
    "/imprint": ("imprint", marked("Imprint")),
    "/house-rules": ("rules", marked("House rules")),
}
"""The file and the title of each page, by its path."""

MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")

_ADDRESS: Final = re.compile(r"(https?://[^\s<>\"]*[^\s<>\".,;:!?')\]])")


def house_links(house: House) -> list[tuple[str, str]]:
    """Return the addresses and titles of the pages that the host has written."""
    return [(link(path), _(title)) for path, (name, title) in PAGES.items() if house.has(name)]


environment().globals.update(house_links=house_links, split_at_addresses=_ADDRESS.split)
