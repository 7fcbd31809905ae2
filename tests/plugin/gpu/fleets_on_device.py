"""Fleets with `device="cuda"` against those of the CPU: on a GPU, or in numba-cuda's simulator.

`test_on_device.py` runs this file in processes of its own. Fleets on the CPU have an oracle of their own: worlds that
are stepped alone, in `tests/plugin/world/test_fleet.py`.
"""

from __future__ import annotations

import copy
import itertools
import math
import os
import pickle
import sys
from typing import Any

import numpy as np
import pytest
from numba import cuda

import impinge as im
from random_rooms import CLASSES, random_generator

IS_SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM", "0") != "0"
IS_ON_HOST = "cuda_on_host" in sys.modules
COPIES = 3
# Copies of random scenes, their frames, scenes of each class, and rooms of boxes. The simulator makes a dozen frames a
# second.
CROWD, FRAMES, SCENES, ROOMS = (1, 2, 1, 1) if IS_SIMULATED else (50, 20, 3, 10) if IS_ON_HOST else (500, 30, 5, 50)
# Of poses of some ten units after one frame.
TOLERANCE = 1e-9


class Twins:
    """The same fleet on the device and on the CPU."""

    def __init__(self, world: im.World, count: int = COPIES) -> None:
        self.there, self.here = im.Fleet(world, count, device="cuda"), im.Fleet(world, count)
        self.fleets = [self.there, self.here]
        self.rows = [body.index for body in world]

    def both(self, name: str, *arguments: Any) -> None:
        """Call a method of all fleets."""
        for fleet in self.fleets:
            getattr(fleet, name)(*arguments)

    def check(self) -> None:
        """Compare all that can be read of both fleets."""
        differ = differences(self.there, self.here, self.rows)
        assert not differ.any(), np.argwhere(differ)[:5]

    def step(self, frames: int = 1, *, events: bool = True) -> tuple[Any, Any]:
        """Step both fleets; return their events."""
        return self.there.step(frames, events=events).events, self.here.step(frames, events=events).events


class Tally:
    """How many bodies differed after a frame from those of the CPU, and how many of these if shaken."""

    def __init__(self) -> None:
        self.bodies, self.differ, self.differ_if_shaken = 0, 0, 0

    def check(self) -> None:
        """Compare the numbers."""
        most = 0 if IS_SIMULATED else 2 * self.differ_if_shaken + self.bodies // 2_000
        assert self.differ <= most, (self.differ, self.differ_if_shaken, self.bodies)


class Crowd(Twins):
    """Twins of many copies, and a third fleet, on the CPU, whose velocities are changed by rounding.

    A GPU fuses multiplications with additions, the simulator does not. So a body that touches another one by less than
    rounding may miss it on a GPU, and end somewhere else: about as often as in the third fleet.
    """

    def __init__(self, world: im.World, count: int) -> None:
        super().__init__(world, count)
        self.shaken = im.Fleet(world, count)
        self.fleets.append(self.shaken)

    def set_velocities(self, rows: Any, velocities: Any) -> None:
        """Set velocities, in the third fleet almost the same ones."""
        self.both("set_velocities", rows, velocities)
        self.shaken.set_velocities(rows, velocities * (1.0 + np.finfo(np.float64).eps))

    def step(self, frames: int = 1, *, events: bool = True) -> tuple[Any, Any]:
        """Step all fleets; return the events of both twins."""
        self.shaken.step(frames, events=False)
        return super().step(frames, events=events)

    def count(self, tally: Tally) -> None:
        """Count the bodies that differ, and let all fleets go on from the same state."""
        tally.bodies += len(self.here) * len(self.rows)
        tally.differ += np.count_nonzero(differences(self.there, self.here, self.rows))
        tally.differ_if_shaken += np.count_nonzero(differences(self.shaken, self.here, self.rows))
        state = self.here.snapshot()
        for fleet in (self.there, self.shaken):
            fleet.restore(None, state)


