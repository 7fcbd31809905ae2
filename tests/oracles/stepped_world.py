"""Bodies of any shape that push each other, in small steps: the oracle for the push rule with all shapes.

It has no events and solves no equation of motion. A frame is cut into equal steps. In each step all bodies move, the
mightiest first, and a weak body that has entered mightier ones leaves by the shortest way. The weak body is treated as
a point, and each mighty one as an obstacle: the Minkowski difference of both, from Shapely. So no seam between two
convex pieces is a corner, and round shapes stay round.

The end differs from that of the rule by about one step's distance. So two numbers of steps show how far it can be
trusted: see `settled`. It supports the response "push" only, nothing sticky or passable, and no walkers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import shapely
from numpy.typing import NDArray

import impinge as im
from impinge import Side
from shapely_solids import leaves, placing

Floats: TypeAlias = NDArray[np.float64]
Vector: TypeAlias = tuple[float, float]

# In the game's units, for scenes some 1 to 100 across: a smaller depth is no overlap.
TOLERANCE = 1e-9
# Cuts in one step: each new one is the tangent of what the position still overlaps, and some three are enough.
CUT_LIMIT = 40
# A body has no room if a step needs more than this many times the distance of the fastest body. Out of a wedge, a body
# flies at the speed of the scissors, which is that much faster than the blades.
WAY_LIMIT = 50.0
# Two contacts of one body with normals nearer than this are one.
SAME_NORMAL = 0.1
# Arc segments of whole obstacles, which only serve for the way out at the frame's start.
QUAD_SEGS = 256


@dataclass(frozen=True)
class Actor:
    """A body and its goal, as a `World` takes it."""

    shape: Any
    start: im.Pose
    goal: im.Pose
    might: int = 0
    carrying: Side = Side.ALL

    @property
    def reach(self) -> float:
        """Return how far it reaches from its origin."""
        return max(
            shapely.hausdorff_distance(core, shapely.Point(0, 0)) + radius for core, radius in leaves(self.shape)
        )


@dataclass
class Outcome:
    """The result for one body.

    Attributes
    ----------
    x, y
        Its end position.
    time
        The end of the step in which it was first pushed; None if it never was.
    sides
        Its sides that were pushed. Where it slid round a corner, this may include a side that the rule does not report.
    stuck
        Whether it had no room at some time.
    mixed
        Whether two contacts carried it that were neither parallel nor perpendicular.
    """

    x: float
    y: float
    time: float | None = None
    sides: Side = Side.NONE
    stuck: bool = False
    mixed: bool = False


class Cut(NamedTuple):
    """A constraint: the weak body must stay where ``normal . place >= level``, or it overlaps a body."""

    normal: Vector
    level: float
    body: int


class Contact(NamedTuple):
    normal: Vector
    body: int


class Obstacle:
    """Forbidden positions for the origin of a weak solid, relative to the origin of a mighty one."""

    def __init__(self, mighty: Any, weak: Any) -> None:
        self._pieces: dict[float, list[tuple[Floats, Floats]]] = {}
        for core, radius in leaves(mighty):
            for other, more in leaves(weak):
                self._pieces.setdefault(radius + more, []).extend(
                    (one, two) for one in _convex(core) for two in _convex(other)
                )
        self._angles: Vector = (math.nan, math.nan)
        self._cores: list[tuple[Any, Any, float]] = []

    def at(self, mighty_angle: float, weak_angle: float) -> list[tuple[Any, Any, float]]:
        """Return the cores of the obstacle, the boundary of each to keep away from, and the distance to keep."""
        if self._angles != (mighty_angle, weak_angle):
            self._angles = (mighty_angle, weak_angle)
            self._cores = []
            for radius, pieces in self._pieces.items():
                hulls = [
                    shapely.convex_hull(
                        shapely.multipoints((_turned(a, mighty_angle)[:, None] - _turned(b, weak_angle)).reshape(-1, 2))
                    )
                    for a, b in pieces
                ]
                # A core without area has no inside, and Shapely has no border for a mixture of both kinds.
                for has_area in (True, False):
                    alike = [hull for hull in hulls if (hull.area > 0.0) == has_area]
                    if alike:
                        core = shapely.union_all(alike)
                        border = core.boundary if has_area else core
                        shapely.prepare(core)
                        shapely.prepare(border)
                        self._cores.append((core, border, radius))
        return self._cores

    def whole(self, mighty_angle: float, weak_angle: float) -> Any:
        """Return the obstacle as one geometry; its arcs are drawn a little inside the circles."""
        return shapely.union_all(
            [
                core.buffer(radius, QUAD_SEGS) if radius else core
                for core, _, radius in self.at(mighty_angle, weak_angle)
            ]
        )

    def gap(self, mighty_angle: float, weak_angle: float, x: float, y: float) -> tuple[float, Vector, float]:
        """Return the distance (below zero for an overlap), the normal, and the level along it of the contact."""
        deepest: tuple[float, Vector, float] = (math.inf, (0.0, 0.0), 0.0)
        for core, border, radius in self.at(mighty_angle, weak_angle):
            (near_x, near_y), _ = shapely.get_coordinates(shapely.shortest_line(border, shapely.Point(x, y))).tolist()
            distance = math.hypot(x - near_x, y - near_y)
            sign = -1.0 if core is not border and shapely.contains_xy(core, x, y) else 1.0
            if sign * distance - radius < deepest[0]:
                normal = (sign * (x - near_x) / distance, sign * (y - near_y) / distance) if distance else (0.0, 0.0)
                deepest = sign * distance - radius, normal, normal[0] * near_x + normal[1] * near_y + radius
        return deepest


def gap(a: Any, pose_a: im.Pose, b: Any, pose_b: im.Pose) -> float:
    """Return the distance of two posed solids; below zero the length of the shortest separation."""
    return Obstacle(a, b).gap(pose_a.angle, pose_b.angle, pose_b.x - pose_a.x, pose_b.y - pose_a.y)[0]


def stepped(actors: Sequence[Actor], steps: int) -> list[Outcome]:
    """Run a frame of some bodies in steps."""
    run = _Run(actors, steps)
    for step in range(1, steps + 1):
        run.step(step)
    return run.outcomes


def settled(actors: Sequence[Actor], steps: int, share: float = 4.0) -> list[tuple[Outcome, float]]:
    """Return the result for each body, and how far its end may be off. It also runs with fewer steps.

    The remaining error is at most as large as what the last refinement removed. Where fewer steps took another path,
    such as round the other side of a corner, it is large.
    """
    coarse, fine = stepped(actors, round(steps / share)), stepped(actors, steps)
    return [
        (after, math.hypot(after.x - before.x, after.y - before.y)) for before, after in zip(coarse, fine, strict=True)
    ]


@dataclass
class _Body:
    """A moving body: its position, its motion in the last step, and its contacts."""

    actor: Actor
    x: float
    y: float
    angle: float
    reach: float
    own: Vector = (0.0, 0.0)
    target: Vector = (0.0, 0.0)
    velocity: Vector = (0.0, 0.0)
    spin: float = 0.0
    contacts: list[Contact] = field(default_factory=list)
    mightier: list[int] = field(default_factory=list)


def _velocity_at(body: _Body, x: float, y: float) -> Vector:
    """Return the velocity of a body's surface at a position."""
    return body.velocity[0] - body.spin * (y - body.y), body.velocity[1] + body.spin * (x - body.x)


