"""The chain of an outline of many corners that W may touch for now: it stands for the whole neighbour.

Each look at two pieces walks around both. Over a wheel of 5,000 corners one event took 0.25 ms so, for the eighty
corners that were near. So while W is near some edges of such a neighbour, and far from all others, the neighbour is a
smaller convex polygon for it: those edges as they are, and a few of the other corners. That lies within the true one,
and differs from it only where W does not get before another chain is taken. For a body deep inside it stays whole.
"""

from __future__ import annotations

import math

from impinge.kernels.compiler import kernel
from impinge.kernels.layout import (
    FARTHEST,
    FIRST_NODE,
    FIRST_POINT,
    LACKS,
    LACKS_STANCES,
    LENGTH,
    NODE_COLUMNS,
    NODE_RIGHT,
    NORMAL,
    PIECE_COLUMNS,
    PIECE_TOTAL,
    PIECES,
    POINT,
    POINT_COLUMNS,
    POINT_TOTAL,
    RADIUS,
    STANCE_END,
    STANCE_TOTAL,
    Floats,
    Ints,
)
from impinge.kernels.legs import PLACE, SPEED
from impinge.kernels.neighbours import (
    CHAIN,
    CHAIN_FROM,
    CHAIN_ROOM,
    CHAIN_STANDING,
    COLUMNS_M,
    SOLID_M,
    SOLID_W,
    SPIN,
    STANDING_M,
    VELOCITY,
    WHOLE,
    angle_of_mighty,
    mighty_place,
)
from impinge.kernels.solids import find_bounds
from impinge.kernels.touch_rows import TOUCHING

# Corners from which on an outline has many, and the part of them that a chain has at the most.
MANY = 256
PART = 4
# Edges on each side of the nearest one, at the least, and corners among all the others.
FEWEST = 8
OTHERS = 16
# Room that W has on a chain, in parts of how far it reaches, at the least.
LEAST_ROOM = 0.5
# And parts of that room: so far it goes in one go, and from here on it takes another one.
ONE_GO, USED_UP = 0.5, 0.25


@kernel(inline=False)
def give_chain(neighbour: int, near: Floats, tags: Ints, solids: Floats, counts: Ints) -> None:
    """Give a new neighbour of many corners columns for a chain: at the end of those to stand in, until W is done."""
    for column in range(3):
        tags[neighbour, WHOLE + column] = tags[neighbour, SOLID_M + column]
    tags[neighbour, CHAIN], near[neighbour, CHAIN_ROOM] = -1, 0.0
    whole = tags[neighbour, SOLID_M]
    if tags[neighbour, COLUMNS_M] < MANY * POINT_COLUMNS or solids[whole + PIECE_TOTAL] > 1.0:
        return
    points = int(solids[whole + PIECES + POINT_TOTAL]) // PART + OTHERS + 2
    columns = PIECES + PIECE_COLUMNS + POINT_COLUMNS * points + NODE_COLUMNS
    end = counts[STANCE_END] - 2 * (1 + columns)
    if end < counts[STANCE_TOTAL]:
        counts[LACKS] |= LACKS_STANCES
        return
    counts[STANCE_END] = end
    # Each behind the angle at which it stands, as all are.
    tags[neighbour, CHAIN], tags[neighbour, CHAIN_STANDING] = end + 1, end + 2 + columns


@kernel(inline=False)
def drop_chain(neighbour: int, near: Floats, tags: Ints) -> None:
    """Let a neighbour be whole again."""
    if near[neighbour, CHAIN_ROOM] > 0.0:
        for column in range(3):
            tags[neighbour, SOLID_M + column] = tags[neighbour, WHOLE + column]
        near[neighbour, CHAIN_ROOM] = 0.0


@kernel(inline=False)
def drop_chains(count: int, near: Floats, tags: Ints) -> None:
    """Let all neighbours be whole again, as W is looked at where it is not."""
    for neighbour in range(count):
        drop_chain(neighbour, near, tags)


@kernel()
def distance_to_edge(row: Floats, edge: int, x: float, y: float) -> float:
    """Distance of a place from an edge."""
    nx, ny = row[edge + NORMAL], row[edge + NORMAL + 1]
    x, y = x - row[edge + POINT], y - row[edge + POINT + 1]
    foot = nx * y - ny * x
    aside = foot - min(max(foot, 0.0), row[edge + LENGTH])
    outside = nx * x + ny * y
    return math.sqrt(outside * outside + aside * aside)


@kernel(inline=False)
def find_chain(whole: int, x: float, y: float, reach: float, solids: Floats) -> tuple[int, int, float]:
    """Find the edges near a place: the nearest one, how many on each side of it, and how far off all others are.

    At least twice as far as W reaches, if so many are not too many; the distance is 0 if W reaches none.
    """
    piece = whole + PIECES
    first, total = int(solids[piece + FIRST_POINT]), int(solids[piece + POINT_TOTAL])
    nearest, least = 0, math.inf
    for edge in range(total):
        distance = distance_to_edge(solids, first + POINT_COLUMNS * edge, x, y)
        if distance < least:
            nearest, least = edge, distance
    aside = FEWEST
    if least > reach:
        return nearest, aside, 0.0
    while True:
        others = math.inf
        for place in range(aside + 1, total - aside):
            edge = (nearest + place) % total
            others = min(others, distance_to_edge(solids, first + POINT_COLUMNS * edge, x, y))
        if others >= 2.0 * reach or 4 * aside > total // PART:
            return nearest, aside, others
        aside *= 2


