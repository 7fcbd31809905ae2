"""Distance or depth of two rounded convex pieces, and the points at which they face each other.

Two convex cores A and B overlap if their Minkowski difference A - B, which is convex too, contains the origin. Their
distance is that of the origin from it. Its edges are those of A and of -B, sorted by direction. So one walk around both
finds them in k + m steps (de Berg et al., "Computational Geometry", 3rd ed., 13.3). Their normals are all the axes that
can separate (Gottschalk et al., "OBBTree", 1996), and the walk already knows the one corner that matters for each.

B is at an offset from A, and A is at the origin, so no precision is lost far from the game's origin. For each of the
two, arguments are an array of rows (see `columns`) and the first column of a piece in it.
"""

from __future__ import annotations

import math

from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats, Vector
from impinge.kernels.compiler import kernel

# In units in the last place. The walk adds up a dozen roundings of numbers as large as both solids and their offset.
NOISE_UNITS = 16 * 2.220446049250313e-16
# Product of two numbers of corners up to which a loop over all is faster than the walk, whose branches cannot be
# predicted. Two quads that meet take 65 ns instead of 95.
FEW_CORNERS = 256.0
# Sine of an angle. Edges within it are in line or face each other: over their length they diverge by the slop.
PARALLEL = 1e-9
# The same for edges so short that they diverge by less than so many margins. A disk rolls from a corner onto an edge
# with some rounding. If it seems to be past the edge, the edge's far end must not count as its contact.
NEARLY_PARALLEL, FLUSH_MARGINS = 1e-6, 64.0

# Two points on B's surface, each with its distance from A's along the normal, the nearer one first.
Facing = tuple[float, float, float, float, float, float]


@kernel()
def noise_of(a: Floats, solid_a: int, b: Floats, solid_b: int, offset: Vector) -> float:
    """Return the rounding error of lengths between two solids: shorter lengths mean nothing."""
    return NOISE_UNITS * (a[solid_a + col.FARTHEST] + b[solid_b + col.FARTHEST] + abs(offset[0]) + abs(offset[1]))


@kernel()
def goes_first(is_up_a: bool, ax: float, ay: float, is_up_b: bool, bx: float, by: float) -> bool:
    """Return whether the first of two edges with these normals comes first on a walk that begins with direction 0.

    The walk goes up to the top first, then down. The place of the walk tells whether an edge goes up or down: the
    normal of a level edge may be wrong about that by rounding. Normals sort the edges of one quarter.
    """
    quarter_a = (0 if ay < 0.0 else 1) if is_up_a else (2 if ay > 0.0 else 3)
    quarter_b = (0 if by < 0.0 else 1) if is_up_b else (2 if by > 0.0 else 3)
    return quarter_a < quarter_b or (quarter_a == quarter_b and ax * by - ay * bx >= 0.0)


@kernel()
def both_radii(a: Floats, piece_a: int, b: Floats, piece_b: int) -> float:
    """Return the sum of the radii of two pieces; if neither has an inside, the skin between them.

    A shrunk piece has a negative radius.
    """
    radius = a[piece_a + col.RADIUS] + b[piece_b + col.RADIUS]
    return radius if radius != 0.0 else min(a[piece_a + col.SKIN], b[piece_b + col.SKIN])


@kernel()
def walk_around(row: Floats, piece: int, start: int, turn: int) -> tuple[int, int, int, int, int]:
    """Return columns of the first and last point of a core, of where a walk starts and turns, and the number of edges.

    `start` and `turn` are the columns of a piece that tell these two points: its bottom and its top, or the reverse.
    """
    first, total = int(row[piece + col.FIRST_POINT]), int(row[piece + col.POINT_TOTAL])
    last = first + col.POINT_COLUMNS * (total - 1)
    # A single point has no edges.
    return first, last, int(row[piece + start]), int(row[piece + turn]), total if total > 1 else 0


