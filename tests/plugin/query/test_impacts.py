"""The time of impact of solids that do not rotate: every special case by name. Random pairs have their own module."""

from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pytest

import impinge as im
from impinge import Box, Capsule, Circle, Compound, Feature, Motion, Polygon, Pose
from shapely_solids import HOOK, SPIRAL, random_catalogue

ORIGIN = Motion.still(Pose(0, 0))
SQUARE, BALL = Box(2, 2), Circle(1)
# A notch that is open to the right, 2 high and 2 deep.
NOTCHED = Polygon([(0, 0), (4, 0), (4, 1), (2, 1), (2, 3), (4, 3), (4, 4), (0, 4)])
EAST, NORTH, WEST, SOUTH = (1, 0), (0, 1), (-1, 0), (0, -1)
DIAGONAL = (math.sqrt(0.5), math.sqrt(0.5))


def going(start, way, angle=0.0):
    return Motion(Pose(*start, angle), Pose(start[0] + way[0], start[1] + way[1], angle))


def nearly(value, tolerance=1e-12):
    return pytest.approx(value, rel=0, abs=tolerance)


def edge(index, part=0):
    return Feature("edge", index, part)


def vertex(index, part=0):
    return Feature("vertex", index, part)


def assert_impact(impact, time, normal, point, feature_a, feature_b, tolerance=1e-12):
    assert impact is not None
    assert impact.time == nearly(time, tolerance)
    assert impact.normal == nearly(normal, tolerance)
    assert impact.point == nearly(point, tolerance)
    assert (impact.feature_a, impact.feature_b) == (feature_a, feature_b)
    assert not impact.overlapping


# Edge on edge.


@pytest.mark.parametrize(
    ("aside", "stretch"),
    [(0, (-1, 1)), (1.5, (0.5, 1)), (-1.5, (-1, -0.5))],
    ids=["face to face", "shifted up", "shifted down"],
)
def test_parallel_edges_touch_along_a_stretch(aside, stretch):
    impact = im.time_of_impact(SQUARE, ORIGIN, SQUARE, going((6, aside), (-8, 0)))
    assert_impact(impact, 0.5, EAST, (1, sum(stretch) / 2), edge(1), edge(3))
    assert sorted(impact.points) == [nearly((1, y)) for y in stretch]
    assert impact.iterations == 0


def test_a_small_edge_on_a_large_one_touches_along_the_small_one():
    impact = im.time_of_impact(Box(2, 20), ORIGIN, SQUARE, going((6, 3), (-8, 0)))
    assert_impact(impact, 0.5, EAST, (1, 3), edge(1), edge(3))
    assert sorted(impact.points) == [nearly((1, 2)), nearly((1, 4))]


@pytest.mark.parametrize("angle", [0.3, 1.0, 2.5, -2.0])
def test_parallel_edges_at_an_angle(angle):
    """The same pair, rotated as a whole."""
    cos, sin = math.cos(angle), math.sin(angle)

    def turned(x, y):
        return cos * x - sin * y, sin * x + cos * y

    still, going_there = Motion.still(Pose(0, 0, angle)), going(turned(6, 1.5), turned(-8, 0), angle)
    impact = im.time_of_impact(SQUARE, still, SQUARE, going_there)
    assert_impact(impact, 0.5, turned(1, 0), turned(1, 0.75), edge(1), edge(3))
    assert len(impact.points) == 2


@pytest.mark.parametrize("exponent", range(3, 13))
@pytest.mark.parametrize("sign", [1, -1])
def test_nearly_parallel_edges(exponent, sign):
    """A square rotated by a tiny angle hits with one corner first; below the slop it hits with an edge."""
    angle = sign * 10.0**-exponent
    impact = im.time_of_impact(SQUARE, ORIGIN, SQUARE, going((6, 0), (-8, 0), angle))
    assert impact.time == nearly((5 - math.cos(angle) - math.sin(abs(angle))) / 8, 1e-12 if exponent < 8 else 1e-9)
    assert impact.normal == nearly(EAST, 1.01 * abs(angle))
    if exponent < 8:
        assert (impact.feature_a, impact.feature_b) == (edge(1), vertex(3 if sign > 0 else 0))
        assert impact.normal == nearly(EAST)
        assert impact.point == nearly((1, sign * (math.cos(angle) - math.sin(abs(angle)))))
        assert len(impact.points) == 1
    if len(impact.points) == 2:
        assert (impact.feature_a.kind, impact.feature_b.kind) == ("edge", "edge")
    if exponent > 10:
        assert (impact.feature_a, impact.feature_b) == (edge(1), edge(3))
        assert sorted(impact.points, key=lambda point: point[1]) == [nearly((1, -1), 1e-9), nearly((1, 1), 1e-9)]


@pytest.mark.parametrize("angle", [-5e-9, -3e-9, -2e-9, 2e-9, 3e-9, 5e-9])
def test_a_short_stretch_of_edges_that_are_all_but_parallel_is_one_of_edges(angle):
    """The edges share half a unit and open by the slop or less. One point or two are right, with fitting features."""
    impact = im.time_of_impact(SQUARE, ORIGIN, SQUARE, going((6, 1.5), (-8, 0), angle))
    kinds = {impact.feature_a.kind, impact.feature_b.kind}
    assert kinds == {"edge"} if len(impact.points) == 2 else "vertex" in kinds


# Corners.


def test_a_corner_on_an_edge():
    impact = im.time_of_impact(SQUARE, ORIGIN, SQUARE, going((6, 0.25), (-8, 0), math.pi / 4))
    # The left corner of the square that stands on its corner is its third: half a turn and a quarter after the first.
    assert_impact(impact, (5 - math.sqrt(2)) / 8, EAST, (1, 0.25), edge(1), vertex(3))
    assert impact.points == (impact.point,)
    back = im.time_of_impact(SQUARE, going((6, 0.25), (-8, 0), math.pi / 4), SQUARE, ORIGIN)
    assert_impact(back, (5 - math.sqrt(2)) / 8, WEST, (1, 0.25), vertex(3), edge(1))


@pytest.mark.parametrize("way", [(-8, -8), (-8, -4), (-4, -8), (-8, -1)])
def test_corner_on_corner_goes_against_the_movement(way):
    start = (2 - way[0] / 2, 2 - way[1] / 2)
    impact = im.time_of_impact(SQUARE, ORIGIN, SQUARE, going(start, way))
    length = math.hypot(*way)
    assert_impact(impact, 0.5, (-way[0] / length, -way[1] / length), (1, 1), vertex(2), vertex(0))
    assert impact.points == (impact.point,)


