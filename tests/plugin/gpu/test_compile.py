"""The compiler for CUDA accepts all kernels: it needs no GPU and no driver."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
# `step_boxes` takes half a minute, `measure_pairs` and `impact_pairs` one, and `step_lanes` five.
SHORT = ["load_rows", "check_pairs", "pose_solids", "overlap_pairs", "pose_movers", "hit_disks"]
SHORT += ["take_columns", "put_columns", "subtract", "zero_where_negative", "find_wrong_numbers", "find_wide_turns"]
SHORT += ["set_all", "repeat_row", "pack_events", "keep_boxes"]
LONG = ["measure_pairs", "impact_pairs", "step_boxes", "step_lanes"]


@pytest.mark.parametrize("names", [SHORT, pytest.param(LONG, marks=pytest.mark.long)])
def test_kernels_compile_to_ptx(names: list[str]) -> None:
    tool = ROOT / "tools" / "compile_cuda.py"
    ended = subprocess.run([sys.executable, str(tool), *names], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-5000:]
    assert re.findall(r"^(\w+): .* bytes of PTX", ended.stdout, re.MULTILINE) == names


def test_arrays_of_a_thread_are_left_unset() -> None:
    """numba-cuda sets `cuda.local.array`s to zero. In boxes of a fleet, this took as long as a frame."""
    script = """
import compile_cuda as tool
tool.cuda_dispatcher.get_current_device = tool.NoDevice
hit = tool.launches.hit_one.compile_device((tool.int64, *tool.SIGNATURES["hit_disks"][:5], tool.F1, tool.F2))
print(hit.library.get_llvm_str())
"""
    tools = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "tools"), os.environ.get("PYTHONPATH", "")))}
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, env=tools)
    assert ended.returncode == 0, ended.stderr[-5000:]
    assert len(re.findall(r'%"_cudapy_lmem[.\d]*" = alloca', ended.stdout)) == 2
    assert not re.findall(r'zeroinitializer, .*%"_cudapy_lmem', ended.stdout)
