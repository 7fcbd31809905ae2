"""Several stages around one step: rules and sweeps together, and steps that raise."""

from __future__ import annotations

import copy
import math
from typing import Any

import pymunk
import pytest
from pymunk import Body, Circle, Segment, Space

import impinge as im
from impinge_pymunk import continuous, push_rule

WALL, CRATE = 1, 2
DT = 1 / 60


def post(space: Space, x: float, kind: int) -> Segment:
    """Add an elastic wall, 1 wide."""
    wall = Segment(space.static_body, (x, -50), (x, 50), 0.5)
    wall.collision_type, wall.elasticity = kind, 1
    space.add(wall)
    return wall


def bullet(space: Space, kind: int, speed: float = 9000) -> Body:
    """Add an elastic ball that flies to the right."""
    body = Body(1, 1)
    body.velocity = speed, 0
    ball = Circle(body, 3)
    ball.collision_type, ball.elasticity = kind, 1
    space.add(body, ball)
    return body


@pytest.mark.parametrize("first", ["rule", "sweep"])
def test_a_weak_bullet_stops_at_its_wall_whichever_is_set_up_first(first: str) -> None:
    space = Space()
    if first == "rule":
        push_rule(space, WALL, CRATE)
    continuous(space)
    if first == "sweep":
        push_rule(space, WALL, CRATE)
    post(space, 100, WALL)
    body = bullet(space, CRATE)
    for _ in range(3):
        space.step(DT)
        assert body.position.x == pytest.approx(96.5, abs=1e-6)
        assert body.velocity.x == pytest.approx(0, abs=1e-9)


def test_a_weak_bullet_bounces_off_what_no_rule_is_for_though_its_wall_is_behind() -> None:
    """The rule moves the bullet to the wall at 100. It used to pass through the wall at 60 without a sweep."""
    space = Space()
    push_rule(space, WALL, CRATE)
    continuous(space)
    post(space, 100, WALL)
    post(space, 60, 0)
    body = bullet(space, CRATE)
    space.step(DT)
    assert body.velocity == (-9000, 0)
    assert body.position.x <= 56.5


def test_a_weak_bullet_that_bounces_back_stops_at_a_wall_behind_it() -> None:
    space = Space()
    push_rule(space, WALL, CRATE)
    continuous(space)
    post(space, -20, WALL)
    post(space, 60, 0)
    body = bullet(space, CRATE)
    for _ in range(3):
        space.step(DT)
        assert -16.5 - 1e-6 <= body.position.x <= 56.5


def test_a_step_at_whose_end_the_game_fails_is_taken_all_the_same() -> None:
    def fail(space: Space, key: object) -> None:
        raise RuntimeError("out of ammunition")

    places = []
    for fails in (False, True):
        space = Space()
        continuous(space)
        post(space, 100, 0)
        body = bullet(space, 0)
        if fails:
            space.add_post_step_callback(fail, "key")
            with pytest.raises(RuntimeError, match="out of ammunition"):
                space.step(DT)
        else:
            space.step(DT)
        places.append((body.position, body.velocity))
    assert places[0] == places[1]
    assert places[0][1] == (-9000, 0)


@pytest.mark.parametrize("dt", [-DT, math.nan, math.inf, "soon", True, None])
def test_a_step_of_no_duration_that_there_is_moves_nothing(dt: Any) -> None:
    space = Space()
    continuous(space)
    body = bullet(space, 0)
    with pytest.raises(im.ShapeError, match="dt must be a finite number, 0 or more"):
        space.step(dt)
    assert body.position == (0, 0)


if pymunk.version.startswith("7"):

    def test_in_7_a_body_without_mass_is_refused_before_anything_has_moved() -> None:
        """Pymunk's own assertion came after bodies were put back for the step: they stayed there."""
        space = Space()
        continuous(space)
        post(space, 100, 0)
        body = bullet(space, 0)
        space.add(Body())
        with pytest.raises(AssertionError, match="Dynamic bodies must have a mass > 0"):
            space.step(DT)
        assert (body.position, body.velocity) == ((0, 0), (9000, 0))


def test_a_step_within_a_step_is_refused() -> None:
    """With a rule, it ended in an assertion, in the outer step as well."""
    space, said = Space(), []
    continuous(space)

    def again(body: Body, gravity: object, damping: float, dt: float) -> None:
        try:
            space.step(DT)
        except RuntimeError as error:
            said.append(str(error))

    body = bullet(space, 0)
    body.velocity_func = again
    space.step(DT)
    assert said == ["space.step must not be called from within a step"]
    space.step(DT)
    assert len(said) == 2


def shot(space: Space) -> tuple[pymunk.Vec2d, pymunk.Vec2d]:
    """Return place and velocity of the only body after a step."""
    space.step(DT)
    (body,) = space.bodies
    return body.position, body.velocity


@pytest.mark.parametrize("has_wall", [True, False])
def test_a_space_made_of_a_copied_state_is_continuous(has_wall: bool) -> None:
    """The copied step had a space of its own with the same bodies, so no other space could take them."""
    space = Space()
    steps = continuous(space)
    if has_wall:
        post(space, 100, 0)
    bullet(space, 0)
    state = copy.deepcopy(space.__getstate__())
    restored = Space.__new__(Space)
    restored.__setstate__(state)
    assert shot(restored) == shot(space)
    assert restored.step.space is restored  # type: ignore[attr-defined]
    assert steps.space is space


def test_a_game_copied_with_its_steps_before_its_space_steps_the_copy() -> None:
    space = Space()
    game = {"steps": continuous(space), "space": space}
    post(space, 100, 0)
    bullet(space, 0)
    twin: Any = copy.deepcopy(game)
    assert twin["steps"].space is twin["space"]
    assert shot(twin["space"]) == shot(space)
    twin["steps"].release()
    assert "step" not in vars(twin["space"])
    assert "step" in vars(space)
