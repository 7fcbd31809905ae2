"""Distance, normal, witness points and contact manifold of two posed solids.

For the manifold, B is moved along the normal until it just touches A. Its points are those that touch then. If edges
are not quite parallel, the far end of an edge that was inside A before the move counts too. The manifold keeps two of
these points at most. Each is half way between both surfaces as they were before the move.
"""

from __future__ import annotations

import math

from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats, Part, Vector
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.depth import way_out
from impinge.kernels.pair.separation import (
    Facing,
    both_radii,
    bounds_gap,
    core_gap,
    facing_points,
    noise_of,
    solid_gap,
)


@kernel(inline=False)
def keep_point(measured: Floats, rows: int, x: float, y: float, depth: float, along: float) -> None:
    """Keep a point if it is the outermost one so far on either side."""
    for row, sign in ((rows, -1.0), (rows + 1, 1.0)):
        if not sign * along <= sign * measured[row, col.KEPT_ALONG]:
            (
                measured[row, col.KEPT_X],
                measured[row, col.KEPT_Y],
                measured[row, col.KEPT_DEPTH],
                measured[row, col.KEPT_ALONG],
            ) = x, y, depth, along


@kernel(inline=False)
def write_points(measured: Floats, tolerance: float) -> None:
    """Choose one or two of the kept points, and write them."""
    low, high, at = col.KEPT_TOUCHING, col.KEPT_TOUCHING + 1, col.MEASURED
    if measured[high, col.KEPT_ALONG] - measured[low, col.KEPT_ALONG] <= tolerance:
        # The solids touch in one point. The second point is the outer one that is farthest from it.
        before = measured[low, col.KEPT_ALONG] - measured[col.KEPT_OUTER, col.KEPT_ALONG]
        after = measured[col.KEPT_OUTER + 1, col.KEPT_ALONG] - measured[high, col.KEPT_ALONG]
        if before > after:
            low = col.KEPT_OUTER
        else:
            high = col.KEPT_OUTER + 1
    count = 2 if measured[high, col.KEPT_ALONG] - measured[low, col.KEPT_ALONG] > tolerance else 1
    if count == 1:
        low = high = col.KEPT_TOUCHING
    measured[at, col.CONTACT_POINT_COUNT] = count
    measured[at, col.CONTACT_POINTS], measured[at, col.CONTACT_POINTS + 1] = (
        measured[low, col.KEPT_X],
        measured[low, col.KEPT_Y],
    )
    measured[at, col.CONTACT_POINTS + 2], measured[at, col.CONTACT_POINTS + 3] = (
        measured[high, col.KEPT_X],
        measured[high, col.KEPT_Y],
    )
    measured[at, col.CONTACT_DEPTHS], measured[at, col.CONTACT_DEPTHS + 1] = (
        measured[low, col.KEPT_DEPTH],
        measured[high, col.KEPT_DEPTH],
    )


@kernel()
def write_witnesses(facing: Facing, normal: Vector, tolerance: float, measured: Floats) -> None:
    """Write the witness points, from the points at which two pieces face each other along a normal."""
    (x, y, near, far_x, far_y, far), (nx, ny), at = facing, normal, col.MEASURED
    gap, normal_x, normal_y = (
        measured[at, col.CONTACT_GAP],
        measured[at, col.CONTACT_NORMAL],
        measured[at, col.CONTACT_NORMAL + 1],
    )
    middle = 0.5 if far - near <= tolerance else 0.0
    bx, by = x + (far_x - x) * middle, y + (far_y - y) * middle
    measured[at, col.CONTACT_WITNESS_A], measured[at, col.CONTACT_WITNESS_A + 1] = bx - near * nx, by - near * ny
    measured[at, col.CONTACT_WITNESS_B], measured[at, col.CONTACT_WITNESS_B + 1] = (
        bx + gap * normal_x,
        by + gap * normal_y,
    )


@kernel(inline=False)
def keep_facing_points(facing: Facing, normal: Vector, tolerance: float, is_along: bool, measured: Floats) -> None:
    """Keep the points at which two pieces face each other along a normal, after B has moved until it just touches A.

    `is_along` tells whether this is the normal of the whole solids. If it is not, only touching points belong to the
    contact: no way along this normal leads from one surface to the other.
    """
    (x, y, near, far_x, far_y, far), (nx, ny), at = facing, normal, col.MEASURED
    gap, normal_x, normal_y = (
        measured[at, col.CONTACT_GAP],
        measured[at, col.CONTACT_NORMAL],
        measured[at, col.CONTACT_NORMAL + 1],
    )
    for point in range(2):
        if point == 1:
            x, y, near = far_x, far_y, far
        depth = max(-gap - near, 0.0)
        if near > tolerance and (depth == 0.0 or not is_along):
            continue
        # Half way between A's surface and B's, with B back in its place.
        px, py = x + 0.5 * (gap * normal_x - near * nx), y + 0.5 * (gap * normal_y - near * ny)
        along = py * normal_x - px * normal_y
        for rows in (col.KEPT_OUTER, col.KEPT_TOUCHING):
            if rows == col.KEPT_OUTER or near <= tolerance:
                keep_point(measured, rows, px, py, depth, along)


