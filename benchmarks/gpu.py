"""Random playouts on a GPU against two CPU cores: equality, then decisions per second by the number of games.

    .venv/bin/python benchmarks/gpu.py            # on a machine with an NVIDIA GPU; at most eight minutes
    .venv/bin/python benchmarks/gpu.py --quick    # a thousand games of each game, to try the script

Every game is played on the GPU and on the CPU with the same seed. Decisions and sums of payoffs must be equal, to the last bit.
Each part prints its result at once, so that a run that is cut off is not lost. Parts that don't fit into the time are left out.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import meadhall
from meadhall.engine.compute.bulk import CHUNK, seed_number
from meadhall.engine.compute.gpu.device import check_gpu
from meadhall.engine.compute.gpu.launch import RESIDENT
from meadhall.engine.compute.gpu.playouts import WAVE, Wave, play_at_random

SECONDS = 8 * 60
GAMES = 1_000_000
SIZES = (1 << 10, 1 << 13, 1 << 16, 1 << 20, 1 << 23)
RESIDENTS = (256, 512, 1024, 2048)
SEED = "gpu"

T = TypeVar("T")


@dataclass(frozen=True)
class Setup:
    """A game and its players; ``goal`` is in decisions per second on an H100 or H200."""

    name: str
    players: int
    goal: float


SETUPS = (
    Setup("axes-and-allies", 4, 1e9),
    Setup("viking-axes", 4, 3e8),
    Setup("axxa", 2, 3e7),
    Setup("dungeon-allies", 4, 3e7),
)

_began = time.monotonic()


def left() -> float:
    """Return the seconds that are left."""
    return SECONDS - (time.monotonic() - _began)


def timed(action: Callable[[], T]) -> tuple[float, T]:
    began = time.perf_counter()
    result = action()
    return time.perf_counter() - began, result


def say(*parts: Any) -> None:
    print(f"[{time.monotonic() - _began:5.0f} s]", *parts, flush=True)


def wave_of(setup: Setup, chunks: int, resident: int = RESIDENT) -> Wave:
    game = meadhall.game(setup.name)
    codes = game.encode_options(game.check_options({}))
    return Wave(game, setup.players, codes, seed_number(SEED), CHUNK, chunks, resident)


def compare(setup: Setup, games: int) -> bool:
    """Play the same games on the GPU and on all cores; say whether all sums are equal."""
    compiled, _ = timed(lambda: meadhall.random_playouts(setup.name, setup.players, 10, SEED, device="cuda"))
    say(f"{setup.name}: compiled for the GPU in {compiled:.1f} s")
    gpu_seconds, gpu = timed(lambda: meadhall.random_playouts(setup.name, setup.players, games, SEED, device="cuda"))
    cpu_seconds, cpu = timed(lambda: meadhall.random_playouts(setup.name, setup.players, games, SEED))
    equal = gpu.decisions == cpu.decisions and gpu.payoffs.tolist() == cpu.payoffs.tolist()
    verdict = "EQUAL" if equal else f"DIFFERENT: GPU {gpu}, CPU {cpu}"
    say(
        f"{setup.name}: {games:,} games, {gpu.decisions:,} decisions, GPU {gpu_seconds:.2f} s, CPU {cpu_seconds:.2f} s: {verdict}"
    )
    return equal


def compare_batches(setup: Setup, count: int, steps: int) -> bool:
    """Step the same matches on the GPU and on the CPU, and hand an array to another library through DLPack."""
    here, there = (
        meadhall.Batch(setup.name, setup.players, count, SEED, device="cpu"),
        meadhall.Batch(setup.name, setup.players, count, SEED, device="cuda"),
    )
    seconds, equal = 0.0, True
    for _ in range(steps):
        masks = here.legal_masks()
        actions = masks.argmax(axis=1)
        took, (known, outcome) = timed(lambda actions=actions: (there.legal_masks(), there.step(actions).copy_to_host()))
        seconds += took
        equal = equal and (known.copy_to_host() == masks).all() and (outcome == here.step(actions)).all()
    equal = equal and there.states.copy_to_host().tobytes() == here.states.tobytes()
    if hasattr(known, "__cuda_array_interface__"):
        from cuda.core.utils import StridedMemoryView  # noqa: PLC0415 - the simulator has none

        view = StridedMemoryView.from_dlpack(known, stream_ptr=-1)
        equal = equal and view.ptr == known.__cuda_array_interface__["data"][0]
    rate = f"{steps * count / seconds:,.0f} masks and steps/s, with copies of actions and outcomes"
    say(f"{setup.name}: a batch of {count:,}, {rate}: {'EQUAL' if equal else 'DIFFERENT'}")
    return bool(equal)


def two_cores(setup: Setup) -> float:
    """Return the decisions per second of two CPU cores."""
    games, seconds, decisions = CHUNK, 0.0, 0
    while seconds < 0.5:
        games *= 2
        seconds, played = timed(lambda count=games: meadhall.random_playouts(setup.name, setup.players, count, SEED, threads=2))
        decisions = played.decisions
    return decisions / seconds


def measure(setup: Setup, games: int, resident: int = RESIDENT) -> float:
    """Return the decisions per second of the GPU, the best of three runs."""
    wave, best = wave_of(setup, min(WAVE, -(-games // CHUNK)), resident), 0.0
    for _ in range(3):
        seconds, (decisions, _payoffs) = timed(lambda: play_at_random(wave, range(games)))
        best = max(best, decisions / seconds)
        if seconds > 5:
            break
    return best


def by_size(setup: Setup, sizes: Iterable[int]) -> None:
    """Measure runs of several sizes against two CPU cores."""
    cores = two_cores(setup)
    say(f"{setup.name}: two CPU cores {cores:,.0f} decisions/s")
    for size in sizes:
        if left() < 30:
            say("no time left for", setup.name, size)
            return
        rate = measure(setup, size)
        share = f"{rate / cores:,.1f} × two cores, {rate / setup.goal:.2f} of the goal"
        say(f"{setup.name}: {size:>9,} games {rate:>15,.0f} decisions/s, {share}")


def by_threads(setup: Setup, residents: Iterable[int], games: int) -> None:
    """Measure other numbers of threads than ``launch.RESIDENT``."""
    for resident in residents:
        if left() < 15:
            say("no time left for", setup.name, "with", resident, "threads")
            return
        rate = measure(setup, games, resident)
        say(f"{setup.name}: {resident:>5} threads per multiprocessor {rate:>15,.0f} decisions/s")


def main() -> None:
    quick = "--quick" in sys.argv
    device = check_gpu().get_current_device()
    say(getattr(device, "name", "the simulator"), getattr(device, "compute_capability", ""))
    equal = [compare(setup, 1000 if quick else GAMES) for setup in SETUPS]
    equal += [compare_batches(setup, 64 if quick else 65_536, 20) for setup in SETUPS]
    for setup in SETUPS:
        by_size(setup, SIZES[:1] if quick else SIZES)
    for setup in SETUPS:
        by_threads(setup, RESIDENTS[:1] if quick else RESIDENTS, SIZES[0] if quick else 1 << 20)
    sys.exit(0 if all(equal) else 1)


if __name__ == "__main__":
    main()
