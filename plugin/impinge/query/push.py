"""The push rule for one pair of boxes. `batch` has it for many pairs at once, `world` for many bodies."""

from __future__ import annotations

from dataclasses import dataclass

from impinge import batch
from impinge.errors import ShapeError
from impinge.motion import Motion, Pose
from impinge.shapes.solids import Box
from impinge.sides import Side, checked_sides

__all__ = ["Push", "push"]


@dataclass(frozen=True, slots=True)
class Push:
    """The result of the push rule for the weak box of a pair.

    Attributes
    ----------
    pose
        Pose at the end of the frame.
    time
        Time of the first touch, from 0 to 1; None without one.
    sides
        Sides of the weak box that were touched.
    stuck
        Sides between which the weak box had no room. That takes two mighty bodies, so one pair never sets it.
    overlapped
        Whether the weak box started inside the mighty box and was moved out first.
    """

    pose: Pose
    time: float | None
    sides: Side
    stuck: Side
    overlapped: bool


def push(
    mighty: Box,
    mighty_motion: Motion,
    weak: Box,
    weak_motion: Motion,
    *,
    carrying: Side = Side.ALL,
    sticky: Side = Side.NONE,
    passable: Side = Side.NONE,
) -> Push:
    """Resolve one mighty and one weak box over one frame, exactly, at any speed.

    Parameters
    ----------
    mighty, weak
        The boxes.
    mighty_motion
        Motion of the mighty box. The weak box never changes it.
    weak_motion
        Motion of the weak box: its start, and the goal that it reaches if nothing stops or pushes it.
    carrying
        Sides of the mighty box that carry the weak box along as they move.
    sticky
        Sides of the mighty box that hold a weak box which touches them at the start.
    passable
        Sides of the mighty box that let the weak box in.

    Raises
    ------
    ShapeError
        If an argument is not of its type, a pose is turned, or a motion is accelerated. This function is for
        axis-aligned boxes on straight paths.

    Notes
    -----
    The rule is "Collision of two quads in 2D space" (mirex, TeryWiki, 2008) in the limit of small steps.

    Examples
    --------
    The worked example of that page, with y up. A block moves up and to the right, and hits a creature at half time:

    >>> block, creature = Box(8, 8), Box(8, 8)
    >>> up = Motion(Pose(-3, -8), Pose(0, -5))
    >>> down = Motion(Pose(6, 2), Pose(5, 1))
    >>> push(block, up, creature, down)
    Push(pose=Pose(x=6.5, y=3.0, angle=0.0), time=0.5, sides=<Side.BOTTOM: 4>, stuck=<Side.NONE: 0>, overlapped=False)
    >>> push(block, up, creature, down, carrying=Side.NONE).pose
    Pose(x=5.0, y=3.0, angle=0.0)
    """
    moves = []
    for name, motion in (("mighty_motion", mighty_motion), ("weak_motion", weak_motion)):
        if not isinstance(motion, Motion):
            raise ShapeError(f"{name} must be a Motion, got {motion!r}")
        if motion.acceleration != (0.0, 0.0):
            raise ShapeError(f"{name} must be straight, got acceleration={motion.acceleration!r}")
        for pose in (motion.start, motion.end):
            moves.append(upright(name, pose))
    for name, shape in (("mighty", mighty), ("weak", weak)):
        if not isinstance(shape, Box):
            raise ShapeError(f"{name} must be a Box, got {shape!r}")
    pushes = batch.solve(
        [[mighty.width, mighty.height, weak.width, weak.height]],
        [[*moves[0], *moves[1], *moves[2], *moves[3]]],
        [
            [
                checked_sides("carrying", carrying),
                checked_sides("sticky", sticky),
                checked_sides("passable", passable),
            ]
        ],
    )
    x, y = pushes.ends[0].tolist()
    time = float(pushes.times[0])
    return Push(
        Pose(x, y),
        None if time != time else time,
        Side(int(pushes.sides[0])),
        Side.NONE,
        bool(pushes.overlapped[0]),
    )


def upright(name: str, pose: object) -> tuple[float, float]:
    """Return the position of a pose that is not turned. Raise a ShapeError with the argument's name for any other."""
    if not isinstance(pose, Pose):
        raise ShapeError(f"{name} must be a Pose, got {pose!r}")
    if pose.angle != 0.0:
        raise ShapeError(f"{name} must not be turned (boxes are axis-aligned here), got angle={pose.angle!r}")
    return pose.x, pose.y
