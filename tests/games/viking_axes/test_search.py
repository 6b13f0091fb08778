"""Search in Viking Axes: the evaluation of positions, and decisive moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from games.viking_axes.scenes import CARDS, VA, scene
from meadhall import Match
from meadhall.bots import bot
from meadhall.engine.state.schema import state_at
from meadhall.games.viking_axes.heuristics import evaluate
from meadhall.games.viking_axes.state import Act
from sizes import sized

SEED = b"a seed of a search"
ITERATIONS = sized(600, 2_000)


def chances(match: Match) -> list[float]:
    """Return the evaluation of a position."""
    out = np.zeros(match.players)
    evaluate(state_at(match.states, 0), out)
    return [float(payoff) for payoff in out]


def play_of(card: str) -> int:
    return Act.PLAY + CARDS.index(card)


def searched(match: Match, iterations: int = ITERATIONS) -> int:
    return bot(VA, f"search@{iterations}", SEED).choose(match.view(match.actor))


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6, 7])
def test_chances_sum_to_one_and_players_who_are_out_have_none(players: int) -> None:
    match = VA.match(players=players, seed="chances", variant="strategic")
    assert sum(chances(match)) == pytest.approx(1)
    assert min(chances(match)) > 0
    if players > 2:
        left = chances(scene("axe2", players=players, out=[1]))
        assert left[1] == 0
        assert sum(left) == pytest.approx(1)


def test_of_two_players_left_the_stronger_has_the_better_chance() -> None:
    hits = [chances(scene("axe1", players=2, hits={0: hit, 1: 7}))[0] for hit in range(15)]
    assert hits == sorted(hits, reverse=True)
    assert hits[0] > 0.85
    assert hits[14] < 0.2
    shielded = chances(scene("axe1", players=2, hits={0: 7, 1: 7}, front={0: ["shield3"]}))[0]
    assert shielded > hits[7]
    assert hits[7] > 0.5  # it is the turn of player 0


def test_chances_do_not_depend_on_seat_numbers() -> None:
    match = scene("axe1", players=3, hits={0: 2, 1: 5, 2: 8}, hands={0: ["axe3"], 1: ["shield2"], 2: ["axe1"]})
    turned = match.states
    state: Any = VA.state.at(turned)
    for field in ("hits", "unused", "out", "armory", "due", "hand"):
        values = np.array(turned[field][0][:3])
        turned[field][0][:3] = np.roll(values, 1, axis=0)
    state.actor = 1
    assert chances(match.supposing(turned)) == pytest.approx(np.roll(chances(match), 1).tolist())


@pytest.mark.compiled
def test_the_search_wins_at_once_when_it_can() -> None:
    """An axe puts the last rival out. The rest of the hand doesn't matter, although one hit would put the player out."""
    for hand in (["axe1", "shield4", "shield3"], ["axe1", "wench", "shield4"]):
        match = scene(players=2, hits={0: 14, 1: 14}, hands={0: hand, 1: ["axe3", "axe3"]})
        assert searched(match) == play_of("axe1")
        match.play(play_of("axe1"))
        match.play(searched(match))
        assert match.result().winners == (0,)  # type: ignore[union-attr]


@pytest.mark.compiled
def test_the_search_plays_enough_axes_to_win() -> None:
    match = scene(players=2, hits={0: 14, 1: 12}, hands={0: ["axe2", "axe3", "shield4"], 1: ["axe3", "axe3"]})
    assert searched(match) == play_of("axe3")


@pytest.mark.compiled
def test_a_wench_in_a_duel_skips_the_rival_who_would_win() -> None:
    """First, skipping the rival is the only legal action. Then an armory could be emptied instead."""
    match = scene("wench", players=2, hits={0: 14, 1: 14})
    assert match.view(0).legal == (Act.SKIP + 1,)
    assert searched(match) == Act.SKIP + 1
    armed = scene("wench", players=2, hits={0: 14, 1: 14}, front={1: ["armory"]})
    assert set(armed.view(0).legal) == {Act.SKIP + 1, Act.DISARM + 1}
    assert searched(armed) == Act.SKIP + 1  # one more turn against a rival with one hit left
