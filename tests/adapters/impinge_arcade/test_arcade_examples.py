"""Unmodified example games of Arcade run under `bootstrap`, with scripted key presses.

Each game runs headless in its own process. Shapely, which is independent of both engines, checks that no player is ever
in a wall. With Arcade's engines and the same keys, the game is the same. `tests/oracles/arcade_examples.py` plays all
examples, for longer.
"""

from __future__ import annotations

import pytest

from arcade_examples import compared, examples, played
from scale import some

# Frames until a difference of docs/drop-in.md begins in one of the games, 160 at most.
GAMES = {
    "sprite_move_walls.py": 160,
    "sprite_moving_platforms.py": 160,
    "sprite_collect_coins.py": 160,
    "sprite_enemies_in_platformer.py": 34,
    "template_platformer.py": 160,
    "sprite_tiled_map.py": 160,
    "platform_tutorial/12_tiled.py": 160,
    "platform_tutorial/15_ladders_moving_platforms.py": 150,
    "platform_tutorial/19_shooting.py": 150,
}
PLATFORMERS = ["sprite_tiled_map_with_levels.py", "platform_tutorial/13_more_layers.py"]
WITH_ENGINES = [name for name in GAMES if "coins" not in name] + PLATFORMERS


def test_there_are_examples() -> None:
    assert {*GAMES, *WITH_ENGINES} <= set(examples())
    assert len(examples()) > 60


@pytest.mark.parametrize("game", some(WITH_ENGINES, least=2))
def test_a_game_runs_and_no_player_is_in_a_wall(game: str) -> None:
    result = played(game, "impinge", 160)
    assert result["engines"] == ["impinge_arcade.physics_engines"]
    assert result["depth"] < 1e-6
    assert result["colours"] > 10  # the picture is not blank


@pytest.mark.parametrize("game", some(GAMES, least=2))
def test_a_game_goes_as_it_does_with_arcade_s_engines(game: str) -> None:
    assert compared(game, GAMES[game]).verdict in ("equal", "near")


@pytest.mark.parametrize("game", some(PLATFORMERS))
def test_a_player_that_starts_in_the_ground_is_no_worse_off_than_in_arcade(game: str) -> None:
    """It was stuck there, or fell below the world."""
    assert compared(game, 160).verdict != "worse"
