"""The solid of a sprite. The oracle is where Arcade itself puts the points of its hit box, as a Shapely polygon."""

from __future__ import annotations

import math
from typing import Any

import arcade
import numpy as np
import pytest
import shapely
from arcade.hitbox import HitBox, RotatableHitBox, algo_bounding_box, algo_detailed, algo_simple
from hypothesis import given
from hypothesis import strategies as st

import impinge as im
from impinge import Box, Capsule, Circle, Compound, Polygon, Pose, ShapeError
from impinge.shapes.solids import Solid
from impinge_arcade import shape_for
from impinge_arcade.shapes import placement, turnable_placement

ROBOT = ":resources:images/animated_characters/robot/robot_fall.png"
# The four of Arcade's own pictures whose detailed outline crosses itself, and what they enclose, worked out by hand.
BROKEN = [
    ":resources:images/animated_characters/female_adventurer/femaleAdventurer_idle.png",
    ":resources:images/animated_characters/female_person/femalePerson_idle.png",
    ":resources:images/animated_characters/male_person/malePerson_idle.png",
    ":resources:images/tiles/spikes.png",
]
Points = tuple[tuple[float, float], ...]

ARROW: Points = ((-10.0, -8.0), (12.0, 0.0), (-10.0, 8.0), (-4.0, 0.0))
CONCAVE: Points = ((0.0, 0.0), (20.0, 0.0), (20.0, 20.0), (10.0, 5.0), (0.0, 20.0))
factors = st.sampled_from([-3.0, -1.0, -0.5, 0.25, 1.0, 1.5])
degrees = st.one_of(st.integers(-8, 8).map(lambda quarters: 90.0 * quarters), st.floats(-720, 720))
places = st.tuples(st.floats(-1000, 1000), st.floats(-1000, 1000))


def sprite_with(points: Points, **values: Any) -> arcade.Sprite:
    sprite = arcade.SpriteSolidColor(8, 8)
    sprite.hit_box = RotatableHitBox(points, position=sprite.position)
    for name, value in values.items():
        setattr(sprite, name, value)
    return sprite


def drawn(solid: Solid, pose: Pose) -> shapely.Geometry:
    """Return a polygonal solid at a pose, as a Shapely geometry."""
    cos, sin = math.cos(pose.angle), math.sin(pose.angle)
    return shapely.union_all(
        [
            shapely.Polygon([(pose.x + cos * x - sin * y, pose.y + sin * x + cos * y) for x, y in piece.points])
            for piece in solid.pieces
        ]
    )


def told(sprite: arcade.BasicSprite) -> shapely.Geometry:
    """Return the hit box where Arcade sees it."""
    return shapely.Polygon(sprite.hit_box.get_adjusted_points())


def assert_same(found: shapely.Geometry, expected: shapely.Geometry) -> None:
    # Do not use the area of the symmetric difference: GEOS may return the whole of both polygons when they differ by a
    # rounding.
    assert found.hausdorff_distance(expected) <= 1e-9 * (1.0 + np.abs(shapely.total_bounds([found, expected])).max())
    assert abs(found.area - expected.area) <= 1e-9 * (1.0 + expected.area)


@given(st.sampled_from([ARROW, CONCAVE, CONCAVE[:2] + CONCAVE[3:]]), factors, factors, degrees, places)
def test_a_hit_box_stands_where_arcade_puts_it(
    points: Points, scale_x: float, scale_y: float, angle: float, position: tuple[float, float]
) -> None:
    sprite = sprite_with(points, position=position, scale=(scale_x, scale_y), angle=angle)
    placed = placement(sprite)
    assert_same(drawn(placed.solid, placed.pose), told(sprite))
    turnable = turnable_placement(sprite)
    assert_same(drawn(turnable.solid, turnable.pose), told(sprite))
    assert all(math.dist(sprite.position, point) <= placed.reach + 1e-9 for point in told(sprite).exterior.coords)


