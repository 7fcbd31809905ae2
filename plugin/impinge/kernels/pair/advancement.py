"""Conservative advancement: the time of impact of two solids of which at least one turns or accelerates.

As long as an axis separates two convex pieces, they do not meet. Each step finds the axis that separates them best,
proves for how long it goes on separating them, and advances to that time (Mirtich, "Impulse-based dynamic simulation of
rigid body systems", 1996, 2.3; Zhang, Lee & Kim, "Interactive continuous collision detection for non-convex polyhedra",
2006).

The axis is fixed in the frame of one of the two solids, its owner. So an edge stays the support of its own piece, and
only the corners of the other piece move. The distance of a corner beyond the axis is a smooth function of time, s. A
parabola below s gives the step: it follows from s' and s'' at this moment, and from bounds on |s''| and |s'''|. The
shorter the step, the better the parabola fits: near an impact the error falls with the third power of the step. Without
rotation s is that parabola.

Of solids of several pieces, the shortest step of all pairs of pieces counts, including pairs in contact.
"""

from __future__ import annotations

import math

from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats, Ints, MovingPair, Vector
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.separation import FEW_CORNERS, both_radii, core_gap, facing_edge, least_along
from impinge.kernels.pair.solids import end_of, turn

# Limit of steps, some 5 ms. After it, the time reached counts as the time of impact. Half of the pairs that strike take
# 4 steps, and the worst of 50,000 took 142. A full turn of nearly touching solids takes a hundred steps, so the limit
# allows for hundreds of turns a frame.
ADVANCE_LIMIT = 20_000
# Limit of successive steps that do not advance. In contact, rounding may allow no step, and then the next one is the
# same.
STALL_LIMIT = 4
# In margins. A step ends at this distance above the level: rounding must not turn a touch into an overlap.
STEP_END_GAP = 0.5
# Pieces in contact may slide, turn and separate until they have sunk by SINKING times the depth that is left to the
# margin. So they do not overlap where the next frame starts. LEAST_SINKING, in margins, is the lower bound of that
# depth: without it, steps could stop advancing.
SINKING = 0.5
LEAST_SINKING = 1.0 / 64.0
# Part of that depth from which on the pair counts as an impact. The rest is room for the steps.
STRUCK = 0.75
# In margins. When pieces in contact separate, their step ends at this distance, and the next step treats them as apart.
# It is clearly larger than that of a touch.
LIFT_OFF_GAP = 4.0
# A corner that sinks for good has a positive speed, even where it only begins to sink.
LEAST_SPEED = 5e-324
# Sine of an angle. An axis this close to the normal of an edge is replaced by that normal. Where two edges lie on one
# line, the nearest point may be reported at their common end, beside which the normal is off by some 1e-8. The edge's
# normal is then better: it separates the pieces as well, but for half of the square of the angle.
ALIGNED_SINE = 1e-6
# In margins. The normal of an edge may separate the pieces by this much less: it is preferred, as it turns with the
# edge.
EDGE_PREFERENCE = 0.25
# In reaches of the axis's owner. If the offset may be longer than this, bounds for each single corner are worth their
# cost.
FAR = 4.0
# Cosine of an angle. An axis this far from the nearest one belongs to the other side of a piece without an inside.
OPPOSITE_COSINE = -1.0 + 1e-12

# Goals of a search: the pair is as near as a level, or one solid strikes the other.
NEARNESS, STRIKE = 0.0, 1.0
# Results of a search.
FOUND_NOTHING, FOUND_LEVEL, FOUND_OVERLAP = 0, 1, 2


