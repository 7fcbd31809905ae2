"""One frame of a weak solid W of any shape: the push rule with normals of all directions.

W moves in legs. On each, it has the velocity that `contact_planes` finds: until its next contact, the end of a side, or
a bend in a candidate's path. A turn of the loop plans one leg. Plain boxes take the box path, which is faster.
"""

from __future__ import annotations

import math

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import (
    Bodies,
    Candidates,
    Contacts,
    Floats,
    FrameRows,
    Ints,
    Report,
    Scratch,
    Tree,
    Vector,
)
from impinge.kernels.compiler import kernel
from impinge.kernels.space.posed_solids import ensure_posed_solid
from impinge.kernels.step.box_path import add_bend, stores_path
from impinge.kernels.step.broadphase import find_candidates, widen_along_path, widen_around_path, widen_to_place
from impinge.kernels.step.candidate_window import needs_window, select_candidates, set_window, time_in_window
from impinge.kernels.step.candidates import (
    LAST_INSTANT,
    comes_first,
    has_precedence,
    load_stretch,
    mighty_place,
    relative_velocity,
)
from impinge.kernels.step.contact_lifetime import contact_set_lifetime, go_around_corners
from impinge.kernels.step.contact_planes import (
    allow_for_slides,
    choose_velocity,
    chosen_normal,
    contact_noise,
    is_passable,
    is_sticky_side,
    is_walkable_contact,
    separating_speed,
)
from impinge.kernels.step.contacts import (
    face_along,
    find_contacts,
    has_real_rotation,
    pose_candidate,
    pose_candidates,
    pose_weak,
    rotated,
    write_pair_solids,
    write_solid_tolerances,
)
from impinge.kernels.step.depenetration import (
    depenetrate_solid,
    depenetration_vector,
    leave_last_frame,
    leave_squeeze,
    solid_overlap_reach,
)
from impinge.kernels.step.events import report_contact, write_event
from impinge.kernels.step.next_contact import (
    deviation_rate,
    free_length,
    free_share,
    time_to_straight_contact,
    time_to_turning_contact,
    time_within_clearance,
)
from impinge.kernels.step.outline_chains import (
    corner_total,
    drop_chains,
    reserve_chain,
    room_on_chains,
    time_on_chains,
)
from impinge.kernels.step.position_correction import (
    align_to_sides,
    correct_position,
    gap_of_contact,
    keep_carrier_offset,
    report_remaining_overlaps,
)
from impinge.kernels.step.rounded_corners import is_round
from impinge.kernels.step.rows import expect_rows, must_resolve_again
from impinge.kernels.step.sensors import report_sensors
from impinge.kernels.step.walking import find_ledges, is_at_step, may_snap, snap_down, step_up, widen_for_step
from impinge.kernels.tolerances import SLOP

# Limit of turns for one W, and more for each corner near it. A longer loop is a rounding trap.
TURN_LIMIT = 4096
TURNS_PER_CORNER = 4
# Further turns in which only contacts that push W move it. Then W stays where it is.
PUSH_TURNS = 1024
# Turns in which each leg lasts as long as its contacts, and more for each candidate, for each of its corners, and for
# each radian that W turns. After these, each leg is at least this part of the rest of the frame, and less exact: W may
# alternate between contacts thousands of times. But no body moves by more than this part of its size in it.
EXACT_TURNS = 24
EXACT_TURNS_PER_CANDIDATE = 1
EXACT_TURNS_PER_RADIAN = 32
COUNTED_TURNS = 8
LEAST_SHARE = 1.0 / 16.0
SIZE_SHARE = 1.0 / 4.0
# If W alternates nevertheless, as in a closing corner, its own movement ends: in so many turns W must get on by this
# part of the frame, or by its own size.
CHECKED_TURNS = 32
LEAST_PROGRESS = 1.0 / 4.0
# Parts of a span. A leg that is shorter or longer is planned again with its own means, at most so many times.
SHORTER, LONGER = 0.9, 1.1
MOST_TRIES = 4
# How often the chord of an arc is made shorter that meets a candidate.
MOST_BENDS = 6
# The next chord is off the arc by a quarter of this squared, in distances of the present chord from the arc where W
# meets the candidate.
BENT_SHARE = 1.5
# Depth corrections in a frame. With more of them W moves to and fro between two contacts.
MOST_PARTS = 128
# Largest gain of speed by bounces, as a multiple of the fastest body involved. In a closing gap, as between a floor and
# a press, a ball would bounce ever faster without end.
MOST_GAIN = 16.0
# Steps that a walker climbs in a frame.
MOST_STEPS = 32
# At the end of the frame: twice as many at most.
LAST_PARTS = 8
# Bounces at one instant. With more of them W is in a closing gap, and only pushing ends the frame.
MOST_BOUNCES = 16
# Successive legs without progress: they take no time, or less than `BRIEF` for this part of a slop.
MOST_STALLS = 8
BRIEF = 1e-9
NOWHERE = 1e-2

# What a step of a turn leads to: the next turn, the next step, or the end of the frame.
NEXT_TURN, GO_ON, DONE = 0, 1, 2


@kernel(inline=False)
def set_out_solid(weak: int, way: Floats, bodies: Bodies) -> None:
    """Put W at its start, and clear what the last frame left on it."""
    floats, ints = bodies.floats, bodies.ints
    for axis in range(2):
        way[col.WAY_PLACE + axis] = floats[weak, col.START + axis]
        way[col.WAY_OWN + axis] = floats[weak, col.GOAL + axis] - floats[weak, col.START + axis]
        way[col.WAY_SPEED + axis] = way[col.WAY_OWN + axis]
    way[col.WAY_SWIFTEST] = math.sqrt(way[col.WAY_OWN] * way[col.WAY_OWN] + way[col.WAY_OWN + 1] * way[col.WAY_OWN + 1])
    floats[weak, col.REACHED_ANGLE] = floats[weak, col.GOAL_ANGLE]
    way[col.WAY_WHIRL] = floats[weak, col.GOAL_ANGLE] - floats[weak, col.ANGLE]
    way[col.WAY_ANGLE] = floats[weak, col.ANGLE]
    floats[weak, col.FIRST_TOUCH] = np.nan
    ints[weak, col.SIDES] = ints[weak, col.STUCK] = ints[weak, col.BLOCKED] = 0
    ints[weak, col.OVERLAPPED] = ints[weak, col.KNOT_COUNT] = ints[weak, col.IS_CUT_SHORT] = 0
    ints[weak, col.FLOOR] = ints[weak, col.STUCK_IN] = -1


@kernel(inline=False)
def hold_on(total: int, way: Floats, candidates: Candidates, touches: Floats) -> None:
    """Note which bodies hold W by a sticky side that it touches at the frame's start [9]."""
    near, tags = candidates.near, candidates.tags
    for touch in range(total):
        neighbour = int(touches[touch, col.TOUCH_NEIGHBOUR])
        if not is_sticky_side(touch, 0.0, near, tags, touches):
            continue
        rides = (
            way[col.WAY_OWN] == near[neighbour, col.NEAR_VELOCITY]
            and way[col.WAY_OWN + 1] == near[neighbour, col.NEAR_VELOCITY + 1]
            and near[neighbour, col.NEAR_SPIN] == 0.0
        )
        if not rides:
            tags[neighbour, col.TAG_BITS] |= col.BIT_HELD


@kernel(inline=False)
def pass_in(total: int, way: Floats, candidates: Candidates, touches: Floats) -> None:
    """Let W into the neighbours that it enters by a side that lets it in [8]."""
    for touch in range(total):
        if touches[touch, col.TOUCH_STATE] != col.STATE_IDLE:
            continue
        loose, which = separating_speed(touch, way[col.WAY_SPEED], way[col.WAY_SPEED + 1], touches)
        noise = contact_noise(touch, way[col.WAY_SPEED], way[col.WAY_SPEED + 1], candidates.near, touches)
        if loose < -noise and is_passable(touch, which, touches):
            candidates.tags[int(touches[touch, col.TOUCH_NEIGHBOUR]), col.TAG_BITS] |= col.BIT_IGNORED


