"""What a bot is, and which there are for a game."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Protocol

from meadhall.bots.policy import POLICIES, PolicyBot
from meadhall.bots.ranks import KARL, RANKS, Rank
from meadhall.bots.search import Budget, SearchBot
from meadhall.engine.chance import new_seed
from meadhall.engine.checks import quoted
from meadhall.engine.errors import MeadhallError
from meadhall.engine.game import Game
from meadhall.engine.view import View

_SEARCH = re.compile(r"search@(?:(?P<seconds>\d{1,4}(?:\.\d{1,6})?)s|(?P<iterations>[1-9]\d{0,8}))")


class UnknownBot(MeadhallError):
    """The game has no bot of that name."""


class Bot(Protocol):
    """A player. It sees what its seat may know, and nothing else."""

    name: str

    def choose(self, view: View) -> int:
        """One of ``view.legal``, which is not empty."""


def ranks(game: Game) -> tuple[Rank, ...]:
    """The ranks of bots that can play the game, the weakest first."""
    return tuple(rank for rank in RANKS if rank != KARL or game.greedy is not None)


def bot_names(game: Game) -> list[str]:
    """The names of the bots that can play the game: the ranks, the weakest first, and the library's own names of two of them."""
    return [*(rank.name for rank in ranks(game)), "random", *(["greedy"] if game.greedy is not None else [])]


def bot(game: Game, name: str, seed: bytes | None = None, alone: bool = False) -> Bot:
    """A bot for one match.

    Args:
        game: of the edition that the match is played in.
        name: one of ``bot_names``; or a search of one's own: ``search@0.2s`` thinks for so many seconds, ``search@1000`` for so
            many iterations, which makes it deterministic.
        seed: its own draws follow from it (any bytes; by default from the operating system).
        alone: a search grows one tree, for so many seconds of its own core's time, as if nothing else ran; else a rank
            grows one on each core by the clock on the wall, ``search@…`` one.

    Raises:
        UnknownBot: the game has none of that name.
    """
    seed = seed or new_seed()
    if not isinstance(name, str):
        raise UnknownBot(f"the name of a bot is text, not {quoted(name)}")
    if own := _SEARCH.fullmatch(name):
        budget = Budget(float(own["seconds"] or 0), int(own["iterations"] or 0), 1, alone)
        return SearchBot(game, name, budget, seed)
    if name not in bot_names(game):
        raise UnknownBot(f"{game.title} has no bot {quoted(name)}; it has: {', '.join(bot_names(game))}")
    if name in POLICIES:
        return PolicyBot(game, name, seed)
    rank = next(rank for rank in RANKS if rank.name == name)
    assert rank.budget is not None
    return SearchBot(game, name, replace(rank.budget, alone=alone), seed, rank.exact)
