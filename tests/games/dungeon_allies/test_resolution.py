"""Dungeon Allies, rule by rule: turn order, treasure, trainer, tavern, prisoners, trade, sorcerer (chapters 5 to 11)."""

from __future__ import annotations

from typing import Any

import pytest

from games.dungeon_allies.scenes import (
    DA,
    A,
    B,
    C,
    D,
    bid,
    box,
    crystals,
    dice,
    follower_die,
    go,
    gold,
    laid,
    legal,
    lying,
    only,
    place,
    refused,
    scene,
    send,
    state_of,
    stop_trading,
    told,
    trade,
    without,
)
from meadhall import Match
from meadhall.games.dungeon_allies.pieces import CARDS, DISPLAY, MONSTERS, NONE, Act, Phase
from meadhall.games.dungeon_allies.state import State

# ------------------------------------------------------------------------------------------------------------------- turn order


def test_DA_5_1_gifts_by_space_and_the_others_keep_their_order_behind() -> None:
    match = scene(players=5, order=[4, 3, 2, 1, 0])
    send(match, (4, 4, "trade"), (3, 4, "turn_order"), (2, 4, "trade"), (1, 4, "turn_order"), (0, 4, "trade"))
    send(match, (4, 6, "trade"), (3, 6, "trade"), (2, 6, "turn_order"), (1, 6, "trade"))
    events = only(send(match, (0, 6, "turn_order")), "gains", "order")
    assert events == [
        ["gains", 3, "red", 1],
        ["gains", 1, "red", 1],
        ["gains", 2, "red", 1],
        ["gains", 0, "blue", 1],
        ["order", 3, 1, 2, 0, 4],
    ]


def test_DA_5_1_without_a_die_there_nothing_happens() -> None:
    match = scene(players=3, order=[B, A, C])
    assert not only(go(match), "order", "gains")
    assert state_of(match).order.tolist() == [B, A, C, NONE, NONE]


def test_DA_5_2_the_new_order_applies_to_trade_and_to_the_next_placement() -> None:
    match = scene(players=3, crystals={A: "RR", B: "RR", C: "RR"})
    send(match, (A, 4, "trade"), (B, 4, "trade"), (C, 4, "turn_order"))
    go(match)
    assert (match.actor, state_of(match).phase) == (C, Phase.TRADE)
    match.play(Act.END_TRADE)
    assert match.actor == A
    stop_trading(match)
    assert (match.actor, state_of(match).phase) == (C, Phase.PLACE)


# --------------------------------------------------------------------------------------------------------------------- treasure


@pytest.mark.parametrize(
    ("space", "items", "guarded"),
    [(1, "RBY", False), (2, "G", True), (3, "RW", True), (4, "R", False), (5, "3", True)],
)
def test_DA_6_1_green_white_and_gold_are_guarded(space: int, items: str, guarded: bool) -> None:
    match = scene(treasure={space: items})
    send(match, (A, 4, f"treasure:{space}"))
    assert [event[:3] for event in only(go(match), "guarded", "loots")] == [["guarded" if guarded else "loots", A, space]]


def test_DA_6_2_the_owner_takes_everything_gold_first_then_red_to_white() -> None:
    match = scene(treasure={3: "WRRYB"})
    states = match.states
    states["treasure"][0][2][5] = 2  # no rule puts gold there, but the player takes everything
    match = match.supposing(states)
    before = box(match)
    send(match, (A, 4, "treasure:3"), (B, 4, "square:0"), (A, 6, "square:1"))
    events = go(match, *WON_ROLLS)
    assert only(events, "loots", "gains") == [
        ["loots", A, 3],
        ["gains", A, "gold", 2],
        ["gains", A, "red", 2],
        ["gains", A, "blue", 1],
        ["gains", A, "yellow", 1],
        ["gains", A, "white", 1],
    ]
    assert crystals(match, A) == "RRBYW"
    assert box(match) == without(before, laid(events)), "they don't come from the box"


WON_ROLLS = (5, 1)
"""A is first and wins on square 1; B loses on square 0, where the target is 2."""


def test_DA_6_2_without_a_win_guarded_treasure_stays() -> None:
    match = scene(treasure={2: "G", 5: "3"}, monsters={0: (9, 1, "armor")})
    send(match, (A, 4, "treasure:2"), (B, 4, "treasure:5"), (A, 6, "square:0"))
    events = go(match, 6)
    assert only(events, "fails", "guarded", "loots", "gains") == [["fails", A, 0], ["guarded", A, 2], ["guarded", B, 5]]
    assert lying(match, 5) == {"gold": 4}
    assert lying(match, 2)["green"] >= 1


