"""Free room on each side of an upright box. `World.room` returns that of a body of any shape in a world."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from impinge.errors import ShapeError
from impinge.kernels.tolerances import ROUNDING, SLOP
from impinge.motion import Pose
from impinge.query.push import upright
from impinge.shapes.solids import Box

__all__ = ["Room", "room"]


class Room(NamedTuple):
    """The distances that a shape can move straight in each direction before it hits something.

    Attributes
    ----------
    left, right, bottom, top
        Distances in the game's units; 0 if the shape touches something on that side, infinity if nothing is there.

    Examples
    --------
    >>> Room(left=3.0, right=math.inf, bottom=0.0, top=2.5).width
    inf
    """

    left: float
    right: float
    bottom: float
    top: float

    @property
    def width(self) -> float:
        """The sum of the room on the left and on the right, in the game's units."""
        return self.left + self.right

    @property
    def height(self) -> float:
        """The sum of the room below and above, in the game's units."""
        return self.bottom + self.top


def room(box: Box, pose: Pose, targets: Iterable[tuple[Box, Pose]]) -> Room:
    """Return the free room on each side of a box among other boxes.

    Parameters
    ----------
    box, pose
        The box and its pose.
    targets
        The other boxes, each with its pose.

    Returns
    -------
    Room
        A target that touches the box on one side, within the slop, leaves no room on that side. It does not limit the
        other sides: a floor does not limit a walk along it. A target that the box would only graze, with a side or a
        corner, limits nothing. A target that overlaps the box by more than the slop leaves no room on any side; `push`
        moves a box out by the shortest way.

    Raises
    ------
    ShapeError
        If an argument is not of its type, a pose is turned, or a target is not a pair of a Box and a Pose.

    Notes
    -----
    This is the space around a quad of "Collision of two quads in 2D space" (mirex, TeryWiki, 2008), for any number of
    other quads. That page takes the distance to each quad, even if the quad would pass beside it. Here a quad counts
    only if it is in the way. The slop is that of `overlaps`.

    Examples
    --------
    A tunnel between two blocks: its height is the height of the box plus that of the room.

    >>> floor, ceiling, crate = (Box(100, 2), Pose(0, -1)), (Box(100, 2), Pose(0, 6)), (Box(2, 2), Pose(12, 1))
    >>> room(Box(2, 4), Pose(0, 2), [floor, ceiling, crate])
    Room(left=inf, right=10.0, bottom=0.0, top=1.0)
    """
    if not isinstance(box, Box):
        raise ShapeError(f"box must be a Box, got {box!r}")
    x, y = upright("pose", pose)
    if not isinstance(targets, Iterable):
        raise ShapeError(f"targets must be pairs of a Box and a Pose, got {targets!r}")
    left = right = bottom = top = math.inf
    for index, target in enumerate(targets):
        other, (other_x, other_y) = _target(index, target)
        slop = SLOP * min(box.width, box.height, other.width, other.height)
        slop += ROUNDING * (max(abs(x), abs(other_x)) + max(abs(y), abs(other_y)))
        slop += ROUNDING * (max(box.width, other.width) + max(box.height, other.height))
        reach_x, reach_y = 0.5 * (box.width + other.width), 0.5 * (box.height + other.height)
        # Subtract the positions first: far from the origin, the coordinates of sides would be rounded.
        across, up = other_x - x, other_y - y
        gap_x, gap_y = abs(across) - reach_x, abs(up) - reach_y
        is_level, is_in_line = gap_y < -slop, gap_x < -slop
        gap = max(gap_x, gap_y) if max(gap_x, gap_y) > slop else 0.0
        if is_level and is_in_line:
            left = right = bottom = top = 0.0
        elif is_level and across < 0.0:
            left = min(left, gap)
        elif is_level:
            right = min(right, gap)
        elif is_in_line and up < 0.0:
            bottom = min(bottom, gap)
        elif is_in_line:
            top = min(top, gap)
    return Room(left, right, bottom, top)


def _target(index: int, target: object) -> tuple[Box, tuple[float, float]]:
    """Return a target's box and position. Raise a ShapeError that names a target of any other form."""
    if isinstance(target, tuple | list) and len(target) == 2:
        box, pose = target
        if isinstance(box, Box) and isinstance(pose, Pose):
            return box, upright(f"targets[{index}]", pose)
    raise ShapeError(f"targets[{index}] must be a Box and a Pose, got {target!r}")
