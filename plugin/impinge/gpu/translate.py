"""The functions of `impinge.kernels` for CUDA, made from the same sources.

A kernel calls others by the global names of its module. So its translation is the same code with other globals, where
each kernel is replaced by its translation.

A device cannot allocate memory. So stand-ins replace the two kernels that do. They return a bound of the depth, and set
a mark for the host to compute it: 1 in the last column of the solids, which has no other use. Where only boxes are
resolved, the stand-in of `resolve_solid` sets it too: the code of all other shapes is many times as long.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

from numba import cuda, types

from impinge.kernels.compiler import is_inlined, source_of
from impinge.kernels.pair.depth import depth_of_bounds

__all__ = ["in_thread", "on_device"]


@cache
def on_device(kernel: Any, *, only_boxes: bool = False) -> Any:
    """Return the CUDA device function of a kernel.

    Parameters
    ----------
    kernel
        One of `impinge.kernels`.
    only_boxes
        Whether bodies that are not resolved as plain boxes are left to the host.

    Examples
    --------
    >>> from impinge.kernels.pair.depth import length_of
    >>> on_device(length_of).__name__
    'length_of'
    """
    stand_in = _stand_ins(only_boxes).get(kernel)
    source = source_of(kernel) if stand_in is None else stand_in
    if source is None:
        raise TypeError(f"kernel must be a kernel, got {kernel!r}")
    dispatcher = cuda.jit(device=True)(translated(source, only_boxes))
    if hasattr(dispatcher, "compile_device"):  # the simulator compiles nothing
        _forget_literals(dispatcher)
        if not is_inlined(kernel):
            _change_code(dispatcher, _forbid_inlining)
    return dispatcher


def translated(function: Callable[..., Any], only_boxes: bool) -> FunctionType:
    """Return a function in whose globals each kernel is replaced by its device function."""
    code = function.__code__
    known = dict(function.__globals__)
    for name in code.co_names:
        if source_of(known.get(name)) is not None:
            known[name] = on_device(known[name], only_boxes=only_boxes)
    twin = FunctionType(code, known, function.__name__, function.__defaults__)
    twin.__module__, twin.__qualname__, twin.__doc__ = function.__module__, function.__qualname__, function.__doc__
    return twin


def in_thread(function: Callable[..., Any]) -> Any:
    """Return a device function that leaves its `cuda.local.array`s unset.

    numba-cuda sets them to zero: 13 kB in each thread of `step_boxes`, by as many instructions as a frame takes.
    """
    dispatcher = cuda.jit(device=True)(function)
    if hasattr(dispatcher, "compile_device"):
        _change_code(dispatcher, _leave_unset)
    return dispatcher


def _leave_unset(function: Any) -> None:
    """Take out what sets arrays to zero: it stores constants at their addresses."""
    begin = function.blocks[0]
    begin.instructions[:] = [each for each in begin.instructions if not _sets_array(each)]


def _sets_array(instruction: Any) -> bool:
    return instruction.opname == "store" and getattr(instruction.operands[1], "name", "").startswith("_cudapy_lmem")


def _forget_literals(dispatcher: Any) -> None:
    """Compile a function once for all values of an argument, as `impinge.kernels.compiler` does.

    For each literal, numba-cuda would compile it again, with all functions to which it passes the literal.
    """
    compiler = dispatcher._compiler
    fold = compiler.fold_argument_types

    def fold_without_literals(*arguments: Any) -> tuple[Any, tuple[Any, ...]]:
        signature, folded = fold(*arguments)
        return signature, tuple(map(types.unliteral, folded))

    compiler.fold_argument_types = fold_without_literals


def _forbid_inlining(function: Any) -> None:
    """Let LLVM call a function instead of inlining it. numba-cuda has an option for the opposite only.

    With all kernels inlined, a whole frame does not compile in 20 minutes.
    """
    function.attributes.add("noinline")


def _change_code(dispatcher: Any, change: Callable[[Any], None]) -> None:
    """Change what numba-cuda makes of a function, before NVIDIA's compiler gets it."""
    compile_device = dispatcher.compile_device

    def compile_and_change(*arguments: Any) -> Any:
        compiled = compile_device(*arguments)
        for module in compiled.library.modules:
            for function in module.functions:
                if function.name == compiled.fndesc.llvm_func_name:
                    change(function)
        return compiled

    dispatcher.compile_device = compile_and_change


@cache
def _stand_ins(only_boxes: bool) -> dict[Any, Callable[..., Any]]:
    """Return the kernels that a device cannot or should not run, and the functions that stand in for them."""
    from impinge.kernels.pair.depth import way_out
    from impinge.kernels.step.depenetration import way_out_of_all
    from impinge.kernels.step.resolve_solid import resolve_solid

    found: dict[Any, Callable[..., Any]] = {way_out: bound_of_way_out, way_out_of_all: bound_of_way_out_of_all}
    return found | {resolve_solid: leave_solid} if only_boxes else found


def bound_of_way_out(
    a: Any, solid_a: int, b: Any, solid_b: int, offset: Any, slop: float, deepest: float
) -> tuple[float, float, float]:
    """Return the shortest way to separate the bounds of two solids, and set the mark."""
    a[a.shape[0] - 1] = 1.0
    return depth_of_bounds(a, solid_a, b, solid_b, offset)


def bound_of_way_out_of_all(
    might: int, deepest: float, most: float, count: int, way: Any, candidates: Any, bodies: Any
) -> tuple[float, float, float]:
    """Return that no way shorter than `most` leads out of all bodies, and set the mark."""
    bodies.solids[bodies.solids.shape[0] - 1] = 1.0
    return most, 0.0, 0.0


def leave_solid(
    weak: int, bodies: Any, frame: Any, tree: Any, candidates: Any, way: Any, scratch: Any, contacts: Any
) -> None:
    """Set the mark."""
    bodies.solids[bodies.solids.shape[0] - 1] = 1.0
