"""Scenes of games with bodies of all shapes, each worked out by hand: geometry, symmetry, or a differential equation.

The unit is half a body: unless stated otherwise, all bodies reach 1 to each side of their position.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import impinge as im
from impinge import Box, Capsule, Circle, Compound, Polygon, Pose, Side, World
from scale import some
from stepped_world import gap

# For positions and times of some 1 to 100 units: the slop is 1e-9 of a size, and each contact may be off by it.
CLOSE = 1e-8
ONE_WAY = Side.LEFT | Side.RIGHT | Side.BOTTOM

SQUARE = Polygon([(-1, -1), (1, -1), (1, 1), (-1, 1)])
DIAMOND = Polygon([(0, -1), (1, 0), (0, 1), (-1, 0)])
# The box uses the code for boxes. The square has the same outline, and uses the code for solids.
BODIES = {
    "box": Box(2, 2),
    "square": SQUARE,
    "circle": Circle(1),
    "capsule": Capsule((0, -0.5), (0, 0.5), 0.5),
    "lying capsule": Capsule((-0.5, 0), (0.5, 0), 1),
    "diamond": DIAMOND,
    "rounded": Polygon([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)], 0.5),
    "compound": Compound(
        [(Circle(0.5), Pose(-0.5, -0.5)), (Box(1, 1), Pose(0.5, 0.5)), (Circle(0.5), Pose(0.5, -0.5))]
    ),
}
shapes = pytest.mark.parametrize("shape", BODIES.values(), ids=BODIES)
# Shapes that reach 1 to the left and to the right of their lowest point, at the height of their middle or at all
# heights. So they fit between walls, and into a corner, as a square does.
FITTING = {name: BODIES[name] for name in ("box", "square", "circle", "diamond")}
fitting = pytest.mark.parametrize("shape", FITTING.values(), ids=FITTING)
STANDING = {name: BODIES[name] for name in ("box", "square", "capsule", "circle")}
standing = pytest.mark.parametrize("shape", STANDING.values(), ids=STANDING)


def at(x, y, angle=0.0, *, rel=CLOSE):
    """Return the expected position, and the bit-exact angle, for comparison with `spot`."""
    return pytest.approx((x, y, angle), rel=0, abs=rel)


def spot(body):
    return body.pose.x, body.pose.y, body.pose.angle


def corners_of(width, height):
    """Return a box that uses the code for solids."""
    x, y = width / 2, height / 2
    return Polygon([(-x, -y), (x, -y), (x, y), (-x, y)])


def go(body, x, y, turn=0.0):
    """Set a goal relative to the current position."""
    body.goal = Pose(body.pose.x + x, body.pose.y + y, body.angle + turn)


def depth(one, other):
    """Return how deep two bodies overlap, by the queries, which are independent of frames."""
    touch = im.contact(one.shape, one.pose, other.shape, other.pose)
    return 0.0 if touch is None else touch.depth


def was_cut_short(world):
    return any(body.cut_short for body in world)


# Floors with seams, their surface at height 0.


def tiles():
    return [(Box(4, 4), Pose(4 * i + 2, -2)) for i in range(-1, 12)]


def slanted_tiles():
    """Return convex polygons with slanted sides: no seam is upright, and there is a crack below each."""
    return [(Polygon([(0, 0), (1, -3), (5, -4), (4, 0)]), Pose(4 * i, 0)) for i in range(-1, 12)]


def turned_tiles():
    """Return rotated boxes: rounding of sine and cosine displaces their corners."""
    return [(Box(4, 4), Pose(4 * i + 2, -2, i * math.pi / 2)) for i in range(-1, 12)]


def comb():
    """Return one polygon, concave at every gap below its surface: it is split into pieces, some of them slivers."""
    gaps = [point for x in range(40, -1, -4) for point in ((x + 2, -4), (x + 1, -0.25), (x, -4))]
    return [(Polygon([(-4, 0), (-4, -4), *reversed(gaps), (46, -4), (46, 0)]), Pose(0, 0))]


def one_compound():
    return [(Compound(tiles()), Pose(0, 0))]


FLOORS = {make.__name__: make for make in (tiles, slanted_tiles, turned_tiles, comb, one_compound)}
floors = pytest.mark.parametrize("floor", FLOORS.values(), ids=FLOORS)


def lay(world, floor, **rules):
    return [world.add(shape, pose, 1, **rules) for shape, pose in floor()]


@shapes
@floors
@pytest.mark.parametrize("pace", some([4.0, 0.7]))
def test_to_walk_over_seams_is_to_walk(shape, floor, pace):
    """There is no stop, no bump and no contact from the side, at any pace.

    With a pace of 4, the lowest corners are on a seam in every frame.
    """
    world = World()
    lay(world, floor)
    body = world.add(shape, Pose(0, 1))
    for number in range(1, 10 if pace == 4.0 else 50):
        go(body, pace, -0.5)
        frame = world.step()
        assert {event.side for event in frame.events} == {Side.BOTTOM}, (number, frame.events)
        assert (body.blocked, body.stuck) == (Side.BOTTOM, Side.NONE)
        assert spot(body) == at(pace * number, 1), number


@shapes
@floors
def test_to_slide_over_many_seams_in_one_frame_is_to_slide(shape, floor):
    world = World()
    lay(world, floor)
    body = world.add(shape, Pose(-2, 3))
    # It lands after 2 of the 20 by which it falls.
    body.goal = Pose(38, -17)
    frame = world.step()
    assert spot(body) == at(38, 1)
    assert {event.side for event in frame.events} == {Side.BOTTOM}
    assert body.time == pytest.approx(0.1, rel=0, abs=CLOSE)


@shapes
@floors
@pytest.mark.parametrize("speed", some([1e5, 0.3, 2.5]))
@pytest.mark.parametrize("offset", [0.0, 1.0, -0.5])
def test_nothing_falls_through_a_seam(shape, floor, speed, offset):
    """This includes the lowest corner exactly above a seam: an offset of 0, or of 1 for shapes with corners there."""
    world = World()
    lay(world, floor)
    bodies = [world.add(shape, Pose(4.0 * i + offset, 2)) for i in range(10)]
    for _ in range(5):
        for body in bodies:
            go(body, 0, -speed)
        world.step()
        for i, body in enumerate(bodies):
            # Sides placed by a sine slope by some 1e-16, and the body slides down a slope.
            assert body.pose.x == pytest.approx(4.0 * i + offset, rel=0, abs=CLOSE + 1e-9 * speed)
            assert body.blocked in (Side.NONE, Side.BOTTOM) or offset == 1.0
    for body in bodies:
        assert body.pose.y == pytest.approx(max(1.0, 2 - 5 * speed), rel=0, abs=CLOSE)


@floors
@pytest.mark.parametrize("shape", [Box(2, 2), SQUARE], ids=["box", "square"])
@pytest.mark.parametrize("way", [0.0, -0.05, -4.0])
def test_a_corner_on_a_seam_is_on_no_side_of_it(shape, floor, way):
    """It lands with its left corner exactly where two tiles meet. They are one floor, whatever sides are slanted."""
    world = World()
    lay(world, floor)
    body = world.add(shape, Pose(9, 1.5))
    for wish, height in (((0.0, -2.0), 1.0), ((way, -0.5), 1.0)):
        go(body, *wish)
        frame = world.step()
        assert body.pose.y == pytest.approx(height, rel=0, abs=CLOSE)
        assert (body.blocked, {event.side for event in frame.events}) == (Side.BOTTOM, {Side.BOTTOM})
    assert body.pose.x == pytest.approx(9 + way, rel=0, abs=CLOSE)


@fitting
@pytest.mark.parametrize("speed", [0.75, 6.0, 1e4])
@pytest.mark.parametrize("walls", [Box(4, 8), Polygon([(-2, -4), (2, -4), (2, 4), (-2, 4)])], ids=["boxes", "polygons"])
def test_it_falls_into_a_slot_of_exactly_its_width(shape, walls, speed):
    """The walls' insides are at -1 and 1, their tops at 0, the ground at -4: it exactly fits."""
    world = World()
    world.add(walls, Pose(-3, -4), 1)
    world.add(walls, Pose(3, -4), 1)
    world.add(Box(12, 1), Pose(0, -4.5), 1)
    body = world.add(shape, Pose(0, 1.5))
    for _ in range(8):
        go(body, 0, -speed)
        frame = world.step()
        assert not body.stuck
        assert {event.side for event in frame.events} <= {Side.BOTTOM}
    assert spot(body) == at(0, max(-3.0, 1.5 - 8 * speed))


@pytest.mark.parametrize("shape", [Box(2, 2), SQUARE], ids=["box", "square"])
def test_a_box_walks_over_a_slot_of_exactly_its_width(shape):
    """The fourth frame ends where it fits in. In the next one it hits the far corner exactly, and moves on across."""
    world = World()
    lay(world, lambda: [(Box(8, 4), Pose(-5, -2)), (Box(8, 4), Pose(5, -2))])
    body = world.add(shape, Pose(-3, 1))
    for number in range(1, 9):
        go(body, 0.75, -0.25)
        frame = world.step()
        assert {event.side for event in frame.events} == {Side.BOTTOM}
        assert spot(body) == at(-3 + 0.75 * number, 1)


# Corners.

# Where walls and floor meet: their inner sides are x = 0 and y = 0, and they reach far beyond the corner.
CORNERS = {
    "two boxes": [(Box(2, 40), (-1, 10)), (Box(40, 2), (10, -1))],
    "one polygon": [(Polygon([(-2, -2), (30, -2), (30, 0), (0, 0), (0, 30), (-2, 30)]), (0, 0))],
    "flush polygons": [
        (Polygon([(0, 0), (-4, 0), (-4, -4), (0, -4)]), (0, 0)),
        (Polygon([(0, 0), (30, 0), (30, -4), (0, -4)]), (0, 0)),
        (Polygon([(0, 0), (0, 30), (-4, 30), (-4, 0)]), (0, 0)),
    ],
    "compound": [(Compound([(Box(2, 40), Pose(-1, 10)), (Box(40, 2), Pose(10, -1))]), (0, 0))],
}
corners = pytest.mark.parametrize("corner", CORNERS.values(), ids=CORNERS)


def turned(x, y, angle):
    return math.cos(angle) * x - math.sin(angle) * y, math.sin(angle) * x + math.cos(angle) * y


@fitting
@corners
@pytest.mark.parametrize("turn", some([0.4, 0.0, -0.7]))
@pytest.mark.parametrize(
    ("start", "way"), [((5, 5), (-9, -9)), ((5, 3), (-30, -8)), ((1, 1), (-2, -1)), ((6, 1), (-9, -0.1))]
)
def test_pushed_into_an_inner_corner_it_stays_in_it(shape, corner, turn, start, way):
    """A shape that reaches 1 to all sides touches both walls at (1, 1); all may be rotated by less than 45 degrees."""
    world = World()
    for wall, place in corner:
        world.add(wall, Pose(*turned(*place, turn), turn), 1)
    body = world.add(shape, Pose(*turned(*start, turn), turn))
    for _ in range(3):
        go(body, *turned(*way, turn))
        frame = world.step()
        assert spot(body) == at(*turned(1, 1, turn), turn)
        assert body.blocked == Side.LEFT | Side.BOTTOM
        assert body.stuck == Side.NONE
        assert {event.side for event in frame.events} == {Side.LEFT, Side.BOTTOM}
    # It moves out again freely.
    go(body, *turned(3, 4, turn))
    assert not world.step().events
    assert body.pose == body.goal


LEDGES = {
    "box": Box(20, 10),
    "polygon": Polygon([(-10, -5), (10, -5), (10, 5), (-10, 5)]),
    # Its inner corners are far from the action.
    "concave": Polygon([(-10, -5), (-6, -5), (-6, 0), (-2, 0), (-2, -5), (10, -5), (10, 5), (-10, 5)]),
}
ledges = pytest.mark.parametrize("ledge", LEDGES.values(), ids=LEDGES)


@ledges
@pytest.mark.parametrize("shape", [Box(2, 2), SQUARE], ids=["box", "square"])
def test_over_an_edge_a_box_falls_when_all_of_it_is_over(shape, ledge):
    """Its rear corner leaves the edge, at 0, at half time, and it falls for the other half."""
    world = World()
    world.add(ledge, Pose(-10, -5), 1)
    body = world.add(shape, Pose(-1, 1))
    body.goal = Pose(3, -1)
    world.step()
    assert spot(body) == at(3, 0)
    assert (body.sides, body.blocked) == (Side.BOTTOM, Side.NONE)


@ledges
def test_a_diamond_slides_round_an_edge_on_its_own_edge(ledge):
    """Its foot reaches the edge at half of the frame. Then its side, of 45 degrees, slides over the edge by (1, -1).

    Its own motion is (2, -4) per frame: along that side it is (3, -3). So that takes a third of a frame, and then the
    diamond falls freely for a sixth.
    """
    world = World()
    world.add(ledge, Pose(-10, -5), 1)
    body = world.add(DIAMOND, Pose(-1, 1))
    body.goal = Pose(1, -3)
    world.step()
    assert spot(body) == at(1 + 2 / 6, -4 / 6)
    # The side of 45 degrees counts as below, so nothing touches on the left.
    assert body.sides == Side.BOTTOM


def test_a_diamond_that_leaps_off_leaves_at_once():
    """With (4, -2) its side stays away from the edge as soon as its foot has passed it."""
    world = World()
    world.add(LEDGES["box"], Pose(-10, -5), 1)
    body = world.add(DIAMOND, Pose(-1, 1))
    body.goal = Pose(3, -1)
    world.step()
    assert spot(body) == at(3, 1 - 2 * 0.75)


