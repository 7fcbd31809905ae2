"""The page's three examples compared with `predict` where the page is right, and its mistakes by name."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from impinge import predict
from impinge.predict.relations import Path
from impinge.reference import prediction
from impinge.reference.prediction import MovingCircle

whole = st.integers(-12, 12)
points = st.tuples(whole, whole)
radii = st.integers(1, 5)
steps = st.integers(1, 24)
circles = st.builds(MovingCircle, points, radii, points)


def meets(a, b):
    return predict.moving_circles(
        Path.steady(a.center, a.movement), a.radius, Path.steady(b.center, b.movement), b.radius
    )


def relation(a, b):
    return predict.squared_distance(Path.steady(a.center, a.movement), Path.steady(b.center, b.movement))


def right_stay(start, end, width=4, height=4):
    return predict.dot_through_box(Path.linear(start, end), (0, 0), width, height)


# --- where the page is right ---------------------------------------------------------------------------------------


@given(circles, circles)
def test_the_time_of_least_distance_is_that_of_both_formulas(a, b):
    assume(a.movement != b.movement)
    time = prediction.time_of_least_distance(a, b)
    place, movement = (
        tuple(p - q for p, q in zip(*pair, strict=True)) for pair in ((b.center, a.center), (b.movement, a.movement))
    )
    assert prediction.time_of_least_distance_relative(place, movement) == pytest.approx(time)
    if time >= 0:
        assert predict.minimum(relation(a, b), (0, 1000)).time == pytest.approx(time, abs=1e-12)


@given(circles, circles)
def test_circles_whose_least_distance_lies_in_the_second_and_is_no_graze_are_told_right(a, b):
    assume(a.movement != b.movement)
    time = prediction.time_of_least_distance(a, b)
    if 0 < time < 1 and abs(relation(a, b)(time) - (a.radius + b.radius) ** 2) > 1e-9:
        assert prediction.circles_collide(a, b) == bool(meets(a, b))


@given(points, points, radii)
def test_a_segment_whose_nearest_place_is_on_it_is_told_right(start, end, radius):
    assume(start != end)
    time = prediction.time_on_segment_at_origin(start, end)
    squared = predict.squared_distance(Path.still((0, 0)), Path.linear(start, end))(time)
    part = predict.circle_and_segment((0, 0), radius, start, end)
    if 0 < time < 1 and abs(squared - radius**2) > 1e-9:
        assert prediction.segment_meets_circle_at_origin(radius, start, end) == (part is not None)


@given(points, st.tuples(steps, steps))
def test_a_dot_that_moves_left_and_down_is_told_right(start, way):
    end = (start[0] - way[0], start[1] - way[1])
    stay = prediction.stay_in_box(start, end, (0, 0), 5, 3)
    # From long before the second to long after: the page's times are those of the infinite line.
    right = predict.dot_through_box(Path.linear(start, end), (0, 0), 5, 3, (-100, 100))
    lasting = [each for each in (stay, *right) if each and each[1] - each[0] > 1e-9]  # at a corner rounding decides
    assert len(lasting) in (0, 2)
    if lasting:
        assert lasting[0] == pytest.approx(lasting[1])


# --- where it is not -----------------------------------------------------------------------------------------------


def test_relation_is_printed_with_other_velocities():
    right = relation(MovingCircle((0, 0), 1, (2, 7)), MovingCircle((3, 5), 1, (-1, 2)))
    printed = [prediction.printed_relation((0, 0), (3, 5), time) for time in (0, 1)]
    assert printed == [34, 17]
    assert [right(0), right(1)] == [34, 0]
    assert [prediction.printed_relation((0, 0), (0, 0), 1), 4**2 + 1**2] == [17, 17]


def test_velocity_is_printed_with_one_letter():
    as_printed = relation(MovingCircle((0, 0), 1, (2, 7)), MovingCircle((0, 0), 1, (-1, -1)))
    right = relation(MovingCircle((0, 0), 1, (2, 7)), MovingCircle((0, 0), 1, (-1, 2)))
    assert (as_printed(1), right(1)) == (3**2 + 8**2, 3**2 + 5**2)


def test_overlap_at_an_end_is_missed():
    still, closing = MovingCircle((0, 0), 1, (0, 0)), MovingCircle((3, 0), 1, (-1.5, 0))
    assert prediction.time_of_least_distance(still, closing) == 2
    assert not prediction.circles_collide(still, closing)
    assert meets(still, closing) == ((pytest.approx(2 / 3), 1),)
    parting = MovingCircle((1, 0), 1, (2, 0))
    assert prediction.time_of_least_distance(still, parting) == -0.5
    assert not prediction.circles_collide(still, parting)
    assert meets(still, parting) == ((0, 0.5),)


def test_least_distance_at_the_very_end_is_missed():
    still, closing = MovingCircle((0, 0), 1, (0, 0)), MovingCircle((3, 0), 1, (-3, 0))
    assert prediction.time_of_least_distance(still, closing) == 1
    assert not prediction.circles_collide(still, closing)
    assert meets(still, closing) == ((pytest.approx(1 / 3), 1),)
    parting = MovingCircle((0, 0), 1, (1, 0))
    assert prediction.time_of_least_distance(still, parting) == 0
    assert not prediction.circles_collide(still, parting)
    assert meets(still, parting) == ((0, 1),)


def test_equal_velocities_divide_by_zero():
    a, b = MovingCircle((0, 0), 1, (3, 1)), MovingCircle((1, 0), 1, (3, 1))
    with pytest.raises(ZeroDivisionError):
        prediction.circles_collide(a, b)
    assert meets(a, b) == ((0, 1),)


def test_graze_is_missed():
    a, b = MovingCircle((-4, 2), 1, (8, 0)), MovingCircle((0, 0), 1, (0, 0))
    assert not prediction.circles_collide(a, b)
    assert meets(a, b) == ((0.5, 0.5),)
    assert not prediction.segment_meets_circle_at_origin(5, (-8, 5), (8, 5))
    assert predict.circle_and_segment((0, 0), 5, (-8, 5), (8, 5)) == (0.5, 0.5)


def test_second_end_is_printed_for_the_first():
    printed = prediction.time_on_segment((0, 1), (-4, 0), (4, 2))
    assert printed == pytest.approx(0.441, abs=5e-4)
    apart = predict.squared_distance(Path.still((0, 1)), Path.linear((-4, 0), (4, 2)))
    assert predict.minimum(apart).time == pytest.approx(0.5)
    assert prediction.time_on_segment_at_origin((-4, -1), (4, 1)) == 0.5  # the same, relative to the circle


def test_end_inside_is_missed():
    assert prediction.time_on_segment_at_origin((0.5, 0), (3, 0)) == -0.2
    assert not prediction.segment_meets_circle_at_origin(1, (0.5, 0), (3, 0))
    assert predict.circle_and_segment((0, 0), 1, (0.5, 0), (3, 0)) == (0, pytest.approx(0.2))
    # And t1 outside the interval says nothing about the line.
    assert prediction.time_on_segment_at_origin((5, 5), (6, 5)) == -5
    line = predict.squared_distance(Path.still((0, 0)), Path.linear((5, 5), (6, 5)))
    assert predict.minimum(line, (-100, 100)).value == pytest.approx(25)


def test_one_point_divides_by_zero():
    with pytest.raises(ZeroDivisionError):
        prediction.segment_meets_circle_at_origin(1, (0, 0), (0, 0))
    assert predict.circle_and_segment((0, 0), 1, (0, 0), (0, 0)) == (0, 1)


@pytest.mark.parametrize(("start", "end"), [((-8, 0), (8, 0)), ((0, -8), (0, 8))])
def test_along_an_axis_divides_by_zero(start, end):
    with pytest.raises(ZeroDivisionError):
        prediction.stay_in_box(start, end, (0, 0), 8, 4)
    size = (8, 4) if start[1] == 0 else (4, 8)
    assert right_stay(start, end, *size) == ((0.25, 0.75),)


def test_enter_and_leave_change_places():
    assert prediction.times_at_sides((-8, -8), (8, 8), (0, 0), 4, 4) == (0.625, 0.375, 0.625, 0.375)
    assert prediction.stay_in_box((-8, -8), (8, 8), (0, 0), 4, 4) is None
    assert prediction.stay_in_box((8, 8), (-8, -8), (0, 0), 4, 4) == (0.375, 0.625)
    assert right_stay((-8, -8), (8, 8)) == right_stay((8, 8), (-8, -8)) == ((0.375, 0.625),)


@given(points, st.tuples(steps, steps))
def test_whatever_moves_right_and_up_is_missed(start, way):
    end = (start[0] + way[0], start[1] + way[1])
    assert prediction.stay_in_box(start, end, (0, 0), 5, 3) is None


def test_middle_two_mean_nothing_without_overlap():
    times = prediction.times_at_sides((-8, 0), (8, 16), (0, 0), 4, 4)
    assert prediction.middle_two(times) == (0.125, 0.375)
    assert right_stay((-8, 0), (8, 16)) == ()


def test_which_times_lie_in_the_second():
    times = prediction.times_at_sides((8, 1), (-8, 0.5), (0, 0), 4, 4)
    assert max(times) == 6
    assert right_stay((8, 1), (-8, 0.5)) == ((0.375, 0.625),)
    assert prediction.stay_in_box((8, 1), (4, 0.5), (0, 0), 4, 4) == (1.5, 2.5)
    assert right_stay((8, 1), (4, 0.5)) == ()
