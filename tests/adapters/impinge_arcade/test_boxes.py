"""The bounding box of a sprite. The oracle is Arcade's own `left`, `right`, `bottom` and `top`."""

from __future__ import annotations

import math
from typing import NamedTuple

import arcade
import pytest
from arcade.hitbox import HitBox, RotatableHitBox
from hypothesis import assume, given
from hypothesis import strategies as st

from impinge import Box, ShapeError
from impinge_arcade.boxes import name_of
from impinge_arcade.shapes import bounds_placement

Points = tuple[tuple[float, float], ...]

coordinates = st.integers(-200, 200).map(lambda number: number / 4)
points = st.lists(st.tuples(coordinates, coordinates), min_size=3, max_size=12).map(tuple)
factors = st.integers(-40, 40).filter(bool).map(lambda number: number / 8)
degrees = st.floats(-1080, 1080, allow_nan=False)

HEEL = ((-4.0, -10.0), (12.0, -10.0), (12.0, 6.0), (-4.0, 6.0))  # 16 x 16, its centre at (4, -2)


class SpriteBox(NamedTuple):
    """A bounding box, and the position of its centre relative to the sprite."""

    box: Box
    offset: tuple[float, float]


def sprite_box(sprite: arcade.BasicSprite) -> SpriteBox:
    solid, x, y, angle, _ = bounds_placement(sprite)
    assert isinstance(solid, Box)
    assert angle == 0
    return SpriteBox(solid, (x - sprite.center_x, y - sprite.center_y))


def sprite_with(
    hit_box: Points,
    scale: tuple[float, float] = (1.0, 1.0),
    angle: float = 0.0,
    position: tuple[float, float] = (0.0, 0.0),
) -> arcade.Sprite:
    sprite = arcade.SpriteSolidColor(32, 32)
    sprite.hit_box = RotatableHitBox(hit_box, position=position, angle=angle, scale=scale)
    sprite.position, sprite.scale, sprite.angle = position, scale, angle
    return sprite


def has_area(hit_box: Points) -> bool:
    xs, ys = zip(*hit_box, strict=True)
    return max(xs) > min(xs) and max(ys) > min(ys)


@given(points, st.tuples(factors, factors), degrees, st.tuples(coordinates, coordinates))
def test_the_box_is_the_bounds_that_arcade_tells(
    hit_box: Points, scale: tuple[float, float], angle: float, position: tuple[float, float]
) -> None:
    sprite = sprite_with(hit_box, scale, angle, position)
    assume(sprite.right - sprite.left > 1e-6)
    assume(sprite.top - sprite.bottom > 1e-6)
    (width, height), (across, up) = _sizes(sprite)
    assert position[0] + across - width / 2 == pytest.approx(sprite.left, abs=1e-9)
    assert position[0] + across + width / 2 == pytest.approx(sprite.right, abs=1e-9)
    assert position[1] + up - height / 2 == pytest.approx(sprite.bottom, abs=1e-9)
    assert position[1] + up + height / 2 == pytest.approx(sprite.top, abs=1e-9)


@given(points.filter(has_area), st.tuples(factors, factors), st.integers(-1000, 1000))
def test_quarter_turns_are_exact(hit_box: Points, scale: tuple[float, float], quarters: int) -> None:
    """In floats, cos(90 degrees) is 6e-17: a rotated tile of 32 pixels would be 2e-15 too wide, and not flush."""
    (width, height), (across, up) = _sizes(sprite_with(hit_box, scale))
    turned = {
        0: ((width, height), (across, up)),
        1: ((height, width), (up, -across)),
        2: ((width, height), (-across, -up)),
        3: ((height, width), (-up, across)),
    }[quarters % 4]
    assert _sizes(sprite_with(hit_box, scale, 90.0 * quarters)) == turned


def test_arcade_turns_clockwise() -> None:
    assert sprite_box(sprite_with(HEEL)).offset == (4.0, -2.0)
    assert sprite_box(sprite_with(HEEL, angle=90.0)).offset == (-2.0, -4.0)


