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
Vector: TypeAlias = tuple[float, float]  # x, y
Bounds: TypeAlias = tuple[float, float, float, float]  # left, bottom, right, top


class Part(NamedTuple):
    """A solid, or a piece or node of one: its array and its first column."""

    rows: Floats
    at: int


class Mover(NamedTuple):
    """A solid in motion, and room for its posed copy."""

    rows: Floats
    at: int  # its first column, in `rows` and in `standing`
    motion: int  # its row in `motions`
    standing: Floats


class MovingPair(NamedTuple):
    """Two solids in motion, and the memory that conservative advancement works in."""

    a: Mover
    b: Mover
    course: Floats  # the motion of B relative to A
    axis: Floats  # the separating axis found last


class Sweep(NamedTuple):
    """Two motions, and the memory in which the impact of two solids with them is found."""

    motions: Floats
    answers: Floats
    course: Floats
    axis: Floats
    stands: Bools
    stack: Ints
    measured: Floats
    turned_a: Floats  # each as long as the array that the solids are in
    turned_b: Floats


class Cast(NamedTuple):
    """A solid that is cast among bodies, the first of a pair, and the memory of its impacts."""

    pair: MovingPair
    motions: Floats  # of the solid, and of the body
    circles: Floats
    stands: Bools
    stack: Ints


class MovingSolids(NamedTuple):
    """Many solids in motion."""

    rows: Floats
    firsts: Ints  # of solid i: its columns go from `firsts[i]` to `firsts[i + 1]`
    motions: Floats  # a row for each solid
    standing: Floats  # room for the posed solids, in the columns of `rows`
    stands: Bools  # whether the posed solid is written


class Bodies(NamedTuple):
    """All bodies of a world."""

    floats: Floats
    ints: Ints
    solids: Floats  # rows of their solids, one after the other, in their own frames and posed


class Tree(NamedTuple):
    """A packed tree of bounds: of the bodies' swept paths for the broadphase, of their poses for world queries."""

    nodes: Floats  # all levels, leaves first
    levels: Ints  # first node of each level
    leaves: Ints  # body of each leaf
    leaf_of: Ints  # leaf of each body
    tail: Ints  # bodies beside the tree


class Search(NamedTuple):
    """Memory of a search in a tree for the first hit."""

    stack: Ints  # level and node, a pair for each entry
    times: Floats  # when the ray comes into the node of each entry
    hits: Floats  # the first impact, and the current one
    ray: Floats


class QueryFilter(NamedTuple):
    """Which bodies a world query finds."""

    layers: int  # bits: the body's layer has one of them
    ignored: Ints  # bodies that it leaves out


class PosedSolids(NamedTuple):
    """Solids that are already posed at their angles."""

    rows: Floats  # one after the other
    firsts: Ints  # first column of each, and the end of the last
    places: Floats  # where their origins are


class Cell(NamedTuple):
    """A cell of what a sector sees."""

    cells: Floats
    at: int  # its row
    inner: float  # inner radius of the sector


class DiskHits(NamedTuple):
    """The disks that a sector touches, a row for each."""

    indices: Ints
    distances: Floats  # from the apex to the nearest point of the disk
    directions: Floats  # to that point, of any length


class BoxGrid(NamedTuple):
    """Moving boxes, most of them in a hashed grid."""

    boxes: Floats
    is_loose: Bools  # of each box: whether it is outside the grid
    loose: Ints  # the loose boxes
    starts: Ints  # first entry of each bucket, and the end of the last
    entries: Ints  # the boxes in the buckets


class Ranks(NamedTuple):
    """Which bodies a frame resolves and moves, by their rows in the world."""

    order: Ints  # the weak bodies and the sensors, from the mightiest rank down
    met: Ints  # those of them that others can collide with
    movers: Ints  # bodies of the highest rank that may move
    moved: Bools  # for each of `movers`: whether it moved in this frame


class BodyShapes(NamedTuple):
    """The shapes of another engine's bodies, and their bounds at the last poses of the bodies."""

    outlines: Floats
    bodies: Ints  # the row of each shape's body
    bounds: Floats
    poses: Floats  # the pose of the body to which the bounds belong


class FastMotions(NamedTuple):
    """The fast bodies of another engine in a step."""

    figures: Floats  # of all bodies
    sizes: Floats  # of all bodies
    rows: Ints  # of the fast ones
    swept: Floats  # the bounds and the duration of each one's motion


