"""The chart of a match: which estimate of win chances is best for its cost, and whether the estimates are calibrated.

    .venv/bin/python benchmarks/chart.py [MATCHES]    (a quarter of an hour with 100)
    .venv/bin/python benchmarks/chart.py --hall       (a whole match of Dungeon Allies, and the event-loop lag meanwhile)

The positions are four from each of many matches between greedy players, with public information. Every method has the same CPU
time, that of a position of a long match on the server. The Brier score is the mean squared error of an estimate: lower is better.
The score of "equal chances" stands beside the name of the game.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import meadhall
from meadhall.bots import bot
from meadhall.bots.analysis import Analysis
from meadhall.bots.search import NODES, Tree
from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import SPECTATOR
from meadhall.engine.search_settings import Advice
from meadhall.server.worker.remote import WorkerProcess
from meadhall.server.worker.tasks import AnalyseMatch, LoadRules

GAMES: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("axes-and-allies", 6, {}),
    ("viking-axes", 4, {}),
    ("axxa", 2, {"mode": "versus"}),
    ("axxa", 2, {}),
    ("dungeon-allies", 4, {}),
)
PLACES = (0.1, 0.35, 0.6, 0.85)
SECONDS = 0.08
TO_THE_END = 1 << 30
PAUSE = 0.002
BINS = ((0.0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 1.01))


def methods(subject: Game) -> Iterator[tuple[str, Game, int]]:
    """Yield every method: its name, the game with its advice, and the nodes of its tree."""
    advice = subject.advice
    yield "random play to the end", replace(subject, advice=Advice()), 1
    yield "quick policy to the end", replace(subject, advice=replace(advice, cutoff=TO_THE_END)), 1
    yield "as the game advises", subject, 1
    yield "a search tree", subject, NODES


def played(subject: Game, players: int, options: dict[str, Any], number: int) -> Match:
    """Play a match between greedy players."""
    match = subject.match(players, seed=f"chart {number}", **options)
    bots = [bot(match.game, "karl", f"{number} {seat}".encode() * 4) for seat in range(players)]
    while match.actor is not None:
        match.play(bots[match.actor].choose(match.view(match.actor)))
    return match


def estimated(tree: Tree, match: Match, position: int) -> tuple[np.ndarray, int]:
    """Return a method's estimate of a position in its time, and the number of rollouts."""
    states = match.view_at(position, SPECTATOR).states
    tree.clear()
    began = time.thread_time()
    while time.thread_time() - began < SECONDS:
        tree.grow(states, SPECTATOR, 8, tree.iterations)
    return tree.totals[: match.players] / tree.iterations, tree.iterations


def main() -> None:
    """Compare the methods and print the table."""
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    out = Console(width=130)
    for name, players, options in GAMES:
        subject = meadhall.game(name)
        all_played = [played(subject, players, options, number) for number in range(matches)]
        parties = [party[0] for party in subject.parties(*subject.check_setup(players, options))]
        results = np.array([match.result().scores for match in all_played for _place in PLACES])[:, parties]  # type: ignore[union-attr]
        table = Table(title=f"{name}, {players} players {options or ''}: {((results.mean() - results) ** 2).mean():.4f}")
        for heading in (
            "",
            "Brier",
            "late",
            "rollouts",
            *(f"{100 * low:.0f}-{100 * min(high, 1):.0f} %" for low, high in BINS),
        ):
            table.add_column(heading, justify="right")
        for method, advised, nodes in methods(subject):
            tree = Tree(advised, nodes)
            estimated(tree, all_played[0], 0)  # compiles
            found = [estimated(tree, match, int(place * len(match.steps))) for match in all_played for place in PLACES]
            chances = np.array([chances for chances, _count in found])[:, parties]
            table.add_row(
                method,
                f"{((chances - results) ** 2).mean():.4f}",
                f"{((chances - results)[len(PLACES) - 1 :: len(PLACES)] ** 2).mean():.4f}",
                f"{np.median([count for _chances, count in found]):,.0f}",
                *(reliability(chances, results, low, high) for low, high in BINS),
            )
        out.print(table)


def in_the_hall() -> None:
    """Analyse a whole match as the server does and print the duration and the event-loop lag meanwhile."""
    match = played(meadhall.game("dungeon-allies"), 4, {}, 0)

    async def measured() -> tuple[float, Analysis, list[float], list[float]]:
        worker = WorkerProcess()
        await worker.run(LoadRules(match.game.name))
        idle = await delays(asyncio.create_task(asyncio.sleep(5)))
        analysing = asyncio.create_task(worker.run(AnalyseMatch(match.record(), "public"), lambda _done: None))
        began = time.monotonic()
        busy = await delays(analysing)
        seconds, analysis = time.monotonic() - began, await analysing
        await worker.close()
        return seconds, analysis, idle, busy

    seconds, analysis, idle, busy = asyncio.run(measured())
    print(f"{len(match.steps)} actions in {seconds:.1f} s, {analysis.samples[0]} rollouts of every position")
    for name, lag in (("idle", idle), ("during the analysis", busy)):
        p50, p99 = (1000 * float(np.percentile(lag, part)) for part in (50, 99))
        print(f"event-loop lag, {name}: p50 {p50:.2f} ms, p99 {p99:.2f} ms, at most {1000 * max(lag):.1f} ms")


async def delays(task: asyncio.Task[Any]) -> list[float]:
    """Measure the event-loop lag until the task is done."""
    found = []
    while not task.done():
        began = time.perf_counter()
        await asyncio.sleep(PAUSE)
        found.append(time.perf_counter() - began - PAUSE)
    return found


def reliability(chances: np.ndarray, results: np.ndarray, low: float, high: float) -> str:
    """Return the mean of the chances in this range, the observed frequency, and their number."""
    chosen = (chances >= low) & (chances < high)
    if not chosen.any():
        return "-"
    return f"{100 * chances[chosen].mean():.0f} → {100 * results[chosen].mean():.0f} ({chosen.sum()})"


if __name__ == "__main__":
    in_the_hall() if "--hall" in sys.argv else main()
