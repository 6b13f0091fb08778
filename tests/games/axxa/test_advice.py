"""What a search is told of AxxA: how likely it is that a position will be won."""

from __future__ import annotations

from statistics import mean

import pytest

from games.axxa.scenes import AXXA
from meadhall.bots import bot
from meadhall.games.axxa.advice import chance_together
from meadhall.games.axxa.state import Phase

MATCHES = 100


@pytest.mark.compiled  # interpreted it would say the same, in minutes
@pytest.mark.parametrize("touching", ["all", "orthogonal"])
def test_greedy_players_win_as_often_as_their_positions_foretell(touching: str) -> None:
    greedy = bot(AXXA, "greedy", b"advice")
    chances: list[float] = []
    shares: list[float] = []
    for number in range(MATCHES):
        match = AXXA.match(1, seed=f"advice {number}", touching=touching)
        foretold = []
        while not match.over:
            view = match.view(0)
            if view.state.phase == Phase.MOVE:
                foretold.append(chance_together(view.state))
            match.play(greedy.choose(view))
        result = match.result()
        assert result is not None
        chances += foretold
        shares += result.scores * len(foretold)
    assert mean(chances) == pytest.approx(mean(shares), abs=0.1)
