"""Dungeon Allies, rule by rule: the end of a turn, the end of the match, points (chapters 12 and 13)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from games.dungeon_allies.scenes import (
    CARD_IDS,
    DA,
    A,
    B,
    C,
    at_random,
    box,
    crystals,
    go,
    laid,
    legal,
    lying,
    only,
    place,
    scene,
    send,
    state_of,
    stop_trading,
    target,
    told,
    without,
)
from meadhall import Match, MatchOver
from meadhall.games.dungeon_allies.components import SKILL_NAMES
from meadhall.games.dungeon_allies.pieces import CRYSTALS, DICE, GONE, MONSTERS, NONE, TARGETS, Act, Phase
from meadhall.games.dungeon_allies.rules import card_score, points_of
from meadhall.games.dungeon_allies.state import MAX_TURNS, State

# -------------------------------------------------------------------------------------------------------------- end of the turn


def test_DA_12_2_dice_go_home_and_treasure_is_added_on_top_of_the_old() -> None:
    match = scene(treasure={1: "R", 5: "2"}, players=3)
    before = box(match)
    events = go(match)
    assert [event[:2] for event in only(events, "treasure", "turn_ended")] == [
        ["treasure", 1],
        ["treasure", 2],
        ["treasure", 3],
        ["treasure", 4],
        ["treasure", 5],
        ["turn_ended", 1],
    ]
    assert box(match) == without(before, laid(events))
    assert sum(lying(match, 1).values()) == 2
    assert lying(match, 5) == {"gold": 3}
    state = state_of(match)
    assert (state.place == NONE).all()
    assert (state.turn, match.actor, state.phase) == (2, A, Phase.PLACE)


def test_DA_12_2_an_empty_box_gives_nothing() -> None:
    match = scene(crystals={A: "R" * 24 + "B" * 16 + "Y" * 10 + "G" * 6, B: "WW"})
    assert sum(box(match).values()) == 2
    go(match)
    events = stop_trading(match)
    assert only(events, "treasure") == [["treasure", 1, "white"], ["treasure", 2, "white"], ["treasure", 5, "gold"]]
    assert sum(box(match).values()) == 0


def test_DA_12_2_every_space_is_free_in_the_next_turn() -> None:
    match = scene({A: {4: "water", 6: "fire"}}, gold={B: 3})
    send(match, (A, 4, "turn_order"), (B, 4, "treasure:1"), (A, 6, "tavern"), (B, 6, "prisoner:1"))
    assert state_of(match).turn == 2
    assert {(action - Act.PLACE) // DICE for action in legal(match) if action < Act.ILLUMINATE} == set(range(TARGETS)) - {
        target(f"prisoner:{space}") for space in (6, 7, 8)
    }


# ------------------------------------------------------------------------------------------------------------- end of the match


def last_turn(**more: Any) -> Match:
    """Return a match with the last monster on square 27. A attacks it, and other dice are still unplaced."""
    match = scene(removed=MONSTERS - 1, monsters={27: (2, 1, "melee")}, **more)
    send(match, (A, 4, "square:27"))
    return match


@pytest.mark.parametrize("roll", [1, 4])
def test_DA_13_1_the_match_ends_after_the_turn_in_which_the_last_tile_is_removed(roll: int) -> None:
    match = last_turn(crystals={A: "G", B: "RR"})
    send(match, (B, 4, "trade"), (A, 6, "sorcerer:1"), (B, 6, "treasure:1"))
    for _ in range(2):
        match.play(legal(match)[0])  # roll, and B's trade
    assert state_of(match).phase == Phase.BUY, "all steps of the turn still run"
    events = match.play(legal(match)[1])
    names = [event.name for event in events]
    assert names[:2] == ["buys", "pays"]
    assert names[2:] == ["turn_ended", "score", "score", "won"], "nothing is refilled"
    assert match.over
    result = match.result()
    assert result is not None
    assert result.reason == "DA-13.1"
    with pytest.raises(MatchOver):
        match.play(0)


def test_DA_13_1_the_match_goes_on_while_a_tile_is_left() -> None:
    match = scene(removed=MONSTERS - 2)
    send(match, (A, 4, "square:27"))
    go(match, 1)
    assert not match.over


def test_DA_13_2_gold_and_cards_of_three_kinds() -> None:
    match = last_turn()
    states = match.states
    state: Any = State.at(states)
    state.gold[:2] = 7, 12
    for name in ("duelists_charm", "ruby_cluster_charm", "emerald_crook", "silver_bell"):
        state.card_owner[CARD_IDS.index(name)] = A
    melee = [k for k in range(MONSTERS - 1) if state.weakness[k] == SKILL_NAMES.index("melee")][:3]
    state.owner[melee] = A
    state.crystals[A] = 8, 0, 0, 2, 1
    for card, points in (("duelists_charm", 6), ("ruby_cluster_charm", 2), ("emerald_crook", 4), ("silver_bell", 5)):
        assert card_score(state, A, CARD_IDS.index(card)) == points
    assert points_of(state, A) == 7 + 17
    state.crystals[A] = 0
    match = match.supposing(states)
    events = go(match, 1)
    assert only(events, "score") == [["score", A, 7, 11, 18], ["score", B, 12, 0, 12]]
    result = match.result()
    assert result is not None
    assert (result.winners, result.points) == ((A,), (18, 12))


def test_DA_13_3_after_sixty_turns_the_match_ends_and_is_scored() -> None:
    match = scene(turn=MAX_TURNS - 1, gold={B: 3})
    go(match)
    assert state_of(match).turn == MAX_TURNS
    events = go(match)
    assert told(events)[-4:] == [
        ["turn_ended", MAX_TURNS],
        ["score", A, 0, 0, 0],
        ["score", B, 3, 0, 3],
        ["won", B],
    ]
    assert not only(events, "treasure", "card_shown")
    result = match.result()
    assert result is not None
    assert result.reason == "DA-13.3"


def test_DA_13_3_without_attacks_the_match_ends_at_the_limit() -> None:
    match = DA.match(players=2, seed="peaceful")
    for _ in at_random(match):
        match.play(legal(match)[-1])
    assert state_of(match).turn == MAX_TURNS
    assert state_of(match).removed == 0


def test_DA_13_3_the_last_tile_in_turn_sixty_ends_the_match_by_DA_13_1() -> None:
    match = last_turn(turn=MAX_TURNS)
    go(match, 2)
    result = match.result()
    assert result is not None
    assert result.reason == "DA-13.1"


@pytest.mark.parametrize(
    ("of_a", "of_b", "of_c", "winners"),
    [
        ("W", "GGYYBBRR", "", (A,)),
        ("WG", "WGG", "W", (B,)),
        ("WGY", "WGYY", "WGY", (B,)),
        ("WB", "W", "WBB", (C,)),
        ("WBR", "WB", "WBRR", (C,)),
        ("WGR", "WGR", "WG", (A, B)),
        ("Y", "Y", "Y", (A, B, C)),
    ],
)
def test_DA_13_4_white_then_green_yellow_blue_red_break_ties(of_a: str, of_b: str, of_c: str, winners: tuple[int, ...]) -> None:
    match = scene(
        players=3,
        removed=MONSTERS - 1,
        monsters={27: (9, 1, "melee")},
        gold={A: 5, B: 5, C: 5},
        crystals={A: of_a, B: of_b, C: of_c},
    )
    send(match, (A, 4, "square:27"), (B, 4, "treasure:1"), (C, 4, "treasure:2"), (A, 6, "treasure:3"), (B, 6, "treasure:4"))
    send(match, (C, 6, "prisoner:5" if "W" not in of_c else "sorcerer:1"))
    while not match.over:
        match.play(legal(match)[0])
    assert told(match.steps[-1].events)[-1] == ["won", *winners]
    result = match.result()
    assert result is not None
    assert result.winners == winners
    assert result.scores == tuple(1 / len(winners) if seat in winners else 0 for seat in range(3))


def test_DA_13_4_points_count_first() -> None:
    match = scene(removed=MONSTERS - 1, monsters={27: (9, 1, "melee")}, gold={A: 5, B: 4}, crystals={B: "WWWW"})
    send(match, (A, 4, "square:27"), (B, 4, "treasure:1"), (A, 6, "treasure:2"), (B, 6, "treasure:3"))
    result = match.result()
    assert result is not None
    assert result.winners == (A,)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_DA_13_5_the_number_of_players_changes_only_the_deal_the_track_and_the_dice(players: int) -> None:
    match = DA.match(players=players, seed="same")
    for _ in range(players):
        match.play(Act.ASSIGN)
    state = state_of(match)
    assert state.treasure.sum() == 5
    assert state.cards == 11
    assert state.followers == 8
    assert (state.monster != GONE).all()
    assert np.array_equal(state.box + state.treasure[:, :5].sum(axis=0), CRYSTALS)
    match = scene(players=players)
    for seat in range(players):
        assert place(4, "turn_order") in legal(match)
        send(match, (seat, 4, "turn_order"))
    assert (state_of(match).track[:players] >= 0).all()
    assert crystals(match, A) == ""
