"""Continuous collision detection for a space: bodies do not tunnel through what they should hit, at any speed.

Chipmunk moves bodies first, and detects overlaps afterwards. So the way of a body in a step is known beforehand. A body
that would hit something is moved back so that the step brings it exactly to the contact. The engine itself resolves the
contact, calls handlers, and makes the body bounce. The rest of the body's time is used after the step. `meetings` and
`ways` determine which bodies hit each other.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, get_args
from weakref import WeakSet

import pymunk

import impinge as im
from impinge.fast_bodies import Pairs
from impinge.query.unchecked import Course
from impinge_pymunk.census import SAFE, Census, Flight
from impinge_pymunk.chipmunk import (
    Figures,
    Filter,
    figures_of,
    filter_of,
    has_contacts,
    is_sensor,
    kind_of,
    place_of,
    put,
)
from impinge_pymunk.impulses import Impulses
from impinge_pymunk.joints import Joined, island, joined_bodies, pull, stretch
from impinge_pymunk.meetings import move_in_turn, settle, striking
from impinge_pymunk.stepping import Divider, Stage, Stepper, space_of, stepper_of
from impinge_pymunk.stops import Report, Stop
from impinge_pymunk.ways import Pair, Parts, Place, Way, are_filtered, at

__all__ = ["Continuous", "continuous"]

DYNAMIC, STATIC = pymunk.Body.DYNAMIC, pymunk.Body.STATIC

Against: TypeAlias = Literal["all", "static"]
OnStop: TypeAlias = Callable[[Stop], object]
_Member = TypeVar("_Member", pymunk.Body, pymunk.Shape)

# Largest distance, in thicknesses, between planned and real arrival of a body: a `position_func` may move it as well.
ASTRAY = 1.0
# Relative difference up to which durations of steps are the same.
ROUNDING = 1e-9
# Largest number of parts of a step: with 25, some scenes of joints gain energy, or leave bodies deep in walls.
MOST_PARTS = 50

NOTHING_OWED: dict[pymunk.Body, float] = {}
NO_SHAPES: frozenset[pymunk.Shape] = frozenset()
NO_BODIES: frozenset[Joined] = frozenset()


def continuous(
    space: Any,
    bodies: Iterable[pymunk.Body] | None = None,
    *,
    against: Against = "all",
    ignored_shapes: Iterable[pymunk.Shape] = (),
    impacts: int = 1,
    on_stop: OnStop | None = None,
) -> Continuous:
    """Sweep the fast bodies of a space in each `space.step`, so that no body tunnels through what it should hit.

    The engine computes the bounce with its own elasticity, friction and masses, and it calls the handlers: each gets a
    collision once. The rest of a step after an impact is not lost. A step in which no body is fast for its size gives
    exactly Pymunk's result.

    Parameters
    ----------
    space
        A `pymunk.Space`, or an engine with a `space`, such as `arcade.PymunkPhysicsEngine`.
    bodies
        The bodies to sweep; None for all present and future bodies of the space.
    against
        The obstacles: ``"all"`` bodies, or with ``"static"`` only static and kinematic ones. Then dynamic bodies may
        pass through each other as in plain Pymunk.
    ignored_shapes
        Shapes that are neither swept nor obstacles.
    impacts
        How often a body may hit something in a step, up to 50. Once a body is behind in time, because its next hit came
        too early, steps are divided into so many parts, until no body hits something twice in a step.
    on_stop
        A function, called after a step as ``on_stop(stop)`` for each `Stop` in order of time. It may remove bodies and
        shapes: a stop of which something has left the space is not reported. A copy of the space has no function.

    Returns
    -------
    Continuous
        Use it to read which bodies were stopped, to change these arguments, or to restore the original steps.

    Raises
    ------
    TypeError
        If `space` is not a space, an element of `bodies` is not a body, one of `ignored_shapes` is not a shape, or
        `on_stop` is not callable.
    impinge.ShapeError
        If `against` is another value, or `impacts` is not an integer from 1 to 50.
    ValueError
        If the steps of the space are continuous already.

    Notes
    -----
    `impinge.time_of_impact` sweeps the bodies, turning ones too. Pymunk resolves collisions of a body once per step. So
    the next hit after a bounce happens in the following step, or part of a step. Until then the body is behind in time,
    and it catches up later. At most one step of this time is kept.

    While fast joined bodies hit something, steps are divided into up to 50 parts.

    Examples
    --------
    >>> space = pymunk.Space()
    >>> wall = pymunk.Segment(space.static_body, (50, -99), (50, 99), 0.5)
    >>> bullet = pymunk.Body(1, 1)
    >>> bullet.velocity = 6000, 0
    >>> ball = pymunk.Circle(bullet, 2)
    >>> wall.elasticity = ball.elasticity = 1
    >>> space.add(wall, bullet, ball)
    >>> steps = continuous(space)
    >>> space.step(1 / 60)
    >>> bullet.velocity, round(bullet.position.x)
    (Vec2d(-6000.0, 0.0), -5)
    >>> [stop] = steps.stops
    >>> stop.other is wall, round(stop.time, 3), stop.normal
    (True, 0.475, Vec2d(1.0, 0.0))
    >>> steps.release()
    """
    found = space_of(space)
    stepper = stepper_of(found)
    if stepper.find(Continuous) is not None:
        raise ValueError(f"space must not be continuous already, got {space!r}")
    steps = Continuous(found, stepper, _checked("bodies", bodies, pymunk.Body))
    steps.against, steps.impacts, steps.on_stop = against, impacts, on_stop
    steps.ignored_shapes.update(_checked("ignored_shapes", ignored_shapes, pymunk.Shape) or ())
    stepper.add(steps)
    return steps


class _Owed(NamedTuple):
    """The time in seconds by which a body is behind, and its pose when it stopped."""

    time: float
    place: list[float]


class _Arrival(NamedTuple):
    """The arrival of a stopped body: its figures, the place of its centre, and the pairs of shapes that separate."""

    way: Way
    figures: Figures
    here: Place
    left: list[tuple[pymunk.Shape, pymunk.Shape]]


class Continuous(Divider):
    """The continuous steps of a space; made by `continuous`.

    Attributes
    ----------
    bodies
        The bodies to sweep, which a game may change; None for all.
    ignored_shapes
        The shapes that are neither swept nor obstacles, which a game may change.
    """

    order, is_copied = 1, True

    def __init__(self, space: pymunk.Space, stepper: Stepper, bodies: list[pymunk.Body] | None) -> None:
        self._stepper = stepper
        self._others: list[Stage] = []
        self.bodies: WeakSet[pymunk.Body] | None = None if bodies is None else WeakSet(bodies)
        self.ignored_shapes: WeakSet[pymunk.Shape] = WeakSet()
        self._against: Against = "all"
        self._impacts = 1
        self._on_stop: OnStop | None = None
        self._parts = Parts(space.collision_slop)
        self._census, self._impulses = Census(space, self._parts), Impulses(space)
        self._owed: dict[pymunk.Body, _Owed] = {}
        # Pairs of shapes that pass through each other, because of a handler or a sensor.
        self._passing: set[frozenset[pymunk.Shape]] = set()
        # The ignored shapes during a step.
        self._ignored: frozenset[pymunk.Shape] = NO_SHAPES
        # The bodies whose collisions a joint prevents, during a step.
        self._joined: frozenset[Joined] = NO_BODIES
        self._filters: dict[pymunk.Shape, tuple[Filter, bool]] = {}
        self._fast_total = 0
        self._ways: dict[pymunk.Body, Way] = {}
        self._sent: list[Way] = []
        # After a step: the shapes of bodies, and those that they leave.
        self._left: set[tuple[pymunk.Shape, pymunk.Shape]] = set()
        # How often each body was stopped in the last step.
        self._hits = Counter[pymunk.Body]()
        # Whether arbiters may still hold the impulse of an impact.
        self._has_struck = False
        # Whether joints divide the present step, and the former one; whether joined bodies have been fast since then.
        self._is_divided = self._was_divided = self._is_shaken = False
        # Whether the bodies have been read before their step.
        self._is_read = False
        # How often shapes and bodies of the space had changed at the begin of the last step, and whether they have
        # since then.
        self._changes, self._is_changed = -1, True
        self._report, self._duration, self._elapsed = Report(), math.inf, 0.0

    def __getstate__(self) -> tuple[Any, ...]:
        """Return the state for a copy of the space."""
        bodies = None if self.bodies is None else list(self.bodies)
        passing = [tuple(shapes) for shapes in self._passing]
        ignored = [shape for shape in self.ignored_shapes if shape.space is self.space]
        flags = self._has_struck, self._is_divided, self._is_shaken
        return self._stepper, bodies, self._owed, passing, self._against, self._impacts, ignored, *flags

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        # The space is not complete yet: it is not used before its next step.
        self._stepper, bodies, self._owed, passing, self._against, self._impacts, ignored, *flags = state
        self._has_struck, self._is_divided, self._is_shaken = flags
        self.bodies = None if bodies is None else WeakSet(bodies)
        self.ignored_shapes, self._on_stop = WeakSet(ignored), None
        self._passing = {frozenset(shapes) for shapes in passing}
        self._parts = Parts(math.nan)
        self._others, self._ways, self._sent, self._left = [], {}, [], set()
        self._hits = Counter()
        self._filters, self._fast_total = {}, 0
        self._ignored, self._joined = NO_SHAPES, NO_BODIES
        self._report, self._duration, self._elapsed = Report(), math.inf, 0.0
        self._was_divided = self._is_read = False
        self._changes, self._is_changed = -1, True

    @property
    def space(self) -> pymunk.Space:
        """The space."""
        return self._stepper.space

    @property
    def against(self) -> Against:
        """The obstacles, ``"all"`` or ``"static"``; may be changed."""
        return self._against

    @against.setter
    def against(self, value: Against) -> None:
        if not isinstance(value, str) or value not in get_args(Against):
            raise im.ShapeError(f"against must be one of {', '.join(map(repr, get_args(Against)))}, got {value!r}")
        self._against = value

    @property
    def impacts(self) -> int:
        """How often a body may hit something in a step; may be changed."""
        return self._impacts

    @impacts.setter
    def impacts(self, value: int) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_PARTS:
            raise im.ShapeError(f"impacts must be an integer from 1 to {MOST_PARTS}, got {value!r}")
        self._impacts = value

    @property
    def on_stop(self) -> OnStop | None:
        """The function that is called for each stop; may be changed."""
        return self._on_stop

    @on_stop.setter
    def on_stop(self, function: OnStop | None) -> None:
        if function is not None and not callable(function):
            raise TypeError(f"on_stop must be a function, got {function!r}")
        self._on_stop = function

    @property
    def stops(self) -> tuple[Stop, ...]:
        """The bodies that the last step stopped at shapes, in order of time.

        Other bodies may wait as well, at the obstacle that they meet after their bounce; the next step reports them.
        """
        return self._report.stops()

    @property
    def behind(self) -> dict[pymunk.Body, float]:
        """The time in seconds by which each body is behind; bodies that are not behind are left out.

        A body that leaves the space, or that the game moves, is not behind any more.
        """
        return {
            body: owed.time
            for body, owed in self._owed.items()
            if self._is_where_it_was(body, owed, [*figures_of(body)[:3]])
        }

    def release(self) -> None:
        """Restore the original steps of the space. The time by which bodies are behind is lost."""
        self._stepper.remove(self)
        self._owed.clear()

    # Before a step.

    def parts(self, dt: float) -> int:
        """Return into how many equal steps a step is divided: for joints, several impacts, or after a short step.

        Pymunk solves joints once a step. A chain that hits a wall at 6,000 px/s turns by more than a full turn in a
        step of 1/60 s, which stretches pins of 12 px to 280 px, and then gains energy, up to twice. To stop all of the
        chain at the hit does not help: 4 of 120 scenes gain energy. To divide only the steps with a hit neither: 4
        gain, 3 double. So no body of the chain is fast in a part, until no joint stretches or pulls by more than a
        slow body moves: none gains, and the pins stretch by 27 px. Such scenes take 2.5 times as long.
        """
        # For a report in fractions of the whole step.
        self._duration, self._elapsed = dt, 0.0
        if self._report.struck:
            self._report = Report()
        joint_parts = self._parts_for_joints(dt) if self.space.constraints else 1
        self._is_shaken = self._is_shaken or joint_parts > 1
        parts = max(joint_parts, self._parts_for_impacts()) if self._impacts > 1 else joint_parts
        self._was_divided, self._is_divided = self._is_divided, parts > 1
        return parts if self._was_divided else max(parts, self._parts_for_former(dt))

    def _parts_for_impacts(self) -> int:
        """Return the number of parts if a body is behind, or if one was stopped twice in the last step."""
        is_late = bool(self._owed) or max(self._hits.values(), default=0) > 1
        self._hits.clear()
        return self._impacts if is_late else 1

    def _parts_for_former(self, dt: float) -> int:
        """Return the number of parts of which none is longer than the former step, if that had an impact.

        Pymunk begins to solve a lasting contact with its former impulse, multiplied by the ratio of the durations. It
        can take back the former impulse at most. So a body that was stopped in a step of 1/120 s and touches the wall
        in one of 1/30 s would leave with three times the impulse. To clear the impulses instead leaves more bodies deep
        in walls: 8 of 378 compounds, against none.
        """
        if not self._has_struck:
            return 1
        former = self.space.current_time_step
        return math.ceil(dt / former - ROUNDING) if former > 0.0 else 1

    def _parts_for_joints(self, dt: float) -> int:
        """Return the number of parts that the fast joined bodies need which hit something, or whose joints stretch."""
        self._read()
        self._find_fast(dt)
        self._is_read = True
        self._begin(dt)
        joined = {body for joint in self.space.constraints for body in (joint.a, joint.b)}
        fast = {
            body: flight
            for flight in self._census.flights()
            if (body := self._census.bodies[flight.row]) in joined and self._may_stop(body, body.body_type)
        }
        if not fast:
            self._is_shaken = False
            return 1
        hard: set[pymunk.Body] = set()
        if self._is_shaken:
            hard.update(self._strained(fast))
        hard.update(self._struck(fast))
        self._ways = {}
        mates = {mate for body in hard for mate in island(body)}
        return min(MOST_PARTS, max([_parts(flight) for body, flight in fast.items() if body in mates], default=1))

    def _struck(self, fast: dict[pymunk.Body, Flight]) -> Iterator[pymunk.Body]:
        """Yield the fast joined bodies that would hit something, except what they are joined to."""
        pairs = [
            pair
            for pair in self._pairs()
            if (pair.way.body in fast or pair.other_way.body in fast) and not (pair.is_sensed or pair.is_calm)
        ]
        # A chain turns as fast after a hit that Pymunk would not miss.
        for pair in striking(pairs):
            yield from (pair.way.body, pair.other_way.body)

    def _strained(self, fast: dict[pymunk.Body, Flight]) -> Iterator[pymunk.Body]:
        """Yield the fast joined bodies whose joints would stretch, or pull, by more than a slow body moves."""
        former = self.space.current_time_step
        for joint in self.space.constraints:
            limits = [SAFE * fast[body].size.thickness for body in (joint.a, joint.b) if body in fast]
            if limits:
                one, other = self._met(joint.a), self._met(joint.b)
                if max(stretch(joint, one, other), pull(joint, self._dt, former)) > min(limits):
                    yield from (joint.a, joint.b)

    def prepare(self, dt: float) -> None:
        """Read the poses and velocities of all bodies; raise an error for values that are not finite."""
        if not self._is_read:
            self._read()
        self._is_read = False
        self._find_fast(dt)

    def _read(self) -> None:
        # In a small space each call counts: with nothing fast, a step takes 9 us more than a plain one.
        space = self.space
        slop = space.collision_slop
        if self._parts.slop != slop:
            self._parts = Parts(slop)
            self._census, self._impulses, self._changes = Census(space, self._parts), Impulses(space), -1
        self._parts.look_again()
        census = self._census
        census.read()
        self._is_changed, self._changes = census.changes != self._changes, census.changes
        if self._owed:
            self._owed = {
                body: owed
                for body, owed in self._owed.items()
                if self._is_where_it_was(body, owed, census.figures_of(body)[:3])
            }

    def _find_fast(self, dt: float) -> None:
        owed = {body: owed.time for body, owed in self._owed.items()} if self._owed else NOTHING_OWED
        self._fast_total = self._census.find_fast(dt, owed)

    def before(self, dt: float) -> None:
        """Move bodies back, so that the step brings them to their stops."""
        self._ways, self._sent, self._others = {}, [], self._stepper.others(self)
        led: dict[pymunk.Body, list[float]] = {}
        if self._others:
            led = self._census.read_again(dt)
            self._find_fast(dt)
        if self._has_struck or self._was_divided or self._is_divided:
            former = self.space.current_time_step
            is_other = former > 0.0 and abs(dt / former - 1.0) > ROUNDING
            if is_other and (self._was_divided or self._is_divided):
                self._impulses.begin(dt / former)
            elif self._is_divided and self._is_last(self._elapsed + dt, dt):
                self._impulses.note()
            self._was_divided = False
            self._has_struck = self._has_struck and dt < former * (1.0 - ROUNDING)
        if self._fast_total or self._owed:
            self._plan(dt)
        elif self._passing:
            self._passing.clear()
        for way in self._sent:
            body = way.body
            if way.stopped < 1.0 and body in led:
                # It will not reach the other stage's goal, so it gets its former velocity back.
                across, up, spin = led[body]
                body.velocity, body.angular_velocity = (across, up), spin
            elif self._others:
                _, _, _, across, up, spin = figures_of(body)
            else:
                across, up, spin = way.velocity
            x, y, angle = way.stand
            _put(way, (x - across * dt, y - up * dt, angle - spin * dt))

    def _plan(self, dt: float) -> None:
        """Determine which bodies are stopped, and where."""
        self._begin(dt)
        settle(list(self._pairs()), dt)
        for body in self._owed:
            self._met(body)
        self._sent = [way for way in self._ways.values() if _is_sent(way, dt)]

    def _begin(self, dt: float) -> None:
        """Forget what does not matter any more."""
        self._ways, self._sent, self._dt = {}, [], dt
        self._ignored, self._joined = frozenset(self.ignored_shapes), joined_bodies(self.space)
        self._passing = {pair for pair in self._passing if self._are_together(pair)}

    def _is_where_it_was(self, body: pymunk.Body, owed: _Owed, place: list[float]) -> bool:
        return self._may_stop(body, body.body_type) and body.space is self.space and place == owed.place

    def _may_stop(self, body: pymunk.Body, kind: int) -> bool:
        return kind == DYNAMIC and (self.bodies is None or body in self.bodies)

    def _pairs(self) -> Iterator[Pair]:
        """Yield the pairs that may hit each other: fast bodies with all others, and with each other."""
        yield from self._pairs_of(*self._census.pairs())

    def _pairs_of(self, near: Pairs, mates: Pairs) -> Iterator[Pair]:
        """Yield the pairs of shapes for bodies and shapes that are near each other."""
        if near or mates:
            flights = self._census.flights()
            self._filters.clear()
            yield from self._pairs_of_slow(near, flights)
            yield from self._pairs_of_fast(mates, flights)
            self._filters.clear()

    def _pairs_of_slow(self, near: Pairs, flights: list[Flight]) -> Iterator[Pair]:
        """Yield the pairs of fast bodies with shapes of others."""
        for number, group in groupby(near, key=itemgetter(0)):
            flight, obstacles = flights[number], [self._census.shapes[shape] for _, shape in group]
            body = self._census.bodies[flight.row]
            for shape in flight.size.shapes:
                for other in obstacles:
                    met = other.body
                    is_sensed = None if met is None else self._is_sensed(shape, other)
                    if is_sensed is not None and self._may_block(body, met):
                        pair = self._pair(self._swept(flight), shape, self._met(met), other, is_sensed)
                        if pair is not None:
                            yield pair

    def _pairs_of_fast(self, mates: Pairs, flights: list[Flight]) -> Iterator[Pair]:
        """Yield the pairs of fast bodies with each other."""
        groups = {self._traits(shape)[0][0] for number in set(chain(*mates)) for shape in flights[number].size.shapes}
        if len(groups) == 1 and 0 not in groups:
            # The bullets of many games share a filter group, so they do not collide with each other.
            return
        for one, another in mates:
            flight, met = flights[one], flights[another]
            if not self._may_block(self._census.bodies[flight.row], self._census.bodies[met.row]):
                continue
            is_calm: bool | None = None
            for shape in flight.size.shapes:
                for other in met.size.shapes:
                    is_sensed = self._is_sensed(shape, other)
                    if is_sensed is not None:
                        if is_calm is None:
                            # Even bodies that move together hit each other once one of them is stopped.
                            is_calm = flight.goes_with(met)
                        pair = self._pair(self._swept(flight), shape, self._swept(met), other, is_sensed, is_calm)
                        if pair is not None:
                            yield pair

    def _traits(self, shape: pymunk.Shape) -> tuple[Filter, bool]:
        """Return the filter of a shape, and whether it is a sensor, which is read once in a step."""
        found = self._filters.get(shape)
        if found is None:
            found = self._filters[shape] = filter_of(shape), is_sensor(shape)
        return found

    def _is_sensed(self, one: pymunk.Shape, other: pymunk.Shape) -> bool | None:
        """Return whether one of two shapes is a sensor; None if their filters or notes of former hits exclude a hit."""
        if self._left and (one, other) in self._left:
            return None
        (own, is_own_sensor), (its, is_its_sensor) = self._traits(one), self._traits(other)
        return None if are_filtered(own, its) else is_own_sensor or is_its_sensor

    def _may_block(self, body: pymunk.Body, other: pymunk.Body) -> bool:
        """Return whether two bodies are obstacles for each other."""
        return self._against == "all" or body.body_type != DYNAMIC or other.body_type != DYNAMIC

    def _swept(self, flight: Flight) -> Way:
        """Return the way of a fast body."""
        body = self._census.bodies[flight.row]
        way = self._ways.get(body)
        if way is None:
            way = self._ways[body] = self._way(body, flight.figures, flight.time, is_fast=True)
            way.is_heavy = way.is_heavy or (way.is_fixed and way.is_swept)
            way.parts = self._parts.of_all(flight.size.shapes, way.center)
        return way

    def _met(self, body: pymunk.Body) -> Way:
        """Return the way of a body that a fast one may hit, or that is behind in time."""
        way = self._ways.get(body)
        if way is None:
            owed = self._owed.get(body)
            time = self._dt if owed is None else self._dt + owed.time
            way = self._ways[body] = self._way(body, self._census.figures_of(body), time, is_fast=False)
        return way

    def _way(self, body: pymunk.Body, figures: list[float], time: float, *, is_fast: bool) -> Way:
        x, y, angle, *velocity = figures
        across, up, spin = velocity
        kind, is_sleeping, center = kind_of(body)
        if kind == STATIC or is_sleeping:
            across = up = spin = 0.0
        x, y = _moved((x, y), center, angle)
        course = x, y, angle, x + across * time, y + up * time, angle + spin * time, 0.0, 0.0
        way = Way(body, course, center, time, not self._may_stop(body, kind))
        way.velocity = velocity
        way.is_heavy = kind != DYNAMIC
        # Pymunk pushes only a body with contacts, or one of which the game has removed those of the last step.
        way.is_parted = kind == DYNAMIC and not is_sleeping and (self._is_changed or has_contacts(body))
        way.is_swept = is_fast and not is_sleeping
        return way

    def _pair(
        self, way: Way, own: pymunk.Shape, other_way: Way, shape: pymunk.Shape, is_sensed: bool, is_calm: bool = False
    ) -> Pair | None:
        """Return the pair of two shapes, or None if a hit has no effect; first the thinner of those that may stop."""
        if way.is_fixed and other_way.is_fixed:
            return None
        if self._joined and (way.body, other_way.body) in self._joined:
            return None
        if own in self._ignored or shape in self._ignored:
            return None
        if self._passing and frozenset((own, shape)) in self._passing:
            return None
        if self._others and any(stage.settles(own, shape) for stage in self._others):
            return None
        part, other = self._parts.of(own, way.center), self._parts.of(shape, other_way.center)
        if part is None or other is None:
            return None
        if way.is_fixed or (other_way.is_swept and not other_way.is_fixed and other.thickness < part.thickness):
            return Pair(other_way, other, way, part, is_sensed, is_calm)
        return Pair(way, part, other_way, other, is_sensed, is_calm)

    def settles(self, one: pymunk.Shape, other: pymunk.Shape) -> bool:
        """Return whether this stage alone decides about two shapes: never, since the engine or a rule decides."""
        return False

    # After a step.

    def after(self, dt: float) -> None:
        """Use the remaining time of bodies that were stopped."""
        self._impulses.end()
        begin, self._elapsed = self._elapsed, self._elapsed + dt
        if not self._ways:
            # No body is behind either.
            self._ignored, self._joined = NO_SHAPES, NO_BODIES
            return
        sent, self._ways, self._sent, self._owed = self._sent, {}, [], {}
        for way in sent:
            if way.stopped < 1.0:
                self._has_struck = True
                if self._impacts > 1:
                    self._hits[way.body] += 1
                self._report.add(way, begin / self._duration, dt / self._duration)
        arrivals = [arrival for way in sent if (arrival := self._arrival(way)) is not None]
        figures = {arrival.way.body: arrival.figures for arrival in arrivals}
        # All bodies are still at the positions for which Pymunk detected collisions.
        for arrival in arrivals:
            self._note_passing(arrival, figures)
        self._spend([arrival for arrival in arrivals if arrival.way.stopped < 1.0])
        for way in sent:
            # The strikes lead back to the way: each step would leave this to the garbage collector.
            way.strikes.clear()
        self._ignored, self._joined = NO_SHAPES, NO_BODIES

    def _is_last(self, elapsed: float, dt: float) -> bool:
        """Return whether a part is the last one of its step."""
        return elapsed > self._duration - 0.5 * dt

    def tell(self, dt: float) -> None:
        """Report the stops, except those of which handlers or former calls have removed something."""
        on_stop = self._on_stop
        if on_stop is None:
            return
        space = self.space
        if self._is_last(self._elapsed, dt):
            for stop in self._report.stops():
                if all(member.space is space for member in (stop.body, stop.shape, stop.other)):
                    on_stop(stop)

    def _arrival(self, way: Way) -> _Arrival | None:
        """Return the arrival of a body that was sent; None if it is gone, or a handler has moved it."""
        body = way.body
        kind, is_sleeping, _ = kind_of(body)
        if body.space is not self.space or kind != DYNAMIC or is_sleeping:
            return None
        if not way.parts:
            shapes = (shape for shape in body.shapes if shape.space is self.space)
            way.parts = self._parts.of_all(shapes, way.center)
        x, y, angle, _, _, _ = figures = figures_of(body)
        x, y = _moved((x, y), way.center, angle)
        there = way.stand
        thickness = min([part.thickness for part in way.parts], default=0.0)
        if math.hypot(x - there[0], y - there[1]) > ASTRAY * thickness + self._parts.slop:
            return None
        return _Arrival(way, figures, (x, y, angle), [])

    def _note_passing(self, arrival: _Arrival, figures: dict[pymunk.Body, Figures]) -> None:
        """Note overlapping pairs that Pymunk has not separated, because of sensors or handlers.

        Also note the pairs that the body cannot hit again, because it moves away from a body that stands still.
        `figures` are those of bodies, and others are added.
        """
        way, own, here, left = arrival
        for struck in way.strikes:
            pair = struck.pair
            is_sensed = pair.is_sensed
            bodies = pair.way.body, pair.other_way.body
            one, other = (figures.get(body) or figures.setdefault(body, figures_of(body)) for body in bodies)
            if not is_sensed and struck.is_over(one, other):
                if pair.way is way and struck.is_left(here, own, other):
                    left.append((pair.part.shape, pair.other.shape))
                continue
            shapes = frozenset((pair.part.shape, pair.other.shape))
            if is_sensed or (not _are_solved(way.body, shapes) and self._are_together(shapes)):
                self._passing.add(shapes)

    def _are_together(self, shapes: frozenset[pymunk.Shape]) -> bool:
        """Return whether two shapes overlap."""
        # Pymunk's `Shape.shapes_collide` requires an overlap: otherwise an assertion of Pymunk 7 fails.
        stands = []
        for shape in shapes:
            body = shape.body
            if shape.space is None or body is None:
                return False
            part = self._parts.of(shape, body.center_of_gravity)
            if part is None:
                return False
            place = im.Pose(*_moved(body.position, body.center_of_gravity, body.angle), body.angle)
            stands.append((part.solid, place))
        (one, one_place), (other, other_place) = stands
        return im.overlaps(one, one_place, other, other_place, include_touching=False)

    def _spend(self, arrivals: list[_Arrival]) -> None:
        """Move bodies on with their new velocities up to their next hits; they owe the time after that."""
        # A handler may have set a velocity that is not finite: the next step refuses it.
        arrivals = [arrival for arrival in arrivals if all(map(math.isfinite, arrival.figures))]
        ways = [_rest_of(arrival) for arrival in arrivals]
        pairs = self._standing(arrivals, ways)
        for way, first in zip(ways, move_in_turn(ways, pairs), strict=True):
            _put(way, at(way.course, first))
            self.space.reindex_shapes_for_body(way.body)
            if first < 1.0:
                time = min(way.time * (1.0 - first), self._duration)
                self._owed[way.body] = _Owed(time, [*place_of(way.body)])

    def _standing(self, arrivals: list[_Arrival], ways: list[Way]) -> list[Pair]:
        """Return the pairs of bodies with those around the rests of their ways, except those that they leave."""
        bounds = {
            way.body: _bounds(way.course, max([part.extent for part in arrival.way.parts]))
            for arrival, way in zip(arrivals, ways, strict=True)
            if arrival.way.parts
        }
        if not bounds:
            return []
        self._ways, self._dt = {way.body: way for way in ways}, 0.0
        self._left = {shapes for arrival in arrivals for shapes in arrival.left}
        # Handlers may have added and removed members of the space.
        self._joined = joined_bodies(self.space)
        self._census.read()
        pairs = list(self._pairs_of(*self._census.pairs_around(bounds)))
        self._ways, self._left = {}, set()
        return pairs


def _rest_of(arrival: _Arrival) -> Way:
    """Return the rest of a way, with the new velocity."""
    sent, (_, _, _, across, up, spin), here, _ = arrival
    # Start at the impact: the new velocity includes the motion with the other body since then.
    (x, y, angle), rest = at(sent.course, sent.stopped), sent.time * (1.0 - sent.stopped)
    course = *here, x + across * rest, y + up * rest, angle + spin * rest, 0.0, 0.0
    return Way(sent.body, course, sent.center, rest, False)


def _parts(flight: Flight) -> int:
    """Return into how many parts the motion of a fast body is divided so that it is not fast."""
    _, _, _, across, up, spin = flight.figures
    speed = math.hypot(across, up) + abs(spin) * flight.size.reach
    return math.ceil(speed * flight.time / (SAFE * flight.size.thickness))


def _is_sent(way: Way, dt: float) -> bool:
    """Return whether Pymunk alone would not bring a body to the end of its way in a step of a duration."""
    return way.stopped < 1.0 or (way.time > dt and not way.is_fixed) or way.parting not in (None, (0.0, 0.0, 0.0))


def _checked(name: str, members: Iterable[_Member] | None, kind: type[_Member]) -> list[_Member] | None:
    if members is None:
        return None
    listed = list(members)
    for member in listed:
        if not isinstance(member, kind):
            raise TypeError(f"{name} must be pymunk.{kind.__name__}, got {member!r}")
    return listed


def _bounds(way: Course, around: float) -> tuple[float, float, float, float]:
    """Return the bounds of a way, with a margin."""
    x, y, _, end_x, end_y, _, _, _ = way
    left, right = (x, end_x) if x < end_x else (end_x, x)
    bottom, top = (y, end_y) if y < end_y else (end_y, y)
    return left - around, bottom - around, right + around, top + around


def _moved(position: tuple[float, float], offset: tuple[float, float], angle: float) -> tuple[float, float]:
    """Return a position plus an offset that is rotated by an angle."""
    if offset == (0.0, 0.0):
        return position
    (x, y), (across, up), cos, sin = position, offset, math.cos(angle), math.sin(angle)
    return x + cos * across - sin * up, y + sin * across + cos * up


def _put(way: Way, place: Place) -> None:
    """Place a body so that its centre of gravity is at a place."""
    (across, up), (x, y, angle) = way.center, place
    put(way.body, *_moved((x, y), (-across, -up), angle), angle)


def _are_solved(body: pymunk.Body, shapes: frozenset[pymunk.Shape]) -> bool:
    """Return whether Pymunk has separated two shapes, of which one belongs to the body."""
    found = []
    body.each_arbiter(lambda arbiter: found.append(frozenset(arbiter.shapes)))
    return shapes in found
