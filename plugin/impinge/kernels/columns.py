"""The schema of every array that kernels share: column numbers, codes and bit flags. No code, only numbers.

Each name stands for one column of one array, and its prefix names the array; columns of a body have none. A name that
is followed by a gap in the numbers takes that many columns: an axis pair stands in two adjacent ones, so a kernel
writes `floats[body, HALF + axis]` for x and y. Units are the game's own, angles are radians, times run from 0 to 1
over the frame, velocities are units a frame. M is the mighty body of a pair, W the weak one.
"""

from __future__ import annotations

# Bodies of a world: `floats`, a row for each body. The first 16 columns, two cache lines, are those that the step reads
# of a candidate; the others are read only while the step resolves the body itself.
START = 0  # centre at the start of the frame
GOAL = 2  # centre that the body tries to reach
REACHED = 4  # centre at the end of the frame
ANGLE = 6  # angles that belong to START, GOAL and REACHED
GOAL_ANGLE = 7
REACHED_ANGLE = 8
HALF = 9  # half extents
SIZE = 11  # smaller extent; scales the slop
LOWER_REACH = 12  # bounds relative to the centre, at all angles of this frame
UPPER_REACH = 14
FIRST_TOUCH = 16  # time of the first contact in the last frame, NaN without one
BEFORE = 17  # centre and angle at the start of the last frame
BEFORE_ANGLE = 19
ANCHOR = 20  # per axis: offset from the carrier at the end of the last frame
MOVEMENT = 22  # own velocity at the end of the frame, after bounces
RESTITUTION = 24
FLOOR_COSINE = 25  # cosine of the steepest walkable slope; above 1 for a body that does not walk
SNAP = 26  # distance that a walker reaches down to stay on the ground
STEP_HEIGHT = 27
FLOOR_SPEED = 28  # velocity of the floor under the body at the end of the frame
STUCK_NORMAL = 30  # contact normal with `STUCK_IN` when the body got stuck
FLOAT_COLUMNS = 32

# Bodies of a world: `ints`, a row for each body. The first 8 columns, a cache line, are those that the step reads of
# a candidate whose shape is a box and whose path is straight.
MIGHT = 0
LAYER = 1
RESPONSE = 2
IS_PROXY = 3  # 1 for a lazy proxy: replaced by its bodies when a weak body comes near
CARRYING = 4  # sides of this body as the mighty one: carrying, sticky, passable
STICKY = 5
PASSABLE = 6
KNOT_COUNT = 7  # 0: a straight path from START to REACHED
FIRST_KNOT = 8  # first row of its bent path in `knots`
ORDER = 9  # rises with every body added; breaks ties among equals
SOLID = 10  # first column of its solid in `solids`, in its own frame
POSED = 11  # first column of its posed solid: SOLID where no rotation is needed, NOT_POSED until a frame asks
SOLID_COLUMNS = 12  # number of columns of either
LOOKS = 13  # 1 if the frame resolves this body, so that it finds its own contacts
MASK = 14
IS_PLAIN = 15  # 1 for an upright box that does not turn and only pushes: the box path resolves it
SIDES = 16  # sides of this body as the weak one in the last frame: touched, stuck, blocked
STUCK = 17
BLOCKED = 18
OVERLAPPED = 19
ANCHORED = 20  # per axis: the body that carried it, -1 for none
FLOOR = 22  # the body under it, -1 for none
STUCK_IN = 23  # the body that it has been stuck in since an earlier frame; -1 for none, or if it does not wait
WHEN_STUCK = 24  # one of STUCK_WAITS, STUCK_FREEZES, STUCK_LEAVES
IS_CUT_SHORT = 25  # 1 if its last frame met the limit of turns: from then on only contacts moved the body
INT_COLUMNS = 26
NOT_POSED = -1
STUCK_WAITS, STUCK_FREEZES, STUCK_LEAVES = 0, 1, 2

# What the last frame left on a body, in `last_frames`: the frame that writes over it may have to be undone.
INTS_OF_LAST_FRAME = (
    SIDES, STUCK, BLOCKED, OVERLAPPED, ANCHORED, ANCHORED + 1, FLOOR, STUCK_IN, IS_CUT_SHORT
)  # fmt: skip
FLOATS_OF_LAST_FRAME = (
    FIRST_TOUCH, ANCHOR, ANCHOR + 1, MOVEMENT, MOVEMENT + 1, FLOOR_SPEED, FLOOR_SPEED + 1, STUCK_NORMAL,
    STUCK_NORMAL + 1,
)  # fmt: skip
LAST_FRAME_COLUMNS = len(INTS_OF_LAST_FRAME) + len(FLOATS_OF_LAST_FRAME)

