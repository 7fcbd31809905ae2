"""Queries of a world: against queries of all its bodies one by one, Shapely, and worked examples."""

from __future__ import annotations

import math
from copy import copy
from functools import lru_cache

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

import impinge as im
from impinge import Box, Capsule, Circle, Compound, Motion, Polygon, Pose, World
from impinge.kernels import entry
from impinge.world import standing_tree as module
from impinge.world import state
from scale import cases, some
from shapely_solids import KINDS, random_solid, whole

ARROW = Polygon([(0, 0), (4, -3), (1, 0), (4, 3)])
RING = Compound([(Box(10, 2), Pose(0, y)) for y in (-4, 4)] + [(Box(2, 10), Pose(x, 0)) for x in (-4, 4)])
HERE = Pose(0, 0)
# For distances between solids of some units, some 100 from the origin, by two methods.
CLOSE = 1e-9


# Brute force: every body of the world is tested separately.


def asked(world, mask, ignore):
    return [body for body in by_age(world) if body.layer & mask and body not in ignore]


def by_age(world):
    """Return all bodies in the order in which the test added them: their data is a rising number."""
    return sorted(world, key=lambda body: body.data)


def holding(world, point, mask, ignore):
    return [body for body in asked(world, mask, ignore) if body.shape.contains(point, body.pose)]


def overlapping(world, solid, pose, mask, ignore):
    return [body for body in asked(world, mask, ignore) if im.overlaps(body.shape, body.pose, solid, pose)]


def struck(world, solid, motion, mask, ignore):
    found = []
    for body in asked(world, mask, ignore):
        impact = im.time_of_impact(solid, motion, body.shape, Motion.still(body.pose))
        if impact is not None:
            found.append((body, impact))
    return sorted(found, key=lambda pair: pair[1].time)


def seen(world, sector, pose, mask, ignore):
    hits = [(body, im.sector_hit(sector, pose, body.shape, body.pose)) for body in asked(world, mask, ignore)]
    return sorted(((body, hit) for body, hit in hits if hit is not None), key=lambda pair: pair[1].distance)


@lru_cache(maxsize=2000)  # most bodies stay where they are from one query to the next
def outline_and_inside(shape, pose):
    """Return the outline of a posed shape, and its parts with an area. Round corners lack 1e-6 of their radius."""
    outline = whole(shape, pose, quad_segs=512)
    return outline, shapely.union_all([part for part in shapely.get_parts(outline) if part.area > 0.0])


def outline_of(body):
    return outline_and_inside(body.shape, body.pose)[0]


def distance_to(body, point):
    """Return the signed distance of a point from a body's border, by Shapely."""
    shape, inside = outline_and_inside(body.shape, body.pose)
    place = shapely.Point(point)
    return (
        -shapely.distance(inside.boundary, place) if shapely.covers(inside, place) else shapely.distance(shape, place)
    )


# A world with all kinds of changes.


def random_pose(rng, far):
    return Pose(*rng.uniform(-far, far, 2), rng.choice([0.0, rng.uniform(-4, 4)]))