@kernel(inline=False)
def set_moment(course: Floats, time: float) -> None:
    """Write the state of a course at a time: the motion of B relative to A, in the axes of both."""
    angle_a, angle_b = (
        course[col.COURSE_ANGLE_A] + course[col.COURSE_SPIN_A] * time,
        course[col.COURSE_ANGLE_B] + course[col.COURSE_SPIN_B] * time,
    )
    cos_a, sin_a = math.cos(angle_a), math.sin(angle_a)
    cos_b, sin_b = math.cos(angle_b), math.sin(angle_b)
    course[col.COURSE_MOMENT], course[col.COURSE_ANGLE_SEEN] = time, angle_b - angle_a
    course[col.COURSE_COS], course[col.COURSE_SIN] = cos_a * cos_b + sin_a * sin_b, cos_a * sin_b - sin_a * cos_b
    course[col.COURSE_IS_TURNED] = course[col.COURSE_IS_STRUCK] = course[col.COURSE_SPARED] = course[
        col.COURSE_SPARED + 1
    ] = 0.0
    for axis in range(2):
        start, speed, pull = (
            course[col.COURSE_OFFSET + axis],
            course[col.COURSE_VELOCITY + axis],
            course[col.COURSE_ACCELERATION + axis],
        )
        course[col.COURSE_SEEN_A + axis] = start + time * (speed + 0.5 * time * pull)
        course[col.COURSE_SEEN_A + 2 + axis] = speed + time * pull
        course[col.COURSE_SEEN_A + 4 + axis] = pull
    for at in range(0, 6, 2):
        x, y = course[col.COURSE_SEEN_A + at], course[col.COURSE_SEEN_A + at + 1]
        course[col.COURSE_SEEN_A + at], course[col.COURSE_SEEN_A + at + 1] = (
            cos_a * x + sin_a * y,
            cos_a * y - sin_a * x,
        )
        course[col.COURSE_SEEN_B + at], course[col.COURSE_SEEN_B + at + 1] = (
            -(cos_b * x + sin_b * y),
            -(cos_b * y - sin_b * x),
        )


@kernel()
def best_edge(
    a: Floats, piece_a: int, b: Floats, piece_b: int, offset: Vector, rotation: Vector, margin: float
) -> tuple[float, int, int]:
    """Return the separation by A's best edge, the column of that edge, and how many edges separate the cores or touch.

    Each core is in its own frame. `offset` and `rotation`, a cosine and a sine, are those of B's frame in A's frame.
    """
    (x, y), (cos, sin) = offset, rotation
    first_a, total_a = int(a[piece_a + col.FIRST_POINT]), int(a[piece_a + col.POINT_TOTAL])
    first_b, total_b = int(b[piece_b + col.FIRST_POINT]), int(b[piece_b + col.POINT_TOTAL])
    greatest, edge, count = -math.inf, first_a, 0
    for at_a in range(first_a, first_a + col.POINT_COLUMNS * total_a, col.POINT_COLUMNS):
        nx, ny = a[at_a + col.NORMAL], a[at_a + col.NORMAL + 1]
        reach = least_along(b, first_b, total_b, cos * nx + sin * ny, cos * ny - sin * nx)
        gap = reach + nx * (x - a[at_a + col.POINT]) + ny * (y - a[at_a + col.POINT + 1])
        count += gap >= -margin
        if gap > greatest:
            greatest, edge = gap, at_a
    return greatest, edge, count


@kernel()
def set_edge_axis(owner: float, row: Floats, edge: int, separation: float, radii: float, axis: Floats) -> None:
    """Use the normal of an edge as the axis."""
    nx, ny = row[edge + col.NORMAL], row[edge + col.NORMAL + 1]
    axis[col.AXIS_OWNER], axis[col.AXIS_X], axis[col.AXIS_Y], axis[col.AXIS_GAP], axis[col.AXIS_IS_FREE] = (
        owner,
        nx,
        ny,
        separation,
        0.0,
    )
    axis[col.AXIS_IS_ONLY] = axis[col.AXIS_IS_COMMON] = 0.0
    axis[col.AXIS_ROUND], axis[col.AXIS_SUPPORT] = (
        radii,
        nx * row[edge + col.POINT] + ny * row[edge + col.POINT + 1] + radii,
    )


@kernel()
def reach_of(row: Floats, piece: int, nx: float, ny: float) -> float:
    """Return the largest coordinate of a core along a direction."""
    first, total = int(row[piece + col.FIRST_POINT]), int(row[piece + col.POINT_TOTAL])
    reach = -math.inf
    for at in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
        reach = max(reach, nx * row[at + col.POINT] + ny * row[at + col.POINT + 1])
    return reach


@kernel(inline=False)
def separation_along(pair: MovingPair, piece_a: int, piece_b: int) -> float:
    """Return the separation of two pieces along the axis at this moment."""
    course, axis = pair.course, pair.axis
    other, piece, sin, seen = pair.b.rows, piece_b, course[col.COURSE_SIN], col.COURSE_SEEN_A
    if axis[col.AXIS_OWNER] == 1.0:
        other, piece, sin, seen = pair.a.rows, piece_a, -sin, col.COURSE_SEEN_B
    nx, ny, cos = axis[col.AXIS_X], axis[col.AXIS_Y], course[col.COURSE_COS]
    offset = nx * course[seen] + ny * course[seen + 1] - axis[col.AXIS_SUPPORT]
    return offset - reach_of(other, piece, -(cos * nx + sin * ny), -(cos * ny - sin * nx))


