"""Limits on connections, with real sockets and a hall in a separate process: it goes on answering while clients misbehave."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from unittest.mock import Mock

import httpx
import pytest_asyncio

from meadhall.server.ops.addresses import address_group
from meadhall.server.web.connections import HEAD_LIMIT, Connection, Connections
from processes.process import PATIENCE, Process, hall_process

_PROXY = "127.0.0.9"
"""The only trusted proxy: the tests connect from 127.0.0.1 as ordinary clients, and from here as a proxy."""

_FAST = {"MEADHALL_TEST_DEADLINES": "1.0"}

_opened: list[asyncio.StreamWriter] = []


@pytest_asyncio.fixture(autouse=True)
async def close_connections() -> AsyncIterator[None]:
    """Close what a test has opened."""
    yield
    while _opened:
        _opened[-1].close()
        with suppress(ConnectionError):
            await _opened.pop().wait_closed()


async def connect(hall: Process, address: str = "127.0.0.1") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a connection from an address of this machine."""
    reader, writer = await asyncio.open_connection("127.0.0.1", hall.port, local_addr=(address, 0))
    _opened.append(writer)
    return reader, writer


async def answer_to(hall: Process, head: bytes, address: str = "127.0.0.1") -> bytes:
    """Send these bytes and return everything that comes back until the hall closes the connection."""
    reader, writer = await connect(hall, address)
    with suppress(ConnectionError):
        writer.write(head)
        await writer.drain()
    return await until_closed(reader)


async def until_closed(reader: asyncio.StreamReader) -> bytes:
    received = b""
    async with asyncio.timeout(PATIENCE):
        with suppress(ConnectionError):
            while part := await reader.read(1 << 16):
                received += part
    return received


@asynccontextmanager
async def answering(hall: Process) -> AsyncIterator[None]:
    """Ask the hall for a small page again and again during the block. It must answer each request, and once more at the end."""
    stop = asyncio.Event()

    async def ask() -> None:
        async with httpx.AsyncClient(base_url=hall.url, timeout=PATIENCE) as client:
            answered = False
            while not (stop.is_set() and answered):
                answered = stop.is_set()
                assert (await client.get("/health")).status_code == 200
                await asyncio.sleep(0.02)

    asking = asyncio.create_task(ask())
    try:
        yield
    finally:
        stop.set()
        await asking


async def until_answered(hall: Process, status: bytes, address: str = "127.0.0.1", forwarded: str = "") -> None:
    """Ask for a small page until the hall answers with this status."""
    head = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%s\r\n"
    line = f"X-Forwarded-For: {forwarded}\r\n".encode() if forwarded else b""
    async with asyncio.timeout(PATIENCE):
        while status not in (await answer_to(hall, head % line, address)).partition(b"\r\n")[0]:
            await asyncio.sleep(0.02)


async def test_a_head_of_any_size_is_refused_after_64_kilobytes(tmp_path: Path) -> None:
    line = b"X: " + b"a" * 8000 + b"\r\n"
    endless = b"X: " + b"a" * (1 << 20)
    async with hall_process(tmp_path) as hall, answering(hall):
        for filler in (line * 130, endless):  # many fields, one field
            _, writer = await connect(hall)
            writer.write(b"GET /health HTTP/1.1\r\nHost: x\r\n")
            sent = 0
            with suppress(ConnectionError):
                for _ in range(100):  # 100 MB
                    writer.write(filler)
                    await writer.drain()
                    sent += len(filler)
            assert sent < 20 << 20, "the hall went on reading"
        url = b"GET /" + b"a" * (HEAD_LIMIT + 10_000) + b" HTTP/1.1\r\nHost: x\r\n\r\n"
        assert (await answer_to(hall, url)).startswith((b"HTTP/1.1 431", b"")), "the answer may be lost with the connection"
        just_right = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX: " + b"a" * (HEAD_LIMIT - 100) + b"\r\n\r\n"
        assert b" 200 OK" in await answer_to(hall, just_right)
        text = hall.log.read_text()
        assert text.count("its head has more than") == 1, "one line a minute"


