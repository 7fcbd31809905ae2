"""Queries in a space.

The oracles: Pymunk's point and segment queries, and Shapely at many sampled times.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import pymunk
import pytest
import shapely
from pymunk import Body, Circle, Poly, Segment, ShapeFilter, Space, Vec2d

import impinge as im
from impinge_pymunk import (
    motion_of,
    pose_of,
    sector_query,
    shape_of,
    sweep_query,
    sweep_query_first,
    time_of_impact,
)
from scale import some

# Chipmunk measures distances of polygons iteratively, and stops some 1e-7 of their size short.
CLOSE = 1e-5


def some_shape(rnd: random.Random, body: Body) -> pymunk.Shape:
    """Return a shape of any kind, centred on its body or beside it."""
    place = rnd.choice([(0, 0), (rnd.uniform(-9, 9), rnd.uniform(-9, 9))])
    radius = rnd.choice([0, 0.5, 3])
    kind = rnd.randrange(4)
    if kind == 0:
        return Circle(body, rnd.uniform(1, 12), place)
    if kind == 1:
        return Segment(body, place, (rnd.uniform(-20, 20), rnd.uniform(-20, 20)), radius)
    if kind == 2:
        return Poly.create_box(body, (rnd.uniform(2, 20), rnd.uniform(2, 20)), radius)
    angles = sorted(rnd.uniform(0, math.tau) for _ in range(rnd.randrange(3, 8)))
    angles += [angles[0] + 2, angles[0] + 4]
    return Poly(body, [(place[0] + 9 * math.cos(a), place[1] + 7 * math.sin(a)) for a in angles], None, radius)


def some_body(rnd: random.Random, far: float = 60) -> Body:
    body = Body(1, 1)
    body.position = rnd.uniform(-far, far), rnd.uniform(-far, far)
    body.angle = rnd.choice([0, rnd.uniform(-4, 4)])
    body.velocity = rnd.uniform(-900, 900), rnd.uniform(-900, 900)
    body.angular_velocity = rnd.choice([0, rnd.uniform(-30, 30)])
    return body


def crowded(rnd: random.Random, count: int) -> Space:
    space = Space()
    for _ in range(count):
        body = some_body(rnd)
        space.add(body, some_shape(rnd, body))
    for body in space.bodies:
        space.reindex_shapes_for_body(body)
    return space


def collide(one: pymunk.Shape, other: pymunk.Shape) -> bool:
    """Return whether two shapes overlap by more than a touch, by Shapely."""
    return overlap(drawn(one), drawn(other), one.radius + other.radius)


def overlap(one: shapely.Geometry, other: shapely.Geometry, radii: float) -> bool:
    """Return whether two geometries overlap by more than a touch, with the sum of their radii."""
    apart = one.distance(other)
    if apart > 0.0:
        return bool(apart - radii < -CLOSE)
    common = one.intersection(other)
    return bool(radii > CLOSE or common.area > CLOSE or (common.length > CLOSE and not radii))


def cut(shape: pymunk.Shape, start: Vec2d, end: Vec2d) -> float | None:
    """Return where a segment meets a shape, as a fraction of its length. No hit: Pymunk 7 has None, 6.9 no shape."""
    info: Any = shape.segment_query(start, end)
    return None if info is None or info.shape is None else info.alpha


def gap_between(shape: pymunk.Shape, other: pymunk.Shape, motion: im.Motion, time: float) -> float:
    """Return the distance of two shapes, by Shapely, when the first one is at some time of its motion."""
    pose = motion.at(time)
    assert shape.body is not None
    shape.body.position, shape.body.angle = (pose.x, pose.y), pose.angle
    return drawn(shape).distance(drawn(other)) - shape.radius - other.radius


def drawn(shape: pymunk.Shape) -> shapely.Geometry:
    """Return the geometry of a shape without its radius."""
    body = shape.body
    assert body is not None
    if isinstance(shape, Circle):
        return shapely.Point(body.local_to_world(shape.offset))
    if isinstance(shape, Segment):
        return shapely.LineString([body.local_to_world(shape.a), body.local_to_world(shape.b)])
    return shapely.Polygon([body.local_to_world(vertex) for vertex in shape.get_vertices()])


# ---------------------------------------------------------------- shapes


@pytest.mark.parametrize("seed", some(range(60), least=15))
def test_a_solid_stands_where_pymunk_has_its_shape(seed: int) -> None:
    rnd = random.Random(seed)
    body = some_body(rnd)
    shape = some_shape(rnd, body)
    space = Space()
    space.add(body, shape)
    shape.cache_bb()
    solid, pose = shape_of(shape), pose_of(body)
    dot = im.Circle(1e-9)
    for _ in range(40):
        point = body.position + Vec2d(rnd.uniform(-30, 30), rnd.uniform(-30, 30))
        expected = shape.point_query(point).distance
        found = im.distance(dot, im.Pose(*point), solid, pose).distance
        assert found == pytest.approx(expected, rel=0, abs=CLOSE)


def test_a_box_a_circle_and_a_segment_are_what_they_are_called() -> None:
    body = Body(1, 1)
    assert shape_of(Poly.create_box(body, (20, 10))) == im.Box(20, 10)
    assert shape_of(Circle(body, 4)) == im.Circle(4)
    assert shape_of(Segment(body, (1, 2), (3, 4), 5)) == im.Capsule((1, 2), (3, 4), 5)
    # A rounded box, and a box beside its body's centre, do not become a `Box`.
    assert isinstance(shape_of(Poly.create_box(body, (20, 10), 1)), im.Polygon)
    assert isinstance(shape_of(Poly(body, [(0, 0), (4, 0), (4, 4), (0, 4)])), im.Polygon)


SLOPE, OTHER_SLOPE = [(0, 0), (8, 0), (0, 8)], [(0, 0), (8, 0), (8, 8)]


@pytest.mark.parametrize(
    ("shape", "change", "expected"),
    [
        (Circle(None, 4), lambda ball: ball.unsafe_set_radius(9), im.Circle(9)),
        (Circle(None, 4, (1, 0)), lambda ball: ball.unsafe_set_offset((0, 0)), im.Circle(4)),
        (Segment(None, (0, 0), (9, 0), 1), lambda rod: rod.unsafe_set_radius(2), im.Capsule((0, 0), (9, 0), 2)),
        (
            Segment(None, (0, 0), (9, 9), 1),
            lambda rod: rod.unsafe_set_endpoints((0, 9), (9, 0)),
            im.Capsule((0, 9), (9, 0), 1),
        ),
        (Poly(None, SLOPE), lambda tile: tile.unsafe_set_vertices(OTHER_SLOPE), im.Polygon(OTHER_SLOPE)),
        (Poly(None, SLOPE), lambda tile: tile.unsafe_set_radius(2), im.Polygon(SLOPE, 2)),
    ],
)
def test_a_reshaped_shape_has_another_solid_even_in_the_same_bounds(
    shape: Any, change: Callable[[Any], None], expected: Any
) -> None:
    # The solid of a shape is kept. A map editor may turn a slope around: its bounds and its area stay.
    before = shape_of(shape)
    assert shape_of(shape) is before
    change(shape)
    found = shape_of(shape)
    if isinstance(expected, im.Polygon):
        assert isinstance(found, im.Polygon)
        assert (set(found.vertices), found.radius) == (set(expected.vertices), expected.radius)
    else:
        assert found == expected


def test_a_body_is_all_of_its_shapes() -> None:
    body = Body(1, 1)
    shapes = [Circle(body, 2, (-5, 0)), Circle(body, 2, (5, 0)), Segment(body, (-5, 0), (5, 0), 1)]
    dumbbell = shape_of(body)
    assert dumbbell.bounds(im.Pose(0, 0)) == (-7, -2, 7, 2)
    assert len(dumbbell.pieces) == len(shapes)
    assert shape_of(body) == dumbbell


def test_a_motion_is_what_pymunk_does_with_a_free_body() -> None:
    for seed in range(20):
        body = some_body(random.Random(seed))
        space = Space()
        space.add(body, Circle(body, 1))
        end = motion_of(body, 1 / 60).end
        space.step(1 / 60)
        assert (end.x, end.y, end.angle) == (*body.position, body.angle)


def test_a_body_that_turns_about_a_centre_of_gravity_beside_its_position_ends_where_pymunk_has_it() -> None:
    for seed in range(20):
        rnd = random.Random(seed)
        body = some_body(rnd)
        space = Space()
        space.add(body, Circle(body, 1))
        place = body.position
        body.center_of_gravity = rnd.uniform(-9, 9), rnd.uniform(-9, 9)
        body.position = place  # Chipmunk updates the centre only when the body's position is set
        end = motion_of(body, 1 / 60).end
        space.step(1 / 60)
        assert (end.x, end.y, end.angle) == pytest.approx((*body.position, body.angle), abs=1e-9)


# ---------------------------------------------------------------- sweeps


@pytest.mark.parametrize("seed", some(range(40), least=10))
def test_a_sweep_tells_when_they_touch_first(seed: int) -> None:
    rnd = random.Random(seed)
    space = crowded(rnd, 12)
    body = some_body(rnd, 150)
    shape = some_shape(rnd, body)
    motion = im.Motion(
        pose_of(body), im.Pose(rnd.uniform(-150, 150), rnd.uniform(-150, 150), body.angle + rnd.choice([0, 2, -7]))
    )
    told = {hit.shape: hit for hit in sweep_query(space, shape, motion)}
    times = [hit.alpha for hit in sweep_query(space, shape, motion)]
    assert times == sorted(times)
    steps, met = 400, {}
    others = [(other, drawn(other), shape.radius + other.radius) for other in space.shapes]
    for step in range(steps + 1):
        pose = motion.at(step / steps)
        body.position, body.angle = (pose.x, pose.y), pose.angle
        mine = drawn(shape)
        met |= {other: step for other, theirs, radii in others if other not in met and overlap(mine, theirs, radii)}
    for other in space.shapes:
        first = met.get(other)
        if other not in told:
            assert first is None
            continue
        # The impact is not later than the first sampled overlap, and the shapes touch at that time, unless they start
        # in overlap.
        alpha = told[other].alpha
        assert first is None or alpha <= first / steps + 1e-9
        assert first == 0 or abs(gap_between(shape, other, motion, alpha)) < CLOSE


def test_the_normal_points_out_of_what_is_struck_and_the_nearest_comes_first() -> None:
    space = Space()
    walls = [Segment(space.static_body, (x, -50), (x, 50), 1) for x in (300, 100, 200)]
    space.add(*walls)
    hits = sweep_query(space, im.Circle(9), im.Motion(im.Pose(0, 0), im.Pose(1000, 0)))
    assert [hit.shape for hit in hits] == [walls[1], walls[2], walls[0]]
    assert [hit.alpha for hit in hits] == pytest.approx([0.09, 0.19, 0.29])
    assert {hit.normal for hit in hits} == {Vec2d(-1, 0)}
    assert hits[0].point == Vec2d(99, 0)
    # The same as Pymunk's own query, which only supports circles.
    thick = space.segment_query((0, 0), (1000, 0), 9, ShapeFilter())
    assert sorted(info.alpha for info in thick) == pytest.approx([hit.alpha for hit in hits])


@pytest.mark.parametrize("seed", some(range(200), least=20))
def test_the_first_hit_is_the_earliest_of_all_hits(seed: int) -> None:
    """It is looked for in stretches of the way, of which the earliest hit may be in any."""
    rnd = random.Random(seed)
    space = crowded(rnd, rnd.choice([2, 5, 40]))
    for shape in space.shapes:
        shape.filter = ShapeFilter(categories=rnd.choice([1, 2]))
    body = some_body(rnd, 200)
    parts = [some_shape(rnd, body) for _ in range(rnd.randrange(1, 4))]
    for part in parts:
        part.filter = ShapeFilter(mask=rnd.choice([1, 3]))
    places = [(body.position.x, body.position.y), (rnd.uniform(-200, 200), rnd.uniform(-200, 200))]
    start, end = im.Pose(*places[0], body.angle), im.Pose(*rnd.choice(places), body.angle + rnd.choice([0, 3]))
    pull = rnd.choice([(0, 0), (rnd.uniform(-1500, 1500), rnd.uniform(-1500, 1500))])
    motion = im.Motion(start, end, pull)
    for cast in (parts[0], body, shape_of(body)):
        for shape_filter in (None, ShapeFilter(mask=1)):
            hits = sweep_query(space, cast, motion, shape_filter)
            first = sweep_query_first(space, cast, motion, shape_filter)
            assert first == (hits[0] if hits else None)


def test_the_first_hit_of_a_speck_is_found_at_the_end_of_a_long_way() -> None:
    """Only some stretches of the way are as short as the solid."""
    space = Space()
    wall = Segment(space.static_body, (9e5, -1), (9e5, 1), 1)
    space.add(wall)
    hit = sweep_query_first(space, im.Circle(1e-9), im.Motion(im.Pose(0, 0), im.Pose(1e6, 0)))
    assert hit is not None
    assert (hit.shape, hit.alpha) == (wall, pytest.approx(0.899999))


def may_meet(one: ShapeFilter, other: ShapeFilter) -> bool:
    """Return whether two filters allow a collision, by Pymunk's documentation of `ShapeFilter`."""
    if one.group == other.group != 0:
        return False
    return one.categories & other.mask != 0 and other.categories & one.mask != 0


