"""Meadhall: a hall for four tabletop games, and their rules as a library.

>>> import meadhall
>>> match = meadhall.game("axes-and-allies").match(players=3, seed="any string")
>>> match.play(match.legal()[0])
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from meadhall.engine.compute.batch import Batch
    from meadhall.engine.compute.bulk import random_playouts
    from meadhall.engine.errors import (
        BadGame,
        BadSetup,
        BrokenGame,
        CannotUndo,
        IllegalAction,
        MalformedAction,
        MatchOver,
        MeadhallError,
        NotYourTurn,
        RecordError,
        Refused,
        UnknownGame,
    )
    from meadhall.engine.laws.check_game import check_game
    from meadhall.engine.laws.counterexample import ConformanceError
    from meadhall.engine.match.match import Match
    from meadhall.engine.match.step import Award, Result
    from meadhall.engine.match.view import Action, Seat, View
    from meadhall.engine.registry import PlayableGame as Game, game, game_names
    from meadhall.engine.replay import events_of, replay
    from meadhall.lab import Balance, Report, Tuning, balance, simulate, tune

__all__ = [
    "Action",
    "Award",
    "BadGame",
    "BadSetup",
    "Balance",
    "Batch",
    "BrokenGame",
    "CannotUndo",
    "ConformanceError",
    "Game",
    "IllegalAction",
    "MalformedAction",
    "Match",
    "MatchOver",
    "MeadhallError",
    "NotYourTurn",
    "RecordError",
    "Refused",
    "Report",
    "Result",
    "Seat",
    "Tuning",
    "UnknownGame",
    "View",
    "balance",
    "check_game",
    "events_of",
    "game",
    "game_names",
    "random_playouts",
    "replay",
    "simulate",
    "tune",
]

_ENGINE_MODULES = (
    "errors",
    "game",
    "registry",
    "match.match",
    "match.step",
    "match.view",
    "compute.bulk",
    "compute.batch",
    "replay",
    "laws.check_game",
)

_NAMES = {"Game": "PlayableGame"}


def __getattr__(name: str) -> Any:
    """Import a public name at its first use. The command must first choose how rules run, see ``engine.compile.mode``."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    for module in (*(f"meadhall.engine.{module}" for module in _ENGINE_MODULES), "meadhall.lab"):
        found = vars(import_module(module)).get(_NAMES.get(name, name))
        if found is not None:
            globals()[name] = found
            return found
    raise AssertionError(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
