"""The walls that Arcade's engines report: those that players ran into, and those below a player.

Arcade finds them by moving a sprite vertically, and then horizontally. Here the contacts of the step lead to them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from arcade import BasicSprite, Sprite

import impinge as im
from impinge import Side
from impinge.shapes.solids import Solid
from impinge.world.bodies import EVENT_KINDS
from impinge_arcade.bodies import FEW, pose_rows
from impinge_arcade.groups import ONE_WAY_LAYER, WALL_LAYER
from impinge_arcade.players import Player
from impinge_arcade.shapes import Placement
from impinge_arcade.walls import SweptRoster

__all__ = ["walls_below", "walls_in_the_way"]

# The sides above and below a player, as bits.
UPRIGHT: Final = int(Side.BOTTOM | Side.TOP)
SENSED: Final = EVENT_KINDS.index("sensor")


def walls_in_the_way(world: im.World, met: list[tuple[Player, list[list[float]]]]) -> dict[Sprite, list[Any]]:
    """Return the walls that players would overlap after moving vertically first, and then horizontally, floors first.

    For a player that slides along a wall they are all tiles of the wall, not only the tile of the first contact. If the
    player's goal is beyond the wall, they are the walls of its contacts. A wall may be listed twice.

    Parameters
    ----------
    world
        The world after the step.
    met
        Players with the rows of their events, as in `impinge.Frame.rows`.
    """
    touched: dict[Sprite, list[Any]] = {}
    held: list[tuple[Player, list[Any]]] = []
    for player, events in met:
        upright, beside = _touched(world, player, events)
        touched[player.sprite] = upright + beside
        if beside and 0.0 < abs(player.goal[0] - player.end[0]) < player.size[0]:
            held.append((player, upright))
    for (player, upright), across in zip(held, _across(world, [player for player, _ in held]), strict=True):
        if across:
            touched[player.sprite] = upright + across
    return touched


def _touched(world: im.World, player: Player, events: list[list[float]]) -> tuple[list[Any], list[Any]]:
    """Return the walls above or below that a player ran into, and the walls at its sides that it touched."""
    (goal_x, goal_y, goal_angle), (start_x, start_y, start_angle) = player.goal, player.start
    wish_x, wish_y, turns = goal_x - start_x, goal_y - start_y, goal_angle != start_angle
    above_or_below: list[im.Body] = []
    beside: list[Any] = []
    for _, _, _, mighty, side, kind, _, _, across, up in events:
        # Walls that push the player, or contained it at the frame's start, are not walls that it ran into.
        if kind != SENSED and (turns or wish_x * across + wish_y * up < 0.0):
            wall = world.body(int(mighty))
            if int(side) & UPRIGHT:
                above_or_below.append(wall)
            else:
                beside.append(wall.data)
    # A single floor needs no overlap query.
    if len(above_or_below) > 1 and wish_x and 0.0 < abs(goal_y - player.end[1]) < player.size[1]:
        # All floors are among these contacts: a broadphase query would take as long as the frame.
        shape, there = player.body.shape, im.Pose(start_x, goal_y, player.end[2])
        inside = [
            wall for wall in above_or_below if im.overlaps(shape, there, wall.shape, wall.pose, include_touching=False)
        ]
        above_or_below = inside or above_or_below
    return [wall.data for wall in above_or_below], beside


def _across(world: im.World, players: list[Player]) -> list[list[Any]]:
    """Return for each player the walls that it would overlap if it had reached its goal horizontally."""
    theres = [(player.goal[0], *player.end[1:]) for player in players]
    if len(players) <= FEW:
        return [
            [wall.data for wall in _walls(world, player.body.shape, im.Pose(*there), WALL_LAYER)]
            for player, there in zip(players, theres, strict=True)
        ]
    rows, poses = np.array([player.index for player in players]), pose_rows(theres)
    while True:
        pairs = world.overlapping_pairs(rows, poses, mask=WALL_LAYER, include_touching=False).tolist()
        walls = [world.body(index) for _, index in pairs]
        if not world.expand(walls):
            break
    found: list[list[Any]] = [[] for _ in players]
    for (asker, _), wall in zip(pairs, walls, strict=True):
        found[asker].append(wall.data)
    return found


def _walls(world: im.World, solid: Solid, there: im.Pose, mask: int, ignore: Iterable[im.Body] = ()) -> list[im.Body]:
    """Return the bodies of the walls that a solid would overlap."""
    found = world.in_box(solid, there, mask=mask, ignore=ignore, include_touching=False)
    if world.expand(found):
        return world.in_box(solid, there, mask=mask, ignore=ignore, include_touching=False)
    return found


def walls_below(
    world: im.World, rosters: Iterable[SweptRoster], placed: Placement, distance: float
) -> list[BasicSprite]:
    """Return the walls that a sprite would overlap if it were this much lower, one-way platforms under it included."""
    solid, x, y, angle, _ = placed
    going = [roster.bodies[sprite] for roster in rosters for sprite in roster.going]
    found = _over(world, going, solid, im.Pose(x, y - distance, angle), WALL_LAYER | ONE_WAY_LAYER)
    if any(body.layer == ONE_WAY_LAYER for body in found):
        # A player cannot jump off a one-way platform that it is coming up through.
        inside = _over(world, going, solid, im.Pose(x, y, angle), ONE_WAY_LAYER)
        found = [body for body in found if body not in inside]
    return [body.data for body in found]


def _over(world: im.World, going: list[im.Body], solid: Solid, there: im.Pose, mask: int) -> list[im.Body]:
    """Return the walls that a solid would overlap, at the positions of their sprites.

    The game may have moved some sprites since the last update; their bodies, `going`, follow in the next one.
    """
    found = _walls(world, solid, there, mask, going)
    here = [body for body in going if body.layer & mask]
    inside = [body for body in here if im.overlaps(solid, there, body.shape, body.goal, include_touching=False)]
    return found + inside
