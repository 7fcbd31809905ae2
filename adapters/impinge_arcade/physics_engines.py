"""Arcade's own two engines by name and by behaviour, with exact collisions: a game changes its import.

What differs, and why, is in docs/drop-in.md. Not here: `PushEngine`, which knows ranks instead of players and walls.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, TypeAlias

import arcade
from arcade import BasicSprite, Sprite, SpriteSequence

import impinge as im
from impinge.checks import finite
from impinge_arcade.boxes import FARTHEST, name_of
from impinge_arcade.collision import check_for_collision_with_lists
from impinge_arcade.engine import SpriteEvent
from impinge_arcade.level import RULES, RULES_FROM_ABOVE, Level, sources_of

__all__ = ["PhysicsEnginePlatformer", "PhysicsEngineSimple"]

Walls: TypeAlias = SpriteSequence[BasicSprite] | Iterable[SpriteSequence[BasicSprite]] | None
Platforms: TypeAlias = SpriteSequence[Sprite] | Iterable[SpriteSequence[Sprite]] | None

# The steepest ramp that Arcade's engine walks up, in degrees: it tries one pixel up for each pixel across.
STEEPEST = 45.0
# Sides as numbers: to ask a `Side` for its bits takes longer than all else here.
BELOW, ABOVE = int(im.Side.BOTTOM), int(im.Side.TOP)
# In radians, added to it: the feet that Arcade traces have edges of 45 degrees, but for rounding.
ROUNDED = 1e-6


class _Answers:
    """What both engines tell of their last update, beyond what Arcade's do."""

    player_sprite: Sprite
    players: list[Sprite]
    _level: Level

    @property
    def world(self) -> im.World:
        """The world in which it happens: for its questions and its plugins.

        Once it was asked for, each tile is a body of its own in it, far from all players too.
        """
        return self._level.whole_world()

    @property
    def events(self) -> tuple[SpriteEvent, ...]:
        """What touched in the last update, in order of time; of kind ``"stuck"`` if a player had no room."""
        return self._level.events

    @property
    def sensed(self) -> list[tuple[Sprite, BasicSprite]]:
        """Players and sensors that met in the last update, also if a player went wholly through a sensor."""
        return self._level.sensed

    def body(self, sprite: BasicSprite) -> im.Body:
        """Return the body of a player or a wall, to look at: its `blocked` sides, its `floor`, whether it is `stuck`.

        Raises
        ------
        ValueError
            If the sprite has no part in the engine, or not yet: bodies are made by the first update.
        """
        return self._level.body(sprite)

    def _everybody(self) -> list[Sprite]:
        return [self.player_sprite, *self.players]


class PhysicsEngineSimple(_Answers, arcade.PhysicsEngineSimple):
    """Moves players among walls, seen from above; takes the place of `arcade.PhysicsEngineSimple`.

    A player goes along walls that it runs against, slanting ones too, and never through them. Like Arcade's engine it
    takes away `change_y` when a player runs against something upwards or downwards, and leaves `change_x`.

    Parameters
    ----------
    player_sprite, walls
        As for Arcade's engine. Lists are followed: sprites that come, go, or are put elsewhere are noticed; a wall that
        the game moves by no more than half its own size in a frame pushes the players. While nothing in them changes,
        lists cost nothing.
    players
        More players; `update` moves all of them.
    moving_walls
        Lists of sprites that this engine moves by their `change_x` and `change_y`, between their boundaries, as
        `PhysicsEnginePlatformer` does its platforms. They push the players.
    sensors
        Lists of sprites that only tell who comes into them: see `sensed`.

    Raises
    ------
    TypeError
        If an argument is not of its type.

    Examples
    --------
    >>> player, walls = arcade.SpriteSolidColor(20, 20), arcade.SpriteList()
    >>> walls.append(arcade.SpriteSolidColor(4, 100, center_x=100))
    >>> engine = PhysicsEngineSimple(player, walls)
    >>> player.velocity = 5000, 7
    >>> engine.update() == [walls[0]], player.position
    (True, (88.0, 7))
    """

    def __init__(
        self,
        player_sprite: Sprite,
        walls: Walls = None,
        *,
        players: Iterable[Sprite] = (),
        moving_walls: Platforms = None,
        sensors: Walls = None,
    ) -> None:
        _check_player(player_sprite)
        super().__init__(player_sprite)
        self.walls.extend(sources_of("walls", walls))
        self.players = list(players)
        self.moving_walls: list[SpriteSequence[Sprite]] = sources_of("moving_walls", moving_walls)
        self.sensors: list[SpriteSequence[BasicSprite]] = sources_of("sensors", sensors)
        lists: dict[str, list[Any]] = {"walls": self.walls, "platforms": self.moving_walls, "sensors": self.sensors}
        self._level = Level(RULES_FROM_ABOVE, lists)

    def update(self) -> list[BasicSprite]:
        """Move all players, and the moving walls; returns what the players have run against.

        Raises
        ------
        impinge.ShapeError
            If a position, a speed or a hit box is not finite, or a hit box is none; the message names the sprite.
        TypeError, ValueError
            If something is no sprite, or a player is among the walls. With any of these errors, no sprite is moved.
        """
        self._level.check(self._everybody())
        self._level.move_platforms()
        touched = self._level.step()
        return _landed(self._level, touched)