@pytest.mark.parametrize("rise", [1, 0.25, -0.25])
def test_corner_on_corner_goes_no_further_than_the_normals_of_both(rise):
    """The tip of a spike reaches a corner from beside its edge. When it rises, the spike's lower side hits."""
    spike = Polygon([(0, 0), (4, -1), (4, 1)])
    impact = im.time_of_impact(SQUARE, ORIGIN, spike, going((5, 1 - rise / 2), (-8, rise)))
    normal = EAST if rise > 0 else (8 / math.hypot(8, rise), -rise / math.hypot(8, rise))
    assert_impact(impact, 0.5, normal, (1, 1), vertex(2), vertex(0))


def test_tip_on_tip():
    tip, other = Polygon([(0, 0), (-4, 1), (-4, -1)]), Polygon([(4, 1), (4, -1), (0, 0)])
    assert_impact(
        im.time_of_impact(tip, ORIGIN, other, going((4, 0), (-8, 0))), 0.5, EAST, (0, 0), vertex(0), vertex(2)
    )


# Circles and capsules.


@pytest.mark.parametrize(
    ("start", "way", "time", "normal", "point", "feature"),
    [
        ((0, 6), (0, -8), 0.5, NORTH, (0, 1), edge(1)),
        ((0, -6), (0, 8), 0.5, SOUTH, (0, -1), edge(0)),
        ((8, 0), (-8, 0), 0.5, EAST, (3, 0), vertex(1)),
        ((-8, 0), (8, 0), 0.5, WEST, (-3, 0), vertex(0)),
        ((2 + 1.2 + 4, 1.6), (-8, 0), 0.5, (0.6, 0.8), (2.6, 0.8), vertex(1)),
    ],
    ids=["from above", "from below", "from the right", "from the left", "on the rounded end"],
)
def test_a_ball_against_a_capsule(start, way, time, normal, point, feature):
    capsule = Capsule((-2, 0), (2, 0), 1)
    assert_impact(im.time_of_impact(capsule, ORIGIN, BALL, going(start, way)), time, normal, point, feature, vertex(0))
    opposite = (-normal[0], -normal[1])
    back = im.time_of_impact(BALL, going(start, way), capsule, ORIGIN)
    assert_impact(back, time, opposite, point, vertex(0), feature)


def test_two_balls_meet_at_three_four_five():
    impact = im.time_of_impact(Circle(2), ORIGIN, Circle(3), going((3 + 4, 4), (-8, 0)))
    assert_impact(impact, 0.5, (0.6, 0.8), (1.2, 1.6), vertex(0), vertex(0))


def test_segments_have_no_radius():
    upright, flat = Capsule((0, -3), (0, 3)), Capsule((0, 0), (1, 0))
    impact = im.time_of_impact(upright, ORIGIN, flat, going((4, 2), (-8, 0)))
    assert_impact(impact, 0.5, EAST, (0, 2), edge(0), vertex(0))
    impact = im.time_of_impact(upright, ORIGIN, upright, going((4, 5), (-8, 0)))
    assert_impact(impact, 0.5, EAST, (0, 2.5), edge(0), edge(1))
    assert sorted(impact.points) == [nearly((0, 2)), nearly((0, 3))]


def test_the_rounded_corner_of_a_polygon_is_a_vertex_still():
    rounded = Polygon([(-1, -1), (1, -1), (1, 1), (-1, 1)], 1)
    assert_impact(
        im.time_of_impact(rounded, ORIGIN, BALL, going((6, 0), (-6, 0))), 0.5, EAST, (2, 0), edge(1), vertex(0)
    )
    impact = im.time_of_impact(rounded, ORIGIN, BALL, going((1 + 1.2 + 3, 1 + 1.6), (-6, 0)))
    assert_impact(impact, 0.5, (0.6, 0.8), (1.6, 1.8), vertex(2), vertex(0))


def test_a_turning_circle_is_taken_for_one_that_does_not_turn():
    rolling = Motion(Pose(6, 0), Pose(-2, 0, 40.0))
    impact = im.time_of_impact(SQUARE, ORIGIN, BALL, rolling)
    assert_impact(impact, 0.5, EAST, (1, 0), edge(1), vertex(0))
    assert impact.iterations == 0


# Grazing.

SCALES = pytest.mark.parametrize("scale", [1e-3, 1.0, 1e6])
GRAZES = {
    "edge along edge": (SQUARE, SQUARE, 0.0, 2.0),
    "corner past corner": (SQUARE, SQUARE, math.pi / 4, 2 * math.sqrt(2)),
    "tip past tip": (Polygon([(-1, -1), (1, -1), (0, 1)]), Polygon([(0, -1), (1, 1), (-1, 1)]), 0.0, 2.0),
    "circle past circle": (BALL, BALL, 0.0, 2.0),
    "circle along edge": (SQUARE, BALL, 0.0, 2.0),
    "circle past corner": (Polygon([(-1, -1), (1, -1), (0, 1)]), BALL, 0.0, 2.0),
    "capsule past capsule": (Capsule((-1, 0), (1, 0), 1), Capsule((0, 0), (1, 1), 1), 0.0, 2.0),
    "past a concave one": (NOTCHED, SQUARE, 0.0, 5.0),
    "past a compound": (Compound([(SQUARE, Pose(0, 0)), (SQUARE, Pose(2, 0))]), SQUARE, 0.0, 2.0),
}


@SCALES
@pytest.mark.parametrize("name", GRAZES)
def test_what_slides_past_does_not_collide(name, scale):
    """An overlap of less than the slop while passing is no collision. A thousand slops of overlap are one."""
    a, b, angle, reach = GRAZES[name]
    a, b = a.transformed(scale), b.transformed(scale)

    def passing(gap):
        motion = going((40 * scale, (reach + gap) * scale), (-80 * scale, 0), angle)
        return im.time_of_impact(a, Motion.still(Pose(0, 0, angle)), b, motion)

    for gap in (0.0, -1e-9, 1e-9, 1e-3):
        assert passing(gap) is None, gap
    for gap in (-1e-6, -1e-3):
        impact = passing(gap)
        assert impact is not None, gap
        assert 0.0 < impact.time < 1.0
        assert impact.normal[0] > 0.0


def test_the_same_box_falls_flush_past_a_shelf_and_lands_on_the_next():
    """The box grazes the first shelf on the whole way down without a hit."""
    shelves = Compound([(Box(2, 2), Pose(0, 0)), (Box(2, 2), Pose(2, -8))])
    impact = im.time_of_impact(shelves, ORIGIN, SQUARE, going((2, 4), (0, -16)))
    assert_impact(impact, 10 / 16, NORTH, (2, -7), edge(2, 1), edge(0))


# Starts in contact, and starts in overlap.

