"""LRU cache of bots, by table and seat."""

from __future__ import annotations

from threading import Lock

from cachetools import FIFOCache

from meadhall.bots import Bot, bot
from meadhall.engine.compute.executors import cores
from meadhall.engine.game import Game

_MAX_BOTS = 24
"""Bots kept at most, on a machine with few cores."""

_MAX_TREES = 96
"""Search trees kept at most. A searching bot has one tree per core, and a tree holds up to 10 MB."""


class BotCache:
    """The bots that played last. A bot that searches continues from its previous tree at its next decision.

    Safe to use from several threads. A bot leaves the cache while it chooses an action, and comes back only if it succeeds.

    Attributes:
        bots: the cached bots by table id and seat, least recently used first.
    """

    def __init__(self) -> None:
        self.bots: FIFOCache[tuple[str, int], Bot] = FIFOCache(max(1, min(_MAX_BOTS, _MAX_TREES // cores())))
        self._lock = Lock()

    def take(self, table: str, seat: int, game: Game, name: str) -> Bot:
        """Remove the bot of a seat from the cache and return it. Make a new bot if there is none of that name."""
        with self._lock:
            cached = self.bots.pop((table, seat), None)
        return cached if cached is not None and cached.name == name else bot(game, name)

    def put(self, table: str, seat: int, player: Bot) -> None:
        """Keep the bot of a seat, and evict the least recently used bot if there are too many."""
        with self._lock:
            self.bots[table, seat] = player

    def forget(self, table: str) -> None:
        """Drop the bots of a table."""
        with self._lock:
            for key in [key for key in self.bots if key[0] == table]:
                del self.bots[key]
