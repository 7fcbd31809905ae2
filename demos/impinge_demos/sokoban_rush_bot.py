"""The script that plays `sokoban_rush`: it finds a path for a crate, walks behind the crate, and pushes."""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from impinge import Pose
from impinge_demos.controls import Controls
from impinge_demos.sokoban_rush_halls import TILE, Cell, middle

if TYPE_CHECKING:
    from impinge_demos.sokoban_rush import Crate, Game, Machine

__all__ = ["Bot"]

WALK = 3.0
SLIP = 8.0  # pixels by which a crate may be off the middle of a gap
REACH = 36.0  # pixels between the middles of the robot and of the crate that it pushes
WAYS: Final = ((1, 0), (-1, 0), (0, 1), (0, -1))
CROSSING = 45  # frames that it takes to cross a track
ESCAPE = 25  # frames before a machine comes at which the robot leaves the track
LIVES = 3  # lives at the start; in the first of them the bot is bold
PATIENCE = 150  # frames without progress until the robot rewinds
BACK = 50  # frames of rewinding
PAUSE = 60  # frames of waiting after that, so that the same does not happen again


class Leg(NamedTuple):
    """A straight part of a crate's path: the crate, its direction as a step, and its end."""

    crate: Crate
    across: int
    up: int
    end: Pose


