"""PushEngine with hit boxes of all shapes, turning sprites, conveyors, sensors, callbacks and places."""

from __future__ import annotations

import gc
import math
import random
import weakref
from itertools import pairwise
from typing import Any

import arcade
import numpy as np
import pytest
import shapely
from arcade import Sprite, SpriteList
from arcade.hitbox import HitBox

from impinge import ShapeError, Side
from impinge_arcade import PushEngine, Walker
from scale import cases, some
from sprites import blocks, listed

L_SHAPE = ((-30, -30), (30, -30), (30, -10), (-10, -10), (-10, 30), (-30, 30))
block = blocks(10, 10)


def shaped(x: float, y: float, points: tuple[tuple[float, float], ...], **motion: float) -> Sprite:
    sprite = block(x, y, **motion)
    sprite.hit_box = HitBox(points, sprite.position)
    return sprite


# ---------------------------------------------------------------- exact shapes


def test_a_player_in_the_notch_of_an_l_stays_there() -> None:
    """As bounding boxes, the two overlapped, and the player was thrown out of the whole L: by 40 pixels."""
    player, wall = block(10, 0, change_y=-1), shaped(0, 0, L_SHAPE)
    engine = PushEngine(player, wall)
    engine.update()
    assert player.position == (10, -1)
    for _ in range(10):
        engine.update()
    assert player.position == (10, -5)
    assert engine.blocked(player) == Side.BOTTOM


def test_bounding_boxes_collide_on_request() -> None:
    player, wall = block(0, 45), shaped(0, 0, L_SHAPE)
    for shapes, height in (("exact", -5.0), ("bounds", 35.0)):
        player.position, player.velocity = (20, 45), (0, -100)
        PushEngine(player, wall, shapes=shapes).update()  # type: ignore[arg-type]
        assert player.position == (20, height)


def test_one_source_may_collide_by_bounding_boxes() -> None:
    player, wall = block(20, 45, change_y=-100), shaped(0, 0, L_SHAPE)
    engine = PushEngine(player)
    engine.add(wall, shapes="bounds")
    engine.update()
    assert player.position == (20, 35)


def test_unknown_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="shapes must be 'exact' or 'bounds', got 'convex'"):
        PushEngine(shapes="convex")  # type: ignore[arg-type]


def test_a_player_slides_down_a_wall_that_is_turned_by_45_degrees() -> None:
    """By hand: the wall's upper corner is at (0, 50 sqrt 2), and the player's lower left corner on its right face."""
    wall = block(0, 0, 100, 100)
    wall.angle = 45
    player = block(25, 100, change_y=-10)
    engine = PushEngine(player, wall)
    while player.center_x < 40:
        engine.update()
    assert (player.center_x - 5) + (player.center_y - 5) == pytest.approx(50 * math.sqrt(2), abs=1e-6)
    assert engine.body(wall).angle == pytest.approx(-math.pi / 4)


@pytest.mark.parametrize("by_hand", [False, True])
def test_a_door_that_turns_pushes_the_player_out_of_its_way(by_hand: bool) -> None:
    """A bar of 100 by 10 turns about its middle, clockwise; the player above its right end is not in its way, the one
    below is pushed down, at each instant in contact with the lower face."""
    bar = block(0, 0, 100, 10)
    below, above = block(40, -10), block(40, 10)
    engine = PushEngine([below, above], bar)
    if not by_hand:
        bar.change_angle = 2
    for _ in range(10):
        if by_hand:
            bar.angle += 2
        engine.update()
    assert bar.angle == 20
    assert above.position == (40, 10)
    angle = math.radians(20)
    # Distance of the player's nearer upper corner from the bar's axis, which runs through (0, 0).
    corner = min((below.center_x + dx, below.center_y + 5) for dx in (-5, 5))
    depths = [
        -(x * math.sin(angle) + y * math.cos(angle)) for x, y in ((corner[0], corner[1]), (corner[0] + 10, corner[1]))
    ]
    assert min(depths) == pytest.approx(5, abs=1e-3)


