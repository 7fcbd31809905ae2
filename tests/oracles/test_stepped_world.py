"""Test the stepped oracle against figures worked out on paper."""

from __future__ import annotations

import math

import numpy as np
import pytest

import impinge as im
from impinge import Pose, Side
from stepped_world import Actor, Cut, gap, nearest_within, settled, stepped, touched_side

BALL = im.Circle(1)
SQUARE = im.Box(2, 2)
FLOOR = Actor(im.Box(100, 2), Pose(0, -1), Pose(0, -1), might=1)
# Open at the top, lowest point at the origin, sides at right angles.
VALLEY = im.Polygon([(-10, 10), (0, 0), (10, 10), (10, -2), (-10, -2)])


def end(actors, steps=400):
    """Return the end position of the last body."""
    outcome = stepped(actors, steps)[-1]
    return outcome.x, outcome.y


def still(shape, place, might=1, **rules):
    return Actor(shape, Pose(*place), Pose(*place), might, **rules)


@pytest.mark.parametrize(
    ("a", "b", "place", "expected"),
    [
        (SQUARE, SQUARE, (5, 0), 3.0),
        (SQUARE, SQUARE, (5, 6), 5.0),
        (SQUARE, SQUARE, (1.5, 1), -0.5),
        (SQUARE, BALL, (4, 5), 4.0),
        (BALL, BALL, (0, 1.75), -0.25),
        (im.Capsule((-3, 0), (3, 0)), SQUARE, (0, 0.25), -0.75),
        (VALLEY, SQUARE, (0, 2), 0.0),  # its lower corners lie on both slopes
        (VALLEY, BALL, (0, 2), math.sqrt(2) - 1),
        (im.Polygon(VALLEY.vertices, 0.25), BALL, (0, 2), math.sqrt(2) - 1.25),
        (im.Compound([(SQUARE, Pose(-8, 0)), (BALL, Pose(8, 0))]), BALL, (8, 3), 1.0),
        (im.Compound([(SQUARE, Pose(-8, 0)), (im.Capsule((8, 0), (9, 0)), Pose(0, 0))]), BALL, (8.5, 0.5), -0.5),
    ],
)
def test_gap(a, b, place, expected):
    assert gap(a, Pose(0, 0), b, Pose(*place)) == pytest.approx(expected, abs=1e-12)
    assert gap(b, Pose(*place), a, Pose(0, 0)) == pytest.approx(expected, abs=1e-12)
    turn = 0.7
    x, y = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]]) @ place
    assert gap(a, Pose(3, -2, turn), b, Pose(3 + x, y - 2, turn)) == pytest.approx(expected, abs=1e-12)


def test_the_nearest_place_within_cuts():
    right, up = Cut((1.0, 0.0), 1.0, 0), Cut((0.0, 1.0), 2.0, 0)
    assert nearest_within((5, 5), [right, up]) == (5, 5)
    assert nearest_within((0, 5), [right, up]) == (1, 5)
    assert nearest_within((-3, -3), [right, up]) == (1, 2)
    assert nearest_within((0, 0), [right, Cut((-1.0, 0.0), -0.5, 1)]) is None
    slanted = Cut((-0.6, 0.8), 0.0, 1)
    assert nearest_within((3, -1), [up, slanted]) == pytest.approx((8 / 3, 2))
    assert nearest_within((3, 1), [slanted]) == pytest.approx((3 - 0.6, 1 + 0.8))


@pytest.mark.parametrize(
    ("normal", "side"),
    [((0, 1), Side.BOTTOM), ((0, -1), Side.TOP), ((1, 0.9), Side.LEFT), ((-1, 0.9), Side.RIGHT), ((1, 1), Side.BOTTOM)],
)
def test_sides(normal, side):
    assert touched_side(normal) == side


@pytest.mark.parametrize(("carrying", "expected"), [(Side.ALL, (6.5, 3)), (Side.LEFT, (5, 3)), (Side.TOP, (6.5, 3))])
def test_the_worked_example_of_the_push_rule(carrying, expected):
    block = Actor(im.Box(8, 8), Pose(-3, -8), Pose(0, -5), 1, carrying)
    assert end([block, Actor(im.Box(8, 8), Pose(6, 2), Pose(5, 1))]) == pytest.approx(expected, abs=0.02)


def test_free_bodies_reach_their_goals():
    outcomes = stepped([Actor(BALL, Pose(0, 0), Pose(5, 0)), Actor(BALL, Pose(1, 0), Pose(-5, 0))], 10)
    assert [(outcome.x, outcome.y, outcome.time) for outcome in outcomes] == [(5, 0, None), (-5, 0, None)]


