"""The kernels that Python calls, from the chosen runtime.

The native module replaces all sources: a start without them is 25 ms shorter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from impinge.kernels import compiler

if TYPE_CHECKING or compiler.MODE != "native":
    from impinge.kernels.foreign import read_objects, tell_each
    from impinge.kernels.pair.impacts import finish_impacts, impact_pair, impact_pairs, swept_bounds, time_within
    from impinge.kernels.pair.queries import (
        gap_pair,
        measure_pair,
        measure_pairs,
        overlap_pair,
        overlap_pairs,
        pose_solids,
        sweep,
    )
    from impinge.kernels.pair.solids import find_bounds, turn_by
    from impinge.kernels.roots import polynomial_roots
    from impinge.kernels.sector.candidates import bodies_within, write_posed_bodies
    from impinge.kernels.sector.nearest import hit_disks, hit_solid, hit_solids
    from impinge.kernels.sector.sweep import sweep_sector
    from impinge.kernels.sector.visibility import outline_of, visible_sector_cells
    from impinge.kernels.space.box_grid import fill_grid, move_boxes, overlapping_boxes
    from impinge.kernels.space.engine_bodies import finish_bodies, send_bodies
    from impinge.kernels.space.fast_bodies import find_fast, find_near
    from impinge.kernels.space.meetings import find_strikes, list_hits, move_in_turn, settle_meetings, write_courses
    from impinge.kernels.space.posed_solids import update_all_pose_bounds, write_row
    from impinge.kernels.space.shape_pairs import (
        find_arrivals,
        find_changed,
        find_ends,
        list_members,
        list_sent,
        write_falls,
        write_movers,
        write_pairs,
        write_rests,
    )
    from impinge.kernels.space.tree import fill_tree, hilbert_keys
    from impinge.kernels.space.world_queries import (
        bodies_hit,
        bodies_near,
        bodies_over,
        fit_pose_leaves,
        pairs_over,
        refit_pose_leaves,
    )
    from impinge.kernels.step.copies import cast_rays, step_copies
    from impinge.kernels.step.frame import push_pairs, set_goals, step, undo
else:
    from impinge.kernels._native import (
        bodies_hit,
        bodies_near,
        bodies_over,
        bodies_within,
        cast_rays,
        fill_grid,
        fill_tree,
        find_arrivals,
        find_bounds,
        find_changed,
        find_ends,
        find_fast,
        find_near,
        find_strikes,
        finish_bodies,
        finish_impacts,
        fit_pose_leaves,
        gap_pair,
        hilbert_keys,
        hit_disks,
        hit_solid,
        hit_solids,
        impact_pair,
        impact_pairs,
        list_hits,
        list_members,
        list_sent,
        measure_pair,
        measure_pairs,
        move_boxes,
        move_in_turn,
        outline_of,
        overlap_pair,
        overlap_pairs,
        overlapping_boxes,
        pairs_over,
        polynomial_roots,
        pose_solids,
        push_pairs,
        read_objects,
        refit_pose_leaves,
        send_bodies,
        set_goals,
        settle_meetings,
        step,
        step_copies,
        sweep,
        sweep_sector,
        swept_bounds,
        tell_each,
        time_within,
        turn_by,
        undo,
        update_all_pose_bounds,
        visible_sector_cells,
        write_courses,
        write_falls,
        write_movers,
        write_pairs,
        write_posed_bodies,
        write_rests,
        write_row,
    )

__all__ = [
    "bodies_hit",
    "bodies_near",
    "bodies_over",
    "bodies_within",
    "cast_rays",
    "fill_grid",
    "fill_tree",
    "find_arrivals",
    "find_bounds",
    "find_changed",
    "find_ends",
    "find_fast",
    "find_near",
    "find_strikes",
    "finish_bodies",
    "finish_impacts",
    "fit_pose_leaves",
    "gap_pair",
    "hilbert_keys",
    "hit_disks",
    "hit_solid",
    "hit_solids",
    "impact_pair",
    "impact_pairs",
    "list_hits",
    "list_members",
    "list_sent",
    "measure_pair",
    "measure_pairs",
    "move_boxes",
    "move_in_turn",
    "outline_of",
    "overlap_pair",
    "overlap_pairs",
    "overlapping_boxes",
    "pairs_over",
    "polynomial_roots",
    "pose_solids",
    "push_pairs",
    "read_objects",
    "refit_pose_leaves",
    "send_bodies",
    "set_goals",
    "settle_meetings",
    "step",
    "step_copies",
    "sweep",
    "sweep_sector",
    "swept_bounds",
    "tell_each",
    "time_within",
    "turn_by",
    "undo",
    "update_all_pose_bounds",
    "visible_sector_cells",
    "write_courses",
    "write_falls",
    "write_movers",
    "write_pairs",
    "write_posed_bodies",
    "write_rests",
    "write_row",
]
