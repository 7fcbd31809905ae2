"""The visible part of a sector among walls: the lower envelope of the walls, as seen from the apex.

A screen is an edge or a round corner that faces the apex, or the end of the range. It hides everything behind it
between two bearings. A stretch is an interval of bearings with the nearest screen there. Rows of stretches are merged
two by two into longer ones (Hershberger, "Finding the upper envelope of n line segments in O(n log n) time", 1989;
round screens cross each other up to twice). The last row gives the cells of `nearest`. No rays are cast, so nothing
falls between them.
"""

from __future__ import annotations

import math

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats, Part, PosedSolids, Vector
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.depth import crossings, length_of
from impinge.kernels.sector.nearest import angle_within_pi, in_sector_axes, nearest_to_origin, outer_end
from impinge.kernels.tolerances import ROUNDING, SLOP

# Kind of a screen at the apex, which hides everything at its bearings; also of cells in which nothing is visible.
DARK = 3.0

# Limit of the chords of an arc, at any tolerance. Outlines to draw need fewer points.
CHORD_LIMIT = 65_536.0
# Most stretches that result from two screens between the same bearings: the screens cross at most twice.
STRETCHES_PER_OVERLAP = 3


@kernel(inline=False)
def add_stretch(stretches: Floats, count: int, begin: float, until: float, screen: int, half: float) -> int:
    """Add the part of a screen inside the sector: one stretch, or two if it crosses the bearing pi; return the count.

    The screen spans less than a full turn, and begins between minus pi and pi.
    """
    for turn in (0.0, 2.0 * math.pi):
        low, high = max(begin - turn, -half), min(until - turn, half)
        if low < high:
            stretches[count, col.CELL_BEGIN], stretches[count, col.CELL_UNTIL], stretches[count, col.STRETCH_SCREEN] = (
                low,
                high,
                screen,
            )
            count += 1
    return count


@kernel(inline=False)
def add_touching_piece(
    piece: Part, offset: Vector, slop: float, half: float, screens: Floats, screen: int, stretches: Floats, count: int
) -> int:
    """Add the bearings that a piece hides if the apex touches it: a half-plane, or less at a corner.

    Return the new number of stretches.
    """
    row, first = piece
    dx, dy = offset
    first_point, total = int(row[first + col.FIRST_POINT]), int(row[first + col.POINT_TOTAL])
    radius = row[first + col.RADIUS]
    begin, width = 0.0, math.pi
    if radius > 0.0:
        _, x, y = nearest_to_origin(piece, offset)
        begin = math.atan2(y, x) - 0.5 * math.pi
    else:
        touched = 0
        for number in range(total):
            at = first_point + col.POINT_COLUMNS * number
            x, y = row[at + col.POINT] + dx, row[at + col.POINT + 1] + dy
            nx, ny = row[at + col.NORMAL], row[at + col.NORMAL + 1]
            along = ny * x - nx * y
            if abs(nx * x + ny * y) > slop or not -slop <= along <= row[at + col.LENGTH] + slop:
                continue
            direction = math.atan2(nx, -ny)
            if touched > 0:
                # At a corner, the piece hides less than half a turn: from the edge that begins there to the edge that
                # ends there.
                apart = angle_within_pi(direction - begin)
                width = min(width, apart + math.pi) - max(apart, 0.0)
                direction = begin + max(apart, 0.0)
            begin = direction
            touched += 1
        if touched == 0 or total < 3:
            return count
    begin = angle_within_pi(begin)
    screens[screen, col.CELL_KIND] = DARK
    return add_stretch(stretches, count, begin, begin + width, screen, half)


