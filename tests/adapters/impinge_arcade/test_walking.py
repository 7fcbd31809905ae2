"""Walkers of a PushEngine and their abilities. All figures were worked out by hand."""

from __future__ import annotations

import math
from typing import Any

import arcade
import pytest
from arcade import Sprite, SpriteList
from arcade.hitbox import HitBox

from impinge import ShapeError, Side
from impinge_arcade import Jump, Ladders, PushEngine, Walker, WallSlide
from sprites import blocks, listed

block = blocks(10, 10)


def game(*walls: Sprite, **rule: Any) -> tuple[PushEngine, Sprite]:
    """Return an engine and its hero, which stands at the origin on a floor, unless the walls are given."""
    hero = block(0, 0)
    engine = PushEngine(listed(hero))
    engine.add(list(walls) or [block(0, -10, 1000)], **rule)
    return engine, hero


def play(engine: PushEngine, updates: int) -> None:
    for _ in range(updates):
        engine.update()


def test_gravity_adds_up_and_the_ground_stops_it() -> None:
    engine, hero = game(block(0, -29, 100))
    walker = Walker(engine, hero, gravity=2)
    heights = []
    for _ in range(5):
        engine.update()
        heights.append((hero.center_y, hero.change_y, walker.on_floor))
    assert heights == [(-2, -2, False), (-6, -4, False), (-12, -6, False), (-19, 0, True), (-19, 0, True)]
    assert walker.floor is not None
    assert walker.floor.center_y == -29


def test_gravity_stops_at_the_largest_fall_and_keeps_a_faster_one() -> None:
    engine, hero = game(block(0, -9000))
    Walker(engine, hero, gravity=2, max_fall=5)
    play(engine, 4)
    assert hero.change_y == -5
    hero.change_y = -40  # a stomp
    play(engine, 2)
    assert hero.change_y == -40


def test_a_ceiling_stops_the_rise() -> None:
    engine, hero = game(block(0, 20, 100), block(0, -10, 100))
    jump = Jump(30)
    Walker(engine, hero, jump, gravity=1)
    play(engine, 1)
    jump.press()
    play(engine, 1)
    assert (hero.center_y, hero.change_y) == (10, 0)
    play(engine, 1)
    assert (hero.center_y, hero.change_y) == (9, -1)


def test_a_jump_needs_the_ground() -> None:
    engine, hero = game()
    jump = Jump(9)
    walker = Walker(engine, hero, jump, gravity=1)
    play(engine, 1)
    jump.press()
    play(engine, 3)
    assert hero.center_y == 9 + 8 + 7
    jump.press()
    play(engine, 1)
    assert hero.center_y == 9 + 8 + 7 + 6
    play(engine, 30)
    assert walker.on_floor


@pytest.mark.parametrize(("late", "jumps"), [(0, True), (2, True), (3, False)])
def test_coyote_time_allows_a_jump_shortly_after_the_edge(late: int, jumps: bool) -> None:
    engine, hero = game(block(0, -10, 20))
    jump = Jump(9, coyote=3)
    walker = Walker(engine, hero, jump, gravity=1)
    play(engine, 1)
    walker.run(30)
    play(engine, 1)  # over the edge at once
    assert not walker.on_floor
    play(engine, late)
    height = hero.center_y
    jump.press()
    play(engine, 1)
    assert (hero.center_y == height + 9) is jumps


@pytest.mark.parametrize(("early", "jumps"), [(1, True), (3, True), (4, False)])
def test_a_press_before_the_landing_is_remembered(early: int, jumps: bool) -> None:
    """The hero falls by 1, 2, 3... and lands at -20 in the sixth update: the jump is in the seventh."""
    engine, hero = game(block(0, -30, 100))
    jump = Jump(9, buffer=3)
    Walker(engine, hero, jump, gravity=1)
    play(engine, 7 - 1 - early)
    jump.press()
    play(engine, 1 + early)
    assert (hero.center_y == -20 + 9) is jumps


def test_a_double_jump_is_one_in_the_air() -> None:
    engine, hero = game()
    jump = Jump(9, times=2)
    Walker(engine, hero, jump, gravity=1)
    play(engine, 1)
    for _ in range(3):
        jump.press()
        play(engine, 2)
    # Two updates of the first jump, two of the second, and the third press does nothing.
    assert hero.center_y == 9 + 8 + 9 + 8 + 7 + 6


