"""Splits an outline that crosses itself into simple outlines of the enclosed area.

Arcade traces hit boxes around pictures. Some of them cross themselves or have spikes, among them four of Arcade's own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise
from typing import TypeAlias

__all__ = ["enclosed"]

Point: TypeAlias = tuple[float, float]
Exact: TypeAlias = tuple[Fraction, Fraction]


def enclosed(outline: Iterable[Sequence[float]]) -> list[list[Point]]:
    """Return simple outlines, counter-clockwise, of the area that an outline encloses, in whatever direction.

    The area consists of all points that have no path to the outside without crossing the outline. Spikes, which enclose
    nothing, are removed. Parts that are joined at a single point become separate outlines.

    Notes
    -----
    All edges are split at their intersections, then the border of the outside is traced (de Berg et al., "Computational
    Geometry", 3rd ed., 2.3). Fractions are used, so no decision depends on rounding.

    Examples
    --------
    >>> enclosed([(0, 0), (2, 2), (2, 0), (0, 2)])
    [[(1.0, 1.0), (2.0, 0.0), (2.0, 2.0)], [(0.0, 0.0), (1.0, 1.0), (0.0, 2.0)]]
    >>> enclosed([(0, 0), (4, 0), (4, 4), (4, 9), (4, 4)])
    [[(0.0, 0.0), (4.0, 0.0), (4.0, 4.0)]]
    >>> enclosed([(0, 0), (4, 0), (9, 0)])
    []
    """
    points = [(Fraction(x), Fraction(y)) for x, y in outline]
    edges = [(a, b) for a, b in pairwise([*points, *points[:1]]) if a != b]
    neighbours: defaultdict[Exact, set[Exact]] = defaultdict(set)
    for edge in edges:
        for a, b in pairwise(_cut(edge, edges)):
            neighbours[a].add(b)
            neighbours[b].add(a)
    if not neighbours:
        return []
    return [[(float(x), float(y)) for x, y in loop] for loop in _loops(_border(neighbours))]


def _cut(edge: tuple[Exact, Exact], edges: list[tuple[Exact, Exact]]) -> list[Exact]:
    """Return the ends of an edge and all its intersections with other edges, in the edge's order."""
    (ax, ay), (bx, by) = edge
    dx, dy = bx - ax, by - ay
    low_x, high_x, low_y, high_y = min(ax, bx), max(ax, bx), min(ay, by), max(ay, by)
    places = {Fraction(0), Fraction(1)}
    for (cx, cy), (ex, ey) in edges:
        if max(cx, ex) < low_x or min(cx, ex) > high_x or max(cy, ey) < low_y or min(cy, ey) > high_y:
            continue
        fx, fy = ex - cx, ey - cy
        across = dx * fy - dy * fx
        if across:
            along, other = (cx - ax) * fy - (cy - ay) * fx, (cx - ax) * dy - (cy - ay) * dx
            if 0 <= along / across <= 1 and 0 <= other / across <= 1:
                places.add(along / across)
        elif (cx - ax) * dy == (cy - ay) * dx:  # collinear
            for px, py in ((cx, cy), (ex, ey)):
                place = ((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy)
                if 0 <= place <= 1:
                    places.add(place)
    return [(ax + place * dx, ay + place * dy) for place in sorted(places)]


def _border(neighbours: dict[Exact, set[Exact]]) -> list[Exact]:
    """Trace the outer border counter-clockwise, with the outside on the right; a spike is traced in both directions."""
    first = min(neighbours)
    # No point is left of the first one, so the trace may begin as if it came from the left.
    place, came_from = first, (first[0] - 1, first[1])
    walk: list[Exact] = []
    steps: set[tuple[Exact, Exact]] = set()
    while True:
        ahead = _rightmost(place, came_from, neighbours[place])
        if (place, ahead) in steps:
            return walk
        steps.add((place, ahead))
        walk.append(place)
        place, came_from = ahead, place


def _rightmost(place: Exact, came_from: Exact, ways: Iterable[Exact]) -> Exact:
    """Choose the rightmost turn: the first way counter-clockwise from the way back."""
    x, y = place
    back = came_from[0] - x, came_from[1] - y

    def half(way: Exact) -> int:
        """Return 0 for the first half turn from the way back, 1 for the second, 2 for straight back."""
        dx, dy = way[0] - x, way[1] - y
        cross = back[0] * dy - back[1] * dx
        if cross:
            return 0 if cross > 0 else 1
        return 2 if back[0] * dx + back[1] * dy > 0 else 1

    def compare(one: Exact, other: Exact) -> int:
        if half(one) != half(other):
            return half(one) - half(other)
        cross = (one[0] - x) * (other[1] - y) - (one[1] - y) * (other[0] - x)
        return -1 if cross > 0 else int(cross < 0)

    return min(ways, key=cmp_to_key(compare))


def _loops(walk: list[Exact]) -> list[list[Exact]]:
    """Split a closed walk where it returns to a point; parts that only go there and back are left out."""
    loops: list[list[Exact]] = []
    open_walk: list[Exact] = []
    for place in [*walk, walk[0]]:
        if place in open_walk:
            at = open_walk.index(place)
            loop = open_walk[at:]
            del open_walk[at:]
            if len(loop) > 2:
                loops.append(loop)
        open_walk.append(place)
    return loops
