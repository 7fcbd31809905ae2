"""The next contact of a solid W on its path: in closed form, or in proven steps if one of the two bodies turns.

`contacts` finds the present contacts, and `contact_lifetime` the time for which they last.
"""

from __future__ import annotations

import math

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bodies, Candidates, Floats, Mover, MovingPair, Part, Pieces, Scratch, Vector
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.advancement import ADVANCE_LIMIT, set_moment, step_apart
from impinge.kernels.pair.cast import IN_OVERLAP, NEVER, cast_pieces
from impinge.kernels.pair.impacts import bent_impact, circles_miss, set_circle, set_course, set_margin
from impinge.kernels.pair.separation import both_radii, bounds_gap
from impinge.kernels.space.posed_solids import write_posed_solid
from impinge.kernels.step.candidates import angle_of_mighty, mighty_place, relative_place, relative_velocity
from impinge.kernels.step.contact_planes import chosen_normal
from impinge.kernels.step.contacts import pose_candidate, real_spins, slide_room_of_pieces
from impinge.kernels.step.internal_edges import is_same_direction
from impinge.kernels.tolerances import HAIR

# Sine of half the angle of the sharpest corner for which `correction_factor` is exact: it is at most the inverse, 32.
LEAST_CORNER_SINE = 1.0 / 32.0
# Part of a span. If W is provably free for less than this part, the proof is repeated for this part of the span.
PROVEN_SHARE = 0.25


@kernel(inline=False)
def is_in_contact(neighbour: int, piece_m: int, piece_w: int, total: int, touches: Floats) -> bool:
    """Return whether two pieces are in contact already."""
    for touch in range(total):
        if touches[touch, col.TOUCH_NEIGHBOUR] == neighbour and (
            touches[touch, col.TOUCH_PIECE_M],
            touches[touch, col.TOUCH_PIECE_W],
        ) == (
            piece_m,
            piece_w,
        ):
            return True
    return False


@kernel()
def bounds_stay_apart(solids: Floats, at_m: int, at_w: int, offset: Vector, shift: Vector, margin: float) -> bool:
    """Return whether bounds stay apart while those of W shift from their offset; without branches."""
    (dx, dy), (wx, wy) = offset, shift
    left, right = solids[at_w] + dx + min(wx, 0.0), solids[at_w + 2] + dx + max(wx, 0.0)
    low, high = solids[at_w + 1] + dy + min(wy, 0.0), solids[at_w + 3] + dy + max(wy, 0.0)
    return (
        (left > solids[at_m + 2] + margin)
        | (right < solids[at_m] - margin)
        | (low > solids[at_m + 3] + margin)
        | (high < solids[at_m + 1] - margin)
    )


@kernel(inline=False)
def has_pressing_normal(total: int, normal: Vector, touches: Floats) -> bool:
    """Return whether a contact with this normal presses on W."""
    nx, ny = normal
    for touch in range(total):
        if touches[touch, col.TOUCH_STATE] == col.STATE_PRESSES:
            mx, my, _, _ = chosen_normal(touch, touches)
            if is_same_direction(nx, ny, mx, my):
                return True
    return False


@kernel(inline=False)
def distance_to_flush_edge(
    pieces: Pieces,
    normal: Vector,
    direction: Vector,
    total: int,
    way: Floats,
    near: Floats,
    solids: Floats,
    touches: Floats,
) -> float:
    """Return how far W slides to a side that is flush with one that it presses against, such as the next floor tile.

    W never runs into that side. From there on it touches both, and the second one may be its carrier. Infinity if there
    is no such side ahead.
    """
    (nx, ny), (ux, uy), neighbour = normal, direction, pieces.neighbour
    noise = near[neighbour, col.NEAR_FUZZ] + near[neighbour, col.NEAR_NOISE]
    leads = nx * (way[col.WAY_TARGET] - near[neighbour, col.NEAR_VELOCITY]) + ny * (
        way[col.WAY_TARGET + 1] - near[neighbour, col.NEAR_VELOCITY + 1]
    )
    if leads >= -noise or not has_pressing_normal(total, normal, touches):
        return math.inf
    back, ahead = slide_room_of_pieces(pieces, normal, near[neighbour, col.NEAR_FUZZ], solids)
    onto = -back if nx * uy - ny * ux > 0.0 else -ahead
    return onto if onto > 0.0 else math.inf


