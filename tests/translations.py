"""The messages marked for translation, and the catalogues of every language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import IO, NamedTuple

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

import meadhall
from meadhall.cli.authoring import texts_in

SOURCE = Path(meadhall.__file__).parent


def names(file: IO[bytes], keywords: object, tags: object, options: object) -> Iterator[tuple[int, str, str, list[str]]]:
    """Yield the names in a TOML file of a game as messages. Babel calls this as an extraction method."""
    for number, line in enumerate(file.read().decode().splitlines(), 1):
        if name := re.match(r'name = "(.+)"$', line):
            yield number, "gettext", name[1], []


class Part(NamedTuple):
    """A package with separate catalogues: a game, or a part of the rest."""

    name: str
    folder: Path
    catalogues: Path


def packages() -> list[Part]:
    """Return every package that may have catalogues."""
    folders = [path.parent for path in sorted((SOURCE / "games").glob("*/__init__.py"))]
    folders += [path for path in sorted(SOURCE.iterdir()) if (path / "__init__.py").exists() and path.name != "games"]
    return [Part(folder.name, folder, folder / "locale") for folder in folders]


def parts() -> list[Part]:
    """Return the games and the other packages with marked messages."""
    return [part for part in packages() if part.folder.parent.name == "games" or messages(part.folder)]


@cache
def messages(folder: Path) -> dict[str, str]:
    """Return every marked message (for a plural, the singular) with its file and line."""
    found = {}
    for text in texts_in(folder, [("**.toml", "translations:names")]):
        message = text.message if isinstance(text.message, str) else text.message[0]
        found[message] = f"{folder.name}/{text.place}"
    return found


@cache
def catalogue(part: Part, language: str) -> Catalog:
    with (part.catalogues / f"{language}.po").open("rb") as file:
        return read_po(file, locale=language)
