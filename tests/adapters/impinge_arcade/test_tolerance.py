"""Input that Arcade tolerates: sprites without area or at NaN, players among their own walls, lists of Python.

A game of another person has such sprites for a frame, and with an error of ours it would end there.
"""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Callable
from typing import Any

import arcade
import pytest
from arcade import Sprite, SpriteList
from arcade.hitbox import HitBox

import impinge_arcade
from impinge import ShapeError
from impinge_arcade import (
    PhysicsEnginePlatformer,
    PhysicsEngineSimple,
    bootstrap,
    check_for_collision,
    check_for_collision_with_list,
    check_for_collision_with_lists,
    get_sprites_at_point,
    restore,
    shape_for,
)
from scale import cases
from sprites import blocks, listed

BOTH = [PhysicsEngineSimple, PhysicsEnginePlatformer]
FLAT: list[Callable[[Sprite], None]] = [
    lambda sprite: setattr(sprite, "scale", 0),
    lambda sprite: setattr(sprite, "width", 0),
    lambda sprite: setattr(sprite, "scale", (1, 0)),
    lambda sprite: setattr(sprite, "hit_box", HitBox(((0, 0), (5, 5)), sprite.position)),
    lambda sprite: setattr(sprite, "hit_box", HitBox((), sprite.position)),
    lambda sprite: setattr(sprite, "hit_box", HitBox(((-9, 0), (0, 0), (9, 0)), sprite.position)),
]
flat = pytest.mark.parametrize(
    "flatten", FLAT, ids=["scale", "width", "height", "two points", "no points", "on a line"]
)
block = blocks(20, 20)


# ---------------------------------------------------------------- sprites without area


@flat
def test_a_sprite_without_area_collides_with_nothing(flatten: Callable[[Sprite], None]) -> None:
    bar, hero = block(0, 0), block(0, 0)
    flatten(bar)
    for bars in (listed(block(90, 0), bar), [bar], (bar,)):
        assert not check_for_collision(hero, bar)
        assert not check_for_collision(bar, hero)
        assert check_for_collision_with_list(hero, bars) == check_for_collision_with_lists(hero, [bars]) == []
        assert check_for_collision_with_list(bar, listed(hero)) == check_for_collision_with_lists(bar, [[hero]]) == []
        assert get_sprites_at_point((0, 0), bars) == []


def test_a_sprite_that_grows_from_nothing_is_found_in_the_order_of_the_list() -> None:
    hero, bars = block(0, 0), listed(*(block(x, 0) for x in (-2, 0, 2)))
    bars[0].scale = bars[1].scale = 0
    assert check_for_collision_with_list(hero, bars) == get_sprites_at_point((0, 0), bars) == [bars[2]]
    bars[0].scale = 1
    assert check_for_collision_with_list(hero, bars) == get_sprites_at_point((0, 0), bars) == [bars[0], bars[2]]
    bars[1].scale = 1
    bars[2].scale = 0
    assert check_for_collision_with_list(hero, bars) == get_sprites_at_point((0, 0), bars) == [bars[0], bars[1]]
    bars[1].kill()
    bars[-1].scale = 1
    assert check_for_collision_with_list(hero, bars) == get_sprites_at_point((0, 0), bars) == [bars[0], bars[1]]


@flat
@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("others", [0, 7])
def test_a_player_without_area_moves_freely(flatten: Callable[[Sprite], None], kind: Any, others: int) -> None:
    """When it has an area again, it leaves the wall that it is in by then."""
    player, wall = block(0, 0, change_x=6), block(40, 0, 40, 200)
    options = {"gravity_constant": 0} if kind is PhysicsEnginePlatformer else {}
    engine = kind(player, walls=listed(wall), players=[block(0, 900 * i) for i in range(1, 1 + others)], **options)
    hit_box = player.hit_box
    flatten(player)
    for frame in range(4):
        assert engine.update() == []
        assert player.position == (6 * (frame + 1), 0)
    player.hit_box, player.scale = hit_box, 1
    player.change_x = 0
    engine.update()
    assert player.position == pytest.approx((10, 0))


