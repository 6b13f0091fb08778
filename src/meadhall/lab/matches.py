"""Simulated games as whole matches, for all kinds of bots and with a record of each match."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import nan
from typing import Any

import numpy as np
import numpy.typing as npt

from meadhall.bots import Bot
from meadhall.engine.checks import check_count, seed_label
from meadhall.engine.compute.bulk import LIMIT, Floats, seed_number
from meadhall.engine.compute.cluster import check_cluster, connected
from meadhall.engine.compute.executors import Executor, Pieces, Processes, Progress, Serial, cores, run_chunks
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.match.places import first_order_of
from meadhall.engine.match.record import dumps
from meadhall.engine.match.view import Seat
from meadhall.engine.registry import game, installed
from meadhall.engine.statistics import Counts
from meadhall.lab.entrants import BotFailed, Entrants, play_out
from meadhall.lab.luck import luck
from meadhall.lab.warm import warm

CHUNK = 16
"""The number of matches in a chunk for an executor."""
STOPPED = "stopped after {limit} decisions"
"""The reason in the record of a match that bots didn't end."""
STARTED = datetime(1970, 1, 1, tzinfo=UTC)
"""The start of every simulated match, so that a run's records are the same whenever and wherever it is repeated."""


@dataclass(frozen=True)
class Plan:
    """The matches to play, in a picklable form."""

    game: str
    bots: tuple[str, ...]  # one per seat
    options: dict[str, Any]
    seed: str | bytes
    records: bool = False  # whether to write a record of each match
    luck: bool = False  # whether to measure each seat's luck, see ``luck.luck``
    entrants: Entrants = field(default_factory=Entrants)  # the bots that are no names
    limit: int = LIMIT  # the decisions after which a match is stopped

    @property
    def label(self) -> str:
        """Return the text from which the seeds of matches and bots are derived."""
        return seed_label(self.seed)

    def seating(self, number: int) -> tuple[str, ...]:
        """Return the bots of match ``number`` by seat. They rotate: every bot sits on every seat in turn."""
        players = len(self.bots)
        return tuple(self.bots[(seat + number) % players] for seat in range(players))

    @property
    def players(self) -> int:
        """Return the number of players of a match."""
        return len(self.bots)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the bots, each once."""
        return tuple(dict.fromkeys(self.bots))

    def who(self, numbers: range) -> npt.NDArray[np.int64]:
        """Return the indexes in ``names`` of the bots by match and seat, int64 (matches, players)."""
        line_up = np.array([self.names.index(name) for name in self.bots], np.int64)
        found: npt.NDArray[np.int64] = line_up[
            (np.arange(len(self.bots)) + np.arange(numbers.start, numbers.stop)[:, None]) % len(self.bots)
        ]
        return found

    @property
    def subject(self) -> Game:
        """Return the game."""
        return game(self.game)

    def deal(self, number: int) -> int:
        """Return the number that keys the dice and shuffles of match ``number``."""
        return number

    def deal_seed(self, number: int) -> str:
        """Return the seed of match ``number``."""
        return f"{self.label}/{self.deal(number)}"

    def bot_seed(self, number: int, seat: int) -> str:
        """Return the seed of the choices of a bot."""
        return f"{self.label}/{number}/bot {seat}"

    def match(self, number: int) -> Match:
        """Return match ``number`` before its first decision."""
        seats = [Seat(f"{name.capitalize()[:20]} {seat + 1}", "bot", name) for seat, name in enumerate(self.seating(number))]
        return Match(self.subject, seed=self.deal_seed(number), seats=seats, options=self.options, started=STARTED)

    def bots_of(self, number: int) -> list[Bot]:
        """Make the bots of match ``number`` by seat."""
        return [
            self.entrants.bot(self.subject, name, self.bot_seed(number, seat)) for seat, name in enumerate(self.seating(number))
        ]


@dataclass(frozen=True)
class Outcome:
    """The outcome of a match.

    ``record`` is a line of JSON, and ``luck`` holds each seat's luck. Both are empty unless the plan asks for them. ``order`` has
    the seats in the order of their first turns. If the match was stopped, ``scores`` and ``luck`` are NaN.
    """

    scores: tuple[float, ...]
    decisions: int
    counts: Counts
    record: str
    order: tuple[int, ...]
    luck: tuple[float, ...] = ()


def play_match(plan: Plan, number: int) -> Outcome:
    """Play match ``number`` of the plan to its end or the limit. The time of searches is CPU time, see ``bots.bot``."""
    match = plan.match(number)
    play_out(match, plan.bots_of(number), plan.limit)
    result = match.result()
    nothing = (nan,) * match.players
    why = STOPPED.format(limit=plan.limit) if result is None else None
    lucky = nothing if result is None or not plan.luck else luck(match, seed_number(f"{plan.label}/{number}/luck"))
    return Outcome(
        nothing if result is None else result.scores,
        len(match.steps),
        match.tally(),
        dumps(match.record(legal=True, abandoned=why)) if plan.records else "",
        first_order_of(match),
        lucky if plan.luck else (),
    )


def shares_of(subject: Game, payoffs: Floats, options: Mapping[str, Any]) -> Floats:
    """Return what matches are worth as shares of a win, see ``Game.shares``; NaN where a match was stopped."""
    found, ended = np.full_like(payoffs, nan), ~np.isnan(payoffs[:, 0])
    found[ended] = subject.shares(payoffs[ended], options)
    return found


@dataclass(frozen=True)
class MatchWork:
    """The work of playing the matches of a plan: returns their outcomes."""

    plan: Plan

    @property
    def subject(self) -> Game:
        """Return the game that is played."""
        return self.plan.subject

    def __call__(self, chunk: range, pieces: Pieces) -> list[Outcome]:
        """Play the matches with these numbers."""
        return [play_match(self.plan, number) for piece in pieces.of(chunk) for number in piece]

    def compile(self) -> None:
        """Compile everything that a match needs."""
        warm([self.plan.game], bulk=False)


def usual_processes(entrants: Entrants) -> int:
    """Return the default number of processes: one per core, but one for bots that are objects, such as functions of a script."""
    return cores() if all(":" in name for name in entrants.own) else 1


@contextmanager
def match_executor(subject: Game, processes: Any, cluster: str | None) -> Iterator[Executor]:
    """Yield what runs whole matches: processes, or a cluster.

    Raises BadSetup if an argument is invalid or other processes can't find the game, NoCluster, and BotFailed.
    """
    count = check_count(processes, "processes")
    if cluster is not None:
        if count > 1:
            raise BadSetup("a cluster uses all its cores: leave out the number of processes")
        with connected(check_cluster(cluster, subject)) as nodes:
            yield nodes
        return
    if count > 1 and not installed(subject):
        raise BadSetup(f"{subject.name} is not an installed game, so other processes can't find it; use one process")
    try:
        yield Processes(count) if count > 1 else Serial()
    except BrokenProcessPool as error:
        raise BotFailed("a process that played matches has died: a bot has ended it, or memory ran out") from error


def play_matches(
    plan: Plan, games: int, executor: Executor, progress: Progress | None, chunk: int = CHUNK, first: int = 0
) -> Generator[Outcome, None, None]:
    """Yield the outcomes of matches ``first`` to ``games - 1`` in order, played in chunks of ``chunk``."""
    with closing(run_chunks(executor, MatchWork(plan), range(first, games), chunk, progress)) as chunks:
        for outcomes in chunks:
            yield from outcomes
