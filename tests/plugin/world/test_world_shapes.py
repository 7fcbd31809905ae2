"""Bodies of all shapes at all angles: what a world stores about them, and what it reports about their poses."""

from __future__ import annotations

import math
import tracemalloc
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

import impinge as im
from impinge import Box, Capsule, Circle, Compound, Polygon, Pose, Side, World
from impinge.kernels import columns as col
from impinge.kernels import entry
from impinge.kernels.pair import solids
from impinge.world.adding import row_of
from impinge.world.bodies import Frame
from impinge.world.state import State
from kernel_calls import next_call, noted_calls
from scale import some
from shapely_solids import KINDS, random_solid
from world_contents import contents

ARROW = Polygon([(0, 0), (4, -3), (1, 0), (4, 3)])
HAMMER = Compound([(Box(2, 10), Pose(0, 0)), (Circle(3), Pose(0, 5))])
SHAPES = [Box(4, 2), Circle(3), Capsule((-4, 0), (4, 1), 2), Polygon([(0, 0), (4, 0), (0, 3)], 1), ARROW, HAMMER]
NAMES = [type(shape).__name__ for shape in SHAPES]


def reaches(world, body):
    """Return the bounds of a body relative to its position, as the next step gets them: left, bottom, right, top."""
    return next_call(world).bodies.floats[body.index, col.LOWER_REACH : col.UPPER_REACH + 2].tolist()


def reach_in_a_world(shape, angle):
    """Return the bounds, including the skin of shapes without an inside: 1e-7 of the longer side of the shape."""
    left, bottom, right, top = bounds_of(shape, 0.0)
    skin = 1e-7 * max(right - left, top - bottom)
    skinned = [(points, radius or (skin if len(points) == 2 else 0.0)) for points, radius in shape.pieces]
    return bounds_of(SimpleNamespace(pieces=skinned), angle)


def is_plain(body):
    return bool(next_call(body.world).bodies.ints[body.index, col.IS_PLAIN])


def bounds_of(shape, angle):
    """Return the same by plain trigonometry, corner by corner."""
    xs, ys = [], []
    for points, radius in shape.pieces:
        for (x, y), sign in product(points, (-1, 1)):
            xs.append(math.cos(angle) * x - math.sin(angle) * y + sign * radius)
            ys.append(math.sin(angle) * x + math.cos(angle) * y + sign * radius)
    return [min(xs), min(ys), max(xs), max(ys)]


# Attributes of a body.


def test_a_body_is_what_it_was_added_as():
    world = World()
    body = world.add(
        HAMMER,
        Pose(1, 2, 3),
        7,
        5,
        6,
        response="bounce",
        restitution=0.5,
        carrying=Side.TOP,
        sticky=Side.LEFT,
        passable=Side.RIGHT,
        max_slope=0.8,
        snap=2,
        step_height=3,
        data="mjolnir",
    )
    assert (body.shape, body.pose, body.goal, body.previous) == (HAMMER, Pose(1, 2, 3), Pose(1, 2, 3), Pose(1, 2, 3))
    assert (body.angle, body.might, body.layer, body.mask) == (3, 7, 5, 6)
    assert (body.response, body.restitution) == ("bounce", 0.5)
    assert (body.carrying, body.sticky, body.passable) == (Side.TOP, Side.LEFT, Side.RIGHT)
    assert (body.max_slope, body.snap, body.step_height, body.data) == (0.8, 2, 3, "mjolnir")
    assert (body.movement, body.on_floor, body.floor, body.floor_velocity) == ((0, 0), False, None, (0, 0))
    assert (body.sides, body.blocked, body.stuck, body.time) == (Side.NONE, Side.NONE, Side.NONE, None)


def test_a_body_is_pushed_and_no_walker_unless_told():
    body = World().add(ARROW, Pose(1, 2))
    assert (body.response, body.restitution, body.might, body.layer, body.mask) == ("push", 1, 0, 1, im.ALL_LAYERS)
    assert (body.max_slope, body.snap, body.step_height) == (None, 0, 0)
    assert (body.carrying, body.sticky, body.passable) == (Side.ALL, Side.NONE, Side.NONE)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("response", response) for response in ("push", "bounce", "stop", "sensor")),
        ("restitution", 0.0),
        ("restitution", 0.25),
        ("might", -3),
        ("might", 9),
        ("layer", 1 << 62),
        ("mask", 0),
        ("max_slope", 0.0),
        ("max_slope", 1.5),
        ("max_slope", None),
        ("snap", 4.0),
        ("step_height", 4.0),
        ("carrying", Side.NONE),
        ("sticky", Side.TOP),
        ("passable", Side.LEFT | Side.TOP),
        ("angle", -40.0),
        ("pose", Pose(3, 4, 5)),
        ("goal", Pose(3, 4, 5)),
        ("shape", ARROW),
        ("shape", Circle(2)),
    ],
)
def test_a_body_can_be_given_something_else(name, value):
    world = World()
    body, other = (world.add(HAMMER, Pose(0, 0), 1, max_slope=0.5) for _ in range(2))
    before = getattr(other, name)
    setattr(body, name, value)
    assert getattr(body, name) == value
    assert getattr(other, name) == before


def test_a_pose_takes_the_goal_along_and_an_angle_only_its_angle():
    body = World().add(ARROW, Pose(0, 0))
    body.goal = Pose(5, 6, 7)
    body.angle = 1
    assert (body.pose, body.goal) == (Pose(0, 0, 1), Pose(5, 6, 1))
    body.pose = Pose(2, 3, 4)
    assert (body.pose, body.goal, body.previous) == (Pose(2, 3, 4), Pose(2, 3, 4), Pose(0, 0))