@kernel(inline=False)
def write_chain(whole: int, nearest: int, aside: int, solids: Floats, at: int) -> int:
    """Write a solid of some edges in a row and a few corners of the others to columns; returns how many these are."""
    piece = at + PIECES
    for column in range(PIECES + PIECE_COLUMNS):
        solids[at + column] = solids[whole + column]
    source, total = int(solids[piece + FIRST_POINT]), int(solids[piece + POINT_TOTAL])
    points, left = 2 * aside + 2, total - 2 * aside - 2
    first, count = piece + PIECE_COLUMNS, points + min(OTHERS, left)
    for point in range(count):
        index = point if point < points else points + (point - points) * left // (count - points)
        corner = source + POINT_COLUMNS * ((nearest - aside + index + total) % total)
        for column in range(POINT_COLUMNS):
            solids[first + POINT_COLUMNS * point + column] = solids[corner + column]
    for point in range(points - 1, count):
        row, after = first + POINT_COLUMNS * point, first + POINT_COLUMNS * ((point + 1) % count)
        x, y = solids[after + POINT] - solids[row + POINT], solids[after + POINT + 1] - solids[row + POINT + 1]
        length = math.sqrt(x * x + y * y)
        solids[row + NORMAL], solids[row + NORMAL + 1], solids[row + LENGTH] = y / length, -x / length, length
    solids[piece + FIRST_POINT], solids[piece + POINT_TOTAL] = first, count
    node, root = first + POINT_COLUMNS * count, int(solids[whole + FIRST_NODE])
    for column in range(NODE_COLUMNS):
        solids[node + column] = solids[root + column]
    solids[at + FIRST_NODE], solids[node + NODE_RIGHT] = node, piece
    find_bounds(solids, at)
    return node + NODE_COLUMNS - at


@kernel(inline=False)
def follow_chain(neighbour: int, time: float, way: Floats, near: Floats, tags: Ints, solids: Floats) -> None:
    """See that the chain of a neighbour is the one for where W is now, if it has one."""
    if tags[neighbour, CHAIN] < 0:
        return
    whole, weak = tags[neighbour, WHOLE], tags[neighbour, SOLID_W]
    x, y = way[PLACE] - mighty_place(near, neighbour, 0, time), way[PLACE + 1] - mighty_place(near, neighbour, 1, time)
    angle = angle_of_mighty(near, neighbour, time)
    cos, sin = math.cos(angle), math.sin(angle)
    x, y = cos * x + sin * y, cos * y - sin * x
    gone_x, gone_y = x - near[neighbour, CHAIN_FROM], y - near[neighbour, CHAIN_FROM + 1]
    used = USED_UP * near[neighbour, CHAIN_ROOM]
    if used > 0.0 and gone_x * gone_x + gone_y * gone_y <= used * used:
        return
    drop_chain(neighbour, near, tags)
    reach = solids[weak + FARTHEST] + near[neighbour, TOUCHING]
    if x * x + y * y > (solids[whole + FARTHEST] + reach) ** 2:
        return
    reach += solids[whole + PIECES + RADIUS]
    nearest, aside, others = find_chain(whole, x, y, reach, solids)
    if others - reach < LEAST_ROOM * reach:
        return
    at = tags[neighbour, CHAIN]
    columns = write_chain(whole, nearest, aside, solids, at)
    tags[neighbour, SOLID_M] = tags[neighbour, STANDING_M] = at
    if tags[neighbour, WHOLE + 1] != whole:
        tags[neighbour, STANDING_M] = tags[neighbour, CHAIN_STANDING]
        solids[tags[neighbour, CHAIN_STANDING] - 1] = math.nan
    tags[neighbour, COLUMNS_M] = columns
    near[neighbour, CHAIN_FROM], near[neighbour, CHAIN_FROM + 1] = x, y
    near[neighbour, CHAIN_ROOM] = others - reach


@kernel()
def corners_near(count: int, tags: Ints) -> int:
    """How many corners those neighbours have that have many."""
    columns = 0
    for neighbour in range(count):
        if tags[neighbour, CHAIN] >= 0:
            columns += tags[neighbour, WHOLE + 2]
    return columns // POINT_COLUMNS


@kernel()
def room_on_chains(count: int, near: Floats) -> float:
    """How far W is moved at the most at one instant, with the chains that its neighbours have."""
    least = math.inf
    for neighbour in range(count):
        if near[neighbour, CHAIN_ROOM] > 0.0:
            least = min(least, ONE_GO * near[neighbour, CHAIN_ROOM])
    return least


@kernel(inline=False)
def time_on_chains(count: int, rest: float, way: Floats, near: Floats, tags: Ints) -> float:
    """For how long W goes on, of `rest` at the most, with the chains that its neighbours have."""
    for neighbour in range(count):
        room = near[neighbour, CHAIN_ROOM]
        if room > 0.0:
            across, up = way[SPEED] - near[neighbour, VELOCITY], way[SPEED + 1] - near[neighbour, VELOCITY + 1]
            x, y = abs(near[neighbour, CHAIN_FROM]), abs(near[neighbour, CHAIN_FROM + 1])
            speed = abs(across) + abs(up) + abs(near[neighbour, SPIN]) * (x + y + room)
            if speed > 0.0:
                rest = min(rest, ONE_GO * room / speed)
    return rest