class Bot:
    """Controls that play `sokoban_rush`. In its first life the bot ignores the machines; later it avoids them."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.idle = self.unwind = 0
        self.before: object = None
        self.leg: Leg | None = None

    def __call__(self) -> Controls:
        """Return the controls for the next frame."""
        game = self.game
        self.here = cell_at(game.robot.pose)
        self.crates = {cell_at(crate.body.pose): crate for crate in game.crates if not crate.is_sunk}
        self.blocked = {*self.crates, *(cell_at(machine.body.pose) for machine in game.machines)}
        self.is_bold = game.number == 0 and game.lives == LIVES
        now = self.here, [cell for cell, crate in self.crates.items() if crate.colour]
        self.idle = self.idle + 1 if now == self.before else 0
        self.before = now
        if self.idle > PATIENCE and not self.is_bold:
            self.idle, self.unwind = 0, BACK + PAUSE
        if self.unwind or game.pause:
            self.unwind, self.leg = max(self.unwind - 1, 0), None
            return Controls(second=True) if self.unwind > PAUSE else self.flee() or Controls()
        return self.flee() or self.work()

    def work(self) -> Controls:
        """Push the first crate that has a path."""
        game = self.game
        if self.is_bold and self.is_on_track() and any(crate.is_sunk for crate in game.crates):
            return Controls()  # wait to show what happens
        if self.leg is None or self.is_over(self.leg):
            self.leg = self.next_leg()
        return self.push(self.leg) if self.leg else Controls()

    def next_leg(self) -> Leg | None:
        """Choose a crate that has a path, and return the straight beginning of the path."""
        goals = {pad.colour: cell_at(pad.place) for pad in self.game.pads}
        for cell in sorted(self.crates, key=lambda cell: math.dist(cell, self.here)):
            crate = self.crates[cell]
            way = self.way_for(cell, goals[crate.colour]) if crate.colour else []
            if len(way) > 1 and crate.body not in self.game.drift:
                (across, up), end = step(way[0], way[1]), way[1]
                while (end[0] + across, end[1] + up) in way:
                    end = end[0] + across, end[1] + up
                return Leg(crate, across, up, middle(end))
        return None

    def is_over(self, leg: Leg) -> bool:
        """Return whether a crate has reached the end of a leg, or has left it."""
        place = leg.crate.body.pose
        x, y = leg.end.x - place.x, leg.end.y - place.y
        ahead, beside = x * leg.across + y * leg.up, x * leg.up + y * leg.across
        is_lost = abs(beside) > TILE / 2 or self.idle > PATIENCE / 2
        return ahead < 0.5 or is_lost or leg.crate.is_sunk or leg.crate.body in self.game.drift

    def push(self, leg: Leg) -> Controls:
        """Push a crate. Walk behind it first."""
        crate, robot, across, up = leg.crate.body.pose, self.game.robot.pose, leg.across, leg.up
        x, y = crate.x - robot.x, crate.y - robot.y
        behind, beside = x * across + y * up, x * abs(up) + y * abs(across)
        cell = cell_at(crate)
        if not (0 < behind < 1.6 * TILE and abs(beside) < TILE / 2):
            return self.walk_to((cell[0] - across, cell[1] - up))
        if abs(beside) > 2 and behind < REACH:
            return steer(-9.0 * across, -9.0 * up)
        if abs(beside) > 2:
            return steer(beside * abs(up), beside * abs(across))
        if self.is_bold and self.is_on_track() and self.frames_until(self.game.machines[0], self.here) > ESCAPE:
            return Controls()  # the train pushes too
        left = (leg.end.x - crate.x) * across + (leg.end.y - crate.y) * up + behind - REACH
        return self.enter(cell, steer(left * across + beside * abs(up), left * up + beside * abs(across)))

    def walk_to(self, cell: Cell) -> Controls:
        """Walk to a cell, around obstacles."""
        way = self.search(cell)
        if not way:
            return Controls()
        goal, here = middle(way[1] if len(way) > 1 else way[0]), self.game.robot.pose
        x, y = goal.x - here.x, goal.y - here.y
        if len(way) == 1:
            return steer(x, y)
        across, up = step(*way[:2])
        beside = x * abs(up) + y * abs(across)
        if abs(beside) > 5:
            return steer(beside * abs(up), beside * abs(across))
        return self.enter(way[1], steer(x, y))

    def enter(self, cell: Cell, controls: Controls) -> Controls:
        """Go on, unless the next cell is on a track where a machine comes soon."""
        if self.is_bold or cell == self.here:
            return controls
        for machine in self.game.machines:
            lane = self.lane(machine)
            if cell in lane and self.here not in lane and self.frames_until(machine, cell) < CROSSING:
                return Controls()
        return controls

    def flee(self) -> Controls | None:
        """Leave a track if a machine comes."""
        for machine in () if self.is_bold else self.game.machines:
            if self.here in self.lane(machine) and self.frames_until(machine, self.here) < ESCAPE:
                for across, up in WAYS:
                    cell = self.here[0] + across, self.here[1] + up
                    if cell not in self.lane(machine) and self.is_open(cell):
                        there, robot = middle(cell), self.game.robot.pose
                        return steer(there.x - robot.x, there.y - robot.y)
        return None

    def is_on_track(self) -> bool:
        """Return whether the robot is on the track of the first machine."""
        return self.here in self.lane(self.game.machines[0])

    def lane(self, machine: Machine) -> list[Cell]:
        """Return the cells through which a machine may push something, up to the next wall."""
        across, up = machine.track.direction
        cells = [machine.track.home]
        while self.game.plan.get((cells[-1][0] + across, cells[-1][1] + up), "#") != "#":
            cells.append((cells[-1][0] + across, cells[-1][1] + up))
        return cells

    def frames_until(self, machine: Machine, cell: Cell) -> float:
        """Estimate the frames until the front of a machine, with the iron before it, reaches a cell."""
        lane = self.lane(machine)
        there, at = lane.index(cell), cell_at(machine.body.pose)
        front = lane.index(at) if at in lane else 0
        way = TILE * (there - front - 1 - sum(cell in self.crates and not self.crates[cell].colour for cell in lane))
        if machine.heading:
            return machine.rest + max(way, 0) / machine.track.speed if there >= front else 999.0
        return machine.track.rest + (TILE * front) / machine.track.speed

    def is_open(self, cell: Cell) -> bool:
        """Return whether the robot can stand in a cell."""
        return self.game.plan.get(cell, "#") != "#" and cell not in self.blocked

    def search(self, goal: Cell) -> list[Cell]:
        """Return a path for the robot."""
        found, ahead = {self.here: self.here}, deque([self.here])
        while ahead and goal not in found:
            cell = ahead.popleft()
            for across, up in WAYS:
                there = cell[0] + across, cell[1] + up
                if there not in found and self.is_open(there):
                    found[there] = cell
                    ahead.append(there)
        return trace(found, goal)

    def way_for(self, start: Cell, goal: Cell) -> list[Cell]:
        """Return a path for a crate along which the robot fits behind it and can walk round it at corners."""
        first = start, (0, 0)
        spill = self.spill(start)
        found, ahead = {first: first}, deque([first])
        while ahead:
            state = ahead.popleft()
            cell, way = state
            if cell == goal:
                return [cell for cell, _ in trace(found, state)]
            for across, up in WAYS:
                there, behind = (cell[0] + across, cell[1] + up), (cell[0] - across, cell[1] - up)
                ring = behind[0] - way[0], behind[1] - way[1]
                if way == (-across, -up) or not (self.is_open(behind) or behind == start) or not self.is_open(there):
                    continue
                beside = there[0] + spill[0] * abs(up), there[1] + spill[1] * abs(across)
                if start[abs(across)] == there[abs(across)] and beside != there and not self.is_open(beside):
                    continue
                if self.game.plan[there] == "%" or (way != (across, up) and not self.is_open(ring)):
                    continue
                if state == first and behind != self.here and not self.search(behind):
                    continue
                if (there, (across, up)) not in found:
                    found[there, (across, up)] = state
                    ahead.append((there, (across, up)))
        return []

    def spill(self, cell: Cell) -> Cell:
        """Return the sides on which a crate sticks out of its cell too far to slip through gaps."""
        place, centre = self.crates[cell].body.pose, middle(cell)
        x, y = place.x - centre.x, place.y - centre.y
        return (x > SLIP) - (x < -SLIP), (y > SLIP) - (y < -SLIP)


def trace(found: dict[Any, Any], goal: Any) -> list[Any]:
    """Return the path to a goal that a search has found, from the start on; empty if the search did not reach it."""
    way = [goal] if goal in found else []
    while way and found[way[-1]] != way[-1]:
        way.append(found[way[-1]])
    return way[::-1]


def steer(x: float, y: float) -> Controls:
    """Move by this many pixels, or as far as the robot walks in a frame."""
    return Controls(max(-1.0, min(1.0, x / WALK)), max(-1.0, min(1.0, y / WALK)))


def cell_at(pose: Pose) -> Cell:
    """Return the cell of a pose."""
    return int(pose.x // TILE), int(pose.y // TILE)


def step(cell: Cell, there: Cell) -> Cell:
    """Return the step from a cell to its neighbour."""
    return there[0] - cell[0], there[1] - cell[1]
