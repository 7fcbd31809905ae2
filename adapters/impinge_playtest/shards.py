"""Shards of a round: rollouts that depend on their seed and their starts only, played here or in other processes."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from impinge_playtest.grid import Cells
from impinge_playtest.level import Level
from impinge_playtest.moves import Moves
from impinge_playtest.rollouts import NEVER, Found, Rollouts, Starts, random_inputs, usable_inputs
from impinge_playtest.tracks import Ints

__all__ = ["COPIES", "Here", "Players", "Processes", "Shard"]

# Players of a shard.
COPIES = 512


class Shard(NamedTuple):
    """What a shard plays: the seed of its inputs, its starts, and the frames of each rollout."""

    seed: tuple[int, ...]
    starts: Starts
    frames: int


Played = tuple[Found, NDArray[np.int8]]


class Players(Protocol):
    """Plays the shards of a round. The results do not depend on where."""

    def play(self, shards: Sequence[Shard], news: tuple[Ints, Ints]) -> Iterable[Played]:
        """Play shards, and return their results in the same order.

        Parameters
        ----------
        shards
            The shards.
        news
            Cells that were reached sooner in the last round, and after how many frames.
        """

    def close(self) -> None:
        """End what was started for it."""


class Here:
    """Plays shards in this process."""

    def __init__(self, level: Level, moves: Moves, size: float | None, *, threads: int = 1) -> None:
        cells = Cells(level, moves, size)
        self.rollouts = Rollouts(level, moves, cells, COPIES, threads)
        self._usable = usable_inputs(level, moves)
        self._best = np.full(cells.total, NEVER, np.int32)

    def play(self, shards: Sequence[Shard], news: tuple[Ints, Ints]) -> list[Played]:
        """Play shards: see `Players`."""
        self._best[news[0]] = news[1]
        return [self.play_shard(shard, self._best) for shard in shards]

    def play_shard(self, shard: Shard, best: NDArray[np.int32]) -> Played:
        """Play a shard. `best` has the fewest frames known for each cell before the round."""
        random = np.random.default_rng(shard.seed)
        inputs = random_inputs(random, self._usable, len(shard.starts.frames), shard.frames)
        # The other shards of the round do not know the finds of this one.
        found = self.rollouts.play(shard.starts, inputs, best.copy())
        return found, inputs.astype(np.int8)

    def close(self) -> None:
        """Do nothing."""


class Processes:
    """Plays shards in processes that start anew: shard i in process i modulo their number."""

    def __init__(self, level: Level, moves: Moves, size: float | None, workers: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._pools = [
            ProcessPoolExecutor(1, context, initializer=_begin, initargs=(level, moves, size)) for _ in range(workers)
        ]

    def play(self, shards: Sequence[Shard], news: tuple[Ints, Ints]) -> list[Played]:
        """Play shards: see `Players`."""
        total = len(self._pools)
        jobs = [pool.submit(_play, shards[number::total], news) for number, pool in enumerate(self._pools)]
        played = [job.result() for job in jobs]
        return [played[number % total][number // total] for number in range(len(shards))]

    def close(self) -> None:
        """End the processes."""
        for pool in self._pools:
            pool.shutdown(cancel_futures=True)


# In a process of `Processes`: what plays there.
_here: list[Here] = []


def _begin(level: Level, moves: Moves, size: float | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal is for the process that started this one
    _here.append(Here(level, moves, size))


def _play(shards: Sequence[Shard], news: tuple[Ints, Ints]) -> list[Played]:
    return _here[0].play(shards, news)
