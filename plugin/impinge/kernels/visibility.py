"""What of a sector is lit where walls are in the way: the lower envelope of the walls, seen from the apex.

Each edge and each round corner that faces the apex hides what is behind it between two bearings. So does the end of the
range. These stretches are merged two by two into ever longer rows in which each bearing has the nearest of them
(Hershberger, "Finding the upper envelope of n line segments in O(n log n) time", 1989; round ones cross each other up
to twice). What is left are the cells of `sectors`. No rays are cast, so nothing falls between them.
"""

from __future__ import annotations

import math

import numpy as np

from impinge.kernels import penetration
from impinge.kernels.compiler import kernel
from impinge.kernels.layout import (
    EXTENT,
    FARTHEST,
    FIRST_POINT,
    LENGTH,
    NORMAL,
    PIECE_COLUMNS,
    PIECE_LOWER,
    PIECE_TOTAL,
    PIECE_UPPER,
    PIECES,
    POINT,
    POINT_COLUMNS,
    POINT_TOTAL,
    RADIUS,
    Floats,
    Ints,
)
from impinge.kernels.penetration import BORDER_COLUMNS, crossings, length_of
from impinge.kernels.sectors import (
    BEGIN,
    BEGIN_RAY,
    CELL_COLUMNS,
    CENTRE,
    EXTENT_OF,
    HALF,
    INNER,
    KIND,
    OUT,
    PILLAR,
    RANGE,
    REACH,
    SECTOR_COLUMNS,
    SIZE,
    UNTIL,
    UNTIL_RAY,
    WALL,
    nearest_to_origin,
    outer_end,
    within_half_a_turn,
)
from impinge.kernels.tolerances import ROUNDING, SLOP

# What hides all behind it from the apex on, which is on it.
DARK = 3.0

# A stretch, a row of `stretches`: from which bearing to which, and which of the screens is the nearest there.
SCREEN = 2
STRETCH_COLUMNS = 3
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
            stretches[count, BEGIN], stretches[count, UNTIL], stretches[count, SCREEN] = low, high, screen
            count += 1
    return count


@kernel(inline=False)
def add_dark(
    row: Floats, piece: int, dx: float, dy: float, slop: float, half: float, screens: Floats, screen: int,
    stretches: Floats, count: int,
) -> int:  # fmt: skip
    """Add what a piece hides that the apex touches: half of all, or less at a corner; returns how many stretches."""
    first, total = int(row[piece + FIRST_POINT]), int(row[piece + POINT_TOTAL])
    radius = row[piece + RADIUS]
    begin, width = 0.0, math.pi
    if radius > 0.0:
        _, x, y = nearest_to_origin(row, piece, dx, dy)
        begin = math.atan2(y, x) - 0.5 * math.pi
    else:
        touched = 0
        for number in range(total):
            at = first + POINT_COLUMNS * number
            x, y = row[at + POINT] + dx, row[at + POINT + 1] + dy
            nx, ny = row[at + NORMAL], row[at + NORMAL + 1]
            along = ny * x - nx * y
            if abs(nx * x + ny * y) > slop or not -slop <= along <= row[at + LENGTH] + slop:
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
    screens[screen, KIND] = DARK
    return add_stretch(stretches, count, begin, begin + width, screen, half)


