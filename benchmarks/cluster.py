"""What a Ray cluster costs against plain processes: the same matches on the same cores of this machine, in turn.

    .venv/bin/python benchmarks/cluster.py [--matches 3000] [--repetitions 3]

Each repetition measures both, in alternating order. The time is from the first result to the last, without the start.
CPU time is that of all processes together, with Ray's own. On a machine that does other work, compare CPU times.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median

import psutil

from meadhall.engine.compute.cluster import connected
from meadhall.engine.compute.executors import Executor, Processes, cores, run_chunks
from meadhall.lab.matches import CHUNK, MatchWork, Plan

GAME, BOTS, PLAYERS = "axes-and-allies", ("karl", "search@2000"), 2
GOAL = 1.05
BUILD = Path(__file__).parent / "build"


@contextmanager
def executor(name: str) -> Iterator[Executor]:
    if name == "processes":
        yield Processes(cores())
    else:
        with connected("local") as cluster:
            yield cluster


def cpu_seconds() -> float:
    """Return the CPU time of this process and all its descendants so far."""
    me = psutil.Process()
    total = 0.0
    for process in (me, *me.children(recursive=True)):
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system
    return total


def measure(name: str, matches: int) -> tuple[float, float]:
    """Return the seconds and CPU seconds of a match after the first chunk."""
    work = MatchWork(Plan(GAME, BOTS, {}, "cluster"))
    with executor(name) as chosen, closing(run_chunks(chosen, work, range(matches), CHUNK)) as chunks:
        next(chunks)
        began, cpu = time.perf_counter(), cpu_seconds()
        for _outcomes in chunks:
            ended, used = time.perf_counter(), cpu_seconds()
    played = matches - CHUNK
    return (ended - began) / played, (used - cpu) / played


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=3000)
    parser.add_argument("--repetitions", type=int, default=3)
    given = parser.parse_args()
    found: dict[str, list[tuple[float, float]]] = {"processes": [], "ray": []}
    for repetition in range(given.repetitions):
        for name in sorted(found, reverse=repetition % 2 == 1):
            found[name].append(measure(name, given.matches))
            print(
                f"{name:>10}: {1000 * found[name][-1][0]:.2f} ms, {1000 * found[name][-1][1]:.2f} ms of CPU a match", flush=True
            )
    for index, what in enumerate(("time", "CPU time")):
        ratios = [ray[index] / plain[index] for ray, plain in zip(found["ray"], found["processes"], strict=True)]
        met = "reached" if median(ratios) <= GOAL else "MISSED"
        listed = ", ".join(f"{ratio:.3f}" for ratio in ratios)
        print(f"{met}: {what} on Ray is {median(ratios):.3f} of that in processes ({listed}; goal {GOAL})")
    BUILD.mkdir(exist_ok=True)
    (BUILD / "cluster.json").write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
