"""Dungeon Allies, rule by rule: placement, Illuminate, bids (chapters 3 and 8 of the rules)."""

from __future__ import annotations

from typing import Any

import pytest

from games.dungeon_allies.scenes import (
    A,
    B,
    C,
    D,
    bid,
    box,
    crystals,
    gold,
    legal,
    only,
    peek,
    place,
    refused,
    scene,
    send,
    spots,
    state_of,
    told,
    trade_with,
)
from meadhall import Match
from meadhall.games.dungeon_allies.pieces import (
    DICE,
    FOLLOWERS,
    MOST_GOLD_BID,
    PRISONERS,
    TRAINER_SPACES,
    TREASURES,
    Act,
    Phase,
    Target,
)
from meadhall.games.dungeon_allies.state import State

THREE = {4: "water", 6: "fire", 8: "armor"}

# ------------------------------------------------------------------------------------------------------------- whose turn it is


def test_DA_3_1_one_die_each_in_turn_order_and_players_with_more_dice_continue_alone() -> None:
    match = scene({B: {4: "water", 6: "fire", 8: "armor", 10: "melee"}}, players=3, order=[C, B, A])
    actors: list[int | None] = []
    while state_of(match).phase == Phase.PLACE and len(actors) < 8:
        actors.append(match.actor)
        match.play(trade_with(match))
    assert actors == [C, B, A, C, B, A, B, B]


def test_DA_3_1_only_active_dice_that_are_not_placed_yet_can_be_placed() -> None:
    match = scene({A: THREE})
    send(match, (A, 6, "trade"), (B, 4, "trade"))
    assert refused(match, place(6, "square:3")) == "DA-3.1"
    assert refused(match, place(12, "square:3")) == "DA-1.2"


def test_DA_3_2_any_die_on_any_space_but_no_pass() -> None:
    match = scene({A: THREE})
    actions = legal(match)
    assert all(Act.PLACE <= action < Act.ILLUMINATE for action in actions)
    assert {(action - Act.PLACE) % DICE for action in actions} == {0, 1, 2}
    for sides in THREE:
        assert spots(match, sides) == spots(match, 4)


def cornered(**more: Any) -> Match:
    """Return a match in which B has only the d6 left and every space except trade is taken, after A has placed the d6."""
    match = scene({A: THREE}, removed=27, followers=0, **more)
    send(match, (A, 4, "square:27"), (B, 4, "turn_order"))
    states = match.states
    state: Any = State.at(states)
    state.holder[Target.TREASURE : Target.TREASURE + TREASURES] = A
    state.holder[Target.PRISONER : Target.PRISONER + PRISONERS] = A
    state.holder[Target.SORCERER :] = A
    state.trainees = TRAINER_SPACES
    match = match.supposing(states)
    send(match, (A, 6, "trade"))
    return match


def test_DA_3_2_a_last_die_that_can_only_trade_is_placed_automatically() -> None:
    match = cornered()
    assert match.actor == A, "B's die was placed at once"
    assert told(match.steps[-1].events) == [["placed", A, 6, "trade"], ["placed", B, 6, "trade"]]
    assert spots(match, 8) == ["square:27", "turn_order", "trade"]


def test_DA_3_2_a_player_who_could_cast_illuminate_decides() -> None:
    match = cornered(crystals={B: "R"})
    assert (match.actor, legal(match)) == (B, [place(6, "trade"), Act.ILLUMINATE])


# ----------------------------------------------------------------------------------------------------------------------- spaces


def test_DA_3_3_a_square_with_a_monster_and_no_die_of_another_player() -> None:
    match = scene({A: THREE}, removed=4)
    assert [spot for spot in spots(match, 4) if spot.startswith("square")] == [f"square:{k}" for k in range(4, 28)]
    send(match, (A, 4, "square:20"))
    assert "square:20" not in spots(match, 4)
    assert refused(match, place(4, "square:20")) == refused(match, place(4, "square:0")) == "DA-3.3"
    send(match, (B, 4, "square:5"))
    assert "square:5" not in spots(match, 6)
    send(match, (A, 6, "square:20"), (B, 6, "square:5"), (A, 8, "square:20"))


