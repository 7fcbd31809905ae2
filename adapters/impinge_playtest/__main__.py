"""The command: `python -m impinge_playtest LEVEL --report FOLDER`, and `python -m impinge_playtest replay FILE`."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from impinge_playtest.explorer import Exploration, Progress, Run, explore
from impinge_playtest.findings import KINDS
from impinge_playtest.level import Level
from impinge_playtest.moves import Moves, Platformer, TopDown
from impinge_playtest.replay import load_replay, play

ROLES = ("walls", "platforms", "one_way", "ladders", "deadly")
# Options of `Platformer`: numbers.
ABILITIES = ("jump", "gravity", "max_fall", "cut", "climb", "drop")
COUNTS = ("coyote", "buffer", "jumps")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 1 if there are findings, 2 for a mistake of the caller, 130 for Ctrl+C, 0 otherwise."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _replay(given[1:]) if given[:1] == ["replay"] else _explore(given)
    except (ModuleNotFoundError, OSError, ValueError) as error:
        print(f"impinge_playtest: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as interrupt:
        print(f"\nimpinge_playtest: stopped{''.join(f'; {each}' for each in interrupt.args)}", file=sys.stderr)
        return 130


def _explore(arguments: Sequence[str]) -> int:
    told = _parser().parse_args(arguments)
    os.environ.setdefault("ARCADE_HEADLESS", "True")
    moves = _moves(told)
    level = _level(told, moves)
    run = _run(told)
    with _deferred_signals(run["checkpoint"] is not None) as caught:
        shows = ProgressLine(told.frames)

        def after_round(progress: Progress) -> None:
            if not told.quiet:
                shows.draw(progress)
            if caught:
                raise KeyboardInterrupt(f"--resume goes on from {run['checkpoint']}")

        found = explore(
            level, moves, frames=told.frames, seconds=told.seconds, seed=told.seed, progress=after_round, **run
        )
    if not told.quiet:
        print(file=sys.stderr)
    if told.report is not None:
        from impinge_playtest.report import write_report  # only reports need Pillow

        write_report(found, told.report)
    return _tell(found, set(told.allow))


def _tell(found: Exploration, allowed: set[str]) -> int:
    """Print a line for each finding, and a last one; return the exit code."""
    for finding in found.findings:
        print(finding if finding.kind not in allowed else f"allowed: {finding}")
    wrong = [finding for finding in found.findings if finding.kind not in allowed]
    total = len(found.level.goals) + len(found.level.coins)
    print(f"{len(found.routes)} of {total} goals and coins reached, {len(wrong)} findings in {found.frames:,} frames")
    return 1 if wrong else 0


class ProgressLine:
    """The line that shows how far an exploration has come."""

    def __init__(self, frames: int) -> None:
        self._frames = frames
        self._began: tuple[float, int] | None = None

    def draw(self, progress: Progress) -> None:
        """Draw it. The speed is that since the first round: frames before a resume do not count."""
        now = time.perf_counter()
        speed = ""
        if self._began is None:
            self._began = now, progress.frames
        else:
            speed = f", {(progress.frames - self._began[1]) / (now - self._began[0]):,.0f} frames/s"
        share = min(1.0, progress.frames / self._frames)
        bar = ("#" * round(20 * share)).ljust(20, ".")
        line = (
            f"[{bar}] {100 * share:3.0f}% {progress.cells:,} cells, {progress.reached} of {progress.areas} goals, "
            f"{progress.falls} falls, {progress.crushes} crushes{speed}"
        )
        print(f"\r{line:<110}", end="", file=sys.stderr, flush=True)


@contextmanager
def _deferred_signals(is_wanted: bool) -> Iterator[list[int]]:
    """Note Ctrl+C and SIGTERM, so that the round ends and its state is kept. A second one stops at once."""
    caught: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        if caught:
            raise KeyboardInterrupt
        caught.append(number)
        print("\nimpinge_playtest: stops after this round; again to stop at once", file=sys.stderr)

    is_wanted &= threading.current_thread() is threading.main_thread()
    former = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM) if is_wanted}
    try:
        yield caught
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


def _run(told: argparse.Namespace) -> Run:
    """Return where to play. Without --checkpoint, a report has its checkpoint in its folder."""
    checkpoint = told.checkpoint
    if checkpoint is None and told.report is not None:
        checkpoint = told.report / "checkpoint.npz"
    if told.resume and checkpoint is None:
        raise ValueError("--resume needs --report or --checkpoint")
    return {"workers": told.workers, "ray": told.ray, "checkpoint": checkpoint, "resume": told.resume}


def _moves(told: argparse.Namespace) -> Moves:
    abilities = {name: getattr(told, name) for name in (*ABILITIES, *COUNTS) if getattr(told, name) is not None}
    if told.moves == "topdown":
        if abilities:
            raise ValueError(f"--{next(iter(abilities))} is only for --moves platformer")
        return TopDown(speed=told.speed)
    return Platformer(speed=told.speed, **abilities)


def _level(told: argparse.Namespace, moves: Moves) -> Level:
    from impinge_playtest.maps import level_from_map  # only maps need Arcade

    roles = {role: getattr(told, role) for role in ROLES if getattr(told, role)}
    roles |= {role: layers for role, layers in (("goals", told.goal), ("coins", told.coin)) if layers}
    return level_from_map(told.level, moves, player=told.player, spawn=told.spawn, scaling=told.scaling, roles=roles)


def _replay(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="impinge_playtest replay", description="Play a replay of a report.")
    parser.add_argument("file", type=Path, help="the replay")
    parser.add_argument("--record", type=Path, metavar="GIF", help="draw it as a GIF")
    told = parser.parse_args(arguments)
    level, moves, inputs, title = load_replay(told.file)
    found = play(level, moves, inputs)
    x, y = found.places[-1].tolist()
    touched = "".join(f", {name} at frame {frame}" for name, frame in found.touched.items())
    print(f"{title}: {found.ending or 'ends'} at ({x:.1f}, {y:.1f}) after {len(found.places) - 1} frames{touched}")
    if told.record is not None:
        from impinge_playtest.picture import record

        record(level, moves, inputs, told.record)
    return 0


def _pair(text: str) -> tuple[float, float]:
    first, comma, second = text.partition(",")
    if not comma:
        raise argparse.ArgumentTypeError(f"must be two numbers with a comma, got {text!r}")
    return float(first), float(second)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="impinge_playtest",
        description="Explore a Tiled map. The exit code is 1 if there are findings, which are printed one a line.",
    )
    add = parser.add_argument
    add("level", help="the map, for example level.tmx or :resources:tiled_maps/map.json")
    add("--report", type=Path, metavar="FOLDER", help="write a page, a picture and replays to this folder")
    add("--moves", choices=("platformer", "topdown"), default="platformer")
    add("--player", type=_pair, default=(32.0, 60.0), metavar="W,H", help="size of the player (default: 32,60)")
    add("--spawn", type=_pair, metavar="X,Y", help='its start (default: the object named "spawn")')
    add("--scaling", type=float, default=1.0, help="scaling of the map, as in the game")
    add("--goal", action="append", metavar="LAYER", help="a layer of goals that end the level")
    add("--coin", action="append", metavar="LAYER", help="a layer of things to reach on the way")
    for role in ROLES:
        add(f"--{role.replace('_', '-')}", action="append", metavar="LAYER", dest=role, help=f"a layer of {role}")
    add("--speed", type=float, default=5.0, help="speed of running, in pixels a frame (default: 5)")
    for name in ABILITIES:
        add(f"--{name.replace('_', '-')}", type=float, dest=name, help="see Platformer")
    for name in COUNTS:
        add(f"--{name}", type=int, help="see Platformer")
    add("--frames", type=int, default=3_000_000, help="frames to play (default: 3,000,000)")
    add("--seconds", type=float, help="end after this time")
    add("--seed", type=int, default=0)
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--workers", type=int, default=1, help="processes; the report does not depend on it")
    where.add_argument(
        "--ray", metavar="ADDRESS", help="play on a Ray cluster: HOST:PORT, auto, or local to start it here"
    )
    add("--checkpoint", type=Path, metavar="FILE", help="write the state here each minute (default: in the report)")
    add("--resume", action="store_true", help="go on from the checkpoint")
    add("--allow", action="append", choices=tuple(KINDS), default=[], help="findings that are no error; repeatable")
    add("--quiet", action="store_true", help="no progress line")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
