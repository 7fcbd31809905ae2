"""Machine code that goes with a bundled game: compiled for the processors of the players, whichever they are.

Not here: how it is found in the game, which is in `kernels.machine_code`, and what a bundler has to be told, which is
in `_pyinstaller`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from llvmlite import binding

from impinge import warmup
from impinge.kernels import compiler, machine_code

__all__ = ["ShippingError", "fill", "ship"]

# Numba reads what processor to make code for while it is imported: so another process does it.
PROGRAM = "import pathlib, sys; from impinge import shipping; shipping.fill(pathlib.Path(sys.argv[1]))"


class ShippingError(Exception):
    """The machine code cannot be shipped. The message is one line, for whoever builds the game."""


def ship(folder: Path) -> None:
    """Compile every kernel for processors other than this one, and put the machine code into a folder.

    It is kept on disk beside that for this processor, so that this takes a minute or two once.

    Parameters
    ----------
    folder
        Where it goes, new or empty. In the game it has to be `impinge/kernels/machine_code`.

    Raises
    ------
    ShippingError
        When the folder is not empty, when there is no compiler, or when it failed, which it then says by itself.
    """
    if not compiler.entry_points():
        raise ShippingError("nothing to compile, because NUMBA_DISABLE_JIT is set")
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise ShippingError(f"the folder must be new or empty, got {folder}")
    if compiler.cache_directory() is None:
        raise ShippingError("no folder for machine code can be written to: set NUMBA_CACHE_DIR to one that can")
    ended = subprocess.run([sys.executable, "-c", PROGRAM, str(folder)], env=_environment(os.environ), check=False)
    if ended.returncode:
        raise ShippingError(f"compiling ended with code {ended.returncode}")


def fill(folder: Path) -> None:
    """Compile every kernel for the processor that Numba was told of, and put the machine code into a folder."""
    warmup.warm_up(progress=True)
    compiler.ship(folder)


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Choose a processor, unless the environment has chosen one with all of its features."""
    modules = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    if {"NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"} <= environ.keys():
        return {**environ, **modules}
    architecture = binding.get_process_triple().partition("-")[0]
    return {**environ, **modules, **machine_code.portable_settings(architecture)}
