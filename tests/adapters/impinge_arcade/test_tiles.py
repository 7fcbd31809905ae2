"""Merging tiles into blocks is invisible to a game. Each test compares with an engine that keeps tiles apart.

An engine keeps tiles apart if its world is accessed before the first update. Other tests compare these engines with
Arcade.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import arcade
import pytest
import shapely
from arcade import Sprite, SpriteList
from hypothesis import given
from hypothesis import strategies as st

import impinge as im
from impinge.hooks import EntryPlugin
from impinge_arcade import PhysicsEnginePlatformer, PhysicsEngineSimple, shape_for
from impinge_arcade.shapes import Placement, placement
from impinge_arcade.tiles import flush_groups
from scale import cases
from sprites import blocks, listed

SEEDS = range(cases(24))
FRAMES = 60
TILE = 32
tile = blocks(TILE, TILE)


def ground(columns: int, rows: int = 5) -> SpriteList[Any]:
    """Return tiles whose top is at y = 0."""
    return listed(*(tile(TILE * x, -TILE * (y + 0.5)) for y in range(rows) for x in range(columns)))


@pytest.fixture
def adds(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Record the `data` of all bodies that are added to worlds."""
    added: list[Any] = []
    add, add_many = im.World.add, im.World.add_many

    def noted(world: im.World, *arguments: Any, **options: Any) -> im.Body:
        added.append(options.get("data"))
        return add(world, *arguments, **options)

    def noted_many(world: im.World, *arguments: Any, **options: Any) -> list[im.Body]:
        bodies = add_many(world, *arguments, **options)
        added.extend(body.data for body in bodies)
        return bodies

    monkeypatch.setattr(im.World, "add", noted)
    monkeypatch.setattr(im.World, "add_many", noted_many)
    return added


# Which tiles are flush


def box(x: float, y: float, width: float = TILE, height: float = TILE, angle: float = 0.0) -> Placement:
    return Placement(im.Box(width, height), x, y, angle, math.hypot(width, height))


def drawn(placed: Placement) -> shapely.Polygon:
    solid = placed.solid
    assert isinstance(solid, im.Box)
    x, y, width, height = placed.x, placed.y, 0.5 * solid.width, 0.5 * solid.height
    return shapely.box(x - width, y - height, x + width, y + height)


@given(
    st.lists(
        st.builds(
            box,
            st.integers(0, 12).map(TILE.__mul__),
            st.integers(0, 9).map(TILE.__mul__),
            st.sampled_from([32, 32, 32, 64]),
        ),
        max_size=120,
    )
)
def test_a_group_fills_its_box_without_gaps(placements: list[Placement]) -> None:
    groups = flush_groups(placements)
    numbers = [number for group in groups for number in group.numbers]
    assert len(set(numbers)) == len(numbers)
    for group in groups:
        parts = [drawn(placements[number]) for number in group.numbers]
        assert 2 <= len(parts) <= 32
        assert group.numbers == sorted(group.numbers)
        assert sum(part.area for part in parts) == shapely.box(*group.bounds).area
        assert shapely.union_all(parts).equals(shapely.box(*group.bounds))


def test_a_floor_is_a_few_groups() -> None:
    floor = [box(TILE * x, TILE * y) for x in range(32) for y in range(8)]
    random.Random(1).shuffle(floor)
    assert [len(group.numbers) for group in flush_groups(floor)] == [32] * 8


@pytest.mark.parametrize(
    ("second", "is_flush"),
    [
        (box(TILE, 0), True),
        (box(0, TILE), True),
        (box(TILE + 1, 0), False),
        (box(TILE - 1, 0), False),
        (box(TILE, 1), False),
        (box(TILE, 0, height=16), False),
        (box(TILE, 0, angle=0.1), False),
        (box(0, 0), False),
        (Placement(im.Circle(16), TILE, 0, 0.0, 16), False),
    ],
)
def test_neighbours_are_flush_where_their_edges_meet(second: Placement, is_flush: bool) -> None:
    assert len(flush_groups([box(0, 0), second])) == is_flush
    assert len(flush_groups([second, box(0, 0)])) == is_flush


