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
    at_random,
    crystals,
    go,
    legal,
    only,
    place,
    scene,
    send,
    state_of,
)
from meadhall import Match, MatchOver
from meadhall.games.dungeon_allies.components import SKILL_NAMES
from meadhall.games.dungeon_allies.pieces import CRYSTALS, GONE, MONSTERS, Act, Phase
from meadhall.games.dungeon_allies.rules import card_score, points_of
from meadhall.games.dungeon_allies.state import MAX_TURNS, State

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


def test_DA_13_3_without_attacks_the_match_ends_at_the_limit() -> None:
    match = DA.match(players=2, seed="peaceful")
    for _ in at_random(match):
        match.play(legal(match)[-1])
    assert state_of(match).turn == MAX_TURNS
    assert state_of(match).removed == 0


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
