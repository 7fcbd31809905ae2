"""Bodies of another engine that are fast for their size, and the pairs that may hit each other, for adapters.

Not here: whether a pair hits each other, which `meetings` computes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from impinge.kernels import columns as col
from impinge.kernels.arrays import (
    BodyFacts,
    BodyShapes,
    Bools,
    FastMotions,
    Floats,
    Ints,
    Members,
    MemberTraits,
    ShapePairs,
)
from impinge.kernels.entry import find_changed, find_fast, find_near, list_members, write_movers, write_pairs
from impinge.meetings import PartRows

__all__ = [
    "BodyFacts",
    "FastBodies",
    "MemberTraits",
    "Members",
    "Near",
    "ShapeMarks",
    "ShapePairs",
    "movers_of",
]

# Pairs that may hit each other, (k, 2): of fast bodies, by their numbers, with shapes of others, sorted; and with each
# other.
Near: TypeAlias = tuple[Ints, Ints]

# Rows of pairs to allocate at first.
MIN_PAIRS = 64

NO_ROWS, NO_TIMES, NO_PAIRS = np.empty(0, np.int64), np.empty(0), np.empty((0, 2), np.int64)
NO_SHAPES = BodyShapes(np.empty((0, col.OUTLINE_COLUMNS)), NO_ROWS, np.empty((0, 4)), np.empty((0, 3)))


class FastBodies:
    """The fast bodies of a step.

    Parameters
    ----------
    sizes : (n, 3)
        For each body, which may be resized: the longest way that needs no sweep, infinite for a body without shapes;
        the radius at which its rotation counts; and an upper bound of the distance of its points from its place.
    outlines : (m, 5)
        For each shape, a box in the frame of its body, as centre and half extents, and the radius around it.
    bodies : (m,) int
        The row of each shape's body, ascending.

    Attributes
    ----------
    sizes
        The sizes of the bodies.

    Examples
    --------
    Body 0 moves by 6, which is more than its limit of 1. The shape of body 1 is in its way:

    >>> fast = FastBodies([(1, 0, 2), (1, 0, 2)], [(0, 0, 0, 0, 2), (0, 0, 1, 1, 0)], [0, 1])
    >>> figures = np.array([(0.0, 0.0, 0.0, 600.0, 0.0, 0.0), (5.0, 0.0, 0.0, 0.0, 0.0, 0.0)])
    >>> fast.find(figures, 0.01, {})
    1
    >>> fast.rows(), fast.times(), fast.pairs(figures)
    (array([0]), array([0.01]), (array([[0, 1]]), array([], shape=(0, 2), dtype=int64)))
    """

    def __init__(self, sizes: ArrayLike, outlines: ArrayLike, bodies: ArrayLike) -> None:
        self.sizes = np.array(sizes, np.float64).reshape(-1, col.SIZE_COLUMNS)
        boxes = np.array(outlines, np.float64).reshape(-1, col.OUTLINE_COLUMNS)
        # No pose is equal to NaN.
        poses = np.full((len(boxes), 3), math.nan)
        self._shapes = BodyShapes(boxes, np.array(bodies, np.int64), np.empty((len(boxes), 4)), poses)
        total = len(self.sizes)
        owners = self._shapes.bodies
        firsts = np.searchsorted(owners, np.arange(total + 1))
        memory = [np.empty(size, np.int64) for size in (total, len(owners), total, len(owners))]
        self._members = Members(owners, firsts, *memory)
        self._rows, self._swept = np.empty(total, np.int64), np.empty((total, col.SWEPT_COLUMNS))
        self._near: Ints = np.empty((MIN_PAIRS, 2), np.int64)
        self._mates: Ints = np.empty((MIN_PAIRS, 2), np.int64)
        self._count, self._slow = 0, 0.0

    def resize(self, row: int, size: Sequence[float]) -> None:
        """Set the size of a body."""
        self.sizes[row] = size

    def find(self, figures: Floats, time: float, late: Mapping[int, float]) -> int:
        """Find the fast bodies, and return their number; if a body has a number that is not finite, -1 minus its row.

        Parameters
        ----------
        figures : (n, 6)
            Position, angle, velocity and angular velocity of each body.
        time
            Duration of the motions.
        late
            Durations of the motions of other rows.
        """
        rows, times = NO_ROWS, NO_TIMES
        if late:
            rows = np.array(sorted(late), np.int64)
            times = np.array([late[row] for row in rows.tolist()], np.float64)
        self._count, self._slow = find_fast(figures, self.sizes, time, rows, times, self._rows, self._swept)
        return self._count

    def take(self, rows: ArrayLike, bounds: ArrayLike) -> None:
        """Take some bodies as the fast ones, in this order, with the bounds of their motions; all others stand."""
        rows = np.asarray(rows, np.int64)
        self._count, self._slow = len(rows), 0.0
        self._rows[: len(rows)] = rows
        self._swept[: len(rows), : col.SWEPT_TIME] = bounds
        self._swept[: len(rows), col.SWEPT_TIME] = 0.0

    def rows(self) -> Ints:
        """Return the rows of the fast bodies: in ascending order, unless others were taken."""
        return self._rows[: self._count]

    def times(self) -> Floats:
        """Return the duration of the motion of each fast body."""
        return self._swept[: self._count, col.SWEPT_TIME]

    def bounds(self, number: int) -> tuple[float, float, float, float]:
        """Return the bounds in which a fast body may hit another shape: left, bottom, right and top."""
        left, bottom, right, top, _ = self._swept[number].tolist()
        return left - self._slow, bottom - self._slow, right + self._slow, top + self._slow

    def pairs(self, figures: Floats) -> Near:
        """Return the pairs that may hit each other: of fast bodies with shapes of others, and with each other.

        They are valid until the next call.
        """
        return self._pairs(figures, self._shapes)

    def mates(self, figures: Floats) -> Ints:
        """Return the pairs of fast bodies that may hit each other."""
        _, mates = self._pairs(figures, NO_SHAPES)
        return mates

    def _pairs(self, figures: Floats, shapes: BodyShapes) -> Near:
        while True:
            near, mates = self._near, self._mates
            total, mates_total = find_near(
                figures, shapes, self._rows, self._swept, self._count, self._slow, near, mates
            )
            if total <= len(near) and mates_total <= len(mates):
                break
            self._near, self._mates = (np.empty((2 * each, 2), np.int64) for each in (total, mates_total))
        return near[:total], mates[:mates_total]

    def members(self, near: Near, also: Sequence[int] = (), left: Ints = NO_PAIRS) -> tuple[Members, Bools]:
        """Return the bodies and shapes that take part in pairs, each once, and which fast bodies are among them.

        These come first, in their order. All is valid until the next call.

        Parameters
        ----------
        near
            The pairs.
        also
            The rows of further bodies.
        left : (l, 2) int
            Pairs of shapes that do not count, sorted.
        """
        members, rows = self._members, self.rows()
        bodies, shapes = list_members(rows, *near, left, members)
        is_member = members.places[rows] >= 0
        for row in also:
            if members.places[row] < 0:
                members.places[row], members.bodies[bodies] = bodies, row
                bodies += 1
        owners, firsts, rows, numbers, *places = members
        return Members(owners, firsts, rows[:bodies], numbers[:shapes], *places), is_member

    def shape_pairs(
        self, figures: Floats, near: Near, members: Members, traits: MemberTraits, parts: PartRows
    ) -> ShapePairs:
        """Return the pairs of shapes that may hit each other.

        Parameters
        ----------
        figures, near
            All bodies, and the pairs of fast ones.
        members, traits
            The bodies and shapes that take part in them, and what is known of these.
        parts
            The parts of these shapes.
        """
        fast = FastMotions(figures, self.sizes, self.rows(), self._swept)
        room = 2 * sum(map(len, near))
        while True:
            pairs, shapes = np.empty((room, col.PAIR_COLUMNS), np.int64), np.empty((room, 2), np.int64)
            found = ShapePairs(pairs, shapes, np.empty(len(members.bodies), np.int64), np.empty(2, np.int64))
            write_pairs(fast, *near, members, traits, parts.arrays, found)
            count = int(found.counts[0])
            if count <= room:
                return ShapePairs(pairs[:count], shapes[:count], found.turns, found.counts)
            room = count


def movers_of(figures: Floats, rows: Ints, facts: BodyFacts, times: Floats, fast: int) -> Floats:
    """Return bodies as `impinge.meetings` takes them, (b, 13).

    Parameters
    ----------
    figures : (n, 6)
        Position, angle, velocity and angular velocity of all bodies.
    rows, facts, times : (b,)
        Some of them, what is known of these, and the durations of their motions.
    fast
        How many of these, the first ones, are swept.
    """
    movers = np.empty((len(rows), col.MOVER_COLUMNS))
    write_movers(figures, rows, facts, times, fast, movers)
    return movers


class ShapeMarks:
    """The parts of all shapes, and numbers by which it is noticed that one of them has another outline.

    Parameters
    ----------
    count
        The number of shapes.
    """

    def __init__(self, count: int) -> None:
        self._known, self._parts = np.empty((count, col.MARK_COLUMNS)), np.full(count, col.PART_UNKNOWN)

    def compare(self, members: Members, centers: Floats, marks: Floats, shapes: Ints) -> list[int]:
        """Write the numbers of the parts of members; return the places of shapes that are not as they were.

        Parameters
        ----------
        members, centers
            The shapes, and the centres of gravity of the bodies.
        marks : (s, 3)
            Numbers that change with the outline of a shape.
        shapes : (s, 5)
            Written: the last column.
        """
        changed = np.empty(len(shapes), np.int64)
        count = find_changed(members, centers, marks, self._known, self._parts, shapes, changed)
        places: list[int] = changed[:count].tolist()
        return places

    def note(self, shape: int, part: int) -> None:
        """Note the part of a shape."""
        self._parts[shape] = part
