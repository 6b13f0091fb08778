"""Run a web server: uvicorn, and a clean stop while streams are open."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from threading import Thread
from types import FrameType
from typing import Any, Final

import uvicorn

from meadhall.server.app import create_app
from meadhall.server.hall.hall import Hall
from meadhall.server.listener import announce, bind, open_browser
from meadhall.server.ops import metrics, systemd
from meadhall.server.ops.file_limit import raise_file_limit
from meadhall.server.ops.logs import configure_logging
from meadhall.server.settings import Settings
from meadhall.server.store.store import Store
from meadhall.server.web.connections import ConnectionLimits, LimitedConnection, check_deadlines, limit_requests
from meadhall.server.web.forwarded import trust_proxies
from meadhall.server.web.request_ids import identify_requests
from meadhall.server.worker.cluster import new_worker

log = logging.getLogger(__name__)

_GRACE: Final = 1
"""Seconds that a stop waits for running requests."""

_KEEP_ALIVE: Final = 65
"""Seconds that an idle connection stays open: longer than proxies and clients keep it, whose next request would fail else."""

_LONGEST_STOP: Final = 1.8
"""Seconds after which a stop is cut short: a database that is away, or a busy machine, could hold it up. Everything that was
acknowledged is stored by then."""

_TICKS: Final = 10
"""Ticks of uvicorn in a second."""

_OTHER_FILES: Final = 128
"""File descriptors that are not connections: the database, the worker, files that are sent."""


_NO_RELOAD: Final = "SIGHUP is ignored: a running hall can't be reloaded; restart it"


class _Server(uvicorn.Server):
    """A uvicorn server that ends open streams when it stops. Uvicorn alone would wait for them for ever."""

    def __init__(self, config: uvicorn.Config, hall: Hall, settings: Settings) -> None:
        super().__init__(config)
        self._hall = hall
        self._settings = settings
        self._announcing: asyncio.Task[None] | None = None
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._announcing = asyncio.create_task(announce(self._settings, self._hall.ready.all.wait()))
            open_browser(self._settings)
            if hasattr(signal, "SIGHUP") and not os.isatty(0):  # a terminal that closes ends the hall
                self._loop.add_signal_handler(signal.SIGHUP, log.warning, _NO_RELOAD)

    async def main_loop(self) -> None:
        """Look after the server every second. Uvicorn does so ten times, which keeps an idle machine awake."""
        counter = 0
        while not await self.on_tick(counter):
            counter += _TICKS
            timer = self._loop.call_later(1.0, self._woken.set)
            await self._woken.wait()
            timer.cancel()
            self._woken.clear()

    async def on_tick(self, counter: int) -> bool:
        check_deadlines(self.server_state.connections, self._loop.time())
        if not self.should_exit:  # STOPPING is the last word
            systemd.keep_alive(self._announcing is not None and self._announcing.done())
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if not self.should_exit:
            systemd.notify(systemd.STOPPING)
            Thread(target=self._cut_short, name="stop", daemon=True).start()
        self._hall.stop_waiting()
        super().handle_exit(sig, frame)
        self._loop.call_soon_threadsafe(self._woken.set)

    def _cut_short(self) -> None:
        """End this process if its stop takes long."""
        time.sleep(_LONGEST_STOP)
        if self._settings.socket is not None:
            self._settings.socket.unlink(missing_ok=True)
        os._exit(0)


def serve(settings: Settings) -> None:
    """Run the web server of a hall until a signal stops it. Raises CannotListen, StoreBusy, StoreUnusable."""
    configure_logging(settings.log, metrics.PROCESS)
    loop = uvicorn.Config("", log_config=None).get_loop_factory()
    with bind(settings) as listener, asyncio.Runner(loop_factory=loop) as runner:
        runner.run(_serve(settings, listener))


async def _serve(settings: Settings, listener: socket.socket) -> None:
    async with Store.open(settings) as store:
        app = create_app(settings, store, new_worker(settings.cluster))
        _note_start(settings)
        limits = ConnectionLimits(settings.connections_per_client, raise_file_limit() - _OTHER_FILES, settings.proxies)
        protocol: Any = partial(LimitedConnection, limits=limits)
        whole = trust_proxies(limit_requests(app, limits), settings.proxies, settings.public_url)
        config = uvicorn.Config(
            identify_requests(whole, settings.proxies),
            http=protocol,
            ws="none",
            log_config=None,  # its lines go to our log
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE,
            timeout_keep_alive=_KEEP_ALIVE,
            proxy_headers=False,  # trust_proxies reads them, for the limits too
        )
        with _exit_status_zero():
            await _Server(config, app.state.hall, settings).serve([listener])


def _note_start(settings: Settings) -> None:
    """Note how the hall was started, for commands that print links to it."""
    try:
        settings.note_start()
    except OSError as error:
        log.warning(
            "%s: %s; `meadhall invite` and `people link` need the same settings as the hall", error.filename, error.strerror
        )


@contextmanager
def _exit_status_zero() -> Iterator[None]:
    """Ignore the signal that stopped uvicorn. Uvicorn raises it again at its end, and the process would exit with its status."""
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
