"""Play Arcade's examples headless on Arcade's engines and checks and on Impinge's, with the same keys, and compare.

Each example that uses an engine or a check runs unmodified, twice, each time in its own process. All sprites of all its
lists are recorded in each frame:

equal
    All positions are the same bits in all frames, and all lists have the same lengths.
near
    All lists have the same lengths, and no sprite is further than a pixel from its place in the other game.
different
    Anything else: the frame and the sprite at which it begins are shown.
worse
    With Impinge the game crashes, its player is deeper in a wall, falls below the world, or is
    stuck: it travels less than half the way that it travels in Arcade.

As a program it prints the table: `python tests/oracles/arcade_examples.py --help`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import runpy
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from itertools import pairwise, zip_longest
from math import dist
from pathlib import Path
from typing import Any, NamedTuple

from screenless import python_fork

__all__ = ["Comparison", "compared", "examples", "played"]

USES = re.compile(r"PhysicsEngine(Simple|Platformer)|check_for_collision|collides_with|get_sprites_at_point")
ENGINES = ("PhysicsEngineSimple", "PhysicsEnginePlatformer")
KEYS = [["RIGHT"], ["RIGHT", "UP"], ["LEFT"], ["UP"], ["DOWN", "RIGHT"], ["D", "W"], ["A"], ["SPACE"]]
HOLD = 20  # frames between two changes of the keys
DEPTH_RATE = 5  # frames between two measurements of the depth
DEEPER = 0.1  # pixels
BELOW = 200.0  # pixels below the bottom of a map
TOGETHER = 2  # processes


class Comparison(NamedTuple):
    """The verdict on two games of one example, with a remark."""

    name: str
    verdict: str
    remark: str


def examples() -> list[str]:
    """Return the paths of Arcade's examples that use an engine or a collision check."""
    folder = _folder()
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if USES.search(path.read_text(encoding="utf-8"))
    )


def _folder() -> Path:
    found = find_spec("arcade")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / "examples"


@cache
def played(name: str, whose: str, frames: int) -> dict[str, Any]:
    """Play an example on the engines of ``"impinge"`` or ``"arcade"``; return what happened, or its error."""
    with tempfile.TemporaryDirectory() as folder:  # some examples write files
        script = Path(__file__).resolve()
        run = python_fork(script, name, "--play", whose, "--frames", frames, folder=Path(folder))
    if run.returncode:
        return {"error": run.stderr.strip().splitlines()[-1]}
    result: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return result


def compared(name: str, frames: int) -> Comparison:
    """Play an example on both, and compare."""
    theirs, ours = played(name, "arcade", frames), played(name, "impinge", frames)
    if "error" in theirs or "error" in ours:
        verdict = "not run" if "error" in theirs else "worse"
        return Comparison(name, verdict, str(theirs.get("error") or ours.get("error")))
    complaint = _complaint(theirs, ours)
    verdict, remark = _difference(theirs["changes"], ours["changes"])
    return Comparison(name, "worse" if complaint else verdict, "; ".join(filter(None, (complaint, remark))))


def _complaint(theirs: dict[str, Any], ours: dict[str, Any]) -> str:
    """Return in which way our player is worse off; an empty text if it is not."""
    if ours["depth"] > theirs["depth"] + DEEPER:
        return f"in a wall by {ours['depth']:.2f}, {theirs['depth']:.2f} in Arcade"
    if not theirs["way"]:
        return ""
    lowest, their_lowest = (min(y for _, y in game["way"]) for game in (ours, theirs))
    if lowest < -BELOW <= their_lowest:
        return f"falls to {lowest:.0f}, {their_lowest:.0f} in Arcade"
    travelled, their_travelled = (sum(dist(*pair) for pair in pairwise(game["way"])) for game in (ours, theirs))
    return f"travels {travelled:.0f}, {their_travelled:.0f} in Arcade" if travelled < 0.5 * their_travelled else ""


def _difference(theirs: list[Any], ours: list[Any]) -> tuple[str, str]:
    """Compare the changes of two games frame by frame."""
    states: tuple[dict[str, Any], dict[str, Any]] = {}, {}
    begun, apart, worst = -1, "", 0.0
    for frame, changes in enumerate(zip(theirs, ours, strict=True)):
        for state, change in zip(states, changes, strict=True):
            state.update(change)
        for key in () if changes[0] == changes[1] else changes[0] | changes[1]:
            one, other = states[0].get(key), states[1].get(key)
            if one == other:
                continue
            begun = frame if begun < 0 else begun
            if not (isinstance(one, list) and isinstance(other, list)):
                found = f"frame {frame}: list {key} has {one} sprites in Arcade, {other} here"
                return "different", apart + found
            worst = max(worst, dist(one, other))
            if worst > 1.0 and not apart:
                apart = f"frame {frame}: sprite {key} is at {_at(one)} in Arcade, at {_at(other)} here; "
    if begun < 0:
        return "equal", ""
    return "different" if apart else "near", f"{apart}{worst:.3f} pixels at most, from frame {begun} on"


def _at(place: list[float]) -> str:
    return f"({place[0]:.2f}, {place[1]:.2f})"


# ---------------------------------------------------------------- in the process of one game


