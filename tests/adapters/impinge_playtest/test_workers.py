"""The report does not depend on the number of processes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import impinge as im
from impinge_playtest import Level, explore
from impinge_playtest.explorer import CELLS_OF_SHARD
from planted_rooms import JUMPER, Room, busy_level, explore_busily, report_files


@pytest.fixture(scope="module")
def level() -> Level:
    return busy_level()


def report(level: Level, folder: Path, workers: int) -> dict[str, bytes]:
    found = explore_busily(level, frames=120_000, workers=workers)
    assert found.cells > 2 * CELLS_OF_SHARD  # rounds of several shards
    return report_files(found, folder)


@pytest.mark.long
def test_the_report_is_the_same_for_1_2_and_4_workers(level: Level, tmp_path: Path) -> None:
    alone = report(level, tmp_path / "1", 1)
    assert {"index.html", "level.png", "level.json", "report.json"} <= alone.keys()
    assert len(alone) > 6
    for workers in (2, 4):
        assert report(level, tmp_path / str(workers), workers) == alone


def test_another_seed_plays_otherwise() -> None:
    one, other = (explore(Room().level(), JUMPER, frames=10_000, seed=seed) for seed in (5, 6))
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


def test_ray_names_its_extra_if_it_is_missing(level: Level, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "impinge_playtest.ray_cluster", raising=False)
    with pytest.raises(ModuleNotFoundError, match=r"Ray is not installed: pip install impinge\[ray\]"):
        explore(level, JUMPER, frames=1000, ray="local")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"workers": 0}, "workers must be a positive integer, got 0"),
        ({"workers": 2, "ray": "local"}, "workers must be 1 with ray, got 2"),
        ({"resume": True}, "resume must be False without a checkpoint, got True"),
    ],
)
def test_bad_keywords_are_refused(level: Level, options: dict[str, Any], message: str) -> None:
    with pytest.raises(im.ShapeError, match=message):
        explore(level, JUMPER, **options)


def test_unknown_keywords_are_refused(level: Level) -> None:
    with pytest.raises(TypeError, match=r"explore\(\) got an unexpected keyword argument 'worker'"):
        explore(level, JUMPER, worker=2)  # type: ignore[call-arg]
