"""Times of impact with rotation, by name: cases with a known answer, and cases known to have none.

Angles of contact are written as arcsines. Where the answer is only a root of a plain formula, it is bracketed and
bisected here. `assert_first_touch` also samples every case that it is given.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impinge as im
from impinge import Box, Capsule, Circle, Compound, Feature, Motion, Polygon, Pose
from sampled_motions import Courses, Pieces
from scale import cases
from shapely_solids import Catalogue

TURN = 2 * math.pi
STILL = Motion.still(Pose(0, 0))
FLOOR, ON_THE_FLOOR = Box(200, 2), Motion.still(Pose(0, -1))
ROD = Capsule((0, 0), (4, 0))
# Four by one, with its origin at the lower left corner.
LID = Polygon([(0, 0), (4, 0), (4, 1), (0, 1)])


def turning(start, end, x=0.0, y=0.0):
    """Return a rotation on the spot."""
    return Motion(Pose(x, y, start), Pose(x, y, end))


def still(x, y, angle=0.0):
    return Motion.still(Pose(x, y, angle))


def polar(distance, angle):
    return distance * math.cos(angle), distance * math.sin(angle)


def course(a, motion_a, b, motion_b):
    catalogue = Catalogue([a, b])
    motions = (motion_a, motion_b)
    starts, ends = (
        np.array([[(pose.x, pose.y, pose.angle) for pose in poses]])
        for poses in ([motion.start for motion in motions], [motion.end for motion in motions])
    )
    accelerations = np.array([[motion.acceleration for motion in motions]])
    return Courses(catalogue, Pieces(catalogue), np.array([[0, 1]]), starts, ends, accelerations)


def gaps_of(courses, times):
    return courses.separations(np.zeros(len(times), np.int64), times, np.inf)


def assert_first_touch(a, motion_a, b, motion_b):
    """Return the impact, and assert that it is the first contact of the solids among 20,000 samples."""
    found = im.time_of_impact(a, motion_a, b, motion_b)
    assert found is not None
    assert not found.overlapping
    courses = course(a, motion_a, b, motion_b)
    tolerance = float(2.0 * courses.slops[0] + courses.noise[0])
    assert courses.at(np.array([found.time])).gaps()[0] <= tolerance
    times = np.concatenate([np.linspace(0.0, 1.0, 20_000), 1.0 - np.geomspace(1e-12, 1e-3, 50)]) * found.time
    assert gaps_of(courses, times).min() >= -tolerance
    assert math.hypot(*found.normal) == pytest.approx(1.0, abs=1e-14)
    return found


def assert_never_touch(a, motion_a, b, motion_b):
    """Assert that there is no impact, and no overlap in 20,000 samples."""
    assert im.time_of_impact(a, motion_a, b, motion_b) is None
    courses = course(a, motion_a, b, motion_b)
    tolerance = float(2.0 * courses.slops[0] + courses.noise[0])
    assert gaps_of(courses, np.linspace(0.0, 1.0, 20_000)).min() >= -tolerance


def slop_in_time(closing, size=4.0):
    """Return how early an impact may be, for solids of an extent of at most `size` with this closing speed."""
    return 2e-9 * size / closing + 1e-13


def first_time(gap):
    """Return when a gap, a function of an array of times, closes for the first time."""
    times = np.linspace(0.0, 1.0, 400_001)
    after = int(np.argmax(gap(times) <= 0.0))
    assert after > 0, "it is open at the start, and closed at last"
    low, high = times[after - 1], times[after]
    while True:
        middle = 0.5 * (low + high)
        if middle in (low, high):
            return high
        low, high = (low, middle) if gap(np.array([middle]))[0] <= 0.0 else (middle, high)


def reach(box, angle):
    """Return how far a box reaches from its centre along x at an angle; add a quarter turn for y."""
    return 0.5 * (box.width * abs(np.cos(angle)) + box.height * abs(np.sin(angle)))


# ------------------------------------------------------------------------------------------------------------
# A rod of length L, fixed at one end.


@settings(max_examples=cases(150), derandomize=True)
@given(
    length=st.floats(1, 8),
    height=st.floats(0.1, 0.95),
    radius=st.floats(0, 0.09).map(lambda radius: radius if radius > 1e-3 else 0.0),
    further=st.floats(0.05, 30),
)
def test_a_rod_swings_up_to_a_ceiling(length, height, radius, further):
    """L sin w + r = h."""
    rod, ceiling = Capsule((0, 0), (length, 0), radius * length), Box(100, 2)
    angle = math.asin(height - radius)
    end = angle + further
    found = im.time_of_impact(rod, turning(0, end), ceiling, still(0, height * length + 1))
    closing = end * length * math.cos(angle)
    assert found is not None
    assert found.time == pytest.approx(angle / end, abs=slop_in_time(closing, max(1, length)))
    assert found.point == pytest.approx((length * math.cos(angle), height * length), abs=1e-6)
    assert found.normal == pytest.approx((0, 1), abs=1e-6)
    assert found.feature_a == Feature("vertex", 1)
    assert found.feature_b == Feature("edge", 0)


@settings(max_examples=cases(150), derandomize=True)
@given(
    share=st.floats(0.2, 0.95),
    radius=st.floats(0, 0.3).map(lambda radius: radius if radius > 1e-3 else 0.0),
    pin=st.floats(0.01, 0.3),
    direction=st.floats(0.8, 3),
    further=st.floats(0.05, 60),
    side=st.sampled_from([1, -1]),
)
def test_a_rod_swings_against_a_pin(share, radius, pin, direction, further, side):
    """The pin's centre is at the sum of the radii from the rod's line: d sin(φ - w) = r + p."""
    rod, distance = Capsule((0, 0), (4, 0), radius), 4 * share
    angle = direction - math.asin((radius + pin) / distance)
    end = angle + further
    x, y = polar(distance, direction)
    found = im.time_of_impact(rod, turning(0, side * end), Circle(pin), still(x, side * y))
    closing = end * math.sqrt(distance**2 - (radius + pin) ** 2)
    assert found is not None
    assert found.time == pytest.approx(angle / end, abs=slop_in_time(closing))
    assert found.normal == pytest.approx((-math.sin(angle), side * math.cos(angle)), abs=1e-6)
    # The pin is to the left of a rod that turns counter-clockwise.
    assert found.feature_a == Feature("edge", 1 if side > 0 else 0)
    assert found.feature_b == Feature("vertex", 0)


def test_a_swung_sword_hits_a_thin_post_between_two_frames():
    """The swing goes from a radian before the post to a radian behind it, so it is visible in neither frame."""
    sword, post = Capsule((0, 0), (10, 0), radius=0.2), Box(0.1, 0.1)
    swing, stands = turning(-1, 1), still(8, 0)
    for time in (0, 1):
        assert im.distance(sword, swing.at(time), post, stands.at(time)).distance > 6
    corners = [(7.95, -0.05), (8.05, -0.05), (7.95, 0.05), (8.05, 0.05)]
    angle = min(math.atan2(y, x) - math.asin(0.2 / math.hypot(x, y)) for x, y in corners)
    found = assert_first_touch(sword, swing, post, stands)
    assert found.time == pytest.approx((angle + 1) / 2, abs=slop_in_time(16, 0.1))
    assert found.feature_a == Feature("edge", 1)
    assert found.feature_b == Feature("vertex", 0)
    # In the other direction, too.
    back = assert_first_touch(sword, turning(1, -1), post, stands)
    assert back.time == pytest.approx(found.time, abs=1e-10)
    assert back.feature_a == Feature("edge", 0)
    assert back.feature_b == Feature("vertex", 3)


def test_the_tip_of_a_rod_grazes():
    """Exactly at its length away it may touch or not. A millionth nearer it touches, a millionth farther not."""
    ceiling = Box(100, 2)
    swing = turning(0, math.pi)
    found = im.time_of_impact(ROD, swing, ceiling, still(0, 5))
    if found is not None:
        assert 4 * math.sin(math.pi * found.time) >= 4 - 2 * 1e-9 * 2
    near = assert_first_touch(ROD, swing, ceiling, still(0, 5 - 1e-6))
    angle = math.asin(1 - 0.25e-6)
    assert near.time == pytest.approx(angle / math.pi, abs=slop_in_time(4 * math.pi * math.cos(angle)))
    assert_never_touch(ROD, swing, ceiling, still(0, 5 + 1e-6))


@pytest.mark.parametrize("pin", [Circle(0.5), Box(1, 1)])
def test_the_tip_of_a_rod_grazes_a_pin(pin):
    """The tip moves straight up when the pin is exactly to the right."""
    swing = turning(-1, 1)
    found = im.time_of_impact(ROD, swing, pin, still(4.5, 0))
    if found is not None:
        courses = course(ROD, swing, pin, still(4.5, 0))
        assert gaps_of(courses, np.array([found.time]))[0] <= 2e-9
    assert_first_touch(ROD, swing, pin, still(4.5 - 1e-6, 0))
    assert_never_touch(ROD, swing, pin, still(4.5 + 1e-6, 0))


def test_tips_of_two_rods_meet():
    """Mirror images of each other: the tips meet on the mirror, at 2 cos w = 1.5, moving against each other."""
    rod = Capsule((0, 0), (2, 0))
    angle = math.acos(0.75)
    found = assert_first_touch(rod, turning(-math.pi / 2, 0), rod, turning(3 * math.pi / 2, math.pi, x=3))
    assert found.time == pytest.approx(1 - angle / (math.pi / 2), abs=slop_in_time(4))
    assert found.point == pytest.approx((1.5, -2 * math.sin(angle)), abs=1e-7)
    assert found.normal == pytest.approx((1, 0), abs=1e-6)
    assert found.feature_a == found.feature_b == Feature("vertex", 1)


def test_a_rod_that_turns_strikes_the_tip_of_one_that_turns_towards_it():
    """One comes up from below. The other hangs down from a place out of its reach, and swings inwards."""
    long, short = Capsule((0, 0), (4, 0)), Capsule((0, 0), (2, 0))

    def gap(times):
        angle, other = 3 * times, -1 - times
        return np.cos(angle) * (4.5 + 2 * np.sin(other)) - np.sin(angle) * (1 + 2 * np.cos(other))

    found = assert_first_touch(long, turning(0, 3), short, turning(-1, -2, x=1, y=4.5))
    assert found.time == pytest.approx(first_time(gap), abs=slop_in_time(2))
    assert found.feature_a == Feature("edge", 1)
    assert found.feature_b == Feature("vertex", 1)


# ------------------------------------------------------------------------------------------------------------
# Boxes.


def test_a_box_that_turns_on_the_spot_beside_a_wall():
    """Its half diagonal D is too long: D cos(β - w) = g."""
    box, wall = Box(6, 2), Box(2, 50)
    diagonal, slant = math.sqrt(10), math.atan2(1, 3)
    angle = slant - math.acos(3.1 / diagonal)
    found = assert_first_touch(box, turning(0, math.pi / 2), wall, still(4.1, 0))
    closing = math.pi / 2 * diagonal * math.sin(slant - angle)
    assert found.time == pytest.approx(angle / (math.pi / 2), abs=slop_in_time(closing, 2))
    assert found.normal == pytest.approx((1, 0), abs=1e-9)
    assert found.point == pytest.approx((3.1, -math.sqrt(10 - 3.1**2)), abs=1e-7)
    assert found.feature_a == Feature("vertex", 1)
    assert found.feature_b == Feature("edge", 3)
    assert_never_touch(box, turning(0, math.pi / 2), wall, still(1 + diagonal + 1e-6, 0))


@pytest.mark.parametrize("turns", [-0.25, -3.25, 2.5])
def test_a_square_wheel_stumbles(turns):
    """Its axle moves over the floor at a height of 1.2, half of its side is 1: √2 cos(π/4 - w) = 1.2."""
    wheel = Box(2, 2)
    rolls = Motion(Pose(-20, 1.2), Pose(20, 1.2, turns * TURN))
    angle = math.pi / 4 - math.acos(1.2 / math.sqrt(2))
    closing = abs(turns) * TURN * math.sqrt(2 - 1.44)
    found = assert_first_touch(wheel, rolls, FLOOR, ON_THE_FLOOR)
    assert found.time == pytest.approx(angle / (abs(turns) * TURN), abs=slop_in_time(closing, 2))
    assert found.normal == pytest.approx((0, -1), abs=1e-9)
    assert found.feature_a == Feature("vertex", 1 if turns < 0 else 0)


@pytest.mark.parametrize("turns", [0.1, 1.0, -2.3, 10.0])
def test_a_square_wheel_falls_while_it_turns(turns):
    wheel = Box(2, 2)
    falls = Motion(Pose(0, 5, 0.3), Pose(3, -4, 0.3 + turns * TURN))
    expected = first_time(lambda times: 5 - 9 * times - reach(wheel, 0.3 + turns * TURN * times + math.pi / 2))
    found = assert_first_touch(wheel, falls, FLOOR, ON_THE_FLOOR)
    assert found.time == pytest.approx(expected, abs=slop_in_time(1, 2))


@pytest.mark.parametrize("turns", [100, 1000])
def test_a_square_wheel_falls_that_turns_like_a_top(turns):
    """It is almost a disk of its half diagonal: the impact is within a quarter turn of that disk's landing."""
    found = im.time_of_impact(Box(2, 2), Motion(Pose(0, 5), Pose(9, -5, turns * TURN)), FLOOR, ON_THE_FLOOR)
    assert found is not None
    disk = (5 - math.sqrt(2)) / 10
    assert disk <= found.time <= disk + 0.25 / turns
    assert 5 - 10 * found.time == pytest.approx(reach(Box(2, 2), turns * TURN * found.time + math.pi / 2), abs=4e-9)


