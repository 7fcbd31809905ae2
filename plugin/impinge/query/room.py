"""The free room on each side of an upright box. For a body of any shape among those of a world, see `World.room`."""

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
    """How far a shape may move straight in each direction before it strikes something.

    Attributes
    ----------
    left, right, bottom, top
        Distances in the game's units; 0 where it touches something on that side, infinity where nothing is in the way.

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
        """The room to the left and to the right together, in the game's units."""
        return self.left + self.right

    @property
    def height(self) -> float:
        """The room below and above together, in the game's units."""
        return self.bottom + self.top


def room(box: Box, pose: Pose, targets: Iterable[tuple[Box, Pose]]) -> Room:
    """Return the free room on each side of a box among other boxes.

    Parameters
    ----------
    box, pose
        The box and its place.
    targets
        The other boxes, each with its pose.

    Returns
    -------
    Room
        A box that it touches on one side, within the slop, leaves no room on that side and does not limit the others:
        a floor does not limit a walk along it. Nor does a box that it would only graze with a side or a corner. A box
        that it overlaps by more than the slop leaves no room on any side: see `push` for the shortest way out.

    Raises
    ------
    ShapeError
        If an argument is not of its type, a pose is turned, or a target is not a pair of a Box and a Pose.

    Notes
    -----
    The space around a quad of "Collision of two quads in 2D space" (mirex, TeryWiki, 2008), for any number of others.
    That page takes the distances without regard to what is beside the quad; here only what is in its way counts. The
    slop is that of `overlaps`.

    Examples
    --------
    A tunnel between two blocks: its height is that of the box and the room together.

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
        # Differences of places first: sides far from the origin would be rounded before they are compared.
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
    """Return a box and its place, or refuse what is no pair of a box and an upright pose by name."""
    if isinstance(target, tuple | list) and len(target) == 2:
        box, pose = target
        if isinstance(box, Box) and isinstance(pose, Pose):
            return box, upright(f"targets[{index}]", pose)
    raise ShapeError(f"targets[{index}] must be a Box and a Pose, got {target!r}")