@kernel(inline=False)
def opposes(touch: int, total: int, touches: Floats) -> bool:
    """Whether a touch holds W against one that it has no room for."""
    nx, ny, _, _ = chosen_normal(touch, touches)
    for other in range(total):
        if touches[other, col.TOUCH_STATE] == col.STATE_REJECTED:
            mx, my, _, _ = chosen_normal(other, touches)
            if nx * mx + ny * my < 0.0:
                return True
    return False


@kernel(inline=False)
def stop_or_bounce(
    touch: int, weak: int, stuck: bool, way: Floats, candidates: Candidates, bodies: Bodies, touches: Floats
) -> bool:
    """Let W stop at a contact that it moves into, or bounce; return whether that may change its own velocity."""
    floats, ints, tags = bodies.floats, bodies.ints, candidates.tags
    nx, ny, limit, owner = chosen_normal(touch, touches)
    neighbour = int(touches[owner, col.TOUCH_NEIGHBOUR])
    closing = nx * way[col.WAY_OWN] + ny * way[col.WAY_OWN + 1] - limit
    if closing >= -contact_noise(touch, way[col.WAY_OWN], way[col.WAY_OWN + 1], candidates.near, touches):
        return False
    if tags[neighbour, col.TAG_RULE] == col.RESPONSE_STOP:
        if way[col.WAY_OWN] == 0.0 and way[col.WAY_OWN + 1] == 0.0:
            return False
        way[col.WAY_OWN] = way[col.WAY_OWN + 1] = 0.0
        return True
    restitution, is_own = 0.0, False
    for body in (weak, tags[neighbour, col.TAG_BODY]):
        if ints[body, col.RESPONSE] == col.RESPONSE_BOUNCE:
            restitution, is_own = max(restitution, floats[body, col.RESTITUTION]), True
    if not is_own:
        # No body of the pair bounces by itself: a hook asked for it.
        restitution = max(floats[weak, col.RESTITUTION], floats[tags[neighbour, col.TAG_BODY], col.RESTITUTION])
    x = way[col.WAY_OWN] - (1.0 + restitution) * closing * nx
    y = way[col.WAY_OWN + 1] - (1.0 + restitution) * closing * ny
    way[col.WAY_SWIFTEST] = max(way[col.WAY_SWIFTEST], abs(limit))
    if stuck:
        # Between two closing bodies W cannot bounce.
        way[col.WAY_OWN] = way[col.WAY_OWN + 1] = 0.0
    elif x * x + y * y <= MOST_GAIN * MOST_GAIN * way[col.WAY_SWIFTEST] * way[col.WAY_SWIFTEST]:
        way[col.WAY_OWN], way[col.WAY_OWN + 1] = x, y
        return restitution > 0.0
    return False


@kernel()
def other_normal(touch: int, touches: Floats) -> Vector:
    """Return the normal of a corner that does not hold W."""
    at = col.TOUCH_NORMAL if touches[touch, col.TOUCH_CHOSEN] == 2.0 else col.TOUCH_SECOND_NORMAL
    return touches[touch, at], touches[touch, at + 1]


@kernel(inline=False)
def note_blocked(touch: int, weak: int, candidates: Candidates, bodies: Bodies, touches: Floats) -> None:
    """Note which side of W a contact blocks, and that W stands on it if it is a floor."""
    floats, ints, tags = bodies.floats, bodies.ints, candidates.tags
    nx, ny, _, owner = chosen_normal(touch, touches)
    body = tags[int(touches[owner, col.TOUCH_NEIGHBOUR]), col.TAG_BODY]
    face = face_along((nx, ny))
    ints[weak, col.BLOCKED] |= 1 << (face ^ 1)
    if touches[touch, col.TOUCH_FORCED] == col.FORCED_PINNED:
        ints[weak, col.BLOCKED] |= 1 << (face_along(other_normal(touch, touches)) ^ 1)
    is_floor = face == 3
    if floats[weak, col.FLOOR_COSINE] <= 1.0:
        is_floor = is_walkable_contact(touch, ny, floats[weak, col.FLOOR_COSINE], touches)
    if is_floor and comes_first(body, ints[weak, col.FLOOR], ints):
        ints[weak, col.FLOOR] = body
        floats[weak, col.FLOOR_SPEED] = touches[owner, col.TOUCH_GROUND]
        floats[weak, col.FLOOR_SPEED + 1] = touches[owner, col.TOUCH_GROUND + 1]


@kernel(inline=False)
def note_last_contacts(
    weak: int, way: Floats, candidates: Candidates, bodies: Bodies, touches: Floats, run: Ints
) -> None:
    """Note at the frame's end what the last leg has changed: the normals at rounded corners, and which contacts ended.

    W may leave a rounded corner along its tangent, or slide off a tile onto the next one. Any other end has a new leg.
    """
    solids, near, total, is_changed, pressing = bodies.solids, candidates.near, run[col.RUN_TOTAL], False, 0
    for touch in range(total):
        pressing += 1 if touches[touch, col.TOUCH_STATE] == col.STATE_PRESSES else 0
    for touch in range(total):
        if touches[touch, col.TOUCH_STATE] != col.STATE_PRESSES:
            continue
        side = 1 if touches[touch, col.TOUCH_CHOSEN] == 2.0 else 0
        is_rolling = touches[touch, col.TOUCH_FEATURE + side] == col.FEATURE_VERTICES
        is_still = touches[touch, col.TOUCH_TWIST + side] == 0.0 and not is_rolling
        has_ended = is_still and way[col.WAY_REST] > touches[touch, col.TOUCH_ENDS]
        if not has_ended and not is_rolling:
            continue
        if is_round(touch, solids, touches):
            touches[touch, col.TOUCH_FEATURE + side] = col.FEATURE_VERTICES
            _, _, _, owner = chosen_normal(touch, touches)
            neighbour, at = int(touches[owner, col.TOUCH_NEIGHBOUR]), col.TOUCH_NORMAL + 2 * side
            pose_candidate(neighbour, way[col.WAY_TIME], candidates, bodies)
            gap, nx, ny = gap_of_contact(touch, way, near, solids, touches)
            touches[touch, at], touches[touch, at + 1], is_changed = nx, ny, True
            has_ended = gap > near[neighbour, col.NEAR_TOUCHING]
        else:
            has_ended = has_ended and pressing > 1
        if has_ended:
            touches[touch, col.TOUCH_STATE], is_changed = col.STATE_IDLE, True
    if not is_changed:
        return
    bodies.ints[weak, col.BLOCKED], bodies.ints[weak, col.FLOOR] = 0, -1
    for touch in range(total):
        if touches[touch, col.TOUCH_STATE] in (col.STATE_PRESSES, col.STATE_REJECTED):
            note_blocked(touch, weak, candidates, bodies, touches)


