"""Decides which moving bodies of a step stop each other, in the order of their meetings.

`continuity` brings the bodies there and handles what follows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from itertools import count
from typing import NamedTuple

from impinge.query.unchecked import Course
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

# Largest depth of a body in an obstacle that it overlaps already, as a fraction of its thickness. Beyond its whole
# thickness, Pymunk pushes it out on the far side.
MOST_DEPTH = 0.8
# Fraction of the allowed depth for a turning pair that overlaps at the start. Its next contact must get some depth, so
# that Pymunk detects it, but with the whole depth it stays in the wall: 1 leaves four times as many bodies deep in it.
SOLVED = 0.5
# Depth at which a body is placed in the body it hits, as a fraction of its size: more than the rounding error, and less
# than what turns one contact between walls into two. A circle without radius is farther from the wall than it seems.
HAIR = 1e-6


class _Meeting(NamedTuple):
    """A pair of bodies that hit each other. Meetings are sorted by time, then in the order they were found."""

    time: float
    number: int
    pair: Pair
    begin: float
    touched: Touch
    # The stop counts and courses of both when the meeting was found: a later stop makes it void.
    changes: tuple[int, int]
    courses: Ways


def strike(pair: Pair, begin: float = 0.0, safe: float = SAFE) -> Touch | None:
    """Return when and how a pair hits each other, if Pymunk would miss it or resolve it wrongly.

    Pymunk detects pairs that are not deep at the end of a step; bodies that rest or roll on others are better left to
    it. It detects a sensor if something is in it at the end.

    Parameters
    ----------
    pair
        The pair.
    begin
            Start of the search, as a fraction of the step.
    safe
        Allowed depth of the first body, as a fraction of its thickness; the slop is always allowed.

    Returns
    -------
    Touch or None
        Its time is a fraction of the step: the time when the depth reaches that of resting bodies.
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
    """Return a touch if the pair would be too deep at the end; if it touches from the start, the time of that depth.

    A body that turns about a corner on which it rests gets no deeper, and one of its ends may recede while the other
    one approaches. So turning pairs are checked until the end.
    """
    limit = max(safe * pair.part.thickness, pair.part.margin)
    speed, fastest = pair.speeds(ways, touched)
    left = 1.0 if touched is None else 1.0 - touched.time
    if fastest * left <= limit or not pair.turns(ways):
        if touched is None or speed <= 0.0:
            return None
        if touched.is_overlapping and speed * left <= limit:
            # A body that is pressed on gets deeper step by step.
            limit = min(limit, MOST_DEPTH * pair.part.thickness + pair.distance(ways))
        return touched if speed * left > limit else None
    if touched is not None and not touched.is_overlapping and touched.time > 0.0:
        if speed * left > limit:
            return touched
        time = pair.time_of_depth(ways, touched.time, limit)
        if time is None:
            return None
        # Pymunk has solved the contact from the start: another point gets too deep, and later.
        return touched._replace(time=time) if pair.begins_overlapping(ways) else touched
    if touched is None and not pair.begins_overlapping(ways):
        return None
    # The contact at the start says little about a turning motion.
    limit = max(SOLVED * safe * pair.part.thickness, pair.part.margin)
    time = pair.time_of_depth(ways, 0.0, limit)
    if time is None:
        return None
    return Touch(time, (0.0, 0.0), (0.0, 0.0), is_overlapping=True) if touched is None else touched._replace(time=time)


def time_of_touch(pair: Pair, begin: float, time: float) -> float:
    """Return when a pair that hits each other overlaps by a hair, which is when Pymunk detects the contact.

    Parameters
    ----------
    pair, begin
        As for `strike`.
    time
        The time from `strike`, when the core of the first body reaches the same place. It is also the result if the
        pair overlaps from the start.
    """
    ways = pair.ways_after(begin)
    first = pair.touch(pair.part.solid, ways)
    if first is None or first.is_overlapping or first.time == 1.0:
        return time
    _, fastest = pair.speeds(ways, first)
    if fastest <= 0.0:
        return time
    return begin + min(1.0, first.time + max(HAIR * pair.part.extent, 4.0 * POINT) / fastest) * (1.0 - begin)


