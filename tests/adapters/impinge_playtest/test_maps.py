"""Levels of Arcade games: maps that come with Arcade, and engines of games."""

from __future__ import annotations

import math
from typing import Any

import arcade
import pytest
from arcade import SpriteSolidColor

import impinge as im
from impinge_arcade import PhysicsEnginePlatformer, PushEngine
from impinge_playtest import Area, Platformer, TopDown, explore
from impinge_playtest.maps import level_from_engine, level_from_map
from scale import cases

MAPS = ":resources:tiled_maps/"


def test_a_map_with_ladders() -> None:
    level = level_from_map(f"{MAPS}map_with_ladders.json", Platformer(speed=4.0), spawn=(200, 400))
    assert (len(level.coins), len(level.ladders), len(level.deadly), len(level.goals)) == (11, 6, 1, 0)
    assert level.border == Area("border", 0.0, -128.0, 20 * 128.0, math.inf)
    assert (level.start.x, level.start.y, level.name) == (200.0, 400.0, "map_with_ladders")
    ((body, track),) = level.tracks.items()
    assert track.poses[:, 1].max() - track.poses[:, 1].min() == pytest.approx(
        580 - 150 - height_of(level.world, body), abs=2
    )
    hero = level.world.body(level.player)
    assert (hero.shape, hero.step_height) == (im.Box(32, 60), 4.0)


def height_of(world: im.World, body: int) -> float:
    bounds = world.body(body).shape.bounds()
    return bounds.top - bounds.bottom


def test_a_map_from_above_has_a_closed_border() -> None:
    level = level_from_map(f"{MAPS}map.json", TopDown(), spawn=(100, 500))
    assert level.border == Area("border", 0.0, 0.0, 6400.0, 896.0)
    assert level.world.body(level.player).max_slope is None


def test_layers_by_role() -> None:
    level = level_from_map(f"{MAPS}map.json", spawn=(100, 500), roles={"goals": "Coins", "coins": ()})
    assert [goal.name for goal in level.goals] == ["Coins 1", "Coins 2", "Coins 3", "Coins 4"]
    assert level.coins == ()
    with pytest.raises(ValueError, match=r"roles must be of .*, got \['door'\]"):
        level_from_map(f"{MAPS}map.json", spawn=(100, 500), roles={"door": "Coins"})
    with pytest.raises(ValueError, match="roles must name a layer of walls"):
        level_from_map(f"{MAPS}map.json", spawn=(100, 500), roles={"walls": ()})


def ferry_game() -> tuple[PhysicsEnginePlatformer, arcade.Sprite]:
    """Return a game: two banks, 200 apart, a ferry between them, lava below."""
    hero, walls, platforms = SpriteSolidColor(20, 40, 60, 120), arcade.SpriteList(), arcade.SpriteList()
    for x in (100, 500):
        walls.append(SpriteSolidColor(200, 100, x, 50))
    for x in (-10, 610):
        walls.append(SpriteSolidColor(20, 600, x, 300))
    ferry = SpriteSolidColor(60, 20, 230, 60)
    ferry.change_x, ferry.boundary_left, ferry.boundary_right = 2, 200, 400
    platforms.append(ferry)
    return PhysicsEnginePlatformer(hero, platforms, gravity_constant=0.6, walls=walls), hero


def test_a_ferry_takes_the_player_across() -> None:
    """Jumps go 110 far, the gap is 200: without the ferry the flag is out of reach."""
    moves = Platformer(speed=3.0, jump=8.0, gravity=0.6)
    parts: dict[str, Any] = {"goals": [Area("flag", 560, 100, 580, 140)], "border": Area("border", 0, 0, 600, math.inf)}
    engine, hero = ferry_game()
    level = level_from_engine(engine, hero, moves, **parts)
    found = explore(level, moves, frames=cases(200_000, least=80_000))
    assert {finding.kind for finding in found.findings} == {"fall", "crush"}  # the ferry comes flush to the banks
    assert found.unconfirmed == 0

    engine, hero = ferry_game()
    engine.platforms.clear()
    level = level_from_engine(engine, hero, moves, **parts)
    found = explore(level, moves, frames=cases(200_000, least=80_000))
    assert {finding.kind for finding in found.findings} == {"fall", "unreached"}


def test_the_game_moves_what_it_moves() -> None:
    """A piston that the game moves, not the engine: 10 frames to the right, 10 back, as fast as its own code says."""
    hero, piston = SpriteSolidColor(20, 40, 0, 30), SpriteSolidColor(40, 20, 100, 0)
    engine = PushEngine(weak=hero, mighty=piston)
    frame = 0

    def advance() -> None:
        nonlocal frame
        piston.center_x = 100 + 4 * min(frame % 20, 20 - frame % 20)
        frame += 1
        engine.update()

    level = level_from_engine(engine, hero, advance=advance)
    ((_, track),) = level.tracks.items()
    assert track.period == 20
    assert (track.poses[:, 0].min(), track.poses[:, 0].max()) == (100.0, 140.0)
    assert (hero.position, hero.velocity) == ((0, 30), (0, 0))
