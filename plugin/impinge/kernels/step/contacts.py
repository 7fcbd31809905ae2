"""Contacts of a solid W with its candidates at one instant: a row of `touches` for each pair of pieces in contact.

In the configuration space of W, W is a point. Each piece of a candidate is a convex obstacle there, rounded by the sum
of both radii. W lies on the border of that obstacle. The border has one normal there, or two on a sharp corner.
`contact_planes` finds W's velocity from the contacts.
"""

from __future__ import annotations

import math

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bodies, Candidates, Floats, FrameRows, Ints, PieceContact, Pieces, Vector
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.cast import extremes
from impinge.kernels.pair.separation import (
    NEARLY_PARALLEL,
    NOISE_UNITS,
    both_radii,
    bounds_gap,
    core_gap,
    facing_edge,
    facing_points,
    is_edge_normal,
    support,
)
from impinge.kernels.space.posed_solids import is_centred_disk, take_posed_row, update_posed_body, update_posed_solid
from impinge.kernels.step.candidates import angle_of_mighty, relative_place, time_to_bend
from impinge.kernels.step.hook_answers import answer_row, answered_normal
from impinge.kernels.step.internal_edges import is_same_direction, join_internal_edges
from impinge.kernels.step.outline_chains import update_chain
from impinge.kernels.step.rows import take_rows
from impinge.kernels.tolerances import SAME_SINE, SLOP, UPRIGHT

# Limits of a span over which rotation is linearised. The first is an angle in radians. The second limits the path of
# the farthest point, as a part of the smaller of both solids' longer sides. Normals and speeds of the whole span are
# those of its middle. The error is a 24th of the third power of the angle; position correction at the end of the span
# removes it.
LINEAR_ANGLE = 1.0 / 32.0
LINEAR_PATH = 0.25
# Radians. At a round corner, normals within this angle count as one.
SAME_ANGLE = 1e-9


@kernel()
def face_along(normal: Vector) -> int:
    """Return the face that a normal out of a body belongs to: 2 * axis + (1 for the high side)."""
    nx, ny = normal
    if abs(ny) >= abs(nx) * UPRIGHT:
        return 3 if ny > 0.0 else 2
    return 1 if nx > 0.0 else 0


@kernel()
def face_of_mighty(near: Floats, neighbour: int, time: float, normal: Vector) -> int:
    """Return the face of a candidate that a normal in the game's frame belongs to. Faces turn with their body."""
    angle = angle_of_mighty(near, neighbour, time)
    if angle == 0.0:
        return face_along(normal)
    nx, ny = normal
    cos, sin = math.cos(angle), math.sin(angle)
    return face_along((cos * nx + sin * ny, cos * ny - sin * nx))


@kernel()
def carries_by_some_faces(neighbour: int, tags: Ints) -> bool:
    """Return whether M carries W by some of its faces only, so that the face in contact matters."""
    return 0 < tags[neighbour, col.TAG_CARRIES] < 15 and not tags[neighbour, col.TAG_BITS] & col.BIT_HELD


@kernel()
def angle_tolerance(neighbour: int, radius: float, near: Floats) -> float:
    """Return the largest rounding error of a normal's angle at a round corner; a tiny corner has a large error."""
    return max(2.0 * SAME_ANGLE, 4.0 * (near[neighbour, col.NEAR_FUZZ] + near[neighbour, col.NEAR_NOISE]) / radius)


@kernel(inline=False)
def write_pair_solids(
    neighbour: int,
    weak: int,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    frame: FrameRows,
) -> None:
    """Write the solids of W and a candidate for this pair: their own, or those of the hook answer."""
    floats, ints, solids = bodies.floats, bodies.ints, bodies.solids
    tags = candidates.tags
    verdicts, counts = frame.verdicts, frame.counts
    row = answer_row(tags[neighbour, col.TAG_BODY], frame) if counts[col.LISTENS] else -1
    for body, first in ((tags[neighbour, col.TAG_BODY], col.TAG_SOLID_M), (weak, col.TAG_SOLID_W)):
        given = col.VERDICT_SOLIDS + (0 if first == col.TAG_SOLID_M else 2)
        if row < 0 or verdicts[row, given] < 0.0:
            tags[neighbour, first], tags[neighbour, first + 1] = ints[body, col.SOLID], ints[body, col.POSED]
            tags[neighbour, first + 2] = ints[body, col.SOLID_COLUMNS]
            continue
        solid, columns = int(verdicts[row, given]), int(verdicts[row, given + 1])
        tags[neighbour, first] = tags[neighbour, first + 1] = solid
        tags[neighbour, first + 2] = columns
        is_upright = floats[body, col.ANGLE] == 0.0 and floats[body, col.GOAL_ANGLE] == 0.0
        if is_upright or is_centred_disk(solids, solid):
            continue
        tags[neighbour, first + 1] = take_posed_row(columns, solids, counts)
        if ints[body, col.POSED] == ints[body, col.SOLID]:
            # The body's own solid is a disk, so it has no columns for a posed solid. It needs them now:
            # `has_real_rotation` treats a body without them as one that does not turn.
            ints[body, col.POSED] = take_posed_row(ints[body, col.SOLID_COLUMNS], solids, counts)
            update_posed_body(body, floats[body, col.ANGLE], ints, solids)
        pose_pair_solid(
            neighbour,
            first,
            way[col.WAY_ANGLE] if body == weak else candidates.near[neighbour, col.NEAR_ANGLE],
            tags,
            solids,
        )


