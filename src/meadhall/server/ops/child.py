"""A child process that is started again whenever it ends, and killed when its event loop stands still."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
from asyncio.subprocess import Process
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final

from meadhall.engine.errors import MeadhallError
from meadhall.server.ops.lifeline import READY

log = logging.getLogger(__name__)

_STABLE: Final = 10.0
"""Seconds after which a process that ends did not fail at its start: it starts again at once."""

_FIRST_DELAY: Final = 0.25
"""Seconds before the second restart in a row. Each one more doubles them."""

_LAST_DELAY: Final = 5.0
"""Seconds between restarts at most: after an outage of the database the hall is back within this time."""

_LONGEST_START: Final = 30.0
"""Seconds for which a process that starts keeps others from starting."""

_SILENCE: Final = 30.0
"""Seconds without a beat after which an event loop counts as stuck."""


class CannotStart(MeadhallError):
    """A process ended with an error before it was ready for the first time."""


def send_signal(process: Process | None, number: int) -> None:
    """Send a signal to a process, if it runs.

    ``Process.send_signal`` collects the status of a process that has just ended, before asyncio does, which then warns of an
    unknown child.
    """
    if process is not None and process.returncode is None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, number)


class Child:
    """A process that is kept running.

    Args:
        name: its name in the log.
        command: its program and arguments.
        inherited: the sockets that it inherits, under the same descriptors.
        environment: its environment.
        ended: called with the id of a process that has ended.
        beats: whether it sends a byte every second, see ``Lifeline``.
        grace: seconds that it has to stop at the end of its line before it is killed.
        turn: held while the process starts. Children with a common lock start one after the other, because processes that start
            together are all ready late.

    Attributes:
        answers: set when the process has sent its first byte: a web process listens.
        ready: set when the process has been ready for the first time.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        inherited: Sequence[socket.socket],
        environment: Mapping[str, str],
        ended: Callable[[int], None],
        *,
        beats: bool,
        grace: float,
        turn: asyncio.Lock | None = None,
    ) -> None:
        self.name = name
        self.answers = asyncio.Event()
        self.ready = asyncio.Event()
        self._command = command
        self._inherited = inherited
        self._environment = environment
        self._ended = ended
        self._beats = beats
        self._grace = grace
        self._turn = turn or asyncio.Lock()
        self._is_up = asyncio.Event()
        self._retired = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None

    async def keep_running(self, after: asyncio.Event | None = None) -> None:
        """Start the process, and start it again whenever it ends, until it is retired. A cancelled task stops the process.

        Args:
            after: wait for this event first: the hall is open then, and an error at the start doesn't end it.

        Raises CannotStart, without ``after``.
        """
        if after is not None:
            await after.wait()
        loop = asyncio.get_running_loop()
        failures = 0
        while not self._retired.is_set():
            await self._turn.acquire()
            began = loop.time()
            end, is_error = await self._outcome_in_turn()
            if self._retired.is_set():
                return
            if is_error and after is None and not self.ready.is_set():
                raise CannotStart(f"{self.name} could not start ({end}); what it wrote above says why")
            failures = 0 if loop.time() - began > _STABLE else failures + 1
            delay = min(_FIRST_DELAY * 2 ** (failures - 2), _LAST_DELAY) if failures > 1 else 0.0
            log.error("%s has ended (%s); it starts again in %.2g s", self.name, end, delay)
            await asyncio.sleep(delay)

    def retire(self) -> None:
        """Ask the process to stop when it has answered what it was asked (SIGHUP). It isn't started again."""
        self._retired.set()
        send_signal(self._process, signal.SIGHUP)

    async def _outcome_in_turn(self) -> tuple[str, bool]:
        """Do the same as ``_outcome``, and release the turn when the process is ready."""
        self._is_up.clear()
        running, up = asyncio.create_task(self._outcome()), asyncio.create_task(self._is_up.wait())
        try:
            try:
                await asyncio.wait((running, up), timeout=_LONGEST_START, return_when=asyncio.FIRST_COMPLETED)
            finally:
                self._turn.release()
            return await running
        finally:
            for task in (running, up):
                task.cancel()
            await asyncio.gather(running, up, return_exceptions=True)

    async def _outcome(self) -> tuple[str, bool]:
        """Run the process once. Return in words how it ended, and whether that was an error of its program."""
        try:
            status = await self._run()
        except OSError as error:  # too many processes or files, too little memory, or the program is being updated
            return f"{error.strerror or error}", True
        if status < 0:
            return f"killed by {signal.Signals(-status).name}", False
        return f"exit status {status}", status > 0

    def kill(self) -> None:
        """End the process at once."""
        send_signal(self._process, signal.SIGKILL)

    async def _run(self) -> int:
        """Run the process once and return its exit status."""
        ours, theirs = socket.socketpair()
        listening = asyncio.create_task(self._listen(ours))
        try:
            with theirs:
                self._process = await asyncio.create_subprocess_exec(
                    *self._command,
                    stdin=theirs.fileno(),
                    pass_fds=[each.fileno() for each in self._inherited],
                    env=self._environment,
                    start_new_session=True,  # Ctrl-C stops the supervisor, and the supervisor stops its children
                )
            return await self._process.wait()
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
            ours.close()  # which stops the process, if it runs
            await self._end()

    async def _end(self) -> None:
        """Wait until the process has ended. Kill it if that takes long."""
        process = self._process
        if process is not None:
            try:
                await asyncio.wait_for(process.wait(), self._grace)
            except TimeoutError:
                self.kill()
                await process.wait()
            self._ended(process.pid)

    async def _listen(self, line: socket.socket) -> None:
        """Read beats until the process ends. Kill a process that has stopped sending them."""
        line.setblocking(False)
        limit = None
        with suppress(OSError):
            while received := await self._received(line, limit):
                self.answers.set()
                if READY in received:
                    self.ready.set()
                    self._is_up.set()
                limit = _SILENCE if self._beats else None

    async def _received(self, line: socket.socket, limit: float | None) -> bytes:
        try:
            async with asyncio.timeout(limit):
                return await asyncio.get_running_loop().sock_recv(line, 64)
        except TimeoutError:
            log.error("%s has not answered for %d s and is killed", self.name, _SILENCE)
            self.kill()
            return b""