# What can differ between the copies of a world: `copies`, a row for each own body of each copy. FLOATS_OF_COPY are the
# columns of the body from which its first columns are copied, and INTS_OF_COPY the same of the integers.
FLOATS_OF_COPY = (
    START, START + 1, ANGLE, GOAL, GOAL + 1, GOAL_ANGLE, FIRST_TOUCH, BEFORE, BEFORE + 1, BEFORE_ANGLE, ANCHOR,
    ANCHOR + 1, MOVEMENT, MOVEMENT + 1, FLOOR_SPEED, FLOOR_SPEED + 1, STUCK_NORMAL, STUCK_NORMAL + 1,
)  # fmt: skip
INTS_OF_COPY = (
    LAYER, MASK, SIDES, STUCK, BLOCKED, OVERLAPPED, ANCHORED, ANCHORED + 1, FLOOR, STUCK_IN, IS_CUT_SHORT
)  # fmt: skip
COPY_VELOCITY = len(FLOATS_OF_COPY)  # NaN for a body that has a goal instead
COPY_SPIN = COPY_VELOCITY + 2
COPY_FLOAT_COLUMNS = COPY_VELOCITY + 3
COPY_INT_COLUMNS = len(INTS_OF_COPY)

# The work of one thread: `job`.
JOB_FIRST = 0  # copies: the first, and one past the last
JOB_END = 1
JOB_FRAMES = 2  # frames for each copy
JOB_KEEPS_EVENTS = 3  # 1 if the events of all frames are kept
JOB_COLUMNS = 4

# Responses. A pair takes the higher response of its two bodies.
RESPONSE_PUSH = 0
RESPONSE_BOUNCE = 1
RESPONSE_STOP = 2
RESPONSE_SENSOR = 3

# Sides, as bits: 1 << (2 * axis + (1 for the high side, else 0)).
LEFT, RIGHT, BOTTOM, TOP = 1, 2, 4, 8

# Knots of bent paths: `knots`.
KNOT_TIME = 0
KNOT_PLACE = 1
KNOT_COLUMNS = 3

# Events of a frame: `events`.
EVENT_TIME = 0
EVENT_SPEED = 1
EVENT_WEAK = 2
EVENT_MIGHTY = 3
EVENT_SIDE = 4
EVENT_KIND = 5
EVENT_WEAK_ORDER = 6  # ORDER of both bodies; sorts the events of one time
EVENT_MIGHTY_ORDER = 7
EVENT_NORMAL = 8  # from the mighty body to the weak one
EVENT_COLUMNS = 10
KIND_PUSH = 0
KIND_SENSOR = 1
KIND_STUCK = 2
KIND_CUT_SHORT = 3

# Counters of a frame: `counts`.
EVENT_TOTAL = 0  # rows in use; only `rows.take_rows` adds to these totals of arrays
KNOT_TOTAL = 1
TURN_TOTAL = 2  # turns of the event loops: the work of the frame
CUT_SHORT = 3  # bodies whose event loop met its limit
NEAR_TOTAL = 4  # candidates that the broadphase found
EVENTS_KEPT = 5  # both totals before the body that ran out of rows
KNOTS_KEPT = 6
SENSOR_TOTAL = 7  # sensors that the current body may meet
TOUCH_TOTAL = 8
LISTENS = 9  # which hooks have a listener: bits LISTENS_TO_...
VERDICT_TOTAL = 10  # hook answers for the current body
ASKED = 11  # 1 if the current body waits for a hook answer
LACKS = 12  # which arrays were full: bits LACKS_...; the current body is then resolved again with more rows
STANCE_TOTAL = 13  # next free column of `solids` for posed solids
STANCE_END = 14  # end of these columns; one more row fits behind it
PROXY_NEAR = 15  # row of a lazy proxy near the current body, plus 1; 0 for none
ROWS_WANTED = 16  # least number of rows that the full array needs, if known
LOWEST_MIGHT = 17  # lowest rank of the world: nothing asks for the paths of its bodies
LONGEST_ROW = 18  # columns of the longest solid
BODIES_BEGUN = 19  # bodies of this frame whose rows hold what it has written, until it is committed
COUNT_COLUMNS = 20
LISTENS_TO_PAIRS, LISTENS_TO_TOUCHES, LISTENS_TO_SHAPES = 1, 2, 4
LACKS_EVENTS, LACKS_KNOTS, LACKS_TOUCHES, LACKS_NEAR, LACKS_STANCES, LACKS_VERDICTS = 1, 2, 4, 8, 16, 32

# Hook answers about pairs: `hook_answers`. A row holds the question first, then the answer.
VERDICT_BODY = 0  # the mighty body; the weak one is the current body
VERDICT_STAGE = 1
VERDICT_RESPONSE = 2  # -1 removes the pair
VERDICT_CARRIES = 3  # carrying sides, or -1 for those of the body
VERDICT_NORMAL = 4  # in a question the normal of the contact, in an answer another one, or zero
VERDICT_TIME = 6
VERDICT_SPEED = 7
VERDICT_SOLIDS = 8  # solids of M and W for this pair: column and number of columns in `solids`, -1 for their own
VERDICT_COLUMNS = 12
PAIR_ASKED, PAIR_KNOWN, TOUCH_ASKED, TOUCH_KNOWN = 0, 1, 2, 3

