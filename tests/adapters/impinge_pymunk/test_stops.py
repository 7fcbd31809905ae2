"""The report of continuous steps: times, places and normals known by hand."""

from __future__ import annotations

import gc
import math
import pickle
import weakref
from typing import Any

import pymunk
import pytest
from pymunk import Body, Circle, Poly, Segment, Space

import impinge as im
from impinge_pymunk import Stop, continuous, push_rule

FRAME = 1 / 60


def shot(space: Space, position: tuple[float, float], velocity: tuple[float, float]) -> Circle:
    """Add an elastic bullet of radius 2."""
    body = Body(1, 2)
    body.position, body.velocity = position, velocity
    ball = Circle(body, 2)
    ball.elasticity = 1
    space.add(body, ball)
    return ball


def walled(space: Space, x: float, body: Body | None = None) -> Segment:
    """Add an elastic wall, 1 px thick and upright."""
    wall = Segment(body or space.static_body, (x, -500), (x, 500), 0.5)
    wall.elasticity = 1
    space.add(wall)
    return wall


def check(stop: Stop, shape: pymunk.Shape, other: pymunk.Shape, time: float, point: Any, normal: Any) -> None:
    assert (stop.body, stop.shape, stop.other) == (shape.body, shape, other)
    assert stop.time == pytest.approx(time, abs=1e-4)
    assert tuple(stop.point) == pytest.approx(point, abs=1e-4)
    assert tuple(stop.normal) == pytest.approx(normal, abs=1e-4)


# ---------------------------------------------------------------- records


def test_a_bullet_at_a_wall() -> None:
    """It moves 100 px in the step; its centre reaches 49.5 - 2 after 47.5 of them."""
    space = Space()
    ball, wall = shot(space, (0, 7), (6000, 0)), walled(space, 50)
    steps = continuous(space)
    assert steps.stops == ()
    space.step(FRAME)
    [stop] = steps.stops
    check(stop, ball, wall, 0.475, (49.5, 7), (1, 0))
    assert not steps.behind
    # The report of a step does not last.
    space.step(FRAME)
    assert steps.stops == ()


def test_two_bullets_that_stop_each_other_have_a_record_each() -> None:
    """Their surfaces are 96 px apart, and each moves 100 px."""
    space = Space()
    one, other = shot(space, (-50, 0), (6000, 0)), shot(space, (50, 0), (-6000, 0))
    steps = continuous(space)
    space.step(FRAME)
    stops = {stop.shape: stop for stop in steps.stops}
    assert len(steps.stops) == 2
    check(stops[one], one, other, 0.48, (0, 0), (1, 0))
    check(stops[other], other, one, 0.48, (0, 0), (-1, 0))


def test_stops_are_in_order_of_time() -> None:
    space = Space()
    wall = walled(space, 50)
    balls = [shot(space, (x, y), (6000, 0)) for x, y in ((0, 0), (30, 20), (-40, 40), (10, 60))]
    steps = continuous(space)
    space.step(FRAME)
    assert [stop.shape for stop in steps.stops] == [balls[index] for index in (1, 3, 0, 2)]
    assert [stop.time for stop in steps.stops] == pytest.approx([0.175, 0.375, 0.475, 0.875], abs=1e-6)
    assert {stop.other for stop in steps.stops} == {wall}


def test_a_rod_that_turns_onto_a_peg() -> None:
    """It turns 1 rad in the step; its axis is 1 + 2 from the peg's centre when sin(bearing - angle) is 3 / 30."""
    space, body = Space(), Body(1, 500)
    rod = Segment(body, (-40, 0), (40, 0), 1)
    body.angular_velocity = 60
    peg = Circle(space.static_body, 2, (30 * math.cos(0.5), 30 * math.sin(0.5)))
    space.add(body, rod, peg)
    steps = continuous(space)
    space.step(FRAME)
    angle = 0.5 - math.asin(0.1)
    normal = -math.sin(angle), math.cos(angle)
    point = peg.offset.x - 2 * normal[0], peg.offset.y - 2 * normal[1]
    [stop] = steps.stops
    check(stop, rod, peg, angle, point, normal)


def test_the_face_of_a_box_touches_in_its_middle() -> None:
    space, body = Space(), Body(1, 100)
    box = Poly.create_box(body, (10, 20))
    body.position, body.velocity = (0, 7), (6000, 0)
    wall = walled(space, 50)
    space.add(body, box)
    steps = continuous(space)
    space.step(FRAME)
    [stop] = steps.stops
    check(stop, box, wall, 0.445, (49.5, 7), (1, 0))


def test_a_moving_wall_stops_a_ball_that_stands() -> None:
    """The wall moves 100 px to the left and meets the ball after 47.5; the normal is still that of the stopped ball."""
    space, platform = Space(), Body(body_type=Body.KINEMATIC)
    platform.position, platform.velocity = (50, 0), (-6000, 0)
    space.add(platform)
    ball, wall = shot(space, (0, 7), (0, 0)), walled(space, 0, platform)
    steps = continuous(space)
    space.step(FRAME)
    [stop] = steps.stops
    check(stop, ball, wall, 0.475, (2, 7), (1, 0))


