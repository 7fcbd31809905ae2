"""What Arcade's two engines stand on: players among lists of walls, in one world, a frame at a time.

Not here: gravity, ladders and jumps, which are in `physics_engines`; and sprites of many ranks, for which there is
`PushEngine`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from arcade import BasicSprite, Sprite, SpriteSequence

import impinge as im
from impinge import Side
from impinge_arcade.boxes import are_finite, is_step, name_of
from impinge_arcade.engine import SpriteEvent
from impinge_arcade.following import Roster, reshape
from impinge_arcade.shapes import Placement, placement, turnable_placement

__all__ = ["RULES", "RULES_FROM_ABOVE", "Level", "sources_of"]

WALL_LAYER: Final = 1
ONE_WAY_LAYER: Final = 2
SENSOR_LAYER: Final = 4
PLAYER_LAYER: Final = 8

# What walls are to players. They are pushed by nobody, each other included, and sense nothing.
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
# Pixels. No sprite may go further: not so far that a coordinate has no pixels any more.
FARTHEST: Final = 1e15
# What is above or below a player.
UPRIGHT: Final = Side.BOTTOM | Side.TOP
# Seen from above no side is a floor, and a wall takes along nothing that it does not push.
RULES_FROM_ABOVE: Final[dict[str, dict[str, Any]]] = {
    name: {key: value for key, value in RULES[name].items() if key not in ("carrying", "sticky", "passable")}
    | ({"carrying": Side.NONE} if name != "sensors" else {})
    for name in ("walls", "platforms", "sensors")
}


def sources_of(name: str, given: object) -> list[Any]:
    """Return what was given as walls as a list of sprite lists, empty ones too, or refuse it by name."""
    if given is None:
        return []
    sources = [given] if isinstance(given, SpriteSequence) else given
    if isinstance(sources, Iterable) and not isinstance(sources, str):
        sources = list(sources)
        if all(isinstance(source, SpriteSequence) for source in sources):
            return sources
    raise TypeError(f"{name} must be a SpriteList or an iterable of them, got {given!r}")


class _SweptRoster(Roster):
    """A list whose sprites go to where the game has put them, and push what is in the way.

    Only as far as walls go: one that was put further away than half its own size, beyond its own speed, is there at
    once, as a door that is open and lies outside of the map.
    """

    def place(self, sprites: Sequence[BasicSprite], placements: Sequence[Placement]) -> None:
        for sprite, placed in zip(sprites, placements, strict=True):
            body = self.bodies[sprite]
            stands, pose = body.pose, placed.pose
            if reshape(body, placed) or pose.angle != stands.angle or not _has_gone(sprite, placed, stands):
                body.pose = pose
            elif pose != body.goal:
                body.goal = pose


def _has_gone(sprite: BasicSprite, placed: Placement, stands: im.Pose) -> bool:
    """Whether a wall came from where it stands by going, not by being put elsewhere."""
    if placed.x == stands.x and placed.y == stands.y:
        return True
    left, bottom, right, top = placed.solid.bounds(im.Pose(0.0, 0.0, placed.angle))
    return is_step(sprite, (placed.x - stands.x, placed.y - stands.y), (right - left, top - bottom))


class _Player:
    """A player and its body."""

    __slots__ = ("body", "goal", "placed", "rule", "size", "sprite", "stands", "start", "target")

    def __init__(self, sprite: Sprite, body: im.Body, placed: Placement) -> None:
        self.sprite, self.body = sprite, body
        self.rule: tuple[float | None, ...] = ()
        # Where the sprite and its body stood when both were last in agreement.
        self.stands, self.placed = sprite.position, placed
        # The frame's start and goal, and where the sprite is at the goal.
        self.start = self.goal = body.pose
        self.target = sprite.position
        self.put(placed)

    def put(self, placed: Placement) -> None:
        """Let the body be where the sprite is."""
        reshape(self.body, placed)
        self.body.pose = self.start = placed.pose
        left, bottom, right, top = placed.solid.bounds()
        self.size = right - left, top - bottom
        self.stands, self.placed = self.sprite.position, placed


class Level:
    """Players, and the lists that they collide with.

    Attributes
    ----------
    world
        All of them as bodies.
    """

    def __init__(self, rules: dict[str, dict[str, Any]], lists: Mapping[str, list[Any]]) -> None:
        self.world = im.World()
        self._rules = rules
        self._lists = lists  # the engine's own lists of lists: games add to them and take out
        self._known: dict[str, list[Any]] = {name: [] for name in lists}
        self._rosters: dict[str, list[Roster]] = {name: [] for name in lists}
        self._players: dict[Sprite, _Player] = {}
        self._frame: im.Frame | None = None

    @property
    def events(self) -> tuple[SpriteEvent, ...]:
        """What touched in the last step."""
        return tuple(
            SpriteEvent(event.kind, event.time, event.weak.data, event.mighty.data, event.side, event.speed)
            for event in (() if self._frame is None else self._frame.events)
            if event.kind != "sensor"
        )

    @property
    def sensed(self) -> list[tuple[Sprite, BasicSprite]]:
        """Players and sensors that met in it."""
        return [] if self._frame is None else [(event.weak.data, event.mighty.data) for event in self._frame.sensed]

    def body(self, sprite: BasicSprite) -> im.Body:
        """Return the body of a player or of a wall."""
        if not isinstance(sprite, BasicSprite):  # what is drawn in a map is in no list, and has no hash
            drawn = next((body for body in self.world if body.data is sprite), None)
            if drawn is None:
                raise ValueError(f"sprite must be one of this engine, got {sprite!r}")
            return drawn
        player = self._players.get(sprite)  # type: ignore[call-overload]
        if player is not None:
            return player.body  # type: ignore[no-any-return]
        for rosters in self._rosters.values():
            for roster in rosters:
                if sprite in roster.bodies:
                    return roster.bodies[sprite]
        raise ValueError(f"sprite must be one of this engine after its first update, got {name_of(sprite)}")

    def follow(self) -> None:
        """Bring all walls up to date with the lists."""
        for name, sources in self._lists.items():
            if sources != self._known[name]:
                self._renew(name, sources_of(name, sources))
            for roster in self._rosters[name]:
                roster.follow()

    def _renew(self, name: str, sources: list[Any]) -> None:
        """Take up new lists, and let those go that are gone."""
        self._known[name] = sources
        kept, self._rosters[name] = self._rosters[name], []
        for source in sources:
            known = next((roster for roster in kept if roster.source is source), None)
            if known is not None:
                kept.remove(known)
            self._rosters[name].append(known or _SweptRoster(source, self.world, **self._rules[name]))
        for roster in kept:
            for body in roster.bodies.values():
                self.world.remove(body)

    def check(self, sprites: list[Sprite]) -> None:
        """Refuse players that cannot move, by name, and lists that hold one; brings all up to date with the sprites."""
        self.follow()
        placements = [self._checked(sprite) for sprite in sprites]
        if list(self._players) != sprites:
            for sprite in [sprite for sprite in self._players if sprite not in sprites]:
                self.world.remove(self._players.pop(sprite).body)
        for sprite, placed in zip(sprites, placements, strict=True):
            player = self._players.get(sprite)
            if player is None:
                body = self.world.add(placed.solid, placed.pose, layer=PLAYER_LAYER, data=sprite)
                self._players[sprite] = _Player(sprite, body, placed)
            elif sprite.position != player.stands or placed != player.placed:
                player.put(placed)

    def _checked(self, sprite: Sprite) -> Placement:
        """Return where a player stands, or refuse it."""
        if not isinstance(sprite, Sprite):
            raise TypeError(f"players must be Sprites, got {name_of(sprite)}")
        turn = sprite.change_angle
        placed = turnable_placement(sprite) if turn else placement(sprite)
        _check_way(sprite)
        for name, rosters in self._rosters.items():
            for roster in rosters:
                if sprite in roster.bodies:
                    raise ValueError(f"{name_of(sprite)} must not be a player and in {name} at once")
        return placed

    def move_platforms(self, lists: Sequence[Iterable[Sprite]]) -> None:
        """Move platforms by their speed, and turn them round at their boundaries, as Arcade does.

        All are checked before the first one moves.
        """
        if not any(lists):
            return
        moving = [sprite for sprites in lists for sprite in sprites if _velocity(sprite) != (0, 0)]
        for sprite in moving:
            _check_way(sprite)
            if not are_finite(*(each for each in _boundaries(sprite) if each is not None)):
                raise im.ShapeError(f"{name_of(sprite)}: boundaries must be finite, got {_boundaries(sprite)}")
        for sprite in moving:
            left, right, bottom, top = _boundaries(sprite)
            across, up = sprite.velocity
            if left is not None and sprite.left <= left:
                sprite.left, across = left, abs(across)
            if right is not None and sprite.right >= right:
                sprite.right, across = right, -abs(across)
            if top is not None and sprite.top >= top:
                sprite.top, up = top, -abs(up)
            if bottom is not None and sprite.bottom <= bottom:
                sprite.bottom, up = bottom, abs(up)
            sprite.velocity = across, up
            x, y = sprite.position
            sprite.position = x + across, y + up
        if moving:
            self.follow()

    def step(self, sprites: list[Sprite], **rule: float | None) -> dict[Sprite, list[Any]]:
        """Move players that were checked by their speeds; returns what was in the way of each, floors first.

        `rule` is what makes their bodies walkers.
        """
        players = [self._players[sprite] for sprite in sprites]
        for player in players:
            self._set_out(player, rule)
        self._frame = self.world.step()
        for player in players:
            _arrive(player)
        return {player.sprite: self._in_the_way(player, self._frame) for player in players}

    def _set_out(self, player: _Player, rule: dict[str, float | None]) -> None:
        sprite, body, start = player.sprite, player.body, player.start
        across, up = sprite.velocity
        if rule:
            step_height = rule["step_height"]
            wanted = rule["max_slope"], rule["snap"], abs(across) if step_height is None else step_height
            if wanted != player.rule:
                player.rule = wanted
                body.max_slope, body.snap, body.step_height = wanted  # type: ignore[assignment]
        turn = sprite.change_angle
        angle = start.angle - math.radians(turn) if turn else start.angle
        body.goal = player.goal = im.Pose(start.x + across, start.y + up, angle)
        x, y = player.stands
        player.target = x + across, y + up

    def _in_the_way(self, player: _Player, frame: im.Frame) -> list[BasicSprite]:
        """Return what a player has run into: what it would be in had it gone up or down first, and then across.

        That is what Arcade tells; so of a wall that it slides along all tiles are told, not only the one that stopped
        it first. Where it was so fast that it would be beyond, it is what it has touched.
        """
        body, goal, end = player.body, player.goal, player.start
        start = body.previous
        wish_x, wish_y, turns = goal.x - start.x, goal.y - start.y, goal.angle != start.angle
        # What comes and pushes it, and what it was in when the frame began, is not what it has run into.
        pressing = [
            event
            for event in frame.events
            if event.weak is body
            and event.kind != "sensor"
            and (turns or wish_x * event.normal[0] + wish_y * event.normal[1] < 0.0)
        ]
        if not pressing:
            return []
        upright = [event.mighty for event in pressing if event.side & UPRIGHT]
        sideways = [event.mighty for event in pressing if not event.side & UPRIGHT]
        if upright and wish_x and 0.0 < abs(goal.y - end.y) < player.size[1]:
            # All that it stands on are among those that it has touched: to look for them takes as long as the frame.
            there = im.Pose(start.x, goal.y, end.angle)
            inside = [wall for wall in upright if im.penetrates(body.shape, there, wall.shape, wall.pose)]
            upright = inside or upright
        if sideways and 0.0 < abs(goal.x - end.x) < player.size[0]:
            there = im.Pose(goal.x, end.y, end.angle)
            sideways = self.world.overlapping(body.shape, there, mask=WALL_LAYER) or sideways
        return list({id(wall.data): wall.data for wall in (*upright, *sideways)}.values())  # not all data has a hash

    def below(self, sprite: Sprite, distance: float) -> list[BasicSprite]:
        """Return the walls that a player would be in if it stood this much lower."""
        self.follow()
        placed = placement(sprite)
        mask = WALL_LAYER | ONE_WAY_LAYER
        found = self.world.overlapping(placed.solid, im.Pose(placed.x, placed.y - distance, placed.angle), mask=mask)
        if any(body.layer == ONE_WAY_LAYER for body in found):
            # Nobody jumps off what they are coming up through.
            inside = self.world.overlapping(placed.solid, placed.pose, mask=ONE_WAY_LAYER)
            found = [body for body in found if body not in inside]
        return [body.data for body in found if body.data is not sprite]


def _arrive(player: _Player) -> None:
    """Write where a player has come to; a coordinate that nothing had a hand in is what Arcade makes it, to the bit."""
    sprite, start, goal = player.sprite, player.start, player.goal
    x, y = player.stands
    end = player.start = player.body.pose
    across, up = player.placed.x - x, player.placed.y - y
    if sprite.change_angle:
        sprite.angle += sprite.change_angle
        player.placed = turnable_placement(sprite)
        across, up = player.placed.x - x, player.placed.y - y
    if end.x == goal.x:
        x = player.target[0]
    elif end.x != start.x or sprite.change_angle:
        x = end.x - across
    if end.y == goal.y:
        y = player.target[1]
    elif end.y != start.y or sprite.change_angle:
        y = end.y - up
    if (x, y) != player.stands:
        sprite.position = player.stands = x, y
    player.placed = player.placed._replace(x=x + across, y=y + up)


def _check_way(sprite: Sprite) -> None:
    """Refuse a sprite whose speed takes it nowhere."""
    (x, y), (across, up), turn = sprite.position, sprite.velocity, sprite.change_angle
    if not (are_finite(across, up, turn) and abs(x + across) <= FARTHEST and abs(y + up) <= FARTHEST):
        raise im.ShapeError(f"{name_of(sprite)}: velocity must be finite, got {(across, up)} and change_angle={turn}")


def _velocity(sprite: object) -> tuple[float, float]:
    if not isinstance(sprite, Sprite):
        raise TypeError(f"platforms must be Sprites, got {name_of(sprite)}")
    return sprite.velocity


def _boundaries(sprite: Sprite) -> tuple[float | None, float | None, float | None, float | None]:
    return sprite.boundary_left, sprite.boundary_right, sprite.boundary_bottom, sprite.boundary_top