# A solid: one row of floats in `solids`. A header, its rounded convex pieces, the points of all pieces, then a tree of
# circles around the pieces, root first. `solids.row_of` writes a solid in its own frame, `solids.turn` a posed one.
PIECE_TOTAL = 0
EXTENT = 1  # smaller side of its bounds in its own frame, or the larger one if that is zero; scales the slop
FARTHEST = 2  # largest distance of its points from the origin of its frame; scales the rounding
IS_BOX = 3
LOWER = 4  # bounds
UPPER = 6
FIRST_NODE = 8  # column of the root of its tree in the whole array
PIECES = 9  # first piece

# A piece of a solid, from its first column.
PIECE_LOWER = 0  # bounds, radius included
PIECE_UPPER = 2
RADIUS = 4
POINT_TOTAL = 5
FIRST_POINT = 6  # column in the whole array
BOTTOM_POINT = 7  # column of its lowest point, the leftmost of several: its edges turn from angle 0 on
TOP_POINT = 8  # column of its highest point, the rightmost of several: the same for its mirror image
SKIN = 9  # in a world, for a piece without an inside: distance that it keeps from another such piece
PIECE_COLUMNS = 10

# A point of a piece, and the edge from it to the next point counter-clockwise.
POINT = 0
NORMAL = 2  # outward unit normal of the edge
LENGTH = 4  # length of the edge
POINT_COLUMNS = 5

# A node of a solid's tree: a circle around pieces with their radii, which holds at any angle.
NODE_CENTRE = 0
NODE_RADIUS = 2
NODE_LEFT = 3  # column of a child, or -1 for a node of one piece
NODE_RIGHT = 4  # column of the other child, or of that piece
NODE_COLUMNS = 5

# Bounds, and nodes of the broadphase's tree.
LOW_X, LOW_Y, HIGH_X, HIGH_Y = 0, 1, 2, 3

# Candidates of W, from the broadphase: `near`, with the straight stretch of M's path from T0 to T1.
NEAR_T0 = 0
NEAR_T1 = 1
NEAR_FROM = 2  # centre of M at T0
NEAR_TO = 4  # centre of M at T1
NEAR_VELOCITY = 6
NEAR_REACH = 8  # sum of the half extents: boxes overlap on an axis where |W - M| < reach
NEAR_FUZZ = NEAR_REACH  # for solids, in these columns: rounding of lengths between the two
NEAR_TOUCHING = NEAR_REACH + 1  # and the distance up to which they touch: the slop and twice the fuzz
NEAR_GAP = 10  # slop of the pair
NEAR_NOISE = 11  # the part of the slop that is rounding: closer events are simultaneous
NEAR_ANGLE = 12  # angle of M at T0
NEAR_SPIN = 13  # radians a frame
NEAR_STUCK_NORMAL = 14  # contact normal when W got stuck between M and a mightier body
NEAR_CHAIN_FROM = 16  # place of W relative to M when the chain that replaces M's outline was cut
NEAR_CHAIN_ROOM = 18  # distance that W may move from there; 0 if M is whole
NEAR_COLUMNS = 19

# Candidates of W: `tags`.
TAG_BODY = 0
TAG_FACE = 1  # face of M in contact with W: 2 * axis + (1 for the high side), -1 for none
TAG_CORNER = 2  # second face where a corner of M pins W, else -1
TAG_STRETCH = 3  # index of the stretch of M's bent path
TAG_BITS = 4  # bits BIT_...
TAG_RULE = 5  # response of the pair
TAG_CARRIES = 6  # carrying, sticky and passable sides of M for this pair
TAG_STICKS = 7
TAG_PASSES = 8
TAG_SEQUENCE = 9  # of row i: the candidate that is i-th by might and order; sums are taken in this order
TAG_SOLID_M = 10  # solid of M for this pair: column in its own frame, column posed, number of columns
TAG_STANDING_M = 11
TAG_COLUMNS_M = 12
TAG_SOLID_W = 13  # the same of W
TAG_STANDING_W = 14
TAG_COLUMNS_W = 15
TAG_WHOLE = 16  # three columns: those of the whole M while a chain of its outline replaces it
TAG_CHAIN = 19  # column of that chain in its own frame, -1 for none
TAG_CHAIN_STANDING = 20  # and posed
TAG_COLUMNS = 21
BIT_IGNORED = 1  # W came in through a passable side and has not left yet [8]
BIT_HELD = 2  # on a sticky face since t = 0 [9]
BIT_SQUEEZED = 4  # overlaps W, or will, because W has no free way [10]
BIT_ACTIVE = 8  # pushes or holds W
BIT_RELEASED = 16  # << axis: W slid off that face at this instant
BIT_SETTLED = 64  # W was moved out of M at the start of the frame
BIT_REPORTED = 256  # << face: a push event was written
BIT_REPORTED_STUCK = 4096  # << face: a stuck event was written
BIT_TOUCHED = 65536  # in contact with W, or overlapping it, in this turn