@kernel(inline=False)
def add_piece(
    piece: Part, offset: Vector, sector: Floats, screens: Floats, screen: int, stretches: Floats, count: int
) -> tuple[int, int]:
    """Add all edges and round corners of a piece that face the apex; return the new numbers of screens and stretches.

    A round corner is added as a whole disk. The part of the disk inside the piece is behind the piece's edges.
    """
    row, first = piece
    dx, dy = offset
    first_point, total = int(row[first + col.FIRST_POINT]), int(row[first + col.POINT_TOTAL])
    radius, half, reach = row[first + col.RADIUS], sector[col.SECTOR_HALF], sector[col.SECTOR_RADIUS]
    for number in range(total):
        at = first_point + col.POINT_COLUMNS * number
        x, y = row[at + col.POINT] + dx, row[at + col.POINT + 1] + dy
        nx, ny, length = row[at + col.NORMAL], row[at + col.NORMAL + 1], row[at + col.LENGTH]
        height = nx * x + ny * y + radius
        if total > 1 and -reach < height < 0.0:
            sx, sy = x + radius * nx, y + radius * ny
            ex, ey = sx - length * ny, sy + length * nx
            # As seen from outside, the edge runs clockwise, by less than half a turn. An edge in line with the apex
            # hides nothing, but rounding may swap its ends.
            begin, until = math.atan2(ey, ex), math.atan2(sy, sx)
            until = until if until >= begin else until + 2.0 * math.pi
            before = count
            if until - begin < math.pi:
                count = add_stretch(stretches, count, begin, until, screen, half)
            if count > before:
                screens[screen, col.CELL_KIND], screens[screen, col.CELL_EXTENT] = col.CELL_IS_WALL, length
                screens[screen, col.CELL_CENTRE], screens[screen, col.CELL_CENTRE + 1] = sx, sy
                screens[screen, col.CELL_OUT], screens[screen, col.CELL_OUT + 1] = nx, ny
                screen += 1
        distance = length_of(x, y)
        if radius > 0.0 and distance - radius < reach:
            middle, aside = math.atan2(y, x), math.asin(min(radius / distance, 1.0))
            begin = middle - aside
            begin = begin if begin >= -math.pi else begin + 2.0 * math.pi
            before = count
            count = add_stretch(stretches, count, begin, begin + 2.0 * aside, screen, half)
            if count > before:
                screens[screen, col.CELL_KIND], screens[screen, col.CELL_EXTENT] = col.CELL_IS_PILLAR, radius
                screens[screen, col.CELL_CENTRE], screens[screen, col.CELL_CENTRE + 1] = x, y
                screen += 1
    return screen, count


@kernel()
def screen_distance(screens: Floats, screen: int, bearing: float) -> float:
    """Return the distance of a screen from the apex at a bearing."""
    if screens[screen, col.CELL_KIND] == DARK:
        return 0.0
    return outer_end(screens, screen, math.cos(bearing), math.sin(bearing))


@kernel(inline=False)
def write_border(screens: Floats, screen: int, borders: Floats, border: int) -> None:
    """Write a screen in the layout of a border, as `crossings` in `depth` takes it."""
    is_wall = screens[screen, col.CELL_KIND] == col.CELL_IS_WALL
    borders[border, col.BORDER_KIND] = col.BORDER_IS_EDGE if is_wall else col.BORDER_IS_DISK
    borders[border, col.BORDER_CENTRE] = screens[screen, col.CELL_CENTRE]
    borders[border, col.BORDER_CENTRE + 1] = screens[screen, col.CELL_CENTRE + 1]
    borders[border, col.BORDER_OUT] = screens[screen, col.CELL_OUT]
    borders[border, col.BORDER_OUT + 1] = screens[screen, col.CELL_OUT + 1]
    borders[border, col.BORDER_EXTENT] = screens[screen, col.CELL_EXTENT]


@kernel(inline=False)
def crossing_bearings(borders: Floats, begin: float, until: float) -> tuple[float, float]:
    """Return the two bearings, in order, at which two borders cross between `begin` and `until`.

    Bearings outside are clamped. A missing crossing has the bearing `until`.
    """
    total, x, y, second_x, second_y = crossings(borders, 0, 1, 0.0)
    one = min(max(math.atan2(y, x), begin), until) if total > 0 else until
    other = min(max(math.atan2(second_y, second_x), begin), until) if total > 1 else until
    return min(one, other), max(one, other)