def test_a_square_on_its_corner_is_as_wide_as_its_diagonal() -> None:
    (width, height), offset = _sizes(arcade.SpriteSolidColor(20, 20, angle=45.0))
    assert width == pytest.approx(20 * math.sqrt(2))
    assert height == pytest.approx(20 * math.sqrt(2))
    assert offset == pytest.approx((0.0, 0.0))


def test_a_mirrored_sprite_has_its_hit_box_on_the_other_side() -> None:
    assert sprite_box(sprite_with(HEEL, (-1.0, 1.0))) == (Box(16, 16), (-4.0, -2.0))
    assert sprite_box(sprite_with(HEEL, (2.0, -0.5))) == (Box(32, 8), (8.0, 1.0))


def test_a_hit_box_scales_by_its_own_scale() -> None:
    """A game may give a sprite of scale 2 a hit box that is already measured in screen pixels."""
    sprite = arcade.SpriteSolidColor(32, 32)
    sprite.scale = 2.0
    sprite.hit_box = HitBox(HEEL)
    assert sprite_box(sprite).box == Box(16, 16)
    sprite.scale = 3.0  # Arcade scales the hit box too
    assert sprite_box(sprite).box == Box(48, 48)


def test_the_box_of_a_basic_sprite_is_its_texture() -> None:
    sprite = arcade.BasicSprite(arcade.SpriteSolidColor(32, 32).texture, center_x=5, center_y=6)
    assert sprite_box(sprite) == (Box(32, 32), (0.0, 0.0))


@pytest.mark.parametrize(
    ("attribute", "value", "complaint"),
    [
        ("position", (math.nan, 7), "finite"),
        ("position", (7, math.inf), "finite"),
        ("angle", math.nan, "finite"),
        ("angle", -math.inf, "finite"),
        ("scale", (math.inf, 1), "finite"),
        ("scale", (0, 1), "scale must not be 0"),
        ("scale", (1, 0), "scale must not be 0"),
        ("hit_box", HitBox(((3, 3),)), "at least 3 points"),
        ("hit_box", HitBox(()), "at least 3 points"),
        ("hit_box", HitBox(((0, 0), (5, 0), (9, 0))), "hit box must"),
        ("hit_box", HitBox(((0, 0), (math.nan, 5), (9, 0))), "finite"),
        ("hit_box", HitBox(((0, 0), (math.nan, 5), (9, 9))), "finite"),
        ("hit_box", HitBox(((0, 0), (5, math.inf), (9, 9))), "finite"),
    ],
)
def test_a_sprite_without_a_box_is_refused_by_name(attribute: str, value: object, complaint: str) -> None:
    sprite = arcade.SpriteSolidColor(32, 32, center_x=7, center_y=7)
    setattr(sprite, attribute, value)
    with pytest.raises(ShapeError, match=complaint) as error:
        sprite_box(sprite)
    assert str(error.value).startswith(f"SpriteSolidColor at {sprite.position}: ")


def test_errors_name_sprites_by_class_and_place() -> None:
    class Slime(arcade.SpriteSolidColor):
        pass

    assert name_of(Slime(8, 8, center_x=3, center_y=4)) == "Slime at (3, 4)"
    assert name_of("slime") == "'slime'"


def _sizes(sprite: arcade.BasicSprite) -> tuple[tuple[float, float], tuple[float, float]]:
    box, offset = sprite_box(sprite)
    return (box.width, box.height), offset


class Shield(HitBox):
    """A game's own hit box class, which Arcade accepts as it is: it has no angle."""


def test_a_hit_box_of_a_games_own_kind_needs_no_angle() -> None:
    wall = arcade.SpriteSolidColor(10, 10)
    wall.hit_box = Shield(((-4, -4), (4, -4), (4, 4)), wall.position)
    assert sprite_box(wall).box == Box(8, 8)
