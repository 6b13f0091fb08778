"""Run a web server: uvicorn, and a clean stop while streams are open."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Thread
from types import FrameType
from typing import Any, Final, NoReturn

import uvicorn
from litestar.datastructures import State

from meadhall.bots.bot import check_named, declared_bots
from meadhall.engine.registry import game, game_names
from meadhall.lab import is_warm, warm
from meadhall.server.app import create_app
from meadhall.server.hall.hall import Hall
from meadhall.server.listener import announce, bind, listens_at, open_browser
from meadhall.server.ops import metrics, systemd
from meadhall.server.ops.logs import configure_logging
from meadhall.server.ops.machine import raise_file_limit
from meadhall.server.settings import Settings
from meadhall.server.store.store import Store
from meadhall.server.web.connections import IDLE_SECONDS, Connections
from meadhall.server.worker.cluster import new_worker

log = logging.getLogger(__name__)

_GRACE: Final = 1
"""Seconds that a stop waits for running requests."""

_LONGEST_STOP: Final = 1.8
"""Seconds after which a stop is cut short: a database that is away, or a busy machine, could hold it up. Everything that was
acknowledged is stored by then."""

_TICKS: Final = 10
"""Ticks of uvicorn in a second."""

_OTHER_FILES: Final = 128
"""File descriptors that are not connections: the database, the worker, files that are sent."""

_LONGEST_ANSWER: Final = 10.0
"""Seconds that a restart waits for requests such as hints, which take long, before it keeps new ones waiting."""


class _Server(uvicorn.Server):
    """A uvicorn server that ends open streams when it stops. Uvicorn alone would wait for them for ever."""

    def __init__(
        self, config: uvicorn.Config, state: State, settings: Settings, sockets: systemd.Sockets, connections: Connections
    ) -> None:
        super().__init__(config)
        self.start_again: Callable[[], NoReturn] | None = None
        self._hall: Hall = state.hall
        self._dev = state.dev
        self._settings = settings
        self._sockets = sockets
        self._connections = connections
        self._restarting: asyncio.Task[None] | None = None
        self._announcing: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            given = {"config": self.config, "server_state": self.server_state, "app_state": self.lifespan.state}
            made = partial(self._connections.accept, is_kept=True, **given)
            for connection in self._sockets.connections:
                await self._loop.connect_accepted_socket(made, connection)
            self._announcing = asyncio.create_task(announce(self._settings, self._hall.ready.all.wait()))
            if not self._sockets.is_restart:
                open_browser(self._settings)
            if self._dev is not None:
                self._watching = asyncio.create_task(self._dev.watch(partial(self._restart, is_rehearsed=True)))
            if hasattr(signal, "SIGHUP") and not os.isatty(0):  # a terminal that closes ends the hall
                signal.signal(signal.SIGHUP, lambda *_: self.should_exit or self._loop.call_soon_threadsafe(self._restart))
                signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGHUP})

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
        self._connections.check_deadlines(self._loop.time())
        if not self.should_exit:  # STOPPING is the last word
            systemd.keep_alive(self._announcing is not None and self._announcing.done())
        return await super().on_tick(counter)

    def _restart(self, is_rehearsed: bool = False) -> None:
        """Begin a restart, unless one has begun."""
        if self._restarting is None or self._restarting.done():
            self._restarting = asyncio.create_task(self._retire(is_rehearsed))
            self._restarting.add_done_callback(lambda task: task.cancelled() or task.result())  # a fault goes to the log

    async def _retire(self, is_rehearsed: bool) -> None:
        """Answer the requests that have arrived, and stop, so that this process can start itself again with the same sockets.

        Requests that arrive meanwhile wait in these sockets: in new connections, and in those that are open.
        """
        if not is_rehearsed and not await _is_rehearsed():
            return
        systemd.notify("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")
        connections = self._connections.open
        begun = [(each, each.request) for each in connections if each.request is not None]
        await self._until(lambda: all(request.status or each.is_lost for each, request in begun), _LONGEST_ANSWER)
        try:
            await self._hand_over()
        except Exception:
            log.exception("the restart failed, so the hall ends; systemd starts it again")
            self.start_again = partial(sys.exit, 1)
            self.should_exit = True
            self._woken.set()

    async def _hand_over(self) -> None:
        """Close the listener, and leave it and the open connections to a later self of this process."""
        connections = self._connections.open
        for server in self.servers:
            server.close()
        self._hall.stop_waiting()
        await self._until(lambda: min([True, *(each.pause() for each in connections)]), _GRACE)
        if self.should_exit:
            return
        self.should_exit = True
        self._woken.set()
        if sys.platform == "win32":  # it can't hand over sockets
            self.start_again = partial(sys.exit, systemd.START_AGAIN)
            return
        kept = [number for each in tuple(connections) if (number := each.hand_over()) is not None]
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})  # the later self gets it when it is ready for it
        numbers = [self._sockets.listener.fileno(), *kept]
        self.start_again = partial(systemd.start_again, numbers, self._sockets.name)

    async def _until(self, holds: Callable[[], bool], longest: float) -> None:
        until = self._loop.time() + longest
        while not holds() and not self.should_exit and self._loop.time() < until:  # noqa: ASYNC110 - uvicorn sets no event
            await asyncio.sleep(0.01)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.start_again is not None or not self.should_exit:
            self.start_again = None
            systemd.notify(systemd.STOPPING)
            Thread(target=self._cut_short, name="stop", daemon=True).start()
        self._hall.stop_waiting()
        super().handle_exit(sig, frame)
        self._loop.call_soon_threadsafe(self._woken.set)

    def _cut_short(self) -> None:
        """End this process if its stop takes long."""
        time.sleep(_LONGEST_STOP)
        if self._settings.socket is not None and self._sockets.name == systemd.OWN:
            self._settings.socket.unlink(missing_ok=True)
        os._exit(0)


async def _is_rehearsed() -> bool:
    """Let another process try whether this one can start again. If it can't, say why: the hall goes on as it is."""
    trying = await asyncio.create_subprocess_exec(sys.executable, "-m", __name__, stderr=asyncio.subprocess.PIPE)
    _, errors = await trying.communicate()
    if trying.returncode:
        log.error("the hall goes on, because it could not start again: %s", errors.decode(errors="replace").strip())
    return not trying.returncode


