"""The push engine, as a game uses it. All asserted figures were worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import arcade
import pytest
from arcade import BasicSprite, Sprite
from arcade.hitbox import HitBox
from hypothesis import example, given, settings
from hypothesis import strategies as st

from impinge import ShapeError, Side
from impinge_arcade import PushEngine, SpriteEvent
from scale import cases
from sprites import blocks, listed

ONE_WAY = Side.LEFT | Side.RIGHT | Side.BOTTOM
NAN, INFINITY = math.nan, math.inf
block = blocks(10, 10)


def _corners(width: float, height: float) -> tuple[tuple[float, float], ...]:
    x, y = width / 2, height / 2
    return (-x, -y), (x, -y), (x, y), (-x, y)


def floor(y: float = -10) -> Sprite:
    """Return a floor whose top is 5 above y: a block at y = 0 stands on the default one."""
    return block(0, y, 1000, 10)


# ---------------------------------------------------------------- pushing, carrying, crushing


def test_a_moving_wall_pushes_by_as_much_as_it_comes_too_near() -> None:
    player, wall = block(0, 0), block(-20, 0, change_x=15)
    events = PushEngine(player, wall).update()
    assert wall.position == (-5, 0)
    assert player.position == (5, 0)
    assert events == (SpriteEvent("push", pytest.approx(10 / 15), player, wall, Side.LEFT, 15.0),)


def test_a_wall_pushes_all_that_are_in_its_way_and_none_that_is_not() -> None:
    players = [block(0, 0), block(3, 4), block(0, 20)]
    wall = block(-20, 0, change_x=15)
    engine = PushEngine(players, wall)
    events = engine.update()
    assert [player.position for player in players] == [(5, 0), (5, 4), (0, 20)]
    assert [event.weak for event in events] == players[:2]
    assert [engine.sides(player) for player in players] == [Side.LEFT, Side.LEFT, Side.NONE]


def test_events_come_in_order_of_time() -> None:
    far, near = block(8, 0), block(2, 0)
    events = PushEngine([far, near], block(-20, 0, change_x=20)).update()
    assert [event.weak for event in events] == [near, far]
    assert [event.time for event in events] == [0.6, 0.9]


def test_the_last_update_s_events_stay_to_be_read() -> None:
    engine = PushEngine(block(0, 0), block(-20, 0, change_x=15))
    assert engine.events == ()
    events = engine.update()
    assert engine.events == events


def test_a_platform_takes_along_who_stands_on_it() -> None:
    player, platform = block(0, 0, change_y=-1), block(0, -10, 40, change_x=7, change_y=3)
    PushEngine(player, platform).update()
    assert player.position == (7, 3)


def test_a_platform_that_carries_nothing_slides_away_under_who_stands_on_it() -> None:
    player, platform = block(0, 0, change_y=-1), block(0, -10, 40, change_x=7, change_y=3)
    engine = PushEngine(player)
    engine.add(platform, carrying=Side.NONE)
    engine.update()
    assert player.position == (0, 3)


def test_who_runs_on_a_conveyor_belt_adds_to_its_speed() -> None:
    player, belt = block(0, 0, change_x=4, change_y=-1), block(0, -10, 400, change_x=7)
    PushEngine(player, belt).update()
    assert player.position == (11, 0)


def test_a_crusher_says_so_and_its_victim_stays_out_of_the_mightier_one() -> None:
    player, crusher, rock = block(0, 0), block(-15, 0, change_x=12), block(14, 0)
    engine = PushEngine(player, crusher)
    engine.add(rock, might=2)
    stuck = [event for event in engine.update() if event.kind == "stuck"]
    assert player.position == (4, 0)
    assert crusher.position == (-3, 0)
    assert engine.stuck(player) == Side.LEFT | Side.RIGHT
    assert {event.weak for event in stuck} == {player}
    assert {event.mighty for event in stuck} <= {crusher, rock}


def test_between_equals_a_victim_stays_out_of_the_one_that_was_added_first() -> None:
    player, press = block(0, 0, change_y=-1), block(0, 15, change_y=-8)
    ground = floor()
    engine = PushEngine(player, [ground, press])
    engine.update()
    assert player.position == (0, 0)
    assert engine.stuck(player) == Side.BOTTOM | Side.TOP
    press.change_y = 8
    engine.update()
    engine.update()
    assert engine.stuck(player) == Side.NONE


@pytest.mark.parametrize(
    "packed",
    [
        lambda sprites: sprites,
        lambda sprites: tuple(sprites),
        lambda sprites: (sprite for sprite in sprites),
        lambda sprites: listed(*sprites),
        lambda sprites: [listed(*sprites[:1]), listed(*sprites[1:])],
        lambda sprites: [sprites[:1], listed(), sprites[1:]],
        lambda sprites: [sprites[0], listed(*sprites[1:])],
        lambda sprites: (sprites[0], [[listed(sprites[1])], listed(*sprites[2:])]),
    ],
    ids=["list", "tuple", "generator", "SpriteList", "SpriteLists", "lists", "sprite+list", "nested"],
)
def test_sprites_may_come_alone_in_lists_and_in_lists_of_lists(
    packed: Callable[[list[Sprite]], Any],
) -> None:
    players = [block(0, 100 * i) for i in range(3)]
    walls = [block(-20, 100 * i, change_x=15) for i in range(3)]
    engine = PushEngine(packed(players), packed(walls))
    assert list(engine.sprites()) == [*players, *walls]
    engine.update()
    assert [player.center_x for player in players] == [5, 5, 5]


def test_an_engine_may_start_empty() -> None:
    engine = PushEngine()
    with pytest.warns(RuntimeWarning, match="nothing has been added to this engine"):
        assert engine.update() == ()
    assert engine.update() == ()
    assert list(engine.sprites()) == []


def test_without_anything_mighty_all_move_freely() -> None:
    player = block(0, 0, change_x=3, change_y=4)
    engine = PushEngine(player)
    engine.update()
    engine.update()
    assert player.position == (6, 8)
    assert player.velocity == (3, 4)


# ---------------------------------------------------------------- one-way platforms and sticky elevators


@pytest.mark.parametrize(
    ("start", "speed"),
    [((0, -20), (0, 40)), ((-60, 0), (120, 0)), ((60, 0), (-120, 0)), ((-60, -60), (120, 120))],
    ids=["from below", "from the left", "from the right", "through the corner"],
)
def test_a_one_way_platform_lets_through(start: tuple[float, float], speed: tuple[float, float]) -> None:
    player = block(*start, change_x=speed[0], change_y=speed[1])
    engine = PushEngine(player)
    engine.add(block(0, 0, 80, 10), passable=ONE_WAY)
    assert engine.update() == ()
    assert player.position == (start[0] + speed[0], start[1] + speed[1])
    assert player.velocity == speed


@pytest.mark.parametrize("speed", [15, 300, 30_000])
def test_a_one_way_platform_is_landed_on_from_above(speed: float) -> None:
    player = block(0, 20, change_y=-speed)
    engine = PushEngine(player, stop_on_contact=True)
    engine.add(block(0, 0, 80, 10), passable=ONE_WAY)
    engine.update()
    assert player.position == (0, 10)
    assert player.change_y == 0
    assert engine.blocked(player) == Side.BOTTOM


def test_a_jump_that_ends_inside_a_one_way_platform_falls_back_through_it() -> None:
    player = block(0, -20, change_y=15)
    engine = PushEngine(player)
    engine.add(block(0, 0, 80, 10), passable=ONE_WAY)
    engine.update()
    player.change_y = -15
    assert engine.update() == ()
    assert player.position == (0, -20)


def test_a_jump_through_a_one_way_platform_lands_on_it() -> None:
    player = block(0, -20, change_y=35)
    engine = PushEngine(player)
    engine.add(block(0, 0, 80, 10), passable=ONE_WAY)
    engine.update()
    player.change_y = -35
    engine.update()
    assert player.position == (0, 10)


@pytest.mark.parametrize(("sticky", "height"), [(Side.TOP, -30), (Side.NONE, -1)])
def test_only_a_sticky_elevator_takes_down_faster_than_one_falls(sticky: Side, height: float) -> None:
    player, elevator = block(0, 0, change_y=-1), block(0, -10, 40, change_y=-30)
    engine = PushEngine(player)
    engine.add(elevator, sticky=sticky)
    engine.update()
    assert elevator.center_y == -40
    assert player.center_y == height


def test_one_can_jump_off_a_sticky_elevator() -> None:
    player, elevator = block(0, 0, change_y=-1), block(0, -10, 40)
    engine = PushEngine(player)
    engine.add(elevator, sticky=Side.TOP)
    engine.update()
    player.change_y = 12
    engine.update()
    assert player.position == (0, 12)
    assert player.change_y == 12


# ---------------------------------------------------------------- moved by velocity, by hand, by teleport


@pytest.mark.parametrize("way", [(15, 0), (15, 7), (19, 0)])
def test_a_wall_pushes_alike_moved_by_its_speed_and_moved_by_hand(way: tuple[float, float]) -> None:
    results = []
    for by_hand in (False, True):
        player, wall = block(0, 0), block(-20, 0, 10, 40)
        engine = PushEngine(player, wall)
        engine.update()
        if by_hand:
            wall.position = (wall.center_x + way[0], wall.center_y + way[1])
        else:
            wall.velocity = way
        (event,) = engine.update()
        results.append((player.position, wall.position, event.time, event.side, event.speed))
    assert results[0] == results[1]
    assert results[0][0][0] == way[0] - 10


def test_a_wall_moved_by_hand_before_the_first_update_sweeps_from_where_it_was_added() -> None:
    player, wall = block(0, 0), block(-20, 0, 10, 240)
    engine = PushEngine(player, wall)
    wall.center_x = 100
    engine.update()
    assert player.position == (110, 0)


@pytest.mark.parametrize("speed", [0, 50])
@pytest.mark.parametrize(("beyond", "pushed"), [(0, True), (0.01, False)])
def test_a_wall_moved_by_hand_farther_than_half_its_longer_side_and_its_speed_is_teleported(
    speed: float, beyond: float, pushed: bool
) -> None:
    """A door that opens by being put outside the map must not sweep the level on its way."""
    player, wall = block(0, 0), block(-30, 0, 10, 100, change_x=speed)
    engine = PushEngine(player, wall)
    wall.center_x += 50 + speed + beyond
    assert bool(engine.update()) == pushed
    assert player.position == ((wall.center_x + 10, 0) if pushed else (0, 0))


def test_a_wall_that_moves_itself_is_not_moved_once_more_by_its_speed() -> None:
    """Moving platforms have a velocity, and the game also moves them by `SpriteList.update`."""
    player, wall = block(0, 0), block(-20, 0, change_x=15)
    walls = listed(wall)
    engine = PushEngine(player, walls)
    walls.update()
    engine.update()
    assert wall.position == pytest.approx((-5, 0))
    assert player.position == pytest.approx((5, 0))


def test_a_teleported_wall_meets_nothing_on_its_way() -> None:
    player, wall = block(0, 0), block(-20, 0)
    engine = PushEngine(player, wall)
    engine.update()
    wall.center_x = 100
    engine.teleport(wall)
    assert engine.update() == ()
    assert player.position == (0, 0)
    player.change_x = 200
    engine.update()
    assert player.position == (90, 0)


def test_a_teleported_wall_of_another_shape_is_met_where_it_then_is() -> None:
    player, wall = block(0, 0), block(-20, 0)
    engine = PushEngine(player, wall)
    engine.update()
    wall.position = (100, 0)
    wall.hit_box = HitBox(((-30, -5), (10, -5), (10, 5), (-30, 5)), wall.position)
    engine.teleport(wall)
    player.change_x = 200
    engine.update()
    assert player.position == (65, 0)


def test_a_wall_teleported_onto_a_player_moves_it_out_the_shortest_way() -> None:
    player, wall = block(0, 0), block(-100, 0)
    engine = PushEngine(player, wall)
    engine.update()
    wall.position = (-7, 1)
    engine.teleport(wall)
    engine.update()
    assert player.position == (3, 0)


@pytest.mark.parametrize("speed", [(0, 0), (0, -3), (6, 0)])
def test_a_player_that_is_put_elsewhere_simply_stands_there(speed: tuple[float, float]) -> None:
    player, wall = block(0, 0), block(50, 0)
    engine = PushEngine(player, wall)
    engine.update()
    player.position, player.velocity = (100, 0), speed
    assert engine.update() == ()
    assert player.position == (100 + speed[0], speed[1])


def test_a_player_that_is_put_back_to_where_it_was_pushed_from_stands_there() -> None:
    """A respawn: position and velocity are those of the frame before the push."""
    spawn = (0, 0)
    player, wall, other = block(*spawn), block(-20, 0), block(-100, 0)
    engine = PushEngine(player, [wall, other])
    engine.update()
    wall.center_x = -5
    engine.update()
    assert player.position == (5, 0)
    player.position = spawn
    wall.center_x = -200
    engine.teleport(wall)
    assert engine.update() == ()
    assert player.position == spawn
    other.center_x = -8
    engine.update()
    assert player.position == (2, 0)


def test_a_wall_that_is_put_back_after_a_teleport_sweeps_back() -> None:
    player, wall = block(-50, 0), block(0, 0, 10, 200)
    engine = PushEngine(player, wall)
    engine.update()
    wall.center_x = -100
    engine.teleport(wall)
    wall.center_x = 0
    engine.update()
    assert player.position == (10, 0)


def test_a_crate_that_is_moved_by_hand_sweeps_too() -> None:
    player, crate, wall = block(0, 0), block(-20, 0, 10, 80), block(0, 500)
    engine = PushEngine(player, crate)
    engine.add(wall, might=2)
    engine.update()
    crate.center_x = 20
    engine.update()
    assert player.position == (30, 0)


# ---------------------------------------------------------------- velocity and ground


def test_who_stands_on_the_ground_is_blocked_below() -> None:
    player = block(0, 0)
    engine = PushEngine(player, floor(), stop_on_contact=True)
    for _ in range(3):
        player.change_y -= 1
        engine.update()
        assert engine.blocked(player) == Side.BOTTOM
        assert player.velocity == (0, 0)
        assert player.position == (0, 0)


def test_who_walks_off_the_ground_is_blocked_no_more() -> None:
    player = block(0, 0, change_x=4, change_y=-1)
    engine = PushEngine(player, block(0, -10, 10, 10))
    for _ in range(3):
        engine.update()
        player.change_y = -1
    assert engine.blocked(player) == Side.NONE
    assert player.center_y < 0


@pytest.mark.parametrize(
    ("speed", "kept"),
    [
        ((5, -5), (5, 0)),  # down onto the ground: walks on
        ((50, 0), (0, 0)),  # against the wall
        ((50, -5), (0, 0)),  # into the corner
        ((50, 5), (0, 5)),  # up along the wall
        ((-5, 5), (-5, 5)),  # away from both
        ((-5, -5), (-5, 0)),
    ],
)
def test_speed_is_lost_on_the_blocked_axis_only(speed: tuple[float, float], kept: tuple[float, float]) -> None:
    player = block(0, 0, change_x=speed[0], change_y=speed[1])
    PushEngine(player, [floor(), block(20, 45, 10, 100)], stop_on_contact=True).update()
    assert player.velocity == kept


def test_a_held_key_goes_on_after_a_step_is_jumped() -> None:
    """A game sets `change_x` when a key is pressed, and not again while it is held: the speed is the player's wish."""
    player, step = block(0, 0, change_x=5), block(20, 0)
    engine = PushEngine(player, [floor(), step])
    for _ in range(3):
        engine.update()
    assert player.position == (10, 0)
    assert player.velocity == (5, 0)
    assert engine.blocked(player) == Side.RIGHT
    player.change_y = 12
    engine.update()
    player.change_y = 0
    engine.update()
    assert player.position == (10 + 5 * (1 - 10 / 12) + 5, 12)


