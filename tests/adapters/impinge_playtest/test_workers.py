"""The report does not depend on the number of processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from impinge_playtest import Area, Level, explore
from impinge_playtest.explorer import CELLS_OF_SHARD
from impinge_playtest.report import write_report
from planted_rooms import JUMPER, Room, shutting_door


@pytest.fixture(scope="module")
def level() -> Level:
    """Return a level with findings of most kinds: a door, a hole, a pit."""
    room = Room(floor=((0, 620), (660, 800)))
    shutting_door(room, 150)
    for left, height in ((230, 70), (280, 130), (330, 190)):
        room.block(left, 0, left + 50, height)
    room.block(560, 0, 600, 190)
    coins = [Area("low", 30, 50, 40, 60), Area("high", 450, 390, 460, 399)]
    return room.level(coins=coins, border=Area("border", -20, -20, 820, 420))


def report(level: Level, folder: Path, workers: int) -> dict[str, bytes]:
    found = explore(level, JUMPER, frames=250_000, seed=5, workers=workers, cell_size=4.0)
    assert found.cells > 2 * CELLS_OF_SHARD  # rounds of several shards
    write_report(found, folder)
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.long
def test_the_report_is_the_same_for_1_2_and_4_workers(level: Level, tmp_path: Path) -> None:
    alone = report(level, tmp_path / "1", 1)
    assert {"index.html", "level.png", "level.json", "report.json"} <= alone.keys()
    assert len(alone) > 6
    for workers in (2, 4):
        assert report(level, tmp_path / str(workers), workers) == alone


def test_another_seed_plays_otherwise(level: Level) -> None:
    one, other = (explore(level, JUMPER, frames=10_000, seed=seed) for seed in (5, 6))
    assert one.cells != other.cells


def test_progress_is_told_after_each_round(level: Level) -> None:
    told: list[tuple[int, int]] = []
    found = explore(level, JUMPER, frames=30_000, progress=lambda each: told.append((each.frames, each.areas)))
    assert told == sorted(told)
    assert told[-1][0] >= 30_000
    assert {areas for _, areas in told} == {3}
    assert found.rounds >= len(told)


def test_seconds_end_an_exploration(level: Level) -> None:
    found = explore(level, JUMPER, frames=10**9, seconds=1e-9)
    assert found.unconfirmed == 0


def test_an_error_of_a_worker_is_raised(level: Level, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Level, "dumps", lambda self: "{}")
    with pytest.raises(Exception, match=r"terminated|abruptly|not usable"):
        explore(level, JUMPER, frames=1000, workers=2)
