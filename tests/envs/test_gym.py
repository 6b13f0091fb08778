"""The Gymnasium environment: one seat against bots, by Gymnasium's own checks."""

from __future__ import annotations

import pickle
import subprocess
import sys
from copy import deepcopy
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, AutoresetMode
from gymnasium.wrappers import FlattenObservation, RecordEpisodeStatistics, TimeLimit

import meadhall
from meadhall import BadSetup, IllegalAction, MalformedAction, View
from meadhall.bots import UnknownBot, bot
from meadhall.engine.compile.rule import rule
from meadhall.engine.registry import registered
from meadhall.envs import gym_env, observe, vector_env
from meadhall.envs.gym import CompiledEnv, MatchEnv

VARIANTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("axes-and-allies", {"players": 2}),
    ("axes-and-allies", {"players": 6}),
    ("viking-axes", {"players": 2, "variant": "standard"}),
    ("viking-axes", {"players": 7, "variant": "strategic"}),
    ("axxa", {"players": 1}),
    ("axxa", {"players": 2, "touching": "orthogonal"}),
    *(("axxa", {"players": 4, "mode": "versus", "order": order}) for order in ("skip", "strict", "any")),
    ("dungeon-allies", {"players": 2}),
    ("dungeon-allies", {"players": 5}),
)

LARGE = ("axxa", "dungeon-allies")


@pytest.mark.parametrize(
    ("name", "setup"),
    [
        pytest.param(*each, marks=pytest.mark.long if each[0] in LARGE else (), id=f"{each[0]} {[*each[1].values()]}")
        for each in VARIANTS
    ],
)
def test_the_checker_of_gymnasium_accepts_every_variant(name: str, setup: dict[str, Any]) -> None:
    for observations in ("flat", "dict"):
        check_env(gym_env(name, observations=observations, **setup), skip_render_check=True)


@pytest.mark.parametrize("bots", ["karl", "search@1"])
@pytest.mark.parametrize("name", ["axes-and-allies", "viking-axes"])
def test_the_checker_of_gymnasium_accepts_other_bots(name: str, bots: str) -> None:
    env = gym_env(name, bots=bots)
    assert isinstance(env, MatchEnv if bots == "search@1" else CompiledEnv)
    check_env(env, skip_render_check=True)


def finish(env: Any, seed: Any = None, draws: int = 1) -> tuple[list[Any], float, dict[str, Any]]:
    """Play a match at random and return the observations, the reward and the last info."""
    draw, (observation, info) = np.random.default_rng(draws), env.reset(seed=seed)
    seen, done, reward = [observation], False, 0.0
    while not done:
        assert reward == 0
        action = int((info["action_mask"] * draw.random(env.action_space.n)).argmax())
        observation, reward, terminated, truncated, info = env.step(action)
        done = terminated or truncated
        seen.append(observation)
    return seen, reward, info


@pytest.mark.parametrize("bots", ["thrall", "search@1"])
@pytest.mark.parametrize(
    ("name", "setup"),
    [("viking-axes", {"players": 3}), ("viking-axes", {"variant": "strategic"})],
)
def test_a_match_ends_with_its_payoffs_and_follows_from_its_seed(name: str, setup: dict[str, Any], bots: str) -> None:
    env = gym_env(name, seat=1, bots=bots, **setup)
    seen, reward, info = finish(env, 5)
    assert reward == info["rewards"][1]
    assert info["rewards"].sum() == pytest.approx(1)
    assert not info["illegal"]
    again, *_ = finish(env, 5)
    other, *_ = finish(env, 6)
    following, *_ = finish(env)
    assert all(np.array_equal(a, b) for a, b in zip(seen, again, strict=True))
    assert not np.array_equal(np.array(seen).sum(axis=0), np.array(other).sum(axis=0))
    assert not np.array_equal(np.array(other).sum(axis=0), np.array(following).sum(axis=0))


def test_it_is_the_match_of_a_vector_environment_with_the_same_seed() -> None:
    one = gym_env("viking-axes", seat=0, bots="karl", players=3)
    many = vector_env("viking-axes", 2, seat=0, bots="karl", players=3, autoreset="disabled")
    observation, info = one.reset(seed=9)
    observations: Any
    observations, _ = many.reset(seed=[8, 9])
    for _ in range(15):
        assert np.array_equal(observation, observations[1])
        action = int(info["action_mask"].argmax())
        observation, reward, *_, info = one.step(action)
        observations, rewards, *_ = many.step([0, action])
        assert rewards[1] == reward


@pytest.mark.parametrize("bots", ["thrall", "search@1"])
def test_the_observation_is_what_the_learner_may_know(bots: str) -> None:
    env = gym_env("viking-axes", seat=1, bots=bots, players=3, variant="strategic", observations="dict")
    observation: Any
    observation, info = env.reset(seed=1)
    for _ in range(10):
        assert observation["viewer"] == info["seat"] == 1
        assert observation["hand"][[0, 2]].sum() == 0 < observation["hand"][1].sum()
        shown: Any = observe(env.game, env.view().states, 1, "dict")
        assert all(np.array_equal(observation[key], shown[key]) for key in observation)
        assert env.view().legal == tuple(np.flatnonzero(env.action_masks()).tolist())
        observation, *_, info = env.step(int(info["action_mask"].argmax()))


