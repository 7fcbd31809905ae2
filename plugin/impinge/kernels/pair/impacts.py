"""Entry points for two moving solids: the time of impact during a frame, and its points, normal and features.

A motion is a row: x, y and angle at the start, the same at the end, and the acceleration in x and y.
"""

from __future__ import annotations

import math

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import (
    Bools,
    Course,
    Floats,
    Ints,
    Mover,
    MovingPair,
    MovingSolids,
    Part,
    Vector,
)
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.advancement import FOUND_LEVEL, FOUND_NOTHING, NEARNESS, STRIKE, advance
from impinge.kernels.pair.cast import IN_OVERLAP, NEVER, cast_solids
from impinge.kernels.pair.depth import length_of
from impinge.kernels.pair.impact_features import offset_at, write_impact_features
from impinge.kernels.pair.manifold import measure
from impinge.kernels.pair.separation import NOISE_UNITS, solid_gap
from impinge.kernels.pair.solids import end_of, turn
from impinge.kernels.tolerances import ROUNDING, SLOP

# Relative margin of a bounding circle: more than the slop and more than rounding.
ROOM = 1e-8

# Largest distance of an accelerated path from the straight one, in the middle of the frame, in units of the
# acceleration.
BULGE = 0.125


@kernel(inline=False)
def turns(row: Floats, solid: int, motions: Floats, motion: int) -> bool:
    """Return whether the rotation of a solid matters: that of a circle around its place does not."""
    if motions[motion, col.MOTION_BEGIN_ANGLE] == motions[motion, col.MOTION_END_ANGLE]:
        return False
    if row[solid + col.PIECE_TOTAL] > 1.0 or row[solid + col.PIECES + col.POINT_TOTAL] > 1.0:
        return True
    point = int(row[solid + col.PIECES + col.FIRST_POINT])
    return row[point + col.POINT] != 0.0 or row[point + col.POINT + 1] != 0.0


@kernel()
def set_circle(row: Floats, solid: int, motions: Floats, motion: int, circles: Floats) -> None:
    """Write the moving circle that contains a solid during its motion."""
    far = 0.0
    for axis in range(2):
        begin, end = motions[motion, col.MOTION_BEGIN + axis], motions[motion, col.MOTION_END + axis]
        circles[motion, col.CIRCLE_START + axis], circles[motion, col.CIRCLE_WAY + axis] = begin, end - begin
        far += abs(begin) + abs(end)
    bulge = BULGE * length_of(motions[motion, col.MOTION_PULL], motions[motion, col.MOTION_PULL + 1])
    circles[motion, col.CIRCLE_REACH] = (1.0 + ROOM) * row[solid + col.FARTHEST] + bulge + 2.0 * ROUNDING * far


@kernel()
def circles_miss(circles: Floats, one: int, other: int) -> bool:
    """Return whether two moving circles never meet."""
    dx = circles[other, col.CIRCLE_START] - circles[one, col.CIRCLE_START]
    dy = circles[other, col.CIRCLE_START + 1] - circles[one, col.CIRCLE_START + 1]
    vx = circles[other, col.CIRCLE_WAY] - circles[one, col.CIRCLE_WAY]
    vy = circles[other, col.CIRCLE_WAY + 1] - circles[one, col.CIRCLE_WAY + 1]
    reach = circles[other, col.CIRCLE_REACH] + circles[one, col.CIRCLE_REACH]
    along, squared = -(dx * vx + dy * vy), vx * vx + vy * vy
    if along <= 0.0:
        return dx * dx + dy * dy > reach * reach
    if along >= squared:
        ex, ey = dx + vx, dy + vy
        return ex * ex + ey * ey > reach * reach
    return abs(dx * vy - dy * vx) > reach * math.sqrt(squared)


@kernel()
def place_at(motions: Floats, motion: int, axis: int, time: float) -> float:
    """Return a coordinate of a motion at a time."""
    begin, end = motions[motion, col.MOTION_BEGIN + axis], motions[motion, col.MOTION_END + axis]
    return begin + (end - begin) * time - 0.5 * time * (1.0 - time) * motions[motion, col.MOTION_PULL + axis]


