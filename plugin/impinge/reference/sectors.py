"""Published tests for a collision of a sector and a disk. For tests, not for games, which use `impinge.sector_hit`.

The source is *Collision detection algorithms, Circle-Sector with Disk*, The Mana World, Avaniel, 2007, and the
simplified test on the same page, Bjørn, 2007. The text and the code here are new. The behaviour is the published one,
including its mistakes. The page has no example in numbers. Its figures, CSD-1 to CSD-13 and one of the simplified test,
are lost; the tests rebuild each.

The nearest part of the sector divides the plane into six regions: 1 in front, 2 corner B, 3 corner A, 4 the apex O,
5 beside O-A, 6 beside O-B. Four systems of coordinates distinguish them: 1 along O-A, 2 opposite to it, 3 along O-B,
4 along the facing. The page has two tests: sections for all six regions (`collides_by_regions`), and a list of steps
that begins with a bounding circle (`collides_as_listed`). The corrected test is `collides`.

How often it is right
---------------------
The sections are right below 45 degrees (`is_covered`), except for a crack along O-B (below). The list is right for
disks beside an edge, and for disks in front below 45 degrees (`is_covered_as_listed`). Up to 90 degrees it misses none.

The table compares the tests with a distance in polar form, on 100,000 random disks a line. Facings are the game's four:
right, up, left and down. The half angle is in degrees, the disk's radius in radii of the sector. "False" is a share of
the reported hits, "missed" a share of the true hits. "Farthest" is the greatest distance of a falsely reported disk
from the sector, in radii of the disk.

==========  ======  =======  ========  =======  ======  ======  ======  ======  ======  ========
.           .       list of steps               as printed      by inverses     by angles
----------  ------  --------------------------  --------------  --------------  ----------------
half angle  disk      false  farthest  region   missed   false  missed   false   false  farthest
==========  ======  =======  ========  =======  ======  ======  ======  ======  ======  ========
10          0.05      3.4 %      1.96  2, 3, 4  66.8 %  92.9 %  63.9 %  50.6 %   0.3 %      0.29
10          0.25     11.4 %      0.92  2, 3, 4  75.9 %  87.6 %  70.2 %  51.7 %   2.5 %      0.33
10          1        10.8 %      0.33  2, 3, 4  86.0 %  76.2 %  83.2 %  54.3 %   4.3 %      0.23
30          0.05      0.5 %      0.52  2, 3, 4  68.1 %  85.5 %  62.8 %  50.3 %   0.2 %      0.33
30          0.25      3.0 %      0.45  2, 3, 4  65.8 %  75.3 %  67.1 %  50.5 %   1.4 %      0.34
30          1         4.6 %      0.20  2, 3, 4  71.0 %  56.2 %  79.4 %  51.7 %   3.6 %      0.24
60          0.05     61.4 %     19.97  1        55.6 %  64.7 %  62.5 %  49.9 %   0.1 %      0.30
60          0.25     51.7 %      3.99  1        56.2 %  55.0 %  64.6 %  48.6 %   0.9 %      0.34
60          1        33.0 %      1.00  1        60.0 %  36.1 %  72.8 %  41.9 %   2.8 %      0.24
85          0.05     98.3 %    209.31  1        39.4 %  49.9 %  61.8 %  48.9 %   0.1 %      0.24
85          0.25     97.3 %     41.86  1        42.8 %  41.7 %  58.3 %  38.2 %   0.8 %      0.33
85          1        93.3 %     10.46  1        51.3 %  26.3 %  65.0 %  26.1 %   2.6 %      0.23
==========  ======  =======  ========  =======  ======  ======  ======  ======  ======  ========

The last three pairs of columns are the simplified test: `simplified_as_printed`, `simplified_by_inverses`, with the
inverse functions that it means, and `simplified_by_angles`, its corrected idea. The first two err on every side, as far
away as the sector reaches. The last one errs only at the corners A and B (regions 2 and 3), and misses only touches.
The list misses nothing either. The sections have no false hits; at 60 degrees they miss 90.7, 60.4 and 14.5 % of all
hits.

The largest errors, for a sector of radius R and a disk of radius r (d is the distance from its centre to the corner):

- list of steps, below 45 degrees: d^2 + d R tan(alpha) = r R / cos(alpha) + r^2, from the borders with 5 and 6 on;
- list of steps, from 45 degrees on: in front R / cos(alpha) - R, for any disk; beyond A and B, d^2 + d R = r R /
  cos(alpha) + r^2, from the borders with 1 on; behind O, as below 45 degrees;
- simplified by angles: d^2 = r^2 + (sqrt(R^2 + 2 R r) - R)^2, so less than 0.415 r beyond the disk.

Cheap tests
-----------
The page tries to avoid square roots and angles. Distances compare as squares, "diskDist2 <= (diskRadius +
circleRadius)2". The sine and cosine of a weapon's half angle and of the four facings "could be computed on startup of
the game-server and stored for use". A `StoredSector` holds them. `collides_as_stored` is the list of steps with these
numbers, and gives the same results as `collides_as_listed`. `simplified_by_squares` is the simplified test in products
and squares. It gives the same results as `simplified_by_angles`, but counts a touch. It needs no angle: if a disk's
centre is outside the angle, the disk still meets the angle if the centre is at most its radius away from an edge's ray.
One more comparison, of the squared distance to a corner, makes it exact: `collides_by_squares`. benchmarks/sectors.py
measures all.

What the text leaves open
-------------------------
Each has a test of the same name, here and below.

*regions_2_3_and_4_have_no_conditions*
    "If necessary, the pre-conditions will be derived". They are not, and they are not necessary: if the centre is in
    none of regions 1, 5 and 6, the disk is hit if it contains any corner.
*order_of_the_steps*
    "Any but the first five steps can be moved": true below 45 degrees, where the regions share only their borders. The
    order here is that of the list.
*wideness_may_be_half_or_whole*
    The simplified test goes from ``dir - widenessAngle`` to ``dir + widenessAngle``, so this is the half angle.
*dist_is_not_told*
    ``diskRadius / dist`` has a ``dist`` that is never set. It is read as ``diskDist``.

Where it errs: regions
----------------------
Unless stated otherwise, sectors have R = 10 and face along x.

*squares_are_printed_as_names*
    "Px2 + Py2 <= (R + RP)2" has lost its superscripts. Px2 and Py2 are also names, those of system 2, where they are
    negative for all points in front. Read as names, nothing in front is too far.
*system_2_is_turned_the_wrong_way*
    The formulas turn by alpha + beta + pi, so opposite to system 3. "Exact opposite of system 1", in the list, is
    right: beta - alpha + pi. With the formulas, region 5 is inside the sector, along O-B: at 30 degrees, a disk of
    radius 1 at (6, 0), in the middle, is missed. Of random disks of 0.25 R, 46.0 % are missed there, and 19.8 % of the
    reported hits are false.
*system_2_loses_a_sign*
    The lines after that replace cos(t + pi) and sin(t + pi) by -cos(t) and +sin(t): a turn by pi - alpha - beta. That
    is right again for the facings 0 and pi, two of the game's four. Facing up, region 5 is behind the apex, and disks
    beside O-A reach the last step of the list: at 30 degrees, a disk of radius 1 at a distance of 2.
*region_1_is_empty_from_45_degrees*
    Py1 <= Px1 tan(2 alpha) has a negative tangent there, and Px1 >= 0 excludes the rest.
*accurate_and_sufficient_up_to_45_degrees*
    So the sections miss disks in front, unless they contain a corner: at 60 degrees, a disk of radius 1 at (5, 0).
*front_is_told_up_to_the_bounding_circle*
    The list continues to its last step, and so reports every disk that meets the bounding circle: at 60 degrees, a disk
    of radius 1 at (20, 0).
*tangent_of_a_right_angle_divides_by_zero*
    At 45 degrees the denominator, cos^2 - sin^2, is 0. In floats it works, as pi / 4 is rounded down. For the next
    float, region 1 is empty.
*crack_along_b*
    Regions 1 and 6 test the sides of O-B by different formulas, without a tolerance. Rounding leaves a crack between
    them: of small disks with their centre on O-B, the sections miss 6 %. The list reports them as hits. But beyond B,
    where region 1 ends, the crack leads the list to its untested last step.
*regions_overlap_when_wide*
    From 90 degrees on, strips 5 and 6 overlap, and the first one decides. From 135 degrees on, they reach into the
    sector. At 120 degrees, (-1.2, 0.3) is 0.89 from O-B, but 1.19 from O-A, and a disk of radius 1 is missed. So is one
    at (-3, 4) at 150 degrees, which is inside.

Where it errs: bounding circle and list of steps
------------------------------------------------
*last_step_needs_a_test*
    "Then the intersection must be in region 2, 3 or 4": a disk that meets the bounding circle need not meet the sector.
    At 20 degrees, a disk of radius 1 at (-0.6, 1.5) is reported, 1.62 from the apex.
*factor_is_printed_twice_too_large*
    "Both sides were multiplied by (2*cos(alpha))": the printed form was multiplied by cos(alpha).
*bounding_circle_outgrows_the_range*
    From 60 degrees on, it is larger than the circle of the range, 5.7 times at 85 degrees. From 45 degrees on, the
    circle with the diameter A-B, of radius R sin(alpha), would contain the sector.
*limit_is_90_degrees_not_85*
    85 is "for practical reasons". The form without a quotient holds up to 90 degrees, where the circle is a half plane.
*obtuse_bounding_circle_cuts_the_edges*
    Above 90 degrees the signs change, and the circle excludes points behind O, even on the edges: at 120 degrees,
    (-2.4, 4.2).

Where it errs: simplified test
------------------------------
*cosine_stands_for_an_inverse*
    ``cos(diskY / diskX)`` and ``cos(diskRadius / dist)`` are used as angles: inverse tangent and inverse sine are
    meant. As printed, left and right are the same, and a disk at 60 degrees is reported to be in a sector of 20.
*quotient_loses_the_quadrant*
    diskY / diskX is the same behind and ahead. A disk to the left of the apex is confused with the opposite one.
*straight_up_divides_by_zero*
    diskX is 0 straight ahead in two of the game's four facings. As printed, the cosine of infinity is NaN.
*angles_are_not_wrapped*
    No bearing is near a facing of 3 pi / 2, so all disks are missed there.
*disk_around_the_apex_has_no_sine*
    diskRadius / dist is above 1 if the disk contains the apex. The inverse sine is NaN, and the disk is missed.
*angle_and_range_may_be_met_apart*
    At a corner, one point of the disk may be near enough, and another one within the angle: at 20 degrees, a disk of
    radius 1 at (9.5, 4.5).
*touch_does_not_count*
    It has ``<`` and ``>``, where the other test has ``<=``. So has the reply of its author, about the square root.
*squared_radii_do_not_save_the_root*
    "Given in their squared form", the radii still have to be added: that takes the square root of their product. And
    ``dist`` needs the square root.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, IntEnum, auto
from typing import TypeAlias

from impinge import checks
from impinge.errors import ShapeError

__all__ = [
    "CircleSector",
    "Disk",
    "Region",
    "StoredSector",
    "System",
    "SystemTwo",
    "bounding_circle",
    "collides",
    "collides_as_listed",
    "collides_as_stored",
    "collides_by_regions",
    "collides_by_squares",
    "coordinates",
    "is_covered",
    "is_covered_as_listed",
    "meets_bounding_circle",
    "region_of",
    "simplified_as_printed",
    "simplified_by_angles",
    "simplified_by_inverses",
    "simplified_by_squares",
    "system_two",
]

Point: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class CircleSector:
    """The reach of an attack: all points within a radius of the apex O and within a half angle of the facing.

    Corner A is at the end of the edge to the right of the facing, corner B at the end of the one to the left.

    Parameters
    ----------
    radius
        R, positive.
    half_angle
        Alpha, the "half-top-angle", above 0 and up to pi, in radians. The page stops at 85 degrees.
    facing
        Beta, the "placement angle", in radians counter-clockwise from the x axis.
    apex
        O, "the center of the circle-sector".

    Raises
    ------
    ShapeError
        If a number is not finite, or the radius or the half angle is out of range.

    Examples
    --------
    >>> CircleSector(radius=2, half_angle=math.radians(30), facing=math.pi / 2).radius
    2
    """

    radius: float
    half_angle: float
    facing: float = 0.0
    apex: Point = (0.0, 0.0)

    def __post_init__(self) -> None:
        checks.positive("radius", self.radius)
        if checks.positive("half_angle", self.half_angle) > math.pi:
            raise ShapeError(f"half_angle must be at most pi, got {self.half_angle!r}")
        checks.finite("facing", self.facing)
        checks.point("apex", self.apex)


@dataclass(frozen=True, slots=True)
class Disk:
    """The target of an attack: its centre P and its radius RP, which may be 0.

    Raises
    ------
    ShapeError
        If a number is not finite, or the radius is negative.

    Examples
    --------
    >>> Disk((3, 4))
    Disk(center=(3, 4), radius=0.0)
    """

    center: Point
    radius: float = 0.0

    def __post_init__(self) -> None:
        checks.point("center", self.center)
        checks.not_negative("radius", self.radius)


class System(IntEnum):
    """The four systems of coordinates, numbered as on the page. All have the apex as origin."""

    ALONG_A = 1
    """x from O to A, so that the sector is on the side of positive y."""
    OPPOSITE = 2
    """System 1 turned by half a turn, as in the list of steps. `SystemTwo` has the systems of the formulas."""
    ALONG_B = 3
    """x from O to B, so that the sector is on the side of negative y."""
    ALONG_FACING = 4
    """x along the facing."""


def coordinates(system: System, sector: CircleSector, point: Point) -> Point:
    """Return the coordinates of a point in one of the four systems.

    Examples
    --------
    >>> quarter = CircleSector(1, math.radians(45), facing=math.radians(45))
    >>> [[round(z) for z in coordinates(system, quarter, (3, 4))] for system in System][:3]
    [[3, 4], [-3, -4], [4, -3]]
    """
    alpha, beta = sector.half_angle, sector.facing
    if system is System.OPPOSITE:
        x1, y1 = coordinates(System.ALONG_A, sector, point)
        return -x1, -y1  # no second rotation: its rounding would leave a crack between regions 5 and 1
    angle = {System.ALONG_A: beta - alpha, System.ALONG_B: beta + alpha, System.ALONG_FACING: beta}[system]
    return _in_turned_axes(_from_apex(sector, point), angle)


class SystemTwo(Enum):
    """The three versions of system 2 on the page. The first is right."""

    OPPOSITE = auto()
    """System 2 of the list of steps: "the exact opposite" of system 1, turned by beta - alpha + pi."""
    PRINTED = auto()
    """System 2 of the first formulas of region 5: turned by alpha + beta + pi, so the opposite of system 3."""
    EXPANDED = auto()
    """System 2 of the next formulas, which have lost a sign: turned by pi - alpha - beta."""


def system_two(reading: SystemTwo, sector: CircleSector, point: Point) -> Point:
    """Return the coordinates of a point in one of the three versions of system 2.

    Examples
    --------
    With a facing of 0, the lost sign compensates for the wrong angle:

    >>> ahead = CircleSector(1, math.radians(30))
    >>> [[round(z, 3) for z in system_two(reading, ahead, (0, -1))] for reading in SystemTwo]
    [[-0.5, 0.866], [0.5, 0.866], [-0.5, 0.866]]
    """
    alpha, beta = sector.half_angle, sector.facing
    x, y = _from_apex(sector, point)
    if reading is SystemTwo.OPPOSITE:
        return coordinates(System.OPPOSITE, sector, point)
    if reading is SystemTwo.PRINTED:
        return _in_turned_axes((x, y), alpha + beta + math.pi)
    cosine, sine = math.cos(alpha + beta), math.sin(alpha + beta)
    return -x * cosine + y * sine, -y * cosine - x * sine


class Region(IntEnum):
    """The six regions of a disk's centre, numbered as on the page."""

    FRONT = 1
    """Between the lines through the edges, at any distance: nearest is the point itself, or a point of the arc."""
    CORNER_B = 2
    CORNER_A = 3
    APEX = 4
    BESIDE_A = 5
    """Nearest is the edge from O to A."""
    BESIDE_B = 6
    """Nearest is the edge from O to B."""