@fitting
@ledges
def test_up_past_an_edge_it_goes_on_when_it_is_past(shape, ledge):
    """Pressed against the side of a ledge from the right while rising: above the top it moves left again."""
    world = World()
    world.add(ledge, Pose(-10, -5), 1)
    body = world.add(shape, Pose(1, -4))
    go(body, -4, 8)
    world.step()
    if shape == DIAMOND:
        # Its left corner is past at 4/8. From there its lower left side could touch, but (-4, 8) leads away from it.
        assert spot(body) == at(1 - 4 * 4 / 8, 4)
    elif shape == BODIES["circle"]:
        check_rolling(body, (-4, 8), until=0.5)
    else:
        # All of it is past after 5 of 8, and for 3/8 of the frame it moves left.
        assert spot(body) == at(1 - 4 * 3 / 8, 4)
    assert body.sides == Side.LEFT


def rolled(angle, own, radius, time, steps=4000):
    """Return the angle of the normal after W has slid round a point for some time. W's tangential speed rotates it.

    R a' = t . u, with t the tangent (-sin a, cos a), by Runge and Kutta.
    """

    def slope(a):
        return (-math.sin(a) * own[0] + math.cos(a) * own[1]) / radius

    step = time / steps
    for _ in range(steps):
        one = slope(angle)
        two = slope(angle + 0.5 * step * one)
        three = slope(angle + 0.5 * step * two)
        angle += step * (one + 2 * two + 2 * three + slope(angle + step * three)) / 6
    return angle


def check_rolling(body, own, until):
    """Check a ball of radius 1 that slid up the side x = 0 of a ledge, and from `until` on round its edge at (0, 0)."""
    # The normal ends perpendicular to its motion. The time comes from the closed form of R d' = -|u| sin d.
    speed = math.hypot(*own)
    first, last = 0.0 - math.atan2(own[1], own[0]), -0.5 * math.pi
    time = math.log(math.tan(first / 2) / math.tan(last / 2)) / speed
    assert until + time < 1
    angle = rolled(0.0, own, 1.0, time)
    assert angle == pytest.approx(math.atan2(own[1], own[0]) - 0.5 * math.pi, abs=1e-9)
    rest = 1 - until - time
    x, y = math.cos(angle) + rest * own[0], math.sin(angle) + rest * own[1]
    assert spot(body) == at(x, y)


@pytest.mark.parametrize("inside", [0.3, 1.0, 0.5 * math.pi, 2.5])
@pytest.mark.parametrize(("radius", "rounding"), [(1.0, 0.0), (0.25, 0.0), (6.0, 0.5)])
@pytest.mark.parametrize("carrying", [Side.NONE, Side.ALL])
@pytest.mark.parametrize("drift", [(0.0, 0.0), (0.1, 0.3)])
@pytest.mark.parametrize("turn", some([0.8, 0.0]))
def test_a_ball_rolls_round_a_corner_as_the_differential_equation_says(inside, radius, rounding, carrying, drift, turn):
    """It starts on the corner, of an angle `inside`, and presses on it for all of the frame: R d' = -|u| sin d.

    Everything is relative to the corner. If carried, the ball slides by its own motion, otherwise by that minus the
    corner's.
    """
    half, reach = 0.5 * inside, radius + rounding
    tip = Polygon([(0, 0), turned(0, -30, half), turned(0, -30, -half)], rounding)
    # The normals of the corner are up to this far from upright, on both sides.
    span = 0.5 * math.pi - half
    begin = 0.5 * math.pi + turn + 0.3 * span
    heading = begin + math.pi - 0.25 * span
    drive = math.log(2) * reach * math.cos(heading), math.log(2) * reach * math.sin(heading)
    drift = turned(*drift, turn)
    own = drive if carrying else (drive[0] + drift[0], drive[1] + drift[1])
    world = World()
    corner = world.add(tip, Pose(0, 0, turn), 1, carrying=carrying)
    body = world.add(Circle(radius), Pose(reach * math.cos(begin), reach * math.sin(begin)))
    corner.goal = Pose(*drift, turn)
    go(body, *own)
    world.step()
    angle = rolled(begin, drive, reach, 1.0)
    for a in (begin, angle):
        # The scene ensures this: the ball presses all the time, on the corner and on neither side.
        assert math.cos(a) * (own[0] - drift[0]) + math.sin(a) * (own[1] - drift[1]) < 0
        assert abs(a - turn - 0.5 * math.pi) < span
    assert abs(angle - begin) > 0.1 * span
    assert spot(body) == at(drift[0] + reach * math.cos(angle), drift[1] + reach * math.sin(angle))


def test_a_ball_on_a_corner_stays_on_its_arc_when_another_body_near_it_turns_off():
    """When that body hit a wall, the ball's path ended on a chord of its arc, inside the corner by 0.001."""
    ends = []
    for is_near in (False, True):
        world = World()
        world.add(Box(40, 40), Pose(-20, -20), might=2)
        ball = world.add(Circle(2), Pose(-3, 2))
        ball.goal = Pose(3, -3)
        if is_near:
            crate = world.add(Box(1, 1), Pose(3, 3.4), might=1)
            crate.goal = Pose(7, 3.4)
            world.add(Box(1, 9), Pose(6.5, 4), might=2)
        world.step()
        ends.append((ball.pose.x, ball.pose.y))
    assert ends[1] == pytest.approx(ends[0], abs=1e-12)


@pytest.mark.parametrize("carrying", [Side.TOP, Side.LEFT], ids=["top", "left"])
@pytest.mark.parametrize("turn", [0.0, 0.2, -0.15])
@pytest.mark.parametrize("is_round", [True, False], ids=["ball", "rounded corner"])
def test_a_ball_that_rolls_on_is_carried_as_long_as_it_is_on_that_side(carrying, turn, is_round):
    """It was carried, or not, for up to 1/8 of a radian beyond the diagonal between two sides: by 0.1 too far."""
    world = World()
    shape = Circle(3) if is_round else Polygon([(0, 0), turned(0, -1, 0.01), turned(0, -1, -0.01)], 3)
    hill = world.add(shape, Pose(0, 0, turn), 1, carrying=carrying)
    reach, diagonal = 4, 0.75 * math.pi + turn
    begin = diagonal - 0.33
    ball = world.add(Circle(1), Pose(reach * math.cos(begin), reach * math.sin(begin)))
    drift, own = (0.2, 0.6), (-0.4, -2.8)
    hill.goal = Pose(*drift, turn)
    go(ball, *own)
    world.step()
    # If carried, it slides by its own motion relative to the hill, otherwise by that minus the hill's.
    drives = {is_carried: own if is_carried else (own[0] - drift[0], own[1] - drift[1]) for is_carried in (True, False)}
    first, then = drives[carrying == Side.TOP], drives[carrying != Side.TOP]
    low, high = 0.0, 1.0
    for _ in range(45):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if rolled(begin, first, reach, middle, 300) < diagonal else (low, middle)
    assert 0.1 < low < 0.95
    angle = rolled(diagonal, then, reach, 1 - low)
    assert math.cos(angle) * own[0] + math.sin(angle) * own[1] < math.cos(angle) * drift[0] + math.sin(angle) * drift[1]
    assert spot(ball) == at(drift[0] + reach * math.cos(angle), drift[1] + reach * math.sin(angle))


@pytest.mark.parametrize("carrying", [Side.LEFT, Side.TOP])
@pytest.mark.parametrize("turn", [0.0, -0.2])
@pytest.mark.parametrize("off", [0.0, 0.05, -0.05])
@pytest.mark.parametrize("shape", [Circle(1), Polygon([(-1, 0), (1, -1), (1, 1)])], ids=["ball", "wedge"])
@pytest.mark.parametrize("is_round", [True, False], ids=["on a ball", "on a rounded corner"])
def test_who_is_carried_to_and_fro_over_a_diagonal_stays_on_it(carrying, turn, off, shape, is_round):
    """One side carries it onto the other, where its own motion leads it back: it made no progress in 4,000 events.

    So it stays where both sides meet, and moves and rotates with them. The mirrored scene gives the mirrored result.
    """
    mirror = carrying == Side.TOP
    turn, off = (-turn, -off) if mirror else (turn, off)
    diagonal = -0.25 * math.pi if isinstance(shape, Polygon) else 0.75 * math.pi
    world = World()
    if is_round:
        hill_shape = Circle(1)
    else:
        # Only its end is round: the rest is behind it.
        behind = turned(3, 0, diagonal + math.pi)
        hill_shape = Polygon([(0, 0), turned(*behind, 0.01), turned(*behind, -0.01)], 1)
    if isinstance(shape, Polygon):
        carrying = carrying.opposite
    hill = world.add(hill_shape, Pose(0, 0), 1, carrying=carrying)
    # The wedge's tip is 1 to the left of its position.
    reach, tip = (2, 0) if isinstance(shape, Circle) else (1, 1)
    begin = diagonal + off
    body = world.add(shape, Pose(reach * math.cos(begin) + tip, reach * math.sin(begin)))
    drift, own = ((-2, 0), (-0.5, -1)) if mirror else ((0, 2), (1, 0.5))
    if isinstance(shape, Polygon):
        drift, own = (-drift[0], -drift[1]), (-own[0], -own[1])
    hill.goal = Pose(*drift, turn)
    go(body, *own)
    world.step()
    assert not was_cut_short(world)
    end = diagonal + turn
    assert spot(body) == at(drift[0] + reach * math.cos(end) + tip, drift[1] + reach * math.sin(end), rel=2e-4)
    if turn == 0.0:
        go(hill, *drift)
        go(body, *own)
        world.step()
        assert spot(body) == at(2 * drift[0] + reach * math.cos(end) + tip, 2 * drift[1] + reach * math.sin(end))


@pytest.mark.parametrize("spin", [0.0, 0.3, -0.3, -0.6])
@pytest.mark.parametrize("angle", [-0.6, 0.0, 0.75, 0.8])
def test_a_wheel_that_carries_nothing_may_turn_as_it_likes(spin, angle):
    """The wheel's diagonals passed under the ball, and the ever faster ball passed them again: it got stuck there."""
    world = World()
    wheel = world.add(Circle(3), Pose(0, 0, angle), 1, carrying=Side.NONE)
    reach, begin, own = 4, 1.4, (0.0, -6.0)
    ball = world.add(Circle(1), Pose(reach * math.cos(begin), reach * math.sin(begin)))
    wheel.goal = Pose(0, 0, angle + spin)
    go(ball, *own)
    world.step()
    assert not was_cut_short(world)
    end = rolled(begin, own, reach, 1.0)
    assert spot(ball) == at(reach * math.cos(end), reach * math.sin(end))


@pytest.mark.parametrize("spin", [0.2, -0.2])
@pytest.mark.parametrize("carrying", [Side.TOP, Side.LEFT])
def test_a_slope_of_45_degrees_carries_as_a_floor_also_while_it_turns(spin, carrying):
    """The state of the slope's side in the middle of a span was taken from the span's start, when it was a wall."""
    world = World()
    slope = world.add(Polygon([(0, -4), (4, 0), (0, 4), (-4, 0)]), Pose(0, 0), 1, carrying=carrying)
    # On its upper left side, 0.5 up from the middle of that side.
    across, along = turned(1, 0, 0.75 * math.pi), turned(1, 0, 0.25 * math.pi)
    far = 4 / math.sqrt(2) + 1
    ball = world.add(Circle(1), Pose(far * across[0] + 0.5 * along[0], far * across[1] + 0.5 * along[1]))
    slope.goal = Pose(0, 3, spin)
    go(ball, 0, 0)
    world.step()
    # Relative to the slope, it moves down by 3 sin(angle) if not carried, and up by its own radius times the spin.
    if carrying == Side.TOP:
        slid = 0.5 + spin
        end = turned(far * across[0] + slid * along[0], far * across[1] + slid * along[1], spin)
        assert spot(ball) == at(end[0], 3 + end[1], rel=1e-4)
    else:
        assert ball.pose.x < far * across[0] + 0.5 * along[0] - 1


@pytest.mark.parametrize("carrying", [Side.NONE, Side.LEFT, Side.ALL])
@pytest.mark.parametrize("spin", [0.06, -0.06, 0.0])
@pytest.mark.parametrize("middle", [0.2084, 1000.0])
def test_a_stick_slides_off_the_end_of_a_stick_that_turns(carrying, spin, middle):
    """They almost touch. Round the stick's end, rounding put the normal on a diagonal again and again, at one time."""
    world = World()
    stick = world.add(Capsule((0, -1), (0, 1), 0), Pose(middle, middle), 1, carrying=carrying)
    other = world.add(Capsule((-1, 0), (0, 0), 0), Pose(middle - 3, middle + 2))
    own = (8.0, -5.0)
    stick.goal = Pose(middle, middle, spin)
    go(other, *own)
    world.step()
    assert not was_cut_short(world)
    # It slides along the stick by its own motion: start and end of the slide are found by bisection.
    low, high = 0.0, 1.0
    for _ in range(60):
        half = 0.5 * (low + high)
        x, y = -3 + own[0] * half, 2 + own[1] * half
        is_before = x * math.cos(spin * half) + y * math.sin(spin * half) < 0
        low, high = (half, high) if is_before else (low, half)
    met = low
    place = (2 + own[1] * met) / math.cos(spin * met)

    def slid(time):
        """Return how far up the stick it is."""
        if spin == 0.0:
            return place + own[1] * (time - met)
        return (
            place
            + (
                own[0] * (math.cos(spin * time) - math.cos(spin * met))
                + own[1] * (math.sin(spin * time) - math.sin(spin * met))
            )
            / spin
        )

    low, high = met, 1.0
    for _ in range(60):
        half = 0.5 * (low + high)
        low, high = (half, high) if slid(half) > -1 else (low, half)
    x, y = turned(0, -1, spin * low)
    assert spot(other) == at(middle + x + own[0] * (1 - low), middle + y + own[1] * (1 - low), rel=1e-3)


