"""Two moving solids of another engine, which resolves overlaps unless they are too deep.

Times run from 0 at the start of both motions to 1 at their end. The first solid is swept as its core, which lacks the
depth that the engine tolerates.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats, Mover, MovingPair, Part, Sweep, Vector
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.depth import length_of
from impinge.kernels.pair.impacts import find_impact, finish_impact
from impinge.kernels.pair.manifold import measure
from impinge.kernels.pair.queries import overlap, slop_of
from impinge.kernels.pair.separation import both_radii
from impinge.kernels.pair.solids import end_of, turn

# Thickness of the first body, margin between its solid and its core, extent of both, and reach of both: the largest
# distance of their points from their place, and of those that rotation can bring into contact.
Traits: TypeAlias = tuple[float, float, float, float, float, float]
# Time, normal, point, and whether they overlap at the start.
Found: TypeAlias = tuple[float, Vector, Vector, bool]

NO_IMPACT = (math.nan, (0.0, 0.0), (0.0, 0.0), False)

# Largest depth of a body in an obstacle that it overlaps already, as a fraction of its thickness. Beyond its whole
# thickness, the engine pushes it out on the far side.
MOST_DEPTH = 0.8
# Fraction of the allowed depth for a turning pair that overlaps at the start. Its next contact must get some depth, so
# that the engine detects it, but with the whole depth it stays in the wall: 1 leaves four times as many bodies deep.
SOLVED = 0.5
# Most instants at which a depth is measured; fraction of the limit that counts as reaching it; and fraction of it by
# which a pair that is too deep already may get deeper. A step resolves a tenth of the depth.
MOST_STEPS, CLOSE, DEEPER = 16, 0.05, 0.1


@kernel()
def coordinate_at(motions: Floats, motion: int, axis: int, time: float) -> float:
    """Return x, y or the angle of a motion without acceleration at a time."""
    begin, end = motions[motion, col.MOTION_BEGIN + axis], motions[motion, col.MOTION_END + axis]
    return end if time == 1.0 else begin + (end - begin) * time


@kernel()
def spin_of(motions: Floats, motion: int) -> float:
    """Return the angle by which a motion turns."""
    return motions[motion, col.MOTION_END_ANGLE] - motions[motion, col.MOTION_BEGIN_ANGLE]


@kernel()
def closing_of(motions: Floats) -> Vector:
    """Return the velocity of the first place relative to the second."""
    across = (motions[0, col.MOTION_END] - motions[0, col.MOTION_BEGIN]) - (
        motions[1, col.MOTION_END] - motions[1, col.MOTION_BEGIN]
    )
    up = (motions[0, col.MOTION_END + 1] - motions[0, col.MOTION_BEGIN + 1]) - (
        motions[1, col.MOTION_END + 1] - motions[1, col.MOTION_BEGIN + 1]
    )
    return across, up


@kernel()
def places_miss(motions: Floats, near: float) -> bool:
    """Return whether two places stay farther apart than a distance."""
    dx = motions[1, col.MOTION_BEGIN] - motions[0, col.MOTION_BEGIN]
    dy = motions[1, col.MOTION_BEGIN + 1] - motions[0, col.MOTION_BEGIN + 1]
    apart = dx * dx + dy * dy - near * near
    if apart <= 0.0:
        return False
    vx, vy = closing_of(motions)
    along, speed = dx * vx + dy * vy, vx * vx + vy * vy
    if along <= 0.0:
        return True
    time = min(1.0, along / speed)
    return apart - time * (2.0 * along - time * speed) > 0.0


@kernel(inline=False)
def is_vague(a: Part, b: Part, answers: Floats) -> bool:
    """Return whether `find_impact` has left the normal to `finish_impact`: for an overlap, or two corners."""
    piece_a, piece_b = a.at + int(answers[0, col.IMPACT_PIECE_A]), b.at + int(answers[0, col.IMPACT_PIECE_B])
    is_unknown = answers[0, col.IMPACT_NORMAL] == 0.0 and answers[0, col.IMPACT_NORMAL + 1] == 0.0
    is_overlapping = answers[0, col.IMPACT_OVERLAPPING] == 1.0
    return is_unknown or is_overlapping or both_radii(a.rows, piece_a, b.rows, piece_b) == 0.0


@kernel(inline=False)
def first_impact(a: Part, b: Part, sweep: Sweep, near: float) -> Found:
    """Return the impact of two solids; its time is NaN without one. Its point is only known if one of them turns."""
    motions, answers, stands, first, second = sweep.motions, sweep.answers, sweep.stands, 0, 1
    if places_miss(motions, near):
        return NO_IMPACT
    pair = MovingPair(
        Mover(a.rows, a.at, first, sweep.turned_a),
        Mover(b.rows, b.at, second, sweep.turned_b),
        sweep.course,
        sweep.axis,
    )
    stands[first] = stands[second] = False
    find_impact(pair, motions, stands, sweep.stack, answers, first)
    if math.isnan(answers[0, col.IMPACT_TIME]):
        return NO_IMPACT
    # The points take longer than time and normal.
    if spin_of(motions, 0) != 0.0 or spin_of(motions, 1) != 0.0 or is_vague(a, b, answers):
        finish_impact(pair, motions, stands, sweep.measured, answers, first)
    x, y = answers[0, col.IMPACT_POINTS], answers[0, col.IMPACT_POINTS + 1]
    if answers[0, col.IMPACT_POINT_COUNT] != 1.0:
        x, y = 0.5 * (x + answers[0, col.IMPACT_POINTS + 2]), 0.5 * (y + answers[0, col.IMPACT_POINTS + 3])
    # Adding zero turns a negative zero, which looks odd in a normal, into zero.
    normal = answers[0, col.IMPACT_NORMAL] + 0.0, answers[0, col.IMPACT_NORMAL + 1] + 0.0
    return answers[0, col.IMPACT_TIME], normal, (x, y), answers[0, col.IMPACT_OVERLAPPING] == 1.0


@kernel(inline=False)
def speeds_at(motions: Floats, found: Found, reach_a: float, reach_b: float) -> tuple[float, float]:
    """Return the approach speed at a contact, and an upper bound of that of any other points, by turning."""
    (across, up), (time, (nx, ny), (px, py), _) = closing_of(motions), found
    straight, swing, turning = across * nx + up * ny, 0.0, 0.0
    spin, other_spin = spin_of(motions, 0), spin_of(motions, 1)
    if spin != 0.0 or other_spin != 0.0:
        turning = abs(spin) * reach_a + abs(other_spin) * reach_b
        for motion, turned in ((0, spin), (1, -other_spin)):
            x, y = coordinate_at(motions, motion, 0, time), coordinate_at(motions, motion, 1, time)
            swing += turned * ((px - x) * ny - (py - y) * nx)
    return straight + swing, straight + turning


@kernel(inline=False)
def turn_to(solid: Part, motions: Floats, motion: int, time: float, turned: Floats) -> None:
    """Write a solid as it is posed at a time."""
    turn(solid.rows, solid.at, end_of(solid.rows, solid.at), coordinate_at(motions, motion, 2, time), turned)


@kernel()
def offset_at(motions: Floats, time: float) -> Vector:
    """Return where the second place is from the first at a time."""
    x, y = coordinate_at(motions, 0, 0, time), coordinate_at(motions, 0, 1, time)
    return coordinate_at(motions, 1, 0, time) - x, coordinate_at(motions, 1, 1, time) - y


@kernel()
def slop_at(a: Part, b: Part, motions: Floats, time: float) -> float:
    """Return the distance up to which two solids touch at a time."""
    ax, ay = coordinate_at(motions, 0, 0, time), coordinate_at(motions, 0, 1, time)
    bx, by = coordinate_at(motions, 1, 0, time), coordinate_at(motions, 1, 1, time)
    return slop_of(a.rows, a.at, ax, ay, b.rows, b.at, bx, by)


@kernel(inline=False)
def distance_at(a: Part, b: Part, sweep: Sweep, time: float) -> tuple[float, Vector]:
    """Return the distance of two solids at a time, a negative value for a depth, and the normal."""
    motions, measured, at = sweep.motions, sweep.measured, col.MEASURED
    turn_to(a, motions, 0, time, sweep.turned_a)
    turn_to(b, motions, 1, time, sweep.turned_b)
    offset, slop = offset_at(motions, time), slop_at(a, b, motions, time)
    measure(sweep.turned_a, a.at, sweep.turned_b, b.at, offset, slop, measured)
    normal = measured[at, col.CONTACT_NORMAL], measured[at, col.CONTACT_NORMAL + 1]
    return measured[at, col.CONTACT_GAP], normal


@kernel(inline=False)
def overlap_at(a: Part, b: Part, sweep: Sweep, time: float) -> bool:
    """Return whether two solids overlap or touch at a time."""
    motions = sweep.motions
    turn_to(a, motions, 0, time, sweep.turned_a)
    turn_to(b, motions, 1, time, sweep.turned_b)
    offset, slop = offset_at(motions, time), slop_at(a, b, motions, time)
    return overlap(sweep.turned_a, a.at, sweep.turned_b, b.at, offset, slop)


@kernel(inline=False)
def time_of_depth(a: Part, b: Part, sweep: Sweep, first: float, limit: float, reach_a: float, reach_b: float) -> float:
    """Return the time up to which the depth stays within a limit; NaN if that is the end of the motions.

    A pair that begins deeper may stay so deep, and get slightly deeper: a flipper whose pivot is in a wall can turn.
    The engine pushes out a body that is pressed into a wall faster than it gets in.

    Conservative advancement, as of the time of impact, but for a depth. The depth is at most the overlap along any
    direction, and that along the present normal grows at most by the approach speed along it, turning included. A rod
    that slides along a wall approaches it slowly, however fast it slides. The time is never too late; it is too early
    if the exact one would take many steps. It cannot be before `first`.
    """
    motions = sweep.motions
    across, up = closing_of(motions)
    turning = abs(spin_of(motions, 0)) * reach_a + abs(spin_of(motions, 1)) * reach_b
    time, most = first, limit
    for step in range(MOST_STEPS):
        apart, (nx, ny) = distance_at(a, b, sweep, time)
        speed = across * nx + up * ny + turning
        if speed <= 0.0:
            return math.nan
        if step == 0:
            most = max(limit, DEEPER * limit - apart)
        room = apart + most
        if room <= CLOSE * limit:
            return time
        time += room / speed
        if time >= 1.0:
            return math.nan
    return time


@kernel(inline=False)
def begins_overlapping(a: Part, b: Part, sweep: Sweep, traits: Traits) -> bool:
    """Return whether two solids overlap, or nearly overlap, at the start."""
    motions = sweep.motions
    thickness, margin, extent_a, extent_b, _, _ = traits
    dx = motions[0, col.MOTION_BEGIN] - motions[1, col.MOTION_BEGIN]
    dy = motions[0, col.MOTION_BEGIN + 1] - motions[1, col.MOTION_BEGIN + 1]
    if length_of(dx, dy) > extent_a + extent_b + thickness:
        return False
    apart, _ = distance_at(a, b, sweep, 0.0)
    return apart <= margin + CLOSE * thickness


@kernel(inline=False)
def depth_of_straight(a: Part, b: Part, sweep: Sweep, found: Found, speed: float, limit: float, most: float) -> float:
    """Return the time of an impact after which a pair that does not turn gets too deep, else NaN."""
    time, _, _, is_overlapping = found
    if math.isnan(time) or speed <= 0.0:
        return math.nan
    if is_overlapping and speed * (1.0 - time) <= limit:
        # A body that is pressed on gets deeper step by step.
        apart, _ = distance_at(a, b, sweep, 0.0)
        limit = min(limit, most + apart)
    return time if speed * (1.0 - time) > limit else math.nan


@kernel(inline=False)
def time_too_deep(a: Part, b: Part, sweep: Sweep, traits: Traits, safe: float, found: Found) -> float:
    """Return the time of the impact if the pair would be too deep at the end, or of that depth; else NaN.

    A body that turns about a corner on which it rests gets no deeper, and one of its ends may recede while the other
    one approaches. So turning pairs are checked until the end.
    """
    motions, (thickness, margin, _, _, reach_a, reach_b) = sweep.motions, traits
    time, _, _, is_overlapping = found
    limit, is_touching = max(safe * thickness, margin), not math.isnan(time)
    turning = abs(spin_of(motions, 0)) * reach_a + abs(spin_of(motions, 1)) * reach_b
    across, up = closing_of(motions)
    speed, fastest, left = 0.0, length_of(across, up) + turning, 1.0
    if is_touching:
        speed, fastest = speeds_at(motions, found, reach_a, reach_b)
        left = 1.0 - time
    if fastest * left <= limit or turning == 0.0:
        return depth_of_straight(a, b, sweep, found, speed, limit, MOST_DEPTH * thickness)
    if is_touching and not is_overlapping and time > 0.0:
        if speed * left > limit:
            return time
        depth = time_of_depth(a, b, sweep, time, limit, reach_a, reach_b)
        # The engine has solved the contact from the start: another point gets too deep, and later.
        return depth if math.isnan(depth) or begins_overlapping(a, b, sweep, traits) else time
    if not is_touching and not begins_overlapping(a, b, sweep, traits):
        return math.nan
    # The contact at the start says little about a turning motion.
    return time_of_depth(a, b, sweep, 0.0, max(SOLVED * safe * thickness, margin), reach_a, reach_b)


@kernel(inline=False)
def deep_impact(core: Part, b: Part, sweep: Sweep, traits: Traits, safe: float) -> Found:
    """Return the impact of a core and a solid if the pair would be too deep at the end, else a time of NaN.

    For turning pairs that touch at the start, it has the time when they get too deep. `safe` is the allowed depth of
    the first body, as a fraction of its thickness; the margin is always allowed.
    """
    found = first_impact(core, b, sweep, traits[2] + traits[3])
    time, normal, point, is_overlapping = found
    is_touching = not math.isnan(time)
    time = time_too_deep(core, b, sweep, traits, safe, found)
    return time, normal, point, is_overlapping or not is_touching


@kernel(inline=False)
def contact_time(a: Part, b: Part, sweep: Sweep, traits: Traits, depth: float) -> float:
    """Return the time when two solids overlap by a depth after their impact; NaN if they overlap from the start.

    It is also NaN without an impact before the end, or if they do not approach each other. If the depth is negative,
    they are still as far apart.
    """
    found = first_impact(a, b, sweep, traits[2] + traits[3])
    time, _, _, is_overlapping = found
    if math.isnan(time) or is_overlapping or time == 1.0:
        return math.nan
    approach, fastest = speeds_at(sweep.motions, found, traits[4], traits[5])
    if fastest <= 0.0:
        return math.nan
    speed = approach if depth < 0.0 and approach > 0.0 else fastest
    return min(1.0, max(0.0, time + depth / speed))
