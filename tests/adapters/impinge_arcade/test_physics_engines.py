"""Replacements of Arcade's two engines, used as a game uses them.

Figures were worked out by hand. Where Arcade is right, they equal Arcade's.
"""

from __future__ import annotations

import inspect
import math
import random
import re
from collections.abc import Callable
from typing import Any

import arcade
import pytest
import shapely
import shapely.affinity
from arcade import Sprite
from arcade.hitbox import HitBox, RotatableHitBox

import impinge_arcade
from impinge import Circle, ShapeError, Side
from impinge_arcade import PhysicsEnginePlatformer, PhysicsEngineSimple
from impinge_arcade import walls as walls_module
from impinge_arcade.shapes import placement
from scale import some
from sprites import blocks, listed

NAN = math.nan
CUP = ((-16, -16), (16, -16), (16, 16), (10, 16), (10, -10), (-10, -10), (-10, 16), (-16, 16))
TRIANGLE = ((-20, -15), (20, -15), (0, 20))
BEAM = ((-150, -8), (150, -8), (150, 8), (-150, 8))
BOTH_SIMPLE = [arcade.PhysicsEngineSimple, PhysicsEngineSimple]
BOTH_PLATFORMERS = [arcade.PhysicsEnginePlatformer, PhysicsEnginePlatformer]
block = blocks(20, 40)


def shaped(x: float, y: float, *points: tuple[float, float]) -> Sprite:
    """Return a sprite with a hit box, and with a texture large enough for Arcade to find the sprite."""
    sprite = block(x, y, 400, 400)
    sprite.hit_box = HitBox(points, sprite.position)
    return sprite


def drawn(sprite: Sprite) -> shapely.Polygon:
    return shapely.Polygon(sprite.hit_box.get_adjusted_points())


def floor(top: float = 0) -> Sprite:
    return block(0, top - 10, 2000, 20)


def played(engine: Any, frames: int, change_x: float | None = None) -> list[tuple[float, float]]:
    way = []
    for _ in range(frames):
        if change_x is not None:
            engine.player_sprite.change_x = change_x
        engine.update()
        way.append(engine.player_sprite.position)
    return way


# ---------------------------------------------------------------- the same as Arcade's


@pytest.mark.parametrize("name", ["PhysicsEngineSimple", "PhysicsEnginePlatformer"])
def test_everything_public_is_there_with_arcade_s_arguments(name: str) -> None:
    theirs, ours = getattr(arcade, name), getattr(impinge_arcade, name)
    for member in [member for member in dir(theirs) if not member.startswith("_")]:
        assert hasattr(ours, member)
        if inspect.isfunction(getattr(theirs, member)):
            expected = list(inspect.signature(getattr(theirs, member)).parameters.values())
            found = list(inspect.signature(getattr(ours, member)).parameters.values())
            assert [(each.name, each.default) for each in found[: len(expected)]] == [
                (each.name, each.default) for each in expected
            ]
            assert all(each.default is not inspect.Parameter.empty for each in found[len(expected) :])
    expected = list(inspect.signature(theirs).parameters.values())
    found = list(inspect.signature(ours).parameters.values())
    assert [(each.name, each.default) for each in found[: len(expected)]] == [
        (each.name, each.default) for each in expected
    ]
    assert all(each.kind is inspect.Parameter.KEYWORD_ONLY for each in found[len(expected) :])
    assert set(vars(theirs(block(0, 0)))) <= set(vars(ours(block(0, 0))))


@pytest.mark.parametrize("kind", BOTH_PLATFORMERS)
def test_lists_are_set_added_and_cleared_as_in_arcade(kind: Any) -> None:
    walls, more, ladder, lift = (listed(block(x, 0)) for x in range(4))
    engine = kind(block(0, 99), platforms=lift, ladders=[ladder], walls=[walls])
    assert (engine.platforms, engine.ladders, engine.walls) == ([lift], [ladder], [walls])
    engine.walls = more
    assert engine.walls == [walls, more]
    engine.walls = None
    assert engine.walls == []
    engine.platforms = [lift, more]
    assert engine.platforms == [lift, lift, more]
    del engine.platforms
    del engine.ladders
    assert engine.platforms == engine.ladders == []


@pytest.mark.parametrize("kind", BOTH_PLATFORMERS)
def test_it_falls_and_stands(kind: Any) -> None:
    player, ground = block(0, 23), floor()
    engine = kind(player, walls=listed(ground), gravity_constant=1)
    told = [(engine.update(), player.center_y, player.change_y, engine.can_jump(1)) for _ in range(4)]
    assert told == [([], 22, -1, False), ([], 20, -2, True), ([ground], 20, 0, True), ([ground], 20, 0, True)]


@pytest.mark.parametrize("kind", BOTH_PLATFORMERS)
def test_it_jumps_and_bumps_its_head(kind: Any) -> None:
    player, ground, ceiling = block(0, 20), floor(), block(0, 60, 100, 20)
    engine = kind(player, walls=listed(ground, ceiling), gravity_constant=1)
    engine.update()
    engine.jump(7)
    assert engine.update() == []
    assert (player.center_y, player.change_y) == (26, 6)
    assert engine.update() == [ceiling]
    assert (player.center_y, player.change_y) == (30, 0)
    engine.update()
    assert (player.center_y, player.change_y) == (29, -1)


@pytest.mark.parametrize("kind", BOTH_PLATFORMERS)
def test_jumps_in_the_air_are_counted(kind: Any) -> None:
    player = block(0, 20)
    engine = kind(player, walls=listed(floor()))
    engine.update()
    engine.enable_multi_jump(2)
    told = []
    for _ in range(3):
        told.append((engine.can_jump(), engine.jumps_since_ground))
        engine.jump(10)
        engine.update()
    assert told == [(True, 0), (True, 1), (False, 2)]
    engine.disable_multi_jump()
    assert (engine.allow_multi_jump, engine.allowed_jumps, engine.jumps_since_ground) == (False, 1, 0)
    engine.jump(1)
    assert engine.jumps_since_ground == 0


@pytest.mark.parametrize("kind", BOTH_PLATFORMERS)
def test_can_jump_looks_as_far_down_as_it_is_told(kind: Any) -> None:
    player = block(0, 24)
    engine = kind(player, walls=listed(floor()))
    assert [engine.can_jump(distance) for distance in (3.5, 4, 4.5, 5)] == [False, False, True, True]
    assert engine.can_jump()
    assert player.position == (0, 24)


