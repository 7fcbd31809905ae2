"""Paths that are any function of time, and the times at which their relation has a value, by bounds on pieces of time.

`relations` has the queries, and polynomial paths, whose times are exact to rounding.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import sub
from typing import NoReturn, Protocol, TypeAlias

from numpy.polynomial import Polynomial

from impinge.checks import finite, not_negative
from impinge.errors import PredictionError, ShapeError
from impinge.kernels.tolerances import UNIT

__all__ = ["BoundedRelation", "Curve", "between", "least_value", "pieces"]

Place: TypeAlias = tuple[float, ...]
Bounds: TypeAlias = tuple[float, float]
Limits: TypeAlias = Callable[[float, float], Bounds]

# Limit of the pieces of time in one query; they take a second or two. A crossing takes some 50 pieces. A graze takes
# some 100 with a bound on the acceleration, and some 3,000 with a bound on the speed only.
MOST_PIECES = 50_000
# Rounding error of two positions and their difference, relative to the largest coordinate.
NOISE = 8.0 * UNIT
# Relative amount by which a measured speed may exceed its bound, as the game has rounded that bound too.
SPEED_ROUNDING = 1e-9
# Error of a least value, relative to the range of the relation.
MINIMUM_ERROR = 1e-9
DIMENSIONS = 3


class Moving(Protocol):
    """A path: a polynomial, or any other function of time with bounds."""

    def __call__(self, time: float) -> Place:
        """Return the position at a time."""

    def _limits(self) -> Limits:
        """Return a function of two times that returns bounds on speed and acceleration between them."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A path that is any function of time, with a bound on its speed or its acceleration.

    Parameters
    ----------
    position
        Function that takes a time and returns the position: one, two or three coordinates in the game's units, or a
        single number. It must be continuous, and counts as exact.
    speed
        Upper bound of the speed, in units per unit of time; infinity without a bound.
    acceleration
        Upper bound of the acceleration, in units per unit of time squared; infinity without a bound, or if the path has
        a kink. Give it if you know it: a graze then takes a few pieces of time instead of thousands.

    Raises
    ------
    ShapeError
        If `position` is not a function, a bound is negative or not a number, or both bounds are infinite. Queries raise
        it if a position is not finite, or if two positions show a speed above `speed`.

    Examples
    --------
    A moon of radius 3 orbits the origin once per unit of time. When does it touch a ship of radius 1?

    >>> import math
    >>> def moon(time):
    ...     angle = 2 * math.pi * time
    ...     return 5 * math.cos(angle), 5 * math.sin(angle)
    >>> orbit = Curve(moon, speed=10 * math.pi, acceleration=20 * math.pi**2)
    >>> from impinge.predict.relations import Path, moving_circles
    >>> [(enter, leave)] = moving_circles(orbit, 3, Path.still((8, 0)), 1, (0.25, 1.25))
    >>> round(enter, 5), round(leave, 5)
    (0.93293, 1.06707)
    """

    position: Callable[[float], Sequence[float] | float]
    speed: float = math.inf
    acceleration: float = math.inf

    def __post_init__(self) -> None:
        if not callable(self.position):
            raise ShapeError(f"position must be a function of time, got {self.position!r}")
        for name in ("speed", "acceleration"):
            bound = getattr(self, name)
            object.__setattr__(self, name, math.inf if bound == math.inf else not_negative(name, bound))
        if self.speed == self.acceleration == math.inf:
            raise ShapeError("speed or acceleration must be finite, got inf for both")

    def __call__(self, time: float) -> Place:
        """Return the position at a time, in the game's units.

        Raises
        ------
        ShapeError
            If the time is not finite, or the position is not one to three finite numbers.

        Examples
        --------
        >>> Curve(lambda time: (2 * time, 1), speed=2)(3)
        (6.0, 1.0)
        """
        position = self.position(finite("time", time))
        try:
            place = (position,) if isinstance(position, float) else tuple(map(float, position))
        except (TypeError, ValueError):
            place = (float(position),) if isinstance(position, int) else ()
        if not 1 <= len(place) <= DIMENSIONS or not all(map(math.isfinite, place)):
            raise ShapeError(f"position must return one to three finite numbers, got {position!r} at time {time!r}")
        return place

    def _limits(self) -> Limits:
        limits = self.speed, self.acceleration if self.speed > 0.0 else 0.0
        return lambda begin, end: limits


@dataclass(frozen=True, slots=True)
class BoundedRelation:
    """A relation that is not a polynomial: its value at each time, and bounds on its values between two times.

    The functions of `impinge.predict` return it if a path is a `Curve`. Add, subtract and multiply relations,
    polynomials and numbers to make your own.

    Parameters
    ----------
    value
        Function that takes a time and returns the value.
    bounds
        Function that takes two times and returns a lower and an upper bound of all values between them. The nearer the
        times, the nearer the bounds must be.

    Examples
    --------
    The time at which a growing wave front reaches a swimmer:

    >>> from numpy.polynomial import Polynomial
    >>> from impinge.predict.relations import Path, first_time, squared_distance
    >>> swimmer = Curve(lambda time: (10 + 2 * math.sin(time), 0), speed=2)
    >>> radius = Polynomial([0, 3])
    >>> relation = squared_distance(swimmer, Path.still((0, 0))) - radius * radius
    >>> time = first_time(relation, 0, (0, 10))
    >>> round(3 * time - 2 * math.sin(time), 4)
    10.0
    """

    value: Callable[[float], float]
    bounds: Callable[[float, float], Bounds]

    def __post_init__(self) -> None:
        for name in ("value", "bounds"):
            if not callable(getattr(self, name)):
                raise ShapeError(f"{name} must be a function, got {getattr(self, name)!r}")

    def __call__(self, time: float) -> float:
        """Return the value at a time."""
        return self.value(time)

    def __array__(self, *_: object, **__: object) -> NoReturn:
        """Raise a TypeError: as an element of an array, a `Polynomial` would use it as a coefficient, not add it."""
        raise TypeError("a BoundedRelation is not an array")

    def __neg__(self) -> BoundedRelation:
        """Return the relation with the opposite sign."""

        def bounds(begin: float, end: float) -> Bounds:
            low, high = self.bounds(begin, end)
            return -high, -low

        return BoundedRelation(lambda time: -self.value(time), bounds)

    def __add__(self, other: object) -> BoundedRelation:
        """Return the sum of two relations."""
        term = _relation(other)
        if term is None:
            return NotImplemented

        def bounds(begin: float, end: float) -> Bounds:
            (low, high), (other_low, other_high) = self.bounds(begin, end), term.bounds(begin, end)
            return _widened_bounds(
                low + other_low, high + other_high, max(map(abs, (low, high, other_low, other_high)))
            )

        return BoundedRelation(lambda time: self.value(time) + term.value(time), bounds)

    __radd__ = __add__

    def __sub__(self, other: object) -> BoundedRelation:
        """Return the difference of two relations."""
        term = _relation(other)
        return NotImplemented if term is None else self + (-term)

    def __rsub__(self, other: object) -> BoundedRelation:
        """Return the difference of two relations."""
        return -self + other

    def __mul__(self, other: object) -> BoundedRelation:
        """Return the product of two relations."""
        factor = _relation(other)
        if factor is None:
            return NotImplemented

        def bounds(begin: float, end: float) -> Bounds:
            products = [a * b for a in self.bounds(begin, end) for b in factor.bounds(begin, end)]
            return _widened_bounds(min(products), max(products), max(map(abs, products)))

        return BoundedRelation(lambda time: self.value(time) * factor.value(time), bounds)

    __rmul__ = __mul__


def between(
    p: Moving, q: Moving, value: Callable[[Place], float], range_of: Callable[[Place, Place, float], Bounds]
) -> BoundedRelation:
    """Return a relation that depends on the position of q relative to p.

    `value` returns it for a relative position. `range_of` takes the ends of a segment and a distance. It returns bounds
    on the values at all points within this distance of the segment.
    """
    limits_p, limits_q = p._limits(), q._limits()

    def bounds(begin: float, end: float) -> Bounds:
        return range_of(*_chord_and_deviation(p, q, begin, end, limits_p(begin, end), limits_q(begin, end)))

    return BoundedRelation(lambda time: value(_seen(p(time), q(time))), bounds)


def _chord_and_deviation(
    p: Moving, q: Moving, begin: float, end: float, limits_p: Bounds, limits_q: Bounds
) -> tuple[Place, Place, float]:
    """Return the positions of q relative to p at two times, and the largest distance of its path from their segment.

    With a bound L on the relative speed, the path over a time w is at most L w long. So it stays in an ellipse with
    both positions as foci. A path with a bound L on its own speed is at most L w / 2 away from the uniform motion
    between its ends; with a bound A on its acceleration, at most A w² / 8.
    """
    p_first, p_last, q_first, q_last = p(begin), p(end), q(begin), q(end)
    first, last = _seen(p_first, q_first), _seen(p_last, q_last)
    noise = NOISE * max(map(abs, p_first + p_last + q_first + q_last))
    width, straight = end - begin, math.dist(first, last)
    if width == 0.0:
        return first, last, noise
    speed = limits_p[0] + limits_q[0]
    longest = speed * width * (1.0 + 2.0 * NOISE)
    if straight > longest * (1.0 + SPEED_ROUNDING) + 2.0 * noise:
        raise ShapeError(
            f"speed must be a bound on the speed, got {speed!r} in all: from time {begin!r} to {end!r} "
            f"the distance changes by {straight!r}"
        )
    strays = 0.5 * math.sqrt(max(longest - straight, 0.0)) * math.sqrt(longest + straight)
    off_even = sum(min(0.5 * own * width, 0.125 * pull * width * width) for own, pull in (limits_p, limits_q))
    return first, last, min(strays, off_even) + noise


def pieces(
    relation: BoundedRelation, value: float, interval: Bounds, tolerance: float
) -> Iterator[tuple[float, float, int]]:
    """Yield the pieces of an interval, ascending: begin, end, and the relation's side of the value.

    The side is -1 if the relation is less throughout the piece, and 1 if it is greater. It is 0 if the bounds leave it
    open, and the piece is no longer than the tolerance. The generator is lazy: the first piece comes before the search
    for the others.
    """
    looks = 0
    stack = [interval]
    while stack:
        begin, end = stack.pop()
        looks += 1
        if looks > MOST_PIECES:
            raise PredictionError(
                f"tolerance must be larger, or a bound smaller, got tolerance={tolerance!r}: after {MOST_PIECES:,} "
                f"pieces of time all is known only up to time {begin!r}"
            )
        low, high = relation.bounds(begin, end)
        middle = begin + 0.5 * (end - begin)
        if high < value:
            yield begin, end, -1
        elif low > value:
            yield begin, end, 1
        elif end - begin <= tolerance or not begin < middle < end:
            yield begin, end, 0
        else:
            stack += [(middle, end), (begin, middle)]


def least_value(relation: BoundedRelation, interval: Bounds, tolerance: float) -> tuple[float, float]:
    """Return a time at which a relation is least, and its value then.

    The method is branch and bound (Piyavskii, "An algorithm for finding the absolute extremum of a function", 1972). It
    always halves the piece with the lowest bound.
    """
    best, best_time = min((relation.value(time), time) for time in interval)
    low, high = relation.bounds(*interval)
    slack = MINIMUM_ERROR * (high - low)
    heap = [(low, *interval)]
    for _ in range(MOST_PIECES // 2):
        floor, begin, end = heapq.heappop(heap)
        middle = begin + 0.5 * (end - begin)
        if floor >= best - slack or end - begin <= tolerance or not begin < middle < end:
            return best_time, best
        best, best_time = min((best, best_time), (relation.value(middle), middle))
        for half in ((begin, middle), (middle, end)):
            heapq.heappush(heap, (relation.bounds(*half)[0], *half))
    raise PredictionError(
        f"tolerance must be larger, or a bound smaller, got tolerance={tolerance!r}: after {MOST_PIECES:,} pieces of "
        f"time the least value is only known to be from {heap[0][0]!r} to {best!r}"
    )


def _relation(other: object) -> BoundedRelation | None:
    """Return a relation, polynomial or number as a relation; None for any other value."""
    if isinstance(other, BoundedRelation):
        return other
    if isinstance(other, Polynomial):
        coefficients: list[float] = other.convert().coef.tolist()
    elif isinstance(other, int | float):
        coefficients = [finite("number", other)]
    else:
        return None

    def value(time: float) -> float:
        total = 0.0
        for coefficient in reversed(coefficients):
            total = total * time + coefficient
        return total

    def bounds(begin: float, end: float) -> Bounds:
        # Horner's scheme on intervals (Moore, "Interval analysis", 1966).
        low = high = size = 0.0
        for coefficient in reversed(coefficients):
            products = (low * begin, low * end, high * begin, high * end)
            low, high = min(products) + coefficient, max(products) + coefficient
            size = size * max(abs(begin), abs(end)) + abs(coefficient)
        return _widened_bounds(low, high, len(coefficients) * size)

    return BoundedRelation(value, bounds)


def _seen(p: Place, q: Place) -> Place:
    """Return the position of q relative to p."""
    if len(p) != len(q):
        raise ShapeError(f"p and q must have as many coordinates as each other, got {len(p)} and {len(q)}")
    return tuple(map(sub, q, p))


def _widened_bounds(low: float, high: float, size: float) -> Bounds:
    """Return bounds, widened by their rounding error."""
    return low - NOISE * size, high + NOISE * size
