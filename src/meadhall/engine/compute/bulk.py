"""Bulk runs: call a game's compiled loops (``loops.py``) from plain Python, on all cores or on a cluster.

Game g of a bulk run is keyed by the run's seed and g alone, so results don't depend on the number of threads or the order of the
games. The compiled loops release the GIL.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from meadhall.engine.checks import Seed, check_count, check_seed
from meadhall.engine.compiled import loops
from meadhall.engine.compute.cluster import check_cluster, connected
from meadhall.engine.compute.executors import Executor, Pieces, Progress, Threads, cores, run_chunks
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game
from meadhall.engine.registry import game
from meadhall.engine.statistics import Counts

Floats = npt.NDArray[np.float64]

CHUNK = 4096
"""The number of games between two progress reports. Sums are added up chunk by chunk, so their last bits depend on it."""

LIMIT = 5_000
"""The decisions after which a match of bots is stopped. The longest of a million matches of the games here had 523."""
MOST_DECISIONS = 1_000_000
"""The largest limit of decisions."""


def seed_number(seed: Seed | None) -> int:
    """Return the 63-bit key of a bulk run, from the first 8 bytes of the seed. Raises BadSetup."""
    return int.from_bytes(check_seed(seed)[:8], "little") >> 1


@contextmanager
def bulk_executor(subject: Game, threads: Any = None, cluster: str | None = None) -> Iterator[Executor]:
    """Yield what runs compiled loops: threads, by default one per core, or a cluster. Raises BadSetup or NoCluster."""
    if cluster is None:
        yield Threads(cores() if threads is None else check_count(threads, "threads"))
        return
    if threads is not None:
        raise BadSetup("a cluster uses all its cores: leave out the number of threads")
    with connected(check_cluster(cluster, subject)) as nodes:
        yield nodes


@dataclass(frozen=True)
class Playouts:
    """The totals of random playouts.

    Attributes:
        games: the number of games.
        decisions: the number of decisions in all games.
        payoffs: float64 (players,): the sum of each seat's payoffs (0 to 1 per game).
    """

    games: int
    decisions: int
    payoffs: Floats


@dataclass(frozen=True)
class PlayoutLoop:
    """The work of random playouts: plays a chunk and returns the decisions and the sum of each seat's payoffs."""

    subject: Game
    players: int
    codes: npt.NDArray[np.int64]
    key: int

    def __call__(self, chunk: range, pieces: Pieces) -> tuple[int, Floats]:
        """Play a chunk of games."""
        payoffs, decisions, states = np.zeros(self.players, np.float64), 0, self.subject.state.new(2)
        compiled = loops(self.subject)
        for piece in pieces.of(chunk):
            start, length = piece.start, len(piece)
            decisions += int(compiled.playouts(states, self.players, self.codes, self.key, start, length, payoffs))
        return decisions, payoffs

    def compile(self) -> None:
        """Compile the loop."""
        self(range(1), Pieces())


def random_playouts(
    name: str | Game,
    players: int,
    games: int,
    seed: Seed | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    *,
    cluster: str | None = None,
    **options: Any,
) -> Playouts:
    """Play ``games`` games with uniformly random actions.

    Args:
        name: the game, or its name.
        players: the number of players.
        games: the number of games.
        seed: the seed of the run; by default random.
        threads: the number of threads; by default one per core.
        progress: called with the number of games finished since its last call.
        cluster: a Ray cluster: ``local``, ``auto`` or ``ray://HOST:PORT``; see ``docs/library/cluster.md``.
        options: options of the game.

    Raises:
        BadSetup: an argument is invalid.
        NoCluster: there is no such cluster.
        ClusterFailed: the cluster can't finish the run.

    Examples:
        >>> played = random_playouts("axes-and-allies", players=2, games=100, seed="any")
        >>> played.games, played.payoffs.sum().item()
        (100, 100.0)
    """
    subject = game(name)
    players, chosen = subject.check_setup(players, options)
    loop = PlayoutLoop(subject, players, subject.encode_options(chosen), seed_number(seed))
    numbers, decisions, payoffs = range(check_count(games, "games")), 0, np.zeros(players, np.float64)
    with bulk_executor(subject, threads, cluster) as executor:
        for more, won in run_chunks(executor, loop, numbers, CHUNK, progress):
            decisions += more
            payoffs += won
    return Playouts(len(numbers), decisions, payoffs)


class Played(NamedTuple):
    """The games of a bulk run.

    Attributes:
        payoffs: float64 (games, players): the payoffs by seat; NaN where the game was stopped.
        lengths: int64 (games,): the number of decisions.
        counts: int64 (games, counters): the counters of the game's statistics.
        orders: int8 (games, players): the seats in the order of their first turns, see ``places.first_order``.
    """

    payoffs: Floats
    lengths: npt.NDArray[np.int64]
    counts: Counts
    orders: npt.NDArray[np.int8]


@dataclass(frozen=True)
class TournamentLoop:
    """The work of games between compiled policies (``loops.RANDOM``, ``loops.GREEDY``), one for each seat.

    In game g seat k has ``policies[(k + g) % n]``.
    """

    subject: Game
    policies: npt.NDArray[np.int64]
    codes: npt.NDArray[np.int64]
    key: int
    limit: int

    @classmethod
    def of(
        cls, subject: Game, policies: Sequence[int], seed: Seed | None, options: Mapping[str, Any], limit: int = LIMIT
    ) -> Self:
        """Make the work of a run. Raises BadSetup."""
        _players, chosen = subject.check_setup(len(policies), options)
        return cls(subject, np.array(policies, np.int64), subject.encode_options(chosen), seed_number(seed), limit)

    def __call__(self, chunk: range, pieces: Pieces) -> Played:
        """Play a chunk of games."""
        players = len(self.policies)
        states, compiled = self.subject.state.new(4), loops(self.subject)
        payoffs = np.zeros((len(chunk), players), np.float64)
        lengths = np.zeros(len(chunk), np.int64)
        counts = np.zeros((len(chunk), self.subject.statistics.counters), np.int64)
        orders = np.zeros((len(chunk), players), np.int8)
        for piece in pieces.of(chunk):
            here = slice(piece.start - chunk.start, piece.stop - chunk.start)
            outputs = payoffs[here], lengths[here], counts[here], orders[here]
            compiled.tournament(
                states, players, self.codes, self.policies, self.key, piece.start, len(piece), self.limit, *outputs
            )
        for first in range(players):  # where the game names the first seat alone
            if (here := (orders[:, 0] == first) & (orders[:, -1] < 0)).any():
                orders[here] = self.subject.elements.first_turns(first, players)
        return Played(payoffs, lengths, counts, orders)

    def compile(self) -> None:
        """Compile the loop."""
        self(range(1), Pieces())
