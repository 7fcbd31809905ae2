"""The pose of a shape at one instant, and its motion through one frame."""

from __future__ import annotations

from dataclasses import dataclass

from impinge.checks import LARGEST, coordinate, finite, point, positive
from impinge.errors import ShapeError

__all__ = ["Motion", "Pose"]

# The acceleration of a straight motion.
NO_ACCELERATION = (0.0, 0.0)


@dataclass(frozen=True, slots=True, init=False)
class Pose:
    """The place and the angle of a shape.

    Parameters
    ----------
    x, y
        Place of the shape's origin, in the game's units, y up.
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

    def __init__(self, x: float, y: float, angle: float = 0.0) -> None:
        # Games make many poses. This check accepts valid ones three times as fast.
        if not (type(x) is type(y) is type(angle) is float and abs(x) + abs(y) + abs(angle) <= LARGEST):
            x, y, angle = coordinate("x", x), coordinate("y", y), coordinate("angle", angle)
        _put_x(self, x)
        _put_y(self, y)
        _put_angle(self, angle)


# The `__init__` that a frozen dataclass generates takes twice as long.
_put_x, _put_y, _put_angle = (Pose.__dict__[name].__set__ for name in ("x", "y", "angle"))


@dataclass(frozen=True, slots=True, init=False)
class Motion:
    """The motion of a shape through one frame: time runs from 0 at the start to 1 at the end.

    Parameters
    ----------
    start, end
        Poses at the start and at the end of the frame.
    acceleration
        Constant acceleration, in units per frame squared. The default, zero, is a straight motion. See also
        `ballistic`.

    Raises
    ------
    ShapeError
        If an argument is not of its type, or a number in it is not finite.

    Notes
    -----
    The place at time t is ``start + v t + a t² / 2`` with ``v = end - start - a / 2``. The angle changes evenly from
    that of the start to that of the end, so a motion may have several turns.

    Examples
    --------
    >>> Motion(Pose(0, 0), Pose(10, 4)).at(0.5)
    Pose(x=5.0, y=2.0, angle=0.0)
    """

    start: Pose
    end: Pose
    acceleration: tuple[float, float] = NO_ACCELERATION

    def __init__(self, start: Pose, end: Pose, acceleration: tuple[float, float] = NO_ACCELERATION) -> None:
        # Most motions are straight, and games make many. This check accepts valid ones five times as fast.
        if not (acceleration is NO_ACCELERATION and type(start) is type(end) is Pose):
            for name, pose in (("start", start), ("end", end)):
                if not isinstance(pose, Pose):
                    raise ShapeError(f"{name} must be a Pose, got {pose!r}")
            acceleration = point("acceleration", acceleration)
        _put_start(self, start)
        _put_end(self, end)
        _put_acceleration(self, acceleration)

    @classmethod
    def still(cls, pose: Pose) -> Motion:
        """Return the motion of a shape at rest.

        Raises
        ------
        ShapeError
            If the argument is not a `Pose`.

        Examples
        --------
        >>> Motion.still(Pose(3, 4)).at(0.7)
        Pose(x=3.0, y=4.0, angle=0.0)
        """
        return cls(pose, pose)

    @classmethod
    def ballistic(
        cls,
        start: Pose,
        velocity: tuple[float, float],
        acceleration: tuple[float, float],
        spin: float = 0.0,
        duration: float = 1.0,
    ) -> Motion:
        """Return the motion of one frame under a constant acceleration, as of a thrown shape.

        Parameters
        ----------
        start
            Pose at the start of the frame.
        velocity
            Velocity at the start of the frame, in units per unit of time.
        acceleration
            Acceleration, in units per unit of time squared.
        spin
            Angular velocity, in radians per unit of time, counter-clockwise.
        duration
            Duration of the frame, in units of time. With the default of 1, all these are per frame.

        Raises
        ------
        ShapeError
            If a number is not finite, the duration is not positive, or the end is beyond the limit of coordinates.

        Examples
        --------
        Thrown upwards at 30 pixels a second under a gravity of 100, for a frame of half a second:

        >>> thrown = Motion.ballistic(Pose(0, 0), (10, 30), (0, -100), duration=0.5)
        >>> thrown.at(0.6), thrown.at(1)
        (Pose(x=3.0, y=4.5, angle=0.0), Pose(x=5.0, y=2.5, angle=0.0))
        """
        if not isinstance(start, Pose):
            raise ShapeError(f"start must be a Pose, got {start!r}")
        lasting = positive("duration", duration)
        vx, vy = point("velocity", velocity)
        ax, ay = (lasting * lasting * part for part in point("acceleration", acceleration))
        turn = lasting * finite("spin", spin)
        end = Pose(start.x + lasting * vx + 0.5 * ax, start.y + lasting * vy + 0.5 * ay, start.angle + turn)
        return cls(start, end, (ax, ay))

    def part(self, begin: float, end: float) -> Motion:
        """Return the part of this motion between two times from 0 to 1 as a motion of its own.

        Raises
        ------
        ShapeError
            If a time is not a number from 0 to 1.

        Examples
        --------
        >>> Motion(Pose(0, 0), Pose(10, 4, angle=2)).part(0.25, 0.5)
        Motion(start=Pose(x=2.5, y=1.0, angle=0.5), end=Pose(x=5.0, y=2.0, angle=1.0), acceleration=(0.0, 0.0))
        """
        start, finish = self.at(begin), self.at(end)
        if self.acceleration is NO_ACCELERATION:
            return Motion(start, finish)
        squared = (end - begin) * (end - begin)
        return Motion(start, finish, (squared * self.acceleration[0], squared * self.acceleration[1]))

    def at(self, time: float) -> Pose:
        """Return the pose at a time from 0 to 1: exactly `start` at 0, and `end` at 1.

        Raises
        ------
        ShapeError
            If the time is not a number from 0 to 1.

        Examples
        --------
        >>> Motion(Pose(0, 0), Pose(10, 4, angle=2)).at(0.25)
        Pose(x=2.5, y=1.0, angle=0.5)
        """
        number = time if type(time) is float else finite("time", time)
        if not 0.0 <= number <= 1.0:
            raise ShapeError(f"time must be from 0 to 1, got {time!r}")
        if number == 1.0:
            return self.end
        a, b = self.start, self.end
        # The offset that the acceleration adds to the straight motion is zero at both ends.
        bend = -0.5 * number * (1.0 - number)
        return Pose(
            a.x + (b.x - a.x) * number + bend * self.acceleration[0],
            a.y + (b.y - a.y) * number + bend * self.acceleration[1],
            a.angle + (b.angle - a.angle) * number,
        )


_put_start, _put_end, _put_acceleration = (Motion.__dict__[name].__set__ for name in ("start", "end", "acceleration"))
