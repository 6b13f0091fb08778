"""Warming: after it nobody waits for a compiler."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import meadhall
from meadhall.bots import search, tree
from meadhall.engine.compiled import module_of
from meadhall.lab import warm


@pytest.mark.compiled
@pytest.mark.parametrize("name", meadhall.game_names())
def test_a_search_is_compiled_whatever_the_first_decision_is(name: str) -> None:
    warm([name], bulk=False)
    compiled = module_of(meadhall.game(name), Path(tree.__file__))
    before = {rule: len(getattr(compiled, rule).signatures) for rule in ("grow", "transplant")}
    assert all(before.values())
    match = meadhall.game(name).match(seed="a search")
    thinking = search.Search(match.game, search.Budget(iterations=20, trees=1), b"a search")
    while match.legal_count() == 1:
        match.play(match.legal()[0])
    for _ in range(2):
        thinking.consider(match.view(match.actor))
    assert {rule: len(getattr(compiled, rule).signatures) for rule in before} == before


@pytest.mark.compiled
def test_a_game_is_warm_once_all_its_matches_need_is_found_on_disk(tmp_path: Path) -> None:
    def run(script: str, **settings: str) -> str:
        script = f"from meadhall import game, lab; g = game('axes-and-allies'); {script}"
        environment = os.environ | {"MEADHALL_CACHE": str(tmp_path), "MEADHALL_INTERPRET": "0"} | settings
        done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    look = "print(lab.is_warm(g))"
    assert run(look, MEADHALL_INTERPRET="1") == "True", "there is nothing to compile"
    assert run(look) == "False"
    run("lab.warm([g.name], bulk=False)")
    assert run(look) == "True"
    assert run(look, NUMBA_CPU_NAME="generic") == "False", "another processor can't use it"
