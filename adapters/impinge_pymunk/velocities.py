"""Which velocity a body is left with where others limit it. Plain numbers: nothing of a space is known here."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

__all__ = ["Limit", "nearest_velocity"]

Vector: TypeAlias = tuple[float, float]

# Part of the speeds by which a limit may be missed: what the intersection of two limits is rounded by.
ROUNDING = 1e-12
# Sine of the angle below which two normals are one direction.
PARALLEL = 1e-9


class Limit(NamedTuple):
    """What a surface asks of a velocity: along its normal it is to be no less than its own."""

    x: float
    y: float
    least: float


def nearest_velocity(wish: Vector, limits: Sequence[Limit]) -> Vector:
    """Return the velocity nearest to a wish that all limits allow.

    Parameters
    ----------
    wish
        The velocity that it would be without limits.
    limits
        The limits, of unit normals. If no velocity keeps all of them, the last one is given up, and so on.

    Notes
    -----
    In a plane it is the wish, the foot of it on one limit, or where two cross: all are tried, and there are few.

    Examples
    --------
    >>> floor, wall = Limit(0, 1, 0), Limit(-1, 0, 2)
    >>> nearest_velocity((5, -3), [floor])
    (5.0, 0.0)
    >>> nearest_velocity((5, -3), [floor, wall])
    (-2.0, 0.0)
    """
    if all(wish[0] * limit.x + wish[1] * limit.y >= limit.least for limit in limits):
        return wish[0] + 0.0, wish[1] + 0.0
    if len(limits) == 1:
        x, y = _foot(wish, limits[0])
        return x + 0.0, y + 0.0
    while True:
        allowed = [velocity for velocity in _candidates(wish, limits) if _is_allowed(velocity, limits)]
        if allowed:
            x, y = min(allowed, key=lambda velocity: math.dist(velocity, wish))
            # Minus zero is zero: a game that prints it wonders.
            return x + 0.0, y + 0.0
        limits = limits[:-1]


def _candidates(wish: Vector, limits: Sequence[Limit]) -> Iterator[Vector]:
    yield wish
    for limit in limits:
        yield _foot(wish, limit)
    for place, one in enumerate(limits):
        for other in limits[:place]:
            cross = one.x * other.y - one.y * other.x
            if abs(cross) > PARALLEL:
                yield (
                    (one.least * other.y - other.least * one.y) / cross,
                    (other.least * one.x - one.least * other.x) / cross,
                )


def _foot(wish: Vector, limit: Limit) -> Vector:
    """Return the nearest velocity that only just keeps a limit."""
    x, y = wish
    lack = limit.least - (x * limit.x + y * limit.y)
    # Along the axes to the bit, so that who stands on a level floor is not moved by rounding.
    return (
        limit.least * limit.x if limit.y == 0.0 else x + lack * limit.x,
        limit.least * limit.y if limit.x == 0.0 else y + lack * limit.y,
    )


def _is_allowed(velocity: Vector, limits: Sequence[Limit]) -> bool:
    x, y = velocity
    return all(
        x * limit.x + y * limit.y >= limit.least - ROUNDING * (abs(x) + abs(y) + abs(limit.least)) for limit in limits
    )
