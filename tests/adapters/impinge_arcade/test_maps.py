"""Load maps and scenes into engines. Oracles: engines built by hand, Arcade's own records, and the drawing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import arcade
import pytest
from arcade import Sprite, SpriteList
from arcade.resources import resolve

from impinge import Box, Circle, Pose, ShapeError
from impinge_arcade import PhysicsEnginePlatformer, PhysicsEngineSimple, draw_debug, engine_for
from sprites import blocks

HEIGHT = 400  # pixels, height of the maps in this file
LoadMap = Callable[..., arcade.TileMap]
block = blocks(20, 40)


def layer(name: str, *objects: dict[str, Any]) -> dict[str, Any]:
    common = {"name": "", "type": "", "rotation": 0, "visible": True, "width": 0, "height": 0}
    return {
        "name": name,
        "type": "objectgroup",
        "draworder": "topdown",
        "objects": [{**common, "id": number, **each} for number, each in enumerate(objects, 1)],
        "opacity": 1,
        "visible": True,
        "x": 0,
        "y": 0,
    }


def group(name: str, *layers: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "type": "group", "layers": layers, "opacity": 1, "visible": True, "x": 0, "y": 0}


def rectangle(x: float, y: float, width: float, height: float, **values: Any) -> dict[str, Any]:
    """Return a rectangle as Tiled writes it: x and y of its upper left corner, from the map's upper left corner."""
    return {"x": x, "y": y, "width": width, "height": height, **values}


def polygon(x: float, y: float, *points: tuple[float, float], **values: Any) -> dict[str, Any]:
    return {"x": x, "y": y, "polygon": [{"x": across, "y": down} for across, down in points], **values}


def polyline(x: float, y: float, *points: tuple[float, float], **values: Any) -> dict[str, Any]:
    return {"x": x, "y": y, "polyline": [{"x": across, "y": down} for across, down in points], **values}


@pytest.fixture
def load_map(window: Any, tmp_path: Path) -> LoadMap:
    """Load a map of 40 by 40 tiles of 10 pixels with these object layers, as Arcade reads it."""

    def load(*layers: dict[str, Any], **options: Any) -> arcade.TileMap:
        numbered = [{**each, "id": number} for number, each in enumerate(layers, 1)]
        drawn = {
            "type": "map",
            "version": "1.10",
            "tiledversion": "1.10.2",
            "orientation": "orthogonal",
            "renderorder": "right-down",
            "width": HEIGHT // 10,
            "height": HEIGHT // 10,
            "tilewidth": 10,
            "tileheight": 10,
            "infinite": False,
            "nextlayerid": 9,
            "nextobjectid": 99,
            "tilesets": [],
            "layers": numbered,
        }
        path = tmp_path / "map.json"
        path.write_text(json.dumps(drawn), "utf-8")
        return arcade.load_tilemap(path, **options)

    return load


def bounds(engine: Any) -> list[tuple[float, ...]]:
    """Return the left, bottom, right and top of all solids in an engine that has not been updated yet."""
    return [body.shape.bounds(body.pose) for body in engine.world]


def fallen(engine: Any, frames: int = 100) -> Any:
    """Let the player fall until it rests, and return its support."""
    for _ in range(frames):
        touched = engine.update()
    return touched


# ---------------------------------------------------------------- layers by name


MAPS = [
    ("level_1", ["Platforms"], [], [], ["Coins", "Bombs"]),
    ("map_with_ladders", ["Platforms"], ["Moving Platforms"], ["Ladders"], ["Coins"]),
    ("map2_level_1", ["Platforms"], [], [], ["Coins", "Don't Touch"]),
    ("pymunk_test_map", ["Platforms", "Dynamic Items"], ["Moving Platforms"], ["Ladders"], []),
    ("test_map_3", ["Platforms"], ["Moving Platforms"], [], []),
    ("test_map_7", ["Platforms"], [], [], []),
]


