"""Records of finished matches: of one, or all of a person, one a line (JSON Lines), as ``meadhall verify`` reads them.

A record is written when it is asked for: the match is replayed from its entries. By other rules than the installed ones it can't
be replayed. Then its record says what the hall has stored: the seed, the options, the actions and the result, without the events
and texts that the rules would give.
"""

from __future__ import annotations

import asyncio
import hashlib
import zlib
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final

from meadhall.engine.record.format import FORMAT, MatchRecord, dumps, written_time
from meadhall.engine.registry import game, game_names
from meadhall.server.hall.daily.daily import is_sealed
from meadhall.server.hall.state import replayed
from meadhall.server.store.models import FINISHED, RULES_CHANGED, Entry, TableRow
from meadhall.server.store.queries import entries, profiles, tables
from meadhall.server.store.store import Store

_AS_GZIP: Final = 16 + zlib.MAX_WBITS
"""zlib's ``wbits`` for the header of gzip."""


class MatchRecords:
    """Downloads of records. The hall replays one match at a time for them.

    Args:
        store: the database.
        can_show: returns whether the match of a table can be replayed.
    """

    def __init__(self, store: Store, can_show: Callable[[TableRow], bool]) -> None:
        self._store = store
        self._can_show = can_show
        self._lock = asyncio.Lock()

    async def of(self, guest: str) -> AsyncIterator[bytes]:
        """Yield the records of a guest's finished matches as lines, the first finished first.

        Matches whose deal others still play today are left out.
        """
        for id in await self._store.read(profiles.recordable, guest):
            table = self._store.transact(tables.find, id)
            record = None if table is None else await self.of_table(table)
            if record is not None:
                yield record.encode() + b"\n"

    async def of_table(self, table: TableRow) -> str | None:
        """Return the record of a finished match as one line; None if there is none, or not yet."""
        if table.status not in FINISHED or table.started_at is None or is_sealed(table, self._store.time):
            return None
        found = self._store.transact(entries.all_of, table.id)
        if any(entry.kind == "edit" for entry in found):
            return None
        if self._can_show(table):
            async with self._lock:  # not while the line is sent: a slow reader would hold up all others
                return await asyncio.to_thread(_written, table, found)
        if table.game in game_names() and table.rules == game(table.game).version:
            return None  # the game is not ready
        return dumps(bare(table, found))


def _written(table: TableRow, entries: Sequence[Entry]) -> str:
    match = replayed(game(table.game), table, entries).match
    assert match is not None
    return dumps(match.record())


def bare(table: TableRow, entries: Sequence[Entry]) -> MatchRecord:
    """Return the record of a finished match without what only its rules know."""
    actions, undone = _actions(entries)
    return {
        "format": FORMAT,
        "game": table.game,
        "rules": table.rules,
        "options": dict(table.options),
        "seats": [
            {"name": seat.name, "kind": "bot" if seat.kind == "bot" else "human", **({"bot": seat.bot} if seat.bot else {})}
            for seat in table.seats
        ],
        "started": written_time(table.started_at or table.created_at),
        **({"clock": table.clock.to_json()} if table.clock is not None else {}),
        "commitment": hashlib.sha256(table.seed).hexdigest(),
        "seed": table.seed.hex(),
        "complete": False,
        "setup": [],
        "actions": actions,
        "undone": undone,
        **_ending(table),
    }


def _ending(table: TableRow) -> MatchRecord:
    found = table.outcome or {"why": None}
    if "reason" in found:
        result = {name: found[name] for name in ("winners", "scores", "points", "reason") if name in found}
        return {"result": result | {"scores": found.get("payoffs", found["scores"])}}
    ending: MatchRecord = {"result": None, "abandoned": table.abandon_reason or RULES_CHANGED}
    if found["why"] is not None:
        ending["awarded"] = {name: found[name] for name in ("winners", "scores", "why")}
    return ending


def _actions(entries: Sequence[Entry]) -> tuple[list[MatchRecord], list[MatchRecord]]:
    """Return the actions of a match in the form of records, and those that were taken back."""
    actions: list[MatchRecord] = []
    undone: list[MatchRecord] = []
    number = 0
    for entry in entries:
        if entry.kind in ("action", "hinted"):
            number += 1
            hinted = {"hinted": True} if entry.kind == "hinted" else {}
            actions.append({"n": number, "seat": entry.seat, "action": entry.value, "text": "", "events": [], **hinted})
        elif entry.kind == "undo":
            kept = len(actions) - entry.value
            undone.append({"after": actions[kept - 1]["n"] if kept else 0, "actions": actions[kept:]})
            actions = actions[:kept]
    return actions, undone


async def gzipped(lines: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the same lines as a gzip file (RFC 1952)."""
    compressor = zlib.compressobj(wbits=_AS_GZIP)
    async for line in lines:
        part = compressor.compress(line)
        if part:
            yield part
    yield compressor.flush()
