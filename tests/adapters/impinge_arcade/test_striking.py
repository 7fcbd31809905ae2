"""Attacks of sprites over time. Figures were worked out by hand; for a whole swing the oracle is Shapely."""

from __future__ import annotations

import math
from typing import Any

import arcade
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from impinge import Attack, Sector, ShapeError
from impinge_arcade import SpriteAttack
from sprites import blocks, listed

FRAME = 1 / 60
# The sword sweeps half a circle in a quarter of a second.
SWORD = Attack(Sector(60, 0.2), windup=0.1, active=0.25, recovery=0.2, swing=math.pi, knockback=10)
STAB = Attack(Sector(60, 0.2))
block = blocks(20, 20)


def struck(blow: SpriteAttack, delta_time: float = FRAME) -> list[Any]:
    """Return the targets that an attack hits until it is over, in order."""
    hit = []
    while not blow.swing.is_over:
        hit += [strike.target for strike in blow.on_update(delta_time)]
    return hit


def test_each_is_hit_once_in_the_order_of_the_blade() -> None:
    """The blade moves counter-clockwise: from right to left for a sprite that looks up."""
    knight = block(0, 0)
    right, ahead, left, behind, far = block(45, 0), block(0, 45), block(-45, 5), block(0, -45), block(0, 75)
    blow = SpriteAttack(knight, SWORD, listed(left, ahead, right, behind, far, knight))
    assert struck(blow) == [right, ahead, left]
    assert blow.swing.struck == {left, ahead, right}


def test_nobody_is_hit_before_it_has_wound_up_or_after_it_has_struck() -> None:
    knight, crowd = block(0, 0), listed()
    blow = SpriteAttack(knight, SWORD, crowd)
    early = block(45, 0)
    crowd.append(early)
    assert blow.on_update(0.09) == []
    early.kill()
    assert blow.on_update(0.3) == []
    crowd.append(block(0, 45))
    assert blow.on_update(0.1) == []
    assert blow.swing.phase == "recovery"
    assert struck(blow) == []


@pytest.mark.parametrize("delta_time", [0.55, 0.1, 1 / 240])
def test_the_length_of_frames_makes_no_difference(delta_time: float) -> None:
    knight, ring = block(0, 0), [block(45, 0), block(30, 40), block(0, 45), block(-30, 40), block(-45, 0)]
    assert struck(SpriteAttack(knight, SWORD, listed(*ring[::-1])), delta_time) == ring


def test_knockback_is_added_to_the_speed() -> None:
    knight, foe = block(0, 0), block(30, 40, change_x=-1, change_y=2)
    blow = SpriteAttack(knight, SWORD, listed(foe))
    assert struck(blow) == [foe]
    assert foe.velocity == pytest.approx((-1 + 6, 2 + 8))
    assert knight.velocity == (0, 0)


def test_without_knockback_nobody_is_thrown() -> None:
    foe = block(0, 40, change_x=-1)
    assert struck(SpriteAttack(block(0, 0), STAB, listed(foe))) == [foe]
    assert foe.velocity == (-1, 0)


def test_sprites_without_a_speed_are_hit_too() -> None:
    target = arcade.BasicSprite(arcade.make_soft_square_texture(20, arcade.color.RED), center_x=0, center_y=40)
    assert struck(SpriteAttack(block(0, 0), SWORD, listed(target))) == [target]


@pytest.mark.parametrize(
    ("angle", "facing", "hit"),
    [
        (0, None, "up"),
        (90, None, "right"),
        (-90, None, "left"),
        (180, None, "down"),
        (450, None, "right"),
        (0, 90, "right"),
        (90, 0, "up"),
        (30, -90, "left"),
        (0, 180, "down"),
    ],
)
def test_it_strikes_where_the_sprite_faces_or_is_told_to(angle: float, facing: float | None, hit: str) -> None:
    foes = {"up": block(0, 40), "right": block(40, 0), "down": block(0, -40), "left": block(-40, 0)}
    blow = SpriteAttack(block(0, 0, angle=angle), STAB, listed(*foes.values()), facing=facing)
    assert struck(blow) == [foes[hit]]
    assert (blow.pose.x, blow.pose.y) == (0, 0)
    across, up = math.cos(blow.pose.angle), math.sin(blow.pose.angle)
    assert foes[hit].position == pytest.approx((40 * across, 40 * up))


def test_walls_are_in_the_way() -> None:
    knight, hidden, open_to_it = block(0, 0), block(0, 45), block(45, 0)
    wall = block(0, 25, 60, 4)
    foes, walls = listed(hidden, open_to_it), listed(wall, knight)
    assert struck(SpriteAttack(knight, SWORD, foes, occluders=walls)) == [open_to_it]
    wall.position = 0, -25
    assert struck(SpriteAttack(knight, SWORD, foes, occluders=[walls])) == [open_to_it, hidden]


def test_targets_among_the_walls_are_hit_and_hide_others() -> None:
    near, behind = block(0, 25, 60, 10), block(0, 50)
    foes = listed(near, behind)
    assert struck(SpriteAttack(block(0, 0), STAB, foes, occluders=foes)) == [near]


