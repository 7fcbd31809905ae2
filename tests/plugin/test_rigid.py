"""Bodies that bounce: named cases worked out by hand, and random ones against the laws of mechanics."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
import shapely
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import impinge as im
from impinge import Box, Capsule, Circle, Compound, Polygon, Pose
from impinge.errors import ShapeError
from impinge.rigid import Bounced, RigidBody, bounce
from scale import cases, some
from shapely_solids import whole

EPSILON = float(np.finfo(float).eps)
BALL = Circle(1)
FLOOR = RigidBody(Box(200, 2), Pose(0, -1))


def ball(x, y=0.0, vx=0.0, vy=0.0, **rest):
    return RigidBody(BALL, Pose(x, y), (vx, vy), **{"mass": 1.0, **rest})


def wall(x, vx=0.0, **rest):
    """Return a wall from x - 1 to x + 1."""
    return RigidBody(Box(2, 100), Pose(x, 0), (vx, 0), **rest)


def centred(vertices, radius=0.0):
    x, y = Polygon(vertices, radius).centroid
    return Polygon([(px - x, py - y) for px, py in vertices], radius)


def velocities(after):
    return [body.velocity for body in after.bodies]


def times(after):
    return [hit.time for hit in after.bounces]


def close(value):
    return pytest.approx(value, rel=1e-12, abs=1e-12)


def energy(bodies):
    """Return the kinetic energy of bodies with finite mass, and of bodies that turn on a hinge."""
    return math.fsum(
        0.5 * weight * speed**2
        for body in bodies
        for weight, speed in ((body.mass, math.hypot(*body.velocity)), (body.moment_of_inertia, body.spin))
        if weight < math.inf
    )


def slop(one, other):
    sizes = [shapely.bounds(whole(body.shape)) for body in (one, other)]
    sides = [(right - left, top - bottom) for left, bottom, right, top in sizes]
    farthest = max(abs(place) for body in (one, other) for place in (body.pose.x, body.pose.y))
    reach = max(max(abs(size)) for size in sizes)
    return 1e-9 * min(min(pair) or max(pair) for pair in sides) + 8 * EPSILON * (farthest + reach)


def gap(one, other):
    return im.distance(one.shape, one.pose, other.shape, other.pose).distance


class TestBallsAndWalls:
    def test_equal_masses_swap_velocities_head_on(self):
        after = bounce([ball(0, vx=6), ball(6, vx=-2)])
        assert velocities(after) == [(-2.0, 0.0), (6.0, 0.0)]
        assert times(after) == [0.5]
        assert [body.pose for body in after.bodies] == [Pose(2, 0), Pose(8, 0)]

    def test_unequal_masses_head_on(self):
        # (m1 - e m2) v1 / (m1 + m2) and (1 + e) m1 v1 / (m1 + m2), for 3, 1 and a half.
        after = bounce([ball(0, vx=8, mass=3, restitution=0.5), ball(4, mass=1, restitution=0.25)])
        (first, _), (second, _) = velocities(after)
        assert (first, second) == (close(5.0), close(9.0))
        assert after.bounces[0].impulse == (close(9.0), close(0.0))

    def test_glancing_balls_part_at_a_right_angle(self):
        # Centres 2 apart with an offset of 1.2: the normal is (0.8, 0.6).
        after = bounce([ball(0, vx=10), ball(5, 1.2)])
        first, second = velocities(after)
        assert second == (close(6.4), close(4.8))
        assert first == (close(3.6), close(-4.8))
        assert times(after) == [close(0.34)]

    def test_newtons_cradle(self):
        after = bounce([ball(0, vx=5), ball(2), ball(4)])
        assert velocities(after) == [(0, 0), (0, 0), (5, 0)]
        assert times(after) == [0, 0]

    def test_newtons_cradle_with_two_balls_lifted(self):
        after = bounce([ball(0, vx=5), ball(2, vx=5), ball(5), ball(7), ball(9)])
        assert velocities(after) == [(0, 0), (0, 0), (0, 0), (5, 0), (5, 0)]

    @pytest.mark.parametrize(("x", "y", "hits"), [(0, 0, 1), (1, 0, 2)])
    def test_ball_in_a_corner_comes_back(self, x, y, hits):
        left = RigidBody(Box(2, 20), Pose(-5, 6))
        below = RigidBody(Box(20, 2), Pose(6, -5))
        after = bounce([ball(x, y, -6, -6), left, below])
        assert velocities(after)[0] == (6, 6)
        assert len(set(times(after))) == hits
        assert len(after.bounces) == 2
        # The path is mirrored at both walls, which the centre reaches at -3.
        assert after.bodies[0].pose == Pose(-6 - (x - 6), -6 - (y - 6))

    def test_ball_between_two_closing_walls(self):
        """Each impact adds twice the speed of the wall, and comes sooner than the one before: both exactly."""
        place, speed, closing, room, now = Fraction(0), Fraction(20), Fraction(1), Fraction(4), Fraction(0)
        exact_times = []
        for side in (1, -1) * 4:
            taken = (room - closing * now - side * place) / (abs(speed) + closing)
            if now + taken > 1:
                break
            now += taken
            place += speed * taken
            speed = -speed - side * 2 * closing
            exact_times.append(now)
        place += speed * (1 - now)
        assert len(exact_times) == 3
        after = bounce([wall(-6, vx=1), ball(0, vx=20), wall(6, vx=-1)])
        assert times(after) == [close(float(time)) for time in exact_times]
        assert velocities(after) == [(1, 0), (close(float(speed)), 0), (-1, 0)]
        assert after.bodies[1].pose.x == close(float(place))

    def test_squeezed_ball_meets_the_bound(self):
        """Walls that close on a ball hit it without end, ever faster: the frame is cut short."""
        bodies = [wall(-6, vx=8), ball(0, vx=8), wall(6, vx=-8)]
        after = bounce(bodies, most=10)
        assert len(after.bounces) == 10
        assert times(after)[-1] < after.time < 0.5
        assert all(later > earlier for earlier, later in pairwise(times(after)))
        for body, was in zip(after.bodies[::2], bodies[::2], strict=True):
            assert body.pose.x == close(was.pose.x + after.time * was.velocity[0])

    def test_fast_bullet_crosses_many_times(self):
        """The motion is a triangle wave between the walls. Nothing tunnels, at any speed."""
        speed = 4321.0
        after = bounce([wall(-6), ball(1, vx=speed), wall(6)], most=2000)
        # Centres move from -4 to 4: the free path, folded.
        folded = (1 + 4 + speed) % 16
        assert after.time == 1.0
        assert len(after.bounces) == (1 + 4 + speed) // 8
        assert after.bodies[1].pose.x == pytest.approx(folded - 4 if folded < 8 else 12 - folded, abs=1e-8)
        assert abs(after.bodies[1].velocity[0]) == speed

    def test_the_bound_stops_where_the_next_impact_is_due(self):
        bodies = [wall(-6), ball(0, 0, 40, 3), wall(6)]
        after = bounce(bodies, most=2)
        assert times(after) == [close(0.1), close(0.3)]
        assert after.time == close(0.5)
        assert dataclasses.astuple(after.bodies[1].pose) == close((4.0, 1.5, 0.0))
        assert after.bodies[1].velocity == (40, 3)

    def test_a_bound_that_is_just_enough_lets_the_frame_end(self):
        room = [wall(-6), ball(0, vx=10), wall(6)]
        after = bounce(room, most=1)
        assert (times(after), after.time) == ([close(0.4)], 1.0)
        assert after == bounce(room)

    def test_no_impact_allowed_stops_at_the_first(self):
        after = bounce([ball(0, vx=8), wall(6)], most=0)
        assert (after.time, after.bounces) == (0.5, ())
        assert after.bodies[0] == ball(4, vx=8)

    def test_what_misses_flies_by(self):
        bodies = [ball(0, vx=10), ball(5, 2.1)]
        assert bounce(bodies) == Bounced((ball(10, vx=10), bodies[1]), (), 1.0)

    def test_a_wall_that_is_struck_still_stops_the_others(self):
        """The wall does not move when struck: the predicted impacts with it remain valid.

        They were once forgotten when one ball struck the wall, and not predicted again: the next ball flew through.
        """
        after = bounce([ball(0, vx=10), ball(0, 5, 7), wall(6)])
        assert [(hit.a, hit.b) for hit in after.bounces] == [(0, 2), (1, 2)]
        assert velocities(after) == [(-10, 0), (-7, 0), (0, 0)]

    def test_no_speed_no_impact(self):
        bodies = (ball(0), ball(2), FLOOR)
        assert bounce(bodies) == Bounced(bodies, (), 1.0)

    def test_no_bodies(self):
        assert bounce([]) == Bounced((), (), 1.0)

    def test_bodies_that_nothing_moves_pass_each_other(self):
        after = bounce([wall(-6, vx=20), wall(6)])
        assert (after.bounces, after.bodies[0].pose) == ((), Pose(14, 0))

    def test_nothing_is_changed(self):
        bodies = [ball(0, vx=9), wall(6)]
        copies = [dataclasses.replace(body) for body in bodies]
        bounce(bodies)
        assert bodies == copies


class TestRestitutionAndFriction:
    def test_the_larger_restitution_counts(self):
        after = bounce([ball(0, vx=10, restitution=0.2), wall(6, restitution=0.6)])
        assert velocities(after)[0] == (close(-6.0), 0)

    def test_the_friction_of_a_pair_is_the_root_of_the_product(self):
        # Landing at 10, leaving at 10, sliding at 50: a normal impulse of 20 m, hence 20 * 0.3 m along the floor.
        lander = ball(0, 5, 50, -10, friction=0.9)
        after = bounce([lander, dataclasses.replace(FLOOR, friction=0.1)])
        assert after.bodies[0].velocity == (close(44.0), close(10.0))

    def test_a_body_without_friction_has_none_with_any_other(self):
        after = bounce([ball(0, 5, 50, -10, friction=5), FLOOR])
        assert (after.bodies[0].velocity, after.bodies[0].spin) == ((50, 10), 0)

    def test_sliding_ball_starts_to_turn(self):
        """The ball slips all the time: the impulse along the floor is that of Coulomb, mu (1 + e) m v."""
        mass, radius, mu, bounciness = 3.0, 2.0, 0.25, 0.5
        lander = RigidBody(Circle(radius), Pose(0, 6), (40, -8), 0.0, mass, None, bounciness, mu)
        after = bounce([lander, dataclasses.replace(FLOOR, restitution=0, friction=mu)]).bodies[0]
        along = mu * (1 + bounciness) * mass * 8
        assert after.velocity == (close(40 - along / mass), close(4.0))
        assert after.spin == close(-along * radius / (mass * radius**2 / 2))
        assert after.pose.angle == close(0.5 * after.spin)

    def test_ball_that_grips_rolls_on(self):
        """With enough friction it rolls after the impact. A disk of one material loses a third of its speed."""
        lander = RigidBody(Circle(2), Pose(0, 6), (9, -8), 0.0, 3.0, None, 1.0, 2.0)
        after = bounce([lander, dataclasses.replace(FLOOR, friction=2)]).bodies[0]
        assert after.velocity == (close(6.0), close(8.0))
        assert after.spin == close(-3.0)

    def test_backspin_brings_a_ball_back(self):
        # A disk that grips keeps (2 v - w r) / 3 of its speed: (2 * 3 - 18) / 3.
        lander = ball(0, 5, 3, -8, spin=18, friction=5)
        after = bounce([lander, dataclasses.replace(FLOOR, friction=5)]).bodies[0]
        assert after.velocity == (close(-4.0), close(8.0))
        assert after.spin == close(4.0)

    def test_spin_passes_from_ball_to_ball_like_gears(self):
        """Two equal disks grip head-on: both turn on the spot, sliding ends, angular momentum is conserved."""
        one, other = ball(0, vx=4, spin=6, friction=3), ball(4, vx=-4, friction=3)
        after = bounce([one, other])
        (_, up), (_, down) = velocities(after)
        first, second = (body.spin for body in after.bodies)
        # b slides at -6 past a. Each yields 3 per unit of impulse: an impulse of 1 along (0, 1).
        assert (up, down, first, second) == (close(-1), close(1), close(4), close(-2))

    def test_no_restitution_ends_the_approach_and_slides_on(self):
        after = bounce([ball(0, 5, 7, -8, restitution=0), dataclasses.replace(FLOOR, restitution=0)])
        assert after.bodies[0].velocity == (7, close(0.0))
        assert after.bodies[0].pose.y == close(1.0)
        assert len(after.bounces) == 1

    def test_no_restitution_on_a_slope_slides_along_it(self):
        slope = RigidBody(Box(200, 2), Pose(0, 0, angle=math.atan2(3, 4)), restitution=0)
        # The slope's upper face is 1 from its middle line, and the ball's centre is 2 from that line.
        after = bounce([ball(0, 7, 0, -10, restitution=0), slope])
        # (0, -10) along (4, 3) / 5 is -6.
        assert after.bodies[0].velocity == (close(-4.8), close(-3.6))
        assert len(after.bounces) == 1
        assert abs(gap(*after.bodies) - 0.0) <= 3 * slop(*after.bodies)

    def test_two_balls_without_restitution_go_on_together(self):
        after = bounce([ball(0, vx=9, mass=2, restitution=0), ball(4, restitution=0)])
        assert velocities(after) == [(close(6.0), 0), (close(6.0), 0)]
        assert len(after.bounces) == 1


class TestBoxesAndRods:
    @pytest.mark.parametrize("bounciness", [0.0, 0.3, 1.0])
    @pytest.mark.parametrize("friction", [0.0, 0.2])
    def test_box_that_lands_flat_stays_flat(self, bounciness, friction):
        """Both corners must act together: one after the other would leave the box turning."""
        floor = dataclasses.replace(FLOOR, restitution=0.0, friction=friction)
        lander = RigidBody(Box(4, 2), Pose(0, 6), (30, -10), 0.0, 5.0, None, bounciness, friction)
        after = bounce([lander, floor])
        (body, _), (hit,) = after.bodies, after.bounces
        sliding = 30 - friction * (1 + bounciness) * 10
        assert len(hit.impact.points) == 2
        assert body.velocity == (close(sliding), close(bounciness * 10))
        assert (body.spin, body.pose.angle) == (close(0), close(0))
        assert (body.pose.x, body.pose.y) == close((15 + sliding / 2, 1 + bounciness * 5))

    def test_box_on_the_floor_is_stopped_by_friction_without_tipping(self):
        """The push at the front corner grows and the one at the rear shrinks, but neither becomes a pull."""
        floor = dataclasses.replace(FLOOR, restitution=0.0, friction=0.5)
        slider = RigidBody(Box(4, 2), Pose(0, 1), (2, -6), 0.0, 5.0, None, 0.0, 0.5)
        body = bounce([slider, floor]).bodies[0]
        assert (body.velocity, body.spin) == ((close(0), close(0)), close(0))

    def test_corner_that_leaves_is_not_pushed_back_in(self):
        """A flat box on the floor falls and turns: one corner goes down at 3, the other one up at 1.

        A push at the first alone would take the second into the floor. So both push, in one impact.
        """
        lander = RigidBody(Box(4, 0.5), Pose(0, 0.25), (0, -1), 1.0, 1.0)
        after = bounce([lander, FLOOR], most=1)
        (hit,), body = after.bounces, after.bodies[0]
        assert (hit.time, len(hit.impact.points)) == (0, 2)
        left, right = (body.velocity[1] + body.spin * x for x in (-2, 2))
        assert left > 0
        assert right >= -1e-12
        assert energy([body]) == close(energy([lander]))

    def test_tall_box_tips_over_its_front_edge(self):
        """The gripping box turns about its front corner: r x m v is kept, divided by the moment of inertia there."""
        floor = dataclasses.replace(FLOOR, restitution=0.0, friction=5.0)
        body = bounce([RigidBody(Box(2, 6), Pose(0, 3), (4, -0.1), 0.0, 1.0, None, 0.0, 5.0), floor]).bodies[0]
        about_corner = (4 + 36) / 12 + 1 + 9
        turning = -(3 * 4 - 1 * 0.1) / about_corner
        assert body.spin == close(turning)
        assert body.velocity == (close(-3 * turning), close(-1 * turning))

    def test_rod_hit_at_its_end_turns(self):
        rod = RigidBody(Capsule((0, -3), (0, 3)), Pose(10, 0), mass=4)
        mass, speed, length = 2.0, 12.0, 6.0
        after = bounce([ball(0, 3, speed, mass=mass), rod])
        impulse = 2 * speed / (1 / mass + 4 / 4)
        assert after.bodies[1].velocity == (close(impulse / 4), close(0))
        assert after.bodies[1].spin == close(-6 * impulse / (4 * length))
        assert after.bodies[0].velocity == (close(speed - impulse / mass), close(0))
        assert times(after) == [close(0.75)]

    def test_ball_hits_a_door_on_its_hinge(self):
        """The mass is infinite and the inertia finite: the pin holds, and the door swings."""
        door = RigidBody(Capsule((0, 0), (0, 8)), Pose(10, 0), inertia=50)
        after = bounce([ball(0, 5, 18, mass=2, restitution=0.5), dataclasses.replace(door, restitution=0.0)])
        impulse = 1.5 * 18 / (1 / 2 + 25 / 50)
        assert after.bodies[0].velocity == (close(18 - impulse / 2), close(0))
        assert (after.bodies[1].spin, after.bodies[1].velocity) == (close(-5 * impulse / 50), (0, 0))

    def test_falling_rod_bounces_off_one_end(self):
        """Without friction the centre of mass only moves up and down."""
        rod = RigidBody(Capsule((-3, 0), (3, 0)), Pose(0, 8, angle=math.pi / 6), (0, -13), mass=4)
        after = bounce([rod, FLOOR], most=1)
        lever = -3 * math.cos(math.pi / 6)
        impulse = 2 * 13 / (1 / 4 + lever**2 / 12)
        assert after.bounces[0].time == close(0.5)
        assert after.bounces[0].impulse == (close(0), close(-impulse))
        assert after.bodies[0].velocity == (close(0), close(-13 + impulse / 4))
        assert after.bodies[0].spin == close(lever * impulse / 12)

    def test_both_laws_together_would_add_energy(self):
        """The paradox of Kane and Levinson: the lower end of a rod slides, and its impact reverses the sliding.

        Newton's restitution and Coulomb's friction, both applied literally, would give it more energy than before.
        """
        angle, mu, sliding, landing = math.radians(-60), 0.8, -4.0, 6.0
        rod = RigidBody(Capsule((-3, 0), (3, 0)), Pose(0, 7, angle), (sliding, -landing), 0.0, 1.0, 3.0, 1.0, mu)
        x, y = 3 * math.cos(angle), 3 * math.sin(angle)
        # Levers of the floor's push and of its drag, the response to them, and the solution with a fixed end.
        across, along = x, -y
        k = np.array([(1 + across**2 / 3, across * along / 3), (across * along / 3, 1 + along**2 / 3)])
        before = np.array([-landing, sliding])
        held = np.linalg.solve(k, np.array([landing, 0.0]) - before)
        literal = held
        if abs(held[1]) > mu * held[0]:
            drag = math.copysign(mu, held[1])
            size = 2 * landing / (k[0, 0] + drag * k[0, 1])
            literal = np.array([size, drag * size])
        gain = literal @ before + 0.5 * literal @ k @ literal
        assert gain > 0.05 * energy([rod])
        after = bounce([rod, dataclasses.replace(FLOOR, friction=mu)], most=1)
        assert len(after.bounces) == 1
        assert energy(after.bodies) == close(energy([rod]))
        assert after.bodies[0].velocity[1] > -landing


class TestImpactsInARow:
    def test_turning_bat_takes_a_dead_ball_along(self):
        """Without restitution the ball would stay on the bat, which turns into it: an impact every 1e-5 of the frame.

        So it bounces just enough to delay the next impact by an eighth of the frame, but at most elastically. If it
        were in contact all the time, without friction, it would slide outwards on the bat, r = 8 cosh(t).
        """
        bat = RigidBody(Capsule((0, 0), (20, 0), 0.5), Pose(0, 0), spin=1.0, restitution=0.0)
        after = bounce([bat, ball(8, 1.5, restitution=0.0)])
        assert after.time == 1.0
        assert 3 <= len(after.bounces) <= 10
        assert all(later - earlier > 1 / 16 for earlier, later in pairwise(times(after)))
        assert gap(*after.bodies) >= -slop(*after.bodies)
        carried = 8 * math.hypot(math.cosh(1), math.sinh(1))
        assert math.hypot(*after.bodies[1].velocity) == pytest.approx(carried, rel=0.15)

    def test_what_meets_again_elsewhere_is_not_made_to_bounce(self):
        """The ball slides off the lower leg of a turning L and soon reaches the upright leg. This must not be a hop."""
        corner = Polygon([(0, 0), (40, 0), (40, 2), (2, 2), (2, 40), (0, 40)])
        angled = RigidBody(corner, Pose(0, 0), spin=1e-3, restitution=0.0)
        bodies = [angled, ball(5, 4, -15, -15, restitution=0.0)]
        first, second = bounce(bodies).bounces[:2]
        assert second.time - first.time < 1 / 8
        assert bounce(bodies, most=1).bodies[1].velocity == pytest.approx((-15, 0), abs=0.02)

    @pytest.mark.parametrize("heavy", [1.0, 3.0, 28.0])
    def test_dead_stack_comes_to_its_end(self, heavy):
        """Each round between the floor and the upper box takes a part of its speed: dead impacts alone never end.

        With the upper box 28 times as heavy, a round leaves 28/29 of its speed. A game that adds gravity in each frame
        hung. After ten impacts at one instant they become elastic and leave a bounce: a thousandth for equal boxes.
        """
        lower = RigidBody(Box(2, 2), Pose(0, 2), (0, -10), 0.0, 1.0, None, 0.0)
        upper = RigidBody(Box(2, 2), Pose(0, 4), (0, -10), 0.0, heavy, None, 0.0)
        after = bounce([lower, upper, dataclasses.replace(FLOOR, restitution=0.0)])
        assert after.time == 1.0
        assert len(after.bounces) < 64
        assert energy(after.bodies) < 0.9 * energy([lower, upper])
        assert [body.spin for body in after.bodies] == [0, 0, 0]
        if heavy == 1.0:
            assert 0 <= after.bodies[1].velocity[1] <= 10 / 1000
            assert after.bodies[1].pose.y == pytest.approx(3.0, abs=10 / 1000)


class TestOverlaps:
    def test_overlapping_bodies_that_approach_are_hit_at_once_and_once(self):
        after = bounce([ball(0, vx=3), ball(1, vx=-2)])
        (hit,) = after.bounces
        assert (hit.time, hit.impact.overlapping) == (0, True)
        assert velocities(after) == [(-2, 0), (3, 0)]

    def test_overlapping_bodies_that_do_not_bounce_go_on_together(self):
        after = bounce([ball(0, vx=3, restitution=0), ball(1, vx=-2, restitution=0)])
        assert velocities(after) == [(0.5, 0), (0.5, 0)]
        assert len(after.bounces) == 1

    @pytest.mark.parametrize("angle", np.linspace(0.1, 6.2, 12))
    def test_rounding_is_no_approach(self, angle):
        """After the first impact they move side by side, up to the last bits of their speeds, at any angle."""
        c, s = math.cos(angle), math.sin(angle)
        bodies = [ball(0, 0, 3 * c - 7 * s, 3 * s + 7 * c, restitution=0), ball(c, s, -2 * c, -2 * s, restitution=0)]
        after = bounce(bodies)
        assert len(after.bounces) == 1
        assert np.subtract(*velocities(after)) @ (c, s) == close(0.0)

    @pytest.mark.parametrize("speed", [0, 0.25, 9])
    def test_overlapping_bodies_that_leave_are_let_go(self, speed):
        after = bounce([ball(0, vx=-speed), ball(1, vx=speed)])
        assert after.bounces == ()
        assert [body.pose for body in after.bodies] == [Pose(-speed, 0), Pose(1 + speed, 0)]

    def test_crossed_planks_that_slide_along_each_other_pass(self):
        """The shortest way out is up or down. Sideways they neither approach nor separate."""
        upright = RigidBody(Box(2, 40), Pose(0, 0), (7, 0), mass=1)
        lying = RigidBody(Box(50, 2), Pose(0, 0), mass=1)
        after = bounce([upright, lying])
        assert after.bounces == ()
        assert [body.pose for body in after.bodies] == [Pose(7, 0), Pose(0, 0)]

    def test_equal_places(self):
        still = bounce([ball(3, 4), ball(3, 4)])
        assert (still.bounces, still.time) == ((), 1.0)
        moving = bounce([ball(3, 4, 5, 1), ball(3, 4, -2, 7)])
        assert moving.time == 1.0
        assert len(moving.bounces) <= 1
        assert energy(moving.bodies) == close(energy([ball(3, 4, 5, 1), ball(3, 4, -2, 7)]))

    def test_what_leaves_an_overlap_and_comes_back_is_hit(self):
        """A mill's sail starts inside a ball and turns out of it. The next sail arrives half a turn later."""
        mill = RigidBody(Capsule((-8, 0), (8, 0)), Pose(0, 0), spin=5.0)
        after = bounce([mill, ball(5, -0.9)])
        # The lower side of the sail reaches the ball's upper side after a rotation by pi - asin(...).
        reach = math.hypot(5, 0.9)
        angle = math.pi + math.atan2(-0.9, 5) - math.asin(1 / reach)
        (hit,) = after.bounces
        assert hit.time == pytest.approx(angle / 5.0, abs=1e-8)
        assert not hit.impact.overlapping

    def test_overlap_of_others_does_not_keep_a_third_one_out(self):
        after = bounce([ball(0), ball(1), ball(10, vx=-20)])
        assert len(after.bounces) >= 1
        assert after.bounces[0].time == close(0.35)


