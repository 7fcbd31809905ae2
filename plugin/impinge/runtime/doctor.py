"""The checks of `python -m impinge doctor`: problems of this machine, and their remedies.

Not here: terminal output, which is in `__main__`. A check only reads and reports: it installs, compiles and changes
nothing. The OpenGL check uses a process of its own, because a broken driver can crash the process. So does the check of
Arcade's private names, because it changes them.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import os
import platform
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from impinge._version import __version__
from impinge.kernels import compiler

__all__ = ["CHECKS", "Context", "Finding", "Kernels", "Machine", "Watching", "examine"]

# Seconds. A cold import of Arcade from a slow disk takes several; a driver that hangs never returns.
CONTEXT_TIMEOUT = 60.0
# Seconds. An X server that is forwarded over a local network answers within a few hundredths.
DISPLAY_TIMEOUT = 1.0

# Distribution: the first supported release, and the first unsupported one. As in pyproject.toml.
SUPPORTED = {
    "arcade": ("3.3", "4"),
    "pymunk": ("6.9", "8"),
    "numba-cuda": ("0.30", "0.31"),
}
# Distribution: the requirement that `pip install` needs.
EXTRAS = {
    "arcade": "impinge[arcade]",
    "pyglet": "impinge[arcade]",
    "pymunk": "impinge[pymunk]",
    "numba-cuda": "impinge[cuda]",
}

# Shared library: its Debian package. Without the last three, `import arcade` fails. Without a screen, Arcade draws with
# EGL. Neither Arcade 3 nor pyglet 2 uses GLU.
DRAWING_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
}
# The additional libraries that pyglet needs for a window. Without Xrender, its import raises an AttributeError.
WINDOW_LIBRARIES = {"libX11.so.6": "libx11-6", "libXext.so.6": "libxext6", "libXrender.so.1": "libxrender1"}
# Mesa's drivers, including the software driver for machines without a graphics card.
MESA_DRIVERS = "libgl1-mesa-dri"

_OPEN_WINDOW = """
import arcade
window = arcade.Window(16, 16, "impinge doctor", visible=False)
major, minor = window.ctx.gl_version
print("context", f"{major}.{minor}", window.ctx.info.RENDERER, sep="\\t")
"""

_TRY_WATCHING = """
from impinge_arcade.arcade_names import watching_works
print("watching", watching_works(), sep="\\t")
"""


@dataclass(frozen=True)
class Finding:
    """One result of a check.

    Attributes
    ----------
    label
        Name of the checked item.
    value
        Its state.
    problem
        Description of the problem, empty without one.
    remedy
        Remedy for the problem.
    """

    label: str
    value: str
    problem: str = ""
    remedy: str = ""


@dataclass(frozen=True)
class Context:
    """An OpenGL context that was created, or the error that prevented it."""

    version: str = ""
    renderer: str = ""
    error: str = ""


@dataclass(frozen=True)
class Watching:
    """Whether Arcade's sprite lists report their changes, or the error that prevented the trial."""

    works: bool = False
    error: str = ""


@dataclass(frozen=True)
class Kernels:
    """The kernel backend, and the path of the native module if that is the backend."""

    mode: str
    module: str | None = None


def installed(distribution: str) -> str | None:
    """Return the version of a distribution without importing it, or None if it is not installed."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _display_answers(display: str) -> bool:
    """Return whether a server listens at an X display such as `:0` or `localhost:10.0`."""
    parts = re.fullmatch(r"(?P<host>[^:]*):(?P<number>\d+)(\.\d+)?", display)
    if parts is None:
        return False
    host, number = parts["host"], int(parts["number"])
    if host not in ("", "unix"):
        return _connects(socket.AF_INET, (host, 6000 + number))
    path = f"/tmp/.X11-unix/X{number}"
    return _connects(socket.AF_UNIX, path) or _connects(socket.AF_UNIX, "\0" + path)


def _connects(family: socket.AddressFamily, address: tuple[str, int] | str) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as client:
        client.settimeout(DISPLAY_TIMEOUT)
        try:
            client.connect(address)
        except OSError:
            return False
    return True


def _open_window(environ: Mapping[str, str]) -> Context:
    """Open a tiny Arcade window in a separate process, with the given environment."""
    answer, error = _ask(_OPEN_WINDOW, "context", environ)
    if error:
        return Context(error=error)
    version, renderer = answer.split("\t", 1)
    return Context(version, renderer)


def _try_watching(environ: Mapping[str, str]) -> Watching:
    """Try in a separate process whether `impinge_arcade` receives the changes of Arcade's sprite lists."""
    answer, error = _ask(_TRY_WATCHING, "watching", environ)
    return Watching(answer == "True", error)


