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
from impinge.query.unchecked import Course, Touch, touch
from impinge.shapes.solids import Solid
from impinge_pymunk.chipmunk import figures_of, outline_of, take_parting
from impinge_pymunk.shapes import shape_of

__all__ = [
    "Pair",
    "Part",
    "Parts",
    "Place",
    "Strike",
    "Touch",
    "Way",
    "Ways",
    "are_filtered",
    "are_joined",
    "at",
    "course",
    "shifted",
    "touch",
]

Vector: TypeAlias = tuple[float, float]
# Position of a body's centre of gravity, and the body's angle.
Place: TypeAlias = tuple[float, ...]
Ways: TypeAlias = tuple[Course, Course]

# Radius for circles that have none, in units of the space.
POINT = 1e-6
# For turning pairs: most instants at which a depth is measured; fraction of the limit that counts as reaching it; and
# fraction of the limit by which a pair that is too deep already may get deeper in a step. Pymunk pushes bodies apart by
# a tenth of the depth.
MOST_STEPS, CLOSE, DEEPER = 16, 0.05, 0.1
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
    """

    __slots__ = ("core", "extent", "margin", "reach", "seen", "shape", "solid", "thickness", "told")

    def __init__(self, shape: pymunk.Shape, solid: Solid, center: Vector, slop: float, told: object) -> None:
        self.shape, self.told, self.seen = shape, told, 0
        self.thickness, self.margin = thickness(solid), min(slop, MOST_OF_THICKNESS * thickness(solid))
        self.solid, self.core = about(solid, center), about(inset(solid, self.margin), center)
        self.extent = extent(self.solid)
        self.reach = 0.0 if isinstance(self.solid, im.Circle) else self.extent


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
            part = self._known[shape] = None if solid is None else Part(shape, solid, center, self.slop, told)
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
    parts
        The parts of its shapes, for a fast body.
    is_fixed, is_heavy, is_swept
        Whether nothing may stop it, whether no hit makes it give way, and whether it is fast.
    stopped, stand
        Time of the stop as a fraction of the course, and place at the end of the step; without a stop, 1 and the end of
        the course.
    changes
        How often it was stopped.
    rest, since
        The course after the last stop, and the time of that stop. It stands, or the body it has hit carries it.
    parting
        Displacement in the step by which Pymunk pushes it out of overlaps: horizontally, vertically, and the angle.
        None as long as it is left to Pymunk and not in the course.
    carrier
        The way of the body that carries it, or None.
    pairs
        The pairs of its parts with others that may hit each other.
    strikes
        The hits that stopped it.
    """

    __slots__ = (
        "body",
        "carrier",
        "center",
        "changes",
        "course",
        "is_fixed",
        "is_heavy",
        "is_swept",
        "pairs",
        "parting",
        "parts",
        "rest",
        "since",
        "stand",
        "stopped",
        "strikes",
        "time",
    )

    def __init__(self, body: pymunk.Body, course: Course, center: Vector, time: float, is_fixed: bool) -> None:
        self.body, self.course, self.center, self.time = body, course, center, time
        self.is_fixed = is_fixed
        self.is_heavy = self.is_swept = False
        self.parts: list[Part] = []
        self.stopped, self.stand, self.changes = 1.0, course[3:6], 0
        self.rest, self.since = course, 1.0
        self.carrier: Way | None = None
        self.parting: Place | None = None
        self.pairs: list[Pair] = []
        self.strikes: list[Strike] = []

    def after(self, begin: float) -> Course:
        """Return the course from a time on: after a stop it stands, or is carried."""
        if self.stopped <= begin:
            part = (begin - self.since) / (1.0 - self.since) if begin > self.since else 0.0
            return self.rest if part == 0.0 else course(at(self.rest, part), self.stand)
        return self.course if begin == 0.0 else course(at(self.course, begin), self.course[3:6])

    def place(self, time: float) -> Place:
        """Return the place at a time."""
        if self.stopped <= time:
            return at(self.rest, (time - self.since) / (1.0 - self.since)) if time > self.since else self.rest[:3]
        return at(self.course, time) if time > 0.0 else self.course[:3]

    def take_parting(self, dt: float) -> None:
        """Add Pymunk's depenetration of the step to the course, if it is not in it yet.

        It is used only for bodies with a hit: other bodies are not changed.
        """
        if self.parting is not None or self.body.body_type != pymunk.Body.DYNAMIC or self.body.is_sleeping:
            return
        across, up, spin = take_parting(self.body)
        self.parting = across * dt, up * dt, spin * dt
        if self.parting != (0.0, 0.0, 0.0):
            self.course = course(self.course[:3], shifted(self.course[3:6], self.parting, 1.0))
            self.rest, self.stand = self.course, self.course[3:6]

    def stop(self, time: float, rest: Course, carrier: Way | None = None) -> None:
        """Stop the way at a time; for the rest of the step it stands, or is carried."""
        self.stopped, self.since, self.rest, self.stand = min(time, self.stopped), time, rest, rest[3:6]
        self.carrier = carrier
        self.changes += 1


