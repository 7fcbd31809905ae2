"""The report of a continuous step: where it stopped bodies.

`meetings` finds the hits; `continuity` keeps them until they are asked for.
"""

from __future__ import annotations

from operator import itemgetter
from typing import NamedTuple

import pymunk
from pymunk import Vec2d

from impinge_pymunk.ways import Strike, Way

__all__ = ["Report", "Stop"]


class Stop(NamedTuple):
    """A body that a continuous step stopped at a shape, so that Pymunk finds their contact.

    A sensor, and a shape whose collision a handler refuses, stop a body too; it goes on at once. If two bodies stop
    each other, each has a record.

    Attributes
    ----------
    body
        The stopped body.
    shape, other
        Its shape in the contact, and the shape that it hit.
    time
        Fraction of the step, from 0 to 1, at which it was stopped. For a body that was behind, it is the fraction of
        its motion in the step, which includes the time by which it was behind.
    point
        The contact point on the surface of `other`, in world coordinates; for contact along an edge, its middle.
    normal
        Unit vector from `shape` to `other` at the point, as `pymunk.Arbiter.normal` from the first shape to the second.
    """

    body: pymunk.Body
    shape: pymunk.Shape
    other: pymunk.Shape
    time: float
    point: Vec2d
    normal: Vec2d


class Report:
    """The stops of a step, all parts of it together if it is divided; the records are made at the first request.

    Attributes
    ----------
    struck
        The hits: the time of each as a fraction of the step, the stopped way, and the pair.
    """

    def __init__(self) -> None:
        self.struck: list[tuple[float, Way, Strike]] = []
        self._stops: tuple[Stop, ...] | None = None

    def add(self, way: Way, begin: float, part: float) -> None:
        """Add the hits of a way in a part of the step; `begin` and `part` are fractions of the step."""
        self._stops = None
        self.struck += [(begin + strike.time * part, way, strike) for strike in way.strikes]

    def stops(self) -> tuple[Stop, ...]:
        """Return the records in order of time."""
        if self._stops is None:
            ordered = sorted(self.struck, key=itemgetter(0))
            self._stops = tuple(_stop(*struck) for struck in ordered)
        return self._stops


def _stop(time: float, way: Way, strike: Strike) -> Stop:
    pair, nearest = strike.pair, strike.nearest()
    normal = Vec2d(*nearest.normal)
    if pair.way is way:
        return Stop(way.body, pair.part.shape, pair.other.shape, time, Vec2d(*nearest.point_b), normal)
    return Stop(way.body, pair.other.shape, pair.part.shape, time, Vec2d(*nearest.point_a), -normal)