def test_a_sensor_stops_a_body_that_goes_on() -> None:
    space = Space()
    ball, gate = shot(space, (0, 0), (6000, 0)), walled(space, 50)
    gate.sensor = True
    steps = continuous(space)
    space.step(FRAME)
    [stop] = steps.stops
    check(stop, ball, gate, 0.475, (49.5, 0), (1, 0))
    assert ball.body.position.x == pytest.approx(100)


def test_the_time_by_which_a_body_is_behind() -> None:
    """After the bounce 0.525 of the step are left, and the way back to the other wall takes 49 px of 6000 px/s."""
    space = Space()
    walled(space, 50)
    near = walled(space, -4)
    ball = shot(space, (0, 0), (6000, 0))
    steps = continuous(space)
    space.step(FRAME)
    assert list(steps.behind) == [ball.body]
    behind = 0.525 * FRAME - 49 / 6000
    assert steps.behind[ball.body] == pytest.approx(behind, abs=1e-6)
    # The next step reports its stop at the other wall: after 0.1 px, the slop, of 100 px and those that it is behind.
    space.step(FRAME)
    [stop] = steps.stops
    check(stop, ball, near, 0.1 / (100 + 6000 * behind), (-3.5, 0), (-1, 0))


def test_several_steps_a_frame_while_a_body_is_behind_let_it_catch_up() -> None:
    """It crosses the gap twice a frame. Its slow drift along the walls shows how much of its time it has used."""
    used = []
    for parts in (1, 4):
        space = Space()
        for x in (0, 50):
            walled(space, x)
        ball = shot(space, (25, 0), (6000, 100))
        steps = continuous(space)
        for _ in range(120):
            divided = parts if steps.behind else 1
            for _ in range(divided):
                space.step(FRAME / divided)
        assert 2 < ball.body.position.x < 48
        used.append(ball.body.position.y / 200)
    assert used[0] < 0.5
    assert used[1] == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("change", ["move", "remove", "release"])
def test_a_body_that_is_moved_or_removed_is_not_behind(change: str) -> None:
    space = Space()
    for x in (-4, 50):
        walled(space, x)
    ball = shot(space, (0, 0), (6000, 0))
    steps = continuous(space)
    space.step(FRAME)
    assert steps.behind
    if change == "move":
        ball.body.position = 20, 0
    elif change == "remove":
        space.remove(ball.body, ball)
    else:
        steps.release()
    assert steps.behind == {}


def test_the_time_of_a_stop_in_a_divided_step_is_a_fraction_of_the_whole_step() -> None:
    """A longer step after an impact is divided in four here; the way to the second wall is 124 of its 200 px."""
    space = Space()
    walled(space, 50)
    far = walled(space, -81.5)
    ball = shot(space, (0, 0), (6000, 0))
    told: list[tuple[Stop, float]] = []
    steps = continuous(space, on_stop=lambda stop: told.append((stop, ball.body.position.x)))
    space.step(1 / 120)
    assert ball.body.position.x == pytest.approx(45, abs=1e-3)
    told.clear()
    space.step(1 / 30)
    [stop] = steps.stops
    check(stop, ball, far, 0.62, (-81, 0), (-1, 0))
    # The function was called after the last part.
    assert told == [(stop, ball.body.position.x)]
    assert ball.body.position.x == pytest.approx(-79 + 76, abs=0.01)


def test_stops_keep_nothing_after_the_next_step() -> None:
    space = Space()
    walled(space, 50)
    continuous(space, on_stop=lambda stop: space.remove(stop.body, stop.shape))
    shapes = []
    for _ in range(20):
        shapes.append(weakref.ref(shot(space, (0, 0), (6000, 0))))
        space.step(FRAME)
    space.step(FRAME)
    gc.collect()
    assert [shape() for shape in shapes] == [None] * 20


# ---------------------------------------------------------------- the function


def test_the_function_is_called_after_the_step_in_order_of_time() -> None:
    space = Space()
    walled(space, 50)
    late, early = shot(space, (0, 0), (6000, 0)), shot(space, (30, 20), (6000, 0))
    told: list[tuple[Stop, float]] = []
    steps = continuous(space, on_stop=lambda stop: told.append((stop, stop.body.position.x)))
    space.step(FRAME)
    assert [stop for stop, _ in told] == list(steps.stops)
    # Both have bounced already, and used the rest of the step.
    assert told[0][0].shape is early
    assert [x for _, x in told] == pytest.approx([47.5 - 82.5, 47.5 - 52.5], abs=0.01)
    steps.on_stop = None
    late.body.velocity = early.body.velocity = 6000, 0
    space.step(FRAME)
    assert len(steps.stops) == len(told) == 2


def test_a_removed_body_is_not_reported_again() -> None:
    """Two bullets hit a crate from both sides, and the first one destroys it."""
    space, crate = Space(), Body(100, 1e4)
    box = Poly.create_box(crate, (10, 10))
    space.add(crate, box)
    first, second = shot(space, (-50, 0), (6000, 0)), shot(space, (70, 0), (-6000, 0))
    told = []

    def destroy(stop: Stop) -> None:
        told.append(stop.shape)
        space.remove(box, crate)

    steps = continuous(space, on_stop=destroy)
    space.step(FRAME)
    assert [stop.shape for stop in steps.stops if stop.body is not crate] == [first, second]
    assert told == [first]


