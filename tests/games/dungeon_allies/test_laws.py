"""Dungeon Allies keeps every law that games keep."""

from __future__ import annotations

from typing import Any

import pytest

from games.dungeon_allies.scenes import DA
from meadhall import check_game
from meadhall.engine import conformance
from meadhall.engine.rule import INTERPRETED

SETUPS = list(conformance.setups(DA))
TRIED = SETUPS[:1] if INTERPRETED else SETUPS


def test_it_is_played_by_2_to_5() -> None:
    assert [players for players, _ in SETUPS] == [2, 3, 4, 5]


@pytest.mark.parametrize("setup", TRIED, ids=lambda setup: str(setup[0]))
def test_dungeon_allies_keeps_every_law(setup: tuple[int, dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "DEALS", 20 if INTERPRETED else 60)
    monkeypatch.setattr(conformance, "setups", lambda _game: [setup])
    assert check_game(DA, matches=1) > 15
