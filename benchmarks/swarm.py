"""Number of movers of the demo `swarm` that fit into a frame of 1/60 s without drawing: Impinge and Arcade.

They move to and fro through the game's moving and turning walls. With Arcade's engine, walls pass through movers.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from timing import Contender, compare, machine

from impinge import runtime
from impinge_demos.demo import WIDTH
from impinge_demos.swarm import BOTTOM, FASTEST, SLOWEST, TOP, ArcadeEngine, Engine, ImpingeEngine, Places

FRAME = 1 / 60
LEG = 300  # frames after which they turn back


@dataclass(frozen=True, slots=True)
class Size:
    """Size of the benchmark: movers, frames timed of each engine, and frames for each number of movers tried."""

    movers: int
    turns: int
    tries: int


FULL = Size(movers=5000, turns=12, tries=90)
QUICK = Size(movers=40, turns=2, tries=2)


class Scene:
    """A swarm that moves to and fro, by one engine."""

    def __init__(self, kind: Callable[[Places], Engine], movers: int) -> None:
        self.chance = np.random.default_rng(7)
        self.places = self.chance.uniform((20, BOTTOM + 20), (WIDTH - 20, TOP - 20), (movers, 2))
        self.speeds = self.chance.uniform(SLOWEST, FASTEST, movers)
        self.engine, self.frames, self.pushed = kind(self.places), 0, 0
        self.set_off()

    def set_off(self) -> None:
        """Set the goals of all movers."""
        way = 1 if self.frames // LEG % 2 == 0 else -1
        steps = np.column_stack([way * self.speeds, self.chance.normal(0, 1, len(self.places))])
        self.goals = self.places + steps

    def play(self) -> None:
        """Play a frame. This is timed."""
        self.moved = self.engine.move(float(self.frames), 0, self.goals)

    def after(self) -> None:
        """Count the pushes, and set the next goals."""
        self.frames += 1
        self.places, self.pushed = self.moved.places, self.pushed + len(self.moved.pushed)
        self.set_off()

    def work(self) -> str:
        """Return how many movers were pushed in a frame."""
        return f"{self.pushed / self.frames:,.0f} pushed a frame"

    def frame_time(self, frames: int) -> float:
        """Return the median seconds of a frame, after one that is not timed."""
        taken = []
        for _ in range(frames + 1):
            begun = time.perf_counter()
            self.play()
            taken.append(time.perf_counter() - begun)
            self.after()
        return statistics.median(taken[1:])


def compare_frames(size: Size) -> None:
    """Time a frame of the game by both engines, in turns."""
    contenders = []
    for name, kind in (("Impinge", ImpingeEngine), ("Arcade, one simple engine each", ArcadeEngine)):
        scene = Scene(kind, size.movers)
        contenders.append(Contender(name, scene.play, 1, scene.after, scene.work))
    compare(f"A frame of the swarm: {size.movers:,} movers", "a frame", contenders, size.turns)


def movers_in_a_frame(kind: Callable[[Places], Engine], begin: int, tries: int) -> float:
    """Return how many movers take 1/60 s: double the number until it takes longer, then interpolate linearly."""
    few, took_few, many = 0, 0.0, begin
    while (took_many := Scene(kind, many).frame_time(tries)) < FRAME:
        few, took_few, many = many, took_many, 2 * many
    return few + (many - few) * (FRAME - took_few) / (took_many - took_few)


def compare_numbers(size: Size) -> None:
    """Print how many movers each engine moves at 60 frames a second."""
    ours = movers_in_a_frame(ImpingeEngine, size.movers // 2, size.tries)
    theirs = movers_in_a_frame(ArcadeEngine, max(size.movers // 100, 1), size.tries)
    numbers = f"Impinge {ours:,.0f}, Arcade {theirs:,.0f}, ratio {ours / theirs:,.0f}"
    print(f"\nMovers at 60 frames a second, without drawing: {numbers}", flush=True)


def main(size: Size) -> None:
    runtime.prepare()
    print(machine("arcade"))
    compare_frames(size)
    compare_numbers(size)


if __name__ == "__main__":
    main(QUICK if "--quick" in sys.argv[1:] else FULL)
