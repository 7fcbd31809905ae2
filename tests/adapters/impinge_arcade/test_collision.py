"""Arcade's collision checks. Oracles: Shapely, and Arcade itself where its hit boxes are convex."""

from __future__ import annotations

import gc
import math
import random
import re
import tracemalloc
import weakref
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import arcade
import pytest
import shapely
from arcade import BasicSprite, Sprite, SpriteList
from arcade.hitbox import HitBox, RotatableHitBox
from hypothesis import given, settings
from hypothesis import strategies as st

from impinge import Circle, ShapeError
from impinge_arcade import (
    arcade_names,
    check_for_collision,
    check_for_collision_with_list,
    check_for_collision_with_lists,
    get_sprites_at_point,
    nearby,
    shape_for,
)
from scale import cases, some
from sprites import listed

Points = tuple[tuple[float, float], ...]

SQUARE: Points = ((-8, -8), (8, -8), (8, 8), (-8, 8))
HUGE: Points = ((-300, -8), (300, -8), (300, 8), (-300, 8))
CUP: Points = ((-16, -16), (16, -16), (16, 16), (10, 16), (10, -10), (-10, -10), (-10, 16), (-16, 16))
HIT_BOXES = [SQUARE, HUGE, CUP, ((-9.0, -5.0), (7.0, -3.0), (1.0, 11.0))]
LISTS: list[Callable[[], SpriteList[Any]]] = [SpriteList, lambda: SpriteList(use_spatial_hash=True)]


def sprite_with(points: Points, x: float = 0, y: float = 0, **values: Any) -> Sprite:
    sprite = arcade.SpriteSolidColor(16, 16, center_x=x, center_y=y)
    sprite.hit_box = RotatableHitBox(points, position=sprite.position)
    for name, value in values.items():
        setattr(sprite, name, value)
    return sprite


def drawn(sprite: BasicSprite) -> shapely.Polygon:
    return shapely.Polygon(sprite.hit_box.get_adjusted_points())


def depth(one: BasicSprite, other: BasicSprite) -> float:
    """Return the area of the overlap of two sprites, or -1 if they have no common point."""
    a, b = drawn(one), drawn(other)
    return a.intersection(b).area if a.intersects(b) else -1.0


quarters = st.integers(-160, 160).map(lambda number: number / 4)
sprites = st.builds(
    sprite_with,
    st.sampled_from(HIT_BOXES),
    quarters,
    quarters,
    angle=st.one_of(st.sampled_from([0.0, 90.0, 180.0, 45.0]), st.floats(-360, 360)),
    scale=st.sampled_from([1.0, 0.5, (-1.0, 1.0), (2.0, 0.75)]),
)


# ---------------------------------------------------------------- two sprites


@settings(max_examples=cases(400))
@given(sprites, sprites)
def test_sprites_collide_if_their_hit_boxes_have_an_area_in_common(one: Sprite, other: Sprite) -> None:
    area = depth(one, other)
    if area == 0.0 or area > 1e-6:
        assert check_for_collision(one, other) == check_for_collision(other, one) == (area > 0.0)
    elif area < 0.0:
        assert not check_for_collision(one, other)


@given(sprites, sprites)
def test_of_convex_hit_boxes_no_larger_than_their_texture_arcade_says_the_same(one: Sprite, other: Sprite) -> None:
    for sprite in (one, other):
        sprite.hit_box = RotatableHitBox(SQUARE, position=sprite.position, angle=sprite.angle, scale=sprite.scale)
    if not 0.0 < depth(one, other) < 1e-6:
        assert check_for_collision(one, other) == arcade.check_for_collision(one, other)


def test_to_touch_is_no_collision() -> None:
    """Touching is no collision, as in Arcade: a player may stand on a floor. Cases: flush exactly, and within slop."""
    tile = sprite_with(SQUARE, 1000.1, 0)
    for x in (1016.1, 1000.1 + 16, 1016.1 - 1e-9):
        neighbour = sprite_with(SQUARE, x, 3)
        assert not check_for_collision(tile, neighbour)
        assert not arcade.check_for_collision(tile, neighbour) or x < 1000.1 + 16
        assert check_for_collision_with_list(tile, listed(neighbour)) == []
    assert check_for_collision(tile, sprite_with(SQUARE, 1016.0, 3))
    assert check_for_collision_with_list(tile, listed(sprite_with(SQUARE, 1016.0, 3))) != []


