"""Arcade's two engines with the same names and behaviour, but exact collisions: a game changes only its import.

docs/drop-in.md lists the differences and their reasons. For ranks instead of players and walls see `PushEngine`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import arcade
from arcade import BasicSprite, Sprite, SpriteSequence

import impinge as im
from impinge.checks import finite
from impinge_arcade.boxes import FARTHEST, name_of
from impinge_arcade.collision import check_for_collision_with_lists
from impinge_arcade.events import SpriteEvent
from impinge_arcade.groups import RULES, RULES_FROM_ABOVE, sources_of
from impinge_arcade.level import Level
from impinge_arcade.shapes import is_strict

__all__ = ["PhysicsEnginePlatformer", "PhysicsEngineSimple"]

_Tiles: TypeAlias = SpriteSequence[BasicSprite] | Sequence[BasicSprite]
_Lifts: TypeAlias = SpriteSequence[Sprite] | Sequence[Sprite]
Walls: TypeAlias = _Tiles | Iterable[_Tiles] | None
Platforms: TypeAlias = _Lifts | Iterable[_Lifts] | None

# The steepest ramp that Arcade's engine walks up, in degrees: it tries one pixel up for each pixel sideways.
STEEPEST = 45.0
# Sides as integers: reading the bits of a `Side` takes longer than everything else in `_landed`.
BELOW, ABOVE = int(im.Side.BOTTOM), int(im.Side.TOP)
# In radians, added to the slope: the feet in Arcade's traced hit boxes have edges of 45 degrees, up to rounding.
ROUNDED = 1e-6


def _lists(engine: type[Any], name: str) -> Any:
    """Return a property of Arcade's engine that holds lists, and takes lists of sprites too."""
    lists: property = getattr(engine, name)

    def add(self: Any, given: object) -> None:
        lists.fset(self, sources_of(name, given) if given else given)  # type: ignore[misc]

    return property(lists.fget, add, lists.fdel, f"The {name} of Arcade's engine: sprite lists, or one that is added.")


class _Answers:
    """What both engines report about their last update, in addition to Arcade's."""

    player_sprite: Sprite
    players: list[Sprite]
    _level: Level

    @property
    def world(self) -> im.World:
        """Return the world of the engine, for queries and plugins.

        From the first use on, each tile has a body of its own, even far from all players.
        """
        return self._level.whole_world()

    @property
    def events(self) -> tuple[SpriteEvent, ...]:
        """Return the contacts of the last update in order of time; of kind ``"stuck"`` if a player had no room."""
        return self._level.events

    @property
    def sensed(self) -> list[tuple[Sprite, BasicSprite]]:
        """Return players and sensors that met in the last update, even if a player passed through a whole sensor."""
        return self._level.sensed

    def body(self, sprite: BasicSprite) -> im.Body:
        """Return the body of a player or a wall, to read its `blocked` sides, its `floor`, or whether it is `stuck`.

        Raises
        ------
        ValueError
            If the sprite is not in the engine, or not yet: the first update makes the bodies.
        """
        return self._level.body(sprite)

    def _everybody(self) -> list[Sprite]:
        return [self.player_sprite, *self.players]


