"""Broadphase: find the candidates and the sensors of a weak body W in a frame, through the tree.

Candidates have the first rows of `near` and `tags`, sensors the last ones.
"""

from __future__ import annotations

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bodies, Candidates, Floats, FrameRows, Ints, Report, Scratch, Tree
from impinge.kernels.compiler import kernel
from impinge.kernels.space.tree import FANOUT, swept_range
from impinge.kernels.step.candidates import load_stretch, write_candidate
from impinge.kernels.step.hook_answers import answer_row, write_question
from impinge.kernels.tolerances import ROUNDING, SLOP

# The query is a little wider than the slop, so that it finds all contacts at W's start in spite of rounding.
QUERY_MARGIN = 16.0


@kernel()
def add_candidate(
    weak: int,
    mighty: int,
    count: int,
    time: float,
    candidates: Candidates,
    bodies: Bodies,
    frame: FrameRows,
) -> int:
    """Add a body to the candidates if it can push W and is not among them yet; return the new count."""
    ints, near, counts = bodies.ints, candidates.near, frame.counts
    if candidates.marks[mighty] == weak or mighty == weak:
        return count
    if count + counts[col.SENSOR_TOTAL] == near.shape[0]:
        # W is resolved again with more rows.
        counts[col.LACKS] |= col.LACKS_NEAR
        return count
    is_sensor = max(ints[weak, col.RESPONSE], ints[mighty, col.RESPONSE]) == col.RESPONSE_SENSOR
    if is_sensor:
        add_sensor(weak, mighty, candidates, bodies, frame)
        return count
    if ints[mighty, col.MIGHT] <= ints[weak, col.MIGHT] or not ints[mighty, col.LAYER] & ints[weak, col.MASK]:
        return count
    if ints[mighty, col.IS_PROXY]:
        # W is resolved again, among the bodies that replace this lazy proxy.
        counts[col.PROXY_NEAR] = mighty + 1
        return count
    if counts[col.LISTENS] and not is_pair_accepted(
        mighty, max(ints[weak, col.RESPONSE], ints[mighty, col.RESPONSE]), frame
    ):
        return count
    candidates.marks[mighty] = weak
    write_candidate(candidates, count, weak, mighty, bodies, frame.knots)
    while near[count, col.NEAR_T1] <= time and near[count, col.NEAR_T1] < 1.0:
        candidates.tags[count, col.TAG_STRETCH] += 1
        load_stretch(candidates, count, bodies, frame.knots)
    if counts[col.LISTENS]:
        apply_hook_answer(mighty, count, candidates.tags, frame)
    return count + 1


@kernel(inline=False)
def is_pair_accepted(mighty: int, response: int, frame: FrameRows) -> bool:
    """Return whether to resolve a pair; write a question for the hook if its answer is not known yet."""
    row = answer_row(mighty, frame)
    if row >= 0:
        return (
            frame.verdicts[row, col.VERDICT_STAGE] != col.PAIR_ASKED
            and frame.verdicts[row, col.VERDICT_RESPONSE] >= 0.0
        )
    if not frame.counts[col.LISTENS] & col.LISTENS_TO_PAIRS:
        return True
    write_question(mighty, col.PAIR_ASKED, response, -1, Report(0.0, (0.0, 0.0), 0.0), frame)
    return False


@kernel(inline=False)
def apply_hook_answer(mighty: int, neighbour: int, tags: Ints, frame: FrameRows) -> None:
    """Apply the hook answer about the pair to a new candidate."""
    verdicts = frame.verdicts
    row = answer_row(mighty, frame)
    if row < 0 or verdicts[row, col.VERDICT_STAGE] == col.TOUCH_ASKED:
        return
    tags[neighbour, col.TAG_RULE] = int(verdicts[row, col.VERDICT_RESPONSE])
    if verdicts[row, col.VERDICT_CARRIES] >= 0.0:
        tags[neighbour, col.TAG_CARRIES] = int(verdicts[row, col.VERDICT_CARRIES])


@kernel(inline=False)
def add_sensor(
    weak: int,
    mighty: int,
    candidates: Candidates,
    bodies: Bodies,
    frame: FrameRows,
) -> None:
    """Add a sensor that W may meet.

    If W is a sensor, add a body that may meet W. A body that the frame resolves is left out, as it finds W itself.
    """
    ints, counts = bodies.ints, frame.counts
    if ints[weak, col.RESPONSE] == col.RESPONSE_SENSOR:
        if ints[mighty, col.LOOKS] or not ints[weak, col.LAYER] & ints[mighty, col.MASK]:
            return
    elif not ints[mighty, col.LAYER] & ints[weak, col.MASK]:
        return
    if ints[mighty, col.IS_PROXY]:
        counts[col.PROXY_NEAR] = mighty + 1
        return
    if counts[col.LISTENS] & col.LISTENS_TO_SHAPES and not is_pair_accepted(mighty, col.RESPONSE_SENSOR, frame):
        return
    candidates.marks[mighty] = weak
    counts[col.SENSOR_TOTAL] += 1
    write_candidate(candidates, candidates.near.shape[0] - counts[col.SENSOR_TOTAL], weak, mighty, bodies, frame.knots)