@kernel(inline=False)
def append(stretches: Floats, count: int, begin: float, until: float, screen: int, first: int) -> int:
    """Append to a row of stretches, or extend its last stretch if that has the same screen; return the new count."""
    if until <= begin:
        return count
    if (
        count > first
        and stretches[count - 1, col.STRETCH_SCREEN] == screen
        and stretches[count - 1, col.CELL_UNTIL] == begin
    ):
        stretches[count - 1, col.CELL_UNTIL] = until
        return count
    stretches[count, col.CELL_BEGIN], stretches[count, col.CELL_UNTIL], stretches[count, col.STRETCH_SCREEN] = (
        begin,
        until,
        screen,
    )
    return count + 1


@kernel(inline=False)
def append_nearer(
    screens: Floats,
    one: int,
    other: int,
    bearings: tuple[float, float],
    borders: Floats,
    merged: Floats,
    count: int,
    first: int,
) -> int:
    """Append the nearer of two screens between two bearings, in parts where they cross; return the new count."""
    begin, until = bearings
    cut, second = until, until
    if screens[one, col.CELL_KIND] != DARK and screens[other, col.CELL_KIND] != DARK:
        write_border(screens, one, borders, 0)
        write_border(screens, other, borders, 1)
        cut, second = crossing_bearings(borders, begin, until)
    low = begin
    for high in (cut, second, until):
        if high > low:
            middle = 0.5 * (low + high)
            is_one = screen_distance(screens, one, middle) <= screen_distance(screens, other, middle)
            count = append(merged, count, low, high, one if is_one else other, first)
            low = high
    return count


@kernel(inline=False)
def merge(
    screens: Floats, stretches: Floats, left: int, right: int, end: int, borders: Floats, merged: Floats, count: int
) -> int:
    """Merge two rows of stretches, from `left` to `right` and from there to `end`, into one; return its end."""
    first, one, other = count, left, right
    at = -math.inf
    while True:
        while one < right and stretches[one, col.CELL_UNTIL] <= at:
            one += 1
        while other < end and stretches[other, col.CELL_UNTIL] <= at:
            other += 1
        if one == right and other == end:
            return count
        next_one = next_other = math.inf
        is_one, is_other = False, False
        if one < right:
            is_one = stretches[one, col.CELL_BEGIN] <= at
            next_one = stretches[one, col.CELL_UNTIL] if is_one else stretches[one, col.CELL_BEGIN]
        if other < end:
            is_other = stretches[other, col.CELL_BEGIN] <= at
            next_other = stretches[other, col.CELL_UNTIL] if is_other else stretches[other, col.CELL_BEGIN]
        until = min(next_one, next_other)
        if is_one and is_other:
            screen, rival = int(stretches[one, col.STRETCH_SCREEN]), int(stretches[other, col.STRETCH_SCREEN])
            count = append_nearer(screens, screen, rival, (at, until), borders, merged, count, first)
        elif is_one:
            count = append(merged, count, at, until, int(stretches[one, col.STRETCH_SCREEN]), first)
        elif is_other:
            count = append(merged, count, at, until, int(stretches[other, col.STRETCH_SCREEN]), first)
        at = until