# Valleys, presses and lifts.


@pytest.mark.parametrize(("left", "right"), [(0.25 * math.pi, 0.25 * math.pi), (0.4, 0.9), (1.2, 0.7)])
@pytest.mark.parametrize("is_one", [True, False], ids=["one polygon", "two"])
@pytest.mark.parametrize("start", [(0.0, 6.0), (-2.0, 9.0), (1.5, 5.0)])
def test_a_ball_comes_to_rest_in_a_valley(left, right, is_one, start):
    """The ball is 1 from both slopes: on the bisector, 1 / sin of half the angle between them from the bottom."""
    west, east = turned(-20, 0, -left), turned(20, 0, right)
    world = World()
    if is_one:
        world.add(Polygon([(0, 0), east, (30, -9), (-30, -9), west]), Pose(0, 0), 1)
    else:
        world.add(Polygon([(0, 0), west, (-30, -9), (0, -9)]), Pose(0, 0), 1)
        world.add(Polygon([(0, 0), (0, -9), (30, -9), east]), Pose(0, 0), 1)
    body = world.add(Circle(1), Pose(*start))
    bisector = 0.5 * (right + math.pi - left)
    far = 1 / math.sin(0.5 * (math.pi - left - right))
    for _ in range(12):
        go(body, 0, -2)
        world.step()
    expected = far * math.cos(bisector), far * math.sin(bisector)
    assert spot(body) == at(*expected)
    # Slopes up to 45 degrees count as below.
    sides = (Side.BOTTOM if left <= 0.25 * math.pi else Side.LEFT) | (
        Side.BOTTOM if right <= 0.25 * math.pi else Side.RIGHT
    )
    assert body.blocked == sides
    for _ in range(50):
        go(body, 0, -2)
        world.step()
    assert spot(body) == at(*expected)


@pytest.mark.parametrize(
    ("shape", "height"),
    [
        (Box(2, 2), 2.0),
        (SQUARE, 2.0),
        (Circle(1), math.sqrt(2)),
        (Capsule((0, -0.5), (0, 0.5), 0.5), 0.5 + 0.5 * math.sqrt(2)),
        # It lies on both slopes with its edges.
        (DIAMOND, 1.0),
    ],
    ids=["box", "square", "circle", "capsule", "diamond"],
)
@pytest.mark.parametrize("x", [0.0, -1.7, 2.5])
@pytest.mark.parametrize("speed", [0.4, 5.0, 300.0])
def test_it_comes_to_rest_in_a_valley_of_45_degrees(shape, height, x, speed):
    """It rests in the middle, by symmetry: boxes with two corners on y = |x|."""
    world = World()
    world.add(Polygon([(0, 0), (20, 20), (20, -5), (-20, -5), (-20, 20)]), Pose(0, 0), 1)
    body = world.add(shape, Pose(x, 6))
    for _ in range(int(12 / speed) * 3 + 8):
        go(body, 0, -speed)
        world.step()
    assert spot(body) == at(0, height)
    assert (body.blocked, body.stuck) == (Side.BOTTOM, Side.NONE)


@fitting
@pytest.mark.parametrize("mights", [(1, 1), (2, 1), (1, 2)])
def test_between_closing_walls_it_is_stuck_and_stays_out_of_the_mightier(shape, mights):
    """The walls move by 2.5, from -3 and from 3. The body reaches from -1.5 to 0.5.

    So the left wall arrives at 1.5 / 2.5, and a fifth of a frame later the remaining gap is the body's width.
    """
    world = World()
    left, right = (world.add(Box(4, 20), Pose(x, 0), might, mask=0) for x, might in zip((-5, 5), mights, strict=True))
    body = world.add(shape, Pose(-0.5, 0))
    left.goal, right.goal = Pose(-2.5, 0), Pose(2.5, 0)
    frame = world.step()
    # The inner sides are at -0.5 and 0.5.
    assert spot(body) == at(0.5 if mights[0] >= mights[1] else -0.5, 0)
    assert body.stuck == Side.LEFT | Side.RIGHT
    assert [(event.mighty, event.side) for event in frame.pushes] == [(left, Side.LEFT)]
    assert frame.pushes[0].time == pytest.approx(0.6, abs=CLOSE)
    assert frame.pushes[0].speed == pytest.approx(2.5, abs=CLOSE)
    assert {(event.mighty, event.side) for event in frame.stuck_events} == {(left, Side.LEFT), (right, Side.RIGHT)}
    assert [event.time for event in frame.stuck_events] == pytest.approx([0.8, 0.8], abs=CLOSE)


@pytest.mark.parametrize("mights", [(1, 1, 1), (3, 2, 1), (2, 3, 3)])
@pytest.mark.parametrize("turn", [0.0, 0.3])
def test_in_a_wedge_of_three_it_stays_out_of_the_two_mightiest(mights, turn):
    """Three walls, 120 degrees apart, each 3 away from a ball and approaching by 3: at 2/3 there is no room left.

    Two of them alone never close: the ball ends where it touches both, at 1 from each. Those two are the mightiest, and
    among equals those that were added first.
    """
    world = World()
    normals = [turned(1, 0, turn + i * 2 * math.pi / 3) for i in range(3)]
    walls = []
    for i, (x, y) in enumerate(normals):
        # The wall's inner side is its right one in its own frame.
        walls.append(world.add(Box(4, 60), Pose(-5 * x, -5 * y, turn + i * 2 * math.pi / 3), mights[i], mask=0))
        go(walls[-1], 3 * x, 3 * y)
    body = world.add(Circle(1), Pose(0, 0))
    frame = world.step()
    first, second = sorted(range(3), key=lambda i: -mights[i])[:2]
    # n . p = 1 for both of them, and n . m = -1/2: p = 2 (n + m).
    x, y = (2 * (normals[first][axis] + normals[second][axis]) for axis in range(2))
    assert spot(body) == at(x, y)
    assert body.stuck
    assert {event.mighty for event in frame.stuck_events} >= {walls[i] for i in range(3) if i not in (first, second)}
    assert [event.time for event in frame.events] == pytest.approx([2 / 3] * len(frame.events), abs=CLOSE)


@pytest.mark.parametrize("max_slope", [None, 0.4], ids=["body", "walker"])
@pytest.mark.parametrize("way", [1, -1], ids=["to the right", "to the left"])
@pytest.mark.parametrize(
    ("hill", "roof", "own", "end"),
    [
        # x + y = 1 along the hill and x - 2 y = 2 along the roof.
        ((1, 0), (-2, -2), (0, 0), (4 / 3, -1 / 3)),
        # The same with 1 and 5, and with 0 and 2 where the hill does not move.
        ((1, 0), (-1, -3), (1, 0), (7 / 3, -4 / 3)),
        ((0, 0), (-2, -2), (-3, 0), (2 / 3, -2 / 3)),
    ],
)
def test_a_roof_presses_who_is_on_the_top_of_a_hill_down_beside_that(max_slope, way, hill, roof, own, end):
    """A square's corner is on the top, with 45 degrees to each side. The sticky roof holds it, 27 degrees steep.

    Each side of the hill would make a walker move over to the other side, so it was kept on the top. That stopped no
    body: the roof pressed the walker in, 0.14 to 0.57 deep, without an event. Other bodies always went down the side
    that takes less of their motion away.
    """
    world = World()
    ground = world.add(Polygon([(0, 0), (-8, -8), (8, -8)]), Pose(0, 0), 1)
    # The roof's lower side faces along (1, -2), and passes through the square's corner at (0, 2).
    slope = math.atan2(way, 2)
    x, y = turned(0, 1, slope)
    ceiling = world.add(Box(20, 2), Pose(x, 2 + y, slope), 1, mask=0, sticky=Side.BOTTOM)
    body = world.add(SQUARE, Pose(way, 1), max_slope=max_slope)
    for part, (across, up) in ((ground, hill), (ceiling, roof), (body, own)):
        go(part, way * across, up)
    world.step()
    assert spot(body) == at(way * (1 + end[0]), 1 + end[1])
    assert body.stuck == Side.NONE


LIFTS = {"box": Box(20, 2), "polygon": Polygon([(-10, -1), (10, -1), (10, 1), (-10, 1)])}
lifts = pytest.mark.parametrize("lift", LIFTS.values(), ids=LIFTS)


@standing
@lifts
@pytest.mark.parametrize("is_walker", [False, True], ids=["body", "walker"])
@pytest.mark.parametrize("sticky", [Side.NONE, Side.TOP])
def test_a_lift_goes_up_and_down_faster_than_it_falls(shape, lift, is_walker, sticky):
    """The lift moves by 2 per frame each way, and the body falls by 0.5: only a sticky lift takes it down."""
    world = World()
    rise = world.add(lift, Pose(0, 0), 1, sticky=sticky)
    body = world.add(shape, Pose(3, 2), max_slope=0.5 if is_walker else None)
    for number in range(1, 6):
        go(rise, 0, 2)
        go(body, 0, -0.5)
        world.step()
        assert spot(body) == at(3, 2 + 2 * number)
        assert (body.blocked, body.on_floor, body.floor, body.floor_velocity) == (Side.BOTTOM, True, rise, (0, 2))
    for number in range(1, 6):
        go(rise, 0, -2)
        go(body, 0, -0.5)
        world.step()
        assert spot(body) == at(3, 12 - (2 if sticky else 0.5) * number)
        assert (body.on_floor, body.floor) == ((True, rise) if sticky else (False, None))
    # The lift is at 0 again. A body that stayed behind, by 7.5, lands after 15 frames.
    for _ in range(14):
        go(body, 0, -0.5)
        world.step()
    assert body.on_floor == bool(sticky)
    for _ in range(3):
        go(body, 0, -0.5)
        world.step()
    assert spot(body) == at(3, 2)
    assert body.on_floor


@standing
@lifts
def test_off_a_sticky_lift_it_can_jump(shape, lift):
    world = World()
    rise = world.add(lift, Pose(0, 0), 1, sticky=Side.TOP)
    body = world.add(shape, Pose(3, 2))
    go(rise, 0, -2)
    go(body, 1, 0.25)
    world.step()
    assert body.pose == body.goal == Pose(4, 2.25)
    assert not body.on_floor


@standing
@lifts
def test_a_walker_that_snaps_goes_down_with_a_lift_as_far_as_it_reaches(shape, lift):
    world = World()
    fall = world.add(lift, Pose(0, 0), 1)
    body = world.add(shape, Pose(3, 2), max_slope=0.5, snap=3)
    go(body, 0, -0.5)
    world.step()
    for number in range(1, 4):
        go(fall, 0, -3)
        go(body, 0, -0.5)
        world.step()
        assert spot(body) == at(3, 2 - 3 * number)
        assert (body.on_floor, body.floor, body.floor_velocity) == (True, fall, (0, -3))
    # 4 is 3.5 below the end of its fall: too far.
    go(fall, 0, -4)
    go(body, 0, -0.5)
    world.step()
    assert spot(body) == at(3, -7.5)
    assert not body.on_floor


# Chains and arms.

CHAINS = {
    "boxes": ["box"] * 5,
    "squares": ["square"] * 5,
    "balls": ["circle"] * 5,
    "capsules": ["lying capsule"] * 5,
    "mixed": ["box", "circle", "square", "diamond", "capsule"],
    "mixed otherwise": ["diamond", "box", "compound", "circle", "rounded"],
}


def half_width(shape):
    return shape.bounds().right


@pytest.mark.parametrize("names", CHAINS.values(), ids=CHAINS)
@pytest.mark.parametrize("speed", [20.0, 20000.0])
def test_a_wall_pushes_a_chain_of_five_ranks_within_one_frame(names, speed):
    """Each has a gap of 1 to the next: after each gap the next one starts to move, and all end in contact."""
    world = World()
    wall = world.add(Box(4, 20), Pose(-2, 0), 5)
    chain, front = [], 0.0
    for rank, name in enumerate(names):
        half = half_width(BODIES[name])
        chain.append(world.add(BODIES[name], Pose(front + 1 + half, 0), 4 - rank))
        front += 1 + 2 * half
    go(wall, speed, 0)
    frame = world.step()
    front = speed
    for body in chain:
        half = half_width(body.shape)
        assert spot(body) == at(front + half, 0, rel=1e-8 + 1e-12 * speed)
        assert body.blocked == Side.LEFT
        front += 2 * half
    # The mightier of two is the one nearer to the wall.
    assert [(event.weak, event.mighty) for event in frame.events] == list(zip(chain, [wall, *chain[:-1]], strict=True))
    assert [event.time for event in frame.events] == pytest.approx([(i + 1) / speed for i in range(5)], rel=1e-6)
    assert [event.speed for event in frame.events] == pytest.approx([speed] * 5, rel=1e-6)


