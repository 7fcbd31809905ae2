"""Where the moving bodies of another engine stop each other: worked cases, and discs against closed forms."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

import impinge as im
from impinge.meetings import Meetings, Mover, PartRows, Place, SweptPart
from scale import some

# Depth at which a body is placed in another one, for discs of radius 1.
HAIR = 1e-5
DISC = SweptPart(im.Circle(1), im.Circle(1), (1.0, 0.0, 1.0, 0.0))
WALL = SweptPart(im.Box(2, 40), im.Box(2, 40), (1.0, 0.0, 20.03, 20.03))
SAFE = 0.5


def mover(begin: Place, end: Place, *, fixed: bool = False, swept: bool = True, parted: bool = False) -> Mover:
    motion = (*begin, 0.0)[:3] + (*end, 0.0)[:3] + (0.0, 0.0)
    return (*motion, 1.0, fixed, fixed, swept and not fixed, parted)


def met(movers: list[Mover], parts: list[SweptPart], pairs: list[tuple[int, int]]) -> Meetings:
    """Return the meetings of bodies, each with the part of its own number."""
    return Meetings(movers, PartRows(parts), [(one, one, other, other, 0, 0) for one, other in pairs])


class Hit(NamedTuple):
    """A pair that hit each other: its number, the time, the normal, and the bits of the bodies that it stopped."""

    pair: int
    time: float
    normal: tuple[float, float]
    stopped: int


def hits_of(meetings: Meetings) -> list[Hit]:
    numbers, hits = found = meetings.hit_rows()
    rows = numbers, found.times(), found.normals(), hits.stopped
    told = zip(*(each.tolist() for each in rows), strict=True)
    return [Hit(pair, time, tuple(normal), stopped) for pair, time, normal, stopped in told]


def settled(movers: list[Mover], parts: list[SweptPart], pairs: list[tuple[int, int]]) -> tuple[Meetings, list[Hit]]:
    meetings = met(movers, parts, pairs)
    meetings.settle(SAFE)
    return meetings, hits_of(meetings)


def stand_of(meetings: Meetings, body: int) -> list[float]:
    """Return the position at the end of the step of a body that was stopped."""
    stands: list[list[float]] = meetings.stands().tolist()
    return stands[body][:2]


def test_two_bullets_stop_each_other_half_way() -> None:
    movers = [mover((-11, 0), (11, 0)), mover((11, 0), (-11, 0))]
    meetings, [hit] = settled(movers, [DISC, DISC], [(0, 1)])
    assert hit.time == pytest.approx(10 / 22, abs=HAIR)
    assert hit.normal == (1.0, 0.0)
    assert hit.stopped == 3
    assert stand_of(meetings, 0) == pytest.approx([-1, 0], abs=HAIR)
    assert stand_of(meetings, 1) == pytest.approx([1, 0], abs=HAIR)


def test_a_third_bullet_waits_in_front_of_one_that_was_stopped_before() -> None:
    """The third bullet would pass the first one far away: it meets it only because the second one has stopped it.

    By then the first one has bounced, and the engine does not know yet to where. So this is no hit.
    """
    movers = [mover((-11, 0), (11, 0)), mover((11, 0), (-11, 0)), mover((-1, 21), (-1, -19))]
    meetings, hits = settled(movers, [DISC] * 3, [(0, 1), (0, 2), (1, 2)])
    assert [(hit.pair, hit.stopped) for hit in hits] == [(0, 3)]
    # At 0.45 the first one stands at -1; the third one, from 21, reaches 2 at 19 / 40.
    assert meetings.stopped().tolist() == pytest.approx([10 / 22, 10 / 22, 19 / 40], abs=HAIR)
    x, y = stand_of(meetings, 2)
    assert x == pytest.approx(-1, abs=2 * HAIR)
    assert 2.0 < y < 2.0 + 2 * HAIR


def test_a_bullet_touches_a_lighter_plank_that_turns_away_to_the_end_of_the_step() -> None:
    """It moves with the plank, which does not turn it, and so it lost the contact: it stood in the air for good."""
    plank = SweptPart(im.Box(20, 2), im.Box(20, 2), (1.0, 0.0, 10.05, 10.05))
    bullet, turning = mover((8, 12), (8, -8)), mover((0, 0, 0), (0, 0, -0.01), swept=False)
    heavy = (*bullet[:8], 5.0, *bullet[9:])
    for pairs in ([(0, 1)], [(1, 0)]):
        meetings, [hit] = settled([heavy, turning], [DISC, plank], pairs)
        assert hit.time == pytest.approx(0.5, abs=0.01)
        x, y = stand_of(meetings, 0)
        apart = im.distance(im.Circle(1), im.Pose(x, y), im.Box(20, 2), im.Pose(0, 0, -0.01)).distance
        assert -2 * HAIR < apart < 0.0, pairs


def test_a_bullet_that_slides_deep_in_a_wall_follows_what_it_hits() -> None:
    """It could not move on into the wall, in which the engine leaves it, and lost the other body for good."""
    soft = SweptPart(im.Circle(1), im.Circle(0.9), (1.0, 0.1, 1.0, 0.0))
    movers = [mover((1.88, 0), (1.88, 10)), mover((1.88, 6), (1.78, 6), swept=False), mover((0, 0), (0, 0), fixed=True)]
    meetings, [hit] = settled(movers, [soft, soft, WALL], [(0, 1), (0, 2)])
    assert (hit.pair, hit.time) == (0, pytest.approx(0.4, abs=0.01))
    x, y = stand_of(meetings, 0)
    assert math.dist((x, y), (1.78, 6)) < 2.0


def test_a_body_that_is_stopped_in_time_misses_what_it_would_have_hit_later() -> None:
    movers = [mover((0, 0), (40, 0)), mover((10, 0), (10, 0), fixed=True), mover((30, 0), (30, 0), fixed=True)]
    _, hits = settled(movers, [DISC, WALL, WALL], [(0, 1), (0, 2)])
    assert [(hit.pair, hit.stopped) for hit in hits] == [(0, 1)]
    assert hits[0].time == pytest.approx(8 / 40, abs=HAIR)


def test_a_bullet_follows_a_wall_that_moves_away() -> None:
    """It stays in contact with the wall until the end of the step, so that the engine finds the contact there."""
    movers = [mover((0, 0), (40, 0)), mover((10, 0), (20, 0), fixed=True)]
    meetings, [hit] = settled(movers, [DISC, WALL], [(0, 1)])
    # The gap of 8 closes at 30 a step.
    assert hit.time == pytest.approx(8 / 30, abs=HAIR)
    assert stand_of(meetings, 0) == pytest.approx([18, 0], abs=2 * HAIR)


def test_a_wall_pushes_all_that_stand_in_front_of_the_body_that_it_reaches() -> None:
    """Two discs stop each other, and a wall reaches the first one while it stands.

    It went through the second one, which stood until the wall reached that too.
    """
    movers = [mover((-11, 0), (11, 0)), mover((11, 0), (-11, 0)), mover((-30, 0), (10, 0), fixed=True)]
    meetings, hits = settled(movers, [DISC, DISC, WALL], [(0, 1), (0, 2), (1, 2)])
    # The face of the wall, at -29, reaches the first disc at -2.
    assert [(hit.pair, hit.stopped) for hit in hits] == [(0, 3), (1, 1)]
    assert hits[1].time == pytest.approx(27 / 40, abs=HAIR)
    assert stand_of(meetings, 0) == pytest.approx([12, 0], abs=2 * HAIR)
    assert stand_of(meetings, 1) == pytest.approx([14, 0], abs=4 * HAIR)


def test_what_a_wheel_pushes_is_not_carried_round_with_it() -> None:
    """A wheel that turns reaches the first disc, and both discs move straight on with it."""
    movers = [mover((-11, 0), (11, 0)), mover((11, 0), (-11, 0)), mover((-30, 0, 0), (10, 0, 3), fixed=True)]
    meetings, hits = settled(movers, [DISC, DISC, DISC], [(0, 1), (0, 2), (1, 2)])
    assert [(hit.pair, hit.stopped) for hit in hits] == [(0, 3), (1, 1)]
    assert stand_of(meetings, 0) == pytest.approx([12, 0], abs=2 * HAIR)
    assert stand_of(meetings, 1) == pytest.approx([14, 0], abs=4 * HAIR)


def test_a_wall_that_turns_takes_all_that_stand_in_front_of_it_round() -> None:
    """The wall turns by a quarter about its middle, and takes round the second disc too, which it does not touch."""
    movers = [mover((-3.5, 10), (-13.5, 10)), mover((-7.5, 10), (2.5, 10)), mover((0, 0, 0), (0, 0, 0.5 * math.pi))]
    movers[2] = (*movers[2][:9], 1, 1, 1, 0)  # a fast wall, to which nothing gives way
    meetings, hits = settled(movers, [DISC, DISC, WALL], [(0, 1), (0, 2), (1, 2)])
    assert [(hit.pair, hit.stopped) for hit in hits] == [(0, 3), (1, 1)]
    # They stop each other at -4.5 and -6.5. The wall reaches the first one at an angle, in radians, of
    reached = math.acos(2 / math.hypot(4.5, 10)) - math.atan2(10, 4.5)
    assert hits[1].time == pytest.approx(reached / (0.5 * math.pi), abs=1e-4)
    cos, sin = math.cos(0.5 * math.pi - reached), math.sin(0.5 * math.pi - reached)
    for body, x in ((0, -4.5), (1, -6.5)):
        assert stand_of(meetings, body) == pytest.approx([cos * x - sin * 10, sin * x + cos * 10], abs=1e-3)


def test_of_simultaneous_hits_the_pair_that_was_given_first_comes_first() -> None:
    movers = [mover((0, 0), (0, 40)), *[mover((0, 10), (0, 10), fixed=True)] * 2]
    for pairs in ([(0, 1), (0, 2)], [(0, 2), (0, 1)]):
        _, hits = settled(movers, [DISC] * 3, pairs)
        assert [hit.pair for hit in hits] == [0]


def test_shallow_hits_and_sensors_that_hold_it_at_the_end_are_left_to_the_engine() -> None:
    still = mover((10, 0), (10, 0), fixed=True)
    _, hits = settled([mover((0, 0), (8.4, 0)), still], [DISC, DISC], [(0, 1)])
    assert hits == []  # 0.4 deep, and half of the thickness is allowed
    _, hits = settled([mover((0, 0), (8.6, 0)), still], [DISC, DISC], [(0, 1)])
    assert len(hits) == 1
    for end, count in ((40, 1), (10, 0)):
        sensed = Meetings([mover((0, 0), (end, 0)), still], PartRows([DISC, DISC]), [(0, 0, 1, 1, 1, 0)])
        sensed.settle(SAFE)
        assert len(hits_of(sensed)) == count


def test_the_push_out_of_an_overlap_is_used_once_and_only_for_bodies_with_a_hit() -> None:
    """It moves the first bullet past the wall's end, so that this one hits nothing. Of the wall there is none."""
    low = SweptPart(im.Box(2, 4), im.Box(2, 4), (1.0, 0.0, 2.3, 2.3))
    movers = [
        mover((0, 0), (20, 0), parted=True),
        mover((10, 0), (10, 0), fixed=True),
        mover((0, 9), (20, 9), parted=True),
    ]
    meetings = met(movers, [DISC, low, DISC], [(0, 1), (2, 1)])
    meetings.settle(SAFE, partings=[(0.0, 8.0, 0.0)] * 3)
    assert hits_of(meetings) == []
    assert [stand_of(meetings, body) for body in range(3)] == [[20.0, 8.0], [10.0, 0.0], [20.0, 9.0]]
    # The engine alone pushes the other bullet.
    assert meetings.sent(np.full(3, 0.1), 0.1, np.arange(3)).tolist() == [0]