# The current state of W: `way`.
WAY_PLACE = 0  # present centre
WAY_ORIGIN = 2  # per axis: centre at the time SINCE, from which it moves at RATE
WAY_RATE = 4
WAY_SINCE = 6
WAY_SPEED = 8  # actual velocity
WAY_OWN = 10  # velocity without contacts
WAY_TARGET = 12  # own velocity plus that of the carrier
WAY_ANGLE = 14  # present angle
WAY_WHIRL = 15  # radians a frame
WAY_SPAN = 16  # how long the contact set holds at most
WAY_LONGEST = 17  # how long it should hold
WAY_SHORTEST = 18  # how long it must hold, so that the frame ends
WAY_LEAST = 19  # the same without regard to W's speed
WAY_EVEN = 20  # how long it would hold without that minimum
WAY_ROLLING = 21  # whether W rolls around a corner in contact: 0 or ROLLS_...
WAY_FLUSH = 22  # time until nearly parallel edges are flush
WAY_SWIFTEST = 23  # own speed at the start, or speed of the fastest body that it bounced off
WAY_TIME = 24  # present time
WAY_CHECKED = 25  # time when the progress was last checked
WAY_GONE = 26  # how far W has gone since then
WAY_LONGEST_ARC = 27  # how long its next leg may be, as a longer chord would be off the arc
WAY_INSIDE = 28  # time until W leaves the window of its candidates
WAY_REST = 29  # the next leg: how long it is
WAY_STRAIGHT = 30  # its velocity without the corners that W goes around
WAY_STRAYING = 32  # acceleration by which contacts may be off the linearised motion
WAY_BEND = 33  # acceleration of its arc
WAY_STRAYED = 34  # the same, measured at the last leg, with a reserve
WAY_FAN = 35  # velocities on both axes, low ones and high ones, that take W near all bends since the last knot but one
WAY_COLUMNS = 39
# The normals are planned for it; a contact does that presses; W did on the last leg.
ROLLS_PLANNED, ROLLS_NOW, ROLLS_ON = 1.0, 2.0, 3.0

# The current state of W on the box path: `hold`, a column for each axis.
HOLD_TIE = 0  # candidate that the origin is relative to, -1 for none
HOLD_FREE = 2  # 1 while nothing has happened on this axis
HOLD_BINDER = 4  # candidate whose velocity W has on this axis, -1 for none
HOLD_CARRIER = 6  # candidate that carries W along this axis, -1 for none
HOLD_COLUMNS = 8

# Progress of W through its frame: `run`. Columns IS_... and WAS_... hold 1 for yes. The box path uses only
# RUN_COUNT and RUN_TURNS.
RUN_COUNT = 0  # candidates
RUN_ACTIVE = 1  # candidates in the present window: those with the first rows
RUN_TOTAL = 2  # contacts
RUN_CARRIER = 3  # candidate that carries W, -1 for none
RUN_TURNS = 4  # turns of the event loop
RUN_LAST_TURN = 5  # turn that ends a frame which was cut short
RUN_LEGS = 6  # legs that W has gone
RUN_TRIES = 7  # how often the present leg was planned anew
RUN_STALLS = 8  # successive legs without progress
RUN_PARTS = 9  # corrections of depth
RUN_BOUNCES = 10  # successive bounces without progress
RUN_STEPS = 11  # steps climbed
RUN_STUCK_IN = 12  # STUCK_IN at the start of the frame
RUN_WAITS = 13  # 1 if W was stuck, and waits for room
RUN_WAS_ON_FLOOR = 14
RUN_IS_WALKER = 15
RUN_IS_FREE = 16  # nothing has changed W's motion: it reaches its goal
RUN_IS_OVER = 17  # W has had all the turns of its frame
RUN_IS_STALLED = 18  # W hardly proceeds
RUN_IS_ARC = 19  # the present leg follows an arc
RUN_IS_LOOSE = 20  # its contacts change while W moves, by rotation
RUN_HAS_LEFT = 21  # W has left a squeeze in this frame
RUN_CHECKED = 22  # turn when the progress was last checked
RUN_COLUMNS = 23

