"""The native module, Numba and Python give bit-identical answers."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import recorded_calls
from impinge.kernels import compiler


def run(mode: str, command: str, file: Path) -> str:
    program = [sys.executable, recorded_calls.__file__, command, str(file)]
    paths = os.pathsep.join([str(Path(recorded_calls.__file__).parent), os.environ.get("PYTHONPATH", "")])
    settings = os.environ | {"IMPINGE_KERNELS": mode, "PYTHONPATH": paths}
    return subprocess.run(program, env=settings, stdout=subprocess.PIPE, text=True, check=True).stdout


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return recorded calls of each kernel, as Python runs it."""
    file = tmp_path_factory.mktemp("calls") / "calls"
    run("python", "record", file)
    return file


RUNTIMES = {"python": True, "native": compiler.MODE == "native", "jit": find_spec("numba")}
MODES = [mode for mode, is_there in RUNTIMES.items() if is_there]


# Numba compiles all kernels for that.
@pytest.mark.parametrize("mode", [pytest.param(mode, marks=[pytest.mark.long] * (mode == "jit")) for mode in MODES])
def test_each_kernel_answers_as_python_does(mode: str, recorded: Path) -> None:
    """Also if each array has only the columns of its example: the native module checks no others."""
    lines = [line.split() for line in run(mode, "replay", recorded).splitlines()]
    assert {name for name, _, _ in lines} == set(compiler.entry_points())
    assert [name for name, total, _ in lines if int(total) == 0] == []
    assert [(name, wrong) for name, _, wrong in lines if int(wrong)] == []
