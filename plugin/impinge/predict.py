"""When something happens: paths and relations as polynomials in time, and the times at which a relation has a value.

Not here: shapes that turn, and bodies that push. A relation is anything that the positions decide: build it from paths
with the functions below, or add and multiply your own; it is a `numpy.polynomial.Polynomial`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import TypeAlias

import numpy as np
from numpy.polynomial import Polynomial

from impinge.checks import finite, not_negative, point, positive
from impinge.errors import ShapeError
from impinge.kernels.roots import UNIT, polynomial_roots
from impinge.motion import Motion

__all__ = [
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

Relation: TypeAlias = Polynomial | Sequence[float]
"""A polynomial in time, or its coefficients, ascending.

``[0, 10, -5]`` is the height 10 t - 5 t² of what is thrown up at 10 under a gravity of 10, and so is
``Polynomial([0, 10, -5])``: see `times`.
"""

Interval: TypeAlias = tuple[float, float]
"""From one time to a later one, both included.

``(0.0, 1.0)`` is a whole frame, and ``(0.0, math.inf)`` all that is to come.
"""

_Coefficients: TypeAlias = tuple[float, ...]
_UNIT_INTERVAL: Interval = (0.0, 1.0)


@dataclass(frozen=True, slots=True, init=False)
class Path:
    """Where a point is as time goes on: a polynomial for each coordinate.

    Parameters
    ----------
    x, y
        Coefficients, ascending, or a `Polynomial`; one with a domain of its own is converted. They are kept as tuples.
        Places are in the game's units. The unit of time is what the game makes it: a frame, a second.

    Raises
    ------
    ShapeError
        If a coefficient is not a finite number.

    Examples
    --------
    To the right at 4, and up at 3 against a gravity of 2:

    >>> path = Path((1, 4), (0, 3, -1))
    >>> path(2)
    (9.0, 2.0)
    >>> path.velocity(2)
    (4.0, -1.0)

    Where one thing is, seen from another:

    >>> path - Path.still((1, 1))
    Path(x=(0.0, 4.0), y=(-1.0, 3.0, -1.0))
    """

    x: _Coefficients
    y: _Coefficients

    def __init__(self, x: Relation, y: Relation) -> None:
        object.__setattr__(self, "x", _trimmed(_coefficients("x", x)))
        object.__setattr__(self, "y", _trimmed(_coefficients("y", y)))

    @classmethod
    def still(cls, place: tuple[float, float]) -> Path:
        """Return the path of what stays where it is.

        Raises
        ------
        ShapeError
            If it is not two finite numbers.

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
        """Return the straight path with a velocity, in units per unit of time.

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
        """Return the path of what is thrown: a constant acceleration, in units per unit of time squared.

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
        """Return the path under an acceleration that itself changes by a constant `jerk`, per unit of time.

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
        """Return the path of a motion's centre through its frame, from time 0 to 1. That it turns is left out.

        Raises
        ------
        ShapeError
            If it is not a `Motion`.

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
        """Return the place (x, y) at a time, in the game's units.

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
        """The velocity as time goes on, in units per unit of time; it is a path too.

        Raises
        ------
        ShapeError
            If a coefficient of it is too large to be finite.

        Examples
        --------
        >>> Path((1, 4), (0, 3, -1)).velocity
        Path(x=(4.0,), y=(3.0, -2.0))
        """
        return Path(_derivative(self.x), _derivative(self.y))

    def __sub__(self, other: Path) -> Path:
        """Return this path as seen from another."""
        if not isinstance(other, Path):
            return NotImplemented
        return Path(_difference(self.x, other.x), _difference(self.y, other.y))


@dataclass(frozen=True, slots=True)
class Minimum:
    """The least value of a relation, and the earliest time at which it has it.

    Attributes
    ----------
    time
        In the relation's unit of time.
    value
        In the relation's own unit: for a `squared_distance` that is the game's units squared.

    Examples
    --------
    >>> least = minimum([4, -4, 2])
    >>> least.time, least.value
    (1.0, 2.0)
    """

    time: float
    value: float


def squared_distance(p: Path, q: Path) -> Polynomial:
    """Return the square of the distance between two points on their ways, in the game's units squared.

    Circles touch where it is the square of the sum of their radii. Rounding may leave a value that should be zero a
    little below it.

    Raises
    ------
    ShapeError
        If p or q is not a `Path`.

    Examples
    --------
    >>> apart = squared_distance(Path.steady((0, 0), (2, 0)), Path.still((10, 3)))
    >>> apart.coef
    array([109., -40.,   4.])
    >>> minimum(apart, (0, 10))
    Minimum(time=5.0, value=9.0)
    """
    _path("p", p)
    _path("q", q)
    return Polynomial(_squared_distance(p, q))


def horizontal_distance(p: Path, q: Path) -> Polynomial:
    """Return how far q is to the right of p; less than zero where it is to the left. In the game's units.

    To ask for the distance without its sign, R: `R = n` where this is n or -n, and `R <= n` in what
    ``intervals_within(d, n)`` and ``intervals_within(-d, n)`` have in `common`.

    Raises
    ------
    ShapeError
        If p or q is not a `Path`.

    Examples
    --------
    >>> d = horizontal_distance(Path.still((0, 0)), Path.linear((-4, 1), (4, 1)))
    >>> times(d, -2) + times(d, 2)
    (0.25, 0.75)
    >>> common(intervals_within(d, 2), intervals_within(-d, 2))
    ((0.25, 0.75),)
    """
    return Polynomial(_difference(_path("q", q).x, _path("p", p).x))


def vertical_distance(p: Path, q: Path) -> Polynomial:
    """Return how far q is above p, in the game's units; less than zero where it is below. See `horizontal_distance`.

    Raises
    ------
    ShapeError
        If p or q is not a `Path`.

    Examples
    --------
    When is the ball back at the height of the hand?

    >>> ball = Path.ballistic((0, 1), (3, 10), (0, -10))
    >>> times(vertical_distance(Path.still((0, 1)), ball), 0, (0, math.inf))
    (0.0, 2.0)
    """
    return Polynomial(_difference(_path("q", q).y, _path("p", p).y))


def distance_to_line(path: Path, a: tuple[float, float], b: tuple[float, float]) -> Polynomial:
    """Return how far a point on its way is to the left of the line from a to b; less than zero to the right.

    In the game's units, as a and b are.

    Raises
    ------
    ShapeError
        If `path` is not a `Path`, a or b is not two finite numbers, or both are one point.

    Examples
    --------
    When does a circle of radius 1 that falls at 4 touch the floor?

    >>> times(distance_to_line(Path.steady((0, 3), (0, -4)), (0, 0), (1, 0)), 1)
    (0.5,)
    """
    _path("path", path)
    (ax, ay), (bx, by) = point("a", a), point("b", b)
    length = math.hypot(bx - ax, by - ay)
    if length == 0.0:
        raise ShapeError(f"b must not be a, got {b!r}")
    ux, uy = (bx - ax) / length, (by - ay) / length
    xs, ys = _difference(path.x, (ax,)), _difference(path.y, (ay,))
    return Polynomial([ux * y - uy * x for x, y in zip_longest(xs, ys, fillvalue=0.0)])


def times(relation: Relation, value: float = 0.0, interval: Interval = _UNIT_INTERVAL) -> tuple[float, ...]:
    """Return the times at which a relation has a value, ascending.

    Parameters
    ----------
    relation
        A polynomial in time, or its coefficients, ascending.
    value
        What it is to be.
    interval
        Where to look, both ends included; it may end in `math.inf`.

    Returns
    -------
    tuple of float
        Correct to what rounding in the coefficients leaves. A time at which the relation only touches the value is
        one of them; times that rounding cannot tell apart are one. For a relation that is the value all the time: the
        interval's start.

    Raises
    ------
    ShapeError
        If `relation` is none, a number in it or the sum of them is not finite, or the interval runs backwards.

    Notes
    -----
    The method is that of a page on predicting collisions, "P1(t), P2(t), R(t) = n"; see `impinge.reference.prediction`.
    Between the roots of the derivative each change of sign brackets one root (Collins and Loos, "Polynomial real root
    isolation by differentiation", 1976). What rounding leaves is Higham's bound ("Accuracy and Stability of Numerical
    Algorithms", 2nd ed., 5.1).

    Examples
    --------
    >>> times([0, 10, -5], 3.2)
    (0.4,)
    >>> times([0, 10, -5], 3.2, (0, math.inf))
    (0.4, 1.6)
    >>> times([0, 10, -5], 5, (0, math.inf))
    (1.0,)
    """
    roots, _ = _solve(_coefficients("relation", relation), finite("value", value), _interval(interval))
    return tuple(roots)


def first_time(relation: Relation, value: float = 0.0, interval: Interval = _UNIT_INTERVAL) -> float | None:
    """Return the first time at which a relation has a value, None without one. The arguments are those of `times`.

    Raises
    ------
    ShapeError
        As `times` does.

    Examples
    --------
    >>> first_time([0, 10, -5], 3.2)
    0.4
    >>> first_time([0, 10, -5], 6) is None
    True
    """
    return next(iter(times(relation, value, interval)), None)


def minimum(relation: Relation, interval: Interval = _UNIT_INTERVAL) -> Minimum:
    """Return the least value of a relation in an interval, and when it first has it.

    Parameters
    ----------
    relation
        A polynomial in time, or its coefficients, ascending.
    interval
        Where to look, both ends included; it may end in `math.inf`.

    Returns
    -------
    Minimum
        Of values that rounding cannot tell apart, the earliest. A relation that falls for ever has no least value:
        the answer is then ``Minimum(time=inf, value=-inf)``.

    Raises
    ------
    ShapeError
        If a number is not finite, or the interval runs backwards.

    Notes
    -----
    The least of the values at both ends and where the derivative is zero, which is found as in `times`. Values are
    told apart by Higham's bound on their errors ("Accuracy and Stability of Numerical Algorithms", 2nd ed., 5.1).

    Examples
    --------
    >>> minimum([4, -4, 2])
    Minimum(time=1.0, value=2.0)
    >>> minimum([4, -4, -2], (0, math.inf))
    Minimum(time=inf, value=-inf)
    """
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
    relation: Relation, value: float = 0.0, interval: Interval = _UNIT_INTERVAL
) -> tuple[Interval, ...]:
    """Return when a relation is less than a value, as (enter, leave), ascending. The arguments are those of `times`.

    Where it only touches the value from above there is no interval, and where it touches it from below none ends. A
    relation that is the value all the time is never less.

    Raises
    ------
    ShapeError
        As `times` does.

    Examples
    --------
    >>> intervals_below([0, 10, -5], 3.2, (0, math.inf))
    ((0.0, 0.4), (1.6, inf))
    >>> intervals_below([1, -2, 1])
    ()
    """
    low, high = _interval(interval)
    roots, signs = _solve(_coefficients("relation", relation), finite("value", value), (low, high))
    bounds = pairwise([low, *roots, high])
    return _joined(bound for bound, sign in zip(bounds, signs, strict=True) if sign < 0.0)


def intervals_within(
    relation: Relation, value: float = 0.0, interval: Interval = _UNIT_INTERVAL
) -> tuple[Interval, ...]:
    """Return when a relation is a value at the most, as (enter, leave), ascending. The arguments are those of `times`.

    Where it only touches the value from above, enter and leave are the same time. A relation that is the value all the
    time is within it all the time.

    Raises
    ------
    ShapeError
        As `times` does.

    Examples
    --------
    >>> intervals_within([0, 10, -5], 3.2, (0, math.inf))
    ((0.0, 0.4), (1.6, inf))
    >>> intervals_within([1, -2, 1])
    ((1.0, 1.0),)
    """
    low, high = _interval(interval)
    roots, signs = _solve(_coefficients("relation", relation), finite("value", value), (low, high))
    bounds = pairwise([low, *roots, high])
    within = [bound for bound, sign in zip(bounds, signs, strict=True) if sign <= 0.0]
    return _joined(sorted(within + [(root, root) for root in roots]))


def common(intervals_a: Iterable[Interval], intervals_b: Iterable[Interval]) -> tuple[Interval, ...]:
    """Return the times that are in both of two ascending sequences of intervals.

    Intervals include their ends: two that only meet have that instant in common.

    Raises
    ------
    ShapeError
        If something is not an interval, an interval runs backwards, or a sequence is not ascending.

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
    path_a: Path, radius_a: float, path_b: Path, radius_b: float, interval: Interval = _UNIT_INTERVAL
) -> tuple[Interval, ...]:
    """Return when two circles on their ways touch or overlap, as (enter, leave), ascending.

    Parameters
    ----------
    path_a, path_b
        The ways of their centres.
    radius_a, radius_b
        Their radii, in the game's units; a point has the radius 0.
    interval
        Where to look, both ends included; it may end in `math.inf`.

    Returns
    -------
    tuple of (float, float)
        Where they only graze, enter and leave are the same time.

    Raises
    ------
    ShapeError
        If a path is not a `Path`, a radius is negative, a number is not finite, or the interval runs backwards.

    Notes
    -----
    The first example of a page on predicting collisions; see `impinge.reference.prediction`.

    Examples
    --------
    The velocities of that example. The circles meet after more than a second, and they would part again:

    >>> a, b = Path.steady((0, 0), (2, 7)), Path.steady((6, 10), (-1, 2))
    >>> moving_circles(a, 1, b, 1)
    ()
    >>> [(round(enter, 3), round(leave, 3)) for enter, leave in moving_circles(a, 1, b, 1, (0, math.inf))]
    [(1.657, 2.343)]

    A graze:

    >>> moving_circles(Path.linear((-4, 3), (4, 3)), 1, Path.still((0, 0)), 2)
    ((0.5, 0.5),)
    """
    _path("path_a", path_a)
    _path("path_b", path_b)
    reach = not_negative("radius_a", radius_a) + not_negative("radius_b", radius_b)
    return intervals_within(_squared_distance(path_a, path_b), reach * reach, interval)


