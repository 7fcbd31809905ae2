"""C functions of another engine, called for many of its objects at once, for adapters.

Functions and objects are given by their addresses: a wrong one ends the program.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats, Ints
from impinge.kernels.entry import read_objects, tell_each

__all__ = ["Getters", "Result", "body_functions", "tell_each"]

# What a function returns: a double, a structure of two doubles, an int, an unsigned char, or a structure of a word and
# two halves of one.
Result: TypeAlias = Literal["double", "vector", "int", "char", "words"]

# The columns of ints and floats that each takes.
INTS: dict[Result, int] = {"int": 1, "char": 1, "words": 3}
FLOATS: dict[Result, int] = {"double": 1, "vector": 2}
CODES: dict[Result, int] = {
    "double": col.IS_DOUBLE,
    "vector": col.IS_VECTOR,
    "int": col.IS_INT,
    "char": col.IS_CHAR,
    "words": col.IS_WORDS,
}


class Getters:
    """Functions that return what is known of an object.

    Parameters
    ----------
    functions
        Address and result of each.

    Examples
    --------
    >>> import ctypes
    >>> mass_of = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p)(lambda address: 0.5 * address)
    >>> read = Getters([(ctypes.cast(mass_of, ctypes.c_void_p).value, "double")])
    >>> read(np.array([6, 8]))
    (array([], shape=(2, 0), dtype=int64), array([[3.],
           [4.]]))
    """

    def __init__(self, functions: Iterable[tuple[int, Result]]) -> None:
        told = list(functions)
        self._functions = np.array([(address, CODES[result]) for address, result in told], np.int64)
        self._ints, self._floats = (sum(each.get(result, 0) for _, result in told) for each in (INTS, FLOATS))

    def __call__(self, objects: Ints, more: int = 0) -> tuple[Ints, Floats]:
        """Return the results for objects, in the order of the functions, as ints and as floats.

        Parameters
        ----------
        objects : (n,) int
            Their addresses.
        more
            Columns to add to the ints, which are not set.

        Returns
        -------
        (n, i + more) int, (n, f)
            Doubles and vectors are one and two floats; words are three ints: the first word, and both halves.
        """
        count = len(objects)
        ints, floats = np.empty((count, self._ints + more), np.int64), np.empty((count, self._floats))
        read_objects(self._functions, objects, ints, floats)
        return ints, floats


def body_functions(
    *,
    get_center: int,
    get_place: int,
    get_angle: int,
    get_velocity: int,
    get_spin: int,
    get_force: int,
    set_place: int,
    set_angle: int,
    set_velocity: int,
    set_spin: int,
    set_force: int,
    to_world: int,
    move: int,
    reindex: int,
) -> Ints:
    """Return the addresses of Chipmunk's functions for bodies, or of functions that do the same, for an `Engine`.

    Parameters
    ----------
    get_center, get_place, get_angle, get_velocity, get_spin, get_force
        Return the centre of gravity in the body's own frame, place, angle, velocity, angular velocity, and force.
    set_place, set_angle, set_velocity, set_spin, set_force
        Set the same.
    to_world
        Returns a point of the body's frame in world coordinates.
    move
        Moves a body for a time, by its velocities and the engine's pushes out of overlaps, which it clears.
    reindex
        Takes the space and a body, and updates the bounds of its shapes.
    """
    functions = np.empty(col.ENGINE_FUNCTIONS, np.int64)
    functions[[col.GET_CENTRE, col.GET_PLACE, col.GET_ANGLE]] = get_center, get_place, get_angle
    functions[[col.GET_VELOCITY, col.GET_SPIN, col.GET_FORCE]] = get_velocity, get_spin, get_force
    functions[[col.SET_PLACE, col.SET_ANGLE, col.SET_VELOCITY]] = set_place, set_angle, set_velocity
    functions[[col.SET_SPIN, col.SET_FORCE, col.TO_WORLD]] = set_spin, set_force, to_world
    functions[[col.MOVE, col.REINDEX]] = move, reindex
    return functions