def test_DA_6_2_a_win_with_the_hammer_counts_but_only_this_turn() -> None:
    match = scene(treasure={1: "G", 2: "G"}, crystals={A: "W"}, monsters={0: (99, 1, "armor")})
    send(match, (A, 4, "square:0"), (B, 4, "trade"), (A, 6, "treasure:1"), (B, 6, "trade"))
    assert ["loots", A, 1] in told(match.play(Act.ROLL + 1))
    stop_trading(match)
    send(match, (A, 4, "trade"), (B, 4, "trade"), (A, 6, "treasure:2"))
    assert ["guarded", A, 2] in told(send(match, (B, 6, "trade")))


def test_DA_6_2_an_empty_space_is_looted_without_gains() -> None:
    match = scene()
    send(match, (A, 4, "treasure:1"), (B, 4, "treasure:2"))
    assert only(go(match), "loots", "gains") == [["loots", A, 1], ["loots", B, 2]]


def test_DA_6_3_nothing_is_guarded_when_no_monster_is_left_even_in_the_same_turn() -> None:
    match = scene(treasure={1: "W", 5: "4"}, removed=MONSTERS - 1, monsters={27: (99, 1, "armor")})
    send(match, (A, 4, "square:27"), (B, 4, "treasure:1"), (A, 6, "trade"))
    go(match, 1)
    assert only(match.steps[-1].events, "fails", "loots", "gains") == [
        ["fails", A, 27],
        ["loots", B, 1],
        ["gains", B, "white", 1],
    ]


# ---------------------------------------------------------------------------------------------------------------------- trainer


def test_DA_7_1_top_to_bottom_the_next_die_unless_another_ally_has_it_now() -> None:
    match = scene({A: {4: "water", 6: "fire", 8: "armor"}})
    send(match, (A, 8, "trainer"), (B, 6, "trainer"), (A, 4, "trainer"), (B, 4, "trainer"), (A, 6, "trainer"))
    events = only(match.steps[-1].events, "trained", "training_forfeit")
    assert [event[0] for event in events] == ["trained", "trained", "training_forfeit", "trained", "trained"]
    assert [event[1] for event in events] == [A, B, A, B, A]
    assert dice(match, A) == {4: "water", 8: "fire", 10: "armor"}
    assert sorted(dice(match, B)) == [6, 8]


def test_DA_7_1_up_to_the_d12() -> None:
    match = scene({A: {4: "water", 10: "fire"}})
    send(match, (A, 10, "trainer"))
    assert only(go(match), "trained")[0][3] == 12
    assert dice(match, A) == {4: "water", 12: "fire"}


def test_DA_7_2_the_ally_whose_die_was_placed_is_trained_even_a_follower() -> None:
    match = scene({A: {4: "fire", 8: "fire", 10: "fire"}})
    state = state_of(match)
    follower = state.ally[A, 2 + 1]
    assert follower >= 10
    send(match, (A, 10, "trainer"))
    go(match)
    assert state_of(match).ally[A, 4] == follower
    assert state_of(match).ally[A, 3] == NONE


# ----------------------------------------------------------------------------------------------------------------------- tavern


def test_DA_8_3_the_last_bidder_gets_the_follower_on_top_with_a_die_smaller_than_all_others() -> None:
    match = scene({A: {8: "water", 10: "fire"}, B: {6: "armor", 8: "melee"}}, gold={A: 2, B: 1})
    top = state_of(match).stack[7]
    send(match, (A, 8, "tavern"), (B, 6, "tavern"), (A, 10, "tavern"))
    go(match)
    assert (match.actor, legal(match)) == (A, [follower_die(4), follower_die(6)])
    assert refused(match, follower_die(8)) == refused(match, follower_die(12)) == "DA-8.3"
    before = state_of(match).reveals
    events = match.play(follower_die(6))
    assert [event.name for event in events][:2] == ["follower_joins", "follower_top"]
    assert told(events)[0] == ["follower_joins", A, ALLY_IDS[top], 6]
    assert told(events)[1] == ["follower_top", ALLY_IDS[state_of(match).stack[6]]]
    assert state_of(match).reveals > before
    assert state_of(match).ally[A, 1] == top
    assert (gold(match, A), gold(match, B)) == (0, 0), "no bid comes back"


ALLY_IDS = [ally.id for ally in DA.options[0].of(DA.options[0].default).allies]  # type: ignore[attr-defined]


