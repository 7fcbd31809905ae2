"""Depth of two overlapping solids of several pieces: the shortest way to separate them.

The Minkowski difference of two pieces is a rounded convex outline. The outlines of all pairs of pieces together cover
all offsets at which the solids overlap (Varadhan & Manocha, "Accurate Minkowski sum approximation of polyhedral
models", 2004). The origin is in that union. The shortest way out of it ends square on an edge or an arc of one outline,
or in the notch where two outlines cross. All these candidates are tried. The nearest one that no other outline covers
is the answer.

Arrays: `cores` has a row for each pair of pieces, `corners` for each corner, `borders` for each edge and arc.
"""

from __future__ import annotations

import math

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats, Part, Vector
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.separation import both_radii, bounds_gap, goes_first, noise_of, walk_around

# A corner has the columns of a point of a piece.


# Sine of the angle by which a point may be beyond the end of an arc, where the adjacent border begins.
ARC_SLACK = 1e-12
# Sine of the angle between two borders below which they touch rather than cross. Arcs that overlap by the slop cross at
# an angle of some 1e-4.
TOUCHING_SINE = 1e-6
# First reach of the search for the way out, in depths of the deepest pair of pieces.
FIRST_REACH = 2.0


@kernel(inline=False)
def depth_of_bounds(a: Floats, solid_a: int, b: Floats, solid_b: int, offset: Vector) -> tuple[float, float, float]:
    """Return length and direction of the shortest way to separate the bounds: an upper bound for the solids."""
    dx, dy = offset
    left = b[solid_b + col.UPPER] + dx - a[solid_a + col.LOWER]
    right = a[solid_a + col.UPPER] - b[solid_b + col.LOWER] - dx
    down = b[solid_b + col.UPPER + 1] + dy - a[solid_a + col.LOWER + 1]
    up = a[solid_a + col.UPPER + 1] - b[solid_b + col.LOWER + 1] - dy
    least, x, y = left, -1.0, 0.0
    if right < least:
        least, x, y = right, 1.0, 0.0
    if down < least:
        least, x, y = down, 0.0, -1.0
    if up < least:
        least, x, y = up, 0.0, 1.0
    return least, x, y


@kernel()
def is_near(a: Floats, piece_a: int, b: Floats, piece_b: int, offset: Vector, reach: float) -> bool:
    """Return whether the bounds of two pieces are within a reach: those that are counted are those that are written."""
    return bounds_gap(a, piece_a, b, piece_b, offset) < reach


@kernel(inline=False)
def rows_needed(a: Floats, solid_a: int, b: Floats, solid_b: int, offset: Vector, reach: float) -> tuple[int, int]:
    """Return upper bounds of the numbers of cores and corners within a reach."""
    cores = corners = 0
    first_a, first_b = solid_a + col.PIECES, solid_b + col.PIECES
    for piece_a in range(first_a, first_a + col.PIECE_COLUMNS * int(a[solid_a + col.PIECE_TOTAL]), col.PIECE_COLUMNS):
        for piece_b in range(
            first_b, first_b + col.PIECE_COLUMNS * int(b[solid_b + col.PIECE_TOTAL]), col.PIECE_COLUMNS
        ):
            if is_near(a, piece_a, b, piece_b, offset, reach):
                cores += 1
                corners += int(a[piece_a + col.POINT_TOTAL]) + int(b[piece_b + col.POINT_TOTAL])
    return cores, corners


