"""The environments by the rules of Gymnasium: its checkers, and its own vector of single environments as an oracle."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

os.environ.setdefault("ARCADE_HEADLESS", "True")  # Arcade reads this variable at import
import impinge_gym
from impinge import ShapeError
from impinge_gym import PLATFORMER, TOP_DOWN, PlatformerEnv, PlatformerVectorEnv
from scale import some

IDS = ["impinge/Platformer-v0", "impinge/TopDown-v0"]
VIEWS = ["rays", "tiles", "positions"]
# Short and dangerous: episodes end by an exit, a fall, spikes and the limit of steps.
LEVEL = impinge_gym.level_of_rows(["........", "o....o..", "@.^...F.", "####.###"], tile=16)
SHORT: dict[str, Any] = {"level": LEVEL, "rule": replace(PLATFORMER, speed=3.0, jump=7.0), "random_starts": False}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", IDS)
def test_a_single_environment_passes_the_checker(name: str, view: str) -> None:
    env = gymnasium.make(name, observation=view)
    check_env(env.unwrapped)
    assert env.spec is not None
    assert env.spec.max_episode_steps == 1_000


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", IDS)
def test_a_vector_keeps_to_its_spaces(name: str, view: str) -> None:
    """Gymnasium has no checker for vectors: these are the promises of `VectorEnv`."""
    envs = gymnasium.make_vec(name, num_envs=5, observation=view)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert envs.action_space == gymnasium.vector.utils.batch_space(envs.single_action_space, 5)
    assert envs.observation_space == gymnasium.vector.utils.batch_space(envs.single_observation_space, 5)
    observations, _ = envs.reset(seed=3)
    envs.action_space.seed(3)
    kept = []
    for _ in range(20):
        assert observations in envs.observation_space
        assert all(each in envs.single_observation_space for each in observations)
        kept.append((observations, observations.copy()))
        observations, rewards, terminated, truncated, infos = envs.step(envs.action_space.sample())
        assert rewards.dtype == np.float64
        assert rewards.shape == terminated.shape == truncated.shape == (5,)
        assert terminated.dtype == truncated.dtype == infos["_coins"].dtype == np.bool_
    assert all((now == then).all() for now, then in kept)  # no array is written again
    envs.close()
    envs.close()


def run_both(mode: AutoresetMode, steps: int, seed: int) -> tuple[int, int]:
    """Play the same actions in a fleet and in single environments; return the ends by both reasons."""
    ours = PlatformerVectorEnv(6, autoreset_mode=mode, max_episode_steps=30, frame_skip=2, **SHORT)
    make = lambda: gymnasium.wrappers.TimeLimit(PlatformerEnv(frame_skip=2, **SHORT), 30)  # noqa: E731
    theirs = SyncVectorEnv([make] * 6, autoreset_mode=mode)
    random = np.random.default_rng(seed)
    answers = ours.reset(seed=1), theirs.reset(seed=1)
    same(*answers)
    ended, cut = 0, 0
    actions = np.zeros(6, np.int64)
    for _ in range(steps):
        actions = np.where(random.random(6) < 0.2, random.choice([2, 2, 2, 4, 4, 5, 5], 6), actions)
        own, other = ours.step(actions), theirs.step(actions)
        same(own, other)
        ended, cut = ended + int(own[2].sum()), cut + int(own[3].sum())
    return ended, cut


def same(own: Any, other: Any) -> None:
    """Require equal answers; in infos, only what is flagged."""
    for mine, yours in zip(own[:-1], other[:-1], strict=True):
        np.testing.assert_array_equal(mine, yours)
    same_infos(own[-1], other[-1])


def same_infos(own: dict[str, Any], other: dict[str, Any]) -> None:
    assert {name for name in other if other[name] is not None} <= set(own)
    for name, values in other.items():
        flags = other.get(f"_{name}")
        if name == "final_info":
            same_infos(own[name], values)
        elif flags is not None:
            np.testing.assert_array_equal(own[f"_{name}"], flags)
            for mine, yours in zip(own[name][flags], values[flags], strict=True):
                np.testing.assert_array_equal(mine, yours)


@pytest.mark.parametrize("seed", some([4, 6]))
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_a_fleet_answers_as_single_environments_do(mode: AutoresetMode, seed: int) -> None:
    ended, cut = run_both(mode, 100, seed)
    assert ended > 10
    assert cut > 3


def test_without_autoreset_copies_are_reset_by_a_mask() -> None:
    envs = PlatformerVectorEnv(3, autoreset_mode="Disabled", **SHORT)
    first, _ = envs.reset(seed=0)
    for _ in range(3):
        envs.step(np.array([4, 2, 4]))
    before = envs.game.positions.copy()
    observations, _ = envs.reset(options={"reset_mask": np.array([True, False, False])})
    np.testing.assert_array_equal(observations[0], first[0])
    assert envs.game.steps.tolist() == [0, 3, 3]
    assert envs.game.positions[1:].tolist() == before[1:].tolist()


@pytest.mark.parametrize("name", IDS)
def test_a_seed_decides_whatever_the_threads(name: str) -> None:
    def play(seed: int, threads: int) -> list[bytes]:
        envs = gymnasium.make_vec(name, num_envs=300, threads=threads, max_episode_steps=7, observation="positions")
        told = [envs.reset(seed=seed)[0].tobytes()]
        random = np.random.default_rng(2)
        for _ in range(20):
            answer = envs.step(random.integers(int(envs.single_action_space.n), size=300))
            told.append(b"".join(part.tobytes() for part in answer[:4]))
        return told

    assert play(1, 1) == play(1, 2)
    assert name == "impinge/TopDown-v0" or play(1, 1) != play(2, 1)  # the cave has no movers, and one spawn


def test_random_starts_are_spawns_and_frames() -> None:
    path = impinge_gym.there_and_back((100.0, 8.0), (140.0, 8.0), 20)
    level = impinge_gym.level_of_rows(["@...@", "#####"], tile=16, movers=[(impinge_gym.level.im.Box(8, 8), path)])
    envs = PlatformerVectorEnv(200, level)
    envs.reset(seed=4)
    assert {tuple(place) for place in envs.game.positions.tolist()} == {(8.0, 22.0), (72.0, 22.0)}
    assert len(set(envs.game.frames.tolist())) > 30
    still = PlatformerVectorEnv(200, level, random_starts=False)
    still.reset(seed=4)
    assert {tuple(place) for place in still.game.positions.tolist()} == {(8.0, 22.0)}
    assert not still.game.frames.any()


def test_wrappers_of_gymnasium_count_episodes() -> None:
    envs = RecordEpisodeStatistics(PlatformerVectorEnv(4, max_episode_steps=10, **SHORT))
    envs.reset(seed=0)
    for _ in range(10):
        *_, infos = envs.step(np.array([2, 2, 2, 2]))
    assert infos["episode"]["l"].tolist() == [10, 10, 10, 10]


def test_no_python_runs_for_each_copy() -> None:
    """A step of 400 copies makes as many calls as one of 8: what happens to a copy happens in arrays."""

    def calls(copies: int) -> int:
        envs = gymnasium.make_vec(IDS[0], num_envs=copies, threads=1, max_episode_steps=5, observation="tiles")
        envs.reset(seed=0)
        actions = np.tile((0, 5), copies // 2)
        for _ in range(8):
            envs.step(actions)
        total = 0

        def count(frame: object, event: str, argument: object) -> None:
            nonlocal total
            total += event in ("call", "c_call")

        sys.setprofile(count)
        for _ in range(12):  # two resets are among them
            envs.step(actions)
        sys.setprofile(None)
        return total

    assert calls(400) == calls(8)


def test_making_one_needs_no_import_of_ours() -> None:
    code = "import gymnasium; print(gymnasium.make_vec('impinge_gym:impinge/Platformer-v0', num_envs=3))"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "PlatformerVectorEnv(impinge/Platformer-v0, num_envs=3)", done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs must be a positive integer, got 0"),
        ({"frame_skip": True}, "frame_skip must be a positive integer, got True"),
        ({"max_episode_steps": 1.5}, "max_episode_steps must be a positive integer, got 1.5"),
        ({"observation": "sound"}, "observation must be 'rays', 'tiles', 'positions' or .* got 'sound'"),
        ({"level": 7}, "level must be a Level, .* got 7"),
        ({"render_mode": "human"}, "render_mode must be 'rgb_array' or None, got 'human'"),
        ({"autoreset_mode": "later"}, "'later' is not a valid AutoresetMode"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PlatformerVectorEnv(**arguments)


@pytest.mark.parametrize("actions", [[0, 9], [0, -1], [0.0, 1.0], [1], [[0, 1]], "up"])
def test_bad_actions_are_refused_and_change_nothing(actions: Any) -> None:
    envs = PlatformerVectorEnv(2)
    envs.reset(seed=0)
    before = envs.game.fleet.snapshot().tobytes()
    with pytest.raises(ShapeError, match="actions must be 2 integers from 0 to 5"):
        envs.step(actions)
    assert envs.game.fleet.snapshot().tobytes() == before


def test_single_environments_have_no_arguments_of_a_vector() -> None:
    with pytest.raises(TypeError, match="num_envs is an argument of a vector"):
        PlatformerEnv(num_envs=2)


def test_functions_of_arrays_replace_rewards_and_ends() -> None:
    envs = PlatformerVectorEnv(
        2, **SHORT, reward=lambda now: now.positions[:, 0], ends=lambda now: now.positions[:, 0] > 20.0
    )
    envs.reset(seed=0)
    for _ in range(5):
        _, rewards, terminated, _, _ = envs.step(np.array([4, 2]))
    assert rewards.tolist() == [23.0, 8.0]
    assert terminated.tolist() == [True, False]
    assert TOP_DOWN.speed == 4.0
