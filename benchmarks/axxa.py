"""AxxA together: the share of shuffles that each level wins, and the share that can be won with all pieces face up.

    .venv/bin/python benchmarks/axxa.py
    .venv/bin/python benchmarks/axxa.py thrall=1000 karl=1000 jarl=100 search@300=100 --touching orthogonal
    .venv/bin/python benchmarks/axxa.py king=1000 --minutes 60

All levels get the same shuffles, with one player each. Every finished shuffle is a line in ``results/axxa/``, so a measurement of
days can be split: each run continues where the last one ended, until the number of shuffles or ``--minutes`` is reached, and
prints the totals of all runs. ``--minutes 0`` only prints. The solver sees every piece, the bots see what a player sees. Every
search grows one tree, and its time is CPU time.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from statistics import mean
from typing import Any

from ledger import RESULTS, keep, kept
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import meadhall
from meadhall.bots import bot
from meadhall.engine.statistics import wilson
from meadhall.games.axxa.solver import Verdict, winnable

AXXA = meadhall.game("axxa")
SOLVER = "solver"
DEFAULT = ("solver=1000", "thrall=1000", "karl=1000", "huscarl=1000", "jarl=1000", "king=1000")


def shuffle(number: int, touching: str) -> meadhall.Match:
    """Return the shuffle with this number."""
    return AXXA.match(1, seed=f"axxa benchmark {number}", touching=touching)


def solved(number: int, touching: str) -> dict[str, Any]:
    """Return whether the shuffle can be won. Undecided ones count as winnable, so the share is an upper bound."""
    began = time.perf_counter()
    proof = winnable(shuffle(number, touching))
    return {"won": proof.verdict != Verdict.LOST, "open": proof.verdict == Verdict.OPEN, "seconds": time.perf_counter() - began}


def played(name: str) -> Callable[[int, str], dict[str, Any]]:
    """Play a shuffle in a separate match."""

    def play(number: int, touching: str) -> dict[str, Any]:
        match = shuffle(number, touching)
        player = bot(AXXA, name, f"axxa {number}".encode().ljust(32), alone=True)
        began = time.perf_counter()
        while not match.over:
            match.play(player.choose(match.view(0)))
        seconds = time.perf_counter() - began
        result = match.result()
        assert result is not None
        return {"won": bool(result.winners), "decisions": len(match.steps), "seconds": seconds}

    return play


def in_order(play: Callable[[int, str], dict[str, Any]], numbers: range, touching: str, jobs: int) -> Iterator[dict[str, Any]]:
    """Yield the results of shuffles, several played in parallel. A caller that stops early cancels the rest."""
    pool = ThreadPoolExecutor(jobs)
    try:
        yield from pool.map(play, numbers, [touching] * len(numbers))
    finally:
        pool.shutdown(cancel_futures=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="AxxA together: the share of shuffles that each level wins.")
    parser.add_argument(
        "ranks", nargs="*", default=DEFAULT, metavar="RANK=SHUFFLES", help=f"bots, or {SOLVER}; default: %(default)s"
    )
    parser.add_argument("--touching", choices=("all", "orthogonal"), default="all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="shuffles played in parallel (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=10.0, help="time limit for each level (default: %(default)s)")
    given = parser.parse_args()

    ranks = [(name, int(number)) for name, number in (each.split("=") for each in given.ranks)]
    figures: dict[str, list[dict[str, Any]]] = {}
    console = Console(width=max(100, Console().width))
    with Progress(console=console) as progress:
        for name, number in ranks:
            file = RESULTS / "axxa" / f"{given.touching}-{name}.jsonl"
            figures[name] = games = kept(file)
            if given.minutes > 0 and len(games) < number:
                play = solved if name == SOLVER else played(name)
                (solved if name == SOLVER else played("search@1"))(0, given.touching)  # compile first
                with closing(in_order(play, range(len(games), number), given.touching, given.jobs)) as more:
                    games.extend(progress.track(keep(file, more, given.minutes), number - len(games), description=name))

    table = Table(title=f"AxxA together, touching {given.touching}, {given.jobs} at once on {os.cpu_count()} cores")
    for heading in ("", "shuffles", "won", "95 % interval", "decisions", "seconds each"):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    for name, games in figures.items():
        if not games:
            continue
        payoff = mean(game["won"] for game in games)
        low, high = wilson(payoff * len(games), len(games))
        decisions = f"{mean(game['decisions'] for game in games):.1f}" if name != SOLVER else ""
        seconds = f"{mean(game['seconds'] for game in games):.4g}"
        table.add_row(name, f"{len(games):,}", f"{payoff:.1%}", f"{low:.1%} to {high:.1%}", decisions, seconds)
    console.print(table)
    if SOLVER in figures:
        still_open = sum(game["open"] for game in figures[SOLVER])
        console.print(f"{SOLVER}: can be won with all pieces known; {still_open} undecided ones are counted as winnable")


if __name__ == "__main__":
    main()
