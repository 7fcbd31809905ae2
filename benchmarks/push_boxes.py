"""The push rule for arrays of pairs, against swept boxes as games usually write them, and the published stepping.

The others do less: they find the first contact and do not push. So this shows what the rule costs in addition.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from timing import Contender, compare, machine

import impinge as im
from impinge import runtime
from impinge.reference.quads import TwoQuads, collision_of_two_quads

SEED = 1
# Largest difference of times, as a fraction of a frame: the rule has a slop, plain swept boxes have none.
AGREEMENT = 1e-9

Vectors = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Size:
    """Size of the benchmark: pairs in arrays, single pairs, pairs for the stepping, and turns of each."""

    pairs: int
    single: int
    stepped: int
    turns: int


FULL = Size(pairs=100_000, single=2_000, stepped=200, turns=25)
QUICK = Size(pairs=1_000, single=50, stepped=10, turns=3)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of boxes as arrays of shape (n, 2), in pixels, y up: the arguments of `push_boxes`, in its order."""

    mighty_sizes: Vectors
    mighty_starts: Vectors
    mighty_ends: Vectors
    weak_sizes: Vectors
    weak_starts: Vectors
    weak_goals: Vectors

    def columns(self) -> tuple[Vectors, ...]:
        """Return all arrays, in the order of `push_boxes`."""
        return (
            self.mighty_sizes,
            self.mighty_starts,
            self.mighty_ends,
            self.weak_sizes,
            self.weak_starts,
            self.weak_goals,
        )

    def rows(self, count: int) -> list[tuple[list[float], ...]]:
        """Return the first pairs as Python numbers, for functions that take one pair at a time."""
        return list(zip(*(column[:count].tolist() for column in self.columns()), strict=True))


def strewn_pairs(count: int, room: float) -> Pairs:
    """Return boxes of 8 to 64 pixels at random places in a square, with random motions of up to 32 pixels a frame."""
    random = np.random.default_rng(SEED)
    sizes = random.integers(8, 65, (2, count, 2)).astype(np.float64)
    starts = random.uniform(0.0, room, (2, count, 2))
    ends = starts + random.uniform(-32.0, 32.0, (2, count, 2))
    return Pairs(sizes[0], starts[0], ends[0], sizes[1], starts[1], ends[1])


def chasing_pairs(count: int, room: float) -> Pairs:
    """Return similar boxes whose weak ones move towards the ends of the mighty ones."""
    pairs = strewn_pairs(count, room)
    random = np.random.default_rng(SEED + 1)
    return replace(pairs, weak_goals=pairs.mighty_ends + random.uniform(-32.0, 32.0, (count, 2)))


def swept_with_slide(
    mighty_size: list[float],
    mighty_start: list[float],
    mighty_end: list[float],
    weak_size: list[float],
    weak_start: list[float],
    weak_goal: list[float],
) -> tuple[float, float, float]:
    """Swept boxes in plain Python: the first contact, then a slide along the face for the rest of the frame.

    Returns the end of the weak box, and the time of contact, 1 without one. The weak box is neither pushed nor carried.
    If it begins inside the other box, the other box has no effect.
    """
    (x, y), (goal_x, goal_y) = weak_start, weak_goal
    half_width, half_height = 0.5 * (mighty_size[0] + weak_size[0]), 0.5 * (mighty_size[1] + weak_size[1])
    offset_x, offset_y = x - mighty_start[0], y - mighty_start[1]
    own_x, own_y = goal_x - x, goal_y - y
    speed_x, speed_y = own_x - (mighty_end[0] - mighty_start[0]), own_y - (mighty_end[1] - mighty_start[1])
    enter_x = enter_y = -math.inf
    leave_x = leave_y = math.inf
    if speed_x > 0.0:
        enter_x, leave_x = (-half_width - offset_x) / speed_x, (half_width - offset_x) / speed_x
    elif speed_x < 0.0:
        enter_x, leave_x = (half_width - offset_x) / speed_x, (-half_width - offset_x) / speed_x
    elif abs(offset_x) >= half_width:
        return goal_x, goal_y, 1.0
    if speed_y > 0.0:
        enter_y, leave_y = (-half_height - offset_y) / speed_y, (half_height - offset_y) / speed_y
    elif speed_y < 0.0:
        enter_y, leave_y = (half_height - offset_y) / speed_y, (-half_height - offset_y) / speed_y
    elif abs(offset_y) >= half_height:
        return goal_x, goal_y, 1.0
    time = max(enter_x, enter_y)
    if not 0.0 <= time < 1.0 or time >= min(leave_x, leave_y):
        return goal_x, goal_y, 1.0
    if enter_x > enter_y:
        return x + own_x * time, goal_y, time
    return goal_x, y + own_y * time, time


def swept_arrays(pairs: Pairs) -> tuple[Vectors, Vectors]:
    """Swept boxes in NumPy: times of first contact, NaN without one, and the normals of the faces."""
    halves = 0.5 * (pairs.mighty_sizes + pairs.weak_sizes)
    offsets = pairs.weak_starts - pairs.mighty_starts
    speeds = (pairs.weak_goals - pairs.weak_starts) - (pairs.mighty_ends - pairs.mighty_starts)
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (-halves - offsets) / speeds, (halves - offsets) / speeds
    enters, leaves = np.minimum(one, other), np.maximum(one, other)
    times = enters.max(axis=1)
    touching = (times >= 0.0) & (times < 1.0) & (times < leaves.min(axis=1))
    normals = np.zeros_like(speeds)
    rows = np.flatnonzero(touching)
    axes = enters[rows].argmax(axis=1)
    normals[rows, axes] = -np.sign(speeds[rows, axes])
    return np.where(touching, times, np.nan), normals


