"""Arrays of pairs: the same answers as single calls, and errors that name the row."""

from __future__ import annotations

import math

import numpy as np
import pytest

import impinge as im
from impinge import Box, Motion, Pose, Side

RIGHT = {
    "mighty_sizes": (8, 8),
    "mighty_starts": [(0, 0), (0, 0), (5, 5)],
    "mighty_ends": [(0, 4), (0, 4), (5, 5)],
    "weak_sizes": (2, 2),
    "weak_starts": [(0, 6), (9, 6), (5, 5)],
    "weak_goals": [(0, 4), (9, 4), (5, 5)],
}


def test_each_row_is_a_push():
    sides = {"carrying": [15, 0, 15], "sticky": Side.TOP, "passable": 0}
    pushes = im.batch.push_boxes(**RIGHT, **sides)
    for i in range(3):
        start, end, goal = (
            Pose(*map(float, RIGHT[name][i])) for name in ("mighty_starts", "mighty_ends", "weak_goals")
        )
        push = im.push(
            Box(8, 8),
            Motion(start, end),
            Box(2, 2),
            Motion(Pose(*map(float, RIGHT["weak_starts"][i])), goal),
            carrying=Side(sides["carrying"][i]),
            sticky=Side.TOP,
        )
        assert (push.pose.x, push.pose.y) == tuple(pushes.ends[i])
        assert push.time == (None if math.isnan(pushes.times[i]) else pushes.times[i])
        assert (push.sides, push.overlapped) == (pushes.sides[i], pushes.overlapped[i])
    assert pushes.overlapped.tolist() == [False, False, True]


def test_one_row_for_all_and_none_at_all():
    assert im.batch.push_boxes((1, 1), (0, 0), (0, 0), (1, 1), (5, 5), (5, 0)).ends.tolist() == [[5, 0]]
    none = np.empty((0, 2))
    assert im.batch.push_boxes((1, 1), none, none, (1, 1), none, none).ends.shape == (0, 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mighty_sizes": (8, 0)}, r"mighty_sizes must be positive and finite, got 0\.0 at \[1\]"),
        ({"weak_sizes": [(1, 1), (1, -2), (1, 1)]}, r"weak_sizes must be positive and finite, got -2\.0 at \[1, 1\]"),
        ({"weak_goals": [(0, 0), (0, 0), (math.nan, 0)]}, r"weak_goals must be finite, got nan at \[2, 0\]"),
        ({"mighty_ends": (math.inf, 0)}, r"mighty_ends must be finite, got inf at \[0\]"),
        ({"weak_starts": [(0, 0), (1, 1)]}, "weak_starts must have 3 rows like the others, got 2"),
        ({"weak_starts": [1, 2, 3]}, r"weak_starts must have shape \(n, 2\) or \(2,\), got \(3,\)"),
        ({"weak_starts": "here"}, "weak_starts must be an array of numbers"),
        ({"carrying": [15, 15]}, "carrying must have 3 rows like the others, got 2"),
        ({"sticky": 99}, "sticky must be Sides, got 99"),
        ({"sticky": [0, 0, -1]}, r"sticky must be Sides, got -1 at \[2\]"),
        ({"passable": 0.5}, r"passable must be Sides of shape \(n,\) or one Side, got 0\.5"),
    ],
)
def test_what_is_wrong_is_named_with_its_row(change, message):
    with pytest.raises(im.ShapeError, match=message):
        im.batch.push_boxes(**{**RIGHT, **change})