@kernel(inline=False)
def time_to_straight_contact(
    neighbour: int, total: int, way: Floats, candidates: Candidates, bodies: Bodies, touches: Floats
) -> float:
    """Return the time until W touches pieces of a candidate not yet in contact; infinity if not within `rest`."""
    rest, solids, near, tags = way[col.WAY_REST], bodies.solids, candidates.near, candidates.tags
    a, b = tags[neighbour, col.TAG_STANDING_M], tags[neighbour, col.TAG_STANDING_W]
    offset = relative_place(near, neighbour, way)
    vx, vy = relative_velocity(near, neighbour, way)
    slop, noise = near[neighbour, col.NEAR_GAP], near[neighbour, col.NEAR_FUZZ]
    if bounds_stay_apart(solids, a + col.LOWER, b + col.LOWER, offset, (vx * rest, vy * rest), slop):
        return math.inf
    speed = math.sqrt(vx * vx + vy * vy)
    if speed * rest <= slop + noise:
        return math.inf
    ux, uy, best = vx / speed, vy / speed, rest * speed
    end_m = a + col.PIECES + col.PIECE_COLUMNS * int(solids[a + col.PIECE_TOTAL])
    end_w = b + col.PIECES + col.PIECE_COLUMNS * int(solids[b + col.PIECE_TOTAL])
    found = False
    for piece_m in range(a + col.PIECES, end_m, col.PIECE_COLUMNS):
        for piece_w in range(b + col.PIECES, end_w, col.PIECE_COLUMNS):
            if bounds_stay_apart(solids, piece_m, piece_w, offset, (best * ux, best * uy), slop):
                continue
            if tags[neighbour, col.TAG_BITS] & col.BIT_TOUCHED and is_in_contact(
                neighbour, piece_m, piece_w, total, touches
            ):
                continue
            length, nx, ny = cast_pieces(
                Part(solids, piece_m), Part(solids, piece_w), offset, (ux, uy), slop, noise, best
            )
            if length == NEVER and total > 0 and (nx != 0.0 or ny != 0.0):
                pieces = Pieces(neighbour, piece_m, piece_w, offset)
                length = distance_to_flush_edge(pieces, (nx, ny), (ux, uy), total, way, near, solids, touches)
            if length != IN_OVERLAP and length < best:
                best, found = length, True
    return best / speed if found else math.inf


@kernel(inline=False)
def free_share(
    count: int,
    total: int,
    might: int,
    shift: Vector,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    touches: Floats,
) -> float:
    """Return the share of a displacement at one instant that W has room for, until it touches a piece not in contact.

    Only bodies of rank `might` or above are obstacles. A position correction must not carry W through a third body.
    """
    x, y = shift
    length = math.sqrt(x * x + y * y)
    best = length
    for neighbour in range(count):
        # Passable bodies are no obstacles. For a correction, the side from which W comes does not matter.
        if candidates.tags[neighbour, col.TAG_PASSES]:
            continue
        if bodies.ints[candidates.tags[neighbour, col.TAG_BODY], col.MIGHT] >= might:
            best = free_length(neighbour, total, (x / length, y / length), best, way, candidates, bodies, touches)
    return best / length


