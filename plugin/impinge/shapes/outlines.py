"""Checks a list of vertices, and turns it into a clean outline. `splitting` splits that into convex pieces.

It uses no geometry library: it keeps the user's vertices exactly, decides by exact predicates, and needs only NumPy.
Only polygons import it.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from impinge.checks import LARGEST, SMALLEST
from impinge.errors import ShapeError
from impinge.kernels.tolerances import ROUNDING, SLOP
from impinge.shapes.predicates import certain_turns, crossing_point, turn

__all__ = ["Outline", "checked_vertices", "clean_outline", "triples"]

Vector: TypeAlias = tuple[float, float]
_Item = TypeVar("_Item")

# A sum below this fraction of its terms' magnitudes has lost four digits. It is computed again in exact fractions.
CANCELLATION = 1e-4
PAIRS_PER_CHUNK = 1 << 19  # bounds the memory of the search for crossings to some 100 MB


@dataclass(frozen=True, slots=True)
class Outline:
    """A simple polygon in normal form, from `clean_outline`.

    Attributes
    ----------
    points
        The corners, counter-clockwise from the lexicographically smallest one (the lowest of the leftmost).
    indices
        Index of each point in the given vertices.
    area
        In square units; positive.
    centroid
        Centre of the area.
    is_convex
        Whether every corner turns left.
    """

    points: tuple[Vector, ...]
    indices: tuple[int, ...]
    area: float
    centroid: Vector
    is_convex: bool


def clean_outline(vertices: ArrayLike | Sequence[Vector]) -> Outline:
    """Return the normal form of an outline, or raise an error that names the place of its fault.

    Parameters
    ----------
    vertices : (n, 2)
        Clockwise or counter-clockwise, in the game's units; the first vertex may be repeated at the end.

    Raises
    ------
    ShapeError
        If `vertices` is not an (n, 2) array of numbers, or a number is not finite. Also if the outline encloses no
        area, doubles back, crosses itself or touches itself; the message names the place.

    Notes
    -----
    Vertices within the slop of the straight line between the remaining vertices are left out. The slop is 1e-9 of the
    smaller side of the bounding box, plus 8 eps of the largest coordinate. Every vertex left out is that near to the
    new edge, so errors do not add up. All other vertices are unchanged, and all decisions are exact.

    The points do not depend on the first vertex of the list, or on its direction. Of equal adjacent vertices, the first
    one in the list is kept. Of vertices that are only near each other, the outline decides which one is kept.

    Examples
    --------
    >>> outline = clean_outline([(0, 0), (0, 2), (2, 2), (2, 1), (2, 0), (0, 0)])
    >>> outline.points
    ((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0))
    >>> outline.indices, outline.area, outline.centroid, outline.is_convex
    ((0, 4, 2, 1), 4.0, (1.0, 1.0), True)
    >>> clean_outline([(0, 0), (2, 2), (2, 0), (0, 2)])
    Traceback (most recent call last):
    ...
    impinge.errors.ShapeError: vertices must not cross: the edges from 0 and from 2 do at (1.0, 1.0)
    """
    given = checked_vertices(vertices)
    indices = _without_repeats(given)
    tolerance = _tolerance(given)
    indices = _in_normal_order(given, indices)
    points = [given[i] for i in indices]
    is_convex = _is_clearly_convex(points, tolerance)
    if not is_convex:
        indices = _in_normal_order(given, [indices[k] for k in _corners(points, tolerance)])
        points = [given[i] for i in indices]
        is_convex = _winds_once(points) and all(turn(a, b, c) > 0.0 for a, b, c in triples(points))
        if not is_convex:
            _refuse_spikes(points, indices)
            _refuse_contacts(points, indices)
    return Outline(tuple(points), tuple(indices), *_measured(points), is_convex)


def checked_vertices(vertices: Any) -> list[Vector]:
    """Return the vertices as pairs of floats, or raise a ShapeError with the row and the value at fault."""
    if isinstance(vertices, Iterator):
        vertices = list(vertices)
    try:
        array = np.asarray(vertices)
        rows = array.astype(np.float64) if array.dtype.kind in "iufO" else None
    except (TypeError, ValueError, OverflowError):
        rows = None
    if rows is None:
        raise ShapeError(f"vertices must be an array of numbers of shape (n, 2), got {reprlib.repr(vertices)}")
    if rows.ndim != 2 or rows.shape[1] != 2:
        raise ShapeError(f"vertices must have shape (n, 2), got {rows.shape}")
    pairs: list[Vector] = [(x, y) for x, y in (rows + 0.0).tolist()]  # -0.0 + 0.0 is 0.0: no negative zeros
    for row, pair in enumerate(pairs):
        for value in pair:
            if not abs(value) <= LARGEST:
                raise ShapeError(f"vertices must be finite and at most {LARGEST:g} in size, got {value!r} in row {row}")
    different = set(pairs)
    if len(different) < 3:
        raise ShapeError(f"vertices must be at least three different points, got {sorted(different)!r}")
    return pairs


def _without_repeats(points: list[Vector]) -> list[int]:
    """Return the positions of points that differ from the one before. Repeats of the first point at the end go too."""
    kept = [0, *(i for i in range(1, len(points)) if points[i] != points[i - 1])]
    while points[kept[-1]] == points[0]:
        kept.pop()
    return kept


def _tolerance(points: list[Vector]) -> float:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    left, right, bottom, top = min(xs), max(xs), min(ys), max(ys)
    width, height = right - left, top - bottom
    if max(width, height) < SMALLEST:
        raise ShapeError(f"vertices must be at least {SMALLEST:g} apart, got a box of {width!r} by {height!r}")
    extent = min(width, height) or max(width, height)
    return SLOP * extent + ROUNDING * max(-left, right, -bottom, top)


def _in_normal_order(given: list[Vector], indices: list[int]) -> list[int]:
    """Return the indices in counter-clockwise order, from the smallest point on."""
    if _winding([given[i] for i in indices]) < 0.0:
        indices = indices[::-1]
    smallest = min(given[i] for i in indices)
    starts = [k for k, i in enumerate(indices) if given[i] == smallest]
    if len(starts) > 1:  # the outline touches itself there, or nearly: the next 8 points decide
        starts.sort(key=lambda k: [given[indices[(k + step) % len(indices)]] for step in range(8)])
    return indices[starts[0] :] + indices[: starts[0]]


def _winding(points: list[Vector]) -> float:
    """Return a positive number if counter-clockwise, a negative one if clockwise, 0.0 if the area is exactly zero."""
    doubled, _, _, size = _moments(points, math.fsum)
    if abs(doubled) <= 1e-15 * size + 1e-290:  # a bound of the rounding of all terms together
        doubled, *_ = _moments([(Fraction(x), Fraction(y)) for x, y in points], sum)
        return float((doubled > 0) - (doubled < 0))
    return float(doubled)


def _measured(points: list[Vector]) -> tuple[float, Vector]:
    """Return area and centroid, to at least some twelve digits. If terms cancel, as in needles, it uses fractions."""
    doubled, x, y, size = _moments(points, math.fsum)
    if doubled <= CANCELLATION * size:
        doubled, x, y, _ = _moments([(Fraction(x), Fraction(y)) for x, y in points], sum)
    return float(doubled / 2), (float(points[0][0] + x / (3 * doubled)), float(points[0][1] + y / (3 * doubled)))


def _moments(points: Sequence[tuple[Any, Any]], add: Callable[[Iterable[Any]], Any]) -> tuple[Any, Any, Any, Any]:
    """Return twice the area, six times its first moments, and the sum of the magnitudes of the area's terms.

    Coordinates are relative to the first point, so outlines far from the origin lose no digits.
    """
    x0, y0 = points[0]
    areas, xs, ys, sizes = [], [], [], []
    for (px, py), (qx, qy) in pairwise(points):
        ax, ay, bx, by = px - x0, py - y0, qx - x0, qy - y0
        left, right = ax * (qy - py), ay * (qx - px)  # edges are short, so a fine circle loses no digits
        area = left - right
        areas.append(area)
        xs.append(area * (ax + bx))
        ys.append(area * (ay + by))
        sizes.append(abs(left) + abs(right))
    return add(areas), add(xs), add(ys), add(sizes)


def triples(points: Sequence[_Item]) -> Iterator[tuple[_Item, _Item, _Item]]:
    """Return each item of a ring, with the items before and after it."""
    return zip([points[-1], *points[:-1]], points, [*points[1:], points[0]], strict=True)


def _winds_once(points: Sequence[Vector]) -> bool:
    """Return whether the points rise from the first, smallest one to the greatest, then fall, in lexicographic order.

    Together with left turns only, this means one full turn, and so a simple outline.
    """
    greatest = points.index(max(points))
    up, down = list(points[: greatest + 1]), list(points[greatest:])
    return up == sorted(up) and down == sorted(down, reverse=True)


def _is_clearly_convex(points: list[Vector], tolerance: float) -> bool:
    """Return whether an outline is convex, with no vertex near the line through the adjacent ones.

    Most shapes are, and this takes one pass.
    """
    ax, ay = points[-2]
    bx, by = points[-1]
    for cx, cy in points:
        left, right = (bx - ax) * (cy - by), (by - ay) * (cx - bx)
        # Left side: height of the triangle over the line from a to c, times its length. Right side: an upper bound of
        # the tolerance times that length.
        if left - right <= tolerance * (abs(cx - ax) + abs(cy - ay)) + 1e-15 * (abs(left) + abs(right)):
            return False
        ax, ay, bx, by = bx, by, cx, cy
    return _winds_once(points)


def _corners(points: list[Vector], tolerance: float) -> list[int]:
    """Return the positions of the remaining vertices, without those near a straight line between remaining ones.

    A round never removes two adjacent vertices, so a straight run of m vertices takes log m rounds, and m log m tests
    of vertices. A round tests only vertices next to those that the round before removed.
    """
    count = len(points)
    before, after = [count - 1, *range(count - 1)], [*range(1, count), 0]
    left_out: set[int] = set()
    looks: Iterable[int] = range(count)
    while looks:
        changed: set[int] = set()
        for b in looks:
            a, c = before[b], after[b]
            if b in changed or b in left_out or not _is_straight(points, a, c, tolerance):
                continue
            left_out.add(b)
            changed |= {a, c}
            before[c], after[a] = a, c
            if count - len(left_out) == 2:
                line = f"the line from {points[a]!r} to {points[c]!r}"
                raise ShapeError(f"vertices must enclose an area, got {count} within {tolerance:.3g} of {line}")
        looks = sorted(changed)
    return [k for k in range(count) if k not in left_out]


def _is_straight(points: list[Vector], a: int, c: int, tolerance: float) -> bool:
    """Return whether all points between positions a and c, cyclically, are near the segment between these two."""
    (ax, ay), (cx, cy) = points[a], points[c]
    dx, dy = cx - ax, cy - ay
    length = math.hypot(dx, dy)
    between = points[a + 1 : c] if a < c else points[a + 1 :] + points[:c]
    for x, y in between:
        px, py = x - ax, y - ay
        along = px * dx + py * dy
        if along <= 0.0:
            near = math.hypot(px, py) <= tolerance
        elif along >= length * length:
            near = math.hypot(x - cx, y - cy) <= tolerance
        else:
            near = abs(dx * py - dy * px) <= tolerance * length
        if not near:
            return False
    return True


def _refuse_spikes(points: list[Vector], indices: list[int]) -> None:
    for index, (a, b, c) in zip(indices, triples(points), strict=True):
        if turn(a, b, c) == 0.0 and not min(a, c) < b < max(a, c):
            raise ShapeError(f"vertices must not double back, got a spike at vertex {index}, {b!r}")


def _refuse_contacts(points: list[Vector], indices: list[int]) -> None:
    """Raise a ShapeError for the first two edges that meet without a common end. It names the place."""
    forwards = sum(i < j for i, j in pairwise(indices)) > 1
    for one, other in _suspects(points):
        one_end, other_end = (one + 1) % len(points), (other + 1) % len(points)
        a, b, c, d = points[one], points[one_end], points[other], points[other_end]
        sides = turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b)
        names = (indices[one], indices[other]) if forwards else (indices[one_end], indices[other_end])
        if _opposite(*sides[:2]) and _opposite(*sides[2:]):
            edges = f"the edges from {min(names)} and from {max(names)}"
            raise ShapeError(f"vertices must not cross: {edges} do at {crossing_point(a, b, c, d)!r}")
        for k, side in zip((other, other_end, one, one_end), sides, strict=True):
            ends, name = ((one, one_end), names[0]) if k in (other, other_end) else ((other, other_end), names[1])
            if side == 0.0 and min(points[i] for i in ends) <= points[k] <= max(points[i] for i in ends):
                twins = [indices[i] for i in ends if points[i] == points[k]]
                place = f"vertex {twins[0]}" if twins else f"the edge from {name}"
                raise ShapeError(f"vertices must not touch: vertex {indices[k]} and {place} do at {points[k]!r}")


def _opposite(one: float, other: float) -> bool:
    return (one < 0.0 < other) or (other < 0.0 < one)


def _suspects(points: list[Vector]) -> Iterator[tuple[int, int]]:
    """Yield pairs of edges that floats alone cannot prove to be apart. Edge k goes from point k to the next one."""
    starts = np.array(points).T
    ends = np.roll(starts, -1, axis=1)
    count = len(points)
    for one, other in _pairs_with_close_bounds(np.minimum(starts, ends), np.maximum(starts, ends)):
        apart = abs(one - other)
        far = (apart != 1) & (apart != count - 1)
        one, other = one[far], other[far]
        a, b, c, d = starts[:, one], ends[:, one], starts[:, other], ends[:, other]
        clear = certain_turns(a, b, c) * certain_turns(a, b, d) > 0
        clear |= certain_turns(c, d, a) * certain_turns(c, d, b) > 0
        yield from zip(one[~clear].tolist(), other[~clear].tolist(), strict=True)


def _pairs_with_close_bounds(
    low: NDArray[np.float64], high: NDArray[np.float64]
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yield all pairs of boxes that overlap, in chunks; `low` and `high` are (2, n).

    The boxes are sorted along the axis on which fewer of them overlap, and compared on the other one.
    """
    orders = np.argsort(low, axis=1, kind="stable")
    places = np.arange(low.shape[1])
    followers = np.array([np.searchsorted(low[k, orders[k]], high[k, orders[k]], "right") - places - 1 for k in (0, 1)])
    axis = int(followers.sum(axis=1).argmin())
    order, counts, across = orders[axis], followers[axis], 1 - axis
    totals = np.cumsum(counts)
    start = 0
    while start < len(places):
        done = totals[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(totals, done + PAIRS_PER_CHUNK, "right")))
        one = np.repeat(places[start:stop], counts[start:stop])
        offsets = np.arange(len(one)) - np.repeat(totals[start:stop] - counts[start:stop] - done, counts[start:stop])
        first, second = order[one], order[one + 1 + offsets]
        close = (low[across, first] <= high[across, second]) & (low[across, second] <= high[across, first])
        yield first[close], second[close]
        start = stop
