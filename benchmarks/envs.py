"""Learning environments: decisions a second with observation, mask and reward, side by side with those of other projects.

    .venv/bin/python benchmarks/envs.py [--seconds 1] [--games axes-and-allies,viking-axes] [--ours]

Compared are pgx, PettingZoo classic, OpenSpiel from Python, RLCard and EnvPool, on the CPU. They run in an environment of their
own, ``build/envs-peers``, which this script makes from ``envs_peers.txt``. Rounds of ours and theirs take turns, and a figure is
the median of the rounds. Ours at batch 1 and all others include the choice of an action. Two figures each: by wall-clock time and
by CPU time, because another load of the machine falsifies the first.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from meadhall.engine.compile.rule import rule
from meadhall.envs import gym_env, vector_env

HERE = Path(__file__).parent
PEERS = HERE.parent / "build" / "envs-peers"
SETUPS: dict[str, dict[str, Any]] = {
    "axes-and-allies": {"players": 4},
    "viking-axes": {"players": 4, "variant": "strategic"},
    "axxa": {"players": 2},
    "dungeon-allies": {"players": 4},
}
BATCHES = (64, 1024, 8192)
ROUNDS = 3


@rule
def choose(masks: Any, draw: int, out: Any) -> None:
    """Choose a legal action in every match."""
    for i in range(masks.shape[0]):
        count = 0
        for action in range(masks.shape[1]):
            count += masks[i, action]
        left = (draw + i * 40503) % count
        for action in range(masks.shape[1]):
            if masks[i, action]:
                if left == 0:
                    out[i] = action
                    break
                left -= 1


def measured(step: Callable[[], int], prepare: Callable[[], None], seconds: float) -> tuple[float, float]:
    """Return decisions a second by wall-clock and by CPU time."""
    decisions, wall, cpu = 0, 0.0, 0.0
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        prepare()
        began, began_cpu = time.perf_counter(), time.process_time()
        decisions += step()
        wall, cpu = wall + time.perf_counter() - began, cpu + time.process_time() - began_cpu
    return decisions / wall, decisions / cpu


def many(name: str, batch: int, seconds: float) -> Callable[[], tuple[float, float]]:
    """Return a measurement of the vector environment, in self-play."""
    env = vector_env(name, batch, copy=False, **SETUPS[name])
    _, infos = env.reset(seed=1)
    masks, actions, draw = infos["action_mask"], np.zeros(batch, np.int64), np.random.default_rng(1)

    def prepare() -> None:
        choose(masks, int(draw.integers(1 << 30)), actions)

    def step() -> int:
        env.step(actions)
        return batch

    prepare()
    step()
    return lambda: measured(step, prepare, seconds)


def one(name: str, seconds: float) -> Callable[[], tuple[float, float]]:
    """Return a measurement of the Gymnasium environment, in self-play. A hundred actions are chosen by index, within the time."""
    env = gym_env(name, seat=None, copy=False, **SETUPS[name])
    _, info = env.reset(seed=1)
    mask = info["action_mask"]

    def step() -> int:
        for _ in range(100):
            _, _, terminated, _, _ = env.step(int(mask.argmax()))
            if terminated:
                env.reset()
        return 100

    step()
    return lambda: measured(step, lambda: None, seconds)


def peers(seconds: float) -> list[dict[str, Any]]:
    """Run a round of the others."""
    run = subprocess.run(
        [PEERS / "bin" / "python", HERE / "envs_peers.py", str(seconds)], capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]


def install() -> None:
    """Make the environment of the others. It stays, so that the next run starts at once."""
    uv = HERE.parent / ".uv" / "bin" / "uv"
    subprocess.run([uv, "venv", "-q", "--allow-existing", PEERS], check=True)
    wanted = HERE / "envs_peers.txt"
    subprocess.run([uv, "pip", "install", "-q", "--python", PEERS / "bin" / "python", "-r", wanted], check=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--games", default=",".join(SETUPS))
    parser.add_argument("--ours", action="store_true", help="leave out the others")
    chosen = parser.parse_args()
    if not chosen.ours:
        install()
    ours = [
        (name, batch, one(name, chosen.seconds) if batch == 1 else many(name, batch, chosen.seconds))
        for name in chosen.games.split(",")
        for batch in (1, *BATCHES)
    ]
    figures: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for _ in range(ROUNDS):
        for name, batch, measure in ours:
            figures.setdefault((f"Meadhall {name}", batch), []).append(measure())
        for row in [] if chosen.ours else peers(chosen.seconds):
            figures.setdefault((row["name"], row["batch"]), []).append((row["wall"], row["cpu"]))
    table = Table("environment", "batch", "million decisions a second", "of CPU time")
    for (name, batch), rows in figures.items():
        wall, cpu = (median(row[k] for row in rows) / 1e6 for k in (0, 1))
        table.add_row(name, f"{batch:,}", f"{wall:.3g}", f"{cpu:.3g}")
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
