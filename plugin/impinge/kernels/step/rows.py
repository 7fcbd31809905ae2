"""How a kernel takes rows of an array that may be full. Every append goes through here.

A full array is marked in `LACKS`: the body that is resolved is then resolved again, from the frame's start, with more
rows. No counter ever exceeds the rows there are, so a loop over rows in use stays within the array.
"""

from __future__ import annotations

from impinge.kernels import columns as col
from impinge.kernels.arrays import Ints
from impinge.kernels.compiler import kernel


@kernel()
def take_rows(total: int, taken: int, end: int, lack: int, counts: Ints) -> int:
    """Return the first of `taken` free rows, and count them; -1 and a mark in `LACKS` if the array has fewer.

    `total` is the counter's column in `counts`, `end` the row behind the last one.
    """
    row = counts[total]
    if row + taken > end:
        counts[col.LACKS] |= lack
        return -1
    counts[total] = row + taken
    return int(row)


@kernel()
def expect_rows(total: int, taken: int, end: int, lack: int, counts: Ints) -> None:
    """Mark in `LACKS` an array that will be full, before any work is done that would have to be done again."""
    if counts[total] + taken > end:
        counts[col.LACKS] |= lack
        counts[col.ROWS_WANTED] = counts[total] + taken


@kernel()
def has_run_out(counts: Ints) -> bool:
    """Whether the body that is resolved is to be resolved again, as something near it was left out."""
    return bool(counts[col.LACKS] or counts[col.PROXY_NEAR])
