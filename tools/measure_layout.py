"""Print what a maintainer has to read: sizes of the core, of its kernels, and the path of a body through one step.

`python tools/measure_layout.py`. The functions below also serve the test of the limits.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
KERNELS = ROOT / "plugin" / "impinge" / "kernels"


def sources(folder: Path) -> dict[Path, str]:
    """Return the Python sources in a folder."""
    return {path: path.read_text("utf-8") for path in sorted(folder.rglob("*.py"))}


def functions(folder: Path) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield all functions in a folder, with the name of their module."""
    for path, source in sources(folder).items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef):
                yield f"{path.relative_to(folder).with_suffix('')}.{node.name}", node


def argument_count(function: ast.FunctionDef) -> int:
    """Return the number of arguments of a function."""
    given = function.args
    return len(given.posonlyargs) + len(given.args) + len(given.kwonlyargs)


def body_lines(function: ast.FunctionDef) -> int:
    """Return the number of lines of a function, without its decorators and its docstring."""
    assert function.end_lineno is not None
    lines = function.end_lineno - function.lineno + 1
    first = function.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        assert first.end_lineno is not None
        lines -= first.end_lineno - first.lineno + 1
    return lines


def head_lines(folder: Path) -> int:
    """Return the number of lines with imports and signatures."""
    total = 0
    for source in sources(folder).values():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import | ast.ImportFrom):
                total += (node.end_lineno or node.lineno) - node.lineno + 1
            elif isinstance(node, ast.FunctionDef):
                first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
                total += node.body[0].lineno - first
    return total


def numbered_columns(folder: Path) -> list[str]:
    """Return constants in capitals that are whole numbers and index an array in the same module."""
    found = []
    for path, source in sources(folder).items():
        if path.name == "columns.py":
            continue
        for name in re.findall(r"^([A-Z][A-Z_0-9]*)(?:: \w+)? = \d+$", source, re.MULTILINE):
            if re.search(rf"\[[^\]\n]*\b{name}\b[^\]\n]*\]", source):
                found.append(f"{path.relative_to(folder)}: {name}")
    return found


def path_of_step(solid: str, is_walker: bool) -> list[str]:
    """Return the kernel modules that a body's step enters, in order, with plain Python kernels."""
    import impinge as im

    world, entered = im.World(entry_points=False), list[str]()
    world.add(im.Box(100, 10), im.Pose(0, -5), might=1)
    shape: Any = im.Box(4, 8) if solid == "box" else im.Capsule((0, -2), (0, 2), 2)
    rules: dict[str, Any] = {"max_slope": 0.8, "snap": 2.0, "step_height": 3.0} if is_walker else {}
    body = world.add(shape, im.Pose(0, 4), **rules)
    body.goal = im.Pose(3, 3)

    def note(frame: FrameType, event: str, _: object) -> None:
        path = frame.f_code.co_filename
        if event in ("call", "return") and path.startswith(str(ROOT / "plugin")):
            entered.append(path)

    sys.setprofile(note)
    world.step()
    sys.setprofile(None)
    return [path for path, _ in groupby(entered)]


def main() -> None:
    """Print all figures."""
    print(f"plugin/: {sum(source.count(chr(10)) for source in sources(ROOT / 'plugin').values()):,} lines")
    total = sum(source.count("\n") for source in sources(KERNELS).values())
    print(f"kernels: {total:,} lines, {100 * head_lines(KERNELS) / total:.0f} % of them imports and signatures")
    everything = list(functions(KERNELS))
    print(f"kernels: at most {max(argument_count(each) for _, each in everything)} arguments in a function")
    long = [name for name, each in everything if body_lines(each) > 60]
    print(f"kernels: {len(long)} functions of more than 60 lines {', '.join(long)}")
    for name, solid, is_walker in (("box", "box", False), ("capsule", "capsule", False), ("walker", "capsule", True)):
        path = path_of_step(solid, is_walker)
        print(f"one step of a {name}: {len(set(path))} modules, {len(path) - 1} changes of module")
    words = sum(len(page.read_text("utf-8").split()) for page in (ROOT / "docs").glob("*.md"))
    print(f"docs/: {words:,} words")


if __name__ == "__main__":
    os.environ["IMPINGE_KERNELS"] = "python"
    sys.path.insert(0, str(ROOT / "plugin"))
    main()
