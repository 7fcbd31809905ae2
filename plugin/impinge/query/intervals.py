"""When two solids on their ways through a frame touch, and when they are nearest."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from impinge.errors import ShapeError
from impinge.motion import Motion
from impinge.query import turning
from impinge.query.instants import instants_between
from impinge.query.pairs import distance, overlaps
from impinge.shapes.solids import Solid, checked_solid

__all__ = ["Approach", "closest_approach", "contact_interval"]


class Approach(NamedTuple):
    """When two solids on their ways are nearest.

    Attributes
    ----------
    time
        The earliest such instant of the frame, from 0 to 1.
    distance
        How far they are apart then, in the game's units; zero if they touch or overlap.

    Examples
    --------
    >>> from impinge import Circle
    >>> nearest = closest_approach(Circle(1), Motion(Pose(-4, 5), Pose(4, 5)), Circle(1), Motion.still(Pose(0, 0)))
    >>> nearest.time, nearest.distance
    (0.5, 3.0)
    """

    time: float
    distance: float


def contact_interval(a: Solid, motion_a: Motion, b: Solid, motion_b: Motion) -> tuple[float, float] | None:
    """From when until when two solids on their ways touch or overlap for the first time; None if they never do.

    Parameters
    ----------
    a, b
        The solids.
    motion_a, motion_b
        Their ways through the frame, straight or ballistic, and turning as often as they like.

    Returns
    -------
    (float, float) or None
        Times from 0 to 1. Equal where they only graze.

    Raises
    ------
    ShapeError
        If an argument is not of its type.

    Notes
    -----
    Without turning polynomials in time, R(t) = n, solved in closed form or to the last place: see `impinge.predict`. No
    step size.

    Else by conservative advancement (Mirtich, "Impulse-based dynamic simulation of rigid body systems", 1996): never
    late at the touch, and early by no more than the slop. From then on it goes by the depth; only where they touch
    without any, as when one slides along the other, it looks again each 1/10,000 of the frame.

    Examples
    --------
    >>> from impinge import Box, Circle
    >>> ball, wall = Circle(1), Box(2, 20)
    >>> contact_interval(ball, Motion(Pose(-10, 0), Pose(10, 0)), wall, Motion.still(Pose(0, 0)))
    (0.4, 0.6)

    Thrown up, it just grazes the ceiling at its highest point:

    >>> thrown = Motion.ballistic(Pose(0, 0), velocity=(1, 8), acceleration=(0, -16))
    >>> contact_interval(ball, thrown, Box(20, 2), Motion.still(Pose(0, 4)))
    (0.5, 0.5)
    """
    _check(a, motion_a, b, motion_b)

    def touch_at(time: float) -> bool:
        return overlaps(a, motion_a.at(time), b, motion_b.at(time))

    if turning.turns(a, motion_a) or turning.turns(b, motion_b):
        return turning.interval(a, motion_a, b, motion_b)
    instants = instants_between(a, motion_a, b, motion_b)
    enter = leave = None
    for time, after in pairwise((*instants, 1.0)):
        if enter is None and touch_at(time):
            enter = leave = time
        if time < after and touch_at(0.5 * (time + after)):
            enter, leave = time if enter is None else enter, after
        elif enter is not None:
            break
    return None if enter is None or leave is None else (enter, leave)


def closest_approach(a: Solid, motion_a: Motion, b: Solid, motion_b: Motion) -> Approach:
    """When two solids on their ways are nearest, and how near.

    Parameters
    ----------
    a, b
        The solids.
    motion_a, motion_b
        Their ways through the frame, straight or ballistic, and turning as often as they like.

    Returns
    -------
    Approach
        If they touch or overlap during the frame, its distance is zero and its time that of the first touch. To ask
        when the centres of two circles are nearest, also inside each other: `predict.minimum` of
        `predict.squared_distance`.

    Raises
    ------
    ShapeError
        If an argument is not of its type.

    Notes
    -----
    Seen from a, b goes along a polynomial path past the Minkowski differences of their pieces (de Berg et al.,
    "Computational Geometry", 3rd ed., 13.3). Its distances to each edge and corner are polynomials in time; where one
    of them is least (see `impinge.predict`), `distance` is asked. No step size.

    Where one turns, minima are searched for, and conservative advancement (Mirtich, 1996) proves that nothing is nearer
    than the least of them by more than 1e-9 of both solids' reach.

    Examples
    --------
    >>> from impinge import Box, Circle
    >>> closest_approach(Circle(1), Motion(Pose(-4, 5), Pose(4, 5)), Box(2, 2), Motion.still(Pose(0, 0)))
    Approach(time=0.375, distance=3.0)
    >>> closest_approach(Circle(1), Motion(Pose(-4, 0), Pose(4, 0)), Circle(1), Motion.still(Pose(0, 0)))
    Approach(time=0.25, distance=0.0)
    """
    met = contact_interval(a, motion_a, b, motion_b)
    if met is not None:
        return Approach(met[0], 0.0)
    if turning.turns(a, motion_a) or turning.turns(b, motion_b):
        return Approach(*turning.nearest(a, motion_a, b, motion_b))
    instants = instants_between(a, motion_a, b, motion_b)
    gaps = [distance(a, motion_a.at(time), b, motion_b.at(time)).distance for time in instants]
    least = min(gaps)
    return Approach(instants[gaps.index(least)], least)


def _check(a: Solid, motion_a: Motion, b: Solid, motion_b: Motion) -> None:
    """Refuse an argument by name."""
    for name, solid in (("a", a), ("b", b)):
        checked_solid(name, solid)
    for name, motion in (("motion_a", motion_a), ("motion_b", motion_b)):
        if not isinstance(motion, Motion):
            raise ShapeError(f"{name} must be a Motion, got {motion!r}")
