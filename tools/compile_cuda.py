"""Compile all CUDA kernels to PTX, without a GPU or a driver: `python tools/compile_cuda.py [NAME...]`.

It needs numba-cuda, NVVM and NVRTC (`impinge[cuda]`). Where ptxas is installed (nvidia-cuda-nvcc), it also prints the
registers and the memory that each kernel takes on a device of `COMPUTE_CAPABILITY`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba.cuda.dispatcher as cuda_dispatcher
from numba import boolean, cuda, float64, int64, types

from impinge.gpu import fleet_launches, launches
from impinge.kernels.arrays import MovingSolids, Ranks, Tree

# An H100, and the newest GPUs before it.
COMPUTE_CAPABILITY = 9, 0

F1, F2, F3 = float64[::1], float64[:, ::1], float64[:, :, ::1]
I1, I2, I3 = int64[::1], int64[:, ::1], int64[:, :, ::1]
B1, B2 = boolean[::1], boolean[:, ::1]
COPIES = types.NamedTuple([F2, I2, I1, I1], fleet_launches.LaneCopies)
RANKS, TREE = types.NamedTuple([I1, I1, I1, B1], Ranks), types.NamedTuple([F2, I1, I1, I1, I1], Tree)
BODIES = types.NamedTuple([F3, I3, F2], fleet_launches.LaneBodies)
ROWS = types.NamedTuple([F3, F3, F3, F3, I2, B2, I2, I3], fleet_launches.LaneRows)
NEAR = types.NamedTuple([F3, I3, I2, F3, F2, F2], fleet_launches.LaneNear)
ROOM = types.NamedTuple([F2, I2, I1, I1], fleet_launches.BoxRoom)
AFTER = types.NamedTuple([F2, I2, I1, I1], fleet_launches.BoxRows)
TOLD = types.NamedTuple([F2, I2], fleet_launches.BoxEvents)
MOVING = types.NamedTuple([F1, I1, F2, F1, B2], MovingSolids)
SIGNATURES: dict[str, tuple[Any, ...]] = {
    "load_rows": (F2, F2, int64, I1, F1),
    "check_pairs": (I2, int64, I1),
    "pose_solids": (F1, I1, F2, F1),
    "overlap_pairs": (F1, I1, F2, I2, int64, B1),
    "measure_pairs": (F1, I1, F2, I2, F1, F2, F2, F2),
    "pose_movers": (F1, I1, F2, F1, F2),
    "impact_pairs": (MOVING, F2, F2, I2, F1, I1, F2),
    "hit_disks": (F2, F1, F1, F2, F1, I1, F1, F2),
    "take_columns": (F2, int64, I1, I1, I1, F2, F3),
    "put_columns": (F2, int64, I1, I1, I1, F3),
    "subtract": (F3, F3),
    "zero_where_negative": (F3, I2),
    "find_wrong_numbers": (F1, float64, I1),
    "find_wide_turns": (F3, int64, F3, float64, I1),
    "set_all": (I1, int64),
    "repeat_row": (F1, F2),
    "pack_events": (ROWS, I1, F2, I2),
    "keep_boxes": (int64, int64, COPIES, AFTER, I1),
    "step_boxes": (types.UniTuple(int64, 3), COPIES, ROOM, TREE, AFTER, TOLD),
    "step_lanes": (I1, COPIES, RANKS, TREE, BODIES, ROWS, NEAR, I1),
}


class NoDevice:
    """What numba-cuda asks of a device while it compiles."""

    compute_capability = COMPUTE_CAPABILITY


def kernel_of(name: str) -> Any:
    """Return a CUDA kernel."""
    return getattr(launches, name, None) or getattr(fleet_launches, name)


def compiled(names: list[str]) -> Iterator[tuple[str, str, float]]:
    """Yield the name, the PTX, and the seconds of compilation of each kernel."""
    cuda_dispatcher.get_current_device = NoDevice
    for name in names:
        begin = time.perf_counter()
        ptx, _ = cuda.compile(
            kernel_of(name).py_func, SIGNATURES[name], device=False, abi="numba", cc=COMPUTE_CAPABILITY
        )
        yield name, ptx if isinstance(ptx, str) else ptx.decode(), time.perf_counter() - begin


def ptxas() -> str | None:
    """Return the path of NVIDIA's assembler that belongs to NVVM, or None. Older ones refuse its PTX."""
    beside = [Path(path) / "nvidia" / "cu13" / "bin" / "ptxas" for path in sys.path]
    return next((str(path) for path in beside if os.access(path, os.X_OK)), None)


def resources(ptx: str) -> str:
    """Return registers, stack and spills of a kernel, as ptxas tells them."""
    assembler = ptxas()
    if assembler is None:
        return "ptxas is not installed"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "kernel.ptx")
        source.write_text(ptx)
        target = f"-arch=sm_{COMPUTE_CAPABILITY[0]}{COMPUTE_CAPABILITY[1]}"
        told = subprocess.run(
            [assembler, "-v", target, "-o", str(Path(folder, "kernel.cubin")), str(source)],
            capture_output=True,
            text=True,
            check=True,
        ).stderr
    # All functions that the kernel calls have figures of their own.
    spilled = sum(map(int, re.findall(r"(\d+) bytes spill stores", told)))
    registers = ", ".join(re.findall(r"Used \d+ registers|\d+ bytes cumulative stack size", told))
    return f"{registers}, {spilled} bytes spilled"


def main() -> None:
    """Compile the kernels that the command line names, or all."""
    for name, ptx, seconds in compiled(sys.argv[1:] or list(SIGNATURES)):
        print(f"{name}: {seconds:.1f} s, {len(ptx):,} bytes of PTX; {resources(ptx)}", flush=True)


if __name__ == "__main__":
    main()