class TestRigidBody:
    def test_defaults(self):
        body = RigidBody(BALL, Pose(1, 2))
        assert (body.velocity, body.spin, body.mass, body.inertia) == ((0, 0), 0, math.inf, None)
        assert (body.restitution, body.friction, body.moment_of_inertia) == (1, 0, math.inf)

    def test_inertia_follows_a_new_mass(self):
        assert dataclasses.replace(ball(0, mass=2), mass=4).moment_of_inertia == 2 * ball(0, mass=2).moment_of_inertia

    def test_moments_of_inertia_that_books_give(self):
        triangle = centred([(0, 0), (4, 0), (0, 3)])
        # Two half disks and the box between them, combined by the parallel axis theorem.
        r, length = 1.5, 4.0
        disk, box = math.pi * r**2, 2 * r * length
        stadium = (
            box * (length**2 + 4 * r**2) / 12
            + disk * (r**2 / 2 + length**2 / 4 + length / 2 * 2 * 4 * r / (3 * math.pi))
        ) / (disk + box)
        hexagon = Polygon([(2 * math.cos(k * math.pi / 3), 2 * math.sin(k * math.pi / 3)) for k in range(6)])
        for shape, expected in (
            (Circle(3), 9 / 2),
            (Box(3, 4), 25 / 12),
            (Capsule((-3, 0), (3, 0)), 36 / 12),
            (Capsule((2, 0), (2 + EPSILON - 4, 0), 1.5), stadium),
            (triangle, (9 + 16 + 25) / 36),
            (hexagon, 5 * 4 / 12),
        ):
            assert RigidBody(shape, Pose(0, 0), mass=7).moment_of_inertia == close(7 * expected), shape

    @pytest.mark.parametrize(
        "shape",
        [
            centred([(0, 0), (6, 1), (2, 5)], 0.7),
            centred([(0, 0), (6, 0), (6, 2), (2, 2), (2, 6), (0, 6)]),
            centred([(-1, -9), (1, -9), (0.5, 9), (-0.5, 9)], 2.0),
            Compound([(Circle(1), Pose(-3, 0)), (Circle(1), Pose(3, 0)), (Box(1, 8), Pose(0, 0, angle=0.3))]),
        ],
        ids=["rounded", "concave", "tall", "compound"],
    )
    def test_moment_of_inertia_is_that_of_the_area(self, shape):
        outline = whole(shape, quad_segs=2000)
        second = 0.0
        for part in shapely.get_parts(outline):
            ring = shapely.get_coordinates(shapely.orient_polygons(part).exterior)
            (ax, ay), (bx, by) = ring[:-1].T, ring[1:].T
            second += ((ax * by - ay * bx) * (ax * ax + ax * bx + bx * bx + ay * ay + ay * by + by * by)).sum() / 12
        body = RigidBody(shape, Pose(5, 5, angle=1), mass=3)
        assert body.moment_of_inertia == pytest.approx(3 * second / outline.area, rel=1e-6)

    @pytest.mark.parametrize("scale", [1e-90, 1e-3, 1e6, 1e90])
    def test_moment_of_inertia_goes_with_the_square_of_the_size(self, scale):
        shape = centred([(0, 0), (6, 1), (2, 5)], 0.7)
        one, other = (RigidBody(part, Pose(0, 0), mass=1) for part in (shape, shape.transformed(scale)))
        assert other.moment_of_inertia == pytest.approx(one.moment_of_inertia * scale**2, rel=1e-12)

    def test_shape_off_its_centre_is_refused_unless_its_inertia_is_given(self):
        off = Polygon([(0, 0), (4, 0), (0, 3)])
        with pytest.raises(ShapeError, match=r"shape must have its centroid at its own origin.*1\.33.*Polygon"):
            RigidBody(off, Pose(0, 0), mass=1)
        assert RigidBody(off, Pose(0, 0), mass=1, inertia=2).moment_of_inertia == 2
        assert RigidBody(off, Pose(0, 0)).moment_of_inertia == math.inf

    def test_what_parts_share_weighs_once(self):
        plus = Compound([(Box(6, 2), Pose(0, 0)), (Box(2, 6), Pose(0, 0))])
        # Both planks, minus the square in the middle: w h (w² + h²) / 12 each.
        moment = 2 * 6 * 2 * (36 + 4) / 12 - 2 * 2 * (4 + 4) / 12
        assert RigidBody(plus, Pose(0, 0), mass=20).moment_of_inertia == close(moment)
        assert RigidBody(plus, Pose(0, 0), mass=1, inertia=5).moment_of_inertia == 5

    @pytest.mark.parametrize(
        ("field", "value", "message"),
        [
            ("shape", "ball", "shape must be a solid shape"),
            ("pose", (0, 0), r"pose must be a Pose, got \(0, 0\)"),
            ("velocity", (1, math.nan), r"velocity\[1\] must be finite, got nan"),
            ("velocity", 5, r"velocity must be two numbers \(x, y\), got 5"),
            ("spin", math.inf, "spin must be finite, got inf"),
            ("mass", 0, "mass must be positive"),
            ("mass", -1, "mass must be positive"),
            ("mass", math.nan, "mass must be positive"),
            ("inertia", 0.0, "inertia must be positive"),
            ("inertia", "heavy", "inertia must be a number, got 'heavy'"),
            ("restitution", 1.5, "restitution must be from 0 to 1, got 1.5"),
            ("restitution", -0.1, "restitution must be from 0 to 1, got -0.1"),
            ("restitution", math.nan, "restitution must be finite, got nan"),
            ("friction", -1, "friction must not be negative, got -1"),
            ("friction", math.nan, "friction must be finite, got nan"),
        ],
    )
    def test_bad_fields_are_named(self, field, value, message):
        with pytest.raises(ShapeError, match=message):
            RigidBody(**{"shape": BALL, "pose": Pose(0, 0), "mass": 1, field: value})


