"""The outlines of `shards`: how they are made, measured and cut. Plain geometry; the motion is in `shards`."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from itertools import count, pairwise
from typing import Final, TypeAlias

from impinge import Pose

__all__ = [
    "ARROW",
    "Vector",
    "along",
    "around",
    "centred",
    "crescent",
    "cut",
    "dot",
    "edges",
    "hull",
    "measured",
    "minus",
    "nut",
    "placed",
    "star",
]

Vector: TypeAlias = tuple[float, float]

ARROW: Final = [(19.0, 0.0), (-13.0, 13.0), (-6.0, 0.0), (-13.0, -13.0)]  # the ship
CLEAR: Final = 1e-5  # pixels between a cut and every corner, at least


def star(chance: random.Random) -> list[Vector]:
    """Return the outline of a stone with deep dents all around."""
    size, corners = chance.uniform(46, 60), 2 * chance.randint(4, 7)
    parts = [chance.uniform(0.85, 1.0) if corner % 2 else chance.uniform(0.4, 0.7) for corner in range(corners)]
    return [around(corner / corners * math.tau, part * size) for corner, part in enumerate(parts)]


def crescent(
    chance: random.Random, outer: float = 64.0, inner: float = 40.0, mouth: float = 0.95, corners: int = 10
) -> list[Vector]:
    """Return a rock with a hollow around the origin. Its mouth reaches `mouth` radians to both sides of the x axis."""
    turns = [mouth + corner / (corners - 1) * (math.tau - 2 * mouth) for corner in range(corners)]
    back = [around(turn, outer * chance.uniform(0.93, 1.07)) for turn in turns]
    front = [around(turn, inner * chance.uniform(0.96, 1.04)) for turn in turns[1:-1]]
    return back + front[::-1]


def nut(chance: random.Random) -> list[Vector]:
    """Return a piece of steel with six corners."""
    return [around(side / 6 * math.tau, 27 * chance.uniform(0.9, 1.1)) for side in range(6)]


def around(angle: float, reach: float) -> Vector:
    """Return the point at this distance from the origin, in this direction."""
    return reach * math.cos(angle), reach * math.sin(angle)


def cut(outline: Sequence[Vector], point: Vector, direction: Vector) -> list[list[Vector]]:
    """Cut a polygon along a line and return all its parts. A concave polygon may have more than two."""
    normal = -direction[1], direction[0]
    heights = [dot(normal, minus(corner, point)) for corner in outline]
    # A corner on the line would be in both parts, and one of them would touch itself. So the line moves aside.
    aside = next(way for way in count(0.0, 3 * CLEAR) if all(abs(height - way) > CLEAR for height in heights))
    heights = [height - aside for height in heights]
    ring: list[Vector] = []  # the corners, and in between the points where the outline crosses the line
    crossings: list[tuple[float, int]] = []  # distance along the line, and index in the ring
    for corner, height, after, height_after in zip(
        outline, heights, [*outline[1:], outline[0]], [*heights[1:], heights[0]], strict=True
    ):
        ring.append(corner)
        if (height > 0.0) != (height_after > 0.0):
            crossing = along(corner, after, height / (height - height_after))
            crossings.append((dot(direction, minus(crossing, point)), len(ring)))
            ring.append(crossing)
    # The line enters the polygon at one crossing and leaves it at the next. Between the two runs a cut.
    order = [place for _, place in sorted(crossings)]
    across = dict(zip(order[::2], order[1::2], strict=True))
    across |= {out: into for into, out in across.items()}
    parts = []
    corners = [place for place in range(len(ring)) if place not in across]
    while corners:
        part: list[int] = []
        here = corners[0]
        while not part or here != corners[0]:
            part.append(here)
            if here in across:
                here = across[here]
                part.append(here)
            here = (here + 1) % len(ring)
        parts.append([ring[place] for place in part])
        corners = [place for place in corners if place not in part]
    return parts


def measured(outline: Sequence[Vector]) -> tuple[float, Vector]:
    """Return the area and the centroid of a polygon."""
    x0, y0 = outline[0]
    twice = x = y = 0.0
    for (ax, ay), (bx, by) in pairwise([*(minus(corner, (x0, y0)) for corner in outline), (0.0, 0.0)]):
        cross = ax * by - ay * bx
        twice, x, y = twice + cross, x + cross * (ax + bx), y + cross * (ay + by)
    # A part as narrow as rounding may have no area. Its first corner stands in for the centroid.
    centroid = (x0 + x / (3 * twice), y0 + y / (3 * twice)) if twice else (x0, y0)
    return abs(twice) / 2, centroid


def centred(outline: Sequence[Vector]) -> tuple[list[Vector], Vector]:
    """Move a polygon so that its centroid is the origin. Return it and the old centroid."""
    middle = measured(outline)[1]
    return [minus(corner, middle) for corner in outline], middle


def hull(points: Iterable[Vector]) -> list[Vector]:
    """Return the convex hull (Andrew, 1979): the lower chain from left to right, then the upper one."""
    rows: list[list[Vector]] = []
    for row in (sorted(points), sorted(points, reverse=True)):
        kept: list[Vector] = []
        for point in row:
            while len(kept) > 1 and turn(kept[-2], kept[-1], point) <= 0.0:
                kept.pop()
            kept.append(point)
        rows.append(kept[:-1])
    return rows[0] + rows[1]


def placed(points: Iterable[Vector], pose: Pose) -> list[Vector]:
    """Return the points moved and turned by a pose."""
    cos, sin = math.cos(pose.angle), math.sin(pose.angle)
    return [(pose.x + cos * x - sin * y, pose.y + sin * x + cos * y) for x, y in points]


def edges(outline: Sequence[Vector]) -> list[Vector]:
    """Return both ends of each edge, one edge after the other."""
    return [end for edge in pairwise([*outline, outline[0]]) for end in edge]


def along(start: Vector, end: Vector, share: float) -> Vector:
    """Return the point at a share of the way from start to end."""
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])


def minus(a: Vector, b: Vector) -> Vector:
    """Return the difference of two vectors."""
    return a[0] - b[0], a[1] - b[1]


def dot(a: Vector, b: Vector) -> float:
    """Return the dot product."""
    return a[0] * b[0] + a[1] * b[1]


def turn(a: Vector, b: Vector, c: Vector) -> float:
    """Return a positive number if the way from a by b to c turns left, a negative one if it turns right."""
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
