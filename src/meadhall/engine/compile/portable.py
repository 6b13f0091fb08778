"""What rules and loops are written with so that they also run on a GPU: arrays of a function, and the loop over many states.

On the CPU these are NumPy's zeros and a range. For a GPU, ``gpu/translate.py`` replaces them: memory of a thread, and the states
that a thread works on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from meadhall.engine.compile.rule import rule


@rule(inline=True)
def local_array(shape: int | tuple[int, ...], dtype: Any) -> Any:
    """Return an array of zeros that lives until the rule returns. Rules call it instead of ``np.zeros``.

    A rule may hand the array to other rules, but not return it or keep it.

    Args:
        shape: the length, or a tuple. Each number must be a literal or a constant of the module: a GPU reserves the memory when
            it compiles the rule.
        dtype: the type of the items, such as ``np.int8``.

    Examples:
        >>> local_array(3, np.int8).tolist()
        [0, 0, 0]
        >>> local_array((2, 3), np.int32).shape
        (2, 3)
    """
    return np.zeros(shape, dtype)


@rule(inline=True)
def lanes(count: int) -> Iterable[int]:
    """Return the indices of the states that this thread works on: all ``count`` of them, unless a GPU shares them out.

    Examples:
        >>> list(lanes(3))
        [0, 1, 2]
    """
    return range(count)


@rule(inline=True)
def scratch_array(shape: int | tuple[int, ...], dtype: Any) -> Any:
    """Return an array like ``local_array``, but with undefined contents, for loops that read only what they wrote.

    Examples:
        >>> scratch_array(3, np.int8).shape
        (3,)
    """
    return np.empty(shape, dtype)