def _ask(program: str, keyword: str, environ: Mapping[str, str]) -> tuple[str, str]:
    """Run a program, and return the rest of its output line that begins with a keyword, or an error."""
    try:
        ended = subprocess.run(
            [sys.executable, "-c", program],
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=CONTEXT_TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "", f"no answer within {CONTEXT_TIMEOUT:.0f} s"
    except OSError as error:
        return "", str(error)
    for line in ended.stdout.splitlines():
        if line.startswith(f"{keyword}\t"):
            return line.partition("\t")[2], ""
    said = [line.strip() for line in ended.stderr.splitlines() if line.strip()]
    return "", said[-1] if said else f"the process ended with code {ended.returncode}"


def _cuda() -> tuple[str, str]:
    """Return the first thing that CUDA needs and does not find, and its remedy."""
    from impinge.gpu.device import missing

    return missing()


def _kernels() -> Kernels:
    """Return the kernel backend."""
    return Kernels(compiler.MODE, compiler.native_module())


@dataclass(frozen=True)
class Machine:
    """All that the checks read of a machine; by default, of this one.

    Attributes
    ----------
    platform
        As `sys.platform`.
    environ
        The environment variables.
    installed
        Returns the version of a distribution, None if it is not installed.
    loads
        Returns whether a shared library can be loaded.
    display_answers
        Returns whether a server listens at an X display.
    open_window
        Opens a tiny window in the given environment.
    try_watching
        Tries in the given environment whether Arcade's sprite lists report their changes.
    kernels
        Returns the kernel backend.
    cuda
        Returns the first thing that CUDA needs and does not find, and its remedy.
    """

    platform: str = sys.platform
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    installed: Callable[[str], str | None] = installed
    loads: Callable[[str], bool] = _loads
    display_answers: Callable[[str], bool] = _display_answers
    open_window: Callable[[Mapping[str, str]], Context] = _open_window
    try_watching: Callable[[Mapping[str, str]], Watching] = _try_watching
    kernels: Callable[[], Kernels] = _kernels
    cuda: Callable[[], tuple[str, str]] = _cuda

    @property
    def is_linux(self) -> bool:
        """Return whether this is Linux, where displays and drivers come from packages."""
        return self.platform.startswith("linux")

    @property
    def is_headless(self) -> bool:
        """Return whether Arcade is set to draw without a screen."""
        return bool(self.environ.get("ARCADE_HEADLESS"))

    @property
    def display(self) -> str:
        """Return the X display, empty if there is none."""
        return self.environ.get("DISPLAY", "")

    @property
    def opens_windows(self) -> bool:
        """Return whether Arcade would open its windows on an X display."""
        return bool(self.display) and not self.is_headless


def check_versions(machine: Machine) -> list[Finding]:
    """Return the versions of Python, Impinge and all its dependencies."""
    findings = [
        Finding("python", platform.python_version()),
        Finding("platform", platform.platform()),
        Finding("impinge", __version__),
    ]
    needed = ("numpy", "pluggy")
    findings += [_needed(name, machine.installed(name)) for name in needed]
    findings += [optional(name, machine.installed(name)) for name in EXTRAS]
    return findings


def _needed(name: str, version: str | None) -> Finding:
    if version is None:
        return Finding(name, "not installed", f"Impinge needs {name}", f"pip install {name}")
    return Finding(name, version)


def optional(name: str, version: str | None) -> Finding:
    """Return what a version of an optional distribution means."""
    bring = f'pip install "{EXTRAS[name]}"'
    if version is None:
        return Finding(name, f"not installed: {bring}")
    if name in SUPPORTED:
        first, end = SUPPORTED[name]
        if not _release(first) <= _release(version) < _release(end):
            problem = f"Impinge works with {name} from {first} to below {end}, not with {version}"
            return Finding(name, version, problem, bring)
    return Finding(name, version)


def _release(version: str) -> tuple[int, ...]:
    """Return the numbers that a version begins with: (3, 3) for 3.3rc1."""
    numbers = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(number) for number in numbers[0].split(".")) if numbers else ()