class _Run:
    """One frame of some bodies."""

    def __init__(self, actors: Sequence[Actor], steps: int) -> None:
        self.steps = steps
        self.bodies = [_Body(actor, actor.start.x, actor.start.y, actor.start.angle, actor.reach) for actor in actors]
        self.outcomes = [Outcome(0.0, 0.0) for _ in actors]
        self.order = sorted(range(len(actors)), key=lambda body: -actors[body].might)
        for weak in self.order:
            self.bodies[weak].mightier = [body for body in self.order if actors[body].might > actors[weak].might]
        self.obstacles = {
            (mighty, weak): Obstacle(actors[mighty].shape, actors[weak].shape)
            for weak in self.order
            for mighty in self.bodies[weak].mightier
        }
        for weak in self.order:
            self._leave(weak)
            body = self.bodies[weak]
            body.own = body.target = (body.actor.goal.x - body.x, body.actor.goal.y - body.y)
            body.spin = body.actor.goal.angle - body.actor.start.angle

    def step(self, step: int) -> None:
        for weak in self.order:
            body = self.bodies[weak]
            body.angle = body.actor.start.angle + body.spin * (step / self.steps)
            body.target = self._target(weak)
            x, y = body.x + body.target[0] / self.steps, body.y + body.target[1] / self.steps
            new_x, new_y = self._kept_out(weak, x, y)
            body.velocity = (new_x - body.x) * self.steps, (new_y - body.y) * self.steps
            body.x, body.y = new_x, new_y
            outcome = self.outcomes[weak]
            outcome.x, outcome.y = new_x, new_y
            for normal, _ in body.contacts:
                outcome.sides |= touched_side(normal)
            if body.contacts and outcome.time is None:
                outcome.time = step / self.steps

    def _target(self, weak: int) -> Vector:
        """Return its own velocity, plus that of the surfaces along carrying contacts: the mightiest first."""
        body = self.bodies[weak]
        target = body.own
        taken: list[Vector] = []
        for (normal_x, normal_y), mighty in body.contacts:
            carrier = self.bodies[mighty]
            cos, sin = math.cos(carrier.angle), math.sin(carrier.angle)
            in_its_frame = cos * normal_x + sin * normal_y, cos * normal_y - sin * normal_x
            if not touched_side(in_its_frame).opposite & carrier.actor.carrying:
                continue
            place = self._place_of_contact(weak, mighty, (normal_x, normal_y))
            if place is None:
                continue
            surface_x, surface_y = _velocity_at(carrier, *place)
            # Its own rotation also decides whether it presses.
            turn_x, turn_y = -body.spin * (place[1] - body.y), body.spin * (place[0] - body.x)
            closing = normal_x * (surface_x - turn_x) + normal_y * (surface_y - turn_y)
            if all(normal_x * x + normal_y * y >= closing for x, y in (body.own, body.target)):
                continue
            crossings = [abs(normal_x * y - normal_y * x) for x, y in taken]
            if any(crossing < 1e-3 for crossing in crossings):
                continue
            self.outcomes[weak].mixed |= any(crossing < 1 - 1e-6 for crossing in crossings)
            taken.append((normal_x, normal_y))
            along = normal_x * surface_y - normal_y * surface_x
            target = target[0] - normal_y * along, target[1] + normal_x * along
        return target

    def _place_of_contact(self, weak: int, mighty: int, normal: Vector) -> Vector | None:
        """Return where the mighty body's surface touches the weak one, or None beyond the end of the cut's edge.

        Along a straight face the velocity is the same everywhere: any of several nearest points will do.
        """
        body, carrier = self.bodies[weak], self.bodies[mighty]
        nearest, place = math.inf, (carrier.x, carrier.y)
        for core, radius in self._leaves(mighty):
            for other, more in self._leaves(weak):
                line = shapely.shortest_line(core, other)
                if line.length - radius - more < nearest:
                    nearest = line.length - radius - more
                    at_x, at_y = shapely.get_coordinates(line)[0].tolist()
                    place = at_x + radius * normal[0], at_y + radius * normal[1]
        return place if nearest < 0.1 * (body.reach + carrier.reach) else None

    def _leaves(self, body: int) -> Iterable[tuple[Any, float]]:
        stands = self.bodies[body]
        place = placing(im.Pose(stands.x, stands.y, stands.angle))
        return [(shapely.transform(core, place), radius) for core, radius in leaves(stands.actor.shape)]

    def _gap(self, weak: int, mighty: int, x: float, y: float) -> tuple[float, Vector, float]:
        body, other = self.bodies[weak], self.bodies[mighty]
        if math.hypot(x - other.x, y - other.y) > body.reach + other.reach:
            return math.inf, (0.0, 0.0), 0.0
        depth, normal, level = self.obstacles[mighty, weak].gap(other.angle, body.angle, x - other.x, y - other.y)
        return depth, normal, level + normal[0] * other.x + normal[1] * other.y

    def _kept_out(self, weak: int, x: float, y: float) -> Vector:
        """Return the place nearest to (x, y) at which it overlaps nothing mightier, and record its contacts."""
        body = self.bodies[weak]
        others = [self.bodies[mighty] for mighty in body.mightier]
        speed = math.hypot(*body.target) + abs(body.spin) * body.reach
        speed += max((math.hypot(*other.velocity) + abs(other.spin) * other.reach for other in others), default=0.0)
        ways = WAY_LIMIT * speed / self.steps + TOLERANCE
        left_out: set[int] = set()
        cuts: list[Cut] = []
        place: Vector | None = (x, y)
        for _ in range(CUT_LIMIT):
            assert place is not None
            gaps = [(*self._gap(weak, mighty, *place), mighty) for mighty in body.mightier if mighty not in left_out]
            depth, normal, level, mighty = min(gaps, default=(0.0, (0.0, 0.0), 0.0, -1), key=lambda gap: gap[0])
            if depth >= -TOLERANCE:
                break
            cuts.append(Cut(normal, level, mighty))
            place = nearest_within((x, y), cuts)
            if place is None or math.hypot(place[0] - x, place[1] - y) > ways:
                # No room. It stays out of the mightiest body; among equals, out of the one that was added first.
                self.outcomes[weak].stuck = True
                left_out.add(max((cut.body for cut in cuts), key=body.mightier.index))
                cuts, place = [], (x, y)
        else:
            self.outcomes[weak].stuck = True
        assert place is not None
        body.contacts = self._contacts(weak, cuts, place)
        return place

    def _contacts(self, weak: int, cuts: Sequence[Cut], place: Vector) -> list[Contact]:
        """Return the contacts among the cuts: of each body the last cut per normal, the mightiest bodies first."""
        contacts: list[Contact] = []
        for normal, level, body in reversed(cuts):
            holds = normal[0] * place[0] + normal[1] * place[1] - level < 10 * TOLERANCE
            is_new = all(body != other.body or math.dist(normal, other.normal) > SAME_NORMAL for other in contacts)
            if holds and is_new:
                contacts.append(Contact(normal, body))
        return sorted(contacts, key=lambda contact: self.bodies[weak].mightier.index(contact.body))

    def _leave(self, weak: int) -> None:
        """Move it the shortest way out of bodies that it starts in: the mightiest first, of equals the deepest."""
        body = self.bodies[weak]
        might = {mighty: self.bodies[mighty].actor.might for mighty in body.mightier}
        left: set[int] = set()

        def overlapped() -> dict[int, float]:
            gaps = {mighty: self._gap(weak, mighty, body.x, body.y)[0] for mighty in body.mightier}
            return {mighty: depth for mighty, depth in gaps.items() if depth < -TOLERANCE}

        while inside := {mighty: depth for mighty, depth in overlapped().items() if mighty not in left}:
            chosen = min(inside, key=lambda mighty: (-might[mighty], inside[mighty], mighty))
            other, before = self.bodies[chosen], (body.x, body.y)
            obstacle = self.obstacles[chosen, weak].whole(other.angle, body.angle)
            way = shapely.shortest_line(obstacle.boundary, shapely.Point(body.x - other.x, body.y - other.y))
            x, y = shapely.get_coordinates(way)[0].tolist()
            body.x, body.y = other.x + x, other.y + y
            left.add(chosen)
            self.outcomes[weak].time = 0.0
            self.outcomes[weak].sides |= touched_side((body.x - before[0], body.y - before[1]))
            taboo = [mighty for mighty in overlapped() if mighty != chosen and might[mighty] >= might[chosen]]
            if any(mighty in left or mighty not in inside or might[mighty] > might[chosen] for mighty in taboo):
                body.x, body.y = before
                self.outcomes[weak].stuck = True


