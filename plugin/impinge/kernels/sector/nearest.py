"""The point of a disk or a solid that is nearest to the apex, inside a sector. No tangents, so any half angle works.

Coordinates are relative to the sector: the apex is the origin, and the sector faces along x. The sector is symmetric
about that axis, so the tests of disks cover its left side only. The visible part of a sector is divided into cells,
side by side. Each cell lies between two rays from the apex, and ends at an arc of the range or at a wall. A sector
without walls is one cell. `visibility` computes the cells, and `sweep` handles moving sectors and solids.
"""

from __future__ import annotations

import math

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import Cell, DiskHits, Floats, Ints, Part, PosedSolids, Vector
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.depth import length_of
from impinge.kernels.pair.solids import find_bounds, turn_by
from impinge.kernels.tolerances import ROUNDING, SLOP

# Radians. Rounding errors of bearings are smaller.
BEARING_MARGIN = 1e-6
# Larger than any squared distance between allowed coordinates.
SQUARED_DISTANCE_LIMIT = 1e202
# Disks in one block: few enough for the processor's fastest cache.
BLOCK = 512

# Regions of the plane, numbered as published: in front, nearest to a corner or to the apex, beside an edge.
FRONT, LEFT_CORNER, RIGHT_CORNER, APEX, RIGHT_EDGE, LEFT_EDGE = 1, 2, 3, 4, 5, 6


@kernel()
def sector_slop(sector: Floats, apex: Vector, extent: float, place: Vector, reach: float) -> float:
    """Return the slop of a sector and a solid whose points are within `reach` of a place."""
    farthest = max(
        max(abs(apex[0]), abs(apex[1])) + sector[col.SECTOR_RADIUS], max(abs(place[0]), abs(place[1])) + reach
    )
    return SLOP * min(sector[col.SECTOR_SIZE], extent) + ROUNDING * farthest


@kernel()
def in_sector_axes(vector: Vector, facing: Vector) -> Vector:
    """Return a vector in the axes of a sector. `facing` is the sector's direction: cosine and sine of its angle."""
    x, y = vector
    cos, sin = facing
    return cos * x + sin * y, cos * y - sin * x


@kernel()
def is_in_front(sector: Floats, x: float, y: float) -> bool:
    """Return whether a point is within the angle of a sector."""
    return abs(y) * sector[col.SECTOR_COS] <= x * sector[col.SECTOR_SIN]


@kernel()
def touches_disk(sector: Floats, x: float, y: float, radius: float) -> bool:
    """Return whether a disk overlaps or touches a sector."""
    squared, outer = x * x + y * y, sector[col.SECTOR_RADIUS] + radius
    if squared > outer * outer:
        return False
    y = abs(y)
    if is_in_front(sector, x, y):
        inner = sector[col.SECTOR_INNER] - radius
        return inner <= 0.0 or squared >= inner * inner
    along = min(
        max(x * sector[col.SECTOR_COS] + y * sector[col.SECTOR_SIN], sector[col.SECTOR_INNER]),
        sector[col.SECTOR_RADIUS],
    )
    ex, ey = x - along * sector[col.SECTOR_COS], y - along * sector[col.SECTOR_SIN]
    return ex * ex + ey * ey <= radius * radius


@kernel()
def region_of(sector: Floats, x: float, y: float) -> int:
    """Return the region of the plane that contains a point."""
    if is_in_front(sector, x, y):
        return FRONT
    along = x * sector[col.SECTOR_COS] + abs(y) * sector[col.SECTOR_SIN]
    if along < sector[col.SECTOR_INNER] or along <= 0.0:
        return APEX
    if along > sector[col.SECTOR_RADIUS]:
        return LEFT_CORNER if y > 0.0 else RIGHT_CORNER
    return LEFT_EDGE if y > 0.0 else RIGHT_EDGE


@kernel()
def nearest_on_sector(sector: Floats, x: float, y: float) -> tuple[float, float]:
    """Return the point of a sector that is nearest to a point."""
    if is_in_front(sector, x, y):
        distance = length_of(x, y)
        wanted = min(max(distance, sector[col.SECTOR_INNER]), sector[col.SECTOR_RADIUS])
        if wanted == distance:
            return x, y
        return (x * wanted / distance, y * wanted / distance) if distance > 0.0 else (wanted, 0.0)
    along = min(
        max(x * sector[col.SECTOR_COS] + abs(y) * sector[col.SECTOR_SIN], sector[col.SECTOR_INNER]),
        sector[col.SECTOR_RADIUS],
    )
    return along * sector[col.SECTOR_COS], math.copysign(along * sector[col.SECTOR_SIN], y)


