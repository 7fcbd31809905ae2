"""Attacks over time: when they strike, which targets, only once, and where they throw targets; parts of motions."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import impinge as im
from impinge import Attack, Box, Capsule, Circle, Compound, Motion, Occluders, Polygon, Pose, Sector
from impinge.errors import ShapeError

HERE = Pose(0, 0)
BLADE = Sector(40, 0.1)
CONE = Sector(40, math.pi / 4)
BALL = Circle(1)


def nearly(value, tolerance=1e-12):
    return pytest.approx(value, rel=0, abs=tolerance)


def away(length, bearing):
    return length * math.cos(bearing), length * math.sin(bearing)


def frames_of(attack, durations, owner, targets, walls=()):
    """Run frames. Return (target, time since the start, frame) of all strikes, and the swing."""
    swing, strikes = attack.start(), []
    for frame, duration in enumerate(durations):
        begin = swing.elapsed
        for strike in swing.step(duration, owner, targets, walls):
            strikes.append((strike.target, begin + strike.time * duration, frame))
    return strikes, swing


# Phases.


@pytest.mark.parametrize(
    ("elapsed", "phase"),
    [
        (0, "windup"),
        (0.999999, "windup"),
        (1, "active"),
        (2.999999, "active"),
        (3, "recovery"),
        (6.999999, "recovery"),
        (7, "over"),
        (1000, "over"),
    ],
)
def test_a_phase_begins_where_the_one_before_ends(elapsed, phase):
    assert Attack(CONE, windup=1, active=2, recovery=4).phase(elapsed) == phase


def test_phases_that_take_no_time():
    assert [Attack(CONE, active=2).phase(time) for time in (0, 1.9, 2)] == ["active", "active", "over"]
    assert [Attack(CONE, windup=1).phase(time) for time in (0, 1)] == ["windup", "over"]
    assert [Attack(CONE, recovery=1).phase(time) for time in (0, 1)] == ["recovery", "over"]
    assert Attack(CONE).phase(0) == "over"


def test_where_the_sector_faces():
    attack = Attack(CONE, windup=1, active=2, recovery=4, swing=3)
    assert [attack.bearing(time) for time in (0, 1, 1.5, 2, 3, 5, 9)] == [-1.5, -1.5, -0.75, 0, 1.5, 1.5, 1.5]
    left_to_right = Attack(CONE, windup=1, active=2, recovery=4, swing=-3)
    assert [left_to_right.bearing(time) for time in (0, 1, 1.5, 2, 3, 5)] == [1.5, 1.5, 0.75, 0, -1.5, -1.5]
    # For a single moment, the blade is in the middle of its swing.
    assert [Attack(CONE, windup=1, swing=3).bearing(time) for time in (0, 1, 2)] == [0, 0, 0]
    assert Attack(CONE, active=1).bearing(0.3) == 0


def test_a_swing_tells_where_it_is():
    swing = Attack(CONE, windup=1, active=2, recovery=4, swing=3).start()
    seen = []
    for duration in (0.5, 0.5, 1.0, 1.0, 3.5, 0.5):
        seen.append((swing.phase, swing.is_over, swing.elapsed, swing.pose(Pose(5, 6, 2)).angle))
        swing.step(duration, HERE, {})
    assert seen == [
        ("windup", False, 0, 0.5),
        ("windup", False, 0.5, 0.5),
        ("active", False, 1, 0.5),
        ("active", False, 2, 2.0),
        ("recovery", False, 3, 3.5),
        ("recovery", False, 6.5, 3.5),
    ]
    assert (swing.phase, swing.is_over, swing.elapsed) == ("over", True, 7)
    assert repr(swing) == "<Swing: over, 7.0 of 7.0, 0 hit>"
    # Stepping may continue after its end.
    assert swing.step(1, HERE, {"a": (BALL, HERE)}) == []


# Time of the strike.


def test_the_window_begins_and_ends_within_a_frame():
    """The frame lasts 1, and the sector strikes from 0.25 to 0.75. Targets come and go within the frame."""
    attack = Attack(CONE, windup=0.25, active=0.5, recovery=1)
    targets = {
        "there": (BALL, Pose(10, 0)),
        "gone before": (BALL, Motion(Pose(10, 0), Pose(10, 200))),
        "comes after": (BALL, Motion(Pose(200, 0), Pose(20, 0))),
        "comes in time": (BALL, Motion(Pose(91, 0), Pose(-9, 0))),
        "beside": (BALL, Pose(0, 20)),
    }
    strikes = attack.start().step(1.0, HERE, targets)
    assert [(strike.target, strike.time) for strike in strikes] == [
        ("there", 0.25),
        ("comes in time", nearly(0.5, 1e-9)),
    ]
    assert strikes[1].point == nearly((40, 0), 1e-6)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 10, 60])
def test_a_swing_hits_at_the_same_time_however_long_frames_are(count):
    attack = Attack(BLADE, windup=0.1, active=0.2, recovery=0.3, swing=2.0)
    targets = {bearing: (BALL, Pose(*away(30, bearing))) for bearing in (-0.7, -0.2, 0.4, 0.9)}
    strikes, swing = frames_of(attack, [0.6 / count] * count, HERE, targets)
    reach = 0.1 + math.asin(1 / 30)
    assert [(target, time) for target, time, _ in strikes] == [
        (bearing, nearly(0.1 + 0.2 * (bearing - reach + 1.0) / 2.0, 1e-7)) for bearing in (-0.7, -0.2, 0.4, 0.9)
    ]
    assert swing.struck == set(targets)


def test_frames_whose_quotient_is_a_rounding_more_than_one():
    """After 0.1, a frame of 0.2 ends at 0.30000000000000004. So (end - begin) / 0.2 was more than the whole frame."""
    swing = Attack(CONE, active=1).start()
    for duration in (0.1, 0.2, 0.1, 0.3, 0.15, 0.05, 0.4):
        swing.step(duration, HERE, {})
    assert swing.is_over


@given(st.lists(st.floats(1e-3, 0.5), min_size=1, max_size=40), st.sampled_from([0.0, 0.1, 0.3, 0.5]))
def test_no_frame_is_refused(durations, windup):
    swing = Attack(CONE, windup=windup, active=0.7, swing=1).start()
    for duration in durations:
        for strike in swing.step(duration, HERE, {swing.elapsed: (BALL, Pose(20, 0))}):
            assert 0.0 <= strike.time <= 1.0
    assert swing.elapsed == nearly(sum(durations))


MOMENTS = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 1.0])


# Some are so short that the time since the start does not change.
FRAMES = st.one_of(MOMENTS, st.floats(1e-20, 0.4))


@given(
    windup=st.one_of(MOMENTS, st.floats(1e-20, 1)),
    recovery=st.sampled_from([0.0, 0.2]),
    durations=st.lists(FRAMES, min_size=1, max_size=12),
)
@example(windup=0.5, recovery=0.0, durations=[0.25, 0.25])
@example(windup=0.5, recovery=0.0, durations=[0.25, 0.25, 0.25])
@example(windup=0.0, recovery=0.0, durations=[0.25])
@example(windup=0.0, recovery=0.0, durations=[0.0, 0.25])
@example(windup=0.3, recovery=0.0, durations=[0.1, 0.1, 0.1, 0.1])
@example(windup=0.3, recovery=0.2, durations=[0.1, 0.2, 0.0, 0.0, 0.1])
def test_an_attack_of_one_moment_strikes_in_exactly_one_frame(windup, recovery, durations):
    """Each frame has new targets, so only the moment itself prevents a second strike, or none."""
    attack = Attack(CONE, windup=windup, recovery=recovery)
    swing, struck = attack.start(), []
    # Run until it is over, as games do; after the given frames comes one long frame.
    for frame, duration in enumerate([*durations, 3.0]):
        if swing.is_over:
            break
        begin = swing.elapsed
        for strike in swing.step(duration, HERE, {frame: (BALL, Pose(20, 0))}):
            struck.append(frame)
            assert begin + strike.time * duration == nearly(windup)
    assert swing.is_over
    assert len(struck) == 1


# Generic positions: no target is only just reached, or only just at a border of the window.
CROWD = {
    "near": (BALL, HERE, (5.3, 2.1), (0, 0), 0),
    "left": (Box(3, 2), HERE, (11.7, 17.2), (0, 0), 0.4),
    "right": (Capsule((-2, 0), (1, 1), 0.7), HERE, (21.1, -12.3), (0, 0), 1.0),
    "back": (Polygon([(0, 0), (4, 1), (1, 3)], 0.2), HERE, (-22.4, 3.3), (0, 0), 0),
    "walks by": (BALL, HERE, (25.2, -31.7), (3.1, 60.2), 0),
    "spins": (Box(12, 1), HERE, (33.3, 14.8), (-9.4, -2.2), 5.5),
    "is thrown": (BALL, HERE, (-17.6, 20.4), (40.3, -12.9), 0),
    "flees": (BALL, HERE, (30.1, 1.7), (77.7, 2.0), 0),
}
LASTING = 1.0


def crowd_ways():
    ways = {}
    for name, (shape, _, start, way, spin) in CROWD.items():
        end = start[0] + way[0], start[1] + way[1]
        pull = (0.0, -30.0) if name == "is thrown" else (0.0, 0.0)
        ways[name] = shape, Motion(Pose(*start, 0.2), Pose(*end, 0.2 + spin), pull)
    return ways


@given(
    cuts=st.lists(st.floats(0.001, 0.999), max_size=12),
    kind=st.sampled_from(["swing", "back", "stab", "walk", "leap", "wild"]),
)
@example(cuts=[0.13, 0.13, 0.9], kind="swing")
@example(cuts=[0.15, 0.85], kind="walk")
@example(cuts=[0.1 * number for number in range(1, 10)], kind="wild")
def test_frames_cut_in_any_way_tell_the_same_as_one_long_frame(cuts, kind):
    """The same targets are at the same places at the same times since the start, while everything moves."""
    window = {"windup": 0.15, "active": 0.7, "recovery": 0.1}
    attack, owner = {
        "swing": (Attack(BLADE, swing=2.5, **window), Motion.still(Pose(0, 0, 0.3))),
        "back": (Attack(BLADE, swing=-2.5, **window), Motion.still(Pose(0, 0, 0.3))),
        "stab": (Attack(Sector(25, 0.2, 10), windup=0.37), Motion.still(Pose(0, 0, -0.5))),
        "walk": (Attack(CONE, **window), Motion(Pose(-9, 2, -0.3), Pose(14, 7, 0.1))),
        "leap": (Attack(BLADE, swing=1.5, **window), Motion.ballistic(Pose(-5, -5), (11, 33), (0, -60))),
        "wild": (Attack(BLADE, swing=40.0, **window), Motion(Pose(0, 0, 0), Pose(5, 2, -3.0))),
    }[kind]
    targets = crowd_ways()
    whole = {strike.target: strike.time for strike in attack.start().step(LASTING, owner, targets)}
    assert whole
    swing, told = attack.start(), {}
    moments = [0.0, *sorted(cuts), 1.0]
    for begin, end in itertools.pairwise(moments):
        parts = {name: (shape, way.part(begin, end)) for name, (shape, way) in targets.items()}
        before = swing.elapsed
        for strike in swing.step(end - begin, owner.part(begin, end), parts):
            assert strike.target not in told
            told[strike.target] = before + strike.time * (end - begin)
    # The advancement stops within the slop, and so not at the same moment everywhere.
    assert told == pytest.approx(whole, rel=0, abs=1e-6)


def test_strikes_are_told_in_order_of_time():
    attack = Attack(BLADE, active=1, swing=3)
    targets = {bearing: (BALL, Pose(*away(30, bearing))) for bearing in (0.9, -0.7, 0.2, -0.2)}
    strikes = attack.start().step(1, HERE, targets)
    assert [strike.target for strike in strikes] == [-0.7, -0.2, 0.2, 0.9]
    # Equal times are in the order of the mapping.
    many = {name: (BALL, Pose(10, 0)) for name in "zebra"}
    assert [strike.target for strike in Attack(CONE).start().step(1, HERE, many)] == list("zebra")


@pytest.mark.parametrize("way", [1, -1])
def test_a_swing_from_either_side(way):
    attack = Attack(BLADE, active=1, swing=way * 2)
    targets = {side: (BALL, Pose(*away(30, side * 0.6))) for side in (1, -1)}
    strikes = attack.start().step(1, HERE, targets)
    reach = 0.1 + math.asin(1 / 30)
    assert [strike.target for strike in strikes] == [-way, way]
    assert [strike.time for strike in strikes] == nearly([(0.4 - reach) / 2, (1.6 - reach) / 2], 1e-9)


def test_the_owner_turns_while_the_blade_swings():
    """Both rotations add up. In opposite directions they cancel out."""
    target = {"post": (BALL, Pose(*away(30, 0.9)))}
    turning = Motion(HERE, Pose(0, 0, 1))
    # From -0.5 to 1.5 in the world's frame.
    strike = Attack(BLADE, active=1, swing=1).start().step(1, turning, target)[0]
    assert strike.time == nearly((0.9 - 0.1 - math.asin(1 / 30) + 0.5) / 2, 1e-9)
    # From 0.5 to 0.5.
    assert Attack(BLADE, active=1, swing=-1).start().step(1, turning, target) == []


# Memory.


def test_nobody_is_hit_twice_by_one_attack():
    attack, targets = Attack(CONE, active=1), {"goblin": (BALL, Pose(10, 0)), "orc": (BALL, Pose(20, 0))}
    swing = attack.start()
    swing.struck.add("orc")
    assert [strike.target for strike in swing.step(0.25, HERE, targets)] == ["goblin"]
    assert swing.step(0.25, HERE, targets) == []
    assert swing.struck == {"goblin", "orc"}
    swing.struck.discard("goblin")
    assert [(strike.target, strike.time) for strike in swing.step(0.25, HERE, targets)] == [("goblin", 0.0)]
    assert repr(swing) == "<Swing: active, 0.75 of 1.0, 2 hit>"
    # Another swing does not know about it.
    assert len(attack.start().step(0.25, HERE, targets)) == 2


def test_swings_of_one_attack_do_not_share_anything():
    attack = Attack(CONE, active=1)
    one, other = attack.start(), attack.start()
    one.step(0.5, HERE, {"goblin": (BALL, Pose(10, 0))})
    assert (other.elapsed, other.struck, other.is_over) == (0.0, set(), False)
    assert (attack, hash(attack)) == (Attack(CONE, active=1), hash(Attack(CONE, active=1)))


# Throw directions.


@pytest.mark.parametrize(
    ("shape", "pose", "direction"),
    [
        (BALL, Pose(30, 40), (0.6, 0.8)),
        (BALL, Pose(-3, 4), (-0.6, 0.8)),
        (Box(4, 2), Pose(0, -7, 0.3), (0, -1)),
        # The centroid of the target, wherever the origin of its own frame is; also when rotated.
        (Polygon([(3, 0), (9, 0), (9, 3), (3, 3)]), Pose(0, 0), (6 / math.hypot(6, 1.5), 1.5 / math.hypot(6, 1.5))),
        (Polygon([(3, -1), (9, -1), (9, 1), (3, 1)]), Pose(0, 0, math.pi / 2), (0, 1)),
        (Compound([(Box(2, 2), Pose(5, 0)), (Box(2, 2), Pose(0, 5))]), Pose(0, 0), (math.sqrt(0.5), math.sqrt(0.5))),
    ],
)
@pytest.mark.parametrize("strength", [300, -300, 0])
def test_what_is_hit_is_thrown_away_from_the_apex(shape, pose, direction, strength):
    attack = Attack(Sector(60, math.pi), knockback=strength)
    moved = Pose(pose.x + 100, pose.y - 7, pose.angle)
    (strike,) = attack.start().step(1, Pose(100, -7, 2.0), {"it": (shape, moved)})
    assert strike.direction == nearly(direction)
    assert strike.knockback == nearly((strength * direction[0], strength * direction[1]), 1e-9)


def test_what_is_where_the_apex_is_is_thrown_where_the_sector_faces():
    attack = Attack(CONE, active=1, swing=1, knockback=10)
    (strike,) = attack.start().step(1, Pose(3, 4, 2.0), {"it": (BALL, Pose(3, 4))})
    assert strike.direction == nearly(away(1, 1.5))
    assert strike.knockback == nearly(away(10, 1.5))
    (strike,) = Attack(CONE, knockback=-10).start().step(1, Pose(3, 4), {"it": (BALL, Pose(3, 4))})
    assert strike.knockback == (-10, 0)


def test_it_is_thrown_from_where_both_are_at_that_time():
    """The attacker rides past. A target hit half way is thrown from there, not from the rider's start."""
    rider = Motion(Pose(-100, 0, math.pi / 2), Pose(100, 0, math.pi / 2))
    walker = Motion(Pose(0, 20), Pose(0, 40))
    (strike,) = Attack(Sector(40, 1e-3), active=1, knockback=1).start().step(1, rider, {"walker": (BALL, walker)})
    apex = -100 + 200 * strike.time
    x, y = -apex, 20 + 20 * strike.time
    assert strike.direction == nearly((x / math.hypot(x, y), y / math.hypot(x, y)), 1e-9)
    assert strike.time == nearly(0.5 - (1 + 0.03) / 200, 1e-4)
    assert math.dist(strike.point, (0, 20 + 20 * strike.time)) == nearly(1, 1e-6)


