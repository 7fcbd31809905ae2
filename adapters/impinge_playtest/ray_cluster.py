"""Plays shards as tasks of Ray, on this machine or on a cluster. No other module imports Ray."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import impinge as im
from impinge_playtest.grid import Cells
from impinge_playtest.level import Level
from impinge_playtest.moves import Moves
from impinge_playtest.rollouts import NEVER
from impinge_playtest.shards import Here, Played, Shard
from impinge_playtest.tracks import Ints

# Ray reads it when it is imported.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
try:
    import ray
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("Ray is not installed: pip install impinge[ray]", name="ray") from error

__all__ = ["RayTasks"]

# How often Ray plays a shard again whose worker or node has died, and how often a round is put again whose objects were
# lost. A shard that ends its worker each time has to end the exploration.
RETRIES = 8
DEATHS = ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError, ray.exceptions.OutOfMemoryError
# Seconds for a cluster to answer. Without this check, Ray tries for minutes.
PATIENCE = 5.0


class RayTasks:
    """Plays shards as tasks of Ray: see `Players`.

    A shard depends only on its arguments, so it does not matter where it is played, nor how often.

    Parameters
    ----------
    level, moves, size
        What is played.
    address
        "local" starts Ray on this machine. "auto", or HOST:PORT, is a cluster of which this machine is a node. A
        process that is already connected to Ray stays so.

    Raises
    ------
    ConnectionError
        If no cluster answers at this address. `play` raises it if a shard has ended its worker each time.
    """

    def __init__(self, level: Level, moves: Moves, size: float | None, address: str) -> None:
        self._is_own = not ray.is_initialized()
        if self._is_own:
            _connect(address)
        self._game = im.__version__, level, moves, size
        self._best = np.full(Cells(level, moves, size).total, NEVER, np.int32)
        self._put_game()

    def _put_game(self) -> None:
        # In a list, Ray does not load it for each task: see `play_shard`.
        self._kept_game = [ray.put(self._game)]

    def play(self, shards: Sequence[Shard], news: tuple[Ints, Ints]) -> Iterator[Played]:
        """Play shards: see `Players`. The first ones are returned while others are played."""
        self._best[news[0]] = news[1]
        done = losses = 0
        jobs = self._submit(shards)
        while jobs:
            try:
                played = ray.get(jobs[0])
            except DEATHS as error:
                raise ConnectionError(f"a shard has ended its worker {RETRIES + 1} times: {error}") from error
            except ray.exceptions.ObjectLostError as error:
                losses += 1
                if losses > RETRIES:
                    raise ConnectionError(f"objects of a round were lost {losses} times: {error}") from error
                self._put_game()
                jobs = self._submit(shards[done:])
                continue
            jobs.popleft()
            done += 1
            yield played

    def _submit(self, shards: Sequence[Shard]) -> deque[Any]:
        best = ray.put(self._best)
        return deque(shard_task.remote(self._kept_game, best, shard) for shard in shards)

    def close(self) -> None:
        """End the connection, and a Ray that was started for it."""
        if self._is_own:
            ray.shutdown()


def _connect(address: str) -> None:
    """Connect to Ray."""
    told: dict[str, Any] = {"include_dashboard": False} if address == "local" else {}
    in_main = threading.current_thread() is threading.main_thread()
    former = signal.getsignal(signal.SIGTERM)
    try:
        host, colon, port = address.rpartition(":")
        if colon and port.isdigit() and "/" not in host:
            socket.create_connection((host, int(port)), PATIENCE).close()
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **told)
    except (OSError, RuntimeError, ValueError) as error:
        raise ConnectionError(f"ray must be 'local' or the address of a cluster, got {address!r}: {error}") from None
    if in_main and former is not None:
        signal.signal(signal.SIGTERM, former)  # Ray has put its own in its place


# In a worker: what plays there, by the level's object. Former levels go.
_heres: dict[Any, Here] = {}


def play_shard(game: list[Any], best: NDArray[np.int32], shard: Shard) -> Played:
    """Play a shard, in a worker."""
    (key,) = game
    if key not in _heres:
        version, level, moves, size = ray.get(key)
        if version != im.__version__:
            raise ValueError(f"all nodes must have impinge {version}, got {im.__version__}")
        _heres.clear()
        _heres[key] = Here(level, moves, size)
    return _heres[key].play_shard(shard, best)


shard_task = ray.remote(max_retries=RETRIES)(play_shard)
