"""Many bodies, one frame at a time: against the rule in exact fractions, and in scenes of games."""

from __future__ import annotations

import gc
import math
import random
from fractions import Fraction

import numpy as np
import pytest

import impinge as im
from exact_push import ExactBox, ExactMighty, ExactMotion, exact_world
from impinge import Body, Box, Pose, Side, World
from impinge.kernels import columns as col
from impinge.world import state
from impinge.world.state import State
from kernel_calls import noted_lacks
from scale import cases, some

ONE_WAY = Side.LEFT | Side.RIGHT | Side.BOTTOM


def exact_box(size):
    return ExactBox(Fraction(size[0]) / 2, Fraction(size[1]) / 2)


def exact_place(place):
    return (Fraction(place[0]), Fraction(place[1]))


def random_scene(rng, kind):
    """Return up to four mighty boxes of two ranks, and a weak one among them, all of them fast."""
    on_grid = kind == "grid"

    def size():
        return (rng.integers(1, 5, 2) * 2.0 if on_grid else rng.uniform(1, 8, 2)).tolist()

    def place(far):
        return (rng.integers(-far, far + 1, 2) * 1.0 if on_grid else rng.uniform(-far, far, 2)).tolist()

    mighties = []
    for _ in range(rng.integers(1, 5)):
        start = place(10)
        mighties.append(
            {
                "size": size(),
                "start": start,
                "end": start if rng.random() < 0.4 else place(10),
                "might": int(rng.integers(1, 3)),
                "rule": {
                    "carrying": Side(int(rng.choice([0, 15, 15]))),
                    "sticky": Side(int(rng.choice([0, 0, 0, 8]))),
                    "passable": Side(int(rng.choice([0, 0, 0, 7]))),
                },
            }
        )
    return {"mighties": mighties, "size": size(), "start": place(7), "goal": place(7)}


def step_scene(scene):
    world = World()
    for mighty in scene["mighties"]:
        # With mask 0, these bodies go to their goals whatever their ranks.
        body = world.add(Box(*mighty["size"]), Pose(*mighty["start"]), mighty["might"], mask=0, **mighty["rule"])
        body.goal = Pose(*mighty["end"])
    weak = world.add(Box(*scene["size"]), Pose(*scene["start"]))
    weak.goal = Pose(*scene["goal"])
    world.step()
    return world, weak


def exact_scene(scene):
    return exact_world(
        exact_box(scene["size"]),
        exact_place(scene["start"]),
        exact_place(scene["goal"]),
        [
            ExactMighty(
                exact_box(mighty["size"]),
                ExactMotion(exact_place(mighty["start"]), exact_place(mighty["end"])),
                mighty["might"],
                **{name: int(sides) for name, sides in mighty["rule"].items()},
            )
            for mighty in scene["mighties"]
        ],
    )


@pytest.mark.parametrize("kind", ["grid", "anywhere"])
@pytest.mark.parametrize("seed", range(3))
def test_random_scenes_equal_the_rule_in_exact_fractions(kind, seed):
    """This holds while W has room. Without room, the two may continue differently: see the next test."""
    rng = np.random.default_rng(seed)
    compared = 0
    for _ in range(cases(500)):
        scene = random_scene(rng, kind)
        world, weak = step_scene(scene)
        exact = exact_scene(scene)
        assert not any(body.cut_short for body in world), scene
        if exact.stuck or weak.stuck or exact.tied:
            continue
        compared += 1
        assert (weak.pose.x, weak.pose.y) == pytest.approx((float(exact.x), float(exact.y)), rel=0, abs=1e-8), scene
        assert weak.sides == exact.sides, scene
        if exact.time is None:
            assert weak.time is None, scene
        else:
            assert weak.time == pytest.approx(float(exact.time), rel=0, abs=1e-9), scene
    assert compared > cases(400)


def random_chain(rng, kind):
    """Return two walls, two crates that they push, and a creature that all of them push."""
    on_grid = kind == "grid"

    def size():
        return (rng.integers(1, 4, 2) * 2.0 if on_grid else rng.uniform(1, 6, 2)).tolist()

    def place(far):
        return (rng.integers(-far, far + 1, 2) * 1.0 if on_grid else rng.uniform(-far, far, 2)).tolist()

    return [(might, size(), place(8), place(8)) for might in (2, 2, 1, 1, 0)]


@pytest.mark.parametrize("kind", ["grid", "anywhere"])
def test_random_chains_equal_the_rule_in_exact_fractions(kind):
    """The lower rank meets the bent path that the upper one took, knot by knot."""
    rng = np.random.default_rng(17)
    compared = 0
    for _ in range(cases(400)):
        chain = random_chain(rng, kind)
        world, bodies, known = World(), [], []
        for might, size, start, goal in chain:
            body = world.add(Box(*size), Pose(*start), might)
            body.goal = Pose(*goal)
            bodies.append(body)
        world.step()
        for body, (might, size, start, goal) in zip(bodies, chain, strict=True):
            if might == 2:
                known.append(ExactMighty(exact_box(size), ExactMotion(exact_place(start), exact_place(goal)), might))
                continue
            above = [mighty for mighty in known if mighty.might > might]
            exact = exact_world(exact_box(size), exact_place(start), exact_place(goal), above)
            if exact.stuck or body.stuck or exact.tied:
                break
            compared += 1
            assert (body.pose.x, body.pose.y) == pytest.approx((float(exact.x), float(exact.y)), rel=0, abs=1e-8), chain
            assert body.sides == exact.sides, chain
            known.append(ExactMighty(exact_box(size), exact.path, might))
    assert compared > cases(600)


@pytest.mark.parametrize("kind", ["grid", "anywhere"])
def test_whoever_is_not_stuck_overlaps_nothing_mightier(kind):
    rng = np.random.default_rng(5)
    for _ in range(cases(3000)):
        scene = random_scene(rng, kind)
        _, weak = step_scene(scene)
        assert math.isfinite(weak.pose.x + weak.pose.y)
        if weak.stuck:
            continue
        for mighty in scene["mighties"]:
            if mighty["rule"]["passable"]:
                continue
            gaps = [
                abs(place - end) - (a + b) / 2
                for place, end, a, b in zip(
                    (weak.pose.x, weak.pose.y), mighty["end"], scene["size"], mighty["size"], strict=True
                )
            ]
            assert max(gaps) > -1e-8, scene


def floor_of_tiles(world, count=1000, size=64.0, top=0.0):
    for i in range(count):
        world.add(Box(size, size), Pose(i * size, top - size / 2), might=1)


@pytest.mark.parametrize("speed", [0.1, 1 / 3, 5, 63.9, 64, 1000.7, 60_000])
def test_walking_over_a_thousand_flush_tiles_never_catches(speed):
    world = World()
    floor_of_tiles(world)
    walker = world.add(Box(20, 40), Pose(0, 20))
    x = 0.0
    for _ in range(min(300, int(63_000 / speed))):
        walker.goal = Pose(x + speed, 20 - 3)
        world.step()
        x += speed
        assert walker.pose == Pose(x, 20)
        assert walker.sides == Side.BOTTOM