def test_who_runs_through_the_blade_in_one_frame_is_hit() -> None:
    """A check at the end of each frame finds no target: the runner is never near at those times."""
    runner = block(-400, 40, change_x=800)
    blow = SpriteAttack(block(0, 0), Attack(STAB.sector, active=1), listed(runner))
    assert blow.on_update(0.1) == []
    runner.update()
    assert runner.center_x == 400
    [strike] = blow.on_update(0.1)
    # The runner's right edge reaches the sector's left side. That side is no further from the middle than its corner.
    assert strike.time == pytest.approx((400 - 10) / 800, abs=60 * math.sin(0.2) / 800)


def test_an_attacker_that_rushes_by_hits_on_its_way() -> None:
    rider, foe = block(-400, 0, change_x=800), block(0, 40)
    blow = SpriteAttack(rider, Attack(STAB.sector, active=1), listed(foe))
    rider.update()
    assert [strike.target for strike in blow.on_update(0.1)] == [foe]


def test_an_attacker_that_turns_hits_what_it_turns_past() -> None:
    tower, foe, other = block(0, 0), block(40, 40, 10, 10), block(-40, 40, 10, 10)
    blow = SpriteAttack(tower, Attack(STAB.sector, active=9), listed(foe, other))
    tower.angle = 89
    assert [strike.target for strike in blow.on_update(0.1)] == [foe]
    tower.angle = 0
    assert blow.on_update(0.1) == []
    # The blade takes the short way: from 0 to 271 degrees is a turn of 89 to the left.
    tower.angle = 271
    assert [strike.target for strike in blow.on_update(0.1)] == [other]


def test_an_attacker_that_looks_back_at_once_hits_nothing_beside_it() -> None:
    knight, sides, behind = block(0, 0), [block(40, 0), block(-40, 0)], block(0, -40)
    blow = SpriteAttack(knight, Attack(STAB.sector, active=9), listed(*sides, behind), facing=0)
    blow.on_update(0.1)
    blow.facing = 180
    assert [strike.target for strike in blow.on_update(0.1)] == [behind]


@pytest.mark.parametrize("mover", ["attacker", "target"])
def test_who_is_put_elsewhere_meets_nobody_on_the_way(mover: str) -> None:
    still, moved = block(0, 0), block(-400, 40)
    blow = {
        "attacker": SpriteAttack(moved, Attack(STAB.sector, active=9), listed(still), facing=180),
        "target": SpriteAttack(still, Attack(STAB.sector, active=9), listed(moved)),
    }[mover]
    blow.on_update(0.1)
    moved.center_x = 400
    assert blow.on_update(0.1) == []
    moved.center_x = 0
    assert len(blow.on_update(0.1)) == 1


def test_who_comes_goes_or_is_spared_counts() -> None:
    knight, first, second, third = block(0, 0), block(0, 40), block(10, 40), block(-10, 40)
    foes = listed(first, third)
    blow = SpriteAttack(knight, Attack(STAB.sector, active=9), foes)
    first.kill()
    foes.append(second)
    blow.swing.struck.add(third)
    assert [strike.target for strike in blow.on_update(0.1)] == [second]


def test_what_is_wrong_is_refused_and_nothing_has_happened() -> None:
    knight, foe = block(0, 0), block(0, 40)
    with pytest.raises(TypeError, match="sprite must be a sprite, got None"):
        SpriteAttack(None, SWORD, listed())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="targets must be a SpriteList"):
        SpriteAttack(knight, SWORD, foe)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="occluders must be a SpriteList"):
        SpriteAttack(knight, SWORD, listed(foe), occluders=3)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="attack must be an Attack"):
        SpriteAttack(knight, Sector(60, 0.2), listed(foe))  # type: ignore[arg-type]
    blow = SpriteAttack(knight, SWORD, listed(foe))
    with pytest.raises(ShapeError, match="duration"):
        blow.on_update(-1)
    blow.facing = math.nan
    with pytest.raises(ShapeError, match="angle"):
        blow.on_update(0.2)
    blow.facing = None
    assert struck(blow) == [foe]


quarters = st.integers(-280, 280).map(lambda number: number / 4)


@given(
    st.lists(st.tuples(quarters, quarters, st.floats(0, 360)), min_size=1, max_size=6),
    st.integers(-180, 180),
    st.floats(0.1, 1),
    st.floats(-3, 3),
    st.sampled_from([0.02, 0.11, 2.0]),
)
def test_a_whole_swing_reaches_what_the_sector_sweeps(
    places: list[tuple[float, float, float]], facing: int, half_angle: float, swing: float, delta_time: float
) -> None:
    foes = [block(x, y, 24, 10, angle=angle) for x, y, angle in places]
    attack = Attack(Sector(60, half_angle), windup=0.05, active=0.1, recovery=0.01, swing=swing)
    hit = struck(SpriteAttack(block(0, 0), attack, listed(*foes), facing=facing), delta_time)
    assert len(hit) == len(set(hit))
    half = half_angle + 0.5 * abs(swing)
    ahead = math.radians(90 - facing)
    if half >= math.pi:
        area = shapely.Point(0, 0).buffer(60, quad_segs=4096)
    else:
        arc = [ahead + half * number / 4096 for number in range(-4096, 4097)]
        area = shapely.Polygon([(0, 0), *((60 * math.cos(angle), 60 * math.sin(angle)) for angle in arc)])
        area = area if area.is_valid else area.buffer(0)
    for foe in foes:
        outline = shapely.Polygon(foe.hit_box.get_adjusted_points())
        if outline.intersection(area).area > 1e-3:
            assert foe in hit
        elif outline.distance(area) > 1e-3:
            assert foe not in hit
