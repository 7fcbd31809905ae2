"""Which moving bodies of another engine stop each other in a step, in the order of their meetings.

The engine moves bodies first and detects overlaps afterwards. It resolves shallow overlaps itself; the meetings here
are those that it would miss, or resolve wrongly. Times run from 0 at the start of the step to 1 at its end.
"""

from __future__ import annotations

import math

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels import examples
from impinge.kernels.arrays import Courses, Engine, Floats, Hits, Ints, Meetings, Part, Sweep, SweptParts
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.deep_impacts import (
    NO_IMPACT,
    Found,
    Traits,
    contact_time,
    coordinate_at,
    deep_impact,
    first_impact,
    overlap_at,
    places_miss,
    spin_of,
)
from impinge.kernels.space.engine_bodies import take_parting

# Depth at which a body is placed in the body it hits, as a fraction of its size, and at least: more than the rounding
# error, and less than what turns one contact between walls into two. A circle without radius, which is as large as the
# latter, is farther from the wall than it seems.
HAIR, LEAST_HAIR = 1e-6, 4e-6


@kernel(inline=False)
def place_at(motions: Floats, row: int, time: float) -> tuple[float, float, float]:
    """Return place and angle of a motion at a time."""
    return (
        coordinate_at(motions, row, 0, time),
        coordinate_at(motions, row, 1, time),
        coordinate_at(motions, row, 2, time),
    )


@kernel()
def write_motion(motions: Floats, row: int, begin: tuple[float, float, float], end: tuple[float, float, float]) -> None:
    """Write a straight motion with constant spin."""
    x, y, angle = begin
    end_x, end_y, end_angle = end
    motions[row, col.MOTION_BEGIN], motions[row, col.MOTION_BEGIN + 1] = x, y
    motions[row, col.MOTION_BEGIN_ANGLE] = angle
    motions[row, col.MOTION_END], motions[row, col.MOTION_END + 1] = end_x, end_y
    motions[row, col.MOTION_END_ANGLE] = end_angle
    motions[row, col.MOTION_PULL] = motions[row, col.MOTION_PULL + 1] = 0.0


@kernel()
def way_of(motions: Floats, row: int, axis: int) -> float:
    """Return how far a motion goes along x or y, or turns."""
    return float(motions[row, col.MOTION_END + axis] - motions[row, col.MOTION_BEGIN + axis])


@kernel()
def is_still(motions: Floats, row: int) -> bool:
    """Return whether a motion ends where it begins."""
    return way_of(motions, row, 0) == 0.0 and way_of(motions, row, 1) == 0.0 and way_of(motions, row, 2) == 0.0


@kernel()
def fraction_since(courses: Courses, body: int, time: float) -> float:
    """Return which fraction of its motion after the last stop a body has made at a time."""
    since = courses.numbers[body, col.COURSE_SINCE]
    return (time - since) / (1.0 - since) if time > since else 0.0


@kernel(inline=False)
def place_of(courses: Courses, body: int, time: float) -> tuple[float, float, float]:
    """Return place and angle of a body at a time."""
    if courses.numbers[body, col.COURSE_STOPPED] <= time:
        return place_at(courses.rests, body, fraction_since(courses, body, time))
    return place_at(courses.motions, body, time)


@kernel(inline=False)
def write_motion_after(courses: Courses, body: int, begin: float, motions: Floats, motion: int) -> None:
    """Write the motion of a body from a time on: after a stop it stands, or is carried."""
    is_stopped = courses.numbers[body, col.COURSE_STOPPED] <= begin
    end = place_at(courses.rests if is_stopped else courses.motions, body, 1.0)
    write_motion(motions, motion, place_of(courses, body, begin), end)


@kernel()
def trait_of(parts: SweptParts, part: int, trait: int) -> float:
    """Return a trait of a shape."""
    return float(parts.rows[parts.firsts[part, col.PART_TRAITS] + trait])


@kernel()
def traits_of(parts: SweptParts, one: int, other: int) -> Traits:
    """Return the traits of two shapes, of which the first is swept."""
    return (
        trait_of(parts, one, col.TRAIT_THICKNESS),
        trait_of(parts, one, col.TRAIT_MARGIN),
        trait_of(parts, one, col.TRAIT_EXTENT),
        trait_of(parts, other, col.TRAIT_EXTENT),
        trait_of(parts, one, col.TRAIT_REACH),
        trait_of(parts, other, col.TRAIT_REACH),
    )


