"""Random playouts on a GPU. They play the same games as on the CPU, and their sums are the same to the last bit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from meadhall.engine.compute.gpu.device import check_gpu
from meadhall.engine.compute.gpu.launch import BLOCK, RESIDENT, blocks_for, device_loops, resident_threads
from meadhall.engine.game import Game

WAVE = 256
"""Chunks of games of one launch: with 4,096 games each about a million, whose payoffs take at most 64 MB."""


class Wave:
    """Random games of one kind on the GPU, with room for ``chunks`` chunks of games at once. Raises NoDevice."""

    def __init__(
        self,
        subject: Game,
        players: int,
        codes: npt.NDArray[np.int64],
        key: int,
        chunk: int,
        chunks: int = WAVE,
        resident: int = RESIDENT,
    ) -> None:
        self._threads = resident_threads(resident)
        self._cuda = check_gpu()
        self._loops = device_loops(subject)
        self._setup = self._cuda.to_device(subject.state.new(1)), players, self._cuda.to_device(codes), np.int64(key)
        self._chunk = chunk
        self._lengths = self._cuda.device_array(chunk * chunks, np.int32)
        self._payoffs = self._cuda.device_array((chunk * chunks, players), np.float64)
        self._decisions = self._cuda.device_array(chunks, np.int64)
        self._sums = self._cuda.device_array((chunks, players), np.float64)

    @property
    def room(self) -> int:
        """Return the largest number of games that ``play`` takes."""
        return len(self._lengths)

    def play(self, games: range) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Play games; return the decisions (chunks,) and the sum of each seat's payoffs (chunks, players) of every chunk."""
        count, chunks = len(games), -(-len(games) // self._chunk)
        lengths, payoffs = self._lengths[:count], self._payoffs[:count]
        threads = min(count, self._threads)
        taken = self._cuda.to_device(np.zeros(1, np.int64))
        self._loops.playouts.kernel[blocks_for(threads), BLOCK](*self._setup, np.int64(games.start), taken, lengths, payoffs)
        decisions, sums = self._decisions[:chunks], self._sums[:chunks]
        adders = blocks_for(sums.size)
        self._loops.add_up.kernel[adders, BLOCK](lengths, payoffs, np.int64(self._chunk), decisions, sums)
        return decisions.copy_to_host(), sums.copy_to_host()


def play_at_random(
    wave: Wave, games: range, progress: Callable[[int], None] | None = None
) -> tuple[int, npt.NDArray[np.float64]]:
    """Play games in waves; return the decisions and the sum of each seat's payoffs, added up in the order of the CPU."""
    total, payoffs = 0, None
    for start in range(0, len(games), wave.room):
        part = games[start : start + wave.room]
        decisions, sums = wave.play(part)
        total += int(decisions.sum())
        for won in sums:
            payoffs = won.copy() if payoffs is None else payoffs + won
        if progress is not None:
            progress(len(part))
    assert payoffs is not None
    return total, payoffs