@kernel(inline=False)
def core_gap(
    a: Floats, piece_a: int, b: Floats, piece_b: int, offset: Vector, noise: float, enough: float
) -> tuple[float, float, float]:
    """Return the signed distance of two cores, without their radii, and the unit normal from A to B.

    The walk stops once the distance is known to exceed `enough`; the result is then a lower bound.
    """
    dx, dy = offset
    first_a, last_a, at_a, top_a, left_a = walk_around(a, piece_a, col.BOTTOM_POINT, col.TOP_POINT)
    first_b, last_b, at_b, top_b, left_b = walk_around(b, piece_b, col.TOP_POINT, col.BOTTOM_POINT)
    is_up_a = is_up_b = True
    x = a[at_a + col.POINT] - b[at_b + col.POINT] - dx
    y = a[at_a + col.POINT + 1] - b[at_b + col.POINT + 1] - dy
    gap, gap_x, gap_y = -math.inf, 0.0, 0.0
    nearest, near_x, near_y = math.inf, 0.0, 0.0
    is_square, square, square_x, square_y = False, 0.0, 0.0, 0.0
    if left_a + left_b == 0:
        # Two centres: there is no edge to be inside of.
        gap, nearest, near_x, near_y = 0.0, x * x + y * y, x, y
    while left_a + left_b > 0:
        ax, ay = a[at_a + col.NORMAL], a[at_a + col.NORMAL + 1]
        bx, by = -b[at_b + col.NORMAL], -b[at_b + col.NORMAL + 1]
        is_up_a, is_up_b = is_up_a and at_a != top_a, is_up_b and at_b != top_b
        if left_b == 0 or (left_a > 0 and goes_first(is_up_a, ax, ay, is_up_b, bx, by)):
            nx, ny, length = ax, ay, a[at_a + col.LENGTH]
            at_a = at_a + col.POINT_COLUMNS if at_a != last_a else first_a
            left_a -= 1
        else:
            nx, ny, length = bx, by, b[at_b + col.LENGTH]
            at_b = at_b + col.POINT_COLUMNS if at_b != last_b else first_b
            left_b -= 1
        outside = -(nx * x + ny * y)
        if outside > gap:
            gap, gap_x, gap_y = outside, nx, ny
            if gap > enough:
                return gap, gap_x, gap_y
        if outside > -2.0 * noise:
            # Twice the noise, so that of two edges on one line either both are examined or neither.
            foot = ny * x - nx * y
            along = min(max(foot, 0.0), length)
            px, py = x - ny * along, y + nx * along
            if px * px + py * py < nearest:
                nearest, near_x, near_y = px * px + py * py, px, py
                # Square on an edge, the normal is that of the edge: rounding may spoil the direction of a short vector.
                is_square = -noise <= foot <= length + noise
                square, square_x, square_y = outside, nx, ny
        x = a[at_a + col.POINT] - b[at_b + col.POINT] - dx
        y = a[at_a + col.POINT + 1] - b[at_b + col.POINT + 1] - dy
    # Cores on one line, as of two segments, have a difference without an inside, and all its edges are on lines through
    # the origin. There only `nearest` gives the distance.
    if gap < -noise:
        return gap, gap_x, gap_y
    distance = math.sqrt(nearest)
    if distance > noise and is_square:
        return square, square_x, square_y
    if distance > noise:
        # A difference has no negative zero, which looks odd in a normal.
        return distance, 0.0 - near_x / distance, 0.0 - near_y / distance
    if gap_x == 0.0 and gap_y == 0.0:
        # Two centres at one place: all directions are equally short. Choose left, as the push rule does.
        return 0.0, -1.0, 0.0
    return max(gap, 0.0), gap_x, gap_y


@kernel()
def least_along(row: Floats, first: int, total: int, nx: float, ny: float) -> float:
    """Return the least coordinate of a core's corners along a direction."""
    least = math.inf
    for at in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
        least = min(least, nx * row[at + col.POINT] + ny * row[at + col.POINT + 1])
    return least


