"""Compressed responses: the client chooses, nothing of the text changes, and streams are sent as they are."""

from __future__ import annotations

import zlib
from collections.abc import Callable

import pytest
from backports import zstd

from meadhall.server.web.compression import accepted_encoding
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


@pytest.mark.parametrize("path", ["/tables/{}/stream", "/api/v1/tables/{}/events"])
async def test_the_events_of_a_stream_are_sent_as_they_are(hall: OpenHall, path: str) -> None:
    """A compressor for each open page would be its largest cost of memory."""
    _host, _friend, room = await hall.two_at()
    person = await hall.program() if path.startswith("/api") else hall.person()
    async with stream(person, path.format(room.table.id), encoding="zstd, gzip") as events:
        assert "content-encoding" not in events.headers
        assert await events.message() is not None


def decoder(encoding: str) -> Callable[[bytes], bytes]:
    return zlib.decompressobj(31).decompress if encoding == "gzip" else zstd.ZstdDecompressor().decompress
