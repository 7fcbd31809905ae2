"""The sides of an axis-aligned box."""

from __future__ import annotations

from enum import IntFlag

from impinge.errors import ShapeError
from impinge.kernels import columns as col

__all__ = ["Side"]


class Side(IntFlag):
    """Sides of a box, y up; they combine with ``|``.

    Examples
    --------
    >>> Side.LEFT | Side.TOP
    <Side.LEFT|TOP: 9>
    >>> Side.TOP.opposite
    <Side.BOTTOM: 4>
    """

    NONE = 0
    LEFT = col.LEFT
    RIGHT = col.RIGHT
    BOTTOM = col.BOTTOM
    TOP = col.TOP
    ALL = LEFT | RIGHT | BOTTOM | TOP

    @property
    def opposite(self) -> Side:
        """The sides across: LEFT for RIGHT, TOP for BOTTOM."""
        low, high = Side.LEFT | Side.BOTTOM, Side.RIGHT | Side.TOP
        return Side((self & low) << 1 | (self & high) >> 1)


# By their bits: to make one of a number takes ten times as long as to look it up.
SIDES = tuple(map(Side, range(Side.ALL + 1)))


def checked_sides(name: str, value: object) -> int:
    """Return sides as an int, or refuse them by name."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= Side.ALL:
        raise ShapeError(f"{name} must be a Side, got {value!r}")
    return int(value)
