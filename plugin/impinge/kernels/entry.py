"""The kernels that Python calls, from the chosen runtime.

The native module replaces all sources: a start without them is 25 ms shorter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from impinge.kernels import compiler

if TYPE_CHECKING or compiler.MODE != "native":
    from impinge.kernels.pair.impacts import impact_pair, impact_pairs, land_pairs, swept_bounds, time_within
    from impinge.kernels.pair.queries import (
        gap_pair,
        measure_pair,
        measure_pairs,
        overlap_pair,
        overlap_pairs,
        stand,
        sweep,
    )
    from impinge.kernels.pair.solids import find_bounds, turn_by
    from impinge.kernels.roots import polynomial_roots
    from impinge.kernels.sector.candidates import bodies_within, stand_near
    from impinge.kernels.sector.nearest import hit_disks, hit_solid, hit_solids
    from impinge.kernels.sector.sweep import sweep_sector
    from impinge.kernels.sector.visibility import lit_cells, outline_of
    from impinge.kernels.space.box_grid import boxes_met, fill_grid, move_boxes
    from impinge.kernels.space.posed_solids import stand_bodies, write_row
    from impinge.kernels.space.tree import fill, hilbert_keys, set_out
    from impinge.kernels.space.world_queries import (
        bodies_near,
        bodies_over,
        bodies_struck,
        pairs_over,
        restand,
        stand_leaves,
    )
    from impinge.kernels.step.frame import commit, push_pairs, set_goals, step
else:
    from impinge.kernels._native import (
        bodies_near,
        bodies_over,
        bodies_struck,
        bodies_within,
        boxes_met,
        commit,
        fill,
        fill_grid,
        find_bounds,
        gap_pair,
        hilbert_keys,
        hit_disks,
        hit_solid,
        hit_solids,
        impact_pair,
        impact_pairs,
        land_pairs,
        lit_cells,
        measure_pair,
        measure_pairs,
        move_boxes,
        outline_of,
        overlap_pair,
        overlap_pairs,
        pairs_over,
        polynomial_roots,
        push_pairs,
        restand,
        set_goals,
        set_out,
        stand,
        stand_bodies,
        stand_leaves,
        stand_near,
        step,
        sweep,
        sweep_sector,
        swept_bounds,
        time_within,
        turn_by,
        write_row,
    )

__all__ = [
    "bodies_near",
    "bodies_over",
    "bodies_struck",
    "bodies_within",
    "boxes_met",
    "commit",
    "fill",
    "fill_grid",
    "find_bounds",
    "gap_pair",
    "hilbert_keys",
    "hit_disks",
    "hit_solid",
    "hit_solids",
    "impact_pair",
    "impact_pairs",
    "land_pairs",
    "lit_cells",
    "measure_pair",
    "measure_pairs",
    "move_boxes",
    "outline_of",
    "overlap_pair",
    "overlap_pairs",
    "pairs_over",
    "polynomial_roots",
    "push_pairs",
    "restand",
    "set_goals",
    "set_out",
    "stand",
    "stand_bodies",
    "stand_leaves",
    "stand_near",
    "step",
    "sweep",
    "sweep_sector",
    "swept_bounds",
    "time_within",
    "turn_by",
    "write_row",
]
