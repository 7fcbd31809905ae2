"""Who of the bodies that go through a step is stopped by whom, in the order in which they meet.

Not here: how they are brought there, and what becomes of them, which is in `continuous`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from itertools import count
from typing import NamedTuple

from impinge.kernels.impacts import Course
from impinge_pymunk.census import SAFE
from impinge_pymunk.ways import Pair, Place, Strike, Touch, Way, are_joined, at, course, touch

__all__ = ["settle", "strike", "time_of_touch"]

# Of its size how deep a body is put into what it strikes: more than is lost by rounding, and less than what makes one
# contact two between walls.
HAIR = 1e-6


class _Meeting(NamedTuple):
    """A pair that strikes each other. Meetings are sorted by time, and then as they were found."""

    time: float
    number: int
    pair: Pair
    begin: float
    touched: Touch
    # How often the two had been stopped when it was found: a later stop has made it void.
    changes: tuple[int, int]


def strike(pair: Pair, begin: float = 0.0) -> Touch | None:
    """Return when and how a pair strikes each other, if Pymunk would not see it or would take it for something else.

    It does see what is not deep at the end of a step; and what rests on something, or rolls along, is better left to
    it. A sensor it sees while something is in it.

    Parameters
    ----------
    pair
        The pair.
    begin
        From when on it is looked at, as a part of the step.

    Returns
    -------
    Touch or None
        Its time is a part of the step: when they are as deep in each other as they may rest.
    """
    deep = pair.touch(pair.part.core, begin)
    if deep is None:
        return None
    if pair.is_sensed:
        if deep.is_overlapping or pair.ends_overlapping(begin):
            return None
    elif pair.depth(begin, deep) <= max(SAFE * pair.part.thickness, pair.part.margin):
        return None
    return deep if begin == 0.0 else deep._replace(time=begin + deep.time * (1.0 - begin))


def time_of_touch(pair: Pair, begin: float, time: float) -> float:
    """Return when a pair that strikes each other is in each other by a hair: by then Pymunk sees that they touch.

    Parameters
    ----------
    pair, begin
        As for `strike`.
    time
        What it has told: when the core of the first one is as far; if they have been in each other all along it is
        that.
    """
    first = pair.touch(pair.part.solid, begin)
    if first is None or first.is_overlapping or first.time == 1.0:
        return time
    speed = pair.depth(begin, first) / (1.0 - first.time)
    if speed <= 0.0:
        return time
    return min(time, begin + (first.time + HAIR * pair.part.extent / speed) * (1.0 - begin))


def settle(pairs: Iterable[Pair]) -> None:
    """Stop the ways of pairs where they strike each other, the earliest first."""
    numbers = count()
    meetings: list[_Meeting] = []

    def look(pair: Pair, begin: float) -> _Meeting | None:
        touched = strike(pair, begin)
        if touched is None:
            return None
        return _Meeting(touched.time, next(numbers), pair, begin, touched, _changes(pair))

    meetings.extend(meeting for pair in pairs if (meeting := look(pair, 0.0)) is not None)
    heapify(meetings)
    while meetings:
        meeting = heappop(meetings)
        pair = meeting.pair
        if meeting.changes != _changes(pair) or are_joined(pair.way.body, pair.other_way.body):
            continue
        for way in _stop(meeting):
            for other in way.pairs:
                if _is_open(other) and (again := look(other, way.stopped)) is not None:
                    heappush(meetings, again)


def _changes(pair: Pair) -> tuple[int, int]:
    return pair.way.changes, pair.other_way.changes


def _is_open(pair: Pair) -> bool:
    """Whether one of a pair is still on its way so fast that it must be looked at again when the other is stopped."""
    return any(way.is_swept and way.stopped == 1.0 for way in (pair.way, pair.other_way))


def _stop(meeting: _Meeting) -> list[Way]:
    """Stop who can be stopped, and return them: of two that are fast both, else the fast one, else the other."""
    pair, time = meeting.pair, time_of_touch(meeting.pair, meeting.begin, meeting.time)
    ways = pair.way, pair.other_way
    going = [way for way in ways if not way.is_fixed and way.stopped == 1.0]
    stopping = [way for way in going if way.is_swept] or going
    if not stopping:
        # One that stands already is shoved on by what cannot be stopped.
        stopping = [way for way in ways if not way.is_fixed]
    stands = [_stand(way, ways[way is ways[0]], time, stopping) for way in stopping]
    for way, stand in zip(stopping, stands, strict=True):
        way.stop(min(time, way.stopped), stand)
        way.strikes.append(Strike(pair, meeting.touched.normal))
    return stopping


def _stand(way: Way, other: Way, time: float, stopping: list[Way]) -> Place:
    """Return where a way that is stopped ends: in touch with what it has struck, wherever that is by then."""
    here = way.after(time)[:3]
    if other in stopping:
        return here
    x, y, angle, end_x, end_y, end_angle, _, _ = other.after(time)
    turn = end_angle - angle
    if (x, y) == (end_x, end_y) and turn == 0.0:
        return here
    cos, sin = math.cos(turn), math.sin(turn)
    dx, dy = here[0] - x, here[1] - y
    there = end_x + cos * dx - sin * dy, end_y + sin * dx + cos * dy, here[2] + turn
    return _shoved(way, other, course(here, there))


def _shoved(way: Way, carrier: Way, shove: Course) -> Place:
    """Return how far a body gets that is shoved by another one: up to what stands in its way."""
    first = 1.0
    for pair in way.pairs:
        part, other_way, other = pair.part, pair.other_way, pair.other
        if way is not pair.way:
            part, other_way, other = other, pair.way, part
        if other_way is carrier or pair.is_sensed:
            continue
        touched = touch(part.core, shove, other.solid, course(other_way.stand, other_way.stand))
        if touched is not None and not touched.is_overlapping:
            first = min(first, touched.time)
    return at(shove, first)
