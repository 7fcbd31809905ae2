"""Players that the game puts into walls: in games of other people they were stuck for good, or fell below the world.

The maps of Arcade's examples are rebuilt from plain sprites. Arcade's own engine plays the same scene: no player is
worse off here. Figures were worked out by hand.
"""

from __future__ import annotations

import math
import random
from typing import Any

import arcade
import numpy as np
import pytest
import shapely
from arcade import Sprite, SpriteList
from arcade.hitbox import HitBox

import impinge_arcade
from impinge_arcade import PhysicsEnginePlatformer, PhysicsEngineSimple
from scale import some
from sprites import blocks, listed

BOTH_PLATFORMERS = [arcade.PhysicsEnginePlatformer, PhysicsEnginePlatformer]
# Arcade's hit boxes of a woman of 96 by 128 pixels and of the rounded tile at the left end of a floor.
WOMAN = ((-32, -55), (-23, -64), (23, -64), (32, -55), (32, 13), (14, 31), (-11, 31), (-32, 10))
END = ((-32, -28.5), (-28.5, -32), (32, -32), (32, 32), (-28, 32), (-32, 28))
block = blocks(64, 64)


def woman(x: float, y: float, scale: float = 1) -> Sprite:
    sprite = block(x, y, 96, 128)
    sprite.hit_box = HitBox(WOMAN, sprite.position)
    sprite.scale = scale
    return sprite


def ground(rows: int) -> SpriteList[Any]:
    """Return a floor of tiles of 64 pixels from (0, 0) on, with a rounded end."""
    tiles = listed(*(block(32 + 64 * x, 32 + 64 * y) for y in range(rows) for x in range(20)))
    tiles[20 * (rows - 1)].hit_box = HitBox(END, tiles[20 * (rows - 1)].position)
    return tiles


def outlines(walls: Any) -> Any:
    """Return the hit boxes of walls as an array of polygons."""
    return np.array([shapely.Polygon(wall.hit_box.get_adjusted_points()) for wall in walls])


def area_in(walls: Any, player: Sprite) -> float:
    """Return the greatest area that a player has in common with one of the outlines of walls."""
    outline = shapely.Polygon(player.hit_box.get_adjusted_points())
    return float(shapely.area(shapely.intersection(outline, walls)).max())


@pytest.mark.parametrize("kind", BOTH_PLATFORMERS)
@pytest.mark.parametrize(
    ("rows", "start", "scale", "top"),
    [(3, (128, 128), 1, 192), (3, (160, 128), 1, 192), (1, (128, 64), 0.6, 64), (1, (128, 40), 0.6, 64)],
    ids=["13_more_layers, 14_multiple_levels", "the same, further right", "sprite_tiled_map_with_levels", "lower"],
)
def test_a_player_that_starts_in_the_ground_comes_out_on_top(
    kind: Any, rows: int, start: tuple[float, float], scale: float, top: float
) -> None:
    """It was stuck at (160, 128) for good, or fell through the floor to -7945.

    In the last case the shortest way is down.
    """
    player = woman(*start, scale)
    engine = kind(player, walls=ground(rows), gravity_constant=1)
    for _ in range(40):
        engine.update()
    assert player.bottom == pytest.approx(top, abs=0.25)
    assert player.center_x == start[0]
    player.change_x = 5
    for _ in range(20):
        engine.update()
    assert player.center_x == start[0] + 100
    assert engine.can_jump()


@pytest.mark.parametrize("kind", [arcade.PhysicsEngineSimple, PhysicsEngineSimple, *BOTH_PLATFORMERS])
def test_a_player_deep_in_solid_ground_gets_out_as_in_arcade(kind: Any) -> None:
    """No way out was found among hundreds of tiles, so the player stayed where it was for ever."""
    walls = listed(*(block(32 * x, 32 * y, 32, 32) for x in range(-14, 14) for y in range(-14, 14)))
    player = block(7, 9, 20, 40, change_x=3)
    engine = kind(player, walls)
    for _ in range(3):
        engine.update()
    assert area_in(outlines(walls), player) == 0
    # The ground ends at 432. Arcade is 512 pixels up, in free air.
    assert player.center_y <= 9 + 512
    assert player.bottom >= 432 if "impinge" not in kind.__module__ else player.bottom == pytest.approx(432)