@kernel(inline=False)
def respond(
    weak: int,
    squeezed: bool,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    touches: Floats,
    frame: FrameRows,
    run: Ints,
) -> bool:
    """Report the contacts that push W, and let W bounce or stop if it may; returns whether that has changed OWN."""
    ints, tags = bodies.ints, candidates.tags
    time, total = way[col.WAY_TIME], run[col.RUN_TOTAL]
    may_change = run[col.RUN_BOUNCES] < MOST_BOUNCES and not ints[weak, col.IS_CUT_SHORT]
    ints[weak, col.BLOCKED] = 0
    ints[weak, col.FLOOR] = -1
    changed, own_x, own_y = False, way[col.WAY_OWN], way[col.WAY_OWN + 1]
    for touch in range(total):
        state = touches[touch, col.TOUCH_STATE]
        if state != col.STATE_PRESSES and state != col.STATE_REJECTED:
            continue
        nx, ny, _, owner = chosen_normal(touch, touches)
        neighbour = int(touches[owner, col.TOUCH_NEIGHBOUR])
        stuck = squeezed and (state == col.STATE_REJECTED or opposes(touch, total, touches))
        speed = nx * touches[owner, col.TOUCH_GROUND] + ny * touches[owner, col.TOUCH_GROUND + 1]
        report_contact(weak, neighbour, Report(time, (nx, ny), speed), stuck, candidates, bodies, frame)
        if touches[touch, col.TOUCH_FORCED] == col.FORCED_PINNED:
            # A corner of M that pins W reports both of its sides.
            mx, my = other_normal(touch, touches)
            speed = mx * touches[owner, col.TOUCH_GROUND] + my * touches[owner, col.TOUCH_GROUND + 1]
            report_contact(weak, neighbour, Report(time, (mx, my), speed), stuck, candidates, bodies, frame)
        note_blocked(touch, weak, candidates, bodies, touches)
        rule = tags[neighbour, col.TAG_RULE]
        if may_change and (rule == col.RESPONSE_BOUNCE or rule == col.RESPONSE_STOP):
            changed = stop_or_bounce(touch, weak, stuck, way, candidates, bodies, touches) or changed
    # Bouncing off one body into another that stops it, W would repeat this up to the limit of bounces.
    return changed and (way[col.WAY_OWN] != own_x or way[col.WAY_OWN + 1] != own_y)


@kernel(inline=False)
def find_near(
    weak: int,
    time: float,
    way: Floats,
    scratch: Scratch,
    candidates: Candidates,
    bodies: Bodies,
    frame: FrameRows,
    tree: Tree,
) -> None:
    """Add the bodies in the query to the candidates and to the sensors."""
    floats, ints, solids, counts = bodies.floats, bodies.ints, bodies.solids, frame.counts
    count, sensed = scratch.run[col.RUN_COUNT], counts[col.SENSOR_TOTAL]
    found = find_candidates(weak, count, time, scratch, candidates, bodies, frame, tree)
    if ints[weak, col.POSED] == col.NOT_POSED and (found > count or counts[col.SENSOR_TOTAL] > sensed):
        ensure_posed_solid(weak, floats, ints, solids, counts)
    for neighbour in range(count, found):
        ensure_posed_solid(candidates.tags[neighbour, col.TAG_BODY], floats, ints, solids, counts)
        write_pair_solids(neighbour, weak, way, candidates, bodies, frame)
        write_solid_tolerances(neighbour, weak, way, candidates, bodies)
        reserve_chain(neighbour, candidates, solids, counts)
        # A body resolved before may have left it posed at another time.
        pose_candidate(neighbour, time, candidates, bodies)
    for sensor in range(candidates.near.shape[0] - counts[col.SENSOR_TOTAL], candidates.near.shape[0] - sensed):
        ensure_posed_solid(candidates.tags[sensor, col.TAG_BODY], floats, ints, solids, counts)
        write_pair_solids(sensor, weak, way, candidates, bodies, frame)
        write_solid_tolerances(sensor, weak, way, candidates, bodies)
    scratch.run[col.RUN_COUNT] = found


@kernel(inline=False)
def resolve_solid(
    weak: int,
    bodies: Bodies,
    frame: FrameRows,
    tree: Tree,
    candidates: Candidates,
    way: Floats,
    scratch: Scratch,
    contacts: Contacts,
) -> None:
    """Take one weak solid through its frame, and write where it ends."""
    run, outcome = scratch.run, NEXT_TURN
    if not begin_solid(weak, bodies, frame, tree, candidates, way, scratch, contacts):
        finish_solid(weak, way, candidates, bodies, frame, run)
        return
    while outcome == NEXT_TURN:
        begin_turn(weak, way, candidates, bodies, run)
        outcome = update_contacts(weak, bodies, frame, tree, candidates, way, scratch, contacts)
        if outcome == GO_ON:
            outcome = choose_path(weak, bodies, frame, tree, candidates, way, scratch, contacts)
        if outcome == GO_ON:
            outcome = look_around(weak, bodies, frame, tree, candidates, way, scratch, contacts)
        if outcome == GO_ON:
            outcome = plan_leg(weak, bodies, frame, tree, candidates, way, scratch, contacts)
        if outcome == GO_ON:
            outcome = find_next_contact(weak, bodies, candidates, way, scratch, contacts)
        if outcome == GO_ON:
            outcome = take_leg(weak, bodies, frame, candidates, way, scratch, contacts)
    snap_to_floor(weak, bodies, frame, tree, candidates, way, scratch)
    finish_solid(weak, way, candidates, bodies, frame, run)
    frame.counts[col.TURN_TOTAL] += run[col.RUN_TURNS]
    frame.counts[col.NEAR_TOTAL] += run[col.RUN_COUNT]


@kernel()
def begin_solid(
    weak: int,
    bodies: Bodies,
    frame: FrameRows,
    tree: Tree,
    candidates: Candidates,
    way: Floats,
    scratch: Scratch,
    contacts: Contacts,
) -> bool:
    """Put W at its start, find its candidates, and move it out of overlaps; returns False if its frame ends there."""
    floats, ints, counts, bounds, run = bodies.floats, bodies.ints, frame.counts, scratch.bounds, scratch.run
    for column in range(col.RUN_COLUMNS):
        run[column] = 0
    run[col.RUN_IS_FREE], run[col.RUN_CARRIER] = 1, -1
    run[col.RUN_IS_WALKER] = floats[weak, col.FLOOR_COSINE] <= 1.0
    run[col.RUN_WAS_ON_FLOOR], run[col.RUN_STUCK_IN] = ints[weak, col.FLOOR] >= 0, ints[weak, col.STUCK_IN]
    run[col.RUN_WAITS] = ints[weak, col.STUCK] != 0 and ints[weak, col.WHEN_STUCK] != col.STUCK_LEAVES
    set_out_solid(weak, way, bodies)
    way[col.WAY_TIME] = 0.0
    way[col.WAY_LONGEST], way[col.WAY_ROLLING], way[col.WAY_LONGEST_ARC] = 1.0, 0.0, math.inf
    way[col.WAY_STRAYED], way[col.WAY_SHORTEST] = math.inf, 0.0
    counts[col.SENSOR_TOTAL] = 0
    bounds[col.LOW_X] = bounds[col.LOW_Y] = np.inf
    bounds[col.HIGH_X] = bounds[col.HIGH_Y] = -np.inf
    widen_along_path(weak, bounds, way, floats, 1.0)
    if run[col.RUN_IS_WALKER]:
        bounds[col.LOW_Y] -= floats[weak, col.SNAP]
        bounds[col.HIGH_Y] += floats[weak, col.STEP_HEIGHT]
    find_near(weak, 0.0, way, scratch, candidates, bodies, frame, tree)
    if run[col.RUN_COUNT] == 0 and counts[col.SENSOR_TOTAL] == 0:
        return False
    ensure_posed_solid(weak, floats, ints, bodies.solids, counts)
    expect_rows(col.EVENT_TOTAL, run[col.RUN_COUNT], frame.events.shape[0], col.LACKS_EVENTS, counts)
    if must_resolve_again(counts):
        return False
    reach = solid_overlap_reach(run[col.RUN_COUNT], way, candidates, bodies) if run[col.RUN_COUNT] else 0.0
    if reach > 0.0:
        for side in range(2):
            bounds[side] -= reach
            bounds[2 + side] += reach
        find_near(weak, 0.0, way, scratch, candidates, bodies, frame, tree)
        if must_resolve_again(counts):
            return False
        if run[col.RUN_STUCK_IN] >= 0:
            leave_last_frame(weak, way, candidates, bodies, contacts.touches, frame, run)
        depenetrate_solid(weak, reach, way, candidates, bodies, contacts.touches, frame, run)
        is_frozen = ints[weak, col.STUCK] != 0 and ints[weak, col.WHEN_STUCK] == col.STUCK_FREEZES
        for side in range(2):
            own = floats[weak, col.GOAL + side] - way[col.WAY_PLACE + side]
            way[col.WAY_OWN + side] = 0.0 if is_frozen else own
    if stores_path(weak, ints, counts):
        add_bend(weak, way, 0.0, bodies, frame)
    run[col.RUN_IS_FREE] = ints[weak, col.OVERLAPPED] == 0
    choose_window(weak, run[col.RUN_COUNT], 1.0, way, candidates, bodies, frame, scratch)
    return True