def test_bots_may_be_objects_functions_and_different_for_every_seat() -> None:
    asked: list[int] = []

    def first(view: View) -> int:
        asked.append(view.viewer)
        return view.legal[0]

    subject = meadhall.game("axes-and-allies")
    finish(gym_env(subject, seat=1, bots=[first, bot(subject, "thrall", 1), "karl"], players=4), 1)
    assert set(asked) == {2}


@rule
def last_legal(state: Any, legal: Any, count: int, rng: Any) -> int:
    return int(legal[count - 1])


def test_a_rule_is_a_compiled_bot() -> None:
    env = gym_env("axes-and-allies", bots=last_legal, observations="dict")
    assert isinstance(env, CompiledEnv)
    _, info = env.reset(seed=1)
    for _ in range(20):  # the bot always allies, so that the learner survives
        observation: Any
        observation, *_, info = env.step(int(info["action_mask"].argmax()))
        assert observation["alive"][0]
        if "rewards" in info:
            env.reset()


def test_the_seat_rotates() -> None:
    for bots in ("thrall", "search@1"):
        env = gym_env("axes-and-allies", seat="rotate", bots=bots, players=3)
        assert [env.reset(seed=1 if k == 0 else None)[1]["seat"] for k in range(4)] == [0, 1, 2, 0]


def test_without_a_seat_the_learner_plays_all() -> None:
    env, seats, done = gym_env("axes-and-allies", seat=None, players=4), set(), False
    env.action_space.seed(1)  # a match may end before all have moved
    _, info = env.reset(seed=1)
    while not done:
        seats.add(info["seat"])
        *_, done, _, info = env.step(env.action_space.sample(info["action_mask"]))
    assert seats == {0, 1, 2, 3}


@pytest.mark.parametrize("bots", ["thrall", "search@1"])
def test_illegal_actions_lose_or_raise_and_change_nothing(bots: str) -> None:
    env = gym_env("axes-and-allies", seat=0, bots=bots)
    for wrong in (0, 12, -1, 1 << 80):
        while not (mask := env.reset()[1]["action_mask"])[1] or mask[0]:
            pass  # over before the first decision
        _, reward, terminated, _, info = env.step(wrong)
        assert (reward, terminated, info["illegal"]) == (0, True, True)
    env = gym_env("axes-and-allies", seat=0, bots=bots, illegal="raise")
    while (mask := env.reset()[1]["action_mask"])[0]:
        pass
    for wrong in (0, 12, -1, 1 << 80):
        with pytest.raises(IllegalAction) as refused:
            env.step(wrong)
        assert bool(refused.value.rule) == (wrong == 0)
    with pytest.raises(MalformedAction):
        env.step(1.0)
    *_, info = env.step(int(mask.argmax()))
    assert not info.get("illegal")


@pytest.mark.parametrize("bots", ["thrall", "search@1"])
def test_a_match_that_is_over_before_the_learners_first_decision_is_an_episode(bots: str) -> None:
    env = gym_env("axes-and-allies", bots=bots)
    for seed in range(40):
        _, info = env.reset(seed=seed)
        if info["action_mask"].all():
            _, reward, terminated, truncated, info = env.step(3)
            assert (reward, terminated, truncated, info["rewards"].tolist()) == (0, True, False, [0, 1])
            return
    raise AssertionError("no match of forty is over at once")


@pytest.mark.parametrize("bots", ["thrall", "search@1"])
def test_step_limits(bots: str) -> None:
    env = gym_env("viking-axes", bots=bots, max_episode_steps=3)
    _, info = env.reset(seed=1)
    for step in range(1, 4):
        *_, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        assert (terminated, truncated) == (False, step == 3)


