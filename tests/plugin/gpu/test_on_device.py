"""Answers on a CUDA device: in the simulator of numba-cuda, and on a GPU if there is one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# In the simulator, fleets take a minute.
FILES = ["answers_on_device.py", pytest.param("fleets_on_device.py", marks=pytest.mark.long)]
# Without the options of this project, which are for xdist.
OPTIONS = "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts=", "--import-mode=importlib"
# The simulator divides by zero in NumPy, which warns.
IGNORED = "-W", "ignore::RuntimeWarning"


def run_file(name: str, simulate: bool) -> None:
    file = Path(__file__).with_name(name)
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *OPTIONS, *IGNORED, str(file)],
        cwd=file.parents[3],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": str(int(simulate))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-5000:] + ended.stderr[-2000:]


@pytest.mark.parametrize("name", FILES)
def test_the_simulator_answers_as_the_cpu(name: str) -> None:
    run_file(name, simulate=True)


@pytest.mark.gpu
@pytest.mark.parametrize("name", FILES)
def test_a_gpu_answers_as_the_cpu(name: str) -> None:
    run_file(name, simulate=False)
