"""Who of the bodies that go through a step is stopped by whom, in the order in which they meet.

Not here: how they are brought there, and what becomes of them, which is in `continuity`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from itertools import count
from typing import NamedTuple

from impinge.kernels.arrays import Course
from impinge_pymunk.census import SAFE
from impinge_pymunk.ways import (
    POINT,
    Pair,
    Part,
    Place,
    Strike,
    Touch,
    Way,
    Ways,
    are_joined,
    at,
    course,
    shifted,
    touch,
)

__all__ = ["settle", "strike", "time_of_touch"]

# Of its thickness how deep a body may get into what it is in already: beyond all of it Pymunk puts it out behind.
MOST_DEPTH = 0.8
# Of its size how deep a body is put into what it strikes: more than is lost by rounding, and less than what makes one
# contact two between walls. What is a point is farther from the wall than it seems.
HAIR = 1e-6


class _Meeting(NamedTuple):
    """A pair that strikes each other. Meetings are sorted by time, and then as they were found."""

    time: float
    number: int
    pair: Pair
    begin: float
    touched: Touch
    # How often the two had been stopped when it was found, and how they went: a later stop has made it void.
    changes: tuple[int, int]
    courses: Ways


def strike(pair: Pair, begin: float = 0.0, safe: float = SAFE) -> Touch | None:
    """Return when and how a pair strikes each other, if Pymunk would not see it or would take it for something else.

    It does see what is not deep at the end of a step; and what rests on something, or rolls along, is better left to
    it. A sensor it sees while something is in it.

    Parameters
    ----------
    pair
        The pair.
    begin
        From when on it is looked at, as a part of the step.
    safe
        Of its thickness how deep the first one may get; the slop it may at any rate.

    Returns
    -------
    Touch or None
        Its time is a part of the step: when they are as deep in each other as they may rest.
    """
    ways = pair.ways_after(begin)
    deep = pair.touch(pair.part.core, ways)
    if deep is None and not pair.turns(ways):
        return None
    if pair.is_sensed:
        if deep is None or deep.is_overlapping or pair.ends_overlapping(ways):
            return None
    else:
        deep = _too_deep(pair, ways, deep, safe)
        if deep is None:
            return None
    return deep if begin == 0.0 else deep._replace(time=begin + deep.time * (1.0 - begin))


def _too_deep(pair: Pair, ways: Ways, touched: Touch | None, safe: float) -> Touch | None:
    """Return a touch if the pair would be too deep in each other by the end; if they touch already, when they would be.

    Who rests on a corner and turns about it gets no deeper, and one end may be leaving while the other one comes: what
    turns has to be looked at until the end.
    """
    limit = max(safe * pair.part.thickness, pair.part.margin)
    speed, turning = pair.speeds(ways, touched)
    left = 1.0 if touched is None else 1.0 - touched.time
    if turning == 0.0 or (speed + turning) * left <= limit:
        if touched is None or speed <= 0.0:
            return None
        if touched.is_overlapping and speed * left <= limit:
            # What is pressed on gets there bit by bit.
            limit = min(limit, MOST_DEPTH * pair.part.thickness + pair.distance(ways))
        return touched if speed * left > limit else None
    if touched is not None and not touched.is_overlapping:
        if speed * left > limit:
            return touched
        fastest = sum(pair.speeds(ways, None))
        time = pair.time_of_depth(ways, touched.time, fastest, limit)
        if time is None:
            return None
        # Where it touches already, Pymunk has solved that: another point of it is what gets too deep, and later.
        return touched._replace(time=time) if pair.begins_overlapping(ways) else touched
    if touched is None and not pair.begins_overlapping(ways):
        return None
    # What they touch by as they begin says little of a turn.
    time = pair.time_of_depth(ways, 0.0, sum(pair.speeds(ways, None)), limit)
    if time is None:
        return None
    return Touch(time, (0.0, 0.0), (0.0, 0.0), is_overlapping=True) if touched is None else touched._replace(time=time)


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
    ways = pair.ways_after(begin)
    first = pair.touch(pair.part.solid, ways)
    if first is None or first.is_overlapping or first.time == 1.0:
        return time
    speed = sum(pair.speeds(ways, first))
    if speed <= 0.0:
        return time
    return begin + min(1.0, first.time + max(HAIR * pair.part.extent, 4.0 * POINT) / speed) * (1.0 - begin)


def settle(pairs: Iterable[Pair], dt: float) -> None:
    """Stop the ways of pairs where they strike each other in a step of some duration, the earliest first."""
    numbers = count()
    meetings: list[_Meeting] = []
    # No pair stops its ways twice: what is crushed between two that nothing stops would be shoved to and fro for ever.
    met: set[Pair] = set()

    def look(pair: Pair, begin: float) -> _Meeting | None:
        touched = strike(pair, begin)
        if touched is None:
            return None
        return _Meeting(touched.time, next(numbers), pair, begin, touched, _changes(pair), _courses(pair))

    meetings.extend(meeting for pair in pairs if (meeting := look(pair, 0.0)) is not None)
    heapify(meetings)
    while meetings:
        meeting = heappop(meetings)
        pair = meeting.pair
        if meeting.changes != _changes(pair) or are_joined(pair.way.body, pair.other_way.body):
            continue
        pair.way.take_parting(dt)
        pair.other_way.take_parting(dt)
        if meeting.courses != _courses(pair):
            # They strike each other at another time, or not at all.
            if (again := look(pair, _since(pair))) is not None:
                heappush(meetings, again)
            continue
        time = time_of_touch(pair, meeting.begin, meeting.time)
        if meetings and time > meetings[0].time:
            # Of what turns near by it had been told too early: others come first.
            heappush(meetings, meeting._replace(time=time))
            continue
        met.add(pair)
        for way in _stop(meeting, time):
            for other in way.pairs:
                if other not in met and _is_open(other) and (again := look(other, _since(other))) is not None:
                    heappush(meetings, again)


def _courses(pair: Pair) -> Ways:
    return pair.way.course, pair.other_way.course


def _changes(pair: Pair) -> tuple[int, int]:
    return pair.way.changes, pair.other_way.changes


def _is_open(pair: Pair) -> bool:
    """Whether one of a pair is still on its way, and must be looked at again as the other is stopped.

    A slow one as well: to what stands by now it is as fast as to what is thin.
    """
    way, other_way = pair.way, pair.other_way
    if way.carrier is other_way or other_way.carrier is way:
        # Not another wall of the room that it is carried in either.
        return False
    return any(one.stopped == 1.0 and (one.is_swept or not one.is_fixed) for one in (way, other_way))


def _since(pair: Pair) -> float:
    """Return since when both of a pair go as they do now."""
    return max([way.since for way in (pair.way, pair.other_way) if way.stopped < 1.0], default=0.0)


def _stop(meeting: _Meeting, time: float) -> list[Way]:
    """Stop who can be stopped, and return them: of two that are fast both, else the fast one, else the other."""
    pair = meeting.pair
    one, other = pair.way, pair.other_way
    ways = [way for way in (one, other) if not way.is_fixed]
    going = [way for way in ways if way.stopped == 1.0]
    # One that stands already is shoved on by what cannot be stopped.
    stopping = [way for way in going if way.is_swept] or going or ways
    # A fast one goes along with what is light as well: that may flee, and would be out of touch by the time that Pymunk
    # looks. A slow one does not, as nobody has looked what is behind it.
    is_led = stopping[0].is_swept
    carrier = next((way for way in (one, other) if way not in stopping and (way.is_heavy or is_led)), None)
    surface = pair.part if carrier is one else pair.other
    rests = [_rest(way, carrier, surface, time) for way in stopping]
    for way, rest in zip(stopping, rests, strict=True):
        if meeting.touched.is_overlapping:
            # Pymunk parts it from what it is in already. Who comes upon something else is to stay there.
            rest = course(rest[:3], shifted(rest[3:6], way.parting, 1.0 - time))
        way.stop(time, rest, carrier)
        way.strikes.append(Strike(pair, meeting.touched.normal))
    return stopping


def _rest(way: Way, carrier: Way | None, surface: Part, time: float) -> Course:
    """Return how a way that is stopped goes on: in touch with the surface that it has struck, wherever that goes."""
    here = way.place(time)
    if carrier is None or carrier.course[:3] == carrier.course[3:6]:
        return course(here, here)
    x, y, angle, end_x, end_y, end_angle, _, _ = carrier.after(time)
    # Who touches a wheel does not go round with it.
    turn = end_angle - angle if surface.reach > 0.0 else 0.0
    if (x, y) == (end_x, end_y) and turn == 0.0:
        return course(here, here)
    cos, sin = math.cos(turn), math.sin(turn)
    dx, dy = here[0] - x, here[1] - y
    there = end_x + cos * dx - sin * dy, end_y + sin * dx + cos * dy, here[2] + turn
    return course(here, _shoved(way, carrier, course(here, there)))


def _shoved(way: Way, carrier: Way, shove: Course) -> Place:
    """Return how far a body gets that is shoved by another one: up to what stands in its way and does not give way."""
    first = 1.0
    for pair in way.pairs:
        part, other_way, other = pair.part, pair.other_way, pair.other
        if way is not pair.way:
            part, other_way, other = other, pair.way, part
        if other_way is carrier or pair.is_sensed or not other_way.is_heavy:
            continue
        touched = touch(part.core, shove, other.solid, course(other_way.stand, other_way.stand))
        if touched is not None:
            first = min(first, touched.time)
    return at(shove, first)
