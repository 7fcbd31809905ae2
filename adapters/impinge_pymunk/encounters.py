"""The bodies and shapes that may hit each other in a step, read from Chipmunk in bulk: `impinge.meetings` for a space.

`census` finds which are near each other. `continuity` brings bodies to where they are stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
import pymunk
from numpy.typing import NDArray

from impinge.fast_bodies import BodyFacts, Members, MemberTraits, Near, ShapeMarks, ShapePairs, movers_of
from impinge.meetings import Meetings
from impinge_pymunk.census import Census
from impinge_pymunk.chipmunk import engine_of, facts_of_bodies, facts_of_shapes, have_contacts
from impinge_pymunk.parts import Parts

__all__ = ["NO_PAIRS", "Encounter", "Encounters"]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]

DYNAMIC = pymunk.Body.DYNAMIC
NO_PAIRS = np.empty((0, 2), np.int64)
# Columns of pairs: the second body, and all with both sides exchanged.
OTHER, SWAPPED = 2, [2, 3, 0, 1, 4, 5]
# Column of movers.
SWEPT = 11


class Encounter(NamedTuple):
    """Bodies that take part in a step, and the pairs of their shapes that may hit each other.

    Attributes
    ----------
    rows, addresses
        Their rows in the census, and the addresses of Chipmunk's bodies.
    all_bodies
        All bodies of the census.
    known : (b, 3)
        Their centres of gravity in their own frames, and their masses.
    velocities : (b, 3)
        Their velocities and angular velocities.
    times
        The durations of their ways in seconds: the step, and the time by which each is behind.
    movers, pairs
        The bodies and the pairs, as `impinge.meetings.Meetings` takes them.
    shapes : (p, 2) int
        The numbers of both shapes of each pair in the census.
    turns
        The place of each body in the order of first pairs, -1 without a pair.
    """

    rows: Ints
    addresses: Ints
    all_bodies: list[pymunk.Body]
    known: Floats
    velocities: Floats
    times: Floats
    movers: Floats
    pairs: Ints
    shapes: Ints
    turns: Ints

    def body(self, place: int) -> pymunk.Body:
        """Return the body at a place."""
        return self.all_bodies[int(self.rows[place])]

    def bodies_at(self, places: Ints) -> list[pymunk.Body]:
        """Return the bodies at places."""
        return [self.all_bodies[row] for row in self.rows[places].tolist()]

    def are_swept(self) -> Bools:
        """Return which bodies are fast."""
        are_swept: Bools = self.movers[:, SWEPT] == 1.0
        return are_swept


class Encounters:
    """The encounters of a space.

    Attributes
    ----------
    against_all
        Whether dynamic bodies are obstacles for each other.
    may_stop
        Returns whether a hit may stop a dynamic body; None if it may stop all.
    is_excluded
        Returns whether a pair of shapes does not count; None if all count.
    """

    def __init__(self, space: pymunk.Space, census: Census, parts: Parts) -> None:
        self._space, self._census, self._parts = space, census, parts
        # Of which shapes and parts the marks are.
        self._marks, self._marked = ShapeMarks(0), (-1, -1)
        self.against_all = True
        self.may_stop: Callable[[pymunk.Body], bool] | None = None
        self.is_excluded: Callable[[pymunk.Shape, pymunk.Shape], bool] | None = None

    def of_step(self, near: Near, dt: float, late: Mapping[int, float]) -> Encounter:
        """Return the encounter of a step.

        Parameters
        ----------
        near
            The pairs of the fast bodies of the census.
        dt
            Duration of the step.
        late
            By row, the time by which bodies are behind.
        """
        fast = self._census.fast
        members, is_near = fast.members(near, also=list(late))
        rows = members.bodies.copy()
        facts = self._facts(rows)
        self._leave_to_own_functions(rows, facts)
        times = np.full(len(rows), dt)
        for row, time in late.items():
            times[members.places[row]] = dt + time
        own = fast.times()[is_near]
        times[: len(own)] = own
        return self._encounter(near, members, (rows, facts), times, len(own))

    def move_in_turn(self, near: Near, arrived: Ints, courses: Floats, left: Ints) -> Floats:
        """Move bodies one after the other; return for each the fraction of its way until its first hit.

        The others stand. Pymunk detects collisions in the next step only: a body that is deeper by then may come out
        behind. So no depth is allowed.

        Parameters
        ----------
        near
            The pairs of these bodies, which the census took.
        arrived
            Their rows.
        courses : (n, 6)
            Places and angles of their centres at the begin and at the end.
        left : (l, 2) int
            Pairs of shapes that do not count, sorted.
        """
        fractions = np.ones(len(arrived))
        members, is_near = self._census.fast.members(near, left=left)
        if not len(members.bodies):
            return fractions
        rows, count = members.bodies.copy(), int(np.count_nonzero(is_near))
        facts = self._facts(rows)
        facts.may_stop[:count] = True
        encounter = self._encounter(near, members, (rows, facts), np.zeros(len(rows)), 0, left)
        encounter.movers[:count, : courses.shape[1]] = courses[is_near]
        pairs = encounter.pairs
        if len(pairs):
            if len(near[1]):
                # Each of two such bodies may hit the other one.
                pairs = np.concatenate([pairs, pairs[pairs[:, OTHER] < count][:, SWAPPED]])
                pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
            meetings = Meetings(encounter.movers, self._parts.rows, pairs)
            fractions[is_near] = meetings.move_in_turn(count, safe=0.0)
        return fractions

    def _facts(self, rows: Ints) -> BodyFacts:
        """Return what is known of the bodies in some rows of the census."""
        states, numbers = facts_of_bodies(self._census.body_addresses[rows])
        may_stop = states[:, 0] == DYNAMIC
        if self.may_stop is not None:
            may_stop &= [self.may_stop(self._census.bodies[row]) for row in rows.tolist()]
        return BodyFacts(states, numbers, may_stop, np.ones(len(rows), np.bool_))

    def _leave_to_own_functions(self, rows: Ints, facts: BodyFacts) -> None:
        """Note bodies that Pymunk does not push: a position function may ignore pushes, which stay for ever then."""
        bodies = self._census.bodies
        own = [place for place, row in enumerate(rows.tolist()) if bodies[row]._position_func is not None]
        for place in own:
            address = self._census.body_addresses[rows[place : place + 1]]
            facts.may_part[place] = have_contacts(self._space, address)

    def _encounter(
        self,
        near: Near,
        members: Members,
        found: tuple[Ints, BodyFacts],
        times: Floats,
        fast: int,
        left: Ints = NO_PAIRS,
    ) -> Encounter:
        census, (rows, facts) = self._census, found
        movers, known = movers_of(census.figures, rows, facts, times, fast), facts.numbers
        is_soft = np.zeros(len(rows), np.int64)
        if not self.against_all:
            is_soft[facts.states[:, 0] == DYNAMIC] = 1
        traits = MemberTraits(movers, is_soft, self._shapes_in(members, known), left)
        near_pairs = census.fast.shape_pairs(census.figures, near, members, traits, self._parts.rows)
        pairs, shapes = self._counting(near_pairs)
        addresses, velocities = census.body_addresses[rows], census.figures[rows, 3:]
        return Encounter(
            rows, addresses, census.bodies, known, velocities, times, movers, pairs, shapes, near_pairs.turns
        )

    def _shapes_in(self, members: Members, known: Floats) -> Ints:
        """Return filters, sensor flags and parts of the shapes of members."""
        census = self._census
        if (census.changes, self._parts.forgotten) != self._marked:
            self._marks = ShapeMarks(len(census.shapes))
        traits, marks = facts_of_shapes(census.shape_addresses[members.shapes])
        changed = self._marks.compare(members, known, marks, traits)
        if changed:
            self._marked = -1, -1  # until all are known: an interruption must not leave a shape without its part
        for place in changed:
            number = int(members.shapes[place])
            across, up, _ = known[members.places[members.owners[number]]].tolist()
            part = self._parts.of(census.shapes[number], (across, up))
            traits[place, -1] = -1 if part is None else part.number
            self._marks.note(number, int(traits[place, -1]))
        self._marked = census.changes, self._parts.forgotten
        return traits

    def _counting(self, found: ShapePairs) -> tuple[Ints, Ints]:
        """Return the pairs that count, and their shapes."""
        if self.is_excluded is None:
            return found.pairs, found.shapes
        shapes, excluded = self._census.shapes, self.is_excluded
        counts = [not excluded(shapes[one], shapes[other]) for one, other in found.shapes.tolist()]
        return found.pairs[counts], found.shapes[counts]

    def meetings(self, encounter: Encounter) -> Meetings:
        """Return the meetings of an encounter."""
        engine = engine_of(self._space, encounter.addresses)
        return Meetings(encounter.movers, self._parts.rows, encounter.pairs, engine)
