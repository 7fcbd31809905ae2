"""Bodies that are added at once make the same world, bit for bit, as bodies that are added one by one."""

from __future__ import annotations

import random

import numpy as np
import pytest

import impinge as im
from impinge import Box, Capsule, Circle, Pose, ShapeError, Side, World
from impinge.kernels import columns as col
from kernel_calls import next_call
from scale import cases
from world_contents import contents

SHAPES = (Box(10, 10), Circle(4), Capsule((-4, 0), (4, 0), 2), im.Polygon([(-5, -5), (5, -5), (0, 6)]))


def rows(world):
    """Return all that a world holds. Its arrays may be longer if its bodies came one by one."""
    return contents(world), world.counters._replace(bytes=0)


def rows_for_the_kernel(world):
    """Return the rows of all bodies as the kernels get them, columns that are derived from others included."""
    bodies = next_call(world).bodies
    used = [body.index for body in world]
    return bodies.floats[used].tobytes(), np.delete(bodies.ints[used], col.POSED, 1).tobytes()


def one_by_one(world, shapes, poses, might, layer, mask, order=None, data=None, **others):
    """Add bodies by `World.add`."""
    bodies = []
    for number, (x, y, angle) in enumerate(poses):
        shape = shapes[number] if isinstance(shapes, list) else shapes
        of_each = {"might": might, "layer": layer, "mask": mask, "order": order, "data": data}
        of_one = {name: value[number] if isinstance(value, list) else value for name, value in of_each.items()}
        bodies.append(world.add(shape, Pose(x, y, angle), **of_one, **others))
    return bodies


def draw_bodies(draw, world):
    """Return random arguments of `add_many`."""
    count = draw.choice([0, 1, 2, 7, 40])

    def either(values):
        return draw.choices(values, k=count) if draw.random() < 0.5 else draw.choice(values)

    poses = [(draw.uniform(-90, 90), draw.uniform(-90, 90), draw.choice([0.0, 0.0, 0.7])) for _ in range(count)]
    first, places = world.next_order, list(range(3 * count))
    draw.shuffle(places)
    order = [first + place for place in places[:count]] if draw.random() < 0.3 else None
    others = draw.choice([{}, {"response": "sensor"}, {"max_slope": 0.5, "snap": 2}, {"sticky": Side.TOP}])
    return {
        "shapes": draw.choices(SHAPES, k=count) if draw.random() < 0.5 else draw.choice(SHAPES),
        "poses": poses,
        "might": either([0, 1, 2]),
        "layer": either([1, 2]),
        "mask": either([1, 3]),
        "order": order,
        "data": draw.sample(range(100), k=count) if draw.random() < 0.5 else None,
        **others,
    }


