"""The ways of bodies within a step, the thickness of their shapes, and the times when two shapes hit each other.

`continuity` handles the hits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import pymunk

import impinge as im
from impinge.meetings import Place, SweptPart
from impinge.query.unchecked import Course
from impinge.shapes.solids import Solid
from impinge_pymunk.chipmunk import Figures, Filter, outline_of
from impinge_pymunk.shapes import shape_of

__all__ = [
    "Pair",
    "Part",
    "Parts",
    "Place",
    "Strike",
    "Way",
    "are_filtered",
    "at",
]

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
    swept
        Core and solid, as `impinge.meetings` takes them.
    """

    __slots__ = ("core", "extent", "margin", "reach", "seen", "shape", "solid", "swept", "thickness", "told")

    def __init__(self, shape: pymunk.Shape, solid: Solid, told: tuple[Vector, tuple[float, ...]], slop: float) -> None:
        self.shape, self.told, self.seen = shape, told, 0
        center, _ = told
        self.thickness, self.margin = thickness(solid), min(slop, MOST_OF_THICKNESS * thickness(solid))
        self.solid, self.core = about(solid, center), about(inset(solid, self.margin), center)
        self.extent = extent(self.solid)
        self.reach = 0.0 if isinstance(self.solid, im.Circle) else self.extent
        self.swept = SweptPart(self.solid, self.core, (self.thickness, self.margin, self.extent, self.reach))


# Largest fraction of a shape's thickness that its core may lack: the core of a bullet must not get too thin.
MOST_OF_THICKNESS = 0.5


class Parts:
    """The parts of bodies, made at the first request and again after their shapes have changed.

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
        self.slop = slop
        self._now = 0
        self._known: dict[pymunk.Shape, Part | None] = {}

    def look_again(self) -> None:
        """Check each shape for changes at its next request: some are requested many times in a step."""
        self._now += 1

    def of_all(self, shapes: Iterable[pymunk.Shape], center: Vector) -> list[Part]:
        """Return the parts of a body's shapes, except shapes without extent."""
        return [part for shape in shapes if (part := self.of(shape, center)) is not None]

    def forget(self, shape: pymunk.Shape) -> None:
        """Forget a shape that was removed."""
        self._known.pop(shape, None)

    def of(self, shape: pymunk.Shape, center: Vector) -> Part | None:
        """Return the part of a shape, or None if it has no extent; `center` is the body's centre of gravity."""
        part = self._known.get(shape)
        if part is not None and part.seen == self._now:
            return part
        told = center, outline_of(shape)
        if part is None or part.told != told:
            solid = _solid(shape)
            part = self._known[shape] = None if solid is None else Part(shape, solid, told, self.slop)
        if part is not None:
            part.seen = self._now
        return part


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


class Way:
    """The way of a body in a step: straight for its centre of gravity, with constant spin, until it is stopped.

    Attributes
    ----------
    body, center
        The body, and its centre of gravity in its own frame.
    course
        The motion from the start of the step to its end, if nothing stops it.
    time
        Duration of the way in seconds: the step, and the time by which the body is behind.
    velocity
        Horizontal, vertical and angular velocity before the step.
    parts
        The parts of its shapes, for a fast body.
    is_fixed, is_heavy, is_swept
        Whether nothing may stop it, whether no hit makes it give way, and whether it is fast.
    is_parted
        Whether Pymunk may push it out of overlaps.
    stopped, stand
        Time of the stop as a fraction of the course, and place at the end of the step; without a stop, 1 and the end of
        the course.
    parting
        Displacement in the step by which Pymunk pushes it out of overlaps: horizontally, vertically, and the angle.
        None as long as it is left to Pymunk and not in the course.
    strikes
        The hits that stopped it.
    """

    __slots__ = (
        "body",
        "center",
        "course",
        "is_fixed",
        "is_heavy",
        "is_parted",
        "is_swept",
        "parting",
        "parts",
        "stand",
        "stopped",
        "strikes",
        "time",
        "velocity",
    )

    def __init__(self, body: pymunk.Body, course: Course, center: Vector, time: float, is_fixed: bool) -> None:
        self.body, self.course, self.center, self.time = body, course, center, time
        self.is_fixed = is_fixed
        self.is_heavy = self.is_swept = self.is_parted = False
        self.parts: list[Part] = []
        self.stopped, self.stand = 1.0, course[3:6]
        self.velocity: Sequence[float] = (0.0, 0.0, 0.0)
        self.parting: Place | None = None
        self.strikes: list[Strike] = []


def at(way: Course, time: float) -> Place:
    """Return the place on a way at a time from 0 to 1."""
    if time == 1.0:
        return way[3:6]
    x, y, angle, end_x, end_y, end_angle, _, _ = way
    return x + (end_x - x) * time, y + (end_y - y) * time, angle + (end_angle - angle) * time


class Pair(NamedTuple):
    """A part of a body and a part of another one; the core of the first part is swept.

    Attributes
    ----------
    way, part, other_way, other
        The ways of both bodies, and the parts.
    is_sensed
        Whether the pair is only reported, because one shape is a sensor.
    is_calm
        Whether the bodies hardly move relative to each other, so that they hit each other only once one is stopped.
    """

    way: Way
    part: Part
    other_way: Way
    other: Part
    is_sensed: bool
    is_calm: bool


class Strike(NamedTuple):
    """A pair that hits each other.

    Attributes
    ----------
    pair
        The pair.
    normal
        The normal from the first body to the other, when it was found.
    time, places
        Time of the hit, as a fraction of the step, and the places of both bodies at that time.
    """

    pair: Pair
    normal: Vector
    time: float
    places: tuple[Place, Place]

    def nearest(self) -> im.Separation:
        """Return the contact, as the nearest points of both parts and the normal between them."""
        one, other = (im.Pose(*place) for place in self.places)
        return im.distance(self.pair.part.solid, one, self.pair.other.solid, other)

    def is_over(self, figures: Figures, other_figures: Figures) -> bool:
        """Return whether the pair separates now; False for turning shapes other than wheels, where it is uncertain."""
        (_, part, _, other, *_), (nx, ny), *_ = self
        _, _, _, x, y, spin = figures
        _, _, _, other_x, other_y, other_spin = other_figures
        is_turning = (spin != 0.0 and part.reach > 0.0) or (other_spin != 0.0 and other.reach > 0.0)
        return not is_turning and (x - other_x) * nx + (y - other_y) * ny < 0.0

    def is_left(self, here: Place, figures: Figures, other_figures: Figures) -> bool:
        """Return whether the first body cannot hit the other one again, which must stand still.

        `here` is the present place of its centre, and the figures are those of both bodies. The other body is entirely
        on one side of the contact, and the first body moves to the opposite side.
        """
        (way, part, other_way, *_), (nx, ny), *_ = self
        (x, y, _), (sent_x, sent_y, _) = here, way.stand
        # A body that others have pushed beyond its stop is checked again.
        if figures[3] * nx + figures[4] * ny >= 0.0 or (x - sent_x) * nx + (y - sent_y) * ny > part.margin:
            return False
        stands = other_way.course[:3] == other_way.course[3:6] == other_figures[:3]
        return bool(stands) and other_way.center == (0.0, 0.0)


def are_filtered(a: Filter, b: Filter) -> bool:
    """Return whether two filters prevent a collision of their shapes."""
    (group, categories, mask), (other_group, other_categories, other_mask) = a, b
    return (group != 0 and group == other_group) or (categories & other_mask) == 0 or (other_categories & mask) == 0


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
