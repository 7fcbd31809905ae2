"""Chains: for an outline of many corners, the part that W can reach next replaces the whole candidate.

Each query of two pieces walks around both. Over a wheel of 5,000 corners one event took 0.25 ms, although only eighty
corners were near. So while W is near some edges of such a candidate, and far from all others, a smaller convex polygon
replaces it. This chain has the near edges unchanged, and a few of the other corners. It lies within the true outline,
and differs from it only in places that W does not reach before it gets another chain. For a body deep inside, the
candidate stays whole.
"""

from __future__ import annotations

import math

from impinge.kernels import columns as col
from impinge.kernels.arrays import Candidates, Floats, Ints
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.solids import find_bounds
from impinge.kernels.space.posed_solids import update_posed_solid
from impinge.kernels.step.candidates import angle_of_mighty, relative_place, relative_velocity

# An outline of at least `CHAIN_LEAST_CORNERS` corners may have a chain. Its near edges are at most about 1 /
# `CHAIN_CORNER_DIVISOR` of all edges.
CHAIN_LEAST_CORNERS = 256
CHAIN_CORNER_DIVISOR = 4
# Least number of edges on each side of the nearest one, and largest number of corners from all other edges.
CHAIN_LEAST_EDGES = 8
CHAIN_OTHER_CORNERS = 16
# Least distance that W may move on a chain, as a part of W's reach.
CHAIN_LEAST_ROOM = 0.5
# Parts of the distance that W may move on its chain: W moves by at most `CHAIN_LONGEST_MOVE` at once, and gets another
# chain after `CHAIN_USED_UP`.
CHAIN_LONGEST_MOVE, CHAIN_USED_UP = 0.5, 0.25


@kernel(inline=False)
def reserve_chain(neighbour: int, candidates: Candidates, solids: Floats, counts: Ints) -> None:
    """Reserve columns for a chain of a new candidate of many corners.

    They are at the end of the columns for posed solids, and free again when W is resolved.
    """
    tags = candidates.tags
    for column in range(3):
        tags[neighbour, col.TAG_WHOLE + column] = tags[neighbour, col.TAG_SOLID_M + column]
    tags[neighbour, col.TAG_CHAIN], candidates.near[neighbour, col.NEAR_CHAIN_ROOM] = -1, 0.0
    whole = tags[neighbour, col.TAG_SOLID_M]
    if (
        tags[neighbour, col.TAG_COLUMNS_M] < CHAIN_LEAST_CORNERS * col.POINT_COLUMNS
        or solids[whole + col.PIECE_TOTAL] > 1.0
    ):
        return
    points = int(solids[whole + col.PIECES + col.POINT_TOTAL]) // CHAIN_CORNER_DIVISOR + CHAIN_OTHER_CORNERS + 2
    columns = col.PIECES + col.PIECE_COLUMNS + col.POINT_COLUMNS * points + col.NODE_COLUMNS
    end = counts[col.STANCE_END] - 2 * (1 + columns)
    if end < counts[col.STANCE_TOTAL]:
        counts[col.LACKS] |= col.LACKS_STANCES
        return
    counts[col.STANCE_END] = end
    # The column before each solid holds its angle, as for all posed solids.
    tags[neighbour, col.TAG_CHAIN], tags[neighbour, col.TAG_CHAIN_STANDING] = end + 1, end + 2 + columns


@kernel(inline=False)
def drop_chain(neighbour: int, candidates: Candidates) -> None:
    """Replace the chain of a candidate by its whole outline."""
    if candidates.near[neighbour, col.NEAR_CHAIN_ROOM] > 0.0:
        for column in range(3):
            candidates.tags[neighbour, col.TAG_SOLID_M + column] = candidates.tags[neighbour, col.TAG_WHOLE + column]
        candidates.near[neighbour, col.NEAR_CHAIN_ROOM] = 0.0