@kernel()
def edge_gap(a: Floats, piece_a: int, b: Floats, piece_b: int, offset: Vector, enough: float) -> float:
    """Return B's separation by A's best edge; negative if no edge separates the cores.

    This examines every corner of B for every edge of A, without a branch that depends on the shapes. It stops once the
    separation is known to exceed `enough`.
    """
    total_a, first_a = int(a[piece_a + col.POINT_TOTAL]), int(a[piece_a + col.FIRST_POINT])
    total_b, first_b = int(b[piece_b + col.POINT_TOTAL]), int(b[piece_b + col.FIRST_POINT])
    (dx, dy), greatest = offset, -math.inf
    if total_a > 1:
        for at_a in range(first_a, first_a + col.POINT_COLUMNS * total_a, col.POINT_COLUMNS):
            nx, ny = a[at_a + col.NORMAL], a[at_a + col.NORMAL + 1]
            reach = least_along(b, first_b, total_b, nx, ny)
            gap = reach + nx * (dx - a[at_a + col.POINT]) + ny * (dy - a[at_a + col.POINT + 1])
            greatest = max(greatest, gap)
            if greatest > enough:
                break
    return greatest


@kernel(inline=False)
def pieces_overlap(a: Floats, piece_a: int, b: Floats, piece_b: int, offset: Vector, noise: float, slop: float) -> bool:
    """Return whether two pieces overlap or touch."""
    total_a, total_b = a[piece_a + col.POINT_TOTAL], b[piece_b + col.POINT_TOTAL]
    enough = both_radii(a, piece_a, b, piece_b) + slop
    if 1.0 < total_a * total_b <= FEW_CORNERS:
        gap = edge_gap(a, piece_a, b, piece_b, offset, enough)
        if gap <= enough:
            gap = max(gap, edge_gap(b, piece_b, a, piece_a, (-offset[0], -offset[1]), enough))
        if gap > enough:
            return False
        if gap < -noise:
            return True
        # Near a corner, or within the slop, the edges do not decide.
    gap, _, _ = core_gap(a, piece_a, b, piece_b, offset, noise, enough)
    return gap <= enough


@kernel()
def bounds_gap(a: Floats, bounds_a: int, b: Floats, bounds_b: int, offset: Vector) -> float:
    """Return a lower bound of the distance of two pieces or solids, from their bounds; negative if these overlap."""
    dx, dy = offset
    gap_x = max(b[bounds_b] + dx - a[bounds_a + 2], a[bounds_a] - b[bounds_b + 2] - dx)
    gap_y = max(b[bounds_b + 1] + dy - a[bounds_a + 3], a[bounds_a + 1] - b[bounds_b + 3] - dy)
    return max(gap_x, gap_y)


@kernel(inline=False)
def solid_gap(
    a: Floats, solid_a: int, b: Floats, solid_b: int, offset: Vector, noise: float
) -> tuple[float, float, float, int, int]:
    """Return the least signed distance of two pieces, with radii, the unit normal from A to B, and both pieces."""
    least, normal_x, normal_y = math.inf, -1.0, 0.0
    chosen_a = first_a = solid_a + col.PIECES
    chosen_b = first_b = solid_b + col.PIECES
    end_a = first_a + col.PIECE_COLUMNS * int(a[solid_a + col.PIECE_TOTAL])
    end_b = first_b + col.PIECE_COLUMNS * int(b[solid_b + col.PIECE_TOTAL])
    for piece_a in range(first_a, end_a, col.PIECE_COLUMNS):
        for piece_b in range(first_b, end_b, col.PIECE_COLUMNS):
            if bounds_gap(a, piece_a, b, piece_b, offset) >= least:
                continue
            radii = both_radii(a, piece_a, b, piece_b)
            gap, x, y = core_gap(a, piece_a, b, piece_b, offset, noise, least + radii)
            if gap - radii < least:
                least, normal_x, normal_y = gap - radii, x, y
                chosen_a, chosen_b = piece_a, piece_b
    return least, normal_x, normal_y, chosen_a, chosen_b


