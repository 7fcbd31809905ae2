"""Real roots of a polynomial in an interval, each within rounding, without missing or false ones.

The meaning of the polynomial is left to `impinge.predict`. Complex roots and multiplicities are not returned.

Between two roots of its derivative a polynomial only rises or only falls, so a change of sign there brackets one root.
The roots of the derivative are found in the same way, down to the last derivative, which is a straight line (see G. E.
Collins and R. Loos, "Polynomial real root isolation by differentiation", SYMSAC 1976). Nothing else is divided by the
leading coefficient, so it may be arbitrarily small.

A value smaller than its own rounding error counts as zero. So double roots are found, which touch zero without crossing
it. The error of Horner's rule is that of N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition,
section 5.1.
"""

from __future__ import annotations

import math

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats
from impinge.kernels.compiler import kernel
from impinge.kernels.tolerances import UNIT

# Powers of two. Coefficients between these two are not scaled: with arguments below 2^(ARGUMENTS / degree) nothing
# overflows, and terms that underflow are negligible.
PLAIN_LOW, PLAIN_HIGH = -300, 300
ARGUMENTS = 600
LARGEST_SHIFT = 1000
# A bracket is halved a few times, and then cut in the middle of its exponents: 0 to 1 may hold a root of 1e-200.
HALVINGS = 4
TINIEST, LARGEST = 5e-324, 1.7e308


@kernel()
def value_and_error(degree: int, slack: float, far: float, at: float, work: Floats) -> tuple[float, float]:
    """Return the polynomial's value, and a bound of its error.

    The error includes a rounding of the coefficients themselves. Beyond `far`, where powers overflow, both are divided
    by ``|at| ** degree``.
    """
    value, size = 0.0, 0.0
    if abs(at) <= far:
        for i in range(degree, -1, -1):
            value = value * at + work[col.WORK_COEFFICIENT, i]
            size = size * abs(at) + abs(work[col.WORK_COEFFICIENT, i])
        return value, (2 * degree + 2) * UNIT * size + slack
    inverse, power = 1.0 / at, 1.0
    for i in range(degree + 1):
        value = value * inverse + work[col.WORK_COEFFICIENT, i]
        size = size * abs(inverse) + abs(work[col.WORK_COEFFICIENT, i])
    for _ in range(degree):
        power *= abs(inverse)
    if at < 0.0 and degree % 2 == 1:
        value = -value
    return value, (3 * degree + 2) * UNIT * size + slack * power


@kernel()
def newton_step(degree: int, far: float, at: float, work: Floats) -> tuple[float, float, float]:
    """Return value over slope, a number with the sign of the value, and value over its rounding error."""
    value, slope, size = 0.0, 0.0, 0.0
    if abs(at) <= far:
        for i in range(degree, -1, -1):
            slope = slope * at + value
            value = value * at + work[col.WORK_COEFFICIENT, i]
            size = size * abs(at) + abs(work[col.WORK_COEFFICIENT, i])
        return value / slope, value, value / (degree * UNIT * size)
    inverse = 1.0 / at
    for i in range(degree + 1):
        value = value * inverse + work[col.WORK_COEFFICIENT, i]
        slope = slope * inverse + i * work[col.WORK_COEFFICIENT, i]
        size = size * abs(inverse) + abs(work[col.WORK_COEFFICIENT, i])
    sign = -value if at < 0.0 and degree % 2 == 1 else value
    return at * (value / slope), sign, value / (degree * UNIT * size)


@kernel()
def between(low: float, high: float, cuts: int) -> float:
    """Return the point at which to cut a bracket; the bracket may be infinite."""
    if (cuts < HALVINGS and high - low < np.inf) or (low > 0.0 and high <= 4.0 * low):
        return low + 0.5 * (high - low)
    if low < 0.0 < high:
        return 0.0
    if low < 0.0:
        if low >= 4.0 * high:
            return low + 0.5 * (high - low)
        return -math.sqrt(max(-high, TINIEST)) * math.sqrt(min(-low, LARGEST))
    return math.sqrt(max(low, TINIEST)) * math.sqrt(min(high, LARGEST))