@kernel()
def is_edge_enough(pair: MovingPair, piece_a: int, piece_b: int, enough: float) -> bool:
    """Use the edge that separates two pieces without a radius best as the axis, if no other axis has to be tried.

    That is so if it separates them by more than `enough`, or if they touch and no other edge separates them.
    """
    a, b, course, axis = pair.a.rows, pair.b.rows, pair.course, pair.axis
    cos, sin, margin = course[col.COURSE_COS], course[col.COURSE_SIN], course[col.COURSE_MARGIN]
    seen_a, seen_b = col.COURSE_SEEN_A, col.COURSE_SEEN_B
    gap, edge, count = best_edge(a, piece_a, b, piece_b, (course[seen_a], course[seen_a + 1]), (cos, sin), margin)
    gap_b, edge_b, count_b = best_edge(
        b, piece_b, a, piece_a, (course[seen_b], course[seen_b + 1]), (cos, -sin), margin
    )
    is_only = count + count_b <= 1
    if max(gap, gap_b) <= enough and not (is_only and enough <= margin):
        return False
    if gap >= gap_b:
        set_edge_axis(0.0, a, edge, gap, 0.0, axis)
    else:
        set_edge_axis(1.0, b, edge_b, gap_b, 0.0, axis)
    axis[col.AXIS_IS_ONLY] = 1.0 if is_only else 0.0
    nx, ny = axis[col.AXIS_X], axis[col.AXIS_Y]
    axis[col.AXIS_NORMAL], axis[col.AXIS_NORMAL + 1] = nx, ny
    if axis[col.AXIS_OWNER] == 1.0:
        axis[col.AXIS_NORMAL], axis[col.AXIS_NORMAL + 1] = -(cos * nx - sin * ny), -(sin * nx + cos * ny)
    return True


@kernel()
def prefer_edge(pair: MovingPair, piece_a: int, piece_b: int, owner: float, edge: int, best: float) -> float:
    """Use the normal of an owner's edge as the axis if it separates the pieces nearly as well as `best`.

    Return its separation, or `best` if that is greater.
    """
    axis = pair.axis
    row = pair.b.rows if owner == 1.0 else pair.a.rows
    before, x, y, support, free = (
        axis[col.AXIS_OWNER],
        axis[col.AXIS_X],
        axis[col.AXIS_Y],
        axis[col.AXIS_SUPPORT],
        axis[col.AXIS_IS_FREE],
    )
    set_edge_axis(owner, row, edge, axis[col.AXIS_GAP], axis[col.AXIS_ROUND], axis)
    separation = separation_along(pair, piece_a, piece_b)
    if separation < best - EDGE_PREFERENCE * pair.course[col.COURSE_MARGIN]:
        axis[col.AXIS_OWNER], axis[col.AXIS_X], axis[col.AXIS_Y], axis[col.AXIS_SUPPORT], axis[col.AXIS_IS_FREE] = (
            before,
            x,
            y,
            support,
            free,
        )
    return max(best, separation)