# Contacts of a solid W: `touches`, a row for each pair of pieces.
TOUCH_NEIGHBOUR = 0  # the candidate
TOUCH_PIECE_M = 1  # columns of the pieces in `solids`
TOUCH_PIECE_W = 2
TOUCH_NORMAL = 3  # from M to W
TOUCH_SECOND_NORMAL = 5  # on a sharp corner, else zero
TOUCH_LIMIT = 7  # speed of M at the contact along each of these two normals
TOUCH_SURFACE = 9  # velocity of M there that keeps W in contact
TOUCH_PLACE = 11  # contact point relative to W
TOUCH_DEPTH = 13  # signed distance
TOUCH_CHOSEN = 14  # which normal holds W: 1 or 2, 0 for none yet
TOUCH_STATE = 15  # one of STATE_...
TOUCH_OWNER = 16  # the contacts whose pieces have these two normals
TOUCH_CUTS = 18  # which normals belong to an internal edge of M: 1 and 2
TOUCH_OPEN = 19  # which normals belong to passable sides: 1 and 2
TOUCH_FORCED = 20  # on a corner: the normal that carries W, or that W goes over to, or FORCED_PINNED
TOUCH_WENT_OVER = 21
TOUCH_TWIST = 22  # angle by which each normal is ahead of its present direction
TOUCH_FEATURE = 24  # feature that has each normal and turns it: one of FEATURE_...
TOUCH_GROUND = 26  # velocity of M at the contact, without W's own rotation
TOUCH_IS_LEDGE = 28  # 1 for the edge of a ledge that a walker stands on, however steep
TOUCH_ON_DIAGONAL = 29  # 1 if W stays where the normal is between a carrying side and another one
TOUCH_FIRST_SURFACE = 30  # velocity that W needs to stay in contact at the start of the span
TOUCH_GOES_AROUND = 32  # 1 if W follows an arc around this corner, 2 if it walks around it
TOUCH_HOLDS = 33  # 1 for a sticky side that holds W, set only if its body holds W
TOUCH_ENDS = 34  # time by which W has slid past the end of the side that presses on it, if that side goes on there
TOUCH_COLUMNS = 35
STATE_IDLE, STATE_PRESSES, STATE_REJECTED, STATE_DROPPED = 0.0, 1.0, 2.0, 3.0
FORCED_PINNED = 3.0
FEATURE_EDGE_OF_M, FEATURE_EDGE_OF_W, FEATURE_VERTICES = 0.0, 1.0, 2.0
FEATURE_JAMMED = 3.0  # no feature: W is stuck in M, and the normal is that of the moment when it got stuck

# Contact planes: half-planes of velocities, `planes`. The inward normal has the first two columns.
PLANE_BORDER = 2  # distance of the border from zero
PLANE_LEEWAY = 3  # rounding in it
PLANE_TOUCH = 4  # row of the contact
PLANE_HOLDS = 5  # 1 if it keeps W at a sticky side, instead of out of it
PLANE_PARALLEL = 6  # sine: opposite borders within it leave W no room, as their crossing would fling W away
PLANE_COLUMNS = 7
PLANE_ROWS = 16

# Motions: `motions`.
MOTION_BEGIN = 0
MOTION_BEGIN_ANGLE = 2
MOTION_END = 3
MOTION_END_ANGLE = 5
MOTION_PULL = 6  # acceleration
MOTION_COLUMNS = 8

# Bounding circles of motions: `circles`. The solid stays in a circle that moves straight.
CIRCLE_START = 0
CIRCLE_WAY = 2
CIRCLE_REACH = 4
CIRCLE_COLUMNS = 5

# Impacts: `answers`. Points are in the frame of the game; points of a solid are counted from its first.
IMPACT_TIME = 0  # NaN without an impact
IMPACT_NORMAL = 1
IMPACT_POINT_COUNT = 3
IMPACT_POINTS = 4  # two points
IMPACT_PIECE_A, IMPACT_PIECE_B = 4, 5  # until the points are known: columns of the pieces, from those of their solids
IMPACT_FEATURES = 8  # of A, then of B: kind, index of the vertex or of the edge's start, distance from there
IMPACT_OVERLAPPING = 14
IMPACT_ITERATIONS = 15
IMPACT_COLUMNS = 16
FEATURE_COLUMNS = 3
FEATURE_VERTEX, FEATURE_EDGE, FEATURE_NONE = 0.0, 1.0, -1.0

# Poses: `poses`.
POSE_PLACE = 0
POSE_ANGLE = 2

# Distances and manifolds: `answers`. Points are relative to the place of A, except in answers for arrays of pairs.
CONTACT_GAP = 0  # signed distance
CONTACT_NORMAL = 1
CONTACT_WITNESS_A = 3
CONTACT_WITNESS_B = 5
CONTACT_POINT_COUNT = 7
CONTACT_POINTS = 8  # two points
CONTACT_DEPTHS = 12  # of both
CONTACT_SLOP = 14
CONTACT_COLUMNS = 15

# Points that a manifold keeps: `kept`. Rows: the outermost of all, and the outermost of those in touch when parted.
KEPT_OUTER = 0
KEPT_TOUCHING = 2
KEPT_ROWS = 4
KEPT_X, KEPT_Y, KEPT_DEPTH, KEPT_ALONG = 0, 1, 2, 3

# A measurement: `measured`. The kept points, then a row with the distance and manifold.
MEASURED = KEPT_ROWS
MEASURED_ROWS = KEPT_ROWS + 1
MEASURED_COLUMNS = CONTACT_COLUMNS

