"""The kernel backend: the package's native module, Numba, or Python. See `impinge.kernels.compiler`."""

from __future__ import annotations

from typing import Literal, cast

from impinge.kernels import compiler

__all__ = ["KERNELS", "prepare"]

KERNELS = cast(Literal["native", "jit", "python"], compiler.MODE)
"""The kernel backend of this process. The environment variable `IMPINGE_KERNELS` sets it before impinge is imported."""


def prepare() -> None:
    """Compile all kernels that Numba's disk cache lacks. This takes minutes, once.

    Without this call, Numba compiles each kernel at its first call. With the native module or Python as the backend,
    this does nothing.
    """
    compiler.compile_all()
