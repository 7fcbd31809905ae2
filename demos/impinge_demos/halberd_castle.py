"""The castle of `halberd`: its walls, and paths around them. No characters."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import Final, TypeAlias

import impinge as im

__all__ = [
    "GATE",
    "GATE_PLACE",
    "PILLAR",
    "SWEPT",
    "TILE",
    "Cell",
    "Place",
    "Ways",
    "cell_of",
    "centre",
    "marks",
    "walls",
]

Cell: TypeAlias = tuple[int, int]  # column and row, from the bottom left
Place: TypeAlias = tuple[float, float]  # pixels

TILE: Final = 24  # pixels
BOTTOM: Final = 24  # height in pixels of the strip of the window below the castle
DETOUR: Final = 5  # cost of a step through the gate's area, in ordinary steps
FAR: Final = 1 << 30  # steps: more than any path has

# # wall, x crates, o pillar, @ the knight, G where guards start, * a gem; the rest is floor.
LEVEL: Final = """
##########################################
#...........#..................#.........#
#.*.......G.#..................#.G.....*.#
#...........#...o....G.....o...#.........#
#...xx..........................*........#
#...xx.................................xx#
#......................................xx#
#...........#..................#.........#
####....#####..................####...####
#...........#..................#.........#
#.@...............................*...G..#
#........................................#
#...........#..................#.........#
#####...#####..................####...####
#...........#..................#.........#
#........................................#
#......xx............*...................#
#......xx.......o..........o.............#
#...........#..................#..xx.....#
#.*.........#..................#..xx...*.#
#......G....#.........G........#.......G.#
#...........#..................#.........#
##########################################
""".strip().splitlines()[::-1]

PILLAR: Final = im.Circle(18)
# The gate: two crossed beams that turn around a post in the middle of the hall.
GATE: Final = im.Compound([(im.Box(204, 12), im.Pose(0, 0)), (im.Box(12, 204), im.Pose(0, 0))])
POST: Final = im.Circle(16)
SWEPT: Final = im.Circle(103)  # the area that the gate sweeps
GATE_PLACE: Final = (22 * TILE, BOTTOM + 11.5 * TILE)


def centre(cell: Cell) -> Place:
    """Return the middle of a cell."""
    return (cell[0] + 0.5) * TILE, BOTTOM + (cell[1] + 0.5) * TILE


def cell_of(place: Place) -> Cell:
    """Return the cell of a place."""
    return int(place[0] // TILE), int((place[1] - BOTTOM) // TILE)


def marks(letter: str) -> list[Cell]:
    """Return the cells of the map that have this letter."""
    return [(column, row) for row, line in enumerate(LEVEL) for column, mark in enumerate(line) if mark == letter]


def walls() -> Iterator[tuple[im.Box | im.Circle, im.Pose]]:
    """Yield all static shapes: one box for each run of wall tiles, and the pillars."""
    columns = ["".join(column) for column in zip(*LEVEL, strict=True)]
    for row, line in enumerate(LEVEL):
        for first, last in runs(line):
            # A single tile belongs to a vertical wall, unless it has no wall above or below it.
            if first != last or not any(a <= row <= b and a != b for a, b in runs(columns[first])):
                (left, y), (right, _) = centre((first, row)), centre((last, row))
                yield im.Box(right - left + TILE, TILE), im.Pose((left + right) / 2, y)
    for column, line in enumerate(columns):
        for first, last in runs(line):
            if first != last:
                (x, low), (_, high) = centre((column, first)), centre((column, last))
                yield im.Box(TILE, high - low + TILE), im.Pose(x, (low + high) / 2)
    for cell in marks("o"):
        yield PILLAR, im.Pose(*centre(cell))
    yield POST, im.Pose(*GATE_PLACE)


def runs(line: str) -> Iterator[tuple[int, int]]:
    """Yield the first and the last tile of each run of wall in a row or a column."""
    end = 0
    for is_wall, run in groupby(line, lambda mark: mark in "#x"):
        begin, end = end, end + len(list(run))
        if is_wall:
            yield begin, end - 1


class Ways:
    """Paths through the castle for a body of a given size.

    Parameters
    ----------
    world : impinge.World
        The world to query for free space.
    body : impinge.Circle
        The shape of the walking body.
    walls, detours : int
        The layers that block a path, and the layers that a path avoids where it can.
    """

    def __init__(self, world: im.World, body: im.Circle, walls: int, detours: int) -> None:
        self.world, self.body, self.mask = world, body, walls | detours
        cells = [(column, row) for row, line in enumerate(LEVEL) for column in range(len(line))]

        def is_inside(cell: Cell, mask: int) -> bool:
            return bool(world.in_box(body, im.Pose(*centre(cell)), mask=mask, include_touching=False))

        self.free = {cell for cell in cells if not is_inside(cell, walls)}
        self.slow = {cell for cell in self.free if is_inside(cell, detours)}
        self.steps_to = lru_cache(maxsize=64)(self.count_steps)

    def count_steps(self, goal: Cell) -> dict[Cell, int]:
        """Return the number of steps to a goal from every cell (Dijkstra, 1959)."""
        steps, queue = {goal: 0}, [(0, goal)]
        while queue:
            count, (x, y) = heapq.heappop(queue)
            for cell in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                longer = count + (DETOUR if cell in self.slow else 1)
                if cell in self.free and longer < steps.get(cell, FAR):
                    steps[cell] = longer
                    heapq.heappush(queue, (longer, cell))
        return steps

    def next_place(self, start: Place, goal: Place) -> Place:
        """Return the next place on the path to a goal: the goal itself, unless something is in between."""
        way = im.Motion(im.Pose(*start), im.Pose(*goal))
        if not self.world.sweep(self.body, way, mask=self.mask):
            return goal
        steps, (x, y) = self.steps_to(cell_of(goal)), cell_of(start)
        around = [(x + across, y + up) for across in (0, -1, 1) for up in (0, -1, 1)]
        # Do not cut a corner: both cells beside a diagonal step must be free.
        around = [cell for cell in around if cell in steps and (cell[0], y) in steps and (x, cell[1]) in steps]
        return centre(min(around, key=lambda cell: steps[cell])) if around else goal
