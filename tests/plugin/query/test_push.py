"""One pair of boxes: against the rule in exact fractions, the published stepping, and named cases."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import impinge as im
from exact_push import ExactBox, ExactMotion, exact_push
from impinge import Box, Motion, Pose, Side
from impinge.reference import quads
from scale import cases

ONE_WAY = Side.LEFT | Side.RIGHT | Side.BOTTOM
BLOCK, CREATURE = Box(8, 8), Box(8, 8)
# The published page's worked example, turned to y up: its top-left corners are these centres.
BLOCK_MOTION = Motion(Pose(-3, -8), Pose(0, -5))
CREATURE_MOTION = Motion(Pose(6, 2), Pose(5, 1))


def half_box(size):
    return ExactBox(Fraction(size[0]) / 2, Fraction(size[1]) / 2)


def exact_place(place):
    return (Fraction(place[0]), Fraction(place[1]))


def exact_answer(case):
    return exact_push(
        half_box(case["mighty_sizes"]),
        ExactMotion(exact_place(case["mighty_starts"]), exact_place(case["mighty_ends"])),
        half_box(case["weak_sizes"]),
        exact_place(case["weak_starts"]),
        exact_place(case["weak_goals"]),
        carrying=int(case["carrying"]),
        sticky=int(case["sticky"]),
        passable=int(case["passable"]),
    )


def random_pairs(seed, count, kind):
    """Return pairs on a coarse grid, where corners and edges often meet exactly, or anywhere."""
    rng = np.random.default_rng(seed)
    if kind == "grid":
        sizes = [rng.integers(1, 5, (count, 2)) * 2.0 for _ in range(2)]
        places = [rng.integers(-6, 7, (count, 2)) * 1.0 for _ in range(4)]
    else:
        scale = {"anywhere": 1.0, "tiny": 1e-3, "far": 1e3}[kind]
        sizes = [scale * rng.uniform(0.5, 8, (count, 2)) for _ in range(2)]
        places = [scale * rng.uniform(-8, 8, (count, 2)) for _ in range(4)]
    return {
        "mighty_sizes": sizes[0],
        "mighty_starts": places[0],
        "mighty_ends": places[1],
        "weak_sizes": sizes[1],
        "weak_starts": places[2],
        "weak_goals": places[3],
        "carrying": rng.choice([0, 15, 15, 8, 3], count),
        "sticky": rng.choice([0, 0, 0, 15, 8, 1], count),
        "passable": rng.choice([0, 0, 0, 7, 11, 1, 15], count),
    }


def assert_equals_the_rule(pairs):
    pushes = im.batch.push_boxes(**pairs)
    for i in range(len(pushes.ends)):
        case = {name: values[i] for name, values in pairs.items()}
        exact = exact_answer(case)
        size = float(min(*case["mighty_sizes"], *case["weak_sizes"]))
        assert pushes.ends[i] == pytest.approx([float(exact.x), float(exact.y)], rel=0, abs=1e-9 * size), case
        if exact.time is None:
            assert math.isnan(pushes.times[i]), case
        else:
            assert pushes.times[i] == pytest.approx(float(exact.time), rel=0, abs=1e-9), case
        assert Side(int(pushes.sides[i])) == exact.sides, case
        assert pushes.overlapped[i] == exact.overlapped, case


@pytest.mark.parametrize("kind", ["grid", "anywhere", "tiny", "far"])
@pytest.mark.parametrize("seed", range(3))
def test_random_pairs_equal_the_rule_in_exact_fractions(kind, seed):
    assert_equals_the_rule(random_pairs(seed, cases(2500), kind))


coordinates = st.integers(-24, 24).map(lambda n: n / 4)
extents = st.integers(1, 24).map(lambda n: n / 4)


@settings(max_examples=cases(500))
@given(
    sizes=st.tuples(extents, extents, extents, extents),
    places=st.tuples(*[coordinates] * 8),
    sides=st.tuples(*[st.integers(0, 15)] * 3),
)
def test_any_pair_equals_the_rule_in_exact_fractions(sizes, places, sides):
    assert_equals_the_rule(
        {
            "mighty_sizes": np.array([sizes[:2]]),
            "mighty_starts": np.array([places[:2]]),
            "mighty_ends": np.array([places[2:4]]),
            "weak_sizes": np.array([sizes[2:]]),
            "weak_starts": np.array([places[4:6]]),
            "weak_goals": np.array([places[6:]]),
            "carrying": np.array([sides[0]]),
            "sticky": np.array([sides[1]]),
            "passable": np.array([sides[2]]),
        }
    )


@pytest.mark.parametrize("kind", ["grid", "anywhere", "tiny", "far"])
def test_after_a_push_the_boxes_overlap_by_no_more_than_the_slop(kind):
    pairs = random_pairs(7, 40_000, kind)
    pairs["passable"][:] = 0
    pushes = im.batch.push_boxes(**pairs)
    reach = (pairs["mighty_sizes"] + pairs["weak_sizes"]) / 2
    depth = (reach - abs(pushes.ends - pairs["mighty_ends"])).min(axis=1)
    smallest = np.minimum(pairs["mighty_sizes"].min(axis=1), pairs["weak_sizes"].min(axis=1))
    coordinate = max(abs(values).max() for name, values in pairs.items() if "s" in name and values.ndim == 2)
    assert (depth <= 1e-9 * smallest + 8 * np.finfo(float).eps * 2 * coordinate).all()


MIRRORED = {0: 0, 1: 2, 2: 1, 4: 4, 8: 8}
TRANSPOSED = {0: 0, 1: 4, 2: 8, 4: 1, 8: 2}


def turned_sides(sides, by):
    return sum((sides & bit) // max(bit, 1) * by[bit] for bit in (1, 2, 4, 8))


@pytest.mark.parametrize(("turn", "by"), [("mirror", MIRRORED), ("transpose", TRANSPOSED)])
def test_turned_pairs_give_turned_answers(turn, by):
    """This holds without ties: for equal ways out and exact diagonals, the order of sides has a first side."""
    pairs = random_pairs(11, 20_000, "anywhere")

    def turned(name, values):
        if values.ndim == 1:
            return turned_sides(values, by)
        if turn == "transpose":
            return values[:, ::-1]
        return values if "sizes" in name else values * [-1.0, 1.0]

    straight = im.batch.push_boxes(**pairs)
    bent = im.batch.push_boxes(**{name: turned(name, values) for name, values in pairs.items()})
    np.testing.assert_allclose(bent.ends, turned("ends", straight.ends), rtol=0, atol=1e-12)
    np.testing.assert_allclose(bent.times, straight.times, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(bent.sides, turned_sides(straight.sides.astype(int), by))


def test_the_worked_example_of_the_published_page():
    push = im.push(BLOCK, BLOCK_MOTION, CREATURE, CREATURE_MOTION)
    assert (push.pose, push.time, push.sides) == (Pose(6.5, 3), 0.5, Side.BOTTOM)
    not_carried = im.push(BLOCK, BLOCK_MOTION, CREATURE, CREATURE_MOTION, carrying=Side.NONE)
    assert (not_carried.pose, not_carried.time) == (Pose(5, 3), 0.5)
    # In the page's own pixels, y down and by the top-left corner: (2.5, -7) and (1, -7).
    assert (push.pose.x - 4, -push.pose.y - 4) == (2.5, -7)
    assert (not_carried.pose.x - 4, -not_carried.pose.y - 4) == (1, -7)


def test_the_published_stepping_of_the_worked_example_ends_elsewhere():
    stepped = quads.collision_of_two_quads(
        quads.TwoQuads(
            mighty_size=(8, 8),
            weak_size=(8, 8),
            mighty_start=(-7, 4),
            mighty_end=(-4, 1),
            weak_start=(2, -6),
            weak_goal=(1, -5),
        )
    )
    assert stepped.weak_end == pytest.approx((3, -7 - 2 / 3))


def test_a_box_that_is_not_met_ends_on_its_goal_to_the_bit():
    goal = Pose(0.1 + 0.2, 1 / 3)
    push = im.push(Box(1, 1), Motion.still(Pose(10, 10)), Box(1, 1), Motion(Pose(0.7, -0.9), goal))
    assert (push.pose, push.time, push.sides) == (goal, None, Side.NONE)


def test_speed_costs_no_wall():
    """The wall is a tenth of a unit thick, and the speed is a hundred thousand units per frame."""
    push = im.push(Box(0.1, 100), Motion.still(Pose(0, 0)), Box(1, 1), Motion(Pose(-5e4, 0), Pose(5e4, 0)))
    assert push.pose == Pose(-0.55, 0)
    assert push.sides == Side.RIGHT


def test_touching_at_the_very_end_is_the_next_frames_touch():
    push = im.push(Box(2, 2), Motion.still(Pose(0, 0)), Box(2, 2), Motion(Pose(0, 5), Pose(0, 2)))
    assert (push.pose, push.time) == (Pose(0, 2), None)
    again = im.push(Box(2, 2), Motion.still(Pose(0, 0)), Box(2, 2), Motion(push.pose, Pose(0, -1)))
    assert (again.pose, again.time, again.sides) == (Pose(0, 2), 0.0, Side.BOTTOM)


def test_sliding_along_a_wall_is_no_collision():
    push = im.push(Box(2, 2), Motion.still(Pose(0, 0)), Box(2, 2), Motion(Pose(2, -5), Pose(2, 5)))
    assert (push.pose, push.time) == (Pose(2, 5), None)


@pytest.mark.parametrize(
    ("goal", "end", "side"),
    [
        # The slower axis is the normal: W keeps the larger part of its motion.
        (Pose(-0.5, 1), Pose(-0.5, 2), Side.BOTTOM),
        (Pose(-1, 0.5), Pose(-2, 0.5), Side.RIGHT),
        # With equal speeds, it is the x axis.
        (Pose(-0.5, 0.5), Pose(-2, 0.5), Side.RIGHT),
    ],
)
def test_an_exact_corner_is_met_on_the_slower_axis(goal, end, side):
    start = Pose(-2 - (goal.x + 2), 2 - (goal.y - 2))  # the corners meet at half time
    push = im.push(Box(2, 2), Motion.still(Pose(0, 0)), Box(2, 2), Motion(start, goal))
    assert (push.pose, push.time, push.sides) == (end, 0.5, side)


@pytest.mark.parametrize(
    ("place", "end", "side"),
    [
        (Pose(-1, 0), Pose(-2, 0), Side.RIGHT),
        (Pose(0.5, -1), Pose(0.5, -2), Side.TOP),
        (Pose(0, 0), Pose(-2, 0), Side.RIGHT),  # equal ways out: LEFT comes first
        (Pose(1, -1), Pose(2, -1), Side.LEFT),  # RIGHT before BOTTOM
        (Pose(0, 1.5), Pose(0, 2), Side.BOTTOM),
    ],
)
def test_a_start_inside_is_left_by_the_shortest_way(place, end, side):
    push = im.push(Box(2, 2), Motion.still(Pose(0, 0)), Box(2, 2), Motion.still(place))
    assert (push.pose, push.time, push.sides, push.overlapped) == (end, 0.0, side, True)


def lift(height, own, **sides):
    """Push a creature by the lift under it. The lift rises by `height`; the creature's own motion is `own`."""
    motion = Motion(Pose(0, 0), Pose(5, height))
    return im.push(Box(20, 2), motion, Box(2, 2), Motion(Pose(0, 2), Pose(own[0], 2 + own[1])), **sides)