def test_tiles_that_are_flush_but_for_rounding_do_not_catch_either():
    """0.1 + 0.2 is not 0.3: tops that differ in the last bit form one floor."""
    world = World()
    for i in range(200):
        height = 0.1 + 0.2 if i % 2 else 0.3
        world.add(Box(1, 2 * height), Pose(i, 0), might=1)
    walker = world.add(Box(0.5, 0.5), Pose(0, 0.55))
    for i in range(1900):
        walker.goal = Pose((i + 1) / 10, 0.4)
        world.step()
        assert walker.sides == Side.BOTTOM
        assert walker.pose.x == (i + 1) / 10


def test_a_fall_along_a_wall_of_tiles_does_not_catch_on_their_seams():
    world = World()
    for i in range(100):
        world.add(Box(64, 64), Pose(0, -64.0 * i), might=1)
    faller = world.add(Box(20, 20), Pose(42, 0))
    for i in range(60):
        faller.goal = Pose(42 - 5, -100.0 * (i + 1))
        world.step()
        assert faller.pose == Pose(42, -100.0 * (i + 1))
        assert faller.sides == Side.LEFT


@pytest.mark.parametrize("together", [1, 2])
def test_standing_on_a_platform_does_not_jitter_by_one_bit(together):
    """The body stands on one platform, or on the seam of two platforms that move together."""
    world = World()
    platforms = [world.add(Box(50, 10), Pose(50.0 * i, 0), might=1) for i in range(together)]
    rider = world.add(Box(10, 20), Pose(25 + 1 / 3, 15))
    for i in range(3000):
        x, y = 100 * math.sin(0.01 * i) + 0.1, 70 * math.sin(0.037 * i) + 0.3
        for k, platform in enumerate(platforms):
            if i == 0:
                platform.pose = Pose(x + 50 * k, y)
            platform.goal = Pose(x + 50 * k, y)
        if i == 0:
            rider.pose = Pose(x + 25 + 1 / 3, y + 15)
            offset = rider.pose.x - platforms[0].pose.x
        rider.goal = Pose(rider.pose.x, rider.pose.y - 12)
        world.step()
        assert rider.pose.y == platforms[0].pose.y + 15
        assert rider.pose.x == platforms[0].pose.x + offset
        assert rider.sides == Side.BOTTOM


def test_a_lift_up_and_down_faster_than_gravity():
    world = World()
    lift = world.add(Box(40, 10), Pose(0, 0), might=1)
    sticky = world.add(Box(40, 10), Pose(100, 0), might=1, sticky=Side.TOP)
    falling, held = world.add(Box(10, 10), Pose(0, 10)), world.add(Box(10, 10), Pose(100, 10))
    for dy in [20] * 5 + [-20] * 5:
        for body in (lift, sticky):
            body.goal = Pose(body.pose.x, body.pose.y + dy)
        for body in (falling, held):
            body.goal = Pose(body.pose.x, body.pose.y - 3)
        world.step()
    assert falling.pose == Pose(0, 110 - 5 * 3)
    assert held.pose == Pose(100, 10)


def test_closing_walls_crush_and_throw_nobody():
    world = World()
    left, right = (world.add(Box(20, 100), Pose(x, 0), might=1) for x in (-30, 30))
    creature = world.add(Box(10, 10), Pose(0, 0))
    for _ in range(12):
        left.goal, right.goal = Pose(left.pose.x + 2, 0), Pose(right.pose.x - 2, 0)
        frame = world.step()
        if frame.stuck_events:
            break
    assert creature.stuck == Side.LEFT | Side.RIGHT
    assert {event.mighty for event in frame.stuck_events} == {left, right}
    # It is moved out of the wall that was added first, and not out of the gap.
    assert creature.pose == Pose(left.pose.x + 15, 0)


def test_the_mightier_of_two_closing_walls_has_its_way():
    world = World()
    left = world.add(Box(20, 100), Pose(-15, 0), might=1, mask=0)
    right = world.add(Box(20, 100), Pose(15, 0), might=2)
    creature = world.add(Box(10, 10), Pose(0, 0))
    left.goal, right.goal = Pose(-11, 0), Pose(11, 0)
    world.step()
    assert creature.pose == Pose(-4, 0)
    assert creature.stuck == Side.LEFT | Side.RIGHT


def test_whoever_is_crushed_is_stuck_even_while_carriers_take_turns():
    """A press comes down on a body, and a pusher moves it sideways: each of the two carries it off the other.

    When carriers were chosen in turns, the lack of room was lost: the body went into the anvil and was not stuck.
    """
    world = World()
    press = world.add(Box(8, 2), Pose(0, 5), might=2)
    pusher = world.add(Box(2, 8), Pose(5, 2), might=1)
    world.add(Box(4, 4), Pose(2, -2), might=1)
    creature = world.add(Box(8, 4), Pose(0, 2))
    press.goal, pusher.goal = Pose(-5, 0), Pose(0, -9)
    world.step()
    assert creature.stuck == Side.TOP | Side.BOTTOM
    assert creature.pose == Pose(-5, -3)


def test_a_gap_that_just_fits_is_not_stuck():
    world = World()
    world.add(Box(20, 100), Pose(-15, 0), might=1)
    world.add(Box(20, 100), Pose(15, 0), might=1)
    creature = world.add(Box(10, 10), Pose(0, 0))
    creature.goal = Pose(3, -20)
    world.step()
    assert creature.pose == Pose(0, -20)
    assert creature.stuck == Side.NONE


@pytest.mark.parametrize("shape", [Box(10, 10), im.Circle(5)])
def test_a_body_tells_that_it_overlapped_at_the_start(shape):
    world = World()
    world.add(Box(20, 100), Pose(-15, 0), might=1)
    inside, beside = world.add(shape, Pose(-3, 0)), world.add(shape, Pose(0, 20))
    world.step()
    assert (inside.overlapped, beside.overlapped) == (True, False)
    assert inside.pose.x == pytest.approx(0)
    world.step()
    assert not inside.overlapped


def test_a_chain_of_ranks_pushes_through_in_one_frame():
    world = World()
    wall = world.add(Box(10, 10), Pose(0, 0), might=5)
    chain = [world.add(Box(10, 10), Pose(12.0 * (i + 1), 0), might=4 - i) for i in range(5)]
    wall.goal = Pose(30, 0)
    world.step()
    assert [body.pose.x for body in chain] == [40, 50, 60, 70, 80]


def test_a_chain_is_met_on_the_path_that_it_really_took():
    """The crate is pushed only from half time on. The creature must meet that path, not a slower straight one."""
    world = World()
    wall = world.add(Box(10, 10), Pose(0, 0), might=2)
    crate = world.add(Box(10, 10), Pose(20, 0), might=1)
    creature = world.add(Box(10, 10), Pose(35, 0))
    wall.goal = Pose(20, 0)
    frame = world.step()
    assert (crate.pose.x, creature.pose.x) == (30, 40)
    assert [(event.weak, event.time) for event in frame.pushes] == [(crate, 0.5), (creature, 0.75)]


def test_equals_pass_through_each_other():
    world = World()
    one, other = world.add(Box(10, 10), Pose(0, 0), might=3), world.add(Box(10, 10), Pose(20, 0), might=3)
    one.goal, other.goal = Pose(20, 0), Pose(0, 0)
    assert world.step().events == ()
    assert (one.pose, other.pose) == (Pose(20, 0), Pose(0, 0))


