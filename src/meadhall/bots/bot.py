"""What a bot is, and which there are for a game."""

from __future__ import annotations

from typing import Protocol

from meadhall.bots.policy import POLICIES, PolicyBot
from meadhall.engine.chance import new_seed
from meadhall.engine.errors import MeadhallError
from meadhall.engine.game import Game
from meadhall.engine.match import View


class UnknownBot(MeadhallError):
    """The game has no bot of that name."""


class Bot(Protocol):
    """A player. It sees what its seat may know, and nothing else."""

    name: str

    def choose(self, view: View) -> int:
        """One of ``view.legal``, which is not empty."""


def bot_names(game: Game) -> list[str]:
    """The names of the bots that can play the game, the weakest first."""
    return [name for name in POLICIES if name != "greedy" or game.greedy is not None]


def bot(game: Game, name: str, seed: bytes | None = None) -> Bot:
    """A bot for one match. Its own draws follow from ``seed`` (any bytes; by default from the operating system).

    Raises:
        UnknownBot: the game has none of that name.
    """
    if name not in bot_names(game):
        raise UnknownBot(f"{game.title} has no bot {name!r}; it has: {', '.join(bot_names(game))}")
    return PolicyBot(game, name, seed or new_seed())