@pytest.mark.parametrize(("name", "walls", "platforms", "ladders", "sensors"), MAPS, ids=[each[0] for each in MAPS])
def test_arcade_s_maps_play_as_with_an_engine_put_together_by_hand(
    window: Any, name: str, walls: list[str], platforms: list[str], ladders: list[str], sensors: list[str]
) -> None:
    def played(make: Callable[[arcade.TileMap, Sprite], Any]) -> list[Any]:
        tile_map = arcade.load_tilemap(resolve(f":resources:tiled_maps/{name}.json"), scaling=0.5)
        first = tile_map.sprite_lists[walls[0]][0]
        hero = block(first.center_x, first.top + 35, 40, 60)
        engine = make(tile_map, hero)
        way: list[Any] = []
        for frame in range(150):
            hero.change_x = 5 if frame % 120 < 80 else -5
            if frame % 40 == 0 and engine.can_jump():
                engine.jump(12)
            touched = [sprite.position for sprite in engine.update()]
            way.append((hero.position, touched, [coin.position for _, coin in engine.sensed]))
        return way

    def by_hand(tile_map: arcade.TileMap, hero: Sprite) -> PhysicsEnginePlatformer:
        lists = tile_map.sprite_lists
        roles = {"walls": walls, "platforms": platforms, "ladders": ladders, "sensors": sensors}
        arguments: dict[str, Any] = {role: [lists[each] for each in layers] for role, layers in roles.items()}
        return PhysicsEnginePlatformer(hero, gravity_constant=0.6, max_slope_degrees=30, **arguments)

    def by_name(tile_map: arcade.TileMap, hero: Sprite) -> Any:
        roles: dict[str, Any] = {"walls": walls, "platforms": platforms, "ladders": ladders, "sensors": sensors}
        return engine_for(tile_map, hero, gravity_constant=0.6, max_slope_degrees=30, **roles)

    way = played(by_name)
    assert way == played(by_hand)
    assert any(touched for _, touched, _ in way)


def test_names_and_lists_may_be_mixed_and_both_are_followed(window: Any) -> None:
    scene = arcade.Scene()
    scene.add_sprite("Ground", block(0, -10, 100, 20))
    crates: SpriteList[Sprite] = SpriteList()
    hero = block(0, 70)
    engine = engine_for(scene, hero, walls=["Ground", crates], gravity_constant=1)
    crate = block(0, 10, 20, 20)
    crates.append(crate)
    assert fallen(engine) == [crate]
    crate.kill()
    assert fallen(engine) == list(scene["Ground"])
    assert hero.bottom == 0


def test_one_list_and_one_name_need_no_brackets(window: Any) -> None:
    scene = arcade.Scene()
    ground = scene.add_sprite("Ground", block(0, -10, 100, 20))
    assert fallen(engine_for(scene, block(0, 30), walls="Ground")) == [ground]
    assert fallen(engine_for(scene, block(0, 30), walls=scene["Ground"])) == [ground]


def test_a_simple_engine_is_made_in_the_same_way(window: Any) -> None:
    scene = arcade.Scene()
    wall, door = scene.add_sprite("Walls", block(60, 0)), scene.add_sprite("Doors", block(0, 80, change_y=-1))
    hero = block(0, 0, change_x=500)
    engine = engine_for(scene, hero, PhysicsEngineSimple, walls="Walls", moving_walls="Doors")
    assert type(engine) is PhysicsEngineSimple
    assert engine.update() == [wall]
    assert (hero.right, door.center_y) == (50, 79)


def test_a_class_of_the_game_s_own_is_made_too(window: Any) -> None:
    class Engine(PhysicsEnginePlatformer):
        pass

    assert type(engine_for(arcade.Scene(), block(0, 0), Engine)) is Engine


@pytest.mark.parametrize(
    ("engine_class", "role"),
    [(PhysicsEngineSimple, "ladders"), (PhysicsEngineSimple, "one_way"), (PhysicsEnginePlatformer, "moving_walls")],
)
def test_an_engine_refuses_what_it_does_not_have(window: Any, engine_class: Any, role: str) -> None:
    scene = arcade.Scene()
    scene.add_sprite("Things", block(0, 0))
    roles: dict[str, Any] = {role: "Things"}
    with pytest.raises(TypeError, match=role):
        engine_for(scene, block(0, 0), engine_class, **roles)


@pytest.mark.parametrize("role", ["walls", "platforms", "moving_walls", "ladders", "one_way", "sensors"])
def test_a_missing_layer_is_named_with_those_that_are_there(load_map: LoadMap, role: str) -> None:
    tile_map = load_map(layer("Hills", rectangle(0, 0, 10, 10)), layer("Doors", rectangle(0, 0, 10, 10)))
    roles: dict[str, Any] = {role: ["Hils"]}
    with pytest.raises(ValueError, match=rf"{role}: there is no layer 'Hils'; there are 'Hills', 'Doors'$"):
        engine_for(tile_map, block(0, 0), **roles)
    with pytest.raises(ValueError, match=rf"{role}: there is no layer 'Hils'; there are none$"):
        engine_for(arcade.Scene(), block(0, 0), **roles)


@pytest.mark.parametrize("source", [None, "map.json", {}, arcade.TileMap])
def test_only_maps_and_scenes_have_layers(source: Any) -> None:
    with pytest.raises(TypeError, match="source must be a TileMap or a Scene, got "):
        engine_for(source, block(0, 0), walls="Walls")


