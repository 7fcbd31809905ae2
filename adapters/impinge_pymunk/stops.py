"""The report of a continuous step: where it stopped bodies.

`encounters` finds the hits; `continuity` keeps them until they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import NamedTuple

import pymunk
from pymunk import Vec2d

import impinge as im
from impinge.meetings import HitRows
from impinge_pymunk.encounters import Encounter
from impinge_pymunk.parts import Parts

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


class Struck(NamedTuple):
    """What hit each other in a part of a step.

    Attributes
    ----------
    encounter, hits
        All bodies, and what was found about them.
    parts
        The parts of their shapes.
    """

    encounter: Encounter
    hits: HitRows
    parts: Parts


class Report:
    """The stops of a step, all parts of it together if it is divided; the records are made at the first request.

    Attributes
    ----------
    is_used
        Whether it has any stops.
    """

    def __init__(self) -> None:
        self._struck: list[tuple[float, float, Struck]] = []
        self._stops: tuple[Stop, ...] | None = ()
        self.is_used = False

    def add(self, struck: Struck, begin: float, part: float) -> None:
        """Add the hits of a part of the step; `begin` and `part` are fractions of the step."""
        self._struck.append((begin, part, struck))
        self._stops, self.is_used = None, True

    def stops(self) -> tuple[Stop, ...]:
        """Return the records in order of time."""
        if self._stops is None:
            stops = [stop for begin, part, struck in self._struck for stop in _stops_of(struck, begin, part)]
            self._stops = tuple(sorted(stops, key=attrgetter("time")))
        return self._stops


def _stops_of(struck: Struck, begin: float, part: float) -> Iterator[Stop]:
    """Yield the stops of a part of the step, body by body."""
    encounter, hits, parts = struck
    pairs, stopped = hits.hits.pairs.tolist(), hits.hits.stopped.tolist()
    times, places, turns = hits.times().tolist(), hits.places().tolist(), encounter.turns.tolist()
    sides = [
        (turns[pair[2 * side]], hit, side)
        for hit, pair in enumerate(pairs)
        for side in range(2)
        if stopped[hit] & (1 << side)
    ]
    for _, hit, side in sorted(sides):
        one, part_one, other, part_other, _, _ = pairs[hit]
        own, its = parts.numbered(part_one), parts.numbered(part_other)
        nearest = im.distance(own.solid, im.Pose(*places[hit][:3]), its.solid, im.Pose(*places[hit][3:]))
        normal, time = Vec2d(*nearest.normal), begin + times[hit] * part
        if side == 0:
            yield Stop(encounter.body(one), own.shape, its.shape, time, Vec2d(*nearest.point_b), normal)
        else:
            yield Stop(encounter.body(other), its.shape, own.shape, time, Vec2d(*nearest.point_a), -normal)
