"""One player of an engine: its sprite, its body, and how the one follows the other before and after a step.

Many players that are read and written together are in `columns`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, TypeAlias

from arcade import Sprite

import impinge as im
from impinge_arcade.bodies import Place
from impinge_arcade.following import reshape
from impinge_arcade.shapes import Placement, looks_of
from impinge_arcade.walls import STILL

__all__ = ["GHOST", "NOWHERE", "Player", "PlayerLooks"]

# The looks of a player's sprite, and whether it turns.
PlayerLooks: TypeAlias = tuple[tuple[object, ...], bool]

# Pixels. Hit box offsets that differ by less count as equal: at most positions of a map, rounding is smaller.
ROUNDING: Final = 1e-6
# Stands in for a player without area, which collides with nothing.
GHOST: Final = im.Box(1.0, 1.0)
# The position of no sprite: it is unequal to every position, itself included.
NOWHERE: Final = (math.nan, math.nan)


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

    def follow(self, placed: Placement, looks: PlayerLooks) -> bool:
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

    def agree(self, placed: Placement, looks: PlayerLooks) -> None:
        """Note that the body is at the sprite's position."""
        x, y = self.stands = self.sprite.position
        self.offset = placed.x - x, placed.y - y
        self.placed, self.looks = placed, looks

    def aim(self, start: Place) -> None:
        """Find the goal for the displacement and the turn, or for the move that the game has made."""
        x, y, angle = self.start = start
        if self.leap is None:
            (across, up), turn = self.way, self.turns
            if not turn:
                self.goal = x + across, y + up, angle
                return
            turn = -math.radians(turn)
            if self.offset != (0.0, 0.0):
                # The sprite turns around its position, so its box moves as well.
                (aside, above), cosine, sine = self.offset, math.cos(turn), math.sin(turn)
                across += cosine * aside - sine * above - aside
                up += sine * aside + cosine * above - above
            self.goal = x + across, y + up, angle + turn
        else:
            self.goal, self.turns = self.leap, 0.0
            self.way = self.leap[0] - x, self.leap[1] - y

    def walk(self, max_slope: float, snap: float, step_height: float | None) -> None:
        """Set the walking parameters of the body; `step_height` None means its horizontal speed."""
        wanted = max_slope, snap, abs(self.way[0]) if step_height is None else step_height
        if wanted != self.rule:
            body = self.body
            self.rule = body.max_slope, body.snap, body.step_height = wanted

    def arrive(self, placement_of: Callable[[Sprite], Placement]) -> None:
        """Write the end position to the sprite; a coordinate without contact equals Arcade's result exactly."""
        sprite, turn, leap = self.sprite, self.turns, self.leap
        if not turn and leap is None:
            if self.end == self.start:
                return
            if self.end == self.goal:  # no contact has changed its way: most players in most frames
                (x, y), (across, up) = self.stands, self.way
                sprite.position = self.stands = x + across, y + up
                return
        (start_x, start_y, _), (goal_x, goal_y, _), (end_x, end_y, _) = self.start, self.goal, self.end
        (x, y), (across, up) = self.stands, self.way
        target_x, target_y = (x + across, y + up) if leap is None else sprite.position
        if turn:
            sprite.angle += turn
        if turn or leap:
            self.leap = None
            self.agree(placement_of(sprite), (looks_of(sprite), self.looks[1]))
        if end_x == goal_x:
            x = target_x
        elif end_x != start_x or turn:
            x = end_x - self.offset[0]
        if end_y == goal_y:
            y = target_y
        elif end_y != start_y or turn:
            y = end_y - self.offset[1]
        if (x, y) != sprite.position:
            sprite.position = x, y
        self.stands = x, y
