"""Copies of a fleet against worlds that are stepped alone: all bits must be equal."""

from __future__ import annotations

import copy
import pickle
import threading
import tracemalloc

import numpy as np
import pytest

import impinge as im
from impinge import Box, Capsule, Circle, Fleet, Polygon, Pose, ShapeError, Side, SnapshotError, World
from impinge.kernels import columns as col
from impinge.threads import Crew
from impinge.world import fleet as fleet_module
from random_rooms import CLASSES, random_generator, run
from scale import IS_SMALL, cases, some

COPIES = 4


class Twins:
    """A fleet, and a world for each of its copies. Both get the same goals."""

    def __init__(self, world: World, rng: np.random.Generator, threads: int) -> None:
        self.rng = rng
        self.fleet = Fleet(world, COPIES, threads=threads)
        self.worlds = [copy.copy(world) for _ in range(COPIES)]
        self.template = world
        self.rows = np.array([body.index for body in world])
        self.moving = [row for row in self.rows.tolist() if rng.random() < 0.7] or self.rows[:1].tolist()
        self.kept: list[tuple[np.ndarray, list[bytes]]] = []

    def step(self, frames: int) -> None:
        """Take a step with new goals, or frames with new velocities."""
        here = self.fleet.poses(self.moving)
        size = self.rng.choice((0.0, 0.1, 1.0, 8.0))
        by = self.rng.normal(0.0, size, here.shape) * (1.0, 1.0, 0.05)
        by[self.rng.random(by.shape[:2]) < 0.2] = 0.0
        if frames == 1 and self.rng.random() < 0.7:
            self.fleet.set_goals(self.moving, here + by)
            for world, goals in zip(self.worlds, here + by, strict=True):
                world.set_goals(self.moving, goals)
            told = [self.alone(world, None) for world in self.worlds]
        else:
            self.fleet.set_velocities(self.moving, by)
            told = [[] for _ in self.worlds]
            for _ in range(frames):
                for world, velocities, events in zip(self.worlds, by, told, strict=True):
                    events.extend(self.alone(world, velocities))
        frame = self.fleet.step(frames)
        self.check(frame.events, told)
        # For the next frames without new goals: bodies stay where they are.
        self.fleet.set_goals(self.moving, self.fleet.poses(self.moving))
        for world in self.worlds:
            world.set_goals(self.moving, world.poses(self.moving))

    def alone(self, world: World, velocities: np.ndarray | None) -> list[tuple[object, ...]]:
        """Step one world, and return its events."""
        if velocities is not None:
            world.set_goals(self.moving, world.poses(self.moving) + velocities)
        return [
            (event.time, event.kind, event.weak.index, event.mighty.index, event.side, event.speed, *event.normal)
            for event in world.step().events
        ]

    def check(self, events: np.ndarray, told: list[list[tuple[object, ...]]]) -> None:
        """Compare all that the fleet says with the worlds."""
        kinds = ("push", "sensor", "stuck", "cut_short")
        for number, (world, expected) in enumerate(zip(self.worlds, told, strict=True)):
            own = events[events["copy"] == number]
            found = [
                (row["time"], kinds[row["kind"]], row["weak"], row["mighty"], row["side"], row["speed"], *row["normal"])
                for row in own
            ]
            assert found == expected
            bodies = [world.body(row) for row in self.rows.tolist()]
            assert self.fleet.poses(self.rows)[number].tobytes() == world.poses(self.rows).tobytes()
            poses = np.array([(pose.x, pose.y, pose.angle) for pose in (body.previous for body in bodies)])
            assert self.fleet.previous_poses(self.rows)[number].tobytes() == poses.tobytes()
            for name in ("sides", "blocked", "stuck", "overlapped"):
                found = getattr(self.fleet, name)(self.rows)[number].tolist()
                assert found == [getattr(body, name) for body in bodies], name
            floors = [-1 if body.floor is None else body.floor.index for body in bodies]
            assert self.fleet.floors(self.rows)[number].tolist() == floors
            floor_velocities = [list(body.floor_velocity) for body in bodies]
            assert self.fleet.floor_velocities(self.rows)[number].tolist() == floor_velocities
            assert self.fleet.movements(self.rows)[number].tolist() == [list(body.movement) for body in bodies]

    def shuffle(self) -> None:
        """Copy, keep, restore, reset or replace copies, and do the same with the worlds."""
        at, to = self.rng.integers(COPIES, size=2)
        what = self.rng.integers(6)
        if what == 0:
            self.fleet.copy([at], [to])
            self.worlds[to] = copy.copy(self.worlds[at])
        elif what == 1:
            self.kept.append((self.fleet.snapshot(), [world.snapshot() for world in self.worlds]))
        elif what == 2 and self.kept:
            rows, saved = self.kept[self.rng.integers(len(self.kept))]
            if rows.shape[1] == self.fleet.snapshot([0]).shape[1]:
                self.fleet.restore([to], rows[[at]])
                self.worlds[to].restore(saved[at])
        elif what == 3:
            mask = self.rng.random(COPIES) < 0.3
            self.fleet.reset(mask)
            for number in np.flatnonzero(mask).tolist():
                self.worlds[number] = copy.copy(self.template)
        elif what == 4:
            self.worlds[to] = self.fleet[at]
            self.fleet.put(to, self.worlds[to])
        else:
            poses = self.worlds[to].poses(self.moving) + self.rng.normal(0.0, 0.5, (len(self.moving), 3))
            self.worlds[to].set_poses(self.moving, poses)
            self.fleet.set_poses(self.moving, poses, [to])