TOUCHING = {
    "boxes": (SQUARE, SQUARE, (2, 0.5)),
    "circles": (BALL, BALL, (2, 0)),
    "box and circle": (SQUARE, BALL, (2, 0.5)),
    "corner on edge": (SQUARE, Polygon([(-1, 0), (1, -1), (1, 1)]), (2, 0.5)),
    "capsules": (Capsule((0, -1), (0, 1), 1), Capsule((0, -1), (0, 1), 1), (2, 0.5)),
    "concave": (NOTCHED, Box(1, 1), (2.5, 2)),
}


@SCALES
@pytest.mark.parametrize("gap", [0.0, 0.5e-9, -0.5e-9])
@pytest.mark.parametrize("name", TOUCHING)
def test_starts_in_touch(name, gap, scale):
    """Within the slop it is a contact, despite rounding. An approach is an impact, any other motion is none."""
    a, b, (x, y) = TOUCHING[name]
    a, b, start = a.transformed(scale), b.transformed(scale), ((x + gap) * scale, y * scale)

    def starting(way):
        return im.time_of_impact(a, ORIGIN, b, going(start, (way[0] * scale, way[1] * scale)))

    for way in ((-3, 0), (-3, 0.3), (-0.01, 0)):
        impact = starting(way)
        assert impact is not None, way
        assert impact.time == nearly(0.0, 1e-6)
        assert impact.normal == nearly(EAST, 1e-9)
        assert not impact.overlapping
        assert None not in (impact.feature_a, impact.feature_b)
    for way in ((3, 0), (3, 0.4), (0.01, 0), (0, 0.3), (0, -0.3), (0, 0)):
        assert starting(way) is None, way


def test_what_slides_along_the_floor_hits_the_step_at_its_end():
    stairs = Polygon([(0, 0), (10, 0), (10, 4), (8, 4), (8, 1), (0, 1)])
    impact = im.time_of_impact(stairs, ORIGIN, SQUARE, going((2, 2), (10, 0)))
    assert_impact(impact, 0.5, WEST, (8, 2), edge(3), edge(1))
    assert sorted(impact.points) == [nearly((8, 1)), nearly((8, 3))]
    assert im.time_of_impact(stairs, ORIGIN, SQUARE, going((2, 2), (4, 0))) is None


OVERLAPPING = {
    "boxes": (SQUARE, SQUARE, (1.5, 0.25)),
    "one inside the other": (Box(10, 8), BALL, (1, 2)),
    "circles": (BALL, BALL, (0.6, 0.8)),
    "around one centre": (BALL, BALL, (0, 0)),
    "concave": (NOTCHED, Box(1, 1), (2.25, 2)),
    "compound": (Compound([(SQUARE, Pose(0, 0)), (BALL, Pose(3, 0))]), SQUARE, (4.5, 0)),
    "segments": (Capsule((-1, 0), (1, 0)), Capsule((0, -1), (0, 2)), (0.5, 0)),
}


@pytest.mark.parametrize("way", [(0, 0), (-3, 0), (3, 0), (1, 5)])
@pytest.mark.parametrize("name", OVERLAPPING)
def test_starts_in_overlap(name, way):
    a, b, start = OVERLAPPING[name]
    impact, contact = im.time_of_impact(a, ORIGIN, b, going(start, way)), im.contact(a, Pose(0, 0), b, Pose(*start))
    assert (impact.time, impact.overlapping) == (0.0, True)
    assert impact.normal == nearly(contact.normal)
    assert (impact.feature_a, impact.feature_b) == (None, None)
    # It is the least depth: a shift by it separates them, a smaller shift does not.
    for share, answer in ((1.001, False), (0.999, True)):
        moved = Pose(*(place + share * contact.depth * part for place, part in zip(start, impact.normal, strict=True)))
        assert im.overlaps(a, Pose(0, 0), b, moved) is answer


# No motion, very fast motion, and the frame's end.


@pytest.mark.parametrize("way", [(0, 0), (7, -3), (1e5, 1e5), (0.1, 0.3)])
@pytest.mark.parametrize("name", TOUCHING)
def test_what_moves_alike_does_not_collide(name, way):
    a, b, start = TOUCHING[name]
    together = going((0, 0), way)
    assert im.time_of_impact(a, together, b, going(start, way)) is None
    assert im.time_of_impact(a, together, b, going((start[0] + 1, start[1]), way)) is None
    inside = im.time_of_impact(a, together, b, going((start[0] - 0.25, start[1]), way))
    assert (inside.time, inside.overlapping) == (0.0, True)


@pytest.mark.parametrize(
    ("wall", "bullet", "half"),
    [
        (Box(1, 10), Circle(0.1), 0.5),
        (Box(1, 10), Box(0.2, 0.2), 0.5),
        (Box(1e-3, 10), Box(0.2, 1e-3), 0.5e-3),
        (Capsule((0, -5), (0, 5)), Capsule((-0.1, 0), (0.1, 0)), 0.0),
        (Circle(0.5), Circle(0.1), 0.5),
        (
            Polygon([(-0.5, -5), (0.5, -5), (0.5, 5), (-0.5, 5)]),
            Polygon([(-0.1, 0), (0, -0.1), (0.1, 0), (0, 0.1)]),
            0.5,
        ),
    ],
)
@pytest.mark.parametrize("speed", [1e3, 1e5, 1e7])
def test_nothing_passes_through_a_wall_in_one_frame(wall, bullet, half, speed):
    impact = im.time_of_impact(wall, ORIGIN, bullet, going((-speed / 2, 0), (speed, 0)))
    assert impact.time == nearly((speed / 2 - half - 0.1) / speed, 1e-15)
    assert impact.normal == nearly(WEST)
    assert impact.point == nearly((-half, 0), 1e-15 * speed + 1e-12)


def test_both_move():
    """They approach from both sides, and meet where the faster one has covered three quarters of the distance."""
    impact = im.time_of_impact(SQUARE, going((-6, 0), (24, 0)), SQUARE, going((12, 1), (-8, 0)))
    assert_impact(impact, 0.5, EAST, (7, 0.5), edge(1), edge(3))


def test_a_faster_one_catches_up():
    impact = im.time_of_impact(SQUARE, going((0, 0), (16, 0)), SQUARE, going((6, 0), (8, 0)))
    assert_impact(impact, 0.5, EAST, (9, 0), edge(1), edge(3))
    assert im.time_of_impact(SQUARE, going((0, 0), (8, 0)), SQUARE, going((6, 0), (16, 0))) is None


def test_a_touch_at_the_frames_end():
    for b, start in ((SQUARE, (6, 0)), (BALL, (6, 0)), (SQUARE, (6, 1))):
        impact = im.time_of_impact(SQUARE, ORIGIN, b, going(start, (-4, 0)))
        assert impact.time == 1.0
        assert impact.normal == nearly(EAST)
        assert im.time_of_impact(SQUARE, ORIGIN, b, going(start, (-4 + 1e-6, 0))) is None
        assert im.time_of_impact(SQUARE, ORIGIN, b, going(start, (-4 - 1e-6, 0))).time == nearly(1 - 2.5e-7)
    # From that contact, the second solid moves on, or away.
    assert im.time_of_impact(SQUARE, ORIGIN, SQUARE, going((2, 0), (-4, 0))).time == 0.0
    assert im.time_of_impact(SQUARE, ORIGIN, SQUARE, going((2, 0), (4, 0))) is None


