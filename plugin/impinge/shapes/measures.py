"""Area, centroid and second moment of a solid: the union of rounded convex pieces, in closed form.

Each shape calls this at most once for each value. Nothing here is compiled, so do not call it in every frame.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Piece", "area_and_centroid", "squared_gyration"]

_Floats: TypeAlias = NDArray[np.float64]
_Rows: TypeAlias = NDArray[np.intp]

Piece: TypeAlias = tuple[_Floats, float]
"""The points (k, 2) of a convex polygon, counter-clockwise, and the radius that it is grown by.

One point makes a disk, two a capsule, more a rounded polygon.
"""

_THIN = 2.0**-100
"""Narrower curves, relative to the size of the solid, are dropped: their slope might not be a number."""

_DEEP_INSIDE = 1e-6
"""Depth, relative to the size of the solid, from which a crossing is certainly inside. On a vertical tangent, a
crossing may be off by the square root of the rounding, 1.5e-8."""

_TOUCH_HALF_CHORD = 1e-6
"""Half the length, in radii, up to which the chord of a line counts as a touch. The slabs are then cut at its middle.
The area beyond the chord is about 1e-18 r**2. A touch needs a cut: inside a slab, rounding would choose the order of
the curves for all of that slab. A touch next to an end of the line needs none, as the end is a cut already: the lines
of a rounded polygon begin and end at touches with the adjacent arcs. The square of this number is the gap, in radii, up
to which two circles touch."""

_GAUSS = 0.5 / math.sqrt(3.0)
"""Distance of the two Gauss points from the middle, in widths."""

_FEW_POINTS = 500
"""Up to this number of points, it takes longer to find the points inside other pieces than to cut at them."""

_AT_ONCE = 500_000
"""Number of rows in one batch. It bounds the memory, at some 100 bytes a row."""


def area_and_centroid(pieces: Sequence[Piece]) -> tuple[float, tuple[float, float]]:
    """Return the area of the union of pieces, and its centroid.

    Parameters
    ----------
    pieces
        At least one. They may overlap, share edges or be apart. The caller checks their values: all numbers are finite,
        no radius is negative, and the points are in convex position to rounding.

    Returns
    -------
    area : float
        Area of the union: overlaps count once.
    centroid : tuple of float
        Without any area: the mean of the segments, weighted by their lengths. Without any length: the mean of the
        points. In both cases, equal segments or points count each time. If any piece has an area, pieces without area
        do not count.

    Notes
    -----
    A single piece has the area A + P r + pi r**2, where A and P are the area and perimeter of its polygon. Its moment
    also has three terms: polygon, edges, and corners weighted by their turns (Schneider, *Convex Bodies: The
    Brunn-Minkowski Theory*, chapters 4 and 5: Steiner's formula and its moment vectors).

    Several pieces are cut into vertical slabs, at the ends and the crossings of their boundaries (Bentley and Ottmann,
    "Algorithms for reporting and counting geometric intersections", 1979). Within a slab, the boundaries keep their
    order. So sorting them at the middle of the slab gives the union from bottom to top, and lines and arcs integrate in
    closed form. Boundaries that coincide need no tolerance: they may come in any order, as there is no area between
    them. Crossings deep inside a piece change no boundary of the union, and need no cut. For a polygon with a radius,
    the number of cuts is then linear in its pieces (Kedem, Livne, Pach and Sharir, "On the union of Jordan regions and
    collision-free translational motion amidst polygonal obstacles", 1986).

    Examples
    --------
    A hammer has a head of 4 x 2, and a handle of 1 x 6 that ends in the head:

    >>> head = np.array([(-2.0, 5.0), (2.0, 5.0), (2.0, 7.0), (-2.0, 7.0)])
    >>> handle = np.array([(-0.5, 0.0), (0.5, 0.0), (0.5, 6.0), (-0.5, 6.0)])
    >>> area, (x, y) = area_and_centroid([(head, 0.0), (handle, 0.0)])
    >>> round(area, 12), round(x, 12), round(y, 12)
    (13.0, 0.0, 4.653846153846)

    A capsule with a radius of half a unit:

    >>> area, centroid = area_and_centroid([(np.array([(0.0, 0.0), (3.0, 0.0)]), 0.5)])
    >>> round(area - 3.0, 12) == round(math.pi / 4, 12), centroid
    (True, (1.5, 0.0))
    """
    scale = _scale(pieces)
    measures = _group_measures(pieces, scale)
    if not measures:
        return 0.0, _edge_centroid([np.asarray(points, np.float64) for points, _ in pieces])
    total, middle, _ = _combined_measure(measures)
    x, y = (middle * scale).tolist()
    return total * scale * scale, (x, y)


def squared_gyration(pieces: Sequence[Piece]) -> float:
    """Return the mean squared distance from the centroid: the moment of inertia of a mass of one.

    Parameters
    ----------
    pieces
        As in `area_and_centroid`. Without any area: that of the segments, weighted by their lengths.

    Notes
    -----
    The method is that of `area_and_centroid`, with moments of one degree more.

    Examples
    --------
    For a box of 3 x 4, it is a twelfth of the square of the diagonal:

    >>> round(squared_gyration([(np.array([(0.0, 0.0), (3.0, 0.0), (3.0, 4.0), (0.0, 4.0)]), 0.0)]) * 12, 12)
    25.0
    """
    scale = _scale(pieces)
    measures = _group_measures(pieces, scale)
    if not measures:
        return _squared_gyration_of_edges([np.asarray(points, np.float64) / scale for points, _ in pieces]) * scale**2
    total, _, second = _combined_measure(measures)
    return second / total * scale * scale


def _scale(pieces: Sequence[Piece]) -> float:
    """Return a scale in which powers of lengths neither overflow nor underflow. A power of two loses no digits."""
    return 2.0 ** (math.frexp(max(float(np.abs(points).max()) + radius for points, radius in pieces))[1] - 1)


_Measure: TypeAlias = tuple[float, _Floats, float]
"""Area, centroid, and second moment around it."""


def _group_measures(pieces: Sequence[Piece], scale: float) -> list[_Measure]:
    """Return the measures of all groups of pieces that may overlap. Pieces without area are left out."""
    solids, measures = [], []
    for points, radius in pieces:
        solid = _rounded(np.asarray(points, np.float64) / scale, float(radius) / scale)
        measure = _measure_one(solid)
        if measure[0] > 0.0:
            solids.append(solid)
            measures.append(measure)
    return [
        measures[group[0]]
        if len(group) == 1
        else _measure_union([solids[i] for i in group], [measures[i][0] for i in group])
        for group in (_groups(solids) if solids else [])
    ]


def _combined_measure(measures: list[_Measure]) -> _Measure:
    origin = measures[0][1]
    total = math.fsum(area for area, _, _ in measures)
    middle = np.asarray(origin + sum(area / total * (centroid - origin) for area, centroid, _ in measures))
    apart = [area * float(((centroid - middle) ** 2).sum()) for area, centroid, _ in measures]
    return total, middle, math.fsum((*apart, *(second for _, _, second in measures)))


@dataclass(frozen=True, slots=True)
class _Rounded:
    """A piece with its normals, and without repeated points.

    Attributes
    ----------
    points : (k, 2)
        Corners, counter-clockwise, at least two: a single point is repeated.
    normals : (k, 2)
        Outward unit normals of the edges from each corner to the next. Those of a single point are right and left.
    radius
    """

    points: _Floats
    normals: _Floats
    radius: float

    @property
    def lower_left(self) -> _Floats:
        return np.asarray(self.points.min(axis=0) - self.radius)

    @property
    def upper_right(self) -> _Floats:
        return np.asarray(self.points.max(axis=0) + self.radius)


def _rounded(points: _Floats, radius: float) -> _Rounded:
    points = _without_repeats(points)
    if len(points) == 1:
        return _Rounded(np.repeat(points, 2, axis=0), np.array([(1.0, 0.0), (-1.0, 0.0)]), radius)
    edges = np.roll(points, -1, axis=0) - points
    lengths = np.hypot(edges[:, 0], edges[:, 1])
    normals = np.column_stack((edges[:, 1], -edges[:, 0])) / lengths[:, None]
    return _Rounded(points, np.clip(normals, -1.0, 1.0), radius)


def _without_repeats(points: _Floats) -> _Floats:
    new = (points != np.roll(points, 1, axis=0)).any(axis=1)
    return points[new] if new.any() else points[:1]


def _cross(a: _Floats, b: _Floats) -> _Floats:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def _dot(a: _Floats, b: _Floats) -> _Floats:
    return np.asarray(a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1])


def _measure_one(piece: _Rounded) -> _Measure:
    """Return the measure of one piece. Without area, its other values have no meaning."""
    low, high = piece.points.min(axis=0), piece.points.max(axis=0)
    origin = low + (high - low) / 2.0
    points = piece.points - origin
    following = np.roll(points, -1, axis=0)
    # A fan of triangles from one corner. Clamping at zero keeps the centroid inside a sliver that is all rounding.
    triangles = np.maximum(_cross(points - points[0], following - points[0]), 0.0) / 2.0
    bands = piece.radius * np.hypot(*(following - points).T)
    came = np.roll(piece.normals, 1, axis=0)
    turns = np.arctan2(np.abs(_cross(came, piece.normals)), _dot(came, piece.normals))
    sectors = piece.radius * piece.radius * turns / 2.0
    area = math.fsum((*triangles, *bands, math.pi * piece.radius * piece.radius))
    # Bands are beside their edges, and sectors beside their corners; around a closed outline, these offsets cancel.
    moment = triangles @ (points + following + points[0]) / 3.0 + bands @ (points + following) / 2.0 + sectors @ points
    if not area > 0.0:
        return area, origin, 0.0
    squares = ((points + points[0]) ** 2 + (following + points[0]) ** 2 + (points + following) ** 2).sum(axis=1)
    middles = (points + following + piece.radius * piece.normals) / 2.0
    lengths = ((following - points) ** 2).sum(axis=1)
    # Together, the sectors form a disk. The offsets of their corners add to its second moment, and do not cancel.
    second = math.fsum(
        (
            *(triangles * squares / 12.0),
            *(bands * ((middles**2).sum(axis=1) + (piece.radius**2 + lengths) / 12.0)),
            *(sectors * (points**2).sum(axis=1)),
            *(piece.radius**3 * _cross(points, piece.normals - came) / 1.5),
            math.pi * piece.radius**4 / 2.0,
        )
    )
    return area, origin + moment / area, second - float((moment**2).sum()) / area


def _edge_centroid(outlines: list[_Floats]) -> tuple[float, float]:
    origin = outlines[0][0]
    starts = np.concatenate(outlines) - origin
    ends = np.concatenate([np.roll(points, -1, axis=0) for points in outlines]) - origin
    lengths = np.hypot(*(ends - starts).T)
    if not lengths.any():
        lengths = np.ones(len(starts))
    x, y = (origin + lengths @ (starts + ends) / (2.0 * lengths.sum())).tolist()
    return x, y


def _squared_gyration_of_edges(outlines: list[_Floats]) -> float:
    middle = _edge_centroid(outlines)
    starts = np.concatenate(outlines) - middle
    ends = np.concatenate([np.roll(points, -1, axis=0) for points in outlines]) - middle
    lengths = np.hypot(*(ends - starts).T)
    if not lengths.any():
        lengths = np.ones(len(starts))
    squares = (starts**2 + starts * ends + ends**2).sum(axis=1) / 3.0
    return float(lengths @ squares / lengths.sum())


def _groups(solids: list[_Rounded]) -> list[_Rows]:
    """Split the pieces into groups whose bounds do not overlap those of other groups."""
    low = np.array([solid.lower_left for solid in solids])
    high = np.array([solid.upper_right for solid in solids])
    labels = np.arange(len(solids))
    links = [
        (i[meet], j[meet])
        for i, j in _overlapping_intervals(low[:, 0], high[:, 0])
        if (meet := (low[i, 1] <= high[j, 1]) & (low[j, 1] <= high[i, 1])).any()
    ]
    while True:
        before = labels.copy()
        for i, j in links:
            least = np.minimum(labels[i], labels[j])
            np.minimum.at(labels, i, least)
            np.minimum.at(labels, j, least)
        labels = labels[labels]
        if (labels == before).all():
            return [np.flatnonzero(labels == label) for label in np.unique(labels)]


def _overlapping_intervals(left: _Floats, right: _Floats) -> Iterator[tuple[_Rows, _Rows]]:
    """Yield all pairs of intervals that overlap or touch, each once, in batches."""
    order = np.argsort(left, kind="stable")
    first = np.arange(1, len(left) + 1)
    last = np.maximum(np.searchsorted(left[order], right[order], side="right"), first)
    for begin, end in _row_batches(last - first):
        rows, partners = _spread(first[begin:end], last[begin:end])
        yield order[rows + begin], order[partners]


def _row_batches(counts: _Rows) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows whose counts add up to at most `_AT_ONCE`. A row with a larger count is a range alone."""
    total = np.cumsum(counts)
    begin, done = 0, 0
    while begin < len(counts):
        end = max(int(np.searchsorted(total, done + _AT_ONCE, side="right")), begin + 1)
        yield begin, end
        begin, done = end, int(total[end - 1])


def _spread(first: _Rows, last: _Rows) -> tuple[_Rows, _Rows]:
    """Return the numbers first[i] to last[i] - 1 for all i, and before them an array with the i of each number."""
    counts = last - first
    rows = np.repeat(np.arange(len(first)), counts)
    return rows, np.arange(len(rows)) + (first - np.cumsum(counts) + counts)[rows]


@dataclass(frozen=True, slots=True)
class _Curves:
    """Parts of boundaries as graphs over x: y + slope * (u - x) + bend * sqrt(radius**2 - (u - x)**2) at u.

    Attributes
    ----------
    left, right : (n,)
        First and last x of the curve.
    x, y : (n,)
        A point of the line, or the centre of the arc.
    slope : (n,)
        Of the line; 0 for an arc.
    radius : (n,)
        Of the arc; 0 for a line.
    bend : (n,)
        1 for the upper half of a circle, -1 for the lower one, 0 for a line.
    step : (n,)
        Change of the number of covering pieces across the curve, upwards: 1 or -1.
    owner : (n,)
        Index of the piece that it bounds.
    """

    left: _Floats
    right: _Floats
    x: _Floats
    y: _Floats
    slope: _Floats
    radius: _Floats
    bend: _Floats
    step: _Floats
    owner: _Rows

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> _Curves:
        return _Curves(*(getattr(self, field.name)[rows] for field in fields(self)))

    def at(self, u: _Floats) -> _Floats:
        away = u - self.x
        return np.asarray(self.y + self.slope * away + self.bend * _half_chord(away, self.radius))

    def moments(self, left: _Floats, right: _Floats) -> _Floats:
        """Integrate y, x y, y**2 / 2 and x**2 y + y**3 / 3 from `left` to `right`: (4, n).

        Each sum starts with the line, or the height of the arc's centre. The part of the half circle follows.
        """
        width, middle = right - left, (left + right) / 2.0
        y = self.y + self.slope * (middle - self.x)
        rise = self.slope * width / 2.0
        a, b = (np.clip(u - self.x, -self.radius, self.radius) for u in (left, right))
        chord_a, chord_b = _half_chord(a, self.radius), _half_chord(b, self.radius)
        # Near an extreme, the quotient in arcsin(b / radius) has too few digits: an error of up to 1e-9 of the area.
        turned = np.arctan2(b, chord_b) - np.arctan2(a, chord_a)
        under = self.bend * (b * chord_b - a * chord_a + self.radius**2 * turned) / 2.0
        tilt = self.bend * (chord_a**3 - chord_b**3) / 3.0
        square = np.abs(self.bend) * width * (self.radius**2 - (a * a + a * b + b * b) / 3.0)
        # Integral of the half circle's height times the squared offset from its centre.
        far = self.bend * (a * chord_a**3 - b * chord_b**3) / 4.0 + self.radius**2 * under / 4.0
        # The integrand is a cubic, so two Gauss points give its exact integral.
        nodes = [(middle + share * width, y + 2.0 * share * rise) for share in (-_GAUSS, _GAUSS)]
        cubic = width * sum(u * u * v + v**3 / 3.0 for u, v in nodes) / 2.0
        round_part = (self.x**2 + y * y) * under + 2.0 * self.x * tilt + y * square
        return np.array(
            (
                width * y + under,
                width * (middle * y + width * rise / 6.0) + self.x * under + tilt,
                (width * (y * y + rise * rise / 3.0) + square) / 2.0 + y * under,
                cubic + round_part + (self.radius**2 * under + 2.0 * far) / 3.0,
            )
        )


def _half_chord(away: _Floats, radius: _Floats) -> _Floats:
    return np.asarray(np.sqrt(np.maximum((radius - away) * (radius + away), 0.0)))


def _measure_union(pieces: list[_Rounded], areas: list[float]) -> _Measure:
    low = np.min([piece.lower_left for piece in pieces], axis=0)
    high = np.max([piece.upper_right for piece in pieces], axis=0)
    origin, size = low + (high - low) / 2.0, float((high - low).max())
    pieces = [_Rounded(piece.points - origin, piece.normals, piece.radius) for piece in pieces]
    curves = _boundaries(pieces)
    curves = curves.take(curves.right - curves.left > _THIN * size)
    # At the extremes of a piece, its lower and upper boundaries meet: inside a slab, rounding could swap their order.
    # A vertical edge also needs a cut if both ends are deep inside others: its middle may be on the union's border.
    extremes = [(piece.lower_left[0], piece.upper_right[0]) for piece in pieces]
    cuts = np.concatenate((np.ravel(extremes), _cut_positions(curves, pieces, _DEEP_INSIDE * size)))
    area, x, y, second = _sum_over_slabs(curves, np.unique(cuts)).tolist()
    # For slivers thinner than the rounding, clamp the area to its possible range.
    area = min(max(area, max(areas)), math.fsum(areas))
    return area, np.clip(origin + np.array((x, y)) / area, low, high), second - (x * x + y * y) / area


def _boundaries(pieces: list[_Rounded]) -> _Curves:
    """Cut the boundaries of all pieces at their leftmost and rightmost points, and at the ends of arcs."""
    points = np.concatenate([piece.points for piece in pieces])
    normals = np.concatenate([piece.normals for piece in pieces])
    counts = np.array([len(piece.points) for piece in pieces])
    radius = np.repeat([piece.radius for piece in pieces], counts)
    owner = np.repeat(np.arange(len(pieces)), counts)
    last = np.cumsum(counts) - 1
    following, previous = np.arange(1, len(points) + 1), np.arange(-1, len(points) - 1)
    following[last] = last + 1 - counts
    previous[last + 1 - counts] = last

    upper = (normals[:, 1] > 0.0) | ((normals[:, 1] == 0.0) & (normals[:, 0] > 0.0))
    starts = points + radius[:, None] * normals
    ends = points[following] + radius[:, None] * normals
    none = np.zeros(len(points))
    with np.errstate(all="ignore"):  # vertical lines have no width, and are dropped later
        slope = (ends[:, 1] - starts[:, 1]) / (ends[:, 0] - starts[:, 0])
    lines = _Curves(
        np.minimum(starts[:, 0], ends[:, 0]),
        np.maximum(starts[:, 0], ends[:, 0]),
        *(starts[:, 0], starts[:, 1], slope, none, none, np.where(upper, -1.0, 1.0), owner),
    )
    # An arc runs counter-clockwise from the normal of one edge to that of the next: rightwards on the lower half, and
    # leftwards on the upper half. On a half that it enters or leaves at an extreme, it covers everything up to there.
    came_up, came, went = upper[previous], ends[previous, 0], starts[:, 0]
    x, y = points.T
    below = _Curves(
        np.where(came_up, x - radius, came),
        np.where(upper, x + radius, went),
        *(x, y, none, radius, none - 1.0, none + 1.0, owner),
    ).take(~came_up | ~upper)
    above = _Curves(
        np.where(upper, went, x - radius),
        np.where(came_up, came, x + radius),
        *(x, y, none, radius, none + 1.0, none - 1.0, owner),
    ).take(came_up | upper)
    parts = (below, lines.take(~upper), lines.take(upper), above)
    return _Curves(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(_Curves)))


def _cut_positions(curves: _Curves, pieces: list[_Rounded], buried: float) -> _Floats:
    """Return each x at which curves end or cross. Points that are certainly inside a piece are left out.

    Superfluous cuts do no harm.
    """
    ends = [np.column_stack((u, curves.at(u))) for u in (curves.left, curves.right)]
    places = np.concatenate((*ends, *_crossings(curves)))
    if len(places) > _FEW_POINTS:
        for piece in sorted(pieces, key=lambda piece: -np.prod(piece.upper_right - piece.lower_left)):
            places = places[~_is_deep_inside(piece, places, buried)]
    return places[:, 0]


def _crossings(curves: _Curves) -> Iterator[_Floats]:
    """Yield the points at which boundaries of different pieces cross."""
    heights = [curves.at(u) for u in (curves.left, curves.right, np.clip(curves.x, curves.left, curves.right))]
    low, high = np.min(heights, axis=0), np.max(heights, axis=0)
    for i, j in _overlapping_intervals(curves.left, curves.right):
        meet = (low[i] <= high[j]) & (low[j] <= high[i]) & (curves.owner[i] != curves.owner[j])
        i, j = i[meet], j[meet]
        round_first = curves.radius[i] > curves.radius[j]
        i, j = np.where(round_first, j, i), np.where(round_first, i, j)
        i_is_round, j_is_round = curves.radius[i] > 0.0, curves.radius[j] > 0.0
        for solve, rows in (
            (_line_line_crossings, ~j_is_round),
            (_line_circle_crossings, ~i_is_round & j_is_round),
            (_circle_circle_crossings, i_is_round),
        ):
            yield _common_points(solve, curves.take(i[rows]), curves.take(j[rows]))


def _common_points(solve: Callable[[_Curves, _Curves], list[_Floats]], one: _Curves, other: _Curves) -> _Floats:
    found = []
    left, right = np.maximum(one.left, other.left), np.minimum(one.right, other.right)
    with np.errstate(all="ignore"):  # parallel, apart or concentric curves: x is NaN, or outside of both
        for x in solve(one, other):
            # The flatter curve gives y: on a steep line, rounding in x changes y by much.
            y = np.where(np.abs(one.slope) <= np.abs(other.slope), one.at(x), other.at(x))
            found.append(np.column_stack((x, y))[(left < x) & (x < right)])
    return np.concatenate(found)


def _line_line_crossings(one: _Curves, other: _Curves) -> list[_Floats]:
    return [one.x + (other.y - one.y + other.slope * (one.x - other.x)) / (one.slope - other.slope)]


def _line_circle_crossings(line: _Curves, circle: _Curves) -> list[_Floats]:
    above = line.y - circle.y + line.slope * (circle.x - line.x)
    stretch = 1.0 + line.slope**2
    foot = circle.x - above * line.slope / stretch
    square = circle.radius**2 * stretch - above**2
    graze = _TOUCH_HALF_CHORD * circle.radius * np.sqrt(stretch)
    root = np.where(np.abs(square) > graze**2, np.sqrt(square), 0.0) / stretch
    ends = np.maximum(line.left, circle.left), np.minimum(line.right, circle.right)
    at_end = np.min([np.abs(foot - end) for end in ends], axis=0) * stretch < graze
    return [np.where((root == 0.0) & at_end, np.nan, foot + sign * root) for sign in (-1.0, 1.0)]


def _circle_circle_crossings(one: _Curves, other: _Curves) -> list[_Floats]:
    dx, dy = other.x - one.x, other.y - one.y
    apart = np.hypot(dx, dy)
    # (r - s)(r + s) keeps its digits for circles of nearly equal size; r r - s s does not.
    along = (apart + (one.radius - other.radius) * (one.radius + other.radius) / apart) / 2.0
    aside = np.sqrt((one.radius - along) * (one.radius + along))
    gaps = np.abs(apart - np.abs(one.radius - other.radius)), np.abs(apart - one.radius - other.radius)
    grazes = np.minimum(*gaps) <= _TOUCH_HALF_CHORD**2 * np.minimum(one.radius, other.radius)
    foot = np.where(grazes, one.x + np.copysign(one.radius, along) * dx / apart, np.nan)
    return [foot, *(one.x + (along * dx + sign * aside * dy) / apart for sign in (-1.0, 1.0))]


def _is_deep_inside(piece: _Rounded, places: _Floats, depth: float) -> NDArray[np.bool_]:
    """Return which points are certainly inside a piece, deeper than `depth`. It may miss a few of them."""
    (left, bottom), (right, top) = piece.lower_left, piece.upper_right
    x, y = places.T
    rows = np.flatnonzero((left < x) & (x < right) & (bottom < y) & (y < top))
    x, y = x[rows], y[rows]
    reach = piece.radius - depth
    outside, nearest = np.full(len(rows), -np.inf), np.full(len(rows), np.inf)
    edges = np.roll(piece.points, -1, axis=0) - piece.points
    for (px, py), (nx, ny), (ex, ey) in zip(piece.points, piece.normals, edges, strict=True):
        dx, dy = x - px, y - py
        np.maximum(outside, nx * dx + ny * dy, out=outside)
        if reach > 0.0:
            square = ex * ex + ey * ey
            along = np.clip((dx * ex + dy * ey) / square, 0.0, 1.0) if square > 0.0 else 0.0
            np.minimum(nearest, (dx - along * ex) ** 2 + (dy - along * ey) ** 2, out=nearest)
    inside = np.zeros(len(places), np.bool_)
    # Below -depth, not 0: on the line of a capsule, beyond its ends too, `outside` is zero up to rounding.
    inside[rows] = (outside < -depth) | (nearest < max(reach, 0.0) ** 2)
    return inside


def _sum_over_slabs(curves: _Curves, cuts: _Floats) -> _Floats:
    """Return the integrals of 1, x, y and x**2 + y**2 over what at least one piece covers."""
    middles = (cuts[:-1] + cuts[1:]) / 2.0
    first, last = np.searchsorted(middles, curves.left), np.searchsorted(middles, curves.right)
    changes = np.bincount(first, minlength=len(cuts)) - np.bincount(last, minlength=len(cuts))
    sums = np.zeros(4)
    for begin, end in _row_batches(np.cumsum(changes)[:-1]):
        rows, slabs = _spread(np.clip(first, begin, end), np.clip(last, begin, end))
        # Lower boundaries come before upper ones, and the sort is stable: pieces that touch leave no gap.
        order = np.lexsort((curves.take(rows).at(middles[slabs]), slabs))
        rows, slabs = rows[order], slabs[order]
        steps = curves.step[rows]
        depth = np.cumsum(steps)
        # Each slab counts anew. Arcs of almost no turn may be out of order by the last bit. Then a slab as wide as that
        # bit may have the lower boundary of a piece, but not the upper one.
        starts = np.flatnonzero(np.diff(slabs, prepend=-1))
        depth -= np.repeat(depth[starts] - steps[starts], np.diff(starts, append=len(slabs)))
        outer = np.flatnonzero(np.where(steps > 0, depth == 1, depth == 0))
        slabs = slabs[outer]
        sums -= curves.take(rows[outer]).moments(cuts[slabs], cuts[slabs + 1]) @ steps[outer]
    return sums
