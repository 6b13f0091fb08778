"""AxxA passes the conformance checks for games."""

from __future__ import annotations

import pytest

from games.axxa.scenes import AXXA
from meadhall import check_game
from meadhall.engine import conformance
from meadhall.engine.rule import INTERPRETED

SETUPS = list(conformance.setups(AXXA))
FEW = [(3, {"mode": "versus", "touching": "orthogonal", "order": order}) for order in ("skip", "strict", "any")]
TRIED = [SETUPS[0], *FEW] if INTERPRETED else SETUPS


def test_mode_together_takes_1_to_6_players_and_mode_versus_2_to_6_with_three_orders() -> None:
    players = {mode: {count for count, options in SETUPS if options["mode"] == mode} for mode in ("together", "versus")}
    assert players == {"together": {1, 2, 3, 4, 5, 6}, "versus": {2, 3, 4, 5, 6}}
    assert len(SETUPS) == 2 * (6 + 3 * 5)


@pytest.mark.compiled
@pytest.mark.parametrize("setup", TRIED, ids=lambda setup: f"{setup[0]}-{'-'.join(setup[1].values())}")
def test_axxa_passes_every_check(setup: tuple[int, dict[str, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "DEALS", 20 if INTERPRETED else 60)
    assert check_game(AXXA, matches=1, players=setup[0], options=setup[1]) > 15