@kernel()
def choose_window(
    weak: int,
    expected: int,
    span: float,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    frame: FrameRows,
    scratch: Scratch,
) -> None:
    """Put the candidates that W may meet within a span first; only these are looked at until the window ends."""
    set_window(weak, expected, span, way, bodies.floats, scratch.window)
    scratch.run[col.RUN_ACTIVE] = select_candidates(
        scratch.run[col.RUN_COUNT], scratch.window, candidates, bodies, frame.knots
    )


@kernel()
def begin_turn(weak: int, way: Floats, candidates: Candidates, bodies: Bodies, run: Ints) -> None:
    """Count the turn, and note whether the frame takes too many of them or hardly proceeds."""
    run[col.RUN_TURNS] += 1
    run[col.RUN_IS_STALLED], time = 0, way[col.WAY_TIME]
    way[col.WAY_ANGLE] = bodies.floats[weak, col.ANGLE] + way[col.WAY_WHIRL] * time
    turns, count, since = run[col.RUN_TURNS], run[col.RUN_COUNT], run[col.RUN_TURNS] - run[col.RUN_CHECKED]
    if turns <= EXACT_TURNS or turns % COUNTED_TURNS != 0:
        return
    corners = corner_total(count, candidates.tags)
    run[col.RUN_IS_OVER] = turns >= TURN_LIMIT + TURNS_PER_CORNER * corners
    if way[col.WAY_SHORTEST] == 0.0:
        spin, _ = pace_among(weak, count, way, candidates, bodies)
        if turns <= EXACT_TURNS + EXACT_TURNS_PER_CANDIDATE * count + corners + EXACT_TURNS_PER_RADIAN * spin:
            return
        way[col.WAY_LEAST] = LEAST_SHARE * (1.0 - time)
        set_shortest_leg(weak, way, candidates, bodies, run)
    elif since < CHECKED_TURNS:
        return
    elif time - way[col.WAY_CHECKED] < LEAST_PROGRESS and way[col.WAY_GONE] < bodies.floats[weak, col.SIZE]:
        run[col.RUN_IS_STALLED] = 1
    run[col.RUN_CHECKED], way[col.WAY_CHECKED], way[col.WAY_GONE] = turns, time, 0.0


@kernel(inline=False)
def set_shortest_leg(weak: int, way: Floats, candidates: Candidates, bodies: Bodies, run: Ints) -> None:
    """Set how long each leg must last once W has used up its exact turns, at W's present speed."""
    _, time_of_size = pace_among(weak, run[col.RUN_COUNT], way, candidates, bodies)
    way[col.WAY_SHORTEST] = min(way[col.WAY_LEAST], SIZE_SHARE * time_of_size)


@kernel()
def update_contacts(
    weak: int,
    bodies: Bodies,
    frame: FrameRows,
    tree: Tree,
    candidates: Candidates,
    way: Floats,
    scratch: Scratch,
    contacts: Contacts,
) -> int:
    """Find the contacts of W. Where rotation has made one too deep, correct W's position first."""
    floats, ints, counts, bounds, run = bodies.floats, bodies.ints, frame.counts, scratch.bounds, scratch.run
    time, touches = way[col.WAY_TIME], contacts.touches
    total = find_contacts(weak, run[col.RUN_ACTIVE], way, candidates, bodies, touches, frame)
    run[col.RUN_TOTAL] = total
    if must_resolve_again(counts):
        return DONE
    if total and run[col.RUN_PARTS] < (MOST_PARTS if time < LAST_INSTANT else MOST_PARTS + LAST_PARTS):
        x, y = depenetration_vector(total, candidates, ints, contacts)
        if x != 0.0 or y != 0.0:
            if widen_to_place(weak, bounds, way, floats, way[col.WAY_PLACE] + x, way[col.WAY_PLACE + 1] + y):
                find_near(weak, time, way, scratch, candidates, bodies, frame, tree)
                if must_resolve_again(counts):
                    return DONE
                choose_window(weak, run[col.RUN_COUNT], 1.0 - time, way, candidates, bodies, frame, scratch)
                load_stretches(run[col.RUN_ACTIVE], time, candidates, bodies, frame.knots)
                return NEXT_TURN
            might, count = ints[weak, col.MIGHT], run[col.RUN_COUNT]
            share = free_share(count, total, might, (x, y), way, candidates, bodies, touches)
            share = min(share, room_on_chains(run[col.RUN_ACTIVE], candidates.near) / math.sqrt(x * x + y * y))
            way[col.WAY_PLACE] = way[col.WAY_PLACE] + share * x
            way[col.WAY_PLACE + 1] = way[col.WAY_PLACE + 1] + share * y
            run[col.RUN_IS_FREE] = 0
            run[col.RUN_PARTS] += 1
            if time >= LAST_INSTANT and share == 1.0:
                return NEXT_TURN
            total = find_contacts(weak, run[col.RUN_ACTIVE], way, candidates, bodies, touches, frame)
            run[col.RUN_TOTAL] = total
            if must_resolve_again(counts):
                return DONE
    if time >= LAST_INSTANT:
        report_remaining_overlaps(weak, total, candidates, bodies, touches, frame)
        return DONE
    return GO_ON


@kernel()
def choose_path(
    weak: int,
    bodies: Bodies,
    frame: FrameRows,
    tree: Tree,
    candidates: Candidates,
    way: Floats,
    scratch: Scratch,
    contacts: Contacts,
) -> int:
    """Choose the velocity that the contacts leave W, and report these; W bounces or stops if it has to."""
    ints, counts, run, touches = bodies.ints, frame.counts, scratch.run, contacts.touches
    total = run[col.RUN_TOTAL]
    if run[col.RUN_IS_WALKER]:
        find_ledges(weak, total, way, candidates, bodies, touches)
    if run[col.RUN_TURNS] == 1:
        hold_on(total, way, candidates, touches)
    squeezed, carrier = choose_velocity(weak, total, way, candidates, bodies, contacts)
    if allow_for_slides(weak, total, way, candidates, bodies, touches):
        squeezed, carrier = choose_velocity(weak, total, way, candidates, bodies, contacts)
    run[col.RUN_CARRIER] = carrier
    if squeezed:
        note_stuck(total, candidates, touches)
    # Once in a frame: the bodies that squeeze W may take turns.
    may_leave = not squeezed and ints[weak, col.STUCK] != 0 and run[col.RUN_HAS_LEFT] == 0
    if may_leave and leave_squeeze(way, candidates, bodies, touches, run):
        run[col.RUN_HAS_LEFT], run[col.RUN_IS_FREE] = 1, 0
        return NEXT_TURN
    if run[col.RUN_PARTS] >= MOST_PARTS:
        squeezed = give_up(total, candidates.near, touches) or squeezed
    if total:
        pass_in(total, way, candidates, touches)
    if (run[col.RUN_IS_OVER] or run[col.RUN_IS_STALLED]) and not ints[weak, col.IS_CUT_SHORT]:
        cut_short(weak, way, candidates, bodies, touches, frame, run)
        return NEXT_TURN
    if ints[weak, col.IS_CUT_SHORT] and (run[col.RUN_IS_STALLED] or run[col.RUN_TURNS] > run[col.RUN_LAST_TURN]):
        end_cut_short(weak, bodies, frame, tree, candidates, way, scratch, contacts)
        return DONE
    if counts[col.ASKED]:
        return DONE
    if respond(weak, squeezed, way, candidates, bodies, touches, frame, run):
        run[col.RUN_IS_FREE] = 0
        run[col.RUN_BOUNCES] += 1
        return NEXT_TURN
    if counts[col.ASKED]:
        return DONE
    is_off_course = way[col.WAY_SPEED] != way[col.WAY_OWN] or way[col.WAY_SPEED + 1] != way[col.WAY_OWN + 1]
    if ints[weak, col.BLOCKED] or is_off_course:
        # A contact may hold up a walker and leave it in the same instant: then no contact pushes it.
        run[col.RUN_IS_FREE] = 0
    return GO_ON