# Walls.

WALL = (Box(2, 10), Pose(15, 0))


def test_a_wall_keeps_a_target_from_being_hit():
    targets = {"behind": (BALL, Pose(25, 0)), "before": (BALL, Pose(10, 0)), "peeks out": (Box(2, 30), Pose(30, 0))}
    for walls in ([WALL], (WALL,), Occluders([WALL])):
        strikes = Attack(CONE).start().step(1, HERE, targets, walls)
        assert [strike.target for strike in strikes] == ["before", "peeks out"]
        # The visible part is beside the wall: the slope of the wall's nearer corner.
        assert abs(strikes[1].point[1]) == nearly(29 * 5 / 14, 1e-6)
    assert len(Attack(CONE).start().step(1, HERE, targets)) == 3


def test_a_target_that_comes_out_from_behind_a_wall():
    """The hit is reported when the target is visible, to an eighth of the rest of the frame, not at first contact."""
    walker = Motion(Pose(25, 0), Pose(25, 20))
    (strike,) = Attack(CONE, active=1).start().step(1, HERE, {"walker": (BALL, walker)}, [WALL])
    edge = math.atan2(5, 14)
    height = 25 * math.tan(edge) - 1 / math.cos(edge)
    assert height / 20 <= strike.time <= height / 20 + 1 / 8
    assert im.sector_hit(CONE, HERE, BALL, walker.at(strike.time), [WALL]) is not None
    # Only then does the swing remember the target.
    swing = Attack(CONE, active=1).start()
    assert swing.step(0.25, HERE, {"walker": (BALL, walker.part(0.0, 0.25))}, [WALL]) == []
    assert swing.struck == set()


