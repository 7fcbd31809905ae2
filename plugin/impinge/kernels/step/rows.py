"""How a kernel takes rows of an array that may be full. Every append goes through this module.

A full array gets a mark in `LACKS`. The frame then resolves the current body again, from the frame's start, with more
rows. No counter exceeds the number of rows, so a loop over rows in use stays within the array.
"""

from __future__ import annotations

from impinge.kernels import columns as col
from impinge.kernels.arrays import Ints
from impinge.kernels.compiler import kernel


@kernel()
def take_rows(total: int, taken: int, end: int, lack: int, counts: Ints) -> int:
    """Take `taken` free rows and return the first one. If the array has fewer, mark it in `LACKS` and return -1.

    `total` is the counter's column in `counts`; `end` is the row behind the last one.
    """
    row = counts[total]
    if row + taken > end:
        counts[col.LACKS] |= lack
        return -1
    counts[total] = row + taken
    return int(row)


@kernel()
def expect_rows(total: int, taken: int, end: int, lack: int, counts: Ints) -> None:
    """Mark an array in `LACKS` that will be full, before any work that would have to be repeated."""
    if counts[total] + taken > end:
        counts[col.LACKS] |= lack
        counts[col.ROWS_WANTED] = counts[total] + taken


@kernel()
def must_resolve_again(counts: Ints) -> bool:
    """Return whether the current body must be resolved again: an array is full, or a lazy proxy is near."""
    return bool(counts[col.LACKS] or counts[col.PROXY_NEAR])