def _miss(way: Course, other_way: Course, near: float) -> bool:
    """Return whether two ways stay apart; a third of the kernels' time, because their call alone costs more."""
    x, y, _, end_x, end_y, _, _, _ = way
    other_x, other_y, _, other_end_x, other_end_y, _, _, _ = other_way
    dx, dy = other_x - x, other_y - y
    apart = dx * dx + dy * dy - near * near
    if apart <= 0.0:
        return False
    across, up = (other_end_x - other_x) - (end_x - x), (other_end_y - other_y) - (end_y - y)
    closing, speed = dx * across + dy * up, across * across + up * up
    if closing >= 0.0:
        return True
    time = min(1.0, -closing / speed)
    return apart + time * (2.0 * closing + time * speed) > 0.0


def course(start: Place, end: Place) -> Course:
    """Return the way from one place to another, in the form that the kernels take."""
    return float(start[0]), float(start[1]), float(start[2]), float(end[0]), float(end[1]), float(end[2]), 0.0, 0.0


def at(way: Course, time: float) -> Place:
    """Return the place on a way at a time from 0 to 1."""
    if time == 1.0:
        return way[3:6]
    x, y, angle, end_x, end_y, end_angle, _, _ = way
    return x + (end_x - x) * time, y + (end_y - y) * time, angle + (end_angle - angle) * time


def shifted(place: Place, parting: Place | None, part: float) -> Place:
    """Return a place plus a fraction of a parting, if there is one."""
    if parting is None:
        return place
    (x, y, angle), (across, up, turn) = place, parting
    return x + part * across, y + part * up, angle + part * turn


