"""Where the kernels' machine code is kept: on this machine, and in a game that was bundled by PyInstaller or its like.

Numba finds its folder by the path of a function's source. In a bundled game that path is relative, as in
`impinge/kernels/frame.py`: the folder changes with the working directory, or there is none, and Numba says "no locator
available". There the folder is our own, one for each user. Before anything is looked for in it, the machine code that
came with the game is taken, from `SHIPPED`.

Numba also wants the very processor that the code was made for. What is shipped has to run on those of the players, so
it is made for `PORTABLE` ones, and taken wherever it runs. Not here: compiling, which is in `compiler`.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self, TypeAlias

import numba
from numba.core import caching, config
from numba.misc.appdirs import AppDirs

__all__ = ["PORTABLE", "SHIPPED", "KernelCache", "portable_settings", "runs_on"]

# What code was made for, as Numba says it: the system ("x86_64-unknown-linux-gnu"), the processor's name, and its
# features ("+sse3,-avx").
Target: TypeAlias = tuple[str, str, str]
Signature: TypeAlias = tuple[Any, ...]

# The machine code that a bundled game brings along.
SHIPPED = Path(__file__).parent / "machine_code"

# Architecture: the processor to make code for that others are to run, by its name and all of the features that the code
# may use. This one is x86-64-v2, which Intel's and AMD's have been since 2011; Windows 11 wants no less.
PORTABLE = {"x86_64": ("x86-64", "+cx16,+popcnt,+sahf,+sse3,+sse4.1,+sse4.2,+ssse3")}
# Of all others: what every processor of its architecture has.
PORTABLE_ELSEWHERE = ("generic", "")


def _source_stamp() -> str:
    """One hash over all kernel sources: a change to a helper makes the code of all its callers stale."""
    digest = hashlib.sha256()
    # PyInstaller's hook takes the sources along. Where a game was bundled without them its program stands for them.
    for source in sorted(Path(__file__).parent.glob("*.py")) or [Path(sys.executable)]:
        digest.update(source.read_bytes())
    return digest.hexdigest()


_STAMP = _source_stamp()


class _PackageStamp:
    """Numba stamps a function's machine code with its own file only, although code of other files is inlined."""

    def get_source_stamp(self) -> str:
        return _STAMP


class _UserProvided(_PackageStamp, caching.UserProvidedCacheLocator):
    pass


class _InTree(_PackageStamp, caching.InTreeCacheLocator):
    pass


class _UserWide(_PackageStamp, caching.UserWideCacheLocator):
    pass


class _Bundled(_PackageStamp, caching._CacheLocator):
    """A folder for each user, for all games that were bundled with the same kernels and the same Numba.

    Whether it can be written to is found out when there is something to write: what was shipped is read without it.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._line = function.__code__.co_firstlineno
        parent = config.CACHE_DIR or AppDirs(appname="impinge", appauthor=False).user_cache_dir  # type: ignore[attr-defined,no-untyped-call]
        self._path = os.path.join(parent, f"{_STAMP[:16]}-numba-{numba.__version__}")

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> Self:
        return cls(py_func)

    def get_cache_path(self) -> str:
        return self._path

    def get_disambiguator(self) -> str:
        return str(self._line)


_LOCATORS = [_Bundled] if getattr(sys, "frozen", False) else [_UserProvided, _InTree, _UserWide]


class _KernelCacheImpl(caching.CompileResultCacheImpl):
    _locator_classes = _LOCATORS  # type: ignore[assignment]  # Numba has declared a list of anything


class KernelCache(caching.FunctionCache):
    """Machine code of one kernel, on disk: what was shipped, and what was compiled on this machine."""

    _impl_class = _KernelCacheImpl
    _cache_file: Any
    _impl: Any

    def holds(self, sig: Signature, target_context: Any) -> bool:
        """Tell whether there is machine code for this processor. Loading it, all in all, takes half a second."""
        with self._guard_against_spurious_io_errors():
            codegen = target_context.codegen()
            own_key = self._index_key(sig, codegen)  # type: ignore[no-untyped-call]
            return own_key in self._cache_file._load_index() or self._key_of_shipped(sig, codegen) is not None
        return False

    def _load_overload(self, sig: Signature, target_context: Any) -> Any:
        key = self._key_of_shipped(sig, target_context.codegen())
        shipped = None if key is None else self._file_in(SHIPPED).load(key)
        if shipped is None:
            return super()._load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        return self._impl.rebuild(target_context, shipped)

    def _key_of_shipped(self, sig: Signature, codegen: Any) -> tuple[Signature, Target] | None:
        """Look among the machine code that came with the game for some that runs here."""
        keys: list[tuple[Signature, Target]] = list(self._file_in(SHIPPED)._load_index())
        return next((key for key in keys if key[0] == sig and runs_on(key[1], codegen.magic_tuple())), None)

    @contextmanager
    def _guard_against_spurious_io_errors(self) -> Iterator[None]:
        """Go on where a disk is full, locked or gone: the kernel is compiled, and not kept."""
        with suppress(OSError):
            yield

    def ship(self, folder: Path, sig: Signature, target_context: Any) -> None:
        """Put what is on disk for the processor that code is made for now into a folder, to go with a game.

        Raises
        ------
        FileNotFoundError
            When nothing is.
        """
        codegen = target_context.codegen()
        data = self._cache_file.load(self._index_key(sig, codegen))  # type: ignore[no-untyped-call]
        if data is None:
            raise FileNotFoundError(f"there is no machine code of {self._name} in {self._cache_path}")
        self._file_in(folder).save((sig, codegen.magic_tuple()), data)

    def _file_in(self, folder: Path) -> Any:
        return caching.IndexDataCacheFile(folder, self._impl.filename_base, _STAMP)  # type: ignore[no-untyped-call]


def runs_on(made_for: Target, target: Target) -> bool:
    """Tell whether machine code that was made for one processor runs on another: one that has all of its features."""
    return _system(made_for) == _system(target) and _features(made_for) <= _features(target)


def _system(target: Target) -> str:
    """Name the system without its release, which is there on a Mac only, as in "arm64-apple-darwin23.1.0"."""
    return target[0].rstrip("0123456789.")


def _features(target: Target) -> set[str]:
    return {feature for feature in target[2].split(",") if feature.startswith("+")}


def portable_settings(architecture: str) -> dict[str, str]:
    """Give the variables with which Numba makes code for processors other than this one, of its architecture."""
    name, features = PORTABLE.get(architecture, PORTABLE_ELSEWHERE)
    # Intel's library of vector functions, where it is installed, would have to be on the players' machines as well.
    return {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": features, "NUMBA_DISABLE_INTEL_SVML": "1"}