@kernel(inline=False)
def add_piece(
    row: Floats, piece: int, dx: float, dy: float, sector: Floats, screens: Floats, screen: int,
    stretches: Floats, count: int,
) -> tuple[int, int]:  # fmt: skip
    """Add all edges and round corners of a piece that face the apex; returns how many screens and stretches there are.

    A round corner is added as a whole disk: what of that is inside the piece is behind its edges.
    """
    first, total = int(row[piece + FIRST_POINT]), int(row[piece + POINT_TOTAL])
    radius, half, reach = row[piece + RADIUS], sector[HALF], sector[REACH]
    for number in range(total):
        at = first + POINT_COLUMNS * number
        x, y = row[at + POINT] + dx, row[at + POINT + 1] + dy
        nx, ny, length = row[at + NORMAL], row[at + NORMAL + 1], row[at + LENGTH]
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
                screens[screen, KIND], screens[screen, EXTENT_OF] = WALL, length
                screens[screen, CENTRE], screens[screen, CENTRE + 1] = sx, sy
                screens[screen, OUT], screens[screen, OUT + 1] = nx, ny
                screen += 1
        distance = length_of(x, y)
        if radius > 0.0 and distance - radius < reach:
            middle, aside = math.atan2(y, x), math.asin(min(radius / distance, 1.0))
            begin = middle - aside
            begin = begin if begin >= -math.pi else begin + 2.0 * math.pi
            before = count
            count = add_stretch(stretches, count, begin, begin + 2.0 * aside, screen, half)
            if count > before:
                screens[screen, KIND], screens[screen, EXTENT_OF] = PILLAR, radius
                screens[screen, CENTRE], screens[screen, CENTRE + 1] = x, y
                screen += 1
    return screen, count


@kernel()
def screen_at(screens: Floats, screen: int, bearing: float) -> float:
    """How far a screen is at a bearing."""
    if screens[screen, KIND] == DARK:
        return 0.0
    return outer_end(screens, screen, math.cos(bearing), math.sin(bearing))


@kernel(inline=False)
def write_border(screens: Floats, screen: int, borders: Floats, border: int) -> None:
    """Write a screen as the borders of `penetration` are laid out, whose crossings are found there."""
    is_wall = screens[screen, KIND] == WALL
    borders[border, penetration.KIND] = penetration.EDGE if is_wall else penetration.DISK
    borders[border, penetration.CENTRE] = screens[screen, CENTRE]
    borders[border, penetration.CENTRE + 1] = screens[screen, CENTRE + 1]
    borders[border, penetration.OUT] = screens[screen, OUT]
    borders[border, penetration.OUT + 1] = screens[screen, OUT + 1]
    borders[border, penetration.EXTENT_OF] = screens[screen, EXTENT_OF]


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
    if count > first and stretches[count - 1, SCREEN] == screen and stretches[count - 1, UNTIL] == begin:
        stretches[count - 1, UNTIL] = until
        return count
    stretches[count, BEGIN], stretches[count, UNTIL], stretches[count, SCREEN] = begin, until, screen
    return count + 1


@kernel(inline=False)
def append_nearer(
    screens: Floats, one: int, other: int, begin: float, until: float, borders: Floats, merged: Floats, count: int,
    first: int,
) -> int:  # fmt: skip
    """Append the nearer of two screens, which may be the one here and the other there."""
    cut, second = until, until
    if screens[one, KIND] != DARK and screens[other, KIND] != DARK:
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
        while one < right and stretches[one, UNTIL] <= at:
            one += 1
        while other < end and stretches[other, UNTIL] <= at:
            other += 1
        if one == right and other == end:
            return count
        next_one = next_other = math.inf
        is_one, is_other = False, False
        if one < right:
            is_one = stretches[one, BEGIN] <= at
            next_one = stretches[one, UNTIL] if is_one else stretches[one, BEGIN]
        if other < end:
            is_other = stretches[other, BEGIN] <= at
            next_other = stretches[other, UNTIL] if is_other else stretches[other, BEGIN]
        until = min(next_one, next_other)
        if is_one and is_other:
            screen, rival = int(stretches[one, SCREEN]), int(stretches[other, SCREEN])
            count = append_nearer(screens, screen, rival, at, until, borders, merged, count, first)
        elif is_one:
            count = append(merged, count, at, until, int(stretches[one, SCREEN]), first)
        elif is_other:
            count = append(merged, count, at, until, int(stretches[other, SCREEN]), first)
        at = until


