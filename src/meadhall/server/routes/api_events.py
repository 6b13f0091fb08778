"""The event stream of the API: a table's actions, undone actions, and the table itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from meadhall.server.hall.daily import daily
from meadhall.server.hall.room import Room
from meadhall.server.routes.api_models import table_info
from meadhall.server.store.models import Guest
from meadhall.server.web import event_stream


class TableEvents:
    """The events of a table for one client.

    Args:
        last: number of the last action that the client knows; 0: none.
    """

    def __init__(self, room: Room, guest: Guest, last: int) -> None:
        self._room = room
        self._guest = guest
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
            for step in match.recorded(seat, after=self._last, sealed=daily.is_sealed(self._room.table, self._room.time)):
                self._last = step["n"]
                yield _event("action", step, self._last)
        yield _event("table", table_info(self._room, self._guest))


def _event(name: str, data: Any, id: int | None = None) -> bytes:
    return event_stream.encode_event(msgspec.json.encode(data).decode(), name, id)
