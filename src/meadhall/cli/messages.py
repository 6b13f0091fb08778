"""``meadhall messages``: find the texts of a game that are marked for translation, and keep its catalogues up to date."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from meadhall.cli.console import console
from meadhall.cli.game_source import find_game
from meadhall.engine.errors import how_to_install
from meadhall.engine.game import Game
from meadhall.engine.text.language import LANGUAGES, ngettext
from meadhall.engine.text.language import gettext as _

KEYWORDS: Mapping[str, Any] = {"_": None, "gettext": None, "marked": None, "ngettext": (1, 2)}
_OPTIONS = {"**.html": {"extensions": "jinja2.ext.i18n,jinja2.ext.do", "silent": "false"}}
_HEAD = """\
msgid ""
msgstr ""
"Language: {language}\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plurals};\\n\""""


class Text(NamedTuple):
    """A text that is marked for translation: one message, or its singular and plural."""

    message: str | tuple[str, ...]
    place: str  # "words.py:30"


class Untranslated(NamedTuple):
    """A text without a translation."""

    language: str
    text: Text


def texts_in(folder: Path, more: Sequence[tuple[str, str]] = ()) -> Iterator[Text]:
    """Yield the marked texts of Python files and templates in a folder. Templates need Jinja, which a hall needs, too.

    ``more``: further patterns of files, with Babel's names of what reads them.
    """
    methods = [("**.py", "python"), *([("**.html", "jinja2")] if find_spec("jinja2") else []), *more]
    for name, line, message, _comments, _context in extract_from_dir(
        folder, methods, _OPTIONS, keywords=KEYWORDS, strip_comment_tags=True
    ):
        yield Text(message, f"{name}:{line}")


def untranslated(subject: Game) -> Iterator[Untranslated]:
    """Yield the texts of a game that lack a translation in one of its catalogues. A game without catalogues has none."""
    if subject.folder is None:
        return
    for path in sorted((subject.folder / "locale").glob("*.po")):
        known = _catalogue(path)
        for text in texts_in(subject.folder):
            if not _is_translated(known.get(text.message)):
                yield Untranslated(path.stem, text)


def update_catalogues(
    game: Annotated[str, typer.Argument(help=_("Name of the game, module:attribute, or the folder of its package."))],
    language: Annotated[
        list[str] | None, typer.Option(help=_("Language of the catalogue, e.g. de; by default those that the game has."))
    ] = None,
) -> None:
    """Add the marked texts of a game to its catalogues, and remove those that are no longer used.

    A language without a catalogue gets one.

    Raises:
        typer.BadParameter: the game has no folder, or its templates can't be read; it has no catalogue and no language was named;
            or a language is unknown.
    """
    subject = find_game(game)
    if subject.folder is None:
        raise typer.BadParameter(_("{title} has no folder, so it has no catalogues").format(title=subject.title))
    if find_spec("jinja2") is None and any(subject.folder.rglob("*.html")):
        raise typer.BadParameter(
            _("the templates of {title} can't be read: {command}").format(title=subject.title, command=how_to_install("hall"))
        )
    folder = subject.folder / "locale"
    chosen = language or sorted(path.stem for path in folder.glob("*.po"))
    if not chosen:
        raise typer.BadParameter(_("{title} has no catalogue yet; name a language: --language de").format(title=subject.title))
    for each in chosen:
        if each not in LANGUAGES or each == "en":
            known = ", ".join(name for name in LANGUAGES if name != "en")
            raise typer.BadParameter(
                _("{language} is no language of the hall; there are {known}").format(language=each, known=known)
            )
    folder.mkdir(exist_ok=True)
    for each in chosen:
        _update(folder / f"{each}.po", subject)


def _update(path: Path, subject: Game) -> None:
    """Write a catalogue with all texts of a game, and tell what has changed."""
    assert subject.folder is not None
    language, exists = path.stem, path.exists()
    old, new = _catalogue(path) if exists else Catalog(language), Catalog(language)
    for text in texts_in(subject.folder):
        known = old.get(text.message)
        string = known.string if known is not None and _is_translated(known) else ""
        new.add(text.message, string, locations=[(text.place.rpartition(":")[0], 0)])
    written = BytesIO()
    write_po(written, new, omit_header=True, include_lineno=False, width=0)
    head = path.read_text("utf-8").partition("\n\n")[0] if exists else _HEAD.format(language=language, plurals=new.plural_forms)
    path.write_text(f"{head}\n\n{written.getvalue().decode().strip()}\n", "utf-8")
    missing = sum(not _is_translated(message) for message in new if message.id)
    gone = sum(bool(message.id) and new.get(message.id) is None for message in old)
    told = [
        ngettext("{count} text lacks a translation", "{count} texts lack a translation", missing).format(count=missing),
        ngettext("{count} unused text was removed", "{count} unused texts were removed", gone).format(count=gone),
    ]
    console().print(f"{path.name}: {', '.join(told)}.")


def _catalogue(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=path.stem)


def _is_translated(message: Message | None) -> bool:
    if message is None or message.fuzzy:
        return False
    return all(message.string) if isinstance(message.string, tuple) else bool(message.string)