class Members(NamedTuple):
    """The bodies and shapes of another engine that take part in pairs, in places by which others refer to them."""

    owners: Ints  # of all shapes: the row of the body
    firsts: Ints  # of all bodies: the shapes of row i go from `firsts[i]` to `firsts[i + 1]`
    bodies: Ints  # the row of each member
    shapes: Ints  # the number of each shape among them
    places: Ints  # of each row among the members, -1 without one
    shape_places: Ints  # of each shape


class BodyFacts(NamedTuple):
    """Facts about the bodies that take part in pairs, in their places."""

    states: Ints
    numbers: Floats
    may_stop: Bools
    may_part: Bools  # for bodies that the engine may push out of overlaps


class MemberTraits(NamedTuple):
    """What is known of these bodies and shapes, in their places."""

    movers: Floats
    is_soft: Ints  # 1 for bodies that are no obstacles for each other
    shapes: Ints
    left: Ints  # pairs of shapes that do not count, sorted


class ShapePairs(NamedTuple):
    """Pairs of shapes that may hit each other."""

    pairs: Ints
    shapes: Ints  # the numbers of both shapes of each
    turns: Ints  # of each body: its place in the order of first pairs, -1 without one
    counts: Ints  # of pairs, and of bodies with a turn


class Courses(NamedTuple):
    """The motions of another engine's bodies in a step, a row for each body."""

    motions: Floats  # without a stop
    rests: Floats  # after the last stop, and the same as in `motions` until then
    numbers: Floats
    flags: Ints


class SweptParts(NamedTuple):
    """The shapes of these bodies in the frames of their places."""

    rows: Floats  # traits, core and solid of each, one after the other
    firsts: Ints  # of each: first column of the traits, of the core, of the solid, and the end of that


class Engine(NamedTuple):
    """What calls take that read and write the bodies of another engine: addresses."""

    functions: Ints  # C functions; empty if there is no engine
    space: int
    bodies: Ints


class Sending(NamedTuple):
    """Bodies that are placed so that a step brings them elsewhere than the engine alone would."""

    places: Ints
    velocities: Floats
    may_fall: Bools  # whether gravity may act on each only as long as it moves


class Meetings(NamedTuple):
    """The pairs of shapes that may hit each other."""

    pairs: Ints
    states: Ints
    hits: Floats
    firsts: Ints  # of each body: its pairs are in `members` from `firsts[i]` to `firsts[i + 1]`
    members: Ints
    winners: Ints  # a tree in an array: the earliest meeting below each node, -1 for none
    counts: Ints  # meetings found, and stops


class SentBodies(NamedTuple):
    """Bodies that a step brings elsewhere than the engine alone would, after it."""

    places: Ints
    states: Ints
    sizes: Floats


class Hits(NamedTuple):
    """Pairs that hit each other and were stopped, in this order."""

    pairs: Ints
    stopped: Ints  # MEETING_STOPPED of each
    rows: Floats  # of each: what is known about its meeting


class FrameRows(NamedTuple):
    """What a step writes about its frame, and what hooks answered."""

    knots: Floats
    events: Floats
    verdicts: Floats
    last_frames: Floats  # what the last frame left, for each place of `Ranks.order`
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


class Pieces(NamedTuple):
    """A piece of a candidate M and a piece of the weak solid W."""

    neighbour: int  # the candidate
    of_m: int  # columns of both pieces in `solids`
    of_w: int
    offset: Vector  # place of W relative to M


class PieceContact(NamedTuple):
    """How two pieces touch: with one normal from M to W, or two on a sharp corner."""

    gap: float
    normal: Vector
    feature: float  # the feature that has this normal and turns it: one of FEATURE_...
    second_normal: Vector  # zero without a corner
    second_feature: float


class Report(NamedTuple):
    """What an event tells, and a question to a hook asks, about a contact."""

    time: float
    normal: Vector
    speed: float  # of M along the normal


class Copies(NamedTuple):
    """The copies of a world in a fleet: only what can differ between them."""

    floats: Floats  # a row for each own body of each copy, one copy after the other
    ints: Ints
    own: Ints  # rows of the own bodies in the world
    posed: Ints  # first columns of their posed solids, -1 for none yet
    left: Ints  # frames that each copy still has to make
    places: Ints  # copy and frame of each event


class Rays(NamedTuple):
    """Rays in copies of a world, those of one copy after the other, and what each hits first."""

    copies: Ints  # of each group of rays
    ends: Floats  # x and y of the start and the end of each ray
    times: Floats  # from 0 at the start to 1 at the end; NaN without a hit
    bodies: Ints  # row of the body that it hits, or -1


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


class Workspace(NamedTuple):
    """All memory that resolving a weak body takes. It outlives no weak body either."""

    way: Floats
    scratch: Scratch
    contacts: Contacts
