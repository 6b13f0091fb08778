"""Arrays in the local memory of a thread. Import it only where numba-cuda is installed.

Local memory is interleaved: when the threads of a warp touch the same place of their arrays, that is one access. So a state in
local memory needs no other layout than on the CPU.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from llvmlite import ir
from numba.cuda import cgutils, types
from numba.cuda.extending import intrinsic
from numba.cuda.np.numpy_support import as_dtype
from numba.cuda.typing.npydecl import parse_dtype

_ALIGNMENT = 16
"""In bytes, so that a state is copied 16 bytes at a time."""


def _lengths(shape: Any) -> tuple[int, ...] | None:
    """Return a shape of literals; None if it isn't one."""
    parts = tuple(shape) if isinstance(shape, types.BaseTuple) else (shape,)
    return tuple(part.literal_value for part in parts) if all(isinstance(part, types.IntegerLiteral) for part in parts) else None


def _array(shape: Any, dtype: Any, zeros: bool) -> tuple[Any, Callable[..., Any]] | None:
    """Return the type and the code of an array of this shape; None if the shape is no constant."""
    lengths, item = _lengths(shape), parse_dtype(dtype)
    if lengths is None or item is None:
        return None
    size = as_dtype(item).itemsize
    strides = [size * prod(lengths[axis + 1 :]) for axis in range(len(lengths))]

    def code(context: Any, builder: Any, signature: Any, _arguments: Any) -> Any:
        data = cgutils.alloca_once(builder, ir.ArrayType(context.get_data_type(item), max(1, prod(lengths))))
        data.align = _ALIGNMENT
        if zeros:
            cgutils.memset(builder, data, context.get_constant(types.intp, size * prod(lengths)), 0)
        array = context.make_array(signature.return_type)(context, builder)
        context.populate_array(
            array,
            data=builder.bitcast(data, array.data.type),
            shape=[context.get_constant(types.intp, length) for length in lengths],
            strides=[context.get_constant(types.intp, stride) for stride in strides],
            itemsize=context.get_constant(types.intp, size),
            meminfo=None,
        )
        return array._getvalue()

    return types.Array(item, len(lengths), "C")(shape, dtype), code


@intrinsic
def local_array(_typing: Any, shape: Any, dtype: Any) -> Any:
    """Return an array of zeros."""
    return _array(shape, dtype, zeros=True)


@intrinsic
def scratch_array(_typing: Any, shape: Any, dtype: Any) -> Any:
    """Return an array of undefined contents."""
    return _array(shape, dtype, zeros=False)