@kernel()
def cut_short(
    weak: int, way: Floats, candidates: Candidates, bodies: Bodies, touches: Floats, frame: FrameRows, run: Ints
) -> None:
    """Stop W where it is, and report it: for the rest of the frame only contacts that push W move it."""
    total = run[col.RUN_TOTAL]
    frame.counts[col.CUT_SHORT] += 1
    bodies.ints[weak, col.IS_CUT_SHORT] = 1
    run[col.RUN_LAST_TURN] = run[col.RUN_TURNS] + PUSH_TURNS
    last = int(touches[total - 1, col.TOUCH_NEIGHBOUR]) if total else -1
    for neighbour in range(0 if total else run[col.RUN_COUNT]):
        # Without a contact: the mightiest one near. The rows have the order of the tree, which says nothing.
        if has_precedence(candidates.tags, bodies.ints, neighbour, last):
            last = neighbour
    report = Report(way[col.WAY_TIME], (0.0, 0.0), 0.0)
    write_event(weak, candidates.tags[last, col.TAG_BODY], col.KIND_CUT_SHORT, 0, report, bodies.ints, frame)
    way[col.WAY_OWN] = way[col.WAY_OWN + 1] = 0.0
    run[col.RUN_IS_FREE] = 0


@kernel()
def end_cut_short(
    weak: int,
    bodies: Bodies,
    frame: FrameRows,
    tree: Tree,
    candidates: Candidates,
    way: Floats,
    scratch: Scratch,
    contacts: Contacts,
) -> None:
    """End a frame that even pushing does not end: fix W to a carrier for the rest of it, and report overlaps."""
    floats, bounds, run = bodies.floats, scratch.bounds, scratch.run
    is_wider = False
    for candidate in range(run[col.RUN_COUNT]):
        x, y = shift_along(candidate, weak, way, candidates.near, bodies)
        is_wider = (
            widen_to_place(weak, bounds, way, floats, way[col.WAY_PLACE] + x, way[col.WAY_PLACE + 1] + y) or is_wider
        )
    if is_wider:
        find_near(weak, way[col.WAY_TIME], way, scratch, candidates, bodies, frame, tree)
        if must_resolve_again(frame.counts):
            return
    carrier = choose_last_carrier(weak, way, candidates, bodies, contacts.touches, run)
    go_along(weak, carrier, way, candidates, bodies, frame.knots, run)
    if widen_to_place(weak, bounds, way, floats, way[col.WAY_PLACE], way[col.WAY_PLACE + 1]):
        find_near(weak, 1.0, way, scratch, candidates, bodies, frame, tree)
        if must_resolve_again(frame.counts):
            return
    load_stretches(run[col.RUN_COUNT], 1.0, candidates, bodies, frame.knots)
    choose_window(weak, 0, 0.0, way, candidates, bodies, frame, scratch)
    drop_chains(run[col.RUN_COUNT], candidates)
    way[col.WAY_TIME] = 1.0
    total = find_contacts(weak, run[col.RUN_ACTIVE], way, candidates, bodies, contacts.touches, frame)
    report_remaining_overlaps(weak, total, candidates, bodies, contacts.touches, frame)


@kernel()
def look_around(
    weak: int,
    bodies: Bodies,
    frame: FrameRows,
    tree: Tree,
    candidates: Candidates,
    way: Floats,
    scratch: Scratch,
    contacts: Contacts,
) -> int:
    """Find candidates on the new way, renew the window, and let a walker climb a step."""
    floats, bounds, run, time = bodies.floats, scratch.bounds, scratch.run, way[col.WAY_TIME]
    is_wider = widen_along_path(weak, bounds, way, floats, 1.0 - time)
    is_stepping = (
        run[col.RUN_IS_WALKER] != 0
        and run[col.RUN_STEPS] < MOST_STEPS
        and is_at_step(weak, run[col.RUN_WAS_ON_FLOOR] != 0, run[col.RUN_TOTAL], way, bodies, contacts.touches)
    )
    if is_stepping:
        is_wider = widen_for_step(weak, time, bounds, way, floats) or is_wider
    known, inside = run[col.RUN_COUNT], time_in_window(weak, 1.0 - time, way, floats, scratch.window)
    if is_wider:
        find_near(weak, time, way, scratch, candidates, bodies, frame, tree)
        if must_resolve_again(frame.counts):
            return DONE
    if run[col.RUN_COUNT] > known or needs_window(weak, inside, 1.0 - time, way, floats):
        choose_window(weak, run[col.RUN_COUNT], 1.0 - time, way, candidates, bodies, frame, scratch)
        load_stretches(run[col.RUN_ACTIVE], time, candidates, bodies, frame.knots)
        return NEXT_TURN
    if is_stepping:
        load_stretches(run[col.RUN_COUNT], time, candidates, bodies, frame.knots)
        drop_chains(run[col.RUN_COUNT], candidates)
        if step_up(weak, run[col.RUN_COUNT], time, way, candidates, bodies):
            run[col.RUN_IS_FREE] = 0
            run[col.RUN_STEPS] += 1
            return NEXT_TURN
        pose_candidates(run[col.RUN_ACTIVE], way, candidates, bodies)
    if stores_path(weak, bodies.ints, frame.counts) and not run[col.RUN_IS_FREE]:
        add_bend(weak, way, time, bodies, frame)
    way[col.WAY_INSIDE] = inside
    return GO_ON


@kernel()
def plan_leg(
    weak: int,
    bodies: Bodies,
    frame: FrameRows,
    tree: Tree,
    candidates: Candidates,
    way: Floats,
    scratch: Scratch,
    contacts: Contacts,
) -> int:
    """Find how long the contacts stay the same, and how far W may then be off its true way: the next leg."""
    floats, run, time = bodies.floats, scratch.run, way[col.WAY_TIME]
    if way[col.WAY_SHORTEST] > 0.0:
        set_shortest_leg(weak, way, candidates, bodies, run)
    span = way[col.WAY_SPAN] if run[col.RUN_TRIES] == 0 else way[col.WAY_EVEN]
    rest = time_on_chains(run[col.RUN_ACTIVE], min(span, way[col.WAY_INSIDE]), way, candidates)
    x, y = way[col.WAY_SPEED], way[col.WAY_SPEED + 1]
    way[col.WAY_REST] = min(rest, way[col.WAY_LONGEST_ARC])
    rolled_on = way[col.WAY_ROLLING] == col.ROLLS_ON
    way[col.WAY_ROLLING] = min(way[col.WAY_ROLLING], col.ROLLS_PLANNED)
    rest = contact_set_lifetime(weak, way, candidates, bodies, contacts.touches, run)
    if rolled_on and way[col.WAY_ROLLING] != col.ROLLS_NOW:
        way[col.WAY_LONGEST], way[col.WAY_ROLLING], run[col.RUN_TRIES] = 1.0, 0.0, 0
        return NEXT_TURN
    # On an arc W may come into a body that it touched, and was about to leave.
    is_arc = way[col.WAY_SPEED] != x or way[col.WAY_SPEED + 1] != y
    straying = deviation_rate(weak, run[col.RUN_TOTAL], way, candidates, bodies, contacts.touches)
    is_loose, bend = straying > 0.0, 0.0
    if is_arc and rest > 0.0:
        x, y = way[col.WAY_SPEED] - x, way[col.WAY_SPEED + 1] - y
        bend = math.sqrt(x * x + y * y) / rest
    # The next arc goes on from this one.
    ahead = 1.0 - time if is_arc else rest
    off = max(straying * rest * rest, bend * rest * ahead)
    if (is_arc or is_loose) and widen_around_path(weak, ahead, off, scratch.bounds, way, floats):
        known = run[col.RUN_COUNT]
        find_near(weak, time, way, scratch, candidates, bodies, frame, tree)
        if must_resolve_again(frame.counts):
            return DONE
        if run[col.RUN_COUNT] > known:
            choose_window(weak, run[col.RUN_COUNT], 1.0 - time, way, candidates, bodies, frame, scratch)
            load_stretches(run[col.RUN_ACTIVE], time, candidates, bodies, frame.knots)
            way[col.WAY_LONGEST], way[col.WAY_ROLLING], way[col.WAY_LONGEST_ARC] = 1.0, 0.0, math.inf
            run[col.RUN_TRIES] = 0
            return NEXT_TURN
    run[col.RUN_IS_ARC], run[col.RUN_IS_LOOSE] = is_arc, is_loose
    way[col.WAY_REST], way[col.WAY_STRAYING], way[col.WAY_BEND] = rest, straying, bend
    return GO_ON