def test_a_rising_lift_pushes_and_carries():
    assert lift(3, (1, -1)).pose == Pose(6, 5)
    assert lift(3, (1, -1), carrying=Side.NONE).pose == Pose(1, 5)


def test_a_sinking_lift_is_left_by_a_slower_fall():
    push = lift(-3, (1, -1))
    assert (push.pose, push.time) == (Pose(1, 1), None)


def test_a_sinking_sticky_lift_takes_its_passenger_down():
    push = lift(-3, (1, -1), carrying=Side.NONE, sticky=Side.TOP)
    assert (push.pose, push.time, push.sides) == (Pose(6, -1), 0.0, Side.BOTTOM)


def test_a_jump_leaves_a_sticky_lift():
    assert lift(-3, (1, 4), sticky=Side.TOP).pose == Pose(1, 6)


def test_a_passenger_who_moves_just_as_the_lift_does_is_not_met():
    push = lift(-3, (5, -3), sticky=Side.TOP)
    assert (push.pose, push.time) == (Pose(5, -1), None)


@pytest.mark.parametrize(
    ("start", "goal", "end"),
    [
        (Pose(0, 5), Pose(0, -5), Pose(0, 2)),  # from above: stands
        (Pose(0, -5), Pose(0, 5), Pose(0, 5)),  # from below: through
        (Pose(-9, 0), Pose(9, 0), Pose(9, 0)),  # from the sides: through
        (Pose(9, 0), Pose(-9, 0), Pose(-9, 0)),
        (Pose(0, 1), Pose(0, -5), Pose(0, -5)),  # inside: falls out below
        (Pose(0, 2), Pose(0, -5), Pose(0, 2)),  # on top: stands
    ],
)
def test_a_one_way_platform_from_every_side(start, goal, end):
    push = im.push(Box(6, 2), Motion.still(Pose(0, 0)), Box(2, 2), Motion(start, goal), passable=ONE_WAY)
    assert push.pose == end