class Changing:
    """A world, and changes by a game between two queries."""

    def __init__(self, rng, count, far):
        self.rng, self.far, self.added = rng, far, 0
        self.world = World()
        for _ in range(count):
            self.add()

    def add(self):
        rng = self.rng
        solid = random_solid(rng, str(rng.choice(KINDS)), rng.choice([1.0, 3.0, 20.0], p=[0.6, 0.35, 0.05]))
        self.added += 1
        response = str(rng.choice(["push", "push", "push", "stop", "sensor"]))
        might, layer = int(rng.integers(0, 3)), 1 << int(rng.integers(0, 3))
        self.world.add(solid, random_pose(rng, self.far), might, layer, response=response, data=self.added)

    def one(self):
        bodies = by_age(self.world)
        return bodies[self.rng.integers(len(bodies))]

    def step(self):
        for body in self.world:
            if self.rng.random() < 0.5:
                x, y = self.rng.uniform(-5, 5, 2)
                body.goal = Pose(body.pose.x + x, body.pose.y + y, body.angle + self.rng.choice([0, 0.7]))
        self.world.step()

    def change(self):
        """Make one change, or several of a kind."""
        rng = self.rng
        match rng.integers(0, 9):
            case 0 | 1:
                self.step()
            case 2:
                for _ in range(rng.integers(1, 8)):
                    self.add()
            case 3:
                for _ in range(min(len(self.world) - 1, rng.integers(1, 8))):
                    self.world.remove(self.one())
            case 4:
                for _ in range(rng.integers(1, 4)):
                    self.one().pose = random_pose(rng, self.far)
            case 5:
                self.one().angle = rng.uniform(-4, 4)
            case 6:
                self.one().shape = random_solid(rng, str(rng.choice(KINDS)), 4.0)
            case 7:
                body = self.one()
                body.layer, body.might = 1 << int(rng.integers(0, 3)), int(rng.integers(0, 3))
            case 8:
                # Goals alone do not move a body.
                body = self.one()
                body.goal = random_pose(rng, self.far)

    def question(self):
        mask = int(self.rng.choice([7, 7, 1, 6, im.ALL_LAYERS]))
        ignore = [self.one() for _ in range(self.rng.integers(0, 3))]
        return {"mask": mask, "ignore": ignore}

    def point(self):
        return tuple(self.rng.uniform(-self.far, self.far, 2).tolist())


def questions_agree(changing):
    """Compare all queries with single bodies; return the number of results."""
    world, rng, asking = changing.world, changing.rng, changing.question()
    found = 0
    point = changing.point()
    if rng.random() < 0.5:
        # At some body, otherwise nothing would ever be found.
        place = changing.one().pose
        point = place.x, place.y
    answers = world.at_point(point, **asking)
    assert answers == holding(world, point, **asking)
    found += len(answers)

    solid, pose = random_solid(rng, str(rng.choice(KINDS)), 6.0), random_pose(rng, changing.far)
    answers = world.in_box(solid, pose, **asking)
    assert answers == overlapping(world, solid, pose, **asking)
    found += len(answers)
    within = [body for body in answers if im.overlaps(solid, pose, body.shape, body.pose, include_touching=False)]
    assert world.in_box(solid, pose, **asking, include_touching=False) == within
    found += pairs_agree(changing)

    goal = random_pose(rng, changing.far)
    pull = tuple(rng.choice([0.0, rng.uniform(-30, 30)], 2))
    motion = Motion(pose, Pose(goal.x, goal.y, pose.angle + rng.choice([0, 0, 1, -9])), pull)
    answers = world.sweep(solid, motion, **asking)
    assert answers == struck(world, solid, motion, **asking)
    found += len(answers)

    sector = im.Sector(rng.uniform(5, 2 * changing.far), rng.uniform(0.1, math.pi))
    answers = world.sector(sector, pose, **asking)
    expected = seen(world, sector, pose, **asking)
    assert [body for body, _ in answers] == [body for body, _ in expected]
    assert [hit.distance for _, hit in answers] == pytest.approx([hit.distance for _, hit in expected], abs=CLOSE)
    return found + len(answers) + lines_agree(changing) + distances_agree(changing)


def pairs_agree(changing):
    """Compare batch queries with single ones. One body is queried twice, and some at their current poses."""
    world, rng, asking = changing.world, changing.rng, changing.question()
    bodies = [changing.one() for _ in range(rng.integers(0, 6))]
    poses = [body.pose if rng.random() < 0.3 else random_pose(rng, changing.far) for body in bodies]
    places = np.array([(pose.x, pose.y, pose.angle) for pose in poses]).reshape(-1, 3)
    asking["ignore"] = ignored = [*asking["ignore"]]
    rows = [body.index for body in bodies]
    asking["include_touching"] = includes = bool(rng.random() < 0.5)
    expected = [
        [row, other.index]
        for row, (body, pose) in enumerate(zip(bodies, poses, strict=True))
        for other in asked(world, asking["mask"], [*ignored, body])
        if im.overlaps(body.shape, pose, other.shape, other.pose, include_touching=includes)
    ]
    assert world.overlapping_pairs(rows, places, **asking).tolist() == expected
    turned = np.array([body.angle for body in bodies])
    same = world.overlapping_pairs(rows, np.column_stack((places[:, :2], turned)), **asking)
    assert world.overlapping_pairs(rows, places[:, :2], **asking).tolist() == same.tolist()
    return len(expected)


