"""Compare two ways to compile a loop over a game's rules: one module per game with direct calls, or first-class functions.

    .venv/bin/python benchmarks/first_class.py

docs/decisions/index.md quotes the figures. Each variant runs in separate Python processes: with an empty cache,
then from the cache, then playing.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent

PREPARE = """
import time
import numpy as np, numba
import meadhall
from meadhall.engine.compiled import loops
from meadhall.engine.compile.rule import cache_folder
game = meadhall.game("axes-and-allies")
codes, payoffs = np.zeros(0, np.int64), np.zeros(4)
began = time.perf_counter()
"""

BY_MODULE = """
direct = loops(game)
def play(games):
    return direct.playouts(game.state.new(2), 4, codes, 5, 0, games, payoffs)
"""

FIRST_CLASS = """
numba.config.CACHE_DIR = str(cache_folder("meadhall.first_class"))
from first_class_loop import compiled
play_with, given = compiled(game)
def play(games):
    return play_with(*given, game.state.new(2), 4, codes, 5, 0, games, payoffs)
"""

TIME = """
play(1)
print(time.perf_counter() - began)
speeds = []
for _ in range(5):
    began = time.thread_time()
    decisions = play(50_000)
    speeds.append(decisions / (time.thread_time() - began))
print(sorted(speeds)[2])
print(int(payoffs @ [1, 2, 3, 4]))
"""


def run(variant: str, cache: str) -> list[float]:
    """Return the seconds to the first game, decisions per second, and a checksum of the games played."""
    settings = {**os.environ, "MEADHALL_CACHE": cache}
    code = PREPARE + variant + TIME
    done = subprocess.run([sys.executable, "-c", code], env=settings, cwd=HERE, check=True, capture_output=True, text=True)
    return [float(number) for number in done.stdout.split()]


def main() -> None:
    checks = set()
    print(f"{'':<24}{'first start':>14}{'later start':>14}{'decisions/s':>14}")
    for name, variant in (("a module per game", BY_MODULE), ("first-class functions", FIRST_CLASS)):
        with tempfile.TemporaryDirectory() as cache:
            first, *later = (run(variant, cache) for _ in range(4))
            checks |= {figures[2] for figures in later}
            start, speed = median(figures[0] for figures in later), median(figures[1] for figures in later)
            print(f"{name:<24}{first[0]:>12.1f} s{start:>12.2f} s{speed:>14,.0f}")
    assert len(checks) == 1, "the two variants don't play the same games"


if __name__ == "__main__":
    main()