@kernel(inline=False)
def add_core(a: Floats, piece_a: int, b: Floats, piece_b: int, offset: Vector, corners: Floats, first: int) -> int:
    """Write the corners of A - B from row `first` on, counter-clockwise; return their number."""
    dx, dy = offset
    first_a, last_a, at_a, top_a, left_a = walk_around(a, piece_a, col.BOTTOM_POINT, col.TOP_POINT)
    first_b, last_b, at_b, top_b, left_b = walk_around(b, piece_b, col.TOP_POINT, col.BOTTOM_POINT)
    is_up_a = is_up_b = True
    count = max(left_a + left_b, 1)
    for corner in range(first, first + count):
        corners[corner, col.POINT] = a[at_a + col.POINT] - b[at_b + col.POINT] - dx
        corners[corner, col.POINT + 1] = a[at_a + col.POINT + 1] - b[at_b + col.POINT + 1] - dy
        ax, ay = a[at_a + col.NORMAL], a[at_a + col.NORMAL + 1]
        bx, by = -b[at_b + col.NORMAL], -b[at_b + col.NORMAL + 1]
        is_up_a, is_up_b = is_up_a and at_a != top_a, is_up_b and at_b != top_b
        if left_b == 0 or (left_a > 0 and goes_first(is_up_a, ax, ay, is_up_b, bx, by)):
            corners[corner, col.NORMAL], corners[corner, col.NORMAL + 1] = ax, ay
            corners[corner, col.LENGTH] = a[at_a + col.LENGTH]
            at_a = at_a + col.POINT_COLUMNS if at_a != last_a else first_a
            left_a -= 1
        else:
            corners[corner, col.NORMAL], corners[corner, col.NORMAL + 1] = bx, by
            corners[corner, col.LENGTH] = b[at_b + col.LENGTH]
            at_b = at_b + col.POINT_COLUMNS if at_b != last_b else first_b
            left_b -= 1
    return count


@kernel(inline=False)
def find_box(core: int, cores: Floats, corners: Floats) -> None:
    """Write the bounds of an outline."""
    first, total, radius = (
        int(cores[core, col.CORE_FIRST]),
        int(cores[core, col.CORE_TOTAL]),
        cores[core, col.CORE_ROUND],
    )
    left = bottom = math.inf
    right = top = -math.inf
    for corner in range(first, first + total):
        left, right = min(left, corners[corner, col.POINT]), max(right, corners[corner, col.POINT])
        bottom, top = min(bottom, corners[corner, col.POINT + 1]), max(top, corners[corner, col.POINT + 1])
    cores[core, col.CORE_BOX], cores[core, col.CORE_BOX + 1] = left - radius, bottom - radius
    cores[core, col.CORE_BOX + 2], cores[core, col.CORE_BOX + 3] = right + radius, top + radius


@kernel(inline=False)
def gap_to_core(point: Vector, core: int, enough: float, cores: Floats, corners: Floats) -> float:
    """Return the signed distance of a point from an outline; the sign may be wrong if the outline has no inside.

    The search stops once the distance is known to be at least `enough`; the result is then a lower bound.
    """
    first, total, radius = (
        int(cores[core, col.CORE_FIRST]),
        int(cores[core, col.CORE_TOTAL]),
        cores[core, col.CORE_ROUND],
    )
    noise = cores[core, col.CORE_NOISE]
    gap, nearest = -math.inf, math.inf
    for corner in range(first, first + total):
        px, py = point[0] - corners[corner, col.POINT], point[1] - corners[corner, col.POINT + 1]
        nx, ny = corners[corner, col.NORMAL], corners[corner, col.NORMAL + 1]
        outside = px * nx + py * ny
        gap = max(gap, outside)
        if gap - radius >= enough:
            return gap - radius
        # A point just inside counts as on the edge. Of two edges on one line, rounding may put it outside the far one
        # only.
        if outside >= -noise:
            along = min(max(px * -ny + py * nx, 0.0), corners[corner, col.LENGTH])
            px, py = px + ny * along, py - nx * along
            nearest = min(nearest, px * px + py * py)
    return (gap if gap < -noise else math.sqrt(nearest)) - radius


@kernel(inline=False)
def covers(point: Vector, core: int, depth: float, cores: Floats, corners: Floats) -> bool:
    """Return whether a point is inside an outline by more than a depth."""
    if not cores[core, col.CORE_BOX] < point[0] < cores[core, col.CORE_BOX + 2]:
        return False
    if not cores[core, col.CORE_BOX + 1] < point[1] < cores[core, col.CORE_BOX + 3]:
        return False
    return gap_to_core(point, core, -depth, cores, corners) < -depth