def test_DA_3_3_on_the_turn_order_the_lowest_empty_space_and_one_die_each() -> None:
    match = scene(players=3)
    assert told(send(match, (A, 4, "turn_order"), (B, 4, "turn_order"))) == [
        ["placed", A, 4, "turn_order:1"],
        ["placed", B, 4, "turn_order:2"],
    ]
    send(match, (C, 4, "trade"))
    assert refused(match, place(6, "turn_order")) == "DA-3.3"
    send(match, (A, 6, "trade"), (B, 6, "trade"))
    assert told(send(match, (C, 6, "turn_order")))[0] == ["placed", C, 6, "turn_order:3"]


@pytest.mark.parametrize("spot", ["treasure:3", "prisoner:3", "sorcerer:3"])
def test_DA_3_3_one_die_on_a_treasure_a_prisoner_or_a_card(spot: str) -> None:
    match = scene({A: THREE})
    assert told(send(match, (A, 4, spot))) == [["placed", A, 4, spot]]
    assert refused(match, place(4, spot)) == "DA-3.3"
    send(match, (B, 4, "trade"))
    assert spot not in spots(match, 6)
    other = spot.replace("3", "4")
    send(match, (A, 6, other))
    assert other not in spots(match, 6)


def test_DA_3_3_no_die_on_a_space_of_the_sorcerer_without_a_card() -> None:
    match = scene()
    states = match.states
    states["display"][0][1] = -1
    match = match.supposing(states)
    assert [spot for spot in spots(match, 4) if spot.startswith("sorcerer")] == [f"sorcerer:{k}" for k in (1, 3, 4, 5)]
    assert refused(match, place(4, "sorcerer:2")) == "DA-3.3"


def test_DA_3_3_nine_dice_at_the_trainer_on_the_topmost_free_space_and_no_d12() -> None:
    match = scene({A: {4: "water", 12: "fire"}})
    assert "trainer" not in spots(match, 12)
    assert refused(match, place(12, "trainer")) == "DA-3.3"
    assert told(send(match, (A, 4, "trainer"), (B, 6, "trainer"))) == [
        ["placed", A, 4, "trainer:1"],
        ["placed", B, 6, "trainer:2"],
    ]
    match = scene()
    states = match.states
    states["trainees"] = TRAINER_SPACES - 1
    match = match.supposing(states)
    assert told(send(match, (A, 4, "trainer"))) == [["placed", A, 4, f"trainer:{TRAINER_SPACES}"]]
    assert refused(match, place(4, "trainer")) == "DA-3.3"


def test_DA_3_3_trade_is_open_to_all() -> None:
    match = scene(players=3)
    send(match, (A, 4, "trade"), (B, 4, "trade"), (C, 4, "trade"), (A, 6, "trade"))


# ------------------------------------------------------------------------------------------------------------------- Illuminate


def test_DA_3_4_a_red_crystal_for_two_tiles_one_after_the_other() -> None:
    match = scene({A: THREE}, players=3, crystals={A: "RR"}, removed=20)
    assert told(match.play(Act.ILLUMINATE)) == [["illuminates", A]]
    assert (crystals(match, A), box(match)["R"]) == ("R", 23)
    assert (match.actor, legal(match)) == (A, [peek(square) for square in range(20, 28)])
    assert refused(match, place(4, "trade")) == refused(match, peek(3)) == "DA-3.4"
    events = match.play(peek(22))
    assert told(events) == [["peeked", A, 22], ["peek_face", A, 22, "briar_giant"]]
    assert [event.audience for event in events] == [-1, A]
    assert refused(match, peek(22)) == "DA-3.4"
    match.play(peek(20))
    assert (match.actor, state_of(match).phase) == (A, Phase.PLACE)
    match.play(Act.ILLUMINATE)
    assert legal(match) == [peek(square) for square in (21, 23, 24, 25, 26, 27)]


def test_DA_3_4_a_look_is_private_and_permanent() -> None:
    match = scene(crystals={A: "RR", B: "R"})
    match.play(Act.ILLUMINATE)
    match.play(peek(3))
    match.play(peek(4))
    monsters = {seat: match.view(seat).state.monster.tolist() for seat in (-1, A, B)}
    assert monsters[A][:6] == [-1, -1, -1, 3, 4, -1]
    assert set(monsters[B]) == set(monsters[-1]) == {-1}
    send(match, (A, 4, "square:3"))
    match.play(Act.ILLUMINATE)
    assert peek(3) in legal(match), "a die on a tile doesn't matter"
    match.play(peek(3))
    match.play(peek(5))
    assert [square for square, tile in enumerate(match.view(B).state.monster) if tile >= 0] == [3, 5]


