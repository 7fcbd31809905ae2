"""Where things lie in the arrays that the kernels share with the objects at the rim. No code, only columns.

The first half is about the bodies of a world, the second about solids, whatever asks about them.

A body is one row of `floats` and one row of `ints`. Rows of an axis pair are adjacent, so that kernels can write
`floats[body, HALF + axis]` and need no second copy for y.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]

# Body, `floats`: units are the game's own, velocities are units a frame, times run from 0 to 1.
START = 0  # centre at the frame's start
GOAL = 2  # centre that it would like to reach
HALF = 4  # half extents
END = 6  # centre that it did reach
ANCHOR = 8  # offset from the body that carried it on this axis at the last frame's end
SIZE = 10  # smaller of its two extents: scales the slop
TIME = 11  # first touch of the last frame, NaN without one
BEFORE = 12  # where it stood at the last frame's start
LOWER_REACH = 14  # bounds of the body as seen from its place, at all angles that it has in this frame
UPPER_REACH = 16
ANGLE = 18  # these four: START, GOAL, END and BEFORE of its angle
GOAL_ANGLE = 19
END_ANGLE = 20
BEFORE_ANGLE = 21
MOVEMENT = 22  # its own movement at the frame's end, in units a frame: a bounce has changed it
RESTITUTION = 24
FLOOR_COSINE = 25  # of the steepest slope that it walks on; above 1 for a body that is no walker
SNAP = 26  # how far it reaches down to stay on the ground
STEP_HEIGHT = 27
FLOOR_SPEED = 28  # velocity of the floor where it stood at the frame's end, in units a frame
STUCK_NORMAL = 30  # by which `STUCK_IN` pressed on it when it got stuck, 2 columns
FLOAT_COLUMNS = 32

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
RESPONSE = 15
IS_PLAIN = 16  # 1 for an upright box that does not turn and is only pushed: those have the quicker way
SOLID = 17  # its first column in `solids`, in its own frame
STANDING = 18  # its first column in `solids` as it stands: SOLID where it stands so anyway, UNSTOOD until a frame asks
SOLID_COLUMNS = 19  # how many columns it has there
FLOOR = 20  # the body that it stands on, -1 for none
LOOKS = 21  # 1 if it is taken through its frame itself, and so finds what it meets
FOLDED = 22  # 1 if it stands in for others, which are to be there when a weak body comes near
STUCK_IN = 23  # the body that it is stuck in since an earlier frame, -1 for none, or if it does not wait for room
WHEN_STUCK = 24  # what it does in that: `STUCK_...`
IS_CUT_SHORT = 25  # 1 if its last frame took too many turns, and it stayed where it was by then
INT_COLUMNS = 26
UNSTOOD = -1
STUCK_WAITS, STUCK_FREEZES, STUCK_LEAVES = 0, 1, 2

# What a pair does when it meets. Of two bodies, the higher response is that of the pair.
RESPONSE_PUSH = 0
RESPONSE_BOUNCE = 1
RESPONSE_STOP = 2
RESPONSE_SENSOR = 3

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
EVENT_NORMAL = 8  # from the mighty body to the weak one, 2 columns
EVENT_COLUMNS = 10
KIND_PUSH = 0
KIND_SENSOR = 1
KIND_STUCK = 2
KIND_CUT_SHORT = 3

# Counters of a frame, `counts`.
EVENT_TOTAL = 0  # rows in use: `rows.take_rows` alone adds to these, and to those of touches, verdicts and stances
KNOT_TOTAL = 1
TURN_TOTAL = 2  # turns of the event loops: the work done
CUT_SHORT = 3  # bodies whose event loop met its limit
NEAR_TOTAL = 4  # neighbours found by the broadphase
EVENTS_KEPT = 5  # these two: the totals before the body whose rows ran out
KNOTS_KEPT = 6
SENSOR_TOTAL = 7  # sensors that may be met by the body that is resolved
TOUCH_TOTAL = 8
LISTENS = 9  # what is to be asked: `LISTENS_TO_...`
VERDICT_TOTAL = 10  # answers about the body that is resolved
ASKED = 11  # 1 if that body waits for an answer
LACKS = 12  # which arrays were full: `LACKS_...`. The body that is resolved is then resolved again with more rows
STANCE_TOTAL = 13  # the next free column of `solids` to stand in
STANCE_END = 14  # where these end; behind it is room for one row more
FOLDED_NEAR = 15  # row of a body that stands in for others and is near that body, plus 1; 0 if there is none
ROWS_WANTED = 16  # how many rows such an array is to have at the least, if that is known
COUNT_COLUMNS = 17
LISTENS_TO_PAIRS, LISTENS_TO_TOUCHES, LISTENS_TO_SHAPES = 1, 2, 4
LACKS_EVENTS, LACKS_KNOTS, LACKS_TOUCHES, LACKS_NEAR, LACKS_STANCES, LACKS_VERDICTS = 1, 2, 4, 8, 16, 32

# A verdict about a pair, a row of `verdicts`: a question first, and then its answer.
VERDICT_BODY = 0  # the mighty one; the weak one is that which is resolved
VERDICT_STAGE = 1
VERDICT_RESPONSE = 2  # -1 for a pair that is not to be
VERDICT_CARRIES = 3  # sides, or -1 for those of the body
VERDICT_NORMAL = 4  # 2 columns; in a question that of the touch, in an answer another one to go by, or zero
VERDICT_TIME = 6
VERDICT_SPEED = 7
VERDICT_SOLIDS = 8  # what M and W are to each other: column and number of columns in `solids`, -1 for their own shape
VERDICT_COLUMNS = 12
PAIR_ASKED, PAIR_KNOWN, TOUCH_ASKED, TOUCH_KNOWN = 0, 1, 2, 3

# Sides, as bits: 1 << (2 * axis + (1 if the high side else 0)).
LEFT, RIGHT, BOTTOM, TOP = 1, 2, 4, 8

# A solid is one row of floats: a header, its rounded convex pieces, the points of all pieces, then a tree of circles
# around the pieces, its root first. Whole numbers in it are exact. `solids.row_of` writes one in the solid's own frame,
# `solids.turn` one that stands at an angle; rows of many solids stand in one array, one after the other.
PIECE_TOTAL = 0
EXTENT = 1  # smaller side of its bounds in its own frame, or the larger one if that is zero: scales the slop
FARTHEST = 2  # distance from the origin of its frame to what of it is farthest away: scales the rounding
IS_BOX = 3
LOWER = 4  # these two: its bounds, 2 columns each
UPPER = 6
FIRST_NODE = 8  # column of the tree's root in the array that the row stands in
PIECES = 9  # first piece

# A piece, from its own first column.
PIECE_LOWER = 0  # these two: its bounds with its radius, 2 columns each
PIECE_UPPER = 2
RADIUS = 4
POINT_TOTAL = 5
FIRST_POINT = 6  # column in the array that the row stands in
BOTTOM_POINT = 7  # column of its lowest point, of several the leftmost: where its edges start to turn from 0 on
TOP_POINT = 8  # column of its highest point, of several the rightmost: where those of its mirror image do
SKIN = 9  # in a world, of a piece without an inside: by how much it is kept off another such
PIECE_COLUMNS = 10

# A point of a piece, and the edge from it to the next one, counter-clockwise; unless it is the only one.
POINT = 0
NORMAL = 2  # of the edge, outwards, of length 1
LENGTH = 4  # of the edge
POINT_COLUMNS = 5

# A node of the tree: a circle around some pieces with their radii. What turns with the solid, it bounds at any angle.
NODE_CENTRE = 0
NODE_RADIUS = 2
NODE_LEFT = 3  # column of a child, or -1 for a node of one piece
NODE_RIGHT = 4  # column of the other child, or of that piece
NODE_COLUMNS = 5
