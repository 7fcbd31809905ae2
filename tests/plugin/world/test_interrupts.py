"""A signal handler raises at any line, or memory runs out at any allocation: the world is as before or as after.

The cases of a test run in a fork: if one ends the process, the test names its line.
"""

from __future__ import annotations

import copy
import pickle
import random
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest

import impinge as im
from forks import forked
from impinge import Box, Circle, Polygon, Pose, World, hookimpl
from interruptions import Interrupt, InterruptError, alarmed
from scale import cases

PACKAGE = Path(im.__file__).parent
SOURCES = (str(PACKAGE / "world"), str(PACKAGE / "hooks.py"))
BALLS = [Circle(2 + i) for i in range(20)]
PARTS = 20  # of a test that runs a case for each point: 16,000 points, 7 to 20 ms each


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


def settings(body):
    return body.might, body.layer, body.mask, body.response, body.restitution, body.max_slope, body.snap, body.data


def looks(world):
    return [(body.shape, body.pose, body.goal, *settings(body), *touches(body)) for body in world]


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
    twin = twin_of(world)
    world.step()
    twin.step()
    assert queries(world) == queries(twin)
    assert len(twin) == len(world) == len(list(world))
    assert sorted(map(repr, (body.pose for body in twin))) == sorted(map(repr, (body.pose for body in world)))
    found = world.in_box(Box(2000, 2000), Pose(0, 0))
    assert sorted(map(id, found)) == sorted(map(id, world))
    return sorted(map(repr, looks(world)))


def twin_of(world):
    """Return a world in the same state, which has nothing left of an interruption."""
    twin = World(entry_points=False)
    twin.restore(world.snapshot())
    return twin


def queries(world):
    """Return what world queries find, by the places of the bodies in the order of adding."""
    near = [world.nearest((x, 5), count=4) for x in range(-30, 31, 12)]
    inside = [world.in_box(Box(9, 9), Pose(x, 2)) for x in range(-30, 31, 12)]
    return [
        [[(body.order, distance) for body, distance in some_near] for some_near in near],
        [sorted(body.order for body in bodies) for bodies in inside],
    ]


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


def turning_level(_):
    """Return a world of rotated bodies: a step needs more columns for them than it has, and bends many paths."""
    world = World(entry_points=False)
    bodies = [world.add(Box(200, 2), Pose(0, -8), might=3)]
    bodies += [world.add(Polygon(SPIKES[i]), Pose(6 * i - 30, 0, 0.1 * i), might=2) for i in range(9)]
    bodies += [world.add(Polygon(SPIKES[i]), Pose(6 * i - 30, 6, 0.2 * i)) for i in range(9)]
    bodies += [world.add(Circle(1), Pose(6 * i - 27, 12), might=1) for i in range(5)]
    saved = world.snapshot()
    for i, body in enumerate(bodies[1:]):
        body.goal = Pose(body.pose.x + 1, body.pose.y - 4, body.angle + 0.1 * i)
    return world, bodies, saved


SPIKES = [
    [(2, 0), (0.5, 0.6 + 0.01 * i), (0, 2), (-0.5, 0.5), (-2, 0), (-0.5, -0.5), (0, -2), (0.5, -0.5)] for i in range(9)
]


def lazy_level(_):
    """Return a world with two lazy proxies, one of which stands in for another one, too, and a body that pushes one."""
    world = World(entry_points=False)

    def halves(proxy):
        x = proxy.pose.x
        world.remove(proxy)
        for side in (-5, 5):
            world.add(Box(10, 10), Pose(x + side, 0), might=1, data=side)

    def nested(proxy):
        x = proxy.pose.x
        world.remove(proxy)
        world.add_many(Box(10, 10), [(x - 15, 0), (x - 5, 0)], might=1)
        world.add(Box(20, 10), Pose(x + 10, 0), might=1, expand=halves)

    bodies = [
        world.add(Box(20, 10), Pose(10, 0), might=1, expand=halves),
        world.add(Box(40, 10), Pose(60, 0), might=1, expand=nested),
        world.add(Box(10, 10), Pose(-20, 0), might=2),
        world.add(Box(4, 4), Pose(5, 30)),
        world.add(Box(4, 4), Pose(70, 30)),
        world.add(Circle(2), Pose(45, 30)),
    ]
    world.step()
    saved = snapshot_of_twin(bodies)
    bodies[2].goal = Pose(-12, 0)
    for body in bodies[3:]:
        body.goal = Pose(body.pose.x, -30)
    return world, bodies, saved


