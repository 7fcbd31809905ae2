"""The command line: `python -m impinge doctor`.

Not here: the checks, which are in `runtime.doctor`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from typing import NoReturn

from impinge._version import __version__
from impinge.runtime import doctor

PROGRAM = "python -m impinge"
MANUAL = """\
doctor:
  Looks at Python, the kernels, Arcade and Pymunk. Each problem comes with its remedy.

environment:
  IMPINGE_KERNELS  what runs the kernels: native, jit or python; the last takes hundreds of times as long
  ARCADE_HEADLESS  tells Arcade to draw without a screen

exit status:
  0 if all is well, 1 if something is wrong with the machine, 2 for a wrong command line.

examples:
  python -m impinge doctor
"""


class _Parser(argparse.ArgumentParser):
    """A parser whose error messages are one line, without the usage text."""

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
    commands.add_parser("doctor", help="say what is installed, what is wrong, and what to do about it")
    return parser


def examine(sections: Iterable[tuple[str, list[doctor.Finding]]]) -> int:
    """Print the doctor's findings, section by section, and return the exit code: 1 if there is a problem, else 0."""
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
    """Run one command.

    Parameters
    ----------
    arguments
        The command line without the name of the program; by default, that of this process.

    Returns
    -------
    int
        The exit code: 0 without problems, 1 if the machine has a problem. A wrong command line exits with 2.
    """
    parser = _parser()
    chosen = parser.parse_args(arguments)
    if chosen.command == "doctor":
        return examine(doctor.examine(doctor.Machine()))
    parser.print_help()
    return 0


if __name__ == "__main__":
    sys.exit(main())