def lines_agree(changing):
    """Compare segments with Shapely's crossings and their positions; near grazes are not judged."""
    world, asking = changing.world, changing.question()
    start, end = changing.point(), changing.point()
    line = shapely.LineString([start, end])
    answers = world.along(start, end, **asking)
    times = [impact.time for _, impact in answers]
    assert times == sorted(times)
    impacts = dict(answers)
    assert len(impacts) == len(answers)
    length = math.dist(start, end)
    for body in asked(world, **asking):
        shape = outline_of(body)
        margin = 1e-4
        if body not in impacts:
            if shapely.distance(line, shape) > 0.0:
                continue
            assert not shapely.crosses(line, shapely.buffer(shape, -margin)), body
            if shape.area == 0.0:
                # It may only end on a segment without crossing it; along the segment it is a graze.
                assert near_an_end(line, shape, margin), body
            continue
        impact = impacts[body]
        assert shapely.distance(line, shape) <= margin
        assert math.hypot(*impact.normal) == pytest.approx(1, rel=0, abs=CLOSE)
        if impact.overlapping:
            assert impact.time == 0.0
            assert shapely.distance(shape, shapely.Point(start)) <= margin
            continue
        place = [a + (b - a) * impact.time for a, b in zip(start, end, strict=True)]
        assert impact.point == pytest.approx(place, rel=0, abs=1e-6)
        # Before the hit there is at most the surface, and the path leads into it.
        before = shapely.LineString([start, [a + (b - a) * impact.time for a, b in zip(start, end, strict=True)]])
        assert shapely.intersection(before, shapely.buffer(shape, -margin)).length <= CLOSE * length
        way = [(b - a) / length for a, b in zip(start, end, strict=True)]
        assert impact.normal[0] * way[0] + impact.normal[1] * way[1] >= -CLOSE
    return len(answers)


def near_an_end(line, segment, margin):
    ends = shapely.MultiPoint([*line.coords, *segment.coords])
    return shapely.distance(shapely.intersection(line, segment), ends) <= margin


def distances_agree(changing):
    world, rng, asking = changing.world, changing.rng, changing.question()
    point = changing.point()
    distances = {body: distance_to(body, point) for body in asked(world, **asking)}
    count, within = int(rng.choice([1, 2, 5, 1000])), float(rng.choice([math.inf, 0.0, 3.0, 30.0]))
    answers = world.nearest(point, within=within, count=count, **asking)
    margin = 1e-4
    sure = sum(distance < within - margin for distance in distances.values())
    maybe = sum(distance < within + margin for distance in distances.values())
    assert min(count, sure) <= len(answers) <= min(count, maybe)
    found = [distance for _, distance in answers]
    assert found == sorted(found)
    assert found == pytest.approx(sorted(distances.values())[: len(found)], rel=0, abs=margin)
    assert found == pytest.approx([distances[body] for body, _ in answers], rel=0, abs=margin)
    return len(answers)


@pytest.mark.parametrize(("count", "far"), [(1, 5), (4, 10), (40, 30), (150, 100)])
@pytest.mark.parametrize("seed", some(range(3)))
def test_a_world_that_changes_answers_as_its_bodies_do_one_by_one(count, far, seed):
    rng = np.random.default_rng([61, count, seed])
    changing = Changing(rng, count, far)
    found = 0
    for _ in range(25):
        for _ in range(rng.integers(0, 4)):
            changing.change()
        found += questions_agree(changing)
    assert found > 20


