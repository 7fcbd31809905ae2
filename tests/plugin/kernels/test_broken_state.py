"""No state of a world, a fleet or a tree, however broken, ends the process: kernels raise at an index out of range."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import broken_state
from impinge.kernels import columns as col
from impinge.kernels import compiler, entry, examples
from recorded_calls import record
from scale import cases

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")


def test_no_state_of_a_world_ends_the_process() -> None:
    """One of six did: counters of posed columns, rows of trees, marks, and truncated arrays."""
    told: list[str] = []
    assert broken_state.run(cases(1_500), 51, show=told.append) == 0, told


def test_no_argument_of_a_kernel_ends_the_process() -> None:
    calls = [(name, before) for name, before, *_ in record()]
    told: list[str] = []
    assert broken_state.run(cases(4_000), 52, calls, told.append) == 0, told


# In a tuple, which `record` does not replace by one that checks its arguments.
KERNELS = (entry.update_all_pose_bounds,)
BODIES = examples.bodies()
WRONG = {
    "a row beyond the end": (np.array([7]), BODIES),
    "a negative row": (np.array([-1 << 40]), BODIES),
    "no rows": (np.array([0]), BODIES._replace(floats=np.empty((0, col.FLOAT_COLUMNS)))),
    "a solid beyond the end": (np.array([0]), BODIES._replace(ints=np.full((1, col.INT_COLUMNS), 1 << 40))),
}
UNLIKE = {
    "too few columns": (np.array([0]), BODIES._replace(floats=np.zeros((1, 3)))),
    "rows with gaps": (np.array([0]), BODIES._replace(floats=np.zeros((4, col.FLOAT_COLUMNS))[::2])),
    "rows from the end": (np.array([0]), BODIES._replace(floats=np.zeros((4, col.FLOAT_COLUMNS))[::-1])),
    "numbers with gaps": (np.zeros(4, np.int64)[::2], BODIES),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_an_index_out_of_range_raises(wrong: tuple[np.ndarray, object]) -> None:
    rows, bodies = wrong
    with pytest.raises(IndexError, match="out of bounds"):
        KERNELS[0](rows, bodies.floats, bodies.ints, bodies.solids)


# Python reads the strides, and Numba compiles a kernel for them.
@pytest.mark.skipif(compiler.MODE != "native", reason="the check of the native module")
@pytest.mark.parametrize("unlike", UNLIKE.values(), ids=UNLIKE)
def test_the_native_module_refuses_arrays_unlike_its_examples(unlike: tuple[np.ndarray, object]) -> None:
    rows, bodies = unlike
    with pytest.raises(IndexError, match="must be contiguous, with at least"):
        KERNELS[0](rows, bodies.floats, bodies.ints, bodies.solids)
