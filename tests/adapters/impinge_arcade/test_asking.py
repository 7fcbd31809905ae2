"""Queries that return sprites. Figures were worked out by hand; for sight the oracle is Shapely."""

from __future__ import annotations

import math
from collections.abc import Callable

import arcade
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from impinge import Sector, ShapeError
from impinge_arcade import line_of_sight, nearest, sector_attack, sweep
from sprites import blocks, listed

block = blocks(20, 20)


def test_a_sweep_finds_what_is_on_the_way_in_its_order() -> None:
    bullet = block(0, 0, 2, 2)
    near, far, beside = block(60, 0), block(110, 9), block(60, 40)
    crowd, others = listed(far, bullet, beside), listed(near)
    hits = sweep(bullet, (200, 0), [crowd, others])
    assert [sprite for sprite, _ in hits] == [near, far]
    assert [impact.time for _, impact in hits] == pytest.approx([(50 - 1) / 200, (100 - 1) / 200])
    assert hits[0][1].normal == (1, 0)
    assert bullet.position == (0, 0)
    near.center_y = 300
    assert [sprite for sprite, _ in sweep(bullet, (200, 0), [crowd, others])] == [far]


quarters = st.integers(-200, 200).map(lambda number: number / 4)
places = st.tuples(quarters, quarters)


@given(places, places, st.lists(st.tuples(places, st.floats(0, 360)), max_size=5))
def test_a_wall_is_in_sight_s_way_if_the_line_goes_through_it(
    start: tuple[float, float], end: tuple[float, float], walls: list[tuple[tuple[float, float], float]]
) -> None:
    sprites = [block(*place, 30, 8, angle=angle) for place, angle in walls]
    line = shapely.LineString([start, end])
    inside = [shapely.Polygon(sprite.hit_box.get_adjusted_points()).intersection(line).length for sprite in sprites]
    apart = [shapely.Polygon(sprite.hit_box.get_adjusted_points()).distance(line) for sprite in sprites]
    seen = line_of_sight(start, end, listed(*sprites))
    if any(length > 1e-6 for length in inside):
        assert not seen
    elif all(distance > 1e-6 for distance in apart):
        assert seen


def test_thin_walls_hide_and_who_looks_is_not_in_the_way() -> None:
    guard, thief, wall = block(0, 0), block(300, 0), block(151, 0, 1, 50)
    for walls in (listed(wall), listed(guard, wall, thief)):
        assert not line_of_sight(guard, thief, walls)
    assert arcade.has_line_of_sight(guard.position, thief.position, listed(wall), check_resolution=4)
    wall.center_y = 25  # the ray runs along the wall's edge
    assert line_of_sight(guard, thief, [listed(guard), listed(wall), listed(thief)])
    assert line_of_sight((0, 0), (300, 0), listed(), max_distance=300)
    assert not line_of_sight((0, 0), (300, 0), listed(), max_distance=299)


def test_nearest_goes_by_the_hit_box() -> None:
    """Arcade's `get_closest_sprite` compares centres."""
    long, small, hero = block(100, 0, 180, 10), block(60, 0), block(0, 0)
    crowd = listed(small, long, hero)
    assert arcade.get_closest_sprite(hero, listed(small, long))[0] is small
    assert nearest(hero, crowd, count=5) == [(long, 10), (small, 50)]
    assert nearest((0, 0), [listed(small), listed(long)]) == [(long, 10)]
    assert nearest((0, 30), crowd, within=5) == []
    assert nearest((0, 0), crowd) == [(hero, -10)]


def test_a_blow_goes_where_the_sprite_faces() -> None:
    hero, sword = block(0, 0), Sector(60, math.radians(40))
    up, right, down, left = block(0, 50), block(50, 0), block(0, -50), block(-50, 0)
    foes = listed(up, right, down, left, hero)
    for angle, struck in ((0, up), (90, right), (180, down), (-90, left)):
        hero.angle = angle
        assert [sprite for sprite, _ in sector_attack(hero, sword, foes)] == [struck]
        assert [sprite for sprite, _ in sector_attack(hero, sword, foes, facing=angle + 90)] != [struck]
    ((sprite, hit),) = sector_attack(hero, sword, foes, facing=90)
    assert (sprite, hit.distance, hit.point) == (right, 40, pytest.approx((40, 0)))


def test_walls_protect_from_a_blow() -> None:
    hero, foe, far = block(0, 0), block(0, 50), block(0, 90)
    wall = block(0, 30, 100, 2)
    sword = Sector(120, math.radians(20))
    assert [sprite for sprite, _ in sector_attack(hero, sword, listed(far, foe))] == [foe, far]
    assert sector_attack(hero, sword, listed(far, foe), occluders=listed(hero, wall)) == []
    wall.left = 5  # the part left of x = 5 is visible
    assert [sprite for sprite, _ in sector_attack(hero, sword, listed(far, foe), occluders=listed(wall))] == [foe, far]
    # A foe hides the foe behind it, if it is one of the occluders.
    foe.width = 200
    assert [sprite for sprite, _ in sector_attack(hero, sword, listed(far, foe), occluders=listed(foe))] == [foe]


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize(
    ("call", "error", "complaint"),
    [
        (lambda: sweep("bullet", (0, 0), listed()), TypeError, "sprite must be a sprite, got 'bullet'"),
        (lambda: sweep(block(0, 0), (9, 9), [3]), TypeError, r"targets must be a SpriteList .*, got \[3\]"),
        (lambda: sweep(block(0, 0), (math.nan, 9), listed()), ShapeError, r"to\[0\] must be finite, got nan"),
        (lambda: sweep(block(0, 0), None, listed()), ShapeError, r"to must be two numbers \(x, y\), got None"),
        (lambda: line_of_sight(None, (9, 9), listed()), ShapeError, "observer must be two numbers"),
        (lambda: line_of_sight((0, 0), ("a", 9), listed()), ShapeError, r"target\[0\] must be a number, got 'a'"),
        (lambda: line_of_sight(block(math.nan, 1), (9, 9), listed()), ShapeError, r"SpriteSolidColor at \(nan, 1\)"),
        (lambda: nearest(7, listed(block(0, 0))), ShapeError, "place must be two numbers"),
        (lambda: line_of_sight((0, 0), (9, 9), block(0, 0)), TypeError, "walls must be a SpriteList"),
        (lambda: nearest((0, 0), listed(block(0, 0)), count=0), ShapeError, "count"),
        (lambda: sector_attack(block(0, 0), 30, listed()), ShapeError, "sector must be a Sector, got 30"),
        (lambda: sector_attack(block(0, 0), Sector(9, 1), listed(), facing=math.nan), ShapeError, "angle"),
        (lambda: nearest((0, 0), listed(block(3, 4, scale=0))), ShapeError, r"SpriteSolidColor at \(3, 4\)"),
    ],
)
def test_what_is_wrong_is_named(call: Callable[[], object], error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        call()
