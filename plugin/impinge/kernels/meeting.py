"""When a solid W on its way comes to touch something: in closed form, or, where one of the two turns, in proven steps.

What W touches already, `touches` tells; how long that goes on, `ending`.
"""

from __future__ import annotations

import math

import numpy as np

from impinge.kernels.casting import OVERLAPPED as CAST_OVERLAPPED
from impinge.kernels.casting import cast_pieces
from impinge.kernels.compiler import kernel
from impinge.kernels.impacts import BEGIN, BEGIN_ANGLE, PULL, bent_impact, circles_miss, set_circle
from impinge.kernels.impacts import END as MOTION_END
from impinge.kernels.impacts import END_ANGLE as MOTION_END_ANGLE
from impinge.kernels.landing import TIME as IMPACT_TIME
from impinge.kernels.layout import (
    ANGLE,
    LOWER,
    PIECE_COLUMNS,
    PIECE_TOTAL,
    PIECES,
    RADIUS,
    Floats,
    Ints,
)
from impinge.kernels.legs import ANGLE_NOW, PLACE, SPEED, WHIRL
from impinge.kernels.neighbours import (
    BITS,
    COLUMNS_M,
    COLUMNS_W,
    GAP,
    SOLID_M,
    SOLID_W,
    SPIN,
    STANDING_M,
    STANDING_W,
    T0,
    TOUCHED,
    TURNED,
    VELOCITY,
    mighty_place,
)
from impinge.kernels.separation import bounds_gap, core_gap
from impinge.kernels.standing import stand_at
from impinge.kernels.touch_rows import FUZZ, PIECE_M, PIECE_W, SURFACE, TOUCHING, WHO
from impinge.kernels.touches import stand_neighbour, stand_row, turns_now

# How often at the most it is looked for when W, turning, comes to touch another piece.
LOOKS = 8
# Part of the way to where another piece is seen to be touched.
SHORT = 7.0 / 8.0
# Part of what is left between two times, in which a third one is looked for at the least.
LEAST_PART = 1.0 / 32.0


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
    if tags[neighbour, BITS] & TOUCHED:
        # What turns goes on as it does where the two touch: the other pieces that W may come to are near.
        for touch in range(total):
            if touches[touch, WHO] == neighbour:
                vx, vy = way[SPEED] - touches[touch, SURFACE], way[SPEED + 1] - touches[touch, SURFACE + 1]
                break
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
            length, _, _ = cast_pieces(solids, piece_m, solids, piece_w, dx, dy, ux, uy, slop, noise, best)
            if length != CAST_OVERLAPPED and length < best:
                best, found = length, True
    return best / speed if found else math.inf


@kernel(inline=False)
def stand_pair(
    neighbour: int,
    weak: int,
    time: float,
    way: Floats,
    near: Floats,
    tags: Ints,
    floats: Floats,
    ints: Ints,
    solids: Floats,
) -> None:
    """Turn W and a neighbour to where they are at a time."""
    stand_neighbour(neighbour, time, near, tags, ints, solids)
    if turns_now(weak, way[WHIRL], ints):
        stand_row(tags, neighbour, SOLID_W, floats[weak, ANGLE] + way[WHIRL] * time, solids)


@kernel(inline=False)
def gap_to_others(
    neighbour: int,
    weak: int,
    total: int,
    time: float,
    rest: float,
    way: Floats,
    near: Floats,
    tags: Ints,
    floats: Floats,
    ints: Ints,
    solids: Floats,
    touches: Floats,
) -> float:
    """How far pieces that do not touch are apart when W has gone on for `rest`; both bodies are left standing so."""
    now = time + rest
    stand_pair(neighbour, weak, now, way, near, tags, floats, ints, solids)
    a, b = tags[neighbour, STANDING_M], tags[neighbour, STANDING_W]
    dx = way[PLACE] + way[SPEED] * rest - mighty_place(near, neighbour, 0, now)
    dy = way[PLACE + 1] + way[SPEED + 1] * rest - mighty_place(near, neighbour, 1, now)
    least = math.inf
    for piece_m in range(a + PIECES, a + PIECES + PIECE_COLUMNS * int(solids[a + PIECE_TOTAL]), PIECE_COLUMNS):
        for piece_w in range(b + PIECES, b + PIECES + PIECE_COLUMNS * int(solids[b + PIECE_TOTAL]), PIECE_COLUMNS):
            if bounds_gap(solids, piece_m, solids, piece_w, dx, dy) >= min(least, near[neighbour, TOUCHING]):
                continue
            if is_touching(neighbour, piece_m, piece_w, total, touches):
                continue
            gap, _, _ = core_gap(solids, piece_m, solids, piece_w, dx, dy, near[neighbour, FUZZ], math.inf)
            least = min(least, gap - solids[piece_m + RADIUS] - solids[piece_w + RADIUS])
    return least


