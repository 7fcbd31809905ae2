"""All queries about overlaps agree: against exact arithmetic, with touching and without it.

Shapes have their corners on a grid, so that many touch exactly. Then they are shifted by nothing, or by a small step
that is wider than any slop. Floats are fractions, so the oracle sees the same numbers.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import shapely
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import impinge as im
from exact_solids import holds, meet, squared_distance
from impinge import Box, Circle, Polygon, Pose, World
from scale import cases

HAIR = 1e-6  # of the scale; some 100 slops
RHOMB = ((-1, 0), (0, -2), (1, 0), (0, 2))
WEDGE = ((-1, -1), (2, -1), (-1, 1))
HEXAGON = ((-2, -1), (0, -2), (2, -1), (2, 1), (0, 2), (-2, 1))


def outline_of(shape, pose):
    """Return the corners of a box or a polygon as fractions; of a circle only its centre."""
    if isinstance(shape, Circle):
        corners = [(0.0, 0.0)]
    elif isinstance(shape, Box):
        x, y = shape.width / 2, shape.height / 2
        corners = [(-x, -y), (x, -y), (x, y), (-x, y)]
    else:
        corners = shape.vertices
    return [(Fraction(x) + Fraction(pose.x), Fraction(y) + Fraction(pose.y)) for x, y in corners]


def has_gap_or_touch(a, b):
    """Return whether an edge of the convex outline a has all of b on its outer side, or on its line."""
    return any(
        all((x2 - x1) * (y - y1) - (y2 - y1) * (x - x1) <= 0 for x, y in b)
        for (x1, y1), (x2, y2) in zip(a, [*a[1:], a[0]], strict=True)
    )


def exact_answers(a, pose_a, b, pose_b):
    """Return whether both have a common point, and whether their insides have one."""
    one, other = outline_of(a, pose_a), outline_of(b, pose_b)
    reach = sum(Fraction(shape.radius) for shape in (a, b) if isinstance(shape, Circle))
    if len(one) == len(other) == 1:
        squared = sum((q - p) ** 2 for p, q in zip(one[0], other[0], strict=True))
        return squared <= reach**2, squared < reach**2
    if len(one) > 1 and len(other) > 1:
        return meet(one, other), not (has_gap_or_touch(one, other) or has_gap_or_touch(other, one))
    outline, point = (one, other[0]) if len(other) == 1 else (other, one[0])
    if holds(outline, point):
        return True, True
    edges = zip(outline, [*outline[1:], outline[0]], strict=True)
    squared = min(squared_from(point, *edge) for edge in edges)
    return squared <= reach**2, squared < reach**2


def squared_from(point, start, end):
    (px, py), (ax, ay), (bx, by) = point, start, end
    part = ((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2)
    part = min(max(part, Fraction(0)), Fraction(1))
    return (px - ax - part * (bx - ax)) ** 2 + (py - ay - part * (by - ay)) ** 2


def all_questions(a, pose_a, b, pose_b, **keywords):
    """Ask every query, in both orders."""
    solids, poses = im.batch.Solids([a, b]), [(pose_a.x, pose_a.y), (pose_b.x, pose_b.y)]
    yield "overlaps", im.overlaps(a, pose_a, b, pose_b, **keywords)
    yield "overlaps", im.overlaps(b, pose_b, a, pose_a, **keywords)
    for pair in ([0, 1], [1, 0]):
        yield "batch.overlaps", bool(im.batch.overlaps(solids, poses, [pair], **keywords)[0])
    pairs = im.batch.overlapping_pairs(solids, poses, **keywords).tolist()
    assert pairs in ([], [[0, 1]])
    yield "batch.overlapping_pairs", pairs != []
    for (one, here), (other, there) in (((a, pose_a), (b, pose_b)), ((b, pose_b), (a, pose_a))):
        world = World()
        body = world.add(other, there)
        yield "World.in_box", world.in_box(one, here, **keywords) == [body]
        asker = world.add(one, Pose(here.x + 1e3, here.y))
        found = world.overlapping_pairs([asker.index], [(here.x, here.y)], **keywords).tolist()
        assert found in ([], [[0, body.index]])
        yield "World.overlapping_pairs", found != []


def scaled(corners, scale):
    return Polygon([(x * scale, y * scale) for x, y in corners])


scales = st.sampled_from([2.0**-10, 1.0, 2.0**10])
halves = st.integers(-9, 9).map(lambda n: n / 2)


@st.composite
def shapes(draw, scale):
    kind = draw(st.sampled_from(["box", "circle", "polygon"]))
    if kind == "box":
        return Box(*(draw(st.integers(1, 6)) / 2 * scale for _ in range(2)))
    if kind == "circle":
        return Circle(draw(st.integers(1, 6)) / 2 * scale)
    return scaled(draw(st.sampled_from([RHOMB, WEDGE, HEXAGON])), scale)


@st.composite
def pairs(draw):
    scale = draw(scales)
    x, y = (draw(st.sampled_from([0.0, 4096.0])) * scale for _ in range(2))
    aside = draw(st.sampled_from([-HAIR, 0.0, HAIR]))
    there = Pose(x + (draw(halves) + aside) * scale, y + draw(halves) * scale)
    return draw(shapes(scale)), Pose(x, y), draw(shapes(scale)), there


def is_plain(pair, has_common_point, has_common_inside):
    """Return whether a pair overlaps or is apart by more than the slop. Near a corner, HAIR may not be enough."""
    a, pose_a, b, pose_b = pair
    reach = 1e-8 * max(*a.bounds(Pose(0, 0)), *b.bounds(Pose(0, 0)))
    for x, y in ((-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)):
        moved = Pose(pose_b.x + reach * x, pose_b.y + reach * y)
        point, inside = exact_answers(a, pose_a, b, moved)
        if (not has_common_point and point) or (has_common_inside and not inside):
            return False
    return True


TILE, BALL = Box(2, 2), Circle(2.5)


@settings(max_examples=cases(500))
@given(pairs())
@example((TILE, Pose(0, 0), TILE, Pose(2, 0)))  # side by side
@example((TILE, Pose(0, 0), TILE, Pose(2, 2)))  # at a corner
@example((TILE, Pose(0, 0), TILE, Pose(2 - HAIR, 1)))
@example((TILE, Pose(0, 0), TILE, Pose(2 + HAIR, 1)))
@example((BALL, Pose(0, 0), BALL, Pose(3, 4)))
@example((BALL, Pose(0, 0), BALL, Pose(3 - HAIR, 4)))
@example((BALL, Pose(0, 0), BALL, Pose(3 + HAIR, 4)))
@example((BALL, Pose(0, 0), TILE, Pose(2.5, 3)))  # a corner at (1.5, 2)
@example((scaled(RHOMB, 1), Pose(0, 0), scaled(RHOMB, 1), Pose(1, 2)))  # along an edge
@example((scaled(WEDGE, 1), Pose(0, 0), Circle(1), Pose(-2, 0)))
def test_every_question_agrees_with_exact_arithmetic(pair):
    has_common_point, has_common_inside = exact_answers(*pair)
    assume(is_plain(pair, has_common_point, has_common_inside))
    for keywords, expected in (
        ({}, has_common_point),
        ({"include_touching": True}, has_common_point),
        ({"include_touching": False}, has_common_inside),
    ):
        told = list(all_questions(*pair, **keywords))
        assert told == [(question, expected) for question, _ in told], (pair, keywords)


def test_the_oracle_agrees_with_shapely():
    """Shapely's predicates are exact for polygons with corners on a grid."""
    rng = np.random.default_rng(3)
    outlines, touches = [RHOMB, WEDGE, HEXAGON, ((-1, -1), (1, -1), (1, 1), (-1, 1))], 0
    for _ in range(400):
        one, other = (outlines[rng.integers(len(outlines))] for _ in range(2))
        place = Pose(*(rng.integers(-8, 9, 2) / 2).tolist())
        a, b = shapely.Polygon(one), shapely.Polygon([(x + place.x, y + place.y) for x, y in other])
        expected = a.intersects(b), a.intersects(b) and not a.touches(b)
        assert exact_answers(Polygon(one), Pose(0, 0), Polygon(other), place) == expected
        corners = outline_of(Polygon(one), Pose(0, 0)), outline_of(Polygon(other), place)
        assert expected[0] == (squared_distance(*corners) == 0)
        touches += expected == (True, False)
    assert touches > 20


