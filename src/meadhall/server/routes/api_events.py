"""The event stream of the API: a table's actions, undone actions, and the table itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from meadhall.engine.match.match import Match
from meadhall.engine.state.events import PUBLIC
from meadhall.server.hall.daily import daily
from meadhall.server.hall.room import Room
from meadhall.server.routes.api_models import told_of, told_to_seat
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

    def news(self) -> list[bytes]:
        """Return the events that bring the client up to date."""
        room, news = self._room, list[bytes]()
        told = told_of(room, self._outside.url)
        match, seat = room.match, room.table.seat_of(self._guest.id)
        if self._last >= (1 if match is None else match.next_number) or (self._last and seat != self._seat):
            # it knows actions that this match does not have, or knows them from another seat
            self._last, self._undone = 0, set()
            news.append(_event("reload", {}))
        self._seat = seat
        if match is not None:
            if match.undone:
                undone = {step.n for undo in match.undone for step in undo.steps if step.n <= self._last} - self._undone
                if undone:
                    self._undone |= undone
                    news.append(_event("undo", {"actions": sorted(undone)}))
            if match.steps and match.steps[-1].n > self._last:
                for number, event in self._actions(match, seat, told):
                    self._last = number
                    news.append(event)
        news.append(b"event: table\ndata: %b\n\n" % bytes(told_to_seat(room, seat, told, self._outside)))
        return news

    def _actions(self, match: Match, seat: int | None, told: dict[Any, Any]) -> Sequence[tuple[int, bytes]]:
        """Return the numbers and events of the actions that are new. All who may know everything of the last one share it."""
        if len(match.steps) > 1 and match.steps[-2].n > self._last:
            return self._written(match, seat)
        if "open" not in told:
            last = match.steps[-1]
            told["open"] = not last.sealed and all(event.audience == PUBLIC for event in last.events)
        key = "action", None if told["open"] else seat
        if key not in told:
            told[key] = self._written(match, seat)
        found: Sequence[tuple[int, bytes]] = told[key]
        return found

    def _written(self, match: Match, seat: int | None) -> Sequence[tuple[int, bytes]]:
        sealed = daily.is_sealed(self._room.table, self._room.time)
        new = match.recorded(seat, after=self._last, sealed=sealed)
        return [(step["n"], _event("action", step, step["n"])) for step in new]


def _event(name: str, data: Any, id: int | None = None) -> bytes:
    number = b"" if id is None else b"id: %d\n" % id
    return b"event: %b\n%bdata: %b\n\n" % (name.encode(), number, msgspec.json.encode(data))
