"""Sensors that a solid W overlaps, or enters, on its path."""

from __future__ import annotations

import math

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bodies, Candidates, Floats, FrameRows, Part, Scratch
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.cast import cast_solids
from impinge.kernels.pair.separation import bounds_gap, solid_gap
from impinge.kernels.step.candidates import mighty_place
from impinge.kernels.step.contacts import has_real_rotation, pose_candidate
from impinge.kernels.step.events import write_event
from impinge.kernels.step.next_contact import time_to_turning_contact


@kernel(inline=False)
def report_sensors(
    weak: int,
    time: float,
    lasting: float,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    scratch: Scratch,
    frame: FrameRows,
) -> None:
    """Report the sensors that W overlaps, or enters, while it moves straight for a time."""
    ints, solids, near, tags = bodies.ints, bodies.solids, candidates.near, candidates.tags
    for sensor in range(near.shape[0] - frame.counts[col.SENSOR_TOTAL], near.shape[0]):
        if tags[sensor, col.TAG_BITS] & col.BIT_REPORTED:
            continue
        body = tags[sensor, col.TAG_BODY]
        pose_candidate(sensor, time, candidates, bodies)
        a, b = tags[sensor, col.TAG_STANDING_M], tags[sensor, col.TAG_STANDING_W]
        dx, dy = (
            way[col.WAY_PLACE] - mighty_place(near, sensor, 0, time),
            way[col.WAY_PLACE + 1] - mighty_place(near, sensor, 1, time),
        )
        met, nx, ny = math.inf, 0.0, 0.0
        slop, noise = near[sensor, col.NEAR_GAP], near[sensor, col.NEAR_FUZZ]
        if bounds_gap(solids, a + col.LOWER, solids, b + col.LOWER, (dx, dy)) <= slop:
            gap, nx, ny, _, _ = solid_gap(solids, a, solids, b, (dx, dy), noise)
            if gap < -slop:
                met = 0.0
        if met != 0.0 and lasting > 0.0:
            if has_real_rotation(body, near[sensor, col.NEAR_SPIN], ints) or has_real_rotation(
                weak, way[col.WAY_WHIRL], ints
            ):
                met = time_to_turning_contact(sensor, time, lasting, way, candidates, bodies, scratch)
            else:
                vx, vy = (
                    way[col.WAY_SPEED] - near[sensor, col.NEAR_VELOCITY],
                    way[col.WAY_SPEED + 1] - near[sensor, col.NEAR_VELOCITY + 1],
                )
                speed = math.sqrt(vx * vx + vy * vy)
                if speed * lasting > slop + noise:
                    length, nx, ny, _, _ = cast_solids(
                        Part(solids, a),
                        Part(solids, b),
                        (dx, dy),
                        (vx / speed, vy / speed),
                        speed * lasting,
                        slop,
                        noise,
                        scratch.pairs,
                    )
                    met = length / speed
        if met <= lasting:
            tags[sensor, col.TAG_BITS] |= col.BIT_REPORTED
            # If W itself is the sensor, the other body is the visitor.
            visitor, host = weak, body
            if ints[weak, col.RESPONSE] == col.RESPONSE_SENSOR:
                visitor, host, nx, ny = body, weak, -nx, -ny
            write_event(visitor, host, col.KIND_SENSOR, time + met, 0, 0.0, nx, ny, ints, frame)