# Compounds and concave solids.

FLOOR = Compound([(Box(2, 2), Pose(2 * k, 0)) for k in range(5)])


@pytest.mark.parametrize(
    "walker", [SQUARE, BALL, Capsule((0, -0.5), (0, 0.5), 0.5), Polygon([(-1, 1), (0, -1), (1, 1)])]
)
@pytest.mark.parametrize("way", [8, -8])
def test_sliding_over_the_seams_of_flush_boxes_hits_nothing(walker, way):
    """Engines that test one box after the other stop at the next box's corner."""
    start = 0 if way > 0 else 8
    assert im.time_of_impact(FLOOR, ORIGIN, walker, going((start, 2), (way, 0))) is None
    # Pressed onto the floor, it stops at once, with an upward normal: never at a corner.
    impact = im.time_of_impact(FLOOR, ORIGIN, walker, going((start, 2), (way, -1)))
    assert impact.time == nearly(0.0, 1e-9)
    assert impact.normal == nearly(NORTH)


THIN = {
    "a seam of boxes": (FLOOR, (3, 6), (0, -12), (3, 1)),
    "a cut of one polygon": (
        Polygon([(0, 0), (1, 0), (1, 2), (2, 2), (2, 0), (3, 0), (3, 5), (2, 5), (2, 3), (1, 3), (1, 5), (0, 5)]),
        (1, 10),
        (0, -20),
        (1, 3),
    ),
    "a cut from corner to corner": (
        Polygon([(0, 0), (5, 0), (5, 1), (1, 1), (1, 4), (0, 4)]),
        (-5, -5),
        (8, 8),
        (0, 0),
    ),
}


@pytest.mark.parametrize("name", THIN)
def test_a_dart_does_not_fly_along_a_seam_into_the_solid(name):
    """It would only graze each single piece. It hits the whole solid, wherever the solid is placed."""
    solid, start, way, point = THIN[name]
    length = math.hypot(*way)
    tip = (0.5 * way[0] / length, 0.5 * way[1] / length)
    dart = Capsule((-tip[0], -tip[1]), tip)
    impact = im.time_of_impact(solid, ORIGIN, dart, going(start, way))
    assert impact is not None
    assert impact.point == nearly(point, 1e-9)


@pytest.mark.parametrize("walker", [SQUARE, BALL])
def test_falling_on_a_seam_lands_on_both(walker):
    impact = im.time_of_impact(FLOOR, ORIGIN, walker, going((3, 6), (0, -8)))
    assert impact.time == nearly(0.5)
    assert impact.normal == nearly(NORTH)
    assert impact.point[1] == nearly(1)
    assert impact.feature_a.part in (1, 2)


def test_the_part_that_is_hit():
    inner = Compound([(BALL, Pose(0, 0)), (SQUARE, Pose(0, 10, math.pi / 4))])
    outer = Compound([(SQUARE, Pose(0, 0)), (inner, Pose(20, 0)), (Capsule((0, 0), (0, 4), 1), Pose(40, 0))])
    for x, part, feature, time in (
        (0, 0, edge(2), 0.75),
        (20, 2, vertex(2, 2), (20 - 11 - math.sqrt(2)) / 24),
        (40, 3, vertex(1, 3), (20 - 5 - 1) / 24),
    ):
        impact = im.time_of_impact(outer, ORIGIN, BALL, going((x, 20), (0, -24)))
        assert impact.feature_a == Feature(feature.kind, feature.index, part)
        assert impact.feature_b == vertex(0)
        assert impact.time == nearly(time)
        assert impact.normal == nearly(NORTH)


def test_a_ball_flies_into_a_notch_and_hits_its_inside():
    impact = im.time_of_impact(NOTCHED, ORIGIN, Circle(0.5), going((6.5, 2), (-8, 0)))
    assert_impact(impact, 0.5, EAST, (2, 2), edge(3), vertex(0))
    # The ball is as high as the notch: it grazes both walls all along.
    impact = im.time_of_impact(NOTCHED, ORIGIN, BALL, going((7, 2), (-8, 0)))
    assert_impact(impact, 0.5, EAST, (2, 2), edge(3), vertex(0))
    # A slightly larger ball does not fit, and hits the corners of both walls at once.
    impact = im.time_of_impact(NOTCHED, ORIGIN, Circle(1.25), going((8.75, 2), (-8, 0)))
    assert impact.time == nearly(0.5)
    assert impact.point[0] == nearly(4)
    assert impact.feature_a in (vertex(2), vertex(5))


def test_out_of_a_notch_nothing_is_in_the_way():
    assert im.time_of_impact(NOTCHED, ORIGIN, Circle(0.5), going((3, 2), (8, 0))) is None
    impact = im.time_of_impact(NOTCHED, ORIGIN, Circle(0.5), going((3, 2), (8, 8)))
    assert_impact(impact, 1 / 16, SOUTH, (3.5, 3), edge(4), vertex(0))


def test_from_inside_a_ring_it_hits_the_ring():
    ring = Compound(
        [(Box(10, 2), Pose(0, -4)), (Box(2, 10), Pose(4, 0)), (Box(10, 2), Pose(0, 4)), (Box(2, 10), Pose(-4, 0))]
    )
    for way, normal, point, part, side in (
        ((4, 0), WEST, (3, 0), 1, 3),
        ((0, 4), SOUTH, (0, 3), 2, 0),
        ((-4, 0), EAST, (-3, 0), 3, 1),
        ((0, -4), NORTH, (0, -3), 0, 2),
    ):
        impact = im.time_of_impact(ring, ORIGIN, BALL, going((0, 0), way))
        assert_impact(impact, 0.5, normal, point, edge(side, part), vertex(0))
    assert im.time_of_impact(ring, ORIGIN, BALL, going((0, 0), (1.5, 1.5))) is None


def test_a_hook_catches_what_a_hull_would_have_stopped():
    hook = Polygon(HOOK)
    impact = im.time_of_impact(hook, ORIGIN, Circle(0.25), going((-2, 4), (10, 0)))
    # The hook's tip begins at (5, 5) and its shaft at (5, 2): the ball hits the inside of the shaft.
    assert_impact(impact, (5 - 0.25 + 2) / 10, WEST, (5, 4), edge(4), vertex(0))