@pytest.mark.parametrize("slope", [0.2, -0.5, 1.2])
def test_a_ball_that_falls_on_a_slope_slides_along_it(slope):
    ramp = Actor(im.Box(200, 2), Pose(0, 0, slope), Pose(0, 0, slope), might=1)
    # The slope's top is 1 from the origin and the ball is 1 above it: at x = 0 that is a height of 2 / cos.
    lands, falls = 2 / math.cos(slope), 10
    ball = Actor(BALL, Pose(0, lands + 4), Pose(0, lands + 4 - falls))
    along = -(falls - 4) * math.sin(slope)
    outcome = stepped([ramp, ball], 1000)[1]
    assert (outcome.x, outcome.y) == pytest.approx(
        (along * math.cos(slope), lands + along * math.sin(slope)), abs=falls / 1000
    )
    assert outcome.time == pytest.approx(0.4, abs=0.002)
    assert outcome.sides == (Side.BOTTOM if abs(slope) < math.pi / 4 else Side.LEFT if slope < 0 else Side.RIGHT)


@pytest.mark.parametrize(("carrying", "slid"), [(Side.NONE, 2 * 0.5), (Side.ALL, 0.5), (Side.LEFT | Side.BOTTOM, 1.0)])
def test_a_paddle_lifts_a_ball(carrying, slid):
    """Let s be the ball's position along the paddle, 2 above its centre. A pushed ball obeys s' = 2 w.

    It moves along the normal only, so the frame that rotates under it takes it outwards. A carried ball is also moved
    back by the surface, which moves at w times its own height of 1.
    """
    paddle = Actor(im.Box(40, 2), Pose(0, 0), Pose(0, 0, 0.5), 1, carrying)
    along = 5 + slid
    expected = along * math.cos(0.5) - 2 * math.sin(0.5), along * math.sin(0.5) + 2 * math.cos(0.5)
    assert end([paddle, still(BALL, (5, 2), might=0)], 1000) == pytest.approx(expected, abs=0.01)


def test_a_ball_slides_round_a_ball():
    """Its angle from the top obeys a' = (u / R) sin a, so the tangent of half the angle grows by exp(u t / R)."""
    begin, speed = 0.3, 3.5
    x, y = 2 * math.sin(begin), 2 * math.cos(begin)
    angle = 2 * math.atan(math.tan(begin / 2) * math.exp(speed / 2))
    assert angle < math.pi / 2, "it is still pressed on"
    place = end([still(BALL, (0, 0)), Actor(BALL, Pose(x, y), Pose(x, y - speed))], 2000)
    assert place == pytest.approx((2 * math.sin(angle), 2 * math.cos(angle)), abs=0.01)


def test_past_the_equator_it_falls_on():
    x, y = 2 * math.sin(1.0), 2 * math.cos(1.0)
    # tan(45 degrees) = tan(a / 2) exp(u t / R) gives the time when it lets go.
    lasting = math.log(1 / math.tan(0.5)) * 2 / 10
    place = end([still(BALL, (0, 0)), Actor(BALL, Pose(x, y), Pose(x, y - 10))], 2000)
    assert place == pytest.approx((2, -10 * (1 - lasting)), abs=0.02)


def test_a_valley_stops_what_falls_into_it():
    assert end([still(VALLEY, (0, 0)), Actor(BALL, Pose(1, 6), Pose(1, -20))]) == pytest.approx(
        (0, math.sqrt(2)), abs=1e-6
    )


def test_a_wedge_of_two_walls_moves_what_is_in_it():
    """Both walls hold it, so it moves with the corner where they meet, whatever its own velocity is."""
    left = Actor(im.Box(100, 2), Pose(0, 0, 0.6), Pose(3, 1, 0.6), 1, Side.NONE)
    right = Actor(im.Box(100, 2), Pose(0, 0, -0.6), Pose(3, 1, -0.6), 1, Side.NONE)
    apex = 2 / math.cos(0.6)
    assert end([left, right, Actor(BALL, Pose(0, apex), Pose(0, apex - 5))]) == pytest.approx((3, apex + 1), abs=1e-6)


def test_a_wall_pushes_a_crate_that_pushes_a_creature():
    wall = Actor(im.Box(2, 20), Pose(0, 0), Pose(10, 0), 2)
    crate, creature = still(SQUARE, (5, 0), might=1), still(BALL, (9, 0), might=0)
    outcomes = stepped([wall, crate, creature], 1000)
    assert [(outcome.x, outcome.y) for outcome in outcomes[1:]] == [
        pytest.approx((12, 0), abs=0.02),
        pytest.approx((14, 0), abs=0.02),
    ]


def test_carried_by_a_carried_one():
    """A lift moves sideways under a crate, and a creature stands on the crate."""
    lift = Actor(im.Box(40, 2), Pose(0, 0), Pose(6, 3), 2)
    crate, creature = Actor(SQUARE, Pose(0, 2), Pose(0, 1), 1), Actor(BALL, Pose(0, 4), Pose(0, 2))
    outcomes = stepped([lift, crate, creature], 1000)
    assert (outcomes[1].x, outcomes[1].y) == pytest.approx((6, 5), abs=0.02)
    assert (outcomes[2].x, outcomes[2].y) == pytest.approx((6, 7), abs=0.04)


def test_a_seam_between_two_tiles_is_no_corner():
    tiles = [still(im.Box(4, 2), (x, -1)) for x in (-2, 2, 6)]
    for shape in (SQUARE, BALL):
        assert end([*tiles, Actor(shape, Pose(-3, 1), Pose(7, -9))]) == pytest.approx((7, 1), abs=1e-6)


