"""Candidate times at which two moving solids begin or cease to touch, or are nearest. The caller tests each of them.

Relative to a, the frame of b moves along a polynomial path p(t). The solids touch while p is in the Minkowski
difference of two of their pieces: a convex core, grown by the sum of both radii. So p enters or leaves when its
distance to the line of an edge, or to a corner, equals this sum. The solids are nearest when one of these distances is
least.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from impinge.motion import Motion, Pose
from impinge.predict.relations import Path, distance_to_line, squared_distance, times
from impinge.shapes.solids import Solid, Vector, placed

__all__ = ["instants_between"]


def instants_between(a: Solid, motion_a: Motion, b: Solid, motion_b: Motion) -> list[float]:
    """Return times of a frame, ascending, between which two solids that do not turn keep touching or stay apart.

    Both ends of the frame are among them, and the time at which the solids are nearest.
    """
    path = Path.of(motion_b) - Path.of(motion_a)
    turn_a, turn_b = Pose(0.0, 0.0, motion_a.start.angle), Pose(0.0, 0.0, motion_b.start.angle)
    found = {0.0, 1.0}
    for piece_a in a.pieces:
        for piece_b in b.pieces:
            corners = difference(placed(piece_a.points, turn_a), placed(piece_b.points, turn_b))
            found.update(_candidate_times(corners, piece_a.radius + piece_b.radius, path))
    return sorted(found)


def difference(a: tuple[Vector, ...], b: tuple[Vector, ...]) -> list[Vector]:
    """Return the corners of the Minkowski difference of two convex polygons, counter-clockwise.

    Its edges are those of a and of -b, sorted by direction (de Berg et al., "Computational Geometry", 3rd ed., 13.3).

    >>> difference(((0, 0), (2, 0), (0, 2)), ((5, 5),))
    [(-5.0, -5.0), (-3.0, -5.0), (-5.0, -3.0)]
    """
    edges = [(bx - ax, by - ay) for (ax, ay), (bx, by) in pairwise((*a, a[0]))]
    edges += [(ax - bx, ay - by) for (ax, ay), (bx, by) in pairwise((*b, b[0]))]
    edges = sorted((edge for edge in edges if edge != (0, 0)), key=lambda edge: math.atan2(edge[1], edge[0]) % math.tau)
    corners = [(0.0, 0.0)]
    for x, y in edges[:-1]:
        corners.append((corners[-1][0] + x, corners[-1][1] + y))
    # Its bounds give its position. Its first corner would not: rounding may decide which of two level ones is first.
    left = min(x for x, _ in a) - max(x for x, _ in b) - min(x for x, _ in corners)
    bottom = min(y for _, y in a) - max(y for _, y in b) - min(y for _, y in corners)
    return [(left + x, bottom + y) for x, y in corners]


def _candidate_times(corners: list[Vector], radius: float, path: Path) -> Iterator[float]:
    for (ax, ay), (bx, by) in pairwise((*corners, corners[0])):
        if (ax, ay) != (bx, by):
            inside = distance_to_line(path, (ax, ay), (bx, by))
            yield from times(inside, -radius)
            yield from times(inside.deriv())
        apart = squared_distance(Path.still((ax, ay)), path)
        yield from times(apart, radius * radius)
        yield from times(apart.deriv())