def test_bodies_that_move_in_turn_see_where_the_former_ones_are_by_then() -> None:
    movers = [mover((0, 0), (10, 0)), mover((4, 0), (24, 0))]
    meetings = met(movers, [DISC, DISC], [(0, 1), (1, 0)])
    first, second = meetings.move_in_turn(2, 0.0)
    # The first one hits the second one, which still stands; this one goes all its way.
    assert (first, second) == (pytest.approx(2 / 10, abs=HAIR), 1.0)
    # In the other order, the second one is away by then.
    meetings = met(movers[::-1], [DISC, DISC], [(0, 1), (1, 0)])
    assert meetings.move_in_turn(2, 0.0).tolist() == [1.0, 1.0]
    # A body that meets nothing moves too.
    meetings = met(movers[::-1], [DISC, DISC], [(1, 0)])
    assert meetings.move_in_turn(2, 0.0).tolist() == [1.0, 1.0]


def time_of_discs(begin: np.ndarray, end: np.ndarray, radii: float) -> float:
    """Return when two discs touch, infinite if never; `begin` and `end` lead from the first to the second."""
    way = end - begin
    a, b, c = way @ way, begin @ way, begin @ begin - radii * radii
    square = b * b - a * c
    if square <= 0 or b >= 0:
        return math.inf
    time = (-b - math.sqrt(square)) / a
    return time if 0 <= time <= 1 else math.inf