@pytest.mark.parametrize("names", [("box", "box"), ("square", "square"), ("square", "box"), ("diamond", "square")])
def test_the_lower_rank_meets_the_bent_path_of_the_upper_one(names):
    """A wall reaches the crate after a quarter of the frame, and then pushes it right by 8 while it rises by 10.

    So it ends at (6, 10). A creature at (6, 8) is away from its straight path to (0, 10), and is met at three quarters.
    """
    world = World()
    wall = world.add(Box(4, 40), Pose(-5, 0), 2, carrying=Side.NONE)
    crate = world.add(BODIES[names[0]], Pose(0, 0), 1, carrying=Side.NONE)
    creature = world.add(BODIES[names[1]], Pose(6, 8))
    go(wall, 8, 0)
    go(crate, 0, 10)
    frame = world.step()
    assert spot(crate) == at(6, 10)
    # A square's right side pushes it until the end. A diamond's right corner is past the creature's upper side, 9, at
    # 9/10, when it is at 6.2, and the side below that corner recedes.
    assert spot(creature) == at(7.2 if names[0] == "diamond" else 8, 8)
    assert [(event.time, event.side, event.speed) for event in frame.events if event.weak is creature] == [
        (pytest.approx(0.75, abs=CLOSE), Side.LEFT, pytest.approx(8, abs=CLOSE))
    ]


ARMS = {
    "box": Polygon([(0, -0.25), (10, -0.25), (10, 0.25), (0, 0.25)]),
    "capsule": Capsule((0, 0), (10, 0), 0.25),
}
arms = pytest.mark.parametrize("arm", ARMS.values(), ids=ARMS)


@arms
@pytest.mark.parametrize("carrying", [Side.NONE, Side.ALL])
@pytest.mark.parametrize("name", ["box", "square", "circle", "capsule", "diamond"])
@pytest.mark.parametrize("turns", some([0.3, -3.0, 0.02, 1.0], least=2))
def test_an_arm_that_turns_sweeps_along_and_never_overlaps(arm, carrying, name, turns):
    """For eight frames, at up to three turns per frame. Bodies that it never meets stay in place."""
    world = World()
    lever = world.add(arm, Pose(0, 0), 1, carrying=carrying)
    bodies = [world.add(BODIES[name], Pose(x, y)) for x, y in ((3, 2), (6, -3), (-4, 4), (9.5, 1.5), (14, 0))]
    touched = set()
    for number in range(8):
        go(lever, 0, 0, 2 * math.pi * turns)
        frame = world.step()
        assert not was_cut_short(world), number
        touched |= {event.weak for event in frame.events}
        for body in bodies:
            assert depth(lever, body) <= 1e-8, (number, body)
        assert bodies[-1].pose == Pose(14, 0)
    # Within eight frames of 0.3 turns it has passed everywhere.
    assert len(touched) == 4 if abs(turns) >= 0.3 else touched <= set(bodies[:-1])


@arms
@pytest.mark.parametrize("turn", [0.25, 1.0, -1.5])
def test_a_ball_slides_out_along_an_arm(arm, turn):
    """Without carrying, the ball gets the arm's velocity perpendicular to the arm. So it slides outwards on the arm.

    At a height c over the arm's middle line, rotated by w, the point at s along it moves by -c w along the arm. To stay
    in place in that direction, the ball slides by c w: s = 3 + c w.
    """
    world = World()
    lever = world.add(arm, Pose(0, 0, 0.5), 1, carrying=Side.NONE)
    c = math.copysign(0.75, turn)
    body = world.add(Circle(0.5), Pose(*turned(3, c, 0.5)))
    go(lever, 0, 0, turn)
    world.step()
    assert spot(body) == at(*turned(3 + c * turn, c, 0.5 + turn), rel=1e-4)


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize(
    ("along", "above", "turn", "off_x", "off_y"),
    [
        (17.499241883398767, 1.6e-8, -0.01306, -0.01293218, 1.0091e-4),
        (8.638255090373988, 1.7e-6, -0.01175673, -7.61539045e-4, 4.20112608e-6),
        (-23.9, 1e-9, -0.03, -0.06, 9e-4),
    ],
)
def test_who_goes_nearly_as_an_arm_does_that_turns_is_kept_off_it(side, along, above, turn, off_x, off_y):
    """By its mean speed, a ball moved into an arm for half of the frame and off it in the other half: it ended inside.

    It was found in the demo of 5,000 agents around rotating arms: one of 400 was 6e-4 deep inside, after 626 frames.
    """
    arm, ball = Capsule((-64, 0), (64, 0), radius=7), Circle(3)
    world = World()
    lever, body = world.add(arm, Pose(0, 0), 1), world.add(ball, Pose(along, side * (10 + above)))
    goal_x, goal_y = turned(along, 10 + above, turn)
    ways = [
        im.Motion(Pose(0, 0), Pose(0, 0, side * turn)),
        im.Motion(body.pose, Pose(goal_x + off_x, side * (goal_y + off_y))),
    ]
    meets = any(im.distance(arm, ways[0].at(t), ball, ways[1].at(t)).distance < -1e-8 for t in np.linspace(0, 1, 201))
    lever.goal, body.goal = ways[0].end, ways[1].end
    frame = world.step()
    assert depth(lever, body) <= 1e-8
    assert bool(frame.pushes) == meets
    assert not was_cut_short(world)


# One-way platforms, and standing still.

PLATFORMS = {"box": Box(10, 1), "polygon": Polygon([(-5, -0.5), (5, -0.5), (5, 0.5), (-5, 0.5)])}
platforms = pytest.mark.parametrize("platform", PLATFORMS.values(), ids=PLATFORMS)


@standing
@platforms
@pytest.mark.parametrize(
    ("start", "way", "end"),
    [
        # From below, through and out above; from the left and the right, through all of it; and only part of the way.
        ((0, -4), (1, 9), None),
        ((-9, 0), (18, 0.25), None),
        ((9, 0), (-18, -0.25), None),
        ((0, -4), (0, 3), None),
        ((7, 0.5), (-3, 0), None),
        # Inside, down; inside, up; across its left side and down.
        ((1, 0), (0, -6), None),
        ((1, 0.25), (0.5, 4), None),
        ((-8, 2), (6, -4), None),
        # From above it lands, and slides.
        ((0, 4), (2, -8), (2, 1.5)),
        ((0, 1.5), (3, -400), (3, 1.5)),
    ],
)
def test_a_one_way_platform_holds_what_comes_from_above(shape, platform, start, way, end):
    world = World()
    world.add(platform, Pose(0, 0), 1, passable=ONE_WAY)
    body = world.add(shape, Pose(*start))
    go(body, *way)
    frame = world.step()
    if end is None:
        assert body.pose == body.goal == Pose(start[0] + way[0], start[1] + way[1])
        assert not frame.events
        assert not body.sides
    else:
        assert spot(body) == at(*end)
        assert body.sides == Side.BOTTOM


@standing
@platforms
def test_up_through_a_row_of_platforms_the_way_is_straight(shape, platform):
    """The path is straight to the last bit, wherever frames end. On the way down it lands on each one below it."""
    world = World()
    for i in range(6):
        world.add(platform, Pose(0.3 * i, 4.0 * i), 1, passable=ONE_WAY)
    body = world.add(shape, Pose(0.1, -3))
    for _ in range(20):
        goal = Pose(body.pose.x + 0.07, body.pose.y + 1.3)
        body.goal = goal
        frame = world.step()
        assert body.pose == goal
        assert (frame.events, body.sides) == ((), Side.NONE)
    # It is at 23, above the platform at 20.
    for _ in range(4):
        go(body, 0, -1.3)
        world.step()
    assert body.pose.y == pytest.approx(21.5, abs=CLOSE)
    assert body.on_floor


@standing
@platforms
@pytest.mark.parametrize("way", [(0, 0.7), (0, -0.3), (0, -0.7), (1.1, 0), (-1.1, 0), (0.5, 0.3), (-0.5, -0.4)])
@pytest.mark.parametrize("is_walker", [False, True], ids=["body", "walker"])
def test_on_a_one_way_platform_that_moves_nothing_falls_through(shape, platform, way, is_walker):
    """It falls by 0.5 per frame. A faster platform leaves it behind while it moves down, and no longer."""
    world = World()
    base = world.add(platform, Pose(0, 0), 1, passable=ONE_WAY)
    body = world.add(shape, Pose(1, 1.5), max_slope=0.5 if is_walker else None)
    for number in range(1, 40):
        go(base, *way)
        go(body, 0, -0.5)
        world.step()
        x = 1 + way[0] * number if way[1] >= -0.5 else 1
        y = 1.5 + max(way[1], -0.5) * number
        assert spot(body) == at(x, y), number
        assert body.on_floor == (way[1] >= -0.5)
    if way[1] < -0.5:
        for _ in range(40):
            go(body, 0, -0.5)
            world.step()
        assert body.pose.y == pytest.approx(base.pose.y + 1.5, abs=CLOSE)


def test_from_a_one_way_platform_it_slides_into_the_next_one_and_not_through_the_floor():
    """A row of flush one-way platforms: their sides let in, their tops do not, and nothing falls into a seam."""
    for shape in STANDING.values():
        world = World()
        lay(world, lambda: [(Box(4, 1), Pose(4 * i + 2, -0.5)) for i in range(-1, 9)], passable=ONE_WAY)
        body = world.add(shape, Pose(0, 1))
        for number in range(1, 29):
            go(body, 1, -0.5)
            world.step()
            assert spot(body) == at(number, 1)


GROUNDS = {
    "two that overlap": [(Box(12, 2), -4), (Box(12, 2), 4)],
    "two that are flush": [(Box(8, 2), -4), (Box(8, 2), 4)],
    "flush polygons": [
        (Polygon([(-4, -1), (4, -1), (4, 1), (-4, 1)]), -4),
        (Polygon([(-4, -1), (4, -1), (4, 1), (-4, 1)]), 4),
    ],
    "one compound": [(Compound([(Box(8, 2), Pose(-4, 0)), (Box(8, 2), Pose(4, 0))]), 0)],
}
grounds = pytest.mark.parametrize("ground", GROUNDS.values(), ids=GROUNDS)


@grounds
@pytest.mark.parametrize("rise", some([-0.1, 0.37, 0.0, 0.1]))
def test_for_1000_frames_it_stands_without_one_bit_of_jitter(ground, rise):
    """The platforms rise together, and the body stands over their seam: its height is theirs plus a constant.

    Half of a platform is 1 high, and half of the body too: the constant is 2. It falls by 0.25 per frame, more than the
    platforms descend. Bodies of one rank do not collide, so all stand there at once.
    """
    world = World()
    parts = [world.add(shape, Pose(x, 0), 1) for shape, x in ground]
    places = [0.0, 0.25, 1.0]
    standing_there = [
        (world.add(shape, Pose(x, 2), max_slope=slope), x)
        for shape in STANDING.values()
        for slope in (None, 0.5)
        for x in places
    ]
    rows, weak = (np.array([body.index for body in bodies]) for bodies in (parts, [body for body, _ in standing_there]))
    wrong = {}
    for number in range(1000):
        for indices, way in ((rows, rise), (weak, -0.25)):
            goals = world.positions(indices)
            goals[:, 1] += way
            world.set_goals(indices, goals)
        world.step()
        top = parts[0].pose.y + 2
        for body, x in standing_there:
            pose = body.pose
            told = (pose.x, pose.y, body.on_floor, body.blocked, body.floor in parts)
            if told != (x, top, True, Side.BOTTOM, True):
                wrong.setdefault((body.shape, body.max_slope, x), (number, told, top))
    assert not wrong


@grounds
@pytest.mark.parametrize("rise", [0.0, 0.37])
def test_on_what_does_not_move_sideways_nothing_moves_sideways(ground, rise):
    """Not even by the last bit, in the first frame on it: 0.3 minus -4 and then plus -4 is not 0.3."""
    world = World()
    parts = [world.add(part, Pose(x, 0), 1) for part, x in ground]
    bodies = [world.add(shape, Pose(0.3, 2), max_slope=slope) for shape in STANDING.values() for slope in (None, 0.5)]
    for _ in range(3):
        for part in parts:
            go(part, 0, rise)
        for body in bodies:
            go(body, 0, -0.25)
        world.step()
        assert [body.pose for body in bodies] == [Pose(0.3, parts[0].pose.y + 2)] * len(bodies)


# Walkers.

PROFILES = {
    "up": [(-60, 0), (0, 0), (60, 60 * math.tan(0.5))],
    "down": [(-60, 60 * math.tan(0.5)), (0, 0), (60, 0)],
    "crest": [(-60, 0), (-12, 0), (0, 12 * math.tan(0.55)), (14, 12 * math.tan(0.55) - 14 * math.tan(0.5)), (60, -20)],
    "hills": [(-60, 0), (-14, 0), (-9, 2), (-4, 0), (0, -2), (3, -2), (6, -0.5), (9, -2), (12, -1), (60, -1)],
    "gentle": [(-60, 0), (-10, 0), (-6, -0.15), (-2, -0.3), (3, 0.1), (7, 0.1), (60, -2)],
}
profiles = pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
# Forms of the same ground: one polygon down to -90, one polygon per slope, or thick boards along the slopes.
MAKES = ("one polygon", "polygons", "boards")