@kernel()
def find_next_contact(
    weak: int, bodies: Bodies, candidates: Candidates, way: Floats, scratch: Scratch, contacts: Contacts
) -> int:
    """End the leg at the next contact. A leg of another length than expected has other means: it is planned anew."""
    ints, near, tags, touches = bodies.ints, candidates.near, candidates.tags, contacts.touches
    run, straying, is_arc = scratch.run, way[col.WAY_STRAYING], scratch.run[col.RUN_IS_ARC] != 0
    rest, total, is_carried = way[col.WAY_REST], run[col.RUN_TOTAL], run[col.RUN_CARRIER] >= 0
    last_arc, last_rest = rest, 0.0
    for bend in range(MOST_BENDS + 1):
        arc, met = rest, -1
        for place in range(run[col.RUN_ACTIVE]):
            # How far ahead each candidate is looked at depends on those before it, and so does rounding: in this order.
            candidate = tags[place, col.TAG_SEQUENCE]
            if tags[candidate, col.TAG_BITS] & col.BIT_IGNORED:
                continue
            is_turning = has_real_rotation(tags[candidate, col.TAG_BODY], near[candidate, col.NEAR_SPIN], ints)
            way[col.WAY_REST] = rest
            if straying > 0.0:
                rest = min(rest, time_within_clearance(candidate, total, way, candidates, bodies, touches, scratch))
            elif is_turning or has_real_rotation(weak, way[col.WAY_WHIRL], ints):
                rest = min(rest, time_to_turning_contact(candidate, rest, way, candidates, bodies, scratch))
            else:
                until = time_to_straight_contact(candidate, total, way, candidates, bodies, touches)
                if until < rest:
                    rest, met = until, candidate
        rest = max(rest, 0.0)
        off = way[col.WAY_BEND] * rest * (arc - rest)
        # A first chord that meets a body at once is near the arc there, but leads far off: W would not get on.
        is_near = off <= SLOP * bodies.floats[weak, col.SIZE] and (bend > 0 or rest == arc)
        if met < 0 or not is_arc or is_near or bend == MOST_BENDS:
            break
        # The chord of an arc leads through the body that W goes around: what W meets there it may miss on the arc. A
        # shorter chord is nearer to the arc, and to W's pace at its start. The one that ends at the contact is found by
        # the secant method.
        shorter = max(rest, BENT_SHARE * math.sqrt(rest * (arc - rest)))
        if bend > 0 and arc < last_arc:
            slope = (rest - last_rest) / (arc - last_arc)
            shorter = (rest - slope * arc) / (1.0 - slope) if slope < 1.0 else rest
            shorter = shorter if 0.0 < shorter < rest else rest
        last_arc, last_rest = arc, rest
        rest = go_around_corners(total, is_carried, shorter, way, candidates, bodies.solids, touches)
    way[col.WAY_REST] = rest
    tries = run[col.RUN_TRIES]
    may_try = tries < MOST_TRIES and rest > way[col.WAY_SHORTEST]
    is_shorter = rest < SHORTER * way[col.WAY_SPAN]
    is_longer = tries > 0 and rest > LONGER * way[col.WAY_SPAN]
    if may_try and way[col.WAY_ROLLING] != 0.0 and (tries == 0 or is_shorter or is_longer):
        # The normal at the corner must be that of half the leg.
        way[col.WAY_LONGEST] = rest
        run[col.RUN_TRIES] += 1
        return NEXT_TURN
    if may_try and straying > 0.0 and (is_shorter or is_longer):
        # Rotation was linearised over another span: its mean over this one differs.
        way[col.WAY_LONGEST] = rest
        if is_arc:
            way[col.WAY_LONGEST_ARC] = rest
        run[col.RUN_TRIES] += 1
        return NEXT_TURN
    return GO_ON


@kernel(inline=False)
def report_sensors_of_leg(
    weak: int,
    begin: Vector,
    begin_time: float,
    bodies: Bodies,
    frame: FrameRows,
    candidates: Candidates,
    way: Floats,
    scratch: Scratch,
) -> None:
    """Report the sensors that W overlaps or enters on a leg that it has taken, from its start."""
    x, y, time, angle = way[col.WAY_PLACE], way[col.WAY_PLACE + 1], way[col.WAY_TIME], way[col.WAY_ANGLE]
    way[col.WAY_PLACE], way[col.WAY_PLACE + 1] = begin
    way[col.WAY_TIME], way[col.WAY_ANGLE] = begin_time, bodies.floats[weak, col.ANGLE] + way[col.WAY_WHIRL] * begin_time
    if has_real_rotation(weak, way[col.WAY_WHIRL], bodies.ints):
        pose_weak(weak, scratch.run[col.RUN_ACTIVE], way[col.WAY_ANGLE], candidates.tags, bodies, frame.counts)
    report_sensors(weak, way[col.WAY_REST], way, candidates, bodies, scratch, frame)
    way[col.WAY_PLACE], way[col.WAY_PLACE + 1], way[col.WAY_TIME], way[col.WAY_ANGLE] = x, y, time, angle


@kernel(inline=False)
def expect_leg_after(rest: float, way: Floats, run: Ints) -> None:
    """Prepare the next plan. If W rolls around a corner it rolls on, as a rule: the next leg should be as long."""
    way[col.WAY_LONGEST], way[col.WAY_LONGEST_ARC], run[col.RUN_TRIES] = 1.0, math.inf, 0
    way[col.WAY_ROLLING] = col.ROLLS_ON if way[col.WAY_ROLLING] == col.ROLLS_NOW and rest > 0.0 else 0.0
    if way[col.WAY_ROLLING] != 0.0:
        way[col.WAY_LONGEST], run[col.RUN_TRIES] = max(rest, way[col.WAY_SHORTEST]), 1


