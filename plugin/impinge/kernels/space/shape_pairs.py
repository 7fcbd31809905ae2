"""The pairs of shapes of another engine that may hit each other in a step, and which hits are over after it.

`fast_bodies` finds the fast bodies and the shapes near their motions, `meetings` where they stop each other.
"""

from __future__ import annotations

import math

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels import examples
from impinge.kernels.arrays import (
    BodyFacts,
    Courses,
    FastMotions,
    Floats,
    Hits,
    Ints,
    Members,
    MemberTraits,
    SentBodies,
    ShapePairs,
    SweptParts,
)
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.deep_impacts import coordinate_at
from impinge.kernels.pair.depth import length_of
from impinge.kernels.space.meetings import trait_of, way_of

# A place that a fast body is about to get.
HAS_PAIRS = -2

# Listing.


@kernel(inline=False)
def is_left(left: Ints, one: int, other: int) -> bool:
    """Return whether a pair is in a sorted list of pairs."""
    low, high = 0, left.shape[0]
    while low < high:
        middle = (low + high) // 2
        if left[middle, 0] < one or (left[middle, 0] == one and left[middle, 1] < other):
            low = middle + 1
        else:
            high = middle
    return low < left.shape[0] and left[low, 0] == one and left[low, 1] == other


@kernel()
def list_shape(members: Members, total: int, shape: int) -> int:
    """Append a shape to the members if it is not among them; return their number."""
    if members.shape_places[shape] >= 0:
        return total
    members.shape_places[shape], members.shapes[total] = total, shape
    return total + 1


@kernel()
def list_body(members: Members, total: int, row: int) -> int:
    """Append a body to the members if it is not among them; return their number."""
    if members.places[row] >= 0:
        return total
    members.places[row], members.bodies[total] = total, row
    return total + 1


@kernel()
def are_all_left(members: Members, left: Ints, row: int, shape: int) -> bool:
    """Return whether all pairs of a body's shapes with another one are in a list."""
    is_any = False
    for own in range(members.firsts[row], members.firsts[row + 1]):
        is_any = is_any or not is_left(left, own, shape)
    return not is_any


def _members_example() -> tuple[Ints, Ints, Ints, Ints, Members]:
    numbers, pairs = np.zeros(1, np.int64), np.zeros((1, 2), np.int64)
    return numbers, pairs, pairs, pairs, Members(*[numbers] * 6)


@kernel(_members_example)
def list_members(rows: Ints, near: Ints, mates: Ints, left: Ints, members: Members) -> tuple[int, int]:
    """Write the bodies and the shapes of all pairs, each once, the fast bodies first; return their numbers.

    Parameters
    ----------
    rows
        The rows of fast bodies.
    near, mates
        The results of `find_near`.
    left
        Pairs of shapes that do not count, sorted.
    members
        Written: `bodies`, `shapes`, and their places.
    """
    bodies = shapes = 0
    members.places[:] = members.shape_places[:] = -1
    for pair in range(near.shape[0]):
        if left.shape[0] == 0 or not are_all_left(members, left, rows[near[pair, 0]], near[pair, 1]):
            members.places[rows[near[pair, 0]]] = HAS_PAIRS
    for pair in range(mates.shape[0]):
        for side in range(2):
            members.places[rows[mates[pair, side]]] = HAS_PAIRS
    for fast in range(rows.shape[0]):
        row = rows[fast]
        if members.places[row] == HAS_PAIRS:
            bodies = list_body(members, bodies, row)
            for shape in range(members.firsts[row], members.firsts[row + 1]):
                shapes = list_shape(members, shapes, shape)
    for pair in range(near.shape[0]):
        if left.shape[0] == 0 or not are_all_left(members, left, rows[near[pair, 0]], near[pair, 1]):
            shapes = list_shape(members, shapes, near[pair, 1])
            bodies = list_body(members, bodies, members.owners[near[pair, 1]])
    return bodies, shapes