@pytest.mark.parametrize("kind", BOTH_PLATFORMERS)
def test_can_jump_looks_where_walls_are_that_the_game_has_just_moved(kind: Any) -> None:
    """Between two updates, `can_jump` uses the current places of walls. The next update sweeps from their old ones."""
    ground = floor()
    engine = kind(block(0, 20), walls=listed(ground))
    played(engine, 3)
    told = []
    for lower in (0, 8, 4, 9, 9, 0):
        ground.top = -lower
        told.append(engine.can_jump())
    assert told == [True, False, True, False, False, True]


@pytest.mark.parametrize("kind", BOTH_PLATFORMERS)
def test_on_a_ladder_nothing_falls(kind: Any) -> None:
    player, ladder = block(0, 100), listed(block(0, 100, 10, 60))
    engine = kind(player, ladders=ladder, gravity_constant=2)
    assert engine.is_on_ladder()
    assert played(engine, 2) == [(0, 100), (0, 100)]
    player.change_y = 30
    assert played(engine, 3) == [(0, 130), (0, 160), (0, 188)]
    assert not engine.is_on_ladder()


@pytest.mark.parametrize("kind", BOTH_PLATFORMERS)
def test_gravity_may_be_changed_and_may_point_up(kind: Any) -> None:
    player, ceiling = block(0, 0), block(0, 40, 100, 20)
    engine = kind(player, walls=listed(ceiling), gravity_constant=0)
    assert played(engine, 1) == [(0, 0)]
    engine.gravity_constant = -4
    assert played(engine, 3) == [(0, 4), (0, 10), (0, 10)]


@pytest.mark.parametrize("kind", BOTH_PLATFORMERS)
@pytest.mark.parametrize("height", [3, 5, 6])
def test_it_walks_up_steps_as_high_as_it_is_fast(kind: Any, height: int) -> None:
    player, step = block(60, 20), block(150, 0, 100, 2 * height)
    engine = kind(player, walls=listed(floor(), step))
    played(engine, 20, change_x=5)
    # The player steps onto a ledge by 1/64 of the highest step that it takes.
    assert player.position == (
        (160 + (5 / 64 if kind is PhysicsEnginePlatformer else 0), 20 + height) if height <= 5 else (90, 20)
    )


@pytest.mark.parametrize("kind", BOTH_PLATFORMERS)
def test_it_walks_up_a_ramp_of_45_degrees_at_its_own_pace(kind: Any) -> None:
    player, ramp = block(60, 20), shaped(100, 0, (0, 0), (200, 0), (200, 200))
    played(kind(player, walls=listed(floor(), ramp)), 25, change_x=4)
    assert player.position == pytest.approx((160, 20 + 70), abs=1e-6)


@pytest.mark.parametrize("kind", BOTH_PLATFORMERS)
def test_platforms_go_to_and_fro_between_their_boundaries(kind: Any) -> None:
    level = {"boundary_left": -30, "boundary_right": 30, "boundary_bottom": -25, "boundary_top": 28}
    across, up = block(0, 0, 20, 10, change_x=7, **level), block(0, 0, 20, 10, change_y=-6, **level)
    still = block(100, 0, **level)
    engine = kind(block(0, 900), platforms=[listed(across), listed(up, still)])
    seen = []
    for _ in range(12):
        engine.update()
        seen.append((across.center_x, across.change_x, up.center_y, up.change_y))
    assert [row[0] for row in seen] == [7, 14, 21, 13, 6, -1, -8, -15, -22, -13, -6, 1]
    assert [row[2] for row in seen] == [-6, -12, -18, -24, -14, -8, -2, 4, 10, 16, 22, 28]
    assert still.position == (100, 0)


def test_many_platforms_go_to_and_fro_as_arcade_s_do() -> None:
    """Platforms with centred and off-centre hit boxes turn and grow on the way. One is in two lists and moves twice."""

    def scene(kind: Any) -> tuple[Any, list[Sprite]]:
        rnd, platforms = random.Random(4), []
        for i in range(60):
            x, y = 500 * i, rnd.uniform(-50, 50)
            platform = arcade.SpriteCircle(15, (255, 255, 255, 255)) if i % 9 == 5 else block(x, y, 30, 20)
            platform.position, platform.velocity = (x, y), (rnd.randint(-4, 4), rnd.choice((0, 0, 2.5)))
            platform.boundary_left, platform.boundary_right = x - rnd.randint(16, 60), x + rnd.randint(16, 60)
            if i % 2:
                platform.boundary_bottom, platform.boundary_top = y - 30, y + rnd.uniform(16, 60)
            if i % 4 == 3:
                points = ((-10, 0), (30, 0), (30, 8), (-10, 8))
                platform.hit_box = RotatableHitBox(points, position=platform.position)
            if i % 7 == 3:
                platform.scale = rnd.uniform(0.7, 1.5)
            platforms.append(platform)
        player = block(-900, 900)
        return kind(player, [listed(*platforms), listed(platforms[7])], 0.1), platforms

    (theirs, expected), (ours, found) = scene(arcade.PhysicsEnginePlatformer), scene(PhysicsEnginePlatformer)
    impinge_arcade.shape_for(found[11], Circle(40))
    turns = 0
    for frame in range(120):
        for platforms in (expected, found):
            platforms[frame % 60].angle += 30
            platforms[(7 * frame) % 60].change_y *= -1
        ways = [platform.change_x for platform in found]
        for engine in (theirs, ours):
            engine.update()
        turns += sum(platform.change_x == -way for platform, way in zip(found, ways, strict=True) if way)
        for one, other in zip(expected, found, strict=True):
            assert one.position == pytest.approx(other.position, abs=1e-9)
            assert one.velocity == other.velocity
            body = ours.body(other)
            stands = placement(other)
            assert (body.shape, body.pose) == (stands.solid, stands.pose)
    assert turns > 100


