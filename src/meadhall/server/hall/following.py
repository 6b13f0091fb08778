"""How a room follows its stored table: it replays the match when it is opened, and continues it when other processes write."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import DatabaseUnavailable, OtherRules
from meadhall.server.hall.bots.stand_ins import as_played
from meadhall.server.hall.notices.audience import private_seats
from meadhall.server.hall.replaying import todays_options
from meadhall.server.hall.state import TableState, replayed, replayed_while_legal
from meadhall.server.store.models import FINISHED, Changes, TableRow
from meadhall.server.store.queries import tables
from meadhall.server.worker.threads import run_in_thread

if TYPE_CHECKING:
    from meadhall.server.hall.room import Room
    from meadhall.server.hall.services import Services

log = logging.getLogger(__name__)

_FEW = 20
"""Number of new entries that are applied at once. More of them are applied in a thread."""

_RETRY_DELAY = 1.0
"""Seconds before a room that is behind asks the database again that did not answer."""


class Follower:
    """Keeps one room at the state that is stored."""

    def __init__(self, room: Room, services: Services) -> None:
        self._room = room
        self._services = services
        self._store = services.store
        self._noted = self._read = 0  # how many times other processes have told of changes, and those read
        self._following: asyncio.Task[None] | None = None

    def note_change(self, only_entries: bool = False) -> None:
        """Note that another process has changed the table. Read it at once if a page waits for it or a bot may have to move.

        ``only_entries``: whether the match has new entries, but the seats have not changed.
        """
        self._noted += 1
        is_waited_for = len(self._room.channel) or self._may_move(only_entries)
        if is_waited_for and (self._following is None or self._following.done()):
            self._following = asyncio.create_task(self._follow())

    def _may_move(self, only_entries: bool) -> bool:
        """Return whether this process may have to move for a bot now."""
        table, match = self._room.table, self._room.match
        has_bots = not only_entries or any(as_played(row, match).kind == "bot" for row in table.seats)
        return has_bots and self._services.leases.holds(table.id)

    @property
    def is_behind(self) -> bool:
        """Whether another process has changed the table since this room last read it."""
        return self._read < self._noted

    async def _follow(self) -> None:
        """Catch up, as often as it takes."""
        while self.is_behind:
            try:
                await self.catch_up()
            except DatabaseUnavailable:
                await self._room.time.sleep(_RETRY_DELAY)
            except Exception:
                log.exception("table %s: the changes of another process could not be read", self._room.table.id)
                return

    async def catch_up(self) -> None:
        """Apply changes of other processes, and publish them. The match is continued, not replayed."""
        async with self._room.lock:
            if self.is_behind or not self._store.is_informed:
                await self.read_changes()
                self._room.let_bots_act()

    async def read_changes(self) -> bool:
        """Apply changes of other processes, and publish them to their audience. Return whether there were any."""
        room, noted, before = self._room, self._noted, self._room.table
        changes = await self._store.changes_since(before.id, before.version, room.entry_count)
        is_changed = changes.table is not None or bool(changes.entries)
        if is_changed:
            await self._apply(changes)
        self._read = noted
        if not is_changed:
            return False
        seats = private_seats(before, room.table, changes.entries)
        for seat in (None,) if seats is None else seats:
            room.publish(for_seat=seat)
        self.resume_hints()
        room.visits.announce()  # its guests may have got seats
        return True

    async def _apply(self, changes: Changes) -> None:
        """Continue the match with new entries, or begin it."""
        room = self._room
        table = changes.table or room.table
        if room.match is None or table.rules != room.game.version:
            await self.restore(table)
            return
        state = room.state.draft(room.time.now())
        if len(changes.entries) <= _FEW:
            state.follow(table, changes.entries)
        else:
            await asyncio.to_thread(state.follow, table, changes.entries)
        room.state = state
        await room.consent.learn_names()

    def resume_hints(self) -> None:
        """Search for hints that seats to move have requested at another process, if one of their pages is open here."""
        room, state, match = self._room, self._room.state, self._room.match
        if not state.hinted or match is None or state.table.status != "running" or not self._store.shared:
            return
        for seat in match.deciders:
            is_open = any(room.channel.has(guest) for guest in state.table.seats[seat].guests)
            if is_open and room.hints.current(match, seat) is None and state.is_hinted(seat):
                hint = room.hints.request(match, seat)
                hint.search.add_done_callback(lambda search: search.cancelled() or search.exception())  # shown as no hint

    async def count_outages(self) -> None:
        """Count the clocks again if there is a new outage."""
        clocks = self._room.state.clocks
        if clocks is not None and clocks.outages != self._services.deadlines.outages:
            await self.restore(self._room.table)

    async def restore(self, table: TableRow) -> None:
        """Read a stored table and replay its match. Refuse a match of another rules version: its replay would differ."""
        room = self._room
        if table.status in ("gathering", "closed"):
            room.state = TableState(replace(table, options=await run_in_thread(todays_options, room.game, table.options)))
            return
        if table.rules != room.game.version and self._keeps_match_of(table):
            async with self._store.unit() as unit:
                table = unit.save(replace(table, rules=room.game.version))
        if table.rules != room.game.version:
            raise OtherRules(
                _(
                    "This match started with version {old} of the rules of {game}; this server has version {new} now. "
                    "It can't be continued or shown here."
                ).format(old=table.rules, new=room.game.version, game=room.game.title),
                table.id if table.status in FINISHED else "",
            )
        changes = await self._store.changes_since(table.id, table.version, 0)
        table = changes.table or table  # the match may have begun or ended meanwhile
        replay = replayed_while_legal if self._keeps_match_of(table) else replayed
        state = await asyncio.to_thread(replay, room.game, table, changes.entries, self._services.deadlines.outages)
        if state.match is not None and not state.match.steps:
            state.newcomers = await self._store.transact(tables.newcomers, table)
        room.state = state
        await room.consent.learn_names()

    def _keeps_match_of(self, table: TableRow) -> bool:
        """Return whether a match goes on after a change of its rules, as long as they allow its actions."""
        return self._services.development and table.status == "running"

    def close(self) -> None:
        """Follow no longer."""
        if self._following is not None:
            self._following.cancel()