def test_who_is_pushed_keeps_the_speed_that_leads_away() -> None:
    player, wall = block(0, 0, change_x=2), block(-20, 0, change_x=30)
    engine = PushEngine(player, wall)
    engine.update()
    assert player.position == (20, 0)
    assert engine.blocked(player) == Side.LEFT
    assert player.change_x == 2


def test_who_slides_past_a_ledge_keeps_its_speed() -> None:
    """The player meets the wall at time 1/4, is above its top at 1/2, and flies on for the other half of the frame."""
    player, wall = block(0, 0, change_x=20, change_y=30), block(15, 0, 10, 20)
    wall.center_y = 0
    engine = PushEngine(player, wall)
    (event,) = engine.update()
    assert event.time == 0.25
    assert engine.sides(player) == Side.RIGHT
    assert engine.blocked(player) == Side.NONE
    assert player.position == (15, 30)
    assert player.velocity == (20, 30)


# ---------------------------------------------------------------- exactness


@pytest.mark.parametrize("speed", [1.3, -3, 7.77, 64, 1000])
@pytest.mark.parametrize("width", [2, 2.1])
def test_a_walk_over_1000_flush_tiles_never_catches(speed: float, width: float) -> None:
    tiles = listed(*(block(width * (i + 0.5), -6.15, width, 8.3) for i in range(1000)))
    player = block(5 if speed > 0 else 1000 * width - 5, -2 + 5, 10, 10)
    engine = PushEngine(player, tiles)
    player.change_y = -9
    engine.update()  # lands
    ground = player.center_y
    assert ground == pytest.approx(3)
    while 0 < player.center_x + speed < 1000 * width:
        before = player.center_x
        player.change_x, player.change_y = speed, -1
        engine.update()
        assert player.center_x == before + speed
        assert player.change_x == speed
        assert player.center_y == ground