@kernel()
def half_angle_sine_squared(distance: float, radius: float, size: float) -> float:
    """Return the squared sine of half the angle, at the origin, between a disk's centre and a crossing of its border.

    The border crosses a circle around the origin, of radius `size`. The cosine would not do: for small angles it rounds
    to 1. Without a crossing, the result is clamped to 0 or 1.
    """
    outside = distance - size
    return min(max((radius - outside) * (radius + outside) / (4.0 * distance * size), 0.0), 1.0)


@kernel()
def circle_crossings(x: float, y: float, radius: float, size: float) -> tuple[float, float, float, float]:
    """Return both points where the border of a disk crosses a circle around the origin, or NaN without a crossing."""
    distance = length_of(x, y)
    if distance == 0.0 or not abs(size - radius) <= distance <= size + radius:
        return math.nan, math.nan, math.nan, math.nan
    squared = half_angle_sine_squared(distance, radius, size)
    along = size * (1.0 - 2.0 * squared) / distance
    aside = 2.0 * size * math.sqrt(squared * (1.0 - squared)) / distance
    return along * x - aside * y, along * y + aside * x, along * x + aside * y, along * y - aside * x


@kernel()
def nearest_of_disk(sector: Floats, x: float, y: float, radius: float) -> tuple[float, float, float]:
    """Return the distance from the apex to a disk's nearest point inside a sector, or NaN, and the direction there.

    The direction may have any length. Callers compute its angle only if they need it, as that takes longer than
    everything else here.
    """
    side = math.copysign(1.0, y)
    y = abs(y)
    distance = length_of(x, y)
    inner = sector[col.SECTOR_INNER]
    if inner == 0.0 and distance <= radius:
        return 0.0, 1.0, 0.0
    if distance - radius > sector[col.SECTOR_RADIUS] or distance + radius < inner:
        return math.nan, 1.0, 0.0
    if distance - radius >= inner:
        if is_in_front(sector, x, y):
            return distance - radius, x, side * y + 0.0  # no negative zero
    elif distance == 0.0:
        return inner, 1.0, 0.0
    else:
        # The disk covers a part of the inner arc. Of equally near points, the one nearest to the facing counts.
        spread = 2.0 * math.asin(math.sqrt(half_angle_sine_squared(distance, radius, inner)))
        bearing = max(math.atan2(y, x) - spread, 0.0)
        if bearing <= sector[col.SECTOR_HALF]:
            return inner, math.cos(bearing), side * math.sin(bearing) + 0.0
    # Otherwise the disk can only reach in across an edge.
    left = y * sector[col.SECTOR_COS] - x * sector[col.SECTOR_SIN]
    if left > radius:
        return math.nan, 1.0, 0.0
    along, half = x * sector[col.SECTOR_COS] + y * sector[col.SECTOR_SIN], math.sqrt((radius - left) * (radius + left))
    nearest = max(along - half, inner)
    if along + half < inner or nearest > sector[col.SECTOR_RADIUS]:
        return math.nan, 1.0, 0.0
    return nearest, sector[col.SECTOR_COS], side * sector[col.SECTOR_SIN]


@kernel()
def nearest_to_origin(piece: Part, offset: Vector) -> tuple[float, float, float]:
    """Return the distance from the origin to a core, and the core's nearest point; zeros if the origin is inside."""
    row, at = piece
    dx, dy = offset
    first, total = int(row[at + col.FIRST_POINT]), int(row[at + col.POINT_TOTAL])
    if total == 1:
        x, y = row[first + col.POINT] + dx, row[first + col.POINT + 1] + dy
        return length_of(x, y), x, y
    is_inside = total > 2
    best, near_x, near_y = math.inf, 0.0, 0.0
    for point in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
        x, y = row[point + col.POINT] + dx, row[point + col.POINT + 1] + dy
        nx, ny = row[point + col.NORMAL], row[point + col.NORMAL + 1]
        if nx * x + ny * y < 0.0 or total == 2:
            is_inside = False
            along = min(max(ny * x - nx * y, 0.0), row[point + col.LENGTH])
            x, y = x - ny * along, y + nx * along
            squared = x * x + y * y
            if squared < best:
                best, near_x, near_y = squared, x, y
    if is_inside:
        return 0.0, 0.0, 0.0
    return math.sqrt(best), near_x, near_y