def test_a_spiral_is_hit_where_its_way_ends():
    spiral = Polygon(SPIRAL)
    impact = im.time_of_impact(spiral, ORIGIN, Circle(0.25), going((4.5, 3), (0, 4)))
    assert_impact(impact, (4 - 0.25 - 3) / 4, SOUTH, (4.5, 4), edge(4), vertex(0))


# The caller's vertex indices.

LEFT_CORNER = (-1, 0)
SQUARES = {
    "counter-clockwise": ([(-1, -1), (1, -1), (1, 1), (-1, 1)], 1, 3),
    "clockwise": ([(-1, 1), (1, 1), (1, -1), (-1, -1)], 1, 3),
    "clockwise from elsewhere": ([(1, -1), (-1, -1), (-1, 1), (1, 1)], 3, 1),
    "with the first one repeated": ([(1, 1), (-1, 1), (-1, -1), (1, -1), (1, 1)], 3, 1),
    "collinear ones": ([(-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (-1, 1)], 2, 5),
    "collinear ones, clockwise": ([(-1, 1), (1, 1), (1, 0.5), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0)], 1, 6),
    "from within a straight stretch": ([(1, 0), (1, 1), (-1, 1), (-1, -1), (1, -1)], 4, 2),
    "all but collinear ones": ([(-1, -1), (1, -1), (1 + 1e-12, 0), (1, 1), (-1, 1)], 1, 4),
}


@pytest.mark.parametrize("name", SQUARES)
def test_edges_are_named_by_the_users_vertices(name):
    vertices, right, left = SQUARES[name]
    square, ball = Polygon(vertices), Circle(0.5)
    assert_impact(
        im.time_of_impact(square, ORIGIN, ball, going((5.5, 0.25), (-8, 0))),
        0.5,
        EAST,
        (1, 0.25),
        edge(right),
        vertex(0),
        1e-9,
    )
    impact = im.time_of_impact(ball, going((-5.5, 0.25), (8, 0)), square, ORIGIN)
    assert_impact(impact, 0.5, EAST, (-1, 0.25), vertex(0), edge(left), 1e-9)


@pytest.mark.parametrize("name", SQUARES)
def test_corners_are_named_by_the_users_vertices(name):
    vertices, _, _ = SQUARES[name]
    square, ball = Polygon(vertices), Circle(0.5)
    for x, y in itertools.product((-1, 1), repeat=2):
        impact = im.time_of_impact(square, ORIGIN, ball, going((5 * x, 5 * y), (-5 * x, -5 * y)))
        assert impact.normal == nearly((x * DIAGONAL[0], y * DIAGONAL[1]), 1e-9)
        assert impact.feature_a.kind == "vertex"
        assert vertices[impact.feature_a.index] == (x, y)
        assert impact.feature_a.index < len(vertices) - (vertices[0] == vertices[-1])


@pytest.mark.parametrize("side", [1, -1])
def test_edges_of_a_concave_polygon_are_named_by_the_users_vertices(side):
    vertices = NOTCHED.vertices[::side]
    for ball, start, way in (
        (Circle(0.5), (7, 2), (-8, 0)),
        (Circle(0.5), (7, 0.5), (-8, 0)),
        (Circle(0.5), (3, 7), (0, -8)),
        (Circle(0.5), (1, -4), (0, 8)),
        (Circle(0.25), (3, 2), (0, 8)),
        (Circle(0.25), (3, 2), (0, -8)),
    ):
        impact = im.time_of_impact(Polygon(vertices), ORIGIN, ball, going(start, way))
        assert impact.feature_a.kind == "edge"
        ends = [vertices[impact.feature_a.index], vertices[(impact.feature_a.index + 1) % len(vertices)]]
        for axis in range(2):
            low, high = sorted(end[axis] for end in ends)
            assert low - 1e-12 <= impact.point[axis] <= high + 1e-12


@pytest.mark.parametrize(("way", "index"), [(EAST, 3), (NORTH, 0), (WEST, 1), (SOUTH, 2)])
def test_edges_of_a_box(way, index):
    """The ball hits the side that it comes from."""
    impact = im.time_of_impact(Box(2, 4), ORIGIN, BALL, going((-8 * way[0], -8 * way[1]), (8 * way[0], 8 * way[1])))
    assert impact.feature_a == edge(index)


# Ballistic motion.


def thrown(start, velocity, gravity=32.0):
    return Motion.ballistic(Pose(*start), velocity, (0, -gravity))


# From (0, 0) to (16, 0), 4 high in the middle.
BOW = thrown((0, 0), (16, 16))


def first_root(coefficients):
    """Return the first real root from 0 to 1, for descending coefficients."""
    roots = np.roots(coefficients)
    return min(root.real for root in roots if abs(root.imag) < 1e-9 and 0.0 <= root.real <= 1.0)


def test_thrown_over_a_wall():
    wall = Box(2, 10)
    assert im.time_of_impact(BALL, BOW, wall, Motion.still(Pose(8, 2.5 - 5))) is None
    # The straight path from start to end would hit.
    assert im.time_of_impact(BALL, going((0, 0), (16, 0)), wall, Motion.still(Pose(8, 2.5 - 5))) is not None


def test_thrown_against_a_walls_corner():
    """For a ball and a corner this is a quartic: (16 t - 7)² + (16 t - 16 t² - 3.5)² = 1."""
    impact = im.time_of_impact(BALL, BOW, Box(2, 10), Motion.still(Pose(8, 3.5 - 5)))
    x, y = np.poly1d([16, -7]), np.poly1d([-16, 16, -3.5])
    time = first_root((x * x + y * y - 1).coeffs)
    assert_impact(impact, time, (-x(time), -y(time)), (7, 3.5), vertex(0), vertex(3), 1e-9)


def test_thrown_against_a_walls_side():
    """The wall is higher than the whole path: 16 t + 1 = 7."""
    impact = im.time_of_impact(BALL, BOW, Box(2, 20), Motion.still(Pose(8, 0)))
    assert_impact(impact, 6 / 16, EAST, (7, 16 * (0.375 - 0.375**2)), vertex(0), edge(3))


def test_thrown_on_a_platform():
    """The box descends onto it: 16 t - 16 t² = 2, at the second root."""
    time = 0.5 + math.sqrt(0.125)
    impact = im.time_of_impact(BALL, BOW, Box(10, 2), Motion.still(Pose(15, 0)))
    assert_impact(impact, time, SOUTH, (16 * time, 1), vertex(0), edge(2))
    # The box lands flat, along a stretch.
    impact = im.time_of_impact(SQUARE, BOW, Box(10, 2), Motion.still(Pose(15, 0)))
    assert_impact(impact, time, SOUTH, (16 * time, 1), edge(0), edge(2))
    assert sorted(impact.points) == [nearly((16 * time - 1, 1)), nearly((16 * time + 1, 1))]


