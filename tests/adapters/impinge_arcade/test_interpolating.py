"""Drawing sprites between two fixed steps. Drawn positions were worked out by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import arcade
import pytest
from arcade import Sprite
from arcade.clock import GLOBAL_CLOCK, GLOBAL_FIXED_CLOCK

from impinge_arcade import (
    Attachment,
    Interpolation,
    PhysicsEnginePlatformer,
    PhysicsEngineSimple,
    PushEngine,
    attach,
)
from sprites import blocks, listed

block = blocks(20, 20)


def drawn(smooth: Interpolation, sprite: Any, fraction: float) -> tuple[float, float]:
    """Return where a sprite is drawn. Check that a camera gets the same position, and that the sprite is restored."""
    stands, told = sprite.position, smooth.position(sprite, fraction)
    with smooth.drawn(fraction):
        place: tuple[float, float] = sprite.position
    assert sprite.position == stands
    assert told == place
    return place


class Stepped:
    """A game's own engine, which runs a function of the test in each step."""

    def __init__(self, act: Callable[[], object] = lambda: None) -> None:
        self.act = act

    def update(self) -> object:
        return self.act()


# ---------------------------------------------------------------- between two steps


def test_a_sprite_is_drawn_on_its_way_from_step_to_step() -> None:
    ball = block(0, 0, change_x=8, change_y=-4)
    smooth = Interpolation(PushEngine(ball))
    assert drawn(smooth, ball, 0.5) == (0, 0)
    smooth.update()
    assert [drawn(smooth, ball, part) for part in (0, 0.25, 0.5, 1)] == [(0, 0), (2, -1), (4, -2), (8, -4)]
    smooth.update()
    assert [drawn(smooth, ball, part) for part in (0, 0.25, 1)] == [(8, -4), (10, -5), (16, -8)]
    ball.velocity = 0, 0
    smooth.update()
    assert drawn(smooth, ball, 0.25) == (16, -8)


def test_less_than_no_step_and_more_than_a_whole_one_are_not_drawn() -> None:
    """With a frame cap, Arcade's fixed clock may be several steps late. No sprite is drawn ahead of the physics."""
    ball = block(0, 0, change_x=8)
    smooth = Interpolation(PushEngine(ball))
    smooth.update()
    assert [drawn(smooth, ball, part) for part in (-1, 3.5)] == [(0, 0), (8, 0)]


def test_by_default_the_fraction_is_that_of_arcade_s_fixed_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    ball = block(0, 0, change_x=8)
    smooth = Interpolation(PushEngine(ball))
    smooth.update()
    monkeypatch.setattr(GLOBAL_CLOCK, "_elapsed_time", GLOBAL_FIXED_CLOCK.time + 0.75 * GLOBAL_FIXED_CLOCK.rate)
    with smooth.drawn():
        assert ball.center_x == pytest.approx(6)
    assert smooth.position(ball)[0] == pytest.approx(6)


def test_an_update_returns_what_the_engine_s_does() -> None:
    hero, wall = block(0, 0, change_x=500), block(100, 0)
    assert Interpolation(PhysicsEngineSimple(hero, listed(wall))).update() == [wall]


def test_the_engine_never_sees_where_sprites_are_drawn(window: Any) -> None:
    def played(draws: bool) -> list[Any]:
        hero, wall, crate = block(0, 60, change_x=3), block(0, 0, 900, 20), block(90, 20, change_x=-1)
        platform = block(60, 40, change_x=-2, boundary_left=-100, boundary_right=100)
        engine = PhysicsEnginePlatformer(hero, listed(platform), walls=listed(wall, crate), gravity_constant=0.7)
        smooth = Interpolation(engine)
        way = []
        for frame in range(120):
            hero.change_x = 3 if frame % 50 < 30 else -3
            crate.center_x -= 1
            told = smooth.update()
            if draws:
                with smooth.drawn(frame * 0.37 % 1):
                    engine.walls[0].draw()
            way.append((hero.position, platform.position, hero.change_y, told and told[0].position))
        return way

    assert played(draws=True) == played(draws=False)