@given(factors, factors, degrees, places)
def test_a_rectangle_beside_its_sprite_is_a_box(
    scale_x: float, scale_y: float, angle: float, position: tuple[float, float]
) -> None:
    """Upright boxes are the fastest case of the core, and exact to the last bit."""
    heel = ((-4.0, -10.0), (12.0, -10.0), (12.0, 6.0), (-4.0, 6.0))
    sprite = sprite_with(heel, position=position, scale=(scale_x, scale_y), angle=angle)
    placed = placement(sprite)
    assert isinstance(placed.solid, Box)
    assert_same(drawn(placed.solid, placed.pose), told(sprite))


def test_a_tile_that_is_turned_by_quarters_is_upright() -> None:
    """In floats, cos(90 degrees) is 6e-17, which is enough to open a seam between tiles."""
    tile = arcade.SpriteSolidColor(64, 32, center_x=100, angle=90)
    assert placement(tile)[:4] == (Box(32, 64), 100, 0, 0)
    tile.angle = -270
    assert placement(tile)[:4] == (Box(32, 64), 100, 0, 0)


@pytest.mark.parametrize("algorithm", [algo_simple, algo_detailed, algo_bounding_box])
def test_hit_boxes_of_all_algorithms(algorithm: Any) -> None:
    sprite = arcade.Sprite(arcade.load_texture(ROBOT, hit_box_algorithm=algorithm), scale=0.5, center_x=70, angle=30)
    placed = placement(sprite)
    assert_same(drawn(placed.solid, placed.pose), told(sprite))


def test_a_new_picture_s_hit_box_counts_once_the_sprite_has_it() -> None:
    """As in Arcade: a new texture keeps the hit box, until the game calls `sync_hit_box_to_texture`."""
    small, large = (arcade.SpriteSolidColor(size, size).texture for size in (10, 30))
    sprite = arcade.Sprite(small)
    sprite.texture = large
    assert shape_for(sprite) == Box(10, 10)
    sprite.sync_hit_box_to_texture()
    assert shape_for(sprite) == Box(30, 30)


def test_equal_geometry_is_one_solid() -> None:
    """Of 5,000 equal tiles, only the first one takes time to convert."""
    robots = [arcade.Sprite(ROBOT, scale=0.5, center_x=x) for x in range(3)]
    assert shape_for(robots[0]) is shape_for(robots[1]) is shape_for(robots[2])
    robots[2].scale = 0.75
    assert shape_for(robots[0]) is not shape_for(robots[2])


def test_a_list_of_points_may_change() -> None:
    corners = [(0.0, 0.0), (9.0, 0.0), (0.0, 9.0)]
    sprite = sprite_with(corners)  # type: ignore[arg-type]
    before = shape_for(sprite)
    corners[1] = (5.0, 0.0)
    assert before.area == 40.5
    assert shape_for(sprite).area == 22.5


# ---------------------------------------------------------------- self-intersecting outlines


@pytest.mark.parametrize("name", BROKEN)
def test_pictures_whose_outline_crosses_itself_are_what_it_goes_around(name: str) -> None:
    points = arcade.load_texture(name, hit_box_algorithm=algo_detailed).hit_box_points
    outline = shapely.Polygon(points)
    assert not outline.is_valid
    with pytest.raises(ShapeError):
        Polygon(points)
    solid = shape_for(sprite_with(tuple(points)))
    faces = shapely.polygonize([shapely.node(outline.exterior)])
    assert solid.area == pytest.approx(shapely.union_all(shapely.get_parts(faces)).area)


def test_a_bow_tie_is_its_two_halves() -> None:
    sprite = sprite_with(((-10, -5), (10, 5), (10, -5), (-10, 5)))
    assert isinstance(shape_for(sprite), Compound)
    assert shape_for(sprite).area == 100
    assert not shape_for(sprite).contains((0, 2))
    assert shape_for(sprite).contains((8, 2))