@kernel()
def core_of(parts: SweptParts, part: int) -> Part:
    """Return the core of a shape."""
    return Part(parts.rows, parts.firsts[part, col.PART_CORE])


@kernel()
def solid_of(parts: SweptParts, part: int) -> Part:
    """Return the solid of a shape."""
    return Part(parts.rows, parts.firsts[part, col.PART_SOLID])


@kernel(inline=False)
def strike_of(parts: SweptParts, meetings: Meetings, pair: int, sweep: Sweep, safe: float) -> Found:
    """Return when and how a pair hits each other, if the engine would miss it or resolve it wrongly.

    Else the time is NaN. The engine detects pairs that are not deep at the end of a step; bodies that rest or roll on
    others are better left to it. It detects a sensor if something is in it at the end.

    Parameters
    ----------
    parts, meetings, pair
        The shapes, the pairs of them, and one of these.
    sweep
        The motions of both bodies. The time is a fraction of them: when the depth reaches that of resting bodies.
    safe
        Allowed depth of the first body, as a fraction of its thickness; the margin is always allowed.
    """
    motions, one, other = sweep.motions, meetings.pairs[pair, col.PAIR_PART], meetings.pairs[pair, col.PAIR_OTHER_PART]
    traits = traits_of(parts, one, other)
    near = traits[2] + traits[3]
    turns = (spin_of(motions, 0) != 0.0 and traits[4] > 0.0) or (spin_of(motions, 1) != 0.0 and traits[5] > 0.0)
    if not turns and places_miss(motions, near):
        return NO_IMPACT
    core, solid = core_of(parts, one), solid_of(parts, other)
    if meetings.pairs[pair, col.PAIR_IS_SENSED] == 0:
        return deep_impact(core, solid, sweep, traits, safe)
    found = first_impact(core, solid, sweep, near)
    if math.isnan(found[0]) or found[3]:
        return NO_IMPACT
    return NO_IMPACT if overlap_at(core, solid, sweep, 1.0) else found


@kernel(inline=False)
def time_of_touch(parts: SweptParts, meetings: Meetings, pair: int, sweep: Sweep, hairs: float) -> float:
    """Return when a pair overlaps by so many hairs: one for a contact that the engine detects; NaN if it does already.

    If the number is negative, the pair is still as far apart.
    """
    one, other = meetings.pairs[pair, col.PAIR_PART], meetings.pairs[pair, col.PAIR_OTHER_PART]
    traits = traits_of(parts, one, other)
    if places_miss(sweep.motions, traits[2] + traits[3]):
        return math.nan
    depth = hairs * max(HAIR * traits[2], LEAST_HAIR)
    return contact_time(solid_of(parts, one), solid_of(parts, other), sweep, traits, depth)


# The earliest meeting.


@kernel()
def earlier(meetings: Meetings, one: int, other: int) -> int:
    """Return the earlier one of two meetings, -1 for none; of simultaneous ones, the one found first."""
    if one < 0 or other < 0:
        return max(one, other)
    time, other_time = meetings.hits[one, col.MEETING_TIME], meetings.hits[other, col.MEETING_TIME]
    if time != other_time:
        return one if time < other_time else other
    number, other_number = meetings.states[one, col.MEETING_NUMBER], meetings.states[other, col.MEETING_NUMBER]
    return one if number <= other_number else other


