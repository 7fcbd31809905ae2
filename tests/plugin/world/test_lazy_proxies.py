"""Lazy proxies: the result is the same as if their bodies had been there all along."""

from __future__ import annotations

import copy
import math
import pickle
import random

import pytest

import impinge as im
from impinge import Box, Capsule, Circle, Polygon, Pose, ShapeError, Side, World
from scale import cases

SEEDS = range(cases(40))
PARTS = 12


class Chunk:
    """Bodies within a box, added one by one or by a lazy proxy."""

    def __init__(self, draw: random.Random, left: float, bottom: float) -> None:
        self.bounds = left, bottom, left + 200, bottom + 200
        self.parts = []
        for _ in range(PARTS):
            x, y = left + draw.uniform(30, 170), bottom + draw.uniform(30, 170)
            triangle = Polygon([(-20, -15), (20, -15), (0, 20)])
            solid = draw.choice([Box(40, 40), Box(60, 12), Circle(16), Capsule((-9, 0), (9, 0), 7), triangle])
            rule = {"sticky": Side.TOP} if draw.random() < 0.3 else {}
            if draw.random() < 0.2:
                rule = {"response": draw.choice(["bounce", "stop", "sensor"])}
            self.parts.append((solid, Pose(x, y, draw.choice([0, 0, 0.3])), rule, draw.random()))

    def stand(self, world: World, first: int) -> None:
        for number, (solid, pose, rule, data) in enumerate(self.parts):
            world.add(solid, pose, 2, 1, 0, order=first + number, data=data, **rule)

    def stand_in(self, world: World, first: int, calls: list[int]) -> None:
        left, bottom, right, top = self.bounds

        def expand(body: im.Body) -> None:
            calls.append(first)
            world.remove(body)
            self.stand(world, first)

        middle = Pose(0.5 * (left + right), 0.5 * (bottom + top))
        world.add(Box(right - left, top - bottom), middle, 2, order=first + PARTS - 1, expand=expand, data=first)


def played(seed: int, is_lazy: bool) -> tuple[list[object], list[int]]:
    """Play a world of chunks with creatures, walkers, mighty bodies and a sensor; return all that a game can see."""
    draw = random.Random(seed)
    world, calls = World(entry_points=False), []
    chunks = [Chunk(draw, 250.0 * column, 250.0 * row) for column in range(4) for row in range(3)]
    for number, chunk in enumerate(chunks):
        if is_lazy:
            chunk.stand_in(world, PARTS * number, calls)
        else:
            chunk.stand(world, PARTS * number)
    bodies = []
    for number in range(8):
        solid = draw.choice([Box(20, 30), Circle(11), Polygon([(-9, -9), (9, -9), (9, 4), (0, 12), (-9, 4)])])
        options = draw.choice([{}, {}, {"max_slope": 0.8, "snap": 3.0, "step_height": 4.0}, {"response": "sensor"}])
        place = Pose(draw.uniform(0, 900), draw.uniform(0, 650))
        bodies.append(world.add(solid, place, draw.choice([0, 0, 1]), data=f"creature {number}", **options))
    seen: list[object] = []
    for _ in range(12):
        for body in bodies:
            x, y, angle = body.pose.x, body.pose.y, body.angle
            turn = draw.choice([0, 0, 0, 0.5]) if body.max_slope is None else 0
            way = draw.choice([(3, -5), (-8, 2), (40, -60), (0, 0), (-90, 30), (300, 10)])
            body.goal = Pose(x + way[0], y + way[1], angle + turn)
        frame = world.step()
        seen += [(event.kind, event.time, event.weak.data, event.mighty.data, event.side) for event in frame.events]
        seen += [(body.pose, body.sides, body.stuck, body.on_floor, body.movement) for body in bodies]
    return seen, calls


@pytest.mark.parametrize("seed", SEEDS)
def test_what_stands_in_for_others_changes_nothing(seed: int) -> None:
    (seen, calls), (expected, _) = played(seed, is_lazy=True), played(seed, is_lazy=False)
    assert seen == expected
    assert len(set(calls)) == len(calls)


def walled(calls: list[im.Body], world: World | None = None) -> tuple[World, im.Body]:
    """Return a world in which a lazy proxy stands for two walls, from x = 100 to 140."""
    world = world or World(entry_points=False)

    def expand(body: im.Body) -> None:
        calls.append(body)
        world.remove(body)
        for x in (110, 130):
            world.add(Box(20, 20), Pose(x, 0), 1, data=x)

    return world, world.add(Box(40, 20), Pose(120, 0), 1, expand=expand)