@kernel(inline=False)
def set_course(pair: MovingPair, motions: Floats) -> None:
    """Write the motion of B relative to A."""
    a, b, course = pair.a.rows, pair.b.rows, pair.course
    solid_a, solid_b, one, other = pair.a.at, pair.b.at, pair.a.motion, pair.b.motion
    for axis in range(2):
        pull = motions[other, col.MOTION_PULL + axis] - motions[one, col.MOTION_PULL + axis]
        start = motions[other, col.MOTION_BEGIN + axis] - motions[one, col.MOTION_BEGIN + axis]
        way = (motions[other, col.MOTION_END + axis] - motions[other, col.MOTION_BEGIN + axis]) - (
            motions[one, col.MOTION_END + axis] - motions[one, col.MOTION_BEGIN + axis]
        )
        course[col.COURSE_OFFSET + axis], course[col.COURSE_ACCELERATION + axis] = start, pull
        course[col.COURSE_VELOCITY + axis] = way - 0.5 * pull
    course[col.COURSE_ANGLE_A], course[col.COURSE_ANGLE_B] = (
        motions[one, col.MOTION_BEGIN_ANGLE],
        motions[other, col.MOTION_BEGIN_ANGLE],
    )
    course[col.COURSE_SPIN_A] = (
        motions[one, col.MOTION_END_ANGLE] - motions[one, col.MOTION_BEGIN_ANGLE]
        if turns(a, solid_a, motions, one)
        else 0.0
    )
    course[col.COURSE_SPIN_B] = (
        motions[other, col.MOTION_END_ANGLE] - motions[other, col.MOTION_BEGIN_ANGLE]
        if turns(b, solid_b, motions, other)
        else 0.0
    )
    pull_x, pull_y = course[col.COURSE_ACCELERATION], course[col.COURSE_ACCELERATION + 1]
    speed = length_of(course[col.COURSE_VELOCITY], course[col.COURSE_VELOCITY + 1])
    last_speed = length_of(course[col.COURSE_VELOCITY] + pull_x, course[col.COURSE_VELOCITY + 1] + pull_y)
    course[col.COURSE_FASTEST], course[col.COURSE_STRONGEST] = max(speed, last_speed), length_of(pull_x, pull_y)
    end_x = course[col.COURSE_OFFSET] + course[col.COURSE_VELOCITY] + 0.5 * pull_x
    end_y = course[col.COURSE_OFFSET + 1] + course[col.COURSE_VELOCITY + 1] + 0.5 * pull_y
    longest = max(length_of(course[col.COURSE_OFFSET], course[col.COURSE_OFFSET + 1]), length_of(end_x, end_y))
    course[col.COURSE_LONGEST] = longest + BULGE * course[col.COURSE_STRONGEST]
    course[col.COURSE_REACH_A], course[col.COURSE_REACH_B] = a[solid_a + col.FARTHEST], b[solid_b + col.FARTHEST]
    spinning = (
        abs(course[col.COURSE_SPIN_A]) * a[solid_a + col.FARTHEST]
        + abs(course[col.COURSE_SPIN_B]) * b[solid_b + col.FARTHEST]
    )
    course[col.COURSE_SURFACE] = course[col.COURSE_FASTEST] + spinning


@kernel(inline=False)
def slop_of_motions(pair: MovingPair, motions: Floats) -> float:
    """Return the distance up to which two solids touch during the frame."""
    a, b = pair.a, pair.b
    farthest = 0.0
    for column in (col.MOTION_BEGIN, col.MOTION_BEGIN + 1, col.MOTION_END, col.MOTION_END + 1):
        farthest = max(farthest, abs(motions[a.motion, column]) + a.rows[a.at + col.FARTHEST])
        farthest = max(farthest, abs(motions[b.motion, column]) + b.rows[b.at + col.FARTHEST])
    return SLOP * min(a.rows[a.at + col.EXTENT], b.rows[b.at + col.EXTENT]) + ROUNDING * farthest


