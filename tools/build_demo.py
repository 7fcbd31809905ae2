"""Bundles a demo with PyInstaller, and checks that it starts at once from any folder, and compiles nothing.

`python tools/build_demo.py crusher FOLDER` makes FOLDER/crusher; `--check` then starts it. See docs/packaging.md.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from llvmlite import binding

from impinge_demos import GAMES

ROOT = Path(__file__).resolve().parents[1]
STARTS = 3  # from each folder; the first of them reads the files from a slow disk
FRAMES = 60  # a second of game time, with everything on its way
# So many times as long as this Python takes to import Arcade and Numba it may take from its start to its end.
SLOWEST = 5.0


class CheckError(Exception):
    """A bundled game does not do what it should. The message says what."""


@dataclass(frozen=True)
class Start:
    """One start of a bundled game: how long it took from there to its end, and what was compiled."""

    seconds: float
    processor_seconds: float
    compiled: list[str]


def this_processor() -> dict[str, str]:
    """Give Numba's settings for this processor, with which it makes code anyway: what is on disk is taken."""
    features = binding.get_host_cpu_features().flatten()
    return {"NUMBA_CPU_NAME": binding.get_host_cpu_name(), "NUMBA_CPU_FEATURES": features}


def build(game: str, folder: Path, settings: Mapping[str, str]) -> Path:
    """Bundle a demo into a folder of its own, which is given back, with settings of Numba."""
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "WARN"]
    command += ["--onedir", "--name", game, "--distpath", str(folder)]
    command += ["--workpath", str(folder / "work"), "--specpath", str(folder / "work")]
    # The games are imported by their names, which no analysis of the code finds out.
    command += ["--collect-all", "impinge_demos"]
    # The pictures and sounds that come with Arcade, which its own hook leaves out.
    command += ["--add-data", f"{package('arcade') / 'resources' / 'assets'}:arcade/resources/assets"]
    command.append(str(ROOT / "tools" / "start_demo.py"))
    subprocess.run(command, env={**os.environ, **settings}, check=True)
    return folder / game


def package(name: str) -> Path:
    """Give a package's folder without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"{name} is not installed")
    return Path(spec.submodule_search_locations[0])


def check(game: str, installed: Path) -> None:
    """Start a bundled demo as players would: it has to be quick, and to compile and write nothing.

    Raises
    ------
    CheckError
        When it does not.
    """
    before = files(installed)
    print(f"{installed}: {len(before)} files, {sum(size for size, _ in before.values()) / 1e6:.0f} MB")
    with tempfile.TemporaryDirectory() as home:
        elsewhere = Path(home, "elsewhere")
        elsewhere.mkdir()
        # The sources' relative paths lead somewhere from `plugin`, and nowhere from an empty folder.
        starts, imports = [], []
        for folder in (elsewhere, ROOT / "plugin") * STARTS:
            starts.append(start(game, installed, folder, Path(home)))
            imports.append(import_seconds())
            spent = f"{starts[-1].processor_seconds:.2f} s of a processor; the imports alone {imports[-1]:.2f} s"
            print(f"from its start to its end {starts[-1].seconds:.2f} s, {spent}")
        compiled = {name for each in starts for name in each.compiled}
        print(f"{len(compiled)} functions compiled")
        if compiled:
            raise CheckError(f"it compiled {', '.join(sorted(compiled))}")
        # A machine that has other things to do, or is slow, says nothing about the game.
        ratio = min(each.processor_seconds for each in starts) / min(imports)
        print(f"{ratio:.1f} times the imports")
        if ratio > SLOWEST:
            raise CheckError(f"it took {ratio:.1f} times as long as the imports, and {SLOWEST} are allowed")
        # A compiled kernel would have been kept for the user.
        kept = list(Path(home).rglob("*.nbi"))
        if kept:
            raise CheckError(f"it kept machine code in {kept[0].parent}")
    if files(installed) != before:
        raise CheckError(f"it changed files in {installed}")


def start(game: str, installed: Path, folder: Path, home: Path) -> Start:
    """Start a bundled demo from a folder, as a user with a home, and wait for its end."""
    report, picture = home / "report.json", home / "picture.png"
    arguments = ["--autoplay", "--frames", str(FRAMES), "--screenshot", str(picture), "--report", str(report)]
    ended, seconds, spent = timed([str(installed / game), *arguments], folder, environment(home))
    if ended.returncode:
        raise CheckError(f"started from {folder} it ended with code {ended.returncode}:\n{ended.stderr}")
    picture.unlink()
    return Start(seconds, spent, json.loads(report.read_text()))


def import_seconds() -> float:
    """Give the time of a processor in which this Python imports Arcade and Numba, and ends."""
    settings = os.environ | {"ARCADE_HEADLESS": "True"}
    ended, _, spent = timed([sys.executable, "-c", "import arcade, numba"], ROOT, settings)
    if ended.returncode:
        raise CheckError(f"Arcade and Numba cannot be imported here:\n{ended.stderr}")
    return spent


def timed(
    command: list[str], folder: Path, settings: Mapping[str, str]
) -> tuple[subprocess.CompletedProcess[str], float, float]:
    """Run a program to its end; returns what it said, and the seconds that it took, by the clock and of a processor."""
    begun, spent = time.perf_counter(), processor_seconds()
    ended = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=False)
    seconds, spent = time.perf_counter() - begun, processor_seconds() - spent
    # Windows does not tell what another program has spent.
    return ended, seconds, spent or seconds


def processor_seconds() -> float:
    """Give the time of a processor that all programs have spent that were started from here and have ended."""
    spent = os.times()
    return spent.children_user + spent.children_system


def environment(home: Path) -> dict[str, str]:
    """Give a user's variables: nothing of Python's and Numba's, a home in which nothing is yet, and no screen."""
    settings = ("NUMBA_", "PYTHON", "VIRTUAL_ENV", "DISPLAY", "WAYLAND_DISPLAY")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(settings)}
    places = dict.fromkeys(("HOME", "USERPROFILE", "XDG_CACHE_HOME", "LOCALAPPDATA"), str(home))
    return {**inherited, **places}


def files(folder: Path) -> dict[Path, tuple[int, int]]:
    """Give size and time of every file and every folder in a folder."""
    status = {path: path.lstat() for path in (folder, *folder.rglob("*"))}
    return {path: (found.st_size, found.st_mtime_ns) for path, found in status.items()}


def main() -> int:
    """Run the command line; the exit code is 1 when the bundled game does not do what it should."""
    parser = argparse.ArgumentParser(description="Bundle a demo with PyInstaller.")
    parser.add_argument("game", choices=GAMES, help="the demo")
    parser.add_argument("folder", type=Path, help="where it goes, in a folder of its name")
    parser.add_argument("--check", action="store_true", help="start it afterwards, and look at what it does")
    parser.add_argument("--this-processor", action="store_true", help="ship machine code for no other processor")
    chosen = parser.parse_args()
    installed = build(chosen.game, chosen.folder.resolve(), this_processor() if chosen.this_processor else {})
    if chosen.check:
        try:
            check(chosen.game, installed)
        except CheckError as error:
            print(f"build_demo: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