class PhysicsEngineSimple(_Answers, arcade.PhysicsEngineSimple):
    """Move players among walls in a top-down game; a replacement for `arcade.PhysicsEngineSimple`.

    Players slide along walls, slanted walls included, and never pass through them. Like Arcade's engine, it sets
    `change_y` to 0 when a wall stops a player vertically, and keeps `change_x`.

    Parameters
    ----------
    player_sprite, walls
        As for Arcade's engine. The engine follows these lists: it notices sprites that are added, removed or moved. A
        wall that the game moves by at most half its longer side in a frame pushes the players. Lists cost nothing while
        nothing in them changes.
    players
        More players; `update` moves all of them.
    moving_walls
        Lists of sprites that this engine moves by their `change_x` and `change_y`, between their boundaries, like the
        platforms of `PhysicsEnginePlatformer`. They push the players.
    sensors
        Lists of sprites that do not block players, but report players that enter them: see `sensed`.
    strict
        Whether sprites without area or at a position that is not finite, and players in lists of walls, are refused. By
        default such sprites collide with nothing, and players not with themselves. None: as `bootstrap` was told.

    Raises
    ------
    TypeError
        If an argument has a wrong type.

    Examples
    --------
    >>> player, walls = arcade.SpriteSolidColor(20, 20), arcade.SpriteList()
    >>> walls.append(arcade.SpriteSolidColor(4, 100, center_x=100))
    >>> engine = PhysicsEngineSimple(player, walls)
    >>> player.velocity = 5000, 7
    >>> engine.update() == [walls[0]], player.position
    (True, (88.0, 7))
    """

    walls = _lists(arcade.PhysicsEngineSimple, "walls")

    def __init__(
        self,
        player_sprite: Sprite,
        walls: Walls = None,
        *,
        players: Iterable[Sprite] = (),
        moving_walls: Platforms = None,
        sensors: Walls = None,
        strict: bool | None = None,
    ) -> None:
        _check_player(player_sprite)
        super().__init__(player_sprite)
        self.walls.extend(sources_of("walls", walls))
        self.players = list(players)
        self.moving_walls: list[SpriteSequence[Sprite]] = sources_of("moving_walls", moving_walls)
        self.sensors: list[SpriteSequence[BasicSprite]] = sources_of("sensors", sensors)
        lists: dict[str, list[Any]] = {"walls": self.walls, "platforms": self.moving_walls, "sensors": self.sensors}
        self._level = Level(RULES_FROM_ABOVE, lists, is_strict=is_strict() if strict is None else strict)

    def update(self) -> list[BasicSprite]:
        """Move all players and the moving walls; return the walls that the players ran into.

        Raises
        ------
        impinge.ShapeError
            If a position, speed or hit box of a player or the speed of a platform is not finite; the message names the
            sprite. If the engine is strict, also if a sprite has no area, or if a wall is not at a finite position.
        TypeError, ValueError
            If an object is not a sprite, or a player is in a list of walls of a strict engine. After an error no sprite
            has moved.
        """
        self._level.check(self._everybody())
        self._level.move_platforms()
        touched = self._level.step()
        return _landed(self._level, touched)


