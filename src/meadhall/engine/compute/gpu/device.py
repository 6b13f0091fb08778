"""The GPU: numba-cuda, if it is installed and finds one."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import Any

from meadhall.engine.checks import quoted
from meadhall.engine.compile import mode
from meadhall.engine.errors import BadSetup, NoDevice, how_to_install

DEVICES = ("cpu", "cuda")


def check_device(device: Any) -> str:
    """Return ``cpu`` or ``cuda``. Raises BadSetup for another name."""
    if device not in DEVICES:
        raise BadSetup(f"the device must be {' or '.join(DEVICES)}, not {quoted(device)}")
    return str(device)


def is_simulated() -> bool:
    """Return whether kernels run in numba-cuda's simulator, as interpreted Python on the CPU."""
    return os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0")


def numba_cuda() -> Any:
    """Return the module ``numba.cuda`` of numba-cuda, whether or not there is a GPU. Raises NoDevice if it isn't installed."""
    if find_spec("numba_cuda") is None:
        raise NoDevice(f"a GPU needs numba-cuda, which is not installed: {how_to_install('gpu')} (Linux on x86-64)")
    if mode.interpreted and not is_simulated():
        raise NoDevice("a GPU runs compiled rules, and this process interprets them: unset MEADHALL_INTERPRET")
    if is_simulated() and not mode.interpreted:
        raise NoDevice("the simulator of numba-cuda runs interpreted rules: set MEADHALL_INTERPRET=1")
    from numba import cuda  # noqa: PLC0415 - only a program that asks for a GPU loads it

    if not is_simulated():
        cuda.core.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # a small batch is no mistake
    return cuda


def check_gpu() -> Any:
    """Return ``numba.cuda`` if there is a GPU that it can use. Raises NoDevice with the driver's reason."""
    cuda = numba_cuda()
    if not cuda.is_available():
        reason = cuda.cuda_error()
        raise NoDevice(f"there is no CUDA device: {reason}" if reason else "there is no CUDA device")
    return cuda
