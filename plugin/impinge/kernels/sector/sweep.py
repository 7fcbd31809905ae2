"""The time of impact of a sector and a solid, while either moves or turns.

Without rotation and acceleration, the time is in closed form. A moving disk is a ray against the sector grown by the
disk's radius: two arcs, and strips along both edges. For other solids, each corner is such a disk. Their edges can also
hit the sector's corners or its outer arc. If the sector only turns and the solid is at rest, the bearing of the impact
is in closed form, too.

All other motions use conservative advancement (Mirtich, "Impulse-based dynamic simulation of rigid body systems",
1996). A step is at most the time in which the gap can close at the greatest possible speed. So no impact is skipped,
however fast a sector swings.

As in `nearest`, the apex is the origin, and the sector faces along x.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats, Part, Vector
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.depth import length_of
from impinge.kernels.pair.impact_features import feature_at
from impinge.kernels.pair.solids import turn_by
from impinge.kernels.sector.nearest import (
    circle_crossings,
    in_sector_axes,
    is_in_front,
    is_one_disk,
    nearest_of_solid,
    nearest_on_sector,
    nearest_to_origin,
    ray_interval,
    touches_disk,
)
from impinge.kernels.tolerances import ROUNDING, SLOP

# In slops. The path from a gap of one slop to the contact is at most this long, unless the approach is flatter than a
# slope of one in a thousand.
APPROACH_LIMIT = 1000.0

# In slops. If a step ended exactly at the slop, rounding would decide whether the two touch there.
TARGET_GAP = 0.999

# Cosines that differ by less than this are equal: of two equally good normals, the first one counts.
COSINE_TOLERANCE = 1e-9

# Limit of the steps of the advancement.
SWING_STEP_LIMIT = 20_000

# Rotations during the frame, in radians: of the sector and of the solid. One that changes nothing is zero.
Spins: TypeAlias = tuple[float, float]
# Time, point relative to the apex, normal, kind, number and position of the solid's feature, whether they overlap at
# the start, and the number of steps.
SectorImpact: TypeAlias = tuple[float, Vector, Vector, float, int, float, bool, int]


@kernel()
def ray_circle_interval(px: float, py: float, ux: float, uy: float, radius: float) -> tuple[float, float]:
    """Return the distances at which a ray enters and leaves a circle around the origin; NaN on a miss."""
    left = ux * py - uy * px
    if abs(left) > radius:
        return math.nan, math.nan
    along, half = -(px * ux + py * uy), math.sqrt((radius - left) * (radius + left))
    return along - half, along + half


@kernel(inline=False)
def disk_travel_distance(sector: Floats, px: float, py: float, ux: float, uy: float, radius: float) -> float:
    """Return the distance after which a disk first touches a sector, infinite if never. It does not touch it yet."""
    best = math.inf
    enter, _ = ray_circle_interval(px, py, ux, uy, sector[col.SECTOR_RADIUS] + radius)
    if enter >= 0.0 and is_in_front(sector, px + enter * ux, py + enter * uy):
        best = enter
    if sector[col.SECTOR_INNER] > radius:
        _, leave = ray_circle_interval(px, py, ux, uy, sector[col.SECTOR_INNER] - radius)
        if leave >= 0.0 and is_in_front(sector, px + leave * ux, py + leave * uy):
            best = min(best, leave)
    for side in (-1.0, 1.0):
        ex, ey = sector[col.SECTOR_COS], side * sector[col.SECTOR_SIN]
        for end in (sector[col.SECTOR_INNER], sector[col.SECTOR_RADIUS]):
            enter, _ = ray_circle_interval(px - end * ex, py - end * ey, ux, uy, radius)
            if enter >= 0.0:
                best = min(best, enter)
        left, speed = ex * py - ey * px, ex * uy - ey * ux
        for height in (-radius, radius):
            way = (height - left) / speed if speed != 0.0 else math.inf
            along = ex * (px + way * ux) + ey * (py + way * uy)
            if 0.0 <= way < best and sector[col.SECTOR_INNER] <= along <= sector[col.SECTOR_RADIUS]:
                best = way
    return best


@kernel()
def keep_smaller_gap(gaps: Floats, gap: float, x: float, y: float, core_x: float, core_y: float) -> bool:
    """Keep a gap and its two points if it is the smallest so far; return whether it is."""
    if gap >= gaps[col.CLEARANCE]:
        return False
    gaps[col.CLEARANCE], gaps[col.CLEARANCE_ON_SECTOR], gaps[col.CLEARANCE_ON_SECTOR + 1] = gap, x, y
    gaps[col.CLEARANCE_ON_CORE], gaps[col.CLEARANCE_ON_CORE + 1] = core_x, core_y
    return True


@kernel(inline=False)
def keep_piece_gap(sector: Floats, piece: Part, offset: Vector, gaps: Floats) -> bool:
    """Keep the gap between a sector and a piece that it does not touch, if it is the smallest so far.

    The gap is at a corner of either, or at the piece's nearest point to the apex. For if the middle of an edge is
    nearest to an arc, the edge is perpendicular to the radius there, and outside the outer arc.
    """
    row, at = piece
    dx, dy = offset
    first, total = int(row[at + col.FIRST_POINT]), int(row[at + col.POINT_TOTAL])
    radius, is_less = row[at + col.RADIUS], False
    for point in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
        x, y = row[point + col.POINT] + dx, row[point + col.POINT + 1] + dy
        qx, qy = nearest_on_sector(sector, x, y)
        is_less = keep_smaller_gap(gaps, length_of(x - qx, y - qy) - radius, qx, qy, x, y) or is_less
    if total > 1:
        distance, x, y = nearest_to_origin(piece, offset)
        if distance > 0.0:
            qx, qy = nearest_on_sector(sector, x, y)
            is_less = keep_smaller_gap(gaps, length_of(x - qx, y - qy) - radius, qx, qy, x, y) or is_less
        for side in (-1.0, 1.0):
            for end in (sector[col.SECTOR_INNER], sector[col.SECTOR_RADIUS]):
                qx, qy = end * sector[col.SECTOR_COS], side * end * sector[col.SECTOR_SIN]
                distance, x, y = nearest_to_origin(piece, (dx - qx, dy - qy))
                is_less = keep_smaller_gap(gaps, distance - radius, qx, qy, x + qx, y + qy) or is_less
    return is_less


@kernel(inline=False)
def find_gap(
    cells: Floats, sector: Floats, solid: Part, offset: Vector, slop: float, best: Floats, gaps: Floats
) -> int:
    """Write the gap between a sector and a posed solid, 0 if they touch, and return the nearest piece."""
    row, first = solid
    chosen = -1
    gaps[col.CLEARANCE] = math.inf
    for number in range(int(row[first + col.PIECE_TOTAL])):
        piece = first + col.PIECES + col.PIECE_COLUMNS * number
        if keep_piece_gap(sector, Part(row, piece), offset, gaps):
            chosen = piece
    if gaps[col.CLEARANCE] > slop and not is_one_disk(solid):
        # If sector and solid cross, all corners of one may be far from the other.
        piece = nearest_of_solid(cells, sector, solid, offset, 0.0, 0.0, best)
        if piece >= 0:
            x, y = best[col.BEST_PLACE], best[col.BEST_PLACE + 1]
            keep_smaller_gap(gaps, 0.0, x, y, x, y)
            return piece
    gaps[col.CLEARANCE] = max(gaps[col.CLEARANCE], 0.0)
    return chosen


@kernel(inline=False, allocates=True)
def overlaps_beyond_slop(cells: Floats, sector: Floats, solid: Part, offset: Vector, slop: float, best: Floats) -> bool:
    """Return whether a solid overlaps a sector by more than the slop.

    It does if it touches a copy of the sector that is smaller by the slop on all sides.
    """
    row, first = solid
    dx, dy = offset
    shift = slop / sector[col.SECTOR_SIN] if sector[col.SECTOR_SIN] > 0.0 else 0.0
    smaller, cell = sector.copy(), cells.copy()
    smaller[col.SECTOR_RADIUS] -= slop + shift
    smaller[col.SECTOR_INNER] += slop + shift if sector[col.SECTOR_INNER] > 0.0 else 0.0
    cell[0, col.CELL_EXTENT] = smaller[col.SECTOR_RADIUS]
    if smaller[col.SECTOR_RADIUS] <= smaller[col.SECTOR_INNER]:
        return False
    if is_one_disk(solid):
        point, radius = int(row[first + col.PIECES + col.FIRST_POINT]), row[first + col.PIECES + col.RADIUS]
        return touches_disk(smaller, dx + row[point + col.POINT] - shift, dy + row[point + col.POINT + 1], radius)
    return nearest_of_solid(cell, smaller, solid, (dx - shift, dy), 0.0, 0.0, best) >= 0


@kernel(inline=False)
def sector_extent_cosine(sector: Floats, place: Vector, normal: Vector, margin: float) -> float:
    """Return how far a sector extends along a normal, from a point on its border.

    The result is the cosine of the angle between the normal and the nearest direction that leads into the sector.
    """
    x, y = place
    nx, ny = normal
    lead = inward = -1.0
    distance = length_of(x, y)
    ends_left = ends_right = False
    for side in (-1.0, 1.0):
        ex, ey = sector[col.SECTOR_COS], side * sector[col.SECTOR_SIN]
        along, outside = x * ex + y * ey, side * (ex * y - ey * x)
        # A sector of a full turn has no edges.
        if (
            abs(outside) > margin
            or not sector[col.SECTOR_INNER] - margin <= along <= sector[col.SECTOR_RADIUS] + margin
        ):
            continue
        if sector[col.SECTOR_HALF] == math.pi:
            continue
        ends_left, ends_right = ends_left or side > 0.0, ends_right or side < 0.0
        inward = max(inward, sector[col.SECTOR_SIN] * nx - side * sector[col.SECTOR_COS] * ny)
        if along < sector[col.SECTOR_RADIUS] - margin:
            lead = max(lead, ex * nx + ey * ny)
        if along > sector[col.SECTOR_INNER] + margin:
            lead = max(lead, -ex * nx - ey * ny)
    # At the apex, both edges meet. If the sector is less than a right angle, the perpendicular of one edge leads out
    # of the sector across the other.
    if not (ends_left and ends_right) or sector[col.SECTOR_SIN] >= sector[col.SECTOR_COS]:
        lead = max(lead, inward)
    is_outer = abs(distance - sector[col.SECTOR_RADIUS]) <= margin
    is_inner = sector[col.SECTOR_INNER] > 0.0 and abs(distance - sector[col.SECTOR_INNER]) <= margin
    if (is_outer or is_inner) and (ends_left or ends_right or is_in_front(sector, x, y)):
        ux, uy = x / distance, y / distance
        radial = ux * nx + uy * ny
        lead = max(lead, radial if is_inner else -radial)
        if not ends_left:
            lead = max(lead, ux * ny - uy * nx)
        if not ends_right:
            lead = max(lead, uy * nx - ux * ny)
    return lead


@kernel(inline=False)
def piece_extent_cosine(piece: Part, offset: Vector, place: Vector, normal: Vector, margin: float) -> float:
    """Return how far a core extends against a normal from a border point: a cosine, as `sector_extent_cosine`."""
    row, at = piece
    first, total = int(row[at + col.FIRST_POINT]), int(row[at + col.POINT_TOTAL])
    lead = -1.0
    for point in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
        ex, ey = (
            row[point + col.POINT] + offset[0] - place[0],
            row[point + col.POINT + 1] + offset[1] - place[1],
        )
        distance = length_of(ex, ey)
        if distance > margin:
            lead = max(lead, -(ex * normal[0] + ey * normal[1]) / distance)
    return lead


@kernel(inline=False)
def sector_contact_normal(sector: Floats, piece: Part, offset: Vector, margin: float, gaps: Floats) -> Vector:
    """Return the unit contact normal from a sector to a piece that touches it.

    If the piece is not rounded, its distance from the sector is too short to have a direction. So the candidates are
    the normals of both shapes there. The best one is that along which the sector, and against which the piece, extends
    least.
    """
    row, first = piece
    x, y, qx, qy = (
        gaps[col.CLEARANCE_ON_CORE],
        gaps[col.CLEARANCE_ON_CORE + 1],
        gaps[col.CLEARANCE_ON_SECTOR],
        gaps[col.CLEARANCE_ON_SECTOR + 1],
    )
    distance = length_of(x - qx, y - qy)
    if distance > margin:
        return (x - qx) / distance, (y - qy) / distance
    first_point, total = int(row[first + col.FIRST_POINT]), int(row[first + col.POINT_TOTAL])
    away = length_of(x, y)
    best_x, best_y = (x / away, y / away) if away > margin else (1.0, 0.0)
    best = math.inf
    for candidate in range(-4, total):
        nx, ny = 0.0, 0.0
        if candidate < -2:
            # Normals of the sector's edges.
            nx, ny = -sector[col.SECTOR_SIN], sector[col.SECTOR_COS] if candidate == -3 else -sector[col.SECTOR_COS]
        elif candidate < 0:
            # Normals of the sector's arcs.
            side = 1.0 if candidate == -2 else -1.0
            nx, ny = (side * x / away, side * y / away) if away > margin else (0.0, 0.0)
        elif total > 1:
            at = first_point + col.POINT_COLUMNS * candidate
            nx, ny = -row[at + col.NORMAL], -row[at + col.NORMAL + 1]
        if nx == 0.0 and ny == 0.0:
            continue
        lead = max(
            sector_extent_cosine(sector, (x, y), (nx, ny), margin),
            piece_extent_cosine(piece, offset, (x, y), (nx, ny), margin),
        )
        if lead < best - COSINE_TOLERANCE:
            best, best_x, best_y = lead, nx, ny
    return best_x, best_y


def _sweep_example() -> tuple[Floats, Floats, Floats, Floats]:
    row = np.zeros(col.PIECES + col.PIECE_COLUMNS)
    return np.zeros((1, col.CELL_COLUMNS)), np.zeros(col.SECTOR_COLUMNS), row, np.zeros(col.SWING_COLUMNS)


@kernel(_sweep_example)
def sweep_sector(cells: Floats, sector: Floats, row: Floats, course: Floats) -> SectorImpact:
    """Return the time of impact of a sector and a solid, or NaN, and the contact in the axes of the game."""
    first = 0
    standing, best, gaps = np.empty_like(row), np.empty(col.BEST_COLUMNS), np.empty(col.CLEARANCE_COLUMNS)
    solid = Part(standing, first)
    slop = SLOP * min(sector[col.SECTOR_SIZE], row[col.EXTENT]) + ROUNDING * (
        course[col.SWING_FARTHEST_AWAY] + max(sector[col.SECTOR_RADIUS], row[col.FARTHEST])
    )
    spins = effective_spins(sector, row, course)
    turning = abs(spins[0]) * sector[col.SECTOR_RADIUS] + abs(spins[1]) * row[col.FARTHEST]
    is_straight = turning == 0.0 and course[col.SWING_PULL] == 0.0 and course[col.SWING_PULL + 1] == 0.0
    is_swing = spins[0] != 0.0 and spins[1] == 0.0 and fastest(course, 0.0) == 0.0
    time, steps = 0.0, 0
    offset, facing = set_sector_moment(course, time, spins, row, standing)
    is_overlapping = overlaps_beyond_slop(cells, sector, solid, offset, slop, best)
    piece = find_gap(cells, sector, solid, offset, slop, best, gaps)
    while gaps[col.CLEARANCE] > slop:
        if is_swing:
            time = swing_time(sector, solid, offset, spins[0], slop)
        elif is_straight:
            time = straight_time(sector, solid, course, offset, facing, slop)
        else:
            steps += 1
            step = gaps[col.CLEARANCE] / (fastest(course, time) + turning)
            time += max(step, safe_step(sector, solid, course, time, offset, facing, spins, slop))
        # Without an impact, the time in closed form is infinite or NaN. So is a step if nothing moves.
        if not time <= 1.0:
            return math.nan, (0.0, 0.0), (0.0, 0.0), col.FEATURE_NONE, 0, 0.0, False, steps
        offset, facing = set_sector_moment(course, time, spins, row, standing)
        piece = find_gap(cells, sector, solid, offset, slop, best, gaps)
        if is_swing or is_straight or steps == SWING_STEP_LIMIT:
            break
    nx, ny = sector_contact_normal(sector, Part(standing, piece), offset, 4.0 * slop, gaps)
    kind, number, along = col.FEATURE_NONE, 0, 0.0
    if not is_overlapping:
        place = gaps[col.CLEARANCE_ON_CORE] - offset[0], gaps[col.CLEARANCE_ON_CORE + 1] - offset[1]
        kind, at, along = feature_at(standing, piece, (-nx, -ny), place, False, 4.0 * slop)
        number = (at - int(row[col.PIECES + col.FIRST_POINT])) // col.POINT_COLUMNS
    x, y = gaps[col.CLEARANCE_ON_SECTOR], gaps[col.CLEARANCE_ON_SECTOR + 1]
    cos, sin = facing
    place = cos * x - sin * y, sin * x + cos * y
    normal = cos * nx - sin * ny + 0.0, sin * nx + cos * ny + 0.0
    return time, place, normal, kind, number, along, is_overlapping, steps


@kernel()
def effective_spins(sector: Floats, row: Floats, course: Floats) -> Spins:
    """Return the rotations of a sector and a solid; zero for one that looks the same at any angle."""
    point, solid = col.PIECES + col.PIECE_COLUMNS + col.POINT, 0
    is_centred = is_one_disk(Part(row, solid)) and row[point] == row[point + 1] == 0.0
    return (
        course[col.SWING_SPIN] if sector[col.SECTOR_HALF] < math.pi else 0.0,
        0.0 if is_centred else course[col.SWING_SOLID_SPIN],
    )


@kernel(inline=False)
def set_sector_moment(
    course: Floats, time: float, spins: Spins, row: Floats, standing: Floats
) -> tuple[Vector, Vector]:
    """Write the solid at a time, in the sector's axes; return its position there, and cosine and sine of the facing."""
    spin, solid_spin = spins
    facing = course[col.SWING_FACING + 1], course[col.SWING_FACING + 2]
    if spin != 0.0:
        facing = math.cos(course[col.SWING_FACING] + spin * time), math.sin(course[col.SWING_FACING] + spin * time)
    turn = course[col.SWING_STANDING + 1], course[col.SWING_STANDING + 2]
    if solid_spin != 0.0:
        angle = course[col.SWING_STANDING] + solid_spin * time
        turn = math.cos(angle), math.sin(angle)
    solid = 0
    turn_cos, turn_sin = in_sector_axes(turn, facing)
    turn_by(row, solid, row.shape[0], turn_cos, turn_sin, standing)
    dx = course[col.SWING_OFFSET] + time * (course[col.SWING_VELOCITY] + 0.5 * time * course[col.SWING_PULL])
    dy = course[col.SWING_OFFSET + 1] + time * (
        course[col.SWING_VELOCITY + 1] + 0.5 * time * course[col.SWING_PULL + 1]
    )
    return in_sector_axes((dx, dy), facing), facing