@kernel(inline=False)
def set_time(meetings: Meetings, pair: int, time: float) -> None:
    """Set the time of a pair's meeting, and find the earliest meeting again."""
    meetings.hits[pair, col.MEETING_TIME] = time
    winners = meetings.winners
    node = (winners.shape[0] // 2 + pair) // 2
    while node >= 1:
        winners[node] = earlier(meetings, winners[2 * node], winners[2 * node + 1])
        node //= 2


@kernel()
def begin_meetings(courses: Courses, meetings: Meetings) -> None:
    """Write which pairs each body has, and that no meeting is known."""
    firsts, pairs, winners = meetings.firsts, meetings.pairs, meetings.winners
    firsts[:] = 0
    for pair in range(pairs.shape[0]):
        firsts[pairs[pair, col.PAIR_ONE] + 1] += 1
        firsts[pairs[pair, col.PAIR_OTHER] + 1] += 1
    for body in range(courses.flags.shape[0]):
        firsts[body + 1] += firsts[body]
    for pair in range(pairs.shape[0] - 1, -1, -1):
        # From the last pair on, each body's first free place is behind its last one.
        for body in (pairs[pair, col.PAIR_OTHER], pairs[pair, col.PAIR_ONE]):
            firsts[body + 1] -= 1
            meetings.members[firsts[body + 1]] = pair
    # Now `firsts[i + 1]` is the first place of body i.
    for body in range(courses.flags.shape[0]):
        firsts[body] = firsts[body + 1]
    firsts[courses.flags.shape[0]] = 2 * pairs.shape[0]
    leaves = winners.shape[0] // 2
    for leaf in range(leaves):
        winners[leaves + leaf] = leaf if leaf < pairs.shape[0] else -1
    for pair in range(pairs.shape[0]):
        meetings.hits[pair, col.MEETING_TIME] = math.inf
        meetings.states[pair, col.MEETING_NUMBER], meetings.states[pair, col.MEETING_ORDER] = pair, -1
    for node in range(leaves - 1, 0, -1):
        winners[node] = earlier(meetings, winners[2 * node], winners[2 * node + 1])
    meetings.counts[0] = meetings.counts[1] = 0


@kernel(inline=False)
def look(
    courses: Courses, parts: SweptParts, meetings: Meetings, pair: int, begin: float, safe: float, sweep: Sweep
) -> None:
    """Find the meeting of a pair from a time on."""
    pairs, states, hits = meetings.pairs, meetings.states, meetings.hits
    for side in range(2):
        body = pairs[pair, col.PAIR_ONE + 2 * side]
        write_motion_after(courses, body, begin, sweep.motions, side)
        states[pair, col.MEETING_STOPS + side] = courses.flags[body, col.COURSE_STOPS]
        states[pair, col.MEETING_SHIFTS + side] = courses.flags[body, col.COURSE_SHIFTS]
    time, (nx, ny), _, is_overlapping = strike_of(parts, meetings, pair, sweep, safe)
    if math.isnan(time):
        set_time(meetings, pair, math.inf)
        return
    states[pair, col.MEETING_NUMBER] = meetings.counts[0]
    meetings.counts[0] += 1
    hits[pair, col.MEETING_BEGIN] = begin
    hits[pair, col.MEETING_NORMAL], hits[pair, col.MEETING_NORMAL + 1] = nx, ny
    hits[pair, col.MEETING_IS_OVERLAPPING] = 1.0 if is_overlapping else 0.0
    set_time(meetings, pair, time if begin == 0.0 else begin + time * (1.0 - begin))


@kernel()
def are_equal(courses: Courses, meetings: Meetings, pair: int, known: int, present: int) -> bool:
    """Return whether both bodies of a pair have had no stop, or no shift, since their meeting was found."""
    pairs, states, flags = meetings.pairs, meetings.states, courses.flags
    return (
        states[pair, known] == flags[pairs[pair, col.PAIR_ONE], present]
        and states[pair, known + 1] == flags[pairs[pair, col.PAIR_OTHER], present]
    )


@kernel()
def time_since(courses: Courses, meetings: Meetings, pair: int) -> float:
    """Return the time since which both bodies of a pair have their present motions."""
    since, numbers = 0.0, courses.numbers
    for side in range(2):
        body = meetings.pairs[pair, col.PAIR_ONE + 2 * side]
        if numbers[body, col.COURSE_STOPPED] < 1.0:
            since = max(since, numbers[body, col.COURSE_SINCE])
    return since


@kernel()
def pushed_side(courses: Courses, meetings: Meetings, pair: int) -> int:
    """Return which body of a pair is pushed and must push the other, which stands: 1 or 2; 0 for none.

    Two balls stop each other in a room that moves. Then a wall reaches the first one: without this it would go through
    the second, which the wall reaches later.
    """
    flags, pusher, pushed = courses.flags, col.COURSE_PUSHER, 0
    if meetings.pairs[pair, col.PAIR_IS_SENSED] == 1:
        return 0
    for side in range(2):
        body, other = meetings.pairs[pair, col.PAIR_ONE + 2 * side], meetings.pairs[pair, col.PAIR_OTHER - 2 * side]
        stands = flags[other, col.COURSE_IS_FIXED] == 0 and courses.numbers[other, col.COURSE_STOPPED] < 1.0
        if flags[body, pusher] >= 0 and flags[other, pusher] < 0 and stands:
            pushed = 1 + side
    return pushed


@kernel()
def is_open(courses: Courses, meetings: Meetings, pair: int) -> bool:
    """Return whether a pair must be checked again after a stop: one still moves, or one is pushed and the other stands.

    This includes slow bodies and walls: relative to a body that stands now, they are as fast as relative to a thin one.
    A body that another one carries does not hit another wall of that room either.
    """
    one, other = meetings.pairs[pair, col.PAIR_ONE], meetings.pairs[pair, col.PAIR_OTHER]
    flags, is_any = courses.flags, False
    if pushed_side(courses, meetings, pair) != 0:
        return True
    is_carried = flags[one, col.COURSE_CARRIER] == other or flags[other, col.COURSE_CARRIER] == one
    if is_carried or meetings.states[pair, col.MEETING_ORDER] >= 0:
        return False
    for body in (one, other):
        may_hit = flags[body, col.COURSE_IS_FIXED] == 0 or not is_still(courses.motions, body)
        is_any = is_any or (may_hit and courses.numbers[body, col.COURSE_STOPPED] == 1.0)
    return is_any


# Partings.


@kernel(inline=False)
def use_parting(courses: Courses, engine: Engine, body: int, dt: float) -> None:
    """Add the engine's depenetration to a motion, if it is not in it yet.

    It is used only for bodies with a hit: other bodies are left to the engine.
    """
    flags, numbers = courses.flags, courses.numbers
    if flags[body, col.COURSE_PARTING_STATE] == col.PARTING_USED:
        return
    flags[body, col.COURSE_PARTING_STATE] = col.PARTING_USED
    if engine.functions.shape[0] > 0:
        take_parting(engine, body, dt, numbers)
    is_shifted = False
    for axis in range(3):
        parting = numbers[body, col.COURSE_PARTING + axis]
        is_shifted = is_shifted or parting != 0.0
        courses.motions[body, col.MOTION_END + axis] += parting
    if is_shifted:
        write_motion(courses.rests, body, place_at(courses.motions, body, 0.0), place_at(courses.motions, body, 1.0))
        flags[body, col.COURSE_SHIFTS] += 1


# Stops.


@kernel()
def outweighs(courses: Courses, carrier: int, body: int) -> bool:
    """Return whether a body may turn another one that it carries: one that is lighter does not.

    Thin boards on springs turned with the balls that hit them, ever faster.
    """
    is_heavy = courses.flags[carrier, col.COURSE_IS_HEAVY] == 1
    return is_heavy or courses.numbers[carrier, col.COURSE_MASS] >= courses.numbers[body, col.COURSE_MASS]


@kernel(inline=False)
def time_of_shove(
    courses: Courses, parts: SweptParts, meetings: Meetings, body: int, carrier: int, sweep: Sweep
) -> float:
    """Return until when another body pushes a body: up to the next obstacle that does not give way.

    The first motion of the sweep is the push; the second one is written.
    """
    first = 1.0
    for place in range(meetings.firsts[body], meetings.firsts[body + 1]):
        pair = meetings.members[place]
        pairs, at = meetings.pairs, 0 if meetings.pairs[pair, col.PAIR_ONE] == body else 2
        part, other = pairs[pair, col.PAIR_PART + at], pairs[pair, col.PAIR_OTHER - at]
        other_part = pairs[pair, col.PAIR_OTHER_PART - at]
        if other == carrier or pairs[pair, col.PAIR_IS_SENSED] == 1 or courses.flags[other, col.COURSE_IS_HEAVY] == 0:
            continue
        stand = place_at(courses.rests, other, 1.0)
        write_motion(sweep.motions, 1, stand, stand)
        traits = traits_of(parts, part, other_part)
        time, _, _, _ = deep_impact(core_of(parts, part), solid_of(parts, other_part), sweep, traits, 0.0)
        if time < first:
            first = time
    return first


@kernel(inline=False)
def place_in_contact(
    parts: SweptParts,
    meetings: Meetings,
    pair: int,
    side: int,
    place: tuple[float, float, float],
    turn: float,
    sweep: Sweep,
) -> tuple[float, float, float]:
    """Return where a body of a pair touches the other one, of which the surface has turned away from a place.

    The side says which body it is. The second motion of the sweep ends where the other one does.
    """
    motions, other_part = sweep.motions, meetings.pairs[pair, col.PAIR_OTHER_PART - 2 * side]
    (x, y, angle), other = place, place_at(motions, 1, 1.0)
    way = (2.0 - 4.0 * side) * abs(turn) * trait_of(parts, other_part, col.TRAIT_EXTENT)
    across, up = meetings.hits[pair, col.MEETING_NORMAL] * way, meetings.hits[pair, col.MEETING_NORMAL + 1] * way
    write_motion(motions, side, place, (x + across, y + up, angle))
    write_motion(motions, 1 - side, other, other)
    touch = time_of_touch(parts, meetings, pair, sweep, 1.0)
    return place if math.isnan(touch) else place_at(motions, side, touch)


@kernel(inline=False)
def write_rest(
    courses: Courses, parts: SweptParts, meetings: Meetings, body: int, carrier: int, pair: int, sweep: Sweep
) -> None:
    """Write the motion of a body that its meeting stops: in contact with what it has hit, and moving with that.

    `carrier` is what carries it, -1 for none.
    """
    motions, pairs, time = sweep.motions, meetings.pairs, meetings.hits[pair, col.MEETING_TIME]
    x, y, angle = here = place_of(courses, body, time)
    write_motion(courses.rests, body, here, here)
    if carrier < 0:
        return
    write_motion_after(courses, carrier, time, motions, 1)
    begin_x, begin_y, begin_angle = place_at(motions, 1, 0.0)
    end_x, end_y, end_angle = place_at(motions, 1, 1.0)
    turned, own_side = end_angle - begin_angle, -1
    for side in range(2):
        # A body that touches a wheel does not rotate with it, and neither does what that body pushes.
        is_wheel, met = False, pairs[pair, col.PAIR_ONE + 2 * side]
        if met == carrier:
            own_side = 1 - side
            is_wheel = trait_of(parts, pairs[pair, col.PAIR_PART + 2 * side], col.TRAIT_REACH) == 0.0
        elif met != body and courses.flags[met, col.COURSE_CARRIER] == carrier:
            is_wheel = way_of(courses.rests, met, 2) == 0.0
        if is_wheel:
            turned = 0.0
    if begin_x == end_x and begin_y == end_y and turned == 0.0:
        return
    turn = turned if outweighs(courses, carrier, body) else 0.0
    cos, sin = math.cos(turn), math.sin(turn)
    dx, dy = x - begin_x, y - begin_y
    there = end_x + cos * dx - sin * dy, end_y + sin * dx + cos * dy, angle + turn
    if turn != turned and own_side >= 0:
        there = place_in_contact(parts, meetings, pair, own_side, there, turned, sweep)
    write_motion(motions, 0, here, there)
    first = time_of_shove(courses, parts, meetings, body, carrier, sweep)
    write_motion(courses.rests, body, here, place_at(motions, 0, first))


@kernel()
def stopping_bodies(courses: Courses, meetings: Meetings, pair: int) -> int:
    """Return which bodies a meeting stops, 1 for the first and 2 for the other.

    Fast ones, else moving ones, else those that were stopped before: an unstoppable body pushes on a body that stands,
    also through another one.
    """
    pushed = pushed_side(courses, meetings, pair)
    if pushed != 0:
        return 3 - pushed
    free = going = swept = 0
    for side in range(2):
        body = meetings.pairs[pair, col.PAIR_ONE + 2 * side]
        if courses.flags[body, col.COURSE_IS_FIXED] == 0:
            free |= 1 << side
            if courses.numbers[body, col.COURSE_STOPPED] == 1.0:
                going |= 1 << side
                if courses.flags[body, col.COURSE_IS_SWEPT] == 1:
                    swept |= 1 << side
    if swept != 0:
        return swept
    return going if going != 0 else free


@kernel()
def carrier_of(courses: Courses, meetings: Meetings, pair: int, stopping: int) -> int:
    """Return the body that carries the one of a pair that is stopped, the other one or what pushes that; -1 for none.

    A fast body also follows a light one, which may move away: otherwise the engine finds no contact. A slow body does
    not, because the space behind it has not been checked. What pushes a body pushes all in front of it.
    """
    if stopping == 3:
        return -1
    stopped, other = meetings.pairs[pair, col.PAIR_ONE], meetings.pairs[pair, col.PAIR_OTHER]
    if stopping == 2:
        stopped, other = other, stopped
    if courses.flags[other, col.COURSE_PUSHER] >= 0:
        return int(courses.flags[other, col.COURSE_PUSHER])
    is_led = courses.flags[stopped, col.COURSE_IS_SWEPT] == 1
    return other if is_led or courses.flags[other, col.COURSE_IS_HEAVY] == 1 else -1


@kernel()
def write_stop(courses: Courses, meetings: Meetings, pair: int, body: int, carrier: int) -> None:
    """Stop a body, whose motion after that is written."""
    numbers, flags, time = courses.numbers, courses.flags, meetings.hits[pair, col.MEETING_TIME]
    if meetings.hits[pair, col.MEETING_IS_OVERLAPPING] == 1.0:
        # The engine pushes it out of an overlap that existed before. A body with a new hit must stay there.
        for axis in range(3):
            courses.rests[body, col.MOTION_END + axis] += (1.0 - time) * numbers[body, col.COURSE_PARTING + axis]
    numbers[body, col.COURSE_STOPPED] = min(time, numbers[body, col.COURSE_STOPPED])
    numbers[body, col.COURSE_SINCE] = time
    flags[body, col.COURSE_STOPS] += 1
    flags[body, col.COURSE_CARRIER] = carrier
    is_heavy = carrier >= 0 and flags[carrier, col.COURSE_IS_HEAVY] == 1
    flags[body, col.COURSE_PUSHER] = carrier if is_heavy and not is_still(courses.motions, carrier) else -1


@kernel()
def comes_after_stop(courses: Courses, meetings: Meetings, pair: int) -> bool:
    """Return whether a pair meets after one of its bodies was stopped, which the engine will have sent elsewhere.

    Not if the other one gives way to nothing: a wall that moves must take along what stands in front of it in this
    step. Otherwise a pile in a room that drives was pressed together.
    """
    if meetings.pairs[pair, col.PAIR_IS_SENSED] == 1:
        return False
    first = 1.0
    for side in range(2):
        body = meetings.pairs[pair, col.PAIR_ONE + 2 * side]
        if courses.flags[body, col.COURSE_IS_HEAVY] == 1:
            return False
        first = min(first, courses.numbers[body, col.COURSE_STOPPED])
    return bool(first < meetings.hits[pair, col.MEETING_TIME])


@kernel(inline=False)
def stop_bodies(courses: Courses, parts: SweptParts, meetings: Meetings, pair: int, sweep: Sweep, is_hit: bool) -> int:
    """Stop bodies of a meeting, and return which: 1 for the first, 2 for the other. Only hits are listed."""
    pairs, states, hits = meetings.pairs, meetings.states, meetings.hits
    stopping, time = stopping_bodies(courses, meetings, pair), hits[pair, col.MEETING_TIME]
    carrier = carrier_of(courses, meetings, pair, stopping)
    if is_hit and states[pair, col.MEETING_ORDER] < 0:
        states[pair, col.MEETING_ORDER], states[pair, col.MEETING_STOPPED] = meetings.counts[1], 0
        meetings.counts[1] += 1
        hits[pair, col.MEETING_STOP] = time
        for side in range(2):
            x, y, angle = place_of(courses, pairs[pair, col.PAIR_ONE + 2 * side], time)
            at = col.MEETING_PLACES + 3 * side
            hits[pair, at], hits[pair, at + 1], hits[pair, at + 2] = x, y, angle
    for side in range(2):
        if stopping & (1 << side):
            body = pairs[pair, col.PAIR_ONE + 2 * side]
            write_rest(courses, parts, meetings, body, carrier, pair, sweep)
            write_stop(courses, meetings, pair, body, carrier)
    if is_hit:
        states[pair, col.MEETING_STOPPED] |= stopping
    return stopping


def _example() -> tuple[Courses, SweptParts, Meetings, float, Sweep]:
    row, stack, measured = np.zeros(1), examples.ints(2), examples.floats(col.MEASURED_COLUMNS)
    motions, answers = examples.floats(col.MOTION_COLUMNS), examples.floats(col.IMPACT_COLUMNS)
    sweep = Sweep(motions, answers, row, row, np.zeros(1, np.bool_), stack, measured, row, row)
    return examples.courses(), examples.swept_parts(), examples.meetings(), 0.0, sweep


def _courses_example() -> tuple[Floats, Courses]:
    return examples.floats(col.MOVER_COLUMNS), examples.courses()


@kernel(_courses_example)
def write_courses(movers: Floats, courses: Courses) -> None:
    """Write the motions and flags of bodies that nothing has stopped yet."""
    motions, rests, numbers, flags = courses
    for body in range(movers.shape[0]):
        for column in range(col.MOTION_COLUMNS):
            motions[body, column] = rests[body, column] = movers[body, column]
        numbers[body, col.COURSE_STOPPED] = numbers[body, col.COURSE_SINCE] = 1.0
        numbers[body, col.COURSE_MASS] = movers[body, col.MOVER_MASS]
        for axis in range(3):
            numbers[body, col.COURSE_PARTING + axis] = 0.0
        for flag in range(col.COURSE_PARTING_STATE):
            flags[body, flag] = int(movers[body, col.MOVER_IS_FIXED + flag])
        is_parted = movers[body, col.MOVER_IS_PARTED] == 1.0
        flags[body, col.COURSE_PARTING_STATE] = col.PARTING_UNUSED if is_parted else col.PARTING_USED
        flags[body, col.COURSE_STOPS] = flags[body, col.COURSE_SHIFTS] = 0
        flags[body, col.COURSE_CARRIER] = flags[body, col.COURSE_PUSHER] = -1


def _settle_example() -> tuple[Courses, SweptParts, Meetings, float, Sweep, Engine, float]:
    none = np.zeros(1, np.int64)
    return *_example(), Engine(none, 0, none), 0.0


@kernel(_settle_example)
def settle_meetings(
    courses: Courses, parts: SweptParts, meetings: Meetings, safe: float, sweep: Sweep, engine: Engine, dt: float
) -> None:
    """Stop bodies where they hit each other, the earliest meeting first.

    Parameters
    ----------
    courses, parts
        The bodies, which are written, and their shapes.
    meetings
        The pairs, in the order in which simultaneous meetings count. All else is written.
    safe
        Allowed depth of a body, as a fraction of its thickness.
    sweep
        Memory.
    engine, dt
        The bodies of the engine, and the duration of the step. Without an engine, the numbers of the courses have by
        what it would push bodies out of overlaps.

    Notes
    -----
    A body that meets one which was stopped before waits a hair in front of it: where that is by then, only the engine
    knows. So the engine solves two contacts of a body at once only if it was in one at the start, or a wall reaches it.

    No pair stops its bodies twice, except that one of them which nothing pushes yet is pushed once: a body that is
    crushed between two unstoppable ones would move to and fro forever.
    """
    pairs, hits, winners = meetings.pairs, meetings.hits, meetings.winners
    begin_meetings(courses, meetings)
    for pair in range(pairs.shape[0]):
        if pairs[pair, col.PAIR_IS_CALM] == 0:
            look(courses, parts, meetings, pair, 0.0, safe, sweep)
    while True:
        pair = winners[1]
        time = math.inf if pair < 0 else hits[pair, col.MEETING_TIME]
        if time == math.inf:
            return
        if not are_equal(courses, meetings, pair, col.MEETING_STOPS, col.COURSE_STOPS):
            set_time(meetings, pair, math.inf)
            continue
        use_parting(courses, engine, pairs[pair, col.PAIR_ONE], dt)
        use_parting(courses, engine, pairs[pair, col.PAIR_OTHER], dt)
        if not are_equal(courses, meetings, pair, col.MEETING_SHIFTS, col.COURSE_SHIFTS):
            # Depenetration changes the time of the hit, or prevents it.
            look(courses, parts, meetings, pair, time_since(courses, meetings, pair), safe, sweep)
            continue
        begin = hits[pair, col.MEETING_BEGIN]
        for side in range(2):
            write_motion_after(courses, pairs[pair, col.PAIR_ONE + 2 * side], begin, sweep.motions, side)
        touch = time_of_touch(parts, meetings, pair, sweep, 1.0)
        if not math.isnan(touch):
            time = begin + touch * (1.0 - begin)
            set_time(meetings, pair, time)
        if winners[1] != pair:
            # The first time was too early, most of all for turning bodies: another meeting comes first.
            continue
        is_hit = math.isnan(touch) or not comes_after_stop(courses, meetings, pair)
        if not is_hit:
            # The engine solves all contacts of a step at once, at the velocities before both: energy would change.
            touch = time_of_touch(parts, meetings, pair, sweep, -1.0)
            set_time(meetings, pair, begin + touch * (1.0 - begin))
        stopping = stop_bodies(courses, parts, meetings, pair, sweep, is_hit)
        set_time(meetings, pair, math.inf)
        for side in range(2):
            if stopping & (1 << side):
                body = pairs[pair, col.PAIR_ONE + 2 * side]
                for place in range(meetings.firsts[body], meetings.firsts[body + 1]):
                    member = meetings.members[place]
                    if is_open(courses, meetings, member):
                        look(courses, parts, meetings, member, time_since(courses, meetings, member), safe, sweep)


def _hits_example() -> tuple[Meetings, Ints, Hits]:
    return examples.meetings(), np.zeros(1, np.int64), examples.hits()


@kernel(_hits_example)
def list_hits(meetings: Meetings, numbers: Ints, hits: Hits) -> None:
    """Write the pairs that stopped bodies, in this order, and their numbers: there are `meetings.counts[1]` of them."""
    states = meetings.states
    for pair in range(states.shape[0]):
        order = states[pair, col.MEETING_ORDER]
        if order < 0:
            continue
        numbers[order], hits.stopped[order] = pair, states[pair, col.MEETING_STOPPED]
        for column in range(col.PAIR_COLUMNS):
            hits.pairs[order, column] = meetings.pairs[pair, column]
        for column in range(col.MEETING_HITS):
            hits.rows[order, column] = meetings.hits[pair, column]


def _times_example() -> tuple[Courses, SweptParts, Meetings, float, Sweep, Floats]:
    return *_example(), np.zeros(1)


@kernel(_times_example)
def find_strikes(
    courses: Courses, parts: SweptParts, meetings: Meetings, safe: float, sweep: Sweep, times: Floats
) -> None:
    """Write for each pair when it hits each other, NaN without a hit. Of `meetings`, only the pairs are read."""
    for pair in range(meetings.pairs.shape[0]):
        for side in range(2):
            body = meetings.pairs[pair, col.PAIR_ONE + 2 * side]
            write_motion_after(courses, body, 0.0, sweep.motions, side)
        times[pair], _, _, _ = strike_of(parts, meetings, pair, sweep, safe)


@kernel(_times_example)
def move_in_turn(
    courses: Courses, parts: SweptParts, meetings: Meetings, safe: float, sweep: Sweep, times: Floats
) -> None:
    """Move the first bodies one after the other, each until it hits another body, which stands where it is by then.

    Parameters
    ----------
    courses, parts
        The bodies and their shapes. `rests` has the place of each body, and its place after its turn is written there.
    meetings
        The pairs, each with the body that moves first, in the order of these bodies.
    safe
        Allowed depth of a body, as a fraction of its thickness.
    sweep
        Memory.
    times
        Written: for each body that moves, the fraction of its motion until its first hit, or 1.
    """
    pairs, pair = meetings.pairs, 0
    for body in range(times.shape[0]):
        times[body] = 1.0
        write_motion(sweep.motions, 0, place_at(courses.motions, body, 0.0), place_at(courses.motions, body, 1.0))
        while pair < pairs.shape[0] and pairs[pair, col.PAIR_ONE] == body:
            stand = place_at(courses.rests, pairs[pair, col.PAIR_OTHER], 1.0)
            write_motion(sweep.motions, 1, stand, stand)
            time, _, _, _ = strike_of(parts, meetings, pair, sweep, safe)
            if time < times[body]:
                # A body that moves on as well may be stopped elsewhere in the next step, before this pair meets.
                hairs = -1.0 if pairs[pair, col.PAIR_OTHER] < times.shape[0] else 1.0
                touch = time_of_touch(parts, meetings, pair, sweep, hairs)
                times[body] = time if math.isnan(touch) else min(times[body], touch)
            pair += 1
        stand = place_at(courses.motions, body, times[body])
        write_motion(courses.rests, body, stand, stand)
