"""The event stream of the API: a table's actions, undone actions, and the table itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from meadhall.engine.match.match import Match
from meadhall.engine.match.view import SPECTATOR, visible
from meadhall.server.hall import daily_puzzle
from meadhall.server.hall.room import Room
from meadhall.server.routes.api_models import table_info, told_once
from meadhall.server.store.models import Guest
from meadhall.server.web.links import Outside


class TableEvents:
    """The events of a table for one client.

    Args:
        room: the room of the table.
        guest: the client.
        outside: the beginning of the address of the table's page.
        last: number of the last action that the client knows; 0: none.
    """

    def __init__(self, room: Room, guest: Guest, outside: Outside, last: int) -> None:
        self._room = room
        self._guest = guest
        self._outside = outside
        self._last = last
        self._undone: set[int] = set()  # actions of which the client knows that they were taken back
        self._seat = room.table.seat_of(guest.id)

    def news(self) -> Iterator[bytes]:
        """Yield the events that bring the client up to date."""
        match, seat = self._room.match, self._room.table.seat_of(self._guest.id)
        if self._last >= (1 if match is None else match.next_number) or (self._last and seat != self._seat):
            # it knows actions that this match does not have, or knows them from another seat
            self._last, self._undone = 0, set()
            yield _event("reload", {})
        self._seat = seat
        if match is not None:
            undone = {step.n for undo in match.undone for step in undo.steps if step.n <= self._last} - self._undone
            if undone:
                self._undone |= undone
                yield _event("undo", {"actions": sorted(undone)})
            for number, event in self._actions(match, seat):
                self._last = number
                yield event
        yield _event("table", table_info(self._room, self._guest, self._outside))

    def _actions(self, match: Match, seat: int | None) -> Iterable[tuple[int, bytes]]:
        """Return the numbers and events of the actions that are new. All who may know everything of the last one share it."""
        sealed = daily_puzzle.is_sealed(self._room.table, self._room.time)

        def written() -> list[tuple[int, bytes]]:
            new = match.recorded(seat, after=self._last, sealed=sealed)
            return [(step["n"], _event("action", step, step["n"])) for step in new]

        if not match.steps or match.steps[-1].n <= self._last:
            return ()
        last, viewer = match.steps[-1], SPECTATOR if seat is None else seat
        knows_all = last.shows_action(viewer) and visible(last.events, viewer) is last.events
        if len(match.steps) > 1 and match.steps[-2].n > self._last:
            return written()
        return told_once(match, ("action", "all" if knows_all else viewer, sealed), written)


def _event(name: str, data: Any, id: int | None = None) -> bytes:
    number = b"" if id is None else b"id: %d\n" % id
    return b"event: %b\n%bdata: %b\n\n" % (name.encode(), number, msgspec.json.encode(data))