@kernel(inline=False)
def bracketed_root(degree: int, far: float, low: float, high: float, rising: bool, work: Floats) -> float:
    """Return the root between two knots at which the signs differ.

    A Newton step is taken if it is at most a quarter of the last one; otherwise the bracket is cut. A straight line
    needs neither.
    """
    if degree == 1:
        root = -work[col.WORK_COEFFICIENT, 0] / work[col.WORK_COEFFICIENT, 1]
        return min(max(root, low, -np.finfo(np.float64).max), high, np.finfo(np.float64).max)
    cuts = 0
    last = np.inf
    at = between(low, high, cuts)
    while True:
        step, sign, noise = newton_step(degree, far, at, work)
        after = at - step
        if sign == 0.0:
            return at
        if abs(noise) <= 1.0 or abs(step) <= UNIT * abs(at):
            return after if low <= after <= high else at
        if (sign > 0.0) == rising:
            high = at
        else:
            low = at
        if low < after < high and abs(step) <= 0.25 * last:
            last = abs(step)
        else:
            last = np.inf
            cuts += 1
            after = between(low, high, cuts)
            if not low < after < high:
                return at
        at = after


@kernel()
def is_zero(ratio: float) -> bool:
    """Return whether a value cannot be told from zero, by its ratio to its error."""
    return abs(ratio) <= 1.0


@kernel()
def set_knots(
    degree: int, slack: float, far: float, low: float, high: float, turns: int, work: Floats, roots: Floats
) -> int:
    """List the interval's ends and the derivative's roots, with the value at each; return the last index."""
    last = 0
    work[col.WORK_KNOT, 0] = low
    for turn in range(turns):
        if low < roots[turn] < high:
            last += 1
            work[col.WORK_KNOT, last] = roots[turn]
    if low < high:
        last += 1
        work[col.WORK_KNOT, last] = high
    for knot in range(last + 1):
        value, error = value_and_error(degree, slack, far, work[col.WORK_KNOT, knot], work)
        work[col.WORK_RATIO, knot] = 0.0 if value == 0.0 else value / error
    return last


@kernel()
def root_of_zero_run(
    first: int, final: int, last: int, turns_low: bool, turns_high: bool, degree: int, far: float, work: Floats
) -> float:
    """Return the one root of a run of knots whose values count as zero.

    The root is the point where the curve turns, if it turns there. Otherwise the run is an end of the interval. The
    curve may leave that end with the opposite sign of the value further in: then it crosses zero after all.
    """
    best = -1
    for knot in range(first, final + 1):
        turns = (knot > 0 or turns_low) and (knot < last or turns_high)
        if turns and (best < 0 or abs(work[col.WORK_RATIO, knot]) < abs(work[col.WORK_RATIO, best])):
            best = knot
    if best >= 0:
        return work[col.WORK_KNOT, best]
    begin = max(min(first, last - 1), 0)
    end = min(begin + 1, last)
    if work[col.WORK_RATIO, begin] * work[col.WORK_RATIO, end] < 0.0:
        return bracketed_root(
            degree, far, work[col.WORK_KNOT, begin], work[col.WORK_KNOT, end], work[col.WORK_RATIO, end] > 0.0, work
        )
    if first < final:  # the run is the whole interval
        return work[
            col.WORK_KNOT, first if abs(work[col.WORK_RATIO, first]) <= abs(work[col.WORK_RATIO, final]) else final
        ]
    return work[col.WORK_KNOT, first]