@kernel()
def clip(begin: float, end: float, here: float, speed: float, low: float, high: float) -> tuple[float, float]:
    """Clip an interval of a ray to where a coordinate, `here` plus `speed` times the distance, is within bounds."""
    if speed == 0.0:
        return (begin, end) if low <= here <= high else (math.inf, -math.inf)
    one, other = (low - here) / speed, (high - here) / speed
    return max(begin, min(one, other)), min(end, max(one, other))


@kernel(inline=False)
def ray_interval(piece: Part, offset: Vector, radius: float, direction: Vector) -> tuple[float, float]:
    """Return where a ray from the origin enters and leaves a piece with a radius; on a miss, the first is greater.

    The piece is the union of its core, of disks around its corners, and of strips along its edges.
    """
    row, at = piece
    dx, dy = offset
    ux, uy = direction
    first, total = int(row[at + col.FIRST_POINT]), int(row[at + col.POINT_TOTAL])
    low, high = math.inf, -math.inf
    begin, end = 0.0, math.inf
    for point in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
        x, y = row[point + col.POINT] + dx, row[point + col.POINT + 1] + dy
        nx, ny = row[point + col.NORMAL], row[point + col.NORMAL + 1]
        height, speed = nx * x + ny * y, nx * ux + ny * uy
        if total > 2:
            begin, end = clip(begin, end, -height, speed, -math.inf, 0.0)
        along, left = x * ux + y * uy, ux * y - uy * x
        if abs(left) <= radius:
            half = math.sqrt((radius - left) * (radius + left))
            if along + half >= 0.0:
                low, high = min(low, max(along - half, 0.0)), max(high, along + half)
        if total == 2 or (total > 2 and radius > 0.0):
            one, other = clip(0.0, math.inf, -height, speed, 0.0, radius)
            one, other = clip(one, other, ny * x - nx * y, nx * uy - ny * ux, 0.0, row[point + col.LENGTH])
            if one <= other:
                low, high = min(low, one), max(high, other)
    if total > 2 and begin <= end:
        low, high = min(low, begin), max(high, end)
    return low, high


@kernel()
def is_between_rays(cell: Floats, index: int, x: float, y: float) -> bool:
    """Return whether a point is between the rays of a cell."""
    width = cell[index, col.CELL_UNTIL] - cell[index, col.CELL_BEGIN]
    after = cell[index, col.CELL_BEGIN_RAY] * y - cell[index, col.CELL_BEGIN_RAY + 1] * x >= 0.0
    before = x * cell[index, col.CELL_UNTIL_RAY + 1] - y * cell[index, col.CELL_UNTIL_RAY] >= 0.0
    if width <= math.pi:
        return after and before
    return after or before or width >= 2.0 * math.pi


@kernel()
def angle_within_pi(angle: float) -> float:
    """Return an angle wrapped to the range from minus pi to pi."""
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)


@kernel()
def outer_end(cells: Floats, index: int, ux: float, uy: float) -> float:
    """Return the distance from the apex to the outer end of a cell, along a unit vector between its rays."""
    x, y = cells[index, col.CELL_CENTRE], cells[index, col.CELL_CENTRE + 1]
    if cells[index, col.CELL_KIND] == col.CELL_IS_RANGE:
        return cells[index, col.CELL_EXTENT]
    if cells[index, col.CELL_KIND] == col.CELL_IS_WALL:
        nx, ny = cells[index, col.CELL_OUT], cells[index, col.CELL_OUT + 1]
        speed = nx * ux + ny * uy
        # Along a ray parallel to the wall, the distance of the wall's start counts.
        return (nx * x + ny * y) / speed if speed < 0.0 else length_of(x, y)
    radius = cells[index, col.CELL_EXTENT]
    left = ux * y - uy * x
    return max(ux * x + uy * y - math.sqrt(max((radius - left) * (radius + left), 0.0)), 0.0)


@kernel(inline=False)
def consider(distance: float, x: float, y: float, best: Floats) -> None:
    """Keep a point in `best` if it is nearer than the best so far, or as near with a smaller bearing."""
    if distance <= best[col.BEST_DISTANCE]:
        aside = abs(math.atan2(y, x)) if distance > 0.0 else 0.0
        if distance < best[col.BEST_DISTANCE] or aside < best[col.BEST_BEARING]:
            best[col.BEST_DISTANCE], best[col.BEST_BEARING], best[col.BEST_PLACE], best[col.BEST_PLACE + 1] = (
                distance,
                aside,
                x,
                y,
            )


