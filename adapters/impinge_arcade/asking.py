"""Queries beyond Arcade's own, with sprites as results: sweep, line of sight, nearest sprites, attack sectors.

Arcade's own queries are in `collision`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from arcade import BasicSprite, SpriteSequence

import impinge as im
from impinge import Hit, Neighbour, Sector, SectorTarget
from impinge.checks import point as checked_point
from impinge_arcade.boxes import facing_pose, name_of
from impinge_arcade.collision import roster_of
from impinge_arcade.following import Roster, solid_of
from impinge_arcade.groups import sources_of
from impinge_arcade.shapes import placement

__all__ = ["line_of_sight", "nearest", "sector_attack", "sweep"]

Place: TypeAlias = BasicSprite | tuple[float, float]
Targets: TypeAlias = SpriteSequence[Any] | Iterable[SpriteSequence[Any]]


def sweep(sprite: BasicSprite, to: tuple[float, float], targets: Targets) -> list[Hit[Any]]:
    """Find the sprites that a sprite would hit on its way to a place if nothing stopped it, earliest first.

    Parameters
    ----------
    sprite
        The moving sprite. It moves in a straight line, at its present angle.
    to
        (x, y) of its position at the end.
    targets
        A list of sprites, or several. The moving sprite itself is ignored.

    Returns
    -------
    list of impinge.Hit
        Each sprite with its `impinge.Impact`: the time of impact as a fraction of the way, the point, the normal.

    Raises
    ------
    TypeError, impinge.ShapeError
        If an argument has a wrong type; if a sprite has no hit box or an invalid position.

    Examples
    --------
    >>> import arcade
    >>> bullet, posts = arcade.SpriteSolidColor(2, 2), arcade.SpriteList()
    >>> posts.extend([arcade.SpriteSolidColor(2, 20, center_x=x) for x in (50, 22)])
    >>> [(posts.index(post), impact.time) for post, impact in sweep(bullet, (100, 0), posts)]
    [(1, 0.2), (0, 0.48)]
    """
    placed = placement(_checked(sprite))
    (x, y), (to_x, to_y) = sprite.position, _place("to", to)
    goal = im.Pose(placed.x + to_x - x, placed.y + to_y - y, placed.angle)
    motion = im.Motion(placed.pose, goal)
    struck = [
        Hit(body.data, impact)
        for roster in _rosters("targets", targets)
        for body, impact in roster.world.sweep(placed.solid, motion, ignore=roster.own(sprite))
    ]
    return sorted(struck, key=lambda hit: hit.impact.time)


def line_of_sight(observer: Place, target: Place, walls: Targets, max_distance: float = math.inf) -> bool:
    """Return whether the straight line between two places is free; exact, while Arcade samples it every 2 pixels.

    Parameters
    ----------
    observer, target
        Sprites, which stand for their positions, or points. These sprites do not block the line, even if they are among
        the walls.
    walls
        A list of sprites, or several. A line along a wall, or past its corner, is not blocked.
    max_distance
        The maximum distance of a visible target, in pixels.

    Raises
    ------
    TypeError, impinge.ShapeError
        As `sweep`.

    Examples
    --------
    >>> import arcade
    >>> guard, thief = arcade.SpriteSolidColor(20, 20), arcade.SpriteSolidColor(20, 20, center_x=300)
    >>> walls = arcade.SpriteList()
    >>> line_of_sight(guard, thief, walls)
    True
    >>> walls.append(arcade.SpriteSolidColor(1, 50, center_x=151))
    >>> line_of_sight(guard, thief, walls)
    False
    """
    start, end = _place("observer", observer), _place("target", target)
    if math.dist(start, end) > max_distance:
        return False
    return not any(
        roster.world.along(start, end, ignore=[*roster.own(observer), *roster.own(target)])
        for roster in _rosters("walls", walls)
    )


def nearest(place: Place, targets: Targets, *, count: int = 1, within: float = math.inf) -> list[Neighbour[Any]]:
    """Find the sprites whose hit boxes are nearest to a place; Arcade compares their centres instead.

    Parameters
    ----------
    place
        A point, or a sprite, which stands for its position. That sprite itself is ignored.
    targets
        A list of sprites, or several.
    count, within
        The maximum number of sprites, and their maximum distance in pixels.

    Returns
    -------
    list of impinge.Neighbour
        Each sprite with its distance, the nearest first. The distance is negative if the place is inside the hit box.

    Raises
    ------
    TypeError, impinge.ShapeError
        As `sweep`; also if `count` is not a positive integer.

    Examples
    --------
    >>> import arcade
    >>> crates = arcade.SpriteList()
    >>> crates.extend([arcade.SpriteSolidColor(10, 10, center_x=x) for x in (40, 100)])
    >>> [(crate.center_x, distance) for crate, distance in nearest((60, 0), crates, count=2)]
    [(40, 15.0), (100, 35.0)]
    """
    point = _place("place", place)
    found = [
        Neighbour(body.data, distance)
        for roster in _rosters("targets", targets)
        for body, distance in roster.world.nearest(point, within=within, count=count, ignore=roster.own(place))
    ]
    return sorted(found, key=lambda neighbour: neighbour.distance)[:count]


def sector_attack(
    sprite: BasicSprite,
    sector: Sector,
    targets: Targets,
    *,
    occluders: Targets = (),
    facing: float | None = None,
) -> list[SectorTarget[Any]]:
    """Find the sprites in a sector of a sprite, which it can hit or see, nearest first.

    Parameters
    ----------
    sprite
        The attacker or observer. Its position is the apex. It is neither hit nor does it hide targets.
    sector
        The sector: see `impinge.Sector`.
    targets
        A list of sprites, or several.
    occluders
        A list of walls, or several, which hide targets behind them. Targets among them are hit, and hide others.
    facing
        The direction of the sector in Arcade's angles: degrees, clockwise from straight up. By default the sprite's own
        angle, which is the direction of `Sprite.forward`.

    Returns
    -------
    list of impinge.SectorTarget
        Each sprite with its `impinge.SectorHit`: distance, bearing and point.

    Raises
    ------
    TypeError, impinge.ShapeError
        As `sweep`; also if the sector is not a `Sector`, or `facing` is not finite.

    Examples
    --------
    >>> import arcade
    >>> hero, foes, walls = arcade.SpriteSolidColor(20, 20), arcade.SpriteList(), arcade.SpriteList()
    >>> foes.extend([arcade.SpriteSolidColor(20, 20, center_y=y) for y in (40, -40)])
    >>> sword = Sector(60, math.radians(50))
    >>> [(foe.center_y, hit.distance) for foe, hit in sector_attack(hero, sword, foes)]
    [(40, 30.0)]
    >>> walls.append(arcade.SpriteSolidColor(200, 2, center_y=20))
    >>> sector_attack(hero, sword, foes, occluders=walls)
    []
    """
    pose = facing_pose(_checked(sprite), facing)
    if not isinstance(sector, Sector):
        raise im.ShapeError(f"sector must be a Sector, got {sector!r}")
    rosters, blocking = _rosters("targets", targets), _rosters("occluders", occluders)
    if not blocking:
        hits = [
            SectorTarget(body.data, hit)
            for roster in rosters
            for body, hit in roster.world.sector(sector, pose, ignore=roster.own(sprite))
        ]
        return sorted(hits, key=lambda found: found.hit.distance)
    reach, around = im.Circle(sector.radius), im.Pose(pose.x, pose.y)
    walls = im.Occluders(
        (solid_of(body), body.pose)
        for roster in blocking
        for body in roster.world.in_box(reach, around, ignore=roster.own(sprite))
    )
    near = [
        (body.data, im.sector_hit(sector, pose, solid_of(body), body.pose, walls))
        for roster in rosters
        for body in roster.world.in_box(reach, around, ignore=roster.own(sprite))
    ]
    hits = [SectorTarget(target, hit) for target, hit in near if hit is not None]
    return sorted(hits, key=lambda found: found.hit.distance)


def _rosters(name: str, targets: object) -> list[Roster]:
    return [roster_of(sprites) for sprites in sources_of(name, targets)]


def _checked(sprite: object) -> BasicSprite:
    if not isinstance(sprite, BasicSprite):
        raise TypeError(f"sprite must be a sprite, got {name_of(sprite)}")
    return sprite


def _place(name: str, place: object) -> tuple[float, float]:
    """Return the position of a sprite or a point, or raise an error with the argument's name."""
    if isinstance(place, BasicSprite):
        return checked_point(f"{name_of(place)}: position", place.position)
    return checked_point(name, place[:2] if isinstance(place, Sequence) else place)
