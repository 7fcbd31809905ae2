"""Interruptions: a signal handler raises at any line, and the world is as before or as after."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import impinge as im
from impinge import Box, Circle, Polygon, Pose, World

FOLDER = str(Path(im.__file__).parent / "world")


class InterruptError(Exception):
    """What the signal handler raises."""


class Interrupt:
    """Raises an exception before a line of the world's code runs: the one with this number, if any."""

    def __init__(self, at=-1):
        self.at, self.lines = at, 0

    def __enter__(self):
        sys.settrace(self.trace)
        return self

    def __exit__(self, *_):
        sys.settrace(None)

    def trace(self, frame, event, _):
        if not frame.f_code.co_filename.startswith(FOLDER):
            return None
        if event == "line":
            self.lines += 1
            if self.lines == self.at:
                sys.settrace(None)
                raise InterruptError
        return self.trace


def level():
    """Return a world with free rows, a query's tree, supports, shared shapes, its bodies, and an early snapshot."""
    world = World(entry_points=False)
    bodies = [world.add(Box(40, 2), Pose(0, -1), might=2)]
    bodies += [world.add(Box(2, 2), Pose(4 * i - 12, 1), might=i % 2, data=i) for i in range(6)]
    bodies += [world.add(Circle(1), Pose(4 * i - 12, 9), might=1, max_slope=0.5) for i in range(3)]
    for body in bodies:
        body.goal = Pose(body.pose.x + 1, body.pose.y - 1)
    world.step()
    saved = world.snapshot()
    world.remove(bodies[2])
    world.remove(bodies[8])
    bodies[5].shape = Circle(1.5)
    bodies.append(world.add(Box(2, 2), Pose(0, 20)))
    world.step()
    world.at_point((0, 0))
    for body in world:
        body.goal = Pose(body.pose.x + 1, body.pose.y - 2)
    return world, bodies, saved


def looks(world):
    return [(body.shape, body.pose, body.goal, body.might, body.max_slope, body.data) for body in world]


def steps(world):
    """Return what the world does next. It must still take and lose bodies."""
    for body in world:
        body.goal = Pose(body.pose.x - 1, body.pose.y - 2)
    world.step()
    world.remove(world.add(Box(3, 3), Pose(0, 30)))
    more = [world.add(Circle(2 + i), Pose(9 * i, 20), might=1) for i in range(20)]
    for body in more:
        body.goal = Pose(body.pose.x, 2)
    world.step()
    twin = World(entry_points=False)
    twin.restore(world.snapshot())
    world.step()
    twin.step()
    assert len(twin) == len(world) == len(list(world))
    assert sorted(map(repr, (body.pose for body in twin))) == sorted(map(repr, (body.pose for body in world)))
    found = world.in_box(Box(2000, 2000), Pose(0, 0))
    assert sorted(map(id, found)) == sorted(map(id, world))
    return sorted(map(repr, looks(world)))


def other():
    """Return a snapshot of another world."""
    world, bodies, _ = level()
    world.remove(bodies[3])
    world.add(Polygon([(0, 0), (3, 0), (0, 3)]), Pose(0, 15))
    bodies[4].shape = Circle(3)
    world.step()
    return world.snapshot()


OTHER = other()
CHANGES = {
    "add": lambda world, bodies, saved: world.add(Polygon([(0, 0), (2, 0), (0, 2)]), Pose(3, 30), might=1),
    "add a walker": lambda world, bodies, saved: world.add(Box(2, 2), Pose(3, 30), max_slope=0.5),
    "remove": lambda world, bodies, saved: world.remove(bodies[4]),
    "remove a floor": lambda world, bodies, saved: world.remove(bodies[0]),
    "shape": lambda world, bodies, saved: setattr(bodies[4], "shape", Circle(2)),
    "lone shape": lambda world, bodies, saved: setattr(bodies[0], "shape", Circle(30)),
    "set goals": lambda world, bodies, saved: world.set_goals([0, 1, 4], [(3, 4), (5, 6), (7, 8)]),
    "step": lambda world, bodies, saved: world.step(),
    "restore": lambda world, bodies, saved: world.restore(saved),
    "restore another": lambda world, bodies, saved: world.restore(OTHER),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_an_interrupted_change_is_made_or_not(change):
    """A KeyboardInterrupt in the middle left dead handles, rows in no list, or ended the process at the next step."""
    world, bodies, saved = level()
    before = looks(world)
    untouched, those, _ = level()
    alive_before = [body._world is not None for body in those]
    change(world, bodies, saved)
    after, alive_after = looks(world), [body._world is not None for body in bodies]
    next_steps = {"before": steps(untouched), "after": steps(world)}

    with Interrupt() as counted:
        world, bodies, saved = level()
        counted.lines = 0
        change(world, bodies, saved)
    outcomes = []
    for line in range(1, counted.lines + 1):
        world, bodies, saved = level()
        with pytest.raises(InterruptError), Interrupt(line):
            change(world, bodies, saved)
        alive = [body._world is not None for body in bodies]
        outcome = "before" if (looks(world), alive) == (before, alive_before) else "after"
        if outcome == "after":
            assert (looks(world), alive) == (after, alive_after)
        assert steps(world) == next_steps[outcome]
        outcomes.append(outcome)
    assert outcomes[0] == "before"
    # Once it is made, it stays made.
    assert outcomes == sorted(outcomes, reverse=True)