@kernel()
def take_leg(
    weak: int,
    bodies: Bodies,
    frame: FrameRows,
    candidates: Candidates,
    way: Floats,
    scratch: Scratch,
    contacts: Contacts,
) -> int:
    """Move W to the end of the leg, and correct its position there."""
    floats, ints, near, touches = bodies.floats, bodies.ints, candidates.near, contacts.touches
    run, time, rest = scratch.run, way[col.WAY_TIME], way[col.WAY_REST]
    gets_on = time + rest > time and (rest > BRIEF or rest > NOWHERE * time_of_slop(run[col.RUN_ACTIVE], way, near))
    stalls = 0 if gets_on else run[col.RUN_STALLS] + 1
    # A contact may be a rounding away still.
    if stalls <= MOST_STALLS:
        # Means of a span hold for a little longer. A leg that ends with its span leaves a twentieth of the distance to
        # a contact, and the next leg a twentieth of that: five legs instead of two.
        rest = min(rest, LONGER * way[col.WAY_SPAN])
    else:
        rest = min(time_of_slop(run[col.RUN_ACTIVE], way, near), way[col.WAY_EVEN])
    is_rolling = way[col.WAY_ROLLING] != 0.0
    expect_leg_after(rest, way, run)
    from_x, from_y, from_time = way[col.WAY_PLACE], way[col.WAY_PLACE + 1], time
    for side in range(2):
        way[col.WAY_PLACE + side] += way[col.WAY_SPEED + side] * rest
        way[col.WAY_GONE] += abs(way[col.WAY_SPEED + side]) * rest
    time = time + rest
    way[col.WAY_TIME], way[col.WAY_REST] = time, rest
    way[col.WAY_ANGLE] = floats[weak, col.ANGLE] + way[col.WAY_WHIRL] * time
    if run[col.RUN_IS_LOOSE] or is_rolling:
        was_sunk, is_blocked = correct_position(weak, way, candidates, bodies, touches, frame.counts, run)
        if is_blocked:
            way[col.WAY_PLACE], way[col.WAY_PLACE + 1], way[col.WAY_TIME] = from_x, from_y, from_time
            return NEXT_TURN
        if was_sunk:
            run[col.RUN_IS_FREE] = 0
    if frame.counts[col.SENSOR_TOTAL]:
        report_sensors_of_leg(weak, (from_x, from_y), from_time, bodies, frame, candidates, way, scratch)
    run[col.RUN_STALLS] = stalls
    run[col.RUN_BOUNCES] = 0 if gets_on else run[col.RUN_BOUNCES]
    run[col.RUN_LEGS] += 1
    load_stretches(run[col.RUN_ACTIVE], time, candidates, bodies, frame.knots)
    if time < LAST_INSTANT:
        return NEXT_TURN
    if ints[weak, col.BLOCKED]:
        note_last_contacts(weak, way, candidates, bodies, touches, run)
    if run[col.RUN_LEGS] == 1 and run[col.RUN_IS_FREE] and way[col.WAY_STRAYING] == 0.0:
        return DONE
    align_to_sides(weak, run[col.RUN_TOTAL], way, candidates, bodies, touches)
    is_ride = run[col.RUN_LEGS] == 1 and run[col.RUN_PARTS] == 0 and run[col.RUN_STEPS] == 0
    keep_carrier_offset(
        weak, run[col.RUN_CARRIER], is_ride and not ints[weak, col.OVERLAPPED], way, candidates, bodies, touches
    )
    # A contact found after depenetration may have held W up: W looks at its contacts once more.
    is_even = not is_rolling and not run[col.RUN_IS_ARC] and run[col.RUN_PARTS] == 0
    if is_even and not is_turning_near(weak, run[col.RUN_ACTIVE], way, candidates, ints):
        return DONE
    run[col.RUN_PARTS] = max(run[col.RUN_PARTS], MOST_PARTS - LAST_PARTS)
    return NEXT_TURN


@kernel()
def snap_to_floor(
    weak: int, bodies: Bodies, frame: FrameRows, tree: Tree, candidates: Candidates, way: Floats, scratch: Scratch
) -> None:
    """Put a walker that has left its floor back onto it, if that is within its reach."""
    floats, ints, counts, run = bodies.floats, bodies.ints, frame.counts, scratch.run
    if not run[col.RUN_IS_WALKER] or not may_snap(weak, run[col.RUN_WAS_ON_FLOOR] != 0, way, bodies):
        return
    if widen_to_place(
        weak, scratch.bounds, way, floats, way[col.WAY_PLACE], way[col.WAY_PLACE + 1] - floats[weak, col.SNAP]
    ):
        find_near(weak, 1.0, way, scratch, candidates, bodies, frame, tree)
    load_stretches(run[col.RUN_COUNT], 1.0, candidates, bodies, frame.knots)
    choose_window(weak, 0, 0.0, way, candidates, bodies, frame, scratch)
    drop_chains(run[col.RUN_COUNT], candidates)
    if has_real_rotation(weak, way[col.WAY_WHIRL], ints):
        pose_weak(weak, run[col.RUN_COUNT], way[col.WAY_ANGLE], candidates.tags, bodies, counts)
    if not must_resolve_again(counts) and snap_down(weak, run[col.RUN_COUNT], way, candidates, bodies):
        run[col.RUN_IS_FREE] = 0


@kernel(inline=False)
def load_stretches(count: int, time: float, candidates: Candidates, bodies: Bodies, knots: Floats) -> None:
    """Copy the straight stretch of each neighbour's path that it is on at a time."""
    for neighbour in range(count):
        while (
            candidates.near[neighbour, col.NEAR_T1] <= time and candidates.near[neighbour, col.NEAR_T1] < LAST_INSTANT
        ):
            candidates.tags[neighbour, col.TAG_STRETCH] += 1
            load_stretch(candidates, neighbour, bodies, knots)


@kernel(inline=False)
def middle_of(weak: int, floats: Floats) -> tuple[float, float]:
    """Return the middle of W's bounds at all its angles, relative to its place: what it turns about with a carrier."""
    return (
        0.5 * (floats[weak, col.LOWER_REACH] + floats[weak, col.UPPER_REACH]),
        0.5 * (floats[weak, col.LOWER_REACH + 1] + floats[weak, col.UPPER_REACH + 1]),
    )


@kernel(inline=False)
def shift_along(candidate: int, weak: int, way: Floats, near: Floats, bodies: Bodies) -> tuple[float, float]:
    """Return W's displacement in the rest of the frame if it were fixed to a candidate on its present stretch."""
    time = way[col.WAY_TIME]
    middle_x, middle_y = middle_of(weak, bodies.floats)
    x = way[col.WAY_PLACE] + middle_x - mighty_place(near, candidate, 0, time)
    y = way[col.WAY_PLACE + 1] + middle_y - mighty_place(near, candidate, 1, time)
    turned_x, turned_y = rotated(x, y, near[candidate, col.NEAR_SPIN] * (1.0 - time))
    return (
        near[candidate, col.NEAR_VELOCITY] * (1.0 - time) + turned_x - x,
        near[candidate, col.NEAR_VELOCITY + 1] * (1.0 - time) + turned_y - y,
    )


@kernel(inline=False)
def leads_through(
    carrier: int, weak: int, way: Floats, candidates: Candidates, bodies: Bodies, touches: Floats, run: Ints
) -> bool:
    """Whether W, fixed to a carrier, would go through another candidate as mighty as that one."""
    ints, near, tags = bodies.ints, candidates.near, candidates.tags
    might = ints[tags[carrier, col.TAG_BODY], col.MIGHT]
    shift_x, shift_y = shift_along(carrier, weak, way, near, bodies)
    for other in range(run[col.RUN_COUNT]):
        if ints[tags[other, col.TAG_BODY], col.MIGHT] < might or tags[other, col.TAG_PASSES]:
            continue
        x, y = shift_along(other, weak, way, near, bodies)
        x, y = shift_x - x, shift_y - y
        length = math.sqrt(x * x + y * y)
        if length <= near[other, col.NEAR_TOUCHING]:
            continue
        direction = x / length, y / length
        if free_length(other, run[col.RUN_TOTAL], direction, length, way, candidates, bodies, touches) < length:
            return True
        for touch in range(run[col.RUN_TOTAL]):
            if touches[touch, col.TOUCH_NEIGHBOUR] == other:
                closing = x * touches[touch, col.TOUCH_NORMAL] + y * touches[touch, col.TOUCH_NORMAL + 1]
                if closing < -near[other, col.NEAR_TOUCHING]:
                    return True
    return False


