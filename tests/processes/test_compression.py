"""Compressed streams of a hall in a separate process: each event can be read at once and is small."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from statistics import mean
from typing import Any

import httpx
from backports import zstd

from processes.process import Process, hall_process


async def test_each_event_of_a_stream_can_be_read_at_once_and_is_small(tmp_path: Path) -> None:
    """A match of Dungeon Allies has about 250 frames. They must take less than 3 MB, also for a client that gets whole frames.

    The first two clients do. The third is a page, which gets patches.
    """
    async with hall_process(tmp_path) as hall, httpx.AsyncClient(base_url=f"{hall.url}/api/v1", timeout=60) as client:
        token = (await client.post("/guests", json={"name": "Ada"})).json()["token"]
        client.headers["Authorization"] = f"Bearer {token}"
        setup = {"game": "dungeon-allies", "bots": ["thrall", "thrall"]}
        table = f"/tables/{(await client.post('/tables', json=setup)).json()['id']}"
        async with (
            listening(hall, table, "zstd") as by_zstd,
            listening(hall, table, "gzip") as by_gzip,
            listening(hall, table, "zstd", page="p") as of_page,
        ):
            clients = by_zstd, by_gzip, of_page
            sizes = [[await anext(arriving)] for arriving in clients]
            for _ in range(12):
                legal: list[dict[str, Any]] = []
                while not legal:
                    legal = (await client.get(f"{table}/legal")).json()
                assert (await client.post(f"{table}/actions", json={"action": legal[0]["action"]})).status_code == 200
                for received, arriving in zip(sizes, clients, strict=True):
                    received.append(await anext(arriving))
    assert mean(sizes[0]) < 12_000, sizes
    assert mean(sizes[1]) < 12_000, sizes
    assert mean(sizes[2]) < 4_000, sizes


@asynccontextmanager
async def listening(hall: Process, table: str, encoding: str, page: str = "") -> AsyncIterator[AsyncIterator[int]]:
    """Open a spectator's stream; yield an iterator over the sizes of its events on the wire. ``page``: the name of the page."""
    reader, writer = await asyncio.open_connection("127.0.0.1", hall.port)
    writer.write(
        f"GET {table}/stream HTTP/1.1\r\nHost: x\r\nAccept-Encoding: {encoding}\r\nMeadhall-Page: {page}\r\n\r\n".encode()
    )
    try:
        assert f"content-encoding: {encoding}".encode() in await reader.readuntil(b"\r\n\r\n")
        yield _event_sizes(reader, encoding)
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def _event_sizes(reader: asyncio.StreamReader, encoding: str) -> AsyncIterator[int]:
    decode = decoder(encoding)
    while True:
        chunk = await reader.readexactly(int(await reader.readuntil(b"\r\n"), 16) + 2)
        assert decode(chunk[:-2]).endswith(b"\n\n"), "a chunk must end with an event, and all of it must be readable"
        yield len(chunk)


def decoder(encoding: str) -> Callable[[bytes], bytes]:
    return zlib.decompressobj(31).decompress if encoding == "gzip" else zstd.ZstdDecompressor().decompress
