"""`NearBoxes` against a test of all boxes one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from impinge import near
from impinge.near import GONE, NearBoxes


class Rows:
    """Boxes that are added, removed, moved and resized, and the same boxes in plain arrays."""

    def __init__(self, rng, far):
        self.rng, self.far, self.near = rng, far, NearBoxes()
        self.extents, self.positions = np.empty((0, 5)), np.empty((0, 2))

    def come(self, count):
        extents = self.sizes(count)
        rows = self.near.append(extents.tolist())
        assert rows.tolist() == list(range(len(self.extents), len(self.extents) + count))
        self.extents = np.concatenate((self.extents, extents))
        self.positions = np.concatenate((self.positions, np.zeros((count, 2))))
        self.move(rows)

    def sizes(self, count):
        halves = self.rng.uniform(0.5, 4, (count, 2)) * self.rng.choice([1, 1, 1, 1, 1, 1, 30], (count, 1))
        return np.column_stack((-halves, halves + 1, self.rng.integers(0, 2, count))).astype(float)

    def some(self, count):
        there = np.flatnonzero(np.isfinite(self.extents[:, 0]))
        return np.unique(self.rng.choice(there, min(count, len(there)), replace=False)) if len(there) else there

    def move(self, rows):
        far = self.rng.choice([self.far, self.far, self.far, 1e6, 1e99], (len(rows), 1)) if self.far < 0 else self.far
        self.positions[rows] = np.round(self.rng.uniform(-1, 1, (len(rows), 2)) * far)
        self.near.move(rows, self.positions[rows])

    def grow(self, rows):
        self.extents[rows] = self.sizes(len(rows))
        self.near.reshape(rows, self.extents[rows])
        self.near.move(rows, self.positions[rows])

    def go(self, rows):
        self.extents[rows] = GONE
        self.near.reshape(rows, [GONE] * len(rows))
        self.near.move(rows, np.zeros((len(rows), 2)))

    def check(self, half, sure):
        middle = self.positions[self.rng.integers(0, len(self.positions))] + self.rng.integers(-5, 6, 2)
        (left, bottom), (right, top) = (middle - half).tolist(), (middle + half).tolist()
        boxes = self.extents[:, :4] + np.tile(self.positions, 2)
        depths = np.min((right - boxes[:, 0], boxes[:, 2] - left, top - boxes[:, 1], boxes[:, 3] - bottom), axis=0)
        surely = (depths > sure) & (self.extents[:, 4] == 1)
        expected = [row if surely[row] else -1 - row for row in np.flatnonzero(depths >= 0).tolist()]
        assert sorted(self.near.met(left, bottom, right, top, sure)) == sorted(expected)
        return len(expected)


@pytest.mark.parametrize("costs", [near.GRID_BUILD_COST, 0])
@pytest.mark.parametrize("far", [60.0, 500.0, -60.0])
@pytest.mark.parametrize("count", [1, 40, 400])
def test_whoever_moves_those_that_a_box_meets_are_found(count, far, costs, monkeypatch):
    """This includes a new grid for every query, and boxes so far away that they exceed all integers."""
    monkeypatch.setattr(near, "GRID_BUILD_COST", costs)
    rng = np.random.default_rng(count)
    rows, found = Rows(rng, far), 0
    rows.come(count)
    for _ in range(400):
        match rng.integers(0, 8):
            case 0:
                rows.come(int(rng.integers(0, 3)))
            case 1:
                rows.grow(rows.some(2))
            case 2:
                rows.go(rows.some(1))
            case 3 | 4:
                rows.move(rows.some(int(rng.choice([1, 5, 1000]))))
        found += rows.check(rng.choice([0.0, 1.0, 6.0, 6.0, 200.0, 1e7]), rng.choice([0.0, 0.5, math.inf]))
    assert found > 100


@pytest.mark.parametrize("wrong", [math.nan, math.inf, 1e101])
def test_where_one_position_is_none_nobody_is_moved(wrong):
    boxes = NearBoxes()
    rows = boxes.append([(-1.0, -1.0, 1.0, 1.0, 1.0)] * 2)
    assert boxes.move(rows, np.array([(0.0, 0.0), (5.0, 0.0)]))
    assert not boxes.move(rows, np.array([(50.0, 0.0), (wrong, 0.0)]))
    assert boxes.met(0.0, 0.0, 5.0, 0.5, 0.1) == [0, 1]


def test_nothing_is_met_where_there_is_nothing():
    empty = NearBoxes()
    assert empty.append([]).tolist() == []
    assert empty.met(-1.0, -1.0, 1.0, 1.0, 0.0) == []