def test_what_is_in_the_hollow_of_a_concave_hit_box_does_not_hit_it() -> None:
    """In Arcade this is a collision: separating axes need convex outlines. A ball in a cup does not overlap the cup."""
    cup, ball = sprite_with(CUP, 100, 100), sprite_with(SQUARE, 100, 102)
    assert arcade.check_for_collision(cup, ball)
    assert not check_for_collision(cup, ball)
    assert check_for_collision_with_list(ball, listed(cup)) == []
    ball.center_x += 3
    assert check_for_collision(cup, ball)


def test_a_hit_box_larger_than_its_texture_is_met_everywhere() -> None:
    """Arcade misses it: it skips sprites further away than the textures' diagonals."""
    beam, player = sprite_with(HUGE), sprite_with(SQUARE, 250, 10)
    assert not arcade.check_for_collision(beam, player)
    assert check_for_collision(beam, player)
    for new in LISTS:
        beams = new()
        beams.append(beam)
        assert arcade.check_for_collision_with_list(player, beams) == []
        assert check_for_collision_with_list(player, beams) == [beam]


def test_a_round_sprite_is_met_by_its_rim() -> None:
    ball = arcade.SpriteCircle(50, arcade.color.RED)
    pin = sprite_with(((-1, -1), (1, -1), (1, 1), (-1, 1)), 36.3, 36.3)
    reach = math.hypot(35.3, 35.3)
    assert reach < 50
    assert check_for_collision(ball, pin)
    pin.position = (36.4, 36.4)
    assert math.hypot(35.4, 35.4) > 50
    assert not check_for_collision(ball, pin)


# ---------------------------------------------------------------- lists


class Bobbing(Sprite):
    """A sprite that overrides `position` and does not notify its lists when it moves."""

    phase = 0.0

    @property
    def position(self) -> Any:
        return self._position[0], self._position[1] + self.phase

    @position.setter
    def position(self, value: Any) -> None:
        self._position = value


def brute_force(sprite: BasicSprite, sprite_list: Iterable[Any]) -> list[BasicSprite]:
    return [other for other in sprite_list if other is not sprite and check_for_collision(sprite, other)]


def radius(sprite: BasicSprite) -> float:
    """Return the distance of the farthest point of the hit box from the position: farther sprites are not near."""
    return max(math.hypot(*point) for point in sprite.hit_box.points)


