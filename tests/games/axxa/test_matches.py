"""Properties of every match: agreement with the reference, and conservation of the pieces."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import Any

import numpy as np

from games.axxa.reference import BOARD, Reference
from games.axxa.scenes import AXXA, at_random, legal, matches, scattered
from meadhall import Match
from meadhall.games.axxa.state import EMPTY, NOWHERE, NUMBERS, STACKS, TRIPLET_SIZE, UNKNOWN, Phase
from meadhall.games.axxa.words import EVENTS
from sizes import sized

MATCHES = sized(2, 3)


def reference_of(match: Match) -> Reference:
    """Return the reference for a match, with its hidden pieces."""
    state: Any = match.state
    stacks = {BOARD[state.space[k]]: state.piece[k].tolist()[::-1] for k in range(STACKS)}
    versus, orthogonal = match.options["mode"] == "versus", match.options["touching"] == "orthogonal"
    order = match.options["order"]
    reference = Reference(stacks, match.players, match.actor or 0, versus=versus, orthogonal=orthogonal, order=order)
    reference.diagonals, reference.with_moved = match.options["directions"] == "any", match.options["triplets"] == "moved"
    reference.by_number = match.options["worth"] == "number"
    return reference


def test_matches_agree_with_the_reference() -> None:
    """Legal actions, turns and events are the same, in matches of every kind."""
    seen: Counter[str] = Counter()
    for match in chain(matches(), scattered(MATCHES)):
        reference = reference_of(match)
        for action in at_random(match):
            assert legal(match) == reference.legal()
            assert match.actor == reference.seat
            events = [event.to_list() for event in match.play(action)]
            assert events == reference.play(action)
            seen.update(event[0] for event in events)
        assert reference.over
    names = {kind.name for kind in EVENTS.values()}
    assert seen.keys() >= names - {"stacks", "starts", "won"}, names - seen.keys()


def test_there_are_always_36_pieces_six_of_each_number() -> None:
    for match in scattered():
        count_pieces(match)
        for action in at_random(match):
            match.play(action)
            count_pieces(match)


def count_pieces(match: Match) -> None:
    state: Any = match.state
    paid, removed, lying = paid_and_removed(match), Counter[int](), Counter[int]()
    for number in range(1, NUMBERS + 1):
        removed[number] = TRIPLET_SIZE * int((state.taker[number] > 0).sum())
        assert state.paid[number] == paid[number, "paid"]
        assert removed[number] == paid[number, "removed"]
        lying[number] = int((state.piece == number).sum())
        assert lying[number] + removed[number] + state.paid[number] == 6
    assert lying.total() + removed.total() + sum(state.paid) == 36


def paid_and_removed(match: Match) -> Counter[tuple[int, str]]:
    """Count the paid and removed pieces of each number from the events."""
    found: Counter[tuple[int, str]] = Counter()
    for step in match.steps:
        for event in step.events:
            if event.name == "paid":
                found[event.arguments[2], "paid"] += 1
            elif event.name == "removed":
                found[event.arguments[1], "removed"] += TRIPLET_SIZE
    return found


def test_the_fields_of_a_state_agree_with_each_other() -> None:
    for match in scattered():
        for action in at_random(match):
            match.play(action)
            state: Any = match.state
            for stack in range(STACKS):
                height, space = state.height[stack], state.space[stack]
                assert (height == 0) == (space == NOWHERE)
                assert height == 0 or state.stack_at[space] == stack
                assert (state.piece[stack, :height] != UNKNOWN).all()
                assert not np.any(state.piece[stack, height:])
                assert not np.any(state.seen[stack, height:])
            assert (state.stack_at != EMPTY).sum() == (state.height > 0).sum()


def test_a_match_in_mode_together_has_at_most_25_turns() -> None:
    for match in matches(mode="together"):
        turns = 0
        for action in at_random(match):
            turns += match.state.phase == Phase.MOVE
            match.play(action)
        assert turns <= 25


def test_the_deal_of_a_seed_does_not_depend_on_the_number_of_players() -> None:
    deals = {AXXA.match(players=players, seed="same").states["piece"].tobytes() for players in range(1, 7)}
    assert len(deals) == 1