def region_of(sector: CircleSector, point: Point) -> Region:
    """Return the region of a point, for any half angle: the corrected reading.

    A border between regions belongs to 1 first, then to 5 or 6. Above 90 degrees there is no region 4: the line behind
    the apex separates regions 5 and 3 from 6 and 2, and belongs to 6 and 2.

    Examples
    --------
    >>> sector = CircleSector(1, math.radians(60))
    >>> [region_of(sector, point).value for point in [(9, 9), (0, 2), (0, -2), (-1, 0), (0, -1), (0, 1)]]
    [1, 2, 3, 4, 5, 6]
    >>> region_of(CircleSector(1, math.radians(120)), (-1, 0)).name
    'BESIDE_B'
    """
    x, y = coordinates(System.ALONG_FACING, sector, point)
    if abs(math.atan2(y, x)) <= sector.half_angle:
        return Region.FRONT
    right = y < 0
    along, _ = coordinates(System.ALONG_A if right else System.ALONG_B, sector, point)
    if along < 0:
        return Region.APEX
    if along > sector.radius:
        return Region.CORNER_A if right else Region.CORNER_B
    return Region.BESIDE_A if right else Region.BESIDE_B


def bounding_circle(sector: CircleSector) -> tuple[Point, float]:
    """Return the centre, in system 4, and the radius of the published bounding circle, which goes through O, A and B.

    Raises
    ------
    ShapeError
        If the half angle is 90 degrees or more: the formula divides by its cosine.

    Examples
    --------
    >>> center, radius = bounding_circle(CircleSector(1, math.radians(60)))
    >>> [round(z, 12) for z in (*center, radius)]
    [1.0, 0.0, 1.0]
    """
    if sector.half_angle >= math.pi / 2:
        raise ShapeError(f"half_angle must be below pi / 2, got {sector.half_angle!r}")
    radius = sector.radius / (2 * math.cos(sector.half_angle))
    return (radius, 0.0), radius