def test_masks_choose_who_pushes():
    world = World()
    world.add(Box(10, 100), Pose(0, 0), might=1, layer=0b10)
    ghost, creature = world.add(Box(4, 4), Pose(-20, 0), mask=0b01), world.add(Box(4, 4), Pose(-20, 0), mask=0b10)
    ghost.goal = creature.goal = Pose(20, 0)
    world.step()
    assert (ghost.pose.x, creature.pose.x) == (20, -7)


def test_a_one_way_platform_that_moves_up_keeps_who_stands_on_it():
    world = World()
    platform = world.add(Box(40, 10), Pose(0, 0), might=1, passable=ONE_WAY)
    rider = world.add(Box(10, 20), Pose(0, 15))
    for i in range(50):
        platform.goal = Pose(0, 7.3 * (i + 1))
        rider.goal = Pose(0, rider.pose.y - 4)
        world.step()
        assert rider.pose.y == platform.pose.y + 15


def test_up_through_a_row_of_one_way_platforms_is_a_straight_line():
    world = World()
    for i in range(10):
        world.add(Box(100, 4), Pose(0, 20.0 * i), might=1, passable=ONE_WAY)
    jumper = world.add(Box(10, 10), Pose(0, -10))
    for i in range(60):
        jumper.goal = Pose(0.5 * (i + 1), -10 + 4.0 * (i + 1))
        world.step()
        assert jumper.pose == Pose(0.5 * (i + 1), -10 + 4.0 * (i + 1))


def test_an_inner_corner_stops_both_ways():
    world = World()
    world.add(Box(100, 10), Pose(0, 0), might=1)
    world.add(Box(10, 100), Pose(45, 45), might=1)
    creature = world.add(Box(10, 10), Pose(0, 30))
    creature.goal = Pose(200, -200)
    world.step()
    assert creature.pose == Pose(35, 10)
    assert creature.blocked == Side.RIGHT | Side.BOTTOM


def test_a_step_is_walked_off_and_what_blocked_does_not_block_any_more():
    world = World()
    world.add(Box(10, 10), Pose(0, 0), might=1)
    jumper = world.add(Box(4, 4), Pose(-10, 0))
    jumper.goal = Pose(10, 20)
    world.step()
    assert jumper.sides == Side.RIGHT
    assert jumper.blocked == Side.NONE


def test_a_body_inside_a_floor_of_tiles_is_lifted_out_of_it():
    world = World()
    floor_of_tiles(world, 10)
    creature = world.add(Box(20, 20), Pose(96 + 9.5, 5))
    frame = world.step()
    assert creature.pose == Pose(96 + 9.5, 10)
    assert frame.pushes[0].time == 0


def test_the_tree_finds_what_a_look_at_every_body_finds():
    """Compare a world with a tree and worlds with one weak body each. Sizes are mixed; bodies move, come and go.

    The weak bodies are new in those worlds, so no world may use the state of earlier stuck bodies.
    """
    rng = np.random.default_rng(3)
    leaves = {"when_stuck": "leave"}
    world = World()
    walls = [world.add(Box(*rng.uniform(1, 60, 2)), Pose(*rng.uniform(-500, 500, 2)), might=1) for _ in range(400)]
    creatures = [world.add(Box(*rng.uniform(1, 20, 2)), Pose(*rng.uniform(-500, 500, 2)), **leaves) for _ in range(40)]
    for frame in range(cases(12, least=3)):
        moves = {wall: wall.pose for wall in walls}
        for wall in rng.choice(len(walls), 100, replace=False):
            x, y = rng.uniform(-60, 60, 2)
            moves[walls[wall]] = Pose(walls[wall].pose.x + x, walls[wall].pose.y + y)
        if frame % 5 == 0:
            world.remove(walls.pop(int(rng.integers(len(walls)))))
            walls.append(world.add(Box(30, 30), Pose(*rng.uniform(-500, 500, 2)), might=1))
            moves = {wall: moves.get(wall, wall.pose) for wall in walls}
        goals = {creature: Pose(*rng.uniform(-500, 500, 2)) for creature in creatures}
        expected = []
        for creature in creatures:
            alone = World()
            for wall in walls:
                if is_within_reach(wall, moves[wall], creature, goals[creature]):
                    alone.add(wall.shape, wall.pose, might=1).goal = moves[wall]
            twin = alone.add(creature.shape, creature.pose, **leaves)
            twin.goal = goals[creature]
            alone.step()
            expected.append((twin.pose, twin.sides, twin.stuck))
        for body, goal in {**moves, **goals}.items():
            body.goal = goal
        world.step()
        assert [(creature.pose, creature.sides, creature.stuck) for creature in creatures] == expected


def is_within_reach(wall, goal, creature, creature_goal):
    """Return whether a wall can matter at all: the creature is pushed by at most 200."""
    x = [creature.pose.x, creature_goal.x]
    y = [creature.pose.y, creature_goal.y]
    return (
        min(x) - 300 < max(wall.pose.x, goal.x)
        and max(x) + 300 > min(wall.pose.x, goal.x)
        and min(y) - 300 < max(wall.pose.y, goal.y)
        and max(y) + 300 > min(wall.pose.y, goal.y)
    )


def crowd(order):
    """Return a world of three ranks whose bodies are added in some order."""
    rng = np.random.default_rng(9)
    specs = [(i, rng.uniform(-60, 60, 2), rng.uniform(4, 12, 2), rng.uniform(-20, 20, 2)) for i in range(30)]
    world, bodies = World(), {}
    for i in order(range(30)):
        _, place, size, _ = specs[i]
        bodies[i] = world.add(Box(*size), Pose(*place), might=i)
    return world, bodies, [velocity for *_, velocity in specs]


def run(order, frames=30):
    world, bodies, velocities = crowd(order)
    for _ in range(frames):
        for i, body in bodies.items():
            body.goal = Pose(body.pose.x + velocities[i][0], body.pose.y + velocities[i][1])
        world.step()
    return [(bodies[i].pose, bodies[i].sides) for i in range(30)]


def test_the_same_bits_in_any_order_of_adding_bodies_of_distinct_ranks():
    assert run(list) == run(list)
    assert run(list) == run(reversed)
    assert run(list) == run(lambda numbers: sorted(numbers, key=lambda i: i * 7 % 30))


def test_events_and_paths_beyond_the_first_buffers_are_not_lost():
    """A frame that runs out of rows continues with more rows. A restart would find its own anchors."""
    world = World()
    floor_of_tiles(world, 300, size=1.0)
    crates = [world.add(Box(0.5, 0.5), Pose(1.0 * i, 0.25), might=0) for i in range(3)]
    witnesses = [world.add(Box(0.5, 0.5), Pose(1.0 * i, 0.75), might=-1) for i in range(3)]
    for crate in crates:
        crate.goal = Pose(crate.pose.x + 200, -5)
    frame = world.step()
    assert all(crate.pose.y == 0.25 for crate in crates)
    assert sum(event.weak is crates[0] for event in frame.pushes) == 201
    assert len(frame.events) == 3 * 201 + sum(event.weak in witnesses for event in frame.events)


