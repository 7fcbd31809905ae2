"""The script by which `shards` plays itself. It reacts to what it sees, so every seed gets a full game."""

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
FAST, SLOW, RUSH = 4.0, 1.2, 4.0  # pixels a frame: along a way, into a hollow, and at a stone
STOP = 15.0  # frames that it takes to brake
WITHIN = 0.2  # radians off a course at which to thrust
CLOSE = 12.0  # pixels from a place that are near enough
LOOK = 20  # frames from one look around for a target to the next
SOON = 12  # frames before a rock strikes, in which the shield goes up
PATIENCE = 420  # frames of a wave to get into a hollow in
FEW = 2  # stones beside that one, at the most
HOLLOW = 0.6  # part of its hull that a rock with a large hollow fills at the most
BIG = 7000.0  # square pixels: the hull of a rock in whose hollow there is room for the ship
SHIP = Circle(22)  # what holds it, however it is turned
WAY_POINTS = [(x, y) for x in (200.0, 504.0, 808.0) for y in (110.0, 490.0)]


class Bot:
    """Controls that play `shards`. In its first life it is careless: it rushes, shieldless. Later it has learned."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.target: Thing | None = None  # what it shoots at
        self.prize: Thing | None = None  # the stone whose hollow it flies into
        self.wave = 0, 0  # the life and the wave that its patience is for
        self.patience = PATIENCE

    def __call__(self) -> Controls:
        """Give the controls for the next frame."""
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
        """Stay and shoot; when few stones are left, fly into the hollow of one first."""
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
        """Fly into the hollow of a rock, from before its mouth."""
        before = mouth(rock, 75)
        if math.dist(before, place(ship)) < 40 or rock.dared:
            return self.fly_to(ship, mouth(rock, 15, STOP), SLOW)
        return self.fly_round(ship, mouth(rock, 75, math.dist(before, place(ship)) / FAST))

    def fly_round(self, ship: Thing, goal: Vector) -> Controls:
        """Fly to a place, or first to one of a few others, where a rock is in between."""
        free = [point for point in (goal, *WAY_POINTS) if self.is_free(place(ship), point)]
        return self.fly_to(
            ship,
            min(free, key=lambda point: math.dist(place(ship), point) + 2 * math.dist(point, goal), default=goal),
            FAST,
        )

    def fly_to(self, ship: Thing, goal: Vector, fast: float) -> Controls:
        """Fly to a place, no faster than so many pixels a frame."""
        (vx, vy), way = ship.body.velocity, math.dist(goal, place(ship))
        # What is flown aside goes on while the ship brakes.
        off = self.turn_to(ship, (goal[0] - STOP * vx, goal[1] - STOP * vy))
        if math.hypot(vx, vy) > min(fast, way / STOP) or way < CLOSE:
            return Controls(steer(off), -1.0)
        return Controls(steer(off), float(abs(off) < WITHIN))

    def face(self, ship: Thing, rock: Thing) -> Controls:
        """Turn to where a rock will be when a bullet is there."""
        flight = rock.ahead(1 + math.dist(place(rock), place(ship)) / BULLET)
        return Controls(steer(self.turn_to(ship, (flight.end.x, flight.end.y))), -1.0)

    def choose(self, ship: Thing) -> Thing | None:
        """Choose a stone that no steel hides, the one that takes the least turning and flying."""
        seen = [
            rock
            for rock in self.game.rocks
            if rock.breaks and rock is not self.prize and not self.is_hidden(ship, rock)
        ]
        return min(seen, key=lambda rock: self.effort(ship, rock), default=None)

    def effort(self, ship: Thing, rock: Thing) -> float:
        """Tell how long it takes to hit a rock, in frames or so."""
        return abs(self.turn_to(ship, place(rock))) / TURN + math.dist(place(rock), place(ship)) / 20

    def is_hidden(self, ship: Thing, rock: Thing) -> bool:
        """Tell whether steel is between the ship and a rock."""
        steel = [(other.body.shape, other.body.pose) for other in self.game.rocks if not other.breaks]
        return bool(sweep(Circle(3), Motion(Pose(*place(ship)), Pose(*place(rock))), steel))

    def is_free(self, start: Vector, end: Vector) -> bool:
        """Tell whether the ship can fly straight from one place to another, as things stand."""
        rocks = [(rock.body.shape, rock.body.pose) for rock in self.game.rocks if rock is not self.prize]
        return not sweep(SHIP, Motion(Pose(*start), Pose(*end)), rocks)

    def is_threatened(self, ship: Thing) -> bool:
        """Tell whether a rock is about to strike the ship."""
        rocks = [(rock.body.shape, rock.ahead(SOON)) for rock in self.game.rocks]
        return bool(sweep(ship.body.shape, ship.ahead(SOON), rocks))

    def turn_to(self, ship: Thing, goal: Vector) -> float:
        """Tell by how many radians the ship would have to turn to head for a place, to the left if positive."""
        pose = ship.body.pose
        return math.remainder(math.atan2(goal[1] - pose.y, goal[0] - pose.x) - pose.angle, math.tau)


def steer(off: float) -> float:
    """Tell how hard to turn, for so many radians: to the right is positive."""
    return max(-1.0, min(1.0, -off / TURN))


def place(thing: Thing) -> Vector:
    """Tell where a thing is."""
    return thing.body.pose.x, thing.body.pose.y


def is_hollow(rock: Thing) -> bool:
    """Tell whether a rock is a stone with a large hollow that the ship has not been in."""
    area = rock.hull.area
    return rock.breaks and not rock.is_settled and area > BIG and rock.body.shape.area < HOLLOW * area


def mouth(rock: Thing, reach: float, frames: float = 0.0) -> Vector:
    """Give the place so far before the middle of a rock's hull, on the side of its hollow, after some frames."""
    x, y = rock.hull.centroid
    share = 1.0 + reach / math.hypot(x, y)
    return placed([(share * x, share * y)], rock.ahead(frames).end)[0]
