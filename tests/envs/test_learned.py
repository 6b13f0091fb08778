"""The policies of ``examples/learn`` beat the bots that they were trained against."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import meadhall
from meadhall.envs import vector_env

FOLDER = Path(__file__).parents[2] / "examples" / "learn"
MATCHES = 2000


@pytest.fixture(scope="module")
def learned() -> Any:
    """Return the module of the trained policies."""
    spec = importlib.util.spec_from_file_location("learned_policy", FOLDER / "policy.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.compiled
@pytest.mark.long
@pytest.mark.parametrize(
    ("file", "game", "options", "players", "least"),
    [
        ("viking-axes-standard", "viking-axes", {"variant": "standard"}, 3, 0.41),
        ("viking-axes-strategic", "viking-axes", {"variant": "strategic"}, 3, 0.60),
    ],
)
def test_a_trained_policy_beats_greedy(
    learned: Any, file: str, game: str, options: dict[str, Any], players: int, least: float
) -> None:
    policy = learned.Policy(FOLDER / f"{file}.npz")
    env = vector_env(game, num_envs=250, players=players, seat="rotate", bots="karl", **options)
    observations, infos = env.reset(seed=1)
    payoffs: list[float] = []
    while len(payoffs) < MATCHES:
        actions = policy(observations, infos["action_mask"])
        observations, rewards, terminated, truncated, infos = env.step(actions)
        payoffs += rewards[terminated | truncated].tolist()
    assert float(np.mean(payoffs)) > least


@pytest.mark.parametrize("variant", ["standard", "strategic"])
def test_a_trained_policy_plays_as_a_bot(learned: Any, variant: str) -> None:
    match = meadhall.game("viking-axes").match(players=4, seed="learned", variant=variant)
    for _ in range(12):
        assert match.actor is not None
        action = learned.viking_axes(match.view(match.actor))
        match.play(action)