def test_after_a_fall_from_an_edge_one_jump_less_is_left() -> None:
    engine, hero = game(block(0, -10, 20))
    jump = Jump(9, times=2)
    walker = Walker(engine, hero, jump, gravity=1)
    play(engine, 1)
    walker.run(30)
    play(engine, 5)
    for rises in (True, False):
        jump.press()
        height = hero.center_y
        play(engine, 1)
        assert (hero.center_y > height) is rises
        hero.change_y = -3


def test_a_short_press_makes_a_low_jump() -> None:
    engine, hero = game()
    jump = Jump(8, cut=0.5)
    Walker(engine, hero, jump, gravity=1)
    play(engine, 1)
    jump.press()
    play(engine, 1)
    jump.release()
    play(engine, 1)
    assert hero.center_y == 8 + 3.5
    play(engine, 1)  # the release cuts once
    assert hero.center_y == 8 + 3.5 + 2.5


def test_a_jump_from_a_lift_takes_its_speed_along() -> None:
    lift = block(0, -10, 100, change_y=4)
    engine, hero = game(lift)
    jump = Jump(9)
    Walker(engine, hero, jump, gravity=1)
    play(engine, 2)
    assert hero.center_y == 8
    jump.press()
    play(engine, 1)
    assert hero.center_y == 8 + 9 + 4


def test_a_walker_climbs_slopes_and_steps_and_stays_on_the_ground_downhill() -> None:
    ramp = block(60, 0)
    ramp.hit_box = HitBox(((-30, -5), (30, -5), (30, 25), (0, 25)), ramp.position)  # 45 degrees up to y = 25
    step = block(110, 0, 40, 34)  # its top is at 17
    engine, hero = game(block(0, -10, 1000), ramp, step)
    walker = Walker(engine, hero, gravity=1, max_slope_degrees=46, snap=23, step_height=9)
    play(engine, 1)
    walker.run(4)
    highest = 0.0
    while hero.center_x < 160:
        play(engine, 1)
        assert walker.on_floor
        highest = max(highest, hero.bottom)
    assert highest == pytest.approx(25)
    assert hero.bottom == -5


@pytest.mark.parametrize(("slope", "climbs"), [(44, False), (46, True)])
def test_a_slope_that_is_too_steep_is_a_wall(slope: float, climbs: bool) -> None:
    ramp = block(60, 0)
    ramp.hit_box = HitBox(((-30, -5), (30, -5), (30, 55)), ramp.position)
    engine, hero = game(block(0, -10, 1000), ramp)
    walker = Walker(engine, hero, gravity=1, max_slope_degrees=slope)
    walker.run(3)
    play(engine, 20)
    assert (hero.bottom > 10) is climbs


def test_ladders_hold_and_lift_and_end_without_a_hop() -> None:
    ladders: SpriteList[Sprite] = SpriteList()
    engine, hero = game()
    climb = Ladders(ladders)
    walker = Walker(engine, hero, climb, gravity=1)
    play(engine, 3)
    ladders.append(block(0, 45, 10, 100))  # from -5 to 95
    play(engine, 3)
    assert walker.on_floor
    climb.speed = 5
    play(engine, 4)
    assert (hero.center_y, climb.is_on, walker.is_supported) == (20, True, True)
    climb.speed = 0
    play(engine, 10)
    assert hero.center_y == 20
    climb.speed = 5
    play(engine, 16)
    assert hero.bottom == pytest.approx(95)
    heights = []
    for _ in range(10):
        play(engine, 1)
        heights.append(hero.bottom)
    assert max(heights) <= 100


def test_one_can_jump_off_a_ladder() -> None:
    ladders = listed(block(0, 95, 10, 200))
    engine, hero = game()
    climb, jump = Ladders([ladders]), Jump(12)
    Walker(engine, hero, climb, jump, gravity=1)
    climb.speed = 5
    play(engine, 6)
    climb.speed = 0
    play(engine, 1)
    assert hero.center_y == 30
    jump.press()
    play(engine, 3)
    assert hero.center_y == 30 + 12 + 11 + 10


def test_a_wall_slows_the_fall_of_a_walker_that_runs_against_it() -> None:
    engine, hero = game(block(10, 0, 10, 4000))
    walker = Walker(engine, hero, WallSlide(2), gravity=1)
    walker.run(3)
    play(engine, 10)
    assert walker.wall == Side.RIGHT
    assert hero.change_y == -2
    walker.run(0)
    play(engine, 3)
    assert hero.change_y == -5


def test_a_game_s_own_ability_dashes() -> None:
    class Dash:
        def __init__(self) -> None:
            self.updates = 0

        def prepare(self, walker: Walker) -> None:
            if self.updates:
                self.updates -= 1
                walker.sprite.velocity = 20, 0

    engine, hero = game(block(0, -10, 20))
    dash = Dash()
    walker = Walker(engine, hero, dash, gravity=1)
    play(engine, 1)
    dash.updates = 4
    play(engine, 4)
    assert hero.position == (80, 0)
    assert not walker.on_floor


