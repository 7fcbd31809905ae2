"""Continuous collision detection for a space: bodies do not tunnel through what they should hit, at any speed.

Chipmunk moves bodies first, and detects overlaps afterwards. So the way of a body in a step is known beforehand. A body
that would hit something is moved back so that the step brings it exactly to the contact. The engine itself resolves the
contact, calls handlers, and makes the body bounce. The rest of the body's time is used after the step. `encounters`
determines which bodies hit each other.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import compress
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, get_args
from weakref import WeakSet

import numpy as np
import pymunk

import impinge as im
from impinge.meetings import GOES_ON, IS_ELSEWHERE, IS_LEFT, MAY_LAST, HitRows, Meetings, Sending, SentBodies
from impinge_pymunk.census import SAFE, Census, Flight
from impinge_pymunk.chipmunk import (
    figures_of,
    have_contacts,
    kind_of,
    place_of,
    states_of,
)
from impinge_pymunk.encounters import NO_PAIRS, Bools, Encounter, Encounters, Floats, Ints
from impinge_pymunk.impulses import Impulses
from impinge_pymunk.joints import Joined, Way, bodies_on_joints, island, joined_bodies, pull, stretch
from impinge_pymunk.parts import Parts
from impinge_pymunk.stepping import Divider, Stage, Stepper, space_of, stepper_of
from impinge_pymunk.stops import Report, Stop, Struck

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
# How much longer a part, or a step, may be than the former one: Pymunk begins to solve a joint with its former impulse,
# multiplied by as much. Without a limit, 14 of 1,250 scenes of joints gain energy, and one of them doubles it.
MOST_GROWTH = 2

NOTHING_OWED: dict[pymunk.Body, float] = {}
NO_SHAPES: frozenset[pymunk.Shape] = frozenset()
NO_BODIES: frozenset[Joined] = frozenset()
NO_FALLS = np.empty((0, 2))


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


class _Sent(NamedTuple):
    """The bodies that a step brings elsewhere than Pymunk alone would, and the hits of the step.

    Attributes
    ----------
    changes
        `Census.changes` before the step.
    encounter, meetings, hits
        All bodies of the step, and what was found about them.
    places
        The places of the sent ones in the encounter, in the order of their first pairs.
    falling : (b,)
        On which bodies the gravity acts for as long as they move; others are left to Pymunk.
    gravity
        The gravity.
    """

    changes: int
    encounter: Encounter
    meetings: Meetings
    hits: HitRows
    places: Ints
    falling: Bools
    gravity: tuple[float, float]

    def bodies(self) -> list[pymunk.Body]:
        """Return the sent bodies."""
        return self.encounter.bodies_at(self.places)


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
        self._measure(space)
        self._owed: dict[pymunk.Body, _Owed] = {}
        # Pairs of shapes that pass through each other, because of a handler or a sensor.
        self._passing: set[frozenset[pymunk.Shape]] = set()
        # The ignored shapes during a step.
        self._ignored: frozenset[pymunk.Shape] = NO_SHAPES
        # The bodies whose collisions a joint prevents, during a step.
        self._joined: frozenset[Joined] = NO_BODIES
        self._fast_total = 0
        self._sent: _Sent | None = None
        # How often each body was stopped in the last step.
        self._hits = Counter[pymunk.Body]()
        # Whether arbiters may still hold the impulse of an impact.
        self._has_struck = False
        # The bodies of the last step, if fast ones were near others.
        self._met: Encounter | None = None
        # Whether joints divide the present step, and the former one; whether joined bodies have been fast since then.
        self._is_divided = self._was_divided = self._is_shaken = False
        # Whether the bodies have been read before their step.
        self._is_read = False
        self._report, self._duration, self._elapsed = Report(), math.inf, 0.0

    def __getstate__(self) -> tuple[Any, ...]:
        """Return the state for a copy of the space."""
        self._note_contacts(math.inf)
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
        self._others, self._sent, self._met, self._fast_total = [], None, None, 0
        self._hits = Counter()
        self._ignored, self._joined = NO_SHAPES, NO_BODIES
        self._report, self._duration, self._elapsed = Report(), math.inf, 0.0
        self._was_divided = self._is_read = False

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

        Other bodies may wait as well: at the obstacle that they meet after their bounce, or in front of a body that was
        stopped before. The next step reports them.
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
        self._note_contacts(dt)
        if self._report.is_used:
            self._report = Report()
        joint_parts = self._parts_for_joints(dt) if self.space.constraints else 1
        self._is_shaken = self._is_shaken or joint_parts > 1
        parts = max(joint_parts, self._parts_for_impacts()) if self._impacts > 1 else joint_parts
        if self._is_divided and self.space.constraints:
            parts = max(parts, math.ceil(self._parts_as_short(dt) / MOST_GROWTH))
        self._was_divided, self._is_divided = self._is_divided, parts > 1
        return parts if self._was_divided else max(parts, self._parts_for_former(dt))

    def _note_contacts(self, dt: float) -> None:
        """Note the contacts of fast bodies, if their impulses matter in a step: Pymunk finds shallow hits by itself."""
        met, self._met = self._met, None
        if met is None or self._has_struck:
            return
        former = self.space.current_time_step
        if former > 0.0 and abs(dt / former - 1.0) > ROUNDING:
            self._has_struck = have_contacts(self.space, met.addresses[met.are_swept()])

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
        return self._parts_as_short(dt) if self._has_struck else 1

    def _parts_as_short(self, dt: float) -> int:
        """Return the number of parts of which none is longer than the former step."""
        former = self.space.current_time_step
        return math.ceil(dt / former - ROUNDING) if former > 0.0 else 1

    def _is_pulled(self, joint: pymunk.Constraint, dt: float) -> bool:
        """Return whether a joint would make a slow body fast, by the force that it had in the parts of a former step.

        Two balls on a slide joint came to rest in a corner in the 42nd part of a step. The next step, a whole one,
        began with 42 times the last impulse of the joint, and gave them 71 times the energy with which they came.
        """
        bodies = [body for body in (joint.a, joint.b) if body.body_type == DYNAMIC]
        parts = [part for body in bodies for part in self._parts.of_all(body.shapes, body.center_of_gravity)]
        thickness = min([part.thickness for part in parts], default=math.inf)
        return pull(joint, dt, self.space.current_time_step) > SAFE * thickness

    def _parts_for_joints(self, dt: float) -> int:
        """Return the number of parts that the fast joined bodies need which hit something, or whose joints stretch."""
        self._read()
        self._find_fast(dt)
        self._is_read = True
        self._begin(dt)
        joined = bodies_on_joints(self.space)
        fast = {
            body: flight
            for flight in self._census.flights()
            if (body := self._census.bodies[flight.row]) in joined and self._may_stop(body, body.body_type)
        }
        if not fast:
            is_pulled = self._is_shaken and any(self._is_pulled(joint, dt) for joint in self.space.constraints)
            self._is_shaken = False
            return self._parts_as_short(dt) if is_pulled else 1
        hard: set[pymunk.Body] = set()
        if self._is_shaken:
            hard.update(self._strained(fast, dt))
        hard.update(self._struck(fast, dt))
        mates = {mate for body in hard for mate in island(body)}
        return min(MOST_PARTS, max([_parts(flight) for body, flight in fast.items() if body in mates], default=1))

    def _struck(self, fast: dict[pymunk.Body, Flight], dt: float) -> Iterator[pymunk.Body]:
        """Yield the fast joined bodies that would hit something, except what they are joined to."""
        encounter = self._encounter(dt)
        if encounter is None or not len(encounter.pairs):
            return
        one, _, other, _, is_sensed, is_calm = encounter.pairs.T
        is_joined = np.array([encounter.all_bodies[row] in fast for row in encounter.rows.tolist()])
        counts = (is_joined[one] | is_joined[other]) & (is_sensed == 0) & (is_calm == 0)
        # Without any allowed depth: a chain turns as fast after a hit that Pymunk would not miss.
        meetings = self._encounters.meetings(encounter._replace(pairs=encounter.pairs[counts]))
        for pair in meetings.pairs[~np.isnan(meetings.strikes(safe=0.0))].tolist():
            yield from (encounter.body(pair[0]), encounter.body(pair[2]))

    def _strained(self, fast: dict[pymunk.Body, Flight], dt: float) -> Iterator[pymunk.Body]:
        """Yield the fast joined bodies whose joints would stretch, or pull, by more than a slow body moves."""
        former = self.space.current_time_step
        for joint in self.space.constraints:
            limits = [SAFE * fast[body].size.thickness for body in (joint.a, joint.b) if body in fast]
            if limits:
                one, other = self._way(joint.a, dt), self._way(joint.b, dt)
                if max(stretch(joint, one, other), pull(joint, dt, former)) > min(limits):
                    yield from (joint.a, joint.b)

    def _way(self, body: pymunk.Body, dt: float) -> Way:
        """Return the way of a body in a step of a duration, if nothing stops it."""
        x, y, angle, across, up, spin = self._census.figures_of(body)
        kind, is_sleeping, center = kind_of(body)
        owed = self._owed.get(body)
        time = dt if owed is None else dt + owed.time
        if kind == STATIC or is_sleeping:
            time = 0.0
        x, y = _moved((x, y), center, angle)
        return Way((x, y, angle), (x + across * time, y + up * time, angle + spin * time), center)

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
            self._measure(space)
        census = self._census
        census.read()
        if self._elapsed == 0.0:
            self._parts.begin()
        if self._owed:
            self._owed = {
                body: owed
                for body, owed in self._owed.items()
                if self._is_where_it_was(body, owed, census.figures_of(body)[:3])
            }

    def _measure(self, space: pymunk.Space) -> None:
        """Measure all bodies again: their parts depend on the depth that Pymunk lets shapes overlap."""
        self._parts = Parts(space.collision_slop)
        self._census, self._impulses = Census(space, self._parts), Impulses(space)
        self._encounters = Encounters(space, self._census, self._parts)

    def _find_fast(self, dt: float) -> None:
        owed = {body: owed.time for body, owed in self._owed.items()} if self._owed else NOTHING_OWED
        self._fast_total = self._census.find_fast(dt, owed)

    def before(self, dt: float) -> None:
        """Move bodies back, so that the step brings them to their stops."""
        self._sent, self._others = None, self._stepper.others(self)
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
        if self._sent is not None:
            self._send(self._sent, led, dt)

    def _plan(self, dt: float) -> None:
        """Determine which bodies are stopped, and where."""
        self._begin(dt)
        encounter = self._encounter(dt)
        if encounter is None:
            return
        meetings = self._encounters.meetings(encounter)
        self._met = encounter
        meetings.settle(SAFE, dt)
        places = meetings.sent(encounter.times, dt, encounter.turns)
        if len(places):
            changes, falling = self._census.changes, np.empty(len(encounter.rows), np.bool_)
            hits, gravity = meetings.hit_rows(), (*self.space.gravity,)
            self._sent = _Sent(changes, encounter, meetings, hits, places, falling, gravity)

    def _encounter(self, dt: float) -> Encounter | None:
        """Return the encounter of a step of a duration; None if no body may hit another one, and none is behind."""
        census = self._census
        near = census.pairs()
        if not (len(near[0]) or len(near[1]) or self._owed):
            return None
        late = {row: owed.time for body, owed in self._owed.items() if (row := census.row_of(body)) is not None}
        return self._encounters.of_step(near, dt, late)

    def _begin(self, dt: float) -> None:
        """Forget what does not matter any more."""
        self._ignored = frozenset(self.ignored_shapes) if self.ignored_shapes else NO_SHAPES
        self._joined = joined_bodies(self.space)
        self._passing = {pair for pair in self._passing if self._are_together(pair)}
        encounters = self._encounters
        encounters.against_all = self._against == "all"
        encounters.may_stop = None if self.bodies is None else self.bodies.__contains__
        self._exclude()

    def _exclude(self) -> None:
        """Let pairs of shapes be asked for, if some of them do not count."""
        excludes = self._ignored or self._joined or self._passing or self._others
        self._encounters.is_excluded = self._is_excluded if excludes else None

    def _is_excluded(self, one: pymunk.Shape, other: pymunk.Shape) -> bool:
        """Return whether a hit of two shapes has no effect, whatever their filters."""
        return (
            (one.body, other.body) in self._joined
            or one in self._ignored
            or other in self._ignored
            or frozenset((one, other)) in self._passing
            or any(stage.settles(one, other) for stage in self._others)
        )

    def _send(self, sent: _Sent, led: dict[pymunk.Body, list[float]], dt: float) -> None:
        """Place bodies so that the step brings them to their stops."""
        encounter, places = sent.encounter, sent.places
        velocities = encounter.velocities[places]
        if self._others:
            is_stopped = sent.meetings.stopped()[places] < 1.0
            for place, body in enumerate(sent.bodies()):
                if is_stopped[place] and body in led:
                    # It will not reach the other stage's goal, so it gets its former velocity back.
                    across, up, spin = led[body]
                    body.velocity, body.angular_velocity = (across, up), spin
                velocities[place] = figures_of(body)[3:]
        may_fall = np.zeros(len(places), np.bool_)
        if any(sent.gravity):
            # A body with a velocity function of its own is left to it.
            may_fall[:] = [body._velocity_func is None and body not in led for body in sent.bodies()]
        sending = Sending(places, velocities, may_fall)
        sent.meetings.send(sending, encounter.known, encounter.times, dt, sent.gravity, sent.falling)

    def _is_where_it_was(self, body: pymunk.Body, owed: _Owed, place: list[float]) -> bool:
        return self._may_stop(body, body.body_type) and body.space is self.space and place == owed.place

    def _may_stop(self, body: pymunk.Body, kind: int) -> bool:
        return kind == DYNAMIC and (self.bodies is None or body in self.bodies)

    def settles(self, one: pymunk.Shape, other: pymunk.Shape) -> bool:
        """Return whether this stage alone decides about two shapes: never, since the engine or a rule decides."""
        return False

    # After a step.

    def after(self, dt: float) -> None:
        """Use the remaining time of bodies that were stopped."""
        self._impulses.end()
        begin, self._elapsed = self._elapsed, self._elapsed + dt
        sent, self._sent, self._owed = self._sent, None, {}
        if sent is not None:
            is_stopped = sent.meetings.stopped()[sent.places] < 1.0
            if is_stopped.any():
                self._has_struck = True
                if self._impacts > 1:
                    self._hits.update(compress(sent.bodies(), is_stopped.tolist()))
                struck = Struck(sent.encounter, sent.hits, self._parts)
                self._report.add(struck, begin / self._duration, dt / self._duration)
            self._arrive(sent, dt)
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

    def _arrive(self, sent: _Sent, dt: float) -> None:
        """Note which hits are over, and use the remaining time of the bodies that were stopped."""
        census, encounter, places = self._census, sent.encounter, sent.places
        # All bodies are still at the positions for which Pymunk detected collisions.
        census.read()
        if census.changes == sent.changes:
            rows, after = encounter.rows, census.figures[encounter.rows]
        else:
            bodies = encounter.bodies_at(np.arange(len(encounter.rows)))
            rows, after = self._rows_after(bodies), np.array([figures_of(body) for body in bodies])
            places = places[rows[places] >= 0]
        arrived = SentBodies(places, states_of(encounter.addresses[places]), census.sizes_of(rows[places]))
        # A handler may have moved a body.
        allowance = ASTRAY / SAFE, self._parts.slop
        arrivals, count = sent.meetings.arrivals(after, encounter.known, arrived, allowance)
        left = self._note_passing(sent, after, arrivals)
        if count:
            self._spend(sent, places[arrivals[places] == GOES_ON], after, rows, left, dt)

    def _rows_after(self, bodies: list[pymunk.Body]) -> Ints:
        """Return the rows of bodies after a step in which some were added or removed; -1 for those that are gone."""
        space, row_of = self.space, self._census.row_of
        rows = [row_of(body) if body.space is space else None for body in bodies]
        return np.array([-1 if row is None else row for row in rows], np.int64)

    def _note_passing(self, sent: _Sent, after: Floats, arrivals: Ints) -> Ints:
        """Note overlapping pairs that Pymunk has not separated, because of sensors or handlers.

        Return the pairs of shapes, by their numbers and sorted, that cannot hit each other again, because the first
        body moves away from the other one, which stands still.
        """
        encounter, (numbers, hits) = sent.encounter, sent.hits
        ends, lasting, left_count = sent.meetings.ends(hits, after, encounter.known, arrivals)
        for hit in np.flatnonzero(ends == MAY_LAST).tolist() if lasting else ():
            one, part, other, other_part, is_sensed, _ = hits.pairs[hit].tolist()
            shapes = frozenset(self._parts.numbered(number).shape for number in (part, other_part))
            body = encounter.body(one if hits.stopped[hit] & 1 and arrivals[one] != IS_ELSEWHERE else other)
            if is_sensed or (not _are_solved(body, shapes) and self._are_together(shapes)):
                self._passing.add(shapes)
        if not left_count:
            return NO_PAIRS
        is_left = ends == IS_LEFT
        left: Ints = encounter.shapes[numbers[is_left]]
        if self._census.changes != sent.changes:
            told = map(self._number_after, hits.pairs[is_left][:, [1, 3]].reshape(-1).tolist())
            left = np.fromiter(told, np.int64, left.size).reshape(-1, 2)
        if len(left) > 1:
            left = left[np.lexsort((left[:, 1], left[:, 0]))]
        return left

    def _number_after(self, part: int) -> int:
        """Return the number of a part's shape after a step in which shapes were added or removed; -1 if it is gone."""
        number = self._census.number_of(self._parts.numbered(part).shape)
        return -1 if number is None else number

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

    def _spend(self, sent: _Sent, places: Ints, after: Floats, rows: Ints, left: Ints, dt: float) -> None:
        """Move bodies on with their new velocities up to their next hits; they owe the time after that."""
        census, encounter, arrived = self._census, sent.encounter, rows[places]
        meetings, known, sizes = sent.meetings, encounter.known, census.fast.sizes[arrived]
        rests = meetings.rests(after, known, encounter.times, dt, sizes, places)
        # Handlers may have added and removed members of the space.
        self._joined = joined_bodies(self.space)
        self._exclude()
        near = census.pairs_around(arrived, rests.bounds())
        fractions = self._encounters.move_in_turn(near, arrived, rests.courses(), left)
        falls = NO_FALLS
        if sent.falling.any():
            falls = meetings.falls(sent.hits.hits, encounter.velocities, after, sent.gravity, dt)
        meetings.finish(places, rests, fractions, known, after, falls, sent.falling)
        times, (cut,) = rests.times(), np.nonzero(fractions < 1.0)
        held = bodies_on_joints(self.space) if len(cut) else ()
        for place in cut.tolist():
            body, time = encounter.body(places[place]), float(times[place] * (1.0 - fractions[place]))
            # Its joint does not wait: two bars that motors press on each other left their pivots by 52 px.
            if body not in held:
                self._owed[body] = _Owed(min(time, self._duration), [*place_of(body)])