@kernel(inline=False)
def write_mover(figures: Floats, row: int, facts: BodyFacts, place: int, time: float, movers: Floats) -> None:
    """Write the motion of a body: straight for its centre of gravity, with constant spin."""
    states, numbers = facts.states, facts.numbers
    if states[place, col.BODY_KIND] == col.IS_STATIC or states[place, col.BODY_IS_SLEEPING] == 1:
        time = 0.0
    angle, across = figures[row, col.FIGURE_ANGLE], numbers[place, col.BODY_CENTRE]
    up = numbers[place, col.BODY_CENTRE + 1]
    x, y = figures[row, col.FIGURE_PLACE], figures[row, col.FIGURE_PLACE + 1]
    if across != 0.0 or up != 0.0:
        cos, sin = math.cos(angle), math.sin(angle)
        x, y = x + cos * across - sin * up, y + sin * across + cos * up
    movers[place, col.MOTION_BEGIN], movers[place, col.MOTION_BEGIN + 1] = x, y
    movers[place, col.MOTION_BEGIN_ANGLE] = angle
    movers[place, col.MOTION_END] = x + figures[row, col.FIGURE_VELOCITY] * time
    movers[place, col.MOTION_END + 1] = y + figures[row, col.FIGURE_VELOCITY + 1] * time
    movers[place, col.MOTION_END_ANGLE] = angle + figures[row, col.FIGURE_SPIN] * time
    movers[place, col.MOTION_PULL] = movers[place, col.MOTION_PULL + 1] = 0.0


@kernel()
def as_number(flag: bool) -> float:
    """Return a flag as 0 or 1."""
    return 1.0 if flag else 0.0


def _movers_example() -> tuple[Floats, Ints, BodyFacts, Floats, int, Floats]:
    flags = np.zeros(1, np.bool_)
    facts = BodyFacts(examples.ints(col.BODY_IS_SLEEPING + 1), examples.floats(col.BODY_MASS + 1), flags, flags)
    figures, movers = examples.floats(col.FIGURE_COLUMNS), examples.floats(col.MOVER_COLUMNS)
    return figures, np.zeros(1, np.int64), facts, np.zeros(1), 0, movers


@kernel(_movers_example)
def write_movers(figures: Floats, rows: Ints, facts: BodyFacts, times: Floats, fast: int, movers: Floats) -> None:
    """Write bodies as `Meetings` takes them.

    Parameters
    ----------
    figures : (n, FIGURE_COLUMNS)
        All bodies of the engine.
    rows, facts, times
        Some of them, what is known of these, and the durations of their motions.
    fast
        How many of these, the first ones, are swept.
    movers : (b, MOVER_COLUMNS)
        Written.
    """
    for place in range(rows.shape[0]):
        write_mover(figures, rows[place], facts, place, times[place], movers)
        is_dynamic = facts.states[place, col.BODY_KIND] == col.IS_DYNAMIC
        is_sleeping = facts.states[place, col.BODY_IS_SLEEPING] == 1
        is_fixed, is_swept = not facts.may_stop[place], place < fast and not is_sleeping
        movers[place, col.MOVER_MASS] = facts.numbers[place, col.BODY_MASS]
        movers[place, col.MOVER_IS_FIXED] = as_number(is_fixed)
        movers[place, col.MOVER_IS_HEAVY] = as_number(not is_dynamic or (is_fixed and is_swept))
        movers[place, col.MOVER_IS_SWEPT] = as_number(is_swept)
        movers[place, col.MOVER_IS_PARTED] = as_number(facts.may_part[place] and is_dynamic and not is_sleeping)


def _changes_example() -> tuple[Members, Floats, Floats, Floats, Ints, Ints, Ints]:
    *_, members = _members_example()
    marks, known = examples.floats(3), examples.floats(col.MARK_COLUMNS)
    return members, examples.floats(2), marks, known, members.bodies, examples.ints(col.SHAPE_COLUMNS), members.bodies


