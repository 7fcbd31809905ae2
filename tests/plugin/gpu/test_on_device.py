"""Answers on a CUDA device: in the simulator of numba-cuda, of compiled code on this processor, and on a GPU if any."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# In the simulator, fleets take a minute, and compiled for this processor two.
FILES = ["answers_on_device.py", pytest.param("fleets_on_device.py", marks=pytest.mark.long)]
# Without the options of this project, which are for xdist.
OPTIONS = "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts=", "--import-mode=importlib"
# The simulator divides by zero in NumPy, which warns.
IGNORED = "-W", "ignore::RuntimeWarning"


def run_file(name: str, *options: str, simulate: bool = False) -> None:
    file = Path(__file__).with_name(name)
    root = file.parents[3]
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *OPTIONS, *IGNORED, *options, str(file)],
        cwd=root,
        env={
            **os.environ,
            "NUMBA_ENABLE_CUDASIM": str(int(simulate)),
            "PYTHONPATH": os.pathsep.join((str(root / "tests" / "oracles"), os.environ.get("PYTHONPATH", ""))),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-5000:] + ended.stderr[-2000:]


@pytest.mark.parametrize("name", FILES)
def test_the_simulator_answers_as_the_cpu(name: str) -> None:
    run_file(name, simulate=True)


@pytest.mark.parametrize("name", FILES)
def test_the_compiled_kernels_answer_as_the_cpu(name: str) -> None:
    run_file(name, "-p", "cuda_on_host")


@pytest.mark.gpu
@pytest.mark.parametrize("name", FILES)
def test_a_gpu_answers_as_the_cpu(name: str) -> None:
    run_file(name)
