"""House rules of Dungeon Allies, and other readings: worked cases. Random matches with them agree with the reference, too."""

from __future__ import annotations

from typing import Any

import pytest

from games.dungeon_allies.scenes import (
    A,
    B,
    bid,
    crystals,
    enhance,
    follower_die,
    go,
    gold,
    legal,
    only,
    place,
    refused,
    scene,
    send,
    spots,
    state_of,
    told,
)
from meadhall import IllegalAction, Match
from meadhall.games.dungeon_allies import facts
from meadhall.games.dungeon_allies.pieces import DISPLAY, NONE, Act
from meadhall.games.dungeon_allies.state import State

THREE = {4: "water", 6: "fire", 8: "armor"}


def test_DA_19_1_a_bid_that_is_beaten_comes_back_at_once() -> None:
    match = scene({A: THREE, B: THREE}, gold={A: 3, B: 1}, rules={"bids": "returned"})
    send(match, (A, 4, "tavern"))
    assert told(send(match, (B, 4, "tavern")))[-1] == ["bid", B, 1], "nothing comes back of a bid of nothing"
    send(match, (A, 6, "tavern"))
    assert told(match.play(bid(3))) == [["bid", A, 3], ["gains", B, "gold", 1]]
    assert (gold(match, A), gold(match, B)) == (0, 1)


def test_DA_19_2_the_first_bid_is_one_gold_or_more() -> None:
    match = scene(gold={B: 2}, rules={"first_bid": "one"})
    assert "tavern" not in spots(match, 4)
    assert refused(match, place(4, "tavern")) == "DA-19.2"
    send(match, (A, 4, "trade"), (B, 4, "tavern"))
    assert legal(match) == [bid(1), bid(2)]
    assert "The first bid is one gold or more" in match.view(B).prompt()
    match.play(bid(1))
    assert (gold(match, B), state_of(match).bid) == (1, 1)


def test_DA_19_2_a_bid_is_refused_without_a_word_about_an_occupied_tavern() -> None:
    match = scene(gold={B: 2}, rules={"first_bid": "one"})
    with pytest.raises(IllegalAction, match="You bid only right after placing a die in the tavern"):
        match.check(bid(1))


def with_the_d4(dice: dict[int, str]) -> Match:
    """Return a match with ``followers=characters`` in which player A has a follower with the d4."""
    match = scene({A: dice}, rules={"followers": "characters"})
    states = match.states
    state: Any = State.at(states)
    state.followers -= 1
    state.ally[A, 0] = state.stack[state.followers]
    state.stack[state.followers] = NONE
    return match.supposing(states)


def test_DA_19_3_a_followers_die_is_free_and_smaller_than_those_of_the_characters() -> None:
    match = with_the_d4({8: "water", 10: "armor"})
    send(match, (A, 8, "tavern"))
    assert only(go(match), "follower_joins")[0][3] == 6
    match = scene({A: {10: "water", 12: "armor"}}, rules={"followers": "characters"})
    send(match, (A, 10, "tavern"))
    go(match)
    assert legal(match) == [follower_die(4), follower_die(6), follower_die(8)]
    assert refused(match, follower_die(10)) == "DA-19.3"


def test_DA_19_3_the_forfeit_says_that_no_smaller_die_is_free() -> None:
    match = with_the_d4({6: "water", 10: "armor"})
    send(match, (A, 10, "tavern"))
    go(match)
    (forfeit,) = (event for step in match.steps for event in step.events if event.name == "tavern_forfeit")
    assert match.in_words(forfeit) == f"No follower joins {match.names[A]}: no smaller die is free"


def test_DA_19_4_the_offering_is_paid_when_the_die_is_placed() -> None:
    match = scene(crystals={A: "R"}, treasure={1: "B"}, rules={"offering": "placed"})
    assert refused(match, place(4, "prisoner:2")) == "DA-19.4"
    assert told(send(match, (A, 4, "prisoner:1"))) == [["placed", A, 4, "prisoner:1"], ["pays", A, "red", 1]]
    assert refused(match, place(4, "prisoner:1")) == "DA-3.3"
    assert only(go(match), "frees", "gains", "pays") == [["frees", A, 1], ["gains", A, "gold", 1]], "without being asked"
    assert crystals(match, A) == ""


def test_DA_19_5_enhance_may_add_the_d20_once() -> None:
    match = scene(crystals={A: "GG"}, monsters={0: (40, 1, "melee")}, rules={"enhance": "d20"})
    send(match, (A, 4, "square:0"))
    go(match)
    assert enhance(20) in legal(match)
    match.play(enhance(20))
    assert refused(match, enhance(20)) == "DA-4.5"
    assert "d20" in dict(facts(match.options))["Dice for Enhance"]


def test_DA_19_6_empty_spaces_of_the_sorcerer_stay_empty() -> None:
    match = scene(crystals={A: "B"}, rules={"refill": "never"})
    send(match, (A, 4, "sorcerer:2"), (B, 4, "trade"), (A, 6, "treasure:1"))
    go(match)
    assert only(match.play(Act.BUY), "card_shown") == []
    assert state_of(match).display.tolist().count(NONE) == 1 < DISPLAY
    assert dict(facts(match.options))["Sorcerer"] == "empty spaces stay empty"


def test_DA_19_7_a_player_may_have_one_die_on_the_treasures() -> None:
    match = scene(treasure={1: "R", 2: "B"}, rules={"treasures": "one"})
    send(match, (A, 4, "treasure:1"), (B, 4, "treasure:2"))
    assert not [spot for spot in spots(match, 6) if spot.startswith("treasure")]
    assert refused(match, place(6, "treasure:3")) == "DA-19.7"
