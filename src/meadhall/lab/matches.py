"""Simulated games played as whole matches: by any bot, and with a record of each."""

from __future__ import annotations

import hashlib
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from meadhall.bots import bot
from meadhall.engine.chance import seed_from_text
from meadhall.engine.game import game
from meadhall.engine.match import Match, Seat
from meadhall.engine.record import dumps
from meadhall.engine.statistics import Counts

CHUNK = 16
"""Matches that a process plays before it hands them over."""


@dataclass(frozen=True)
class Plan:
    """What is to be played, in a form that another process understands."""

    game: str
    bots: tuple[str, ...]  # one a seat
    options: dict[str, Any]
    seed: str
    records: bool  # whether a record of each match is wanted


@dataclass(frozen=True)
class Outcome:
    """How a match went, what was counted of it; ``record`` is a line of JSON, "" if none was wanted."""

    scores: tuple[float, ...]
    decisions: int
    counts: Counts
    record: str


def play_match(plan: Plan, number: int) -> Outcome:
    """Play match ``number`` of the plan to its end."""
    subject, players = game(plan.game), len(plan.bots)
    names = [plan.bots[(seat + number) % players] for seat in range(players)]
    match = subject.match(
        seed=seed_from_text(f"{plan.seed}/{number}"),
        seats=[Seat(f"{name.capitalize()} {seat + 1}", "bot", name) for seat, name in enumerate(names)],
        **plan.options,
    )
    play_out(match, [bot(subject, name, _bot_seed(plan.seed, number, seat)) for seat, name in enumerate(names)])
    result = match.result()
    assert result is not None
    return Outcome(result.scores, len(match.steps), match.tally(), dumps(match.record(legal=True)) if plan.records else "")


def play_out(match: Match, bots: Sequence[Any]) -> None:
    """Let the bots, one a seat, play the match to its end."""
    while (actor := match.actor) is not None:
        match.play(bots[actor].choose(match.view(actor)), actor)


def _bot_seed(seed: str, number: int, seat: int) -> bytes:
    return hashlib.sha256(f"{seed}/{number}/bot {seat}".encode()).digest()


def _play_chunk(plan: Plan, numbers: range) -> list[Outcome]:
    return [play_match(plan, number) for number in numbers]


def play_matches(plan: Plan, games: int, processes: int, progress: Callable[[int], None] | None) -> Iterator[Outcome]:
    """The outcomes of matches 0 to ``games - 1``, in order, played by so many processes."""
    chunks = [range(first, min(first + CHUNK, games)) for first in range(0, games, CHUNK)]
    with ExitStack() as stack:
        if processes > 1 and len(chunks) > 1:
            context = multiprocessing.get_context("spawn")  # a fork would copy the locks of threads that are not copied
            pool = stack.enter_context(ProcessPoolExecutor(min(processes, len(chunks)), context))
            played = pool.map(_play_chunk, [plan] * len(chunks), chunks)
        else:
            played = map(_play_chunk, [plan] * len(chunks), chunks)
        for outcomes in played:
            yield from outcomes
            if progress:
                progress(len(outcomes))
