"""Rigid bodies with several impacts in one frame: each impact changes their velocities.

For about a dozen bodies that move straight between impacts. Not for stacks at rest, joints or gravity within the frame:
physics engines do these.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np

from impinge.checks import coordinate, finite, point, positive
from impinge.errors import ShapeError
from impinge.motion import Motion, Pose
from impinge.query.impacts import Impact, time_of_impact
from impinge.shapes.solids import Circle, Solid, Vector, checked_solid

__all__ = ["Bounce", "Bounced", "RigidBody", "bounce"]

_Matrix: TypeAlias = Sequence[Sequence[float]]
_Speeds: TypeAlias = tuple[float, float, float]
_Push: TypeAlias = tuple[float, float, float, float]

_CENTROID_TOLERANCE = 1e-6
"""Largest distance of the centroid from the origin, in sizes of the shape, that counts as the game's rounding."""

_SPEED_ROUNDING = 64 * 2.0**-52
"""A sum of speeds that is less than this part of the sum of their sizes is rounding, and counts as zero."""

_SINGULAR = 1e-12
"""A pivot that is a difference, and less than this part of its terms, is only rounding. Two points at a distance of a
millionth of the size reach it, and count as one."""

_FIRST_RETRY_DELAY = 2.0**-20
"""Part of the frame. The search for an impact of bodies that overlap and do not approach continues after this time,
then after twice this time, and so on."""

_SHORTEST_HOP = 2.0**-3
"""Part of the frame. A turning body pushes another one along in hops of at least this duration."""

_HIGHER_RESTITUTIONS = 2.0**-4, 2.0**-2, 1.0
"""Higher restitutions to try if that of the bodies makes hops that are too short."""

_SIMULTANEITY = 1e-6
"""Part of the frame within which impacts count as simultaneous."""

_MAX_SIMULTANEOUS_IMPACTS = 10
"""Simultaneous impacts of a pair with its own restitution and friction. Further ones are elastic and frictionless, so
that they end. Each impact without restitution halves the speed of equal masses: ten leave a thousandth to bounce."""

_INERTIA_CACHE_SIZE = 1024
"""Size of the cache of inertias: more shapes than a game has, at some 100 bytes each."""