@kernel(_changes_example)
def find_changed(
    members: Members, centers: Floats, marks: Floats, known: Floats, parts: Ints, shapes: Ints, changed: Ints
) -> int:
    """Write the parts of shapes whose outlines are as they were, and the places of the other ones; return their number.

    Parameters
    ----------
    members, centers
        The shapes and bodies, and the centres of gravity of the bodies.
    marks : (s, MARK_CENTRE)
        Numbers that change with the outline of each shape.
    known, parts : (m, MARK_COLUMNS), (m,)
        Of all shapes: the marks when their parts were found, and the numbers of these, or PART_UNKNOWN. The former are
        updated. Marks may be NaN: Chipmunk's centre of a polygon without extent is.
    shapes : (s, SHAPE_COLUMNS)
        Written: the numbers of the parts.
    changed : (s,)
        Written.
    """
    count = 0
    for place in range(members.shapes.shape[0]):
        shape = members.shapes[place]
        is_other = parts[shape] == col.PART_UNKNOWN
        body = members.places[members.owners[shape]]
        for column in range(col.MARK_COLUMNS):
            is_centre = column >= col.MARK_CENTRE
            mark = centers[body, column - col.MARK_CENTRE] if is_centre else marks[place, column]
            is_same = known[shape, column] == mark or (math.isnan(known[shape, column]) and math.isnan(mark))
            is_other = is_other or not is_same
            known[shape, column] = mark
        shapes[place, col.SHAPE_PART] = parts[shape]
        if is_other:
            changed[count] = place
            count += 1
    return count


# Pairs of shapes.


@kernel()
def are_filtered(shapes: Ints, one: int, other: int) -> bool:
    """Return whether the filters of two shapes prevent their collision."""
    group = shapes[one, col.SHAPE_GROUP]
    return (
        (group != 0 and group == shapes[other, col.SHAPE_GROUP])
        or shapes[one, col.SHAPE_CATEGORIES] & shapes[other, col.SHAPE_MASK] == 0
        or shapes[other, col.SHAPE_CATEGORIES] & shapes[one, col.SHAPE_MASK] == 0
    )


@kernel()
def give_turn(found: ShapePairs, body: int) -> None:
    """Note the place of a body in the order of first pairs."""
    if found.turns[body] < 0:
        found.turns[body] = found.counts[1]
        found.counts[1] += 1


@kernel()
def may_stop(movers: Floats, body: int) -> bool:
    """Return whether a hit may stop a body."""
    return movers[body, col.MOVER_IS_FIXED] == 0.0


@kernel(inline=False)
def add_pair(
    members: Members, traits: MemberTraits, parts: SweptParts, found: ShapePairs, one: int, other: int, is_calm: int
) -> None:
    """Append the pair of a fast body's shape and another one, unless a hit has no effect.

    The body whose core is swept comes first: the thinner one of those that may stop.
    """
    own, its = members.shape_places[one], members.shape_places[other]
    if own < 0 or its < 0:
        return  # `list_members` has found that it does not count
    body, met = members.places[members.owners[one]], members.places[members.owners[other]]
    if (traits.is_soft[body] == 1 and traits.is_soft[met] == 1) or are_filtered(traits.shapes, own, its):
        return
    if is_left(traits.left, one, other):
        return
    give_turn(found, body)
    give_turn(found, met)
    movers, part, other_part = traits.movers, traits.shapes[own, col.SHAPE_PART], traits.shapes[its, col.SHAPE_PART]
    if part < 0 or other_part < 0 or not (may_stop(movers, body) or may_stop(movers, met)):
        return
    is_sensed = max(traits.shapes[own, col.SHAPE_IS_SENSOR], traits.shapes[its, col.SHAPE_IS_SENSOR])
    if not may_stop(movers, body) or (
        movers[met, col.MOVER_IS_SWEPT] == 1.0
        and may_stop(movers, met)
        and trait_of(parts, other_part, col.TRAIT_THICKNESS) < trait_of(parts, part, col.TRAIT_THICKNESS)
    ):
        one, other, body, met, part, other_part = other, one, met, body, other_part, part
    place = found.counts[0]
    found.counts[0] += 1
    if place < found.pairs.shape[0]:
        pairs = found.pairs
        pairs[place, col.PAIR_ONE], pairs[place, col.PAIR_PART] = body, part
        pairs[place, col.PAIR_OTHER], pairs[place, col.PAIR_OTHER_PART] = met, other_part
        pairs[place, col.PAIR_IS_SENSED], pairs[place, col.PAIR_IS_CALM] = is_sensed, is_calm
        found.shapes[place, 0], found.shapes[place, 1] = one, other