@pytest.mark.parametrize("turns", [0.3, 1.0, 3.0, 10.0, -10.0])
def test_a_thrown_plank_turns_over_and_lands(turns):
    """Ballistic: y = 3 + 8 t - 12 t², and the plank's own reach below."""
    plank = Box(4, 0.5)
    thrown = Motion.ballistic(Pose(0, 3, 0.1), (5, 8), (0, -24), spin=turns * TURN)

    def gap(times):
        return 3 + 8 * times - 12 * times**2 - reach(plank, 0.1 + turns * TURN * times + math.pi / 2)

    found = assert_first_touch(plank, thrown, FLOOR, ON_THE_FLOOR)
    assert found.time == pytest.approx(first_time(gap), abs=slop_in_time(0.5, 0.5))


def test_a_plank_thrown_over_a_wall_that_turns():
    """Both rotate on ballistic paths. A motion added to both changes nothing: neither a wind nor gravity."""
    plank, wall = Box(4, 0.5), Box(0.5, 6)
    calm = (Motion(Pose(-6, 0, 0.5), Pose(6, 1, 9)), Motion(Pose(0, 0), Pose(0, 0, -7)))
    windy = tuple(
        Motion(motion.start, Pose(motion.end.x + 3, motion.end.y - 40, motion.end.angle), (6, -80)) for motion in calm
    )
    found = assert_first_touch(plank, calm[0], wall, calm[1])
    blown = assert_first_touch(plank, windy[0], wall, windy[1])
    assert blown.time == pytest.approx(found.time, abs=1e-9)
    assert blown.normal == pytest.approx(found.normal, abs=1e-7)


