"""When the machine code on disk is taken: on this machine, and in a bundled game on the machines of others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from llvmlite import binding

from impinge.kernels import machine_code
from impinge.kernels.machine_code import runs_on

SOURCES = Path(machine_code.__file__).parent

# Makes a process what it is in a bundled game: the kernels come with paths that lead nowhere, or elsewhere, from the
# working directory. It warms up two small kernels and tells what Numba compiled for that, where that is kept, and that
# they work.
BUNDLED_GAME = """
import json, sys
from importlib.machinery import FileFinder, SourceFileLoader
from pathlib import Path

class Loader(SourceFileLoader):
    def get_code(self, name):
        return compile(self.get_data(self.path), "impinge/kernels/" + Path(self.path).name, "exec", dont_inherit=True)

def find_kernels(path):
    if Path(path).name != "kernels":
        raise ImportError(path)
    return FileFinder(path, (Loader, [".py"]))

sys.path_hooks.insert(0, find_kernels)
sys.frozen = True

from numba.core import event
from impinge.kernels import compiler, layout, machine_code, solids

machine_code.SHIPPED = Path(sys.argv[1])
absent = sorted({"find_bounds", "turn_by"} & set(compiler.missing()))
with event.install_recorder("numba:compile") as recorder:
    tally = dict(compiler.warm_up(["find_bounds", "turn_by"]))
    disk = solids.row_of([([(3.0, 4.0)], 2.0)])
told = {
    "source": solids.find_bounds.py_func.__code__.co_filename,
    "absent": absent,
    "compiled": sorted(name for name in tally if tally[name]),
    "compilations": len(recorder.buffer),
    "kept in": str(compiler.cache_directory()),
    "bounds": [*disk[layout.LOWER:][:2], *disk[layout.UPPER:][:2]],
}
print(json.dumps(told))
"""

# Compiles the two, and puts them into a folder.
SHIP = """
import sys
from pathlib import Path
import impinge
from impinge.kernels import compiler

list(compiler.warm_up(["find_bounds", "turn_by"]))
compiler.ship(Path(sys.argv[1]), ["find_bounds", "turn_by"])
"""
BOTH = ["find_bounds", "turn_by"]


def processor(features: int) -> dict[str, str]:
    """Give the settings for a processor with so many of the features that this one has."""
    own = [feature for feature in binding.get_host_cpu_features().flatten().split(",") if feature.startswith("+")]
    return {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ",".join(own[:features])}


LESSER, MIDDLING, GREATER = processor(1), processor(2), processor(3)


class Player:
    """Someone with a home, in which nothing is at first, and a processor."""

    def __init__(self, home: Path, processor: dict[str, str]) -> None:
        self.home = home
        numba_free = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
        places = dict.fromkeys(("HOME", "USERPROFILE", "XDG_CACHE_HOME", "LOCALAPPDATA"), str(home))
        self.environ = {**numba_free, **places, **processor, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}

    def plays(self, shipped: Path, folder: Path) -> dict[str, object]:
        """Start the bundled game in a folder, and give what it tells."""
        ended = subprocess.run(
            [sys.executable, "-c", BUNDLED_GAME, str(shipped)],
            cwd=folder,
            env=self.environ,
            capture_output=True,
            text=True,
            check=True,
        )
        told: dict[str, object] = json.loads(ended.stdout)
        assert told["source"] == "impinge/kernels/solids.py"
        assert told["bounds"] == [1, 2, 5, 6]
        assert told["compiled"] == ([] if told["compilations"] == 0 else BOTH)
        return told

    def kept(self) -> list[Path]:
        """Give the machine code that was kept in the home."""
        return sorted(self.home.rglob("*.nbc"))


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two kernels, compiled for a processor with two of this one's features."""
    folder = tmp_path_factory.mktemp("shipped")
    environ = {**os.environ, **MIDDLING, "NUMBA_CACHE_DIR": str(tmp_path_factory.mktemp("cache"))}
    subprocess.run([sys.executable, "-c", SHIP, str(folder)], env=environ, check=True)
    return folder