@kernel(inline=False)
def consider_ray(
    piece: Part, offset: Vector, radius: float, direction: Vector, inner: float, outer: float, best: Floats
) -> None:
    """Consider the first point of a piece along a ray, between two distances."""
    low, high = ray_interval(piece, offset, radius, direction)
    nearest = max(low, inner)
    if nearest <= min(high, outer):
        consider(nearest, nearest * direction[0], nearest * direction[1], best)


@kernel(inline=False)
def consider_crossing(cell: Cell, x: float, y: float, is_inner: bool, slack: float, best: Floats) -> None:
    """Consider a point of a piece that lies on the inner arc or on the round wall of a cell."""
    cells, index, inner = cell
    if not is_between_rays(cells, index, x, y):
        return
    distance = length_of(x, y)
    if is_inner:
        if distance > 0.0 and inner <= outer_end(cells, index, x / distance, y / distance) + slack:
            consider(inner, x, y, best)
        return
    # The far side of a round wall is hidden.
    ex, ey = x - cells[index, col.CELL_CENTRE], y - cells[index, col.CELL_CENTRE + 1]
    if distance >= inner and ex * x + ey * y <= 0.0:
        consider(distance, x, y, best)


@kernel(inline=False)
def consider_circle(
    cell: Cell, is_inner: bool, piece: Part, offset: Vector, radius: float, slack: float, best: Floats
) -> None:
    """Consider the points where the border of a piece crosses the inner arc or the round wall of a cell."""
    cells, index, inner = cell
    row, at = piece
    dx, dy = offset
    cx, cy, size = 0.0, 0.0, inner
    if not is_inner:
        cx, cy = cells[index, col.CELL_CENTRE], cells[index, col.CELL_CENTRE + 1]
        size = cells[index, col.CELL_EXTENT]
    first, total = int(row[at + col.FIRST_POINT]), int(row[at + col.POINT_TOTAL])
    for point in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
        x, y = row[point + col.POINT] + dx - cx, row[point + col.POINT + 1] + dy - cy
        px, py, qx, qy = circle_crossings(x, y, radius, size)
        if not math.isnan(px):
            consider_crossing(cell, cx + px, cy + py, is_inner, slack, best)
            consider_crossing(cell, cx + qx, cy + qy, is_inner, slack, best)
        nx, ny = row[point + col.NORMAL], row[point + col.NORMAL + 1]
        height = nx * x + ny * y + radius
        if total > 1 and abs(height) <= size:
            half = math.sqrt((size - height) * (size + height))
            foot = ny * x - nx * y
            px, py = cx + height * nx, cy + height * ny
            # The edge runs to the left of its normal.
            for side in (-1.0, 1.0):
                if 0.0 <= foot + side * half <= row[point + col.LENGTH]:
                    consider_crossing(cell, px - side * half * ny, py + side * half * nx, is_inner, slack, best)


@kernel(inline=False)
def nearest_in_cell(cell: Cell, piece: Part, offset: Vector, radius: float, slack: float, best: Floats) -> None:
    """Consider the point of a piece, with a radius, that is nearest to the apex inside a cell.

    The face of a wall is visible, so the point may be behind the wall by up to the slack.

    The piece is convex, so a nearest point in the interior of the cell is the nearest point of the whole piece. If not,
    it is on the border of the cell: the first point of the piece along a ray, or a crossing of the piece's border with
    an end of the cell.
    """
    cells, index, inner = cell
    if cells[index, col.CELL_KIND] == col.CELL_IS_RANGE:
        slack = 0.0
    distance, x, y = nearest_to_origin(piece, offset)
    if distance <= radius:
        if inner == 0.0:
            consider(0.0, 0.0, 0.0, best)
            return
    else:
        ux, uy = x / distance, y / distance
        distance -= radius
        is_between = is_between_rays(cells, index, x, y)
        if inner <= distance and is_between and distance <= outer_end(cells, index, ux, uy) + slack:
            consider(distance, distance * ux, distance * uy, best)
            return
    for column in (col.CELL_BEGIN_RAY, col.CELL_UNTIL_RAY):
        ux, uy = cells[index, column], cells[index, column + 1]
        consider_ray(piece, offset, radius, (ux, uy), inner, outer_end(cells, index, ux, uy) + slack, best)
    if inner > 0.0:
        consider_circle(cell, True, piece, offset, radius, slack, best)
        if cells[index, col.CELL_BEGIN] < 0.0 < cells[index, col.CELL_UNTIL]:
            # The whole arc may be inside the piece.
            low, high = ray_interval(piece, offset, radius, (1.0, 0.0))
            if low <= inner <= min(high, outer_end(cells, index, 1.0, 0.0) + slack):
                consider(inner, inner, 0.0, best)
    if cells[index, col.CELL_KIND] == col.CELL_IS_PILLAR:
        consider_wall_arc_crossings(cell, piece, offset, radius, slack, best)
        consider_circle(cell, False, piece, offset, radius, slack, best)
    elif cells[index, col.CELL_KIND] == col.CELL_IS_WALL:
        consider_wall(cell, piece, offset, radius, best)