@kernel(inline=False)
def write_solid_tolerances(neighbour: int, weak: int, way: Floats, candidates: Candidates, bodies: Bodies) -> None:
    """Write the tolerances of a pair of solids; `NEAR_FUZZ` and `NEAR_TOUCHING` replace the reach of a box."""
    solids, near = bodies.solids, candidates.near
    a, b = candidates.tags[neighbour, col.TAG_SOLID_M], candidates.tags[neighbour, col.TAG_SOLID_W]
    length = solids[a + col.FARTHEST] + solids[b + col.FARTHEST]
    for axis in range(2):
        way_m = abs(near[neighbour, col.NEAR_TO + axis] - near[neighbour, col.NEAR_FROM + axis])
        length += (
            abs(near[neighbour, col.NEAR_FROM + axis] - bodies.floats[weak, col.START + axis])
            + way_m
            + abs(way[col.WAY_OWN + axis])
        )
    near[neighbour, col.NEAR_FUZZ] = 2.0 * NOISE_UNITS * length
    near[neighbour, col.NEAR_GAP] = (
        SLOP * min(solids[a + col.EXTENT], solids[b + col.EXTENT]) + near[neighbour, col.NEAR_NOISE]
    )
    near[neighbour, col.NEAR_TOUCHING] = near[neighbour, col.NEAR_GAP] + 2.0 * near[neighbour, col.NEAR_FUZZ]


@kernel(inline=False)
def pose_pair_solid(neighbour: int, first: int, angle: float, tags: Ints, solids: Floats) -> None:
    """Pose the solid that M or W has for this pair; `first` is `TAG_SOLID_M` or `TAG_SOLID_W`."""
    update_posed_solid(tags[neighbour, first], tags[neighbour, first + 1], tags[neighbour, first + 2], angle, solids)


@kernel(inline=False)
def pose_weak(weak: int, count: int, angle: float, tags: Ints, bodies: Bodies, counts: Ints) -> None:
    """Pose W at an angle, and the solids that it has for single candidates and sensors."""
    update_posed_body(weak, angle, bodies.ints, bodies.solids)
    if counts[col.LISTENS] & col.LISTENS_TO_SHAPES:
        for neighbour in range(tags.shape[0]):
            if neighbour < count or neighbour >= tags.shape[0] - counts[col.SENSOR_TOTAL]:
                pose_pair_solid(neighbour, col.TAG_SOLID_W, angle, tags, bodies.solids)


@kernel()
def has_real_rotation(body: int, spin: float, ints: Ints) -> bool:
    """Return whether a body turns and the rotation matters for its solid; it does not for a lone disk."""
    return spin != 0.0 and ints[body, col.POSED] != ints[body, col.SOLID]


@kernel()
def real_spins(neighbour: int, weak: int, way: Floats, candidates: Candidates, ints: Ints) -> tuple[float, float]:
    """Return the spins of a candidate and of W, each 0 if it does not matter for the body's solid."""
    spin_m, spin_w = candidates.near[neighbour, col.NEAR_SPIN], way[col.WAY_WHIRL]
    return (
        spin_m if has_real_rotation(candidates.tags[neighbour, col.TAG_BODY], spin_m, ints) else 0.0,
        spin_w if has_real_rotation(weak, spin_w, ints) else 0.0,
    )


@kernel()
def separating_edges(
    solids: Floats, piece_a: int, piece_b: int, dx: float, dy: float, apart: float
) -> tuple[float, float, float, float, float, float]:
    """Return gap and normal of the two edges of A that separate it best from B, in different directions.

    The search stops at the first gap above `apart`.
    """
    first_a, total_a = int(solids[piece_a + col.FIRST_POINT]), int(solids[piece_a + col.POINT_TOTAL])
    first_b, total_b = int(solids[piece_b + col.FIRST_POINT]), int(solids[piece_b + col.POINT_TOTAL])
    gap, x, y = -math.inf, 0.0, 0.0
    other, other_x, other_y = -math.inf, 0.0, 0.0
    if total_a == 1:
        return gap, x, y, other, other_x, other_y
    for at_a in range(first_a, first_a + col.POINT_COLUMNS * total_a, col.POINT_COLUMNS):
        nx, ny = solids[at_a + col.NORMAL], solids[at_a + col.NORMAL + 1]
        reach = math.inf
        for at_b in range(first_b, first_b + col.POINT_COLUMNS * total_b, col.POINT_COLUMNS):
            reach = min(reach, nx * solids[at_b + col.POINT] + ny * solids[at_b + col.POINT + 1])
        outside = reach + nx * (dx - solids[at_a + col.POINT]) + ny * (dy - solids[at_a + col.POINT + 1])
        if outside > gap:
            if not is_same_direction(nx, ny, x, y):
                other, other_x, other_y = gap, x, y
            gap, x, y = outside, nx, ny
            if gap > apart:
                break
        elif outside > other and not is_same_direction(nx, ny, x, y):
            other, other_x, other_y = outside, nx, ny
    return gap, x, y, other, other_x, other_y


@kernel(inline=False)
def outermost_edges(
    solids: Floats, piece_a: int, piece_b: int, offset: Vector, sign: float, margin: float, left: Vector, right: Vector
) -> tuple[Vector, Vector]:
    """Return the outermost two of the normals `left`, `right`, and those of the edges of A that B is on, times a sign.

    At a corner with tiny edges, or of a thin wedge, B is on more than two edges. The two outermost ones bound the
    obstacle there: with the one between, a box went on through the air where the slope turned down behind a tiny edge.
    """
    first_a, total_a = int(solids[piece_a + col.FIRST_POINT]), int(solids[piece_a + col.POINT_TOTAL])
    first_b, total_b = int(solids[piece_b + col.FIRST_POINT]), int(solids[piece_b + col.POINT_TOTAL])
    if total_a == 1:
        return left, right
    for at_a in range(first_a, first_a + col.POINT_COLUMNS * total_a, col.POINT_COLUMNS):
        nx, ny = solids[at_a + col.NORMAL], solids[at_a + col.NORMAL + 1]
        mx, my = sign * nx, sign * ny
        to_left, to_right = left[0] * my - left[1] * mx, right[0] * my - right[1] * mx
        if to_left <= SAME_SINE and to_right >= -SAME_SINE:
            continue
        reach = math.inf
        for at_b in range(first_b, first_b + col.POINT_COLUMNS * total_b, col.POINT_COLUMNS):
            reach = min(reach, nx * solids[at_b + col.POINT] + ny * solids[at_b + col.POINT + 1])
        outside = reach + nx * (offset[0] - solids[at_a + col.POINT]) + ny * (offset[1] - solids[at_a + col.POINT + 1])
        if outside < -margin:
            continue
        # Of all the way round, an edge is further out on the side that it is nearer to.
        if to_left > SAME_SINE and (to_right >= -SAME_SINE or to_left < -to_right):
            left = mx, my
        else:
            right = mx, my
    return left, right


