"""Sweep of a solid along a straight path without rotation, in closed form: the distance until it runs into another one.

Seen from A, B's origin moves along a ray, and it must not enter the Minkowski difference A - B. The difference of two
convex pieces is convex, and half-planes bound it. Of the half-planes that face the ray, the ray enters the difference
where it enters the last one (Cyrus & Beck, "Generalized two- and three-dimensional clipping", 1978). A radius moves the
half-planes outwards by that much, and rounds the corner between two of them.

Lengths are along the ray, whose direction has the length 1. B is at an offset from A, and A is at the origin.
"""

from __future__ import annotations

import math

from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats, Ints, Part, Vector
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.separation import PARALLEL, both_radii, core_gap, least_along, solid_gap

# Answers that are no lengths.
NEVER = math.inf
IN_OVERLAP = -1.0
# Sides of the ray on which pieces are grazed.
ON_LEFT, ON_RIGHT, BOTH_SIDES = 1, 2, 3
# Of a piece with more corners, the lowest corner is searched from that of the edge before: both turn the same way. That
# search has branches, so for fewer corners a loop over all of them is faster.
FEW_CORNERS_CAST = 12


@kernel()
def across(row: Floats, piece: int, direction: Vector) -> tuple[float, float]:
    """Return the extent of a core to the right and to the left of a direction; left is positive."""
    ux, uy = direction
    first, total = int(row[piece + col.FIRST_POINT]), int(row[piece + col.POINT_TOTAL])
    low, high = math.inf, -math.inf
    for at in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
        left = ux * row[at + col.POINT + 1] - uy * row[at + col.POINT]
        low, high = min(low, left), max(high, left)
    return low, high


@kernel()
def lowest_corner(row: Floats, first: int, total: int, nx: float, ny: float, at: int) -> int:
    """Return the column of the lowest corner in a direction, by a descent from a given corner."""
    last = first + col.POINT_COLUMNS * (total - 1)
    height = nx * row[at + col.POINT] + ny * row[at + col.POINT + 1]
    step = col.POINT_COLUMNS
    for _way in range(2):
        for _ in range(total):
            after = at + step
            after = first if after > last else last if after < first else after
            other = nx * row[after + col.POINT] + ny * row[after + col.POINT + 1]
            if other >= height:
                break
            at, height = after, other
        step = -step
    return at


@kernel()
def last_entered_edge(
    a: Floats, piece_a: int, b: Floats, piece_b: int, offset: Vector, direction: Vector, radius: float
) -> tuple[float, float, int]:
    """Return the length to the edge of A that B enters last of those facing B, B's present distance, and the column.

    Both distances are reduced by the radius. B may be behind the edge.
    """
    (dx, dy), (ux, uy) = offset, direction
    first_a, total_a = int(a[piece_a + col.FIRST_POINT]), int(a[piece_a + col.POINT_TOTAL])
    first_b, total_b = int(b[piece_b + col.FIRST_POINT]), int(b[piece_b + col.POINT_TOTAL])
    way, outside, edge = -math.inf, -math.inf, -1
    if total_a == 1:
        return way, outside, edge
    lowest = -1
    for at_a in range(first_a, first_a + col.POINT_COLUMNS * total_a, col.POINT_COLUMNS):
        nx, ny = a[at_a + col.NORMAL], a[at_a + col.NORMAL + 1]
        speed = -(nx * ux + ny * uy)
        if speed <= 0.0:
            continue
        if total_b <= FEW_CORNERS_CAST:
            reach = least_along(b, first_b, total_b, nx, ny)
        else:
            lowest = lowest_corner(b, first_b, total_b, nx, ny, first_b if lowest < 0 else lowest)
            reach = nx * b[lowest + col.POINT] + ny * b[lowest + col.POINT + 1]
        gap = reach + nx * (dx - a[at_a + col.POINT]) + ny * (dy - a[at_a + col.POINT + 1]) - radius
        if gap > way * speed:
            way, outside, edge = gap / speed, gap, at_a
    return way, outside, edge


