"""World queries: find bodies at their poses between two frames, through a separate tree of all bodies.

Not here: the broadphase's tree, with the bounds of swept paths, which is in `tree`; and the bodies near a sector, which
are in `candidates`.

A body keeps its leaf until the tree is built again. The leaf of a removed body has empty bounds, which nothing meets.
"""

from __future__ import annotations

import math

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels import examples
from impinge.kernels.arrays import (
    Bodies,
    Bools,
    Cast,
    Course,
    Floats,
    Ints,
    Mover,
    MovingPair,
    Part,
    QueryFilter,
    Search,
    Tree,
    Vector,
)
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.impacts import (
    BULGE,
    circles_miss,
    find_impact,
    finish_impact,
    set_circle,
    turns,
    write_pose_at,
)
from impinge.kernels.pair.manifold import measure
from impinge.kernels.pair.queries import overlap, slop_of
from impinge.kernels.pair.solids import turn
from impinge.kernels.space.posed_solids import is_centred_disk, move_row, write_posed_body
from impinge.kernels.space.tree import FANOUT, MAX_LEVELS, cover_children
from impinge.kernels.tolerances import ROUNDING, SLOP

# Margin of bounds, in slops and in rounding errors of their coordinates: so no rounding hides a body that touches.
BOUNDS_MARGIN = 16.0

# A ray with a shorter way on an axis stays on it: its inverse may be infinite.
SHORTEST_WAY = 1e-300

# Larger than any distance of a body: coordinates are much smaller.
LARGEST_DISTANCE = 1e300


@kernel()
def fit_pose_leaf(nodes: Floats, leaf: int, floats: Floats, is_used: Bools, body: int) -> bool:
    """Fit a leaf to its body at its current pose; return whether the bounds changed."""
    is_empty = body < 0 or not is_used[max(body, 0)]
    margin = 0.0
    if not is_empty:
        far = 0.0
        for axis in range(2):
            far += abs(floats[body, col.START + axis])
            far += abs(floats[body, col.LOWER_REACH + axis]) + abs(floats[body, col.UPPER_REACH + axis])
        margin = BOUNDS_MARGIN * (SLOP * floats[body, col.SIZE] + ROUNDING * far)
    changed = False
    for axis in range(2):
        low, high = math.inf, -math.inf
        if not is_empty:
            low = floats[body, col.START + axis] + floats[body, col.LOWER_REACH + axis] - margin
            high = floats[body, col.START + axis] + floats[body, col.UPPER_REACH + axis] + margin
        changed = changed or nodes[leaf, axis] != low or nodes[leaf, 2 + axis] != high
        nodes[leaf, axis], nodes[leaf, 2 + axis] = low, high
    return changed


@kernel()
def refit_pose_leaf(tree: Tree, leaf: int, floats: Floats, is_used: Bools, body: int) -> bool:
    """Fit a leaf and the nodes above it to its body; return whether the leaf changed."""
    nodes, levels = tree.nodes, tree.levels
    if not fit_pose_leaf(nodes, leaf, floats, is_used, body):
        return False
    node = leaf
    for level in range(1, levels.shape[0] - 1):
        node = levels[level] + (node - levels[level - 1]) // FANOUT
        if not cover_children(nodes, levels, level, node):
            break
    return True


@kernel()
def is_leaf_of_moved_body(before: float, nodes: Floats, leaf: int, first_mover: int) -> bool:
    """Return whether a changed leaf means that its body moved: not if it is removed, or new among movers."""
    return nodes[leaf, col.LOW_X] < math.inf and (leaf < first_mover or before < math.inf)


def _fit_example() -> tuple[Tree, Floats, Bools, Bools, int, int]:
    flags = np.zeros(1, np.bool_)
    return examples.tree(), np.zeros((1, col.FLOAT_COLUMNS)), flags, flags, 0, 0


