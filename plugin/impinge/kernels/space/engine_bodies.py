"""The bodies of another engine before and after its step: its C functions are called for each of them.

The engine is Chipmunk, or one with the same functions.
"""

from __future__ import annotations

import math

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels import examples
from impinge.kernels.arrays import Bools, Courses, Engine, Floats, Ints, Sending
from impinge.kernels.compiler import kernel
from impinge.kernels.foreign import double_of, set_double, set_vector, tell, vector_of, vector_to


@kernel(inline=False)
def take_parting(engine: Engine, body: int, dt: float, numbers: Floats) -> None:
    """Take from the engine by what it would push a body out of overlaps in its next step, and write that way.

    Chipmunk adds these pseudo-velocities to the next motion only, and has no function that returns them. So they are
    measured: a body without other velocities moves by them.
    """
    functions, subject = engine.functions, engine.bodies[body]
    center, place = vector_of(functions[col.GET_CENTRE], subject), vector_of(functions[col.GET_PLACE], subject)
    velocity, spin = vector_of(functions[col.GET_VELOCITY], subject), double_of(functions[col.GET_SPIN], subject)
    angle = double_of(functions[col.GET_ANGLE], subject)
    before = vector_to(functions[col.TO_WORLD], subject, center)
    set_vector(functions[col.SET_VELOCITY], subject, (0.0, 0.0))
    if spin != 0.0:
        set_double(functions[col.SET_SPIN], subject, 0.0)
    set_double(functions[col.MOVE], subject, 1.0)
    after, turned = vector_to(functions[col.TO_WORLD], subject, center), double_of(functions[col.GET_ANGLE], subject)
    set_vector(functions[col.SET_VELOCITY], subject, velocity)
    if spin != 0.0:
        set_double(functions[col.SET_SPIN], subject, spin)
    across, up, turn = after[0] - before[0], after[1] - before[1], turned - angle
    if across != 0.0 or up != 0.0 or turn != 0.0:
        if turn != 0.0:
            set_double(functions[col.SET_ANGLE], subject, angle)
        set_vector(functions[col.SET_PLACE], subject, place)
    numbers[body, col.COURSE_PARTING] = across * dt
    numbers[body, col.COURSE_PARTING + 1] = up * dt
    numbers[body, col.COURSE_PARTING + 2] = turn * dt


@kernel(inline=False)
def put_body(engine: Engine, body: int, place: tuple[float, float, float], known: Floats) -> None:
    """Put a body where its centre of gravity is at a place, with an angle."""
    (x, y, angle), across, up = place, known[body, col.BODY_CENTRE], known[body, col.BODY_CENTRE + 1]
    if across != 0.0 or up != 0.0:
        cos, sin = math.cos(angle), math.sin(angle)
        x, y = x - cos * across + sin * up, y - sin * across - cos * up
    functions, subject = engine.functions, engine.bodies[body]
    # To set an angle takes longer than to read it.
    if double_of(functions[col.GET_ANGLE], subject) != angle:
        set_double(functions[col.SET_ANGLE], subject, angle)
    set_vector(functions[col.SET_PLACE], subject, (x, y))


def _send_example() -> tuple[Courses, Engine, Sending, Floats, Floats, float, tuple[float, float], Bools]:
    none, flags, velocities = np.zeros(1, np.int64), np.zeros(1, np.bool_), examples.floats(3)
    sending = Sending(none, velocities, flags)
    return examples.courses(), Engine(none, 0, none), sending, velocities, np.zeros(1), 0.0, (0.0, 0.0), flags


