"""The way out of walls for a sprite that the game has put into them.

Players that walls squeeze are left to the world.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, TypeAlias

import impinge as im
from impinge.shapes.solids import Solid
from impinge_arcade.bodies import Place
from impinge_arcade.boxes import FARTHEST

__all__ = ["way_out"]

Way: TypeAlias = tuple[float, float]

# The directions in which Arcade's engine tries places, in its order.
DIRECTIONS: Final = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))
STILL: Final = (0.0, 0.0)
# Pixels, for the rounding of coordinates.
ROUNDING: Final = 1e-6


def way_out(world: im.World, solid: Solid, place: Place, mask: int, gravity: float) -> Way:
    """Return the displacement that takes a sprite out of all walls; zero if the next step does so by the shortest way.

    The step may do so without gravity, or if the shortest way leads against gravity. In a thin floor it may lead down,
    out of the map; deep in solid ground the step finds none. Then the sprite goes to the free place that Arcade's
    engine would find, less the way back until it touches a wall. Arcade tries distances of 1, 2, 4... pixels, each in
    eight directions.

    Parameters
    ----------
    world, mask
        The world, and the layers of the walls.
    solid, place
        The solid of the sprite, and its pose.
    gravity
        Gravity, downwards.
    """
    x, y, angle = place
    up = math.copysign(1.0, gravity)
    free: im.Pose | None = None
    distance = 1.0
    while free is None and distance < FARTHEST:
        theres = (im.Pose(x + distance * i, y + distance * j * up, angle) for i, j in DIRECTIONS)
        free = next((there for there in theres if not _walls(world, solid, there, mask)), None)
        distance *= 2.0
    if free is None:
        return STILL
    back = 1.0 - _free_part(world, solid, im.Motion(free, im.Pose(x, y, angle)), mask)
    way = back * (free.x - x), back * (free.y - y)
    shortest = _shortest_way_out(world, solid, place, mask, math.hypot(*way))
    is_enough = shortest is not None and (gravity == 0.0 or up * shortest[1] > abs(shortest[0]))
    return STILL if is_enough else way


def _walls(world: im.World, solid: Solid, there: im.Pose, mask: int) -> list[im.Body]:
    while True:
        found = world.in_box(solid, there, mask=mask, include_touching=False)
        if not _are_proxies(world, found):
            return found


def _free_part(world: im.World, solid: Solid, motion: im.Motion, mask: int) -> float:
    """Return the part of a motion that is before the first wall."""
    while True:
        hits = world.sweep(solid, motion, mask=mask)
        if not _are_proxies(world, (body for body, _ in hits)):
            return min((impact.time for _, impact in hits), default=1.0)


def _are_proxies(world: im.World, bodies: Iterable[im.Body]) -> bool:
    """Return whether any of some bodies stand for others, which have replaced them now."""
    return world.expand(bodies) > 0


def _shortest_way_out(world: im.World, solid: Solid, place: Place, mask: int, most: float) -> Way | None:
    """Return the way by which a step would move a solid out of all walls; None if it is longer than `most`."""
    x, y, angle = place
    left, bottom, right, top = solid.bounds(im.Pose(x, y, angle))
    around = im.Box(right - left + 2.0 * most, top - bottom + 2.0 * most)
    trial = im.World(entry_points=False)
    for wall in _walls(world, around, im.Pose(0.5 * (left + right), 0.5 * (bottom + top)), mask):
        trial.add(wall.shape, wall.pose, might=1)
    body = trial.add(solid, im.Pose(x, y, angle))
    trial.step()
    way = body.pose.x - x, body.pose.y - y
    return None if body.stuck or math.hypot(*way) > most + ROUNDING else way