@kernel()
def meets_node(bounds: Floats, nodes: Floats, node: int) -> bool:
    """Return whether a node of the tree overlaps or touches the query.

    One expression without branches, because the side that fails is unpredictable.
    """
    return (
        (nodes[node, col.LOW_X] <= bounds[col.HIGH_X])
        & (nodes[node, col.LOW_Y] <= bounds[col.HIGH_Y])
        & (nodes[node, col.HIGH_X] >= bounds[col.LOW_X])
        & (nodes[node, col.HIGH_Y] >= bounds[col.LOW_Y])
    )


@kernel()
def meets_body(bounds: Floats, bodies: Bodies, knots: Floats, body: int) -> bool:
    """Return whether a body's path overlaps or touches the query."""
    for axis in range(2):
        low, high = swept_range(bodies.floats, bodies.ints, knots, body, axis)
        if low > bounds[2 + axis] or high < bounds[axis]:
            return False
    return True


@kernel()
def find_candidates(
    weak: int,
    count: int,
    time: float,
    scratch: Scratch,
    candidates: Candidates,
    bodies: Bodies,
    frame: FrameRows,
    tree: Tree,
) -> int:
    """Add all bodies whose swept bounds meet the query to the candidates; return the new count."""
    nodes, levels, bounds, stack = tree.nodes, tree.levels, scratch.bounds, scratch.stack
    for mighty in tree.tail:
        if meets_body(bounds, bodies, frame.knots, mighty):
            count = add_candidate(weak, mighty, count, time, candidates, bodies, frame)
    if nodes.shape[0] == 0 or not meets_node(bounds, nodes, nodes.shape[0] - 1):
        return count
    # The stack holds only nodes that meet the query: level and node.
    depth = 1
    stack[0] = levels.shape[0] - 2
    stack[1] = nodes.shape[0] - 1
    while depth > 0:
        depth -= 1
        level, node = stack[2 * depth], stack[2 * depth + 1]
        if level == 0:
            count = add_candidate(weak, tree.leaves[node], count, time, candidates, bodies, frame)
            continue
        first = levels[level - 1] + (node - levels[level]) * FANOUT
        for child in range(first, min(first + FANOUT, levels[level])):
            if meets_node(bounds, nodes, child):
                stack[2 * depth] = level - 1
                stack[2 * depth + 1] = child
                depth += 1
    return count


@kernel()
def widen_along_path(weak: int, bounds: Floats, way: Floats, floats: Floats, rest: float) -> bool:
    """Widen the query to cover W at its present velocity for the rest of the frame; return whether it changed."""
    return widen_to_place(
        weak,
        bounds,
        way,
        floats,
        way[col.WAY_PLACE] + way[col.WAY_SPEED] * rest,
        way[col.WAY_PLACE + 1] + way[col.WAY_SPEED + 1] * rest,
    )


@kernel()
def widen_around_path(weak: int, rest: float, off: float, bounds: Floats, way: Floats, floats: Floats) -> bool:
    """Widen the query to cover W after `rest`, and `off` around that place; return whether it changed."""
    x, y = way[col.WAY_PLACE] + way[col.WAY_SPEED] * rest, way[col.WAY_PLACE + 1] + way[col.WAY_SPEED + 1] * rest
    wider = widen_to_place(weak, bounds, way, floats, x - off, y - off)
    return widen_to_place(weak, bounds, way, floats, x + off, y + off) or wider


@kernel()
def widen_to_place(weak: int, bounds: Floats, way: Floats, floats: Floats, x: float, y: float) -> bool:
    """Widen the query to cover W from its present place to another one; return whether it changed."""
    wider = False
    for axis in range(2):
        ahead = x if axis == 0 else y
        margin = QUERY_MARGIN * SLOP * floats[weak, col.SIZE]
        margin += QUERY_MARGIN * ROUNDING * (abs(way[col.WAY_PLACE + axis]) + abs(ahead))
        low = min(way[col.WAY_PLACE + axis], ahead) + floats[weak, col.LOWER_REACH + axis]
        high = max(way[col.WAY_PLACE + axis], ahead) + floats[weak, col.UPPER_REACH + axis]
        # The query has a margin, so only a path that leaves this margin needs a new query.
        if low < bounds[axis] or high > bounds[2 + axis]:
            bounds[axis] = min(bounds[axis], low - margin)
            bounds[2 + axis] = max(bounds[2 + axis], high + margin)
            wider = True
    return wider
