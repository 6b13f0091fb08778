"""Random playouts: Axes and Allies against C, plain Python, and games of OpenSpiel from Python; and the other games.

    make bench        (or: .venv/bin/python benchmarks/playouts.py)

All rows are measured in one run, in turn, several times. The table shows medians, and medians of ratios of figures taken side by
side. One core is measured in CPU time, so that other work on the machine has little effect. The benchmark checks that the C
program and the compiled rules play the same games.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from types import MappingProxyType

import numpy as np
import pyspiel
from rich.console import Console
from rich.table import Table

import meadhall
from meadhall.engine.compiled import loops
from meadhall.engine.compute.bulk import seed_number

HERE = Path(__file__).parent
BUILD = HERE / "build"
GAME, PLAYERS, SEED = "axes-and-allies", 4, "playouts"
REPETITIONS = 9
GAMES = 100_000
GOAL_C, GOAL_OPENSPIEL, GOAL_START = 0.7, 30.0, 1.5


@dataclass(frozen=True)
class Other:
    """Another game on one core; ``goal`` is a ratio to Axes and Allies in C."""

    game: str
    players: int
    options: dict[str, str]
    games: int
    goal: float

    @property
    def row(self) -> str:
        players = "1 player" if self.players == 1 else f"{self.players} players"
        return ", ".join((meadhall.game(self.game).title, players, *self.options.values()))


OTHERS = (
    Other("viking-axes", 4, {"variant": "standard"}, 4_000, 5 / 20),
    Other("viking-axes", 4, {"variant": "strategic"}, 4_000, 5 / 20),
    Other("axxa", 1, {"mode": "together", "touching": "all"}, 4_000, 1 / 20),
    Other("dungeon-allies", 4, {}, 2_000, 2 / 20),
)

C, COMPILED, ALL_CORES, MATCH, PLAIN = (
    "C, -O3 -march=native",
    "Meadhall, compiled",
    "Meadhall, compiled, all cores",
    "Meadhall, Match objects with events",
    "Meadhall, interpreted (MEADHALL_INTERPRET=1)",
)

PEERS = {
    f"OpenSpiel pig, {PLAYERS} players, from Python": (f"pig(players={PLAYERS})", 20),
    "OpenSpiel connect_four, from Python": ("connect_four", 400),
    "OpenSpiel backgammon, from Python": ("backgammon", 10),
    "OpenSpiel hearts, from Python": ("hearts(pass_cards=false)", 100),
}
"""Games of OpenSpiel in C++, each with its number of games."""
PIG, CONNECT_FOUR, *_OTHER = PEERS

Played = tuple[int, tuple[float, ...]]
"""The number of decisions, and wins by seat."""


def c_program() -> Callable[[int], Played]:
    """Build the C program and return it as a function of the number of games."""
    BUILD.mkdir(exist_ok=True)
    library = BUILD / "axes_and_allies.so"
    flags = ["-O3", "-march=native", "-shared", "-fPIC"]
    subprocess.run([os.environ.get("CC", "cc"), *flags, "-o", library, HERE / "axes_and_allies.c"], check=True)
    playouts = ctypes.CDLL(str(library)).playouts
    playouts.restype = ctypes.c_int64
    playouts.argtypes = [ctypes.c_int, ctypes.c_uint64, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
    key = seed_number(SEED)

    def play(games: int) -> Played:
        wins = np.zeros(PLAYERS)
        return playouts(PLAYERS, key, 0, games, wins.ctypes.data), tuple(wins.tolist())

    return play


def compiled(games: int, name: str = GAME, players: int = PLAYERS, options: Mapping[str, str] = MappingProxyType({})) -> Played:
    """Run the loop of ``random_playouts`` in this thread."""
    subject, payoffs = meadhall.game(name), np.zeros(players)
    codes = subject.encode_options(subject.check_options(options))
    decisions = loops(subject).playouts(subject.state.new(2), players, codes, seed_number(SEED), 0, games, payoffs)
    return decisions, tuple(payoffs.tolist())


def all_cores(games: int) -> Played:
    """Call ``random_playouts`` itself."""
    result = meadhall.random_playouts(GAME, PLAYERS, games, SEED)
    return result.decisions, tuple(result.payoffs.tolist())


def whole_matches(games: int) -> Played:
    """Play matches one action at a time, with all checks and events."""
    decisions = 0
    for number in range(games):
        match = meadhall.game(GAME).match(PLAYERS, seed=f"{SEED}/{number}")
        while not match.over:
            match.play(random.choice(match.legal()))
        decisions += len(match.steps)
    return decisions, ()


def openspiel(games: int, name: str) -> Played:
    """Play a game of OpenSpiel. Only decisions of players are counted, not chance nodes."""
    game = pyspiel.load_game(name)
    decisions = 0
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(random.choices(outcomes, chances)[0])
            else:
                state.apply_action(random.choice(state.legal_actions()))
                decisions += 1
    return decisions, ()


def speed(play: Callable[[int], Played], games: int, clock: Callable[[], float] = time.thread_time) -> float:
    """Return decisions per second."""
    began = clock()
    decisions, _wins = play(games)
    return decisions / (clock() - began)


def elsewhere(code: str, **environment: str) -> list[float]:
    """Run code in a separate Python process and return the numbers it prints."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    settings = {**kept, "PYTHONPYCACHEPREFIX": str(BUILD / "bytecode"), **environment}
    run = subprocess.run([sys.executable, "-c", code], env=settings, cwd=HERE, check=True, capture_output=True, text=True)
    return [float(number) for number in run.stdout.split()]


