"""New bodies of a world: the checks of their settings, and the rows that these give.

Not here: adding them, which is in `world`, and the arrays that take their rows, which are in `state`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from impinge.checks import coordinates, first_wrong, not_negative, numbers
from impinge.errors import ShapeError
from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats, Ints
from impinge.sides import checked_sides
from impinge.world.bodies import (
    ALL_LAYERS,
    REMOVED,
    checked_integer,
    checked_might,
    checked_response,
    checked_restitution,
    checked_slope,
    checked_when_stuck,
    floor_cosine,
)
from impinge.world.pool import Slot

__all__ = [
    "ROW_REFERENCE_COLUMNS",
    "NewRow",
    "checked_data",
    "checked_integers",
    "checked_poses",
    "row_of",
    "row_of_many",
    "set_solids",
]

# Columns that refer to the row of another body.
ROW_REFERENCE_COLUMNS = (col.ANCHORED, col.ANCHORED + 1, col.FLOOR, col.STUCK_IN)
# Combinations of settings whose rows are kept: all bodies of a kind share one.
REMEMBERED_ROWS = 256


class NewRow(NamedTuple):
    """The row of a new body, without its shape, its pose and its order."""

    floats: Floats
    ints: Ints
    max_slope: float | None


@lru_cache(REMEMBERED_ROWS, typed=True)
def _known_row(*settings: Any) -> NewRow:
    (might, layer, mask, response, restitution, carrying, sticky, passable, *walking, when_stuck) = settings
    max_slope, snap, step_height = walking
    floats, ints = np.zeros(col.FLOAT_COLUMNS), np.zeros(col.INT_COLUMNS, np.int64)
    ints[list(ROW_REFERENCE_COLUMNS)] = -1
    ints[col.MIGHT] = checked_might(might)
    ints[col.LAYER] = checked_integer("layer", layer, 1)
    ints[col.MASK] = checked_integer("mask", mask, 0)
    ints[col.RESPONSE] = checked_response(response)
    ints[col.WHEN_STUCK] = checked_when_stuck(when_stuck)
    ints[col.CARRYING] = checked_sides("carrying", carrying)
    ints[col.STICKY] = checked_sides("sticky", sticky)
    ints[col.PASSABLE] = checked_sides("passable", passable)
    slope = checked_slope(max_slope)
    floats[col.FIRST_TOUCH] = np.nan
    floats[col.RESTITUTION] = checked_restitution(restitution)
    floats[col.FLOOR_COSINE] = floor_cosine(slope)
    floats[col.SNAP] = not_negative("snap", snap)
    floats[col.STEP_HEIGHT] = not_negative("step_height", step_height)
    for row in (floats, ints):
        row.flags.writeable = False
    return NewRow(floats, ints, slope)


def row_of(*settings: Any) -> NewRow:
    """Return the row of a body with some settings, or raise an error.

    Parameters
    ----------
    *settings
        In this order: might, layer, mask, response, restitution, carrying, sticky, passable, max_slope, snap,
        step_height, when_stuck.

    Examples
    --------
    >>> row = row_of(3, 1, 1, "push", 1.0, 15, 0, 0, None, 0.0, 0.0, "wait")
    >>> row.ints[col.MIGHT].item(), row.ints[col.CARRYING].item(), row.floats[col.RESTITUTION].item()
    (3, 15, 1.0)
    """
    try:
        return _known_row(*settings)
    except TypeError:  # a setting that cannot be hashed
        return _known_row.__wrapped__(*settings)


def row_of_many(
    count: int, might: ArrayLike, layer: ArrayLike, mask: ArrayLike, *others: Any
) -> tuple[NewRow, dict[int, Ints]]:
    """Return the row of several bodies, and the columns in which they differ; or raise an error.

    Parameters
    ----------
    count
        The number of bodies.
    might, layer, mask
        One integer for all, or integers of shape (count,).
    *others
        The other settings of `row_of`, the same for all.

    Examples
    --------
    >>> row, columns = row_of_many(2, [3, 4], 1, 1, "push", 1.0, 15, 0, 0, None, 0.0, 0.0, "wait")
    >>> row.ints[col.LAYER].item(), columns
    (1, {0: array([3, 4])})
    """
    shared, columns = [], {}
    # In the row, a setting that differs has a valid value.
    for column, name, value, least, valid in (
        (col.MIGHT, "might", might, REMOVED + 1, 0),
        (col.LAYER, "layer", layer, 1, 1),
        (col.MASK, "mask", mask, 0, 0),
    ):
        if not isinstance(value, int):
            columns[column] = checked_integers(name, value, count, least)
            value = valid
        shared.append(value)
    return row_of(*shared, *others), columns


def set_solids(ints: Ints, rows: Ints, slots: Collection[Slot]) -> None:
    """Set the slots of bodies in their rows. The derived columns must be updated afterwards."""
    ints[rows, col.SOLID] = ints[rows, col.POSED] = [slot.first for slot in slots]
    ints[rows, col.SOLID_COLUMNS] = [slot.columns for slot in slots]


def checked_poses(poses: ArrayLike) -> Floats:
    """Return places with or without angles as a new array (n, 3), or raise an error."""
    array = numbers("poses", poses, "(n, 2) or (n, 3)")
    if array.shape == (0,):
        return np.empty((0, 3))
    if array.ndim != 2 or array.shape[1] not in (2, 3):
        raise ShapeError(f"poses must have shape (n, 2) or (n, 3), got {array.shape}")
    places = np.zeros((len(array), 3))
    places[:, : array.shape[1]] = array
    coordinates("poses", places)
    return places


def checked_integers(name: str, value: ArrayLike, count: int, least: int) -> Ints:
    """Return an integer for each body, or raise an error with their name."""
    try:
        array: NDArray[Any] = np.asarray(value)
    except (TypeError, ValueError):  # a ragged list
        array = np.empty(())
    if array.shape != (count,) or (count and array.dtype.kind not in "iu"):
        raise ShapeError(f"{name} must be integers of shape ({count},), got {value!r}")
    wrong = (array < least) | (array > ALL_LAYERS)
    if wrong.any():
        raise ShapeError(f"{name} must be integers from {least} to {ALL_LAYERS}, got {first_wrong(array, wrong)}")
    return array.astype(np.int64)


def checked_data(data: Any, count: int) -> Iterable[object]:
    """Return the data of each body, or raise an error."""
    if data is None:
        return repeat(None, count)
    if not isinstance(data, list | tuple) or len(data) != count:
        raise ShapeError(f"data must be None, or a list or tuple of {count} objects, one for each body, got {data!r}")
    return tuple(data)
