"""Levels from Tiled maps. Arcade reads the map, and `impinge_arcade.engine_for` makes its bodies and moves them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, Final

import numpy as np

import impinge as im
from impinge_gym.headless import arcade_without_screen
from impinge_gym.level import Level, Mover

__all__ = ["LAYERS", "level_of_map"]

# The layers of each role, by the names that Arcade's own maps use.
LAYERS: Final[Mapping[str, tuple[str, ...]]] = {
    "walls": ("Platforms", "Walls", "Ground"),
    "platforms": ("Moving Platforms",),
    "one_way": ("One Way",),
    "coins": ("Coins",),
    "exits": ("Exit", "Exits", "Goal", "Flag"),
    "deadly": ("Don't Touch", "Player Death Zones", "Bombs", "Spikes", "Lava"),
}
AREAS: Final = ("coins", "exits", "deadly")
# Frames in which a platform has to come back to where it was.
LONGEST_PERIOD: Final = 20_000
# Digits of a position that tell whether a platform is where it was.
DIGITS: Final = 6


def level_of_map(
    path: str | PathLike[str],
    *,
    spawn: tuple[float, float],
    player: tuple[float, float] = (32.0, 56.0),
    scaling: float = 0.5,
    from_above: bool = False,
    layers: Mapping[str, str | Iterable[str]] | None = None,
) -> Level:
    """Read a Tiled map as a level. This needs Arcade.

    Parameters
    ----------
    path
        The map, as for `arcade.load_tilemap`.
    spawn
        Where the middle of the player starts, in pixels of the scaled map.
    player
        Width and height of the player in pixels.
    scaling
        As for `arcade.load_tilemap`.
    from_above
        Whether the game is top-down.
    layers
        The names of the layers of each role: ``"walls"``, ``"platforms"`` (they move), ``"one_way"``, ``"coins"``,
        ``"exits"``, ``"deadly"``. A role that is left out takes the layers that Arcade's own maps use: see `LAYERS`.

    Raises
    ------
    ValueError
        If a role or a layer does not exist, or a platform does not come back to where it was.
    ModuleNotFoundError
        If Arcade is not installed.

    Examples
    --------
    >>> level = level_of_map(":resources:tiled_maps/map2_level_1.json", spawn=(128, 256))
    >>> len(level.coins), len(level.deadly), level.tile
    (4, 4, 64.0)
    """
    arcade = arcade_without_screen()
    from impinge_arcade import PhysicsEnginePlatformer, PhysicsEngineSimple, engine_for

    tile_map = arcade.load_tilemap(path, scaling)
    names = _names(tile_map, layers or {})
    hero = arcade.SpriteSolidColor(*player, *spawn)
    given: dict[str, Any] = {"walls": names["walls"]}
    if from_above:
        given["moving_walls"] = names["platforms"]
    else:
        given |= {"platforms": names["platforms"], "one_way": names["one_way"]}
    areas = [name for role in AREAS for name in names[role]]
    engine: Any = engine_for(
        tile_map, hero, PhysicsEngineSimple if from_above else PhysicsEnginePlatformer, sensors=areas, **given
    )
    lists: dict[str, Any] = {**tile_map.object_lists, **tile_map.sprite_lists}
    role_of = {id(each): role for role in names for name in names[role] for each in lists[name]}
    moving = [each for name in names["platforms"] for each in lists[name]]
    starts, paths = _paths(engine, moving)
    world = im.World(entry_points=False)
    found: dict[str, list[Any]] = {"coins": [], "exits": [], "deadly": [], "movers": []}
    for body in engine.world:
        role = role_of.get(id(body.data))
        if role is None:  # the hero
            continue
        rule = {} if role in AREAS else {"carrying": body.carrying, "sticky": body.sticky, "passable": body.passable}
        pose, start = body.pose, starts.get(id(body.data))
        if start is None:
            new = world.add(body.shape, pose, might=body.might, **rule)
        else:
            way = np.array(paths[id(body.data)])
            offset = np.array((pose.x, pose.y)) - body.data.position
            x, y = (way[0] + offset).tolist()
            new = world.add(body.shape, im.Pose(x, y, pose.angle), might=body.might, **rule)
            found["movers"].append(Mover(new, np.column_stack((way + offset, np.full(len(way), pose.angle)))))
        if role in AREAS:
            found[role].append(new)
    walks = None if from_above else np.pi / 4 + 1e-6
    who = world.add(im.Box(*player), im.Pose(*spawn), max_slope=walks)
    return Level(world, who, tile=tile_map.tile_width * scaling, **found)


def _names(tile_map: Any, layers: Mapping[str, str | Iterable[str]]) -> dict[str, list[str]]:
    """Return the names of the layers of each role."""
    there = {**tile_map.sprite_lists, **tile_map.object_lists}
    unknown = next((role for role in layers if role not in LAYERS), None)
    if unknown is not None:
        raise ValueError(f"layers must have the roles {', '.join(LAYERS)}, got {unknown!r}")
    names = {}
    for role, usual in LAYERS.items():
        given = layers.get(role)
        chosen = [given] if isinstance(given, str) else usual if given is None else list(given)
        missing = next((name for name in chosen if given is not None and name not in there), None)
        if missing is not None:
            raise ValueError(f"layers: there is no layer {missing!r}; there are {', '.join(map(repr, there))}")
        names[role] = [name for name in chosen if name in there]
    return names


def _paths(engine: Any, sprites: list[Any]) -> tuple[dict[int, Any], dict[int, list[Any]]]:
    """Return where moving sprites start, and the positions of each in a period, as the engine moves them."""
    engine.update()  # makes the bodies
    seen: dict[int, dict[Any, int]] = {id(sprite): {} for sprite in sprites if any(sprite.velocity)}
    positions: dict[int, list[Any]] = {number: [] for number in seen}
    paths: dict[int, list[Any]] = {}
    for frame in range(LONGEST_PERIOD):
        for sprite in sprites:
            number = id(sprite)
            if number not in seen or number in paths:
                continue
            state = (*(round(each, DIGITS) for each in sprite.position), *sprite.velocity)
            first = seen[number].setdefault(state, frame)
            if first < frame:
                paths[number] = positions[number][first:]
            positions[number].append(sprite.position)
        if len(paths) == len(seen):
            break
        engine.update()
    lost = next((sprite for sprite in sprites if id(sprite) in seen and id(sprite) not in paths), None)
    if lost is not None:
        raise ValueError(f"platforms must come back to where they were, {lost!r} did not in {LONGEST_PERIOD} frames")
    return {number: way[0] for number, way in paths.items()}, paths
