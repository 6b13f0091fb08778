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

from meadhall.engine.checks import Seed, as_integer, check_count, check_seed, quoted
from meadhall.engine.compiled import loops
from meadhall.engine.cores import cores
from meadhall.engine.display import Displayed, Table
from meadhall.engine.errors import BadSetup, MalformedAction
from meadhall.engine.executors import Executor, Pieces, Progress, Threads, run_chunks
from meadhall.engine.executors.cluster import check_cluster, connected
from meadhall.engine.game import Game, game
from meadhall.engine.language import gettext as _
from meadhall.engine.language import grouped
from meadhall.engine.schema import copied
from meadhall.engine.statistics import Counts

Floats = npt.NDArray[np.float64]

CHUNK = 4096
"""The number of games between two progress reports. Sums are added up chunk by chunk, so their last bits depend on it."""

_INT64 = np.iinfo(np.int64)


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
        payoffs: float64 (games, players): the payoffs by seat.
        lengths: int64 (games,): the number of decisions.
        counts: int64 (games, counters): the counters of the game's statistics.
    """

    payoffs: Floats
    lengths: npt.NDArray[np.int64]
    counts: Counts


@dataclass(frozen=True)
class TournamentLoop:
    """The work of games between compiled policies (``loops.RANDOM``, ``loops.GREEDY``), one for each seat.

    In game g seat k has ``policies[(k + g) % n]``.
    """

    subject: Game
    policies: npt.NDArray[np.int64]
    codes: npt.NDArray[np.int64]
    key: int

    @classmethod
    def of(cls, subject: Game, policies: Sequence[int], seed: Seed | None, options: Mapping[str, Any] | None) -> Self:
        """Make the work of a run. Raises BadSetup."""
        _players, chosen = subject.check_setup(len(policies), options or {})
        return cls(subject, np.array(policies, np.int64), subject.encode_options(chosen), seed_number(seed))

    def __call__(self, chunk: range, pieces: Pieces) -> Played:
        """Play a chunk of games."""
        players = len(self.policies)
        states, compiled = self.subject.state.new(4), loops(self.subject)
        payoffs = np.zeros((len(chunk), players), np.float64)
        lengths = np.zeros(len(chunk), np.int64)
        counts = np.zeros((len(chunk), self.subject.statistics.counters), np.int64)
        for piece in pieces.of(chunk):
            here = slice(piece.start - chunk.start, piece.stop - chunk.start)
            outputs = payoffs[here], lengths[here], counts[here]
            compiled.tournament(states, players, self.codes, self.policies, self.key, piece.start, len(piece), *outputs)
        return Played(payoffs, lengths, counts)

    def compile(self) -> None:
        """Compile the loop."""
        self(range(1), Pieces())


def tournament(
    subject: Game,
    policies: Sequence[int],
    games: int,
    seed: Seed | None = None,
    options: Mapping[str, Any] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Play games between compiled policies, see ``TournamentLoop``.

    Returns:
        The payoffs, float64 (games, players) by seat, and the number of decisions, int64 (games,).
    """
    return counted_tournament(subject, policies, games, seed, options, threads, progress)[:2]


def counted_tournament(
    subject: Game,
    policies: Sequence[int],
    games: int,
    seed: Seed | None = None,
    options: Mapping[str, Any] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Played:
    """Play games like ``tournament`` and return all of them, with the counters of the game's statistics."""
    loop = TournamentLoop.of(subject, policies, seed, options)
    numbers = range(check_count(games, "games"))
    with bulk_executor(subject, threads) as executor:
        parts = list(run_chunks(executor, loop, numbers, CHUNK, progress))
    return Played(*map(np.concatenate, zip(*parts, strict=True)))


def _integers(given: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Convert actions to an int64 array. Raises MalformedAction if one is not a 64-bit integer."""
    if isinstance(given, np.ndarray) and given.dtype.kind == "i":
        return given.astype(np.int64, copy=False)
    objects = np.array(given, object)
    numbers = [as_integer(value) for value in objects.flat]
    for value, number in zip(objects.flat, numbers, strict=True):
        if number is None or not _INT64.min <= number <= _INT64.max:
            raise MalformedAction(f"an action must be a 64-bit integer, not {quoted(value)}")
    return np.array(numbers, np.int64).reshape(objects.shape)


class Batch(Displayed):
    """Many matches of one game that are stepped together, for learning and search.

    A copy is independent; a pickle contains all states.

    Attributes:
        states: the states, a structured array (count,).
    """

    def __init__(
        self, name: str | Game, players: int, count: int, seed: Seed | None = None, first: int = 0, **options: Any
    ) -> None:
        """Set up ``count`` matches: games ``first``, ``first + 1`` … of the bulk run with this seed. Raises BadSetup."""
        self.game = game(name)
        self.players, chosen = self.game.check_setup(players, options)
        codes = self.game.encode_options(chosen)
        self.states = self.game.state.new(check_count(count, "matches"))
        number = as_integer(first)
        if number is None or not 0 <= number <= _INT64.max - len(self.states):
            raise BadSetup(f"the number of the first match must be an integer of at least 0, not {quoted(first)}")
        self._loops.set_up_many(self.states, self.players, codes, seed_number(seed), number)

    @property
    def _loops(self) -> Any:
        return loops(self.game)

    def __copy__(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.states = copied(self.states)
        return twin

    def __deepcopy__(self, _memo: dict[int, Any]) -> Self:
        return self.__copy__()

    def __repr__(self) -> str:
        matches, over = len(self.states), int((self.actors() < 0).sum())
        return f"<Batch of {self.game.name}: {matches:,} matches of {self.players} players, {over:,} over>"

    def displayed(self) -> Iterator[str | Table]:
        """Yield the parts of the readable form: the game, and how many matches wait for which seat."""
        yield _("{game}: {matches} matches of {players} players").format(
            game=self.game.title, matches=grouped(len(self.states)), players=self.players
        )
        counts = np.bincount(self.actors() + 1, minlength=self.players + 1).tolist()
        rows = [(_("seat {seat} to move").format(seat=seat), grouped(count)) for seat, count in enumerate(counts[1:])]
        yield Table((), (*rows, (_("over"), grouped(counts[0]))), numbers=True)

    def step(self, actions: npt.ArrayLike) -> npt.NDArray[np.int8]:
        """Play ``actions[i]`` in match i.

        Returns:
            int8 (count,): 0 where the action was played; 1 (illegal) or 2 (match over) where nothing changed.

        Raises:
            BadSetup: the number of actions differs from the number of matches.
            MalformedAction: an action is not a 64-bit integer.
        """
        chosen = _integers(actions)
        if chosen.shape != self.states.shape:
            raise BadSetup(f"{len(self.states)} actions are needed, one per match; got shape {chosen.shape}")
        outcome = np.zeros(len(self.states), np.int8)
        self._loops.step(self.states, chosen, outcome)
        return outcome

    def legal_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions as a mask, bool (count, actions); all False where a match is over."""
        masks = np.zeros((len(self.states), self.game.actions), np.bool_)
        self._loops.legal_masks(self.states, masks)
        return masks

    def actors(self) -> npt.NDArray[np.int8]:
        """Return the seat to move, int8 (count,); -1 where a match is over."""
        actors: npt.NDArray[np.int8] = self.states["actor"].astype(np.int8)
        return actors

    def scores(self) -> Floats:
        """Return each seat's payoff, float64 (count, players); 0 where a match is not over."""
        payoffs = np.zeros((len(self.states), self.players), np.float64)
        self._loops.scores(self.states, payoffs)
        return payoffs
