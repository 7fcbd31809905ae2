"""Where a shape is: a `Pose` at one moment, a `Motion` through one frame."""

from __future__ import annotations

import math
from dataclasses import dataclass

from impinge.errors import ShapeError
from impinge.shapes import finite

__all__ = ["Motion", "Pose"]


@dataclass(frozen=True, slots=True)
class Pose:
    """A place and a direction.

    Parameters
    ----------
    x, y
        The shape's centre, in the game's units, y up.
    angle
        Radians, counter-clockwise.

    Raises
    ------
    ShapeError
        If a value is not a finite number.

    Examples
    --------
    >>> Pose(3, 4)
    Pose(x=3.0, y=4.0, angle=0.0)
    >>> Pose(float("nan"), 4)
    Traceback (most recent call last):
    ...
    impinge.errors.ShapeError: x must be finite, got nan
    """

    x: float
    y: float
    angle: float = 0.0

    def __post_init__(self) -> None:
        x, y, angle = self.x, self.y, self.angle
        # Games make poses all the time: a finite sum of floats has finite parts, and tells it four times as fast.
        if type(x) is type(y) is type(angle) is float and math.isfinite(x + y + angle):
            return
        for name in ("x", "y", "angle"):
            object.__setattr__(self, name, finite(name, getattr(self, name)))


@dataclass(frozen=True, slots=True)
class Motion:
    """A straight way through one frame: time runs from 0 at the start to 1 at the end.

    Examples
    --------
    >>> Motion(Pose(0, 0), Pose(10, 4)).at(0.5)
    Pose(x=5.0, y=2.0, angle=0.0)
    """

    start: Pose
    end: Pose

    def __post_init__(self) -> None:
        for name in ("start", "end"):
            if not isinstance(getattr(self, name), Pose):
                raise ShapeError(f"{name} must be a Pose, got {getattr(self, name)!r}")

    @classmethod
    def still(cls, pose: Pose) -> Motion:
        """Return the motion of what stays where it is."""
        return cls(pose, pose)

    def at(self, time: float) -> Pose:
        """Return the pose at a time from 0 to 1; exactly `start` at 0 and `end` at 1."""
        number = finite("time", time)
        if not 0.0 <= number <= 1.0:
            raise ShapeError(f"time must be from 0 to 1, got {time!r}")
        if number == 1.0:
            return self.end
        a, b = self.start, self.end
        return Pose(a.x + (b.x - a.x) * number, a.y + (b.y - a.y) * number, a.angle + (b.angle - a.angle) * number)
