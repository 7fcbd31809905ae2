"""Positions and velocities of all bodies of a space, read at once, and which bodies are fast for their size.

The obstacles of fast bodies are in `meetings`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import chain
from typing import NamedTuple, TypeAlias

import numpy as np
import pymunk
from numpy.typing import NDArray

import impinge as im
from impinge.fast_bodies import FastBodies, Near
from impinge_pymunk.chipmunk import BodyReader, Finder, addresses_of, counts_of_shapes, outline_of
from impinge_pymunk.parts import Parts

__all__ = ["SAFE", "Census", "Flight"]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

# Fraction of its thickness that a body may move in a step without a sweep. Even if it overlapped an obstacle by the
# same amount before, Pymunk still knows on which side it is. Gravity comes on top: with Box2D's limit of 0.5, a tenth
# more bodies end deeper than half of their thickness.
SAFE = 0.4
PLACE, VELOCITY = slice(3), slice(3, 6)

# Up to this number of shapes for each fast body, a pass over all shapes is faster than queries of Pymunk's index: 70 ns
# for each shape, against 7 us for each fast body.
SHAPES_PER_QUERY = 100

NONE_LATE: dict[int, float] = {}
NEVER_FAST = math.inf, 0.0, 0.0
NO_OUTLINES = np.empty((0, 5))


class Size(NamedTuple):
    """The size of a body, as a `Census` uses it.

    Attributes
    ----------
    shapes
        The shapes of the body.
    outlines : (k, 5)
        Bounds of each shape, as `FastBodies` takes them.
    thickness, reach, extent
        Half of the smallest width of its shapes; the largest radius at which turning can bring them into contact; and
        an upper bound of their distance from the body's position, whatever point it turns about. They are measured
        when the body first moves: for 5,000 static tiles, that would take half a second.
    is_measured
        Whether they are measured.
    """

    shapes: tuple[pymunk.Shape, ...]
    outlines: Floats
    # With these, any motion is fast.
    thickness: float = 0.0
    reach: float = 1.0
    extent: float = 0.0
    is_measured: bool = False


class Flight(NamedTuple):
    """A body that is fast for its size.

    Attributes
    ----------
    row, size
        Row in the census, and size of the body.
    figures
        Position, angle, velocity and angular velocity.
    time
        Duration of the motion.
    """

    row: int
    size: Size
    figures: list[float]
    time: float


class Census:
    """The bodies of a space, row by row.

    Attributes
    ----------
    bodies, shapes
        The bodies and their shapes. Both lists are replaced when there are others.
    body_addresses, shape_addresses
        The addresses of Chipmunk's bodies and shapes.
    figures : (n, 6)
        Position, angle, velocity and angular velocity of each body.
    changes
        How often bodies or shapes were found to be added or removed.
    fast
        The fast bodies, and the pairs that may hit each other.

    Examples
    --------
    >>> space, body = pymunk.Space(), pymunk.Body(1, 1)
    >>> body.velocity = 600, 0
    >>> space.add(body, pymunk.Circle(body, 5), pymunk.Circle(space.static_body, 1, (9, 0)))
    >>> census = Census(space, Parts(slop=0.1))
    >>> census.read()
    >>> census.find_fast(0.01, {})
    1
    >>> [flight] = census.flights()
    >>> flight.figures, flight.size.thickness
    ([0.0, 0.0, 0.0, 600.0, 0.0, 0.0], 5.0)
    >>> near, mates = census.pairs()
    >>> [census.shapes[shape].radius for fast, shape in near], len(mates)
    ([1.0], 0)
    """

    def __init__(self, space: pymunk.Space, parts: Parts) -> None:
        self._space, self._parts = space, parts
        self._read = BodyReader(space)
        self._ids = b""
        # The shapes ever added and those present, and the latter in the order of the space.
        self._counts, self._known = (0, 0), dict[pymunk.Shape, int]()
        self._of_bodies: dict[pymunk.Body, Size] = {}
        self._rows: dict[pymunk.Body, int] = {}
        # Bodies that are not in the space although their shapes are.
        self._strays: list[pymunk.Body] = []
        # The numbers of shapes, made at the first request.
        self._numbers: dict[pymunk.Shape, int] = {}
        self._query, self.changes = Finder(space), 0
        self.bodies: list[pymunk.Body] = []
        self.shapes: list[pymunk.Shape] = []
        self.body_addresses = self.shape_addresses = np.empty(0, np.int64)
        self.figures: Floats = np.empty((0, 6))
        self._number()

    def read(self) -> None:
        """Read all bodies."""
        ids, counts = self._read(), counts_of_shapes(self._space)
        if ids != self._ids or counts != self._counts:
            self._meet(ids, counts)
        self.figures = self._read.figures
        if self._strays:
            places = [[*body.position, body.angle, 0.0, 0.0, 0.0] for body in self._strays]
            self.figures = np.vstack([self.figures, places])

    def read_again(self, dt: float) -> dict[pymunk.Body, list[float]]:
        """Read all bodies again after other stages have placed some so that a step leads them to their goals.

        For these bodies the motion goes from the former position to the goal. Return the former velocity of each.
        """
        before = self.figures.copy()
        self.read()
        moved = np.flatnonzero((self.figures[:, PLACE] != before[:, PLACE]).any(axis=1))
        ends = self.figures[moved, PLACE] + self.figures[moved, VELOCITY] * dt
        self.figures[moved] = np.hstack([before[moved, PLACE], (ends - before[moved, PLACE]) / dt])
        speeds: list[list[float]] = before[moved, VELOCITY].tolist()
        return {self.bodies[row]: speed for row, speed in zip(moved.tolist(), speeds, strict=True)}

    def _meet(self, ids: bytes, counts: tuple[int, int]) -> None:
        """Take up new bodies and shapes, and forget removed ones."""
        shapes = list(self._space.shapes)
        # A resized shape may be back in its place: it was removed and added again.
        news = set(shapes[max(len(shapes) - (counts[0] - self._counts[0]), 0) :])
        former, self._known = self._known, {shape: number for number, shape in enumerate(shapes)}
        for shape in news | (former.keys() ^ self._known.keys()):
            if shape.body is not None:
                self._of_bodies.pop(shape.body, None)
            if shape not in self._known:
                self._parts.forget(shape)
        self._ids, self._counts = ids, counts
        self.changes += 1
        by_id = {body.id: body for body in self._space.bodies}
        # The static body of the space is in the ids once a shape is attached to it, but not in `Space.bodies`.
        numbers = np.frombuffer(ids, np.uintp).tolist()
        self.bodies = [by_id.get(number) or self._space.static_body for number in numbers]
        candidates = dict.fromkeys([*self._rows, *(shape.body for shape in news)]).keys() - set(self.bodies)
        self._strays = [body for body in candidates if body is not None and body.shapes & self._known.keys()]
        self._strays.sort(key=lambda body: min(self._known.get(shape, len(shapes)) for shape in body.shapes))
        self.bodies += self._strays
        self._number()

    def _number(self) -> None:
        """Give rows to the bodies and numbers to their shapes, and make the arrays of their sizes."""
        self._rows = {body: row for row, body in enumerate(self.bodies)}
        sizes = [self._of_bodies.get(body) or self._size(body) for body in self.bodies]
        self._of_bodies, self._sizes = dict(zip(self.bodies, sizes, strict=True)), sizes
        told = [_told(size) for size in sizes]
        first_stray = len(sizes) - len(self._strays)
        told[first_stray:] = [NEVER_FAST] * len(self._strays)
        self._is_measured = np.array([size.is_measured for size in sizes], np.bool_)
        self.shapes, self._numbers = list(chain.from_iterable(size.shapes for size in sizes)), {}
        self.body_addresses, self.shape_addresses = addresses_of(self.bodies), addresses_of(self.shapes)
        counts = np.array([len(size.shapes) for size in sizes], np.int64)
        outlines = np.concatenate([NO_OUTLINES, *(size.outlines for size in sizes)])
        self.fast = FastBodies(told, outlines, np.repeat(np.arange(len(sizes), dtype=np.int64), counts))

    def _size(self, body: pymunk.Body) -> Size:
        # `Body.shapes` is a set without the game's order, and it includes shapes that are in no space.
        shapes = sorted(body.shapes & self._known.keys(), key=self._known.__getitem__)
        outlines = np.array([_outline(shape) for shape in shapes], np.float64).reshape(-1, 5)
        return Size(tuple(shapes), outlines)

    def _measure(self, row: int) -> None:
        """Measure the body in a row."""
        body, size = self.bodies[row], self._sizes[row]
        center = body.center_of_gravity
        parts = self._parts.of_all(size.shapes, center)
        thickness, reach, extent = math.inf, 0.0, 0.0
        if parts:
            thickness, reach = min(part.thickness for part in parts), max(part.reach for part in parts)
            extent = max(part.extent for part in parts) + 2.0 * math.hypot(*center)
        size = Size(size.shapes, size.outlines, thickness, reach, extent, is_measured=True)
        self._sizes[row] = self._of_bodies[body] = size
        self._is_measured[row] = True
        self.fast.resize(row, _told(size))

    def row_of(self, body: pymunk.Body) -> int | None:
        """Return the row of a body; None for a body without a row, such as one that has left the space."""
        return self._rows.get(body)

    def figures_of(self, body: pymunk.Body) -> list[float]:
        """Return the figures of a body, with or without a row."""
        row = self._rows.get(body)
        if row is None:
            return [*body.position, body.angle, 0.0, 0.0, 0.0]
        figures: list[float] = self.figures[row].tolist()
        return figures

    def find_fast(self, dt: float, owed: Mapping[pymunk.Body, float]) -> int:
        """Find the fast bodies of a step, and return their number.

        Parameters
        ----------
        dt
            Duration of the step.
        owed
            Additional time of bodies that are behind.

        Raises
        ------
        impinge.ShapeError
            If a value of a body is not finite.
        """
        late = {self._rows[body]: dt + time for body, time in owed.items()} if owed else NONE_LATE
        count = self.fast.find(self.figures, dt, late)
        if count < 0:
            raise im.ShapeError(f"{self.bodies[-1 - count]!r}: position, angle and velocities must be finite")
        if count > 0:
            rows = self.fast.rows()
            news = rows[~self._is_measured[rows]].tolist()
            for row in news:
                self._measure(row)
            if news:
                count = self.fast.find(self.figures, dt, late)
        return count

    def flights(self) -> list[Flight]:
        """Return the fast bodies."""
        rows = self.fast.rows()
        told = zip(rows.tolist(), self.figures[rows].tolist(), self.fast.times().tolist(), strict=True)
        return [Flight(row, self._sizes[row], figures, time) for row, figures, time in told]

    def sizes_of(self, rows: Ints) -> Floats:
        """Return the sizes of bodies, as `FastBodies` has them."""
        is_measured = self._is_measured[rows]
        if not is_measured.all():
            for row in rows[~is_measured].tolist():
                self._measure(row)
        sizes: Floats = self.fast.sizes[rows]
        return sizes

    def pairs(self) -> Near:
        """Return the pairs that may hit each other: of fast bodies with shapes of others, and with each other."""
        rows = self.fast.rows().tolist()
        if len(self.shapes) <= SHAPES_PER_QUERY * len(rows):
            return self.fast.pairs(self.figures)
        fast, numbers = set(rows), self._numbered()
        near = [
            (number, shape)
            for number in range(len(rows))
            for shape in sorted(numbers[found] for found in self._query(self.fast.bounds(number)))
            if self._rows[self.shapes[shape].body] not in fast
        ]
        return np.array(near, np.int64).reshape(-1, 2), self.fast.mates(self.figures)

    def pairs_around(self, rows: Ints, bounds: Floats) -> Near:
        """Return the pairs of some bodies, in this order, with shapes of others in their bounds, and with each other.

        From then on these bodies count as the fast ones.
        """
        self.fast.take(rows, bounds)
        return self.pairs()

    def number_of(self, shape: pymunk.Shape) -> int | None:
        """Return the number of a shape; None for one that is not in the space."""
        return self._numbered().get(shape)

    def _numbered(self) -> dict[pymunk.Shape, int]:
        if not self._numbers:
            self._numbers = {shape: number for number, shape in enumerate(self.shapes)}
        return self._numbers


def _told(size: Size) -> tuple[float, float, float]:
    """Return the size of a body as `FastBodies` takes it."""
    return SAFE * size.thickness, size.reach, size.extent


def _outline(shape: pymunk.Shape) -> list[float]:
    """Return the box around the points of a shape in the frame of its body, and the shape's radius."""
    radius, *flat = outline_of(shape)
    (left, right), (bottom, top) = ((min(line), max(line)) for line in (flat[::2], flat[1::2]))
    return [0.5 * (left + right), 0.5 * (bottom + top), 0.5 * (right - left), 0.5 * (top - bottom), radius]
