"""How the bodies of a space go, read all at once, and which of them are fast for their size.

Not here: what is in their way, which is in `meetings`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import pymunk
from numpy.typing import NDArray
from pymunk.batch import BodyFields, Buffer, get_space_bodies

import impinge as im
from impinge_pymunk.ways import Parts

__all__ = ["SAFE", "Census", "near_pairs"]

Floats: TypeAlias = NDArray[np.float64]

# Of its thickness what a body may go in a step without being looked at: with as much again that it was in before,
# Pymunk still knows on which side it is. Box2D draws the line there as well.
SAFE = 0.5

FIELDS = BodyFields.BODY_ID | BodyFields.POSITION | BodyFields.ANGLE | BodyFields.VELOCITY | BodyFields.ANGULAR_VELOCITY
X, Y, ANGLE, ACROSS, UP, SPIN = range(6)


class Size(NamedTuple):
    """What a `Census` knows of the size of a body.

    Attributes
    ----------
    shapes
        Its shapes.
    thickness, reach, extent
        Half of the smallest width of its shapes; how far they can turn into something; and how far they are from its
        position, at the most, wherever it is that it turns about.
    """

    shapes: tuple[pymunk.Shape, ...]
    thickness: float
    reach: float
    extent: float


class Flight(NamedTuple):
    """A body that is fast for its size.

    Attributes
    ----------
    row, size
        Its row in the census, and its size.
    figures
        Its position, its angle, its velocity and its angular velocity.
    time
        How long it goes.
    bounds
        What it passes: left, bottom, right and top.
    """

    row: int
    size: Size
    figures: list[float]
    time: float
    bounds: tuple[float, float, float, float]

    def goes_with(self, other: Flight) -> bool:
        """Whether two that are fast hardly move as one sees the other: bits that fall side by side."""
        (_, _, _, ax, ay, a_spin), (_, _, _, bx, by, b_spin) = self.figures, other.figures
        a_time, b_time = self.time, other.time
        turns = abs(a_spin) * a_time * self.size.reach + abs(b_spin) * b_time * other.size.reach
        way = math.hypot(ax * a_time - bx * b_time, ay * a_time - by * b_time) + turns
        return way <= SAFE * min(self.size.thickness, other.size.thickness)


class Census:
    """The bodies of a space, row by row.

    Attributes
    ----------
    bodies
        The bodies.
    figures : (n, 6)
        Of each its position, its angle, its velocity and its angular velocity.

    Examples
    --------
    >>> space, body = pymunk.Space(), pymunk.Body(1, 1)
    >>> body.velocity = 600, 0
    >>> space.add(body, pymunk.Circle(body, 5))
    >>> census = Census(space, Parts(slop=0.1))
    >>> census.read()
    >>> [flight], _ = census.flights(0.01, {})
    >>> flight.figures, flight.size.thickness
    ([0.0, 0.0, 0.0, 600.0, 0.0, 0.0], 5.0)
    """

    def __init__(self, space: pymunk.Space, parts: Parts) -> None:
        self._space, self._parts = space, parts
        self._buffer = Buffer()
        self._ids = b""
        self._shapes: list[pymunk.Shape] = []
        self._sizes: dict[pymunk.Body, Size] = {}
        self._rows: dict[pymunk.Body, int] = {}
        self._of_rows: list[Size] = []
        self.bodies: list[pymunk.Body] = []
        self.figures: Floats = np.empty((0, 6))
        # How far each body may go, and how far it can turn into something; and who has no shapes.
        self._limits = self._reaches = np.empty(0)
        self._shapeless: NDArray[np.int64] = np.empty(0, np.int64)

    def read(self) -> None:
        """Read all bodies.

        Raises
        ------
        impinge.ShapeError
            If something of a body is not finite.
        """
        buffer = self._buffer
        buffer.clear()
        get_space_bodies(self._space, FIELDS, buffer)
        # Bytes and lists, and not arrays: these are compared in a tenth of the time.
        ids, shapes = bytes(buffer.int_buf()), list(self._space.shapes)
        if shapes != self._shapes or ids != self._ids:
            self._meet(ids, shapes)
        # A copy: the buffer is written anew in the next step.
        self.figures = np.frombuffer(bytearray(buffer.float_buf())).reshape(-1, 6)
        # Between frames of a game each further function of NumPy takes ten times its time: bytes are searched instead.
        if b"\0" in np.isfinite(self.figures).tobytes():
            row = int(np.flatnonzero(~np.isfinite(self.figures).all(axis=1))[0])
            raise im.ShapeError(f"{self.bodies[row]!r}: position, angle and velocities must be finite")

    def read_again(self, dt: float) -> dict[pymunk.Body, list[float]]:
        """Read all bodies when others have put some of them elsewhere, so that a step leads them to where they want.

        These go there from where they have been. Returns how fast each of them was going.
        """
        before = self.figures
        self.read()
        moved = np.flatnonzero((self.figures[:, :ACROSS] != before[:, :ACROSS]).any(axis=1))
        ends = self.figures[moved, :ACROSS] + self.figures[moved, ACROSS:] * dt
        self.figures[moved] = np.hstack([before[moved, :ACROSS], (ends - before[moved, :ACROSS]) / dt])
        speeds: list[list[float]] = before[moved, ACROSS:].tolist()
        return {self.bodies[row]: speed for row, speed in zip(moved.tolist(), speeds, strict=True)}

    def _meet(self, ids: bytes, shapes: list[pymunk.Shape]) -> None:
        """Take in who has come, and forget who has gone."""
        here = set(shapes)
        for shape in here.symmetric_difference(self._shapes):
            if shape.body is not None:
                self._sizes.pop(shape.body, None)
            if shape not in here:
                self._parts.forget(shape)
        self._shapes, self._ids = shapes, ids
        self._order = {shape: number for number, shape in enumerate(shapes)}
        by_id = {body.id: body for body in self._space.bodies}
        # The static body of the space is among them once a shape is attached to it, but not in `Space.bodies`.
        numbers = np.frombuffer(ids, np.uintp).tolist()
        self.bodies = [by_id.get(number) or self._space.static_body for number in numbers]
        self._rows = {body: row for row, body in enumerate(self.bodies)}
        former, self._sizes = self._sizes, {}
        for body in self.bodies:
            self._sizes[body] = former.get(body) or self._size(body)
        self._of_rows = sizes = list(self._sizes.values())
        thicknesses = np.array([size.thickness for size in sizes])
        self._limits, self._shapeless = SAFE * thicknesses, np.flatnonzero(np.isinf(thicknesses))
        self._reaches = np.array([size.reach for size in sizes])

    def _size(self, body: pymunk.Body) -> Size:
        # A body keeps its shapes in a set, whose order is not that of the game, and also those that are in no space.
        shapes = tuple(sorted(body.shapes & self._order.keys(), key=self._order.__getitem__))
        center = body.center_of_gravity
        parts = self._parts.of_all(shapes, center)
        if not parts:
            return Size((), math.inf, 0.0, 0.0)
        extent = max(part.extent for part in parts) + 2.0 * math.hypot(*center)
        shapes = tuple(part.shape for part in parts)
        return Size(shapes, min(part.thickness for part in parts), max(part.reach for part in parts), extent)

    def row_of(self, body: pymunk.Body) -> int | None:
        """Return the row of a body, None of one that has none, as the static body of the space."""
        return self._rows.get(body)

    def figures_of(self, body: pymunk.Body) -> list[float]:
        """Return the figures of a body, also of one that has no row."""
        row = self._rows.get(body)
        if row is None:
            return [*body.position, body.angle, 0.0, 0.0, 0.0]
        figures: list[float] = self.figures[row].tolist()
        return figures

    def flights(self, dt: float, owed: Mapping[pymunk.Body, float]) -> tuple[list[Flight], float]:
        """Return who is fast in a step, and how far a point of any other body goes at the most.

        Parameters
        ----------
        dt
            How long the step is.
        owed
            How much longer bodies go that are behind.
        """
        figures = self.figures
        speeds = np.hypot(figures[:, ACROSS], figures[:, UP]) + np.abs(figures[:, SPIN]) * self._reaches
        lengths, times = speeds * dt, {}
        for body, time in owed.items():
            row = self._rows[body]
            times[row] = dt + time
            lengths[row] = speeds[row] * times[row]
        rows = (lengths > self._limits).nonzero()[0]
        lengths[rows] = lengths[self._shapeless] = 0.0
        flights = []
        for row, told in zip(rows.tolist(), figures[rows].tolist(), strict=True):
            size, time = self._of_rows[row], times.get(row, dt)
            x, y, _, across, up, _ = told
            end_x, end_y, around = x + across * time, y + up * time, size.extent
            left, right = (x, end_x) if x < end_x else (end_x, x)
            bottom, top = (y, end_y) if y < end_y else (end_y, y)
            bounds = left - around, bottom - around, right + around, top + around
            flights.append(Flight(row, size, told, time, bounds))
        return flights, float(np.maximum.reduce(lengths, initial=0.0))


def near_pairs(bounds: Sequence[Sequence[float]]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of bounds that overlap, by sweep and prune.

    Examples
    --------
    >>> list(near_pairs([[0, 0, 2, 2], [5, 0, 9, 9], [1, 1, 6, 2]]))
    [(0, 2), (2, 1)]
    """
    ordered = sorted([(left, index, bottom, right, top) for index, (left, bottom, right, top) in enumerate(bounds)])
    for place, (_, one, bottom, right, top) in enumerate(ordered, 1):
        for left, another, low, _, high in ordered[place:]:
            if left > right:
                break
            if low <= top and high >= bottom:
                yield one, another
