"""The published pixel stepping that the push rule started from. For tests, not for games.

The source is *Collision of two quads in 2D space*, TeryWiki, mirex, 2008 (CC Attribution-Share Alike 3.0).
Numbers in comments are those of the points on that page. The text and the code here are new. The behaviour is the
published one, including its mistakes. Python's floats replace the published ``float``, so a touch may round
differently.

Coordinates are pixels with y down, positions are top-left corners. M is the mighty quad, W the weak one.

The nine regions around a quad and the five kinds of overlap of two quads are from the end of that page:
`region_of`, `way_of_overlap`. The published code does not use them.

Mistakes in the published code
------------------------------
Each has a test of the same name. Unless stated otherwise, quads are 8 x 8, and M stays at (0, 0).

*inside_is_not_moved_out*
    Point 3 requires the shortest way out. Its four distances are negative while the quads overlap, but it searches
    for their maximum from 0 up, so it never chooses one. W at (5, 0) without movement stays there.
*inside_is_held*
    A W that starts inside is blocked on both axes, and M drags it along. From (5, 0) it cannot move to (12, 0).
*slower_than_a_pixel_walks_through*
    Movement is truncated to whole pixels. W at (-8, 0) that moves 0.9 to the right counts as resting, so nothing is
    tested, but it does move by 0.9. After 18 such frames it is out on the other side.
*fraction_of_the_goal_is_lost*
    The same truncation costs W up to a pixel a frame. On the floor, from (0, -8) to (2.9, -7), it ends at x = 2.
*one_step_too_many*
    The step that finds the quads past each other is made, and made again by point 17. W from (-12, 0) to
    (-2, 30) touches nothing and ends at (-1.67, 31).
*fraction_is_always_one*
    Point 17 counts up to the last step, so the fraction that it returns never says when anything happened.
*sides_are_those_of_the_last_step*
    The flags are cleared in each step. W from (4, -8) to (16, -4) slides off the floor and reports no side.
*corner_holds*
    If both axes start to overlap in the same step, no side is flagged and W moves into M; from then on it is
    blocked on both axes. W from (-9, -9) to (-2, -2) ends at (-7, -7), a pixel inside M, and stays there for good.
*corner_pushes_without_a_side*
    The same happens to a W at rest: M from (0, 0) to (4, 4) moves W from (8, 8) to (12, 12), but no side is
    reported.
*corner_missed_reports_a_side*
    Flags are set before it is known that both axes overlap. M from (-9, 7) to (-5, 11) passes W at (0, 0), and
    their corners touch. W stays, and reports its left side.
*touch_counts_as_overlap*
    Without relative movement on an axis, a touch is an overlap there; with it, it is not. W from (-12, -8) to
    (6, -8) stops at x = -8, held by the side of a floor that it only touches from above.
*less_than_a_pixel_is_missed*
    Point 7 truncates positions towards 0, and so misses an overlap of less than a pixel. W from (-7.5, -8) to
    (-7.5, -4) falls through M. If both are eight pixels farther left, W rests on M.
*ahead_of_the_push_is_carried_in_part*
    A W whose own movement has the direction of the push leaves M after each push, and is carried along the face
    only in the steps that push. M from (0, 0) to (30, 30) takes W, from (8, 4) to (18, 4), down by only 20.
*ahead_of_the_push_meets_a_phantom*
    Such a W also counts as overlapping before on the axis of the push, so the other axis is blocked too.
    M from (0, 0) to (0, 40) pushes W, from (0, 8) to (6, 18), and W moves only 3 of its 6 pixels to the right.
*stops_short*
    W is set back by a whole step, in which the gap may have closed by two pixels. W from (-11, 0) to (-6, 0)
    and M from (0, 0) to (-5, 0) end a pixel apart.
*rounding_decides_a_touch*
    Steps are added in floating point and compared without a tolerance. W from (-12, 0) to (-11, 0) and M
    from (0, 0) to (-3, 0) touch at the very end, which sends W back to -12.33. Four pixels farther right, it does not.
*three_fields_do_nothing*
    ``sticky`` and ``passable`` are never read, ``stuck`` is never written.
"""

