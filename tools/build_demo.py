"""Bundle a demo with PyInstaller, and check that it starts fast, from any folder, and writes no files.

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
STARTS = 3  # from each folder; the first one reads the files from a slow disk
FRAMES = 60  # one second of game time, in which everything in the game moves
MODULES = ("libpython*.so*", "*.cpython-*.so", "*.abi3.so")  # Python and extension modules, on Linux
# Limit of the processor time from start to end, as a multiple of the time in which this Python imports Arcade.
SLOWEST = 4.0


class CheckError(Exception):
    """A bundled game fails a check. The message says which."""


@dataclass(frozen=True)
class Start:
    """The duration of one run of a bundled game, and its processor time."""

    seconds: float
    processor_seconds: float


def build(game: str, folder: Path) -> Path:
    """Bundle a demo into a folder of its own, and return the folder."""
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "WARN"]
    command += ["--onedir", "--name", game, "--distpath", str(folder)]
    command += ["--workpath", str(folder / "work"), "--specpath", str(folder / "work")]
    # The games are imported by name, which PyInstaller's analysis cannot find.
    command += ["--collect-all", "impinge_demos"]
    # Arcade's hook leaves out the files of `:resources:`. The games use no music and no videos of it, which take 10 MB.
    for kind in ("images", "sounds"):
        command += ["--add-data", f"{package('arcade') / 'resources' / 'assets' / kind}:arcade/resources/assets/{kind}"]
    # The decoder of one picture format takes 5 MB.
    command += ["--exclude-module", "PIL._avif"]
    command.append(str(ROOT / "tools" / "start_demo.py"))
    subprocess.run(command, check=True)
    if sys.platform == "linux":
        strip(folder / game)
    return folder / game


def strip(installed: Path) -> None:
    """Remove debug symbols from Python and from extension modules: 34 MB, with a Python that was built from source.

    PyInstaller's `--strip` also strips the libraries of packages, and breaks NumPy's OpenBLAS: "ELF load command
    address/offset not page-aligned".
    """
    modules = [path for pattern in MODULES for path in installed.rglob(pattern) if not path.is_symlink()]
    subprocess.run(["strip", "--strip-debug", *modules], check=True)


def package(name: str) -> Path:
    """Return a package's folder without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"{name} is not installed")
    return Path(spec.submodule_search_locations[0])


def check(game: str, installed: Path) -> None:
    """Start a bundled demo as a player does. It must be fast, contain no compiler, and write no files.

    Raises
    ------
    CheckError
        If it fails one of these checks, or ends with an error.
    """
    before = files(installed)
    print(f"{installed}: {len(before)} files, {sum(size for size, _ in before.values()) / 1e6:.0f} MB")
    with tempfile.TemporaryDirectory() as home:
        elsewhere = Path(home, "elsewhere")
        elsewhere.mkdir()
        # Relative paths into the sources resolve from `plugin`, but not from an empty folder.
        starts, imports = [], []
        for folder in (elsewhere, ROOT / "plugin") * STARTS:
            starts.append(start(game, installed, folder, Path(home)))
            imports.append(import_seconds())
            spent = f"{starts[-1].processor_seconds:.2f} s of a processor; the imports alone {imports[-1]:.2f} s"
            print(f"from its start to its end {starts[-1].seconds:.2f} s, {spent}")
        compilers = sorted({path.name for path in before if path.name in ("numba", "llvmlite")})
        if compilers:
            raise CheckError(f"it brings {' and '.join(compilers)}, which nothing needs")
        # Seconds alone depend on the speed and the load of the machine, so compare with the imports.
        ratio = min(each.processor_seconds for each in starts) / min(imports)
        print(f"{ratio:.1f} times the imports")
        if ratio > SLOWEST:
            raise CheckError(f"it took {ratio:.1f} times as long as the imports, and {SLOWEST} are allowed")
    if files(installed) != before:
        raise CheckError(f"it changed files in {installed}")


def start(game: str, installed: Path, folder: Path, home: Path) -> Start:
    """Start a bundled demo from a folder, with a home folder, and wait for its end."""
    picture = home / "picture.png"
    arguments = ["--autoplay", "--frames", str(FRAMES), "--screenshot", str(picture)]
    ended, seconds, spent = timed([str(installed / game), *arguments], folder, environment(home))
    if ended.returncode:
        raise CheckError(f"started from {folder} it ended with code {ended.returncode}:\n{ended.stderr}")
    picture.unlink()
    return Start(seconds, spent)


def import_seconds() -> float:
    """Return the processor time in which this Python imports Arcade and ends."""
    settings = os.environ | {"ARCADE_HEADLESS": "True"}
    ended, _, spent = timed([sys.executable, "-c", "import arcade"], ROOT, settings)
    if ended.returncode:
        raise CheckError(f"Arcade cannot be imported here:\n{ended.stderr}")
    return spent


def timed(
    command: list[str], folder: Path, settings: Mapping[str, str]
) -> tuple[subprocess.CompletedProcess[str], float, float]:
    """Run a program to its end; return the result, the elapsed seconds, and the processor seconds."""
    begun, spent = time.perf_counter(), processor_seconds()
    ended = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=False)
    seconds, spent = time.perf_counter() - begun, processor_seconds() - spent
    # Windows does not report the processor time of other programs.
    return ended, seconds, spent or seconds


def processor_seconds() -> float:
    """Return the processor seconds of all ended programs that this one has started."""
    spent = os.times()
    return spent.children_user + spent.children_system


def environment(home: Path) -> dict[str, str]:
    """Return a new user's environment: no variables of Python, an empty home folder, and no screen."""
    settings = ("IMPINGE_", "PYTHON", "VIRTUAL_ENV", "DISPLAY", "WAYLAND_DISPLAY")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(settings)}
    places = dict.fromkeys(("HOME", "USERPROFILE", "XDG_CACHE_HOME", "LOCALAPPDATA"), str(home))
    return {**inherited, **places}


def files(folder: Path) -> dict[Path, tuple[int, int]]:
    """Return size and time of every file and folder below a folder."""
    status = {path: path.lstat() for path in (folder, *folder.rglob("*"))}
    return {path: (found.st_size, found.st_mtime_ns) for path, found in status.items()}


def main() -> int:
    """Run the command line. Return 1 if the bundled game fails a check."""
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
