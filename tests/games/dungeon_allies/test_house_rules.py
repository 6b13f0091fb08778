"""House rules of Dungeon Allies, and other readings: worked cases. Random matches with them agree with the reference, too."""

from __future__ import annotations

from games.dungeon_allies.scenes import (
    DA,
    A,
    B,
    at_random,
    bid,
    gold,
    legal,
    place,
    refused,
    scene,
    send,
    spots,
    state_of,
)


def test_DA_19_2_the_first_bid_is_one_gold_or_more() -> None:
    match = scene(gold={B: 2}, rules={"first_bid": "one"})
    assert "tavern" not in spots(match, 4)
    assert refused(match, place(4, "tavern")) == "DA-19.2"
    send(match, (A, 4, "trade"), (B, 4, "tavern"))
    assert legal(match) == [bid(1), bid(2)]
    assert "The first bid is one gold or more" in match.view(B).prompt()
    match.play(bid(1))
    assert (gold(match, B), state_of(match).bid) == (1, 1)


def test_DA_19_8_DA_19_9_rounds_begin_when_the_table_says_so() -> None:
    match = DA.match(players=2, seed="rounds", round_two=3, round_three=16)
    rounds = {}
    for action in at_random(match):
        match.play(action)
        for event in match.steps[-1].events:
            if event.name == "round":
                rounds[event.arguments[0]] = state_of(match).removed
    assert rounds.keys() == {2, 3}
    assert 3 <= rounds[2] < 16 <= rounds[3]
