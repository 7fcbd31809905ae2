"""A concave hit box that Arcade traced around one of its own pictures: a probe in a notch does not hit it.

Arcade uses separating axes, which need convex outlines, and Pymunk uses the convex hull. Their answers are tested here
too, to record the difference.
"""

from __future__ import annotations

import math

import arcade
import pymunk
import pytest
import shapely
from arcade.geometry import are_polygons_intersecting
from arcade.hitbox import algo_detailed

import impinge as im
from impinge import Box, Capsule, Circle, Polygon, Pose

# A falling figure with arms and legs spread, and a space ship with two prongs.
FALLING = ":resources:images/animated_characters/male_adventurer/maleAdventurer_fall.png"
PICTURES = [
    FALLING,
    ":resources:images/animated_characters/robot/robot_fall.png",
    ":resources:images/space_shooter/playerShip1_blue.png",
    ":resources:images/items/flagGreen1.png",
]


def traced(name: str) -> list[tuple[float, float]]:
    texture = arcade.load_texture(name, hit_box_algorithm=algo_detailed)
    points = algo_detailed.calculate(texture.image)
    assert tuple(points) == tuple(texture.hit_box_points)
    return [(float(x), float(y)) for x, y in points]


def roomiest(geometry: shapely.Geometry) -> tuple[tuple[float, float], float]:
    """Return the centre and radius of the largest circle inside a geometry."""
    line = max(
        (shapely.maximum_inscribed_circle(part, 0.01) for part in shapely.get_parts(geometry)), key=shapely.length
    )
    (x, y), _ = line.coords
    return (x, y), line.length


def probes(radius: float) -> list[im.Circle | im.Box | im.Capsule]:
    """Return a disk, a square within it, and a stick across it."""
    side = radius * math.sqrt(2)
    return [Circle(radius), Box(side, side), Capsule((-radius, 0), (radius, 0))]


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("angle", [0.0, 0.7])
def test_what_is_in_a_notch_of_the_outline_does_not_hit_it(name: str, angle: float) -> None:
    points = traced(name)
    outline = shapely.Polygon(points)
    hull = outline.convex_hull
    assert outline.area < 0.75 * hull.area
    (x, y), room = roomiest(hull - outline)
    assert room > 3
    cos, sin = math.cos(angle), math.sin(angle)
    # The sprite has some position and angle, and the probe in its notch turns with it.
    there = Pose(400, 300, angle)
    place = Pose(400 + cos * x - sin * y, 300 + sin * x + cos * y, angle)
    sprite, around = Polygon(points), Polygon(hull.exterior.coords[:-1])
    assert not sprite.is_convex
    for probe in probes(0.99 * room):
        assert not im.overlaps(sprite, there, probe, place)
        assert im.contact(sprite, there, probe, place) is None
        assert im.distance(sprite, there, probe, place).distance > 0.0
        assert im.overlaps(around, there, probe, place)
    assert im.overlaps(sprite, there, Circle(1.02 * room), place)
    assert im.distance(sprite, there, Circle(0.5 * room), place).distance == pytest.approx(0.5 * room, abs=0.02)


@pytest.mark.parametrize("name", PICTURES)
def test_what_is_in_a_limb_hits_it(name: str) -> None:
    points = traced(name)
    outline = shapely.Polygon(points)
    sprite = Polygon(points)
    assert sprite.area == pytest.approx(outline.area, rel=1e-12)
    # The limbs: the outline without its thickest part, the body.
    (x, y), room = roomiest(outline)
    limbs = outline - shapely.Point(x, y).buffer(1.5 * room)
    (x, y), room = roomiest(limbs)
    for probe in probes(0.5 * room):
        assert im.overlaps(sprite, Pose(0, 0), probe, Pose(x, y))
        assert im.distance(sprite, Pose(0, 0), probe, Pose(x, y)).distance < 0.0
    assert sprite.contains((x, y))


def test_what_arcade_and_pymunk_say_of_the_same_notch() -> None:
    """Why this library has concave shapes: with the hull, and with separating axes, the probe hits."""
    points = traced(FALLING)
    outline = shapely.Polygon(points)
    (x, y), room = roomiest(outline.convex_hull - outline)
    side = room
    box = [
        (x - side / 2, y - side / 2),
        (x + side / 2, y - side / 2),
        (x + side / 2, y + side / 2),
        (x - side / 2, y + side / 2),
    ]
    assert not im.overlaps(Polygon(points), Pose(0, 0), Box(side, side), Pose(x, y))
    assert not outline.intersects(shapely.Polygon(box))
    assert are_polygons_intersecting(points, box)
    # Pymunk makes the convex hull of the points that it is given.
    shape = pymunk.Poly(pymunk.Body(body_type=pymunk.Body.STATIC), points)
    probe = pymunk.Circle(pymunk.Body(body_type=pymunk.Body.STATIC), 0.5 * room, (x, y))
    for piece in (shape, probe):
        piece.cache_bb()
    assert shape.shapes_collide(probe).points
    assert not im.overlaps(Polygon(points), Pose(0, 0), Circle(0.5 * room), Pose(x, y))
