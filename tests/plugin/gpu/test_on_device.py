"""Answers on a CUDA device: in the simulator of numba-cuda, and on a GPU if there is one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ANSWERS = Path(__file__).with_name("answers_on_device.py")
# Without the options of this project, which are for xdist.
OPTIONS = "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts=", "--import-mode=importlib"
# The simulator divides by zero in NumPy, which warns.
IGNORED = "-W", "ignore::RuntimeWarning"


def run_answers(simulate: bool) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *OPTIONS, *IGNORED, str(ANSWERS)],
        cwd=ANSWERS.parents[3],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": str(int(simulate))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-5000:] + ended.stderr[-2000:]


def test_the_simulator_answers_as_the_cpu() -> None:
    run_answers(simulate=True)


@pytest.mark.gpu
def test_a_gpu_answers_as_the_cpu() -> None:
    run_answers(simulate=False)
