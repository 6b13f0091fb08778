"""Compressed responses: the client chooses, nothing of the text changes, and each event of a stream can be read at once."""

from __future__ import annotations

import asyncio
import os
import sys
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from hashlib import sha512
from pathlib import Path
from typing import Any
from weakref import WeakSet

import pytest
from backports import zstd

from meadhall.server.web import compression
from meadhall.server.web.compression import STREAMS, ZstdStream, accepted_encoding
from meadhall.server.web.event_stream import event_stream
from server.people import OpenHall, stream


@pytest.mark.parametrize(
    ("header", "encoding"),
    [
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip, deflate", "gzip"),
        ("GZIP;q=0.5, zstd;q=0", "gzip"),
        ("zstd;q=0, *", "gzip"),
        ("*", "zstd"),
        ("*;q=0", None),
        ("gzip;q=oops", None),
        ("br, identity", None),
        ("", None),
    ],
)
def test_the_client_chooses_the_encoding(header: str, encoding: str | None) -> None:
    assert accepted_encoding(header.encode()) == encoding


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
async def test_pages_and_static_files_are_compressed(hall: OpenHall, encoding: str) -> None:
    person = hall.person()
    await person.get("/")
    pages = ("/", "/nowhere", "/rules/axes-and-allies", "/rules/dungeon-allies", "/learn/dungeon-allies", "/daily")
    for path in (*pages, "/static/css/base.css", "/schema/openapi.json", "/api/v1/games"):
        plain = await person.get(path, **{"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers
        async with person.http.stream("GET", path, headers={"Accept-Encoding": encoding}) as answer:
            received = b"".join([part async for part in answer.aiter_raw()])
        assert answer.headers["content-encoding"] == encoding, path
        assert answer.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
        assert int(answer.headers["content-length"]) == len(received) < len(plain.content)
        assert len(received) < 40_000, path
        assert decoder(encoding)(received) == plain.content
        assert answer.headers.get("etag", "W/").startswith("W/")


async def test_small_responses_and_pictures_are_sent_as_they_are(hall: OpenHall) -> None:
    person = hall.person()
    for path in ("/health", "/static/favicon.svg", "/static/fonts/grenze-latin-600-normal.woff2"):
        assert "content-encoding" not in (await person.get(path, **{"Accept-Encoding": "gzip"})).headers


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("encoding", STREAMS)
async def test_the_compressor_of_a_stream_takes_little_memory(encoding: str) -> None:
    """Also when it has compressed more than it remembers."""
    before = resident()
    streams = [STREAMS[encoding]() for _ in range(200)]
    for number in range(40):
        patch = b"".join(sha512(b"%d %d" % (number, part)).digest() for part in range(8000 // 64))
        sizes = {len(stream.compress(patch)) for stream in streams}
        assert max(sizes) >= len(patch), "nothing repeats"
    assert (resident() - before) / len(streams) < 190_000
    assert len(streams[0].compress(patch)) < len(patch) / 25, "it remembers the last patch"


async def test_the_events_of_a_program_are_sent_as_they_are(hall: OpenHall) -> None:
    _host, _friend, room = await hall.two_at()
    program = await hall.program()
    async with stream(program, f"/api/v1/tables/{room.table.id}/events", encoding="zstd") as events:
        assert "content-encoding" not in events.headers
        assert await events.message() is not None


async def test_the_memory_of_a_stream_is_freed_when_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if something still refers to the response: reference cycles are collected only every ten minutes."""
    responses: list[Any] = []

    async def events(path: str) -> AsyncIterator[bytes]:
        yield b"data: x\n\n"
        if path == "/left":
            raise asyncio.CancelledError

    async def receive() -> Any:
        await asyncio.get_running_loop().create_future()

    async def ignore(*_: Any) -> None: ...

    alive = WeakSet[ZstdStream]()

    def opened() -> ZstdStream:
        stream = ZstdStream()
        alive.add(stream)
        return stream

    monkeypatch.setitem(compression.STREAMS, "zstd", opened)
    for path in ("/ended", "/left"):
        scope: dict[str, Any] = {"type": "http", "path": path, "headers": [(b"accept-encoding", b"zstd")], "state": {}}
        stream: Any = event_stream(events(path))
        responses.append(stream.to_asgi_response())
        with suppress(asyncio.CancelledError):
            await responses[-1](scope, receive, ignore)
    assert len(alive) == 0


def decoder(encoding: str) -> Callable[[bytes], bytes]:
    return zlib.decompressobj(31).decompress if encoding == "gzip" else zstd.ZstdDecompressor().decompress


def resident() -> int:
    """Return the memory that this process occupies, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