def test_it_is_called_once_and_not_before_somebody_is_near() -> None:
    calls: list[im.Body] = []
    world, block = walled(calls)
    creature = world.add(Box(10, 10), Pose(0, 0))
    ghost = world.add(Box(10, 10), Pose(120, 0), mask=2)
    equal = world.add(Box(10, 10), Pose(120, 0), 1)
    for x in (40, 80, 94):
        creature.goal, ghost.goal, equal.goal = Pose(x, 0), Pose(121, x), Pose(119, -x)
        world.step()
        assert calls == []
    creature.goal = Pose(150, 0)
    frame = world.step()
    assert calls == [block]
    assert [(event.mighty.data, creature.pose.x) for event in frame.events] == [(110, 95)]
    creature.goal = Pose(150, 0)
    world.step()
    assert len(calls) == 1


@pytest.mark.parametrize("who", ["weak sensor", "mighty sensor"])
def test_sensors_meet_what_is_there(who: str) -> None:
    calls: list[im.Body] = []
    world, _ = walled(calls)
    scout = world.add(Box(10, 10), Pose(0, 0), 0 if who == "weak sensor" else 7, response="sensor", data="scout")
    scout.goal = Pose(200, 0)
    frame = world.step()
    assert {frozenset((event.weak.data, event.mighty.data)) for event in frame.sensed} == {
        frozenset(("scout", 110)),
        frozenset(("scout", 130)),
    }


def test_who_walks_onto_what_comes_keeps_its_floor() -> None:
    """A new body must not take a row that has just become free: bodies standing on that row would lose their floor."""
    tiles = [(Box(20, 20), Pose(20.0 * number, 0)) for number in range(30)]

    def expand(body: im.Body) -> None:
        first, world = body.data, body.world
        world.remove(body)
        for number in range(first, first + 5):
            world.add(*tiles[number], 1, order=number)

    told = []
    for is_lazy in (True, False):
        world = World(entry_points=False)
        for first in range(0, 30, 5) if is_lazy else ():
            world.add(Box(100, 20), Pose(20.0 * first + 40, 0), 1, order=first + 4, expand=expand, data=first)
        for each in () if is_lazy else tiles:
            world.add(*each, 1)
        walker = world.add(Box(10, 20), Pose(0, 20), max_slope=0.8, snap=4)
        seen = []
        for _ in range(150):
            walker.goal = Pose(walker.pose.x + 3.7, walker.pose.y - 1)
            world.step()
            assert walker.on_floor
            floor = walker.floor
            assert floor is not None
            seen.append((walker.pose, floor.order, floor.pose, walker.floor_velocity))
        told.append(seen)
    assert told[0] == told[1]


def test_queries_find_the_proxy_until_it_expands() -> None:
    calls: list[im.Body] = []
    world, block = walled(calls)
    creature = world.add(Box(4, 4), Pose(0, 0))
    assert world.at_point((105, 0)) == [block]
    assert world.expand([creature]) == 0
    assert world.expand(world.in_box(Box(10, 10), Pose(100, 0))) == 1
    assert [body.data for body in world.in_box(Box(10, 10), Pose(100, 0))] == [110]
    assert world.expand() == world.expand([creature]) == 0
    assert calls == [block]


@pytest.mark.parametrize(
    "look",
    [
        lambda world: world.snapshot(),
        lambda world: world.restore(World(entry_points=False).snapshot()),
        copy.copy,
        copy.deepcopy,
        pickle.dumps,
    ],
    ids=["snapshot", "restore", "copy", "deepcopy", "pickle"],
)
def test_who_writes_the_world_down_writes_down_what_it_stands_for(look) -> None:
    calls: list[im.Body] = []
    world, block = walled(calls)
    look(world)
    assert calls == [block]


def test_a_copy_has_what_it_stood_for() -> None:
    world, _ = walled([])
    assert [body.data for body in copy.copy(world)] == [110, 130]
    twin = World(entry_points=False)
    twin.restore(world.snapshot())
    assert sorted(body.pose.x for body in twin) == [110, 130]


