"""Levels from Tiled maps, as `impinge_playtest` reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path

import impinge as im
from impinge_gym.headless import arcade_without_screen
from impinge_gym.level import Level
from impinge_gym.players import PLATFORMER
from impinge_playtest import Area, Moves

__all__ = ["level_of_map"]


def level_of_map(
    path: str | PathLike[str],
    rule: Moves = PLATFORMER,
    *,
    player: tuple[float, float] = (32.0, 56.0),
    spawn: tuple[float, float] | None = None,
    scaling: float = 0.5,
    roles: Mapping[str, str | Iterable[str]] | None = None,
) -> Level:
    """Read a Tiled map as a level. This needs Arcade.

    Parameters
    ----------
    path, rule, player, spawn, scaling, roles
        As for `impinge_playtest.maps.level_from_map`, whose `moves` is the rule. Its goals are the exits. Ladders are
        ignored.

    Raises
    ------
    ValueError
        If a role or a layer does not exist, or the player has no start.
    ModuleNotFoundError
        If Arcade is not installed.

    Examples
    --------
    >>> level = level_of_map(":resources:tiled_maps/map2_level_1.json", spawn=(128, 256))
    >>> len(level.coins), len(level.deadly), level.tile
    (4, 4, 64.0)
    """
    arcade = arcade_without_screen()
    from impinge_playtest.maps import level_from_map

    place = path if isinstance(path, str) else Path(path)
    found = level_from_map(place, rule, player=player, spawn=spawn, scaling=scaling, roles=roles)
    world = found.world
    return Level(
        world,
        found.player,
        exits=[_add(world, area) for area in found.goals],
        coins=[_add(world, area) for area in found.coins],
        deadly=[_add(world, area) for area in found.deadly],
        tracks=found.tracks,
        tile=arcade.load_tilemap(path, scaling).tile_width * scaling,
    )


def _add(world: im.World, area: Area) -> im.Body:
    """Add a sensor that fills an area."""
    shape = im.Box(area.right - area.left, area.top - area.bottom)
    pose = im.Pose(0.5 * (area.left + area.right), 0.5 * (area.bottom + area.top))
    return world.add(shape, pose, response="sensor")