def test_a_path_whose_end_is_the_first_knot_without_a_row_ends_where_it_should(monkeypatch):
    """Found with 600 bodies of four ranks: the last knot of a path was written beyond the end of the buffer, unnoticed.

    Lower ranks then met uninitialised memory as the end of the crate's path, and NaN spread from it.
    """

    def poisoned(made):
        if made.dtype.kind == "f":
            made.fill(np.nan)
        return made

    def crowd(rows):
        rng = np.random.default_rng(3)
        monkeypatch.setattr(state, "INITIAL_KNOTS", rows)
        world = World()
        bodies = [
            world.add(Box(*rng.uniform(2, 30, 2)), Pose(*rng.uniform(0, 500, 2)), might=i % 4) for i in range(600)
        ]
        for _ in range(3):
            for body in bodies:
                x, y = rng.uniform(-20, 20, 2)
                body.goal = Pose(body.pose.x + x, body.pose.y + y)
            world.step()
        return [(body.pose, body.sides, body.stuck) for body in bodies]

    for make in (np.empty, np.empty_like):
        monkeypatch.setattr(np, make.__name__, lambda *shape, make=make: poisoned(make(*shape)))
    lacks = noted_lacks(monkeypatch)
    with_room = crowd(100_000)
    assert not any(lack & col.LACKS_KNOTS for lack in lacks)
    for rows in (1, 2, 3, 50):
        lacks.clear()
        assert crowd(rows) == with_room
        assert any(lack & col.LACKS_KNOTS for lack in lacks)


def test_bodies_that_go_and_come_keep_their_events():
    world = World()
    wall = world.add(Box(10, 10), Pose(0, 0), might=1)
    creature = world.add(Box(10, 10), Pose(10, 0))
    wall.goal = Pose(5, 0)
    frame = world.step()
    world.remove(creature)
    newcomer = world.add(Box(1, 1), Pose(500, 0))
    assert frame.events[0].weak is creature
    assert frame.events[0].weak is not newcomer
    with pytest.raises(ValueError, match="removed"):
        creature.pose  # noqa: B018
    assert repr(creature) == "<Body, removed>"


def test_a_body_can_be_placed_resized_and_given_other_sides():
    world = World()
    platform = world.add(Box(40, 10), Pose(0, 0), might=1)
    creature = world.add(Box(10, 10), Pose(0, 10))
    platform.passable = Side.ALL
    creature.goal = Pose(0, 3)
    world.step()
    assert creature.pose == Pose(0, 3)
    platform.passable, creature.pose, platform.shape = Side.NONE, Pose(0, 50), Box(40, 80)
    creature.goal = Pose(0, 0)
    world.step()
    assert creature.pose == Pose(0, 45)
    assert (creature.previous, creature.goal) == (Pose(0, 50), Pose(0, 45))
    platform.carrying, platform.sticky = Side.NONE, Side.TOP
    assert (platform.carrying, platform.sticky, platform.might) == (Side.NONE, Side.TOP, 1)


def test_goals_of_many_bodies_at_once():
    world = World()
    world.add(Box(10, 1000), Pose(100, 0), might=1)
    bodies = [world.add(Box(2, 2), Pose(0, 10.0 * i)) for i in range(20)]
    rows = np.array([body.index for body in bodies])
    world.set_goals(rows, world.positions(rows) + np.array([200, 0]))
    world.step()
    np.testing.assert_array_equal(world.positions(rows), [[94, 10 * i] for i in range(20)])
    assert (world.blocked(rows) == Side.RIGHT).all()


def test_poses_of_many_bodies_at_once():
    world = World()
    bodies = [world.add(Box(2, 1), Pose(10 * i, 5)) for i in range(3)]
    rows = [body.index for body in bodies]
    poses = [(7, 8, 0.5), (-1, 2, -0.25), (0, 0, 3)]
    world.set_poses(rows, poses)
    np.testing.assert_array_equal(world.poses(rows), poses)
    np.testing.assert_array_equal(world.poses(rows[::-1]), poses[::-1])
    bodies[1].goal = Pose(4, 4, 1)
    world.step()
    np.testing.assert_array_equal(world.poses(rows[1:2]), [(4, 4, 1)])
    assert world.poses([]).shape == (0, 3)


def closing_walls(world):
    """Return two walls that close from the left and the right, and a body between them that gets no room."""
    walls = [world.add(Box(10, 10), Pose(x, 0), might=1, data=x) for x in (-11, 11)]
    between = world.add(Box(10, 10), Pose(0, 0))
    return walls, between


@pytest.mark.parametrize("takes_its_place", [False, True])
def test_who_takes_the_place_of_another_comes_before_those_that_came_later(takes_its_place):
    """Of two equal walls that leave no room, the one that was added first wins."""
    world = World()
    (left, right), between = closing_walls(world)
    assert [left.order, right.order, between.order, world.next_order] == [0, 1, 2, 3]
    order = left.order
    world.remove(left)
    left = world.add(Box(10, 10), Pose(-11, 0), might=1, order=order if takes_its_place else None)
    assert (left.order, world.next_order) == ((0, 3) if takes_its_place else (3, 4))
    left.goal, right.goal = Pose(-8, 0), Pose(8, 0)
    frame = world.step()
    assert {event.mighty for event in frame.events} == {left, right}
    assert between.pose.x == (2 if takes_its_place else -2)
    assert world.at_point((100, 0)) == []
    assert world.in_box(Box(100, 1), Pose(0, 0)) == (
        [left, right, between] if takes_its_place else [right, between, left]
    )


def test_a_place_in_the_order_is_kept_by_snapshots_and_given_in_hooks():
    world = World()
    far = world.add(Box(1, 1), Pose(0, 0), order=7)
    near = world.add(Box(1, 1), Pose(0, 0), order=3)
    assert (far.order, near.order, world.next_order) == (7, 3, 8)
    assert world.at_point((0, 0)) == [near, far]
    copied = World(entry_points=False)
    copied.restore(world.snapshot())
    assert [body.order for body in copied.at_point((0, 0))] == [3, 7]
    assert copied.next_order == 8

    class Spawner:
        @im.hookimpl
        def impinge_frame_begin(self, world):
            came.append(world.add(Box(1, 1), Pose(0, 0), order=5))
            with pytest.raises(im.ShapeError, match=r"order must be one that no body has, .* got 5"):
                world.add(Box(1, 1), Pose(0, 0), order=5)

    came = []
    world.register(Spawner())
    world.step()
    assert world.at_point((0, 0)) == [near, *came, far]


def test_a_place_in_the_order_is_free_again_when_its_body_is_gone():
    world = World(entry_points=False)
    bodies = {body.order: body for body in (world.add(Box(1, 1), Pose(3 * i, 0)) for i in range(10))}
    draw = random.Random(1)
    for _ in range(300):
        order = draw.randrange(world.next_order + 2)
        if order not in bodies:
            bodies[order] = world.add(Box(1, 1), Pose(0, 0), order=order)
        with pytest.raises(im.ShapeError, match="order must be one that no body has"):
            world.add(Box(1, 1), Pose(0, 0), order=order)
        if draw.random() < 0.3:
            newest = world.add(Box(1, 1), Pose(0, 0))
            bodies[newest.order] = newest
        gone = draw.choice(list(bodies))
        world.remove(bodies.pop(gone))
        assert {body.order: body for body in world} == bodies
        if draw.random() < 0.1:
            world.restore(world.snapshot())
            bodies = {body.order: body for body in world}


