"""What Arcade's two engines stand on: players among lists of walls, in one world, a frame at a time.

Not here: gravity, ladders and jumps, which are in `physics_engines`; and sprites of many ranks, for which there is
`PushEngine`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import fabs
from operator import attrgetter, itemgetter
from typing import Any, Final, TypeAlias

import numpy as np
from arcade import BasicSprite, Sprite, SpriteCircle, SpriteSequence
from numpy.typing import NDArray

import impinge as im
from impinge import Side
from impinge.shapes.solids import Solid
from impinge_arcade.bodies import FEW, Bodies, pose_rows
from impinge_arcade.boxes import FARTHEST, Readings, check_ways, name_of, reader_of, rows_of
from impinge_arcade.engine import SpriteEvent
from impinge_arcade.following import reshape
from impinge_arcade.shapes import Placement, own_shape, own_shapes, placement, turnable_placement
from impinge_arcade.tiles import TileRoster
from impinge_arcade.walls import STILL, PlatformRoster, SweptRoster, check_moves, moving_of

__all__ = ["RULES", "RULES_FROM_ABOVE", "Level", "sources_of"]

WALL_LAYER: Final = 1
ONE_WAY_LAYER: Final = 2
SENSOR_LAYER: Final = 4
PLAYER_LAYER: Final = 8

_Looks: TypeAlias = tuple[object, ...]

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
# Pixels. Offsets of hit boxes that differ by less are the same, at most places of a map.
ROUNDING: Final = 1e-6
# Updates after which it is looked at again whether players have gone too far, if the game has changed nothing in them.
UPDATES_TO_CHECK: Final = 60
# What follows the lists of some of them: in walls tiles are merged, and the others are moved by the engines.
FOLLOWED_BY: Final[dict[str, type[SweptRoster]]] = {
    "walls": TileRoster,
    "platforms": PlatformRoster,
    "one_way": PlatformRoster,
}
# Where no sprite is: it differs from all places, itself included.
NOWHERE: Final = (math.nan, math.nan)
# What is above or below a player, as bits.
UPRIGHT: Final = int(Side.BOTTOM | Side.TOP)
# Columns of `im.Frame.rows`: the weak body; and time, kind, and which of the mighty ones came first. To make objects of
# the events would take a tenth of an update.
WEAK: Final = 2
IN_ORDER: Final = itemgetter(0, 5, 7)
# The kind in them of an event of a sensor.
SENSED: Final = 1.0
# What is read of all sprites at once.
VELOCITY: Final = attrgetter("velocity")
TURN: Final = attrgetter("change_angle")
TEXTURE: Final = attrgetter("texture")
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


class _Player:
    """A player and its body.

    Attributes
    ----------
    looks
        What the solid follows from, as it was read last.
    stands, start
        Where sprite and body stood when they were last in agreement, the latter with its angle.
    placed
        The body as the sprite had it when they were last found to agree.
    offset
        Where the body is as seen from the sprite.
    way, turns, goal, end
        How far the sprite would like to go in the frame, and by how many degrees it turns, clockwise; where the body
        would like to be at its end, and where it is then.
    rule
        What makes the body a walker.
    place
        Its number among the players.
    """

    __slots__ = (
        "body", "end", "goal", "index", "looks", "offset", "place", "placed", "rule", "size",
        "sprite", "stands", "start", "turns", "way",
    )  # fmt: skip

    def __init__(self, sprite: Sprite, body: im.Body) -> None:
        self.sprite, self.body, self.index = sprite, body, body.index
        self.rule: tuple[float, ...] = ()
        self.stands: tuple[float, float] = NOWHERE
        self.way: tuple[float, float] = STILL
        self.turns, self.place = 0.0, 0
        self.placed: Placement | None = None

    def follow(self, placed: Placement, looks: _Looks) -> None:
        """Let the body be as the sprite is, and where it is."""
        if self.sprite.position != self.stands or not self._is_still(placed):
            reshape(self.body, placed)
            self.body.pose = placed.pose
            self.start = self.goal = self.end = placed.x, placed.y, placed.angle
            left, bottom, right, top = placed.solid.bounds()
            self.size = right - left, top - bottom
        self.agree(placed, looks)

    def _is_still(self, placed: Placement) -> bool:
        """Whether the body is the same as before, and on the same side: that of who turns round is not."""
        former, (x, y) = self.placed, self.stands
        if former is None or placed.solid != former.solid or placed.angle != former.angle:
            return False
        return math.dist(self.offset, (placed.x - x, placed.y - y)) < ROUNDING

    def agree(self, placed: Placement, looks: _Looks) -> None:
        """Note that the body is where the sprite is."""
        x, y = self.stands = self.sprite.position
        self.offset = placed.x - x, placed.y - y
        self.placed, self.looks = placed, looks


class _Pairs:
    """A column of pairs of numbers, as tuples and as an array, of which only what has changed is looked at.

    Most of the time of reading a number is to find it: they lie all over the memory.
    """

    __slots__ = ("array", "tuples")

    def __init__(self) -> None:
        self.tuples: list[Any] = []
        self.array = np.empty((0, 2))

    def take(self, pairs: list[Any]) -> bool:
        """Be these; returns whether they are others. Where one is no pair of numbers, the array is one row of none."""
        try:
            tuples = list(map(tuple, pairs))  # a list may change
            if tuples == self.tuples:
                return False
            if len(tuples) != len(self.array):
                self.array = rows_of(tuples)
            else:
                both = enumerate(zip(tuples, self.tuples, strict=True))
                places = [place for place, (pair, former) in both if pair is not former]
                self.array[places] = rows_of(tuples[place] for place in places)
        except (TypeError, ValueError, OverflowError):
            tuples, self.array = [], np.array([NOWHERE])
        self.tuples = tuples
        return True

    def put(self, place: int, pair: tuple[float, float]) -> None:
        """Change one of them."""
        self.tuples[place] = pair
        self.array[place] = pair


class _Crowd:
    """Many players, read column by column.

    Attributes
    ----------
    stands, ways, turns, is_turning
        Their positions, velocities and `change_angle`, and whether one has any.
    ends
        Where their bodies have come to in the last step, (n, 3); None if these may have been put elsewhere since.
    is_restless
        Whether something may change without being another one: points of a hit box that are a list.
    """

    def __init__(self, sprites: list[Sprite]) -> None:
        self._sprites = sprites
        self._read = reader_of([*sprites])
        self._has_circles = any(isinstance(sprite, SpriteCircle) for sprite in sprites)
        self.stands, self.ways = _Pairs(), _Pairs()
        self.turns: list[float] = []
        self.is_turning = False
        self._updates_to_check = 0
        self.ends: NDArray[np.float64] | None = None
        self.is_restless = False

    def look(self) -> None:
        """Look whose hit box may change by itself; they may have other ones."""
        self.is_restless = any(not isinstance(sprite.hit_box.points, tuple) for sprite in self._sprites)

    def read(self) -> Readings:
        """Read all that places and solids follow from; of speeds only how they turn."""
        sprites = self._sprites
        stands, ways, *looks = self._read(sprites)
        if self.stands.take(stands) | self.ways.take(ways):
            self._updates_to_check = 0
        self.turns = list(map(TURN, sprites))
        self.is_turning = self.turns.count(0) < len(self.turns)
        # Of others the texture is not what they are.
        textures = list(map(TEXTURE, sprites)) if self._has_circles else []
        return [self.stands.tuples, *looks, self.turns, textures, own_shapes(sprites)]

    def is_going_somewhere(self) -> bool:
        """Whether the speeds that were read take all of them somewhere."""
        if self._updates_to_check == 0:
            # Nothing that is not finite is less than this.
            if not np.abs(self.stands.array + self.ways.array).max() <= FARTHEST:
                return False
            self._updates_to_check = UPDATES_TO_CHECK
        self._updates_to_check -= 1
        try:
            return not self.is_turning or sum(map(fabs, self.turns)) <= FARTHEST
        except (TypeError, OverflowError):
            return False


@dataclass(slots=True)
class _Group:
    """Lists that are the same to players.

    Attributes
    ----------
    name, rule
        What they are, and what makes their bodies so.
    lists
        The engine's own list of them: games add to it and take out.
    known, rosters
        What was in it when it was last looked at, and those lists as bodies.
    """

    name: str
    rule: dict[str, Any]
    lists: list[Any]
    known: list[Any] = field(default_factory=list)
    rosters: list[SweptRoster] = field(default_factory=list)


class Level:
    """Players, and the lists that they collide with.

    Attributes
    ----------
    world
        All of them as bodies.
    """

    def __init__(self, rules: dict[str, dict[str, Any]], lists: Mapping[str, list[Any]]) -> None:
        self.world = im.World()
        self._groups = [_Group(name, rules[name], sources) for name, sources in lists.items()]
        self._players: dict[Sprite, _Player] = {}
        # The players in the order in which they were checked last: themselves, their sprites, their bodies; how they
        # are read together, and what was read if they are many.
        self._order: list[_Player] = []
        self._sprites: list[Sprite] = []
        self._bodies = Bodies([])
        self._crowd = _Crowd([])
        self._readings: Readings = []
        self._are_apart = False  # whether no player is known to be in a list
        self._frame: im.Frame | None = None
        self._merges = True  # flush tiles, until somebody asks for the world

    @property
    def events(self) -> tuple[SpriteEvent, ...]:
        """What touched in the last step."""
        return tuple(
            SpriteEvent(event.kind, event.time, event.weak.data, event.mighty.data, event.side, event.speed)
            for event in (() if self._frame is None else self._frame.events)
            if event.kind in ("push", "stuck")
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
        for group in self._groups:
            for roster in group.rosters:
                if sprite in roster.bodies:
                    return roster.body(sprite)
        raise ValueError(f"sprite must be one of this engine after its first update, got {name_of(sprite)}")

    def whole_world(self) -> im.World:
        """Return the world with a body for each tile, from now on."""
        if self._merges:
            self._merges = False
            for group in self._groups:
                for roster in group.rosters:
                    if isinstance(roster, TileRoster):
                        roster.merges = False
            self.world.unfold()
        return self.world

    def follow(self) -> None:
        """Bring all walls up to date with the lists."""
        for group in self._groups:
            if group.lists != group.known:
                self._renew(group, sources_of(group.name, group.lists))
            for roster in group.rosters:
                changes = roster.follow()
                if changes is not None and changes.joined:
                    self._are_apart = False

    def _renew(self, group: _Group, sources: list[Any]) -> None:
        """Take up new lists, and let those go that are gone."""
        group.known = sources
        kept, group.rosters = group.rosters, []
        for source in sources:
            known = next((roster for roster in kept if roster.source is source), None)
            if known is not None:
                kept.remove(known)
            if known is None:
                known = FOLLOWED_BY.get(group.name, SweptRoster)(source, self.world, **group.rule)
                if isinstance(known, TileRoster):
                    known.merges = self._merges
            group.rosters.append(known)
        for roster in kept:
            for body in dict.fromkeys(roster.bodies.values()):  # tiles of a block have one
                self.world.remove(body)

    def check(self, sprites: list[Sprite]) -> None:
        """Refuse players that cannot move, by name, and lists that hold one; brings all up to date with the sprites."""
        are_others = sprites != self._sprites
        if are_others:
            _check_players(sprites)
        self.follow()
        crowd = _Crowd(sprites) if are_others else self._crowd
        readings = crowd.read() if len(sprites) > FEW else []
        if not (readings and crowd.is_going_somewhere()):
            check_ways(sprites)
        if are_others or not self._are_apart:
            self._check_apart(sprites)
            self._are_apart = not are_others
        # Who turns is no more what was read before the last step.
        is_unsure = are_others or crowd.is_restless or crowd.is_turning
        if readings and readings == self._readings and not is_unsure:
            self._readings = readings
            return
        self._recall()
        crowd.look()
        crowd.ends = None
        changed = []
        for sprite in sprites:
            own_looks, player = _looks(sprite), self._players.get(sprite)
            if player is None or own_looks != player.looks or sprite.position != player.stands:
                placed = turnable_placement(sprite) if sprite.change_angle else placement(sprite)
                changed.append((sprite, placed, own_looks))
        if not (changed or are_others):
            self._readings = readings
            return
        for sprite in [sprite for sprite in self._players if sprite not in sprites] if are_others else ():
            self.world.remove(self._players.pop(sprite).body)
        for sprite, placed, own_looks in changed:
            player = self._players.get(sprite)
            if player is None:
                body = self.world.add(placed.solid, placed.pose, layer=PLAYER_LAYER, data=sprite)
                player = self._players[sprite] = _Player(sprite, body)
            player.follow(placed, own_looks)
        self._sprites, self._crowd, self._readings, self._are_apart = sprites, crowd, readings, True
        self._order = [self._players[sprite] for sprite in sprites]
        self._bodies = Bodies([player.body for player in self._order])
        for place, (player, start) in enumerate(zip(self._order, self._bodies.read(self.world), strict=True)):
            player.place, player.start = place, start

    def _recall(self) -> None:
        """Let players know where they stand who went together with others."""
        if self._readings:
            for player, stands in zip(self._order, self._readings[0], strict=True):
                player.stands = stands

    def _check_apart(self, players: list[Sprite]) -> None:
        """Refuse players that are in a list as well."""
        for group in self._groups:
            for roster in group.rosters:
                for sprite in players:
                    if sprite in roster.bodies:
                        raise ValueError(f"{name_of(sprite)} must not be a player and in {group.name} at once")

    def move_platforms(self) -> None:
        """Move platforms by their speed, and turn them round at their boundaries, as Arcade does.

        All are checked before the first one moves.
        """
        moves = [
            (roster, moving)
            for group in self._groups
            for roster in group.rosters
            if isinstance(roster, PlatformRoster) and (moving := moving_of(roster.source))
        ]
        for _, moving in moves:
            check_moves(moving)
        for roster, moving in moves:
            roster.advance(moving)
        if moves:
            self.follow()

    def step(self, **rule: float | None) -> dict[Sprite, list[Any]]:
        """Move the players that were checked last by their speeds; returns what was in the way of some, floors first.

        `rule` is what makes their bodies walkers.
        """
        left = self._go_together(rule) if self._readings else self._go(rule)
        met: dict[float, list[list[float]]] = {}
        for row in sorted(self._frame.rows.tolist(), key=IN_ORDER):  # type: ignore[union-attr]
            met.setdefault(row[WEAK], []).append(row)
        touched = self._in_the_way([(player, met[player.index]) for player in left if player.index in met])
        for group in self._groups:
            for roster in group.rosters:
                roster.going.clear()
        for player in left:
            if player.end != player.start or player.turns:
                _arrive(player)
            if self._readings:
                self._crowd.stands.put(player.place, player.stands)
        return touched

    def _go(self, rule: dict[str, float | None]) -> list[_Player]:
        """Step the world; returns all players."""
        for player in self._order:
            (across, up), turns = player.way, player.turns = player.sprite.velocity, player.sprite.change_angle
            x, y, angle = player.start
            player.goal = x + across, y + up, angle - math.radians(turns) if turns else angle
            if rule:
                _walk(player, **rule)  # type: ignore[arg-type]
        self._bodies.aim(self.world, [player.goal for player in self._order])
        self._frame = self.world.step()
        for player, end in zip(self._order, self._bodies.read(self.world), strict=True):
            player.end = end
        return self._order

    def _go_together(self, rule: dict[str, float | None]) -> list[_Player]:
        """Do the same by arrays, and put those where they would like to be who have got there and met nothing.

        Returns the others. Of many players that is soon done, and hardly anything of them is touched.
        """
        players, sprites, rows, crowd = self._order, self._sprites, self._bodies.indices, self._crowd
        if rule:  # and gravity
            crowd.ways.take(list(map(VELOCITY, sprites)))
            for player, way in zip(players, crowd.ways.tuples, strict=True):
                player.way = way
                _walk(player, **rule)  # type: ignore[arg-type]
        stands, ways, turns = crowd.stands.tuples, crowd.ways.tuples, crowd.turns
        starts = self.world.poses(rows) if crowd.ends is None else crowd.ends
        moves, goals = crowd.ways.array, starts.copy()
        goals[:, :2] += moves
        if crowd.is_turning:
            goals[:, 2] -= np.radians(turns)
        self.world.set_goals(rows, goals)
        self._frame = self.world.step()
        crowd.ends = ends = self.world.poses(rows)
        has_met = np.zeros(int(rows.max()) + 1, np.bool_)
        has_met[self._frame.rows[:, WEAK].astype(np.int64)] = True
        has_arrived = (ends == goals).all(axis=1) & ~has_met[rows]
        if crowd.is_turning:
            has_arrived &= np.array(turns) == 0.0
        places = crowd.stands.array
        places[has_arrived] += moves[has_arrived]
        targets = list(zip(*places.T.tolist(), strict=True))
        for place in np.flatnonzero(has_arrived).tolist():
            sprites[place].position = stands[place] = targets[place]
        others = np.flatnonzero(~has_arrived)
        others_at = (map(tuple, array[others].tolist()) for array in (starts, goals, ends))
        for place, start, goal, end in zip(others.tolist(), *others_at, strict=True):
            player = players[place]
            player.stands, player.way, player.turns = stands[place], ways[place], turns[place]
            player.start, player.goal, player.end = start, goal, end
        return [players[place] for place in others.tolist()]

    def _in_the_way(self, met: list[tuple[_Player, list[list[float]]]]) -> dict[Sprite, list[Any]]:
        """Return what players have run into: what each would be in had it gone up or down first, and then across.

        That is what Arcade tells; so of a wall that one slides along all tiles are told, not only the one that stopped
        it first. Where it was so fast that it would be beyond, it is what it has touched. Some may be told twice.
        """
        touched: dict[Sprite, list[Any]] = {}
        held: list[tuple[_Player, list[Any]]] = []
        for player, events in met:
            upright, beside = self._touched(player, events)
            touched[player.sprite] = upright + beside
            if beside and 0.0 < abs(player.goal[0] - player.end[0]) < player.size[0]:
                held.append((player, upright))
        for (player, upright), across in zip(held, self._across([player for player, _ in held]), strict=True):
            if across:
                touched[player.sprite] = upright + across
        return touched

    def _touched(self, player: _Player, events: list[list[float]]) -> tuple[list[Any], list[Any]]:
        """Return what a player has run into above or below, and what it has touched beside."""
        (goal_x, goal_y, goal_angle), (start_x, start_y, start_angle) = player.goal, player.start
        wish_x, wish_y, turns = goal_x - start_x, goal_y - start_y, goal_angle != start_angle
        above_or_below: list[im.Body] = []
        beside: list[Any] = []
        for _, _, _, mighty, side, kind, _, _, across, up in events:
            # What comes and pushes it, and what it was in when the frame began, is not what it has run into.
            if kind != SENSED and (turns or wish_x * across + wish_y * up < 0.0):
                wall = self.world.body(int(mighty))
                if int(side) & UPRIGHT:
                    above_or_below.append(wall)
                else:
                    beside.append(wall.data)
        # Of one that it stands on there is nothing to be asked.
        if len(above_or_below) > 1 and wish_x and 0.0 < abs(goal_y - player.end[1]) < player.size[1]:
            # All that it stands on are among those that it has touched: to look for them takes as long as the frame.
            shape, there = player.body.shape, im.Pose(start_x, goal_y, player.end[2])
            inside = [
                wall
                for wall in above_or_below
                if im.overlaps(shape, there, wall.shape, wall.pose, include_touching=False)
            ]
            above_or_below = inside or above_or_below
        return [wall.data for wall in above_or_below], beside

    def _across(self, players: list[_Player]) -> list[list[Any]]:
        """Return for each player what it would be in had it come as far across as it would like to."""
        theres = [(player.goal[0], *player.end[1:]) for player in players]
        if len(players) <= FEW:
            return [
                [wall.data for wall in self._walls(player.body.shape, im.Pose(*there), WALL_LAYER)]
                for player, there in zip(players, theres, strict=True)
            ]
        rows, poses = np.array([player.index for player in players]), pose_rows(theres)
        while True:
            pairs = self.world.overlapping_pairs(rows, poses, mask=WALL_LAYER, include_touching=False).tolist()
            walls = [self.world.body(index) for _, index in pairs]
            if not self.world.unfold(walls):
                break
        found: list[list[Any]] = [[] for _ in players]
        for (asker, _), wall in zip(pairs, walls, strict=True):
            found[asker].append(wall.data)
        return found

    def _walls(self, solid: Solid, there: im.Pose, mask: int, ignore: Iterable[im.Body] = ()) -> list[im.Body]:
        """Return the bodies of the walls that a solid would be in."""
        found = self.world.in_box(solid, there, mask=mask, ignore=ignore, include_touching=False)
        if self.world.unfold(found):
            return self.world.in_box(solid, there, mask=mask, ignore=ignore, include_touching=False)
        return found

    def below(self, sprite: Sprite, distance: float) -> list[BasicSprite]:
        """Return the walls that a player would be in if it stood this much lower."""
        self.follow()
        solid, x, y, angle, _ = placement(sprite)
        found = self._over(solid, im.Pose(x, y - distance, angle), WALL_LAYER | ONE_WAY_LAYER)
        if any(body.layer == ONE_WAY_LAYER for body in found):
            # Nobody jumps off what they are coming up through.
            inside = self._over(solid, im.Pose(x, y, angle), ONE_WAY_LAYER)
            found = [body for body in found if body not in inside]
        return [body.data for body in found if body.data is not sprite]

    def _over(self, solid: Solid, there: im.Pose, mask: int) -> list[im.Body]:
        """Return the walls that a solid would be in, as their sprites stand: between two updates some have gone on."""
        rosters = [roster for group in self._groups for roster in group.rosters if roster.going]
        going = [roster.bodies[sprite] for roster in rosters for sprite in roster.going]
        found = self._walls(solid, there, mask, going)
        here = [body for body in going if body.layer & mask]
        inside = [body for body in here if im.overlaps(solid, there, body.shape, body.goal, include_touching=False)]
        return found + inside


def _looks(sprite: Sprite) -> _Looks:
    """Read all that a player's solid and its angle follow from."""
    hit_box = sprite.hit_box
    points: object = hit_box.points
    if not isinstance(points, tuple):
        points = repr(points)  # a list may change
    angle = getattr(hit_box, "angle", 0.0)  # a hit box that cannot turn has none
    return points, hit_box.scale, angle, sprite.texture, own_shape(sprite), bool(sprite.change_angle)


