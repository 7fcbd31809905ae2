"""The shared base of both Arcade engines: players and lists of walls in one world, stepped once a frame.

Gravity, ladders and jumps are in `physics_engines`. For sprites of many ranks see `PushEngine`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fabs
from operator import attrgetter, is_not, itemgetter
from typing import Any, Final, TypeAlias

import numpy as np
from arcade import BasicSprite, Sprite, SpriteCircle, SpriteSequence
from numpy.typing import NDArray

import impinge as im
from impinge import EventColumn, Side
from impinge.shapes.solids import Solid
from impinge.world.bodies import EVENT_KINDS
from impinge_arcade.bodies import FEW, FEW_PLAYERS, Bodies, Place, pose_rows
from impinge_arcade.boxes import FARTHEST, Readings, check_ways, name_of, reader_of, rows_of
from impinge_arcade.events import CONTACTS, SpriteEvent, sprite_events
from impinge_arcade.following import reshape, solid_of
from impinge_arcade.shapes import FlatError, Placement, own_shape, own_shapes, placement, presence, turnable_placement
from impinge_arcade.tiles import TileRoster
from impinge_arcade.walls import STILL, PlatformRoster, SweptRoster, check_moves, turned
from impinge_arcade.ways_out import way_out

__all__ = ["RULES", "RULES_FROM_ABOVE", "Group", "Level", "Player", "sources_of"]

WALL_LAYER: Final = 1
ONE_WAY_LAYER: Final = 2
SENSOR_LAYER: Final = 4
PLAYER_LAYER: Final = 8

_Looks: TypeAlias = tuple[object, ...]

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
# Pixels. Hit box offsets that differ by less count as equal: at most positions of a map, rounding is smaller.
ROUNDING: Final = 1e-6
# Number of updates between range checks of the players, while the game changes neither positions nor velocities.
UPDATES_TO_CHECK: Final = 60
# Roster classes of groups: tiles of walls are merged, and the engines move platforms and one-way platforms.
FOLLOWED_BY: Final[dict[str, type[SweptRoster]]] = {
    "walls": TileRoster,
    "platforms": PlatformRoster,
    "one_way": PlatformRoster,
}
# Stands in for a player without area, which collides with nothing.
GHOST: Final = im.Box(1.0, 1.0)
# The position of no sprite: it is unequal to every position, itself included.
NOWHERE: Final = (math.nan, math.nan)
# The sides above and below a player, as bits.
UPRIGHT: Final = int(Side.BOTTOM | Side.TOP)
# The sort key of `im.Frame.rows`. Event objects would take a tenth of an update.
IN_ORDER: Final = itemgetter(EventColumn.TIME, EventColumn.KIND, EventColumn.MIGHTY_ORDER)
WEAK: Final = int(EventColumn.WEAK)
SENSED: Final = EVENT_KINDS.index("sensor")
# Attributes that are read from all sprites at once.
VELOCITY: Final = attrgetter("velocity")
TURN: Final = attrgetter("change_angle")
TEXTURE: Final = attrgetter("texture")
# In a top-down game no side is a floor, and walls carry nothing: they only push.
RULES_FROM_ABOVE: Final[dict[str, dict[str, Any]]] = {
    name: {key: value for key, value in RULES[name].items() if key not in ("carrying", "sticky", "passable")}
    | ({"carrying": Side.NONE} if name != "sensors" else {})
    for name in ("walls", "platforms", "sensors")
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


class Player:
    """A player and its body.

    Attributes
    ----------
    looks
        The values that the solid depends on, as they were last read.
    stands, start
        Position of the sprite, and pose of the body, when they last agreed.
    placed
        Placement of the body when sprite and body last agreed.
    offset
        Position of the body relative to the sprite.
    way, turns, goal, end
        The sprite's displacement and its turn in clockwise degrees in this frame; the pose that the body should reach,
        and the pose that it has reached.
    leap
        The pose to which the game has moved the sprite, and to which the body sweeps; None if it moves by its speed.
    rule
        The walking parameters of the body.
    place
        Its index among the players.
    """

    __slots__ = (
        "body", "end", "goal", "index", "leap", "looks", "mask", "offset", "place", "placed", "rule", "size",
        "sprite", "stands", "start", "turns", "way",
    )  # fmt: skip

    def __init__(self, sprite: Sprite, body: im.Body) -> None:
        self.sprite, self.body, self.index, self.mask = sprite, body, body.index, body.mask
        self.rule: tuple[float, ...] = ()
        self.stands: tuple[float, float] = NOWHERE
        self.way: tuple[float, float] = STILL
        self.turns, self.place = 0.0, 0
        self.placed: Placement | None = None
        self.leap: Place | None = None

    def follow(self, placed: Placement, looks: _Looks) -> bool:
        """Update the body to the solid and position of the sprite; return whether it has changed."""
        has_changed = self.sprite.position != self.stands or not self._is_still(placed)
        if has_changed:
            reshape(self.body, placed)
            if (placed.solid is GHOST) != (self.placed is not None and self.placed.solid is GHOST):
                self.body.mask = 0 if placed.solid is GHOST else self.mask
            self.body.pose = placed.pose
            self.start = self.goal = self.end = placed.x, placed.y, placed.angle
            left, bottom, right, top = placed.solid.bounds()
            self.size = right - left, top - bottom
        self.agree(placed, looks)
        return has_changed

    def shift(self, x: float, y: float) -> None:
        """Move sprite and body together."""
        (at_x, at_y), (end_x, end_y, angle) = self.sprite.position, self.end
        self.sprite.position = self.stands = at_x + x, at_y + y
        self.end = end_x + x, end_y + y, angle
        self.body.pose = im.Pose(*self.end)

    def _is_still(self, placed: Placement) -> bool:
        """Return whether solid, angle and offset are unchanged; a mirrored sprite may change its offset."""
        former, (x, y) = self.placed, self.stands
        if former is None or placed.solid != former.solid or placed.angle != former.angle:
            return False
        if (placed.solid is GHOST) != (former.solid is GHOST):
            return False
        return math.dist(self.offset, (placed.x - x, placed.y - y)) < ROUNDING

    def agree(self, placed: Placement, looks: _Looks) -> None:
        """Note that the body is at the sprite's position."""
        x, y = self.stands = self.sprite.position
        self.offset = placed.x - x, placed.y - y
        self.placed, self.looks = placed, looks