def meets_bounding_circle(sector: CircleSector, disk: Disk) -> bool:
    """Return whether a disk meets the bounding circle, in the published form without a quotient.

    The form holds for half angles up to 90 degrees. At 90 degrees, the circle is the half plane in front of O. Above,
    it is the outside of a circle behind O.

    Examples
    --------
    >>> narrow = CircleSector(10, math.radians(20))
    >>> meets_bounding_circle(narrow, Disk((5, 6), 1)), meets_bounding_circle(narrow, Disk((5, 7), 1))
    (True, False)
    """
    x, y = coordinates(System.ALONG_FACING, sector, disk.center)
    cosine = math.cos(sector.half_angle)
    return (x * x + y * y) * cosine - x * sector.radius <= disk.radius * (disk.radius * cosine + sector.radius)


def collides_as_listed(sector: CircleSector, disk: Disk, reading: SystemTwo = SystemTwo.OPPOSITE) -> bool:
    """Return whether a disk is hit, by the list of steps that the page calls the algorithm, in its order.

    `is_covered_as_listed` returns where it is right.

    Parameters
    ----------
    sector, disk
        The sector and the disk. Half angles above 85 degrees, which the page excludes, are allowed.
    reading
        The version of system 2 for region 5.

    Examples
    --------
    A hit beside the edge, a miss beside the edge, and a miss behind the apex that is reported as a hit:

    >>> narrow = CircleSector(10, math.radians(20))
    >>> [collides_as_listed(narrow, Disk(center, 1)) for center in [(5, 2.5), (5, 4), (-0.6, 1.5)]]
    [True, False, True]
    """
    if not meets_bounding_circle(sector, disk):
        return False
    told = _told_by_sides_and_arc(sector, disk, reading)
    return True if told is None else told