@pytest.mark.parametrize("solid", [BALL, SQUARE, Capsule((-1, 0), (1, 0), 1), Polygon([(-1, -1), (1, -1), (0, 1)])])
def test_a_ceiling_grazed_at_the_highest_point(solid):
    ceiling = Box(60, 2)
    assert im.time_of_impact(solid, BOW, ceiling, Motion.still(Pose(8, 6))) is None
    assert im.time_of_impact(solid, BOW, ceiling, Motion.still(Pose(8, 6 + 1e-6))) is None
    impact = im.time_of_impact(solid, BOW, ceiling, Motion.still(Pose(8, 6 - 1e-4)))
    assert impact.time == nearly(0.5 - math.sqrt(1e-4 / 16), 1e-7)
    assert impact.normal == nearly(NORTH)


@pytest.mark.parametrize("solid", [BALL, SQUARE, Capsule((-1, 0), (1, 0), 1), Polygon([(-1, 1), (0, -1), (1, 1)])])
@pytest.mark.parametrize("gap", [0.0, 0.5e-9, -0.5e-9])
def test_thrown_up_from_the_floor_it_falls_back_on_it(solid, gap):
    floor = Motion.still(Pose(0, -1))
    up = Motion.ballistic(Pose(0, 1 + gap), (3, 8), (0, -32))
    impact = im.time_of_impact(solid, up, Box(60, 2), floor)
    assert impact.time == nearly(0.5, 1e-8)
    assert impact.normal == nearly(SOUTH)
    # It does not come back within this frame.
    assert im.time_of_impact(solid, Motion.ballistic(Pose(0, 1 + gap), (3, 40), (0, -32)), Box(60, 2), floor) is None


@pytest.mark.parametrize("speed", [1.0, 3.0, 8.0, 13.0, 15.0, 15.9])
@pytest.mark.parametrize("solid", [BALL, SQUARE])
def test_what_falls_back_has_not_got_deeper_than_the_slop(solid, speed):
    """When it returns, it is as fast as at the start: slightly too late would be hundreds of slops deep.

    It was too deep by up to 1e-6. Rounding lost the first root of a parabola that begins within the slop.
    """
    for gravity, sideways in itertools.product((32.0, 40.0, 1e3), (0.0, 5.0)):
        up, floor = Motion.ballistic(Pose(0, 1), (sideways, speed), (0, -gravity)), Box(60, 2)
        impact = im.time_of_impact(solid, up, floor, Motion.still(Pose(0, -1)))
        assert impact.time == nearly(2 * speed / gravity, 2.1e-9 / speed)
        assert im.distance(solid, up.at(impact.time), floor, Pose(0, -1)).distance >= -2.1e-9


@pytest.mark.parametrize("solid", [BALL, SQUARE])
def test_let_go_on_the_floor_it_is_pressed_on_it_at_once(solid):
    """The initial velocity is zero: the acceleration makes it an approach."""
    impact = im.time_of_impact(solid, thrown((0, 1), (3, 0)), Box(60, 2), Motion.still(Pose(0, -1)))
    # The time to fall by the slop.
    assert 0.0 <= impact.time <= 2e-5
    assert impact.normal == nearly(SOUTH)
    assert not impact.overlapping
    assert im.time_of_impact(solid, thrown((0, 1), (3, 0), -32.0), Box(60, 2), Motion.still(Pose(0, -1))) is None


def test_both_thrown_alike_are_as_if_they_were_not():
    """Relative to each other, bodies that fall together are at rest."""
    falling = Motion(Pose(0, 0), Pose(0, -16), (0, -32))
    other = Motion(Pose(6, 0.5), Pose(-2, 0.5 - 16), (0, -32))
    impact = im.time_of_impact(SQUARE, falling, SQUARE, other)
    assert_impact(impact, 0.5, EAST, (1, 0.25 - 4), edge(1), edge(3))
    assert im.time_of_impact(SQUARE, falling, SQUARE, Motion(Pose(2, 0), Pose(2, -16), (0, -32))) is None


def test_thrown_over_the_wall_of_a_yard_it_lands_in_the_yard():
    """It flies over one part and lands on the other: 16 t - 16 t² = 1 at the second root."""
    yard = Compound([(Box(1, 4), Pose(4, 0)), (Box(16, 1), Pose(12, 0))])
    impact = im.time_of_impact(Circle(0.5), BOW, yard, ORIGIN)
    time = 0.5 + math.sqrt(0.25 - 1 / 16)
    assert_impact(impact, time, SOUTH, (16 * time, 0.5), vertex(0), edge(2, 1))


# Sweeping.


def test_sweep_tells_what_is_hit_in_order():
    targets = [
        (SQUARE, Pose(20, 0)),
        (BALL, Pose(10, 0.5)),
        (SQUARE, Pose(10, 9)),  # beside the path
        (SQUARE, Motion(Pose(5, -20), Pose(5, 20))),
        (SQUARE, Pose(20, 0.5)),  # at the same time as the first
        (SQUARE, Pose(0, 0)),  # overlaps at the start
    ]
    motion = going((0, 0), (40, 0))
    hits = im.sweep(SQUARE, motion, targets)
    assert [hit.target for hit in hits] == [5, 1, 0, 4]
    for hit in hits:
        shape, place = targets[hit.target]
        motion_b = place if isinstance(place, Motion) else Motion.still(place)
        assert hit.impact == im.time_of_impact(SQUARE, motion, shape, motion_b)
    assert [hit.impact.time for hit in hits] == sorted(hit.impact.time for hit in hits)
    # The moving target crosses the path at x = 5 at time 0.5. By then the square is at x = 20.
    assert im.time_of_impact(SQUARE, motion, *[targets[3][0], targets[3][1]]) is None


def test_sweep_of_nothing():
    assert im.sweep(SQUARE, going((0, 0), (40, 0)), []) == []
    assert im.sweep(SQUARE, going((0, 0), (40, 0)), [(SQUARE, Pose(20, 9))]) == []


def test_sweep_asks_as_time_of_impact_does():
    rng = np.random.default_rng(2)
    solids = random_catalogue(rng, 60, (0.3, 2.0)).solids
    targets = [(solid, Pose(*rng.uniform(-10, 10, 2), rng.uniform(-3, 3))) for solid in solids]
    motion = Motion(Pose(-10, -9, 0.3), Pose(10, 9, 0.3))
    impacts = [im.time_of_impact(SPIKE, motion, solid, Motion.still(pose)) for solid, pose in targets]
    expected = sorted((impact.time, index) for index, impact in enumerate(impacts) if impact)
    hits = im.sweep(SPIKE, motion, targets)
    assert [(hit.impact.time, hit.target) for hit in hits] == expected
    assert [hit.impact for hit in hits] == [impacts[index] for _, index in expected]
    assert 10 < len(hits) < 55


SPIKE = Polygon([(-1, 0), (1, -1), (1, 1)])