@kernel()
def set_margin(course: Floats, slop: float) -> None:
    """Write the rounding error of distances along a course, and the distance that counts as touching."""
    reach = course[col.COURSE_REACH_A] + course[col.COURSE_REACH_B]
    course[col.COURSE_NOISE] = NOISE_UNITS * (
        reach + abs(course[col.COURSE_OFFSET]) + abs(course[col.COURSE_OFFSET + 1]) + course[col.COURSE_FASTEST]
    )
    course[col.COURSE_MARGIN] = slop + course[col.COURSE_NOISE]


@kernel(inline=False)
def window(course: Floats, reach: float) -> tuple[float, float]:
    """Return when a point on a straight path is within a reach of the origin, from when to when; it must come there."""
    dx, dy, vx, vy = (
        course[col.COURSE_OFFSET],
        course[col.COURSE_OFFSET + 1],
        course[col.COURSE_VELOCITY],
        course[col.COURSE_VELOCITY + 1],
    )
    speed = math.sqrt(vx * vx + vy * vy)
    if speed == 0.0:
        return 0.0, 1.0
    ux, uy = vx / speed, vy / speed
    left, along = ux * dy - uy * dx, -(ux * dx + uy * dy)
    half = math.sqrt(max((reach - left) * (reach + left), 0.0))
    begin = min(max((along - half) / speed, 0.0), 1.0)
    return begin, max(min((along + half) / speed, 1.0), begin)


@kernel(inline=False)
def overlap_at_start(
    a: Part, b: Part, offset: Vector, slop: float, measured: Floats, answers: Floats, answer: int
) -> None:
    """Write the impact of two posed solids that overlap at the start of the frame, relative to A's place."""
    measure(a.rows, a.at, b.rows, b.at, offset, slop, measured)
    at = col.MEASURED
    answers[answer, col.IMPACT_TIME], answers[answer, col.IMPACT_OVERLAPPING] = 0.0, 1.0
    answers[answer, col.IMPACT_NORMAL], answers[answer, col.IMPACT_NORMAL + 1] = (
        measured[at, col.CONTACT_NORMAL],
        measured[at, col.CONTACT_NORMAL + 1],
    )
    answers[answer, col.IMPACT_POINT_COUNT] = measured[at, col.CONTACT_POINT_COUNT]
    answers[answer, col.IMPACT_FEATURES] = answers[answer, col.IMPACT_FEATURES + col.FEATURE_COLUMNS] = col.FEATURE_NONE
    for column in range(4):
        answers[answer, col.IMPACT_POINTS + column] = measured[at, col.CONTACT_POINTS + column]


@kernel()
def write_impact(
    time: float, is_overlap: bool, normal: Vector, piece_a: int, piece_b: int, answers: Floats, answer: int
) -> None:
    """Write the impact of two pieces, counted from their solids: its time and normal; a normal of zero is unknown."""
    answers[answer, col.IMPACT_TIME], answers[answer, col.IMPACT_OVERLAPPING] = time, 1.0 if is_overlap else 0.0
    answers[answer, col.IMPACT_NORMAL], answers[answer, col.IMPACT_NORMAL + 1] = normal
    answers[answer, col.IMPACT_PIECE_A], answers[answer, col.IMPACT_PIECE_B] = piece_a, piece_b