@pytest.mark.parametrize("swing", [3.0, -3.0, 60.0])
def test_a_swing_looks_at_every_bearing_behind_walls(swing):
    """A thin blade hits what is visible in a gap between two walls, at any speed."""
    walls = [(Box(2, 10), Pose(15, 5.2)), (Box(2, 10), Pose(15, -5.2))]
    attack = Attack(Sector(40, 0.02), active=1, swing=swing)
    targets = {"in the gap": (Circle(0.1), Pose(30, 0)), "behind": (Circle(0.1), Pose(30, 5))}
    assert [strike.target for strike in attack.start().step(1, HERE, targets, walls)] == ["in the gap"]


def test_from_inside_a_wall_nobody_is_hit():
    targets = {"goblin": (BALL, Pose(10, 0)), "here": (Circle(30), HERE)}
    assert Attack(CONE, active=1).start().step(1, HERE, targets, [(Box(2, 2), HERE)]) == []


# Errors change nothing.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sector": None}, "sector must be a Sector, got None"),
        ({"sector": Circle(1)}, r"sector must be a Sector, got Circle\(radius=1.0\)"),
        ({"windup": -1}, "windup must be finite and not negative, got -1"),
        ({"active": math.nan}, "active must be finite and not negative, got nan"),
        ({"recovery": math.inf}, "recovery must be finite and not negative, got inf"),
        ({"recovery": "1"}, "recovery must be a number, got '1'"),
        ({"swing": math.inf}, "swing must be finite, got inf"),
        ({"swing": None}, "swing must be a number, got None"),
        ({"knockback": math.nan}, "knockback must be finite, got nan"),
        ({"knockback": (1, 2)}, r"knockback must be a number, got \(1, 2\)"),
    ],
)
def test_no_attack_of_nonsense(arguments, message):
    with pytest.raises(ShapeError, match=message):
        Attack(**{"sector": CONE, **arguments})


