"""The first contact of outlines that translate: the oracle for the time of impact of moving solids.

It uses raw outlines, convex or not: every corner of one is cast along the relative motion on every edge of the other,
and vice versa. Nothing is split into pieces, no difference of shapes is built, and time is not stepped. Overlaps at the
start come from Shapely. The oracle cannot tell an approach from a graze. Instead it also solves the case shifted
slightly to the side. Where that answer differs, the case is undecided.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import shapely
from numpy.polynomial.polynomial import polyval
from numpy.typing import NDArray

from shapely_solids import NOISE_UNITS, Catalogue, Floats, Ints, Pairs

Bools: TypeAlias = NDArray[np.bool_]

# Outlines are padded to one of these numbers of corners, so that outlines of one number are one array.
COUNTS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256)
CASTS_AT_ONCE = 1 << 18  # intermediate results fit into a few megabytes
REAL = 1e-7  # imaginary part below which a root of multiplicity two may be real, in frames


@dataclass
class Judgement:
    """The answers for moving pairs.

    Attributes
    ----------
    times : (m,) float64
        First contacts, from 0; also those after the frame's end. Infinity without one.
    is_hit : (m,) bool
        Whether they touch within the frame and are apart at its start.
    is_overlapping : (m,) bool
        Whether they overlap at the start.
    is_decided : (m,) bool
        Whether the answer is the same everywhere within the margin. It is not where they graze, or almost touch at one
        of the ends of the frame.
    errors : (m,) float64
        How far rounding may move the time, in frames.
    """

    times: Floats
    is_hit: Bools
    is_overlapping: Bools
    is_decided: Bools
    errors: Floats


def judged(pairs: Pairs, ways: Floats, bends: Floats | None = None, *, margins: Floats | None = None) -> Judgement:
    """Judge the motions of the second solids of pairs, relative to the first ones.

    Parameters
    ----------
    pairs
        Their poses at the start.
    ways : (m, 2)
        Relative motion from the frame's start to its end.
    bends : (m, 2)
        Relative accelerations, in units per frame squared, none of them zero. Without it, paths are straight.
    margins : (m,)
        Within this distance, in units, a case is undecided. The default is twice the slop.
    """
    lengths = np.hypot(*ways.T) + (0.0 if bends is None else np.hypot(*bends.T))
    noise = pairs.noise + NOISE_UNITS * lengths
    margins = 2.0 * pairs.slops + noise if margins is None else margins
    times = first_touches(pairs, ways, bends)
    if bends is None:
        aside = np.column_stack([-ways[:, 1], ways[:, 0]]) / lengths[:, None]
        directions = [aside, -aside]
    else:
        directions = [np.tile(direction, (len(pairs), 1)) for direction in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    nearby = np.stack([first_touches(pairs.moved(margins[:, None] * aside), ways, bends) for aside in directions])
    is_overlapping = pairs.gaps() <= 0.0
    near_end = abs(times - 1.0) <= 4.0 * margins / lengths + 1e-12
    with np.errstate(invalid="ignore"):
        jumps = np.where(np.isinf(times), 0.0, abs(nearby - times)).max(axis=0)
    is_same = ((nearby <= 1.0) == (times <= 1.0)).all(axis=0) & ((times > 1.0) | (jumps < 1e-4))
    is_decided = is_same & ~near_end & ~_is_within(pairs, 2.0 * margins)
    is_decided[is_overlapping] = ~_is_within(pairs[is_overlapping], 2.0 * margins[is_overlapping])
    errors = noise / lengths + jumps * noise / margins
    return Judgement(times, (times <= 1.0) & ~is_overlapping, is_overlapping, is_decided, errors)


def _is_within(pairs: Pairs, margins: Floats) -> Bools:
    """Return whether a shift of the second solid by a margin may separate a pair, or let it touch."""
    directions = ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0))
    touch = [pairs.moved(margins[:, None] * direction).gaps() <= 0.0 for direction in directions]
    return np.any(touch, axis=0) & ~np.all(touch, axis=0)


def first_touches(pairs: Pairs, ways: Floats, bends: Floats | None = None) -> Floats:
    """Return the first time, from 0, at which pairs touch that are apart at the start; infinity if they never do.

    Grazing counts as a touch. The time may be after the frame's end.
    """
    times = np.full(len(pairs), np.inf)
    for owners, corners_a, corners_b, radii in _leaf_pairs(pairs):
        if bends is None:
            found = _straight(corners_a, corners_b, radii, ways[owners])
        else:
            found = _bent(corners_a, corners_b, radii, ways[owners] - 0.5 * bends[owners], 0.5 * bends[owners])
        np.minimum.at(times, owners, found)
    return times


def corners_of(catalogue: Catalogue, leaf: int) -> Floats:
    """Return the corners of a leaf in its solid's frame: one for a point, two for a segment."""
    coordinates = shapely.get_coordinates(catalogue.cores[leaf])
    return coordinates[:-1] if catalogue.cores[leaf].geom_type == "Polygon" else coordinates