@pytest.mark.parametrize("by_hand", [True, False])
@pytest.mark.parametrize("start", [7.0, 0.1])
def test_standing_on_a_platform_that_swings_for_1000_updates_shifts_by_no_bit(start: float, by_hand: bool) -> None:
    platform = block(0, 0, 80, 12.5)
    player = block(start, 11.25)
    engine = PushEngine(player, platform)
    for frame in range(1, 1001):
        x, y = 130 * math.sin(frame / 37), 90 * math.sin(frame / 23)
        if by_hand:
            platform.position = (x, y)
        else:
            platform.velocity = (x - platform.center_x, y - platform.center_y)
        player.change_y = -6
        engine.update()
        assert player.center_x == platform.center_x + start
        assert player.center_y == platform.center_y + 11.25


def test_who_is_put_elsewhere_on_a_swinging_platform_stays_there() -> None:
    platform = block(0, 0, 80, 12.5)
    player = block(7, 11.25)
    engine = PushEngine(player, platform)
    aside = 7.0
    for frame in range(1, 200):
        if frame == 100:
            player.center_x += 3.3
            aside = 10.3
        platform.position = (130 * math.sin(frame / 37), 90 * math.sin(frame / 23))
        player.change_y = -6
        engine.update()
        assert player.center_x == pytest.approx(platform.center_x + aside, abs=1e-12)
        assert player.center_y == platform.center_y + 11.25


