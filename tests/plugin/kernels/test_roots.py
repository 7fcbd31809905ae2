"""Compare roots with exact fractions and with mpmath. Exact values separate true roots from rounding errors."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from fractions import Fraction
from functools import reduce

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from impinge.kernels.roots import polynomial_roots
from scale import cases

UNIT = 2.0**-53
INFINITE = (-math.inf, math.inf)


def solve(coefficients, low=0.0, high=1.0, slack=0.0):
    roots, signs = polynomial_roots(np.array(coefficients, float), slack, low, high)
    assert len(signs) == len(roots) + 1
    return roots.tolist(), signs.tolist()


def exact_value(coefficients, at):
    return reduce(lambda value, c: value * Fraction(at) + Fraction(c), reversed(coefficients), Fraction(0))


def exact_derivative(coefficients):
    return [i * Fraction(c) for i, c in enumerate(coefficients)][1:]


def rounding(coefficients, at):
    """Return how far rounding may move a value: half a unit in each coefficient, and two roundings per step."""
    return 2 * len(coefficients) * Fraction(UNIT) * exact_value([abs(c) for c in coefficients], abs(Fraction(at)))


def expanded(leading, roots):
    """Return the coefficients, as fractions, of the polynomial that has these roots."""
    product = [Fraction(leading)]
    for root in roots:
        shifted = [Fraction(0), *product]
        product = [a - root * b for a, b in zip(shifted, [*product, Fraction(0)], strict=True)]
    return product


def uncertainty(coefficients, at, multiplicity=1):
    """Return how far rounded coefficients may move a root, by the first term of the Taylor series."""
    derivative = list(coefficients)
    for order in range(1, multiplicity + 1):
        derivative = [c / order for c in exact_derivative(derivative)]
    share = rounding(coefficients, at) / abs(exact_value(derivative, at))
    return float(share) ** (1 / multiplicity) + 4 * UNIT * abs(at)


def assert_nothing_is_lost_or_made_up(coefficients, low, high, samples=60):
    """Assert what holds for any polynomial: residuals are rounding errors, and the signs between the roots are true."""
    roots, signs = solve(coefficients, low, high)
    assert roots == sorted(set(roots))
    for root in roots:
        assert low <= root <= high
        slope = abs(exact_value(exact_derivative(coefficients), root)) if len(coefficients) > 1 else 0
        ulp = Fraction(math.ulp(root))
        assert abs(exact_value(coefficients, root)) <= 2 * rounding(coefficients, root) + 2 * ulp * slope
    for i in range(samples + 1):
        at = low + (high - low) * i / samples
        value = exact_value(coefficients, at)
        if abs(value) > 2 * rounding(coefficients, at):
            assert signs[sum(root < at for root in roots)] == (1 if value > 0 else -1), (coefficients, at, roots, signs)


small = st.integers(-12, 12).map(lambda n: n / 4)
# Below 1e-60, products of several coefficients underflow, and the exact values are no valid oracle.
anything = st.one_of(small, st.floats(-1e3, 1e3), st.floats(-1e-12, 1e-12), st.floats(-1e12, 1e12)).map(
    lambda c: c if abs(c) > 1e-60 else 0.0
)


@settings(max_examples=cases(300))
@given(
    st.lists(anything, min_size=1, max_size=9), st.sampled_from([(0, 1), (-2, 3), (0, 60), (-1e6, 1e-3), (0.5, 0.5)])
)
@example([0.0, 0.0, 0.0], (0, 1))
@example([0.0, 0.0, 1.0, -1.0], (0, 1))
@example([1.0, -1.0, 0.0, 1e-12], (0, 1))
@example([1.382653481761368e-306, -18735652636.0, 0.25], (0, 1))  # below the least exponent where the bracket was cut
def test_no_change_of_sign_is_lost_and_no_root_made_up(coefficients, interval):
    assert_nothing_is_lost_or_made_up(coefficients, *map(float, interval))


@settings(max_examples=cases(300))
@given(st.lists(small, min_size=1, max_size=6), st.integers(1, 5))
def test_nor_where_all_roots_are_real_and_many_are_multiple(roots, leading):
    coefficients = [float(c) for c in expanded(leading, map(Fraction, roots))]
    assert_nothing_is_lost_or_made_up(coefficients, -3.0, 3.0)


@settings(max_examples=cases(300))
@given(
    st.dictionaries(
        st.sampled_from([Fraction(n, 3) for n in range(-5, 6, 2)]), st.integers(1, 3), min_size=1, max_size=3
    ),
    st.sampled_from([1, Fraction(1, 7), 1000]),
)
def test_known_rational_roots_are_found_once_each(multiplicities, leading):
    """Roots are odd multiples of 1/3, with multiplicity up to three. Rounding the coefficients moves them slightly."""
    exact = expanded(leading, [root for root, times in multiplicities.items() for _ in range(times)])
    coefficients = [float(c) for c in exact]
    roots, _ = solve(coefficients, -2, 2)
    assert len(roots) == len(multiplicities)
    for found, (root, times) in zip(roots, sorted(multiplicities.items()), strict=True):
        # The derivatives at a cluster are rounded too: allow a few times the first term.
        assert found == pytest.approx(float(root), rel=0, abs=4 * uncertainty(exact, root, times))


@pytest.mark.parametrize("degree", range(1, 9))
def test_the_real_roots_are_those_of_mpmath(degree):
    rng = np.random.default_rng(degree)
    worst = 0.0
    for _ in range(cases(40)):
        coefficients = rng.normal(size=degree + 1).tolist()
        with mpmath.workdps(60):
            expected = sorted(
                float(root.real)
                for root in mpmath.polyroots(coefficients, asc=True, maxsteps=500, extraprec=400)
                if abs(root.imag) < mpmath.mpf(10) ** -40
            )
        roots, _ = solve(coefficients, *INFINITE)
        assert len(roots) == len(expected)
        for found, root in zip(roots, expected, strict=True):
            assert found == pytest.approx(root, rel=0, abs=uncertainty(coefficients, root))
            worst = max(worst, abs(found - root) / (uncertainty(coefficients, root)))
    assert worst < 0.5  # the bound holds with a margin: no root comes near it


def test_a_well_conditioned_root_is_right_to_two_units():
    for target in (0.1, 0.3, 0.7, 1e-9, 1e-200):
        roots, _ = solve([-(target**1), 1.0, 0.0, 1e-3 * target], 0, 1)
        with mpmath.workdps(50):
            exact = mpmath.findroot(lambda t, a=target: t - a + mpmath.mpf(1e-3 * a) * t**3, target)
            assert abs(mpmath.mpf(roots[0]) - exact) <= 2 * math.ulp(target)


@pytest.mark.parametrize("gap", [1e-3, 1e-5, 1e-6])
def test_a_cluster_that_can_be_told_apart_is(gap):
    exact = expanded(1, [Fraction(1, 2), Fraction(1, 2) + Fraction(gap)])
    roots, signs = solve([float(c) for c in exact], 0, 1)
    assert roots == pytest.approx([0.5, 0.5 + gap], rel=0, abs=uncertainty(exact, Fraction(1, 2)))
    assert signs == [1, -1, 1]


@pytest.mark.parametrize("gap", [0, 1e-9, 1e-10])
def test_a_cluster_that_rounding_hides_is_one_root(gap):
    exact = expanded(1, [Fraction(1, 2), Fraction(1, 2) + Fraction(gap)])
    roots, signs = solve([float(c) for c in exact], 0, 1)
    assert roots == [pytest.approx(0.5, abs=1e-9)]
    assert signs == [1, 1]


@pytest.mark.parametrize("multiplicity", range(2, 9))
def test_one_root_many_times_is_one_root(multiplicity):
    exact = expanded(1, [Fraction(1, 3)] * multiplicity)
    roots, _ = solve([float(c) for c in exact], -1, 1)
    assert roots == [pytest.approx(1 / 3, abs=4 * uncertainty(exact, Fraction(1, 3), multiplicity))]


@pytest.mark.parametrize("degree", range(1, 9))
@pytest.mark.parametrize("end", [0.1, 0.7, 1 / 3, 3.3, 1e5])
def test_a_root_at_an_end_is_never_lost(end, degree):
    """Rounded coefficients may put the root on either side of the end, by less than the solver can resolve."""
    others = [Fraction(-2 - i) for i in range(degree - 1)]
    coefficients = [float(c) for c in expanded(1, [Fraction(end), *others])]
    for low, high in ((0.0, end), (end, 2 * end), (end, end), (end, math.inf)):
        assert solve(coefficients, low, high)[0] == [pytest.approx(end, rel=1e-12)]


@pytest.mark.parametrize("leading", [0.0, 5e-324, 1e-300, -1e-300, 1e-30, -1e-20])
def test_a_leading_coefficient_as_small_as_it_likes_changes_nothing_near(leading):
    """The textbook formula divides by it: 0/0, or roots at 1e300 whose partner cancellation destroys."""
    assert solve([-0.25, 0.0, 1.0, leading], 0, 1) == ([0.5], [-1, 1])
    assert solve([-0.5, 1.0, leading], 0, 1) == ([0.5], [-1, 1])
    assert solve([-0.5, 1.0, 0.0, leading, leading], 0, 1) == ([0.5], [-1, 1])


def test_roots_far_out_are_found_in_infinite_intervals():
    roots, signs = solve([-1.0, 1.0, 1e-300], *INFINITE)
    assert roots == pytest.approx([-1e300, 1.0])
    assert signs == [1, -1, 1]
    roots, signs = solve([1.0, 0.0, 0.0, 1e-300], *INFINITE)
    assert roots == pytest.approx([-1e100])
    assert signs == [-1, 1]
    roots, _ = solve([float(c) for c in expanded(1, [Fraction(10) ** 80, Fraction(10) ** 90, Fraction(-1)])], *INFINITE)
    assert roots == pytest.approx([-1, 1e80, 1e90])
    double = solve([1e200, -2e100, 1.0], 0, math.inf)
    assert double == ([pytest.approx(1e100)], [1, 1])


@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1e-100, 1e100, 1e300, 1.7e308])
def test_the_scale_of_all_coefficients_changes_nothing(scale):
    roots, signs = solve([c * scale for c in (0.5, -1.0, 0.25)], *INFINITE)
    assert roots == pytest.approx([2 - math.sqrt(2), 2 + math.sqrt(2)], rel=2e-3 if scale == 1e-320 else 1e-15)
    assert signs == [1, -1, 1]


@pytest.mark.parametrize("root", [1e-150, 1e-100, 1e-8, 1e8, 1e100, 1e150])
def test_the_scale_of_time_changes_nothing(root):
    assert solve([-1.0, 0.0, root**-2], *INFINITE)[0] == pytest.approx([-root, root], rel=1e-15)


def test_nothing_but_zeros_has_the_first_root_there_is():
    assert solve([0.0]) == ([0.0], [0, 0])
    assert solve([0.0, 0.0, 0.0], 0.25, 1) == ([0.25], [0, 0])
    assert solve([2.0, 0.0]) == ([], [1])
    assert solve([-2.0]) == ([], [-1])


def test_slack_says_how_far_the_constant_may_be_wrong():
    lifted = [0.25 + 1e-12, -1.0, 1.0]
    assert solve(lifted) == ([], [1])
    assert solve(lifted, slack=2e-12) == ([0.5], [1, 1])
    assert solve([1e-12], slack=2e-12) == ([0.0], [0, 0])
    assert solve([1e-12, 1.0], slack=2e-12) == ([0.0], [0, 1])


def test_an_end_that_cannot_be_told_from_a_root_gives_way_to_one_that_can():
    """Within the slack, the start counts as zero. But a value of the other sign follows: the crossing is the root."""
    assert solve([-1e-12, 1.0], slack=2e-12) == ([1e-12], [0, 1])
    assert solve([1e-12, -1.0], slack=2e-12) == ([1e-12], [0, -1])


def test_without_the_compiler_the_answers_are_the_same():
    cases = [[0.02, -0.3, 1.0], [0.01, -1.0, 3.0, 2.0, -4.0], [0.25, -1.0, 1.0], [-1.0, 1.0, 1e-300], [0.0, 0.0]]
    code = (
        "import warnings; warnings.simplefilter('error')\n"
        "import numpy as np\n"
        "from impinge.kernels.roots import polynomial_roots\n"
        f"for case in {cases!r}:\n"
        "    print(*[part.tolist() for part in polynomial_roots(np.array(case), 0.0, 0.0, np.inf)])"
    )
    environment = {**os.environ, "IMPINGE_KERNELS": "python"}
    plain = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert plain.stdout.splitlines() == [" ".join(map(str, solve(case, 0, math.inf))) for case in cases]
