"""The bodies of a world near a sector: the broadphase, and the posed solids of the candidates.

`nearest` finds the nearest point of a solid in the sector. `visibility` finds the part of the sector that walls leave
visible.
"""

from __future__ import annotations

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats, Ints
from impinge.kernels.compiler import kernel
from impinge.kernels.space.posed_solids import write_posed_body
from impinge.kernels.space.tree import FANOUT, MAX_LEVELS
from impinge.kernels.space.world_queries import cast_candidates, set_cast_axis
from impinge.kernels.tolerances import ROUNDING, SLOP


@kernel()
def distance_to_bounds(floats: Floats, body: int, place: float, axis: int) -> float:
    """Return the distance of a body's bounds from a coordinate on an axis, less their slop; 0 if they contain it."""
    low, high = floats[body, col.LOWER_REACH + axis], floats[body, col.UPPER_REACH + axis]
    away = floats[body, col.START + axis] - place
    return max(max(away + low, -away - high) - SLOP * (abs(low) + abs(high)), 0.0)


def _near_example() -> tuple[float, float, float, int, Ints, Floats, Ints, Floats, Ints, Ints]:
    longs, floats, ints = (
        np.zeros(1, np.int64),
        np.zeros((1, col.FLOAT_COLUMNS)),
        np.zeros((1, col.INT_COLUMNS), np.int64),
    )
    return 0.0, 0.0, 0.0, 0, longs, floats, ints, np.zeros((1, 4)), np.zeros(2, np.int64), longs


@kernel(_near_example)
def bodies_within(
    x: float,
    y: float,
    reach: float,
    layers: int,
    left_out: Ints,
    floats: Floats,
    ints: Ints,
    nodes: Floats,
    levels: Ints,
    leaves: Ints,
) -> Ints:
    """Return the rows of the bodies of some layers whose bounds are within `reach` of a point. Search the tree."""
    wide = reach * (1.0 + SLOP) + 2.0 * ROUNDING * (abs(x) + abs(y) + reach)
    way, stack = np.empty(col.CAST_COLUMNS), np.empty(2 * FANOUT * MAX_LEVELS, np.int64)
    set_cast_axis(way, 0, x, x, -wide, wide, 0.0)
    set_cast_axis(way, 1, y, y, -wide, wide, 0.0)
    bodies = np.empty(leaves.shape[0], np.int64)
    total = cast_candidates(way, layers, left_out, ints, nodes, levels, leaves, stack, bodies)
    count = 0
    for index in range(total):
        gap_x, gap_y = distance_to_bounds(floats, bodies[index], x, 0), distance_to_bounds(floats, bodies[index], y, 1)
        if gap_x * gap_x + gap_y * gap_y <= wide * wide:
            bodies[count] = bodies[index]
            count += 1
    return bodies[:count]


def _stand_example() -> tuple[Floats, Ints, Ints, Floats, Floats, Ints, Floats]:
    floats, ints = np.zeros((1, col.FLOAT_COLUMNS)), np.zeros((1, col.INT_COLUMNS), np.int64)
    longs = np.zeros(1, np.int64)
    return floats, ints, longs, np.zeros(1), np.zeros(1), longs, np.zeros((1, 2))


@kernel(_stand_example)
def write_posed_bodies(
    floats: Floats, ints: Ints, bodies: Ints, pool: Floats, rows: Floats, firsts: Ints, places: Floats
) -> None:
    """Write the posed solids of bodies into `rows`, and their positions; `firsts` has the first column of each."""
    for index in range(bodies.shape[0]):
        body = bodies[index]
        places[index, 0], places[index, 1] = floats[body, col.START], floats[body, col.START + 1]
        write_posed_body(floats, ints, pool, body, rows, firsts[index])