def test_a_turn_of_a_quarter_or_more_is_no_sweep() -> None:
    bar, player = block(0, 0, 100, 10), block(20, 20)
    engine = PushEngine(player, bar)
    engine.update()
    bar.angle = 90
    engine.update()
    assert player.position == (20, 20)


def test_a_crate_that_turns_pushes_the_weak_and_is_pushed_by_the_mighty() -> None:
    crate, player, wall = block(0, 0, 60, 10, change_angle=3), block(25, -10), block(-40, 0, change_x=20)
    engine = PushEngine(player, crate)
    engine.add(wall, might=2)
    engine.update()
    assert crate.angle == 3
    assert crate.center_x > 5
    assert player.center_y < -10
    for _ in range(20):
        engine.update()
    assert crate.angle == 63
    assert engine.body(crate).angle == pytest.approx(-math.radians(63))


def test_a_turning_sprite_of_bounding_boxes_has_the_box_of_its_new_angle() -> None:
    bar, player = block(0, 0, 100, 10, change_angle=90), block(0, 200, change_y=-500)
    engine = PushEngine(player, shapes="bounds")
    engine.add(bar)
    engine.update()
    assert player.bottom == pytest.approx(50)


def outline(sprite: Sprite) -> shapely.Polygon:
    return shapely.Polygon(sprite.hit_box.get_adjusted_points())


def random_sprite(numbers: random.Random) -> Sprite:
    shapes = [L_SHAPE, ((-20, -15), (25, -15), (0, 30)), ((-40, -6), (40, -6), (40, 6), (-40, 6))]
    sprite = shaped(numbers.uniform(-300, 300), numbers.uniform(-300, 300), numbers.choice(shapes))
    sprite.angle = numbers.choice([0, 0, 90, numbers.uniform(0, 360)])
    return sprite


@pytest.mark.parametrize("seed", range(cases(30)))
def test_after_each_update_the_weak_are_outside_of_the_mighty_by_shapely(seed: int) -> None:
    """Walls move and turn by their speeds and by hand, and players of all shapes among them. Stuck ones may overlap."""
    numbers = random.Random(seed)
    walls = listed(*(random_sprite(numbers) for _ in range(8)))
    players = [random_sprite(numbers) for _ in range(numbers.choice([2, 7]))]
    for wall in walls:
        wall.velocity = (numbers.uniform(-6, 6), numbers.uniform(-6, 6)) if numbers.random() < 0.4 else (0, 0)
        wall.change_angle = numbers.uniform(-5, 5) if numbers.random() < 0.4 else 0
    engine = PushEngine(players, walls)
    for update in range(40):
        for player in players:
            player.velocity = numbers.uniform(-40, 40), numbers.uniform(-40, 40)
            player.change_angle = numbers.choice([0, 0, numbers.uniform(-9, 9)])
        if update % 10 == 0:
            moved = numbers.choice([*walls])
            moved.position = moved.center_x + numbers.uniform(-9, 9), moved.center_y + numbers.uniform(-9, 9)
            moved.angle += numbers.uniform(-30, 30)
        engine.update()
        for player in players:
            if engine.stuck(player) or engine.body(player).cut_short:
                continue
            depth = max(outline(player).intersection(outline(wall)).area for wall in walls)
            assert depth < 0.05, (seed, update, player.position)


# ---------------------------------------------------------------- boundaries, conveyors, ranks


def test_a_mighty_sprite_turns_round_at_its_boundaries_as_a_platform_does() -> None:
    lift = block(0, 0, 40, 10, change_x=3, boundary_left=-30, boundary_right=30)
    engine = PushEngine(mighty=lift)
    edges = []
    for _ in range(60):
        engine.update()
        edges.append((lift.left, lift.right))
    # As in Arcade, it goes past a boundary by less than its speed, and turns round in the next update.
    assert -33 < min(left for left, _ in edges) <= -30
    assert 30 <= max(right for _, right in edges) < 33


