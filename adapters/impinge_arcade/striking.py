"""An attack of a sprite, driven by `on_update`: it hits each sprite at most once, and knocks it back.

The course of an attack is in `impinge.Attack`; for an instant hit see `sector_attack`.
"""

from __future__ import annotations

import math
from typing import Any

from arcade import BasicSprite, Sprite

import impinge as im
from impinge.shapes.solids import Solid
from impinge_arcade.asking import Targets
from impinge_arcade.boxes import facing_pose, name_of
from impinge_arcade.collision import roster_of
from impinge_arcade.following import solid_of
from impinge_arcade.groups import sources_of
from impinge_arcade.interpolating import has_gone

__all__ = ["SpriteAttack"]

# Degrees. An attacker that turns by more than this between two updates faces its new direction at once.
QUARTER = 90.0


class SpriteAttack:
    """One attack of a sprite, from its creation until it is over.

    Parameters
    ----------
    sprite
        The attacker: its position is the apex. It is neither hit nor does it hide targets.
    attack
        The kind of attack. Its times are in seconds if `on_update` gets seconds. Its `knockback` is in pixels per
        update: it is added to `change_x` and `change_y` of the sprites that are hit.
    targets
        A list of sprites, or several. Changes of the lists take effect.
    occluders
        A list of walls, or several, which hide targets behind them. Targets among them are hit, and hide others.
    facing
        The direction of the attack in Arcade's angles: degrees, clockwise from straight up. None: always the sprite's
        current angle. The game may change it during the attack.

    Attributes
    ----------
    swing
        The running `impinge.Swing`: its `phase`, `is_over`, and `struck`, the sprites that it has hit.

    Raises
    ------
    TypeError, impinge.ShapeError
        If an argument has a wrong type.

    Examples
    --------
    >>> import arcade
    >>> knight, goblins = arcade.SpriteSolidColor(20, 20), arcade.SpriteList()
    >>> goblins.extend([arcade.SpriteSolidColor(20, 20, center_x=x) for x in (40, -40)])
    >>> sword = im.Attack(im.Sector(50, 0.3), windup=0.1, active=0.2, swing=2, knockback=8)
    >>> blow = SpriteAttack(knight, sword, goblins, facing=90)
    >>> while not blow.swing.is_over:
    ...     for strike in blow.on_update(1 / 60):
    ...         print(goblins.index(strike.target), blow.swing.phase, strike.target.velocity)
    0 active (8.0, 0.0)
    """

    def __init__(
        self,
        sprite: BasicSprite,
        attack: im.Attack,
        targets: Targets,
        *,
        occluders: Targets = (),
        facing: float | None = None,
    ) -> None:
        if not isinstance(sprite, BasicSprite):
            raise TypeError(f"sprite must be a sprite, got {name_of(sprite)}")
        self.sprite = sprite
        self.facing = facing
        self.swing: im.Swing[Any] = im.Swing(attack)
        self._targets, self._occluders = sources_of("targets", targets), sources_of("occluders", occluders)
        self._stood = sprite.position, self._degrees()
        self._places = self._now()

    @property
    def pose(self) -> im.Pose:
        """Return the current pose of the sector: for `draw_debug`, together with ``swing.attack.sector``."""
        return self.swing.pose(self._owner())

    def on_update(self, delta_time: float) -> list[im.Strike[Any]]:
        """Advance the attack after all sprites have moved; return its hits in order of time.

        Parameters
        ----------
        delta_time
            Time since the last call. In this time, attacker and targets moved in straight lines to their present
            positions. Teleported sprites were at their new positions all the time.

        Returns
        -------
        list of impinge.Strike
            Each sprite that was hit, with time, point and knockback.

        Raises
        ------
        impinge.ShapeError
            If the time is negative, or a sprite has no hit box or an invalid position; then nothing has happened.
        """
        places, owner = self._now(), self._owner()
        attack, (position, degrees) = self.swing.attack, self._stood
        turn = (self._degrees() - degrees + 180.0) % 360.0 - 180.0
        start = owner
        if has_gone(self.sprite, position):
            start = im.Pose(
                position[0], position[1], owner.angle + (math.radians(turn) if abs(turn) <= QUARTER else 0.0)
            )
        own_way = math.dist((start.x, start.y), (owner.x, owner.y))
        ways = {
            sprite: (place[0] - former[0], place[1] - former[1])
            for sprite, place in places.items()
            if (former := self._places.get(sprite, place)) != place and has_gone(sprite, former)
        }
        # A target that is farther away than this at the end was never within reach.
        reach = attack.sector.radius + own_way + max((math.hypot(*way) for way in ways.values()), default=0.0)
        around, here = im.Circle(reach), im.Pose(owner.x, owner.y)
        targets: dict[Any, tuple[Solid, im.Pose | im.Motion]] = {}
        occluders: list[tuple[Solid, im.Pose]] = []
        if self.swing.elapsed <= attack.windup + attack.active:
            for roster in map(roster_of, self._targets):
                for body in roster.world.in_box(around, here, ignore=roster.own(self.sprite)):
                    targets[body.data] = solid_of(body), _way(body.pose, ways.get(body.data))
            for roster in map(roster_of, self._occluders):
                near = roster.world.in_box(around, here, ignore=roster.own(self.sprite))
                occluders += [(solid_of(body), body.pose) for body in near]
        strikes = self.swing.step(delta_time, im.Motion(start, owner), targets, occluders)
        self._stood, self._places = (self.sprite.position, self._degrees()), places
        for strike in strikes:
            if attack.knockback and isinstance(strike.target, Sprite):
                across, up = strike.target.velocity
                strike.target.velocity = across + strike.knockback[0], up + strike.knockback[1]
        return strikes

    def _degrees(self) -> float:
        return float(getattr(self.sprite, "angle", 0.0) if self.facing is None else self.facing)

    def _owner(self) -> im.Pose:
        return facing_pose(self.sprite, self.facing)

    def _now(self) -> dict[Any, tuple[float, float]]:
        return {sprite: sprite.position for sprites in self._targets for sprite in sprites}


def _way(pose: im.Pose, way: tuple[float, float] | None) -> im.Pose | im.Motion:
    """Return the motion of a target to its pose, or the pose if it did not move; the present angle counts."""
    return pose if way is None else im.Motion(im.Pose(pose.x - way[0], pose.y - way[1], pose.angle), pose)
