"""AxxA passes the conformance checks for games."""

from __future__ import annotations

import pytest

from games.axxa.scenes import AXXA
from meadhall import check_game
from meadhall.engine import conformance
from meadhall.engine.rule import INTERPRETED

SETUPS = list(conformance.setups(AXXA))
TRIED = [SETUPS[0], (2, {"mode": "versus", "touching": "orthogonal"})] if INTERPRETED else SETUPS


def test_mode_together_takes_1_to_6_players_and_mode_versus_2_4_or_6() -> None:
    players = {mode: {count for count, options in SETUPS if options["mode"] == mode} for mode in ("together", "versus")}
    assert players == {"together": {1, 2, 3, 4, 5, 6}, "versus": {2, 4, 6}}
    assert len(SETUPS) == 2 * (6 + 3)


@pytest.mark.compiled
@pytest.mark.parametrize("setup", TRIED, ids=lambda setup: f"{setup[0]}-{'-'.join(setup[1].values())}")
def test_axxa_passes_every_check(setup: tuple[int, dict[str, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "DEALS", 20 if INTERPRETED else 60)
    monkeypatch.setattr(conformance, "setups", lambda _game: [setup])
    assert check_game(AXXA, matches=1) > 15