def circle_and_segment(
    center: tuple[float, float], radius: float, a: tuple[float, float], b: tuple[float, float]
) -> Interval | None:
    """Return which part of the segment from a to b is in a circle, as fractions of it; None if there is none.

    The radius and all points are in the game's units, fractions are from 0 at a to 1 at b.

    A segment that lies inside is in it from 0 to 1, and one that only touches it has twice the same fraction. One point
    as a segment is in the circle whole, or not at all.

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
    return (inside[0][0], inside[-1][1]) if inside else None  # a circle is convex: rounding alone makes two of it


def dot_through_box(
    path: Path,
    center: tuple[float, float],
    width: float,
    height: float,
    interval: Interval = _UNIT_INTERVAL,
) -> tuple[Interval, ...]:
    """Return when a dot on its way is in a box with sides along the axes, as (enter, leave), ascending.

    The centre and the box's full extents are in the game's units, times in the path's. The border is part of the box.
    Where the dot only touches a corner or a side, enter and leave are the same time, but for rounding.

    Raises
    ------
    ShapeError
        If `path` is not a `Path`, a size is not positive, a number is not finite, or the interval runs backwards.

    Notes
    -----
    The third example of a page on predicting collisions; see `impinge.reference.prediction`.

    Examples
    --------
    Along an axis, and thrown so that it comes back into the box:

    >>> dot_through_box(Path.linear((-8, 0), (8, 0)), (0, 0), 8, 4)
    ((0.25, 0.75),)
    >>> dot_through_box(Path.ballistic((0, 0), (1, 8), (0, -16)), (0, 0), 4, 3)
    ((0.0, 0.25), (0.75, 1.0))
    """
    _path("path", path)
    x, y = point("center", center)
    across, up = positive("width", width) / 2, positive("height", height) / 2
    walls = [(path.x, x + across), (_negative(path.x), across - x), (path.y, y + up), (_negative(path.y), up - y)]
    low, high = _interval(interval)
    found = {root for relation, value in walls for root in _solve(relation, value, (low, high))[0]}
    instants = sorted({low, high, *found})
    # At a corner it meets two sides at once. Their times may differ by rounding: so each instant is asked for all four.
    inside = [(time, time) for time in instants if _within_all(walls, time)]
    stretches = [(a, b) for a, b in pairwise(instants) if _within_all(walls, _middle(a, b))]
    return _joined(sorted(inside + stretches))


def _within_all(walls: list[tuple[_Coefficients, float]], time: float) -> bool:
    """Whether every relation is its value at the most, or cannot be told from it."""
    if time == math.inf:
        return False  # the instants before it decide
    return all(_value(c, time) - value <= _error(c, value, time) for c, value in walls)


def _middle(low: float, high: float) -> float:
    return low + 0.5 * (high - low) if high < math.inf else max(2.0 * abs(low), 1.0)


def _solve(coefficients: _Coefficients, value: float, interval: Interval) -> tuple[list[float], list[float]]:
    """Return the times at which a relation has a value, and the signs of what is left of it between them."""
    constant = coefficients[0]
    if not math.isfinite(sum(map(abs, coefficients)) + abs(value)):
        raise ShapeError(f"relation must have smaller coefficients and values, got {coefficients!r} and {value!r}")
    shifted = np.array(coefficients, np.float64)
    shifted[0] = constant - value
    # The kernel counts the error of what it is given, but the rounding is that of both terms of the difference.
    slack = 2 * len(coefficients) * UNIT * (abs(constant) + abs(value))
    roots, signs = polynomial_roots(shifted, slack, *interval)
    return roots.tolist(), signs.tolist()


def _error(coefficients: _Coefficients, value: float, time: float) -> float:
    """By how much a relation less a value may be wrong at a time, as in the kernel."""
    size = 0.0
    for coefficient in reversed(coefficients):
        size = size * abs(time) + abs(coefficient)
    size += abs(value)
    return 2 * len(coefficients) * UNIT * size if size < math.inf else 0.0  # infinite values: compared as they are


def _joined(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    """Join ascending intervals that meet or overlap."""
    joined: list[Interval] = []
    for enter, leave in intervals:
        if joined and enter <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], leave))
        else:
            joined.append((enter, leave))
    return tuple(joined)


def _coefficients(name: str, relation: Relation) -> _Coefficients:
    """Return finite coefficients in plain time, or refuse them by name."""
    if isinstance(relation, Polynomial):
        plain = relation
        if not np.array_equal(plain.domain, plain.window):
            plain = plain.convert()
        numbers: Sequence[object] = plain.coef.tolist()
    elif isinstance(relation, str | bytes):
        raise ShapeError(f"{name} must be a Polynomial or coefficients, got {relation!r}")
    else:
        try:
            numbers = tuple(relation)
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


def _path(name: str, path: Path) -> Path:
    if not isinstance(path, Path):
        raise ShapeError(f"{name} must be a Path, got {path!r}")
    return path


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


# In plain floats: the arithmetic of Polynomial takes 17 µs a step, which is more than the answer does.
def _squared_distance(p: Path, q: Path) -> _Coefficients:
    xs, ys = _difference(q.x, p.x), _difference(q.y, p.y)
    squares = [0.0] * (2 * max(len(xs), len(ys)) - 1)
    for part in (xs, ys):
        for i, a in enumerate(part):
            for j, b in enumerate(part):
                squares[i + j] += a * b
    return tuple(squares)