def test_DA_8_3_followers_count_for_the_lowest_die_and_the_new_one_is_active_from_the_next_turn() -> None:
    match = scene({A: {6: "fire", 8: "fire", 10: "fire"}})
    send(match, (A, 8, "tavern"))
    assert only(go(match), "follower_joins")[0][3] == 4
    assert (state_of(match).turn, match.actor) == (2, A)
    assert {sides for sides in (4, 6, 8, 10, 12) if place(sides, "trade") in legal(match)} == {4, 6, 8, 10}


def test_DA_8_3_after_the_last_follower_the_stack_is_empty() -> None:
    match = scene({A: {6: "water", 8: "armor"}}, followers=1)
    send(match, (A, 8, "tavern"))
    assert not only(go(match), "follower_top")
    assert state_of(match).followers == 0


def test_DA_8_4_a_bidder_with_a_d4_forfeits_and_no_other_player_gets_the_follower() -> None:
    match = scene({B: {6: "armor", 8: "melee"}}, gold={A: 3})
    send(match, (A, 4, "trade"), (B, 6, "tavern"), (A, 6, "tavern"))
    events = match.play(bid(2)) + go(match)
    assert only(events, "tavern_forfeit", "follower_joins") == [["tavern_forfeit", A]]
    assert state_of(match).followers == 8
    assert gold(match, A) == 1


def test_DA_8_4_eligibility_is_checked_after_training() -> None:
    match = scene({A: {4: "water", 8: "fire"}})
    send(match, (A, 4, "trainer"), (B, 4, "trade"), (A, 8, "tavern"))
    assert only(go(match), "follower_joins")[0][3] == 4
    assert sorted(dice(match, A)) == [4, 6, 8]


# -------------------------------------------------------------------------------------------------------------------- prisoners


@pytest.mark.parametrize(
    ("space", "offering", "reward"),
    [(1, "R", [["gold", 1]]), (2, "B", [["gold", 1], ["red", 1]]), (3, "Y", [["gold", 2]]), (4, "G", [["gold", 2], ["blue", 1]])],
)
def test_DA_9_1_a_player_who_can_pay_the_offering_pays_and_gets_the_reward(
    space: int, offering: str, reward: list[list[Any]]
) -> None:
    match = scene(crystals={A: offering, B: ""})
    send(match, (A, 4, f"prisoner:{space}"), (B, 4, f"prisoner:{space % 4 + 1}"))
    events = only([*go(match), *match.play(Act.FREE)], "frees", "pays", "gains", "prisoner_forfeit")
    assert [event for event in events if event[1] == B] == [["prisoner_forfeit", B, space % 4 + 1]]
    colour = {"R": "red", "B": "blue", "Y": "yellow", "G": "green"}[offering]
    assert [event for event in events if event[1] == A] == [
        ["frees", A, space],
        ["pays", A, colour, 1],
        *(["gains", A, item, count] for item, count in reward),
    ]


def test_DA_9_1_spaces_come_in_order() -> None:
    match = scene({A: {4: "water", 6: "fire", 8: "armor"}}, crystals={A: "B"})
    send(match, (A, 8, "prisoner:1"), (B, 4, "trade"), (A, 6, "prisoner:2"))
    events = only([*go(match), *match.play(Act.FREE)], "frees", "prisoner_forfeit")
    assert events == [["prisoner_forfeit", A, 1], ["frees", A, 2]], "the red crystal comes too late"
    assert crystals(match, A) == "R"


def test_DA_9_1_a_player_who_declines_keeps_the_offering_and_gets_nothing() -> None:
    match = scene(crystals={A: "R", B: "B"})
    send(match, (A, 4, "prisoner:1"), (B, 4, "prisoner:2"))
    go(match)
    before = box(match)
    assert (match.actor, legal(match)) == (A, [Act.KEEP_OFFERING, Act.FREE])
    assert told(match.play(Act.KEEP_OFFERING)) == [["prisoner_declined", A, 1]]
    assert (crystals(match, A), gold(match, A), box(match)) == ("R", 0, before)
    assert match.actor == B, "every player who can pay is asked"
    assert only(match.play(Act.FREE), "frees", "pays", "gains")[0] == ["frees", B, 2]


