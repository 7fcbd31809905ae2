"""A signal handler raises at any line, or memory runs out at any allocation: the world is as before or as after.

The cases of a test run in a fork: if one ends the process, the test names its line.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import impinge as im
from forks import forked
from impinge import Box, Circle, Polygon, Pose, World, hookimpl
from scale import some

PACKAGE = Path(im.__file__).parent
SOURCES = (str(PACKAGE / "world"), str(PACKAGE / "hooks.py"))
BALLS = [Circle(2 + i) for i in range(20)]
PARTS = 10  # of a test that runs a case for each line: 3,400 lines, 7 to 14 ms each


class InterruptError(Exception):
    """What the signal handler raises."""


class Interrupt:
    """Raises an exception before a line of the world's code runs: the one with this number, if any."""

    def __init__(self, at=-1):
        self.at, self.lines = at, []

    def __enter__(self):
        sys.settrace(self.trace)
        return self

    def __exit__(self, *_):
        sys.settrace(None)

    def trace(self, frame, event, _):
        if not frame.f_code.co_filename.startswith(SOURCES):
            return None
        if event == "line":
            self.lines.append(f"{frame.f_code.co_filename}:{frame.f_lineno}")
            if len(self.lines) == self.at:
                sys.settrace(None)
                raise InterruptError
        return self.trace


def level(plugin=None):
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
    if plugin is not None:
        world.register(plugin)
    return world, bodies, saved


def touches(body):
    """Return what the last frame has left on a body."""
    floor = None if body.floor is None else body.floor.order
    return body.sides, body.blocked, body.stuck, body.cut_short, body.time, body.movement, floor, body.floor_velocity


def looks(world):
    return [(body.shape, body.pose, body.goal, body.might, body.max_slope, body.data, *touches(body)) for body in world]


def steps(world, plugin=None):
    """Return what the world does next. It must still take and lose bodies."""
    if plugin is not None:
        world.unregister(plugin)
    for body in world:
        body.goal = Pose(body.pose.x - 1, body.pose.y - 2)
    world.step()
    world.remove(world.add(Box(3, 3), Pose(0, 30)))
    more = [world.add(ball, Pose(9 * i, 20), might=1) for i, ball in enumerate(BALLS)]
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


class Changing:
    """Changes the world from all kinds of hooks."""

    @hookimpl
    def impinge_filter(self, world, weak, mighty, response):
        return response

    @hookimpl
    def impinge_narrowphase(self, world, weak, mighty):
        return (Circle(0.9), None) if isinstance(weak.shape, Circle) else None

    @hookimpl
    def impinge_begin(self, world, contact):
        return contact.weak.order != 3

    @hookimpl
    def impinge_post_solve(self, world, event):
        event.weak.shape = Circle(1.2)
        event.weak.goal = event.mighty.goal

    @hookimpl
    def impinge_frame_end(self, world, frame):
        world.remove(next(body for body in world if body.order == 6))
        world.add(Polygon([(0, 0), (2, 0), (0, 2)]), Pose(3, 30), might=1)


PLUGINS = {"step with hooks": Changing()}


OTHER = other()
CHANGES = {
    "add": lambda world, bodies, saved: world.add(Polygon([(0, 0), (2, 0), (0, 2)]), Pose(3, 30), might=1),
    "add a walker": lambda world, bodies, saved: world.add(Box(2, 2), Pose(3, 30), max_slope=0.5),
    "add many": lambda world, bodies, saved: world.add_many(
        [Box(2, 2), Circle(7), Polygon([(0, 0), (2, 0), (0, 2)])], [(3, 30), (4, 50), (9, 30)], might=[1, 0, 1]
    ),
    "remove": lambda world, bodies, saved: world.remove(bodies[4]),
    "remove a floor": lambda world, bodies, saved: world.remove(bodies[0]),
    "shape": lambda world, bodies, saved: setattr(bodies[4], "shape", Circle(2)),
    "lone shape": lambda world, bodies, saved: setattr(bodies[0], "shape", Circle(30)),
    "set goals": lambda world, bodies, saved: world.set_goals([0, 1, 4], [(3, 4), (5, 6), (7, 8)]),
    "step": lambda world, bodies, saved: world.step(),
    "step with hooks": lambda world, bodies, saved: world.step(),
    "restore": lambda world, bodies, saved: world.restore(saved),
    "restore another": lambda world, bodies, saved: world.restore(OTHER),
}


class Expected:
    """The states that a change may leave a world in, and what its next steps then are."""

    def __init__(self, name):
        self.change, self.plugin = CHANGES[name], PLUGINS.get(name)
        world, bodies, saved = self.level()
        self.state = {"before": self.state_of(world, bodies)}
        self.next_steps = {"before": steps(world, self.plugin)}
        world, bodies, saved = self.level()
        self.change(world, bodies, saved)
        self.state["after"] = self.state_of(world, bodies)
        self.next_steps["after"] = steps(world, self.plugin)

    def level(self):
        return level(self.plugin)

    @staticmethod
    def state_of(world, bodies):
        return looks(world), [repr(body) != "<Body, removed>" for body in bodies]

    def outcome(self, world, bodies):
        """Return which of the states the world is in, after it has shown the next steps of this state."""
        state = self.state_of(world, bodies)
        outcome = "before" if state == self.state["before"] else "after"
        assert state == self.state[outcome]
        assert steps(world, self.plugin) == self.next_steps[outcome]
        return outcome