BAD = [
    ("shape", "box", r"shape must be a solid shape .* got 'box'"),
    ("pose", (1, 2), r"pose must be a Pose, got \(1, 2\)"),
    ("might", 1.5, "might must be an integer .* got 1.5"),
    ("might", True, "might must be an integer .* got True"),
    ("might", -(1 << 63), "might must be an integer .* got -9223"),
    ("layer", 0, "layer must be an integer from 1 .* got 0"),
    ("mask", -1, "mask must be an integer from 0 .* got -1"),
    ("response", "slide", "response must be one of 'push', 'bounce', 'stop', 'sensor', got 'slide'"),
    ("response", None, "response must be one of .* got None"),
    ("response", ["push"], r"response must be one of .* got \['push'\]"),
    ("restitution", 1.01, "restitution must be from 0 to 1, got 1.01"),
    ("restitution", -0.1, "restitution must be from 0 to 1, got -0.1"),
    ("restitution", math.nan, "restitution must be finite, got nan"),
    ("carrying", 16, "carrying must be a Side, got 16"),
    ("sticky", "TOP", "sticky must be a Side, got 'TOP'"),
    ("passable", -1, "passable must be a Side, got -1"),
    ("max_slope", -0.1, "max_slope must be at least 0 and less than pi / 2, or None, got -0.1"),
    ("max_slope", math.pi / 2, "max_slope must be at least 0 and less than pi / 2, or None, got 1.57"),
    ("max_slope", "steep", "max_slope must be a number, got 'steep'"),
    ("snap", -1, "snap must be finite and not negative, got -1"),
    ("snap", math.inf, "snap must be finite and not negative, got inf"),
    ("step_height", None, "step_height must be a number, got None"),
]


def kept(world):
    return len(world), contents(world), world.counters


def assert_no_shape_is_left(world):
    """Remove all bodies. A slot that has a user too many would stay."""
    for body in list(world):
        world.remove(body)
    assert world.counters.solids == 0


@pytest.mark.parametrize(("name", "value", "message"), BAD)
def test_what_is_no_such_thing_is_refused_by_name_and_nothing_is_changed(name, value, message):
    world = World()
    body = world.add(ARROW, Pose(1, 2, 3), 1, max_slope=0.5)
    body.goal = Pose(4, 5, 6)
    before = kept(world)
    with pytest.raises(im.ShapeError, match=message):
        world.add(**{"shape": HAMMER, "pose": Pose(0, 0)} | {name: value})
    with pytest.raises(im.ShapeError, match=message):
        setattr(body, name, value)
    assert kept(world) == before
    assert body.max_slope == 0.5
    assert_no_shape_is_left(world)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda world, body: setattr(body, "goal", None), "goal must be a Pose, got None"),
        (lambda world, body: setattr(body, "angle", math.inf), "angle must be finite, got inf"),
        (lambda world, body: setattr(body, "angle", 1e200), "angle must be at most 1e.100 in size, got 1e.200"),
        (lambda world, body: world.set_goals([0], [(1, 2, 3, 4)]), r"goals must have shape \(1, 2\) or \(1, 3\), got"),
        (lambda world, body: world.set_goals([0], [(1, 2, math.nan)]), r"goals must be finite .* got nan at \[0, 2\]"),
        (lambda world, body: world.set_goals([3], [(1, 2, 3)]), "bodies must be in this world, got index 3"),
        (lambda world, body: world.angles([3]), "bodies must be in this world, got index 3"),
    ],
)
def test_nonsense_changes_nothing(change, message):
    world = World()
    body = world.add(ARROW, Pose(1, 2, 3))
    before = kept(world)
    with pytest.raises(im.ShapeError, match=message):
        change(world, body)
    assert kept(world) == before


def test_a_shape_without_a_row_is_refused_before_anything_is_changed():
    class Broken(Circle):
        @property
        def row(self):
            raise RuntimeError("no row today")

    world = World()
    body = world.add(ARROW, Pose(1, 2, 3))
    before = kept(world)
    with pytest.raises(RuntimeError, match="today"):
        world.add(Broken(2), Pose(0, 0))
    with pytest.raises(RuntimeError, match="today"):
        body.shape = Broken(2)
    assert kept(world) == before
    assert body.shape == ARROW
    assert_no_shape_is_left(world)


def test_a_removed_body_tells_nothing():
    world = World()
    body = world.add(ARROW, Pose(0, 0), max_slope=0.5)
    world.remove(body)
    for name in ("angle", "movement", "response", "max_slope", "snap", "on_floor", "floor", "floor_velocity", "layer"):
        with pytest.raises(ValueError, match="removed"):
            getattr(body, name)
    with pytest.raises(ValueError, match="removed"):
        body.angle = 3
    assert body.shape == ARROW


# Plain bodies: upright boxes that only get pushed.

PLAIN_NO_MORE = [
    ("angle", 0.1, 0.0),
    ("pose", Pose(0, 0, 2), Pose(0, 0)),
    ("goal", Pose(0, 0, 2), Pose(1, 1)),
    ("response", "bounce", "push"),
    ("response", "sensor", "push"),
    ("max_slope", 0.0, None),
    ("snap", 1.0, 0.0),
    ("step_height", 1.0, 0.0),
    ("shape", Circle(1), Box(1, 1)),
    ("shape", Polygon([(-1, -1), (1, -1), (1, 1), (-1, 1)]), Box(1, 1)),
    ("shape", Compound([(Box(2, 2), Pose(0, 0))]), Box(1, 1)),
]


@pytest.mark.parametrize(("name", "value", "back"), PLAIN_NO_MORE)
def test_only_upright_boxes_that_are_pushed_are_plain(name, value, back):
    world = World()
    body = world.add(Box(2, 2), Pose(0, 0))
    assert is_plain(body)
    setattr(body, name, value)
    assert not is_plain(body)
    setattr(body, name, back)
    assert is_plain(body)
    if name not in ("angle", "goal"):
        assert not is_plain(world.add(**{"shape": Box(2, 2), "pose": Pose(0, 0)} | {name: value}))


