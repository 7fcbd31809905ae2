"""Pairs of moving solids, sampled at many times of a frame: the oracle for the time of impact with rotation.

It has no step size and no advancement: it poses both solids as their motions say, and measures. Convex cores are
measured here, in arrays: by separating axes, and by every corner against every edge. Concave cores are measured as
triangles, cut by Shapely. `Courses.overlap_before` bounds what happens between samples by the largest speed of any
point of the pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import shapely

import impinge as im
from shapely_solids import (
    EPSILON,
    NOISE_UNITS,
    Catalogue,
    Floats,
    Ints,
    Pairs,
    concave_outline,
    convex_outline,
    leaves,
)

# Rows measured at once: the data between two NumPy calls fits into a cache.
CHUNK = 1 << 13
# Overlaps of cores below this, in units in the last place, do not count: then corners against edges decide.
SHALLOW_UNITS = 32 * EPSILON


class Pieces:
    """The convex pieces of the solids of a catalogue, counter-clockwise, in the frames of their solids.

    Attributes
    ----------
    counts, firsts : (n,) int64
        Number of pieces of each solid, and the index of its first piece.
    sides : (p,) int64
        Number of corners of each piece.
    places : (p,) int64
        Row of each piece in `corners` for its number of corners, and in `normals`.
    radii, middles, reaches : (p,), (p, 2), (p,) float64
        Radius of each piece, a point inside it, and how far the piece reaches from there.
    turning : (n,) float64
        How far the cores of each solid reach from its origin. Rotation moves points by this lever.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        parts = [list(_pieces(solid)) for solid in catalogue.solids]
        flat = [piece for pieces in parts for piece in pieces]
        self.counts = np.array([len(pieces) for pieces in parts])
        self.firsts = np.cumsum(self.counts) - self.counts
        self.sides = np.array([len(points) for points, _ in flat])
        self.radii = np.array([radius for _, radius in flat])
        self.middles = np.array([points.mean(axis=0) for points, _ in flat])
        far = [np.hypot(*(points - points.mean(axis=0)).T).max() for points, _ in flat]
        self.reaches = np.array(far) + self.radii
        self.turning = np.array([max(np.hypot(*points.T).max() for points, _ in pieces) for pieces in parts])
        self.places = np.zeros(len(flat), np.int64)
        self.corners: dict[int, Floats] = {}
        for side in np.unique(self.sides).tolist():
            rows = np.flatnonzero(self.sides == side)
            self.places[rows] = np.arange(len(rows))
            self.corners[side] = np.array([flat[row][0] for row in rows])
        self.normals = {side: _normals(corners) for side, corners in self.corners.items()}


def _pieces(solid: Any) -> Iterator[tuple[Floats, float]]:
    for core, radius in leaves(solid):
        if core.geom_type != "Polygon":
            yield shapely.get_coordinates(core), radius
            continue
        ring = shapely.get_coordinates(core.exterior)[:-1]
        ring = ring if core.exterior.is_ccw else ring[::-1]
        edges = np.roll(ring, -1, axis=0) - ring
        turns = edges[:, 0] * np.roll(edges[:, 1], -1) - edges[:, 1] * np.roll(edges[:, 0], -1)
        if (turns > 0.0).all():
            yield ring, radius
        else:
            for triangle in shapely.constrained_delaunay_triangles(core).geoms:
                corners = shapely.get_coordinates(triangle)[:-1]
                yield (corners if triangle.exterior.is_ccw else corners[::-1]), radius


def _normals(corners: Floats) -> Floats:
    """Return the outward unit normals of the edges of (n, k, 2) corners; a segment has two, a point none."""
    if corners.shape[1] == 1:
        return np.empty((len(corners), 0, 2))
    edges = np.roll(corners, -1, axis=1) - corners
    return np.stack([edges[..., 1], -edges[..., 0]], axis=-1) / np.hypot(edges[..., 0], edges[..., 1])[..., None]