@dataclass(frozen=True, slots=True)
class RigidBody:
    """A moving solid with its mass, restitution and friction.

    Parameters
    ----------
    shape
        The solid.
    pose
        Pose at the start of the frame. Its place is the centre of mass, around which the body turns.
    velocity
        Velocity of the centre of mass, in units per frame.
    spin
        Angular velocity, in radians per frame, counter-clockwise.
    mass
        Mass, in any unit, the same for all bodies. If it is infinite, no impact changes the velocity: a wall that
        stands still, or keeps its velocity.
    inertia
        Moment of inertia around the centre of mass, in units of mass times length squared. If it is infinite, no impact
        changes the spin. None, the default, is infinite for an infinite mass, else that of the shape with uniform
        density. A finite inertia with an infinite mass makes a hinge: a door, or a flipper.
    restitution
        Part of the normal speed that an impact keeps, from 0 to 1. The larger value of two bodies counts.
    friction
        Coefficient of Coulomb's law. The square root of the product of two bodies' values counts, so a body with 0 has
        no friction with any other.

    Raises
    ------
    ShapeError
        If an argument is not of its type or out of its range. Also if the inertia must follow from the shape, and the
        centroid of the shape is not at its own origin.

    Notes
    -----
    The inertia of a shape is exact, in closed form: for a rounded convex piece by Steiner's decomposition, for the
    union of several pieces by vertical slabs, like its area (see `impinge.shapes.measures`).

    Examples
    --------
    >>> from impinge import Box, Polygon
    >>> crate = RigidBody(Box(2, 2), Pose(0, 5), velocity=(0, -10), mass=3)
    >>> ground = RigidBody(Box(100, 2), Pose(0, -1))

    To centre a shape, subtract its centroid from its points. Its pose then is the place of the centroid:

    >>> outline = [(0, 0), (6, 0), (0, 3)]
    >>> x, y = Polygon(outline).centroid
    >>> sail = Polygon([(px - x, py - y) for px, py in outline])
    >>> RigidBody(sail, Pose(2, 1), mass=1).pose
    Pose(x=2.0, y=1.0, angle=0.0)
    """

    shape: Solid
    pose: Pose
    velocity: Vector = (0.0, 0.0)
    spin: float = 0.0
    mass: float = math.inf
    inertia: float | None = None
    restitution: float = 1.0
    friction: float = 0.0

    def __post_init__(self) -> None:
        checked_solid("shape", self.shape)
        if not isinstance(self.pose, Pose):
            raise ShapeError(f"pose must be a Pose, got {self.pose!r}")
        checked = {
            "velocity": point("velocity", self.velocity),
            "spin": coordinate("spin", self.spin),
            "mass": _positive_or_infinite("mass", self.mass),
            "restitution": finite("restitution", self.restitution),
            "friction": coordinate("friction", self.friction),
        }
        if not 0.0 <= self.restitution <= 1.0:
            raise ShapeError(f"restitution must be from 0 to 1, got {self.restitution!r}")
        if self.friction < 0.0:
            raise ShapeError(f"friction must not be negative, got {self.friction!r}")
        if self.inertia is not None:
            checked["inertia"] = _positive_or_infinite("inertia", self.inertia)
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        self.moment_of_inertia  # noqa: B018  raises an invalid shape's error here rather than in the first frame

    @property
    def moment_of_inertia(self) -> float:
        """Return the effective moment of inertia around the centre of mass: `inertia`, or that of the shape.

        >>> from impinge import Box, Circle
        >>> RigidBody(Circle(2), Pose(0, 0), mass=3).moment_of_inertia
        6.0
        >>> RigidBody(Box(3, 4), Pose(0, 0)).moment_of_inertia
        inf
        """
        if self.inertia is not None:
            return self.inertia
        return math.inf if self.mass == math.inf else self.mass * _squared_gyration(self.shape)


class Bounce(NamedTuple):
    """One impact of a frame.

    Attributes
    ----------
    time
        Time of the impact, from 0 to 1.
    a, b
        Indices of the bodies in the sequence; a is less than b.
    impact
        Contact of the impact, with the same time.
    impulse
        Impulse on b, in units of mass times speed; that on a is its opposite.

    Examples
    --------
    >>> from impinge import Circle
    >>> ball = RigidBody(Circle(1), Pose(0, 0), velocity=(8, 0), mass=2)
    >>> target = RigidBody(Circle(1), Pose(4, 0), mass=2)
    >>> hit = bounce([ball, target]).bounces[0]
    >>> hit.time, hit.a, hit.b, hit.impact.point, hit.impulse
    (0.25, 0, 1, (3.0, 0.0), (16.0, 0.0))
    """

    time: float
    a: int
    b: int
    impact: Impact
    impulse: Vector


@dataclass(frozen=True, slots=True)
class Bounced:
    """The result of a frame.

    Attributes
    ----------
    bodies
        The bodies in the given order, at `time`.
    bounces
        The impacts in order of time.
    time
        1.0 if the frame is complete. Less if there were more impacts than allowed: the time of the next one.
    """

    bodies: tuple[RigidBody, ...]
    bounces: tuple[Bounce, ...]
    time: float