def ground_along(profile, make):
    if make == "one polygon":
        return [(Polygon([*profile, (profile[-1][0], -90), (profile[0][0], -90)]), Pose(0, 0))]
    if make == "polygons":
        return [(Polygon([a, b, (b[0], -90), (a[0], -90)]), Pose(0, 0)) for a, b in pairwise(profile)]
    boards = []
    for (ax, ay), (bx, by) in pairwise(profile):
        angle, length = math.atan2(by - ay, bx - ax), math.dist((ax, ay), (bx, by))
        # A board's upper side reaches from one end to the other; below it, boards may overlap.
        x, y = turned(0.5 * length, -0.25, angle)
        boards.append((Box(length, 0.5), Pose(ax + x, ay + y, angle)))
    return boards


def height_over(profile, shape, x):
    """Return the height of a body that stands at x: the highest that any of the ground under it requires."""
    highest = -math.inf
    for (ax, ay), (bx, by) in pairwise(profile):
        slope = (by - ay) / (bx - ax)
        if isinstance(shape, (Box, Polygon)):
            # The lower side is level: an end of its own or of the slope supports it.
            reach, best = 1.0, [ax, bx, x - 1, x + 1]
        else:
            # The round lower end, of a radius r around (x, y - 1 + r): perpendicular to the slope, or at an end.
            reach = 0.5 if isinstance(shape, Capsule) else 1.0
            best = [ax, bx, x - reach, x + reach, x + reach * math.sin(math.atan(slope))]
        for foot in best:
            if max(ax, x - reach) - 1e-12 <= foot <= min(bx, x + reach) + 1e-12:
                ground = ay + slope * (foot - ax)
                if isinstance(shape, (Box, Polygon)):
                    highest = max(highest, ground + 1)
                else:
                    sagging = math.sqrt(max(reach * reach - (foot - x) ** 2, 0.0))
                    highest = max(highest, ground + sagging + 1 - reach)
    return highest


def walk_along(profile, make, shape, direction, pace):
    """Walk from -18 to 13 or back, with a fall of 0.1, a snap of 0.75 down, and no bound up."""
    world = World()
    for part, pose in ground_along(profile, make):
        world.add(part, pose, 1)
    start = -18.0 * direction
    body = world.add(shape, Pose(start, height_over(profile, shape, start)), max_slope=0.6, snap=0.75)
    go(body, 0, -0.1)
    world.step()
    for _ in range(int(31 / pace)):
        before = body.pose.x
        go(body, pace * direction, -0.1)
        world.step()
        yield before, body


def is_round_below(shape):
    return isinstance(shape, (Circle, Capsule))


@standing
@profiles
@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("direction", some([1, -1]))
@pytest.mark.parametrize("pace", some([0.4, 0.11]))
def test_a_walker_keeps_its_pace_on_all_slopes(shape, profile, make, direction, pace):
    """On any ground, it always stays on the ground, also over crests.

    Round feet that rolled over a crest by the rule of other bodies lost up to 0.062 of 0.4 there. Where two boards
    share the crest they gained 0.003: they moved round the corner of one board and into the other.
    """
    for before, body in walk_along(profile, make, shape, direction, pace):
        x = before + pace * direction
        assert spot(body) == at(x, height_over(profile, shape, x), rel=1e-7)
        assert body.on_floor
        assert body.sides == Side.BOTTOM


@standing
@pytest.mark.parametrize("slope", [0.0, 0.3, 0.6, -0.6])
@pytest.mark.parametrize("snap", [0.0, 1.0])
def test_a_walker_at_rest_does_not_slide(shape, slope, snap):
    """Slopes go up to its steepest, which is that of 0.6. Not a bit changes after the first frame."""
    world = World()
    profile = [(-40, -40 * math.tan(slope)), (40, 40 * math.tan(slope))]
    world.add(Box(100, 10), Pose(*turned(0, -5, slope), slope), 1)
    body = world.add(shape, Pose(0.3, height_over(profile, shape, 0.3)), max_slope=0.6, snap=snap)
    go(body, 0, -0.5)
    world.step()
    assert spot(body) == at(0.3, height_over(profile, shape, 0.3))
    for _ in range(200):
        go(body, 0, -0.5)
        world.step()
        assert body.on_floor
    assert spot(body) == at(0.3, height_over(profile, shape, 0.3))


def off_a_slope(name, slope):
    """Return the distance from the foot of a slope to a body that stands before it on level ground."""
    # Between level and slope the angle is pi - slope, and a round body is a radius from both.
    radius = {"circle": 1.0, "capsule": 0.5}.get(name)
    return 1.0 if radius is None else radius / math.tan(0.5 * (math.pi - slope))


names = pytest.mark.parametrize("name", STANDING)


@pytest.mark.parametrize("slope", [0.65, 0.9, 1.3, 0.5 * math.pi])
@names
@pytest.mark.parametrize(("pace", "fall"), [(0.4, 0.3), (7.0, 0.3), (0.2, 2.0)])
def test_a_walker_does_not_climb_what_is_too_steep(name, slope, pace, fall):
    """It reaches the foot of the slope, at x = 0, and stays on the floor. The slope is reported.

    Where the velocity on the slope was computed without the floor, gravity slid the walker down the slope, and so back:
    by 0.045.
    """
    world = World()
    world.add(Box(60, 10), Pose(-10, -5), 1)
    wall = world.add(Polygon([(0, 0), turned(40, 0, slope), turned(40, -10, slope), (0, -10)]), Pose(0, 0), 1)
    body = world.add(BODIES[name], Pose(-6, 1), max_slope=0.6)
    x = -off_a_slope(name, slope)
    for number in range(1, 40):
        go(body, pace, -fall)
        frame = world.step()
        assert spot(body) == at(min(-6 + pace * number, x), 1)
        assert body.on_floor
    assert body.blocked == (Side.BOTTOM | Side.RIGHT if slope > 0.25 * math.pi else Side.BOTTOM)
    assert wall in {event.mighty for event in frame.events}


@pytest.mark.parametrize("slope", [0.9, 1.3, 0.5 * math.pi])
@names
@pytest.mark.parametrize("pace", [0.0, 0.2, -0.4])
def test_a_steep_slope_that_comes_pushes_a_walker_along_the_floor(name, slope, pace):
    """It comes from the left by 0.3 per frame, and does not lift a walker that stands or walks in its way."""
    world = World()
    world.add(Box(90, 10), Pose(0, -5), 1)
    wall = world.add(Polygon([(0, 0), (0, -10), turned(-40, -10, -slope), turned(-40, 0, -slope)]), Pose(-9, 0), 1)
    body = world.add(BODIES[name], Pose(-5, 1), max_slope=0.6)
    for number in range(1, 30):
        go(wall, 0.3, 0)
        go(body, pace, -0.2)
        world.step()
        x = max(-5 + pace * number, -9 + 0.3 * number + off_a_slope(name, slope))
        assert spot(body) == at(x, 1), number
        assert body.on_floor


@names
@pytest.mark.parametrize(("pace", "fall"), [(0.05, 0.3), (0.4, 0.1), (3.0, 0.02)])
def test_between_a_slope_and_a_ceiling_a_walker_stops_where_it_fits_in(name, pace, fall):
    """It climbs until its head is at the ceiling, at 3.5. Gravity does not take it down again, not even a slow one."""
    profile = [(-60, 0), (3, 0), (30, 13.5)]
    world = World()
    for part, pose in ground_along(profile, "polygons"):
        world.add(part, pose, 1)
    world.add(Box(60, 1), Pose(0, 4), 1)
    body = world.add(BODIES[name], Pose(1, height_over(profile, BODIES[name], 1)), max_slope=0.6)
    # Where all of it is over the slope, it rises by half of its path.
    x = 6 + 2 * (2.5 - height_over(profile, BODIES[name], 6))
    for number in range(1, 110):
        go(body, pace, -fall)
        world.step()
        assert body.pose.x == pytest.approx(min(1 + pace * number, x), rel=0, abs=CLOSE)
        assert body.on_floor
        assert not body.stuck
    assert spot(body) == at(x, 2.5)
    assert body.blocked == Side.BOTTOM | Side.TOP


@pytest.mark.parametrize("name", ["box", "square", "circle", "capsule"])
def test_on_what_is_too_steep_a_walker_slides_down(name):
    """It slides as any body does: by 0.5 downwards, minus the part that leads into the slope."""
    world = World()
    world.add(Box(100, 10), Pose(*turned(0, -5, 0.9), 0.9), 1)
    profile = [(-40, -40 * math.tan(0.9)), (40, 40 * math.tan(0.9))]
    start = height_over(profile, BODIES[name], 10)
    body = world.add(BODIES[name], Pose(10, start), max_slope=0.6)
    fall = 0.5 * math.sin(0.9)
    for number in range(1, 12):
        go(body, 0, -0.5)
        world.step()
        assert not body.on_floor
        assert spot(body) == at(10 - fall * math.cos(0.9) * number, start - fall * math.sin(0.9) * number)


def test_without_snapping_a_walker_leaves_the_ground_over_a_crest():
    """It falls by 0.1 while it moves 0.4, less than the slope descends: in the air it is at the height of its fall."""
    profile = [(-40, 0), (0, 0), (40, -20)]
    for shape in STANDING.values():
        world = World()
        for part, pose in ground_along(profile, "one polygon"):
            world.add(part, pose, 1)
        # Its foot, or its rear corner, is on the crest.
        start = 0.0 if is_round_below(shape) else 1.0
        body = world.add(shape, Pose(start, 1), max_slope=0.6)
        for _ in range(8):
            go(body, 0.4, -0.1)
            world.step()
        assert not body.on_floor
        assert body.pose.x == pytest.approx(start + 3.2, abs=CLOSE)
        # Round feet move round the crest until that descends by 1 in 4, and so they fall later.
        if is_round_below(shape):
            radius = 0.5 if isinstance(shape, Capsule) else 1.0
            lean = math.atan(0.25)
            falling = 3.2 - radius * math.sin(lean)
            assert body.pose.y == pytest.approx(1 - radius * (1 - math.cos(lean)) - 0.25 * falling, abs=CLOSE)
        else:
            assert body.pose.y == pytest.approx(0.2, abs=CLOSE)


@pytest.mark.parametrize("name", ["box", "square", "circle", "capsule"])
@pytest.mark.parametrize("pace", [0.1, 0.4, 2.5])
@pytest.mark.parametrize("make", ["boxes", "polygon"])
def test_a_walker_climbs_steps_of_its_height_and_no_higher_ones(name, pace, make):
    """Three steps of 0.5, and then one of 0.75."""
    treads = [(0.0, 0.0), (5.0, 0.5), (10.0, 1.0), (15.0, 1.5), (20.0, 2.25)]
    world = World()
    if make == "boxes":
        for x, top in treads:
            world.add(Box(10, 10), Pose(x, top - 5), 1)
    else:
        corners = [(-5, -9), (35, -9), (35, 2.25)]
        for (_, low), (x, top) in reversed([*pairwise(treads)]):
            corners += [(x - 5, top), (x - 5, low)]
        world.add(Polygon([*corners, (-5, 0)]), Pose(0, 0), 1)
    step = 0.5
    body = world.add(BODIES[name], Pose(-4, 1), max_slope=0.6, step_height=0.6, snap=0.2)
    go(body, 0, -0.1)
    world.step()
    frames, highest = int(22 / pace) + 12, -math.inf
    for number in range(frames):
        before = body.pose
        go(body, pace, -0.1)
        world.step()
        # At a step, it moves forward by a small part of the step's height, or it would slide off.
        assert before.x - CLOSE <= body.pose.x <= before.x + pace + 0.6 / 64 + CLOSE, number
        assert body.pose.y >= highest - CLOSE
        assert body.on_floor, number
        highest = max(highest, body.pose.y)
        assert min(abs(body.pose.y - 1 - step * i) for i in range(4)) <= 1e-7 or name in ("circle", "capsule")
    # Before the last step, whose wall is at 15 and reaches up to 2.25: a ball leans on its edge.
    x = 15 - {"box": 1, "square": 1, "capsule": 0.5, "circle": math.sqrt(1 - 0.25**2)}[name]
    assert spot(body) == at(x, 2.5)


def height_over_a_step(radius, rise, x):
    """Return the height of a body with a round foot of some radius, at x near a step up that begins at 0."""
    if x >= 0.0:
        return 1 + rise
    if x <= -radius:
        return 1.0
    return max(1.0, 1 + rise + math.sqrt(radius * radius - x * x) - radius)


@pytest.mark.parametrize(("name", "radius"), [("circle", 1.0), ("capsule", 0.5)])
@pytest.mark.parametrize("pace", [0.03, 0.1, 0.7])
@pytest.mark.parametrize("rest", [0.3, 0.5, 0.7, 0.9])
def test_round_feet_rest_on_the_edge_of_a_step_wherever_they_stop(name, radius, pace, rest):
    """They climb a step of 0.25 at their own pace, and stop on its edge. On the way down they stop there, too.

    As a slope, the edge is too steep to stand on: its normal is up to 60 degrees off. The step height permits it.
    Gravity used to slide them off the edge, and slow ones never got up.
    """
    world = World()
    world.add(Box(20, 10), Pose(-10, -5), 1)
    world.add(Box(20, 10), Pose(10, -4.75), 1)
    # From the first contact with the edge to full support on the step, by a share of that distance.
    reach = math.sqrt(radius * radius - (radius - 0.25) ** 2)
    body = world.add(BODIES[name], Pose(-2, 1), max_slope=0.3, step_height=0.25, snap=0.25)
    for target in (-reach * rest, 2.0, -reach * rest, -2.0):
        while body.pose.x != pytest.approx(target, rel=0, abs=CLOSE):
            way = min(max(target - body.pose.x, -pace), pace)
            x = body.pose.x + way
            go(body, way, -0.02)
            world.step()
            assert spot(body) == at(x, height_over_a_step(radius, 0.25, x))
            assert body.on_floor
        for _ in range(5):
            go(body, 0, -0.02)
            world.step()
            assert spot(body) == at(target, height_over_a_step(radius, 0.25, target))
            assert body.on_floor