@kernel(_fit_example)
def fit_pose_leaves(
    tree: Tree, floats: Floats, is_used: Bools, has_moved: Bools, begin: int, first_mover: int
) -> tuple[int, int]:
    """Fit all leaves from `begin` on to their bodies, and all nodes above them. A leaf with body -1 is empty.

    Return the number of bodies that moved, and of those among them that moved for the first time and whose leaves are
    before the movers'.
    """
    nodes, levels, leaves = tree.nodes, tree.levels, tree.leaves
    moves = strays = 0
    for leaf in range(begin, leaves.shape[0]):
        body, before = leaves[leaf], nodes[leaf, col.LOW_X]
        if fit_pose_leaf(nodes, leaf, floats, is_used, body) and is_leaf_of_moved_body(
            before, nodes, leaf, first_mover
        ):
            moves += 1
            strays += 0 if has_moved[body] or leaf >= first_mover else 1
            has_moved[body] = True
    first = begin
    for level in range(1, levels.shape[0] - 1):
        first = levels[level] + (first - levels[level - 1]) // FANOUT
        for node in range(first, levels[level + 1]):
            cover_children(nodes, levels, level, node)
    return moves, strays


def _refit_example() -> tuple[Tree, Floats, Bools, Bools, Ints, int]:
    tree, floats, is_used, has_moved, _, first_mover = _fit_example()
    return tree, floats, is_used, has_moved, np.zeros(1, np.int64), first_mover


@kernel(_refit_example)
def refit_pose_leaves(
    tree: Tree, floats: Floats, is_used: Bools, has_moved: Bools, bodies: Ints, first_mover: int
) -> tuple[int, int]:
    """Update the tree to the poses of some bodies; return the same numbers as `fit_pose_leaves`."""
    moves = strays = 0
    for body in bodies:
        leaf = tree.leaf_of[body]
        before = tree.nodes[leaf, col.LOW_X]
        if not refit_pose_leaf(tree, leaf, floats, is_used, body):
            continue
        if is_leaf_of_moved_body(before, tree.nodes, leaf, first_mover):
            moves += 1
            strays += 0 if has_moved[body] or leaf >= first_mover else 1
            has_moved[body] = True
    return moves, strays


@kernel()
def set_cast_axis(way: Floats, axis: int, begin: float, end: float, low: float, high: float, bulge: float) -> None:
    """Write the cast of a box on an axis, from `begin` to `end`; `bulge` is its deviation from the straight path."""
    margin = bulge + BOUNDS_MARGIN * ROUNDING * (abs(begin) + abs(end) + abs(low) + abs(high))
    way[col.LOW_X + axis] = min(begin, end) + low - margin
    way[col.HIGH_X + axis] = max(begin, end) + high + margin
    way[col.CAST_MIDDLE + axis] = 0.5 * (begin + end) + 0.5 * (low + high)
    way[col.CAST_HALF_WAY + axis] = 0.5 * (end - begin)
    way[col.CAST_HALF_BOX + axis] = 0.5 * (high - low) + margin


@kernel()
def meets_cast(way: Floats, nodes: Floats, node: int) -> bool:
    """Return whether a node overlaps or touches the area that a cast box sweeps. Uses separating axes, no division."""
    if not (
        (nodes[node, col.LOW_X] <= way[col.HIGH_X])
        & (nodes[node, col.LOW_Y] <= way[col.HIGH_Y])
        & (nodes[node, col.HIGH_X] >= way[col.LOW_X])
        & (nodes[node, col.HIGH_Y] >= way[col.LOW_Y])
    ):
        return False
    dx, dy = way[col.CAST_HALF_WAY], way[col.CAST_HALF_WAY + 1]
    if dx == 0.0 or dy == 0.0:
        return True
    off_x = 0.5 * (nodes[node, col.LOW_X] + nodes[node, col.HIGH_X]) - way[col.CAST_MIDDLE]
    off_y = 0.5 * (nodes[node, col.LOW_Y] + nodes[node, col.HIGH_Y]) - way[col.CAST_MIDDLE + 1]
    half_x = 0.5 * (nodes[node, col.HIGH_X] - nodes[node, col.LOW_X]) + way[col.CAST_HALF_BOX]
    half_y = 0.5 * (nodes[node, col.HIGH_Y] - nodes[node, col.LOW_Y]) + way[col.CAST_HALF_BOX + 1]
    # Large nodes have large rounding errors, which the margins of the small bodies in them do not cover.
    return bool(abs(dx * off_y - dy * off_x) <= (half_x * abs(dy) + half_y * abs(dx)) * (1.0 + SLOP))


@kernel()
def is_in_query(ints: Ints, body: int, query: QueryFilter) -> bool:
    """Return whether a query includes a body: by its layer, and unless it is one of the ignored bodies."""
    if ints[body, col.LAYER] & query.layers == 0:
        return False
    for other in query.ignored:  # noqa: SIM110  Numba knows no `any`
        if other == body:
            return False
    return True