@kernel(inline=False)
def drop_chains(count: int, candidates: Candidates) -> None:
    """Replace all chains by the whole outlines, for queries with W at other places."""
    for neighbour in range(count):
        drop_chain(neighbour, candidates)


@kernel()
def distance_to_edge(row: Floats, edge: int, x: float, y: float) -> float:
    """Return the distance of a point from an edge."""
    nx, ny = row[edge + col.NORMAL], row[edge + col.NORMAL + 1]
    x, y = x - row[edge + col.POINT], y - row[edge + col.POINT + 1]
    foot = nx * y - ny * x
    aside = foot - min(max(foot, 0.0), row[edge + col.LENGTH])
    outside = nx * x + ny * y
    return math.sqrt(outside * outside + aside * aside)


@kernel(inline=False)
def find_chain(whole: int, x: float, y: float, reach: float, solids: Floats) -> tuple[int, int, float]:
    """Find the edges near a point: the nearest one, how many on each side of it, and the distance of all others.

    The distance is at least twice W's reach, unless that takes too many edges. It is 0 if W reaches no edge.
    """
    piece = whole + col.PIECES
    first, total = int(solids[piece + col.FIRST_POINT]), int(solids[piece + col.POINT_TOTAL])
    nearest, least = 0, math.inf
    for edge in range(total):
        distance = distance_to_edge(solids, first + col.POINT_COLUMNS * edge, x, y)
        if distance < least:
            nearest, least = edge, distance
    aside = CHAIN_LEAST_EDGES
    if least > reach:
        return nearest, aside, 0.0
    while True:
        others = math.inf
        for place in range(aside + 1, total - aside):
            edge = (nearest + place) % total
            others = min(others, distance_to_edge(solids, first + col.POINT_COLUMNS * edge, x, y))
        if others >= 2.0 * reach or 4 * aside > total // CHAIN_CORNER_DIVISOR:
            return nearest, aside, others
        aside *= 2


@kernel(inline=False)
def write_chain(whole: int, nearest: int, aside: int, solids: Floats, at: int) -> int:
    """Write a solid of adjacent edges and a few of the other corners; return its number of columns."""
    piece = at + col.PIECES
    for column in range(col.PIECES + col.PIECE_COLUMNS):
        solids[at + column] = solids[whole + column]
    source, total = int(solids[piece + col.FIRST_POINT]), int(solids[piece + col.POINT_TOTAL])
    points, left = 2 * aside + 2, total - 2 * aside - 2
    first, count = piece + col.PIECE_COLUMNS, points + min(CHAIN_OTHER_CORNERS, left)
    for point in range(count):
        index = point if point < points else points + (point - points) * left // (count - points)
        corner = source + col.POINT_COLUMNS * ((nearest - aside + index + total) % total)
        for column in range(col.POINT_COLUMNS):
            solids[first + col.POINT_COLUMNS * point + column] = solids[corner + column]
    for point in range(points - 1, count):
        row, after = first + col.POINT_COLUMNS * point, first + col.POINT_COLUMNS * ((point + 1) % count)
        x, y = (
            solids[after + col.POINT] - solids[row + col.POINT],
            solids[after + col.POINT + 1] - solids[row + col.POINT + 1],
        )
        length = math.sqrt(x * x + y * y)
        solids[row + col.NORMAL], solids[row + col.NORMAL + 1], solids[row + col.LENGTH] = (
            y / length,
            -x / length,
            length,
        )
    solids[piece + col.FIRST_POINT], solids[piece + col.POINT_TOTAL] = first, count
    node, root = first + col.POINT_COLUMNS * count, int(solids[whole + col.FIRST_NODE])
    for column in range(col.NODE_COLUMNS):
        solids[node + column] = solids[root + column]
    solids[at + col.FIRST_NODE], solids[node + col.NODE_RIGHT] = node, piece
    find_bounds(solids, at)
    return node + col.NODE_COLUMNS - at


