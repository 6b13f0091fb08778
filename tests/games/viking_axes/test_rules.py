"""Viking Axes, rule by rule."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import meadhall.games.viking_axes as package
from games.viking_axes.scenes import CARDS, VA, counted, in_front, legal, named, play_at_random, scene, told, until
from meadhall import IllegalAction, Match, MatchOver
from meadhall.engine import chance
from meadhall.engine.rulebook import rule_ids
from meadhall.games.viking_axes.state import (
    ARMORY,
    AXE_CARDS,
    CASH_IN,
    COPIES,
    DISARM,
    DISCARD,
    DRAW,
    END_TURN,
    HITS,
    HITS_OF_TWO,
    PLACE,
    PLAY,
    SHIELD,
    SKIP,
    THROW,
    WENCH,
    Due,
    Phase,
)

TESTS = Path(__file__).parent
VARIANTS = ["standard", "strategic"]


def refused(match: Match, action: int) -> str:
    """By which rule."""
    with pytest.raises(IllegalAction) as error:
        match.check(action)
    assert error.value.reason
    return error.value.rule


def played(match: Match, seed: int) -> Match:
    """To its end, by actions that look random."""
    return list(play_at_random(match, seed))[-1]


def state_of(match: Match) -> Any:
    return match.state


# ----------------------------------------------------------------------------------------------------------------- starting


@pytest.mark.parametrize("variant", VARIANTS)
def test_VA_1_1_all_cards_are_shuffled_and_a_random_player_starts(variant: str) -> None:
    starters = set()
    for number in range(40):
        match = VA.match(players=4, seed=f"first {number}", variant=variant)
        assert told(match.setup)[0] == ["shuffled", 120]
        name, seat = told(match.setup)[1]
        assert name == "starts"
        assert next(event[1] for event in told(match.setup) if event[0] == "drew") == seat
        assert counted(match.state) == dict(enumerate(COPIES))
        starters.add(seat)
    assert starters == {0, 1, 2, 3}


@pytest.mark.parametrize("variant", VARIANTS)
def test_VA_1_1_play_goes_clockwise_skipping_who_is_out(variant: str) -> None:
    """Between one who draws and the next there is nobody but those who are out, and those whose turns were skipped."""
    passed = 0
    for number in range(12):
        match = played(VA.match(players=5, seed=f"clockwise {number}", variant=variant), number)
        turn, out, skipped = match.steps[0].seat, set(), set()
        for name, seat, *_ in [event for step in match.steps for event in told(step.events)]:
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


def test_VA_1_2_ten_hits_put_out_and_fifteen_where_two_began() -> None:
    for players, limit in ((2, HITS_OF_TWO), (3, HITS), (7, HITS)):
        below, at = (scene("axe1", players=players, hits={1: limit - k}) for k in (2, 1))
        below.play(THROW + 1)
        at.play(THROW + 1)
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
def test_VA_1_4_both_variants_are_for_two_to_seven(players: int, variant: str) -> None:
    for match in play_at_random(VA.match(players=players, seed="any", variant=variant)):
        assert match.players == players
    assert match.over


def test_VA_1_5_the_order_of_set_up_and_chance() -> None:
    """The pile as it follows from the seed: kinds in order, shuffled, the starting seat, then hands from the top, one by one."""
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
    assert told(match.setup) == expected
    assert [state_of(match).pile[k] for k in range(state_of(match).left)] == pile


# ----------------------------------------------------------------------------------------------------------------- the turn


def test_VA_2_1_what_can_be_played_must_be_and_what_cannot_is_discarded() -> None:
    match = scene("axe1", front={1: ["armory"]}, due={0: Due.TURN, 2: Due.TURN}, then=["armory", "axe2"])
    match.play(THROW + 2)
    assert told(match.steps[-1].events)[2:] == [["drew", 1, "armory"], ["discards", 1, "armory"]]
    assert legal(match) == [CASH_IN, END_TURN]
    match = scene("axe1", then=["axe3"])
    match.play(THROW + 2)
    assert legal(match) == [THROW + 0, THROW + 2]
    assert refused(match, END_TURN) == "VA-5.3"


def test_VA_2_2_the_discard_pile_is_shuffled_when_a_card_is_drawn_and_none_is_there() -> None:
    match = scene("axe1", left=1, then=["axe1"])
    discarded = sum(state_of(match).discarded[kind] for kind in range(len(COPIES)))
    match.play(THROW + 1)
    assert "shuffled" not in [event.name for event in match.steps[-1].events]
    assert state_of(match).left == 0
    match.play(THROW + 2)
    events = told(match.steps[-1].events)
    assert events[2] == ["shuffled", discarded]
    assert [event[0] for event in events[2:4]] == ["shuffled", "drew"]
    assert state_of(match).left <= discarded - 1


def test_VA_2_3_any_playable_card_of_three_is_played() -> None:
    match = scene(hands={0: ["axe2", "shield3", "armory"], 1: ["axe1", "axe1"], 2: ["axe1", "wench"]}, then=["axe3"])
    assert legal(match) == [PLAY + CARDS.index(card) for card in ("axe2", "shield3", "armory")]
    assert refused(match, DISCARD + ARMORY) == "VA-2.3"
    assert refused(match, PLAY + WENCH) == "VA-2.3"
    events = match.play(PLAY + CARDS.index("shield3"))
    assert told(events) == [["plays", 0, "shield3"], ["places", 0, "shield3"], ["drew", 1, "axe3"]]
    assert sum(state_of(match).hand[0, kind] for kind in range(len(COPIES))) == 2


def test_VA_2_3_a_card_played_has_left_the_hand_until_its_own_decision() -> None:
    match = scene(hands={0: ["axe2", "axe2", "armory"], 1: ["axe1", "axe1"], 2: ["axe1", "wench"]})
    match.play(PLAY + CARDS.index("axe2"))
    state = state_of(match)
    assert [state.hand[0, kind] for kind in (1, ARMORY)] == [1, 1]
    assert (state.phase, state.card) == (Phase.THROW, 1)
    assert counted(state) == dict(enumerate(COPIES))
    assert legal(match) == [THROW + 1, THROW + 2]
    assert refused(match, PLAY + ARMORY) == "VA-2.3"


def test_VA_2_3_a_card_is_discarded_only_when_none_can_be_played() -> None:
    hands = {0: ["armory", "armory", "wench"], 1: ["axe1", "axe1"], 2: ["axe1", "wench"]}
    match = scene(hands=hands, front={0: ["armory"]}, due={1: Due.TURN, 2: Due.TURN}, then=["axe1"])
    assert legal(match) == [DISCARD + ARMORY, DISCARD + WENCH]
    assert refused(match, PLAY + ARMORY) == "VA-5.2"
    assert refused(match, PLAY + WENCH) == "VA-6.3"
    assert refused(match, DISCARD + 0) == "VA-2.3"
    assert told(match.play(DISCARD + WENCH)) == [["discards", 0, "wench"], ["drew", 1, "axe1"]]
    assert state_of(match).hand[0, ARMORY] == 2


def test_VA_2_4_the_engine_places_shields_in_the_standard_game_and_a_throw_with_one_target_is_a_decision() -> None:
    match = scene("axe1", players=2, then=["shield4", "shield1", "axe2"])
    events = match.play(THROW + 1)
    assert told(events)[2:] == [
        ["drew", 1, "shield4"],
        ["places", 1, "shield4"],
        ["drew", 0, "shield1"],
        ["places", 0, "shield1"],
        ["drew", 1, "axe2"],
    ]
    assert legal(match) == [THROW + 0]


# --------------------------------------------------------------------------------------------------------------------- axes


def test_VA_3_1_axes_are_thrown_at_another_player_who_is_not_out() -> None:
    match = scene("axe3", players=4, out=[2])
    assert legal(match) == [THROW + 1, THROW + 3]
    assert refused(match, THROW + 0) == "VA-3.1"
    assert refused(match, THROW + 2) == "VA-3.1"
    assert refused(match, THROW + 5) == "VA-3.1"
    assert refused(match, SKIP + 1) == "VA-6.1"
    assert told(match.play(THROW + 3))[0] == ["throws", 0, 3, 3]


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_VA_3_2_without_shields_every_axe_hits_and_the_card_stays(axes: int) -> None:
    match = scene(f"axe{axes}", then=["axe1"])
    assert told(match.play(THROW + 1)) == [["throws", 0, 1, axes], ["hits", 1, axes], ["drew", 1, "axe1"]]
    assert state_of(match).hits[1] == axes
    assert named(in_front(match.state, 1)) == {f"axe{axes}": 1}


def test_VA_3_3_fewer_axes_than_unused_shields_are_blocked_and_lie_on_them() -> None:
    match = scene("axe2", front={1: ["shield3"]}, then=["axe1"])
    assert told(match.play(THROW + 1)) == [["throws", 0, 1, 2], ["blocked", 1, 2], ["drew", 1, "axe1"]]
    assert (state_of(match).hits[1], state_of(match).unused[1]) == (0, 1)
    assert named(in_front(match.state, 1)) == {"axe2": 1, "shield3": 1}
    assert state_of(match).lying[1, 1] == 1


def test_VA_3_4_as_many_axes_as_unused_shields_leave_with_them() -> None:
    match = scene("axe1", front={1: ["shield3", "axe2"]}, lying={1: ["axe2"]}, hits={1: 2}, then=["axe1"])
    events = match.play(THROW + 1)
    assert told(events) == [["throws", 0, 1, 1], ["blocked", 1, 1], ["shields_spent", 1], ["drew", 1, "axe1"]]
    assert named(in_front(match.state, 1)) == {"axe2": 1}
    assert state_of(match).hits[1] == 2
    assert [state_of(match).discarded[kind] for kind in (0, 1, SHIELD + 2)] == [1, 1, 1]


def test_VA_3_5_more_axes_than_unused_shields_hit_with_the_rest_and_the_card_stays() -> None:
    match = scene("axe3", front={1: ["shield2"]}, lying={1: ["axe1"]}, then=["axe1"])
    events = match.play(THROW + 1)
    assert told(events) == [
        ["throws", 0, 1, 3],
        ["blocked", 1, 1],
        ["shields_spent", 1],
        ["hits", 1, 2],
        ["drew", 1, "axe1"],
    ]
    assert named(in_front(match.state, 1)) == {"axe3": 1}
    assert state_of(match).hits[1] == 2
    assert [state_of(match).discarded[kind] for kind in (0, SHIELD + 1)] == [1, 1]


def test_VA_3_6_all_shield_cards_are_one_pool_that_leaves_together() -> None:
    match = scene("axe1", players=2, front={1: ["shield1", "shield1"]}, then=["shield2", "axe2", "shield1", "axe2", "axe1"])
    match.play(THROW + 1)  # as many as one of the cards shows; the other player draws two shields
    assert state_of(match).unused[1] == 3
    match.play(THROW + 1)  # as many as that card shows; a shield more
    assert state_of(match).unused[1] == 2
    assert named(in_front(match.state, 1)) == {"axe1": 1, "axe2": 1, "shield1": 3, "shield2": 1}
    match.play(THROW + 1)
    assert state_of(match).unused[1] == 0
    assert not in_front(match.state, 1)


@pytest.mark.parametrize("variant", VARIANTS)
def test_VA_3_7_who_is_out_loses_all_cards_in_front_and_the_hand(variant: str) -> None:
    front = {1: ["axe3", "axe3", "axe3", "armory"]}
    if variant == "standard":
        match = scene("axe1", front=front, hits={1: 9}, then=["axe2"])
    else:
        hands = {0: ["axe1", "axe1", "axe1"], 1: ["wench", "shield2"], 2: ["axe2", "axe2"]}
        match = scene(hands=hands, front=front, hits={1: 9}, then=["axe2"])
        match.play(PLAY + 0)
    reveals = state_of(match).reveals
    events = match.play(THROW + 1)
    hand = [["discards", 1, "shield2"], ["discards", 1, "wench"]] if variant == "strategic" else []
    assert told(events) == [["throws", 0, 1, 1], ["hits", 1, 1], ["out", 1], *hand, ["drew", 2, "axe2"]]
    assert all(event.audience == -1 for event in events[: 3 + len(hand)])
    assert state_of(match).reveals == reveals + 1 + bool(hand)
    assert not in_front(match.state, 1)
    assert [state_of(match).discarded[kind] for kind in (0, 2, ARMORY)] == [1, 3, 1]
    assert counted(match.state) == dict(enumerate(COPIES))
    assert state_of(match).axes_in_front == 0


# ------------------------------------------------------------------------------------------------------------------ shields


def test_VA_4_1_any_number_of_shields_of_any_kind_goes_in_front() -> None:
    match = scene("axe1", players=2, front={1: ["shield4", "shield2"]}, lying={1: ["axe1"]}, then=["shield4", "axe1"])
    match.play(THROW + 1)
    assert told(match.steps[-1].events)[2:4] == [["drew", 1, "shield4"], ["places", 1, "shield4"]]
    assert named(in_front(match.state, 1)) == {"axe1": 2, "shield2": 1, "shield4": 2}
    assert state_of(match).unused[1] == 8


# ------------------------------------------------------------------------------------------------------------------- armory


def test_VA_5_1_an_armory_is_discarded_at_once_for_another_card_or_placed() -> None:
    match = scene("armory", then=["axe3", "axe1"])
    assert legal(match) == [DRAW, PLACE]
    assert refused(match, CASH_IN) == "VA-5.3"
    assert told(match.play(DRAW)) == [["discards", 0, "armory"], ["drew", 0, "axe3"]]
    assert legal(match) == [THROW + 1, THROW + 2]
    match.undo(revealed=True)
    assert told(match.play(PLACE)) == [["places", 0, "armory"], ["drew", 1, "axe3"]]
    assert state_of(match).armory[0]


def test_VA_5_2_an_armory_with_one_in_front_does_nothing() -> None:
    match = scene("axe1", front={1: ["armory"]}, then=["armory"])
    match.play(THROW + 2)
    assert told(match.steps[-1].events)[-2:] == [["drew", 1, "armory"], ["discards", 1, "armory"]]
    assert state_of(match).discarded[ARMORY] == 1
    hands = {0: ["axe1", "armory", "armory"], 1: ["axe1", "axe1"], 2: ["axe2", "axe2"]}
    match = scene(hands=hands, front={0: ["armory"]})
    assert legal(match) == [PLAY + 0]
    assert refused(match, PLAY + ARMORY) == "VA-5.2"


def test_VA_5_3_a_placed_armory_is_cashed_in_on_a_later_turn_after_the_first_card() -> None:
    match = scene("axe1", players=2, front={1: ["armory"]}, then=["axe2", "axe3", "shield1", "axe1"])
    match.play(THROW + 1)
    assert refused(match, CASH_IN) == "VA-5.3"
    assert told(match.play(THROW + 0)) == [["throws", 1, 0, 2], ["hits", 0, 2]]
    assert legal(match) == [CASH_IN, END_TURN]
    assert match.can_undo()
    assert told(match.play(CASH_IN)) == [["cashes_in", 1], ["drew", 1, "axe3"]]
    assert state_of(match).discarded[ARMORY] == 1
    events = match.play(THROW + 0)
    assert told(events)[2:] == [["drew", 0, "shield1"], ["places", 0, "shield1"], ["drew", 1, "axe1"]]


def test_VA_5_3_the_offer_may_be_declined_and_comes_again_on_the_next_turn() -> None:
    match = scene("axe1", players=2, front={1: ["armory"]}, then=["axe2", "axe3", "shield1"])
    match.play(THROW + 1)
    match.play(THROW + 0)
    assert told(match.play(END_TURN)) == [["drew", 0, "axe3"]]
    assert told(match.play(THROW + 1))[-2:] == [["drew", 1, "shield1"], ["places", 1, "shield1"]]
    assert legal(match) == [CASH_IN, END_TURN]


def test_VA_5_4_chains_of_armories_and_none_placed_this_turn_is_cashed_in() -> None:
    match = scene("axe1", players=2, front={1: ["armory"]}, then=["axe2", "armory", "armory", "axe3"])
    match.play(THROW + 1)
    match.play(THROW + 0)
    assert told(match.play(CASH_IN))[1:] == [["drew", 1, "armory"]]
    assert told(match.play(DRAW)) == [["discards", 1, "armory"], ["drew", 1, "armory"]]
    assert legal(match) == [DRAW, PLACE]
    assert told(match.play(PLACE)) == [["places", 1, "armory"], ["drew", 0, "axe3"]]
    assert match.actor == 0


def test_VA_5_4_in_the_variant_the_card_joins_the_hand() -> None:
    hands = {0: ["axe2", "armory", "armory"], 1: ["axe1", "axe1"], 2: ["axe1", "wench"]}
    match = scene(hands=hands, then=["shield2", "wench"])
    match.play(PLAY + ARMORY)
    assert told(match.play(DRAW)) == [["discards", 0, "armory"], ["drew", 0, "shield2"]]
    assert legal(match) == [PLAY + CARDS.index(card) for card in ("axe2", "shield2", "armory")]
    match.play(PLAY + ARMORY)
    events = match.play(PLACE)
    assert told(events) == [["places", 0, "armory"], ["drew", 1, "wench"]]
    assert match.actor == 1


def test_VA_5_5_never_more_than_one_armory_in_front() -> None:
    """Nobody who has one is asked about another."""
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
    assert legal(match) == [SKIP + 1, SKIP + 2, DISARM + 2]
    assert refused(match, SKIP + 0) == refused(match, DISARM + 0) == "VA-6.1"
    assert refused(match, DISARM + 1) == "VA-6.1"
    assert refused(match, SKIP + 6) == "VA-6.1"
    assert told(match.play(DISARM + 2)) == [["disarms", 0, 2], ["drew", 1, "axe1"]]
    assert [state_of(match).discarded[kind] for kind in (ARMORY, WENCH)] == [1, 1]
    assert not state_of(match).armory[2]
    match.undo(revealed=True)
    assert told(match.play(SKIP + 1)) == [["skips", 0, 1], ["turn_skipped", 1], ["drew", 2, "axe1"]]
    assert [state_of(match).discarded[kind] for kind in (ARMORY, WENCH)] == [0, 1]


def test_VA_6_2_who_was_skipped_is_protected_to_the_end_of_the_next_turn_they_play() -> None:
    match = scene("wench", players=3, then=["wench", "axe1", "axe1", "axe1", "wench"])
    match.play(SKIP + 2)
    assert match.actor == 1
    assert legal(match) == [SKIP + 0]
    assert refused(match, SKIP + 2) == "VA-6.2"
    match.play(SKIP + 0)
    assert told(match.steps[-1].events)[1:] == [["turn_skipped", 2], ["turn_skipped", 0], ["drew", 1, "axe1"]]
    match.play(THROW + 0)
    assert state_of(match).due[2] == Due.TURN
    match.play(THROW + 0)
    assert state_of(match).due[2] == Due.NOTHING
    match.play(THROW + 1)
    assert legal(match) == [SKIP + 0, SKIP + 2]


def test_VA_6_3_a_wench_who_can_do_nothing_is_discarded_or_not_playable() -> None:
    match = scene("wench", players=2, then=["wench", "axe1"])
    match.play(SKIP + 1)
    assert told(match.steps[-1].events)[1:] == [
        ["turn_skipped", 1],
        ["drew", 0, "wench"],
        ["discards", 0, "wench"],
        ["drew", 1, "axe1"],
    ]
    match = scene("wench", players=2, front={1: ["armory"]}, then=["wench"])
    match.play(SKIP + 1)
    assert legal(match) == [DISARM + 1]
    hands = {0: ["wench", "axe1", "wench"], 1: ["axe1", "axe1"]}
    match = scene(players=2, hands=hands, due={1: Due.TURN})
    assert legal(match) == [PLAY + 0]
    assert refused(match, PLAY + WENCH) == "VA-6.3"


def test_VA_6_4_a_skipped_turn_is_skipped_whole_and_lapses_with_who_goes_out() -> None:
    match = scene("wench", front={1: ["armory"]}, then=["axe1"])
    assert told(match.play(SKIP + 1)) == [["skips", 0, 1], ["turn_skipped", 1], ["drew", 2, "axe1"]]
    assert state_of(match).armory[1]
    match = scene("wench", players=3, out=[1])
    assert legal(match) == [SKIP + 2]
    assert refused(match, SKIP + 1) == refused(match, DISARM + 1) == "VA-6.4"
    match = scene("axe1", players=4, hits={2: 9}, due={2: Due.SKIP}, then=["axe1", "axe1"])
    match.play(THROW + 2)
    match.play(THROW + 3)
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
        match.play(PLAY + 1)
    events = match.play(THROW + 2)
    hand = [["discards", 2, "axe1"], ["discards", 2, "armory"]] if variant == "strategic" else []
    assert told(events) == [["throws", 0, 2, 2], ["hits", 2, 2], ["out", 2], *hand, ["won", 0]]
    result = match.result()
    assert result is not None
    assert (result.winners, result.scores, result.reason) == ((0,), (1.0, 0.0, 0.0), "VA-7.1")
    with pytest.raises(MatchOver) as over:
        match.play(THROW + 2)
    assert over.value.rule == "VA-7.1"


def every_axe_in_front(hits: dict[int, int], out: list[int]) -> Match:
    """The last axe card is in play; all others lie in front of players, with as many hits as is said: more cards than hits.

    A course of play that leads there is long, and is among the golden records. The rule looks only at where the cards are.
    """
    axes = [card for card, number in zip(CARDS, COPIES, strict=True) if card.startswith("axe") for _ in range(number)]
    axes.remove("axe1")
    assert len(axes) == AXE_CARDS - 1
    return scene("axe1", players=4, front={1: axes[::2], 2: [*axes[1::2], "shield3"]}, hits=hits, out=out)


def test_VA_7_2_when_every_axe_lies_in_front_the_fewest_hits_win() -> None:
    match = every_axe_in_front({0: 4, 1: 4, 2: 3, 3: 0}, out=[3])
    events = match.play(THROW + 2)  # blocked, and lies on the shields
    assert told(events) == [["throws", 0, 2, 1], ["blocked", 2, 1], ["won", 2]]
    result = match.result()
    assert result is not None
    assert (result.winners, result.scores, result.reason) == ((2,), (0.0, 0.0, 1.0, 0.0), "VA-7.2")
    with pytest.raises(MatchOver) as over:
        match.play(THROW + 1)
    assert over.value.rule == "VA-7.2"


def test_VA_7_2_equal_hits_share_the_win() -> None:
    match = every_axe_in_front({0: 4, 1: 3, 2: 9}, out=[3])
    events = match.play(THROW + 1)  # a hit: four each
    assert told(events) == [["throws", 0, 1, 1], ["hits", 1, 1], ["won", 0], ["won", 1]]
    result = match.result()
    assert result is not None
    assert (result.winners, result.scores, result.reason) == ((0, 1), (0.5, 0.5, 0.0, 0.0), "VA-7.2")


def test_VA_7_2_the_game_goes_on_while_one_axe_card_is_elsewhere() -> None:
    match = every_axe_in_front({0: 4, 1: 9, 2: 9}, out=[3])
    match.play(THROW + 1)  # out, and all cards in front of 1 are discarded
    assert not match.over
    assert state_of(match).axes_in_front == in_front_of_all(match)
    match = every_axe_in_front({0: 4, 1: 4, 2: 9}, out=[3])
    states = match.states
    VA.state.at(states).unused[2] = 1  # type: ignore[attr-defined]
    match = match.supposing(states)
    match.play(THROW + 2)  # as many as the shields: it leaves with them
    assert not match.over


def in_front_of_all(match: Match) -> int:
    return sum(number for seat in range(match.players) for kind, number in in_front(match.state, seat).items() if kind < SHIELD)


# ---------------------------------------------------------------------------------------------------------- the worked cases


def test_case_1_a_pool_of_shields_is_worn_down() -> None:
    pile = ["axe1", "axe1", "axe1", "axe3", "axe1"]
    match = scene("axe2", players=2, front={1: ["shield1", "shield3"]}, then=pile)
    assert until(match.play(THROW + 1), "drew") == [["throws", 0, 1, 2], ["blocked", 1, 2]]
    assert (state_of(match).unused[1], state_of(match).lying[1, 1]) == (2, 1)
    match.play(THROW + 0)
    assert until(match.play(THROW + 1), "drew") == [["throws", 0, 1, 1], ["blocked", 1, 1]]
    assert (state_of(match).unused[1], state_of(match).lying[1, 0]) == (1, 1)
    match.play(THROW + 0)
    events = match.play(THROW + 1)
    assert until(events, "drew") == [["throws", 0, 1, 3], ["blocked", 1, 1], ["shields_spent", 1], ["hits", 1, 2]]
    assert named(in_front(match.state, 1)) == {"axe3": 1}
    assert [state_of(match).discarded[CARDS.index(card)] for card in ("axe1", "axe2", "shield1", "shield3")] == [1, 1, 1, 1]
    assert state_of(match).hits[1] == 2


def test_case_2_as_many_axes_as_shields_leave_nothing() -> None:
    match = scene("axe3", front={1: ["shield4"]}, lying={1: ["axe1"]}, hits={1: 5}, then=["axe1"])
    match.play(THROW + 1)
    assert (state_of(match).unused[1], state_of(match).hits[1]) == (0, 5)
    assert not in_front(match.state, 1)
    assert [state_of(match).discarded[CARDS.index(card)] for card in ("axe1", "axe3", "shield4")] == [1, 1, 1]


def test_case_3_at_nine_of_ten_hits_a_single_axe_puts_out() -> None:
    match = scene("axe1", front={1: ["axe3", "axe3", "axe3"]}, hits={1: 9}, then=["axe2"])
    match.play(THROW + 1)
    assert state_of(match).out[1]
    assert not in_front(match.state, 1)
    assert [state_of(match).discarded[kind] for kind in (0, 2)] == [1, 3]
    assert match.actor == 2


def test_case_4_two_players_are_out_at_fifteen_and_three_at_ten_even_when_two_are_left() -> None:
    match = scene("axe3", players=2, hits={1: 14})
    match.play(THROW + 1)
    assert (state_of(match).hits[1], match.over) == (17, True)
    match = scene("axe3", players=3, hits={1: 8}, out=[2])
    match.play(THROW + 1)
    assert (state_of(match).hits[1], match.over) == (11, True)


def test_case_5_a_wench_takes_the_armory_and_with_it_the_offer() -> None:
    match = scene("armory", then=["wench", "axe1", "axe1", "axe1"])
    match.play(PLACE)
    assert told(match.play(DISARM + 0))[0] == ["disarms", 1, 0]
    assert [state_of(match).discarded[kind] for kind in (ARMORY, WENCH)] == [1, 1]
    match.play(THROW + 1)
    assert match.actor == 0
    assert told(match.play(THROW + 1))[-1] == ["drew", 1, "axe1"]
    assert match.actor == 1


def test_case_6_skipped_players_are_protected_until_they_have_played() -> None:
    match = scene("wench", players=4, then=["wench", "wench", "axe1", "axe1", "axe1", "wench"])
    assert told(match.play(SKIP + 1))[1:] == [["turn_skipped", 1], ["drew", 2, "wench"]]
    assert told(match.play(SKIP + 3))[1:] == [["turn_skipped", 3], ["drew", 0, "wench"]]
    assert legal(match) == [SKIP + 2]
    assert refused(match, SKIP + 1) == refused(match, SKIP + 3) == "VA-6.2"
    match.play(SKIP + 2)
    assert match.actor == 1
    match.play(THROW + 0)  # B has played
    assert match.actor == 3
    match.play(THROW + 0)  # D too; C's turn, due to be skipped, had been passed over before D's
    assert match.actor == 0
    match.play(THROW + 3)
    assert (match.actor, legal(match)) == (1, [SKIP + 0, SKIP + 3])


def test_case_6_from_then_on_b_can_be_chosen_again() -> None:
    match = scene("wench", players=4, then=["axe1", "axe1", "axe1", "axe1", "wench"])
    for action in (SKIP + 1, THROW + 3, THROW + 2, THROW + 2, THROW + 2):
        match.play(action)
    assert match.actor == 2
    assert legal(match) == [SKIP + 0, SKIP + 1, SKIP + 3]


def test_case_7_a_second_armory_leaves_the_first_and_the_offer() -> None:
    match = scene("axe1", players=2, front={1: ["armory"]}, then=["armory"])
    events = match.play(THROW + 1)
    assert told(events)[-2:] == [["drew", 1, "armory"], ["discards", 1, "armory"]]
    assert state_of(match).armory[1]
    assert legal(match) == [CASH_IN, END_TURN]


def test_case_8_the_discard_pile_is_shuffled_and_no_card_is_lost_or_made() -> None:
    match = scene("axe1", front={1: ["shield2", "armory"]}, left=0)
    match.play(THROW + 2)
    assert [event.name for event in match.steps[-1].events][2:4] == ["shuffled", "drew"]
    assert counted(match.state) == dict(enumerate(COPIES))


def test_every_rule_id_is_named_by_a_test_and_cited_by_the_code() -> None:
    tests = "".join(path.read_text(encoding="utf-8") for path in TESTS.glob("test_*.py"))
    folder = Path(package.__file__).parent
    code = "".join((folder / name).read_text(encoding="utf-8") for name in ("state.py", "rules.py", "hidden.py"))
    named_by_tests = {f"VA-{chapter}.{rule}" for chapter, rule in re.findall(r"def test_VA_(\d+)_(\d+)", tests)}
    assert named_by_tests == set(rule_ids(VA))
    assert set(re.findall(r"VA-\d+\.\d+", code)) == set(rule_ids(VA))
