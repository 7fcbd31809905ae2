"""Mutated snapshots with valid checksums, as from an attacker: each is a world that steps, or is refused in time.

For long runs this module is a program: `python tests/oracles/hostile_snapshots.py --help`. It works in a limited
address space where the system has such limits, so that a snapshot that takes much memory is a failure, too.
"""

from __future__ import annotations

import argparse
import struct
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable

import numpy as np

import impinge as im
from impinge import Pose
from impinge.world.snapshot import COUNTS, SNAPSHOT_HEADER
from shapely_solids import KINDS, random_solid

# Numbers that break assumptions: ends of ranges, powers of two, no numbers.
ODD_INTEGERS = (0, 1, 2, 3, 255, 1 << 15, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1)
ODD_WIDE = (0, 1, -1, 1 << 32, 1 << 52, 1 << 53, (1 << 63) - 1, -(1 << 63))
ODD_FLOATS = (0.0, -0.0, 1e-300, 1e-100, 1e-9, 1.0, 1e9, 1e12, 1e99, 1e300, float("inf"), float("-inf"), float("nan"))

Rng = np.random.Generator


def saved_world(random: Rng) -> bytes:
    """Return the snapshot of a small world in the middle of a game."""
    world = im.World(entry_points=False)
    bodies = []
    for _ in range(int(random.integers(1, 12))):
        solid = random_solid(random, str(random.choice(list(KINDS))), 5.0)
        pose = Pose(*random.uniform(-15, 15, 2), random.uniform(-4, 4))
        bodies.append(world.add(solid, pose, might=int(random.integers(3)), snap=float(random.integers(2))))
    for body in bodies:
        body.goal = Pose(*random.uniform(-15, 15, 2), body.angle)
    world.step()
    if len(bodies) > 2:
        world.remove(bodies[1])
    return world.snapshot()


def sealed(data: bytes) -> bytes:
    """Return changed bytes with the length and the checksum that they need."""
    magic, version, _, _ = SNAPSHOT_HEADER.unpack_from(data)
    content = data[SNAPSHOT_HEADER.size :]
    crc = zlib.crc32(content, zlib.crc32(SNAPSHOT_HEADER.pack(magic, version, 0, len(data))))
    return SNAPSHOT_HEADER.pack(magic, version, crc, len(data)) + content


def mutated(random: Rng, data: bytes) -> bytes:
    """Return a snapshot with one to four changes."""
    changed, first = bytearray(data), SNAPSHOT_HEADER.size
    for _ in range(int(random.integers(1, 5))):
        # Half of the changes go to the counts, which decide how the rest is read.
        end = min(first + COUNTS.size, len(changed)) if random.integers(2) else len(changed)
        at = int(random.integers(first, max(end, first + 1)))
        form, values = (("<B", range(256)), ("<I", ODD_INTEGERS), ("<q", ODD_WIDE), ("<d", ODD_FLOATS))[
            int(random.integers(4))
        ]
        at -= (at - first) % struct.calcsize(form) if random.integers(2) else 0
        kind = random.integers(8)
        if kind == 0:
            del changed[at : at + int(random.integers(1, 64))]
        elif kind == 1:
            changed[at:at] = changed[first : first + int(random.integers(1, 64))]
        elif at + struct.calcsize(form) <= len(changed):
            struct.pack_into(form, changed, at, values[int(random.integers(len(values)))])
    return sealed(bytes(changed))


def outcome(data: bytes) -> str:
    """Read a snapshot, and step the world twice; return "world" or "refused"."""
    world = im.World(entry_points=False)
    try:
        world.restore(data)
    except im.SnapshotError:
        assert len(world) == 0
        return "refused"
    for _ in range(2):
        world.step()
        world.remove(world.add(im.Box(1, 1), Pose(0, 0)))
    im.World(entry_points=False).restore(world.snapshot(), limits=im.SnapshotLimits(coordinate=1e100))
    return "world"


def run(cases: int, seed: int, seconds: float, show: Callable[..., None] = print) -> int:
    """Try mutated snapshots; return the number of failures."""
    random, outcomes, failures, slowest = np.random.default_rng(seed), Counter[str](), 0, 0.0
    data = b""
    for case in range(cases):
        if case % 200 == 0:
            data = saved_world(random)
        tried, begun = mutated(random, data), time.perf_counter()
        try:
            outcomes[outcome(tried)] += 1
        except Exception as error:
            failures += 1
            show(f"case {case}: {type(error).__name__}: {error}")
        taken = time.perf_counter() - begun
        slowest = max(slowest, taken)
        if taken > seconds:
            failures += 1
            show(f"case {case}: took {taken:.1f} s")
    show(f"{cases} snapshots: {dict(outcomes)}, {failures} failures, the slowest took {1e3 * slowest:.0f} ms")
    return failures


def main() -> int:
    """Run the program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=2.0, help="most that one snapshot may take")
    parser.add_argument("--gigabytes", type=float, default=4.0, help="address space of the process")
    chosen = parser.parse_args()
    if sys.platform != "win32":
        import resource

        limit = int(chosen.gigabytes * 2**30)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    return 1 if run(chosen.cases, chosen.seed, chosen.seconds) else 0


if __name__ == "__main__":
    sys.exit(main())