# ---------------------------------------------------------------- drawn objects


PLACES: list[dict[str, Any]] = [{}, {"scaling": 0.5}, {"scaling": 3, "offset": (70, -40)}, {"offset": (-1, 2)}]


@pytest.mark.parametrize("options", PLACES, ids=str)
def test_a_rectangle_stands_where_arcade_says(load_map: LoadMap, options: dict[str, Any]) -> None:
    tile_map = load_map(layer("Hills", rectangle(30, 100, 40, 20), rectangle(200, 0, 5, 300)), **options)
    told: list[Any] = [tiled.shape for tiled in tile_map.object_lists["Hills"]]
    engine = engine_for(tile_map, block(0, 0), walls="Hills")
    assert bounds(engine) == [(*corners[3], *corners[1]) for corners in told]
    assert all(isinstance(body.shape, Box) for body in engine.world)


@pytest.mark.parametrize("options", PLACES, ids=str)
def test_a_polygon_stands_where_a_rectangle_of_its_outline_does(load_map: LoadMap, options: dict[str, Any]) -> None:
    """Arcade 3.3 scales rectangles and points, but not polygons. On a map at half size, polygons were far off."""
    corners = (0, 0), (40, 0), (40, 20), (0, 20)
    tile_map = load_map(layer("Hills", polygon(30, 100, *corners), rectangle(30, 100, 40, 20)), **options)
    of_polygon, of_rectangle = bounds(engine_for(tile_map, block(0, 0), walls="Hills"))
    assert of_polygon == of_rectangle


def test_a_layer_may_have_options_of_its_own(load_map: LoadMap) -> None:
    options = {"Hills": {"scaling": 2.0, "offset": (5, 7)}, "Else": {"scaling": 9.0}}
    tile_map = load_map(layer("Hills", rectangle(30, 100, 40, 20)), scaling=0.5, layer_options=options)
    corners: Any = tile_map.object_lists["Hills"][0].shape
    engine = engine_for(tile_map, block(0, 0), walls="Hills", layer_options=options)
    assert bounds(engine) == [(*corners[3], *corners[1])] == [(65, 567, 145, 607)]


@pytest.mark.parametrize("offset", [(0, 0), (300, -50)])
def test_concave_polygons_are_exactly_that(load_map: LoadMap, offset: tuple[float, float]) -> None:
    """A player that falls into a cup stands on its bottom, not on its convex hull."""
    cup = polygon(100, 200, (0, 0), (10, 0), (10, 90), (90, 90), (90, 0), (100, 0), (100, 100), (0, 100))
    tile_map = load_map(layer("Hills", cup), scaling=2, offset=offset)
    hero = block(2 * 150 + offset[0], 2 * HEIGHT + offset[1])
    engine: Any = engine_for(tile_map, hero, walls="Hills", gravity_constant=1)
    cups = tile_map.object_lists["Hills"]
    assert fallen(engine) == cups
    assert hero.bottom == 2 * (HEIGHT - 290) + offset[1]
    hero.change_x = 1000
    assert engine.update() == cups
    assert hero.right == 2 * 190 + offset[0]


@pytest.mark.parametrize(
    ("degrees", "expected"),
    [
        (0, (100, 280, 160, 300)),
        (90, (80, 240, 100, 300)),
        (180, (40, 300, 100, 320)),
        (-90, (100, 300, 120, 360)),
        (360, (100, 280, 160, 300)),
    ],
)
def test_objects_are_turned_clockwise_around_their_own_place(
    load_map: LoadMap, degrees: float, expected: tuple[float, ...]
) -> None:
    corners = (0, 0), (60, 0), (60, 20), (0, 20)
    turned = {"rotation": degrees}
    shapes = rectangle(100, 100, 60, 20, **turned), polygon(100, 100, *corners, **turned)
    tile_map = load_map(layer("Hills", *shapes))
    assert bounds(engine_for(tile_map, block(0, 0), walls="Hills")) == [expected] * 2


def test_a_round_ellipse_is_a_circle_and_others_are_off_by_a_quarter_of_a_pixel(load_map: LoadMap) -> None:
    round_one = rectangle(100, 100, 60, 60, ellipse=True)
    oval, turned = rectangle(100, 100, 60, 200, ellipse=True), rectangle(160, 100, 200, 60, ellipse=True, rotation=90)
    tile_map = load_map(layer("Hills", round_one, oval, turned), scaling=2)
    engine = engine_for(tile_map, block(0, 0), walls="Hills")
    circle, *ovals = engine.world
    assert (circle.shape, circle.pose) == (Circle(60), Pose(260, 2 * (HEIGHT - 130)))
    for body in ovals:
        assert body.shape.bounds(body.pose) == pytest.approx((200, 2 * 100, 320, 2 * 300), abs=0.25)
        for x, y in body.shape.outline:
            across, up = (x + body.pose.x - 260) / 60, (y + body.pose.y - 400) / 200
            assert across**2 + up**2 == pytest.approx(1)
        assert body.shape.area == pytest.approx(3.14159265 * 60 * 200, rel=0.25 * 2 / 60)


