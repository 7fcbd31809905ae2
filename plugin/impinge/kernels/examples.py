"""Examples of the arrays that entry points take: of their types, and with the least number of columns of each.

The native module refuses arrays with fewer columns.
"""

from __future__ import annotations

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import (
    Bodies,
    Candidates,
    Copies,
    Courses,
    Floats,
    FrameRows,
    Hits,
    Ints,
    Meetings,
    Ranks,
    SweptParts,
    Tree,
)

__all__ = [
    "bodies",
    "candidates",
    "copies",
    "courses",
    "floats",
    "frame_rows",
    "hits",
    "ints",
    "meetings",
    "ranks",
    "solid_row",
    "swept_parts",
    "tree",
]


def floats(columns: int) -> Floats:
    """Return a row of floats."""
    return np.zeros((1, columns))


def ints(columns: int) -> Ints:
    """Return a row of integers."""
    return np.zeros((1, columns), np.int64)


def solid_row() -> Floats:
    """Return the row of a solid of one piece."""
    return np.zeros(col.PIECES + col.PIECE_COLUMNS)


def bodies() -> Bodies:
    """Return the bodies of a world."""
    return Bodies(floats(col.FLOAT_COLUMNS), ints(col.INT_COLUMNS), solid_row())


def tree() -> Tree:
    """Return a tree of bounds."""
    numbers = np.zeros(1, np.int64)
    return Tree(floats(4), np.zeros(2, np.int64), numbers, numbers, numbers)


def ranks() -> Ranks:
    """Return the order of a frame."""
    numbers = np.zeros(1, np.int64)
    return Ranks(numbers, numbers, numbers, np.zeros(1, np.bool_))


def frame_rows() -> FrameRows:
    """Return what a step writes about its frame."""
    knots, events, verdicts = floats(col.KNOT_COLUMNS), floats(col.EVENT_COLUMNS), floats(col.VERDICT_COLUMNS)
    return FrameRows(knots, events, verdicts, floats(col.LAST_FRAME_COLUMNS), np.zeros(col.COUNT_COLUMNS, np.int64))


def candidates() -> Candidates:
    """Return the candidates of a weak body."""
    return Candidates(floats(col.NEAR_COLUMNS), ints(col.TAG_COLUMNS), np.zeros(1, np.int64))


def copies() -> Copies:
    """Return the copies of a world in a fleet."""
    numbers = np.zeros(1, np.int64)
    return Copies(floats(col.COPY_FLOAT_COLUMNS), ints(col.COPY_INT_COLUMNS), numbers, numbers, numbers, ints(2))


def courses() -> Courses:
    """Return the motions of another engine's bodies."""
    motions, numbers, flags = floats(col.MOTION_COLUMNS), floats(col.COURSE_NUMBERS), ints(col.COURSE_FLAGS)
    return Courses(motions, floats(col.MOTION_COLUMNS), numbers, flags)


def swept_parts() -> SweptParts:
    """Return the shapes of these bodies."""
    return SweptParts(solid_row(), ints(col.PART_END + 1))


def meetings() -> Meetings:
    """Return the pairs of shapes that may hit each other."""
    none = np.zeros(1, np.int64)
    pairs, states = ints(col.PAIR_COLUMNS), ints(col.MEETING_STATES)
    return Meetings(pairs, states, floats(col.MEETING_HITS), none, none, none, none)


def hits() -> Hits:
    """Return the pairs that hit each other."""
    return Hits(ints(col.PAIR_COLUMNS), np.zeros(1, np.int64), floats(col.MEETING_HITS))