def test_past_the_end_of_a_face_w_falls_on():
    """It passes the edge after a quarter of the frame, and falls for three quarters."""
    push = im.push(Box(4, 2), Motion.still(Pose(0, 0)), Box(2, 2), Motion(Pose(1, 2), Pose(9, -6)))
    assert (push.pose, push.time, push.sides) == (Pose(9, -4), 0.0, Side.BOTTOM)


def test_walking_off_the_front_of_a_fast_carrier_ends_before_its_side():
    """It slides off the front, where its own motion leads back in: the neighbouring face pushes it on."""
    carrier = Motion(Pose(0, 0), Pose(8, 0))
    push = im.push(Box(4, 4), carrier, Box(2, 2), Motion(Pose(2, 3), Pose(4, -1)))
    assert push.sides == Side.BOTTOM | Side.LEFT
    assert push.pose.x == 8 + 3


def test_pinned_on_a_corner_that_both_faces_carry_it_off():
    """Each face would carry it onto the other one at once: it stays on the corner."""
    push = im.push(Box(4, 4), Motion(Pose(0, 0), Pose(6, 6)), Box(2, 2), Motion(Pose(3, 3), Pose(4, 4)))
    assert push.pose == Pose(9, 9)


# The stepping's error is a number of its pixels, whatever their size: 26 at most in 30,000 random pairs of these sizes.
# So the pixels must be small.
PIXELS_PER_UNIT = 1024


