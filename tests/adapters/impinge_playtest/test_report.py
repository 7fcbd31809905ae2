"""Reports, replays and the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from drawn_map import write_map
from impinge_playtest import Area, Exploration, explore, load_replay, play
from impinge_playtest.__main__ import main
from impinge_playtest.report import write_report
from planted_rooms import FLAG, JUMPER, Room


@pytest.fixture(scope="module")
def found() -> Exploration:
    room = Room(floor=((0, 500), (540, 800)))
    coins = [Area("a coin & more", 200, 30, 210, 40), Area("cloud", 700, 500, 710, 510)]
    level = room.level(goals=[FLAG], coins=coins, border=Area("border", -20, -20, 820, 420))
    return explore(level, JUMPER, frames=60_000)


def test_a_report_shows_all_findings_and_routes(found: Exploration, tmp_path: Path) -> None:
    write_report(found, tmp_path / "made" / "here")
    folder = tmp_path / "made" / "here"
    page = (folder / "index.html").read_text()
    for name in ("flag", "a coin &amp; more", "cloud", "fall 1"):
        assert f">{name}</td>" in page
    assert sorted(path.name for path in (folder / "replays").iterdir()) == [
        "a-coin---more.json", "fall-1.json", "flag.json"
    ]  # fmt: skip
    for path in (folder / "replays").iterdir():
        assert f'href="replays/{path.name}"' in page
    numbers = json.loads((folder / "report.json").read_text())
    assert [finding["kind"] for finding in numbers["findings"]] == ["unreached", "fall"]
    assert {goal["name"] for goal in numbers["goals"]} == {"flag", "a coin & more"}
    with Image.open(folder / "level.png") as picture:
        assert picture.width <= 1800
        assert len(picture.convert("RGB").getcolors(1 << 24) or ()) > 20  # a heat map, not a blank sheet


def test_replays_of_a_report_repeat_it(found: Exploration, tmp_path: Path) -> None:
    write_report(found, tmp_path)
    level, moves, inputs, title = load_replay(tmp_path / "replays" / "fall-1.json")
    fall = found.findings[1]
    replay = play(level, moves, inputs)
    assert (title, replay.ending, len(inputs)) == ("fall 1", "fall", len(fall.inputs))
    assert replay.places[-1].tolist() == [fall.x, fall.y]


def test_a_second_report_removes_former_replays(found: Exploration, tmp_path: Path) -> None:
    (tmp_path / "replays").mkdir()
    (tmp_path / "replays" / "trap-9.json").write_text("{}")
    write_report(found, tmp_path)
    assert not (tmp_path / "replays" / "trap-9.json").exists()


def test_a_replay_is_recorded(found: Exploration, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_report(found, tmp_path)
    file, picture = tmp_path / "replays" / "flag.json", tmp_path / "x.gif"
    assert main(["replay", str(file), "--record", str(picture)]) == 0
    frames = found.routes[0].frames
    assert f"after {frames} frames" in capsys.readouterr().out
    with Image.open(picture) as recorded:
        assert recorded.n_frames > frames // 3  # type: ignore[attr-defined]


def test_the_command_returns_1_for_findings_and_0_without(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--frames", "60000", "--player", "20,40", "--quiet"]
    assert main([str(write_map(tmp_path / "sound.json")), *options, "--report", str(tmp_path / "report")]) == 0
    assert capsys.readouterr().out.startswith("1 of 1 goals and coins reached, 0 findings in ")
    assert (tmp_path / "report" / "index.html").exists()

    hole = write_map(tmp_path / "hole.json", floor=450)
    assert main([str(hole), *options]) == 1
    fall, last = capsys.readouterr().out.splitlines()
    assert fall.startswith("fall 'fall 1' at (")
    assert ", 1 findings in " in last
    assert main([str(hole), *options, "--allow", "fall"]) == 0
    assert capsys.readouterr().out.startswith("allowed: fall 'fall 1'")

    assert main([str(write_map(tmp_path / "far.json", goal=900)), *options]) == 1
    assert capsys.readouterr().out.startswith("unreached 'Goal' at (920, 75)")


def test_progress_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(write_map(tmp_path / "sound.json")), "--frames", "30000", "--player", "20,40"])
    shown = capsys.readouterr().err
    assert "100%" in shown
    assert "1 of 1 goals" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["MAP", "--goal", "Nowhere"], "sensors: there is no layer 'Nowhere'"),
        (["MAP", "--walls", "Goal", "--frames", "0"], "frames must be a positive integer, got 0"),
        (["MAP", "--moves", "topdown", "--jump", "4"], "--jump is only for --moves platformer"),
        (["missing.json"], "missing.json"),
        (["replay", "MAP"], "is no replay"),
    ],
)
def test_mistakes_return_2_and_a_line(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = str(write_map(tmp_path / "map.json"))
    assert main([made if word == "MAP" else word for word in arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.startswith("impinge_playtest: ")


def test_a_map_without_a_start_needs_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_map(tmp_path / "map.json")
    path.write_text(path.read_text().replace('"start"', '"nothing"'))
    assert main([str(path), "--frames", "1000", "--quiet"]) == 2
    assert "spawn must be given" in capsys.readouterr().err