def _check_players(sprites: list[Sprite]) -> None:
    for sprite in sprites:
        if not isinstance(sprite, Sprite):
            raise TypeError(f"players must be Sprites, got {name_of(sprite)}")
    if len(set(map(id, sprites))) != len(sprites):
        raise ValueError(f"players must all be different, got {', '.join(map(name_of, sprites))}")


def _walk(player: _Player, max_slope: float, snap: float, step_height: float | None) -> None:
    """Give the body of a player the rule by which it walks; None for steps as high as it is fast."""
    wanted = max_slope, snap, abs(player.way[0]) if step_height is None else step_height
    if wanted != player.rule:
        body = player.body
        player.rule = body.max_slope, body.snap, body.step_height = wanted


def _arrive(player: _Player) -> None:
    """Write where a player has come to; a coordinate that nothing had a hand in is what Arcade makes it, to the bit."""
    sprite, turn, way = player.sprite, player.turns, player.way
    start_x, start_y, _ = player.start
    goal_x, goal_y, _ = player.goal
    end_x, end_y, _ = player.start = player.end
    if turn:
        sprite.angle += turn
        placed = turnable_placement(sprite)
        player.agree(placed, _looks(sprite))
    x, y = player.stands
    across, up = player.offset
    if end_x == goal_x:
        x += way[0]
    elif end_x != start_x or turn:
        x = end_x - across
    if end_y == goal_y:
        y += way[1]
    elif end_y != start_y or turn:
        y = end_y - up
    if (x, y) != player.stands:
        sprite.position = player.stands = x, y
    if turn and player.offset != (0.0, 0.0):
        # The box has turned round its own middle, and the sprite round its position: it is put there next.
        player.stands = NOWHERE
