"""Where things lie in the arrays that the kernels share with the objects at the rim. No code, only columns.

A body is one row of `floats` and one row of `ints`. Rows of an axis pair are adjacent, so that kernels can write
`floats[body, HALF + axis]` and need no second copy for y.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

# Body, `floats`: units are the game's own, velocities are units a frame, times run from 0 to 1.
START = 0  # centre at the frame's start
GOAL = 2  # centre that it would like to reach
HALF = 4  # half extents
END = 6  # centre that it did reach
ANCHOR = 8  # offset from the body that carried it on this axis at the last frame's end
SIZE = 10  # smaller of its two extents: scales the slop
TIME = 11  # first touch of the last frame, NaN without one
BEFORE = 12  # where it stood at the last frame's start
FLOAT_COLUMNS = 14

# Body, `ints`.
MIGHT = 0
ORDER = 1  # rises with every body added: the tie-break among equals
LAYER = 2
MASK = 3
CARRYING = 4  # these three: sides of this body when it is the mighty one
STICKY = 5
PASSABLE = 6
SIDES = 7  # these three: sides of this body when it is the weak one, in the last frame
STUCK = 8
BLOCKED = 9
OVERLAPPED = 10
FIRST_KNOT = 11  # its bent path of this frame in `knots`
KNOT_COUNT = 12  # 0: straight from START to END
ANCHORED = 13  # body that carried it on this axis (2 columns), -1 for none
INT_COLUMNS = 15

# A knot of a bent path.
KNOT_TIME = 0
KNOT_PLACE = 1
KNOT_COLUMNS = 3

# An event, a row of `events`.
EVENT_TIME = 0
EVENT_SPEED = 1
EVENT_WEAK = 2
EVENT_MIGHTY = 3
EVENT_SIDE = 4
EVENT_KIND = 5
EVENT_WEAK_ORDER = 6  # the ORDER of both: events of one time are sorted by it
EVENT_MIGHTY_ORDER = 7
EVENT_COLUMNS = 8
KIND_PUSH = 0
KIND_STUCK = 1

# Counters of a frame, `counts`.
EVENT_TOTAL = 0  # may exceed the rows there are: then the frame is run again with more
KNOT_TOTAL = 1
TURN_TOTAL = 2  # turns of the event loops: the work done
CUT_SHORT = 3  # bodies whose event loop met its limit
NEAR_TOTAL = 4  # neighbours found by the broadphase
EVENTS_KEPT = 5  # these two: the totals before the body whose rows ran out
KNOTS_KEPT = 6
COUNT_COLUMNS = 7

# Sides, as bits: 1 << (2 * axis + (1 if the high side else 0)).
LEFT, RIGHT, BOTTOM, TOP = 1, 2, 4, 8
