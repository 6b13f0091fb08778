"""What a search makes of Viking Axes: the evaluation of positions, and moves that decide a match."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from games.viking_axes.scenes import CARDS, VA, scene
from meadhall import Match
from meadhall.bots import bot
from meadhall.engine.rule import INTERPRETED
from meadhall.engine.schema import state_at
from meadhall.games.viking_axes.evaluation import evaluate
from meadhall.games.viking_axes.state import DISARM, PLAY, SKIP

SEED = b"a seed of a search"
ITERATIONS = 200 if INTERPRETED else 2_000


def chances(match: Match) -> list[float]:
    """What the evaluation says of a position."""
    out = np.zeros(match.players)
    evaluate(state_at(match.states, 0), out)
    return [float(share) for share in out]


def play_of(card: str) -> int:
    return PLAY + CARDS.index(card)


def searched(match: Match, iterations: int = ITERATIONS) -> int:
    return bot(VA, f"search@{iterations}", SEED).choose(match.view(match.actor))


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6, 7])
def test_chances_sum_to_one_and_who_is_out_has_none(players: int) -> None:
    match = VA.match(players=players, seed="chances", variant="strategic")
    assert sum(chances(match)) == pytest.approx(1)
    assert min(chances(match)) > 0
    if players > 2:
        left = chances(scene("axe2", players=players, out=[1]))
        assert left[1] == 0
        assert sum(left) == pytest.approx(1)


def test_of_two_who_are_left_the_stronger_has_the_better_chance() -> None:
    hits = [chances(scene("axe1", players=2, hits={0: hit, 1: 7}))[0] for hit in range(15)]
    assert hits == sorted(hits, reverse=True)
    assert hits[0] > 0.85
    assert hits[14] < 0.2
    shielded = chances(scene("axe1", players=2, hits={0: 7, 1: 7}, front={0: ["shield3"]}))[0]
    assert shielded > hits[7]
    assert hits[7] > 0.5  # and it is their turn


def test_chances_go_with_the_players_not_with_the_numbers_of_their_seats() -> None:
    match = scene("axe1", players=3, hits={0: 2, 1: 5, 2: 8}, hands={0: ["axe3"], 1: ["shield2"], 2: ["axe1"]})
    turned = match.states
    state: Any = VA.state.at(turned)
    for field in ("hits", "unused", "out", "armory", "due", "hand"):
        values = np.array(turned[field][0][:3])
        turned[field][0][:3] = np.roll(values, 1, axis=0)
    state.actor = 1
    assert chances(match.supposing(turned)) == pytest.approx(np.roll(chances(match), 1).tolist())


def test_it_wins_at_once_when_it_can() -> None:
    """An axe that puts the last rival out, whatever else is in the hand, and however near the end it is itself."""
    for hand in (["axe1", "shield4", "shield3"], ["axe1", "wench", "shield4"]):
        match = scene(players=2, hits={0: 14, 1: 14}, hands={0: hand, 1: ["axe3", "axe3"]})
        assert searched(match) == play_of("axe1")
        match.play(play_of("axe1"))
        match.play(searched(match))
        assert match.result().winners == (0,)  # type: ignore[union-attr]


def test_it_takes_the_axes_that_are_enough() -> None:
    match = scene(players=2, hits={0: 14, 1: 12}, hands={0: ["axe2", "axe3", "shield4"], 1: ["axe3", "axe3"]})
    assert searched(match) == play_of("axe3")


def test_a_wench_in_a_duel_takes_away_the_turn_in_which_it_would_die() -> None:
    """Skipping the rival's turn is the only thing that a wench can do here, and it is done."""
    match = scene("wench", players=2, hits={0: 14, 1: 14})
    assert match.view(0).legal == (SKIP + 1,)
    assert searched(match) == SKIP + 1
    armed = scene("wench", players=2, hits={0: 14, 1: 14}, front={1: ["armory"]})
    assert set(armed.view(0).legal) == {SKIP + 1, DISARM + 1}
    assert searched(armed) == SKIP + 1  # one turn more at the rival's last life


def test_what_it_may_not_know_does_not_lead_it() -> None:
    match = VA.match(players=3, seed="hidden", variant="strategic")
    seat = match.actor
    assert seat is not None
    view = match.view(seat)
    hidden = match.states
    state: Any = VA.state.at(hidden)
    other, another = (k for k in range(3) if k != seat)
    hands = np.array(hidden["hand"][0])
    hidden["hand"][0][other], hidden["hand"][0][another] = hands[another], hands[other]
    hidden["pile"][0][: state.left] = hidden["pile"][0][: state.left][::-1].copy()
    supposed = match.supposing(hidden)
    assert (hidden["pile"] != match.states["pile"]).any()
    assert supposed.view(seat).states.tobytes() == view.states.tobytes()
    for iterations in (50, ITERATIONS // 4):
        assert searched(supposed, iterations) == searched(match, iterations)