@kernel(inline=False)
def is_one_edge(pieces: Pieces, left: Vector, right: Vector, margin: float, solids: Floats) -> bool:
    """Return whether two edges that W is on are parallel as far as the margin tells: they part by less on their length.

    Far from the origin the margin is large. Two flush edges of which one turns do not form a corner there.
    """
    sine = left[0] * right[1] - left[1] * right[0]
    if abs(sine) > NEARLY_PARALLEL or left[0] * right[0] + left[1] * right[1] < 0.0:
        return False
    shortest = math.inf
    for nx, ny in (left, right):
        edge_m, sine_m = facing_edge(solids, pieces.of_m, nx, ny)
        edge_w, sine_w = facing_edge(solids, pieces.of_w, -nx, -ny)
        shortest = min(shortest, solids[(edge_m if sine_m <= sine_w else edge_w) + col.LENGTH])
    return abs(sine) * shortest <= margin


@kernel(inline=False)
def overlap_along_tangent(pieces: Pieces, normal: Vector, margin: float, solids: Floats) -> bool:
    """Return whether two pieces overlap along the tangent by more than the margin, and not only meet at their ends."""
    (nx, ny), (dx, dy) = normal, pieces.offset
    left, right = support(solids, pieces.of_m, ny, -nx), support(solids, pieces.of_m, -ny, nx)
    low = nx * solids[left + col.POINT + 1] - ny * solids[left + col.POINT]
    high = nx * solids[right + col.POINT + 1] - ny * solids[right + col.POINT]
    left, right = support(solids, pieces.of_w, ny, -nx), support(solids, pieces.of_w, -ny, nx)
    shift = nx * dy - ny * dx
    low = max(low, shift + nx * solids[left + col.POINT + 1] - ny * solids[left + col.POINT])
    high = min(high, shift + nx * solids[right + col.POINT + 1] - ny * solids[right + col.POINT])
    return high - low > margin


@kernel()
def feature_of_edge(pieces: Pieces, normal: Vector, solids: Floats) -> float:
    """Return the feature that has the normal of an edge."""
    _, sine_m = facing_edge(solids, pieces.of_m, normal[0], normal[1])
    _, sine_w = facing_edge(solids, pieces.of_w, -normal[0], -normal[1])
    return col.FEATURE_EDGE_OF_M if sine_m <= sine_w else col.FEATURE_EDGE_OF_W


@kernel(inline=False)
def sharp_contact(pieces: Pieces, margin: float, solids: Floats) -> PieceContact:
    """Return how two sharp pieces touch. A gap above the margin is only a lower bound."""
    dx, dy = pieces.offset
    of_m, of_w = col.FEATURE_EDGE_OF_M, col.FEATURE_EDGE_OF_W
    gap, x, y, other, other_x, other_y = separating_edges(solids, pieces.of_m, pieces.of_w, dx, dy, margin)
    if gap > margin:
        return PieceContact(gap, (x, y), of_m, (0.0, 0.0), of_m)
    gap_w, x_w, y_w, other_w, other_x_w, other_y_w = separating_edges(
        solids, pieces.of_w, pieces.of_m, -dx, -dy, margin
    )
    x_w, y_w, other_x_w, other_y_w = -x_w, -y_w, -other_x_w, -other_y_w
    is_of_w = other_is_of_w = gap_w > gap
    if is_of_w:
        gap, x, y, gap_w, x_w, y_w = gap_w, x_w, y_w, gap, x, y
        other, other_x, other_y, other_w, other_x_w, other_y_w = other_w, other_x_w, other_y_w, other, other_x, other_y
    if gap_w > other and not is_same_direction(x, y, x_w, y_w):
        other, other_x, other_y, other_is_of_w = gap_w, x_w, y_w, not is_of_w
    if other_w > other and not is_same_direction(x, y, other_x_w, other_y_w):
        other, other_x, other_y, other_is_of_w = other_w, other_x_w, other_y_w, not is_of_w
    feature, second_feature = of_w if is_of_w else of_m, of_w if other_is_of_w else of_m
    if other < -margin or gap > margin:
        return PieceContact(gap, (x, y), feature, (0.0, 0.0), second_feature)
    if x * other_x + y * other_y < SAME_SINE - 1.0 and overlap_along_tangent(pieces, (x, y), margin, solids):
        # The two sides of thin flush pieces are about equally near: W is on the side with less depth.
        return PieceContact(gap, (x, y), feature, (0.0, 0.0), second_feature)
    is_ahead = x * other_y - y * other_x > 0.0
    left, right = ((other_x, other_y), (x, y)) if is_ahead else ((x, y), (other_x, other_y))
    left, right = outermost_edges(solids, pieces.of_m, pieces.of_w, (dx, dy), 1.0, margin, left, right)
    left, right = outermost_edges(solids, pieces.of_w, pieces.of_m, (-dx, -dy), -1.0, margin, left, right)
    if is_one_edge(pieces, left, right, margin, solids):
        return PieceContact(gap, (x, y), feature, (0.0, 0.0), second_feature)
    first, second = (right, left) if is_ahead else (left, right)
    if first != (x, y):
        feature = feature_of_edge(pieces, first, solids)
    if second != (other_x, other_y):
        second_feature = feature_of_edge(pieces, second, solids)
    return PieceContact(gap, first, feature, second, second_feature)


