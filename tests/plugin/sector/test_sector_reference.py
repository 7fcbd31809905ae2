"""`sector_hit` against the published test of sector and disk: thousands of disks where it is right, its errors by name.

The published test rounds a touch either way, and `sector_hit` counts it within the slop. So a disk is compared only
where a slightly smaller and a slightly larger disk give the same answer.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

import impinge as im
from impinge.reference.sectors import (
    CircleSector,
    Disk,
    Region,
    SystemTwo,
    collides,
    collides_as_listed,
    collides_by_regions,
    is_covered,
    is_covered_as_listed,
    region_of,
    simplified_by_angles,
    simplified_by_inverses,
)

SECTORS, DISKS = 120, 100
FOUR_FACINGS = (0.0, math.pi / 2, math.pi, 3 * math.pi / 2)


def kernel(wedge: CircleSector, disk: Disk) -> im.SectorHit | None:
    return im.sector_hit(
        im.Sector(wedge.radius, wedge.half_angle),
        im.Pose(*wedge.apex, wedge.facing),
        im.Circle(disk.radius),
        im.Pose(*disk.center),
    )


def hits(wedge: CircleSector, disks: list[Disk]) -> np.ndarray:
    found = im.batch.sector_hits(
        im.Sector(wedge.radius, wedge.half_angle),
        im.Pose(*wedge.apex, wedge.facing),
        np.array([disk.center for disk in disks]),
        np.array([disk.radius for disk in disks]),
    )
    hit = np.zeros(len(disks), bool)
    hit[found.indices] = True
    return hit


def told(test, wedge: CircleSector, disk: Disk) -> bool | None:
    """Return a published test's answer; None if a billionth of the sizes and coordinates changes it."""
    margin = 1e-8 * (wedge.radius + disk.radius) + 1e-13 * max(map(abs, (*wedge.apex, *disk.center)))
    answers = {
        test(wedge, Disk(disk.center, radius))
        for radius in (max(0.0, disk.radius - margin), disk.radius, disk.radius + margin)
    }
    return answers.pop() if len(answers) == 1 else None


def random_scenes(half_angles: tuple[float, float], seed: int):
    """Return sectors with the game's four facings and others, each with disks around it."""
    rng = np.random.default_rng(seed)
    for number in range(SECTORS):
        radius, reach = 10 ** rng.uniform(-1, 3), rng.choice((0.0, 10.0, 1e4))
        facing = FOUR_FACINGS[number % 8] if number % 8 < 4 else rng.uniform(-10, 10)
        apex = tuple(rng.uniform(-reach, reach, 2).tolist())
        wedge = CircleSector(radius, math.radians(rng.uniform(*half_angles)), float(facing), apex)
        distances, bearings = 2 * radius * np.sqrt(rng.random(DISKS)), rng.uniform(0, math.tau, DISKS)
        sizes = radius * 10 ** rng.uniform(-2, 0.3, DISKS)
        centers = np.column_stack([np.cos(bearings), np.sin(bearings)]) * distances[:, None] + apex
        yield wedge, [Disk(tuple(center), size) for center, size in zip(centers.tolist(), sizes.tolist(), strict=True)]


class TestWhereThePageIsRight:
    def test_by_the_sections_below_45_degrees(self) -> None:
        counts = Counter()
        for wedge, disks in random_scenes((2, 44.9), seed=1):
            assert is_covered(wedge.half_angle)
            for disk, hit in zip(disks, hits(wedge, disks), strict=True):
                answer = told(collides_by_regions, wedge, disk)
                if answer is not None:
                    assert hit == answer, (wedge, disk)
                    counts[region_of(wedge, disk.center), answer] += 1
        assert sum(counts.values()) > 0.99 * SECTORS * DISKS
        assert min(counts[region, answer] for region in Region for answer in (True, False)) > 20

    def test_by_the_list_of_steps_in_the_regions_that_it_covers(self) -> None:
        counts = Counter()
        for wedge, disks in random_scenes((2, 89), seed=2):
            for disk, hit in zip(disks, hits(wedge, disks), strict=True):
                region, answer = region_of(wedge, disk.center), told(collides_as_listed, wedge, disk)
                if answer is None:
                    continue
                if is_covered_as_listed(wedge.half_angle, region):
                    assert hit == answer, (wedge, disk)
                    counts[region, answer] += 1
                assert answer or not hit  # otherwise it reports too much, never too little
        covered = (Region.FRONT, Region.BESIDE_A, Region.BESIDE_B)
        assert min(counts[region, answer] for region in covered for answer in (True, False)) > 20

    def test_by_the_corrected_reading_for_all_half_angles(self) -> None:
        counts = Counter()
        for wedge, disks in random_scenes((1, 180), seed=3):
            for disk, hit in zip(disks, hits(wedge, disks), strict=True):
                answer = told(collides, wedge, disk)
                if answer is not None:
                    assert hit == answer, (wedge, disk)
                    counts[region_of(wedge, disk.center), answer] += 1
        assert sum(counts.values()) > 0.99 * SECTORS * DISKS

    def test_the_simplified_test_by_angles_beside_its_corners(self) -> None:
        for wedge, disks in random_scenes((1, 180), seed=4):
            for disk, hit in zip(disks, hits(wedge, disks), strict=True):
                answer = told(simplified_by_angles, wedge, disk)
                if answer is None:
                    continue
                assert answer or not hit
                if region_of(wedge, disk.center) not in (Region.CORNER_A, Region.CORNER_B):
                    assert hit == answer, (wedge, disk)

    def test_one_by_one_and_by_region(self) -> None:
        compared = Counter()
        for wedge, disks in random_scenes((1, 180), seed=5):
            for disk in disks[:25]:
                answer, found = told(collides, wedge, disk), kernel(wedge, disk)
                if answer is None:
                    continue
                assert (found is not None) == answer, (wedge, disk)
                if found is not None:
                    assert found.region == region_of(wedge, disk.center), (wedge, disk)
                    compared[found.region] += 1
        assert min(compared[region] for region in Region) > 20

    @pytest.mark.parametrize("facing", FOUR_FACINGS)
    def test_a_touch_counts(self, facing) -> None:
        wedge = CircleSector(10.0, math.radians(20), facing)
        for disk_radius in (1e-3, 0.5, 2.0, 40.0):
            center = (10 + disk_radius) * math.cos(facing), (10 + disk_radius) * math.sin(facing)
            found = kernel(wedge, Disk(center, disk_radius))
            assert found is not None
            assert found.distance == pytest.approx(10)
            assert kernel(wedge, Disk((1.000001 * center[0], 1.000001 * center[1]), disk_radius)) is None


