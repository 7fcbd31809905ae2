"""The command line: `python -m impinge_demos` opens the menu, `python -m impinge_demos NAME` starts a game."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

from impinge_demos import GAMES, stage

PROGRAM: Final = "python -m impinge_demos"
MANUAL: Final = """\
without NAME:
  A window with a menu of the games. It needs a screen.

without a screen:
  A game plays itself for ten seconds of its time, or for --frames N, as fast as it can; saves its last frame
  as NAME.png, or by --screenshot; and says so. ARCADE_HEADLESS=1 in the environment does the same on any machine.

keys in every game:
  F1 shows what Impinge sees, R restarts, Esc leaves. A gamepad's Y, Start and Back do the same.
  P pauses, M turns sounds on and off, F11 is full screen.

examples:
  python -m impinge_demos crusher
  python -m impinge_demos crusher --autoplay --frames 600 --seed 7 --screenshot last.png
  python -m impinge_demos crusher --autoplay --frames 240 --record play.gif

exit status:
  0 if all went well, 1 if a game could not run, 2 for a wrong command line.
"""


class _Parser(argparse.ArgumentParser):
    """An argument parser that reports an error in one line, without the usage text before it."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{PROGRAM}: {message}; see {PROGRAM} --help\n")


def _frames(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 on, got {text!r}")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=PROGRAM,
        description="Short games made with Arcade and Impinge.",
        epilog=MANUAL,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("game", nargs="?", choices=GAMES, metavar="NAME", help="the game to start: " + ", ".join(GAMES))
    parser.add_argument("--list", action="store_true", help="list the games and leave")
    parser.add_argument("--autoplay", action="store_true", help="let the game play itself")
    parser.add_argument("--frames", type=_frames, metavar="N", help="stop after N frames of 1/60 s")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="what varies between games (default 0)")
    parser.add_argument("--screenshot", type=Path, metavar="FILE", help="save the last frame as a .png or .jpg")
    parser.add_argument("--record", type=Path, metavar="FILE", help="save the game as a .gif of half the size")
    parser.add_argument("--debug", action="store_true", help="begin with what Impinge sees, as F1 shows it")
    parser.add_argument("--mute", action="store_true", help="begin without sounds; M turns them on")
    return parser


# Options that apply to one game, and so need its name.
NEED_A_NAME: Final = ("autoplay", "frames", "screenshot", "record", "debug")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line. Return 0, 1 when a game could not run, or 2 for a wrong command."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    if chosen.list:
        for name, line in GAMES.items():
            print(f"{name:13} {line}")
        return 0
    if chosen.game is None:
        for option in NEED_A_NAME:
            if getattr(chosen, option):
                parser.error(f"--{option} needs the NAME of a game")
    try:
        if chosen.game is None:
            stage.open_menu(chosen.seed, sound=not chosen.mute)
        else:
            options = {name: getattr(chosen, name) for name in stage.Options.__dataclass_fields__}
            stage.run(chosen.game, stage.Options(**options))
    except stage.StageError as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
