"""Bodies that are read and written together: a few one by one, many by arrays.

Not here: which sprites they are of.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

import impinge as im
from impinge_arcade.boxes import rows_of

__all__ = ["FEW", "Bodies", "Place", "pose_rows"]

# Bodies up to which each is read and written by itself: the arrays of a call for all of them cost more than that.
FEW: Final = 4

# x, y and an angle in radians.
Place: TypeAlias = tuple[float, float, float]


class Bodies:
    """Bodies that are read and written together."""

    def __init__(self, bodies: list[im.Body]) -> None:
        self.bodies = bodies

    @cached_property
    def indices(self) -> NDArray[np.int64]:
        """Their rows in the world."""
        return np.array([body.index for body in self.bodies], np.int64)

    def read(self, world: im.World) -> list[Place]:
        """Return where they stand."""
        if len(self.bodies) <= FEW:
            return [(pose.x, pose.y, pose.angle) for pose in (body.pose for body in self.bodies)]
        return list(map(tuple, world.poses(self.indices).tolist()))

    def go(self, world: im.World, places: Sequence[tuple[float, float]]) -> None:
        """Set their goals at the angles that they wish for."""
        if len(self.bodies) <= FEW:
            for body, (x, y) in zip(self.bodies, places, strict=True):
                body.goal = im.Pose(x, y, body.goal.angle)
        else:
            world.set_goals(self.indices, rows_of(places))

    def aim(self, world: im.World, goals: Sequence[Place]) -> None:
        """Set their goals."""
        if len(self.bodies) <= FEW:
            for body, goal in zip(self.bodies, goals, strict=True):
                body.goal = im.Pose(*goal)
        else:
            world.set_goals(self.indices, pose_rows(goals))


def pose_rows(places: Sequence[Place]) -> NDArray[np.float64]:
    """Return places as rows of an array: from tuples that takes half as long by way of a flat one."""
    return np.fromiter(chain.from_iterable(places), np.float64, 3 * len(places)).reshape(-1, 3)