@kernel(inline=False)
def consider_wall_arc_crossings(
    cell: Cell, piece: Part, offset: Vector, radius: float, slack: float, best: Floats
) -> None:
    """Consider the points where the round wall of a cell crosses the inner arc, if they are in the piece."""
    cells, index, inner = cell
    px, py, qx, qy = circle_crossings(
        cells[index, col.CELL_CENTRE], cells[index, col.CELL_CENTRE + 1], cells[index, col.CELL_EXTENT], inner
    )
    for _ in range(2):
        if not math.isnan(px):
            gap, _, _ = nearest_to_origin(piece, (offset[0] - px, offset[1] - py))
            if gap <= radius:
                consider_crossing(cell, px, py, True, slack, best)
        px, py = qx, qy


@kernel(inline=False)
def consider_wall(cell: Cell, piece: Part, offset: Vector, radius: float, best: Floats) -> None:
    """Consider the nearest point where a piece pierces the straight wall of a cell."""
    cells, index, inner = cell
    ux, uy = cells[index, col.CELL_BEGIN_RAY], cells[index, col.CELL_BEGIN_RAY + 1]
    vx, vy = cells[index, col.CELL_UNTIL_RAY], cells[index, col.CELL_UNTIL_RAY + 1]
    begin, end = outer_end(cells, index, ux, uy), outer_end(cells, index, vx, vy)
    sx, sy = begin * ux, begin * uy
    wx, wy = end * vx - sx, end * vy - sy
    length = length_of(wx, wy)
    if length == 0.0:
        return
    wx, wy = wx / length, wy / length
    low, high = ray_interval(piece, (offset[0] - sx, offset[1] - sy), radius, (wx, wy))
    low, high = max(low, 0.0), min(high, length)
    if low > high:
        return
    # On both sides of its foot the wall recedes from the apex, and the inner arc may cut out the middle.
    foot, height = -(sx * wx + sy * wy), sx * wy - sy * wx
    half = math.sqrt(max((inner - height) * (inner + height), 0.0)) if inner > abs(height) else 0.0
    for side in (-1.0, 1.0):
        near = foot + side * half
        at = min(max(near, low), high)
        if half == 0.0 or side * (at - near) >= 0.0:
            x, y = sx + at * wx, sy + at * wy
            consider(max(length_of(x, y), inner), x, y, best)


@kernel(inline=False)
def nearest_of_solid(
    cells: Floats, sector: Floats, solid: Part, offset: Vector, more: float, slack: float, best: Floats
) -> int:
    """Write the point of a solid, grown by `more`, that is nearest to the apex in any cell, and return its piece or -1.

    `best` takes the point; without one, its distance is infinite.
    """
    row, first = solid
    dx, dy = offset
    best[col.BEST_DISTANCE], best[col.BEST_BEARING] = math.inf, math.inf
    chosen = -1
    # The solid's range of bearings: of a hundred cells, most are outside it.
    away, around = length_of(dx, dy), row[first + col.FARTHEST] + more
    middle = math.atan2(dy, dx)
    aside = math.asin(around / away) + BEARING_MARGIN if around < away else math.pi
    for number in range(int(row[first + col.PIECE_TOTAL])):
        piece = first + col.PIECES + col.PIECE_COLUMNS * number
        gap_x = max(row[piece + col.PIECE_LOWER] + dx, -row[piece + col.PIECE_UPPER] - dx, 0.0)
        gap_y = max(row[piece + col.PIECE_LOWER + 1] + dy, -row[piece + col.PIECE_UPPER + 1] - dy, 0.0)
        reach = min(sector[col.SECTOR_RADIUS], best[col.BEST_DISTANCE]) + more
        if gap_x * gap_x + gap_y * gap_y > reach * reach:
            continue
        before, before_aside = best[col.BEST_DISTANCE], best[col.BEST_BEARING]
        for index in range(cells.shape[0]):
            begin, until = cells[index, col.CELL_BEGIN], cells[index, col.CELL_UNTIL]
            if abs(angle_within_pi(0.5 * (begin + until) - middle)) > 0.5 * (until - begin) + aside:
                continue
            cell = Cell(cells, index, sector[col.SECTOR_INNER])
            nearest_in_cell(cell, Part(row, piece), offset, row[piece + col.RADIUS] + more, slack, best)
        if best[col.BEST_DISTANCE] < before or best[col.BEST_BEARING] < before_aside:
            chosen = piece
    return chosen


