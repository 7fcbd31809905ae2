"""Queries of two shapes for arrays of pairs, in one call for all of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from impinge.caching import cached_property
from impinge.checks import LARGEST, coordinates, first_wrong, flag, is_cuda, numbers
from impinge.errors import ShapeError
from impinge.kernels import columns as col
from impinge.kernels import entry
from impinge.kernels.arrays import DiskHits, MovingSolids
from impinge.kernels.pair import solids as packing
from impinge.motion import Pose
from impinge.query.impacts import feature_of
from impinge.sector.sectors import Sector, Walls, checked_pose, checked_sector, facing, visible_cells
from impinge.shapes.solids import Solid, checked_solid
from impinge.sides import Side
from impinge.threads import checked_threads, parts, run_all

__all__ = [
    "Contacts",
    "DeviceImpacts",
    "Impacts",
    "PushBatch",
    "SectorHits",
    "Separations",
    "Solids",
    "contact",
    "distance",
    "overlapping_pairs",
    "overlaps",
    "push_boxes",
    "sector_hits",
    "time_of_impact",
]

# Posed solids: their rows, the first column of each, their poses with angles, and their bounds.
Standing: TypeAlias = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]
# Pairs, or disks, for which another thread pays: they take some 0.1 ms. Handing it out takes 0.05 ms, but a time slice
# of 3 ms if other programs keep the processors busy. A game would miss a frame then, so the default is one thread.
OVERLAPS_OF_A_THREAD, CONTACTS_OF_A_THREAD, IMPACTS_OF_A_THREAD = 8_000, 400, 4_000
DISKS_OF_A_THREAD, PUSHES_OF_A_THREAD = 20_000, 500
# Up to this length, a stable sort takes less time than a search for equal numbers.
STABLE_SORT_LENGTH = 500


class Solids(Sequence[Solid]):
    """Solids in one packed array, for repeated queries at any poses.

    Parameters
    ----------
    shapes
        The solids. One solid may occur several times, each with its own pose.

    Raises
    ------
    ShapeError
        If one of them is not a solid.

    Examples
    --------
    >>> from impinge import Box, Circle
    >>> solids = Solids([Box(2, 2), Circle(1), Circle(1)])
    >>> len(solids), solids[1]
    (3, Circle(radius=1.0))
    """

    def __init__(self, shapes: Iterable[Solid]) -> None:
        if not isinstance(shapes, Iterable):
            raise ShapeError(f"shapes must be solid shapes, got {shapes!r}")
        self._shapes = tuple(checked_solid(f"shapes[{index}]", shape) for index, shape in enumerate(shapes))
        self._rows, self._firsts = packing.packed([shape.row for shape in self._shapes])
        self._spares: list[NDArray[np.float64]] = []
        # The largest coordinate for which the solids are shrunk enough; all rows, then the shrunk ones; first columns.
        self._drawn_in: tuple[float, NDArray[np.float64], NDArray[np.int64]] | None = None

    def __len__(self) -> int:
        return len(self._shapes)

    @overload
    def __getitem__(self, index: int) -> Solid: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Solid, ...]: ...
    def __getitem__(self, index: int | slice) -> Solid | tuple[Solid, ...]:
        return self._shapes[index]

    def __repr__(self) -> str:
        return f"<Solids: {len(self)}>"

    @contextmanager
    def _lent(self) -> Iterator[NDArray[np.float64]]:
        """Lend an array for all posed solids.

        The array is reused: a fresh 60 MB from the system in each frame takes as long as a query of 100,000 pairs.
        Concurrent threads get separate arrays.
        """
        try:
            room = self._spares.pop()
        except IndexError:
            room = np.empty_like(self._rows)
        try:
            yield room
        finally:
            self._spares.append(room)

    @contextmanager
    def _moving(self, motions: NDArray[np.float64]) -> Iterator[MovingSolids]:
        """Lend the solids in motion, with memory for their posed copies."""
        with self._lent() as standing:
            yield MovingSolids(self._rows, self._firsts, motions, standing, np.zeros(len(self), np.bool_))

    def _named(self, indices: NDArray[np.int64], found: NDArray[np.float64]) -> NDArray[np.int64]:
        """Convert features of the kernels to those of `Impacts`: part, kind and index."""
        kinds, points, alongs = found.T
        touched = np.flatnonzero(kinds >= 0.0)
        features = np.full((len(found), 3), -1, np.int64)
        first_names, names = self._names
        rows = names[first_names[indices[touched]] + points[touched].astype(np.int64)]
        is_edge = kinds[touched] == col.FEATURE_EDGE
        features[touched, 0], features[touched, 1] = rows[:, 0], is_edge
        features[touched, 2] = np.where(is_edge, rows[:, 2], rows[:, 1])
        for row in touched[is_edge & (rows[:, 2] < 0)].tolist():
            shape = self._shapes[indices[row]]
            feature = feature_of(shape, kinds[row], points[row], alongs[row])
            if feature is not None:
                features[row] = feature.part, feature.kind == "edge", feature.index
        return features

    @cached_property
    def _names(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the first name of each solid, and part, vertex and edge for each point of all pieces.

        The edge is -1 if the point belongs to several: the place of the contact decides which one it is.
        """
        names = [shape.names for shape in self._shapes]
        firsts = np.concatenate([[0], np.cumsum([len(own) for own in names], dtype=np.int64)])
        rows = [
            (name.part, name.vertex, name.edges[0][2] if len(name.edges) == 1 else -1) for own in names for name in own
        ]
        return firsts, np.array(rows, np.int64).reshape(-1, 3)

    def _standing_and_drawn_in(self, places: NDArray[np.float64]) -> Standing:
        """Return the posed solids, followed by the same n solids shrunk by twice the slop: n + i is i, shrunk."""
        packed, firsts = self._with_drawn_in(float(np.abs(places[:, :2]).max(initial=0.0)))
        twice, rows, bounds = np.concatenate((places, places)), np.empty_like(packed), np.empty((2 * len(places), 4))
        entry.pose_solids(packed, firsts, twice, rows, bounds)
        return rows, firsts, twice, bounds

    def _with_drawn_in(self, largest: float) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the rows of the solids, followed by those of the shrunk ones, for coordinates up to a size."""
        farthest = largest + float(self._rows[self._firsts[:-1] + col.FARTHEST].max(initial=0.0))
        # As in `Solid.drawn_in`, cached for a range of coordinates: shrinking and packing takes longer than the query.
        if self._drawn_in is None or not farthest <= self._drawn_in[0] <= 4.0 * farthest + 1.0:
            reach = 2.0 ** math.ceil(math.log2(farthest + 1.0))
            drawn = [shape.drawn_in(reach) for shape in self._shapes]
            self._drawn_in = reach, *packing.packed([*(shape.row for shape in self._shapes), *drawn])
        return self._drawn_in[1:]

    def _standing(self, poses: ArrayLike) -> Standing:
        """Return the posed solids: rows, first columns, poses with angles, and bounds."""
        places = _rows_of("poses", poses, len(self), (2, 3))
        rows, bounds = np.empty_like(self._rows), np.empty((len(self), 4))
        entry.pose_solids(self._rows, self._firsts, places, rows, bounds)
        return rows, self._firsts, places, bounds


@dataclass(frozen=True, slots=True, eq=False)
class Separations:
    """The result of `distance`: row i belongs to pair i, as an `impinge.Separation`.

    Attributes
    ----------
    distances : (m,) float64
        Distances in the game's units; negative where the solids overlap.
    points_a, points_b : (m, 2) float64
        Witness points, in the game's units.
    normals : (m, 2) float64
        Unit vectors, from a to b.

    Examples
    --------
    >>> from impinge import Circle
    >>> apart = distance(Solids([Circle(1), Circle(2)]), [(0, 0), (6, 8)], [(0, 1)])
    >>> apart.distances, apart.normals
    (array([7.]), array([[0.6, 0.8]]))
    """

    distances: NDArray[np.float64]
    points_a: NDArray[np.float64]
    points_b: NDArray[np.float64]
    normals: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Contacts:
    """The result of `contact`: row i belongs to pair i, as an `impinge.Contact`.

    Attributes
    ----------
    touching : (m,) bool
        Whether the pair has a contact. Without one, `counts` is 0 and all else is NaN.
    normals : (m, 2) float64
        Unit vectors, from a to b.
    depths : (m,) float64
        Distance by which b must move along the normal to separate the pair, in the game's units.
    counts : (m,) int64
        Number of points: 1 or 2.
    points : (m, 2, 2) float64
        The points, in the game's units. With one point, the second is NaN.
    point_depths : (m, 2) float64
        Depth at each point, in the game's units; NaN like the points.

    Examples
    --------
    >>> from impinge import Circle
    >>> found = contact(Solids([Circle(5), Circle(5), Circle(5)]), [(0, 0), (3, 4), (20, 0)], [(0, 1), (0, 2)])
    >>> found.touching, found.counts, found.point_depths
    (array([ True, False]), array([1, 0]), array([[ 5., nan],
           [nan, nan]]))
    """

    touching: NDArray[np.bool_]
    normals: NDArray[np.float64]
    depths: NDArray[np.float64]
    counts: NDArray[np.int64]
    points: NDArray[np.float64]
    point_depths: NDArray[np.float64]


def overlaps(
    solids: Solids,
    poses: ArrayLike,
    pairs: ArrayLike,
    *,
    include_touching: bool = True,
    threads: int | None = 1,
    device: str = "cpu",
) -> NDArray[np.bool_]:
    """Return for each pair whether both solids overlap, as `impinge.overlaps` does. Touching within the slop counts.

    Parameters
    ----------
    solids
        n solids.
    poses : (n, 2) or (n, 3)
        Pose of each solid: x and y in the game's units, and the angle in radians.
    pairs : (m, 2) int
        Indices of the solids.
    include_touching
        Whether touching counts. If not, only an overlap by more than the slop counts.
    threads
        Largest number of threads; None for one for each processor. Small calls use one. The result has the same bits
        for any number.
    device
        "cpu", or "cuda" for a GPU: see the notes.

    Returns
    -------
    (m,) bool
        On the device, if one of the arrays is.

    Raises
    ------
    ShapeError
        If an array has another shape, a number is not finite, or an index is out of range. The message names the
        argument, the row and the value. Also if `include_touching` is neither True nor False, `threads` is no positive
        integer, or `device` is no known device.
    DeviceError
        If `device` is "cuda", and numba-cuda, a driver or a GPU is missing.
    DeviceError
        If `device` is "cuda", and numba-cuda, a driver or a GPU is missing.

    Notes
    -----
    The method and the slop of `impinge.overlaps`: upright boxes by the projections on both axes ("Algoritmos para
    colisiones de boundings", Black Byte, 2010), all others by separating axes (Gottschalk et al., "OBBTree", 1996).

    With `device="cuda"`, arrays with `__cuda_array_interface__` or `__dlpack__`, as those of CuPy and PyTorch, are used
    without a copy. They must be float64, indices int64, and in C order. NumPy arrays are copied. Answers of the CPU and
    of the GPU agree up to rounding: they may differ for pairs that touch within the slop.

    Examples
    --------
    >>> from impinge import Box, Circle
    >>> overlaps(Solids([Box(2, 2), Circle(1), Circle(1)]), [(0, 0), (1.9, 0), (5, 5)], [(0, 1), (0, 2)])
    array([ True, False])
    """
    includes, most = flag("include_touching", include_touching), checked_threads(threads)
    if is_cuda(device):
        from impinge.gpu import questions

        return questions.overlaps(_checked(solids), poses, pairs, includes)
    standing = _checked(solids)._standing(poses)
    return _overlapping(solids, standing, _pairs(pairs, len(solids)), includes, most)


def distance(
    solids: Solids, poses: ArrayLike, pairs: ArrayLike, *, threads: int | None = 1, device: str = "cpu"
) -> Separations:
    """Return the distance or the depth of each pair, as `impinge.distance` does.

    Parameters
    ----------
    solids, poses, pairs, threads, device
        As for `overlaps`.

    Raises
    ------
    ShapeError, DeviceError
        As `overlaps` does.

    Notes
    -----
    The method of `impinge.distance`: a walk around the Minkowski difference (de Berg et al., "Computational Geometry",
    3rd ed., 13.3). With `device="cuda"`, the CPU measures the overlaps of solids of several pieces.

    Examples
    --------
    >>> from impinge import Box, Circle
    >>> distance(Solids([Box(2, 2), Circle(1), Circle(1)]), [(0, 0), (1.75, 0), (5, 0)], [(0, 1), (0, 2)]).distances
    array([-0.25,  3.  ])
    """
    if is_cuda(device):
        from impinge.gpu import questions

        return questions.distance(_checked(solids), poses, pairs)
    answers = _contact_rows(solids, poses, pairs, checked_threads(threads))
    return Separations(
        answers[:, col.CONTACT_GAP].copy(),
        answers[:, col.CONTACT_WITNESS_A : col.CONTACT_WITNESS_A + 2].copy(),
        answers[:, col.CONTACT_WITNESS_B : col.CONTACT_WITNESS_B + 2].copy(),
        answers[:, col.CONTACT_NORMAL : col.CONTACT_NORMAL + 2].copy(),
    )


def contact(solids: Solids, poses: ArrayLike, pairs: ArrayLike, *, threads: int | None = 1) -> Contacts:
    """Return the contact of each pair, as `impinge.contact` does.

    Parameters
    ----------
    solids, poses, pairs, threads
        As for `overlaps`.

    Raises
    ------
    ShapeError
        As `overlaps` does.

    Notes
    -----
    The method of `impinge.contact`: clipping of facing edges (Catto, "Contact manifolds", GDC 2007).

    Examples
    --------
    >>> from impinge import Box, Circle
    >>> found = contact(Solids([Box(2, 2), Circle(1), Circle(1)]), [(0, 0), (1.75, 0), (5, 0)], [(0, 1), (0, 2)])
    >>> found.touching, found.depths, found.counts
    (array([ True, False]), array([0.25,  nan]), array([1, 0]))
    """
    answers = _contact_rows(solids, poses, pairs, checked_threads(threads))
    touching = answers[:, col.CONTACT_GAP] <= answers[:, col.CONTACT_SLOP]
    counts = np.where(touching, answers[:, col.CONTACT_POINT_COUNT], 0).astype(np.int64)
    points = answers[:, col.CONTACT_POINTS : col.CONTACT_DEPTHS].reshape(-1, 2, 2).copy()
    depths = answers[:, col.CONTACT_DEPTHS : col.CONTACT_DEPTHS + 2].copy()
    absent = np.arange(2) >= counts[:, None]
    points[absent] = depths[absent] = np.nan
    normals = answers[:, col.CONTACT_NORMAL : col.CONTACT_NORMAL + 2].copy()
    normals[~touching] = np.nan
    return Contacts(
        touching,
        normals,
        np.where(touching, np.maximum(-answers[:, col.CONTACT_GAP], 0.0), np.nan),
        counts,
        points,
        depths,
    )


def overlapping_pairs(
    solids: Solids, poses: ArrayLike, *, include_touching: bool = True, threads: int | None = 1
) -> NDArray[np.int64]:
    """Find all overlapping pairs of solids, without a test of each pair. Touching within the slop counts.

    Parameters
    ----------
    solids
        n solids.
    poses : (n, 2) or (n, 3)
        Pose of each solid: x and y in the game's units, and the angle in radians.
    include_touching
        Whether touching counts. If not, only an overlap by more than the slop counts.
    threads
        As for `overlaps`.

    Returns
    -------
    (m, 2) int64
        Pairs of indices, the lower one first, sorted.

    Raises
    ------
    ShapeError
        As `overlaps` does.

    Notes
    -----
    Sweep and prune (Baraff, "Dynamic simulation of non-penetrating rigid bodies", 1992) along the axis on which the
    solids are spread more widely, then the method of `overlaps`.

    Examples
    --------
    >>> from impinge import Box, Circle
    >>> overlapping_pairs(Solids([Box(2, 2), Circle(1), Circle(1)]), [(0, 0), (5, 5), (1.5, 0)])
    array([[0, 2]])
    """
    includes, most = flag("include_touching", include_touching), checked_threads(threads)
    standing = _checked(solids)._standing(poses)
    pairs = _candidate_pairs(standing[-1])
    pairs = pairs[_overlapping(solids, standing, pairs, includes, most)]
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def _overlapping(
    solids: Solids, standing: Standing, pairs: NDArray[np.int64], include_touching: bool, threads: int
) -> NDArray[np.bool_]:
    """Return for each pair of posed solids whether both overlap."""
    if not include_touching:
        standing = solids._standing_and_drawn_in(standing[2])
        pairs = pairs + np.array((len(solids), 0))  # the first solid is the shrunk one, as in `impinge.overlaps`
    answers = np.empty(len(pairs), np.bool_)
    run_all(
        [
            partial(entry.overlap_pairs, *standing, pairs[part], answers[part])
            for part in parts(len(pairs), threads, OVERLAPS_OF_A_THREAD)
        ]
    )
    return answers


class Impacts:
    """The result of `time_of_impact`: row i belongs to pair i, as an `impinge.Impact`.

    All but these four attributes are computed at the first access: this takes longer than the times of impact.

    Attributes
    ----------
    pairs : (m, 2) int64
        Indices of the solids.
    times : (m,) float64
        Times of impact, from 0 at the start of the frame to 1 at its end; NaN without an impact.
    iterations : (m,) int64
        Steps of conservative advancement, also without an impact; 0 for a result in closed form.
    hit : (m,) bool
        Whether the pair has an impact.

    Examples
    --------
    >>> from impinge import Box, Circle
    >>> solids = Solids([Box(2, 20), Circle(1), Circle(1)])
    >>> found = time_of_impact(solids, [(0, 0), (9, 0), (9, 40)], [(0, 0), (-11, 0), (-11, 40)], [(0, 1), (0, 2)])
    >>> found.hit, found.times, found.features_a
    (array([ True, False]), array([0.35,  nan]), array([[ 0,  1,  1],
           [-1, -1, -1]]))
    """

    def __init__(
        self,
        solids: Solids,
        pairs: NDArray[np.int64],
        times: NDArray[np.float64],
        iterations: NDArray[np.int64],
        motions: NDArray[np.float64],
        found: NDArray[np.float64],
        threads: int,
    ) -> None:
        self.pairs, self.times, self.iterations = pairs, times, iterations
        self.hit = ~np.isnan(times)
        self._solids, self._motions, self._threads = solids, motions, threads
        self._found = found  # a row for each impact

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        return f"<Impacts: {len(self._found)} of {len(self)} pairs>"

    @cached_property
    def overlapping(self) -> NDArray[np.bool_]:
        """Return whether each pair overlaps at the start of the frame, (m,)."""
        return self._spread(self._found[:, col.IMPACT_OVERLAPPING] == 1.0, False)

    @cached_property
    def normals(self) -> NDArray[np.float64]:
        """Return the contact normals, (m, 2): unit vectors from a to b; NaN without an impact."""
        return self._spread(self._answers[:, col.IMPACT_NORMAL : col.IMPACT_NORMAL + 2], np.nan)

    @cached_property
    def points(self) -> NDArray[np.float64]:
        """Return the contact points, (m, 2), in the game's units; the middle of a stretch; NaN without an impact."""
        low, high = self._ends[:, 0], self._ends[:, 1]
        return self._spread(np.where(self._counts[:, None] == 1, low, 0.5 * (low + high)), np.nan)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Return the number of `ends`, (m,): 1 for a point, 2 for a stretch, 0 without an impact."""
        return self._spread(self._counts, 0)

    @cached_property
    def ends(self) -> NDArray[np.float64]:
        """Return the contact point, or both ends of the contact stretch, (m, 2, 2), in the game's units; else NaN."""
        ends = self._ends.copy()
        ends[self._counts == 1, 1] = np.nan
        return self._spread(ends, np.nan)

    @cached_property
    def features_a(self) -> NDArray[np.int64]:
        """Return the touching features of a, (m, 3): part, kind (0 vertex, 1 edge) and index, as in `impinge.Feature`.

        All are -1 without an impact, and for pairs that overlap at the start.
        """
        return self._features(0)

    @cached_property
    def features_b(self) -> NDArray[np.int64]:
        """Return the touching features of b, (m, 3), like `features_a`."""
        return self._features(1)

    @cached_property
    def _answers(self) -> NDArray[np.float64]:
        answers, pairs = self._found.copy(), np.ascontiguousarray(self.pairs[self.hit])
        run_all(
            [
                partial(self._finish, pairs[part], answers[part])
                for part in parts(len(pairs), self._threads, CONTACTS_OF_A_THREAD)
            ]
        )
        return answers

    def _finish(self, pairs: NDArray[np.int64], answers: NDArray[np.float64]) -> None:
        with self._solids._moving(self._motions) as moving:
            entry.finish_impacts(moving, pairs, answers)

    @property
    def _ends(self) -> NDArray[np.float64]:
        return self._answers[:, col.IMPACT_POINTS : col.IMPACT_POINTS + 4].reshape(-1, 2, 2)

    @property
    def _counts(self) -> NDArray[np.int64]:
        return self._answers[:, col.IMPACT_POINT_COUNT].astype(np.int64)

    def _features(self, side: int) -> NDArray[np.int64]:
        at = col.IMPACT_FEATURES + side * col.FEATURE_COLUMNS
        found = self._answers[:, at : at + col.FEATURE_COLUMNS]
        return self._spread(self._solids._named(self.pairs[self.hit, side], found), -1)

    def _spread(self, rows: NDArray[Any], absent: float) -> NDArray[Any]:
        """Expand rows of impacts to rows of pairs, with `absent` for pairs without an impact."""
        if len(rows) == len(self):
            return np.array(rows)
        spread = np.full((len(self), *rows.shape[1:]), absent, rows.dtype)
        spread[self.hit] = rows
        return spread

    def _sorted(self) -> Impacts:
        """Return only the pairs with an impact, sorted by time, then by pair."""
        chosen = np.flatnonzero(self.hit)
        pairs, times = self.pairs[chosen], self.times[chosen]
        order = np.lexsort((pairs[:, 1], pairs[:, 0], times))
        iterations, found = self.iterations[chosen], self._found[order]
        return Impacts(self._solids, pairs[order], times[order], iterations[order], self._motions, found, self._threads)


@dataclass(frozen=True, slots=True, eq=False)
class DeviceImpacts:
    """The result of `time_of_impact` with arrays on a device: row i belongs to pair i.

    Attributes
    ----------
    pairs : (m, 2) int64
        Indices of the solids: the array given.
    times : (m,) float64
        Times of impact, from 0 at the start of the frame to 1 at its end; NaN without an impact.
    iterations : (m,) int64
        Steps of conservative advancement; 0 for a result in closed form.
    """

    pairs: Any
    times: Any
    iterations: Any
    _solids: Solids
    _motions: Any
    _answers: Any

    def copy_to_host(self) -> Impacts:
        """Return the result as NumPy arrays, with all other attributes of `Impacts`."""
        times = self.times.copy_to_host()
        found = self._answers.copy_to_host()[~np.isnan(times)]
        pairs, iterations = self.pairs.copy_to_host(), self.iterations.copy_to_host()
        return Impacts(self._solids, pairs, times, iterations, self._motions.copy_to_host(), found, 1)


def time_of_impact(
    solids: Solids,
    starts: ArrayLike,
    ends: ArrayLike,
    pairs: ArrayLike | None = None,
    *,
    accelerations: ArrayLike | None = None,
    threads: int | None = 1,
    device: str = "cpu",
) -> Impacts:
    """Return the impact of each pair, as `impinge.time_of_impact` does; or find all pairs with an impact.

    Parameters
    ----------
    solids
        n solids.
    starts, ends : (n, 2) or (n, 3)
        Pose of each solid at the start and at the end of the frame: x and y in the game's units, and the angle in
        radians. Angles may differ by more than one turn.
    pairs : (m, 2) int, optional
        Indices of the solids. Without it, all pairs with an impact are found, and sorted by time, then by their
        indices. The lower index of a pair is first.
    accelerations : (n, 2), optional
        Constant accelerations, in units per frame squared.
    threads
        As for `overlaps`, also for the attributes that `Impacts` computes later.
    device
        As for `overlaps`; "cuda" needs `pairs`.

    Returns
    -------
    Impacts
        Or `DeviceImpacts`, if one of the arrays is on the device.

    Raises
    ------
    ShapeError, DeviceError
        As `overlaps` does.

    Notes
    -----
    The method of `impinge.time_of_impact`: a ray cut with Minkowski differences (Cyrus & Beck, 1978), or conservative
    advancement (Mirtich, 1996). Sweep and prune over the swept bounds finds the pairs (Baraff, "Dynamic simulation of
    non-penetrating rigid bodies", 1992).

    Examples
    --------
    >>> from impinge import Circle
    >>> solids = Solids([Circle(1), Circle(1), Circle(1)])
    >>> found = time_of_impact(solids, [(0, 0), (6, 0), (50, 0)], [(10, 0), (6, 0), (40, 0)])
    >>> found.pairs, found.times
    (array([[0, 1]]), array([0.4]))
    """
    checked, most = _checked(solids), checked_threads(threads)
    if is_cuda(device):
        from impinge.gpu import questions

        if pairs is None:
            raise ShapeError(f"pairs must be given with device='cuda', got {pairs!r}")
        return questions.time_of_impact(checked, starts, ends, pairs, accelerations)
    motions = _motions(starts, ends, accelerations, len(checked))
    if pairs is None:
        bounds = np.empty((len(checked), 4))
        with checked._moving(motions) as moving:
            entry.swept_bounds(moving, bounds)
        chosen = _candidate_pairs(bounds)
    else:
        # A copy, because the result keeps the pairs, and the game may change its own array.
        chosen = _pairs(pairs, len(checked)).copy()
    times, iterations = np.empty(len(chosen)), np.empty(len(chosen), np.int64)
    # Each thread poses the solids anew.
    least = max(IMPACTS_OF_A_THREAD, len(checked))
    answers = run_all(
        [
            partial(_impact_rows, checked, motions, chosen[part], times[part], iterations[part])
            for part in parts(len(chosen), most, least)
        ]
    )
    found = Impacts(checked, chosen, times, iterations, motions, np.concatenate(answers), most)
    return found._sorted() if pairs is None else found


def _impact_rows(
    solids: Solids,
    motions: NDArray[np.float64],
    pairs: NDArray[np.int64],
    times: NDArray[np.float64],
    iterations: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Write times and iterations, and return a row for each impact."""
    answers = np.empty((len(pairs), col.IMPACT_COLUMNS))
    with solids._moving(motions) as moving:
        count = entry.impact_pairs(moving, pairs, times, iterations, answers)
    return answers[:count].copy()


class SectorHits(NamedTuple):
    """The result of `sector_hits`: a row for each disk that the sector hits, the nearest first.

    Attributes
    ----------
    indices : (k,) int64
        Indices of the disks.
    distances : (k,) float64
        Distance from the apex to the nearest point of the disk inside the sector, in the game's units.
    bearings : (k,) float64
        Bearing of that point: radians, counter-clockwise from the direction of the sector.

    Examples
    --------
    >>> from impinge import Pose, Sector
    >>> sector_hits(Sector(10, 0.5), Pose(0, 0), [(9, 0), (0, 5), (4, 0)], 1.0).indices
    array([2, 0])
    """

    indices: NDArray[np.int64]
    distances: NDArray[np.float64]
    bearings: NDArray[np.float64]


def sector_hits(
    sector: Sector,
    pose: Pose,
    centers: ArrayLike,
    radii: ArrayLike,
    occluders: Walls = (),
    *,
    threads: int | None = 1,
    device: str = "cpu",
) -> SectorHits:
    """Find the disks that a sector hits, as `impinge.sector_hit` does: the nearest first.

    Parameters
    ----------
    sector, pose
        The sector, the place of its apex, and its direction.
    centers : (n, 2)
        Centres of the disks, in the game's units.
    radii : (n,) or scalar
        Radii of the disks, in the game's units; a disk of radius 0 is a point.
    occluders
        Walls, each a solid and its pose, or `impinge.Occluders`: they hide the disks behind them.
    threads, device
        As for `overlaps`.

    Returns
    -------
    SectorHits
        Among equal distances, the lower index comes first.

    Raises
    ------
    ShapeError
        If an array has another shape, a number is not finite, a radius is negative, or `threads` is no positive
        integer. The message names the argument, the row and the value.
    DeviceError
        As `overlaps` does.

    Notes
    -----
    "Circle-Sector with Disk" (Avaniel, The Mana World, 2007), as in `impinge.sector_hit`.

    Examples
    --------
    >>> from impinge import Pose, Sector
    >>> hits = sector_hits(Sector(10, 0.5), Pose(0, 0), [(9, 0), (0, 5), (4, 0)], [1, 1, 2])
    >>> hits.indices, hits.distances
    (array([2, 0]), array([2., 8.]))
    """
    checked_sector(sector)
    checked_pose("pose", pose)
    most = checked_threads(threads)
    if is_cuda(device):
        from impinge.gpu import questions

        cells = visible_cells(sector, pose, occluders)
        return SectorHits(*questions.sector_hits(sector, pose, centers, radii, cells))
    places = np.ascontiguousarray(numbers("centers", centers, "(n, 2)"))
    if places.shape == (0,):
        places = places.reshape(0, 2)
    if places.ndim != 2 or places.shape[1] != 2:
        raise ShapeError(f"centers must have shape (n, 2), got {places.shape}")
    sizes = numbers("radii", radii, "(n,)")
    if sizes.ndim == 0:
        sizes = np.full(len(places), sizes)
    if sizes.shape != (len(places),):
        raise ShapeError(f"radii must have shape {(len(places),)} or be one number, got {sizes.shape}")
    cells, sizes = visible_cells(sector, pose, occluders), np.ascontiguousarray(sizes)
    found = run_all(
        [
            partial(_disk_hits, cells, sector, pose, places, sizes, part)
            for part in parts(len(places), most, DISKS_OF_A_THREAD)
        ]
    )
    indices, distances, directions = (np.concatenate(columns) for columns in zip(*found, strict=True))
    order = _ascending_order(distances)
    x, y = directions[order].T
    return SectorHits(indices[order], distances[order], np.arctan2(y, x))


def _disk_hits(
    cells: NDArray[np.float64],
    sector: Sector,
    pose: Pose,
    places: NDArray[np.float64],
    sizes: NDArray[np.float64],
    part: slice,
) -> DiskHits:
    """Return the hits of a part of the disks, or raise an error at the first invalid one."""
    own, radii = places[part], sizes[part]
    hits = DiskHits(np.empty(len(own), np.int64), np.empty(len(own)), np.empty((len(own), 2)))
    count = entry.hit_disks(cells, sector.row, (pose.x, pose.y), facing(pose.angle), own.ravel(), radii, hits)
    if count >= 0:
        return DiskHits(part.start + hits.indices[:count], hits.distances[:count], hits.directions[:count])
    raise invalid_disk(part.start - 1 - count, places[part][-1 - count], radii[-1 - count])


def invalid_disk(index: int, place: NDArray[np.float64], radius: np.float64) -> ShapeError:
    """Return the error of a disk that is not finite, or has a negative radius."""
    if abs(place).max() <= LARGEST:
        return ShapeError(f"radii must be finite and not negative, got {radius.item()!r} at [{index}]")
    return ShapeError(f"centers must be finite and at most {LARGEST:g} in size, got {place.tolist()!r} at [{index}]")


@dataclass(frozen=True, slots=True, eq=False)
class PushBatch:
    """The result of `push_boxes`: row i belongs to pair i.

    Attributes
    ----------
    ends : (n, 2) float64
        Centres of the weak boxes at the end of the frame, in the game's units.
    times : (n,) float64
        Times of the first contact, from 0 at the start of the frame to 1 at its end; NaN without one.
    sides : (n,) uint8
        Touched sides of the weak boxes, as `Side` bits.
    overlapped : (n,) bool
        Whether the pair overlapped at the start.

    Examples
    --------
    >>> pushes = push_boxes((8, 8), (0, 0), (0, 0), (2, 2), [(0, 7)], [(0, 3)])
    >>> pushes.ends, pushes.times, Side(int(pushes.sides[0]))
    (array([[0., 5.]]), array([0.5]), <Side.BOTTOM: 4>)
    """

    ends: NDArray[np.float64]
    times: NDArray[np.float64]
    sides: NDArray[np.uint8]
    overlapped: NDArray[np.bool_]


def push_boxes(
    mighty_sizes: ArrayLike,
    mighty_starts: ArrayLike,
    mighty_ends: ArrayLike,
    weak_sizes: ArrayLike,
    weak_starts: ArrayLike,
    weak_goals: ArrayLike,
    *,
    carrying: ArrayLike = Side.ALL,
    sticky: ArrayLike = Side.NONE,
    passable: ArrayLike = Side.NONE,
    threads: int | None = 1,
) -> PushBatch:
    """Resolve n pairs of boxes over one frame by the rule of `impinge.push`; the pairs do not see each other.

    Parameters
    ----------
    mighty_sizes, weak_sizes : (n, 2) or (2,)
        Widths and heights, in the game's units.
    mighty_starts, mighty_ends, weak_starts, weak_goals : (n, 2) or (2,)
        Centres, in the game's units.
    carrying, sticky, passable : (n,) or scalar
        Sides of the mighty boxes, as `Side` bits.
    threads
        As for `overlaps`.

    Raises
    ------
    ShapeError
        If an array has another shape, or contains a number that is not finite, a size that is not positive, or an
        invalid side; or if `threads` is no positive integer. The message names the argument, the row and the value.

    Notes
    -----
    The rule is "Collision of two quads in 2D space" (mirex, TeryWiki, 2008) in the limit of small steps.

    Examples
    --------
    One wall moves up by 4 under two creatures that fall by 2. The second one falls past it:

    >>> pushes = push_boxes((8, 8), (0, 0), (0, 4), (2, 2), [(0, 6), (9, 6)], [(0, 4), (9, 4)])
    >>> pushes.ends
    array([[0., 9.],
           [9., 4.]])
    >>> pushes.times
    array([0.16666667,        nan])
    """
    most = checked_threads(threads)
    columns = {
        "mighty_sizes": mighty_sizes,
        "weak_sizes": weak_sizes,
        "mighty_starts": mighty_starts,
        "mighty_ends": mighty_ends,
        "weak_starts": weak_starts,
        "weak_goals": weak_goals,
    }
    arrays = {name: _vectors(name, value) for name, value in columns.items()}
    rules = {
        name: _sides(name, value)
        for name, value in (("carrying", carrying), ("sticky", sticky), ("passable", passable))
    }
    lengths = {name: len(array) for name, array in {**arrays, **rules}.items() if array.ndim > (name in arrays)}
    count = max(lengths.values(), default=1)
    for name, length in lengths.items():
        if length != count:
            raise ShapeError(f"{name} must have {count} rows like the others, got {length}")
    sizes, moves = np.empty((count, 4)), np.empty((count, 8))
    for target, names in ((sizes, list(columns)[:2]), (moves, list(columns)[2:])):
        for i, name in enumerate(names):
            target[:, 2 * i : 2 * i + 2] = arrays[name]
    flags = np.empty((count, 3), np.int64)
    for i, array in enumerate(rules.values()):
        flags[:, i] = array
    return solve(sizes, moves, flags, most)


def solve(sizes: ArrayLike, moves: ArrayLike, rules: ArrayLike, threads: int = 1) -> PushBatch:
    """Run the kernel on checked rows: each pair has 4 sizes, 8 coordinates and 3 sets of sides."""
    widths, ways, sides = np.asarray(sizes, np.float64), np.asarray(moves, np.float64), np.asarray(rules, np.int64)
    count = len(widths)
    pushes = PushBatch(np.empty((count, 2)), np.empty(count), np.empty(count, np.uint8), np.empty(count, np.bool_))

    def push(part: slice) -> None:
        answers = pushes.ends[part], pushes.times[part], pushes.sides[part], pushes.overlapped[part]
        entry.push_pairs(widths[part], ways[part], sides[part], *answers)

    run_all([partial(push, part) for part in parts(count, threads, PUSHES_OF_A_THREAD)])
    return pushes


def _ascending_order(numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the indices that sort numbers in ascending order; equal numbers keep their order.

    For long arrays, NumPy's stable sort takes six times as long as its default one. So this sorts by the default one,
    and then fixes the order of equal numbers.
    """
    if len(numbers) < STABLE_SORT_LENGTH:
        return np.argsort(numbers, kind="stable")
    order = np.argsort(numbers)
    is_next_equal = numbers[order[1:]] == numbers[order[:-1]]
    if is_next_equal.any():
        tied = np.flatnonzero(np.append(is_next_equal, False) | np.append(False, is_next_equal))
        equal = order[tied]
        order[tied] = equal[np.lexsort((equal, numbers[equal]))]
    return order


def _candidate_pairs(bounds: NDArray[np.float64]) -> NDArray[np.int64]:
    """Find all pairs whose bounds overlap."""
    if not len(bounds):
        return np.empty((0, 2), np.int64)
    # Fewer bounds overlap along the axis on which they are spread more widely.
    spread = np.ptp(bounds[:, :2] + bounds[:, 2:], axis=0)
    axis = int(spread[1] > spread[0])
    return entry.sweep(bounds, np.argsort(bounds[:, axis], kind="stable"), axis)


def _contact_rows(solids: Solids, poses: ArrayLike, pairs: ArrayLike, threads: int) -> NDArray[np.float64]:
    """Run the kernel of `distance` and `contact`."""
    rows, firsts, places, _ = _checked(solids)._standing(poses)
    chosen = _pairs(pairs, len(solids))
    answers = np.empty((len(chosen), col.CONTACT_COLUMNS))
    run_all(
        [
            partial(entry.measure_pairs, rows, firsts, places, chosen[part], answers[part])
            for part in parts(len(chosen), threads, CONTACTS_OF_A_THREAD)
        ]
    )
    return answers


def _checked(solids: Solids) -> Solids:
    if not isinstance(solids, Solids):
        raise ShapeError(f"solids must be Solids, got {solids!r}")
    return solids


def _rows_of(name: str, value: ArrayLike, count: int, widths: tuple[int, ...]) -> NDArray[np.float64]:
    """Return coordinates, with one row per solid and the last of the widths, or raise an error with their name."""
    shape = " or ".join(f"(n, {width})" for width in widths)
    array = numbers(name, value, shape)
    if array.size == count == 0:
        return np.empty((0, widths[-1]))
    if array.ndim != 2 or array.shape[1] not in widths:
        raise ShapeError(f"{name} must have shape {shape}, got {array.shape}")
    if len(array) != count:
        raise ShapeError(f"{name} must have {count} rows like the solids, got {len(array)}")
    rows = np.zeros((count, widths[-1]))
    rows[:, : array.shape[1]] = array
    coordinates(name, rows)
    return rows


def _motions(starts: ArrayLike, ends: ArrayLike, accelerations: ArrayLike | None, count: int) -> NDArray[np.float64]:
    motions = np.zeros((count, col.MOTION_COLUMNS))
    motions[:, col.MOTION_BEGIN : col.MOTION_BEGIN + 3] = _rows_of("starts", starts, count, (2, 3))
    motions[:, col.MOTION_END : col.MOTION_END + 3] = _rows_of("ends", ends, count, (2, 3))
    if accelerations is not None:
        motions[:, col.MOTION_PULL : col.MOTION_PULL + 2] = _rows_of("accelerations", accelerations, count, (2,))
    return motions


def _pairs(value: ArrayLike, count: int) -> NDArray[np.int64]:
    try:
        array: NDArray[Any] = np.asarray(value)
    except ValueError:
        raise ShapeError(f"pairs must be integers of shape (m, 2), got {value!r}") from None
    if array.shape in ((0,), (0, 2)):
        return np.empty((0, 2), np.int64)
    if array.dtype.kind not in "iu" or array.ndim != 2 or array.shape[1] != 2:
        raise ShapeError(f"pairs must be integers of shape (m, 2), got {array.dtype} of shape {array.shape}")
    # A copy, because another thread may write the array while the kernel runs: the kernel trusts the indices.
    array = np.array(array, order="C")
    if array.min() < 0 or array.max() >= count:
        raise ShapeError(
            f"pairs must be indices below {count}, got {first_wrong(array, (array < 0) | (array >= count))}"
        )
    return array.astype(np.int64, copy=False)


def _vectors(name: str, value: ArrayLike) -> NDArray[np.float64]:
    array = numbers(name, value, "(n, 2)")
    if array.ndim not in (1, 2) or array.shape[-1] != 2:
        raise ShapeError(f"{name} must have shape (n, 2) or (2,), got {array.shape}")
    wrong = ~np.isfinite(array)
    wanted = "finite"
    if name.endswith("sizes"):
        wrong |= array <= 0.0
        wanted = "positive and finite"
    if wrong.any():
        raise ShapeError(f"{name} must be {wanted}, got {first_wrong(array, wrong)}")
    return array


def _sides(name: str, value: ArrayLike) -> NDArray[np.int64]:
    try:
        array: NDArray[Any] = np.asarray(value)
    except ValueError:
        array = np.empty(0)
    if array.dtype.kind not in "iu" or array.ndim > 1:
        raise ShapeError(f"{name} must be Sides of shape (n,) or one Side, got {value!r}")
    wrong = (array < 0) | (array > int(Side.ALL))
    if wrong.any():
        raise ShapeError(f"{name} must be Sides, got {first_wrong(array, wrong)}")
    return array.astype(np.int64)