@pytest.mark.parametrize("part", some(range(PARTS)))
@pytest.mark.parametrize("name", CHANGES)
def test_an_interrupted_change_is_made_or_not(name, part):
    """A KeyboardInterrupt in the middle left dead handles, rows in no list, or ended the process at the next step."""
    expected = Expected(name)

    def interrupted(number):
        world, bodies, saved = expected.level()
        with pytest.raises(InterruptError), Interrupt(part + PARTS * number + 1):
            expected.change(world, bodies, saved)
        return expected.outcome(world, bodies)

    world, bodies, saved = expected.level()
    with Interrupt() as counted:
        expected.change(world, bodies, saved)
    outcomes = forked(interrupted, counted.lines[part::PARTS])
    assert outcomes[0] == "before"
    # Once it is made, it stays made.
    assert outcomes == sorted(outcomes, reverse=True)


class ShortOfMemory:
    """NumPy's functions that make arrays, of which one call finds no memory."""

    def __init__(self, monkeypatch, fails_at=-1):
        self.calls, self.fails_at = 0, fails_at
        for name in ("array", "concatenate", "empty", "empty_like", "flatnonzero", "full", "unique", "zeros"):
            monkeypatch.setattr(np, name, self.counting(getattr(np, name)))

    def counting(self, function):
        def call(*arguments, **options):
            self.calls += 1
            if self.calls == self.fails_at:
                raise MemoryError
            return function(*arguments, **options)

        return call


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_without_memory_is_made_or_not(name, monkeypatch):
    """A step wrote contacts of a frame that it could not finish."""
    expected = Expected(name)

    def fails(at):
        world, bodies, saved = expected.level()
        with monkeypatch.context() as patch:
            ShortOfMemory(patch, at + 1)
            with pytest.raises(MemoryError):
                expected.change(world, bodies, saved)
        expected.outcome(world, bodies)

    world, bodies, saved = expected.level()
    with monkeypatch.context() as patch:
        counted = ShortOfMemory(patch)
        expected.change(world, bodies, saved)
    forked(fails, [f"array {at + 1}" for at in range(counted.calls)])


@pytest.mark.parametrize("fails_at", range(1, 13))
def test_a_world_goes_on_when_memory_runs_out(monkeypatch, fails_at):
    """Arrays of different lengths were left, and `add` raised an IndexError for ever."""
    shapes = [Box(1 + i / 8, 1) for i in range(40)]  # a row of the pool for each
    poses = [Pose(3 * i, 0) for i in range(40)]
    world, whole = World(entry_points=False), World(entry_points=False)
    failed = 0
    with monkeypatch.context() as patch:
        patched = ShortOfMemory(patch, fails_at)
        for i, (shape, pose) in enumerate(zip(shapes, poses, strict=True)):
            while len(world) <= i:
                before = len(world)
                try:
                    world.add(shape, pose, might=i % 2)
                except MemoryError:
                    failed += 1
                    assert len(world) == len(list(world)) == before
                else:
                    break
    assert patched.calls > fails_at
    assert failed == 1
    for i, (shape, pose) in enumerate(zip(shapes, poses, strict=True)):
        whole.add(shape, pose, might=i % 2)
    for each in (world, whole):
        for body in each:
            body.goal = Pose(body.pose.x + 2, 1)
        each.step()
        each.remove(next(iter(each)))
        each.add(Box(9, 9), Pose(0, 50))
        each.step()
    assert [(body.shape, body.pose) for body in world] == [(body.shape, body.pose) for body in whole]
    twin = World(entry_points=False)
    twin.restore(world.snapshot())
    assert [(body.shape, body.pose) for body in twin] == [(body.shape, body.pose) for body in world]


@pytest.mark.parametrize("failing", range(6))
@pytest.mark.parametrize("near", range(6))
def test_a_failed_step_that_grew_the_world_leaves_the_contacts_of_the_last_frame(near, failing):
    """The copy of these contacts got lost where a proxy in the middle of a step made the arrays of the world longer."""
    world = World(entry_points=False)
    world.add(Box(400, 2), Pose(0, -1), might=2)
    boxes = [world.add(Box(2, 2), Pose(20 * i, 1)) for i in range(6)]
    for box in boxes:
        box.goal = Pose(box.pose.x, -1)
    world.step()
    before = [touches(box) for box in boxes]
    assert all(box.blocked for box in boxes)

    def grow(proxy):
        world.remove(proxy)
        for i in range(40):
            world.add(Box(0.5, 0.5), Pose(i, 50), might=1)

    def fail(proxy):
        raise InterruptError

    world.add(Box(2, 2), Pose(20 * near, 10), might=1, expand=grow)
    world.add(Box(2, 2), Pose(20 * failing, 14), might=1, expand=fail)
    for box in boxes:  # which of them comes to its proxy first is left to the world
        box.goal = Pose(box.pose.x, 30)
    with pytest.raises(InterruptError):
        world.step()
    assert [touches(box) for box in boxes] == before