def test_an_off_centre_hit_box_does_not_drift_on_a_swinging_platform() -> None:
    platform = block(0, 0, 80, 12.5)
    player = block(0, 0)
    player.hit_box = HitBox(((-3.3, -1.7), (5.1, -1.7), (5.1, 8.9), (-3.3, 8.9)), player.position)
    player.bottom = platform.top
    engine = PushEngine(player, platform)
    for frame in range(1, 1001):
        platform.position = (130 * math.sin(frame / 37), 90 * math.sin(frame / 23))
        player.change_y = -6
        engine.update()
        assert player.center_x - platform.center_x == pytest.approx(0, abs=1e-12)
        assert player.bottom - platform.top == pytest.approx(0, abs=1e-12)


def test_standing_with_gravity_for_1000_updates_moves_by_no_bit() -> None:
    player = block(0.1, 0)
    player.hit_box = HitBox(((-3.3, -1.7), (5.1, -1.7), (5.1, 8.9), (-3.3, 8.9)), player.position)
    engine = PushEngine(player, floor(-0.3))
    player.change_y = -10
    player.center_y = 10
    engine.update()
    landed = player.position
    for _ in range(1000):
        player.change_y -= 0.7
        engine.update()
        assert player.position == landed


@given(
    st.floats(-3000, -20),
    st.floats(-200, 200),
    st.floats(-200, 200),
    st.floats(-3000, 3000),
    st.sampled_from([1, -1]),
)
@example(-2999.9999999999995, 0.0, 0.0, 1.5, 1)  # its way ends 5e-13 in the wall: a touch, within the slop
@settings(max_examples=cases(200))
def test_no_bullet_of_3000_pixels_a_frame_passes_a_wall_of_one_pixel(
    start: float, height: float, slope: float, wall_speed: float, way: int
) -> None:
    bullet = block(way * start, height, 2, 2, change_x=way * 3000, change_y=slope)
    wall = block(0, 0, 1, 2000, change_x=wall_speed)
    (event,) = PushEngine(bullet, wall).update() or (None,)
    distance = way * (wall.center_x - bullet.center_x)
    if event is None:
        assert distance >= 1.5 - 1e-9
        assert way * (wall_speed - way * (start + 3000)) >= 1.5 - 1e-9
    else:
        assert (event.weak, event.mighty) == (bullet, wall)
        assert event.side == (Side.RIGHT if way > 0 else Side.LEFT)
        assert distance == pytest.approx(1.5)


def test_a_salvo_at_a_wall_of_one_pixel_ends_at_the_wall() -> None:
    bullets = listed(*(block(-17.3 * i - 20, 3 * i, 2, 2, change_x=3000) for i in range(300)))
    wall = block(0, 500, 1, 2000)
    engine = PushEngine(bullets, wall)
    hits = []
    for _ in range(3):
        hits += engine.update()
    assert {event.weak for event in hits} == set(bullets)
    assert {event.mighty for event in hits} == {wall}
    assert all(bullet.right == pytest.approx(wall.left) for bullet in bullets)


# ---------------------------------------------------------------- ranks and masks


def test_a_wall_pushes_a_crate_that_pushes_a_player_in_one_update() -> None:
    player, crate, wall = block(20, 0), block(0, 0), block(-20, 0, change_x=25)
    engine = PushEngine(player, crate)
    engine.add(wall, might=2)
    events = engine.update()
    assert (wall.center_x, crate.center_x, player.center_x) == (5, 15, 25)
    assert [(event.weak, event.mighty) for event in events] == [(crate, wall), (player, crate)]
    assert engine.blocked(crate) == engine.blocked(player) == Side.LEFT


def test_a_player_stands_on_a_crate_that_stands_on_a_lift() -> None:
    player, crate, lift = block(0, 10, change_y=-1), block(0, 0, change_y=-1), block(0, -10, 40, change_y=4)
    engine = PushEngine(player, crate)
    engine.add(lift, might=2)
    engine.update()
    assert (lift.center_y, crate.center_y, player.center_y) == (-6, 4, 14)


def test_the_weak_do_not_move_the_mighty() -> None:
    player, crate = block(-20, 0, change_x=50), block(0, 0)
    engine = PushEngine(player, crate)
    engine.add(floor(-100), might=2)
    engine.update()
    assert crate.position == (0, 0)
    assert player.position == (-10, 0)