def snapshot_of_twin(bodies):
    """Return a snapshot of another world: one of this world would expand its proxies."""
    world = World(entry_points=False)
    for body in bodies:
        world.add(body.shape, body.pose, body.might)
    return world.snapshot()


OTHER = other()
LEVELS = {"turning": turning_level, "lazy": lazy_level}


def queried(world):
    world.nearest((3, 5), count=3)
    world.at_point((0, 0))


CHANGES = {
    "add": lambda world, bodies, saved: world.add(Polygon([(0, 0), (2, 0), (0, 2)]), Pose(3, 30), might=1),
    "add a walker": lambda world, bodies, saved: world.add(Box(2, 2), Pose(3, 30), max_slope=0.5),
    "add many": lambda world, bodies, saved: world.add_many(
        [Box(2, 2), Circle(7), Polygon([(0, 0), (2, 0), (0, 2)])], [(3, 30), (4, 50), (9, 30)], might=[1, 0, 1]
    ),
    "add the mightiest": lambda world, bodies, saved: world.add(Box(2, 2), Pose(3, 30), might=9),
    "add a proxy": lambda world, bodies, saved: world.add(Box(2, 2), Pose(3, 30), might=1, expand=world.remove),
    "remove": lambda world, bodies, saved: world.remove(bodies[4]),
    "remove a floor": lambda world, bodies, saved: world.remove(bodies[0]),
    "shape": lambda world, bodies, saved: setattr(bodies[4], "shape", Circle(2)),
    "lone shape": lambda world, bodies, saved: setattr(bodies[0], "shape", Circle(30)),
    "goal": lambda world, bodies, saved: setattr(bodies[0], "goal", Pose(5, 6)),
    "turning goal": lambda world, bodies, saved: setattr(bodies[3], "goal", Pose(5, 6, 1)),
    "turning goal, turning": lambda world, bodies, saved: setattr(bodies[9], "goal", Pose(5, 6, 1)),
    "aim": lambda world, bodies, saved: bodies[0].aim(5.0, 6.0, 0.0),
    "pose": lambda world, bodies, saved: setattr(bodies[0], "pose", Pose(5, 6)),
    "turned pose": lambda world, bodies, saved: setattr(bodies[4], "pose", Pose(5, 6, 1)),
    "turned pose, turning": lambda world, bodies, saved: setattr(bodies[9], "pose", Pose(5, 6, 1)),
    "angle": lambda world, bodies, saved: setattr(bodies[4], "angle", 1),
    "might": lambda world, bodies, saved: setattr(bodies[4], "might", 3),
    "less might": lambda world, bodies, saved: setattr(bodies[0], "might", 0),
    "as mighty": lambda world, bodies, saved: setattr(bodies[4], "might", 2),
    "response": lambda world, bodies, saved: setattr(bodies[4], "response", "sensor"),
    "restitution": lambda world, bodies, saved: setattr(bodies[4], "restitution", 0.5),
    "layer": lambda world, bodies, saved: setattr(bodies[4], "layer", 2),
    "max_slope": lambda world, bodies, saved: setattr(bodies[4], "max_slope", 0.7),
    "no max_slope": lambda world, bodies, saved: setattr(bodies[7], "max_slope", None),
    "snap": lambda world, bodies, saved: setattr(bodies[7], "snap", 0.7),
    "set goals": lambda world, bodies, saved: world.set_goals([0, 1, 4], [(3, 4), (5, 6), (7, 8)]),
    "set turning goals, turning": lambda world, bodies, saved: world.set_goals(
        range(8), [(3 * i, 4, i) for i in range(8)]
    ),
    "set poses": lambda world, bodies, saved: world.set_poses([0, 1, 4], [(3, 4), (5, 6), (7, 8)]),
    "set turned poses, turning": lambda world, bodies, saved: world.set_poses(
        range(8), [(3 * i, 4, i) for i in range(8)]
    ),
    "step": lambda world, bodies, saved: world.step(),
    "step, turning": lambda world, bodies, saved: world.step(),
    "step, lazy": lambda world, bodies, saved: world.step(),
    "step with hooks": lambda world, bodies, saved: world.step(),
    "expand, lazy": lambda world, bodies, saved: world.expand(),
    "expand one, lazy": lambda world, bodies, saved: world.expand([bodies[1]]),
    "restore": lambda world, bodies, saved: world.restore(saved),
    "restore another": lambda world, bodies, saved: world.restore(OTHER),
    "restore, lazy": lambda world, bodies, saved: world.restore(saved),
    "snapshot": lambda world, bodies, saved: world.snapshot(),
    "query": lambda world, bodies, saved: queried(world),
    "first query, turning": lambda world, bodies, saved: queried(world),
    "copy": lambda world, bodies, saved: copy.copy(world),
    "pickle": lambda world, bodies, saved: pickle.dumps(world),
    "register": lambda world, bodies, saved: world.register(ANSWER),
}