def test_a_player_of_one_pixel_without_area_moves_freely() -> None:
    """The stand-in for a player without area is as large."""
    player = block(0, 0, 1, 1)
    engine = PhysicsEngineSimple(player, listed(block(20, 0)))
    engine.update()
    player.hit_box, player.change_x = HitBox((), player.position), 50
    engine.update()
    assert player.center_x == 50


def test_a_player_without_area_turns() -> None:
    player = block(0, 0, scale=0, change_angle=5)
    engine = PhysicsEngineSimple(player, listed(block(0, 0)))
    for _ in range(3):
        engine.update()
    assert (player.angle, player.position) == (15, (0, 0))


@flat
def test_walls_and_platforms_without_area_are_no_walls(flatten: Callable[[Sprite], None]) -> None:
    """A platform moves on while it is shrunk to nothing, and carries again when it has grown."""
    player, wall, lift = block(0, 20), block(0, 36, 100, 4), block(0, 5, 100, 10, change_x=1)
    engine = PhysicsEnginePlatformer(player, listed(lift), gravity_constant=0, walls=listed(wall))
    hit_boxes = wall.hit_box, lift.hit_box
    flatten(wall)
    flatten(lift)
    assert engine.update() == []
    assert not engine.can_jump(50)
    assert (player.position, lift.position) == ((0, 20), (1, 5))
    with pytest.raises(ValueError, match="must be one of this engine"):
        engine.body(wall)
    lift.hit_box, lift.scale = hit_boxes[1], 1
    engine.gravity_constant = 1
    for _ in range(4):
        engine.update()
    assert engine.body(player).floor is engine.body(lift)
    wall.hit_box, wall.scale = hit_boxes[0], 1
    engine.jump(9)
    assert engine.update() == [wall]


@flat
def test_strict_engines_and_checks_refuse_them(flatten: Callable[[Sprite], None]) -> None:
    bar, hero = block(3, 4), block(0, 0)
    flatten(bar)
    with pytest.raises(ShapeError, match=r"SpriteSolidColor at \(3, 4\)"):
        shape_for(bar)
    with pytest.raises(ShapeError, match=r"SpriteSolidColor at \(3, 4\)"):
        PhysicsEngineSimple(hero, listed(bar), strict=True).update()
    bootstrap(strict=True)
    try:
        calls: list[Callable[[], object]] = [
            lambda: check_for_collision(hero, bar),
            lambda: check_for_collision_with_list(hero, listed(bar)),
            lambda: check_for_collision_with_lists(bar, [listed(hero)]),
            lambda: get_sprites_at_point((0, 0), listed(bar)),
            lambda: arcade.PhysicsEnginePlatformer(bar).update(),
        ]
        for call in calls:
            with pytest.raises(ShapeError, match=r"SpriteSolidColor at \(3, 4\)"):
                call()
    finally:
        restore()
    assert check_for_collision_with_list(hero, listed(bar)) == []


# ---------------------------------------------------------------- sprites at NaN


def test_a_wall_at_nan_is_left_out_with_one_warning() -> None:
    player, walls = block(0, 20, 20, 40, change_x=1), listed(*(block(20 * x, -10) for x in range(-9, 10)))
    engine = PhysicsEnginePlatformer(player, walls=walls)
    engine.update()
    walls[12].position = math.nan, 7
    with pytest.warns(RuntimeWarning, match=r"SpriteSolidColor at \(nan, 7\): position and angle must be finite"):
        engine.update()
    assert check_for_collision_with_list(player, walls) == []
    for frame in range(3, 30):
        walls[12].center_y = frame
        engine.update()
        assert check_for_collision_with_list(player, walls) == get_sprites_at_point((500, 0), walls) == []
        assert player.position == (frame, 20)
    walls[12].position = player.center_x + 20, 20
    engine.update()
    assert player.center_x == 29


