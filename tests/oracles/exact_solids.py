"""Tests for common points of outlines, and their distances, in exact arithmetic: the oracle for the solids.

It follows the definitions, edge by edge, and splits nothing into convex pieces. It takes integers and fractions. It is
not for games: it is slow, and supports simple polygons and points only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

Number: TypeAlias = int | Fraction
Point: TypeAlias = tuple[Number, Number]
Outline: TypeAlias = Sequence[Point]


def holds(outline: Outline, point: Point) -> bool:
    """Return whether a point is in a simple polygon or on its border."""
    if any(_is_on(point, start, end) for start, end in _edges(outline)):
        return True
    inside = False
    x, y = point
    for (ax, ay), (bx, by) in _edges(outline):
        # Each edge includes its lower end and excludes its upper one. So a ray through a corner crosses once or not at
        # all.
        if (ay <= y) != (by <= y):
            crossing = ax + Fraction((y - ay) * (bx - ax), by - ay)
            inside ^= x < crossing
    return inside


def meet(a: Outline, b: Outline) -> bool:
    """Return whether two simple polygons, including their borders, have a common point."""
    if any(_cross(*edge, *other) for edge in _edges(a) for other in _edges(b)):
        return True
    return holds(a, b[0]) or holds(b, a[0])


def squared_distance(a: Outline, b: Outline) -> Number:
    """Return the squared distance of two simple polygons; 0 if they have a common point."""
    if meet(a, b):
        return 0
    # Edges that do not cross are nearest at an end of one of them.
    return min(
        _squared_distance_from(point, *edge)
        for points, outline in ((a, b), (b, a))
        for point in points
        for edge in _edges(outline)
    )


def _edges(outline: Outline) -> Iterator[tuple[Point, Point]]:
    return zip(outline, [*outline[1:], outline[0]], strict=True)


def _side(start: Point, end: Point, point: Point) -> int:
    """Return 1 if a point is to the left of a line, -1 to the right, 0 on it."""
    area = (end[0] - start[0]) * (point[1] - start[1]) - (end[1] - start[1]) * (point[0] - start[0])
    return (area > 0) - (area < 0)


def _is_on(point: Point, start: Point, end: Point) -> bool:
    return (
        _side(start, end, point) == 0
        and min(start[0], end[0]) <= point[0] <= max(start[0], end[0])
        and min(start[1], end[1]) <= point[1] <= max(start[1], end[1])
    )


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Return whether two segments, including their ends, have a common point."""
    if _side(a, b, c) * _side(a, b, d) < 0 and _side(c, d, a) * _side(c, d, b) < 0:
        return True
    return _is_on(a, c, d) or _is_on(b, c, d) or _is_on(c, a, b) or _is_on(d, a, b)


def _squared_distance_from(point: Point, start: Point, end: Point) -> Number:
    dx, dy = end[0] - start[0], end[1] - start[1]
    px, py = point[0] - start[0], point[1] - start[1]
    along, length = px * dx + py * dy, dx * dx + dy * dy
    if along <= 0:
        return px * px + py * py
    if along >= length:
        return (px - dx) ** 2 + (py - dy) ** 2
    return Fraction((px * dy - py * dx) ** 2, length)
