"""Questions of `impinge.batch` on a CUDA device: arguments to the device, and results from it.

Results are on the device if one of the arrays given is, else NumPy arrays.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numba import cuda
from numpy.typing import ArrayLike, NDArray

from impinge import batch
from impinge.checks import LARGEST, numbers
from impinge.errors import ShapeError
from impinge.gpu import launches
from impinge.gpu.device import (
    NOTHING_WRONG,
    THREADS_OF_A_BLOCK,
    Array,
    blocks,
    checked_array,
    is_on_device,
    on_cuda,
    run_threads,
)
from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats, MovingSolids
from impinge.motion import Pose
from impinge.sector.sectors import Sector, facing

__all__ = ["distance", "overlaps", "sector_hits", "time_of_impact"]

# Bytes of memory for the solids that pairs on bent paths pose: it limits the threads where solids have many points.
MOVING_MEMORY = 1 << 28

# Rows and first columns of solids on the device, and the NumPy rows that these were: with shrunk solids, and without.
_packed: WeakKeyDictionary[batch.Solids, dict[bool, tuple[Floats, Array, Array]]] = WeakKeyDictionary()


def overlaps(solids: batch.Solids, poses: ArrayLike, pairs: ArrayLike, include_touching: bool) -> NDArray[np.bool_]:
    """Answer `batch.overlaps`."""
    count = len(solids)
    places, largest = _rows(count, 3, {"poses": (poses, 0, (2, 3))}, 1 if include_touching else 2)
    chosen = _pairs(pairs, count)
    rows, firsts = _solids(solids, None if include_touching else largest)
    standing = cuda.device_array_like(rows)
    run_threads(launches.pose_solids, len(places), rows, firsts, places, standing)
    answers = cuda.device_array(len(chosen), np.bool_)
    # The first solid is the shrunk one, as in `impinge.overlaps`.
    shift = len(places) - count
    run_threads(launches.overlap_pairs, len(chosen), standing, firsts, places, chosen, shift, answers)
    return _returned(answers, poses, pairs)


def distance(solids: batch.Solids, poses: ArrayLike, pairs: ArrayLike) -> batch.Separations:
    """Answer `batch.distance`."""
    count = len(solids)
    places, _ = _rows(count, 3, {"poses": (poses, 0, (2, 3))})
    chosen = _pairs(pairs, count)
    rows, firsts = _solids(solids)
    # One column more, for the mark of `impinge.gpu.translate`.
    standing = cuda.device_array(rows.size + 1, np.float64)
    run_threads(launches.pose_solids, count, rows, firsts, places, standing)
    answers = [cuda.device_array(shape, np.float64) for shape in (len(chosen), *3 * ((len(chosen), 2),))]
    run_threads(launches.measure_pairs, len(chosen), standing, firsts, places, chosen, *answers)
    _measure_on_host(solids, places, chosen, answers)
    return batch.Separations(*(_returned(array, poses, pairs) for array in answers))


def _measure_on_host(solids: batch.Solids, places: Array, pairs: Array, answers: list[Array]) -> None:
    """Measure the overlaps of solids of several pieces, of which the device knows a bound only."""
    has_several = solids._rows[solids._firsts[:-1] + col.PIECE_TOTAL] > 1.0
    if not has_several.any():
        return
    chosen = pairs.copy_to_host()
    left = np.flatnonzero((answers[0].copy_to_host() < 0.0) & has_several[chosen].any(axis=1))
    if left.size:
        found = batch.distance(solids, places.copy_to_host(), chosen[left])
        for array, name in zip(answers, found.__slots__, strict=True):
            values = array.copy_to_host()
            values[left] = getattr(found, name)
            array.copy_to_device(values)


def time_of_impact(
    solids: batch.Solids, starts: ArrayLike, ends: ArrayLike, pairs: ArrayLike, accelerations: ArrayLike | None
) -> batch.Impacts:
    """Answer `batch.time_of_impact`."""
    count = len(solids)
    given: dict[str, tuple[Any, int, tuple[int, ...]]] = {
        "starts": (starts, col.MOTION_BEGIN, (2, 3)),
        "ends": (ends, col.MOTION_END, (2, 3)),
    }
    if accelerations is not None:
        given["accelerations"] = accelerations, col.MOTION_PULL, (2,)
    motions, _ = _rows(count, col.MOTION_COLUMNS, given)
    chosen = _pairs(pairs, count)
    rows, firsts = _solids(solids)
    standing, circles = cuda.device_array_like(rows), cuda.device_array((count, col.CIRCLE_COLUMNS), np.float64)
    run_threads(launches.pose_movers, count, rows, firsts, motions, standing, circles)
    moving = MovingSolids(rows, firsts, motions, standing, on_cuda(np.ones((2, count), np.bool_)))
    total, longest = len(chosen), int(np.diff(solids._firsts).max(initial=1))
    threads = min(total, launches.MAX_MOVING_THREADS, 1 + MOVING_MEMORY // (16 * longest))
    work = cuda.device_array((2 * blocks(threads) * THREADS_OF_A_BLOCK, longest), np.float64)
    times, iterations = cuda.device_array(total, np.float64), cuda.device_array(total, np.int64)
    answers = cuda.device_array((total, col.IMPACT_COLUMNS), np.float64)
    run_threads(launches.impact_pairs, threads, moving, circles, work, chosen, times, iterations, answers)
    found: Any = batch.DeviceImpacts(chosen, times, iterations, solids, motions, answers)
    return found if any(map(is_on_device, (starts, ends, pairs, accelerations))) else found.copy_to_host()


def sector_hits(
    sector: Sector, pose: Pose, centers: ArrayLike, radii: ArrayLike, cells: Floats
) -> tuple[Array, Array, Array]:
    """Return indices, distances and bearings of the disks that a sector hits, as `batch.sector_hits` does."""
    places = _matrix("centers", centers, (2,))
    total = len(places)
    sizes = checked_array("radii", radii) if is_on_device(radii) else numbers("radii", radii, "(n,)")
    if sizes.ndim == 0:
        sizes = np.full(total, sizes)
    if sizes.shape != (total,):
        raise ShapeError(f"radii must have shape {(total,)} or be one number, got {sizes.shape}")
    sizes, wrong = on_cuda(sizes), on_cuda(np.array([NOTHING_WRONG]))
    frame = on_cuda(np.array((pose.x, pose.y, *facing(pose.angle))))
    distances, directions = cuda.device_array(total, np.float64), cuda.device_array((total, 2), np.float64)
    inputs = on_cuda(cells), on_cuda(sector.row), frame, places, sizes
    run_threads(launches.hit_disks, total, *inputs, wrong, distances, directions)
    index = int(wrong.copy_to_host()[0])
    if index != NOTHING_WRONG:
        raise batch.invalid_disk(index, places.copy_to_host()[index], sizes.copy_to_host()[index])
    far, ways = distances.copy_to_host(), directions.copy_to_host()
    hits = np.flatnonzero(~np.isnan(far))
    order = hits[np.argsort(far[hits], kind="stable")]
    answers = order, far[order], np.arctan2(ways[order, 1], ways[order, 0])
    is_there = is_on_device(centers) or is_on_device(radii)
    return (on_cuda(answers[0]), on_cuda(answers[1]), on_cuda(answers[2])) if is_there else answers


def _returned(answers: Array, *given: Any) -> Any:
    return answers if any(map(is_on_device, given)) else answers.copy_to_host()


def _solids(solids: batch.Solids, largest: float | None = None) -> tuple[Array, Array]:
    """Return rows and first columns of solids on the device; with a largest coordinate, also the shrunk ones."""
    rows, firsts = (solids._rows, solids._firsts) if largest is None else solids._with_drawn_in(largest)
    kept = _packed.setdefault(solids, {})
    found = kept.get(largest is None)
    if found is None or found[0] is not rows:
        found = kept[largest is None] = rows, on_cuda(rows), on_cuda(firsts)
    return found[1:]


def _matrix(name: str, value: Any, widths: tuple[int, ...]) -> Array:
    """Return rows of numbers on the device, or raise an error with their name."""
    shape = " or ".join(f"(n, {width})" for width in widths)
    array = checked_array(name, value) if is_on_device(value) else numbers(name, value, shape)
    if array.shape == (0,):
        array = np.empty((0, widths[-1]))
    if array.ndim != 2 or array.shape[1] not in widths:
        raise ShapeError(f"{name} must have shape {shape}, got {array.shape}")
    return on_cuda(array)


def _rows(
    count: int, width: int, given: dict[str, tuple[Any, int, tuple[int, ...]]], copies: int = 1
) -> tuple[Array, float]:
    """Return rows on the device with the columns of all arguments, and the largest x or y.

    Each argument has its name, its first column, and its possible widths. Other columns are zero.
    """
    target, largest = on_cuda(np.zeros((copies * count, width))), on_cuda(np.zeros(1))
    for name, (value, first, widths) in given.items():
        source, wrong = _matrix(name, value, widths), on_cuda(np.array([NOTHING_WRONG]))
        if len(source) != count:
            raise ShapeError(f"{name} must have {count} rows like the solids, got {len(source)}")
        run_threads(launches.load_rows, count, source, target, first, wrong, largest)
        index = int(wrong.copy_to_host()[0])
        if index != NOTHING_WRONG:
            raise ShapeError(f"{name} must be finite and at most {LARGEST:g} in size, got {_value(source, index)}")
    return target, float(largest.copy_to_host()[0])


def _pairs(value: Any, count: int) -> Array:
    """Return indices of pairs on the device, or raise an error if one is out of range."""
    if not is_on_device(value):
        return on_cuda(batch._pairs(value, count))
    array = on_cuda(value)
    if array.dtype.kind not in "iu" or array.ndim != 2 or array.shape[1] != 2:
        raise ShapeError(f"pairs must be integers of shape (m, 2), got {array.dtype} of shape {array.shape}")
    array, wrong = checked_array("pairs", array, np.int64), on_cuda(np.array([NOTHING_WRONG]))
    run_threads(launches.check_pairs, len(array), array, count, wrong)
    index = int(wrong.copy_to_host()[0])
    if index != NOTHING_WRONG:
        raise ShapeError(f"pairs must be indices below {count}, got {_value(array, index)}")
    return array


def _value(array: Array, index: int) -> str:
    """Return a number of an array and its indices, as text."""
    row, column = divmod(index, array.shape[1])
    return f"{array.copy_to_host()[row, column].item()!r} at [{row}, {column}]"
