"""An exploration that ended goes on from its checkpoint, with the result that it has without a break."""

from __future__ import annotations

import io
import json
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawn_map import write_map
from impinge_playtest import Exploration, Level, Platformer, explore
from impinge_playtest import __main__ as command
from impinge_playtest import checkpoint as files
from planted_rooms import JUMPER, Room, busy_level, report_files
from scale import some
from screenless import python

# Plays the busy level, and is killed after the third round. Its checkpoints follow each round.
KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from impinge_playtest import checkpoint
from planted_rooms import JUMPER, busy_level
from impinge_playtest import explore
checkpoint.INTERVAL = 0.0
told = []

def after_round(progress):
    told.append(progress)
    if len(told) == 3:
        os.kill(os.getpid(), signal.SIGKILL)

explore(busy_level(), JUMPER, frames=150_000, cell_size=8.0, progress=after_round, checkpoint=sys.argv[2])
"""


@pytest.fixture(scope="module")
def level() -> Level:
    return busy_level()


@pytest.fixture(scope="module")
def whole(level: Level, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the report of an exploration without a break."""
    return report_files(explored(level), tmp_path_factory.mktemp("whole"))


def explored(level: Level, **options: Any) -> Exploration:
    return explore(level, JUMPER, **{"frames": 150_000, "cell_size": 8.0, **options})


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the checkpoint of a short exploration of a room."""
    path = tmp_path_factory.mktemp("written") / "short.npz"
    explore(Room().level(), JUMPER, frames=10_000, checkpoint=path)
    return path.read_bytes()


@pytest.fixture
def short(written: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "short.npz"
    path.write_bytes(written)
    return path


class InterruptError(Exception):
    """Raised by `progress`."""


def interrupted(_: object) -> None:
    """Raise an error after a round."""
    raise InterruptError


@pytest.mark.long
def test_a_killed_process_goes_on(level: Level, whole: dict[str, bytes], tmp_path: Path) -> None:
    """SIGKILL leaves no time to write anything."""
    script, path = tmp_path / "killed.py", tmp_path / "made" / "level.npz"
    script.write_text(KILLED)
    ended = python(script, Path(__file__).parents[2] / "oracles", path, folder=tmp_path)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    told: list[Any] = []
    found = explored(level, checkpoint=path, resume=True, progress=told.append)
    assert told[0].frames > 150_000  # the first two rounds, of 98,304 and 49,152 frames, were not played again
    assert report_files(found, tmp_path / "report") == whole


def test_each_error_of_progress_leaves_a_checkpoint(level: Level, whole: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "level.npz"
    for resume in (False, True):
        with pytest.raises(InterruptError):
            explored(level, progress=interrupted, checkpoint=path, resume=resume)
    found = explored(level, checkpoint=str(path), resume=True)
    assert report_files(found, tmp_path / "report") == whole


def test_a_finished_exploration_goes_on_with_more_frames(level: Level, whole: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "level.npz"
    explored(level, frames=80_000, checkpoint=path)
    found = explored(level, checkpoint=path, resume=True)
    assert report_files(found, tmp_path / "report") == whole


def test_a_checkpoint_is_written_each_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock of 25 s a round: the third round and the sixth one, and the end after the seventh."""
    now, saved = [0.0], []
    monkeypatch.setattr(files.time, "monotonic", lambda: now[0])
    save = files.Checkpoint.save
    monkeypatch.setattr(files.Checkpoint, "save", lambda self, state: (saved.append(now[0]), save(self, state)))

    def after_round(progress: object) -> None:
        now[0] += 25.0

    explore(Room().level(), JUMPER, frames=7 * 49_000, checkpoint=tmp_path / "x.npz", progress=after_round)
    assert saved[:3] == [75.0, 150.0, now[0]]


def test_a_write_that_fails_leaves_the_former_file(short: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    former = short.read_bytes()

    def fails(file: io.BufferedWriter, **_: object) -> None:
        file.write(b"half")
        raise OSError("no space left")

    monkeypatch.setattr(np, "savez", fails)
    with pytest.raises(OSError, match="no space left"):
        explore(Room().level(), JUMPER, frames=60_000, checkpoint=short, resume=True)
    assert short.read_bytes() == former


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": 3}, r"seed must be 0, as in the checkpoint .*short\.npz, got 3"),
        ({"cell_size": 5.0}, r"cell_size must be 10\.0, as in the checkpoint"),
        ({"moves": Platformer(speed=4.0)}, r"moves must be \{.*'speed': 5\.0.* got .*'speed': 4\.0"),
        ({"level": busy_level()}, r"level must be 'level \w+', as in the checkpoint .*, got 'level \w+'"),
    ],
)
def test_the_checkpoint_of_something_else_is_refused(short: Path, options: dict[str, Any], message: str) -> None:
    played = {"level": Room().level(), "moves": JUMPER, **options}
    former = short.read_bytes()
    with pytest.raises(ValueError, match=message):
        explore(**played, checkpoint=short, resume=True)
    assert short.read_bytes() == former