GOBLIN = (BALL, Pose(10, 0))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"duration": -0.1}, "duration must be finite and not negative, got -0.1"),
        ({"duration": math.nan}, "duration must be finite and not negative, got nan"),
        ({"duration": math.inf}, "duration must be finite and not negative, got inf"),
        ({"duration": "1"}, "duration must be a number, got '1'"),
        ({"duration": None}, "duration must be a number, got None"),
        ({"owner": (0, 0)}, r"owner must be a Pose or a Motion, got \(0, 0\)"),
        ({"owner": None}, "owner must be a Pose or a Motion, got None"),
        ({"targets": [GOBLIN]}, r"targets must be a mapping to pairs of a solid and a Pose or a Motion, got \["),
        ({"targets": None}, "targets must be a mapping .* got None"),
        ({"targets": {"a": GOBLIN, "b": BALL}}, r"targets\['b'\] must be a solid and a Pose or a Motion, got Circle"),
        ({"targets": {"a": GOBLIN, 7: (BALL,)}}, r"targets\[7\] must be a solid and a Pose or a Motion, got \(Circle"),
        ({"targets": {"a": GOBLIN, 7: (CONE, HERE)}}, r"targets\[7\] must be a solid and .* got \(Sector"),
        ({"targets": {"a": GOBLIN, 7: (BALL, (1, 2))}}, r"targets\[7\]\[1\] must be a Pose or a Motion, got \(1, 2\)"),
        ({"occluders": None}, "occluders must be pairs of a solid and a Pose, got None"),
        ({"occluders": [WALL, BALL]}, r"occluders\[1\] must be a solid and a Pose, got Circle"),
    ],
)
def test_a_refused_frame_has_not_happened(arguments, message):
    swing = Attack(CONE, active=1).start()
    swing.step(0.25, HERE, {"orc": (BALL, Pose(20, 0))})
    good = {"duration": 0.25, "owner": HERE, "targets": {"a": GOBLIN}, "occluders": ()}
    with pytest.raises(ShapeError, match=message):
        swing.step(**{**good, **arguments})
    assert (swing.elapsed, swing.struck) == (0.25, {"orc"})
    assert [strike.target for strike in swing.step(**good)] == ["a"]
    first = Attack(CONE).start()
    with pytest.raises(ShapeError, match=message):
        first.step(**{**good, **arguments})
    # Its single moment is still to come.
    assert not first.is_over
    assert len(first.step(**good)) == 1