@kernel()
def rounded_contact(pieces: Pieces, radius: float, near: Floats, solids: Floats) -> PieceContact:
    """Return how two pieces touch of which at least one is rounded; `radius` is the sum of both."""
    fuzz, margin = near[pieces.neighbour, col.NEAR_FUZZ], near[pieces.neighbour, col.NEAR_TOUCHING]
    feature = col.FEATURE_EDGE_OF_M
    gap, nx, ny = core_gap(solids, pieces.of_m, solids, pieces.of_w, pieces.offset, fuzz, radius + margin)
    gap -= radius
    if gap <= margin:
        # A normal that belongs to an edge turns with that edge.
        edge_m, sine_m = facing_edge(solids, pieces.of_m, nx, ny)
        edge_w, sine_w = facing_edge(solids, pieces.of_w, -nx, -ny)
        feature = col.FEATURE_VERTICES
        # Its contact takes the edge's normal exactly. Just past the edge's end, the normal of the corner has the
        # error of W's place: 7.5e-14 on an edge of length 4, which is more than rounding. So that normal counted
        # as a corner's, and a ball of size 1 rolled for 0.12 on an internal edge between tiles.
        if is_edge_normal(solids, edge_m, sine_m, margin) or is_edge_normal(solids, edge_w, sine_w, margin):
            if sine_w < sine_m:
                feature, nx, ny = (
                    col.FEATURE_EDGE_OF_W,
                    -solids[edge_w + col.NORMAL],
                    -solids[edge_w + col.NORMAL + 1],
                )
            else:
                feature, nx, ny = (
                    col.FEATURE_EDGE_OF_M,
                    solids[edge_m + col.NORMAL],
                    solids[edge_m + col.NORMAL + 1],
                )
    return PieceContact(gap, (nx, ny), feature, (0.0, 0.0), col.FEATURE_EDGE_OF_M)


@kernel()
def with_normal(contact: PieceContact, normal: Vector, feature: float) -> PieceContact:
    """Return a contact with another normal, and no second one."""
    return PieceContact(contact.gap, normal, feature, (0.0, 0.0), contact.second_feature)


@kernel()
def rotated(x: float, y: float, angle: float) -> tuple[float, float]:
    """Return a vector turned by an angle."""
    cos, sin = math.cos(angle), math.sin(angle)
    return cos * x - sin * y, sin * x + cos * y


@kernel()
def mean_rotation_velocity(spin: float, point: Vector, span: float) -> Vector:
    """Return the mean velocity, over a span of time, of a point that turns around the origin."""
    if spin == 0.0:
        return 0.0, 0.0
    rx, ry = point
    turned = spin * span
    if abs(turned) < 1e-6:
        return -spin * ry, spin * rx
    cos, sin = (math.cos(turned) - 1.0) / span, math.sin(turned) / span
    return cos * rx - sin * ry, sin * rx + cos * ry


@kernel(inline=False)
def turning_edge_at_end(solids: Floats, piece_w: int, normal: Vector, end: Vector, margin: float) -> float:
    """Return which of two flush edges has a vertex of the other piece on it, at an end of their overlap.

    That edge turns the normal there. The end is relative to W.
    """
    (nx, ny), (x, y) = normal, end
    low, high = extremes(solids, piece_w, -nx, -ny, margin)
    along = nx * y - ny * x
    for at in (low, high):
        if abs(nx * solids[at + col.POINT + 1] - ny * solids[at + col.POINT] - along) <= margin:
            return col.FEATURE_EDGE_OF_M
    return col.FEATURE_EDGE_OF_W


@kernel()
def contact_points(
    pieces: Pieces, contact: PieceContact, margin: float, solids: Floats
) -> tuple[float, float, float, float, float, float]:
    """Return the points, relative to M, at which two pieces touch, each with its gap; twice the same on a corner."""
    (nx, ny), (ox, oy), (dx, dy) = contact.normal, contact.second_normal, pieces.offset
    if ox != 0.0 or oy != 0.0:
        corner = support(solids, pieces.of_w, -nx - ox, -ny - oy)
        px, py = solids[corner + col.POINT] + dx, solids[corner + col.POINT + 1] + dy
        return px, py, contact.gap, px, py, contact.gap
    px, py, gap, qx, qy, other_gap = facing_points(
        solids, pieces.of_m, solids, pieces.of_w, pieces.offset, contact.normal, margin
    )
    return px, py, min(contact.gap, gap), qx, qy, other_gap


@kernel()
def passable_sides(neighbour: int, contact: PieceContact, way: Floats, candidates: Candidates) -> float:
    """Return which normals of a contact belong to passable sides: 1 and 2."""
    sides, passes, (ox, oy) = 0.0, candidates.tags[neighbour, col.TAG_PASSES], contact.second_normal
    if passes:
        if passes >> face_of_mighty(candidates.near, neighbour, way[col.WAY_TIME], contact.normal) & 1:
            sides += 1.0
        if (ox != 0.0 or oy != 0.0) and (
            passes >> face_of_mighty(candidates.near, neighbour, way[col.WAY_TIME], contact.second_normal) & 1
        ):
            sides += 2.0
    return sides


