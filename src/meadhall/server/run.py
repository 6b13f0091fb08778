"""Run a web server: uvicorn, and a clean stop while streams are open."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, Final

import uvicorn
from litestar import Litestar

from meadhall.server.app import FIRST_PROCESS, create_app
from meadhall.server.doctor.database import check_database
from meadhall.server.listener import announce, bind
from meadhall.server.ops import systemd
from meadhall.server.ops.file_limit import raise_file_limit
from meadhall.server.ops.lifeline import Lifeline
from meadhall.server.ops.logs import configure_logging
from meadhall.server.settings import Settings
from meadhall.server.store.store import Store
from meadhall.server.web.connections import ConnectionLimits, LimitedConnection, check_deadlines, limit_requests
from meadhall.server.web.forwarded import trust_proxies
from meadhall.server.web.request_ids import identify_requests
from meadhall.server.worker.client import Worker
from meadhall.server.worker.remote import SharedWorker, WorkerProcess

log = logging.getLogger(__name__)

_GRACE: Final = 1
"""Seconds that a stop waits for running requests."""

_KEEP_ALIVE: Final = 65
"""Seconds that an idle connection stays open: longer than proxies and clients keep it, whose next request would fail else."""

_TICKS: Final = 10
"""Ticks of uvicorn in a second."""

_OTHER_FILES: Final = 128
"""File descriptors that are not connections: the database, the worker, files that are sent."""


@dataclass(frozen=True)
class _Place:
    """The place of a web server among the processes of its hall.

    Attributes:
        process: its name in metrics and in the log.
        listener: the bound socket.
        worker: its worker.
        opened: called when it listens.
        beat: called every second from then on.
    """

    process: str
    listener: socket.socket
    worker: Worker
    opened: Callable[[], None]
    beat: Callable[[], None]


class _Server(uvicorn.Server):
    """A uvicorn server that ends open streams when it stops. Uvicorn alone would wait for them for ever."""

    def __init__(self, config: uvicorn.Config, app: Litestar, place: _Place) -> None:
        super().__init__(config)
        self._app = app
        self._place = place

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._place.opened()

    async def on_tick(self, counter: int) -> bool:
        if counter % _TICKS == 0:
            check_deadlines(self.server_state.connections, asyncio.get_running_loop().time())
            self._place.beat()
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        systemd.notify(systemd.STOPPING)
        self._app.state.hall.end_streams()
        super().handle_exit(sig, frame)


def serve(settings: Settings) -> None:
    """Run the only web server of a hall until a signal stops it. Raises CannotListen, StoreBusy, StoreUnusable."""
    configure_logging(settings.log, FIRST_PROCESS)
    with bind(settings) as listener:
        _run(settings, _Place(FIRST_PROCESS, listener, WorkerProcess(), lambda: announce(settings), systemd.keep_alive))


def serve_for_supervisor(settings: Settings, process: str, listener: socket.socket, worker: Path, lifeline: Lifeline) -> None:
    """Run one of several web servers until a signal stops it. Raises StoreUnusable.

    Args:
        settings: the settings of the hall.
        process: name of this process in metrics and in the log.
        listener: the bound socket that all of them share.
        worker: the Unix socket of the worker that all of them share.
        lifeline: the line to the supervisor.
    """
    configure_logging(settings.log, process)
    with listener:
        _run(settings, _Place(process, listener, SharedWorker(worker), lifeline.beat, lifeline.beat))


def _run(settings: Settings, place: _Place) -> None:
    with asyncio.Runner(loop_factory=uvicorn.Config("", log_config=None).get_loop_factory()) as runner:
        runner.run(_serve(settings, place))


async def _serve(settings: Settings, place: _Place) -> None:
    async with Store.open(settings) as store:
        if place.process == FIRST_PROCESS and not settings.embedded:
            await asyncio.to_thread(_warn, settings)
        app = await create_app(settings, store, place.worker, place.process)
        limits = ConnectionLimits(settings.connections_per_client, raise_file_limit() - _OTHER_FILES, settings.proxies)
        protocol: Any = partial(LimitedConnection, limits=limits)
        config = uvicorn.Config(
            identify_requests(
                trust_proxies(limit_requests(app, limits), settings.proxies, settings.public_url), settings.proxies
            ),
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
            await _Server(config, app, place).serve([place.listener])


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