def bounce(bodies: Sequence[RigidBody], *, most: int = 64) -> Bounced:
    """Move rigid bodies through one frame, from impact to impact.

    Parameters
    ----------
    bodies
        The bodies at the start of the frame. Pairs that no impact can change pass through each other.
    most
        Largest number of impacts. The frame is cut short at the time of the next one. A ball between two walls that
        close in has infinitely many.

    Raises
    ------
    ShapeError
        If an argument is not of its type, or a body would leave the limits of coordinates.

    Notes
    -----
    Event driven (Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996): the earliest impact of all
    pairs is resolved, and only pairs with one of its bodies are swept again. Simultaneous impacts are resolved in the
    order of the sequence, so a ball that reaches two others at once hits the first of them first.

    Impulses at the contact points change the velocities (Hecker, "Physics, Part 3: Collision Response", 1997). By
    Newton's law of restitution, points separate at no less than `restitution` times their approach speed. Normal
    impulses never pull. Both ends of a contact stretch are solved together, as a linear complementarity problem, so a
    box that lands flat stays flat. At the same time, Coulomb's law stops the sliding, or slows it down by `friction`
    times the normal impulse. In rare cases, both laws together would add energy (Kane and Levinson, "Dynamics: Theory
    and Applications", 1985; Stronge, "Unraveling Paradoxical Theories for Rigid Body Collisions", 1991). Then the
    restitution is the highest that adds none. So no impact adds energy, except that of a moving wall.

    Bodies that overlap at the start by more than the slop have an impact at time 0, if they approach along the shortest
    way out, or at the first time at which they do. Otherwise they pass through each other until they are apart.
    Velocities change, but no place ever jumps.

    There are only impacts, and no forces between them. A turning body that would stay in contact with another pushes it
    along in hops. For these, the restitution is raised as far as necessary, to at most 1. After ten simultaneous
    impacts of a pair, as in a stack that lands without restitution, further ones are elastic and frictionless, so that
    they end. Bodies that rest on each other or are squeezed may still need more impacts than `most`, in each frame.

    Examples
    --------
    A ball of radius 1 crosses three times between two walls in a frame:

    >>> from impinge import Box, Circle
    >>> ball = RigidBody(Circle(1), Pose(0, 0), velocity=(32, 0), mass=1)
    >>> walls = [RigidBody(Box(2, 20), Pose(-6, 0)), RigidBody(Box(2, 20), Pose(6, 0))]
    >>> after = bounce([ball, *walls])
    >>> [hit.time for hit in after.bounces]
    [0.125, 0.375, 0.625, 0.875]
    >>> after.bodies[0].pose, after.bodies[0].velocity
    (Pose(x=0.0, y=0.0, angle=0.0), (32.0, 0.0))
    """
    given = _checked_bodies(bodies)
    allowed = _checked_most(most)
    frame = _Frame(given)
    bounces: list[Bounce] = []
    time = 1.0
    while (due := frame.next_due()) is not None:
        if len(bounces) == allowed:
            time = due.time
            break
        impulse = frame.strike(due)
        bounces.append(Bounce(due.time, due.a, due.b, due.impact._replace(time=due.time), impulse))
    return Bounced(tuple(flight.body_at(time) for flight in frame.flights), tuple(bounces), time)