class TestBadArguments:
    @pytest.mark.parametrize(
        ("bodies", "message"),
        [
            (5, "bodies must be a sequence of RigidBody, got 5"),
            ([ball(0), BALL], r"bodies\[1\] must be a RigidBody, got Circle"),
            ([None], r"bodies\[0\] must be a RigidBody, got None"),
        ],
    )
    def test_bodies(self, bodies, message):
        with pytest.raises(ShapeError, match=message):
            bounce(bodies)

    @pytest.mark.parametrize("most", [-1, 2.0, True, None, "many"])
    def test_most(self, most):
        with pytest.raises(ShapeError, match="most must be a whole number, not negative, got"):
            bounce([ball(0)], most=most)

    def test_leaving_the_range_of_coordinates(self):
        with pytest.raises(ShapeError, match="must be at most 1e\\+100"):
            bounce([ball(9e99, vx=9e99)])


def quarters(low, high):
    """Return numbers that repeat exactly and often, and any others."""
    return st.one_of(
        st.integers(4 * low, 4 * high).map(lambda n: n / 4), st.floats(low, high).map(lambda x: round(x, 6))
    )


SHAPES = (
    Circle(1),
    Circle(0.4),
    Box(2, 2),
    Box(3, 0.5),
    Capsule((-1, 0), (1, 0), 0.3),
    Capsule((-1.2, 0), (1.2, 0)),
    centred([(0, 0), (2, 0), (0, 2)]),
    Polygon([(math.cos(k * math.tau / 5), math.sin(k * math.tau / 5)) for k in range(5)]),
    centred([(0, 0), (1.5, 0), (0.5, 1)], 0.25),
    centred([(0, 0), (2, 0), (2, 0.8), (0.8, 0.8), (0.8, 2), (0, 2)]),
)
ROOM = tuple(
    RigidBody(Box(*size), Pose(*place), restitution=0.0, friction=0.5)
    for size, place in (((24, 2), (0, -11)), ((24, 2), (0, 11)), ((2, 24), (-11, 0)), ((2, 24), (11, 0)))
)
PLACES = [(x, y) for x in (-6, 0, 6) for y in (-6, 0, 6)]