@pytest.mark.parametrize("attribute", ["angle", "scale", "center_x"])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_sprites_at_nan_collide_with_nothing(attribute: str, value: float) -> None:
    hero, ghost = block(0, 0), block(0, 0)
    setattr(ghost, attribute, value)
    with pytest.warns(RuntimeWarning, match="must be finite"):
        assert not check_for_collision(hero, ghost)
    for _ in range(2):
        assert check_for_collision_with_list(hero, listed(ghost)) == get_sprites_at_point((0, 0), listed(ghost)) == []
        assert check_for_collision_with_list(ghost, listed(hero)) == []


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("others", [0, 7])
def test_a_player_at_nan_is_refused_by_its_position(kind: Any, others: int) -> None:
    """The message was that its velocity must be finite."""
    player = block(math.nan, 3)
    engine = kind(player, players=[block(0, 90 * i) for i in range(1, 1 + others)])
    with pytest.raises(ShapeError, match=r"SpriteSolidColor at \(nan, 3\): position must be finite"):
        engine.update()


def test_a_platform_at_nan_is_left_out() -> None:
    player, lift, other = block(0, 15), block(0, 0, 100, 10, change_x=2), block(500, 0, change_x=3)
    engine = PhysicsEnginePlatformer(player, listed(lift, other), gravity_constant=0)
    engine.update()
    lift.center_y = math.nan
    with pytest.warns(RuntimeWarning, match="until then it collides with nothing"):
        engine.update()
    engine.update()
    assert other.center_x == 509


# ---------------------------------------------------------------- players among their own walls


@pytest.mark.parametrize("name", ["PhysicsEngineSimple", "PhysicsEnginePlatformer"])
def test_enemies_that_block_each_other_are_walls_of_their_own(name: str) -> None:
    """Each enemy has an engine with all enemies as its walls, as in many top-down games. It was an error."""
    ends = []
    for module in (arcade, impinge_arcade):
        enemies = listed(*(block(50 * i, 10) for i in range(6)))
        walls = [listed(block(0, -10, 4000, 20), block(-100, 100, 20, 400)), enemies]
        engines = [getattr(module, name)(enemy, walls=walls) for enemy in enemies]
        for _ in range(80):
            for engine in engines:
                engine.player_sprite.change_x = -3
                engine.update()
                assert engine.player_sprite not in check_for_collision_with_list(engine.player_sprite, enemies)
                if name == "PhysicsEnginePlatformer":
                    assert engine.can_jump()
        ends.append([enemy.position for enemy in enemies])
    # Arcade stops up to two pixels before a wall.
    assert ends[1] == [(-80 + 20 * i, 10) for i in range(6)]
    assert all(abs(x - 20 * i + 80) < 2 * (i + 1) for i, (x, _) in enumerate(ends[0]))


@pytest.mark.parametrize("kind", BOTH)
def test_a_player_that_joins_or_leaves_the_walls_is_no_wall_while_it_plays(kind: Any) -> None:
    player, other, walls = block(0, 20), block(40, 20), listed(block(0, 0, 4000, 20))
    engine = kind(player, walls=walls)
    engine.update()
    walls.append(player)
    walls.append(other)
    player.change_x = 15
    for _ in range(2):
        engine.update()
    assert player.position == (20, 20)
    # The other one plays now: the first one is a wall for it.
    engine.player_sprite = other
    other.change_x = -15
    engine.update()
    assert other.position == (40, 20)
    player.center_x -= 5
    engine.update()
    assert other.position == (35, 20)
    player.kill()
    other.change_x = -5
    engine.update()
    assert other.position == (30, 20)


# ---------------------------------------------------------------- lists of Python


