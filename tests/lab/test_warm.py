"""Warming up compiles everything that matches and searches need."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import meadhall
from games_for_tests.nim import game as nim
from meadhall.bots import search, tree
from meadhall.engine.compile.rule import INTERPRETED
from meadhall.engine.compiled import module_of
from meadhall.lab import is_warm, warm
from meadhall.lab.warm import match_steps

TESTS = Path(__file__).parents[1]
NIM = "from games_for_tests.nim import game; from meadhall import lab; from meadhall.engine.game import register; register(game);"


@pytest.mark.compiled
@pytest.mark.parametrize("name", meadhall.game_names())
def test_a_search_is_compiled_for_every_first_decision(name: str) -> None:
    warm([name], bulk=False)
    compiled = module_of(meadhall.game(name), Path(tree.__file__))
    before = {rule: len(getattr(compiled, rule).signatures) for rule in ("grow", "transplant")}
    assert all(before.values())
    match = meadhall.game(name).match(seed="a search")
    searching = search.Search(match.game, search.Budget(iterations=20, trees=1), b"a search")
    while match.legal_count() == 1:
        match.play(match.legal()[0])
    for _ in range(2):
        searching.consider(match.view(match.actor))
    assert {rule: len(getattr(compiled, rule).signatures) for rule in before} == before


def test_interpreted_rules_need_no_machine_code() -> None:
    assert not INTERPRETED or is_warm(nim)


@pytest.mark.compiled
def test_a_game_is_warm_after_the_last_step_for_matches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("meadhall.lab.warm"), "rules_folder", lambda _module: tmp_path)
    assert not is_warm(nim)
    match_steps(nim)[-1]()
    assert is_warm(nim)


@pytest.mark.compiled
@pytest.mark.long
def test_a_game_is_warm_once_its_machine_code_is_on_disk(tmp_path: Path) -> None:
    def run(script: str, **settings: str) -> str:
        script = f"{NIM} {script}"
        settings = {"MEADHALL_CACHE": str(tmp_path), "MEADHALL_INTERPRET": "0", "PYTHONPATH": str(TESTS)} | settings
        environment = os.environ | settings
        done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    check = "print(lab.is_warm(game))"
    assert run(check) == "False"
    run("lab.warm([game.name], bulk=False)")
    assert run(check) == "True"
    assert run(check, NUMBA_CPU_NAME="generic") == "False", "machine code is for one type of processor"
