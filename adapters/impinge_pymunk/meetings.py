"""Where the ways of bodies stop in a step, since they hit each other: `impinge.meetings` for the bodies of a space.

`continuity` finds the pairs, brings the bodies there, and handles what follows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from impinge.meetings import Meetings, Place
from impinge_pymunk.census import SAFE
from impinge_pymunk.chipmunk import mass_of, take_parting
from impinge_pymunk.ways import Pair, Part, Strike, Way

__all__ = ["move_in_turn", "settle", "striking"]


def settle(pairs: Sequence[Pair], dt: float) -> None:
    """Stop the ways of pairs where they hit each other in a step of a duration, the earliest first.

    Parameters
    ----------
    pairs
        The pairs, in the order in which simultaneous hits count.
    dt
        Duration of the step.
    """
    if not pairs:
        return
    ways, meetings = _meetings(pairs)

    def parting_of(row: int) -> Place:
        across, up, spin = take_parting(ways[row].body)
        parting = ways[row].parting = across * dt, up * dt, spin * dt
        return parting

    meetings.settle(SAFE, parting_of)
    for change in meetings.changes():
        way = ways[change.body]
        way.stopped, way.course, way.stand = change.stopped, change.course, change.stand
    for hit in meetings.hits():
        pair = pairs[hit.pair]
        strike = Strike(pair, hit.normal, hit.time, hit.places)
        for way, bit in ((pair.way, 1), (pair.other_way, 2)):
            if hit.stopped & bit:
                way.strikes.append(strike)


def striking(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs that would hit each other if no other body were in the way, without any allowed depth."""
    if not pairs:
        return []
    _, meetings = _meetings(pairs)
    return [pair for pair, time in zip(pairs, meetings.strikes(safe=0.0), strict=True) if not math.isnan(time)]


def move_in_turn(ways: Sequence[Way], pairs: Sequence[Pair]) -> list[float]:
    """Move bodies one after the other; return for each the fraction of its way until its first hit.

    The others stand. Pymunk detects collisions in the next step only: a body that is deeper by then may come out
    behind. So no depth is allowed.

    Parameters
    ----------
    ways
        The ways of the bodies.
    pairs
        The pairs of their shapes with those of other bodies, and with each other.
    """
    if not pairs:
        return [1.0] * len(ways)
    turns = {way: turn for turn, way in enumerate(ways)}
    # Each of two such bodies may hit the other one.
    turned = [
        pair._replace(way=pair.other_way, part=pair.other, other_way=pair.way, other=pair.part)
        for pair in pairs
        if pair.other_way in turns
    ]
    ordered = sorted([*pairs, *turned], key=lambda pair: turns[pair.way])
    _, meetings = _meetings(ordered, ways)
    return meetings.move_in_turn(len(ways), safe=0.0)


def _meetings(pairs: Sequence[Pair], ways: Sequence[Way] = ()) -> tuple[list[Way], Meetings]:
    """Return the ways of pairs, behind those given, and the pairs as the kernels take them."""
    rows = {way: row for row, way in enumerate(ways)}
    numbers: dict[Part, int] = {}
    told = [
        (
            rows.setdefault(way, len(rows)),
            numbers.setdefault(part, len(numbers)),
            rows.setdefault(other_way, len(rows)),
            numbers.setdefault(other, len(numbers)),
            is_sensed,
            is_calm,
        )
        for way, part, other_way, other, is_sensed, is_calm in pairs
    ]
    movers = [(*way.course, mass_of(way.body), way.is_fixed, way.is_heavy, way.is_swept, way.is_parted) for way in rows]
    return list(rows), Meetings(movers, [part.swept for part in numbers], told)