@pytest.mark.parametrize("kind", BOTH_PLATFORMERS)
@pytest.mark.parametrize("speed", [(2, 0), (-1, 0), (0, 3)])
def test_a_platform_lifts_or_carries(kind: Any, speed: tuple[float, float]) -> None:
    lift, player = block(0, 0, 100, 10, velocity=speed), block(0, 25)
    engine = kind(player, platforms=listed(lift), gravity_constant=1)
    played(engine, 10)
    assert player.position == (10 * speed[0], 25 + 10 * speed[1])
    assert engine.can_jump()


def test_a_platform_lifts_and_carries_at_once() -> None:
    """Arcade carries the player in every other frame only. In the frames between, it has lifted the player off."""
    for kind, expected in zip(BOTH_PLATFORMERS, (10, 20), strict=True):
        player = block(0, 25)
        played(kind(player, platforms=listed(block(0, 0, 100, 10, velocity=(2, 3))), gravity_constant=1), 10)
        assert player.position == (expected, 25 + 30)


@pytest.mark.parametrize("kind", BOTH_PLATFORMERS)
def test_who_lands_on_what_goes_down_takes_its_speed(kind: Any) -> None:
    lift, player = block(0, 0, 100, 10, change_y=-2), block(0, 26)
    engine = kind(player, platforms=listed(lift), gravity_constant=1)
    seen = [(engine.update(), player.center_y - lift.center_y, player.change_y) for _ in range(6)]
    assert seen == [
        ([], 27, -1), ([], 27, -2), ([], 26, -3), ([lift], 25, -2), ([lift], 25, -2), ([lift], 25, -2),
    ]  # fmt: skip


@pytest.mark.parametrize("kind", BOTH_SIMPLE)
def test_from_above_it_stops_at_walls_and_slides_along_them(kind: Any) -> None:
    player, wall = block(0, 0, 20, 20), block(40, 0, 20, 200)
    engine = kind(player, listed(wall))
    player.velocity = 7, 3
    assert [(engine.update(), player.position) for _ in range(4)] == [
        ([], (7, 3)), ([], (14, 6)), ([wall], (20, 9)), ([wall], (20, 12)),
    ]  # fmt: skip
    assert player.velocity == (7, 3)


@pytest.mark.parametrize("kind", BOTH_SIMPLE)
def test_from_above_the_speed_up_and_down_is_taken_away(kind: Any) -> None:
    """Contact with a ceiling clears the vertical speed. This is a quirk of Arcade, but games rely on it."""
    player, wall = block(0, 0, 20, 20), block(0, 40, 200, 20)
    engine = kind(player, listed(wall))
    player.change_y = 30
    assert engine.update() == [wall]
    assert (player.center_y, player.change_y) == (20, 0)


@pytest.mark.parametrize("kind", [*BOTH_SIMPLE, *BOTH_PLATFORMERS])
def test_a_player_turns_by_its_change_of_angle(kind: Any) -> None:
    player = block(0, 0, change_angle=10)
    engine = kind(player, **({} if kind in BOTH_SIMPLE else {"gravity_constant": 0}))
    played(engine, 5)
    assert (player.angle, player.position) == (50, (0, 0))


# ---------------------------------------------------------------- where Arcade's engines are wrong


def test_nothing_tunnels() -> None:
    """Arcade's engine tests only the end position of the player."""
    for kind, expected in zip(BOTH_SIMPLE, (5000, 88), strict=True):
        player = block(0, 0, change_x=5000)
        kind(player, listed(block(100, 0, 4, 100))).update()
        assert player.center_x == expected
    player = block(0, 20, change_y=-3000)
    engine = PhysicsEnginePlatformer(player, walls=listed(block(0, -40, 100, 1)))
    engine.update()
    assert player.bottom == -39.5
    assert engine.can_jump()


def test_who_lands_stands_on_the_floor_and_not_above_it() -> None:
    """Arcade lifts the player in quarters of a pixel, and rounds to hundredths: the player hovers above the floor."""
    for kind, is_exact in zip(BOTH_PLATFORMERS, (False, True), strict=True):
        player, ground = block(0, 50.1), block(0, -10.037, 100, 20)
        played(kind(player, walls=listed(ground), gravity_constant=0.7), 60)
        assert (player.bottom == pytest.approx(ground.top, abs=1e-9)) == is_exact
    for kind, expected in zip(BOTH_SIMPLE, (4.12, 4.1234567), strict=True):
        player = block(0, 0, change_y=4.1234567)
        kind(player).update()
        assert player.center_y == expected


def test_a_player_between_two_moving_blocks_goes_with_them() -> None:
    """A public complaint: the player slides about and is flung up. Arcade tries places 1, 2, 4... pixels away."""
    for kind, stays in zip(BOTH_PLATFORMERS, (False, True), strict=True):
        left, right = block(-20, 20, change_x=2.5), block(20, 20, change_x=2.5)
        player = block(0, 20)
        way = played(kind(player, walls=listed(floor()), platforms=listed(left, right)), 60)
        assert (way == [(2.5 * frame, 20) for frame in range(1, 61)]) == stays
        assert (max(y for _, y in way) > 60) == (not stays)


def test_a_player_on_two_moving_blocks_is_carried_once() -> None:
    """A public complaint: the player slides until it is on one block only. Arcade adds the speeds of both."""
    for kind, is_carried_once in zip(BOTH_PLATFORMERS, (False, True), strict=True):
        blocks, player = listed(*(block(60 * i, 0, 60, 20, change_x=2) for i in range(2))), block(30, 30)
        way = played(kind(player, blocks), 20)
        assert (way == [(30 + 2 * frame, 30) for frame in range(1, 21)]) == is_carried_once


def test_walls_that_the_game_moves_push_the_player() -> None:
    """A public complaint: the player glitches when the game moves a list of walls."""
    player = block(0, 0, 20, 20)
    walls = listed(block(-40, 0, 20, 200), block(-40, 300, 20, 200))
    engine = PhysicsEngineSimple(player, walls)
    for frame in range(1, 40):
        walls.move(3, 0)
        engine.update()
        assert player.position == pytest.approx((max(0, -40 + 3 * frame + 20), 0))


def test_a_sprite_that_is_put_into_a_wall_comes_out_where_it_is_nearest() -> None:
    """A public complaint: the player is flung far away. Depenetration takes the shortest way, here 4 pixels."""
    walls = listed(*(block(20 * x, 0, 20, 20) for x in range(40)))
    player = block(405, 16, 20, 20)
    PhysicsEngineSimple(player, walls).update()
    assert player.position == pytest.approx((405, 20))


