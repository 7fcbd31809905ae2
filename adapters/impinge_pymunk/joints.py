"""The joints of a space: which bodies they join, and how far a step would stretch them.

`continuity` divides the steps in which joints need it.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import pymunk

__all__ = ["Joined", "Way", "bodies_on_joints", "island", "joined_bodies", "pull", "stretch"]

# Two bodies whose collisions a joint prevents.
Joined: TypeAlias = tuple[pymunk.Body, pymunk.Body]
Vector: TypeAlias = tuple[float, float]


class Way(NamedTuple):
    """The way of a body in a step.

    Attributes
    ----------
    begin, end
        Place and angle of its centre of gravity.
    center
        The centre of gravity in its own frame.
    """

    begin: tuple[float, float, float]
    end: tuple[float, float, float]
    center: Vector


def joined_bodies(space: pymunk.Space) -> frozenset[Joined]:
    """Return the pairs of bodies whose collisions a joint prevents, each in both orders.

    Examples
    --------
    >>> space, one, other = pymunk.Space(), pymunk.Body(1, 1), pymunk.Body(1, 1)
    >>> joint = pymunk.PinJoint(one, other)
    >>> space.add(one, other, joint)
    >>> (other, one) in joined_bodies(space)
    False
    >>> joint.collide_bodies = False
    >>> (other, one) in joined_bodies(space)
    True
    """
    joints = [joint for joint in space.constraints if not joint.collide_bodies]
    return frozenset(pair for joint in joints for pair in ((joint.a, joint.b), (joint.b, joint.a)))


def bodies_on_joints(space: pymunk.Space) -> set[pymunk.Body]:
    """Return the bodies of the joints in a space.

    Examples
    --------
    >>> space, one, other = pymunk.Space(), pymunk.Body(1, 1), pymunk.Body(1, 1)
    >>> joint = pymunk.PinJoint(one, other)
    >>> space.add(one, other, joint)
    >>> bodies_on_joints(space) == {one, other}
    True
    """
    return {body for joint in space.constraints for body in (joint.a, joint.b)}


def island(body: pymunk.Body) -> list[pymunk.Body]:
    """Return a body and the dynamic bodies that constraints join to it, directly or by others.

    Examples
    --------
    >>> space, one, other = pymunk.Space(), pymunk.Body(1, 1), pymunk.Body(1, 1)
    >>> joint = pymunk.PinJoint(one, other)
    >>> space.add(one, other, joint)
    >>> island(one) == [one, other]
    True
    >>> space.remove(joint)
    >>> island(one) == [one]
    True
    """
    # A body keeps the joints that have left the space.
    joints = set() if body.space is None else set(body.space.constraints)
    found = {body: None}
    for one in (members := [body]):
        for joint in one.constraints & joints:
            for other in (joint.a, joint.b):
                if other not in found and other.body_type == pymunk.Body.DYNAMIC:
                    found[other] = None
                    members.append(other)
    return members


def stretch(joint: pymunk.Constraint, one: Way, other: Way) -> float:
    """Return how far the courses of two bodies move a joint's anchors from where it holds them.

    Parameters
    ----------
    joint
        The constraint; all except pin, pivot and slide joints hold no distance, so the result is 0.
    one, other
        The ways of its bodies.
    """
    if not isinstance(joint, pymunk.PinJoint | pymunk.PivotJoint | pymunk.SlideJoint):
        return 0.0
    lengths = [
        math.dist(_anchor(place, joint.anchor_a, one.center), _anchor(other_place, joint.anchor_b, other.center))
        for place, other_place in ((one.begin, other.begin), (one.end, other.end))
    ]
    if isinstance(joint, pymunk.SlideJoint):
        lengths = [max(joint.min - length, length - joint.max, 0.0) for length in lengths]
    return abs(lengths[1] - lengths[0])


def pull(joint: pymunk.Constraint, dt: float, former: float) -> float:
    """Return how far a joint would move its bodies in a step by the force that it had in the former one.

    Pymunk begins to solve a joint with its former impulse, multiplied by the ratio of the durations, and a slide joint
    can take back the former impulse at most.
    """
    if not isinstance(joint, pymunk.PinJoint | pymunk.PivotJoint | pymunk.SlideJoint):
        return 0.0
    weakness = sum(1.0 / body.mass for body in (joint.a, joint.b) if body.body_type == pymunk.Body.DYNAMIC)
    return float(joint.impulse / former * dt * dt * weakness) if former > 0.0 else 0.0


def _anchor(place: tuple[float, float, float], anchor: Vector, center: Vector) -> Vector:
    """Return the position of an anchor of a body whose centre of gravity is at a place."""
    x, y, angle = place
    across, up = anchor[0] - center[0], anchor[1] - center[1]
    cos, sin = math.cos(angle), math.sin(angle)
    return x + cos * across - sin * up, y + sin * across + cos * up