@kernel()
def write_contact(
    pieces: Pieces,
    point: Vector,
    contact: PieceContact,
    spins: Vector,
    way: Floats,
    candidates: Candidates,
    touches: Floats,
    counts: Ints,
) -> None:
    """Add a contact at a point, which is relative to M. The spins are those of M and W."""
    touch = take_rows(col.TOUCH_TOTAL, 1, touches.shape[0], col.LACKS_TOUCHES, counts)
    if touch < 0:
        return
    neighbour, near = pieces.neighbour, candidates.near
    (px, py), (dx, dy), (spin_m, spin_w) = point, pieces.offset, spins
    touches[touch, col.TOUCH_NEIGHBOUR] = neighbour
    touches[touch, col.TOUCH_PIECE_M], touches[touch, col.TOUCH_PIECE_W] = pieces.of_m, pieces.of_w
    touches[touch, col.TOUCH_NORMAL], touches[touch, col.TOUCH_NORMAL + 1] = contact.normal
    touches[touch, col.TOUCH_SECOND_NORMAL], touches[touch, col.TOUCH_SECOND_NORMAL + 1] = contact.second_normal
    touches[touch, col.TOUCH_FEATURE] = contact.feature
    touches[touch, col.TOUCH_FEATURE + 1] = contact.second_feature
    vx, vy = near[neighbour, col.NEAR_VELOCITY], near[neighbour, col.NEAR_VELOCITY + 1]
    turn_x, turn_y = mean_rotation_velocity(spin_m, (px, py), way[col.WAY_SPAN])
    own_x, own_y = mean_rotation_velocity(spin_w, (px - dx, py - dy), way[col.WAY_SPAN])
    touches[touch, col.TOUCH_GROUND], touches[touch, col.TOUCH_GROUND + 1] = vx + turn_x, vy + turn_y
    touches[touch, col.TOUCH_SURFACE] = vx + turn_x - own_x
    touches[touch, col.TOUCH_SURFACE + 1] = vy + turn_y - own_y
    touches[touch, col.TOUCH_FIRST_SURFACE] = vx - spin_m * py + spin_w * (py - dy)
    touches[touch, col.TOUCH_FIRST_SURFACE + 1] = vy + spin_m * px - spin_w * (px - dx)
    touches[touch, col.TOUCH_PLACE], touches[touch, col.TOUCH_PLACE + 1] = px - dx, py - dy
    touches[touch, col.TOUCH_DEPTH] = contact.gap
    touches[touch, col.TOUCH_OPEN] = passable_sides(neighbour, contact, way, candidates)
    touches[touch, col.TOUCH_CHOSEN], touches[touch, col.TOUCH_STATE] = 0.0, col.STATE_IDLE
    touches[touch, col.TOUCH_OWNER] = touches[touch, col.TOUCH_OWNER + 1] = touch
    touches[touch, col.TOUCH_FORCED] = touches[touch, col.TOUCH_WENT_OVER] = 0.0
    touches[touch, col.TOUCH_CUTS] = touches[touch, col.TOUCH_IS_LEDGE] = touches[touch, col.TOUCH_ON_DIAGONAL] = 0.0


@kernel(inline=False)
def write_piece_contacts(
    pieces: Pieces,
    contact: PieceContact,
    spins: Vector,
    way: Floats,
    candidates: Candidates,
    solids: Floats,
    touches: Floats,
    counts: Ints,
) -> None:
    """Add the contact of two pieces. If M or W turns, flush edges get a contact for each end of their overlap."""
    touching, (dx, dy), (spin_m, spin_w) = candidates.near[pieces.neighbour, col.NEAR_TOUCHING], pieces.offset, spins
    px, py, gap, qx, qy, other_gap = contact_points(pieces, contact, touching, solids)
    # Edges that are only nearly parallel do not touch at their far end.
    is_stretch = (px != qx or py != qy) and other_gap <= touching
    is_turning = spin_m != 0.0 or spin_w != 0.0
    ends = 2 if is_turning and is_stretch and contact.feature != col.FEATURE_JAMMED else 1
    for end in range(ends):
        if end == 1:
            px, py, gap = qx, qy, other_gap
        feature = contact.feature
        if ends == 2:
            feature = turning_edge_at_end(solids, pieces.of_w, contact.normal, (px - dx, py - dy), touching)
        at_end = PieceContact(gap, contact.normal, feature, contact.second_normal, contact.second_feature)
        write_contact(pieces, (px, py), at_end, spins, way, candidates, touches, counts)


@kernel(inline=False)
def time_to_flush(pieces: Pieces, normal: Vector, spin: float, margin: float, solids: Floats) -> float:
    """Return the time until two nearly parallel edges are flush, or infinity if they do not close.

    The normal points from M to W, and W turns by `spin` relative to M. At that time the far ends of the edges touch
    too, and would penetrate from then on. The search for contacts finds the far ends once they are within the margin.
    """
    nx, ny = normal
    edge_m, sine_m = facing_edge(solids, pieces.of_m, nx, ny)
    edge_w, sine_w = facing_edge(solids, pieces.of_w, -nx, -ny)
    if sine_m == 1.0 or sine_w == 1.0:
        return math.inf
    mx, my = solids[edge_m + col.NORMAL], solids[edge_m + col.NORMAL + 1]
    wx, wy = -solids[edge_w + col.NORMAL], -solids[edge_w + col.NORMAL + 1]
    sine = mx * wy - my * wx
    length = min(solids[edge_m + col.LENGTH], solids[edge_w + col.LENGTH])
    if mx * wx + my * wy <= 0.0 or abs(sine) * length <= margin or sine * spin >= 0.0:
        return math.inf
    return math.asin(min(abs(sine), 1.0)) / abs(spin)