@kernel(inline=False)
def go_together(fast: FastMotions, one: int, other: int) -> bool:
    """Return whether two fast bodies hardly move relative to each other, as fragments that fall side by side."""
    row, other_row, figures, sizes = fast.rows[one], fast.rows[other], fast.figures, fast.sizes
    time, other_time = fast.swept[one, col.SWEPT_TIME], fast.swept[other, col.SWEPT_TIME]
    turns = abs(figures[row, col.FIGURE_SPIN]) * time * sizes[row, col.SIZE_REACH]
    turns += abs(figures[other_row, col.FIGURE_SPIN]) * other_time * sizes[other_row, col.SIZE_REACH]
    x = figures[row, col.FIGURE_VELOCITY] * time - figures[other_row, col.FIGURE_VELOCITY] * other_time
    y = figures[row, col.FIGURE_VELOCITY + 1] * time - figures[other_row, col.FIGURE_VELOCITY + 1] * other_time
    return length_of(x, y) + turns <= min(sizes[row, col.SIZE_LIMIT], sizes[other_row, col.SIZE_LIMIT])


def _pairs_example() -> tuple[FastMotions, Ints, Ints, Members, MemberTraits, SweptParts, ShapePairs]:
    rows, near, mates, _, members = _members_example()
    figures, sizes = examples.floats(col.FIGURE_COLUMNS), examples.floats(col.SIZE_COLUMNS)
    traits = MemberTraits(examples.floats(col.MOVER_COLUMNS), rows, examples.ints(col.SHAPE_COLUMNS), near)
    fast = FastMotions(figures, sizes, rows, examples.floats(col.SWEPT_COLUMNS))
    found = ShapePairs(examples.ints(col.PAIR_COLUMNS), near, rows, rows)
    return fast, near, mates, members, traits, examples.swept_parts(), found


@kernel(_pairs_example)
def write_pairs(
    fast: FastMotions,
    near: Ints,
    mates: Ints,
    members: Members,
    traits: MemberTraits,
    parts: SweptParts,
    found: ShapePairs,
) -> None:
    """Write the pairs of shapes that may hit each other.

    Parameters
    ----------
    fast, near, mates
        The fast bodies, and the results of `find_near`.
    members, traits, parts
        The results of `list_members`, what is known of these bodies and shapes, and the parts of the shapes.
    found
        Written: the pairs, in the order in which simultaneous hits count. If the count exceeds the room, the rest is
        left out.
    """
    firsts, rows = members.firsts, fast.rows
    found.turns[:], found.counts[:] = -1, 0
    for pair in range(near.shape[0]):
        row = rows[near[pair, 0]]
        # The pairs of a body follow each other, and go shape by shape.
        if pair > 0 and near[pair - 1, 0] == near[pair, 0]:
            continue
        end = pair + 1
        while end < near.shape[0] and near[end, 0] == near[pair, 0]:
            end += 1
        for shape in range(firsts[row], firsts[row + 1]):
            for other in range(pair, end):
                add_pair(members, traits, parts, found, shape, near[other, 1], 0)
    for pair in range(mates.shape[0]):
        # Even bodies that move together hit each other once one of them is stopped.
        is_calm = 1 if go_together(fast, mates[pair, 0], mates[pair, 1]) else 0
        row, other_row = rows[mates[pair, 0]], rows[mates[pair, 1]]
        for shape in range(firsts[row], firsts[row + 1]):
            for other in range(firsts[other_row], firsts[other_row + 1]):
                add_pair(members, traits, parts, found, shape, other, is_calm)


# Around the step.


def _sent_example() -> tuple[Courses, Floats, float, Ints, Ints]:
    return examples.courses(), np.zeros(1), 0.0, np.zeros(1, np.int64), np.zeros(1, np.int64)