def test_goals_of_many_make_them_plain_or_not():
    world = World()
    bodies = [world.add(Box(2, 2), Pose(0, 0)) for _ in range(3)]
    rows = [body.index for body in bodies]
    world.set_goals(rows, [(0, 0, 0), (0, 0, 1), (5, 5, 0)])
    assert [is_plain(body) for body in bodies] == [True, False, True]
    world.set_goals(rows, np.zeros((3, 3)))
    assert all(map(is_plain, bodies))


def test_a_box_that_has_turned_back_is_plain_again():
    world = World()
    body = world.add(Box(2, 2), Pose(0, 0, 1))
    body.goal = Pose(0, 0)
    assert not is_plain(body)
    world.step()
    assert is_plain(body)
    assert reaches(world, body) == [-1, -1, 1, 1]


# Posed solids.


@pytest.mark.parametrize("kind", KINDS)
def test_a_turned_body_has_the_row_that_its_solid_turned_has(kind, monkeypatch):
    """The row is the one that `solids` rotates and packs after another row, with all references to columns moved.

    For a query it is a separate row. Once another body is near, it is a row that the world keeps.
    """
    rng = np.random.default_rng(3)
    world, state = World(), State()
    world.add(Box(900, 900), Pose(0, 0))
    setting = row_of(1, 1, 1, "push", 1.0, Side.ALL, Side.NONE, Side.NONE, None, 0.0, 0.0, "wait")
    turned, indices = [], []
    for _ in range(20):
        shape, angle = random_solid(rng, kind, 10.0), float(rng.uniform(-7, 7))
        body = world.add(shape, Pose(*rng.uniform(-100, 100, 2), angle), might=1)
        indices.append(state.take_row(is_in_frame=False))
        values = state.new_row_values(body.pose, setting, body.order, state.pool.take(shape))
        state.floats[indices[-1:]], state.ints[indices[-1:]] = values
        bare = solids.with_skins(shape.row)
        row = np.empty_like(bare)
        solids.turn_by(bare, 0, len(row), math.cos(angle), math.sin(angle), row)
        assert reaches(world, body) == pytest.approx(reach_in_a_world(shape, angle), rel=0, abs=1e-12)
        assert reaches(world, body) == row[col.LOWER : col.UPPER + 2].tolist()
        turned.append((body, row))
    rows, _, places = state.posed_solids(np.array(indices))
    np.testing.assert_array_equal(rows, solids.packed([row for _, row in turned])[0])
    assert places.tolist() == [[body.pose.x, body.pose.y] for body, _ in turned]
    calls = noted_calls(monkeypatch)
    world.step()
    bodies = calls[-1].bodies
    for body, row in turned:
        assert bodies.floats[body.index, col.SIZE] == body.shape.row[col.EXTENT]
        first = int(bodies.ints[body.index, col.POSED])
        if kind == "circle":
            assert first == bodies.ints[body.index, col.SOLID]
            continue
        before = np.zeros(first)
        before[col.FIRST_NODE] = first
        together, _ = solids.packed([before, row])
        np.testing.assert_array_equal(bodies.solids[first : first + len(row)], together[first:])


@pytest.mark.parametrize("shape", SHAPES, ids=NAMES)
@pytest.mark.parametrize("might", [0, 1])
def test_a_body_turns_to_its_goal(shape, might):
    """Check a weak body and a mighty one, and what the world stores of them afterwards."""
    world = World()
    body = world.add(shape, Pose(0, 0, 0.5), might)
    other = world.add(Box(1, 1), Pose(1000, 0), 1 - might)
    for angle in (0.5, 0.5, 3.0, -7.0, 0.0, 2 * math.pi, 2 * math.pi):
        before = body.angle
        body.goal = Pose(3, 0, angle)
        assert (body.angle, body.goal.angle) == (before, angle)
        world.step()
        assert (body.pose, body.goal, body.previous.angle) == (Pose(3, 0, angle), Pose(3, 0, angle), before)
        assert reaches(world, body) == pytest.approx(reach_in_a_world(shape, angle), rel=0, abs=1e-12)
    world.step()
    assert (body.pose, body.previous) == (Pose(3, 0, 2 * math.pi), Pose(3, 0, 2 * math.pi))
    assert other.pose == Pose(1000, 0)


@pytest.mark.parametrize("shape", SHAPES, ids=NAMES)
def test_while_a_body_turns_its_bounds_hold_it_at_all_angles(shape):
    world = World()
    body = world.add(shape, Pose(0, 0, 0.3))
    body.goal = Pose(0, 0, 5)
    left, bottom, right, top = reaches(world, body)
    for angle in np.linspace(0.3, 5, 97):
        low_x, low_y, high_x, high_y = bounds_of(shape, angle)
        assert left <= low_x + 1e-12
        assert bottom <= low_y + 1e-12
        assert high_x <= right + 1e-12
        assert high_y <= top + 1e-12
    body.goal = Pose(0, 0, 0.3)
    assert reaches(world, body) == pytest.approx(bounds_of(shape, 0.3), rel=0, abs=1e-12)


def test_a_ball_needs_no_row_to_stand_in_but_one_off_its_place_does():
    world = World()
    ball, spot, off = (world.add(shape, Pose(0, 0), 1) for shape in (Circle(2), Capsule((0, 0), (0, 0), 2), HAMMER))
    off.shape = Compound([(Circle(2), Pose(3, 0))])
    world.add(Box(20, 20), Pose(0, 0))
    for body in (ball, spot):
        body.goal, body.angle = Pose(0, 0, 1), 2
    world.step()
    assert world.counters.posed_columns == 0
    off.goal = Pose(0, 0, 1)
    world.step()
    assert world.counters.posed_columns == 1 + len(off.shape.row)
    for body in (ball, spot, off):
        body.goal = Pose(0, 0, 3)
        assert reaches(world, body) == ([-5, -5, 5, 5] if body is off else [-2, -2, 2, 2])