@pytest.fixture(autouse=True)
def each_thread_has_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let few copies use all threads that a fleet may use."""
    monkeypatch.setattr(fleet_module, "WORK_OF_A_THREAD", 1e-9)
    monkeypatch.setattr(fleet_module, "RAYS_OF_A_THREAD", 1)


@pytest.mark.parametrize(("seconds", "threads"), [(1e-9, 3), (10.0, 1)])
def test_more_threads_than_one_work_if_there_is_work_for_them(
    monkeypatch: pytest.MonkeyPatch, seconds: float, threads: int
) -> None:
    """With two threads, a frame of 64 copies took twice as long as with one: the second thread began 100 us later."""
    world, _, hero, _ = level()
    fleet = Fleet(world, 20, threads=3)
    used, run = [], Crew.run

    monkeypatch.setattr(fleet_module, "WORK_OF_A_THREAD", seconds)
    monkeypatch.setattr(Crew, "run", lambda crew, tasks: used.append(len(tasks)) or run(crew, tasks))
    fleet.set_velocities([hero], (1.0, 0.0))
    for _ in range(3):
        fleet.step()
    assert used == [threads] * 3


def test_many_frames_of_a_lift_alone_are_work_for_several_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without weak bodies, all copies and frames together counted as one frame of one body."""
    world = World()
    lift = world.add(Box(4, 1), Pose(0, 0), might=1)
    fleet = Fleet(world, 20, threads=3, moving=[lift])
    used, run = [], Crew.run
    monkeypatch.setattr(fleet_module, "WORK_OF_A_THREAD", 1e-3)
    monkeypatch.setattr(Crew, "run", lambda crew, tasks: used.append(len(tasks)) or run(crew, tasks))
    fleet.step(1_000)
    assert used == [3]


# With `IMPINGE_SCALE=1`: 1,008 worlds of all shapes, 200 frames each.
@pytest.mark.parametrize("threads", some([2, 1, 3]))
@pytest.mark.parametrize("name", CLASSES)
def test_copies_are_bit_identical_to_worlds(name: str, threads: int) -> None:
    for number in range(cases(56)):
        rng = random_generator("fleet", name, threads, number)
        scene = CLASSES[name][0](rng, number)
        if rng.random() < 0.5:
            scene.frames = 3
            run(scene, rng)  # the fleet begins in the middle of a game
        for body in scene.bodies:
            if rng.random() < 0.1:
                body.response = "sensor"
        twins = Twins(scene.world, rng, threads)
        for frame in range(10 if IS_SMALL else 200):
            twins.step(int(rng.choice((1, 1, 1, 2, 5))))
            if frame % 3 == 0:
                twins.shuffle()


