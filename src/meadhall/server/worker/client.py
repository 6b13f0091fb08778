"""Thinkers: where what is thought for the hall is thought, a process beside it or threads in it."""

from __future__ import annotations

import asyncio
import itertools
import logging
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from meadhall.server.worker.threads import beside

log = logging.getLogger(__name__)

Progress = Callable[[float], None]

HEADER = 8
"""Bytes before each message between the processes: how many follow."""

_PATIENCE = 1.0
"""Seconds that a closing hall waits for the process to end by itself."""


class ThinkerLost(Exception):
    """The process that thought has ended before it answered."""


class Thinker(Protocol):
    """Asks a ``Mind``, whose methods are named by their names."""

    async def ask(self, what: str, *arguments: Any, progress: Progress | None = None) -> Any:
        """What that method of the mind returns or raises.

        Args:
            arguments: it is called with.
            progress: handed to the method as its last argument, and called in the hall; what it raises ends the thought and
                is raised here.
        """

    def tell(self, what: str, *arguments: Any) -> None:
        """Call that method of the mind, if there is one that remembers anything; nobody waits for it."""

    async def prepare(self, name: str) -> None:
        """Have compiled what that game needs, unless it is compiled already. Raises what the compiler raises."""

    async def close(self) -> None:
        """Think no more."""


class InThreads:
    """Thinks in threads of this process, with the rules as they run in it."""

    def __init__(self) -> None:
        from meadhall.server.worker.tasks import Mind

        self.mind = Mind()

    async def ask(self, what: str, *arguments: Any, progress: Progress | None = None) -> Any:
        """As ``Thinker`` says; ``progress`` is called in the thread that thinks."""
        return await beside(getattr(self.mind, what), *arguments, *([progress] if progress else []))

    def tell(self, what: str, *arguments: Any) -> None:
        """As ``Thinker`` says."""
        getattr(self.mind, what)(*arguments)

    async def prepare(self, name: str) -> None:
        """As ``Thinker`` says."""
        await self.ask("prepare", name)

    async def close(self) -> None:
        """Nobody waits for what is still thought."""


@dataclass
class _Asked:
    answer: asyncio.Future[Any]
    progress: Progress | None


class Beside:
    """Thinks in a process of its own, with compiled rules: thinking never takes the interpreter from those who serve pages.

    The process begins when it is first needed, and again when it has died. It ends with the hall, however that ends, as it reads
    from it; it is less urgent than the hall wherever the system can tell (as ``nice`` counts).
    """

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._listening: asyncio.Task[None] | None = None
        self._beginning = asyncio.Lock()
        self._numbers = itertools.count()
        self._asked: dict[int, _Asked] = {}

    @property
    def process_id(self) -> int | None:
        """Of the process that thinks, if there is one."""
        return self._process.pid if self._process else None

    async def ask(self, what: str, *arguments: Any, progress: Progress | None = None) -> Any:
        """As ``Thinker`` says; ``progress`` is called in the event loop."""
        process = await self._running()
        number = next(self._numbers)
        asked = self._asked[number] = _Asked(asyncio.get_running_loop().create_future(), progress)
        self._send(process, number, what, arguments, progress is not None)
        try:
            return await asked.answer
        finally:
            del self._asked[number]
            if asked.answer.cancelled() or progress is not None:
                self._send(process, number, None, (), False)

    def tell(self, what: str, *arguments: Any) -> None:
        """As ``Thinker`` says."""
        if self._process is not None:
            self._send(self._process, None, what, arguments, False)

    async def prepare(self, name: str) -> None:
        """As ``Thinker`` says. A compiler takes a gigabyte and gives little of it back: it works in a process that then ends."""
        if not await self.ask("is_prepared", name):
            compiler = Beside()
            try:
                await compiler.ask("prepare", name)
            finally:
                await compiler.close()
        await self.ask("prepare", name)

    async def close(self) -> None:
        """End the process, with whatever it is thinking."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), _PATIENCE)
        except TimeoutError:
            process.kill()
            await process.wait()
        if self._listening is not None:
            await self._listening

    def _send(self, process: asyncio.subprocess.Process, *message: Any) -> None:
        assert process.stdin is not None
        packed = pickle.dumps(message)
        if not process.stdin.is_closing():
            process.stdin.write(len(packed).to_bytes(HEADER) + packed)

    async def _running(self) -> asyncio.subprocess.Process:
        async with self._beginning:
            if self._process is None:
                self._process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-m", "meadhall.server.worker.process"),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    start_new_session=True,  # a Ctrl-C is for the hall
                )
                self._listening = asyncio.create_task(self._listen(self._process))
            return self._process

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        """Hand out answers until there are no more."""
        assert process.stdout is not None
        with suppress(asyncio.IncompleteReadError):
            while True:
                length = int.from_bytes(await process.stdout.readexactly(HEADER))
                self._answered(*pickle.loads(await process.stdout.readexactly(length)))  # noqa: S301 - from our own process
        died, self._process = self._process is process, None  # whoever asks now asks another
        for asked in self._asked.values():
            _settle(asked.answer, ThinkerLost("the process that thought has ended"))
        if died:
            log.error("the process that thinks for the hall has ended (status %s)", await process.wait())

    def _answered(self, number: int, kind: str, value: Any) -> None:
        asked = self._asked.get(number)
        if asked is None:  # nobody waits for it any more
            return
        if kind == "progress":
            assert asked.progress is not None
            try:
                asked.progress(value)
            except Exception as error:
                _settle(asked.answer, error)
        else:
            _settle(asked.answer, value)


def _settle(answer: asyncio.Future[Any], value: Any) -> None:
    if answer.done():
        return
    if isinstance(value, Exception):
        answer.set_exception(value)
    else:
        answer.set_result(value)