@pytest.mark.parametrize(("name", "radius"), [("circle", 1.0), ("capsule", 0.5)])
@pytest.mark.parametrize("pace", [0.03, 0.1, 0.7])
def test_with_snap_alone_round_feet_stay_on_the_ground_down_stairs(name, radius, pace):
    """Three steps of 0.25, 2 apart. On the way up they are stopped, as they have no step height."""
    world = World()
    for i in range(4):
        world.add(Box(2 if 0 < i < 3 else 20, 10), Pose((-10, 1, 3, 14)[i], -5 - 0.25 * i), 1)
    body = world.add(BODIES[name], Pose(-3, 1), max_slope=0.3, snap=0.25)
    for _ in range(math.ceil(10 / pace)):
        x = body.pose.x + pace
        go(body, pace, -0.02)
        world.step()
        # It descends over the edges at 0, 2, and 4.
        step = min(math.floor(0.5 * x), 2)
        height = height_over_a_step(radius, 0.25, 2 * step - x) - 0.25 * (step + 1) if step >= 0 else 1.0
        assert spot(body) == at(x, height, rel=1e-7)
        assert body.on_floor
    for _ in range(math.ceil(10 / pace)):
        go(body, -pace, -0.02)
        world.step()
        assert body.on_floor
    assert spot(body) == at(4 + math.sqrt(radius * radius - (radius - 0.25) ** 2), 0.25)


@names
@pytest.mark.parametrize("pace", [0.03, 0.4])
@pytest.mark.parametrize("slope", [0.9, 1.2, 1.5])
@pytest.mark.parametrize("step_height", [0.5, 0.3])
def test_a_kerb_with_a_slanted_side_is_a_step_as_well(name, pace, slope, step_height):
    """It is 0.4 high, and its side is too steep to walk on. A slow walker does not climb it in one frame."""
    world = World()
    world.add(Box(20, 10), Pose(-10, -5), 1)
    top = 0.4 / math.tan(slope)
    world.add(Polygon([(0, 0), (top, 0.4), (9, 0.4), (9, -10), (0, -10)]), Pose(0, 0), 1)
    body = world.add(BODIES[name], Pose(-3, 1), max_slope=0.6, snap=0.1, step_height=step_height)
    for _ in range(math.ceil(7 / pace)):
        before = body.pose
        go(body, pace, -0.02)
        world.step()
        assert before.x - CLOSE <= body.pose.x <= before.x + pace + step_height / 64 + CLOSE
        assert body.pose.y >= before.y - CLOSE
        assert body.on_floor
    if step_height > 0.4:
        assert body.pose.x == pytest.approx(-3 + pace * math.ceil(7 / pace), abs=0.01)
        assert body.pose.y == pytest.approx(1.4, rel=0, abs=CLOSE)
    else:
        # Round feet may touch its edge, and not its side.
        radius = {"circle": 1.0, "capsule": 0.5}.get(name, 0.0)
        x = -off_a_slope(name, slope)
        if radius and radius * (1 - math.cos(slope)) > 0.4:
            x = top - math.sqrt(radius * radius - (radius - 0.4) ** 2)
        assert spot(body) == at(x, 1)


@names
@pytest.mark.parametrize("pace", [0.03, 0.4])
def test_below_a_ceiling_a_walker_climbs_as_many_steps_as_it_has_room_for(name, pace):
    """Steps of 0.25, and a ceiling at 2.6: on the second step its head is at 2.5, so there is no room for the third.

    Round feet climb the edge of the third until their head is at the ceiling.
    """
    world = World()
    for i in range(5):
        world.add(Box(20, 10), Pose(10 + 2 * i, -5 + 0.25 * i), 1)
    world.add(Box(60, 1), Pose(0, 3.1), 1)
    body = world.add(BODIES[name], Pose(1.5, 1), max_slope=0.6, snap=0.1, step_height=0.3)
    for _ in range(math.ceil(8 / pace)):
        before = body.pose
        go(body, pace, -0.02)
        world.step()
        assert body.pose.x >= before.x - CLOSE
        assert body.pose.y >= before.y - CLOSE
        assert body.on_floor
        assert not body.stuck
    if name in ("box", "square"):
        assert spot(body) == at(5, 1.5)
    else:
        radius = 1.0 if name == "circle" else 0.5
        # The edge at (6, 0.75) is 0.15 above its feet.
        assert spot(body) == at(6 - math.sqrt(radius * radius - (radius - 0.15) ** 2), 1.6)


def test_a_pointed_foot_does_not_slide_back_from_a_kerb():
    """It stands where the floor ends and a steep kerb begins, on a corner of each: the first still counts as a floor.

    It was held by its own side, which descends there, and so the kerb pushed it back by 0.0098, again and again.
    """
    world = World()
    world.add(Box(20, 10), Pose(-10, -5), 1)
    world.add(Polygon([(0, 0), turned(0.4, 0, 0.9), (9, 0.3), (9, -10), (0, -10)]), Pose(0, 0), 1)
    body = world.add(Polygon([(0, -1), (0.5, 0), (0, 1), (-0.5, 0)]), Pose(-1, 1), max_slope=0.6)
    for number in range(1, 20):
        go(body, 0.1, -0.02)
        world.step()
        assert spot(body) == at(min(-1 + 0.1 * number, 0), 1)
        assert body.on_floor
    assert body.blocked == Side.BOTTOM | Side.RIGHT


@standing
@pytest.mark.parametrize("way", [(2.0, 0.0), (-1.0, 0.5), (0.5, -0.25)])
def test_a_walker_jumps_from_a_platform_that_moves(shape, way):
    """On the platform it knows its floor and the floor's velocity. In the air it has no floor and moves freely."""
    world = World()
    base = world.add(Box(20, 2), Pose(0, 0), 1)
    body = world.add(shape, Pose(1, 2), max_slope=0.6, snap=0.5)
    for number in range(1, 4):
        go(base, *way)
        go(body, 0.125, -0.5)
        world.step()
        assert spot(body) == at(1 + (way[0] + 0.125) * number, 2 + way[1] * number)
        assert (body.on_floor, body.floor) == (True, base)
        assert body.floor_velocity == way
    before = body.pose
    go(base, *way)
    go(body, body.floor_velocity[0], body.floor_velocity[1] + 3)
    goal = body.goal
    world.step()
    assert body.pose == goal
    assert spot(body) == at(before.x + way[0], before.y + way[1] + 3)
    assert (body.on_floor, body.floor, body.floor_velocity) == (False, None, (0, 0))


def test_a_walker_does_not_snap_while_it_jumps_nor_when_it_was_in_the_air():
    world = World()
    world.add(Box(20, 2), Pose(0, 0), 1)
    body = world.add(Circle(1), Pose(0, 2), max_slope=0.6, snap=2)
    go(body, 0, -0.5)
    world.step()
    assert body.on_floor
    go(body, 0, 0.25)
    world.step()
    assert (body.pose, body.on_floor) == (body.goal, False)
    go(body, 0.5, 0.0)
    world.step()
    assert (body.pose, body.on_floor) == (body.goal, False)
    go(body, 0.0, -0.5)
    world.step()
    assert spot(body) == at(0.5, 2)
    assert body.on_floor


# Responses.


def folded(place, way, half):
    """Return where a body that moves back and forth between -half and half is after a distance, and its direction."""
    lap = (place + way + half) % (4 * half)
    there = lap <= 2 * half
    return (lap - half, 1) if there else (3 * half - lap, -1)


def room(world, half, **rules):
    """Build four thick walls; a body that reaches 1 has its position within half to all sides."""
    return [
        world.add(Box(4 * half + 20, 8), Pose(x * (half + 5), y * (half + 5), 0.5 * math.pi * abs(x)), 1, **rules)
        for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))
    ]


@fitting
@pytest.mark.parametrize("way", [(0.7, 0.3), (37.0, -23.0), (4.0, 4.0), (-900.0, 123.0)])
def test_in_a_room_it_bounces_for_ever(shape, way):
    """Unfolded, its path is straight. All four shapes reach 1 to all sides, so all four bounce alike.

    Only where they reach the corner itself, as with (4, 4), do they touch two walls at once.
    """
    world = World()
    room(world, 4.0, response="bounce")
    body = world.add(shape, Pose(1, -1 if way != (4.0, 4.0) else 1))
    start, own = body.pose, way
    for number in range(1, 25):
        go(body, *own)
        world.step()
        own = body.movement
        x, to_x = folded(start.x, way[0] * number, 4.0)
        y, to_y = folded(start.y, way[1] * number, 4.0)
        # Each bounce may be off by the slop, and there are up to 2,700.
        assert spot(body) == at(x, y, rel=1e-5), number
        assert (abs(own[0]), abs(own[1])) == pytest.approx((abs(way[0]), abs(way[1])), rel=1e-12)
        if min(4 - abs(x), 4 - abs(y)) > 1e-3:
            assert own == pytest.approx((to_x * way[0], to_y * way[1]), rel=1e-12)


@fitting
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_it_bounces_with_a_part_of_its_speed(shape, restitution):
    """Down by 8 from 4 above the floor: it lands at half of the frame, and rises by a share of the remaining 4.

    It keeps all of the 3 across.
    """
    world = World()
    world.add(Box(60, 10), Pose(0, -5), 1)
    body = world.add(shape, Pose(0, 5), response="bounce", restitution=restitution)
    go(body, 3, -8)
    frame = world.step()
    assert spot(body) == at(3, 1 + 4 * restitution)
    assert body.movement == pytest.approx((3, 8 * restitution), abs=CLOSE)
    assert [(event.kind, event.side) for event in frame.events] == [("push", Side.BOTTOM)]
    assert body.time == pytest.approx(0.5, abs=CLOSE)


@fitting
def test_a_bounce_off_a_wall_that_comes_adds_the_walls_speed(shape):
    """With the restitution 1, the relative speed is kept: 6 towards the wall, 6 away from it, which is 10."""
    world = World()
    wall = world.add(Box(4, 40), Pose(-2, 0), 1)
    body = world.add(shape, Pose(4, 0), response="bounce")
    go(wall, 4, 0)
    go(body, -2, 0)
    world.step()
    # 3 apart, approaching by 6 per frame: they meet at half time, with the body at 3.
    assert spot(body) == at(3 + 0.5 * 10, 0)
    assert body.movement == pytest.approx((10, 0), abs=CLOSE)


@fitting
@pytest.mark.parametrize("turn", [0.0, 0.3])
def test_it_stops_where_they_meet(shape, turn):
    """It stops at half time, slides no further, and has no motion of its own left."""
    world = World()
    world.add(Box(60, 10), Pose(*turned(0, -5, turn), turn), 1)
    body = world.add(shape, Pose(*turned(0, 5, turn), turn), response="stop")
    go(body, *turned(3, -8, turn))
    world.step()
    assert spot(body) == at(*turned(1.5, 1, turn), turn)
    assert body.movement == (0, 0)
    assert body.time == pytest.approx(0.5, abs=CLOSE)


RESPONSES = ("push", "bounce", "stop", "sensor")


@fitting
@pytest.mark.parametrize("weak", RESPONSES)
@pytest.mark.parametrize("mighty", RESPONSES)
def test_the_response_of_a_pair_is_the_higher_of_both(shape, weak, mighty):
    world = World()
    floor = world.add(Box(60, 10), Pose(0, -5), 1, response=mighty)
    body = world.add(shape, Pose(0, 5), response=weak)
    go(body, 3, -8)
    frame = world.step()
    both = max(weak, mighty, key=RESPONSES.index)
    assert spot(body) == at(*{"push": (3, 1), "bounce": (3, 5), "stop": (1.5, 1), "sensor": (3, -3)}[both])
    if (weak, mighty) == ("sensor", "sensor"):
        # Sensors do not detect each other.
        assert frame.events == ()
        return
    (event,) = frame.events
    assert event.kind == ("sensor" if both == "sensor" else "push")
    assert event.time == pytest.approx(0.5, abs=1e-7)
    assert {event.weak, event.mighty} == {body, floor}


# Sensors.


@fitting
@pytest.mark.parametrize("mights", [(0, 0), (1, 0), (0, 1)])
@pytest.mark.parametrize(("way", "time"), [((4, 0), 0.5), ((40, 0), 0.05), ((4e5, 0), 5e-6), ((1.5, 0), None)])
def test_a_sensor_is_entered_or_passed_wholly_through(shape, mights, way, time):
    """It begins 2 away and is 1 thick. Bodies that move farther than 5 pass it completely. Ranks do not matter."""
    world = World()
    gate = world.add(Box(1, 20), Pose(3.5, 0), mights[0], response="sensor")
    body = world.add(shape, Pose(0, 0), mights[1])
    go(body, *way)
    frame = world.step()
    assert body.pose == body.goal == Pose(way[0], 0)
    assert gate.pose == Pose(3.5, 0)
    assert body.sides == Side.NONE
    assert [(event.kind, event.weak, event.mighty, event.side) for event in frame.events] == (
        [] if time is None else [("sensor", body, gate, Side.NONE)]
    )
    if time is not None:
        assert frame.events[0].time == pytest.approx(time, abs=1e-8)
    assert frame.events == frame.sensed