def test_plugins_see_what_it_stands_for() -> None:
    seen: list[list[object]] = []

    class Census:
        @im.hookimpl
        def impinge_frame_begin(self, world: World) -> None:
            seen.append([body.data for body in world])
            with pytest.raises(RuntimeError, match="expand must be None for a body that a hook adds"):
                world.add(Box(1, 1), Pose(0, 0), expand=print)

    world, _ = walled([])
    world.register(Census())
    world.step()
    assert seen == [[110, 130]]


def test_who_is_removed_before_stands_in_for_nobody() -> None:
    calls: list[im.Body] = []
    world, block = walled(calls)
    world.remove(block)
    creature = world.add(Box(10, 10), Pose(0, 0))
    creature.goal = Pose(300, 0)
    assert world.step().events == ()
    assert (creature.pose.x, calls, world.expand()) == (300, [], 0)


def test_a_proxy_that_was_found_twice_expands_once() -> None:
    """Two bodies in the same search may find the same proxy."""
    calls: list[im.Body] = []
    world, block = walled(calls)
    assert world.expand([block, block]) == 1
    assert calls == [block]
    _, stranger = walled([])
    walled([], world)
    with pytest.raises(ValueError, match="bodies must be one of this world"):
        world.expand([stranger])


def halved(body: im.Body) -> None:
    """Replace a box by its two halves, down to boxes of 10."""
    world, width, pose = body.world, body.shape.width, body.pose
    world.remove(body)
    for side in (-1, 1):
        expand = halved if width > 20 else None
        world.add(Box(width / 2, 10), Pose(pose.x + side * width / 4, 0), 1, expand=expand)


def test_those_that_come_may_stand_in_for_others_too() -> None:
    world = World(entry_points=False)
    whole = world.add(Box(640, 10), Pose(320, 0), 1, expand=halved)
    creature = world.add(Box(4, 4), Pose(5, 100))
    creature.goal = Pose(5, -100)
    frame = world.step()
    assert (creature.pose, [event.mighty.pose.x for event in frame.events]) == (Pose(5, 7), [5])
    assert sorted(body.shape.width for body in world if body is not creature) == [10, 10, 20, 40, 80, 160, 320]
    with pytest.raises(ValueError, match="removed from its world"):
        whole.world  # noqa: B018
    world.snapshot()
    assert sorted(body.pose.x for body in world if body is not creature) == [5 + 10 * number for number in range(64)]


def test_who_stays_though_it_should_go_is_told_by_name_each_time() -> None:
    world = World(entry_points=False)
    block = world.add(Box(10, 10), Pose(0, 0), 1, expand=id)
    creature = world.add(Box(4, 4), Pose(0, 0))
    for look in (world.expand, world.step, world.step, lambda: world.expand([creature, block])):
        with pytest.raises(RuntimeError, match=r"expand must remove the body .* <built-in function id> for <Body 0"):
            look()


@pytest.mark.parametrize("name", ["step", "snapshot"])
def test_a_frame_within_a_frame_is_refused_and_the_next_one_goes_on(name: str) -> None:
    world = World(entry_points=False)

    def expand(body: im.Body) -> None:
        world.remove(body)
        world.add(Box(20, 20), Pose(100, 0), 1)
        if is_wrong:
            getattr(world, name)()

    is_wrong = True
    proxy = world.add(Box(20, 20), Pose(100, 0), 1, expand=expand)
    creature = world.add(Box(10, 10), Pose(0, 0))
    creature.goal = Pose(200, 0)
    with pytest.raises(RuntimeError, match=f"{name} must not be called while a lazy proxy expands in a step"):
        world.step()
    assert (creature.pose.x, proxy.pose.x, len(world)) == (0, 100, 2)
    is_wrong = False
    world.step()
    assert creature.pose.x == 85


def split(proxy: im.Body) -> None:
    """Replace a proxy of 40 x 10 by four boxes."""
    world, place = proxy.world, proxy.pose
    world.remove(proxy)
    for x in (-15, -5, 5, 15):
        world.add(Box(10, 10), Pose(place.x + x, place.y), might=1)


def test_a_proxy_that_is_pushed_in_the_frame_in_which_it_expands_has_no_event() -> None:
    """`Frame.events` raised an AssertionError: the press meets the proxy before the hero does."""
    world = World(entry_points=False)
    world.add(Box(40, 10), Pose(15, 0), might=1, expand=split)
    press, hero = world.add(Box(10, 10), Pose(-20, 0), might=2), world.add(Box(4, 4), Pose(13, 30))
    press.goal, hero.goal = Pose(-5, 0), Pose(13, -30)
    frame = world.step()
    assert hero.pose == Pose(13, 7)
    assert [(event.weak, event.mighty.pose.x) for event in frame.events] == [(hero, 10)]
    later = world.add(Box(1, 1), Pose(500, 0))  # in the row of the proxy
    assert later not in {body for event in frame.events for body in (event.weak, event.mighty)}


