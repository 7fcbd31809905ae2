"""When a solid W on its way comes to touch something: in closed form, or, where one of the two turns, in proven steps.

What W touches already, `touches` tells; how long that goes on, `ending`.
"""

from __future__ import annotations

import math

from impinge.kernels.advancement import (
    MARGIN,
    MOST_STEPS,
    NOISE,
    OFFSET,
    SUNK,
    set_moment,
    step_apart,
)
from impinge.kernels.advancement import SURFACE as FASTEST_SURFACE
from impinge.kernels.casting import NEVER, cast_pieces
from impinge.kernels.casting import OVERLAPPED as CAST_OVERLAPPED
from impinge.kernels.compiler import kernel
from impinge.kernels.impacts import (
    BEGIN,
    BEGIN_ANGLE,
    PULL,
    bent_impact,
    circles_miss,
    noise_on_the_way,
    set_circle,
    set_course,
)
from impinge.kernels.impacts import END as MOTION_END
from impinge.kernels.impacts import END_ANGLE as MOTION_END_ANGLE
from impinge.kernels.landing import TIME as IMPACT_TIME
from impinge.kernels.layout import (
    FARTHEST,
    LOWER,
    MIGHT,
    PIECE_COLUMNS,
    PIECE_TOTAL,
    PIECES,
    Floats,
    Ints,
)
from impinge.kernels.legs import ANGLE_NOW, PLACE, ROLLING, SHORTEST, SPEED, TARGET, WHIRL
from impinge.kernels.neighbours import (
    BITS,
    BODY,
    COLUMNS_M,
    COLUMNS_W,
    GAP,
    PASSES,
    SOLID_M,
    SOLID_W,
    SPIN,
    STANDING_M,
    STANDING_W,
    TOUCHED,
    VELOCITY,
    angle_of_mighty,
    mighty_place,
)
from impinge.kernels.neighbours import (
    NOISE as NOISE_OF_PLACE,
)
from impinge.kernels.seams import is_same
from impinge.kernels.separation import both_radii, bounds_gap, solid_gap
from impinge.kernels.standing import stand_at
from impinge.kernels.tolerances import HAIR
from impinge.kernels.touch_rows import (
    ACROSS,
    DROPPED,
    FEATURE,
    FUZZ,
    PIECE_M,
    PIECE_W,
    PRESSES,
    STATE,
    SURFACE,
    TOUCHING,
    VERTICES,
    WHO,
)
from impinge.kernels.touches import room_of_pieces, stand_neighbour, turns_now
from impinge.kernels.yielding import chosen_normal

# Sine of half the angle of the sharpest corner that W is followed into as closely as it can be lost there.
SHARPEST = 1.0 / 32.0
# Part of a span. What is sure to be free for less of it is looked at again for as much.
ENOUGH = 0.25
# Cosine of the angle of one normal to the opposite of another, up to which a correction between the two leads far away.
SQUARELY = 0.95


@kernel(inline=False)
def is_touching(neighbour: int, piece_m: int, piece_w: int, total: int, touches: Floats) -> bool:
    """Whether two pieces touch already."""
    for touch in range(total):
        if touches[touch, WHO] == neighbour and (touches[touch, PIECE_M], touches[touch, PIECE_W]) == (
            piece_m,
            piece_w,
        ):
            return True
    return False


@kernel()
def passes_by(solids: Floats, at_m: int, at_w: int, dx: float, dy: float, wx: float, wy: float, margin: float) -> bool:
    """Whether bounds, those of W going on by (wx, wy) from (dx, dy), do not come to touch; in one go."""
    left, right = solids[at_w] + dx + min(wx, 0.0), solids[at_w + 2] + dx + max(wx, 0.0)
    low, high = solids[at_w + 1] + dy + min(wy, 0.0), solids[at_w + 3] + dy + max(wy, 0.0)
    return (
        (left > solids[at_m + 2] + margin)
        | (right < solids[at_m] - margin)
        | (low > solids[at_m + 3] + margin)
        | (high < solids[at_m + 1] - margin)
    )


@kernel(inline=False)
def is_borne(total: int, nx: float, ny: float, touches: Floats) -> bool:
    """Whether something presses on W by a normal."""
    for touch in range(total):
        if touches[touch, STATE] == PRESSES:
            mx, my, _, _ = chosen_normal(touch, touches)
            if is_same(nx, ny, mx, my):
                return True
    return False


