"""The greedy policy makes obviously good choices."""

from __future__ import annotations

import numpy as np
import pytest

from bulk_games import tournament
from games.axxa.scenes import AXXA, FAR, move, pay, remove, scene, turn
from meadhall import Match
from meadhall.bots import bot
from meadhall.engine.loops import GREEDY, RANDOM
from meadhall.games.axxa.state import Act
from sizes import sized

GAMES = 100
ORDERS = ("skip", "strict", "any")


def choices(match: Match) -> set[int]:
    """Return the actions that the greedy bot chooses, over several random seeds."""
    assert match.actor is not None
    view = match.view(match.actor)
    return {bot(AXXA, "karl", bytes([seed])).choose(view) for seed in range(sized(2, 6))}


@pytest.mark.compiled
@pytest.mark.parametrize(("touching", "at_least"), [("all", 0.5), ("orthogonal", 0.2)])
def test_greedy_play_solves_many_puzzles_and_random_play_none(touching: str, at_least: float) -> None:
    solved, _ = tournament(AXXA, [GREEDY], GAMES, seed="greedy", options={"touching": touching})
    by_chance, _ = tournament(AXXA, [RANDOM], 10 * GAMES, seed="greedy", options={"touching": touching})
    assert by_chance.sum() == 0
    assert solved.mean() > at_least


@pytest.mark.compiled
@pytest.mark.parametrize("order", ORDERS)
def test_in_mode_versus_it_beats_random_players(order: str) -> None:
    payoffs, _ = tournament(AXXA, [GREEDY, RANDOM], GAMES, seed="greedy", options={"mode": "versus", "order": order})
    won = np.array([payoffs[number, -number % 2] for number in range(GAMES)])
    assert won.mean() > (0.65 if order == "strict" else 0.7)
    assert (won == 0).mean() < 0.1


def test_it_completes_a_triplet() -> None:
    assert choices(scene({**FAR, "b6": "1", "c6": "1", "e5": "1"})) == {move("e5", "d5")}


@pytest.mark.parametrize(("pieces", "start", "then"), [("21", "d4", Act.TURN), ("13", "d5", Act.LEAVE)])
def test_it_turns_a_stack_over_if_that_completes_a_triplet(pieces: str, start: str, then: int) -> None:
    match = scene({**FAR, "b6": "1", "c6": "1", start: pieces})
    match.play(move(start, "d6"))
    assert choices(match) == {then}


def test_it_pays_with_a_piece_that_is_no_longer_needed() -> None:
    match = scene({**FAR, "a5": "1", "b5": "2"}, current=2)
    turn(match, "g3", "b3", Act.LEAVE)
    assert choices(match) == {pay("a5")}


def test_of_several_triplets_it_removes_the_one_that_uncovers_the_next() -> None:
    match = scene({"e7": "333", "g3": "555", "b4": "1", "c4": "12", "d4": "12", "e4": "12"})
    turn(match, "g3", "b3", Act.LEAVE)
    assert {remove("b4", "c4", "d4"), remove("c4", "d4", "e4")} == {choice.action for choice in match.legal()}
    assert choices(match) == {remove("c4", "d4", "e4")}


@pytest.mark.parametrize(("mode", "then"), [("together", Act.TURN), ("versus", Act.LEAVE)])
def test_it_prepares_a_triplet_for_a_teammate_but_not_for_an_opponent(mode: str, then: int) -> None:
    match = scene({**FAR, "b6": "1", "e6": "1", "c2": "41"}, mode=mode)
    match.play(move("c2", "c6"))
    assert choices(match) == {then}  # with 1s on b6 and c6, the 1 on e6 could move to d6


def test_with_order_any_it_completes_a_triplet_of_any_number() -> None:
    match = scene({**FAR, "g5": "111", "c5": "4", "d5": "4", "e1": "4", "b6": "2"}, mode="versus", order="any")
    assert choices(match) <= {move("e1", "e5"), move("e1", "d4")}


DEAD_SOON = {"d4": "666", "b2": "2", "f6": "2", "f2": "2", "g3": "555", "a5": "4"}


@pytest.mark.parametrize(("takers", "pays_a_needed_piece"), [({1: 0}, True), ({1: 1}, False)])
def test_with_order_strict_it_blocks_the_numbers_only_while_it_is_ahead(
    takers: dict[int, int], pays_a_needed_piece: bool
) -> None:
    match = scene(DEAD_SOON, mode="versus", order="strict", current=2, takers=takers)
    turn(match, "g3", "b3", Act.LEAVE)
    assert (choices(match) <= {pay("b2"), pay("f6"), pay("f2")}) == pays_a_needed_piece


def test_with_order_strict_it_plays_on_rather_than_draw() -> None:
    match = scene(DEAD_SOON, mode="versus", order="strict", current=2, takers={})
    turn(match, "g3", "b3", Act.LEAVE)
    assert not choices(match) & {pay("b2"), pay("f6"), pay("f2")}


def test_it_does_not_depend_on_unseen_pieces() -> None:
    match = AXXA.match(players=1, seed="led")
    states = match.states
    states["piece"][0][:, :2] = states["piece"][0][::-1, :2].copy()  # the lower two of every stack, which are unseen
    other = match.supposing(states)
    assert choices(match) == choices(other)
