"""Who of the bodies that go through a step is stopped by whom, in the order in which they meet.

Not here: how they are brought there, and what becomes of them, which is in `continuous`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from itertools import count
from typing import NamedTuple

import impinge as im
from impinge_pymunk.census import SAFE
from impinge_pymunk.ways import Pair, Way, are_joined

__all__ = ["settle", "strike"]

# Of its size how deep a body is put into what it strikes: more than is lost by rounding, and less than what makes one
# contact two between walls.
HAIR = 1e-6


class _Meeting(NamedTuple):
    """A pair that strikes each other. Meetings are sorted by time, and then as they were found."""

    time: float
    number: int
    pair: Pair
    # How often the two had been stopped when it was found: a later stop has made it void.
    changes: tuple[int, int]


def strike(pair: Pair, begin: float = 0.0) -> float | None:
    """Return when a pair strikes each other, if Pymunk would not see it or would take it for something else.

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
    float or None
        A part of the step: when they are in each other by a hair, so that Pymunk sees that they touch.
    """
    deep = pair.impact(pair.part.core, begin)
    if deep is None:
        return None
    if pair.is_sensed:
        if deep.overlapping or pair.ends_overlapping(begin):
            return None
    elif pair.depth(begin, deep) <= max(SAFE * pair.part.thickness, pair.part.margin):
        return None
    return begin + min(deep.time, _touch(pair, begin)) * (1.0 - begin)


def _touch(pair: Pair, begin: float) -> float:
    """Return when a pair that strikes each other is in each other by a hair, from a time on; 1 if it is so already."""
    touch = pair.impact(pair.part.solid, begin)
    if touch is None or touch.overlapping or touch.time == 1.0:
        return 1.0
    speed = pair.depth(begin, touch) / (1.0 - touch.time)
    return touch.time + HAIR * pair.part.extent / speed if speed > 0.0 else 1.0


def settle(pairs: Iterable[Pair]) -> None:
    """Stop the ways of pairs where they strike each other, the earliest first."""
    numbers = count()
    meetings: list[_Meeting] = []

    def look(pair: Pair, begin: float) -> _Meeting | None:
        time = strike(pair, begin)
        return None if time is None else _Meeting(time, next(numbers), pair, _changes(pair))

    meetings.extend(meeting for pair in pairs if (meeting := look(pair, 0.0)) is not None)
    heapify(meetings)
    while meetings:
        meeting = heappop(meetings)
        pair = meeting.pair
        if meeting.changes != _changes(pair) or are_joined(pair.way.body, pair.other_way.body):
            continue
        for way in _stop(meeting):
            for other in way.pairs:
                if _is_open(other) and (again := look(other, meeting.time)) is not None:
                    heappush(meetings, again)


def _changes(pair: Pair) -> tuple[int, int]:
    return pair.way.changes, pair.other_way.changes


def _is_open(pair: Pair) -> bool:
    """Whether one of a pair is still on its way so fast that it must be looked at again when the other is stopped."""
    return any(way.is_swept and way.stopped == 1.0 for way in (pair.way, pair.other_way))


def _stop(meeting: _Meeting) -> list[Way]:
    """Stop who can be stopped, and return them: of two that are fast both, else the fast one, else the other."""
    pair, time = meeting.pair, meeting.time
    ways = pair.way, pair.other_way
    going = [way for way in ways if not way.is_fixed and way.stopped == 1.0]
    stopping = [way for way in going if way.is_swept] or going
    if not stopping:
        # One that stands already is shoved on by what cannot be stopped.
        stopping = [way for way in ways if not way.is_fixed]
    stands = [_stand(way, ways[way is ways[0]], time, stopping) for way in stopping]
    for way, stand in zip(stopping, stands, strict=True):
        way.stop(min(time, way.stopped), stand)
        way.strikes.append(pair)
    return stopping


def _stand(way: Way, other: Way, time: float, stopping: list[Way]) -> im.Pose:
    """Return where a way that is stopped ends: in touch with what it has struck, wherever that is by then."""
    here = way.after(time).start
    if other in stopping:
        return here
    carrier = other.after(time)
    begin, end = carrier.start, carrier.end
    if begin == end:
        return here
    turn = end.angle - begin.angle
    cos, sin = math.cos(turn), math.sin(turn)
    dx, dy = here.x - begin.x, here.y - begin.y
    there = im.Pose(end.x + cos * dx - sin * dy, end.y + sin * dx + cos * dy, here.angle + turn)
    return _shoved(way, other, im.Motion(here, there))


def _shoved(way: Way, carrier: Way, motion: im.Motion) -> im.Pose:
    """Return how far a body gets that is shoved by another one: up to what stands in its way."""
    first = 1.0
    for pair in way.pairs:
        part, other_way, other = pair.part, pair.other_way, pair.other
        if way is not pair.way:
            part, other_way, other = other, pair.way, part
        if other_way is carrier or pair.is_sensed:
            continue
        impact = im.time_of_impact(part.core, motion, other.solid, im.Motion.still(other_way.stand))
        if impact is not None and not impact.overlapping:
            first = min(first, impact.time)
    return motion.at(first)
