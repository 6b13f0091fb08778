"""``meadhall new-game`` and ``meadhall messages``: write the package of a new game, and keep the catalogues of a game up to date.

A new game is a copy of an example or of an installed game under another name. The examples are Pig, whose dice all see, Pig with
nothing but its rules, and Liar's Dice, whose dice are hidden. A game is found by its name, by ``module:attribute``, or by the
folder of its package.
"""

from __future__ import annotations

import importlib
import keyword
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from meadhall.cli.console import console
from meadhall.engine.errors import BrokenGame, UnknownGame, how_to_install
from meadhall.engine.game import Game
from meadhall.engine.interface import title_of
from meadhall.engine.registry import GROUP, PlayableGame, game as game_of, game_names, register
from meadhall.engine.rulebook import rule_ids
from meadhall.engine.text.language import LANGUAGES, gettext as _, ngettext

_SUFFIXES = (".css", ".html", ".md", ".po", ".py", ".toml")
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_LONGEST = 40


@dataclass(frozen=True)
class Example:
    """An example to copy.

    Attributes:
        folders: the folders of its files, below the folder of all examples. Files of later ones replace those of earlier ones.
        names: a pattern for its names in its files: of its module, of the game in addresses and records, for people, in rule ids.
        only: the files that are copied from the first folder; all if empty.
    """

    folders: tuple[str, ...]
    names: re.Pattern[str]
    only: tuple[str, ...] = ()


_PIG_NAMES = re.compile(
    r"(?P<module>(?<=from )pig\b|(?<=src/)pig\b|\bpig(?=:game)|(?<=test_)pig(?=\.py))"
    r"|(?P<name>\bpig\b)|(?P<title>\bPig\b)|(?P<prefix>\bPG(?=-))"
)
_LIARS_DICE_NAMES = re.compile(
    r"(?P<module>(?<![a-z])liars_dice\b|(?<=test_)liars_dice(?=\.py))"
    r"|(?P<name>\bliars-dice\b)|(?P<title>\bLiar's Dice\b)|(?P<prefix>\bLD(?=-))"
)

PIG = Example(("pig",), _PIG_NAMES)
BARE = Example(("pig", "bare"), _PIG_NAMES, only=("pyproject.toml", "src/pig/rules.py"))
HIDDEN = Example(("liars-dice",), _LIARS_DICE_NAMES)


