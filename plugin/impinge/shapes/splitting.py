"""A concave outline as few convex pieces, at its own vertices. Not here: whether it is an outline, see `outlines`.

Fewer pieces than triangles are fewer questions to answer in every frame. Only concave polygons import this.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from typing import TypeAlias

from impinge.shapes.outlines import Outline, Vector, triples
from impinge.shapes.predicates import in_circle, turn

__all__ = ["convex_pieces"]

Diagonal: TypeAlias = tuple[int, int]


def convex_pieces(outline: Outline) -> tuple[tuple[int, ...], ...]:
    """Split an outline into convex pieces that together are exactly the polygon, without new points.

    Parameters
    ----------
    outline
        From `clean_outline`.

    Returns
    -------
    tuple of tuple of int
        Indices into `outline.points`, one tuple for each piece, counter-clockwise. Every corner of a piece turns left:
        none is straight. A corner of one piece may lie on an edge of another.

    Notes
    -----
    Ears are cut off, shortest cut first (Meisters, "Polygons have ears", 1975), cuts are flipped until the triangles
    are as fat as they can be (Lawson, "Software for C1 surface interpolation", 1977), and those that no inward corner
    needs are taken back (Hertel & Mehlhorn, "Fast triangulation of simple polygons", 1983). That leaves at most four
    times the fewest pieces possible; hit boxes that Arcade traces around its own sprites get 1.4 times the lower bound.

    Examples
    --------
    >>> from impinge.shapes.outlines import clean_outline
    >>> arrow = clean_outline([(0, 0), (4, -3), (1, 0), (4, 3)])
    >>> convex_pieces(arrow)
    ((0, 1, 2), (0, 2, 3))
    >>> convex_pieces(clean_outline([(0, 0), (1, 0), (1, 1), (0, 1)]))
    ((0, 1, 2, 3),)
    """
    if outline.is_convex:
        return (tuple(range(len(outline.points))),)
    split = _Split(outline.points, _ears(outline.points))
    split.flip()
    split.merge()
    return split.pieces()


def _ears(points: Sequence[Vector]) -> list[Diagonal]:
    """Cut a simple polygon into triangles: the cuts. The shortest cut that is possible comes first.

    A cut from a to c past b is possible if b turns left and no other corner is in the closed triangle. Only corners
    that do not turn left need a look: were there any in it, the one nearest to b would be such a corner. A cut that
    one is in the way of waits until that one turns left, as ears next to it go.
    """
    count = len(points)
    before, after = [count - 1, *range(count - 1)], [*range(1, count), 0]
    turns_left = [turn(a, b, c) > 0.0 for a, b, c in triples(points)]
    blunt = sorted((*points[k], k) for k in range(count) if not turns_left[k])
    waiting: dict[int, list[int]] = defaultdict(list)

    def cut(b: int) -> tuple[float, int, int, int]:
        a, c = before[b], after[b]
        return math.dist(points[a], points[c]), b, a, c

    cuts = [cut(b) for b in range(count) if turns_left[b]]
    heapify(cuts)
    diagonals: list[Diagonal] = []
    while len(diagonals) < count - 3:
        _, b, a, c = heappop(cuts)
        if before[b] != a or after[b] != c:
            continue  # a neighbour has gone, or b itself
        obstacle = _obstacle(points, blunt, a, b, c)
        if obstacle is not None:
            waiting[obstacle].append(b)
            continue
        diagonals.append((a, c))
        after[a], before[c], before[b] = c, a, -1
        for k in (a, c):
            if not turns_left[k] and turn(points[before[k]], points[k], points[after[k]]) > 0.0:
                turns_left[k] = True
                del blunt[bisect_left(blunt, (*points[k], k))]
                for other in waiting.pop(k, ()):
                    if before[other] >= 0:
                        heappush(cuts, cut(other))
            if turns_left[k]:
                heappush(cuts, cut(k))
    return diagonals


def _obstacle(points: Sequence[Vector], blunt: list[tuple[float, float, int]], a: int, b: int, c: int) -> int | None:
    """Return one of the blunt corners in the closed triangle a, b, c, if there is one but these three."""
    p, q, r = points[a], points[b], points[c]
    left, right = min(p[0], q[0], r[0]), max(p[0], q[0], r[0])
    bottom, top = min(p[1], q[1], r[1]), max(p[1], q[1], r[1])
    for k in range(bisect_left(blunt, (left, -math.inf, 0)), len(blunt)):
        x, y, corner = blunt[k]
        if x > right:
            return None
        if bottom <= y <= top and corner not in (a, b, c):
            s = (x, y)
            if turn(r, p, s) >= 0.0 and turn(p, q, s) >= 0.0 and turn(q, r, s) >= 0.0:
                return corner
    return None


class _Split:
    """A polygon and some of its diagonals, which do not cross.

    `rings[u]` has u's neighbours as steps along the outline, v - u modulo the number of points. As nothing crosses,
    ascending steps are counter-clockwise order around u, from the next point (1 step) to the one before (n - 1 steps).
    """

    def __init__(self, points: Sequence[Vector], diagonals: list[Diagonal]) -> None:
        self.points = points
        self.count = len(points)
        self.inward = [turn(a, b, c) < 0.0 for a, b, c in triples(points)]
        self.rings = [[1, self.count - 1] for _ in points]
        self.diagonals: set[Diagonal] = set()
        for u, v in diagonals:
            self.add(u, v)

    def turns(self, u: int, v: int, w: int) -> float:
        return turn(self.points[u], self.points[v], self.points[w % self.count])

    def is_inside(self, t: int, u: int, s: int, v: int) -> bool:
        """Whether t is inside the circle through the triangle u, s, v."""
        return in_circle(self.points[u], self.points[s], self.points[v], self.points[t])

    def beside(self, u: int, v: int) -> tuple[int, int]:
        """Neighbours of u just clockwise and just counter-clockwise of its neighbour v."""
        ring = self.rings[u]
        place = bisect_left(ring, (v - u) % self.count)
        return (u + ring[place - 1]) % self.count, (u + ring[(place + 1) % len(ring)]) % self.count

    def remove(self, u: int, v: int) -> None:
        self.diagonals.remove(_ascending(u, v))
        self.rings[u].remove((v - u) % self.count)
        self.rings[v].remove((u - v) % self.count)

    def add(self, u: int, v: int) -> None:
        self.diagonals.add(_ascending(u, v))
        insort(self.rings[u], (v - u) % self.count)
        insort(self.rings[v], (u - v) % self.count)

    def flip(self) -> None:
        """Swap diagonals of quadrilaterals until all triangles are as fat as they can be (constrained Delaunay).

        The predicates are exact, and no swap is ever undone: it ends.
        """
        looks = sorted(self.diagonals)
        while looks:
            u, v = looks.pop()
            if (u, v) not in self.diagonals:
                continue
            s, t = self.beside(u, v)
            if self.turns(t, u, s) > 0.0 and self.turns(s, v, t) > 0.0 and self.is_inside(t, u, s, v):
                self.remove(u, v)
                self.add(s, t)
                looks += [pair for pair in map(_ascending, (u, s, v, t), (s, v, t, u)) if pair in self.diagonals]

    def merge(self) -> None:
        """Take back every diagonal that no end needs, those first that serve least, the longer ones before.

        One that an end needs once, it needs for good: its neighbours around that end only go farther apart.
        """
        for *_, u, v in sorted(self.rank(u, v) for u, v in self.diagonals):
            if self.is_free(u, v) and self.is_free(v, u):
                self.remove(u, v)

    def is_free(self, u: int, v: int) -> bool:
        """Whether the corner at u does not turn in without the diagonal from u to v."""
        clockwise, counter_clockwise = self.beside(u, v)
        return self.turns(counter_clockwise, u, clockwise) >= 0.0

    def rank(self, u: int, v: int) -> tuple[int, int, float, int, int]:
        """How much a diagonal is worth: inward corners that it straightens alone, inward corners it ends in, length."""
        inward = [(p, q) for p, q in ((u, v), (v, u)) if self.inward[p]]
        straightened = sum(self.turns(p - 1, p, q) >= 0.0 and self.turns(q, p, p + 1) >= 0.0 for p, q in inward)
        return straightened, len(inward), -math.dist(self.points[u], self.points[v]), u, v

    def pieces(self) -> tuple[tuple[int, ...], ...]:
        """Walk around each piece, from its smallest corner. Straight corners are none."""
        found = []
        walked: set[tuple[int, int]] = set()
        for start in range(self.count):
            for step in self.rings[start][:-1]:
                piece = []
                u, v = start, (start + step) % self.count
                while (u, v) not in walked:
                    walked.add((u, v))
                    piece.append(u)
                    u, v = v, self.beside(v, u)[0]
                if piece:
                    found.append(tuple(b for a, b, c in triples(piece) if self.turns(a, b, c) > 0.0))
        return tuple(found)


def _ascending(u: int, v: int) -> Diagonal:
    return (u, v) if u < v else (v, u)
