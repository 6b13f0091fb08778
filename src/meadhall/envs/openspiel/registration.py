"""Registration of a game with OpenSpiel."""

from __future__ import annotations

import pyspiel

from meadhall.engine.game import Game
from meadhall.engine.registry import game
from meadhall.envs.openspiel.game import game_type, loader_of, short_name
from meadhall.envs.openspiel.parameters import setup_of
from meadhall.envs.openspiel.position import Setting


def register(name: str | Game) -> str:
    """Register a game with OpenSpiel and return its name there.

    Installed games are registered when ``meadhall.envs.openspiel`` is imported. A game that was registered later with
    ``meadhall.sdk.register`` needs this call.

    Args:
        name: the game, or its name.

    Examples:
        >>> from meadhall.envs import openspiel
        >>> openspiel.register("viking-axes")
        'python_meadhall_viking_axes'
    """
    subject = game(name)
    pyspiel.register_game(game_type(subject, Setting(subject, *setup_of(subject, {}))), loader_of(subject))
    return short_name(subject)
