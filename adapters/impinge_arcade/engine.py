"""The push engine: sprites of several ranks that push, carry and crush each other, with events and callbacks.

The bodies of the sprites are in `ranks`, and players that walk and jump in `walking`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, Protocol, TypeAlias, cast

from arcade import BasicSprite, Sprite, SpriteList

import impinge as im
from impinge import Side
from impinge.checks import finite, point
from impinge_arcade.boxes import name_of
from impinge_arcade.events import WITH_SENSORS, Callback, Kind, Listeners, SpriteEvent, Which, sprite_events
from impinge_arcade.placing import free_place
from impinge_arcade.ranks import Rank, RankedLevel
from impinge_arcade.sources import Lone, Sprites, is_same_source, split_sources

__all__ = ["Helper", "PushEngine", "Shapes", "Sprites"]

Shapes: TypeAlias = Literal["exact", "bounds"]

# Plain integers: an operation on a `Side` takes a microsecond, for each player in each update.
LEFT, RIGHT, BOTTOM, TOP = (int(side) for side in Side)
# Updates in a row in which a sprite was also moved by its own speed until the engine warns of it.
SUSPICIOUS = 4


class Helper(Protocol):
    """Code that runs with an engine: before its sprites are read in an update, and after they have moved."""

    def before_update(self) -> None:
        """Prepare the speeds of sprites."""

    def after_update(self) -> None:
        """React to the contacts."""


class PushEngine:
    """Move sprites; mighty sprites push, carry and crush weak ones, exactly and at any speed.

    Parameters
    ----------
    weak, mighty
        A sprite, a `SpriteList`, or an iterable of sprites or of lists. Weak sprites have might 0, mighty ones 1. The
        engine follows lists: sprites that are added, removed, killed, rescaled or turned between two updates change in
        the next one.
    shapes
        ``"exact"``: the exact hit boxes collide, concave ones too, or the shapes of `shape_for`. ``"bounds"``: their
        bounding boxes.
    stop_on_contact
        Whether an update sets the speeds of a weak sprite towards blocked sides to 0. Otherwise `change_x` and
        `change_y` stay as the game has set them.

    Attributes
    ----------
    world
        The world with the bodies of the sprites, for queries and plugins.
    events
        The events of the last update.

    Notes
    -----
    A weak sprite, of might 0 or less, moves by `change_x` and `change_y`, and turns by `change_angle`. If the game sets
    its position or angle, it is teleported there. A mighty sprite also moves by its speeds, and turns round at its
    `boundary_left`, `boundary_right`, `boundary_bottom` and `boundary_top`. If the game has moved it, it sweeps to its
    new place instead, and pushes the sprites in its way. A move of more than half its longer side plus its speed, or a
    turn of a quarter or more, is a teleport, as for the walls of `PhysicsEngineSimple`. `teleport` never sweeps.

    Raises
    ------
    impinge.ShapeError
        If a sprite's position, speed or hit box is not finite, or the hit box has no area; the message names it.
    ValueError
        If a sprite is added twice with different rules, or `shapes` is unknown.
    TypeError
        If an object is not a sprite.

    Examples
    --------
    >>> import arcade
    >>> player = arcade.SpriteSolidColor(20, 40, center_x=50, center_y=100)
    >>> lift = arcade.SpriteSolidColor(60, 10, center_x=50, center_y=75)
    >>> engine = PushEngine(weak=player, mighty=lift)
    >>> lift.change_y, player.change_y = 3, -1
    >>> [event.side for event in engine.update()]
    [<Side.BOTTOM: 4>]
    >>> player.position, engine.blocked(player)
    ((50.0, 103.0), <Side.BOTTOM: 4>)
    """

    def __init__(
        self,
        weak: Sprites | Iterable[Sprites] = (),
        mighty: Sprites | Iterable[Sprites] = (),
        *,
        shapes: Shapes = "exact",
        stop_on_contact: bool = False,
    ) -> None:
        self._level = RankedLevel()
        self.world = self._level.world
        self.events: tuple[SpriteEvent, ...] = ()
        self._shapes, self._stop_on_contact = _checked_shapes(shapes), stop_on_contact
        self._listeners = Listeners(self._touch)
        self._helpers: list[Helper] = []
        self._warned: set[str] = set()
        self._doubled = 0
        self._noticed: object = None  # the ranks that were examined for mistakes
        self.add(weak, might=0)
        self.add(mighty, might=1)
        if isinstance(mighty, Sprite) and isinstance(weak, SpriteList) and weak.spatial_hash is not None:
            self._warn(f"weak is a list with a spatial hash, as of walls, and mighty is {name_of(mighty)}: swapped?")

    def add(
        self,
        sprites: Sprites | Iterable[Sprites],
        might: int = 1,
        layer: int = 1,
        mask: int = im.ALL_LAYERS,
        *,
        carrying: Side = Side.ALL,
        sticky: Side = Side.NONE,
        passable: Side = Side.NONE,
        response: Literal["push", "sensor"] = "push",
        surface_speed: float = 0.0,
        shapes: Shapes | None = None,
    ) -> None:
        """Add sprites with their own rule.

        Parameters
        ----------
        sprites
            As for the engine: lists are followed.
        might
            The rank of the sprites: they push sprites of lower might, and sprites of higher might push them.
        layer, mask
            Bit sets: a sprite can be pushed only by sprites whose layer has a bit of its mask.
        carrying, sticky, passable
            Sides of these sprites that carry weaker sprites, hold them, or let them in.
            ``passable=Side.LEFT | Side.RIGHT | Side.BOTTOM`` makes one-way platforms.
        response
            ``"sensor"``: these sprites push nothing, and report the sprites in them, as coins do.
        surface_speed
            For conveyors: what the tops of these sprites add to the movement of sprites on them, in pixels per update
            to the right. It acts from the update after the first contact on.
        shapes
            As for the engine, whose choice is the default.
        """
        # A trial body in its own world: it raises an error for an invalid rule before anything changes.
        rule: dict[str, Any] = {"might": might, "layer": layer, "mask": mask, "response": response}
        rule |= {"carrying": carrying, "sticky": sticky, "passable": passable}
        im.World(entry_points=False).add(im.Box(1, 1), im.Pose(0, 0), **rule)
        if response not in ("push", "sensor"):
            raise im.ShapeError(f"response must be 'push' or 'sensor', got {response!r}")
        if response == "sensor":
            rule["mask"] = 0  # sensors do not report each other
        has_bounds = _checked_shapes(self._shapes if shapes is None else shapes) == "bounds"
        speed = finite("surface_speed", surface_speed)
        ranks = [Rank(source, rule, has_bounds, speed) for source in split_sources(sprites)]
        self._level.take([*self._level.ranks, *ranks])

    def remove(self, sprites: Sprites | Iterable[Sprites]) -> None:
        """Remove sprites or lists that were added.

        Raises
        ------
        ValueError
            If one of them was not added; then nothing is removed.
        """
        kept = list(self._level.ranks)
        for source in split_sources(sprites):
            rank = next((rank for rank in kept if is_same_source(rank.source, source)), None)
            if rank is None:
                named = name_of(source.sprite) if isinstance(source, Lone) else repr(source)
                raise ValueError(f"sprites must have been added to this engine, got {named}")
            kept.remove(rank)
        self._level.take(kept)

    def on(self, kind: Kind, first: Which, second: Which, callback: Callback) -> Callable[[], None]:
        """Call a function for contacts of some sprites with others.

        Parameters
        ----------
        kind
            ``"begin"``: two sprites have come into contact. ``"touch"``: they are in contact, in each update.
            ``"end"``: they no longer touch. ``"stuck"``: the weak one has no room.
        first, second
            A sprite, a list of sprites, a class of sprites, or None for all. The order does not matter.
        callback
            Called after the sprites have moved, with the sprite of `first`, the sprite of `second`, and the
            `SpriteEvent`, which is None for ``"end"``. It may move, add and kill sprites.

        Returns
        -------
        callable
            A function without arguments that removes the callback.

        Examples
        --------
        >>> import arcade
        >>> player, coins = arcade.SpriteSolidColor(20, 20), arcade.SpriteList()
        >>> coins.append(arcade.SpriteSolidColor(8, 8, center_x=40))
        >>> engine = PushEngine(weak=player)
        >>> engine.add(coins, response="sensor")
        >>> stop = engine.on("begin", player, coins, lambda player, coin, event: coin.kill())
        >>> player.change_x = 60
        >>> events = engine.update()
        >>> len(coins)
        0
        """
        return self._listeners.add(kind, first, second, callback)

    def run(self, helper: Helper) -> None:
        """Run a helper, such as a `Walker`, in each update, until `stop`."""
        if helper not in self._helpers:
            self._helpers.append(helper)

    def stop(self, helper: Helper) -> None:
        """Stop running a helper."""
        if helper in self._helpers:
            self._helpers.remove(helper)

    def update(self) -> tuple[SpriteEvent, ...]:
        """Move all sprites by one step; return the events in order of time.

        After an error no sprite has moved, unless a callback or the `after_update` of a helper has raised it.
        """
        level = self._level
        if self._helpers:
            level.look()  # helpers see sprites that have joined
            for helper in tuple(self._helpers):
                helper.before_update()
        level.look()
        if level.turn_round():
            level.look()
        self._notice()
        level.go()
        self.events = sprite_events(level.frame, WITH_SENSORS)
        if self._stop_on_contact:
            self._stop_blocked()
        if self._helpers:
            for helper in tuple(self._helpers):
                helper.after_update()
        self._listeners.tell(self.events)
        return self.events

    def teleport(self, sprite: BasicSprite) -> None:
        """Place a mighty sprite's body at the position that the game has set, without a sweep from the old position."""
        self._level.look()  # the sprite may have left its list since the last update
        self._level.teleport(self._checked(sprite))

    def place(self, sprite: BasicSprite, at: tuple[float, float], *, reach: float | None = None) -> tuple[float, float]:
        """Place a sprite at the free place nearest to a position, and return it.

        Parameters
        ----------
        sprite
            A sprite of the engine.
        at
            The position, in pixels.
        reach
            Largest distance to search, in pixels; None for 16 times the longer side of the sprite.

        Raises
        ------
        impinge.ShapeError
            If `at` is not two finite numbers.
        ValueError
            If there is no free place within reach. The sprite has not moved then.

        Notes
        -----
        Free is a place where the sprite overlaps no sprite that can push it. Places are tried on rings around the
        position, an eighth of the sprite's longer side apart. From the first free one on, the way back to the position
        is halved, up to the last free place on it.

        Examples
        --------
        >>> import arcade
        >>> ground = arcade.SpriteSolidColor(400, 100, center_y=-50)
        >>> enemy = arcade.SpriteSolidColor(20, 20, center_y=500)
        >>> engine = PushEngine(weak=enemy, mighty=ground)
        >>> x, y = engine.place(enemy, (0, -3))
        >>> x, round(y, 3)
        (0.0, 10.0)
        """
        x, y = point("at", at)
        self._level.look()  # the game may have moved sprites and walls since the last update
        body, placed = self.body(sprite), self._level.placed(sprite)
        center = x + placed.x - sprite.center_x, y + placed.y - sprite.center_y
        way, farthest = free_place(self.world, body, center, None if reach is None else finite("reach", reach))
        if way is None:
            raise ValueError(f"{name_of(sprite)}: no free place within {farthest:g} pixels of {tuple(at)!r}")
        sprite.position = put = x + way[0], y + way[1]
        if body.might > 0:
            self._level.teleport(sprite)
        return put

    def __contains__(self, sprite: object) -> bool:
        return isinstance(sprite, BasicSprite) and self._level.rank_of(sprite) is not None

    def sprites(self) -> Iterator[BasicSprite]:
        """Return an iterator over all sprites of the engine."""
        return self._level.sprites()

    def body(self, sprite: BasicSprite) -> im.Body:
        """Return the body of a sprite in `world`, for reading only: its pose follows the sprite."""
        return self._level.body(self._checked(sprite))

    def sides(self, sprite: BasicSprite) -> Side:
        """Return the sides of a weak sprite that were touched in the last update; none for a sprite that has left."""
        return Side.NONE if self._has_left(sprite) else self.body(sprite).sides

    def blocked(self, sprite: BasicSprite) -> Side:
        """Return the sides of a weak sprite that are still blocked: ``Side.BOTTOM`` if it stands on something.

        A sprite that has left the engine, for example one that was killed, is blocked nowhere.
        """
        return Side.NONE if self._has_left(sprite) else self.body(sprite).blocked

    def stuck(self, sprite: BasicSprite) -> Side:
        """Return the sides between which a weak sprite had no room in the last update; none if it has left."""
        return Side.NONE if self._has_left(sprite) else self.body(sprite).stuck

    def floor(self, sprite: BasicSprite) -> BasicSprite | None:
        """Return the sprite on which a weak sprite stands, or None."""
        floor = None if self._has_left(sprite) else self.body(sprite).floor
        return None if floor is None else cast(BasicSprite, floor.data)

    def _checked(self, sprite: BasicSprite) -> BasicSprite:
        """Return a sprite of this engine; its list may have changed since the last update."""
        if self._level.rank_of(sprite) is None:
            self._level.look()
        if self._level.rank_of(sprite) is None:
            raise ValueError(f"sprite must have been added to this engine, got {name_of(sprite)}")
        return sprite

    def _has_left(self, sprite: BasicSprite) -> bool:
        return self._level.rank_of(sprite) is None and sprite in self._level.seen

    def _touch(self, one: BasicSprite, other: BasicSprite) -> bool:
        """Return whether two sprites touch at the end of the last update."""
        bodies = [self._level.body(each) for each in (one, other) if self._level.rank_of(each) is not None]
        return len(bodies) == 2 and im.overlaps(bodies[0].shape, bodies[0].pose, bodies[1].shape, bodies[1].pose)

    def _stop_blocked(self) -> None:
        """Set the speeds of sprites that point towards blocked sides to 0."""
        sprites, rows = self._level.pushable()
        for sprite, sides in zip(sprites, self.world.blocked(rows).tolist(), strict=True):
            if not sides or not isinstance(sprite, Sprite):
                continue
            dx, dy = sprite.velocity
            if sides & (LEFT if dx < 0 else RIGHT) and dx:
                sprite.change_x = 0
            if sides & (BOTTOM if dy < 0 else TOP) and dy:
                sprite.change_y = 0

    def _notice(self) -> None:
        """Warn once of what is probably a mistake of the game; called before the sprites move."""
        ranks = self._level.ranks
        if ranks is not self._noticed:
            self._noticed = ranks
            mights = {rank.might for rank in ranks if not rank.is_sensor}
            if not ranks:
                self._warn("nothing has been added to this engine: pass weak and mighty sprites, or call add()")
            elif len(ranks) > 1 and len(mights) == 1 and max(mights) > 0:
                self._warn(f"all sprites have might {max(mights)}, and equals pass through each other: add weak ones")
        if not self._level.moved and not self._doubled:
            return
        doubled = [
            sprite
            for sprite, (x, y) in self._level.moved_weak()
            if any(sprite.velocity) and sprite.position == (x + sprite.change_x, y + sprite.change_y)
        ]
        self._doubled = self._doubled + 1 if doubled else 0
        if self._doubled == SUSPICIOUS:
            self._warn(f"{name_of(doubled[0])} is moved by its own update() too: PushEngine.update() moves it")

    def _warn(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            warnings.warn(text, RuntimeWarning, stacklevel=3)


def _checked_shapes(shapes: Any) -> Shapes:
    if shapes not in ("exact", "bounds"):
        raise ValueError(f"shapes must be 'exact' or 'bounds', got {shapes!r}")
    return cast(Shapes, shapes)