@kernel(inline=False)
def time_to_turn_into(
    neighbour: int,
    weak: int,
    total: int,
    time: float,
    rest: float,
    way: Floats,
    near: Floats,
    tags: Ints,
    floats: Floats,
    ints: Ints,
    solids: Floats,
    touches: Floats,
) -> float:
    """Do the same where W, or what it touches, turns: as seen at first, and corrected as it is seen from there."""
    a, b = tags[neighbour, STANDING_M], tags[neighbour, STANDING_W]
    if solids[a + PIECE_TOTAL] * solids[b + PIECE_TOTAL] == 1.0:
        return math.inf
    x, y = way[PLACE], way[PLACE + 1]
    rate = math.hypot(way[SPEED] - near[neighbour, VELOCITY], way[SPEED + 1] - near[neighbour, VELOCITY + 1])
    rate *= abs(near[neighbour, SPIN]) + abs(way[WHIRL])
    low, high, gap_low, gap_high = 0.0, -1.0, 0.0, 0.0
    for _ in range(LOOKS):
        way[PLACE], way[PLACE + 1] = x + way[SPEED] * low, y + way[SPEED + 1] * low
        stand_pair(neighbour, weak, time + low, way, near, tags, floats, ints, solids)
        left = rest - low
        ahead = time_to_touch(neighbour, weak, total, time + low, left, way, near, tags, ints, solids, touches)
        way[PLACE], way[PLACE + 1] = x, y
        if ahead < left and ahead * ahead * rate > near[neighbour, GAP]:
            # What turns is elsewhere by then. Short of it, it is seen better.
            ahead *= SHORT
        met = low + min(ahead, left)
        gap = gap_to_others(neighbour, weak, total, time, met, way, near, tags, floats, ints, solids, touches)
        if gap < 0.0:
            high, gap_high = met, gap
            break
        low, gap_low = met, gap
        if gap <= near[neighbour, GAP] or met >= rest:
            break
    if high >= 0.0:
        gap_low = gap_to_others(neighbour, weak, total, time, low, way, near, tags, floats, ints, solids, touches)
        for _ in range(4 * LOOKS):
            # By the chord, but never so little that the other end does not move.
            share = gap_low / (gap_low - gap_high) if gap_low < math.inf else 0.5
            met = low + min(max(share, LEAST_PART), 1.0 - LEAST_PART) * (high - low)
            gap = gap_to_others(neighbour, weak, total, time, met, way, near, tags, floats, ints, solids, touches)
            if gap < 0.0:
                high, gap_high = met, gap
            else:
                low, gap_low = met, gap
                if gap <= near[neighbour, GAP]:
                    break
        low = low if low > 0.0 else high
    stand_pair(neighbour, weak, time, way, near, tags, floats, ints, solids)
    return low if high >= 0.0 or low < rest else math.inf


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
    """Do the same where one of them turns: never late, and early by no more than the slop.

    `rows` and `turned` have room for two solids.
    """
    one, other = int(np.int64(0)), int(np.int64(1))
    angle = near[neighbour, TURNED] + near[neighbour, SPIN] * (time - near[neighbour, T0])
    x, y = mighty_place(near, neighbour, 0, time), mighty_place(near, neighbour, 1, time)
    write_motion(
        motions, one, x, y, near[neighbour, VELOCITY], near[neighbour, VELOCITY + 1], angle, near[neighbour, SPIN], rest
    )
    write_motion(
        motions, other, way[PLACE], way[PLACE + 1], way[SPEED], way[SPEED + 1], way[ANGLE_NOW], way[WHIRL], rest
    )
    first_b = rows.shape[0] // 2
    columns = tags[neighbour, COLUMNS_W]
    stand_at(solids, tags[neighbour, SOLID_M], tags[neighbour, COLUMNS_M], 1.0, 0.0, rows, one)
    set_circle(rows, one, motions, one, circles)
    stand_at(solids, tags[neighbour, SOLID_W], columns, 1.0, 0.0, rows, first_b)
    set_circle(rows, first_b, motions, other, circles)
    if circles_miss(circles, one, other):
        return math.inf
    answers[0, IMPACT_TIME] = math.nan
    bent_impact(
        rows, one, one, rows, first_b, first_b + columns, other, motions, turned, near[neighbour, GAP],
        course, axis, pairs, answers, one,
    )  # fmt: skip
    return answers[0, IMPACT_TIME] * rest if answers[0, IMPACT_TIME] == answers[0, IMPACT_TIME] else math.inf