@kernel()
def fastest(course: Floats, time: float) -> float:
    """Return the greatest speed of the solid relative to the apex from a time on: the speed then, or at the end."""
    vx, vy = (
        course[col.SWING_VELOCITY] + time * course[col.SWING_PULL],
        course[col.SWING_VELOCITY + 1] + time * course[col.SWING_PULL + 1],
    )
    end_x, end_y = (
        course[col.SWING_VELOCITY] + course[col.SWING_PULL],
        course[col.SWING_VELOCITY + 1] + course[col.SWING_PULL + 1],
    )
    return max(length_of(vx, vy), length_of(end_x, end_y))


@kernel()
def time_to_close(gap: float, normal: Vector, velocity: Vector, pull: Vector, rest: float, turning: float) -> float:
    """Return a lower bound for the time in which a gap along a normal closes.

    The solid beyond the gap accelerates by the pull for the rest of the frame. Its rotation adds the speed `turning`.
    """
    nx, ny = normal
    closing = turning - (nx * velocity[0] + ny * velocity[1]) + rest * max(-(nx * pull[0] + ny * pull[1]), 0.0)
    if gap <= 0.0:
        return 0.0
    return gap / closing if closing > 0.0 else math.inf


@kernel(inline=False)
def safe_step(
    sector: Floats,
    solid: Part,
    course: Floats,
    time: float,
    offset: Vector,
    facing: Vector,
    spins: Spins,
    slop: float,
) -> float:
    """Return a time in which each piece of a solid stays beyond a sector's radius, in its hole, or beside an edge.

    The first two hold however the sector turns. Except in the hole, a line separates piece and sector, and only the
    speed towards that line counts. So a solid that slides along a sector takes a single step.
    """
    row, start = solid
    velocity = (
        course[col.SWING_VELOCITY] + time * course[col.SWING_PULL],
        course[col.SWING_VELOCITY + 1] + time * course[col.SWING_PULL + 1],
    )
    velocity = in_sector_axes(velocity, facing)
    pull = in_sector_axes((course[col.SWING_PULL], course[col.SWING_PULL + 1]), facing)
    turning, rest = abs(spins[1]) * row[start + col.FARTHEST], 1.0 - time
    is_edged = spins[0] == 0.0 and sector[col.SECTOR_COS] >= 0.0
    least = math.inf
    for number in range(int(row[start + col.PIECE_TOTAL])):
        piece = start + col.PIECES + col.PIECE_COLUMNS * number
        radius = row[piece + col.RADIUS] + TARGET_GAP * slop
        step = 0.0
        distance, x, y = nearest_to_origin(Part(row, piece), offset)
        if distance > 0.0:
            gap = distance - radius - sector[col.SECTOR_RADIUS]
            step = time_to_close(gap, (x / distance, y / distance), velocity, pull, rest, turning)
        farthest, left, right = extents_from_apex(sector, Part(row, piece), offset)
        if is_edged:
            nx, ny = -sector[col.SECTOR_SIN], sector[col.SECTOR_COS]
            step = max(step, time_to_close(left - radius, (nx, ny), velocity, pull, rest, turning))
            step = max(step, time_to_close(right - radius, (nx, -ny), velocity, pull, rest, turning))
        if farthest + radius < sector[col.SECTOR_INNER]:
            step = max(step, (sector[col.SECTOR_INNER] - farthest - radius) / (fastest(course, time) + turning))
        least = min(least, step)
    return least


