"""Games between compiled policies, without the bots and the report of ``simulate``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from meadhall.engine.compute import bulk
from meadhall.engine.compute.bulk import Floats, Played, TournamentLoop, bulk_executor
from meadhall.engine.compute.executors import run_chunks
from meadhall.engine.game import Game


def tournament(
    subject: Game,
    policies: Sequence[int],
    games: int,
    seed: str | None = None,
    options: Mapping[str, Any] | None = None,
    threads: int | None = None,
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Return the payoffs, float64 (games, players) by seat, and the number of decisions, int64 (games,)."""
    return counted_tournament(subject, policies, games, seed, options, threads)[:2]


def counted_tournament(
    subject: Game,
    policies: Sequence[int],
    games: int,
    seed: str | None = None,
    options: Mapping[str, Any] | None = None,
    threads: int | None = None,
) -> Played:
    """Play the games and return all of them, with the counters of the game's statistics."""
    loop = TournamentLoop.of(subject, policies, seed, options or {})
    with bulk_executor(subject, threads) as executor:
        parts = list(run_chunks(executor, loop, range(games), bulk.CHUNK))
    return Played(*map(np.concatenate, zip(*parts, strict=True)))