@pytest.mark.parametrize("make", [list, tuple])
def test_a_list_of_sprites_is_as_good_as_a_sprite_list(make: Any) -> None:
    def scene(listed: Callable[[list[Sprite]], Any]) -> tuple[Any, list[Any]]:
        player = block(0, 20, 20, 40, change_x=2)
        engine = PhysicsEnginePlatformer(
            player,
            listed([block(100, 40, 60, 10, change_x=-1, boundary_left=20)]),
            ladders=listed([block(200, 60, 10, 100)]),
            walls=listed([block(0, -10, 500, 20), block(300, 0, 40, 100)]),
            one_way=listed([block(60, 80, 40, 10)]),
            sensors=listed([block(30, 20, 4, 4)]),
        )
        engine.walls = listed([block(-100, 0, 40, 100)])
        way = []
        for frame in range(120):
            if frame % 25 == 5:
                engine.jump(9)
            if frame == 60:
                player.change_x = -3
            touched = [sprite.position for sprite in engine.update()]
            sensed = [sensor.position for _, sensor in engine.sensed]
            way.append((player.position, touched, sensed, engine.can_jump(), engine.is_on_ladder()))
        return engine, way

    engine, way = scene(make)
    _, expected = scene(lambda sprites: globals()["listed"](*sprites))
    assert way == expected
    assert [len(walls) for walls in engine.walls] == [2, 1]


@pytest.mark.parametrize("kind", BOTH)
def test_a_list_of_python_is_followed(kind: Any) -> None:
    """The game changes it without a word: all its sprites are read in each update."""
    player, walls = block(0, 0, change_x=5), [block(100, 0)]
    options = {"gravity_constant": 0} if kind is PhysicsEnginePlatformer else {}
    engine = kind(player, walls=walls, **options)
    engine.update()
    walls.append(block(40, 0))
    for _ in range(10):
        engine.update()
    assert player.position == (20, 0)
    del walls[1]
    walls[0].center_x = 60
    for _ in range(10):
        engine.update()
    assert player.position == (40, 0)
    assert check_for_collision_with_list(block(55, 0), walls) == walls
    engine.walls.append([block(40, 30, 100, 20), 3])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="sprites must be sprites, got 3"):
        engine.update()


# ---------------------------------------------------------------- whatever happens


@pytest.mark.parametrize("make", [SpriteList, list])
@pytest.mark.parametrize("seed", range(cases(20, least=3)))
def test_only_sprites_with_area_at_a_place_are_found(make: Any, seed: int) -> None:
    """Sprites come and go, shrink, grow, move, and get lost at NaN; the oracle knows which of them are left."""
    rnd, sprites, well = random.Random(seed), make(), {}

    def add() -> None:
        sprites.append(sprite := block(rnd.uniform(-50, 50), rnd.uniform(-50, 50)))
        well[sprite] = True

    for _ in range(12):
        add()
    hero = block(0, 0)
    engine = PhysicsEngineSimple(block(5000, 0), sprites)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for _ in range(60):
            sprite = rnd.choice(sprites)
            change = rnd.randrange(7)
            if change == 0:
                sprite.scale, well[sprite] = 0, False
            elif change == 1:
                sprite.position, well[sprite] = (math.nan, 1), False
            elif change == 2:
                sprite.position, sprite.scale, well[sprite] = (rnd.uniform(-50, 50), 0), 1, True
            elif change == 3:
                sprite.center_y += rnd.uniform(-9, 9)
            elif change == 4:
                sprites.remove(sprite)
            elif change == 5:
                add()
            hero.position = rnd.uniform(-50, 50), rnd.uniform(-50, 50)
            x, y = hero.position
            expected = [
                each for each in sprites if well[each] and abs(each.center_x - x) < 20 and abs(each.center_y - y) < 20
            ]
            assert check_for_collision_with_list(hero, sprites) == expected
            inside = [each for each in expected if abs(each.center_x - x) <= 10 and abs(each.center_y - y) <= 10]
            assert get_sprites_at_point(hero.position, sprites) == inside
            if rnd.random() < 0.5:
                engine.update()
                assert {body.data for body in engine.world} - {engine.player_sprite} == {
                    each for each in sprites if well[each]
                }