def test_who_was_removed_in_a_frame_that_failed_has_its_place_in_the_order_again():
    class TakesPlaces:
        @im.hookimpl
        def impinge_frame_begin(self, world):
            world.remove(first)

        @im.hookimpl
        def impinge_frame_end(self, world):
            world.add(Box(1, 1), Pose(0, 0), order=0)
            raise KeyError

    world = World(entry_points=False)
    first = world.add(Box(1, 1), Pose(0, 0))
    world.register(TakesPlaces())
    with pytest.raises(KeyError):
        world.step()
    with pytest.raises(im.ShapeError, match="order must be one that no body has"):
        world.add(Box(1, 1), Pose(0, 0), order=0)
    assert [body.order for body in world] == [0]


def test_to_give_many_bodies_places_in_the_order_all_are_looked_through_once(monkeypatch):
    looked = []
    look = State.rows_by_order
    monkeypatch.setattr(State, "rows_by_order", lambda state: looked.append(state) or look(state))
    world = World()
    world.add(Box(1, 1), Pose(0, 0), order=1000)
    for order in range(1000):
        world.add(Box(1, 1), Pose(0, 0), order=order)
    assert len(looked) == 1
    for body in list(world)[::2]:
        order = body.order
        world.remove(body)
        world.add(Box(1, 1), Pose(0, 0), order=order)
    assert len(looked) == 1


def test_a_body_is_found_by_its_index():
    world = World()
    gone, first, second = (world.add(Box(1, 1), Pose(3 * i, 0)) for i in range(3))
    row = gone.index
    world.remove(gone)
    assert [world.body(index) for index in np.array([second.index, first.index])] == [second, first]
    for index in (row, -1, 3, 1.0, None):
        with pytest.raises(im.ShapeError, match="index must be that of a body in this world, got"):
            world.body(index)


def test_events_are_told_as_numbers():
    """Worked out by hand: a wall that pushes, a coin that is met half way, and a creature without room."""
    world = World()
    wall, crate = world.add(Box(2, 9), Pose(0, 0), might=1), world.add(Box(2, 2), Pose(5, 0))
    wall.goal = Pose(6, 0)
    coin = world.add(Box(2, 2), Pose(0, 55), response="sensor")
    visitor = world.add(Box(2, 2), Pose(0, 50))
    visitor.goal = Pose(0, 56)
    ground, press = world.add(Box(40, 2), Pose(100, -1), might=1), world.add(Box(40, 2), Pose(100, 5), might=2)
    creature = world.add(Box(2, 2), Pose(100, 1))
    press.goal = Pose(100, 1)
    rows = {(int(row[2]), int(row[3]), int(row[5])): row.tolist() for row in world.step().rows}
    assert rows[crate.index, wall.index, 0] == [0.5, 6, 1, 0, Side.LEFT, 0, 1, 0, 1, 0]
    assert rows[visitor.index, coin.index, 1][:6] == [0.5, 0, 3, 2, Side.NONE, 1]
    assert {mighty for weak, mighty, kind in rows if weak == creature.index and kind == 2} == {
        ground.index,
        press.index,
    }


@pytest.mark.parametrize("walls", [3, 40])  # Python sorts few events, NumPy many
def test_rows_and_data_come_in_the_order_of_events(walls):
    world = World()
    for number in range(walls):
        world.add(Box(2, 2), Pose(10 - number % 3, 10 * number), might=1, data=f"wall {number}")
    for number in reversed(range(walls)):
        world.add(Box(1, 1), Pose(0, 10 * number), data=f"ball {number}").goal = Pose(20, 10 * number)
    frame = world.step()
    told = [(event.time, event.weak.data, event.mighty.data) for event in frame.events]
    wanted = [
        ((8.5 - number % 3) / 20, f"ball {number}", f"wall {number}")
        for number in sorted(range(walls), key=lambda number: (-(number % 3), -number))
    ]
    assert told == wanted
    times = [row[im.EventColumn.TIME] for row in frame.ordered_rows]
    assert list(zip(times, frame.data(im.EventColumn.WEAK), frame.data(im.EventColumn.MIGHTY), strict=True)) == wanted
    assert sorted(map(tuple, frame.ordered_rows)) == sorted(map(tuple, frame.rows.tolist()))


@pytest.mark.parametrize(
    "numbers", [(3.0, 4.0, 0.0), (3, 4, 0), (np.float64(3), np.float32(4), 0.0), (3.0, 4.0, 0.5), (3.0, 4.0, -2)]
)
@pytest.mark.parametrize("might", [0, 1])
def test_to_aim_by_numbers_is_to_set_the_goal(numbers, might):
    worlds = World(), World()
    for world in worlds:
        world.add(Box(2, 2), Pose(2.5, 0), might=1 - might)
    aimed, sent = (world.add(Box(1, 1), Pose(1, 2), might=might) for world in worlds)
    for _ in range(2):
        aimed.aim(*numbers)
        sent.goal = Pose(*numbers)
        assert aimed.goal == sent.goal
        for world in worlds:
            world.step()
        assert aimed.coordinates == (sent.pose.x, sent.pose.y, sent.pose.angle) == numbers


@pytest.mark.parametrize("number", [math.nan, math.inf, -1e101, "3", None])
def test_to_aim_at_no_place_is_refused_and_changes_nothing(number):
    body = World().add(Box(1, 1), Pose(1, 2))
    for numbers, name in (((number, 0.0, 0.0), "x"), ((0.0, number, 0.0), "y"), ((0.0, 0.0, number), "angle")):
        with pytest.raises(im.ShapeError, match=f"{name} must be"):
            body.aim(*numbers)
    assert body.goal == Pose(1, 2)


def test_a_removed_body_has_no_coordinates():
    world = World()
    body = world.add(Box(1, 1), Pose(1, 2))
    world.remove(body)
    with pytest.raises(ValueError, match="was removed"):
        body.coordinates  # noqa: B018
    with pytest.raises(ValueError, match="was removed"):
        body.aim(0.0, 0.0, 0.0)


def test_many_bodies_are_put_elsewhere_at_once():
    """The result is the same as for single teleports: nothing in between is met, and they stay."""
    outcomes = []
    for at_once in (True, False):
        world = World()
        wall = world.add(Box(10, 1000), Pose(100, 0), might=1)
        bodies = [world.add(Box(2, 2), Pose(0, 10.0 * i), might=i % 2) for i in range(20)]
        poses = [(200 + i, 5 * i, 0.1 * (i % 3)) for i in range(20)]
        for body in bodies:
            body.goal = Pose(50, 50, 1)
        if at_once:
            world.set_poses([body.index for body in bodies], poses)
            world.set_poses([wall.index], [(-50, 0)])
        else:
            for body, pose in zip(bodies, poses, strict=True):
                body.pose = Pose(*pose)
            wall.pose = Pose(-50, 0)
        before = [(body.pose, body.goal) for body in world]
        frame = world.step()
        outcomes.append(
            (before, frame.events, [body.pose for body in world], [b.index for b in world.at_point((200, 0))])
        )
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0][1:] == [(Pose(*pose), Pose(*pose)) for pose in poses]
    assert outcomes[0][1] == ()