def test_a_crate_turns_round_at_its_boundaries_too() -> None:
    crate, wall = block(0, 0, change_x=3, boundary_left=-30, boundary_right=30), block(0, 500)
    engine = PushEngine(mighty=crate)
    engine.add(wall, might=2)
    places = []
    for _ in range(60):
        engine.update()
        places.append(crate.center_x)
    assert min(places) >= -25 - 3
    assert max(places) <= 25 + 3
    assert len({math.copysign(1, b - a) for a, b in pairwise(places)}) == 2


def test_a_conveyor_takes_along_what_stands_on_it() -> None:
    player, belt = block(0, 10, change_y=-1), block(0, 0, 400, 10)
    engine = PushEngine(player)
    engine.add(belt, surface_speed=2.5)
    engine.update()  # lands
    assert player.position == (0, 10)
    for _ in range(4):
        engine.update()
    assert player.position == (10, 10)
    player.change_x = -4
    for _ in range(2):
        engine.update()
    assert player.position == (7, 10)
    player.change_y = 20
    engine.update()  # the first update of the jump is still on the belt
    engine.update()
    assert player.position == (7 - 1.5 - 4, 50)
    assert player.velocity == (-4, 20)


@pytest.mark.parametrize("count", [1, 9])
def test_a_conveyor_moves_one_player_as_it_moves_many(count: int) -> None:
    players = [block(20 * i, 10, change_y=-1) for i in range(count)]
    engine = PushEngine(players)
    engine.add(block(0, 0, 900, 10), surface_speed=-2)
    for _ in range(6):
        engine.update()
    assert [player.position for player in players] == [(20 * i - 10, 10) for i in range(count)]


def test_a_conveyor_moves_a_crate_that_carries_a_player() -> None:
    player, crate, belt = block(0, 20, change_y=-1), block(0, 10, change_y=-1), block(0, 0, 400, 10)
    engine = PushEngine(player, crate)
    engine.add(belt, might=2, surface_speed=3)
    for _ in range(5):
        engine.update()
    assert crate.position == (12, 10)
    assert player.position == (12, 20)


def test_a_surface_speed_that_is_no_number_is_refused() -> None:
    with pytest.raises(ShapeError, match="surface_speed must be finite, got nan"):
        PushEngine().add(block(0, 0), surface_speed=math.nan)


def test_a_sprite_in_two_lists_of_one_rule_is_one_body() -> None:
    wall, player = block(20, 0, change_x=2), block(0, 0, change_x=100)
    one, other = listed(wall), listed(wall)
    engine = PushEngine(player, [one, other])
    (event,) = engine.update()
    assert event.mighty is wall
    assert wall.center_x == 22
    assert len(engine.world) == 2
    one.remove(wall)
    player.position, wall.change_x = (0, 0), 0
    engine.update()
    assert player.position == (12, 0)
    other.remove(wall)
    player.position = 0, 0
    engine.update()
    assert player.position == (100, 0)
    assert len(engine.world) == 1


def test_a_killed_sprite_is_blocked_nowhere() -> None:
    """A game asks about an enemy in the frame after it was killed."""
    ground, enemy = block(0, -10, 100, 10), block(0, 0, change_y=-1)
    enemies = listed(enemy)
    engine = PushEngine(enemies, ground)
    engine.update()
    assert engine.blocked(enemy) == Side.BOTTOM
    enemy.kill()
    engine.update()
    assert engine.blocked(enemy) == engine.sides(enemy) == engine.stuck(enemy) == Side.NONE
    assert engine.floor(enemy) is None
    assert enemy not in engine


# ---------------------------------------------------------------- sensors and callbacks


def test_a_sensor_reports_even_what_flies_through_it() -> None:
    player, coins = block(0, 0, change_x=500), listed(block(100, 0, 2, 2), block(100, 50, 2, 2))
    engine = PushEngine(player)
    engine.add(coins, response="sensor")
    (event,) = engine.update()
    assert (event.kind, event.weak, event.mighty) == ("sensor", player, coins[0])
    assert player.position == (500, 0)


