"""Arrays that are offered by DLPack only. Oracles: NumPy's own capsules, and what NumPy reads in the same memory."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

from impinge.errors import ShapeError
from impinge.gpu import device
from impinge.gpu.dlpack import DLPackArray, tensor_of

ARRAYS = [
    np.arange(24.0).reshape(2, 3, 4),
    np.arange(24.0).reshape(2, 3, 4)[:, ::2, 1:],
    np.arange(6, dtype=np.int64).reshape(2, 3).T,
    np.arange(5, dtype=np.uint8),
    np.array([True, False]),
    np.arange(4, dtype=np.float32),
    np.arange(3) * 1j,
    np.array(7.0),
    np.empty((0, 3)),
]


class OnGpu:
    """Offers an array of the host as if it were on a GPU."""

    def __init__(self, array: np.ndarray, kind: int) -> None:
        self.array, self.kind = array, kind

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.kind, 0

    def __dlpack__(self, *, stream: int | None = None) -> Any:
        assert stream == 1, "the kernels run on the default stream"
        return self.array.__dlpack__()


class Reader:
    """An array as a library reads it by `__array_interface__`, which has the same entries."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.__array_interface__ = {name: told[name] for name in ("version", "shape", "typestr", "strides", "data")}


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype}-{array.shape}")
def test_an_array_is_read_in_its_own_memory(array: np.ndarray) -> None:
    there = DLPackArray(OnGpu(array, 2))
    told = there.__cuda_array_interface__
    found = np.asarray(Reader(told))
    assert (found.dtype, found.shape) == (array.dtype, array.shape)
    np.testing.assert_array_equal(found, array)
    if array.size:
        assert np.shares_memory(found, array)
    assert told["stream"] == 1


def test_the_memory_is_kept_as_long_as_it_is_read() -> None:
    class Watched(np.ndarray):
        pass

    array = np.arange(3.0).view(Watched)
    watch = weakref.ref(array)
    there = DLPackArray(OnGpu(array, 2))
    del array
    gc.collect()
    assert watch() is not None
    del there
    gc.collect()
    assert watch() is None


@pytest.mark.parametrize(("kind", "is_there"), [(1, False), (2, True), (3, False), (10, False), (13, True)])
def test_only_arrays_of_cuda_are_on_the_device(kind: int, is_there: bool) -> None:
    assert device.is_on_device(OnGpu(np.arange(3.0), kind)) is is_there
    # NumPy offers its own arrays by DLPack too.
    assert not device.is_on_device(np.arange(3.0))
    assert not device.is_on_device([1.0])


@pytest.mark.gpu
def test_a_gpu_reads_what_is_offered_by_dlpack() -> None:
    from numba import cuda

    there = cuda.to_device(np.arange(6.0).reshape(2, 3))
    made = np.arange(6.0).reshape(2, 3)

    class Offered(OnGpu):
        def __dlpack__(self, *, stream: int | None = None) -> Any:
            capsule = super().__dlpack__(stream=stream)
            # The same description, of memory on the GPU.
            tensor = tensor_of(capsule)
            tensor.data, tensor.device_type = there.__cuda_array_interface__["data"][0], 2
            return capsule

    read = device.checked_array("goals", Offered(made, 2))
    np.testing.assert_array_equal(read.copy_to_host(), made)
    assert read.__cuda_array_interface__["data"] == there.__cuda_array_interface__["data"]
    with pytest.raises(ShapeError, match=r"^goals must be int64 on a device, got float64"):
        device.checked_array("goals", Offered(made, 2), np.int64)
