"""Print a checksum of the results of random scenes, for each class. Equal ones: two checkouts agree in all bits.

`python tests/oracles/scene_bits.py --scenes 10000 --seed 77`, and the same with `--checkout FOLDER` for the library and
the scenes of another checkout, compiled there. The checksums are those of one machine: sines of another may differ.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from pathlib import Path


def main() -> None:
    """Print the number of scenes and the checksum of each class."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--scenes", type=int, default=600, help="number of scenes, the same for each class")
    parser.add_argument("--seed", type=int, default=77)
    parser.add_argument("--checkout", type=Path, default=Path(__file__).resolve().parents[2])
    arguments = parser.parse_args()
    sys.path[:0] = [str(arguments.checkout / folder) for folder in ("plugin", "tests/oracles")]
    from impinge import runtime
    from random_rooms import CLASSES  # after the choice of the checkout

    runtime.prepare()
    print(f"kernels: {runtime.KERNELS}", flush=True)
    for name in CLASSES:
        count = -(-arguments.scenes // len(CLASSES))
        digest = hashlib.sha256()
        for number in range(count):
            digest.update(scene_bits(name, arguments.seed, number))
        print(f"{name:10} {count:6} scenes  {digest.hexdigest()[:32]}", flush=True)


def scene_bits(name: str, seed: int, number: int) -> bytes:
    """Run a scene, and return a digest of its poses, goals, sides and events in all frames."""
    import numpy as np

    from impinge import Frame
    from random_rooms import CLASSES, random_generator, run

    digest = hashlib.sha256()
    random = random_generator(name, seed, number)
    scene = CLASSES[name][0](random, number)
    step = scene.world.step

    def recorded_step() -> Frame:
        frame = step()
        digest.update(frame.rows.tobytes())
        digest.update(bytes(side for body in scene.bodies for side in (body.sides, body.blocked, body.stuck)))
        return frame

    scene.world.step = recorded_step  # type: ignore[method-assign]
    record = run(scene, random)
    for values in (record.poses, record.goals, record.stuck):
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.digest()


if __name__ == "__main__":
    main()
