"""OpenSpiel's own suites, for every game."""

from __future__ import annotations

import unittest
from collections.abc import Iterator
from typing import Any

import pyspiel
import pytest
from absl import flags

from games_for_tests.every import EVERY_GAME
from games_for_tests.goofspiel import game as goofspiel
from games_for_tests.kuhn import game as kuhn
from games_for_tests.pennies import game as pennies
from meadhall.envs import openspiel

# These make their tests when they are imported: for the games that are registered by then.
NAMES = [openspiel.register(game) for game in (*EVERY_GAME, goofspiel, kuhn, pennies)]

from open_spiel.integration_tests import api_test  # noqa: E402
from open_spiel.python.tests import games_sim_test  # noqa: E402

VARIANTS = [
    *NAMES,
    "python_meadhall_axes_and_allies(players=6)",
    "python_meadhall_axxa(mode=versus,players=4,order=any)",
    "python_meadhall_goofspiel(players=3)",
    "python_meadhall_hoard(mode=together,players=3)",
    "python_meadhall_hoard(mode=sides,players=4)",
    "python_meadhall_viking_axes(players=3,variant=strategic)",
]


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


@pytest.mark.parametrize("name", VARIANTS)
def test_random_sim_test(name: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=1, serialize=True, verbose=False)


def test_games_sim_test() -> None:
    everything = each_test(unittest.defaultTestLoader.loadTestsFromModule(games_sim_test))
    ours = [test for test in everything if "meadhall" in test.id()]
    assert {name for name in NAMES if any(name in test.id() for test in ours)} == set(NAMES)
    run(ours)


def test_api_test() -> None:
    flags.FLAGS(["tests", "--test_only_games=python_meadhall_.*"])
    classes = list(api_test._create_test_case_classes())
    assert len(classes) == len(NAMES)
    for case in classes:
        run(list(each_test(unittest.defaultTestLoader.loadTestsFromTestCase(case))))
