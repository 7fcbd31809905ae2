"""Learn a level with NumPy only: `python docs/learn_meadow.py`. It takes some minutes on two cores.

An evolution strategy: each copy of the level plays with a policy of its own, a small neural network whose weights
differ by noise from the current ones. The weights move towards the noise of those that got higher rewards (Salimans et
al., "Evolution strategies as a scalable alternative to reinforcement learning", 2017).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import gymnasium
import numpy as np
from drawing import BLUE, GREY, INK, ORANGE, Figure

import impinge_gym

COPIES = 256  # half of them with the noise of the other half, negated
STEPS = 150  # of an episode, four frames each
HIDDEN = 16
NOISE, RATE = 0.1, 0.2
GENERATIONS = 80


def make(copies: int, steps: int) -> gymnasium.vector.VectorEnv:
    """Return the copies of the level."""
    return gymnasium.make_vec(
        "impinge/Platformer-v0", num_envs=copies, level=impinge_gym.MEADOW, frame_skip=4, max_episode_steps=steps
    )


def play(envs: gymnasium.vector.VectorEnv, weights: np.ndarray, seed: int) -> tuple[np.ndarray, int]:
    """Play an episode in each copy with its own weights; return all rewards, and how many reach the exit."""
    inputs, outputs = envs.single_observation_space.shape[0] + 1, int(envs.single_action_space.n)
    first = weights[:, : inputs * HIDDEN].reshape(-1, inputs, HIDDEN)
    last = weights[:, inputs * HIDDEN :].reshape(-1, HIDDEN, outputs)
    one = np.ones((len(weights), 1), np.float32)
    observations, _ = envs.reset(seed=seed)
    returns, plays, exits = np.zeros(len(weights)), np.ones(len(weights), bool), 0
    while plays.any():
        seen = np.concatenate((observations, one), axis=1)[:, None]
        actions = (np.tanh(seen @ first) @ last)[:, 0].argmax(axis=1)
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        returns += rewards * plays
        exits += np.count_nonzero(infos["at_exit"] & plays)
        plays &= ~(terminated | truncated)
    return returns, exits


def learn(copies: int, generations: int, seed: int, steps: int = STEPS) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the weights that were learnt, and the rewards of all copies in each generation."""
    envs = make(copies, steps)
    inputs, outputs = envs.single_observation_space.shape[0] + 1, int(envs.single_action_space.n)
    random = np.random.default_rng(seed)
    weights = random.normal(0.0, 0.1, inputs * HIDDEN + HIDDEN * outputs).astype(np.float32)
    momentum, curve = np.zeros_like(weights), []
    for generation in range(generations):
        begun = time.perf_counter()
        half = random.standard_normal((copies // 2, len(weights)), np.float32)
        noise = np.concatenate((half, -half))
        returns, exits = play(envs, weights + NOISE * noise, seed + generation)
        ranks = returns.argsort().argsort() / (copies - 1) - 0.5
        momentum = 0.9 * momentum + (ranks.astype(np.float32) @ noise) / (copies * NOISE)
        weights = 0.999 * weights + RATE * NOISE * momentum
        curve.append(returns)
        taken = time.perf_counter() - begun
        told = f"mean {returns.mean():5.2f}  best {returns.max():5.2f}  at the exit {exits / copies:4.0%}"
        print(f"generation {generation:3d}  {told}  {taken:.2f} s", flush=True)
    _, exits = play(envs, np.tile(weights, (copies, 1)), seed + generations)
    print(f"without noise: at the exit {exits / copies:4.0%}")
    envs.close()
    return weights, curve


def plot(curve: list[np.ndarray], path: Path) -> None:
    """Draw the mean and the tenths of the rewards over the generations."""
    top, length = max(float(returns.max()) for returns in curve), len(curve) - 1
    across = lambda generation: 100.0 * generation / max(length, 1)  # noqa: E731
    up = lambda value: 46.0 * value / top  # noqa: E731
    sheet = Figure(-9.0, -13.0, 103.0, 50.0)
    for value in range(0, int(top) + 1, 5):
        sheet.line([(0.0, up(value)), (100.0, up(value))], GREY, 1.0, dashed=True)
        sheet.text((-1.5, up(value)), str(value), INK, "rm")
    for part, colour in ((0.1, ORANGE), (0.9, ORANGE)):
        sheet.line([(across(i), up(np.quantile(returns, part))) for i, returns in enumerate(curve)], colour, 2.0)
    sheet.line([(across(i), up(returns.mean())) for i, returns in enumerate(curve)], BLUE, 4.0)
    for generation in range(0, length + 1, max(1, round(length / 5))):
        sheet.text((across(generation), -7.0), str(generation), INK)
    sheet.text((50.0, -11.0), "generation", INK)
    sheet.text((1.0, 48.5), "reward of an episode: mean, and the tenths of best and worst", INK, "lm")
    sheet.save(path)


def main() -> None:
    """Learn, and draw the curve if wanted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--copies", type=int, default=COPIES)
    parser.add_argument("--generations", type=int, default=GENERATIONS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plot", type=Path, help="file for a picture of the learning curve")
    options = parser.parse_args()
    _, curve = learn(options.copies, options.generations, options.seed)
    if options.plot:
        plot(curve, options.plot)


if __name__ == "__main__":
    main()
