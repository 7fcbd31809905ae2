"""What is told about the touches of a solid W: its sides, its first touch, and the events of the frame."""

from __future__ import annotations

from impinge.kernels.compiler import kernel
from impinge.kernels.layout import (
    EVENT_KIND,
    EVENT_MIGHTY,
    EVENT_MIGHTY_ORDER,
    EVENT_NORMAL,
    EVENT_SIDE,
    EVENT_SPEED,
    EVENT_TIME,
    EVENT_TOTAL,
    EVENT_WEAK,
    EVENT_WEAK_ORDER,
    KIND_PUSH,
    KIND_STUCK,
    LACKS_EVENTS,
    LISTENS,
    ORDER,
    SIDES,
    STUCK,
    TIME,
    Floats,
    Ints,
)
from impinge.kernels.neighbours import BITS, BODY, CARRIES, REPORTED, REPORTED_STUCK, RULE
from impinge.kernels.rows import take_rows
from impinge.kernels.touches import face_along
from impinge.kernels.verdicts import is_touch_known


@kernel(inline=False)
def write_event(
    weak: int,
    mighty: int,
    kind: int,
    time: float,
    side: int,
    speed: float,
    nx: float,
    ny: float,
    ints: Ints,
    events: Floats,
    counts: Ints,
) -> None:
    """Add an event, if there is a row for it."""
    event = take_rows(EVENT_TOTAL, 1, events.shape[0], LACKS_EVENTS, counts)
    if event < 0:
        return
    events[event, EVENT_TIME], events[event, EVENT_SPEED] = time, speed
    events[event, EVENT_WEAK], events[event, EVENT_MIGHTY] = weak, mighty
    events[event, EVENT_SIDE], events[event, EVENT_KIND] = side, kind
    events[event, EVENT_WEAK_ORDER], events[event, EVENT_MIGHTY_ORDER] = ints[weak, ORDER], ints[mighty, ORDER]
    events[event, EVENT_NORMAL], events[event, EVENT_NORMAL + 1] = nx + 0.0, ny + 0.0


@kernel(inline=False)
def report_touch(
    weak: int,
    neighbour: int,
    nx: float,
    ny: float,
    speed: float,
    stuck: bool,
    time: float,
    near: Floats,
    tags: Ints,
    floats: Floats,
    ints: Ints,
    verdicts: Floats,
    events: Floats,
    counts: Ints,
) -> None:
    """Note that a neighbour touches W by a normal, and whether W is stuck there; each side once a frame."""
    face = face_along(nx, ny)
    side = 1 << (face ^ 1)
    if counts[LISTENS] and not is_touch_known(
        tags[neighbour, BODY], tags[neighbour, RULE], tags[neighbour, CARRIES], nx, ny, time, speed, verdicts, counts
    ):
        return
    ints[weak, SIDES] |= side
    if not floats[weak, TIME] <= time:
        floats[weak, TIME] = time
    if stuck:
        ints[weak, STUCK] |= side
    seen = (REPORTED_STUCK if stuck else REPORTED) << face
    if tags[neighbour, BITS] & seen:
        return
    tags[neighbour, BITS] |= seen
    kind = KIND_STUCK if stuck else KIND_PUSH
    write_event(weak, tags[neighbour, BODY], kind, time, side, speed, nx, ny, ints, events, counts)