@kernel(inline=False)
def cast_candidates(way: Floats, query: QueryFilter, ints: Ints, tree: Tree, stack: Ints, found: Ints) -> int:
    """Write all bodies of a query whose bounds a cast box meets, the candidates; return their number."""
    nodes, levels, leaves = tree.nodes, tree.levels, tree.leaves
    count = 0
    if leaves.shape[0] == 0 or not meets_cast(way, nodes, nodes.shape[0] - 1):
        return count
    # Only nodes that the box meets are put on the stack: level and node.
    depth = 1
    stack[0], stack[1] = levels.shape[0] - 2, nodes.shape[0] - 1
    while depth > 0:
        depth -= 1
        level, node = stack[2 * depth], stack[2 * depth + 1]
        if level == 0:
            if is_in_query(ints, leaves[node], query):
                found[count] = leaves[node]
                count += 1
            continue
        first = levels[level - 1] + (node - levels[level]) * FANOUT
        for child in range(first, min(first + FANOUT, levels[level])):
            if meets_cast(way, nodes, child):
                stack[2 * depth], stack[2 * depth + 1] = level - 1, child
                depth += 1
    return count


@kernel()
def set_cast_at(way: Floats, solid: Part, place: Vector) -> None:
    """Write the bounds of a solid at a place as a cast that does not move."""
    row, first = solid
    for axis in range(2):
        low, high = row[first + col.LOWER + axis], row[first + col.UPPER + axis]
        set_cast_axis(way, axis, place[axis], place[axis], low, high, 0.0)


@kernel()
def solid_at_pose(body: int, bodies: Bodies, own: Floats) -> Part:
    """Return a body's solid at its pose; one that needs rotation is written to `own`."""
    floats, ints, pool = bodies
    rows, at = pool, ints[body, col.SOLID]
    if floats[body, col.ANGLE] != 0.0 and not is_centred_disk(pool, at):
        rows, at = own, 0
        write_posed_body(floats, ints, pool, body, own, at)
    return Part(rows, at)


@kernel(inline=False)
def keep_hits(
    solid: Part, place: Vector, candidates: Ints, total: int, bodies: Bodies, own: Floats, hits: Ints, count: int
) -> int:
    """Append the candidates that a solid overlaps or touches to the hits; return the new number of hits.

    `own` is memory for a posed solid of a candidate.
    """
    row, first = solid
    x, y = place
    for index in range(total):
        body = candidates[index]
        rows, other = solid_at_pose(body, bodies, own)
        at_x, at_y = bodies.floats[body, col.START], bodies.floats[body, col.START + 1]
        slop = slop_of(rows, other, at_x, at_y, row, first, x, y)
        if overlap(rows, other, row, first, (x - at_x, y - at_y), slop):
            hits[count, col.HIT_ORDER], hits[count, col.HIT_BODY] = bodies.ints[body, col.ORDER], body
            count += 1
    return count


def query_example() -> tuple[QueryFilter, Bodies, Tree]:
    """Return what all world queries take last."""
    return QueryFilter(0, np.zeros(1, np.int64)), examples.bodies(), examples.tree()


def _over_example() -> tuple[Floats, Vector, float, int, QueryFilter, Bodies, Tree]:
    return np.zeros(col.PIECES + col.PIECE_COLUMNS), (0.0, 0.0), 0.0, 1, *query_example()


@kernel(_over_example)
def bodies_over(
    row: Floats, place: Vector, angle: float, longest: int, query: QueryFilter, bodies: Bodies, tree: Tree
) -> Ints:
    """Return a row for each body that a solid at a pose overlaps or touches.

    `longest` is the length of the longest row of a body's solid.
    """
    first, count = 0, 0
    if angle != 0.0:
        turned = np.empty_like(row)
        turn(row, first, row.shape[0], angle, turned)
        row = turned
    solid = Part(row, first)
    way, stack = np.empty(col.CAST_COLUMNS), np.empty(2 * FANOUT * MAX_LEVELS, np.int64)
    candidates = np.empty(tree.leaves.shape[0], np.int64)
    set_cast_at(way, solid, place)
    total = cast_candidates(way, query, bodies.ints, tree, stack, candidates)
    hits, own = np.empty((total, col.HIT_COLUMNS), np.int64), np.empty(longest)
    count = keep_hits(solid, place, candidates, total, bodies, own, hits, count)
    return hits[:count]