@kernel(inline=False, allocates=True)
def envelope(screens: Floats, stretches: Floats, count: int) -> tuple[Floats, int]:
    """Return the nearest screens at all bearings, and how many stretches that makes."""
    starts = np.arange(count + 1)
    rows = count
    borders = np.zeros((2, BORDER_COLUMNS))
    while rows > 1:
        merged = np.empty((2 * SHARES * count, STRETCH_COLUMNS))
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
    own = outer_end(cells, cell, cells[cell, BEGIN_RAY], cells[cell, BEGIN_RAY + 1])
    if (cells[cell, UNTIL] - cells[cell, BEGIN]) * own <= slop:
        return True
    if cell == 0 or cell == count - 1:
        return False
    before = outer_end(cells, cell - 1, cells[cell, BEGIN_RAY], cells[cell, BEGIN_RAY + 1])
    after = outer_end(cells, cell + 1, cells[cell, UNTIL_RAY], cells[cell, UNTIL_RAY + 1])
    # From the apex, where it is on a wall, every gap is narrow: then it counts how wide it gets.
    at = max(before, after) if min(before, after) > 0.0 else own
    return (cells[cell, UNTIL] - cells[cell, BEGIN]) * at <= slop and max(before, after) < own


def _lit_example() -> tuple[Floats, float, float, float, float, Floats, Ints, Floats]:
    row, firsts = np.zeros(PIECES + PIECE_COLUMNS), np.zeros(2, np.int64)
    return np.zeros(SECTOR_COLUMNS), 0.0, 0.0, 1.0, 0.0, row, firsts, np.zeros((1, 2))


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
        for number in range(int(rows[firsts[wall] + PIECE_TOTAL])):
            total += 2 * int(rows[firsts[wall] + PIECES + PIECE_COLUMNS * number + POINT_TOTAL])
    screens, stretches = np.zeros((total, CELL_COLUMNS)), np.empty((2 * total, STRETCH_COLUMNS))
    half, reach = sector[HALF], sector[REACH]
    screens[0, KIND], screens[0, EXTENT_OF] = RANGE, reach
    screen = 1
    count = add_stretch(stretches, 0, -half, half, 0, half)
    least, farthest = math.inf, max(abs(apex_x), abs(apex_y)) + reach
    turned = np.empty_like(rows)
    for wall in range(places.shape[0]):
        first = firsts[wall]
        ex, ey = places[wall, 0] - apex_x, places[wall, 1] - apex_y
        limit = reach + rows[first + FARTHEST]
        if ex * ex + ey * ey > limit * limit:
            continue
        slop = SLOP * min(sector[SIZE], rows[first + EXTENT]) + ROUNDING * max(
            farthest, max(abs(places[wall, 0]), abs(places[wall, 1])) + rows[first + FARTHEST]
        )
        least = min(least, rows[first + EXTENT])
        for number in range(int(rows[first + PIECE_TOTAL])):
            piece = first + PIECES + PIECE_COLUMNS * number
            gap_x = max(rows[piece + PIECE_LOWER] + ex, -rows[piece + PIECE_UPPER] - ex, 0.0)
            gap_y = max(rows[piece + PIECE_LOWER + 1] + ey, -rows[piece + PIECE_UPPER + 1] - ey, 0.0)
            if gap_x * gap_x + gap_y * gap_y > reach * reach:
                continue
            face_piece(rows, piece, cos, sin, turned)
            dx, dy = cos * ex + sin * ey, cos * ey - sin * ex
            depth = depth_at_origin(turned, piece, dx, dy)
            if depth > slop:
                return np.empty((0, CELL_COLUMNS))
            if depth >= -slop:
                before = count
                count = add_dark(turned, piece, dx, dy, slop, half, screens, screen, stretches, count)
                screen += 1 if count > before else 0
            else:
                screen, count = add_piece(turned, piece, dx, dy, sector, screens, screen, stretches, count)
    found, count = envelope(screens, stretches, count)
    return cells_of(screens, found, count, SLOP * min(sector[SIZE], least) + ROUNDING * farthest)


