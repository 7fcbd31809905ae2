"""Check what CONTRIBUTING.md says about the layout: the files it names exist, and imports only point down."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
FOLDERS = ("plugin", "adapters", "demos", "tests", "benchmarks", "docs", ".ci")
# Packages that each package may import, besides itself and packages outside the layout.
BELOW = {
    "plugin/impinge": set(),
    "adapters/impinge_arcade": {"impinge", "arcade"},
    "adapters/impinge_playtest": {"impinge", "impinge_arcade", "arcade"},
    "adapters/impinge_pymunk": {"impinge", "pymunk"},
    "adapters/impinge_gym": {"impinge", "impinge_playtest", "arcade"},
    "demos/impinge_demos": {"impinge", "impinge_arcade", "impinge_pymunk", "arcade", "pymunk"},
}
CONCERN = {
    "impinge",
    "impinge_arcade",
    "impinge_pymunk",
    "impinge_gym",
    "impinge_playtest",
    "impinge_demos",
    "arcade",
    "pymunk",
    "pyglet",
}
# The layers of the core, as in the picture: each part imports from its own layer or from a later one.
LAYERS = (
    {"world", "hooks", "rigid"},
    {"query", "sector", "batch"},
    {"shapes", "predict"},
    {"motion", "near"},
    {"checks", "sides"},
    {"kernels", "errors"},
)


@cache
def imported(source: Path) -> set[str]:
    """Return the full names of the modules that a file imports, including imports in functions and for types only."""
    found = set()
    for node in ast.walk(ast.parse(source.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def test_what_the_page_names_is_there() -> None:
    spans = re.findall(rf"`((?:{'|'.join(map(re.escape, FOLDERS))})/[\w./-]*)`", PAGE)
    named = [span for span in spans if "NAME" not in span]
    assert len(named) > 30
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("package", BELOW)
def test_a_package_imports_only_what_is_below_it(package: str) -> None:
    sources = sorted((ROOT / package).rglob("*.py"))
    assert sources
    allowed = BELOW[package] | {Path(package).name}
    # Arcade brings pyglet along, so a package that may import Arcade may import pyglet.
    allowed |= {"pyglet"} if "arcade" in allowed else set()
    wrong = {
        (source.name, module)
        for source in sources
        for module in imported(source)
        if module.partition(".")[0] in CONCERN - allowed
    }
    assert wrong == set()


def test_the_layers_of_the_core_import_downwards() -> None:
    folder = ROOT / "plugin" / "impinge"
    wrong = set()
    for index, layer in enumerate(LAYERS):
        above = set().union(*LAYERS[:index])
        for name in layer:
            path = folder / name
            sources = sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]
            modules = {module.split(".")[1] for source in sources for module in imported(source) if is_own(module)}
            wrong |= {(name, module) for module in modules & above}
    assert wrong == set()


def test_kernels_import_kernels_only() -> None:
    sources = sorted((ROOT / "plugin" / "impinge" / "kernels").rglob("*.py"))
    own = {module for source in sources for module in imported(source) if module.partition(".")[0] == "impinge"}
    assert {module for module in own if not module.startswith("impinge.kernels")} == set()


def is_own(module: str) -> bool:
    """Return whether a module belongs to the core."""
    return module.startswith("impinge.")
