"""What is asked of a space many times in a step, without the objects that Pymunk makes of questions and answers.

They take three times as long as what Chipmunk does. Not here: what is asked once in a step, or by a game.
"""

from __future__ import annotations

from typing import TypeAlias

import pymunk
from pymunk._chipmunk_cffi import ffi, lib

__all__ = ["Finder", "center_of", "figures_of"]

Bounds: TypeAlias = tuple[float, float, float, float]
Vector: TypeAlias = tuple[float, float]


class Finder:
    """`pymunk.Space.bb_query` with the filter of a shape.

    Examples
    --------
    >>> space, body = pymunk.Space(), pymunk.Body(1, 1)
    >>> ball, wall = pymunk.Circle(body, 2), pymunk.Segment(space.static_body, (5, -9), (5, 9), 1)
    >>> space.add(body, ball, wall)
    >>> find = Finder(space)
    >>> find((3, -1, 4, 1), ball) == [wall], find((9, -1, 10, 1), ball)
    (True, [])
    """

    def __init__(self, space: pymunk.Space) -> None:
        self._space = space
        self._found: list[pymunk.Shape] = []
        self._handle = ffi.new_handle((space, self._found))

    def __call__(self, bounds: Bounds, shape: pymunk.Shape) -> list[pymunk.Shape]:
        """Return the shapes whose bounds overlap these, and that a shape may meet by its filter."""
        found = self._found
        lib.cpSpaceBBQuery(
            self._space._space, bounds, lib.cpShapeGetFilter(shape._shape), lib.ext_cpSpaceBBQueryFunc, self._handle
        )
        if not found:
            return []
        answer = found.copy()
        # Nothing is kept of what may leave the space.
        found.clear()
        return answer


def center_of(body: pymunk.Body) -> Vector:
    """Return the centre of gravity of a body in its own frame.

    Examples
    --------
    >>> center_of(pymunk.Body(1, 1))
    (0.0, 0.0)
    """
    center = lib.cpBodyGetCenterOfGravity(body._body)
    return center.x, center.y


def figures_of(body: pymunk.Body) -> tuple[float, float, float, float, float, float]:
    """Return the position of a body, its angle, its velocity and its angular velocity.

    Examples
    --------
    >>> body = pymunk.Body(1, 1)
    >>> body.position, body.velocity = (3, 4), (5, 6)
    >>> figures_of(body)
    (3.0, 4.0, 0.0, 5.0, 6.0, 0.0)
    """
    inner = body._body
    place, velocity = lib.cpBodyGetPosition(inner), lib.cpBodyGetVelocity(inner)
    return (
        place.x,
        place.y,
        lib.cpBodyGetAngle(inner),
        velocity.x,
        velocity.y,
        lib.cpBodyGetAngularVelocity(inner),
    )