# Arrays.


def moving_crowd(seed, count, thrown=False):
    rng = np.random.default_rng(seed)
    solids = im.batch.Solids(random_catalogue(rng, count, (0.3, 2.0)).solids)
    place = 1.5 * math.sqrt(count)
    starts = np.column_stack([rng.uniform(-place, place, (count, 2)), rng.uniform(-3, 3, count)])
    ends = starts + np.column_stack([rng.uniform(-10, 10, (count, 2)), np.zeros(count)])
    # Every second solid falls. So some pairs have the same acceleration, and some have curved relative paths.
    accelerations = rng.uniform(-20, 20, (count, 2))
    accelerations[::2] = 0.0
    return solids, starts, ends, accelerations if thrown else None


def grid_crowd(seed, count):
    """Return boxes and balls at integers: many touch at the start or end, graze, or collide at the same time."""
    rng = np.random.default_rng(seed)
    solids = im.batch.Solids([SQUARE if row % 3 else BALL for row in range(count)])
    starts = rng.integers(-12, 13, (count, 2)).astype(np.float64)
    return solids, starts, starts + rng.integers(-4, 5, (count, 2)), None


@pytest.mark.parametrize(
    "crowd", [moving_crowd(1, 150), moving_crowd(1, 150, True), grid_crowd(2, 100)], ids=["straight", "thrown", "grid"]
)
def test_without_pairs_all_that_collide_are_found(crowd):
    solids, starts, ends, accelerations = crowd
    every = np.array(list(itertools.combinations(range(len(solids)), 2)))
    all_impacts = im.batch.time_of_impact(solids, starts, ends, every, accelerations=accelerations)
    found = im.batch.time_of_impact(solids, starts, ends, accelerations=accelerations)
    rows = np.flatnonzero(all_impacts.hit)
    order = rows[np.lexsort((every[rows, 1], every[rows, 0], all_impacts.times[rows]))]
    assert 200 < len(rows) < 0.3 * len(every)
    assert found.hit.all()
    np.testing.assert_array_equal(found.pairs, every[order])
    for name in (
        "times",
        "normals",
        "points",
        "counts",
        "ends",
        "features_a",
        "features_b",
        "overlapping",
        "iterations",
    ):
        np.testing.assert_array_equal(getattr(found, name), getattr(all_impacts, name)[order])


def test_without_pairs_and_far_apart_nothing_is_found():
    solids = im.batch.Solids([SQUARE] * 50)
    starts = np.column_stack([10.0 * np.arange(50), np.zeros(50)])
    found = im.batch.time_of_impact(solids, starts, starts + 7.0)
    assert found.pairs.shape == (0, 2)
    assert found.hit.shape == found.times.shape == (0,)
    assert found.ends.shape == (0, 2, 2)


@pytest.mark.parametrize("is_thrown", [False, True])
def test_arrays_answer_as_the_scalar_function_does(is_thrown):
    solids, starts, ends, accelerations = moving_crowd(3, 60, is_thrown)
    pairs = np.array([(i, j) for i in range(60) for j in range(0, 60, 7) if i != j])
    found = im.batch.time_of_impact(solids, starts, ends, pairs, accelerations=accelerations)
    np.testing.assert_array_equal(found.pairs, pairs)
    motions = [
        Motion(Pose(*start), Pose(*end), (0.0, 0.0) if accelerations is None else tuple(accelerations[row]))
        for row, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True))
    ]
    for row, (i, j) in enumerate(pairs.tolist()):
        impact = im.time_of_impact(solids[i], motions[i], solids[j], motions[j])
        assert (impact is not None) == found.hit[row]
        if impact is not None:
            assert impact.time == found.times[row]
            assert impact.normal == tuple(found.normals[row])
            assert impact.point == tuple(found.points[row])
            assert impact.points == tuple(map(tuple, found.ends[row, : found.counts[row]].tolist()))
            assert impact.overlapping == found.overlapping[row]
            assert impact.iterations == found.iterations[row]
    assert 20 < found.hit.sum() < 0.6 * len(pairs)


def test_poses_without_angles():
    solids = im.batch.Solids([SQUARE, SQUARE, BALL])
    found = im.batch.time_of_impact(
        solids, [(0, 0), (6, 0), (0, 9)], [(0, 0), (-2, 0), (0, 8)], [(0, 1), (0, 2), (1, 0)]
    )
    np.testing.assert_array_equal(found.hit, [True, False, True])
    np.testing.assert_allclose(found.times, [0.5, np.nan, 0.5])
    np.testing.assert_allclose(found.normals, [EAST, (np.nan, np.nan), WEST], atol=1e-15)
    np.testing.assert_array_equal(found.counts, [2, 0, 2])
    np.testing.assert_array_equal(found.features_a, [(0, 1, 1), (-1, -1, -1), (0, 1, 3)])
    np.testing.assert_array_equal(found.features_b, [(0, 1, 3), (-1, -1, -1), (0, 1, 1)])


def test_no_pairs_at_all():
    for pairs in ([], np.empty((0, 2), np.int64)):
        found = im.batch.time_of_impact(im.batch.Solids([SQUARE]), [(0, 0)], [(1, 1)], pairs)
        assert found.times.shape == (0,)
        assert found.features_a.shape == (0, 3)
    assert len(im.batch.time_of_impact(im.batch.Solids([]), np.empty((0, 2)), np.empty((0, 2))).times) == 0


def test_a_solid_never_collides_with_itself():
    found = im.batch.time_of_impact(im.batch.Solids([SQUARE]), [(0, 0)], [(5, 5)])
    assert len(found.times) == 0


def test_what_goes_in_is_not_changed():
    solids, starts, ends, accelerations = moving_crowd(4, 40, True)
    pairs = np.array(list(itertools.combinations(range(40), 2)))
    inputs = [starts, ends, accelerations, pairs]
    before = [array.copy() for array in inputs]
    for array in inputs:
        array.setflags(write=False)
    shapes = pickle.dumps(solids[:])
    im.batch.time_of_impact(solids, starts, ends, pairs, accelerations=accelerations)
    im.batch.time_of_impact(solids, starts, ends, accelerations=accelerations)
    for array, copy in zip(inputs, before, strict=True):
        np.testing.assert_array_equal(array, copy)
    assert pickle.dumps(solids[:]) == shapes


def test_asking_again_gives_the_same_answers():
    solids, starts, ends, _ = moving_crowd(5, 80)
    first, second = (im.batch.time_of_impact(solids, starts, ends) for _ in range(2))
    np.testing.assert_array_equal(first.pairs, second.pairs)
    np.testing.assert_array_equal(first.times, second.times)
    np.testing.assert_array_equal(first.points, second.points)