def test_a_wall_that_is_put_elsewhere_sweeps_nobody_along() -> None:
    """Many games open a door by placing it far outside the map."""
    player, door = block(0, 0, 20, 20), block(60, 0, 20, 100)
    engine = PhysicsEngineSimple(player, listed(door))
    engine.update()
    door.center_x = -5000
    assert engine.update() == []
    assert player.position == (0, 0)
    door.center_x = 15
    engine.update()
    assert player.position == (-5, 0)


def test_a_player_is_in_the_hollow_of_a_concave_wall() -> None:
    cup = shaped(0, 0, (-50, -50), (50, -50), (50, 50), (40, 50), (40, -40), (-40, -40), (-40, 50), (-50, 50))
    for kind, expected in zip(BOTH_PLATFORMERS, (False, True), strict=True):
        player = block(0, 10)
        played(kind(player, walls=listed(cup)), 30)
        assert (player.position == (0, -20)) == expected


def test_a_hit_box_larger_than_its_texture_holds() -> None:
    for kind, expected in zip(BOTH_PLATFORMERS, (False, True), strict=True):
        ground = block(0, 0, 8, 8)
        ground.hit_box = HitBox(((-500, -5), (500, -5), (500, 5), (-500, 5)), ground.position)
        player = block(300, 40)
        played(kind(player, walls=listed(ground)), 30)
        assert (player.position == (300, 25)) == expected


def test_who_walks_on_a_platform_is_carried_all_the_same() -> None:
    """In Arcade, the platform's motion is taken back as soon as the player walks."""
    for kind, expected in zip(BOTH_PLATFORMERS, (10, 30), strict=True):
        player = block(0, 25)
        played(kind(player, platforms=listed(block(0, 0, 200, 10, change_x=2))), 10, change_x=1)
        assert player.center_x == expected


def test_who_stands_on_a_lift_goes_down_with_it() -> None:
    """In Arcade, the player hovers when the lift reverses, and falls after it."""
    for kind, is_exact in zip(BOTH_PLATFORMERS, (False, True), strict=True):
        lift, player = block(0, 0, 100, 10, change_y=4, boundary_top=40), block(0, 25)
        engine = kind(player, platforms=listed(lift))
        gaps = []
        for _ in range(30):
            engine.update()
            gaps.append(player.bottom - lift.top)
        assert (max(gaps) < 1e-9) == is_exact
        engine.jump(10)
        engine.update()
        assert player.bottom > lift.top + 5


def test_slanting_walls_are_slid_along() -> None:
    for kind, slides in zip(BOTH_SIMPLE, (False, True), strict=True):
        player = block(0, 0, 20, 20, change_x=5)
        played(kind(player, listed(shaped(50, 0, (-30, -100), (100, -100), (100, 60)))), 20)
        assert (player.center_y > 5) == slides


def test_an_empty_list_is_followed_from_the_start() -> None:
    """Arcade ignores a list for good if the list is empty when the engine is made."""
    for kind, lands in zip(BOTH_PLATFORMERS, (False, True), strict=True):
        player, walls = block(0, 30), listed()
        engine = kind(player, walls=walls)
        walls.append(floor())
        played(engine, 20)
        assert (player.center_y == 20) == lands


# ---------------------------------------------------------------- lists that change


def test_walls_come_and_go() -> None:
    ground, other = floor(), floor(-200)
    walls = listed(ground)
    player = block(0, 20)
    engine = PhysicsEnginePlatformer(player, walls=walls, gravity_constant=10)
    assert engine.update() == [ground]
    walls.append(other)
    ground.kill()
    played(engine, 20)
    assert player.bottom == -200
    engine.walls.append(listed(block(0, 100, 30, 30)))
    engine.walls.remove(walls)
    player.position = 0, 200
    played(engine, 30)
    assert player.bottom == 115
    other_player = block(0, 300)
    engine.player_sprite = other_player
    played(engine, 30)
    assert other_player.bottom == player.bottom == 115


def test_a_wall_that_grows_or_turns_is_noticed() -> None:
    wall, player = block(60, 0, 20, 100), block(0, 3, 20, 20, change_x=100)
    engine = PhysicsEngineSimple(player, listed(wall))
    engine.update()
    assert player.position == (40, 3)
    player.change_x = 0
    wall.angle = 90
    engine.update()
    assert player.position == pytest.approx((40, 20))
    wall.scale = 3
    engine.update()
    assert player.position == pytest.approx((40, 40))
    wall.hit_box = HitBox(((-30, -40), (30, -40), (30, 40), (-30, 40)), wall.position)
    engine.update()
    assert player.position == pytest.approx((40, 130)) or player.position == pytest.approx((40, 40))


def test_a_player_that_grows_or_turns_where_it_stands_is_noticed() -> None:
    player, wall = block(0, 0, 20, 40), block(40, 0, 20, 400)
    engine = PhysicsEngineSimple(player, listed(wall))
    engine.update()
    assert player.position == (0, 0)
    player.angle = 90
    engine.update()
    assert player.right <= wall.left
    player.scale = 2
    engine.update()
    assert player.position == pytest.approx((-10, 0))
    player.hit_box = HitBox(((-10, -60), (10, -60), (10, 60), (-10, 60)), player.position, player.scale)
    engine.update()
    assert player.position == pytest.approx((-90, 0))


def test_walls_that_stay_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[Any] = []

    def look(sprite: Any, **_: bool) -> Any:
        looked_at.append(sprite)
        return placement(sprite)

    monkeypatch.setattr(walls_module, "presence", look)
    walls = listed(*(block(20 * x, -10, 20, 20) for x in range(200)))
    engine = PhysicsEnginePlatformer(block(100, 20), walls=walls)
    engine.update()
    assert looked_at == list(walls)
    looked_at.clear()
    played(engine, 20, change_x=3)
    assert looked_at == []