def test_a_pose_of_nonsense_is_refused_by_name():
    with pytest.raises(ShapeError, match="owner must be a Pose, got None"):
        Attack(CONE).start().pose(None)


# Parts of motions.

numbers = st.floats(-1e4, 1e4)
poses = st.builds(Pose, numbers, numbers, st.floats(-50, 50))
motions = st.builds(Motion, poses, poses, st.tuples(numbers, numbers))
shares = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.floats(0, 1))


def exact_at(motion, time):
    """Return the exact pose of a motion at a time, in fractions."""
    start, end = motion.start, motion.end
    bend = -time * (1 - time) / 2
    place = [
        Fraction(a) + (Fraction(b) - Fraction(a)) * time + bend * Fraction(pull)
        for a, b, pull in zip((start.x, start.y), (end.x, end.y), motion.acceleration, strict=True)
    ]
    return *place, Fraction(start.angle) + (Fraction(end.angle) - Fraction(start.angle)) * time


def size_of(motion):
    """Return the largest number in the sum."""
    start, end = motion.start, motion.end
    return max(abs(number) for number in (start.x, start.y, start.angle, end.x, end.y, end.angle, *motion.acceleration))


def assert_close(pose, exact, motion):
    for number, expected in zip((pose.x, pose.y, pose.angle), exact, strict=True):
        assert abs(Fraction(number) - expected) <= Fraction(16 * 2.0**-52 * size_of(motion) + 1e-300)


