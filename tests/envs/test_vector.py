"""The vector environment: the same matches as ``Batch``, observed by the seat that is asked."""

from __future__ import annotations

import pickle
from copy import deepcopy
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

import meadhall
from meadhall import BadSetup, Batch, IllegalAction, MalformedAction
from meadhall.engine.compile.rule import INTERPRETED, rule
from meadhall.engine.state.chance import below
from meadhall.envs import desks, layout, observe, vector, vector_env

SETUPS: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("axes-and-allies", 3, {}),
    ("viking-axes", 3, {"variant": "strategic"}),
    ("axxa", 2, {"mode": "versus"}),
    ("dungeon-allies", 2, {}),
)
COUNT = 5

# The smallest game is compiled in every run, the others only in a long one.
every_game = pytest.mark.parametrize(
    ("name", "players", "options"),
    [
        pytest.param(*SETUPS[0], marks=pytest.mark.compiled, id=SETUPS[0][0]),
        *(pytest.param(*setup, id=setup[0]) for setup in SETUPS[1:]),
        *(
            pytest.param(*setup, marks=[pytest.mark.compiled, pytest.mark.long], id=f"{setup[0]}-compiled")
            for setup in SETUPS[1:]
        ),
    ],
)


def choose(masks: npt.NDArray[np.int8], draw: np.random.Generator) -> npt.NDArray[np.int64]:
    """Choose legal actions at random."""
    chosen: npt.NDArray[np.int64] = (masks * draw.random(masks.shape)).argmax(axis=1)
    return chosen


@every_game
@pytest.mark.parametrize("form", ["flat", "dict"])
def test_self_play_is_the_batch_of_that_seed(name: str, players: int, options: dict[str, Any], form: Any) -> None:
    batch = Batch(name, players, COUNT, seed="a", **options)
    env = vector_env(name, COUNT, players=players, autoreset="disabled", observations=form, **options)
    draw = np.random.default_rng(1)
    observations, infos = env.reset(seed="a")
    for _ in range(25):
        living = batch.actors() >= 0
        assert (infos["action_mask"][living].astype(bool) == batch.legal_masks()[living]).all()
        assert infos["action_mask"][~living].all(), "the action is ignored"
        assert (infos["seat"][living] == batch.actors()[living]).all()
        for i in np.flatnonzero(living):
            expected = observe(batch.game, batch.states[i : i + 1], int(infos["seat"][i]), form)
            assert _equal(_row(observations, int(i)), expected)
        actions = choose(infos["action_mask"], draw)
        seats = infos["seat"]
        batch.step(actions)
        observations, rewards, terminated, _, infos = env.step(actions)
        assert (terminated == (batch.actors() < 0)).all()
        assert (infos["rewards"][living] == batch.scores()[living]).all()
        assert (rewards == infos["rewards"][np.arange(COUNT), seats]).all()


def _row(observations: Any, i: int) -> Any:
    return {key: cells[i] for key, cells in observations.items()} if isinstance(observations, dict) else observations[i]


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return list(one) == list(other) and all(np.array_equal(one[key], other[key]) for key in one)
    return bool(np.array_equal(one, other))


@every_game
@pytest.mark.parametrize("seat", [0, "rotate"])
def test_only_the_learner_is_asked_and_bots_play_the_other_seats(
    name: str, players: int, options: dict[str, Any], seat: Any
) -> None:
    env = vector_env(name, COUNT, players=players, seat=seat, bots=["thrall"] * (players - 1), observations="dict", **options)
    draw = np.random.default_rng(2)
    observations, infos = env.reset(seed=7)
    seats = set()
    for _ in range(20):
        assert ((observations["viewer"] == observations["actor"]) | (observations["actor"] < 0)).all()
        assert (observations["viewer"][:, 0] == infos["seat"]).all()
        assert env.observation_space.contains(observations)
        seats |= set(infos["seat"].tolist())
        observations, *_, infos = env.step(choose(infos["action_mask"], draw))
    assert seats == ({0} if seat == 0 else set(range(players)))


def test_a_greedy_opponent_wins_more_often_than_a_random_one() -> None:
    rewards = {}
    for bots in ("thrall", "karl"):
        env = vector_env("axes-and-allies", 8, seat=0, bots=bots)
        draw, (_, infos), total, ended = np.random.default_rng(3), env.reset(seed=5), 0.0, 0
        while ended < 150:
            _, reward, terminated, _, infos = env.step(choose(infos["action_mask"], draw))
            total, ended = total + reward.sum(), ended + terminated.sum()
        rewards[bots] = total / ended
    assert rewards["karl"] < rewards["thrall"] - 0.05