@kernel(inline=False)
def roots_between_turns(
    degree: int, slack: float, far: float, low: float, high: float, turns: int, work: Floats, roots: Floats
) -> int:
    """Replace the derivative's roots, the first `turns` entries of `roots`, by the roots of the polynomial."""
    turns_low = turns > 0 and roots[0] == low
    turns_high = turns > 0 and roots[turns - 1] == high
    last = set_knots(degree, slack, far, low, high, turns, work, roots)
    count = knot = 0
    work[col.WORK_SIGN, 0] = 0.0
    while knot <= last:
        if is_zero(work[col.WORK_RATIO, knot]):
            final = knot
            while final < last and is_zero(work[col.WORK_RATIO, final + 1]):
                final += 1
            root = root_of_zero_run(knot, final, last, turns_low, turns_high, degree, far, work)
            knot = final + 1
        else:
            rising = work[col.WORK_RATIO, knot] < 0.0
            work[col.WORK_SIGN, count] = -1.0 if rising else 1.0
            knot += 1
            if knot > last or is_zero(work[col.WORK_RATIO, knot]) or (work[col.WORK_RATIO, knot] < 0.0) == rising:
                continue
            root = bracketed_root(degree, far, work[col.WORK_KNOT, knot - 1], work[col.WORK_KNOT, knot], rising, work)
        roots[count] = root
        count += 1
        work[col.WORK_SIGN, count] = 0.0
    return count


@kernel()
def scale_of(coefficients: Floats, degree: int) -> float:
    """Return a power of two that keeps the coefficients from overflowing: 1 unless they are extreme."""
    largest = 0.0
    for i in range(degree + 1):
        largest = max(largest, abs(coefficients[i]))
    _, exponent = math.frexp(largest)
    if PLAIN_LOW <= exponent <= PLAIN_HIGH:
        return 1.0
    return math.ldexp(1.0, min(-exponent, LARGEST_SHIFT))


@kernel(inline=False)
def real_roots(
    coefficients: Floats, degree: int, slack: float, low: float, high: float, work: Floats, roots: Floats
) -> int:
    """Find the real roots of a polynomial in a closed interval; return their number.

    Parameters
    ----------
    coefficients : (degree + 1,) or longer
        Ascending and finite; the leading ones may be zero.
    degree
        Of the polynomial.
    slack
        Bound of the error of the constant coefficient beyond its own rounding; 0 or more.
    low, high
        The interval, ``low <= high``; either may be infinite.
    work : (WORK_ROWS, degree + WORK_MARGIN) or larger
        Scratch. Afterwards, ``work[WORK_SIGN, i]`` is the sign, -1, 0 or 1, of the polynomial before root i. With the
        number of roots for i, it is the sign after the last root. It is 0 only where the polynomial cannot be told from
        zero.
    roots : (max(degree, 1),) or longer
        Receives the roots, ascending. Roots that cannot be told apart are returned as one. A polynomial whose
        coefficients are all zero has the root `low`.
    """
    scale = scale_of(coefficients, degree)
    while degree > 0 and coefficients[degree] * scale == 0.0:
        degree -= 1
    if degree == 0:
        constant = coefficients[0]
        work[col.WORK_SIGN, 0] = work[col.WORK_SIGN, 1] = 0.0
        roots[0] = low
        if abs(constant) <= slack:
            return 1
        work[col.WORK_SIGN, 0] = 1.0 if constant > 0.0 else -1.0
        return 0
    far = 2.0 ** (ARGUMENTS / degree)
    count = 0
    for order in range(degree - 1, -1, -1):
        choices = 1.0  # binomial coefficient of order + i over order
        for i in range(degree - order + 1):
            work[col.WORK_COEFFICIENT, i] = choices * (scale * coefficients[order + i])
            choices = choices * (order + i + 1) / (i + 1)
        off = scale * slack if order == 0 else 0.0
        count = roots_between_turns(degree - order, off, far, low, high, count, work, roots)
    return count


@kernel(example=lambda: (np.array([-1.0, 0.0, 1.0]), 0.0, 0.0, 1.0))
def polynomial_roots(coefficients: Floats, slack: float, low: float, high: float) -> tuple[Floats, Floats]:
    """Return the roots of `real_roots`, and the signs between them: one sign more than there are roots."""
    degree = len(coefficients) - 1
    work = np.empty((col.WORK_ROWS, degree + col.WORK_MARGIN))
    roots = np.empty(max(degree, 1))
    count = real_roots(coefficients, degree, slack, low, high, work, roots)
    return roots[:count], work[col.WORK_SIGN, : count + 1]
