"""``meadhall new-game``: write the package of a new game. It is a copy of an example under another name.

The examples are Pig, whose dice all see, Pig with nothing but its rules, and Liar's Dice, whose dice are hidden.
"""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from meadhall.cli.console import console
from meadhall.engine.defaults import title_of
from meadhall.engine.registry import game_names
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import ngettext

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
) -> None:
    """Write the package of a game into a new folder of that name, and tell the next commands.

    Raises typer.BadParameter if the name can't be used, or the folder exists.
    """
    if bare and hidden:
        raise typer.BadParameter(_("choose --bare or --hidden, not both"))
    module = name.replace("-", "_")
    title = title_of(name) if title is None else title.strip()
    for objection in _objections(name, module, title):
        raise typer.BadParameter(objection)
    new = {"module": module, "name": name, "title": title, "prefix": prefix(name)}
    files = _renamed(BARE if bare else HIDDEN if hidden else PIG, new)
    for path, text in files.items():
        target = Path(name, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    out = console()
    said = ngettext("Wrote {count} file into {folder}/.", "Wrote {count} files into {folder}/.", len(files))
    out.print(said.format(count=len(files), folder=name))
    out.print(_("It is a small game that works: play it, then change it into yours. Next:"), "", sep="\n")
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


def _renamed(example: Example, new: dict[str, str]) -> dict[Path, str]:
    """Return the files of the example under the new names."""

    def rename(text: str) -> str:
        return example.names.sub(lambda found: new[str(found.lastgroup)], text)

    found = {}
    for number, folder in enumerate(example_folder() / name for name in example.folders):
        for path in sorted(folder.rglob("*")):
            place = path.relative_to(folder).as_posix()
            if path.suffix in _SUFFIXES and path.is_file() and (number or not example.only or place in example.only):
                found[Path(rename(place))] = rename(path.read_text("utf-8"))
    return found


def example_folder() -> Path:
    """Return the folder of the examples: beside this module in a wheel, ``examples`` in a clone."""
    packaged = Path(__file__).with_name("examples")
    return packaged if packaged.is_dir() else Path(__file__).parents[3] / "examples"
