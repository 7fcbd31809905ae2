"""A signal handler raises at any line of a call of a fleet: the fleet is as before or as after, and free for the next.

The cases of a test run in a fork: if one ends the process or hangs, the test names its line.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import impinge as im
from forks import fork, forked
from impinge import Box, Circle, Fleet, Pose, SnapshotError, World
from impinge.kernels import columns as col
from impinge.threads import Crew
from impinge.world import fleet as fleet_module
from interruptions import Interrupt, InterruptError
from scale import cases

PACKAGE = Path(im.__file__).parent
SOURCES = [str(PACKAGE / name) for name in ("world", "threads.py", "interrupts.py")]
PARTS = 10  # of a test that runs a case for each line
COPIES = 4


def made(threads: int = 2) -> tuple[Fleet, list[int], np.ndarray[Any, Any]]:
    """Return a fleet in the middle of a game, the rows of its weak bodies, and an early snapshot."""
    world = World(entry_points=False)
    world.add(Box(60, 2), Pose(0, -1), might=2)
    bodies = [world.add(Box(2, 2), Pose(4 * i - 12, 1), might=i % 2) for i in range(4)]
    bodies += [world.add(Circle(1), Pose(4 * i - 12, 9, 0.5), max_slope=0.5) for i in range(3)]
    rows = [body.index for body in bodies]
    fleet = Fleet(world, COPIES, threads=threads)
    random = np.random.default_rng(1)
    fleet.set_velocities(rows, random.normal(0, 1, (COPIES, len(rows), 3)) * (1, 1, 0.1))
    fleet.step(2)
    saved = fleet.snapshot()
    fleet.step()
    fleet.set_goals(rows[:2], fleet.poses(rows[:2]) - 0.5)
    return fleet, rows, saved


def goals(rows: list[int]) -> np.ndarray[Any, Any]:
    return np.random.default_rng(2).normal(0, 3, (COPIES, len(rows), 2))


OTHER = made()[0][1]
CHANGES: dict[str, Callable[[Fleet, list[int], Any], object]] = {
    "step": lambda fleet, rows, saved: fleet.step(2),
    "set_goals": lambda fleet, rows, saved: fleet.set_goals(rows, goals(rows)),
    "set_velocities": lambda fleet, rows, saved: fleet.set_velocities(rows, goals(rows)),
    "set_poses": lambda fleet, rows, saved: fleet.set_poses(rows, goals(rows)),
    "the first goal of a wall": lambda fleet, rows, saved: fleet.set_goals([0], [(0, -2)]),
    "set_layers": lambda fleet, rows, saved: fleet.set_layers(rows, 4),
    "put": lambda fleet, rows, saved: fleet.put(0, OTHER),
    "copy": lambda fleet, rows, saved: fleet.copy([1, 0, 2], [0, 1, 3]),
    "restore": lambda fleet, rows, saved: fleet.restore(None, saved),
    "reset": lambda fleet, rows, saved: fleet.reset([1, 2]),
    "cast_rays": lambda fleet, rows, saved: rays(fleet),
}


def rays(fleet: Fleet) -> list[bytes]:
    ends = np.random.default_rng(3).uniform(-15, 15, (2, COPIES, 5, 2))
    return [each.tobytes() for each in fleet.cast_rays(*ends)]


def looks(fleet: Fleet, rows: list[int]) -> tuple[Any, ...]:
    """Return the state of each copy by public names: as worlds, with what their next frame does."""
    worlds = []
    for world in fleet:
        bodies = [world.body(row) for row in (0, *rows)]
        worlds.append([repr((body.pose, body.goal, body.layer, body.blocked, body.movement)) for body in bodies])
    return tuple(map(tuple, worlds))


def next_steps(fleet: Fleet, rows: list[int]) -> tuple[Any, ...]:
    """Return what the fleet does next, by the thread of the caller and by another one."""
    events = fleet.step(2).events.tobytes()
    thread = threading.Thread(target=fleet.step)
    thread.start()
    thread.join()
    fleet.set_velocities(rows, (0.5, -1.0))
    fleet.step(3)
    return events, looks(fleet, rows), fleet.poses([0, *rows]).tobytes(), rays(fleet)


class Expected:
    """The states that a change may leave a fleet in, and what its next steps then are."""

    def __init__(self, name: str) -> None:
        self.change = CHANGES[name]
        fleet, rows, _ = made()
        self.before = looks(fleet, rows), next_steps(fleet, rows)
        fleet, rows, saved = made()
        self.change(fleet, rows, saved)
        self.after = looks(fleet, rows), next_steps(fleet, rows)

    def outcome(self, fleet: Fleet, rows: list[int]) -> str:
        found = looks(fleet, rows), next_steps(fleet, rows)
        assert found in (self.before, self.after)
        return "before" if found == self.before else "after"


@pytest.fixture(autouse=True)
def _several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet_module, "WORK_OF_A_THREAD", 1e-9)
    monkeypatch.setattr(fleet_module, "RAYS_OF_A_THREAD", 1)


@pytest.mark.parametrize("part", range(cases(PARTS)))
@pytest.mark.parametrize("name", CHANGES)
def test_an_interrupted_call_is_made_or_not(name: str, part: int) -> None:
    """It left goals without their velocities, the fleet in use for ever, or a lane locked."""
    expected = Expected(name)

    def interrupted(number: int) -> tuple[str, bool]:
        signal.alarm(60)
        is_interrupted = False
        fleet, rows, saved = made()
        try:
            with Interrupt(SOURCES, part + PARTS * number + 1):
                expected.change(fleet, rows, saved)
        except InterruptError:
            is_interrupted = True
        return expected.outcome(fleet, rows), is_interrupted

    fleet, rows, saved = made()
    with Interrupt(SOURCES) as counted:
        expected.change(fleet, rows, saved)
    outcomes, were_interrupted = zip(*forked(interrupted, counted.points[part::PARTS]), strict=True)
    # How many lines the caller runs depends on what other threads have done by then.
    assert sum(were_interrupted) >= 0.8 * len(were_interrupted)
    assert part > 0 or outcomes[0] == "before"
    if expected.before != expected.after:
        # Once it is made, it stays made.
        assert list(outcomes) == sorted(outcomes, reverse=True)


def in_a_fork(call: Callable[[], object]) -> int:
    """Return the status of a process that is forked for a call."""
    child = fork()
    if child == 0:
        signal.alarm(60)
        code = 1
        try:
            call()
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1]


def interrupt_by_a_timer(name: str, seconds: float) -> None:
    """Change a fleet until a timer runs out; restored, it must then do what one does that nothing interrupted."""

    def raise_it(*_: object) -> None:
        raise InterruptError

    fleet, rows, saved = made()
    signal.signal(signal.SIGPROF, raise_it)
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        while True:  # 1,000 times took less than the longest time of a fast processor
            CHANGES[name](fleet, rows, saved)
            fleet.restore(None, saved)
            fleet.set_velocities(rows, (0.1, 0.0))
    except InterruptError:
        pass
    signal.setitimer(signal.ITIMER_PROF, 0)
    twin, _, _ = made()
    fleet.restore(None, saved)
    twin.restore(None, saved)
    assert next_steps(fleet, rows) == next_steps(twin, rows)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no timers of processes")
@pytest.mark.parametrize("name", ["step", "set_goals", "set_poses", "cast_rays", "copy"])
def test_a_real_signal_leaves_a_fleet_that_works(name: str) -> None:
    random = np.random.default_rng(4)
    times = random.uniform(0.001, 0.05, 20).tolist()
    codes = [in_a_fork(partial(interrupt_by_a_timer, name, seconds)) for seconds in times]
    assert codes == [0] * len(codes)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_process_that_is_forked_while_threads_make_shapes_and_step_fleets_does_not_hang() -> None:
    """22 of 30 hung: before Python 3.12, each `functools.cached_property` has a lock, which the fork found locked."""
    stop = threading.Event()
    kept, _, _ = made()

    def plays() -> None:
        size = 0.0
        while not stop.is_set():
            size += 0.001
            fleet, _, _ = made()
            fleet.step()
            Box(1 + size, 1).contains((0, 0))

    def child() -> None:
        fleet, rows, _ = made()
        next_steps(fleet, rows)
        next_steps(kept, rows)  # nothing used it during the fork

    threads = [threading.Thread(target=plays) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        codes = []
        for _ in range(15):
            time.sleep(0.02)
            codes.append(in_a_fork(child))
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert codes == [0] * 15


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_process_that_is_forked_during_a_step_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its copy of the fleet is half changed, and its threads are in the other process."""
    fleet, rows, _ = made()
    codes, run = [], Crew.run

    def child() -> None:
        with pytest.raises(RuntimeError, match="must not be used by two threads at a time"):
            fleet.step()
        other, rows, _ = made()
        next_steps(other, rows)

    def forks(crew: Crew, tasks: Any) -> Any:
        monkeypatch.setattr(Crew, "run", run)
        codes.append(in_a_fork(child))
        return run(crew, tasks)

    monkeypatch.setattr(Crew, "run", forks)
    fleet.step()
    assert codes == [0]
    next_steps(fleet, rows)


def test_a_velocity_of_which_a_part_is_no_number_is_refused() -> None:
    """Later frames counted fewer rows than they wrote, and wrote outside an array."""
    fleet, _, _ = made()
    good = fleet.snapshot([0])
    before = looks(fleet, [1, 2, 3])
    for place in range(7):
        for part in range(col.COPY_VELOCITY, col.COPY_FLOAT_COLUMNS):
            rows = good.copy()
            floats = rows[0, : 7 * col.COPY_FLOAT_COLUMNS].view(np.float64).reshape(7, -1)
            floats[place, col.COPY_VELOCITY :] = 1.0
            floats[place, part] = np.nan
            if part == col.COPY_VELOCITY:
                fleet.restore([0], rows)  # a body with a goal instead of a velocity
                fleet.restore([0], good)
                continue
            with pytest.raises(SnapshotError, match="a velocity that no body has"):
                fleet.restore([0], rows)
    assert looks(fleet, [1, 2, 3]) == before
