"""Sprites of several ranks in one world: those of the highest rank in rosters, those that can be pushed as players.

The engine that games use is `PushEngine` in `engine`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakSet

from arcade import BasicSprite, Sprite

import impinge as im
from impinge_arcade.boxes import name_of
from impinge_arcade.level import TURN, Level
from impinge_arcade.players import NOWHERE, Player
from impinge_arcade.shapes import Placement, bounds_placement, placement, turnable_placement
from impinge_arcade.sources import Source
from impinge_arcade.walls import BOUNDARIES, UNBOUNDED, RankRoster, check_moves, is_sweep, turn_round

__all__ = ["Rank", "RankedLevel"]


@dataclass(eq=False)
class Rank:
    """A source of sprites with its rule.

    Attributes
    ----------
    source
        A `SpriteList` or a list that the level follows, or a `Lone` sprite.
    rule
        The parameters of the bodies, as for `impinge.World.add`.
    has_bounds
        Whether the bodies are the bounding boxes of the hit boxes.
    surface_speed
        What the tops of these sprites add to the displacement of sprites on them, in pixels per update to the right.
    roster
        The bodies, if nothing can push these sprites.
    sprites
        The sprites, if something can push them.
    handed
        The bodies of its sprites from before they could be pushed, or no longer; the next check takes them up.
    might, is_sensor
        The rank, and whether these sprites only report visitors.
    """

    source: Source
    rule: dict[str, Any]
    has_bounds: bool
    surface_speed: float
    roster: RankRoster | None = None
    sprites: list[BasicSprite] = field(default_factory=list)
    handed: dict[BasicSprite, im.Body] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.might = int(self.rule["might"])
        self.is_sensor = self.rule["response"] == "sensor"

    def has_rule_of(self, other: Rank) -> bool:
        """Return whether another source has the same rule, so that a sprite may be in both."""
        is_alike = self.has_bounds == other.has_bounds and self.surface_speed == other.surface_speed
        return is_alike and self.rule == other.rule


class RankedLevel(Level):
    """The sprites of a `PushEngine`.

    Attributes
    ----------
    ranks
        The sources of sprites with their rules, in the order in which they were added.
    seen
        All sprites that have been in the engine.
    """

    def __init__(self) -> None:
        super().__init__({}, {}, is_strict=True)
        self.ranks: list[Rank] = []
        self.seen: WeakSet[BasicSprite] = WeakSet()
        self._highest: int | None = None
        self._known: list[Rank] = []
        # The ranks that may decide what can be pushed, the highest first; those of sprites that can be pushed; the
        # mighty ones of these; and those of conveyors.
        self._pushing: list[Rank] = []
        self._pushable: list[Rank] = []
        self._crates: list[Rank] = []
        self._conveying: list[Rank] = []
        self._wanted: list[list[BasicSprite]] | None = None  # None: ranks have changed
        self._has_handed = False  # whether any rank has handed bodies
        self._movers: list[Any] = []
        self._rank_of: dict[BasicSprite, Rank] = {}
        self._belts: dict[BasicSprite, float] = {}

    def sprites(self) -> Iterator[BasicSprite]:
        """Return an iterator over the sprites, each once, in the order of their sources."""
        found = (rank.sprites if rank.roster is None else rank.roster.bodies for rank in self.ranks)
        return iter(dict.fromkeys(sprite for sprites in found for sprite in sprites))

    def rank_of(self, sprite: BasicSprite) -> Rank | None:
        """Return the rank of a sprite, or None for a sprite of no source."""
        rank = self._rank_of.get(sprite)
        if rank is not None:
            return rank
        return next((rank for rank in self.ranks if rank.roster is not None and sprite in rank.roster.bodies), None)

    @property
    def frame(self) -> im.Frame:
        """Return the frame of the last step."""
        assert self._frame is not None
        return self._frame

    def moved_weak(self) -> Iterator[tuple[Sprite, tuple[float, float]]]:
        """Iterate over the sprites of might 0 or less that the game has moved since the last update.

        Yields each sprite with its former position.
        """
        for sprite, place in self.moved.items():
            rank = self._rank_of.get(sprite)
            if rank is not None and rank.might <= 0 and isinstance(sprite, Sprite):
                yield sprite, place

    def teleport(self, sprite: BasicSprite) -> None:
        """Place a mighty sprite's body at the sprite's position, without a sweep."""
        rank = self.rank_of(sprite)
        if rank is not None and rank.roster is not None:
            rank.roster.teleport(sprite)
            return
        self._recall()
        player = self._players[sprite]  # type: ignore[index]
        player.stands, player.leap = NOWHERE, None
        player.follow(self._placed(player.sprite), player.looks)
        self._readings = []

    def placed(self, sprite: BasicSprite) -> Placement:
        """Return the placement of a sprite at the position that the game has set."""
        rank = self.rank_of(sprite)
        if rank is None or rank.roster is None:
            return self._placed(sprite)  # type: ignore[arg-type]
        (placed,) = rank.roster.stands([sprite])
        assert placed is not None  # an engine of ranks is strict
        return placed

    def pushable(self) -> tuple[list[Any], Any]:
        """Return the sprites that can be pushed, and the indices of their bodies."""
        return self._sprites, self._bodies.indices

    def take(self, ranks: list[Rank]) -> None:
        """Replace the sources, and update all bodies. After an error, the former ones are back."""
        former, self.ranks = self.ranks, ranks
        try:
            self.look()
        except BaseException:
            self.ranks = former
            with suppress(im.ShapeError, TypeError, ValueError):  # a former sprite may be invalid too
                self.look()
            raise

    def look(self) -> None:
        """Update all bodies from the lists, and check all sprites that move."""
        has_others = self.ranks is not self._known
        if has_others:
            pushing = [rank for rank in self.ranks if rank.might > 0 and not rank.is_sensor]
            self._pushing = sorted(pushing, key=lambda rank: -rank.might)
        highest = 0
        for rank in self._pushing:
            if rank.source:
                highest = rank.might
                break
        if highest != self._highest or has_others:
            self._sort(highest)
        wanted = [list(rank.source) for rank in self._pushable]
        if wanted != self._wanted:
            self._want(wanted)
        self.check(self._movers)
        if self._has_handed:
            self._drop_handed()

    def _sort(self, highest: int) -> None:
        """Put the sources of the highest rank into rosters, and all others among the players.

        Sprites keep their bodies: a list of the highest rank may empty and refill all the time, for example one of
        shots.
        """
        self._has_handed = True
        for rank in self._known:
            is_gone = rank not in self.ranks
            if rank.roster is not None and (is_gone or not _is_fixed(rank, highest)):
                rank.handed |= rank.roster.hand_over()
                rank.roster = None
            if is_gone:
                self._remove_handed(rank)
        peers: list[RankRoster] = []
        for rank in self.ranks:
            if _is_fixed(rank, highest):
                for sprite in rank.sprites:
                    if sprite in self._players and self._rank_of.get(sprite) is rank:
                        rank.handed[sprite] = self._players.pop(sprite).body
                rank.sprites = []
                if rank.roster is None:
                    rank.roster = RankRoster(rank.source, self.world, **rank.rule)
                    rank.roster.has_bounds, rank.roster.seen = rank.has_bounds, self.seen
                    rank.roster.is_strict, rank.roster.handed = True, rank.handed
                rank.roster.peers = peers
                peers.append(rank.roster)
        self._groups.rosters = [rank.roster for rank in self.ranks if rank.roster is not None]
        self._pushable = [rank for rank in self.ranks if rank.roster is None]
        self._crates = [rank for rank in self._pushable if rank.might > 0]
        self._conveying, self._belts = [rank for rank in self.ranks if rank.surface_speed], {}
        self._known, self._highest, self._are_apart, self._wanted = self.ranks, highest, False, None

    def _remove_handed(self, rank: Rank) -> None:
        """Remove the bodies of sprites that have left their source meanwhile."""
        while rank.handed:
            _, body = rank.handed.popitem()
            self.world.remove(body)

    def _drop_handed(self) -> None:
        """Remove all bodies that no sprite has taken up."""
        self._has_handed = False
        for rank in self.ranks:
            self._remove_handed(rank)

    def _want(self, wanted: list[list[BasicSprite]]) -> None:
        """Take up the sprites of the sources that can be pushed."""
        owners: dict[BasicSprite, Rank] = {}
        for rank, sprites in zip(self._pushable, wanted, strict=True):
            for sprite in sprites:
                if not isinstance(sprite, BasicSprite):
                    raise TypeError(f"sprites must be sprites or lists of them, got {sprite!r}")
                owner = owners.setdefault(sprite, rank)
                if owner is not rank and not owner.has_rule_of(rank):
                    raise _twice(sprite)
        for sprite in [sprite for sprite in self._players if owners.get(sprite) is not self._rank_of.get(sprite)]:
            self.world.remove(self._players.pop(sprite).body)
        for rank, sprites in zip(self._pushable, wanted, strict=True):
            rank.sprites = sprites
        self._wanted, self._rank_of, self._movers, self._are_others = wanted, owners, list(owners), True
        are_plain = all(isinstance(sprite, Sprite) and not rank.has_bounds for sprite, rank in owners.items())
        self._turn_of = TURN if are_plain else self._turn

    def follow(self) -> None:
        """Update the bodies of the highest rank from their lists."""
        self._groups.follow()
        if self._conveying:
            self._belts = {
                sprite: rank.surface_speed
                for rank in self._conveying
                for sprite in (rank.sprites if rank.roster is None else rank.roster.bodies)
            }

    def _check_players(self, sprites: list[Sprite]) -> None:
        """Leave the check of the sprites to `_want`."""

    def _check_apart(self, players: list[Sprite]) -> None:
        """Refuse sprites that are in two sources with different rules."""
        rosters = [(rank, rank.roster) for rank in self.ranks if rank.roster is not None]
        for _, roster in rosters:
            for player in players:
                if player in roster.bodies:
                    raise _twice(player)
        for number, (rank, roster) in enumerate(rosters):
            for other, other_roster in rosters[:number]:
                if not rank.has_rule_of(other):
                    for sprite in roster.bodies.keys() & other_roster.bodies.keys():
                        raise _twice(sprite)

    def _enter(self, sprite: Sprite, placed: Placement) -> Player:
        """Add the body of a sprite that can be pushed."""
        rank = self._rank_of[sprite]
        body = rank.handed.pop(sprite, None)
        if body is None:
            body = self.world.add(placed.solid, placed.pose, data=sprite, **rank.rule)
        self.seen.add(sprite)
        return Player(sprite, body)

    def _placed(self, sprite: Sprite) -> Placement:
        """Return the placement of a sprite that can be pushed."""
        rank = self._rank_of[sprite]
        if rank.has_bounds:
            return bounds_placement(sprite)
        return turnable_placement(sprite) if rank.might > 0 or self._turn(sprite) else placement(sprite)

    def _sweeps(self, player: Player, placed: Placement) -> bool:
        """Return whether a mighty sprite was moved or turned by the game in a step."""
        former = player.placed
        if self._rank_of[player.sprite].might <= 0 or former is None or placed.solid != former.solid:
            return False
        if player.stands is NOWHERE:  # it has turned with an offset hit box
            return False
        is_moved = player.sprite.position != player.stands or placed.angle != former.angle
        pose = player.body.pose
        return is_moved and is_sweep(player.sprite, placed, (pose.x, pose.y, pose.angle))

    def _turn(self, sprite: BasicSprite) -> float:
        """Return by how much a sprite turns in an update, in clockwise degrees; a bounding box does not turn."""
        return 0.0 if self._rank_of[sprite].has_bounds else getattr(sprite, "change_angle", 0.0)

    def _drift(self) -> list[tuple[float, float]]:
        """Return what the conveyors under the players add to their displacements."""
        if not self._belts:
            return []
        floors = (player.body.floor for player in self._order)
        speeds = [0.0 if floor is None else self._belts.get(floor.data, 0.0) for floor in floors]
        return [(speed, 0.0) for speed in speeds] if any(speeds) else []

    def go(self) -> None:
        """Move all sprites by one step, after `look`."""
        self.move_platforms()
        self._put.clear()  # the step moves them out of walls by the shortest way
        self._move({})
        for rank in self._pushable:
            for sprite in rank.sprites if rank.has_bounds else ():
                if isinstance(sprite, Sprite) and sprite.change_angle:
                    sprite.angle += sprite.change_angle

    def turn_round(self) -> bool:
        """Turn mighty sprites that can be pushed round at their boundaries, as Arcade does with platforms.

        Return whether any has boundaries, so that it may have moved.
        """
        if not self._crates:
            return False
        bounded = [
            (sprite, bounds)
            for rank in self._crates
            for sprite in rank.sprites
            if isinstance(sprite, Sprite) and (bounds := BOUNDARIES(sprite)) != UNBOUNDED
        ]
        if not bounded:
            return False
        check_moves([sprite for sprite, _ in bounded])
        for sprite, bounds in bounded:
            turn_round(sprite, *bounds)
        return True


def _is_fixed(rank: Rank, highest: int) -> bool:
    """Return whether nothing can push the sprites of a source."""
    return rank.is_sensor or rank.might == highest > 0


def _twice(sprite: BasicSprite) -> ValueError:
    return ValueError(f"{name_of(sprite)} must not be added to the engine twice with different rules")