coefficients = st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0, 1)


@st.composite
def rooms(draw, most_bodies=5, frictions=coefficients, restitutions=coefficients):
    """Draw bodies that stand apart in a room of four walls and fly about."""
    places = draw(st.permutations(PLACES))[: draw(st.integers(2, most_bodies))]
    bodies = [
        RigidBody(
            draw(st.sampled_from(SHAPES)),
            Pose(x + draw(quarters(-1, 1)), y + draw(quarters(-1, 1)), draw(quarters(-3, 3))),
            (draw(quarters(-30, 30)), draw(quarters(-30, 30))),
            draw(quarters(-6, 6)),
            draw(st.sampled_from([0.25, 1.0, 1.0, 7.0])),
            None,
            draw(restitutions),
            draw(frictions),
        )
        for x, y in places
    ]
    return [*bodies, *(dataclasses.replace(part, friction=draw(frictions)) for part in ROOM)]


def momentum(bodies):
    """Return the momentum, and the angular momentum about the origin."""
    rows = [(body.mass * body.velocity[0], body.mass * body.velocity[1]) for body in bodies]
    turning = [
        body.pose.x * py - body.pose.y * px + body.moment_of_inertia * body.spin
        for body, (px, py) in zip(bodies, rows, strict=True)
    ]
    return [*np.sum(rows, axis=0), sum(turning)]