@kernel()
def extremes(row: Floats, piece: int, nx: float, ny: float, noise: float) -> tuple[int, int]:
    """Return the columns of the first and the last point, counter-clockwise, of those farthest in a direction."""
    first, total = int(row[piece + col.FIRST_POINT]), int(row[piece + col.POINT_TOTAL])
    farthest = -math.inf
    for at in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
        farthest = max(farthest, nx * row[at + col.POINT] + ny * row[at + col.POINT + 1])
    low, high = first, first
    low_along, high_along = math.inf, -math.inf
    for at in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
        x, y = row[at + col.POINT], row[at + col.POINT + 1]
        if nx * x + ny * y >= farthest - noise:
            along = nx * y - ny * x
            if along < low_along:
                low, low_along = at, along
            if along > high_along:
                high, high_along = at, along
    return low, high


@kernel(inline=False)
def distance_to_rounded(
    a: Part, b: Part, offset: Vector, direction: Vector, radius: float, way: float, normal: Vector, noise: float
) -> tuple[float, float, float]:
    """Return the length to a rounded difference that the ray meets, and the normal there.

    Parameters
    ----------
    way, normal
        The length to the half-plane that is entered last, and its normal; a normal of zero means none.
    """
    (rows_a, piece_a), (rows_b, piece_b) = a, b
    (dx, dy), (ux, uy), (nx, ny) = offset, direction, normal
    if nx == 0.0 and ny == 0.0:
        # All edges are along the ray: it comes to the nearest corner first.
        nx, ny = -ux, -uy
        way = -math.inf
    low_a, high_a = extremes(rows_a, piece_a, nx, ny, noise)
    low_b, high_b = extremes(rows_b, piece_b, -nx, -ny, noise)
    # The difference has an edge between these two corners. The order of B's corners is reversed.
    low_x = rows_a[low_a + col.POINT] - rows_b[low_b + col.POINT]
    low_y = rows_a[low_a + col.POINT + 1] - rows_b[low_b + col.POINT + 1]
    high_x = rows_a[high_a + col.POINT] - rows_b[high_b + col.POINT]
    high_y = rows_a[high_a + col.POINT + 1] - rows_b[high_b + col.POINT + 1]
    corner_x, corner_y = low_x, low_y
    if way > -math.inf:
        along = nx * (dy + way * uy) - ny * (dx + way * ux)
        high_along = nx * high_y - ny * high_x
        if nx * low_y - ny * low_x <= along <= high_along:
            return way, nx, ny
        if along > high_along:
            corner_x, corner_y = high_x, high_y
    ex, ey = dx - corner_x, dy - corner_y
    left = ux * ey - uy * ex
    way = -(ex * ux + ey * uy) - math.sqrt(max((radius - left) * (radius + left), 0.0))
    nx, ny = ex + way * ux, ey + way * uy
    length = math.sqrt(nx * nx + ny * ny)
    return way, nx / length, ny / length


@kernel(inline=False)
def deepest_edge(
    a: Floats, piece_a: int, b: Floats, piece_b: int, offset: Vector, direction: Vector, margin: float
) -> tuple[float, float, float, bool]:
    """Return B's separation by A's best edge, the normal of that edge, and whether B leaves A.

    B leaves A if, for some edge, B is inside by at most the margin and does not move further in.
    """
    (dx, dy), (ux, uy) = offset, direction
    first_a, total_a = int(a[piece_a + col.FIRST_POINT]), int(a[piece_a + col.POINT_TOTAL])
    first_b, total_b = int(b[piece_b + col.FIRST_POINT]), int(b[piece_b + col.POINT_TOTAL])
    outside, normal_x, normal_y, leaves = -math.inf, 0.0, 0.0, False
    for at_a in range(first_a, first_a + col.POINT_COLUMNS * total_a, col.POINT_COLUMNS):
        if total_a == 1:
            break
        nx, ny = a[at_a + col.NORMAL], a[at_a + col.NORMAL + 1]
        reach = least_along(b, first_b, total_b, nx, ny)
        gap = reach + nx * (dx - a[at_a + col.POINT]) + ny * (dy - a[at_a + col.POINT + 1])
        if nx * ux + ny * uy >= 0.0 and gap >= -margin:
            leaves = True
        if gap > outside:
            outside, normal_x, normal_y = gap, nx, ny
    return outside, normal_x, normal_y, leaves


