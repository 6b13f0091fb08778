"""Compiled and interpreted rules agree: the same seeds give the same states, events and results, in every game."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import digests
from games_for_tests.every import EVERY_GAME
from meadhall import Game
from meadhall.engine.compile.rule import INTERPRETED

pytestmark = [pytest.mark.compiled, pytest.mark.slow("a process plays all the matches with interpreted rules")]


@pytest.fixture(scope="module")
def interpreted() -> dict[str, dict[str, str]]:
    """Return the digests of all games, from one process that interprets the rules and isn't slowed down by measuring coverage."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    environment |= {"MEADHALL_INTERPRET": "1"}
    done = subprocess.run([sys.executable, digests.__file__], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, str]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("subject", EVERY_GAME, ids=lambda subject: subject.name)
def test_compiled_and_interpreted_rules_give_the_same_matches(subject: Game, interpreted: dict[str, dict[str, str]]) -> None:
    assert not INTERPRETED
    assert digests.digests(subject) == interpreted[subject.name]