def as_quads(pairs: Pairs, count: int) -> list[TwoQuads]:
    """Return pairs in whole pixels with y down and corners as positions: the input of the published stepping."""

    def corners(centres: Vectors, sizes: Vectors) -> list[tuple[int, int]]:
        whole = np.rint(centres[:count] * (1, -1) - 0.5 * sizes[:count]).astype(int)
        return [(x, y) for x, y in whole.tolist()]

    def wholes(sizes: Vectors) -> list[tuple[int, int]]:
        return [(int(width), int(height)) for width, height in sizes[:count].tolist()]

    return [
        TwoQuads(
            mighty_size=mighty_size,
            mighty_start=mighty_start,
            mighty_end=mighty_end,
            weak_size=weak_size,
            weak_start=weak_start,
            weak_goal=weak_goal,
        )
        for mighty_size, mighty_start, mighty_end, weak_size, weak_start, weak_goal in zip(
            wholes(pairs.mighty_sizes),
            corners(pairs.mighty_starts, pairs.mighty_sizes),
            corners(pairs.mighty_ends, pairs.mighty_sizes),
            wholes(pairs.weak_sizes),
            corners(pairs.weak_starts, pairs.weak_sizes),
            corners(pairs.weak_goals, pairs.weak_sizes),
            strict=True,
        )
    ]


def as_motions(pairs: Pairs, count: int) -> list[tuple[im.Box, im.Motion, im.Box, im.Motion]]:
    """Return pairs as arguments of `impinge.push`."""

    def motion(start: list[float], end: list[float]) -> im.Motion:
        return im.Motion(im.Pose(*start), im.Pose(*end))

    return [
        (im.Box(*mighty_size), motion(mighty_start, mighty_end), im.Box(*weak_size), motion(weak_start, weak_goal))
        for mighty_size, mighty_start, mighty_end, weak_size, weak_start, weak_goal in pairs.rows(count)
    ]


def check_agreement(pairs: Pairs, pushes: im.batch.PushBatch) -> None:
    """Check that the times agree, except for pairs that overlap at the start: there swept boxes find no contact."""
    apart = ~pushes.overlapped
    for times in (swept_arrays(pairs)[0], np.array([swept_with_slide(*row)[2] for row in pairs.rows(len(apart))])):
        ours, theirs = np.nan_to_num(pushes.times[apart], nan=1.0), np.nan_to_num(times[apart], nan=1.0)
        difference = np.abs(ours - theirs).max()
        assert difference <= AGREEMENT, f"times of touches differ by {difference}"


def call_each(function: Callable[..., object], rows: Sequence[tuple[object, ...]]) -> None:
    for row in rows:
        function(*row)


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %"


def compare_on(mix: str, pairs: Pairs, size: Size) -> None:
    pushes = im.batch.push_boxes(*pairs.columns())
    check_agreement(pairs, pushes)
    touched, overlapped = int(np.isfinite(pushes.times).sum()), int(pushes.overlapped.sum())
    quads = as_quads(pairs, size.stepped)
    steps = sum(collision_of_two_quads(pair).steps for pair in quads)
    touched_of_rows = sum(swept_with_slide(*row)[2] < 1.0 for row in pairs.rows(size.single))
    compare(
        f"{size.pairs:,} pairs, {mix}",
        "a pair",
        [
            Contender(
                "impinge.batch.push_boxes",
                partial(im.batch.push_boxes, *pairs.columns()),
                size.pairs,
                work=lambda: f"{share(touched, size.pairs)} touch, of them {overlapped:,} overlap at the start",
            ),
            Contender(
                "NumPy swept boxes, only time and normal",
                partial(swept_arrays, pairs),
                size.pairs,
                work=lambda: f"{share(int(np.isfinite(swept_arrays(pairs)[0]).sum()), size.pairs)} touch",
            ),
            Contender(
                "Python swept box with slide",
                partial(call_each, swept_with_slide, pairs.rows(size.single)),
                size.single,
                work=lambda: f"{size.single:,} of the pairs, {share(touched_of_rows, size.single)} touch",
            ),
            Contender(
                "impinge.push, a call a pair",
                partial(call_each, im.push, as_motions(pairs, size.single)),
                size.single,
                work=lambda: f"{size.single:,} of the pairs",
            ),
            Contender(
                "published pixel stepping in Python",
                partial(call_each, collision_of_two_quads, [(pair,) for pair in quads]),
                size.stepped,
                work=lambda: f"{size.stepped:,} of the pairs in whole pixels, {steps / size.stepped:.1f} steps each",
            ),
        ],
        size.turns,
    )


def main(size: Size) -> None:
    runtime.prepare()
    print(machine())
    compare_on("many touch", chasing_pairs(size.pairs, room=240.0), size)
    compare_on("few touch", strewn_pairs(size.pairs, room=640.0), size)


if __name__ == "__main__":
    main(QUICK if "--quick" in sys.argv[1:] else FULL)
