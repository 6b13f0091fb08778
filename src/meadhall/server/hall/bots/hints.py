"""Hints that the seats of one room have requested."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from meadhall.bots import Hint
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import View
from meadhall.server.worker.client import Worker


@dataclass(frozen=True)
class RequestedHint:
    """A hint that a seat has requested.

    Attributes:
        view: the state as the seat saw it.
        decision: the number of the decision that the hint is for.
        search: the search for it.
    """

    view: View
    decision: int
    search: asyncio.Task[tuple[Hint, ...]]

    @property
    def hints(self) -> tuple[Hint, ...]:
        """The actions to consider, the best first; empty during the search and after it failed."""
        failed = not self.search.done() or self.search.cancelled() or self.search.exception() is not None
        return () if failed else self.search.result()


class Hints:
    """The latest hint of each seat.

    Args:
        publish: called with the seat when its hint has been found, or could not be found.
    """

    def __init__(self, worker: Worker, publish: Callable[[int], None]) -> None:
        self._worker = worker
        self._publish = publish
        self._by_seat: dict[int, RequestedHint] = {}

    def current(self, match: Match | None, seat: int) -> RequestedHint | None:
        """Return the hint that a seat has requested for the decision that it has to make now."""
        found = self._by_seat.get(seat)
        if match is None or found is None or seat not in match.deciders or match.decision_of(seat) != found.decision:
            return None
        return found

    def request(self, match: Match, seat: int) -> RequestedHint:
        """Start the search for a hint for the seat to move."""
        view, before = match.view(seat), self._by_seat.get(seat)
        search = asyncio.create_task(self._find(view, before))
        hint = self._by_seat[seat] = RequestedHint(view, match.decision_of(seat), search)
        return hint

    async def _find(self, view: View, before: RequestedHint | None) -> tuple[Hint, ...]:
        if before is not None:  # one search at a time for each seat
            await asyncio.wait({before.search})
        try:
            return await self._worker.hints(view)
        except Exception:
            latest = self._by_seat.get(view.viewer)
            if latest is not None and latest.search is asyncio.current_task():
                del self._by_seat[view.viewer]
            raise
        finally:
            asyncio.get_running_loop().call_soon(self._publish, view.viewer)  # when the search is done

    def clear(self) -> None:
        """Drop all hints, at the end of the match."""
        self._by_seat.clear()

    def cancel(self) -> None:
        """Cancel all searches."""
        for hint in self._by_seat.values():
            hint.search.cancel()

    async def close(self) -> None:
        """Cancel all searches, and wait until they have ended."""
        self.cancel()
        await asyncio.gather(*(hint.search for hint in self._by_seat.values()), return_exceptions=True)