def test_a_match_that_is_over_before_the_learners_first_decision_is_an_episode_with_its_reward() -> None:
    games = 40
    env = vector_env("axes-and-allies", games, seat=0, bots="karl", observations="dict", autoreset="disabled")
    observations, infos = env.reset(seed=1)
    over = observations["actor"][:, 0] < 0
    assert 0 < over.sum() < games / 2
    assert infos["action_mask"][over].all()
    _, rewards, terminated, _, infos = env.step(np.where(over, 11, infos["action_mask"].argmax(axis=1)))
    assert terminated[over].all()
    assert (infos["rewards"][over] == [0, 1]).all()
    assert (rewards[over] == 0).all()
    assert not infos["illegal"].any()


@rule
def last_legal(state: Any, legal: Any, count: int, rng: Any) -> int:
    below(rng, 2)
    return int(legal[count - 1])


def test_a_rule_of_ones_own_can_play_the_other_seats() -> None:
    env = vector_env("axes-and-allies", 3, players=2, seat=0, bots=last_legal, observations="dict")
    observations, infos = env.reset(seed=1)
    for _ in range(20):  # the bot always allies, so the learner is never killed
        assert observations["alive"][:, 0].all()
        observations, *_, infos = env.step(infos["action_mask"].argmax(axis=1))
        assert not infos["illegal"].any()


def test_matches_that_end_are_replaced_in_the_same_step() -> None:
    env = vector_env("axes-and-allies", COUNT, observations="dict")
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    ended = 0
    draw, (_, infos) = np.random.default_rng(4), env.reset(seed=1)
    while ended < 20:
        observations, rewards, terminated, truncated, infos = env.step(choose(infos["action_mask"], draw))
        assert not truncated.any()
        assert (observations["actor"] >= 0).all()
        assert infos["action_mask"].any(axis=1).all()
        if terminated.any():
            assert (infos["_final_obs"] == terminated).all()
            assert (infos["final_obs"]["actor"][terminated] == -1).all()
            assert (infos["rewards"].sum(axis=1) == terminated).all()
        assert (rewards[~terminated] == 0).all()
        ended += int(terminated.sum())


def test_matches_that_end_are_replaced_in_the_next_step() -> None:
    env = vector_env("axes-and-allies", COUNT, observations="dict", autoreset=AutoresetMode.NEXT_STEP)
    before = np.zeros(COUNT, bool)
    draw, (_, infos) = np.random.default_rng(4), env.reset(seed=1)
    replaced = 0
    while replaced < 20:
        observations, rewards, terminated, _, infos = env.step(choose(infos["action_mask"], draw))
        assert (observations["actor"][:, 0] < 0).tolist() == terminated.tolist()
        assert infos["action_mask"][terminated].all()
        assert not (before & terminated).any()
        assert (rewards[before] == 0).all()
        replaced += int(before.sum())
        before = terminated


def test_a_match_that_ended_waits_for_a_reset_and_only_that_one_is_reset() -> None:
    env = vector_env("axes-and-allies", COUNT, autoreset="disabled", observations="dict")
    draw, (_, infos) = np.random.default_rng(4), env.reset(seed=1)
    terminated = np.zeros(COUNT, bool)
    while not terminated.any():
        observations, _, terminated, _, infos = env.step(choose(infos["action_mask"], draw))
    again, rewards, still, _, infos = env.step(choose(infos["action_mask"], draw))
    assert still[terminated].all()
    assert infos["action_mask"][terminated].all(), "the action is ignored"
    assert (rewards[terminated] == 0).all()
    assert all((again[key][terminated] == observations[key][terminated]).all() for key in again)
    observations, infos = env.reset(options={"reset_mask": terminated})
    assert (observations["actor"][terminated] >= 0).all()
    assert all((again[key][~still] == observations[key][~still]).all() for key in again)


def test_long_matches_are_truncated() -> None:
    env = vector_env("viking-axes", 3, max_episode_steps=4)
    draw, (_, infos) = np.random.default_rng(4), env.reset(seed=1)
    for step in range(1, 13):
        _, rewards, terminated, truncated, infos = env.step(choose(infos["action_mask"], draw))
        assert not terminated.any()
        assert truncated.all() == truncated.any() == (step % 4 == 0)
        assert not rewards.any()


