"""Arrays on a device that are only offered by DLPack, the exchange of arrays between libraries.

The C structures are those of `dlpack.h` (https://dmlc.github.io/dlpack/latest/c_api.html).
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

__all__ = ["DLPackArray", "Tensor", "is_on_cuda", "tensor_of"]

# Devices: memory of a GPU, and memory that CUDA moves between it and the host.
CUDA_DEVICES = (2, 13)
# The default stream of CUDA, on which the kernels run.
DEFAULT_STREAM = 1
# Kinds of numbers in NumPy's notation, by their codes.
KINDS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}


class Tensor(ctypes.Structure):
    """A `DLTensor`, with which a `DLManagedTensor` begins."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def tensor_of(capsule: Any) -> Tensor:
    """Return the description of an array in a capsule of `__dlpack__`, in its memory."""
    return Tensor.from_address(_pointer_of(capsule, b"dltensor"))


def is_on_cuda(value: Any) -> bool:
    """Return whether an object offers an array on a CUDA device by DLPack."""
    return hasattr(value, "__dlpack__") and value.__dlpack_device__()[0] in CUDA_DEVICES


class DLPackArray:
    """An array that another one offers by DLPack, in its memory, for libraries that read `__cuda_array_interface__`.

    Parameters
    ----------
    source
        The other array. Its memory is kept.
    stream
        The stream on which the array is read, as `__dlpack__` takes it; None for an array of the host.

    Examples
    --------
    >>> numbers = np.arange(6.0).reshape(2, 3)
    >>> told = DLPackArray(numbers, stream=None).__cuda_array_interface__
    >>> told["shape"], told["typestr"], told["strides"], told["data"][0] == numbers.ctypes.data
    ((2, 3), '<f8', (24, 8), True)
    """

    def __init__(self, source: Any, stream: int | None = DEFAULT_STREAM) -> None:
        # A capsule that is not taken over frees what it holds when it is gone itself.
        self._capsule = source.__dlpack__(stream=stream)
        tensor = tensor_of(self._capsule)
        size, count = tensor.bits * tensor.lanes // 8, tensor.ndim
        # Numbers of several lanes, or of less than a byte, are none of NumPy's.
        kind = KINDS.get(tensor.code, "V") if tensor.lanes == 1 and tensor.bits % 8 == 0 else "V"
        strides = tuple(step * size for step in tensor.strides[:count]) if tensor.strides else None
        self.__cuda_array_interface__ = {
            "version": 3,
            "shape": tuple(tensor.shape[:count]),
            "typestr": np.dtype(f"{kind}{size}").str,
            "strides": strides,
            "data": ((tensor.data or 0) + tensor.byte_offset, False),
            "stream": stream,
        }