@pytest.mark.parametrize("bots", ["karl", "search@1"])
@pytest.mark.parametrize("copied", [deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copy_goes_on_like_the_original(bots: str, copied: Any) -> None:
    env = gym_env("viking-axes", bots=bots)
    _, info = env.reset(seed=1)
    env.step(int(info["action_mask"].argmax()))
    other = copied(env)
    for _ in range(4):
        action = int(env.action_masks().argmax())
        assert np.array_equal(env.step(action)[0], other.step(action)[0])


@pytest.mark.parametrize("observations", ["flat", "dict"])
def test_outputs_are_copies_or_the_memory_of_the_environment(observations: Any) -> None:
    for copy in (True, False):
        env = gym_env("viking-axes", observations=observations, copy=copy)
        seen: Any
        seen, info = env.reset(seed=1)
        before, mask = deepcopy(seen), info["action_mask"]
        _, *_, later = env.step(int(info["action_mask"].argmax()))
        same = all(np.array_equal(seen[key], before[key]) for key in before) if observations == "dict" else (seen == before).all()
        assert bool(same) is copy
        assert (later["action_mask"] is mask) is not copy


@pytest.mark.parametrize("name", ["AxesAndAllies", "Axxa", "DungeonAllies", "VikingAxes"])
def test_every_installed_game_has_an_id(name: str) -> None:
    env = gymnasium.make(f"Meadhall/{name}-v1", bots="thrall", render_mode="ansi")
    _, info = env.reset(seed=1)
    env.step(env.action_space.sample(info["action_mask"]))
    assert isinstance(env.render(), str)
    assert pickle.loads(pickle.dumps(env.spec)) == env.spec
    many = gymnasium.make_vec(f"Meadhall/{name}-v1", num_envs=3)
    assert many.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    many.reset(seed=1)


@pytest.mark.slow("starts processes that import everything again")
def test_an_id_with_its_module_works_in_processes_that_were_not_forked() -> None:
    make = partial(gymnasium.make, "meadhall.envs:Meadhall/VikingAxes-v1", bots="thrall")
    envs = AsyncVectorEnv([make, make], context="spawn", shared_memory=False)
    try:
        _, infos = envs.reset(seed=1)
        assert infos["action_mask"].shape[0] == 2
    finally:
        envs.close()


def test_ids_name_options_and_work_in_vectors_of_gymnasium() -> None:
    made: Any = gymnasium.make("Meadhall/VikingAxes-v1", seat=2, players=3, variant="strategic", max_episode_steps=2)
    _, info = made.reset(seed=1)
    assert info["seat"] == 2
    assert made.unwrapped.options["variant"] == "strategic"
    assert repr(made.unwrapped) == "<CompiledEnv of viking-axes: 3 players>"


@pytest.mark.parametrize("bots", ["thrall", "search@1"])
def test_vectors_of_gymnasium_ask_once_more_after_the_end_and_the_mask_allows_an_action(bots: str) -> None:
    made = gymnasium.make_vec(
        "Meadhall/AxesAndAllies-v1", 3, vectorization_mode="sync", bots=bots, seat=None if bots == "thrall" else 0
    )
    draw, (_, infos) = np.random.default_rng(1), made.reset(seed=1)
    ended = 0
    for _ in range(60):
        masks = infos["action_mask"]
        chances = masks / masks.sum(axis=1, keepdims=True)  # as of every loop with a softmax over legal actions
        *_, over, _, infos = made.step(np.array([draw.choice(12, p=row) for row in chances]))
        ended += over.sum()
    assert ended > 3


def test_ids_are_added_when_gymnasium_is_imported_and_neither_it_nor_jinja_before() -> None:
    code = (
        "import sys, meadhall, meadhall.envs; from dataclasses import replace; from meadhall.sdk import register\n"
        "print(*{'gymnasium', 'pettingzoo', 'jinja2', 'litestar'} & sys.modules.keys())\n"
        "axes = meadhall.game('axes-and-allies'); register(replace(axes, name='early-axes')); import gymnasium\n"
        "register(replace(axes, name='late-axes'))\n"
        "for name in ('AxesAndAllies', 'EarlyAxes', 'LateAxes'):\n"
        "    print(gymnasium.make(f'Meadhall/{name}-v1').unwrapped.game.name)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split("\n") == ["", "axes-and-allies", "early-axes", "late-axes", ""]


def test_an_id_can_name_the_module_that_registers_it() -> None:
    made: Any = gymnasium.make("meadhall.envs:Meadhall/AxesAndAllies-v1")
    assert made.unwrapped.game.name == "axes-and-allies"


def test_wrappers_of_gymnasium_work() -> None:
    env = TimeLimit(RecordEpisodeStatistics(FlattenObservation(gym_env("viking-axes", observations="dict"))), 500)
    _, _, info = finish(env, 1)
    assert info["episode"]["r"] == info["rewards"][0]


def test_render_shows_what_the_learner_may_know() -> None:
    for bots in ("thrall", "search@1"):
        env = gym_env("viking-axes", bots=bots, render_mode="ansi")
        env.reset(seed=1)
        assert "Player 1" in env.render()
        picture = gym_env("axes-and-allies", bots=bots, render_mode="svg")
        picture.reset(seed=1)
        assert picture.render().startswith("<svg")
        assert gym_env("viking-axes").render() is None


@pytest.mark.parametrize(
    "arguments",
    [
        {"seat": 2},
        {"bots": 7},
        {"bots": ["thrall"] * 2},
        {"illegal": "no"},
        {"observations": "x"},
        {"render_mode": "human"},
        {"a": 1},
    ],
)
def test_invalid_arguments_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(BadSetup):
        gym_env("viking-axes", **arguments)


def test_an_unknown_bot_and_a_step_before_the_first_reset_are_refused() -> None:
    with pytest.raises(UnknownBot):
        gym_env("viking-axes", bots="emperor")
    for bots in ("thrall", "search@1"):
        with pytest.raises(BadSetup, match="reset the environment"):
            gym_env("viking-axes", bots=bots).step(0)


def test_seats_that_choose_at_the_same_time() -> None:
    from games_for_tests import goofspiel  # noqa: PLC0415

    with registered(goofspiel.game):
        for bots in ("thrall", lambda view: view.legal[0]):
            env = gym_env(goofspiel.game, seat=1, bots=bots)
            _, reward, info = finish(env, 1)
            assert reward == info["rewards"][1]
