"""Requests that a client sends before it has read an answer: few of them wait, and none after the connection is lost."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest_asyncio
import uvicorn
from litestar.types import Receive, Scope, Send

from meadhall.server.web.connections import WAITING_LIMIT, ConnectionLimits, LimitedConnection
from ports import free_port

_REQUEST = b"GET /quick HTTP/1.1\r\nHost: x\r\n\r\n"
_STREAM = b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n"


class _Application:
    """An ASGI application whose streams last until their client leaves."""

    def __init__(self) -> None:
        self.streaming = asyncio.Event()
        self.left = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        if scope["path"] == "/stream":
            self.streaming.set()
            while (await receive())["type"] != "http.disconnect":
                pass
            self.left.set()
            return
        await asyncio.sleep(0)
        await send({"type": "http.response.body", "body": b"ok", "more_body": False})


class _Server:
    def __init__(self, application: _Application) -> None:
        self.application = application
        self.port = free_port()
        asgi: Any = application
        http: Any = partial(LimitedConnection, limits=ConnectionLimits(100, 1000, ""))
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