def test_a_million_units_away_and_a_thousandth_in_size():
    world = World()
    world.add(Box(1, 1), Pose(1e6, -1e6), might=1)
    creature = world.add(Box(1e-3, 1e-3), Pose(1e6, -1e6 + 3))
    creature.goal = Pose(1e6, -1e6 - 1e5)
    for _ in range(100):
        world.step()
        creature.goal = Pose(1e6, -1e6 - 1e5)
        assert creature.pose.y == pytest.approx(-1e6 + 0.5005, rel=0, abs=1e-9)


def test_resting_costs_no_memory():
    world = World()
    floor_of_tiles(world, 20)
    walker = world.add(Box(20, 40), Pose(30, 20))

    def objects_after(frames):
        for _ in range(frames):
            walker.goal = Pose(walker.pose.x, 10)
            world.step()
        gc.collect()
        return len(gc.get_objects())

    objects_after(100)
    assert objects_after(2000) <= objects_after(2000) + 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda world, body: setattr(body, "goal", (1, 2)), r"goal must be a Pose, got \(1, 2\)"),
        (lambda world, body: setattr(body, "pose", None), "pose must be a Pose, got None"),
        (lambda world, body: setattr(body, "shape", 3), r"shape must be a solid shape \(Box, .* got 3"),
        (lambda world, body: setattr(body, "carrying", 99), "carrying must be a Side, got 99"),
        (lambda world, body: setattr(body, "sticky", "TOP"), "sticky must be a Side, got 'TOP'"),
        (lambda world, body: setattr(body, "passable", -1), "passable must be a Side, got -1"),
        (lambda world, body: world.add("box", Pose(0, 0)), r"shape must be a solid shape \(Box, .* got 'box'"),
        (lambda world, body: world.add(Box(1, 1), Pose(0, 0), might=1.5), "might must be an integer .* got 1.5"),
        (lambda world, body: world.add(Box(1, 1), Pose(0, 0), layer=0), "layer must be an integer from 1 .* got 0"),
        (lambda world, body: world.add(Box(1, 1), Pose(0, 0), mask=-1), "mask must be an integer from 0 .* got -1"),
        (lambda world, body: world.add(Box(1, 1), Pose(0, 0), order=1), "order must be one that no body has, .* got 1"),
        (
            lambda world, body: world.add(Box(1, 1), Pose(0, 0), order=2**52 + 1),
            "order must be .* at most 4503599627370496",
        ),
        (lambda world, body: world.add(Box(1, 1), Pose(0, 0), order=-1), "order must be an integer from 0 .* got -1"),
        (lambda world, body: world.add(Box(1, 1), Pose(0, 0), order=2.0), "order must be an integer .* got 2.0"),
        (lambda world, body: world.remove("body"), "body must be one of this world, got 'body'"),
        (lambda world, body: world.remove(World().add(Box(1, 1), Pose(0, 0))), "body must be one of this world"),
        (lambda world, body: world.set_goals([0, 7], [(0, 0), (1, 1)]), "bodies must be in this world, got index 7"),
        (lambda world, body: world.set_goals([0], [(0, 0), (1, 1)]), r"goals must have shape .* got \(2, 2\)"),
        (
            lambda world, body: world.set_poses([0], [(0, math.nan)]),
            r"poses must be finite .* got nan at \[0, 1\]",
        ),
        (lambda world, body: world.set_poses([7], [(0, 0)]), "bodies must be in this world, got index 7"),
        (
            lambda world, body: world.set_goals([0], [(0, math.nan)]),
            r"goals must be finite .* got nan at \[0, 1\]",
        ),
        (lambda world, body: world.set_poses([0], [(0, -1.1e100)]), r"poses must be .* got -1.1e\+100 at \[0, 1\]"),
        (lambda world, body: world.set_goals([0], [(0, 0, 1.1e100)]), r"goals must be .* got 1.1e\+100 at \[0, 2\]"),
        (lambda world, body: world.set_goals([0], [("1", "2")]), "goals must be an array of numbers"),
        (lambda world, body: world.set_goals([0], [(1,), (1, 2)]), "goals must be an array of numbers"),
        (lambda world, body: world.set_goals([0], [(1j, 2)]), "goals must be an array of numbers"),
        (lambda world, body: world.set_goals([0], [(True, False)]), "goals must be an array of numbers"),
        (lambda world, body: world.set_poses([0], 3.0), r"poses must have shape .* got \(\)"),
        (lambda world, body: world.set_poses([0], None), "poses must be .*numbers|poses must have shape"),
        (lambda world, body: world.set_poses([], [(1, 2)]), r"poses must have shape .* got \(1, 2\)"),
        (lambda world, body: world.set_poses([[0], [0, 1]], [(1, 2)]), "bodies must be indices"),
        (lambda world, body: world.set_poses([True], [(1, 2)]), "bodies must be indices"),
        (lambda world, body: world.set_poses(np.uint64([2**63]), [(1, 2)]), "bodies must be in this world"),
        (lambda world, body: world.set_poses(0, [(1, 2)]), "bodies must be indices"),
        (lambda world, body: world.overlapping_pairs([0], [("a", "b")]), "poses must be an array of numbers"),
        (lambda world, body: world.overlapping_pairs([0], [(0, 2e100)]), "poses must be finite and at most"),
        (lambda world, body: world.at_point((0, 0), ignore=np.array([0])), "ignore must be one of this world"),
        (lambda world, body: world.at_point((0, 0), ignore=np.array(0)), "ignore must be bodies of this world"),
        (lambda world, body: world.at_point((0, 0), ignore=np.array([[0, 1]])), "ignore must be one of this world"),
        (lambda world, body: world.add(Box, Pose(0, 0)), "shape must be a solid shape"),
        (lambda world, body: world.in_box(Box, Pose(0, 0)), "box must be a solid shape"),
        (lambda world, body: world.in_box(Box, Pose(0, 0), include_touching=False), "box must be a solid shape"),
        (lambda world, body: world.add(Box(1, 1), Pose(0, 0), snap=True), "snap must be a number, got True"),
        (lambda world, body: world.at_point((True, 0)), r"point\[0\] must be a number, got True"),
        (lambda world, body: World(entry_points="yes"), "entry_points must be True, False or 'strict', got 'yes'"),
        (lambda world, body: World(entry_points=1), "entry_points must be True, False or 'strict', got 1"),
        (lambda world, body: world.restore(world.snapshot(), limits=3), "limits must be SnapshotLimits, got 3"),
        (lambda world, body: world.positions([0.5]), r"bodies must be indices of shape \(n,\), got \[0.5\]"),
    ],
)
def test_a_failed_call_leaves_the_world_as_it_was(change, message):
    world = World()
    wall = world.add(Box(10, 10), Pose(0, 0), might=1, sticky=Side.TOP)
    body = world.add(Box(10, 10), Pose(30, 0))
    wall.goal = Pose(25, 0)
    before = (len(world), world.snapshot())
    with pytest.raises(ValueError, match=message):
        change(world, body)
    assert len(world) == before[0]
    assert world.snapshot() == before[1]
    world.step()
    assert body.pose == Pose(35, 0)


