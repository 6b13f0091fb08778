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
from pathlib import Path
from threading import Thread
from types import FrameType
from typing import Any, Final

import uvicorn

from meadhall.server.app import FIRST_PROCESS, create_app
from meadhall.server.doctor.database import check_database
from meadhall.server.hall.hall import Hall
from meadhall.server.listener import announce, bind, open_browser
from meadhall.server.ops import systemd
from meadhall.server.ops.file_limit import raise_file_limit
from meadhall.server.ops.lifeline import Lifeline
from meadhall.server.ops.logs import configure_logging
from meadhall.server.settings import Settings
from meadhall.server.store.store import Store
from meadhall.server.web.connections import ConnectionLimits, LimitedConnection, check_deadlines, limit_requests
from meadhall.server.web.forwarded import trust_proxies
from meadhall.server.web.request_ids import identify_requests
from meadhall.server.web.retirement import Retirement
from meadhall.server.worker.client import Worker
from meadhall.server.worker.remote import SharedWorker, WorkerProcess

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


class _Place:
    """The place of a web server among the processes of its hall: the only one.

    Attributes:
        process: its name in metrics and in the log.
        listener: the bound socket.
        worker: its worker.
        waits_for_games: whether it accepts connections only when every game can be played.
    """

    waits_for_games = False

    def __init__(self, settings: Settings, listener: socket.socket) -> None:
        self.process = FIRST_PROCESS
        self.listener = listener
        self.worker: Worker = WorkerProcess()
        self._settings = settings
        self._announcing: asyncio.Task[None] | None = None

    def listens(self, server: _Server) -> None:
        """Note that the server listens."""
        self._announcing = asyncio.create_task(announce(self._settings, server.hall.ready.all.wait()))
        open_browser(self._settings)
        if hasattr(signal, "SIGHUP") and not os.isatty(0):  # a terminal that closes ends the hall
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, log.warning, _NO_RELOAD)

    def opens(self) -> None:
        """Note that every game can be played."""

    def beat(self, is_open: bool) -> None:
        """Say every second that the server is alive, once it is open. ``is_open``: whether every game can be played."""
        systemd.keep_alive(is_open and self._announcing is not None and self._announcing.done())

    def cut_short(self) -> None:
        """Remove what a clean end would remove."""
        if self._settings.socket is not None:
            self._settings.socket.unlink(missing_ok=True)


_NO_RELOAD: Final = "SIGHUP is ignored: a hall of one process can't be reloaded without an outage; restart it"


class _SharedPlace(_Place):
    """The place of one of several web servers, which a supervisor runs."""

    def __init__(self, process: str, listener: socket.socket, worker: Path, lifeline: Lifeline, *, waits_for_games: bool) -> None:
        self.process = process
        self.listener = listener
        self.worker = SharedWorker(worker)
        self.waits_for_games = waits_for_games
        self._lifeline = lifeline

    def listens(self, server: _Server) -> None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, server.retire)

    def opens(self) -> None:
        self._lifeline.ready()

    def beat(self, is_open: bool) -> None:  # noqa: ARG002 - the supervisor knows from the first beat on that it lives
        self._lifeline.beat()

    def cut_short(self) -> None:
        pass