class _Flight:
    """The straight motion of a body since its last impact."""

    asked: float | None = None
    rest: Motion

    def __init__(self, body: RigidBody) -> None:
        self.body = body
        self.x, self.y, self.angle = body.pose.x, body.pose.y, body.pose.angle
        self.vx, self.vy = body.velocity
        self.spin = body.spin
        self.since = 0.0
        self.strikes = 0
        self.inverse_mass = 1.0 / body.mass
        self.inverse_inertia = 1.0 / body.moment_of_inertia
        self.yields = self.inverse_mass > 0.0 or self.inverse_inertia > 0.0

    @property
    def moves(self) -> bool:
        return self.vx != 0.0 or self.vy != 0.0 or self.spin != 0.0

    @property
    def turns(self) -> bool:
        return self.spin != 0.0 and not isinstance(self.body.shape, Circle)

    def place_at(self, time: float) -> Vector:
        flown = time - self.since
        return self.x + flown * self.vx, self.y + flown * self.vy

    def pose_at(self, time: float) -> Pose:
        return Pose(*self.place_at(time), self.angle + (time - self.since) * self.spin)

    def rest_from(self, time: float) -> Motion:
        """Return the motion through the rest of the frame, cached for the sweeps with all other bodies."""
        if self.asked is None or (self.asked != time and self.moves):
            self.asked, self.rest = time, Motion(self.pose_at(time), self.pose_at(1.0))
        return self.rest

    def begin_at(self, time: float) -> _Speeds:
        """Begin a new motion at the current pose, unless no impulse can change this one; return the speeds."""
        if self.yields:
            self.x, self.y = self.place_at(time)
            self.angle += (time - self.since) * self.spin
            self.since = time
            self.strikes += 1
        return self.vx, self.vy, self.spin

    def go(self, speeds: _Speeds, pushes: Sequence[_Push] = ()) -> None:
        """Continue at some speeds, changed by impulses."""
        vx, vy, spin = speeds
        self.vx = _without_rounding(vx, [size * dx * self.inverse_mass for size, dx, _, _ in pushes])
        self.vy = _without_rounding(vy, [size * dy * self.inverse_mass for size, _, dy, _ in pushes])
        self.spin = _without_rounding(spin, [size * lever * self.inverse_inertia for size, _, _, lever in pushes])
        self.asked = None

    def body_at(self, time: float) -> RigidBody:
        body = self.body
        if self.strikes == 0 and not self.moves:
            return body
        return RigidBody(
            body.shape,
            self.pose_at(time),
            (self.vx, self.vy),
            self.spin,
            body.mass,
            body.inertia,
            body.restitution,
            body.friction,
        )


class _Row(NamedTuple):
    """The direction of an impulse at a contact point, and its levers around both centres of mass."""

    dx: float
    dy: float
    lever_a: float
    lever_b: float

    def speed(self, a: _Flight, b: _Flight) -> float:
        """Return the speed of b's contact point relative to a's, along this direction."""
        along = self.dx * (b.vx - a.vx) + self.dy * (b.vy - a.vy)
        return along + self.lever_b * b.spin - self.lever_a * a.spin

    def yielding(self, other: _Row, a: _Flight, b: _Flight) -> float:
        """Return the change of speed along this direction per unit of impulse along another one."""
        masses = (a.inverse_mass + b.inverse_mass) * (self.dx * other.dx + self.dy * other.dy)
        turned_a = a.inverse_inertia * self.lever_a * other.lever_a
        return masses + turned_a + b.inverse_inertia * self.lever_b * other.lever_b


class _Due(NamedTuple):
    """A predicted impact. Sorted by time, then by pair; no two of one pair have the same counts of strikes."""

    time: float
    a: int
    b: int
    strikes: tuple[int, int]
    impact: Impact
    normals: list[_Row]
    edge: _Row


