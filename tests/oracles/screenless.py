"""Run Python as on a machine without a screen, in its own process: Arcade is headless for good or not at all.

`python` starts Python: 1.6 s until a game begins. `python_fork` forks a process that has imported Arcade: 0.6 s. Forks
have the same seed of hashes, and so the same order of sets: to compare two processes, start one of them by `python`.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from multiprocessing import forkserver
from pathlib import Path
from types import ModuleType
from typing import Protocol
from unittest.mock import patch

from scale import PATIENCE

__all__ = ["Runner", "python", "python_fork", "said"]

HAS_FORKS = "forkserver" in multiprocessing.get_all_start_methods()
# What a process imports before it forks, and the variables that a game without a screen sets for that.
PRELOADED = ["arcade", "impinge_arcade", "impinge_pymunk", "shapely", "impinge_demos.stage"]
HEADLESS = {"ARCADE_HEADLESS": "True", "PYGLET_AUDIO": "silent", "ARCADE_SOUND_BACKENDS": "silent"}


class Runner(Protocol):
    """One of the two ways to run Python in a folder."""

    def __call__(self, *arguments: object, folder: Path) -> subprocess.CompletedProcess[str]: ...


def python(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, and return the completed process."""
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(
        command, cwd=folder, env=_environment(), capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def python_fork(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script, `-m MODULE` or `-c CODE`, with arguments, in a fork, and return the completed process."""
    if not HAS_FORKS:
        return python(*arguments, folder=folder)
    command = list(map(str, arguments))
    _start_server()
    with tempfile.TemporaryDirectory() as streams:
        output = [Path(streams, name) for name in ("stdout", "stderr")]
        process = multiprocessing.get_context("forkserver").Process(
            target=_run, args=(command, folder, _environment(), output)
        )
        process.start()
        process.join(PATIENCE)
        if process.is_alive():
            process.kill()
            raise subprocess.TimeoutExpired(command, PATIENCE)
        code = process.exitcode
        assert code is not None
        return subprocess.CompletedProcess(command, code, *(path.read_text("utf-8") for path in output))


def said(run: subprocess.CompletedProcess[str]) -> str:
    """Require success of a process, and return its output."""
    assert run.returncode == 0, run.stderr
    return run.stdout


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}


@cache
def _start_server() -> None:
    """Start the process that is forked."""
    forkserver.set_forkserver_preload(PRELOADED)
    with patch.dict(os.environ, _environment() | HEADLESS, clear=True):
        forkserver.ensure_running()


def _run(command: list[str], folder: Path, environment: dict[str, str], streams: Sequence[Path]) -> None:
    """Do in a fork what Python does with its command line."""
    for number, path in enumerate(streams, start=1):
        with path.open("wb") as file:
            os.dup2(file.fileno(), number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    match command:
        case ["-c", code, *_]:
            sys.argv = ["-c", *command[2:]]
            main = sys.modules["__main__"] = ModuleType("__main__")
            exec(compile(code, "<string>", "exec"), vars(main))
        case ["-m", module, *_]:
            sys.argv = command[1:]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case [script, *_]:
            sys.argv = command
            sys.path.insert(0, str(Path(script).parent))
            runpy.run_path(script, run_name="__main__")