@pytest.mark.parametrize("turns", [10.0, -10.0, 7.3, 0.5])
def test_a_slender_box_that_spins_does_not_slip_through_a_wall(turns):
    """A box of a hundred to one, ten turns and four of its lengths per frame; the wall is a tenth as thick as it."""
    blade, wall = Box(100, 1), Box(0.1, 1000)
    flies = Motion(Pose(-200, 0, 0.2), Pose(200, 30, 0.2 + turns * TURN))
    expected = first_time(lambda times: 199.95 - 400 * times - reach(blade, 0.2 + turns * TURN * times))
    found = assert_first_touch(blade, flies, wall, STILL)
    assert found.time == pytest.approx(expected, abs=slop_in_time(50, 1))
    assert found.normal == pytest.approx((1, 0), abs=1e-9)


@pytest.mark.parametrize("turns", [(10.0, -10.0), (10.0, 10.0), (9.0, 0.5), (3.25, -7.0)])
@pytest.mark.parametrize("offset", [0.0, 7.0, 45.0])
def test_slender_boxes_that_spin_do_not_slip_through_each_other(turns, offset):
    blade = Box(100, 1)
    one = Motion(Pose(-120, 0), Pose(120, 0, turns[0] * TURN))
    other = Motion(Pose(120, offset, 1.0), Pose(-120, offset, 1.0 + turns[1] * TURN))
    found = assert_first_touch(blade, one, blade, other)
    assert 0.05 < found.time < 0.8


