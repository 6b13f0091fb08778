"""The arrays and loops of a batch on the GPU. Import it only where numba-cuda is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from meadhall.engine.checks import quoted
from meadhall.engine.compute.gpu.device import check_gpu, is_simulated
from meadhall.engine.compute.gpu.launch import DeviceLoops, device_loops
from meadhall.engine.compute.memory import integers
from meadhall.engine.errors import MalformedAction
from meadhall.engine.game import Game

_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")

_HOST = 1
"""The number of the CPU in DLPack."""


class OnGpu:
    """The memory of the GPU, and its threads. Raises NoDevice if there is no GPU."""

    def __init__(self) -> None:
        self._cuda = check_gpu()

    def loops(self, subject: Game) -> DeviceLoops:
        return device_loops(subject)

    def blank(self, subject: Game, count: int) -> Any:
        return self.from_host(subject.state.new(count))

    def array(self, shape: int | tuple[int, ...], dtype: Any) -> Any:
        if is_simulated():
            return self._cuda.device_array(shape, dtype)
        from meadhall.engine.compute.gpu.arrays import DeviceArray  # noqa: PLC0415 - the simulator has no such arrays

        return DeviceArray(shape, dtype)

    def actions(self, given: Any) -> Any:
        """Return actions as they are if they are integers on the GPU; otherwise copy them to it. Raises MalformedAction."""
        if not _is_on_gpu(given):
            return self.from_host(integers(given))
        kind = str(given.dtype).removeprefix("torch.")
        if kind not in _INTEGERS:
            raise MalformedAction(f"actions on the GPU must be integers of at most 64 bits, not {quoted(kind)}")
        return given

    def seats_to_move(self, subject: Game, states: Any) -> Any:
        seats = self.array(len(states), np.int8)
        self.loops(subject).actors(states, seats)
        return seats

    def on_host(self, array: Any) -> npt.NDArray[Any]:
        copy: npt.NDArray[Any] = array.copy_to_host()
        return copy

    def from_host(self, array: npt.NDArray[Any]) -> Any:
        found = self.array(array.shape, array.dtype)
        found.copy_to_device(np.ascontiguousarray(array))
        return found

    def copied(self, states: Any) -> Any:
        found = self.array(tuple(states.shape), states.dtype)
        found.view(np.uint8).copy_to_device(states.view(np.uint8))
        return found


def _is_on_gpu(array: Any) -> bool:
    if getattr(array, "__cuda_ndarray__", False) or getattr(array, "__cuda_array_interface__", None) is not None:
        return True
    device = getattr(array, "__dlpack_device__", None)
    return device is not None and int(device()[0]) != _HOST