@pytest.mark.parametrize("seed", SEEDS)
def test_all_bodies_of_events_are_in_the_world_whatever_pushes_a_proxy(seed: int) -> None:
    draw = random.Random(seed)
    world = World(entry_points=False)
    for row in range(6):
        world.add(Box(40, 10), Pose(0, 30 * row), might=draw.randint(1, 2), expand=split)
        for _ in range(3):
            start, end = (Pose(draw.uniform(-60, 60), 30 * row + draw.uniform(-25, 25)) for _ in range(2))
            body = world.add(draw.choice([Box(8, 8), Circle(5)]), start, might=draw.randint(0, 3))
            body.goal = end
    for _ in range(3):
        frame = world.step()
        assert {body for event in frame.events for body in (event.weak, event.mighty)} <= set(world)
        assert len(frame.events) == len(frame.rows)
        for body in world:
            body.goal = Pose(body.pose.x + draw.uniform(-20, 20), body.pose.y + draw.uniform(-20, 20))


@pytest.mark.parametrize("fails_at", range(5))
@pytest.mark.parametrize("in_step", [True, False])
def test_a_proxy_whose_function_raises_is_there_again(fails_at: int, in_step: bool) -> None:
    """An interrupted step lost a chunk of the level: the proxy was gone, and some of its bodies were missing."""
    world = World(entry_points=False)
    calls: list[int] = []

    def expand(proxy: im.Body) -> None:
        calls.append(0)
        steps = [lambda: world.remove(proxy), *[lambda: world.add(Box(10, 10), Pose(15, 0), might=1)] * 4]
        for number, step in enumerate(steps):
            if len(calls) == 1 and number == fails_at:
                raise KeyboardInterrupt
            step()

    proxy = world.add(Box(40, 10), Pose(15, 0), might=1, expand=expand, data="chunk")
    hero = world.add(Box(4, 4), Pose(15, 30))
    hero.goal = Pose(15, -30)
    act = world.step if in_step else world.expand
    with pytest.raises(KeyboardInterrupt):
        act()
    assert (list(world), proxy.pose, proxy.data, hero.pose) == ([proxy, hero], Pose(15, 0), "chunk", Pose(15, 30))
    assert world.in_box(Box(100, 100), Pose(0, 0)) == [proxy, hero]
    assert world.counters.solids == 2
    act()
    assert len(world) == 5
    world.step()
    assert hero.pose == Pose(15, 7)


def test_what_is_no_function_is_refused() -> None:
    world = World(entry_points=False)
    with pytest.raises(ShapeError, match="expand must be a function or None, got 7"):
        world.add(Box(10, 10), Pose(0, 0), expand=7)  # type: ignore[arg-type]
    assert len(world) == 0


def test_a_thousand_bodies_come_at_once() -> None:
    """There are more than the tree's tail or the rows can hold, and of a new shape."""
    stars = [
        (Polygon([(6, 0), (-3, 5 + 1e-3 * number), (-3, -5)]), Pose(12.0 * (number % 40), 12.0 * (number // 40), 0.1))
        for number in range(1000)
    ]

    def expand(body: im.Body) -> None:
        world = body.world
        world.remove(body)
        for number, each in enumerate(stars):
            world.add(*each, 1, order=number)

    told = []
    for is_lazy in (True, False):
        world = World(entry_points=False)
        if is_lazy:
            world.add(Box(600, 400), Pose(240, 150), 1, order=999, expand=expand)
        for each in () if is_lazy else stars:
            world.add(*each, 1)
        ball = world.add(Circle(2), Pose(-300, 150))
        ends = []
        for _ in range(30):
            ball.goal = Pose(ball.pose.x + 60 * math.cos(0.2), ball.pose.y + 9, ball.angle + 0.3)
            frame = world.step()
            ends.append((ball.pose, [(event.time, event.mighty.order) for event in frame.events]))
        told.append(ends)
    assert told[0] == told[1]
    assert any(events for _, events in told[0])
