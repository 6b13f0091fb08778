"""Which games can be played yet. At the first start the worker compiles their rules one after the other."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotReady
from meadhall.server.worker.client import Worker

log = logging.getLogger(__name__)


class Readiness:
    """The names of the games that are ready.

    Attributes:
        all: set when all games are ready.
    """

    def __init__(self, worker: Worker) -> None:
        self.all = asyncio.Event()
        self._worker = worker
        self._ready: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._ready

    def check(self, name: str) -> None:
        """Refuse a game that is not ready yet."""
        if name not in self:
            raise NotReady(_("{game} is still being set up; it opens in a moment.").format(game=game(name).title))

    def by_game(self) -> dict[str, bool]:
        """Return whether each game is ready."""
        return {name: name in self for name in game_names()}

    def prepared(self) -> None:
        """Note that all games are compiled: this process has seen to it before it started itself again."""
        self._ready.update(game_names())

    async def prepare(self, when_ready: Callable[[str], None]) -> None:
        """Compile the games that are not compiled yet. Call ``when_ready`` with the name of each ready game.

        If a game can't be compiled, the error is logged and the game is offered all the same.
        """
        for name in game_names():
            if name not in self._ready:
                try:
                    await self._worker.warm(name)
                except Exception:
                    log.exception("%s could not be compiled", name)
                self._ready.add(name)
            when_ready(name)
        self.all.set()