class _Frame:
    """Moving bodies, and the queue of predicted impacts."""

    def __init__(self, bodies: Sequence[RigidBody]) -> None:
        self.flights = [_Flight(body) for body in bodies]
        self._queue: list[_Due] = []
        self._latest: dict[tuple[int, int], tuple[float, int]] = {}
        for a, b in combinations(range(len(bodies)), 2):
            self._ask(a, b, 0.0)

    def next_due(self) -> _Due | None:
        """Remove and return the earliest valid impact: one whose two bodies had no impact since its prediction."""
        while self._queue:
            due = heappop(self._queue)
            if due.strikes == (self.flights[due.a].strikes, self.flights[due.b].strikes):
                return due
        return None

    def strike(self, due: _Due) -> Vector:
        """Resolve an impact, predict the impacts that this changes, and return the impulse on b."""
        a, b = self.flights[due.a], self.flights[due.b]
        speeds_a, speeds_b = a.begin_at(due.time), b.begin_at(due.time)
        if self._count(due) > _MAX_SIMULTANEOUS_IMPACTS:
            restitutions: tuple[float, ...] = (1.0,)
            friction = 0.0
        else:
            own = max(a.body.restitution, b.body.restitution)
            restitutions = own, *(more for more in _HIGHER_RESTITUTIONS if more > own)
            friction = math.sqrt(a.body.friction * b.body.friction)
        impulse = 0.0, 0.0
        for restitution in restitutions:
            a.go(speeds_a)
            b.go(speeds_b)
            pushes = _impulses(a, b, due, restitution, friction)
            a.go(speeds_a, [(-size, row.dx, row.dy, row.lever_a) for row, size in pushes])
            b.go(speeds_b, [(size, row.dx, row.dy, row.lever_b) for row, size in pushes])
            impulse = math.fsum(size * row.dx for row, size in pushes), math.fsum(size * row.dy for row, size in pushes)
            if restitution == 1.0 or not self._meet_again(due):
                break
        for struck in (due.a, due.b):
            if self.flights[struck].yields:
                for other in range(len(self.flights)):
                    if other not in (due.a, due.b):
                        self._ask(min(struck, other), max(struck, other), due.time)
        self._ask(due.a, due.b, due.time)
        return impulse

    def _count(self, due: _Due) -> int:
        """Return the number of simultaneous impacts of the pair, including this one."""
        time, count = self._latest.get((due.a, due.b), (-math.inf, 0))
        count = count + 1 if due.time - time <= _SIMULTANEITY else 1
        self._latest[due.a, due.b] = due.time, count
        return count

    def _meet_again(self, due: _Due) -> bool:
        """Return whether a turning body hits the other again so soon that the impacts would never end."""
        if not (self.flights[due.a].turns or self.flights[due.b].turns):
            return False
        again = self._foretell(due.a, due.b, due.time)
        if again is None or again.time - due.time > _SHORTEST_HOP:
            return False
        (nx, ny), (mx, my) = due.impact.normal, again.impact.normal
        return nx * mx + ny * my > 0.5

    def _ask(self, index_a: int, index_b: int, time: float) -> None:
        due = self._foretell(index_a, index_b, time)
        if due is not None:
            heappush(self._queue, due)

    def _foretell(self, index_a: int, index_b: int, time: float) -> _Due | None:
        """Return the first impact of two bodies from a time on. Bodies in contact have one only if they approach."""
        a, b = self.flights[index_a], self.flights[index_b]
        glance = _FIRST_RETRY_DELAY
        while time < 1.0 and (a.yields or b.yields):
            impact = time_of_impact(a.body.shape, a.rest_from(time), b.body.shape, b.rest_from(time))
            if impact is None:
                break
            when = min(time + (1.0 - time) * impact.time, 1.0)
            normals, edge = _rows(a, b, when, impact)
            if _is_approaching(a, b, when, impact, normals):
                return _Due(when, index_a, index_b, (a.strikes, b.strikes), impact, normals, edge)
            time, glance = when + glance, 2.0 * glance
        return None


def _rows(a: _Flight, b: _Flight, time: float, impact: Impact) -> tuple[list[_Row], _Row]:
    """Return the impulse rows of an impact: along the normal at each point, and along the edge."""
    (nx, ny), (ax, ay), (bx, by) = impact.normal, a.place_at(time), b.place_at(time)

    def row(dx: float, dy: float, point: Vector) -> _Row:
        x, y = point
        return _Row(dx, dy, (x - ax) * dy - (y - ay) * dx, (x - bx) * dy - (y - by) * dx)

    # All points are on one line along the edge, so the place of the friction on it does not matter.
    return [row(nx, ny, point) for point in impact.points], row(-ny, nx, impact.point)