@pytest.mark.parametrize("might", [0, 1, 2])
def test_equals_pass_through_each_other(might: int) -> None:
    one, other = block(-20, 0, change_x=40), block(20, 0, change_x=-40)
    engine = PushEngine()
    engine.add([one, other], might=might)
    engine.add(floor(-500), might=9)
    assert engine.update() == ()
    assert (one.position, other.position) == ((20, 0), (-20, 0))


@pytest.mark.parametrize(("layer", "mask", "is_pushed"), [(1, 1, True), (2, 1, False), (2, 6, True), (1, 0, False)])
def test_a_sprite_is_pushed_by_the_layers_of_its_mask_only(layer: int, mask: int, is_pushed: bool) -> None:
    ghost, wall = block(0, 0), block(-20, 0, change_x=15)
    engine = PushEngine()
    engine.add(ghost, might=0, mask=mask)
    engine.add(wall, might=1, layer=layer)
    assert bool(engine.update()) == is_pushed
    assert ghost.center_x == (5 if is_pushed else 0)


# ---------------------------------------------------------------- sprites of all kinds


def test_an_off_centre_hit_box_is_what_collides() -> None:
    player, wall = block(0, 0), block(-20, 0)
    player.hit_box = HitBox(((2, -5), (6, -5), (6, 5), (2, 5)), player.position)
    wall.hit_box = HitBox(((-5, -5), (8, -5), (8, 5), (-5, 5)), wall.position)
    wall.change_x = 20
    PushEngine(player, wall).update()
    assert player.position == (6, 0)
    assert player.left == wall.right == 8


@pytest.mark.parametrize("way", [(-1, 0), (1, 0), (0, -1), (0, 1)])
def test_a_basic_sprite_is_a_wall_although_it_has_no_speed(way: tuple[int, int]) -> None:
    wall = BasicSprite(arcade.SpriteSolidColor(10, 10).texture)
    player = block(-100 * way[0], -100 * way[1], change_x=200 * way[0], change_y=200 * way[1])
    PushEngine(player, wall).update()
    assert player.position == (-10 * way[0], -10 * way[1])


def test_a_basic_sprite_is_pushed_and_pushes_when_it_is_moved_by_hand() -> None:
    crate = BasicSprite(arcade.SpriteSolidColor(10, 10).texture)
    player, wall = block(20, 0), block(-20, 0, change_x=25)
    engine = PushEngine(player, crate)
    engine.add(wall, might=2)
    engine.update()
    assert crate.position == (15, 0)
    assert player.position == (25, 0)
    wall.change_x = 0
    crate.position = (20, 0)
    engine.update()
    assert player.position == (30, 0)


def test_a_sprite_that_works_out_its_own_speed_moves_by_that() -> None:
    class Balloon(arcade.SpriteSolidColor):
        wind = 3.0

        @property
        def velocity(self) -> tuple[float, float]:
            x, y = super().velocity
            return x + self.wind, y

        @velocity.setter
        def velocity(self, velocity: tuple[float, float]) -> None:
            Sprite.velocity.fset(self, velocity)

    balloon = Balloon(10, 10)
    engine = PushEngine(balloon, block(20, 0))
    engine.update()
    assert balloon.position == (3, 0)


def test_a_hit_box_of_the_game_s_own_class_collides() -> None:
    """Arcade makes a plain `HitBox` rotatable when a sprite gets it, but leaves those of other classes as they are."""

    class Shield(HitBox):
        pass

    player, wall = block(0, 0), block(100, 0)
    engine = PushEngine(player, wall)
    engine.update()
    wall.hit_box = Shield(_corners(50, 10), wall.position)
    player.change_x = 500
    engine.update()
    assert player.right == wall.left == 75


def test_quarter_turns_keep_tiles_flush() -> None:
    tiles = listed(*(block(32 * i, -16, 32, 32) for i in range(12)))
    player = block(0, 5)
    engine = PushEngine(player, tiles)
    engine.update()
    for turn, tile in enumerate(tiles):
        tile.angle = 90 * turn - 360
    while player.center_x < 350:
        player.change_x, player.change_y = 3, -1
        engine.update()
        assert player.change_x == 3
        assert player.center_y == 5


# ---------------------------------------------------------------- following lists


def test_a_wall_that_is_added_to_a_list_counts_from_the_next_update() -> None:
    player, walls = block(0, 0, change_x=20), listed()
    engine = PushEngine(player, walls)
    engine.update()
    walls.append(block(40, 0))
    engine.update()
    assert player.position == (30, 0)


@pytest.mark.parametrize(
    "take_out",
    [
        lambda walls, wall: walls.remove(wall),
        lambda walls, wall: wall.kill(),
        lambda walls, wall: walls.clear(),
        lambda walls, wall: walls.pop(),
    ],
    ids=["remove", "kill", "clear", "pop"],
)
def test_a_wall_that_left_its_list_is_no_more(take_out: Callable[[Any, Sprite], None]) -> None:
    player, wall = block(0, 0), block(20, 0)
    walls = listed(wall)
    engine = PushEngine(player, walls)
    engine.update()
    take_out(walls, wall)
    player.change_x = 50
    assert engine.update() == ()
    assert player.position == (50, 0)
    assert list(engine.sprites()) == [player]
    with pytest.raises(ValueError, match=r"must have been added to this engine, got SpriteSolidColor at \(20"):
        engine.body(wall)


def test_plain_lists_are_followed_too() -> None:
    players, wall = [block(0, 0)], block(-20, 0)
    engine = PushEngine(players, wall)
    players.append(block(0, 2))
    wall.change_x = 15
    engine.update()
    assert [player.center_x for player in players] == [5, 5]
    del players[0]
    engine.update()
    assert set(engine.sprites()) == {players[0], wall}


@pytest.mark.parametrize("packed", [lambda sprite: sprite, lambda sprite: (sprite,), lambda sprite: [sprite, []]])
def test_a_sprite_that_was_added_by_itself_goes_when_it_is_killed(packed: Callable[[Sprite], Any]) -> None:
    player, wall = block(0, 0), block(20, 0)
    drawn = listed(wall)
    engine = PushEngine(player, packed(wall))
    engine.update()
    wall.kill()
    assert not drawn
    player.change_x = 50
    engine.update()
    assert player.position == (50, 0)