def test_callbacks_hear_the_begin_and_the_end_of_a_contact_once() -> None:
    told: list[Any] = []
    player, ground = block(0, 5, change_y=-1), block(0, -10, 100, 10)
    engine = PushEngine(player, ground)
    for kind in ("begin", "end"):
        engine.on(kind, player, ground, lambda *told_now, kind=kind: told.append((kind, told_now[:2])))  # type: ignore[arg-type]
    touches = []
    engine.on("touch", ground, player, lambda first, second, event: touches.append((first, second, event.side)))
    for _ in range(10):
        engine.update()
    assert told == [("begin", (player, ground))]
    assert len(touches) == 5
    assert touches[0] == (ground, player, Side.BOTTOM)
    player.change_y = 0  # it stands still: nothing presses, and they still touch
    engine.update()
    assert len(told) == 1
    player.change_y = 3
    engine.update()
    assert told[1:] == [("end", (player, ground))]


def test_callbacks_select_sprites_lists_classes_and_all() -> None:
    class Coin(arcade.SpriteSolidColor):
        pass

    told = []
    player = block(0, 0, change_x=100)
    coins = listed(Coin(4, 4, center_x=30), Coin(4, 4, center_x=60))
    other: SpriteList[Sprite] = listed(block(90, 0))
    engine = PushEngine(player)
    engine.add([coins, other], response="sensor")
    engine.on("begin", player, Coin, lambda first, second, event: told.append(("class", second)))
    engine.on("begin", player, coins, lambda first, second, event: second.kill())
    engine.on("begin", None, other[0], lambda first, second, event: told.append(("one", second)))
    stop = engine.on("begin", player, None, lambda first, second, event: told.append(("all", second)))
    one, two = coins
    engine.update()
    assert told == [("class", one), ("all", one), ("class", two), ("all", two), ("one", other[0]), ("all", other[0])]
    assert len(coins) == 0
    stop()
    stop()
    told.clear()
    player.position = 0, 0
    engine.update()
    engine.update()
    assert told == []  # the last coin is still touched in the update after the jump back


def test_a_callback_hears_that_a_player_is_stuck() -> None:
    crushed = []
    player, press = block(0, 0), block(0, 30, change_y=-50)
    engine = PushEngine(player, press)
    engine.add(block(0, -10, 100, 10), might=1)
    engine.on("stuck", player, None, lambda victim, wall, event: crushed.append((victim, event.kind)))
    engine.update()
    assert (player, "stuck") in crushed


def test_wrong_callbacks_are_refused() -> None:
    engine = PushEngine()
    with pytest.raises(ValueError, match="kind must be one of 'begin', 'touch', 'end', 'stuck', got 'hit'"):
        engine.on("hit", None, None, print)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="first must be a sprite, a list of sprites, a class of sprites or None, got 7"):
        engine.on("begin", 7, None, print)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="callback must be callable, got 3"):
        engine.on("begin", None, None, 3)  # type: ignore[arg-type]


# ---------------------------------------------------------------- places


def test_a_sprite_is_placed_at_the_nearest_free_place() -> None:
    """By hand: an enemy of 20 by 20 in ground up to y = 0 comes up until it stands on it."""
    ground, enemies = block(0, -50, 400, 100), listed()
    engine = PushEngine(enemies, ground)
    enemies.append(block(0, 500, 20, 20))
    assert engine.place(enemies[0], (30, -4)) == pytest.approx((30, 10), abs=1e-3)
    assert enemies[0].position == pytest.approx((30, 10), abs=1e-3)
    assert engine.place(enemies[0], (70, 200)) == (70, 200)


@pytest.mark.parametrize("seed", some(range(20), least=5))
def test_a_place_is_free_and_few_places_are_nearer(seed: int) -> None:
    """The oracle samples 4,000 places within the distance found: those that Shapely calls free are rare, and not much
    nearer than the place found."""
    numbers = random.Random(seed)
    walls = listed(*(random_sprite(numbers) for _ in range(40)))
    enemy = shaped(1000, 1000, ((-12, -9), (12, -9), (0, 14)))
    engine = PushEngine(enemy, walls)
    at = numbers.uniform(-200, 200), numbers.uniform(-200, 200)
    x, y = engine.place(enemy, at)
    ground = shapely.unary_union([outline(wall) for wall in walls])
    assert outline(enemy).intersection(ground).area < 0.01
    found, form = math.dist((x, y), at), shapely.get_coordinates(outline(enemy))
    samples = np.random.default_rng(seed)
    angles, distances = samples.uniform(0, math.tau, 4000), found * np.sqrt(samples.random(4000))
    offsets = np.column_stack((np.cos(angles), np.sin(angles))) * distances[:, None] + at - (x, y)
    shapely.prepare(ground)
    is_free = ~shapely.intersects(ground, shapely.polygons(form + offsets[:, None]))
    assert found - distances.min(where=is_free, initial=found) <= 28 / 8 + 0.35 * found