def _leaf_pairs(pairs: Pairs) -> Iterator[tuple[Ints, Floats, Floats, Floats]]:
    """Return all pairs of leaves, in groups: their pair, corners (k, n, 2) relative to the first solid, and radii."""
    catalogue = pairs.catalogue
    corners = [corners_of(catalogue, leaf) for leaf in range(len(catalogue.cores))]
    sizes = np.array([next(count for count in COUNTS if count >= len(outline)) for outline in corners])
    slots, filled = np.empty(len(corners), np.int64), {}
    for size in np.unique(sizes):
        members = np.flatnonzero(sizes == size)
        slots[members] = np.arange(len(members))
        # Repeat the last corner. This gives edges of length zero, which nothing crosses.
        filled[size] = np.stack([corners[k][np.minimum(np.arange(size), len(corners[k]) - 1)] for k in members])
    owners, leaves_a, leaves_b = _combinations(pairs)
    radii = catalogue.radii[leaves_a] + catalogue.radii[leaves_b]
    groups = np.column_stack([sizes[leaves_a], sizes[leaves_b], radii > 0.0])
    for count_a, count_b, is_round in np.unique(groups, axis=0):
        rows = np.flatnonzero((groups == (count_a, count_b, is_round)).all(axis=1))
        step = max(1, CASTS_AT_ONCE // int(count_a * count_b))
        for chunk in (rows[start : start + step] for start in range(0, len(rows), step)):
            mine = owners[chunk]
            placed = [
                _turned(filled[count][slots[leaves[chunk]]], pairs.poses[mine, side, 2])
                for side, count, leaves in ((0, count_a, leaves_a), (1, count_b, leaves_b))
            ]
            yield mine, placed[0], placed[1] + pairs.offsets[mine, None], radii[chunk]


def _combinations(pairs: Pairs) -> tuple[Ints, Ints, Ints]:
    """Return each leaf of the first solid of a pair with each of the second: the pair, and both leaves."""
    catalogue = pairs.catalogue
    counts = catalogue.counts[pairs.chosen]
    totals = counts.prod(axis=1)
    owners = np.repeat(np.arange(len(pairs)), totals)
    numbers = np.arange(len(owners)) - np.repeat(np.cumsum(totals) - totals, totals)
    firsts = catalogue.firsts[pairs.chosen[owners]]
    return owners, firsts[:, 0] + numbers // counts[owners, 1], firsts[:, 1] + numbers % counts[owners, 1]


def _turned(corners: Floats, angles: Floats) -> Floats:
    cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]
    x, y = corners[..., 0], corners[..., 1]
    return np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)


def _straight(corners_a: Floats, corners_b: Floats, radii: Floats, ways: Floats) -> Floats:
    """Cast along straight paths: k rows of outlines, one first contact each.

    Coordinates are along the path and across it, multiplied by its length. With integers both are exact.
    """
    lengths = np.hypot(*ways.T)
    ahead_a, aside_a = _along(corners_a, ways)
    ahead_b, aside_b = _along(corners_b, ways)
    scaled = radii * lengths
    edges_a, edges_b = _sides(ahead_a, aside_a, scaled), _sides(ahead_b, aside_b, scaled)
    found = [
        *(_crossings(ahead_b, aside_b, *edges, 1.0) for edges in edges_a),
        *(_crossings(ahead_a, aside_a, *edges, -1.0) for edges in edges_b),
    ]
    if radii[0] > 0.0:
        found.append(_circles(ahead_a, aside_a, ahead_b, aside_b, scaled))
    with np.errstate(divide="ignore", invalid="ignore"):  # without relative motion nothing comes nearer
        times = np.min(found, axis=0) / lengths**2
    return np.where(np.isnan(times), np.inf, times)