@kernel(inline=False)
def nearest_visible_point(
    cells: Floats, sector: Floats, solid: Part, offset: Vector, slop: float, best: Floats
) -> tuple[float, float]:
    """Return distance and bearing of a solid's nearest point in any cell, or NaN. Touching within the slop counts."""
    nearest_of_solid(cells, sector, solid, offset, 0.0, slop, best)
    if best[col.BEST_DISTANCE] == math.inf:
        nearest_of_solid(cells, sector, solid, offset, slop, slop, best)
    if best[col.BEST_DISTANCE] == math.inf:
        return math.nan, math.nan
    # Adding zero removes a negative zero, which would turn a bearing of pi into -pi.
    bearing = math.atan2(best[col.BEST_PLACE + 1] + 0.0, best[col.BEST_PLACE]) if best[col.BEST_DISTANCE] > 0.0 else 0.0
    return best[col.BEST_DISTANCE], bearing


@kernel()
def nearest_of_touching_disk(
    sector: Floats, x: float, y: float, radius: float, slop: float
) -> tuple[float, float, float]:
    """Return distance and direction of a disk's nearest point in a sector, or NaN. Touching within the slop counts."""
    distance, ux, uy = nearest_of_disk(sector, x, y, radius)
    if math.isnan(distance):
        distance, ux, uy = nearest_of_disk(sector, x, y, radius + slop)
    return distance, ux, uy


@kernel()
def is_all_visible(cells: Floats, sector: Floats) -> bool:
    """Return whether the whole sector is one cell, so nothing hides any of it."""
    return (
        cells.shape[0] == 1
        and cells[0, col.CELL_KIND] == col.CELL_IS_RANGE
        and cells[0, col.CELL_UNTIL] == sector[col.SECTOR_HALF]
        and cells[0, col.CELL_BEGIN] == -sector[col.SECTOR_HALF]
    )


@kernel()
def write_disk(row: Floats) -> None:
    """Write the row of a disk around its origin, with radius 0."""
    for column in range(row.shape[0]):
        row[column] = 0.0
    row[col.PIECE_TOTAL] = row[col.PIECES + col.POINT_TOTAL] = 1.0
    row[col.PIECES + col.FIRST_POINT] = col.PIECES + col.PIECE_COLUMNS


@kernel()
def is_one_disk(solid: Part) -> bool:
    """Return whether a solid is one disk."""
    row, first = solid
    return row[first + col.PIECE_TOTAL] == 1.0 and row[first + col.PIECES + col.POINT_TOTAL] == 1.0


@kernel(inline=False)
def hit_posed_solid(
    cells: Floats, sector: Floats, solid: Part, offset: Vector, slop: float, best: Floats
) -> tuple[float, float, float, float, int]:
    """Return distance, bearing and position of a posed solid's nearest point in any cell, and the region of a disk."""
    region = 0
    if is_one_disk(solid):
        row, piece = solid.rows, solid.at + col.PIECES
        point, radius = int(row[piece + col.FIRST_POINT]), row[piece + col.RADIUS]
        px, py = offset[0] + row[point + col.POINT], offset[1] + row[point + col.POINT + 1]
        if not touches_disk(sector, px, py, radius + slop):
            return math.nan, math.nan, math.nan, math.nan, region
        region = region_of(sector, px, py)
        if is_all_visible(cells, sector):
            distance, ux, uy = nearest_of_touching_disk(sector, px, py, radius, slop)
            length = length_of(ux, uy)
            return distance, math.atan2(uy, ux), distance * ux / length, distance * uy / length, region
    distance, bearing = nearest_visible_point(cells, sector, solid, offset, slop, best)
    return distance, bearing, best[col.BEST_PLACE], best[col.BEST_PLACE + 1], region


def _hit_example() -> tuple[Floats, Floats, Vector, Vector, Floats, Vector, Vector]:
    row, facing = np.zeros(col.PIECES + col.PIECE_COLUMNS), (1.0, 0.0)
    return np.zeros((1, col.CELL_COLUMNS)), np.zeros(col.SECTOR_COLUMNS), (0.0, 0.0), facing, row, (0.0, 0.0), facing