class _Pairs:
    """A column of number pairs, as tuples and as an array; only changed pairs are converted.

    Finding numbers takes most of the time of reading them: they are scattered over the memory.
    """

    __slots__ = ("array", "tuples")

    def __init__(self) -> None:
        self.tuples: list[Any] = []
        self.array = np.empty((0, 2))

    def take(self, pairs: list[Any]) -> bool:
        """Store pairs; return whether they changed. If one is not a pair of numbers, the array is one row of NaN."""
        try:
            tuples = list(map(tuple, pairs))  # the game may change a list in place
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
        """Replace one pair."""
        self.tuples[place] = pair
        self.array[place] = pair


class _Crowd:
    """Many players, read column by column.

    Attributes
    ----------
    stands, ways, turns, is_turning
        Positions, velocities and `change_angle` of the sprites, and whether any of them turns.
    offsets
        Positions of the bodies relative to the sprites, (n, 2).
    ends
        Poses of their bodies after the last step, (n, 3); None if the bodies may have been moved since.
    is_restless
        Whether a hit box may change in place, because its points are a list.
    """

    def __init__(self, sprites: list[Sprite], turn_of: Callable[[Any], float]) -> None:
        self._sprites, self._turn_of = sprites, turn_of
        self._read = reader_of([*sprites])
        self._has_circles = any(isinstance(sprite, SpriteCircle) for sprite in sprites)
        self.stands, self.ways = _Pairs(), _Pairs()
        self.offsets = np.zeros((len(sprites), 2))
        self.turns: list[float] = []
        self.is_turning = False
        self._updates_to_check = 0
        self.ends: NDArray[np.float64] | None = None
        self.is_restless = False

    def look(self) -> None:
        """Check for hit boxes that may change in place; sprites may have got new hit boxes."""
        self.is_restless = any(not isinstance(sprite.hit_box.points, tuple) for sprite in self._sprites)

    def read(self) -> Readings:
        """Read all values that poses and solids depend on; of the speeds, only `change_angle`."""
        sprites = self._sprites
        stands, ways, *looks = self._read(sprites)
        if self.stands.take(stands) | self.ways.take(ways):
            self._updates_to_check = 0
        self.turns = list(map(self._turn_of, sprites))
        self.is_turning = self.turns.count(0) < len(self.turns)
        # The texture only matters for the solid of a `SpriteCircle`.
        textures = list(map(TEXTURE, sprites)) if self._has_circles else []
        return [self.stands.tuples, *looks, self.turns, textures, own_shapes(sprites)]

    def is_going_somewhere(self) -> bool:
        """Return whether positions and speeds are finite and keep all players in range."""
        if self._updates_to_check == 0:
            # NaN and infinity fail this comparison too.
            if not np.abs(self.stands.array + self.ways.array).max() <= FARTHEST:
                return False
            self._updates_to_check = UPDATES_TO_CHECK
        self._updates_to_check -= 1
        try:
            return not self.is_turning or sum(map(fabs, self.turns)) <= FARTHEST
        except (TypeError, OverflowError):
            return False