def test_nor_is_one_between_two_pieces():
    step = im.Polygon([(-10, 0), (-10, -4), (10, -4), (10, 3), (5, 3), (5, 0)])
    outcome = stepped([still(step, (0, 0)), Actor(SQUARE, Pose(-5, 1), Pose(5, -9))], 400)[1]
    assert (outcome.x, outcome.y) == pytest.approx((4, 1), abs=1e-6)
    assert outcome.sides == Side.BOTTOM | Side.RIGHT


def test_a_turning_body_is_kept_out_too():
    """A square that rotates on the floor by an eighth rises from its half side to its half diagonal."""
    outcome = stepped([FLOOR, Actor(SQUARE, Pose(0, 1), Pose(0, 1, math.pi / 4))], 400)[1]
    assert (outcome.x, outcome.y) == pytest.approx((0, math.sqrt(2)), abs=1e-6)
    assert outcome.sides == Side.BOTTOM


def test_a_plank_that_turns_on_a_ball_slides_off():
    """The plank falls by v. Its position s along itself, 2 above the ball's centre, obeys s' = 2 w - v sin(w t)."""
    spin, falls = 0.5, 10.0
    plank = Actor(im.Box(40, 2), Pose(0, 2), Pose(0, 2 - falls, spin))
    along = 2 * spin + falls / spin * (math.cos(spin) - 1)
    expected = along * math.cos(spin) - 2 * math.sin(spin), along * math.sin(spin) + 2 * math.cos(spin)
    assert end([still(BALL, (0, 0), carrying=Side.NONE), plank], 1000) == pytest.approx(expected, abs=0.01)


def test_a_wall_that_turns_as_it_goes_pushes_along_its_normal():
    """The normal is at an angle of w t, so a resting body is pushed along a curve, worked out by midpoints."""
    spin, way, place = 0.2, np.array([30.0, 9.0]), np.array([2.5, 12.0])
    wall = Actor(im.Box(3, 60), Pose(0, 0), Pose(*way.tolist(), spin), 1, Side.NONE)
    steps = 2000
    for step in range(steps):
        middle, after = spin * (step + 0.5) / steps, spin * (step + 1) / steps
        normal, new = (np.array([math.cos(angle), math.sin(angle)]) for angle in (middle, after))
        lacking = 2.5 - new @ (place - way * (step + 1) / steps)
        place = place + normal * lacking / (new @ normal)
    assert end([wall, still(BALL, (2.5, 12), might=0)], 1000) == pytest.approx(place.tolist(), abs=0.02)


def test_squeezed_it_stays_out_of_the_mightiest():
    press = Actor(im.Box(20, 2), Pose(0, 10), Pose(0, 2), might=2)
    outcome = stepped([FLOOR, press, still(BALL, (0, 1), might=0)], 400)[2]
    assert outcome.stuck
    assert outcome.y == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("place", "goal", "expected"),
    [
        ((0.5, 3), (0.5, 3), (0.5, 3)),
        ((4, 0.5), (4, 0.5), (4, 1)),
        ((4, -0.5), (8, -0.5), (8, 1)),
        ((9.5, 0.5), (9.5, 4.5), (9.5, 4.5)),
    ],
)
def test_out_of_what_it_starts_in(place, goal, expected):
    """The last body leaves upwards at its own speed: its own motion is relative to where depenetration placed it."""
    assert end([FLOOR, Actor(SQUARE, Pose(*place), Pose(*goal))]) == pytest.approx(expected, abs=1e-9)


def test_out_of_a_round_one_that_is_inside():
    capsule = still(im.Capsule((-5, 0), (5, 0), 3), (0, 0))
    outcome = stepped([capsule, still(BALL, (2, 1), might=0)], 10)[1]
    assert (outcome.x, outcome.y) == pytest.approx((2, 4), abs=1e-4)
    assert outcome.time == 0.0


def test_where_there_is_no_room_at_the_start_it_stays():
    walls = [still(im.Box(20, 2), (0, y)) for y in (-1.9, 1.9)]
    outcome = stepped([*walls, still(BALL, (0, 0), might=0)], 10)[2]
    assert outcome.stuck


def test_twice_the_steps_half_the_error():
    ramp = Actor(im.Box(200, 2), Pose(0, 0, 0.4), Pose(2, 3, 0.9), might=1)
    ball = Actor(BALL, Pose(0, 9), Pose(0, -5))
    ends = [np.array(end([ramp, ball], steps)) for steps in (100, 200, 400, 3200)]
    errors = [math.dist(place, ends[-1]) for place in ends[:-1]]
    assert errors[0] < 0.2
    assert errors[2] < 0.5 * errors[0]
    (_, _), (outcome, error) = settled([ramp, ball], 400)
    assert error == pytest.approx(math.dist(ends[0], ends[2]), abs=1e-12)
    assert math.dist((outcome.x, outcome.y), ends[-1]) <= error