def collides_by_regions(sector: CircleSector, disk: Disk, reading: SystemTwo = SystemTwo.OPPOSITE) -> bool:
    """Return whether a disk is hit, by the sections on the six regions: "mathematically accurate and sufficient".

    This has no bounding circle. A disk that is in none of regions 1, 5 and 6 is hit if it contains B, A or O.
    `is_covered` returns where this is right.

    Examples
    --------
    >>> narrow = CircleSector(10, math.radians(20))
    >>> [collides_by_regions(narrow, Disk(center, 1)) for center in [(5, 2.5), (5, 4), (-0.6, 1.5)]]
    [True, False, False]
    """
    told = _told_by_sides_and_arc(sector, disk, reading)
    return any(_holds(disk, corner) for corner in _corners(sector)) if told is None else told


def collides(sector: CircleSector, disk: Disk) -> bool:
    """Return whether a disk is hit, by the regions of `region_of`: the corrected reading, for any half angle.

    A touch counts. Rounding may decide it.

    Examples
    --------
    >>> wide = CircleSector(10, math.radians(150))
    >>> [collides(wide, Disk(center, 1)) for center in [(5, 2.5), (-5, 0), (-1.5, 0), (-9.5, 8)]]
    [True, False, True, False]
    """
    corner_b, corner_a, apex = _corners(sector)
    region = region_of(sector, disk.center)
    if region is Region.FRONT:
        return _reaches_the_arc(sector, disk)
    if region is Region.BESIDE_A:
        return -coordinates(System.ALONG_A, sector, disk.center)[1] <= disk.radius
    if region is Region.BESIDE_B:
        return coordinates(System.ALONG_B, sector, disk.center)[1] <= disk.radius
    return _holds(disk, {Region.CORNER_B: corner_b, Region.CORNER_A: corner_a, Region.APEX: apex}[region])


