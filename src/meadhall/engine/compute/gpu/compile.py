"""Compile a game's kernels for a given GPU, on a machine without one: to see that they compile, and to PTX to read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from meadhall.engine.compile.compiled import LOOPS, module_of
from meadhall.engine.compute.gpu.device import numba_cuda
from meadhall.engine.compute.gpu.launch import KERNELS
from meadhall.engine.compute.gpu.translate import rebuilt, translated
from meadhall.engine.game import Game

HOPPER = (9, 0)
"""Compute capability of the H100 and H200."""

Capability = tuple[int, int]

SIGNATURES = {
    "playouts": "states, number, codes, number, number, numbers, lengths, payoffs",
    "add_up": "lengths, payoffs, number, numbers, payoffs",
    "set_up_many": "states, number, codes, number, number",
    "step": "states, numbers, bytes",
    "legal_masks": "states, masks",
    "legal_masks_of": "states, number, masks",
    "decider_masks": "states, masks",
    "scores": "states, payoffs",
    "actors": "states, bytes",
}
"""The arguments of each kernel."""


def ptx(subject: Game, name: str, capability: Capability = HOPPER) -> str:
    """Return a kernel of a game as PTX. Raises NoDevice if numba-cuda isn't installed."""
    cuda = numba_cuda()
    loop = next(found for source in (KERNELS, LOOPS) if (found := getattr(module_of(subject, source), name, None)))
    with _device_of(capability):
        code, _ = cuda.compile(
            rebuilt(loop.py_func, translated), _signature(subject, name), device=False, abi="numba", cc=capability
        )
    return str(code)


def _signature(subject: Game, name: str) -> Any:
    from numba.cuda import types  # noqa: PLC0415 - needs numba-cuda
    from numba.cuda.np.numpy_support import from_dtype  # noqa: PLC0415 - like above

    known = {
        "states": from_dtype(subject.state.dtype)[::1],
        "number": types.int64,
        "numbers": types.int64[::1],
        "codes": types.int64[::1],
        "lengths": types.int32[::1],
        "payoffs": types.float64[:, ::1],
        "bytes": types.int8[::1],
        "masks": types.boolean[:, ::1],
    }
    return types.void(*(known[argument] for argument in SIGNATURES[name].split(", ")))


@contextmanager
def _device_of(capability: Capability) -> Iterator[None]:
    """Let numba-cuda compile device functions for a capability: it asks the GPU of this machine otherwise."""

    class Device:
        compute_capability = capability

    with patch("numba.cuda.dispatcher.get_current_device", Device):
        yield