def test_tiles_a_third_of_a_picture_are_flush_but_for_rounding() -> None:
    size = 64 / 3
    sprites = [tile(13.7 + size * x, 0.1 + size * y, size, size) for x in range(8) for y in range(4)]
    edges = [placed.x + 0.5 * size for placed in map(placement, sprites)]
    assert {edge + 0.5 * size for edge in edges} - set(edges)  # their edges differ in the last bit
    assert [len(group.numbers) for group in flush_groups(list(map(placement, sprites)))] == [32]


# What a game sees of it


class Played:
    """A random level with many events, and everything that its engine reports."""

    def __init__(self, seed: int, is_whole: bool) -> None:
        self.draw = random.Random(seed)
        draw = self.draw
        self.size = draw.choice([32, 32, 16, 21.7, 64 / 3])
        left, bottom = self.corner = draw.choice([(0, 0), (0, 0), (13.37, -7.1), (1e5 + 0.3, 3e4)])
        self.columns, self.rows = draw.randint(30, 200), draw.randint(1, 8)
        density = draw.choice([1, 1, 0.9, 0.7, 0.5])
        self.tiles = [
            self.tile(left + self.size * column, bottom + self.size * row)
            for row in range(self.rows)
            for column in range(self.columns)
            if row < self.rows // 2 or draw.random() < 0.6 * density
        ] or [self.tile(left, bottom)]
        if draw.random() < 0.5:
            draw.shuffle(self.tiles)
        self.lists: list[SpriteList[Any]] = [SpriteList(draw.random() < 0.5) for _ in range(draw.choice([1, 1, 2]))]
        for number, each in enumerate(self.tiles):
            self.lists[number % len(self.lists)].append(each)
        self.players = [
            self.somewhere(draw.choice([20, 30]), draw.choice([20, 45])) for _ in range(draw.choice([1, 1, 2, 3, 7]))
        ]
        self.platforms = [self.platform() for _ in range(draw.randint(0, 3))]
        first, *others = self.players
        if draw.random() < 0.7:
            options: dict[str, Any] = {"gravity_constant": draw.choice([0.5, 1]), "snap": draw.choice([0, 4])}
            self.engine: Any = PhysicsEnginePlatformer(
                first, listed(*self.platforms), walls=self.lists, players=others, **options
            )
        else:
            self.engine = PhysicsEngineSimple(first, self.lists, players=others, moving_walls=listed(*self.platforms))
        if is_whole:
            assert self.engine.world is not None

    def tile(self, x: float, y: float) -> Sprite:
        made = tile(x, y, self.size, 0.5 * self.size if self.draw.random() < 0.03 else self.size)
        if self.draw.random() < 0.02:
            made.angle = self.draw.choice([90, 45, 180])
        return made

    def somewhere(self, width: int, height: int) -> Sprite:
        left, bottom = self.corner
        x = left + self.draw.uniform(0, self.columns * self.size)
        y = bottom + self.draw.uniform(0.5 * self.rows * self.size, self.rows * self.size + 60)
        return arcade.SpriteSolidColor(width, height, x, y)

    def platform(self) -> Sprite:
        made = self.somewhere(50, 12)
        made.velocity = self.draw.choice([0, 0, 2, -3, 30]), self.draw.choice([0, 2, -3])
        if made.change_x:
            made.boundary_left, made.boundary_right = made.center_x - 100, made.center_x + 100
        else:
            made.boundary_bottom, made.boundary_top = made.center_y - 80, made.center_y + 80
        return made

    def move_players(self) -> None:
        draw = self.draw
        for player in self.players:
            if draw.random() < 0.3:
                player.change_x = draw.choice([0, 3, -3, 7, -7, 40, -250])
            if draw.random() < 0.1:
                player.change_y = draw.choice([8, -8, 12, 200])
            if draw.random() < 0.01:
                x, y = player.position
                player.position = x + draw.uniform(-300, 300), y + draw.uniform(-100, 200)

    def move_tiles(self) -> None:
        draw, one = self.draw, self.draw.choice(self.tiles)
        x, y = one.position
        happens = draw.random()
        if happens < 0.15:
            one.position = x + draw.choice([0, 2, -2, 5, 100]), y + draw.choice([0, 3, -5])
        elif happens < 0.20:
            one.kill()
        elif happens < 0.24 and not one.sprite_lists:
            self.lists[0].append(one)
        elif happens < 0.27:
            one.angle += draw.choice([90, 30])
        elif happens < 0.29:
            one.scale = draw.choice([0.5, 1, 1.5])
        elif happens < 0.31:
            x, y = self.players[0].position
            more = [self.tile(x + 200 + self.size * number, y) for number in range(6)]
            self.tiles += more
            self.lists[-1].extend(more)
        elif happens < 0.32:
            self.lists[0].reverse()

    def frame(self) -> list[Any]:
        """Play one frame, and return everything that a game can observe."""
        self.move_players()
        self.move_tiles()
        names: dict[int, Any] = {id(each): number for number, each in enumerate(self.tiles)}
        names |= {id(each): f"player {number}" for number, each in enumerate(self.players)}
        names |= {id(each): f"platform {number}" for number, each in enumerate(self.platforms)}
        engine = self.engine
        seen: list[Any] = [names[id(each)] for each in engine.update()]
        seen += [(each.position, each.velocity) for each in self.players + self.platforms]
        for event in engine.events:
            weak, mighty = names[id(event.weak)], names[id(event.mighty)]
            seen.append((event.kind, event.time, weak, mighty, event.side, event.speed))
        if isinstance(engine, PhysicsEnginePlatformer):
            seen.append(engine.can_jump(self.draw.choice([5, 1, 300])))
        one = self.draw.choice(self.tiles)
        if self.draw.random() < 0.02 and one.sprite_lists:
            body = engine.body(one)
            seen += [body.pose, body.shape, body.order, body.layer, body.data is one]
        return seen


