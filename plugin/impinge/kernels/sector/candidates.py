"""The bodies of a world near a sector: the broadphase, and the posed solids of the candidates.

`nearest` finds the nearest point of a solid in the sector. `visibility` finds the part of the sector that walls leave
visible.
"""

from __future__ import annotations

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels import examples
from impinge.kernels.arrays import Bodies, Floats, Ints, PosedSolids, QueryFilter, Tree, Vector
from impinge.kernels.compiler import kernel
from impinge.kernels.space.posed_solids import write_posed_body
from impinge.kernels.space.tree import FANOUT, MAX_LEVELS
from impinge.kernels.space.world_queries import cast_candidates, query_example, set_cast_axis
from impinge.kernels.tolerances import ROUNDING, SLOP


@kernel()
def distance_to_bounds(floats: Floats, body: int, place: float, axis: int) -> float:
    """Return the distance of a body's bounds from a coordinate on an axis, less their slop; 0 if they contain it."""
    low, high = floats[body, col.LOWER_REACH + axis], floats[body, col.UPPER_REACH + axis]
    away = floats[body, col.START + axis] - place
    return max(max(away + low, -away - high) - SLOP * (abs(low) + abs(high)), 0.0)


def _within_example() -> tuple[Vector, float, QueryFilter, Bodies, Tree]:
    return (0.0, 0.0), 0.0, *query_example()


@kernel(_within_example)
def bodies_within(place: Vector, reach: float, query: QueryFilter, bodies: Bodies, tree: Tree) -> Ints:
    """Return the rows of the bodies whose bounds are within `reach` of a place. Search the tree."""
    x, y = place
    wide = reach * (1.0 + SLOP) + 2.0 * ROUNDING * (abs(x) + abs(y) + reach)
    way, stack = np.empty(col.CAST_COLUMNS), np.empty(2 * FANOUT * MAX_LEVELS, np.int64)
    set_cast_axis(way, 0, x, x, -wide, wide, 0.0)
    set_cast_axis(way, 1, y, y, -wide, wide, 0.0)
    floats, found = bodies.floats, np.empty(tree.leaves.shape[0], np.int64)
    total = cast_candidates(way, query, bodies.ints, tree, stack, found)
    count = 0
    for index in range(total):
        gap_x, gap_y = distance_to_bounds(floats, found[index], x, 0), distance_to_bounds(floats, found[index], y, 1)
        if gap_x * gap_x + gap_y * gap_y <= wide * wide:
            found[count] = found[index]
            count += 1
    return found[:count]


def _posed_example() -> tuple[Bodies, Ints, PosedSolids]:
    solids = PosedSolids(np.zeros(1), np.zeros(1, np.int64), np.zeros((1, 2)))
    return examples.bodies(), np.zeros(1, np.int64), solids


@kernel(_posed_example)
def write_posed_bodies(bodies: Bodies, chosen: Ints, solids: PosedSolids) -> None:
    """Write the posed solids of bodies, and their positions. The first column of each is already written."""
    floats, ints, pool = bodies
    rows, firsts, places = solids
    for index in range(chosen.shape[0]):
        body = chosen[index]
        places[index, 0], places[index, 1] = floats[body, col.START], floats[body, col.START + 1]
        write_posed_body(floats, ints, pool, body, rows, firsts[index])
