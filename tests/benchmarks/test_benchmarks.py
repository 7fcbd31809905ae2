"""Each benchmark runs at a small size and prints its tables. The measured times are not checked."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scale import PATIENCE, some

ROOT = Path(__file__).parents[2]

TITLES = {
    "push_boxes": ["many touch", "few touch"],
    "world_step": ["top-down", "platformer", "fast", "grows"],
    "world_shapes": [
        "Worlds of boxes",
        "a third at angles",
        "a tenth turns",
        "Boxes: ",
        "Boxes, dense",
        "Mixed shapes: ",
        "Mixed shapes, dense",
        "Mixed shapes, a tenth turns",
        "Mixed shapes, many",
        "Which shape costs what?",
        "What does a walker cost?",
        "What do sensors cost?",
        "What do sensors cost?",
        "What does a hook cost?",
        "How does it grow? boxes",
        "How does it grow? mixed shapes",
        "How does it grow? mixed shapes, dense",
        "What does a body cost?",
    ],
    "long_frames": ["over flat tiles", "over round bumps", "corners turns under", "bounces in a gap"],
    "fleet": ["8 boxes among", "8 capsules among"],
    "gym": ["of 8 copies of a level", "A ray of 16"],
    "playtest": ["How fast is it?"],
    "push_engine": [
        "in the air",
        "stands",
        "1 player slides",
        "10 players slide",
        "10 players slide",
        "walls move",
        "empties or fills",
    ],
    "drop_in": [
        "tiles at rest",
        "tiles at rest",
        "tiles, 5 of them move",
        "tiles at rest, for a sprite that leaps",
        "concave robots",
        "shots, all of which move",
        "A player stands",
        "A player walks",
        "tiles is taken up",
        "players among",
    ],
    "questions": [
        "polygons, dense",
        "polygons, sparse",
        "convex quads",
        "How far, how deep, where?",
        "How far, how deep, where?",
        "Which overlap?",
        "Which overlap?",
        "Making",
        "circle and circle",
        "upright boxes",
        "turned boxes",
        "convex",
        "concave",
    ],
    "impacts": [
        "quads, straight, of",
        "quads, straight, of",
        "quads, turning",
        "circle and circle",
        "upright boxes",
        "quads",
        "concave with",
        "turning boxes",
        "concave outlines",
        "concave outlines",
        "Which collide?",
        "Which collide?",
    ],
    "sectors": [
        "a crowd",
        "a melee",
        "a crowd",
        "a melee",
        "What does a cheap test save?",
        "a disk",
        "a box",
        "a concave polygon",
        "Who is reached?",
        "What is lit?",
        "What is lit?",
        "What is lit?",
        "a disk going straight, the sector stands",
        "a disk going straight, the sector turns",
        "a box going straight",
        "a box that turns",
    ],
    "pymunk_steps": [
        "of them bullets",
        "none of them fast",
        "bullets in lanes",
        "1 slow body",
        "100 fast bodies",
        "rods on joints",
        "5 crates on them, and a door",
        "The first step",
        "What does a crate strike",
        "Whom does a guard see",
    ],
    "swarm": ["A frame of the swarm"],
    "cold_start": ["A start"],
    "broadphases": ["All pairs of 100 boxes", "fast bodies", "queries after 50", "queries after 5 "],
    "by_turns": ["Is world_step as fast here as there?"],
}


@pytest.mark.parametrize("name", some(TITLES, least=2))
def test_a_benchmark_prints_a_table_for_each_question(name: str) -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", f"benchmarks/{name}.py", "--quick"],
        cwd=ROOT,
        env={**os.environ, "ARCADE_HEADLESS": "True", "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    machine, *blocks = run.stdout.strip().split("\n\n")
    assert "Python" in machine
    tables = [block.splitlines() for block in blocks if "\n" in block]
    for title, (heading, columns, *rows) in zip(TITLES[name], tables, strict=True):
        assert title in heading
        assert columns.split()[0] in ("a", "an")
        assert len(rows) > 1
        assert all(re.search(r"\d (ns|µs|ms) .*\d\.\d\d(\s|$)", row) for row in rows)


def test_the_page_names_every_benchmark() -> None:
    page = (ROOT / "benchmarks" / "README.md").read_text("utf-8")
    scripts = {path.stem for path in (ROOT / "benchmarks").glob("*.py")} - {"timing"}
    assert scripts == set(TITLES) == set(re.findall(r"^python benchmarks/(\w+)\.py$", page, re.MULTILINE))