@kernel()
def is_thin(a: Floats, piece_a: int, b: Floats, piece_b: int) -> bool:
    """Return whether the difference of two cores has no inside: of a segment and a point, or of parallel segments."""
    if a[piece_a + col.POINT_TOTAL] > 2.0 or b[piece_b + col.POINT_TOTAL] > 2.0:
        return False
    if a[piece_a + col.POINT_TOTAL] == 1.0 or b[piece_b + col.POINT_TOTAL] == 1.0:
        return True
    at_a, at_b = int(a[piece_a + col.FIRST_POINT]), int(b[piece_b + col.FIRST_POINT])
    sine = a[at_a + col.NORMAL] * b[at_b + col.NORMAL + 1] - a[at_a + col.NORMAL + 1] * b[at_b + col.NORMAL]
    return abs(sine) <= PARALLEL


@kernel(inline=False)
def cast_from_contact(
    a: Part, b: Part, offset: Vector, direction: Vector, slop: float, noise: float, way: float, normal: Vector
) -> tuple[float, float, float]:
    """Answer `cast_pieces` for a start in or near contact with the half-plane entered last: `way` and its normal."""
    (rows_a, piece_a), (rows_b, piece_b), (dx, dy), (ux, uy) = a, b, offset, direction
    radius, margin = both_radii(rows_a, piece_a, rows_b, piece_b), slop + noise
    if radius == 0.0 and not is_thin(rows_a, piece_a, rows_b, piece_b):
        outside, normal_x, normal_y, leaves = deepest_edge(rows_a, piece_a, rows_b, piece_b, offset, direction, margin)
        other, other_x, other_y, other_leaves = deepest_edge(
            rows_b, piece_b, rows_a, piece_a, (-dx, -dy), (-ux, -uy), margin
        )
        if other > outside:
            outside, normal_x, normal_y = other, -other_x, -other_y
        if outside < -slop:
            return IN_OVERLAP, normal_x, normal_y
        if leaves or other_leaves:
            return NEVER, 0.0, 0.0
        return 0.0, normal_x, normal_y
    gap, normal_x, normal_y = core_gap(rows_a, piece_a, rows_b, piece_b, offset, noise, math.inf)
    if gap - radius < -slop:
        return IN_OVERLAP, normal_x, normal_y
    if gap - radius > margin:
        return (way, normal[0], normal[1]) if way > 0.0 else (NEVER, 0.0, 0.0)
    if radius == 0.0 and gap <= noise:
        # A difference without an inside has no side to leave by. A false stop is better than tunnelling.
        return 0.0, normal[0], normal[1]
    if normal_x * ux + normal_y * uy < 0.0:
        return 0.0, normal_x, normal_y
    return NEVER, 0.0, 0.0


@kernel(inline=False)
def cast_pieces(
    a: Part, b: Part, offset: Vector, direction: Vector, slop: float, noise: float, enough: float
) -> tuple[float, float, float]:
    """Return how far B goes until it runs into A, and the normal from A to B there.

    The length is `NEVER` if B misses or leaves A, or reaches it only beyond `enough`, and `IN_OVERLAP` if they overlap
    now. If B only grazes A, the normal tells on which side; for any other miss it is zero.
    """
    (rows_a, piece_a), (rows_b, piece_b), (dx, dy), (ux, uy) = a, b, offset, direction
    radius = both_radii(rows_a, piece_a, rows_b, piece_b)
    margin = slop + noise
    low_a, high_a = across(rows_a, piece_a, direction)
    low_b, high_b = across(rows_b, piece_b, direction)
    left = ux * dy - uy * dx
    on_left, on_right = high_a - low_b - left + radius, left + high_b - low_a + radius
    if min(on_left, on_right) <= margin:
        if min(on_left, on_right) < -margin:
            return NEVER, 0.0, 0.0
        return (NEVER, -uy, ux) if on_left < on_right else (NEVER, uy, -ux)
    way, outside, edge = last_entered_edge(rows_a, piece_a, rows_b, piece_b, offset, direction, radius)
    way_b, outside_b, edge_b = last_entered_edge(rows_b, piece_b, rows_a, piece_a, (-dx, -dy), (-ux, -uy), radius)
    if way > enough or way_b > enough:
        return NEVER, 0.0, 0.0
    nx, ny = 0.0, 0.0
    if way_b > way:
        way, outside = way_b, outside_b
        nx, ny = -rows_b[edge_b + col.NORMAL], -rows_b[edge_b + col.NORMAL + 1]
    elif edge >= 0:
        nx, ny = rows_a[edge + col.NORMAL], rows_a[edge + col.NORMAL + 1]
    is_clear = outside > margin
    if radius > 0.0:
        way, nx, ny = distance_to_rounded(a, b, offset, direction, radius, way, (nx, ny), noise)
        # Without an edge, the difference is round all over.
        is_clear = is_clear or way > 2.0 * radius
    if is_clear:
        return way, nx, ny
    return cast_from_contact(a, b, offset, direction, slop, noise, way, (nx, ny))


