"""Bundles a demo with PyInstaller, and checks that it starts at once from any folder, and writes nothing.

`python tools/build_demo.py crusher FOLDER` makes FOLDER/crusher; `--check` then starts it. See docs/packaging.md.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from impinge_demos import GAMES

ROOT = Path(__file__).resolve().parents[1]
STARTS = 3  # from each folder; the first of them reads the files from a slow disk
FRAMES = 60  # a second of game time, with everything on its way
# So many times as long as this Python takes to import Arcade it may take from its start to its end.
SLOWEST = 4.0


class CheckError(Exception):
    """A bundled game does not do what it should. The message says what."""


@dataclass(frozen=True)
class Start:
    """One start of a bundled game: how long it took from there to its end."""

    seconds: float
    processor_seconds: float


def build(game: str, folder: Path) -> Path:
    """Bundle a demo into a folder of its own, which is given back."""
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "WARN"]
    command += ["--onedir", "--name", game, "--distpath", str(folder)]
    command += ["--workpath", str(folder / "work"), "--specpath", str(folder / "work")]
    # The games are imported by their names, which no analysis of the code finds out.
    command += ["--collect-all", "impinge_demos"]
    # The pictures and sounds that come with Arcade, which its own hook leaves out.
    command += ["--add-data", f"{package('arcade') / 'resources' / 'assets'}:arcade/resources/assets"]
    command.append(str(ROOT / "tools" / "start_demo.py"))
    subprocess.run(command, check=True)
    return folder / game


def package(name: str) -> Path:
    """Give a package's folder without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"{name} is not installed")
    return Path(spec.submodule_search_locations[0])


def check(game: str, installed: Path) -> None:
    """Start a bundled demo as players would: it has to be quick, to bring no compiler, and to write nothing.

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
        compilers = sorted({path.name for path in before if path.name in ("numba", "llvmlite")})
        if compilers:
            raise CheckError(f"it brings {' and '.join(compilers)}, which nothing needs")
        # A machine that has other things to do, or is slow, says nothing about the game.
        ratio = min(each.processor_seconds for each in starts) / min(imports)
        print(f"{ratio:.1f} times the imports")
        if ratio > SLOWEST:
            raise CheckError(f"it took {ratio:.1f} times as long as the imports, and {SLOWEST} are allowed")
    if files(installed) != before:
        raise CheckError(f"it changed files in {installed}")


def start(game: str, installed: Path, folder: Path, home: Path) -> Start:
    """Start a bundled demo from a folder, as a user with a home, and wait for its end."""
    picture = home / "picture.png"
    arguments = ["--autoplay", "--frames", str(FRAMES), "--screenshot", str(picture)]
    ended, seconds, spent = timed([str(installed / game), *arguments], folder, environment(home))
    if ended.returncode:
        raise CheckError(f"started from {folder} it ended with code {ended.returncode}:\n{ended.stderr}")
    picture.unlink()
    return Start(seconds, spent)


def import_seconds() -> float:
    """Give the time of a processor in which this Python imports Arcade, and ends."""
    settings = os.environ | {"ARCADE_HEADLESS": "True"}
    ended, _, spent = timed([sys.executable, "-c", "import arcade"], ROOT, settings)
    if ended.returncode:
        raise CheckError(f"Arcade cannot be imported here:\n{ended.stderr}")
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
    """Give a user's variables: nothing of Python's, a home in which nothing is yet, and no screen."""
    settings = ("IMPINGE_", "PYTHON", "VIRTUAL_ENV", "DISPLAY", "WAYLAND_DISPLAY")
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
    chosen = parser.parse_args()
    installed = build(chosen.game, chosen.folder.resolve())
    if chosen.check:
        try:
            check(chosen.game, installed)
        except CheckError as error:
            print(f"build_demo: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