@pytest.mark.parametrize(
    "constants",
    some(
        [
            {"MAX_STRAY_PART": 0.0, "MAX_STRAY_PART_OF_MOVERS": 0.0, "MIN_STRAY_LIMIT": 0},
            {"SINGLE_REFIT_PART": 1.0, "MAX_STRAY_PART": 1.0, "SPARE_LEAF_PART": 100.0},
            {"SPARE_LEAF_PART": 0.0, "MIN_SPARE_LEAVES": 1},
            {"MOVES_BEFORE_SORT": 0},
            {"SINGLE_REFIT_PART": 0.0},
        ],
        least=2,
    ),
    ids=lambda constants: " ".join(constants),
)
def test_however_often_the_tree_is_built_anew_the_answers_are_the_same(constants, monkeypatch):
    for name, value in constants.items():
        monkeypatch.setattr(module, name, value)
    rng = np.random.default_rng(62)
    changing = Changing(rng, 60, 40)
    for _ in range(25):
        for _ in range(rng.integers(1, 4)):
            changing.change()
        questions_agree(changing)


# Exact contacts, where rounding decides: grids, also far away.


@settings(max_examples=cases(150))
@given(
    places=st.lists(st.tuples(*[st.integers(-6, 6)] * 2), min_size=1, max_size=12),
    asked_at=st.lists(st.tuples(*[st.integers(-8, 8)] * 4), min_size=1, max_size=4),
    away=st.sampled_from([0.0, 1e6, -3e9, 1e15]),
    turned=st.booleans(),
)
def test_what_touches_exactly_is_found_as_by_itself(places, asked_at, away, turned):
    """A box rotated by a quarter turn is a box whose sides rounding has moved a little."""
    world, angle = World(), math.pi / 2 if turned else 0.0
    for index, (x, y) in enumerate(places):
        world.add([Box(2, 4), Circle(1), Capsule((0, 0), (0, 2))][index % 3], Pose(away + x, y, angle), data=index)
    for x, y, end_x, end_y in asked_at:
        point, pose = (away + x / 2, y / 2), Pose(away + x / 2, y / 2)
        assert world.at_point(point) == holding(world, point, 1, ())
        assert world.in_box(Box(1, 2), pose) == overlapping(world, Box(1, 2), pose, 1, ())
        motion = Motion(pose, Pose(away + end_x / 2, end_y / 2))
        assert world.sweep(Box(1, 2), motion) == struck(world, Box(1, 2), motion, 1, ())
        nearest = world.nearest(point, count=len(places))
        gaps = {body: im.distance(Circle(1), pose, body.shape, body.pose).distance + 1 for body in world}
        for body, distance in nearest:
            assert distance == pytest.approx(gaps[body], rel=0, abs=CLOSE + 1e-14 * abs(away))
        assert len(nearest) == len(places)


def test_ten_thousand_boxes_are_found_as_by_their_sides():
    rng = np.random.default_rng(3)
    sizes, places = rng.uniform(1, 20, (10_000, 2)), rng.uniform(-1000, 1000, (10_000, 2))
    world = World()
    bodies = [world.add(Box(*size), Pose(*place)) for size, place in zip(sizes, places, strict=True)]
    for x, y, width, height in np.column_stack([rng.uniform(-1000, 1000, (50, 2)), rng.uniform(1, 300, (50, 2))]):
        offsets = abs(places - (x, y))
        held = np.flatnonzero((offsets <= sizes / 2).all(axis=1))
        assert world.at_point((x, y)) == [bodies[row] for row in held]
        reaches = (sizes + np.array([width, height])) / 2
        met = np.flatnonzero((offsets <= reaches).all(axis=1))
        assert world.in_box(Box(width, height), Pose(x, y)) == [bodies[row] for row in met]
        outside = np.maximum(offsets - sizes / 2, 0)
        gaps = np.hypot(*outside.T)
        gaps[held] = (offsets - sizes / 2)[held].max(axis=1)
        found = world.nearest((x, y), count=7)
        assert [distance for _, distance in found] == pytest.approx(np.sort(gaps)[:7], rel=0, abs=CLOSE)


