"""Exact geometric predicates in plain Python: side of a line, inside of a circle, crossing of lines.

Outlines use them once for each shape. Kernels do not: they answer within the slop, many times a frame.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["certain_turns", "crossing_point", "exact_integers", "in_circle", "turn"]

Vector: TypeAlias = tuple[float, float]

# Shewchuk's error bounds A of the two determinants, relative to the sum of their terms' magnitudes.
TURN_ERROR = 3.3306690738754716e-16
CIRCLE_ERROR = 1.1102230246251577e-15
UNDERFLOW = 1e-290  # error of products near the smallest floats, with a wide margin; not part of the bounds above


def turn(a: Vector, b: Vector, c: Vector) -> float:
    """Return the turn of the path from a over b to c: positive to the left, negative to the right, 0.0 if straight.

    The sign is exact. The magnitude is about twice the area of the triangle.

    Notes
    -----
    Floats decide within Shewchuk's error bound ("Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
    Predicates", 1997). Beyond it, integers of any length decide.

    Examples
    --------
    >>> turn((0.0, 0.0), (4.0, 0.0), (4.0, 2.0))
    8.0

    The third point is slightly left of the line, which floats alone do not detect:

    >>> turn((0.5, 0.5), (12.0, 12.0), (24.0, 24.000000000000004)) > 0.0
    True
    """
    left = (a[0] - c[0]) * (b[1] - c[1])
    right = (a[1] - c[1]) * (b[0] - c[0])
    determinant = left - right
    if abs(determinant) > TURN_ERROR * (abs(left) + abs(right)) + UNDERFLOW:
        return determinant
    ax, ay, bx, by, cx, cy = exact_integers((*a, *b, *c))
    exact = (ax - cx) * (by - cy) - (ay - cy) * (bx - cx)
    return 1.0 * ((exact > 0) - (exact < 0)) * max(abs(determinant), UNDERFLOW)


def in_circle(a: Vector, b: Vector, c: Vector, d: Vector) -> bool:
    """Return whether d is inside the circle through a, b, c, which must turn left. A point on the circle is not inside.

    The answer is exact, by the method of `turn` and the same paper.

    Examples
    --------
    >>> corners = (0.0, 0.0), (2.0, 0.0), (2.0, 2.0)
    >>> in_circle(*corners, (0.0, 1.9)), in_circle(*corners, (0.0, 2.0))
    (True, False)
    """
    ax, ay, bx, by, cx, cy = a[0] - d[0], a[1] - d[1], b[0] - d[0], b[1] - d[1], c[0] - d[0], c[1] - d[1]
    bc, cb, ca, ac, ab, ba = bx * cy, cx * by, cx * ay, ax * cy, ax * by, bx * ay
    aa, bb, cc = ax * ax + ay * ay, bx * bx + by * by, cx * cx + cy * cy
    determinant = aa * (bc - cb) + bb * (ca - ac) + cc * (ab - ba)
    size = aa * (abs(bc) + abs(cb)) + bb * (abs(ca) + abs(ac)) + cc * (abs(ab) + abs(ba))
    if abs(determinant) > CIRCLE_ERROR * size + UNDERFLOW * (1.0 + aa + bb + cc):
        return determinant > 0.0
    px, py, qx, qy, rx, ry, sx, sy = exact_integers((*a, *b, *c, *d))
    px, py, qx, qy, rx, ry = px - sx, py - sy, qx - sx, qy - sy, rx - sx, ry - sy
    exact = (px * px + py * py) * (qx * ry - rx * qy)
    exact += (qx * qx + qy * qy) * (rx * py - px * ry)
    exact += (rx * rx + ry * ry) * (px * qy - qx * py)
    return exact > 0


def exact_integers(values: Iterable[float]) -> list[int]:
    """Return finite floats as integers, all multiplied by one power of two. Signs of homogeneous polynomials stay.

    Examples
    --------
    >>> exact_integers([0.5, 3.0, -0.125])
    [4, 24, -1]
    """
    ratios = [value.as_integer_ratio() for value in values]
    scale = max(denominator for _, denominator in ratios)
    return [numerator * (scale // denominator) for numerator, denominator in ratios]


def certain_turns(a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]) -> NDArray[np.int8]:
    """Return the signs of n turns by floats alone, 0 where floats do not decide.

    The arguments a, b and c have the shape (2, n): a row of x, a row of y.

    Examples
    --------
    >>> a, b = np.zeros((2, 3)), np.full((2, 3), 4.0)
    >>> certain_turns(a, b, np.array([[1.0, 2.0, 3.0], [2.0, 2.0, 2.0]]))
    array([ 1,  0, -1], dtype=int8)
    """
    left = (a[0] - c[0]) * (b[1] - c[1])
    right = (a[1] - c[1]) * (b[0] - c[0])
    determinant = left - right
    bound = TURN_ERROR * (abs(left) + abs(right)) + UNDERFLOW
    signs: NDArray[np.int8] = (determinant > bound).astype(np.int8) - (determinant < -bound)
    return signs


def crossing_point(a: Vector, b: Vector, c: Vector, d: Vector) -> Vector:
    """Return the crossing of the lines a-b and c-d, rounded to the nearest floats. They must not be parallel.

    Examples
    --------
    >>> crossing_point((0.0, 0.0), (3.0, 1.0), (0.0, 1.0), (3.0, 0.0))
    (1.5, 0.5)
    """
    ax, ay, bx, by, cx, cy, dx, dy = map(Fraction, (*a, *b, *c, *d))
    along = ((cx - ax) * (dy - cy) - (cy - ay) * (dx - cx)) / ((bx - ax) * (dy - cy) - (by - ay) * (dx - cx))
    return float(ax + along * (bx - ax)), float(ay + along * (by - ay))