def _is_approaching(a: _Flight, b: _Flight, time: float, impact: Impact, normals: list[_Row]) -> bool:
    """Return whether two bodies approach at a contact point, by more than rounding, and an impulse can change that."""
    # A point far from the centre of mass moves fast across the normal. Rounding of the normal adds a part of that
    # speed.
    fastest = math.hypot(a.vx, a.vy) + math.hypot(b.vx, b.vy)
    for flight in (a, b):
        if flight.spin != 0.0:
            place = flight.place_at(time)
            fastest += abs(flight.spin) * max(math.dist(place, point) for point in impact.points)
    closing = min(row.speed(a, b) for row in normals)
    return closing < -_SPEED_ROUNDING * fastest and any(row.yielding(row, a, b) > 0.0 for row in normals)


def _without_rounding(speed: float, changes: Sequence[float]) -> float:
    """Return a speed after its changes, or zero if only rounding is left."""
    after = math.fsum((speed, *changes))
    return after if abs(after) > _SPEED_ROUNDING * math.fsum(map(abs, (speed, *changes))) else 0.0


def _impulses(a: _Flight, b: _Flight, due: _Due, restitution: float, friction: float) -> list[tuple[_Row, float]]:
    """Return the impulse rows of an impact and the size of the impulse along each."""
    rows = [*due.normals, due.edge] if friction > 0.0 else due.normals
    speeds = [row.speed(a, b) for row in rows]
    wanted = [restitution * max(-speed, 0.0) for speed, _ in zip(speeds, due.normals, strict=False)]
    yielding = [[one.yielding(other, a, b) for other in rows] for one in rows]
    sizes = _solve(yielding, speeds, wanted, friction)
    # One point without friction cannot add energy. This spares it the rounding of the correction.
    if len(rows) > 1 and restitution > 0.0 and _added_energy(yielding, speeds, sizes) > 0.0:
        dead = _solve(yielding, speeds, [0.0] * len(wanted), friction)
        sizes = _energy_neutral_impulses(yielding, speeds, dead, sizes)
    return list(zip(rows, sizes, strict=True))


def _solve(yielding: _Matrix, speeds: list[float], wanted: list[float], friction: float) -> list[float]:
    """Return the sizes of the impulses: along the normal at each point and, with friction, along the edge."""
    count = len(wanted)
    normal = [list(row[:count]) for row in yielding[:count]]
    excess = [speed - want for speed, want in zip(speeds, wanted, strict=False)]
    pivots = [row[i] for i, row in enumerate(normal)]
    if friction == 0.0:
        return _solve_complementarity(normal, excess, pivots) or [0.0] * count
    coupled, give, sliding = yielding[count][:count], yielding[count][count], speeds[count]
    if give > 0.0:
        shares = [one / give for one in coupled]
        held = [
            [k - share * one for k, one in zip(row, coupled, strict=True)]
            for row, share in zip(normal, shares, strict=True)
        ]
        sizes = _solve_complementarity(
            held, [q - share * sliding for q, share in zip(excess, shares, strict=True)], pivots
        )
        if sizes is not None:
            grip = -(sliding + _dot(coupled, sizes)) / give
            if abs(grip) <= friction * sum(sizes):
                return [*sizes, grip]
            # The contact slides on: friction has the direction of the impulse that would have stopped it.
            drag = math.copysign(friction, grip)
            slid = [[k + drag * one for k in row] for row, one in zip(normal, coupled, strict=True)]
            sizes = _solve_complementarity(slid, excess, pivots)
            if sizes is not None:
                return [*sizes, drag * sum(sizes)]
    # A body with a single degree of freedom, such as a hinge at a wall, cannot also be held against sliding.
    return [*(_solve_complementarity(normal, excess, pivots) or [0.0] * count), 0.0]


