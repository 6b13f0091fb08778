"""Minds: the bots at the hall's tables, kept from decision to decision: a search goes on from what it has thought before."""

from __future__ import annotations

from collections import OrderedDict

from meadhall.bots import Bot, bot
from meadhall.engine.game import Game

_KEPT = 24
"""How many minds are kept, those that thought last: one that searches holds up to 10 MB for each core."""


class Minds:
    """The minds of one hall, by table and seat. One that is thinking is not here; one that failed never comes back."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, int], Bot] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def take(self, table: str, seat: int, game: Game, name: str) -> Bot:
        """The bot of that name for a seat: the one that was kept, or a new one."""
        kept = self._kept.pop((table, seat), None)
        return kept if kept is not None and kept.name == name else bot(game, name)

    def keep(self, table: str, seat: int, player: Bot) -> None:
        """Keep it for the next decision of that seat."""
        self._kept[table, seat] = player
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)

    def forget(self, table: str) -> None:
        """Let go of what was thought at a table."""
        for key in [key for key in self._kept if key[0] == table]:
            del self._kept[key]
