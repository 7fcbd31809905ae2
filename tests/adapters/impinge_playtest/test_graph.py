"""Ways through graphs, against reachability by matrices."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from impinge_playtest.graph import closed_components, leads_to


def reach(edges: NDArray[np.int64], total: int) -> NDArray[np.bool_]:
    """Return for each pair whether a way leads from the first to the second, by Warshall's algorithm."""
    found = np.eye(total, dtype=np.bool_)
    found[edges[:, 0], edges[:, 1]] = True
    for middle in range(total):
        found |= found[:, [middle]] & found[[middle]]
    return found


@pytest.mark.parametrize("seed", range(40))
def test_random_graphs(seed: int) -> None:
    random = np.random.default_rng(seed)
    total = int(random.integers(1, 40))
    edges = random.integers(0, total, (int(random.integers(0, 2 * total)), 2))
    reaches = reach(edges, total)
    targets = random.random(total) < 0.1
    assert leads_to(edges, targets).tolist() == (reaches & targets).any(axis=1).tolist()

    mutual = reaches & reaches.T
    closed = [node for node in range(total) if (reaches[node] == mutual[node]).all()]
    expected = sorted({tuple(np.flatnonzero(mutual[node]).tolist()) for node in closed})
    found = closed_components(edges, total, np.arange(total))
    assert [tuple(group.tolist()) for group in found] == expected


def test_long_ways_need_no_deep_recursion() -> None:
    total = 20_000
    edges = np.stack((np.arange(total - 1), np.arange(1, total)), axis=1)
    assert [group.tolist() for group in closed_components(edges, total, np.arange(total))] == [[total - 1]]
    assert leads_to(edges, np.arange(total) == total - 1).all()
