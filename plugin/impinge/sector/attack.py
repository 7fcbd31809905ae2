"""An attack over time: windup, active phase with a swinging sector, and recovery. It hits each target at most once.

`sectors` tests what a sector reaches. The game decides the effect of a hit.
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

# Number of visibility samples in a frame in which the owner or the target moves.
FEWEST_SAMPLES, MOST_SAMPLES = 8, 256
# Relative error of the time at which a target comes out from behind a wall; the time is late by at most this.
SIGHT_LATENESS = 1e-12
# Fraction of the radius, and radians, by which a sector grows at a time at which it is known to touch.
TOUCH_GROWTH = 1e-8


@dataclass(frozen=True)
class Attack:
    """A kind of attack: its sector, and the durations of its phases. Any number of owners can share one.

    Parameters
    ----------
    sector
        The area that the attack reaches at each moment.
    windup, active, recovery
        Durations of the phases, in the game's unit of time. With an active time of 0, the attack strikes at one moment,
        the end of its windup.
    swing
        Radians that the sector turns during the active phase, counter-clockwise. Half of them are to either side of the
        owner's direction. A negative swing goes from left to right.
    knockback
        Strength of the knockback, in any unit of the game. A negative one pulls.

    Raises
    ------
    ShapeError
        If a time is negative, a number is not finite, or `sector` is not a Sector.

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
        """Total duration of all phases, in the game's unit of time.

        Examples
        --------
        >>> Attack(Sector(40, 0.3), windup=1, active=2, recovery=3).duration
        6.0
        """
        return self.windup + self.active + self.recovery

    def phase(self, elapsed: float) -> Phase:
        """Return the phase at a time after the attack's start.

        Raises
        ------
        ShapeError
            If `elapsed` is not a finite number.

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
        """Return the direction of the sector at a time after the attack's start, in radians from the owner's direction.

        Raises
        ------
        ShapeError
            If `elapsed` is not a finite number.

        Examples
        --------
        >>> [Attack(Sector(40, 0.3), active=2, swing=3).bearing(time) for time in (0, 1, 2)]
        [-1.5, 0.0, 1.5]
        """
        elapsed = finite("elapsed", elapsed)
        done = (elapsed - self.windup) / self.active if self.active > 0.0 else 0.5
        return self.swing * (min(max(done, 0.0), 1.0) - 0.5)

    def start(self) -> Swing[Any]:
        """Return a new `Swing`: one attack of this kind.

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
        Key of the target.
    time
        Time of the hit in the frame, from 0 to 1.
    point
        Point of the hit, in the game's units.
    direction
        Unit vector of the knockback: from the apex to the target's centroid. If both are in one place, the direction of
        the sector.
    knockback
        That vector times the attack's `knockback`.
    """

    target: Key
    time: float
    point: Vector
    direction: Vector
    knockback: Vector


class Swing(Generic[Key]):
    """One attack in progress. It keeps the targets that it has hit, and hits each one at most once.

    Attributes
    ----------
    attack
        The kind of attack.
    elapsed
        Time since its start.
    struck
        Keys of all targets that it has hit. Remove a key to allow another hit, add one to prevent a hit.

    Examples
    --------
    At 30 frames a second, a sword hits the goblin once, in the frame in which the blade passes:

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
        """The current phase."""
        return self.attack.phase(self.elapsed)

    @property
    def is_over(self) -> bool:
        """Whether the attack has ended. This is never so before its first step, even with a duration of 0."""
        return self._has_begun and self.elapsed >= self.attack.duration

    def pose(self, owner: Pose) -> Pose:
        """Return the current pose of the sector, for drawing or for `sector_hit`.

        Raises
        ------
        ShapeError
            If `owner` is not a Pose.

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
        """Advance the attack by one frame, and return its hits in order of time.

        Parameters
        ----------
        duration
            Duration of the frame, in the game's unit of time.
        owner
            Pose of the attack's owner, or its motion through the frame.
        targets
            Pairs of a solid and its pose, or its motion through the frame, each with a key. The owner should not be
            among them. Targets that were hit before are skipped.
        occluders
            Walls as in `sector_hit`; they do not move. A target is hit as soon as a part of it is in the sector and
            visible.

        Raises
        ------
        ShapeError
            If an argument is not of its type, or the duration is negative. The attack has then not advanced.

        Notes
        -----
        The method is that of `sector_sweep`, if no wall hides the first touch. If one does, and neither owner nor
        target moves, the area that the sector has passed is also a sector. A bisection finds the earliest time at which
        it reaches a visible part. If owner or target moves, visibility is sampled 8 to 256 times in the rest of the
        frame: each time that the sector turns by its half angle. A part that is visible for less than the time between
        two samples may be missed.
        """
        lasting = not_negative("duration", duration)
        way = _checked_motion("owner", owner)
        if not isinstance(targets, Mapping):
            raise ShapeError(f"targets must be a mapping to pairs of a solid and a Pose or a Motion, got {targets!r}")
        ways = {key: _checked_target(key, target) for key, target in targets.items() if key not in self.struck}
        walls = occluders if isinstance(occluders, Occluders) else Occluders(occluders)
        begin, end = self.elapsed, self.elapsed + lasting
        first, last = self.attack.windup, self.attack.windup + self.attack.active
        strikes = []
        # A moment between two frames belongs to the earlier one. The moment of the start belongs to the first frame.
        if first <= end and (begin < last or (begin == last and not self._has_begun)):
            low, high = max(begin, first), min(end, last)
            part = _frame_fraction(begin, end, low), _frame_fraction(begin, end, high)
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
        """Return the motion of the sector between two times after the attack's start."""
        start, end = way.start, way.end
        return Motion(
            Pose(start.x, start.y, start.angle + self.attack.bearing(low)),
            Pose(end.x, end.y, end.angle + self.attack.bearing(high)),
            way.acceleration,
        )

    def _first_seen(
        self, blade: Motion, solid: Solid, way: Motion, time: float, walls: Occluders
    ) -> tuple[float, Vector] | None:
        """Return the first time, and the point, at which a part of a target in the sector is visible.

        The search starts at the first touch, `time`. Returns None if the target stays hidden.
        """
        sector = self.attack.sector
        turn = blade.end.angle - blade.start.angle

        # At the first touch, sector and target are within the slop, except for rounding.
        spare = TOUCH_GROWTH * sector.radius
        grown = Sector(
            sector.radius + spare, min(sector.half_angle + TOUCH_GROWTH, math.pi), max(sector.inner_radius - spare, 0.0)
        )

        def at(moment: float) -> SectorHit | None:
            reach = grown if moment == time else sector
            return sector_hit(reach, blade.at(moment), solid, way.at(moment), walls)

        def passed(moment: float) -> SectorHit | None:
            """Return the hit of the area that the sector has passed until then: a wider sector."""
            half_turn = 0.5 * turn * (moment - time)
            wider = Sector(sector.radius, min(sector.half_angle + abs(half_turn), math.pi), sector.inner_radius)
            apex = blade.at(time)
            return sector_hit(wider, Pose(apex.x, apex.y, apex.angle + half_turn), solid, way.start, walls)

        if _keeps_position(blade) and way.start == way.end and _keeps_position(way):
            hit, low, high = at(time), time, 1.0
            if hit is not None:
                return time, hit.point
            hit = passed(high)
            while hit is not None and high - low > SIGHT_LATENESS * high:
                middle = 0.5 * (low + high)
                earlier = passed(middle)
                low, high, hit = (low, middle, earlier) if earlier is not None else (middle, high, hit)
            return None if hit is None else (high, hit.point)
        looks = math.ceil(min(max(abs(turn) * (1.0 - time) / sector.half_angle, FEWEST_SAMPLES), MOST_SAMPLES))
        for look in range(looks + 1):
            moment = min(time + (1.0 - time) * look / looks, 1.0)
            hit = at(moment)
            if hit is not None:
                return moment, hit.point
        return None

    def _strike(
        self, blade: Motion, solid: Solid, way: Motion, walls: Occluders
    ) -> tuple[float, Vector, Vector] | None:
        """Return time and point of the hit of a target, and the direction of its knockback; None without a hit."""
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


def _frame_fraction(begin: float, end: float, moment: float) -> float:
    """Return the fraction of a frame that is over at a moment: exactly 0 at its begin, and 1 at its end."""
    if moment == begin:
        return 0.0
    return 1.0 if moment == end else min((moment - begin) / (end - begin), 1.0)


def _keeps_position(way: Motion) -> bool:
    return way.start.x == way.end.x and way.start.y == way.end.y and way.acceleration == (0.0, 0.0)


def _checked_motion(name: str, value: object) -> Motion:
    if isinstance(value, Motion):
        return value
    if isinstance(value, Pose):
        return Motion.still(value)
    raise ShapeError(f"{name} must be a Pose or a Motion, got {value!r}")


def _checked_target(key: object, target: object) -> tuple[Solid, Motion]:
    if isinstance(target, tuple | list) and len(target) == 2 and isinstance(target[0], Solid):
        return target[0], _checked_motion(f"targets[{key!r}][1]", target[1])
    raise ShapeError(f"targets[{key!r}] must be a solid and a Pose or a Motion, got {target!r}")
