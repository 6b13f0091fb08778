"""Viking Axes passes the conformance checks for games."""

from __future__ import annotations

from typing import Any

import pytest

from games.viking_axes.scenes import VA
from meadhall import check_game
from meadhall.engine.laws import check_game as conformance
from sizes import sized

SETUPS = [*conformance.setups(VA), next(conformance.setups(VA, 2, {"variant": "strategic", "armory": "before"}))]
TRIED = [setup if setup[0] == 2 else pytest.param(setup, marks=pytest.mark.long) for setup in SETUPS]


def test_2_to_7_players_can_play_either_variant() -> None:
    plain = [(players, told) for players, options in SETUPS if len(told := VA.recorded_options(options)) == 1]
    assert [(players, {"variant": variant}) for players in range(2, 8) for variant in ("standard", "strategic")] == plain


@pytest.mark.compiled
@pytest.mark.parametrize("setup", TRIED, ids=lambda setup: f"{setup[0]}-{'-'.join(map(str, setup[1].values()))}")
def test_viking_axes_passes_every_check(setup: tuple[int, dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "_BRANCHES", sized(2, 6))
    monkeypatch.setattr(conformance, "DEALS", sized(20, 100))
    assert check_game(VA, matches=1, players=setup[0], options=setup[1]) > 1