@kernel(inline=False)
def straight_impact(
    a: Mover, b: Mover, motions: Floats, slop: float, stack: Ints, answers: Floats, answer: int
) -> None:
    """Find the time of impact of two posed solids that move straight without rotation, and the pieces that strike.

    `finish_impact` adds the points and features.
    """
    one, other = a.motion, b.motion
    dx = motions[other, col.MOTION_BEGIN] - motions[one, col.MOTION_BEGIN]
    dy = motions[other, col.MOTION_BEGIN + 1] - motions[one, col.MOTION_BEGIN + 1]
    vx = (motions[other, col.MOTION_END] - motions[other, col.MOTION_BEGIN]) - (
        motions[one, col.MOTION_END] - motions[one, col.MOTION_BEGIN]
    )
    vy = (motions[other, col.MOTION_END + 1] - motions[other, col.MOTION_BEGIN + 1]) - (
        motions[one, col.MOTION_END + 1] - motions[one, col.MOTION_BEGIN + 1]
    )
    noise = NOISE_UNITS * (
        a.standing[a.at + col.FARTHEST] + b.standing[b.at + col.FARTHEST] + abs(dx) + abs(dy) + abs(vx) + abs(vy)
    )
    length = math.sqrt(vx * vx + vy * vy)
    if length <= slop + noise:
        # The path is too short to have a direction. But a body that creeps in by less than the slop a frame must not
        # end in an overlap, so compare the distances at both ends.
        gap, nx, ny, piece_a, piece_b = solid_gap(a.standing, a.at, b.standing, b.at, (dx, dy), noise)
        is_overlap = gap < -slop
        if not is_overlap:
            gap, _, _, _, _ = solid_gap(a.standing, a.at, b.standing, b.at, (dx + vx, dy + vy), noise)
            if gap >= -slop:
                return
        time = 0.0
    else:
        direction = vx / length, vy / length
        way, nx, ny, piece_a, piece_b = cast_solids(
            Part(a.standing, a.at), Part(b.standing, b.at), (dx, dy), direction, length, slop, noise, stack
        )
        if way == NEVER:
            return
        is_overlap = way == IN_OVERLAP
        time = 0.0 if is_overlap else min(way / length, 1.0)
    write_impact(time, is_overlap, (nx, ny), piece_a - a.at, piece_b - b.at, answers, answer)


@kernel(inline=False)
def bent_impact(pair: MovingPair, motions: Floats, slop: float, stack: Ints, answers: Floats, answer: int) -> None:
    """Find the time of impact of two solids, and the pieces that strike, if one solid turns or accelerates."""
    a, b, course, axis = pair.a, pair.b, pair.course, pair.axis
    set_course(pair, motions)
    set_margin(course, slop)
    course[col.COURSE_SUNK] = 0.0
    reach = a.rows[a.at + col.FARTHEST] + b.rows[b.at + col.FARTHEST]
    begin, end = 0.0, 1.0
    if course[col.COURSE_STRONGEST] == 0.0:
        reach += 2.0 * course[col.COURSE_MARGIN]
        begin, end = window(course, reach)
        course[col.COURSE_LONGEST] = min(course[col.COURSE_LONGEST], reach)
    status, time, piece_a, piece_b, steps = advance(pair, STRIKE, 0.0, begin, end, stack)
    answers[answer, col.IMPACT_ITERATIONS] = steps
    if status == FOUND_NOTHING:
        return
    is_overlap = status != FOUND_LEVEL
    nx, ny = 0.0, 0.0
    if not is_overlap and piece_a >= 0:
        angle = course[col.COURSE_ANGLE_A] + course[col.COURSE_SPIN_A] * time
        cos, sin = math.cos(angle), math.sin(angle)
        nx, ny = (
            cos * axis[col.AXIS_NORMAL] - sin * axis[col.AXIS_NORMAL + 1],
            sin * axis[col.AXIS_NORMAL] + cos * axis[col.AXIS_NORMAL + 1],
        )
    write_impact(time, is_overlap, (nx, ny), piece_a - a.at, piece_b - b.at, answers, answer)


@kernel(inline=False)
def write_pose_at(solid: Mover, motions: Floats, time: float, stands: Bools) -> None:
    """Write a solid posed for a time; `stands` tells whether a solid that does not turn is already written."""
    row, at, motion, end = solid.rows, solid.at, solid.motion, end_of(solid.rows, solid.at)
    if turns(row, at, motions, motion):
        spin = motions[motion, col.MOTION_END_ANGLE] - motions[motion, col.MOTION_BEGIN_ANGLE]
        turn(row, at, end, motions[motion, col.MOTION_BEGIN_ANGLE] + spin * time, solid.standing)
        stands[motion] = False
    elif not stands[motion]:
        turn(row, at, end, motions[motion, col.MOTION_BEGIN_ANGLE], solid.standing)
        stands[motion] = True