@kernel(inline=False)
def find_axis(pair: MovingPair, piece_a: int, piece_b: int, enough: float) -> None:
    """Find the axis that separates two pieces best at this moment, or one that separates them by more than `enough`."""
    a, b, course, axis = pair.a.rows, pair.b.rows, pair.course, pair.axis
    radii = both_radii(a, piece_a, b, piece_b)
    total_a, total_b = a[piece_a + col.POINT_TOTAL], b[piece_b + col.POINT_TOTAL]
    if (
        radii == 0.0
        and total_a * total_b <= FEW_CORNERS
        and min(total_a, total_b) > 1.0
        and is_edge_enough(pair, piece_a, piece_b, enough)
    ):
        return
    if course[col.COURSE_IS_TURNED] == 0.0:
        turn(b, pair.b.at, end_of(b, pair.b.at), course[col.COURSE_ANGLE_SEEN], pair.b.standing)
        course[col.COURSE_IS_TURNED] = 1.0
    offset = course[col.COURSE_SEEN_A], course[col.COURSE_SEEN_A + 1]
    gap, nx, ny = core_gap(a, piece_a, pair.b.standing, piece_b, offset, course[col.COURSE_NOISE], math.inf)
    edge, sine = facing_edge(a, piece_a, nx, ny)
    edge_b, sine_b = facing_edge(pair.b.standing, piece_b, -nx, -ny)
    axis[col.AXIS_OWNER], axis[col.AXIS_X], axis[col.AXIS_Y], axis[col.AXIS_GAP], axis[col.AXIS_IS_ONLY] = (
        0.0,
        nx,
        ny,
        gap - radii,
        0.0,
    )
    axis[col.AXIS_ROUND], axis[col.AXIS_SUPPORT] = radii, reach_of(a, piece_a, nx, ny) + radii
    axis[col.AXIS_IS_FREE] = axis[col.AXIS_IS_COMMON] = 1.0
    axis[col.AXIS_NORMAL], axis[col.AXIS_NORMAL + 1] = nx, ny
    if min(sine, sine_b) > ALIGNED_SINE:
        return
    # Prefer the normal of an edge to an axis close to it, if it separates the pieces nearly as well.
    best = separation_along(pair, piece_a, piece_b)
    if sine_b <= ALIGNED_SINE:
        best = prefer_edge(pair, piece_a, piece_b, 1.0, edge_b, best)
    if sine <= ALIGNED_SINE:
        prefer_edge(pair, piece_a, piece_b, 0.0, edge, best)
    if axis[col.AXIS_OWNER] == 0.0 and (axis[col.AXIS_IS_FREE] == 1.0 or sine_b <= ALIGNED_SINE):
        axis[col.AXIS_IS_COMMON] = 1.0


@kernel(inline=False)
def move_axis_to_b(b: Floats, piece_b: int, course: Floats, axis: Floats) -> None:
    """Move an axis from A's frame to B's frame.

    Where A pivots on a round end, an axis that turns with A stops separating them at once, but an axis that does not
    turn with A never does. Where A rests on a long floor, the ends of the floor are fast as seen from a turning box.
    """
    nx, ny, cos, sin = axis[col.AXIS_X], axis[col.AXIS_Y], course[col.COURSE_COS], course[col.COURSE_SIN]
    mx, my = -(cos * nx + sin * ny), -(cos * ny - sin * nx)
    axis[col.AXIS_OWNER], axis[col.AXIS_X], axis[col.AXIS_Y] = 1.0, mx, my
    axis[col.AXIS_SUPPORT] = reach_of(b, piece_b, mx, my) + axis[col.AXIS_ROUND]


@kernel()
def first_zero(value: float, slope: float, curvature: float, flattest: float, sharpest: float, rest: float) -> float:
    """Return a lower bound of the time for which a function of time stays positive.

    Parameters
    ----------
    value, slope, curvature
        The function and its first two derivatives now. Rounding may make the value zero or negative.
    flattest, sharpest
        Bounds on the sizes of its second and third derivative.
    rest
        The time that suffices: no longer time is returned.
    """
    if value <= 0.0:
        return 0.0
    if value + rest * (min(slope, 0.0) - 0.5 * flattest * rest) > 0.0:
        return rest
    horizon = rest
    if sharpest > 0.0:
        # The parabola's first zero is within twice Newton's step. A nearer horizon gives a tighter bound on the
        # curvature.
        if slope < 0.0:
            horizon = min(horizon, -2.0 * value / slope)
        if curvature - sharpest * horizon < -flattest:
            horizon = min(horizon, 2.0 * (6.0 * value / sharpest) ** (1.0 / 3.0))
        curvature = max(curvature - sharpest * horizon, -flattest)
    square = slope * slope - 2.0 * curvature * value
    if square < 0.0:
        return horizon
    # Of the two forms of the root, use the one without cancellation.
    root = math.sqrt(square)
    if slope <= 0.0:
        return min(horizon, 2.0 * value / (root - slope))
    return min(horizon, (root + slope) / -curvature) if curvature < 0.0 else horizon


@kernel()
def sinking_speed(gap: float, speed: float, pulled: float, flattest: float, sharpest: float, margin: float) -> float:
    """Return the sinking speed of a corner in contact if it sinks for good; else zero, or a negative speed if it rises.

    A corner sinks for good in two cases. Either it gets deeper than the margin in the time of a frame, although its
    speed may change as far as the bounds of `first_zero` allow. Or its acceleration takes it that deep before the
    acceleration may have ceased.
    """
    way = gap + margin
    sinks = speed > way and speed * speed > 2.0 * flattest * way
    if pulled > 0.0 and (speed >= 0.0 or speed * speed <= pulled * (margin - gap)):
        while_pulled = min(1.0, pulled / sharpest)
        sinks = sinks or speed * while_pulled + 0.25 * pulled * while_pulled * while_pulled > way
    return max(speed, LEAST_SPEED) if sinks else min(speed, 0.0)


