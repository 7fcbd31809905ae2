"""The script that plays `shards`. It reacts to the state of the game, so it works with every seed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from impinge import Circle, Motion, Pose, sweep
from impinge_demos.controls import Controls
from impinge_demos.shards_rocks import Vector, placed

if TYPE_CHECKING:
    from impinge_demos.shards import Game, Thing

__all__ = ["Bot"]

TURN = 0.065  # radians that the ship turns in a frame
BULLET = 240.0  # pixels a frame
FAST, SLOW, RUSH = 4.0, 1.2, 4.0  # pixels a frame: on free paths, into a hollow, and at a stone
STOP = 15.0  # frames that it takes to brake
WITHIN = 0.2  # radians off course within which the ship thrusts
CLOSE = 12.0  # pixels from a place that count as there
LOOK = 20  # frames between two choices of a target
SOON = 12  # frames before a rock hits, when the shield goes up
PATIENCE = 420  # frames of a wave to try to get into a hollow
FEW = 2  # at most this many other stones when it enters a hollow
HOLLOW = 0.6  # largest part of its hull that a rock with a large hollow fills
BIG = 7000.0  # square pixels: the hull of a rock whose hollow has room for the ship
SHIP = Circle(22)  # contains the ship at any angle
WAY_POINTS = [(x, y) for x in (200.0, 504.0, 808.0) for y in (110.0, 490.0)]


class Bot:
    """Controls that play `shards`. In its first life it attacks without the shield; later it plays carefully."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.target: Thing | None = None  # what it shoots at
        self.prize: Thing | None = None  # the stone whose hollow it flies into
        self.wave = 0, 0  # the life and wave that its patience counts for
        self.patience = PATIENCE

    def __call__(self) -> Controls:
        """Return the controls for the next frame."""
        game, ship = self.game, self.game.ship
        if ship is None or game.aim is None:
            return Controls()
        if self.target not in game.rocks or game.frame % LOOK == 0:
            self.target = self.choose(ship)
        if game.life == 1:
            return replace(self.rush(ship), first=game.frame // 24 % 4 == 0)
        flight = self.dare(ship)
        aimed = game.aim.thing
        fire = (aimed.breaks and aimed is not self.prize) or (self.target is None and aimed is not game.room)
        return replace(flight, first=fire, second=self.is_threatened(ship))

    def rush(self, ship: Thing) -> Controls:
        """Fly at the next stone."""
        if self.target is None:
            return self.fly_to(ship, mouth(self.game.harbour, 150), FAST)
        return self.fly_to(ship, place(self.target), RUSH)

    def dare(self, ship: Thing) -> Controls:
        """Stay and shoot. When few stones are left, first fly into the hollow of one."""
        game = self.game
        if self.wave != (game.life, game.wave):
            self.wave, self.patience = (game.life, game.wave), PATIENCE
        prize = next((rock for rock in game.rocks if is_hollow(rock)), None) if self.patience > 0 else None
        self.prize = prize
        stones = [rock for rock in game.rocks if rock.breaks and rock is not prize]
        if prize is not None and len(stones) <= FEW:
            self.patience -= 1
            if game.hollow is game.harbour:
                return self.fly_to(ship, mouth(game.harbour, 150), FAST)
            return self.enter(ship, prize)
        if self.target is not None:
            return self.face(ship, self.target)
        if game.hollow is game.harbour:
            return self.fly_to(ship, mouth(game.harbour, 150), FAST)
        hidden = [place(stone) for stone in stones]
        return self.fly_round(ship, min(hidden, key=lambda stone: math.dist(stone, place(ship)), default=WAY_POINTS[0]))

    def enter(self, ship: Thing, rock: Thing) -> Controls:
        """Fly into the hollow of a rock, through its mouth."""
        before = mouth(rock, 75)
        if math.dist(before, place(ship)) < 40 or rock.dared:
            return self.fly_to(ship, mouth(rock, 15, STOP), SLOW)
        return self.fly_round(ship, mouth(rock, 75, math.dist(before, place(ship)) / FAST))

    def fly_round(self, ship: Thing, goal: Vector) -> Controls:
        """Fly to a place; if a rock is in between, fly to a way point first."""
        free = [point for point in (goal, *WAY_POINTS) if self.is_free(place(ship), point)]
        return self.fly_to(
            ship,
            min(free, key=lambda point: math.dist(place(ship), point) + 2 * math.dist(point, goal), default=goal),
            FAST,
        )

    def fly_to(self, ship: Thing, goal: Vector, fast: float) -> Controls:
        """Fly to a place at a limited speed, in pixels a frame."""
        (vx, vy), way = ship.body.velocity, math.dist(goal, place(ship))
        # A sideways velocity continues while the ship brakes.
        off = self.turn_to(ship, (goal[0] - STOP * vx, goal[1] - STOP * vy))
        if math.hypot(vx, vy) > min(fast, way / STOP) or way < CLOSE:
            return Controls(steer(off), -1.0)
        return Controls(steer(off), float(abs(off) < WITHIN))

    def face(self, ship: Thing, rock: Thing) -> Controls:
        """Turn to where a rock will be when a bullet gets there."""
        flight = rock.ahead(1 + math.dist(place(rock), place(ship)) / BULLET)
        return Controls(steer(self.turn_to(ship, (flight.end.x, flight.end.y))), -1.0)

    def choose(self, ship: Thing) -> Thing | None:
        """Choose the stone that needs the least turning and flying, among those that no steel hides."""
        seen = [
            rock
            for rock in self.game.rocks
            if rock.breaks and rock is not self.prize and not self.is_hidden(ship, rock)
        ]
        return min(seen, key=lambda rock: self.effort(ship, rock), default=None)

    def effort(self, ship: Thing, rock: Thing) -> float:
        """Return about how many frames it takes to hit a rock."""
        return abs(self.turn_to(ship, place(rock))) / TURN + math.dist(place(rock), place(ship)) / 20

    def is_hidden(self, ship: Thing, rock: Thing) -> bool:
        """Return whether steel is between the ship and a rock."""
        steel = [(other.body.shape, other.body.pose) for other in self.game.rocks if not other.breaks]
        return bool(sweep(Circle(3), Motion(Pose(*place(ship)), Pose(*place(rock))), steel))

    def is_free(self, start: Vector, end: Vector) -> bool:
        """Return whether the ship can fly straight between two places at the rocks' current poses."""
        rocks = [(rock.body.shape, rock.body.pose) for rock in self.game.rocks if rock is not self.prize]
        return not sweep(SHIP, Motion(Pose(*start), Pose(*end)), rocks)

    def is_threatened(self, ship: Thing) -> bool:
        """Return whether a rock is about to hit the ship."""
        rocks = [(rock.body.shape, rock.ahead(SOON)) for rock in self.game.rocks]
        return bool(sweep(ship.body.shape, ship.ahead(SOON), rocks))

    def turn_to(self, ship: Thing, goal: Vector) -> float:
        """Return the angle in radians from the ship's heading to a place, positive to the left."""
        pose = ship.body.pose
        return math.remainder(math.atan2(goal[1] - pose.y, goal[0] - pose.x) - pose.angle, math.tau)


def steer(off: float) -> float:
    """Return the steering for an angle in radians: positive to the right."""
    return max(-1.0, min(1.0, -off / TURN))


def place(thing: Thing) -> Vector:
    """Return the position of a thing."""
    return thing.body.pose.x, thing.body.pose.y


def is_hollow(rock: Thing) -> bool:
    """Return whether a rock is a stone with a large hollow that can still earn points."""
    area = rock.hull.area
    return rock.breaks and not rock.is_settled and area > BIG and rock.body.shape.area < HOLLOW * area


def mouth(rock: Thing, reach: float, frames: float = 0.0) -> Vector:
    """Return the point before the hollow of a rock, `reach` beyond its hull's centroid, after some frames."""
    x, y = rock.hull.centroid
    share = 1.0 + reach / math.hypot(x, y)
    return placed([(share * x, share * y)], rock.ahead(frames).end)[0]