def test_a_box_that_turns_in_a_frame_too_narrow_for_it():
    """Inside a compound: a square of side 2 in a hole of 2.5: √2 cos(π/4 - w) = 1.25, at all four sides."""
    upright, level = Box(1, 4.5), Box(2.5, 1)
    frame = Compound(
        [(upright, Pose(-1.75, 0)), (upright, Pose(1.75, 0)), (level, Pose(0, 1.75)), (level, Pose(0, -1.75))]
    )
    angle = math.pi / 4 - math.acos(1.25 / math.sqrt(2))
    found = assert_first_touch(Box(2, 2), turning(0, 1), frame, still(0, 0))
    assert found.time == pytest.approx(angle, abs=slop_in_time(math.sqrt(2 - 1.25**2), 2))
    assert found.feature_b is not None
    assert found.feature_b.kind == "edge"
    assert_never_touch(Box(2, 2), turning(0, angle - 1e-6), frame, still(0, 0))
    # Rotating the frame around the box is the same.
    turned = assert_first_touch(Box(2, 2), STILL, frame, turning(0, -1))
    assert turned.time == pytest.approx(found.time, abs=1e-8)


def test_a_box_that_turns_around_a_place_far_away():
    """With a lever of a thousand times its size, it moves nearly straight, by 10 at most, onto a wall."""
    far = Polygon([(1000, 0), (1001, 0), (1001, 1), (1000, 1)])
    wall = Box(20, 2)
    found = assert_first_touch(far, turning(0, 0.01), wall, still(1000, 6))
    # Its upper right corner is the highest all the time: 1001 sin w + cos w = 5.
    angle = math.asin(5 / math.hypot(1001, 1)) - math.atan2(1, 1001)
    assert found.time == pytest.approx(angle / 0.01, abs=slop_in_time(10, 1000))
    assert found.feature_a == Feature("vertex", 2)


# ------------------------------------------------------------------------------------------------------------
# Edges that land on edges.


def test_a_lid_falls_shut():
    """Its whole lower edge lands on the table's face at once; the hinge is beside the table."""
    table = still(4, -1)
    found = assert_first_touch(LID, turning(0.5, -0.5), Box(4, 2), table)
    assert found.time == pytest.approx(0.5, abs=slop_in_time(2))
    assert found.normal == pytest.approx((0, -1), abs=1e-8)
    assert len(found.points) == 2
    assert sorted(found.points) == [pytest.approx((2, 0), abs=1e-7), pytest.approx((4, 0), abs=1e-7)]
    assert found.point == pytest.approx((3, 0), abs=1e-7)
    assert (found.feature_a, found.feature_b) == (Feature("edge", 0), Feature("edge", 2))


def test_a_lid_falls_shut_whose_hinge_is_in_touch_all_the_time():
    """A pivot on a fixed corner is no impact; the edge that comes down at last is one."""
    found = assert_first_touch(LID, turning(0.5, -0.5), FLOOR, ON_THE_FLOOR)
    assert found.time == pytest.approx(0.5, abs=slop_in_time(2))
    assert found.normal == pytest.approx((0, -1), abs=1e-8)
    assert sorted(found.points) == [pytest.approx((0, 0), abs=1e-7), pytest.approx((4, 0), abs=1e-7)]


def test_a_box_lands_flat_by_chance():
    """It rotates by a quarter turn, and is upright again just when it lands."""
    lands = Motion(Pose(0, 3, -math.pi / 4), Pose(0, -1, math.pi / 4))
    expected = first_time(lambda times: 3 - 4 * times - reach(Box(2, 2), math.pi / 4 + math.pi / 2 * times))
    found = assert_first_touch(Box(2, 2), lands, FLOOR, ON_THE_FLOOR)
    assert found.time == pytest.approx(expected, abs=slop_in_time(1, 2))


# ------------------------------------------------------------------------------------------------------------
# Starts in contact, starts in overlap, and resting solids.


def test_what_starts_in_touch_and_turns_away_does_not_collide():
    assert_never_touch(LID, turning(0, 1), FLOOR, ON_THE_FLOOR)
    # No contact at its tip,
    assert_never_touch(ROD, turning(0, 1.5), Box(2, 10), still(5, 0))
    assert_never_touch(ROD, turning(0, -1.5), Box(2, 10), still(5, 0))
    # nor with a ball that lies on it.
    assert_never_touch(LID, turning(0, -1), Circle(1), still(3, 2))
    # A box on its corner, as far out as possible.
    diamond = turning(math.pi / 4, math.pi / 4 + 0.7)
    assert_never_touch(Box(2, 2), diamond, Box(2, 50), still(1 + math.sqrt(2), 0))


def test_what_starts_in_touch_and_turns_into_the_other_collides_at_once():
    for a, motion_a, b, motion_b in (
        (LID, turning(0, -1), FLOOR, ON_THE_FLOOR),
        (LID, turning(0, 1), Circle(1), still(3, 2)),
        (Box(6, 2), turning(0, 1), Box(2, 50), still(4, 0)),
        (ROD, turning(0, 1), Box(1, 1), still(3, 0.5)),
    ):
        for arguments in ((a, motion_a, b, motion_b), (b, motion_b, a, motion_a)):
            found = im.time_of_impact(*arguments)
            assert found is not None
            assert (found.time, found.overlapping) == (pytest.approx(0.0, abs=1e-9), False)