@kernel()
def solids_overlap(a: Floats, solid_a: int, b: Floats, solid_b: int, offset: Vector, noise: float, slop: float) -> bool:
    """Return whether two solids with overlapping bounds have pieces that overlap or touch."""
    first_a, first_b = solid_a + col.PIECES, solid_b + col.PIECES
    if a[solid_a + col.PIECE_TOTAL] == 1.0 and b[solid_b + col.PIECE_TOTAL] == 1.0:
        return pieces_overlap(a, first_a, b, first_b, offset, noise, slop)
    for piece_a in range(first_a, first_a + col.PIECE_COLUMNS * int(a[solid_a + col.PIECE_TOTAL]), col.PIECE_COLUMNS):
        if bounds_gap(a, piece_a, b, solid_b + col.LOWER, offset) > slop:
            continue
        for piece_b in range(
            first_b, first_b + col.PIECE_COLUMNS * int(b[solid_b + col.PIECE_TOTAL]), col.PIECE_COLUMNS
        ):
            if bounds_gap(a, piece_a, b, piece_b, offset) <= slop and pieces_overlap(
                a, piece_a, b, piece_b, offset, noise, slop
            ):
                return True
    return False


@kernel()
def facing_edge(row: Floats, piece: int, nx: float, ny: float) -> tuple[int, float]:
    """Return the column of the edge that faces a direction best, and the sine of the angle between; 1 for no edge."""
    first, total = int(row[piece + col.FIRST_POINT]), int(row[piece + col.POINT_TOTAL])
    chosen, best = first, 0.0
    for at in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
        cosine = row[at + col.NORMAL] * nx + row[at + col.NORMAL + 1] * ny
        if at == first or cosine > best:
            chosen, best = at, cosine
    if total == 1 or best <= 0.0:
        return chosen, 1.0
    return chosen, abs(row[chosen + col.NORMAL] * ny - row[chosen + col.NORMAL + 1] * nx)


@kernel()
def is_edge_normal(row: Floats, edge: int, sine: float, margin: float) -> bool:
    """Return whether a normal is that of an edge, up to rounding; `sine` is that of the angle between."""
    return sine <= PARALLEL or (sine <= NEARLY_PARALLEL and sine * row[edge + col.LENGTH] <= FLUSH_MARGINS * margin)


@kernel()
def face_of(row: Floats, piece: int, edge: int) -> tuple[float, float, float, float]:
    """Return the ends of an edge together with the edges in line with it: a corner may be practically straight."""
    first, total = int(row[piece + col.FIRST_POINT]), int(row[piece + col.POINT_TOTAL])
    nx, ny = row[edge + col.NORMAL], row[edge + col.NORMAL + 1]
    low, high = math.inf, -math.inf
    sx = sy = ex = ey = 0.0
    last = first + col.POINT_COLUMNS * (total - 1)
    for at in range(first, last + 1, col.POINT_COLUMNS):
        mx, my = row[at + col.NORMAL], row[at + col.NORMAL + 1]
        if at == edge or (abs(nx * my - ny * mx) <= PARALLEL and nx * mx + ny * my > 0.0):
            end = first if at == last else at + col.POINT_COLUMNS
            for point in (at, end):
                along = row[point + col.POINT + 1] * nx - row[point + col.POINT] * ny
                if along < low:
                    low, sx, sy = along, row[point + col.POINT], row[point + col.POINT + 1]
                if along > high:
                    high, ex, ey = along, row[point + col.POINT], row[point + col.POINT + 1]
    return sx, sy, ex, ey


@kernel()
def support(row: Floats, piece: int, nx: float, ny: float) -> int:
    """Return the column of the core's point that is farthest in a direction."""
    first, total = int(row[piece + col.FIRST_POINT]), int(row[piece + col.POINT_TOTAL])
    chosen, best = first, -math.inf
    for at in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
        reach = row[at + col.POINT] * nx + row[at + col.POINT + 1] * ny
        if reach > best:
            chosen, best = at, reach
    return chosen


