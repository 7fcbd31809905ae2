"""Makes an engine from a Tiled map or a scene in one call: layers by name, drawn objects as solids.

The behaviour of walls, platforms and ladders is in `physics_engines`; Arcade loads the map.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, TypeAlias, TypeVar, cast, overload

import arcade
import pytiled_parser
from arcade import Sprite, SpriteSequence
from arcade.types import TiledObject
from pytiled_parser import tiled_object as drawn

import impinge as im
from impinge.checks import coordinate
from impinge.shapes.solids import Solid
from impinge_arcade.boxes import turn
from impinge_arcade.groups import RULES, RULES_FROM_ABOVE
from impinge_arcade.physics_engines import PhysicsEnginePlatformer, PhysicsEngineSimple
from impinge_arcade.shapes import outlined

__all__ = ["engine_for"]

Layers: TypeAlias = str | SpriteSequence[Any] | Iterable[str | SpriteSequence[Any]]
Options: TypeAlias = Mapping[str, Mapping[str, Any]]
Engine = TypeVar("Engine", bound=PhysicsEngineSimple | PhysicsEnginePlatformer)

# Pixels of error allowed for the outline of an oval up to a size in pixels; larger ones take no more points.
FLAT = 0.25
LARGE = 1e5


@overload
def engine_for(
    source: arcade.TileMap | arcade.Scene, player_sprite: Sprite, **arguments: Any
) -> PhysicsEnginePlatformer: ...


@overload
def engine_for(
    source: arcade.TileMap | arcade.Scene, player_sprite: Sprite, engine_class: type[Engine], **arguments: Any
) -> Engine: ...


def engine_for(
    source: arcade.TileMap | arcade.Scene,
    player_sprite: Sprite,
    engine_class: type[Any] = PhysicsEnginePlatformer,
    *,
    walls: Layers = (),
    platforms: Layers = (),
    moving_walls: Layers = (),
    ladders: Layers = (),
    one_way: Layers = (),
    sensors: Layers = (),
    layer_options: Options | None = None,
    **others: Any,
) -> Any:
    """Make an engine from the layers of a map or a scene.

    Parameters
    ----------
    source
        The map or the scene with the named layers.
    player_sprite
        The player.
    engine_class
        `PhysicsEnginePlatformer`, `PhysicsEngineSimple`, or a subclass of one of them.
    walls, platforms, moving_walls, ladders, one_way, sensors
        The sprites for each role in the engine: the name of a layer, a sprite list, or several of both. A simple engine
        has no platforms, ladders and one-way platforms; a platformer has no moving walls. Objects drawn in an object
        layer of a map (polygons, rectangles, ovals, lines; not points and texts) become static solids. They can be
        walls, one-way platforms and sensors.
    layer_options
        The options that the map was loaded with. Needed if an object layer has its own scaling or offset.
    others
        More arguments for the engine: `gravity_constant`, `players`, `max_slope_degrees`...

    Raises
    ------
    ValueError
        If a layer does not exist or has nothing to collide with; the message names it.
    TypeError
        If the source is not a map or a scene, or the engine does not have an argument.
    impinge.ShapeError
        If a drawn object has no area, or a number that is not finite or too large; the message names the object.

    Notes
    -----
    Objects are placed as Tiled shows them: scaled and moved like the tiles, and rotated. (Arcade 3.3 does not scale
    polygons and ovals, nor rotate any object, in `TileMap.object_lists`.) Events, `sensed` and the result of `update`
    hold the `TiledObject` of that list.

    Flush tiles of walls are merged into larger boxes where no player is near; a game sees only tiles.

    Examples
    --------
    >>> scene = arcade.Scene()
    >>> ground = scene.add_sprite("Ground", arcade.SpriteSolidColor(200, 20))
    >>> hero = scene.add_sprite("Player", arcade.SpriteSolidColor(20, 40, center_y=33))
    >>> engine = engine_for(scene, hero, walls="Ground", gravity_constant=1)
    >>> [engine.update() for _ in range(3)] == [[], [], [ground]], hero.bottom
    (True, 10.0)
    >>> engine_for(scene, hero, walls="Walls")
    Traceback (most recent call last):
        ...
    ValueError: walls: there is no layer 'Walls'; there are 'Ground', 'Player'
    """
    if not isinstance(source, arcade.TileMap | arcade.Scene):
        raise TypeError(f"source must be a TileMap or a Scene, got {source!r}")
    given = {
        "walls": walls,
        "platforms": platforms,
        "moving_walls": moving_walls,
        "ladders": ladders,
        "one_way": one_way,
        "sensors": sensors,
    }
    found: dict[str, list[Any]] = {}
    objects: list[tuple[str, TiledObject, Solid, im.Pose]] = []
    for role, layers in given.items():
        for layer in _several(layers):
            sprites, solids = _layer(source, role, layer, layer_options or {})
            # A role that the caller does not use is not passed on: the other engine has no such argument.
            found.setdefault(role, []).extend(sprites)
            objects += [(role, tiled, solid, pose) for tiled, solid, pose in solids]
    engine = engine_class(player_sprite, **found, **others)
    rules = RULES if isinstance(engine, PhysicsEnginePlatformer) else RULES_FROM_ABOVE
    for role, tiled, solid, pose in objects:
        engine._level.world.add(solid, pose, data=tiled, **rules[role])
    return engine


def _several(layers: Layers) -> list[Any]:
    return [layers] if isinstance(layers, str | SpriteSequence) else list(layers)


def _layer(
    source: arcade.TileMap | arcade.Scene, role: str, layer: object, options: Options
) -> tuple[list[Any], list[tuple[TiledObject, Solid, im.Pose]]]:
    """Return the sprite list of a layer, if any, and its drawn objects as solids, if the role allows them."""
    if not isinstance(layer, str):
        return [layer], []
    if isinstance(source, arcade.TileMap):
        lists: Mapping[str, Any] = source.sprite_lists
        drawings: Mapping[str, Any] = source.object_lists
    else:
        lists, drawings = source._name_mapping, {}  # Arcade has no public mapping of a scene's names
    if layer not in lists and layer not in drawings:
        there = ", ".join(map(repr, dict.fromkeys((*lists, *drawings)))) or "none"
        raise ValueError(f"{role}: there is no layer {layer!r}; there are {there}")
    sprites = [lists[layer]] if layer in lists else []
    if layer not in drawings or role not in RULES or role == "platforms":
        if not sprites:
            raise ValueError(f"{role}: drawn objects, as in layer {layer!r}, can be walls, one_way or sensors only")
        return sprites, []
    solids = list(_solids(cast(arcade.TileMap, source), layer, options.get(layer, {})))
    if not sprites and not solids:
        raise ValueError(f"{role}: in layer {layer!r} there are only points and texts, which cannot collide")
    return sprites, solids


def _solids(
    tile_map: arcade.TileMap, layer: str, options: Mapping[str, Any]
) -> Iterator[tuple[TiledObject, Solid, im.Pose]]:
    """Yield the objects of a layer as solids, each with Arcade's record of it."""
    scaling = float(options.get("scaling", tile_map.scaling) or tile_map.scaling)
    offset_x, offset_y = options.get("offset", tile_map.offset)
    height = tile_map.tiled_map.map_size.height * tile_map.tiled_map.tile_size[1]
    for tiled, thing in _told(tile_map, layer):
        try:
            _check_numbers(thing)
            x, y = thing.coordinates.x * scaling + offset_x, (height - thing.coordinates.y) * scaling + offset_y
            solid, across, up = _solid(thing, scaling)
            pose = im.Pose(x + across, y + up)
        except im.ShapeError as error:
            told = str(error).replace("hit box", "outline")
            raise im.ShapeError(f"object {thing.id} {thing.name!r} in layer {layer!r}: {told}") from None
        if solid is not None:
            yield tiled, solid, pose