def test_a_walker_that_is_killed_rests_and_walks_again_when_it_is_back() -> None:
    engine, hero = game(block(0, -10, 100), block(60, 0, 20, 14))
    heroes = hero.sprite_lists[0]
    walker = Walker(engine, hero, gravity=1, step_height=14)
    play(engine, 2)
    hero.kill()
    play(engine, 2)
    assert not walker.on_floor
    assert walker.floor is None
    assert walker.wall == Side.NONE
    assert hero.change_y == 0
    heroes.append(hero)
    walker.run(5)
    play(engine, 11)
    assert hero.bottom == 7  # it has climbed the step: its new body is a walker


def test_a_walker_stopped_by_the_game_does_not_fall() -> None:
    engine, hero = game()
    walker = Walker(engine, hero, gravity=1)
    engine.stop(walker)
    hero.center_y = 50
    play(engine, 5)
    assert hero.center_y == 50


@pytest.mark.parametrize(
    ("make", "error", "complaint"),
    [
        (lambda engine, hero: Walker(engine, "hero", gravity=1), TypeError, "sprite must be a Sprite, got 'hero'"),
        (lambda engine, hero: Walker(engine, block(7, 8), gravity=1), ValueError, "sprite must have been added"),
        (lambda engine, hero: Walker(engine, hero, gravity=math.nan), ShapeError, "gravity must be finite"),
        (lambda engine, hero: Walker(engine, hero, gravity=1, max_slope_degrees=90), ShapeError, "max_slope_degrees"),
        (lambda engine, hero: Walker(engine, hero, gravity=1, max_fall=-1), ShapeError, "max_fall"),
        (lambda engine, hero: Walker(engine, hero, gravity=1, snap=-1), ShapeError, "snap"),
        (lambda engine, hero: Jump(-1), ShapeError, "speed"),
        (lambda engine, hero: Jump(1, coyote=1.5), ShapeError, "coyote must be an integer, 0 or more, got 1.5"),
        (lambda engine, hero: Jump(1, times=-1), ShapeError, "times"),
        (lambda engine, hero: WallSlide(math.inf), ShapeError, "speed"),
    ],
)
def test_wrong_arguments_are_refused(make: Any, error: type[Exception], complaint: str) -> None:
    engine, hero = game()
    with pytest.raises(error, match=complaint):
        make(engine, hero)
    play(engine, 3)
    assert hero.position == (0, 0)


@pytest.mark.parametrize("by_helper", [False, True])
def test_a_walker_that_comes_back_before_the_update_can_be_asked(by_helper: bool) -> None:
    """Its former body was asked, which is no longer in the world: an error, in `place` and then `on_floor`, or in the
    update if a helper brought the sprite back."""
    hero = arcade.SpriteSolidColor(20, 40, center_y=30)
    ground = arcade.SpriteSolidColor(400, 20)
    heroes: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList()
    heroes.append(hero)
    engine = PushEngine(heroes, ground)

    class Spawner:
        def before_update(self) -> None:
            if by_helper and not hero.sprite_lists:
                hero.change_y = -1
                heroes.append(hero)

        def after_update(self) -> None:
            pass

    engine.run(Spawner())
    walker = Walker(engine, hero, gravity=1)
    for _ in range(6):
        engine.update()
    hero.kill()
    if not by_helper:
        engine.update()
        heroes.append(hero)
        engine.place(hero, (0, 35))
        assert not walker.on_floor
    for _ in range(10):
        engine.update()
    assert walker.on_floor
    assert hero.bottom == 10


@pytest.mark.parametrize("depth", [0, 3])
def test_a_press_before_the_first_update_jumps_from_the_ground_or_out_of_it(depth: float) -> None:
    """Arcade's `can_jump` asks for walls below, so its player jumps at once; here the press was lost.

    The goal of a sprite in the ground stays where the speed leads from its start.
    """
    engine, hero = game()
    hero.center_y = -depth
    jump = Jump(9)
    Walker(engine, hero, jump, gravity=1)
    jump.press()
    play(engine, 1)
    assert hero.center_y == 9 - depth
    assert hero.change_y == 9


def test_a_press_before_the_first_update_in_the_air_does_nothing() -> None:
    engine, hero = game(block(0, -20, 1000))
    jump = Jump(9)
    Walker(engine, hero, jump, gravity=1)
    jump.press()
    play(engine, 1)
    assert hero.center_y == -1
