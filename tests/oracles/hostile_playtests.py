"""Mutated replays and checkpoints of `impinge_playtest`: each is played, or refused with one kind of error.

For long runs this module is a program: `python tests/oracles/hostile_playtests.py --help`.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

import impinge as im
from hostile_snapshots import ODD_FLOATS, ODD_INTEGERS, ODD_WIDE, mutated
from impinge_playtest import explore, load_replay, play
from impinge_playtest.replay import save_replay
from planted_rooms import JUMPER, Room, busy_level

Rng: TypeAlias = np.random.Generator

ODD_JSON: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1e308,
    1 << 31,
    1 << 70,
    "",
    "right",
    "1e999",
    "nan",
    [],
    [[]],
    {},
    [1, 2],
)
# A replay may be longer: it is played for these frames only.
PLAYED = 5


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return the containers in decoded JSON, each with each key."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [place for key in list(keys) for place in ((value, key), *places(value[key]))]


def mutated_text(random: Rng, text: str) -> str:
    """Return JSON with one to three changes, or another text."""
    if random.integers(8) == 0:
        at, kind = int(random.integers(len(text))), int(random.integers(3))
        return (text[:at], text[:at] + "[" * 100_000, text[:at] + "\x00" + text[at + 1 :])[kind]
    kept = json.loads(text)
    for _ in range(int(random.integers(1, 4))):
        found = places(kept)
        if not found:
            break
        container, key = found[int(random.integers(len(found)))]
        if key == "world" and random.integers(2):
            snapshot = mutated(random, zlib.decompress(base64.b64decode(container[key])))
            container[key] = base64.b64encode(zlib.compress(snapshot)).decode()
        elif random.integers(4) == 0:
            del container[key]
        elif isinstance(container[key], list) and container[key] and random.integers(4) == 0:
            container[key] = container[key] * int(random.integers(2, 5))
        else:
            container[key] = ODD_JSON[int(random.integers(len(ODD_JSON)))]
    return json.dumps(kept)


def mutated_arrays(random: Rng, data: bytes) -> bytes:
    """Return a checkpoint with one to three changed arrays, or damaged bytes."""
    if random.integers(4) == 0:
        damaged = bytearray(data)
        damaged[int(random.integers(len(damaged)))] ^= 1 << int(random.integers(8))
        return bytes(damaged[: int(random.integers(len(damaged)))] if random.integers(3) == 0 else damaged)
    with np.load(io.BytesIO(data)) as file:
        arrays = dict(file)
    for _ in range(int(random.integers(1, 4))):
        name = str(random.choice(sorted(arrays)))
        array = arrays[name]
        kind = int(random.integers(6))
        if kind == 0:
            arrays[name] = array[: int(random.integers(len(array) + 1))]
        elif kind == 1:
            arrays[name] = np.concatenate((array, array[:3]))
        elif kind == 2:
            arrays[name] = array.astype(str(random.choice(["f4", "i4", "u1", "f8"])))
        elif array.size:
            odd: Any = ODD_FLOATS if array.dtype.kind == "f" else (*ODD_INTEGERS, *ODD_WIDE)
            value = odd[int(random.integers(len(odd)))]
            array.reshape(-1)[int(random.integers(array.size))] = np.array([value]).astype(array.dtype)[0]
    made = io.BytesIO()
    np.savez(made, **arrays)
    return made.getvalue()


def replay_outcome(folder: Path, random: Rng, texts: tuple[str, str]) -> str:
    """Load and play a mutated replay, or one of a mutated level; return "played" or "refused"."""
    replay, level = texts
    if random.integers(2):
        replay = mutated_text(random, replay)
    else:
        level = mutated_text(random, level)
    (folder / "replays").mkdir(exist_ok=True)
    path = folder / "replays" / "one.json"
    path.write_text(replay, encoding="utf-8")
    (folder / "level.json").write_text(level, encoding="utf-8")
    try:
        found, moves, inputs, _ = load_replay(path)
    except (im.SnapshotError, OSError):  # another level may be named
        return "refused"
    play(found, moves, inputs[:PLAYED])
    return "played"


def checkpoint_outcome(folder: Path, random: Rng, data: bytes) -> str:
    """Go on from a mutated checkpoint; return "explored" or "refused"."""
    path = folder / "one.npz"
    path.write_bytes(mutated_arrays(random, data))
    try:
        explore(Room().level(), JUMPER, frames=11_000, checkpoint=path, resume=True)
    except im.SnapshotError:
        return "refused"
    except ValueError as error:
        if "as in the checkpoint" not in str(error):  # of another subject, which the message names
            raise
        return "refused"
    return "explored"


def sources(folder: Path) -> tuple[tuple[str, str], bytes]:
    """Return the texts of a replay and its level, and a checkpoint."""
    level, path = busy_level(), folder / "replay.json"
    save_replay(path, JUMPER, [2] * 20 + [0] * 9, "a fall")
    saved = folder / "saved.npz"
    explore(Room().level(), JUMPER, frames=10_000, checkpoint=saved)
    return (path.read_text(encoding="utf-8"), level.dumps()), saved.read_bytes()


def run(cases: int, seed: int, seconds: float, of: str, show: Callable[..., None] = print) -> int:
    """Try mutated files "replays" or "checkpoints"; return the number of failures."""
    random, outcomes, failures = np.random.default_rng(seed), Counter[str](), 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts, data = sources(folder)
        outcome = (
            partial(checkpoint_outcome, data=data) if of == "checkpoints" else partial(replay_outcome, texts=texts)
        )
        for case in range(cases):
            begun = time.perf_counter()
            try:
                outcomes[outcome(folder, random)] += 1
            except Exception as error:
                failures += 1
                show(f"case {case}: {type(error).__name__}: {str(error)[:200]}")
            if time.perf_counter() - begun > seconds:
                failures += 1
                show(f"case {case}: took {time.perf_counter() - begun:.1f} s")
    show(f"{cases} {of}: {dict(outcomes)}, {failures} failures")
    return failures


def main() -> int:
    """Run the program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("of", choices=["replays", "checkpoints"])
    parser.add_argument("--cases", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=10.0, help="most that one file may take")
    chosen = parser.parse_args()
    return 1 if run(chosen.cases, chosen.seed, chosen.seconds, chosen.of) else 0


if __name__ == "__main__":
    sys.exit(main())