def test_DA_9_1_a_crystal_that_was_kept_can_be_used_two_places_later() -> None:
    match = scene({A: {4: "water", 6: "fire"}}, crystals={A: "B"})
    send(match, (A, 4, "prisoner:2"), (B, 4, "trade"), (A, 6, "sorcerer:1"))
    go(match)
    match.play(Act.KEEP_OFFERING)
    assert (match.actor, legal(match)) == (A, [Act.DECLINE, Act.BUY])
    paid = scene({A: {4: "water", 6: "fire"}}, crystals={A: "B"})
    send(paid, (A, 4, "prisoner:2"), (B, 4, "trade"), (A, 6, "sorcerer:1"))
    go(paid)
    assert [event[0] for event in only(paid.play(Act.FREE), "cannot_pay")] == ["cannot_pay"]


def test_DA_9_1_the_offering_is_paid_even_if_the_box_lacks_the_reward() -> None:
    match = scene(crystals={A: "G", B: "B" * 16})
    send(match, (A, 4, "prisoner:4"))
    assert only([*go(match), *match.play(Act.FREE)], "pays", "gains") == [["pays", A, "green", 1], ["gains", A, "gold", 2]]


# ------------------------------------------------------------------------------------------------------------------------ trade


def traders(of_a: str, of_b: str = "") -> Match:
    match = scene(crystals={A: of_a, B: of_b})
    send(match, (A, 4, "trade"), (B, 4, "trade"), (A, 6, "trade"), (B, 6, "trade"))
    return match


LINES = [("RR", "B"), ("RB", "Y"), ("BY", "G"), ("YG", "W")]


@pytest.mark.parametrize("line", range(4))
@pytest.mark.parametrize("direction", [0, 1])
def test_DA_10_1_exchanges_along_the_lines_in_either_direction(line: int, direction: int) -> None:
    given, taken = LINES[line] if direction == 0 else LINES[line][::-1]
    match = traders(given)
    assert trade(line, direction) in legal(match)
    before = box(match)
    events = match.play(trade(line, direction))
    assert told(events)[0] == ["trades", A, line, direction]
    assert crystals(match, A) == taken
    assert box(match) == without(before, taken + laid(events), given)


def test_DA_10_1_as_often_as_crystals_and_box_allow_and_a_second_die_adds_nothing() -> None:
    match = traders("RRRRR")
    assert legal(match) == [Act.END_TRADE, trade(0, 0)]
    assert refused(match, trade(1, 0)) == refused(match, trade(2, 1)) == "DA-10.1"
    match.play(trade(0, 0))
    assert crystals(match, A) == "RRRB"
    assert legal(match) == [Act.END_TRADE, trade(0, 0), trade(1, 0)]
    match.play(trade(1, 0))
    assert crystals(match, A) == "RRY"
    assert told(match.play(Act.END_TRADE))[0][0] != "trades"
    assert state_of(match).phase == Phase.PLACE, "A is not asked again for the second die"


def test_DA_10_1_the_box_must_have_the_whole_other_side() -> None:
    match = traders("RR", "B" * 16)
    assert (match.actor, legal(match)[0]) == (B, Act.END_TRADE), "A, for whom there is no blue, is not asked"
    match = traders("RRRR", "B" * 15)
    match.play(trade(0, 0))
    assert match.actor == A, "blue and red make a yellow"
    assert refused(match, trade(0, 0)) == "DA-1.6"


def test_DA_10_1_visitors_come_in_turn_order() -> None:
    match = scene(players=3, order=[C, A, B], crystals={A: "RR", B: "RR", C: "RR"})
    send(match, (C, 4, "trade"), (A, 4, "treasure:1"), (B, 4, "trade"), (C, 6, "treasure:2"), (A, 6, "treasure:3"))
    send(match, (B, 6, "treasure:4"))
    assert match.actor == C
    match.play(Act.END_TRADE)
    assert match.actor == B
    assert match.play(Act.END_TRADE)
    assert state_of(match).turn == 2


def test_DA_10_2_in_one_visit_a_line_is_used_in_one_direction_only() -> None:
    match = traders("BBBRRRR", "B")
    match.play(trade(0, 0))
    assert trade(0, 1) not in legal(match)
    assert refused(match, trade(0, 1)) == "DA-10.2"
    assert trade(0, 0) in legal(match)
    match.play(trade(1, 0))
    assert refused(match, trade(1, 1)) == "DA-10.2"
    match.play(Act.END_TRADE)
    assert (match.actor, legal(match)) == (B, [Act.END_TRADE, trade(0, 1)]), "the next visitor may use it so"


def test_DA_10_2_every_visit_ends() -> None:
    """Even if the player always uses the last legal line."""
    match = traders("RRRRRRRRRRRRBBBBBBBBYYYYYGGGWW")
    count = 0
    while state_of(match).phase == Phase.TRADE:
        match.play(legal(match)[-1])
        count += 1
    assert 5 < count < 100