@kernel(inline=False)
def is_bent(a: Mover, b: Mover, motions: Floats) -> bool:
    """Return whether the path of B relative to A is no straight one without rotation."""
    return (
        motions[b.motion, col.MOTION_PULL] != motions[a.motion, col.MOTION_PULL]
        or motions[b.motion, col.MOTION_PULL + 1] != motions[a.motion, col.MOTION_PULL + 1]
        or turns(a.rows, a.at, motions, a.motion)
        or turns(b.rows, b.at, motions, b.motion)
    )


@kernel(inline=False)
def find_impact(pair: MovingPair, motions: Floats, stands: Bools, stack: Ints, answers: Floats, answer: int) -> None:
    """Write the time of impact of two solids, and the input of `finish_impact` for its points and features.

    Games ask for points and features of few pairs, and these take longer than the time.
    """
    a, b = pair.a, pair.b
    answers[answer, col.IMPACT_TIME], answers[answer, col.IMPACT_ITERATIONS] = math.nan, 0.0
    slop = slop_of_motions(pair, motions)
    if is_bent(a, b, motions):
        stands[b.motion] = False
        bent_impact(pair, motions, slop, stack, answers, answer)
        return
    write_pose_at(a, motions, 0.0, stands)
    write_pose_at(b, motions, 0.0, stands)
    straight_impact(a, b, motions, slop, stack, answers, answer)


@kernel(inline=False)
def finish_impact(
    pair: MovingPair, motions: Floats, stands: Bools, measured: Floats, answers: Floats, answer: int
) -> None:
    """Write the points, normal and features of two solids at the time that `find_impact` wrote, in the game's frame."""
    a, b, course = Part(pair.a.standing, pair.a.at), Part(pair.b.standing, pair.b.at), pair.course
    time = answers[answer, col.IMPACT_TIME]
    piece_a = a.at + int(answers[answer, col.IMPACT_PIECE_A])
    piece_b = b.at + int(answers[answer, col.IMPACT_PIECE_B])
    nx, ny = answers[answer, col.IMPACT_NORMAL], answers[answer, col.IMPACT_NORMAL + 1]
    write_pose_at(pair.a, motions, time, stands)
    write_pose_at(pair.b, motions, time, stands)
    set_course(pair, motions)
    slop = slop_of_motions(pair, motions)
    set_margin(course, slop)
    offset = offset_at(course, time)
    if answers[answer, col.IMPACT_OVERLAPPING] == 1.0:
        overlap_at_start(a, b, offset, slop, measured, answers, answer)
    else:
        if nx == 0.0 and ny == 0.0:
            # The advancement was cut short: the nearest pieces are as good as any.
            _, nx, ny, piece_a, piece_b = solid_gap(a.rows, a.at, b.rows, b.at, offset, course[col.COURSE_NOISE])
        write_impact_features(a, b, piece_a, piece_b, (nx, ny), course, answers, answer)
    for axis in range(2):
        place = place_at(motions, pair.a.motion, axis, time)
        answers[answer, col.IMPACT_POINTS + axis] += place
        answers[answer, col.IMPACT_POINTS + 2 + axis] += place


def _example_row() -> Floats:
    return np.zeros(col.PIECES + col.PIECE_COLUMNS)


def _pair_example() -> tuple[Floats, Course, Floats, Course]:
    return _example_row(), (0.0,) * col.MOTION_COLUMNS, _example_row(), (0.0,) * col.MOTION_COLUMNS


@kernel(inline=False, allocates=True)
def impact_of(a: Floats, b: Floats, motions: Floats, answers: Floats) -> None:
    """Write the impact of two solids, each with a row of its own, in the first row of the answers."""
    first, second = 0, 1
    pair = MovingPair(
        Mover(a, first, first, np.empty_like(a)),
        Mover(b, first, second, np.empty_like(b)),
        np.empty(col.COURSE_COLUMNS),
        np.empty(col.AXIS_COLUMNS),
    )
    stands, stack = np.zeros(2, np.bool_), np.empty((col.STACK_ROWS, 2), np.int64)
    find_impact(pair, motions, stands, stack, answers, first)
    if not math.isnan(answers[0, col.IMPACT_TIME]):
        measured = np.empty((col.MEASURED_ROWS, col.MEASURED_COLUMNS))
        finish_impact(pair, motions, stands, measured, answers, first)