def test_DA_3_4_a_single_unseen_tile_is_shown_automatically() -> None:
    match = scene(crystals={A: "RRR"}, removed=25)
    match.play(Act.ILLUMINATE)
    match.play(peek(26))
    assert told(match.play(peek(27)))[0] == ["peeked", A, 27]
    assert told(match.play(Act.ILLUMINATE)) == [["illuminates", A], ["peeked", A, 25], ["peek_face", A, 25, "deep_serpent"]]
    assert refused(match, Act.ILLUMINATE) == "DA-3.4"
    assert crystals(match, A) == "R"
    match = scene(crystals={A: "R"}, removed=26)
    match.play(Act.ILLUMINATE)
    assert told(match.play(peek(27)))[::2] == [["peeked", A, 27], ["peeked", A, 26]]
    assert state_of(match).phase == Phase.PLACE


def test_DA_3_4_only_with_a_red_crystal_and_before_placing_an_own_die() -> None:
    match = scene(crystals={A: "BYGW", B: "R"})
    assert refused(match, Act.ILLUMINATE) == "DA-3.4"
    send(match, (A, 4, "trade"), (B, 4, "trade"), (A, 6, "trade"))
    assert Act.ILLUMINATE in legal(match), "in a later pass too"


# ------------------------------------------------------------------------------------------------------------------------- bids


def test_DA_8_1_the_first_die_bids_nothing_and_later_ones_more_than_the_last() -> None:
    match = scene(players=4, gold={A: 9, B: 3, C: 3, D: 5})
    assert told(send(match, (A, 4, "tavern"))) == [["placed", A, 4, "tavern"], ["bid", A, 0]]
    assert told(send(match, (B, 4, "tavern"))) == [["placed", B, 4, "tavern"]]
    assert (match.actor, legal(match)) == (B, [bid(1), bid(2), bid(3)])
    assert refused(match, bid(4)) == refused(match, place(6, "trade")) == "DA-8.1"
    assert told(match.play(bid(2))) == [["bid", B, 2]]
    assert told(send(match, (C, 4, "tavern"))) == [["placed", C, 4, "tavern"], ["bid", C, 3]], "the only bid left"
    send(match, (D, 4, "tavern"))
    assert legal(match) == [bid(4), bid(5)]
    assert refused(match, bid(3)) == "DA-8.1"


def test_DA_8_1_no_more_than_sixty() -> None:
    match = scene(players=3, gold={B: 70, C: 70})
    send(match, (A, 4, "tavern"), (B, 4, "tavern"))
    assert legal(match) == [Act.BID + amount for amount in range(1, MOST_GOLD_BID + 1)]
    match.play(bid(60))
    assert refused(match, place(4, "tavern")) == "DA-8.1"
    assert "tavern" not in spots(match, 4)


def test_DA_8_1_only_with_a_follower_there_and_enough_gold() -> None:
    match = scene(followers=0)
    assert refused(match, place(4, "tavern")) == "DA-8.1"
    match = scene(gold={A: 2, B: 2}, followers=FOLLOWERS - 3)
    send(match, (A, 4, "tavern"), (B, 4, "tavern"))
    match.play(bid(2))
    assert refused(match, place(6, "tavern")) == "DA-8.1"


def test_DA_8_2_no_player_raises_their_own_bid_but_an_outbid_player_may_return() -> None:
    match = scene({A: THREE, B: THREE}, gold={A: 3, B: 1})
    send(match, (A, 4, "tavern"), (B, 4, "trade"))
    assert refused(match, place(6, "tavern")) == "DA-8.2"
    assert "tavern" not in spots(match, 6)
    send(match, (A, 6, "trade"))
    assert told(send(match, (B, 6, "tavern")))[-1] == ["bid", B, 1]
    assert gold(match, B) == 0
    send(match, (A, 8, "tavern"))
    assert legal(match) == [bid(2), bid(3)]
    match.play(bid(2))
    assert gold(match, A) == 1
    assert not only(match.steps[-1].events, "gains")


def test_DA_8_2_illuminate_is_not_possible_between_a_tavern_die_and_its_bid() -> None:
    match = scene(gold={B: 5}, crystals={B: "R"})
    send(match, (A, 4, "tavern"), (B, 4, "tavern"))
    assert refused(match, Act.ILLUMINATE) == "DA-8.1"