# Conservative advancement: `course`, the motion of B relative to A, in the axes of the game.
COURSE_OFFSET = 0
COURSE_VELOCITY = 2
COURSE_ACCELERATION = 4
COURSE_ANGLE_A, COURSE_SPIN_A = 6, 7
COURSE_ANGLE_B, COURSE_SPIN_B = 8, 9
COURSE_FASTEST = 10  # upper bounds over the motion: speed
COURSE_LONGEST = 11  # length of the offset
COURSE_STRONGEST = 12  # length of the acceleration
COURSE_SURFACE = 13  # speed of any point of B's surface relative to any point of A's
COURSE_NOISE = 14
COURSE_MARGIN = 15  # distance that counts as touching
COURSE_MOMENT = 16  # from here on: the state at one moment, written by `set_moment`
COURSE_COS, COURSE_SIN = 17, 18  # of B's angle relative to A
COURSE_SEEN_A = 19  # offset, velocity and acceleration of B in A's axes, 2 columns each
COURSE_SEEN_B = 25  # the same of A in B's axes
COURSE_IS_TURNED = 31  # 1 if the copy of B posed relative to A is written
COURSE_IS_STRUCK = 32  # 1 if the last pair of pieces in touch strikes unless one axis goes on separating it
COURSE_SPARED = 33  # that axis, away from A, in its own frame, or zero
COURSE_SUNK = 35  # depth at the start of pieces in touch
COURSE_ANGLE_SEEN = 36  # angle of B relative to A
COURSE_REACH_A, COURSE_REACH_B = 37, 38  # reach of both solids from the origins of their frames
COURSE_COLUMNS = 39

# A separating axis of two pieces: `axis`.
AXIS_OWNER = 0  # 0 for A, 1 for B
AXIS_X, AXIS_Y = 1, 2  # in the owner's frame, away from the owner
AXIS_GAP = 3  # separation along it
AXIS_SUPPORT = 4  # support of the owner along it, with both radii
AXIS_ROUND = 5  # sum of the radii
AXIS_IS_FREE = 6  # 1 if it joins two corners and is no edge's normal
AXIS_IS_ONLY = 7  # 1 if it is an edge's normal and no other edge's normal separates the pieces
AXIS_IS_COMMON = 8  # 1 if either owner serves: it joins corners, or the normals of facing edges
AXIS_NORMAL = 9  # contact normal to report, in A's frame: near a corner an edge's normal may be better
AXIS_COLUMNS = 11

# Pairs of nodes of two trees that wait: `stack`. Each step down either tree leaves one pair waiting.
STACK_ROWS = 256

# A sector's sweep: `course` of a solid relative to the apex, without the sector's rotation.
SWING_OFFSET = 0
SWING_VELOCITY = 2
SWING_PULL = 4  # acceleration
SWING_FACING = 6  # angle of the sector at the start of the frame, its cosine and sine
SWING_STANDING = 9  # the same of the solid
SWING_SPIN = 12  # rotation of the sector during the frame
SWING_SOLID_SPIN = 13
SWING_FARTHEST_AWAY = 14  # largest coordinate of either
SWING_COLUMNS = 15
CLEARANCE, CLEARANCE_ON_SECTOR, CLEARANCE_ON_CORE = 0, 1, 3  # distance, point of the sector, point of the core
CLEARANCE_COLUMNS = 5

# Cores: `cores`, Minkowski differences of two pieces without their radii.
CORE_FIRST = 0  # first corner
CORE_TOTAL = 1
CORE_ROUND = 2  # sum of the radii
CORE_BOX = 3  # bounds of its outline: left, bottom, right, top
CORE_NOISE = 7  # rounding of distances from it
CORE_COLUMNS = 8

# Borders of cores: `borders`, edges moved out by the radius, and arcs.
BORDER_OWNER = 0  # its core
BORDER_CENTRE = 1  # start of the edge, or centre of the arc
BORDER_OUT = 3  # outward normal of the edge, or direction in which the arc begins
BORDER_UNTIL = 5  # direction in which the arc ends
BORDER_EXTENT = 7  # length of the edge, or radius of the arc
BORDER_NEAREST = 8  # lower bound of its distance from the origin
BORDER_KIND = 9
BORDER_BOX = 10  # bounds of the edge, or of the whole circle
BORDER_COLUMNS = 14
BORDER_IS_EDGE, BORDER_IS_ARC, BORDER_IS_DISK = 0.0, 1.0, 2.0

# Sectors: `sectors`.
SECTOR_RADIUS = 0
SECTOR_INNER = 1  # inner radius
SECTOR_COS = 2  # of half its angle; exact for half a turn and a whole one
SECTOR_SIN = 3
SECTOR_HALF = 4  # half its angle
SECTOR_SIZE = 5  # smaller side of its bounds; scales the slop
SECTOR_COLUMNS = 6