@kernel(_sent_example)
def list_sent(courses: Courses, times: Floats, dt: float, turns: Ints, places: Ints) -> int:
    """Write the bodies that the engine alone would not bring to the end of their motions; return their number.

    Parameters
    ----------
    courses, times
        The bodies, and the durations of their motions.
    dt
        Duration of the step.
    turns : (b,)
        The order of those with a turn; the others follow, with a turn of -1.
    places : (2 b,)
        Written: the bodies; behind the first b, memory.
    """
    total, count = times.shape[0], 0
    for body in range(total):
        places[total + body] = -1
    for body in range(total):
        if turns[body] >= 0:
            places[total + turns[body]] = body
    for turn in range(2 * total):
        body = places[total + turn] if turn < total else turn - total
        if body < 0 or (turn >= total and turns[body] >= 0):
            continue
        is_late = times[body] > dt and courses.flags[body, col.COURSE_IS_FIXED] == 0
        is_sent = is_late or courses.numbers[body, col.COURSE_STOPPED] < 1.0
        is_parted = courses.flags[body, col.COURSE_PARTING_STATE] == col.PARTING_USED
        for axis in range(3):
            is_sent = is_sent or (is_parted and courses.numbers[body, col.COURSE_PARTING + axis] != 0.0)
        if is_sent:
            places[count] = body
            count += 1
    return count


@kernel()
def center_of(after: Floats, centers: Floats, body: int) -> tuple[float, float]:
    """Return the position of the centre of gravity of a body."""
    x, y, across, up = (
        after[body, col.FIGURE_PLACE],
        after[body, col.FIGURE_PLACE + 1],
        centers[body, 0],
        centers[body, 1],
    )
    if across == 0.0 and up == 0.0:
        return x, y
    cos, sin = math.cos(after[body, col.FIGURE_ANGLE]), math.sin(after[body, col.FIGURE_ANGLE])
    return x + cos * across - sin * up, y + sin * across + cos * up


@kernel()
def are_finite(after: Floats, body: int) -> bool:
    """Return whether all numbers of a body are finite."""
    is_any = False
    for column in range(col.FIGURE_COLUMNS):
        is_any = is_any or not abs(after[body, column]) < math.inf
    return not is_any


def _arrivals_example() -> tuple[Courses, Floats, Floats, SentBodies, tuple[float, float], Ints]:
    courses, _, _, places, arrivals = _sent_example()
    sent = SentBodies(places, examples.ints(2), examples.floats(col.SIZE_COLUMNS))
    return courses, examples.floats(col.FIGURE_COLUMNS), examples.floats(2), sent, (0.0, 0.0), arrivals


@kernel(_arrivals_example)
def find_arrivals(
    courses: Courses,
    after: Floats,
    centers: Floats,
    sent: SentBodies,
    allowance: tuple[float, float],
    arrivals: Ints,
) -> int:
    """Write which bodies are where they were sent: IS_ELSEWHERE, HAS_ARRIVED or GOES_ON; return how many go on.

    Parameters
    ----------
    courses
        The bodies of the step.
    after, centers : (b, FIGURE_COLUMNS), (b, 2 or more)
        The bodies after the step, and their centres of gravity in their own frames.
    sent, allowance
        Those that were sent, and how far one may be from there: in ways without a sweep, and in addition.
    arrivals : (b,)
        Written.
    """
    arrivals[:], count = col.IS_ELSEWHERE, 0
    in_ways, in_addition = allowance
    for row in range(sent.places.shape[0]):
        body, way = sent.places[row], sent.sizes[row, col.SIZE_LIMIT]
        if sent.states[row, col.BODY_KIND] != col.IS_DYNAMIC or sent.states[row, col.BODY_IS_SLEEPING] == 1:
            continue
        # A body whose shapes have no extent needs no sweep, however far it moves.
        limit = in_addition + (in_ways * way if way < math.inf else 0.0)
        x, y = center_of(after, centers, body)
        dx, dy = x - courses.rests[body, col.MOTION_END], y - courses.rests[body, col.MOTION_END + 1]
        if not length_of(dx, dy) > limit:
            goes_on = courses.numbers[body, col.COURSE_STOPPED] < 1.0 and are_finite(after, body)
            arrivals[body] = col.GOES_ON if goes_on else col.HAS_ARRIVED
            count += 1 if goes_on else 0
    return count


