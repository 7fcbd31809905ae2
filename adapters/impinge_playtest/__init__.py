"""Impinge playtest: an explorer that plays a level of a game, and reports what players can and cannot do there.

Read `level` first, then `moves`, `rollouts`, `archive` and `explorer`. Importing it needs no engine; maps need Arcade.
"""

from impinge_playtest.explorer import Exploration, Progress, explore
from impinge_playtest.findings import Finding, Route
from impinge_playtest.level import Area, Level, level_from_world
from impinge_playtest.moves import Moves, Platformer, TopDown
from impinge_playtest.replay import Replay, load_replay, play
from impinge_playtest.tracks import Track, there_and_back, track_of

__all__ = [
    "Area",
    "Exploration",
    "Finding",
    "Level",
    "Moves",
    "Platformer",
    "Progress",
    "Replay",
    "Route",
    "TopDown",
    "Track",
    "explore",
    "level_from_world",
    "load_replay",
    "play",
    "there_and_back",
    "track_of",
]