@pytest.mark.parametrize("at", [(0, 0, 0), 5, "no", (0, math.nan)])
def test_a_place_that_is_no_point_is_named(at: Any) -> None:
    enemy = block(7, 8)
    with pytest.raises(ShapeError, match="at"):
        PushEngine(enemy).place(enemy, at)
    assert enemy.position == (7, 8)


def test_a_turning_crate_with_its_hit_box_aside_turns_around_the_sprite() -> None:
    """By hand: a box of 20 by 10, its centre 30 to the right of the sprite; a quarter turn clockwise takes it below.

    The box turned in place in the update, and was put below in the next one: it overlapped what it passed meanwhile.
    """
    crate = shaped(0, 0, ((20, -5), (40, -5), (40, 5), (20, 5)), change_angle=90)
    below, aside = block(0, -45), block(30, 20)
    engine = PushEngine([below, aside], crate)
    engine.add(block(0, 500), might=2)
    engine.update()
    pose = engine.body(crate).pose
    assert (pose.x, pose.y) == pytest.approx((0, -30))
    assert crate.position == (0, 0)
    assert aside.position == (30, 20)
    assert outline(below).intersection(outline(crate)).area < 0.01


def test_where_there_is_no_room_the_sprite_stays() -> None:
    ground, enemy = block(0, 0, 4000, 4000), block(0, 3000, 20, 20)
    engine = PushEngine(enemy, ground)
    with pytest.raises(ValueError, match=r"no free place within 50 pixels of \(0, 0\)"):
        engine.place(enemy, (0, 0), reach=50)
    assert enemy.position == (0, 3000)


# ---------------------------------------------------------------- probable mistakes


def test_sprites_that_move_themselves_too_are_noticed_once() -> None:
    """`sprite.update()` and `engine.update()` both move it: twice as far, and through walls in the first half."""
    player, ground = block(0, 0, change_x=2), block(0, -100)
    engine = PushEngine(player, ground)

    def play(updates: int) -> None:
        for _ in range(updates):
            player.update()
            engine.update()

    with pytest.warns(RuntimeWarning, match=r"is moved by its own update\(\) too"):
        play(6)
    play(20)  # a second warning would be an error


def test_a_game_that_places_sprites_each_update_is_not_warned() -> None:
    player, ground = block(0, 0, change_x=2), block(0, -100)
    engine = PushEngine(player, ground)
    for update in range(50):
        player.position = 7 * update, 0
        engine.update()


def test_swapped_arguments_are_noticed() -> None:
    walls: SpriteList[Sprite] = SpriteList(use_spatial_hash=True)
    walls.append(block(0, 0))
    with pytest.warns(RuntimeWarning, match="swapped"):
        PushEngine(walls, block(50, 0))


def test_a_forgotten_might_is_noticed() -> None:
    engine = PushEngine(mighty=block(0, -10, 100))
    engine.add(block(0, 50, change_y=-1))
    with pytest.warns(RuntimeWarning, match="all sprites have might 1, and equals pass through each other"):
        engine.update()


# ---------------------------------------------------------------- many players