@pytest.mark.parametrize("seed", some(range(12), least=4))
def test_whatever_happens_nobody_is_in_a_wall(seed: int) -> None:
    """Walls of all shapes move, appear and disappear. The player turns, grows and teleports.

    The oracle is Shapely. Only a player that has no room, and is reported as stuck, may overlap a wall.
    """
    rnd = random.Random(seed)

    def somewhere() -> tuple[float, float]:
        return rnd.uniform(-250, 250), rnd.uniform(-250, 250)

    def sprite(*hit_boxes: Any, **values: Any) -> Sprite:
        made = block(*somewhere(), rnd.choice([16, 32, 64]), rnd.choice([16, 32]), **values)
        points = rnd.choice(hit_boxes)
        if points is not None:
            made.hit_box = HitBox(points, made.position)
        made.angle = rnd.choice([0, 0, 90, 30, rnd.uniform(0, 360)])
        made.scale = rnd.choice([1, 1, 0.5, -1, 1.5])
        return made

    def wall(**values: Any) -> Sprite:
        return sprite(None, None, CUP, TRIANGLE, BEAM, **values)

    bounds = {f"boundary_{side}": sign * 300 for side, sign in zip(("left", "right"), (-1, 1), strict=True)}
    walls = listed(*(wall() for _ in range(rnd.randint(3, 20))))
    moving = listed(*(wall(velocity=(rnd.choice([2, -3]), 0), **bounds) for _ in range(rnd.randint(0, 4))))
    player = sprite(None, TRIANGLE, CUP)
    engine = PhysicsEngineSimple(player, walls, moving_walls=moving)
    for frame in range(60):
        player.velocity = rnd.uniform(-12, 12), rnd.uniform(-12, 12)
        for chance, change in (
            (0.05, lambda: setattr(rnd.choice(walls), "position", somewhere())),
            (0.10, lambda: setattr(rnd.choice(walls), "center_x", rnd.choice(walls).center_x + 3)),
            (0.05, lambda: walls.append(wall())),
            (0.05, lambda: walls.pop(rnd.randrange(len(walls)))),
            (0.03, lambda: setattr(player, "position", somewhere())),
            (0.05, lambda: setattr(player, "change_angle", rnd.choice([0, 3, -10]))),
        ):
            if rnd.random() < chance and len(walls) > 2:
                change()
        engine.update()
        depths = [drawn(player).intersection(drawn(each)).area for each in (*walls, *moving)]
        assert max(depths) < 1e-3 or engine.body(player).stuck, frame


# ---------------------------------------------------------------- what Arcade's engines lack


def test_several_players_each_for_himself() -> None:
    one, other = block(0, 20), block(50, 80)
    ladder, ground = listed(block(50, 80, 10, 100)), floor()
    engine = PhysicsEnginePlatformer(one, walls=listed(ground), ladders=ladder, players=[other])
    assert engine.is_on_ladder(other)
    assert not engine.is_on_ladder()
    one.change_x, other.change_y = 3, -2
    for _ in range(5):
        assert engine.update() == [ground]
    assert (one.position, other.position) == ((15, 20), (50, 70))
    assert (engine.can_jump(), engine.can_jump(player=other)) == (True, False)
    engine.players.remove(other)
    engine.update()
    assert other.position == (50, 70)


def test_moving_walls_push_and_crush_from_above() -> None:
    press, player, anvil = block(-60, 0, 20, 60, change_x=8), block(0, 0, 20, 20), block(60, 0, 20, 60)
    engine = PhysicsEngineSimple(player, listed(anvil), moving_walls=listed(press))
    played(engine, 5)
    assert (press.center_x, player.center_x) == (-20, 0)
    played(engine, 5)
    assert (press.center_x, player.center_x) == (20, 40)
    assert engine.body(player).stuck == Side.NONE
    engine.update()
    assert engine.body(player).stuck == Side.LEFT | Side.RIGHT
    assert [event.kind for event in engine.events] == ["stuck", "stuck"]
    assert player.center_x == 40


def test_one_way_platforms_are_for_who_comes_from_above() -> None:
    plank, player = block(0, 50, 100, 10), block(0, 20)
    engine = PhysicsEnginePlatformer(player, walls=listed(floor()), one_way=listed(plank))
    engine.update()
    engine.jump(12)
    jumpable = []
    for _ in range(50):
        engine.update()
        jumpable.append(engine.can_jump())
    assert player.bottom == 55
    assert jumpable.index(True) > 20  # not while the player rises through the plank
    plank.change_x = 3
    engine.update()
    assert player.center_x == 3


def test_sensors_tell_who_comes_into_them() -> None:
    coin, player = block(500, 0, 4, 4), block(0, 0, 20, 20)
    engine = PhysicsEngineSimple(player, sensors=listed(coin))
    engine.update()
    assert engine.sensed == []
    player.change_x = 1000
    assert engine.update() == []
    assert engine.sensed == [(player, coin)]
    assert player.center_x == 1000


def test_slopes_snap_and_steps_may_be_set() -> None:
    steep = shaped(100, 0, (0, 0), (100, 0), (100, 150))
    player = block(60, 20)
    engine = PhysicsEnginePlatformer(player, walls=listed(floor(), steep), max_slope_degrees=60)
    played(engine, 25, change_x=2)
    assert player.position == pytest.approx((110, 20 + 30), abs=1e-4)
    down = shaped(0, 0, (0, 0), (-200, 0), (-200, 100))
    player = block(-110, 50 + 20)
    engine = PhysicsEnginePlatformer(player, walls=listed(floor(), down), snap=4)
    for x, y in played(engine, 20, change_x=4):
        assert y == pytest.approx(20 + max(0, -(x - 10) / 2), abs=0.5)
    step = block(150, 0, 100, 20)
    player = block(60, 20)
    played(PhysicsEnginePlatformer(player, walls=listed(floor(), step), step_height=10), 20, change_x=5)
    assert player.position == (160 + 10 / 64, 30)


# ---------------------------------------------------------------- bad input is refused by name, and nothing moves


