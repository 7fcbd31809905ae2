"""What a world holds, read from its snapshot: equal for worlds whose next steps are equal."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from impinge import World
from impinge.world.snapshot import BODY, COUNTS, SNAPSHOT_HEADER, Counts


def contents(world: World) -> dict[str, Any]:
    """Return all that a snapshot contains, except the names of bodies, which are random, and where shapes lie."""
    saved = world.snapshot()
    counts = Counts._make(COUNTS.unpack_from(saved, SNAPSHOT_HEADER.size))
    at = SNAPSHOT_HEADER.size + COUNTS.size
    rows = {}
    for name in ("free", "leaves", "order"):
        rows[name] = np.frombuffer(saved, "<i4", getattr(counts, name), at).tolist()
        at += 4 * getattr(counts, name)
    bodies = np.frombuffer(saved, BODY, counts.bodies, at)
    at += bodies.nbytes
    pairs = saved[at : len(saved) - counts.shape_bytes]
    shapes, at = [], len(saved) - counts.shape_bytes
    while at < len(saved):
        (length,) = struct.unpack_from("<I", saved, at)
        shapes.append(saved[at + 4 : at + 4 + length])
        at += 4 + length
    columns = {name: bodies[name].tobytes() for name in BODY.names or () if name not in ("name", "shape")}
    return (
        counts._asdict() | rows | columns | {"pairs": pairs, "shapes": [shapes[number] for number in bodies["shape"]]}
    )
