"""Gravity on the bodies that a continuous step stops: before and after the hit, each for as long as they move.

Pymunk reflects the velocity of a body before gravity, and its solver takes back the gravity of the whole step along the
normal. So a rod that bounces in a room would gain or lose energy with each hit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import pymunk

from impinge.meetings import HitRows
from impinge_pymunk.chipmunk import drive, withhold_gravity
from impinge_pymunk.encounters import Encounter

__all__ = ["accelerate", "begin_fall", "pull_after"]

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


def pull_after(
    encounter: Encounter, hits: HitRows, place: int, figures: Sequence[float], gravity: Vector, dt: float
) -> Vector:
    """Return the gravity on a body after its stop: none along the normal of an unstoppable body on which it rests.

    Parameters
    ----------
    encounter, hits
        The bodies of the step, and its hits.
    place
        The place of the body in the encounter.
    figures
        Its position, angle, velocity and angular velocity after the step.
    gravity, dt
        The gravity of the space, and the duration of the step.
    """
    x, y = gravity
    told = zip(
        *(rows.tolist() for rows in (hits.hits.pairs, hits.hits.stopped, hits.normals(), hits.places())), strict=True
    )
    for (one, _, other, _, _, _), stopped, (nx, ny), places in told:
        if not stopped & (1 if one == place else 2 if other == place else 0):
            continue
        here, there = places[:3], places[3:]
        if other == place:
            other, here, there = one, there, here
        across, up, spin = encounter.velocities[other].tolist()
        along = x * nx + y * ny
        # The speed of its centre relative to the other body there.
        speed_x = figures[3] - across + spin * (here[1] - there[1])
        speed_y = figures[4] - up - spin * (here[0] - there[0])
        if encounter.is_heavy(other) and abs(speed_x * nx + speed_y * ny) <= abs(along) * dt:
            x, y = x - along * nx, y - along * ny
    return x, y
