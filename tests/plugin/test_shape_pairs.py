"""Pairs of shapes of fast bodies, and how their hits end, against loops in Python that follow the rules one by one."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import impinge as im
from impinge.fast_bodies import BodyFacts, FastBodies, MemberTraits, ShapeMarks, movers_of
from impinge.kernels.pair.solids import packed
from impinge.meetings import (
    GOES_ON,
    HAS_ARRIVED,
    IS_ELSEWHERE,
    IS_LEFT,
    IS_OVER,
    MAY_LAST,
    Meetings,
    PartRows,
    SentBodies,
    SweptPart,
)
from scale import some

DT = 0.1
NO_PAIRS = np.empty((0, 2), np.int64)


def part(thickness: float) -> SweptPart:
    return SweptPart(im.Circle(1), im.Circle(0.9), (thickness, 0.1, 1.0, 0.0))


class Crowd(NamedTuple):
    """Bodies with one to three shapes each, of random filters."""

    fast: FastBodies
    figures: NDArray[np.float64]
    owners: NDArray[np.int64]
    shapes: list[list[int]]
    parts: PartRows
    thickness: list[float]
    facts: BodyFacts
    is_soft: NDArray[np.int64]


def crowd(rng: np.random.Generator) -> Crowd:
    total = int(rng.integers(4, 20))
    owners = np.repeat(np.arange(total), rng.integers(1, 4, total))
    sizes = np.column_stack([rng.uniform(0.1, 3, total), np.zeros(total), np.full(total, 2.0)])
    fast = FastBodies(sizes, np.full((len(owners), 5), 0.5), owners)
    figures = rng.uniform(-4, 4, (total, 6)) * (1, 1, 1, 10, 10, 1)
    thickness = [0.5, 1.0, 2.0]
    filters = np.column_stack([rng.choice([0, 0, 0, 1, 2], len(owners)), rng.integers(1, 4, (len(owners), 2))])
    kinds = np.column_stack([rng.random(len(owners)) < 0.2, rng.choice([-1, 0, 0, 1, 1, 2, 2], len(owners))])
    shapes = np.hstack([filters, kinds]).tolist()
    states, numbers = rng.integers(0, (3, 2), (total, 2)), rng.integers(0, 2, (total, 3)).astype(float)
    facts = BodyFacts(states, numbers, *(rng.random((2, total)) < 0.5))
    return Crowd(
        fast, figures, owners, shapes, PartRows(map(part, thickness)), thickness, facts, rng.integers(0, 2, total)
    )


def expected_pairs(
    made: Crowd, near: list[list[int]], mates: list[list[int]], left: set[tuple[int, int]]
) -> list[tuple[Any, ...]]:
    """Return the pairs by the rules: shape and body of both sides, whether it is sensed, and whether it is calm."""
    rows, times = made.fast.rows().tolist(), made.fast.times().tolist()
    shapes_of = [[*np.flatnonzero(made.owners == row)] for row in range(len(made.figures))]
    asked = [
        (shape, other, False)
        for number in range(len(rows))
        for shape in shapes_of[rows[number]]
        for fast, other in near
        if fast == number
    ]
    for one, another in mates:
        ways = [made.figures[rows[each], 3:5] * times[each] for each in (one, another)]
        limit = min(made.fast.sizes[rows[each], 0] for each in (one, another))
        is_calm = math.dist(*ways) <= limit
        asked += [(a, b, is_calm) for a in shapes_of[rows[one]] for b in shapes_of[rows[another]]]
    pairs = []
    for shape, other, is_calm in asked:
        (group, category, mask, sensor, own), (its_group, its_category, its_mask, its_sensor, its) = (
            made.shapes[each] for each in (shape, other)
        )
        body, met = made.owners[shape], made.owners[other]
        if (group and group == its_group) or not category & its_mask or not its_category & mask:
            continue
        if (made.is_soft[body] and made.is_soft[met]) or (shape, other) in left or own < 0 or its < 0:
            continue
        may, may_other = made.facts.may_stop[[body, met]]
        if not (may or may_other):
            continue
        is_swept = met in rows and made.facts.states[met, 1] == 0
        is_turned = not may or (is_swept and may_other and made.thickness[its] < made.thickness[own])
        ends = ((other, met), (shape, body)) if is_turned else ((shape, body), (other, met))
        pairs.append((*ends, bool(sensor or its_sensor), is_calm))
    return pairs


@pytest.mark.parametrize("seed", some(range(60), least=15))
def test_pairs_of_shapes_follow_filters_thickness_and_what_may_stop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    made = crowd(rng)
    made.fast.find(made.figures, DT, {})
    near, mates = (pairs.copy() for pairs in made.fast.pairs(made.figures))
    total = len(made.owners)
    left = NO_PAIRS if seed % 3 else np.ascontiguousarray(np.argwhere(rng.random((total, total)) < 0.5))
    members, is_near = made.fast.members((near, mates), left=left)
    rows = members.bodies
    assert len({*rows.tolist()}) == len(rows)
    assert rows[: is_near.sum()].tolist() == made.fast.rows()[is_near].tolist()

    facts = BodyFacts(*(column[rows] for column in made.facts))
    movers = movers_of(made.figures, rows, facts, np.full(len(rows), DT), int(is_near.sum()))
    shapes = np.array([made.shapes[shape] for shape in members.shapes.tolist()], np.int64).reshape(-1, 5)
    traits = MemberTraits(movers, made.is_soft[rows], shapes, left)
    found = made.fast.shape_pairs(made.figures, (near, mates), members, traits, made.parts)
    told = [
        ((one, rows[pair[0]]), (other, rows[pair[2]]), bool(pair[4]), bool(pair[5]))
        for (one, other), pair in zip(found.shapes.tolist(), found.pairs.tolist(), strict=True)
    ]
    assert told == expected_pairs(made, near.tolist(), mates.tolist(), {*map(tuple, left.tolist())})
    assert found.pairs[:, [1, 3]].tolist() == [
        [made.shapes[shape][4], made.shapes[other][4]] for shape, other in found.shapes.tolist()
    ]


def test_more_pairs_of_shapes_than_there_is_room_for_are_all_found() -> None:
    """Two bodies of 30 shapes each are one pair of bodies."""
    fast = FastBodies([(0.0, 0.0, 1.0)] * 2, np.zeros((60, 5)), np.repeat([0, 1], 30))
    figures = np.zeros((2, 6))
    figures[:, 3] = 1, 2
    fast.find(figures, DT, {})
    near = fast.pairs(figures)
    members, _ = fast.members(near)
    facts = BodyFacts(np.zeros((2, 2), np.int64), np.zeros((2, 3)), *np.ones((2, 2), np.bool_))
    movers = movers_of(figures, members.bodies, facts, np.full(2, DT), 2)
    traits = MemberTraits(movers, np.zeros(2, np.int64), np.array([[0, 1, 1, 0, 0]] * 60), NO_PAIRS)
    found = fast.shape_pairs(figures, near, members, traits, PartRows([part(1.0)]))
    assert sorted(map(tuple, found.shapes.tolist())) == [(one, other) for one in range(30) for other in range(30, 60)]


def test_bodies_move_about_their_centres_of_gravity_unless_they_stand() -> None:
    """A quarter turn takes a centre that is 2 to the right of the place to 2 above it."""
    figures = np.array([(1.0, 1.0, 0.5 * math.pi, 10.0, 0.0, 1.0)] * 2)
    dynamic, static, asleep = (0, 0), (2, 0), (0, 1)
    numbers = np.array([(2.0, 0.0, 3.0), (2.0, 0.0, 4.0), (2.0, 0.0, 5.0)])
    may = np.array([True, False, True]), np.array([True, True, True])
    facts = BodyFacts(np.array([dynamic, static, asleep]), numbers, *may)
    moving, *standing = movers_of(figures, np.array([0, 1, 1]), facts, np.full(3, 0.5), 1).tolist()
    assert moving == pytest.approx([1, 3, 0.5 * math.pi, 6, 3, 0.5 * math.pi + 0.5, 0, 0, 3, 0, 0, 1, 1])
    still = [1, 3, 0.5 * math.pi, 1, 3, 0.5 * math.pi, 0, 0]
    assert standing == [pytest.approx([*still, 4, 1, 1, 0, 0]), pytest.approx([*still, 5, 0, 0, 0, 0])]


def test_a_shape_is_noticed_once_after_each_change_of_its_outline_or_of_its_bodys_centre() -> None:
    fast = FastBodies([(0.0, 0.0, 1.0)] * 2, np.zeros((2, 5)), [0, 1])
    figures = np.zeros((2, 6))
    figures[:, 3] = 1
    fast.find(figures, DT, {})
    members, _ = fast.members(fast.pairs(figures))
    marks, known, centers = ShapeMarks(2), np.zeros((2, 3)), np.zeros((2, 2))
    shapes = np.empty((2, 5), np.int64)
    assert marks.compare(members, centers, known, shapes) == [0, 1]
    for shape in range(2):
        marks.note(shape, 7 + shape)
    assert marks.compare(members, centers, known, shapes) == []
    assert shapes[:, 4].tolist() == [7 + shape for shape in members.shapes.tolist()]
    known[1, 2] = 0.5
    assert marks.compare(members, centers, known, shapes) == [1]
    centers[0, 1] = 0.5
    assert marks.compare(members, centers, known, shapes) == [0]
    assert marks.compare(members, centers, known, shapes) == []
    # Chipmunk's centre of a polygon without extent is no number.
    known[0, 1] = math.nan
    assert marks.compare(members, centers, known, shapes) == [0]
    assert marks.compare(members, centers, known, shapes) == []
    assert ShapeMarks(2).compare(members, centers, np.full((2, 3), math.nan), shapes) == [0, 1]


def test_numbers_of_parts_are_used_again_and_their_rows_stay_together() -> None:
    rng = np.random.default_rng(1)
    rows, there = PartRows(), dict[int, SweptPart]()
    for _ in range(400):
        if there and rng.random() < 0.45:
            number = int(rng.choice([*there]))
            rows.remove(number)
            del there[number]
        else:
            points = [(math.cos(angle), math.sin(angle)) for angle in np.linspace(0, 6, int(rng.integers(3, 9)))]
            solid = im.Polygon(points, radius=float(rng.uniform(0, 1)))
            added = SweptPart(solid, solid, tuple(rng.uniform(1, 2, 4)))
            number = rows.add(added)
            assert number not in there
            there[number] = added
        data, firsts = rows.arrays
        for number, each in there.items():
            begin, core, solid, end = firsts[number].tolist()
            together, (first, second, last) = packed([each.core, each.solid])
            assert data[begin:core].tolist() == [*each.traits]
            assert (solid - core, end - solid) == (second - first, last - second)
            # Rows refer to their columns in the whole array.
            moved = data[core:end] - together
            assert set(moved.tolist()) == {0.0, core}
    assert len(rows.arrays.rows) <= 2 * (sum(each.columns for each in there.values()) + 200)


# ---------------------------------------------------------------- after the step

STILL, WALL = (
    (7.0, 0.0, 0.0, 7.0, 0.0, 0.0, 0.0, 0.0),
    SweptPart(im.Box(1, 40), im.Box(1, 40), (0.5, 0.0, 20.01, 20.01)),
)
BALL = SweptPart(im.Circle(1), im.Circle(1), (1.0, 0.0, 1.0, 0.0))
NO_CENTERS = np.zeros((2, 2))
AWAKE, ASLEEP, KINEMATIC = (0, 0), (0, 1), (1, 0)


def ball_at_wall(*, is_sensed: bool = False) -> Meetings:
    """Return the meeting of a ball that moves by 10 and a wall 6.5 away, which stops it after 5.5."""
    way = (0.0, 0.0, 0.0, 10.0, 0.0, 0.0, 0.0, 0.0)
    meetings = Meetings(
        [(*way, 1.0, 0, 0, 1, 0), (*STILL, 1.0, 1, 1, 0, 0)], PartRows([BALL, WALL]), [(0, 0, 1, 1, is_sensed, 0)]
    )
    meetings.settle(0.5)
    return meetings


def arrived(
    meetings: Meetings, after: NDArray[np.float64], state: tuple[int, int] = AWAKE, way: float = 1.0
) -> tuple[list[int], int]:
    """Return which bodies have arrived, and how many go on; the ball may be 0.1 from its stop, for a way of 1."""
    sent = SentBodies(np.array([0]), np.array([state]), np.array([(way, 0.0, 1.5)]))
    arrivals, count = meetings.arrivals(after, NO_CENTERS, sent, (0.075, 0.025))
    return arrivals.tolist(), count


def ends_of(meetings: Meetings, after: NDArray[np.float64]) -> list[int]:
    """Return how the hits ended."""
    arrivals, _ = arrived(meetings, after)
    ends, lasting, left = meetings.ends(meetings.hit_rows().hits, after, NO_CENTERS, np.array(arrivals))
    assert (lasting, left) == ((ends == MAY_LAST).sum(), (ends == IS_LEFT).sum())
    told: list[int] = ends.tolist()
    return told


def after_step(meetings: Meetings, velocity: tuple[float, float], spin: float = 0.0) -> NDArray[np.float64]:
    """Return both bodies after the step, in which the ball came to its stop."""
    return np.array([(*meetings.stands()[0], *velocity, spin), (7.0, 0.0, 0.0, 0.0, 0.0, 0.0)])


@pytest.mark.parametrize(
    ("velocity", "wall_speed", "end"),
    [
        ((-100.0, 0.0), 0.0, IS_LEFT),
        ((50.0, 0.0), 100.0, IS_OVER),  # the wall moves away, but it may stop
        ((100.0, 0.0), 0.0, MAY_LAST),
        ((0.0, 30.0), 0.0, MAY_LAST),
    ],
)
def test_a_hit_is_over_once_the_bodies_separate(velocity: tuple[float, float], wall_speed: float, end: int) -> None:
    meetings = ball_at_wall()
    after = after_step(meetings, velocity)
    after[1, 3] = wall_speed
    assert arrived(meetings, after) == ([GOES_ON, IS_ELSEWHERE], 1)
    assert ends_of(meetings, after) == [end]


def test_a_sensed_hit_may_last_whatever_the_bodies_do() -> None:
    meetings = ball_at_wall(is_sensed=True)
    after = after_step(meetings, (-100.0, 0.0))
    assert ends_of(meetings, after) == [MAY_LAST]


def test_a_ball_that_was_pushed_back_into_the_wall_may_hit_it_again() -> None:
    meetings = ball_at_wall()
    after = after_step(meetings, (-100.0, 0.0))
    after[0, 0] += 0.05
    assert ends_of(meetings, after) == [IS_OVER]


def test_a_body_that_the_game_has_moved_does_not_go_on() -> None:
    meetings = ball_at_wall()
    after = after_step(meetings, (-100.0, 0.0))
    for state, way, moved, velocity, arrival in (
        (AWAKE, 1.0, 0.09, -100.0, GOES_ON),
        (AWAKE, 1.0, 0.11, -100.0, IS_ELSEWHERE),
        (ASLEEP, 1.0, 0.0, -100.0, IS_ELSEWHERE),
        (KINEMATIC, 1.0, 0.0, -100.0, IS_ELSEWHERE),
        (AWAKE, 1.0, 0.0, math.nan, HAS_ARRIVED),
        # A body without extent may go any way without a sweep, but not from its stop.
        (AWAKE, math.inf, 0.02, -100.0, GOES_ON),
        (AWAKE, math.inf, 0.09, -100.0, IS_ELSEWHERE),
    ):
        now = after.copy()
        now[0, 1], now[0, 3] = moved, velocity
        assert arrived(meetings, now, state, way) == ([arrival, IS_ELSEWHERE], arrival == GOES_ON)
        if (arrival, state, way) == (IS_ELSEWHERE, AWAKE, 1.0):
            assert ends_of(meetings, now) == [IS_OVER]


def test_the_rest_of_a_motion_begins_at_the_impact_and_has_the_new_velocity() -> None:
    """The ball hits the wall after 0.55 of its 0.1 s, and flies back at 100 for 0.045 s."""
    meetings = ball_at_wall()
    after = after_step(meetings, (-100.0, 20.0), spin=2.0)
    times, places = np.full(2, DT), np.array([0])
    rests = meetings.rests(after, NO_CENTERS, times, DT, np.array([(1.0, 0.0, 1.5)]), places)
    assert rests.times() == pytest.approx([0.045], abs=1e-6)
    assert rests.courses()[0] == pytest.approx([5.5, 0, 0, 1, 0.9, 0.09], abs=1e-4)
    assert rests.bounds()[0] == pytest.approx([-0.5, -1.5, 7, 2.4], abs=1e-4)


def test_the_debt_of_a_body_that_moves_with_a_wall_counts_from_the_wall() -> None:
    """A ball waits at a wall, both move by 100 a second, and it is late by a step.

    At the end of the step it is still beside the wall, and has nothing left to do. It was about to move by 10 more, hit
    the wall at once, and was late by a step again, for ever.
    """
    for wall, way in ((10.0, 0.0), (0.0, 20.0)):
        face = (1.5, 0.0, 0.0, 1.5 + wall, 0.0, 0.0, 0.0, 0.0)
        movers = [(0.0, 0.0, 0.0, 20.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0, 0, 1, 0), (*face, 1.0, 1, 1, 0, 0)]
        meetings = Meetings(movers, PartRows([BALL, WALL]), [(0, 0, 1, 1, 0, 0)])
        meetings.settle(0.5)
        assert meetings.stopped() == pytest.approx([0, 1], abs=1e-4)
        after = np.array([[wall, 0, 0, 100, 0, 0], [1.5 + wall, 0, 0, 10 * wall, 0, 0]])
        times, places = np.array([2 * DT, DT]), np.array([0])
        rests = meetings.rests(after, NO_CENTERS, times, DT, np.array([(1.0, 0.0, 1.5)]), places)
        assert rests.courses()[0] == pytest.approx([wall, 0, 0, wall + way, 0, 0], abs=1e-3)


def test_bodies_are_sent_that_were_stopped_or_have_more_time_than_the_step() -> None:
    far = (0.0, 90.0, 0.0, 0.0, 90.0, 0.0, 0.0, 0.0)
    movers = [
        (*far, 1.0, 0, 0, 0, 0),
        (0.0, 0.0, 0.0, 10.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0, 0, 1, 0),
        (*STILL, 1.0, 1, 1, 0, 0),
        (*far, 1.0, 0, 0, 0, 0),
        (*far, 1.0, 1, 1, 0, 0),
    ]
    meetings = Meetings(movers, PartRows([BALL, WALL]), [(1, 0, 2, 1, 0, 0)])
    meetings.settle(0.5)
    times = np.array([DT, DT, DT, 2 * DT, 2 * DT])
    # Neither the one that nothing moves further, nor the fixed one that has time left.
    assert meetings.sent(times, DT, np.array([-1, 1, 0, 2, 3])).tolist() == [1, 3]
    assert meetings.sent(times, DT, np.array([-1, 1, 2, 0, -1])).tolist() == [3, 1]
    assert meetings.sent(times, DT, np.array([-1, 1, 0, -1, -1])).tolist() == [1, 3]


@pytest.mark.parametrize(
    ("gravity", "velocity", "wall", "fall"),
    [
        ((90.0, 40.0), (0.0, 5.0), 0.0, (0.0, 40.0)),  # it rests on the wall
        ((-90.0, 40.0), (0.0, 5.0), 0.0, (0.0, 40.0)),
        ((90.0, 40.0), (-10.0, 5.0), 0.0, (90.0, 40.0)),  # it bounces by more than gravity adds in a step, which is 9
        ((90.0, 40.0), (-8.0, 5.0), 0.0, (0.0, 40.0)),
        ((90.0, 40.0), (52.0, 5.0), 60.0, (0.0, 40.0)),  # it rests on a wall that moves away
    ],
)
def test_a_wall_takes_the_gravity_along_its_normal_from_a_body_that_rests_on_it(
    gravity: tuple[float, float], velocity: tuple[float, float], wall: float, fall: tuple[float, float]
) -> None:
    meetings = ball_at_wall()
    hits, velocities = meetings.hit_rows().hits, np.array([(100.0, 0.0, 0.0), (wall, 0.0, 0.0)])
    falls = meetings.falls(hits, velocities, after_step(meetings, velocity), gravity, DT)
    # The wall, which nothing stopped, is not asked about.
    assert falls.tolist() == [pytest.approx(fall), list(gravity)]


def test_a_wall_that_turns_takes_the_gravity_of_a_body_that_moves_with_it() -> None:
    """The ball is 1.5 to the left of the wall's centre, and 3 above it: there a turn moves the wall to the left."""
    meetings = Meetings(
        [
            (0.0, 3.0, 0.0, 10.0, 3.0, 0.0, 0.0, 0.0, 1.0, 0, 0, 1, 0),
            (*STILL, 1.0, 1, 1, 0, 0),
        ],
        PartRows([BALL, WALL]),
        [(0, 0, 1, 1, 0, 0)],
    )
    meetings.settle(0.5)
    for speed, fall in ((-30.0, 0.0), (-20.0, 90.0), (-40.0, 90.0)):
        after = np.array([(*meetings.stands()[0], speed, 0.0, 0.0), (7.0, 0.0, 0.0, 0.0, 0.0, 0.0)])
        velocities = np.array([(100.0, 0.0, 0.0), (0.0, 0.0, 10.0)])
        falls = meetings.falls(meetings.hit_rows().hits, velocities, after, (90.0, 0.0), DT)
        assert falls[0].tolist() == pytest.approx([fall, 0.0])


def test_a_light_body_takes_no_gravity_from_another_one() -> None:
    still = (*STILL, 1.0, 0, 0, 0, 0)
    meetings = Meetings(
        [(0, 0, 0, 10, 0, 0, 0, 0, 1.0, 0, 0, 1, 0), still], PartRows([BALL, WALL]), [(0, 0, 1, 1, 0, 0)]
    )
    meetings.settle(0.5)
    falls = meetings.falls(
        meetings.hit_rows().hits, np.zeros((2, 3)), after_step(meetings, (0.0, 0.0)), (90.0, 0.0), DT
    )
    assert falls.tolist() == [[90.0, 0.0], [90.0, 0.0]]