@pytest.mark.parametrize("seed", some(range(20), least=5))
def test_a_sweep_meets_what_the_filters_of_its_shapes_let_it_meet(seed: int) -> None:
    """`Space.shape_query` takes the filter of its shape; a sweep took none."""
    rnd = random.Random(seed)
    space = crowded(rnd, 40)
    for shape in space.shapes:
        shape.filter = ShapeFilter(rnd.randrange(3), rnd.choice([1, 2, 3]), rnd.choice([1, 2, 3]))
    body = Body(1, 1)
    parts = [Circle(body, 12, (-20, 0)), Circle(body, 12, (20, 0))]
    for part in parts:
        part.filter = ShapeFilter(rnd.randrange(3), rnd.choice([1, 2, 3]), rnd.choice([1, 2, 3]))
    way = im.Motion(im.Pose(-60, rnd.uniform(-40, 40)), im.Pose(60, rnd.uniform(-40, 40)))
    met: dict[Circle, set[pymunk.Shape]] = {part: set() for part in parts}
    for step in range(61):
        pose = way.at(step / 60)
        body.position = pose.x, pose.y
        for part in parts:
            for info in space.shape_query(part):
                if any(point.distance < -CLOSE for point in info.contact_point_set.points):
                    assert info.shape is not None
                    met[part].add(info.shape)
    for part in parts:
        found = {hit.shape for hit in sweep_query(space, part, way)}
        assert met[part] <= found
        everything = {hit.shape for hit in sweep_query(space, part, way, ShapeFilter())}
        assert found == {shape for shape in everything if may_meet(part.filter, shape.filter)}
    whole = sweep_query(space, body, way)
    assert {hit.shape for hit in whole} == {hit.shape for part in parts for hit in sweep_query(space, part, way)}
    assert len(whole) == len({hit.shape for hit in whole})
    assert [hit.alpha for hit in whole] == sorted(hit.alpha for hit in whole)


