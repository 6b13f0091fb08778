"""The evaluation of AxxA states: the predicted chance of winning, and results that are certain."""

from __future__ import annotations

from statistics import mean
from typing import Any

import numpy as np
import pytest

from games.axxa.scenes import AXXA, scene
from meadhall.bots import bot
from meadhall.games.axxa.heuristics import chance_together, solved_value
from meadhall.games.axxa.state import Phase
from sizes import sized

MATCHES = sized(40, 400)


@pytest.mark.compiled
@pytest.mark.parametrize("touching", ["all", "orthogonal"])
def test_greedy_players_win_as_often_as_the_evaluation_predicts(touching: str) -> None:
    greedy = bot(AXXA, "karl", b"advice")
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


LEFT = {"c7": "111", "d7": "222", "e7": "333"}
"""One triplet of each of 1, 2 and 3 is left."""


@pytest.mark.parametrize(
    ("order", "stacks", "takers", "value"),
    [
        ("skip", LEFT, {4: (0,), 5: (0,), 6: (0,)}, None),  # the other side can still draw
        ("strict", {**LEFT, "c7": "11"}, {4: 1}, (0.0, 1.0, 0.0)),
        ("strict", {**LEFT, "c7": "11"}, {}, (0.5, 0.5, 0.5)),
        ("skip", {**LEFT, "c7": "11"}, {4: 1, 5: 1, 6: 1}, (0.0, 1.0, 0.0)),
        ("any", {**LEFT, "c7": "11"}, {4: 1, 5: 1}, None),
        ("any", LEFT, {4: (1, 1), 5: (1, 1)}, (0.0, 1.0, 0.0)),
    ],
)
def test_a_lead_that_no_triplets_on_the_board_can_change_decides(
    order: str, stacks: dict[str, str], takers: dict[int, Any], value: tuple[float, ...] | None
) -> None:
    state = scene(stacks, mode="versus", order=order, players=3, takers=takers).state
    found = np.full(3, -1.0)
    assert solved_value(state, found) == (value is not None)
    assert value is None or tuple(found) == value
