"""What of a sector is lit where walls are in the way: the lower envelope of the walls, seen from the apex.

Each edge and each round corner that faces the apex hides what is behind it between two bearings. So does the end of the
range. These stretches are merged two by two into ever longer rows in which each bearing has the nearest of them
(Hershberger, "Finding the upper envelope of n line segments in O(n log n) time", 1989; round ones cross each other up
to twice). What is left are the cells of `nearest`. No rays are cast, so nothing falls between them.
"""

from __future__ import annotations

import math

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats, Ints
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.depth import crossings, length_of
from impinge.kernels.sector.nearest import nearest_to_origin, outer_end, within_half_a_turn
from impinge.kernels.tolerances import ROUNDING, SLOP

# What hides all behind it from the apex on, which is on it.
DARK = 3.0

# Chords of one arc, whatever the tolerance: what is drawn has fewer points.
MOST_CHORDS = 65_536.0
# The most that two screens make of a stretch which they share: they cross twice.
SHARES = 3


@kernel(inline=False)
def add_stretch(stretches: Floats, count: int, begin: float, until: float, screen: int, half: float) -> int:
    """Add what of a screen is inside the sector, in one stretch, or across the back in two; returns how many.

    It lasts less than a whole turn, and begins between minus pi and pi.
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
def add_dark(
    row: Floats, piece: int, dx: float, dy: float, slop: float, half: float, screens: Floats, screen: int,
    stretches: Floats, count: int,
) -> int:  # fmt: skip
    """Add what a piece hides that the apex touches: half of all, or less at a corner; returns how many stretches."""
    first, total = int(row[piece + col.FIRST_POINT]), int(row[piece + col.POINT_TOTAL])
    radius = row[piece + col.RADIUS]
    begin, width = 0.0, math.pi
    if radius > 0.0:
        _, x, y = nearest_to_origin(row, piece, dx, dy)
        begin = math.atan2(y, x) - 0.5 * math.pi
    else:
        touched = 0
        for number in range(total):
            at = first + col.POINT_COLUMNS * number
            x, y = row[at + col.POINT] + dx, row[at + col.POINT + 1] + dy
            nx, ny = row[at + col.NORMAL], row[at + col.NORMAL + 1]
            along = ny * x - nx * y
            if abs(nx * x + ny * y) > slop or not -slop <= along <= row[at + col.LENGTH] + slop:
                continue
            direction = math.atan2(nx, -ny)
            if touched > 0:
                # At a corner: from the edge that begins there to the one that ends there, less than half a turn.
                apart = within_half_a_turn(direction - begin)
                width = min(width, apart + math.pi) - max(apart, 0.0)
                direction = begin + max(apart, 0.0)
            begin = direction
            touched += 1
        if touched == 0 or total < 3:
            return count
    begin = within_half_a_turn(begin)
    screens[screen, col.CELL_KIND] = DARK
    return add_stretch(stretches, count, begin, begin + width, screen, half)


@kernel(inline=False)
def add_piece(
    row: Floats, piece: int, dx: float, dy: float, sector: Floats, screens: Floats, screen: int,
    stretches: Floats, count: int,
) -> tuple[int, int]:  # fmt: skip
    """Add all edges and round corners of a piece that face the apex; returns how many screens and stretches there are.

    A round corner is added as a whole disk: what of that is inside the piece is behind its edges.
    """
    first, total = int(row[piece + col.FIRST_POINT]), int(row[piece + col.POINT_TOTAL])
    radius, half, reach = row[piece + col.RADIUS], sector[col.SECTOR_HALF], sector[col.SECTOR_RADIUS]
    for number in range(total):
        at = first + col.POINT_COLUMNS * number
        x, y = row[at + col.POINT] + dx, row[at + col.POINT + 1] + dy
        nx, ny, length = row[at + col.NORMAL], row[at + col.NORMAL + 1], row[at + col.LENGTH]
        height = nx * x + ny * y + radius
        if total > 1 and -reach < height < 0.0:
            sx, sy = x + radius * nx, y + radius * ny
            ex, ey = sx - length * ny, sy + length * nx
            # Seen from outside, the edge runs clockwise, for less than half a turn. In line with the apex it hides
            # nothing, but rounding may swap its ends.
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
def screen_at(screens: Floats, screen: int, bearing: float) -> float:
    """How far a screen is at a bearing."""
    if screens[screen, col.CELL_KIND] == DARK:
        return 0.0
    return outer_end(screens, screen, math.cos(bearing), math.sin(bearing))


@kernel(inline=False)
def write_border(screens: Floats, screen: int, borders: Floats, border: int) -> None:
    """Write a screen as the borders of `depth` are laid out, whose crossings are found there."""
    is_wall = screens[screen, col.CELL_KIND] == col.CELL_IS_WALL
    borders[border, col.BORDER_KIND] = col.BORDER_IS_EDGE if is_wall else col.BORDER_IS_DISK
    borders[border, col.BORDER_CENTRE] = screens[screen, col.CELL_CENTRE]
    borders[border, col.BORDER_CENTRE + 1] = screens[screen, col.CELL_CENTRE + 1]
    borders[border, col.BORDER_OUT] = screens[screen, col.CELL_OUT]
    borders[border, col.BORDER_OUT + 1] = screens[screen, col.CELL_OUT + 1]
    borders[border, col.BORDER_EXTENT] = screens[screen, col.CELL_EXTENT]


@kernel(inline=False)
def cuts(borders: Floats, begin: float, until: float) -> tuple[float, float]:
    """Return the bearings, in order, at which two borders cross between two others; the last of these for none."""
    total, x, y, second_x, second_y = crossings(borders, 0, 1, 0.0)
    one = min(max(math.atan2(y, x), begin), until) if total > 0 else until
    other = min(max(math.atan2(second_y, second_x), begin), until) if total > 1 else until
    return min(one, other), max(one, other)


@kernel(inline=False)
def append(stretches: Floats, count: int, begin: float, until: float, screen: int, first: int) -> int:
    """Append to a row of stretches; one that goes on with the same screen gets longer instead."""
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
    screens: Floats, one: int, other: int, begin: float, until: float, borders: Floats, merged: Floats, count: int,
    first: int,
) -> int:  # fmt: skip
    """Append the nearer of two screens, which may be the one here and the other there."""
    cut, second = until, until
    if screens[one, col.CELL_KIND] != DARK and screens[other, col.CELL_KIND] != DARK:
        write_border(screens, one, borders, 0)
        write_border(screens, other, borders, 1)
        cut, second = cuts(borders, begin, until)
    low = begin
    for high in (cut, second, until):
        if high > low:
            middle = 0.5 * (low + high)
            is_one = screen_at(screens, one, middle) <= screen_at(screens, other, middle)
            count = append(merged, count, low, high, one if is_one else other, first)
            low = high
    return count


@kernel(inline=False)
def merge(
    screens: Floats, stretches: Floats, left: int, right: int, end: int, borders: Floats, merged: Floats, count: int
) -> int:
    """Merge two rows of stretches, from `left` to `right` and on to `end`, into one; returns where that ends."""
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
            count = append_nearer(screens, screen, rival, at, until, borders, merged, count, first)
        elif is_one:
            count = append(merged, count, at, until, int(stretches[one, col.STRETCH_SCREEN]), first)
        elif is_other:
            count = append(merged, count, at, until, int(stretches[other, col.STRETCH_SCREEN]), first)
        at = until


@kernel(inline=False, allocates=True)
def envelope(screens: Floats, stretches: Floats, count: int) -> tuple[Floats, int]:
    """Return the nearest screens at all bearings, and how many stretches that makes."""
    starts = np.arange(count + 1)
    rows = count
    borders = np.zeros((2, col.BORDER_COLUMNS))
    while rows > 1:
        merged = np.empty((2 * SHARES * count, col.STRETCH_COLUMNS))
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
    """Whether a cell is narrower than the slop: at its outer end, or between two others that are nearer."""
    if count == 1:
        return False
    own = outer_end(cells, cell, cells[cell, col.CELL_BEGIN_RAY], cells[cell, col.CELL_BEGIN_RAY + 1])
    if (cells[cell, col.CELL_UNTIL] - cells[cell, col.CELL_BEGIN]) * own <= slop:
        return True
    if cell == 0 or cell == count - 1:
        return False
    before = outer_end(cells, cell - 1, cells[cell, col.CELL_BEGIN_RAY], cells[cell, col.CELL_BEGIN_RAY + 1])
    after = outer_end(cells, cell + 1, cells[cell, col.CELL_UNTIL_RAY], cells[cell, col.CELL_UNTIL_RAY + 1])
    # From the apex, where it is on a wall, every gap is narrow: then it counts how wide it gets.
    at = max(before, after) if min(before, after) > 0.0 else own
    return (cells[cell, col.CELL_UNTIL] - cells[cell, col.CELL_BEGIN]) * at <= slop and max(before, after) < own


def _lit_example() -> tuple[Floats, float, float, float, float, Floats, Ints, Floats]:
    row, firsts = np.zeros(col.PIECES + col.PIECE_COLUMNS), np.zeros(2, np.int64)
    return np.zeros(col.SECTOR_COLUMNS), 0.0, 0.0, 1.0, 0.0, row, firsts, np.zeros((1, 2))


@kernel(_lit_example)
def lit_cells(
    sector: Floats, apex_x: float, apex_y: float, cos: float, sin: float, rows: Floats, firsts: Ints, places: Floats
) -> Floats:
    """Return the cells of a sector that are lit, ordered by their bearings.

    Parameters
    ----------
    rows, firsts, places
        The walls as they stand: solid i has the columns of `rows` from `firsts[i]` on, and stands at `places[i]`.
    """
    total = 1
    for wall in range(places.shape[0]):
        for number in range(int(rows[firsts[wall] + col.PIECE_TOTAL])):
            total += 2 * int(rows[firsts[wall] + col.PIECES + col.PIECE_COLUMNS * number + col.POINT_TOTAL])
    screens, stretches = np.zeros((total, col.CELL_COLUMNS)), np.empty((2 * total, col.STRETCH_COLUMNS))
    half, reach = sector[col.SECTOR_HALF], sector[col.SECTOR_RADIUS]
    screens[0, col.CELL_KIND], screens[0, col.CELL_EXTENT] = col.CELL_IS_RANGE, reach
    screen = 1
    count = add_stretch(stretches, 0, -half, half, 0, half)
    least, farthest = math.inf, max(abs(apex_x), abs(apex_y)) + reach
    turned = np.empty_like(rows)
    for wall in range(places.shape[0]):
        first = firsts[wall]
        ex, ey = places[wall, 0] - apex_x, places[wall, 1] - apex_y
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
            face_piece(rows, piece, cos, sin, turned)
            dx, dy = cos * ex + sin * ey, cos * ey - sin * ex
            depth = depth_at_origin(turned, piece, dx, dy)
            if depth > slop:
                return np.empty((0, col.CELL_COLUMNS))
            if depth >= -slop:
                before = count
                count = add_dark(turned, piece, dx, dy, slop, half, screens, screen, stretches, count)
                screen += 1 if count > before else 0
            else:
                screen, count = add_piece(turned, piece, dx, dy, sector, screens, screen, stretches, count)
    found, count = envelope(screens, stretches, count)
    return cells_of(screens, found, count, SLOP * min(sector[col.SECTOR_SIZE], least) + ROUNDING * farthest)


@kernel(inline=False)
def face_piece(rows: Floats, piece: int, cos: float, sin: float, turned: Floats) -> None:
    """Write a piece as the sector sees it, into the same columns of another array."""
    first, total = int(rows[piece + col.FIRST_POINT]), int(rows[piece + col.POINT_TOTAL])
    for column in range(piece, piece + col.PIECE_COLUMNS):
        turned[column] = rows[column]
    for at in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
        for vector in (col.POINT, col.NORMAL):
            x, y = rows[at + vector], rows[at + vector + 1]
            turned[at + vector], turned[at + vector + 1] = cos * x + sin * y, cos * y - sin * x
        turned[at + col.LENGTH] = rows[at + col.LENGTH]


@kernel(inline=False)
def depth_at_origin(row: Floats, piece: int, dx: float, dy: float) -> float:
    """How deep the origin is in a piece; negative is how far outside."""
    distance, _, _ = nearest_to_origin(row, piece, dx, dy)
    first, total = int(row[piece + col.FIRST_POINT]), int(row[piece + col.POINT_TOTAL])
    depth = -distance
    if distance == 0.0 and total > 2:
        depth = math.inf
        for at in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
            x, y = row[at + col.POINT] + dx, row[at + col.POINT + 1] + dy
            depth = min(depth, row[at + col.NORMAL] * x + row[at + col.NORMAL + 1] * y)
    return depth + row[piece + col.RADIUS]


@kernel(inline=False, allocates=True)
def cells_of(screens: Floats, stretches: Floats, count: int, slop: float) -> Floats:
    """Return the cells in front of the nearest screens, without those too narrow to see through."""
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
def parts_of(angle: float, radius: float, tolerance: float) -> int:
    """How many chords an arc is parted into so that none is farther from it than a tolerance."""
    most = 4.0 * math.asin(math.sqrt(min(0.5 * tolerance / radius, 0.5)))
    return int(min(max(math.ceil(angle / most), 1.0), MOST_CHORDS))


@kernel()
def chords(cells: Floats, cell: int, tolerance: float) -> int:
    """How many chords make an outer end that is nowhere farther from them than a tolerance."""
    radius, kind = cells[cell, col.CELL_EXTENT], cells[cell, col.CELL_KIND]
    if kind == col.CELL_IS_WALL:
        return 1
    angle = cells[cell, col.CELL_UNTIL] - cells[cell, col.CELL_BEGIN]
    if kind == col.CELL_IS_PILLAR:
        # The angle that the chord takes at its centre, instead of at the apex.
        begin, until = end_of(cells, cell, col.CELL_BEGIN_RAY), end_of(cells, cell, col.CELL_UNTIL_RAY)
        bx, by = begin[0] - cells[cell, col.CELL_CENTRE], begin[1] - cells[cell, col.CELL_CENTRE + 1]
        ux, uy = until[0] - cells[cell, col.CELL_CENTRE], until[1] - cells[cell, col.CELL_CENTRE + 1]
        angle = abs(math.atan2(bx * uy - by * ux, bx * ux + by * uy))
    return parts_of(angle, radius, tolerance)


@kernel()
def end_of(cells: Floats, cell: int, ray: int) -> tuple[float, float]:
    """Where a ray of a cell ends."""
    ux, uy = cells[cell, ray], cells[cell, ray + 1]
    end = outer_end(cells, cell, ux, uy)
    return end * ux, end * uy


@kernel()
def add_corner(outline: Floats, count: int, x: float, y: float) -> int:
    """Add a corner of an outline, unless it is the one before."""
    if count == 0 or outline[count - 1, 0] != x or outline[count - 1, 1] != y:
        outline[count, 0], outline[count, 1] = x, y
        count += 1
    return count


@kernel(inline=False)
def add_outer_end(outline: Floats, count: int, cells: Floats, cell: int, tolerance: float) -> int:
    """Add the corners of a cell's outer end, those of arcs evenly around their centres."""
    total = chords(cells, cell, tolerance)
    bx, by = end_of(cells, cell, col.CELL_BEGIN_RAY)
    ux, uy = end_of(cells, cell, col.CELL_UNTIL_RAY)
    cx, cy = cells[cell, col.CELL_CENTRE], cells[cell, col.CELL_CENTRE + 1]
    count = add_corner(outline, count, bx, by)
    if cells[cell, col.CELL_KIND] != col.CELL_IS_WALL:
        begin = math.atan2(by - cy, bx - cx)
        angle = within_half_a_turn(math.atan2(uy - cy, ux - cx) - begin)
        if cells[cell, col.CELL_KIND] == col.CELL_IS_RANGE:
            begin, angle = cells[cell, col.CELL_BEGIN], cells[cell, col.CELL_UNTIL] - cells[cell, col.CELL_BEGIN]
        for chord in range(1, total):
            turn = begin + angle * chord / total
            radius = cells[cell, col.CELL_EXTENT]
            count = add_corner(outline, count, cx + radius * math.cos(turn), cy + radius * math.sin(turn))
    return add_corner(outline, count, ux, uy)


