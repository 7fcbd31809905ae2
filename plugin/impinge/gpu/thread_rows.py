"""Rows of bodies as a thread sees them that has one body of its own: all other bodies are the same for all threads.

Kernels index them as arrays. The own row is in the memory of the thread, where the rows of neighbouring threads are
interleaved, and the shared ones are in the caches.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

from impinge.gpu.device import is_simulated

__all__ = ["FewMarks", "ThreadRows"]


class ThreadRows(NamedTuple):
    """The rows of all bodies. Only the own one is written."""

    shared: Any
    own: Any  # one row
    body: int  # of which body

    # Both methods are for the simulator.
    def __getitem__(self, index: Any) -> Any:
        body, column = index
        return self.own[0, column] if body == self.body else self.shared[body, column]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.own[0, index[1]] = value


class FewMarks(NamedTuple):
    """The marks of a few bodies: `Candidates.marks`, which has a mark for each body of a world.

    All marks have the same value, and are taken off at once. The fields must have different types: otherwise the
    compiler takes an index for that of a field.
    """

    bodies: Any
    state: Any  # one row: the number of marks, and their value

    def __getitem__(self, body: Any) -> Any:
        return mark_of(self.bodies, self.state, body)

    def __setitem__(self, body: Any, value: Any) -> None:
        set_mark(self.bodies, self.state, body, value)


def mark_of(bodies: Any, state: Any, body: int) -> int:
    """Return the mark of a body, -1 for none."""
    for place in range(state[0, 0]):
        if bodies[place] == body:
            return int(state[0, 1])
    return -1


def set_mark(bodies: Any, state: Any, body: int, value: int) -> None:
    """Add a mark, or take off all."""
    if value < 0:
        state[0, 0] = 0
    elif state[0, 0] < bodies.shape[0]:
        bodies[state[0, 0]] = body
        state[0, 0] += 1
        state[0, 1] = value


def _is(kind: Any, found: type) -> bool:
    return getattr(kind, "instance_class", None) is found


def _index() -> None:
    """Tell the compiler how rows and marks are read and written."""
    from numba import cuda
    from numba.cuda.extending import overload

    read_mark, write_mark = cuda.jit(device=True)(mark_of), cuda.jit(device=True)(set_mark)

    @overload(operator.getitem, target="cuda")
    def get(rows: Any, index: Any) -> Callable[..., Any] | None:
        if _is(rows, ThreadRows):

            def get_number(rows: Any, index: Any) -> Any:
                body, column = index
                return rows.own[0, column] if body == rows.body else rows.shared[body, column]

            return get_number
        if _is(rows, FewMarks):

            def get_mark(rows: Any, index: Any) -> Any:
                return read_mark(rows.bodies, rows.state, index)

            return get_mark
        return None

    @overload(operator.setitem, target="cuda")
    def put(rows: Any, index: Any, value: Any) -> Callable[..., Any] | None:
        if _is(rows, ThreadRows):

            def put_number(rows: Any, index: Any, value: Any) -> None:
                rows.own[0, index[1]] = value

            return put_number
        if _is(rows, FewMarks):

            def put_mark(rows: Any, index: Any, value: Any) -> None:
                write_mark(rows.bodies, rows.state, index, value)

            return put_mark
        return None


if not is_simulated():
    _index()