def play(seed, add):
    """Play a world whose bodies come and go in groups; return all that can be seen of it."""
    draw, world, seen = random.Random(seed), World(entry_points=False), []
    for _ in range(8):
        bodies = add(world, **draw_bodies(draw, world))
        seen.append([(body.index, body.order, body.shape, body.pose, body.data, body.max_slope) for body in bodies])
        for body in draw.sample(list(world), k=len(world) // 3):
            world.remove(body)
        seen.append([body.order for body in world.in_box(Box(90, 90), Pose(0, 0))])
        for body in world:
            body.goal = Pose(body.pose.x + draw.uniform(-9, 9), body.pose.y - 2, body.pose.angle)
        frame = world.step()
        seen += [rows(world), rows_for_the_kernel(world), frame.rows.tobytes(), world.next_order]
    return seen


@pytest.mark.parametrize("seed", range(cases(40)))
def test_many_at_once_are_the_same_as_one_by_one(seed):
    assert play(seed, World.add_many) == play(seed, one_by_one)


@pytest.mark.parametrize("hook", ["impinge_frame_begin", "impinge_frame_end"])
def test_a_hook_that_adds_many_does_as_one_that_adds_them_one_by_one(hook):
    def play_with(add):
        class Adding:
            @im.hookimpl(specname=hook)
            def add(self, world):
                if world.next_order < 20:
                    seen.append([body.order for body in add(world, SHAPES[0], [(0, 9, 0), (5, 40, 0)], [1, 0], 1, 1)])

        seen, world = [], World(entry_points=False)
        world.register(Adding())
        world.add(Box(90, 2), Pose(0, 0), might=2)
        for _ in range(4):
            world.step()
            seen += [rows(world), len(world)]
        return seen

    assert play_with(World.add_many) == play_with(one_by_one)


def test_lazy_proxies_are_added_at_once_and_expand_to_many():
    def play_with(add):
        def expand(proxy):
            first, x = proxy.order - 3, proxy.pose.x
            world.remove(proxy)
            places = [(x + step, 0, 0) for step in (-15, -5, 5, 15)]
            add(world, Box(10, 10), places, 1, 1, 0, order=[first, first + 1, first + 2, first + 3])

        world = World(entry_points=False)
        add(world, Box(40, 10), [(0, 0, 0), (40, 0, 0), (90, 0, 0)], 1, 1, 0, order=[3, 7, 11], expand=expand)
        ball = world.add(Circle(3), Pose(21, 20))
        ball.goal = Pose(25, 0)
        frame = world.step()
        there = [(body.index, body.order, body.shape, body.pose) for body in world]  # a snapshot expands the third
        return there, rows_for_the_kernel(world), rows(world), frame.rows.tobytes(), ball.pose, len(there)

    many = play_with(World.add_many)
    assert many == play_with(one_by_one)
    assert many[4:] == (Pose(25, 8), 4 + 4 + 1 + 1)  # it came near two of three


REFUSED = {
    "shapes must be one shape, or one for each of 2 bodies, got 1": {"shapes": [Box(1, 1)]},
    "shapes must be a solid shape": {"shapes": "box"},
    r"shapes must be a solid shape .*got 3": {"shapes": [Box(1, 1), 3]},
    "poses must be an array of numbers": {"poses": [(1, 2), (3,)]},
    r"poses must have shape \(n, 2\) or \(n, 3\), got \(2,\)": {"poses": [1, 2]},
    r"poses must be finite .*got nan at \[1, 0\]": {"poses": [(1, 2), (float("nan"), 0)]},
    "might must be an integer .*got True": {"might": True},
    r"might must be integers of shape \(2,\), got \[1.0, 2.0\]": {"might": [1.0, 2.0]},
    r"layer must be integers from 1 .*got 0 at \[1\]": {"layer": [1, 0]},
    r"mask must be integers of shape \(2,\), got \[1, 2, 3\]": {"mask": [1, 2, 3]},
    "mask must be integers": {"mask": [1, 1 << 63]},
    "response must be one of": {"response": []},
    r"order must be integers of shape \(2,\), got 5": {"order": 5},
    "order must be different for each body": {"order": [7, 7]},
    "order must be one that no body has.*got 0": {"order": [8, 0]},
    "order must be one that no body has": {"order": [8, 2**60]},
    "data must be None, or a list or tuple of 2 objects": {"data": "ab"},
    "expand must be a function or None, got 1": {"expand": 1},
}


@pytest.mark.parametrize("message", REFUSED)
def test_nonsense_is_refused_and_changes_nothing(message):
    world = World(entry_points=False)
    world.remove(world.add_many(SHAPES[0], [(0, 0), (9, 9)])[1])
    before = world.snapshot(), world.next_order
    arguments = {"shapes": SHAPES[1], "poses": [(1, 2), (3, 4)], **REFUSED[message]}
    with pytest.raises(ShapeError, match=message):
        world.add_many(**arguments)
    assert (world.snapshot(), world.next_order) == before


def test_a_setting_is_refused_although_an_equal_one_is_known():
    """Rows of known settings are kept: True is equal to 1, but no rank."""
    world = World(entry_points=False)
    world.add(Box(1, 1), Pose(0, 0), might=1)
    with pytest.raises(ShapeError, match="might must be an integer"):
        world.add(Box(1, 1), Pose(0, 0), might=True)
    with pytest.raises(ShapeError, match="snap must be a number, got \\[\\]"):
        world.add(Box(1, 1), Pose(0, 0), snap=[])


def test_a_shape_that_fails_takes_no_columns():
    class Broken(Circle):
        @property
        def row(self):
            raise ArithmeticError

    world = World(entry_points=False)
    with pytest.raises(ArithmeticError):
        world.add_many([Box(2, 2), Box(2, 2), Broken(2)], [(0, 0)] * 3)
    assert world.counters.solids == 0
    assert len(world) == world.next_order == 0


def test_one_object_has_one_slot_and_no_slot_is_left():
    world = World(entry_points=False)
    bodies = world.add_many([SHAPES[1], Circle(4), SHAPES[0]], [(0, 0)] * 3)
    assert bodies[0].shape is bodies[1].shape is SHAPES[1]
    for body in bodies:
        world.remove(body)
    assert world.counters.solids == 0
