"""Replays and checkpoints from a stranger: each is played, or refused with one kind of error, in time and memory."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import pytest

import hostile_playtests
import impinge as im
from impinge_playtest import Level, load_replay
from impinge_playtest.replay import save_replay
from planted_rooms import JUMPER, Room
from scale import cases


@pytest.mark.parametrize(("of", "full"), [("replays", 2_000), ("checkpoints", 800)])
def test_mutated_files_are_played_or_refused(of: str, full: int) -> None:
    """Of 150 replays, 136 raised another error; of 150 checkpoints, 60 raised IndexError or went on with nonsense."""
    told: list[str] = []
    assert hostile_playtests.run(cases(full), 51, 60.0, of, told.append) == 0, told


@pytest.fixture
def replay(tmp_path: Path) -> Path:
    """Return a replay file with its level."""
    (tmp_path / "level.json").write_text(Room().level().dumps(), encoding="utf-8")
    (tmp_path / "replays").mkdir()
    path = tmp_path / "replays" / "fall.json"
    save_replay(path, JUMPER, [2] * 20 + [0] * 9, "a fall")
    return path


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([["right", 2147483647]], "a run must have 1 to 10000000 frames, and all together, got 2147483647"),
        ([["right", 9_999_999], ["left", 2]], "a run must have 1 to 10000000 frames, and all together, got 2"),
        ([["right", -1]], "a run must have 1 to 10000000 frames, and all together, got -1"),
        ([["right", True]], "a run must have 1 to 10000000 frames, and all together, got True"),
        ([["flight", 1]], "KeyError.*flight"),
        ([["right"]], "ValueError"),
        (7, "TypeError"),
    ],
)
def test_a_replay_with_wrong_inputs_is_refused(replay: Path, inputs: Any, message: str) -> None:
    """A run of 2147483647 frames took 16 GB."""
    kept = json.loads(replay.read_text(encoding="utf-8"))
    replay.write_text(json.dumps({**kept, "inputs": inputs}), encoding="utf-8")
    with pytest.raises(im.SnapshotError, match=rf"fall\.json is no replay: .*{message}"):
        load_replay(replay)


def test_a_level_that_unpacks_to_more_than_a_snapshot_may_have_is_refused() -> None:
    kept = json.loads(Room().level().dumps())
    packed = zlib.compressobj()
    zeros = [packed.compress(bytes(1 << 24)) for _ in range(17)]
    kept["world"] = base64.b64encode(b"".join([*zeros, packed.flush()])).decode()
    with pytest.raises(im.SnapshotError, match="snapshot must be within limits"):
        Level.loads(json.dumps(kept))
