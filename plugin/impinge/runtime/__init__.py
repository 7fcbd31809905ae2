"""What runs the kernels: the package's native module, Numba, or Python. See `impinge.kernels.compiler`."""

from __future__ import annotations

from typing import Literal, cast

from impinge.kernels import compiler

__all__ = ["KERNELS", "prepare"]

KERNELS = cast(Literal["native", "jit", "python"], compiler.MODE)
"""What runs them here. `IMPINGE_KERNELS` in the environment chooses, before impinge is imported."""


def prepare() -> None:
    """Compile with Numba what it has not kept on disk, if that runs the kernels: it takes minutes, once.

    Each would be compiled at its first call. Where the native module or Python runs them, there is nothing to do.
    """
    compiler.compile_all()
