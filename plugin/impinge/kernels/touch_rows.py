"""What there is to a touch of a solid W with a neighbour: columns of `touches`, one row for each pair of pieces."""

from __future__ import annotations

from impinge.kernels.neighbours import REACH

# Of a neighbour that is no plain box, in the columns that a box has its reach in.
FUZZ = REACH  # what rounding makes of lengths between the two
TOUCHING = REACH + 1  # the distance up to which they touch: the slop, and twice the fuzz, as a cast ends within it

# A touch.
WHO = 0  # the neighbour
PIECE_M = 1  # columns of the pieces in `solids`
PIECE_W = 2
ACROSS = 3  # normal, from M to W
SECOND = 5  # on a sharp corner the other one, else zero
LIMIT = 7  # speed of M along each of these two at the point of touch, 2 columns
SURFACE = 9  # velocity of M there, as W would have to have it to stay in touch, 2 columns
AT = 11  # where that is, from W's place
DEPTH = 13  # signed distance
CHOSEN = 14  # which normal holds W: 1 or 2, 0 for none yet
STATE = 15
OWNER = 16  # the touches whose pieces have these two normals, 2 columns
CUTS = 18  # which of both normals are no side of what W touches: 1 and 2
OPEN = 19  # which of both normals are of sides that let W in: 1 and 2
FORCED = 20  # on a corner: the normal by which it carries W, or that W goes over to, or `PINNED`
WENT_OVER = 21
TWIST = 22  # by how much both normals are turned ahead of where they are now, 2 columns
FEATURE = 24  # what has these normals and turns them, 2 columns
GROUND = 26  # velocity of M there, whatever W's own turning, 2 columns
LEDGE = 28  # 1 if that is the edge of a ledge that a walker stands on, be it ever so steep
ON_DIAGONAL = 29  # 1 if W stays where M's normal is between a side that carries it and one that does not
FIRST = 30  # velocity that W would need to stay in touch there at the beginning of the span, 2 columns
TOUCH_COLUMNS = 32
IDLE, PRESSES, REJECTED, DROPPED = 0.0, 1.0, 2.0, 3.0
PINNED = 3.0
EDGE_OF_M, EDGE_OF_W, VERTICES = 0.0, 1.0, 2.0
JAMMED = 3.0  # nothing: W is stuck in M, and the normal is that by which it got stuck

# Sine of an angle. Normals within it are one direction.
SAME = 1e-9
