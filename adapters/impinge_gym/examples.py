"""Two small levels, so that the environments run without one."""

from __future__ import annotations

from typing import Final

import impinge as im
from impinge_gym.level import level_of_rows
from impinge_playtest.tracks import there_and_back

__all__ = ["CAVE", "MEADOW"]

TILE: Final = 32.0

MEADOW_ROWS: Final = """
..................................
..................................
.............................o....
..........o.................===...
...................o....o.........
..........#.......##............F.
.@.....#..#..^...###.........^..F.
###############..####......#######
###############..####......#######
""".strip().splitlines()

CAVE_ROWS: Final = """
########################
#@....#......o#........#
#.....#..##...#..####..#
#..#..#...#...#..#o.#..#
#..#......#......#..#..#
#..########..#####..#..#
#.........#..#......#..#
#######...#..#..#####..#
#o........#..#......^..#
#..########..######.^.F#
#............#.....o..F#
########################
""".strip().splitlines()


# The ferry that crosses the second pit.
FERRY: Final = im.Box(2 * TILE, 0.5 * TILE), there_and_back((22.0 * TILE, 1.75 * TILE), (26.0 * TILE, 1.75 * TILE), 120)
MEADOW: Final = level_of_rows(MEADOW_ROWS, tile=TILE, movers=[FERRY])
CAVE: Final = level_of_rows(CAVE_ROWS, tile=TILE, from_above=True)