def test_a_box_in_touch_pivots_on_its_corner():
    """The corner stays in place, so nothing approaches in either direction of rotation, until an edge comes down."""
    for start, end in ((0.3, 1.2), (1.2, 0.3), (0.01, 1.5), (1.5, 1e-6)):
        assert_never_touch(LID, turning(start, end), FLOOR, ON_THE_FLOOR)
    # Nor when the floor rotates instead.
    assert_never_touch(LID, STILL, Polygon([(0, 0), (-9, 0), (-9, -9), (9, -9), (9, 0)]), turning(0, -0.2))


@pytest.mark.parametrize("spin", [0.0, 0.1, -0.1, 1.0])
@pytest.mark.parametrize("up", [1, 5, -1, -5])
@pytest.mark.parametrize("away", [0.0, 0.1])
def test_corners_that_start_on_each_other_slip_off(up, away, spin):
    """Tip on tip, one moving up or down. With the least rotation, up was an impact at time 0 and down was none."""
    right, left = Polygon([(-2, -1), (0, 0), (-2, 1)]), Polygon([(0, 0), (2, -1), (2, 1)])
    assert_never_touch(right, STILL, left, Motion(Pose(0, 0), Pose(away, up, spin)))


@pytest.mark.parametrize("gap", [0.0, 3e-10, -3e-10, 2e-9, 1e-8, 1e-6])
def test_a_round_hinge_turns_in_touch_with_a_ball(gap):
    """They are equally near all the time. This took 20,000 tiny steps, and then an impact was reported somewhere."""
    hinge, ball, below = Capsule((0, 0), (2, 0), 0.5), Circle(1), still(0, -1.5 - gap)
    assert_never_touch(hinge, turning(0.3, 3), ball, below)
    # In the other direction, its side lands on the ball when it is level.
    found = assert_first_touch(hinge, turning(0.3, -3), ball, below)
    # It lands as a graze, at the root of the gap: where the line of its side is 1.5 away from the ball's centre.
    level = math.acos(min(1.5 / (1.5 + gap), 1.0))
    assert found.time == pytest.approx((0.3 + level) / 3.3, abs=3e-5)
    assert found.iterations < 1000


def test_a_round_end_spins_in_touch():
    """Both move the same way, and the end rotates about its own centre: only rounding closes the gap, by 1e-15.

    That was an impact at time 0. The true one is when the straight side reaches the box's corner.
    """
    box = Box(1.1267878904012936, 2.8395482648912553)
    goes = Motion(
        Pose(-9.117259893985816, -0.5331992716986313, 1.8757346136186595),
        Pose(-8.05961946414024, 0.4246635728547823, 1.8757346136186595),
    )
    end = Capsule((0.0, 0.0), (-0.6870605392388243, -0.025311853819299113), 0.1818594492431446)
    spins = Motion(
        Pose(-10.283775069793233, -1.6777711500161054, 2.2471805308745525),
        Pose(-9.226134639947658, -0.7199083054626916, 6.627598614022064),
    )
    found = assert_first_touch(box, goes, end, spins)
    corner = goes.start.x + math.cos(goes.start.angle) * -box.width / 2 - math.sin(goes.start.angle) * box.height / 2
    above = goes.start.y + math.sin(goes.start.angle) * -box.width / 2 + math.cos(goes.start.angle) * box.height / 2
    towards = math.atan2(above - spins.start.y, corner - spins.start.x)
    lies = math.atan2(end.b[1], end.b[0]) + spins.start.angle
    turn = (towards - math.pi / 2 - lies) % TURN
    assert found.time == pytest.approx(turn / (spins.end.angle - spins.start.angle), abs=3e-5)
    assert (found.feature_a, found.iterations < 1000) == (Feature("vertex", 3), True)
    stops = Motion(spins.start, Pose(spins.end.x, spins.end.y, spins.start.angle + turn - 1e-3))
    assert_never_touch(box, goes, end, stops)


@pytest.mark.parametrize("spin", [0.0, 0.5])
@pytest.mark.parametrize("speed", [0.3, 1.0, 1.7])
@pytest.mark.parametrize("thrown", [Box(1, 1), Circle(0.5), Capsule((0, -0.5), (0.1, 0.1))])
def test_what_is_thrown_off_the_floor_falls_back_on_it(thrown, speed, spin):
    """It starts in contact. Without rotation, the impact was up to 2e-7 of the frame late, and that deep."""
    goes = Motion.ballistic(Pose(0, 0.5), (0.5, speed), (0, -6), spin=spin)
    found = assert_first_touch(FLOOR, ON_THE_FLOOR, thrown, goes)
    if spin == 0.0 or isinstance(thrown, Circle):
        assert found.time == pytest.approx(2 * speed / 6, abs=1e-9)


def test_a_ball_rests_on_the_end_of_a_seesaw_that_goes_down():
    """In contact, separating; then the other end comes up, into another ball."""
    seesaw = Box(8, 0.2)
    rests = still(3, 1.1)
    assert_never_touch(seesaw, turning(0, -0.5), Circle(1), rests)
    both = Compound([(Circle(1), Pose(3, 1.1)), (Circle(1), Pose(-3, 2))])
    found = assert_first_touch(seesaw, turning(0, -0.5), both, STILL)
    assert found.feature_b == Feature("vertex", 0, part=1)
    # The centre is 1.1 from the middle line: its angle, from the left, minus the arcsine.
    angle = math.atan2(2, 3) - math.asin(1.1 / math.hypot(2, 3))
    assert found.time == pytest.approx(angle / 0.5, abs=slop_in_time(1, 0.2))


