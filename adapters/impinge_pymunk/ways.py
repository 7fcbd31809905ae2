"""Where bodies of a space go within a step, how thick they are, and when two of their shapes strike each other.

Not here: what is done about it, which is in `continuity`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import pymunk

import impinge as im
from impinge.kernels.arrays import Course
from impinge.kernels.entry import impact_pair
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
# Where a body's centre of gravity is, and its angle.
Place: TypeAlias = tuple[float, ...]
Ways: TypeAlias = tuple[Course, Course]

# Radius of what has none, in the units of the space.
POINT = 1e-6
# At how many instants a pair is looked at that turns in each other, which part of a depth is as good as all of it, and
# how much deeper who is too deep already may get in a step. Pymunk puts them out by a tenth of the depth.
MOST_STEPS, CLOSE, DEEPER = 16, 0.05, 0.1
# Different solids that are remembered, as in `shapes`.
REMEMBERED = 4096


class Part:
    """A shape of a body, as it is swept.

    Attributes
    ----------
    shape
        The shape.
    solid
        What it is, in a frame whose origin is the body's centre of gravity: that goes straight, whatever it turns.
    core
        The same, thinner all around by the depth that Pymunk lets shapes overlap, as far as it has that: its impact is
        where the shape is in as deep as one that rests.
    thickness
        Half of its smallest width.
    extent, reach
        How far it reaches from the centre of gravity, and how far so that it can turn into something: nothing of a
        wheel.
    margin
        By how much the core is thinner.
    """

    __slots__ = ("core", "extent", "margin", "reach", "seen", "shape", "solid", "thickness", "told")

    def __init__(self, shape: pymunk.Shape, solid: Solid, center: Vector, slop: float, told: object) -> None:
        self.shape, self.told, self.seen = shape, told, 0
        self.thickness, self.margin = thickness(solid), min(slop, MOST_OF_THICKNESS * thickness(solid))
        self.solid, self.core = about(solid, center), about(inset(solid, self.margin), center)
        self.extent = extent(self.solid)
        self.reach = 0.0 if isinstance(self.solid, im.Circle) else self.extent


# Of the thickness of a shape what its core may lack, or a bullet would be all skin.
MOST_OF_THICKNESS = 0.5


class Parts:
    """The parts of bodies, made when they are first asked for and again when their shapes have changed.

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
        """Have each shape looked at again when it is next asked for: some are asked for many times in a step."""
        self._now += 1

    def of_all(self, shapes: Iterable[pymunk.Shape], center: Vector) -> list[Part]:
        """Return the parts that the shapes of a body are, but for those without extent."""
        return [part for shape in shapes if (part := self.of(shape, center)) is not None]

    def forget(self, shape: pymunk.Shape) -> None:
        """Let go of a shape that has gone."""
        self._known.pop(shape, None)

    def of(self, shape: pymunk.Shape, center: Vector) -> Part | None:
        """Return the part that a shape is, or None if it has no extent; its body has this centre of gravity."""
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
    """Return what a shape is, or next to nothing where that has no extent: Pymunk takes a circle of radius 0."""
    try:
        return shape_of(shape)
    except im.ShapeError:
        if isinstance(shape, pymunk.Circle) and shape.radius == 0.0:
            return about(im.Circle(POINT), (-shape.offset.x, -shape.offset.y))
        if isinstance(shape, pymunk.Segment) and shape.a == shape.b and shape.radius > 0.0:
            return about(im.Circle(shape.radius), (-shape.a.x, -shape.a.y))
        return None


