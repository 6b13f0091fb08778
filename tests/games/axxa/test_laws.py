"""AxxA passes the conformance checks for games."""

from __future__ import annotations

import pytest

from games.axxa.scenes import AXXA, FEW, SETUPS
from meadhall import check_game
from meadhall.engine.laws import check_game as conformance
from sizes import sized

CHECKED = [(players, AXXA.check_options(options)) for players, options in (*FEW[1:3], FEW[-1])]
TRIED = [setup if setup in CHECKED else pytest.param(setup, marks=pytest.mark.long) for setup in SETUPS]


def test_mode_together_takes_1_to_6_players_and_mode_versus_2_to_6_with_three_orders() -> None:
    setups = [setup for setup in SETUPS if AXXA.recorded_options(setup[1]).keys() == {"mode", "touching", "order"}]
    players = {mode: {count for count, options in setups if options["mode"] == mode} for mode in ("together", "versus")}
    assert players == {"together": {1, 2, 3, 4, 5, 6}, "versus": {2, 3, 4, 5, 6}}
    assert len(setups) == 2 * (6 + 3 * 5)


@pytest.mark.compiled
@pytest.mark.parametrize("setup", TRIED, ids=lambda setup: f"{setup[0]}-{'-'.join(map(str, setup[1].values()))}")
def test_axxa_passes_every_check(setup: tuple[int, dict[str, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "_BRANCHES", sized(2, 6))
    monkeypatch.setattr(conformance, "DEALS", sized(20, 60))
    assert check_game(AXXA, matches=1, players=setup[0], options=setup[1]) > 15