@kernel(inline=False)
def keep_points_of_pieces(
    a: Part, b: Part, moved: Vector, normal: Vector, nearest: tuple[int, int], noise: float, measured: Floats
) -> bool:
    """Keep the points of all pairs of pieces that touch along the normal of the solids, with B at `moved` from A.

    Return whether the witness points are written. They come from the nearest pieces, else from pieces that separate
    along the normal, else from any.
    """
    (rows_a, solid_a), (rows_b, solid_b) = a, b
    slop = measured[col.MEASURED, col.CONTACT_SLOP]
    tolerance, is_apart = slop + noise, measured[col.MEASURED, col.CONTACT_GAP] >= -slop
    witness_rank = -1
    first_a, first_b = solid_a + col.PIECES, solid_b + col.PIECES
    end_a = first_a + col.PIECE_COLUMNS * int(rows_a[solid_a + col.PIECE_TOTAL])
    end_b = first_b + col.PIECE_COLUMNS * int(rows_b[solid_b + col.PIECE_TOTAL])
    for piece_a in range(first_a, end_a, col.PIECE_COLUMNS):
        for piece_b in range(first_b, end_b, col.PIECE_COLUMNS):
            if bounds_gap(rows_a, piece_a, rows_b, piece_b, moved) > tolerance:
                continue
            radii = both_radii(rows_a, piece_a, rows_b, piece_b)
            between, own_x, own_y = core_gap(rows_a, piece_a, rows_b, piece_b, moved, noise, math.inf)
            if between - radii > tolerance:
                continue
            facing = facing_points(rows_a, piece_a, rows_b, piece_b, moved, normal, tolerance)
            # Not all pieces separate along the normal of the solids: one piece may be around a corner of the other.
            is_along, own = abs(facing[2]) <= tolerance, normal
            rank = 2 if piece_a == nearest[0] and piece_b == nearest[1] and is_apart else 1 if is_along else 0
            if not is_along:
                own = own_x, own_y
                facing = facing_points(rows_a, piece_a, rows_b, piece_b, moved, own, tolerance)
            if rank > witness_rank:
                write_witnesses(facing, own, tolerance, measured)
            keep_facing_points(facing, own, tolerance, is_along, measured)
            witness_rank = max(rank, witness_rank)
    return witness_rank >= 0


@kernel(inline=False)
def measure(a: Floats, solid_a: int, b: Floats, solid_b: int, offset: Vector, slop: float, measured: Floats) -> None:
    """Write distance, normal, witness points and manifold of two posed solids, with B at an offset from A.

    The result is row `MEASURED` of `measured`; the rows before it are those of kept points.
    """
    (dx, dy), at = offset, col.MEASURED
    noise = noise_of(a, solid_a, b, solid_b, offset)
    gap, nx, ny, nearest_a, nearest_b = solid_gap(a, solid_a, b, solid_b, offset, noise)
    is_single = a[solid_a + col.PIECE_TOTAL] == 1.0 and b[solid_b + col.PIECE_TOTAL] == 1.0
    if gap < -slop and not is_single:
        depth, nx, ny = way_out(a, solid_a, b, solid_b, offset, slop, -gap)
        gap = -depth
    # Adding zero turns a negative zero, which looks odd in a normal, into zero.
    measured[at, col.CONTACT_GAP], measured[at, col.CONTACT_NORMAL], measured[at, col.CONTACT_NORMAL + 1] = (
        gap,
        nx + 0.0,
        ny + 0.0,
    )
    measured[at, col.CONTACT_SLOP] = slop
    for row in range(col.KEPT_ROWS):
        measured[row, col.KEPT_ALONG] = math.nan
    normal, moved, tolerance = (nx, ny), (dx - gap * nx, dy - gap * ny), slop + noise
    has_witnesses = False
    if not is_single:
        has_witnesses = keep_points_of_pieces(
            Part(a, solid_a), Part(b, solid_b), moved, normal, (nearest_a, nearest_b), noise, measured
        )
    if math.isnan(measured[col.KEPT_TOUCHING, col.KEPT_ALONG]):
        facing = facing_points(a, nearest_a, b, nearest_b, moved, normal, tolerance)
        # Rounding may separate solids of several pieces by more than the slop. The nearest pieces then count as
        # touching at any distance.
        touching = tolerance if is_single else math.inf
        if not has_witnesses:
            write_witnesses(facing, normal, touching, measured)
        keep_facing_points(facing, normal, touching, True, measured)
    write_points(measured, tolerance)
