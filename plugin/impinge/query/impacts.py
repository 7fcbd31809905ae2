"""Queries of the time of impact of moving solids. They return normal, points and features, and move nothing.

`batch` has the same query for arrays of pairs. `push` and `impinge.world` resolve contacts.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from impinge.errors import ShapeError
from impinge.kernels import columns as col
from impinge.kernels import entry
from impinge.kernels.arrays import Course
from impinge.motion import Motion, Pose
from impinge.query.records import Hit
from impinge.shapes.solids import Feature, Solid, Vector, checked_solid

__all__ = ["Impact", "sweep", "time_of_impact"]


class Impact(NamedTuple):
    """The impact of two moving solids.

    Attributes
    ----------
    time
        Time of impact, from 0 at the frame's start to 1 at its end.
    point
        Contact point, in the game's units. For two touching edges, the middle of the stretch that they share.
    normal
        Unit vector from a to b, perpendicular to both surfaces. For two sharp corners it points towards where b came
        from, as far as both corners allow.
    points
        The contact point, or both ends of the shared stretch.
    feature_a, feature_b
        Touching vertex or edge of each solid; None if they overlap at the frame's start.
    overlapping
        Whether the solids overlap at the frame's start by more than the slop. The time is 0 then, and the normal and
        the points are those of `contact`.
    iterations
        Number of steps of the conservative advancement; 0 for an answer in closed form. It stops after 20,000 steps,
        which takes hundreds of turns in a frame. The time is early then, and the other values are those of a touch.

    Examples
    --------
    >>> from impinge import Box, Pose
    >>> crate, floor = Box(2, 2), Motion.still(Pose(0, 0))
    >>> impact = time_of_impact(Box(10, 2), floor, crate, Motion(Pose(4, 6), Pose(4, -6)))
    >>> if impact is not None:
    ...     impact.time, impact.point, impact.points
    ...     impact.feature_a, impact.feature_b
    (0.3333333333333333, (4.0, 1.0), ((3.0, 1.0), (5.0, 1.0)))
    (Feature(kind='edge', index=2, part=0), Feature(kind='edge', index=0, part=0))
    """

    time: float
    point: Vector
    normal: Vector
    points: tuple[Vector, ...]
    feature_a: Feature | None
    feature_b: Feature | None
    overlapping: bool
    iterations: int


def time_of_impact(a: Solid, motion_a: Motion, b: Solid, motion_b: Motion) -> Impact | None:
    """Return the first impact of two moving solids, or None without one.

    Parameters
    ----------
    a, b
        The solids.
    motion_a, motion_b
        Their motions through the frame: straight or ballistic, with any number of turns.

    Returns
    -------
    Impact or None
        At an impact, the solids would overlap by more than the slop if they moved on. A touch alone is no impact:
        solids that graze, slide along each other, or separate from a touch have none. If they touch at the frame's
        start and approach, the time is 0.

        On straight paths, there is no impact if a shift of the path by at most the slop would avoid it.

    Raises
    ------
    ShapeError
        If an argument is not of its type.

    Notes
    -----
    Without rotation and acceleration, b moves along a ray relative to a. The method clips this ray by the Minkowski
    difference of the solids, piece by piece (Cyrus & Beck, "Generalized two- and three-dimensional clipping", 1978).
    The answer has a closed form, exact to rounding. `impinge.reference.polygons` lists the improvements over the
    original, "Collision point of two non-rotating polygons" (Christensen, 1996).

    Otherwise the method is conservative advancement (Mirtich, "Impulse-based dynamic simulation of rigid body systems",
    1996). The time is never late: before it, the solids do not overlap by more than the slop. It is not early either:
    at that time, they are within the slop. With acceleration but no rotation, its steps are roots of quadratics. The
    rotation of a circle is ignored.

    Examples
    --------
    >>> from impinge import Box, Circle, Pose
    >>> wall, still = Box(2, 20), Motion.still(Pose(0, 0))
    >>> bullet = time_of_impact(wall, still, Circle(1), Motion(Pose(1000, 3), Pose(-99000, 3)))
    >>> if bullet is not None:
    ...     bullet.time, round(bullet.point[0], 9), bullet.normal
    (0.00998, 1.0, (1.0, 0.0))
    >>> time_of_impact(wall, still, Circle(1), Motion(Pose(2, 9), Pose(2, -9))) is None
    True

    A rod makes half a turn around its end in one frame, and hits a pin:

    >>> from impinge import Capsule
    >>> rod = Motion(Pose(0, 0), Pose(0, 0, angle=3.141592653589793))
    >>> struck = time_of_impact(Capsule((0, 0), (10, 0), 0.5), rod, Circle(0.5), Motion.still(Pose(0, 8)))
    >>> if struck is not None:
    ...     round(struck.time, 6), struck.feature_a
    (0.460107, Feature(kind='edge', index=1, part=0))
    """
    if not (type(motion_a) is Motion is type(motion_b)):
        for name, motion in (("motion_a", motion_a), ("motion_b", motion_b)):
            if not isinstance(motion, Motion):
                raise ShapeError(f"{name} must be a Motion, got {motion!r}")
    row_a, row_b = getattr(a, "row", None), getattr(b, "row", None)
    if type(row_a) is not np.ndarray or type(row_b) is not np.ndarray:
        row_a, row_b = checked_solid("a", a).row, checked_solid("b", b).row
    return impact_of(a, b, entry.impact_pair(row_a, course_of(motion_a), row_b, course_of(motion_b)))


def sweep(shape: Solid, motion: Motion, targets: Iterable[tuple[Solid, Pose | Motion]]) -> list[Hit[int]]:
    """Return all targets that a moving solid hits if nothing stops it, the earliest first.

    Parameters
    ----------
    shape, motion
        The solid and its motion, as for `time_of_impact`.
    targets
        Pairs of a solid and its pose, if it does not move, or its motion through the frame.

    Returns
    -------
    list of Hit
        The index of each target, and its impact. The normal points from the solid to the target. At equal times the
        lower index comes first.

    Raises
    ------
    ShapeError
        If an argument is not of its type, or a target is not a pair of a solid and a Pose or Motion.

    Notes
    -----
    The method is that of `time_of_impact`. For thousands of targets in every frame, `batch.time_of_impact` takes
    targets that are packed once.

    Examples
    --------
    >>> from impinge import Box, Circle
    >>> posts = [(Box(2, 20), Pose(x, 0)) for x in (30, 10, -10)]
    >>> [(hit.target, hit.impact.time) for hit in sweep(Circle(1), Motion(Pose(0, 0), Pose(40, 0)), posts)]
    [(1, 0.2), (0, 0.7)]
    """
    checked_solid("shape", shape)
    if not isinstance(motion, Motion):
        raise ShapeError(f"motion must be a Motion, got {motion!r}")
    if not isinstance(targets, Iterable):
        raise ShapeError(f"targets must be pairs of a solid and a Pose or a Motion, got {targets!r}")
    checked = [_target(index, target) for index, target in enumerate(targets)]
    found = ((index, time_of_impact(shape, motion, *target)) for index, target in enumerate(checked))
    hits = [Hit(index, impact) for index, impact in found if impact is not None]
    return sorted(hits, key=lambda hit: hit.impact.time)


def course_of(motion: Motion) -> Course:
    """Return a motion as the tuple that the kernels take."""
    start, end = motion.start, motion.end
    return start.x, start.y, start.angle, end.x, end.y, end.angle, *motion.acceleration


def feature_of(solid: Solid, kind: float, point: float, along: float) -> Feature | None:
    """Return the feature that the kernels found, in the user's numbering; None if they found none."""
    if kind != col.FEATURE_EDGE and kind != col.FEATURE_VERTEX:
        return None
    name = solid.names[int(point)]
    edges = name.edges
    if kind == col.FEATURE_VERTEX or not edges:
        # A point without edges starts a cut between pieces. Other solids can only touch the ends of a cut.
        return _feature("vertex", name.vertex, name.part)
    index = edges[0][2]
    if len(edges) > 1:
        # Several of the user's edges may lie along one edge of a piece: take the one at the contact point, or nearest.
        _, index = min((max(low - along, along - high), index) for low, high, index in edges)
    return _feature("edge", index, name.part)