def test_a_bullet_that_a_handler_removes_is_not_reported_to_the_function() -> None:
    space = Space()
    wall, ball = walled(space, 50), shot(space, (0, 0), (6000, 0))
    wall.collision_type, ball.collision_type = 1, 2

    def begin(arbiter: Any, *_: Any) -> bool:
        space.remove(ball, ball.body)
        return True

    if hasattr(space, "on_collision"):
        space.on_collision(1, 2, begin=begin)
    else:
        space.add_collision_handler(1, 2).begin = begin
    told: list[Stop] = []
    steps = continuous(space, on_stop=told.append)
    space.step(FRAME)
    assert not told
    assert [stop.shape for stop in steps.stops] == [ball]


def test_an_error_of_the_function_leaves_a_complete_step() -> None:
    """Push rules correct the bodies of a step before any function is called."""

    def scene() -> tuple[Space, Circle, Body]:
        space, press, crate = Space(), Body(1, 1), Body(1, 1)
        press.position, press.velocity = (0, 130), (0, -100)
        crate.position = 0, 100
        shapes = Poly.create_box(press, (40, 20)), Poly.create_box(crate, (20, 20))
        shapes[0].collision_type, shapes[1].collision_type = 3, 4
        space.add(press, crate, *shapes)
        walled(space, 50)
        push_rule(space, 3, 4)
        return space, shot(space, (0, 0), (6000, 0)), crate

    def fail(stop: Stop) -> None:
        raise RuntimeError("game")

    fair, _, pushed = scene()
    continuous(fair)
    space, ball, crate = scene()
    steps = continuous(space, on_stop=fail)
    # The press reaches the crate after 10 px, in the sixth step.
    for number in range(12):
        if number == 8:
            for one in (fair, space):
                bullet = next(shape.body for shape in one.shapes if isinstance(shape, Circle))
                assert bullet is not None
                bullet.position, bullet.velocity = (0, 0), (6000, 0)
        fair.step(FRAME)
        if number in (0, 8):
            with pytest.raises(RuntimeError, match="game"):
                space.step(FRAME)
            assert steps.stops
        else:
            space.step(FRAME)
    assert ball.body.position.x < 50
    assert (*crate.position, *crate.velocity) == (*pushed.position, *pushed.velocity)
    assert crate.position.y < 100


def test_a_function_may_remove_a_body_of_a_push_rule() -> None:
    space, press = Space(), Body(1, 1)
    press.position, press.velocity = (0, 30), (0, -100)
    roof, ball = Poly.create_box(press, (400, 20)), shot(space, (0, 0), (6000, 0))
    roof.collision_type, ball.collision_type = 1, 2
    space.add(press, roof)
    walled(space, 150)
    push_rule(space, 1, 2)
    told: list[Stop] = []

    def destroy(stop: Stop) -> None:
        told.append(stop)
        space.remove(stop.body, stop.shape)

    continuous(space, on_stop=destroy)
    for _ in range(30):
        space.step(FRAME)
    assert [stop.shape for stop in told] == [ball]
    assert ball.body not in space.bodies


def test_a_copy_of_a_space_has_no_function() -> None:
    """A function of a game cannot be pickled."""
    space = Space()
    walled(space, 50)
    shot(space, (0, 0), (6000, 0))
    told: list[Stop] = []
    continuous(space, on_stop=lambda stop: told.append(stop))
    for copy in (space.copy(), pickle.loads(pickle.dumps(space))):
        copy.step(FRAME)
        assert next(iter(copy.bodies)).position.x < 50
    assert not told
    space.step(FRAME)
    assert len(told) == 1


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("arguments", "kind", "complaint"),
    [
        ({"on_stop": 3}, TypeError, "on_stop must be a function, got 3"),
        ({"against": "statics"}, im.ShapeError, "against must be one of 'all', 'static', got 'statics'"),
        ({"against": None}, im.ShapeError, "against must be one of 'all', 'static', got None"),
        ({"ignored_shapes": [3]}, TypeError, "ignored_shapes must be pymunk.Shape, got 3"),
        ({"bodies": [3]}, TypeError, "bodies must be pymunk.Body, got 3"),
    ],
)
def test_wrong_arguments_are_named_and_change_nothing(
    arguments: dict[str, Any], kind: type[Exception], complaint: str
) -> None:
    space = Space()
    with pytest.raises(kind, match=complaint):
        continuous(space, **arguments)
    assert "step" not in vars(space)


def test_wrong_values_of_attributes_are_named() -> None:
    steps = continuous(Space())
    with pytest.raises(im.ShapeError, match="against must be one of 'all', 'static', got 3"):
        steps.against = 3  # type: ignore[assignment]
    with pytest.raises(TypeError, match="on_stop must be a function, got 3"):
        steps.on_stop = 3  # type: ignore[assignment]
    assert (steps.against, steps.on_stop) == ("all", None)