def _along(corners: Floats, ways: Floats) -> tuple[Floats, Floats]:
    x, y = corners[..., 0], corners[..., 1]
    dx, dy = ways[:, :1], ways[:, 1:]
    return dx * x + dy * y, dx * y - dy * x


def _sides(x: Floats, y: Floats, radii: Floats) -> list[tuple[Floats, Floats, Floats, Floats]]:
    """Return the edges of outlines, from (x, y) to (x, y). With a radius, offset them by it to both sides.

    One of the two offset edges is inside. That is harmless: all its points are at that distance from the outline, so
    nothing is hit too early.
    """
    end_x, end_y = np.roll(x, -1, axis=1), np.roll(y, -1, axis=1)
    if radii[0] == 0.0:
        return [(x, y, end_x, end_y)]
    dx, dy = end_x - x, end_y - y
    lengths = np.hypot(dx, dy)
    with np.errstate(invalid="ignore"):
        nx, ny = radii[:, None] * dy / lengths, -radii[:, None] * dx / lengths
    return [(x + side * nx, y + side * ny, end_x + side * nx, end_y + side * ny) for side in (1.0, -1.0)]


def _crossings(x: Floats, y: Floats, ax: Floats, ay: Floats, bx: Floats, by: Floats, sign: float) -> Floats:
    """Return the least distance that corners (x, y) of each outline move along x to reach an edge, from zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = (bx - ax) / (by - ay)
        over = y[:, :, None] - ay[:, None]
        at = ax[:, None] + over * slopes[:, None]
        # Without the clip, rounding moves the hit far beyond the ends of an edge that is almost parallel to the path.
        at = np.clip(at, np.minimum(ax, bx)[:, None], np.maximum(ax, bx)[:, None])
        away = sign * (at - x[:, :, None])
        is_hit = (over * (y[:, :, None] - by[:, None]) <= 0.0) & (ay != by)[:, None] & (away >= 0.0)
    return np.where(is_hit, away, np.inf).min(axis=(1, 2))


def _circles(xa: Floats, ya: Floats, xb: Floats, yb: Floats, radii: Floats) -> Floats:
    """Return the least distance that corners (xb, yb) of each outline move along x to reach a circle, from zero."""
    half_squared = radii[:, None, None] ** 2 - (yb[:, None] - ya[:, :, None]) ** 2
    away = xa[:, :, None] - xb[:, None] - np.sqrt(np.maximum(half_squared, 0.0))
    return np.where((half_squared >= 0.0) & (away >= 0.0), away, np.inf).min(axis=(1, 2))


def _bent(corners_a: Floats, corners_b: Floats, radii: Floats, linear: Floats, square: Floats) -> Floats:
    """Cast along paths ``linear t + square t²``: k rows of outlines, one first contact each."""
    edges_a = _sides(corners_a[..., 0], corners_a[..., 1], radii)
    edges_b = _sides(corners_b[..., 0], corners_b[..., 1], radii)
    found = [
        *(_bent_crossings(corners_b, edges, linear, square) for edges in edges_a),
        *(_bent_crossings(corners_a, edges, -linear, -square) for edges in edges_b),
    ]
    if radii[0] > 0.0:
        found.append(_bent_circles(corners_a, corners_b, radii, linear, square))
    return np.min(found, axis=0)


def _bent_crossings(
    corners: Floats, edges: tuple[Floats, Floats, Floats, Floats], linear: Floats, square: Floats
) -> Floats:
    """Return the first times at which moving corners cross a resting edge: one quadratic per corner and edge."""
    ax, ay, bx, by = (coordinate[:, None] for coordinate in edges)
    dx, dy = bx - ax, by - ay
    x, y = corners[:, :, None, 0] - ax, corners[:, :, None, 1] - ay

    def across(vectors: Floats) -> Floats:
        return dx * vectors[:, 1, None, None] - dy * vectors[:, 0, None, None]

    def along(times: Floats) -> Floats:
        px = x + times * (linear[:, 0, None, None] + times * square[:, 0, None, None])
        py = y + times * (linear[:, 1, None, None] + times * square[:, 1, None, None])
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            return (px * dx + py * dy) / (dx * dx + dy * dy)

    first = np.full(len(corners), np.inf)
    for times in _quadratic_roots(across(square), across(linear), dx * y - dy * x):
        with np.errstate(invalid="ignore"):
            share = along(times)
            is_hit = (times >= 0.0) & (share >= 0.0) & (share <= 1.0)
        first = np.minimum(first, np.where(is_hit, times, np.inf).min(axis=(1, 2)))
    return first


def _quadratic_roots(a: Floats, b: Floats, c: Floats) -> tuple[Floats, Floats]:
    """Return the roots of a t² + b t + c, without cancellation; NaN or infinite where there is none."""
    with np.errstate(invalid="ignore", divide="ignore"):
        root = np.sqrt(b * b - 4.0 * a * c)
        half = -0.5 * (b + np.copysign(root, b))
        return half / a, c / half


def _bent_circles(corners_a: Floats, corners_b: Floats, radii: Floats, linear: Floats, square: Floats) -> Floats:
    """Return the first times at which moving corners reach circles around corners: quartics."""
    count = corners_a.shape[1] * corners_b.shape[1]
    away = (corners_b[:, None] - corners_a[:, :, None]).reshape(-1, 2)
    linear, square = np.repeat(linear, count, axis=0), np.repeat(square, count, axis=0)
    reach = np.repeat(radii, count)
    quartics = np.stack(
        [
            (away * away).sum(axis=1) - reach**2,
            2.0 * (away * linear).sum(axis=1),
            (linear * linear).sum(axis=1) + 2.0 * (away * square).sum(axis=1),
            2.0 * (linear * square).sum(axis=1),
            (square * square).sum(axis=1),
        ]
    )
    roots = _quartic_roots(quartics)
    return np.where(roots >= 0.0, roots, np.inf).min(axis=0).reshape(-1, count).min(axis=1)


def _quartic_roots(coefficients: Floats) -> Floats:
    """Return real roots (4, n) of n quartics (5, n), ascending coefficients; NaN for those that are not real.

    Eigenvalues of companion matrices, as in `numpy.roots`, then two steps of Newton's method.
    """
    companions = np.zeros((coefficients.shape[1], 4, 4))
    companions[:, [1, 2, 3], [0, 1, 2]] = 1.0
    companions[:, 0] = -(coefficients[3::-1] / coefficients[4]).T
    roots = np.linalg.eigvals(companions).T
    real = np.where(abs(roots.imag) < REAL, roots.real, np.nan)
    slopes = coefficients[1:] * np.arange(1.0, 5.0)[:, None]
    for _ in range(2):
        with np.errstate(invalid="ignore", divide="ignore"):
            step = polyval(real, coefficients, tensor=False) / polyval(real, slopes, tensor=False)
        real = np.where(abs(step) < 1e-6, real - step, real)
    return real


def exact_overlap(corners_a: Floats, corners_b: Floats, ways: Floats) -> tuple[Floats, Floats]:
    """Return when the insides of convex outlines start and stop to overlap, for all time; inf to -inf: never.

    Corners (m, n, 2) and (m, k, 2) are counter-clockwise and small integers. Then everything but the last division is
    exact, and two times are equal only if they are the same fraction.

    Notes
    -----
    Clips the path of one point against all half-planes that face a side of either outline (Cyrus and Beck, "Generalized
    two- and three-dimensional clipping", 1978).
    """
    normals = []
    for corners, sign in ((corners_a, 1.0), (corners_b, -1.0)):
        sides = np.roll(corners, -1, axis=1) - corners
        normals.append(sign * np.stack([sides[..., 1], -sides[..., 0]], axis=-1))
    faced = np.concatenate(normals, axis=1)
    heights = [faced @ corners.transpose(0, 2, 1) for corners in (corners_a, corners_b)]
    room = heights[0].max(axis=2) - heights[1].min(axis=2)  # how far the second may move along a normal until it is out
    speeds = (faced * ways[:, None]).sum(axis=2)
    is_side = (faced != 0.0).any(axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        times = room / speeds
    enter = np.where(is_side & (speeds < 0.0), times, -np.inf).max(axis=1)
    leave = np.where(is_side & (speeds > 0.0), times, np.inf).min(axis=1)
    is_never = (is_side & (speeds == 0.0) & (room <= 0.0)).any(axis=1) | (enter >= leave)
    return np.where(is_never, np.inf, enter), np.where(is_never, -np.inf, leave)