# Cells of what a sector sees: `cells`. From the centre on they have the layout of borders.
CELL_BEGIN = 0  # bearings, counter-clockwise
CELL_UNTIL = 1
CELL_BEGIN_RAY = 2  # directions of both
CELL_UNTIL_RAY = 4
CELL_KIND = 6  # the outer end: the range, a straight wall, or a round one
CELL_CENTRE = 7  # centre of the circle, or start of the wall
CELL_OUT = 9  # normal of the wall
CELL_EXTENT = 11  # radius of the circle, or length of the wall
CELL_COLUMNS = 12
CELL_IS_RANGE, CELL_IS_WALL, CELL_IS_PILLAR = 0.0, 1.0, 2.0

# The nearest point found so far: `best`.
BEST_DISTANCE, BEST_BEARING, BEST_PLACE = 0, 1, 2  # the bearing without its sign
BEST_COLUMNS = 4

# Hits of sectors: distance, bearing, place and region.
SECTOR_HIT_COLUMNS = 5

# Blocks of disks: a row for each quantity.
DISK_GAP, DISK_X, DISK_Y, DISK_RADIUS = 0, 1, 2, 3
DISK_ROWS = 4
# The row of a solid that is one disk.
DISK_COLUMNS = PIECES + PIECE_COLUMNS + POINT_COLUMNS

# Stretches of bearings: `stretches`, from, to, and the nearest screen there.
STRETCH_SCREEN = 2
STRETCH_COLUMNS = 3

# Boxes without a world: `boxes`, as they stand, and relative to their positions.
BOX_LEFT = 0
BOX_BOTTOM = 1
BOX_RIGHT = 2
BOX_TOP = 3
BOX_IS_FULL = 4  # 1 if the shape fills the box, as an upright rectangle does; 0 if it is smaller
BOX_COLUMNS = 5

# Bodies of another engine: `figures`, their place and velocities in units a second, and `sizes`.
FIGURE_PLACE = 0
FIGURE_ANGLE = 2
FIGURE_VELOCITY = 3
FIGURE_SPIN = 5
FIGURE_COLUMNS = 6
SIZE_LIMIT = 0  # longest way without a sweep; infinite for a body without shapes
SIZE_REACH = 1  # radius at which rotation counts
SIZE_EXTENT = 2  # upper bound of the distance of its points from its place
SIZE_COLUMNS = 3

# C functions that return what is known of an object, and what each returns: a double, a structure of two doubles, an
# int, an unsigned char, or a structure of a word and two halves of one.
GETTER_ADDRESS = 0
GETTER_RESULT = 1
GETTER_COLUMNS = 2
IS_DOUBLE, IS_VECTOR, IS_INT, IS_CHAR, IS_WORDS = 0, 1, 2, 3, 4

# The motions of its fast bodies, each in a row of its own: `swept`, bounds and duration.
SWEPT_TIME = 4
SWEPT_COLUMNS = 5

# Its shapes: `outlines`, a box in the frame of the body, widened by a radius.
OUTLINE_CENTRE = 0
OUTLINE_HALF = 2
OUTLINE_RADIUS = 4
OUTLINE_COLUMNS = 5

# What is known of its bodies: `states` and `numbers`.
BODY_KIND = 0
BODY_IS_SLEEPING = 1  # 0 or 1
BODY_CENTRE = 0  # of gravity, in its own frame
BODY_MASS = 2
IS_DYNAMIC, IS_KINEMATIC, IS_STATIC = 0, 1, 2  # as in Chipmunk

# Its bodies in a step: `movers`, a motion and what is behind it; `numbers` and `flags`.
MOVER_MASS = MOTION_COLUMNS
MOVER_IS_FIXED = MOVER_MASS + 1  # the flags of a course, as 0 or 1
MOVER_IS_HEAVY = MOVER_MASS + 2
MOVER_IS_SWEPT = MOVER_MASS + 3
MOVER_IS_PARTED = MOVER_MASS + 4  # 1 if the engine may push it out of overlaps
MOVER_COLUMNS = MOVER_MASS + 5
COURSE_STOPPED = 0  # time of the first stop, 1 without one
COURSE_SINCE = 1  # time of the last one
COURSE_MASS = 2
COURSE_PARTING = 3  # displacement by which the engine pushes the body out of overlaps: x, y, angle
COURSE_NUMBERS = 6
COURSE_IS_FIXED = 0  # 1 if nothing stops it
COURSE_IS_HEAVY = 1  # 1 if no hit makes it give way
COURSE_IS_SWEPT = 2  # 1 if it is fast
COURSE_PARTING_STATE = 3
COURSE_STOPS = 4  # how often it was stopped
COURSE_SHIFTS = 5  # how often a parting changed its motion
COURSE_CARRIER = 6  # the body that carries it after its stop, -1 for none
COURSE_PUSHER = 7  # the moving body that carries it, or what carries it, and gives way to none; -1 for none
COURSE_FLAGS = 8
PARTING_UNUSED, PARTING_USED = 0, 1

