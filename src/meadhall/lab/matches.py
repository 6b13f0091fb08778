"""Simulated games as whole matches, for all kinds of bots and with a record of each match."""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

from meadhall.bots import bot
from meadhall.engine.bulk import seed_number
from meadhall.engine.checks import check_count, seed_label
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game, game, installed
from meadhall.engine.match import Match
from meadhall.engine.record.format import dumps
from meadhall.engine.statistics import Counts
from meadhall.engine.view import Seat
from meadhall.lab.luck import luck

CHUNK = 16
"""The number of matches in a task for a process."""
AHEAD = 4
"""The number of tasks queued per process, so that no process waits for work."""
MAX_GAMES = 100_000_000
"""The largest number of games of a simulation or tournament. All results stay in memory until the end."""


@dataclass(frozen=True)
class Plan:
    """The matches to play, in a picklable form."""

    game: str
    bots: tuple[str, ...]  # one per seat
    options: dict[str, Any]
    seed: str | bytes
    records: bool = False  # whether to write a record of each match
    luck: bool = False  # whether to measure each seat's luck, see ``luck.luck``

    @property
    def label(self) -> str:
        """Return the text from which the seeds of matches and bots are derived."""
        return seed_label(self.seed)

    def seating(self, number: int) -> tuple[str, ...]:
        """Return the bots of match ``number`` by seat. They rotate: every bot sits on every seat in turn."""
        players = len(self.bots)
        return tuple(self.bots[(seat + number) % players] for seat in range(players))

    def deal(self, number: int) -> int:
        """Return the number that keys the dice and shuffles of match ``number``."""
        return number


@dataclass(frozen=True)
class Outcome:
    """The outcome of a match.

    ``record`` is a line of JSON, and ``luck`` holds each seat's luck. Both are empty unless the plan asks for them.
    """

    scores: tuple[float, ...]
    decisions: int
    counts: Counts
    record: str
    luck: tuple[float, ...] = ()


def play_match(plan: Plan, number: int) -> Outcome:
    """Play match ``number`` of the plan to its end. The time of searches is CPU time, see ``bots.bot``."""
    subject, names = game(plan.game), plan.seating(number)
    match = subject.match(
        seed=f"{plan.label}/{plan.deal(number)}",
        seats=[Seat(f"{name.capitalize()} {seat + 1}", "bot", name) for seat, name in enumerate(names)],
        **plan.options,
    )
    play_out(match, [bot(subject, name, f"{plan.label}/{number}/bot {seat}", alone=True) for seat, name in enumerate(names)])
    result = match.result()
    assert result is not None
    return Outcome(
        result.scores,
        len(match.steps),
        match.tally(),
        dumps(match.record(legal=True)) if plan.records else "",
        luck(match, seed_number(f"{plan.label}/{number}/luck")) if plan.luck else (),
    )


def play_out(match: Match, bots: Sequence[Any]) -> None:
    """Let the bots, one per seat, play the match to its end."""
    while (actor := match.actor) is not None:
        match.play(bots[actor].choose(match.view(actor)), actor)


def _play_chunk(plan: Plan, numbers: range) -> list[Outcome]:
    return [play_match(plan, number) for number in numbers]


def check_processes(processes: Any, subject: Game) -> int:
    """Return the number of processes. Raises BadSetup if it is invalid, or if other processes can't find the game."""
    count = check_count(processes, "processes")
    if count > 1 and not installed(subject):
        raise BadSetup(f"{subject.name} is not an installed game, so other processes can't find it; use one process")
    return count


def play_matches(
    plan: Plan, games: int, processes: int, progress: Callable[[int], None] | None, chunk: int = CHUNK, first: int = 0
) -> Generator[Outcome, None, None]:
    """Yield the outcomes of matches ``first`` to ``games - 1`` in order. Processes play ``chunk`` matches at a time."""
    starts = range(first, games, chunk)
    chunks = (range(start, min(start + chunk, games)) for start in starts)
    count = min(processes, len(starts))
    for outcomes in _play_in_processes(plan, chunks, count) if count > 1 else (_play_chunk(plan, numbers) for numbers in chunks):
        yield from outcomes
        if progress:
            progress(len(outcomes))


def _play_in_processes(plan: Plan, chunks: Iterator[range], processes: int) -> Iterator[list[Outcome]]:
    """Yield the outcomes chunk by chunk. A caller that stops early leaves no process behind."""
    before = multiprocessing.active_children()
    context = multiprocessing.get_context("spawn")  # a fork would copy locks held by threads, but not the threads
    with ProcessPoolExecutor(processes, context) as pool:
        try:
            results: deque[Future[list[Outcome]]] = deque()
            while True:
                with _ignoring_interrupts():
                    queued = islice(chunks, processes * AHEAD - len(results))
                    results.extend(pool.submit(_play_chunk, plan, numbers) for numbers in queued)
                if not results:
                    break
                yield results.popleft().result()
        except BaseException:
            for worker in set(multiprocessing.active_children()).difference(before):
                worker.terminate()
            raise


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
