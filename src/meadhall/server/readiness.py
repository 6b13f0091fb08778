"""Which games can be played already. The first start compiles them in a process beside the hall, into the cache of both."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable
from functools import partial

from meadhall.engine.game import game, game_names
from meadhall.engine.language import gettext as _
from meadhall.engine.rule import INTERPRETED
from meadhall.lab import warm
from meadhall.server.refusals import NotReady

log = logging.getLogger(__name__)


class Readiness:
    """The games that are ready; ``prepare`` makes the others so, one after the other."""

    def __init__(self) -> None:
        self._ready: set[str] = set(game_names()) if INTERPRETED else set()

    def __contains__(self, name: str) -> bool:
        return name in self._ready

    def check(self, name: str) -> None:
        """Refuse a game that is not ready yet."""
        if name not in self._ready:
            raise NotReady(_("{game} is still being set up; it opens in a moment.").format(game=game(name).title))

    async def prepare(self, when_ready: Callable[[str], None]) -> None:
        """Compile what is not compiled yet and load it; ``when_ready`` is called with every game's name once it is."""
        for name in self._ready:
            when_ready(name)
        for name in [name for name in game_names() if name not in self._ready]:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "meadhall.server.readiness", name),
                stdout=asyncio.subprocess.DEVNULL,
                start_new_session=True,  # a Ctrl-C is for the hall, which then ends its helper
            )
            try:
                status = await process.wait()
            except asyncio.CancelledError:
                process.terminate()
                raise
            if status != 0:
                log.error("compiling %s beside the hall failed (status %s); it is compiled here", name, status)
            await asyncio.to_thread(partial(warm, [name], bulk=False))
            self._ready.add(name)
            when_ready(name)


if __name__ == "__main__":
    warm(sys.argv[1:], bulk=False)