INTERPRETED = "import playouts as p; p.compiled(20); print(p.speed(p.compiled, 300))"
START = f"""
import time
began = time.perf_counter()
import meadhall
meadhall.random_playouts({GAME!r}, {PLAYERS}, 1)
print(time.perf_counter() - began, time.process_time())
"""


def measure() -> tuple[dict[str, list[float]], list[list[float]]]:
    """Measure decisions per second of every row, and seconds (elapsed, CPU) to the first playout, once per repetition."""
    in_c = c_program()
    if in_c(GAMES) != compiled(GAMES) or compiled(GAMES) != all_cores(GAMES):
        sys.exit("the C program and the compiled rules don't play the same games")
    whole_matches(1)
    elsewhere(START)
    rows: dict[str, Callable[[], float]] = {
        C: lambda: speed(in_c, GAMES),
        COMPILED: lambda: speed(compiled, GAMES),
        ALL_CORES: lambda: speed(all_cores, 2 * GAMES, time.perf_counter),
        MATCH: lambda: speed(whole_matches, 50),
        PLAIN: lambda: elsewhere(INTERPRETED, MEADHALL_INTERPRET="1")[0],
        **{row: partial(speed, partial(openspiel, name=name), games) for row, (name, games) in PEERS.items()},
    }
    for other in OTHERS:
        play = partial(compiled, name=other.game, players=other.players, options=other.options)
        play(1)
        rows[other.row] = partial(speed, play, other.games)
    figures: dict[str, list[float]] = {name: [] for name in rows}
    starts = []
    for _ in range(REPETITIONS):
        for name, row in rows.items():
            figures[name].append(row())
        starts.append(elsewhere(START))
    return figures, starts


def ratio(figures: dict[str, list[float]], row: str, to: str) -> float:
    """Return the median of the ratios of figures taken side by side."""
    return median(a / b for a, b in zip(figures[row], figures[to], strict=True))


def main() -> None:
    figures, starts = measure()
    table = Table(
        title=f"Random play, {os.cpu_count()} cores, median of {REPETITIONS}; C is Axes and Allies with {PLAYERS} players"
    )
    for heading in ("", "decisions/s", "of C", "of pig", "of connect_four"):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    for name in figures:
        against = (f"{ratio(figures, name, to):.3g}" for to in (C, PIG, CONNECT_FOUR))
        table.add_row(name, f"{median(figures[name]):,.0f}", *against)
    console = Console(width=max(100, Console().width))
    console.print(table)
    of_c, of_openspiel, start, cpu = (
        ratio(figures, COMPILED, C),
        ratio(figures, COMPILED, PIG),
        *map(median, zip(*starts, strict=True)),
    )
    for met, text in (
        (of_c >= GOAL_C, f"{of_c:.2f} of C on one core (goal: {GOAL_C})"),
        (of_openspiel >= GOAL_OPENSPIEL, f"{of_openspiel:.0f} times OpenSpiel's pig from Python (goal: {GOAL_OPENSPIEL:.0f})"),
        *(
            (
                ratio(figures, other.row, C) >= other.goal,
                f"{other.row}: {ratio(figures, other.row, C):.3f} of C (goal: {other.goal})",
            )
            for other in OTHERS
        ),
        (
            min(start, cpu) < GOAL_START,
            f"{start:.2f} s ({cpu:.2f} s of CPU) from import to first compiled playout, second start (goal: {GOAL_START} s)",
        ),
    ):
        console.print("reached: " if met else "MISSED:  ", text, highlight=False)
    (BUILD / "playouts.json").write_text(json.dumps({"decisions_per_second": figures, "start_seconds": starts}, indent=1))


if __name__ == "__main__":
    main()