@settings(max_examples=cases(150))
@given(rooms())
def test_energy_never_grows(bodies):
    after = bounce(bodies, most=40)
    assert energy(after.bodies) <= energy(bodies) * (1 + 1e-12)


@settings(max_examples=cases(60, least=5))
@given(rooms(frictions=st.just(0.0), restitutions=st.just(1.0)))
def test_energy_stays_without_friction_or_loss(bodies):
    after = bounce(bodies, most=40)
    assert energy(after.bodies) == pytest.approx(energy(bodies), rel=1e-11)


@settings(max_examples=cases(100))
@given(rooms())
def test_momentum_and_angular_momentum_stay_among_free_bodies(bodies):
    free = [body for body in bodies if body.mass < math.inf]
    after = bounce(free, most=40)
    size = sum(body.mass * (30 + 6) * 30 for body in free)
    assert momentum(after.bodies) == pytest.approx(momentum(free), abs=1e-12 * size)


def assert_nothing_overlaps(bodies):
    for one, other in combinations(bodies, 2):
        if one.mass < math.inf or other.mass < math.inf:
            assert gap(one, other) >= -3 * slop(one, other), (one, other)
    assert all(max(abs(body.pose.x), abs(body.pose.y)) < 10.001 for body in bodies if body.mass < math.inf)