def differences(fleet: im.Fleet, other: im.Fleet, rows: list[int]) -> Any:
    """Return which bodies of which copies differ in anything that can be read, of shape (count, k)."""
    differ = np.zeros((len(other), len(rows)), np.bool_)
    for name in ("poses", "previous_poses", "velocities", "movements", "floor_velocities"):
        ours, theirs = on_host(getattr(fleet, name)(rows)), getattr(other, name)(rows)
        differ |= ~(np.abs(ours - theirs) <= TOLERANCE).all(axis=2)
    for name in ("sides", "blocked", "stuck", "overlapped", "floors"):
        ours, theirs = on_host(getattr(fleet, name)(rows)), getattr(other, name)(rows)
        assert ours.dtype == theirs.dtype
        differ |= ours != theirs
    return differ


def on_host(array: Any) -> Any:
    return array if isinstance(array, np.ndarray) else array.copy_to_host()


def assert_same_events(ours: Any, theirs: Any) -> None:
    for name in ("frame", "copy", "kind", "weak", "mighty", "side"):
        np.testing.assert_array_equal(ours[name], theirs[name])
    for name in ("time", "speed", "normal"):
        np.testing.assert_allclose(ours[name], theirs[name], rtol=0, atol=1e-6)


def hall() -> tuple[im.World, im.Body, im.Body]:
    """Return a hall with a runner and a ball."""
    world = im.World()
    world.add(im.Box(200, 2), im.Pose(0, -1), might=1)
    world.add(im.Box(2, 40), im.Pose(30, 20), might=1)
    world.add(im.Box(20, 2), im.Pose(-20, 3, 0.4), might=1)
    return world, world.add(im.Box(2, 4), im.Pose(0, 2)), world.add(im.Circle(2), im.Pose(-10, 30))


@pytest.mark.parametrize("name", CLASSES)
def test_bodies_of_random_scenes_move_as_on_the_cpu(name: str) -> None:
    tally = Tally()
    for number in range(SCENES):
        rng = random_generator("fleet on a device", name, number)
        crowd = Crowd(CLASSES[name][0](rng, number).world, CROWD)
        moving = [row for row in crowd.rows if rng.random() < 0.7] or crowd.rows[:1]
        crowd.check()
        for _ in range(FRAMES):
            by = rng.normal(0.0, rng.choice((0.1, 1.0, 4.0)), (CROWD, len(moving), 3)) * (1.0, 1.0, 0.05)
            crowd.set_velocities(moving, by)
            ours, theirs = crowd.step()
            if IS_SIMULATED:
                assert_same_events(ours, theirs)
            crowd.count(tally)
    tally.check()


def test_a_runner_stops_at_the_wall_in_the_copies_where_it_is_fast() -> None:
    world, runner, _ = hall()
    fleet = im.Fleet(world, 4, device="cuda")
    fleet.set_velocities([runner], np.array([(0, 0), (4, 0), (8, 0), (-1, 0)])[:, None])
    events = fleet.step(4).events
    assert fleet.poses([runner]).copy_to_host()[:, 0, 0].tolist() == [0.0, 16.0, 28.0, -4.0]
    walls = events[(events["weak"] == runner.index) & (events["side"] == im.Side.RIGHT)]
    assert walls["copy"].tolist() == [2]
    assert walls["frame"].tolist() == [3]
    assert walls["time"].tolist() == pytest.approx([0.5])


def test_goals_are_read_where_they_are() -> None:
    world, runner, ball = hall()
    twins = Twins(world)
    goals = np.array([[(1.0 + copied, 2.0, 0.0), (-10.0, 25.0, 0.3)] for copied in range(COPIES)])
    twins.there.set_goals([runner, ball], cuda.to_device(goals))
    twins.here.set_goals([runner, ball], goals)
    assert_same_events(*twins.step())
    twins.check()
    poses = twins.there.poses([runner])
    twins.there.set_poses([runner], poses)  # what it returns can be given back
    twins.check()


@pytest.mark.parametrize(
    ("goals", "message"),
    [
        (np.zeros((COPIES, 1, 2), np.float32), "goals must be float64 on a device, got float32"),
        (np.zeros((COPIES, 2, 2)), r"goals must have shape \(\d+, 1, 2\) or \(\d+, 1, 3\) on a device"),
        (np.full((COPIES, 1, 2), math.nan), "goals must be finite and at most 1e"),
        (np.full((COPIES, 1, 3), 700.0), "goals must turn a body by at most 628.* got 700"),
    ],
)
def test_wrong_goals_on_the_device_are_refused_and_change_nothing(goals: Any, message: str) -> None:
    world, runner, _ = hall()
    twins = Twins(world)
    with pytest.raises(im.ShapeError, match=message):
        twins.there.set_goals([runner], cuda.to_device(goals))
    if goals.shape[-1] == 3:
        with pytest.raises(im.ShapeError, match=message):
            twins.there.set_goals([runner], goals)
    twins.step()
    twins.check()