@kernel()
def derivative_bounds(rate: float, reach: float, speed: float, pull: float, jerk: float) -> tuple[float, float]:
    """Return bounds on the second and third derivative of a point's coordinate along an axis that turns at a rate.

    `reach` is the length of the point's offset, `speed`, `pull` and `jerk` are those of its first three derivatives.
    """
    return pull + rate * (2.0 * speed + rate * reach), jerk + rate * (3.0 * pull + rate * (3.0 * speed + rate * reach))


@kernel()
def slowing_between_corners(aside: float, gap: float, axis: Floats) -> float:
    """Return how much the turning of the true axis slows the sinking of one of two round corners.

    It turns as one corner passes the other, at the speed `aside`.
    """
    if axis[col.AXIS_IS_FREE] == 1.0 and axis[col.AXIS_ROUND] > 0.0:
        return aside * aside / (gap + axis[col.AXIS_ROUND])
    return 0.0


@kernel(inline=False)
def time_separated(pair: MovingPair, piece_a: int, piece_b: int, level: float, rest: float) -> tuple[float, float]:
    """Return the least time for which the axis separates two pieces by more than a level, and a sinking speed.

    The speed is positive if a corner in contact sinks for good (see `sinking_speed`). It is negative if all corners in
    contact rise at this speed or faster.
    """
    course, axis = pair.course, pair.axis
    other, piece, spin = pair.b.rows, piece_b, course[col.COURSE_SPIN_A]
    turning = course[col.COURSE_SPIN_B] - course[col.COURSE_SPIN_A]
    sin, seen, owner_reach = course[col.COURSE_SIN], col.COURSE_SEEN_A, course[col.COURSE_REACH_A]
    if axis[col.AXIS_OWNER] == 1.0:
        other, piece, spin, turning = pair.a.rows, piece_a, course[col.COURSE_SPIN_B], -turning
        sin, seen, owner_reach = -sin, col.COURSE_SEEN_B, course[col.COURSE_REACH_B]
    nx, ny, cos = axis[col.AXIS_X], axis[col.AXIS_Y], course[col.COURSE_COS]
    mx, my = cos * nx + sin * ny, cos * ny - sin * nx
    x, y, vx, vy = course[seen], course[seen + 1], course[seen + 2], course[seen + 3]
    # These terms are common to all corners. The owner's frame turns: see Goldstein, "Classical Mechanics", 4.10.
    here, left = nx * x + ny * y, nx * y - ny * x
    base = here - axis[col.AXIS_SUPPORT] - level
    slope = nx * vx + ny * vy - spin * (ny * x - nx * y)
    pull = nx * course[seen + 4] + ny * course[seen + 5] - 2.0 * spin * (ny * vx - nx * vy) - spin * spin * here
    passing = nx * vy - ny * vx - spin * here
    rate, speed, strongest = abs(spin), course[col.COURSE_FASTEST], course[col.COURSE_STRONGEST]
    farthest = course[col.COURSE_LONGEST]
    flattest, sharpest = derivative_bounds(rate, farthest, speed, strongest, 0.0)
    squared, circling = turning * turning, abs(spin + turning)
    is_far = rate > 0.0 and farthest > FAR * owner_reach
    first, total = int(other[piece + col.FIRST_POINT]), int(other[piece + col.POINT_TOTAL])
    step, closing = rest, -math.inf
    for at in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
        px, py = other[at + col.POINT], other[at + col.POINT + 1]
        along, around = mx * px + my * py, turning * (my * px - mx * py)
        distance = math.sqrt(px * px + py * py)
        bend = squared * distance
        bend, sharp_bend = flattest + bend, sharpest + bend * abs(turning)
        if is_far:
            # Bound the same two derivatives from the place of this corner in the owner's frame and from its own
            # circular motion.
            seen_x, seen_y = here + along, left + mx * py - my * px
            swiftest, pulled = speed + circling * distance, strongest + circling * circling * distance
            reach = math.sqrt(seen_x * seen_x + seen_y * seen_y) + swiftest * rest
            jerk = circling * circling * circling * distance
            own_bend, own_sharp_bend = derivative_bounds(rate, reach, swiftest, pulled, jerk)
            bend, sharp_bend = min(bend, own_bend), min(sharp_bend, own_sharp_bend)
        value = base + along
        step = first_zero(value, slope + around, pull - squared * along, bend, sharp_bend, step)
        gap = value + level
        if gap <= course[col.COURSE_MARGIN]:
            slowing = slowing_between_corners(passing + turning * along, gap, axis)
            pulled = squared * along - pull - slowing
            sinking = sinking_speed(gap, -slope - around, pulled, bend + slowing, sharp_bend, course[col.COURSE_MARGIN])
            closing = max(closing, sinking)
    return step, closing