@kernel()
def extents_from_apex(sector: Floats, piece: Part, offset: Vector) -> tuple[float, float, float]:
    """Return the distance from the apex to a core's farthest corner, and the core's distances from both edges' lines.

    These lines are those of the left and of the right edge; on the sector's side of a line, the distance is negative.
    """
    row, at = piece
    first, total = int(row[at + col.FIRST_POINT]), int(row[at + col.POINT_TOTAL])
    farthest, left, right = 0.0, math.inf, math.inf
    for point in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
        x, y = row[point + col.POINT] + offset[0], row[point + col.POINT + 1] + offset[1]
        farthest = max(farthest, length_of(x, y))
        left = min(left, sector[col.SECTOR_COS] * y - sector[col.SECTOR_SIN] * x)
        right = min(right, -sector[col.SECTOR_COS] * y - sector[col.SECTOR_SIN] * x)
    return farthest, left, right


@kernel(inline=False)
def piece_travel_distance(sector: Floats, piece: Part, offset: Vector, direction: Vector, more: float) -> float:
    """Return the distance after which a piece, grown by `more`, first touches a sector that it does not touch yet.

    A corner of one hits the other, or an edge of the piece hits the outer arc.
    """
    row, at = piece
    dx, dy = offset
    ux, uy = direction
    first, total = int(row[at + col.FIRST_POINT]), int(row[at + col.POINT_TOTAL])
    radius, best = row[at + col.RADIUS] + more, math.inf
    for point in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
        x, y = row[point + col.POINT] + dx, row[point + col.POINT + 1] + dy
        best = min(best, disk_travel_distance(sector, x, y, ux, uy, radius))
        nx, ny = row[point + col.NORMAL], row[point + col.NORMAL + 1]
        speed = nx * ux + ny * uy
        if total > 1 and speed > 0.0 and is_in_front(sector, -nx, -ny):
            way = -(sector[col.SECTOR_RADIUS] + radius + nx * x + ny * y) / speed
            foot = ny * (x + way * ux) - nx * (y + way * uy)
            if 0.0 <= way < best and 0.0 <= foot <= row[point + col.LENGTH]:
                best = way
    if total > 1:
        for side in (-1.0, 1.0):
            for end in (sector[col.SECTOR_INNER], sector[col.SECTOR_RADIUS]):
                x, y = end * sector[col.SECTOR_COS], side * end * sector[col.SECTOR_SIN]
                low, high = ray_interval(piece, (dx - x, dy - y), radius, (-ux, -uy))
                if low <= high:
                    best = min(best, low)
    return best


