"""Positions and velocities of all bodies of a space, read at once, and which bodies are fast for their size.

The obstacles of fast bodies are in `meetings`.
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
from impinge_pymunk.chipmunk import added_shapes
from impinge_pymunk.ways import Parts

__all__ = ["SAFE", "Census", "near_pairs"]

Floats: TypeAlias = NDArray[np.float64]

# Fraction of its thickness that a body may move in a step without a sweep. Even if it overlapped an obstacle by the
# same amount before, Pymunk still knows on which side it is. Box2D uses the same limit.
SAFE = 0.5

FIELDS = BodyFields.BODY_ID | BodyFields.POSITION | BodyFields.ANGLE | BodyFields.VELOCITY | BodyFields.ANGULAR_VELOCITY
X, Y, ANGLE, ACROSS, UP, SPIN = range(6)


class Size(NamedTuple):
    """The size of a body, as a `Census` uses it.

    Attributes
    ----------
    shapes
        The shapes of the body.
    thickness, reach, extent
        Half of the smallest width of its shapes; the largest radius at which turning can bring them into contact; and
        an upper bound of their distance from the body's position, whatever point it turns about.
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
        Row in the census, and size of the body.
    figures
        Position, angle, velocity and angular velocity.
    time
        Duration of the motion.
    bounds
        Bounds of the motion: left, bottom, right and top.
    """

    row: int
    size: Size
    figures: list[float]
    time: float
    bounds: tuple[float, float, float, float]

    def goes_with(self, other: Flight) -> bool:
        """Return whether two fast bodies hardly move relative to each other, as fragments that fall side by side."""
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
        Position, angle, velocity and angular velocity of each body.

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
        self._added = 0
        self._sizes: dict[pymunk.Body, Size] = {}
        self._rows: dict[pymunk.Body, int] = {}
        self._of_rows: list[Size] = []
        self.bodies: list[pymunk.Body] = []
        self.figures: Floats = np.empty((0, 6))
        # Longest safe way of each body; the radius at which its turning counts; rows of bodies without shapes.
        self._limits = self._reaches = np.empty(0)
        self._shapeless: NDArray[np.int64] = np.empty(0, np.int64)

    def read(self) -> None:
        """Read all bodies.

        Raises
        ------
        impinge.ShapeError
            If a value of a body is not finite.
        """
        buffer = self._buffer
        buffer.clear()
        get_space_bodies(self._space, FIELDS, buffer)
        # Bytes and lists instead of arrays: comparing them takes a tenth of the time.
        ids, shapes, added = bytes(buffer.int_buf()), list(self._space.shapes), added_shapes(self._space)
        if shapes != self._shapes or ids != self._ids or added != self._added:
            # A resized shape may be back in its place: it was removed and added again.
            news = set(shapes[max(len(shapes) - (added - self._added), 0) :])
            self._added = added
            self._meet(ids, shapes, news)
        # A copy: the next step overwrites the buffer.
        self.figures = np.frombuffer(bytearray(buffer.float_buf())).reshape(-1, 6)
        # Between frames of a game, each further NumPy function takes ten times its time: bytes are searched instead.
        if b"\0" in np.isfinite(self.figures).tobytes():
            row = int(np.flatnonzero(~np.isfinite(self.figures).all(axis=1))[0])
            raise im.ShapeError(f"{self.bodies[row]!r}: position, angle and velocities must be finite")

    def read_again(self, dt: float) -> dict[pymunk.Body, list[float]]:
        """Read all bodies again after other stages have placed some so that a step leads them to their goals.

        For these bodies the motion goes from the former position to the goal. Return the former velocity of each.
        """
        before = self.figures
        self.read()
        moved = np.flatnonzero((self.figures[:, :ACROSS] != before[:, :ACROSS]).any(axis=1))
        ends = self.figures[moved, :ACROSS] + self.figures[moved, ACROSS:] * dt
        self.figures[moved] = np.hstack([before[moved, :ACROSS], (ends - before[moved, :ACROSS]) / dt])
        speeds: list[list[float]] = before[moved, ACROSS:].tolist()
        return {self.bodies[row]: speed for row, speed in zip(moved.tolist(), speeds, strict=True)}

    def _meet(self, ids: bytes, shapes: list[pymunk.Shape], news: set[pymunk.Shape]) -> None:
        """Take up new bodies and shapes, and forget removed ones."""
        here = set(shapes)
        for shape in news | here.symmetric_difference(self._shapes):
            if shape.body is not None:
                self._sizes.pop(shape.body, None)
            if shape not in here:
                self._parts.forget(shape)
        self._shapes, self._ids = shapes, ids
        self._order = {shape: number for number, shape in enumerate(shapes)}
        by_id = {body.id: body for body in self._space.bodies}
        # The static body of the space is in the ids once a shape is attached to it, but not in `Space.bodies`.
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
        # `Body.shapes` is a set without the game's order, and it includes shapes that are in no space.
        shapes = tuple(sorted(body.shapes & self._order.keys(), key=self._order.__getitem__))
        center = body.center_of_gravity
        parts = self._parts.of_all(shapes, center)
        if not parts:
            return Size((), math.inf, 0.0, 0.0)
        extent = max(part.extent for part in parts) + 2.0 * math.hypot(*center)
        shapes = tuple(part.shape for part in parts)
        return Size(shapes, min(part.thickness for part in parts), max(part.reach for part in parts), extent)

    def row_of(self, body: pymunk.Body) -> int | None:
        """Return the row of a body; None for a body without a row, such as the static body of the space."""
        return self._rows.get(body)

    def figures_of(self, body: pymunk.Body) -> list[float]:
        """Return the figures of a body, with or without a row."""
        row = self._rows.get(body)
        if row is None:
            return [*body.position, body.angle, 0.0, 0.0, 0.0]
        figures: list[float] = self.figures[row].tolist()
        return figures

    def flights(self, dt: float, owed: Mapping[pymunk.Body, float]) -> tuple[list[Flight], float]:
        """Return the fast bodies of a step, and an upper bound of the way of any point of the other bodies.

        Parameters
        ----------
        dt
            Duration of the step.
        owed
            Additional time of bodies that are behind.
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
