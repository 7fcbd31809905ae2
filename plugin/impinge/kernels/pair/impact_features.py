"""Impact features: the points, the normal, and the vertices or edges that touch at the moment of an impact.

The time of the impact is not found here. Both solids are posed for that moment, and A is at the origin.
"""

from __future__ import annotations

import math

from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats, Part, Vector
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.separation import PARALLEL, both_radii, facing_points

# In margins: bound of the distance and the depth of two pieces that strike, and of the error of their contact points.
IMPACT_MARGINS = 4.0


@kernel(inline=False)
def feature_at(
    row: Floats, piece: int, normal: Vector, point: Vector, is_stretch: bool, margin: float
) -> tuple[float, int, float]:
    """Return the feature of a core at a point of its border: its kind, its column, and a distance for an edge.

    `normal` is the outward normal at the point. The feature is a vertex rather than an edge. But if the point is the
    middle of a stretch along which edges touch, it is the edge that faces the normal best. The distance is that of the
    point from the start of the edge.
    """
    (nx, ny), (x, y) = normal, point
    first, total = int(row[piece + col.FIRST_POINT]), int(row[piece + col.POINT_TOTAL])
    nearest, vertex, edge, way = math.inf, first, -1, 0.0  # squared distance, as roots are slow
    best = -math.inf
    for at in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
        ex, ey = x - row[at + col.POINT], y - row[at + col.POINT + 1]
        apart = ex * ex + ey * ey
        if apart < nearest:
            nearest, vertex = apart, at
        mx, my = row[at + col.NORMAL], row[at + col.NORMAL + 1]
        along = ey * mx - ex * my
        cosine = mx * nx + my * ny
        is_facing = cosine > 0.0 and (is_stretch or abs(mx * ny - my * nx) <= PARALLEL)
        if is_facing and -margin <= along <= row[at + col.LENGTH] + margin and cosine > best:
            edge, way, best = at, along, cosine
    if edge >= 0 and (is_stretch or nearest > margin * margin):
        return col.FEATURE_EDGE, edge, way
    return col.FEATURE_VERTEX, vertex, 0.0


@kernel()
def is_between(x: float, y: float, low_x: float, low_y: float, high_x: float, high_y: float) -> bool:
    """Return whether a direction is in the cone counter-clockwise from one normal to another, at most half a turn."""
    return low_x * y - low_y * x >= -PARALLEL and x * high_y - y * high_x >= -PARALLEL


@kernel(inline=False)
def corner_normal(
    a: Floats, piece_a: int, corner_a: int, b: Floats, piece_b: int, corner_b: int, direction: Vector
) -> Vector:
    """Return the common normal of both corners that is most opposite to the direction in which B moves; else (0, 0)."""
    ux, uy = direction
    first_a, total_a = int(a[piece_a + col.FIRST_POINT]), int(a[piece_a + col.POINT_TOTAL])
    first_b, total_b = int(b[piece_b + col.FIRST_POINT]), int(b[piece_b + col.POINT_TOTAL])
    before_a = corner_a - col.POINT_COLUMNS if corner_a > first_a else first_a + col.POINT_COLUMNS * (total_a - 1)
    before_b = corner_b - col.POINT_COLUMNS if corner_b > first_b else first_b + col.POINT_COLUMNS * (total_b - 1)
    low_ax, low_ay = a[before_a + col.NORMAL], a[before_a + col.NORMAL + 1]
    high_ax, high_ay = a[corner_a + col.NORMAL], a[corner_a + col.NORMAL + 1]
    low_bx, low_by = -b[before_b + col.NORMAL], -b[before_b + col.NORMAL + 1]
    high_bx, high_by = -b[corner_b + col.NORMAL], -b[corner_b + col.NORMAL + 1]
    best, nx, ny = -math.inf, 0.0, 0.0
    for turn in range(5):
        x, y = -ux, -uy
        if turn == 1:
            x, y = low_ax, low_ay
        elif turn == 2:
            x, y = high_ax, high_ay
        elif turn == 3:
            x, y = low_bx, low_by
        elif turn == 4:
            x, y = high_bx, high_by
        is_common = is_between(x, y, low_ax, low_ay, high_ax, high_ay)
        is_common = is_common and is_between(x, y, low_bx, low_by, high_bx, high_by)
        against = -(x * ux + y * uy)
        if is_common and (x != 0.0 or y != 0.0) and against > best:
            best, nx, ny = against, x, y
    return nx, ny