class Pair(NamedTuple):
    """A part of a body and a part of another one; the core of the first part is swept."""

    way: Way
    part: Part
    other_way: Way
    other: Part

    @property
    def is_sensed(self) -> bool:
        """Return whether the pair is only reported, because one shape is a sensor."""
        return bool(self.part.shape.sensor or self.other.shape.sensor)

    def ways_after(self, begin: float) -> Ways:
        """Return both ways from a time on."""
        return self.way.after(begin), self.other_way.after(begin)

    def turns(self, ways: Ways) -> bool:
        """Return whether one of them turns, other than a wheel."""
        one, other = ways
        return (one[2] != one[5] and self.part.reach > 0.0) or (other[2] != other[5] and self.other.reach > 0.0)

    def touch(self, solid: Solid, ways: Ways) -> Touch | None:
        """Return how the first body, as its solid or core, hits the other; the time is a fraction of these ways."""
        way, other_way = ways
        if _miss(way, other_way, self.part.extent + self.other.extent):
            return None
        return touch(solid, way, self.other.solid, other_way)

    def time_of_depth(self, ways: Ways, first: float, limit: float) -> float | None:
        """Return the time up to which the depth stays within a limit; None if that is the end of the step.

        Parameters
        ----------
        ways
            The ways of both, from the start of the search on.
        first
            Fraction of the ways before which the limit cannot be exceeded.
        limit
            The depth. A pair that begins deeper may stay so deep, and get slightly deeper: a flipper whose pivot is in
            a wall can turn. Pymunk pushes out a body that is pressed into a wall faster than it gets in.

        Returns
        -------
        float or None
            A fraction of the ways, never too late; too early if the exact time would take many steps.

        Notes
        -----
        Conservative advancement, as in `impinge.time_of_impact`, but for a depth. The depth is at most the overlap
        along any direction, and that along the present normal grows at most by the approach speed along it, turning
        included. A rod that slides along a wall approaches it slowly, however fast it slides.
        """
        (x, y, _, end_x, end_y, _, _, _), (from_x, from_y, _, to_x, to_y, _, _, _) = ways
        across, up = (end_x - x) - (to_x - from_x), (end_y - y) - (to_y - from_y)
        straight, fastest = self.speeds(ways, None)
        turning = fastest - straight
        time, most = first, limit
        for step in range(MOST_STEPS):
            poses = [im.Pose(*at(way, time)) for way in ways]
            nearest = im.distance(self.part.core, poses[0], self.other.solid, poses[1])
            apart, (nx, ny) = nearest.distance, nearest.normal
            speed = across * nx + up * ny + turning
            if speed <= 0.0:
                return None
            if step == 0:
                most = max(limit, DEEPER * limit - apart)
            room = apart + most
            if room <= CLOSE * limit:
                return time
            time += room / speed
            if time >= 1.0:
                return None
        return time

    def speeds(self, ways: Ways, touched: Touch | None) -> tuple[float, float]:
        """Return the approach speed at the contact, and an upper bound of that of any other points, by turning.

        Without a touch, the first value is the relative speed in any direction.
        """
        (x, y, angle, end_x, end_y, end_angle, _, _), (from_x, from_y, from_angle, to_x, to_y, to_angle, _, _) = ways
        across, up = (end_x - x) - (to_x - from_x), (end_y - y) - (to_y - from_y)
        nx, ny = (0.0, 0.0) if touched is None else touched.normal
        swing = turning = 0.0
        if angle != end_angle or from_angle != to_angle:
            for way, part, sign in ((ways[0], self.part, 1.0), (ways[1], self.other, -1.0)):
                spin = way[5] - way[2]
                turning += abs(spin) * part.reach
                if touched is not None:
                    (px, py), (cx, cy, _) = touched.point, at(way, touched.time)
                    swing += sign * spin * ((px - cx) * ny - (py - cy) * nx)
        straight = math.hypot(across, up) if touched is None else across * nx + up * ny
        return straight + swing, straight + turning

    def distance(self, ways: Ways) -> float:
        """Return the distance at the start of the ways; a negative value is the depth."""
        one, other = (im.Pose(*way[:3]) for way in ways)
        return im.distance(self.part.core, one, self.other.solid, other).distance

    def begins_overlapping(self, ways: Ways) -> bool:
        """Return whether they overlap, or nearly overlap, at the start of the ways."""
        (x, y, *_), (other_x, other_y, *_) = ways
        if math.hypot(x - other_x, y - other_y) > self.part.extent + self.other.extent + self.part.thickness:
            return False
        return self.distance(ways) <= self.part.margin + CLOSE * self.part.thickness

    def ends_overlapping(self, ways: Ways) -> bool:
        """Return whether they overlap at the end of the step."""
        one, other = (im.Pose(*way[3:6]) for way in ways)
        return im.overlaps(self.part.core, one, self.other.solid, other)


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

    def is_over(self) -> bool:
        """Return whether the pair separates now; False for turning shapes other than wheels, where it is uncertain."""
        (way, part, other_way, other), (nx, ny), *_ = self
        _, _, _, x, y, spin = figures_of(way.body)
        _, _, _, other_x, other_y, other_spin = figures_of(other_way.body)
        is_turning = (spin != 0.0 and part.reach > 0.0) or (other_spin != 0.0 and other.reach > 0.0)
        return not is_turning and (x - other_x) * nx + (y - other_y) * ny < 0.0

    def is_left(self, here: Place, pace: Sequence[float]) -> bool:
        """Return whether the first body cannot hit the other one again, which must stand still.

        `here` and `pace` are its present place and velocities. The other body is entirely on one side of the contact,
        and the first body moves to the opposite side.
        """
        (way, part, other_way, _), (nx, ny), *_ = self
        (x, y, _), (sent_x, sent_y, _) = here, way.stand
        # A body that others have pushed beyond its stop is checked again.
        if pace[0] * nx + pace[1] * ny >= 0.0 or (x - sent_x) * nx + (y - sent_y) * ny > part.margin:
            return False
        stands = other_way.course[:3] == other_way.course[3:6] == figures_of(other_way.body)[:3]
        return stands and other_way.center == (0.0, 0.0)


def are_filtered(a: pymunk.ShapeFilter, b: pymunk.ShapeFilter) -> bool:
    """Return whether two filters prevent a collision of their shapes."""
    return (a.group != 0 and a.group == b.group) or (a.categories & b.mask) == 0 or (b.categories & a.mask) == 0


def are_joined(a: pymunk.Body, b: pymunk.Body) -> bool:
    """Return whether a constraint between two bodies prevents their collisions."""
    space = a.space
    # Most spaces have no constraints, which is faster to check. A body keeps the joints that have left the space.
    joints = [] if space is None else space.constraints
    return bool(joints) and any(
        not joint.collide_bodies and b in (joint.a, joint.b) and joint in joints for joint in a.constraints
    )


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
