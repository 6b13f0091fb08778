"""Records of finished matches: of one, or all of a person, one a line (JSON Lines), as ``meadhall verify`` reads them."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Sequence
from typing import Final

from meadhall.engine.record.format import dumps
from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import current_language
from meadhall.server.hall.daily.daily import is_sealed
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.records.kept_records import bare, packed, unpacked
from meadhall.server.hall.state import replayed
from meadhall.server.store import matches, profiles, tables
from meadhall.server.store.models import FINISHED, Entry, TableRow

_AS_GZIP: Final = 16 + zlib.MAX_WBITS
"""zlib's ``wbits`` for the header of gzip."""


class MatchRecords:
    """Downloads of records. A process replays one match at a time, if the record of a match was not stored at its end."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._lock = asyncio.Lock()

    async def of(self, guest: str) -> AsyncIterator[bytes]:
        """Yield the records of a guest's finished matches as lines, the first finished first.

        Matches whose deal others still play today are left out.
        """
        for id in await self._hall.store.read(profiles.tables_with_record, guest):
            table = self._hall.store.transact(tables.find, id)
            record = None if table is None else await self.of_table(table)
            if record is not None:
                yield record.encode() + b"\n"

    async def of_table(self, table: TableRow) -> str | None:
        """Return the record of a finished match as one line; None if there is none, or not yet.

        Under other rules than the installed ones the match can't be replayed. Then its record is the one that was stored, else
        a bare one.
        """
        if table.status not in FINISHED or table.started_at is None or is_sealed(table, self._hall.time):
            return None
        kept = {} if self._hall.settings.development else self._hall.store.transact(matches.records_of, table.id)
        if current_language() in kept:
            return unpacked(kept[current_language()])
        if self._hall.can_show(table):
            return await self._written(table)
        if kept:
            return unpacked(next(iter(kept.values())))
        if table.game in game_names() and table.rules == game(table.game).version:
            return None  # the game is not ready
        record = bare(table, self._hall.store.transact(matches.entries_of, table.id))
        return None if record is None else dumps(record)

    async def _written(self, table: TableRow) -> str | None:
        """Replay a match, and store its record."""
        found = self._hall.store.transact(matches.entries_of, table.id)
        if any(entry.kind == "edit" for entry in found):
            return None
        async with self._lock:  # not while the line is sent: a slow reader would hold up all others
            record = await asyncio.to_thread(_packed, table, found)
        self._hall.store.transact(matches.add_record_later, table, current_language(), record)
        return unpacked(record)


def _packed(table: TableRow, entries: Sequence[Entry]) -> bytes:
    match = replayed(game(table.game), table, entries).match
    assert match is not None
    return packed(match)


async def gzipped(lines: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the same lines as a gzip file (RFC 1952)."""
    compressor = zlib.compressobj(wbits=_AS_GZIP)
    async for line in lines:
        part = compressor.compress(line)
        if part:
            yield part
    yield compressor.flush()
