"""The default reward, and the default end of an episode: functions of a `Situation` of all copies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from impinge_gym.game import Situation

__all__ = ["Ends", "Rewards", "episode_ends", "progress_reward"]

Rewards: TypeAlias = Callable[[Situation], NDArray[np.float64]]
Ends: TypeAlias = Callable[[Situation], NDArray[np.bool_]]

PROGRESS: Final = 10.0  # for the whole way to the exit
COIN: Final = 1.0
EXIT: Final = 10.0
LOSS: Final = 1.0


def progress_reward(situation: Situation) -> NDArray[np.float64]:
    """Return 10 for the whole way to the exit, 1 for a coin, 10 for the exit, and -1 for the loss of a life.

    Progress is the part of the straight distance to the nearest exit by which a step came nearer.
    """
    progress = (situation.previous_distances - situation.distances) / situation.length
    is_lost = (situation.fell | situation.crushed | situation.hurt) & ~situation.at_exit
    found: NDArray[np.float64] = PROGRESS * progress + COIN * situation.coins
    found += EXIT * situation.at_exit - LOSS * is_lost
    return found


def episode_ends(situation: Situation) -> NDArray[np.bool_]:
    """Return True at the exit, outside of the level, when crushed, and when hurt."""
    found: NDArray[np.bool_] = situation.at_exit | situation.fell | situation.crushed | situation.hurt
    return found
