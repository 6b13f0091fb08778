"""Find a game by its name, by ``module:attribute``, or by the folder of its package, which needn't be installed."""

from __future__ import annotations

import importlib
import sys
import tomllib
from pathlib import Path

from meadhall.engine.errors import BrokenGame, UnknownGame
from meadhall.engine.registry import GROUP, PlayableGame, game, game_names, register
from meadhall.engine.text.language import gettext as _


def find_game(where: str) -> PlayableGame:
    """Return the game, registered in this process.

    Raises:
        UnknownGame: there is no such game.
        BrokenGame: it can't be loaded.
    """
    if where in game_names():
        return game(where)
    if Path(where).is_dir():
        return _game_of_folder(Path(where).resolve())
    if ":" in where:
        sys.path.insert(0, str(Path.cwd()))
        return _load(where, where)
    return game(where)  # raises the error that lists the games


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
