"""Which backend runs the kernels, and what happens when no backend works."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from impinge.kernels import compiler

PUSH = """
import impinge as im
still, down = im.Motion.still(im.Pose(0, 0)), im.Motion(im.Pose(0, 5), im.Pose(1, -5))
print(im.push(im.Box(2, 2), still, im.Box(2, 2), down).pose)
"""


def run(code: str, **environ: str) -> subprocess.CompletedProcess[str]:
    settings = {**os.environ, **environ}
    return subprocess.run([sys.executable, "-c", code], env=settings, capture_output=True, text=True, check=False)


def test_python_runs_them_where_it_is_told_to() -> None:
    ended = run(PUSH, IMPINGE_KERNELS="python")
    assert ended.stdout == "Pose(x=1.0, y=2.0, angle=0.0)\n", ended.stderr


def test_nothing_is_imported_that_does_not_run_them() -> None:
    code = PUSH + "import sys; print('numba' in sys.modules)"
    assert run(code, IMPINGE_KERNELS="python").stdout.endswith("False\n")
    if compiler.MODE == "native":
        assert run(code).stdout.endswith("False\n")


@pytest.mark.parametrize("mode", ["", "fast", "JIT "])
def test_a_wrong_mode_is_an_error_that_names_the_right_ones(mode: str) -> None:
    error = run("import impinge", IMPINGE_KERNELS=mode or " ").stderr
    assert "IMPINGE_KERNELS" in error
    assert "native, jit or python" in error


def test_where_nothing_can_run_them_the_error_says_what_to_do() -> None:
    code = """
import sys
from importlib.machinery import PathFinder
class Blind(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        hidden = name.partition(".")[0] == "numba" or name.endswith("._native")
        return None if hidden else PathFinder.find_spec(name, path, target)
sys.meta_path[:] = [Blind if finder is PathFinder else finder for finder in sys.meta_path]
import impinge
"""
    error = run(code, IMPINGE_KERNELS="").stderr
    assert "was not compiled" in error
    assert "Numba is not installed" in error
    assert "pip install" in error


def test_a_native_module_of_other_sources_is_not_used() -> None:
    code = """
import sys, types
stale = types.ModuleType("impinge.kernels._native")
stale.stamp = lambda: 1
sys.modules[stale.__name__] = stale
import impinge
"""
    assert "is older than the sources of the kernels" in run(code, IMPINGE_KERNELS="native").stderr


def test_a_native_module_that_cannot_be_loaded_says_why() -> None:
    code = """
import sys
class Foreign:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.endswith("._native"):
            raise ImportError("GLIBC_2.99 not found", name=name)
sys.meta_path.insert(0, Foreign)
import impinge
"""
    error = run(code, IMPINGE_KERNELS="native").stderr
    assert "the native module of impinge cannot be loaded (GLIBC_2.99 not found)" in error


@pytest.mark.skipif(sys.platform == "win32", reason="the compiler of Windows is not looked for by its name")
def test_the_build_asks_for_a_c_compiler_before_it_takes_minutes(tmp_path: Path) -> None:
    command = [sys.executable, Path(__file__).parents[3] / "tools" / "compile_kernels.py", tmp_path]
    ended = subprocess.run(
        command, env=os.environ | {"CC": "no-such-cc -O2"}, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert "'no-such-cc -O2' is not there: install gcc" in ended.stderr
    assert list(tmp_path.iterdir()) == []
