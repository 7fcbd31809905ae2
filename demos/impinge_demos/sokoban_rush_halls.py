"""The halls of `sokoban_rush`: their plans, and the tracks of their machines. The rules are in `sokoban_rush`."""

from __future__ import annotations

from typing import Final, NamedTuple

from impinge import Pose

__all__ = ["BELTS", "COLOURS", "HALLS", "TILE", "Cell", "Hall", "Track", "middle", "plan_of"]

Cell = tuple[int, int]  # column and row, from the lower left

TILE: Final = 48  # pixels
COLOURS: Final = "rgby"  # of crates: red, green, blue, yellow
BELTS: Final = {"<": (-1, 0), ">": (1, 0), "v": (0, -1), "^": (0, 1)}
MIRRORED: Final = str.maketrans("<>", "><")


class Track(NamedTuple):
    """A machine's track: fast towards its far end, slowly back, with a rest at home."""

    kind: str  # "cart", "tug" with a sticky front, "piston" with a rod behind
    home: Cell
    far: Cell
    speed: float  # pixels a frame
    rest: int  # frames

    @property
    def direction(self) -> Cell:
        """Return the step from one cell of the track to the next."""
        (x, y), (far_x, far_y) = self.home, self.far
        return (far_x > x) - (far_x < x), (far_y > y) - (far_y < y)

    def mirrored(self, columns: int) -> Track:
        """Return the same track in a mirrored hall."""
        (x, y), (far_x, far_y) = self.home, self.far
        return self._replace(home=(columns - 1 - x, y), far=(columns - 1 - far_x, far_y))


class Hall(NamedTuple):
    """A hall. # wall, % posts, <>^v belts, IJ iron, @ you; small letters are crates and capitals their pads."""

    name: str
    seconds: int
    tracks: list[Track]
    plan: str


HALLS: Final = [
    Hall(
        "The train",
        60,
        [Track("tug", (1, 5), (17, 5), 6.0, 60)],
        """
#####################
#########...#########
#########...#########
#.......#......B....#
#.......#......^....#
#......@.......^....#
#.JI....r...R..^..#.#
#..............^....#
#..........b...^....#
#...................#
######.........######
#####################
""",
    ),
    Hall(
        "The presses",
        60,
        [Track("piston", (col, 10), (col, 8), 8.0, 70) for col in (7, 10, 13)]
        + [Track("piston", (9, 1), (9, 2), 8.0, 100), Track("cart", (1, 5), (16, 5), 4.0, 120)],
        """
#####################
#.....#.##.##.#.....#
#.....#.##.##.#.....#
#..g............G...#
#.@...#########.....#
#.....%%%%%%%%%.....#
#..J................#
#.....%%%%%%%%%.b...#
#.....#########.....#
#..B<<<<<<<<<<<.....#
#.....###.#####.....#
#####################
""",
    ),
    Hall(
        "Two trains",
        75,
        [Track("tug", (3, 7), (17, 7), 6.0, 100), Track("tug", (17, 4), (3, 4), 6.0, 100)],
        """
#####################
#...................#
#..G......R......B..#
#...................#
#...I.............#.#
#...................#
#...................#
#.#.............I...#
#...................#
#..r......b......g..#
#.........@.........#
#####################
""",
    ),
    Hall(
        "Posts",
        90,
        [Track("tug", (3, 7), (17, 7), 7.0, 60)],
        """
#####################
#......%.....%......#
#..G...%..Y..%...R..#
#......%.....%......#
#...I.............#.#
#......###.###......#
#......#..y..#......#
#......###.###......#
#...................#
#..r...%.....%...g..#
#......%..@..%......#
#####################
""",
    ),
    Hall(
        "Rush hour",
        75,
        [Track("piston", (col, 10), (col, 8), 8.0, 90) for col in (7, 10, 13)]
        + [Track("piston", (10, 1), (10, 2), 8.0, 90), Track("tug", (1, 6), (17, 6), 7.0, 120)],
        """
#####################
#.....#.##.##.#.....#
#.....#.##.##.#.....#
#..r.............R..#
#.....%%%%%%%%%.....#
#.JI..............#.#
#...............G...#
#...g.%%%%%%%%%.b...#
#.....%%%%%%%%%.....#
#....B<<<<<<<<<.....#
#..@..####.####.....#
#####################
""",
    ),
]


def plan_of(hall: Hall, is_mirrored: bool) -> dict[Cell, str]:
    """Return the letter of each cell of a hall."""
    rows = hall.plan.split()[::-1]
    if is_mirrored:
        rows = [row[::-1].translate(MIRRORED) for row in rows]
    return {(column, row): letter for row, line in enumerate(rows) for column, letter in enumerate(line)}


def middle(cell: Cell) -> Pose:
    """Return the middle of a cell, in pixels."""
    return Pose((cell[0] + 0.5) * TILE, (cell[1] + 0.5) * TILE)
