"""The interface of all executors, and what they share: chunks of games, pieces of chunks, progress.

A chunk is a range of game numbers. Its result depends on its numbers and on nothing else, and results arrive in the order of the
chunks. So a run gives the same result, whatever executes it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from time import perf_counter
from typing import Protocol, TypeVar

from meadhall.engine.game import Game

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
