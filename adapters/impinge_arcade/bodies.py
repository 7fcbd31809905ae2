"""Bodies that are read and written together: few bodies one by one, many bodies by arrays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

import impinge as im
from impinge_arcade.boxes import rows_of

__all__ = ["FEW", "FEW_PLACED", "FEW_PLAYERS", "Bodies", "Place", "pose_rows"]

# Up to these numbers, one by one costs less than the arrays of a joint call: to read poses and set goals, to teleport,
# and to move players (12 of a `PushEngine` take 180 us either way).
FEW: Final = 4
FEW_PLACED: Final = 16
FEW_PLAYERS: Final = 12

# x, y and an angle in radians.
Place: TypeAlias = tuple[float, float, float]


class Bodies:
    """Bodies that are read and written together."""

    def __init__(self, bodies: list[im.Body]) -> None:
        self.bodies = bodies

    @cached_property
    def indices(self) -> NDArray[np.int64]:
        """Return the rows of the bodies in the world."""
        return np.array([body.index for body in self.bodies], np.int64)

    def read(self, world: im.World) -> list[Place]:
        """Return the poses of the bodies."""
        if len(self.bodies) <= FEW:
            return [body.coordinates for body in self.bodies]
        return list(map(tuple, world.poses(self.indices).tolist()))

    def go(self, world: im.World, places: Sequence[tuple[float, float]]) -> None:
        """Set the positions of the goals; the angles of the goals stay."""
        if len(self.bodies) <= FEW:
            for body, (x, y) in zip(self.bodies, places, strict=True):
                body.goal = im.Pose(x, y, body.goal.angle)
        else:
            world.set_goals(self.indices, rows_of(places))

    def aim(self, world: im.World, goals: Sequence[Place]) -> None:
        """Set the goals of the bodies, with angles."""
        if len(self.bodies) <= FEW:
            for body, goal in zip(self.bodies, goals, strict=True):
                body.aim(*goal)
        else:
            world.set_goals(self.indices, pose_rows(goals))


def pose_rows(places: Sequence[Place]) -> NDArray[np.float64]:
    """Return poses as rows of an array; a flat iterator takes half as long as an array of tuples."""
    return np.fromiter(chain.from_iterable(places), np.float64, 3 * len(places)).reshape(-1, 3)
