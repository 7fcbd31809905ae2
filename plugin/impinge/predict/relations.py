"""Paths and relations as functions of time, and the times at which a relation has a value.

A relation is any function of the positions: build it from paths with the functions below, or add and multiply your own.
Between two polynomial paths it is a `numpy.polynomial.Polynomial`, and answers are exact to rounding. If a path is a
`Curve`, which is any function of time, it is a `BoundedRelation`. Its answers are never late, and early by a tolerance.

Shapes that turn are in `impinge.query`, bodies that push in `impinge.world`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from operator import mul, sub
from typing import TypeAlias, overload

import numpy as np
from numpy.polynomial import Polynomial

from impinge.checks import finite, not_negative, point, positive
from impinge.errors import ShapeError
from impinge.kernels.entry import polynomial_roots
from impinge.kernels.tolerances import UNIT
from impinge.motion import Motion
from impinge.predict.curves import BoundedRelation, Bounds, Curve, Limits, Moving, Place, between, least_value, pieces

__all__ = [
    "BoundedRelation",
    "Curve",
    "Interval",
    "Minimum",
    "Path",
    "Relation",
    "circle_and_segment",
    "common",
    "distance_to_line",
    "dot_through_box",
    "first_time",
    "horizontal_distance",
    "intervals_below",
    "intervals_within",
    "minimum",
    "moving_circles",
    "squared_distance",
    "times",
    "vertical_distance",
]

Relation: TypeAlias = Polynomial | Sequence[float] | BoundedRelation
"""A polynomial in time, or its coefficients, ascending; or any other function of time with bounds.

For example, the height of a ball thrown up at 10 under a gravity of 10 is 10 t - 5 t²: ``[0, 10, -5]``, or
``Polynomial([0, 10, -5])``. See `times`.
"""

Interval: TypeAlias = tuple[float, float]
"""An interval of time, both ends included.