@kernel(inline=False, allocates=True)
def envelope(screens: Floats, stretches: Floats, count: int) -> tuple[Floats, int]:
    """Return the stretches of the nearest screens at all bearings, and their number."""
    starts = np.arange(count + 1)
    rows = count
    borders = np.zeros((2, col.BORDER_COLUMNS))
    while rows > 1:
        merged = np.empty((2 * STRETCHES_PER_OVERLAP * count, col.STRETCH_COLUMNS))
        count = 0
        for row in range(0, rows, 2):
            right = starts[row + 1]
            end = starts[min(row + 2, rows)]
            begin = count
            count = merge(screens, stretches, starts[row], right, end, borders, merged, count)
            starts[row // 2] = begin
        rows = (rows + 1) // 2
        starts[rows] = count
        stretches = merged
    return stretches, count


@kernel(inline=False)
def is_gap(cells: Floats, cell: int, count: int, slop: float) -> bool:
    """Return whether a cell is narrower than the slop: at its outer end, or where it lies between two nearer cells."""
    if count == 1:
        return False
    own = outer_end(cells, cell, cells[cell, col.CELL_BEGIN_RAY], cells[cell, col.CELL_BEGIN_RAY + 1])
    if (cells[cell, col.CELL_UNTIL] - cells[cell, col.CELL_BEGIN]) * own <= slop:
        return True
    if cell == 0 or cell == count - 1:
        return False
    before = outer_end(cells, cell - 1, cells[cell, col.CELL_BEGIN_RAY], cells[cell, col.CELL_BEGIN_RAY + 1])
    after = outer_end(cells, cell + 1, cells[cell, col.CELL_UNTIL_RAY], cells[cell, col.CELL_UNTIL_RAY + 1])
    # Next to a wall that touches the apex, every gap is narrow there. Then its width at the outer end counts.
    at = max(before, after) if min(before, after) > 0.0 else own
    return (cells[cell, col.CELL_UNTIL] - cells[cell, col.CELL_BEGIN]) * at <= slop and max(before, after) < own


def _lit_example() -> tuple[Floats, Vector, Vector, PosedSolids]:
    row, firsts = np.zeros(col.PIECES + col.PIECE_COLUMNS), np.zeros(2, np.int64)
    return np.zeros(col.SECTOR_COLUMNS), (0.0, 0.0), (1.0, 0.0), PosedSolids(row, firsts, np.zeros((1, 2)))


@kernel(_lit_example)
def visible_sector_cells(sector: Floats, apex: Vector, facing: Vector, walls: PosedSolids) -> Floats:
    """Return the visible cells of a sector, ordered by bearing; none if the apex is inside a wall.

    `facing` is the sector's direction: cosine and sine of its angle.
    """
    rows, firsts, places = walls
    total = 1
    for wall in range(places.shape[0]):
        for number in range(int(rows[firsts[wall] + col.PIECE_TOTAL])):
            total += 2 * int(rows[firsts[wall] + col.PIECES + col.PIECE_COLUMNS * number + col.POINT_TOTAL])
    screens, stretches = np.zeros((total, col.CELL_COLUMNS)), np.empty((2 * total, col.STRETCH_COLUMNS))
    half, reach = sector[col.SECTOR_HALF], sector[col.SECTOR_RADIUS]
    screens[0, col.CELL_KIND], screens[0, col.CELL_EXTENT] = col.CELL_IS_RANGE, reach
    screen = 1
    count = add_stretch(stretches, 0, -half, half, 0, half)
    least, farthest = math.inf, max(abs(apex[0]), abs(apex[1])) + reach
    turned = np.empty_like(rows)
    for wall in range(places.shape[0]):
        first = firsts[wall]
        ex, ey = places[wall, 0] - apex[0], places[wall, 1] - apex[1]
        limit = reach + rows[first + col.FARTHEST]
        if ex * ex + ey * ey > limit * limit:
            continue
        slop = SLOP * min(sector[col.SECTOR_SIZE], rows[first + col.EXTENT]) + ROUNDING * max(
            farthest, max(abs(places[wall, 0]), abs(places[wall, 1])) + rows[first + col.FARTHEST]
        )
        least = min(least, rows[first + col.EXTENT])
        for number in range(int(rows[first + col.PIECE_TOTAL])):
            piece = first + col.PIECES + col.PIECE_COLUMNS * number
            gap_x = max(rows[piece + col.PIECE_LOWER] + ex, -rows[piece + col.PIECE_UPPER] - ex, 0.0)
            gap_y = max(rows[piece + col.PIECE_LOWER + 1] + ey, -rows[piece + col.PIECE_UPPER + 1] - ey, 0.0)
            if gap_x * gap_x + gap_y * gap_y > reach * reach:
                continue
            rotate_piece(rows, piece, facing, turned)
            seen, offset = Part(turned, piece), in_sector_axes((ex, ey), facing)
            depth = depth_at_origin(seen, offset)
            if depth > slop:
                return np.empty((0, col.CELL_COLUMNS))
            if depth >= -slop:
                before = count
                count = add_touching_piece(seen, offset, slop, half, screens, screen, stretches, count)
                screen += 1 if count > before else 0
            else:
                screen, count = add_piece(seen, offset, sector, screens, screen, stretches, count)
    found, count = envelope(screens, stretches, count)
    return cells_of(screens, found, count, SLOP * min(sector[col.SECTOR_SIZE], least) + ROUNDING * farthest)


@kernel(inline=False)
def rotate_piece(rows: Floats, piece: int, facing: Vector, turned: Floats) -> None:
    """Write a piece in the sector's axes into the same columns of another array."""
    first, total = int(rows[piece + col.FIRST_POINT]), int(rows[piece + col.POINT_TOTAL])
    for column in range(piece, piece + col.PIECE_COLUMNS):
        turned[column] = rows[column]
    for at in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
        for vector in (at + col.POINT, at + col.NORMAL):
            turned[vector], turned[vector + 1] = in_sector_axes((rows[vector], rows[vector + 1]), facing)
        turned[at + col.LENGTH] = rows[at + col.LENGTH]


@kernel(inline=False)
def depth_at_origin(piece: Part, offset: Vector) -> float:
    """Return the depth of the origin in a piece; outside, minus the distance."""
    row, at = piece
    distance, _, _ = nearest_to_origin(piece, offset)
    first, total = int(row[at + col.FIRST_POINT]), int(row[at + col.POINT_TOTAL])
    depth = -distance
    if distance == 0.0 and total > 2:
        depth = math.inf
        for point in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
            x, y = row[point + col.POINT] + offset[0], row[point + col.POINT + 1] + offset[1]
            depth = min(depth, row[point + col.NORMAL] * x + row[point + col.NORMAL + 1] * y)
    return depth + row[at + col.RADIUS]


@kernel(inline=False, allocates=True)
def cells_of(screens: Floats, stretches: Floats, count: int, slop: float) -> Floats:
    """Return the cells in front of the nearest screens, without gaps narrower than the slop."""
    cells = np.zeros((count, col.CELL_COLUMNS))
    for cell in range(count):
        for column in range(col.CELL_KIND, col.CELL_COLUMNS):
            cells[cell, column] = screens[int(stretches[cell, col.STRETCH_SCREEN]), column]
        for bearing, ray in ((col.CELL_BEGIN, col.CELL_BEGIN_RAY), (col.CELL_UNTIL, col.CELL_UNTIL_RAY)):
            cells[cell, bearing] = stretches[cell, bearing]
            cells[cell, ray], cells[cell, ray + 1] = (
                math.cos(stretches[cell, bearing]),
                math.sin(stretches[cell, bearing]),
            )
    lit = np.empty((count, col.CELL_COLUMNS))
    total = 0
    for cell in range(count):
        if cells[cell, col.CELL_KIND] != DARK and not is_gap(cells, cell, count, slop):
            for column in range(col.CELL_COLUMNS):
                lit[total, column] = cells[cell, column]
            total += 1
    return lit[:total].copy()


@kernel()
def arc_chord_count(angle: float, radius: float, tolerance: float) -> int:
    """Return the number of chords that approximate an arc within a tolerance."""
    most = 4.0 * math.asin(math.sqrt(min(0.5 * tolerance / radius, 0.5)))
    return int(min(max(math.ceil(angle / most), 1.0), CHORD_LIMIT))


@kernel()
def chord_count(cells: Floats, cell: int, tolerance: float) -> int:
    """Return the number of chords that approximate the outer end of a cell within a tolerance."""
    radius, kind = cells[cell, col.CELL_EXTENT], cells[cell, col.CELL_KIND]
    if kind == col.CELL_IS_WALL:
        return 1
    angle = cells[cell, col.CELL_UNTIL] - cells[cell, col.CELL_BEGIN]
    if kind == col.CELL_IS_PILLAR:
        # The angle of the arc at its own centre, instead of at the apex.
        begin, until = ray_end(cells, cell, col.CELL_BEGIN_RAY), ray_end(cells, cell, col.CELL_UNTIL_RAY)
        bx, by = begin[0] - cells[cell, col.CELL_CENTRE], begin[1] - cells[cell, col.CELL_CENTRE + 1]
        ux, uy = until[0] - cells[cell, col.CELL_CENTRE], until[1] - cells[cell, col.CELL_CENTRE + 1]
        angle = abs(math.atan2(bx * uy - by * ux, bx * ux + by * uy))
    return arc_chord_count(angle, radius, tolerance)


@kernel()
def ray_end(cells: Floats, cell: int, ray: int) -> tuple[float, float]:
    """Return the point where a ray of a cell ends."""
    ux, uy = cells[cell, ray], cells[cell, ray + 1]
    end = outer_end(cells, cell, ux, uy)
    return end * ux, end * uy


@kernel()
def add_corner(outline: Floats, count: int, x: float, y: float) -> int:
    """Add a corner to an outline, unless it equals the last one; return the new count."""
    if count == 0 or outline[count - 1, 0] != x or outline[count - 1, 1] != y:
        outline[count, 0], outline[count, 1] = x, y
        count += 1
    return count


@kernel(inline=False)
def add_outer_end(outline: Floats, count: int, cells: Floats, cell: int, tolerance: float) -> int:
    """Add the corners of a cell's outer end; those of an arc are spaced evenly around its centre. Return the count."""
    total = chord_count(cells, cell, tolerance)
    bx, by = ray_end(cells, cell, col.CELL_BEGIN_RAY)
    ux, uy = ray_end(cells, cell, col.CELL_UNTIL_RAY)
    cx, cy = cells[cell, col.CELL_CENTRE], cells[cell, col.CELL_CENTRE + 1]
    count = add_corner(outline, count, bx, by)
    if cells[cell, col.CELL_KIND] != col.CELL_IS_WALL:
        begin = math.atan2(by - cy, bx - cx)
        angle = angle_within_pi(math.atan2(uy - cy, ux - cx) - begin)
        if cells[cell, col.CELL_KIND] == col.CELL_IS_RANGE:
            begin, angle = cells[cell, col.CELL_BEGIN], cells[cell, col.CELL_UNTIL] - cells[cell, col.CELL_BEGIN]
        for chord in range(1, total):
            turn = begin + angle * chord / total
            radius = cells[cell, col.CELL_EXTENT]
            count = add_corner(outline, count, cx + radius * math.cos(turn), cy + radius * math.sin(turn))
    return add_corner(outline, count, ux, uy)


@kernel(inline=False, allocates=True)
def split_cells(sector: Floats, cells: Floats) -> tuple[Floats, int]:
    """Return cells that cover the whole sector side by side, and their number: visible cells, and dark ones between.

    A cell whose outer end crosses the inner arc is split there; its parts with an outer end inside the arc are dark.
    """
    parts, count, at = (
        np.zeros((STRETCHES_PER_OVERLAP * 2 * cells.shape[0] + 1, col.CELL_COLUMNS)),
        0,
        -sector[col.SECTOR_HALF],
    )
    borders = np.zeros((2, col.BORDER_COLUMNS))
    borders[0, col.BORDER_KIND], borders[0, col.BORDER_EXTENT] = col.BORDER_IS_DISK, sector[col.SECTOR_INNER]
    for cell in range(cells.shape[0] + 1):
        begin = cells[cell, col.CELL_BEGIN] if cell < cells.shape[0] else sector[col.SECTOR_HALF]
        if begin > at:
            set_cell_bearings(parts, count, at, begin)
            parts[count, col.CELL_KIND] = DARK
            count += 1
        if cell == cells.shape[0]:
            break
        at = cells[cell, col.CELL_UNTIL]
        cut, second = at, at
        if sector[col.SECTOR_INNER] > 0.0 and cells[cell, col.CELL_KIND] != col.CELL_IS_RANGE:
            write_border(cells, cell, borders, 1)
            cut, second = crossing_bearings(borders, begin, at)
        low = begin
        for high in (cut, second, at):
            if high > low:
                for column in range(col.CELL_COLUMNS):
                    parts[count, column] = cells[cell, column]
                set_cell_bearings(parts, count, low, high)
                if screen_distance(cells, cell, 0.5 * (low + high)) < sector[col.SECTOR_INNER]:
                    parts[count, col.CELL_KIND] = DARK
                count += 1
                low = high
    return parts, count


@kernel()
def set_cell_bearings(parts: Floats, part: int, begin: float, until: float) -> None:
    """Write the bearings and the rays between which a cell lies."""
    parts[part, col.CELL_BEGIN], parts[part, col.CELL_UNTIL] = begin, until
    parts[part, col.CELL_BEGIN_RAY], parts[part, col.CELL_BEGIN_RAY + 1] = math.cos(begin), math.sin(begin)
    parts[part, col.CELL_UNTIL_RAY], parts[part, col.CELL_UNTIL_RAY + 1] = math.cos(until), math.sin(until)


@kernel()
def add_inner_arc(
    outline: Floats, count: int, parts: Floats, part: int, inner: float, tolerance: float, way: int
) -> int:
    """Add the corners of a cell's inner arc, forwards or, if `way` is -1, the same ones backwards. Return the count."""
    begin, angle = parts[part, col.CELL_BEGIN], parts[part, col.CELL_UNTIL] - parts[part, col.CELL_BEGIN]
    total = arc_chord_count(angle, inner, tolerance)
    for chord in range(total + 1):
        turn = begin + angle * (chord if way > 0 else total - chord) / total
        count = add_corner(outline, count, inner * math.cos(turn), inner * math.sin(turn))
    return count


def _outline_example() -> tuple[Floats, Floats, float]:
    return np.zeros(col.SECTOR_COLUMNS), np.zeros((1, col.CELL_COLUMNS)), 0.0


@kernel(_outline_example)
def outline_of(sector: Floats, cells: Floats, tolerance: float) -> Floats:
    """Return the outline of the visible cells, counter-clockwise, in the sector's axes."""
    inner = sector[col.SECTOR_INNER]
    parts, part_total = split_cells(sector, cells)
    corners, lit = 2, 0
    for part in range(part_total):
        if inner > 0.0:
            corners += (
                2 * arc_chord_count(parts[part, col.CELL_UNTIL] - parts[part, col.CELL_BEGIN], inner, tolerance) + 2
            )
        corners += 1
        if parts[part, col.CELL_KIND] != DARK:
            corners += chord_count(parts, part, tolerance) + 1
            lit += 1
    outline = np.empty((corners, 2))
    count = 0
    if lit == 0:
        return outline[:0].copy()
    if sector[col.SECTOR_HALF] < math.pi and inner == 0.0:
        count = add_corner(outline, count, 0.0, 0.0)
    for part in range(part_total):
        if parts[part, col.CELL_KIND] != DARK:
            count = add_outer_end(outline, count, parts, part, tolerance)
        elif inner > 0.0:
            # The way back runs along the same corners of the inner arc, so they enclose no area.
            count = add_inner_arc(outline, count, parts, part, inner, tolerance, 1)
        else:
            count = add_corner(outline, count, 0.0, 0.0)
    if inner > 0.0:
        for part in range(part_total - 1, -1, -1):
            count = add_inner_arc(outline, count, parts, part, inner, tolerance, -1)
    return outline[:count].copy()