def _pairs_example() -> tuple[Floats, Ints, Floats, Ints, int, QueryFilter, Bodies, Tree]:
    row, poses = np.zeros(col.PIECES + col.PIECE_COLUMNS), np.zeros((1, 3))
    return row, np.array(((0, len(row)),)), poses, np.zeros(1, np.int64), 1, *query_example()


@kernel(_pairs_example)
def pairs_over(
    solids: Floats,
    spans: Ints,
    poses: Floats,
    askers: Ints,
    longest: int,
    query: QueryFilter,
    bodies: Bodies,
    tree: Tree,
) -> Ints:
    """Return the result of `bodies_over` for many bodies as if they had other poses, each without itself.

    Their solids are in `solids`, from the first to the second column of `spans`; `poses` has x, y and angle of each.
    """
    count, widest = 0, 0
    for asker in range(askers.shape[0]):
        widest = max(widest, spans[asker, 1])
    turned, own = np.empty(widest), np.empty(longest)
    way, stack = np.empty(col.CAST_COLUMNS), np.empty(2 * FANOUT * MAX_LEVELS, np.int64)
    candidates = np.empty(tree.leaves.shape[0], np.int64)
    hits = np.empty((4 * askers.shape[0], col.HIT_COLUMNS + 1), np.int64)
    for asker in range(askers.shape[0]):
        row, first, place = solids, spans[asker, 0], (poses[asker, 0], poses[asker, 1])
        if poses[asker, 2] != 0.0:
            turn(solids, first, spans[asker, 1], poses[asker, 2], turned)
            row = turned
        solid = Part(row, first)
        set_cast_at(way, solid, place)
        total = cast_candidates(way, query, bodies.ints, tree, stack, candidates)
        if count + total > hits.shape[0]:
            hits = with_more_rows(hits, count, 2 * (count + total))
        known = count
        count = keep_hits(solid, place, candidates, total, bodies, own, hits, known)
        others = known
        for hit in range(known, count):
            if hits[hit, col.HIT_BODY] != askers[asker]:
                hits[others, col.HIT_ORDER], hits[others, col.HIT_BODY] = (
                    hits[hit, col.HIT_ORDER],
                    hits[hit, col.HIT_BODY],
                )
                hits[others, col.HIT_ASKER] = asker
                others += 1
        count = others
    return hits[:count]


@kernel(inline=False, allocates=True)
def with_more_rows(hits: Ints, count: int, rows: int) -> Ints:
    """Return a longer array with the first `count` rows of another."""
    longer = np.empty((rows, hits.shape[1]), np.int64)
    for hit in range(count):
        for column in range(hits.shape[1]):
            longer[hit, column] = hits[hit, column]
    return longer


def _hit_example() -> tuple[Floats, Course, int, QueryFilter, Bodies, Tree]:
    return np.zeros(col.PIECES + col.PIECE_COLUMNS), (0.0,) * col.MOTION_COLUMNS, 1, *query_example()


@kernel(inline=False, allocates=True)
def make_cast(row: Floats, longest: int) -> Cast:
    """Return the cast of a solid, still without a motion. `longest` is the length of the longest row of a body."""
    first, one, other = 0, 0, 1
    pair = MovingPair(
        Mover(row, first, one, np.empty_like(row)),
        Mover(np.empty(longest), first, other, np.empty(longest)),
        np.empty(col.COURSE_COLUMNS),
        np.empty(col.AXIS_COLUMNS),
    )
    motions, circles = np.zeros((2, col.MOTION_COLUMNS)), np.empty((2, col.CIRCLE_COLUMNS))
    return Cast(pair, motions, circles, np.zeros(2, np.bool_), np.empty((col.STACK_ROWS, 2), np.int64))