@kernel(inline=False)
def face_piece(rows: Floats, piece: int, cos: float, sin: float, turned: Floats) -> None:
    """Write a piece as the sector sees it, into the same columns of another array."""
    first, total = int(rows[piece + FIRST_POINT]), int(rows[piece + POINT_TOTAL])
    for column in range(piece, piece + PIECE_COLUMNS):
        turned[column] = rows[column]
    for at in range(first, first + POINT_COLUMNS * total, POINT_COLUMNS):
        for vector in (POINT, NORMAL):
            x, y = rows[at + vector], rows[at + vector + 1]
            turned[at + vector], turned[at + vector + 1] = cos * x + sin * y, cos * y - sin * x
        turned[at + LENGTH] = rows[at + LENGTH]


@kernel(inline=False)
def depth_at_origin(row: Floats, piece: int, dx: float, dy: float) -> float:
    """How deep the origin is in a piece; negative is how far outside."""
    distance, _, _ = nearest_to_origin(row, piece, dx, dy)
    first, total = int(row[piece + FIRST_POINT]), int(row[piece + POINT_TOTAL])
    depth = -distance
    if distance == 0.0 and total > 2:
        depth = math.inf
        for at in range(first, first + POINT_COLUMNS * total, POINT_COLUMNS):
            x, y = row[at + POINT] + dx, row[at + POINT + 1] + dy
            depth = min(depth, row[at + NORMAL] * x + row[at + NORMAL + 1] * y)
    return depth + row[piece + RADIUS]


@kernel(inline=False, allocates=True)
def cells_of(screens: Floats, stretches: Floats, count: int, slop: float) -> Floats:
    """Return the cells in front of the nearest screens, without those too narrow to see through."""
    cells = np.zeros((count, CELL_COLUMNS))
    for cell in range(count):
        for column in range(KIND, CELL_COLUMNS):
            cells[cell, column] = screens[int(stretches[cell, SCREEN]), column]
        for bearing, ray in ((BEGIN, BEGIN_RAY), (UNTIL, UNTIL_RAY)):
            cells[cell, bearing] = stretches[cell, bearing]
            cells[cell, ray], cells[cell, ray + 1] = (
                math.cos(stretches[cell, bearing]),
                math.sin(stretches[cell, bearing]),
            )
    lit = np.empty((count, CELL_COLUMNS))
    total = 0
    for cell in range(count):
        if cells[cell, KIND] != DARK and not is_gap(cells, cell, count, slop):
            for column in range(CELL_COLUMNS):
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
    radius, kind = cells[cell, EXTENT_OF], cells[cell, KIND]
    if kind == WALL:
        return 1
    angle = cells[cell, UNTIL] - cells[cell, BEGIN]
    if kind == PILLAR:
        # The angle that the chord takes at its centre, instead of at the apex.
        begin, until = end_of(cells, cell, BEGIN_RAY), end_of(cells, cell, UNTIL_RAY)
        bx, by = begin[0] - cells[cell, CENTRE], begin[1] - cells[cell, CENTRE + 1]
        ux, uy = until[0] - cells[cell, CENTRE], until[1] - cells[cell, CENTRE + 1]
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
    bx, by = end_of(cells, cell, BEGIN_RAY)
    ux, uy = end_of(cells, cell, UNTIL_RAY)
    cx, cy = cells[cell, CENTRE], cells[cell, CENTRE + 1]
    count = add_corner(outline, count, bx, by)
    if cells[cell, KIND] != WALL:
        begin = math.atan2(by - cy, bx - cx)
        angle = within_half_a_turn(math.atan2(uy - cy, ux - cx) - begin)
        if cells[cell, KIND] == RANGE:
            begin, angle = cells[cell, BEGIN], cells[cell, UNTIL] - cells[cell, BEGIN]
        for chord in range(1, total):
            turn = begin + angle * chord / total
            radius = cells[cell, EXTENT_OF]
            count = add_corner(outline, count, cx + radius * math.cos(turn), cy + radius * math.sin(turn))
    return add_corner(outline, count, ux, uy)