async def test_a_head_request_gets_the_head_of_the_answer_alone(tmp_path: Path) -> None:
    async with hall_process(tmp_path) as hall:
        for path in (b"/", b"/health/live", b"/static/css/tokens.css", b"/health/stream"):
            answer = await answer_to(hall, b"HEAD %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % path)
            assert answer.startswith(b"HTTP/1.1 200 "), path
            assert answer.endswith(b"\r\n\r\n"), path
        assert hall.log.read_text().splitlines() == hall.greeting


async def test_slow_heads_are_cut_off_and_bodies_that_stop(tmp_path: Path) -> None:
    async with hall_process(tmp_path, **_FAST, MEADHALL_CONNECTIONS_PER_CLIENT="1000") as hall, answering(hall):

        async def drip(start: bytes, byte: bytes) -> float:
            began = time.monotonic()  # before: the hall may accept the connection long before this busy loop goes on
            reader, writer = await connect(hall)
            writer.write(start)
            reading = asyncio.create_task(until_closed(reader))
            with suppress(ConnectionError):
                while not reading.done():
                    writer.write(byte)
                    await writer.drain()
                    await asyncio.sleep(0.1)
            received = await reading
            assert received.startswith(b"HTTP/1.1 408") or not received
            return time.monotonic() - began

        body = b"POST /settings HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        body += b"Content-Length: 60000\r\n\r\n"
        head = b"GET /health HTTP/1.1\r\nHost: x\r\n"
        drips = [(head, b"X: y\r\n"), (head, b"X"), (body, b""), (b"", b""), (b"", b"\r\n"), (b"G", b"")]
        seconds = await asyncio.gather(*(drip(*each) for each in drips * 8))
        assert min(seconds) > 0.9


async def test_malformed_requests_fill_no_log(tmp_path: Path) -> None:
    async with hall_process(tmp_path) as hall:
        for _ in range(5):
            assert (await answer_to(hall, b"hello\r\n\r\n")).startswith(b"HTTP/1.1 400")
        assert hall.log.read_text().count("Invalid HTTP request") == 1


async def test_a_body_that_makes_progress_is_not_cut_off(tmp_path: Path) -> None:
    form = b"name=" + b"a" * 45_000
    async with hall_process(tmp_path, MEADHALL_TEST_DEADLINES="3.0") as hall:  # no step takes so long, but the whole body does
        reader, writer = await connect(hall)
        writer.write(b"POST /settings HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n")
        writer.write(b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(form))
        for start in range(0, len(form), 1500):
            writer.write(form[start : start + 1500])
            await writer.drain()
            await asyncio.sleep(0.12)
        assert (await until_closed(reader)).startswith(b"HTTP/1.1 303")


async def test_a_client_that_leaves_while_it_sends_is_no_error(tmp_path: Path) -> None:
    kinds = {
        "/settings": "application/x-www-form-urlencoded",
        "/api/v1/guests": "application/json",
        "/replay": "multipart/form-data; boundary=x",
    }
    async with hall_process(tmp_path) as hall:
        for path, kind in kinds.items():
            reader, writer = await connect(hall)
            writer.write(f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: {kind}\r\nContent-Length: 500\r\n\r\nna".encode())
            await writer.drain()
            await until_answered(hall, b" 200 ")  # it has read what came before
            writer.close()
            assert not await until_closed(reader)
        await until_answered(hall, b" 200 ")
        assert hall.log.read_text().splitlines() == hall.greeting


async def test_connections_of_an_address_are_limited(tmp_path: Path) -> None:
    settings = {"MEADHALL_PROXIES": _PROXY, "MEADHALL_CONNECTIONS_PER_CLIENT": "5"}
    async with hall_process(tmp_path, **settings) as hall:
        kept = [await connect(hall, "127.0.0.3") for _ in range(5)]
        refused = await answer_to(hall, b"", "127.0.0.3")
        assert refused.startswith(b"HTTP/1.1 429")
        assert b"retry-after: " in refused
        assert b" 200 OK" in await answer_to(hall, b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "127.0.0.4")
        kept[0][1].close()
        await until_answered(hall, b" 200 ", "127.0.0.3")
        assert "MEADHALL_CONNECTIONS_PER_CLIENT" in hall.log.read_text()


async def test_clients_of_a_proxy_are_limited_by_the_forwarded_address(tmp_path: Path) -> None:
    settings = {"MEADHALL_PROXIES": _PROXY, "MEADHALL_CONNECTIONS_PER_CLIENT": "5", "MEADHALL_STREAMS_PER_CLIENT": "2"}
    async with hall_process(tmp_path, **settings) as hall:

        def half_a_form(forwarded: str) -> bytes:
            lines = ["POST /settings HTTP/1.1", "Host: x", f"X-Forwarded-For: {forwarded}", "Content-Length: 50"]
            return "\r\n".join([*lines, "Content-Type: application/x-www-form-urlencoded", "", "name"]).encode()

        kept = []
        for _ in range(5):
            kept.append(await connect(hall, _PROXY))
            kept[-1][1].write(half_a_form("192.0.2.1"))
        await until_answered(hall, b" 429 ", _PROXY, "192.0.2.1")
        await until_answered(hall, b" 200 ", _PROXY, "192.0.2.2")


async def test_the_hall_has_room_for_as_many_connections_as_the_system_allows(tmp_path: Path) -> None:
    """The soft limit is raised, and at the hard limit connections are refused: the hall neither stops nor spins."""
    settings = {"MEADHALL_CONNECTIONS_PER_CLIENT": "10000", "MEADHALL_TEST_FILE_LIMITS": "64,328"}
    async with hall_process(tmp_path, **settings) as hall:
        kept = [await connect(hall) for _ in range(190)]
        await until_answered(hall, b" 200 ")
        more = [await connect(hall) for _ in range(100)]
        answers = await asyncio.gather(*(until_closed(reader) for reader, _ in more[-20:]))
        assert all(each.startswith(b"HTTP/1.1 503") for each in answers)
        for _, writer in [*kept, *more]:
            writer.close()
        await until_answered(hall, b" 200 ")


def test_an_ipv6_client_counts_as_its_network() -> None:
    assert address_group("192.0.2.7") == address_group("::ffff:192.0.2.7") == "192.0.2.7"
    assert address_group("2001:db8:1:2::1") == address_group("2001:db8:1:2:ffff::9") != address_group("2001:db8:1:3::1")
    assert address_group("testclient") == "testclient"


def test_connections_are_counted_by_address_and_those_of_a_proxy_only_in_all() -> None:
    connections = Connections(per_client=2, total=3, proxies=_PROXY)
    ordinary, proxy = connections.client("192.0.2.1"), connections.client(_PROXY)
    assert proxy is None
    assert [connections.count(ordinary) for _ in range(3)] == [None, None, 429]
    assert [connections.count(proxy) for _ in range(3)] == [None] * 3
    connections.discount(ordinary)
    assert connections.count(ordinary) is None
    connections.open.update(Mock(spec=Connection) for _ in range(3))
    assert connections.count(proxy) == 503