@dataclass(frozen=True)
class Courses:
    """m pairs of solids of a catalogue, and their motions through the frame.

    Attributes
    ----------
    catalogue, pieces
        The solids.
    chosen : (m, 2) int64
        Indices of the two solids.
    starts, ends : (m, 2, 3) float64
        Position and angle of both.
    accelerations : (m, 2, 2) float64
        As in `impinge.Motion`.
    """

    catalogue: Catalogue
    pieces: Pieces
    chosen: Ints
    starts: Floats
    ends: Floats
    accelerations: Floats

    def __len__(self) -> int:
        return len(self.chosen)

    def __getitem__(self, rows: Any) -> Courses:
        return replace(
            self,
            chosen=self.chosen[rows],
            starts=self.starts[rows],
            ends=self.ends[rows],
            accelerations=self.accelerations[rows],
        )

    def swapped(self) -> Courses:
        return replace(
            self,
            chosen=self.chosen[:, ::-1],
            starts=self.starts[:, ::-1],
            ends=self.ends[:, ::-1],
            accelerations=self.accelerations[:, ::-1],
        )

    def backwards(self) -> Courses:
        return replace(self, starts=self.ends, ends=self.starts)

    def scaled(self, factor: float) -> Courses:
        catalogue = Catalogue([solid.transformed(factor) for solid in self.catalogue.solids])
        poses = np.array([factor, factor, 1.0])
        return Courses(
            catalogue,
            Pieces(catalogue),
            self.chosen,
            self.starts * poses,
            self.ends * poses,
            self.accelerations * factor,
        )

    def moved(self, by: tuple[float, float]) -> Courses:
        way = np.array([*by, 0.0])
        return replace(self, starts=self.starts + way, ends=self.ends + way)

    def turned(self, angle: float) -> Courses:
        """Return the whole world rotated about its origin."""
        cos, sin = np.cos(angle), np.sin(angle)
        matrix = np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]])
        more = np.array([0.0, 0.0, angle])
        return replace(
            self,
            starts=self.starts @ matrix + more,
            ends=self.ends @ matrix + more,
            accelerations=self.accelerations @ matrix[:2, :2],
        )

    @property
    def slops(self) -> Floats:
        """Return the slop of each pair, for the largest coordinate at the start or at the end."""
        places = np.maximum(abs(self.starts[..., :2]), abs(self.ends[..., :2])).max(axis=2)
        coordinates = (places + self.catalogue.reaches[self.chosen]).max(axis=1)
        return 1e-9 * self.catalogue.extents[self.chosen].min(axis=1) + 8 * EPSILON * coordinates

    @property
    def noise(self) -> Floats:
        """Return the length below which rounding makes any answer about a moving pair uncertain.

        A time is rounded, and then multiplied by a length as large as the path or the rotation.
        """
        angles = 1.0 + np.maximum(abs(self.starts[..., 2]), abs(self.ends[..., 2]))
        lengths = np.maximum(abs(self.starts[..., :2]), abs(self.ends[..., :2])).sum(axis=(1, 2))
        lengths += abs(self.accelerations).sum(axis=(1, 2))
        return NOISE_UNITS * (lengths + (self.catalogue.reaches[self.chosen] * angles).sum(axis=1))

    @property
    def speeds(self) -> Floats:
        """Return a bound on the speed of any point of one core relative to any point of the other, in units a frame."""
        straight = (self.ends - self.starts)[..., :2]
        bend = 0.5 * (self.accelerations[:, 1] - self.accelerations[:, 0])
        apart = straight[:, 1] - straight[:, 0]
        drift = np.maximum(np.hypot(*(apart - bend).T), np.hypot(*(apart + bend).T))
        turns = abs(self.ends - self.starts)[..., 2]
        return drift + (turns * self.pieces.turning[self.chosen]).sum(axis=1)

    def poses(self, rows: Ints, times: Floats) -> Floats:
        """Return (n, 2, 3): the poses of both solids of pair ``rows[i]`` at ``times[i]``."""
        at = times[:, None, None]
        starts, ends = self.starts[rows], self.ends[rows]
        poses = starts + (ends - starts) * at
        poses[..., :2] -= 0.5 * at * (1.0 - at) * self.accelerations[rows]
        return np.where(at == 1.0, ends, poses)

    def at(self, times: Floats) -> Pairs:
        """Return the pairs posed at one time each."""
        return Pairs(self.catalogue, self.chosen, self.poses(np.arange(len(self)), times))

    def packed(self) -> tuple[im.batch.Solids, Floats, Floats, Ints, Floats]:
        """Return solids, starts, ends, pairs and accelerations, as the functions of `impinge.batch` take them."""
        return (
            im.batch.Solids([self.catalogue.solids[index] for index in self.chosen.ravel()]),
            self.starts.reshape(-1, 3),
            self.ends.reshape(-1, 3),
            np.arange(2 * len(self)).reshape(-1, 2),
            self.accelerations.reshape(-1, 2),
        )

    def one_by_one(self) -> list[tuple[Any, im.Motion, Any, im.Motion]]:
        """Return the arguments of `impinge.time_of_impact` and similar functions."""
        asked = []
        for row, indices in enumerate(self.chosen.tolist()):
            arguments: list[Any] = []
            for side, index in enumerate(indices):
                start, end = (im.Pose(*poses[row, side].tolist()) for poses in (self.starts, self.ends))
                motion = im.Motion(start, end, tuple(self.accelerations[row, side].tolist()))
                arguments += [self.catalogue.solids[index], motion]
            asked.append(tuple(arguments))
        return asked

    def separations(self, rows: Ints, times: Floats, beyond: float | Floats = 0.0) -> Floats:
        """Return the signed separations of pair ``rows[i]`` at ``times[i]``, negative for an overlap.

        Parameters
        ----------
        rows : (n,) int
            Pairs, with repetition allowed.
        times : (n,)
            From 0 to 1.
        beyond : (n,) or scalar
            Where the separation is larger than this, the answer is only a lower bound, and is larger than this too.
        """
        beyond = np.broadcast_to(np.asarray(beyond, np.float64), len(rows))
        answers = np.full(len(rows), np.inf)
        for first in range(0, len(rows), 16 * CHUNK):
            part = slice(first, first + 16 * CHUNK)
            answers[part] = self._separations(rows[part], times[part], beyond[part])
        return answers

    def overlap_before(self, until: Floats, depths: Floats, levels: int = 17) -> Floats:
        """Find a time before `until` at which a pair overlaps by more than a depth; NaN if there is none.

        Samples ``2 ** levels`` equal steps, but skips those in which nothing can happen: around a time at which two
        solids are further apart than their points move on either side of it.
        """
        found = np.full(len(self), np.nan)
        speeds = self.speeds * until
        rows, lows = np.arange(len(self)), np.zeros(len(self))
        for level in range(levels):
            half = 0.5 ** (level + 1)
            times = (lows + half) * until[rows]
            gaps = self.separations(rows, times, speeds[rows] * half)
            deep = gaps < -depths[rows]
            found[rows[deep]] = times[deep]
            open_still = (gaps + depths[rows] <= speeds[rows] * half) & np.isnan(found[rows])
            rows, lows = rows[open_still], lows[open_still]
            rows, lows = np.concatenate([rows, rows]), np.concatenate([lows, lows + half])
        return found

    def _separations(self, rows: Ints, times: Floats, beyond: Floats) -> Floats:
        poses, pieces = self.poses(rows, times), self.pieces
        apart = poses[:, 1, :2] - poses[:, 0, :2]
        cos, sin = np.cos(poses[:, 0, 2]), np.sin(poses[:, 0, 2])
        turn = poses[:, 1, 2] - poses[:, 0, 2]
        # Everything is relative to the frame of the first solid.
        frames = (
            cos * apart[:, 0] + sin * apart[:, 1],
            cos * apart[:, 1] - sin * apart[:, 0],
            np.cos(turn),
            np.sin(turn),
        )
        owners, of_a, of_b = self._piece_pairs(rows)
        dx, dy, c, s = (values[owners] for values in frames)
        x, y = pieces.middles[of_b].T
        far = np.hypot(*(np.array([c * x - s * y + dx, s * x + c * y + dy]) - pieces.middles[of_a].T))
        bounds = far - pieces.reaches[of_a] - pieces.reaches[of_b]
        answers = np.full(len(rows), np.inf)
        near = bounds <= beyond[owners]
        np.minimum.at(answers, owners[~near], bounds[~near])
        owners, of_a, of_b = owners[near], of_a[near], of_b[near]
        keys = (16 * pieces.sides[of_a] + pieces.sides[of_b]).astype(np.uint8)
        order = np.argsort(keys, kind="stable")
        edges = np.flatnonzero(np.diff(keys[order])) + 1
        for group in np.split(order, edges):
            for first in range(0, len(group), CHUNK):
                some = group[first : first + CHUNK]
                who = owners[some]
                gaps = _measured(pieces, of_a[some], of_b[some], [f[who] for f in frames], beyond[who])
                np.minimum.at(answers, who, gaps)
        return answers

    def _piece_pairs(self, rows: Ints) -> tuple[Ints, Ints, Ints]:
        """Return all pairs of pieces: the index of their row, and both pieces."""
        counts, firsts = self.pieces.counts[self.chosen[rows]], self.pieces.firsts[self.chosen[rows]]
        totals = counts.prod(axis=1)
        owners = np.repeat(np.arange(len(rows)), totals)
        numbers = np.arange(len(owners)) - np.repeat(np.cumsum(totals) - totals, totals)
        return owners, firsts[owners, 0] + numbers // counts[owners, 1], firsts[owners, 1] + numbers % counts[owners, 1]