def test_what_starts_in_overlap_is_told_as_it_stands():
    """The impact has the normal of least depth, and no feature, whatever the rotation."""
    a, b = Box(4, 2), Box(3, 3)
    motion_a, motion_b = turning(0.3, 9), Motion(Pose(2, 1, -0.2), Pose(9, 9, 3))
    found = im.time_of_impact(a, motion_a, b, motion_b)
    there = im.contact(a, motion_a.start, b, motion_b.start)
    assert found is not None
    assert there is not None
    assert (found.time, found.overlapping, found.feature_a, found.feature_b) == (0.0, True, None, None)
    assert found.normal == there.normal


def test_without_relative_movement_only_an_overlap_is_an_impact():
    box = Box(2, 2)
    assert im.time_of_impact(box, turning(0.3, 0.3), box, still(5, 0, 1.0)) is None
    assert im.time_of_impact(box, turning(0.0, 0.0), box, still(2, 0)) is None
    found = im.time_of_impact(box, turning(0.3, 0.3), box, still(1, 0, 1.0))
    assert found is not None
    assert (found.time, found.overlapping) == (0.0, True)


@pytest.mark.parametrize("turns", [0.1, 1.0, -10.0])
@pytest.mark.parametrize("gap", [0.0, 1e-7, 0.5])
@pytest.mark.parametrize("way", [(0, 0), (30, -20)])
def test_solids_that_turn_together_do_not_collide(turns, gap, way):
    """About one centre, at one rate, along one path: they form one rigid body, in contact or not."""
    one = Polygon([(0, 0), (2, 0), (2, 2), (0, 2)])
    other = Polygon([(2 + gap, -1), (4, 0), (4, 2), (2 + gap, 2)])
    goes = Motion(Pose(1, 1, 0.4), Pose(1 + way[0], 1 + way[1], 0.4 + turns * TURN), (0, -way[1]))
    assert im.time_of_impact(one, goes, other, goes) is None


def test_solids_that_overlap_and_turn_together_overlap():
    goes = turning(0, 5)
    found = im.time_of_impact(Box(2, 2), goes, Box(1, 9), goes)
    assert found is not None
    assert (found.time, found.overlapping) == (0.0, True)


@pytest.mark.parametrize("spin", [1e-3, 4.0, -200.0])
def test_a_circle_that_spins_does_not_turn(spin):
    """The result is bit-identical to one without spin: in closed form, without an iteration."""
    ball, wall, start, end = Circle(1), Box(2, 20), Pose(-10, 3, 0.3), Pose(10, 4, 0.3)
    spinning = Motion(start, Pose(10, 4, 0.3 + spin))
    plain = im.time_of_impact(ball, Motion(start, end), wall, STILL)
    assert plain is not None
    assert plain.iterations == 0
    assert im.time_of_impact(ball, spinning, wall, STILL) == plain
    assert im.time_of_impact(wall, STILL, ball, spinning).time == plain.time
    other = Motion(Pose(10, 0), Pose(-5, 3, -spin))
    assert im.time_of_impact(ball, spinning, ball, other) == im.time_of_impact(
        ball, Motion(start, end), ball, Motion(other.start, Pose(-5, 3))
    )


def test_a_circle_off_the_centre_of_a_compound_turns():
    """In a compound, it moves round."""
    arm = Compound([(Circle(0.5), Pose(4, 0))])
    found = assert_first_touch(arm, turning(0, math.pi), Box(100, 2), still(0, 4))
    angle = math.asin(2.5 / 4)
    assert found.time == pytest.approx(angle / math.pi, abs=slop_in_time(9, 1))


# ------------------------------------------------------------------------------------------------------------
# Concave outlines.

HOOK = Polygon([(0, 0), (6, 0), (6, 3), (5, 3), (5, 1), (0, 1)])


@pytest.mark.parametrize("winding", [1, -1])
def test_a_hook_catches_a_pin(winding):
    """The pin hits the inside of its barb, at x = 5 in its own frame: d cos(φ - w) = 5 - p."""
    hook = Polygon(HOOK.vertices[::winding])
    pin, distance, direction = Circle(0.1), 5.2, 0.8
    found = assert_first_touch(hook, turning(0, 2), pin, still(*polar(distance, direction)))
    angle = direction - math.acos(4.9 / distance)
    assert found.time == pytest.approx(angle / 2, abs=slop_in_time(3, 0.2))
    assert found.normal == pytest.approx((-math.cos(angle), -math.sin(angle)), abs=1e-6)
    # The edge from (5, 3) to (5, 1), which in a clockwise list is the edge from (5, 1).
    assert found.feature_a == Feature("edge", 3 if winding > 0 else 1)


def test_a_pin_outside_of_a_hook_slips_by():
    """The pin is just beyond the barb's tip, and just within the hook's reach."""
    tip = math.hypot(6, 3)
    place = polar(tip + 0.1 + 1e-6, 1.5)
    assert_never_touch(HOOK, turning(0, TURN), Circle(0.1), still(*place))
    place = polar(tip + 0.1 - 1e-6, 1.5)
    assert_first_touch(HOOK, turning(0, TURN), Circle(0.1), still(*place))


def test_two_hooks_catch_each_other():
    """One rotates. The other moves along a curve, and rotates the other way."""
    drawn = Motion(Pose(14, 6, math.pi), Pose(3, 4, math.pi - 2), (3, -5))
    assert_first_touch(HOOK, turning(-1, 1), HOOK, drawn)


# ------------------------------------------------------------------------------------------------------------
# Contact intervals and closest approaches.


def test_how_long_a_rod_that_turns_is_in_a_ceiling():
    """From L sin w = h until it is as high on the other side."""
    angle = math.asin(0.5)
    found = im.contact_interval(ROD, turning(0, math.pi), Box(100, 2), still(0, 3))
    assert found == pytest.approx((angle / math.pi, 1 - angle / math.pi), abs=slop_in_time(3))