def test_a_sprite_that_is_in_no_list_at_all_stays() -> None:
    player, wall = block(0, 0), block(20, 0)
    engine = PushEngine(player, wall)
    engine.update()
    player.change_x = 50
    engine.update()
    assert player.position == (10, 0)


def test_a_sprite_that_goes_from_the_weak_to_the_mighty_pushes_from_then_on() -> None:
    """A player that is hit turns to stone."""
    stone, player = block(0, 0), block(20, 0)
    weak, mighty = listed(stone, player), listed(block(-100, 0))
    engine = PushEngine(weak, mighty)
    stone.change_x = 5
    engine.update()
    assert (stone.center_x, player.center_x) == (5, 20)
    weak.remove(stone)
    mighty.append(stone)
    stone.change_x = 25
    engine.update()
    assert (stone.center_x, player.center_x) == (30, 40)
    assert engine.body(stone).might == 1


def test_the_mighty_are_the_highest_rank_again_when_a_higher_one_is_gone() -> None:
    player, crate, wall = block(20, 0), block(0, 0), block(-20, 0)
    walls = listed(wall)
    engine = PushEngine(player, crate)
    engine.add(walls, might=2)
    engine.update()
    wall.kill()
    crate.change_x = 25
    engine.update()
    assert (crate.center_x, player.center_x) == (25, 35)
    walls.append(wall)
    crate.change_x, wall.change_x = 0, 50
    engine.update()
    assert (wall.center_x, crate.center_x, player.center_x) == (30, 40, 50)


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (lambda wall: setattr(wall, "scale", 3), 85),
        (lambda wall: setattr(wall, "scale", (-3, 1)), 85),
        (lambda wall: setattr(wall, "scale_x", 2), 90),
        (lambda wall: setattr(wall, "hit_box", HitBox(_corners(50, 10), wall.position)), 75),
        (lambda wall: setattr(wall, "hit_box", HitBox(((-9, -5), (9, -5), (-9, 5)), wall.position)), 91),
        (lambda wall: setattr(wall.hit_box, "scale", (3, 1)), 85),
        (lambda wall: setattr(wall.hit_box, "angle", 45), 100 - math.sqrt(50)),
        (lambda wall: setattr(wall, "angle", 45), 100 - math.sqrt(50)),
        (lambda wall: setattr(wall, "angle", 90), 95),
    ],
    ids=[
        "larger",
        "mirrored",
        "wider",
        "hit box",
        "triangle",
        "its hit box larger",
        "its hit box turned",
        "on its corner",
        "quarter turn",
    ],
)
def test_a_wall_that_changes_is_met_where_it_then_begins(change: Callable[[Sprite], None], left: float) -> None:
    player, wall = block(0, 0), block(100, 0)
    engine = PushEngine(player, wall)
    engine.update()
    change(wall)
    player.change_x = 500
    engine.update()
    assert player.right == pytest.approx(left)
    assert wall.left == pytest.approx(left)


def test_a_mirrored_wall_with_an_off_centre_hit_box_is_met_on_its_other_side() -> None:
    player, wall = block(0, 0), block(100, 0)
    wall.hit_box = HitBox(((-5, -5), (20, -5), (20, 5), (-5, 5)), wall.position)
    engine = PushEngine(player, wall)
    engine.update()
    wall.scale = (-1, 1)
    player.change_x = 500
    engine.update()
    assert player.right == wall.left == 80


def test_a_player_that_grows_on_the_ground_stands_on_it() -> None:
    player = block(0, 0, change_y=-1)
    engine = PushEngine(player, floor())
    engine.update()
    player.scale = 2
    player.change_y = -1
    engine.update()
    assert player.bottom == -5


def test_remove_takes_out_what_was_added() -> None:
    player, wall, other = block(0, 0), block(20, 0), listed(block(40, 0))
    engine = PushEngine(player, [wall, other])
    engine.remove(wall)
    assert list(engine.sprites()) == [player, *other]
    engine.remove(other)
    player.change_x = 100
    engine.update()
    assert player.position == (100, 0)


def test_sprites_that_were_added_in_a_tuple_can_be_removed_one_by_one() -> None:
    one, other = block(0, 0), block(20, 0)
    engine = PushEngine((one, other))
    engine.remove(one)
    assert list(engine.sprites()) == [other]


@pytest.mark.parametrize("packed", [lambda sprite: sprite, lambda sprite: (sprite,)])
def test_to_remove_what_was_not_added_changes_nothing(packed: Callable[[Sprite], Any]) -> None:
    player, wall = block(0, 0), block(20, 0)
    engine = PushEngine(player, wall)
    with pytest.raises(ValueError, match=r"must have been added to this engine, got SpriteSolidColor at \(1, 2\)"):
        engine.remove([packed(wall), packed(block(1, 2)), listed()])
    assert list(engine.sprites()) == [player, wall]


# An engine that followed its sprites through changes must agree with a new engine. Everything is at rest when the two
# are compared, so that neither remembers a previous frame.
#
# There are few positions and few velocities, so that the script often returns to an earlier state.
places = st.sampled_from([-20, 0, 5, 20])
changes = st.one_of(
    st.tuples(st.just("place"), places, places),
    st.tuples(st.just("speed"), st.sampled_from([0, 0, 5, -15]), st.sampled_from([0, 0, 0, 7])),
    st.tuples(st.just("scale"), st.sampled_from([1, 2, 3, -1, -2]), st.sampled_from([1, 2, 3, -1, -2])),
    st.tuples(st.just("turn"), st.sampled_from([0, 90, 180, -90]), st.none()),
    st.tuples(st.just("move to the other list"), st.none(), st.none()),
    st.tuples(st.just("put back"), st.none(), st.none()),
    st.tuples(st.just("update"), st.none(), st.none()),
)