def test_an_illegal_action_loses_the_match_or_raises_and_changes_nothing() -> None:
    env = vector_env("axes-and-allies", 2, autoreset="disabled")
    _, infos = env.reset(seed=1)
    actions = infos["action_mask"].argmax(axis=1)
    actions[1] = infos["action_mask"][1].argmin()
    _, rewards, terminated, _, infos = env.step(actions)
    assert (rewards.tolist(), terminated.tolist(), infos["illegal"].tolist()) == ([0, 0], [False, True], [False, True])
    strict = vector_env("axes-and-allies", 2, illegal="raise")
    before: Any
    after: Any
    before, _ = strict.reset(seed=1)
    for wrong in (actions[1], 12, -1, 1 << 40):
        with pytest.raises(IllegalAction, match=f"match 1: action {wrong} is illegal") as refused:
            strict.step([actions[0], wrong])
        assert bool(refused.value.rule) == (0 <= wrong < 12)
    after, _ = strict.reset(options={"reset_mask": np.array([False, True])})
    assert (before[0] == after[0]).all()


def test_a_seed_or_one_seed_for_each_match_determines_everything() -> None:
    runs: list[Any] = []
    for seed in (4, 4, 5, [4, 4, 4], [4, 5, 6]):
        env = vector_env("viking-axes", 3, seat=1, bots="karl", players=3)
        draw, (observations, infos) = np.random.default_rng(1), env.reset(seed=seed)
        for _ in range(30):
            observations, *_, infos = env.step(choose(infos["action_mask"], draw))
        runs.append(observations)
    assert (runs[0] == runs[1]).all()
    assert not (runs[0] == runs[2]).all()
    starts: Any
    starts, _ = vector_env("viking-axes", 3, seat=1, bots="karl", players=3).reset(seed=[4, 4, 6])
    assert (starts[0] == starts[1]).all()
    assert not (starts[0] == starts[2]).all()


def test_results_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector, "FEWEST", 2)
    runs: list[Any] = []
    for threads in (1, 3):
        env = vector_env("axes-and-allies", 7, seat="rotate", bots="karl", players=3, threads=threads)
        draw, (_, infos) = np.random.default_rng(1), env.reset(seed="one")
        for _ in range(40):
            observations, *_, infos = env.step(choose(infos["action_mask"], draw))
        runs.append(observations)
        env.close()
    assert (runs[0] == runs[1]).all()


