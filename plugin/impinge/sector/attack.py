"""An attack over time: it winds up, strikes while a sector swings, and recovers. It hits nobody twice.

Not here: what a sector reaches, which is in `sector`, and what a hit does to whoever takes it, which is the game's.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from impinge.checks import coordinate, finite, not_negative
from impinge.errors import ShapeError
from impinge.motion import Motion, Pose
from impinge.query.impacts import Impact
from impinge.sector.sectors import (
    Occluders,
    Sector,
    SectorHit,
    Walls,
    checked_pose,
    checked_sector,
    sector_hit,
    sector_sweep,
)
from impinge.shapes.solids import Solid, Vector

__all__ = ["Attack", "Strike", "Swing"]

Key = TypeVar("Key", bound=Hashable)
Phase = Literal["windup", "active", "recovery", "over"]

# Looks at what walls hide, in a frame during which owner or target moves.
FEWEST_LOOKS, MOST_LOOKS = 8, 256
# Part of the time by which a target that comes out from behind a wall is seen late, at the most.
LATEST = 1e-12
# Part of the radius, and radians, by which a sector is made larger where it is known to touch already.
TOUCH = 1e-8


@dataclass(frozen=True)
class Attack:
    """A kind of attack: what it reaches, and how long each part of it takes. One serves all who fight that way.

    Parameters
    ----------
    sector
        What it reaches at any moment.
    windup, active, recovery
        How long it prepares, strikes, and recovers, in the game's unit of time. With an active time of 0 it strikes at
        one moment, the end of its windup.
    swing
        Radians through which it turns while it is active, counter-clockwise, half of them to either side of where its
        owner faces; negative swings from left to right.
    knockback
        How hard it throws back what it hits, in what unit the game likes; negative pulls.

    Raises
    ------
    ShapeError
        If a time is not finite or negative, another number not finite, or the sector is none.

    Examples
    --------
    >>> sword = Attack(Sector(40, 0.3), windup=0.1, active=0.2, recovery=0.3, swing=2.0, knockback=300)
    >>> round(sword.duration, 3), [sword.phase(time) for time in (0.05, 0.2, 0.5, 0.7)]
    (0.6, ['windup', 'active', 'recovery', 'over'])
    """

    sector: Sector
    windup: float = 0.0
    active: float = 0.0
    recovery: float = 0.0
    swing: float = 0.0
    knockback: float = 0.0

    def __post_init__(self) -> None:
        checked_sector(self.sector)
        for name in ("windup", "active", "recovery"):
            object.__setattr__(self, name, not_negative(name, getattr(self, name)))
        for name in ("swing", "knockback"):
            object.__setattr__(self, name, coordinate(name, getattr(self, name)))

    @property
    def duration(self) -> float:
        """How long all of it takes.

        Examples
        --------
        >>> Attack(Sector(40, 0.3), windup=1, active=2, recovery=3).duration
        6.0
        """
        return self.windup + self.active + self.recovery

    def phase(self, elapsed: float) -> Phase:
        """Tell what it does so long after its start.

        Raises
        ------
        ShapeError
            If that is not a finite number.

        Examples
        --------
        >>> Attack(Sector(40, 0.3), windup=1, active=2).phase(1)
        'active'
        """
        elapsed = finite("elapsed", elapsed)
        if elapsed < self.windup:
            return "windup"
        if elapsed < self.windup + self.active:
            return "active"
        return "recovery" if elapsed < self.duration else "over"

    def bearing(self, elapsed: float) -> float:
        """Return where its sector faces so long after its start, in radians from where its owner faces.

        Raises
        ------
        ShapeError
            If that is not a finite number.

        Examples
        --------
        >>> [Attack(Sector(40, 0.3), active=2, swing=3).bearing(time) for time in (0, 1, 2)]
        [-1.5, 0.0, 1.5]
        """
        elapsed = finite("elapsed", elapsed)
        done = (elapsed - self.windup) / self.active if self.active > 0.0 else 0.5
        return self.swing * (min(max(done, 0.0), 1.0) - 0.5)

    def start(self) -> Swing[Any]:
        """Begin one: see `Swing`.

        Examples
        --------
        >>> Attack(Sector(40, 0.3), windup=1, active=2).start()
        <Swing: windup, 0.0 of 3.0, 0 hit>
        """
        return Swing(self)


class Strike(NamedTuple, Generic[Key]):
    """A target that an attack hits.

    Attributes
    ----------
    target
        Its key.
    time
        When in the frame, from 0 to 1.
    point
        Where, in the game's units.
    direction
        Unit vector in which it is thrown: from the apex through the middle of its area. Where both are in one place,
        where the sector faces.
    knockback
        That vector times the strength of the attack.
    """

    target: Key
    time: float
    point: Vector
    direction: Vector
    knockback: Vector


class Swing(Generic[Key]):
    """One attack while it goes on. It remembers whom it has hit: nobody is hit twice by it.

    Attributes
    ----------
    attack
        The kind of attack.
    elapsed
        How long ago it began.
    struck
        Keys of all that it has hit. A key taken out can be hit again; one put in cannot be hit.

    Examples
    --------
    A sword strikes 30 frames a second; the goblin is hit once, in the frame in which the blade comes by:

    >>> from impinge import Circle
    >>> sword = Attack(Sector(40, 0.1), windup=0.1, active=0.1, swing=3.0, knockback=200)
    >>> knight, goblins = Pose(0, 0), {"goblin": (Circle(8), Pose(30, 0))}
    >>> swing = sword.start()
    >>> while not swing.is_over:
    ...     for strike in swing.step(1 / 30, knight, goblins):
    ...         print(f"{strike.target} {swing.phase}: {strike.time:.2f}, {strike.knockback}")
    goblin active: 0.13, (200.0, 0.0)
    """

    def __init__(self, attack: Attack) -> None:
        if not isinstance(attack, Attack):
            raise ShapeError(f"attack must be an Attack, got {attack!r}")
        self.attack = attack
        self.elapsed = 0.0
        self._has_begun = False
        self.struck: set[Key] = set()

    def __repr__(self) -> str:
        return f"<Swing: {self.phase}, {self.elapsed} of {self.attack.duration}, {len(self.struck)} hit>"

    @property
    def phase(self) -> Phase:
        """What it does now."""
        return self.attack.phase(self.elapsed)

    @property
    def is_over(self) -> bool:
        """Whether it has ended; never before its first step, however short it is."""
        return self._has_begun and self.elapsed >= self.attack.duration

    def pose(self, owner: Pose) -> Pose:
        """Return where its sector is now: to draw it, or to ask `sector_hit`.

        Raises
        ------
        ShapeError
            If the owner's pose is none.

        Examples
        --------
        >>> Attack(Sector(40, 0.1), active=1, swing=3).start().pose(Pose(5, 6, angle=2))
        Pose(x=5.0, y=6.0, angle=0.5)
        """
        checked_pose("owner", owner)
        return Pose(owner.x, owner.y, owner.angle + self.attack.bearing(self.elapsed))

    def step(
        self,
        duration: float,
        owner: Pose | Motion,
        targets: Mapping[Key, tuple[Solid, Pose | Motion]],
        occluders: Walls = (),
    ) -> list[Strike[Key]]:
        """Go on for a frame; returns whom it hits, in order of time.

        Parameters
        ----------
        duration
            How long the frame takes, in the game's unit of time.
        owner
            Where who strikes stands and faces, or how he moves during the frame.
        targets
            By any key: a solid and its pose, or its own way through the frame. The owner should not be among them.
            Those hit already are not looked at.
        occluders
            Walls as in `sector_hit`, which stand. A target is hit as soon as any of it is in the sector and can be
            seen.

        Raises
        ------
        ShapeError
            If an argument is not of its type, or the duration is negative. Then it has not gone on.

        Notes
        -----
        By `sector_sweep`. Where walls are in the way at the first touch, all that the sector passes until a time is a
        sector, too, and the earliest time is found at which that reaches what can be seen. While owner or target move
        it is looked at moments, as often as the sector turns by half its angle, 8 to 256 times in what is left of the
        frame: what can be seen for less time than between two of them may be missed.
        """
        lasting = not_negative("duration", duration)
        way = _checked_way("owner", owner)
        if not isinstance(targets, Mapping):
            raise ShapeError(f"targets must be a mapping to pairs of a solid and a Pose or a Motion, got {targets!r}")
        ways = {key: _checked_target(key, target) for key, target in targets.items() if key not in self.struck}
        walls = occluders if isinstance(occluders, Occluders) else Occluders(occluders)
        begin, end = self.elapsed, self.elapsed + lasting
        first, last = self.attack.windup, self.attack.windup + self.attack.active
        strikes = []
        # A moment between two frames belongs to the one that ends with it, and the first one to the first frame.
        if first <= end and (begin < last or (begin == last and not self._has_begun)):
            low, high = max(begin, first), min(end, last)
            part = _part_of(begin, end, low), _part_of(begin, end, high)
            blade = self._blade(way.part(*part), low, high)
            for key, (solid, solid_way) in ways.items():
                found = self._strike(blade, solid, solid_way.part(*part), walls)
                if found is not None:
                    time, point, direction = found
                    throw = self.attack.knockback * direction[0], self.attack.knockback * direction[1]
                    time = part[0] + (part[1] - part[0]) * time
                    strikes.append(Strike(key, time, point, direction, throw))
        self.elapsed, self._has_begun = end, True
        self.struck.update(strike.target for strike in strikes)
        return sorted(strikes, key=lambda strike: strike.time)

    def _blade(self, way: Motion, low: float, high: float) -> Motion:
        """Return how the sector moves from one time after the start to another."""
        start, end = way.start, way.end
        return Motion(
            Pose(start.x, start.y, start.angle + self.attack.bearing(low)),
            Pose(end.x, end.y, end.angle + self.attack.bearing(high)),
            way.acceleration,
        )

    def _first_seen(
        self, blade: Motion, solid: Solid, way: Motion, time: float, walls: Occluders
    ) -> tuple[float, Vector] | None:
        """Find when, from the first touch on, any of a target in the sector can be seen, and where."""
        sector = self.attack.sector
        turn = blade.end.angle - blade.start.angle

        # At the first touch they are within the slop, but for rounding.
        spare = TOUCH * sector.radius
        grown = Sector(
            sector.radius + spare, min(sector.half_angle + TOUCH, math.pi), max(sector.inner_radius - spare, 0.0)
        )

        def at(moment: float) -> SectorHit | None:
            reach = grown if moment == time else sector
            return sector_hit(reach, blade.at(moment), solid, way.at(moment), walls)

        def passed(moment: float) -> SectorHit | None:
            """Look at all that the sector has passed until then, which is a wider sector."""
            half_turn = 0.5 * turn * (moment - time)
            wider = Sector(sector.radius, min(sector.half_angle + abs(half_turn), math.pi), sector.inner_radius)
            apex = blade.at(time)
            return sector_hit(wider, Pose(apex.x, apex.y, apex.angle + half_turn), solid, way.start, walls)

        if _is_place_kept(blade) and way.start == way.end and _is_place_kept(way):
            hit, low, high = at(time), time, 1.0
            if hit is not None:
                return time, hit.point
            hit = passed(high)
            while hit is not None and high - low > LATEST * high:
                middle = 0.5 * (low + high)
                earlier = passed(middle)
                low, high, hit = (low, middle, earlier) if earlier is not None else (middle, high, hit)
            return None if hit is None else (high, hit.point)
        looks = math.ceil(min(max(abs(turn) * (1.0 - time) / sector.half_angle, FEWEST_LOOKS), MOST_LOOKS))
        for look in range(looks + 1):
            moment = min(time + (1.0 - time) * look / looks, 1.0)
            hit = at(moment)
            if hit is not None:
                return moment, hit.point
        return None

    def _strike(
        self, blade: Motion, solid: Solid, way: Motion, walls: Occluders
    ) -> tuple[float, Vector, Vector] | None:
        """Find when and where a target is hit, and in which direction it is thrown."""
        impact: Impact | None = sector_sweep(self.attack.sector, blade, solid, way)
        if impact is None:
            return None
        time, point = impact.time, impact.point
        if len(walls):
            seen = self._first_seen(blade, solid, way, time, walls)
            if seen is None:
                return None
            time, point = seen
        apex, place = blade.at(time), way.at(time)
        cos, sin = math.cos(place.angle), math.sin(place.angle)
        x, y = solid.centroid
        away_x, away_y = place.x + cos * x - sin * y - apex.x, place.y + sin * x + cos * y - apex.y
        distance = math.hypot(away_x, away_y)
        if distance == 0.0:
            return time, point, (math.cos(apex.angle), math.sin(apex.angle))
        return time, point, (away_x / distance, away_y / distance)


def _part_of(begin: float, end: float, moment: float) -> float:
    """Say which part of a frame is over at a moment: exactly none at its begin, and all at its end."""
    if moment == begin:
        return 0.0
    return 1.0 if moment == end else min((moment - begin) / (end - begin), 1.0)


def _is_place_kept(way: Motion) -> bool:
    return way.start.x == way.end.x and way.start.y == way.end.y and way.acceleration == (0.0, 0.0)


def _checked_way(name: str, value: object) -> Motion:
    if isinstance(value, Motion):
        return value
    if isinstance(value, Pose):
        return Motion.still(value)
    raise ShapeError(f"{name} must be a Pose or a Motion, got {value!r}")


def _checked_target(key: object, target: object) -> tuple[Solid, Motion]:
    if isinstance(target, tuple | list) and len(target) == 2 and isinstance(target[0], Solid):
        return target[0], _checked_way(f"targets[{key!r}][1]", target[1])
    raise ShapeError(f"targets[{key!r}] must be a solid and a Pose or a Motion, got {target!r}")