# With `IMPINGE_SCALE=1`: 21,000 rays in worlds of all shapes, upright and turned.
@pytest.mark.parametrize("name", CLASSES)
def test_rays_hit_what_they_hit_first_in_a_world(name: str) -> None:
    hits = 0
    for number in range(cases(50, least=5)):
        rng = random_generator("rays", name, number)
        scene = CLASSES[name][0](rng, number)
        twins = Twins(scene.world, rng, threads=2)
        twins.step(2)
        bodies = twins.rows.tolist()
        poses = twins.fleet.poses(bodies)[..., :2]
        middle, reach = poses.mean(axis=(0, 1)), np.ptp(poses, axis=(0, 1)).max() + 1.0
        starts, ends = middle + rng.normal(0.0, reach, (2, COPIES, 15, 2))
        # Some go through the middle of a body, one stands still, and one is upright.
        ends[:, :5] = poses[:, rng.integers(len(bodies), size=5)]
        ends[:, 5], ends[:, 6, 0] = starts[:, 5], starts[:, 6, 0]
        layers, ignored = int(rng.choice((1, 3, 2**62 - 1))), bodies[: int(rng.integers(3))]
        times, found = twins.fleet.cast_rays(starts, ends, mask=layers, ignore=ignored)
        for copy_number, world in enumerate(twins.worlds):
            out = [world.body(row) for row in ignored]
            for ray in range(15):
                way = starts[copy_number, ray].tolist(), ends[copy_number, ray].tolist()
                expected = world.along(*way, mask=layers, ignore=out)
                assert found[copy_number, ray] == (expected[0].target.index if expected else -1)
                if expected:
                    assert times[copy_number, ray] == expected[0].impact.time
                    hits += 1
                else:
                    assert np.isnan(times[copy_number, ray])
    assert hits > 30


def level(tiles: int = 20) -> tuple[World, im.Body, im.Body, im.Body]:
    """Return a world with a floor of tiles, a door that stands on it, a hero and a coin."""
    world = World()
    for i in range(tiles):
        world.add(Box(10, 10), Pose(10 * i, -5), might=2)
    door = world.add(Box(4, 20), Pose(60, 10), might=2)
    hero = world.add(Capsule((0, -3), (0, 3), 3), Pose(20, 6))
    coin = world.add(Circle(2), Pose(40, 6), response="sensor")
    return world, door, hero, coin


def test_walls_are_stored_once_until_they_get_a_goal():
    world, door, hero, _coin = level()
    fleet = Fleet(world, 3)
    assert fleet.bytes_per_copy == 2 * 256 + 8
    before = fleet.snapshot()
    fleet.set_velocities([hero], [(4, 0)])
    fleet.step(8)
    assert fleet.poses([hero])[:, 0, 0].tolist() == [52.0, 52.0, 52.0]  # the door is at 58, and it has a radius of 3
    fleet.reset()
    fleet.set_goals([door], [[(60, 50)], [(60, 10)], [(90, 10)]])
    assert fleet.bytes_per_copy == 3 * 256 + 8
    fleet.set_velocities([hero], [(4, 0)])
    fleet.step(8)
    assert fleet.poses([door, hero])[:, :, 0].tolist() == [[60.0, 52.0], [60.0, 52.0], [90.0, 52.0]]
    with pytest.raises(SnapshotError, match=r"snapshots must be 3 rows of 96 integers"):
        fleet.restore(None, before)


def test_bodies_that_goals_will_move_can_be_named_before():
    world, door, _hero, _coin = level()
    fleet = Fleet(world, 3, moving=[door])
    rows = fleet.snapshot()
    fleet.set_goals([door], (60, 50))
    fleet.step()
    fleet.restore([1], rows[:1])
    assert fleet.poses([door])[:, 0, 1].tolist() == [50.0, 10.0, 50.0]


def test_a_coin_that_was_collected_is_gone_in_one_copy():
    world, _door, hero, coin = level()
    fleet = Fleet(world, 2)
    fleet.set_masks([coin], 0, copies=[1])
    fleet.set_layers([coin], 1 << 20, copies=[1])
    fleet.set_masks([hero], 1, copies=[1])
    fleet.set_velocities([hero], (20, 0))
    events = fleet.step().events
    sensed = events[events["kind"] == im.world.bodies.EVENT_KINDS.index("sensor")]
    assert sensed["copy"].tolist() == [0]
    assert sensed["mighty"].tolist() == [coin.index]