``(0.0, 1.0)`` is a whole frame, and ``(0.0, math.inf)`` all the future.
"""

_Coefficients: TypeAlias = tuple[float, ...]
_UNIT_INTERVAL: Interval = (0.0, 1.0)
# In the relation's unit of time: a millionth of a frame. Half of it costs one more piece of time at a crossing. At a
# graze with a bound on the speed only, it costs half as many again.
_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True, init=False)
class Path:
    """The path of a point: a polynomial in time for each coordinate.

    Parameters
    ----------
    x, y
        Coefficients, ascending, or a `Polynomial`; one with a domain of its own is converted. They are kept as tuples.
        Positions are in the game's units. The game chooses the unit of time, such as a frame or a second.

    Raises
    ------
    ShapeError
        If a coefficient is not a finite number.

    Examples
    --------
    A ball flies to the right at 4 and up at 3, under a gravity of 2:

    >>> path = Path((1, 4), (0, 3, -1))
    >>> path(2)
    (9.0, 2.0)
    >>> path.velocity(2)
    (4.0, -1.0)

    The path relative to another one:

    >>> path - Path.still((1, 1))
    Path(x=(0.0, 4.0), y=(-1.0, 3.0, -1.0))
    """

    x: _Coefficients
    y: _Coefficients

    def __init__(self, x: Polynomial | Sequence[float], y: Polynomial | Sequence[float]) -> None:
        object.__setattr__(self, "x", _trimmed(_coefficients("x", x)))
        object.__setattr__(self, "y", _trimmed(_coefficients("y", y)))

    @classmethod
    def still(cls, place: tuple[float, float]) -> Path:
        """Return the path of a point at rest.

        Raises
        ------
        ShapeError
            If `place` is not two finite numbers.

        Examples
        --------
        >>> Path.still((3, 4))(0.5)
        (3.0, 4.0)
        """
        return cls._of_terms(point("place", place))

    @classmethod
    def linear(cls, start: tuple[float, float], end: tuple[float, float]) -> Path:
        """Return the straight path that is at `start` at time 0 and at `end` at time 1.

        Raises
        ------
        ShapeError
            If an argument is not two finite numbers.

        Examples
        --------
        >>> Path.linear((0, 0), (4, 2))(0.5)
        (2.0, 1.0)
        """
        (ax, ay), (bx, by) = point("start", start), point("end", end)
        return cls._of_terms((ax, ay), (bx - ax, by - ay))

    @classmethod
    def steady(cls, start: tuple[float, float], velocity: tuple[float, float]) -> Path:
        """Return the straight path with a start and a constant velocity, in units per unit of time.

        Raises
        ------
        ShapeError
            If an argument is not two finite numbers.

        Examples
        --------
        >>> Path.steady((1, 1), (4, 2))(0.5)
        (3.0, 2.0)
        """
        return cls._of_terms(point("start", start), point("velocity", velocity))

    @classmethod
    def ballistic(
        cls, start: tuple[float, float], velocity: tuple[float, float], acceleration: tuple[float, float]
    ) -> Path:
        """Return the path under a constant acceleration, in units per unit of time squared.

        Raises
        ------
        ShapeError
            If an argument is not two finite numbers.

        Examples
        --------
        >>> Path.ballistic((0, 0), (10, 20), (0, -10))(2)
        (20.0, 20.0)
        """
        ax, ay = point("acceleration", acceleration)
        return cls._of_terms(point("start", start), point("velocity", velocity), (ax / 2, ay / 2))

    @classmethod
    def cubic(
        cls,
        start: tuple[float, float],
        velocity: tuple[float, float],
        acceleration: tuple[float, float],
        jerk: tuple[float, float],
    ) -> Path:
        """Return the path under an acceleration that changes at a constant rate `jerk`, in units per time cubed.

        Raises
        ------
        ShapeError
            If an argument is not two finite numbers.

        Examples
        --------
        >>> Path.cubic((0, 0), (1, 0), (0, 2), (6, 0))(2)
        (10.0, 4.0)
        """
        ax, ay = point("acceleration", acceleration)
        jx, jy = point("jerk", jerk)
        return cls._of_terms(point("start", start), point("velocity", velocity), (ax / 2, ay / 2), (jx / 6, jy / 6))

    @classmethod
    def of(cls, motion: Motion) -> Path:
        """Return the path of a motion's centre through its frame, from time 0 to 1. It ignores rotation.

        Raises
        ------
        ShapeError
            If `motion` is not a `Motion`.

        Examples
        --------
        >>> from impinge import Motion, Pose
        >>> Path.of(Motion(Pose(1, 2), Pose(5, 2), acceleration=(0, -8)))
        Path(x=(1.0, 4.0), y=(2.0, 4.0, -4.0))
        """
        if not isinstance(motion, Motion):
            raise ShapeError(f"motion must be a Motion, got {motion!r}")
        a, b = motion.start, motion.end
        ax, ay = motion.acceleration[0] / 2, motion.acceleration[1] / 2
        return cls._of_terms((a.x, a.y), (b.x - a.x - ax, b.y - a.y - ay), (ax, ay))

    @classmethod
    def _of_terms(cls, *terms: tuple[float, float]) -> Path:
        xs, ys = zip(*terms, strict=True)
        return cls(xs, ys)

    def __call__(self, time: float) -> tuple[float, float]:
        """Return the position (x, y) at a time, in the game's units.

        Raises
        ------
        ShapeError
            If the time is not a finite number.

        Examples
        --------
        >>> Path((1, 4), (0, 3, -1))(1)
        (5.0, 2.0)
        """
        number = finite("time", time)
        return _value(self.x, number), _value(self.y, number)

    @property
    def velocity(self) -> Path:
        """The velocity as a path, in units per unit of time.

        Raises
        ------
        ShapeError
            If one of its coefficients overflows.

        Examples
        --------
        >>> Path((1, 4), (0, 3, -1)).velocity
        Path(x=(4.0,), y=(3.0, -2.0))
        """
        return Path(_derivative(self.x), _derivative(self.y))

    def __sub__(self, other: Path) -> Path:
        """Return this path relative to another one."""
        if not isinstance(other, Path):
            return NotImplemented
        return Path(_difference(self.x, other.x), _difference(self.y, other.y))

    def _limits(self) -> Limits:
        """Return a function of two times that returns bounds on speed and acceleration between them.

        Relations between a `Path` and a `Curve` use it.
        """
        velocity = _derivative(self.x), _derivative(self.y)
        speeds = tuple(tuple(map(abs, axis)) for axis in velocity)
        pulls = tuple(tuple(map(abs, _derivative(axis))) for axis in velocity)

        def limits(begin: float, end: float) -> Bounds:
            farthest = max(abs(begin), abs(end))
            speed, pull = (math.hypot(_value(xs, farthest), _value(ys, farthest)) for xs, ys in (speeds, pulls))
            return speed, pull

        return limits


@dataclass(frozen=True, slots=True)
class Minimum:
    """The least value of a relation, and the earliest time at which the relation has this value.

    Attributes
    ----------
    time
        In the relation's unit of time.
    value
        In the relation's own unit; for a `squared_distance`, the game's units squared.

    Examples
    --------
    >>> least = minimum([4, -4, 2])
    >>> least.time, least.value
    (1.0, 2.0)
    """

    time: float
    value: float


@overload
def squared_distance(p: Path, q: Path) -> Polynomial: ...
@overload
def squared_distance(p: Path | Curve, q: Path | Curve) -> Polynomial | BoundedRelation: ...
def squared_distance(p: Path | Curve, q: Path | Curve) -> Polynomial | BoundedRelation:
    """Return the squared distance of two moving points as a relation, in the game's units squared.

    Two circles touch when it equals the square of the sum of their radii. Rounding may turn a value of zero into one
    slightly below zero.

    Raises
    ------
    ShapeError
        If p or q is neither a `Path` nor a `Curve`.

    Examples
    --------
    >>> apart = squared_distance(Path.steady((0, 0), (2, 0)), Path.still((10, 3)))
    >>> apart.coef
    array([109., -40.,   4.])
    >>> minimum(apart, (0, 10))
    Minimum(time=5.0, value=9.0)
    """
    _moving("p", p)
    _moving("q", q)
    if isinstance(p, Path) and isinstance(q, Path):
        return Polynomial(_squared_distance(p, q))
    return between(p, q, _squared_length, _squared_lengths)


@overload
def horizontal_distance(p: Path, q: Path) -> Polynomial: ...
@overload
def horizontal_distance(p: Path | Curve, q: Path | Curve) -> Polynomial | BoundedRelation: ...
def horizontal_distance(p: Path | Curve, q: Path | Curve) -> Polynomial | BoundedRelation:
    """Return the distance of q to the right of p as a relation, in the game's units; negative if q is to the left.

    For the distance R without a sign, use this relation d twice. `R = n` holds when d is n or -n. `R <= n` holds in the
    `common` times of ``intervals_within(d, n)`` and ``intervals_within(-d, n)``.

    Raises
    ------
    ShapeError
        If p or q is neither a `Path` nor a `Curve`.

    Examples
    --------
    >>> d = horizontal_distance(Path.still((0, 0)), Path.linear((-4, 1), (4, 1)))
    >>> times(d, -2) + times(d, 2)
    (0.25, 0.75)
    >>> common(intervals_within(d, 2), intervals_within(-d, 2))
    ((0.25, 0.75),)
    """
    _moving("p", p)
    _moving("q", q)
    if isinstance(p, Path) and isinstance(q, Path):
        return Polynomial(_difference(q.x, p.x))
    return _coordinate(p, q, 0)


@overload
def vertical_distance(p: Path, q: Path) -> Polynomial: ...
@overload
def vertical_distance(p: Path | Curve, q: Path | Curve) -> Polynomial | BoundedRelation: ...
def vertical_distance(p: Path | Curve, q: Path | Curve) -> Polynomial | BoundedRelation:
    """Return the height of q above p as a relation, in the game's units; negative if q is below p.

    For the distance without a sign, see `horizontal_distance`.

    Raises
    ------
    ShapeError
        If p or q is neither a `Path` nor a `Curve`. If they have only one coordinate, queries of the relation raise it.

    Examples
    --------
    When is the ball back at the height of the hand?

    >>> ball = Path.ballistic((0, 1), (3, 10), (0, -10))
    >>> times(vertical_distance(Path.still((0, 1)), ball), 0, (0, math.inf))
    (0.0, 2.0)
    """
    _moving("p", p)
    _moving("q", q)
    if isinstance(p, Path) and isinstance(q, Path):
        return Polynomial(_difference(q.y, p.y))
    return _coordinate(p, q, 1)


@overload
def distance_to_line(path: Path, a: tuple[float, float], b: tuple[float, float]) -> Polynomial: ...
@overload
def distance_to_line(
    path: Path | Curve, a: tuple[float, float], b: tuple[float, float]
) -> Polynomial | BoundedRelation: ...
def distance_to_line(
    path: Path | Curve, a: tuple[float, float], b: tuple[float, float]
) -> Polynomial | BoundedRelation:
    """Return the distance of a moving point to the left of the line from a to b as a relation; negative to the right.

    It is in the game's units, like a and b.

    Raises
    ------
    ShapeError
        If `path` is neither a `Path` nor a `Curve`, a or b is not two finite numbers, or both are one point. If the
        path does not have two coordinates, queries of the relation raise it.

    Examples
    --------
    When does a circle of radius 1 that falls at 4 touch the floor?

    >>> times(distance_to_line(Path.steady((0, 3), (0, -4)), (0, 0), (1, 0)), 1)
    (0.5,)
    """
    _moving("path", path)
    (ax, ay), (bx, by) = point("a", a), point("b", b)
    length = math.hypot(bx - ax, by - ay)
    if length == 0.0:
        raise ShapeError(f"b must not be a, got {b!r}")
    ux, uy = (bx - ax) / length, (by - ay) / length
    if isinstance(path, Curve):

        def left_of(place: Place) -> float:
            return ux * place[1] - uy * place[0]

        def lefts_of(first: Place, last: Place, strays: float) -> Bounds:
            return _range_within(left_of(first), left_of(last), strays)

        return between(Path.still((ax, ay)), path, left_of, lefts_of)
    xs, ys = _difference(path.x, (ax,)), _difference(path.y, (ay,))
    return Polynomial([ux * y - uy * x for x, y in zip_longest(xs, ys, fillvalue=0.0)])


def times(
    relation: Relation, value: float = 0.0, interval: Interval = _UNIT_INTERVAL, *, tolerance: float = _TOLERANCE
) -> tuple[float, ...]:
    """Return the times at which a relation has a value, ascending.

    Parameters
    ----------
    relation
        A polynomial in time, or its coefficients, ascending; or a `BoundedRelation`.
    value
        The value that the relation must have.
    interval
        Times to search, both ends included; for a polynomial it may end in `math.inf`.
    tolerance
        In the relation's unit of time; for a `BoundedRelation` only.

    Returns
    -------
    tuple of float
        Times, exact to the rounding of the coefficients. A time at which the relation only touches the value counts.
        Times that rounding cannot separate are one time. If the relation has the value all the time, the result is the
        interval's start.

        For a `BoundedRelation`, times are never late. Each is the start of a row of pieces of time, none longer than
        the tolerance, in which the bounds leave the value open. Outside of these pieces, the relation never has the
        value. So at that time, a distance differs from the value by at most the path that the speed bounds allow in the
        tolerance. If these bounds are tight, the time is early by at most twice the tolerance. A near miss counts if
        the bounds cannot separate it from a touch.

    Raises
    ------
    ShapeError
        If `relation` is not a relation, a number in it or their sum is not finite, the interval runs backwards, or the
        tolerance is not positive.
    PredictionError
        If a `BoundedRelation` takes more than 50,000 pieces of time, because it stays at the value, or near it.

    Notes
    -----
    The method is that of a page on predicting collisions, "P1(t), P2(t), R(t) = n"; see `impinge.reference.prediction`.
    Between the roots of the derivative, each change of sign brackets one root (Collins and Loos, "Polynomial real root
    isolation by differentiation", 1976). Higham's bound limits the rounding error ("Accuracy and Stability of Numerical
    Algorithms", 2nd ed., 5.1).

    For a `BoundedRelation`, the interval is halved piece by piece, until the bounds of a piece exclude the value
    (Moore, "Interval analysis", 1966). The bounds of a `Curve` follow from its positions at both ends of a piece. With
    a bound L on the speed, its path over a time w stays in an ellipse with these positions as foci: the distances of a
    point to both add up to at most L w. With a bound A on the acceleration, it stays within A w² / 8 of the chord. So
    the search cannot skip an event, as sampling can. A Chebyshev interpolation would need fewer positions, but its
    error is known only at the positions that it evaluates.

    Examples
    --------
    >>> times([0, 10, -5], 3.2)
    (0.4,)
    >>> times([0, 10, -5], 3.2, (0, math.inf))
    (0.4, 1.6)
    >>> times([0, 10, -5], 5, (0, math.inf))
    (1.0,)
    """
    if isinstance(relation, BoundedRelation):
        return tuple(_open_piece_starts(_cut(relation, value, interval, tolerance)))
    roots, _ = _solve(_coefficients("relation", relation), finite("value", value), _interval(interval))
    return tuple(roots)


def first_time(
    relation: Relation, value: float = 0.0, interval: Interval = _UNIT_INTERVAL, *, tolerance: float = _TOLERANCE
) -> float | None:
    """Return the first time at which a relation has a value, or None without one. The arguments are those of `times`.

    For a `BoundedRelation`, the search ends at that time.

    Raises
    ------
    ShapeError, PredictionError
        As `times` does.

    Examples
    --------
    >>> first_time([0, 10, -5], 3.2)
    0.4
    >>> first_time([0, 10, -5], 6) is None
    True
    """
    if isinstance(relation, BoundedRelation):
        return next(_open_piece_starts(_cut(relation, value, interval, tolerance)), None)
    return next(iter(times(relation, value, interval)), None)


def minimum(relation: Relation, interval: Interval = _UNIT_INTERVAL, *, tolerance: float = _TOLERANCE) -> Minimum:
    """Return the least value of a relation in an interval, and the first time at which the relation has it.

    Parameters
    ----------
    relation
        A polynomial in time, or its coefficients, ascending; or a `BoundedRelation`.
    interval
        Times to search, both ends included; for a polynomial it may end in `math.inf`.
    tolerance
        In the relation's unit of time; for a `BoundedRelation` only.

    Returns
    -------
    Minimum
        Of values that rounding cannot separate, the earliest. A relation that falls for ever has no least value; the
        result is then ``Minimum(time=inf, value=-inf)``.

        For a `BoundedRelation`, the result is a value that it has. Other values are less by at most what its bounds
        leave open over a time of `tolerance`, or by 1e-9 of the range of the bounds over the whole interval. Of values
        that this cannot separate, the result is any one.

    Raises
    ------
    ShapeError
        If a number is not finite, the interval runs backwards, or the tolerance is not positive.
    PredictionError
        As `times` does.

    Notes
    -----
    The least value is at an end, or at a root of the derivative, found as in `times`. Values differ if they differ by
    more than Higham's bound on their errors ("Accuracy and Stability of Numerical Algorithms", 2nd ed., 5.1). For a
    `BoundedRelation`, the method is branch and bound (Piyavskii, "An algorithm for finding the absolute extremum of a
    function", 1972).

    Examples
    --------
    >>> minimum([4, -4, 2])
    Minimum(time=1.0, value=2.0)
    >>> minimum([4, -4, -2], (0, math.inf))
    Minimum(time=inf, value=-inf)
    """
    if isinstance(relation, BoundedRelation):
        return Minimum(*least_value(relation, _finite_interval(interval), positive("tolerance", tolerance)))
    coefficients = _trimmed(_coefficients("relation", relation))
    low, high = _interval(interval)
    if high == math.inf and len(coefficients) > 1 and coefficients[-1] < 0.0:
        return Minimum(math.inf, -math.inf)
    turns, _ = _solve(_derivative(coefficients), 0.0, (low, high))
    candidates = [low, *turns] if high == math.inf else [low, *turns, high]
    values = [_value(coefficients, time) for time in candidates]
    errors = [_error(coefficients, 0.0, time) for time in candidates]
    least = min(value + error for value, error in zip(values, errors, strict=True))
    first = next(i for i, value in enumerate(values) if value - errors[i] <= least)
    return Minimum(candidates[first], values[first])


def intervals_below(
    relation: Relation, value: float = 0.0, interval: Interval = _UNIT_INTERVAL, *, tolerance: float = _TOLERANCE
) -> tuple[Interval, ...]:
    """Return the intervals (enter, leave) in which a relation is less than a value, ascending.

    The arguments are those of `times`. A touch of the value from above is no interval, and a touch from below does not
    end one. A relation that has the value all the time is never less. A `BoundedRelation` is less throughout each
    interval; the intervals are too short by the times that the tolerance leaves open.

    Raises
    ------
    ShapeError, PredictionError
        As `times` does.

    Examples
    --------
    >>> intervals_below([0, 10, -5], 3.2, (0, math.inf))
    ((0.0, 0.4), (1.6, inf))
    >>> intervals_below([1, -2, 1])
    ()
    """
    if isinstance(relation, BoundedRelation):
        return _joined((a, b) for a, b, sign in _cut(relation, value, interval, tolerance) if sign < 0)
    low, high = _interval(interval)
    roots, signs = _solve(_coefficients("relation", relation), finite("value", value), (low, high))
    bounds = pairwise([low, *roots, high])
    return _joined(bound for bound, sign in zip(bounds, signs, strict=True) if sign < 0.0)


def intervals_within(
    relation: Relation, value: float = 0.0, interval: Interval = _UNIT_INTERVAL, *, tolerance: float = _TOLERANCE
) -> tuple[Interval, ...]:
    """Return the intervals (enter, leave) in which a relation is at most a value, ascending.

    The arguments are those of `times`. For a touch of the value from above, enter and leave are the same time. A
    relation that has the value all the time is within it all the time. For a `BoundedRelation`, the intervals contain
    all times at which it is at most the value: no enter is late, and no leave is early. They are too long by the times
    that the tolerance leaves open.

    Raises
    ------
    ShapeError, PredictionError
        As `times` does.

    Examples
    --------
    >>> intervals_within([0, 10, -5], 3.2, (0, math.inf))
    ((0.0, 0.4), (1.6, inf))
    >>> intervals_within([1, -2, 1])
    ((1.0, 1.0),)
    """
    if isinstance(relation, BoundedRelation):
        return _joined((a, b) for a, b, sign in _cut(relation, value, interval, tolerance) if sign <= 0)
    low, high = _interval(interval)
    roots, signs = _solve(_coefficients("relation", relation), finite("value", value), (low, high))
    bounds = pairwise([low, *roots, high])
    within = [bound for bound, sign in zip(bounds, signs, strict=True) if sign <= 0.0]
    return _joined(sorted(within + [(root, root) for root in roots]))


def common(intervals_a: Iterable[Interval], intervals_b: Iterable[Interval]) -> tuple[Interval, ...]:
    """Return the intersection of two ascending sequences of intervals.

    Intervals include their ends: two intervals that only meet have that instant in common.

    Raises
    ------
    ShapeError
        If an item is not an interval, an interval runs backwards, or a sequence is not ascending.

    Examples
    --------
    >>> common([(0, 2), (5, 8)], [(1, 6), (8, 9)])
    ((1.0, 2.0), (5.0, 6.0), (8.0, 8.0))
    """
    a, b = _ascending("intervals_a", intervals_a), _ascending("intervals_b", intervals_b)
    found = []
    i = j = 0
    while i < len(a) and j < len(b):
        enter, leave = max(a[i][0], b[j][0]), min(a[i][1], b[j][1])
        if enter <= leave:
            found.append((enter, leave))
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return _joined(found)


def moving_circles(
    path_a: Path | Curve,
    radius_a: float,
    path_b: Path | Curve,
    radius_b: float,
    interval: Interval = _UNIT_INTERVAL,
    *,
    tolerance: float = _TOLERANCE,
) -> tuple[Interval, ...]:
    """Return the intervals (enter, leave) in which two moving circles touch or overlap, ascending.

    Parameters
    ----------
    path_a, path_b
        The paths of their centres. A `Curve` may also have one or three dimensions; three are for balls.
    radius_a, radius_b
        Their radii, in the game's units; a point has the radius 0.
    interval, tolerance
        As for `times`.

    Returns
    -------
    tuple of (float, float)
        For a graze, enter and leave are the same time. `intervals_within` describes the accuracy for a `Curve`.

    Raises
    ------
    ShapeError
        If a path is neither a `Path` nor a `Curve`, a radius is negative, a number is not finite, or the interval runs
        backwards.
    PredictionError
        As `times` does.

    Notes
    -----
    The first example of a page on predicting collisions; see `impinge.reference.prediction`.

    Examples
    --------
    With the velocities of that example, the circles meet after more than a second, and separate again:

    >>> a, b = Path.steady((0, 0), (2, 7)), Path.steady((6, 10), (-1, 2))
    >>> moving_circles(a, 1, b, 1)
    ()
    >>> [(round(enter, 3), round(leave, 3)) for enter, leave in moving_circles(a, 1, b, 1, (0, math.inf))]
    [(1.657, 2.343)]

    A graze:

    >>> moving_circles(Path.linear((-4, 3), (4, 3)), 1, Path.still((0, 0)), 2)
    ((0.5, 0.5),)
    """
    _moving("path_a", path_a)
    _moving("path_b", path_b)
    reach = not_negative("radius_a", radius_a) + not_negative("radius_b", radius_b)
    if isinstance(path_a, Path) and isinstance(path_b, Path):
        return intervals_within(_squared_distance(path_a, path_b), reach * reach, interval)
    return intervals_within(squared_distance(path_a, path_b), reach * reach, interval, tolerance=tolerance)


def circle_and_segment(
    center: tuple[float, float], radius: float, a: tuple[float, float], b: tuple[float, float]
) -> Interval | None:
    """Return the part of the segment from a to b that is in a circle, as two fractions of it, or None.

    The radius and all points are in the game's units. Fractions are from 0 at a to 1 at b.

    The result is (0, 1) for a segment inside the circle. For one that only touches the circle, both fractions are
    equal. For a segment of a single point, the result is (0, 1) or None.

    Raises
    ------
    ShapeError
        If the radius is negative, or a number is not finite.

    Notes
    -----
    The second example of a page on predicting collisions; see `impinge.reference.prediction`.

    Examples
    --------
    >>> circle_and_segment((0, 0), 5, (-8, 3), (8, 3))
    (0.25, 0.75)
    >>> circle_and_segment((0, 0), 5, (-8, 6), (8, 6)) is None
    True
    """
    radius = not_negative("radius", radius)
    apart = _squared_distance(Path.still(point("center", center)), Path.linear(point("a", a), point("b", b)))
    inside = intervals_within(apart, radius * radius)
    return (inside[0][0], inside[-1][1]) if inside else None  # a circle is convex: only rounding makes two intervals


def dot_through_box(
    path: Path | Curve,
    center: tuple[float, float],
    width: float,
    height: float,
    interval: Interval = _UNIT_INTERVAL,
    *,
    tolerance: float = _TOLERANCE,
) -> tuple[Interval, ...]:
    """Return the intervals (enter, leave) in which a moving point is in an axis-aligned box, ascending.

    The centre and the full extents of the box are in the game's units, times in the path's unit. The border is part of
    the box. If the point only touches a corner or a side, enter and leave are the same time, except for rounding.
    `intervals_within` describes the accuracy for a `Curve`.

    Raises
    ------
    ShapeError
        If `path` is neither a `Path` nor a `Curve`, a size is not positive, a number is not finite, or the
        interval runs backwards.
    PredictionError
        As `times` does.

    Notes
    -----
    The third example of a page on predicting collisions; see `impinge.reference.prediction`.

    Examples
    --------
    One point moves along an axis. Another one is thrown up, leaves the box and falls back into it:

    >>> dot_through_box(Path.linear((-8, 0), (8, 0)), (0, 0), 8, 4)
    ((0.25, 0.75),)
    >>> dot_through_box(Path.ballistic((0, 0), (1, 8), (0, -16)), (0, 0), 4, 3)
    ((0.0, 0.25), (0.75, 1.0))
    """
    _moving("path", path)
    x, y = point("center", center)
    across, up = positive("width", width) / 2, positive("height", height) / 2
    if isinstance(path, Curve):
        middle = Path.still((x, y))
        inside: tuple[Interval, ...] = (_finite_interval(interval),)
        for relation, limit in ((horizontal_distance(middle, path), across), (vertical_distance(middle, path), up)):
            for side in (relation, -relation):
                inside = common(inside, intervals_within(side, limit, interval, tolerance=tolerance))
        return inside
    walls = [(path.x, x + across), (_negative(path.x), across - x), (path.y, y + up), (_negative(path.y), up - y)]
    low, high = _interval(interval)
    found = {root for wall, value in walls for root in _solve(wall, value, (low, high))[0]}
    instants = sorted({low, high, *found})
    # At a corner, the point meets two sides at once. Rounding may change one time: test each time for all four sides.
    touches = [(time, time) for time in instants if _within_all(walls, time)]
    stretches = [(a, b) for a, b in pairwise(instants) if _within_all(walls, _middle(a, b))]
    return _joined(sorted(touches + stretches))


def _cut(
    relation: BoundedRelation, value: float, interval: Interval, tolerance: float
) -> Iterable[tuple[float, float, int]]:
    """Check the arguments of a query, and return the pieces of time that answer it."""
    return pieces(relation, finite("value", value), _finite_interval(interval), positive("tolerance", tolerance))


def _open_piece_starts(cut: Iterable[tuple[float, float, int]]) -> Iterator[float]:
    """Yield the begin of each row of adjacent open pieces."""
    was_open = False
    for begin, _, sign in cut:
        if sign == 0 and not was_open:
            yield begin
        was_open = sign == 0


def _squared_length(place: Place) -> float:
    return math.fsum(map(mul, place, place))


def _squared_lengths(first: Place, last: Place, strays: float) -> Bounds:
    """Return bounds on the squared distance of the origin from all points within `strays` of a segment."""
    along = tuple(map(sub, last, first))
    length, projected = _squared_length(along), -sum(map(mul, first, along))
    part = min(max(projected / length, 0.0), 1.0) if length > 0.0 else 0.0
    nearest = math.hypot(*[a + part * d for a, d in zip(first, along, strict=True)])
    # The nearest point of the segment has no more rounding than its ends, and `strays` includes theirs.
    low, high = max(nearest - strays, 0.0), max(math.hypot(*first), math.hypot(*last)) + strays
    return low * low * (1.0 - 8.0 * UNIT), high * high * (1.0 + 8.0 * UNIT)


def _range_within(first: float, last: float, strays: float) -> Bounds:
    return min(first, last) - strays, max(first, last) + strays


def _coordinate(p: Moving, q: Moving, axis: int) -> BoundedRelation:
    """Return one coordinate of q relative to p as a relation."""

    def value(place: Place) -> float:
        if axis >= len(place):
            raise ShapeError(f"p and q must have {axis + 1} coordinates or more, got {len(place)}")
        return place[axis]

    return between(p, q, value, lambda first, last, strays: _range_within(value(first), value(last), strays))


def _within_all(walls: list[tuple[_Coefficients, float]], time: float) -> bool:
    """Return whether every relation is at most its value, to rounding."""
    if time == math.inf:
        return False  # the instants before it decide
    return all(_value(c, time) - value <= _error(c, value, time) for c, value in walls)


def _middle(low: float, high: float) -> float:
    return low + 0.5 * (high - low) if high < math.inf else max(2.0 * abs(low), 1.0)


def _solve(coefficients: _Coefficients, value: float, interval: Interval) -> tuple[list[float], list[float]]:
    """Return the times at which a relation has a value, and the signs of their difference between these times."""
    constant = coefficients[0]
    if not math.isfinite(sum(map(abs, coefficients)) + abs(value)):
        raise ShapeError(f"relation must have smaller coefficients and values, got {coefficients!r} and {value!r}")
    shifted = np.array(coefficients, np.float64)
    shifted[0] = constant - value
    # The kernel's error bound uses the given coefficients. The difference also has the rounding of both of its terms.
    slack = 2 * len(coefficients) * UNIT * (abs(constant) + abs(value))
    roots, signs = polynomial_roots(shifted, slack, *interval)
    return roots.tolist(), signs.tolist()


def _error(coefficients: _Coefficients, value: float, time: float) -> float:
    """Return the error bound of a relation minus a value at a time, as in the kernel."""
    size = 0.0
    for coefficient in reversed(coefficients):
        size = size * abs(time) + abs(coefficient)
    size += abs(value)
    return 2 * len(coefficients) * UNIT * size if size < math.inf else 0.0  # infinite values have no error bound


def _joined(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    """Return ascending intervals, with those that meet or overlap merged."""
    joined: list[Interval] = []
    for enter, leave in intervals:
        if joined and enter <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], leave))
        else:
            joined.append((enter, leave))
    return tuple(joined)


def _coefficients(name: str, relation: Polynomial | Sequence[float]) -> _Coefficients:
    """Return finite coefficients without domain and window. Raise a ShapeError with the argument's name for others."""
    if isinstance(relation, Polynomial):
        plain = relation
        if not np.array_equal(plain.domain, plain.window):
            plain = plain.convert()
        numbers: Sequence[object] = plain.coef.tolist()
    elif isinstance(relation, str | bytes):
        raise ShapeError(f"{name} must be a Polynomial or coefficients, got {relation!r}")
    else:
        try:
            numbers = tuple(iter(relation))
        except TypeError:
            raise ShapeError(f"{name} must be a Polynomial or coefficients, got {relation!r}") from None
    if not numbers:
        raise ShapeError(f"{name} must have a coefficient, got {relation!r}")
    return tuple(finite(f"{name}[{i}]", number) for i, number in enumerate(numbers))


def _interval(interval: Interval) -> Interval:
    try:
        low, high = interval
        begin, end = float(low), float(high)
    except (TypeError, ValueError, OverflowError):
        raise ShapeError(f"interval must be two times (begin, end), got {interval!r}") from None
    if not math.isfinite(begin):
        raise ShapeError(f"interval must begin at a finite time, got {interval!r}")
    if not begin <= end:
        raise ShapeError(f"interval must not run backwards, got {interval!r}")
    return begin, end


def _finite_interval(interval: Interval) -> Interval:
    low, high = _interval(interval)
    if high == math.inf:
        raise ShapeError(f"interval must end at a finite time where a path is a Curve, got {interval!r}")
    return low, high


def _ascending(name: str, intervals: Iterable[Interval]) -> list[Interval]:
    if not isinstance(intervals, Iterable):
        raise ShapeError(f"{name} must be intervals (enter, leave), got {intervals!r}")
    checked = []
    last = -math.inf
    for interval in intervals:
        try:
            enter, leave = map(float, interval)
        except (TypeError, ValueError, OverflowError):
            raise ShapeError(f"{name} must be intervals (enter, leave), got {interval!r}") from None
        if not last <= enter <= leave:
            raise ShapeError(f"{name} must be ascending, got {interval!r} after {last!r}")
        checked.append((enter, leave))
        last = leave
    return checked


def _moving(name: str, path: Path | Curve) -> None:
    if not isinstance(path, Path | Curve):
        raise ShapeError(f"{name} must be a Path or a Curve, got {path!r}")


def _trimmed(coefficients: _Coefficients) -> _Coefficients:
    end = len(coefficients)
    while end > 1 and coefficients[end - 1] == 0.0:
        end -= 1
    return coefficients[:end]


def _value(coefficients: _Coefficients, time: float) -> float:
    value = 0.0
    for coefficient in reversed(coefficients):
        value = value * time + coefficient
    return value


def _derivative(coefficients: _Coefficients) -> _Coefficients:
    return tuple(i * coefficient for i, coefficient in enumerate(coefficients) if i) or (0.0,)


def _negative(coefficients: _Coefficients) -> _Coefficients:
    return tuple(-coefficient for coefficient in coefficients)


def _difference(a: _Coefficients, b: _Coefficients) -> _Coefficients:
    return tuple(x - y for x, y in zip_longest(a, b, fillvalue=0.0))


# In plain floats: each operation of `Polynomial` takes 17 µs, more than the whole query.
def _squared_distance(p: Path, q: Path) -> _Coefficients:
    xs, ys = _difference(q.x, p.x), _difference(q.y, p.y)
    squares = [0.0] * (2 * max(len(xs), len(ys)) - 1)
    for part in (xs, ys):
        for i, a in enumerate(part):
            for j, b in enumerate(part):
                squares[i + j] += a * b
    return tuple(squares)
