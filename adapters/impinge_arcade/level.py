"""The shared base of all engines: players and lists of walls in one world, stepped once a frame.

Gravity, ladders and jumps are in `physics_engines`; sprites of several ranks in `ranks`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, Final

import numpy as np
from arcade import BasicSprite, Sprite
from numpy.typing import NDArray

import impinge as im
from impinge import EventColumn
from impinge_arcade.bodies import FEW_PLAYERS, Bodies, Place
from impinge_arcade.boxes import check_ways, name_of, rows_of
from impinge_arcade.columns import Columns, Readings
from impinge_arcade.events import CONTACTS, SpriteEvent, sprite_events
from impinge_arcade.following import solid_of
from impinge_arcade.groups import PLAYER_LAYER, WALL_LAYER, Groups
from impinge_arcade.hit_lists import walls_below, walls_in_the_way
from impinge_arcade.players import GHOST, Player, PlayerLooks
from impinge_arcade.shapes import FlatError, Placement, looks_of, placement, presence, turnable_placement
from impinge_arcade.walls import STILL, turned
from impinge_arcade.ways_out import way_out

__all__ = ["TURN", "Level"]

WEAK: Final = int(EventColumn.WEAK)
TURN: Final = attrgetter("change_angle")


class Level:
    """Players and the sprite lists that they collide with.

    Parameters
    ----------
    rules, lists, is_strict
        As for `Groups`. A strict level also refuses players in lists of walls; otherwise players do not collide with
        themselves.

    Attributes
    ----------
    world
        The world with all their bodies.
    gravity
        Gravity, downwards. Players that start in walls leave them against it, if there is room; without gravity they
        take the shortest way.
    moved
        The players that the game has moved since the last step, and their former positions.
    """

    def __init__(
        self, rules: dict[str, dict[str, Any]], lists: Mapping[str, list[Any]], *, is_strict: bool = False
    ) -> None:
        self.world = im.World()
        self._groups = Groups(self.world, rules, lists, is_strict=is_strict)
        self._is_strict, self.gravity = is_strict, 0.0
        self._players: dict[Sprite, Player] = {}
        # The players in the order of the last check: the players, their sprites, their bodies. For many players also
        # their columns and the last readings of these.
        self._order: list[Player] = []
        self._sprites: list[Sprite] = []
        self._by_index: dict[int, Player] = {}
        self._bodies = Bodies([])
        # Returns how far a player turns in an update, in clockwise degrees.
        self._turn_of: Callable[[Any], float] = TURN
        self._columns = Columns([], TURN)
        self._readings: Readings = []
        self._are_others = False  # whether players may have changed, although their list looks the same
        self._are_apart = False  # whether all players are known to be in no list
        self._are_some_alone = False  # whether some of many players turn, or were moved by the game
        self.moved: dict[Sprite, tuple[float, float]] = {}
        # Players that may overlap walls at the start of the next step, because the game has put them there.
        self._put: list[Player] = []
        self._frame: im.Frame | None = None

    @property
    def events(self) -> tuple[SpriteEvent, ...]:
        """Return the contacts of the last step."""
        return () if self._frame is None else sprite_events(self._frame, CONTACTS)

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
        body: im.Body | None = self._groups.body(sprite) if player is None else player.body
        if body is None:
            raise ValueError(f"sprite must be one of this engine after its first update, got {name_of(sprite)}")
        return body

    def whole_world(self) -> im.World:
        """Return the world, with one body for each tile from now on."""
        self._groups.split_tiles()
        return self.world

    def below(self, sprite: Sprite, distance: float) -> list[BasicSprite]:
        """Return the walls that a player would overlap if it were this much lower."""
        self.follow()
        placed = presence(sprite, strict=self._is_strict)
        if placed is None:
            return []
        return [wall for wall in walls_below(self.world, self._groups.rosters, placed, distance) if wall is not sprite]

    def follow(self) -> None:
        """Update all walls from their lists."""
        self._groups.follow()

    def check(self, sprites: list[Sprite]) -> None:
        """Refuse invalid players and lists that contain a player, naming the sprite; then update all bodies."""
        are_others = self._are_others or sprites != self._sprites
        if are_others:
            self._check_players(sprites)
            if not self._is_strict:
                self._groups.leave_out(frozenset(sprites))
        self.follow()
        if self._groups.have_joined:
            self._groups.have_joined = self._are_apart = False
        columns = Columns(sprites, self._turn_of) if are_others else self._columns
        readings = columns.read() if len(sprites) > FEW_PLAYERS else []
        if not (readings and columns.is_going_somewhere()):
            check_ways(sprites)
        if self._is_strict and (are_others or not self._are_apart):
            self._check_apart(sprites)
            self._are_apart = not are_others
        if readings:
            # Readings from before the last step are outdated for sprites that turned.
            is_unsure = are_others or columns.is_restless or columns.is_turning
            if readings == self._readings and not is_unsure:
                self._readings = readings
                return
            columns.look()
            columns.ends = None
        if self._readings:
            self._recall()
        changed = self._changed(sprites)
        if changed or are_others:
            self._take_up(sprites, changed, columns, readings, are_others)
        self._readings = readings

    def _changed(self, sprites: list[Sprite]) -> list[tuple[Sprite, Placement, PlayerLooks]]:
        """Return the players that are new, or that the game has changed, with their placements and their looks."""
        changed, players, turn_of = [], self._players, self._turn_of
        for sprite in sprites:
            looks, player = (looks_of(sprite), bool(turn_of(sprite))), players.get(sprite)
            if player is not None:
                player.leap = None
                if looks == player.looks and sprite.position == player.stands:
                    continue
            changed.append((sprite, self._placed(sprite), looks))
        return changed

    def _take_up(
        self,
        sprites: list[Sprite],
        changed: list[tuple[Sprite, Placement, PlayerLooks]],
        columns: Columns,
        readings: Readings,
        are_others: bool,
    ) -> None:
        """Update the bodies of players that have changed, joined or left."""
        here = set(sprites) if are_others else self._players.keys()
        for sprite in [sprite for sprite in self._players if sprite not in here]:
            self.world.remove(self._players.pop(sprite).body)
        for sprite, placed, looks in changed:
            player = self._players.get(sprite)
            if player is None:
                player = self._players[sprite] = self._enter(sprite, placed)
            else:
                self.moved.setdefault(sprite, player.stands)
                if self._sweeps(player, placed):
                    player.leap = placed.x, placed.y, turned(placed.angle, player.body.angle)
                    continue
            if player.follow(placed, looks):
                self._put.append(player)
        self._sprites, self._columns, self._readings, self._are_apart = sprites, columns, readings, True
        self._are_others = False
        self._order = [self._players[sprite] for sprite in sprites]
        self._by_index = {player.index: player for player in self._order}
        self._bodies = Bodies([player.body for player in self._order])
        for place, (player, start) in enumerate(zip(self._order, self._bodies.read(self.world), strict=True)):
            player.place, player.end = place, start
        if readings:
            columns.offsets = rows_of(player.offset for player in self._order)
            self._are_some_alone = columns.is_turning or any(player.leap for player in self._order)

    def _enter(self, sprite: Sprite, placed: Placement) -> Player:
        """Add a player's body."""
        return Player(sprite, self.world.add(placed.solid, placed.pose, layer=PLAYER_LAYER, data=sprite))

    def _placed(self, sprite: Sprite) -> Placement:
        """Return the placement of a player's body; the solid is `GHOST` for a player without area."""
        try:
            return turnable_placement(sprite) if self._turn_of(sprite) else placement(sprite)
        except FlatError:
            if self._is_strict:
                raise
            return Placement(GHOST, *sprite.position, 0.0, 1.0)

    def _sweeps(self, player: Player, placed: Placement) -> bool:
        """Return whether a player that the game has moved sweeps there, as opposed to a teleport."""
        return False

    def _drift(self) -> list[tuple[float, float]]:
        """Return what surfaces under the players add to their displacements; empty if there are none."""
        return []

    def _recall(self) -> None:
        """Copy the positions of the last array step to the players."""
        stands = self._readings[0] if self._readings else []
        for player, place in zip(self._order, stands, strict=False):
            if player.leap is None:  # otherwise its body is not there yet
                player.stands = place

    def _check_players(self, sprites: list[Sprite]) -> None:
        """Refuse players that are no sprites, or twice the same."""
        for sprite in sprites:
            if not isinstance(sprite, Sprite):
                raise TypeError(f"players must be Sprites, got {name_of(sprite)}")
        if len(set(map(id, sprites))) != len(sprites):
            raise ValueError(f"players must all be different, got {', '.join(map(name_of, sprites))}")

    def _check_apart(self, players: list[Sprite]) -> None:
        """Refuse players that are also in a list of walls."""
        self._groups.check_apart(players)

    def move_platforms(self) -> None:
        """Move platforms by their speeds, and turn them round at their boundaries, as Arcade does."""
        if self._groups.move_platforms():
            self.follow()

    def step(self, **rule: float | None) -> dict[Sprite, list[Any]]:
        """Move the players of the last check by their velocities; return the walls in their way, floors first.

        `rule` holds the walking parameters of their bodies.
        """
        put = self._take_put() if self._put or self._groups.are_put else []
        arrays = self._move(rule)
        met: dict[Player, list[list[float]]] = {}
        for row in self._frame.ordered_rows:  # type: ignore[union-attr]
            met.setdefault(self._by_index[int(row[WEAK])], []).append(row)
        if arrays:
            for player in met:
                player.way = self._columns.ways.tuples[player.place]
                player.turns = self._columns.turns[player.place]
                player.start, player.goal, player.end = (tuple(poses[player.place].tolist()) for poses in arrays)
        touched = walls_in_the_way(self.world, sorted(met.items(), key=lambda each: each[0].place))
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
        if self.moved:
            self.moved = {}
        arrays = self._go_together(rule) if self._readings else self._go(rule)
        self._groups.settle()
        return arrays

    def _go(self, rule: dict[str, float | None]) -> tuple[NDArray[np.float64], ...]:
        """Step the world, one player at a time."""
        drift, turn_of, players = self._drift(), self._turn_of, self._order
        for player in players:
            sprite = player.sprite
            player.way, player.turns = getattr(sprite, "velocity", STILL), turn_of(sprite)
            if drift:
                player.way = player.way[0] + drift[player.place][0], player.way[1] + drift[player.place][1]
            player.aim(player.end)
            if rule:
                player.walk(**rule)  # type: ignore[arg-type]
            player.body.aim(*player.goal)
        self._frame = self.world.step()
        for player in players:
            player.end = player.body.coordinates
            player.arrive(self._placed)
        return ()

    def _go_together(self, rule: dict[str, float | None]) -> tuple[NDArray[np.float64], ...]:
        """Step the world, and write positions by arrays: most player objects are not touched."""
        players, rows, columns = self._order, self._bodies.indices, self._columns
        if rule:  # only this engine has gravity
            columns.read_ways()
            for player, way in zip(players, columns.ways.tuples, strict=True):
                player.way = way
                player.walk(**rule)  # type: ignore[arg-type]
        starts = self.world.poses(rows) if columns.ends is None else columns.ends
        drift = self._drift()
        moves = columns.ways.array + drift if drift else columns.ways.array
        goals = columns.goals(starts, moves)
        alone = [each for each in players if each.leap or columns.turns[each.place]] if self._are_some_alone else []
        for player in alone:
            player.way, player.turns = tuple(moves[player.place].tolist()), columns.turns[player.place]
            player.stands = columns.stands.tuples[player.place] if player.leap is None else player.stands
            player.aim(tuple(starts[player.place].tolist()))
            goals[player.place] = player.goal
        self.world.set_goals(rows, goals)
        self._frame = self.world.step()
        columns.ends = ends = self.world.poses(rows)
        columns.write(starts, goals, ends, moves, [player.place for player in alone])
        for player in alone:
            player.end = tuple(ends[player.place].tolist())
            player.arrive(self._placed)
            columns.stands.put(player.place, player.stands)
        return starts, goals, ends

    def _take_put(self) -> list[tuple[Player, Place]]:
        """Return the players that may overlap walls because the game has put one into the other, and their places."""
        if self._groups.are_put:
            put = self._order
            places = self._bodies.read(self.world)
        else:
            put = [player for player in dict.fromkeys(self._put) if self._players.get(player.sprite) is player]
            places = [player.end for player in put]
        self._put, self._groups.are_put = [], False
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
            player.stands = self._columns.stands.tuples[player.place]
        player.shift(place[0] + way[0] - player.end[0], place[1] + way[1] - player.end[1])
        self._columns.ends = None
        if self._readings:
            self._columns.stands.put(player.place, player.stands)
