"""Executors: run the chunks of a bulk run in this process, in threads, or in processes; ``cluster.py`` has another one.

A chunk is a range of game numbers. Its result depends on its numbers and on nothing else, and results arrive in the order of the
chunks. So a run gives the same result, whatever executes it (``docs/decisions/0017-chunks-on-a-cluster.md``).
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from multiprocessing.process import BaseProcess
from time import perf_counter
from typing import Protocol, TypeVar

from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game


def cores() -> int:
    """Return the number of cores this process may use. CPU affinity (``taskset``, a container) may allow fewer than exist."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def leave_a_core() -> None:
    """Give up one core from now on, if there are several and the system supports CPU affinity."""
    if hasattr(os, "sched_setaffinity"):
        mine = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, mine[1:] or mine)


R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

Progress = Callable[[int], None]
"""Called with the number of games finished since its last call."""

PIECE_SECONDS = 0.1
"""The approximate time a thread plays before it checks whether the run was stopped, in seconds."""
MAX_PIECE = 4096
"""The largest number of games that are played without checking."""


class Pieces:
    """Splits chunks of games into pieces of about ``PIECE_SECONDS``, so that a run can be stopped between two pieces.

    The length of a piece adapts: it doubles while pieces finish early, and halves when one takes too long.
    """

    def __init__(self) -> None:
        self._length = 1
        self._stopped = False

    def stop(self) -> None:
        """Yield no more pieces."""
        self._stopped = True

    def of(self, chunk: range) -> Iterator[range]:
        """Yield the pieces of a chunk in order."""
        while chunk and not self._stopped:
            piece, chunk = chunk[: self._length], chunk[self._length :]
            began = perf_counter()
            yield piece
            took = perf_counter() - began
            if took > PIECE_SECONDS:
                self._length = max(1, len(piece) // 2)
            elif 2 * took < PIECE_SECONDS and len(piece) == self._length < MAX_PIECE:
                self._length = 2 * len(piece)


class Work(Protocol[R_co]):
    """Plays chunks. It can be pickled, so that other processes and machines can do the same work."""

    @property
    def subject(self) -> Game:
        """Return the game that is played."""

    def __call__(self, chunk: range, pieces: Pieces, /) -> R_co:
        """Play the games with these numbers and return their result."""

    def compile(self) -> None:
        """Compile everything the work needs, or load it from the cache."""


class Executor(Protocol):
    """Runs chunks of work."""

    def results(self, work: Work[R], numbers: range, chunk: int) -> Generator[R, None, None]:
        """Yield the results of ``numbers`` in order, in chunks of ``chunk`` games. Closing it ends the work in progress."""


def chunks_of(numbers: range, chunk: int) -> Iterator[range]:
    """Yield the chunks of a range in order; the last one may be shorter."""
    for first in range(0, len(numbers), chunk):
        yield numbers[first : first + chunk]


def run_chunks(
    executor: Executor, work: Work[R], numbers: range, chunk: int, progress: Progress | None = None
) -> Generator[R, None, None]:
    """Yield the result of each chunk in order, and report progress after the caller has processed it.

    An exception, such as KeyboardInterrupt, ends the work in progress. So does closing the generator.
    """
    with closing(executor.results(work, numbers, chunk)) as results:
        for played, result in zip(chunks_of(numbers, chunk), results, strict=True):
            yield result
            if progress:
                progress(len(played))


UNGUARDED = 78
"""Exit status of a process that runs the script of its parent from the beginning and comes to the same call."""


def leave_script() -> None:
    """End this process if it only runs the script of its parent from the beginning, as multiprocessing checks."""
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise SystemExit(UNGUARDED)


NO_GUARD = (
    "each process runs the script from its beginning, so what starts several must stand below "
    '`if __name__ == "__main__":`; processes=1 needs no others'
)

AHEAD = 4
"""The number of chunks queued per thread or process, so that none waits for work."""


@dataclass(frozen=True)
class Serial:
    """Runs one chunk after the other in the calling thread."""

    def results(self, work: Work[R], numbers: range, chunk: int) -> Generator[R, None, None]:
        """See ``Executor``."""
        for part in chunks_of(numbers, chunk):
            yield work(part, Pieces())


@dataclass(frozen=True)
class Threads:
    """Runs chunks in threads. That helps where the work releases the GIL, as compiled loops do."""

    count: int

    def results(self, work: Work[R], numbers: range, chunk: int) -> Generator[R, None, None]:
        """See ``Executor``. Closing it stops the work after the pieces in progress."""
        pieces, waiting = Pieces(), chunks_of(numbers, chunk)
        with ThreadPoolExecutor(self.count) as pool:
            try:
                yield from _in_order(
                    lambda room: [pool.submit(work, part, pieces) for part in islice(waiting, room)], AHEAD * self.count
                )
            finally:
                pieces.stop()
                pool.shutdown(cancel_futures=True)


@dataclass(frozen=True)
class Processes:
    """Runs chunks in processes. It requires multiprocessing's ``if __name__ == "__main__":`` guard."""

    count: int

    def results(self, work: Work[R], numbers: range, chunk: int) -> Generator[R, None, None]:
        """See ``Executor``. A caller that stops early leaves no process behind."""
        count = min(self.count, -(-len(numbers) // chunk))
        if count == 1:
            yield from Serial().results(work, numbers, chunk)
            return
        leave_script()
        waiting = chunks_of(numbers, chunk)
        before = multiprocessing.active_children()
        context = multiprocessing.get_context("spawn")  # a fork would copy locks held by threads, but not the threads
        started: set[BaseProcess] = set()
        with _explaining_a_missing_guard(started), ProcessPoolExecutor(count, context) as pool:

            def submit(room: int) -> list[Future[R]]:
                with _ignoring_interrupts():
                    futures = [pool.submit(_run, work, part) for part in islice(waiting, room)]
                started.update(set(multiprocessing.active_children()).difference(before))
                return futures

            try:
                yield from _in_order(submit, AHEAD * count)
            except BaseException:
                for worker in started:
                    worker.terminate()
                    worker.join()
                raise


@contextmanager
def _explaining_a_missing_guard(started: Collection[BaseProcess]) -> Iterator[None]:
    """Raise BadSetup if the pool of the block broke because a process ran the script of its parent.

    The exit status is known when the pool has ended: before, a thread of the pool may be about to read it.
    """
    try:
        yield
    except BrokenProcessPool:
        if any(worker.exitcode == UNGUARDED for worker in started):
            raise BadSetup(NO_GUARD) from None
        raise


def _run(work: Work[R], part: range) -> R:
    return work(part, Pieces())


def _in_order(submit: Callable[[int], list[Future[R]]], room: int) -> Iterator[R]:
    """Yield the results of futures in the order of submission, with at most ``room`` of them queued.

    So the memory for waiting results doesn't grow with the length of the run.
    """
    queued: deque[Future[R]] = deque()
    while True:
        queued.extend(submit(room - len(queued)))
        if not queued:
            return
        yield queued.popleft().result()


@contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """Start processes that ignore Ctrl-C, which a terminal sends to all of them. The parent process ends them instead."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
