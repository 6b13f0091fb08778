"""Dungeon Allies passes ``check_game``, and code and tests cite every rule."""

from __future__ import annotations

from typing import Any

import pytest

from games.dungeon_allies.scenes import DA
from meadhall import check_game
from meadhall.engine.laws import check_game as conformance
from sizes import sized

PLAIN = [(players, options) for players, options in conformance.setups(DA) if len(DA.recorded_options(options)) == 1]
HOUSE = {option.name: list(option.values)[-1] for option in DA.options[1:]}
SETUPS = [*PLAIN, *conformance.setups(DA, 2, HOUSE)]
TRIED = [PLAIN[0], *(pytest.param(setup, marks=pytest.mark.long) for setup in PLAIN[1:]), SETUPS[-1]]


def test_two_to_five_players_are_possible() -> None:
    assert [players for players, _ in PLAIN] == [2, 3, 4, 5]


@pytest.mark.compiled
@pytest.mark.parametrize("setup", TRIED, ids=lambda setup: str(setup[0]))
def test_dungeon_allies_passes_check_game(setup: tuple[int, dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "_BRANCHES", sized(2, 6))
    monkeypatch.setattr(conformance, "DEALS", sized(20, 60))
    assert check_game(DA, matches=1, players=setup[0], options=setup[1]) > 15
