"""What a thread of a GPU works on. Import it only where numba-cuda is installed."""

from __future__ import annotations

from typing import Any

from numba import cuda


@cuda.jit(device=True)
def lanes(count: int) -> Any:
    """Return the indices of this thread: every n-th one of ``count``, for n threads (a grid-stride loop)."""
    return range(cuda.grid(1), count, cuda.gridsize(1))


@cuda.jit(device=True)
def claim(taken: Any) -> int:
    """Return the next number that no thread has taken, from ``taken[0]`` on."""
    return cuda.atomic.add(taken, 0, 1)  # type: ignore[no-any-return]


@cuda.jit(device=True)
def no_event(_log: Any, _audience: int, _kind: int, _a: int, _b: int, _c: int, _d: int) -> None:
    """Append no event: loops on a GPU keep no log."""


@cuda.jit(device=True)
def no_argument(_log: Any, _value: int) -> None:
    """Append no argument of an event."""
