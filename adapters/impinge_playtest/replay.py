"""Plays a sequence of inputs in a world of its own: the check of each finding, and what a replay file shows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

import impinge as im
from impinge_playtest.checkpoint import DAMAGES
from impinge_playtest.grid import Cells, Zone
from impinge_playtest.level import Level
from impinge_playtest.moves import Moves, moves_from
from impinge_playtest.rollouts import CRUSH, DEATH, FALL, Contacts
from impinge_playtest.tracks import Floats, Ints, Tracks

__all__ = ["ENDINGS", "Replay", "load_replay", "play", "runs_of", "save_replay"]

# Limit of the frames of a replay: two days at 60 Hz.
MOST_FRAMES = 10_000_000
ENDINGS = {CRUSH: "crush", FALL: "fall", DEATH: "death"}


@dataclass(frozen=True, slots=True, eq=False)
class Replay:
    """What happens for a sequence of inputs.

    Attributes
    ----------
    places : (t + 1, 2) float
        Positions of the player, from frame 0 on.
    ending
        ``"crush"``, ``"fall"`` or ``"death"`` if the last frame ended the player's life; None otherwise.
    touched
        The goals and coins that the player touched, with the frame of the first touch.
    """

    places: Floats
    ending: str | None
    touched: dict[str, int]


def play(level: Level, moves: Moves, inputs: Sequence[int] | Ints) -> Replay:
    """Play inputs, one for each frame, in a `World`; stop when the player's life ends.

    Raises
    ------
    ValueError
        If an input does not exist.

    Examples
    --------
    >>> world = im.World()
    >>> floor = world.add(im.Box(400, 20), im.Pose(0, -10), might=1)
    >>> hero = world.add(im.Box(20, 40), im.Pose(0, 20))
    >>> from impinge_playtest import Platformer, level_from_world
    >>> replay = play(level_from_world(world, hero), Platformer(speed=5), [2] * 10)
    >>> replay.places[-1].tolist(), replay.ending
    ([50.0, 20.0], None)
    """
    frames = _Frames(level, moves)
    places = [frames.places[0].copy()]
    for number in inputs:
        if not 0 <= number < len(moves.names):
            raise ValueError(f"inputs must be from 0 to {len(moves.names) - 1}, got {number!r}")
        frames.advance(int(number))
        places.append(frames.places[0].copy())
        if frames.ending is not None:
            break
    return Replay(np.array(places), frames.ending, frames.touched)


class _Frames:
    """A player in a world, frame by frame."""

    def __init__(self, level: Level, moves: Moves) -> None:
        self.world = im.World(entry_points=False)
        self.world.restore(level.world.snapshot())
        self._player, self._moves = self.world.body(level.player), moves
        self._tracks, self._states = Tracks(level.tracks), moves.states(1)
        self._contacts = Contacts(level, self._tracks)
        cells = Cells(level, moves)
        self._cells = cells
        self._ladders, self._deadly = Zone(level.ladders, level, cells), Zone(level.deadly, level, cells)
        self._goals = Zone(level.goals + level.coins, level, cells)
        self._frames = np.zeros(1, np.int64)
        self.ending: str | None = None
        self.touched: dict[str, int] = {}
        self._look()

    @property
    def places(self) -> Floats:
        """Return the position of the player, of shape (1, 2)."""
        pose = self._player.pose
        return np.array([(pose.x, pose.y)])

    def advance(self, number: int) -> None:
        """Play a frame with an input."""
        places, player, states = self.places, self._player, self._states
        touches = self._ladders.touches(places, self._cells.positions(places))
        inputs = np.array([number])
        if self._moves.drops(states, inputs)[0] and self._contacts.is_one_way(self._floors())[0]:
            player.pose = im.Pose(places[0, 0], places[0, 1] - getattr(self._moves, "drop", 0.0), player.pose.angle)
        velocity = self._moves.velocities(states, inputs, touches)[0]
        pose = player.pose
        player.goal = im.Pose(pose.x + velocity[0], pose.y + velocity[1], pose.angle)
        if len(self._tracks.bodies):
            self.world.set_goals(self._tracks.bodies, self._tracks.poses(self._frames + 1)[0])
        self.world.step()
        self._frames += 1
        blocked = np.array([int(player.blocked)], np.uint8)
        is_on_floor, floor_vy = self._contacts.floors(blocked, self._floors(), self._frames)
        self._moves.settle(states, blocked, is_on_floor, floor_vy)
        self._look()

    def _floors(self) -> Ints:
        floor = self._player.floor
        return np.array([-1 if floor is None else floor.index])

    def _look(self) -> None:
        """Note what the player touches, and whether its life has ended."""
        places = self.places
        positions = self._cells.positions(places)
        for area in self._goals.touched(places, positions)[1].tolist():
            self.touched.setdefault(self._goals.areas[area].name, int(self._frames[0]))
        if self._deadly.touches(places, positions)[0]:
            self.ending = ENDINGS[DEATH]
        elif self._contacts.is_outside(places)[0]:
            self.ending = ENDINGS[FALL]
        elif self._player.stuck:
            self.ending = ENDINGS[CRUSH]


def runs_of(inputs: Sequence[int] | Ints) -> Iterator[tuple[int, int]]:
    """Yield each input with the number of frames for which it is held."""
    for number, group in groupby(int(each) for each in inputs):
        yield number, sum(1 for _ in group)


def save_replay(path: Path, moves: Moves, inputs: Sequence[int] | Ints, title: str) -> None:
    """Write a replay file. The level is in the file `level.json` beside its folder."""
    runs = [[moves.names[number], frames] for number, frames in runs_of(inputs)]
    kept = {"title": title, "level": "../level.json", "moves": moves.settings(), "inputs": runs}
    path.write_text(json.dumps(kept) + "\n", encoding="utf-8")


def load_replay(path: Path) -> tuple[Level, Moves, list[int], str]:
    """Return level, moves, inputs and title of a replay file.

    Raises
    ------
    impinge.SnapshotError
        If the file is no replay, is longer than 10 million frames, or its level is none; the message names it.
    OSError
        If there is no such file, or its level is missing.
    """
    try:
        kept: dict[str, Any] = json.loads(_text(path))
        moves = moves_from(kept["moves"])
        inputs = _inputs(kept["inputs"], moves)
        level, title = path.parent / kept["level"], str(kept["title"])
        return Level.loads(_text(level)), moves, inputs, title
    except DAMAGES as error:
        raise im.SnapshotError(f"{path} is no replay: {error!r}") from None


def _text(path: Path) -> str:
    im.SnapshotLimits().check("size", path.stat().st_size)
    return path.read_text(encoding="utf-8")


def _inputs(runs: list[tuple[str, int]], moves: Moves) -> list[int]:
    """Return the inputs of runs, or raise an error before they take much memory."""
    numbers = {name: number for number, name in enumerate(moves.names)}
    inputs: list[int] = []
    for name, frames in runs:
        if type(frames) is not int or not 0 < frames <= MOST_FRAMES - len(inputs):
            raise ValueError(f"a run must have 1 to {MOST_FRAMES} frames, and all together, got {frames!r}")
        inputs += [numbers[name]] * frames
    return inputs