def is_covered(half_angle: float) -> bool:
    """Return whether `collides_by_regions` is right for a half angle: below 45 degrees.

    Right means up to rounding, with system 2 of the list of steps, and except for centres on O-B (`crack_along_b`).

    Examples
    --------
    >>> is_covered(math.radians(44)), is_covered(math.radians(46))
    (True, False)
    """
    return 0 < half_angle < math.pi / 4


def is_covered_as_listed(half_angle: float, region: Region) -> bool:
    """Return whether `collides_as_listed` is right for disks with their centre in a region.

    Right means up to rounding, with system 2 of the list of steps, and except for centres on O-B (`crack_along_b`).
    Elsewhere, up to 90 degrees, it still misses no hit.

    Examples
    --------
    >>> [is_covered_as_listed(math.radians(60), region) for region in Region]
    [False, False, False, False, True, True]
    """
    if region is Region.FRONT:
        return is_covered(half_angle)
    return region in (Region.BESIDE_A, Region.BESIDE_B) and 0 < half_angle < math.pi / 2


def simplified_as_printed(sector: CircleSector, disk: Disk) -> bool:
    """Return whether a disk is hit, by the simplified test as printed, with its two cosines.

    As in C, a division by zero gives infinity, and its cosine is NaN, which is no hit.

    Examples
    --------
    The disk is hit straight ahead, but also at 60 degrees to both sides:

    >>> narrow = CircleSector(10, math.radians(20))
    >>> [simplified_as_printed(narrow, Disk(center, 1)) for center in [(5, 0), (2.5, 4.33), (2.5, -4.33)]]
    [True, True, True]
    """
    x, y = _from_apex(sector, disk.center)
    bearing = _as_in_c(math.cos, _quotient(y, x))
    width = _as_in_c(math.cos, _quotient(disk.radius, math.hypot(x, y)))
    return _simplified(sector, disk, bearing, width)