def check_display(machine: Machine) -> list[Finding]:
    """Check whether a window could open."""
    if not machine.is_linux:
        return [Finding("display", "the system's own")]
    findings = [_display(machine)]
    if machine.is_headless:
        findings.append(_headless(machine.environ["ARCADE_HEADLESS"]))
    return findings if machine.installed("arcade") else [_without_problem(finding) for finding in findings]


def _display(machine: Machine) -> Finding:
    wayland = machine.environ.get("WAYLAND_DISPLAY", "")
    if machine.display:
        if machine.display_answers(machine.display):
            return Finding("DISPLAY", f"{machine.display}, a server answers")
        finding = Finding(
            "DISPLAY",
            f"{machine.display}, no server answers",
            f"DISPLAY is {machine.display}, but no X server answers there: no window can open",
            "start the X server, or set ARCADE_HEADLESS=True to draw without a screen",
        )
        return _without_problem(finding) if machine.is_headless else finding
    if wayland:
        finding = Finding(
            "WAYLAND_DISPLAY",
            f"{wayland}, and no DISPLAY",
            "Arcade opens its windows through X, and this Wayland desktop offers none",
            f"{_apt_get('xwayland')}, then log in again",
        )
        return _without_problem(finding) if machine.is_headless else finding
    return Finding("display", "none: ARCADE_HEADLESS=True draws without a screen, xvfb-run lends one")


def _headless(value: str) -> Finding:
    if value.lower() in ("0", "false", "no", "off"):
        return Finding(
            "ARCADE_HEADLESS",
            value,
            f"ARCADE_HEADLESS={value} switches headless drawing on: Arcade takes any text for a yes",
            _unset_remedy("ARCADE_HEADLESS"),
        )
    return Finding("ARCADE_HEADLESS", value)


def check_opengl(machine: Machine) -> list[Finding]:
    """Check whether Arcade can draw: without a screen, and in a window if there is a screen."""
    arcade = machine.installed("arcade") is not None
    findings = [_libraries(machine)] if machine.is_linux else []
    if not arcade:
        return [*map(_without_problem, findings), Finding("context", "not tried: arcade is not installed")]
    if any(finding.problem for finding in findings):
        return [*findings, Finding("context", "not tried: libraries are missing")]
    if machine.is_linux:
        findings.append(_context(machine, "headless context", {**machine.environ, "ARCADE_HEADLESS": "True"}))
    if not machine.is_linux or (machine.opens_windows and machine.display_answers(machine.display)):
        screen = {name: value for name, value in machine.environ.items() if name != "ARCADE_HEADLESS"}
        findings.append(_context(machine, "window context", screen))
    return findings


def _libraries(machine: Machine) -> Finding:
    wanted = DRAWING_LIBRARIES | (WINDOW_LIBRARIES if machine.opens_windows else {})
    missing = {name: package for name, package in wanted.items() if not machine.loads(name)}
    if not missing:
        return Finding("libraries", ", ".join(wanted))
    names = ", ".join(missing)
    return Finding("libraries", f"missing: {names}", f"Arcade cannot draw without {names}", _apt_get(*missing.values()))


def _context(machine: Machine, label: str, environ: Mapping[str, str]) -> Finding:
    context = machine.open_window(environ)
    if not context.error:
        return Finding(label, f"OpenGL {context.version}, {context.renderer}")
    remedy = _apt_get(MESA_DRIVERS) if machine.is_linux else "install the graphics card's newest driver"
    return Finding(label, "none", f"no {label} can be made: {context.error}", remedy)


