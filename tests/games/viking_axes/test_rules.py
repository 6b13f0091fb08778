"""Viking Axes, rule by rule."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import meadhall.games.viking_axes as package
from games.viking_axes.scenes import CARDS, VA, as_lists, counted, in_front, legal, named, play_at_random, scene, until
from meadhall import IllegalAction, Match, MatchOver, events_of
from meadhall.engine.match.telling import begins_turn
from meadhall.engine.rulebook import rule_ids
from meadhall.engine.state import chance
from meadhall.games.viking_axes.state import AXE_CARDS, COPIES, HITS, HITS_OF_TWO, Act, Card, Due, Phase

TESTS = Path(__file__).parent
VARIANTS = ["standard", "strategic"]


def refused(match: Match, action: int) -> str:
    """Return the id of the rule that refuses the action."""
    with pytest.raises(IllegalAction) as error:
        match.check(action)
    assert error.value.reason
    return error.value.rule


def played(match: Match, seed: int) -> Match:
    """Play the match to its end with pseudo-random actions."""
    return list(play_at_random(match, seed))[-1]


def state_of(match: Match) -> Any:
    return match.state


# ----------------------------------------------------------------------------------------------------------------- starting


@pytest.mark.parametrize("variant", VARIANTS)
def test_VA_1_1_all_cards_are_shuffled_and_a_random_player_starts(variant: str) -> None:
    starters = set()
    for number in range(40):
        match = VA.match(players=4, seed=f"first {number}", variant=variant)
        assert as_lists(match.setup)[0] == ["shuffled", 120]
        name, seat = as_lists(match.setup)[1]
        assert name == "starts"
        assert next(event[1] for event in as_lists(match.setup) if event[0] == "drew") == seat
        assert counted(match.state) == dict(enumerate(COPIES))
        starters.add(seat)
    assert starters == {0, 1, 2, 3}


@pytest.mark.parametrize("variant", VARIANTS)
def test_VA_1_1_turns_pass_clockwise_and_skip_players_already_out(variant: str) -> None:
    """Any player between two consecutive draws is out or was skipped."""
    passed = 0
    for number in range(12):
        match = played(VA.match(players=5, seed=f"clockwise {number}", variant=variant), number)
        turn, out, skipped = match.steps[0].seat, set(), set()
        for name, seat, *_ in [event for step in match.steps for event in as_lists(step.events)]:
            if name == "out":
                out.add(seat)
            elif name == "turn_skipped":
                skipped.add(seat)
            elif name == "drew" and (seat != turn or skipped):
                between = {(turn + k) % 5 for k in range(1, (seat - turn) % 5 or 5)}
                assert between == (between & out) | skipped
                assert seat not in out
                passed += bool(between & out)
                turn, skipped = seat, set()
    assert passed > 20


def test_VA_1_2_the_limit_is_ten_hits_and_fifteen_if_two_began() -> None:
    for players, limit in ((2, HITS_OF_TWO), (3, HITS), (7, HITS)):
        below, at = (scene("axe1", players=players, hits={1: limit - k}) for k in (2, 1))
        below.play(Act.THROW + 1)
        at.play(Act.THROW + 1)
        assert state_of(below).limit == limit
        assert not state_of(below).out[1]
        assert state_of(at).out[1]


def test_VA_1_3_in_the_variant_two_cards_are_dealt_secretly() -> None:
    match = VA.match(players=3, seed="hands", variant="strategic")
    dealt = [event for event in match.setup if event.name == "dealt"]
    assert len(dealt) == 6
    for event in dealt:
        assert event.audience == event.arguments[0]
    for seat in range(3):
        mine = [event.arguments[1] for event in dealt if event.arguments[0] == seat]
        extra = [event.arguments[1] for event in match.setup if event.name == "drew" and event.arguments[0] == seat]
        assert sorted(mine + extra, key=CARDS.index) == [
            CARDS[kind] for kind in range(len(COPIES)) for _ in range(state_of(match).hand[seat, kind])
        ]
    assert not [event for event in VA.match(players=3, seed="hands").setup if event.name == "dealt"]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", range(2, 8))
def test_VA_1_4_two_to_seven_can_play_both_variants(players: int, variant: str) -> None:
    for match in play_at_random(VA.match(players=players, seed="any", variant=variant)):
        assert match.players == players
    assert match.over


def test_VA_1_5_the_order_of_setup_and_chance() -> None:
    """From the seed: the cards in order of their kinds are shuffled, the first seat is drawn, hands are dealt from the top."""
    match = VA.match(players=3, seed="order", variant="strategic")
    states = VA.state.new()
    rng, laid_out = states["rng"][0], states["pile"][0]
    rng[:] = chance.step_key(match.seed, 0)
    laid_out[:] = [kind for kind, number in enumerate(COPIES) for _ in range(number)]
    chance.shuffle(rng, laid_out, len(laid_out))
    first = chance.below(rng, 3)
    pile = laid_out.tolist()
    expected: list[list[Any]] = [["shuffled", 120], ["starts", first]]
    expected += [["dealt", (first + k) % 3, CARDS[pile.pop()]] for _ in range(2) for k in range(3)]
    expected.append(["drew", first, CARDS[pile.pop()]])
    assert as_lists(match.setup) == expected
    assert [state_of(match).pile[k] for k in range(state_of(match).left)] == pile


# ----------------------------------------------------------------------------------------------------------------- the turn


def test_VA_2_1_a_playable_card_must_be_played_and_any_other_is_discarded() -> None:
    match = scene("axe1", front={1: ["armory"]}, due={0: Due.TURN, 2: Due.TURN}, then=["armory", "axe2"])
    match.play(Act.THROW + 2)
    assert as_lists(match.steps[-1].events)[2:] == [["drew", 1, "armory"], ["discards", 1, "armory"]]
    assert legal(match) == [Act.CASH_IN, Act.END_TURN]
    match = scene("axe1", then=["axe3"])
    match.play(Act.THROW + 2)
    assert legal(match) == [Act.THROW + 0, Act.THROW + 2]
    assert refused(match, Act.END_TURN) == "VA-5.3"


def test_VA_2_2_the_discard_pile_is_shuffled_when_a_card_is_drawn_from_an_empty_pile() -> None:
    match = scene("axe1", left=1, then=["axe1"])
    discarded = sum(state_of(match).discarded[kind] for kind in range(len(COPIES)))
    match.play(Act.THROW + 1)
    assert "shuffled" not in [event.name for event in match.steps[-1].events]
    assert state_of(match).left == 0
    match.play(Act.THROW + 2)
    events = as_lists(match.steps[-1].events)
    assert events[2] == ["shuffled", discarded]
    assert [event[0] for event in events[2:4]] == ["shuffled", "drew"]
    assert state_of(match).left <= discarded - 1


def test_VA_2_3_any_playable_card_of_three_is_played() -> None:
    match = scene(hands={0: ["axe2", "shield3", "armory"], 1: ["axe1", "axe1"], 2: ["axe1", "wench"]}, then=["axe3"])
    assert legal(match) == [Act.PLAY + CARDS.index(card) for card in ("axe2", "shield3", "armory")]
    assert refused(match, Act.DISCARD + Card.ARMORY) == "VA-2.3"
    assert refused(match, Act.PLAY + Card.WENCH) == "VA-2.3"
    events = match.play(Act.PLAY + CARDS.index("shield3"))
    assert as_lists(events) == [["plays", 0, "shield3"], ["places", 0, "shield3"], ["drew", 1, "axe3"]]
    assert sum(state_of(match).hand[0, kind] for kind in range(len(COPIES))) == 2


def test_VA_2_3_a_played_card_leaves_the_hand_before_its_own_decision() -> None:
    match = scene(hands={0: ["axe2", "axe2", "armory"], 1: ["axe1", "axe1"], 2: ["axe1", "wench"]})
    match.play(Act.PLAY + CARDS.index("axe2"))
    state = state_of(match)
    assert [state.hand[0, kind] for kind in (Card.DOUBLE_AXE, Card.ARMORY)] == [1, 1]
    assert (state.phase, state.card) == (Phase.THROW, Card.DOUBLE_AXE)
    assert counted(state) == dict(enumerate(COPIES))
    assert legal(match) == [Act.THROW + 1, Act.THROW + 2]
    assert refused(match, Act.PLAY + Card.ARMORY) == "VA-2.3"


def test_VA_2_3_a_card_is_discarded_only_when_none_can_be_played() -> None:
    hands = {0: ["armory", "armory", "wench"], 1: ["axe1", "axe1"], 2: ["axe1", "wench"]}
    match = scene(hands=hands, front={0: ["armory"]}, due={1: Due.TURN, 2: Due.TURN}, then=["axe1"])
    assert legal(match) == [Act.DISCARD + Card.ARMORY, Act.DISCARD + Card.WENCH]
    assert refused(match, Act.PLAY + Card.ARMORY) == "VA-5.2"
    assert refused(match, Act.PLAY + Card.WENCH) == "VA-6.3"
    assert refused(match, Act.DISCARD + Card.AXE) == "VA-2.3"
    assert as_lists(match.play(Act.DISCARD + Card.WENCH)) == [["discards", 0, "wench"], ["drew", 1, "axe1"]]
    assert state_of(match).hand[0, Card.ARMORY] == 2


def test_VA_2_4_the_engine_places_shields_in_the_standard_game_and_a_throw_with_one_target_is_a_decision() -> None:
    match = scene("axe1", players=2, then=["shield4", "shield1", "axe2"])
    events = match.play(Act.THROW + 1)
    assert as_lists(events)[2:] == [
        ["drew", 1, "shield4"],
        ["places", 1, "shield4"],
        ["drew", 0, "shield1"],
        ["places", 0, "shield1"],
        ["drew", 1, "axe2"],
    ]
    assert legal(match) == [Act.THROW + 0]


# --------------------------------------------------------------------------------------------------------------------- axes


def test_VA_3_1_axes_are_thrown_at_another_player_who_is_not_out() -> None:
    match = scene("axe3", players=4, out=[2])
    assert legal(match) == [Act.THROW + 1, Act.THROW + 3]
    assert refused(match, Act.THROW + 0) == "VA-3.1"
    assert refused(match, Act.THROW + 2) == "VA-3.1"
    assert refused(match, Act.THROW + 5) == "VA-3.1"
    assert refused(match, Act.SKIP + 1) == "VA-6.1"
    assert as_lists(match.play(Act.THROW + 3))[0] == ["throws", 0, 3, 3]


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_VA_3_2_without_shields_every_axe_hits_and_the_card_stays(axes: int) -> None:
    match = scene(f"axe{axes}", then=["axe1"])
    assert as_lists(match.play(Act.THROW + 1)) == [["throws", 0, 1, axes], ["hits", 1, axes], ["drew", 1, "axe1"]]
    assert state_of(match).hits[1] == axes
    assert named(in_front(match.state, 1)) == {f"axe{axes}": 1}


def test_VA_3_3_fewer_axes_than_unused_shields_are_blocked_and_the_card_lies_on_them() -> None:
    match = scene("axe2", front={1: ["shield3"]}, then=["axe1"])
    assert as_lists(match.play(Act.THROW + 1)) == [["throws", 0, 1, 2], ["blocked", 1, 2], ["drew", 1, "axe1"]]
    assert (state_of(match).hits[1], state_of(match).unused[1]) == (0, 1)
    assert named(in_front(match.state, 1)) == {"axe2": 1, "shield3": 1}
    assert state_of(match).lying[1, Card.DOUBLE_AXE] == 1


def test_VA_3_4_as_many_axes_as_unused_shields_are_discarded_with_them() -> None:
    match = scene("axe1", front={1: ["shield3", "axe2"]}, lying={1: ["axe2"]}, hits={1: 2}, then=["axe1"])
    events = match.play(Act.THROW + 1)
    assert as_lists(events) == [["throws", 0, 1, 1], ["blocked", 1, 1], ["shields_spent", 1], ["drew", 1, "axe1"]]
    assert named(in_front(match.state, 1)) == {"axe2": 1}
    assert state_of(match).hits[1] == 2
    assert [state_of(match).discarded[kind] for kind in (Card.AXE, Card.DOUBLE_AXE, Card.THREE_SHIELDS)] == [1, 1, 1]


def test_VA_3_5_of_more_axes_than_unused_shields_the_rest_hits_and_the_card_stays() -> None:
    match = scene("axe3", front={1: ["shield2"]}, lying={1: ["axe1"]}, then=["axe1"])
    events = match.play(Act.THROW + 1)
    assert as_lists(events) == [
        ["throws", 0, 1, 3],
        ["blocked", 1, 1],
        ["shields_spent", 1],
        ["hits", 1, 2],
        ["drew", 1, "axe1"],
    ]
    assert named(in_front(match.state, 1)) == {"axe3": 1}
    assert state_of(match).hits[1] == 2
    assert [state_of(match).discarded[kind] for kind in (Card.AXE, Card.TWO_SHIELDS)] == [1, 1]


def test_VA_3_6_all_shield_cards_are_one_pool_and_are_discarded_together() -> None:
    match = scene("axe1", players=2, front={1: ["shield1", "shield1"]}, then=["shield2", "axe2", "shield1", "axe2", "axe1"])
    match.play(Act.THROW + 1)  # as many axes as one card has shields; then the target draws two shields
    assert state_of(match).unused[1] == 3
    match.play(Act.THROW + 1)  # as many axes as the new card has shields; then one shield more
    assert state_of(match).unused[1] == 2
    assert named(in_front(match.state, 1)) == {"axe1": 1, "axe2": 1, "shield1": 3, "shield2": 1}
    match.play(Act.THROW + 1)
    assert state_of(match).unused[1] == 0
    assert not in_front(match.state, 1)


@pytest.mark.parametrize("variant", VARIANTS)
def test_VA_3_7_a_player_who_is_out_loses_the_cards_in_front_and_the_hand(variant: str) -> None:
    front = {1: ["axe3", "axe3", "axe3", "armory"]}
    if variant == "standard":
        match = scene("axe1", front=front, hits={1: 9}, then=["axe2"])
    else:
        hands = {0: ["axe1", "axe1", "axe1"], 1: ["wench", "shield2"], 2: ["axe2", "axe2"]}
        match = scene(hands=hands, front=front, hits={1: 9}, then=["axe2"])
        match.play(Act.PLAY + Card.AXE)
    reveals = state_of(match).reveals
    events = match.play(Act.THROW + 1)
    hand = [["discards", 1, "shield2"], ["discards", 1, "wench"]] if variant == "strategic" else []
    assert as_lists(events) == [["throws", 0, 1, 1], ["hits", 1, 1], ["out", 1], *hand, ["drew", 2, "axe2"]]
    assert all(event.audience == -1 for event in events[: 3 + len(hand)])
    assert state_of(match).reveals == reveals + 1 + bool(hand)
    assert not in_front(match.state, 1)
    assert [state_of(match).discarded[kind] for kind in (Card.AXE, Card.TRIPLE_AXE, Card.ARMORY)] == [1, 3, 1]
    assert counted(match.state) == dict(enumerate(COPIES))
    assert state_of(match).axes_in_front == 0


# ------------------------------------------------------------------------------------------------------------------ shields


def test_VA_4_1_any_number_of_shields_of_any_kind_goes_in_front() -> None:
    match = scene("axe1", players=2, front={1: ["shield4", "shield2"]}, lying={1: ["axe1"]}, then=["shield4", "axe1"])
    match.play(Act.THROW + 1)
    assert as_lists(match.steps[-1].events)[2:4] == [["drew", 1, "shield4"], ["places", 1, "shield4"]]
    assert named(in_front(match.state, 1)) == {"axe1": 2, "shield2": 1, "shield4": 2}
    assert state_of(match).unused[1] == 8


# ------------------------------------------------------------------------------------------------------------------- armory


def test_VA_5_1_an_armory_is_discarded_at_once_for_another_card_or_placed() -> None:
    match = scene("armory", then=["axe3", "axe1"])
    assert legal(match) == [Act.DRAW, Act.PLACE]
    assert refused(match, Act.CASH_IN) == "VA-5.3"
    assert as_lists(match.play(Act.DRAW)) == [["discards", 0, "armory"], ["drew", 0, "axe3"]]
    assert legal(match) == [Act.THROW + 1, Act.THROW + 2]
    match.undo(revealed=True)
    assert as_lists(match.play(Act.PLACE)) == [["places", 0, "armory"], ["drew", 1, "axe3"]]
    assert state_of(match).armory[0]


def test_VA_5_2_a_second_armory_does_nothing() -> None:
    match = scene("axe1", front={1: ["armory"]}, then=["armory"])
    match.play(Act.THROW + 2)
    assert as_lists(match.steps[-1].events)[-2:] == [["drew", 1, "armory"], ["discards", 1, "armory"]]
    assert state_of(match).discarded[Card.ARMORY] == 1
    hands = {0: ["axe1", "armory", "armory"], 1: ["axe1", "axe1"], 2: ["axe2", "axe2"]}
    match = scene(hands=hands, front={0: ["armory"]})
    assert legal(match) == [Act.PLAY + Card.AXE]
    assert refused(match, Act.PLAY + Card.ARMORY) == "VA-5.2"


def test_VA_5_3_a_placed_armory_is_cashed_in_on_a_later_turn_after_the_first_card() -> None:
    match = scene("axe1", players=2, front={1: ["armory"]}, then=["axe2", "axe3", "shield1", "axe1"])
    match.play(Act.THROW + 1)
    assert refused(match, Act.CASH_IN) == "VA-5.3"
    assert as_lists(match.play(Act.THROW + 0)) == [["throws", 1, 0, 2], ["hits", 0, 2]]
    assert legal(match) == [Act.CASH_IN, Act.END_TURN]
    assert match.can_undo()
    assert as_lists(match.play(Act.CASH_IN)) == [["cashes_in", 1], ["drew", 1, "axe3"]]
    assert state_of(match).discarded[Card.ARMORY] == 1
    events = match.play(Act.THROW + 0)
    assert as_lists(events)[2:] == [["drew", 0, "shield1"], ["places", 0, "shield1"], ["drew", 1, "axe1"]]


def test_VA_5_3_the_offer_may_be_declined_and_comes_again_on_the_next_turn() -> None:
    match = scene("axe1", players=2, front={1: ["armory"]}, then=["axe2", "axe3", "shield1"])
    match.play(Act.THROW + 1)
    match.play(Act.THROW + 0)
    assert as_lists(match.play(Act.END_TURN)) == [["drew", 0, "axe3"]]
    assert as_lists(match.play(Act.THROW + 1))[-2:] == [["drew", 1, "shield1"], ["places", 1, "shield1"]]
    assert legal(match) == [Act.CASH_IN, Act.END_TURN]


def test_VA_5_4_armories_chain_and_one_placed_this_turn_is_not_offered() -> None:
    match = scene("axe1", players=2, front={1: ["armory"]}, then=["axe2", "armory", "armory", "axe3"])
    match.play(Act.THROW + 1)
    match.play(Act.THROW + 0)
    assert as_lists(match.play(Act.CASH_IN))[1:] == [["drew", 1, "armory"]]
    assert as_lists(match.play(Act.DRAW)) == [["discards", 1, "armory"], ["drew", 1, "armory"]]
    assert legal(match) == [Act.DRAW, Act.PLACE]
    assert as_lists(match.play(Act.PLACE)) == [["places", 1, "armory"], ["drew", 0, "axe3"]]
    assert match.actor == 0


def test_VA_5_4_in_the_variant_the_card_joins_the_hand() -> None:
    hands = {0: ["axe2", "armory", "armory"], 1: ["axe1", "axe1"], 2: ["axe1", "wench"]}
    match = scene(hands=hands, then=["shield2", "wench"])
    match.play(Act.PLAY + Card.ARMORY)
    assert as_lists(match.play(Act.DRAW)) == [["discards", 0, "armory"], ["drew", 0, "shield2"]]
    assert legal(match) == [Act.PLAY + CARDS.index(card) for card in ("axe2", "shield2", "armory")]
    match.play(Act.PLAY + Card.ARMORY)
    events = match.play(Act.PLACE)
    assert as_lists(events) == [["places", 0, "armory"], ["drew", 1, "wench"]]
    assert match.actor == 1


def test_VA_5_5_never_more_than_one_armory_in_front() -> None:
    """A player with an armory in front never decides about another one."""
    asked = 0
    for number in range(12):
        for match in play_at_random(VA.match(players=3, seed=f"armory {number}", variant=VARIANTS[number % 2]), number):
            if not match.over and state_of(match).phase == Phase.ARMORY:
                assert not state_of(match).armory[match.actor]
                asked += 1
            assert max(state_of(match).armory[seat] for seat in range(3)) <= 1
    assert asked > 20


# -------------------------------------------------------------------------------------------------------------------- wench


def test_VA_6_1_a_wench_empties_an_armory_or_skips_a_player() -> None:
    match = scene("wench", front={0: ["armory"], 2: ["armory"]}, then=["axe1"])
    assert legal(match) == [Act.SKIP + 1, Act.SKIP + 2, Act.DISARM + 2]
    assert refused(match, Act.SKIP + 0) == refused(match, Act.DISARM + 0) == "VA-6.1"
    assert refused(match, Act.DISARM + 1) == "VA-6.1"
    assert refused(match, Act.SKIP + 6) == "VA-6.1"
    assert as_lists(match.play(Act.DISARM + 2)) == [["disarms", 0, 2], ["drew", 1, "axe1"]]
    assert [state_of(match).discarded[kind] for kind in (Card.ARMORY, Card.WENCH)] == [1, 1]
    assert not state_of(match).armory[2]
    match.undo(revealed=True)
    assert as_lists(match.play(Act.SKIP + 1)) == [["skips", 0, 1], ["turn_skipped", 1], ["drew", 2, "axe1"]]
    assert [state_of(match).discarded[kind] for kind in (Card.ARMORY, Card.WENCH)] == [0, 1]


def test_VA_6_2_a_skipped_player_is_protected_until_the_end_of_the_next_turn_they_play() -> None:
    match = scene("wench", players=3, then=["wench", "axe1", "axe1", "axe1", "wench"])
    match.play(Act.SKIP + 2)
    assert match.actor == 1
    assert legal(match) == [Act.SKIP + 0]
    assert refused(match, Act.SKIP + 2) == "VA-6.2"
    match.play(Act.SKIP + 0)
    assert as_lists(match.steps[-1].events)[1:] == [["turn_skipped", 2], ["turn_skipped", 0], ["drew", 1, "axe1"]]
    match.play(Act.THROW + 0)
    assert state_of(match).due[2] == Due.TURN
    match.play(Act.THROW + 0)
    assert state_of(match).due[2] == Due.NOTHING
    match.play(Act.THROW + 1)
    assert legal(match) == [Act.SKIP + 0, Act.SKIP + 2]


def test_VA_6_3_a_wench_without_a_target_is_discarded_or_not_playable() -> None:
    match = scene("wench", players=2, then=["wench", "axe1"])
    match.play(Act.SKIP + 1)
    assert as_lists(match.steps[-1].events)[1:] == [
        ["turn_skipped", 1],
        ["drew", 0, "wench"],
        ["discards", 0, "wench"],
        ["drew", 1, "axe1"],
    ]
    match = scene("wench", players=2, front={1: ["armory"]}, then=["wench"])
    match.play(Act.SKIP + 1)
    assert legal(match) == [Act.DISARM + 1]
    hands = {0: ["wench", "axe1", "wench"], 1: ["axe1", "axe1"]}
    match = scene(players=2, hands=hands, due={1: Due.TURN})
    assert legal(match) == [Act.PLAY + Card.AXE]
    assert refused(match, Act.PLAY + Card.WENCH) == "VA-6.3"


def test_VA_6_4_a_skipped_turn_is_skipped_completely_and_a_skip_lapses_when_its_player_is_out() -> None:
    match = scene("wench", front={1: ["armory"]}, then=["axe1"])
    assert as_lists(match.play(Act.SKIP + 1)) == [["skips", 0, 1], ["turn_skipped", 1], ["drew", 2, "axe1"]]
    assert state_of(match).armory[1]
    match = scene("wench", players=3, out=[1])
    assert legal(match) == [Act.SKIP + 2]
    assert refused(match, Act.SKIP + 1) == refused(match, Act.DISARM + 1) == "VA-6.4"
    match = scene("axe1", players=4, hits={2: 9}, due={2: Due.SKIP}, then=["axe1", "axe1"])
    match.play(Act.THROW + 2)
    match.play(Act.THROW + 3)
    assert match.actor == 3
    assert state_of(match).due[2] == Due.NOTHING
    assert "turn_skipped" not in [event.name for step in match.steps for event in step.events]


# ------------------------------------------------------------------------------------------------------------------ the end


@pytest.mark.parametrize("variant", VARIANTS)
def test_VA_7_1_the_last_one_not_out_wins_at_once(variant: str) -> None:
    if variant == "standard":
        match = scene("axe2", front={0: ["armory"]}, hits={0: 9, 2: 8}, out=[1], offer=False)
    else:
        hands = {0: ["axe2", "axe1", "wench"], 2: ["armory", "axe1"]}
        match = scene(hands=hands, front={0: ["armory"]}, hits={0: 9, 2: 8}, out=[1])
        match.play(Act.PLAY + Card.DOUBLE_AXE)
    events = match.play(Act.THROW + 2)
    hand = [["discards", 2, "axe1"], ["discards", 2, "armory"]] if variant == "strategic" else []
    assert as_lists(events) == [["throws", 0, 2, 2], ["hits", 2, 2], ["out", 2], *hand, ["won", 0]]
    result = match.result()
    assert result is not None
    assert (result.winners, result.scores, result.reason) == ((0,), (1.0, 0.0, 0.0), "VA-7.1")
    with pytest.raises(MatchOver) as over:
        match.play(Act.THROW + 2)
    assert over.value.rule == "VA-7.1"


def every_axe_in_front(hits: dict[int, int], out: list[int]) -> Match:
    """Return a match whose last axe card is in play, while all others lie in front of players, with the hits given.

    There are more cards than hits, which can't happen in play, but the rule depends only on where the cards are. A real match
    that gets there is long; it is one of the golden records.
    """
    axes = [card for card, number in zip(CARDS, COPIES, strict=True) if card.startswith("axe") for _ in range(number)]
    axes.remove("axe1")
    assert len(axes) == AXE_CARDS - 1
    return scene("axe1", players=4, front={1: axes[::2], 2: [*axes[1::2], "shield3"]}, hits=hits, out=out)


def test_VA_7_2_when_every_axe_lies_in_front_the_fewest_hits_win() -> None:
    match = every_axe_in_front({0: 4, 1: 4, 2: 3, 3: 0}, out=[3])
    events = match.play(Act.THROW + 2)  # blocked; it lies on the shields
    assert as_lists(events) == [["throws", 0, 2, 1], ["blocked", 2, 1], ["won", 2]]
    result = match.result()
    assert result is not None
    assert (result.winners, result.scores, result.reason) == ((2,), (0.0, 0.0, 1.0, 0.0), "VA-7.2")
    with pytest.raises(MatchOver) as over:
        match.play(Act.THROW + 1)
    assert over.value.rule == "VA-7.2"


def test_VA_7_2_equal_hits_share_the_win() -> None:
    match = every_axe_in_front({0: 4, 1: 3, 2: 9}, out=[3])
    events = match.play(Act.THROW + 1)  # a hit; both have four
    assert as_lists(events) == [["throws", 0, 1, 1], ["hits", 1, 1], ["won", 0], ["won", 1]]
    result = match.result()
    assert result is not None
    assert (result.winners, result.scores, result.reason) == ((0, 1), (0.5, 0.5, 0.0, 0.0), "VA-7.2")


def test_VA_7_2_the_game_goes_on_while_one_axe_card_is_elsewhere() -> None:
    match = every_axe_in_front({0: 4, 1: 9, 2: 9}, out=[3])
    match.play(Act.THROW + 1)  # player 1 is out, and the cards in front are discarded
    assert not match.over
    assert state_of(match).axes_in_front == in_front_of_all(match)
    match = every_axe_in_front({0: 4, 1: 4, 2: 9}, out=[3])
    states = match.states
    VA.state.at(states).unused[2] = 1
    match = match.supposing(states)
    match.play(Act.THROW + 2)  # as many axes as shields: all are discarded
    assert not match.over


def in_front_of_all(match: Match) -> int:
    return sum(
        number for seat in range(match.players) for kind, number in in_front(match.state, seat).items() if kind < Card.ONE_SHIELD
    )


# ---------------------------------------------------------------------------------------------------------- the worked cases


def test_case_1_a_pool_of_shields_is_used_up() -> None:
    pile = ["axe1", "axe1", "axe1", "axe3", "axe1"]
    match = scene("axe2", players=2, front={1: ["shield1", "shield3"]}, then=pile)
    assert until(match.play(Act.THROW + 1), "drew") == [["throws", 0, 1, 2], ["blocked", 1, 2]]
    assert (state_of(match).unused[1], state_of(match).lying[1, Card.DOUBLE_AXE]) == (2, 1)
    match.play(Act.THROW + 0)
    assert until(match.play(Act.THROW + 1), "drew") == [["throws", 0, 1, 1], ["blocked", 1, 1]]
    assert (state_of(match).unused[1], state_of(match).lying[1, Card.AXE]) == (1, 1)
    match.play(Act.THROW + 0)
    events = match.play(Act.THROW + 1)
    assert until(events, "drew") == [["throws", 0, 1, 3], ["blocked", 1, 1], ["shields_spent", 1], ["hits", 1, 2]]
    assert named(in_front(match.state, 1)) == {"axe3": 1}
    assert [state_of(match).discarded[CARDS.index(card)] for card in ("axe1", "axe2", "shield1", "shield3")] == [1, 1, 1, 1]
    assert state_of(match).hits[1] == 2


def test_case_2_as_many_axes_as_shields_leave_nothing_in_front() -> None:
    match = scene("axe3", front={1: ["shield4"]}, lying={1: ["axe1"]}, hits={1: 5}, then=["axe1"])
    match.play(Act.THROW + 1)
    assert (state_of(match).unused[1], state_of(match).hits[1]) == (0, 5)
    assert not in_front(match.state, 1)
    assert [state_of(match).discarded[CARDS.index(card)] for card in ("axe1", "axe3", "shield4")] == [1, 1, 1]


def test_case_3_with_nine_of_ten_hits_one_axe_puts_a_player_out() -> None:
    match = scene("axe1", front={1: ["axe3", "axe3", "axe3"]}, hits={1: 9}, then=["axe2"])
    match.play(Act.THROW + 1)
    assert state_of(match).out[1]
    assert not in_front(match.state, 1)
    assert [state_of(match).discarded[kind] for kind in (Card.AXE, Card.TRIPLE_AXE)] == [1, 3]
    assert match.actor == 2


def test_case_4_the_limit_is_fifteen_for_two_players_and_ten_for_three_even_with_two_left() -> None:
    match = scene("axe3", players=2, hits={1: 14})
    match.play(Act.THROW + 1)
    assert (state_of(match).hits[1], match.over) == (17, True)
    match = scene("axe3", players=3, hits={1: 8}, out=[2])
    match.play(Act.THROW + 1)
    assert (state_of(match).hits[1], match.over) == (11, True)


def test_case_5_without_its_armory_a_player_has_no_offer() -> None:
    match = scene("armory", then=["wench", "axe1", "axe1", "axe1"])
    match.play(Act.PLACE)
    assert as_lists(match.play(Act.DISARM + 0))[0] == ["disarms", 1, 0]
    assert [state_of(match).discarded[kind] for kind in (Card.ARMORY, Card.WENCH)] == [1, 1]
    match.play(Act.THROW + 1)
    assert match.actor == 0
    assert as_lists(match.play(Act.THROW + 1))[-1] == ["drew", 1, "axe1"]
    assert match.actor == 1


def test_case_6_skipped_players_are_protected_until_they_have_played() -> None:
    match = scene("wench", players=4, then=["wench", "wench", "axe1", "axe1", "axe1", "wench"])
    assert as_lists(match.play(Act.SKIP + 1))[1:] == [["turn_skipped", 1], ["drew", 2, "wench"]]
    assert as_lists(match.play(Act.SKIP + 3))[1:] == [["turn_skipped", 3], ["drew", 0, "wench"]]
    assert legal(match) == [Act.SKIP + 2]
    assert refused(match, Act.SKIP + 1) == refused(match, Act.SKIP + 3) == "VA-6.2"
    match.play(Act.SKIP + 2)
    assert match.actor == 1
    match.play(Act.THROW + 0)  # B has played
    assert match.actor == 3
    match.play(Act.THROW + 0)  # D has played too; C's turn was skipped before D's
    assert match.actor == 0
    match.play(Act.THROW + 3)
    assert (match.actor, legal(match)) == (1, [Act.SKIP + 0, Act.SKIP + 3])


def test_case_6_after_playing_b_can_be_chosen_again() -> None:
    match = scene("wench", players=4, then=["axe1", "axe1", "axe1", "axe1", "wench"])
    for action in (Act.SKIP + 1, Act.THROW + 3, Act.THROW + 2, Act.THROW + 2, Act.THROW + 2):
        match.play(action)
    assert match.actor == 2
    assert legal(match) == [Act.SKIP + 0, Act.SKIP + 1, Act.SKIP + 3]


def test_case_7_a_second_armory_changes_neither_the_first_nor_the_offer() -> None:
    match = scene("axe1", players=2, front={1: ["armory"]}, then=["armory"])
    events = match.play(Act.THROW + 1)
    assert as_lists(events)[-2:] == [["drew", 1, "armory"], ["discards", 1, "armory"]]
    assert state_of(match).armory[1]
    assert legal(match) == [Act.CASH_IN, Act.END_TURN]


def test_case_8_shuffling_the_discard_pile_loses_and_adds_no_card() -> None:
    match = scene("axe1", front={1: ["shield2", "armory"]}, left=0)
    match.play(Act.THROW + 2)
    assert [event.name for event in match.steps[-1].events][2:4] == ["shuffled", "drew"]
    assert counted(match.state) == dict(enumerate(COPIES))


def test_VA_8_1_an_armory_may_be_cashed_in_before_the_first_card_of_a_later_turn() -> None:
    """Another reading. The turn's own card is drawn after the armory's; an armory that is kept is offered again after it."""
    front = {1: ["armory"], 2: ["armory"]}
    match = scene("axe1", front=front, then=["armory", "shield1", "axe3", "shield2", "axe1"], armory="before")
    match.play(Act.THROW + 1)
    assert legal(match) == [Act.CASH_IN, Act.END_TURN]
    assert as_lists(match.play(Act.CASH_IN)) == [["cashes_in", 1], ["drew", 1, "armory"]]
    assert as_lists(match.play(Act.PLACE)) == [["places", 1, "armory"], ["drew", 1, "shield1"], ["places", 1, "shield1"]]
    assert match.actor == 2, "an armory placed this turn isn't offered"
    assert as_lists(match.play(Act.END_TURN)) == [["drew", 2, "axe3"]]
    assert refused(match, Act.CASH_IN) == "VA-8.1"
    match.play(Act.THROW + 0)
    assert legal(match) == [Act.CASH_IN, Act.END_TURN]
    assert as_lists(match.play(Act.CASH_IN))[:2] == [["cashes_in", 2], ["drew", 2, "shield2"]]
    assert match.actor == 0


def test_VA_8_1_an_early_cashing_in_cites_its_own_rule_and_begins_the_turn() -> None:
    match = scene("axe1", front={1: ["armory"], 2: ["armory"]}, then=["axe2", "shield1", "shield2", "axe1"], armory="before")
    match.play(Act.THROW + 2)
    kinds = match.game.events
    early = match.play(Act.CASH_IN)[0]
    assert (early.name, kinds[early.kind].rule_of(early.arguments)) == ("cashes_in", "VA-8.1")
    assert begins_turn(kinds, early, match.steps[0].events[-1])
    match.play(Act.THROW + 0)
    match.play(Act.END_TURN)
    late = match.play(Act.CASH_IN)[0]
    assert (late.name, kinds[late.kind].rule_of(late.arguments)) == ("cashes_in", "VA-5.3")
    told = [event for _n, event in events_of(match.record(abandoned="told")) if event.name == "cashes_in"]
    assert [event.to_list() for event in told] == [["cashes_in", 1], ["cashes_in", 2]]


def test_VA_5_4_an_armory_placed_this_turn_is_not_cashed_in_although_the_turns_card_is_still_to_be_played() -> None:
    match = scene("axe1", front={1: ["armory"]}, then=["armory", "axe1"], armory="before")
    match.play(Act.THROW + 2)
    match.play(Act.CASH_IN)
    match.play(Act.PLACE)
    assert legal(match) == [Act.THROW + 0, Act.THROW + 2]
    assert refused(match, Act.CASH_IN) == "VA-5.4"


def test_VA_8_1_no_card_was_chosen_before_one_is_drawn() -> None:
    hands = {0: ["axe1", "axe1", "axe1"], 1: ["axe1", "axe1"], 2: ["axe1", "axe1"]}
    match = scene(hands=hands, front={1: ["armory"]}, then=["axe2"], armory="before")
    match.play(Act.PLAY + Card.AXE)
    match.play(Act.THROW + 2)
    assert legal(match) == [Act.CASH_IN, Act.END_TURN]
    assert refused(match, Act.PLAY + Card.AXE) == "VA-8.1"
    match.play(Act.END_TURN)
    match.play(Act.PLAY + Card.AXE)
    assert refused(match, Act.PLAY + Card.AXE) == "VA-2.3"


def test_every_rule_id_is_in_the_name_of_a_test_and_in_the_code() -> None:
    tests = "".join(path.read_text(encoding="utf-8") for path in TESTS.glob("test_*.py"))
    folder = Path(package.__file__).parent
    code = "".join((folder / name).read_text(encoding="utf-8") for name in ("state.py", "rules.py"))
    ids_in_tests = {f"VA-{chapter}.{rule}" for chapter, rule in re.findall(r"def test_VA_(\d+)_(\d+)", tests)}
    assert ids_in_tests == set(rule_ids(VA))
    assert set(re.findall(r"VA-\d+\.\d+", code)) == set(rule_ids(VA))
