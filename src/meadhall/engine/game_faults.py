"""Mistakes of games: an internal error that a game's own code or template has raised is told as such, and names the game."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import NamedTuple

from meadhall.engine.defaults import HOOKS, own_words
from meadhall.engine.game import Game
from meadhall.engine.registry import game, game_names


class GameFault(NamedTuple):
    """The game that has raised an error, and where: ``words.py:34, prompt``."""

    game: Game
    place: str


def game_fault(error: BaseException) -> GameFault | None:
    """Return the game whose code or template has raised an error; None if none of them is in its traceback.

    The innermost place of a game counts. So an error in the engine that a game has caused is the game's, too.
    """
    places = [(Path(frame.filename), frame) for frame in traceback.extract_tb(error.__traceback__)]
    folders = {folder: subject for subject in map(game, game_names()) for folder in _folders(subject)}
    for path, frame in reversed(places):
        found = next((subject for folder, subject in folders.items() if path == folder or folder in path.parents), None)
        if found is not None:
            return GameFault(found, f"{path.name}:{frame.lineno}, {frame.name}")
    return None


def _folders(subject: Game) -> set[Path]:
    """Return the folders and files of a game's code and templates."""
    words = own_words(subject.words)
    hooks = [getattr(words, hook) for hook in HOOKS if hasattr(words, hook)]
    modules = {_module_of(part) for part in (subject.rules.play, words, subject.page, *hooks)}
    files = {Path(file) for module in modules if (file := getattr(sys.modules.get(module), "__file__", None))}
    packages = {file.parent if file.name == "__init__.py" else file for file in files}
    return packages | ({subject.folder} if subject.folder is not None else set())


def _module_of(part: object) -> str:
    """Return the name of a module, or of the module in which a function or the class of an object is defined."""
    return str(getattr(part, "__module__", None) or getattr(part, "__name__", ""))
