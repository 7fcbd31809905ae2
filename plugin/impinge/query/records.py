"""Records of the queries that look among many targets: each holds the target, and what the query found out about it.

A target is what the query was given or asked for: an index, a `Body`, or the sprite of an adapter. Like all named
tuples they unpack: ``for target, impact in world.sweep(...)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from impinge.query.impacts import Impact
    from impinge.sector.sectors import SectorHit

__all__ = ["Hit", "Neighbour", "SectorTarget"]

Target = TypeVar("Target")


class Hit(NamedTuple, Generic[Target]):
    """A target that a moving shape hits.

    Attributes
    ----------
    target
        The target; for `impinge.sweep` its index.
    impact
        The impact. The moving shape is a, the target is b.

    Examples
    --------
    >>> from impinge import Circle, Motion, Pose, sweep
    >>> hits = sweep(Circle(1), Motion(Pose(0, 0), Pose(10, 0)), [(Circle(1), Pose(7, 0))])
    >>> hits[0].target, hits[0].impact.time
    (0, 0.5)
    """

    target: Target
    impact: Impact


class Neighbour(NamedTuple, Generic[Target]):
    """A target near a point.

    Attributes
    ----------
    target
        The target.
    distance
        Its distance from the point, in the game's units; negative if it contains the point.
    """

    target: Target
    distance: float


class SectorTarget(NamedTuple, Generic[Target]):
    """A target in a sector.

    Attributes
    ----------
    target
        The target.
    hit
        Its nearest point in the sector: distance, bearing and point.
    """

    target: Target
    hit: SectorHit