def touched_side(normal: Vector) -> Side:
    """Return the side of the weak body that is touched. The normal points from the mighty body to the weak one."""
    if abs(normal[1]) >= abs(normal[0]):
        return Side.BOTTOM if normal[1] > 0.0 else Side.TOP
    return Side.LEFT if normal[0] > 0.0 else Side.RIGHT


def nearest_within(place: Vector, cuts: Sequence[Cut]) -> Vector | None:
    """Return the place within all cuts that is nearest to another one; None if there is none.

    It is that place itself, its projection on one border, or a crossing of two borders: few enough to try them all.
    """

    def is_within(x: float, y: float) -> bool:
        return all(normal[0] * x + normal[1] * y >= level - 1e-12 * (1 + abs(level)) for normal, level, _ in cuts)

    if is_within(*place):
        return place
    found: list[Vector] = []
    for (x, y), level, _ in cuts:
        lacking = level - x * place[0] - y * place[1]
        found.append((place[0] + lacking * x, place[1] + lacking * y))
    for ((x, y), level, _), ((other_x, other_y), other_level, _) in combinations(cuts, 2):
        across = x * other_y - y * other_x
        if abs(across) > 1e-9:
            found.append(((level * other_y - other_level * y) / across, (x * other_level - other_x * level) / across))
    found = [crossing for crossing in found if is_within(*crossing)]
    return min(found, key=lambda crossing: math.dist(crossing, place), default=None)


def _turned(corners: Floats, angle: float) -> Floats:
    cos, sin = math.cos(angle), math.sin(angle)
    return corners @ np.array([[cos, sin], [-sin, cos]])


def _convex(core: Any) -> list[Floats]:
    if core.geom_type != "Polygon":
        return [shapely.get_coordinates(core)]
    ring = shapely.get_coordinates(core)[:-1]
    if shapely.area(shapely.convex_hull(core)) <= core.area * (1 + 1e-12):
        return [ring]
    return [shapely.get_coordinates(part)[:-1] for part in shapely.constrained_delaunay_triangles(core).geoms]