@kernel(inline=False)
def is_over(parts: SweptParts, hits: Hits, hit: int, after: Floats) -> bool:
    """Return whether a pair separates; False for turning shapes other than wheels, where it is uncertain."""
    pairs, rows = hits.pairs, hits.rows
    one, other = pairs[hit, col.PAIR_ONE], pairs[hit, col.PAIR_OTHER]
    for body, part in ((one, pairs[hit, col.PAIR_PART]), (other, pairs[hit, col.PAIR_OTHER_PART])):
        if after[body, col.FIGURE_SPIN] != 0.0 and trait_of(parts, part, col.TRAIT_REACH) > 0.0:
            return False
    x = after[one, col.FIGURE_VELOCITY] - after[other, col.FIGURE_VELOCITY]
    y = after[one, col.FIGURE_VELOCITY + 1] - after[other, col.FIGURE_VELOCITY + 1]
    return x * rows[hit, col.MEETING_NORMAL] + y * rows[hit, col.MEETING_NORMAL + 1] < 0.0


@kernel(inline=False)
def cannot_return(courses: Courses, parts: SweptParts, hits: Hits, hit: int, after: Floats, centers: Floats) -> bool:
    """Return whether the first body of a pair cannot hit the other one again, which must stand still.

    The other body is entirely on one side of the contact, and the first body moves to the opposite side. A body that
    others have pushed beyond its stop may hit it.
    """
    one, other, motions = hits.pairs[hit, col.PAIR_ONE], hits.pairs[hit, col.PAIR_OTHER], courses.motions
    nx, ny = hits.rows[hit, col.MEETING_NORMAL], hits.rows[hit, col.MEETING_NORMAL + 1]
    if after[one, col.FIGURE_VELOCITY] * nx + after[one, col.FIGURE_VELOCITY + 1] * ny >= 0.0:
        return False
    x, y = center_of(after, centers, one)
    dx, dy = x - courses.rests[one, col.MOTION_END], y - courses.rests[one, col.MOTION_END + 1]
    if dx * nx + dy * ny > trait_of(parts, hits.pairs[hit, col.PAIR_PART], col.TRAIT_MARGIN):
        return False
    for axis in range(3):
        begin = motions[other, col.MOTION_BEGIN + axis]
        if begin != motions[other, col.MOTION_END + axis] or begin != after[other, col.FIGURE_PLACE + axis]:
            return False
    return centers[other, 0] == 0.0 and centers[other, 1] == 0.0


def _ends_example() -> tuple[Courses, SweptParts, Hits, Floats, Floats, Ints, Ints]:
    courses, after, centers, _, _, arrivals = _arrivals_example()
    return courses, examples.swept_parts(), examples.hits(), after, centers, arrivals, arrivals


@kernel(_ends_example)
def find_ends(
    courses: Courses, parts: SweptParts, hits: Hits, after: Floats, centers: Floats, arrivals: Ints, ends: Ints
) -> tuple[int, int]:
    """Write how hits ended: HIT_IS_OVER, also if no stopped body has arrived; HIT_MAY_LAST; or HIT_IS_LEFT.

    Return the number of the latter two.

    Parameters
    ----------
    courses, parts
        The bodies of the step, and their shapes.
    hits
        The hits.
    after, centers, arrivals
        The bodies after the step, as in `find_arrivals`, and its result.
    ends : (h,)
        Written.
    """
    pairs, lasting, left = hits.pairs, 0, 0
    for hit in range(pairs.shape[0]):
        ends[hit], stopped = col.HIT_IS_OVER, hits.stopped[hit]
        is_first = stopped & 1 != 0 and arrivals[pairs[hit, col.PAIR_ONE]] != col.IS_ELSEWHERE
        is_other = stopped & 2 != 0 and arrivals[pairs[hit, col.PAIR_OTHER]] != col.IS_ELSEWHERE
        if not (is_first or is_other):
            continue
        if pairs[hit, col.PAIR_IS_SENSED] == 1 or not is_over(parts, hits, hit, after):
            ends[hit] = col.HIT_MAY_LAST
            lasting += 1
        elif is_first and cannot_return(courses, parts, hits, hit, after, centers):
            ends[hit] = col.HIT_IS_LEFT
            left += 1
    return lasting, left


def _rests_example() -> tuple[Courses, Floats, Floats, Floats, float, Floats, Ints, Floats]:
    courses, after, centers, sent, _, places = _arrivals_example()
    return courses, after, centers, np.zeros(1), 0.0, sent.sizes, places, examples.floats(col.REST_COLUMNS)