@pytest.mark.parametrize("seed", some(range(40), least=10))
def test_bullets_among_posts_stop_at_the_first_one(seed: int) -> None:
    """Bullets do not meet each other here, so the time of each is the least of closed forms."""
    rng = np.random.default_rng(seed)
    begins, ends, posts = rng.uniform(-30, 30, (12, 2)), rng.uniform(-30, 30, (12, 2)), rng.uniform(-30, 30, (9, 2))
    movers = [mover(tuple(a), tuple(b)) for a, b in zip(begins.tolist(), ends.tolist(), strict=True)]
    movers += [mover(tuple(post), tuple(post), fixed=True) for post in posts.tolist()]
    pairs = [(bullet, 12 + post) for bullet in range(12) for post in range(9)]
    # Those that overlap at the start, or graze, are another question.
    clear = [bullet for bullet in range(12) if np.hypot(*(posts - begins[bullet]).T).min() > 2.5]
    meetings, hits = settled(movers, [DISC] * 21, pairs)
    stops = meetings.stopped().tolist()
    for bullet in clear:
        times = [time_of_discs(post - begins[bullet], post - ends[bullet], 2.0) for post in posts]
        depths = [2 - np.hypot(*(post - ends[bullet])) for post in posts]
        stopped = stops[bullet]
        if min(times) == math.inf:
            assert stopped == 1.0
        elif stopped == 1.0:
            # A hit whose closing speed leaves less than the allowed depth is left to the engine.
            post = int(np.argmin(times))
            normal = posts[post] - (begins[bullet] + times[post] * (ends[bullet] - begins[bullet]))
            closing = (ends[bullet] - begins[bullet]) @ normal / 2 * (1 - times[post])
            assert closing <= SAFE + 1e-9 or depths[post] <= SAFE
        else:
            assert any(stopped == pytest.approx(time, abs=1e-4) for time in times)
            assert stopped >= min(times) - 1e-9
    assert len(hits) == len({hit.pair for hit in hits})
