"""Tracks: what moving bodies do by frame, whatever the player does."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

import impinge as im
from impinge.checks import count, numbers

__all__ = ["Floats", "Ints", "Track", "Tracks", "there_and_back", "track_of"]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

# In a recorded track, poses that differ by less are equal: positions that are added up differ by rounding.
ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class Track:
    """The poses of a body by frame: what a moving platform does whatever the player does.

    Attributes
    ----------
    poses : (t, 3) float
        x, y and angle at the frames 0 to t - 1. Without angles, of shape (t, 2), they are 0.
    period
        After the last pose the track goes on with the one `period` rows before its end; 0 if the body then stays.
    """

    poses: Floats
    period: int = 0

    def __post_init__(self) -> None:
        poses = numbers("poses", self.poses, "(t, 3)")
        if poses.ndim == 2 and poses.shape[1] == 2:
            poses = np.column_stack((poses, np.zeros(len(poses))))
        if poses.ndim != 2 or poses.shape[1] != 3 or not len(poses) or not np.isfinite(poses).all():
            raise im.ShapeError(f"poses must be finite, of shape (t, 3) with t > 0, got shape {poses.shape}")
        if not 0 <= self.period <= len(poses):
            raise im.ShapeError(f"period must be from 0 to {len(poses)}, got {self.period!r}")
        object.__setattr__(self, "poses", poses)


def track_of(poses: ArrayLike) -> Track:
    """Return a recorded movement as a track: with the period after which it repeats, if it does so.

    Parameters
    ----------
    poses : (t, 3) float
        x, y and angle of each frame. A movement counts as periodic if it was recorded for two periods at the end.

    Examples
    --------
    >>> there_and_back = [(x, 0, 0) for x in (5, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1)]
    >>> track = track_of(there_and_back)
    >>> track.period, len(track.poses)
    (4, 5)
    """
    recorded = numbers("poses", poses, "(t, 3)")
    total = len(recorded)
    is_last = np.abs(recorded - recorded[-1]).max(axis=1) <= ROUNDING
    for period in (total - 1 - np.flatnonzero(is_last[:-1])[::-1]).tolist():
        differs = np.abs(recorded[period:] - recorded[:-period]).max(axis=1) > ROUNDING
        wrong = np.flatnonzero(differs)
        first = int(wrong[-1]) + 1 if len(wrong) else 0
        if total - first >= 2 * period:
            return Track(recorded[: first + period], period)
    return Track(recorded)


def there_and_back(start: Sequence[float], end: Sequence[float], frames: int) -> Track:
    """Return the track from one place to another in a number of frames, and back, again and again.

    Raises
    ------
    impinge.ShapeError
        If `frames` is not a positive integer.

    Examples
    --------
    >>> track = there_and_back((0, 0), (4, 0), 2)
    >>> track.poses[:, 0].tolist(), track.period
    ([0.0, 2.0, 4.0, 2.0], 4)
    """
    way = np.linspace(start, end, count("frames", frames) + 1)
    return Track(np.concatenate((way[:-1], way[:0:-1])), 2 * frames)


class Tracks:
    """The tracks of all moving bodies, for many frames at once.

    Attributes
    ----------
    bodies
        `Body.index` of the bodies, in ascending order.
    lead, cycle
        Frames until all bodies repeat their movements, and frames after which all are where they were.
    """

    def __init__(self, tracks: Mapping[int, Track]) -> None:
        self.bodies = np.array(sorted(tracks), np.int64)
        ordered = [tracks[body] for body in self.bodies.tolist()]
        self._poses = np.concatenate([track.poses for track in ordered] or [np.empty((0, 3))])
        self._lengths = np.array([len(track.poses) for track in ordered], np.int64)
        self._starts = np.cumsum(self._lengths) - self._lengths
        # A body that stays at its last pose repeats that pose.
        self._periods = np.array([track.period or 1 for track in ordered], np.int64)
        self.periods = np.array([track.period or len(track.poses) for track in ordered], np.int64)
        self.lead = int((self._lengths - self._periods).max(initial=0))
        self.cycle = math.lcm(*self._periods.tolist())
        self.bounds = [
            (*track.poses[:, :2].min(axis=0).tolist(), *track.poses[:, :2].max(axis=0).tolist()) for track in ordered
        ]

    def phases(self, frames: Ints) -> Ints:
        """Return the rows in their tracks at n frames, of shape (n, k)."""
        past = frames[:, None] - self._lengths
        return np.where(past < 0, frames[:, None], self._lengths - self._periods + past % self._periods)

    def poses(self, frames: Ints) -> Floats:
        """Return the poses at n frames, of shape (n, k, 3)."""
        found: Floats = self._poses[self.phases(frames) + self._starts]
        return found