from dataclasses import dataclass, replace
from enum import Enum, IntEnum, IntFlag, auto
from itertools import product
from typing import TypeVar

_X_AND_Y = (0, 1)
_Number = TypeVar("_Number", int, float)


class Edge(IntFlag):
    """The sides of a quad, with the page's values. `UP` is towards smaller y."""

    NONE = 0
    LEFT = 1
    RIGHT = 2
    UP = 4
    DOWN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoQuads:
    """The arguments of the published function, in pixels.

    Parameters
    ----------
    mighty_size, weak_size : tuple of int
        Width and height.
    mighty_start, mighty_end : tuple of int
        Positions of M at the start and at the end.
    weak_start, weak_goal : tuple of float
        Position of W at the start, and the position that it tries to reach.
    sticky, passable : Edge
        Sides of M. The published code has these fields and never reads them.

    Raises
    ------
    ValueError
        If a size is not positive (point 1; the published code asserts and returns -1).
    """

    mighty_size: tuple[int, int]
    weak_size: tuple[int, int]
    mighty_start: tuple[int, int]
    mighty_end: tuple[int, int]
    weak_start: tuple[float, float]
    weak_goal: tuple[float, float]
    sticky: Edge = Edge.NONE
    passable: Edge = Edge.NONE

    def __post_init__(self) -> None:
        for name, size in (("mighty_size", self.mighty_size), ("weak_size", self.weak_size)):
            if min(size) <= 0:
                raise ValueError(f"{name} must be positive, got {size}")


@dataclass(frozen=True, slots=True)
class Stepped:
    """The result of the published function.

    Attributes
    ----------
    weak_end : tuple of float
        Position of W at the end, in pixels.
    sides : Edge
        The sides of W that the last step flagged.
    stuck : Edge
        Always `Edge.NONE`: the published code has the field and never writes it.
    fraction : float or None
        Steps counted over steps planned, so 1. None if the published code returns -2 and makes no steps.
    steps : int
        Steps planned (point 5).
    assertion_failed : bool
        Whether the quads overlap before the first step; the published code asserts that they do not (point 7). This
        code continues stepping, as the published code does if it is built without assertions.
    """

    weak_end: tuple[float, float]
    sides: Edge = Edge.NONE
    stuck: Edge = Edge.NONE
    fraction: float | None = None
    steps: int = 0
    assertion_failed: bool = False


