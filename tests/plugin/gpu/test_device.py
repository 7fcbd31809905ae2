"""What `device=` says where CUDA cannot be used: these tests need neither numba-cuda nor a GPU."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import impinge as im
from impinge.gpu import device

SOLIDS, POSES, PAIRS = im.batch.Solids([im.Circle(1), im.Circle(1)]), [(0, 0), (1, 0)], [(0, 1)]
QUESTIONS = [
    lambda device: im.batch.overlaps(SOLIDS, POSES, PAIRS, device=device),
    lambda device: im.batch.distance(SOLIDS, POSES, PAIRS, device=device),
    lambda device: im.batch.time_of_impact(SOLIDS, POSES, POSES, PAIRS, device=device),
    lambda device: im.batch.sector_hits(im.Sector(9, 1), im.Pose(0, 0), POSES, 1.0, device=device),
    lambda device: im.Fleet(im.World(), 2, device=device),
]
questions = pytest.mark.parametrize("question", QUESTIONS)


@questions
@pytest.mark.parametrize("name", ["gpu", "CUDA", None, 0])
def test_unknown_devices_are_refused(question: Any, name: Any) -> None:
    with pytest.raises(im.ShapeError, match=f"^device must be 'cpu' or 'cuda', got {name!r}"):
        question(name)


@questions
@pytest.mark.parametrize(
    ("version", "message"),
    [
        (None, r"numba-cuda is not installed. Remedy: pip install \"impinge\[cuda\]\""),
        ("0.29.1", r"Impinge works with numba-cuda from 0.30 to below 0.31, not with 0.29.1. Remedy: pip install"),
    ],
)
def test_a_missing_or_wrong_numba_cuda_is_one_clear_error(
    question: Any, version: str | None, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "installed", {"numba-cuda": version}.get)
    device.check_device.cache_clear()
    with pytest.raises(im.DeviceError, match=f'^device="cuda" needs a CUDA device, got none: {message}'):
        question("cuda")


def test_arrays_in_main_memory_are_not_on_a_device() -> None:
    assert not device.is_on_device(np.zeros(3))
    assert not device.is_on_device([1, 2])


def test_an_import_of_impinge_and_its_batches_does_not_import_cuda() -> None:
    packages = "numba.cuda", "numba_cuda", "impinge.gpu"
    code = f"import sys, impinge.batch; print([name for name in sys.modules if name.startswith({packages})])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ("Error at driver init: \n\nCUDA driver library cannot be found.\nEnsure that it is installed.\n:",
         "CUDA driver library cannot be found"),
        (None, "the driver finds no GPU"),
    ],
)  # fmt: skip
def test_the_reason_is_the_first_line_of_what_numba_cuda_tells(
    told: str | None, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Cuda:
        @staticmethod
        def is_available() -> bool:
            return False

        @staticmethod
        def cuda_error() -> str | None:
            return told

    monkeypatch.setattr(device, "installed", {"numba-cuda": "0.30.0"}.get)
    numba = ModuleType("numba")  # with the name in it, whether or not Numba is installed
    vars(numba)["cuda"] = Cuda
    monkeypatch.setitem(sys.modules, "numba", numba)
    monkeypatch.delenv("NUMBA_ENABLE_CUDASIM", raising=False)
    problem, remedy = device.missing()
    assert problem == f"no CUDA device: {reason}"
    assert "nvidia-smi" in remedy