@pytest.mark.parametrize("seed", range(cases(10)))
def test_many_players_move_as_each_of_them_alone_to_the_last_bit(seed: int) -> None:
    """Few sprites are moved one by one, and many by arrays. Weak sprites do not see each other, so both must agree."""
    games = []
    for count in (1, 20):
        numbers = random.Random(seed)
        walls = listed(*(random_sprite(numbers) for _ in range(8)))
        players = [random_sprite(numbers) for _ in range(20)]
        engines = []
        for group in ([player] for player in players) if count == 1 else [players]:
            engine = PushEngine(group, walls) if not engines else PushEngine(group)
            if engines:  # all other engines have walls of their own at the same places
                copies = listed(*(shaped(*wall.position, wall.hit_box.points) for wall in walls))
                for copy, wall in zip(copies, walls, strict=True):
                    copy.angle = wall.angle
                engine.add(copies)
            engines.append(engine)
        games.append((engines, players, numbers))
    for update in range(30):
        places = []
        for engines, players, numbers in games:
            for player in players:
                player.velocity = numbers.uniform(-20, 20), numbers.uniform(-20, 20)
                player.change_angle = numbers.choice([0, 0, 0, numbers.uniform(-9, 9)])
                if numbers.random() < 0.05:
                    player.position = numbers.uniform(-300, 300), numbers.uniform(-300, 300)
            number, way = numbers.randrange(8), (numbers.uniform(-9, 9), numbers.uniform(-9, 9))
            for engine in engines:
                wall = [sprite for sprite in engine.sprites() if sprite not in players][number]
                wall.position = wall.center_x + way[0], wall.center_y + way[1]
                engine.update()
            places.append([(player.position, player.angle) for player in players])
        assert places[0] == places[1], (seed, update)


# ---------------------------------------------------------------- histories that left a body beside its sprite


def test_the_engine_goes_on_after_the_only_sprites_of_the_highest_rank_were_removed() -> None:
    """The walls of might 1 became the highest rank, but stayed among the sprites that can be pushed: an error."""
    walls, boss = listed(block(0, 0)), block(500, 0)
    engine = PushEngine(mighty=walls)
    engine.add(boss, might=2)
    engine.update()
    engine.remove(boss)
    walls[0].change_x = 3
    engine.update()
    assert walls[0].position == (3, 0)
    assert len(list(engine.world)) == 1


def test_a_wall_that_changes_its_list_and_its_place_pushes_at_the_new_place() -> None:
    """The first list took over the body of the second one where it was, and the move was lost."""
    wall = block(0, 0, 40, 10)
    first, second = listed(block(900, 0)), listed(wall)
    player = block(200, 50, change_y=-100)
    engine = PushEngine(player, [first, second])
    engine.update()
    second.remove(wall)
    player.position, wall.position = (200, 50), (200, 0)
    first.append(wall)
    engine.update()
    assert player.position == (200, 10)


def test_nothing_has_moved_after_an_error_not_even_a_crate_beyond_its_boundary() -> None:
    """Crates turned round before the other sprites were checked."""
    player, crate, wall = block(0, 200), block(0, 0, change_x=3), block(0, 500)
    engine = PushEngine(player, crate)
    engine.add(wall, might=2)
    engine.update()
    crate.boundary_right, player.change_x = 6, math.nan
    with pytest.raises(ShapeError, match="velocity must be finite"):
        engine.update()
    assert (crate.position, crate.velocity) == ((3, 0), (3, 0))
    player.change_x = 0
    engine.update()
    assert crate.velocity == (-3, 0)


def test_a_refused_sprite_of_a_new_highest_rank_leaves_the_walls_in_the_engine() -> None:
    """The walls had lost their bodies until the next update."""
    player, wall = block(0, 10), listed(block(0, 0))
    engine = PushEngine(player, wall)
    with pytest.raises(ShapeError, match="must be finite"):
        engine.add(block(math.nan, 0), might=2)
    assert engine.body(wall[0]).pose.x == 0
    assert engine.body(wall[0]).might == 1


