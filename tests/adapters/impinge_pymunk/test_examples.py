"""Pymunk's own examples, unmodified, except that each space they make is continuous."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scale import PATIENCE, some

PLAYER = Path(__file__).with_name("play_example.py")
FRAMES = 120
# Bodies beyond this are lost. Each example fits one screen, and bodies that leave it fall for two seconds.
FAR = 1e5


def play(name: str, folder: Path, *how: str) -> dict[str, Any]:
    """Play an example, and return its output."""
    run = subprocess.run(
        [sys.executable, PLAYER, name, str(FRAMES), folder / "last.png", *how],
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    told: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return told


@pytest.mark.parametrize(
    "name",
    some(["breakout", "platformer", "flipper", "tank", "playground", "slide_and_pinjoint", "collisions"], least=2),
)
def test_it_plays_on_as_it_is(name: str, tmp_path: Path) -> None:
    told = play(name, tmp_path, "continuous")
    assert told["frames"] == FRAMES
    assert told["spaces"] >= 1
    assert all(math.hypot(x, y) < FAR and math.isfinite(angle) for x, y, angle in told["places"])
    assert (tmp_path / "last.png").stat().st_size > 0


@pytest.mark.parametrize(
    ("name", "bodies"),
    some(
        [
            ("planet", 100),
            ("box2d_pyramid", 100),
            ("constraints", 20),
            ("balls_and_lines", 7),
            ("bouncing_balls", 2),
            ("contact_with_friction", 2),
            ("contact_and_no_flipy", 2),
            ("point_query", 2),
            ("damped_rotary_spring_pointer", 1),
        ]
    ),
)
def test_where_nothing_is_fast_all_is_where_it_would_be(name: str, bodies: int, tmp_path: Path) -> None:
    """The examples without fast bodies, compared to the last bit."""
    plain, told = play(name, tmp_path), play(name, tmp_path, "continuous")
    assert plain["places"] == told["places"]
    assert len(plain["places"]) >= bodies