@settings(max_examples=cases(100))
@given(rooms())
def test_nothing_gets_through_anything(bodies):
    """Separated bodies stay separated, up to the slop and rounding, even if the frame is cut short."""
    assert_nothing_overlaps(bounce(bodies, most=40).bodies)


@settings(max_examples=cases(50, least=5))
@given(rooms(restitutions=st.sampled_from([0.5, 0.9, 1.0])))
def test_nothing_gets_through_anything_in_many_frames(bodies):
    for _ in range(6):
        bodies = bounce(bodies, most=40).bodies
        assert_nothing_overlaps(bodies)


def point_speed(body, place, x, y):
    return np.array(body.velocity) + body.spin * np.array([place[1] - y, x - place[0]])


@st.composite
def meetings(draw):
    """Draw two bodies that meet head-on near (3, 0), or nearly so, at any angles."""
    one, other = draw(rooms(most_bodies=2))[:2]
    one = dataclasses.replace(
        one,
        pose=Pose(0, draw(quarters(-1, 1)), one.pose.angle),
        velocity=(draw(quarters(4, 20)), draw(quarters(-9, 9))),
    )
    mass = draw(st.sampled_from([1.0, math.inf]))
    other = dataclasses.replace(other, pose=Pose(6, 0, other.pose.angle), velocity=(0, 0), mass=mass)
    return [one, other]