def rehearse() -> None:
    """Load all that a hall needs, and compile its rules. So a mistake shows, and the next start takes a moment."""
    os.nice(10)
    Settings.from_environment()
    check_named(declared_bots())
    warm([name for name in game_names() if not is_warm(game(name))], bulk=False)


def serve(settings: Settings) -> None:
    """Run the web server of a hall until a signal stops it. Raises CannotListen, StoreBusy, StoreUnusable."""
    configure_logging(settings.log, metrics.PROCESS)
    loop = uvicorn.Config("", log_config=None).get_loop_factory()
    with bind(settings) as sockets:
        with asyncio.Runner(loop_factory=loop) as runner:
            start_again = runner.run(_serve(listens_at(settings, sockets), sockets))
        if start_again is not None:
            start_again()


async def _serve(settings: Settings, sockets: systemd.Sockets) -> Callable[[], NoReturn] | None:
    """Serve until a signal. Return what starts this process again, if it must."""
    async with Store.open(settings) as store:
        app = create_app(settings, store, new_worker(settings.cluster))
        if sockets.is_restart:
            app.state.hall.ready.prepared()
        _note_start(settings)
        connections = Connections(settings.connections_per_client, raise_file_limit() - _OTHER_FILES, settings.proxies)
        protocol: Any = connections.accept
        config = uvicorn.Config(
            app,
            http=protocol,
            ws="none",
            log_config=None,  # its lines go to our log
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE,
            timeout_keep_alive=IDLE_SECONDS,
            proxy_headers=False,  # the gateway reads them, for the limits too
        )
        server = _Server(config, app.state, settings, sockets, connections)
        with _exit_status_zero():
            await server.serve([sockets.listener.dup()])  # uvicorn closes it
    return server.start_again


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


if __name__ == "__main__":
    rehearse()