@dataclass(slots=True)
class Group:
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


class Level:
    """Players and the sprite lists that they collide with.

    Attributes
    ----------
    world
        The world with all their bodies.
    gravity
        Gravity, downwards. Players that start in walls leave them against it, if there is room; without gravity they
        take the shortest way.
    is_strict
        Whether sprites without area or at NaN, and players in lists of walls, are refused. By default they collide with
        nothing, and players do not collide with themselves.
    """

    def __init__(self, rules: dict[str, dict[str, Any]], lists: Mapping[str, list[Any]]) -> None:
        self.world = im.World()
        self._groups = [Group(name, rules[name], sources) for name, sources in lists.items()]
        self._players: dict[Sprite, Player] = {}
        # The players in the order of the last check: the players, their sprites, their bodies. For many players also
        # their column reader and its last readings.
        self._order: list[Player] = []
        self._sprites: list[Sprite] = []
        self._by_index: dict[int, Player] = {}
        self._bodies = Bodies([])
        # Returns how far a player turns in an update, in clockwise degrees.
        self._turn_of: Callable[[Any], float] = TURN
        self._crowd = _Crowd([], TURN)
        self._readings: Readings = []
        self._are_others = False  # whether players may have changed, although their list looks the same
        self._are_apart = False  # whether all players are known to be in no list
        self._are_some_alone = False  # whether some of many players turn, or were moved by the game
        self.gravity, self.is_strict = 0.0, False
        self._left_out: frozenset[BasicSprite] = frozenset()  # from all lists
        # Players that may overlap walls at the start of the next step, because the game has put the players or the
        # walls there.
        self._put: list[Player] = []
        self._are_walls_put = True
        self._frame: im.Frame | None = None
        self._merges = True  # flush tiles, until the world is requested

    @property
    def events(self) -> tuple[SpriteEvent, ...]:
        """Return the contacts of the last step."""
        return () if self._frame is None else sprite_events(self._frame, self.world, CONTACTS)

    @property
    def sensed(self) -> list[tuple[Sprite, BasicSprite]]:
        """Return the pairs of player and sensor that met in the last step."""
        return [] if self._frame is None else [(event.weak.data, event.mighty.data) for event in self._frame.sensed]

    def body(self, sprite: BasicSprite) -> im.Body:
        """Return the body of a player or a wall."""
        if not isinstance(sprite, BasicSprite):  # objects drawn in a map are in no list and not hashable
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
        """Return the world, with one body for each tile from now on."""
        if self._merges:
            self._merges = False
            for group in self._groups:
                for roster in group.rosters:
                    if isinstance(roster, TileRoster):
                        roster.merges = False
            self.world.expand()
        return self.world

    def follow(self) -> None:
        """Update all walls from their lists."""
        for group in self._groups:
            # Equal lists of Python are not the same.
            if group.lists != group.known or (group.has_plain and any(map(is_not, group.lists, group.known))):
                self._renew(group, _lists(group.name, group.lists))
            for roster in group.rosters:
                changes = roster.follow()
                if changes is not None and changes.joined:
                    self._are_apart = False
                if roster.has_placed:
                    roster.has_placed, self._are_walls_put = False, True

    def _renew(self, group: Group, sources: list[Any]) -> None:
        """Make rosters for new lists, and remove the bodies of lists that are gone."""
        group.known, group.has_plain = sources, any(isinstance(source, list | tuple) for source in sources)
        kept, group.rosters = group.rosters, []
        for source in sources:
            known = next((roster for roster in kept if roster.source is source), None)
            if known is not None:
                kept.remove(known)
            if known is None:
                known = FOLLOWED_BY.get(group.name, SweptRoster)(source, self.world, **group.rule)
                known.is_strict, known.left_out = self.is_strict, self._left_out
                if isinstance(known, TileRoster):
                    known.merges = self._merges
            group.rosters.append(known)
        for roster in kept:
            for body in dict.fromkeys(roster.bodies.values()):  # tiles of a block share one body
                self.world.remove(body)

    def check(self, sprites: list[Sprite]) -> None:
        """Refuse invalid players and lists that contain a player, naming the sprite; then update all bodies."""
        are_others = self._are_others or sprites != self._sprites
        if are_others:
            self._check_players(sprites)
            if not self.is_strict:
                self._leave_out(frozenset(sprites))
        self.follow()
        crowd = _Crowd(sprites, self._turn_of) if are_others else self._crowd
        readings = crowd.read() if len(sprites) > FEW_PLAYERS else []
        if not (readings and crowd.is_going_somewhere()):
            check_ways([sprite for sprite in sprites if isinstance(sprite, Sprite)])
        if self.is_strict and (are_others or not self._are_apart):
            self._check_apart(sprites)
            self._are_apart = not are_others
        # Readings from before the last step are outdated for sprites that turned.
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
            if player is not None:
                player.leap = None
            if player is None or own_looks != player.looks or sprite.position != player.stands:
                changed.append((sprite, self._placed(sprite), own_looks))
        if not (changed or are_others):
            self._readings = readings
            return
        here = set(sprites) if are_others else self._players.keys()
        for sprite in [sprite for sprite in self._players if sprite not in here]:
            self.world.remove(self._players.pop(sprite).body)
        for sprite, placed, own_looks in changed:
            player = self._players.get(sprite)
            if player is None:
                player = self._players[sprite] = self._enter(sprite, placed)
            elif self._sweeps(player, placed):
                player.leap = placed.x, placed.y, turned(placed.angle, player.body.angle)
                continue
            if player.follow(placed, own_looks):
                self._put.append(player)
        self._sprites, self._crowd, self._readings, self._are_apart = sprites, crowd, readings, True
        self._are_others = False
        self._order = [self._players[sprite] for sprite in sprites]
        self._by_index = {player.index: player for player in self._order}
        self._bodies = Bodies([player.body for player in self._order])
        for place, (player, start) in enumerate(zip(self._order, self._bodies.read(self.world), strict=True)):
            player.place, player.end = place, start
        if readings:
            crowd.offsets = rows_of(player.offset for player in self._order)
            self._are_some_alone = crowd.is_turning or any(player.leap for player in self._order)

    def _enter(self, sprite: Sprite, placed: Placement) -> Player:
        """Add a player's body."""
        return Player(sprite, self.world.add(placed.solid, placed.pose, layer=PLAYER_LAYER, data=sprite))

    def _placed(self, sprite: Sprite) -> Placement:
        """Return the placement of a player's body; the solid is `GHOST` for a player without area."""
        try:
            return turnable_placement(sprite) if self._turn_of(sprite) else placement(sprite)
        except FlatError:
            if self.is_strict:
                raise
            return Placement(GHOST, *sprite.position, 0.0, 1.0)

    def _sweeps(self, player: Player, placed: Placement) -> bool:
        """Return whether a player that the game has moved sweeps there, as opposed to a teleport."""
        return False

    def _drift(self) -> list[tuple[float, float]]:
        """Return what surfaces under the players add to their displacements; empty if there are none."""
        return []

    def _leave_out(self, players: frozenset[BasicSprite]) -> None:
        """Take players out of the lists: they do not collide with themselves, nor with each other."""
        self._left_out = players
        for group in self._groups:
            for roster in group.rosters:
                roster.leave_out(players)

    def _recall(self) -> None:
        """Copy the positions of the last array step to the players."""
        if self._readings:
            for player, stands in zip(self._order, self._readings[0], strict=True):
                if player.leap is None:  # otherwise its body is not there yet
                    player.stands = stands

    def _check_players(self, sprites: list[Sprite]) -> None:
        """Refuse players that are no sprites, or twice the same."""
        for sprite in sprites:
            if not isinstance(sprite, Sprite):
                raise TypeError(f"players must be Sprites, got {name_of(sprite)}")
        if len(set(map(id, sprites))) != len(sprites):
            raise ValueError(f"players must all be different, got {', '.join(map(name_of, sprites))}")

    def _check_apart(self, players: list[Sprite]) -> None:
        """Refuse players that are also in a list of walls."""
        for group in self._groups:
            for roster in group.rosters:
                for sprite in players:
                    if sprite in roster.bodies:
                        raise ValueError(f"{name_of(sprite)} must not be a player and in {group.name} at once")

    def move_platforms(self) -> None:
        """Move platforms by their speeds, and turn them round at their boundaries, as Arcade does.

        All platforms are checked before the first one moves.
        """
        moves = [
            (roster, moving)
            for group in self._groups
            for roster in group.rosters
            if isinstance(roster, PlatformRoster) and (moving := roster.moving())
        ]
        for roster, moving in moves:
            check_moves([sprite for sprite in moving if sprite not in roster.absent] if roster.absent else moving)
        for roster, moving in moves:
            roster.advance(moving)
        if moves:
            self.follow()

    def step(self, **rule: float | None) -> dict[Sprite, list[Any]]:
        """Move the players of the last check by their velocities; return the walls in their way, floors first.

        `rule` holds the walking parameters of their bodies.
        """
        put = self._take_put() if self._put or self._are_walls_put else []
        arrays = self._move(rule)
        met: dict[Player, list[list[float]]] = {}
        for row in sorted(self._frame.rows.tolist(), key=IN_ORDER):  # type: ignore[union-attr]
            met.setdefault(self._by_index[int(row[WEAK])], []).append(row)
        if arrays:
            for player in met:
                player.way = self._crowd.ways.tuples[player.place]
                player.turns = self._crowd.turns[player.place]
                player.start, player.goal, player.end = (tuple(poses[player.place].tolist()) for poses in arrays)
        touched = self._in_the_way(sorted(met.items(), key=lambda each: each[0].place))
        for player, place in put:
            if player.body.overlapped:
                self._leave_walls(player, place)
        return touched

    def _move(self, rule: dict[str, float | None]) -> tuple[NDArray[np.float64], ...]:
        """Step the world, and write the new positions to the sprites.

        Returns
        -------
        tuple of arrays
            For many players the poses of their bodies at the start, their goals, and the poses at the end, (n, 3) each.
        """
        arrays = self._go_together(rule) if self._readings else self._go(rule)
        for group in self._groups:
            for roster in group.rosters:
                roster.settle()
        return arrays

    def _go(self, rule: dict[str, float | None]) -> tuple[NDArray[np.float64], ...]:
        """Step the world, one player at a time."""
        drift = self._drift()
        for place, player in enumerate(self._order):
            player.way, player.turns = getattr(player.sprite, "velocity", STILL), self._turn_of(player.sprite)
            if drift:
                player.way = player.way[0] + drift[place][0], player.way[1] + drift[place][1]
            self._aim(player, player.end)
            if rule:
                _walk(player, **rule)  # type: ignore[arg-type]
        self._bodies.aim(self.world, [player.goal for player in self._order])
        self._frame = self.world.step()
        for player, end in zip(self._order, self._bodies.read(self.world), strict=True):
            player.end = end
            self._arrive(player)
        return ()

    @staticmethod
    def _aim(player: Player, start: Place) -> None:
        """Set the goal of a player for its displacement and its turn, or for the move that the game has made."""
        x, y, angle = player.start = start
        if player.leap is None:
            (across, up), turn = player.way, -math.radians(player.turns)
            if turn and player.offset != (0.0, 0.0):
                # The sprite turns around its position, so its box moves as well.
                (aside, above), cosine, sine = player.offset, math.cos(turn), math.sin(turn)
                across += cosine * aside - sine * above - aside
                up += sine * aside + cosine * above - above
            player.goal = x + across, y + up, angle + turn if turn else angle
        else:
            player.goal, player.turns = player.leap, 0.0
            player.way = player.leap[0] - x, player.leap[1] - y

    def _go_together(self, rule: dict[str, float | None]) -> tuple[NDArray[np.float64], ...]:
        """Step the world, and write positions by arrays: most player objects are not touched."""
        players, sprites, rows, crowd = self._order, self._sprites, self._bodies.indices, self._crowd
        if rule:  # only this engine has gravity
            crowd.ways.take(list(map(VELOCITY, sprites)))
            for player, way in zip(players, crowd.ways.tuples, strict=True):
                player.way = way
                _walk(player, **rule)  # type: ignore[arg-type]
        starts = self.world.poses(rows) if crowd.ends is None else crowd.ends
        drift = self._drift()
        moves, goals = crowd.ways.array + drift if drift else crowd.ways.array, starts.copy()
        goals[:, :2] += moves
        if crowd.is_turning:
            goals[:, 2] -= np.radians(crowd.turns)
        alone = [each for each in players if each.leap or crowd.turns[each.place]] if self._are_some_alone else []
        for player in alone:
            player.way, player.turns = tuple(moves[player.place].tolist()), crowd.turns[player.place]
            player.stands = crowd.stands.tuples[player.place] if player.leap is None else player.stands
            self._aim(player, tuple(starts[player.place].tolist()))
            goals[player.place] = player.goal
        self.world.set_goals(rows, goals)
        self._frame = self.world.step()
        crowd.ends = ends = self.world.poses(rows)
        self._write(starts[:, :2], goals[:, :2], ends[:, :2], moves, [player.place for player in alone])
        for player in alone:
            player.end = tuple(ends[player.place].tolist())
            self._arrive(player)
            crowd.stands.put(player.place, player.stands)
        return starts, goals, ends

    def _write(
        self,
        starts: NDArray[np.float64],
        goals: NDArray[np.float64],
        ends: NDArray[np.float64],
        moves: NDArray[np.float64],
        left: list[int],
    ) -> None:
        """Write the positions of players to their sprites, except those of the places `left`: `_arrive`, by arrays."""
        stands, sprites = self._crowd.stands, self._sprites
        places = stands.array
        put = np.where(ends != starts, ends - self._crowd.offsets, places)
        put = np.where(ends == goals, places + moves, put)
        is_changed = (put != places).any(axis=1)
        is_changed[left] = False
        changed = np.flatnonzero(is_changed)
        places[changed] = put[changed]
        for place, position in zip(changed.tolist(), map(tuple, put[changed].tolist()), strict=True):
            sprites[place].position = stands.tuples[place] = position

    def _arrive(self, player: Player) -> None:
        """Write a player's end position to its sprite; a coordinate without contact equals Arcade's result exactly."""
        sprite, turn, leap = player.sprite, player.turns, player.leap
        (start_x, start_y, _), (goal_x, goal_y, _), (end_x, end_y, _) = player.start, player.goal, player.end
        if player.end == player.start and not turn and leap is None:
            return
        (x, y), (across, up) = player.stands, player.way
        target_x, target_y = (x + across, y + up) if leap is None else sprite.position
        if turn:
            sprite.angle += turn
        if turn or leap:
            player.leap = None
            player.agree(self._placed(sprite), _looks(sprite))
        if end_x == goal_x:
            x = target_x
        elif end_x != start_x or turn:
            x = end_x - player.offset[0]
        if end_y == goal_y:
            y = target_y
        elif end_y != start_y or turn:
            y = end_y - player.offset[1]
        if (x, y) != sprite.position:
            sprite.position = x, y
        player.stands = x, y

    def _take_put(self) -> list[tuple[Player, Place]]:
        """Return the players that may overlap walls because the game has put one into the other, and their places."""
        if self._are_walls_put:
            put = self._order
            places = self._bodies.read(self.world)
        else:
            put = [player for player in dict.fromkeys(self._put) if self._players.get(player.sprite) is player]
            places = [player.end for player in put]
        self._put, self._are_walls_put = [], False
        return list(zip(put, places, strict=True))

    def _leave_walls(self, player: Player, place: Place) -> None:
        """Move a player that was put into walls out of them, if the step has not done so in a way that it may take.

        A player that a wall has pushed into another one stays: it is stuck until there is room.
        """
        way = way_out(self.world, solid_of(player.body), place, WALL_LAYER, self.gravity)
        if way == STILL:
            return
        if self._readings:  # arrays hold where it is
            pose = player.body.pose
            player.end = pose.x, pose.y, pose.angle
            player.stands = self._crowd.stands.tuples[player.place]
        player.shift(place[0] + way[0] - player.end[0], place[1] + way[1] - player.end[1])
        self._crowd.ends = None
        if self._readings:
            self._crowd.stands.put(player.place, player.stands)

    def _in_the_way(self, met: list[tuple[Player, list[list[float]]]]) -> dict[Sprite, list[Any]]:
        """Return the walls that players would overlap after moving vertically first, and then horizontally.

        Arcade's engines return these walls. For a player that slides along a wall they are all tiles of the wall, not
        only the tile of the first contact. If the player's goal is beyond the wall, they are the walls of its contacts.
        A wall may be listed twice.
        """
        touched: dict[Sprite, list[Any]] = {}
        held: list[tuple[Player, list[Any]]] = []
        for player, events in met:
            upright, beside = self._touched(player, events)
            touched[player.sprite] = upright + beside
            if beside and 0.0 < abs(player.goal[0] - player.end[0]) < player.size[0]:
                held.append((player, upright))
        for (player, upright), across in zip(held, self._across([player for player, _ in held]), strict=True):
            if across:
                touched[player.sprite] = upright + across
        return touched

    def _touched(self, player: Player, events: list[list[float]]) -> tuple[list[Any], list[Any]]:
        """Return the walls above or below that a player ran into, and the walls at its sides that it touched."""
        (goal_x, goal_y, goal_angle), (start_x, start_y, start_angle) = player.goal, player.start
        wish_x, wish_y, turns = goal_x - start_x, goal_y - start_y, goal_angle != start_angle
        above_or_below: list[im.Body] = []
        beside: list[Any] = []
        for _, _, _, mighty, side, kind, _, _, across, up in events:
            # Walls that push the player, or contained it at the frame's start, are not walls that it ran into.
            if kind != SENSED and (turns or wish_x * across + wish_y * up < 0.0):
                wall = self.world.body(int(mighty))
                if int(side) & UPRIGHT:
                    above_or_below.append(wall)
                else:
                    beside.append(wall.data)
        # A single floor needs no overlap query.
        if len(above_or_below) > 1 and wish_x and 0.0 < abs(goal_y - player.end[1]) < player.size[1]:
            # All floors are among these contacts: a broadphase query would take as long as the frame.
            shape, there = player.body.shape, im.Pose(start_x, goal_y, player.end[2])
            inside = [
                wall
                for wall in above_or_below
                if im.overlaps(shape, there, wall.shape, wall.pose, include_touching=False)
            ]
            above_or_below = inside or above_or_below
        return [wall.data for wall in above_or_below], beside

    def _across(self, players: list[Player]) -> list[list[Any]]:
        """Return for each player the walls that it would overlap if it had reached its goal horizontally."""
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
            if not self.world.expand(walls):
                break
        found: list[list[Any]] = [[] for _ in players]
        for (asker, _), wall in zip(pairs, walls, strict=True):
            found[asker].append(wall.data)
        return found

    def _walls(self, solid: Solid, there: im.Pose, mask: int, ignore: Iterable[im.Body] = ()) -> list[im.Body]:
        """Return the bodies of the walls that a solid would overlap."""
        found = self.world.in_box(solid, there, mask=mask, ignore=ignore, include_touching=False)
        if self.world.expand(found):
            return self.world.in_box(solid, there, mask=mask, ignore=ignore, include_touching=False)
        return found

    def below(self, sprite: Sprite, distance: float) -> list[BasicSprite]:
        """Return the walls that a player would overlap if it were this much lower."""
        self.follow()
        placed = presence(sprite, strict=self.is_strict)
        if placed is None:
            return []
        solid, x, y, angle, _ = placed
        found = self._over(solid, im.Pose(x, y - distance, angle), WALL_LAYER | ONE_WAY_LAYER)
        if any(body.layer == ONE_WAY_LAYER for body in found):
            # A player cannot jump off a one-way platform that it is coming up through.
            inside = self._over(solid, im.Pose(x, y, angle), ONE_WAY_LAYER)
            found = [body for body in found if body not in inside]
        return [body.data for body in found if body.data is not sprite]

    def _over(self, solid: Solid, there: im.Pose, mask: int) -> list[im.Body]:
        """Return the walls that a solid would overlap, at the positions of their sprites.

        The game may have moved some sprites since the last update; their bodies follow in the next one.
        """
        rosters = [roster for group in self._groups for roster in group.rosters if roster.going]
        going = [roster.bodies[sprite] for roster in rosters for sprite in roster.going]
        found = self._walls(solid, there, mask, going)
        here = [body for body in going if body.layer & mask]
        inside = [body for body in here if im.overlaps(solid, there, body.shape, body.goal, include_touching=False)]
        return found + inside


def _looks(sprite: Sprite) -> _Looks:
    """Read all values that a player's solid and its angle depend on."""
    hit_box = sprite.hit_box
    points: object = hit_box.points
    if not isinstance(points, tuple):
        points = repr(points)  # the game may change a list in place
    angle = getattr(hit_box, "angle", 0.0)  # a hit box that cannot turn has no angle
    is_turning = bool(getattr(sprite, "change_angle", 0.0))
    return points, hit_box.scale, angle, sprite.texture, own_shape(sprite), is_turning


def _walk(player: Player, max_slope: float, snap: float, step_height: float | None) -> None:
    """Set the walking parameters of a player's body; `step_height` None means its horizontal speed."""
    wanted = max_slope, snap, abs(player.way[0]) if step_height is None else step_height
    if wanted != player.rule:
        body = player.body
        player.rule = body.max_slope, body.snap, body.step_height = wanted