def sector(half_angle: float, facing: float = 0.0) -> CircleSector:
    """Return a sector of radius 10 at the origin, its angles in degrees."""
    return CircleSector(10.0, math.radians(half_angle), math.radians(facing))


class TestWhereThePageIsWrong:
    """Named as in the module of the published test, which explains the cause of each."""

    @pytest.mark.parametrize("half_angle", [46, 60, 85, 89])
    def test_accurate_and_sufficient_up_to_45_degrees(self, half_angle) -> None:
        inside = Disk((5, 0), 1)
        assert not collides_by_regions(sector(half_angle), inside)
        assert kernel(sector(half_angle), inside) is not None

    def test_front_is_told_up_to_the_bounding_circle(self) -> None:
        far = Disk((20, 0), 1)
        assert collides_as_listed(sector(60), far)
        assert kernel(sector(60), far) is None

    def test_last_step_needs_a_test(self) -> None:
        behind = Disk((-0.6, 1.5), 1)
        assert collides_as_listed(sector(20), behind)
        assert kernel(sector(20), behind) is None

    def test_system_2_is_turned_the_wrong_way(self) -> None:
        middle = Disk((6, 0), 1)
        assert not collides_as_listed(sector(30), middle, SystemTwo.PRINTED)
        assert kernel(sector(30), middle) is not None

    def test_tangent_of_a_right_angle_divides_by_zero(self) -> None:
        above = CircleSector(10.0, math.nextafter(math.pi / 4, 1))
        assert not collides_by_regions(above, Disk((5, 0), 1))
        for wedge in (CircleSector(10.0, math.pi / 4), above):
            assert kernel(wedge, Disk((5, 0), 1)) is not None

    def test_crack_along_b(self) -> None:
        wedge, disk = sector(25, facing=270), Disk((1.2678547852220987, -2.7189233611099497), 0.25)
        assert not collides_by_regions(wedge, disk)
        assert kernel(wedge, disk) is not None
        rng = np.random.default_rng(6)
        for half_angle, facing in zip(rng.uniform(1, 44, 50), rng.choice(FOUR_FACINGS, 50), strict=True):
            wedge = CircleSector(10.0, math.radians(half_angle), float(facing))
            bearing = wedge.facing + wedge.half_angle
            along = [
                Disk((float(distance * math.cos(bearing)), float(distance * math.sin(bearing))), 0.25)
                for distance in rng.uniform(0, 10, 100)
            ]
            assert hits(wedge, along).all()

    def test_regions_overlap_when_wide(self) -> None:
        for wedge, disk in ((sector(120), Disk((-1.2, 0.3), 1)), (sector(150), Disk((-3, 4), 1))):
            assert not collides_by_regions(wedge, disk)
            assert kernel(wedge, disk) is not None

    def test_obtuse_bounding_circle_cuts_the_edges(self) -> None:
        edge = Disk((-2.4, 4.2), 0.01)
        assert not collides_as_listed(sector(120), edge)
        assert kernel(sector(120), edge) is not None

    def test_angle_and_range_may_be_met_apart(self) -> None:
        corner = Disk((9.5, 4.5), 1)
        assert simplified_by_angles(sector(20), corner)
        assert kernel(sector(20), corner) is None

    def test_quotient_loses_the_quadrant(self) -> None:
        behind = Disk((-5, 0), 1)
        assert simplified_by_inverses(sector(20), behind)
        assert kernel(sector(20), behind) is None
        assert kernel(sector(20, facing=180), behind) is not None

    def test_angles_are_not_wrapped(self) -> None:
        below = Disk((-0.5, -5), 1)
        assert not simplified_by_inverses(sector(20, facing=270), below)
        for facing in (270, -90, 270 + 3600):
            assert kernel(sector(20, facing=facing), below) is not None

    def test_disk_around_the_apex_has_no_sine(self) -> None:
        around = Disk((-0.5, 0), 1)
        assert not simplified_by_inverses(sector(20), around)
        found = kernel(sector(20), around)
        assert found is not None
        assert (found.distance, found.bearing) == (0, 0)