@kernel()
def allowed_sinking(course: Floats) -> float:
    """Return how much deeper than at the start a pair in contact may get."""
    return max(
        SINKING * (course[col.COURSE_MARGIN] - course[col.COURSE_SUNK]), LEAST_SINKING * course[col.COURSE_MARGIN]
    )


@kernel()
def until_lift_off(step: float, rising: float, course: Floats) -> float:
    """Return the step, but no longer than until pieces in contact that rise at a speed have separated."""
    return min(step, LIFT_OFF_GAP * course[col.COURSE_MARGIN] / rising) if 0.0 < rising < math.inf else step


@kernel()
def enters_union(is_struck: bool, spared: Vector, course: Floats) -> bool:
    """Return whether a segment that no single piece stops gets inside the union of this piece and the one before.

    A segment that flies along an internal edge does, between the pieces on both sides. An axis still separates it from
    the piece that it strikes, but another piece blocks the other side of that axis.
    """
    is_blocked = spared[0] * course[col.COURSE_SPARED] + spared[1] * course[col.COURSE_SPARED + 1] < OPPOSITE_COSINE
    if is_blocked and (is_struck or course[col.COURSE_IS_STRUCK] == 1.0):
        return True
    if is_struck or course[col.COURSE_IS_STRUCK] == 0.0:
        course[col.COURSE_IS_STRUCK] = 1.0 if is_struck else 0.0
        course[col.COURSE_SPARED], course[col.COURSE_SPARED + 1] = spared
    return False


@kernel(inline=False)
def step_along_edges(
    pair: MovingPair, piece_a: int, piece_b: int, level: float, rest: float, step: float, closing: float
) -> tuple[float, bool]:
    """Answer `step_in_contact` for sharp corners, from the step and the sinking speed along the axis found first.

    Two sharp corners in contact do not determine the shortest way to separate them, so only edges count.
    """
    course, axis = pair.course, pair.axis
    is_struck = strikes = closing > 0.0 or axis[col.AXIS_IS_FREE] == 1.0
    rising, spared_x, spared_y = -closing, 0.0, 0.0
    nearest_x, nearest_y, nearest_owner = axis[col.AXIS_X], axis[col.AXIS_Y], axis[col.AXIS_OWNER]
    cos, sin, seen = course[col.COURSE_COS], course[col.COURSE_SIN], col.COURSE_SEEN_A
    row, piece, other, other_piece = pair.a.rows, piece_a, pair.b.rows, piece_b
    for owner in range(2):
        if owner == 1:
            row, piece, other, other_piece, sin, seen = other, piece_b, row, piece_a, -sin, col.COURSE_SEEN_B
        first, total = int(row[piece + col.FIRST_POINT]), int(row[piece + col.POINT_TOTAL])
        other_first, other_total = int(other[other_piece + col.FIRST_POINT]), int(other[other_piece + col.POINT_TOTAL])
        for edge in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
            if total == 1:
                break
            nx, ny = row[edge + col.NORMAL], row[edge + col.NORMAL + 1]
            mx, my = cos * nx + sin * ny, cos * ny - sin * nx
            x, y = course[seen] - row[edge + col.POINT], course[seen + 1] - row[edge + col.POINT + 1]
            gap = least_along(other, other_first, other_total, mx, my) + nx * x + ny * y
            cosine = nx * nearest_x + ny * nearest_y
            if nearest_owner != owner:
                cosine = -(mx * nearest_x + my * nearest_y)
            if gap < -course[col.COURSE_MARGIN] or cosine < OPPOSITE_COSINE:
                continue
            set_edge_axis(float(owner), row, edge, gap, 0.0, axis)
            longer, closing = time_separated(pair, piece_a, piece_b, level, rest)
            is_struck = is_struck or closing > 0.0
            strikes = strikes and closing > 0.0
            if closing <= 0.0 and longer >= step:
                spared_x, spared_y = (nx, ny) if owner == 0 else (-mx, -my)
                rising = -closing
            step = max(step, longer)
    step = until_lift_off(step, rising, course)
    is_sharp_segment = min(pair.a.rows[piece_a + col.POINT_TOTAL], pair.b.rows[piece_b + col.POINT_TOTAL]) == 2.0
    if not strikes and is_sharp_segment:
        strikes = enters_union(is_struck, (spared_x, spared_y), course)
    return step, strikes