@kernel(inline=False, allocates=True)
def parted_cells(sector: Floats, cells: Floats) -> tuple[Floats, int]:
    """Return cells side by side over the whole sector, and how many: lit ones, and dark ones where nothing is.

    A cell whose outer end crosses the inner arc is parted there.
    """
    parts, count, at = np.zeros((SHARES * 2 * cells.shape[0] + 1, col.CELL_COLUMNS)), 0, -sector[col.SECTOR_HALF]
    borders = np.zeros((2, col.BORDER_COLUMNS))
    borders[0, col.BORDER_KIND], borders[0, col.BORDER_EXTENT] = col.BORDER_IS_DISK, sector[col.SECTOR_INNER]
    for cell in range(cells.shape[0] + 1):
        begin = cells[cell, col.CELL_BEGIN] if cell < cells.shape[0] else sector[col.SECTOR_HALF]
        if begin > at:
            set_part(parts, count, at, begin)
            parts[count, col.CELL_KIND] = DARK
            count += 1
        if cell == cells.shape[0]:
            break
        at = cells[cell, col.CELL_UNTIL]
        cut, second = at, at
        if sector[col.SECTOR_INNER] > 0.0 and cells[cell, col.CELL_KIND] != col.CELL_IS_RANGE:
            write_border(cells, cell, borders, 1)
            cut, second = cuts(borders, begin, at)
        low = begin
        for high in (cut, second, at):
            if high > low:
                for column in range(col.CELL_COLUMNS):
                    parts[count, column] = cells[cell, column]
                set_part(parts, count, low, high)
                if screen_at(cells, cell, 0.5 * (low + high)) < sector[col.SECTOR_INNER]:
                    parts[count, col.CELL_KIND] = DARK
                count += 1
                low = high
    return parts, count