class _Server(uvicorn.Server):
    """A uvicorn server that ends open streams when it stops. Uvicorn alone would wait for them for ever."""

    def __init__(self, config: uvicorn.Config, hall: Hall, place: _Place, retirement: Retirement) -> None:
        super().__init__(config)
        self.hall = hall
        self._place = place
        self._retirement = retirement
        self._is_open = False
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._place.listens(self)

    async def main_loop(self) -> None:
        """Look after the server every second. Uvicorn does so ten times, which keeps an idle machine awake."""
        opening = asyncio.create_task(self._open())
        counter = 0
        while not await self.on_tick(counter):
            counter += _TICKS
            timer = self._loop.call_later(1.0, self._woken.set)
            await self._woken.wait()
            timer.cancel()
            self._woken.clear()
        opening.cancel()

    async def _open(self) -> None:
        await self.hall.ready.all.wait()
        self._is_open = True
        self._place.opens()

    async def on_tick(self, counter: int) -> bool:
        now = asyncio.get_running_loop().time()
        check_deadlines(self.server_state.connections, now)
        self._place.beat(self._is_open)
        if self._retirement.is_over(len(self.server_state.connections), now):
            self.handle_exit(signal.SIGTERM, None)
        return await super().on_tick(counter)

    def retire(self) -> None:
        """Accept no connections any more, and stop when those that are open have ended."""
        if not self._retirement.has_begun:
            self._retirement.begin(asyncio.get_running_loop().time())
            for server in self.servers:
                server.close()
            self.hall.end_streams()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if not self.should_exit:
            systemd.notify(systemd.STOPPING)
            Thread(target=self._cut_short, name="stop", daemon=True).start()
        self.hall.stop_waiting()
        super().handle_exit(sig, frame)
        self._loop.call_soon_threadsafe(self._woken.set)

    def _cut_short(self) -> None:
        """End this process if its stop takes long."""
        time.sleep(_LONGEST_STOP)
        self._place.cut_short()
        os._exit(0)


def serve(settings: Settings) -> None:
    """Run the only web server of a hall until a signal stops it. Raises CannotListen, StoreBusy, StoreUnusable."""
    configure_logging(settings.log, FIRST_PROCESS)
    with bind(settings) as listener:
        _run(settings, _Place(settings, listener))


def serve_for_supervisor(
    settings: Settings, process: str, listener: socket.socket, worker: Path, lifeline: Lifeline, *, waits_for_games: bool
) -> None:
    """Run one of several web servers until a signal stops it. Raises StoreUnusable.

    Args:
        settings: the settings of the hall.
        process: name of this process in metrics and in the log.
        listener: the bound socket that all of them share.
        worker: the Unix socket of the worker that all of them share.
        lifeline: the line to the supervisor.
        waits_for_games: whether to accept connections only when every game can be played: other processes take them meanwhile.
    """
    configure_logging(settings.log, process)
    with listener:
        _run(settings, _SharedPlace(process, listener, worker, lifeline, waits_for_games=waits_for_games))


def _run(settings: Settings, place: _Place) -> None:
    with asyncio.Runner(loop_factory=uvicorn.Config("", log_config=None).get_loop_factory()) as runner:
        runner.run(_serve(settings, place))


async def _serve(settings: Settings, place: _Place) -> None:
    async with Store.open(settings, upgrades=not place.waits_for_games) as store:
        if place.process == FIRST_PROCESS and not settings.embedded:
            await asyncio.to_thread(_warn, settings)
        app = await create_app(settings, store, place.worker, place.process, waits_for_games=place.waits_for_games)
        if settings.embedded:
            _note_start(settings)
        limits = ConnectionLimits(settings.connections_per_client, raise_file_limit() - _OTHER_FILES, settings.proxies)
        protocol: Any = partial(LimitedConnection, limits=limits)
        retirement = Retirement()
        whole = trust_proxies(limit_requests(app, limits), settings.proxies, settings.public_url)
        config = uvicorn.Config(
            retirement.close_connections(identify_requests(whole, settings.proxies)),
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
            await _Server(config, app.state.hall, place, retirement).serve([place.listener])


def _note_start(settings: Settings) -> None:
    """Note how the hall was started, for commands that print links to it."""
    try:
        settings.note_start()
    except OSError as error:
        log.warning(
            "%s: %s; `meadhall invite` and `people link` need the same settings as the hall", error.filename, error.strerror
        )


def _warn(settings: Settings) -> None:
    """Log what ``meadhall doctor`` says about PostgreSQL, unless all is well."""
    for finding in check_database(settings, only_server=True):
        if finding.status != "ok":
            log.warning("%s. %s", finding.text, finding.advice)


@contextmanager
def _exit_status_zero() -> Iterator[None]:
    """Ignore the signal that stopped uvicorn. Uvicorn raises it again at its end, and the process would exit with its status."""
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