@kernel(inline=False)
def add_piece_contacts(
    pieces: Pieces,
    weak: int,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    touches: Floats,
    frame: FrameRows,
) -> bool:
    """Add the contact of two pieces if they touch; return whether they touch or overlap.

    An ignored candidate gets no contact, but the answer is the same.
    """
    solids, near, tags, counts = bodies.solids, candidates.near, candidates.tags, frame.counts
    neighbour = pieces.neighbour
    margin = near[neighbour, col.NEAR_TOUCHING]
    radius = both_radii(solids, pieces.of_m, solids, pieces.of_w)
    is_sharp = radius == 0.0
    contact = sharp_contact(pieces, margin, solids) if is_sharp else rounded_contact(pieces, radius, near, solids)
    if contact.gap > margin:
        return False
    if tags[neighbour, col.TAG_BITS] & col.BIT_IGNORED:
        return True
    if counts[col.LISTENS]:
        given_x, given_y = answered_normal(tags[neighbour, col.TAG_BODY], frame)
        if given_x != 0.0 or given_y != 0.0:
            contact = with_normal(contact, (given_x, given_y), contact.feature)
    if tags[neighbour, col.TAG_BITS] & col.BIT_SQUEEZED and contact.gap < -margin:
        # By now the shortest way out may lead to the far side of M.
        stuck = near[neighbour, col.NEAR_STUCK_NORMAL], near[neighbour, col.NEAR_STUCK_NORMAL + 1]
        contact = with_normal(contact, stuck, col.FEATURE_JAMMED)
    spins = real_spins(neighbour, weak, way, candidates, bodies.ints)
    write_piece_contacts(pieces, contact, spins, way, candidates, solids, touches, counts)
    spin = spins[1] - spins[0]
    if spin != 0.0:
        way[col.WAY_FLUSH] = min(way[col.WAY_FLUSH], time_to_flush(pieces, contact.normal, spin, margin, solids))
        if contact.second_normal[0] != 0.0 or contact.second_normal[1] != 0.0:
            way[col.WAY_FLUSH] = min(
                way[col.WAY_FLUSH], time_to_flush(pieces, contact.second_normal, spin, margin, solids)
            )
    return True


@kernel()
def pose_candidate(neighbour: int, time: float, candidates: Candidates, bodies: Bodies) -> None:
    """Pose a candidate at its angle at a time."""
    if has_real_rotation(
        candidates.tags[neighbour, col.TAG_BODY], candidates.near[neighbour, col.NEAR_SPIN], bodies.ints
    ):
        angle = angle_of_mighty(candidates.near, neighbour, time)
        pose_pair_solid(neighbour, col.TAG_SOLID_M, angle, candidates.tags, bodies.solids)


@kernel(inline=False)
def pose_candidates(count: int, way: Floats, candidates: Candidates, bodies: Bodies) -> None:
    """Pose all candidates at the present time, with the outline chains for W's present place."""
    for neighbour in range(count):
        update_chain(neighbour, way, candidates, bodies.solids)
        pose_candidate(neighbour, way[col.WAY_TIME], candidates, bodies)


@kernel()
def longer_side(solids: Floats, solid: int) -> float:
    """Return the longer side of a solid's bounds; a thin solid's rotation is as linear as a thick one's."""
    return max(
        solids[solid + col.UPPER] - solids[solid + col.LOWER],
        solids[solid + col.UPPER + 1] - solids[solid + col.LOWER + 1],
    )


@kernel(inline=False)
def linear_rotation_span(neighbour: int, weak: int, way: Floats, candidates: Candidates, bodies: Bodies) -> float:
    """Return how long the rotation of W and a candidate may be linearised."""
    solids, tags = bodies.solids, candidates.tags
    a, b = tags[neighbour, col.TAG_SOLID_M], tags[neighbour, col.TAG_SOLID_W]
    room = LINEAR_PATH * min(longer_side(solids, a), longer_side(solids, b))
    span = math.inf
    for body, first, spin in (
        (tags[neighbour, col.TAG_BODY], a, abs(candidates.near[neighbour, col.NEAR_SPIN])),
        (weak, b, abs(way[col.WAY_WHIRL])),
    ):
        if has_real_rotation(body, spin, bodies.ints):
            span = min(span, LINEAR_ANGLE / spin, room / (spin * solids[first + col.FARTHEST]))
    return span


@kernel(inline=False)
def write_contacts(
    weak: int, count: int, way: Floats, candidates: Candidates, bodies: Bodies, touches: Floats, frame: FrameRows
) -> float:
    """Write all contacts of W for `way[WAY_SPAN]`; return how long all rotation may be linearised."""
    solids, near, tags = bodies.solids, candidates.near, candidates.tags
    frame.counts[col.TOUCH_TOTAL] = 0
    way[col.WAY_FLUSH] = math.inf
    even = math.inf
    for place in range(count):
        neighbour = tags[place, col.TAG_SEQUENCE]
        a, b = tags[neighbour, col.TAG_STANDING_M], tags[neighbour, col.TAG_STANDING_W]
        offset = relative_place(near, neighbour, way)
        margin = near[neighbour, col.NEAR_TOUCHING]
        touched = False
        if bounds_gap(solids, a + col.LOWER, solids, b + col.LOWER, offset) <= margin:
            end_m = a + col.PIECES + col.PIECE_COLUMNS * int(solids[a + col.PIECE_TOTAL])
            end_w = b + col.PIECES + col.PIECE_COLUMNS * int(solids[b + col.PIECE_TOTAL])
            for piece_m in range(a + col.PIECES, end_m, col.PIECE_COLUMNS):
                if bounds_gap(solids, piece_m, solids, b + col.LOWER, offset) > margin:
                    continue
                for piece_w in range(b + col.PIECES, end_w, col.PIECE_COLUMNS):
                    if bounds_gap(solids, piece_m, solids, piece_w, offset) > margin:
                        continue
                    pieces = Pieces(neighbour, piece_m, piece_w, offset)
                    if add_piece_contacts(pieces, weak, way, candidates, bodies, touches, frame):
                        touched = True
        if touched:
            tags[neighbour, col.TAG_BITS] |= col.BIT_TOUCHED
            even = min(even, linear_rotation_span(neighbour, weak, way, candidates, bodies))
        else:
            tags[neighbour, col.TAG_BITS] &= ~(col.BIT_TOUCHED | col.BIT_IGNORED | col.BIT_HELD | col.BIT_SQUEEZED)
    return min(even, way[col.WAY_FLUSH])