# Worked cases.


def test_bodies_that_hold_a_point_come_in_the_order_of_adding_also_in_a_row_used_again():
    world = World()
    bodies = [world.add(Box(2, 2), Pose(i / 10, 0)) for i in range(20)]
    assert world.at_point((1, 0)) == world.in_box(Circle(0.1), Pose(1, 0)) == bodies
    world.remove(bodies[3])
    newcomer = world.add(Circle(5), Pose(0, 0))
    assert newcomer.index == 3
    assert world.at_point((1, 0)) == world.in_box(Circle(0.1), Pose(1, 0)) == [*bodies[:3], *bodies[4:], newcomer]
    assert [body for body, _ in world.nearest((1, 50), count=3)] == [newcomer, *bodies[:2]]
    assert [body for body, _ in world.sweep(Box(9, 1), Motion(Pose(1, -50), Pose(1, 50)))][:2] == [newcomer, bodies[0]]


def test_a_ring_holds_no_point_in_its_hole_and_is_as_near_as_its_inner_wall():
    world = World()
    ring = world.add(RING, Pose(100, 0, math.pi / 4))
    assert world.at_point((100, 0)) == []
    assert world.at_point((100 + 4 * math.sqrt(0.5), 4 * math.sqrt(0.5))) == [ring]
    ((body, distance),) = world.nearest((100, 0))
    assert body is ring
    assert distance == pytest.approx(3, rel=0, abs=CLOSE)


def test_a_segment_comes_to_what_is_in_its_way_as_if_nothing_were():
    world = World()
    start_in = world.add(Circle(3), Pose(1, 0))
    thin = world.add(Capsule((0, -5), (0, 5)), Pose(10, 0))
    far, near = world.add(Box(2, 2), Pose(31, 0)), world.add(Box(2, 2), Pose(21, 0, math.pi / 4))
    answers = world.along((0, 0), (40, 0))
    assert [body for body, _ in answers] == [start_in, thin, near, far]
    assert [impact.overlapping for _, impact in answers] == [True, False, False, False]
    assert [impact.time for _, impact in answers] == pytest.approx(
        [0, 10 / 40, (21 - math.sqrt(2)) / 40, 30 / 40], rel=0, abs=1e-12
    )
    assert answers[1][1].normal == pytest.approx((1, 0), rel=0, abs=1e-12)
    assert answers[3][1].point == pytest.approx((30, 0), rel=0, abs=1e-12)
    assert answers[3][1].feature_a == im.Feature("vertex", 0)
    assert answers[3][1].feature_b == im.Feature("edge", 3)


@pytest.mark.parametrize("angle", [0.0, 0.3, 2.0])
def test_a_segment_along_a_cut_of_a_concave_body_comes_to_it(angle):
    """It only grazes both convex pieces, one on each side of it, and was once thought to miss the whole body."""
    world = World()
    arrow = world.add(ARROW, Pose(0, 0, angle))
    cos, sin = math.cos(angle), math.sin(angle)
    for begin, end, entered in ((-50, 50, 0.0), (50, -50, 1.0)):
        ((body, impact),) = world.along((begin * cos, begin * sin), (end * cos, end * sin))
        assert body is arrow
        assert impact.point == pytest.approx((entered * cos, entered * sin), rel=0, abs=1e-7)


@pytest.mark.parametrize(
    ("start", "end", "is_met"),
    [
        ((-9, 1), (9, 1), False),  # along the top
        ((-9, 1 - 1e-6), (9, 1 - 1e-6), True),
        ((-3, -1), (1, 3), False),  # past a corner
        ((-9, 0), (-1, 0), True),  # up to the surface
        ((-9, 0), (-1 - 1e-6, 0), False),
        ((-1, 0), (9, 0), True),  # from the surface, inwards
        ((-1, 0), (-9, 0), False),  # outwards
        ((-1, 0), (-1, 0), False),  # no length, on the surface
        ((0, 0), (0, 0), True),  # no length, inside
        ((0.5, 0), (9, 0), True),  # from inside, outwards
    ],
)
@pytest.mark.parametrize("angle", [0.0, math.pi / 2])
def test_to_graze_is_to_come_to_nothing(start, end, is_met, angle):
    world = World()
    box = world.add(Box(2, 2), Pose(0, 0, angle))
    assert [body for body, _ in world.along(start, end)] == ([box] if is_met else [])