def collision_of_two_quads(quads: TwoQuads) -> Stepped:
    """Move both quads step by step, M pushing W, exactly as published.

    The published flags start undefined. But each step sets them, and the loop has at least one step, so the result is
    defined.

    Examples
    --------
    The page's own example:

    >>> end = collision_of_two_quads(TwoQuads(
    ...     mighty_size=(8, 8), mighty_start=(-7, 4), mighty_end=(-4, 1),
    ...     weak_size=(8, 8), weak_start=(2, -6), weak_goal=(1, -5)))
    >>> [round(z, 4) for z in end.weak_end], end.sides.name, end.steps
    ([3.0, -7.6667], 'DOWN', 3)
    """
    if any(_apart_at_both_ends(quads, axis) for axis in _X_AND_Y):  # 2
        return Stepped(quads.weak_goal)
    # Point 3 moves W only across a gap of at least a pixel. Quads that overlap have no gap, so it does nothing.
    mighty_way = [quads.mighty_end[axis] - quads.mighty_start[axis] for axis in _X_AND_Y]  # 4
    weak_way = [int(quads.weak_goal[axis] - quads.weak_start[axis]) for axis in _X_AND_Y]
    approach = [mighty_way[axis] - weak_way[axis] for axis in _X_AND_Y]
    if approach == [0, 0]:
        return Stepped(quads.weak_goal)
    steps = max(abs(way) for way in mighty_way + weak_way)  # 5
    carry = [way / steps for way in mighty_way]  # 6
    own = [way / steps for way in weak_way]
    mighty: list[float] = list(quads.mighty_start)
    weak = list(quads.weak_start)
    overlapping = [_overlaps_in_whole_pixels(quads, axis) for axis in _X_AND_Y]  # 7
    assertion_failed = all(overlapping)
    sides = Edge.NONE

    for step in range(steps):  # 8
        for axis in _X_AND_Y:  # 9
            mighty[axis] += carry[axis]
            weak[axis] += own[axis]
        reaches = [
            _reach(mighty[axis], quads.mighty_size[axis], weak[axis], quads.weak_size[axis], approach[axis])
            for axis in _X_AND_Y
        ]
        before, overlapping = overlapping, [reach is _Reach.OVERLAPPING for reach in reaches]
        if reaches[0] is _Reach.PAST:
            overlapping[1] = False  # the published code leaves the step before it tests y
        pushing = [_sign(approach[axis]) if overlapping[axis] and before[1 - axis] else 0 for axis in _X_AND_Y]
        sides = _TOUCHED[0, pushing[0]] | _TOUCHED[1, pushing[1]]
        if _Reach.PAST in reaches:  # 12, then 17 from this same step on
            for _ in range(step, steps):
                weak = [weak[axis] + own[axis] for axis in _X_AND_Y]
            break
        if all(overlapping):  # 13
            for axis in _X_AND_Y:
                allowed = 0.0 if pushing[axis] * own[axis] < 0 else own[axis]  # 15
                weak[axis] = weak[axis] - own[axis] + carry[axis] + allowed  # 14
                if allowed == 0.0:
                    overlapping[axis] = before[axis]
    return Stepped((weak[0], weak[1]), sides, Edge.NONE, 1.0, steps, assertion_failed)  # 18


def stepped(quads: TwoQuads, pixels_per_unit: int) -> Stepped:
    """Return the result with finer pixels: scale up by a whole number, step, and scale back.

    Raises
    ------
    ValueError
        If `pixels_per_unit` is not positive.

    Examples
    --------
    With finer pixels, the page's example approaches (2.5, -7), the result of the push rule:

    >>> page = TwoQuads(mighty_size=(8, 8), mighty_start=(-7, 4), mighty_end=(-4, 1),
    ...                 weak_size=(8, 8), weak_start=(2, -6), weak_goal=(1, -5))
    >>> [[round(z, 3) for z in stepped(page, pixels).weak_end] for pixels in (1, 10, 1000)]
    [[3.0, -7.667], [2.6, -7.133], [2.5, -7.0]]
    """
    if pixels_per_unit <= 0:
        raise ValueError(f"pixels_per_unit must be positive, got {pixels_per_unit}")

    end = collision_of_two_quads(
        replace(
            quads,
            mighty_size=_times(quads.mighty_size, pixels_per_unit),
            weak_size=_times(quads.weak_size, pixels_per_unit),
            mighty_start=_times(quads.mighty_start, pixels_per_unit),
            mighty_end=_times(quads.mighty_end, pixels_per_unit),
            weak_start=_times(quads.weak_start, pixels_per_unit),
            weak_goal=_times(quads.weak_goal, pixels_per_unit),
        )
    )
    return replace(end, weak_end=(end.weak_end[0] / pixels_per_unit, end.weak_end[1] / pixels_per_unit))


def _times(vector: tuple[_Number, _Number], factor: int) -> tuple[_Number, _Number]:
    return vector[0] * factor, vector[1] * factor


class _Reach(Enum):
    """The progress of M on one axis, in the direction in which it approaches W."""

    SHORT = auto()
    OVERLAPPING = auto()
    PAST = auto()