@pytest.mark.parametrize("seed", SEEDS)
def test_a_game_in_which_tiles_are_merged_is_the_same_to_the_last_bit(seed: int) -> None:
    merged, whole = Played(seed, is_whole=False), Played(seed, is_whole=True)
    for _ in range(FRAMES):
        assert merged.frame() == whole.frame()


def test_a_map_of_five_thousand_tiles_is_taken_up_by_few_bodies(adds: list[Any]) -> None:
    player, walls = tile(300, 16), ground(1000)
    engine = PhysicsEnginePlatformer(player, walls=walls)
    engine.update()
    assert len(adds) < 500
    before = len(adds)
    for _ in range(60):
        engine.update()
    assert len(adds) == before  # sprites that stay in place split no more blocks
    player.change_x = 5
    touched: set[Any] = set()
    for _ in range(1000):
        touched.update(engine.update())
    assert player.position == (5300, 16)
    assert touched == {each for each in walls if each.center_y == -16 and 300 - TILE < each.center_x < 5300 + TILE}
    assert len(adds) < 2000


def test_what_is_far_away_is_asked_for_as_a_body_of_its_own() -> None:
    player, walls = tile(300, 16), ground(200)
    engine = PhysicsEnginePlatformer(player, walls=walls)
    engine.update()
    body = engine.body(walls[150])
    assert (body.data, body.shape, body.pose) == (walls[150], im.Box(TILE, TILE), im.Pose(TILE * 150, -16))
    assert engine.body(walls[150]) is body
    assert [each.data for each in sorted(engine.world, key=lambda each: each.order)] == [*walls, player]


@pytest.mark.parametrize("others", [0, 9])
def test_who_has_grown_meets_tiles_where_it_stands(others: int) -> None:
    """After the sprite grows, it overlaps more tiles than were near it before."""
    told = []
    for is_whole in (False, True):
        player, walls = tile(300, 10, 20, 20), ground(100, rows=40)
        crowd = [tile(2000 + 30 * number, 10, 20, 20) for number in range(others)]
        engine = PhysicsEnginePlatformer(player, walls=walls, players=crowd)
        if is_whole:
            assert engine.world is not None
        engine.update()
        player.scale = 40
        told.append([[walls.index(each) for each in engine.update()], player.position, len(engine.events)])
    assert told[0] == told[1]
    # The whole floor, from its left edge at -100 to its right edge at 700.
    assert set(range(22)) <= {number for number in told[0][0] if number < 100}


