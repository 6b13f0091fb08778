"""Arrays on the GPU that other libraries can use without a copy. Import it only where numba-cuda is installed and finds a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
from cuda.core.utils import StridedMemoryView
from numba import cuda
from numba.cuda.cudadrv.devicearray import DeviceNDArray

_LEGACY_STREAM = 1
"""The number of the default stream in ``__cuda_array_interface__``. Whoever uses another stream waits for it."""

_CUDA = 2
"""The number of CUDA in DLPack."""


class DeviceArray(DeviceNDArray):  # type: ignore[misc]
    """An array on the GPU, for PyTorch, JAX and CuPy through DLPack or ``__cuda_array_interface__``.

    ``copy_to_host()`` and ``numpy.asarray`` copy it to this machine's memory.
    """

    def __init__(self, shape: int | tuple[int, ...], dtype: Any) -> None:
        lengths = (shape,) if isinstance(shape, int) else shape
        super().__init__(lengths, _strides(lengths, np.dtype(dtype).itemsize), dtype)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {**super().__cuda_array_interface__, "stream": _LEGACY_STREAM}

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CUDA, int(cuda.get_current_device().id)

    def __dlpack__(self, **request: Any) -> Any:
        """Return the array as a DLPack capsule, when all kernels that were started have run."""
        if self.dtype.kind == "V":
            raise BufferError("DLPack has no records: use __cuda_array_interface__ for states")
        cuda.default_stream().synchronize()
        request.pop("stream", None)
        view = StridedMemoryView.from_cuda_array_interface(_Described(self), stream_ptr=-1)
        return view.__dlpack__(**request)


class _Described:
    """An array as its description alone, so that its memory is viewed through it and not through DLPack."""

    def __init__(self, array: DeviceArray) -> None:
        self.array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, "stream": None}


def _strides(lengths: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Return the strides of a contiguous array in bytes."""
    strides, step = [], itemsize
    for length in reversed(lengths):
        strides.append(step)
        step *= length
    return tuple(reversed(strides))