# Refused arguments.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((None, ORIGIN, SQUARE, ORIGIN), r"a must be a solid shape .* got None"),
        ((SQUARE, ORIGIN, 3, ORIGIN), r"b must be a solid shape .* got 3"),
        ((SQUARE, Pose(0, 0), SQUARE, ORIGIN), r"motion_a must be a Motion, got Pose\(.*\)"),
        ((SQUARE, ORIGIN, SQUARE, (0, 0)), r"motion_b must be a Motion, got \(0, 0\)"),
        ((SQUARE, ORIGIN, SQUARE, None), r"motion_b must be a Motion, got None"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_name(arguments, message):
    with pytest.raises(im.ShapeError, match=f"^{message}"):
        im.time_of_impact(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((SQUARE, ORIGIN, [(SQUARE, (0, 0))]), "targets"),
        ((SQUARE, ORIGIN, [SQUARE]), "targets"),
        ((SQUARE, ORIGIN, [(None, Pose(0, 0))]), "targets"),
        ((SQUARE, ORIGIN, 3), "targets"),
        ((SQUARE, Pose(0, 0), []), "motion must be a Motion"),
        ((None, ORIGIN, []), "shape must be a solid shape"),
    ],
)
def test_sweep_refuses_by_name(arguments, message):
    with pytest.raises(im.ShapeError, match=f"^{message}"):
        im.sweep(*arguments)


PAIR = im.batch.Solids([SQUARE, BALL])
STARTS, ENDS = [(0.0, 0.0), (6.0, 0.0)], [(0.0, 0.0), (-2.0, 0.0)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"solids": [SQUARE, BALL]}, "solids must be Solids"),
        ({"starts": [(0, 0)]}, r"starts must have 2 rows like the solids, got 1"),
        ({"ends": [(0, 0)] * 3}, r"ends must have 2 rows like the solids, got 3"),
        ({"starts": [(0, 0), (6, math.nan)]}, r"starts must be finite .* got nan at \[1, 1\]"),
        ({"ends": [(0, math.inf), (6, 0)]}, r"ends must be finite .* got inf at \[0, 1\]"),
        ({"starts": [(0, 0, 0, 0)] * 2}, r"starts must have shape \(n, 2\) or \(n, 3\), got \(2, 4\)"),
        ({"starts": [0, 0]}, r"starts must have shape"),
        ({"ends": "abc"}, r"ends must be an array of numbers"),
        ({"ends": [(0, 1e200), (0, 0)]}, r"ends must be finite and at most"),
        ({"pairs": [(0, 2)]}, r"pairs must be indices below 2, got 2 at \[0, 1\]"),
        ({"pairs": [(-1, 0)]}, r"pairs must be indices below 2, got -1 at \[0, 0\]"),
        ({"pairs": [(0.0, 1.0)]}, r"pairs must be integers of shape \(m, 2\)"),
        ({"pairs": [0, 1]}, r"pairs must be integers of shape \(m, 2\)"),
        ({"pairs": [(0, 1, 1)]}, r"pairs must be integers of shape \(m, 2\)"),
        ({"accelerations": [(0, 0)]}, r"accelerations must have 2 rows like the solids, got 1"),
        ({"accelerations": [(0, 0), (math.nan, 0)]}, r"accelerations must be finite .* got nan at \[1, 0\]"),
        ({"accelerations": [(0, 0, 0)] * 2}, r"accelerations must have shape \(n, 2\), got \(2, 3\)"),
        ({"accelerations": "abc"}, r"accelerations must be an array of numbers"),
    ],
)
def test_bad_arrays_are_refused_by_name_row_and_value(change, message):
    arguments = {"solids": PAIR, "starts": STARTS, "ends": ENDS, "pairs": [(0, 1)], **change}
    with pytest.raises(im.ShapeError, match=f"^{message}"):
        im.batch.time_of_impact(**arguments)


@pytest.mark.parametrize("pull", [-2, 2, 1e-9])
@pytest.mark.parametrize("solid", [BALL, Capsule((-1, 0), (1, 0), 1), Polygon([(-1, 0), (1, 0), (0, 1)], 1)])
def test_what_is_round_and_brakes_passes_the_seams_of_a_floor(solid, pull):
    """As it passes the corner of the next tile, the nearest direction rotates from slanting to upright.

    With that direction held fixed, the depth at the corner seemed to grow. A ball stopped at the first seam, 2.6e-5 rad
    off upright.
    """
    floor = Compound([(Box(2, 2), Pose(2 * k - 5, -1)) for k in range(6)])
    assert im.time_of_impact(floor, ORIGIN, solid, Motion.ballistic(Pose(-4.5, 1), (6, 0), (pull, 0))) is None


@pytest.mark.parametrize("solid", [SQUARE, BALL, Capsule((-1, 0), (1, 0), 1)])
def test_at_rest_under_gravity_it_is_held_and_sinks_no_deeper(solid):
    """Each frame starts where the last impact was. That was a slop deep, so the next start was an overlap."""
    floor, pose = Box(40, 2), Pose(0, 2)
    for _ in range(20):
        fall = Motion.ballistic(pose, (0, 0), (0, -10))
        impact = im.time_of_impact(floor, ORIGIN, solid, fall)
        assert (impact.time, impact.overlapping, impact.normal) == (0, False, NORTH)
        pose = fall.at(impact.time)
    assert pose == Pose(0, 2)


def test_an_answer_keeps_its_own_pairs():
    """Results that are built lazily must not change when the game reuses its arrays."""
    solids = im.batch.Solids([Box(20, 2), BALL, Polygon([(0, 0), (2, 0), (0, 2)])])
    pairs = np.array([[0, 1], [0, 2]])
    starts, ends = [(0, 0), (0, 4), (30, 4)], [(0, 0), (0, 0), (30, 0)]
    expected = im.batch.time_of_impact(solids, starts, ends, pairs.copy())
    found = im.batch.time_of_impact(solids, starts, ends, pairs)
    pairs[:] = [[2, 1], [1, 0]]
    found.times[np.isnan(found.times)] = 1.0  # those without impact go on to the end of the frame
    assert found.hit.tolist() == [True, False]
    for name in ("pairs", "normals", "features_a", "features_b", "counts"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("solid", [SQUARE, BALL])
def test_what_creeps_in_never_overlaps(solid):
    """Half a slop per frame, from a contact: before it is a slop deep there is an impact, each time again."""
    floor, slop = Box(40, 2), 2e-9
    height, impacts = 2.0, 0
    for _ in range(10):
        creeps = Motion(Pose(0, height), Pose(0, height - 0.5 * slop))
        impact = im.time_of_impact(floor, ORIGIN, solid, creeps)
        if impact is None:
            height -= 0.5 * slop
            continue
        impacts += 1
        assert (impact.time, impact.overlapping, impact.normal) == (0, False, NORTH)
    assert impacts > 5
