"""The interface of bots, and the bots of a game by name."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Protocol

from meadhall.bots.named import NamedBot, named_bots, named_ranks
from meadhall.bots.policy import POLICIES, PolicyBot
from meadhall.bots.ranks import KARL, RANKS, Rank
from meadhall.bots.search import Budget, SearchBot
from meadhall.engine.checks import Seed, check_seed, quoted
from meadhall.engine.errors import MeadhallError
from meadhall.engine.game import Game
from meadhall.engine.match.view import View

_SEARCH = re.compile(r"search@(?:(?P<seconds>\d{1,4}(?:\.\d{1,6})?)s|(?P<iterations>[1-9]\d{0,8}))")


class UnknownBot(MeadhallError):
    """The game has no bot with this name."""


class Bot(Protocol):
    """A player that sees only what its seat may know.

    Examples:
        >>> import meadhall
        >>> from meadhall.bots import bot
        >>> match = meadhall.game("axes-and-allies").match(players=3, seed="mead")
        >>> view = match.view(match.actor)
        >>> bot(match.game, "karl", seed="mead").choose(view) in view.legal
        True
    """

    name: str

    def choose(self, view: View) -> int:
        """Choose one of ``view.legal``, which is not empty."""


def ranks(game: Game) -> tuple[Rank, ...]:
    """Return the levels of bots that can play the game, the weakest first, then the named bots.

    Examples:
        >>> import meadhall
        >>> from meadhall.bots import ranks
        >>> [rank.name for rank in ranks(meadhall.game("viking-axes"))]
        ['thrall', 'karl', 'huscarl', 'jarl', 'king']
    """
    return (*(rank for rank in RANKS if rank != KARL or game.greedy is not None), *named_ranks(game))


def bot_names(game: Game) -> list[str]:
    """Return the names of the bots that can play the game: the levels, then the named bots.

    Examples:
        >>> import meadhall
        >>> from meadhall.bots import bot_names
        >>> "karl" in bot_names(meadhall.game("viking-axes"))
        True
    """
    return [rank.name for rank in ranks(game)]


def bot(game: Game, name: str, seed: Seed | None = None, alone: bool = False) -> Bot:
    """Create a bot for one match.

    Args:
        game: the edition of the match.
        name: one of ``bot_names``, or a search with a custom budget: ``search@0.2s`` searches for 0.2 seconds, ``search@1000``
            for 1,000 iterations, which makes it deterministic.
        seed: determines the bot's own random choices, a text, bytes or an integer, see ``check_seed``; by default random bytes
            from the operating system.
        alone: measure the budget in CPU time of one thread and grow one tree, so that the strength doesn't depend on the load of
            the machine. Otherwise a level grows one tree per core and ``search@…`` one tree, both by wall-clock time.

    Raises:
        UnknownBot: the game has no bot with this name.
        BadSetup: the seed is invalid.

    Examples:
        >>> import meadhall
        >>> from meadhall.bots import bot
        >>> bot(meadhall.game("viking-axes"), "karl", seed="mead")
        <Bot karl of viking-axes>
    """
    seed = check_seed(seed)
    if not isinstance(name, str):
        raise UnknownBot(f"the name of a bot must be text, not {quoted(name)}")
    if custom := _SEARCH.fullmatch(name):
        budget = Budget(float(custom["seconds"] or 0), int(custom["iterations"] or 0), 1, alone)
        return SearchBot(game, name, budget, seed)
    if name not in bot_names(game):
        raise UnknownBot(f"{game.title} has no bot {quoted(name)}; it has: {', '.join(bot_names(game))}")
    for declaration in named_bots(game):
        if declaration.name == name:
            return NamedBot(game, declaration)
    if name in POLICIES:
        return PolicyBot(game, name, seed)
    rank = next(rank for rank in RANKS if rank.name == name)
    assert rank.budget is not None
    return SearchBot(game, name, replace(rank.budget, alone=alone), seed, rank.exact)