def _reach(mighty: float, mighty_size: int, weak: float, weak_size: int, approach: int) -> _Reach:  # 11
    mighty_end, weak_end = mighty + mighty_size, weak + weak_size
    if approach == 0:
        return _Reach.OVERLAPPING if mighty_end >= weak and mighty <= weak_end else _Reach.SHORT
    if approach > 0:
        reached, past = mighty_end > weak, mighty > weak_end
    else:
        reached, past = mighty < weak_end, mighty_end < weak
    return _Reach.PAST if past else _Reach.OVERLAPPING if reached else _Reach.SHORT


_TOUCHED = {
    (0, 0): Edge.NONE,
    (0, 1): Edge.LEFT,
    (0, -1): Edge.RIGHT,
    (1, 0): Edge.NONE,
    (1, 1): Edge.UP,
    (1, -1): Edge.DOWN,
}
"""The side of W that M touches, by axis and by the sign of its approach."""


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


def _apart_at_both_ends(quads: TwoQuads, axis: int) -> bool:
    mighty_size, weak_size = quads.mighty_size[axis], quads.weak_size[axis]
    ends = (
        (quads.mighty_start[axis], quads.weak_start[axis]),
        (quads.mighty_end[axis], quads.weak_goal[axis]),
    )
    return all(m + mighty_size < w for m, w in ends) or all(m > w + weak_size for m, w in ends)


def _overlaps_in_whole_pixels(quads: TwoQuads, axis: int) -> bool:
    mighty, weak = quads.mighty_start[axis], quads.weak_start[axis]
    return mighty < int(weak + quads.weak_size[axis]) and mighty + quads.mighty_size[axis] > int(weak)


@dataclass(frozen=True, slots=True)
class Quad:
    """A quad at rest: its corner of least x and y, and its size, in pixels."""

    x: float
    y: float
    width: float
    height: float


class Region(IntEnum):
    """The nine regions around a quad, numbered as on the page: row by row from the least x and y."""

    ABOVE_LEFT = 0
    ABOVE = 1
    ABOVE_RIGHT = 2
    LEFT = 3
    INSIDE = 4
    RIGHT = 5
    BELOW_LEFT = 6
    BELOW = 7
    BELOW_RIGHT = 8


def region_of(point: tuple[float, float], quad: Quad) -> Region:
    """Return the region of a point. A point on the border is not inside, as touching is not overlap.

    Examples
    --------
    >>> region_of((3, 9), Quad(0, 0, 8, 8)).name
    'BELOW'
    """
    column = _third(point[0], quad.x, quad.width)
    row = _third(point[1], quad.y, quad.height)
    return Region(3 * row + column)


def _third(value: float, low: float, size: float) -> int:
    return 0 if value <= low else 1 if value < low + size else 2


class Overlap(Enum):
    """The five kinds of overlap, in the order of the page's figures."""

    NONE = auto()
    CORNER = auto()
    SIDE = auto()
    CROSS = auto()
    INSIDE = auto()


def way_of_overlap(a: Quad, b: Quad) -> Overlap:
    """Return the kind of overlap of two quads; their order does not matter.

    The larger number of corners that one has in the other decides: one is `CORNER`, two are `SIDE`, four are
    `INSIDE`, and none, if they overlap, is `CROSS`. Touching is not overlap. If they overlap, a corner on the
    other's border counts as inside, unlike in `region_of`: otherwise two equal quads would be a `CROSS`.

    Examples
    --------
    >>> way_of_overlap(Quad(0, 0, 8, 8), Quad(6, 2, 8, 4)).name
    'SIDE'
    """
    if a.x >= b.x + b.width or b.x >= a.x + a.width or a.y >= b.y + b.height or b.y >= a.y + a.height:
        return Overlap.NONE
    most = max(_corners_in(a, b), _corners_in(b, a))
    return {0: Overlap.CROSS, 1: Overlap.CORNER, 2: Overlap.SIDE, 4: Overlap.INSIDE}[most]


def _corners_in(a: Quad, b: Quad) -> int:
    corners = product((a.x, a.x + a.width), (a.y, a.y + a.height))
    return sum(b.x <= x <= b.x + b.width and b.y <= y <= b.y + b.height for x, y in corners)
