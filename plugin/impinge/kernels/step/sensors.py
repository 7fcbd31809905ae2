"""Sensors that a solid W overlaps, or enters, on its path."""

from __future__ import annotations

import math

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bodies, Candidates, Floats, FrameRows, Part, Report, Scratch, Vector
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.cast import cast_solids
from impinge.kernels.pair.separation import bounds_gap, solid_gap
from impinge.kernels.step.candidates import relative_place, relative_velocity
from impinge.kernels.step.contacts import pose_candidate, real_spins
from impinge.kernels.step.events import write_event
from impinge.kernels.step.next_contact import time_to_turning_contact


@kernel(inline=False)
def time_to_sensor(
    sensor: int,
    weak: int,
    lasting: float,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    scratch: Scratch,
) -> tuple[float, Vector]:
    """Return the time until W overlaps a sensor, infinity if that is not within `lasting`, and the normal if known."""
    solids, near, tags = bodies.solids, candidates.near, candidates.tags
    a, b = tags[sensor, col.TAG_STANDING_M], tags[sensor, col.TAG_STANDING_W]
    offset, normal = relative_place(near, sensor, way), (0.0, 0.0)
    slop, noise = near[sensor, col.NEAR_GAP], near[sensor, col.NEAR_FUZZ]
    if bounds_gap(solids, a + col.LOWER, solids, b + col.LOWER, offset) <= slop:
        gap, nx, ny, _, _ = solid_gap(solids, a, solids, b, offset, noise)
        normal = nx, ny
        if gap < -slop:
            return 0.0, normal
    if lasting <= 0.0:
        return math.inf, normal
    spin_m, spin_w = real_spins(sensor, weak, way, candidates, bodies.ints)
    if spin_m != 0.0 or spin_w != 0.0:
        return time_to_turning_contact(sensor, lasting, way, candidates, bodies, scratch), normal
    vx, vy = relative_velocity(near, sensor, way)
    speed = math.sqrt(vx * vx + vy * vy)
    if speed * lasting <= slop + noise:
        return math.inf, normal
    direction, one, other = (vx / speed, vy / speed), Part(solids, a), Part(solids, b)
    length, nx, ny, _, _ = cast_solids(one, other, offset, direction, speed * lasting, slop, noise, scratch.pairs)
    return length / speed, (nx, ny)


@kernel(inline=False)
def report_sensors(
    weak: int,
    lasting: float,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    scratch: Scratch,
    frame: FrameRows,
) -> None:
    """Report the sensors that W overlaps, or enters, while it moves straight for a time."""
    ints, near, tags, time = bodies.ints, candidates.near, candidates.tags, way[col.WAY_TIME]
    for sensor in range(near.shape[0] - frame.counts[col.SENSOR_TOTAL], near.shape[0]):
        if tags[sensor, col.TAG_BITS] & col.BIT_REPORTED:
            continue
        pose_candidate(sensor, time, candidates, bodies)
        met, (nx, ny) = time_to_sensor(sensor, weak, lasting, way, candidates, bodies, scratch)
        if met <= lasting:
            tags[sensor, col.TAG_BITS] |= col.BIT_REPORTED
            # If W itself is the sensor, the other body is the visitor.
            visitor, host = weak, tags[sensor, col.TAG_BODY]
            if ints[weak, col.RESPONSE] == col.RESPONSE_SENSOR:
                visitor, host, nx, ny = host, weak, -nx, -ny
            write_event(visitor, host, col.KIND_SENSOR, 0, Report(time + met, (nx, ny), 0.0), ints, frame)
