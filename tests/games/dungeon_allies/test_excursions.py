"""Dungeon Allies, rule by rule: fights and rounds (chapters 4 and 12 of the rules)."""

from __future__ import annotations

import numpy as np
import pytest

from games.dungeon_allies.scenes import (
    A,
    B,
    C,
    bless,
    box,
    crystals,
    enhance,
    fated,
    fight,
    go,
    gold,
    legal,
    only,
    place,
    refused,
    reroll,
    scene,
    send,
    state_of,
    told,
    trade,
)
from meadhall import Match
from meadhall.engine.state.chance import below, step_key
from meadhall.games.dungeon_allies.pieces import GONE, Act, Phase
from meadhall.games.dungeon_allies.state import current_round

WATER_FIRE = {A: {4: "water", 6: "fire"}}

# ---------------------------------------------------------------------------------------------------------- order of all things


def test_DA_4_1_eight_steps_in_order_and_each_can_use_the_gains_of_the_one_before() -> None:
    match = scene(
        {
            A: {4: "water", 6: "fire", 8: "armor", 10: "melee"},
            B: {4: "nature", 8: "potions", 10: "amulet", 12: "ranged"},
        },
        crystals={B: "RR"},
        monsters={0: (2, 1, "nature")},
        treasure={1: "W"},
    )
    send(match, (A, 4, "square:0"), (B, 12, "sorcerer:1"), (A, 6, "turn_order"), (B, 10, "trade"), (A, 8, "treasure:1"))
    send(match, (B, 8, "tavern"), (A, 10, "prisoner:1"))
    events = [*fated(match, place(4, "trainer"), 3), *match.play(Act.FREE), *match.play(trade(0, 0)), *match.play(Act.BUY)]
    steps = {
        "defeats": "the white crystal of the treasure is not guarded from A",
        "order": "A has a red crystal for the prisoner",
        "loots": "",
        "trained": "B's lowest die is a d6, so a follower can come",
        "follower_joins": "",
        "frees": "",
        "trades": "B has a blue crystal for the sorcerer",
        "buys": "",
        "turn_ended": "",
    }
    assert [event.name for event in events if event.name in steps] == list(steps)


# ----------------------------------------------------------------------------------------------------------------------- fights


def test_DA_4_2_players_in_turn_order_each_with_all_fights_in_the_order_they_choose() -> None:
    match = scene({A: {4: "water", 6: "fire", 8: "armor"}}, players=3, order=[C, A, B], monsters={0: (1, 1, "melee")})
    send(match, (C, 4, "square:9"), (A, 4, "square:5"), (B, 4, "square:1"))
    send(match, (C, 6, "square:9"), (A, 6, "square:2"), (B, 6, "square:3"))
    assert only(send(match, (A, 8, "square:0")), "fights") == [["fights", C, 9]]
    assert (match.actor, legal(match)) == (A, [fight(0), fight(2), fight(5)])
    assert refused(match, fight(1)) == refused(match, fight(9)) == "DA-4.2"
    assert only(match.play(fight(2)), "fights", "revealed") == [["fights", A, 2], ["revealed", 2, "candle_wisp"]]
    assert legal(match) == [fight(0), fight(5)]
    assert only(match.play(fight(5)), "fights") == [["fights", A, 5], ["fights", A, 0]], "the last one is not chosen"
    assert (match.actor, legal(match)) == (B, [fight(1), fight(3)])


def test_DA_4_3_the_tile_is_revealed_to_all_before_spells_are_cast() -> None:
    match = scene(WATER_FIRE, crystals={A: "Y"}, monsters={3: (3, 1, "fire")})
    send(match, (A, 6, "square:3"), (B, 4, "square:4"), (A, 4, "square:3"))
    before = state_of(match).reveals
    events = send(match, (B, 6, "trade"))
    assert told(events)[1:] == [["fights", A, 3], ["revealed", 3, "moss_gremlin"]]
    assert state_of(match).reveals == before + 1
    for viewer in (-1, A, B):
        assert match.view(viewer).state.monster[3] == 3
        assert match.view(viewer).state.monster[4] == -1
    assert legal(match) == [Act.ROLL, bless(4)]


