"""The command line: `python -m impinge warm-up`, `doctor` and `ship`.

Not here: compiling and the checks, which are in `warmup`, `shipping` and `doctor`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NoReturn

from impinge import doctor, shipping, warmup
from impinge._version import __version__
from impinge.kernels import compiler

PROGRAM = "python -m impinge"
MANUAL = """\
warm-up:
  Compiles each kernel, at most once for each install, in a minute or two, and keeps its machine code on disk.
  Without it the first frame of the first game waits for that.

doctor:
  Looks at Python, Numba, the kernels on disk, Arcade, Pymunk and plugins. Each problem comes with its remedy.

ship FOLDER:
  For bundled games. PyInstaller does it by itself: see docs/packaging.md.

environment:
  NUMBA_CACHE_DIR    where machine code is kept, instead of beside the sources or in the user's cache
  NUMBA_DISABLE_JIT  compiles nothing: everything works, hundreds of times as slow
  ARCADE_HEADLESS    tells Arcade to draw without a screen

exit status:
  0 if all is well, 1 if something is wrong with the machine, 2 for a wrong command line.

examples:
  python -m impinge warm-up
  python -m impinge doctor
"""


class _Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with the arguments, without the usage before it."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{PROGRAM}: {message}; see {PROGRAM} --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=PROGRAM,
        description="Swept collision, walls that push and exact sector attacks, for Arcade and Pymunk games.",
        epilog=MANUAL,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"impinge {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    commands.add_parser("warm-up", help="compile the kernels now, so that no frame has to wait for them")
    commands.add_parser("doctor", help="say what is installed, what is wrong, and what to do about it")
    shipping_parser = commands.add_parser(
        "ship", help="compile the kernels for any processor, to go with a bundled game"
    )
    shipping_parser.add_argument("folder", type=Path, metavar="FOLDER", help="where they go, new or empty")
    return parser


def warm_up() -> int:
    """Compile every kernel and say what there was to do; the exit code is 1 if there are no kernels."""
    names = compiler.entry_points()
    if not names:
        print(f"{PROGRAM}: nothing to compile, because NUMBA_DISABLE_JIT is set", file=sys.stderr)
        return 1
    tally = warmup.compile_kernels(warmup.progress_on(sys.stderr, names))
    print(f"{tally.compiled} compiled, {tally.cached} from the cache, in {tally.seconds:.1f} s.")
    print(f"The cache is {compiler.cache_directory()}")
    return 0


def ship(folder: Path) -> int:
    """Put machine code for a bundled game into a folder; the exit code is 1 if that cannot be done."""
    try:
        shipping.ship(folder)
    except shipping.ShippingError as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 1
    print(f"{len(compiler.entry_points())} kernels are in {folder}")
    return 0


def examine(sections: Iterable[tuple[str, list[doctor.Finding]]]) -> int:
    """Print what the doctor found, section by section; the exit code is 1 if anything is wrong."""
    problems = []
    for heading, findings in sections:
        print(heading)
        width = max(len(finding.label) for finding in findings)
        for finding in findings:
            print(f"  {finding.label:{width}}  {finding.value}")
        print(flush=True)
        problems += [finding for finding in findings if finding.problem]
    if not problems:
        print("Nothing is wrong.")
        return 0
    print("1 problem:" if len(problems) == 1 else f"{len(problems)} problems:")
    for number, finding in enumerate(problems, start=1):
        print(f"  {number}. {finding.problem}")
        print(f"     Remedy: {finding.remedy}")
    return 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out one command.

    Parameters
    ----------
    arguments
        The command line without the program's name, by default this process's.

    Returns
    -------
    int
        The exit code: 0 when all is well, 1 when something is wrong with the machine. Bad usage ends with 2.
    """
    parser = _parser()
    chosen = parser.parse_args(arguments)
    if chosen.command == "warm-up":
        return warm_up()
    if chosen.command == "doctor":
        return examine(doctor.examine(doctor.Machine()))
    if chosen.command == "ship":
        return ship(chosen.folder)
    parser.print_help()
    return 0


if __name__ == "__main__":
    sys.exit(main())