def check_lists(machine: Machine) -> list[Finding]:
    """Check whether Arcade's sprite lists report their changes: this uses private names, which may change."""
    label = "sprite lists"
    version = machine.installed("arcade")
    if version is None:
        return [Finding(label, "not tried: arcade is not installed")]
    # The trial needs no window, but Arcade can only draw without a screen on Linux.
    headless = {"ARCADE_HEADLESS": "True"} if machine.is_linux else {}
    watching = machine.try_watching({**machine.environ, **headless})
    if watching.error:
        return [Finding(label, f"not tried: {watching.error}")]
    if watching.works:
        return [Finding(label, "tell what changes in them")]
    return [
        Finding(
            label,
            "are read through each time: slower, as correct",
            f"arcade {version} does not tell what changes in its lists: they are read through each time, which is "
            "slower, and as correct",
            'report this; with arcade 3.3 they tell: pip install "arcade==3.3.*"',
        )
    ]


def check_kernels(machine: Machine) -> list[Finding]:
    """Check the kernel backend, and settings that slow it down."""
    kernels = machine.kernels()
    if kernels.mode == "native":
        return [Finding("native module", str(kernels.module))]
    if kernels.mode == "jit":
        settings = [_setting(name, machine.environ[name]) for name in HARMFUL_SETTINGS if name in machine.environ]
        return [Finding("Numba", "compiles each kernel at its first call, and keeps it on disk"), *settings]
    how = "the kernels run as plain Python, far too slowly for a game"
    return [Finding("Python", "as IMPINGE_KERNELS says", how, _unset_remedy("IMPINGE_KERNELS"))]


def check_cuda(machine: Machine) -> list[Finding]:
    """Check whether a GPU can answer batches. Few machines have one, so a missing one is no problem."""
    problem, remedy = machine.cuda()
    return [Finding("cuda", f"not usable: {problem}; {remedy}" if problem else "can be used")]


def _is_on(value: str) -> bool:
    return value not in ("", "0")


def _is_reduced(level: str) -> bool:
    return level not in ("", "3", "max")


# Variable of Numba: a test for harmful values, and their effect.
HARMFUL_SETTINGS: dict[str, tuple[Callable[[str], bool], str]] = {
    "NUMBA_DISABLE_JIT": (_is_on, "the kernels run as plain Python, far too slowly for a game"),
    "NUMBA_OPT": (_is_reduced, "the kernels are compiled to slower code"),
    "NUMBA_BOUNDSCHECK": (_is_on, "the kernels check every access to an array, and are slower for it"),
}


def _setting(name: str, value: str) -> Finding:
    hurts, how = HARMFUL_SETTINGS[name]
    return Finding(name, value, f"{name}={value}: {how}", _unset_remedy(name)) if hurts(value) else Finding(name, value)


def _without_problem(finding: Finding) -> Finding:
    """Return a finding without its problem, for a machine on which it does no harm."""
    return replace(finding, problem="", remedy="")


def _apt_get(*packages: str) -> str:
    return f"apt-get install {' '.join(packages)}  (Debian and Ubuntu, as root)"


def _unset_remedy(variable: str) -> str:
    return f"take {variable} out of the environment"


CHECKS: dict[str, Callable[[Machine], list[Finding]]] = {
    "Versions": check_versions,
    "Display": check_display,
    "OpenGL": check_opengl,
    "Arcade": check_lists,
    "Kernels": check_kernels,
    "CUDA": check_cuda,
}


def examine(
    machine: Machine, checks: Mapping[str, Callable[[Machine], list[Finding]]] = CHECKS
) -> Iterator[tuple[str, list[Finding]]]:
    """Run the checks, one after the other.

    Parameters
    ----------
    machine
        The machine to check.
    checks
        The checks, by their headings.

    Yields
    ------
    tuple of str and list of Finding
        Heading and findings of a check. A check that raises becomes a finding, so that the others still run.
    """
    for heading, check in checks.items():
        try:
            yield heading, check(machine)
        except Exception as error:
            problem = f"the check itself failed: {type(error).__name__}: {error}"
            yield heading, [Finding("check", "failed", problem, "report this, with everything printed here")]