@kernel(_pair_example)
def impact_pair(a: Floats, motion_a: Course, b: Floats, motion_b: Course) -> Course:
    """Return the impact of two solids, each given by its row and its motion."""
    motions, circles, answers = (
        np.empty((2, col.MOTION_COLUMNS)),
        np.empty((2, col.CIRCLE_COLUMNS)),
        np.zeros((1, col.IMPACT_COLUMNS)),
    )
    for column in range(col.MOTION_COLUMNS):
        motions[0, column], motions[1, column] = motion_a[column], motion_b[column]
    first, second = 0, 1
    set_circle(a, first, motions, first, circles)
    set_circle(b, first, motions, second, circles)
    answers[0, col.IMPACT_TIME] = math.nan
    if not circles_miss(circles, first, second):
        impact_of(a, b, motions, answers)
    return (
        answers[0, 0], answers[0, 1], answers[0, 2], answers[0, 3], answers[0, 4], answers[0, 5], answers[0, 6],
        answers[0, 7], answers[0, 8], answers[0, 9], answers[0, 10], answers[0, 11], answers[0, 12], answers[0, 13],
        answers[0, 14], answers[0, 15],
    )  # fmt: skip


@kernel(inline=False)
def find_impact_of(
    solids: MovingSolids, one: int, other: int, course: Floats, axis: Floats, stack: Ints, answers: Floats, answer: int
) -> None:
    """Answer `find_impact` for two of many solids."""
    a = Mover(solids.rows, solids.firsts[one], one, solids.standing)
    b = Mover(solids.rows, solids.firsts[other], other, solids.standing)
    find_impact(MovingPair(a, b, course, axis), solids.motions, solids.stands, stack, answers, answer)


@kernel(inline=False)
def finish_impact_of(
    solids: MovingSolids,
    one: int,
    other: int,
    course: Floats,
    axis: Floats,
    measured: Floats,
    answers: Floats,
    answer: int,
) -> None:
    """Answer `finish_impact` for two of many solids."""
    a = Mover(solids.rows, solids.firsts[one], one, solids.standing)
    b = Mover(solids.rows, solids.firsts[other], other, solids.standing)
    finish_impact(MovingPair(a, b, course, axis), solids.motions, solids.stands, measured, answers, answer)


def _bounds_example() -> tuple[MovingSolids, Floats]:
    motions = np.zeros((1, col.MOTION_COLUMNS))
    solids = MovingSolids(_example_row(), np.zeros(2, np.int64), motions, _example_row(), np.zeros(1, np.bool_))
    return solids, np.zeros((1, 4))


def _pairs_example() -> tuple[MovingSolids, Ints, Floats, Ints, Floats]:
    solids, _ = _bounds_example()
    pairs, answers = np.zeros((1, 2), np.int64), np.zeros((1, col.IMPACT_COLUMNS))
    return solids, pairs, np.zeros(1), np.zeros(1, np.int64), answers


@kernel(_pairs_example, nogil=True)
def impact_pairs(solids: MovingSolids, pairs: Ints, times: Floats, iterations: Ints, answers: Floats) -> int:
    """Write the time of each pair, or NaN, its steps, and a row for each impact; return the number of impacts.

    The posed solids are written too. `finish_impacts` completes the rows of impacts.
    """
    course, axis = np.empty(col.COURSE_COLUMNS), np.empty(col.AXIS_COLUMNS)
    stack = np.empty((col.STACK_ROWS, 2), np.int64)
    # Most pairs of most games never come near each other. Circles of five numbers show this in a few nanoseconds.
    circles = np.empty((solids.motions.shape[0], col.CIRCLE_COLUMNS))
    for solid in range(circles.shape[0]):
        set_circle(solids.rows, solids.firsts[solid], solids.motions, solid, circles)
    count = 0
    for pair in range(pairs.shape[0]):
        one, other = pairs[pair, 0], pairs[pair, 1]
        times[pair], iterations[pair] = math.nan, 0
        if circles_miss(circles, one, other):
            continue
        find_impact_of(solids, one, other, course, axis, stack, answers, count)
        times[pair], iterations[pair] = answers[count, col.IMPACT_TIME], int(answers[count, col.IMPACT_ITERATIONS])
        if not math.isnan(answers[count, col.IMPACT_TIME]):
            count += 1
    return count