@kernel(inline=False)
def free_length(
    neighbour: int,
    total: int,
    direction: Vector,
    best: float,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    touches: Floats,
) -> float:
    """Return how far, up to `best`, W can be displaced at one instant until it touches pieces of a candidate.

    Pieces that are in contact with W, or overlap it, do not count.
    """
    ux, uy = direction
    solids, near, tags = bodies.solids, candidates.near, candidates.tags
    pose_candidate(neighbour, way[col.WAY_TIME], candidates, bodies)
    a, b = tags[neighbour, col.TAG_STANDING_M], tags[neighbour, col.TAG_STANDING_W]
    offset = relative_place(near, neighbour, way)
    slop, noise = near[neighbour, col.NEAR_GAP], near[neighbour, col.NEAR_FUZZ]
    if bounds_stay_apart(solids, a + col.LOWER, b + col.LOWER, offset, (best * ux, best * uy), slop):
        return best
    end_m = a + col.PIECES + col.PIECE_COLUMNS * int(solids[a + col.PIECE_TOTAL])
    end_w = b + col.PIECES + col.PIECE_COLUMNS * int(solids[b + col.PIECE_TOTAL])
    for piece_m in range(a + col.PIECES, end_m, col.PIECE_COLUMNS):
        for piece_w in range(b + col.PIECES, end_w, col.PIECE_COLUMNS):
            if bounds_stay_apart(solids, piece_m, piece_w, offset, (best * ux, best * uy), slop):
                continue
            if is_in_contact(neighbour, piece_m, piece_w, total, touches):
                continue
            way_to, _, _ = cast_pieces(
                Part(solids, piece_m), Part(solids, piece_w), offset, (ux, uy), slop, noise, best
            )
            if way_to != IN_OVERLAP:
                best = min(best, way_to)
    return best


@kernel(inline=False)
def write_motion(
    motions: Floats, motion: int, place: Vector, velocity: Vector, angle: float, spin: float, rest: float
) -> None:
    """Write a motion with constant velocity and spin for `rest`."""
    (x, y), (vx, vy) = place, velocity
    motions[motion, col.MOTION_BEGIN], motions[motion, col.MOTION_BEGIN + 1] = x, y
    motions[motion, col.MOTION_BEGIN_ANGLE] = angle
    motions[motion, col.MOTION_END], motions[motion, col.MOTION_END + 1] = x + vx * rest, y + vy * rest
    motions[motion, col.MOTION_END_ANGLE] = angle + spin * rest
    motions[motion, col.MOTION_PULL] = motions[motion, col.MOTION_PULL + 1] = 0.0


@kernel(inline=False)
def set_pair_motion(
    neighbour: int, rest: float, way: Floats, candidates: Candidates, bodies: Bodies, scratch: Scratch
) -> MovingPair:
    """Write the motions of a candidate and of W for `rest`, and both solids in their own frames; return this pair."""
    near, tags, rows, time = candidates.near, candidates.tags, scratch.rows, way[col.WAY_TIME]
    one, other = 0, 1
    place = mighty_place(near, neighbour, 0, time), mighty_place(near, neighbour, 1, time)
    velocity = near[neighbour, col.NEAR_VELOCITY], near[neighbour, col.NEAR_VELOCITY + 1]
    angle, spin = angle_of_mighty(near, neighbour, time), near[neighbour, col.NEAR_SPIN]
    write_motion(scratch.motions, one, place, velocity, angle, spin, rest)
    place = way[col.WAY_PLACE], way[col.WAY_PLACE + 1]
    velocity = way[col.WAY_SPEED], way[col.WAY_SPEED + 1]
    write_motion(scratch.motions, other, place, velocity, way[col.WAY_ANGLE], way[col.WAY_WHIRL], rest)
    first_b = rows.shape[0] // 2
    write_posed_solid(
        bodies.solids, tags[neighbour, col.TAG_SOLID_M], tags[neighbour, col.TAG_COLUMNS_M], 1.0, 0.0, rows, one
    )
    write_posed_solid(
        bodies.solids, tags[neighbour, col.TAG_SOLID_W], tags[neighbour, col.TAG_COLUMNS_W], 1.0, 0.0, rows, first_b
    )
    for solid in (one, first_b):
        # Add the skin to the reach. It is a `HAIR` of the longer side, which is at most twice the reach.
        rows[solid + col.FARTHEST] *= 1.0 + 2.0 * HAIR
    return MovingPair(
        Mover(rows, one, one, scratch.turned),
        Mover(rows, first_b, other, scratch.turned),
        scratch.course,
        scratch.axis,
    )