def write_game(
    name: Annotated[str, typer.Argument(help=_("Name of the game in addresses and records, e.g. liars-dice."))],
    title: Annotated[str | None, typer.Option(help=_("Its name for people; by default made from the name."))] = None,
    bare: Annotated[
        bool, typer.Option("--bare", help=_("Only the rules and the declaration, without words, page and bot."))
    ] = False,
    hidden: Annotated[
        bool, typer.Option("--hidden", help=_("A game in which each player has something that the others don't see."))
    ] = False,
    source: Annotated[
        str | None, typer.Option("--from", help=_("Copy this game, with all that belongs to it."), metavar="GAME")
    ] = None,
) -> None:
    """Write the package of a game into a new folder of that name, and tell the next commands.

    Raises typer.BadParameter if the name can't be used, or the folder exists.
    """
    if bare + hidden + (source is not None) > 1:
        raise typer.BadParameter(_("choose one of --bare, --hidden and --from"))
    module = name.replace("-", "_")
    title = title_of(name) if title is None else title.strip()
    for objection in _objections(name, module, title):
        raise typer.BadParameter(objection)
    new = {"module": module, "name": name, "title": title, "prefix": prefix(name)}
    files = _copied(game_of(source), new) if source else _renamed(BARE if bare else HIDDEN if hidden else PIG, new)
    for path, content in files.items():
        target = Path(name, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    out = console()
    said = ngettext("Wrote {count} file into {folder}/.", "Wrote {count} files into {folder}/.", len(files))
    out.print(said.format(count=len(files), folder=name))
    said = _("It is a small game that works: play it, then change it into yours. Next:")
    if source:
        said = _("It plays like {game}: change it into yours. Next:").format(game=game_of(source).title)
    out.print(said, "", sep="\n")
    for command in (f"cd {name}", "pip install -e .", f"meadhall check {name}", "meadhall serve --dev"):
        out.print(f"    {command}")


def prefix(name: str) -> str:
    """Return the prefix of the rule ids of a game: two letters of its name."""
    words = name.split("-")
    if len(words) > 1:
        letters = "".join(word[0] for word in words[:2])
    else:
        letters = name[0] + next((letter for letter in name[1:] if letter not in "aeiou"), name[-1])
    return letters.upper() if letters.isalpha() else letters[0].upper() + "X"


def _objections(name: str, module: str, title: str) -> Iterator[str]:
    """Yield why a game can't be written under this name."""
    if not _NAME.fullmatch(name):
        yield _("{name} can't be the name of a game: use small letters, digits and single hyphens, e.g. liars-dice").format(
            name=repr(name)
        )
    if not 2 <= len(name) <= _LONGEST:
        yield _("the name of a game has 2 to {most} characters, not {count}").format(most=_LONGEST, count=len(name))
    if Path(name).exists():
        yield _("{folder} exists already; nothing was written").format(folder=Path(name).absolute())
    if name in game_names():
        yield _("there is a game {name} already; choose another name").format(name=name)
    if keyword.iskeyword(module) or module in sys.stdlib_module_names or find_spec(module) is not None:
        yield _("a Python module {module} exists already; choose another name").format(module=module)
    if not title or len(title) > _LONGEST or not title.isprintable() or set(title) & set("\"'\\{}<>&"):
        yield _("the title must be plain text of 1 to {most} characters").format(most=_LONGEST)


def _copied(source: Game, new: dict[str, str]) -> dict[Path, bytes]:
    """Return the files of a game's package under the new names, with the project file of an example.

    Raises typer.BadParameter if the game has no package to copy.
    """
    package, ids = str(getattr(source.rules, "__name__", "")).rpartition(".")[0], rule_ids(source)
    if source.folder is None or not package or not (source.folder / "__init__.py").is_file():
        raise typer.BadParameter(_("{game} has no package to copy").format(game=source.name))
    old = {"module": re.escape(package), "name": re.escape(source.name), "title": re.escape(source.title)}
    pattern = "|".join(rf"(?P<{kind}>(?<![\w.-]){text}(?![\w-]))" for kind, text in old.items())
    prefixes = rf"|(?P<prefix>\b{re.escape(ids[0].rpartition('-')[0])}(?=-\d))" if ids else ""
    names = re.compile(pattern + prefixes)
    project = _renamed(BARE, new)[Path("pyproject.toml")].decode()
    about = f'description = "{new["title"]}, made from {source.title}, for Meadhall."'
    found = {Path("pyproject.toml"): re.sub(r'^description = ".*"$', lambda _old: about, project, flags=re.MULTILINE).encode()}
    for path in sorted(source.folder.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            content, place = path.read_bytes(), Path("src", new["module"], path.relative_to(source.folder))
            is_text = path.suffix in (*_SUFFIXES, ".js")
            found[place] = names.sub(lambda name: new[str(name.lastgroup)], content.decode()).encode() if is_text else content
    return found


def _renamed(example: Example, new: dict[str, str]) -> dict[Path, bytes]:
    """Return the files of the example under the new names."""

    def rename(text: str) -> str:
        return example.names.sub(lambda found: new[str(found.lastgroup)], text)

    found = {}
    for number, folder in enumerate(example_folder() / name for name in example.folders):
        for path in sorted(folder.rglob("*")):
            place = path.relative_to(folder).as_posix()
            if path.suffix in _SUFFIXES and path.is_file() and (number or not example.only or place in example.only):
                found[Path(rename(place))] = rename(path.read_text("utf-8")).encode()
    return found


def example_folder() -> Path:
    """Return the folder of the examples: beside this module in a wheel, ``examples`` in a clone."""
    packaged = Path(__file__).with_name("examples")
    return packaged if packaged.is_dir() else Path(__file__).parents[3] / "examples"


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


def texts_in(folder: Path, more: Sequence[tuple[str, str]] = ()) -> Iterator[Text]:
    """Yield the marked texts of Python files and templates in a folder. Templates need Jinja, which a hall needs, too.

    ``more``: further patterns of files, with Babel's names of what reads them.
    """
    methods = [("**.py", "python"), *([("**.html", "jinja2")] if find_spec("jinja2") else []), *more]
    for name, line, message, _comments, _context in extract_from_dir(
        folder, methods, _OPTIONS, keywords=KEYWORDS, strip_comment_tags=True
    ):
        yield Text(message, f"{name}:{line}")


def untranslated(subject: Game) -> Iterator[tuple[str, Text]]:
    """Yield the language and the text where a catalogue of a game lacks a translation. A game without catalogues lacks none."""
    if subject.folder is None:
        return
    for path in sorted((subject.folder / "locale").glob("*.po")):
        known = _catalogue(path)
        for text in texts_in(subject.folder):
            if not _is_translated(known.get(text.message)):
                yield path.stem, text


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


def find_game(where: str) -> PlayableGame:
    """Return the game, registered in this process.

    Raises:
        UnknownGame: there is no such game.
        BrokenGame: it can't be loaded.
    """
    if where in game_names():
        return game_of(where)
    if Path(where).is_dir():
        return _game_of_folder(Path(where).resolve())
    if ":" in where:
        sys.path.insert(0, str(Path.cwd()))
        return _load(where, where)
    return game_of(where)  # raises the error that lists the games


def _game_of_folder(folder: Path) -> PlayableGame:
    """Return the game that ``pyproject.toml`` in the folder declares."""
    try:
        project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
    except FileNotFoundError:
        raise UnknownGame(_("{folder} has no pyproject.toml, so it is not the package of a game").format(folder=folder)) from None
    except (ValueError, RecursionError) as error:
        raise BrokenGame(_("{folder}: pyproject.toml is not valid TOML: {reason}").format(folder=folder, reason=error)) from None
    games = project.get("project", {}).get("entry-points", {}).get(GROUP, {})
    if len(games) != 1:
        raise UnknownGame(
            _("{folder} declares {count} games in the entry-point group {group}; name one as module:attribute").format(
                folder=folder, count=len(games), group=GROUP
            )
        )
    sys.path[:0] = [str(path) for path in (folder / "src", folder) if path.is_dir()]
    return _load(next(iter(games.values())), str(folder))


def _load(reference: str, where: str) -> PlayableGame:
    """Import ``module:attribute`` and register the game."""
    module, _colon, attribute = reference.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except Exception as error:  # a package can fail in any way
        raise BrokenGame(
            _("the game in {place} can't be loaded: {error}").format(place=where, error=f"{type(error).__name__}: {error}")
        ) from error
    if not isinstance(found, PlayableGame):
        raise BrokenGame(_("{reference} is not a Game").format(reference=reference))
    return register(found)
