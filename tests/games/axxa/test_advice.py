"""The evaluation of AxxA states: the predicted chance of winning."""

from __future__ import annotations

from statistics import mean

import pytest

from games.axxa.scenes import AXXA
from meadhall.bots import bot
from meadhall.games.axxa.advice import chance_together
from meadhall.games.axxa.state import Phase

MATCHES = 100


@pytest.mark.compiled  # interpreted, it would take minutes
@pytest.mark.parametrize("touching", ["all", "orthogonal"])
def test_greedy_players_win_as_often_as_the_evaluation_predicts(touching: str) -> None:
    greedy = bot(AXXA, "greedy", b"advice")
    chances: list[float] = []
    payoffs: list[float] = []
    for number in range(MATCHES):
        match = AXXA.match(1, seed=f"advice {number}", touching=touching)
        predicted = []
        while not match.over:
            view = match.view(0)
            if view.state.phase == Phase.MOVE:
                predicted.append(chance_together(view.state))
            match.play(greedy.choose(view))
        result = match.result()
        assert result is not None
        chances += predicted
        payoffs += result.scores * len(predicted)
    assert mean(chances) == pytest.approx(mean(payoffs), abs=0.1)