@fitting
def test_a_sensor_tells_in_every_frame_in_which_something_is_in_it(shape):
    """This includes a start inside, at 0; and nothing is reported after it is gone."""
    world = World()
    world.add(Circle(3), Pose(0, 0), response="sensor")
    body = world.add(shape, Pose(0, 0))
    told = []
    for _ in range(8):
        go(body, 1, 0)
        told.append([event.time for event in world.step().sensed])
    # It leaves at 4, and at the start of the fifth frame it only touches.
    assert told == [[0.0]] * 4 + [[]] * 4


@fitting
def test_a_sensor_comes_to_what_rests(shape):
    world = World()
    gate = world.add(Box(2, 2), Pose(-5, 0), 3, response="sensor")
    body = world.add(shape, Pose(0, 0))
    go(gate, 9, 0)
    frame = world.step()
    assert body.pose == Pose(0, 0)
    assert gate.pose == Pose(4, 0)
    assert [(event.weak, event.mighty) for event in frame.events] == [(body, gate)]
    assert frame.events[0].time == pytest.approx(3 / 9, abs=1e-8)


@pytest.mark.parametrize("turns", [math.pi, -math.pi, 0.5 * math.pi])
def test_a_sensor_that_turns_sweeps_over_a_ball(turns):
    """A thin arm along x rotates about its end. A ball of 1 is 5 above: met asin(1/5) before the right angle."""
    world = World()
    arm = world.add(Capsule((0, 0), (10, 0)), Pose(0, 0), response="sensor")
    ball = world.add(Circle(1), Pose(0, 5))
    go(arm, 0, 0, turns)
    frame = world.step()
    # In the other direction it comes from the other side.
    angle = 0.5 * math.pi - math.asin(0.2)
    times = [angle / turns] if turns > 0 else []
    assert [event.time for event in frame.sensed] == pytest.approx(times, abs=1e-7)
    assert ball.pose == Pose(0, 5)


def test_what_turns_comes_into_a_sensor():
    world = World()
    world.add(Circle(1), Pose(0, 5), response="sensor")
    arm = world.add(Capsule((0, 0), (10, 0)), Pose(0, 0))
    go(arm, 0, 0, 2)
    frame = world.step()
    assert [event.time for event in frame.sensed] == pytest.approx([(0.5 * math.pi - math.asin(0.2)) / 2], abs=1e-7)
    assert arm.pose == Pose(0, 0, 2)


@pytest.mark.parametrize(
    ("layer", "mask", "meets"), [(1, 1, True), (2, 1, False), (3, 2, True), (4, 6, True), (4, 3, False)]
)
def test_a_sensor_is_met_by_those_whose_mask_has_its_layer(layer, mask, meets):
    world = World()
    world.add(Circle(1), Pose(5, 0), layer=layer, mask=0, response="sensor")
    body = world.add(SQUARE, Pose(0, 0), layer=8, mask=mask)
    go(body, 9, 0)
    assert bool(world.step().sensed) == meets


def test_events_come_in_the_order_of_time_and_then_as_bodies_were_added():
    """A crate passes two gates at once and one more. It does not reach the last one, as a wall stops it."""
    world = World()
    world.add(Box(1, 9), Pose(11.5, 0), response="sensor")
    second = world.add(Box(1, 9), Pose(6.5, 0), 7, response="sensor")
    first = world.add(Box(1, 9), Pose(4.5, 0), response="sensor")
    same = world.add(Polygon([(4, -1), (5, -1), (5, 1), (4, 1)]), Pose(0, 0), response="sensor")
    wall = world.add(Box(1, 9), Pose(9.5, 0), 2)
    crate = world.add(SQUARE, Pose(0, 0), 1)
    go(crate, 20, 0)
    frame = world.step()
    assert [(event.kind, event.mighty) for event in frame.events] == [
        ("sensor", first),
        ("sensor", same),
        ("sensor", second),
        ("push", wall),
    ]
    assert [event.time for event in frame.events] == pytest.approx([0.15, 0.15, 0.25, 0.4], abs=1e-8)
    assert {event.weak for event in frame.events} == {crate}
    assert (frame.pushes, frame.sensed) == (frame.events[3:], frame.events[:3])


# Odd cases.


@shapes
@pytest.mark.parametrize("other", BODIES.values(), ids=BODIES)
def test_at_one_place_it_gets_out_and_stays_there(shape, other):
    """No body moves. It is moved out of the other one at once, by at most the size of both, and then never again."""
    world = World()
    rock = world.add(other, Pose(3, 4), 1)
    body = world.add(shape, Pose(3, 4))
    frame = world.step()
    # Its own motion leads from there back to its goal, so in a nook a second side may be reported.
    assert frame.events[0].time == 0.0
    assert rock.pose == Pose(3, 4)
    assert math.dist((3, 4), (body.pose.x, body.pose.y)) <= 2 * math.sqrt(2) + CLOSE
    assert depth(rock, body) <= CLOSE
    place = spot(body)
    for _ in range(3):
        body.goal = body.pose
        frame = world.step()
        assert spot(body) == at(*place)
        assert not frame.stuck_events


@pytest.mark.parametrize("radii", [(1.0, 1.0), (1.0, 1e-3), (1e-3, 5.0)])
def test_of_two_balls_at_one_centre_the_weak_one_goes_just_out(radii):
    world = World()
    world.add(Circle(radii[0]), Pose(-7, 2), 1)
    ball = world.add(Circle(radii[1]), Pose(-7, 2))
    world.step()
    assert math.dist((-7, 2), (ball.pose.x, ball.pose.y)) == pytest.approx(sum(radii), rel=1e-8)


@shapes
def test_to_wish_for_nothing_saves_nobody_from_a_wall(shape):
    world = World()
    wall = world.add(SQUARE, Pose(-4, 0), 1, carrying=Side.NONE)
    body = world.add(shape, Pose(0, 0))
    wall.goal = Pose(1, 0)
    frame = world.step()
    half = half_width(shape)
    assert spot(body) == at(2 + half, 0)
    assert (body.sides, body.blocked) == (Side.LEFT, Side.LEFT)
    assert [event.time for event in frame.events] == pytest.approx([(3 - half) / 5], abs=CLOSE)
    assert [event.speed for event in frame.events] == pytest.approx([5], abs=CLOSE)


@shapes
def test_nobody_moves_and_nothing_happens(shape):
    """It touches three others, without any event: without relative motion there is no collision."""
    world = World()
    half = half_width(shape)
    for x, y in ((-1 - half, 0), (1 + half, 0), (0, -2)):
        world.add(SQUARE, Pose(x, y), 1)
    body = world.add(shape, Pose(0, 0))
    for _ in range(3):
        frame = world.step()
        assert body.pose == Pose(0, 0)
        assert frame.events == ()


def test_a_thousand_weak_ones_in_one_place_are_all_pushed_alike():
    world = World()
    wall = world.add(SQUARE, Pose(-4, 0), 1)
    names = list(BODIES)
    crowd = [world.add(BODIES[names[i % len(names)]], Pose(0, 0)) for i in range(1000)]
    wall.goal = Pose(1, 0)
    frame = world.step()
    for body in crowd:
        assert spot(body) == at(2 + half_width(body.shape), 0)
    assert len(frame.pushes) == 1000


@fitting
def test_a_thousand_mighty_ones_in_one_place_are_as_one(shape):
    """It falls on them, and each of them is reported once."""
    world = World()
    crowd = [world.add(SQUARE, Pose(0, 0), 1) for _ in range(1000)]
    body = world.add(shape, Pose(0, 4))
    go(body, 0.5, -4)
    frame = world.step()
    assert spot(body) == at(0.5, 2)
    assert {event.mighty for event in frame.events} == set(crowd)
    assert len(frame.events) == 1000
    assert not body.stuck


def scaled(shape, scale):
    if isinstance(shape, Box):
        return Box(shape.width * scale, shape.height * scale)
    if isinstance(shape, Circle):
        return Circle(shape.radius * scale)
    return Polygon([(x * scale, y * scale) for x, y in shape.vertices])


@fitting
@pytest.mark.parametrize(("scale", "away"), [(1, 1e6), (1e-3, 0), (1e6, 0), (1e-3, 10), (1e6, 1e9), (1e3, 1e6)])
def test_scenes_look_the_same_far_away_tiny_and_huge(shape, scale, away):
    """Along a tiled floor and into an inner corner: equal up to the rounding at that distance."""
    world = World()
    for i in range(6):
        world.add(scaled(Box(4, 4), scale), Pose(away + (4 * i - 10) * scale, away - 2 * scale), 1)
    world.add(scaled(Box(4, 40), scale), Pose(away - 8 * scale, away), 1)
    body = world.add(scaled(shape, scale), Pose(away + 6 * scale, away + 3 * scale))
    rounding = CLOSE * scale + 64 * np.spacing(away)
    for number in range(1, 20):
        go(body, -0.75 * scale, -0.5 * scale)
        frame = world.step()
        expected = (max(6 - 0.75 * number, -5), max(3 - 0.5 * number, 1))
        assert (body.pose.x - away, body.pose.y - away) == pytest.approx(
            (expected[0] * scale, expected[1] * scale), rel=0, abs=rounding
        ), number
        assert {event.side for event in frame.events} <= {Side.BOTTOM, Side.LEFT}
        assert Side.LEFT not in body.sides or number >= 15
    assert body.blocked == Side.BOTTOM | Side.LEFT


@shapes
@pytest.mark.parametrize("thickness", [1.0, 1e-6, 0.0])
def test_nothing_is_too_fast_for_a_wall(shape, thickness):
    """200,000 per frame, against a wall that is thin or without thickness: it stops before the wall, at 100."""
    wall = Box(thickness, 50) if thickness else Capsule((0, -25), (0, 25))
    world = World()
    world.add(wall, Pose(100 + thickness / 2, 0), 1)
    body = world.add(shape, Pose(-1000, 0))
    go(body, 2e5, 0)
    world.step()
    assert spot(body) == at(100 - half_width(shape), 0, rel=1e-6)
    assert body.blocked == Side.RIGHT
    go(body, -2e5, 1)
    world.step()
    assert body.pose == body.goal


def walls_of(thickness):
    """Return four walls of a room, its inside 20 across; without a thickness, segments that meet at their ends."""
    far = 10 + thickness
    wall = [(-far, -far), (far, -far), (far, -10), (-far, -10)] if thickness else [(-10, -10), (10, -10)]
    walls = []
    for _ in range(4):
        walls.append(Polygon(wall) if thickness else Capsule(*wall))
        wall = [(-y, x) for x, y in wall]
    return walls


# A stick of 3: its pose, the room's angle, how far the room rotates, and the stick's goal.
THROWS = [
    (Pose(0.7273304035711448, -2.12602792105353, 3.132349513424909), 4.622639127399041, 0.3, (27.533, -41.738)),
    (Pose(3.056234735828464, 0.6350868484331214, 3.8692415301052714), 6.6693042838485415, 1.0, (39.945, -29.973)),
    (Pose(2.0196487327526347, -1.5264647795376662, 2.7049115422348526), 1.0237313632595393, 0.3, (-49.954, -2.156)),
    (Pose(0.3398712574230318, -2.021617285793318, 5.687263242376424), 4.160115645583251, 3.0, (-829.854, -557.98)),
]


@pytest.mark.parametrize("throw", THROWS)
@pytest.mark.parametrize("radius", [0.0, 1e-6, 1e-3])
@pytest.mark.parametrize("is_one", [True, False])
@pytest.mark.parametrize("thickness", [3.0, 1e-3, 0.0])
def test_a_stick_stays_in_a_room_that_turns(thickness, is_one, radius, throw):
    """The walls, one body or four, may be as thin as the stick is.

    It slides along one of them, straight for a span, and is moved back onto it at the end of the span. On its way it
    was up to 0.2 beyond that wall, missed the next wall, and was moved back beyond it. So the first two throws lost it
    by thin walls. In the other two, its tip passed the point where segments meet.
    """
    start, angle, spin, way = throw
    world = World()
    walls = walls_of(thickness)
    parts = [Compound([(wall, Pose(0, 0)) for wall in walls])] if is_one else walls
    room = [world.add(part, Pose(0, 0, angle), 1) for part in parts]
    stick = world.add(Capsule((-1.5, 0), (1.5, 0), radius), start)
    for wall in room:
        wall.goal = Pose(0, 0, angle + spin)
    go(stick, *way)
    frame = world.step()
    assert not frame.stuck_events
    assert stick.blocked
    seen = stick.angle - room[0].angle
    cos, sin = math.cos(room[0].angle), math.sin(room[0].angle)
    x, y = cos * stick.pose.x + sin * stick.pose.y, cos * stick.pose.y - sin * stick.pose.x
    assert abs(x) + 1.5 * abs(math.cos(seen)) + radius <= 10 + CLOSE
    assert abs(y) + 1.5 * abs(math.sin(seen)) + radius <= 10 + CLOSE