@kernel(inline=False)
def covering_outline(
    point: Vector, depth: float, owner: int, other: int, count: int, hint: int, cores: Floats, corners: Floats
) -> int:
    """Return an outline that a point is inside by more than a depth, other than two given ones; -1 for none.

    The outline `hint` is tried first.
    """
    if hint != owner and hint != other and covers(point, hint, depth, cores, corners):
        return hint
    for core in range(count):
        if core != owner and core != other and covers(point, core, depth, cores, corners):
            return core
    return -1


@kernel()
def length_of(x: float, y: float) -> float:
    """Return the length of a vector. `math.hypot` takes five times as long, as it also handles numbers beyond 1e154."""
    return math.sqrt(x * x + y * y)


@kernel(inline=False)
def is_buried(borders: Floats, border: int, slop: float, count: int, cores: Floats, corners: Floats) -> bool:
    """Return whether another outline covers an edge from end to end, so that no way out ends on it."""
    x, y = borders[border, col.BORDER_CENTRE], borders[border, col.BORDER_CENTRE + 1]
    owner = int(borders[border, col.BORDER_OWNER])
    cover = covering_outline((x, y), slop, owner, owner, count, owner, cores, corners)
    length = borders[border, col.BORDER_EXTENT]
    end = x - borders[border, col.BORDER_OUT + 1] * length, y + borders[border, col.BORDER_OUT] * length
    return cover >= 0 and covers(end, cover, slop, cores, corners)


@kernel(inline=False)
def add_borders(count: int, best: float, slop: float, cores: Floats, corners: Floats, borders: Floats) -> int:
    """List the edges and arcs of all outlines on which a shorter way out may end; return their number."""
    total = 0
    for core in range(count):
        first, corner_total, radius = (
            int(cores[core, col.CORE_FIRST]),
            int(cores[core, col.CORE_TOTAL]),
            cores[core, col.CORE_ROUND],
        )
        for corner in range(first, first + corner_total):
            x, y = corners[corner, col.POINT], corners[corner, col.POINT + 1]
            nx, ny, length = corners[corner, col.NORMAL], corners[corner, col.NORMAL + 1], corners[corner, col.LENGTH]
            if corner_total > 1:
                sx, sy = x + radius * nx, y + radius * ny
                along = min(max(ny * sx - nx * sy, 0.0), length)
                nearest = length_of(sx - ny * along, sy + nx * along)
                if nearest < best:
                    ex, ey = sx - ny * length, sy + nx * length
                    (
                        borders[total, col.BORDER_OWNER],
                        borders[total, col.BORDER_KIND],
                        borders[total, col.BORDER_NEAREST],
                    ) = core, col.BORDER_IS_EDGE, nearest
                    borders[total, col.BORDER_CENTRE], borders[total, col.BORDER_CENTRE + 1] = sx, sy
                    borders[total, col.BORDER_OUT], borders[total, col.BORDER_OUT + 1] = nx, ny
                    borders[total, col.BORDER_EXTENT] = length
                    borders[total, col.BORDER_BOX], borders[total, col.BORDER_BOX + 2] = min(sx, ex), max(sx, ex)
                    borders[total, col.BORDER_BOX + 1], borders[total, col.BORDER_BOX + 3] = min(sy, ey), max(sy, ey)
                    if not is_buried(borders, total, slop, count, cores, corners):
                        total += 1
            nearest = abs(length_of(x, y) - radius)
            if radius > 0.0 and nearest < best:
                before = corner - 1 if corner > first else first + corner_total - 1
                borders[total, col.BORDER_OWNER], borders[total, col.BORDER_KIND] = (
                    core,
                    col.BORDER_IS_ARC if corner_total > 1 else col.BORDER_IS_DISK,
                )
                borders[total, col.BORDER_NEAREST] = nearest
                borders[total, col.BORDER_CENTRE], borders[total, col.BORDER_CENTRE + 1] = x, y
                borders[total, col.BORDER_OUT], borders[total, col.BORDER_OUT + 1] = (
                    corners[before, col.NORMAL],
                    corners[before, col.NORMAL + 1],
                )
                borders[total, col.BORDER_UNTIL], borders[total, col.BORDER_UNTIL + 1] = nx, ny
                borders[total, col.BORDER_EXTENT] = radius
                borders[total, col.BORDER_BOX], borders[total, col.BORDER_BOX + 2] = x - radius, x + radius
                borders[total, col.BORDER_BOX + 1], borders[total, col.BORDER_BOX + 3] = y - radius, y + radius
                total += 1
    return total