class Way:
    """How a body goes through a step: straight by its centre of gravity, turning evenly, until it is stopped.

    Attributes
    ----------
    body, center
        The body, and its centre of gravity in its own frame.
    course
        From the start of the step to its end, if nothing stops it.
    time
        How long it goes, in seconds: the step, and what it is behind.
    parts
        Its shapes, of one that is fast.
    is_fixed, is_heavy, is_swept
        Whether nothing may stop it, whether nothing that strikes it makes it give way, and whether it is fast.
    stopped, stand
        When it is stopped, as a part of the course, and where it is then when the step is over; 1 and the course's end
        if it is not.
    changes
        How often it has been stopped.
    rest, since
        How it goes on from when it was stopped last: it stands, or is carried by what it has struck to its stand.
    parting
        How far it goes in the step because Pymunk parts it from what it is in: across, up, and by which angle. None as
        long as that is left to Pymunk, and not in its course.
    carrier
        The way of what carries it, or None.
    pairs
        Those of its parts and others' that may strike each other.
    strikes
        What has stopped it.
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
        """Return its course from a time on: after it is stopped it stands, or is carried."""
        if self.stopped <= begin:
            part = (begin - self.since) / (1.0 - self.since) if begin > self.since else 0.0
            return self.rest if part == 0.0 else course(at(self.rest, part), self.stand)
        return self.course if begin == 0.0 else course(at(self.course, begin), self.course[3:6])

    def place(self, time: float) -> Place:
        """Return where it is at a time."""
        if self.stopped <= time:
            return at(self.rest, (time - self.since) / (1.0 - self.since)) if time > self.since else self.rest[:3]
        return at(self.course, time) if time > 0.0 else self.course[:3]

    def take_parting(self, dt: float) -> None:
        """Take into its course how Pymunk parts it in a step, if that is not in it yet.

        Only of those that strike something: nobody else is touched.
        """
        if self.parting is not None or self.body.body_type != pymunk.Body.DYNAMIC or self.body.is_sleeping:
            return
        across, up, spin = take_parting(self.body)
        self.parting = across * dt, up * dt, spin * dt
        if self.parting != (0.0, 0.0, 0.0):
            self.course = course(self.course[:3], shifted(self.course[3:6], self.parting, 1.0))
            self.rest, self.stand = self.course, self.course[3:6]

    def stop(self, time: float, rest: Course, carrier: Way | None = None) -> None:
        """End the way early; what is left of the step it stands, or is carried."""
        self.stopped, self.since, self.rest, self.stand = min(time, self.stopped), time, rest, rest[3:6]
        self.carrier = carrier
        self.changes += 1


class Touch(NamedTuple):
    """How two solids strike each other: an `impinge.Impact`, without what nobody asks for."""

    time: float
    normal: Vector
    point: Vector
    is_overlapping: bool


def touch(solid: Solid, way: Course, other: Solid, other_way: Course) -> Touch | None:
    """Return how two solids on their ways strike each other: `impinge.time_of_impact`, in half of its time.

    Examples
    --------
    >>> touch(im.Circle(1), course((0, 0, 0), (10, 0, 0)), im.Circle(1), course((7, 0, 0), (7, 0, 0)))
    Touch(time=0.5, normal=(1.0, 0.0), point=(6.0, 0.0), is_overlapping=False)
    """
    answer = impact_pair(solid.row, way, other.row, other_way)
    time = answer[0]
    if math.isnan(time):
        return None
    _, nx, ny, count, x, y, far_x, far_y = answer[:8]
    if count != 1.0:
        x, y = 0.5 * (x + far_x), 0.5 * (y + far_y)
    return Touch(time, (nx, ny), (x, y), answer[14] == 1.0)


def _miss(way: Course, other_way: Course, near: float) -> bool:
    """Whether two ways never come near each other: a third of what the kernels take to say so, by their call alone."""
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
    """Return the way from one place to another, as the kernels take it."""
    return float(start[0]), float(start[1]), float(start[2]), float(end[0]), float(end[1]), float(end[2]), 0.0, 0.0


def at(way: Course, time: float) -> Place:
    """Return where a way has got by a time from 0 to 1."""
    if time == 1.0:
        return way[3:6]
    x, y, angle, end_x, end_y, end_angle, _, _ = way
    return x + (end_x - x) * time, y + (end_y - y) * time, angle + (end_angle - angle) * time


def shifted(place: Place, parting: Place | None, part: float) -> Place:
    """Return a place that is a part of a parting further, if there is one."""
    if parting is None:
        return place
    (x, y, angle), (across, up, turn) = place, parting
    return x + part * across, y + part * up, angle + part * turn


class Pair(NamedTuple):
    """A part of a body and a part of another one; the core of the first is what is swept."""

    way: Way
    part: Part
    other_way: Way
    other: Part

    @property
    def is_sensed(self) -> bool:
        """Whether nothing comes of it but that it is told."""
        return bool(self.part.shape.sensor or self.other.shape.sensor)

    def ways_after(self, begin: float) -> Ways:
        """Return the ways of both from a time on."""
        return self.way.after(begin), self.other_way.after(begin)

    def turns(self, ways: Ways) -> bool:
        """Whether one of them turns, other than a wheel."""
        one, other = ways
        return (one[2] != one[5] and self.part.reach > 0.0) or (other[2] != other[5] and self.other.reach > 0.0)

    def touch(self, solid: Solid, ways: Ways) -> Touch | None:
        """Return how the first one, as its solid or as its core, strikes the other; in the time of their ways."""
        way, other_way = ways
        if _miss(way, other_way, self.part.extent + self.other.extent):
            return None
        return touch(solid, way, self.other.solid, other_way)

    def time_of_depth(self, ways: Ways, first: float, speed: float, limit: float) -> float | None:
        """Return up to when they are in each other by no more than a limit; None if they are so until the step is over.

        Parameters
        ----------
        ways
            Their ways from when on it is looked at.
        first
            The part of these up to which nothing can be.
        speed
            How fast any two of their points can approach, at the most.
        limit
            The depth. Who begins deeper than that may be as deep, and hardly deeper: a flipper whose pivot is in a wall
            can turn, and what is pressed into a wall is put out by Pymunk faster than it gets in.

        Returns
        -------
        float or None
            A part of their ways, never late; and early where it would take many steps.

        Notes
        -----
        Conservative advancement, as in `impinge.time_of_impact`, but into each other.
        """
        time, most = first, limit
        for step in range(MOST_STEPS):
            poses = [im.Pose(*at(way, time)) for way in ways]
            apart = im.distance(self.part.core, poses[0], self.other.solid, poses[1]).distance
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
        """Return how fast they approach where they touch, and how much faster any other point could, by turning.

        Without a touch the former is how fast they approach in any direction.
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
        return (math.hypot(across, up) if touched is None else swing + across * nx + up * ny), turning

    def distance(self, ways: Ways) -> float:
        """Return how far they are apart where their ways begin; less than zero: how deep they are in each other."""
        one, other = (im.Pose(*way[:3]) for way in ways)
        return im.distance(self.part.core, one, self.other.solid, other).distance

    def begins_overlapping(self, ways: Ways) -> bool:
        """Whether they overlap where their ways begin, or as good as that."""
        (x, y, *_), (other_x, other_y, *_) = ways
        if math.hypot(x - other_x, y - other_y) > self.part.extent + self.other.extent + self.part.thickness:
            return False
        return self.distance(ways) <= self.part.margin + CLOSE * self.part.thickness

    def ends_overlapping(self, ways: Ways) -> bool:
        """Whether they overlap when the step is over."""
        one, other = (im.Pose(*way[3:6]) for way in ways)
        return im.overlaps(self.part.core, one, self.other.solid, other)