@given(st.lists(st.tuples(st.integers(0, 4), changes), max_size=40))
@settings(max_examples=cases(300))
def test_bodies_are_where_the_sprites_are_whatever_the_game_does(
    script: list[tuple[int, tuple[str, Any, Any]]],
) -> None:
    sprites = [block(20 * i - 40, 0) for i in range(5)]
    sprites[1].hit_box = HitBox(((-3, -4), (7, -4), (7, 9), (-3, 9)), sprites[1].position)
    weak, mighty = listed(*sprites[:3]), listed(*sprites[3:])
    engine = PushEngine(weak, mighty)
    former = [sprite.position for sprite in sprites]
    for index, (change, first, second) in script:
        sprite = sprites[index]
        if change == "place":
            sprite.position = (first, second)
        elif change == "speed":
            sprite.velocity = (first, second)
        elif change == "scale":
            sprite.scale = (first, second)
        elif change == "turn":
            sprite.angle = first
        elif change == "move to the other list":
            source, other = (weak, mighty) if sprite in weak else (mighty, weak)
            source.remove(sprite)
            other.append(sprite)
        elif change == "put back":
            sprite.position, sprite.velocity = former[index], (0, 0)
        else:
            former = [sprite.position for sprite in sprites]
            engine.update()
    engine.update()
    for sprite in sprites:
        body = engine.body(sprite)
        assert body.might == (sprite in mighty)
        assert body.pose.x - body.shape.width / 2 == pytest.approx(sprite.left)
        assert body.pose.x + body.shape.width / 2 == pytest.approx(sprite.right)
        assert body.pose.y - body.shape.height / 2 == pytest.approx(sprite.bottom)
        assert body.pose.y + body.shape.height / 2 == pytest.approx(sprite.top)


# ---------------------------------------------------------------- bad input


@dataclass
class Scene:
    """A game in progress: all ranks are present, and everything moves."""

    bullet: Sprite = field(default_factory=lambda: block(300, 0, 2, 2, change_x=7))
    player: Sprite = field(default_factory=lambda: block(20, 0, change_y=-1))
    crate: Sprite = field(default_factory=lambda: block(0, 0, change_x=1))
    wall: Sprite = field(default_factory=lambda: block(-20, 0, change_x=15))
    ground: Sprite = field(default_factory=floor)

    def __post_init__(self) -> None:
        self.engine = PushEngine([[self.bullet], listed(self.player)], listed(self.crate))
        self.engine.add([self.wall, self.ground], might=2)
        self.engine.update()

    @property
    def sprites(self) -> list[Sprite]:
        return [self.bullet, self.player, self.crate, self.wall, self.ground]

    def go_on(self) -> None:
        """Make the game's own changes between the two updates: by hand and by velocity."""
        self.bullet.position, self.bullet.velocity = (400, 50), (0, 0)
        self.player.change_x, self.player.change_y = 2, -1
        self.crate.scale = 1.5
        self.wall.center_x += 9
        self.wall.change_x = 0

    def state(self) -> list[Any]:
        """Return everything that the engine may change, and its reports."""
        return [
            (sprite.position, sprite.velocity, self.engine.body(sprite).pose, self.engine.blocked(sprite))
            for sprite in self.sprites
        ]


@pytest.mark.parametrize("name", ["bullet", "player", "crate", "wall", "ground"])
@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("position", (NAN, 0)),
        ("position", (0, -INFINITY)),
        ("velocity", (NAN, 0)),
        ("velocity", (0, INFINITY)),
        ("scale", (0, 1)),
        ("scale", (1, NAN)),
        ("angle", NAN),
        ("angle", INFINITY),
        ("hit_box", HitBox(((1, 1),))),
        ("hit_box", HitBox(())),
    ],
)
def test_a_sprite_gone_wrong_is_named_nothing_moves_and_once_repaired_all_goes_on(
    name: str, attribute: str, value: Any
) -> None:
    scene, untroubled = Scene(), Scene()
    scene.go_on()
    untroubled.go_on()
    sprite = getattr(scene, name)
    good = getattr(sprite, attribute)
    setattr(sprite, attribute, value)
    before = [(each.position, each.velocity) for each in scene.sprites]
    for _ in range(2):
        with pytest.raises(ShapeError) as error:
            scene.engine.update()
        assert f"SpriteSolidColor at {sprite.position}" in str(error.value)
        assert str([(each.position, each.velocity) for each in scene.sprites]) == str(before)
    setattr(sprite, attribute, good)
    if attribute == "position":
        sprite.hit_box.position = good
    scene.engine.update()
    untroubled.engine.update()
    assert scene.state() == untroubled.state()


def test_a_sprite_that_would_leave_the_range_of_numbers_is_named_and_nothing_moves() -> None:
    scene, untroubled = Scene(), Scene()
    scene.go_on()
    untroubled.go_on()
    rocket = block(9e14, 3e14, change_x=9e14)  # higher than all the others
    scene.engine.add(rocket, might=2)
    before = [(each.position, each.velocity) for each in scene.sprites]
    with pytest.raises(ShapeError, match=r"SpriteSolidColor at \(900000000000000"):
        scene.engine.update()
    assert [(each.position, each.velocity) for each in scene.sprites] == before
    scene.engine.remove(rocket)
    scene.engine.update()
    untroubled.engine.update()
    assert scene.state() == untroubled.state()