def test_a_line_holds_without_being_thick_and_a_closed_one_is_what_it_goes_around(load_map: LoadMap) -> None:
    rope = polyline(0, 100, (0, 0), (50, 0), (50, 0), (100, 0))
    ring = polyline(200, 100, (0, 0), (50, 0), (50, 50), (0, 50), (0, 0))
    tile_map = load_map(layer("Hills", rope, ring))
    hero, other = block(50, 350), block(225, 280, 60, 20)
    engine = engine_for(tile_map, hero, walls="Hills", players=[other])
    assert fallen(engine) == tile_map.object_lists["Hills"]
    assert hero.bottom == 300
    assert other.bottom == 300  # it was inside the ring, and left it by the shortest way
    hero.change_y = -5000
    engine.update()
    assert hero.bottom == 300


def test_an_outline_that_crosses_itself_is_all_that_it_goes_around(load_map: LoadMap) -> None:
    bow = polygon(100, 100, (0, 0), (80, 80), (80, 0), (0, 80))
    tile_map = load_map(layer("Hills", bow))
    hero = block(170, 380)
    assert fallen(engine_for(tile_map, hero, walls="Hills")) == tile_map.object_lists["Hills"]


def test_an_outline_without_area_is_refused_by_name(load_map: LoadMap) -> None:
    flat = polygon(100, 100, (0, 0), (80, 0), (40, 0), name="plank")
    tile_map = load_map(layer("Hills", rectangle(0, 0, 9, 9), flat))
    with pytest.raises(ShapeError, match=r"object 2 'plank' in layer 'Hills': outline must "):
        engine_for(tile_map, block(0, 0), walls="Hills")


def test_points_and_texts_are_left_out(load_map: LoadMap) -> None:
    """Arcade records a text with the shape of the object before it, or not at all if it is the first object."""
    text, point = {"x": 5, "y": 5, "text": {"text": "Go!"}}, {"x": 70, "y": 30, "point": True, "name": "start"}
    things = text, point, text, rectangle(30, 100, 40, 20, name="hill"), text, rectangle(0, 0, 5, 5, name="box")
    tile_map = load_map(layer("Things", *things), layer("Points", text, point))
    engine = engine_for(tile_map, block(0, 0), sensors="Things")
    assert [body.data.name for body in engine.world] == ["hill", "box"]
    with pytest.raises(ValueError, match="walls: in layer 'Points' there are only points and texts"):
        engine_for(tile_map, block(0, 0), walls="Points")


def test_drawn_sensors_tell_who_comes_into_them(load_map: LoadMap) -> None:
    tile_map = load_map(layer("Zones", polygon(100, 0, (0, 0), (5, 0), (0, 9), name="exit", type="zone")))
    hero = block(10, HEIGHT, change_x=5000)
    engine: Any = engine_for(tile_map, hero, PhysicsEngineSimple, sensors="Zones")
    assert engine.update() == []
    assert hero.center_x == 5010
    [(who, zone)] = engine.sensed
    assert who is hero
    assert zone is tile_map.object_lists["Zones"][0]
    assert (zone.name, zone.type) == ("exit", "zone")
    assert engine.events == ()


def test_drawn_one_way_platforms_let_in_from_below(load_map: LoadMap) -> None:
    tile_map = load_map(layer("Planks", rectangle(0, 300, 100, 10)))
    hero = block(50, 40)
    engine: Any = engine_for(tile_map, hero, one_way="Planks", gravity_constant=1)
    engine.jump(15)
    assert fallen(engine) == tile_map.object_lists["Planks"]
    assert hero.bottom == 100
    assert engine.can_jump()


def test_events_name_the_object(load_map: LoadMap) -> None:
    tile_map = load_map(layer("Hills", rectangle(0, 300, 100, 10)))
    hero = block(50, 125, change_y=-20)
    engine: Any = engine_for(tile_map, hero, walls="Hills")
    engine.update()
    [hill] = tile_map.object_lists["Hills"]
    assert [(event.weak, event.mighty) for event in engine.events] == [(hero, hill)]
    draw_debug(engine)


