"""Limits that keep kernels readable: few arguments, functions that fit on a screen, column numbers in one module."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[3]
spec = importlib.util.spec_from_file_location("measure_layout", ROOT / "tools" / "measure_layout.py")
assert spec is not None
assert spec.loader is not None
layout = importlib.util.module_from_spec(spec)
spec.loader.exec_module(layout)


def test_kernels_take_at_most_eight_arguments_and_fit_on_a_screen() -> None:
    functions = dict(layout.functions(layout.KERNELS))
    assert len(functions) > 200
    assert {name for name, each in functions.items() if layout.argument_count(each) > 8} == set()
    assert {name for name, each in functions.items() if layout.body_lines(each) > 60} == set()


def test_columns_have_their_numbers_in_one_module(tmp_path: Path) -> None:
    """`GAP` was 10, 3 or 0, depending on the module: a wrong import compiled."""
    assert layout.numbered_columns(layout.KERNELS) == []
    (tmp_path / "planted.py").write_text(
        "GAP = 3\nLIMIT = 4\n\ndef gap(rows, row):\n    return rows[row, GAP] < LIMIT\n"
    )
    assert layout.numbered_columns(tmp_path) == ["planted.py: GAP"]