@kernel(inline=False)
def way_onto(
    neighbour: int,
    piece_m: int,
    piece_w: int,
    total: int,
    nx: float,
    ny: float,
    dx: float,
    dy: float,
    ux: float,
    uy: float,
    way: Floats,
    near: Floats,
    solids: Floats,
    touches: Floats,
) -> float:
    """How far W goes until it slides onto a side that is flush with one that it presses against, as a next floor tile.

    It never runs into that, but from there on is on both: the second may be the one that carries it.
    """
    noise = near[neighbour, FUZZ] + near[neighbour, NOISE_OF_PLACE]
    leads = nx * (way[TARGET] - near[neighbour, VELOCITY]) + ny * (way[TARGET + 1] - near[neighbour, VELOCITY + 1])
    if leads >= -noise or not is_borne(total, nx, ny, touches):
        return math.inf
    back, ahead = room_of_pieces(piece_m, piece_w, nx, ny, dx, dy, near[neighbour, FUZZ], solids)
    onto = -back if nx * uy - ny * ux > 0.0 else -ahead
    return onto if onto > 0.0 else math.inf


@kernel(inline=False)
def time_to_touch(
    neighbour: int,
    weak: int,
    total: int,
    time: float,
    rest: float,
    way: Floats,
    near: Floats,
    tags: Ints,
    ints: Ints,
    solids: Floats,
    touches: Floats,
) -> float:
    """For how long W goes on, of `rest` at the most, until it comes to touch pieces of a neighbour that it is off."""
    a, b = tags[neighbour, STANDING_M], tags[neighbour, STANDING_W]
    dx, dy = (
        way[PLACE] - mighty_place(near, neighbour, 0, time),
        way[PLACE + 1] - mighty_place(near, neighbour, 1, time),
    )
    vx, vy = way[SPEED] - near[neighbour, VELOCITY], way[SPEED + 1] - near[neighbour, VELOCITY + 1]
    slop, noise = near[neighbour, GAP], near[neighbour, FUZZ]
    if passes_by(solids, a + LOWER, b + LOWER, dx, dy, vx * rest, vy * rest, slop):
        return math.inf
    speed = math.sqrt(vx * vx + vy * vy)
    if speed * rest <= slop + noise:
        return math.inf
    ux, uy, best = vx / speed, vy / speed, rest * speed
    end_m = a + PIECES + PIECE_COLUMNS * int(solids[a + PIECE_TOTAL])
    end_w = b + PIECES + PIECE_COLUMNS * int(solids[b + PIECE_TOTAL])
    found = False
    for piece_m in range(a + PIECES, end_m, PIECE_COLUMNS):
        for piece_w in range(b + PIECES, end_w, PIECE_COLUMNS):
            if passes_by(solids, piece_m, piece_w, dx, dy, best * ux, best * uy, slop):
                continue
            if tags[neighbour, BITS] & TOUCHED and is_touching(neighbour, piece_m, piece_w, total, touches):
                continue
            length, nx, ny = cast_pieces(solids, piece_m, solids, piece_w, dx, dy, ux, uy, slop, noise, best)
            if length == NEVER and total > 0 and (nx != 0.0 or ny != 0.0):
                length = way_onto(
                    neighbour, piece_m, piece_w, total, nx, ny, dx, dy, ux, uy, way, near, solids, touches
                )
            if length != CAST_OVERLAPPED and length < best:
                best, found = length, True
    return best / speed if found else math.inf