@kernel(inline=False, allocates=True)
def parted_cells(sector: Floats, cells: Floats) -> tuple[Floats, int]:
    """Return cells side by side over the whole sector, and how many: lit ones, and dark ones where nothing is.

    A cell whose outer end crosses the inner arc is parted there.
    """
    parts, count, at = np.zeros((SHARES * 2 * cells.shape[0] + 1, CELL_COLUMNS)), 0, -sector[HALF]
    borders = np.zeros((2, BORDER_COLUMNS))
    borders[0, penetration.KIND], borders[0, penetration.EXTENT_OF] = penetration.DISK, sector[INNER]
    for cell in range(cells.shape[0] + 1):
        begin = cells[cell, BEGIN] if cell < cells.shape[0] else sector[HALF]
        if begin > at:
            set_part(parts, count, at, begin)
            parts[count, KIND] = DARK
            count += 1
        if cell == cells.shape[0]:
            break
        at = cells[cell, UNTIL]
        cut, second = at, at
        if sector[INNER] > 0.0 and cells[cell, KIND] != RANGE:
            write_border(cells, cell, borders, 1)
            cut, second = cuts(borders, begin, at)
        low = begin
        for high in (cut, second, at):
            if high > low:
                for column in range(CELL_COLUMNS):
                    parts[count, column] = cells[cell, column]
                set_part(parts, count, low, high)
                if screen_at(cells, cell, 0.5 * (low + high)) < sector[INNER]:
                    parts[count, KIND] = DARK
                count += 1
                low = high
    return parts, count


@kernel()
def set_part(parts: Floats, part: int, begin: float, until: float) -> None:
    """Write between which bearings a cell lies."""
    parts[part, BEGIN], parts[part, UNTIL] = begin, until
    parts[part, BEGIN_RAY], parts[part, BEGIN_RAY + 1] = math.cos(begin), math.sin(begin)
    parts[part, UNTIL_RAY], parts[part, UNTIL_RAY + 1] = math.cos(until), math.sin(until)


@kernel()
def add_inner_arc(
    outline: Floats, count: int, parts: Floats, part: int, inner: float, tolerance: float, way: int
) -> int:
    """Add the corners of a cell's inner arc, forth or, with a way of -1, back over the same ones."""
    begin, angle = parts[part, BEGIN], parts[part, UNTIL] - parts[part, BEGIN]
    total = parts_of(angle, inner, tolerance)
    for chord in range(total + 1):
        turn = begin + angle * (chord if way > 0 else total - chord) / total
        count = add_corner(outline, count, inner * math.cos(turn), inner * math.sin(turn))
    return count


def _outline_example() -> tuple[Floats, Floats, float]:
    return np.zeros(SECTOR_COLUMNS), np.zeros((1, CELL_COLUMNS)), 0.0


@kernel(_outline_example)
def outline_of(sector: Floats, cells: Floats, tolerance: float) -> Floats:
    """Return the outline of the cells that are lit, counter-clockwise, as the sector sees it."""
    inner = sector[INNER]
    parts, part_total = parted_cells(sector, cells)
    corners, lit = 2, 0
    for part in range(part_total):
        if inner > 0.0:
            corners += 2 * parts_of(parts[part, UNTIL] - parts[part, BEGIN], inner, tolerance) + 2
        corners += 1
        if parts[part, KIND] != DARK:
            corners += chords(parts, part, tolerance) + 1
            lit += 1
    outline = np.empty((corners, 2))
    count = 0
    if lit == 0:
        return outline[:0].copy()
    if sector[HALF] < math.pi and inner == 0.0:
        count = add_corner(outline, count, 0.0, 0.0)
    for part in range(part_total):
        if parts[part, KIND] != DARK:
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
