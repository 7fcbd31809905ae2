"""What can differ between the copies of a fleet: a row for each own body of each copy.

Not here: the layout of these rows, which is in `impinge.kernels.columns`. `impinge.gpu.fleets` keeps them on a device.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from impinge.checks import first_wrong
from impinge.errors import ShapeError
from impinge.interrupts import surely
from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats, Ints
from impinge.world.bodies import MAX_TURN_ANGLE
from impinge.world.state import State

__all__ = ["AT", "FLOAT_COLUMNS", "INT_AT", "INT_COLUMNS", "Run", "Store", "Told"]

# Rows of events, and copy and frame of each.
Told: TypeAlias = tuple[Floats, Ints]
# Makes the frames that copies of a store of the host have left: the store, the frames of the step, and whether events
# are kept.
Run: TypeAlias = "Callable[[Store, int, bool], list[Told]]"

# The columns of `Copies` for columns of a body.
AT = {column: at for at, column in enumerate(col.FLOATS_OF_COPY)}
INT_AT = {column: at for at, column in enumerate(col.INTS_OF_COPY)}
FLOAT_COLUMNS, INT_COLUMNS = np.array(col.FLOATS_OF_COPY), np.array(col.INTS_OF_COPY)


class Store:
    """The own bodies of all copies.

    In all methods, `at` are the numbers of n copies, and `places` those of k bodies among the own ones. A body with the
    place -1 is shared by all copies: reads take it from `shared`, a row of its columns for each of the k bodies.

    Attributes
    ----------
    floats, ints
        The rows, those of one copy after the other.
    own
        Rows of the own bodies in the world.
    left
        Frames that each copy still has to make.
    """

    def __init__(self, floats: Floats, ints: Ints, own: Ints, count: int) -> None:
        # On a device, these are arrays there.
        self.floats: Any = floats
        self.ints: Any = ints
        self.left: Any = np.zeros(count, np.int64)
        self.own = own

    def __len__(self) -> int:
        return len(self.left)

    def views(self) -> tuple[Floats, Ints]:
        """Return both arrays with an axis for copies and one for bodies."""
        shape = len(self), len(self.own)
        return self.floats.reshape(*shape, col.COPY_FLOAT_COLUMNS), self.ints.reshape(*shape, col.COPY_INT_COLUMNS)

    def step(self, template: State, frames: int, keeps_events: bool, run: Run) -> list[Told]:
        """Make frames of all copies, with the host's `run`; return their events. `template` is the world copied."""
        self.left[:] = frames
        return run(self, frames, keeps_events)

    def read(
        self, at: Ints, places: Ints, columns: Sequence[int], shared: Floats, minus: Sequence[int] | None = None
    ) -> Floats:
        """Return columns of bodies, less the columns `minus`, of shape (n, k, columns). Both are equal in `shared`."""
        found: Floats = _taken(self.views()[0], at, places, columns, shared)
        return found if minus is None else found - _taken(self.views()[0], at, places, minus, shared)

    def read_ints(self, at: Ints, places: Ints, column: int, shared: Ints, dtype: Any = np.int64) -> NDArray[Any]:
        """Return a column of integers, of shape (n, k)."""
        found: NDArray[Any] = _taken(self.views()[1], at, places, [column], shared[:, None])[..., 0].astype(dtype)
        return found

    def write(self, at: Ints, places: Ints, columns: Sequence[int], values: Floats | float) -> None:
        """Write columns of bodies: a number, or values of shape (n, k, columns)."""
        self.views()[0][at[:, None, None], places[:, None], columns] = values

    def write_ints(self, at: Ints, places: Ints, column: int, values: Ints | int) -> None:
        """Write a column of integers: one, or values of shape (n, k)."""
        self.views()[1][at[:, None], places, column] = values

    def check_turns(self, name: str, given: Floats, at: Ints, places: Ints, shared: Floats | None) -> None:
        """Raise an error if bodies turn too far: by the last of 3 numbers, or to it where `shared` is given."""
        turns = given[..., 2]
        if shared is not None:
            turns = turns - self.read(at, places, [AT[col.ANGLE]], shared)[..., 0]
        wrong = np.abs(turns) > MAX_TURN_ANGLE
        if wrong.any():
            raise too_far(name, first_wrong(turns, wrong))

    def zero_where_negative(self, values: Floats, signs: Ints) -> Floats:
        """Return values, of shape (n, k, columns), that are zero for all bodies with a negative sign, (n, k)."""
        values[signs < 0] = 0.0
        return values

    def checked(self, name: str, values: Any, shape: tuple[int, ...]) -> Any:
        """Return None: only a device knows arrays that are on it."""
        return None

    def on_host(self, at: Ints) -> tuple[Store, Ints]:
        """Return a store of the host with some copies, and their numbers in it."""
        return self, at

    def rows(self, at: Ints) -> tuple[Floats, Ints]:
        """Return all that can differ in copies, as NumPy arrays of shapes (n, bodies, columns)."""
        floats, ints = self.views()
        return floats[at], ints[at]

    def set_rows(self, at: Ints, floats: Floats, ints: Ints) -> None:
        """Replace copies."""
        own_floats, own_ints = self.views()

        def replace() -> None:
            own_floats[at] = floats
            own_ints[at] = ints

        surely(replace)

    def copy_rows(self, sources: Ints, targets: Ints) -> None:
        """Replace copies by others."""
        self.set_rows(targets, *self.rows(sources))

    def with_bodies(self, own: Ints, floats: Floats, ints: Ints) -> Store:
        """Return a store with more own bodies, which are the same in each copy."""
        old_floats, old_ints = self.views()
        joined = np.concatenate((self.own, own))
        return Store(_beside(old_floats, floats), _beside(old_ints, ints), joined, len(self))

    def bytes_per_copy(self) -> int:
        """Return the memory that one more copy takes."""
        columns = col.COPY_FLOAT_COLUMNS + col.COPY_INT_COLUMNS
        return int((len(self.own) * columns + 1) * self.left.dtype.itemsize)


def too_far(name: str, turn: object) -> ShapeError:
    """Return the error for a turn by too large an angle."""
    return ShapeError(f"{name} must turn a body by at most {MAX_TURN_ANGLE:g} radians (100 turns), got {turn}")


def _taken(view: Any, at: Ints, places: Ints, columns: Sequence[int], shared: Any) -> Any:
    is_shared = places < 0
    if is_shared.all():
        return np.repeat(shared[None], len(at), axis=0)
    found = view[at[:, None, None], places[:, None], columns]
    found[:, is_shared] = shared[is_shared]
    return found


def _beside(old: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
    """Return the rows of each copy followed by the same new ones, in an array with an axis less."""
    copies, rows, columns = old.shape
    joined = np.empty((copies, rows + len(new), columns), old.dtype)
    joined[:, :rows], joined[:, rows:] = old, new
    return joined.reshape(-1, columns)