@kernel(inline=False)
def free_share(
    count: int,
    total: int,
    might: int,
    x: float,
    y: float,
    time: float,
    way: Floats,
    near: Floats,
    tags: Ints,
    ints: Ints,
    solids: Floats,
    touches: Floats,
) -> float:
    """Return which share of a displacement at one instant W has room for: until it touches a piece that it is off.

    Only bodies of a might or above are in the way. A position correction must not carry W through a third body.
    """
    length = math.sqrt(x * x + y * y)
    ux, uy, best = x / length, y / length, length
    for neighbour in range(count):
        # Sides that let W in are no obstacles, and which side it comes from does not matter for a correction.
        if tags[neighbour, PASSES] or ints[tags[neighbour, BODY], MIGHT] < might:
            continue
        stand_neighbour(neighbour, time, near, tags, ints, solids)
        a, b = tags[neighbour, STANDING_M], tags[neighbour, STANDING_W]
        dx = way[PLACE] - mighty_place(near, neighbour, 0, time)
        dy = way[PLACE + 1] - mighty_place(near, neighbour, 1, time)
        slop, noise = near[neighbour, GAP], near[neighbour, FUZZ]
        if passes_by(solids, a + LOWER, b + LOWER, dx, dy, x, y, slop):
            continue
        end_m = a + PIECES + PIECE_COLUMNS * int(solids[a + PIECE_TOTAL])
        end_w = b + PIECES + PIECE_COLUMNS * int(solids[b + PIECE_TOTAL])
        for piece_m in range(a + PIECES, end_m, PIECE_COLUMNS):
            for piece_w in range(b + PIECES, end_w, PIECE_COLUMNS):
                if passes_by(solids, piece_m, piece_w, dx, dy, x, y, slop):
                    continue
                if is_touching(neighbour, piece_m, piece_w, total, touches):
                    continue
                way_to, _, _ = cast_pieces(solids, piece_m, solids, piece_w, dx, dy, ux, uy, slop, noise, best)
                if way_to != CAST_OVERLAPPED:
                    best = min(best, way_to)
    return best / length


@kernel(inline=False)
def meets_squarely(
    neighbour: int,
    total: int,
    time: float,
    rest: float,
    way: Floats,
    near: Floats,
    tags: Ints,
    ints: Ints,
    solids: Floats,
    touches: Floats,
) -> bool:
    """Whether a neighbour that W meets after `rest` nearly faces what presses on W, and leaves it no room."""
    stand_neighbour(neighbour, time, near, tags, ints, solids)
    a, b = tags[neighbour, STANDING_M], tags[neighbour, STANDING_W]
    across, up = way[SPEED] - near[neighbour, VELOCITY], way[SPEED + 1] - near[neighbour, VELOCITY + 1]
    dx = way[PLACE] - mighty_place(near, neighbour, 0, time) + across * rest
    dy = way[PLACE + 1] - mighty_place(near, neighbour, 1, time) + up * rest
    _, nx, ny, _, _ = solid_gap(solids, a, solids, b, dx, dy, near[neighbour, FUZZ])
    for touch in range(total):
        mx, my, _, _ = chosen_normal(touch, touches)
        if touches[touch, STATE] == PRESSES and nx * mx + ny * my < -SQUARELY:
            return True
    return False


@kernel(inline=False)
def write_motion(
    motions: Floats, motion: int, x: float, y: float, vx: float, vy: float, angle: float, spin: float, rest: float
) -> None:
    """Write a straight and even motion for the rest of a frame."""
    motions[motion, BEGIN], motions[motion, BEGIN + 1], motions[motion, BEGIN_ANGLE] = x, y, angle
    motions[motion, MOTION_END], motions[motion, MOTION_END + 1] = x + vx * rest, y + vy * rest
    motions[motion, MOTION_END_ANGLE] = angle + spin * rest
    motions[motion, PULL] = motions[motion, PULL + 1] = 0.0


@kernel(inline=False)
def set_pair(
    neighbour: int,
    weak: int,
    time: float,
    rest: float,
    way: Floats,
    near: Floats,
    tags: Ints,
    ints: Ints,
    solids: Floats,
    rows: Floats,
    motions: Floats,
) -> int:
    """Write how a neighbour and W go on for `rest`, and both in their own frames; returns the column of W's."""
    one, other = 0, 1
    angle = angle_of_mighty(near, neighbour, time)
    x, y = mighty_place(near, neighbour, 0, time), mighty_place(near, neighbour, 1, time)
    write_motion(
        motions, one, x, y, near[neighbour, VELOCITY], near[neighbour, VELOCITY + 1], angle, near[neighbour, SPIN], rest
    )
    write_motion(
        motions, other, way[PLACE], way[PLACE + 1], way[SPEED], way[SPEED + 1], way[ANGLE_NOW], way[WHIRL], rest
    )
    first_b = rows.shape[0] // 2
    stand_at(solids, tags[neighbour, SOLID_M], tags[neighbour, COLUMNS_M], 1.0, 0.0, rows, one)
    stand_at(solids, tags[neighbour, SOLID_W], tags[neighbour, COLUMNS_W], 1.0, 0.0, rows, first_b)
    for solid in (one, first_b):
        # With its skin, of a hair of its longer side.
        rows[solid + FARTHEST] *= 1.0 + 2.0 * HAIR
    return first_b