@kernel(inline=False)
def is_on_arc(borders: Floats, border: int, x: float, y: float) -> bool:
    """Return whether a direction from an arc's centre meets the arc."""
    if borders[border, col.BORDER_KIND] == col.BORDER_IS_DISK:
        return True
    nx, ny = borders[border, col.BORDER_OUT], borders[border, col.BORDER_OUT + 1]
    mx, my = borders[border, col.BORDER_UNTIL], borders[border, col.BORDER_UNTIL + 1]
    # No arc is more than half a circle. An arc between edges on one line has no length: without the last condition, the
    # opposite direction would pass too.
    return (
        nx * y - ny * x >= -ARC_SLACK and x * my - y * mx >= -ARC_SLACK and (nx + mx) * x + (ny + my) * y >= -ARC_SLACK
    )


@kernel(inline=False)
def foot(borders: Floats, border: int, noise: float) -> tuple[bool, float, float, float, float]:
    """Return whether the way out of an outline may end square on a border, the point, and the direction out."""
    x, y = borders[border, col.BORDER_CENTRE], borders[border, col.BORDER_CENTRE + 1]
    nx, ny, extent = (
        borders[border, col.BORDER_OUT],
        borders[border, col.BORDER_OUT + 1],
        borders[border, col.BORDER_EXTENT],
    )
    if borders[border, col.BORDER_KIND] == col.BORDER_IS_EDGE:
        depth = nx * x + ny * y
        along = ny * x - nx * y
        # Rounding must not put the corner that two edges share outside of both.
        return depth >= 0.0 and -noise <= along <= extent + noise, depth * nx, depth * ny, nx, ny
    distance = length_of(x, y)
    if distance >= extent:
        return False, 0.0, 0.0, 0.0, 0.0
    nx, ny = (-x / distance, -y / distance) if distance > 0.0 else (-1.0, 0.0)
    return is_on_arc(borders, border, nx, ny), x + extent * nx, y + extent * ny, nx, ny


@kernel()
def may_cross(borders: Floats, one: int, other: int, slop: float) -> bool:
    """Return whether two borders have different outlines and boxes that meet; nine of ten pairs fail this test."""
    return (
        borders[one, col.BORDER_OWNER] != borders[other, col.BORDER_OWNER]
        and borders[one, col.BORDER_BOX] <= borders[other, col.BORDER_BOX + 2] + slop
        and borders[other, col.BORDER_BOX] <= borders[one, col.BORDER_BOX + 2] + slop
        and borders[one, col.BORDER_BOX + 1] <= borders[other, col.BORDER_BOX + 3] + slop
        and borders[other, col.BORDER_BOX + 1] <= borders[one, col.BORDER_BOX + 3] + slop
    )


