"""The one decorator that every compiled function goes through, and what compiles them ahead.

Not here: the functions themselves, and where their machine code is kept, which is in `machine_code`. A kernel is
compiled at its first call, or ahead of it by `warm_up`, and is then read from disk; importing compiles nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core import config

from impinge.kernels.machine_code import KernelCache

__all__ = ["cache_directory", "entry_points", "families", "kernel", "missing", "ship", "warm_up"]

P = ParamSpec("P")
R = TypeVar("R")

# IEEE division (no ZeroDivisionError): the kernels divide by speeds that may be zero and test the infinity.
# No fastmath: it may reorder sums, and the same input must give the same bits on every machine.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": False}

# Modules whose kernels share most of their code.
_FAMILIES = (
    ("questions", "impacts", "searching"),
    ("frame", "tree", "standing"),
    ("sectors", "sights", "swings", "visibility"),
)

_entry_points: list[tuple[Any, Callable[[], tuple[Any, ...]]]] = []


def kernel(
    example: Callable[[], tuple[Any, ...]] | None = None, *, inline: bool = True, allocates: bool = False
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile a function with the options that all kernels share, and keep its machine code on disk.

    Parameters
    ----------
    example
        Makes arguments of the types that an entry point takes: a kernel that Python calls. `warm_up` compiles for
        these types. Helpers that only other kernels call have none.
    inline
        Whether a helper's machine code goes into its caller's. Handing over a dozen arrays costs more than most helpers
        do; not so for those that are long, or seldom called.
    allocates
        Whether a helper makes arrays of its own. Entry points may always.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        if config.DISABLE_JIT:  # type: ignore[attr-defined]  # set when Numba reads its environment
            return function
        is_entry = example is not None
        # Without Numba's reference counting in the helpers a pair of boxes takes 250 ns instead of 880: each array that
        # is handed on is counted up and down, and they are handed on all the time. So few helpers make arrays.
        options = _OPTIONS | {"_nrt": is_entry or allocates, "forceinline": inline and not is_entry}
        dispatcher: Any = numba.njit(**options)(function)
        with suppress(RuntimeError):  # no folder can be written to: the doctor says so
            dispatcher._cache = KernelCache(function)  # type: ignore[no-untyped-call]
        if example is not None:
            _entry_points.append((dispatcher, example))
        return cast(Callable[P, R], dispatcher)

    return decorate


def entry_points() -> list[str]:
    """Names of the kernels that Python calls, in the order in which they are warmed up."""
    return [dispatcher.py_func.__name__ for dispatcher, _ in _entry_points]


def families(names: Collection[str]) -> list[list[str]]:
    """Sort entry points into families that share much of their code, so that one process compiles that once."""
    sorted_out: dict[object, list[str]] = {}
    for dispatcher, _ in _entry_points:
        module = dispatcher.py_func.__module__.rpartition(".")[2]
        if dispatcher.py_func.__name__ in names:
            family = next((family for family in _FAMILIES if module in family), module)
            sorted_out.setdefault(family, []).append(dispatcher.py_func.__name__)
    return list(sorted_out.values())


def warm_up(names: Collection[str] | None = None) -> Iterator[tuple[str, bool]]:
    """Compile entry points, or load them from disk; yields each name, and whether it had to be compiled.

    Without names it does so with all.
    """
    for dispatcher, example in _entry_points:
        if names is None or dispatcher.py_func.__name__ in names:
            dispatcher.compile(_types(example))
            yield dispatcher.py_func.__name__, not sum(dispatcher.stats.cache_hits.values())


def missing() -> list[str]:
    """Names of the kernels that have no machine code on disk: their first call will compile."""
    return [dispatcher.py_func.__name__ for dispatcher, example in _entry_points if not _on_disk(dispatcher, example)]


def _on_disk(dispatcher: Any, example: Callable[[], tuple[Any, ...]]) -> bool:
    cache = dispatcher._cache
    return isinstance(cache, KernelCache) and cache.holds(_types(example), dispatcher.targetctx)


def ship(folder: Path, names: Collection[str] | None = None) -> None:
    """Put the machine code of entry points, which has to be on disk, into a folder that goes with a game.

    Without names it does so with all.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for dispatcher, example in _entry_points:
        if names is None or dispatcher.py_func.__name__ in names:
            dispatcher._cache.ship(folder, _types(example), dispatcher.targetctx)


def cache_directory() -> Path | None:
    """Where machine code is kept: beside the sources if that is writable, else in the user's cache folder.

    In a bundled game it is always the user's. None where neither is writable: then every start of a game compiles anew.
    """
    path = _entry_points[0][0].stats.cache_path if _entry_points else None
    return None if path is None else Path(path)


def _types(example: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
    return tuple(numba.typeof(argument) for argument in example())  # type: ignore[no-untyped-call]