@kernel(inline=False)
def step_in_contact(pair: MovingPair, piece_a: int, piece_b: int, rest: float) -> tuple[float, bool]:
    """Return the least time for which two pieces in contact stay within their allowed depth, and whether they strike.

    They strike if none of the axes that are left between them goes on separating them. The pair's axis is one of these
    axes, and is overwritten.
    """
    course, axis = pair.course, pair.axis
    level = -course[col.COURSE_SUNK] - allowed_sinking(course)
    step, closing = time_separated(pair, piece_a, piece_b, level, rest)
    if axis[col.AXIS_ROUND] > 0.0 or axis[col.AXIS_IS_ONLY] == 1.0:
        strikes, rising = closing > 0.0, -closing
        if axis[col.AXIS_IS_COMMON] == 1.0:
            move_axis_to_b(pair.b.rows, piece_b, course, axis)
            longer, closing = time_separated(pair, piece_a, piece_b, level, rest)
            step, strikes, rising = max(step, longer), strikes and closing > 0.0, -closing
        return until_lift_off(step, rising, course), strikes
    return step_along_edges(pair, piece_a, piece_b, level, rest, step, closing)


@kernel(inline=False)
def step_apart(pair: MovingPair, piece_a: int, piece_b: int, level: float, rest: float) -> float:
    """Return the least time for which two pieces stay farther apart than a level; 0 if they are already as near."""
    margin, axis = pair.course[col.COURSE_MARGIN], pair.axis
    find_axis(pair, piece_a, piece_b, level + margin)
    if axis[col.AXIS_GAP] <= level + margin:
        return 0.0
    step, _ = time_separated(pair, piece_a, piece_b, level + STEP_END_GAP * margin, rest)
    if axis[col.AXIS_IS_COMMON] == 1.0:
        move_axis_to_b(pair.b.rows, piece_b, pair.course, axis)
        longer, _ = time_separated(pair, piece_a, piece_b, level + STEP_END_GAP * margin, rest)
        step = max(step, longer)
    return step


@kernel(inline=False)
def step_of_pieces(
    pair: MovingPair, piece_a: int, piece_b: int, goal: float, level: float, rest: float
) -> tuple[int, float]:
    """Return whether two pieces are at the goal, and a lower bound of a time.

    If they are not at the goal, it is the time until they are. If they are, it is the time until they touch.
    """
    course, axis = pair.course, pair.axis
    step = step_apart(pair, piece_a, piece_b, level, rest)
    if step > 0.0:
        return FOUND_NOTHING, step
    # The same proof bounds the time that is left until the contact itself. A graze has none.
    left = 0.0
    if axis[col.AXIS_GAP] > 0.0:
        left, closing = time_separated(pair, piece_a, piece_b, 0.0, rest)
        left = left if closing > 0.0 else 0.0
    if goal == NEARNESS:
        return FOUND_LEVEL, left
    if course[col.COURSE_MOMENT] == 0.0 and axis[col.AXIS_GAP] < -course[col.COURSE_MARGIN]:
        return FOUND_OVERLAP, 0.0
    if course[col.COURSE_MOMENT] == 0.0:
        course[col.COURSE_SUNK] = max(course[col.COURSE_SUNK], -axis[col.AXIS_GAP])
    if axis[col.AXIS_GAP] < -course[col.COURSE_SUNK] - STRUCK * allowed_sinking(course):
        return FOUND_LEVEL, 0.0
    step, strikes = step_in_contact(pair, piece_a, piece_b, rest)
    return (FOUND_LEVEL, left) if strikes else (FOUND_NOTHING, step)


@kernel()
def node_distance(a: Floats, node_a: int, b: Floats, node_b: int, course: Floats) -> float:
    """Return the distance between the circles of two nodes at this moment."""
    x, y, cos, sin = (
        b[node_b + col.NODE_CENTRE],
        b[node_b + col.NODE_CENTRE + 1],
        course[col.COURSE_COS],
        course[col.COURSE_SIN],
    )
    dx = course[col.COURSE_SEEN_A] + cos * x - sin * y - a[node_a + col.NODE_CENTRE]
    dy = course[col.COURSE_SEEN_A + 1] + sin * x + cos * y - a[node_a + col.NODE_CENTRE + 1]
    return math.sqrt(dx * dx + dy * dy) - a[node_a + col.NODE_RADIUS] - b[node_b + col.NODE_RADIUS]