@kernel(_hit_example)
def hit_solid(
    cells: Floats, sector: Floats, apex: Vector, facing: Vector, row: Floats, place: Vector, turn: Vector
) -> tuple[float, float, float, float, int]:
    """Return distance, bearing and position of a solid's nearest point in a sector, or NaN, and the region of a disk.

    Parameters
    ----------
    facing
        Cosine and sine of the sector's angle.
    turn
        The same of the solid's angle.
    """
    first = 0
    standing, best = np.empty_like(row), np.zeros(col.BEST_COLUMNS)
    turn_cos, turn_sin = in_sector_axes(turn, facing)
    turn_by(row, first, row.shape[0], turn_cos, turn_sin, standing)
    offset = in_sector_axes((place[0] - apex[0], place[1] - apex[1]), facing)
    slop = sector_slop(sector, apex, row[col.EXTENT], place, row[col.FARTHEST])
    distance, bearing, px, py, region = hit_posed_solid(cells, sector, Part(standing, first), offset, slop, best)
    cos, sin = facing
    return distance, bearing, apex[0] + cos * px - sin * py + 0.0, apex[1] + sin * px + cos * py + 0.0, region


def _solids_example() -> tuple[Floats, Floats, Vector, Vector, PosedSolids, Floats]:
    cells, sector, apex, facing, row, _, _ = _hit_example()
    solids = PosedSolids(row, np.zeros(2, np.int64), np.zeros((1, 2)))
    return cells, sector, apex, facing, solids, np.zeros((1, col.SECTOR_HIT_COLUMNS))


@kernel(_solids_example)
def hit_solids(cells: Floats, sector: Floats, apex: Vector, facing: Vector, solids: PosedSolids, hits: Floats) -> None:
    """Write the result of `hit_solid` for each posed solid, a row each."""
    rows, firsts, places = solids
    cos, sin = facing
    turned, best = np.empty_like(rows), np.zeros(col.BEST_COLUMNS)
    for index in range(places.shape[0]):
        first, place = firsts[index], (places[index, 0], places[index, 1])
        turn_by(rows, first, firsts[index + 1], cos, -sin, turned)
        offset = in_sector_axes((place[0] - apex[0], place[1] - apex[1]), facing)
        slop = sector_slop(sector, apex, rows[first + col.EXTENT], place, rows[first + col.FARTHEST])
        distance, bearing, px, py, region = hit_posed_solid(cells, sector, Part(turned, first), offset, slop, best)
        hits[index, 0], hits[index, 1] = distance, bearing
        hits[index, 2], hits[index, 3] = apex[0] + cos * px - sin * py + 0.0, apex[1] + sin * px + cos * py + 0.0
        hits[index, 4] = region


@kernel(inline=False)
def choose_disks(
    sector: Floats,
    apex: Vector,
    facing: Vector,
    places: Floats,
    radii: Floats,
    begin: int,
    block: Floats,
    chosen: Ints,
) -> int:
    """Write the indices of the disks of a block that a sector may touch, and of invalid ones; return their number.

    There are two filters: first the radius, then the test of `touches_disk` with a little more than the slop. They have
    no branches, so the processor tests four or more disks at once. `places` alternates x and y, so the compiler knows
    their distance in memory.
    """
    apex_x, apex_y = apex
    cos, sin = facing
    total = min(BLOCK, radii.shape[0] - begin)
    reach, inner, half_cos, half_sin = (
        sector[col.SECTOR_RADIUS],
        sector[col.SECTOR_INNER],
        sector[col.SECTOR_COS],
        sector[col.SECTOR_SIN],
    )
    # For every disk that may be near enough, at least its radius plus the slop.
    spare, around = 1.0 + 4.0 * SLOP, 4.0 * ROUNDING * (abs(apex_x) + abs(apex_y) + reach)
    for at in range(total):
        index = begin + at
        ex, ey, radius = places[2 * index] - apex_x, places[2 * index + 1] - apex_y, radii[index]
        squared, outer = ex * ex + ey * ey, reach + (spare * radius + around)
        gap = squared - outer * outer
        # A disk that is not finite, or has a negative radius, passes the filter.
        gap = gap if squared < SQUARED_DISTANCE_LIMIT else 0.0
        block[col.DISK_GAP, at] = gap if radius >= 0.0 else 0.0
    count = 0
    for at in range(total):
        chosen[count] = begin + at
        count += 0 if block[col.DISK_GAP, at] > 0.0 else 1
    for at in range(count):
        index = chosen[at]
        block[col.DISK_X, at], block[col.DISK_Y, at] = places[2 * index] - apex_x, places[2 * index + 1] - apex_y
        block[col.DISK_RADIUS, at] = radii[index]
    for at in range(count):
        ex, ey, radius = block[col.DISK_X, at], block[col.DISK_Y, at], block[col.DISK_RADIUS, at]
        wide = spare * radius + around
        x, y = cos * ex + sin * ey, abs(cos * ey - sin * ex)
        squared, hole = x * x + y * y, inner - wide
        hole = hole if hole > 0.0 else 0.0
        along = x * half_cos + y * half_sin
        along = along if along > inner else inner
        along = along if along < reach else reach
        fx, fy = x - along * half_cos, y - along * half_sin
        within, beside = hole * hole - squared, fx * fx + fy * fy - wide * wide
        gap = within if y * half_cos <= x * half_sin else beside
        gap = gap if squared < SQUARED_DISTANCE_LIMIT else 0.0
        block[col.DISK_GAP, at] = gap if radius >= 0.0 else 0.0
    found = 0
    for at in range(count):
        chosen[found] = chosen[at]
        found += 0 if block[col.DISK_GAP, at] > 0.0 else 1
    return found


