"""The environments: a vector of copies in one fleet, and a single one, which is a vector of one copy."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any, ClassVar, TypeAlias

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

import impinge as im
from impinge_gym.examples import CAVE, MEADOW
from impinge_gym.game import Game
from impinge_gym.level import Level
from impinge_gym.observations import Observation, View, view_of
from impinge_gym.players import PLATFORMER, TOP_DOWN
from impinge_gym.rewards import Ends, Rewards, episode_ends, progress_reward
from impinge_playtest.moves import Moves

__all__ = ["LevelEnv", "LevelVectorEnv", "PlatformerEnv", "PlatformerVectorEnv", "TopDownEnv", "TopDownVectorEnv"]

Numbers: TypeAlias = NDArray[np.float32]
Values: TypeAlias = NDArray[Any]
Start: TypeAlias = tuple[Numbers, dict[str, Any]]
Steps: TypeAlias = tuple[Numbers, Values, Values, Values, dict[str, Any]]

FACTS = ("at_exit", "fell", "crushed", "hurt")


class LevelVectorEnv(VectorEnv[Numbers, NDArray[np.int64], Values]):
    """Copies of a level, stepped in one call. `PlatformerVectorEnv` and `TopDownVectorEnv` have the rules of a player.

    Parameters
    ----------
    num_envs
        Number of copies.
    level
        A `Level`, the path of a Tiled map, or None for a small level of its own.
    rule
        The player, `impinge_playtest.Platformer` or `TopDown`; by default `PLATFORMER` or `TOP_DOWN`.
    observation
        ``"rays"``, ``"tiles"``, ``"positions"``, or an object such as `Rays`.
    reward, ends
        Functions of a `Situation` of n copies, which return n rewards, and n flags: whether the episodes end.
    max_episode_steps
        Steps until an episode is truncated; None for no limit.
    autoreset_mode
        When a copy is reset after its episode: in the next step, in the same step, or never. In the same step,
        ``infos["final_obs"]`` has the last observations.
    frame_skip
        Frames for which an action is held.
    random_starts
        Whether episodes begin at random spawns, and tracks at random frames. If not, at the first ones.
    threads
        Threads of the fleet; None for one for each processor.
    render_mode
        ``"rgb_array"``, or None.
    render_width
        Width of a picture in pixels.
    map_options
        Arguments of `level_of_map`, for the path of a Tiled map.

    Raises
    ------
    impinge.ShapeError, ValueError
        If an argument is not of its type or out of its range.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  as in its base
        "render_modes": ["rgb_array"],
        "render_fps": 60,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }
    default_rule: ClassVar[Moves] = PLATFORMER
    default_level: ClassVar[Level] = MEADOW

    def __init__(
        self,
        num_envs: int = 1,
        level: Level | str | PathLike[str] | None = None,
        *,
        rule: Moves | None = None,
        observation: View | Observation = "rays",
        reward: Rewards = progress_reward,
        ends: Ends = episode_ends,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        frame_skip: int = 1,
        random_starts: bool = True,
        threads: int | None = None,
        render_mode: str | None = None,
        render_width: int = 640,
        map_options: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self.num_envs = _positive("num_envs", num_envs)
        self.max_episode_steps = (
            None if max_episode_steps is None else _positive("max_episode_steps", max_episode_steps)
        )
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode must be 'rgb_array' or None, got {render_mode!r}")
        self.render_mode, self.render_width = render_mode, _positive("render_width", render_width)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        rule = self.default_rule if rule is None else rule
        self.level = self._level_of(level, rule, map_options)
        self.game = Game(
            self.level, rule, self.num_envs, frame_skip=_positive("frame_skip", frame_skip), threads=threads
        )
        self.reward, self.ends, self.random_starts = reward, ends, random_starts
        self._view = view_of(observation, self.game)
        self._everyone = np.arange(self.num_envs)
        self._is_over = np.zeros(self.num_envs, np.bool_)
        self._painter: Any = None
        self.single_action_space = self.game.players.space
        self.single_observation_space = gymnasium.spaces.Box(self._view.low, self._view.high, dtype=np.float32)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Start:
        """Begin new episodes in all copies, or in those of a flag each: ``options={"reset_mask": flags}``."""
        super().reset(seed=seed)
        mask = (options or {}).get("reset_mask")
        copies = self._everyone if mask is None else np.flatnonzero(self._checked_mask(mask))
        self._begin(copies)
        return self._view.read(self._everyone), self._infos(np.zeros((len(FACTS), self.num_envs), np.bool_))

    def step(self, actions: NDArray[np.int64]) -> Steps:
        """Step all copies. With `AutoresetMode.NEXT_STEP`, a copy whose episode is over begins a new one instead."""
        chosen = self._checked_actions(actions)
        waiting = (
            np.flatnonzero(self._is_over) if self.autoreset_mode is AutoresetMode.NEXT_STEP else self._everyone[:0]
        )
        situation = self.game.step(chosen)
        rewards = np.array(self.reward(situation), np.float64)
        terminated = np.array(self.ends(situation), np.bool_)
        limit = self.max_episode_steps
        truncated = np.zeros(self.num_envs, np.bool_) if limit is None else situation.episode_steps >= limit
        facts = np.array([getattr(situation, name) for name in FACTS])
        if len(waiting):
            self._begin(waiting)
            rewards[waiting], terminated[waiting], truncated[waiting], facts[:, waiting] = 0.0, False, False, False
        self._is_over = terminated | truncated
        observations, infos = self._view.read(self._everyone), self._infos(facts)
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._is_over.any():
            infos = self._begin_again(observations, infos)
        return observations, rewards, terminated, truncated, infos

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """Return a picture of each copy, an array of shape (height, width, 3), or None without a render mode."""
        if self.render_mode is None:
            gymnasium.logger.warn("render needs an environment that was made with render_mode='rgb_array'")
            return None
        if self._painter is None:
            from impinge_gym.rendering import Painter

            self._painter = Painter(self.game, self.render_width)
        return tuple(self._painter.paint(number) for number in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Release the memory of the pictures."""
        self._painter = None

    def _begin(self, copies: NDArray[np.int64]) -> None:
        self.game.reset(copies, self.np_random if self.random_starts else None)
        self._is_over[copies] = False

    def _begin_again(self, observations: Numbers, infos: dict[str, Any]) -> dict[str, Any]:
        """Reset the copies whose episodes are over: their new observations, and infos with their last ones."""
        over, mask = np.flatnonzero(self._is_over), self._is_over.copy()
        last = {"final_obs": observations.copy(), "_final_obs": mask.copy(), "final_info": infos, "_final_info": mask}
        for name in list(infos):
            if name.startswith("_"):
                infos[name] = infos[name] & mask
        self._begin(over)
        observations[over] = self._view.read(over)
        facts = np.array([infos[name] for name in FACTS])
        facts[:, over] = False
        return {**self._infos(facts), **last}

    def _infos(self, facts: NDArray[np.bool_]) -> dict[str, Any]:
        """Return the number of coins that each copy has, and what its last step brought, with a flag for each."""
        infos: dict[str, Any] = {"coins": np.count_nonzero(self.game.collected, axis=1)}
        infos |= dict(zip(FACTS, facts, strict=True))
        return infos | {f"_{name}": np.ones(self.num_envs, np.bool_) for name in infos}

    def _checked_actions(self, actions: Any) -> NDArray[np.int64]:
        found = np.asarray(actions)
        count = int(self.game.players.space.n)
        is_fit = found.shape == (self.num_envs,) and found.dtype.kind in "iu"
        if not is_fit or not 0 <= found.min() <= found.max() < count:
            raise im.ShapeError(f"actions must be {self.num_envs} integers from 0 to {count - 1}, got {actions!r}")
        return found.astype(np.int64)

    def _checked_mask(self, mask: Any) -> NDArray[np.bool_]:
        found = np.asarray(mask)
        if found.shape != (self.num_envs,) or found.dtype != np.bool_ or not found.any():
            raise im.ShapeError(f"reset_mask must be {self.num_envs} flags, one of them True, got {mask!r}")
        return found

    def _level_of(self, level: Any, rule: Moves, options: Mapping[str, Any] | None) -> Level:
        if level is None:
            return self.default_level
        if isinstance(level, Level):
            return level
        if not isinstance(level, str | PathLike):
            raise im.ShapeError(f"level must be a Level, the path of a Tiled map or None, got {level!r}")
        from impinge_gym.maps import level_of_map

        return level_of_map(level, rule, **(options or {}))


class LevelEnv(gymnasium.Env[Numbers, np.int64]):
    """One copy of a level. The arguments are those of `LevelVectorEnv`, without those of a vector."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 60}  # noqa: RUF012  as in its base
    vector: ClassVar[type[LevelVectorEnv]] = LevelVectorEnv

    def __init__(self, level: Level | str | PathLike[str] | None = None, **arguments: Any) -> None:
        for name in ("num_envs", "autoreset_mode"):
            if name in arguments:
                raise TypeError(f"{name} is an argument of a vector of environments only")
        self.one = self.vector(1, level, autoreset_mode=AutoresetMode.DISABLED, threads=1, **arguments)
        self.render_mode = self.one.render_mode
        self.action_space = self.one.single_action_space
        self.observation_space = self.one.single_observation_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Start:
        """Begin a new episode."""
        super().reset(seed=seed)
        self.one.np_random = self.np_random
        observations, infos = self.one.reset()
        return observations[0], _single(infos)

    def step(self, action: np.int64) -> tuple[Numbers, float, bool, bool, dict[str, Any]]:
        """Step the copy."""
        observations, rewards, terminated, truncated, infos = self.one.step(np.array([action]))
        return observations[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), _single(infos)

    def render(self) -> Any:
        """Return a picture, an array of shape (height, width, 3), or None without a render mode."""
        pictures = self.one.render()
        return None if pictures is None else pictures[0]

    def close(self) -> None:
        """Release the memory of the pictures."""
        self.one.close()


class PlatformerVectorEnv(LevelVectorEnv):
    """Copies of a platformer, see `LevelVectorEnv`: ``gymnasium.make_vec("impinge/Platformer-v0", num_envs=4096)``."""


class TopDownVectorEnv(LevelVectorEnv):
    """Copies of a top-down game, see `LevelVectorEnv`: ``gymnasium.make_vec("impinge/TopDown-v0", num_envs=4096)``."""

    default_rule = TOP_DOWN
    default_level = CAVE


class PlatformerEnv(LevelEnv):
    """One platformer: ``gymnasium.make("impinge/Platformer-v0")``."""

    vector = PlatformerVectorEnv


class TopDownEnv(LevelEnv):
    """One top-down game: ``gymnasium.make("impinge/TopDown-v0")``."""

    vector = TopDownVectorEnv


def _single(infos: dict[str, Any]) -> dict[str, Any]:
    """Return the infos of the only copy, without the flags of a vector."""
    return {name: values[0].item() for name, values in infos.items() if not name.startswith("_")}


def _positive(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise im.ShapeError(f"{name} must be a positive integer, got {value!r}")
    return int(value)