def test_only_what_somebody_is_near_takes_columns_to_stand_in():
    """Each rotated body used to have such columns for ever: 1.6 kB, not 1.0, and it was posed twice per frame."""
    world = World()
    mills = [world.add(Box(10, 2), Pose(100 * i, 0, 1), 1) for i in range(50)]
    hero = world.add(Box(2, 2), Pose(100, 30))
    columns = 1 + len(mills[0].shape.row)
    world.step()
    assert world.counters.posed_columns == 0
    for turned, (x, y) in enumerate([(100, 30), (100, 1), (100, 1), (150, 30), (300, 2), (300, 2)]):
        hero.pose = Pose(x, y)
        for mill in mills:
            mill.goal = Pose(mill.pose.x, 0, 1 + turned / 10)
        world.step()
        known = 0 if turned < 1 else 1 if turned < 4 else 2
        assert world.counters.posed_columns == known * columns


def test_there_is_room_for_all_that_is_near():
    """Fifty boxes on edge are below one body, a hundred coins on another's path. A new world has no such capacity."""
    world = World()
    for i in range(50):
        world.add(Box(10, 4), Pose(2 + 4 * i, 0, math.pi / 2), 1)
    coins = {world.add(Circle(1), Pose(300 + 5 * i, 50), response="sensor"): i for i in range(100)}
    plank, ball = world.add(Box(190, 10), Pose(100, 20)), world.add(Capsule((0, 0), (0, 0), 2), Pose(0, 50))
    for _ in range(3):
        plank.goal, ball.pose, ball.goal = Pose(100, 0), Pose(0, 50), Pose(1000, 50)
        sensed = world.step().sensed
        assert plank.pose.y == pytest.approx(10, rel=0, abs=1e-7)
        assert [coins[event.mighty] for event in sensed] == list(range(100))
        assert [event.time for event in sensed] == pytest.approx([0.297 + 0.005 * i for i in range(100)])
    assert Side.BOTTOM in plank.blocked


def test_those_that_move_are_known_once_however_they_are_told_to():
    """Goals are set one by one, many at once, or twice, and bodies come and go. Resting bodies must be skipped."""
    rng = np.random.default_rng(11)
    world = World()
    world.add(Circle(1), Pose(0, -500))
    bodies = [world.add(Box(4, 2), Pose(20.0 * i, 0), 1) for i in range(20)]
    for number in range(60):
        goals = {}
        for body in rng.permutation(np.array(bodies, object))[:8].tolist():
            goals[body] = Pose(*rng.uniform(-50, 50, 2).tolist(), float(rng.choice([body.angle, 1.0])))
        one_by_one, at_once = list(goals)[:5], list(goals)[2:]
        for body in one_by_one:
            body.goal = goals[body]
        rows = [body.index for body in at_once]
        world.set_goals(rows * 2, [(goal.x, goal.y, goal.angle) for goal in map(goals.get, at_once)] * 2)
        for body in one_by_one[:2]:
            body.goal = goals[body]
        if number % 3 == 0:
            gone = bodies.pop(int(rng.integers(len(bodies))))
            goals.pop(gone, None)
            world.remove(gone)
            bodies.append(world.add(Box(4, 2), Pose(0, 0), 1))
        if number % 4 == 0:
            bodies[3].might = 0
            bodies[3].might = 1
        world.step()
        assert all(body.pose == goal for body, goal in goals.items())
        moved = [body for body, is_moved in zip(world, contents(world)["moved"], strict=True) if is_moved]
        assert moved == [body for body in world if body.pose != body.previous]
        assert world.counters.movers == len(moved)


def test_goals_of_many_with_angles_and_without():
    world = World()
    bodies = [world.add(shape, Pose(20.0 * i, 0, 0.5)) for i, shape in enumerate(SHAPES)]
    rows = np.array([body.index for body in bodies])
    np.testing.assert_array_equal(world.angles(rows), 0.5)
    goals = np.column_stack((20.0 * np.arange(len(rows)), np.ones(len(rows)), np.arange(len(rows))))
    world.set_goals(rows, goals)
    assert [body.goal for body in bodies] == [Pose(*goal) for goal in goals.tolist()]
    assert [body.angle for body in bodies] == [0.5] * len(rows)
    world.step()
    np.testing.assert_array_equal(world.angles(rows), np.arange(len(rows)))
    np.testing.assert_array_equal(world.positions(rows), goals[:, :2])
    for body, shape in zip(bodies, SHAPES, strict=True):
        assert reaches(world, body) == pytest.approx(bounds_of(shape, body.angle), rel=0, abs=1e-12)
    # Without angles no body rotates, and an earlier goal angle stays.
    bodies[1].goal = Pose(0, 0, 9)
    world.set_goals(rows, goals[:, :2] + 1)
    world.step()
    np.testing.assert_array_equal(world.angles(rows), [0, 9, *range(2, len(rows))])
    assert world.angles([]).shape == (0,)