@kernel(inline=False)
def update_chain(neighbour: int, way: Floats, candidates: Candidates, solids: Floats) -> None:
    """Update the chain of a candidate for the present place of W, if the candidate has columns for one."""
    near, tags = candidates.near, candidates.tags
    if tags[neighbour, col.TAG_CHAIN] < 0:
        return
    whole, weak = tags[neighbour, col.TAG_WHOLE], tags[neighbour, col.TAG_SOLID_W]
    x, y = relative_place(near, neighbour, way)
    angle = angle_of_mighty(near, neighbour, way[col.WAY_TIME])
    cos, sin = math.cos(angle), math.sin(angle)
    x, y = cos * x + sin * y, cos * y - sin * x
    gone_x, gone_y = x - near[neighbour, col.NEAR_CHAIN_FROM], y - near[neighbour, col.NEAR_CHAIN_FROM + 1]
    used = CHAIN_USED_UP * near[neighbour, col.NEAR_CHAIN_ROOM]
    if used > 0.0 and gone_x * gone_x + gone_y * gone_y <= used * used:
        return
    drop_chain(neighbour, candidates)
    reach = solids[weak + col.FARTHEST] + near[neighbour, col.NEAR_TOUCHING]
    if x * x + y * y > (solids[whole + col.FARTHEST] + reach) ** 2:
        return
    reach += solids[whole + col.PIECES + col.RADIUS]
    nearest, aside, others = find_chain(whole, x, y, reach, solids)
    if others - reach < CHAIN_LEAST_ROOM * reach:
        return
    at = tags[neighbour, col.TAG_CHAIN]
    columns = write_chain(whole, nearest, aside, solids, at)
    tags[neighbour, col.TAG_SOLID_M] = tags[neighbour, col.TAG_STANDING_M] = at
    if tags[neighbour, col.TAG_WHOLE + 1] != whole:
        standing = tags[neighbour, col.TAG_STANDING_M] = tags[neighbour, col.TAG_CHAIN_STANDING]
        solids[standing - 1] = math.nan
        update_posed_solid(at, standing, columns, angle, solids)
    tags[neighbour, col.TAG_COLUMNS_M] = columns
    near[neighbour, col.NEAR_CHAIN_FROM], near[neighbour, col.NEAR_CHAIN_FROM + 1] = x, y
    near[neighbour, col.NEAR_CHAIN_ROOM] = others - reach


@kernel()
def corner_total(count: int, tags: Ints) -> int:
    """Return the number of corners of all candidates; more pieces count as some more corners."""
    columns = 0
    for neighbour in range(count):
        columns += tags[neighbour, col.TAG_WHOLE + 2] - (col.PIECES + col.PIECE_COLUMNS + col.NODE_COLUMNS)
    return columns // col.POINT_COLUMNS


@kernel()
def room_on_chains(count: int, near: Floats) -> float:
    """Return how far W may move at one instant with the present chains."""
    least = math.inf
    for neighbour in range(count):
        if near[neighbour, col.NEAR_CHAIN_ROOM] > 0.0:
            least = min(least, CHAIN_LONGEST_MOVE * near[neighbour, col.NEAR_CHAIN_ROOM])
    return least


@kernel(inline=False)
def time_on_chains(count: int, rest: float, way: Floats, candidates: Candidates) -> float:
    """Return how long, `rest` at most, W may move with the present chains."""
    near = candidates.near
    for neighbour in range(count):
        room = near[neighbour, col.NEAR_CHAIN_ROOM]
        if room > 0.0:
            across, up = relative_velocity(near, neighbour, way)
            x, y = abs(near[neighbour, col.NEAR_CHAIN_FROM]), abs(near[neighbour, col.NEAR_CHAIN_FROM + 1])
            speed = abs(across) + abs(up) + abs(near[neighbour, col.NEAR_SPIN]) * (x + y + room)
            if speed > 0.0:
                rest = min(rest, CHAIN_LONGEST_MOVE * room / speed)
    return rest