@pytest.mark.parametrize(("walls", "builds"), [(0, 0), (5, 0), (32, 0), (33, 1), (200, 1)])
def test_a_tree_is_built_once_and_only_for_more_bodies_than_a_look_at_each_is_worth(walls, builds, monkeypatch):
    """In a world of one rank, the limit of moves before a rebuild was zero: it built an empty tree in every frame."""
    built = []
    build = State.build_tree
    monkeypatch.setattr(State, "build_tree", lambda state: (built.append(state), build(state)))
    world = World()
    for i in range(walls):
        world.add(Box(10, 10), Pose(20.0 * i, 0), might=1)
    creature = world.add(Box(10, 10), Pose(0, 30))
    for _ in range(10):
        creature.goal = Pose(0, 5)
        world.step()
    assert len(built) == builds
    assert creature.pose.y == (10 if walls else 5)


def test_an_empty_world_and_one_of_a_single_rank_step():
    world = World()
    assert world.step().events == ()
    body = world.add(Box(1, 1), Pose(0, 0))
    body.goal = Pose(3, 4)
    world.step()
    assert (body.pose, list(world), len(world)) == (Pose(3, 4), [body], 1)
    assert isinstance(body, Body)
    world.remove(body)
    assert world.step().events == ()
    assert im.World is World


# Bodies that a sector reaches.

REACH = im.Sector(40, 0.5)
HERE = Pose(0, 0)


def found_by(world, *args, **options):
    return [body for body, _ in world.sector(*args, **options)]


def test_a_sector_reaches_bodies_as_they_stand_the_nearest_first():
    world = World()
    far, near, beside, out = (
        world.add(Box(*size), Pose(*place))
        for size, place in [((4, 4), (30, 1)), ((4, 2), (10, -1)), ((4, 4), (10, 20)), ((4, 4), (42 + 1e-6, 0))]
    )
    answers = world.sector(REACH, HERE)
    assert [body for body, _ in answers] == [near, far]
    assert [hit.distance for _, hit in answers] == pytest.approx([8, 28], rel=0, abs=1e-12)
    assert [hit.bearing for _, hit in answers] == pytest.approx([0, 0], rel=0, abs=1e-12)
    assert [hit.region for _, hit in answers] == [None, None]
    out.pose = Pose(42, 0)
    assert found_by(world, REACH, HERE) == [near, far, out]
    assert found_by(world, REACH, Pose(10, 0, math.pi / 2)) == [near, beside]
    assert World().sector(REACH, HERE) == []


def test_the_mask_chooses_whom_a_sector_hits():
    world = World()
    bodies = [world.add(Box(2, 2), Pose(5.0 + 5 * i, 0), layer=1 << i) for i in range(4)]
    for mask in range(16):
        assert found_by(world, REACH, HERE, mask=mask) == [body for i, body in enumerate(bodies) if mask >> i & 1]
    both = world.add(Box(2, 2), Pose(2, 0), layer=0b101)
    assert found_by(world, REACH, HERE, mask=0b100) == [both, bodies[2]]
    # The push rule's mask does not matter here.
    ghost = world.add(Box(2, 2), Pose(1.5, 0), layer=1 << 40, mask=0)
    assert found_by(world, REACH, HERE) == [ghost, both, *bodies]
    assert found_by(world, REACH, HERE, mask=1 << 40) == [ghost]


def test_bodies_of_some_layers_are_in_the_way():
    world = World()
    wall = world.add(Box(2, 20), Pose(20, 0), might=1, layer=2)
    fence = world.add(Box(1, 4), Pose(10, 0), layer=4)
    near, behind_fence, behind_wall, beside = (
        world.add(Box(2, 2), Pose(*place)) for place in ((5, 0), (15, 0), (30, 0), (15, 5))
    )
    assert found_by(world, REACH, HERE, mask=1) == [near, behind_fence, beside, behind_wall]
    assert found_by(world, REACH, HERE, mask=1, occluders=2) == [near, behind_fence, beside]
    assert found_by(world, REACH, HERE, mask=1, occluders=4) == [near, beside]
    assert found_by(world, REACH, HERE, mask=1, occluders=6) == [near, beside]
    # Walls that can be hit: each wall's own face counts, as far as another wall does not hide it.
    seen = dict(world.sector(REACH, HERE, occluders=6))
    assert set(seen) == {near, fence, beside, wall}
    assert seen[fence].distance == pytest.approx(9.5, rel=0, abs=1e-9)
    # Past the corner of the fence, the wall is visible at a slope of 2 / 9.5.
    assert seen[wall].distance == pytest.approx(math.hypot(19, 19 * 2 / 9.5), rel=0, abs=1e-9)
    # Each body hides others, but not itself. The near body hides everything up to a slope of 1 / 4, and the fence.
    assert set(found_by(world, REACH, HERE, occluders=7)) == {near, beside, wall}
    assert world.sector(REACH, HERE, occluders=1 << 50) == world.sector(REACH, HERE)
    # From inside a wall nothing is visible, although there is no special case for it.
    assert found_by(world, REACH, Pose(20, 0), mask=1, occluders=2) == []


@pytest.mark.parametrize("facing", [0.0, 0.2, -0.3, 0.4, 3.0])
def test_every_body_that_is_in_the_way_can_be_hit_itself(facing):
    """A row of walls, and the nearest point of each by Pythagoras, for any facing."""
    world = World()
    walls = [world.add(Box(2, 6), Pose(12, 6.0 * i - 12), layer=2) for i in range(5)]
    answers = dict(world.sector(im.Sector(40, math.pi), Pose(0, 0, facing), mask=2, occluders=2))
    assert set(answers) == set(walls)
    for wall, hit in answers.items():
        nearest = max(abs(wall.pose.y) - 3, 0)
        assert hit.distance == pytest.approx(math.hypot(11, nearest), rel=0, abs=1e-8)


def test_who_strikes_is_ignored():
    world = World()
    knight = world.add(Box(4, 4), HERE)
    goblin, orc = world.add(Box(4, 4), Pose(10, 0)), world.add(Box(4, 4), Pose(20, 0))
    assert found_by(world, REACH, HERE) == [knight, goblin, orc]
    for ignored in (knight, [knight], (knight,), iter([knight]), {knight}):
        assert found_by(world, REACH, HERE, ignore=ignored) == [goblin, orc]
    assert found_by(world, REACH, HERE, ignore=[goblin, knight, goblin]) == [orc]
    # The knight is inside his own body and would see nothing. Ignored bodies hide nothing.
    assert found_by(world, REACH, HERE, occluders=1) == []
    assert found_by(world, REACH, HERE, occluders=1, ignore=knight) == [goblin]
    assert found_by(world, REACH, HERE, occluders=1, ignore=[knight, goblin]) == [orc]