@kernel(inline=False)
def way_through(a: Part, b: Part, offset: Vector, direction: Vector, slop: float, noise: float, far: float) -> float:
    """Return how far B moves in a direction until it has left A; `NEVER` if it only grazes A.

    It is the way back from the other side: at the distance `far`, B is beyond A.
    """
    (dx, dy), (ux, uy) = offset, direction
    back, _, _ = cast_pieces(a, b, (dx + far * ux, dy + far * uy), (-ux, -uy), slop, noise, 2.0 * far)
    return NEVER if back in (NEVER, IN_OVERLAP) else far - back


@kernel()
def nodes_meet(a: Part, b: Part, offset: Vector, direction: Vector, margin: float, best: float) -> bool:
    """Return whether the circles of two nodes meet before a given length."""
    ex = offset[0] + b.rows[b.at + col.NODE_CENTRE] - a.rows[a.at + col.NODE_CENTRE]
    ey = offset[1] + b.rows[b.at + col.NODE_CENTRE + 1] - a.rows[a.at + col.NODE_CENTRE + 1]
    reach = a.rows[a.at + col.NODE_RADIUS] + b.rows[b.at + col.NODE_RADIUS] + margin
    ux, uy = direction
    left = ux * ey - uy * ex
    if abs(left) > reach:
        return False
    middle, half = -(ex * ux + ey * uy), math.sqrt((reach - left) * (reach + left))
    return middle - half <= best and middle + half >= 0.0


@kernel()
def children(row: Floats, node: int, ux: float, uy: float) -> tuple[int, int]:
    """Return the children of a node, first the one that is less far in a direction."""
    left, right = int(row[node + col.NODE_LEFT]), int(row[node + col.NODE_RIGHT])
    way_x = row[left + col.NODE_CENTRE] - row[right + col.NODE_CENTRE]
    way_y = row[left + col.NODE_CENTRE + 1] - row[right + col.NODE_CENTRE + 1]
    if ux * way_x + uy * way_y <= 0.0:
        return left, right
    return right, left


@kernel()
def is_segment(row: Floats, solid: int) -> bool:
    """Return whether a solid has no inside."""
    return (
        row[solid + col.PIECE_TOTAL] == 1.0
        and row[solid + col.PIECES + col.POINT_TOTAL] <= 2.0
        and row[solid + col.PIECES + col.RADIUS] == 0.0
    )


