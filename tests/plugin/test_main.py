"""The command line, and the progress it shows while kernels compile."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import pytest

from impinge import __main__ as main
from impinge import doctor, warmup
from impinge._version import __version__
from impinge.doctor import Finding, Machine
from impinge.kernels import compiler


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def screen(self) -> list[str]:
        """What was on the line, each time it was drawn."""
        return [line.rstrip() for line in self.getvalue().split("\r") if line.strip()]


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class TestUsage:
    def test_without_a_command_there_is_help(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main.main([]) == 0
        printed = capsys.readouterr().out
        assert "warm-up" in printed
        assert "doctor" in printed
        assert "NUMBA_CACHE_DIR" in printed
        assert "exit status" in printed
        assert max(map(len, printed.splitlines())) <= 120

    def test_the_version_is_told(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as ended:
            main.main(["--version"])
        assert ended.value.code == 0
        assert capsys.readouterr().out == f"impinge {__version__}\n"

    @pytest.mark.parametrize("arguments", [["cook"], ["doctor", "--fast"], ["warm-up", "twice"]])
    def test_bad_usage_is_one_line(self, capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
        with pytest.raises(SystemExit) as ended:
            main.main(arguments)
        assert ended.value.code == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("python -m impinge: ")
        assert arguments[-1] in line
        assert line.endswith("see python -m impinge --help")

    def test_the_module_is_run_by_its_name(self) -> None:
        ended = subprocess.run(
            [sys.executable, "-m", "impinge", "--version"], capture_output=True, text=True, check=True
        )
        assert ended.stdout == f"impinge {__version__}\n"


class TestWarmUp:
    def test_says_how_many_kernels_and_where_they_are(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pretend(monkeypatch, absent=["step", "push"], present=["old"])
        assert main.main(["warm-up"]) == 0
        first, second = capsys.readouterr().out.splitlines()
        assert re.fullmatch(r"2 compiled, 1 from the cache, in \d+\.\d s\.", first)
        assert second == f"The cache is {compiler.cache_directory()}"

    def test_finds_every_kernel_in_the_cache_the_second_time(self) -> None:
        command = [sys.executable, "-m", "impinge", "warm-up"]
        subprocess.run(command, capture_output=True, check=True)
        again = subprocess.run(command, capture_output=True, text=True, check=True)
        assert again.stdout.startswith(f"0 compiled, {len(compiler.entry_points())} from the cache")
        assert again.stderr == ""

    def test_says_that_there_is_nothing_to_compile(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(compiler, "entry_points", list)
        assert main.main(["warm-up"]) == 1
        assert "NUMBA_DISABLE_JIT" in capsys.readouterr().err


class TestDoctor:
    def test_prints_what_it_found_and_ends_with_0_when_nothing_is_wrong(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main.examine([("Disks", [Finding("root", "9 GB free"), Finding("tmp", "full of hope")])]) == 0
        assert capsys.readouterr().out == ("Disks\n  root  9 GB free\n  tmp   full of hope\n\nNothing is wrong.\n")

    def test_gathers_the_problems_at_the_end_and_ends_with_1(self, capsys: pytest.CaptureFixture[str]) -> None:
        wrong = [Finding("root", "0 GB free", "the disk is full", "buy a bigger one")]
        assert main.examine([("Disks", wrong), ("Fans", [Finding("fan", "turns")])]) == 1
        assert capsys.readouterr().out.endswith("\n1 problem:\n  1. the disk is full\n     Remedy: buy a bigger one\n")

    def test_looks_at_this_machine(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        looked_at: list[Machine] = []

        def examine(machine: Machine) -> Iterator[tuple[str, list[Finding]]]:
            looked_at.append(machine)
            yield "Python", [Finding("platform", machine.platform)]

        monkeypatch.setattr(doctor, "examine", examine)
        assert main.main(["doctor"]) == 0
        assert [machine.platform for machine in looked_at] == [sys.platform]

    def test_comes_to_an_end_on_this_machine(self) -> None:
        ended = subprocess.run([sys.executable, "-m", "impinge", "doctor"], capture_output=True, text=True, check=False)
        assert ended.stderr == ""
        headings = [line for line in ended.stdout.splitlines() if line in doctor.CHECKS]
        assert headings == list(doctor.CHECKS)
        assert ended.returncode == ("Nothing is wrong." not in ended.stdout)


class TestProgress:
    def test_a_log_gets_a_line_for_each_kernel_that_was_compiled(self) -> None:
        log, clock = io.StringIO(), Clock()
        with warmup.Lines(log, ["step", "push", "old"], clock) as lines:
            clock.now += 2.5
            lines.finished("step", compiled=True)
            lines.finished("old", compiled=False)
            clock.now += 0.5
            lines.finished("push", compiled=True)
        assert log.getvalue() == "[1/3] compiled step in 2.5 s\n[3/3] compiled push in 0.5 s\n"

    def test_a_terminal_gets_a_bar_that_grows_and_is_wiped_away(self) -> None:
        terminal = Terminal()
        with warmup.Bar(terminal, ["step", "push"], patience=0.01) as bar:
            wait_for(lambda: len(terminal.screen()) >= 1)
            bar.finished("step", compiled=True)
            wait_for(lambda: "1/2" in terminal.getvalue())
            bar.finished("push", compiled=True)
        screen = terminal.screen()
        assert re.fullmatch(r"Compiling \[\.{20}\] 0/2   0 s step", screen[0])
        assert any(re.fullmatch(r"Compiling \[#{10}\.{10}\] 1/2   0 s push", line) for line in screen)
        assert re.search(r"\r +\r$", terminal.getvalue())

    def test_a_terminal_stays_empty_while_kernels_come_from_the_cache(self) -> None:
        terminal = Terminal()
        with warmup.Bar(terminal, ["step", "push"], patience=60.0) as bar:
            bar.finished("step", compiled=False)
            time.sleep(3 * warmup.REDRAW)
            bar.finished("push", compiled=False)
        assert terminal.getvalue() == ""

    def test_the_bar_is_wiped_away_when_compiling_fails(self) -> None:
        terminal = Terminal()

        def fail() -> None:
            wait_for(lambda: len(terminal.screen()) >= 1)
            raise RuntimeError("no compiler")

        with pytest.raises(RuntimeError, match="no compiler"), warmup.Bar(terminal, ["step"], patience=0.01):
            fail()
        assert re.search(r"\r +\r$", terminal.getvalue())

    def test_the_stream_decides_between_bar_and_lines(self) -> None:
        assert isinstance(warmup.progress_on(Terminal(), ["step"]), warmup.Bar)
        assert isinstance(warmup.progress_on(io.StringIO(), ["step"]), warmup.Lines)


class TestWarmUpFromAGame:
    @pytest.fixture(autouse=True)
    def _two_kernels(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pretend(monkeypatch, absent=["step"], present=["push"])

    def test_says_nothing_unless_it_is_asked_to(self, capsys: pytest.CaptureFixture[str]) -> None:
        warmup.warm_up()
        assert capsys.readouterr() == ("", "")

    def test_shows_its_progress_on_the_error_stream(self, capsys: pytest.CaptureFixture[str]) -> None:
        warmup.warm_up(progress=True)
        printed, shown = capsys.readouterr()
        assert printed == ""
        assert re.fullmatch(r"\[2/2\] compiled step in \d+\.\d s\n", shown)

    def test_does_without_an_error_stream(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stderr", None)
        warmup.warm_up(progress=True)


class TestAssistants:
    """Other processes compile at the same time, where that is possible."""

    def test_they_compile_what_is_then_read_from_disk(self, tmp_path: Path) -> None:
        code = (
            "from impinge import warmup; from impinge.kernels import compiler\n"
            "with warmup.Assistants([['find_bounds', 'turn_by']]) as assistants: shares = list(assistants.finished())\n"
            "print(shares, sorted(set(compiler.entry_points()) - set(compiler.missing())))"
        )
        ended = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert ended.stdout.strip() == "[['find_bounds', 'turn_by']] ['find_bounds', 'turn_by']"

    def test_what_they_fail_to_do_is_compiled_here(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pretend(monkeypatch, absent=["step", "push", "roots"], present=[])
        monkeypatch.setattr(warmup, "spare_processors", lambda: 2)
        monkeypatch.setattr(warmup, "ASSISTANCE", "raise SystemExit")
        tally = warmup.compile_kernels(warmup.Progress())
        assert (tally.compiled, tally.cached) == (3, 0)

    def test_they_end_when_compiling_fails_here(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(warmup, "ASSISTANCE", "import time; time.sleep(600); (")
        assistants = warmup.Assistants([["step"]])

        def fail() -> None:
            with assistants:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            fail()
        (process,) = assistants._processes
        assert process.poll() is not None

    def test_every_kernel_has_its_place_in_one_share(self) -> None:
        names = compiler.entry_points()
        for processors in range(1, 9):
            parts = warmup.shares(compiler.families(names), processors)
            assert sorted(name for part in parts for name in part) == sorted(names)
            assert 1 <= len(parts) <= processors
            assert all(parts)

    def test_a_family_is_compiled_by_one_process(self) -> None:
        assert warmup.shares([["roots"], ["step", "push", "fill"], ["hit", "sweep"]], 2) == [
            ["step", "push", "fill"],
            ["hit", "sweep", "roots"],
        ]

    def test_nothing_to_compile_needs_nobody(self) -> None:
        assert warmup.shares([], 8) == [[]]

    @pytest.mark.parametrize("executable", ["", "/opt/games/Crusher", "C:\\games\\crusher.exe"])
    def test_a_bundled_game_is_not_started_again(self, monkeypatch: pytest.MonkeyPatch, executable: str) -> None:
        monkeypatch.setattr(sys, "executable", executable)
        assert warmup.spare_processors() == 1

    def test_a_frozen_interpreter_is_not_started_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "frozen", True, raising=False)
        assert warmup.spare_processors() == 1


def pretend(monkeypatch: pytest.MonkeyPatch, absent: list[str], present: list[str]) -> None:
    """Put other kernels in the place of ours, of which each is a family, and some are on disk."""
    ready = set(present)

    def warm_up(names: Collection[str]) -> Iterator[tuple[str, bool]]:
        for name in names:
            yield name, name not in ready

    monkeypatch.setattr(compiler, "entry_points", lambda: absent + present)
    monkeypatch.setattr(compiler, "missing", lambda: absent)
    monkeypatch.setattr(compiler, "families", lambda names: [[name] for name in names])
    monkeypatch.setattr(compiler, "warm_up", warm_up)
    monkeypatch.setattr(warmup, "spare_processors", lambda: 1)


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until a thread has brought something about; the test fails if it does not within 10 seconds."""
    deadline = time.monotonic() + 10.0
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)