def test_a_sweep_strikes_neither_its_own_body_nor_what_its_filter_leaves_out() -> None:
    space = Space()
    body = Body(1, 1)
    own = [Circle(body, 5), Circle(body, 5, (20, 0))]
    ghost, sensor = Segment(space.static_body, (50, -9), (50, 9), 0), Segment(space.static_body, (60, -9), (60, 9), 0)
    ghost.filter, sensor.sensor = ShapeFilter(categories=2), True
    space.add(body, *own, ghost, sensor)
    way = im.Motion(im.Pose(0, 0), im.Pose(100, 0))
    assert [hit.shape for hit in sweep_query(space, body, way)] == [ghost, sensor]
    unseen = ShapeFilter(mask=ShapeFilter.ALL_MASKS() ^ 2)
    assert [hit.shape for hit in sweep_query(space, own[0], way, unseen)] == [sensor]


def test_two_bullets_strike_each_other_in_flight() -> None:
    one, other = Body(1, 1), Body(1, 1)
    one.position, other.position = (-100, 0), (100, 0)
    one.velocity, other.velocity = (6000, 0), (-6000, 0)
    impact = time_of_impact(Circle(one, 2), Circle(other, 2), 1 / 60)
    # They are 196 apart and approach by 200.
    assert impact is not None
    assert impact.time == pytest.approx(0.98, abs=1e-12)
    assert time_of_impact(Circle(one, 2), Circle(other, 2), 0.01) is None