@kernel(inline=False)
def hit_body(cast: Cast, body: int, bodies: Bodies, hits: Floats, at: int) -> bool:
    """Return whether a cast solid hits a body at its pose; write the impact without its points and features."""
    floats, ints, pool = bodies
    pair, motions, circles, stands, stack = cast
    one, other = pair.a.motion, pair.b.motion
    for axis in range(2):
        motions[other, col.MOTION_BEGIN + axis] = motions[other, col.MOTION_END + axis] = floats[body, col.START + axis]
    motions[other, col.MOTION_BEGIN_ANGLE] = motions[other, col.MOTION_END_ANGLE] = floats[body, col.ANGLE]
    set_circle(pool, ints[body, col.SOLID], motions, other, circles)
    if circles_miss(circles, one, other):
        return False
    move_row(pool, ints[body, col.SOLID], ints[body, col.SOLID_COLUMNS], pair.b.rows, pair.b.at)
    stands[other] = False
    find_impact(pair, motions, stands, stack, hits, at)
    return not math.isnan(hits[at, col.IMPACT_TIME])


@kernel(_hit_example)
def bodies_hit(row: Floats, motion: Course, longest: int, query: QueryFilter, bodies: Bodies, tree: Tree) -> Floats:
    """Return a row for each body that a moving solid hits: the result of `impact_pair`, then the body.

    `longest` is the length of the longest row of a body's solid.
    """
    cast = make_cast(row, longest)
    motions, first, one = cast.motions, 0, 0
    for column in range(col.MOTION_COLUMNS):
        motions[one, column] = motion[column]
    set_circle(row, first, motions, one, cast.circles)
    way, path = np.empty(col.CAST_COLUMNS), np.empty(2 * FANOUT * MAX_LEVELS, np.int64)
    set_cast_along(way, row, motions, cast.pair.a.standing, cast.stands)
    candidates = np.empty(tree.leaves.shape[0], np.int64)
    total = cast_candidates(way, query, bodies.ints, tree, path, candidates)
    hits, count = np.zeros((total, col.STRUCK_COLUMNS)), 0
    measured = np.zeros((col.MEASURED_ROWS, col.MEASURED_COLUMNS))
    for index in range(total):
        body = candidates[index]
        if not hit_body(cast, body, bodies, hits, count):
            continue
        finish_impact(cast.pair, motions, cast.stands, measured, hits, count)
        hits[count, col.IMPACT_COLUMNS + col.HIT_ORDER] = bodies.ints[body, col.ORDER]
        hits[count, col.IMPACT_COLUMNS + col.HIT_BODY] = body
        count += 1
    return hits[:count]


@kernel(inline=False)
def set_cast_along(way: Floats, row: Floats, motions: Floats, standing: Floats, stands: Bools) -> None:
    """Write the bounds of a solid as a cast along the first motion, and the posed solid if it does not turn."""
    first, one = 0, 0
    is_turning = turns(row, first, motions, one)
    if not is_turning:
        write_pose_at(Mover(row, first, one, standing), motions, 0.0, stands)
    for axis in range(2):
        low = -row[col.FARTHEST] if is_turning else standing[col.LOWER + axis]
        high = row[col.FARTHEST] if is_turning else standing[col.UPPER + axis]
        begin, end = motions[one, col.MOTION_BEGIN + axis], motions[one, col.MOTION_END + axis]
        set_cast_axis(way, axis, begin, end, low, high, BULGE * abs(motions[one, col.MOTION_PULL + axis]))


@kernel()
def set_ray(ray: Floats, motions: Floats) -> None:
    """Write the bounds, the start and the inverse way of the first motion."""
    for axis in range(2):
        begin, end = motions[0, col.MOTION_BEGIN + axis], motions[0, col.MOTION_END + axis]
        margin = BOUNDS_MARGIN * ROUNDING * (abs(begin) + abs(end))
        ray[col.LOW_X + axis], ray[col.HIGH_X + axis] = min(begin, end) - margin, max(begin, end) + margin
        ray[col.RAY_BEGIN + axis] = begin
        ray[col.RAY_INVERSE + axis] = 1.0 / (end - begin) if abs(end - begin) > SHORTEST_WAY else 0.0


@kernel()
def time_into_node(ray: Floats, nodes: Floats, node: int) -> float:
    """Return the time at which a ray comes into a node's bounds; infinity if it misses them.

    The method of slabs (Kay and Kajiya, "Ray tracing complex scenes", 1986). It may be early by `SLOP`, not late.
    """
    # Bounds first: they rule out most nodes.
    if not (
        (nodes[node, col.LOW_X] <= ray[col.HIGH_X])
        & (nodes[node, col.LOW_Y] <= ray[col.HIGH_Y])
        & (nodes[node, col.HIGH_X] >= ray[col.LOW_X])
        & (nodes[node, col.HIGH_Y] >= ray[col.LOW_Y])
    ):
        return math.inf
    enter, leave = -math.inf, math.inf
    for axis in range(2):
        inverse = ray[col.RAY_INVERSE + axis]
        if inverse != 0.0:
            one = (nodes[node, axis] - ray[col.RAY_BEGIN + axis]) * inverse
            other = (nodes[node, 2 + axis] - ray[col.RAY_BEGIN + axis]) * inverse
            enter, leave = max(enter, min(one, other)), min(leave, max(one, other))
    return math.inf if enter > leave + SLOP else enter - SLOP


