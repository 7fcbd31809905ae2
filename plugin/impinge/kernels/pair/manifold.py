"""Distance, normal, witness points and contact manifold of two posed solids.

For the manifold, B is moved along the normal until it just touches A. Its points are those that touch then. If edges
are not quite parallel, the far end of an edge that was inside A before the move counts too. The manifold keeps two of
these points at most. Each is half way between both surfaces as they were before the move.
"""

from __future__ import annotations

import math

from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.depth import way_out
from impinge.kernels.pair.separation import both_radii, bounds_gap, core_gap, facing_points, noise_of, solid_gap


@kernel(inline=False)
def keep_point(kept: Floats, rows: int, x: float, y: float, depth: float, along: float) -> None:
    """Keep a point if it is the outermost one so far on either side."""
    for row, sign in ((rows, -1.0), (rows + 1, 1.0)):
        if not sign * along <= sign * kept[row, col.KEPT_ALONG]:
            kept[row, col.KEPT_X], kept[row, col.KEPT_Y], kept[row, col.KEPT_DEPTH], kept[row, col.KEPT_ALONG] = (
                x,
                y,
                depth,
                along,
            )


@kernel(inline=False)
def write_points(answers: Floats, answer: int, kept: Floats, tolerance: float) -> None:
    """Choose one or two of the kept points, and write them."""
    low, high = col.KEPT_TOUCHING, col.KEPT_TOUCHING + 1
    if kept[high, col.KEPT_ALONG] - kept[low, col.KEPT_ALONG] <= tolerance:
        # The solids touch in one point. The second point is the outer one that is farthest from it.
        before = kept[low, col.KEPT_ALONG] - kept[col.KEPT_OUTER, col.KEPT_ALONG]
        after = kept[col.KEPT_OUTER + 1, col.KEPT_ALONG] - kept[high, col.KEPT_ALONG]
        if before > after:
            low = col.KEPT_OUTER
        else:
            high = col.KEPT_OUTER + 1
    count = 2 if kept[high, col.KEPT_ALONG] - kept[low, col.KEPT_ALONG] > tolerance else 1
    if count == 1:
        low = high = col.KEPT_TOUCHING
    answers[answer, col.CONTACT_POINT_COUNT] = count
    answers[answer, col.CONTACT_POINTS], answers[answer, col.CONTACT_POINTS + 1] = (
        kept[low, col.KEPT_X],
        kept[low, col.KEPT_Y],
    )
    answers[answer, col.CONTACT_POINTS + 2], answers[answer, col.CONTACT_POINTS + 3] = (
        kept[high, col.KEPT_X],
        kept[high, col.KEPT_Y],
    )
    answers[answer, col.CONTACT_DEPTHS], answers[answer, col.CONTACT_DEPTHS + 1] = (
        kept[low, col.KEPT_DEPTH],
        kept[high, col.KEPT_DEPTH],
    )