@pytest.mark.parametrize("way_back", [(-4, 0), (1000, 0)])
@pytest.mark.parametrize("others", [0, 20])
def test_a_crate_that_the_game_moves_twice_before_an_update_is_where_its_sprite_is(
    way_back: tuple[int, int], others: int
) -> None:
    """After the first move the engine had a look at it; its body went to that place, whatever the game did later."""
    crate, far = block(0, 0), [block(40 * number, 700) for number in range(others)]
    engine = PushEngine([block(0, 900), *far], crate)
    engine.add(block(0, 500), might=2)
    engine.update()
    crate.center_x += 4
    engine.add(block(0, 2000))
    crate.center_x += way_back[0]
    engine.update()
    assert (engine.body(crate).pose.x, crate.center_x) == (4 + way_back[0],) * 2


def test_the_teleport_of_a_crate_takes_no_step_from_the_others() -> None:
    """Of more than 12 sprites, the others took their own last step for a move by the game, and stood still once."""
    crates = [block(40 * number, 0, change_x=1) for number in range(20)]
    engine = PushEngine(mighty=crates)
    engine.add(block(0, 500), might=2)
    engine.update()
    engine.update()
    crates[0].position = 0, 100
    engine.teleport(crates[0])
    engine.update()
    assert [crate.center_x - 40 * number for number, crate in enumerate(crates)][1:] == [3] * 19


def test_the_error_for_a_sprite_that_is_too_fast_says_the_limit() -> None:
    """It said that 1e100 must be finite."""
    player = block(0, 200)
    engine = PushEngine(player)
    player.change_x = 1e100
    with pytest.raises(ShapeError, match=r"lead to coordinates of at most 1e\+15 in size, got \(1e\+100, 0"):
        engine.update()


def test_a_teleport_of_an_invalid_sprite_names_the_reason() -> None:
    """It raised a bare KeyError."""
    crates = listed(block(0, 0))
    engine = PushEngine(mighty=crates)
    engine.add(block(0, 500), might=2)
    crates.append(block(50, 0, change_x=math.nan))
    with pytest.raises(ShapeError, match="velocity must be finite"):
        engine.update()
    with pytest.raises(ShapeError, match="velocity must be finite"):
        engine.teleport(crates[1])


@pytest.mark.parametrize("top", [1, 2])
def test_a_mighty_sprite_moves_while_it_grows_or_gets_a_new_hit_box(top: int) -> None:
    """Of the highest rank, it stood still: each new shape counted as a move by the game. A crate moved."""
    growing, animated = block(0, 0, change_x=3), block(0, 300, change_x=3)
    engine = PushEngine(block(0, 2000), listed(growing, animated))
    engine.add(block(0, 900), might=top)
    for number in range(5):
        growing.scale = 1 + 0.1 * number
        animated.hit_box = HitBox(L_SHAPE if number % 2 else L_SHAPE[:4], animated.position)
        engine.update()
    assert (growing.center_x, animated.center_x) == (15, 15)


@pytest.mark.parametrize("top", [1, 2])
def test_a_turning_sprite_with_an_offset_hit_box_moves_and_turns_in_each_update(top: int) -> None:
    """As a crate it did so only in every second update: its own turn counted as a move by the game."""
    flail = shaped(0, 0, ((0, -5), (20, -5), (20, 5), (0, 5)), change_x=2, change_angle=3)
    engine = PushEngine(block(0, 2000), flail)
    engine.add(block(0, 900), might=top)
    for _ in range(10):
        engine.update()
    assert (flail.center_x, flail.angle) == (20, 30)


def test_a_turning_mighty_sprite_of_bounding_boxes_pushes_what_is_in_its_way() -> None:
    """A new box in each update made each of its moves a teleport, over the player."""
    player, saw = block(40, 0, 4, 4), block(0, 0, 20, 40, change_x=30, change_angle=5)
    engine = PushEngine(player, saw, shapes="bounds")
    for _ in range(4):
        engine.update()
        assert player.left == pytest.approx(saw.right)


def test_a_place_is_free_for_the_sprite_as_the_game_has_set_it_among_the_walls_of_now() -> None:
    """`place` went by the last update: it put a sprite that had moved, grown or got new walls into a wall."""
    enemy, walls = block(0, 500, 20, 20), listed(block(0, -50, 400, 100))
    engine = PushEngine(enemy, walls)
    engine.update()
    enemy.position = 300, 300
    assert engine.place(enemy, (0, -3)) == pytest.approx((0, 10), abs=1e-5)
    enemy.scale = 2
    assert engine.place(enemy, (0, -3)) == pytest.approx((0, 20), abs=1e-5)
    walls.append(block(0, 20, 40, 40))
    engine.place(enemy, (0, 19))
    assert outline(enemy).intersection(outline(walls[1])).area == 0


