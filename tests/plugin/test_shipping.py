"""What is compiled for the players of a bundled game, and for which of their processors."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from llvmlite import binding

from impinge import __main__ as main
from impinge import shipping
from impinge.kernels import compiler, machine_code


@pytest.fixture
def processors(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str | None, str | None]]:
    """Compile nothing, and note for which processors it would have been: name, features."""
    noted: list[tuple[str | None, str | None]] = []

    class Ended:
        returncode = 0

    def run(command: list[str], env: dict[str, str], check: bool) -> Ended:
        noted.append((env.get("NUMBA_CPU_NAME"), env.get("NUMBA_CPU_FEATURES")))
        return Ended()

    monkeypatch.setattr(subprocess, "run", run)
    return noted


@pytest.mark.parametrize(
    ("triple", "expected"),
    [
        ("x86_64-pc-windows-msvc", ("x86-64", "+cx16,+popcnt,+sahf,+sse3,+sse4.1,+sse4.2,+ssse3")),
        ("arm64-apple-darwin23.1.0", ("generic", "")),
        ("aarch64-unknown-linux-gnu", ("generic", "")),
    ],
)
def test_it_is_for_what_all_processors_of_an_architecture_have(
    triple: str,
    expected: tuple[str, str],
    processors: list[tuple[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(binding, "get_process_triple", lambda: triple)
    shipping.ship(tmp_path)
    assert processors == [expected]


def test_another_processor_can_be_chosen_with_its_features(
    processors: list[tuple[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CPU_NAME", "x86-64")
    monkeypatch.setenv("NUMBA_CPU_FEATURES", "+avx2")
    shipping.ship(tmp_path)
    assert processors == [("x86-64", "+avx2")]


def test_a_processor_without_its_features_is_not_taken(
    processors: list[tuple[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name stands for features too, and code that needs them would be run where they are not."""
    monkeypatch.setattr(binding, "get_process_triple", lambda: "aarch64-unknown-linux-gnu")
    monkeypatch.setenv("NUMBA_CPU_NAME", "apple-m1")
    shipping.ship(tmp_path)
    assert processors == [("generic", "")]


def test_every_kernel_is_shipped_and_nothing_else(tmp_path: Path) -> None:
    shipping.fill(tmp_path / "folder")
    functions = sorted(path.name.split("-")[0].split(".")[1] for path in (tmp_path / "folder").glob("*.nbc"))
    assert functions == sorted(compiler.entry_points())


def test_what_is_not_on_disk_cannot_be_shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_code.KernelCache, "_index_key", lambda *_: "the key of nothing")
    with pytest.raises(FileNotFoundError, match=r"there is no machine code of .*find_bounds"):
        compiler.ship(tmp_path, ["find_bounds"])


class TestCommand:
    def test_says_how_many_kernels_and_where_they_are(
        self, capsys: pytest.CaptureFixture[str], processors: list[tuple[str, str]], tmp_path: Path
    ) -> None:
        assert main.main(["ship", str(tmp_path)]) == 0
        assert capsys.readouterr().out == f"{len(compiler.entry_points())} kernels are in {tmp_path}\n"

    @pytest.mark.parametrize("is_file", [False, True])
    def test_refuses_a_folder_that_something_is_in(
        self, capsys: pytest.CaptureFixture[str], tmp_path: Path, is_file: bool
    ) -> None:
        (tmp_path / "old.nbc").write_bytes(b"")
        folder = tmp_path / "old.nbc" if is_file else tmp_path
        assert main.main(["ship", str(folder)]) == 1
        assert capsys.readouterr().err == f"python -m impinge: the folder must be new or empty, got {folder}\n"

    def test_says_that_there_is_nothing_to_compile(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(compiler, "entry_points", list)
        assert main.main(["ship", str(tmp_path)]) == 1
        assert "NUMBA_DISABLE_JIT" in capsys.readouterr().err

    def test_says_that_the_compiler_failed(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(shipping, "PROGRAM", "raise SystemExit(7)")
        assert main.main(["ship", str(tmp_path)]) == 1
        assert capsys.readouterr().err == "python -m impinge: compiling ended with code 7\n"

    def test_says_that_nothing_can_be_kept(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(compiler, "cache_directory", lambda: None)
        assert main.main(["ship", str(tmp_path)]) == 1
        assert "set NUMBA_CACHE_DIR" in capsys.readouterr().err
