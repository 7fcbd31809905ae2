"""The decorator of all kernels, and the choice of the runtime that runs them.

There are three runtimes. The native module of the package is compiled when the package is built. Numba compiles each
kernel at its first call, and keeps its machine code beside the sources. Python serves for debugging. The first one
available is used; `IMPINGE_KERNELS` in the environment forces one of them.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any, ParamSpec, TypeVar, cast

__all__ = [
    "MODE",
    "OPTIONS",
    "compile_all",
    "entry_points",
    "is_inlined",
    "kernel",
    "native_module",
    "source_of",
    "source_stamp",
    "type_of",
]

P = ParamSpec("P")
R = TypeVar("R")

# An index outside its array raises an IndexError: so no state of a world, however broken, ends the process.
# IEEE division (no ZeroDivisionError): the kernels divide by speeds that may be zero and test for the infinity. No
# fastmath: it may reorder sums, and the same input must give the same bits on every machine.
OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": False, "boundscheck": True}
MODES = ("native", "jit", "python")
# The stamp if there are no sources, as in a game that PyInstaller has bundled.
NO_SOURCES = 0

_entry_points: dict[str, tuple[Any, Callable[[], tuple[Any, ...]]]] = {}
# The function from which each kernel was made, and the kernels whose machine code is not inlined.
_sources: dict[Any, Callable[..., Any]] = {}
_called: set[Any] = set()


@cache
def source_stamp() -> int:
    """Return a checksum of all kernel sources: code compiled from sources with another one is stale."""
    stamp = NO_SOURCES
    for folder, folders, names in os.walk(os.path.dirname(__file__)):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".py"):
                with open(os.path.join(folder, name), "rb") as source:
                    stamp = zlib.crc32(source.read(), stamp)
    return stamp


def _choose() -> tuple[str, ModuleType | None]:
    """Return the runtime, one of `MODES`, and the native module if that is the runtime.

    Raises
    ------
    ImportError
        If no runtime is available, or if the one that `IMPINGE_KERNELS` names does not exist or is not available.
    """
    wanted = os.environ.get("IMPINGE_KERNELS", "")
    if wanted not in ("", *MODES):
        raise ImportError(f"IMPINGE_KERNELS is {wanted!r}; it can be native, jit or python")
    if wanted == "python":
        return "python", None
    state = "was not compiled"
    if wanted != "jit":
        try:
            from impinge.kernels import _native  # type: ignore[attr-defined]  # compiled
        except ImportError as error:
            if error.name == f"{__package__}._native":  # the module exists, but not for this machine
                state = f"cannot be loaded ({error})"
        else:
            if source_stamp() in (_native.stamp(), NO_SOURCES):
                return "native", _native
            state = "is older than the sources of the kernels"
    from importlib.util import find_spec

    if wanted != "native" and find_spec("numba"):
        return "jit", None
    missing = "Numba is not installed" if wanted == "jit" else f"the native module of impinge {state}"
    if not wanted:
        missing += ", and Numba is not installed"
    raise ImportError(
        f"{missing}. In a clone, `pip install .` compiles the module, and `pip install -e '.[jit]'` installs Numba"
    )


MODE, _native = _choose()


def kernel(
    example: Callable[[], tuple[Any, ...]] | None = None,
    *,
    inline: bool = True,
    allocates: bool = False,
    nogil: bool = False,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that makes a function a kernel, run by the chosen runtime.

    Parameters
    ----------
    example
        Returns arguments of the types for which an entry point, a kernel that Python calls, is compiled, with the least
        number of columns of each array. Helpers, which only other kernels call, have none.
    inline
        Whether a helper's machine code is inlined into its callers. Passing a dozen arrays costs more than most helpers
        do, except for helpers that are long or seldom called.
    allocates
        Whether a helper makes arrays of its own. Entry points always may.
    nogil
        Whether other threads run meanwhile. For entry points that take long, and whose arrays no other thread writes:
        copies, or those of a world, which refuses a second thread during a step.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        is_entry, runs = example is not None, cast(Any, function)
        if MODE == "native" and is_entry:
            runs = getattr(_native, function.__name__, function)  # kernels outside the package are not in it
        elif MODE == "jit":
            # Without Numba's reference counting in the helpers, a pair of boxes takes 250 ns instead of 880: each array
            # passed is counted up and down, and the kernels pass arrays all the time. So few helpers may make arrays.
            runs = _dispatcher(
                function, {"_nrt": is_entry or allocates, "forceinline": inline and not is_entry, "nogil": nogil}
            )
        if example is not None:
            _entry_points[function.__name__] = (runs, example)
        _sources[runs] = function
        if not inline:
            _called.add(runs)
        return cast(Callable[P, R], runs)

    return decorate


def _dispatcher(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    import numba
    from numba.core import caching

    dispatcher: Any = numba.njit(**OPTIONS, **options)(function)
    fold = dispatcher._compiler.fold_argument_types

    def fold_without_literals(*arguments: Any) -> tuple[Any, tuple[Any, ...]]:
        signature, types = fold(*arguments)
        return signature, tuple(map(numba.types.unliteral, types))

    # For a literal among its arguments, Numba would compile a helper again, with all helpers that it passes it to.
    dispatcher._compiler.fold_argument_types = fold_without_literals
    dispatcher.typeof_pyval = type_of
    if os.environ.get("IMPINGE_CACHE", "1") == "1":
        dispatcher._cache = kept = caching.FunctionCache(function)  # type: ignore[no-untyped-call]
        # Numba stamps machine code with the function's own file, although code of other files is inlined.
        kept._cache_file._source_stamp = source_stamp()
        # An index of other sources is not even read: it pickles their types, and these may be gone.
        kept._cache_file._version += f" {source_stamp()}"
    return dispatcher


def type_of(value: object) -> Any:
    """Return the type of an argument for Numba.

    It is the same for a read-only array: otherwise one would compile a kernel again in the middle of a game.
    """
    import numba

    found: Any = numba.typeof(value)  # type: ignore[no-untyped-call]
    return found.copy(readonly=False) if isinstance(found, numba.types.Array) else found


def source_of(value: object) -> Callable[..., Any] | None:
    """Return the Python function of a kernel, or None for another object."""
    return _sources.get(value) if callable(value) else None


def is_inlined(value: object) -> bool:
    """Return whether the machine code of a kernel is inlined into its callers."""
    return value not in _called


def native_module() -> str | None:
    """Return the path of the native module, or None if it does not run the kernels."""
    return None if _native is None else _native.__file__


def entry_points() -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """Return the entry points by name: the function that runs each, and arguments of the types that it takes."""
    import importlib
    import pkgutil

    for module in pkgutil.walk_packages([os.path.dirname(__file__)], f"{__package__}."):
        if not module.name.endswith("._native"):
            importlib.import_module(module.name)
    return {name: (runs, example()) for name, (runs, example) in _entry_points.items()}


def compile_all() -> None:
    """Compile all entry points that are not on disk yet, with Numba."""
    if MODE != "jit":
        return
    for dispatcher, arguments in entry_points().values():
        dispatcher.compile(tuple(map(type_of, arguments)))