def _parts(flight: Flight) -> int:
    """Return into how many parts the motion of a fast body is divided so that it is not fast."""
    _, _, _, across, up, spin = flight.figures
    speed = math.hypot(across, up) + abs(spin) * flight.size.reach
    return math.ceil(speed * flight.time / (SAFE * flight.size.thickness))


def _checked(name: str, members: Iterable[_Member] | None, kind: type[_Member]) -> list[_Member] | None:
    if members is None:
        return None
    listed = list(members)
    for member in listed:
        if not isinstance(member, kind):
            raise TypeError(f"{name} must be pymunk.{kind.__name__}, got {member!r}")
    return listed


def _moved(position: tuple[float, float], offset: tuple[float, float], angle: float) -> tuple[float, float]:
    """Return a position plus an offset that is rotated by an angle."""
    if offset == (0.0, 0.0):
        return position
    (x, y), (across, up), cos, sin = position, offset, math.cos(angle), math.sin(angle)
    return x + cos * across - sin * up, y + sin * across + cos * up


def _are_solved(body: pymunk.Body, shapes: frozenset[pymunk.Shape]) -> bool:
    """Return whether Pymunk has separated two shapes, of which one belongs to the body."""
    found = []
    body.each_arbiter(lambda arbiter: found.append(frozenset(arbiter.shapes)))
    return shapes in found