# C functions of the engine for its bodies: `functions`, addresses.
GET_CENTRE, GET_PLACE, GET_ANGLE, GET_VELOCITY, GET_SPIN, GET_FORCE = 0, 1, 2, 3, 4, 5
SET_PLACE, SET_ANGLE, SET_VELOCITY, SET_SPIN, SET_FORCE = 6, 7, 8, 9, 10
TO_WORLD = 11  # a point of its own frame in world coordinates
MOVE = 12  # for a time, by its velocities
REINDEX = 13  # takes the space and a body: updates the bounds of its shapes
ENGINE_FUNCTIONS = 14

# Shapes of its bodies: traits before the solids. A core is a solid without the depth up to which shapes may overlap.
TRAIT_THICKNESS = 0  # half of its smallest width
TRAIT_MARGIN = 1  # difference between solid and core
TRAIT_EXTENT = 2  # largest distance of its points from the body's place
TRAIT_REACH = 3  # of those points that rotation can bring into contact
TRAIT_COLUMNS = 4

# Shapes that take part in pairs: their filter, and the number of their part, -1 for a shape without extent.
SHAPE_GROUP = 0
SHAPE_CATEGORIES = 1
SHAPE_MASK = 2
SHAPE_IS_SENSOR = 3  # 0 or 1
SHAPE_PART = 4
SHAPE_COLUMNS = 5
PART_UNKNOWN = -2
# Numbers that change with the outline of a shape, and the centre of gravity of its body: its part depends on both.
MARK_CENTRE = 3
MARK_COLUMNS = 5

# What a body did in the step: nothing to note; it was sent somewhere and is there; it was also stopped, and goes on.
IS_ELSEWHERE, HAS_ARRIVED, GOES_ON = 0, 1, 2
# How a hit ended: nothing to note; it may last; the first body cannot hit the other one again.
HIT_IS_OVER, HIT_MAY_LAST, HIT_IS_LEFT = 0, 1, 2

# The rest of a body's motion: its place at the begin and at the end, the bounds on the way, and the duration.
REST_BOUNDS = 6
REST_TIME = 10
REST_COLUMNS = 11

# Pairs of its shapes: `pairs`, and `states` and `hits`, what is known about their meetings.
PAIR_ONE = 0  # the body whose core is swept, and its shape
PAIR_PART = 1
PAIR_OTHER = 2
PAIR_OTHER_PART = 3
PAIR_IS_SENSED = 4  # 1 if it is only reported
PAIR_IS_CALM = 5  # 1 if it can hit each other only after a stop
PAIR_COLUMNS = 6
PART_TRAITS = 0  # columns in `firsts`
PART_CORE = 1
PART_SOLID = 2
PART_END = 3
MEETING_STOPS = 0  # COURSE_STOPS and COURSE_SHIFTS of both bodies when the meeting was found
MEETING_SHIFTS = 2
MEETING_NUMBER = 4  # rises with every meeting found; breaks ties
MEETING_ORDER = 5  # of the stop, -1 without one
MEETING_STOPPED = 6  # the bodies that it stopped: 1 for the first, 2 for the other
MEETING_STATES = 7
MEETING_TIME = 0  # infinite without a meeting
MEETING_BEGIN = 1  # time from which it was searched
MEETING_NORMAL = 2
MEETING_IS_OVERLAPPING = 4
MEETING_STOP = 5  # its time when it stopped bodies, and their places and angles then
MEETING_PLACES = 6
MEETING_HITS = 12

# A cast box among the bodies of a world: `way`. The bounds of the whole way have the columns of a node.
CAST_MIDDLE = 4  # centre at half the way
CAST_HALF_WAY = 6
CAST_HALF_BOX = 8
CAST_COLUMNS = 10

# Ray.
RAY_BEGIN = 4  # behind its bounds
RAY_INVERSE = 6  # one over its way on each axis; 0 on an axis on which it stays
RAY_COLUMNS = 8

# Bodies that a world query found: the tie-break, and the row. A batch also says which query found it.
HIT_ORDER = 0
HIT_BODY = 1
HIT_COLUMNS = 2
HIT_ASKER = 2
STRUCK_COLUMNS = IMPACT_COLUMNS + HIT_COLUMNS  # behind the columns of an impact
NEAREST_COLUMNS = 1 + HIT_COLUMNS  # behind a distance

# Work of the root solver: `work`, a row for each quantity.
WORK_COEFFICIENT = 0  # of the current derivative, divided by a factorial
WORK_KNOT = 1  # ends of the intervals on which it is monotonic
WORK_RATIO = 2  # its value at a knot over the error of that value; zero if that is 1 at most
WORK_SIGN = 3  # its sign between one root and the next; left for the caller
WORK_ROWS = 4
WORK_MARGIN = 2  # columns beyond the degree: there are degree + 1 coefficients, knots and signs
