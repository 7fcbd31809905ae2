"""The velocity that limits allow. The oracle samples many velocities and takes the nearest allowed one."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from impinge_pymunk.velocities import Limit, nearest_velocity


def some_limit(rnd: random.Random) -> Limit:
    angle = rnd.uniform(0, math.tau)
    return Limit(math.cos(angle), math.sin(angle), rnd.choice([0.0, rnd.uniform(-1, 1)]))


# All velocities at a distance of 0.02.
GRID = np.mgrid[-300:301, -300:301].reshape(2, -1) / 50


def excess(velocity: tuple[float, float], limits: list[Limit]) -> float:
    return min(velocity[0] * limit.x + velocity[1] * limit.y - limit.least for limit in limits)


@pytest.mark.parametrize("seed", range(40))
def test_it_is_the_nearest_that_is_allowed(seed: int) -> None:
    rnd = random.Random(seed)
    # A velocity that all limits allow, so that a solution exists.
    inside = rnd.uniform(-1, 1), rnd.uniform(-1, 1)
    limits = [
        limit._replace(least=min(limit.least, inside[0] * limit.x + inside[1] * limit.y - 0.1))
        for limit in (some_limit(rnd) for _ in range(rnd.randrange(1, 4)))
    ]
    wish = rnd.uniform(-2, 2), rnd.uniform(-2, 2)
    found = nearest_velocity(wish, tuple(limits))
    allowed = np.all([GRID[0] * limit.x + GRID[1] * limit.y >= limit.least for limit in limits], axis=0)
    assert excess(found, limits) > -1e-9
    assert math.dist(found, wish) <= np.hypot(*(GRID[:, allowed].T - wish).T).min() + 1e-9


def test_what_is_allowed_stays_as_it_is_to_the_bit() -> None:
    assert nearest_velocity((0.1, 0.7), (Limit(0, 1, 0.7), Limit(0.6, 0.8, 0.0))) == (0.1, 0.7)


def test_along_a_level_floor_nothing_is_rounded() -> None:
    assert nearest_velocity((0.1, -123.4), (Limit(0.0, 1.0, 0.3),)) == (0.1, 0.3)


def test_between_two_presses_the_first_one_has_its_way() -> None:
    assert nearest_velocity((0.0, 5.0), (Limit(1, 0, 3), Limit(-1, 0, 3))) == (3.0, 5.0)