@kernel(inline=False)
def first_cast(
    a: Part, b: Part, offset: Vector, direction: Vector, length: float, slop: float, noise: float, stack: Ints
) -> tuple[float, float, float, int, int, int]:
    """Answer `cast_solids` from single pairs of pieces, and tell on which sides other pieces are grazed."""
    rows_a, rows_b, (ux, uy) = a.rows, b.rows, direction
    best, nx, ny = length, 0.0, 0.0
    chosen_a = chosen_b = -1
    grazes = 0
    waiting = 1
    stack[0, 0], stack[0, 1] = int(rows_a[a.at + col.FIRST_NODE]), int(rows_b[b.at + col.FIRST_NODE])
    while waiting > 0:
        waiting -= 1
        node_a, node_b = stack[waiting, 0], stack[waiting, 1]
        is_leaf_a, is_leaf_b = rows_a[node_a + col.NODE_LEFT] < 0.0, rows_b[node_b + col.NODE_LEFT] < 0.0
        if not nodes_meet(Part(rows_a, node_a), Part(rows_b, node_b), offset, direction, slop + noise, best):
            continue
        if is_leaf_a and is_leaf_b:
            piece_a, piece_b = int(rows_a[node_a + col.NODE_RIGHT]), int(rows_b[node_b + col.NODE_RIGHT])
            way, x, y = cast_pieces(Part(rows_a, piece_a), Part(rows_b, piece_b), offset, direction, slop, noise, best)
            if way == IN_OVERLAP:
                return way, x, y, piece_a, piece_b, grazes
            if way == NEVER and (x != 0.0 or y != 0.0):
                grazes |= ON_LEFT if ux * y - uy * x > 0.0 else ON_RIGHT
            if way < best or (way == best and chosen_a < 0):
                best, nx, ny, chosen_a, chosen_b = way, x, y, piece_a, piece_b
            continue
        # Examine the pair that may meet first before the other: a better best length leaves out more nodes.
        if is_leaf_b or (not is_leaf_a and rows_a[node_a + col.NODE_RADIUS] >= rows_b[node_b + col.NODE_RADIUS]):
            first, second = children(rows_a, node_a, ux, uy)
            stack[waiting, 0], stack[waiting, 1] = second, node_b
            stack[waiting + 1, 0], stack[waiting + 1, 1] = first, node_b
        else:
            first, second = children(rows_b, node_b, -ux, -uy)
            stack[waiting, 0], stack[waiting, 1] = node_a, second
            stack[waiting + 1, 0], stack[waiting + 1, 1] = node_a, first
        waiting += 2
    return (best if chosen_a >= 0 else NEVER), nx, ny, chosen_a, chosen_b, grazes


@kernel(inline=False)
def cast_solids(
    a: Part, b: Part, offset: Vector, direction: Vector, length: float, slop: float, noise: float, stack: Ints
) -> tuple[float, float, float, int, int]:
    """Return how far B goes at the most until it runs into A, the normal there, and the pieces that meet first."""
    way, nx, ny, piece_a, piece_b, grazes = first_cast(a, b, offset, direction, length, slop, noise, stack)
    if grazes != BOTH_SIDES or not (is_segment(a.rows, a.at) or is_segment(b.rows, b.at)):
        return way, nx, ny, piece_a, piece_b
    # A segment that flies along an internal edge only grazes the pieces on both sides, and yet gets inside their union.
    # So cast it again, a hair to the left and a hair to the right: it gets inside if both casts do.
    (dx, dy), (ux, uy), aside = offset, direction, 2.0 * (slop + noise)
    ex, ey = -aside * uy, aside * ux
    left, left_x, left_y, left_a, left_b, _ = first_cast(
        a, b, (dx + ex, dy + ey), direction, length, slop, noise, stack
    )
    right, right_x, right_y, right_a, right_b, _ = first_cast(
        a, b, (dx - ex, dy - ey), direction, length, slop, noise, stack
    )
    later = max(left, right)
    if later >= way:
        return way, nx, ny, piece_a, piece_b
    inside_x, inside_y = dx + (later + aside) * ux, dy + (later + aside) * uy
    gap_left, _, _, _, _ = solid_gap(a.rows, a.at, b.rows, b.at, (inside_x + ex, inside_y + ey), noise)
    gap_right, _, _, _, _ = solid_gap(a.rows, a.at, b.rows, b.at, (inside_x - ex, inside_y - ey), noise)
    if max(gap_left, gap_right) > -slop:
        return way, nx, ny, piece_a, piece_b
    if left < right:
        left, left_x, left_y, left_a, left_b = right, right_x, right_y, right_a, right_b
        ex, ey = -ex, -ey
    # The surface may be slanting: a cast twice as far aside tells by how much.
    slanting, _, _, _, _, _ = first_cast(a, b, (dx + 2.0 * ex, dy + 2.0 * ey), direction, length, slop, noise, stack)
    return max(left - max(slanting - left, 0.0), 0.0), left_x, left_y, left_a, left_b