def _measured(pieces: Pieces, of_a: Ints, of_b: Ints, frames: Sequence[Floats], beyond: Floats) -> Floats:
    """Return separations of pairs of pieces. All first pieces have equally many corners, and so do all second ones."""
    dx, dy, cos, sin = frames
    side_a, side_b = int(pieces.sides[of_a[0]]), int(pieces.sides[of_b[0]])
    rows_a, rows_b = pieces.places[of_a], pieces.places[of_b]
    a = np.ascontiguousarray(pieces.corners[side_a][rows_a].transpose(1, 2, 0))
    b = pieces.corners[side_b][rows_b].transpose(1, 2, 0)
    b = np.stack([cos * b[:, 0] - sin * b[:, 1] + dx, sin * b[:, 0] + cos * b[:, 1] + dy], axis=1)
    normals_a = pieces.normals[side_a][rows_a].transpose(1, 2, 0)
    normals_b = pieces.normals[side_b][rows_b].transpose(1, 2, 0)
    normals_b = np.stack(
        [cos * normals_b[:, 0] - sin * normals_b[:, 1], sin * normals_b[:, 0] + cos * normals_b[:, 1]], 1
    )
    gaps = np.full(len(of_a), -np.inf)
    for corners, normals, others in ((a, normals_a, b), (b, normals_b, a)):
        for (x, y), (nx, ny) in zip(corners, normals, strict=False):
            np.maximum(gaps, (nx * others[:, 0] + ny * others[:, 1]).min(axis=0) - (nx * x + ny * y), out=gaps)
    radii = pieces.radii[of_a] + pieces.radii[of_b]
    sizes = pieces.reaches[of_a] + pieces.reaches[of_b] + abs(pieces.middles[of_a] + pieces.middles[of_b]).sum(axis=1)
    shallow = -SHALLOW_UNITS * (abs(dx) + abs(dy) + sizes)
    # Where two corners are nearest to each other, the axes give less than the distance. Two points have no axes.
    unsure = ((gaps >= shallow) & (gaps - radii <= beyond)) | (side_a + side_b == 2)
    answers = gaps - radii
    if unsure.any():
        a, b = a[..., unsure], b[..., unsure]
        nearest = np.minimum(_squared_distances(a, b), _squared_distances(b, a))
        answers[unsure] = np.sqrt(nearest) - radii[unsure]
    return answers


