"""The velocity of a solid between all its contacts, in cases that scenes with bodies hardly ever produce."""

from __future__ import annotations

import math

import numpy as np
import pytest

from impinge.kernels.layout import INT_COLUMNS, MIGHT, ORDER
from impinge.kernels.legs import SPEED, WAY_COLUMNS
from impinge.kernels.neighbours import BODY, NEAR_COLUMNS, TAG_COLUMNS
from impinge.kernels.touch_rows import (
    ACROSS,
    FORCED,
    LIMIT,
    OWNER,
    PINNED,
    REJECTED,
    SECOND,
    STATE,
    SURFACE,
    TOUCH_COLUMNS,
    WHO,
)
from impinge.kernels.yielding import PLANE_COLUMNS, PLANE_ROWS, solve

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
    touches, near, way = np.zeros((total, TOUCH_COLUMNS)), np.zeros((total, NEAR_COLUMNS)), np.zeros(WAY_COLUMNS)
    tags, ints = np.zeros((total, TAG_COLUMNS), np.int64), np.zeros((total, INT_COLUMNS), np.int64)
    near += 1e-12
    for touch, (normal, second, speed, might) in enumerate(sides):
        touches[touch, WHO] = touches[touch, OWNER] = touches[touch, OWNER + 1] = touch
        touches[touch, ACROSS : ACROSS + 2], touches[touch, SECOND : SECOND + 2] = normal, second
        touches[touch, LIMIT], touches[touch, LIMIT + 1] = np.dot(normal, speed), np.dot(second, speed)
        touches[touch, SURFACE : SURFACE + 2] = speed
        tags[touch, BODY] = ints[touch, ORDER] = touch
        ints[touch, MIGHT] = might
    touches[0, FORCED] = PINNED
    squeezed, _ = solve(total, way, near, tags, ints, touches, np.zeros((PLANE_ROWS, PLANE_COLUMNS)))
    assert squeezed
    assert way[SPEED : SPEED + 2] == pytest.approx(velocity, rel=0, abs=1e-9)
    assert np.flatnonzero(touches[:, STATE] == REJECTED).tolist() == left_out