@pytest.mark.parametrize("kind", [PhysicsEngineSimple, PhysicsEnginePlatformer])
@pytest.mark.parametrize("whose", ["player", "wall", "platform"])
@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("position", (NAN, 70)),
        ("velocity", (math.inf, 0)),
        ("velocity", (0, NAN)),
        ("velocity", (1e300, 0)),
        ("scale", (0, 1)),
        ("angle", NAN),
        ("hit_box", HitBox(((0, 0), (5, 5)))),
    ],
)
def test_a_sprite_that_cannot_be_is_refused_by_name(kind: Any, whose: str, attribute: str, value: Any) -> None:
    named = {
        "player": block(1, 100, change_x=5),
        "wall": block(2, 0, 200, 20),
        "platform": block(70, 300, 60, 10, change_y=4),
    }
    name = "moving_walls" if kind is PhysicsEngineSimple else "platforms"
    lists = {"walls": listed(named["wall"]), name: listed(named["platform"])}
    engine = kind(named["player"], **lists, strict=True)
    engine.update()
    if whose == "wall" and attribute == "velocity":
        return  # the velocity of walls is not used
    setattr(named[whose], attribute, value)
    before = [(sprite.position, sprite.velocity) for sprite in named.values()]
    for _ in range(2):
        with pytest.raises(ShapeError, match=f"SpriteSolidColor at .*{named[whose].position[1]}"):
            engine.update()
        assert repr([(sprite.position, sprite.velocity) for sprite in named.values()]) == repr(before)


def test_who_joins_the_walls_while_it_plays_is_refused_until_it_leaves_them() -> None:
    """This includes the case that a query between two updates notices the change first."""
    player, walls = block(3, 4), listed(floor(-50))
    engine = PhysicsEnginePlatformer(player, walls=walls, strict=True)
    engine.update()
    walls.append(player)
    engine.can_jump()
    before = player.position
    for _ in range(2):
        with pytest.raises(ValueError, match="must not be a player and in walls at once"):
            engine.update()
        assert player.position == before
    walls.remove(player)
    engine.update()
    assert player.position != before


@pytest.mark.parametrize("kind", [PhysicsEngineSimple, PhysicsEnginePlatformer])
def test_many_players_are_what_each_is_alone(kind: Any) -> None:
    """Above a few players, the engine reads and writes them as arrays. Results are bit-identical to single players.

    This includes players that turn, grow or teleport.
    """
    rnd, walls = random.Random(8), listed(*(block(30 * i, -40 + 5 * (i % 3), 30, 20) for i in range(-12, 12)))
    points = ((-9, -5), (11, -5), (1, 12))
    crowd: list[Sprite] = []
    lone: list[Sprite] = []
    for i in range(12):
        for sprites in (crowd, lone):
            sprites.append(block(55 * i - 300, 20 + i, 20, 20))
            if i % 4 == 1:
                sprites[-1].hit_box = RotatableHitBox(points, position=sprites[-1].position)
            if i % 4 == 2:
                sprites[-1].change_angle = 3
    together = kind(crowd[0], walls=walls, players=crowd[1:])
    alone = [kind(sprite, walls=walls) for sprite in lone]
    for frame in range(60):
        # All players, some, or none change. Players that do not change are not read again.
        velocities = {i: (rnd.uniform(-9, 9), rnd.uniform(-9, 9)) for i in range(12) if rnd.random() > frame % 3 / 2}
        for sprites in (crowd, lone):
            for i, velocity in velocities.items():
                sprites[i].velocity = velocity
            sprites[3].scale = 1 + frame % 3 / 4
            if frame % 20 == 7:
                sprites[4].position = 55, 60
        touched = set(together.update())
        assert touched == {wall for engine in alone for wall in engine.update()}
        for one, other in zip(crowd, lone, strict=True):
            assert (one.position, one.velocity, one.angle) == (other.position, other.velocity, other.angle)


def test_many_that_slide_along_walls_are_told_of_all_tiles_as_each_is_alone() -> None:
    """Boxes of several sizes, triangles and disks, rotated and upright, each beside its own column of tiles."""

    def scene(numbers: list[int]) -> tuple[Any, list[Sprite]]:
        players, tiles = [], []
        for i in numbers:
            tiles += [block(300 * i, 16 * row, 16, 16) for row in range(-6, 7)]
            size = 20 + 3 * (i % 5)
            player = arcade.SpriteCircle(size, (9, 9, 9, 255)) if i % 3 == 2 else block(0, 0, size, 2 * size)
            player.position, player.velocity = (300 * i - 60, 5 * (i % 4)), (4, 2 - i % 3)
            if i % 3 == 1:
                player.hit_box = RotatableHitBox(TRIANGLE, position=player.position)
            player.angle = 40 * (i % 4)
            players.append(player)
        return PhysicsEngineSimple(players[0], listed(*tiles), players=players[1:]), players

    together, crowd = scene(list(range(24)))
    alone = [scene([i]) for i in range(24)]
    several = 0
    for _ in range(30):
        places = [[wall.position for wall in engine.update()] for engine, _ in alone]
        told = [wall.position for wall in together.update()]
        assert sorted(told) == sorted(place for found in places for place in found)
        assert [player.position for player in crowd] == [player.position for _, (player,) in alone]
        several += sum(len(found) > 1 for found in places)
    assert several > 100


@pytest.mark.parametrize("kind", [PhysicsEngineSimple, PhysicsEnginePlatformer])
@pytest.mark.parametrize("value", [(NAN, 0), (0, math.inf), (None, 1), ("far", 2)])
def test_one_of_many_players_that_goes_nowhere_is_named_until_it_is_mended(kind: Any, value: Any) -> None:
    crowd = [block(50 * i, i, 20, 20, change_x=1) for i in range(8)]
    engine = kind(crowd[0], players=crowd[1:])
    engine.update()
    crowd[5].velocity = value
    before = [sprite.position for sprite in crowd]
    for _ in range(2):
        with pytest.raises(ShapeError, match=rf"SpriteSolidColor at {re.escape(str(before[5]))}: velocity must be"):
            engine.update()
        assert [sprite.position for sprite in crowd] == before
    crowd[5].velocity = 2, 0
    speeds = [sprite.change_x for sprite in crowd]
    for frame in range(1, 4):
        engine.update()
        assert [s.center_x for s in crowd] == [x + frame * dx for (x, _), dx in zip(before, speeds, strict=True)]