def test_goals_of_many_may_lie_in_memory_as_they_like():
    """The kernel was compiled again for each kind of array, during a game."""
    world = World()
    for i in range(6):
        world.add(Box(1, 1), Pose(9 * i, 0))
    wide = np.arange(48.0).reshape(12, 4)
    frozen, rows = wide[:6, :3].copy(), np.arange(6)
    frozen.flags.writeable = rows.flags.writeable = False
    for bodies, goals in (
        (np.arange(6), wide[:6, :3].copy()),
        (np.arange(12)[::2] // 2, wide[::2, 1:]),
        (np.arange(6, dtype=np.uint8)[::-1], np.asfortranarray(wide[6:, :2])),
        (rows, frozen),
    ):
        world.set_goals(bodies, goals)
        world.step()
        assert world.positions(bodies).tolist() == goals[:, :2].tolist()
    assert len(getattr(entry.set_goals, "signatures", [0])) == 1


def test_the_last_goal_of_a_body_named_twice_is_taken():
    world = World()
    body = world.add(ARROW, Pose(0, 0, 2))
    world.set_goals([0, 0], [(1, 1, 5), (2, 2, 2)])
    assert body.goal == Pose(2, 2, 2)


def test_another_shape_stands_at_the_same_angle():
    world = World()
    body = world.add(Box(4, 2), Pose(0, 0, 1), might=1)
    for shape in [*SHAPES, *reversed(SHAPES)]:
        body.shape = shape
        assert (body.shape, body.angle) == (shape, 1)
        assert reaches(world, body) == pytest.approx(bounds_of(shape, 1), rel=0, abs=1e-12)


def test_what_is_found_late_stands_as_at_the_start():
    """The slab had met a bar before, and had left the bar in its end pose, level: so it blocked the hero's way out.

    The hero starts in the slab. Bodies near its way out are searched only once they are needed.
    """
    world = World()
    world.add(Box(20, 20), Pose(0, 0), 2)
    bar = world.add(Box(10, 1), Pose(14.6, 0, math.pi / 2), 3)
    hero = world.add(Box(1, 1), Pose(9, 0))
    bar.goal = Pose(14.6, 0, 0)
    first, *_ = (event for event in world.step().events if event.weak is hero)
    assert (first.kind, first.time, first.side) == ("push", 0.0, Side.LEFT)
    assert Side.LEFT not in hero.stuck


# Row storage.


def test_equal_shapes_share_a_row_and_become_one_object():
    world = World()
    bodies = [world.add(Polygon(ARROW.vertices), Pose(i, 0)) for i in range(100)]
    assert len({id(body.shape) for body in bodies}) == 1
    assert world.counters.solids == 1
    bodies[3].shape = Circle(1)
    assert bodies[4].shape == ARROW
    assert world.counters.solids == 2


def test_shapes_that_cannot_be_hashed_have_rows_of_their_own():
    class Blob(Circle):
        __hash__ = None

    world = World()
    bodies = [world.add(Blob(2), Pose(i, 0)) for i in range(3)]
    assert world.counters.solids == 3
    columns = world.counters.solid_columns
    for body in bodies:
        world.remove(body)
    assert [world.add(Blob(2), Pose(0, 0)).shape.radius for _ in range(3)] == [2, 2, 2]
    assert (world.counters.solids, world.counters.solid_columns) == (3, columns)


@pytest.mark.long
@pytest.mark.parametrize("angle", [0.0, 1.0])
def test_rows_are_used_again(angle):
    """Ten thousand bodies come and go, twenty at a time: the capacity stays that for twenty."""
    rng = np.random.default_rng(8)
    world = World()
    alive, taken = [], None
    for i in range(10_000):
        # Every size is new, while the shapes repeat.
        shape = SHAPES[i % len(SHAPES)].transformed(float(rng.uniform(1, 2)))
        alive.append(world.add(shape, Pose(0, 0, angle)))
        if len(alive) == 20:
            world.remove(alive.pop(0))
            alive[0].shape = alive[1].shape
        assert alive[-1].index < 20
        if i == 2_000:
            taken = world.counters.solid_columns, world.counters.bytes
    assert (world.counters.solid_columns, world.counters.bytes) == taken
    last = [body.shape for body in alive]
    assert_no_shape_is_left(world)
    # Equal shapes that come back get memory of their own.
    world.add_many(last, np.zeros((len(last), 2)))
    assert world.counters.solids == len(set(last))
    assert_no_shape_is_left(world)


def test_a_row_that_is_used_again_is_not_that_of_another():
    world = World()
    gone, stays = world.add(ARROW, Pose(0, 0, 1)), world.add(ARROW, Pose(0, 0, 2))
    disk = im.Sector(90, math.pi)
    places = [Pose(20 * math.cos(i), 20 * math.sin(i)) for i in range(60)]
    expected = [im.sector_hit(disk, place, ARROW, stays.pose).distance for place in places]

    def distances():
        found = [dict(world.sector(disk, place))[stays].distance for place in places]
        return found == pytest.approx(expected, rel=0, abs=1e-12)

    assert distances()
    world.remove(gone)
    world.add(ARROW.transformed(2), Pose(0, 0, 3))  # its row is as long
    for _ in range(50):
        world.add(Box(3, 4), Pose(0, 0, 4))
    assert distances()


@pytest.mark.long
@pytest.mark.parametrize(("shapes", "angle"), [([Box(8, 8)], 0.0), (SHAPES, 0.1)], ids=["upright", "at angles"])
def test_a_hundred_thousand_bodies_take_less_than_a_kilobyte_each(shapes, angle):
    """Rotated bodies took 1.6, as each had columns for its posed shape; here each is near to some others."""
    tracemalloc.start()
    try:
        world = World()
        for i in range(100_000):
            world.add(shapes[i % len(shapes)], Pose(8.0 * (i % 300), 8.0 * (i // 300), angle * i), might=i % 2)
        world.step()
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert taken / len(world) < 1000


# Ranks and sensors.


def met(world):
    """Return the bodies in the tree or its tail, as the next step gets them."""
    tree = next_call(world).tree
    return {world.body(row) for row in (*tree.leaves.tolist(), *tree.tail.tolist())}


def resolved(world):
    return {world.body(row) for row in next_call(world).ranks.order.tolist()}


def test_sensors_are_met_and_looked_after_whatever_their_might():
    world = World()
    wall, crate, creature = (world.add(Box(2, 2), Pose(100.0 * might, 0), might) for might in (2, 1, 0))
    sensors = {
        world.add(Circle(2), Pose(1000.0 * i, 500), might, response="sensor")
        for i, might in enumerate((-7, 0, 1, 2, 9))
    }
    world.step()
    assert met(world) == {wall, crate} | sensors
    assert resolved(world) == {crate, creature} | sensors
    assert world.counters.resolved == 2 + len(sensors)
    call = next_call(world)
    assert {body for body in world if call.bodies.ints[body.index, col.LOOKS]} == resolved(world)
    # Only the ranks of other bodies count: a wall is not weak because a sensor has more might.
    assert call.rows.counts[col.LOWEST_MIGHT] == 0


def test_where_there_is_one_rank_sensors_look_for_everybody():
    world = World()
    hero, rock = world.add(Box(2, 2), Pose(0, 0)), world.add(Circle(2), Pose(50, 0))
    world.step()
    assert met(world) == set()
    coin = world.add(Circle(2), Pose(0, 500), response="sensor")
    hero.goal = Pose(5, 5)
    world.step()
    assert met(world) == {hero, rock, coin}
    assert resolved(world) == {coin}
    assert hero.pose == Pose(5, 5)


def test_a_body_becomes_a_sensor_and_back():
    world = World()
    wall, creature = world.add(Box(10, 10), Pose(0, 0), might=1), world.add(Box(10, 10), Pose(30, 0))
    for response in ("sensor", "push", "sensor", "push"):
        wall.response = response
        wall.goal = Pose(wall.pose.x + 1, 1)
        world.step()
        assert wall.pose.x == wall.previous.x + 1
        assert (wall in resolved(world)) == (response == "sensor")
    assert resolved(world) == {creature}


def test_sensors_go_to_their_goals():
    world = World()
    sensors = [world.add(ARROW, Pose(100.0 * might, 0), might, response="sensor") for might in range(3)]
    world.add(Box(1, 1), Pose(0, 5000), might=1)
    rows = [sensor.index for sensor in sensors]
    for frame_number in range(1, 4):
        world.set_goals(rows, [(100.0 * i, frame_number, 0.1 * frame_number) for i in range(3)])
        world.step()
        for i, sensor in enumerate(sensors):
            assert sensor.pose == Pose(100.0 * i, frame_number, 0.1 * frame_number)
            assert sensor.previous.y == frame_number - 1


def test_a_removed_sensor_meets_nobody():
    world = World()
    coin = world.add(Circle(5), Pose(0, 0), response="sensor")
    world.add(Box(2, 2), Pose(0, 0), might=1)
    world.step()
    world.remove(coin)
    assert world.step().sensed == ()
    assert resolved(world) == set()


def test_might_can_change():
    """Ranks are evaluated anew: the creature becomes mightier than the wall, and weak again."""
    world = World()
    wall, creature = world.add(Box(10, 10), Pose(0, 0), might=1), world.add(Box(10, 10), Pose(12, 0))
    world.add(Box(1, 1), Pose(0, 500), might=-1)
    wall.goal = Pose(5, 0)
    world.step()
    assert (wall.pose.x, creature.pose.x, creature.blocked) == (5, 15, Side.LEFT)
    creature.might = 2
    assert (creature.blocked, creature.time) == (Side.NONE, None)
    creature.goal = Pose(13, 0)
    world.step()
    assert (wall.pose.x, creature.pose.x, wall.blocked) == (3, 13, Side.RIGHT)
    creature.might = 0
    wall.goal = Pose(8, 0)
    world.step()
    assert (wall.pose.x, creature.pose.x, wall.blocked, creature.blocked) == (8, 18, Side.NONE, Side.LEFT)
    creature.might = 1
    creature.goal = Pose(0, 0)
    world.step()
    assert (wall.pose.x, creature.pose.x) == (8, 0)


def test_layers_and_masks_can_change():
    world = World()
    wall, creature = world.add(Box(10, 100), Pose(0, 0), might=1), world.add(Box(10, 10), Pose(-20, 0))
    creature.mask = 0b10
    creature.goal = Pose(20, 0)
    world.step()
    assert creature.pose.x == 20
    wall.layer = 0b110
    creature.goal = Pose(-20, 0)
    world.step()
    assert creature.pose.x == 10


def test_what_moves_by_itself_tells_its_movement():
    world = World()
    lift = world.add(HAMMER, Pose(0, 0), might=1)
    world.add(Box(1, 1), Pose(500, 0))
    lift.goal = Pose(3, -4, 1)
    world.step()
    assert lift.movement == (3, -4)
    world.step()
    assert lift.movement == (0, 0)


# Floors.


def test_a_walker_tells_its_floor():
    """The floor is as steep as 60 degrees, so that the walker touches it with its right side."""
    world = World()
    steep = math.radians(60)
    lift = world.add(Polygon([(0, 0), (20, 0), (20, 20 * math.tan(steep))]), Pose(0, 0), might=1)
    place = Pose(10 - 5 * math.sin(steep), 10 * math.tan(steep) + 5 * math.cos(steep))
    walker, other = (world.add(Circle(5), Pose(place.x + x, place.y), max_slope=1.2) for x in (0, -50))
    lift.goal, walker.goal = Pose(2, 3), Pose(place.x, place.y - 1)
    world.step()
    assert (walker.on_floor, walker.floor, walker.floor_velocity) == (True, lift, (2, 3))
    assert (other.on_floor, other.floor, other.floor_velocity) == (False, None, (0, 0))
    # A body that is no walker is on a floor only while the floor supports it.
    assert walker.blocked == Side.RIGHT
    walker.max_slope = None
    assert not walker.on_floor


def test_a_floor_that_is_gone_is_no_floor_nor_is_who_comes_after_it():
    world = World()
    lift, rock = (world.add(Box(40, 10), Pose(x, 0), might=1) for x in (0, 100))
    walkers = [world.add(Circle(5), Pose(0, 10), max_slope=0.8) for _ in range(3)]
    walkers[1].pose = Pose(100, 10)
    for walker in walkers:
        walker.goal = Pose(walker.pose.x, 9)
    for floor in (lift, rock):
        floor.goal = Pose(floor.pose.x + 1, 0)
    world.step()
    assert [walker.floor for walker in walkers] == [lift, rock, lift]
    assert [walker.floor_velocity for walker in walkers] == [(1, 0)] * 3
    row = lift.index
    world.remove(walkers.pop())
    world.remove(lift)
    assert world.add(Box(1, 1), Pose(0, 0)).index == row
    assert [walker.floor for walker in walkers] == [None, rock]
    assert [walker.on_floor for walker in walkers] == [False, True]
    assert walkers[0].floor_velocity == (0, 0)


def test_nobody_is_carried_by_who_comes_after_what_carried_him():
    """The next step would read a row number that now belongs to another body."""
    world = World()
    lift, rider = world.add(Box(40, 10), Pose(0, 0), might=1), world.add(Box(10, 10), Pose(0, 10))
    lift.goal, rider.goal = Pose(1, 0), Pose(0, 9)
    world.step()
    assert lift.index in next_call(world).bodies.ints[rider.index, col.ANCHORED : col.ANCHORED + 2]
    assert rider.floor is lift
    row = lift.index
    world.remove(lift)
    other = world.add(Box(40, 10), Pose(500, 0), might=1)
    assert other.index == row
    assert rider.floor is None
    assert next_call(world).bodies.ints[rider.index, col.ANCHORED : col.ANCHORED + 2].tolist() == [-1, -1]
    assert rider.floor is None


def test_who_is_no_walker_is_on_a_floor_when_it_is_held_up():
    world = World()
    world.add(Box(40, 10), Pose(0, 0), might=1)
    faller = world.add(Box(10, 10), Pose(0, 12))
    faller.goal = Pose(0, 11)
    world.step()
    assert not faller.on_floor
    faller.goal = Pose(0, 5)
    world.step()
    assert faller.on_floor


# Reports of a frame.


def test_events_at_one_time_go_by_kind_and_then_by_age():
    world = World()
    bodies = [world.add(Circle(1), Pose(i, 0)) for i in range(4)]
    rows = np.zeros((5, col.EVENT_COLUMNS))
    for row, (time, kind, weak, mighty) in zip(
        rows,
        [
            (0.5, col.KIND_STUCK, 0, 1),
            (0.5, col.KIND_SENSOR, 3, 1),
            (0.5, col.KIND_SENSOR, 2, 3),
            (0.5, col.KIND_PUSH, 3, 0),
            (0.25, col.KIND_STUCK, 1, 0),
        ],
        strict=True,
    ):
        row[col.EVENT_TIME], row[col.EVENT_KIND] = time, kind
        row[col.EVENT_WEAK] = row[col.EVENT_WEAK_ORDER] = weak
        row[col.EVENT_MIGHTY] = row[col.EVENT_MIGHTY_ORDER] = mighty
        row[col.EVENT_NORMAL : col.EVENT_NORMAL + 2] = 0.6, -0.8
    told = Frame(rows, list(bodies))
    assert [(event.time, event.kind, bodies.index(event.weak)) for event in told.events] == [
        (0.25, "stuck", 1),
        (0.5, "push", 3),
        (0.5, "sensor", 2),
        (0.5, "sensor", 3),
        (0.5, "stuck", 0),
    ]
    assert told.sensed == told.events[2:4]
    assert told.pushes == told.events[1:2]
    assert told.stuck_events == (told.events[0], told.events[4])
    assert told.sensed[0].normal == (0.6, -0.8)
    assert told.sensed[0].side == Side.NONE


def test_a_body_with_more_touches_than_there_are_rows_is_run_again_with_more(monkeypatch):
    """The kernel reports that it lacked rows, and at which body it stopped."""
    given = []

    def step(done, ranks, bodies, rows, tree, candidates, touches):
        counts = rows.counts
        given.append((done, len(touches)))
        counts[col.LACKS] = col.LACKS_TOUCHES if len(touches) < 300 else 0
        return 1 if counts[col.LACKS] else len(ranks.order)

    monkeypatch.setattr(entry, "step", step)
    world = World()
    for i in range(3):
        world.add(Circle(1), Pose(i, 0), might=i)
    world.step()
    assert given == [(0, 64), (1, 128), (1, 256), (1, 512)]


def test_a_step_knows_the_longest_row(monkeypatch):
    seen = []
    take = entry.step

    def step(done, ranks, bodies, rows, *more):
        seen.append(rows.counts[col.LONGEST_ROW])
        return take(done, ranks, bodies, rows, *more)

    monkeypatch.setattr(entry, "step", step)
    world = World()
    world.step()
    for shape in (Box(1, 1), HAMMER, Circle(1)):
        world.add(shape, Pose(0, 0))
        world.step()
    assert seen == [1, len(Box(1, 1).row), len(HAMMER.row), len(HAMMER.row)]


# Bodies that a sector reaches.


def crowd(rng, count, far, **options):
    """Return bodies of all kinds at all angles, some of them rotated by a frame."""
    world, bodies = World(), []
    for i in range(count):
        shape = random_solid(rng, KINDS[i % len(KINDS)], float(rng.uniform(2, 10)))
        bodies.append(world.add(shape, Pose(*rng.uniform(-far, far, 2), float(rng.uniform(-4, 4))), **options))
    for body in bodies[::3]:
        body.goal = Pose(body.pose.x + 1, body.pose.y, body.angle + float(rng.uniform(-4, 4)))
    world.step()
    return world, bodies


def assert_same_hit(hit, expected):
    assert hit.distance == pytest.approx(expected.distance, rel=0, abs=1e-9)
    assert hit.point == pytest.approx(expected.point, rel=0, abs=1e-8)
    assert hit.region == expected.region


@pytest.mark.parametrize("facing", some([1.0, 0.0, math.pi]))
@pytest.mark.parametrize("sector", [im.Sector(150, 0.7), im.Sector(150, math.pi, 60), im.Sector(300, 2.5)])
def test_a_sector_finds_turned_bodies_of_all_shapes_as_one_by_one(sector, facing):
    world, bodies = crowd(np.random.default_rng(21), 1_000, 400)
    pose = Pose(20, -10, facing)
    expected = {body: im.sector_hit(sector, pose, body.shape, body.pose) for body in bodies}
    answers = world.sector(sector, pose)
    assert {body for body, _ in answers} == {body for body, hit in expected.items() if hit}
    for body, hit in answers:
        assert_same_hit(hit, expected[body])
    assert [hit.distance for _, hit in answers] == sorted(hit.distance for _, hit in answers)
    assert len({type(body.shape) for body, _ in answers}) == 5
    assert any(hit.region for _, hit in answers)


def test_turned_walls_of_all_shapes_hide_as_occluders_do():
    rng = np.random.default_rng(22)
    pose, sector = Pose(0, 0, 0.4), im.Sector(300, 1.5)
    world, walls = crowd(rng, 60, 250, layer=2)
    for wall in walls:
        if math.hypot(wall.pose.x, wall.pose.y) < 40:
            wall.pose = Pose(-1000, 0, 1)
    targets = [
        world.add(random_solid(rng, kind, 8.0), Pose(*rng.uniform(-250, 250, 2), float(rng.uniform(-4, 4))))
        for kind in KINDS * 20
    ]
    standing = im.Occluders([(wall.shape, wall.pose) for wall in walls])
    expected = {body: im.sector_hit(sector, pose, body.shape, body.pose, standing) for body in targets}
    answers = dict(world.sector(sector, pose, mask=1, occluders=2))
    assert set(answers) == {body for body, hit in expected.items() if hit}
    for body, hit in answers.items():
        assert hit.distance == pytest.approx(expected[body].distance, rel=0, abs=1e-9)
    assert 10 < len(answers) < len(world.sector(sector, pose, mask=1)) - 5


def test_a_sector_reaches_a_body_whose_place_is_far_from_it():
    """A shape need not be around its origin: here it is 100 to the left of it."""
    world = World()
    body = world.add(Polygon([(-101, -1), (-99, -1), (-99, 1), (-101, 1)]), Pose(110, 0))
    hits = world.sector(im.Sector(12, 0.5), Pose(0, 0))
    assert [(found, hit.distance) for found, hit in hits] == [(body, pytest.approx(9, rel=0, abs=1e-12))]
    body.pose = Pose(10, -100, math.pi / 2)
    assert world.sector(im.Sector(12, 0.5), Pose(0, 0)) == []
    body.pose = Pose(10, 100, math.pi / 2)
    assert [hit.distance for _, hit in world.sector(im.Sector(12, 0.5), Pose(0, 0))] == pytest.approx([9], abs=1e-12)
    # A goal angle does not affect a sector.
    body.goal = Pose(10, 100, 3)
    assert [hit.distance for _, hit in world.sector(im.Sector(12, 0.5), Pose(0, 0))] == pytest.approx([9], abs=1e-12)


def test_asking_about_turned_bodies_changes_nothing():
    """Nor does it change what follows: the posed solids of the last frame stay, and the next frame is the same."""
    (world, bodies), (twin, others) = (crowd(np.random.default_rng(23), 50, 60) for _ in range(2))
    bodies[0].goal = others[0].goal = Pose(0, 0, 1)
    before = contents(world)
    posed = world.counters.posed_columns
    assert world.sector(im.Sector(100, 3), Pose(0, 0), occluders=1) != []
    assert contents(world) == before
    assert world.counters.posed_columns == posed
    for _ in range(3):
        for one in (*bodies, *others):
            one.goal = Pose(one.pose.x / 2, one.pose.y / 2, one.angle + 0.1)
        for one in (world, twin):
            one.step()
        assert contents(world) == contents(twin)
        assert world.counters._replace(bytes=0) == twin.counters._replace(bytes=0)
        world.sector(im.Sector(100, 3), Pose(0, 0), occluders=1)


@pytest.mark.parametrize("angle", [0.7, -2.4, 1e-3])
def test_a_shape_of_many_corners_that_rests_at_an_angle_is_where_it_is_drawn(angle):
    """Only the edges near a body are looked at: they kept the angle of the shape only while it was turning.

    A box sank by two units into an ellipse of 300 corners that rested at an angle.
    """
    ellipse = [(40 * math.cos(math.tau * i / 300), 10 * math.sin(math.tau * i / 300)) for i in range(300)]
    cos, sin = math.cos(angle), math.sin(angle)
    drawn = [(cos * x - sin * y, sin * x + cos * y) for x, y in ellipse]
    places = []
    for corners, turned in ((ellipse, angle), (drawn, 0.0)):
        world = World()
        world.add(Polygon(corners), Pose(0, 0, turned), might=1)
        box = world.add(Box(2, 2), Pose(5, 60))
        places.append([])
        for _ in range(4):
            box.goal = Pose(box.pose.x + 3, box.pose.y - 30)
            world.step()
            places[-1].append((box.pose.x, box.pose.y))
    assert np.abs(np.subtract(*places)).max() < 1e-6
