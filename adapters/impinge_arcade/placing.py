"""Places where a body overlaps none that can push it, for `PushEngine.place` and walkers."""

from __future__ import annotations

import math
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

import impinge as im
from impinge import Side

__all__ = ["free_place", "free_places"]

_Way: TypeAlias = tuple[float, float]

# Candidates around the position on each ring, rings within the longer side of the body, rings that are searched by
# default, and halvings of the way back to the position.
CANDIDATES: Final = 32
RINGS: Final = 8
MOST_RINGS: Final = 16 * RINGS
HALVINGS: Final = 24


def free_place(
    world: im.World, body: im.Body, center: tuple[float, float], reach: float | None
) -> tuple[_Way | None, float]:
    """Return the way from a position to the nearest place where a body overlaps none that can push it.

    Places are tried on rings around the position. From the first free one on, the way back to the position is halved,
    up to the last free place on it.

    Parameters
    ----------
    world, body
        The world, and a body in it, which keeps its angle.
    center
        The wanted position of the body.
    reach
        Largest distance to search, in the game's units; None for 16 times the longer side of the body.

    Returns
    -------
    way, reach
        The way, or None if there is no free place within reach; and the reach.
    """
    origin = np.array(center)
    left, bottom, right, top = body.shape.bounds(im.Pose(0.0, 0.0, body.angle))
    ring = max(right - left, top - bottom) / RINGS
    farthest = MOST_RINGS * ring if reach is None else reach
    angles = np.arange(CANDIDATES) * (math.tau / CANDIDATES) + 0.5 * math.pi  # straight up comes first
    around = np.column_stack((np.cos(angles), np.sin(angles))).round(15)
    for number in range(int(farthest / ring) + 1):
        ways = around * (number * ring) if number else np.zeros((1, 2))
        free = free_places(world, body, ways + origin)
        if free:
            across, up = _nearer(world, body, ways[free[0]], origin).tolist()
            return (across, up), farthest
    return None, farthest


def free_places(world: im.World, body: im.Body, places: NDArray[np.float64]) -> list[int]:
    """Return the indices of the places, (n, 2), where a body overlaps none that can push it, in order."""
    poses = np.column_stack((places, np.full(len(places), body.angle)))
    rows = np.full(len(places), body.index)
    pairs = world.overlapping_pairs(rows, poses, mask=body.mask, ignore=body, include_touching=False)
    might, taken = body.might, set()
    for place, index in pairs.tolist():
        other = world.body(index)
        if other.might > might and other.response != "sensor" and other.passable == Side.NONE:
            taken.add(place)
    return [place for place in range(len(places)) if place not in taken]


def _nearer(
    world: im.World, body: im.Body, free: NDArray[np.float64], origin: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the last free place on the way from a free one back to the origin, both relative to the origin."""
    blocked = np.zeros(2)
    for _ in range(HALVINGS if free.any() else 0):
        middle = 0.5 * (free + blocked)
        if free_places(world, body, (middle + origin)[np.newaxis]):
            free = middle
        else:
            blocked = middle
    return free