def test_goals_hold_for_one_frame_and_velocities_until_the_next_goal():
    world = World()
    ball = world.add(Circle(1), Pose(0, 0))
    fleet = Fleet(world, 2)
    fleet.set_goals([ball], (3, 0))
    fleet.step(4)
    assert fleet.poses([ball])[:, 0].tolist() == [[3.0, 0.0, 0.0]] * 2
    fleet.set_velocities([ball], [[(1, 0, 0.5)], [(0, 2, 0)]])
    fleet.step(4)
    assert fleet.poses([ball])[:, 0].tolist() == [[7.0, 0.0, 2.0], [3.0, 8.0, 0.0]]
    assert fleet.velocities([ball])[:, 0].tolist() == [[1.0, 0.0, 0.5], [0.0, 2.0, 0.0]]
    fleet.set_goals([ball], (0, 0), copies=[0])
    fleet.step(2)
    assert fleet.poses([ball])[:, 0].tolist() == [[0.0, 0.0, 2.0], [3.0, 12.0, 0.0]]


def test_events_are_sorted_by_frame_copy_and_time():
    world = World()
    for x in (0, 5, 9):
        world.add(Circle(1), Pose(x, 0), response="sensor")
    ball = world.add(Circle(1), Pose(-5, 0))
    fleet = Fleet(world, 40, threads=3)
    velocities = np.linspace(0, 8, 40).reshape(40, 1, 1) * (1, 0)
    fleet.set_velocities([ball], velocities)
    events = fleet.step(5).events
    keys = [tuple(row) for row in events[["frame", "copy", "time", "kind", "weak", "mighty"]].tolist()]
    assert keys == sorted(keys)
    assert len(keys) > 100
    fleet.reset()
    fleet.set_velocities([ball], velocities)
    frame = fleet.step(5)
    assert len(fleet.step(5, events=False).events) == 0
    assert frame.events.tobytes() == events.tobytes()  # they are read after another step


def test_a_level_of_five_thousand_tiles_takes_little_memory():
    world, _door, hero, _coin = level(5_000)
    tracemalloc.start()
    try:
        fleet = Fleet(world, 10_000)
        fleet.set_velocities([hero], (1, 0))
        fleet.step(2)
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert fleet.bytes_per_copy * len(fleet) < taken < 20e6
    assert fleet.poses([hero])[:, 0, 0].tolist() == [22.0] * 10_000


def test_a_copy_is_a_world_and_a_world_a_copy():
    world, door, hero, _coin = level()
    fleet = Fleet(world, 3)
    fleet.set_velocities([hero], (5, 0))
    fleet.step()
    one = fleet[1]
    assert [body.pose for body in one][-2:] == [Pose(25, 6), Pose(40, 6)]
    assert one.body(hero.index).goal == Pose(30, 6)
    assert one.nearest((26, 6))[0].target.index == hero.index
    one.body(door.index).pose = Pose(100, 10)
    one.body(hero.index).pose = Pose(70, 6)
    fleet.put(2, one)
    assert fleet.poses([door, hero])[:, :, 0].tolist() == [[60, 25], [60, 25], [100, 70]]
    one.add(Box(1, 1), Pose(0, 0))
    with pytest.raises(ShapeError, match="world must have the same bodies"):
        fleet.put(2, one)
    other, *_ = level()
    other.body(hero.index).shape = Circle(2)
    with pytest.raises(ShapeError, match="world must have the same bodies"):
        fleet.put(2, other)


def test_a_fleet_can_be_pickled_and_copied():
    world, _door, hero, _coin = level()
    fleet = Fleet(world, 3)
    fleet.set_velocities([hero], [[(1, 0)], [(2, 0)], [(3, 0)]])
    fleet.step()
    for twin in (pickle.loads(pickle.dumps(fleet)), copy.deepcopy(fleet), copy.copy(fleet)):
        twin.restore([0], fleet.snapshot([2]))
        twin.step()
        assert twin.poses([hero.index])[:, 0, 0].tolist() == [26.0, 24.0, 26.0]
    assert fleet.poses([hero])[:, 0, 0].tolist() == [21.0, 22.0, 23.0]


