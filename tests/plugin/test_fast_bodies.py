"""Fast bodies of another engine, and the pairs that may hit each other, against a loop over all of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from impinge.fast_bodies import FastBodies
from scale import some

DT = 0.1


def boxes_overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3]


def widened(box: tuple[float, ...], by: float) -> tuple[float, ...]:
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def corners(outline: tuple[float, ...], figures: list[float]) -> list[tuple[float, float]]:
    """Return the corners of a shape's box in the space."""
    (x, y, half_x, half_y, _), (px, py, angle, *_) = outline, figures
    cos, sin = math.cos(angle), math.sin(angle)
    return [
        (px + cos * (x + a * half_x) - sin * (y + b * half_y), py + sin * (x + a * half_x) + cos * (y + b * half_y))
        for a in (-1, 1)
        for b in (-1, 1)
    ]


@pytest.mark.parametrize("seed", some(range(20), least=6))
def test_the_pairs_are_those_of_a_loop_over_all_bodies(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 60))
    sizes = [tuple(row) for row in rng.uniform((0.2, 0, 0), (3, 1, 2), (count, 3)).tolist()]
    bodies = sorted(rng.integers(0, count, 2 * count).tolist())
    outlines = [tuple(row) for row in rng.uniform(0, 3, (2 * count, 5)).tolist()]
    fast = FastBodies(sizes, outlines, bodies)
    # At the second and third step, the bodies of some shapes have moved and others have not.
    figures = rng.uniform(-20, 20, (count, 6))
    for _ in range(3):
        moved = rng.random(count) < 0.5
        figures[moved] = rng.uniform(-20, 20, (int(moved.sum()), 6))
        late = {int(row): 0.3 for row in rng.integers(0, count, 2)}
        told = figures.tolist()
        times = [late.get(row, DT) for row in range(count)]
        ways = [(math.hypot(*told[row][3:5]) + abs(told[row][5]) * sizes[row][1]) * times[row] for row in range(count)]
        expected = [row for row in range(count) if ways[row] > sizes[row][0]]
        slow = max([ways[row] for row in range(count) if row not in expected], default=0.0)
        sweeps = []
        for row in expected:
            x, y, _, across, up, _ = told[row]
            ends = x + across * times[row], y + up * times[row]
            sweeps.append(widened((min(x, ends[0]), min(y, ends[1]), max(x, ends[0]), max(y, ends[1])), sizes[row][2]))
        boxes = []
        for outline, row in zip(outlines, bodies, strict=True):
            xs, ys = zip(*corners(outline, told[row]), strict=True)
            boxes.append(widened((min(xs), min(ys), max(xs), max(ys)), outline[4] + slow))

        assert fast.find(figures, DT, late) == len(expected)
        assert [(row, fast.times()[number]) for number, row in enumerate(fast.rows().tolist())] == [
            (row, times[row]) for row in expected
        ]
        near, mates = (pairs.tolist() for pairs in fast.pairs(figures))
        assert fast.mates(figures).tolist() == mates
        for number, sweep in enumerate(sweeps):
            assert fast.bounds(number) == pytest.approx(widened(sweep, slow), rel=0, abs=1e-12)
        assert near == [
            [number, shape]
            for number, sweep in enumerate(sweeps)
            for shape, box in enumerate(boxes)
            if bodies[shape] not in expected and boxes_overlap(sweep, box)
        ]
        assert sorted(map(sorted, mates)) == [
            [one, other]
            for one in range(len(sweeps))
            for other in range(one + 1, len(sweeps))
            if boxes_overlap(sweeps[one], sweeps[other])
        ]
        # In order along the axis along which they begin farther apart.
        assert any(
            all((sweeps[one][axis], one) < (sweeps[other][axis], other) for one, other in mates) for axis in range(2)
        )


def test_more_pairs_than_there_is_room_for_are_all_found() -> None:
    count = 40
    fast = FastBodies([(0.0, 0.0, 1.0)] * count, [(0.0, 0.0, 1.0, 1.0, 0.0)] * count, range(count))
    figures = np.zeros((count, 6))
    figures[:30, 3] = 1.0
    assert fast.find(figures, DT, {}) == 30
    near, mates = fast.pairs(figures)
    assert len(near) == 30 * 10
    assert len(mates) == 30 * 29 / 2


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("column", range(6))
def test_a_number_that_is_not_finite_gives_its_row(value: float, column: int) -> None:
    fast = FastBodies([(1.0, 0.0, 1.0)] * 3, [], [])
    figures = np.zeros((3, 6))
    figures[2, column] = value
    assert fast.find(figures, DT, {}) == -1 - 2


def test_a_body_without_shapes_is_never_fast_and_never_slow() -> None:
    fast = FastBodies([(math.inf, 0.0, 0.0), (1.0, 0.0, 1.0)], [(0.0, 0.0, 1.0, 1.0, 0.0)], [1])
    figures = np.array([(0.0, 0.0, 0.0, 1e100, 1e100, 0.0), (0.0, 0.0, 0.0, 1.0, 0.0, 0.0)])
    assert fast.find(figures, DT, {}) == 0
