"""Test the oracle itself: named cases worked out by hand, symmetries, and a simulation in tiny steps.

The library has no part in these tests.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from exact_push import (
    ALL,
    BOTTOM,
    LEFT,
    NONE,
    RIGHT,
    TOP,
    ExactBox,
    ExactMighty,
    ExactMotion,
    ExactPush,
    ExactStep,
    Knot,
    Vector,
    exact_push,
    exact_world,
)
from scale import cases, some

Number = int | Fraction


def box(half_width: Number, half_height: Number) -> ExactBox:
    return ExactBox(Fraction(half_width), Fraction(half_height))


def at(x: Number, y: Number) -> Vector:
    return (Fraction(x), Fraction(y))


def still(x: Number, y: Number) -> ExactMotion:
    return ExactMotion(at(x, y), at(x, y))


def moving(start: tuple[Number, Number], end: tuple[Number, Number]) -> ExactMotion:
    return ExactMotion(at(*start), at(*end))


def push(
    mighty: ExactBox,
    motion: ExactMotion,
    start: tuple[Number, Number],
    goal: tuple[Number, Number],
    *,
    carrying: int = ALL,
    sticky: int = NONE,
    passable: int = NONE,
    slop: Fraction = Fraction(0),
) -> ExactPush:
    """Push the unit W, two wide and two high."""
    flags = {"carrying": carrying, "sticky": sticky, "passable": passable}
    return exact_push(mighty, motion, UNIT, at(*start), at(*goal), slop=slop, **flags)


UNIT = box(1, 1)
PLATFORM = box(4, 1)
HALF = Fraction(1, 2)


# Named cases of one pair.


@pytest.mark.parametrize(("carrying", "x"), [(ALL, Fraction(13, 2)), (NONE, Fraction(5))])
def test_worked_example(carrying: int, x: Fraction) -> None:
    # In the example's pixels (y down, top left corners) W ends at (2.5, -7) and (1, -7).
    quad = box(4, 4)
    result = exact_push(quad, moving((-3, -8), (0, -5)), quad, at(6, 2), at(5, 1), carrying=carrying)
    assert result == ExactPush(x, Fraction(3), HALF, BOTTOM, overlapped=False)


def test_receding_elevator_leaves_a_slower_rider_behind() -> None:
    assert push(PLATFORM, moving((0, 0), (0, -4)), (0, 2), (0, 1)) == ExactPush(*at(0, 1), None, NONE, False)


def test_receding_elevator_takes_a_faster_rider_along() -> None:
    result = push(PLATFORM, moving((0, 0), (0, -4)), (0, 2), (0, -4))
    assert result == ExactPush(*at(0, -2), Fraction(0), BOTTOM, False)


def test_sticky_elevator_holds_its_rider_and_carries_it_even_if_not_carrying() -> None:
    result = push(PLATFORM, moving((0, 0), (2, -4)), (0, 2), (1, 1), carrying=NONE, sticky=TOP)
    assert result == ExactPush(*at(3, -2), Fraction(0), BOTTOM, False)


def test_sticky_elevator_lets_a_jumper_go() -> None:
    result = push(PLATFORM, moving((0, 0), (0, -4)), (0, 2), (0, 3), sticky=TOP)
    assert result == ExactPush(*at(0, 3), None, NONE, False)


def test_sticky_elevator_lets_go_of_a_rider_that_walks_off_its_end() -> None:
    # The platform's end is 5 from its centre. W reaches it at t = 1/4, after descending by 1, and then moves on its
    # own.
    result = push(PLATFORM, moving((0, 0), (0, -4)), (3, 2), (11, 0), sticky=TOP)
    assert result == ExactPush(*at(11, Fraction(-1, 2)), Fraction(0), BOTTOM, False)


def test_sticky_side_holds_nobody_who_moves_as_it_does() -> None:
    result = push(PLATFORM, moving((0, 0), (2, -4)), (0, 2), (2, -2), sticky=TOP)
    assert result == ExactPush(*at(2, -2), None, NONE, False)


def test_sticky_side_does_not_hold_who_lands_later() -> None:
    # W touches at t = 1/4. M rises to the end, so W stays on it; but M does not carry, so W keeps its x.
    result = push(PLATFORM, moving((0, 0), (2, 2)), (0, 3), (0, 1), carrying=NONE, sticky=TOP)
    assert result == ExactPush(*at(0, 4), Fraction(1, 4), BOTTOM, False)


ONE_WAY = LEFT | RIGHT | BOTTOM


def test_one_way_platform_bears_who_comes_from_above() -> None:
    result = push(PLATFORM, still(0, 0), (0, 4), (1, 0), passable=ONE_WAY)
    assert result == ExactPush(*at(1, 2), HALF, BOTTOM, False)


@pytest.mark.parametrize(
    ("start", "goal"), [((0, -4), (0, 4)), ((-7, 0), (7, 0)), ((7, 0), (-7, 0)), ((0, 1), (0, -4))]
)
def test_one_way_platform_lets_in_from_elsewhere(start: tuple[int, int], goal: tuple[int, int]) -> None:
    result = push(PLATFORM, still(0, 0), start, goal, passable=ONE_WAY)
    assert result == ExactPush(*at(*goal), None, NONE, False)


@pytest.mark.parametrize("carrying", [ALL, TOP])
def test_overtaken_by_the_carrying_face_it_walked_off(carrying: int) -> None:
    # W is at the front corner at t = 1/3. M catches up at 9 per frame, and its front pushes W while W falls.
    result = push(box(2, 1), moving((0, 0), (12, 0)), (2, 2), (5, 0), carrying=carrying)
    assert result == ExactPush(*at(15, Fraction(2, 3)), Fraction(0), BOTTOM | LEFT, False)


def test_fallen_past_the_neighbouring_face() -> None:
    # As above, but W falls at 9: it leaves the front by its lower end at t = 7/9, and M passes above it.
    result = push(box(2, 1), moving((0, 0), (12, 0)), (2, 2), (5, -7))
    assert result == ExactPush(*at(13, -4), Fraction(0), BOTTOM | LEFT, False)


def test_pinned_on_a_corner() -> None:
    # The top carries W off its front end, the front carries it back above the top: M takes W along at the corner.
    result = push(box(2, 1), moving((0, 0), (12, 6)), (2, 2), (5, 3))
    assert result == ExactPush(*at(15, 8), Fraction(0), BOTTOM | LEFT, False)


def test_not_pinned_if_the_neighbouring_face_does_not_carry() -> None:
    # On the front W keeps its own 1 up, M rises at 6: W slides down the front by 5 * 2/3.
    result = push(box(2, 1), moving((0, 0), (12, 6)), (2, 2), (5, 3), carrying=TOP)
    assert result == ExactPush(*at(15, 2 + 6 - Fraction(10, 3)), Fraction(0), BOTTOM | LEFT, False)


def test_slides_past_the_end_of_a_face_that_does_not_lead_back() -> None:
    result = push(box(2, 1), still(0, 0), (2, 2), (6, -2))
    assert result == ExactPush(*at(6, -1), Fraction(0), BOTTOM, False)


def test_exact_corner_hit_keeps_the_larger_part_of_the_movement() -> None:
    result = push(UNIT, still(0, 0), (-6, 3), (2, 1))
    assert result == ExactPush(*at(2, 2), HALF, BOTTOM, False)


def test_exact_corner_hit_with_equal_speeds_takes_the_x_axis_as_normal() -> None:
    result = push(UNIT, still(0, 0), (-4, 4), (0, 0))
    assert result == ExactPush(*at(-2, 0), HALF, RIGHT, False)


def test_passing_a_corner_is_no_touch() -> None:
    assert push(UNIT, still(0, 0), (-2, 4), (-2, -4)) == ExactPush(*at(-2, -4), None, NONE, False)
    assert push(UNIT, still(0, 0), (-4, 0), (0, 4)) == ExactPush(*at(0, 4), None, NONE, False)


def test_touch_at_the_very_end_belongs_to_the_next_frame() -> None:
    assert push(UNIT, still(0, 0), (-4, 0), (-2, 0)) == ExactPush(*at(-2, 0), None, NONE, False)


@pytest.mark.parametrize(
    ("mighty", "start", "end", "side"),
    [
        (UNIT, (0, 0), (-2, 0), RIGHT),
        (UNIT, (-1, 1), (-2, 1), RIGHT),
        (UNIT, (1, -1), (2, -1), LEFT),
        (PLATFORM, (0, 0), (0, -2), TOP),
        (PLATFORM, (0, 1), (0, 2), BOTTOM),
    ],
)
def test_start_overlap_is_left_by_the_first_of_the_shortest_ways(
    mighty: ExactBox, start: tuple[int, int], end: tuple[int, int], side: int
) -> None:
    # The goal is W's start. So after depenetration, W presses against the face that it left by.
    assert push(mighty, still(0, 0), start, start) == ExactPush(*at(*end), Fraction(0), side, True)


def test_moved_out_and_on_to_a_goal_outside() -> None:
    result = push(PLATFORM, still(0, 0), (0, 1), (3, 5))
    assert result == ExactPush(*at(3, 5), Fraction(0), BOTTOM, True)


def test_overlap_within_the_slop_is_a_touch() -> None:
    start, slop = (0, 2 - Fraction(1, 100)), Fraction(1, 50)
    landed = push(PLATFORM, still(0, 0), start, (1, 1), slop=slop)
    assert landed == ExactPush(*at(1, 2), Fraction(0), BOTTOM, False)
    along = push(PLATFORM, still(0, 0), start, (1, start[1]), slop=slop)
    assert along == ExactPush(*at(1, start[1]), None, NONE, False)


# Named cases of many bodies.

WALL = box(1, 4)


def step(start: tuple[Number, Number], goal: tuple[Number, Number], mighties: Sequence[ExactMighty]) -> ExactStep:
    """Return one frame of the unit W, two wide and two high."""
    return exact_world(UNIT, at(*start), at(*goal), mighties)


def outcome(result: ExactStep) -> tuple[Number, Number, Number | None, int, int]:
    return (result.x, result.y, result.time, result.sides, result.stuck)


@pytest.mark.parametrize(("mights", "x"), [((1, 1), 1), ((2, 1), 1), ((1, 2), -1)])
def test_closing_walls_squeeze_and_the_mightier_or_first_one_has_its_way(mights: tuple[int, int], x: int) -> None:
    walls = [
        ExactMighty(WALL, moving((-4, 0), (-1, 0)), might=mights[0]),
        ExactMighty(WALL, moving((4, 0), (1, 0)), might=mights[1]),
    ]
    assert outcome(step((0, 0), (0, 0), walls)) == (x, 0, Fraction(2, 3), LEFT | RIGHT, LEFT | RIGHT)


def test_walls_that_leave_exactly_enough_room_do_not_squeeze() -> None:
    walls = [ExactMighty(WALL, moving((-2, 0), (1, 0))), ExactMighty(WALL, moving((2, 0), (5, 0)))]
    assert outcome(step((0, 0), (0, 0), walls)) == (3, 0, 0, LEFT, NONE)


def test_floor_pushes_into_a_ceiling_that_own_movement_does_not_lead_into() -> None:
    bodies = [
        ExactMighty(PLATFORM, moving((0, -2), (0, -1)), carrying=NONE),
        ExactMighty(PLATFORM, still(0, 2), might=2, carrying=NONE),
    ]
    assert outcome(step((0, 0), (1, 0), bodies)) == (1, 0, 0, BOTTOM | TOP, BOTTOM | TOP)


def test_floor_of_two_flush_tiles_is_one_floor() -> None:
    tiles = [ExactMighty(box(2, 1), still(-2, 0)), ExactMighty(box(2, 1), still(2, 0))]
    assert outcome(step((-3, 2), (3, 1), tiles)) == (3, 2, 0, BOTTOM, NONE)
    # W moves down exactly beside the seam, faster than forwards: alone, the second tile would stop W in x.
    assert outcome(step((-2, 4), (0, 0), tiles)) == (0, 2, HALF, BOTTOM, NONE)


def test_floor_carries_from_the_seam_on() -> None:
    # The second tile moves at 1. W's front passes over it at t = 2/5, and W has a speed of 7 from then on.
    tiles = [
        ExactMighty(box(2, 1), still(-2, 0), carrying=NONE),
        ExactMighty(box(2, 1), moving((2, 0), (3, 0))),
    ]
    assert outcome(step((-3, 2), (3, 1), tiles)) == (Fraction(18, 5), 2, 0, BOTTOM, NONE)


def test_wall_of_two_flush_tiles_does_not_stop_a_fall() -> None:
    # W moves towards the wall faster than down: at the seam, W's own motion alone would land on the lower tile.
    tiles = [ExactMighty(box(1, 2), still(2, 2)), ExactMighty(box(1, 2), still(2, -2))]
    assert outcome(step((0, 3), (5, -1), tiles)) == (0, -1, 0, RIGHT, NONE)


def test_conveyor_carries_off_the_wall_that_own_movement_leads_into() -> None:
    bodies = [ExactMighty(PLATFORM, moving((0, 0), (2, 0))), ExactMighty(WALL, still(-2, 4))]
    assert outcome(step((0, 2), (-1, 1), bodies)) == (1, 2, 0, BOTTOM, NONE)


def test_floor_and_wall_that_would_switch_each_other_off_both_hold() -> None:
    bodies = [ExactMighty(PLATFORM, moving((0, 0), (2, 0))), ExactMighty(WALL, moving((2, 4), (2, 5)))]
    assert outcome(step((0, 2), (-1, Fraction(3, 2)), bodies)) == (0, 2, 0, BOTTOM | RIGHT, NONE)


def test_the_mightiest_carrier_carries_and_of_equals_the_first() -> None:
    left, right = moving((-4, 0), (-3, 0)), moving((4, 0), (6, 0))
    assert step((0, 2), (0, 1), [ExactMighty(PLATFORM, left), ExactMighty(PLATFORM, right)]).x == 1
    assert step((0, 2), (0, 1), [ExactMighty(PLATFORM, left), ExactMighty(PLATFORM, right, might=2)]).x == 2


def test_the_floor_that_rises_faster_carries_alone() -> None:
    # The other platform is mightier, but W leaves it at once.
    slow = ExactMighty(PLATFORM, moving((-4, 0), (-3, 1)), might=2)
    fast = ExactMighty(PLATFORM, moving((4, 0), (6, 2)))
    assert outcome(step((0, 2), (0, 2), [slow, fast])) == (2, 4, 0, BOTTOM, NONE)


def test_moved_out_of_the_mightiest_and_then_of_both() -> None:
    # W leaves the mightier body to the left by 1/4, deeper into the weaker one, whose way back is closed. So W moves
    # down by 2. From there its own motion leads to the right, and up against the weaker body.
    weaker = ExactMighty(UNIT, still(Fraction(-3, 2), 0))
    mightier = ExactMighty(UNIT, still(Fraction(7, 4), 0), might=2)
    result = step((0, 0), (0, 0), [weaker, mightier])
    assert outcome(result) == (0, -2, 0, RIGHT | TOP, NONE)


def test_moved_out_of_the_deeper_equal_first() -> None:
    # W leaves the deeper body upwards, and is then clear of the other one as well. The way out of that one is to the
    # right.
    shallow = ExactMighty(UNIT, still(Fraction(-3, 2), Fraction(-3, 2)))
    deep = ExactMighty(PLATFORM, still(0, -1))
    result = step((0, 0), (0, 5), [shallow, deep])
    assert (result.path[0], result.overlapped, result.stuck) == (Knot(Fraction(0), *at(0, 1)), True, NONE)


def test_moved_out_of_two_equals_at_once() -> None:
    # W is deepest in the upper body. Out of it, W would move down, deeper into the lower one: 3 in all. Up it is 2.5.
    column = [ExactMighty(PLATFORM, still(0, -1)), ExactMighty(PLATFORM, still(0, HALF))]
    result = step((0, 0), (0, 0), column)
    assert (outcome(result), result.overlapped) == ((0, 2 + HALF, 0, BOTTOM, NONE), True)


def test_of_equal_ways_out_of_two_the_first_side_is_taken() -> None:
    # Equally deep in both, W leaves the union by 3, up or down: BOTTOM comes before TOP.
    column = [ExactMighty(PLATFORM, still(0, -1)), ExactMighty(PLATFORM, still(0, 1))]
    result = step((0, 0), (0, 0), column)
    assert (outcome(result), result.overlapped) == ((0, -3, 0, TOP, NONE), True)


def test_wall_pushes_a_crate_that_pushes_a_creature() -> None:
    wall = ExactMighty(WALL, moving((-4, 0), (0, 0)), might=2)
    crate = step((0, 0), (0, 0), [wall])
    assert crate.path == (Knot(Fraction(0), *at(0, 0)), Knot(HALF, *at(0, 0)), Knot(Fraction(1), *at(2, 0)))
    creature = step((3, 0), (3, 0), [wall, ExactMighty(UNIT, crate.path)])
    assert outcome(creature) == (4, 0, Fraction(3, 4), LEFT, NONE)


def test_sticky_hold_outlasts_the_bend_of_a_path() -> None:
    path = [Knot(Fraction(0), *at(0, 0)), Knot(HALF, *at(0, 1)), Knot(Fraction(1), *at(3, -2))]
    assert outcome(step((0, 2), (0, 2), [ExactMighty(PLATFORM, path)])) == (0, 3, 0, BOTTOM, NONE)
    assert outcome(step((0, 2), (0, 2), [ExactMighty(PLATFORM, path, sticky=TOP)])) == (3, 0, 0, BOTTOM, NONE)


# Properties. Small integers make exact corner hits, flush faces and equal speeds common.

coordinates = st.integers(-8, 8).map(Fraction)
vectors = st.tuples(coordinates, coordinates)
halves = st.integers(1, 3).map(Fraction)
boxes = st.builds(ExactBox, halves, halves)
motions = st.builds(ExactMotion, vectors, vectors)
flags = st.sampled_from([NONE, ALL]) | st.integers(NONE, ALL)
straight = st.builds(ExactMighty, boxes, motions, st.integers(1, 2), flags, flags, st.just(NONE) | flags)


@st.composite
def bent_motions(draw: st.DrawFn) -> list[Knot]:
    bends = sorted(draw(st.sets(st.integers(1, 5), max_size=2)))
    times = [Fraction(time, 6) for time in (0, *bends, 6)]
    return [Knot(time, *draw(vectors)) for time in times]


bent = st.builds(ExactMighty, boxes, bent_motions(), st.integers(1, 2), flags, flags, st.just(NONE) | flags)


def pair(weak: ExactBox, start: Vector, goal: Vector, mighty: ExactMighty) -> ExactPush:
    assert isinstance(mighty.motion, ExactMotion)
    return exact_push(
        mighty.box,
        mighty.motion,
        weak,
        start,
        goal,
        carrying=mighty.carrying,
        sticky=mighty.sticky,
        passable=mighty.passable,
    )


def relative_speeds(mighty: ExactMighty, start: Vector, goal: Vector) -> Vector:
    first, *_, last = mighty.knots
    return (goal[0] - start[0] - last.x + first.x, goal[1] - start[1] - last.y + first.y)


def overlap(weak: ExactBox, place: Vector, mighty: ExactMighty, knot: Knot) -> bool:
    wide = abs(place[0] - knot.x) < weak.half_width + mighty.box.half_width
    high = abs(place[1] - knot.y) < weak.half_height + mighty.box.half_height
    return wide and high


@settings(max_examples=cases(600))
@given(boxes, vectors, vectors, straight)
def test_a_world_of_one_pair_is_that_pair(weak: ExactBox, start: Vector, goal: Vector, mighty: ExactMighty) -> None:
    one = pair(weak, start, goal, mighty)
    world = exact_world(weak, start, goal, [mighty])
    assert ExactPush(world.x, world.y, world.time, world.sides, world.overlapped) == one
    assert world.stuck == NONE


@settings(max_examples=cases(300))
@given(boxes, vectors, vectors, straight)
def test_a_weak_box_never_ends_in_one_that_lets_nobody_in(
    weak: ExactBox, start: Vector, goal: Vector, mighty: ExactMighty
) -> None:
    result = pair(weak, start, goal, replace(mighty, passable=NONE))
    assert not overlap(weak, (result.x, result.y), mighty, mighty.knots[-1])


@settings(max_examples=cases(300))
@given(boxes, vectors, vectors, st.lists(bent, max_size=4))
def test_only_the_stuck_end_in_others(weak: ExactBox, start: Vector, goal: Vector, mighties: list[ExactMighty]) -> None:
    result = exact_world(weak, start, goal, mighties)
    solid = [mighty for mighty in mighties if not mighty.passable]
    ends_in = any(overlap(weak, (result.x, result.y), mighty, mighty.knots[-1]) for mighty in solid)
    assert result.stuck or not ends_in
    assert result.stuck & ~result.sides == NONE
    assert (result.time is None) == (result.sides == NONE)
    if result.time is None and not result.overlapped:
        assert (result.x, result.y) == goal


def mirrored_sides(sides: int) -> int:
    return sides & (BOTTOM | TOP) | bool(sides & LEFT) * RIGHT | bool(sides & RIGHT) * LEFT


def transposed_sides(sides: int) -> int:
    return (sides & (LEFT | RIGHT)) << 2 | (sides & (BOTTOM | TOP)) >> 2


def mirrored(mighty: ExactMighty) -> ExactMighty:
    return ExactMighty(
        mighty.box,
        [Knot(knot.time, -knot.x, knot.y) for knot in mighty.knots],
        mighty.might,
        *(mirrored_sides(sides) for sides in (mighty.carrying, mighty.sticky, mighty.passable)),
    )


def transposed(mighty: ExactMighty) -> ExactMighty:
    return ExactMighty(
        ExactBox(mighty.box.half_height, mighty.box.half_width),
        [Knot(knot.time, knot.y, knot.x) for knot in mighty.knots],
        mighty.might,
        *(transposed_sides(sides) for sides in (mighty.carrying, mighty.sticky, mighty.passable)),
    )


@settings(max_examples=cases(300))
@given(boxes, vectors, vectors, st.lists(bent, max_size=3))
def test_mirrored_bodies_have_a_mirrored_outcome(
    weak: ExactBox, start: Vector, goal: Vector, mighties: list[ExactMighty]
) -> None:
    there = exact_world(weak, start, goal, mighties)
    assume(not there.overlapped)  # ways out to the left and right may be equally long
    back = exact_world(weak, (-start[0], start[1]), (-goal[0], goal[1]), [mirrored(m) for m in mighties])
    assert outcome(back) == (
        -there.x,
        there.y,
        there.time,
        mirrored_sides(there.sides),
        mirrored_sides(there.stuck),
    )


def generic(random_numbers: random.Random, size: int) -> Fraction:
    """Return a coordinate that makes corner hits, equal speeds and equally long ways out very unlikely."""
    return Fraction(random_numbers.randint(-997 * size, 997 * size), 997)


def generic_mighty(numbers: random.Random, bends: int = 0) -> ExactMighty:
    times = [Fraction(0), *sorted(Fraction(n, 89) for n in numbers.sample(range(30, 60), bends)), Fraction(1)]
    return ExactMighty(
        ExactBox(abs(generic(numbers, 2)) + 1, abs(generic(numbers, 2)) + 1),
        [Knot(time, generic(numbers, 6), generic(numbers, 6)) for time in times],
        numbers.randint(1, 2),
        numbers.choice([NONE, ALL, numbers.randint(NONE, ALL)]),
        numbers.choice([NONE, numbers.randint(NONE, ALL)]),
        numbers.choice([NONE, NONE, numbers.randint(NONE, ALL)]),
    )


@pytest.mark.parametrize("seed", some(range(150), least=50))
def test_transposed_bodies_have_a_transposed_outcome(seed: int) -> None:
    # Generic figures are needed: for a corner hit with equal speeds, and for equal ways out in x and y, the rule
    # prefers x.
    numbers = random.Random(seed)
    weak = ExactBox(abs(generic(numbers, 2)) + 1, abs(generic(numbers, 2)) + 1)
    start, goal = ((generic(numbers, 6), generic(numbers, 6)) for _ in range(2))
    mighties = [generic_mighty(numbers, bends=numbers.randint(0, 2)) for _ in range(3)]
    there = exact_world(weak, start, goal, mighties)
    turned = ExactBox(weak.half_height, weak.half_width)
    back = exact_world(turned, start[::-1], goal[::-1], [transposed(mighty) for mighty in mighties])
    assert outcome(back) == (
        there.y,
        there.x,
        there.time,
        transposed_sides(there.sides),
        transposed_sides(there.stuck),
    )


@settings(max_examples=cases(300))
@given(boxes, vectors, vectors, straight)
def test_a_transposed_pair_has_a_transposed_outcome(
    weak: ExactBox, start: Vector, goal: Vector, mighty: ExactMighty
) -> None:
    speeds = relative_speeds(mighty, start, goal)
    there = pair(weak, start, goal, mighty)
    assume(abs(speeds[0]) != abs(speeds[1]) and not there.overlapped)
    motion = ExactMotion(mighty.knots[0][:0:-1], mighty.knots[-1][:0:-1])
    turned = ExactBox(weak.half_height, weak.half_width)
    back = pair(turned, start[::-1], goal[::-1], replace(transposed(mighty), motion=motion))
    assert (back.y, back.x, back.time) == (there.x, there.y, there.time)
    assert back.sides == transposed_sides(there.sides)


@settings(max_examples=cases(300))
@given(boxes, vectors, vectors, st.lists(bent, max_size=3), vectors)
def test_without_carrying_a_common_wind_changes_nothing(
    weak: ExactBox, start: Vector, goal: Vector, mighties: list[ExactMighty], wind: Vector
) -> None:
    calm = [replace(mighty, carrying=NONE, sticky=NONE) for mighty in mighties]
    windy = [
        replace(m, motion=[Knot(k.time, k.x + k.time * wind[0], k.y + k.time * wind[1]) for k in m.knots]) for m in calm
    ]
    there = exact_world(weak, start, goal, calm)
    blown = exact_world(weak, start, (goal[0] + wind[0], goal[1] + wind[1]), windy)
    assert outcome(blown) == (there.x + wind[0], there.y + wind[1], there.time, there.sides, there.stuck)


@settings(max_examples=cases(200))
@given(boxes, vectors, vectors, st.lists(bent, min_size=1, max_size=3), st.integers(1, 12))
def test_a_knot_on_a_straight_part_of_a_path_changes_nothing(
    weak: ExactBox, start: Vector, goal: Vector, mighties: list[ExactMighty], part: int
) -> None:
    knots = list(mighties[0].knots)
    first, second = knots[0], knots[1]
    time = second.time * Fraction(part, 13)
    share = time / second.time
    middle = Knot(time, first.x + (second.x - first.x) * share, first.y + (second.y - first.y) * share)
    more = [replace(mighties[0], motion=[first, middle, *knots[1:]]), *mighties[1:]]
    assert exact_world(weak, start, goal, more) == exact_world(weak, start, goal, mighties)


@settings(max_examples=cases(300))
@given(boxes, vectors, vectors, bent, st.lists(bent, max_size=2))
def test_a_body_cut_in_two_acts_as_one(
    weak: ExactBox, start: Vector, goal: Vector, mighty: ExactMighty, others: list[ExactMighty]
) -> None:
    # A passable cut would let W in, and a sticky half would let go of W at the cut.
    whole = replace(mighty, sticky=NONE, passable=NONE)
    half = ExactBox(whole.box.half_width / 2, whole.box.half_height)
    parts = [
        replace(whole, box=half, motion=[Knot(k.time, k.x + side * half.half_width, k.y) for k in whole.knots])
        for side in (-1, 1)
    ]
    one = exact_world(weak, start, goal, [whole, *others])
    assume(not one.overlapped and not one.stuck)
    assert exact_world(weak, start, goal, [*parts, *others]) == one


# The simulation in tiny steps: floats, no events, no closed form.


class Simulation:
    """Move W by its velocity in steps, then move it out of overlapping bodies, the mightiest last."""

    def __init__(self, weak: ExactBox, start: Vector, goal: Vector, mighties: list[ExactMighty]) -> None:
        self.mighties = mighties
        self.reach = [
            (float(m.box.half_width + weak.half_width), float(m.box.half_height + weak.half_height)) for m in mighties
        ]
        self.order = sorted(range(len(mighties)), key=lambda i: (mighties[i].might, -i))
        self.place = [float(start[0]), float(start[1])]
        self.own = [float(goal[0] - start[0]), float(goal[1] - start[1])]
        # For each body, the face by which W was moved out in the last step; and the bodies that let W in.
        self.on: dict[int, int] = {}
        self.let_in: set[int] = set()

    def run(self, steps: int) -> tuple[float, float]:
        knots = [[(float(k.time), float(k.x), float(k.y)) for k in m.knots] for m in self.mighties]
        before = [self.where(path, 0.0) for path in knots]
        for number in range(1, steps + 1):
            after = [self.where(path, number / steps) for path in knots]
            self.step(before, after, 1 / steps)
            before = after
        return (self.place[0], self.place[1])

    @staticmethod
    def where(path: list[tuple[float, float, float]], time: float) -> tuple[float, float]:
        for (t0, x0, y0), (t1, x1, y1) in pairwise(path):
            if time <= t1:
                part = (time - t0) / (t1 - t0)
                return (x0 + (x1 - x0) * part, y0 + (y1 - y0) * part)
        raise AssertionError("paths end at time 1")

    def step(self, before: list[tuple[float, float]], after: list[tuple[float, float]], duration: float) -> None:
        old = list(self.place)
        for axis in (0, 1):
            across = (BOTTOM | TOP, LEFT | RIGHT)[axis]
            carriers = [i for i, face in self.on.items() if face & across and face & self.mighties[i].carrying]
            self.place[axis] += self.own[axis] * duration
            if carriers:
                carrier = min(carriers, key=lambda i: (-self.mighties[i].might, i))
                self.place[axis] += after[carrier][axis] - before[carrier][axis]
        faces = {}
        for _ in range(3):
            is_free = True
            for i in self.order:
                if max(self.gaps(i, self.place, after[i])) >= -1e-12:
                    self.let_in.discard(i)
                elif i not in self.let_in:
                    face = self.entered_by(i, old, before[i], after[i])
                    if face & self.mighties[i].passable:
                        self.let_in.add(i)
                    else:
                        faces[i], is_free = face, False
                        axis = 0 if face & (LEFT | RIGHT) else 1
                        sign = 1 if face & (RIGHT | TOP) else -1
                        self.place[axis] = after[i][axis] + sign * self.reach[i][axis]
            if is_free:
                break
        self.on = {i: face for i, face in faces.items() if max(self.gaps(i, self.place, after[i])) > -1e-9}

    def gaps(self, i: int, place: list[float], body: tuple[float, float]) -> tuple[float, float]:
        width, height = self.reach[i]
        return (abs(place[0] - body[0]) - width, abs(place[1] - body[1]) - height)

    def entered_by(self, i: int, old: list[float], before: tuple[float, float], after: tuple[float, float]) -> int:
        """Return the face on the axis that overlapped last."""
        gaps = self.gaps(i, old, before)
        moves = [(self.place[axis] - after[axis]) - (old[axis] - before[axis]) or math.inf for axis in (0, 1)]
        axis = max((0, 1), key=lambda axis: gaps[axis] / abs(moves[axis]))
        towards = old[axis] - before[axis]
        return ((LEFT, RIGHT), (BOTTOM, TOP))[axis][towards > 0]


def compare_with_tiny_steps(
    weak: ExactBox, start: Vector, goal: Vector, mighties: list[ExactMighty]
) -> ExactStep | None:
    """Return None if W is stuck, or if halving the step still moves the end: then the step is too coarse."""
    exact = exact_world(weak, start, goal, mighties)
    coarse, fine = (Simulation(weak, start, goal, mighties).run(steps) for steps in (400, 800))
    if exact.stuck or math.dist(coarse, fine) > TOLERANCE / 2:
        return None
    assert math.dist(fine, (exact.x, exact.y)) < TOLERANCE, (weak, start, goal, mighties, exact, fine)
    return exact


# Relative motion is at most 36 units in a third of a frame: some 0.1 per step. Most cases are far slower.
TOLERANCE = 0.2


@pytest.mark.parametrize("seed", some(range(3)))
@pytest.mark.parametrize("count", [1, 2, 3])
def test_tiny_steps_approach_the_oracle(count: int, seed: int) -> None:
    numbers = random.Random(10 * seed + count)
    touched = 0
    for _ in range(60):
        weak = ExactBox(abs(generic(numbers, 1)) + 1, abs(generic(numbers, 1)) + 1)
        start, goal = ((generic(numbers, 6), generic(numbers, 6)) for _ in range(2))
        mighties = [replace(generic_mighty(numbers, bends=numbers.randint(0, 1)), sticky=NONE) for _ in range(count)]
        if not any(overlap(weak, start, mighty, mighty.knots[0]) for mighty in mighties):
            exact = compare_with_tiny_steps(weak, start, goal, mighties)
            touched += exact is not None and exact.time is not None
    assert touched > 13


@pytest.mark.parametrize("seed", some(range(3)))
def test_tiny_steps_approach_the_oracle_round_corners(seed: int) -> None:
    # W starts on the top of a fast body, near its front end.
    numbers = random.Random(10 * seed + 4)
    cornered = 0
    for _ in range(50):
        mighty = replace(generic_mighty(numbers), sticky=NONE, passable=NONE, carrying=TOP | RIGHT)
        (_, x, y), _ = mighty.knots
        end = (x + 8 + generic(numbers, 4), y + generic(numbers, 4))
        mighty = replace(mighty, motion=ExactMotion((x, y), end))
        start = (x + mighty.box.half_width, y + mighty.box.half_height + 1)
        goal = (start[0] + 4 + generic(numbers, 4), start[1] + generic(numbers, 4))
        exact = compare_with_tiny_steps(UNIT, start, goal, [mighty])
        cornered += exact is not None and exact.sides == BOTTOM | LEFT
    assert cornered > 10