@kernel()
def set_part(parts: Floats, part: int, begin: float, until: float) -> None:
    """Write between which bearings a cell lies."""
    parts[part, col.CELL_BEGIN], parts[part, col.CELL_UNTIL] = begin, until
    parts[part, col.CELL_BEGIN_RAY], parts[part, col.CELL_BEGIN_RAY + 1] = math.cos(begin), math.sin(begin)
    parts[part, col.CELL_UNTIL_RAY], parts[part, col.CELL_UNTIL_RAY + 1] = math.cos(until), math.sin(until)


@kernel()
def add_inner_arc(
    outline: Floats, count: int, parts: Floats, part: int, inner: float, tolerance: float, way: int
) -> int:
    """Add the corners of a cell's inner arc, forth or, with a way of -1, back over the same ones."""
    begin, angle = parts[part, col.CELL_BEGIN], parts[part, col.CELL_UNTIL] - parts[part, col.CELL_BEGIN]
    total = parts_of(angle, inner, tolerance)
    for chord in range(total + 1):
        turn = begin + angle * (chord if way > 0 else total - chord) / total
        count = add_corner(outline, count, inner * math.cos(turn), inner * math.sin(turn))
    return count


def _outline_example() -> tuple[Floats, Floats, float]:
    return np.zeros(col.SECTOR_COLUMNS), np.zeros((1, col.CELL_COLUMNS)), 0.0


@kernel(_outline_example)
def outline_of(sector: Floats, cells: Floats, tolerance: float) -> Floats:
    """Return the outline of the cells that are lit, counter-clockwise, as the sector sees it."""
    inner = sector[col.SECTOR_INNER]
    parts, part_total = parted_cells(sector, cells)
    corners, lit = 2, 0
    for part in range(part_total):
        if inner > 0.0:
            corners += 2 * parts_of(parts[part, col.CELL_UNTIL] - parts[part, col.CELL_BEGIN], inner, tolerance) + 2
        corners += 1
        if parts[part, col.CELL_KIND] != DARK:
            corners += chords(parts, part, tolerance) + 1
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
            # Back along the inner arc it is the same way, with nothing between.
            count = add_inner_arc(outline, count, parts, part, inner, tolerance, 1)
        else:
            count = add_corner(outline, count, 0.0, 0.0)
    if inner > 0.0:
        for part in range(part_total - 1, -1, -1):
            count = add_inner_arc(outline, count, parts, part, inner, tolerance, -1)
    return outline[:count].copy()
