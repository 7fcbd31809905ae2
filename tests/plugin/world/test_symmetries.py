"""Scenes and their transformed images: mirrored, turned, shifted, scaled, reordered, with cut walls or cut frames.

At full scale, some 60,000 pairs of scenes. `python tests/oracles/transformed_worlds.py --help` counts and minimises
failures.
"""

from __future__ import annotations

import math

import pytest

import impinge as im
from impinge import Pose, Side, World
from scale import IS_SMALL, cases
from transformed_worlds import CLASSES, TRANSFORMATIONS, Actor, Map, Scene, applies, play, random_scene, verdict

# Balls that bounce for 60 frames amplify any rounding.
UNCLEAR = {"bouncing": 0.2}
# Pairs that may differ, as a part of all: none at a small scale. Of 44,604 pairs of other seeds 2 do.
DIFFERING = 0.002


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize(("frames", "total"), [(1, 400), (60, 100)])
def test_the_image_of_a_scene_ends_in_the_image_of_its_end(name, frames, total):
    differing, unclear, compared = [], 0, 0
    for number in range(cases(total)):
        scene = random_scene(name, 20, number)
        for transformation in TRANSFORMATIONS:
            if applies(transformation, scene):
                said = verdict(transformation, scene, frames, (20, number))
                compared += 1
                unclear += said in ("tie", "unstable")
                if said in ("place", "flags"):
                    differing.append((transformation, number, said))
    assert len(differing) <= DIFFERING * compared, differing
    assert compared > 5 * cases(total)
    assert unclear <= UNCLEAR.get(name, 0.03) * compared or IS_SMALL


def test_a_map_and_its_inverse():
    """A quarter turn takes the right side to the top, and a mirror in x swaps left and right."""
    quarter = Map((0.0, -1.0, 1.0, 0.0), (10.0, 0.0))
    assert quarter.pose(Pose(2, 1, 0.5)) == Pose(9, 2, 0.5)
    assert quarter.inverse.pose(Pose(9, 2, 0.5)) == Pose(2, 1, 0.5)
    assert quarter.sides(Side.RIGHT | Side.BOTTOM) == Side.TOP | Side.RIGHT
    mirror = Map((-1.0, 0.0, 0.0, 1.0))
    assert mirror.sides(Side.LEFT) == Side.RIGHT
    assert mirror.pose(Pose(2, 1, 0.5)) == Pose(-2, 1, -0.5)
    assert quarter.shape(im.Box(2, 6)) == im.Box(6, 2)


def test_a_wrong_answer_differs():
    """A ball that meets a wall ends elsewhere than one without a wall: the judge sees it, and sees no tie."""
    wall = Actor(im.Box(2, 20), Pose(10, 0), rules={"might": 1}, is_wall=True)
    ball = Actor(im.Circle(1), Pose(0, 0), ((20.0, 1.0, 0.0),))
    assert play(Scene((wall, ball)), 1).ends[0][:2] == (8.0, 1.0)
    assert play(Scene((ball,)), 1).ends[0][:2] == (20.0, 1.0)
    assert verdict("mirror_x", Scene((wall, ball)), 1) == "same"


def ends_on(walls, shape, start, step, frames):
    """Return where a body ends that walks among still walls, and its blocked sides."""
    world = World()
    for wall, pose in walls:
        world.add(wall, pose, might=1)
    body = world.add(shape, start)
    for _ in range(frames):
        body.goal = Pose(body.pose.x + step[0], body.pose.y + step[1])
        world.step()
    return body.coordinates[:2], body.blocked


RAMP = [(im.Polygon([(0, 0), (16, 0), (16, 16)]), Pose(16 * number, 16 * number)) for number in range(8)]
SLOPE = [(im.Polygon([(0, 0), (128, -1), (128, 128)]), Pose(0, 0))]


@pytest.mark.parametrize("walls", [RAMP, SLOPE], ids=["tiles", "one wall"])
def test_a_box_climbs_a_ramp_of_tiles(walls):
    """It meets the ramp after 0.8 frames, and then climbs a quarter unit a frame; it stopped at the second seam."""
    place, blocked = ends_on(walls, im.Box(8, 12), Pose(20, 32), (1.5, -1), 80)
    assert place == pytest.approx((20 + 1.2 + 79.2 / 4, 32 - 0.8 + 79.2 / 4), abs=1e-6)
    assert blocked == Side.BOTTOM


@pytest.mark.parametrize("joined", [False, True])
def test_a_pointed_body_walks_over_the_seam_of_two_tiles(joined):
    """Its lowest corner begins beyond the seam, at the surface, and moves on; it stopped at the seam."""
    tiles = [(im.Box(16, 16), Pose(-40, -24)), (im.Box(16, 16), Pose(-24, -24))]
    walls = [(im.Compound(tiles), Pose(0, 0))] if joined else tiles
    place, _ = ends_on(walls, im.Polygon([(6.8, -0.8), (-2.3, -1.2), (6.2, -2.5)]), Pose(-38.1, -13.5), (-0.2, -3.4), 1)
    assert place == pytest.approx((-38.3, -13.5), abs=1e-9)


def test_a_walker_slides_past_a_seam_in_the_side_of_a_wall():
    """It stood in the air on the upper corner of the lower box, whose side is flush with that of the upper one."""
    world = World()
    world.add(im.Box(16, 8), Pose(56, -20), might=1)
    world.add(im.Box(16, 8), Pose(56, -28), might=1)
    walker = world.add(im.Capsule((-2, -3), (1, 1)), Pose(66, -20), max_slope=0.4)
    walker.goal = Pose(64, -22)
    world.step()
    assert walker.coordinates[:2] == pytest.approx((66, -22), abs=1e-6)
    assert not walker.on_floor


