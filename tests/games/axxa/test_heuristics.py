"""The greedy player knows what is good for it."""

from __future__ import annotations

import numpy as np
import pytest

from games.axxa.scenes import AXXA, FAR, move, pay, remove, scene, turn
from meadhall import Match
from meadhall.bots import bot
from meadhall.engine.bulk import tournament
from meadhall.engine.loops import GREEDY, RANDOM
from meadhall.engine.rule import INTERPRETED
from meadhall.games.axxa.state import LEAVE, TURN

GAMES = 1 if INTERPRETED else 100


def choices(match: Match) -> set[int]:
    """What it does, whatever it draws."""
    assert match.actor is not None
    view = match.view(match.actor)
    return {bot(AXXA, "greedy", bytes([seed])).choose(view) for seed in range(1 if INTERPRETED else 6)}


@pytest.mark.parametrize(("touching", "at_least"), [("all", 0.5), ("orthogonal", 0.2)])
def test_it_solves_many_puzzles_of_which_random_play_solves_none(touching: str, at_least: float) -> None:
    solved, _ = tournament(AXXA, [GREEDY], GAMES, seed="greedy", options={"touching": touching})
    by_chance, _ = tournament(AXXA, [RANDOM], 10 * GAMES, seed="greedy", options={"touching": touching})
    assert by_chance.sum() == 0
    assert INTERPRETED or solved.mean() > at_least


def test_against_each_other_it_beats_random_players() -> None:
    shares, _ = tournament(AXXA, [GREEDY, RANDOM], GAMES, seed="greedy", options={"mode": "versus"})
    won = np.array([shares[number, -number % 2] for number in range(GAMES)])
    assert INTERPRETED or won.mean() > 0.7
    assert (won == 0).mean() < 0.1


def test_it_brings_a_triplet_together() -> None:
    assert choices(scene({**FAR, "b6": "1", "c6": "1", "e5": "1"})) == {move("e5", "d5")}


@pytest.mark.parametrize(("pieces", "start", "then"), [("21", "d4", TURN), ("13", "d5", LEAVE)])
def test_it_turns_a_stack_over_if_that_completes_a_triplet(pieces: str, start: str, then: int) -> None:
    match = scene({**FAR, "b6": "1", "c6": "1", start: pieces})
    match.play(move(start, "d6"))
    assert choices(match) == {then}


def test_it_pays_with_what_nobody_needs_any_more() -> None:
    match = scene({**FAR, "a5": "1", "b5": "2"}, current=2)
    turn(match, "g3", "b3", LEAVE)
    assert choices(match) == {pay("a5")}


def test_of_several_triplets_it_takes_the_one_that_lays_the_next_bare() -> None:
    match = scene({"e7": "333", "g3": "555", "b4": "1", "c4": "12", "d4": "12", "e4": "12"})
    turn(match, "g3", "b3", LEAVE)
    assert {remove("b4", "c4", "d4"), remove("c4", "d4", "e4")} == {choice.action for choice in match.legal()}
    assert choices(match) == {remove("c4", "d4", "e4")}


@pytest.mark.parametrize(("mode", "then"), [("together", TURN), ("versus", LEAVE)])
def test_it_lays_a_triplet_ready_for_a_friend_and_not_for_an_opponent(mode: str, then: int) -> None:
    match = scene({**FAR, "b6": "1", "e6": "1", "c2": "41"}, mode=mode)
    match.play(move("c2", "c6"))
    assert choices(match) == {then}  # with 1s on b6 and c6, the one on e6 has but to come to d6


def test_it_is_not_led_by_what_it_cannot_see() -> None:
    match = AXXA.match(players=1, seed="led")
    states = match.states
    states["piece"][0][:, :2] = states["piece"][0][::-1, :2].copy()  # the lower two of every stack, which nobody has seen
    other = match.supposing(states)
    assert choices(match) == choices(other)
