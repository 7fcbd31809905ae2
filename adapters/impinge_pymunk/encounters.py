"""The bodies and shapes that may hit each other in a step, read from Chipmunk in bulk: `impinge.meetings` for a space.

`census` finds which are near each other. `continuity` brings bodies to where they are stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pymunk
from numpy.typing import NDArray

from impinge.fast_bodies import BodyFacts, Members, MemberTraits, Near, ShapeMarks, ShapePairs, movers_of
from impinge.meetings import Meetings
from impinge_pymunk.census import Census
from impinge_pymunk.chipmunk import facts_of_bodies, have_contacts, marks_of, write_facts_of_shapes
from impinge_pymunk.parts import Parts

__all__ = ["Encounter", "Encounters"]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]

DYNAMIC, STATIC = pymunk.Body.DYNAMIC, pymunk.Body.STATIC
NO_PAIRS = np.empty((0, 2), np.int64)
# Columns of pairs: the second body, and all with both sides exchanged.
OTHER, SWAPPED = 2, [2, 3, 0, 1, 4, 5]
# Columns of movers.
HEAVY, SWEPT = 10, 11


# Bodies, also as Chipmunk's, and what is known of them.
Found: TypeAlias = tuple[list[pymunk.Body], list[Any], BodyFacts]


class Encounter(NamedTuple):
    """Bodies that take part in a step, and the pairs of their shapes that may hit each other.

    Attributes
    ----------
    rows, bodies, pointers
        Their rows in the census, and the bodies, also as Chipmunk's.
    centers
        Their centres of gravity in their own frames.
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
    bodies: list[pymunk.Body]
    pointers: list[Any]
    centers: Floats
    velocities: Floats
    times: Floats
    movers: Floats
    pairs: Ints
    shapes: Ints
    turns: Ints

    def are_swept(self, places: Ints) -> Bools:
        """Return which bodies are fast."""
        are_swept: Bools = self.movers[places, SWEPT] == 1.0
        return are_swept

    def is_heavy(self, place: int) -> bool:
        """Return whether no hit makes a body give way."""
        return bool(self.movers[place, HEAVY] == 1.0)


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
        self._marks, self._changes = ShapeMarks(0), -1
        self.against_all = True
        self.may_stop: Callable[[pymunk.Body], bool] | None = None
        self.is_excluded: Callable[[pymunk.Shape, pymunk.Shape], bool] | None = None

    def of_step(self, near: Near, dt: float, late: Mapping[int, float], is_changed: bool) -> Encounter:
        """Return the encounter of a step.

        Parameters
        ----------
        near
            The pairs of the fast bodies of the census.
        dt
            Duration of the step.
        late
            By row, the time by which bodies are behind.
        is_changed
            Whether shapes or bodies were added or removed since the last step, and with them contacts.
        """
        fast = self._census.fast
        members, is_near = fast.members(near, also=list(late))
        bodies, pointers, facts = self._bodies_in(members)
        # Pymunk pushes only a body with contacts, or one of which the game has removed those of the last step.
        if not is_changed:
            facts = facts._replace(may_part=have_contacts(self._space, pointers))
        times = np.full(len(bodies), dt)
        for row, time in late.items():
            times[members.places[row]] = dt + time
        own = fast.times()[is_near]
        times[: len(own)] = own
        return self._encounter(near, members, (bodies, pointers, facts), times, len(own))

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
        found = bodies, _, facts = self._bodies_in(members)
        count = int(np.count_nonzero(is_near))
        facts.may_stop[:count] = True
        encounter = self._encounter(near, members, found, np.zeros(len(bodies)), 0, left)
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

    def _bodies_in(self, members: Members) -> Found:
        rows, census = members.bodies.tolist(), self._census
        bodies, pointers = [census.bodies[row] for row in rows], [census.body_pointers[row] for row in rows]
        kinds, are_sleeping, centers, masses = facts_of_bodies(pointers)
        is_dynamic, may_stop = kinds == DYNAMIC, kinds == DYNAMIC
        if self.may_stop is not None:
            may_stop &= np.fromiter(map(self.may_stop, bodies), np.bool_, len(bodies))
        is_still = (kinds == STATIC) | are_sleeping
        return bodies, pointers, BodyFacts(is_dynamic, is_still, are_sleeping, may_stop, is_dynamic, centers, masses)

    def _encounter(
        self,
        near: Near,
        members: Members,
        found: Found,
        times: Floats,
        fast: int,
        left: Ints = NO_PAIRS,
    ) -> Encounter:
        census, rows, (bodies, pointers, facts) = self._census, members.bodies.copy(), found
        movers = movers_of(census.figures, rows, facts, times, fast)
        is_soft = np.zeros(len(rows), np.int64) if self.against_all else facts.is_dynamic.astype(np.int64)
        traits = MemberTraits(movers, is_soft, self._shapes_in(members, facts), left)
        near_pairs = census.fast.shape_pairs(census.figures, near, members, traits, self._parts.rows)
        pairs, shapes = self._counting(near_pairs)
        velocities = census.figures[rows, 3:]
        return Encounter(
            rows, bodies, pointers, facts.centers, velocities, times, movers, pairs, shapes, near_pairs.turns
        )

    def _shapes_in(self, members: Members, facts: BodyFacts) -> Ints:
        """Return filters, sensor flags and parts of the shapes of members."""
        census = self._census
        if census.changes != self._changes:
            self._marks, self._changes = ShapeMarks(len(census.shapes)), census.changes
        pointers = [census.shape_pointers[shape] for shape in members.shapes.tolist()]
        traits, marks = np.empty((len(pointers), 5), np.int64), np.zeros((len(pointers), 3))
        write_facts_of_shapes(pointers, traits)
        # Those of dynamic bodies may change: a game has thousands of others.
        (moving,) = np.nonzero(facts.is_dynamic[members.places[members.owners[members.shapes]]])
        marks[moving] = marks_of([pointers[place] for place in moving.tolist()])
        changed = self._marks.compare(members, facts.centers, marks, traits)
        if changed:
            self._changes = -1  # until all are known: an interruption must not leave a shape without its part
        for place in changed:
            number = int(members.shapes[place])
            across, up = facts.centers[members.places[members.owners[number]]].tolist()
            part = self._parts.of(census.shapes[number], (across, up))
            traits[place, -1] = -1 if part is None else part.number
            self._marks.note(number, int(traits[place, -1]))
        self._changes = census.changes
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
        return Meetings(encounter.movers, self._parts.rows, encounter.pairs)