def settle(pairs: Iterable[Pair], dt: float) -> None:
    """Stop the ways of pairs where they hit each other in a step of a duration, the earliest first."""
    numbers = count()
    meetings: list[_Meeting] = []
    # No pair stops its ways twice: a body crushed between two unstoppable ones would be moved to and fro forever.
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
            # Depenetration changes the time of the hit, or prevents it.
            if (again := look(pair, _since(pair))) is not None:
                heappush(meetings, again)
            continue
        time = time_of_touch(pair, meeting.begin, meeting.time)
        if meetings and time > meetings[0].time:
            # For turning bodies the first time was too early: other meetings come first.
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
    """Return whether one of a pair still moves, so that the pair must be checked again after a stop of the other.

    This includes slow bodies: relative to a body that stands now, they are as fast as relative to a thin one.
    """
    way, other_way = pair.way, pair.other_way
    if way.carrier is other_way or other_way.carrier is way:
        # The body does not hit another wall of the room that carries it either.
        return False
    return any(one.stopped == 1.0 and (one.is_swept or not one.is_fixed) for one in (way, other_way))


def _since(pair: Pair) -> float:
    """Return the time since which both bodies of a pair have their present courses."""
    return max([way.since for way in (pair.way, pair.other_way) if way.stopped < 1.0], default=0.0)


def _stop(meeting: _Meeting, time: float) -> list[Way]:
    """Stop bodies of a meeting and return their ways: fast ones, else moving ones, else those that were stopped."""
    pair = meeting.pair
    one, other = pair.way, pair.other_way
    ways = [way for way in (one, other) if not way.is_fixed]
    going = [way for way in ways if way.stopped == 1.0]
    # An unstoppable body pushes on a body that stands already.
    stopping = [way for way in going if way.is_swept] or going or ways
    # A fast body also follows a light one, which may move away: otherwise Pymunk finds no contact. A slow body does
    # not, because the space behind it has not been checked.
    is_led = stopping[0].is_swept
    carrier = next((way for way in (one, other) if way not in stopping and (way.is_heavy or is_led)), None)
    surface = pair.part if carrier is one else pair.other
    places = one.place(time), other.place(time)
    rests = [_rest(way, carrier, surface, time) for way in stopping]
    for way, rest in zip(stopping, rests, strict=True):
        if meeting.touched.is_overlapping:
            # Pymunk pushes it out of an overlap that existed before. A body with a new hit must stay there.
            rest = course(rest[:3], shifted(rest[3:6], way.parting, 1.0 - time))
        way.stop(time, rest, carrier)
        way.strikes.append(Strike(pair, meeting.touched.normal, time, places))
    return stopping


def _outweighs(carrier: Way, way: Way) -> bool:
    """Return whether a body may turn another one that it carries: one that is lighter does not.

    Thin boards on springs turned with the balls that hit them, ever faster.
    """
    return carrier.is_heavy or carrier.body.mass >= way.body.mass


def _rest(way: Way, carrier: Way | None, surface: Part, time: float) -> Course:
    """Return the course of a stopped way: in contact with the surface that it has hit, and moving with it."""
    here = way.place(time)
    if carrier is None or carrier.course[:3] == carrier.course[3:6]:
        return course(here, here)
    x, y, angle, end_x, end_y, end_angle, _, _ = carrier.after(time)
    # A body that touches a wheel does not rotate with it.
    turn = end_angle - angle if surface.reach > 0.0 and _outweighs(carrier, way) else 0.0
    if (x, y) == (end_x, end_y) and turn == 0.0:
        return course(here, here)
    cos, sin = math.cos(turn), math.sin(turn)
    dx, dy = here[0] - x, here[1] - y
    there = end_x + cos * dx - sin * dy, end_y + sin * dx + cos * dy, here[2] + turn
    return course(here, _shoved(way, carrier, course(here, there)))


def _shoved(way: Way, carrier: Way, shove: Course) -> Place:
    """Return how far another body pushes a body: up to the next obstacle that does not give way."""
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