@kernel()
def clipped(here: float, there: float, low: float, high: float, margin: float) -> float:
    """Return the part of a segment, from 0 to 1, to cut off at its start to bring that end between two bounds.

    The segment's coordinate runs from `here` to `there`. An end outside by at most the margin counts as inside: if both
    ends have nearly the same coordinate, rounding alone would cut off a part of any length.
    """
    if low - margin <= here <= high + margin or here == there:
        return 0.0
    return min(max(((low if here < low else high) - here) / (there - here), 0.0), 1.0)


@kernel(inline=False)
def facing_points(
    a: Floats, piece_a: int, b: Floats, piece_b: int, offset: Vector, normal: Vector, margin: float
) -> Facing:
    """Return the points at which two pieces face each other along a unit normal from A to B.

    The reference is an edge that has this normal. The edge of the other piece that faces it is clipped to the ends of
    the reference (Sutherland & Hodgman, 1974; as in Catto, "Contact manifolds", GDC 2007). Without such an edge, two
    corners face each other, and both points are the same.
    """
    (dx, dy), (nx, ny) = offset, normal
    edge_a, sine_a = facing_edge(a, piece_a, nx, ny)
    edge_b, sine_b = facing_edge(b, piece_b, -nx, -ny)
    radius_a = a[piece_a + col.RADIUS]
    radius_b = both_radii(a, piece_a, b, piece_b) - radius_a
    if not is_edge_normal(a, edge_a, sine_a, margin) and not is_edge_normal(b, edge_b, sine_b, margin):
        at_a, at_b = support(a, piece_a, nx, ny), support(b, piece_b, -nx, -ny)
        x, y = b[at_b + col.POINT] + dx, b[at_b + col.POINT + 1] + dy
        gap = (x - a[at_a + col.POINT]) * nx + (y - a[at_a + col.POINT + 1]) * ny - radius_a - radius_b
        x, y = x - radius_b * nx, y - radius_b * ny
        return x, y, gap, x, y, gap
    sx, sy, ex, ey = face_of(a, piece_a, edge_a)
    ux, uy, vx, vy = face_of(b, piece_b, edge_b)
    # From here on, the reference begins at R, and the clipped edge goes from I to J. Lengths are along the tangent of
    # the normal.
    is_on_b = sine_a <= sine_b
    if is_on_b:
        rx, ry, ix, iy, jx, jy = sx, sy, ux + dx, uy + dy, vx + dx, vy + dy
        length = (ey - sy) * nx - (ex - sx) * ny
    else:
        # The order of B's points is reversed.
        rx, ry, ix, iy, jx, jy = vx + dx, vy + dy, sx, sy, ex, ey
        length = (uy - vy) * nx - (ux - vx) * ny
    along_i = (iy - ry) * nx - (ix - rx) * ny
    along_j = (jy - ry) * nx - (jx - rx) * ny
    cut_i, cut_j = clipped(along_i, along_j, 0.0, length, margin), clipped(along_j, along_i, 0.0, length, margin)
    ix, iy, jx, jy = (
        ix + (jx - ix) * cut_i,
        iy + (jy - iy) * cut_i,
        jx + (ix - jx) * cut_j,
        jy + (iy - jy) * cut_j,
    )
    side = 1.0 if is_on_b else -1.0
    gap_i = side * ((ix - rx) * nx + (iy - ry) * ny) - radius_a - radius_b
    gap_j = side * ((jx - rx) * nx + (jy - ry) * ny) - radius_a - radius_b
    # From the core of I to the surface of B.
    shift_i = -radius_b if is_on_b else radius_a + gap_i
    shift_j = -radius_b if is_on_b else radius_a + gap_j
    ix, iy, jx, jy = ix + shift_i * nx, iy + shift_i * ny, jx + shift_j * nx, jy + shift_j * ny
    if gap_j < gap_i:
        return jx, jy, gap_j, ix, iy, gap_i
    return ix, iy, gap_i, jx, jy, gap_j