@kernel(inline=False)
def first_hit(cast: Cast, query: QueryFilter, bodies: Bodies, tree: Tree, search: Search) -> int:
    """Write the first hit of a cast point into the first row of `search.hits`; return its body, -1 for none.

    Of bodies that it hits at the same time, the first one is that added first. Branch and bound: nearer nodes come
    first, and nodes that it reaches after the first hit so far are skipped.
    """
    nodes, levels, leaves = tree.nodes, tree.levels, tree.leaves
    stack, times, hits, ray = search
    best, least, depth = -1, math.inf, 0
    set_ray(ray, cast.motions)
    if leaves.shape[0] > 0:
        stack[0], stack[1], times[0] = levels.shape[0] - 2, nodes.shape[0] - 1, -math.inf
        depth = 1
    while depth > 0:
        depth -= 1
        level, node = stack[2 * depth], stack[2 * depth + 1]
        if times[depth] > least:
            continue
        if level == 0:
            body = leaves[node]
            if is_in_query(bodies.ints, body, query) and hit_body(cast, body, bodies, hits, 1):
                time = hits[1, col.IMPACT_TIME]
                is_first = time < least or (
                    time == least and bodies.ints[body, col.ORDER] < bodies.ints[best, col.ORDER]
                )
                if is_first:
                    best, least, hits[0, col.IMPACT_TIME] = body, time, time
            continue
        begin = depth
        start = levels[level - 1] + (node - levels[level]) * FANOUT
        for child in range(start, min(start + FANOUT, levels[level])):
            time = time_into_node(ray, nodes, child)
            if time == math.inf or time > least:
                continue
            # The nearest child goes on top of the stack.
            at = depth
            while at > begin and times[at - 1] < time:
                times[at] = times[at - 1]
                stack[2 * at], stack[2 * at + 1] = stack[2 * at - 2], stack[2 * at - 1]
                at -= 1
            times[at] = time
            stack[2 * at], stack[2 * at + 1] = level - 1, child
            depth += 1
    return best


@kernel()
def distance_to_node(nodes: Floats, node: int, x: float, y: float) -> float:
    """Return the distance from a point to a node's bounds; inside, minus the distance to the nearest side.

    No body in the node is nearer, and no body in it has a greater depth.
    """
    out_x = max(nodes[node, col.LOW_X] - x, x - nodes[node, col.HIGH_X])
    out_y = max(nodes[node, col.LOW_Y] - y, y - nodes[node, col.HIGH_Y])
    if out_x <= 0.0 or out_y <= 0.0:
        return max(out_x, out_y)
    return math.sqrt(out_x * out_x + out_y * out_y)


@kernel()
def is_farther(nearest: Floats, one: int, other: int) -> bool:
    """Return whether the first of two bodies is farther away, or as far and added later."""
    if nearest[one, 0] != nearest[other, 0]:
        return bool(nearest[one, 0] > nearest[other, 0])
    return bool(nearest[one, 1 + col.HIT_ORDER] > nearest[other, 1 + col.HIT_ORDER])


@kernel()
def swap_heap_rows(nearest: Floats, one: int, other: int) -> None:
    """Exchange two rows."""
    for column in range(col.NEAREST_COLUMNS):
        nearest[one, column], nearest[other, column] = nearest[other, column], nearest[one, column]


