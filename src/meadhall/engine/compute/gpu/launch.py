"""Start a game's loops as kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from meadhall.engine.compile.compiled import LOOPS, module_of
from meadhall.engine.compute.gpu.device import check_gpu, is_simulated
from meadhall.engine.compute.gpu.translate import kernel
from meadhall.engine.game import Game

KERNELS = Path(__file__).with_name("kernels.py")

BLOCK = 64
"""Threads of a block: two warps, so that also a small batch reaches many multiprocessors."""

RESIDENT = 1024
"""Threads for each multiprocessor in random playouts: half of what it can hold, because the states compete for its cache."""


class DeviceLoops:
    """A game's loops on the GPU. Each function of ``kernels.py``, and of ``loops.py`` over ``states``, has its name here.

    A function takes arrays on the GPU and returns nothing; it doesn't wait until the kernel has run.
    """

    def __init__(self, subject: Game) -> None:
        check_gpu()
        self._modules = [module_of(subject, source) for source in (KERNELS, LOOPS)]

    def __getattr__(self, name: str) -> Any:
        loop = next((found for module in self._modules if (found := getattr(module, name, None)) is not None), None)
        if loop is None:
            raise AttributeError(f"there is no loop {name}")
        started = kernel(loop)

        def run(states: Any, *arguments: Any) -> None:
            """Run the loop with a thread for each state."""
            if len(states):
                started[blocks_for(len(states)), BLOCK](states, *arguments)

        run.kernel = started  # type: ignore[attr-defined]
        setattr(self, name, run)
        return run


def blocks_for(threads: int) -> int:
    """Return the number of blocks for a number of threads."""
    return 1 if is_simulated() else -(-threads // BLOCK)


def resident_threads(resident: int) -> int:
    """Return how many threads run at once, for a number of threads for each multiprocessor."""
    if is_simulated():
        return BLOCK
    return int(check_gpu().get_current_device().MULTIPROCESSOR_COUNT) * resident


_loops: WeakKeyDictionary[Game, DeviceLoops] = WeakKeyDictionary()


def device_loops(subject: Game) -> DeviceLoops:
    """Return the game's loops on the GPU. Raises NoDevice if there is no GPU."""
    found = _loops.get(subject)
    if found is None:
        found = _loops[subject] = DeviceLoops(subject)
    return found
