"""Gravity on the bodies that a continuous step stops: before and after the hit, each for as long as they move.

Pymunk reflects the velocity of a body before gravity, and its solver takes back the gravity of the whole step along the
normal. So a rod that bounces in a room would gain or lose energy with each hit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import pymunk

from impinge.meetings import HitRows
from impinge_pymunk.chipmunk import drive, withhold_gravity
from impinge_pymunk.encounters import Encounter

__all__ = ["accelerate", "begin_fall", "contacts_of", "pull_after"]

Vector: TypeAlias = tuple[float, float]


def begin_fall(body: pymunk.Body, gravity: Vector, velocity: Sequence[float], time: float) -> Vector | None:
    """Give a body its velocity at its stop, with the gravity until then, and return it: of the step it gets none.

    A body with a velocity function of its own is left to it, and None returned.
    """
    if body._velocity_func is not None:
        return None
    withhold_gravity(body, gravity)
    return accelerate(body, gravity, velocity, time)


def accelerate(body: pymunk.Body, gravity: Vector, velocity: Sequence[float], time: float) -> Vector:
    """Give a body its velocity after gravity has acted for a time, and return it."""
    x, y = velocity[0] + gravity[0] * time, velocity[1] + gravity[1] * time
    drive(body, x, y)
    return x, y


class Contact(NamedTuple):
    """A hit, as seen from a body that it stopped.

    Attributes
    ----------
    other
        The place of the other body in the encounter.
    normal, offset
        The normal, and the place of the body relative to the other one at the hit.
    """

    other: int
    normal: Vector
    offset: Vector


def contacts_of(hits: HitRows) -> defaultdict[int, list[Contact]]:
    """Return the hits that stopped each body, by its place in the encounter."""
    contacts = defaultdict[int, list[Contact]](list)
    rows = hits.hits.pairs, hits.hits.stopped, hits.normals(), hits.places()
    for (one, _, other, _, _, _), stopped, (nx, ny), (x, y, _, other_x, other_y, _) in zip(
        *(each.tolist() for each in rows), strict=True
    ):
        if stopped & 1:
            contacts[one].append(Contact(other, (nx, ny), (x - other_x, y - other_y)))
        if stopped & 2:
            contacts[other].append(Contact(one, (nx, ny), (other_x - x, other_y - y)))
    return contacts


def pull_after(
    encounter: Encounter, contacts: list[Contact], velocity: Sequence[float], gravity: Vector, dt: float
) -> Vector:
    """Return the gravity on a body after its stop: none along the normal of an unstoppable body on which it rests.

    Parameters
    ----------
    encounter, contacts
        The bodies of the step, and the hits that stopped the body.
    velocity
        Its velocity after the step.
    gravity, dt
        The gravity of the space, and the duration of the step.
    """
    x, y = gravity
    for other, (nx, ny), (right, up) in contacts:
        other_x, other_y, spin = encounter.velocities[other].tolist()
        along = x * nx + y * ny
        # The speed of its centre relative to the other body there.
        speed_x, speed_y = velocity[0] - other_x + spin * up, velocity[1] - other_y - spin * right
        if encounter.is_heavy(other) and abs(speed_x * nx + speed_y * ny) <= abs(along) * dt:
            x, y = x - along * nx, y - along * ny
    return x, y