def test_the_nearest_are_those_within_a_distance_and_no_more_than_wanted():
    world = World()
    posts = [world.add(Circle(1), Pose(x, 0), layer=1 << (x % 2)) for x in range(10, 0, -1)]
    from_left = posts[::-1]
    answers = world.nearest((-4, 0), count=3)
    assert answers == [(post, x + 4.0 - 1.0) for x, post in zip((1, 2, 3), from_left, strict=False)]
    assert world.nearest((-4, 0), within=4, count=99) == [(from_left[0], 4.0)]
    assert world.nearest((-4, 0), within=3.999999) == []
    assert len(world.nearest((-4, 0), count=1 << 62)) == 10
    assert world.nearest((-4, 0), mask=1) == [(from_left[1], 5.0)]
    assert world.nearest((-4, 0), ignore=from_left[:4]) == [(from_left[4], 8.0)]
    # Equally near on both sides: the one that was added first.
    assert world.nearest((1.5, 0), count=1) == [(from_left[1], -0.5)]
    assert world.nearest((1.5, 0), within=0, count=9) == [(from_left[1], -0.5), (from_left[0], -0.5)]


def test_a_wish_moves_nobody_and_a_step_does():
    world = World()
    door = world.add(Box(10, 2), Pose(0, 0), might=1)
    door.goal = Pose(20, 0, math.pi / 2)
    assert (world.at_point((4, 0)), world.at_point((20, 4))) == ([door], [])
    world.step()
    assert (world.at_point((4, 0)), world.at_point((20, 4))) == ([], [door])
    door.angle = 0.0
    assert (world.at_point((24, 0)), world.at_point((20, 4))) == ([door], [])
    door.pose = Pose(-20, 0)
    assert (world.at_point((24, 0)), world.at_point((-24, 0))) == ([], [door])
    door.shape = Circle(1)
    assert (world.at_point((-24, 0)), world.at_point((-20, 0))) == ([], [door])
    door.layer = 2
    assert (world.at_point((-20, 0), mask=1), world.at_point((-20, 0), mask=2)) == ([], [door])
    world.remove(door)
    assert world.at_point((-20, 0)) == world.nearest((0, 0)) == world.along((-99, 0), (99, 0)) == []


def everything(world, **options):
    """Make all queries of a world so that they find every body."""
    return [
        set(world.at_point((0, 0), **options)),
        set(world.in_box(Box(99, 99), HERE, **options)),
        {body for body, _ in world.along((-50, 0), (50, 0), **options)},
        {body for body, _ in world.sweep(Circle(9), Motion(Pose(-50, 0), Pose(50, 0)), **options)},
        {body for body, _ in world.nearest((0, 0), count=1000, **options)},
        {body for body, _ in world.sector(im.Sector(99, math.pi), HERE, **options)},
    ]


def test_the_mask_chooses_whom_a_question_is_about_and_who_is_ignored_is_left_out():
    world = World()
    bodies = [world.add(Box(8, 8), Pose(i, 0), layer=1 << 20 * i, response=response) for i, response in
              enumerate(("push", "sensor", "stop", "bounce"))]  # fmt: skip
    for chosen in range(16):
        among = {body for i, body in enumerate(bodies) if chosen >> i & 1}
        mask = sum(body.layer for body in among)
        assert everything(world, mask=mask) == [among] * 6
        assert everything(world, ignore=iter(set(bodies) - among))[:1] == [among]
        assert everything(world, ignore=list(set(bodies) - among)) == [among] * 6
    assert everything(world, ignore=bodies[0]) == [set(bodies[1:])] * 6


