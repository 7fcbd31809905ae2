"""What is read of many sprites at once: all that their solids and poses depend on."""

from __future__ import annotations

import arcade
import pytest
from arcade.hitbox import HitBox

from impinge_arcade.columns import read, reader_of

HEEL = ((-4.0, -10.0), (12.0, -10.0), (12.0, 6.0), (-4.0, 6.0))


def sprite_with(hit_box: HitBox) -> arcade.Sprite:
    sprite = arcade.SpriteSolidColor(32, 32)
    sprite.hit_box = hit_box
    return sprite


def test_a_basic_sprite_stands_still_and_upright() -> None:
    sprite = arcade.BasicSprite(arcade.SpriteSolidColor(32, 32).texture, center_x=5, center_y=6)
    reading = read(sprite)
    assert reading.position == (5, 6)
    assert reading.velocity == (0, 0)
    assert reading.angle == 0


def test_equal_readings_mean_that_nothing_has_changed() -> None:
    sprite = sprite_with(HitBox(HEEL))
    before = read(sprite)
    assert read(sprite) == before
    sprite.color = arcade.color.RED
    assert read(sprite) == before


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("position", (1, 0)),
        ("velocity", (0, 1)),
        ("scale", (1, -1)),
        ("angle", 90),
        ("hit_box", HitBox(((0, 0), (1, 0), (1, 1)))),
    ],
)
def test_a_change_of_anything_that_matters_shows_in_the_reading(attribute: str, value: object) -> None:
    sprite = sprite_with(HitBox(HEEL))
    before = read(sprite)
    setattr(sprite, attribute, value)
    assert read(sprite) != before


class Shield(HitBox):
    """A hit box that cannot turn."""


def test_a_hit_box_of_a_games_own_kind_needs_no_angle() -> None:
    wall = sprite_with(Shield(((-4, -4), (4, -4), (4, 4))))
    readings = reader_of([wall])([wall])
    assert [column[0] for column in readings] == list(read(wall))
