"""Meadhall: a hall for four tabletop games, and their rules as a library.

>>> import meadhall
>>> match = meadhall.game("axes-and-allies").match(players=3, seed="any string")
>>> match.play(match.legal()[0])
"""

from meadhall.engine.conformance import check_game
from meadhall.engine.errors import (
    BadSetup,
    CannotUndo,
    ConformanceError,
    IllegalAction,
    MalformedAction,
    MatchOver,
    MeadhallError,
    NotYourTurn,
    RecordError,
    Refused,
    UnknownGame,
)
from meadhall.engine.game import Game, game, game_names
from meadhall.engine.kernels import Batch, random_playouts
from meadhall.engine.match import Action, Match, Result, Seat, View
from meadhall.engine.record import replay
from meadhall.lab import Report, simulate

__all__ = [
    "Action",
    "BadSetup",
    "Batch",
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
    "UnknownGame",
    "View",
    "check_game",
    "game",
    "game_names",
    "random_playouts",
    "replay",
    "simulate",
]
