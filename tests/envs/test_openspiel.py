"""OpenSpiel's own suites, for every game."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
import unittest
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyspiel
import pytest
from absl import flags
from open_spiel.python import rl_environment, test_utils
from open_spiel.python.algorithms import (
    cfr,
    expected_game_score,
    exploitability,
    get_all_states,
    ismcts,
    mcts,
    tabular_qlearner,
)

from games_for_tests.every import EVERY_GAME
from games_for_tests.goofspiel import game as goofspiel
from games_for_tests.kuhn import game as kuhn
from games_for_tests.least import game as least
from games_for_tests.nim import game as nim
from games_for_tests.outnumbered import game as outnumbered
from meadhall import BadSetup
from meadhall.engine.errors import how_to_install
from meadhall.envs import openspiel
from meadhall.games import dungeon_allies
from meadhall.sdk import register

# These make their tests when they are imported: for the games that are registered by then.
SMALL = [
    openspiel.register(game) for game in (goofspiel, kuhn, register(least), register(replace(nim, name="open-nim")), outnumbered)
]
NAMES = [*(openspiel.register(game) for game in EVERY_GAME), *SMALL]

from open_spiel.integration_tests import api_test  # noqa: E402
from open_spiel.python.tests import games_sim_test  # noqa: E402

VARIANTS = [
    *NAMES,
    "python_meadhall_axes_and_allies(players=6)",
    "python_meadhall_axxa(mode=versus,players=4,order=any)",
    "python_meadhall_goofspiel(players=3)",
    "python_meadhall_hoard(mode=together,players=3)",
    "python_meadhall_hoard(mode=sides,players=4)",
    "python_meadhall_outnumbered(hunter=dared)",
    "python_meadhall_viking_axes(players=3,variant=strategic)",
]


def large_in_long_runs(names: list[str]) -> list[Any]:
    """Return the names for ``parametrize``. The large games reach no other line of the environment than the others."""
    large = ("python_meadhall_axxa", "python_meadhall_dungeon_allies")
    return [pytest.param(name, marks=pytest.mark.long) if name.startswith(large) else name for name in names]


def each_test(suite: Any) -> Iterator[unittest.TestCase]:
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from each_test(test)
        else:
            yield test


def run(tests: list[unittest.TestCase]) -> None:
    result = unittest.TestResult()
    for test in tests:
        type(test).setUpClass()
        test.run(result)
        type(test).tearDownClass()
    assert result.testsRun == len(tests)
    assert not result.failures + result.errors, "\n".join(text for _, text in result.failures + result.errors)


@pytest.mark.parametrize("name", large_in_long_runs(VARIANTS))
def test_random_sim_test(name: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("name", large_in_long_runs(NAMES))
def test_games_sim_test(name: str) -> None:
    everything = each_test(unittest.defaultTestLoader.loadTestsFromModule(games_sim_test))
    ours = [test for test in everything if test.id().endswith(name)]
    assert ours, "this suite makes its tests when it is imported: the games must be registered before"
    run(ours)


@pytest.mark.parametrize("name", large_in_long_runs(NAMES))
def test_api_test(name: str) -> None:
    flags.FLAGS(["tests", f"--test_only_games={name}$"])
    (case,) = api_test._create_test_case_classes()
    run(list(each_test(unittest.defaultTestLoader.loadTestsFromTestCase(case))))


# ------------------------------------------------------------------------------------------------------- what they don't test


def played(game: Any, decisions: int, seed: int = 0) -> Any:
    """Return a state after some random decisions."""
    state, draw = game.new_initial_state(), Random(seed)
    while decisions > 0 or state.is_chance_node():
        decisions -= not state.is_chance_node()
        outcomes = state.chance_outcomes() if state.is_chance_node() else [(action, 1) for action in state.legal_actions()]
        state.apply_action(draw.choice(outcomes)[0])
    return state


def test_parameters_are_the_players_and_the_options() -> None:
    game = pyspiel.load_game("python_meadhall_viking_axes(players=3,variant=strategic,hand=1,hits=5)")
    assert game.num_players() == 3
    usual = {"armory": "after", "players": 3, "variant": "strategic", "hits_of_two": 15}
    assert game.get_parameters() == {**usual, "hits": 5, "hand": 1}
    assert len(played(game, 0).legal_actions()) <= 2  # kinds of cards in the hand
    with pytest.raises((BadSetup, RuntimeError), match="hits must be a number from 3 to 30"):
        pyspiel.load_game("python_meadhall_viking_axes(hits=31)")
    with pytest.raises((BadSetup, RuntimeError), match="players"):
        pyspiel.load_game("python_meadhall_viking_axes(players=8)")
    with pytest.raises((BadSetup, RuntimeError), match="variant"):
        pyspiel.load_game("python_meadhall_viking_axes(variant=wild)")


def test_a_document_is_given_as_a_file(tmp_path: Path) -> None:
    components = Path(dungeon_allies.__file__).parent / "components.toml"
    changed = tmp_path / "mine.toml"
    text = components.read_text("utf-8")
    changed.write_text(re.sub(r'(?m)^name = "[^"]+"', 'name = "My Own"', text, count=1), "utf-8")
    game = pyspiel.load_game("python_meadhall_dungeon_allies", {"components": str(changed)})
    assert game.setting.options["components"]["sha256"] != game.setting.game.options[0].default["sha256"]
    again = pickle.loads(pickle.dumps(game))
    assert again.setting.options == game.setting.options


def test_the_type_tells_the_kind_of_the_game() -> None:
    kinds = pyspiel.GameType
    axes = pyspiel.load_game("python_meadhall_axes_and_allies(players=4)")
    assert axes.get_type().information == kinds.Information.PERFECT_INFORMATION
    assert axes.get_type().utility == kinds.Utility.CONSTANT_SUM
    assert (axes.min_utility(), axes.max_utility(), axes.utility_sum()) == (0, 1, 1)
    assert pyspiel.load_game("python_meadhall_axxa").get_type().utility == kinds.Utility.IDENTICAL
    versus = pyspiel.load_game("python_meadhall_axxa(mode=versus,players=4)")
    assert versus.get_type().utility == kinds.Utility.CONSTANT_SUM
    assert versus.utility_sum() == 2
    kuhn_poker = pyspiel.load_game("python_meadhall_kuhn")
    assert kuhn_poker.get_type().utility == kinds.Utility.ZERO_SUM
    assert (kuhn_poker.min_utility(), kuhn_poker.max_utility(), kuhn_poker.utility_sum()) == (-2, 2, 0)
    assert pyspiel.load_game("python_meadhall_open_nim").get_type().chance_mode == kinds.ChanceMode.DETERMINISTIC
    assert pyspiel.load_game("python_meadhall_goofspiel").get_type().dynamics == kinds.Dynamics.SIMULTANEOUS


IMPERFECT = [
    "python_meadhall_axxa",
    "python_meadhall_dungeon_allies(players=3)",
    "python_meadhall_hoard(players=3)",
    "python_meadhall_viking_axes(players=3,variant=strategic)",
]


@pytest.mark.parametrize("name", IMPERFECT)
def test_resample_from_infostate(name: str) -> None:
    game, draw, texts = pyspiel.load_game(name), Random(4), set()
    state = played(game, 6)
    for seat in range(game.num_players()):
        for _ in range(4):
            sample = state.resample_from_infostate(seat, draw.random)
            assert sample.information_state_string(seat) == state.information_state_string(seat)
            assert sample.legal_actions() == sample.legal_actions(state.current_player()) != []
            assert all(item.player >= 0 for item in sample.full_history()), "the outcomes of chance tell what is hidden"
            texts.add(str(sample))
            for copy in (sample.clone(), pickle.loads(pickle.dumps(sample))):
                assert str(copy) == str(sample)
                assert copy.history() == sample.history()
            test_utils.random_playout(sample, seed=7)
            assert sample.is_terminal()
    assert len(texts) > 1, "nothing was dealt again"


def test_the_tree_of_kuhn_poker_is_that_of_openspiel() -> None:
    def states(name: str) -> tuple[int, int, int]:
        found = get_all_states.get_all_states(pyspiel.load_game(name), include_chance_states=True).values()
        ends, chances = (
            sum(test(state) for state in found) for test in (pyspiel.State.is_terminal, pyspiel.State.is_chance_node)
        )
        return chances, len(found) - ends - chances, ends

    assert states("python_meadhall_kuhn") == states("kuhn_poker")
    assert len(api_test._assert_is_perfect_recall(pyspiel.load_game("python_meadhall_kuhn"))) == 12


def test_cfr_solves_kuhn_poker() -> None:
    game = pyspiel.load_game("python_meadhall_kuhn")
    solver = cfr.CFRPlusSolver(game)
    for _ in range(60):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    value = expected_game_score.policy_value(game.new_initial_state(), [policy] * 2)
    assert value[0] == pytest.approx(-1 / 18, abs=0.01)
    assert exploitability.nash_conv(game, policy) < 0.05


@pytest.mark.long
def test_mcts_plays_and_does_not_foresee_the_dice() -> None:
    game = pyspiel.load_game("python_meadhall_axes_and_allies")
    state = played(game, 0)
    match_view = state.position.view(state.current_player())
    solution = match_view.game.solver(match_view)
    random = np.random.RandomState(1)
    bot = mcts.MCTSBot(game, 1.5, 600, mcts.RandomRolloutEvaluator(1, random), random_state=random)
    root = bot.mcts_search(state)
    best = root.best_child()
    assert best.action in state.legal_actions()
    value = best.total_reward / best.explore_count
    assert value == pytest.approx(solution.value[state.current_player()], abs=0.08)


def test_a_bot_of_openspiel_in_c_plays_a_match() -> None:
    game = pyspiel.load_game("python_meadhall_axes_and_allies(players=3)")
    bots = [pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, 1), 2.0, 10, 100, False, 1, False) for _ in range(3)]
    assert sum(pyspiel.evaluate_bots(game.new_initial_state(), bots, 5)) == 1


def test_ismcts_plays_and_sees_no_hidden_card() -> None:
    """The same search, at the true position and at one that its player can't tell from it, comes to the same policy."""
    game = pyspiel.load_game("python_meadhall_viking_axes(variant=strategic)")
    state = played(game, 4)
    player = state.current_player()

    def policy(position: Any) -> Any:
        draw, random = Random(5), np.random.RandomState(5)
        bot = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, random), 1.0, 40, random_state=random)
        bot.set_resampler(lambda root, seat: root.resample_from_infostate(seat, draw.random))
        return sorted(bot.get_policy(position))

    found = policy(state)
    assert {action for action, _ in found} == set(state.legal_actions())
    assert policy(state.resample_from_infostate(player, Random(6).random)) == found


