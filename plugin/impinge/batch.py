"""The same questions for arrays of pairs, one call for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from impinge.errors import ShapeError
from impinge.kernels import frame
from impinge.sides import Side

__all__ = ["PushBatch", "push_boxes"]


@dataclass(frozen=True, slots=True, eq=False)
class PushBatch:
    """What `push_boxes` answers; row i belongs to pair i.

    Attributes
    ----------
    ends : (n, 2) float64
        Centres at which the weak boxes end.
    times : (n,) float64
        First touches, from 0 to 1; NaN without one.
    sides : (n,) uint8
        Sides of the weak boxes that were touched, as `Side` bits.
    overlapped : (n,) bool
        Whether the pair overlapped at the start.
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
) -> PushBatch:
    """Resolve n pairs of boxes over one frame by the rule of `impinge.push`; the pairs do not see each other.

    Parameters
    ----------
    mighty_sizes, weak_sizes : (n, 2) or (2,)
        Widths and heights.
    mighty_starts, mighty_ends, weak_starts, weak_goals : (n, 2) or (2,)
        Centres.
    carrying, sticky, passable : (n,) or scalar
        Sides of the mighty boxes, as `Side` bits.

    Raises
    ------
    ShapeError
        If an array has another shape, or a value in it is not finite, not positive where it is a size, or not a side;
        the message names the argument, the row and the value.

    Examples
    --------
    One wall that moves up by 4, under two creatures that fall by 2; the second one falls past it:

    >>> pushes = push_boxes((8, 8), (0, 0), (0, 4), (2, 2), [(0, 6), (9, 6)], [(0, 4), (9, 4)])
    >>> pushes.ends
    array([[0., 9.],
           [9., 4.]])
    >>> pushes.times
    array([0.16666667,        nan])
    """
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
    return solve(sizes, moves, flags)


def solve(sizes: ArrayLike, moves: ArrayLike, rules: ArrayLike) -> PushBatch:
    """Run the kernel on checked rows: 4 sizes, 8 coordinates and 3 sets of sides a pair."""
    sizes = np.asarray(sizes, np.float64)
    count = len(sizes)
    pushes = PushBatch(np.empty((count, 2)), np.empty(count), np.empty(count, np.uint8), np.empty(count, np.bool_))
    frame.push_pairs(
        sizes,
        np.asarray(moves, np.float64),
        np.asarray(rules, np.int64),
        pushes.ends,
        pushes.times,
        pushes.sides,
        pushes.overlapped,
    )
    return pushes


def _vectors(name: str, value: ArrayLike) -> NDArray[np.float64]:
    try:
        array = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise ShapeError(f"{name} must be an array of numbers of shape (n, 2), got {value!r}") from None
    if array.ndim not in (1, 2) or array.shape[-1] != 2:
        raise ShapeError(f"{name} must have shape (n, 2) or (2,), got {array.shape}")
    wrong = ~np.isfinite(array)
    wanted = "finite"
    if name.endswith("sizes"):
        wrong |= array <= 0.0
        wanted = "positive and finite"
    if wrong.any():
        raise ShapeError(f"{name} must be {wanted}, got {_first(array, wrong)}")
    return array


def _sides(name: str, value: ArrayLike) -> NDArray[np.int64]:
    array: NDArray[Any] = np.asarray(value)
    if array.dtype.kind not in "iu" or array.ndim > 1:
        raise ShapeError(f"{name} must be Sides of shape (n,) or one Side, got {value!r}")
    wrong = (array < 0) | (array > int(Side.ALL))
    if wrong.any():
        raise ShapeError(f"{name} must be Sides, got {_first(array, wrong)}")
    return array.astype(np.int64)


def _first(array: NDArray[Any], wrong: NDArray[np.bool_]) -> str:
    """Say the first wrong value of an array and where it stands."""
    if array.ndim == 0:
        return repr(array.item())
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{array[index].item()!r} at {list(index)}"