@pytest.mark.parametrize("shape", [im.Box(2, 2), im.Circle(1)], ids=lambda shape: type(shape).__name__)
def test_more_events_than_there_is_room_for_are_complete(shape: Any) -> None:
    """A lane has room for 64 events, and boxes have it for one of each body. Here, each body has one in each frame."""
    world = im.World()
    world.add(im.Box(100, 2), im.Pose(0, -1), might=1)
    bodies = [world.add(shape, im.Pose(4 * place, 1)) for place in range(5)]
    twins = Twins(world, 2)
    twins.both("set_velocities", bodies, np.array((0.0, -1.0)))
    ours, theirs = twins.step(30)
    assert len(theirs) == 2 * 30 * 5
    assert_same_events(ours, theirs)


def test_the_host_makes_the_frames_for_which_a_device_has_no_memory() -> None:
    """The way out of a U-shaped body, and out of two flush tiles, takes memory of any size."""
    cup = im.Polygon([(-6, 0), (6, 0), (6, 12), (4, 12), (4, 2), (-4, 2), (-4, 12), (-6, 12)])
    world = im.World()
    world.add(cup, im.Pose(0, 0), might=1)
    for x in (40, 44, 48):
        world.add(im.Box(4, 4), im.Pose(x, 0), might=1)
    star = world.add(im.Polygon([(0, 3), (-3, -3), (0, -1), (3, -3)]), im.Pose(0, 20))
    box = world.add(im.Box(3, 3), im.Pose(44, 20))
    twins = Twins(world)
    places = np.array([[(0, 20), (44, 20)], [(5, 3), (44, 20)], [(5, 3), (44, 1)]])[np.arange(COPIES) % 3]
    twins.both("set_poses", [star, box], places)
    assert_same_events(*twins.step(2))
    twins.check()
    assert twins.here.overlapped([star, box])[2].tolist() == [False, False]  # it was so in the first frame
    assert np.abs(twins.here.poses([star])[1, 0, :2] - (5, 3)).max() > 0.5


def boxes_among_tiles(rng: np.random.Generator) -> tuple[im.World, list[im.Body]]:
    """Return a room of tiles, some of them one-way, sticky or carrying, and boxes that do not meet each other."""
    world, one_way = im.World(), im.Side.LEFT | im.Side.RIGHT | im.Side.BOTTOM
    for x, y in itertools.product(range(9), range(7)):
        is_inside = 0 < x < 8 and 0 < y < 6
        if not is_inside or rng.random() < 0.15:
            passable = one_way if is_inside and rng.random() < 0.3 else im.Side.NONE
            sticky = im.Side.TOP if rng.random() < 0.2 else im.Side.NONE
            world.add(im.Box(4, 4), im.Pose(4 * x, 4 * y), might=1, passable=passable, sticky=sticky)
    places = rng.uniform((4, 4), (28, 20), (5, 2))
    return world, [world.add(im.Box(*rng.uniform(1, 3, 2)), im.Pose(*place)) for place in places]


@pytest.mark.parametrize("seed", range(ROOMS))
def test_boxes_that_meet_only_walls_move_as_on_the_cpu(seed: int) -> None:
    """A thread makes the frames of one box. It leaves a box that turns to a lane."""
    rng = random_generator("boxes on a device", seed)
    world, boxes = boxes_among_tiles(rng)
    crowd, tally = Crowd(world, max(COPIES, CROWD)), Tally()
    count, rows = len(crowd.here), [box.index for box in boxes]
    for number in range(4):
        speeds = rng.normal(0.0, rng.choice((0.3, 2.0, 8.0)), (count, len(rows), 3)) * (1.0, 1.0, 0.0)
        if number == 2:
            speeds[0, 0, 2] = 0.1
        crowd.set_velocities(rows, speeds)
        if number == 3:
            crowd.both("set_goals", rows[:1], crowd.here.poses(rows[:1]) + np.array((0.0, 3.0, 0.0)))
            crowd.both("set_masks", rows[1:2], rng.integers(0, 2, (count, 1)))
        before = crowd.here.snapshot()
        ours, theirs = crowd.step(1 if number < 3 else 3, events=number > 0)
        if IS_SIMULATED:
            assert_same_events(ours, theirs)
        assert number == 2 or (crowd.here.snapshot() != before).any()
        crowd.count(tally)
    tally.check()