def test_turning_sprites_turn_on_the_short_way() -> None:
    wheel = block(0, 0, change_angle=20, angle=350)
    smooth = Interpolation(PhysicsEngineSimple(wheel, listed()))
    smooth.update()
    assert wheel.angle % 360 == 10
    with smooth.drawn(0.25):
        assert wheel.angle % 360 == 355
    assert wheel.angle % 360 == 10
    arm = block(0, 0, angle=350)
    smooth = Interpolation(Stepped(lambda: setattr(arm, "angle", 10)), arm)
    smooth.update()
    with smooth.drawn(0.25):
        assert arm.angle % 360 == 355
    assert arm.angle == 10


def test_sprites_that_cannot_turn_are_drawn_too() -> None:
    speck = arcade.BasicSprite(arcade.make_soft_square_texture(8, arcade.color.RED), center_x=0)
    smooth = Interpolation(Stepped(lambda: setattr(speck, "position", (4, 0))), [speck])
    smooth.update()
    assert drawn(smooth, speck, 0.25) == (1, 0)


# ---------------------------------------------------------------- teleported sprites


@pytest.mark.parametrize("moves_on", [0, 6])
def test_who_is_put_elsewhere_before_a_step_is_drawn_there(moves_on: int) -> None:
    hero = block(0, 0)
    smooth = Interpolation(PushEngine(hero))
    smooth.update()
    hero.position, hero.change_x = (500, 300), moves_on
    smooth.update()
    assert drawn(smooth, hero, 0) == (500, 300)
    assert drawn(smooth, hero, 0.5) == (500 + 0.5 * moves_on, 300)


def test_who_is_put_elsewhere_after_a_step_is_drawn_there() -> None:
    hero = block(0, 0, change_x=6)
    smooth = Interpolation(PushEngine(hero))
    smooth.update()
    hero.position = 500, 300
    assert drawn(smooth, hero, 0.25) == (500, 300)
    smooth.update()
    assert drawn(smooth, hero, 0.5) == (503, 300)


def test_what_the_game_moves_a_little_in_a_step_is_drawn_on_its_way() -> None:
    lift = block(0, 0, 40, 10)
    smooth = Interpolation(PushEngine(mighty=lift))
    smooth.update()
    lift.center_y += 4
    smooth.update()
    assert drawn(smooth, lift, 0.25) == (0, 1)


def test_what_the_game_moves_by_its_speed_is_drawn_on_its_way_however_fast() -> None:
    shot = block(0, 0, 4, 4, change_x=300)
    smooth = Interpolation(Stepped(), shot)
    smooth.update()
    shot.update()
    smooth.update()
    assert drawn(smooth, shot, 0.25) == (75, 0)


def test_what_the_game_moves_between_steps_is_drawn_there_and_never_goes_back() -> None:
    paddle = block(0, 0, 100, 10)
    smooth = Interpolation(PushEngine(mighty=paddle))
    way = []
    for _ in range(3):
        smooth.update()
        way.append(drawn(smooth, paddle, 0.2)[0])
        paddle.center_x += 7
        way.append(drawn(smooth, paddle, 0.8)[0])
    assert way == [0, 7, 7, 14, 14, 21]


def test_who_is_moved_while_it_is_drawn_stays_there() -> None:
    hero = block(0, 0, change_x=6)
    smooth = Interpolation(PushEngine(hero))
    smooth.update()
    with smooth.drawn(0.5):
        hero.position = 70, 70
    assert hero.position == (70, 70)


def test_to_draw_within_a_drawing_changes_nothing() -> None:
    """The engine is attached to a view whose `on_draw` interpolates too. The inner block must not keep drawn places."""
    hero = block(0, 0, change_x=8)
    smooth = Interpolation(PushEngine(hero))
    smooth.update()
    with smooth.drawn(0.5):
        with smooth.drawn(0.25):
            assert hero.center_x == 4
        assert hero.center_x == 4
    assert hero.center_x == 8


def test_a_step_while_drawing_begins_where_the_last_one_ended() -> None:
    hero = block(0, 0, change_x=8)
    smooth = Interpolation(PushEngine(hero))
    smooth.update()
    with smooth.drawn(0.5):
        smooth.update()
        assert hero.center_x == 16
    assert hero.center_x == 16


def test_after_an_error_while_drawing_all_are_back() -> None:
    hero = block(0, 0, change_x=6)
    smooth = Interpolation(PushEngine(hero))
    smooth.update()
    with pytest.raises(RuntimeError), smooth.drawn(0.5):
        raise RuntimeError
    assert hero.position == (6, 0)