@pytest.mark.parametrize("angle", [0.3, 1.0, 2.5])
@pytest.mark.parametrize(("gap", "expected"), [(HAIR, (False, False)), (0.0, (True, False)), (-HAIR, (True, True))])
def test_turned_shapes_are_told_alike(angle, gap, expected):
    """Two squares are rotated together, side by side along their own axis."""
    turned = Pose(np.cos(angle) * (2 + gap), np.sin(angle) * (2 + gap), angle)
    here = Pose(0, 0, angle)
    solids, poses = im.batch.Solids([TILE, TILE]), [(0, 0, angle), (turned.x, turned.y, angle)]
    world = World()
    body, other = world.add(TILE, turned), world.add(TILE, Pose(50, 0, angle))
    for include_touching, answer in zip((True, False), expected, strict=True):
        keywords = {"include_touching": include_touching}
        assert im.overlaps(TILE, here, TILE, turned, **keywords) is answer
        assert im.batch.overlaps(solids, poses, [(0, 1)], **keywords).tolist() == [answer]
        assert im.batch.overlapping_pairs(solids, poses, **keywords).tolist() == [[0, 1]] * answer
        assert world.in_box(TILE, here, **keywords) == [body] * answer
        found = world.overlapping_pairs([other.index], [(0, 0)], **keywords).tolist()
        assert found == [[0, body.index]] * answer


