"""All match records of a person, one a line (JSON Lines), as ``meadhall verify`` reads them."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Sequence
from typing import Final

from meadhall.engine.game import game, game_names
from meadhall.engine.record.format import dumps
from meadhall.server.hall.daily import is_sealed
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.replaying import replayed
from meadhall.server.store.models import Entry, TableRow

_AS_GZIP: Final = 16 + zlib.MAX_WBITS
"""zlib's ``wbits`` for the header of gzip."""


class MatchRecords:
    """Downloads of records. A process writes one record at a time, because its match is replayed for it."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._lock = asyncio.Lock()

    async def of(self, guest: str) -> AsyncIterator[bytes]:
        """Yield the records of a guest's finished matches as lines, the first finished first.

        Matches under other rules than the installed ones are left out: they can't be replayed. So are those whose deal others
        still play today.
        """
        versions = {name: game(name).version for name in game_names()}
        for id in await self._hall.store.recordable(guest, versions):
            table = await self._hall.store.table(id)
            if table is not None and self._hall.can_show(table) and not is_sealed(table, self._hall.time):
                async with self._lock:  # not while the line is sent: a slow reader would hold up all others
                    line = await asyncio.to_thread(_line, table, await self._hall.store.entries(id))
                yield line


def _line(table: TableRow, entries: Sequence[Entry]) -> bytes:
    return dumps(replayed(game(table.game), table, entries).match.record()).encode() + b"\n"


async def gzipped(lines: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the same lines as a gzip file (RFC 1952)."""
    compressor = zlib.compressobj(wbits=_AS_GZIP)
    async for line in lines:
        part = compressor.compress(line)
        if part:
            yield part
    yield compressor.flush()