@pytest.mark.parametrize("sticky", [Side.NONE, Side.TOP])
def test_a_ball_rests_in_a_valley(sticky):
    """It touches both slopes at its radius. A sticky valley threw it up and down, from 1.281 to 1.538."""
    world = World()
    for corners in ([(0, 0), (10, 0), (10, 8)], [(0, 0), (-10, 8), (-10, 0)]):
        world.add(im.Polygon(corners), Pose(0, 0), might=1, sticky=sticky)
    ball = world.add(im.Circle(1), Pose(0.3, 9))
    for number in range(30):
        ball.goal = Pose(ball.pose.x, ball.pose.y - 3)
        world.step()
        assert number < 5 or ball.coordinates[:2] == pytest.approx((0, math.sqrt(1 + 0.8**2)), abs=1e-6), number


@pytest.mark.parametrize("joined", [False, True])
def test_a_sticky_corner_lets_go_side_by_side(joined):
    """Pulled along one sticky side and off another, a box leaves the second. Two sides of one body held it still."""
    tiles = [(im.Box(16, 16), Pose(-40, -40)), (im.Box(16, 16), Pose(-24, -24))]
    walls = [(im.Compound(tiles), Pose(0, 0))] if joined else tiles
    world = World()
    for wall, pose in walls:
        world.add(wall, pose, might=1, sticky=Side.LEFT | Side.RIGHT | Side.TOP | Side.BOTTOM)
    body = world.add(im.Box(4, 4), Pose(-30, -34))
    body.goal = Pose(-31, -35)
    world.step()
    assert body.coordinates[:2] == pytest.approx((-30, -35), abs=1e-9)
    assert body.blocked == Side.LEFT


@pytest.mark.parametrize("sign", [1, -1])
def test_a_ball_leaves_a_sticky_round_corner(sign):
    """It leaves where the normal is perpendicular to its movement. Rounding kept it there for another eighth radian."""
    world = World()
    world.add(im.Box(2, 2), Pose(0, 0), might=1, sticky=Side.LEFT | Side.RIGHT)
    ball = world.add(im.Circle(1), Pose(2 * sign, -0.9))
    for _ in range(4):
        ball.goal = Pose(ball.pose.x - 0.5 * sign, ball.pose.y - 0.9)
        world.step()
    # From then on it moves on the tangent of the circle around the corner that has the direction of the movement.
    away = 0.9 * (sign * ball.pose.x - 1) - 0.5 * (ball.pose.y + 1)
    assert away == pytest.approx(math.hypot(0.5, 0.9), abs=1e-9)
    assert ball.blocked == Side.NONE


def test_a_rounded_body_goes_around_another_at_the_same_pace_in_one_frame_as_in_parts():
    """On its way it meets a side of the other one. It had the mean velocity of the whole arc, and was ahead by 0.05."""

    def rounded(width: float, height: float, radius: float) -> im.Compound:
        x, y = width / 2 - radius, height / 2 - radius
        corners = [(im.Circle(radius), Pose(i * x, j * y)) for i in (-1, 1) for j in (-1, 1)]
        sides = [(im.Box(width - 2 * radius, height), Pose(0, 0)), (im.Box(width, height - 2 * radius), Pose(0, 0))]
        return im.Compound(corners + sides)

    ends = []
    for parts in (1, 8, 64):
        world = World()
        world.add(rounded(9.6, 9.8, 1.5), Pose(-1.2, -3.5), might=1)
        body = world.add(rounded(2.6, 3, 0.5), Pose(3.3, 3.9))
        for _ in range(parts):
            body.goal = Pose(body.pose.x - 1 / parts, body.pose.y - 6 / parts)
            world.step()
        ends.append(body.coordinates[:2])
    assert ends[0] == pytest.approx(ends[1], abs=1e-7)
    assert ends[0] == pytest.approx(ends[2], abs=1e-7)


def test_the_order_of_pieces_that_squeeze_a_body_says_nothing():
    """Two pieces of a concave body press a body against a wall. Which one it sank into depended on their order."""
    wall = Actor(im.Polygon([(1.4, 0), (-1.2, -1.4), (-0.7, -1.8)], 0.1), Pose(-4, 1), rules={"might": 9}, is_wall=True)
    corners = [(0.91, 0.18), (-0.48, 0.77), (-0.61, 0.46), (-1.19, 0.46)]
    concave = Actor(im.Polygon(corners), Pose(-6.2, -3.51, -1.23), ((0.0, 1.0, 0.0),), rules={"might": 6})
    squeezed = Actor(im.Polygon([(0.32, 0.28), (-1.18, 0.18), (-0.39, -1.27)]), Pose(-5, -2, 0.77), ((-1.0, 0.0, 0.0),))
    assert verdict("quarter", Scene((wall, concave, squeezed)), 1) == "same"


def test_a_ball_that_leaves_a_notch_rolls_on_as_in_parts():
    """A leg that expected to roll on between two bodies was also an arc around the one that was left."""
    walls = [Actor(im.Circle(2), Pose(0, y), rules={"might": 1}, is_wall=True) for y in (3, 0)]
    ball = Actor(im.Circle(1), Pose(-4, 4), ((12.0, -8.0, 0.0),))
    assert verdict("parts", Scene((*walls, ball)), 1) == "same"
