"""PettingZoo's own suites, for every game."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test, state_test
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from games_for_tests.every import EVERY_GAME
from games_for_tests.goofspiel import game as goofspiel
from games_for_tests.kuhn import game as kuhn
from games_for_tests.least import game as least
from games_for_tests.outnumbered import game as outnumbered
from meadhall import BadSetup, Game, IllegalAction, MalformedAction
from meadhall.envs import aec_env, parallel_env
from meadhall.sdk import register

# Of an environment whose observation is a dictionary with an action mask, unless PettingZoo knows its name.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
    pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros"),
]

SMALL: list[Game] = [goofspiel, kuhn, register(least), outnumbered]
GAMES = [*EVERY_GAME, *SMALL]
VARIANTS: list[Any] = [
    *((game.name, game.min_players, {}) for game in EVERY_GAME),
    ("axes-and-allies", 6, {}),
    ("axxa", 4, {"mode": "versus"}),
    ("viking-axes", 3, {"variant": "strategic"}),
    *((game.name, game.max_players, {}) for game in SMALL),
]


def checked(env: Any) -> Any:
    """Return an environment with the wrappers that PettingZoo's own games have."""
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(TerminateIllegalWrapper(env, illegal_reward=-1)))


@pytest.mark.parametrize(("name", "players", "options"), VARIANTS)
def test_aec_api(name: str, players: int, options: dict[str, Any]) -> None:
    api_test(aec_env(name, players, **options), num_cycles=40)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_aec_api_with_named_observations_and_wrappers(game: Game) -> None:
    api_test(checked(aec_env(game, observations="dict")), num_cycles=10)


@pytest.mark.parametrize(("name", "players", "options"), VARIANTS)
def test_seed(name: str, players: int, options: dict[str, Any]) -> None:
    seed_test(lambda: aec_env(name, players, **options), num_cycles=30)


@pytest.mark.parametrize("game", [goofspiel], ids=lambda game: game.name)
def test_parallel_api(game: Game) -> None:
    parallel_api_test(parallel_env(game), num_cycles=20)


def test_parallel_seed() -> None:
    parallel_seed_test(lambda: parallel_env(goofspiel), num_cycles=10)


@pytest.mark.parametrize(("name", "players", "options"), VARIANTS)
def test_state(name: str, players: int, options: dict[str, Any]) -> None:
    parallel = parallel_env(goofspiel)
    state_test(checked(aec_env(name, players, **options)), parallel, num_cycles=5)


def test_a_parallel_match_is_truncated_after_so_many_cycles() -> None:
    env = parallel_env(goofspiel, max_cycles=2)
    env.reset(seed=3)
    truncations = [env.step(dict.fromkeys(env.agents, card))[3] for card in range(2)]
    assert [set(each.values()) for each in truncations] == [{False}, {True}]
    assert not env.agents


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_render(game: Game, capsys: pytest.CaptureFixture[str]) -> None:
    def made(render_mode: str) -> Any:
        return aec_env(game, render_mode=render_mode)

    render_test(made, custom_tests={"svg": lambda drawn: drawn.startswith("<svg")})
    made("human").reset()
    env = made("human")
    env.reset()
    assert env.render() is None
    assert capsys.readouterr().out


# ------------------------------------------------------------------------------------------------------- what they don't test


def test_the_payoffs_are_the_rewards_of_the_end() -> None:
    env = aec_env("axes-and-allies", players=3)
    env.reset(seed=5)
    total = dict.fromkeys(env.agents, 0.0)
    for agent in env.agent_iter():
        seen, reward, terminated, _truncated, _info = env.last()
        total[agent] += reward
        assert terminated == env.match.over
        assert terminated or reward == 0
        env.step(None if terminated else int(np.flatnonzero(seen["action_mask"])[0]))
    result = env.match.result()
    assert result is not None
    assert tuple(total.values()) == result.scores


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    env = aec_env("viking-axes", players=2)
    env.reset(seed=1)
    before, agent = env.state().tobytes(), env.agent_selection
    illegal = int(np.flatnonzero(env.observe(agent)["action_mask"] == 0)[0])
    with pytest.raises(IllegalAction) as refused:
        env.step(illegal)
    assert refused.value.rule.startswith("VA-")
    with pytest.raises(MalformedAction):
        env.step(10_000)
    assert env.state().tobytes() == before
    assert env.agent_selection == agent


def test_without_a_seed_another_match_follows_and_a_seed_repeats_the_series() -> None:
    env = aec_env("viking-axes")
    series = []
    for seed in (7, None, None, 7, None, None):
        env.reset(seed=seed)
        series.append(env.state().tobytes())
    assert series[:3] == series[3:]
    assert len(set(series[:3])) == 3


def test_a_seat_sees_no_sealed_choice_of_another() -> None:
    shown = []
    for card in (0, 1):
        env = aec_env(goofspiel)
        env.reset(seed=3)
        env.step(card)
        shown.append({name: cells.tolist() for name, cells in env.observe("player_1").items()})
    assert shown[0] == shown[1]


def test_in_a_parallel_step_all_act_and_a_missing_action_changes_nothing() -> None:
    env = parallel_env(goofspiel, players=3)
    env.reset(seed=3)
    before = env.state().tobytes()
    with pytest.raises(MalformedAction, match="player_2 has to choose"):
        env.step({"player_0": 0, "player_1": 1})
    with pytest.raises(IllegalAction):
        env.step({"player_0": 0, "player_1": 1, "player_2": 5})
    assert env.state().tobytes() == before
    env.step({"player_0": 0, "player_1": 1, "player_2": 2})
    assert [step.action for step in env.match.steps] == [0, 1, 2]


def test_cycles_are_the_decisions_of_a_seat() -> None:
    env = aec_env("viking-axes", max_cycles=3)
    env.reset(seed=2)
    counts = dict.fromkeys(env.agents, 0)
    for agent in env.agent_iter():
        seen, _reward, terminated, truncated, _info = env.last()
        counts[agent] += not (terminated or truncated)
        env.step(None if terminated or truncated else int(np.flatnonzero(seen["action_mask"])[0]))
    assert max(counts.values()) == 3
    assert not env.match.over


def test_arguments_are_checked() -> None:
    for arguments in ({"players": 9}, {"render_mode": "crayon"}, {"max_cycles": 0}, {"observations": "poem"}, {"mode": "x"}):
        with pytest.raises(BadSetup):
            aec_env("viking-axes", **arguments)
    with pytest.raises(BadSetup, match="use aec_env"):
        parallel_env("viking-axes")


def test_a_misspelt_agent_is_answered_with_the_nearest() -> None:
    env = aec_env(goofspiel)
    env.reset(seed=1)
    for ask in (env.observe, env.action_space, env.observation_space):
        with pytest.raises(KeyError, match=r"no 'playr_1'; did you mean player_1\? the names are: player_0, player_1"):
            ask("playr_1")
