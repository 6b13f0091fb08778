"""Executors on this machine: the calling thread, a pool of threads, a pool of processes."""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from multiprocessing.process import BaseProcess

from meadhall.engine.compute.executors.executor import Pieces, R, Work, chunks_of
from meadhall.engine.errors import BadSetup

UNGUARDED = 78
"""Exit status of a process that runs the script of its parent from the beginning and comes to the same call."""

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
        if getattr(multiprocessing.current_process(), "_inheriting", False):  # it imports the script, as multiprocessing checks
            raise SystemExit(UNGUARDED)
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