@kernel()
def is_valid_disk(apex: Vector, place: Vector, radius: float) -> bool:
    """Return whether centre and radius of a disk are finite, and the radius is not negative."""
    ex, ey = place[0] - apex[0], place[1] - apex[1]
    return bool(
        radius >= 0.0 and ex * ex + ey * ey < SQUARED_DISTANCE_LIMIT and radius * radius < SQUARED_DISTANCE_LIMIT
    )


@kernel()
def hit_disk(
    cells: Floats,
    sector: Floats,
    apex: Vector,
    facing: Vector,
    place: Vector,
    radius: float,
    disk: Part,
    best: Floats,
) -> tuple[float, float, float]:
    """Return distance and direction of a disk's nearest point in any cell, or NaN; `disk` has the row of a disk."""
    x, y = in_sector_axes((place[0] - apex[0], place[1] - apex[1]), facing)
    slop = sector_slop(sector, apex, 2.0 * radius, place, radius)
    if not touches_disk(sector, x, y, radius + slop):
        return math.nan, 1.0, 0.0
    if is_all_visible(cells, sector):
        return nearest_of_touching_disk(sector, x, y, radius, slop)
    row, first = disk
    row[first + col.FARTHEST] = row[first + col.PIECES + col.RADIUS] = radius
    find_bounds(row, first)
    distance, _ = nearest_visible_point(cells, sector, disk, (x, y), slop, best)
    if distance > 0.0:
        return distance, best[col.BEST_PLACE], best[col.BEST_PLACE + 1] + 0.0
    return distance, 1.0, 0.0


def _disks_example() -> tuple[Floats, Floats, Vector, Vector, Floats, Floats, DiskHits]:
    sector, places = np.zeros(col.SECTOR_COLUMNS), np.zeros(2)
    cells, hits = np.zeros((1, col.CELL_COLUMNS)), DiskHits(np.zeros(1, np.int64), np.zeros(1), np.zeros((1, 2)))
    return cells, sector, (0.0, 0.0), (1.0, 0.0), places, np.zeros(1), hits


@kernel(_disks_example, nogil=True)
def hit_disks(
    cells: Floats, sector: Floats, apex: Vector, facing: Vector, places: Floats, radii: Floats, hits: DiskHits
) -> int:
    """Write index, distance and direction of each disk that a sector touches, and return the number of these disks.

    `places` alternates x and y of all centres. At the first disk with a centre or radius that is not finite, or with a
    negative radius, return -1 minus its index.
    """
    indices, distances, directions = hits
    count = 0
    first = 0
    row, best = np.empty(col.DISK_COLUMNS), np.zeros(col.BEST_COLUMNS)
    write_disk(row)
    disk = Part(row, first)
    block, chosen = np.empty((col.DISK_ROWS, BLOCK)), np.empty(BLOCK + 1, np.int64)
    for begin in range(0, radii.shape[0], BLOCK):
        found = choose_disks(sector, apex, facing, places, radii, begin, block, chosen)
        for at in range(found):
            index = chosen[at]
            place, radius = (places[2 * index], places[2 * index + 1]), radii[index]
            if not is_valid_disk(apex, place, radius):
                return -1 - index
            distance, ux, uy = hit_disk(cells, sector, apex, facing, place, radius, disk, best)
            if not math.isnan(distance):
                indices[count], distances[count], directions[count, 0], directions[count, 1] = index, distance, ux, uy
                count += 1
    return count