@settings(max_examples=cases(300))
@given(meetings())
def test_an_impact_obeys_newton_and_coulomb(bodies):
    """Check the velocities before and after it, at the points of contact."""
    after = bounce(bodies, most=1)
    assume(after.bounces)
    (hit,) = after.bounces
    normal, edge = np.array(hit.impact.normal), np.array([-hit.impact.normal[1], hit.impact.normal[0]])
    places = [np.array(body.velocity) * hit.time + (body.pose.x, body.pose.y) for body in bodies]
    before_and_after = [
        [point_speed(pair[1], places[1], x, y) - point_speed(pair[0], places[0], x, y) for x, y in hit.impact.points]
        for pair in (bodies, after.bodies)
    ]
    before, parted = np.array(before_and_after)
    restitution = max(body.restitution for body in bodies)
    friction = math.sqrt(bodies[0].friction * bodies[1].friction)
    near = 1e-10 * (60 + abs(before).max())
    push, drag = normal @ hit.impulse, edge @ hit.impulse
    assert (before @ normal).min() < 0 < push
    assert (parted @ normal >= -near).all()
    assert abs(drag) <= (friction + 1e-12) * push
    turning = any(body.spin and not isinstance(body.shape, Circle) for body in after.bodies)
    if friction == 0.0 and len(before) == 1:
        possible = {restitution, *(more for more in (1 / 16, 1 / 4, 1.0) if turning and more > restitution)}
        assert any(parted @ normal == pytest.approx(-one * before @ normal, abs=near) for one in possible)
    if restitution == 0.0 and not turning:
        # The impulse only pushes points that would not separate by themselves. Its friction opposes the remaining
        # sliding.
        assert (parted @ normal).min() <= near
        slides = (parted @ edge).mean()
        if abs(slides) > near:
            assert drag == pytest.approx(-math.copysign(friction, slides) * push, rel=1e-9, abs=1e-12)