@pytest.mark.parametrize("name", ["python_meadhall_goofspiel", "python_meadhall_hoard", "python_meadhall_viking_axes"])
def test_agents_of_openspiel_learn_from_the_environment(name: str) -> None:
    env = rl_environment.Environment(name)
    agents = [tabular_qlearner.QLearner(seat, env.action_spec()["num_actions"]) for seat in range(env.num_players)]
    for _ in range(3):
        step = env.reset()
        while not step.last():
            if env.is_turn_based:
                step = env.step([agents[step.observations["current_player"]].step(step).action])
            else:
                step = env.step([agent.step(step).action for agent in agents])
        for agent in agents:
            agent.step(step)


def test_a_game_without_a_bound_ends_as_a_draw_at_the_horizon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meadhall.envs.openspiel.position.HORIZON", 3)
    game = pyspiel.load_game("python_meadhall_axes_and_allies(players=5)")
    assert game.max_game_length() == 3
    state = played(game, 3)
    assert state.is_terminal()
    assert sum(state.returns()) == pytest.approx(1)
    assert set(state.returns()) <= {0.0, 1 / sum(value > 0 for value in state.returns())}


def test_without_openspiel_an_error_names_the_extra() -> None:
    """Import it in a process in which OpenSpiel can't be found."""
    program = (
        "import sys, importlib.util as util; find = util.find_spec\n"
        "util.find_spec = lambda name, *a: None if name in ('pyspiel', 'pettingzoo') else find(name, *a)\n"
        "from meadhall.envs import NoEnvs\n"
        "import meadhall.envs as envs\n"
        "for act in (lambda: __import__('meadhall.envs.openspiel'), lambda: envs.aec_env):\n"
        "    try: act()\n"
        "    except NoEnvs as error: print(error)\n"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert how_to_install("openspiel") in told
    assert "needs pettingzoo" in told