@kernel(inline=False)
def time_apart(
    neighbour: int,
    total: int,
    level: float,
    end: float,
    candidates: Candidates,
    bodies: Bodies,
    touches: Floats,
    pair: MovingPair,
) -> float:
    """Return a proven time, at most `end`, for which all pieces without contact stay farther apart than `level`."""
    tags, rows, course = candidates.tags, pair.b.rows, pair.course
    a, b = tags[neighbour, col.TAG_STANDING_M] + col.PIECES, tags[neighbour, col.TAG_STANDING_W] + col.PIECES
    first_b, time = pair.b.at, 0.0
    for _ in range(ADVANCE_LIMIT):
        set_moment(course, time)
        step = end - time
        for m in range(int(rows[col.PIECE_TOTAL])):
            piece_m = m * col.PIECE_COLUMNS
            for w in range(int(rows[first_b + col.PIECE_TOTAL])):
                piece_w = w * col.PIECE_COLUMNS
                # These are the bounds at the start of the motion, which are known already.
                far = bounds_gap(
                    bodies.solids,
                    a + piece_m,
                    bodies.solids,
                    b + piece_w,
                    (course[col.COURSE_OFFSET], course[col.COURSE_OFFSET + 1]),
                )
                if far > level + course[col.COURSE_MARGIN] + course[col.COURSE_SURFACE] * end:
                    continue
                if is_in_contact(neighbour, a + piece_m, b + piece_w, total, touches):
                    continue
                step = step_apart(pair, col.PIECES + piece_m, first_b + col.PIECES + piece_w, level, step)
                if step <= 0.0:
                    return time
        time += step
        if time >= end:
            return end
    return time


@kernel(inline=False)
def correction_factor(total: int, touches: Floats) -> float:
    """Return the largest distance of a correction onto two sides at once, per distance that W is off one of them.

    In a corner of angle a, it is 1 / sin(a / 2), limited by `LEAST_CORNER_SINE`.
    """
    least = 1.0
    for touch in range(total):
        for other in range(touch):
            if (
                touches[touch, col.TOUCH_STATE] != col.STATE_DROPPED
                and touches[other, col.TOUCH_STATE] != col.STATE_DROPPED
            ):
                cosine = touches[touch, col.TOUCH_NORMAL] * touches[other, col.TOUCH_NORMAL]
                cosine += touches[touch, col.TOUCH_NORMAL + 1] * touches[other, col.TOUCH_NORMAL + 1]
                least = min(least, 0.5 * (1.0 + cosine))
    return 1.0 / math.sqrt(max(least, LEAST_CORNER_SINE * LEAST_CORNER_SINE))


@kernel(inline=False)
def deviation_rate(
    weak: int, total: int, way: Floats, candidates: Candidates, bodies: Bodies, touches: Floats
) -> float:
    """Return an upper bound of W's deviation from its straight path in a span, divided by the square of its time.

    W deviates if W or a body in contact turns. Seen from the turning body the path is bent, by less than a quarter of
    the bound. At the end of the span, position correction moves W by at most half of the bound. 0 without rotation.
    """
    solids, tags = bodies.solids, candidates.tags
    rate = 0.0
    for touch in range(total):
        if touches[touch, col.TOUCH_STATE] == col.STATE_DROPPED:
            continue
        neighbour = int(touches[touch, col.TOUCH_NEIGHBOUR])
        spin_m, spin_w = real_spins(neighbour, weak, way, candidates, bodies.ints)
        spin = abs(spin_w) + abs(spin_m)
        if spin == 0.0:
            continue
        across, up = (
            way[col.WAY_SPEED] - touches[touch, col.TOUCH_SURFACE],
            way[col.WAY_SPEED + 1] - touches[touch, col.TOUCH_SURFACE + 1],
        )
        speed = math.sqrt(across * across + up * up)
        if way[col.WAY_ROLLING] != 0.0 and touches[touch, col.TOUCH_FEATURE] == col.FEATURE_VERTICES:
            radius = both_radii(
                solids, int(touches[touch, col.TOUCH_PIECE_M]), solids, int(touches[touch, col.TOUCH_PIECE_W])
            )
            spin += speed / radius if radius > 0.0 else 0.0
        farthest = (
            solids[tags[neighbour, col.TAG_SOLID_M] + col.FARTHEST]
            + solids[tags[neighbour, col.TAG_SOLID_W] + col.FARTHEST]
        )
        rate = max(rate, spin * (speed + spin * farthest))
    return rate * correction_factor(total, touches) if rate > 0.0 else 0.0