@kernel(inline=False)
def time_apart(
    neighbour: int,
    weak: int,
    total: int,
    level: float,
    end: float,
    near: Floats,
    tags: Ints,
    ints: Ints,
    solids: Floats,
    touches: Floats,
    rows: Floats,
    turned: Floats,
    course: Floats,
    axis: Floats,
) -> float:
    """For how long pieces that do not touch are all farther apart than a level, until `end` at the most; proven."""
    a, b = tags[neighbour, STANDING_M] + PIECES, tags[neighbour, STANDING_W] + PIECES
    first_b = rows.shape[0] // 2
    end_b = first_b + tags[neighbour, COLUMNS_W]
    time = 0.0
    for _ in range(MOST_STEPS):
        set_moment(course, time)
        step = end - time
        for m in range(int(rows[PIECE_TOTAL])):
            piece_m = m * PIECE_COLUMNS
            for w in range(int(rows[first_b + PIECE_TOTAL])):
                piece_w = w * PIECE_COLUMNS
                # As they stand at the start, whose bounds are at hand.
                far = bounds_gap(solids, a + piece_m, solids, b + piece_w, course[OFFSET], course[OFFSET + 1])
                if far > level + course[MARGIN] + course[FASTEST_SURFACE] * end:
                    continue
                if is_touching(neighbour, a + piece_m, b + piece_w, total, touches):
                    continue
                step = step_apart(
                    rows, PIECES + piece_m, rows, first_b + PIECES + piece_w, turned, first_b, end_b, course, axis,
                    level, step,
                )  # fmt: skip
                if step <= 0.0:
                    return time
        time += step
        if time >= end:
            return end
    return time


@kernel(inline=False)
def sharpness(total: int, touches: Floats) -> float:
    """How far W goes to be put back on two sides at once, at the most, for each that it is off one of them.

    In a corner of angle a that is 1 / sin(a / 2).
    """
    least = 1.0
    for touch in range(total):
        for other in range(touch):
            if touches[touch, STATE] != DROPPED and touches[other, STATE] != DROPPED:
                cosine = touches[touch, ACROSS] * touches[other, ACROSS]
                cosine += touches[touch, ACROSS + 1] * touches[other, ACROSS + 1]
                least = min(least, 0.5 * (1.0 + cosine))
    return 1.0 / math.sqrt(max(least, SHARPEST * SHARPEST))


@kernel(inline=False)
def rate_of_straying(
    weak: int, total: int, way: Floats, near: Floats, tags: Ints, ints: Ints, solids: Floats, touches: Floats
) -> float:
    """How far W strays from the straight way of a span, at the most, as a multiple of the square of its length.

    It strays where something turns that it touches: seen from that its way is bent, by less than a quarter of this, and
    at its end it is put back in touch, by half of it at the most. 0 where nothing does.
    """
    rate = 0.0
    for touch in range(total):
        if touches[touch, STATE] == DROPPED:
            continue
        neighbour = int(touches[touch, WHO])
        body = tags[neighbour, BODY]
        spin = abs(way[WHIRL]) if turns_now(weak, way[WHIRL], ints) else 0.0
        if turns_now(body, near[neighbour, SPIN], ints):
            spin += abs(near[neighbour, SPIN])
        if spin == 0.0:
            continue
        across, up = way[SPEED] - touches[touch, SURFACE], way[SPEED + 1] - touches[touch, SURFACE + 1]
        speed = math.sqrt(across * across + up * up)
        if way[ROLLING] != 0.0 and touches[touch, FEATURE] == VERTICES:
            radius = both_radii(solids, int(touches[touch, PIECE_M]), solids, int(touches[touch, PIECE_W]))
            spin += speed / radius if radius > 0.0 else 0.0
        farthest = solids[tags[neighbour, SOLID_M] + FARTHEST] + solids[tags[neighbour, SOLID_W] + FARTHEST]
        rate = max(rate, spin * (speed + spin * farthest))
    return rate * sharpness(total, touches) if rate > 0.0 else 0.0