class PhysicsEnginePlatformer(_Answers, arcade.PhysicsEnginePlatformer):
    """Move players by gravity among walls, platforms and ladders; replaces `arcade.PhysicsEnginePlatformer`.

    Parameters
    ----------
    player_sprite, platforms, gravity_constant, ladders, walls
        As for Arcade's engine. The engine follows lists as in `PhysicsEngineSimple`. Platforms push players, carry
        them, and keep them on top when the platforms go down.
    players
        More players: gravity and ladders apply to them too.
    one_way
        Lists of one-way platforms: solid only for players from above. They move like `platforms`.
    sensors
        Lists of sprites that do not block players, but report players that enter them: see `sensed`.
    max_slope_degrees
        The steepest ramp that a player walks up and stands on, in degrees (`World.add` takes radians).
    snap
        In pixels. A player on a ramp or stairs going down stays on ground that is at most this far below its feet.
    step_height
        How high a step a player can climb, in pixels. None: its horizontal speed, as in Arcade's engine.
    strict
        As for `PhysicsEngineSimple`.

    Raises
    ------
    TypeError
        If an argument has a wrong type.
    impinge.ShapeError
        If a slope is below 0 or not below 90 degrees, or a size is negative.

    Examples
    --------
    >>> player, walls = arcade.SpriteSolidColor(20, 40, center_y=60), arcade.SpriteList()
    >>> walls.append(arcade.SpriteSolidColor(200, 20))
    >>> engine = PhysicsEnginePlatformer(player, gravity_constant=1, walls=walls)
    >>> for frame in range(20):
    ...     touched = engine.update()
    >>> touched == [walls[0]], player.position, player.change_y, engine.can_jump()
    (True, (0.0, 30.0), 0.0, True)
    """

    walls = _lists(arcade.PhysicsEnginePlatformer, "walls")
    platforms = _lists(arcade.PhysicsEnginePlatformer, "platforms")
    ladders = _lists(arcade.PhysicsEnginePlatformer, "ladders")

    def __init__(
        self,
        player_sprite: Sprite,
        platforms: Platforms = None,
        gravity_constant: float = 0.5,
        ladders: Walls = None,
        walls: Walls = None,
        *,
        players: Iterable[Sprite] = (),
        one_way: Platforms = None,
        sensors: Walls = None,
        max_slope_degrees: float = STEEPEST,
        snap: float = 0.0,
        step_height: float | None = None,
        strict: bool | None = None,
    ) -> None:
        _check_player(player_sprite)
        super().__init__(player_sprite, gravity_constant=gravity_constant)
        self.platforms.extend(sources_of("platforms", platforms))
        self.ladders.extend(sources_of("ladders", ladders))
        self.walls.extend(sources_of("walls", walls))
        self.players = list(players)
        self.one_way: list[SpriteSequence[Sprite]] = sources_of("one_way", one_way)
        self.sensors: list[SpriteSequence[BasicSprite]] = sources_of("sensors", sensors)
        lists: dict[str, list[Any]] = {
            "walls": self.walls,
            "platforms": self.platforms,
            "one_way": self.one_way,
            "sensors": self.sensors,
        }
        self._level = Level(RULES, lists, is_strict=is_strict() if strict is None else strict)
        if not 0.0 <= finite("max_slope_degrees", max_slope_degrees) < 90.0:
            raise im.ShapeError(f"max_slope_degrees must be at least 0 and less than 90, got {max_slope_degrees!r}")
        # A trial body in its own world: it raises an error for invalid parameters now.
        self._rule: dict[str, float | None] = {"max_slope": math.radians(max_slope_degrees) + ROUNDED, "snap": snap}
        trial: dict[str, Any] = {**self._rule, "step_height": 0.0 if step_height is None else step_height}
        im.World(entry_points=False).add(im.Box(1, 1), im.Pose(0, 0), **trial)
        self._rule["step_height"] = step_height

    def is_on_ladder(self, player: Sprite | None = None) -> bool:
        """Return whether a player, by default `player_sprite`, touches a ladder."""
        return bool(self.ladders) and bool(check_for_collision_with_lists(player or self.player_sprite, self.ladders))

    def can_jump(self, y_distance: float = 5, player: Sprite | None = None) -> bool:
        """Return whether a player can jump from ground within a distance or in the air, as Arcade's engine does.

        Parameters
        ----------
        y_distance
            Maximum distance to the ground below, in pixels.
        player
            The player, by default `player_sprite`.
        """
        below = self._level.below(player or self.player_sprite, y_distance)
        if below:
            self.jumps_since_ground = 0
        return bool(below) or (self.allow_multi_jump and self.jumps_since_ground < self.allowed_jumps)

    def update(self) -> list[BasicSprite]:
        """Move the platforms and all players; return the walls that the players ran into.

        Raises
        ------
        impinge.ShapeError
            If a position, speed or hit box of a player or the speed of a platform is not finite; the message names the
            sprite. If the engine is strict, also if a sprite has no area, or if a wall is not at a finite position.
        TypeError, ValueError
            If an object is not a sprite, or a player is in a list of walls of a strict engine. After an error no sprite
            has moved.
        """
        if abs(finite("gravity_constant", self.gravity_constant)) > FARTHEST:
            raise im.ShapeError(f"gravity_constant must be at most {FARTHEST:g} in size, got {self.gravity_constant!r}")
        everybody = self._everybody()
        self._level.check(everybody)
        self._level.gravity = self.gravity_constant
        falling = [player for player in everybody if not self.is_on_ladder(player)]
        self._level.move_platforms()
        for player in falling:
            player.change_y -= self.gravity_constant
        touched = self._level.step(**self._rule)
        return _landed(self._level, touched)


def _check_player(sprite: object) -> None:
    if not isinstance(sprite, Sprite):
        raise TypeError(f"player_sprite must be a Sprite, got {name_of(sprite)}")


def _landed(level: Level, touched: dict[Sprite, list[Any]]) -> list[BasicSprite]:
    """Stop players that a wall blocks in their vertical direction; return all walls in the way of players."""
    found = {}
    for sprite, walls in touched.items():
        for wall in walls:
            found[id(wall)] = wall  # drawn objects are not hashable
        up = sprite.change_y
        if walls and up and int(level.body(sprite).blocked) & (BELOW if up < 0.0 else ABOVE):
            sprite.change_y = min(0.0, getattr(walls[0], "change_y", 0.0))
    return list(found.values())