@given(motion=motions, begin=shares, end=shares, time=shares)
def test_a_part_is_where_the_whole_is(motion, begin, end, time):
    """Forwards, or backwards if the end is before the begin."""
    part = motion.part(begin, end)
    moment = Fraction(begin) + (Fraction(end) - Fraction(begin)) * Fraction(time)
    assert_close(part.at(time), exact_at(motion, moment), motion)
    assert (part.start, part.end) == (motion.at(begin), motion.at(end))


@given(motion=motions, begin=shares, end=shares, inner_begin=shares, inner_end=shares, time=shares)
def test_a_part_of_a_part_is_a_part(motion, begin, end, inner_begin, inner_end, time):
    outer = motion.part(begin, end)
    inner = outer.part(inner_begin, inner_end)
    low, high = (
        Fraction(begin) + (Fraction(end) - Fraction(begin)) * Fraction(share) for share in (inner_begin, inner_end)
    )
    assert_close(inner.at(time), exact_at(motion, low + (high - low) * Fraction(time)), motion)


@given(motion=motions, moment=shares)
def test_the_whole_is_a_part_and_so_is_a_moment(motion, moment):
    assert motion.part(0, 1) == motion
    still = motion.part(moment, moment)
    assert still == Motion.still(motion.at(moment))
    assert still.at(0.5) == motion.at(moment)