@pytest.mark.parametrize(
    ("square", "rolls", "total", "won"),
    [(7, (1, 2), 5, True), (7, (2, 1), 4, False), (8, (2, 3), 8, True), (15, (3, 2), 7, False), (16, (1, 5), 11, True)],
)
def test_DA_4_4_the_dice_are_summed_a_weakness_doubles_and_the_colour_of_the_square_counts(
    square: int, rolls: tuple[int, int], total: int, won: bool
) -> None:
    """The tile of square 16 is on red: 11 for 2 gold. Targets by level are 5, 8 and 11 here."""
    target = (5, 8, 11)[min(square // 8, 2)]
    match = scene(WATER_FIRE, monsters={square: (target, 3, "fire")})
    send(match, (A, 6, f"square:{square}"), (B, 4, "trade"), (A, 4, f"square:{square}"))
    events = only(go(match, *rolls), "rolled", "total", "defeats", "fails")
    assert events[:3] == [
        ["rolled", A, 4, rolls[0], rolls[0]],
        ["rolled", A, 6, rolls[1], 2 * rolls[1]],
        ["total", A, total, target],
    ]
    assert events[3] == (["defeats", A, square, 3] if won else ["fails", A, square])
    assert gold(match, A) == 3 * won


def prepared(spells: str, *, square: int = 0, removed: int = 0, weakness: str = "fire", target: int = 30) -> Match:
    """Return a match in which A prepares a fight with a d4 (water) and a d6 (fire). A's d8 (armor) is elsewhere."""
    match = scene(
        {A: {4: "water", 6: "fire", 8: "armor"}}, crystals={A: spells}, monsters={square: (target, 2, weakness)}, removed=removed
    )
    spot = f"square:{square}"
    send(match, (A, 4, spot), (B, 4, "trade"), (A, 6, spot), (B, 6, "trade"), (A, 8, "trade"))
    return match


def test_DA_4_5_without_a_spell_to_cast_the_dice_roll_at_once() -> None:
    match = prepared("RRR", target=1)
    assert only(match.steps[-1].events, "defeats") == [["defeats", A, 0, 2]]


@pytest.mark.parametrize(
    ("removed", "square", "strikes"),
    [(0, 7, True), (7, 8, False), (8, 15, True), (8, 16, False), (15, 16, False), (16, 27, True), (16, 0, True)],
)
def test_DA_4_5_the_hammer_strikes_monsters_whose_level_is_not_above_the_round(removed: int, square: int, strikes: bool) -> None:
    match = prepared("WG", square=square, removed=removed)
    assert (Act.HAMMER in legal(match)) == strikes
    if strikes:
        assert told(match.play(Act.HAMMER))[:2] == [["hammers", A, square], ["defeats", A, square, 2]]
        assert (crystals(match, A), box(match)["W"] >= 3) == ("G", True)
    else:
        assert refused(match, Act.HAMMER) == "DA-4.5"


def test_DA_4_5_enhance_adds_a_free_die_that_no_weakness_doubles() -> None:
    match = prepared("GG", weakness="melee", target=40)
    assert legal(match) == [Act.ROLL, enhance(10), enhance(12)]
    assert (
        refused(match, enhance(8))
        == refused(match, enhance(4))
        == refused(match, Act.HAMMER)
        == refused(match, bless(4))
        == "DA-4.5"
    )
    assert told(match.play(enhance(12))) == [["enhances", A, 12]]
    assert (crystals(match, A), box(match)["G"]) == ("G", 5)
    assert legal(match) == [Act.ROLL, enhance(10)]
    assert refused(match, enhance(12)) == "DA-4.5"
    match.play(enhance(10))
    events = only(match.steps[-1].events, "rolled")
    assert [event[2] for event in events] == [4, 6, 10, 12], "no spell is left, so the dice roll"
    assert all(value == counted for *_, value, counted in events)


def test_DA_4_5_bless_doubles_a_die_of_the_fight_once_including_an_enhance_die() -> None:
    match = prepared("YYYG")
    assert legal(match) == [Act.ROLL, enhance(10), enhance(12), bless(4)]
    assert refused(match, bless(6)) == refused(match, bless(8)) == refused(match, bless(10)) == "DA-4.5"
    match.play(enhance(10))
    assert legal(match) == [Act.ROLL, bless(4), bless(10)]
    assert told(match.play(bless(10))) == [["blesses", A, 10]]
    assert legal(match) == [Act.ROLL, bless(4)]
    assert refused(match, bless(10)) == "DA-4.5"
    events = only(fated(match, bless(4), 1, 2, 3), "rolled", "total")
    assert events == [["rolled", A, 4, 1, 2], ["rolled", A, 6, 2, 4], ["rolled", A, 10, 3, 6], ["total", A, 12, 30]]
    assert crystals(match, A) == "Y"


def test_DA_4_5_the_hammer_is_still_allowed_after_other_spells() -> None:
    match = prepared("YGW")
    match.play(bless(4))
    match.play(enhance(12))
    assert legal(match) == [Act.ROLL, Act.HAMMER]
    match.play(Act.HAMMER)
    assert crystals(match, A) == ""
    assert not state_of(match).blessed.any()
    assert not state_of(match).extra.any()


def test_DA_4_5_red_and_blue_are_no_spells_before_the_roll() -> None:
    match = prepared("RB")
    assert state_of(match).phase == Phase.REROLL
    assert refused(match, bless(4)) == refused(match, Act.ROLL) == "DA-4.5"


def test_DA_4_6_a_blue_crystal_rerolls_one_die_and_doubling_stays() -> None:
    match = prepared("YBBBB", target=13)
    fated(match, bless(4), 1, 1)
    assert legal(match) == [Act.ACCEPT, reroll(4), reroll(6)]
    assert refused(match, reroll(8)) == "DA-4.6"
    assert told(fated(match, reroll(4), 3)) == [["rerolled", A, 4, 3, 6], ["total", A, 8, 13]]
    assert told(fated(match, reroll(4), 2)) == [["rerolled", A, 4, 2, 4], ["total", A, 6, 13]], "the new value replaces the old"
    assert told(fated(match, reroll(6), 5))[:3] == [["rerolled", A, 6, 5, 10], ["total", A, 14, 13], ["defeats", A, 0, 2]]
    assert crystals(match, A) == "B"


def test_DA_4_6_an_enhance_die_can_be_rerolled_and_a_loss_accepted() -> None:
    match = prepared("GBB", target=20)
    fated(match, enhance(12), 1, 1, 1)
    assert legal(match) == [Act.ACCEPT, reroll(4), reroll(6), reroll(12)]
    fated(match, reroll(12), 7)
    assert told(match.play(Act.ACCEPT))[0] == ["fails", A, 0]
    assert crystals(match, A) == "B"


def test_DA_4_6_after_the_last_blue_crystal_the_fight_ends() -> None:
    match = prepared("B", target=20)
    assert legal(match) == [Act.ACCEPT, reroll(4), reroll(6)]
    assert ["fails", A, 0] in told(fated(match, reroll(6), 1))


def test_DA_4_7_the_winner_gets_the_gold_and_the_tile_a_loser_nothing() -> None:
    for rolls, gained, owner in (((4, 3), 5, A), ((1, 1), 0, GONE)):
        match = scene(WATER_FIRE, gold={A: 1}, monsters={9: (7, 5, "melee")}, removed=3)
        send(match, (A, 4, "square:9"), (B, 4, "trade"), (A, 6, "square:9"))
        events = told(go(match, *rolls))
        assert (["defeats", A, 9, 5] if gained else ["fails", A, 9]) in events
        state = state_of(match)
        assert (gold(match, A), state.owner[9], state.former[9]) == (1 + gained, owner, 9)
        assert (state.monster[9], state.removed) == (GONE, 4)
        assert state.seen[9] == 0


def test_DA_4_8_dice_are_drawn_in_ascending_size_from_the_seed_of_the_match() -> None:
    match = prepared("G")
    seed, number = match.seed, match.next_number
    events = only(match.play(enhance(12)), "rolled")
    rng = np.array(step_key(seed, number), np.uint64)
    assert [value for *_, value, _ in events] == [1 + below(rng, sides) for sides in (4, 6, 12)]
    assert state_of(match).reveals >= 3


# ----------------------------------------------------------------------------------------------------------------------- rounds


@pytest.mark.parametrize(("removed", "number"), [(0, 1), (7, 1), (8, 2), (15, 2), (16, 3), (27, 3), (28, 3)])
def test_DA_12_1_rounds_end_with_the_eighth_and_the_sixteenth_tile(removed: int, number: int) -> None:
    assert current_round(state_of(scene(removed=removed))) == number


@pytest.mark.parametrize(("removed", "rolls", "told_round"), [(7, 3, [2]), (7, 1, [2]), (15, 3, [3]), (6, 3, []), (27, 3, [])])
def test_DA_12_1_won_or_lost_a_new_round_begins_at_once(removed: int, rolls: int, told_round: list[int]) -> None:
    match = scene(WATER_FIRE, monsters={27: (2, 1, "melee")}, removed=removed)
    send(match, (A, 4, "square:27"))
    events = told(go(match, rolls))
    assert [event[1] for event in events if event[0] == "round"] == told_round
    fight_over = next(k for k, event in enumerate(events) if event[0] in ("defeats", "fails"))
    assert (events[fight_over + 1][0] == "round") == bool(told_round)


def test_DA_12_1_between_two_fights_it_changes_what_the_hammer_can_do() -> None:
    match = scene(WATER_FIRE, crystals={A: "W"}, monsters={0: (99, 1, "melee"), 8: (99, 1, "melee")}, removed=7)
    send(match, (A, 4, "square:0"), (B, 4, "trade"), (A, 6, "square:8"), (B, 6, "trade"))
    match.play(fight(0))
    assert legal(match) == [Act.ROLL, Act.HAMMER]
    events = match.play(Act.ROLL)
    assert ["round", 2] in told(events)
    assert (state_of(match).square, legal(match)) == (8, [Act.ROLL, Act.HAMMER])
    match = scene(WATER_FIRE, crystals={A: "W"}, monsters={8: (99, 1, "melee")}, removed=7)
    send(match, (A, 4, "square:8"))
    assert ["fails", A, 8] in told(go(match, 1)), "it can't strike there in round 1"


def test_DA_12_1_several_rounds_may_pass_in_one_turn() -> None:
    five = {4: "water", 6: "fire", 8: "armor", 10: "melee", 12: "nature"}
    match = scene({A: five, B: five}, monsters=dict.fromkeys(range(16, 26), (99, 1, "potions")), removed=7)
    for k, sides in enumerate(five):
        send(match, (A, sides, f"square:{16 + k}"), (B, sides, f"square:{21 + k}"))
    while state_of(match).phase == Phase.FIGHT_ORDER:
        match.play(legal(match)[0])
    events = [event.to_list() for step in match.steps for event in step.events if event.name in ("fails", "round")]
    assert [k for k, event in enumerate(events) if event[0] == "round"] == [1, 10]
    assert len(events) == 12