class Strike(NamedTuple):
    """A pair that strikes each other, and the direction from the first one to the other."""

    pair: Pair
    normal: Vector

    def is_over(self) -> bool:
        """Whether they go apart by now; of those that turn, other than wheels, that is not sure."""
        (way, part, other_way, other), (nx, ny) = self.pair, self.normal
        _, _, _, x, y, spin = figures_of(way.body)
        _, _, _, other_x, other_y, other_spin = figures_of(other_way.body)
        is_turning = (spin != 0.0 and part.reach > 0.0) or (other_spin != 0.0 and other.reach > 0.0)
        return not is_turning and (x - other_x) * nx + (y - other_y) * ny < 0.0

    def is_left(self, here: Place, pace: Sequence[float]) -> bool:
        """Whether the first one, which is here by now and goes on at a pace, cannot strike the other: that stands.

        All of the other is on one side of where they have touched, and the first one goes to the other side.
        """
        (way, part, other_way, _), (nx, ny) = self.pair, self.normal
        (x, y, _), (sent_x, sent_y, _) = here, way.stand
        # What is pushed on by others, beyond where it was stopped, is looked at again.
        if pace[0] * nx + pace[1] * ny >= 0.0 or (x - sent_x) * nx + (y - sent_y) * ny > part.margin:
            return False
        stands = other_way.course[:3] == other_way.course[3:6] == figures_of(other_way.body)[:3]
        return stands and other_way.center == (0.0, 0.0)


def are_filtered(a: pymunk.ShapeFilter, b: pymunk.ShapeFilter) -> bool:
    """Whether two filters keep their shapes from meeting."""
    return (a.group != 0 and a.group == b.group) or (a.categories & b.mask) == 0 or (b.categories & a.mask) == 0


def are_joined(a: pymunk.Body, b: pymunk.Body) -> bool:
    """Whether a constraint between two bodies keeps them from colliding."""
    space = a.space
    # Most spaces have none at all, and that is told sooner.
    if space is None or not space.constraints:
        return False
    return any(not joint.collide_bodies and b in (joint.a, joint.b) for joint in a.constraints)


@lru_cache(REMEMBERED)
def thickness(solid: Solid) -> float:
    """Return half of the smallest width of a convex solid, at most: what is no deeper in it knows its way out.

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
    """Return a convex solid that is thinner all around, by a margin that is at most half of its thickness.

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
    # Drawn towards the middle: a corner gives way by more than a side, as it does where shapes rest on each other.
    (x, y), keeps = _middle(vertices), 1.0 - margin / _inradius(vertices)
    return im.Polygon([(x + keeps * (px - x), y + keeps * (py - y)) for px, py in vertices], solid.radius)


@lru_cache(REMEMBERED)
def about(solid: Solid, center: Vector) -> Solid:
    """Return a solid in a frame with another origin."""
    if center == (0.0, 0.0):
        return solid
    return im.Compound([(solid, im.Pose(-center[0], -center[1]))])


@lru_cache(REMEMBERED)
def extent(solid: Solid) -> float:
    """Return how far from the origin a solid reaches, at the most."""
    left, bottom, right, top = solid.bounds(im.Pose(0.0, 0.0))
    return math.hypot(max(-left, right), max(-bottom, top))


def _middle(vertices: tuple[Vector, ...]) -> Vector:
    return sum(x for x, _ in vertices) / len(vertices), sum(y for _, y in vertices) / len(vertices)


def _inradius(vertices: tuple[Vector, ...]) -> float:
    """Return how far the middle of a convex polygon is from its nearest side."""
    x, y = _middle(vertices)
    return min(
        abs((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / math.hypot(bx - ax, by - ay)
        for (ax, ay), (bx, by) in _sides(vertices)
    )


def _sides(vertices: tuple[Vector, ...]) -> Iterator[tuple[Vector, Vector]]:
    return pairwise((*vertices, vertices[0]))