@kernel(inline=False)
def crossings(borders: Floats, one: int, other: int, slop: float) -> tuple[int, float, float, float, float]:
    """Return up to two points where the lines or circles of two borders cross or touch, even beyond the borders."""
    ax, ay, ar = borders[one, col.BORDER_CENTRE], borders[one, col.BORDER_CENTRE + 1], borders[one, col.BORDER_EXTENT]
    bx, by, br = (
        borders[other, col.BORDER_CENTRE],
        borders[other, col.BORDER_CENTRE + 1],
        borders[other, col.BORDER_EXTENT],
    )
    ox, oy = bx - ax, by - ay
    if borders[one, col.BORDER_KIND] == col.BORDER_IS_EDGE and borders[other, col.BORDER_KIND] == col.BORDER_IS_EDGE:
        nx, ny = borders[one, col.BORDER_OUT], borders[one, col.BORDER_OUT + 1]
        mx, my = borders[other, col.BORDER_OUT], borders[other, col.BORDER_OUT + 1]
        sine = nx * my - ny * mx
        if abs(sine) <= ARC_SLACK:
            return 0, 0.0, 0.0, 0.0, 0.0
        along = (ox * mx + oy * my) / sine
        return 1, ax - ny * along, ay + nx * along, 0.0, 0.0
    if borders[one, col.BORDER_KIND] == col.BORDER_IS_EDGE or borders[other, col.BORDER_KIND] == col.BORDER_IS_EDGE:
        edge, x, y, radius = (
            (one, bx, by, br) if borders[one, col.BORDER_KIND] == col.BORDER_IS_EDGE else (other, ax, ay, ar)
        )
        nx, ny = borders[edge, col.BORDER_OUT], borders[edge, col.BORDER_OUT + 1]
        height = (borders[edge, col.BORDER_CENTRE] - x) * nx + (borders[edge, col.BORDER_CENTRE + 1] - y) * ny
        if abs(height) > radius + slop:
            return 0, 0.0, 0.0, 0.0, 0.0
        half = math.sqrt(max((radius - height) * (radius + height), 0.0))
    else:
        distance = length_of(ox, oy)
        if distance == 0.0 or distance > ar + br + slop or distance < abs(ar - br):
            return 0, 0.0, 0.0, 0.0, 0.0
        nx, ny, x, y = ox / distance, oy / distance, ax, ay
        height = 0.5 * (distance + (ar - br) * (ar + br) / distance)
        half = math.sqrt(max((ar - height) * (ar + height), 0.0))
    x, y = x + height * nx, y + height * ny
    return 2, x - half * ny, y + half * nx, x + half * ny, y - half * nx


@kernel(inline=False)
def direction_out(borders: Floats, border: int, x: float, y: float, slop: float) -> tuple[bool, float, float]:
    """Return whether a crossing is on a border, and the direction out of the outline there."""
    px, py = x - borders[border, col.BORDER_CENTRE], y - borders[border, col.BORDER_CENTRE + 1]
    nx, ny, extent = (
        borders[border, col.BORDER_OUT],
        borders[border, col.BORDER_OUT + 1],
        borders[border, col.BORDER_EXTENT],
    )
    if borders[border, col.BORDER_KIND] == col.BORDER_IS_EDGE:
        along = nx * py - ny * px
        return -slop <= along <= extent + slop, nx, ny
    px, py = px / extent, py / extent
    return is_on_arc(borders, border, px, py), px, py


@kernel(inline=False)
def notch_direction(
    borders: Floats, one: int, other: int, x: float, y: float, slop: float
) -> tuple[bool, float, float]:
    """Return whether a crossing is on both borders, and the direction that leads out between their outlines."""
    is_on_one, nx, ny = direction_out(borders, one, x, y, slop)
    is_on_other, mx, my = direction_out(borders, other, x, y, slop)
    ux, uy = nx + mx, ny + my
    size = length_of(ux, uy)
    if size > TOUCHING_SINE:
        return is_on_one and is_on_other, ux / size, uy / size
    # The outlines touch here back to back, and leave a gap that B just fits through. Of its two directions, take the
    # one away from the start.
    side = 1.0 if nx * y - ny * x >= 0.0 else -1.0
    return (
        is_on_one
        and is_on_other
        and borders[one, col.BORDER_KIND] + borders[other, col.BORDER_KIND] > col.BORDER_IS_EDGE,
        -side * ny,
        side * nx,
    )


@kernel(inline=False)
def add_cores(
    a: Part, b: Part, offset: Vector, reach: float, count: int, corner: int, cores: Floats, corners: Floats
) -> tuple[int, int]:
    """Add the differences of all pairs of pieces within a reach; return the new numbers of cores and corners."""
    (rows_a, solid_a), (rows_b, solid_b) = a, b
    noise = noise_of(rows_a, solid_a, rows_b, solid_b, offset)
    first_a, first_b = solid_a + col.PIECES, solid_b + col.PIECES
    end_a = first_a + col.PIECE_COLUMNS * int(rows_a[solid_a + col.PIECE_TOTAL])
    end_b = first_b + col.PIECE_COLUMNS * int(rows_b[solid_b + col.PIECE_TOTAL])
    for piece_a in range(first_a, end_a, col.PIECE_COLUMNS):
        for piece_b in range(first_b, end_b, col.PIECE_COLUMNS):
            if not is_near(rows_a, piece_a, rows_b, piece_b, offset, reach):
                continue
            total = add_core(rows_a, piece_a, rows_b, piece_b, offset, corners, corner)
            cores[count, col.CORE_FIRST], cores[count, col.CORE_TOTAL], cores[count, col.CORE_NOISE] = (
                corner,
                total,
                noise,
            )
            cores[count, col.CORE_ROUND] = both_radii(rows_a, piece_a, rows_b, piece_b)
            find_box(count, cores, corners)
            if gap_to_core((0.0, 0.0), count, reach, cores, corners) < reach:
                count += 1
                corner += total
    return count, corner


