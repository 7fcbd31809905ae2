"""Impinge for Gymnasium: thousands of copies of a level as one vector environment. Importing registers it."""

from __future__ import annotations

import gymnasium

from impinge_gym.envs import (
    LevelEnv,
    LevelVectorEnv,
    PlatformerEnv,
    PlatformerVectorEnv,
    TopDownEnv,
    TopDownVectorEnv,
)
from impinge_gym.examples import CAVE, MEADOW
from impinge_gym.game import Situation
from impinge_gym.level import Level, level_of_rows
from impinge_gym.maps import level_of_map
from impinge_gym.observations import Positions, Rays, Tiles
from impinge_gym.players import PLATFORMER, TOP_DOWN
from impinge_gym.rewards import episode_ends, progress_reward
from impinge_playtest import Platformer, TopDown, Track, there_and_back

__all__ = [
    "CAVE",
    "MEADOW",
    "PLATFORMER",
    "TOP_DOWN",
    "Level",
    "LevelEnv",
    "LevelVectorEnv",
    "Platformer",
    "PlatformerEnv",
    "PlatformerVectorEnv",
    "Positions",
    "Rays",
    "Situation",
    "Tiles",
    "TopDown",
    "TopDownEnv",
    "TopDownVectorEnv",
    "Track",
    "episode_ends",
    "level_of_map",
    "level_of_rows",
    "progress_reward",
    "there_and_back",
]

for _name in ("Platformer", "TopDown"):
    gymnasium.register(
        f"impinge/{_name}-v0",
        f"impinge_gym.envs:{_name}Env",
        vector_entry_point=f"impinge_gym.envs:{_name}VectorEnv",
        max_episode_steps=1_000,
    )