# Features are immutable values, and games get the same ones again and again.
_feature = lru_cache(Feature)


def impact_of(a: Solid, b: Solid, answer: Course) -> Impact | None:
    """Return the impact that the kernels found, as a record; None if they found none."""
    time, nx, ny, count, x, y, far_x, far_y, kind_a, point_a, along_a, kind_b, point_b, along_b, overlapping, steps = (
        answer
    )
    if time != time:  # NaN: three times as fast as a call of `isnan`
        return None
    if count == 1.0:
        point = x, y
        points: tuple[Vector, ...] = (point,)
    else:
        point, points = (0.5 * (x + far_x), 0.5 * (y + far_y)), ((x, y), (far_x, far_y))
    return Impact(
        time,
        point,
        (nx, ny),
        points,
        feature_of(a, kind_a, point_a, along_a),
        feature_of(b, kind_b, point_b, along_b),
        overlapping == 1.0,
        int(steps),
    )


def _target(index: int, target: object) -> tuple[Solid, Motion]:
    if isinstance(target, tuple | list) and len(target) == 2:
        solid, way = target
        if isinstance(solid, Solid) and isinstance(way, Motion):
            return solid, way
        if isinstance(solid, Solid) and isinstance(way, Pose):
            return solid, Motion.still(way)
    raise ShapeError(f"targets[{index}] must be a solid and a Pose or a Motion, got {target!r}")