def test_a_player_beside_a_high_wall_goes_to_the_side() -> None:
    for kind in BOTH_PLATFORMERS:
        player, wall = block(0, 20, 20, 40), block(50, 200, 86, 400)
        kind(player, walls=listed(wall, block(0, -10, 2000, 20))).update()
        # 3 pixels deep: Arcade tries 1, 2, and 4.
        assert player.center_x == (-4 if kind is arcade.PhysicsEnginePlatformer else -3)
        assert player.center_y == 20


@pytest.mark.parametrize(("gravity", "expected"), [(1, 52), (-1, -52), (0, -52)])
def test_the_way_out_leads_against_gravity(gravity: float, expected: float) -> None:
    """The player is nearer to the lower side of the plank. Without gravity it takes the shortest way."""
    player = block(0, -4, 40, 40)
    engine = PhysicsEnginePlatformer(player, gravity_constant=gravity, walls=listed(block(0, 0, 400, 64)))
    engine.update()
    assert player.center_y == pytest.approx(expected)


@pytest.mark.parametrize("players", [1, 8])
def test_walls_that_are_put_on_players_lift_them(players: int) -> None:
    """The shortest way is down. Many players are read as arrays."""
    crowd, walls = [block(500 * i, 0, 40, 40) for i in range(players)], listed(block(-5000, 0))
    engine = PhysicsEnginePlatformer(crowd[0], gravity_constant=1e-9, walls=walls, players=crowd[1:])
    for _ in range(3):
        engine.update()
    walls.extend([block(500 * i, 3, 400, 64) for i in range(players)])
    for _ in range(2):
        engine.update()
    assert [player.center_y for player in crowd] == pytest.approx([3 + 32 + 20] * players)


def test_a_player_that_a_press_squeezes_stays_above_the_floor() -> None:
    """Arcade's engine throws it through the floor. Here only players that the game puts into walls leave them so."""
    ends = []
    for kind in BOTH_PLATFORMERS:
        press = block(0, 80, 100, 40, change_y=-2, boundary_bottom=20)
        player = block(0, 20, 20, 40)
        engine = kind(player, listed(press), walls=listed(block(0, -10, 2000, 20)))
        for _ in range(60):
            engine.update()
        ends.append(player.center_y)
    assert ends[0] < -100
    assert ends[1] == 20


@pytest.mark.parametrize("kind", ["PhysicsEngineSimple", "PhysicsEnginePlatformer"])
@pytest.mark.parametrize("seed", some(range(40), least=4))
def test_wherever_a_player_is_put_it_gets_out_no_farther_than_in_arcade(kind: str, seed: int) -> None:
    rnd = random.Random(seed)
    cells = {(rnd.randrange(12), rnd.randrange(12)) for _ in range(90)}
    walls = listed(*(block(32 * x, 32 * y, 32, 32) for x, y in sorted(cells)))
    shapes = outlines(walls)
    theirs, ours = block(0, 0, 24, 28), block(0, 0, 24, 28)
    options = {"gravity_constant": 1e-9} if kind == "PhysicsEnginePlatformer" else {}
    engines = [
        getattr(module, kind)(player, walls=walls, **options)
        for module, player in ((arcade, theirs), (impinge_arcade, ours))
    ]
    for _ in range(20):
        start = rnd.randrange(400), rnd.randrange(400)
        for sprite, engine in zip((theirs, ours), engines, strict=True):
            sprite.position, sprite.velocity = start, (0, 0)
            engine.update()
            engine.update()
        assert area_in(shapes, ours) < 1e-3
        assert math.dist(start, ours.position) <= math.dist(start, theirs.position) + 0.01