def test_segments_have_a_skin_between_them_and_nothing_else_has():
    """The skin is 1e-7 of the length of the shorter one, and decides on which side of each other they are."""
    world = World()
    world.add(Capsule((-50, 0), (10, 0)), Pose(0, 0), 1)
    bodies = [world.add(Box(2, 2), Pose(-20, 5)), world.add(Capsule((-2, 0), (2, 0)), Pose(0, 5))]
    world.add(Box(20, 2), Pose(25, -1), 1)
    bodies.append(world.add(Capsule((-2, 0), (2, 0)), Pose(25, 5)))
    for body in bodies:
        go(body, 0, -10)
    world.step()
    assert [body.pose.y for body in bodies] == pytest.approx([1, 4e-7, 0], rel=0, abs=4e-9)


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_what_is_no_number_is_refused(number):
    world = World()
    body = world.add(Circle(1), Pose(0, 0))
    for make in (
        lambda: Pose(number, 0),
        lambda: Pose(0, 0, number),
        lambda: world.set_goals([body.index], [(0.0, number)]),
        lambda: world.set_goals([body.index], [(0.0, 0.0, number)]),
        lambda: setattr(body, "angle", number),
        lambda: world.add(Circle(1), Pose(0, 0), restitution=number),
        lambda: world.add(Circle(1), Pose(0, 0), snap=number),
    ):
        with pytest.raises(im.ShapeError, match="finite"):
            make()
    assert (body.pose, body.goal, len(world)) == (Pose(0, 0), Pose(0, 0), 1)


# Walkers and receding bodies.


@pytest.mark.parametrize("step_height", [0.0, 4.0])
def test_a_walker_does_not_pass_into_a_slope_that_is_too_steep_and_recedes(step_height):
    """It separated from the slope at the moment when the slope held it up: nothing pressed on it, so it was freed."""
    world = World()
    hill = world.add(Polygon([(-30, -22.5), (30, -22.5), (0, 30)]), Pose(154, -248.5), 1)
    half = [(-12, -14), (-6, -20), (6, -20), (12, -14), (12, 10), (6, 20), (-6, 20), (-12, 10)]
    walker = world.add(Polygon(half), Pose(183.2, -220.9), max_slope=0.785399, step_height=step_height)
    for fall in (8.0, 1.85):
        hill.goal = Pose(hill.pose.x + 2, hill.pose.y - 2)
        walker.goal = Pose(walker.pose.x - 3.9, walker.pose.y - fall)
        world.step()
        assert gap(hill.shape, hill.pose, walker.shape, walker.pose) >= -1e-9


@pytest.mark.parametrize("max_slope", [None, 0.785])
@pytest.mark.parametrize("is_pressed", [True, False])
def test_who_sticks_to_a_lift_is_not_drawn_into_a_floor_beside_it(max_slope, is_pressed):
    """A wall on its other side made a walker lose, for a frame, the contact with the floor that it stood on."""
    world = World()
    world.add(Box(50, 10), Pose(-25, -5), 1)
    lift = world.add(Box(50, 10), Pose(25, -4.5), 1, sticky=Side.TOP)
    if is_pressed:
        world.add(Box(10, 50), Pose(-15, 20), 1)
    walker = world.add(Box(20, 20), Pose(0, 10.5), max_slope=max_slope, step_height=0.85 if max_slope else 0.0)
    for _ in range(3):
        lift.goal = Pose(25, lift.pose.y - 2)
        walker.goal = Pose(walker.pose.x - (0.85 if is_pressed else 0.0), walker.pose.y - 2)
        world.step()
        assert walker.pose.y == 10


@pytest.mark.parametrize(
    "shape", [Box(4, 2), Box(1, 3), Polygon([(-1, -1), (1, -1), (0, 2)])], ids=["wide", "tall", "pointed"]
)
@pytest.mark.parametrize("turn", [0.3, 0.7, -0.7, 1.2])
def test_a_walker_that_turns_comes_onto_a_step_as_it_is_turned_by_then(shape, turn):
    """It was put onto the step at its angle of first contact, and ended 0.27 deep in it."""
    world = World()
    step = world.add(Box(20, 1), Pose(14, 0.5), 1)
    floor = world.add(Box(100, 2), Pose(0, -1), 1)
    walker = world.add(shape, Pose(0, 2.5), max_slope=0.5, step_height=2.5)
    for _ in range(8):
        go(walker, 0, -1)
        world.step()
    for _ in range(10):
        go(walker, 1.3, -0.2, turn)
        world.step()
        assert not walker.stuck
        for body in (step, floor):
            assert gap(body.shape, body.pose, walker.shape, walker.pose) >= -CLOSE


def walks_up_below_a_beam(headroom, rise):
    """Take a walker up a step of 1.9, below a beam with this headroom above the step at the frame's end."""
    world = World()
    floor = world.add(Box(40, 2), Pose(0, -1), 1)
    step = world.add(Box(20, 1.9), Pose(11.5, 0.95), 1)
    world.add(Box(1, 1), Pose(3, rise + 1.9 + headroom + 0.5), 1)
    walker = world.add(Box(2, 2), Pose(0.4, 1), max_slope=0.6, step_height=2.0)
    go(walker, 0, -0.1)
    world.step()
    for body in (floor, step):
        go(body, 0, rise)
    go(walker, 2.5, -0.2)
    return world.step(), walker


@pytest.mark.parametrize("headroom", [1.95, 1.7])
def test_a_walker_sees_what_is_above_a_step(headroom):
    """The left side of the beam is at 2.5."""
    frame, walker = walks_up_below_a_beam(headroom, 0.0)
    assert spot(walker) == at(1.5, 2.9)
    assert not frame.stuck_events


@pytest.mark.parametrize("headroom", [1.95, 1.7])
def test_a_step_that_rises_presses_a_walker_against_what_it_has_walked_below(headroom):
    """It steps up among the bodies at that time: the beam is 3 higher, and descends by 1 to its head.

    Its foot is at the step after 0.04 of the frame, below the beam after 0.44, and the step rises by 3 per frame.
    """
    frame, walker = walks_up_below_a_beam(headroom, 3.0)
    assert walker.pose.y == pytest.approx(5.9, rel=0, abs=CLOSE)
    assert walker.stuck == Side.BOTTOM | Side.TOP
    assert frame.stuck_events[0].time == pytest.approx((1 + headroom) / 3, rel=0, abs=CLOSE)


def test_a_walker_that_is_pushed_aside_snaps_to_what_is_below_it_by_then():
    """It only knew the ground below its own path without the push. So it hung in the air, or ended in that ground."""
    world = World()
    world.add(Box(4, 2), Pose(0, -1), 1)
    wall = world.add(Box(2, 4), Pose(-2, 2), 1)
    world.add(Box(20, 2), Pose(13, -1.5), 1)
    walker = world.add(Box(2, 2), Pose(0, 1), max_slope=0.5, snap=1.0)
    go(walker, 0, -0.1)
    world.step()
    assert walker.on_floor
    go(wall, 6, 0)
    go(walker, 0, 0)
    world.step()
    assert spot(walker) == at(6, 0.5)
    assert walker.on_floor


@pytest.mark.parametrize("max_slope", [None, 0.785])
@pytest.mark.parametrize("way", [(-1, -6), (-7.3, -6), (0, -6)])
def test_who_falls_along_a_wall_of_tiles_does_not_stand_on_a_seam(max_slope, way):
    """A walker stood on the corner of the next tile, although it was beside the whole wall."""
    world = World()
    for y in (32, 64):
        world.add(Box(32, 32), Pose(-96, y), 1, carrying=Side.TOP)
    body = world.add(Box(24, 28), Pose(-68, 63), max_slope=max_slope)
    go(body, *way)
    world.step()
    assert spot(body) == at(-68, 63 + way[1])


def test_a_walker_slides_off_what_turns_up_again_under_it():
    """Over the whole frame, it left a slope that rotated away. But it ended 0.01 deep in it, without a contact."""
    world = World()
    slope = world.add(Box(10.2, 8.7), Pose(13.06, 7.576, 0.3217), 1)
    walker = world.add(Capsule((0.9943, 1.5217), (-1.2028, 1.9032), 0), Pose(11.8657, 11.3, -0.397), max_slope=0.4)
    go(walker, 0, -0.4)
    world.step()
    slope.goal = Pose(13.7645, 6.8925, 0.3464)
    go(walker, 2.5017, 0)
    world.step()
    assert gap(slope.shape, slope.pose, walker.shape, walker.pose) >= -CLOSE


@pytest.mark.parametrize("shape", ["boxes", "polygons"])
def test_who_comes_onto_the_next_tile_is_on_it_at_once(shape):
    """Boxes always were. Other shapes got the contact, and were carried, only where the previous tile ended."""
    make = im.Box if shape == "boxes" else corners_of
    world = World()
    tiles = [world.add(make(4, 2), Pose(x, 0), 1) for x in (0, 4, 8.5)]
    body = world.add(make(2, 2), Pose(0, 2))
    body.goal = Pose(8, 1)
    frame = world.step()
    assert spot(body) == at(8, 2)
    # Its right side is at 1 + 8 t, and the tiles begin at 2 and at 6.5.
    expected = {tiles[0]: 0.0, tiles[1]: 1 / 8, tiles[2]: 5.5 / 8}
    assert {event.mighty: event.time for event in frame.pushes} == pytest.approx(expected, rel=0, abs=CLOSE)


@pytest.mark.parametrize("shape", ["boxes", "polygons"])
def test_a_tile_that_comes_under_who_stands_carries_it_from_then_on(shape):
    """The tile was added first, so it is the one of the two that carries. It did not carry a polygon at all."""
    make = im.Box if shape == "boxes" else corners_of
    world = World()
    belt = world.add(make(4, 2), Pose(8, 0), 1)
    world.add(make(4, 2), Pose(0, 0), 1)
    body = world.add(make(2, 2), Pose(0, 2))
    belt.goal = Pose(2, 0)
    go(body, 0, -1)
    frame = world.step()
    # The belt begins at 6 - 6 t, and reaches the body's right side at 5 / 6.
    times = [event.time for event in frame.pushes if event.mighty is belt]
    assert times == pytest.approx([5 / 6], rel=0, abs=CLOSE)
    assert spot(body) == at(-1, 2)


@pytest.mark.parametrize("shape", ["boxes", "polygons"])
def test_a_corner_strikes_who_stands_on_a_lift_as_the_lift_moves_it(shape):
    """A polygon was struck as if it were not carried, and pushed sideways instead of held down.

    The lift moves up by 4 and left by 6, the press right by 6 and down by 11. Held but not carried, the body approaches
    the press's corner by 10 across and by 15 along; carried, by 16 across. So it is under the press, and has no room.
    """
    make = im.Box if shape == "boxes" else corners_of
    world = World()
    press = world.add(make(2, 8), Pose(2, 7), 1)
    lift = world.add(make(8, 8), Pose(6, -3), 1, sticky=Side.TOP)
    body = world.add(make(8, 2), Pose(7, 2))
    press.goal, lift.goal = Pose(8, -4), Pose(0, 1)
    go(body, -4, -2)
    world.step()
    assert body.stuck == Side.BOTTOM | Side.TOP
    # It moves with the press, which was added first and also carries it: by 6 - 4 and by -11.
    assert spot(body) == at(9, -9)


@pytest.mark.parametrize("shape", ["boxes", "polygons"])
@pytest.mark.parametrize("side", [1, -1], ids=["floor", "ceiling"])
@pytest.mark.parametrize("order", [1, -1], ids=["the next one first", "the next one last"])
def test_who_lands_with_its_corner_at_a_seam_goes_on(shape, side, order):
    """A box that reached a seam exactly was stopped at the side of the next tile if that tile was added first."""
    make = im.Box if shape == "boxes" else corners_of
    world = World()
    for x in (-4, 0)[::order]:
        world.add(make(4, 2), Pose(x, 0), 1)
    body = world.add(make(2, 2), Pose(2, 5 * side))
    # Its left side reaches the seam, at -2, as it lands: half way, at a speed of 6 each way.
    body.goal = Pose(-4, -1 * side)
    world.step()
    assert spot(body) == at(-4, 2 * side)
    assert body.sides == (Side.BOTTOM if side > 0 else Side.TOP)
    assert body.time == pytest.approx(0.5, rel=0, abs=CLOSE)


@pytest.mark.parametrize("shape", ["boxes", "polygons"])
def test_who_is_moved_onto_a_one_way_platform_stands_on_it(shape):
    """It starts in the platform and in the floor, and leaves both. A polygon was still let through the platform."""
    make = im.Box if shape == "boxes" else corners_of
    world = World()
    world.add(make(4, 4), Pose(-2, -2), 1)
    platform = world.add(make(4, 4), Pose(2, -2), 1, passable=ONE_WAY)
    body = world.add(make(4, 2), Pose(0, 0.5))
    platform.goal = Pose(2, 1)
    body.goal = Pose(0, 0.5)
    world.step()
    assert spot(body) == at(0, 4)
    assert body.sides == Side.BOTTOM


@pytest.mark.parametrize("shape", ["boxes", "polygons"])
def test_what_drives_off_with_a_cart_does_not_push_who_stands_on_it(shape):
    """The wall reaches both at the same time. The cart then carries the box at that speed, but a push was reported."""
    make = im.Box if shape == "boxes" else corners_of
    world = World()
    wall = world.add(make(2, 4), Pose(7, 1), 2)
    cart = world.add(make(4, 2), Pose(0, 0), 1)
    body = world.add(make(2, 2), Pose(1, 2))
    wall.goal = Pose(-1, 1)
    go(body, 0, -1)
    frame = world.step()
    # The wall's left side is at 6 - 8 t, and both end at 2.
    assert (spot(cart), spot(body)) == (at(-4, 0), at(-3, 2))
    assert [(event.weak, event.mighty) for event in frame.pushes if event.mighty is wall] == [(cart, wall)]