# ---------------------------------------------------------------- sectors


@pytest.mark.parametrize("seed", some(range(25), least=4))
@pytest.mark.parametrize("is_hidden", [False, True])
def test_a_sector_reaches_what_rays_find(seed: int, is_hidden: bool) -> None:
    rnd = random.Random(seed)
    space = crowded(rnd, 15)
    sector = im.Sector(rnd.uniform(60, 120), rnd.uniform(0.2, 3.0))
    pose = im.Pose(rnd.uniform(-60, 60), rnd.uniform(-60, 60), rnd.uniform(-4, 4))
    told = {
        info.shape: info for info in sector_query(space, sector, pose, occluders=ShapeFilter() if is_hidden else ())
    }
    apex, total = Vec2d(pose.x, pose.y), 3000
    nearest: dict[pymunk.Shape, float] = {}
    inside = {info.shape for info in space.point_query(apex, 0, ShapeFilter()) if info.distance < 0}
    outside = [shape for shape in space.shapes if shape not in inside]
    near = [shape for shape in outside if shape.point_query(apex).distance <= sector.radius + 1]
    for ray in range(total):
        angle = pose.angle + sector.half_angle * (2 * ray / (total - 1) - 1)
        tip = apex + Vec2d(sector.radius, 0).rotated(angle)
        for shape in near:
            alpha = cut(shape, apex, tip)
            if alpha is not None:
                nearest[shape] = min(nearest.get(shape, math.inf), alpha * sector.radius)
    for shape, distance in nearest.items():
        if not is_hidden:
            # No ray is shorter than the distance to the nearest point, and some ray is only slightly longer.
            assert told[shape].distance <= distance + CLOSE
            assert told[shape].distance >= distance - 2
    for shape, info in told.items():
        assert (
            shape in nearest
            or shape in inside
            or info.distance > sector.radius - 2
            or abs(info.bearing) > (sector.half_angle - 0.1)
        )
        if is_hidden and info.distance > 0:
            # No other shape lies between the apex and the visible point.
            way = (info.point - apex) * (1 - 1e-3)
            for other in space.shapes:
                if other is not shape and other not in inside:
                    # The point may be at the very edge of a shadow.
                    assert any(cut(other, apex, apex + way.rotated(turn)) is None for turn in (-1e-6, 0, 1e-6))