def nearly(value):
    return pytest.approx(value, rel=0, abs=40 / PIXELS_PER_UNIT)


@settings(max_examples=cases(300))
@given(
    sizes=st.tuples(*[st.integers(2, 9)] * 4),
    places=st.tuples(*[st.integers(-9, 9)] * 8),
)
@example(sizes=(5, 4, 2, 2), places=(-5, 6, 0, -2, 2, 8, -6, 9))  # 13 pixels off, whatever their size
def test_the_stepping_converges_to_the_rule_where_it_is_not_mistaken(sizes, places):
    """This is the case if W does not start in M, hits no corner, and does not move along with the push.

    The reference's own tests show the other cases, one by one.
    """
    spec = quads.TwoQuads(
        mighty_size=sizes[:2],
        weak_size=sizes[2:],
        mighty_start=places[:2],
        mighty_end=places[2:4],
        weak_start=places[4:6],
        weak_goal=places[6:],
    )
    push = im.push(
        Box(*sizes[:2]),
        Motion(*(y_up(place, sizes[:2]) for place in (places[:2], places[2:4]))),
        Box(*sizes[2:]),
        Motion(*(y_up(place, sizes[2:]) for place in (places[4:6], places[6:]))),
    )
    if not is_stepped_rightly(spec, push):
        return
    stepped = quads.stepped(spec, PIXELS_PER_UNIT)
    end = y_up(stepped.weak_end, sizes[2:])
    assert (push.pose.x, push.pose.y) == (nearly(end.x), nearly(end.y))