class Answer:
    """Changes nothing."""

    @hookimpl
    def impinge_filter(self, response):
        return response


ANSWER = Answer()


class Expected:
    """The states that a change may leave a world in, and what its next steps then are.

    Where proxies expand, each of them may have done so.
    """

    def __init__(self, name):
        self.change, self.plugin = CHANGES[name], PLUGINS.get(name)
        kind = name.rpartition(", ")[2]
        self.make, self.is_lazy = LEVELS.get(kind, level), kind == "lazy"
        self.state, self.next_steps = {}, {}
        for name, change in (("before", None), ("after", self.change)):
            world, bodies, saved = self.level()
            if change is not None:
                change(world, bodies, saved)
            self.state[name] = self.state_of(world, bodies)
            self.next_steps[name] = self.steps(world)

    def level(self):
        return self.make(self.plugin)

    def steps(self, world):
        return steps(world, self.plugin)

    def state_of(self, world, bodies):
        if self.is_lazy:
            world.expand()
            return sorted(map(repr, looks(world)))
        return looks(world), [repr(body) != "<Body, removed>" for body in bodies]

    def outcome(self, world, bodies):
        """Return which of the states the world is in, after it has shown the next steps of this state."""
        state = self.state_of(world, bodies)
        assert queries(world) == queries(twin_of(world))
        outcome = "before" if state == self.state["before"] else "after"
        assert state == self.state[outcome]
        assert self.steps(world) == self.next_steps[outcome]
        return outcome


@pytest.mark.parametrize("part", range(cases(PARTS)))
@pytest.mark.parametrize("name", CHANGES)
def test_an_interrupted_change_is_made_or_not(name, part):
    """A KeyboardInterrupt in the middle left dead handles, rows in no list, or ended the process at the next step."""
    expected = Expected(name)

    def interrupted(number):
        world, bodies, saved = expected.level()
        with pytest.raises(InterruptError), Interrupt(SOURCES, part + PARTS * number + 1):
            expected.change(world, bodies, saved)
        return expected.outcome(world, bodies)

    world, bodies, saved = expected.level()
    with Interrupt(SOURCES) as counted:
        expected.change(world, bodies, saved)
    outcomes = forked(interrupted, counted.points[part::PARTS])
    assert part > 0 or outcomes[0] == "before"
    # Once it is made, it stays made.
    assert outcomes == sorted(outcomes, reverse=True)


@pytest.mark.parametrize("name", CHANGES)
def test_a_second_interrupt_while_the_first_is_undone_changes_nothing(name):
    """A second Ctrl-C left a frame half undone."""
    expected, rng = Expected(name), random.Random(name)
    world, bodies, saved = expected.level()
    with Interrupt(SOURCES) as counted:
        expected.change(world, bodies, saved)
    firsts = rng.choices(range(1, len(counted.points) + 1), k=cases(200, least=10))

    def interrupted(number):
        world, bodies, saved = expected.level()
        with pytest.raises(InterruptError), Interrupt(SOURCES, firsts[number], firsts[number] + rng.randint(1, 30)):
            expected.change(world, bodies, saved)
        return expected.outcome(world, bodies)

    forked(interrupted, [counted.points[first - 1] for first in firsts])


@pytest.mark.parametrize("name", CHANGES)
def test_a_real_signal_leaves_a_change_made_or_not(name):
    """Timers in forked processes: 31 of 3,466 snapshots, and 71 of 120 `set_poses` were half made."""
    expected, rng = Expected(name), random.Random(name)
    times = []
    for _ in range(5):
        world, bodies, saved = expected.level()
        begin = perf_counter()
        expected.change(world, bodies, saved)
        times.append(perf_counter() - begin)

    def interrupted(_):
        world, bodies, saved = expected.level()
        try:
            with alarmed(rng.uniform(0.0, 1.2) * min(times) + 1e-6):
                expected.change(world, bodies, saved)
        except InterruptError:
            pass
        return expected.outcome(world, bodies)

    outcomes = forked(interrupted, [name] * cases(400, least=20))
    assert set(outcomes) <= {"before", "after"}


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