class TestInABundledGame:
    def test_shipped_code_is_taken_from_any_folder_and_nothing_is_written(self, shipped: Path, tmp_path: Path) -> None:
        player = Player(tmp_path / "home", {})
        # From `plugin` the sources' relative paths lead to files, with machine code of their own beside them.
        for folder in (tmp_path, SOURCES.parents[1]):
            told = player.plays(shipped, folder)
            assert told["absent"] == told["compiled"] == []
        assert player.kept() == []
        assert not player.home.exists()

    def test_shipped_code_is_taken_by_a_processor_that_can_do_more(self, shipped: Path, tmp_path: Path) -> None:
        assert Player(tmp_path, GREATER).plays(shipped, tmp_path)["compiled"] == []

    def test_on_a_processor_that_can_do_less_it_is_compiled_once_for_all_folders(
        self, shipped: Path, tmp_path: Path
    ) -> None:
        player = Player(tmp_path / "home", LESSER)
        first = player.plays(shipped, tmp_path)
        assert first["absent"] == first["compiled"] == BOTH
        kept = player.kept()
        assert kept
        assert {path.parent for path in kept} == {Path(str(first["kept in"]))}
        for folder in (tmp_path, SOURCES.parents[1]):
            assert player.plays(shipped, folder)["compiled"] == []
        assert player.kept() == kept

    def test_without_shipped_code_it_is_compiled_for_the_user(self, tmp_path: Path) -> None:
        player = Player(tmp_path / "home", {})
        assert player.plays(tmp_path / "nothing", tmp_path)["compiled"] == BOTH
        assert player.plays(tmp_path / "nothing", SOURCES.parents[1])["compiled"] == []

    def test_where_shipped_code_is_told_of_but_not_there_it_is_compiled(self, shipped: Path, tmp_path: Path) -> None:
        damaged = tmp_path / "damaged"
        damaged.mkdir()
        for index in shipped.glob("*.nbi"):
            (damaged / index.name).write_bytes(index.read_bytes())
        assert Player(tmp_path / "home", {}).plays(damaged, tmp_path)["compiled"] == BOTH

    def test_with_nowhere_to_keep_it_the_game_goes_on(self, tmp_path: Path) -> None:
        home = tmp_path / "home"
        home.write_text("a file, in which no folder can be made")
        for _ in range(2):
            assert Player(home, {}).plays(tmp_path / "nothing", tmp_path)["compiled"] == BOTH


@pytest.mark.parametrize(
    ("made_for", "target", "runs"),
    [
        (
            ("x86_64-pc-windows-msvc", "x86-64", "+sse3"),
            ("x86_64-pc-windows-msvc", "znver4", "+avx2,-fma4,+sse3"),
            True,
        ),
        (("x86_64-pc-windows-msvc", "x86-64", "+sse3"), ("x86_64-pc-windows-msvc", "nocona", "-sse3"), False),
        (("x86_64-pc-windows-msvc", "x86-64", "+sse3"), ("x86_64-unknown-linux-gnu", "znver4", "+sse3"), False),
        (("aarch64-unknown-linux-gnu", "generic", ""), ("aarch64-unknown-linux-gnu", "cortex-a76", "+neon"), True),
        (("aarch64-unknown-linux-gnu", "generic", ""), ("x86_64-unknown-linux-gnu", "znver4", "+avx2"), False),
        (("arm64-apple-darwin22.6.0", "generic", ""), ("arm64-apple-darwin24.1.0", "apple-m3", "+neon"), True),
        (("x86_64-linux", "haswell", "+avx2,-avx512f"), ("x86_64-linux", "skylake", "+avx2,+avx512f"), True),
        (("x86_64-linux", "skylake", "+avx2,+avx512f"), ("x86_64-linux", "haswell", "+avx2,-avx512f"), False),
    ],
)
def test_machine_code_runs_where_there_are_all_the_features_that_it_was_made_for(
    made_for: tuple[str, str, str], target: tuple[str, str, str], runs: bool
) -> None:
    assert runs_on(made_for, target) is runs


def test_a_change_to_any_kernel_makes_the_code_on_disk_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba looks at the file of the called function only, and would go on with the old code of an inlined helper."""
    for source in SOURCES.glob("*.py"):
        (tmp_path / source.name).write_bytes(source.read_bytes())
    monkeypatch.setattr(machine_code, "__file__", str(tmp_path / "machine_code.py"))
    before = machine_code._source_stamp()
    assert before == machine_code._STAMP
    with (tmp_path / "contacts.py").open("a") as helper:
        helper.write("# changed\n")
    assert machine_code._source_stamp() != before


def test_a_new_program_makes_the_code_on_disk_stale_where_there_are_no_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine_code, "__file__", str(tmp_path / "machine_code.pyc"))
    stamps = set()
    for version in (b"version 1", b"version 2"):
        program = tmp_path / "game.exe"
        program.write_bytes(version)
        monkeypatch.setattr(sys, "executable", str(program))
        stamps.add(machine_code._source_stamp())
    assert len(stamps) == 2
