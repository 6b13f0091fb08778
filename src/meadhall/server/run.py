"""Run the server: uvicorn, a clean stop while streams are open, and a browser at the start."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any, Final

import uvicorn
from litestar import Litestar

from meadhall.server.app import create_app
from meadhall.server.listener import address, bind
from meadhall.server.ops.file_limit import raise_file_limit
from meadhall.server.ops.log_limit import OncePerInterval
from meadhall.server.settings import Settings
from meadhall.server.store.store import Store
from meadhall.server.web.connections import ConnectionLimits, LimitedConnection, check_deadlines, limit_requests
from meadhall.server.web.forwarded import trust_proxies
from meadhall.server.worker.remote import WorkerProcess

_GRACE: Final = 1
"""Seconds that a stop waits for running requests."""

_TICKS: Final = 10
"""Ticks of uvicorn in a second."""

_OTHER_FILES: Final = 128
"""File descriptors that are not connections: the database, the worker, files that are sent."""


class _Server(uvicorn.Server):
    """A uvicorn server that ends open streams when it stops. Uvicorn alone would wait for them for ever."""

    def __init__(self, config: uvicorn.Config, app: Litestar, settings: Settings) -> None:
        super().__init__(config)
        self._app = app
        self._settings = settings

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            url = address(self._settings)
            print(f"The hall is open: {url}", flush=True)
            if self._settings.browser and url.startswith("http"):
                asyncio.get_running_loop().run_in_executor(None, webbrowser.open, url)

    async def on_tick(self, counter: int) -> bool:
        if counter % _TICKS == 0:
            check_deadlines(self.server_state.connections, asyncio.get_running_loop().time())
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._app.state.hall.end_streams()
        super().handle_exit(sig, frame)


def serve(settings: Settings) -> None:
    """Run the server until a signal stops it. Raises CannotListen, StoreBusy, StoreUnusable."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("alembic").setLevel(logging.WARNING)
    logging.getLogger("uvicorn.error").addFilter(OncePerInterval())  # it warns of each malformed request
    with bind(settings) as listener, asyncio.Runner(loop_factory=uvicorn.Config("").get_loop_factory()) as runner:
        runner.run(_serve(settings, listener))


async def _serve(settings: Settings, listener: socket.socket) -> None:
    async with Store.open(settings) as store:
        app = await create_app(settings, store, WorkerProcess())
        limits = ConnectionLimits(settings.connections_per_client, raise_file_limit() - _OTHER_FILES, settings.proxies)
        protocol: Any = partial(LimitedConnection, limits=limits)
        config = uvicorn.Config(
            trust_proxies(limit_requests(app, limits), settings.proxies),
            http=protocol,
            ws="none",
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE,
            proxy_headers=False,  # trust_proxies reads them, for the limits too
        )
        with _exit_status_zero():
            await _Server(config, app, settings).serve([listener])


@contextmanager
def _exit_status_zero() -> Iterator[None]:
    """Ignore the signal that stopped uvicorn. Uvicorn raises it again at its end, and the process would exit with its status."""
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