def _squared_distances(corners: Floats, others: Floats) -> Floats:
    """Return the least squared distance of the corners of one piece from the edges of another, per pair."""
    nearest = np.full(corners.shape[2], np.inf)
    for number, (x, y) in enumerate(others):
        end_x, end_y = others[(number + 1) % len(others)]
        edge_x, edge_y = end_x - x, end_y - y
        squared = edge_x * edge_x + edge_y * edge_y if len(others) > 1 else 1.0
        for corner_x, corner_y in corners:
            way_x, way_y = corner_x - x, corner_y - y
            along = np.minimum(np.maximum((way_x * edge_x + way_y * edge_y) / squared, 0.0), 1.0)
            way_x -= along * edge_x
            way_y -= along * edge_y
            np.minimum(nearest, way_x * way_x + way_y * way_y, out=nearest)
    return nearest


TURNING_KINDS = (
    "box",
    "slender box",
    "quad",
    "triangle",
    "rounded polygon",
    "off-centre capsule",
    "off-centre segment",
    "circle",
    "concave polygon",
    "rounded concave polygon",
    "compound",
)


def random_turner(rng: np.random.Generator, kind: str, size: float) -> Any:
    """Make a solid of a kind, about `size` across; its origin is seldom its centre."""
    match kind:
        case "box":
            return im.Box(*(size * rng.uniform(0.2, 2, 2)))
        case "slender box":
            return im.Box(*rng.permutation([2 * size, 0.02 * size]))
        case "circle":
            return im.Circle(size * rng.uniform(0.2, 1))
        case "quad" | "triangle":
            count = 4 if kind == "quad" else 3
            angles = (np.arange(count) + rng.uniform(0, 0.95, count)) * (2 * np.pi / count)
            corners = np.column_stack([np.cos(angles), np.sin(angles)]) + rng.choice([0.0, 1.0], 2) * 0.7
            return im.Polygon(size * corners)
        case "rounded polygon":
            return im.Polygon(size * convex_outline(rng)[:6], size * rng.uniform(0.02, 0.5))
        case "off-centre capsule" | "off-centre segment":
            a, b = rng.uniform(-1, 1, (2, 2)) * size
            radius = size * rng.uniform(0.01, 0.5) if kind == "off-centre capsule" else 0.0
            return im.Capsule((0.0, 0.0) if rng.random() < 0.5 else tuple(a), tuple(b), radius)
        case "concave polygon" | "rounded concave polygon":
            return im.Polygon(size * concave_outline(rng), size * rng.uniform(0.02, 0.2) if "rounded" in kind else 0.0)
    simple = [name for name in TURNING_KINDS if "concave" not in name and name != "compound"]
    parts = [
        (random_turner(rng, rng.choice(simple), 0.6 * size), im.Pose(*(size * rng.uniform(-1, 1, 2)), angle))
        for angle in rng.uniform(-np.pi, np.pi, rng.integers(2, 4))
    ]
    return im.Compound(parts)