class Mute:
    """A plugin with a hook of the step."""

    @im.hookimpl
    def impinge_pushed(self, event):
        """Do nothing."""


def test_wrong_input_is_refused_and_changes_nothing():
    world, _door, hero, _coin = level()
    fleet = Fleet(world, 3)
    state = fleet.snapshot()
    stranger = World().add(Box(1, 1), Pose(0, 0))
    wrong = [
        (lambda: Fleet("world", 3), "world must be a World, got 'world'"),
        (lambda: Fleet(world, 0), "count must be a positive integer, got 0"),
        (lambda: Fleet(world, True), "count must be a positive integer, got True"),
        (lambda: Fleet(world, 3, threads=0.5), "threads must be a positive integer, got 0.5"),
        (lambda: fleet.step(0), "frames must be a positive integer, got 0"),
        (lambda: fleet.step(events=1), "events must be True or False, got 1"),
        (lambda: fleet.poses([99]), r"bodies must be .* got 99 at \[0\]"),
        (lambda: fleet.poses([-1]), "bodies must be"),
        (lambda: fleet.poses([stranger]), "bodies must be bodies of the fleet's world"),
        (lambda: fleet.poses([0.5]), "bodies must be bodies of the fleet's world"),
        (lambda: fleet.poses([hero], copies=[3]), r"copies must be from 0 to 2, got 3 at \[0\]"),
        (lambda: fleet.poses([hero], copies=[0.5]), "copies must be numbers of copies or 3 flags"),
        (lambda: fleet.set_goals([hero], [(0, np.nan)]), "goals must be finite"),
        (lambda: fleet.set_goals([hero], [(0, 1e101)]), "goals must be finite and at most 1e[+]100"),
        (lambda: fleet.set_goals([hero], "here"), "goals must be an array of numbers"),
        (lambda: fleet.set_goals([hero], (1, 2, 3, 4)), "goals must have 2 or 3 numbers for each body"),
        (lambda: fleet.set_goals([hero], np.zeros((4, 1, 2))), r"goals must have shape \(3, 1, 2\)"),
        (lambda: fleet.set_goals([hero], (0, 0, 1e5)), "goals must turn a body by at most"),
        (lambda: fleet.set_goals([hero], (0, 0), copies=[1, 1]), "copies must not contain a copy twice"),
        (lambda: fleet.set_velocities([hero], (0, 0, 1e5)), "velocities must turn a body by at most"),
        (lambda: fleet.set_layers([hero], 0), "layers must be integers from 1"),
        (lambda: fleet.set_masks([hero], 0.5), "masks must be integers from 0"),
        (lambda: fleet.copy([0, 1], [2]), "targets must be as many as sources, got 1 for 2"),
        (lambda: fleet.put(0, None), "world must be a World, got None"),
    ]
    for call, message in wrong:
        with pytest.raises(ShapeError, match=message):
            call()
    with pytest.raises(IndexError, match="index must be that of one of 3 copies, got 3"):
        fleet[3]
    world.register(Mute())
    with pytest.raises(ShapeError, match=r"world must have no plugins, got \['Mute'\]"):
        Fleet(world, 3)
    assert (fleet.snapshot() == state).all()


def test_rows_that_no_fleet_has_written_are_refused():
    world, _door, _hero, _coin = level()
    fleet = Fleet(world, 3)
    good = fleet.snapshot([0])
    floats = 2 * col.COPY_FLOAT_COLUMNS
    rng = np.random.default_rng(1)
    for column, value in [(floats + i, value) for i in range(col.COPY_INT_COLUMNS) for value in (-2, 1 << 40)]:
        if col.INTS_OF_COPY[column - floats] in (col.LAYER, col.MASK) and value > 0:
            continue
        bad = good.copy()
        bad[0, column] = value
        with pytest.raises(SnapshotError, match="snapshots must be rows that a fleet has written"):
            fleet.restore(None, bad)
    for column, value in ((5, 1e9), (col.COPY_SPIN, 1e9), (0, np.inf), (8, np.nan)):
        bad = good.copy()
        bad[0, column] = np.array([value]).view(np.int64)[0]
        with pytest.raises(SnapshotError, match="snapshots must be rows that a fleet has written"):
            fleet.restore(None, bad)
    refused = 0
    for _ in range(2_000):
        bad = good.copy()
        bad[0, rng.integers(bad.shape[1], size=2)] = rng.integers(-(1 << 62), 1 << 62, size=2)
        try:
            fleet.restore(None, bad)
        except SnapshotError:
            refused += 1
        else:
            fleet.step()
    assert refused > 1_000


