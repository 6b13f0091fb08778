"""Texts that the host keeps in the folder ``house`` beside the database: contact, imprint, house rules, and security.txt.

They are Markdown, such as ``contact.md``, and ``contact.de.md`` for those who read German. A page exists while its file does.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

LARGEST: Final = 100_000
"""Bytes of a text that are read."""


class House:
    """The folder of the host's texts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def has(self, name: str) -> bool:
        """Return whether there is a page of that name: ``contact``, ``imprint`` or ``rules``."""
        return (self._folder / f"{name}.md").is_file()

    def text(self, name: str, language: str) -> str | None:
        """Return the Markdown of a page, in a language if the host has written it in it; None without the page."""
        return (self.read(f"{name}.{language}.md") or self.read(f"{name}.md")) if self.has(name) else None

    def read(self, name: str) -> str | None:
        """Return a file of the folder; None if it can't be read."""
        try:
            with (self._folder / name).open("rb") as file:
                return file.read(LARGEST).decode("utf-8", "replace")
        except OSError:
            return None