def simplified_by_inverses(sector: CircleSector, disk: Disk) -> bool:
    """Return whether a disk is hit, by the simplified test with the inverse functions that its two cosines mean.

    The first is the inverse tangent. The second is the inverse sine: half the angle of the disk as seen from O. As in
    C, the inverse sine of a number above 1 is NaN, which is no hit.

    Examples
    --------
    Straight ahead, at the side, and straight behind, where the quotient is the same as ahead:

    >>> narrow = CircleSector(10, math.radians(20))
    >>> [simplified_by_inverses(narrow, Disk(center, 1)) for center in [(5, 0), (2.5, 4.33), (-5, 0)]]
    [True, False, True]
    """
    x, y = _from_apex(sector, disk.center)
    bearing = _as_in_c(math.atan, _quotient(y, x))
    width = _as_in_c(math.asin, _quotient(disk.radius, math.hypot(x, y)))
    return _simplified(sector, disk, bearing, width)


def simplified_by_angles(sector: CircleSector, disk: Disk) -> bool:
    """Return whether a disk is hit, by the idea of the simplified test, with all quadrants and for any half angle.

    A part of the disk, as seen from O, must be within the angle, and the disk must be near enough. The test is right
    except near the corners A and B, where different parts of the disk may meet the two conditions. There, it reports
    hits up to 0.42 disk radii too far away.

    Examples
    --------
    Straight ahead, straight behind, around the apex, and off the corner:

    >>> narrow = CircleSector(10, math.radians(20))
    >>> places = [(5, 0), (-5, 0), (-0.5, 0), (9.5, 4.5)]
    >>> [simplified_by_angles(narrow, Disk(center, 1)) for center in places]
    [True, False, True, True]
    >>> collides(narrow, Disk((9.5, 4.5), 1))
    False
    """
    x, y = coordinates(System.ALONG_FACING, sector, disk.center)
    distance = math.hypot(x, y)
    if distance <= disk.radius:
        return True
    bearing, width = math.atan2(y, x), math.asin(disk.radius / distance)
    return abs(bearing) < sector.half_angle + width and distance - disk.radius < sector.radius