@kernel()
def angle_to_bearing(sector: Floats, x: float, y: float, spin: float) -> float:
    """Return the angle by which a sector turns until its leading edge has the bearing of a point."""
    turn = math.copysign(1.0, spin) * math.atan2(y, x) - sector[col.SECTOR_HALF]
    return turn - 2.0 * math.pi * math.floor(turn / (2.0 * math.pi))


@kernel(inline=False)
def angle_to_circle_crossing(sector: Floats, x: float, y: float, radius: float, size: float, spin: float) -> float:
    """Return the angle by which a sector turns until its leading edge reaches a point where two circles cross.

    These are the border of a disk, and a circle of radius `size` around the apex. Without a crossing, the angle is
    infinite.
    """
    px, py, qx, qy = circle_crossings(x, y, radius, size)
    if math.isnan(px):
        return math.inf
    return min(angle_to_bearing(sector, px, py, spin), angle_to_bearing(sector, qx, qy, spin))


@kernel(inline=False)
def angle_to_piece(sector: Floats, piece: Part, offset: Vector, spin: float, more: float) -> float:
    """Return the angle by which a sector turns until it touches a piece at rest, grown by `more`.

    The first contact is on a tangent from the apex to the piece, or where the piece's border crosses the inner or the
    outer arc.
    """
    row, at = piece
    first, total = int(row[at + col.FIRST_POINT]), int(row[at + col.POINT_TOTAL])
    radius, best = row[at + col.RADIUS] + more, math.inf
    for point in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
        x, y = row[point + col.POINT] + offset[0], row[point + col.POINT + 1] + offset[1]
        squared = x * x + y * y
        away = squared - radius * radius
        if (
            away > 0.0
            and sector[col.SECTOR_INNER] * sector[col.SECTOR_INNER]
            <= away
            <= sector[col.SECTOR_RADIUS] * sector[col.SECTOR_RADIUS]
        ):
            away = math.sqrt(away)
            best = min(best, angle_to_bearing(sector, away * x - radius * y, away * y + radius * x, spin))
            best = min(best, angle_to_bearing(sector, away * x + radius * y, away * y - radius * x, spin))
        nx, ny = row[point + col.NORMAL], row[point + col.NORMAL + 1]
        height, foot = nx * x + ny * y + radius, ny * x - nx * y
        for size in (sector[col.SECTOR_INNER], sector[col.SECTOR_RADIUS]):
            if size > 0.0:
                best = min(best, angle_to_circle_crossing(sector, x, y, radius, size, spin))
            if total > 1 and abs(height) <= size:
                half = math.sqrt((size - height) * (size + height))
                for along in (foot - half, foot + half):
                    if 0.0 <= along <= row[point + col.LENGTH]:
                        # From the foot of the perpendicular through the apex, along the edge.
                        px = height * nx - (along - foot) * ny
                        py = height * ny + (along - foot) * nx
                        best = min(best, angle_to_bearing(sector, px, py, spin))
    return best