def _check_numbers(thing: drawn.TiledObject) -> None:
    """Check the numbers of a drawn object: the parser takes NaN, and some texts, from a file."""
    coordinate("rotation", thing.rotation)
    for name, pair in (("position", thing.coordinates), ("size", thing.size), *_points_of(thing)):
        for number in pair:
            coordinate(name, number)


def _points_of(thing: drawn.TiledObject) -> Iterator[tuple[str, Iterable[float]]]:
    if isinstance(thing, drawn.Polygon | drawn.Polyline):
        for number, point in enumerate(thing.points):
            yield f"point {number}", point


def _told(tile_map: arcade.TileMap, layer: str) -> Iterator[tuple[TiledObject, drawn.TiledObject]]:
    """Pair Arcade's records of a layer's objects with Tiled's own records, which hold more."""
    records = iter(tile_map.object_lists[layer])
    written = next(each for each in _object_layers(tile_map.tiled_map.layers) if each.name == layer)
    is_first = True
    for thing in written.tiled_objects:
        # Tiles are sprites. Arcade only has a record for a text after another object, and repeats that object's shape.
        if isinstance(thing, drawn.Tile) or (isinstance(thing, drawn.Text) and is_first):
            continue
        is_first = False
        record = next(records, None)
        if record is None or (record.name, record.type) != (thing.name, thing.class_):
            raise ValueError(f"object layer {layer!r} is not as it was loaded: no record of object {thing.id}")
        if not isinstance(thing, drawn.Text):
            yield record, thing