@dataclass(frozen=True, slots=True)
class StoredSector:
    """Numbers of a weapon and a facing that are computed once, so that the tests need no angles and no square roots.

    Attributes
    ----------
    radius
        R, in the game's units.
    cosine, sine
        Cosine and sine of the half angle.
    tangent_of_twice
        Tangent of twice the half angle, for region 1 of the list of steps.
    facing_cosine, facing_sine
        Cosine and sine of the facing.

    Examples
    --------
    >>> stored = StoredSector.of(CircleSector(10, math.radians(60)))
    >>> round(stored.cosine, 12), stored.facing_cosine, stored.facing_sine
    (0.5, 1.0, 0.0)
    """

    radius: float
    cosine: float
    sine: float
    tangent_of_twice: float
    facing_cosine: float
    facing_sine: float

    @classmethod
    def of(cls, sector: CircleSector) -> StoredSector:
        """Return the numbers of a sector, with any apex.

        Examples
        --------
        >>> StoredSector.of(CircleSector(10, math.radians(30))).radius
        10
        """
        alpha, beta = sector.half_angle, sector.facing
        return cls(sector.radius, math.cos(alpha), math.sin(alpha), math.tan(2 * alpha), math.cos(beta), math.sin(beta))


def collides_as_stored(stored: StoredSector, apex: Point, disk: Disk) -> bool:
    """Return whether a disk is hit, by the list of steps with stored numbers: `collides_as_listed` up to rounding.

    Examples
    --------
    >>> narrow = StoredSector.of(CircleSector(10, math.radians(20)))
    >>> [collides_as_stored(narrow, (0, 0), Disk(center, 1)) for center in [(5, 2.5), (5, 4), (-0.6, 1.5)]]
    [True, False, True]
    """
    cosine, sine, reach, radius = stored.cosine, stored.sine, stored.radius, disk.radius
    x, y = _along_stored_facing(stored, apex, disk.center)
    squared = x * x + y * y
    if squared * cosine - x * reach > radius * (radius * cosine + reach):
        return False
    x1, y1 = x * cosine - y * sine, y * cosine + x * sine
    if 0 <= x1 <= reach and y1 <= 0:  # region 5: system 2 is opposite to system 1
        return -y1 <= radius
    if x1 >= 0 and 0 <= y1 <= x1 * stored.tangent_of_twice:
        return squared <= (reach + radius) * (reach + radius)
    x3, y3 = x * cosine + y * sine, y * cosine - x * sine
    if 0 <= x3 <= reach and y3 >= 0:
        return y3 <= radius
    return True


def simplified_by_squares(stored: StoredSector, apex: Point, disk: Disk) -> bool:
    """Return whether a disk is hit, by the simplified test on squared distances: for any half angle; a touch counts.

    It errs as `simplified_by_angles` does: only near the corners A and B, with hits up to 0.42 disk radii too far away.

    Examples
    --------
    Straight ahead, straight behind, around the apex, and off the corner:

    >>> narrow = StoredSector.of(CircleSector(10, math.radians(20)))
    >>> places = [(5, 0), (-5, 0), (-0.5, 0), (9.5, 4.5)]
    >>> [simplified_by_squares(narrow, (0, 0), Disk(center, 1)) for center in places]
    [True, False, True, True]
    """
    radius = disk.radius
    x, y = _along_stored_facing(stored, apex, disk.center)
    squared, reach = x * x + y * y, stored.radius + radius
    if squared > reach * reach:
        return False
    beside = abs(y) * stored.cosine - x * stored.sine  # distance from the line of the nearer edge; negative inside
    if beside <= 0:
        return True
    along = x * stored.cosine + abs(y) * stored.sine
    return beside <= radius if along >= 0 else squared <= radius * radius