@kernel(inline=False)
def time_within_clearance(
    neighbour: int,
    total: int,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    touches: Floats,
    scratch: Scratch,
) -> float:
    """Return the time until W is as close to pieces without contact as it may deviate; infinity if not within `rest`.

    W must not pass the end of a thin wall beside its path, and be corrected to the wall's far side. So W moves only as
    long as its distance from all pieces without contact is larger than its deviation. The deviation grows with the
    square of the time, so W touches a close piece after three or four spans.
    """
    rest, straying = way[col.WAY_REST], min(way[col.WAY_STRAYING], way[col.WAY_STRAYED])
    solids, near, tags, course = bodies.solids, candidates.near, candidates.tags, scratch.course
    a, b = tags[neighbour, col.TAG_STANDING_M], tags[neighbour, col.TAG_STANDING_W]
    offset, (vx, vy) = relative_place(near, neighbour, way), relative_velocity(near, neighbour, way)
    speed = math.sqrt(vx * vx + vy * vy) + straying * rest
    speed += (
        abs(near[neighbour, col.NEAR_SPIN]) * solids[a + col.FARTHEST]
        + abs(way[col.WAY_WHIRL]) * solids[b + col.FARTHEST]
    )
    within = near[neighbour, col.NEAR_TOUCHING] + speed * rest
    if rest <= 0.0 or bounds_gap(solids, a + col.LOWER, solids, b + col.LOWER, offset) > within:
        return math.inf
    if (
        tags[neighbour, col.TAG_BITS] & col.BIT_TOUCHED
        and solids[a + col.PIECE_TOTAL] * solids[b + col.PIECE_TOTAL] == 1.0
    ):
        return math.inf
    pair = set_pair_motion(neighbour, rest, way, candidates, bodies, scratch)
    set_course(pair, scratch.motions)
    set_margin(course, near[neighbour, col.NEAR_GAP])
    course[col.COURSE_SUNK] = 0.0
    # From here on, times are parts of `rest`.
    straying *= rest * rest
    end = time_apart(neighbour, total, 0.0, 1.0, candidates, bodies, touches, pair)
    is_met = end < 1.0
    while straying * end * end > near[neighbour, col.NEAR_GAP]:
        sure = time_apart(neighbour, total, straying * end * end, end, candidates, bodies, touches, pair)
        if sure >= end:
            break
        is_met = True
        if sure >= PROVEN_SHARE * end:
            end = sure
            break
        # The piece is so close that W may deviate to it. In a shorter span W deviates less.
        end *= PROVEN_SHARE
    return end * rest if is_met else math.inf


@kernel(inline=False)
def time_to_turning_contact(
    neighbour: int, rest: float, way: Floats, candidates: Candidates, bodies: Bodies, scratch: Scratch
) -> float:
    """Return the time until W touches a candidate, if one of them turns; infinity if that is not within `rest`.

    The time is never late, and early by at most the slop. `rows` and `turned` have room for two solids.
    """
    rows, motions, circles, answers = scratch.rows, scratch.motions, scratch.circles, scratch.answers
    one, other = 0, 1
    pair = set_pair_motion(neighbour, rest, way, candidates, bodies, scratch)
    set_circle(rows, one, motions, one, circles)
    set_circle(rows, pair.b.at, motions, other, circles)
    if circles_miss(circles, one, other):
        return math.inf
    answers[0, col.IMPACT_TIME] = math.nan
    bent_impact(pair, motions, candidates.near[neighbour, col.NEAR_GAP], scratch.pairs, answers, one)
    return (
        answers[0, col.IMPACT_TIME] * rest if answers[0, col.IMPACT_TIME] == answers[0, col.IMPACT_TIME] else math.inf
    )
