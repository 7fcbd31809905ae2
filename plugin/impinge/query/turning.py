"""When two solids of which one turns touch, or are nearest: by conservative advancement and what the kernels measure.

Not here: solids that do not turn, whose distances are polynomials in time (see `instants`).
"""

from __future__ import annotations

import math

from impinge.kernels import columns as col
from impinge.kernels import entry
from impinge.motion import Motion
from impinge.query.impacts import course_of
from impinge.shapes.solids import Circle, Solid

__all__ = ["interval", "nearest", "turns"]

# Parts of the frame. Where no depth says that two solids touch for longer than the second of these, they are looked at
# again after the first, after twice that, and so on up to the second.
FIRST_GLANCE, LAST_GLANCE = 1e-12, 1e-4
# Part of the reach of both solids, below which distances are not told apart.
RESOLUTION = 1e-9
# How many parts of a stretch of time are looked at to find where the distance is least, and how often it is cut down:
# by 0.62 each time, so to 1e-12. What the parts are too coarse for, the advancement finds.
PARTS, CUTS = 32, 60
# Each better minimum is better by the resolution; a handful is usual.
MOST_ROUNDS = 200


def turns(solid: Solid, motion: Motion) -> bool:
    """Whether a motion turns a solid; a circle around its place does not count."""
    return motion.start.angle != motion.end.angle and not isinstance(solid, Circle)


class Pair:
    """Two solids on their ways."""

    def __init__(self, a: Solid, motion_a: Motion, b: Solid, motion_b: Motion) -> None:
        self._rows = a.row, b.row
        self._motions = motion_a, motion_b
        self._courses = course_of(motion_a), course_of(motion_b)
        self.reach = float(a.row[col.FARTHEST] + b.row[col.FARTHEST])

    def touches(self, time: float) -> bool:
        """Whether they overlap or touch at a time."""
        (a, b), (p, q) = self._rows, (motion.at(time) for motion in self._motions)
        return entry.overlap_pair(a, p.x, p.y, p.angle, b, q.x, q.y, q.angle)

    def gap(self, time: float) -> float:
        """How far they are apart at a time; where they overlap less than zero: how deep two of their pieces do."""
        (a, b), (p, q) = self._rows, (motion.at(time) for motion in self._motions)
        return entry.gap_pair(a, p.x, p.y, p.angle, b, q.x, q.y, q.angle)

    def first_within(self, gap: float) -> float | None:
        """Return the first time at which they are no farther apart than that, within the slop."""
        (a, b), (course_a, course_b) = self._rows, self._courses
        time, _ = entry.time_within(a, course_a, b, course_b, gap, 0.0)
        return None if math.isnan(time) else time

    @property
    def speed(self) -> float:
        """Bound on how fast any point of one moves, seen from any point of the other, in units a frame."""
        total = 0.0
        for row, motion in zip(self._rows, self._motions, strict=True):
            start, end, pull = motion.start, motion.end, math.hypot(*motion.acceleration)
            total += math.hypot(end.x - start.x, end.y - start.y) + 0.5 * pull
            total += abs(end.angle - start.angle) * float(row[col.FARTHEST])
        return total


def interval(a: Solid, motion_a: Motion, b: Solid, motion_b: Motion) -> tuple[float, float] | None:
    """From when until when they touch or overlap for the first time; None if they never do."""
    pair = Pair(a, motion_a, b, motion_b)
    enter = pair.first_within(0.0)
    if enter is None:
        return None
    time, speed, glance = enter, pair.speed, FIRST_GLANCE
    while time < 1.0:
        # As deep as they are, they cannot part any sooner.
        certain = max(-pair.gap(time), 0.0) / speed
        if certain >= LAST_GLANCE:
            time, glance = min(time + certain, 1.0), FIRST_GLANCE
            continue
        after = min(time + max(certain, glance), 1.0)
        if not pair.touches(after):
            return enter, _last_touch(pair, time, after)
        time, glance = after, min(2.0 * glance, LAST_GLANCE)
    return enter, 1.0


def nearest(a: Solid, motion_a: Motion, b: Solid, motion_b: Motion) -> tuple[float, float]:
    """Return when two solids that never touch are nearest for the first time, and how near."""
    pair = Pair(a, motion_a, b, motion_b)
    resolution = RESOLUTION * pair.reach
    time, gap = _least(pair, 0.0, 1.0)
    for _ in range(MOST_ROUNDS):
        # Nothing is proven by a minimum that was found, so it is asked whether there is any below it.
        better = pair.first_within(gap - resolution)
        if better is None:
            break
        time, gap = _least(pair, better, min(better + 1.0 / PARTS, 1.0))
    first = pair.first_within(gap + resolution)
    if first is not None and first < time:
        earlier, as_near = _least(pair, first, min(first + 1.0 / PARTS, time))
        if as_near <= gap + resolution:
            return earlier, as_near
    return time, gap


def _least(pair: Pair, low: float, high: float) -> tuple[float, float]:
    """Find where the distance is least near the best of some times in a stretch."""
    width = (high - low) / PARTS
    times = [low + part * width for part in range(PARTS)] + [high]
    gaps = [pair.gap(time) for time in times]
    best = gaps.index(min(gaps))
    low, time, high = times[max(best - 1, 0)], times[best], times[min(best + 1, PARTS)]
    gap = gaps[best]
    for _ in range(CUTS):
        # The golden section of the longer half.
        probe = time + 0.381966 * (high - time) if high - time > time - low else time - 0.381966 * (time - low)
        there = pair.gap(probe)
        if there < gap:
            low, high = (time, high) if probe > time else (low, time)
            time, gap = probe, there
        elif probe > time:
            high = probe
        else:
            low = probe
    return time, gap


def _last_touch(pair: Pair, low: float, high: float) -> float:
    """Return until when they touch, who do at the first of two times and not at the second."""
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (middle, high) if pair.touches(middle) else (low, middle)
    return low