def random_turners(
    rng: np.random.Generator, count: int, kinds: Sequence[str], sizes: tuple[float, float]
) -> tuple[Catalogue, Pieces]:
    """Make solids of some kinds in turn. Their sizes are between two bounds, all magnitudes equally likely."""
    low, high = np.log(sizes[0]), np.log(sizes[1])
    catalogue = Catalogue(
        [random_turner(rng, kinds[index % len(kinds)], np.exp(rng.uniform(low, high))) for index in range(count)]
    )
    return catalogue, Pieces(catalogue)


def random_courses(
    rng: np.random.Generator, catalogue: Catalogue, pieces: Pieces, count: int, place: float, turns: float
) -> Courses:
    """Draw pairs that start apart or nearly so, and meet about every second time, somewhere up to `place` away.

    A tenth of the solids does not rotate. The others rotate in either direction by up to `turns`, all magnitudes
    equally likely. A third of the pairs is under acceleration, of one solid or of both.
    """
    chosen = rng.integers(0, len(catalogue.solids), (count, 2))
    reach = catalogue.reaches[chosen].sum(axis=1)
    starts, ends = np.empty((2, count, 2, 3))
    starts[:, 0, :2] = rng.uniform(-place, place, (count, 2))
    direction = rng.uniform(-np.pi, np.pi, count)
    towards = np.column_stack([np.cos(direction), np.sin(direction)]) * reach[:, None]
    starts[:, 1, :2] = starts[:, 0, :2] + towards * rng.uniform(0.4, 1.6, count)[:, None]
    starts[..., 2] = rng.uniform(-np.pi, np.pi, (count, 2))
    common = rng.normal(0, 1, (count, 2)) * reach[:, None] * rng.integers(0, 2, count)[:, None]
    ends[:, 0, :2] = starts[:, 0, :2] + common
    away = rng.normal(0, 0.8, (count, 2)) * reach[:, None] - towards * rng.uniform(0, 2, count)[:, None]
    ends[:, 1, :2] = starts[:, 1, :2] + common + away * rng.choice([0.0, 0.3, 1.0], count, p=[0.1, 0.4, 0.5])[:, None]
    spins = np.exp(rng.uniform(np.log(0.01), np.log(turns), (count, 2))) * 2 * np.pi * rng.choice([-1, 1], (count, 2))
    ends[..., 2] = starts[..., 2] + spins * (rng.random((count, 2)) < 0.9)
    accelerations = rng.normal(0, 2, (count, 2, 2)) * reach[:, None, None] * (rng.random((count, 2, 1)) < 0.2)
    return Courses(catalogue, pieces, chosen, starts, ends, accelerations)