@settings(max_examples=cases(60, least=5))
@given(rooms(most_bodies=3), st.tuples(quarters(-40, 40), quarters(-40, 40)))
def test_a_common_velocity_changes_nothing_else(bodies, common):
    """The walls move along: in their frame, the impacts are the same."""
    dx, dy = common
    moving = [dataclasses.replace(body, velocity=(body.velocity[0] + dx, body.velocity[1] + dy)) for body in bodies]
    here, there = bounce(bodies, most=2), bounce(moving, most=2)
    assume(all(abs(one - other) > 1e-6 for one, other in pairwise(times(here))))
    assert [hit[1:3] for hit in there.bounces] == [hit[1:3] for hit in here.bounces]
    assert times(there) == pytest.approx(times(here), abs=1e-7)
    for one, other in zip(here.bodies, there.bodies, strict=True):
        assert np.subtract(other.velocity, common) == pytest.approx(np.array(one.velocity), abs=1e-4)


def exact_disks(bodies, most):
    """Simulate elastic, smooth disks by the first root of a quadratic per pair: times, bodies, and ends."""
    places = np.array([(body.pose.x, body.pose.y) for body in bodies])
    speeds = np.array([body.velocity for body in bodies])
    now, events = 0.0, []
    while len(events) < most:
        best = None
        for i, j in combinations(range(len(bodies)), 2):
            d, v = places[j] - places[i], speeds[j] - speeds[i]
            reach = bodies[i].shape.radius + bodies[j].shape.radius
            a, b, c = v @ v, d @ v, d @ d - reach**2
            if b < 0 and b * b > a * c:
                when = now + max(c, 0.0) / (math.sqrt(b * b - a * c) - b)
                if when <= 1 and (best is None or when < best[0]):
                    best = when, i, j
        if best is None:
            break
        when, i, j = best
        places = places + speeds * (when - now)
        now = when
        normal = (places[j] - places[i]) / np.linalg.norm(places[j] - places[i])
        masses = bodies[i].mass, bodies[j].mass
        push = -2 * (speeds[j] - speeds[i]) @ normal / (1 / masses[0] + 1 / masses[1]) * normal
        speeds[i] -= push / masses[0]
        speeds[j] += push / masses[1]
        events.append(best)
    return events, places + speeds * (1 - now)


@pytest.mark.parametrize("seed", some(range(25), least=8))
def test_smooth_disks_go_as_their_quadratics_say(seed):
    """Up to nine disks of different masses: an error about quadruples at each impact."""
    rng = np.random.default_rng(seed)
    bodies = [
        RigidBody(
            Circle(rng.uniform(0.6, 1.2)),
            Pose(*(0.45 * np.array(place) + rng.uniform(-0.1, 0.1, 2))),
            tuple(rng.uniform(-6, 6, 2) - place),
            rng.uniform(-9, 9),
            rng.uniform(0.5, 5),
        )
        for place in PLACES
    ]
    events, places = exact_disks(bodies, 200)
    after = bounce(bodies, most=200)
    assert len(events) > 3
    assert [(hit.a, hit.b) for hit in after.bounces] == [event[1:] for event in events]
    error = 1e-13 * 5.0 ** len(events)
    assert times(after) == pytest.approx([event[0] for event in events], abs=max(1e-9, error))
    assert [(body.pose.x, body.pose.y) for body in after.bodies] == [
        pytest.approx(tuple(place), abs=max(1e-9, error)) for place in places
    ]


def test_smooth_disks_go_back_the_way_they_came():
    """A rack of ten disks, touching or nearly so, is hit by a fast ball. At the end all velocities are reversed."""
    rack = [ball(2.01 * row, 2.01 / math.sqrt(3) * (2 * k - row), mass=1.0) for row in range(4) for k in range(row + 1)]
    bodies = [ball(-10, 0.3, 18), *rack]
    there = bounce(bodies)
    back = bounce([dataclasses.replace(body, velocity=tuple(-v for v in body.velocity)) for body in there.bodies])
    assert 3 < len(there.bounces) < 64
    assert [(hit.a, hit.b) for hit in reversed(back.bounces)] == [(hit.a, hit.b) for hit in there.bounces]
    for body, was in zip(back.bodies, bodies, strict=True):
        assert (body.pose.x, body.pose.y) == pytest.approx((was.pose.x, was.pose.y), abs=1e-4)
