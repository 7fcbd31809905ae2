"""The command line."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from impinge import __main__ as main
from impinge import __version__
from impinge.runtime import doctor
from impinge.runtime.doctor import Finding, Machine


class TestUsage:
    def test_without_a_command_there_is_help(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main.main([]) == 0
        printed = capsys.readouterr().out
        assert "doctor" in printed
        assert "IMPINGE_KERNELS" in printed
        assert "exit status" in printed
        assert max(map(len, printed.splitlines())) <= 120

    def test_the_version_is_told(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as ended:
            main.main(["--version"])
        assert ended.value.code == 0
        assert capsys.readouterr().out == f"impinge {__version__}\n"

    @pytest.mark.parametrize("arguments", [["cook"], ["doctor", "--fast"], ["doctor", "twice"]])
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
