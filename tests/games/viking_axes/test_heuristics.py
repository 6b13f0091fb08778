"""The greedy player of Viking Axes: its choices, and its strength against random players."""

from __future__ import annotations

import pytest

from bulk_games import tournament
from games.viking_axes.scenes import VA, scene
from meadhall.bots import bot
from meadhall.engine.loops import GREEDY, RANDOM
from meadhall.games.viking_axes.state import Act, Card
from sizes import sized

GAMES, SIGMAS = sized(1000, 4000), 3
VARIANTS = ["standard", "strategic"]


@pytest.mark.compiled
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", [2, 4, 7])
def test_one_greedy_player_wins_more_than_a_fair_share_among_random_ones(players: int, variant: str) -> None:
    payoffs, _ = tournament(VA, [GREEDY] + [RANDOM] * (players - 1), GAMES, seed="greedy", options={"variant": variant})
    won = sum(payoffs[number, -number % players] for number in range(GAMES)) / GAMES
    assert won > 1 / players + SIGMAS * (1 / players * (1 - 1 / players) / GAMES) ** 0.5


@pytest.mark.compiled
@pytest.mark.parametrize("variant", VARIANTS)
def test_greedy_players_finish_their_games(variant: str) -> None:
    _, lengths = tournament(VA, [GREEDY] * 7, GAMES // 10, seed="greedy", options={"variant": variant})
    assert lengths.max() < 5000


def test_axes_and_wenches_go_to_the_strongest() -> None:
    for card, action in (("axe2", Act.THROW), ("wench", Act.SKIP)):
        match = scene(card, players=4, hits={1: 1, 2: 3, 3: 8}, front={2: ["shield4"]})
        assert bot(VA, "karl").choose(match.view(0)) == action + 2


def test_an_armory_is_used_at_once() -> None:
    assert bot(VA, "karl").choose(scene("armory").view(0)) == Act.DRAW
    assert bot(VA, "karl").choose(scene(offer=True, front={0: ["armory"]}).view(0)) == Act.CASH_IN


def test_an_armory_is_played_before_shields_and_shields_before_axes() -> None:
    others = {1: ["axe1", "axe1"], 2: ["axe1", "axe1"]}
    for hand, action in (
        (["axe3", "shield4", "armory"], Act.PLAY + Card.ARMORY),
        (["axe2", "shield2", "wench"], Act.PLAY + Card.TWO_SHIELDS),
        (["axe3", "shield1", "wench"], Act.PLAY + Card.TRIPLE_AXE),
        (["axe1", "axe1", "wench"], Act.PLAY + Card.AXE),
    ):
        assert bot(VA, "karl").choose(scene(hands={0: hand, **others}).view(0)) == action


def test_a_wench_is_worth_more_when_two_are_left() -> None:
    match = scene(hands={0: ["axe2", "axe2", "wench"], 2: ["axe1", "axe1"]}, out=[1])
    assert bot(VA, "karl").choose(match.view(0)) == Act.PLAY + Card.WENCH
