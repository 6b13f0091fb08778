"""The charts of the hall: analyses of finished matches, worked out in the background, one at a time.

Whatever is asked for, one analysis works at a time, in threads that give way to everything else. Matches of the hall's own tables
go before uploaded records; of these a client has one waiting at most. What nobody waits for any more is dropped.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from meadhall.bots.analysis import Analysis, Knowledge
from meadhall.engine.language import gettext as _
from meadhall.engine.match import Match
from meadhall.server.errors import TooMany, WrongMoment
from meadhall.server.worker.client import Thinker, ThinkerLost

log = logging.getLogger(__name__)

KEPT = 500
"""How many charts are remembered; the ones not looked at for longest make room."""

WAITING = 16
"""How many charts of uploaded records may wait."""

PATIENCE = 20.0
"""Seconds after which somebody who has not asked again has gone."""


def nobody() -> bool:
    """Nobody watches."""
    return False


@dataclass(eq=False)
class Drawing:
    """A chart: waiting for its turn, being drawn, or done.

    Attributes:
        match: what it is about; None when it is done, as hundreds are remembered.
        client: which client wants it; "" for a match of the hall's own tables.
        done: called when it is there.
        watched: whether somebody waits for it without asking.
        progress: how far it is, 0 to 1.
        analysis: what came of it; None until then.
        lost: whether the process that drew it has ended meanwhile; it is drawn anew once.
        failed: whether nothing will come of it.
    """

    match: Match | None
    knowledge: Knowledge
    client: str = ""
    done: Callable[[], object] = nobody
    watched: Callable[[], bool] = nobody
    progress: float = 0.0
    analysis: Analysis | None = None
    lost: bool = False
    failed: bool = False
    asked: float = field(default_factory=time.monotonic)

    @property
    def is_open(self) -> bool:
        """Whether it is still to be drawn."""
        return self.analysis is None and not self.failed

    @property
    def wanted(self) -> bool:
        """Whether somebody still waits for it."""
        return self.watched() or time.monotonic() - self.asked < PATIENCE

    def advance(self, progress: float) -> None:
        """Called while it is worked out."""
        self.progress = progress
        if not self.wanted:
            raise _Dropped


class _Dropped(Exception):
    """Nobody waits for the chart any more."""


class Charts:
    """All charts of this process."""

    def __init__(self, thinker: Thinker) -> None:
        self._thinker = thinker
        self._drawings: OrderedDict[tuple[str, Knowledge], Drawing] = OrderedDict()
        self._worker: asyncio.Task[None] | None = None

    def chart(
        self,
        key: str,
        match: Match,
        knowledge: Knowledge = "public",
        client: str = "",
        done: Callable[[], object] = nobody,
        watched: Callable[[], bool] = nobody,
    ) -> Drawing:
        """The chart of a match, begun if it is asked for the first time.

        Args:
            key: names the match.
            client: who has brought the match from elsewhere; "" for one that was played here.
            done: called when the chart is there.
            watched: whether somebody waits for it, other than by asking again.

        Raises:
            WrongMoment: the match goes on.
            TooMany: enough charts are waiting already.
        """
        if not match.ended:
            raise WrongMoment(_("A match has a chart when it is over."))
        drawing = self._drawings.get((key, knowledge))
        if drawing is None:
            if client:
                self._check_room(client)
            drawing = self._drawings[key, knowledge] = Drawing(match, knowledge, client, done, watched)
            self._make_room()
        drawing.asked = time.monotonic()
        if not drawing.is_open:
            self._drawings.move_to_end((key, knowledge))
        elif self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._draw())
        return drawing

    async def close(self) -> None:
        """Begin no more."""
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)

    def _check_room(self, client: str) -> None:
        waiting = [drawing for drawing in self._waiting() if drawing.client]
        if len(waiting) >= WAITING or any(drawing.client == client for drawing in waiting):
            raise TooMany(_("Other charts are being drawn. This one follows when they are done."))

    def _make_room(self) -> None:
        done = [key for key, drawing in self._drawings.items() if not drawing.is_open]
        for key in done[: max(0, len(self._drawings) - KEPT)]:
            del self._drawings[key]

    def _waiting(self) -> list[Drawing]:
        """What is to be drawn, the first first: own tables before records from elsewhere, then the order of asking."""
        return sorted(
            (drawing for drawing in self._drawings.values() if drawing.is_open), key=lambda drawing: bool(drawing.client)
        )

    async def _draw(self) -> None:
        """One chart after the other."""
        while waiting := self._waiting():
            drawing = waiting[0]
            match = drawing.match
            assert match is not None
            try:
                if not drawing.wanted:
                    raise _Dropped
                record = match.record()
                drawing.analysis = await self._thinker.ask("chart", record, drawing.knowledge, progress=drawing.advance)
            except _Dropped:
                self._forget(drawing)
            except ThinkerLost:
                log.warning("a chart of %s is lost with the process that drew it", match.game.name)
                drawing.lost, drawing.failed = True, drawing.lost
                if drawing.is_open:
                    continue
            except Exception:
                log.exception("a chart of %s could not be drawn", match.game.name)
                drawing.failed = True
            drawing.match = None
            drawing.done()

    def _forget(self, drawing: Drawing) -> None:
        for key in [key for key, other in self._drawings.items() if other is drawing]:
            del self._drawings[key]
