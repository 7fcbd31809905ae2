"""Cells: players that are at nearly the same place, stand alike, and see nearby moving parts in the same phase."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

import impinge as im
from impinge.checks import positive
from impinge_playtest.level import Area, Level
from impinge_playtest.moves import Bools, Moves
from impinge_playtest.tracks import Floats, Ints, Tracks

__all__ = ["Cells", "Zone"]

# Phases that a cell tells apart: of one moving body, and of all bodies together that reach it.
PHASES = 8
ALL_PHASES = 64
# Frames of the shortest phase.
FRAMES_OF_PHASE = 8
# Cells of the largest table: 4 bytes each in each process.
MOST_CELLS = 1 << 24


class Cells:
    """The numbers of cells. A position has `stances` times `phases` cells with consecutive numbers.

    Parameters
    ----------
    level, moves
        What is played.
    size
        Sides of a cell; by default half the shorter side of the player.

    Attributes
    ----------
    total, columns, rows
        Number of cells, and of positions along both axes.
    """

    def __init__(self, level: Level, moves: Moves, size: float | None = None) -> None:
        bounds = level.size
        width, height = bounds.right - bounds.left, bounds.top - bounds.bottom
        self.size = positive("size", min(width, height) / 2 if size is None else size)
        self.tracks, self._stances = Tracks(level.tracks), moves.stances
        border = level.border
        self.left = border.left - width
        top, bottom = _heights(level, width + height)
        self.bottom = bottom
        self.columns = math.ceil((border.right + width - self.left) / self.size)
        self.rows = math.ceil((top - bottom) / self.size)
        if self.columns * self.rows * self._stances > MOST_CELLS:
            raise im.ShapeError(f"size must give at most {MOST_CELLS} cells, got {self.size:g}")
        self._multiples = self._phase_multiples(level, max(width, height))
        self._first = np.cumsum(self._phases * self._stances) - self._phases * self._stances
        self.total = int((self._phases * self._stances).sum())
        if self.total > MOST_CELLS:
            raise im.ShapeError(f"size must give at most {MOST_CELLS} cells, got {self.size:g}")

    def _phase_multiples(self, level: Level, reach: float) -> Ints:
        """Return what each phase of each moving body adds to the number of a cell, for each position."""
        periods = self.tracks.periods
        self._counts = np.clip(periods // FRAMES_OF_PHASE, 1, PHASES)
        self._phases = np.ones(self.rows * self.columns, np.int64)
        multiples = np.zeros((self.rows * self.columns, len(periods)), np.int64)
        for number, body in enumerate(self.tracks.bodies.tolist()):
            shape = level.world.body(body).shape
            left, bottom, right, top = self.tracks.bounds[number]
            size = shape.bounds()
            around = reach + self.size
            area = Area(
                "", left + size.left - around, bottom + size.bottom - around, right + size.right + around,
                top + size.top + around,
            )  # fmt: skip
            near = self.within([area]) & (self._phases * self._counts[number] <= ALL_PHASES)
            multiples[near, number] = self._phases[near]
            self._phases[near] *= self._counts[number]
        return multiples

    def positions(self, places: Floats) -> Ints:
        """Return the positions of n players, places outside of the table at its rim."""
        column = np.clip((places[:, 0] - self.left) / self.size, 0, self.columns - 1).astype(np.int64)
        row = np.clip((places[:, 1] - self.bottom) / self.size, 0, self.rows - 1).astype(np.int64)
        found: Ints = row * self.columns + column
        return found

    def numbers(self, positions: Ints, stances: Ints, frames: Ints) -> Ints:
        """Return the cells of n players."""
        found = self._first[positions] + stances * self._phases[positions]
        if len(self.tracks.bodies):
            phases = self.tracks.phases(frames) * self._counts // np.maximum(self.tracks.periods, 1)
            found += (np.minimum(phases, self._counts - 1) * self._multiples[positions]).sum(axis=1)
        return found

    def position_of(self, cells: Ints) -> Ints:
        """Return the positions of cells."""
        found: Ints = np.searchsorted(self._first, cells, side="right") - 1
        return found

    def centres(self, positions: Ints) -> Floats:
        """Return the middle of positions, of shape (n, 2)."""
        rows, columns = np.divmod(positions, self.columns)
        return np.stack((columns + 0.5, rows + 0.5), axis=1) * self.size + (self.left, self.bottom)

    def within(self, areas: Iterable[Area]) -> Bools:
        """Return a flag for each position: whether its middle is in one of the areas."""
        xs = self.left + (np.arange(self.columns) + 0.5) * self.size
        ys = self.bottom + (np.arange(self.rows) + 0.5) * self.size
        found = np.zeros((self.rows, self.columns), np.bool_)
        for area in areas:
            is_column, is_row = (area.left <= xs) & (xs <= area.right), (area.bottom <= ys) & (ys <= area.top)
            found |= is_row[:, None] & is_column
        return found.ravel()


class Zone:
    """Areas that players may overlap. The table of positions leaves out most players before the exact check."""

    def __init__(self, areas: tuple[Area, ...], level: Level, cells: Cells) -> None:
        size, around = level.size, cells.size
        self.areas = areas
        sides = np.array([area[1:] for area in areas]).reshape(-1, 4)
        # The player overlaps an area if its position is in this rectangle.
        self._sides = sides - (size.right, size.top, size.left, size.bottom)
        self._is_near = cells.within(
            Area("", left - around, bottom - around, right + around, top + around)
            for left, bottom, right, top in self._sides.tolist()
        )

    def touched(self, places: Floats, positions: Ints) -> tuple[Ints, Ints]:
        """Return pairs of players and areas that overlap, as two arrays of indices."""
        near = np.flatnonzero(self._is_near[positions])
        if not len(near):
            return near, near
        x, y = places[near, 0, None], places[near, 1, None]
        left, bottom, right, top = self._sides.T
        players, areas = np.nonzero((left < x) & (x < right) & (bottom < y) & (y < top))
        return near[players], areas

    def touches(self, places: Floats, positions: Ints) -> Bools:
        """Return which players overlap any of the areas."""
        found = np.zeros(len(places), np.bool_)
        found[self.touched(places, positions)[0]] = True
        return found


def _heights(level: Level, headroom: float) -> tuple[float, float]:
    """Return top and bottom of the table; above and below an open border, the bodies of the world end it."""
    top, bottom = level.border.top, level.border.bottom
    bounds = [body.shape.bounds(body.pose) for body in level.world]
    if not math.isfinite(top):
        top = max(each.top for each in bounds) + 4 * headroom
    if not math.isfinite(bottom):
        bottom = min(each.bottom for each in bounds) - 4 * headroom
    return top + headroom, bottom - headroom
