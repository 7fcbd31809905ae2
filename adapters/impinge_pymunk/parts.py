"""The shapes of bodies as continuous steps sweep them: thickness, extent, and the solids in frames of their own.

`encounters` finds which of them may hit each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

import pymunk

import impinge as im
from impinge.meetings import PartRows, SweptPart
from impinge.shapes.solids import Solid
from impinge_pymunk.chipmunk import outline_of
from impinge_pymunk.shapes import shape_of

__all__ = ["Part", "Parts"]

Vector: TypeAlias = tuple[float, float]

# Radius for circles that have none, in units of the space.
POINT = 1e-6
# Number of solids in the caches, as in `shapes`.
REMEMBERED = 4096


class Part:
    """A shape of a body, prepared for sweeps.

    Attributes
    ----------
    shape
        The shape.
    solid
        Its solid in a frame with its origin at the centre of gravity, which moves in a straight line if the body turns.
    core
        The solid, thinner on all sides by the depth that Pymunk lets shapes overlap, if it is thick enough. An impact
        of the core is at the depth of resting bodies.
    thickness
        Half of the shape's smallest width.
    extent, reach
        Largest distance of its points from the centre of gravity; and the same for points that turning can bring into
        contact, which is 0 for a wheel.
    margin
        Difference between solid and core.
    told
        The centre of gravity, and the shape's radius and points.
    number
        Its number in `Parts.rows`.
    """

    __slots__ = ("core", "extent", "margin", "number", "reach", "shape", "solid", "thickness", "told")

    def __init__(self, shape: pymunk.Shape, solid: Solid, told: tuple[Vector, tuple[float, ...]], slop: float) -> None:
        self.shape, self.told, self.number = shape, told, -1
        center, _ = told
        self.thickness, self.margin = thickness(solid), min(slop, MOST_OF_THICKNESS * thickness(solid))
        self.solid, self.core = about(solid, center), about(inset(solid, self.margin), center)
        self.extent = extent(self.solid)
        self.reach = 0.0 if isinstance(self.solid, im.Circle) else self.extent

    def swept(self) -> SweptPart:
        """Return core and solid, as `impinge.meetings` takes them."""
        return SweptPart(self.solid, self.core, (self.thickness, self.margin, self.extent, self.reach))


# Largest fraction of a shape's thickness that its core may lack: the core of a bullet must not get too thin.
MOST_OF_THICKNESS = 0.5


class Parts:
    """The parts of bodies, made at the first request and again after their shapes have changed.

    Attributes
    ----------
    slop
        The depth that Pymunk lets shapes overlap.
    rows
        The parts, as `impinge.meetings` takes them.
    forgotten
        How many were forgotten so far: numbers of parts that were noted before may not be theirs any more.

    Examples
    --------
    >>> body = pymunk.Body(1, 1)
    >>> rod = pymunk.Segment(body, (-20, 0), (20, 0), 2)
    >>> part = Parts(slop=0.1).of(rod, body.center_of_gravity)
    >>> assert part is not None
    >>> part.thickness, round(part.reach, 2), part.core
    (2.0, 22.09, Capsule(a=(-20.0, 0.0), b=(20.0, 0.0), radius=1.9))
    """

    def __init__(self, slop: float) -> None:
        self.slop, self.rows, self.forgotten = slop, PartRows(), 0
        self._known: dict[pymunk.Shape, Part | None] = {}
        self._numbered: dict[int, Part] = {}
        self._gone: list[int] = []

    def begin(self) -> None:
        """Begin a step. Until then, the numbers of parts that are gone are not used again: reports may have them."""
        for number in self._gone:
            self._numbered.pop(number)
            self.rows.remove(number)
        self._gone.clear()

    def of_all(self, shapes: Iterable[pymunk.Shape], center: Vector) -> list[Part]:
        """Return the parts of a body's shapes, except shapes without extent."""
        return [part for shape in shapes if (part := self.of(shape, center)) is not None]

    def forget(self, shape: pymunk.Shape) -> None:
        """Forget a shape that was removed."""
        part = self._known.pop(shape, None)
        if part is not None:
            self._gone.append(part.number)
            self.forgotten += 1

    def of(self, shape: pymunk.Shape, center: Vector) -> Part | None:
        """Return the part of a shape, or None if it has no extent; `center` is the body's centre of gravity."""
        part, told = self._known.get(shape), (center, outline_of(shape))
        if part is None or part.told != told:
            self.forget(shape)
            solid = _solid(shape)
            part = self._known[shape] = None if solid is None else Part(shape, solid, told, self.slop)
            if part is not None:
                part.number = self.rows.add(part.swept())
                self._numbered[part.number] = part
        return part

    def numbered(self, number: int) -> Part:
        """Return the part of a number in `rows`."""
        return self._numbered[number]