@kernel(inline=False)
def choose_last_carrier(
    weak: int, way: Floats, candidates: Candidates, bodies: Bodies, touches: Floats, run: Ints
) -> int:
    """Return one of the mightiest candidates: if possible one that leads W through none of the others, and touches W.

    If each leads W through another, the oldest one counts, as for a body that is stuck between equals. A contact is no
    reason then: a platform may go through the wall of a room that is as mighty.
    """
    ints, tags = bodies.ints, candidates.tags
    chosen, is_barred, is_touched = -1, False, False
    for candidate in range(run[col.RUN_COUNT]):
        touches_it = tags[candidate, col.TAG_BITS] & col.BIT_TOUCHED != 0
        bars_it = leads_through(candidate, weak, way, candidates, bodies, touches, run)
        is_first = has_precedence(tags, ints, candidate, chosen)
        if (
            chosen >= 0
            and ints[tags[candidate, col.TAG_BODY], col.MIGHT] == ints[tags[chosen, col.TAG_BODY], col.MIGHT]
        ):
            if bars_it != is_barred:
                is_first = is_barred
            elif touches_it != is_touched and not bars_it:
                is_first = touches_it
        if is_first:
            chosen, is_barred, is_touched = candidate, bars_it, touches_it
    return chosen


@kernel(inline=False)
def go_along(
    weak: int, carrier: int, way: Floats, candidates: Candidates, bodies: Bodies, knots: Floats, run: Ints
) -> None:
    """Move W with a carrier for the rest of the frame, as if it were fixed to it.

    If W turns, it turns no further than the carrier. If not, it keeps its angle, and the middle of its bounds moves
    with the carrier.
    """
    floats, ints, near, time = bodies.floats, bodies.ints, candidates.near, way[col.WAY_TIME]
    middle_x, middle_y = middle_of(weak, floats)
    x = way[col.WAY_PLACE] + middle_x - mighty_place(near, max(carrier, 0), 0, time)
    y = way[col.WAY_PLACE + 1] + middle_y - mighty_place(near, max(carrier, 0), 1, time)
    load_stretches(run[col.RUN_COUNT], 1.0, candidates, bodies, knots)
    turn = 0.0
    if carrier >= 0:
        turn = near[carrier, col.NEAR_SPIN] * (1.0 - time)
        x, y = rotated(x, y, turn)
        way[col.WAY_PLACE] = mighty_place(near, carrier, 0, 1.0) + x - middle_x
        way[col.WAY_PLACE + 1] = mighty_place(near, carrier, 1, 1.0) + y - middle_y
    if has_real_rotation(weak, way[col.WAY_WHIRL], ints):
        way[col.WAY_ANGLE] = floats[weak, col.REACHED_ANGLE] = (
            floats[weak, col.ANGLE] + way[col.WAY_WHIRL] * time + turn
        )


@kernel(inline=False)
def note_stuck(total: int, candidates: Candidates, touches: Floats) -> None:
    """Note the neighbours that W is pressed into by mightier ones, and by which normal each of them resists [10]."""
    for touch in range(total):
        neighbour = int(touches[touch, col.TOUCH_NEIGHBOUR])
        if (
            touches[touch, col.TOUCH_STATE] != col.STATE_REJECTED
            or candidates.tags[neighbour, col.TAG_BITS] & col.BIT_SQUEEZED
        ):
            continue
        presses = False
        for other in range(total):
            presses = presses or (
                touches[other, col.TOUCH_NEIGHBOUR] == neighbour
                and touches[other, col.TOUCH_STATE] == col.STATE_PRESSES
            )
        if not presses:
            candidates.tags[neighbour, col.TAG_BITS] |= col.BIT_SQUEEZED
            nx, ny, _, _ = chosen_normal(touch, touches)
            candidates.near[neighbour, col.NEAR_STUCK_NORMAL], candidates.near[neighbour, col.NEAR_STUCK_NORMAL + 1] = (
                nx,
                ny,
            )


@kernel(inline=False)
def give_up(total: int, near: Floats, touches: Floats) -> bool:
    """Call W stuck in what it is still in, as there is no room; returns whether there is any such."""
    is_stuck = False
    for touch in range(total):
        if (
            touches[touch, col.TOUCH_STATE] != col.STATE_DROPPED
            and touches[touch, col.TOUCH_DEPTH] < -near[int(touches[touch, col.TOUCH_NEIGHBOUR]), col.NEAR_TOUCHING]
        ):
            touches[touch, col.TOUCH_STATE] = col.STATE_REJECTED
            is_stuck = True
    return is_stuck


@kernel(inline=False)
def time_of_slop(count: int, way: Floats, near: Floats) -> float:
    """For how long W moves by no more than a slop, seen from any neighbour."""
    least = math.inf
    for neighbour in range(count):
        across, up = relative_velocity(near, neighbour, way)
        speed = math.sqrt(across * across + up * up)
        if speed > 0.0:
            least = min(least, near[neighbour, col.NEAR_GAP] / speed)
    return least


@kernel(inline=False)
def pace_among(weak: int, count: int, way: Floats, candidates: Candidates, bodies: Bodies) -> tuple[float, float]:
    """Return how far W turns in a frame, seen from any neighbour, and the time in which it moves by a size."""
    near, tags, solids, floats = candidates.near, candidates.tags, bodies.solids, bodies.floats
    spin, least = 0.0, math.inf
    for neighbour in range(count):
        across, up = relative_velocity(near, neighbour, way)
        of_m, of_w = abs(near[neighbour, col.NEAR_SPIN]), abs(way[col.WAY_WHIRL])
        spin = max(spin, of_m + of_w)
        speed = math.sqrt(across * across + up * up)
        speed += of_m * solids[tags[neighbour, col.TAG_SOLID_M] + col.FARTHEST]
        speed += of_w * solids[tags[neighbour, col.TAG_SOLID_W] + col.FARTHEST]
        size = min(floats[weak, col.SIZE], floats[tags[neighbour, col.TAG_BODY], col.SIZE])
        if speed * least > size:
            least = size / speed
    return spin, least


@kernel(inline=False)
def is_turning_near(weak: int, count: int, way: Floats, candidates: Candidates, ints: Ints) -> bool:
    """Whether W, or anything near it, turns."""
    if has_real_rotation(weak, way[col.WAY_WHIRL], ints):
        return count > 0
    turning = False
    for neighbour in range(count):
        turning = turning or has_real_rotation(
            candidates.tags[neighbour, col.TAG_BODY], candidates.near[neighbour, col.NEAR_SPIN], ints
        )
    return turning


@kernel(inline=False)
def finish_solid(weak: int, way: Floats, candidates: Candidates, bodies: Bodies, frame: FrameRows, run: Ints) -> None:
    """Write where W ends, its path if a lower rank may ask for it, and forget its candidates."""
    is_free, count = run[col.RUN_IS_FREE] != 0, run[col.RUN_COUNT]
    floats, ints, near, tags = bodies.floats, bodies.ints, candidates.near, candidates.tags
    for side in range(2):
        floats[weak, col.REACHED + side] = floats[weak, col.GOAL + side] if is_free else way[col.WAY_PLACE + side]
        floats[weak, col.MOVEMENT + side] = way[col.WAY_OWN + side]
        if is_free:
            ints[weak, col.ANCHORED + side] = -1
    if stores_path(weak, ints, frame.counts):
        if is_free:
            frame.counts[col.KNOT_TOTAL] -= ints[weak, col.KNOT_COUNT]
            ints[weak, col.KNOT_COUNT] = 0
        else:
            add_bend(weak, way, 1.0, bodies, frame)
    stuck_in = -1
    for neighbour in range(count):
        candidates.marks[tags[neighbour, col.TAG_BODY]] = -1
        if tags[neighbour, col.TAG_BITS] & col.BIT_SQUEEZED and has_precedence(tags, ints, neighbour, stuck_in):
            stuck_in = neighbour
    if stuck_in >= 0 and ints[weak, col.WHEN_STUCK] != col.STUCK_LEAVES:
        ints[weak, col.STUCK_IN] = tags[stuck_in, col.TAG_BODY]
        for side in range(2):
            floats[weak, col.STUCK_NORMAL + side] = near[stuck_in, col.NEAR_STUCK_NORMAL + side]
    for sensor in range(near.shape[0] - frame.counts[col.SENSOR_TOTAL], near.shape[0]):
        candidates.marks[tags[sensor, col.TAG_BODY]] = -1
