"""The functions of `impinge.kernels` for CUDA, made from the same sources.

A kernel calls others by the global names of its module. So its translation is the same code with other globals, where
each kernel is replaced by its translation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

from numba import cuda, types

from impinge.kernels.compiler import source_of

__all__ = ["on_device"]


@cache
def on_device(kernel: Any) -> Any:
    """Return the CUDA device function of a kernel.

    Examples
    --------
    >>> from impinge.kernels.pair.depth import length_of
    >>> on_device(length_of).__name__
    'length_of'
    """
    stand_in = _stand_ins().get(kernel)
    source = source_of(kernel) if stand_in is None else stand_in
    if source is None:
        raise TypeError(f"kernel must be a kernel, got {kernel!r}")
    dispatcher = cuda.jit(device=True)(translated(source))
    _forget_literals(dispatcher)
    return dispatcher


def translated(function: Callable[..., Any]) -> FunctionType:
    """Return a function in whose globals each kernel is replaced by its device function."""
    code = function.__code__
    known = dict(function.__globals__)
    for name in code.co_names:
        if source_of(known.get(name)) is not None:
            known[name] = on_device(known[name])
    twin = FunctionType(code, known, function.__name__, function.__defaults__)
    twin.__module__, twin.__qualname__, twin.__doc__ = function.__module__, function.__qualname__, function.__doc__
    return twin


def _forget_literals(dispatcher: Any) -> None:
    """Compile a function once for all values of an argument, as `impinge.kernels.compiler` does.

    For each literal, numba-cuda would compile it again, with all functions to which it passes the literal.
    """
    compiler = getattr(dispatcher, "_compiler", None)
    if compiler is None:  # the simulator compiles nothing
        return
    fold = compiler.fold_argument_types

    def fold_without_literals(*arguments: Any) -> tuple[Any, tuple[Any, ...]]:
        signature, folded = fold(*arguments)
        return signature, tuple(map(types.unliteral, folded))

    compiler.fold_argument_types = fold_without_literals


@cache
def _stand_ins() -> dict[Any, Callable[..., Any]]:
    """Return the kernels that allocate memory, which a device cannot, and the functions that stand in for them."""
    from impinge.kernels.pair.depth import way_out

    return {way_out: unknown_way_out}


def unknown_way_out(
    a: Any, solid_a: int, b: Any, solid_b: int, offset: Any, slop: float, deepest: float
) -> tuple[float, float, float]:
    """Return NaN: the host computes the depth of solids of several pieces, which takes memory of any size."""
    return math.nan, math.nan, math.nan
