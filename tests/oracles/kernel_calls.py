"""What a world hands to the kernel `step`, and what the kernel lacked: both by its arguments, which are arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from impinge import Frame, World
from impinge.kernels import columns as col
from impinge.kernels import entry
from impinge.kernels.arrays import Bodies, Candidates, Floats, FrameRows, Ranks, Tree
from impinge.world import state

ROW_LACKS = (col.LACKS_KNOTS, col.LACKS_TOUCHES, col.LACKS_NEAR)


# They may differ between equal worlds, as may the paths of the last frame.
PLACES_IN_MEMORY = (col.SOLID, col.POSED, col.FIRST_KNOT, col.KNOT_COUNT)


class Call(NamedTuple):
    """The arguments of `entry.step`, in their order."""

    done: int
    ranks: Ranks
    bodies: Bodies
    rows: FrameRows
    tree: Tree
    candidates: Candidates
    touches: Floats


class CallOff(Exception):  # noqa: N818
    """Raised in place of a step."""


def next_call(world: World) -> Call:
    """Return what the next step hands to its kernel. The step is called off before the kernel runs."""
    given = []

    def step(*arguments: Any) -> int:
        given.append(Call(*arguments))
        raise CallOff

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entry, "step", step)
        with pytest.raises(CallOff):
            world.step()
    return given[0]


def step_with_rows(world: World) -> tuple[Frame, bytes]:
    """Take a step. Return its frame, and the rows of all bodies as the kernel got them, without places in memory."""
    used, given = [body.index for body in world], []

    def step(*arguments: Any, take: Any = entry.step) -> int:
        bodies = Call(*arguments).bodies
        given.append(bodies.floats[used].tobytes() + np.delete(bodies.ints[used], PLACES_IN_MEMORY, 1).tobytes())
        done: int = take(*arguments)
        return done

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entry, "step", step)
        frame = world.step()
    return frame, given[0]


def noted_calls(patch: pytest.MonkeyPatch) -> list[Call]:
    """Return a list to which each call of the kernel is appended from now on, after the kernel has run."""
    calls: list[Call] = []

    def step(*arguments: Any, take: Any = entry.step) -> int:
        done: int = take(*arguments)
        calls.append(Call(*arguments))
        return done

    patch.setattr(entry, "step", step)
    return calls


def noted_lacks(patch: pytest.MonkeyPatch) -> list[int]:
    """Return a list to which the LACKS bits of each call of the kernel that ran out of rows are appended."""
    lacks: list[int] = []

    def step(*arguments: Any, take: Any = entry.step) -> int:
        call = Call(*arguments)
        done: int = take(*arguments)
        if done < len(call.ranks.order):
            lacks.append(int(call.rows.counts[col.LACKS]))
        return done

    patch.setattr(entry, "step", step)
    return lacks


def set_initial_rows(patch: pytest.MonkeyPatch, rows: int) -> None:
    """Let new worlds begin with this many rows of each array that a step may lack, and columns for posed solids."""
    for name in ("KNOTS", "TOUCHES", "CANDIDATES", "POSED_COLUMNS"):
        patch.setattr(state, f"INITIAL_{name}", rows)