def test_solids_that_have_been_asked_near_the_origin_are_asked_far_away():
    """Rounding grows with the coordinates. Solids shrunk enough for queries near the origin are not so at a million."""
    solids, pairs = im.batch.Solids([Box(1 / 3, 1 / 3)] * 2), [(0, 1)]
    for far in (0.0, 1e3, 1e9, 1.0, 1e6):
        poses = [(far, far), (far + 1 / 3, far)]
        assert im.batch.overlaps(solids, poses, pairs).tolist() == [True]
        assert im.batch.overlaps(solids, poses, pairs, include_touching=False).tolist() == [False]


def test_a_flag_of_numpy_is_one():
    world = World()
    body = world.add(TILE, Pose(2, 0))
    for value in np.array([True, False]):
        assert im.overlaps(TILE, Pose(0, 0), TILE, Pose(2, 0), include_touching=value) is bool(value)
        assert world.in_box(TILE, Pose(0, 0), include_touching=value) == [body] * bool(value)


@pytest.mark.parametrize("value", [None, 0, 1, "no"])
def test_a_flag_is_true_or_false(value):
    solids, poses = im.batch.Solids([TILE, TILE]), [(0, 0), (1, 0)]
    world = World()
    body = world.add(TILE, Pose(0, 0))
    for ask in (
        lambda: im.overlaps(TILE, Pose(0, 0), TILE, Pose(1, 0), include_touching=value),
        lambda: im.batch.overlaps(solids, poses, [(0, 1)], include_touching=value),
        lambda: im.batch.overlapping_pairs(solids, poses, include_touching=value),
        lambda: world.in_box(TILE, Pose(0, 0), include_touching=value),
        lambda: world.overlapping_pairs([body.index], [(0, 0)], include_touching=value),
    ):
        with pytest.raises(im.ShapeError, match=f"^include_touching must be True or False, got {value!r}"):
            ask()
