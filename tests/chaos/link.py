"""A TCP connection to PostgreSQL that can be cut, like a network between two machines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


class Link:
    """Forwards connections on a port to PostgreSQL.

    While it is cut, nothing passes and no connection is closed: clients notice only by their own timeouts.
    """

    def __init__(self, target: int) -> None:
        self.port = 0
        self._target = target
        self._whole = asyncio.Event()
        self._whole.set()
        self._writers: set[asyncio.StreamWriter] = set()

    def cut(self) -> None:
        """Let nothing pass from now on."""
        self._whole.clear()

    def mend(self) -> None:
        """Close the connections that were cut, and let new ones pass."""
        for writer in tuple(self._writers):
            writer.transport.abort()
        self._whole.set()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Link]:
        """Listen on a free port during the block."""
        server = await asyncio.start_server(self._forward, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            self.mend()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        with suppress(OSError):
            await self._whole.wait()
            upstream_reader, upstream_writer = await asyncio.open_connection("127.0.0.1", self._target)
            self._writers.add(upstream_writer)
            await asyncio.gather(self._copy(reader, upstream_writer), self._copy(upstream_reader, writer))
            self._writers.discard(upstream_writer)
        self._writers.discard(writer)
        writer.transport.abort()

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                await self._whole.wait()
                writer.write(data)
                await writer.drain()
        writer.transport.abort()
