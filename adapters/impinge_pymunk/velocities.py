"""The velocity of a body under the limits of its contacts. This module works on plain numbers, without a space.

The step of a world solves another problem with such planes (`kernels.step.contact_planes`): it drops those of weaker
bodies, and moves the target onto them. A compiled solver would be no faster for one limit, 1.1 µs a call against 0.9
here (two: 1.5 against 6), and would change the last bits of 3 % of random answers: here, axes are exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

__all__ = ["Limit", "nearest_velocity"]

Vector: TypeAlias = tuple[float, float]

# Tolerance of limits as a fraction of the speeds: the rounding error of the intersection of two limits.
ROUNDING = 1e-12
# Answers that are kept: a resting body has the same wish and limits in each step.
REMEMBERED = 4096
# Sine of the angle below which two normals count as parallel.
PARALLEL = 1e-9


class Limit(NamedTuple):
    """The limit of a surface: the least allowed speed of a body along the surface's normal."""

    x: float
    y: float
    least: float


@lru_cache(REMEMBERED)
def nearest_velocity(wish: Vector, limits: tuple[Limit, ...]) -> Vector:
    """Return the velocity nearest to a desired one that all limits allow.

    Parameters
    ----------
    wish
        The velocity without limits.
    limits
        The limits, with unit normals. If no velocity satisfies all of them, the last limit is dropped, and so on.

    Notes
    -----
    In a plane the solution is the wish, its projection on one limit, or an intersection of two. All are tried: there
    are few.

    Examples
    --------
    >>> floor, wall = Limit(0, 1, 0), Limit(-1, 0, 2)
    >>> nearest_velocity((5, -3), (floor,))
    (5.0, 0.0)
    >>> nearest_velocity((5, -3), (floor, wall))
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
            # Adding 0.0 turns minus zero into zero, which would look odd in printed values.
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
    """Return the nearest velocity that satisfies a limit exactly."""
    x, y = wish
    lack = limit.least - (x * limit.x + y * limit.y)
    # Exact along the axes, so that rounding does not move a body on a level floor.
    return (
        limit.least * limit.x if limit.y == 0.0 else x + lack * limit.x,
        limit.least * limit.y if limit.x == 0.0 else y + lack * limit.y,
    )


def _is_allowed(velocity: Vector, limits: Sequence[Limit]) -> bool:
    x, y = velocity
    return all(
        x * limit.x + y * limit.y >= limit.least - ROUNDING * (abs(x) + abs(y) + abs(limit.least)) for limit in limits
    )