@kernel(inline=False)
def swing_time(sector: Floats, solid: Part, offset: Vector, spin: float, slop: float) -> float:
    """Return the time at which a sector that only turns first touches a solid at rest.

    If the exact contact is much later than a gap of one slop, or does not happen, the time of that gap counts.
    """
    row, first = solid
    turn = near = math.inf
    for number in range(int(row[first + col.PIECE_TOTAL])):
        piece = Part(row, first + col.PIECES + col.PIECE_COLUMNS * number)
        turn = min(turn, angle_to_piece(sector, piece, offset, spin, 0.0))
        near = min(near, angle_to_piece(sector, piece, offset, spin, slop))
    return (turn if (turn - near) * sector[col.SECTOR_RADIUS] <= APPROACH_LIMIT * slop else near) / abs(spin)


@kernel(inline=False)
def straight_time(sector: Floats, solid: Part, course: Floats, offset: Vector, facing: Vector, slop: float) -> float:
    """Return the time at which a solid in straight motion first touches a sector, without rotation.

    If the exact contact is much later than a gap of one slop, or does not happen, the time of that gap counts.
    """
    row, first = solid
    speed = length_of(course[col.SWING_VELOCITY], course[col.SWING_VELOCITY + 1])
    if speed == 0.0:
        return math.nan
    direction = in_sector_axes((course[col.SWING_VELOCITY] / speed, course[col.SWING_VELOCITY + 1] / speed), facing)
    way = near = math.inf
    for number in range(int(row[first + col.PIECE_TOTAL])):
        piece = Part(row, first + col.PIECES + col.PIECE_COLUMNS * number)
        way = min(way, piece_travel_distance(sector, piece, offset, direction, 0.0))
        near = min(near, piece_travel_distance(sector, piece, offset, direction, slop))
    # If the solid slides along an edge, rounding would decide where along the edge the contact begins.
    return (way if way - near <= APPROACH_LIMIT * slop else near) / speed