@kernel()
def offset_at(course: Floats, time: float) -> Vector:
    """Return the offset of B from A at a time."""
    pull_x, pull_y = course[col.COURSE_ACCELERATION], course[col.COURSE_ACCELERATION + 1]
    return (
        course[col.COURSE_OFFSET] + time * (course[col.COURSE_VELOCITY] + 0.5 * time * pull_x),
        course[col.COURSE_OFFSET + 1] + time * (course[col.COURSE_VELOCITY + 1] + 0.5 * time * pull_y),
    )


@kernel()
def direction_at(course: Floats, time: float, point: Vector) -> Vector:
    """Return the direction in which a point of B, given relative to A's place, moves relative to A at a time."""
    (x, y), (dx, dy) = point, offset_at(course, time)
    vx = course[col.COURSE_VELOCITY] + time * course[col.COURSE_ACCELERATION]
    vy = course[col.COURSE_VELOCITY + 1] + time * course[col.COURSE_ACCELERATION + 1]
    ux = vx - course[col.COURSE_SPIN_B] * (y - dy) + course[col.COURSE_SPIN_A] * y
    uy = vy + course[col.COURSE_SPIN_B] * (x - dx) - course[col.COURSE_SPIN_A] * x
    speed = math.hypot(ux, uy)
    return ux / speed, uy / speed


@kernel(inline=False)
def write_impact_features(
    a: Part, b: Part, piece_a: int, piece_b: int, normal: Vector, course: Floats, answers: Floats, answer: int
) -> None:
    """Write the impact of two pieces that have next to no gap along a normal: its points, normal and features.

    The answer has its time already. Points are relative to A's place.
    """
    (rows_a, solid_a), (rows_b, solid_b), (nx, ny) = a, b, normal
    time, margin = answers[answer, col.IMPACT_TIME], course[col.COURSE_MARGIN]
    dx, dy = offset_at(course, time)
    radius_a = rows_a[piece_a + col.RADIUS]
    radius_b = both_radii(rows_a, piece_a, rows_b, piece_b) - radius_a
    x, y, near, far_x, far_y, far = facing_points(rows_a, piece_a, rows_b, piece_b, (dx, dy), normal, margin)
    long_x, long_y = far_x - x, far_y - y
    spare = IMPACT_MARGINS * margin
    is_stretch = far - near <= margin and long_x * long_x + long_y * long_y > spare * spare
    # Move the points from B's surface to half way between both surfaces.
    x, y = x - 0.5 * near * nx, y - 0.5 * near * ny
    far_x, far_y = far_x - 0.5 * far * nx, far_y - 0.5 * far * ny
    if not is_stretch:
        far_x, far_y = x, y
    middle_x, middle_y = 0.5 * (x + far_x), 0.5 * (y + far_y)
    on_a = middle_x - radius_a * nx, middle_y - radius_a * ny
    on_b = middle_x + radius_b * nx - dx, middle_y + radius_b * ny - dy
    kind_a, point_a, along_a = feature_at(rows_a, piece_a, normal, on_a, is_stretch, spare)
    kind_b, point_b, along_b = feature_at(rows_b, piece_b, (-nx, -ny), on_b, is_stretch, spare)
    if kind_a == col.FEATURE_VERTEX and kind_b == col.FEATURE_VERTEX and radius_a + radius_b == 0.0:
        direction = direction_at(course, time, (middle_x, middle_y))
        corner_x, corner_y = corner_normal(rows_a, piece_a, point_a, rows_b, piece_b, point_b, direction)
        if corner_x != 0.0 or corner_y != 0.0:
            nx, ny = corner_x, corner_y
    # Adding zero turns a negative zero, which looks odd in a normal, into zero.
    answers[answer, col.IMPACT_NORMAL], answers[answer, col.IMPACT_NORMAL + 1] = nx + 0.0, ny + 0.0
    answers[answer, col.IMPACT_POINT_COUNT] = 2.0 if is_stretch else 1.0
    answers[answer, col.IMPACT_POINTS], answers[answer, col.IMPACT_POINTS + 1] = x, y
    answers[answer, col.IMPACT_POINTS + 2], answers[answer, col.IMPACT_POINTS + 3] = far_x, far_y
    first_a = int(rows_a[solid_a + col.PIECES + col.FIRST_POINT])
    first_b = int(rows_b[solid_b + col.PIECES + col.FIRST_POINT])
    feature_a, feature_b = col.IMPACT_FEATURES, col.IMPACT_FEATURES + col.FEATURE_COLUMNS
    answers[answer, feature_a], answers[answer, feature_a + 1] = kind_a, (point_a - first_a) // col.POINT_COLUMNS
    answers[answer, feature_b], answers[answer, feature_b + 1] = kind_b, (point_b - first_b) // col.POINT_COLUMNS
    answers[answer, feature_a + 2], answers[answer, feature_b + 2] = along_a, along_b
    answers[answer, col.IMPACT_OVERLAPPING] = 0.0