@kernel(_rests_example)
def write_rests(
    courses: Courses,
    after: Floats,
    centers: Floats,
    times: Floats,
    dt: float,
    sizes: Floats,
    places: Ints,
    rests: Floats,
) -> None:
    """Write the rests of the motions of bodies after their stops, with their new velocities.

    Parameters
    ----------
    courses, after, centers
        The bodies, as in `find_arrivals`.
    times : (b,)
        The durations of their motions.
    dt
        The duration of the step.
    sizes : (k, SIZE_COLUMNS)
        Of those that go on.
    places : (k,)
        Those that go on.
    rests : (k, REST_COLUMNS)
        Written.
    """
    for turn in range(places.shape[0]):
        body = places[turn]
        stopped, motions = courses.numbers[body, col.COURSE_STOPPED], courses.motions
        time = times[body] * (1.0 - stopped)
        # The debt of a body that moves on with a wall counts from there. Other bodies get another velocity by the hit.
        late = times[body] / dt - 1.0 if courses.flags[body, col.COURSE_PUSHER] >= 0 else 0.0
        here = center_of(after, centers, body)
        for axis in range(3):
            begin = after[body, col.FIGURE_ANGLE] if axis == 2 else here[0] if axis == 0 else here[1]
            # Start at the impact: the new velocity includes the motion with the other body since then.
            end = coordinate_at(motions, body, axis, stopped) + after[body, col.FIGURE_VELOCITY + axis] * time
            end -= late * way_of(courses.rests, body, axis)
            rests[turn, axis], rests[turn, 3 + axis] = begin, end
            if axis < 2:
                extent = sizes[turn, col.SIZE_EXTENT]
                rests[turn, col.REST_BOUNDS + axis] = min(begin, end) - extent
                rests[turn, col.REST_BOUNDS + 2 + axis] = max(begin, end) + extent
        rests[turn, col.REST_TIME] = time


def _falls_example() -> tuple[Hits, Floats, Floats, Floats, tuple[float, float], float, Floats]:
    _, _, hits, after, *_ = _ends_example()
    movers, velocities = examples.floats(col.MOVER_COLUMNS), examples.floats(3)
    return hits, movers, velocities, after, (0.0, 0.0), 0.0, examples.floats(2)


@kernel(_falls_example)
def write_falls(
    hits: Hits,
    movers: Floats,
    velocities: Floats,
    after: Floats,
    gravity: tuple[float, float],
    dt: float,
    falls: Floats,
) -> None:
    """Write the gravity on bodies after their stops: none along the normal of an unstoppable body on which one rests.

    Parameters
    ----------
    hits
        The hits.
    movers, velocities : (b, MOVER_COLUMNS), (b, 3)
        The bodies, and their velocities before the step.
    after : (b, FIGURE_COLUMNS)
        The bodies after the step.
    gravity, dt
        The gravity, and the duration of the step.
    falls : (b, 2)
        Written.
    """
    falls[:, 0], falls[:, 1] = gravity
    for hit in range(hits.pairs.shape[0]):
        nx, ny = hits.rows[hit, col.MEETING_NORMAL], hits.rows[hit, col.MEETING_NORMAL + 1]
        for side in range(2):
            if hits.stopped[hit] & (1 << side) == 0:
                continue
            body, other = hits.pairs[hit, col.PAIR_ONE + 2 * side], hits.pairs[hit, col.PAIR_OTHER - 2 * side]
            at, other_at = col.MEETING_PLACES + 3 * side, col.MEETING_PLACES + 3 - 3 * side
            right = hits.rows[hit, at] - hits.rows[hit, other_at]
            up = hits.rows[hit, at + 1] - hits.rows[hit, other_at + 1]
            along, spin = falls[body, 0] * nx + falls[body, 1] * ny, velocities[other, 2]
            # The speed of its centre relative to the other body there.
            x = after[body, col.FIGURE_VELOCITY] - velocities[other, 0] + spin * up
            y = after[body, col.FIGURE_VELOCITY + 1] - velocities[other, 1] - spin * right
            if movers[other, col.MOVER_IS_HEAVY] == 1.0 and abs(x * nx + y * ny) <= abs(along) * dt:
                falls[body, 0] -= along * nx
                falls[body, 1] -= along * ny