@kernel(inline=False)
def way_within(
    reach: float, count: int, slop: float, cores: Floats, corners: Floats, borders: Floats
) -> tuple[float, float, float]:
    """Return length and unit direction of the shortest way out of all cores; the reach, if none is shorter."""
    best, best_x, best_y = reach, 0.0, 0.0
    total = add_borders(count, best, slop, cores, corners, borders)
    hint = 0
    for border in range(total):
        if borders[border, col.BORDER_NEAREST] >= best:
            continue
        owner = int(borders[border, col.BORDER_OWNER])
        found, x, y, nx, ny = foot(borders, border, cores[owner, col.CORE_NOISE])
        length = x * nx + y * ny
        if found and length < best:
            # Test a point one slop further out: another outline covers it only if the two meet without a gap.
            further = x + slop * nx, y + slop * ny
            cover = covering_outline(further, 0.0, owner, owner, count, hint, cores, corners)
            if cover < 0:
                best, best_x, best_y = length, nx, ny
            else:
                hint = cover
    for one in range(total):
        for other in range(one + 1, total):
            # The best length may have decreased since the outer loop began.
            if borders[one, col.BORDER_NEAREST] >= best:
                break
            if borders[other, col.BORDER_NEAREST] >= best or not may_cross(borders, one, other, slop):
                continue
            found_total, x, y, second_x, second_y = crossings(borders, one, other, slop)
            for _ in range(found_total):
                length = length_of(x, y)
                if length < best:
                    found, ux, uy = notch_direction(borders, one, other, x, y, slop)
                    owner, partner = int(borders[one, col.BORDER_OWNER]), int(borders[other, col.BORDER_OWNER])
                    cover = -1
                    if found:
                        further = x + slop * ux, y + slop * uy
                        cover = covering_outline(further, 0.0, owner, partner, count, hint, cores, corners)
                    if found and cover < 0:
                        best = length
                        best_x, best_y = (x / length, y / length) if length > slop else (ux, uy)
                    hint = cover if cover >= 0 else hint
                x, y = second_x, second_y
    return best, best_x, best_y


@kernel(inline=False, allocates=True)
def way_out(
    a: Floats, solid_a: int, b: Floats, solid_b: int, offset: Vector, slop: float, deepest: float
) -> tuple[float, float, float]:
    """Return length and unit direction of the shortest move of B that ends its overlap with A.

    It is no shorter than that out of the deepest pair of pieces, and seldom twice as long. So the search begins within
    twice that length, and doubles the reach until it succeeds: of a hundred pieces each, few are near.
    """
    bound, bound_x, bound_y = depth_of_bounds(a, solid_a, b, solid_b, offset)
    reach = min(FIRST_REACH * deepest, bound)
    while True:
        core_total, corner_total = rows_needed(a, solid_a, b, solid_b, offset, reach)
        cores, corners = np.empty((core_total, col.CORE_COLUMNS)), np.empty((corner_total, col.POINT_COLUMNS))
        borders = np.empty((2 * corner_total, col.BORDER_COLUMNS))
        first = 0
        count, _ = add_cores(Part(a, solid_a), Part(b, solid_b), offset, reach, first, first, cores, corners)
        length, x, y = way_within(reach, count, slop, cores, corners, borders)
        if length < reach:
            return length, x, y
        if reach >= bound:
            return bound, bound_x, bound_y
        reach = min(2.0 * reach, bound)