@kernel(inline=False)
def step_of_solids(
    pair: MovingPair, goal: float, level: float, rest: float, stack: Ints
) -> tuple[int, float, int, int]:
    """Return whether any two pieces are at the goal, the least time until any touch, and the first two that do."""
    a, b, course = pair.a.rows, pair.b.rows, pair.course
    found, step, soonest, chosen_a, chosen_b = FOUND_NOTHING, rest, rest, -1, -1
    enough = level + course[col.COURSE_MARGIN]
    waiting = 1
    stack[0, 0], stack[0, 1] = int(a[pair.a.at + col.FIRST_NODE]), int(b[pair.b.at + col.FIRST_NODE])
    while waiting > 0:
        waiting -= 1
        node_a, node_b = stack[waiting, 0], stack[waiting, 1]
        apart = node_distance(a, node_a, b, node_b, course) - enough
        if apart > 0.0 and apart >= step * course[col.COURSE_SURFACE]:
            continue
        is_leaf_a, is_leaf_b = a[node_a + col.NODE_LEFT] < 0.0, b[node_b + col.NODE_LEFT] < 0.0
        if is_leaf_a and is_leaf_b:
            piece_a, piece_b = int(a[node_a + col.NODE_RIGHT]), int(b[node_b + col.NODE_RIGHT])
            status, least = step_of_pieces(pair, piece_a, piece_b, goal, level, step)
            if status == FOUND_OVERLAP:
                return status, least, piece_a, piece_b
            if status == FOUND_LEVEL and (found == FOUND_NOTHING or least < soonest):
                found, soonest, chosen_a, chosen_b = status, least, piece_a, piece_b
            step = min(step, least)
        elif is_leaf_b or (not is_leaf_a and a[node_a + col.NODE_RADIUS] >= b[node_b + col.NODE_RADIUS]):
            stack[waiting, 0], stack[waiting, 1] = int(a[node_a + col.NODE_LEFT]), node_b
            stack[waiting + 1, 0], stack[waiting + 1, 1] = int(a[node_a + col.NODE_RIGHT]), node_b
            waiting += 2
        else:
            stack[waiting, 0], stack[waiting, 1] = node_a, int(b[node_b + col.NODE_LEFT])
            stack[waiting + 1, 0], stack[waiting + 1, 1] = node_a, int(b[node_b + col.NODE_RIGHT])
            waiting += 2
    if found == FOUND_LEVEL:
        # Pairs of pieces that were examined later have overwritten the axis.
        find_axis(pair, chosen_a, chosen_b, enough)
    return found, step, chosen_a, chosen_b


@kernel(inline=False)
def advance(
    pair: MovingPair, goal: float, level: float, begin: float, end: float, stack: Ints
) -> tuple[int, float, int, int, int]:
    """Advance to the time when two solids are at the goal; return the result, the time, both pieces and the step count.

    The pair's course then holds the state at that time, and its axis separates these pieces. The pair is not at the
    goal before.
    """
    course, axis = pair.course, pair.axis
    time, stalls = begin, 0
    piece_a = piece_b = -1
    for steps in range(1, ADVANCE_LIMIT + 1):
        set_moment(course, time)
        status, step, piece_a, piece_b = step_of_solids(pair, goal, level, end - time, stack)
        if status == FOUND_LEVEL and step > 0.0:
            set_moment(course, time + step)
            # Check again at that time: between round corners the axis turns, and a corner may just pass another one.
            find_axis(pair, piece_a, piece_b, level + course[col.COURSE_MARGIN])
            if axis[col.AXIS_GAP] > level + course[col.COURSE_MARGIN]:
                status = FOUND_NOTHING
        if status != FOUND_NOTHING:
            return status, course[col.COURSE_MOMENT], piece_a, piece_b, steps
        if step >= end - time:
            return FOUND_NOTHING, end, -1, -1, steps
        stalls = 0 if time + step > time else stalls + 1
        if stalls == STALL_LIMIT:
            break
        time += step
    return FOUND_LEVEL, time, piece_a, piece_b, ADVANCE_LIMIT
