"""Warming: after it nobody waits for a compiler."""

from __future__ import annotations

from pathlib import Path

import pytest

import meadhall
from meadhall.bots import search, tree
from meadhall.engine.kernels import module_of
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