class PhysicsEnginePlatformer(_Answers, arcade.PhysicsEnginePlatformer):
    """Moves players by gravity among walls, platforms and ladders: as `arcade.PhysicsEnginePlatformer`, in its place.

    Parameters
    ----------
    player_sprite, platforms, gravity_constant, ladders, walls
        As for Arcade's engine. Lists are followed as in `PhysicsEngineSimple`. Platforms push players, carry them, and
        take them along when they go down.
    players
        More players: gravity and ladders are theirs too.
    one_way
        Lists of platforms that are solid only for who comes from above; they move like `platforms`.
    sensors
        Lists of sprites that only tell who comes into them: see `sensed`.
    max_slope
        The steepest ramp that a player walks up and stands on, in degrees.
    snap
        How far below its feet the ground may be for a player to stay on it: down ramps and stairs, in pixels.
    step_height
        How high a step a player walks up, in pixels. None: as high as it is fast, which is what Arcade's engine does.

    Raises
    ------
    TypeError
        If an argument is not of its type.
    impinge.ShapeError
        If a slope is not from 0 to less than 90, or a size is negative.

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
        max_slope: float = STEEPEST,
        snap: float = 0.0,
        step_height: float | None = None,
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
        self._level = Level(RULES, lists)
        # A body by this rule, in a world of its own: what is wrong with it shows now.
        self._rule: dict[str, float | None] = {"max_slope": math.radians(max_slope) + ROUNDED, "snap": snap}
        trial: dict[str, Any] = {**self._rule, "step_height": 0.0 if step_height is None else step_height}
        im.World(entry_points=False).add(im.Box(1, 1), im.Pose(0, 0), **trial)
        self._rule["step_height"] = step_height

    def is_on_ladder(self, player: Sprite | None = None) -> bool:
        """Whether a player, by default `player_sprite`, touches a ladder."""
        return bool(self.ladders) and bool(check_for_collision_with_lists(player or self.player_sprite, self.ladders))

    def can_jump(self, y_distance: float = 5, player: Sprite | None = None) -> bool:
        """Whether a player stands within a distance of the ground, or may jump in the air; as Arcade's engine says.

        Parameters
        ----------
        y_distance
            How far below the ground may be, in pixels.
        player
            By default `player_sprite`.
        """
        below = self._level.below(player or self.player_sprite, y_distance)
        if below:
            self.jumps_since_ground = 0
        return bool(below) or (self.allow_multi_jump and self.jumps_since_ground < self.allowed_jumps)

    def update(self) -> list[BasicSprite]:
        """Move the platforms and all players; returns what the players have run against.

        Raises
        ------
        impinge.ShapeError
            If a position, a speed or a hit box is not finite, or a hit box is none; the message names the sprite.
        TypeError, ValueError
            If something is no sprite, or a player is among the walls. With any of these errors, no sprite is moved.
        """
        if abs(finite("gravity_constant", self.gravity_constant)) > FARTHEST:
            raise im.ShapeError(f"gravity_constant must be at most {FARTHEST:g} in size, got {self.gravity_constant!r}")
        everybody = self._everybody()
        self._level.check(everybody)
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
    """Take away the speed of players up and down that something has stopped; returns all that was in their way."""
    found = {}
    for sprite, walls in touched.items():
        for wall in walls:
            found[id(wall)] = wall  # not all have a hash
        up = sprite.change_y
        if walls and up and int(level.body(sprite).blocked) & (BELOW if up < 0.0 else ABOVE):
            sprite.change_y = min(0.0, getattr(walls[0], "change_y", 0.0))
    return list(found.values())
