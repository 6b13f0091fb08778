"""Requests that cost more than they say: few wait in a pipeline, and trailers have an end."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import pytest_asyncio
import uvicorn
from litestar.types import Receive, Scope, Send
from uvicorn.server import ServerState

from meadhall.server.web.connections import WAITING_LIMIT, Connections
from meadhall.server.web.event_stream import event_stream
from meadhall.server.web.forwarded import trusted_by
from meadhall.server.web.gateway import Gateway
from ports import free_port
from server.manual_time import settled

_REQUEST = b"GET /quick HTTP/1.1\r\nHost: x\r\n\r\n"
_UPLOAD = b"POST /upload HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
_STREAM = b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n"


class _Application:
    """An ASGI application whose streams last until their client leaves."""

    def __init__(self) -> None:
        self.streaming = asyncio.Event()
        self.left = asyncio.Event()
        self.received = 0  # bytes of bodies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        while scope["path"] == "/upload" and (message := await receive())["type"] == "http.request":
            self.received += len(message["body"])
            if not message["more_body"]:
                break
        if scope["path"] == "/stream":
            stream: Any = event_stream(self._events())
            await stream.to_asgi_response()(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await asyncio.sleep(0)
        await send({"type": "http.response.body", "body": b"ok", "more_body": False})

    async def _events(self) -> AsyncIterator[bytes]:
        try:
            self.streaming.set()
            yield b": begun\n\n"
            await asyncio.Event().wait()
        finally:
            self.left.set()


async def _refuse(*_: object) -> None:
    raise AssertionError("there is no limit on requests")


class _Server:
    def __init__(self, application: _Application) -> None:
        self.application = application
        self.port = free_port()
        asgi: Any = Gateway(application, lambda: None, _refuse, None, re.compile(""))
        self.connections = Connections(100, 1000, "10.9.9.9")
        http: Any = self.connections.accept
        self.uvicorn = uvicorn.Server(
            uvicorn.Config(asgi, host="127.0.0.1", port=self.port, http=http, lifespan="off", log_config=None, access_log=False)
        )

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port)


@pytest_asyncio.fixture
async def server() -> AsyncIterator[_Server]:
    """Run a server with a real socket in this process."""
    server = _Server(_Application())
    listener = socket.create_server(("127.0.0.1", server.port))
    serving = asyncio.create_task(server.uvicorn.serve([listener]))
    yield server
    server.uvicorn.should_exit = server.uvicorn.force_exit = True
    await serving


def _memory() -> int:
    """Return the resident memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


async def test_requests_that_wait_take_no_memory(server: _Server) -> None:
    before = _memory()
    reader, writer = await server.connect()
    writer.write(_STREAM)
    async with asyncio.timeout(60):
        await server.application.streaming.wait()
        with suppress(ConnectionError):
            for _ in range(100):
                writer.write(_REQUEST * 1000)
                await writer.drain()
        with suppress(ConnectionError):
            await reader.read(-1)  # the server has closed the connection
        await server.application.left.wait()
    writer.close()
    assert _memory() - before < 30 << 20
    assert not server.uvicorn.server_state.connections


@pytest.mark.parametrize("filler", [b"0\r\n" + b"X: y\r\n" * 1000, b"1;" + b"e" * 1000], ids=["trailers", "an extension"])
async def test_trailers_and_extensions_of_chunks_have_an_end(server: _Server, filler: bytes) -> None:
    reader, writer = await server.connect()
    writer.write(_UPLOAD)
    sent = 0
    async with asyncio.timeout(60):
        with suppress(ConnectionError):
            writer.write(filler)
            while not reader.at_eof():
                writer.write(b"X: y\r\n" * 1000 if filler.startswith(b"0") else b"e" * 1000)
                await writer.drain()
                sent += 1000
                await asyncio.sleep(0)
    assert sent < 20 << 20, "the server went on reading"
    writer.close()


async def test_a_body_in_chunks_of_a_usual_size_arrives(server: _Server) -> None:
    reader, writer = await server.connect()
    writer.write(_UPLOAD + (b"40\r\n" + b"x" * 64 + b"\r\n") * 1000 + b"0\r\n\r\n")
    async with asyncio.timeout(60):
        assert b"200 OK" in await reader.readuntil(b"ok")
    writer.close()
    assert server.application.received == 64 * 1000


async def test_the_log_names_the_proxy_of_a_connection(server: _Server, caplog: pytest.LogCaptureFixture) -> None:
    server.connections._trusted = trusted_by("127.0.0.1")
    reader, writer = await server.connect()
    writer.write(b"GET / HTTP/1.1\r\nX: " + b"x" * 100_000)
    with suppress(ConnectionError):
        await reader.read(-1)
    writer.close()
    assert "a request of the proxy 127.0.0.1 was refused" in caplog.text


async def test_a_few_requests_may_wait(server: _Server) -> None:
    reader, writer = await server.connect()
    writer.write(_REQUEST * (WAITING_LIMIT + 1))
    received = b""
    async with asyncio.timeout(60):
        while received.count(b"200 OK") <= WAITING_LIMIT:
            received += await reader.read(1 << 16)
    writer.close()


async def test_a_stream_ends_with_its_connection_also_if_another_request_waits(server: _Server) -> None:
    _, writer = await server.connect()
    writer.write(_STREAM + _REQUEST)
    async with asyncio.timeout(60):
        await server.application.streaming.wait()
        writer.close()
        await server.application.left.wait()


@pytest.mark.parametrize(
    ("sent", "packets"),
    [
        (_REQUEST, [b"\r\n\r\nok"]),
        (_REQUEST.replace(b"GET", b"HEAD"), [b"\r\n\r\n"]),
        (b"POST /quick HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n", [b" 100 Continue\r\n\r\n"]),
    ],
)
async def test_an_answer_is_one_packet_and_nothing_waits_for_its_content(sent: bytes, packets: list[bytes]) -> None:
    async def read_then_answer(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await _Application()(scope, receive, send)

    written: list[bytes] = []
    transport = Mock(spec=asyncio.Transport)
    transport.write, transport.is_closing = written.append, lambda: False
    transport.get_extra_info.return_value = None
    app: Any = Gateway(read_then_answer, lambda: None, _refuse, None, re.compile(""))
    config = uvicorn.Config(app, lifespan="off", log_config=None, access_log=False)
    connection = Connections(100, 1000, "").accept(config=config, server_state=ServerState(), app_state={})
    connection.connection_made(transport)
    connection.data_received(sent)
    await settled()
    assert len(written) == len(packets), written
    assert all(packet.endswith(end) for packet, end in zip(written, packets, strict=True))
    connection.connection_lost(None)
    await settled()
