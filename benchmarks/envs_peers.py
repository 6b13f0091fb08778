# ruff: noqa: PLC0415 - each is imported where it is measured
"""One round of other projects' environments for envs.py; runs in their environment and prints a line of JSON for each figure."""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

SECONDS = float(sys.argv[1])
BATCHES = (1, 64, 1024, 8192)


def report(name: str, batch: int, step: Callable[[], int]) -> None:
    """Time steps, after one to warm up, and print decisions a second by wall-clock and by CPU time."""
    step()
    decisions, wall, cpu = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - wall < SECONDS:
        decisions += step()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(json.dumps({"name": name, "batch": batch, "wall": decisions / wall, "cpu": decisions / cpu}), flush=True)


def of_pgx(name: str) -> None:
    """Time the compiled step with autoreset, and in it the choice of a random legal action."""
    import jax
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(name)
    for batch in BATCHES:

        def act(state: Any, key: Any) -> Any:
            keys = jax.random.split(key, state.terminated.shape[0])
            logits = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
            return jax.vmap(auto_reset(env.step, env.init))(state, jax.random.categorical(key, logits), keys)

        run = jax.jit(act)
        held = [jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), batch)), jax.random.PRNGKey(1)]

        def step(held: list[Any] = held, run: Any = run, batch: int = batch) -> int:
            held[1], key = jax.random.split(held[1])
            held[0] = run(held[0], key)
            jax.block_until_ready((held[0].observation, held[0].legal_action_mask, held[0].rewards))
            return batch

        report(f"pgx {name}", batch, step)


def of_openspiel(name: str) -> None:
    import pyspiel

    game = pyspiel.load_game(name)
    held = [game.new_initial_state()]
    tensor = game.get_type().provides_observation_tensor

    def step() -> int:
        state = held[0]
        while state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(random.choices(actions, weights)[0])
        state.apply_action(state.legal_actions()[0])
        if state.is_terminal():
            state.rewards()
            held[0] = game.new_initial_state()
        elif not state.is_chance_node():
            (state.observation_tensor if tensor else state.information_state_tensor)()
            state.legal_actions_mask()
            state.rewards()
        return 1

    report(f"OpenSpiel {name}", 1, partial(hundred, step))


def hundred(step: Callable[[], int]) -> int:
    return sum(step() for _ in range(100))


def of_pettingzoo(name: str) -> None:
    import importlib

    env = importlib.import_module(f"pettingzoo.classic.{name}").env()
    env.reset(seed=1)

    def step() -> int:
        seen, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.reset()
            return 0
        env.step(int(np.flatnonzero(seen["action_mask"])[0]))
        return 1

    report(f"PettingZoo {name}", 1, partial(hundred, step))


def of_rlcard(name: str) -> None:
    import rlcard

    env = rlcard.make(name)
    held = [env.reset()[0]]

    def step() -> int:
        held[0], _ = env.step(next(iter(held[0]["legal_actions"])))
        if env.is_over():
            env.get_payoffs()
            held[0] = env.reset()[0]
        return 1

    report(f"RLCard {name}", 1, partial(hundred, step))


def of_envpool(name: str) -> None:
    import envpool

    for batch in BATCHES:
        env = envpool.make(name, env_type="gymnasium", num_envs=batch)
        env.reset()
        actions = np.random.default_rng(1).integers(0, env.action_space.n, batch).astype(np.int32)

        def step(env: Any = env, actions: Any = actions, batch: int = batch) -> int:
            env.step(actions)
            return batch

        report(f"EnvPool {name}", batch, step)


if __name__ == "__main__":
    for each in ("kuhn_poker", "connect_four", "2048"):
        of_pgx(each)
    for each in ("kuhn_poker", "connect_four", "backgammon"):
        of_openspiel(each)
    for each in ("tictactoe_v3", "connect_four_v3"):
        of_pettingzoo(each)
    of_rlcard("leduc-holdem")
    of_envpool("Blackjack-v1")
