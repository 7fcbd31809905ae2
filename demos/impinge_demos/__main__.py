"""The command line: `python -m impinge_demos` lists the games, `python -m impinge_demos NAME` starts one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from impinge_demos import GAMES, stage


def _frames(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 on, got {text!r}")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m impinge_demos", description="Games made with Arcade and Impinge.")
    parser.add_argument("game", nargs="?", choices=GAMES, help="the game to start; without it they are listed")
    parser.add_argument("--autoplay", action="store_true", help="let the game play itself")
    parser.add_argument("--frames", type=_frames, metavar="N", help="stop after N frames of 1/60 s")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="what varies between games (default 0)")
    parser.add_argument("--screenshot", type=Path, metavar="FILE", help="save the last frame as a PNG")
    parser.add_argument("--sound", action="store_true", help="play sounds")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code is 0, 1 when a game could not run, 2 for a wrong command."""
    chosen = _parser().parse_args(arguments)
    if chosen.game is None:
        for name, line in GAMES.items():
            print(f"{name:10} {line}")
        print("\nStart one: python -m impinge_demos NAME      Options: python -m impinge_demos --help")
        return 0
    options = stage.Options(
        autoplay=chosen.autoplay,
        frames=chosen.frames,
        seed=chosen.seed,
        screenshot=chosen.screenshot,
        sound=chosen.sound,
    )
    try:
        stage.run(chosen.game, options)
    except stage.StageError as error:
        print(f"impinge_demos: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
