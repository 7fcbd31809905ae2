"""The velocity of a solid between all its contacts, in cases that scenes with bodies hardly ever produce."""

from __future__ import annotations

import math

import numpy as np
import pytest

from impinge.kernels import columns as col
from impinge.kernels.arrays import Candidates
from impinge.kernels.step.contact_planes import solve_planes

DIAGONAL = math.sqrt(0.5)


@pytest.mark.parametrize(
    ("mights", "velocity", "left_out"),
    [
        # The solid leaves the hill along its right side, with one side of the gable: x + y = 2 and x - y = 1.
        ((1, 1), (1.5, 0.5), [2]),
        ((2, 1), (1.5, 0.5), [2]),
        # The solid moves with the gable.
        ((1, 2), (0, -1), [0]),
    ],
    ids=["equals", "the hill is mightier", "the gable is mightier"],
)
def test_between_a_gable_and_the_corner_that_it_stays_on_there_is_no_room(mights, velocity, left_out):
    """The hill rises by 2 and the gable sinks by 1, both at 45 degrees, so body W between them has no free direction.

    The corner plane did not hold bodies that must stay on it. So W entered it at the speed of the gable, and was not
    stuck.
    """
    gable = (0, -1)
    sides = [
        ((DIAGONAL, DIAGONAL), (-DIAGONAL, DIAGONAL), (0, 2), mights[0]),
        ((DIAGONAL, -DIAGONAL), (0, 0), gable, mights[1]),
        ((-DIAGONAL, -DIAGONAL), (0, 0), gable, mights[1]),
    ]
    total = len(sides)
    touches, near, way = (
        np.zeros((total, col.TOUCH_COLUMNS)),
        np.zeros((total, col.NEAR_COLUMNS)),
        np.zeros(col.WAY_COLUMNS),
    )
    tags, ints = np.zeros((total, col.TAG_COLUMNS), np.int64), np.zeros((total, col.INT_COLUMNS), np.int64)
    near += 1e-12
    for touch, (normal, second, speed, might) in enumerate(sides):
        touches[touch, col.TOUCH_NEIGHBOUR] = touches[touch, col.TOUCH_OWNER] = touches[touch, col.TOUCH_OWNER + 1] = (
            touch
        )
        (
            touches[touch, col.TOUCH_NORMAL : col.TOUCH_NORMAL + 2],
            touches[touch, col.TOUCH_SECOND_NORMAL : col.TOUCH_SECOND_NORMAL + 2],
        ) = normal, second
        touches[touch, col.TOUCH_LIMIT], touches[touch, col.TOUCH_LIMIT + 1] = (
            np.dot(normal, speed),
            np.dot(second, speed),
        )
        touches[touch, col.TOUCH_SURFACE : col.TOUCH_SURFACE + 2] = speed
        tags[touch, col.TAG_BODY] = ints[touch, col.ORDER] = touch
        ints[touch, col.MIGHT] = might
    touches[0, col.TOUCH_FORCED] = col.FORCED_PINNED
    candidates, planes = Candidates(near, tags, np.empty(0, np.int64)), np.zeros((col.PLANE_ROWS, col.PLANE_COLUMNS))
    squeezed, _ = solve_planes(total, way, candidates, ints, touches, planes)
    assert squeezed
    assert way[col.WAY_SPEED : col.WAY_SPEED + 2] == pytest.approx(velocity, rel=0, abs=1e-9)
    assert np.flatnonzero(touches[:, col.TOUCH_STATE] == col.STATE_REJECTED).tolist() == left_out
