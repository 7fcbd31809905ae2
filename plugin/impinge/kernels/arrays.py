"""Types of the arrays that kernels take, and the bundles in which they travel. `columns` says what stands in them."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
# A motion as scalar questions take it, in the columns of `motions`.
Course: TypeAlias = tuple[float, ...]


class Bodies(NamedTuple):
    """All bodies of a world."""

    floats: Floats
    ints: Ints
    solids: Floats  # rows of their solids, one after the other, in their own frames and posed


class Tree(NamedTuple):
    """The broadphase: bounds of the bodies' swept paths."""

    nodes: Floats  # all levels, leaves first
    levels: Ints  # first node of each level
    leaves: Ints  # body of each leaf
    leaf_of: Ints  # leaf of each body
    tail: Ints  # bodies beside the tree


class FrameRows(NamedTuple):
    """What a step writes about its frame, and what hooks answered."""

    knots: Floats
    events: Floats
    verdicts: Floats
    counts: Ints


class Candidates(NamedTuple):
    """Bodies near the current weak body, a row for each."""

    near: Floats
    tags: Ints
    marks: Ints  # of each body of the world: the weak body that last found it, -1 for none


class Contacts(NamedTuple):
    """Contacts of the current weak solid, and the contact planes that its velocity must obey."""

    touches: Floats
    planes: Floats


class Scratch(NamedTuple):
    """Memory that a step works in. Nothing in it outlives the current weak body."""

    bounds: Floats
    window: Floats
    stack: Ints
    rows: Floats
    turned: Floats
    motions: Floats
    circles: Floats
    pairs: Ints
    course: Floats
    axis: Floats
    answers: Floats
    hold: Ints
    run: Ints
    kept_ints: Ints
    kept_floats: Floats