@kernel(inline=False)
def find_contacts(
    weak: int, count: int, way: Floats, candidates: Candidates, bodies: Bodies, touches: Floats, frame: FrameRows
) -> int:
    """Find all present contacts of W and return their number. Turning bodies stay posed at the present time.

    W may then move for `way[WAY_SPAN]` at most: rotation is linearised over that span.
    """
    # Bends of candidates' paths are known beforehand: up to there W follows an arc, not its chord.
    until = time_to_bend(count, way[col.WAY_TIME], candidates.near)
    if has_real_rotation(weak, way[col.WAY_WHIRL], bodies.ints):
        pose_weak(weak, count, way[col.WAY_ANGLE], candidates.tags, bodies, frame.counts)
    pose_candidates(count, way, candidates, bodies)
    way[col.WAY_SPAN] = min(until, way[col.WAY_LONGEST])
    even = write_contacts(weak, count, way, candidates, bodies, touches, frame)
    if even < way[col.WAY_SPAN]:
        way[col.WAY_SPAN] = even
        write_contacts(weak, count, way, candidates, bodies, touches, frame)
    way[col.WAY_EVEN] = min(even, until)
    total = int(frame.counts[col.TOUCH_TOTAL])
    join_internal_edges(total, candidates.near, touches)
    for touch in range(total):
        if touches[touch, col.TOUCH_STATE] != col.STATE_DROPPED:
            set_middle_normals(touch, weak, way, candidates, bodies, touches)
    return total


@kernel()
def spin_of_normal(
    touch: int, side: int, weak: int, way: Floats, candidates: Candidates, ints: Ints, touches: Floats
) -> float:
    """Return the spin of a normal in radians a frame: that of the edge that it belongs to, or 0."""
    neighbour = int(touches[int(touches[touch, col.TOUCH_OWNER + side]), col.TOUCH_NEIGHBOUR])
    feature = touches[touch, col.TOUCH_FEATURE + side]
    spin_m, spin_w = real_spins(neighbour, weak, way, candidates, ints)
    if feature == col.FEATURE_EDGE_OF_M:
        return spin_m
    return spin_w if feature == col.FEATURE_EDGE_OF_W else 0.0


@kernel(inline=False)
def slide_speed(
    touch: int,
    side: int,
    normal: Vector,
    weak: int,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    touches: Floats,
) -> float:
    """Return the speed of W's core along M's core, to the left of the normal.

    The speed is relative to the feature that turns the normal.
    """
    (nx, ny), solids = normal, bodies.solids
    owner = int(touches[touch, col.TOUCH_OWNER + side])
    along = nx * (way[col.WAY_SPEED + 1] - touches[owner, col.TOUCH_SURFACE + 1]) - ny * (
        way[col.WAY_SPEED] - touches[owner, col.TOUCH_SURFACE]
    )
    spin_m, spin_w = real_spins(int(touches[owner, col.TOUCH_NEIGHBOUR]), weak, way, candidates, bodies.ints)
    # Each core is its radius away from the contact point of the surfaces.
    piece_m, piece_w = int(touches[owner, col.TOUCH_PIECE_M]), int(touches[owner, col.TOUCH_PIECE_W])
    radius_m = solids[piece_m + col.RADIUS]
    radius_w = both_radii(solids, piece_m, solids, piece_w) - radius_m
    if touches[touch, col.TOUCH_FEATURE + side] == col.FEATURE_EDGE_OF_M:
        return along + (spin_w - spin_m) * radius_w
    if touches[touch, col.TOUCH_FEATURE + side] == col.FEATURE_EDGE_OF_W:
        return along + (spin_m - spin_w) * radius_m
    return along + spin_m * radius_m + spin_w * radius_w


@kernel(inline=False)
def slide_room_ahead(
    touch: int,
    side: int,
    normal: Vector,
    weak: int,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    touches: Floats,
) -> float:
    """Return how far W may slide in its present direction until two edges no longer face each other.

    The distance is 0 at that end, and without edges; it is infinite if W is stuck in M there.
    """
    near, owner = candidates.near, int(touches[touch, col.TOUCH_OWNER + side])
    neighbour = int(touches[owner, col.TOUCH_NEIGHBOUR])
    if touches[touch, col.TOUCH_FEATURE + side] == col.FEATURE_VERTICES:
        return 0.0
    if touches[touch, col.TOUCH_FEATURE + side] == col.FEATURE_JAMMED:
        return math.inf
    back, ahead = slide_room(owner, normal, way, near, bodies.solids, touches)
    room = ahead if slide_speed(touch, side, normal, weak, way, candidates, bodies, touches) > 0.0 else back
    # Far from the origin, W's place has too few digits for a smaller room: it counts as none.
    return room if room > max(2.0 * near[neighbour, col.NEAR_FUZZ], near[neighbour, col.NEAR_NOISE]) else 0.0


@kernel(inline=False)
def speed_of_turning_edge(
    touch: int,
    side: int,
    normal: Vector,
    weak: int,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    touches: Floats,
) -> float:
    """Return the speed of W along the normal that keeps it in contact with a turning edge, in the middle of the span.

    A vertex slides along the edge, or a round corner rolls along it: the lever of the rotation is that of its centre.
    `allow_for_slides` adds what the slide changes.
    """
    near, solids, (nx, ny), span = candidates.near, bodies.solids, normal, way[col.WAY_SPAN]
    owner = int(touches[touch, col.TOUCH_OWNER + side])
    neighbour, piece_m = int(touches[owner, col.TOUCH_NEIGHBOUR]), int(touches[owner, col.TOUCH_PIECE_M])
    spin_m, spin_w = real_spins(neighbour, weak, way, candidates, bodies.ints)
    is_of_m = touches[touch, col.TOUCH_FEATURE + side] == col.FEATURE_EDGE_OF_M
    radius = solids[piece_m + col.RADIUS]
    if is_of_m:
        radius -= both_radii(solids, piece_m, solids, int(touches[owner, col.TOUCH_PIECE_W]))
    first = rotated(nx, ny, -touches[touch, col.TOUCH_TWIST + side])
    # The vertex, relative to W, as it would turn with each body.
    x = touches[owner, col.TOUCH_PLACE] - radius * first[0]
    y = touches[owner, col.TOUCH_PLACE + 1] - radius * first[1]
    dx, dy = relative_place(near, neighbour, way)
    ground_x, ground_y = mean_rotation_velocity(spin_m, (x + dx, y + dy), span)
    own_x, own_y = mean_rotation_velocity(spin_w, (x, y), span)
    speed = nx * (near[neighbour, col.NEAR_VELOCITY] + ground_x - own_x)
    speed += ny * (near[neighbour, col.NEAR_VELOCITY + 1] + ground_y - own_y)
    return speed