def test_nobody_is_found_in_a_world_of_nobody():
    world = World()
    assert everything(world) == [set()] * 6
    bodies = [world.add(Box(8, 8), HERE) for _ in range(100)]
    assert everything(world) == [set(bodies)] * 6
    for body in bodies:
        world.remove(body)
    assert everything(world) == [set()] * 6
    newcomer = world.add(Box(8, 8), HERE)
    assert everything(world) == [{newcomer}] * 6


# Cost.


def lively(count):
    world = World()
    floor = [world.add(Box(4, 4), Pose(5 * (i % 50), -5 * (i // 50)), might=1) for i in range(count)]
    return world, floor, [world.add(Box(2, 2), Pose(5 * i, 20)) for i in range(20)]


def test_a_world_that_is_not_asked_notes_nothing(monkeypatch):
    made = []
    tree = state.StandingTree
    monkeypatch.setattr(state, "StandingTree", lambda: made.append(tree()) or made[-1])
    world, _, creatures = lively(10)
    creatures[0].goal = Pose(3, 3)
    world.step()
    world.remove(creatures[1])
    assert made == []
    without = world.counters.bytes
    world.at_point((0, 0))
    assert len(made) == 1
    assert world.counters.bytes > without


def test_a_frame_fits_the_leaves_of_those_that_move_and_builds_nothing(monkeypatch):
    world, floor, creatures = lively(1000)
    for creature in creatures:
        creature.goal = Pose(creature.pose.x, creature.pose.y - 1)
    world.step()
    world.at_point((0, 0))
    fitted = []

    def refit(tree, floats, is_used, has_moved, bodies, first_mover, before=entry.refit_pose_leaves):
        fitted.append(sorted(bodies.tolist()))
        return before(tree, floats, is_used, has_moved, bodies, first_mover)

    def fails(*rest):
        raise AssertionError("built anew")

    monkeypatch.setattr(entry, "refit_pose_leaves", refit)
    monkeypatch.setattr(entry, "fit_pose_leaves", fails)
    rows = sorted(creature.index for creature in creatures)
    for _ in range(5):
        for creature in creatures:
            creature.goal = Pose(creature.pose.x, creature.pose.y - 1)
        world.step()
        assert world.at_point((0, 0)) == [floor[0]]
        world.nearest((0, 0))
    assert fitted == [rows] * 5
    fitted.clear()
    floor[7].pose = Pose(-50, 0)
    # Shots that come and go take the rows of those before them.
    for _ in range(100):
        shot = world.add(Circle(1), Pose(0, 10))
        assert world.at_point((0, 10)) == [shot]
        row = shot.index
        world.remove(shot)
    assert world.at_point((-50, 0)) == [floor[7]]
    assert fitted[0] == [floor[7].index, row]
    assert fitted[1:] == [[row]] * 100


def test_questions_change_nothing():
    ends = []
    for is_asked in (False, True):
        changing = Changing(np.random.default_rng(7), 40, 20)
        asking = Changing.__new__(Changing)
        asking.__dict__.update(copy(vars(changing)) | {"rng": np.random.default_rng(8)})
        for _ in range(20):
            changing.change()
            if is_asked:
                questions_agree(asking)
        ends.append([(body.pose, body.goal, body.sides, body.shape) for body in by_age(changing.world)])
    assert ends[0] == ends[1]


def test_bodies_that_are_only_touched_do_not_count_without_touching():
    """A row of tiles: the one in the middle is at its own place, and touches both its neighbours."""
    world = World()
    tiles = [world.add(Box(0.1, 0.1), Pose(0.1 * i, 7)) for i in range(9)]
    for i, tile in enumerate(tiles):
        assert world.in_box(Box(0.1, 0.1), tile.pose, include_touching=False) == [tile]
        assert world.in_box(Circle(0.05), tile.pose, ignore=tile, include_touching=False) == []
        assert world.in_box(Box(0.12, 0.1), tile.pose, include_touching=False) == tiles[max(i - 1, 0) : i + 2]
        assert world.in_box(Box(0.1, 0.1), tile.pose) == tiles[max(i - 1, 0) : i + 2]
    far = world.add(Box(1, 1), Pose(1e9, 0))  # so far away that rounding counts
    assert world.in_box(Box(1, 1), Pose(1e9 - 1, 0), include_touching=False) == []
    assert world.in_box(Box(1, 1), Pose(1e9 - 1, 0)) == [far]
    assert world.in_box(Box(1, 1), Pose(1e9 - 0.5, 0), include_touching=False) == [far]


# Refused arguments.

STRANGER = World().add(Box(1, 1), HERE)
QUESTIONS = {
    "at_point": {"point": (0, 0)},
    "in_box": {"box": Box(2, 2), "pose": HERE},
    "overlapping_pairs": {"bodies": [], "poses": []},
    "along": {"start": (-9, 0), "end": (9, 0)},
    "sweep": {"shape": Box(2, 2), "motion": Motion(Pose(-9, 0), Pose(9, 0))},
    "nearest": {"point": (0, 0)},
}
BAD = [
    ("at_point", "point", (0, math.nan), r"point\[1\] must be finite, got nan"),
    ("at_point", "point", 7, r"point must be two numbers \(x, y\), got 7"),
    ("in_box", "box", "crate", "box must be a solid shape .* got 'crate'"),
    ("in_box", "pose", (0, 0), r"pose must be a Pose, got \(0, 0\)"),
    ("in_box", "include_touching", 1, "include_touching must be True or False, got 1"),
    ("overlapping_pairs", "include_touching", None, "include_touching must be True or False, got None"),
    ("overlapping_pairs", "bodies", [7], "bodies must be in this world, got index 7"),
    ("overlapping_pairs", "bodies", "all", r"bodies must be indices of shape \(n,\), got 'all'"),
    ("overlapping_pairs", "poses", [(0, 0)], r"poses must have shape \(0, 2\) or \(0, 3\), got \(1, 2\)"),
    ("along", "start", (math.inf, 0), r"start\[0\] must be finite, got inf"),
    ("along", "end", ("far", 0), r"end\[0\] must be a number, got 'far'"),
    ("sweep", "shape", None, "shape must be a solid shape .* got None"),
    ("sweep", "motion", HERE, r"motion must be a Motion, got Pose\(x=0.0"),
    ("nearest", "point", "ab", "point must be two numbers .* got 'ab'"),
    ("nearest", "within", -1, "within must be finite and not negative, got -1"),
    ("nearest", "within", math.nan, "within must be finite and not negative, got nan"),
    ("nearest", "within", None, "within must be a number, got None"),
    ("nearest", "count", 0, "count must be an integer from 1 to .* got 0"),
    ("nearest", "count", 2.0, "count must be an integer from 1 to .* got 2.0"),
    *((name, "mask", -1, "mask must be an integer from 0 .* got -1") for name in QUESTIONS),
    *((name, "mask", 1.0, "mask must be an integer from 0 .* got 1.0") for name in QUESTIONS),
]


@pytest.mark.parametrize(("question", "name", "value", "message"), BAD)
def test_bad_arguments_are_refused_by_name_and_value(question, name, value, message):
    world = World()
    body = world.add(Box(2, 2), HERE)
    with pytest.raises(im.ShapeError, match=f"^{message}"):
        getattr(world, question)(**(QUESTIONS[question] | {name: value}))
    assert everything(world) == [{body}] * 6


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("wrong", [STRANGER, [STRANGER], 3, "me", [None], None])
def test_who_is_ignored_must_be_of_the_world(question, wrong):
    world = World()
    world.add(Box(2, 2), HERE)
    with pytest.raises(ValueError, match="ignore must be one of this world, got"):
        getattr(world, question)(**QUESTIONS[question], ignore=wrong)


def test_who_was_removed_cannot_be_ignored():
    world = World()
    body = world.add(Box(2, 2), HERE)
    world.remove(body)
    with pytest.raises(ValueError, match="ignore must be one of this world, got <Body, removed>"):
        world.at_point((0, 0), ignore=body)