@pytest.mark.parametrize("copied", [deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copy_goes_on_like_the_original(copied: Any) -> None:
    env = vector_env("viking-axes", 3, seat=0, bots="karl")
    draw, (_, infos) = np.random.default_rng(1), env.reset(seed="one")
    for _ in range(5):
        *_, infos = env.step(choose(infos["action_mask"], draw))
    other = copied(env)
    for _ in range(5):
        actions = choose(infos["action_mask"], draw)
        one: Any
        two: Any
        one, two = env.step(actions), other.step(actions)
        infos = one[-1]
        assert all(np.array_equal(a, b) for a, b in zip(one[:4], two[:4], strict=True))


@pytest.mark.parametrize("form", ["flat", "dict"])
def test_outputs_are_copies_or_the_memory_of_the_environment(form: Any) -> None:
    for copy in (True, False):
        env = vector_env("viking-axes", 3, observations=form, copy=copy)
        before, infos = env.reset(seed=1)
        kept = deepcopy(before)
        after, *_ = env.step(infos["action_mask"].argmax(axis=1))
        assert _equal(before, kept) is copy
        assert _equal(before, after) is not copy


def test_wrappers_of_gymnasium_work() -> None:
    env = DictInfoToList(RecordEpisodeStatistics(vector_env("axes-and-allies", 4)))
    draw, (_, infos) = np.random.default_rng(1), env.reset(seed=1)
    finished = 0
    while not finished:
        masks = np.array([info["action_mask"] for info in infos])
        *_, infos = env.step(choose(masks, draw))
        finished = sum("episode" in info for info in infos)


def test_the_action_space_draws_legal_actions_with_the_mask() -> None:
    env = vector_env("axxa", 3)
    _, infos = env.reset(seed=1)
    for _ in range(5):
        actions = env.action_space.sample(mask=tuple(infos["action_mask"]))
        *_, infos = env.step(actions)
        assert not infos["illegal"].any()


@pytest.mark.parametrize(
    "arguments",
    [
        {"num_envs": 0},
        {"players": 9},
        {"seat": 2},
        {"seat": "any"},
        {"seat": 0, "bots": "king"},
        {"seat": 0, "bots": ["thrall", "thrall"]},
        {"observations": "picture"},
        {"autoreset": "soon"},
        {"max_episode_steps": 0},
        {"illegal": "ignore"},
        {"threads": 0},
        {"variant": "standard"},
    ],
)
def test_invalid_arguments_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(BadSetup):
        vector_env("axes-and-allies", **arguments)


def test_invalid_calls_are_refused() -> None:
    env = vector_env("axes-and-allies", 2)
    with pytest.raises(BadSetup, match="reset the environment"):
        env.step([0, 0])
    for mask in ([True, False], np.zeros(2, bool), np.ones(3, bool), np.ones(2)):
        with pytest.raises(BadSetup, match="reset_mask"):
            env.reset(options={"reset_mask": mask})
    for seed in ([1], 1.5, [1, 1.5]):
        with pytest.raises(BadSetup):
            env.reset(seed=seed)  # type: ignore[arg-type]
    env.reset(seed=1)
    with pytest.raises(BadSetup, match="2 actions"):
        env.step([0])
    with pytest.raises(MalformedAction):
        env.step([0.5, 1.0])


def test_observations_have_the_fields_of_the_schema_without_the_engines() -> None:
    fields = {field.name for field in layout(meadhall.game("viking-axes")).fields}
    assert {"viewer", "players", "actor", "hand", "pile"} <= fields
    assert not {"rng", "reveals"} & fields


@pytest.mark.compiled
@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_only_the_rules_that_are_used_are_compiled() -> None:
    env = vector_env("axes-and-allies", 2)
    _, infos = env.reset(seed=1)
    env.step(infos["action_mask"].argmax(axis=1))
    assert env._module.advance.signatures
    unused = (env._module.play_bots, env._module.bot_action, env._module.flatten_one)
    assert [rule for rule in unused if rule.signatures] == []


def test_compiling_that_takes_long_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(desks, "INTERPRETED", False)
    monkeypatch.setattr(desks, "PATIENCE", 0.0)
    subject, said = meadhall.game("axes-and-allies"), ""
    with desks.announced(subject, SimpleNamespace(signatures=[])):
        while "compiling the rules of Axes and Allies, once" not in said:
            said += capsys.readouterr().err
    assert "the rules of Axes and Allies are compiled" in capsys.readouterr().err
    with desks.announced(subject, SimpleNamespace(signatures=["compiled"])):
        pass
    assert capsys.readouterr().err == ""


def test_an_environment_calls_only_the_bots_that_it_needs() -> None:
    cases: tuple[tuple[Any, Any, tuple[bool, bool, bool]], ...] = (
        (0, "thrall", (True, False, False)),
        (0, "karl", (True, True, False)),
        (0, last_legal, (True, False, True)),
        (None, "karl", (False, False, False)),
    )
    for seat, bots, used in cases:
        module = vector_env("viking-axes", 1, seat=seat, bots=bots)._module
        assert used == (module.BOTS, module.GREEDY_BOTS, module.OWN_BOTS)


def test_the_flat_observation_of_every_game_is_that_of_the_layout() -> None:
    for name in ("axes-and-allies", "dungeon-allies"):
        env = vector_env(name, 2, seat=0, players=2, copy=False)
        observations: Any
        observations, infos = env.reset(seed=1)
        for _ in range(3):
            assert np.array_equal(observations, env.layout.flat(env._desks["view"]))
            observations, *_, infos = env.step(infos["action_mask"].argmax(axis=1))
        assert np.shares_memory(observations, env.step(infos["action_mask"].argmax(axis=1))[0])


@pytest.mark.parametrize("form", ["flat", "dict"])
@pytest.mark.parametrize("name", ["axes-and-allies", "dungeon-allies"])
def test_outputs_are_exchanged_by_dlpack_without_copies(name: str, form: Any) -> None:
    env = vector_env(name, 3, observations=form, copy=False)
    observations: Any
    observations, infos = env.reset(seed=1)
    for array in (*(observations.values() if form == "dict" else (observations,)), infos["action_mask"]):
        taken = np.from_dlpack(array)
        assert np.shares_memory(taken, array)
        assert np.array_equal(taken, array)
    masks = np.from_dlpack(infos["action_mask"])
    actions = np.from_dlpack(masks.argmax(axis=1))
    observations, *_, later = env.step(actions)
    assert (masks == later["action_mask"]).all()  # a step writes into the memory that the other library sees
