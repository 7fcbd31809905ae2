"""The lists of sprites that players collide with: their rules by role, their bodies, and platforms that move.

Players are in `players`, and sprites of several ranks in `ranks`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import is_not
from typing import Any, Final

from arcade import BasicSprite, Sprite, SpriteSequence

import impinge as im
from impinge import Side
from impinge_arcade.boxes import name_of
from impinge_arcade.tiles import TileRoster
from impinge_arcade.walls import PlatformRoster, SweptRoster, check_moves

__all__ = ["ONE_WAY_LAYER", "PLAYER_LAYER", "RULES", "RULES_FROM_ABOVE", "WALL_LAYER", "Groups", "sources_of"]

WALL_LAYER: Final = 1
ONE_WAY_LAYER: Final = 2
SENSOR_LAYER: Final = 4
PLAYER_LAYER: Final = 8

# How walls act on players. Nothing pushes walls, not even other walls, and they sense nothing.
RULES: Final[dict[str, dict[str, Any]]] = {
    "walls": {"might": 1, "layer": WALL_LAYER, "mask": 0, "carrying": Side.TOP},
    "platforms": {"might": 1, "layer": WALL_LAYER, "mask": 0, "carrying": Side.TOP, "sticky": Side.TOP},
    "one_way": {
        "might": 1,
        "layer": ONE_WAY_LAYER,
        "mask": 0,
        "carrying": Side.TOP,
        "sticky": Side.TOP,
        "passable": Side.LEFT | Side.RIGHT | Side.BOTTOM,
    },
    "sensors": {"layer": SENSOR_LAYER, "mask": 0, "response": "sensor"},
}
# In a top-down game no side is a floor, and walls carry nothing: they only push.
RULES_FROM_ABOVE: Final[dict[str, dict[str, Any]]] = {
    name: {key: value for key, value in RULES[name].items() if key not in ("carrying", "sticky", "passable")}
    | ({"carrying": Side.NONE} if name != "sensors" else {})
    for name in ("walls", "platforms", "sensors")
}
# Roster classes of groups: tiles of walls are merged, and the engines move platforms and one-way platforms.
FOLLOWED_BY: Final[dict[str, type[SweptRoster]]] = {
    "walls": TileRoster,
    "platforms": PlatformRoster,
    "one_way": PlatformRoster,
}


def sources_of(name: str, given: object) -> list[Any]:
    """Return the given walls as a list of sprite lists, empty ones included, or raise TypeError with their name.

    A list or tuple of sprites is a sprite list too.
    """
    if given is None:
        return []
    is_one = isinstance(given, SpriteSequence) or (isinstance(given, list | tuple) and _are_sprites(given))
    return _lists(name, [given] if is_one else given)


def _lists(name: str, given: object) -> list[Any]:
    if isinstance(given, Iterable) and not isinstance(given, str):
        sources = list(given)
        if all(isinstance(source, SpriteSequence | list | tuple) for source in sources):
            return sources
    raise TypeError(f"{name} must be a SpriteList or an iterable of them, or a list of sprites, got {given!r}")


def _are_sprites(sprites: Sequence[object]) -> bool:
    return bool(sprites) and all(isinstance(sprite, BasicSprite) for sprite in sprites)


@dataclass(slots=True)
class _Group:
    """Sprite lists that have the same role for players.

    Attributes
    ----------
    name, rule
        Name of the role, and the parameters of its bodies.
    lists
        The engine's own list of sprite lists: games add and remove lists.
    known, has_plain, rosters
        The sprite lists at the last check, whether any is a list or tuple of Python, and their rosters of bodies.
    """

    name: str
    rule: dict[str, Any]
    lists: list[Any]
    known: list[Any] = field(default_factory=list)
    has_plain: bool = False
    rosters: list[SweptRoster] = field(default_factory=list)

    @property
    def has_others(self) -> bool:
        """Return whether the game has added or removed lists; equal lists of Python are not the same."""
        return self.lists != self.known or (self.has_plain and any(map(is_not, self.lists, self.known)))


class Groups:
    """The lists of an engine, in groups of one role.

    Parameters
    ----------
    world
        The world of their bodies.
    rules, lists
        The rule of each group, and its sprite lists; the game may change these.
    is_strict
        Whether sprites without area or at NaN are refused.

    Attributes
    ----------
    rosters
        The bodies of all lists.
    are_put, have_joined
        Whether walls were added or teleported, and whether walls were added. The owner resets them.
    """

    def __init__(
        self, world: im.World, rules: dict[str, dict[str, Any]], lists: Mapping[str, list[Any]], *, is_strict: bool
    ) -> None:
        self._world, self._is_strict = world, is_strict
        self._groups = [_Group(name, rules[name], sources) for name, sources in lists.items()]
        self.rosters: list[SweptRoster] = []
        self.are_put, self.have_joined = True, False
        self._left_out: frozenset[BasicSprite] = frozenset()  # from all lists
        self._merges = True  # flush tiles, until the world is requested

    def body(self, sprite: BasicSprite) -> im.Body | None:
        """Return the body of a wall, or None."""
        roster = next((roster for roster in self.rosters if sprite in roster.bodies), None)
        return None if roster is None else roster.body(sprite)

    def follow(self) -> None:
        """Update all bodies from the lists."""
        are_others = False
        for group in self._groups:
            if group.has_others:
                self._renew(group, _lists(group.name, group.lists))
                are_others = True
        if are_others:
            self.rosters = [roster for group in self._groups for roster in group.rosters]
        for roster in self.rosters:
            if not roster.is_quiet:
                changes = roster.follow()
                if changes is not None and changes.joined:
                    self.have_joined = True
            if roster.has_placed:
                roster.has_placed, self.are_put = False, True

    def _renew(self, group: _Group, sources: list[Any]) -> None:
        """Make rosters for new lists, and remove the bodies of lists that are gone."""
        group.known, group.has_plain = sources, any(isinstance(source, list | tuple) for source in sources)
        kept, group.rosters = group.rosters, []
        for source in sources:
            known = next((roster for roster in kept if roster.source is source), None)
            if known is not None:
                kept.remove(known)
            if known is None:
                known = FOLLOWED_BY.get(group.name, SweptRoster)(source, self._world, **group.rule)
                known.is_strict, known.left_out = self._is_strict, self._left_out
                if isinstance(known, TileRoster):
                    known.merges = self._merges
            group.rosters.append(known)
        for roster in kept:
            for body in dict.fromkeys(roster.bodies.values()):  # tiles of a block share one body
                self._world.remove(body)

    def split_tiles(self) -> None:
        """Give each tile its own body from now on."""
        if not self._merges:
            return
        self._merges = False
        for roster in self.rosters:
            if isinstance(roster, TileRoster):
                roster.merges = False
        self._world.expand()

    def leave_out(self, players: frozenset[BasicSprite]) -> None:
        """Take players out of the lists: they do not collide with themselves, nor with each other."""
        self._left_out = players
        for roster in self.rosters:
            roster.leave_out(players)

    def check_apart(self, players: list[Sprite]) -> None:
        """Refuse players that are also in a list."""
        for group in self._groups:
            for roster in group.rosters:
                for sprite in players:
                    if sprite in roster.bodies:
                        raise ValueError(f"{name_of(sprite)} must not be a player and in {group.name} at once")

    def move_platforms(self) -> bool:
        """Move platforms by their speeds, and turn them round at their boundaries, as Arcade does.

        All platforms are checked before the first one moves. Return whether there is any.
        """
        moves = []
        for roster in self.rosters:
            if isinstance(roster, PlatformRoster):
                moving = roster.moving()
                if moving:
                    moves.append((roster, moving))
        for roster, moving in moves:
            check_moves([sprite for sprite in moving if sprite not in roster.absent] if roster.absent else moving)
        for roster, moving in moves:
            roster.advance(moving)
        return bool(moves)

    def settle(self) -> None:
        """Note that all bodies have reached their sprites."""
        for roster in self.rosters:
            if roster.has_going:
                roster.settle()