def _finish_example() -> tuple[MovingSolids, Ints, Floats]:
    solids, pairs, _, _, answers = _pairs_example()
    return solids, pairs, answers


@kernel(_finish_example, nogil=True)
def finish_impacts(solids: MovingSolids, pairs: Ints, answers: Floats) -> None:
    """Write the points, normals and features of the pairs that strike, each in its row from `impact_pairs`."""
    course, axis = np.empty(col.COURSE_COLUMNS), np.empty(col.AXIS_COLUMNS)
    measured = np.empty((col.MEASURED_ROWS, col.MEASURED_COLUMNS))
    for pair in range(pairs.shape[0]):
        finish_impact_of(solids, pairs[pair, 0], pairs[pair, 1], course, axis, measured, answers, pair)


def _within_example() -> tuple[Floats, Course, Floats, Course, float, float]:
    return *_pair_example(), 0.0, 0.0


@kernel(_within_example)
def time_within(
    a: Floats, motion_a: Course, b: Floats, motion_b: Course, level: float, begin: float
) -> tuple[float, int]:
    """Return the first time when two solids are as near as a level, or NaN, and the number of steps that it took."""
    motions = np.empty((2, col.MOTION_COLUMNS))
    for column in range(col.MOTION_COLUMNS):
        motions[0, column], motions[1, column] = motion_a[column], motion_b[column]
    first, second = 0, 1
    standing = np.empty_like(b)
    pair = MovingPair(
        Mover(a, first, first, standing),
        Mover(b, first, second, standing),
        np.empty(col.COURSE_COLUMNS),
        np.empty(col.AXIS_COLUMNS),
    )
    set_course(pair, motions)
    set_margin(pair.course, slop_of_motions(pair, motions))
    stack = np.empty((col.STACK_ROWS, 2), np.int64)
    status, time, _, _, steps = advance(pair, NEARNESS, level, begin, 1.0, stack)
    return (math.nan if status == FOUND_NOTHING else time), steps


@kernel(_bounds_example, nogil=True)
def swept_bounds(solids: MovingSolids, bounds: Floats) -> None:
    """Write the bounds of the space that each solid sweeps; the bounds of two solids that strike each other overlap."""
    rows, firsts, motions, standing, stands = solids
    farthest = 0.0
    for solid in range(bounds.shape[0]):
        for column in (col.MOTION_BEGIN, col.MOTION_BEGIN + 1, col.MOTION_END, col.MOTION_END + 1):
            farthest = max(farthest, abs(motions[solid, column]) + rows[firsts[solid] + col.FARTHEST])
    for solid in range(bounds.shape[0]):
        first = firsts[solid]
        margin = SLOP * rows[first + col.EXTENT] + ROUNDING * farthest
        is_turning = turns(rows, first, motions, solid)
        if not is_turning:
            turn(rows, first, firsts[solid + 1], motions[solid, col.MOTION_BEGIN_ANGLE], standing)
            stands[solid] = True
        for axis in range(2):
            begin, end = motions[solid, col.MOTION_BEGIN + axis], motions[solid, col.MOTION_END + axis]
            bulge = margin + BULGE * abs(motions[solid, col.MOTION_PULL + axis])
            low = -rows[first + col.FARTHEST] if is_turning else standing[first + col.LOWER + axis]
            high = rows[first + col.FARTHEST] if is_turning else standing[first + col.UPPER + axis]
            bounds[solid, axis] = min(begin, end) + low - bulge
            bounds[solid, 2 + axis] = max(begin, end) + high + bulge
