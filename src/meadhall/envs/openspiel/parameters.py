"""Parameters: the number of players and the options of a game, as OpenSpiel passes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from meadhall.engine.game import Game
from meadhall.engine.options import Document, Option

PLAYERS = "players"


def specification(game: Game) -> dict[str, Any]:
    """Return the parameters of a game with their defaults: ``players``, then its options.

    A document has the default ``""``, which means the built-in one.
    """
    return {PLAYERS: game.min_players, **{option.name: _default(option) for option in game.options}}


def _default(option: Option) -> Any:
    return "" if isinstance(option, Document) else _written(option.default)


def _written(value: Any) -> Any:
    """Return a value as OpenSpiel reads it from text: an integer where it looks like one."""
    text = str(value)
    return int(text) if text.removeprefix("-").isdecimal() else text


def setup_of(game: Game, parameters: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    """Return the checked number of players and options. Raises BadSetup.

    A document is given as the path of a TOML file.
    """
    known = {option.name: option for option in game.options}
    options = {}
    for name, value in parameters.items():
        if name in known and value != "":
            options[name] = known[name].read(str(value))
    return game.check_setup(parameters.get(PLAYERS, game.min_players), options)