def test_the_body_of_an_object_is_told(load_map: LoadMap) -> None:
    tile_map = load_map(layer("Hills", rectangle(0, 300, 100, 10), rectangle(0, 0, 100, 10)))
    hero = block(50, 120)
    engine: Any = engine_for(tile_map, hero, walls="Hills")
    hill, cloud = tile_map.object_lists["Hills"]
    assert engine.body(cloud).shape == Box(100, 10)
    assert engine.body(cloud).pose == Pose(50, 395)
    assert fallen(engine) == [hill]
    assert engine.body(hero).floor is engine.body(hill)
    engine.world.remove(engine.body(hill))
    assert fallen(engine) == []
    with pytest.raises(ValueError, match="sprite must be one of this engine, got TiledObject"):
        engine.body(hill)


def test_layers_in_groups_are_found(load_map: LoadMap) -> None:
    tile_map = load_map(group("World", group("Solid", layer("Hills", rectangle(0, 300, 100, 10)))))
    assert bounds(engine_for(tile_map, block(0, 0), walls="Hills")) == [(0, 90, 100, 100)]


@pytest.mark.parametrize("role", ["ladders", "platforms", "moving_walls"])
def test_what_moves_or_is_climbed_cannot_be_drawn(load_map: LoadMap, role: str) -> None:
    tile_map = load_map(layer("Hills", rectangle(0, 0, 10, 10)))
    roles: dict[str, Any] = {role: "Hills"}
    with pytest.raises(ValueError, match=f"{role}: drawn objects, as in layer 'Hills', can be walls, one_way or sens"):
        engine_for(tile_map, block(0, 0), **roles)


def test_a_layer_that_the_game_has_changed_is_refused(load_map: LoadMap) -> None:
    tile_map = load_map(layer("Hills", rectangle(0, 0, 10, 10, name="a"), rectangle(0, 0, 10, 10, name="b")))
    del tile_map.object_lists["Hills"][0]
    with pytest.raises(ValueError, match="object layer 'Hills' is not as it was loaded: no record of object 1"):
        engine_for(tile_map, block(0, 0), walls="Hills")


def test_arcade_s_map_with_death_zones_plays(window: Any) -> None:
    tile_map = arcade.load_tilemap(resolve(":resources:tiled_maps/map_with_ladders.json"), scaling=0.5)
    zone = tile_map.object_lists["Player Death Zones"][0]
    points: Any = zone.shape
    left, right = 0.5 * min(x for x, _ in points), 0.5 * max(x for x, _ in points)
    hero = block(0.5 * (left + right), 600)
    engine: Any = engine_for(tile_map, hero, sensors="Player Death Zones")
    met = [frame for frame in range(200) if not engine.update() and engine.sensed]
    assert met
    assert engine.sensed == []  # the player has fallen through


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 1e200])
@pytest.mark.parametrize(("field", "name"), [("x", "position"), ("width", "size"), ("rotation", "rotation")])
def test_a_number_that_cannot_be_placed_is_refused_with_its_object(
    load_map: LoadMap, field: str, name: str, number: float
) -> None:
    """An oval of infinite width raised ZeroDivisionError, and NaN as an angle "cannot convert NaN to integer ratio"."""
    pond = rectangle(8, 8, 9, 5, ellipse=True, name="pond") | {field: number}
    with pytest.raises(ShapeError, match=f"object 1 'pond' in layer 'Drawn': {name} must be"):
        engine_for(load_map(layer("Drawn", pond)), block(0, 0), walls="Drawn")


def test_a_point_and_a_text_for_an_angle_are_refused_with_their_object(load_map: LoadMap) -> None:
    bent = polygon(8, 8, (0, 0), (9, float("nan")), (0, 9), name="hill")
    turned = rectangle(8, 8, 9, 5, name="pond", rotation="x")
    for drawn, told in (
        (bent, "'hill' in layer 'Drawn': point 1 must"),
        (turned, "'pond' in layer 'Drawn': rotation must"),
    ):
        with pytest.raises(ShapeError, match=f"object 1 {told}"):
            engine_for(load_map(layer("Drawn", drawn)), block(0, 0), walls="Drawn")


def test_an_oval_of_any_size_has_few_points(load_map: LoadMap) -> None:
    """Their number rose with the root of its size: one number in a map took half a minute."""
    pond = rectangle(8, 8, 1e12, 1e11, ellipse=True)
    engine: Any = engine_for(load_map(layer("Drawn", pond)), block(0, 0), walls="Drawn")
    (points,) = (body.shape.vertices for body in engine.world if hasattr(body.shape, "vertices"))
    assert 100 < len(points) < 1100