@pytest.mark.parametrize(("radius", "pin"), [(0.0, 0.2), (0.3, 0.1), (0.05, 0.5)])
def test_how_long_a_rod_that_turns_is_over_a_pin(radius, pin):
    """The pin's centre is within both radii of the rod's line."""
    rod = Capsule((0, 0), (4, 0), radius)
    half = math.asin((radius + pin) / 3)
    found = im.contact_interval(rod, turning(0, 2), Circle(pin), still(*polar(3, 1.1)))
    assert found == pytest.approx(((1.1 - half) / 2, (1.1 + half) / 2), abs=slop_in_time(5))
    # In two turns, the first contact counts.
    twice = im.contact_interval(rod, turning(0, 2 * TURN), Circle(pin), still(*polar(3, 1.1)))
    assert twice == pytest.approx(((1.1 - half) / (2 * TURN), (1.1 + half) / (2 * TURN)), abs=slop_in_time(30))


@pytest.mark.parametrize("between", [0.004, 0.001, 1e-6])
def test_an_interval_ends_where_a_fast_rod_leaves_the_first_of_two_pins(between):
    """Ten turns per frame, and a few thousandths of a radian from pin to pin: separations may be short."""
    half = math.asin(0.1 / 4)
    pins = Compound([(Circle(0.1), Pose(*polar(4, angle))) for angle in (1, 1 + 2 * half + between)])
    found = im.contact_interval(Capsule((0, 0), (5, 0)), turning(0, 10 * TURN), pins, STILL)
    assert found == pytest.approx(((1 - half) / (10 * TURN), (1 + half) / (10 * TURN)), abs=slop_in_time(200))


def test_an_interval_begins_and_ends_with_the_frame():
    rod = Capsule((0, 0), (4, 0), 0.5)
    at_first = im.contact_interval(rod, turning(0, 2), Circle(0.5), still(3, 0))
    assert at_first == pytest.approx((0.0, math.asin(1 / 3) / 2), abs=slop_in_time(5))
    at_last = im.contact_interval(rod, turning(-2, 0), Circle(0.5), still(3, 0))
    assert at_last == pytest.approx((1 - math.asin(1 / 3) / 2, 1.0), abs=slop_in_time(5))
    assert im.contact_interval(rod, turning(0, 0.1), Circle(0.5), still(3, 0)) == (0.0, 1.0)
    assert im.contact_interval(rod, turning(0, 2), Circle(0.5), still(-9, 0)) is None


def test_a_rod_comes_nearest_to_a_pin_out_of_its_reach():
    """It is its tip, when it points there, or at the frame's end if it does not get there."""
    pin = Circle(0.5)
    nearest = im.closest_approach(ROD, turning(0, math.pi), pin, still(*polar(6, 1.2)))
    assert nearest.distance == pytest.approx(1.5, abs=1e-8)
    assert nearest.time == pytest.approx(1.2 / math.pi, abs=1e-3)
    short = im.closest_approach(ROD, turning(0, 1), pin, still(*polar(6, 1.2)))
    assert short.distance == pytest.approx(math.dist(polar(4, 1), polar(6, 1.2)) - 0.5, abs=1e-8)
    assert short.time == pytest.approx(1.0, abs=1e-7)


def test_two_rods_that_turn_are_nearest_where_they_point_at_each_other():
    rod = Capsule((0, 0), (1, 0))
    nearest = im.closest_approach(rod, turning(-1, 1), rod, turning(math.pi + 1, math.pi - 1, x=3))
    assert nearest.distance == pytest.approx(1.0, abs=1e-8)
    assert nearest.time == pytest.approx(0.5, abs=1e-3)


def test_a_box_that_turns_comes_nearest_to_a_wall_with_its_corner():
    nearest = im.closest_approach(Box(6, 2), turning(0, 1), Box(2, 50), still(5, 0))
    assert nearest.distance == pytest.approx(4 - math.sqrt(10), abs=1e-8)
    assert nearest.time == pytest.approx(math.atan2(1, 3), abs=1e-3)


def test_what_touches_is_nearest_where_it_touches_first():
    found = im.closest_approach(ROD, turning(0, math.pi), Box(100, 2), still(0, 3))
    assert found.distance == 0.0
    assert found.time == pytest.approx(math.asin(0.5) / math.pi, abs=slop_in_time(3))


def test_what_turns_together_is_as_near_all_the_time():
    one, other = Polygon([(0, 0), (2, 0), (2, 2), (0, 2)]), Polygon([(3, 0), (4, 0), (4, 2), (3, 2)])
    goes = Motion(Pose(1, 1, 0.4), Pose(5, 3, 9))
    assert im.contact_interval(one, goes, other, goes) is None
    assert im.closest_approach(one, goes, other, goes).distance == pytest.approx(1.0, abs=1e-8)


# ------------------------------------------------------------------------------------------------------------
# The other functions.


def test_a_sword_is_swept_over_what_stands_around():
    """The earliest is first, with its index; targets out of reach are left out."""
    sword = Capsule((0, 0), (10, 0), radius=0.2)
    directions = (0.9, -0.7, 0.2, 2.5)
    posts = [(Circle(0.1), Pose(*polar(8, direction))) for direction in directions]
    posts.append((Circle(0.1), Pose(*polar(11, 0.0))))
    hits = im.sweep(sword, turning(-1, 1), posts)
    assert [hit.target for hit in hits] == [1, 2, 0]
    for hit in hits:
        angle = directions[hit.target] - math.asin(0.3 / 8)
        assert hit.impact.time == pytest.approx((angle + 1) / 2, abs=slop_in_time(16, 0.2))