@pytest.mark.parametrize("new", LISTS)
@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("seed", some(range(4)))
def test_whatever_happens_to_a_list_is_noticed(
    new: Callable[[], SpriteList[Any]], told: bool, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Make random changes to a list and its sprites, with an Arcade that reports changes and with one that does not."""
    if not told:
        monkeypatch.setattr("impinge_arcade.following.watch", lambda source: None)
    rnd = random.Random(seed)
    sprite_list = new()

    def some() -> Sprite:
        return rnd.choice(sprite_list)

    def fresh() -> Sprite:
        return sprite_with(rnd.choice(HIT_BOXES), rnd.uniform(-99, 99), rnd.uniform(-99, 99))

    changes: list[Callable[[], object]] = [
        lambda: sprite_list.append(fresh()),
        lambda: sprite_list.extend([fresh(), fresh()]),
        lambda: sprite_list.insert(rnd.randrange(len(sprite_list)), fresh()),
        lambda: sprite_list.__setitem__(rnd.randrange(len(sprite_list)), fresh()),
        lambda: sprite_list.remove(some()),
        lambda: sprite_list.pop(),
        lambda: sprite_list.pop(0),
        lambda: some().kill(),
        lambda: sprite_list.swap(0, len(sprite_list) - 1),
        lambda: sprite_list.reverse(),
        lambda: sprite_list.shuffle(),
        lambda: sprite_list.sort(key=lambda sprite: sprite.center_y),
        lambda: sprite_list.append(sprite_list.pop(0)),
        lambda: (gone := list(sprite_list), sprite_list.clear(), sprite_list.extend(gone[::-1])),
        lambda: sprite_list.move(rnd.uniform(-9, 9), 3),
        lambda: sprite_list.rescale(1.05),
        lambda: setattr(some(), "position", (rnd.uniform(-99, 99), 0)),
        lambda: setattr(some(), "center_y", rnd.uniform(-99, 99)),
        lambda: setattr(some(), "left", rnd.uniform(-99, 99)),
        lambda: setattr(some(), "scale", rnd.choice([0.5, -1, 2])),
        lambda: setattr(some(), "scale_y", rnd.choice([0.5, -1, 2])),
        lambda: setattr(some(), "width", 20),
        lambda: setattr(some(), "height", 20),
        lambda: setattr(some(), "size", (24, 8)),
        lambda: setattr(some(), "angle", rnd.uniform(0, 360)),
        lambda: some().turn_left(90),
        lambda: some().forward(20),
        lambda: setattr(some(), "hit_box", HitBox(rnd.choice(HIT_BOXES))),
        lambda: some().sync_hit_box_to_texture(),
        lambda: shape_for(some(), Circle(rnd.uniform(5, 50))) if some().scale_x == some().scale_y else None,
        lambda: shape_for(some(), None),
    ]
    probe, stroller = sprite_with(SQUARE), sprite_with(SQUARE)
    for _ in range(150):
        for _ in range(rnd.choice([0, 1, 1, 2, 8])):
            while len(sprite_list) < 3:
                sprite_list.append(fresh())
            with suppress(ShapeError):  # a circle for a sprite that is stretched
                rnd.choice(changes)()
        probe.position = rnd.uniform(-99, 99), rnd.uniform(-99, 99)
        stroller.center_x += rnd.choice([-1, 0, 1])
        stroller.center_y += rnd.uniform(-2, 2)
        for sprite in (probe, stroller, *sprite_list[:2]):
            try:
                expected = brute_force(sprite, sprite_list)
            except ShapeError:  # a circle for a sprite that was stretched since
                for each in sprite_list:
                    shape_for(each, None)
                expected = brute_force(sprite, sprite_list)
            assert check_for_collision_with_list(sprite, sprite_list) == expected


def test_sprites_that_tell_nobody_where_they_are_are_asked() -> None:
    texture = arcade.SpriteSolidColor(16, 16).texture
    buoy, probe = Bobbing(texture), sprite_with(SQUARE)
    buoys = listed(sprite_with(SQUARE, 500, 0), buoy)
    assert check_for_collision_with_list(probe, buoys) == [buoy]
    buoy.phase = 40
    assert check_for_collision_with_list(probe, buoys) == []
    probe.center_y = 40
    assert check_for_collision_with_list(probe, buoys) == [buoy]


@pytest.mark.parametrize("new", LISTS)
def test_the_answer_is_in_the_list_s_order_and_without_the_sprite_itself(new: Callable[[], SpriteList[Any]]) -> None:
    crowd = new()
    crowd.extend([sprite_with(SQUARE, x, 0) for x in (3, 1, 2, 0)])
    assert check_for_collision_with_list(crowd[1], crowd) == [crowd[0], crowd[2], crowd[3]]
    crowd.sort(key=lambda sprite: sprite.center_x)
    assert [sprite.center_x for sprite in check_for_collision_with_list(sprite_with(SQUARE), crowd)] == [0, 1, 2, 3]
    crowd.append(crowd.pop(0))
    assert [sprite.center_x for sprite in check_for_collision_with_list(sprite_with(SQUARE), crowd)] == [1, 2, 3, 0]
    crowd.insert(1, sprite_with(SQUARE, 4, 0))
    assert [sprite.center_x for sprite in check_for_collision_with_list(sprite_with(SQUARE), crowd)] == [1, 4, 2, 3, 0]
    crowd.remove(crowd[1])
    for method in (0, 1, 2, 3):
        assert len(check_for_collision_with_list(crowd[0], crowd, method)) == 3


def test_several_lists_are_answered_one_after_the_other() -> None:
    one, other = listed(sprite_with(SQUARE, 2, 0)), listed(sprite_with(SQUARE, 1, 0))
    player = sprite_with(SQUARE)
    assert check_for_collision_with_lists(player, [one, other]) == [one[0], other[0]]
    assert check_for_collision_with_lists(player, iter([other, one])) == [other[0], one[0]]
    assert check_for_collision_with_lists(player, []) == []


@given(st.lists(sprites, min_size=1, max_size=6), st.tuples(quarters, quarters))
def test_sprites_at_a_point_are_those_that_hold_it(crowd: list[Sprite], point: tuple[float, float]) -> None:
    near = [drawn(sprite).distance(shapely.Point(point)) for sprite in crowd]
    inside = [-drawn(sprite).exterior.distance(shapely.Point(point)) for sprite in crowd]
    found = get_sprites_at_point(point, listed(*crowd))
    for sprite, outer, inner in zip(crowd, near, inside, strict=True):
        if outer > 1e-9:
            assert sprite not in found
        if outer == 0.0 and inner < -1e-9:
            assert sprite in found


def test_a_point_on_the_border_is_held_as_in_arcade() -> None:
    tiles = listed(sprite_with(SQUARE, 0, 0), sprite_with(SQUARE, 16, 0))
    assert get_sprites_at_point((8, 3), tiles) == arcade.get_sprites_at_point((8, 3), tiles) == list(tiles)
    assert get_sprites_at_point((8.1, 3), tiles) == [tiles[1]]


def test_an_empty_list_has_nothing() -> None:
    assert check_for_collision_with_list(sprite_with(SQUARE), listed()) == []
    assert get_sprites_at_point((0, 0), listed()) == []


# ---------------------------------------------------------------- costs and caches


def test_this_arcade_tells_of_all_changes() -> None:
    """Without these reports the answers would still be correct, but every check would read the whole list."""
    assert arcade_names.watching_works()
    tiles = listed(sprite_with(SQUARE))
    notes = arcade_names.watch(tiles)
    assert notes is not None
    assert arcade_names.watch(tiles) is notes
    before = notes.serial
    tiles[0].hit_box = HitBox(CUP)
    assert notes.serial > before
    assert arcade_names.watch([tiles[0]]) is None


def test_a_list_in_which_nothing_moves_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """This is why the check is fast: none of 500 resting tiles is read again, and only moving tiles are."""
    looked_at: list[BasicSprite] = []

    def look(sprite: BasicSprite) -> Any:
        looked_at.append(sprite)
        return sprite.position

    monkeypatch.setattr(nearby, "POSITION", look)
    tiles, player = listed(*(sprite_with(SQUARE, 16 * x, 0) for x in range(500))), sprite_with(SQUARE)
    check_for_collision_with_list(player, tiles)
    assert looked_at == list(tiles)
    looked_at.clear()
    for x in range(20):
        player.center_x = x
        check_for_collision_with_list(player, tiles)
    assert looked_at == []
    tiles[7].center_y += 1
    player.position = tiles[7].position
    assert check_for_collision_with_list(player, tiles) == [tiles[7]]
    assert looked_at == [tiles[7]]


@pytest.mark.parametrize("seed", some(range(6)))
@pytest.mark.parametrize("is_member", [True, False])
def test_who_walks_asks_what_is_near_and_is_told_the_same(
    seed: int, is_member: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On whole pixels, many sprites only touch. Some also move, appear, disappear or change.

    Few answers need an overlap test of solids.
    """
    rnd, looks, looked = random.Random(seed), [0], 0
    overlap = nearby.overlap_pair

    def counted(*arguments: Any) -> Any:
        looks[0] += 1
        return overlap(*arguments)

    monkeypatch.setattr(nearby, "overlap_pair", counted)
    points = SQUARE if seed % 2 else rnd.choice(HIT_BOXES)
    crowd = [sprite_with(SQUARE, 16 * rnd.randrange(-20, 20), 16 * rnd.randrange(-20, 20)) for _ in range(200)]
    crowd += [sprite_with(rnd.choice(HIT_BOXES), 40 * i, 300, angle=9 * i) for i in range(-5, 5)]
    walker, sprite_list, checks = sprite_with(points), listed(*crowd), 600
    radii = {sprite: radius(sprite) for sprite in (walker, *crowd)}
    if is_member:
        sprite_list.append(walker)
    for _ in range(checks):
        walker.center_x += rnd.choice([0, 1, 2])
        walker.center_y += rnd.choice([-1, 0, 1])
        if rnd.random() < 0.05:
            walker.position = 16 * rnd.randrange(-20, 20), rnd.randrange(-300, 300)
        for _ in range(rnd.choice([0, 0, 0, 1, 3])):
            rnd.choice(crowd).center_x += rnd.choice([-1, 1])
        if rnd.random() < 0.05:
            sprite_list.remove(gone := rnd.choice(crowd))
            crowd.remove(gone)
            crowd.append(sprite_with(SQUARE, walker.center_x + rnd.randrange(-30, 30), walker.center_y))
            sprite_list.append(crowd[-1])
            radii[crowd[-1]] = radius(crowd[-1])
        before = looks[0]
        found = check_for_collision_with_list(walker, sprite_list)
        looked += looks[0] > before
        near = [
            each for each in sprite_list if math.dist(each.position, walker.position) <= radii[each] + radii[walker]
        ]
        assert found == brute_force(walker, near)
    if points is SQUARE:
        assert looked < 0.5 * checks


@pytest.mark.parametrize("seed", some(range(4)))
def test_where_all_move_and_many_ask_everybody_is_told_the_same(seed: int) -> None:
    """A storm of shots: all sprites move in each frame, some turn or grow, some come and go. Some query themselves."""
    rnd = random.Random(seed)

    def one() -> Sprite:
        sprite = sprite_with(rnd.choice(HIT_BOXES) if rnd.random() < 0.3 else SQUARE)
        sprite.position, sprite.velocity = (rnd.randrange(-150, 150), rnd.uniform(-150, 150)), (rnd.randint(-6, 6), 3)
        return sprite

    crowd = listed(*(one() for _ in range((30, 250)[seed % 2])))
    askers, found = [one() for _ in range(5)], 0
    for frame in range(60):
        for sprite in [*crowd, *askers]:
            sprite.update()
        if frame % 3 == 0:
            rnd.choice(crowd).angle += 30
            rnd.choice(crowd).scale = rnd.uniform(0.5, 2)
        for _ in range(rnd.randrange(8)):
            rnd.choice(crowd).remove_from_sprite_lists()
            crowd.append(one())
        if frame == 20:
            crowd.insert(3, one())
        if frame == 40:
            crowd.reverse()
        for asker in (*askers, rnd.choice(crowd)):
            if frame % 10 == 9:
                asker.center_x += 1  # one query at a time, with a move between two queries
            answers = check_for_collision_with_list(asker, crowd)
            assert answers == brute_force(asker, crowd)
            found += len(answers)
    assert found > 200


@pytest.mark.parametrize("seed", some(range(6)))
def test_who_becomes_another_as_it_walks_is_told_what_it_overlaps_now(seed: int) -> None:
    """The query caches the sprite's neighbours. The sprite turns, grows and gets new hit boxes, and others pass by."""
    rnd = random.Random(seed)
    crowd = [sprite_with(SQUARE, 20 * rnd.randrange(-12, 12), 20 * rnd.randrange(-12, 12)) for _ in range(150)]
    walker, others = sprite_with(SQUARE), listed(*crowd)
    passers = [sprite_with(rnd.choice(HIT_BOXES), -200, 40 * i) for i in range(-3, 4)]
    others.extend(passers)
    way = 0.0
    for _ in range(400):
        way += rnd.uniform(-0.4, 0.4)
        walker.position = walker.center_x + 3 * math.cos(way), walker.center_y + 3 * math.sin(way)
        if math.hypot(*walker.position) > 240:
            way += math.pi
        for passer in passers:
            passer.center_x += 4
        change = rnd.random()
        if change < 0.1:
            walker.angle = rnd.choice([0, 0, 90, 17, walker.angle + 5])
        elif change < 0.15:
            walker.scale = rnd.choice([1, 0.3, 2, (3, 1), (-1, 1)])
        elif change < 0.2:
            points = rnd.choice(HIT_BOXES)
            walker.hit_box = RotatableHitBox(points, position=walker.position, scale=walker.scale, angle=walker.angle)
        elif change < 0.22:
            others.reverse()
        assert check_for_collision_with_list(walker, others) == brute_force(walker, others)


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("attribute", ["angle", "center_x"])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_who_stands_nowhere_is_refused_also_where_all_is_remembered(attribute: str, value: float) -> None:
    """The cached neighbours were those of a valid position. So a sprite at NaN looked like one that hits nothing."""
    player, tiles = sprite_with(SQUARE, 205, 5), listed(*(sprite_with(SQUARE, 400 * x, 0) for x in range(5)))
    for x in range(30):
        player.center_x = 200 + x % 5
        assert check_for_collision_with_list(player, tiles) == []
    setattr(player, attribute, value)
    for _ in range(3):
        with pytest.raises(ShapeError, match="position and angle must be finite"):
            check_for_collision_with_list(player, tiles)


def test_who_leaps_for_ever_through_an_endless_world_leaves_no_trail() -> None:
    """The cache kept every place where the sprite had asked once."""
    player, tiles = sprite_with(SQUARE), listed(*(sprite_with(SQUARE, 400 * x, 0) for x in range(5)))
    found = 0
    tracemalloc.start()
    try:
        for turn in range(4):
            for leap in range(5000):
                player.position = 1000.0 * (5000 * turn + leap), 1000.0
                found += len(check_for_collision_with_list(player, tiles))
            if turn == 0:
                before = tracemalloc.get_traced_memory()[0]
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert found == 0
    assert after - before < 1_000_000


def test_who_comes_last_is_told_last_after_a_list_was_turned_round_and_others_went() -> None:
    """New places in the order were counted from the list's length. Removed sprites had left higher numbers behind."""
    sprites = [sprite_with(SQUARE) for _ in range(6)]
    player, crowd = sprite_with(SQUARE), listed(*sprites)
    assert check_for_collision_with_list(player, crowd) == get_sprites_at_point((0, 0), crowd) == sprites
    crowd.reverse()
    assert check_for_collision_with_list(player, crowd) == get_sprites_at_point((0, 0), crowd) == sprites[::-1]
    for gone in sprites[3:]:
        crowd.remove(gone)
    assert check_for_collision_with_list(player, crowd) == sprites[2::-1]
    assert get_sprites_at_point((0, 0), crowd) == sprites[2::-1]
    crowd.append(last := sprite_with(SQUARE))
    assert check_for_collision_with_list(player, crowd) == [*sprites[2::-1], last]
    assert get_sprites_at_point((0, 0), crowd) == [*sprites[2::-1], last]


def test_sprites_that_are_gone_are_let_go() -> None:
    """Bullets come and go. A list that was queried once must not keep ten thousand of them alive."""
    bullets = listed(sprite_with(SQUARE))
    check_for_collision_with_list(sprite_with(SQUARE), bullets)
    gone = []
    for _ in range(2000):
        bullet = sprite_with(SQUARE)
        bullets.append(bullet)
        bullet.kill()
        gone.append(weakref.ref(bullet))
        del bullet
    gc.collect()
    assert sum(reference() is not None for reference in gone) <= arcade_names.REMEMBERED + 1


def test_a_list_that_is_let_go_is_freed() -> None:
    sprite_list = listed(sprite_with(SQUARE))
    check_for_collision_with_list(sprite_with(SQUARE), sprite_list)
    reference = weakref.ref(sprite_list[0])
    del sprite_list
    gc.collect()
    assert reference() is None


# ---------------------------------------------------------------- bad input


@pytest.mark.usefixtures("strict")
def test_a_sprite_of_a_list_that_has_no_solid_is_named_and_nothing_is_lost() -> None:
    tiles = listed(*(sprite_with(SQUARE, 16 * x, 0) for x in range(3)))
    player = sprite_with(SQUARE, 8, 4)
    assert check_for_collision_with_list(player, tiles) == [tiles[0], tiles[1]]
    tiles[2].position = (math.nan, 5)
    tiles[1].center_y = 500
    for _ in range(2):  # the error remains at the next query
        with pytest.raises(ShapeError, match=r"SpriteSolidColor at \(nan, 5\): "):
            check_for_collision_with_list(player, tiles)
    tiles[2].position = (16, 0)
    assert check_for_collision_with_list(player, tiles) == [tiles[0], tiles[2]]


def test_who_was_far_away_once_sees_as_well_as_before() -> None:
    """Far out, a thousandth of a pixel is less than rounding; at the origin it is not. A returned sprite was lost."""
    shape = ((-8, -8), (8, -8), (8, 8), (-7, 8))
    player, near, far = sprite_with(shape), sprite_with(shape, 15.999, 0), sprite_with(shape, 1e13, 0)
    tiles = listed(near, far)
    assert check_for_collision_with_list(player, tiles) == [near]
    player.center_x = 1e13
    assert check_for_collision_with_list(player, tiles) == [far]
    player.center_x = 0
    assert check_for_collision_with_list(player, tiles) == [near]


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("place", [(None, 3), ("5", 3), (1, 2, 3), 7, (1e101, 0), (10**400, 0)])
def test_who_asks_from_no_place_is_named(place: Any) -> None:
    player, tiles = sprite_with(SQUARE), listed(sprite_with(SQUARE))
    with suppress(Exception):  # Arcade's own setter may raise
        player.position = place
    with pytest.raises(ShapeError, match=rf"SpriteSolidColor at {re.escape(str(place))}: position"):
        check_for_collision_with_list(player, tiles)


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("place", [(None, 3), ("5", 3), (1, 2, 3), (3,), (1e101, 0), (10**400, 0), 7])
@pytest.mark.parametrize("count", [1, 8])
def test_a_sprite_of_a_list_that_stands_at_no_place_is_named(place: Any, count: int) -> None:
    tiles = listed(*(sprite_with(SQUARE, 16 * x, 0) for x in range(8)))
    player = sprite_with(SQUARE, 8, 4)
    assert check_for_collision_with_list(player, tiles) == [tiles[0], tiles[1]]
    for tile in tiles[:count]:
        with suppress(Exception):  # Arcade's own setter may raise
            tile.position = place
    for _ in range(2):
        with pytest.raises(ShapeError, match=rf"SpriteSolidColor at {re.escape(str(place))}: position"):
            check_for_collision_with_list(player, tiles)


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: check_for_collision("hero", sprite_with(SQUARE)), "sprite1 must be a sprite, got 'hero'"),
        (lambda: check_for_collision(sprite_with(SQUARE), None), "sprite2 must be a sprite, got None"),
        (lambda: check_for_collision(sprite_with(SQUARE), listed()), "check_for_collision_with_list"),
        (lambda: check_for_collision_with_list(3, listed()), "sprite must be a sprite, got 3"),
        (lambda: check_for_collision_with_list(sprite_with(SQUARE), [1]), "sprites must be sprites, got 1"),
        (lambda: check_for_collision_with_lists(sprite_with(SQUARE), [listed(), 5]), "must be a SpriteList, got 5"),
        (lambda: get_sprites_at_point((0, 0), sprite_with(SQUARE)), "must be a SpriteList, got <"),
    ],
)
def test_wrong_arguments_are_named(call: Callable[[], object], complaint: str) -> None:
    with pytest.raises(TypeError, match=complaint):
        call()