def collides_by_squares(stored: StoredSector, apex: Point, disk: Disk) -> bool:
    """Return whether a disk is hit, by squared distances and stored numbers: `collides` up to rounding.

    Examples
    --------
    >>> narrow = StoredSector.of(CircleSector(10, math.radians(20)))
    >>> places = [(5, 0), (-5, 0), (-0.5, 0), (9.5, 4.5)]
    >>> [collides_by_squares(narrow, (0, 0), Disk(center, 1)) for center in places]
    [True, False, True, False]
    """
    radius = disk.radius
    x, y = _along_stored_facing(stored, apex, disk.center)
    beside = abs(y) * stored.cosine - x * stored.sine
    if beside <= 0:
        reach = stored.radius + radius
        return x * x + y * y <= reach * reach
    along = x * stored.cosine + abs(y) * stored.sine
    beyond = along if along < 0 else max(along - stored.radius, 0.0)  # past the edge's end: the apex or the corner
    return beside * beside + beyond * beyond <= radius * radius


def _along_stored_facing(stored: StoredSector, apex: Point, point: Point) -> Point:
    """Return the coordinates of a point in system 4."""
    x, y = point[0] - apex[0], point[1] - apex[1]
    cosine, sine = stored.facing_cosine, stored.facing_sine
    return x * cosine + y * sine, y * cosine - x * sine


def _told_by_sides_and_arc(sector: CircleSector, disk: Disk, reading: SystemTwo) -> bool | None:
    """Return the result of regions 5, 1 and 6, in the order of the list; None if the centre is in none of them."""
    x2, y2 = system_two(reading, sector, disk.center)
    if -sector.radius <= x2 <= 0 <= y2:
        return y2 <= disk.radius
    x1, y1 = coordinates(System.ALONG_A, sector, disk.center)
    if x1 >= 0 and 0 <= y1 <= x1 * math.tan(2 * sector.half_angle):
        return _reaches_the_arc(sector, disk)
    x3, y3 = coordinates(System.ALONG_B, sector, disk.center)
    if 0 <= x3 <= sector.radius and y3 >= 0:
        return y3 <= disk.radius
    return None


def _simplified(sector: CircleSector, disk: Disk, bearing: float, width: float) -> bool:
    x, y = _from_apex(sector, disk.center)
    return (
        bearing - width < sector.facing + sector.half_angle
        and bearing + width > sector.facing - sector.half_angle
        and math.hypot(x, y) - disk.radius < sector.radius
    )


def _reaches_the_arc(sector: CircleSector, disk: Disk) -> bool:
    x, y = _from_apex(sector, disk.center)
    return x * x + y * y <= (sector.radius + disk.radius) ** 2


def _corners(sector: CircleSector) -> tuple[Point, Point, Point]:
    """Return B, A and O, in the order of regions 2, 3 and 4."""

    def end(angle: float) -> Point:
        return (
            sector.apex[0] + sector.radius * math.cos(angle),
            sector.apex[1] + sector.radius * math.sin(angle),
        )

    return end(sector.facing + sector.half_angle), end(sector.facing - sector.half_angle), sector.apex


def _holds(disk: Disk, point: Point) -> bool:
    dx, dy = point[0] - disk.center[0], point[1] - disk.center[1]
    return dx * dx + dy * dy <= disk.radius * disk.radius


def _from_apex(sector: CircleSector, point: Point) -> Point:
    return point[0] - sector.apex[0], point[1] - sector.apex[1]


def _in_turned_axes(vector: Point, angle: float) -> Point:
    cosine, sine = math.cos(angle), math.sin(angle)
    return vector[0] * cosine + vector[1] * sine, vector[1] * cosine - vector[0] * sine


def _quotient(dividend: float, divisor: float) -> float:
    if divisor:
        return dividend / divisor
    return math.copysign(math.inf, dividend) * math.copysign(1.0, divisor) if dividend else math.nan


def _as_in_c(function: Callable[[float], float], value: float) -> float:
    try:
        return function(value)
    except ValueError:
        return math.nan