@pytest.mark.parametrize("wrong", [-0.1, 1.1, math.nan, math.inf, "x", None])
def test_no_part_of_nonsense(wrong):
    for times in ((wrong, 1), (0, wrong), (wrong, 0.5)):
        with pytest.raises(ShapeError, match="time must be"):
            Motion(HERE, Pose(1, 1)).part(*times)


@pytest.mark.parametrize("half_angle", [1e-7, 1e-3, 0.3])
def test_a_target_is_hit_as_soon_as_it_comes_out_from_behind_a_wall(half_angle):
    """The blade may be very thin: the search does not sample times, of which a thin blade would need millions."""
    slash = im.Attack(im.Sector(40, half_angle), active=1, swing=2)
    pillar, target = (im.Circle(1), im.Pose(15, -1)), (im.Circle(3), im.Pose(30, 0))
    (strike,) = slash.start().step(1, im.Pose(0, 0), {1: target}, [pillar])
    hidden = math.asin(1 / math.hypot(15, 1))
    right_end, left_end = math.atan2(-1, 15) - hidden, math.atan2(-1, 15) + hidden
    assert -math.asin(3 / 30) > right_end  # it reaches the target behind the pillar
    assert strike.time == pytest.approx((left_end - half_angle + 1) / 2, abs=1e-8)


def test_a_target_wholly_behind_a_wall_is_not_hit_by_the_thinnest_blade():
    slash = im.Attack(im.Sector(40, 1e-300), active=1, swing=2)
    walls = [(im.Box(2, 40), im.Pose(15, 0))]
    assert slash.start().step(1, im.Pose(0, 0), {1: (im.Circle(2), im.Pose(30, -1))}, walls) == []
    thrown = im.Motion(im.Pose(30, -1), im.Pose(30, -2))
    assert slash.start().step(1, im.Pose(0, 0), {1: (im.Circle(2), thrown)}, walls) == []


def test_a_wall_far_away_changes_nothing():
    """At first contact they are within the slop, up to rounding. The hit was taken for hidden, and reported late."""
    slash = im.Attack(im.Sector(10, 0.3), active=1, swing=-1.0369162113512154)
    way = im.Motion(im.Pose(9.470153468749885, 5.318094847571025), im.Pose(8.9875339392177, 4.3779938455279))
    times = [
        slash.start().step(1, im.Pose(0, 0, 1), {0: (im.Circle(1e-3), way)}, walls)[0].time
        for walls in ((), [(im.Box(1, 1), im.Pose(100, 100))])
    ]
    assert times[0] == times[1]
