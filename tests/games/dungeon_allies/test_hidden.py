"""Hidden and public information (chapter 14 of the rules), and undo."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from games.dungeon_allies.scenes import (
    DA,
    A,
    B,
    C,
    at_random,
    bid,
    enriched,
    fated,
    go,
    legal,
    peek,
    place,
    reroll,
    scene,
    send,
    state_of,
    trade,
)
from meadhall import Match
from meadhall.engine.compiled import loops
from meadhall.engine.match.view import concealed
from meadhall.engine.state.schema import States
from meadhall.games.dungeon_allies.pieces import GONE, NONE, Act
from meadhall.games.dungeon_allies.state import State
from sizes import sized

EACH = sized(30, 100)  # the expected number of each determinization


def redealt(match: Match, viewer: int, number: int) -> Any:
    """Return a determinization for a viewer; each number gives another one."""
    states = concealed(DA, match.states, viewer)
    states["rng"][0] = (number * 0x9E3779B97F4A7C15 % (1 << 64), 0xD1B54A32D192ED03)
    loops(DA).redeal_one(states, viewer)
    return State.at(states)


def few_left() -> Match:
    """Return a match with monsters 24 to 26 left, three followers and three cards in the deck. A has looked at 25."""
    match = scene(players=3, removed=24, crystals={A: "R"})
    states = match.states
    state: Any = State.at(states)
    state.ally[B:, 2:][[0, 0, 0, 1, 1], [0, 1, 2, 0, 1]] = state.stack[3:]
    state.stack[3:] = NONE
    state.followers = 3
    state.monster[27], state.former[27], state.owner[27], state.removed = GONE, 27, C, 25
    state.card_owner[state.deck[3 : state.cards]] = B
    state.deck[3:] = NONE
    state.cards = 3
    state.seen[25] = 1 << (1 + A)
    return match.supposing(states)


def hidden_of(state: Any) -> tuple[tuple[int, ...], ...]:
    return tuple(state.monster[24:27].tolist()), tuple(state.stack[:3].tolist()), tuple(state.deck[:3].tolist())


# -------------------------------------------------------------------------------------------------------------------- knowledge


@pytest.mark.compiled
def test_DA_14_1_everything_except_tiles_stack_and_deck_is_public() -> None:
    for match in (DA.match(players=3, seed="public"), enriched(DA.match(players=4, seed="public, later"))):
        for action in at_random(match):
            match.play(action)
            for viewer in range(-1, match.players):
                view = match.view(viewer).states
                for name in DA.state.dtype.names or ():
                    assert name in ("monster", "stack", "deck", "rng") or (view[name] == match.states[name]).all()


def test_DA_14_1_the_set_of_monsters_that_lie_face_down_is_known() -> None:
    match = few_left()
    for viewer in (-1, A, B):
        view = match.view(viewer).state
        assert np.flatnonzero(view.owner == NONE).tolist() == [24, 25, 26]
        assert [square for square in range(28) if view.monster[square] != GONE] == [24, 25, 26]
        assert sorted(redealt(match, viewer, 1).monster[24:27]) == [24, 25, 26]


def test_DA_14_2_which_tile_lies_where_and_the_order_of_stack_and_deck_are_hidden() -> None:
    match = few_left()
    shown = {viewer: hidden_of(match.view(viewer).state) for viewer in (-1, A, B, C)}
    top = int(state_of(match).stack[2])
    nobody = ((NONE, NONE, NONE), (NONE, NONE, top), (NONE, NONE, NONE))
    assert shown == {-1: nobody, A: ((NONE, 25, NONE), *nobody[1:]), B: nobody, C: nobody}


@pytest.mark.compiled
def test_DA_14_2_a_peek_is_permanent_and_private() -> None:
    """Compare the views of whole matches with the events."""
    for match in (DA.match(players=3, seed="peeks"), enriched(DA.match(players=3, seed="peeks, later"))):
        known: dict[int, dict[int, int]] = {viewer: {} for viewer in range(-1, 3)}
        for action in at_random(match):
            for event in match.play(action):
                if event.name == "peek_face":
                    seat, square, _ = event.arguments
                    known[seat][square] = int(match.steps[-1].before["monster"][0][square])
            state = state_of(match)
            for viewer, tiles in known.items():
                shown = {square: int(tile) for square, tile in enumerate(match.view(viewer).state.monster) if tile >= 0}
                expected = {square: tile for square, tile in tiles.items() if state.monster[square] != GONE}
                if state.square != NONE:
                    expected[state.square] = int(state.monster[state.square])
                assert shown == expected


# ---------------------------------------------------------------------------------------------------------------------- redeals


@pytest.mark.compiled
@pytest.mark.parametrize(("viewer", "ways"), [(A, 2 * 2 * 6), (B, 6 * 2 * 6), (-1, 6 * 2 * 6)])
def test_all_determinizations_are_equally_frequent(viewer: int, ways: int) -> None:
    """Chi-squared test over all combinations of unseen tiles, followers below the top, and cards of the deck.

    The mean of the statistic is the number of combinations minus one, its variance twice that. Five standard deviations are
    exceeded about once in a million runs.
    """
    match = few_left()
    counts = Counter(hidden_of(redealt(match, viewer, number)) for number in range(ways * EACH))
    truth = hidden_of(state_of(match))
    tiles = [order for order in permutations(truth[0]) if viewer != A or order[1] == 25]
    stacks = [(*order, truth[1][2]) for order in permutations(truth[1][:2])]
    assert set(counts) == {(tile, stack, deck) for tile in tiles for stack in stacks for deck in permutations(truth[2])}
    squares = sum((count - EACH) ** 2 / EACH for count in counts.values())
    assert squares < ways - 1 + 5 * (2 * (ways - 1)) ** 0.5


@pytest.mark.compiled
def test_a_redeal_changes_only_hidden_information() -> None:
    for match in (DA.match(players=3, seed="redeal"), enriched(DA.match(players=2, seed="redeal, later"))):
        for action in at_random(match):
            match.play(action)
            for viewer in range(-1, match.players):
                state = redealt(match, viewer, match.next_number)
                assert_same_pieces(state, match.state)
                twin = match.supposing(as_tables(state, match))
                assert concealed(DA, twin.states, viewer).tobytes() == concealed(DA, match.states, viewer).tobytes()


def as_tables(state: Any, match: Match) -> States:
    states = match.states
    states[0] = state._row
    return states


def assert_same_pieces(state: Any, true: Any) -> None:
    """Check that the same tiles, followers and cards are there in any order, and that none is hidden."""
    assert Counter(state.monster.tolist()) == Counter(true.monster.tolist())
    assert Counter(state.stack.tolist()) == Counter(true.stack.tolist())
    assert Counter(state.deck.tolist()) == Counter(true.deck.tolist())


# ------------------------------------------------------------------------------------------------------------ ------------ undo


def test_placing_a_die_bidding_and_casting_illuminate_can_be_undone() -> None:
    match = scene(gold={B: 5}, crystals={A: "R"})
    match.play(Act.ILLUMINATE)
    assert match.can_undo()
    match.play(peek(3))
    assert not match.can_undo()
    match.play(peek(4))
    send(match, (A, 4, "tavern"))
    assert match.can_undo()
    send(match, (B, 4, "tavern"))
    match.play(bid(3))
    assert match.can_undo()


def test_a_roll_a_revealed_tile_and_the_end_of_a_turn_can_not_be_undone() -> None:
    match = scene({A: {4: "water", 6: "fire"}}, crystals={A: "BRRRR"}, monsters={0: (3, 1, "armor")})
    send(match, (A, 4, "square:0"), (B, 4, "treasure:1"), (A, 6, "trade"))
    fated(match, place(6, "treasure:2"), 1)
    assert not match.can_undo()
    fated(match, reroll(4), 4)
    assert not match.can_undo()
    match.play(trade(0, 0))
    assert match.can_undo()
    match.play(Act.END_TRADE)
    assert not match.can_undo()


def test_the_counter_of_revelations_stays_if_nothing_is_revealed() -> None:
    match = scene(removed=28, treasure={})
    before = state_of(match).reveals
    go(match)
    assert state_of(match).reveals == before
    assert legal(match) == []