@pytest.mark.parametrize("players", [2, 8])
@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("velocity", ("5", 0)),
        ("velocity", (1, 2, 3)),
        ("velocity", None),
        ("velocity", (10**400, 0)),
        ("velocity", (1j, 0)),
        ("change_angle", 10**400),
        ("change_angle", 1j),
    ],
    ids=["text", "three", "none", "huge", "complex", "huge turn", "complex turn"],
)
def test_a_speed_that_is_no_pair_of_numbers_is_refused_by_name(players: int, attribute: str, value: Any) -> None:
    """Many velocities are read as one array. There, text passed as a number, and a third number shifted the rest."""
    crowd = [block(50 * i, i, 20, 20, change_x=1) for i in range(players)]
    lift = block(0, 500, change_y=3)
    engine = PhysicsEngineSimple(crowd[0], players=crowd[1:], moving_walls=listed(lift))
    engine.update()
    former = getattr(crowd[1], attribute)
    setattr(crowd[1], attribute, value)
    before = [(sprite.position, sprite.angle) for sprite in (*crowd, lift)]
    for _ in range(2):
        with pytest.raises(ShapeError, match=rf"SpriteSolidColor at {re.escape(str(before[1][0]))}: velocity must be"):
            engine.update()
        assert [(sprite.position, sprite.angle) for sprite in (*crowd, lift)] == before
    setattr(crowd[1], attribute, former)
    engine.update()
    assert [sprite.center_x for sprite in crowd] == [50 * i + 2 for i in range(players)]


@pytest.mark.parametrize("players", [2, 8])
def test_a_speed_that_is_a_list_may_change_where_it_is(players: int) -> None:
    crowd, speed = [block(50 * i, 0, 20, 20) for i in range(players)], [1, 0]
    crowd[1].velocity = speed  # type: ignore[assignment]
    engine = PhysicsEngineSimple(crowd[0], players=crowd[1:])
    engine.update()
    speed[0] = 5
    engine.update()
    assert crowd[1].position == (56, 0)


@pytest.mark.parametrize("whose", ["wall", "platform"])
def test_a_wall_too_far_away_for_any_body_is_refused_until_it_is_back(whose: str) -> None:
    """The first error lacked the sprite's name. After it, the engine assumed that the wall was at its former place."""
    sprites = {"wall": block(2, 0, 200, 20), "platform": block(70, 300, 60, 10)}
    lists = {"walls": listed(sprites["wall"]), "moving_walls": listed(sprites["platform"])}
    engine = PhysicsEngineSimple(block(0, 50), **lists, strict=True)
    engine.update()
    sprites[whose].position = 1e308, -1e308
    for _ in range(2):
        with pytest.raises(ShapeError, match=r"SpriteSolidColor at \(1e\+308, -1e\+308\): position"):
            engine.update()


def test_who_goes_far_and_fast_is_stopped_before_there_are_no_pixels() -> None:
    """The engine keeps the positions of many players without reading them again. It must still check them at times."""
    crowd = [block(50 * i, i, 20, 20) for i in range(8)]
    crowd[3].position, crowd[3].velocity = (9e14, 0), (2e12, 0)
    engine = PhysicsEngineSimple(crowd[0], players=crowd[1:])
    updates = 0
    with pytest.raises(ShapeError, match="velocity must be finite"):  # noqa: PT012  in one of them
        for updates in range(120):  # noqa: B007
            engine.update()
    assert 49 <= updates < 120
    assert crowd[3].center_x == 9e14 + updates * 2e12


@pytest.mark.parametrize("kind", [PhysicsEngineSimple, PhysicsEnginePlatformer])
def test_a_player_is_no_wall(kind: Any) -> None:
    player = block(3, 4, change_x=2)
    engine = kind(player, walls=listed(floor(-50), player), strict=True)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"SpriteSolidColor at \(3, 4\) must not be a player and in walls at once"):
            engine.update()
    engine = kind(player, players=[player])
    with pytest.raises(ValueError, match="players must all be different"):
        engine.update()
    assert player.position == (3, 4)


@pytest.mark.parametrize(
    ("make", "error", "complaint"),
    [
        (lambda: PhysicsEngineSimple("hero"), TypeError, "player_sprite must be a Sprite, got 'hero'"),  # type: ignore[arg-type]
        (lambda: PhysicsEnginePlatformer(listed()), TypeError, "player_sprite must be a Sprite"),  # type: ignore[arg-type]
        (lambda: PhysicsEngineSimple(block(0, 0), block(9, 9)), TypeError, "walls must be a SpriteList or an iterable"),  # type: ignore[arg-type]
        (lambda: PhysicsEngineSimple(block(0, 0), [block(9, 9), 3]), TypeError, "walls must be a SpriteList"),  # type: ignore[list-item]
        (lambda: PhysicsEnginePlatformer(block(0, 0), platforms="lift"), TypeError, "platforms must be a SpriteList"),  # type: ignore[arg-type]
        (lambda: PhysicsEnginePlatformer(block(0, 0), max_slope_degrees=90), ShapeError, "max_slope_degrees must be"),
        (lambda: PhysicsEnginePlatformer(block(0, 0), snap=-1), ShapeError, "snap"),
        (lambda: PhysicsEnginePlatformer(block(0, 0), step_height=NAN), ShapeError, "step_height"),
    ],
)
def test_wrong_arguments_are_named(make: Callable[[], object], error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        make()


@pytest.mark.parametrize("others", [0, 7])
@pytest.mark.parametrize(
    ("gravity", "complaint"),
    [(NAN, "finite, got nan"), (1e200, r"at most 1e\+15 in size, got 1e\+200"), ("1", "a number, got '1'")],
)
def test_gravity_must_be_a_number_that_leaves_pixels(gravity: Any, complaint: str, others: int) -> None:
    player, lift = block(0, 5), block(0, 500, change_y=3)
    crowd = [block(0, 100 * i) for i in range(1, 1 + others)]
    engine = PhysicsEnginePlatformer(player, listed(lift), gravity, players=crowd)
    for _ in range(2):
        with pytest.raises(ShapeError, match=f"gravity_constant must be {complaint}"):
            engine.update()
        assert (player.position, player.velocity, lift.center_y) == ((0, 5), (0, 0), 500)


def test_wrong_things_in_a_list_are_named_in_the_next_update() -> None:
    engine = PhysicsEngineSimple(block(0, 0))
    engine.walls.append(block(9, 9))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="walls must be a SpriteList"):
        engine.update()
    plain = arcade.BasicSprite(block(0, 0).texture)
    engine = PhysicsEngineSimple(block(0, 50), moving_walls=listed(plain))
    with pytest.raises(TypeError, match="platforms must be Sprites, got BasicSprite at"):
        engine.update()
    with pytest.raises(ValueError, match="must be one of this engine"):
        engine.body(block(1, 1))