@pytest.mark.parametrize(
    ("sprites", "error", "complaint"),
    [
        (lambda scene: block(NAN, 0), ShapeError, "SpriteSolidColor at (nan, 0)"),
        (lambda scene: [block(1, 2), block(3, 4, scale=0)], ShapeError, "SpriteSolidColor at (3, 4)"),
        (lambda scene: listed(block(5, 6, change_y=INFINITY)), ShapeError, "SpriteSolidColor at (5, 6)"),
        (lambda scene: scene.player, ValueError, "SpriteSolidColor at (20"),
        (lambda scene: [block(1, 2), scene.player], ValueError, "SpriteSolidColor at (20"),
        (lambda scene: [block(1, 2), "sprite"], TypeError, "'sprite'"),
        (lambda scene: "sprite", TypeError, "'sprite'"),
        (lambda scene: 7, TypeError, "7"),
        (lambda scene: None, TypeError, "None"),
        (lambda scene: [[None]], TypeError, "None"),
    ],
)
def test_what_is_no_good_is_not_added(sprites: Callable[[Any], Any], error: type[Exception], complaint: str) -> None:
    scene, untroubled = Scene(), Scene()
    with pytest.raises(error) as raised:
        scene.engine.add(sprites(scene))
    assert complaint in str(raised.value)
    assert list(scene.engine.sprites()) == scene.sprites
    assert len(scene.engine.world) == len(scene.sprites)
    scene.engine.update()
    untroubled.engine.update()
    assert scene.state() == untroubled.state()


@pytest.mark.parametrize(
    ("rule", "complaint"),
    [
        ({"might": 1.5}, "might"),
        ({"might": None}, "might"),
        ({"layer": 0}, "layer"),
        ({"mask": -1}, "mask"),
        ({"carrying": 99}, "carrying"),
        ({"sticky": "TOP"}, "sticky"),
        ({"passable": None}, "passable"),
    ],
)
@pytest.mark.parametrize("is_empty", [False, True])
def test_a_wrong_rule_is_refused_at_once_and_leaves_no_trace(
    rule: dict[str, Any], complaint: str, is_empty: bool
) -> None:
    """This includes the case that a list has changed since the last update: its new sprites must not be added twice."""
    player, walls = block(0, 0), listed()
    engine = PushEngine(player, walls)
    walls.append(block(50, 0))
    with pytest.raises(ShapeError, match=complaint):
        engine.add(listed() if is_empty else block(80, 0), **rule)
    player.change_x = 100
    engine.update()
    assert player.position == (40, 0)
    assert len(engine.world) == len(list(engine.sprites())) == 2


def test_a_player_in_the_mighty_list_is_named_and_may_be_taken_out_again() -> None:
    player, walls = block(0, 0), listed(block(20, 0))
    engine = PushEngine(listed(player), walls)
    walls.append(player)
    player.change_x = 30
    with pytest.raises(ValueError, match=r"SpriteSolidColor at \(0, 0\) must not be added to the engine twice"):
        engine.update()
    assert player.position == (0, 0)
    walls.remove(player)
    engine.update()
    assert player.position == (10, 0)


def test_something_that_is_no_sprite_in_a_list_is_named_and_may_be_taken_out_again() -> None:
    player, walls = block(0, 0, change_x=30), [block(20, 0)]
    engine = PushEngine(player, walls)
    walls.append("wall")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="'wall'"):
        engine.update()
    assert player.position == (0, 0)
    walls.pop()
    engine.update()
    assert player.position == (10, 0)


@pytest.mark.parametrize("method", ["body", "sides", "blocked", "stuck", "teleport"])
def test_a_sprite_that_the_engine_does_not_know_is_named(method: str) -> None:
    with pytest.raises(ValueError, match=r"must have been added to this engine, got SpriteSolidColor at \(3, 4\)"):
        getattr(PushEngine(), method)(block(3, 4))


def test_a_wall_cannot_be_teleported_to_nowhere() -> None:
    player, wall = block(0, 0), block(20, 0)
    engine = PushEngine(player, wall)
    wall.center_x = NAN
    with pytest.raises(ShapeError, match="SpriteSolidColor at"):
        engine.teleport(wall)
    wall.position = (30, 0)
    engine.teleport(wall)
    player.change_x = 100
    engine.update()
    assert player.position == (20, 0)


# ---------------------------------------------------------------- nothing to do


class Counted(arcade.SpriteSolidColor):
    """A sprite that counts the writes to its position and velocity."""

    writes = 0

    @property
    def position(self) -> Any:
        return super().position

    @position.setter
    def position(self, position: Any) -> None:
        self.writes += 1
        BasicSprite.position.fset(self, position)

    @property
    def change_x(self) -> float:
        return super().change_x

    @change_x.setter
    def change_x(self, speed: float) -> None:
        self.writes += 1
        Sprite.change_x.fset(self, speed)

    @property
    def change_y(self) -> float:
        return super().change_y

    @change_y.setter
    def change_y(self, speed: float) -> None:
        self.writes += 1
        Sprite.change_y.fset(self, speed)


def test_an_update_with_nothing_to_do_writes_nothing() -> None:
    player, crate, wall = (Counted(10, 10, center_x=10 * i) for i in range(3))
    engine = PushEngine(player, crate)
    engine.add(wall, might=2)
    engine.update()
    for sprite in (player, crate, wall):
        sprite.writes = 0
    for _ in range(10):
        engine.update()
    assert [sprite.writes for sprite in (player, crate, wall)] == [0, 0, 0]


def test_who_stands_on_the_ground_is_not_put_anywhere() -> None:
    """Each write to a sprite's position makes Arcade update all its lists and its spatial hash."""
    player = Counted(10, 10)
    engine = PushEngine(player, floor(), stop_on_contact=True)
    player.velocity = (0, -1)
    engine.update()
    player.writes = 0
    for _ in range(10):
        player.velocity = (0, -1)
        engine.update()
    assert player.writes == 10  # its velocity, in each update


def test_a_speed_that_is_no_number_is_named_and_nothing_moves() -> None:
    player, wall = block(0, 0, change_x=5), block(50, 0)
    engine = PushEngine(player, wall)
    wall.change_x = "fast"  # type: ignore[assignment]
    with pytest.raises(ShapeError, match=r"SpriteSolidColor at \(50, 0\): .* got .*'fast'"):
        engine.update()
    assert player.position == (0, 0)
    wall.change_x = 0
    engine.update()
    assert player.position == (5, 0)
