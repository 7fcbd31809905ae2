"""Whether a CUDA device can be used, and arrays on it."""

from __future__ import annotations

import os
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from impinge.errors import DeviceError, ShapeError
from impinge.gpu.dlpack import DLPackArray, is_on_cuda
from impinge.runtime.doctor import EXTRAS, installed, optional

__all__ = [
    "NOTHING_WRONG",
    "THREADS_OF_A_BLOCK",
    "Array",
    "blocks",
    "check_device",
    "checked_array",
    "is_on_device",
    "missing",
    "on_cuda",
    "run_threads",
]

# An array on the device: a numba-cuda array, or any with `__cuda_array_interface__` or `__dlpack__`.
Array: TypeAlias = Any

NAME = "numba-cuda"
INSTALL = f'pip install "{EXTRAS[NAME]}"'
THREADS_OF_A_BLOCK = 64
# Numba warns of fewer blocks, as they leave a GPU idle. Blocks without work cost nothing, but in the simulator.
FEWEST_BLOCKS = 128
# What a search of a device for the first wrong number begins with.
NOTHING_WRONG = int(np.iinfo(np.int64).max)


def missing() -> tuple[str, str]:
    """Return the first thing that CUDA needs and does not find, and its remedy; empty texts if nothing is missing."""
    found = installed(NAME)
    finding = optional(NAME, found)
    if found is None or finding.problem:
        return finding.problem or f"{NAME} is not installed", INSTALL
    try:
        from numba import cuda
    except Exception as error:  # any: its parts may be of versions that do not fit
        return f"numba-cuda cannot be imported ({type(error).__name__}: {error})", INSTALL
    if not is_simulated() and not cuda.is_available():
        return f"no CUDA device: {_reason(cuda)}", "install the driver of an NVIDIA GPU; nvidia-smi shows it"
    return "", ""


def _reason(cuda: Any) -> str:
    """Return why numba-cuda finds no device. Its message is a heading, the reason and advice, a line each."""
    lines = [line.strip(":. ") for line in str(cuda.cuda_error() or "").splitlines()]
    reasons = [line for line in lines if line and line != "Error at driver init"]
    return reasons[0] if reasons else "the driver finds no GPU"


def is_simulated() -> bool:
    """Return whether numba-cuda simulates a device."""
    return os.environ.get("NUMBA_ENABLE_CUDASIM", "0") != "0"


@cache
def check_device() -> None:
    """Raise an error if CUDA cannot be used. A failed search is repeated, as the user may have installed what lacks."""
    problem, remedy = missing()
    if problem:
        raise DeviceError(f'device="cuda" needs a CUDA device, got none: {problem}. Remedy: {remedy}')


def is_on_device(value: object) -> bool:
    """Return whether an object is an array on a CUDA device."""
    if hasattr(value, "__cuda_array_interface__") or getattr(value, "__cuda_ndarray__", False) is True:
        return True
    return is_on_cuda(value)


def on_cuda(array: NDArray[Any] | Array) -> Array:
    """Return an array on the device: a copy of a NumPy array, and any other one as it is."""
    from numba import cuda

    if isinstance(array, np.ndarray):
        return cuda.to_device(np.ascontiguousarray(array))
    if getattr(array, "__cuda_ndarray__", False) is True:
        return array
    return cuda.as_cuda_array(array if hasattr(array, "__cuda_array_interface__") else DLPackArray(array))


def checked_array(name: str, value: Any, dtype: Any = np.float64) -> Array:
    """Return an array on the device, or raise an error with its name if the kernels cannot read it."""
    array = on_cuda(value)
    if array.dtype != dtype:
        raise ShapeError(f"{name} must be {np.dtype(dtype)} on a device, got {array.dtype}")
    if not array.is_c_contiguous():
        raise ShapeError(f"{name} must be in C order on a device, got strides {array.strides}")
    return array


def blocks(threads: int) -> int:
    """Return the number of blocks of a launch."""
    return max(1 if is_simulated() else FEWEST_BLOCKS, -(-threads // THREADS_OF_A_BLOCK))


def run_threads(kernel: Any, threads: int, *arguments: Any) -> None:
    """Launch a kernel with at least this number of threads, or not at all for none."""
    if threads:
        kernel[blocks(threads), THREADS_OF_A_BLOCK](*arguments)
