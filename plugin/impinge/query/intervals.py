"""Contact interval and closest approach of two moving solids."""

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
    """The closest approach of two moving solids.

    Attributes
    ----------
    time
        Earliest time at which the distance is least, from 0 to 1.
    distance
        Least distance, in the game's units; zero if the solids touch or overlap.

    Examples
    --------
    >>> from impinge import Circle, Pose
    >>> nearest = closest_approach(Circle(1), Motion(Pose(-4, 5), Pose(4, 5)), Circle(1), Motion.still(Pose(0, 0)))
    >>> nearest.time, nearest.distance
    (0.5, 3.0)
    """

    time: float
    distance: float


def contact_interval(a: Solid, motion_a: Motion, b: Solid, motion_b: Motion) -> tuple[float, float] | None:
    """Return the first interval in which two moving solids touch or overlap, or None without one.

    Parameters
    ----------
    a, b
        The solids.
    motion_a, motion_b
        Their motions through the frame: straight or ballistic, with any number of turns.

    Returns
    -------
    (float, float) or None
        Begin and end, from 0 to 1. Both are equal if the solids only graze.

    Raises
    ------
    ShapeError
        If an argument is not of its type.

    Notes
    -----
    Without rotation, the conditions are polynomials in time, R(t) = n. They are solved in closed form or to the last
    place, without a step size: see `impinge.predict`.

    With rotation, conservative advancement (Mirtich, "Impulse-based dynamic simulation of rigid body systems", 1996)
    finds the begin: never late, and early by no more than the slop. From then on, each step is the depth over the
    greatest relative speed, because the solids cannot separate sooner. Solids that touch without depth, as in sliding,
    are tested each 1/10,000 of the frame.

    Examples
    --------
    >>> from impinge import Box, Circle, Pose
    >>> ball, wall = Circle(1), Box(2, 20)
    >>> contact_interval(ball, Motion(Pose(-10, 0), Pose(10, 0)), wall, Motion.still(Pose(0, 0)))
    (0.4, 0.6)

    A ball is thrown up, and just grazes the ceiling at its highest point:

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
    """Return the time at which two moving solids are nearest, and their distance then.

    Parameters
    ----------
    a, b
        The solids.
    motion_a, motion_b
        Their motions through the frame: straight or ballistic, with any number of turns.

    Returns
    -------
    Approach
        If the solids touch or overlap during the frame, the distance is zero and the time is that of the first touch.
        For the least distance of the centres of two circles, also while they overlap, use `predict.minimum` of
        `predict.squared_distance`.

    Raises
    ------
    ShapeError
        If an argument is not of its type.

    Notes
    -----
    Without rotation, b moves along a polynomial path relative to a, past the Minkowski differences of their pieces (de
    Berg et al., "Computational Geometry", 3rd ed., 13.3). The distances to its edges, and the squared distances to its
    corners, are polynomials in time. `distance` is evaluated at the minima of each (see `impinge.predict`). There is no
    step size.

    With rotation, a search finds minima. Conservative advancement (Mirtich, 1996) proves that no distance is less than
    the least of them by more than 1e-9 of the reach of both solids.

    Examples
    --------
    >>> from impinge import Box, Circle, Pose
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
    """Raise a ShapeError that names the argument if one is not of its type."""
    for name, solid in (("a", a), ("b", b)):
        checked_solid(name, solid)
    for name, motion in (("motion_a", motion_a), ("motion_b", motion_b)):
        if not isinstance(motion, Motion):
            raise ShapeError(f"{name} must be a Motion, got {motion!r}")
