"""Turns what rollouts have seen into findings: each is played again in a world of its own before it is reported."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impinge_playtest.archive import Archive, Node
from impinge_playtest.findings import KINDS, Finding, Route, spots
from impinge_playtest.level import Area, Level
from impinge_playtest.moves import Moves
from impinge_playtest.replay import ENDINGS, play
from impinge_playtest.rollouts import CRUSH, usable_inputs
from impinge_playtest.tracks import Floats, Ints

__all__ = ["Ending", "Judge"]

# Frames for which each input is held to find out whether a player can move at all.
HELD = 120


class Ending(NamedTuple):
    """The soonest end of a life in a tile: how it came, after how many frames, where, and how many there were."""

    node: Node
    frames: int
    place: tuple[float, float]
    times: int


class Judge:
    """Makes findings.

    Attributes
    ----------
    unconfirmed
        Number of findings and routes that the second play did not confirm.
    """

    def __init__(self, level: Level, moves: Moves, archive: Archive) -> None:
        self._level, self._moves, self._archive = level, moves, archive
        self._findings: dict[str, list[Finding]] = {kind: [] for kind in KINDS}
        self.unconfirmed = 0

    def sorted_findings(self) -> tuple[Finding, ...]:
        """Return all findings in the order of `KINDS`."""
        return tuple(finding for findings in self._findings.values() for finding in findings)

    def route(self, area: Area, node: Node) -> Route | None:
        """Return the route to an area that ends at a node."""
        inputs = self._archive.path(node)
        if play(self._level, self._moves, inputs).touched.get(area.name) != len(inputs):
            self.unconfirmed += 1
            return None
        return Route(area.name, tuple(inputs.tolist()))

    def note_unreached(self, area: Area, places: Floats) -> None:
        """Report an area that no player touched."""
        middle = (area.left + area.right) / 2, (area.bottom + area.top) / 2
        nearest = float(np.hypot(*(places - middle).T).min())
        detail = f"not reached; the nearest place that was is {nearest:.0f} away"
        self._findings["unreached"].append(Finding("unreached", area.name, *middle, (), detail))

    def note_endings(self, why: int, endings: list[Ending], near: float) -> None:
        """Report falls or crushes, one for those that are near each other."""
        kind = ENDINGS[why]
        endings = sorted(endings)
        places = np.array([ending.place for ending in endings]).reshape(-1, 2)
        frames = np.array([ending.frames for ending in endings], np.int64)
        counts = np.array([ending.times for ending in endings], np.int64)
        for first, members in spots(places, frames, near):
            inputs = self._archive.path(endings[first].node)
            replay = play(self._level, self._moves, inputs)
            is_same = replay.ending == kind and len(replay.places) == len(inputs) + 1
            if not is_same or tuple(replay.places[-1]) != endings[first].place:
                self.unconfirmed += 1
                continue
            times = int(counts[members].sum())
            detail = "no room between two bodies" if why == CRUSH else "out of the world"
            self._add(kind, endings[first].place, inputs, f"{detail}, {times} times")

    def note_traps(self, traps: list[Ints], entrances: Ints, at: Floats, positions: Ints, near: float) -> None:
        """Report traps.

        Parameters
        ----------
        traps
            For each one, its rows of the archive.
        entrances, at
            The row of each that was reached first, and the position of the player there.
        positions
            The position cell of each row.
        near
            Traps whose entrances are within this distance are one.
        """
        for first, members in spots(at, self._archive.frames[entrances], near):
            rows = np.concatenate([traps[member] for member in members])
            node = self._archive.nodes(entrances[first : first + 1])[0]
            inputs = self._archive.path((int(node[0]), int(node[1])))
            replay = play(self._level, self._moves, inputs)
            if replay.ending is not None or (replay.places[-1] != at[first]).any():
                self.unconfirmed += 1
                continue
            places, tries = len(np.unique(positions[rows])), int(self._archive.chosen[rows].sum())
            detail = f"no way out of {places} places in {tries} rollouts"
            kind = "trap" if self._moves_on(inputs) else "stuck"
            self._add(kind, (float(at[first, 0]), float(at[first, 1])), inputs, detail)

    def _moves_on(self, inputs: Ints) -> bool:
        """Return whether any input moves a player after these inputs."""
        for number in usable_inputs(self._level, self._moves).tolist():
            replay = play(self._level, self._moves, np.append(inputs, np.full(HELD, number)))
            stays = replay.places[len(inputs) :] == replay.places[len(inputs)]
            if not stays.all():
                return True
        return False

    def _add(self, kind: str, place: tuple[float, float], inputs: Ints, detail: str) -> None:
        known = self._findings[kind]
        name = f"{kind} {len(known) + 1}"
        known.append(Finding(kind, name, *place, tuple(inputs.tolist()), detail))