# --------------------------------------------------------------------------------------------------------------------- sorcerer


@pytest.mark.parametrize(("removed", "price"), [(0, "B"), (8, "Y"), (16, "G")])
def test_DA_11_1_a_card_costs_a_crystal_of_the_colour_of_the_round(removed: int, price: str) -> None:
    match = scene(crystals={A: price, B: "BYG".replace(price, "")}, removed=removed)
    send(match, (A, 4, "sorcerer:2"), (B, 4, "sorcerer:1"), (A, 6, "treasure:1"), (B, 6, "treasure:2"))
    assert told(match.steps[-1].events)[-1][:2] == ["cannot_pay", B]
    assert (match.actor, legal(match)) == (A, [Act.DECLINE, Act.BUY])
    colour = {"B": "blue", "Y": "yellow", "G": "green"}[price]
    assert told(match.play(Act.BUY))[:2] == [["buys", A, "tidecaller_charm"], ["pays", A, colour, 1]]
    assert crystals(match, A) == ""


def test_DA_11_1_spaces_in_order_and_declining_is_allowed() -> None:
    match = scene(crystals={A: "B", B: "BB"})
    send(match, (A, 4, "sorcerer:5"), (B, 4, "sorcerer:1"), (A, 6, "sorcerer:3"), (B, 6, "sorcerer:4"))
    assert match.actor == B
    assert told(match.play(Act.DECLINE)) == [["declines", B, "staff_of_cinders"]]
    assert match.actor == A
    match.play(Act.BUY)
    assert match.actor == B
    events = match.play(Act.BUY)
    assert only(events, "buys", "cannot_pay") == [["buys", B, "alchemists_rod"], ["cannot_pay", A, "talisman_of_echoes"]]
    assert state_of(match).turn == 2


def test_DA_11_2_cards_are_kept_open_to_all() -> None:
    match = scene(crystals={A: "B"})
    send(match, (A, 4, "sorcerer:1"))
    go(match)
    match.play(Act.END_TRADE)
    match.play(Act.BUY)
    for viewer in (-1, A, B):
        assert match.view(viewer).state.card_owner.tolist() == [A, *[NONE] * (CARDS - 1)]


def test_DA_11_3_empty_spaces_are_refilled_at_the_end_of_the_turn() -> None:
    match = scene(crystals={A: "BB"})
    send(match, (A, 4, "sorcerer:2"), (B, 4, "trade"), (A, 6, "sorcerer:4"), (B, 6, "trade"))
    assert state_of(match).phase == Phase.BUY
    match.play(Act.BUY)
    assert state_of(match).display.tolist() == [0, NONE, 2, 3, 4]
    events = match.play(Act.BUY)
    assert only(events, "card_shown") == [["card_shown", 2, "fletchers_charm"], ["card_shown", 4, "duelists_charm"]]
    assert state_of(match).cards == CARDS - DISPLAY - 2


def test_DA_11_3_empty_spaces_stay_empty_without_a_deck() -> None:
    match = scene(crystals={A: "BB"})
    states = match.states
    state: Any = State.at(states)
    state.card_owner[state.deck[1 : state.cards]] = B
    state.deck[1:] = NONE
    state.cards = 1
    match = match.supposing(states)
    send(match, (A, 4, "sorcerer:2"), (B, 4, "trade"), (A, 6, "sorcerer:4"), (B, 6, "trade"))
    match.play(Act.BUY)
    events = match.play(Act.BUY)
    assert [event[1] for event in only(events, "card_shown")] == [2]
    assert state_of(match).display[3] == NONE
    assert "sorcerer:4" not in [f"sorcerer:{k}" for k in range(1, 6) if place(4, f"sorcerer:{k}") in legal(match)]


def test_events_name_spaces_by_their_printed_numbers() -> None:
    """DA-3.3: Spaces are numbered from 1, as printed."""
    match = scene(players=4, treasure={1: "R"}, crystals={B: "Y"})
    send(match, (A, 4, "treasure:1"), (B, 4, "prisoner:3"), (C, 4, "treasure:4"), (D, 4, "prisoner:5"))
    assert only([*go(match), *match.play(Act.FREE)], "loots", "frees", "prisoner_forfeit") == [
        ["loots", A, 1],
        ["loots", C, 4],
        ["frees", B, 3],
        ["prisoner_forfeit", D, 5],
    ]