def test_a_wall_hides_what_is_behind_it_and_never_itself() -> None:
    space = Space()
    wall = Segment(space.static_body, (50, -20), (50, 20), 1)
    behind, beside = Body(1, 1), Body(1, 1)
    behind.position, beside.position = (80, 0), (60, 60)
    foes = [Circle(behind, 5), Circle(beside, 5)]
    space.add(wall, behind, beside, *foes)
    guard = im.Sector(100, math.radians(80))
    seen = [info.shape for info in sector_query(space, guard, im.Pose(0, 0), occluders=[wall])]
    assert seen == [wall, foes[1]]
    assert len(sector_query(space, guard, im.Pose(0, 0))) == 3
    wall.sensor = True
    assert len(sector_query(space, guard, im.Pose(0, 0), occluders=ShapeFilter())) == 3


def test_a_body_strikes_where_it_faces_and_never_itself() -> None:
    space = Space()
    hero, foe = Body(1, 1), Body(1, 1)
    foe.position = 0, 30
    space.add(hero, foe, Circle(hero, 10), target := Circle(foe, 10))
    sword = im.Sector(40, 0.5)
    assert sector_query(space, sword, hero) == []
    hero.angle = math.pi / 2
    (hit,) = sector_query(space, sword, hero, occluders=ShapeFilter())
    assert (hit.shape, hit.distance) == (target, pytest.approx(20))


# ---------------------------------------------------------------- bad input


def nan_body() -> Body:
    body = Body(1, 1)
    body.velocity = math.nan, 0
    return body


WAY = im.Motion(im.Pose(0, 0), im.Pose(9, 0))
WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: shape_of("ball"), "shape must be a pymunk.Shape or a pymunk.Body, got 'ball'"),
    (lambda: shape_of(Body(1, 1)), "must have a shape"),
    (lambda: shape_of(Circle(Body(1, 1), math.nan)), "radius must be positive and finite"),
    (lambda: pose_of(3), "body must be a pymunk.Body, got 3"),
    (lambda: motion_of(nan_body(), 1), "position, angle and velocities must be finite"),
    (lambda: motion_of(Body(1, 1), -1), "dt must be a finite number, 0 or more, got -1"),
    (lambda: sweep_query(3, im.Circle(1), WAY), "space must be a pymunk.Space, got 3"),
    (lambda: sweep_query(Space(), im.Circle(1), im.Pose(0, 0)), "motion must be an impinge.Motion"),
    (lambda: sweep_query(Space(), im.Circle(1), WAY, 3), "shape_filter must be a pymunk.ShapeFilter, got 3"),
    (lambda: sector_query(Space(), 3, im.Pose(0, 0)), "sector must be an impinge.Sector, got 3"),
    (lambda: sector_query(Space(), im.Sector(9, 1), 3), "pose must be an impinge.Pose, got 3"),
    (lambda: sector_query(Space(), im.Sector(9, 1), im.Pose(0, 0), occluders=3), "occluders must be shapes"),
    (lambda: time_of_impact(Circle(None, 1), Circle(Body(1, 1), 1), 1), "must have a body"),
]


@pytest.mark.parametrize(("call", "complaint"), WRONG)
def test_wrong_arguments_are_named(call: Callable[[], Any], complaint: str) -> None:
    with pytest.raises((TypeError, im.ShapeError), match=complaint.replace("(", r"\(")):
        call()