@kernel(inline=False)
def keep_facing_points(
    a: Floats,
    piece_a: int,
    b: Floats,
    piece_b: int,
    moved_x: float,
    moved_y: float,
    margin: float,
    tolerance: float,
    nx: float,
    ny: float,
    answers: Floats,
    answer: int,
    kept: Floats,
    is_along: bool,
    is_witness: bool,
) -> None:
    """Keep the points at which two pieces face each other along a normal, after B has moved until it just touches A.

    `is_along` tells whether this is the normal of the whole solids. If it is not, only touching points belong to the
    contact: no way along this normal leads from one surface to the other.
    """
    gap, normal_x, normal_y = (
        answers[answer, col.CONTACT_GAP],
        answers[answer, col.CONTACT_NORMAL],
        answers[answer, col.CONTACT_NORMAL + 1],
    )
    x, y, near, far_x, far_y, far = facing_points(a, piece_a, b, piece_b, moved_x, moved_y, nx, ny, margin)
    if is_witness:
        middle = 0.5 if far - near <= tolerance else 0.0
        bx, by = x + (far_x - x) * middle, y + (far_y - y) * middle
        answers[answer, col.CONTACT_WITNESS_A], answers[answer, col.CONTACT_WITNESS_A + 1] = (
            bx - near * nx,
            by - near * ny,
        )
        answers[answer, col.CONTACT_WITNESS_B], answers[answer, col.CONTACT_WITNESS_B + 1] = (
            bx + gap * normal_x,
            by + gap * normal_y,
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
                keep_point(kept, rows, px, py, depth, along)


@kernel(inline=False)
def measure(
    a: Floats,
    solid_a: int,
    b: Floats,
    solid_b: int,
    dx: float,
    dy: float,
    slop: float,
    kept: Floats,
    answers: Floats,
    answer: int,
) -> None:
    """Write distance, normal, witness points and manifold of two posed solids, with B at an offset from A."""
    noise = noise_of(a, solid_a, b, solid_b, dx, dy)
    gap, nx, ny, nearest_a, nearest_b = solid_gap(a, solid_a, b, solid_b, dx, dy, noise)
    is_single = a[solid_a + col.PIECE_TOTAL] == 1.0 and b[solid_b + col.PIECE_TOTAL] == 1.0
    if gap < -slop and not is_single:
        depth, nx, ny = way_out(a, solid_a, b, solid_b, dx, dy, slop, -gap)
        gap = -depth
    # Adding zero turns a negative zero, which looks odd in a normal, into zero.
    answers[answer, col.CONTACT_GAP], answers[answer, col.CONTACT_NORMAL], answers[answer, col.CONTACT_NORMAL + 1] = (
        gap,
        nx + 0.0,
        ny + 0.0,
    )
    answers[answer, col.CONTACT_SLOP] = slop
    for row in range(col.KEPT_ROWS):
        kept[row, col.KEPT_ALONG] = math.nan
    moved_x, moved_y = dx - gap * nx, dy - gap * ny
    tolerance = margin = slop + noise
    if is_single:
        keep_facing_points(
            a, nearest_a, b, nearest_b, moved_x, moved_y, margin, tolerance, nx, ny,
            answers, answer, kept, is_single, is_single,
        )  # fmt: skip
        write_points(answers, answer, kept, tolerance)
        return
    # Witness points come from the nearest pieces, else from pieces that separate along the normal, else from any.
    witness_rank = -1
    first_a, first_b = solid_a + col.PIECES, solid_b + col.PIECES
    for piece_a in range(first_a, first_a + col.PIECE_COLUMNS * int(a[solid_a + col.PIECE_TOTAL]), col.PIECE_COLUMNS):
        for piece_b in range(
            first_b, first_b + col.PIECE_COLUMNS * int(b[solid_b + col.PIECE_TOTAL]), col.PIECE_COLUMNS
        ):
            if bounds_gap(a, piece_a, b, piece_b, moved_x, moved_y) > tolerance:
                continue
            radii = both_radii(a, piece_a, b, piece_b)
            between, own_x, own_y = core_gap(a, piece_a, b, piece_b, moved_x, moved_y, noise, math.inf)
            if between - radii > tolerance:
                continue
            _, _, near, _, _, _ = facing_points(a, piece_a, b, piece_b, moved_x, moved_y, nx, ny, margin)
            # Not all pieces separate along the normal of the solids: one piece may be around a corner of the other.
            is_along = abs(near) <= tolerance
            rank = 2 if piece_a == nearest_a and piece_b == nearest_b and gap >= -slop else 1 if is_along else 0
            if is_along:
                own_x, own_y = nx, ny
            keep_facing_points(
                a, piece_a, b, piece_b, moved_x, moved_y, margin, tolerance, own_x, own_y,
                answers, answer, kept, is_along, rank > witness_rank,
            )  # fmt: skip
            witness_rank = max(rank, witness_rank)
    if math.isnan(kept[col.KEPT_TOUCHING, col.KEPT_ALONG]):
        # Rounding has separated the solids by more than the slop. The nearest pieces then count as touching at any
        # distance.
        keep_facing_points(
            a, nearest_a, b, nearest_b, moved_x, moved_y, margin, math.inf, nx, ny,
            answers, answer, kept, True, witness_rank < 0,
        )  # fmt: skip
    write_points(answers, answer, kept, tolerance)
