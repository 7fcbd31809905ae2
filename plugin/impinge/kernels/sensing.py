"""Which sensors a solid W is in, or comes into, on its way."""

from __future__ import annotations

import math

from impinge.kernels.casting import cast_solids
from impinge.kernels.compiler import kernel
from impinge.kernels.layout import KIND_SENSOR, LOWER, RESPONSE, RESPONSE_SENSOR, SENSOR_TOTAL, Floats, Ints
from impinge.kernels.legs import PLACE, SPEED, WHIRL
from impinge.kernels.meeting import time_to_meet
from impinge.kernels.neighbours import BITS, BODY, GAP, REPORTED, SPIN, STANDING_M, STANDING_W, VELOCITY, mighty_place
from impinge.kernels.reporting import write_event
from impinge.kernels.separation import bounds_gap, solid_gap
from impinge.kernels.touch_rows import FUZZ
from impinge.kernels.touches import stand_neighbour, turns_now


@kernel(inline=False)
def sense(
    weak: int,
    time: float,
    lasting: float,
    way: Floats,
    near: Floats,
    tags: Ints,
    floats: Floats,
    ints: Ints,
    solids: Floats,
    rows: Floats,
    turned: Floats,
    motions: Floats,
    circles: Floats,
    pairs: Ints,
    course: Floats,
    axis: Floats,
    answers: Floats,
    events: Floats,
    counts: Ints,
) -> None:
    """Report the sensors that W is in, or comes into, while it goes straight on for a time."""
    for sensor in range(near.shape[0] - counts[SENSOR_TOTAL], near.shape[0]):
        if tags[sensor, BITS] & REPORTED:
            continue
        body = tags[sensor, BODY]
        stand_neighbour(sensor, time, near, tags, ints, solids)
        a, b = tags[sensor, STANDING_M], tags[sensor, STANDING_W]
        dx, dy = way[PLACE] - mighty_place(near, sensor, 0, time), way[PLACE + 1] - mighty_place(near, sensor, 1, time)
        met, nx, ny = math.inf, 0.0, 0.0
        slop, noise = near[sensor, GAP], near[sensor, FUZZ]
        if bounds_gap(solids, a + LOWER, solids, b + LOWER, dx, dy) <= slop:
            gap, nx, ny, _, _ = solid_gap(solids, a, solids, b, dx, dy, noise)
            if gap < -slop:
                met = 0.0
        if met != 0.0 and lasting > 0.0:
            if turns_now(body, near[sensor, SPIN], ints) or turns_now(weak, way[WHIRL], ints):
                met = time_to_meet(
                    sensor, weak, time, lasting, way, near, tags, ints, solids, rows, turned, motions, circles,
                    pairs, course, axis, answers,
                )  # fmt: skip
            else:
                vx, vy = way[SPEED] - near[sensor, VELOCITY], way[SPEED + 1] - near[sensor, VELOCITY + 1]
                speed = math.sqrt(vx * vx + vy * vy)
                if speed * lasting > slop + noise:
                    length, nx, ny, _, _ = cast_solids(
                        solids, a, solids, b, dx, dy, vx / speed, vy / speed, speed * lasting, slop, noise, pairs
                    )
                    met = length / speed
        if met <= lasting:
            tags[sensor, BITS] |= REPORTED
            # Who looks may be the sensor itself: then it is the other one that visits it.
            visitor, host = weak, body
            if ints[weak, RESPONSE] == RESPONSE_SENSOR:
                visitor, host, nx, ny = body, weak, -nx, -ny
            write_event(visitor, host, KIND_SENSOR, time + met, 0, 0.0, nx, ny, ints, events, counts)