def test_arrays_answer_like_single_calls():
    """Rotating, ballistic, both, and neither; the results are bit-identical."""
    rng = np.random.default_rng(8)
    shapes = [LID, ROD, HOOK, Circle(1), Box(3, 1), Capsule((-1, 1), (2, 1), 0.3)]
    count = len(shapes)
    starts, ends = (rng.uniform(-5, 5, (count, 3)) * [1, 1, turns] for turns in (0.6, 4))
    accelerations = rng.uniform(-9, 9, (count, 2)) * rng.integers(0, 2, (count, 1))
    pairs = np.array([(a, b) for a in range(count) for b in range(count) if a != b])
    found = im.batch.time_of_impact(im.batch.Solids(shapes), starts, ends, pairs, accelerations=accelerations)
    motions = [
        Motion(Pose(*start), Pose(*end), tuple(acceleration))
        for start, end, acceleration in zip(starts.tolist(), ends.tolist(), accelerations.tolist(), strict=True)
    ]
    for row, (a, b) in enumerate(pairs.tolist()):
        one = im.time_of_impact(shapes[a], motions[a], shapes[b], motions[b])
        assert found.hit[row] == (one is not None)
        if one is not None:
            assert (found.times[row], *found.normals[row]) == (one.time, *one.normal)
            assert tuple(found.points[row]) == one.point
    assert 5 < found.hit.sum() < len(pairs)


def test_many_turns_of_a_small_angle_more_make_no_difference():
    """A motion that starts a thousand radians later is the same, up to rounding."""
    plain = assert_first_touch(ROD, turning(0, 2), Box(100, 2), still(0, 3))
    far = assert_first_touch(ROD, turning(320 * TURN, 320 * TURN + 2), Box(100, 2), still(0, 3))
    assert far.time == pytest.approx(plain.time, abs=1e-9)


@pytest.mark.parametrize(
    "motion",
    [
        Motion(Pose(0, 1 + 1e-9), Pose(-5, 1, -1e-8)),
        Motion(Pose(0, 1 + 1e-9), Pose(-1, 1 - 1e-6), (0, -1e-9)),
        Motion(Pose(0, 1 + 1e-9), Pose(-50, 1 - 1e-3, 1e-6)),
    ],
)
def test_on_the_floor_and_pushed_into_the_wall(motion):
    """Both are in contact at the start. The floor's contact was followed to its end, half a unit into the wall."""
    room = Polygon([(-9, -2), (30, -2), (30, 0), (-1, 0), (-1, 9), (-9, 9)])
    impact = im.time_of_impact(room, STILL, Box(2, 2), motion)
    assert (impact.time, impact.normal) == (0, (1, 0))


@pytest.mark.parametrize("angle", [0.1 * k for k in range(60)])
def test_a_ball_at_rest_under_gravity_whose_place_is_rounded(angle):
    """Rounding put it slightly into the floor. Then no root was found and it fell all the way: one angle of fifty."""
    floor = Polygon([(160, 336), (1440, 336), (1440, 400), (160, 400)])
    rests = Motion(Pose(960, 416, angle), Pose(960, 415.5, angle), (0, -1))
    impact = im.time_of_impact(Circle(16), rests, floor, STILL)
    assert (impact.time, impact.overlapping) == (0, False)


@pytest.mark.parametrize("far", [0, 100, 5_000])
def test_what_turns_on_the_corner_of_a_level_with_a_far_origin(far):
    """The bound took the corner to be as fast as the level's origin: 20,000 steps, and then a false impact."""
    level = Polygon([(far - 60, -60), (far, -60), (far, 0)])
    sail = Polygon([(0, 0), (2, 0), (0, 2)])
    assert im.time_of_impact(level, STILL, sail, Motion(Pose(far, 0, 0.1), Pose(far, 0, 0.4))) is None


def test_a_far_origin_costs_no_steps():
    outline = [(-10, -2), (10, -2), (10, 0), (3, 0), (3, 1), (2, 0), (-10, 0)]
    near, far = (
        im.time_of_impact(
            Polygon([(x + origin, y) for x, y in outline]),
            STILL,
            Box(2, 1),
            Motion(Pose(origin - 5, 3, 0), Pose(origin + 1, -1, 7)),
        )
        for origin in (0, 50_000)
    )
    assert far.time == pytest.approx(near.time, abs=1e-9)
    assert far.iterations <= near.iterations + 5


@pytest.mark.parametrize("swapped", [False, True])
def test_a_rounded_box_that_lies_flat_turns_a_little_as_it_jumps(swapped):
    """In the box's frame, the ends of the floor rise faster than the box jumps: it was held down."""
    floor = Polygon([(-640, 336), (640, 336), (640, 400), (-640, 400)])
    box = Polygon([(-12, -12), (12, -12), (12, 12), (-12, 12)], 4)
    jumps = Motion(Pose(-32, 416, TURN / 4), Pose(-40, 421, TURN / 4 + 0.02))
    pairs = (floor, STILL, box, jumps) if swapped else (box, jumps, floor, STILL)
    assert im.time_of_impact(*pairs) is None


def test_a_capsule_lifts_off_a_row_of_tiles():
    """It took 20,000 steps in the first billionth of the frame."""
    tiles = Compound([(Box(2, 2), Pose(2 * k - 10, 0)) for k in range(11)])
    lifts = Motion(Pose(4, 1.5), Pose(3, 2.495, 0.001), (0, -0.01))
    assert im.time_of_impact(tiles, STILL, Capsule((-1, 0), (1, 0), 0.5), lifts) is None