def _solve_complementarity(matrix: _Matrix, excess: Sequence[float], pivots: Sequence[float]) -> list[float] | None:
    """Solve a linear complementarity problem of one or two impulses.

    No impulse is negative, no excess is negative afterwards, and the excess is zero where the impulse is positive. If
    rounding makes every active set violate this, the one with the smallest violation counts.
    """
    if min(excess) >= 0.0:
        return [0.0] * len(excess)
    if len(excess) == 1:
        return [-excess[0] / matrix[0][0]] if matrix[0][0] > _SINGULAR * pivots[0] else None
    ((k00, k01), (k10, k11)), (q0, q1), (p0, p1) = matrix, excess, pivots
    choices = []
    determinant = k00 * k11 - k01 * k10
    if abs(determinant) > _SINGULAR * p0 * p1:
        first, second = (k01 * q1 - k11 * q0) / determinant, (k10 * q0 - k00 * q1) / determinant
        choices.append((min(first * p0, second * p1), [max(first, 0.0), max(second, 0.0)]))
    if k00 > _SINGULAR * p0:
        first = -q0 / k00
        choices.append((min(first * p0, q1 + k10 * first), [max(first, 0.0), 0.0]))
    if k11 > _SINGULAR * p1:
        second = -q1 / k11
        choices.append((min(second * p1, q0 + k01 * second), [0.0, max(second, 0.0)]))
    return max(choices)[1] if choices else None


def _added_energy(yielding: _Matrix, speeds: Sequence[float], sizes: Sequence[float]) -> float:
    """Return the energy that impulses add."""
    return sum(
        size * (speed + 0.5 * _dot(row, sizes)) for row, speed, size in zip(yielding, speeds, sizes, strict=True)
    )


def _energy_neutral_impulses(
    yielding: _Matrix, speeds: Sequence[float], dead: Sequence[float], lively: Sequence[float]
) -> list[float]:
    """Return the impulses that keep the energy, between the dead ones, which take energy, and the lively ones.

    Dead impulses have no restitution, and never add energy. That is a theorem: the points that they push do not move,
    and the points that they drag move against the friction.
    """
    step = [to - start for start, to in zip(dead, lively, strict=True)]
    steps = [_dot(row, step) for row in yielding]
    taken = max(-_added_energy(yielding, speeds, dead), 0.0)
    slope = _dot(step, speeds) + _dot(steps, dead)
    # The root of `0.5 * bend * share**2 + slope * share - taken`, without cancellation where the slope is positive.
    root = math.sqrt(slope * slope + 2.0 * max(_dot(step, steps), 0.0) * taken)
    share = 2.0 * taken / (slope + root) if slope + root > 0.0 else 0.0
    return [start + min(share, 1.0) * more for start, more in zip(dead, step, strict=True)]


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


@lru_cache(_INERTIA_CACHE_SIZE)
def _squared_gyration(shape: Solid) -> float:
    """Return the moment of inertia of a shape around its origin, for a mass of 1.

    Raise an error if its centroid is not at its origin.
    """
    left, bottom, right, top = shape.bounds()
    x, y = shape.centroid
    if math.hypot(x, y) > _CENTROID_TOLERANCE * max(right - left, top - bottom):
        raise ShapeError(
            f"shape must have its centroid at its own origin, around which it turns (else give inertia): "
            f"take ({x!r}, {y!r}) off its points, got {shape!r}"
        )
    # Imported here, because few games need it.
    from impinge.shapes.measures import squared_gyration

    return squared_gyration([(np.array(piece.points), piece.radius) for piece in shape.pieces])


def _positive_or_infinite(name: str, value: object) -> float:
    return math.inf if isinstance(value, float) and value == math.inf else positive(name, value)


def _checked_bodies(value: Iterable[RigidBody]) -> tuple[RigidBody, ...]:
    try:
        bodies = tuple(value)
    except TypeError:
        raise ShapeError(f"bodies must be a sequence of RigidBody, got {value!r}") from None
    for index, body in enumerate(bodies):
        if not isinstance(body, RigidBody):
            raise ShapeError(f"bodies[{index}] must be a RigidBody, got {body!r}")
    return bodies


def _checked_most(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ShapeError(f"most must be a whole number, not negative, got {value!r}")
    return value