def test_boxes_that_meet_only_walls_need_no_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    world = im.World()
    world.add(im.Box(60, 2), im.Pose(0, -1), might=1)
    boxes = [world.add(im.Box(4, 4), im.Pose(x, 4)) for x in (-6, 0)]
    twins = Twins(world)
    speeds = np.zeros((COPIES, 2, 3))
    speeds[:, :, :2] = np.random.default_rng(1).uniform(-2, 2, (COPIES, 2, 2))
    twins.both("set_velocities", boxes, speeds)

    def refuse(*_: Any) -> None:
        raise NotImplementedError

    monkeypatch.setattr("impinge.gpu.fleets.DeviceLanes", refuse)
    ours, theirs = twins.step(3)
    assert_same_events(ours, theirs)
    assert len(theirs) == 2
    assert [len(events) for events in twins.step(3, events=False)] == [0, 0]
    twins.check()
    speeds[1, 1, 2] = 0.1  # this one turns
    twins.there.set_velocities(boxes, speeds)
    with pytest.raises(NotImplementedError):
        twins.there.step(events=False)


def test_boxes_of_several_ranks_are_left_to_lanes() -> None:
    world = im.World()
    world.add(im.Box(60, 2), im.Pose(0, -1), might=2)
    crate, beetle = world.add(im.Box(4, 4), im.Pose(-6, 2), might=1), world.add(im.Box(2, 2), im.Pose(0, 1))
    twins = Twins(world)
    twins.both("set_velocities", [crate, beetle], np.array([[(2.0, 0.0), (0.0, 0.0)]]))
    for _ in range(3):
        twins.there.step(events=False)
        twins.here.step(events=False)
    twins.check()
    assert twins.here.poses([beetle])[0, 0, 0] == 3.0  # pushed


def test_whole_copies_travel_between_device_and_cpu() -> None:
    world, runner, ball = hall()
    twins = Twins(world)
    speeds = np.linspace(-1, 1, COPIES)[:, None, None] * np.array([[(2.0, 0.0), (0.0, -1.0)]])
    twins.both("set_velocities", [runner, ball], speeds)
    twins.step(2)
    kept = twins.there.snapshot()
    np.testing.assert_allclose(kept.view(np.float64), twins.here.snapshot().view(np.float64), rtol=0, atol=TOLERANCE)
    twins.both("copy", [0], [1])
    twins.both("reset", np.arange(COPIES) == 2)
    one = twins.there[1]
    assert (one.body(runner.index).pose.x, one.body(ball.index).pose.y) == (-4.0, 32.0)
    one.set_poses([runner.index], [(3.0, 2.0)])
    twins.both("put", 0, one)
    twins.check()
    twins.there.restore(None, kept)
    twins.here.restore(None, kept)
    twins.check()
    for twin in (copy.deepcopy(twins.there), pickle.loads(pickle.dumps(twins.there))):
        twin.step()
        assert twin.poses([ball]).copy_to_host()[0, 0, 1] == pytest.approx(33.0)
    twins.check()


def test_masks_rays_and_walls_that_get_a_goal() -> None:
    world, runner, ball = hall()
    wall = next(body for body in world if body.shape == im.Box(2, 40))
    twins = Twins(world)
    twins.both("set_masks", [ball], np.arange(COPIES)[:, None] % 2)
    twins.both("set_velocities", [ball], np.array((0.0, -20.0)))
    twins.both("set_goals", [wall], np.array((20.0, 20.0)))
    assert_same_events(*twins.step())
    assert_same_events(*twins.step())
    twins.check()
    eyes = twins.here.poses([runner])[..., :2]
    goals = eyes + np.array((40.0, 0.0))
    ours, theirs = (fleet.cast_rays(eyes, goals, ignore=[runner]) for fleet in (twins.there, twins.here))
    np.testing.assert_array_equal(ours.bodies, theirs.bodies)
    np.testing.assert_allclose(ours.times, theirs.times, rtol=0, atol=TOLERANCE)
    assert len(im.Fleet(im.World(), 2, device="cuda").step().events) == 0