def edited(path: Path, **changes: Any) -> bytes:
    """Return a checkpoint with other arrays."""
    with np.load(path) as file:
        kept = {**file, **changes}
    made = io.BytesIO()
    np.savez(made, **{name: array for name, array in kept.items() if array is not None})
    return made.getvalue()


def changed(path: Path, name: str, value: int) -> bytes:
    """Return a checkpoint with another first number in an array."""
    with np.load(path) as file:
        array = file[name]
    array.flat[0] = value
    return edited(path, **{name: array})


def with_header(path: Path, **changes: Any) -> bytes:
    with np.load(path) as file:
        header = {**json.loads(file["header"].tobytes()), **changes}
    return edited(path, header=np.frombuffer(json.dumps(header).encode(), np.uint8))


def flipped(path: Path) -> bytes:
    """Return a file in which a byte of the states differs."""
    content = bytearray(path.read_bytes())
    content[content.index(b"states.npy") + 500] ^= 1
    return bytes(content)


class Payload:
    """Runs code when it is unpickled."""

    def __reduce__(self) -> Any:
        return os.mkdir, ("ran",)


@pytest.mark.parametrize(
    "damaged",
    some(
        [
            lambda path: b"no checkpoint",
            lambda path: path.read_bytes()[:-400],
            flipped,
            lambda path: edited(path, states=None),
            lambda path: changed(path, "numbers", 1 << 40),
            lambda path: edited(path, states=np.array([Payload()])),
            lambda path: b"",
            lambda path: path.read_bytes()[: path.stat().st_size // 2],
            lambda path: edited(path, header=None),
            lambda path: edited(path, states=np.zeros((3, 2))),
            lambda path: edited(path, states=np.zeros((3, 11))),
            lambda path: changed(path, "numbers", -7),
        ],
        least=6,
    ),
)
def test_damaged_files_are_refused(damaged: Any, short: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(short.parent)
    short.write_bytes(damaged(short))
    with pytest.raises(ValueError, match=r"checkpoint must be a whole file of impinge_playtest, got .*short\.npz"):
        explore(Room().level(), JUMPER, checkpoint=short, resume=True)
    assert not Path("ran").exists()


def test_files_of_other_versions_and_programs_are_refused(short: Path) -> None:
    for changes, message in (
        ({"version": 9}, "checkpoint must be of version 1, got .* of version 9"),
        ({"format": "drawings"}, "checkpoint must be of version 1, got "),
        ({"subject": {}}, "level must be None, as in the checkpoint"),
    ):
        content = with_header(short, **changes)
        former = short.read_bytes()
        short.write_bytes(content)
        with pytest.raises(ValueError, match=message):
            explore(Room().level(), JUMPER, checkpoint=short, resume=True)
        short.write_bytes(former)


def test_a_missing_file_and_a_bad_path_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="none"):
        explore(Room().level(), JUMPER, checkpoint=tmp_path / "none", resume=True)
    (tmp_path / "folder").mkdir()
    told: list[object] = []
    with pytest.raises(IsADirectoryError, match=r"checkpoint must be a file, got the folder .*folder"):
        explore(Room().level(), JUMPER, frames=1000, checkpoint=tmp_path / "folder", progress=told.append)
    assert told == []


def test_the_command_stops_after_a_round_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl+C in the second round. The report is that of a command without a break."""
    options = [str(write_map(tmp_path / "map.json", floor=450)), "--frames", "150000", "--player", "20,40"]
    assert command.main([*options, "--report", str(tmp_path / "whole")]) == 1
    draw, drawn = command.ProgressLine.draw, []

    def draw_and_stop(self: Any, progress: Any) -> None:
        draw(self, progress)
        drawn.append(progress)
        if len(drawn) == 2:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(command.ProgressLine, "draw", draw_and_stop)
    capsys.readouterr()
    folder = tmp_path / "broken"
    handler = signal.getsignal(signal.SIGINT)
    assert command.main([*options, "--report", str(folder)]) == 130
    assert signal.getsignal(signal.SIGINT) is handler
    told = capsys.readouterr()
    assert told.out == ""
    assert f"impinge_playtest: stopped; --resume goes on from {folder / 'checkpoint.npz'}" in told.err
    assert len(drawn) == 2
    assert command.main([*options, "--report", str(folder), "--resume"]) == 1
    names = ("report.json", "index.html", "level.png", "replays/fall-1.json")
    assert [(folder / name).read_bytes() for name in names] == [
        (tmp_path / "whole" / name).read_bytes() for name in names
    ]


def test_the_command_says_what_resume_needs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = str(write_map(tmp_path / "map.json"))
    assert command.main([made, "--resume"]) == 2
    assert "--resume needs --report or --checkpoint" in capsys.readouterr().err
    assert command.main([made, "--resume", "--checkpoint", str(tmp_path / "none"), "--quiet"]) == 2
    assert "none" in capsys.readouterr().err