@kernel(_send_example)
def send_bodies(
    courses: Courses,
    engine: Engine,
    sending: Sending,
    known: Floats,
    times: Floats,
    dt: float,
    gravity: tuple[float, float],
    falling: Bools,
) -> None:
    """Place bodies so that the step brings them to the ends of their motions, at their velocities.

    A fast body that is stopped, or moves for longer than the step, gets its velocity at the end of its motion, with the
    gravity until then, and of the step it gets none. Chipmunk reflects the velocity of a body before gravity, and its
    solver takes back the gravity of the whole step along the normal. So a rod that bounces in a room would gain or lose
    energy with each hit.

    Parameters
    ----------
    courses, engine
        The bodies.
    sending
        Those that are placed, and their velocities.
    known : (b, 3)
        The centres of gravity in their own frames, and the masses.
    times : (b,)
        The durations of their motions.
    dt, gravity
        The duration of the step, and the gravity on all bodies.
    falling : (b,)
        Written: on which bodies it acts only as long as they move.
    """
    falling[:], functions, (pull_x, pull_y) = False, engine.functions, gravity
    for row in range(sending.places.shape[0]):
        body, x, y = sending.places[row], sending.velocities[row, 0], sending.velocities[row, 1]
        stopped, subject = courses.numbers[body, col.COURSE_STOPPED], engine.bodies[body]
        is_swept = courses.flags[body, col.COURSE_IS_SWEPT] == 1
        if sending.may_fall[row] and is_swept and (stopped < 1.0 or times[body] > dt):
            falling[body], time, mass = True, times[body] * stopped, known[body, col.BODY_MASS]
            force_x, force_y = vector_of(functions[col.GET_FORCE], subject)
            set_vector(functions[col.SET_FORCE], subject, (force_x - mass * pull_x, force_y - mass * pull_y))
            x, y = x + pull_x * time, y + pull_y * time
            set_vector(functions[col.SET_VELOCITY], subject, (x, y))
        begin = (
            courses.rests[body, col.MOTION_END] - x * dt,
            courses.rests[body, col.MOTION_END + 1] - y * dt,
            courses.rests[body, col.MOTION_END_ANGLE] - sending.velocities[row, 2] * dt,
        )
        put_body(engine, body, begin, known)


def _finish_example() -> tuple[Engine, Ints, Floats, Floats, Floats, Floats, Floats, Bools]:
    _, engine, _, known, times, _, _, falling = _send_example()
    rests, after, falls = examples.floats(col.REST_COLUMNS), examples.floats(col.FIGURE_COLUMNS), examples.floats(2)
    return engine, engine.bodies, rests, times, known, after, falls, falling


@kernel(_finish_example)
def finish_bodies(
    engine: Engine,
    places: Ints,
    rests: Floats,
    fractions: Floats,
    known: Floats,
    after: Floats,
    falls: Floats,
    falling: Bools,
) -> None:
    """Place bodies after the step where the rests of their motions end, with their velocities there.

    Parameters
    ----------
    engine
        The bodies.
    places, rests, fractions : (k,), (k, REST_COLUMNS), (k,)
        Those that go on, the rests of their motions, and how much of it each makes.
    known, after
        As in `send_bodies` and `write_falls`.
    falls, falling
        The results of both. Without a body that falls, the former are not read.
    """
    functions = engine.functions
    for row in range(places.shape[0]):
        body, fraction = places[row], fractions[row]
        x, y, angle = rests[row, 3], rests[row, 4], rests[row, 5]
        if fraction < 1.0:
            x = rests[row, 0] + (x - rests[row, 0]) * fraction
            y = rests[row, 1] + (y - rests[row, 1]) * fraction
            angle = rests[row, 2] + (angle - rests[row, 2]) * fraction
        put_body(engine, body, (x, y, angle), known)
        if falling[body] and (falls[body, 0] != 0.0 or falls[body, 1] != 0.0):
            time = rests[row, col.REST_TIME] * fraction
            velocity = (
                after[body, col.FIGURE_VELOCITY] + falls[body, 0] * time,
                after[body, col.FIGURE_VELOCITY + 1] + falls[body, 1] * time,
            )
            set_vector(functions[col.SET_VELOCITY], engine.bodies[body], velocity)
        tell(functions[col.REINDEX], engine.space, engine.bodies[body])