@kernel(inline=False)
def keep_nearest(nearest: Floats, count: int) -> int:
    """Add the row at `count` to the rows before it; return their new number.

    The rows are a heap, the farthest first (Williams, "Algorithm 232: Heapsort", 1964). The last row of the array is
    never part of it: if the heap is full, it loses the farthest row.
    """
    room = nearest.shape[0] - 1
    if count < room:
        at = count
        while at > 0 and is_farther(nearest, at, (at - 1) // 2):
            swap_heap_rows(nearest, at, (at - 1) // 2)
            at = (at - 1) // 2
        return count + 1
    if is_farther(nearest, count, 0):
        return count
    swap_heap_rows(nearest, count, 0)
    at = 0
    while True:
        child = 2 * at + 1
        if child >= room:
            return count
        if child + 1 < room and is_farther(nearest, child + 1, child):
            child += 1
        if not is_farther(nearest, child, at):
            return count
        swap_heap_rows(nearest, at, child)
        at = child


def _near_example() -> tuple[Floats, Vector, float, int, int, QueryFilter, Bodies, Tree]:
    return np.zeros(col.PIECES + col.PIECE_COLUMNS), (0.0, 0.0), 0.0, 1, 1, *query_example()


@kernel(_near_example)
def bodies_near(
    row: Floats,
    place: Vector,
    within: float,
    wanted: int,
    longest: int,
    query: QueryFilter,
    bodies: Bodies,
    tree: Tree,
) -> Floats:
    """Return a row for each of the `wanted` bodies nearest to a point: the distance, then the body.

    `row` is the solid of the point, and `longest` the length of the longest row of a body's solid. The method is branch
    and bound (Roussopoulos et al., "Nearest neighbor queries", 1995): nearer nodes come first, and nodes farther away
    than all `wanted` bodies so far are skipped.
    """
    nodes, levels, leaves = tree.nodes, tree.levels, tree.leaves
    x, y = place
    nearest, count = np.empty((min(wanted, leaves.shape[0]) + 1, col.NEAREST_COLUMNS)), 0
    stack, gaps, own = np.empty(2 * FANOUT * MAX_LEVELS, np.int64), np.empty(FANOUT * MAX_LEVELS), np.empty(longest)
    measured = np.empty((col.MEASURED_ROWS, col.MEASURED_COLUMNS))
    margin = BOUNDS_MARGIN * ROUNDING * (abs(x) + abs(y))
    # The limit is finite, so it skips empty bounds, which are infinitely far away.
    depth, limit = 0, min(within, LARGEST_DISTANCE)
    if leaves.shape[0] > 0:
        stack[0], stack[1] = levels.shape[0] - 2, nodes.shape[0] - 1
        gaps[0], depth = distance_to_node(nodes, nodes.shape[0] - 1, x, y) - margin, 1
    while depth > 0:
        depth -= 1
        level, node = stack[2 * depth], stack[2 * depth + 1]
        if gaps[depth] > limit:
            continue
        if level == 0:
            body = leaves[node]
            if not is_in_query(bodies.ints, body, query):
                continue
            gap = gap_to_body(row, place, body, bodies, own, measured)
            if gap <= limit:
                nearest[count, 0] = gap
                nearest[count, 1 + col.HIT_ORDER], nearest[count, 1 + col.HIT_BODY] = bodies.ints[body, col.ORDER], body
                count = keep_nearest(nearest, count)
                if count == nearest.shape[0] - 1:
                    limit = nearest[0, 0]
            continue
        begin = depth
        start = levels[level - 1] + (node - levels[level]) * FANOUT
        for child in range(start, min(start + FANOUT, levels[level])):
            gap = distance_to_node(nodes, child, x, y) - margin
            if gap > limit:
                continue
            # The nearest child goes on top of the stack.
            at = depth
            while at > begin and gaps[at - 1] < gap:
                gaps[at] = gaps[at - 1]
                stack[2 * at], stack[2 * at + 1] = stack[2 * at - 2], stack[2 * at - 1]
                at -= 1
            gaps[at] = gap
            stack[2 * at], stack[2 * at + 1] = level - 1, child
            depth += 1
    return nearest[:count]


@kernel(inline=False)
def gap_to_body(row: Floats, place: Vector, body: int, bodies: Bodies, own: Floats, measured: Floats) -> float:
    """Return the signed distance of a body from a solid at a place. `own` and `measured` are memory."""
    first = 0
    x, y = place
    rows, solid = solid_at_pose(body, bodies, own)
    at_x, at_y = bodies.floats[body, col.START], bodies.floats[body, col.START + 1]
    slop = slop_of(row, first, x, y, rows, solid, at_x, at_y)
    measure(row, first, rows, solid, (at_x - x, at_y - y), slop, measured)
    return measured[col.MEASURED, col.CONTACT_GAP]