class _Record:
    """All sprite lists of a game, and the players of its engines."""

    def __init__(self) -> None:
        self.lists: list[Any] = []
        self.engines: list[Any] = []
        self.changes: list[dict[str, Any]] = []
        self.way: list[tuple[float, float]] = []
        self.depth = 0.0
        self._known: list[list[Any]] = []

    def hear(self) -> None:
        """Note each sprite list and engine that the game makes."""
        import arcade

        for found, kinds in (
            (self.lists, [arcade.SpriteList]),
            (self.engines, [getattr(arcade, name) for name in ENGINES]),
        ):
            for kind in kinds:

                def init(
                    each: Any, *values: Any, former: Any = kind.__init__, found: Any = found, **named: Any
                ) -> None:
                    former(each, *values, **named)
                    found.append(each)

                kind.__init__ = init

    def take(self, frame: int) -> None:
        """Note what has changed in this frame."""
        now = [[each.player_sprite.position for each in self.engines]]
        now += [[sprite.position for sprite in sprites] for sprites in self.lists]
        changes: dict[str, Any] = {}
        for number, (places, known) in enumerate(zip_longest(now, self._known, fillvalue=[])):
            if places == known:  # in most frames most lists do not change
                continue
            if len(places) != len(known):
                changes[f"{number}"] = len(places)
            pairs = enumerate(zip_longest(places, known))
            changes |= {f"{number}[{row}]": place for row, (place, former) in pairs if place != former}
        self.changes.append(changes)
        self._known = now
        if self.engines:
            self.way.append(self.engines[-1].player_sprite.position)
            if frame % DEPTH_RATE == 0:
                self.depth = max(self.depth, _depth(self.engines[-1]))


def _outline(sprite: Any) -> Any:
    import shapely

    return shapely.make_valid(shapely.Polygon(sprite.hit_box.get_adjusted_points()))


def _depth(engine: Any) -> float:
    """Return how deep the player is in a wall, in pixels: an area over a length."""
    player = engine.player_sprite
    walls = [wall for name in ("walls", "platforms") for walls in getattr(engine, name, ()) for wall in walls]
    near = [wall for wall in walls if wall is not player and dist(wall.position, player.position) < 200.0]
    return max((_outline(player).intersection(_outline(wall)).area / 10 for wall in near), default=0.0)


def _run(record: _Record, frames: int) -> None:
    """Play a game in place of Arcade's loop: hold keys, click, update; draw the last frame."""
    import arcade

    window, held, chance = arcade.get_window(), [], random.Random(3)
    window.dispatch_events()
    for frame in range(frames):
        if frame % HOLD == 0:
            for key in held:
                window.dispatch_event("on_key_release", key, 0)
            held = [getattr(arcade.key, name) for name in chance.choice(KEYS)]
            for key in held:
                window.dispatch_event("on_key_press", key, 0)
            x, y = chance.randrange(window.width), chance.randrange(window.height)
            window.dispatch_event("on_mouse_motion", x, y, 1, 1)
            window.dispatch_event("on_mouse_press", x, y, arcade.MOUSE_BUTTON_LEFT, 0)
            window.dispatch_event("on_mouse_release", x, y, arcade.MOUSE_BUTTON_LEFT, 0)
        window._dispatch_updates(1 / 60)  # noqa: SLF001
        window.dispatch_events()
        record.take(frame)
    window.switch_to()
    window.dispatch_event("on_draw")
    window.dispatch_events()


def play(name: str, whose: str, frames: int) -> None:
    """Play an example in this process, and print what happened."""
    os.environ["ARCADE_HEADLESS"] = "True"
    import arcade

    random.seed(0)
    record = _Record()
    if whose == "impinge":
        import impinge_arcade
        from impinge_arcade.arcade_names import watching_works

        watching_works()  # makes lists of its own
        impinge_arcade.bootstrap()
    record.hear()
    arcade.run = lambda *_, **__: _run(record, frames)
    path = str(_folder() / name)
    sys.argv = [path]
    runpy.run_path(path, run_name="__main__")
    colours = arcade.get_image().convert("RGB").getcolors(1 << 24)
    modules = sorted({type(engine).__module__ for engine in record.engines})
    result = {"engines": modules, "way": record.way, "depth": record.depth, "changes": record.changes}
    print(json.dumps(result | {"colours": len(colours)}))


def main() -> int:
    """Print the table; return the number of examples that are worse."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("examples", nargs="*", help="paths in arcade/examples, by default all that use collisions")
    parser.add_argument("--frames", type=int, default=600)
    parser.add_argument("--play", choices=["impinge", "arcade"], help="play one example in this process")
    chosen = parser.parse_args()
    if chosen.play:
        play(chosen.examples[0], chosen.play, chosen.frames)
        return 0
    found = []
    with ThreadPoolExecutor(TOGETHER) as pool:
        for each in pool.map(lambda name: compared(name, chosen.frames), chosen.examples or examples()):
            print(f"{each.name:60} {each.verdict:10} {each.remark}", flush=True)
            found.append(each.verdict)
    print(", ".join(f"{found.count(verdict)} {verdict}" for verdict in dict.fromkeys(sorted(found))))
    return found.count("worse")


if __name__ == "__main__":
    sys.exit(main())
