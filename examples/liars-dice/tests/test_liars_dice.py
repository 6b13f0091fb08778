"""Tests of Liar's Dice: the laws that every game must keep, and the rules one by one."""

from __future__ import annotations

import pytest
from liars_dice import game
from liars_dice.lessons import bid
from liars_dice.rules import DOUBT, Event, State, matching

from meadhall.sdk import IllegalAction, Match, check_game


def dice_of(match: Match[State], seat: int) -> list[int]:
    return [match.state.dice[seat, k] for k in range(match.state.left[seat])]


def test_every_law_is_kept() -> None:
    check_game(game, matches=1, players=2)


def test_a_round_begins_with_a_bid() -> None:
    with pytest.raises(IllegalAction, match=r"LD-2\.2"):
        game.match(players=2).play(DOUBT)


def test_a_bid_is_higher_than_the_last_one() -> None:
    match = game.match(players=3, seed="any text")
    match.play(bid(2, 4))
    for lower in (bid(1, 6), bid(2, 3), bid(2, 4)):
        with pytest.raises(IllegalAction, match=r"LD-2\.3"):
            match.play(lower)
    match.play(bid(2, 5))
    match.play(bid(3, 2))


def test_a_bid_names_no_more_dice_than_there_are() -> None:
    with pytest.raises(IllegalAction, match=r"LD-2\.4.*only 10 dice|only 10 dice"):
        game.match(players=2).play(bid(11, 2))


@pytest.mark.parametrize("more", [0, 1])
def test_the_doubter_loses_a_die_if_the_bid_holds_and_the_bidder_if_it_does_not(more: int) -> None:
    match = game.match(players=2, seed="any text")
    there = matching(match.state, 0, 4) + matching(match.state, 1, 4)
    match.play(bid(there + more, 4))
    match.play(DOUBT)
    assert list(match.state.left[:2]) == ([5, 4], [4, 5])[more]
    assert match.actor == 1 - more


def test_all_dice_are_shown_after_a_doubt_and_hidden_before() -> None:
    match = game.match(players=2, seed="any text")
    dice = [dice_of(match, seat) for seat in range(2)]
    assert [match.view(0).state.dice[1, k] for k in range(5)] == [0] * 5
    match.play(bid(1, 2))
    events = match.play(DOUBT)
    shown = [event.arguments for event in events if event.kind == Event.SHOWN]
    assert shown == [(seat, *dice[seat]) for seat in range(2)]


def test_the_last_player_with_dice_wins() -> None:
    match = game.match(players=3, seed="any text")
    while not match.over:
        match.play(bid(1, 2) if match.state.bids == 0 else DOUBT)
    result = match.result()
    assert result is not None
    assert [seat for seat in range(3) if match.state.left[seat] > 0] == list(result.winners)
