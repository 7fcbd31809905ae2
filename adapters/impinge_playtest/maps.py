"""Levels of Arcade games: Tiled maps, and engines of a game with what they move."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import arcade
import numpy as np

import impinge as im
from impinge_arcade import PhysicsEnginePlatformer, PhysicsEngineSimple, PushEngine, engine_for
from impinge_playtest.level import Area, Level, level_from_world
from impinge_playtest.moves import Moves, Platformer
from impinge_playtest.tracks import track_of

__all__ = ["ROLES", "areas_of", "level_from_engine", "level_from_map", "roles_of"]

Engine: TypeAlias = PhysicsEngineSimple | PhysicsEnginePlatformer | PushEngine
Layers: TypeAlias = str | Iterable[str]

# Words in the names of layers that tell their roles, the first one that fits. Other layers are scenery.
ROLES: Mapping[str, tuple[str, ...]] = {
    "deadly": ("don't touch", "death", "deadly", "danger", "spike", "lava", "bomb"),
    "platforms": ("moving",),
    "ladders": ("ladder",),
    "one_way": ("one-way", "one way", "oneway", "plank"),
    "coins": ("coin", "gem", "collect"),
    "goals": ("goal", "exit", "flag", "finish"),
    "walls": ("platform", "wall", "ground", "solid", "block"),
}
# Names of objects at which a player starts.
SPAWNS = ("spawn", "start", "player")
# Frames for which moving parts are recorded at most, and frames at a time until all of them have a period.
RECORDED = 20_000
# The height above the map at which the player is parked meanwhile.
AWAY = 1e5
# Walking parameters of the player in a platformer, as in `PhysicsEnginePlatformer`.
MAX_SLOPE = math.radians(45.0) + 1e-6


def roles_of(tile_map: arcade.TileMap) -> dict[str, list[str]]:
    """Return the layers of a map for each role of `ROLES`, by their names.

    Examples
    --------
    >>> tile_map = arcade.load_tilemap(":resources:tiled_maps/map_with_ladders.json")
    >>> roles_of(tile_map)["walls"], roles_of(tile_map)["platforms"], roles_of(tile_map)["deadly"]
    (['Platforms'], ['Moving Platforms'], ['Player Death Zones'])
    """
    found: dict[str, list[str]] = {role: [] for role in ROLES}
    for name in (*tile_map.sprite_lists, *tile_map.object_lists):
        fitting = [role for role, words in ROLES.items() if re.search(rf"\b({'|'.join(words)})", name.lower())]
        if fitting:
            found[fitting[0]].append(name)
    return found


def level_from_map(
    path: str | Path,
    moves: Moves | None = None,
    *,
    player: tuple[float, float] = (32.0, 60.0),
    spawn: tuple[float, float] | None = None,
    scaling: float = 1.0,
    roles: Mapping[str, Layers] | None = None,
) -> Level:
    """Make a level from a Tiled map.

    Parameters
    ----------
    path
        The file, or an Arcade resource such as ``":resources:tiled_maps/map.json"``.
    moves
        What the player can do: walking parameters depend on it. By default a `Platformer`.
    player
        Width and height of the player's box.
    spawn
        Where its middle starts. None: at the object named "spawn", "start" or "player".
    scaling
        As for `arcade.load_tilemap`.
    roles
        Layers by role: ``"walls"``, ``"platforms"`` (moving, by the properties that Arcade reads), ``"one_way"``,
        ``"ladders"``, ``"deadly"``, ``"goals"`` and ``"coins"``. Roles that are left out have the layers of `roles_of`.

    Raises
    ------
    ValueError
        If a role or a layer does not exist, a layer has nothing but points, or the player has no start.
    OSError
        If there is no such file.

    Examples
    --------
    >>> level = level_from_map(":resources:tiled_maps/map.json", spawn=(100, 250))
    >>> len(level.coins), level.border.right
    (4, 6400.0)
    """
    moves = Platformer() if moves is None else moves
    tile_map = arcade.load_tilemap(path, scaling=scaling)
    given = roles_of(tile_map) | {
        role: [layers] if isinstance(layers, str) else list(layers) for role, layers in (roles or {}).items()
    }
    if unknown := set(given) - set(ROLES):
        raise ValueError(f"roles must be of {', '.join(ROLES)}, got {sorted(unknown)}")
    if not any(given[role] for role in ("walls", "platforms", "one_way")):
        raise ValueError(f"roles must name a layer of walls, got none; there are {_layers(tile_map)}")
    width, height = player
    hero = arcade.SpriteSolidColor(width, height, *(spawn or _spawn(tile_map)))  # type: ignore[arg-type]
    solids: dict[str, Any] = {role: given[role] for role in ("walls", "platforms", "one_way") if given[role]}
    if moves.kind == "topdown":
        solids = {"walls": solids.get("walls", []), "moving_walls": solids.get("platforms", [])}
        engine: Engine = engine_for(tile_map, hero, PhysicsEngineSimple, **solids)
    else:
        engine = engine_for(tile_map, hero, gravity_constant=0.0, **solids)
    areas: dict[str, Any] = {role: _areas(tile_map, given[role]) for role in ("goals", "coins", "deadly", "ladders")}
    border = Area(
        "border",
        0.0,
        0.0 if moves.kind == "topdown" else -float(tile_map.tile_height) * scaling,
        float(tile_map.width * tile_map.tile_width) * scaling,
        float(tile_map.height * tile_map.tile_height) * scaling if moves.kind == "topdown" else math.inf,
    )
    return level_from_engine(engine, hero, moves, **areas, border=border, name=Path(str(path)).stem)


def level_from_engine(
    engine: Engine,
    player: arcade.Sprite,
    moves: Moves | None = None,
    *,
    advance: Callable[[], object] | None = None,
    frames: int = RECORDED,
    **parts: Any,
) -> Level:
    """Make a level from an engine of a game, with all that it moves.

    Parameters
    ----------
    engine
        A `PhysicsEnginePlatformer`, `PhysicsEngineSimple` or `PushEngine`. It is updated many times: make it for this.
    player
        The player's sprite at its start.
    moves
        What the player can do: walking parameters depend on it. By default a `Platformer`.
    advance
        Makes a frame of the moving parts, the update of the engine included. By default `engine.update`.
    frames
        Frames for which moving parts are recorded at most. A part that has not repeated its movement by then stays at
        its last pose.
    parts
        More arguments for `Level`: `border`, `goals`, `coins`, `deadly`, `ladders`, `name`. The default border is
        around all bodies, open at the top.

    Raises
    ------
    ValueError
        If the player is not in the engine.
    impinge.ShapeError
        As for `Level`.

    Notes
    -----
    Parts that react to the player are not explored: what moves does so by the frame only. Weak bodies other than the
    player stay at their places.

    Examples
    --------
    >>> hero, ferry = arcade.SpriteSolidColor(20, 40, center_y=30), arcade.SpriteSolidColor(80, 20, center_x=90)
    >>> ferry.change_x, ferry.boundary_left, ferry.boundary_right = 2, 50, 250
    >>> level = level_from_engine(PushEngine(weak=hero, mighty=ferry), hero)
    >>> [(len(track.poses), track.period) for track in level.tracks.values()]
    [(120, 120)]
    """
    moves = Platformer() if moves is None else moves
    place, speed = player.position, player.velocity
    player.velocity = 0.0, 0.0
    engine.update()  # the drop-in engines make their bodies in the first update
    world, body = engine.world, engine.body(player)
    start = im.World(entry_points=False)
    start.restore(world.snapshot())
    hero = start.body(body.index)
    pose = hero.pose
    hero.pose = im.Pose(pose.x + place[0] - player.center_x, pose.y + place[1] - player.center_y, pose.angle)
    if moves.kind == "platformer":
        hero.max_slope, hero.step_height = MAX_SLOPE, getattr(moves, "speed", 0.0)
    movers = [each.index for each in world if each.might > 0]
    recorded = _record(world, movers, player, advance or engine.update, frames)
    player.position, player.velocity = place, speed
    tracks = {
        start.body(index): track_of(recorded[:, number])
        for number, index in enumerate(movers)
        if (recorded[:, number] != recorded[0, number]).any()
    }
    return level_from_world(start, hero, tracks=tracks, **parts)


def _record(
    world: im.World, movers: list[int], player: arcade.Sprite, advance: Callable[[], object], frames: int
) -> np.ndarray[Any, Any]:
    """Return the poses of bodies in all frames, while the player is far away."""
    found = [world.poses(movers)]
    total = 64
    while True:
        while len(found) < total:
            player.position, player.velocity = (0.0, AWAY), (0.0, 0.0)
            advance()
            found.append(world.poses(movers))
        recorded = np.array(found)
        moving = np.flatnonzero((recorded != recorded[0]).any(axis=(0, 2)))
        if total >= frames or all(track_of(recorded[:, number]).period for number in moving.tolist()):
            return recorded
        total = min(2 * total, frames)


def areas_of(sprites: Iterable[arcade.BasicSprite], name: str) -> tuple[Area, ...]:
    """Return the hit boxes of sprites as areas: `name`, or `name 1`, `name 2`... for several."""
    return _named(name, [(each.left, each.bottom, each.right, each.top) for each in sprites])


def _named(name: str, sides: list[tuple[float, float, float, float]]) -> tuple[Area, ...]:
    if len(sides) == 1:
        return (Area(name, *sides[0]),)
    return tuple(Area(f"{name} {number}", *each) for number, each in enumerate(sides, 1))


def _areas(tile_map: arcade.TileMap, layers: list[str]) -> tuple[Area, ...]:
    """Return the bounds of the sprites and drawn objects of layers, placed as `engine_for` places sensors."""
    found: list[Area] = []
    for layer in layers:
        nobody = arcade.SpriteSolidColor(1, 1, center_y=AWAY)
        engine = engine_for(tile_map, nobody, gravity_constant=0.0, sensors=layer)
        engine.update()
        bodies = [body for body in engine.world if body.index != engine.body(nobody).index]
        found += _named(layer, [tuple(body.shape.bounds(body.pose)) for body in bodies])
    return tuple(found)


def _around(shape: Any) -> tuple[float, float, float, float]:
    """Return the rectangle around a point or a list of points."""
    points = np.array(shape, float).reshape(-1, 2)
    left, bottom = points.min(axis=0).tolist()
    right, top = points.max(axis=0).tolist()
    return left, bottom, right, top


def _layers(tile_map: arcade.TileMap) -> str:
    return ", ".join(map(repr, (*tile_map.sprite_lists, *tile_map.object_lists))) or "none"


def _spawn(tile_map: arcade.TileMap) -> tuple[float, float]:
    for objects in tile_map.object_lists.values():
        for each in objects:
            if str(each.name).lower() in SPAWNS:
                left, bottom, right, top = _around(each.shape)
                return (left + right) / 2, (bottom + top) / 2
    raise ValueError(f"spawn must be given for a map without an object named {', '.join(map(repr, SPAWNS))}")
