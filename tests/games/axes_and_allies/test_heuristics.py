"""The greedy player of Axes and Allies: its strength against random players."""

from __future__ import annotations

import pytest

from bulk_games import tournament
from meadhall import game
from meadhall.engine.loops import GREEDY, RANDOM

AA = game("axes-and-allies")
GAMES, SIGMAS = 4000, 3


@pytest.mark.compiled
@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_one_greedy_player_wins_more_than_a_fair_share_among_random_ones(players: int) -> None:
    payoffs, _ = tournament(AA, [GREEDY] + [RANDOM] * (players - 1), GAMES, seed="greedy")
    won = sum(payoffs[number, -number % players] for number in range(GAMES)) / GAMES
    assert won > 1 / players + SIGMAS * (1 / players * (1 - 1 / players) / GAMES) ** 0.5


@pytest.mark.compiled
def test_greedy_players_finish_their_games() -> None:
    _, lengths = tournament(AA, [GREEDY] * 6, GAMES // 10, seed="greedy")
    assert lengths.max() < 5000