@pytest.mark.parametrize(
    ("attribute", "value", "complaint"),
    [
        ("hit_box", HitBox(()), "hit box must have at least 3 points, got 0"),
        ("hit_box", HitBox(((0, 0), (5, 5))), "hit box must have at least 3 points, got 2"),
        ("hit_box", HitBox(((0, 0), (5, 0), (9, 0))), "hit box must enclose an area"),
        ("hit_box", HitBox(((0, 0), (math.nan, 5), (9, 9))), "hit box must be finite"),
        ("hit_box", HitBox(((0, 0), (5, math.inf), (9, 9))), "hit box must be finite"),
        ("hit_box", HitBox(((0, 0), (5, "wide"), (9, 9))), "wide|finite"),  # type: ignore[arg-type]
        ("scale", (0, 1), "scale must not be 0"),
        ("scale", (1, 0), "scale must not be 0"),
        ("scale", (math.nan, 1), "scale and hit box must be finite"),
        ("angle", math.nan, "position and angle must be finite"),
        ("angle", math.inf, "position and angle must be finite"),
        ("position", (math.nan, 7), "must be finite"),
        ("position", (7, -math.inf), "must be finite"),
    ],
)
def test_a_sprite_without_a_solid_is_refused_by_name(attribute: str, value: Any, complaint: str) -> None:
    sprite = arcade.SpriteSolidColor(32, 32, center_x=7, center_y=7)
    setattr(sprite, attribute, value)
    with pytest.raises(ShapeError, match=complaint) as error:
        placement(sprite)
    assert str(error.value).startswith(f"SpriteSolidColor at {sprite.position}: ")


# ---------------------------------------------------------------- custom shapes


def test_a_shape_of_its_own_grows_turns_and_mirrors_with_the_sprite() -> None:
    sprite = arcade.SpriteSolidColor(32, 32, center_x=100, center_y=50)
    assert shape_for(sprite, Circle(10)) == Circle(10)
    sprite.scale = 3
    assert shape_for(sprite) == Circle(30)
    arm = Polygon([(0, -1), (20, -1), (20, 1), (0, 1)])
    sprite.scale = (-1, 1)
    shape_for(sprite, arm)
    sprite.angle = 90  # clockwise: left becomes up
    placed = placement(sprite)
    assert im.overlaps(placed.solid, placed.pose, Circle(0.1), Pose(100, 69))
    assert not im.overlaps(placed.solid, placed.pose, Circle(0.1), Pose(100, 31))
    sprite.angle = 45
    placed = placement(sprite)
    assert im.overlaps(placed.solid, placed.pose, Circle(0.1), Pose(100 - 19 / math.sqrt(2), 50 + 19 / math.sqrt(2)))


def test_a_shape_that_does_not_go_with_the_scale_is_refused_and_the_former_stays() -> None:
    sprite = arcade.SpriteSolidColor(32, 32)
    sprite.scale = (1, 2)
    shape_for(sprite, Box(4, 4))
    with pytest.raises(ShapeError, match="SpriteSolidColor at"):
        shape_for(sprite, Capsule((0, 0), (9, 0), radius=4))
    assert shape_for(sprite) == Box(4, 8)
    with pytest.raises(ShapeError, match="shape must be a solid shape or None, got 7"):
        shape_for(sprite, 7)
    with pytest.raises(TypeError, match="sprite must be a sprite, got 'hero'"):
        shape_for("hero")  # type: ignore[arg-type]


def test_a_round_sprite_is_round() -> None:
    """Arcade's own hit box of it is an octagon."""
    ball = arcade.SpriteCircle(16, arcade.color.RED)
    assert shape_for(ball) == Circle(16)
    ball.scale = -2
    ball.angle = 33
    assert shape_for(ball) == Circle(32)
    ball.scale = (1, 2)  # oval: uses its hit box
    assert_same(drawn(shape_for(ball), Pose(0, 0, -math.radians(33))), told(ball))
    ball.scale = 1
    ball.hit_box = HitBox(ARROW)
    assert shape_for(ball) == Polygon(ARROW)
