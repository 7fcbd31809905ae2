"""When machine code is made."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import numpy as np

import impinge
from impinge.kernels import (
    boxes,
    compiler,
    frame,
    impacts,
    questions,
    roots,
    searching,
    sectors,
    sights,
    solids,
    standing,
    swings,
    tree,
    visibility,
)
from impinge.near import NearBoxes


def run(code, **environ):
    ended = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environ}, capture_output=True, text=True, check=True
    )
    return ended.stdout.strip()


def test_importing_compiles_nothing(tmp_path):
    code = "import impinge; from impinge.kernels import compiler; print(len(compiler.missing()))"
    assert int(run(code, NUMBA_CACHE_DIR=str(tmp_path))) == len(compiler.entry_points())
    assert not list(tmp_path.rglob("*.nbc"))


def test_every_kernel_that_python_calls_is_warmed_up():
    bodies = (frame, searching, sights, standing, tree)
    modules = (*bodies, boxes, impacts, questions, roots, sectors, solids, swings, visibility)
    called = {name for module in modules for name in vars(module) if name in compiler.entry_points()}
    worlds = {"hilbert_keys", "set_out", "set_goals", "fill", "step", "commit", "push_pairs"}
    pairs = {"find_bounds", "overlap_pair", "gap_pair", "measure_pair"}
    arrays = {"stand", "overlap_pairs", "measure_pairs", "sweep"}
    cones = {
        "hit_solid",
        "hit_solids",
        "hit_disks",
        "bodies_within",
        "stand_near",
        "lit_cells",
        "outline_of",
        "sweep_sector",
        "turn_by",
    }
    searches = {"bodies_over", "pairs_over", "bodies_struck", "bodies_near", "stand_leaves", "restand"}
    ways = {"impact_pair", "impact_pairs", "land_pairs", "swept_bounds", "time_within"}
    near = {"move_boxes", "fill_grid", "boxes_met"}
    others = {"polynomial_roots", "write_row", "stand_bodies"}
    expected = worlds | pairs | arrays | ways | cones | searches | near | others
    assert called == set(compiler.entry_points()) == expected


def test_after_a_warm_up_no_call_compiles():
    """The example arguments are of the types that the library passes: a game never waits for another compilation."""
    impinge.warm_up()
    world = impinge.World()
    for i in range(50):
        world.add(impinge.Box(1, 1), impinge.Pose(i, 0), might=i % 3)
    world.step()
    world.sector(impinge.Sector(9, 1), impinge.Pose(0, 0), occluders=1)
    world.at_point((0, 0))
    near = NearBoxes()
    near.move(near.append([(-1, -1, 1, 1, 1.0)] * 200), np.zeros((200, 2)))
    for _ in range(200):
        near.met(0.0, 0.0, 1.0, 1.0, math.inf)
    world.overlapping_pairs([1, 2], world.poses([1, 2])[:, :2])
    world.along((0, 0), (9, 9))
    world.nearest((0, 0))
    world.step()
    world.at_point((0, 0))
    impinge.batch.push_boxes((1, 1), (0, 0), (1, 1), (1, 1), [(5, 5)], [(0, 0)])
    arrow, pose = impinge.Polygon([(0, 0), (4, -3), (1, 0), (4, 3)]), impinge.Pose(0, 0, 1)
    impinge.overlaps(arrow, pose, arrow, pose)
    impinge.distance(arrow, pose, arrow, pose)
    impinge.closest_approach(arrow, impinge.Motion.still(pose), arrow, impinge.Motion.still(pose))
    turning = impinge.Motion(pose, impinge.Pose(9, 0, 4))
    impinge.time_of_impact(arrow, impinge.Motion.still(pose), arrow, turning)
    impinge.contact_interval(arrow, impinge.Motion.still(pose), arrow, turning)
    sword, walls = impinge.Sector(9, 1), [(arrow, pose)]
    impinge.sector_hit(sword, pose, arrow, pose, walls)
    impinge.batch.sector_hits(sword, pose, [(0, 0)], 1)
    impinge.sector_sweep(sword, impinge.Motion.still(pose), arrow, impinge.Motion.still(pose))
    impinge.visible_outline(sword, pose, walls)
    solids = impinge.batch.Solids([arrow, arrow])
    impinge.batch.time_of_impact(solids, [(0, 0), (9, 9)], [(0, 0, 1), (1, 1, 0)])
    impinge.batch.overlaps(solids, [(0, 0), (1, 1)], [(0, 1)])
    impinge.batch.contact(solids, [(0, 0), (1, 1)], [(0, 1)])
    impinge.batch.overlapping_pairs(solids, [(0, 0), (1, 1)])
    for dispatcher, example in compiler._entry_points:
        assert dispatcher.signatures == [compiler._types(example)]


def test_without_the_compiler_the_kernels_are_plain_python():
    code = (
        "import impinge as im; "
        "print(im.push(im.Box(2, 2), im.Motion.still(im.Pose(0, 0)), "
        "im.Box(2, 2), im.Motion(im.Pose(0, 5), im.Pose(1, -5))).pose)"
    )
    assert run(code, NUMBA_DISABLE_JIT="1") == "Pose(x=1.0, y=2.0, angle=0.0)"