def y_up(corner, size):
    return Pose(corner[0] + size[0] / 2, -corner[1] - size[1] / 2)


def is_stepped_rightly(spec, push):
    """Return whether the published code makes none of its mistakes on a pair; it carries with all sides."""
    mighty = [b - a for a, b in zip(spec.mighty_start, spec.mighty_end, strict=True)]
    weak = [b - a for a, b in zip(spec.weak_start, spec.weak_goal, strict=True)]
    relative = [m - w for m, w in zip(mighty, weak, strict=True)]
    if push.overlapped or 0 in relative:
        return False
    times = []
    for axis in range(2):
        gaps = (
            spec.weak_start[axis] - spec.mighty_start[axis] - spec.mighty_size[axis],
            spec.weak_start[axis] + spec.weak_size[axis] - spec.mighty_start[axis],
        )
        times += [gap / relative[axis] for gap in gaps]
    if len(set(times)) < 4 or any(time in (0, 1) for time in times):
        return False
    # W's own motion is against the push, or zero: W ahead of a push is only carried in part.
    return all(m * w <= 0 for m, w in zip(mighty, weak, strict=True))


BAD_SIZES = [0, -1, math.nan, math.inf, -math.inf, "wide", None]
BAD_COORDINATES = [math.nan, math.inf, -math.inf, "far", None, 10**400]


@pytest.mark.parametrize("name", ["width", "height"])
@pytest.mark.parametrize("value", BAD_SIZES)
def test_a_bad_size_is_refused_by_name_and_value(name, value):
    with pytest.raises(im.ShapeError, match=rf"^{name} must be .* got ") as error:
        Box(**{"width": 1, "height": 1, name: value})
    assert repr(value) in str(error.value)


@pytest.mark.parametrize("name", ["x", "y", "angle"])
@pytest.mark.parametrize("value", BAD_COORDINATES)
def test_a_bad_coordinate_is_refused_by_name_and_value(name, value):
    with pytest.raises(im.ShapeError, match=rf"^{name} must be .* got ") as error:
        Pose(**{"x": 0, "y": 0, name: value})
    assert repr(value) in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mighty": "wall"}, "mighty must be a Box, got 'wall'"),
        ({"weak": None}, "weak must be a Box, got None"),
        ({"mighty_motion": Pose(0, 0)}, "mighty_motion must be a Motion"),
        ({"weak_motion": Motion(Pose(0, 0, 0.5), Pose(0, 0))}, r"weak_motion must not be turned .* angle=0.5"),
        ({"carrying": 16}, "carrying must be a Side, got 16"),
        ({"sticky": True}, "sticky must be a Side, got True"),
        ({"passable": "LEFT"}, "passable must be a Side, got 'LEFT'"),
    ],
)
def test_push_refuses_what_is_no_box_motion_or_side(arguments, message):
    right = {"mighty": BLOCK, "mighty_motion": BLOCK_MOTION, "weak": CREATURE, "weak_motion": CREATURE_MOTION}
    with pytest.raises(im.ShapeError, match=message):
        im.push(**{**right, **arguments})


def test_records_are_values():
    assert Box(1, 2) == Box(1.0, 2.0)
    assert len({Pose(0, 1), Pose(0.0, 1.0), Pose(0, 2)}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        Box(1, 2).width = 3
    motion = Motion(Pose(0, 0), Pose(0.1, 0.3))
    assert motion.at(1) is motion.end
    with pytest.raises(im.ShapeError, match=r"time must be from 0 to 1, got 1\.5"):
        motion.at(1.5)
    assert (Side.LEFT | Side.TOP).opposite == Side.RIGHT | Side.BOTTOM