def box_of(engine: Any, sprite: Sprite) -> shapely.Polygon:
    """Return the box of a sprite in the engine, as a polygon."""
    body = engine.body(sprite)
    solid = shapely.box(-body.shape.width / 2, -body.shape.height / 2, body.shape.width / 2, body.shape.height / 2)
    turned = shapely.affinity.rotate(solid, body.angle, origin=(0, 0), use_radians=True)
    return shapely.affinity.translate(turned, body.pose.x, body.pose.y)


def test_a_box_that_is_not_round_the_sprite_turns_with_it() -> None:
    """The box rotated about its own centre instead of the sprite's, and stayed displaced."""
    player = block(0, 0, change_angle=10)
    player.hit_box = RotatableHitBox(((0, -5), (30, -5), (30, 5), (0, 5)), position=player.position)
    engine = PhysicsEngineSimple(player)
    for _ in range(3):
        engine.update()
    player.change_angle = 0
    engine.update()
    assert player.angle == 30
    assert drawn(player).symmetric_difference(box_of(engine, player)).area < 1e-6


@pytest.mark.parametrize("others", [0, 7])
def test_a_box_that_is_not_round_the_sprite_is_mirrored_with_it(others: int) -> None:
    """A mirrored box has the same size, but lies on the other side of the sprite. The engine left it where it was."""
    player = block(0, 0)
    player.hit_box = HitBox(((-2, -10), (10, -10), (10, 10), (-2, 10)))
    engine = PhysicsEngineSimple(player, players=[block(0, 100 * i) for i in range(1, 1 + others)])
    for scale, left in ((1, -2), (-1, -10), (1, -2)):
        player.scale_x = scale
        engine.update()
        assert (box_of(engine, player).bounds[0], player.left) == (left, left)


@pytest.mark.parametrize("others", [0, 7])
def test_who_turns_and_is_turned_back_before_each_update_turns_no_further(others: int) -> None:
    """A game may reset a sprite's angle each frame. With many players, the engine used the angle before the turn."""
    player = block(0, 0, 20, 20, change_angle=10)
    wall = block(31, 0)
    engine = PhysicsEngineSimple(player, listed(wall), players=[block(0, 100 * i) for i in range(1, 1 + others)])
    for _ in range(5):
        player.angle = 0
        engine.update()
        assert player.angle == 10
        assert engine.body(player).angle == pytest.approx(math.radians(-10))
        # A corner reaches across by 10 * (cos + sin) of 10 degrees, which is less than the 11 available.
        assert player.position == (0, 0)


@pytest.mark.parametrize("others", [0, 7])
def test_points_that_a_game_changes_where_they_are_count(others: int) -> None:
    points = [(-5, -5), (5, -5), (5, 5), (-5, 5)]
    player = block(0, 0)
    engine = PhysicsEngineSimple(player, players=[block(0, 100 * i) for i in range(1, 1 + others)])
    engine.update()
    player.hit_box = HitBox(points)
    engine.update()
    assert engine.body(player).shape.width == 10
    points[1:3] = [(15, -5), (15, 5)]
    engine.update()
    assert engine.body(player).shape.width == 20


@pytest.mark.parametrize("players", [2, 4, 5, 40])
def test_players_go_as_each_of_them_goes_alone(players: int) -> None:
    """A few players are read and written one by one, many as arrays."""
    rnd = random.Random(players)
    starts = [(rnd.uniform(-300, 300), rnd.uniform(20, 200), rnd.choice((-7, 0, 3, 30))) for _ in range(players)]

    def scene(numbers: list[int]) -> list[list[tuple[float, float]]]:
        tiles = [block(32 * x, 32 * (x % 5 == 0), 32, 32) for x in range(-12, 13)]
        lifts = [block(100 * x, 60, 40, 10, change_y=2, boundary_top=120, boundary_bottom=40) for x in (-2, 0, 1)]
        crowd = [block(*starts[number][:2], 10, 20, change_x=starts[number][2]) for number in numbers]
        engine = PhysicsEnginePlatformer(crowd[0], listed(*lifts), walls=listed(*tiles), players=crowd[1:])
        ways: list[list[tuple[float, float]]] = [[] for _ in crowd]
        for _ in range(50):
            engine.update()
            for player, way in zip(crowd, ways, strict=True):
                way.append(player.position)
        return ways

    assert scene(list(range(players))) == [scene([number])[0] for number in range(players)]


@pytest.mark.parametrize("lifts", [3, 30])
def test_platforms_take_along_as_each_of_them_does_alone(lifts: int) -> None:
    """A few platforms are handled one by one, many as arrays. Some teleport; of those, some come back."""

    def scene(numbers: list[int]) -> list[list[tuple[float, float]]]:
        moving = [block(300 * number, 0, 40, 10, change_x=number % 4, change_y=number % 3 - 1) for number in numbers]
        riders = [block(300 * number, 15, 10, 20) for number in numbers]
        engine = PhysicsEnginePlatformer(riders[0], listed(*moving), players=riders[1:])
        ways: list[list[tuple[float, float]]] = [[] for _ in numbers]
        for frame in range(30):
            for number, lift in zip(numbers, moving, strict=True):
                if number % 3 == 0 and frame in (10, 15):
                    lift.center_y += 100 if frame == 10 else -100
                if number % 5 == 2 and frame == 20:
                    lift.center_x += 21  # with its own velocity, just too far to carry a rider
            engine.update()
            for lift, rider, way in zip(moving, riders, ways, strict=True):
                way += [lift.position, rider.position]
        return ways

    ways = scene(list(range(lifts)))
    assert ways == [scene([number])[0] for number in range(lifts)]
    # Platform 1 moves sideways. Platform 2 also moves up, and was moved by 21 once; its rider moved 2 less in that
    # frame. Platform 0 moves down and was teleported; its rider never rose.
    assert ways[1][-2:] == [(330, 0), (330, 15)]
    assert ways[2][-2:] == [(681, 30), (658, 45)]
    assert ways[0][-2:] == [(0, -30), (0, -15)]
    assert max(y for _, y in ways[0][1::2]) < 15
