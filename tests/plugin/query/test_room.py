"""The free room on each side: upright boxes in exact fractions, bodies of all shapes by Shapely, and named cases."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import affinity

import impinge as im
from impinge import Box, Circle, Motion, Polygon, Pose, Room, Side, World
from scale import cases, some
from shapely_solids import KINDS, random_solid, whole

HERE = Pose(0, 0)
DIRECTIONS = ((-1, 0), (1, 0), (0, -1), (0, 1))
ONE_WAY = Side.LEFT | Side.RIGHT | Side.BOTTOM
# For distances between solids of some units, by Shapely.
CLOSE = 1e-6


# Oracles: neither sorts the others by sides. Both move the box and test.


def exact_room(box, pose, targets):
    """Test between all distances at which two sides become level: exact for numbers that floats represent."""

    def inside_each_other(other, place, dx, dy):
        apart_x = abs(Fraction(place.x) - Fraction(pose.x) - dx)
        apart_y = abs(Fraction(place.y) - Fraction(pose.y) - dy)
        return 2 * apart_x < Fraction(box.width + other.width) and 2 * apart_y < Fraction(box.height + other.height)

    rooms = []
    for x, y in DIRECTIONS:
        levels = {Fraction(0)}
        for other, place in targets:
            off = x * (Fraction(place.x) - Fraction(pose.x)) + y * (Fraction(place.y) - Fraction(pose.y))
            reach = Fraction(box.width + other.width if x else box.height + other.height) / 2
            levels |= {level for level in (off - reach, off + reach) if level > 0}
        ascending = sorted(levels)
        steps = zip(ascending, [*ascending[1:], ascending[-1] + 1], strict=True)
        rooms.append(
            next(
                (
                    float(low)
                    for low, high in steps
                    if any(inside_each_other(*target, x * (low + high) / 2, y * (low + high) / 2) for target in targets)
                ),
                math.inf,
            )
        )
    return Room(*rooms)


eighths = st.integers(-24, 24).map(lambda n: n / 8)
boxes = st.builds(Box, *[st.integers(1, 24).map(lambda n: n / 4)] * 2)
placed = st.tuples(boxes, st.builds(Pose, eighths, eighths))


@settings(max_examples=cases(400))
@given(placed, st.lists(placed, max_size=6))
def test_the_room_of_a_box_is_how_far_it_can_be_moved(own, targets):
    assert im.room(*own, targets) == exact_room(*own, targets)


@settings(max_examples=cases(200))
@given(placed, st.lists(placed, max_size=6))
def test_a_body_among_boxes_has_the_same_room(own, targets):
    world = World()
    body = world.add(*own)
    for target in targets:
        world.add(*target, might=1)
    expected = exact_room(*own, targets)
    assert world.room(body) == expected
    near = world.room(body, reach=1.5)
    assert near == Room(*(distance if distance <= 1.5 else math.inf for distance in expected))


@pytest.mark.parametrize("seed", some(range(40), least=10))
def test_a_body_of_any_shape_goes_as_far_as_it_has_room_and_no_farther(seed):
    rng = np.random.default_rng(seed)
    world = World()
    body = world.add(random_solid(rng, str(rng.choice(KINDS)), 2.0), Pose(*rng.uniform(-3, 3, 2), rng.uniform(-4, 4)))
    for _ in range(8):
        solid = random_solid(rng, str(rng.choice(KINDS)), 3.0)
        world.add(
            solid, Pose(*rng.uniform(-12, 12, 2), rng.uniform(-4, 4)), int(rng.integers(0, 3)), 1 << int(seed % 2)
        )
    own = whole(body.shape, body.pose, quad_segs=512)
    mightier = [other for other in world if other.might > 0]
    # Segments in compounds have no inside, and are struck as well.
    others = [whole(other.shape, other.pose, quad_segs=512) for other in mightier]
    for (x, y), distance in zip(DIRECTIONS, world.room(body), strict=True):
        way = 40.0 if distance == math.inf else distance
        for part in np.linspace(0.0, 1.0, 9):
            moved = affinity.translate(own, x * part * way, y * part * way)
            for other in others:
                if distance > 0.0:
                    common = shapely.intersection(moved, other)
                    assert common.area <= CLOSE * 10
        if distance < math.inf:
            ahead = affinity.translate(own, x * (distance + 1e-3), y * (distance + 1e-3))
            assert any(ahead.distance(other) == 0.0 for other in others)


def test_a_turned_and_a_round_body_have_the_room_of_what_sticks_out():
    world = World()
    world.add(Box(2, 40), Pose(11, 0), might=1)
    turned = world.add(Box(2, 2), Pose(0, 0, math.pi / 4))
    ball = world.add(Circle(3), Pose(2, 12))
    assert world.room(turned).right == pytest.approx(10 - math.sqrt(2), abs=1e-12)
    assert world.room(ball) == Room(math.inf, 5.0, math.inf, math.inf)


def test_a_floor_of_tiles_limits_only_the_way_down():
    """Edges between tiles do not stop a body that slides along them."""
    tiles = [(Box(16, 16), Pose(16 * column, -8)) for column in range(-4, 5)]
    assert im.room(Box(10, 20), Pose(3, 10), tiles) == Room(math.inf, math.inf, 0.0, math.inf)
    world = World()
    walker = world.add(Box(10, 20), Pose(3, 10))
    for tile in tiles:
        world.add(*tile, might=1)
    assert world.room(walker) == Room(math.inf, math.inf, 0.0, math.inf)


@pytest.mark.parametrize("far", [0.0, 1e3, 1e6, 1e9])
def test_rounding_far_from_the_origin_blocks_no_side(far):
    """Sides at a third are rounded: without a slop, the floor would overlap the box, or be apart from it."""
    third = 1 / 3
    floor, wall = (Box(50, third), Pose(far, far - third)), (Box(third, 9 * third), Pose(far + third, far + third))
    found = im.room(Box(third, third), Pose(far, far), [floor, wall])
    assert (found.left, found.bottom, found.top) == (math.inf, 0.0, math.inf)
    assert found.right == pytest.approx(0.0, abs=1e-15 * (1 + far))


def test_what_is_overlapped_leaves_no_room():
    assert im.room(Box(4, 4), HERE, [(Box(4, 4), Pose(3, 0))]) == Room(0, 0, 0, 0)
    world = World()
    body = world.add(Box(4, 4), HERE)
    world.add(Box(4, 4), Pose(3, 0), might=1)
    assert world.room(body) == Room(0, 0, 0, 0)


def test_only_what_can_push_the_body_limits_it():
    world = World()
    body = world.add(Box(2, 2), HERE, might=1, mask=0b011)
    world.add(Box(2, 20), Pose(4, 0), might=1)  # a body of equal rank
    world.add(Box(2, 20), Pose(6, 0), might=2, layer=0b100)  # not in its mask
    world.add(Box(2, 20), Pose(8, 0), might=2, response="sensor")
    wall = world.add(Box(2, 20), Pose(10, 0), might=2, layer=0b010)
    last = world.add(Box(2, 20), Pose(20, 0), might=3)
    assert world.room(body).right == 8
    assert world.room(body, mask=0b100).right == 4
    assert world.room(body, ignore=wall).right == 18
    assert world.room(body, ignore=[wall, last]).right == math.inf
    assert world.room(body, reach=7.5).right == math.inf
    assert world.room(body, reach=8).right == 8
    assert world.room(body, Pose(13, 0)) == Room(1, 5, math.inf, math.inf)
    body.response = "sensor"
    assert world.room(body) == Room(*[math.inf] * 4)


def test_a_one_way_platform_limits_only_the_way_onto_it():
    world = World()
    platform = world.add(Box(20, 2), HERE, might=1, passable=ONE_WAY)
    body = world.add(Box(2, 2), Pose(0, -8))
    assert world.room(body) == Room(*[math.inf] * 4)
    assert world.room(body, Pose(0, 5)) == Room(math.inf, math.inf, 3.0, math.inf)
    assert world.room(body, Pose(0, 0.5)) == Room(*[math.inf] * 4)  # passing through
    assert world.room(body, Pose(-20, 0)).right == math.inf
    platform.angle = math.pi  # the passable sides rotate with it
    assert world.room(body).top == pytest.approx(6, abs=1e-12)
    assert world.room(body, Pose(0, 5)).bottom == math.inf


def test_the_next_step_goes_as_far_as_there_is_room():
    """A body with a farther goal ends where its room ends."""
    rng = np.random.default_rng(7)
    for _ in range(60):
        world = World()
        body = world.add(Circle(1.5), Pose(*rng.uniform(-1, 1, 2)))
        for _ in range(5):
            outline = [(0, 0), (rng.uniform(1, 5), -1), (2, rng.uniform(2, 5))]
            world.add(Polygon(outline), Pose(*rng.uniform(-14, 14, 2), rng.uniform(-3, 3)), might=1)
        found = world.room(body)
        if min(found) == 0.0:
            continue
        start = body.pose
        for (x, y), distance in zip(DIRECTIONS, found, strict=True):
            body.pose = start
            body.response = "stop"
            body.goal = Pose(start.x + 30 * x, start.y + 30 * y)
            world.step()
            went = abs(body.pose.x - start.x) + abs(body.pose.y - start.y)
            assert went == pytest.approx(min(distance, 30), abs=1e-6)


def test_an_empty_world_has_room_everywhere():
    world = World()
    body = world.add(Box(2, 2), HERE)
    assert (
        world.room(body) == world.room(body, Pose(1e6, -1e6)) == im.room(Box(2, 2), HERE, []) == Room(*[math.inf] * 4)
    )


def test_the_gap_is_the_room_and_the_body():
    found = im.room(Box(2, 2), HERE, [(Box(2, 2), Pose(-5, 0)), (Box(2, 2), Pose(7, 0))])
    assert (found.width, found.height) == (8, math.inf)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((Circle(1), HERE, []), "box must be a Box, got Circle"),
        ((Box(1, 1), (0, 0), []), r"pose must be a Pose, got \(0, 0\)"),
        ((Box(1, 1), Pose(0, 0, 1), []), "pose must not be turned"),
        ((Box(1, 1), HERE, 3), "targets must be pairs of a Box and a Pose, got 3"),
        ((Box(1, 1), HERE, [(Box(1, 1), HERE), (Circle(1), HERE)]), r"targets\[1\] must be a Box and a Pose, got"),
        ((Box(1, 1), HERE, [(Box(1, 1), Motion.still(HERE))]), r"targets\[0\] must be a Box and a Pose, got"),
        ((Box(1, 1), HERE, [(Box(1, 1), Pose(0, 0, 1))]), r"targets\[0\] must not be turned"),
    ],
)
def test_bad_boxes_are_refused_by_name_and_value(arguments, message):
    with pytest.raises(im.ShapeError, match=f"^{message}"):
        im.room(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pose": (0, 0)}, r"pose must be a Pose, got \(0, 0\)"),
        ({"reach": -1}, "reach must be finite and not negative, got -1"),
        ({"reach": math.nan}, "reach must be finite and not negative, got nan"),
        ({"mask": -1}, "mask must be an integer from 0"),
        ({"body": None}, "body must be one of this world, got None"),
        ({"body": World().add(Box(1, 1), HERE)}, "body must be one of this world, got <Body"),
        ({"ignore": 3}, "ignore must be one of this world, got 3"),
    ],
)
def test_bad_questions_to_a_world_are_refused_by_name_and_value(arguments, message):
    world = World()
    body = world.add(Box(2, 2), HERE)
    with pytest.raises(ValueError, match=f"^{message}"):
        world.room(**({"body": body} | arguments))
