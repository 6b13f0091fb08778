"""Which games can be played already. At the first start their rules are compiled first, where the hall's bots think."""

from __future__ import annotations

import logging
from collections.abc import Callable

from meadhall.engine.game import game, game_names
from meadhall.engine.language import gettext as _
from meadhall.server.errors import NotReady
from meadhall.server.worker.client import Thinker

log = logging.getLogger(__name__)


class Readiness:
    """The games that are ready; ``prepare`` makes the others so, one after the other."""

    def __init__(self, thinker: Thinker) -> None:
        self._thinker = thinker
        self._ready: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._ready

    def check(self, name: str) -> None:
        """Refuse a game that is not ready yet."""
        if name not in self._ready:
            raise NotReady(_("{game} is still being set up; it opens in a moment.").format(game=game(name).title))

    async def prepare(self, when_ready: Callable[[str], None]) -> None:
        """Have compiled what is not compiled yet; ``when_ready`` is called with every game's name once it is."""
        for name in game_names():
            if name not in self._ready:
                try:
                    await self._thinker.prepare(name)
                except Exception:
                    log.exception("%s could not be compiled", name)
                self._ready.add(name)
            when_ready(name)
