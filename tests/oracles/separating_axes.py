"""Depths of many pairs of solids at once, by separating axes: a judge that shares no geometry with the kernels.

A solid is a list of rounded convex pieces, made here from its public fields alone. The depth of two solids is the depth
of their deepest pair of pieces. It is at most the length of the shortest depenetration. So a depth beyond the slop is
an overlap, whatever the split into pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import shapely
from numpy.typing import NDArray

import impinge as im

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

# Pairs of corners in one array operation: some 10 MB.
CHUNK = 800_000
# Rounding may separate bounding circles that touch.
WIDER = 1.0 + 1e-9


class Piece(NamedTuple):
    """All points within `radius` of a convex core, counter-clockwise: a point, a segment or a polygon."""

    core: Floats
    radius: float


def pieces(solid: Any) -> list[Piece]:
    """Return the convex pieces of a solid in its own frame; concave polygons are split into triangles."""
    if isinstance(solid, im.Compound):
        return [
            Piece(_turned(core, pose.angle) + np.array([pose.x, pose.y]), radius)
            for part, pose in solid.parts
            for core, radius in pieces(part)
        ]
    if isinstance(solid, im.Circle):
        return [Piece(np.zeros((1, 2)), solid.radius)]
    if isinstance(solid, im.Capsule):
        ends = np.array([solid.a, solid.b], np.float64)
        return [Piece(ends[:1] if solid.a == solid.b else ends, solid.radius)]
    if isinstance(solid, im.Box):
        x, y = solid.width / 2, solid.height / 2
        return [Piece(np.array([(-x, -y), (x, -y), (x, y), (-x, y)]), 0.0)]
    outline = _counter_clockwise(np.array(solid.vertices, np.float64))
    if _is_convex(outline):
        return [Piece(outline, solid.radius)]
    triangles = shapely.constrained_delaunay_triangles(shapely.Polygon(outline)).geoms
    return [Piece(_counter_clockwise(shapely.get_coordinates(part)[:-1]), solid.radius) for part in triangles]


def _turned(points: Floats, angle: float) -> Floats:
    cos, sin = np.cos(angle), np.sin(angle)
    return points @ np.array([[cos, sin], [-sin, cos]])


def _alike(rows: Ints, totals_a: Ints, totals_b: Ints) -> Iterator[Ints]:
    """Split rows into parts for one array operation each. The pieces of a part have similar numbers of corners."""
    sizes = np.log2(np.column_stack((totals_a, totals_b))).astype(int)
    for one, other in np.unique(sizes, axis=0):
        alike = rows[(sizes == (one, other)).all(axis=1)]
        count = max(CHUNK >> (one + other + 2), 1)
        for start in range(0, len(alike), count):
            yield alike[start : start + count]


def _cross(a: Floats, b: Floats) -> Floats:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _counter_clockwise(outline: Floats) -> Floats:
    area = _cross(outline, np.roll(outline, -1, axis=0)).sum()
    return outline if area > 0.0 else outline[::-1]


def _is_convex(outline: Floats) -> bool:
    """Return whether no corner turns right. Outlines are star-shaped and go round only once."""
    edges = np.roll(outline, -1, axis=0) - outline
    after = np.roll(edges, -1, axis=0)
    turns = np.arctan2(_cross(edges, after), (edges * after).sum(axis=1))
    return bool((turns >= 0.0).all() and turns.sum() < 3.0 * np.pi)


class Solids:
    """The pieces of some solids, prepared for many poses.

    Attributes
    ----------
    extents, reaches : (n,) float64
        Smaller side of the bounds of each solid, or the larger if that is zero; largest distance from its origin.
    centres : (n, 2) float64
        Centre of the bounds of each solid, in its own frame.
    """

    def __init__(self, solids: Sequence[Any]) -> None:
        split = [pieces(solid) for solid in solids]
        flat = [piece for parts in split for piece in parts]
        counts = np.array([len(parts) for parts in split])
        self._owners = np.repeat(np.arange(len(split)), counts)
        self._firsts = np.cumsum(counts) - counts
        self._counts = counts
        # The last point is repeated until all cores have the same number of points. Edges of length zero have no
        # normal.
        self._totals = np.array([len(piece.core) for piece in flat])
        self._points = np.empty((len(flat), self._totals.max(), 2))
        for row, (core, _) in zip(self._points, flat, strict=True):
            row[: len(core)], row[len(core) :] = core, core[-1]
        self._radii = np.array([radius for _, radius in flat])
        edges = np.zeros_like(self._points)
        edges[:, :-1] = self._points[:, 1:] - self._points[:, :-1]
        edges[np.arange(len(flat)), self._totals - 1] = self._points[:, 0] - self._points[:, -1]
        lengths = np.hypot(edges[..., 0], edges[..., 1])
        self._has_edge = lengths > 0.0
        normals = np.stack([edges[..., 1], -edges[..., 0]], axis=-1)
        self._normals = normals / np.where(self._has_edge, lengths, 1.0)[..., None]
        self._middles = 0.5 * (self._points.min(axis=1) + self._points.max(axis=1))
        self._piece_reaches = self._radii + _length(self._points - self._middles[:, None]).max(axis=1)
        low = np.minimum.reduceat(self._points.min(axis=1) - self._radii[:, None], self._firsts)
        high = np.maximum.reduceat(self._points.max(axis=1) + self._radii[:, None], self._firsts)
        sides = high - low
        self.extents = np.where(sides.min(axis=1) > 0.0, sides.min(axis=1), sides.max(axis=1))
        self.centres = 0.5 * (low + high)
        self.reaches = self._reaches_from(np.zeros_like(self.centres))
        self._centre_reaches = self._reaches_from(self.centres)

    def _reaches_from(self, places: Floats) -> Floats:
        far = _length(self._points - places[self._owners][:, None]).max(axis=1) + self._radii
        reaches: Floats = np.maximum.reduceat(far, self._firsts)
        return reaches

    def separations(self, poses: Floats, pairs: Ints, margin: float = 0.0) -> Floats:
        """Return the signed separations of pairs of solids in many frames.

        Parameters
        ----------
        poses : (frames, n, 3) float64
            Position and angle of each solid in each frame.
        pairs : (m, 2) int64
            Indices of the two solids.
        margin
            Distances up to this one are exact.

        Returns
        -------
        (frames, m) float64
            Distance of the nearest pieces; below zero the depth of the deepest pair of pieces. A value larger than the
            margin may be too large, up to infinity: only pieces whose bounding circles are that near are measured.
        """
        found = np.full((len(poses), len(pairs)), np.inf)
        if not found.size:
            return found
        poses = poses.copy()
        poses[..., :2] -= poses[:, :1, :2].copy()
        cos, sin = np.cos(poses[..., 2]), np.sin(poses[..., 2])
        centres = _placed(self.centres, cos, sin, poses)
        apart = _length(centres[:, pairs[:, 0]] - centres[:, pairs[:, 1]])
        near = np.nonzero(apart < self._centre_reaches[pairs].sum(axis=1) * WIDER + margin)
        frames, columns, of_a, of_b = self._piece_pairs(*near, pairs)
        owners = self._owners
        middles = _placed(self._middles, cos[:, owners], sin[:, owners], poses[:, owners])
        apart = _length(middles[frames, of_a] - middles[frames, of_b])
        kept = np.flatnonzero(apart < (self._piece_reaches[of_a] + self._piece_reaches[of_b]) * WIDER + margin)
        for rows in _alike(kept, self._totals[of_a[kept]], self._totals[of_b[kept]]):
            frame, a, b = frames[rows], of_a[rows], of_b[rows]
            sides = []
            for piece in (a, b):
                wide = slice(self._totals[piece].max())
                turns = cos[frame, owners[piece]][:, None], sin[frame, owners[piece]][:, None]
                place = poses[frame, owners[piece]][:, None]
                points = _placed(self._points[piece, wide], *turns, place)
                normals = _placed(self._normals[piece, wide], *turns, np.zeros(3))
                sides.append((points, normals, self._has_edge[piece, wide]))
            gaps = _core_separations(*sides) - self._radii[a] - self._radii[b]
            np.minimum.at(found, (frame, columns[rows]), gaps)
        return found

    def _piece_pairs(self, frames: Ints, columns: Ints, pairs: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        """Return all pairs of pieces of some pairs of solids, with the frame and the column of each."""
        chosen = pairs[columns]
        counts = self._counts[chosen]
        totals = counts.prod(axis=1)
        rows = np.repeat(np.arange(len(chosen)), totals)
        numbers = np.arange(len(rows)) - np.repeat(np.cumsum(totals) - totals, totals)
        of_a = self._firsts[chosen[rows, 0]] + numbers // counts[rows, 1]
        of_b = self._firsts[chosen[rows, 1]] + numbers % counts[rows, 1]
        return frames[rows], columns[rows], of_a, of_b

    def farthest(self, poses: Floats, room: Floats) -> tuple[Floats, Floats]:
        """Return how far solids reach from a room's centre along the room's axes, and how far their centres are.

        Parameters
        ----------
        poses : (frames, n, 3) float64
            Position and angle of each solid in each frame.
        room : (frames, 3) float64
            Position and angle of the room.

        Returns
        -------
        (frames, n) float64, (frames, n) float64
            The larger of both axes.
        """
        seen = poses - room[:, None]
        cos, sin = np.cos(room[:, 2])[:, None], np.sin(room[:, 2])[:, None]
        x, y = seen[..., 0].copy(), seen[..., 1].copy()
        seen[..., 0], seen[..., 1] = cos * x + sin * y, cos * y - sin * x
        cos, sin = np.cos(seen[..., 2]), np.sin(seen[..., 2])
        owners = self._owners
        turns = cos[:, owners, None], sin[:, owners, None]
        points = _placed(self._points, *turns, seen[:, owners, None])
        reach = np.abs(points).max(axis=(2, 3)) + self._radii
        farthest: Floats = np.maximum.reduceat(reach, self._firsts, axis=1)
        centres = np.abs(_placed(self.centres, cos, sin, seen)).max(axis=2)
        return farthest, centres


def _length(vectors: Floats) -> Floats:
    lengths: Floats = np.hypot(vectors[..., 0], vectors[..., 1])
    return lengths


def _placed(points: Floats, cos: Floats, sin: Floats, poses: Floats) -> Floats:
    x, y = points[..., 0], points[..., 1]
    return np.stack([cos * x - sin * y + poses[..., 0], sin * x + cos * y + poses[..., 1]], axis=-1)


Side: TypeAlias = tuple[Floats, Floats, NDArray[np.bool_]]


def _core_separations(a: Side, b: Side) -> Floats:
    """Return the signed separations of convex cores, row by row: depths along the best axis, or distances."""
    separations = np.maximum(_along_normals(a, b[0]), _along_normals(b, a[0]))
    apart = np.flatnonzero((separations >= 0.0) | np.isneginf(separations))
    ahead, behind = a[0][apart], b[0][apart]
    separations[apart] = np.minimum(_from_edges(ahead, behind), _from_edges(behind, ahead))
    return separations


def _along_normals(a: Side, others: Floats) -> Floats:
    """Return the largest separation along the outward normals of one core; minus infinity if it is a point."""
    points, normals, has_edge = a
    heights = np.matmul(normals, others.transpose(0, 2, 1)).min(axis=2) - (normals * points).sum(axis=2)
    separations: Floats = np.where(has_edge, heights, -np.inf).max(axis=1)
    return separations


def _from_edges(points: Floats, outline: Floats) -> Floats:
    """Return the least distance of points from the edges of an outline."""
    edges = np.roll(outline, -1, axis=1) - outline
    squares = (edges * edges).sum(axis=2)
    offsets = points[:, :, None] - outline[:, None]
    shares = (offsets * edges[:, None]).sum(axis=3) / np.where(squares > 0.0, squares, 1.0)[:, None]
    nearest = offsets - np.clip(shares, 0.0, 1.0)[..., None] * edges[:, None]
    distances: Floats = _length(nearest).min(axis=(1, 2))
    return distances