def test_who_adds_tiles_after_asking_for_the_world_gets_bodies(adds: list[Any]) -> None:
    walls = ground(50)
    engine = PhysicsEngineSimple(tile(300, 16), walls)
    assert len(engine.world) == 0
    engine.update()
    more = [tile(1e4 + TILE * number, 0) for number in range(20)]
    walls.extend(more)
    engine.update()
    assert [each for each in adds if each in more] == more


def kill(walls: SpriteList[Any], one: Sprite) -> None:
    one.kill()


def leave(walls: SpriteList[Any], one: Sprite) -> None:
    one.center_y -= 500


def shrink(walls: SpriteList[Any], one: Sprite) -> None:
    shape_for(one, im.Polygon([(-16, -16), (-14, -16), (-16, -14)]))


@pytest.mark.parametrize("turn", [1, 7, 30])
def test_who_is_stuck_in_solid_ground_and_turns_is_the_same_to_the_last_bit(turn: int) -> None:
    """A stuck body searches a wide area, and all tiles in that area count."""
    told = []
    for is_whole in (False, True):
        player, walls = tile(1000, -300, 30, 45), ground(100, rows=20)
        player.angle, player.change_angle, player.velocity = 20, turn, (3, -4)
        engine = PhysicsEngineSimple(player, walls)
        if is_whole:
            assert engine.world is not None
        seen: list[Any] = []
        for _ in range(20):
            seen += [walls.index(each) for each in engine.update()]
            body = engine.body(player)
            seen += [player.position, player.angle, body.stuck, body.blocked, len(engine.events)]
        told.append(seen)
    assert told[0] == told[1]


@pytest.mark.parametrize("vanish", [kill, leave, shrink])
def test_a_hole_in_what_is_merged_is_a_hole(vanish: Callable[[SpriteList[Any], Sprite], None]) -> None:
    player, walls = tile(0, 200, 20, 20), ground(300, rows=1)
    engine = PhysicsEnginePlatformer(player, walls=walls)
    engine.update()
    vanish(walls, walls[250])
    engine.update()
    player.position = TILE * 250, 10.5
    for _ in range(10):
        engine.update()
    assert player.top < 0


def test_a_tile_at_no_place_is_named_and_nothing_moves() -> None:
    player, walls = tile(300, 16), ground(200)
    engine = PhysicsEnginePlatformer(player, walls=walls, strict=True)
    engine.update()
    player.velocity = 3, 0
    walls[150].position = math.nan, 0
    with pytest.raises(im.ShapeError, match=r"SpriteSolidColor at \(nan, 0\): position"):
        engine.update()
    assert player.position == (300, 16)
    walls[150].position = TILE * 150, -16
    assert engine.update() == [walls[9], walls[10]]
    assert player.position == (303, 16)


def test_lists_that_go_take_their_blocks_along() -> None:
    player, walls = tile(300, 16), ground(200)
    engine = PhysicsEnginePlatformer(player, walls=walls)
    engine.update()
    engine.walls.clear()
    for _ in range(100):
        engine.update()
    assert player.center_y < -1000
    assert list(engine.world) == [engine.body(player)]


def test_plugins_of_installed_packages_see_every_tile(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    class Census:
        @im.hookimpl
        def impinge_frame_begin(self, world: im.World) -> None:
            seen[:] = [body.data for body in sorted(world, key=lambda body: body.order)]

    installed = EntryPlugin("census", "censuses", Census(), None)
    monkeypatch.setattr("impinge.hooks.entry_plugins", lambda: (installed,))
    player, walls = tile(300, 16), ground(100)
    PhysicsEngineSimple(player, walls).update()
    assert seen == [*walls, player]


def test_who_is_flung_out_of_a_giant_comes_among_tiles() -> None:
    """Before the step, nothing shows that depenetration moves the player by 700 pixels."""
    giant, player = tile(0, 0, 2000, 2000), tile(300, 300, 20, 20)
    lid = [tile(TILE * x, 1016 + TILE * y) for y in range(2) for x in range(-40, 40)]
    engines = []
    for is_whole in (False, True):
        player.position = 300, 300
        engine = PhysicsEngineSimple(player, listed(giant, *lid))
        if is_whole:
            assert engine.world is not None
        touched = [engine.update() for _ in range(3)]
        engines.append((player.position, [[each.position for each in walls] for walls in touched]))
    assert engines[0] == engines[1]