# ---------------------------------------------------------------- which sprites are interpolated


def test_players_platforms_and_moving_walls_are_known() -> None:
    def one(y: float) -> Sprite:
        return block(0, y, change_x=8)

    players, lifts, planks, doors = [one(0), one(100)], listed(one(200)), listed(one(300)), listed(one(400))
    smooth = Interpolation(PhysicsEnginePlatformer(players[0], lifts, players=players[1:], one_way=planks))
    smooth.update()
    assert [drawn(smooth, each, 0.25)[0] for each in (*players, lifts[0], planks[0])] == [2, 2, 2, 2]
    player = block(0, 0, change_x=4)
    smooth = Interpolation(PhysicsEngineSimple(player, moving_walls=doors))
    smooth.update()
    assert [drawn(smooth, each, 0.25)[0] for each in (player, doors[0])] == [1, 2]


def test_arcade_s_own_engines_are_drawn_smoothly_too() -> None:
    hero = block(0, 0, change_x=8)
    smooth = Interpolation(arcade.PhysicsEngineSimple(hero, listed()))
    smooth.update()
    assert drawn(smooth, hero, 0.25) == (2, 0)


def test_lists_are_followed() -> None:
    first, second = block(0, 0, change_x=8), block(0, 90, change_x=8)
    crowd = listed(first)
    smooth = Interpolation(Stepped(crowd.update), [crowd])
    smooth.update()
    crowd.append(second)
    first.kill()
    smooth.update()
    assert drawn(smooth, first, 0.25) == (8, 0)
    assert drawn(smooth, second, 0.25) == (2, 90)


def test_what_is_no_engine_or_tells_no_sprites_is_refused() -> None:
    with pytest.raises(TypeError, match=r"engine must have an update\(\), got None"):
        Interpolation(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="sprites must be given for an engine that does not tell them"):
        Interpolation(Stepped())


# ---------------------------------------------------------------- in a game


@pytest.fixture
def attached(window: Any) -> Iterator[Callable[..., Attachment]]:
    attachments: list[Attachment] = []

    def attach_for_now(*arguments: Any) -> Attachment:
        attachments.append(attach(*arguments))
        return attachments[-1]

    yield attach_for_now
    for attachment in reversed(attachments):
        attachment.detach()


class Level(arcade.View):
    """A view that records the position of its hero at each event."""

    def __init__(self, hero: Sprite) -> None:
        super().__init__()
        self.hero, self.updated, self.drawn = hero, [], []  # type: ignore[var-annotated]

    def on_update(self, delta_time: float) -> None:
        self.updated.append(self.hero.center_x)

    def on_draw(self) -> None:
        self.drawn.append(round(self.hero.center_x, 6))


def run(window: Any, frames: int, rate: float) -> None:
    """Run frames as Arcade's loop does."""
    for _ in range(frames):
        window._dispatch_updates(rate)  # noqa: SLF001
        window.dispatch_event("on_draw")
        window.dispatch_events()


def test_a_view_draws_between_its_fixed_steps(
    window: Any, attached: Callable[..., Attachment], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each step is drawn three times. Without interpolation, the first two pictures would be the same."""
    monkeypatch.setattr(GLOBAL_CLOCK, "_elapsed_time", GLOBAL_FIXED_CLOCK.time)
    hero = block(0, 0, change_x=6)
    level = Level(hero)
    window.show_view(level)
    attachment = attached(level, Interpolation(PhysicsEngineSimple(hero, listed())), "on_fixed_update")
    rate = window.fixed_delta_time
    run(window, 7, rate * (1 + 1e-9) / 3)
    assert level.drawn == pytest.approx([0, 0, 0, 2, 4, 6, 8], abs=1e-6)
    assert level.updated == [0, 0, 6, 6, 6, 12, 12]
    attachment.detach()
    level.drawn.clear()
    run(window, 2, rate / 3)
    assert level.drawn == [12, 12]
    assert "on_draw" not in vars(level)


def test_an_interpolation_needs_steps_of_equal_time(window: Any) -> None:
    with pytest.raises(ValueError, match="on must be 'on_fixed_update' for an Interpolation, got 'on_update'"):
        attach(window, Interpolation(PushEngine()))
