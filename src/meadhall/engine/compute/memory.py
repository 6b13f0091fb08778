"""Where a batch keeps its arrays, and what runs its loops: this machine's memory and cores, or a GPU (``gpu/storage.py``)."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from meadhall.engine.checks import as_integer, quoted
from meadhall.engine.compile.compiled import loops
from meadhall.engine.compute.gpu.device import check_device
from meadhall.engine.errors import MalformedAction
from meadhall.engine.game import Game
from meadhall.engine.state.schema import States, copied

LARGEST = np.iinfo(np.int64).max
"""The largest action, and the largest number of a match."""


def integers(given: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Convert actions to an int64 array. Raises MalformedAction if one is not a 64-bit integer."""
    if isinstance(given, np.ndarray) and given.dtype.kind == "i":
        return given.astype(np.int64, copy=False)
    objects = np.array(given, object)
    numbers = [as_integer(value) for value in objects.flat]
    for value, number in zip(objects.flat, numbers, strict=True):
        if number is None or not -LARGEST - 1 <= number <= LARGEST:
            raise MalformedAction(f"an action must be a 64-bit integer, not {quoted(value)}")
    return np.array(numbers, np.int64).reshape(objects.shape)


class Storage(Protocol):
    """Memory for the arrays of a batch, and the loops that work on it."""

    def loops(self, subject: Game) -> Any:
        """Return the game's loops over many states."""

    def blank(self, subject: Game, count: int) -> Any:
        """Return blank states."""

    def array(self, shape: int | tuple[int, ...], dtype: Any) -> Any:
        """Return an array of undefined contents, which a loop fills."""

    def actions(self, given: Any) -> Any:
        """Return actions as an array of integers. Raises MalformedAction."""

    def seats_to_move(self, subject: Game, states: Any) -> Any:
        """Return the seat to move in each state, int8 (count,); -1 where a match is over."""

    def on_host(self, array: Any) -> npt.NDArray[Any]:
        """Return an array in this machine's memory."""

    def from_host(self, array: npt.NDArray[Any]) -> Any:
        """Return a copy of an array of this machine's memory."""

    def copied(self, states: Any) -> Any:
        """Return a copy of states."""


class Host:
    """This machine's memory and cores."""

    def loops(self, subject: Game) -> Any:
        return loops(subject)

    def blank(self, subject: Game, count: int) -> States:
        states: States = subject.state.new(count)
        return states

    def array(self, shape: int | tuple[int, ...], dtype: Any) -> npt.NDArray[Any]:
        return np.empty(shape, dtype)

    def actions(self, given: Any) -> npt.NDArray[np.int64]:
        return integers(given)

    def seats_to_move(self, subject: Game, states: States) -> npt.NDArray[np.int8]:
        del subject
        return states["actor"].astype(np.int8)

    def on_host(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return array

    def from_host(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return array

    def copied(self, states: States) -> States:
        return copied(states)


def storage(device: str) -> Storage:
    """Return the storage of a device, ``cpu`` or ``cuda``. Raises BadSetup or NoDevice."""
    if check_device(device) == "cpu":
        return Host()
    from meadhall.engine.compute.gpu.storage import OnGpu  # noqa: PLC0415 - only a program that asks for a GPU loads it

    return OnGpu()