@kernel(inline=False)
def set_middle_normals(
    touch: int, weak: int, way: Floats, candidates: Candidates, bodies: Bodies, touches: Floats
) -> None:
    """Turn the normals of a contact to the middle of the span, and set the speed of M along them."""
    solids, near = bodies.solids, candidates.near
    for side in range(2):
        owner = int(touches[touch, col.TOUCH_OWNER + side])
        nx, ny = touches[touch, col.TOUCH_NORMAL + 2 * side], touches[touch, col.TOUCH_NORMAL + 2 * side + 1]
        if nx == 0.0 and ny == 0.0:
            touches[touch, col.TOUCH_TWIST + side] = touches[touch, col.TOUCH_LIMIT + side] = 0.0
            return
        neighbour = int(touches[owner, col.TOUCH_NEIGHBOUR])
        spin = spin_of_normal(touch, side, weak, way, candidates, bodies.ints, touches)
        if way[col.WAY_ROLLING] != 0.0:
            piece_m, piece_w = int(touches[owner, col.TOUCH_PIECE_M]), int(touches[owner, col.TOUCH_PIECE_W])
            radius = both_radii(solids, piece_m, solids, piece_w)
            if radius > 0.0 and slide_room_ahead(touch, side, (nx, ny), weak, way, candidates, bodies, touches) <= 0.0:
                touches[touch, col.TOUCH_FEATURE + side] = col.FEATURE_VERTICES
                spin = slide_speed(touch, side, (nx, ny), weak, way, candidates, bodies, touches) / radius
        twist = 0.5 * way[col.WAY_SPAN] * spin
        if twist != 0.0:
            nx, ny = rotated(nx, ny, twist)
            touches[touch, col.TOUCH_NORMAL + 2 * side], touches[touch, col.TOUCH_NORMAL + 2 * side + 1] = nx, ny
        if near[neighbour, col.NEAR_SPIN] != 0.0 and not has_real_rotation(
            candidates.tags[neighbour, col.TAG_BODY], near[neighbour, col.NEAR_SPIN], bodies.ints
        ):
            # The outline of a turning disk does not change; only its rim moves.
            rim = near[neighbour, col.NEAR_SPIN] * solids[int(touches[owner, col.TOUCH_PIECE_M]) + col.RADIUS]
            touches[owner, col.TOUCH_GROUND] = near[neighbour, col.NEAR_VELOCITY] - rim * ny
            touches[owner, col.TOUCH_GROUND + 1] = near[neighbour, col.NEAR_VELOCITY + 1] + rim * nx
        touches[touch, col.TOUCH_TWIST + side] = twist
        touches[touch, col.TOUCH_LIMIT + side] = (
            nx * touches[owner, col.TOUCH_SURFACE] + ny * touches[owner, col.TOUCH_SURFACE + 1]
        )
        if twist != 0.0 and touches[touch, col.TOUCH_FEATURE + side] < col.FEATURE_VERTICES:
            touches[touch, col.TOUCH_LIMIT + side] = speed_of_turning_edge(
                touch, side, (nx, ny), weak, way, candidates, bodies, touches
            )


@kernel(inline=False)
def slide_room(
    touch: int, normal: Vector, way: Floats, near: Floats, solids: Floats, touches: Floats
) -> tuple[float, float]:
    """Return how far W may slide against the tangent and along it until the edges of a contact part.

    The tangent is the normal turned left.
    """
    neighbour = int(touches[touch, col.TOUCH_NEIGHBOUR])
    piece_m, piece_w = int(touches[touch, col.TOUCH_PIECE_M]), int(touches[touch, col.TOUCH_PIECE_W])
    pieces = Pieces(neighbour, piece_m, piece_w, relative_place(near, neighbour, way))
    return slide_room_of_pieces(pieces, normal, near[neighbour, col.NEAR_FUZZ], solids)


@kernel()
def flush_height(piece: int, solids: Floats) -> float:
    """Return how far the ends of an edge may be apart along a normal that counts as the edge's own."""
    low, high = piece + col.PIECE_LOWER, piece + col.PIECE_UPPER
    return SAME_SINE * (solids[high] - solids[low] + solids[high + 1] - solids[low + 1])


@kernel(inline=False)
def slide_room_of_pieces(pieces: Pieces, normal: Vector, noise: float, solids: Floats) -> tuple[float, float]:
    """Return the same for two pieces whose edges face each other; negative where they do not face each other yet."""
    (nx, ny), (dx, dy) = normal, pieces.offset
    low_m, high_m = extremes(solids, pieces.of_m, nx, ny, noise + flush_height(pieces.of_m, solids))
    low_w, high_w = extremes(solids, pieces.of_w, -nx, -ny, noise + flush_height(pieces.of_w, solids))
    shift = nx * dy - ny * dx
    # The points of W follow in the opposite direction along the tangent: the first one is the farthest.
    first_w = shift + nx * solids[high_w + col.POINT + 1] - ny * solids[high_w + col.POINT]
    last_w = shift + nx * solids[low_w + col.POINT + 1] - ny * solids[low_w + col.POINT]
    first_m = nx * solids[low_m + col.POINT + 1] - ny * solids[low_m + col.POINT]
    last_m = nx * solids[high_m + col.POINT + 1] - ny * solids[high_m + col.POINT]
    return max(first_w, last_w) - first_m, last_m - min(first_w, last_w)
