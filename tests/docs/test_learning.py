"""The example that learns a level: rewards rise within a few generations, and the curve is a small picture."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.long
def test_an_agent_learns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(DOCS)
    import learn_meadow

    weights, curve = learn_meadow.learn(copies=96, generations=8, steps=60, seed=0)
    assert curve[-1].mean() > curve[0].mean() + 0.5
    again, _ = learn_meadow.learn(copies=96, generations=1, steps=60, seed=0)
    assert again.shape == weights.shape
    learn_meadow.plot(curve, tmp_path / "curve.png")
    assert 2_000 < (tmp_path / "curve.png").stat().st_size < 300_000
    del sys.modules["learn_meadow"], sys.modules["drawing"]