def test_killed_sprites_are_freed_although_the_engine_looked_for_doubled_moves() -> None:
    """The sprites of update 120 stayed in memory for as long as the engine."""
    players = listed(block(0, 0))
    engine = PushEngine(players, block(0, 900))
    for _ in range(130):
        engine.update()
    references = [weakref.ref(sprite) for sprite in players]
    players.clear()
    engine.update()
    gc.collect()
    assert [reference() for reference in references] == [None]


def test_a_teleport_of_a_killed_wall_is_refused() -> None:
    """If no update was between, it raised a bare KeyError."""
    walls = listed(block(0, 0), block(50, 0))
    engine = PushEngine(block(0, 900), walls)
    engine.update()
    killed = walls[0]
    killed.kill()
    with pytest.raises(ValueError, match="must have been added to this engine"):
        engine.teleport(killed)


@pytest.mark.parametrize("is_full", [False, True])
def test_walls_keep_their_bodies_while_a_higher_rank_empties_and_refills(is_full: bool) -> None:
    """Whenever a list of shots emptied or filled, all walls got new bodies, and the hero on them was in the air."""
    hero, walls, shots = block(0, 10), listed(block(0, 0, 100), block(300, 0)), listed()
    engine = PushEngine(hero, walls)
    engine.add(shots, might=2)
    if is_full:
        shots.append(block(500, 0))
    walker = Walker(engine, hero, gravity=1)
    engine.update()
    bodies = [engine.body(wall) for wall in walls]
    for _ in range(6):
        if shots:
            shots.clear()
        else:
            shots.append(block(500, 0))
        assert walker.on_floor
        engine.update()
        assert [engine.body(wall) for wall in walls] == bodies
        assert engine.floor(hero) is walls[0]
    assert len(engine.world) == 3 + len(shots)


def test_walls_that_leave_in_the_update_in_which_a_higher_rank_appears_lose_their_bodies() -> None:
    walls, shots = listed(block(0, 0), block(300, 0)), listed()
    engine = PushEngine(mighty=walls)
    engine.add(shots, might=2)
    engine.update()
    shots.append(block(500, 0))
    walls.pop()
    engine.update()
    assert [body.data for body in engine.world] == [walls[0], shots[0]]
    shots.clear()
    gone = walls.pop()
    walls.append(block(700, 0))
    engine.update()
    assert gone not in engine
    assert [body.data for body in engine.world] == [walls[0]]


def test_a_wall_pushes_in_the_update_in_which_the_higher_rank_is_empty() -> None:
    """It is of the highest rank from then on, and sweeps from where it stood."""
    wall, shots, player = block(0, 0), listed(block(500, 0)), block(12, 0)
    engine = PushEngine(player, wall)
    engine.add(shots, might=2)
    engine.update()
    shots.clear()
    wall.position = 4, 0
    engine.update()
    assert player.position == (14, 0)


def test_a_lone_sprite_that_is_listed_and_killed_between_two_updates_leaves() -> None:
    """The engine had not seen that it was in a list, and kept it as one that is in no list at all."""
    player, bomb = block(0, 0, change_x=50), block(20, 0)
    engine = PushEngine(player, bomb)
    engine.update()
    assert player.position == (10, 0)
    listed(bomb)
    bomb.kill()
    engine.update()
    assert player.position == (60, 0)
    assert bomb not in engine


def test_a_lone_sprite_of_two_engines_leaves_both() -> None:
    bomb, players = block(20, 0), [block(0, 0, change_x=50) for _ in range(2)]
    engines = [PushEngine(player, bomb) for player in players]
    listed(bomb)
    bomb.kill()
    for engine in engines:
        engine.update()
    assert [player.position for player in players] == [(50, 0), (50, 0)]