@kernel(inline=False)
def time_to_near(
    neighbour: int,
    weak: int,
    total: int,
    straying: float,
    time: float,
    rest: float,
    way: Floats,
    near: Floats,
    tags: Ints,
    ints: Ints,
    solids: Floats,
    touches: Floats,
    rows: Floats,
    turned: Floats,
    motions: Floats,
    course: Floats,
    axis: Floats,
) -> float:
    """For how long W goes on, of `rest` at the most, until it is as near to pieces that it is off as it strays.

    It must not pass the end of a thin wall beside its way, and be put back in touch beyond it. So it goes on as long as
    it is farther from all that it does not touch than it strays, and no longer. As it strays by the square of the time,
    it comes to touch what it comes near after three or four spans.
    """
    a, b = tags[neighbour, STANDING_M], tags[neighbour, STANDING_W]
    dx = way[PLACE] - mighty_place(near, neighbour, 0, time)
    dy = way[PLACE + 1] - mighty_place(near, neighbour, 1, time)
    vx, vy = way[SPEED] - near[neighbour, VELOCITY], way[SPEED + 1] - near[neighbour, VELOCITY + 1]
    speed = math.sqrt(vx * vx + vy * vy) + straying * rest
    speed += abs(near[neighbour, SPIN]) * solids[a + FARTHEST] + abs(way[WHIRL]) * solids[b + FARTHEST]
    within = near[neighbour, TOUCHING] + speed * rest
    if rest <= 0.0 or bounds_gap(solids, a + LOWER, solids, b + LOWER, dx, dy) > within:
        return math.inf
    if tags[neighbour, BITS] & TOUCHED and solids[a + PIECE_TOTAL] * solids[b + PIECE_TOTAL] == 1.0:
        return math.inf
    first_b = set_pair(neighbour, weak, time, rest, way, near, tags, ints, solids, rows, motions)
    set_course(rows, 0, 0, rows, first_b, 1, motions, course)
    course[NOISE] = noise_on_the_way(course)
    course[MARGIN], course[SUNK] = near[neighbour, GAP] + course[NOISE], 0.0
    # From here on times are parts of `rest`.
    straying *= rest * rest
    end = time_apart(neighbour, weak, total, 0.0, 1.0, near, tags, ints, solids, touches, rows, turned, course, axis)
    is_met = end < 1.0
    while end * rest > way[SHORTEST] and straying * end * end > near[neighbour, GAP]:
        sure = time_apart(
            neighbour, weak, total, straying * end * end, end,
            near, tags, ints, solids, touches, rows, turned, course, axis,
        )  # fmt: skip
        if sure >= end:
            break
        is_met = True
        if sure >= ENOUGH * end:
            end = sure
            break
        # It is so near that W may stray to it: what is shorter strays less.
        end *= ENOUGH
    return end * rest if is_met else math.inf


@kernel(inline=False)
def time_to_meet(
    neighbour: int,
    weak: int,
    time: float,
    rest: float,
    way: Floats,
    near: Floats,
    tags: Ints,
    ints: Ints,
    solids: Floats,
    rows: Floats,
    turned: Floats,
    motions: Floats,
    circles: Floats,
    pairs: Ints,
    course: Floats,
    axis: Floats,
    answers: Floats,
) -> float:
    """For how long W goes on until it comes to touch a neighbour, where one of them turns.

    Never late, and early by no more than the slop.

    `rows` and `turned` have room for two solids.
    """
    one, other = 0, 1
    first_b = set_pair(neighbour, weak, time, rest, way, near, tags, ints, solids, rows, motions)
    set_circle(rows, one, motions, one, circles)
    set_circle(rows, first_b, motions, other, circles)
    if circles_miss(circles, one, other):
        return math.inf
    columns = tags[neighbour, COLUMNS_W]
    answers[0, IMPACT_TIME] = math.nan
    bent_impact(
        rows, one, one, rows, first_b, first_b + columns, other, motions, turned, near[neighbour, GAP],
        course, axis, pairs, answers, one,
    )  # fmt: skip
    return answers[0, IMPACT_TIME] * rest if answers[0, IMPACT_TIME] == answers[0, IMPACT_TIME] else math.inf