def _object_layers(layers: Iterable[pytiled_parser.Layer] | None) -> Iterator[pytiled_parser.ObjectLayer]:
    for layer in layers or ():
        if isinstance(layer, pytiled_parser.LayerGroup):
            yield from _object_layers(layer.layers)
        elif isinstance(layer, pytiled_parser.ObjectLayer):
            yield layer


def _solid(thing: drawn.TiledObject, scaling: float) -> tuple[Solid | None, float, float]:
    """Return the solid of a drawn object, and its position relative to the object."""
    cosine, sine = turn(thing.rotation)  # clockwise, around the object's position

    def placed(x: float, y: float) -> tuple[float, float]:
        x, y = x * scaling, -y * scaling  # in Tiled, y points down
        return x * cosine + y * sine, y * cosine - x * sine

    if isinstance(thing, drawn.Polygon | drawn.Polyline):
        points = [placed(point.x, point.y) for point in thing.points]
        if isinstance(thing, drawn.Polygon):
            return outlined(points), 0.0, 0.0
        return (outlined(points[:-1]) if points[0] == points[-1] else _line(points)), 0.0, 0.0
    width, height = thing.size.width, thing.size.height
    if isinstance(thing, drawn.Point) or not (width and height):
        return None, 0.0, 0.0
    if isinstance(thing, drawn.Ellipse):
        centre = placed(0.5 * width, 0.5 * height)
        if width == height:
            return im.Circle(0.5 * width * scaling), *centre
        count = math.ceil(math.pi / math.acos(max(1.0 - 2.0 * FLAT / min(max(width, height) * scaling, LARGE), 0.5)))
        angles = [math.tau * number / count for number in range(count)]
        oval = [
            placed(0.5 * width * (1.0 + math.cos(angle)), 0.5 * height * (1.0 + math.sin(angle))) for angle in angles
        ]
        return outlined(oval), 0.0, 0.0
    if thing.rotation % 360.0 == 0.0:
        return im.Box(width * scaling, height * scaling), *placed(0.5 * width, 0.5 * height)
    return outlined([placed(0.0, 0.0), placed(width, 0.0), placed(width, height), placed(0.0, height)]), 0.0, 0.0


def _line(points: list[tuple[float, float]]) -> Solid:
    """Return an open line as a solid without thickness."""
    pieces = [(im.Capsule(start, end, 0.0), im.Pose(0.0, 0.0)) for start, end in pairwise(points) if start != end]
    return pieces[0][0] if len(pieces) == 1 else im.Compound(pieces)
