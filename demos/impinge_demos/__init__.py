"""Demo games that show Impinge inside Arcade: `python -m impinge_demos` lists them."""

from typing import Final

__all__ = ["GAMES"]

# Module in this package, and its line in the list.
GAMES: Final = {
    "crusher": "a platformer: blocks that push, a sticky elevator, a press that crushes, a one-pixel wall",
    "halberd": "an arena: sword and halberd swings, guards whose sight walls cut, sneaking up from behind",
    "shards": "asteroids: concave rocks that turn, very fast bullets, cuts along their exact lines",
    "pinball": "a fast ball, walls of one pixel and thin flippers: continuous collision in a Pymunk space",
    "sokoban_rush": "a warehouse in a hurry: ranks that push each other in chains, jams, and a rewind",
    "swarm": "5,000 that follow your lantern among presses and turning arms, at 60 frames a second",
}
