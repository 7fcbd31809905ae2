"""Compiles the kernels ahead of the first frame, and shows how far that is for whoever waits.

Not here: compiling, which `kernels.compiler` does. Nothing is shown for machine code that is read from disk:
that takes milliseconds, and a bar that flashes up at every start of a game is noise.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from impinge.kernels import compiler

__all__ = ["Bar", "Lines", "Progress", "Tally", "compile_kernels", "progress_on", "warm_up"]

# Seconds. Reading a kernel from disk stays well below, compiling one takes at least a few times as long.
PATIENCE = 0.3
# What another process runs: the kernel modules, and no more of the package than they need.
ASSISTANCE = "import impinge; from impinge.kernels import compiler; list(compiler.warm_up"
# Seconds between two drawings: few enough for a slow terminal, and the figure shown keeps step with a clock.
REDRAW = 0.1
# Characters. With name and figures the line stays below the 80 columns of the narrowest usual terminal.
BAR_WIDTH = 20


@dataclass(frozen=True)
class Tally:
    """How many kernels were compiled, how many were read from disk, and how many seconds that took."""

    compiled: int
    cached: int
    seconds: float


class Progress:
    """Is told of each kernel that is ready. This one shows nothing; the others draw."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the stream ready for other text, also after an error."""

    def finished(self, name: str, compiled: bool) -> None:
        """Count a kernel as ready."""


class Lines(Progress):
    """For a log: one line for each kernel that had to be compiled.

    Parameters
    ----------
    stream
        Where the lines go.
    names
        The kernels.
    clock
        Gives the time in seconds.
    """

    def __init__(self, stream: TextIO, names: list[str], clock: Callable[[], float] = time.perf_counter) -> None:
        self._stream = stream
        self._total = len(names)
        self._clock = clock
        self._done = 0
        self._since = clock()

    def finished(self, name: str, compiled: bool) -> None:
        """Write the kernel's line if it was compiled."""
        now = self._clock()
        self._done += 1
        if compiled:
            seconds = now - self._since
            self._stream.write(f"[{self._done}/{self._total}] compiled {name} in {seconds:.1f} s\n")
            self._stream.flush()
        self._since = now


class Bar(Progress):
    """For a terminal: one line, drawn over and over while a kernel compiles, wiped away at the end.

    A thread draws, because the compiler does not come back before a kernel is ready. It draws for the first
    time when one kernel has taken longer than `patience`.

    Parameters
    ----------
    stream
        A terminal.
    names
        The kernels. The first of them that is not ready is shown.
    patience
        Seconds that one kernel may take before anything is shown.
    """

    def __init__(self, stream: TextIO, names: list[str], patience: float = PATIENCE) -> None:
        self._stream = stream
        self._names = names
        self._patience = patience
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._keep_drawing, name="impinge warm-up bar", daemon=True)
        self._done: set[str] = set()
        self._begun = self._since = time.perf_counter()
        self._drawn = 0

    def __enter__(self) -> Self:
        self._begun = self._since = time.perf_counter()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()
        if self._drawn:
            self._stream.write("\r" + " " * self._drawn + "\r")
            self._stream.flush()

    def finished(self, name: str, compiled: bool) -> None:
        """Move on to the next kernel."""
        with self._lock:
            self._done.add(name)
            self._since = time.perf_counter()

    def _keep_drawing(self) -> None:
        while not self._stop.wait(min(REDRAW, self._patience)):
            with self._lock:
                waiting, since = [name for name in self._names if name not in self._done], self._since
            now = time.perf_counter()
            if self._drawn or now - since > self._patience:
                self._draw(waiting, now - self._begun)

    def _draw(self, waiting: list[str], seconds: float) -> None:
        total = len(self._names)
        done = total - len(waiting)
        filled = BAR_WIDTH * done // total
        bar = "#" * filled + "." * (BAR_WIDTH - filled)
        name = waiting[0] if waiting else ""
        line = f"Compiling [{bar}] {done}/{total} {seconds:3.0f} s {name}"
        self._stream.write("\r" + line.ljust(self._drawn))
        self._stream.flush()
        self._drawn = max(self._drawn, len(line))


def progress_on(stream: TextIO, names: list[str]) -> Progress:
    """Choose a bar for a terminal, and lines for anything else."""
    return Bar(stream, names) if stream.isatty() else Lines(stream, names)


def compile_kernels(progress: Progress) -> Tally:
    """Compile every kernel, or read it from disk.

    Parameters
    ----------
    progress
        Is told of each kernel that is ready.

    Returns
    -------
    Tally
        What there was to do.
    """
    begun = time.perf_counter()
    absent = compiler.missing()
    own, *others = shares(compiler.families(absent), spare_processors())
    present = [name for name in compiler.entry_points() if name not in absent]
    compiled = cached = 0
    with progress, Assistants(others) as assistants:
        for names in chain((present, own), assistants.finished()):
            for name, was_compiled in compiler.warm_up(names):
                # What an assistant has compiled comes from disk here.
                was_compiled = was_compiled or name in absent
                progress.finished(name, was_compiled)
                compiled += was_compiled
                cached += not was_compiled
    return Tally(compiled, cached, time.perf_counter() - begun)


def shares(families: list[list[str]], processors: int) -> list[list[str]]:
    """Share kernels out among processors, the first one that of this process; no family is parted.

    Large families first, which is near enough to those that take long.
    """
    families = sorted(families, key=len, reverse=True)
    count = max(min(processors, len(families)), 1)
    parts: list[list[str]] = [[] for _ in range(count)]
    for index, family in enumerate(families):
        # Back and forth: the share with the largest family gets its second one last.
        place = index % (2 * count)
        parts[min(place, 2 * count - 1 - place)] += family
    return parts


def spare_processors() -> int:
    """How many processes may compile at once: one where no other can be started, or could hand over what it made."""
    interpreter = Path(sys.executable or "").stem.lower()
    # In a bundled game the executable is the game.
    if getattr(sys, "frozen", False) or not interpreter.startswith(("python", "pypy")):
        return 1
    return (os.cpu_count() or 1) if compiler.cache_directory() else 1


class Assistants:
    """Other processes that compile kernels at the same time: a compiler works on one kernel at a time.

    What they make is read from disk. What one could not make is compiled here when its turn comes.

    Parameters
    ----------
    shares
        Names of kernels for each of them.
    """

    def __init__(self, shares: list[list[str]]) -> None:
        self._shares = shares
        self._processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        # The game may have changed where modules are found.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        for share in self._shares:
            command = [sys.executable, "-c", f"{ASSISTANCE}({share!r}))"]
            with suppress(OSError):
                process = subprocess.Popen(
                    command,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
                )
                self._processes.append(process)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._processes:
            process.terminate()
            process.wait()

    def finished(self) -> Iterator[list[str]]:
        """Give each share when it is ready."""
        for index, share in enumerate(self._shares):
            if index < len(self._processes):
                self._processes[index].wait()
            yield share


def warm_up(progress: bool = False) -> None:
    """Compile the kernels now instead of in the first frame that needs them.

    The machine code is kept on disk, so this takes seconds once, and milliseconds at every later start.

    Parameters
    ----------
    progress
        Show how far it is on the standard error stream, if there is something to wait for.
    """
    # A game without a console (pythonw, a bundled app) has no standard error stream.
    if progress and sys.stderr is not None:
        compile_kernels(progress_on(sys.stderr, compiler.entry_points()))
    else:
        compile_kernels(Progress())
