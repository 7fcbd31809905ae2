"""Places without a way out: closed components of the graph of observed moves between cells.

The method is that of Tarjan, "Depth-first search and linear graph algorithms", SIAM Journal on Computing 1 (1972).
"""

from __future__ import annotations

import numpy as np

from impinge_playtest.moves import Bools
from impinge_playtest.tracks import Ints

__all__ = ["closed_components", "leads_to"]


def leads_to(edges: Ints, targets: Bools) -> Bools:
    """Return which nodes have a way to a target.

    Parameters
    ----------
    edges : (n, 2) int
        From node, to node.
    targets
        A flag for each node.

    Examples
    --------
    >>> edges = np.array([(0, 1), (1, 2), (3, 4)])
    >>> leads_to(edges, np.array([False, False, True, False, False])).tolist()
    [True, True, True, False, False]
    """
    order = np.argsort(edges[:, 1], kind="stable")
    sources = edges[order, 0]
    first = np.searchsorted(edges[order, 1], np.arange(len(targets) + 1))
    found = targets.copy()
    front = np.flatnonzero(targets)
    while len(front):
        counts = first[front + 1] - first[front]
        places = np.repeat(first[front] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        front = np.unique(sources[places])
        front = front[~found[front]]
        found[front] = True
    return found


def closed_components(edges: Ints, total: int, nodes: Ints) -> list[Ints]:
    """Return the strongly connected components that no edge leaves, each sorted, in the order of their first nodes.

    Parameters
    ----------
    edges : (n, 2) int
        From node, to node.
    total
        Number of all nodes.
    nodes
        The nodes to look at. Edges from them lead to others of them.

    Examples
    --------
    >>> edges = np.array([(0, 1), (1, 2), (2, 1), (0, 3)])
    >>> [each.tolist() for each in closed_components(edges, 4, np.arange(4))]
    [[1, 2], [3]]
    """
    order = np.argsort(edges[:, 0], kind="stable")
    ends = edges[order, 1].tolist()
    first = np.searchsorted(edges[order, 0], np.arange(total + 1)).tolist()
    component = _components(ends, first, nodes.tolist(), total)
    known = np.array(component)
    leaves = (known[edges[:, 0]] != known[edges[:, 1]]) & (known[edges[:, 0]] >= 0)
    is_open = np.zeros(total, np.bool_)
    is_open[known[edges[leaves, 0]]] = True
    members = nodes[~is_open[known[nodes]]]
    order = np.lexsort((members, known[members]))
    members = members[order]
    groups = np.split(members, np.flatnonzero(np.diff(known[members])) + 1) if len(members) else []
    return sorted(groups, key=lambda group: int(group[0]))


def _components(ends: list[int], first: list[int], nodes: list[int], total: int) -> list[int]:
    """Return the number of the component of each node, -1 for nodes that are not reached."""
    number, lowest, component = [-1] * total, [0] * total, [-1] * total
    path: list[int] = []
    count = components = 0
    for root in nodes:
        if number[root] >= 0:
            continue
        work = [(root, first[root])]
        while work:
            node, place = work.pop()
            if number[node] < 0:
                number[node] = lowest[node] = count
                count += 1
                path.append(node)
            while place < first[node + 1]:
                end = ends[place]
                if number[end] < 0:
                    work += [(node, place), (end, first[end])]
                    break
                if component[end] < 0:
                    lowest[node] = min(lowest[node], lowest[end])
                place += 1
            else:
                if lowest[node] == number[node]:
                    while True:
                        member = path.pop()
                        component[member] = components
                        if member == node:
                            break
                    components += 1
    return component
