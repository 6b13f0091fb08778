"""What is marked for translation, and how each language translates it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

import meadhall

SOURCE = Path(meadhall.__file__).parent
METHODS = [("**.py", "python"), ("**.html", "jinja2")]
KEYWORDS = {"_": None, "gettext": None, "marked": None, "ngettext": (1, 2)}


class Part(NamedTuple):
    """A part of the hall with catalogues of its own: a game, or the rest."""

    name: str
    folder: Path
    catalogues: Path


def parts() -> list[Part]:
    games = [path.parent for path in sorted((SOURCE / "games").glob("*/__init__.py"))]
    own = [Part(folder.name, folder, folder / "locale") for folder in games]
    others = [path for path in sorted(SOURCE.iterdir()) if (path / "__init__.py").exists() and path.name != "games"]
    return own + [Part(folder.name, folder, folder / "locale") for folder in others if messages(folder)]


def messages(folder: Path) -> dict[str, str]:
    """Every marked message (of a plural: the singular), and where it stands."""
    found = {}
    extracted = extract_from_dir(
        folder,
        METHODS,
        {"**.html": {"extensions": "jinja2.ext.i18n,jinja2.ext.do", "silent": "false"}},
        keywords=KEYWORDS,
        strip_comment_tags=True,
    )
    for name, line, message, _, _ in extracted:
        found[message[0] if isinstance(message, tuple) else message] = f"{folder.name}/{name}:{line}"
    return found


def catalogue(part: Part, language: str) -> Catalog:
    with (part.catalogues / f"{language}.po").open("rb") as file:
        return read_po(file, locale=language)