def test_a_second_thread_is_refused():
    world, _door, hero, _coin = level()
    fleet = Fleet(world, 500, threads=2)
    fleet.set_velocities([hero], (1, 0))
    errors = []

    def play() -> None:
        for _ in range(30):
            try:
                fleet.step(20, events=False)
            except RuntimeError as error:
                errors.append(str(error))

    threads = [threading.Thread(target=play) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(errors) <= {"a fleet must not be used by two threads at a time"}
    assert np.unique(fleet.poses([hero]), axis=0).shape[0] == 1


def test_a_turned_floor_that_is_shared_carries_and_blocks():
    world = World()
    world.add(Polygon([(0, 0), (100, 0), (100, 10), (0, 10)]), Pose(0, 0, 0.2), might=1)
    hero = world.add(Circle(2), Pose(40, 30), max_slope=0.5)
    fleet = Fleet(world, 4)
    fleet.set_velocities([hero], (0, -5))
    fleet.step(6)
    assert fleet.floors([hero])[:, 0].tolist() == [0] * 4
    assert (fleet.blocked([hero]) & Side.BOTTOM).all()


def test_bodies_can_be_read_where_all_of_them_are_shared() -> None:
    """With bodies of one rank only, a copy has no bodies of its own: reading one raised an IndexError."""
    world = World()
    stone = world.add(Box(2, 2), Pose(3, 4, 0.5))
    fleet = Fleet(world, 2)
    assert fleet.poses([stone]).tolist() == [[[3.0, 4.0, 0.5]]] * 2
    assert fleet.blocked([stone]).tolist() == fleet.stuck([stone]).tolist() == [[0]] * 2
    assert fleet.floors([stone]).tolist() == [[-1]] * 2


def test_rays_of_some_copies_and_rays_that_broadcast() -> None:
    world, *_ = level()
    fleet = Fleet(world, 3)
    times, bodies = fleet.cast_rays((0, 5), [(0, -5), (0, 9)], [2, 0])
    assert times.shape == bodies.shape == (2, 2)
    assert times[:, 0].tolist() == [0.5, 0.5]
    assert bodies.tolist() == [[0, -1], [0, -1]]
    assert [part.shape for part in fleet.cast_rays(np.empty((3, 0, 2)), np.empty((3, 0, 2)))] == [(3, 0), (3, 0)]
    assert [part.shape for part in fleet.cast_rays((0, 5), (0, 0), [])] == [(0, 1), (0, 1)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((0, np.nan), (0, 0)), r"starts must be finite .* got nan at \[1\]"),
        ((0.0, (0, 0)), r"starts must have 2 numbers for each ray, got shape \(\)"),
        (((0, 0), [(0, 0, 0)]), r"ends must have 2 numbers for each ray, got shape \(1, 3\)"),
        ((np.zeros((5, 1, 2)), (0, 0)), r"starts must have shape \(3, 1, 2\) or broadcast to it, got \(5, 1, 2\)"),
        (((0, 0), (1, 1), [3]), "copies must be from 0 to 2, got 3"),
    ],
)
def test_bad_rays_are_refused(arguments: tuple[object, ...], message: str) -> None:
    fleet = Fleet(level()[0], 3)
    with pytest.raises(ShapeError, match=message):
        fleet.cast_rays(*arguments)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="mask must be"):
        fleet.cast_rays((0, 0), (1, 1), mask=-1)
    with pytest.raises(ShapeError, match="bodies must be bodies of the fleet's world"):
        fleet.cast_rays((0, 0), (1, 1), ignore=[10_000])