def _solid(shape: pymunk.Shape) -> Solid | None:
    """Return the solid of a shape, or None without extent; a circle of radius 0, which Pymunk allows, is tiny."""
    try:
        return shape_of(shape)
    except im.ShapeError:
        if isinstance(shape, pymunk.Circle) and shape.radius == 0.0:
            return about(im.Circle(POINT), (-shape.offset.x, -shape.offset.y))
        if isinstance(shape, pymunk.Segment) and shape.a == shape.b and shape.radius > 0.0:
            return about(im.Circle(shape.radius), (-shape.a.x, -shape.a.y))
        return None


@lru_cache(REMEMBERED)
def thickness(solid: Solid) -> float:
    """Return a lower bound of half of a solid's smallest width: an overlap up to it can be resolved on the right side.

    Examples
    --------
    >>> thickness(im.Box(40, 6)), thickness(im.Circle(5)), thickness(im.Capsule((0, 0), (9, 0), radius=2))
    (3.0, 5.0, 2.0)
    """
    if isinstance(solid, im.Compound):
        return min(thickness(part) for part, _ in solid.parts)
    if isinstance(solid, im.Box):
        return 0.5 * min(solid.width, solid.height)
    if isinstance(solid, im.Polygon):
        return _inradius(solid.vertices) + solid.radius
    return float(solid.radius)  # type: ignore[attr-defined]


@lru_cache(REMEMBERED)
def inset(solid: Solid, margin: float) -> Solid:
    """Return a convex solid that is thinner on all sides by a margin of at most half its thickness.

    Examples
    --------
    >>> inset(im.Circle(5), 0.1), inset(im.Box(10, 20), 1)
    (Circle(radius=4.9), Box(width=8.0, height=18.0))
    """
    if margin == 0.0:
        return solid
    if isinstance(solid, im.Compound):
        return im.Compound([(inset(part, margin), pose) for part, pose in solid.parts])
    if isinstance(solid, im.Circle):
        return im.Circle(solid.radius - margin)
    if isinstance(solid, im.Capsule):
        return im.Capsule(solid.a, solid.b, solid.radius - margin)
    if isinstance(solid, im.Box):
        return im.Box(solid.width - 2.0 * margin, solid.height - 2.0 * margin)
    assert isinstance(solid, im.Polygon)
    vertices = solid.vertices
    if solid.radius >= margin:
        return im.Polygon(vertices, solid.radius - margin)
    # Scaled towards the middle: corners recede by more than sides, as they do where shapes rest on each other.
    (x, y), keeps = _middle(vertices), 1.0 - margin / _inradius(vertices)
    return im.Polygon([(x + keeps * (px - x), y + keeps * (py - y)) for px, py in vertices], solid.radius)


@lru_cache(REMEMBERED)
def about(solid: Solid, center: Vector) -> Solid:
    """Return a solid in a frame whose origin is at a point."""
    if center == (0.0, 0.0):
        return solid
    return im.Compound([(solid, im.Pose(-center[0], -center[1]))])


@lru_cache(REMEMBERED)
def extent(solid: Solid) -> float:
    """Return an upper bound of the distance of a solid's points from the origin."""
    left, bottom, right, top = solid.bounds(im.Pose(0.0, 0.0))
    return math.hypot(max(-left, right), max(-bottom, top))


def _middle(vertices: tuple[Vector, ...]) -> Vector:
    return sum(x for x, _ in vertices) / len(vertices), sum(y for _, y in vertices) / len(vertices)


def _inradius(vertices: tuple[Vector, ...]) -> float:
    """Return the distance from the middle of a convex polygon to its nearest side."""
    x, y = _middle(vertices)
    return min(
        abs((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / math.hypot(bx - ax, by - ay)
        for (ax, ay), (bx, by) in _sides(vertices)
    )


def _sides(vertices: tuple[Vector, ...]) -> Iterator[tuple[Vector, Vector]]:
    return pairwise((*vertices, vertices[0]))
