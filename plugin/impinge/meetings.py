"""Where the moving bodies of another engine stop each other in a step, for adapters.

`fast_bodies` finds the pairs that may hit each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from impinge.kernels import arrays
from impinge.kernels import columns as col
from impinge.kernels.arrays import Course, Courses, SweptParts
from impinge.kernels.entry import find_strikes, move_in_turn, settle_meetings
from impinge.shapes.solids import Solid

__all__ = ["Change", "Hit", "Meetings", "Mover", "Pair", "Place", "SweptPart"]

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

    __slots__ = ("lengths", "row")

    def __init__(self, solid: Solid, core: Solid, traits: tuple[float, float, float, float]) -> None:
        self.row = np.concatenate([traits, core.row, solid.row])
        self.lengths = len(traits), len(core.row), len(solid.row)


class Hit(NamedTuple):
    """A pair that hit each other and was stopped.

    Attributes
    ----------
    pair
        The number of the pair.
    time, normal
        The time as a fraction of the step, and the normal from the first body to the other.
    stopped
        The bodies that it stopped: bit 1 for the first, bit 2 for the other.
    places
        The places of both at that time.
    """

    pair: int
    time: float
    normal: tuple[float, float]
    stopped: int
    places: tuple[Place, Place]


class Change(NamedTuple):
    """A body that was stopped, or that the engine will push out of overlaps.

    Attributes
    ----------
    body
        The row of the body.
    stopped
        Time of its stop as a fraction of the step; 1 without a stop.
    course, stand
        Its motion, with the displacement by which it is pushed out, and its place at the end of the step.
    """

    body: int
    stopped: float
    course: Course
    stand: Place


class Meetings:
    """The pairs of shapes that may hit each other in a step.

    Parameters
    ----------
    movers, parts
        The bodies and their shapes.
    pairs
        The pairs, in the order in which simultaneous meetings count.

    Examples
    --------
    A ball of radius 1 that moves by 10 hits a wall at 6.5, which is at rest:

    >>> from impinge import Box, Circle
    >>> way, still = (0.0, 0.0, 0.0, 10.0, 0.0, 0.0, 0.0, 0.0), (7.0, 0.0, 0.0, 7.0, 0.0, 0.0, 0.0, 0.0)
    >>> ball = SweptPart(Circle(1), Circle(1), (1.0, 0.0, 1.0, 0.0))
    >>> wall = SweptPart(Box(1, 40), Box(1, 40), (0.5, 0.0, 20.01, 20.01))
    >>> movers = [(*way, 1.0, 0, 0, 1, 0), (*still, 1.0, 1, 1, 0, 0)]
    >>> meetings = Meetings(movers, [ball, wall], [(0, 0, 1, 1, 0, 0)])
    >>> meetings.settle(0.5, None)
    >>> [hit] = meetings.hits()
    >>> round(hit.time, 3), hit.normal, hit.stopped
    (0.55, (1.0, 0.0), 1)
    """

    def __init__(self, movers: Sequence[Mover], parts: Sequence[SweptPart], pairs: Sequence[Pair]) -> None:
        rows, total = np.array(movers, np.float64), len(movers)
        motions = rows[:, : col.MOTION_COLUMNS].copy()
        numbers, flags = np.zeros((total, col.COURSE_NUMBERS)), np.zeros((total, col.COURSE_FLAGS), np.int64)
        numbers[:, col.COURSE_STOPPED] = numbers[:, col.COURSE_SINCE] = 1.0
        numbers[:, col.COURSE_MASS] = rows[:, col.MOTION_COLUMNS]
        flags[:, : col.COURSE_PARTING_STATE] = rows[:, col.MOTION_COLUMNS + 1 : -1]
        flags[:, col.COURSE_PARTING_STATE] = np.where(rows[:, -1] == 1.0, col.PARTING_UNKNOWN, col.PARTING_USED)
        flags[:, col.COURSE_CARRIER] = -1
        self._courses = Courses(motions, motions.copy(), numbers, flags)
        firsts = np.zeros((len(parts), col.PART_END + 1), np.int64)
        ends = np.cumsum(np.array([part.lengths for part in parts]).reshape(-1)).reshape(-1, col.PART_END)
        firsts[:, col.PART_CORE :] = ends
        firsts[1:, col.PART_TRAITS] = ends[:-1, -1]
        self._parts = SweptParts(np.concatenate([part.row for part in parts]), firsts)
        leaves, count = 1, len(pairs)
        while leaves < count:
            leaves *= 2
        self._meetings = arrays.Meetings(
            np.array(pairs, np.int64).reshape(-1, col.PAIR_COLUMNS),
            np.empty((count, col.MEETING_STATES), np.int64),
            np.empty((count, col.MEETING_HITS)),
            np.empty(total + 1, np.int64),
            np.empty(2 * count, np.int64),
            np.empty(2 * leaves, np.int64),
            np.array([-1, 0]),
        )

    def settle(self, safe: float, parting_of: Callable[[int], Place] | None) -> None:
        """Stop the bodies where they hit each other, the earliest meeting first.

        Parameters
        ----------
        safe
            Allowed depth of a body in another one, as a fraction of its thickness.
        parting_of
            Returns by what the engine pushes a body out of overlaps in the step. It is called for bodies with a hit, if
            their `Mover.is_parted`.
        """
        numbers, flags = self._courses.numbers, self._courses.flags
        while (body := settle_meetings(self._courses, self._parts, self._meetings, safe)) >= 0:
            assert parting_of is not None
            numbers[body, col.COURSE_PARTING : col.COURSE_PARTING + 3] = parting_of(body)
            flags[body, col.COURSE_PARTING_STATE] = col.PARTING_TOLD

    def changes(self) -> list[Change]:
        """Return the bodies that were stopped, or pushed out of overlaps, by row."""
        motions, rests, numbers, flags = self._courses
        (rows,) = np.nonzero(flags[:, col.COURSE_STOPS] + flags[:, col.COURSE_SHIFTS])
        stands = rests[rows, col.MOTION_END : col.MOTION_PULL].tolist()
        told = zip(
            rows.tolist(), numbers[rows, col.COURSE_STOPPED].tolist(), motions[rows].tolist(), stands, strict=True
        )
        return [Change(row, stopped, tuple(course), tuple(stand)) for row, stopped, course, stand in told]

    def hits(self) -> list[Hit]:
        """Return the pairs that stopped bodies, in this order."""
        states, hits = self._meetings.states, self._meetings.hits
        (met,) = np.nonzero(states[:, col.MEETING_ORDER] >= 0)
        rows = zip(met.tolist(), states[met].tolist(), hits[met].tolist(), strict=True)
        found = [
            (
                state[col.MEETING_ORDER],
                Hit(
                    pair,
                    hit[col.MEETING_STOP],
                    (hit[col.MEETING_NORMAL], hit[col.MEETING_NORMAL + 1]),
                    state[col.MEETING_STOPPED],
                    ((*hit[-6:-3],), (*hit[-3:],)),
                ),
            )
            for pair, state, hit in rows
        ]
        return [hit for _, hit in sorted(found)]

    def strikes(self, safe: float) -> list[float]:
        """Return for each pair when it hits each other if nothing else is in the way; NaN without a hit."""
        times = np.empty(len(self._meetings.pairs))
        find_strikes(self._courses, self._parts, self._meetings, safe, times)
        found: list[float] = times.tolist()
        return found

    def move_in_turn(self, count: int, safe: float) -> list[float]:
        """Move the first bodies, a count of them, one after the other, each until it hits a body, which stands.

        Return which fraction of its motion each makes. The pairs must be in the order of these bodies.
        """
        motions, times = self._courses.motions, np.empty(count)
        self._courses.rests[:, col.MOTION_END : col.MOTION_PULL] = motions[:, : col.MOTION_END]
        move_in_turn(self._courses, self._parts, self._meetings, safe, times)
        fractions: list[float] = times.tolist()
        return fractions
