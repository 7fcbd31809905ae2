"""Contact interval and closest approach of two solids if one of them turns, by conservative advancement.

`instants` is for solids that do not turn: their distances are polynomials in time.
"""

from __future__ import annotations

import math

from impinge.kernels import columns as col
from impinge.kernels import entry
from impinge.motion import Motion
from impinge.query.impacts import course_of
from impinge.shapes.solids import Circle, Solid

__all__ = ["interval", "nearest", "turns"]

# Fractions of the frame. If the depth does not prove that two solids touch for longer than the second one, they are
# tested again after the first one, then after twice that, and so on up to the second one.
FIRST_SAMPLE_STEP, LAST_SAMPLE_STEP = 1e-12, 1e-4
# Fraction of the reach of both solids: smaller differences of distances do not count.
RESOLUTION = 1e-9
# The search for the least distance samples an interval of time at this many parts, and then shrinks it this often. Each
# time it keeps 0.62 of the interval, so 1e-12 in the end. The advancement finds minima between the samples.
PARTS, CUTS = 32, 60
# Each minimum is less than the one before by at least the resolution; a handful is usual.
MOST_ROUNDS = 200


def turns(solid: Solid, motion: Motion) -> bool:
    """Return whether a motion turns a solid. A circle does not count: its shape stays the same."""
    return motion.start.angle != motion.end.angle and not isinstance(solid, Circle)


class Pair:
    """Two moving solids."""

    def __init__(self, a: Solid, motion_a: Motion, b: Solid, motion_b: Motion) -> None:
        self._rows = a.row, b.row
        self._motions = motion_a, motion_b
        self._courses = course_of(motion_a), course_of(motion_b)
        self.reach = float(a.row[col.FARTHEST] + b.row[col.FARTHEST])

    def touches(self, time: float) -> bool:
        """Return whether the solids overlap or touch at a time."""
        (a, b), (p, q) = self._rows, (motion.at(time) for motion in self._motions)
        return entry.overlap_pair(a, p.x, p.y, p.angle, b, q.x, q.y, q.angle)

    def gap(self, time: float) -> float:
        """Return the distance at a time. For an overlap it is negative: the depth of two of their pieces."""
        (a, b), (p, q) = self._rows, (motion.at(time) for motion in self._motions)
        return entry.gap_pair(a, p.x, p.y, p.angle, b, q.x, q.y, q.angle)

    def first_within(self, gap: float) -> float | None:
        """Return the first time at which the distance is at most `gap`, within the slop; None without one."""
        (a, b), (course_a, course_b) = self._rows, self._courses
        time, _ = entry.time_within(a, course_a, b, course_b, gap, 0.0)
        return None if math.isnan(time) else time

    @property
    def speed(self) -> float:
        """An upper bound of the relative speed of any point of one solid and any of the other, in units a frame."""
        total = 0.0
        for row, motion in zip(self._rows, self._motions, strict=True):
            start, end, pull = motion.start, motion.end, math.hypot(*motion.acceleration)
            total += math.hypot(end.x - start.x, end.y - start.y) + 0.5 * pull
            total += abs(end.angle - start.angle) * float(row[col.FARTHEST])
        return total


def interval(a: Solid, motion_a: Motion, b: Solid, motion_b: Motion) -> tuple[float, float] | None:
    """Return the first interval in which two solids touch or overlap, or None without one."""
    pair = Pair(a, motion_a, b, motion_b)
    enter = pair.first_within(0.0)
    if enter is None:
        return None
    time, speed, glance = enter, pair.speed, FIRST_SAMPLE_STEP
    while time < 1.0:
        # The solids need this time to separate: depth over relative speed.
        certain = max(-pair.gap(time), 0.0) / speed
        if certain >= LAST_SAMPLE_STEP:
            time, glance = min(time + certain, 1.0), FIRST_SAMPLE_STEP
            continue
        after = min(time + max(certain, glance), 1.0)
        if not pair.touches(after):
            return enter, _last_contact_time(pair, time, after)
        time, glance = after, min(2.0 * glance, LAST_SAMPLE_STEP)
    return enter, 1.0


def nearest(a: Solid, motion_a: Motion, b: Solid, motion_b: Motion) -> tuple[float, float]:
    """Return the first time at which two solids that never touch are nearest, and their distance then."""
    pair = Pair(a, motion_a, b, motion_b)
    resolution = RESOLUTION * pair.reach
    time, gap = _local_minimum(pair, 0.0, 1.0)
    for _ in range(MOST_ROUNDS):
        # A minimum that the search found proves nothing. The advancement tests whether there is a smaller distance.
        better = pair.first_within(gap - resolution)
        if better is None:
            break
        time, gap = _local_minimum(pair, better, min(better + 1.0 / PARTS, 1.0))
    first = pair.first_within(gap + resolution)
    if first is not None and first < time:
        earlier, as_near = _local_minimum(pair, first, min(first + 1.0 / PARTS, time))
        if as_near <= gap + resolution:
            return earlier, as_near
    return time, gap


def _local_minimum(pair: Pair, low: float, high: float) -> tuple[float, float]:
    """Return the time and value of a local minimum of the distance, near the best sample of an interval."""
    width = (high - low) / PARTS
    times = [low + part * width for part in range(PARTS)] + [high]
    gaps = [pair.gap(time) for time in times]
    best = gaps.index(min(gaps))
    low, time, high = times[max(best - 1, 0)], times[best], times[min(best + 1, PARTS)]
    gap = gaps[best]
    for _ in range(CUTS):
        # Golden section of the longer half.
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


def _last_contact_time(pair: Pair, low: float, high: float) -> float:
    """Return the last time of contact, by bisection: the solids touch at `low` and not at `high`."""
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (middle, high) if pair.touches(middle) else (low, middle)
    return low
