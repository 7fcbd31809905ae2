"""Where the moving bodies of another engine stop each other in a step, for adapters.

`fast_bodies` finds the pairs that may hit each other.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from impinge.kernels import arrays
from impinge.kernels import columns as col
from impinge.kernels.arrays import Bools, Courses, Engine, Floats, Hits, Ints, Sending, SentBodies, Sweep, SweptParts
from impinge.kernels.entry import (
    find_arrivals,
    find_ends,
    find_strikes,
    finish_bodies,
    list_hits,
    list_sent,
    move_in_turn,
    send_bodies,
    settle_meetings,
    write_courses,
    write_falls,
    write_rests,
    write_row,
)
from impinge.shapes.solids import Solid

__all__ = [
    "GOES_ON",
    "HAS_ARRIVED",
    "IS_ELSEWHERE",
    "IS_LEFT",
    "IS_OVER",
    "MAY_LAST",
    "Engine",
    "HitRows",
    "Meetings",
    "Mover",
    "Pair",
    "PartRows",
    "Place",
    "Rests",
    "Sending",
    "SentBodies",
    "SweptPart",
]

# What a body did in a step, and how a hit ended.
IS_ELSEWHERE, HAS_ARRIVED, GOES_ON = col.IS_ELSEWHERE, col.HAS_ARRIVED, col.GOES_ON
IS_OVER, MAY_LAST, IS_LEFT = col.HIT_IS_OVER, col.HIT_MAY_LAST, col.HIT_IS_LEFT

NO_ENGINE = Engine(np.empty(0, np.int64), 0, np.empty(0, np.int64))

# Position and angle, or changes of them.
Place: TypeAlias = tuple[float, ...]


# The motion of a body in a step: eight numbers, straight with constant spin; its mass, since a lighter body does not
# turn a heavier one that it carries; and as 0 or 1, whether nothing may stop it, whether no hit makes it give way,
# whether it is fast, and whether the engine may also push it out of overlaps.
Mover: TypeAlias = tuple[float, ...]
# A pair of shapes: a body and its shape, whose core is swept; another body and its shape; and as 0 or 1, whether it is
# only reported because one is a sensor, and whether the two can hit each other only after a stop.
Pair: TypeAlias = tuple[int, ...]


class SweptPart:
    """A shape in the frame of its body's place.

    Parameters
    ----------
    solid, core
        The shape, and what it is without the depth up to which the engine lets shapes overlap.
    traits
        Half of its smallest width; the depth that the core lacks; the largest distance of its points from the origin;
        and the same for points that turning can bring into contact.
    """

    __slots__ = ("columns", "core", "solid", "traits")

    def __init__(self, solid: Solid, core: Solid, traits: tuple[float, float, float, float]) -> None:
        self.traits, self.core, self.solid = traits, core.row, solid.row
        self.columns = len(traits) + len(core.row) + len(solid.row)


def _new_sweep(columns: int) -> Sweep:
    """Return memory for impacts of parts in an array with so many columns."""
    return Sweep(
        np.empty((2, col.MOTION_COLUMNS)),
        np.zeros((1, col.IMPACT_COLUMNS)),
        np.empty(col.COURSE_COLUMNS),
        np.empty(col.AXIS_COLUMNS),
        np.zeros(2, np.bool_),
        np.empty((col.STACK_ROWS, 2), np.int64),
        np.empty((col.MEASURED_ROWS, col.MEASURED_COLUMNS)),
        np.empty(columns),
        np.empty(columns),
    )


class PartRows:
    """The parts of many shapes, kept from step to step.

    Attributes
    ----------
    sweep
        Memory for their impacts: allocated in each step, it would take a fifth of the step.

    Examples
    --------
    >>> from impinge import Circle
    >>> parts = PartRows()
    >>> parts.add(SweptPart(Circle(1), Circle(0.9), (1.0, 0.1, 1.0, 0.0)))
    0
    >>> parts.remove(0)
    >>> parts.add(SweptPart(Circle(2), Circle(1.9), (2.0, 0.1, 2.0, 0.0)))
    0
    """

    def __init__(self, parts: Iterable[SweptPart] = ()) -> None:
        self._rows, self._firsts = np.empty(64), np.zeros((8, col.PART_END + 1), np.int64)
        self.sweep = _new_sweep(64)
        # The end of the used columns, and how many of them are those of present parts.
        self._end = self._used = 0
        self._parts, self._total, self._free = dict[int, SweptPart](), 0, list[int]()
        for part in parts:
            self.add(part)

    @property
    def arrays(self) -> SweptParts:
        """The parts as the kernels take them, until the next one is added."""
        return SweptParts(self._rows, self._firsts)

    def add(self, part: SweptPart) -> int:
        """Add a part, and return its number."""
        if self._end + part.columns > len(self._rows):
            self._grow(part.columns)
        if self._free:
            number = self._free.pop()
        else:
            number, self._total = self._total, self._total + 1
            if self._total > len(self._firsts):
                self._firsts = np.concatenate([self._firsts, np.zeros_like(self._firsts)])
        self._used += part.columns
        self._write(number, part)
        return number

    def remove(self, number: int) -> None:
        """Remove a part. Its number is given to another one."""
        self._used -= self._parts.pop(number).columns
        self._firsts[number] = 0
        self._free.append(number)

    def _write(self, number: int, part: SweptPart) -> None:
        core = self._end + len(part.traits)
        solid, self._parts[number] = core + len(part.core), part
        self._rows[self._end : core] = part.traits
        write_row(part.core, self._rows, core)
        write_row(part.solid, self._rows, solid)
        self._firsts[number] = self._end, core, solid, solid + len(part.solid)
        self._end = solid + len(part.solid)

    def _grow(self, columns: int) -> None:
        """Move the present parts to the begin of an array with room for a further one."""
        self._rows, self._end = np.empty(2 * (self._used + columns)), 0
        self.sweep = _new_sweep(len(self._rows))
        self._firsts = self._firsts.copy()  # what has the former arrays keeps them
        for number, part in sorted(self._parts.items()):
            self._write(number, part)


class HitRows(NamedTuple):
    """Pairs that hit each other and were stopped, in this order.

    Attributes
    ----------
    numbers : (h,) int
        The numbers of the pairs.
    hits
        The pairs, as `Pair`; the bodies that each stopped, bit 1 for the first and bit 2 for the other; and times,
        normals and places.
    """

    numbers: Ints
    hits: Hits

    def times(self) -> Floats:
        """Return the time of each as a fraction of the step."""
        return self.hits.rows[:, col.MEETING_STOP]

    def normals(self) -> Floats:
        """Return the normal of each from the first body to the other, (h, 2)."""
        return self.hits.rows[:, col.MEETING_NORMAL : col.MEETING_NORMAL + 2]

    def places(self) -> Floats:
        """Return the places of both bodies at that time, (h, 6)."""
        return self.hits.rows[:, col.MEETING_PLACES :]


class Rests(NamedTuple):
    """The rests of motions.

    Attributes
    ----------
    rows : (k, 11)
        Place and angle at the begin and at the end; the bounds of the body on the way: left, bottom, right and top; and
        the duration.
    """

    rows: Floats

    def courses(self) -> Floats:
        """Return place and angle at the begin and at the end, (k, 6)."""
        return self.rows[:, : col.REST_BOUNDS]

    def bounds(self) -> Floats:
        """Return the bounds, (k, 4)."""
        return self.rows[:, col.REST_BOUNDS : col.REST_TIME]

    def times(self) -> Floats:
        """Return the durations, (k,)."""
        return self.rows[:, col.REST_TIME]


class Meetings:
    """The pairs of shapes that may hit each other in a step.

    Parameters
    ----------
    movers : (b, 13)
        The bodies, as `Mover`.
    parts
        The shapes.
    pairs : (p, 6) int
        The pairs, as `Pair`, in the order in which simultaneous meetings count.
    engine
        The C functions of the engine, as `impinge.foreign.body_functions` returns them, and the addresses of its space
        and of these bodies. Without it, `send` and `finish` cannot be called.

    Attributes
    ----------
    pairs
        The pairs.
    courses
        The bodies in the step, as the kernels keep them.

    Examples
    --------
    A ball of radius 1 that moves by 10 hits a wall at 6.5, which is at rest:

    >>> from impinge import Box, Circle
    >>> way, still = (0.0, 0.0, 0.0, 10.0, 0.0, 0.0, 0.0, 0.0), (7.0, 0.0, 0.0, 7.0, 0.0, 0.0, 0.0, 0.0)
    >>> ball = SweptPart(Circle(1), Circle(1), (1.0, 0.0, 1.0, 0.0))
    >>> wall = SweptPart(Box(1, 40), Box(1, 40), (0.5, 0.0, 20.01, 20.01))
    >>> movers = [(*way, 1.0, 0, 0, 1, 0), (*still, 1.0, 1, 1, 0, 0)]
    >>> meetings = Meetings(movers, PartRows([ball, wall]), [(0, 0, 1, 1, 0, 0)])
    >>> meetings.settle(0.5)
    >>> found = meetings.hit_rows()
    >>> found.times().round(3), found.normals(), found.hits.stopped
    (array([0.55]), array([[1., 0.]]), array([1]))
    >>> meetings.stopped().round(3)
    array([0.55, 1.  ])
    """

    def __init__(self, movers: ArrayLike, parts: PartRows, pairs: ArrayLike, engine: Engine = NO_ENGINE) -> None:
        movers = np.asarray(movers, np.float64).reshape(-1, col.MOVER_COLUMNS)
        self.pairs: Ints = np.asarray(pairs, np.int64).reshape(-1, col.PAIR_COLUMNS)
        total, count, leaves = len(movers), len(self.pairs), 1
        while leaves < count:
            leaves *= 2
        self.courses = Courses(
            np.empty((total, col.MOTION_COLUMNS)),
            np.empty((total, col.MOTION_COLUMNS)),
            np.empty((total, col.COURSE_NUMBERS)),
            np.empty((total, col.COURSE_FLAGS), np.int64),
        )
        write_courses(movers, self.courses)
        self._movers, self._engine = movers, engine
        self._parts, self._sweep = parts.arrays, parts.sweep
        self._meetings = arrays.Meetings(
            self.pairs,
            np.empty((count, col.MEETING_STATES), np.int64),
            np.empty((count, col.MEETING_HITS)),
            np.empty(total + 1, np.int64),
            np.empty(2 * count, np.int64),
            np.empty(2 * leaves, np.int64),
            np.empty(2, np.int64),
        )

    def settle(self, safe: float, dt: float = 1.0, partings: ArrayLike | None = None) -> None:
        """Stop the bodies where they hit each other, the earliest meeting first.

        Parameters
        ----------
        safe
            Allowed depth of a body in another one, as a fraction of its thickness.
        dt
            Duration of the step.
        partings : (b, 3)
            Without an engine: by what it would push each body out of overlaps in the step. It is used only for bodies
            with a hit that may be pushed. None for nothing.
        """
        if partings is not None:
            is_parted = self.courses.flags[:, col.COURSE_PARTING_STATE] == col.PARTING_UNUSED
            told = np.where(is_parted[:, None], partings, 0.0)
            self.courses.numbers[:, col.COURSE_PARTING : col.COURSE_PARTING + 3] = told
        settle_meetings(self.courses, self._parts, self._meetings, safe, self._sweep, self._engine, dt)

    def stopped(self) -> Floats:
        """Return when each body was stopped, as a fraction of the step: 1 without a stop."""
        return self.courses.numbers[:, col.COURSE_STOPPED]

    def sent(self, times: Floats, dt: float, turns: Ints) -> Ints:
        """Return the bodies that the engine alone would not bring to the end of their motions.

        Parameters
        ----------
        times : (b,)
            The durations of their motions; one that is longer than the step does not end in it.
        dt
            Duration of the step.
        turns : (b,)
            The order of bodies with a turn; those with -1 follow.
        """
        places = np.empty(2 * len(times), np.int64)
        return places[: list_sent(self.courses, times, dt, turns, places)]

    def stands(self) -> Floats:
        """Return the place of each body at the end of the step: x, y, angle."""
        return self.courses.rests[:, col.MOTION_END : col.MOTION_PULL]

    def send(
        self,
        sending: Sending,
        known: Floats,
        times: Floats,
        dt: float,
        gravity: tuple[float, float],
        falling: Bools,
    ) -> None:
        """Place bodies of the engine so that its step brings them to the ends of their motions.

        Parameters
        ----------
        sending
            The bodies to place.
        known : (b, 3)
            The centre of gravity of each body in its own frame, and its mass.
        times, dt, gravity
            The durations of the motions and of the step, and the gravity on all bodies.
        falling : (b,)
            Written: on which bodies gravity acts only as long as they move. They get its part until there, and nothing
            of the step.
        """
        send_bodies(self.courses, self._engine, sending, known, times, dt, gravity, falling)

    def finish(
        self, places: Ints, rests: Rests, fractions: Floats, known: Floats, after: Floats, falls: Floats, falling: Bools
    ) -> None:
        """Place bodies of the engine where the rests of their motions end, and give them their gravity until there.

        Parameters
        ----------
        places, rests, fractions : (k,)
            Those that go on, the rests of their motions, and how much of it each makes.
        known, after
            All bodies, as in `send` and `arrivals`.
        falls, falling : (b, 2), (b,)
            What `falls` returns and `send` writes. Without a body that falls, the former may be empty.
        """
        finish_bodies(self._engine, places, rests.rows, fractions, known, after, falls, falling)

    def hit_rows(self) -> HitRows:
        """Return the pairs that stopped bodies, in this order."""
        count = int(self._meetings.counts[1])
        pairs, rows = np.empty((count, col.PAIR_COLUMNS), np.int64), np.empty((count, col.MEETING_HITS))
        found = HitRows(np.empty(count, np.int64), Hits(pairs, np.empty(count, np.int64), rows))
        if count:
            list_hits(self._meetings, *found)
        return found

    def arrivals(
        self, after: Floats, centers: Floats, sent: SentBodies, allowance: tuple[float, float]
    ) -> tuple[Ints, int]:
        """Return which bodies are where they were sent, and how many go on.

        The former are `IS_ELSEWHERE`, `HAS_ARRIVED`, or `GOES_ON` after a stop.

        Parameters
        ----------
        after : (b, 6)
            Position, angle, velocity and angular velocity of each body after the step.
        centers : (b, 2 or more)
            The centre of gravity of each in its own frame.
        sent
            Those that were sent.
        allowance
            How far one may be from where it was sent: in longest ways that need no sweep, and in addition.
        """
        arrivals = np.empty(len(after), np.int64)
        return arrivals, find_arrivals(self.courses, after, centers, sent, allowance, arrivals)

    def ends(self, hits: Hits, after: Floats, centers: Floats, arrivals: Ints) -> tuple[Ints, int, int]:
        """Return how hits of bodies that have arrived ended: `IS_OVER`, `MAY_LAST`, or `IS_LEFT`.

        Also return the number of hits of both latter kinds.

        The first body of a pair has left the other one, which stands still, if it cannot hit it again. A sensed pair
        may always last.
        """
        ends = np.empty(len(hits.pairs), np.int64)
        return ends, *find_ends(self.courses, self._parts, hits, after, centers, arrivals, ends)

    def rests(self, after: Floats, centers: Floats, times: Floats, dt: float, sizes: Floats, places: Ints) -> Rests:
        """Return the rests of the motions of bodies after their stops, with their new velocities.

        Parameters
        ----------
        after, centers
            All bodies, as in `arrivals`.
        times : (b,)
            The durations of their motions.
        dt
            The duration of the step.
        sizes : (k, 3)
            The sizes of those that go on, as in `impinge.fast_bodies.FastBodies`.
        places : (k,)
            Those that go on.
        """
        rests = np.empty((len(places), col.REST_COLUMNS))
        write_rests(self.courses, after, centers, times, dt, sizes, places, rests)
        return Rests(rests)

    def strikes(self, safe: float) -> Floats:
        """Return for each pair when it hits each other if nothing else is in the way; NaN without a hit."""
        times = np.empty(len(self.pairs))
        find_strikes(self.courses, self._parts, self._meetings, safe, self._sweep, times)
        return times

    def move_in_turn(self, count: int, safe: float) -> Floats:
        """Move the first bodies, a count of them, one after the other, each until it hits a body, which stands.

        Return which fraction of its motion each makes. The pairs must be in the order of these bodies.
        """
        motions, times = self.courses.motions, np.empty(count)
        self.courses.rests[:, col.MOTION_END : col.MOTION_PULL] = motions[:, : col.MOTION_END]
        move_in_turn(self.courses, self._parts, self._meetings, safe, self._sweep, times)
        return times

    def falls(self, hits: Hits, velocities: Floats, after: Floats, gravity: tuple[float, float], dt: float) -> Floats:
        """Return the gravity on each body after its stop, (b, 2).

        An unstoppable body takes it along the normal from a body that rests on it.

        Parameters
        ----------
        hits
            The pairs that hit each other.
        velocities, after : (b, 3), (b, 6)
            Velocity and angular velocity of each body before the step, and each body after it, as in `arrivals`.
        gravity, dt
            The gravity on all of them, and the duration of the step.
        """
        falls = np.empty((len(after), 2))
        write_falls(hits, self._movers, velocities, after, gravity, dt, falls)
        return falls