def test_of_bodies_as_near_who_came_first_is_first_also_in_a_row_used_again():
    world = World()
    bodies = [world.add(Box(2, 2), Pose(10, 0)) for _ in range(5)]
    assert found_by(world, REACH, HERE) == bodies
    world.remove(bodies[1])
    assert found_by(world, REACH, HERE) == [bodies[0], *bodies[2:]]
    newcomer = world.add(Box(2, 2), Pose(10, 0))
    assert newcomer.index == 1
    assert found_by(world, REACH, HERE) == [bodies[0], *bodies[2:], newcomer]
    for body in (bodies[0], *bodies[2:], newcomer):
        world.remove(body)
    assert world.sector(REACH, HERE) == []
    assert world.sector(REACH, HERE, occluders=1) == []


def test_who_is_gone_is_neither_hit_nor_in_the_way():
    world = World()
    wall, goblin = world.add(Box(2, 20), Pose(10, 0), layer=2), world.add(Box(2, 2), Pose(20, 0))
    assert found_by(world, REACH, HERE, mask=1, occluders=2) == []
    world.remove(wall)
    assert found_by(world, REACH, HERE, mask=1, occluders=2) == [goblin]
    world.remove(goblin)
    assert world.sector(REACH, HERE, occluders=3) == []
    with pytest.raises(ValueError, match="removed"):
        world.sector(REACH, HERE, ignore=[goblin])


def test_a_sector_finds_bodies_where_a_frame_has_left_them():
    world = World()
    wall = world.add(Box(10, 100), Pose(30, 0), might=1)
    creature = world.add(Box(4, 4), Pose(-20, 0))
    creature.goal = Pose(100, 0)
    # A goal does not move a body before the frame.
    assert found_by(world, REACH, HERE) == [wall]
    world.step()
    assert creature.pose == Pose(23, 0)
    answers = world.sector(REACH, HERE)
    assert [body for body, _ in answers] == [creature, wall]
    assert [hit.distance for _, hit in answers] == pytest.approx([21, 25], rel=0, abs=1e-9)
    creature.pose, wall.shape = Pose(10, 0), Box(30, 100)
    assert [hit.distance for _, hit in world.sector(REACH, HERE)] == pytest.approx([8, 15], rel=0, abs=1e-9)


@pytest.mark.parametrize("facing", some([0.0, 1.0, math.pi]))
@pytest.mark.parametrize("sector", [im.Sector(150, 0.7), im.Sector(150, math.pi, 60), im.Sector(300, 2.5)])
def test_ten_thousand_bodies_are_found_as_one_by_one(sector, facing):
    rng = np.random.default_rng(11)
    world, pose = World(), Pose(20, -10, facing)
    sizes, places = rng.uniform(1, 20, (10_000, 2)), rng.uniform(-1000, 1000, (10_000, 2))
    bodies = [world.add(Box(*size), Pose(*place)) for size, place in zip(sizes, places, strict=True)]
    expected = {}
    for body in bodies:
        hit = im.sector_hit(sector, pose, body.shape, body.pose)
        if hit is not None:
            expected[body] = hit
    answers = world.sector(sector, pose)
    assert {body for body, _ in answers} == set(expected)
    distances = [hit.distance for _, hit in answers]
    assert distances == sorted(distances)
    for body, hit in answers:
        assert hit.distance == pytest.approx(expected[body].distance, rel=0, abs=1e-9)
        # At half a turn, both signs are the same direction.
        assert math.cos(hit.bearing - expected[body].bearing) == pytest.approx(1.0, rel=0, abs=1e-12)
        assert hit.point == pytest.approx(expected[body].point, rel=0, abs=1e-9)
    assert len(answers) > 20


def test_walls_in_a_world_hide_as_occluders_do():
    rng = np.random.default_rng(12)
    world, pose, sector = World(), Pose(5, 5, 0.4), im.Sector(120, 1.5)
    walls = [
        world.add(Box(*rng.uniform(1, 15, 2)), Pose(*place), layer=2)
        for place in rng.uniform(-120, 120, (60, 2))
        if math.dist(place, (5, 5)) > 20
    ]
    creatures = [world.add(Box(*rng.uniform(1, 6, 2)), Pose(*rng.uniform(-120, 120, 2))) for _ in range(600)]
    standing = im.Occluders([(wall.shape, wall.pose) for wall in walls])
    expected = {}
    for body in creatures:
        hit = im.sector_hit(sector, pose, body.shape, body.pose, standing)
        if hit is not None:
            expected[body] = hit.distance
    answers = {body: hit.distance for body, hit in world.sector(sector, pose, mask=1, occluders=2)}
    assert answers == pytest.approx(expected, rel=0, abs=1e-9)
    assert 20 < len(answers) < len(world.sector(sector, pose, mask=1)) - 20


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda world, body: world.sector(Box(1, 1), HERE), r"sector must be a Sector, got Box\(width=1.0"),
        (lambda world, body: world.sector(REACH, (0, 0)), r"pose must be a Pose, got \(0, 0\)"),
        (lambda world, body: world.sector(REACH, HERE, mask=-1), "mask must be an integer from 0 .* got -1"),
        (lambda world, body: world.sector(REACH, HERE, mask=1.0), "mask must be an integer from 0 .* got 1.0"),
        (lambda world, body: world.sector(REACH, HERE, occluders=None), "occluders must be an integer .* got None"),
        (lambda world, body: world.sector(REACH, HERE, occluders=1 << 70), "occluders must be an integer .* got 1180"),
        (lambda world, body: world.sector(REACH, HERE, ignore=[body, 3]), "ignore must be one of this world, got 3"),
        (
            lambda world, body: world.sector(REACH, HERE, ignore=World().add(Box(1, 1), HERE)),
            "ignore must be one of this world, got <Body",
        ),
    ],
)
def test_a_sector_of_nonsense_is_refused_and_asking_changes_nothing(change, message):
    world = World()
    body = world.add(Box(10, 10), Pose(30, 0))
    body.goal = Pose(25, 0)
    before = world.snapshot()
    with pytest.raises(ValueError, match=message):
        change(world, body)
    world.sector(REACH, HERE, occluders=1)
    assert world.snapshot() == before


@pytest.mark.parametrize("shape", [Box(1e90, 1e90), Box(1e99, 1e99), im.Circle(1e99), im.Circle(1e85)])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_body_that_is_pushed_beyond_the_limit_of_coordinates_stops_there(shape, sign):
    """Reading its pose raised, and its snapshot was refused."""
    world = World()
    wall = world.add(Box(1e99, 1e99), Pose(0, 0), might=1)
    body = world.add(shape, Pose(sign * 2e99, 0))
    wall.goal = Pose(sign * 1e100, 0)
    world.step()
    assert body.pose == body.goal == Pose(sign * 1e100, 0)
    twin = World()
    twin.restore(world.snapshot(), limits=im.SnapshotLimits(coordinate=1e100))
    assert [each.pose for each in twin] == [each.pose for each in world]


def test_a_body_of_a_fleet_that_goes_on_for_ever_stops_at_the_limit_of_coordinates():
    world = World()
    body = world.add(Box(1, 1), Pose(0, 0))
    fleet = im.Fleet(world, 2)
    fleet.set_velocities([body], (4e99, -1.0))
    fleet.step(10)
    assert fleet.poses([body]).tolist() == [[[1e100, -10.0, 0.0]]] * 2
    fleet.restore(None, fleet.snapshot())
    assert fleet[1].body(body.index).pose == Pose(1e100, -10)
