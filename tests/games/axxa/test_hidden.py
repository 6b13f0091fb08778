"""Unseen pieces are hidden from every viewer; pieces that have been seen never are."""

from __future__ import annotations

from collections import Counter
from itertools import islice, permutations
from typing import Any

import numpy as np

from games.axxa.scenes import AXXA, FAR, at_random, move, pay, scattered, scene, stacks_of, turn
from meadhall import Match, replay
from meadhall.engine.compiled import loops
from meadhall.engine.match.view import concealed
from meadhall.games.axxa.state import STACKS, UNKNOWN, Act
from sizes import sized

REDEALS = sized(480, 9600)


Piece = tuple[int, int]
"""A piece, as its stack and its place in that stack in the deal."""


def pieces_from_events(match: Match) -> tuple[dict[int, list[Piece]], dict[Piece, int]]:
    """Return where every piece is, by space from the bottom, and the known numbers, from the events alone."""
    dealt: Any = AXXA.state.at(match.steps[0].before)
    stacks = {dealt.space[k]: [(k, place) for place in range(3)] for k in range(STACKS)}
    known = {(k, 2): int(dealt.piece[k, 2]) for k in range(STACKS)}
    for step in match.steps:
        for event in step.events:
            match event.to_list():
                case ["moved", _, start, end]:
                    stacks[end] = stacks.pop(start)
                case ["turned", _, space, number]:
                    stacks[space] = [stacks[space].pop(), *stacks[space]]
                    known[stacks[space][-1]] = number
                case ["removed", _, _, *spaces]:
                    for space in spaces:
                        stacks[space].pop()
                case ["paid", _, space, _]:
                    stacks[space].pop()
                case ["exposed", space, number]:
                    known[stacks[space][-1]] = number
    return {space: pieces for space, pieces in stacks.items() if pieces}, known


def test_every_viewer_sees_exactly_the_pieces_that_events_have_revealed() -> None:
    for match in scattered():
        for action in at_random(match):
            match.play(action)
            for viewer in range(-1, match.players):
                state = match.view(viewer).state
                shown = {state.space[k]: state.piece[k, : state.height[k]].tolist() for k in range(STACKS) if state.height[k]}
                stacks, known = pieces_from_events(match)
                assert shown == {space: [known.get(piece, UNKNOWN) for piece in pieces] for space, pieces in stacks.items()}


def test_concealing_blanks_only_unseen_pieces() -> None:
    match = scene({**FAR, "b6": "1[2]3", "d4": "4[5][6]"})
    view = concealed(AXXA, match.states, 0)
    assert stacks_of(match.supposing(view)) == {**FAR, "b6": "1[0]3", "d4": "4[0][0]"}
    for name in AXXA.state.dtype.names or ():
        assert name in ("piece", "rng") or (view[name] == match.states[name]).all()


def test_a_redeal_gives_every_order_of_the_unseen_pieces_equally_often() -> None:
    """Four different pieces have 24 orders. Chi-squared with 23 degrees of freedom exceeds 49.7 with probability 0.001."""
    match = scene({"b6": "1[2]3", "d4": "4[5][6]", "f2": "2[1]"})
    counts: Counter[tuple[int, ...]] = Counter()
    view = concealed(AXXA, match.states, -1)
    for number in range(REDEALS):
        states = view.copy()
        states["rng"][0] = (number * 0x9E3779B97F4A7C15 % (1 << 64), 0xD1B54A32D192ED03)
        loops(AXXA).redeal_one(states, -1)
        state: Any = AXXA.state.at(states)
        counts[state.piece[0, 1], state.piece[1, 1], state.piece[1, 0], state.piece[2, 0]] += 1
        states["piece"][0][state.seen == 0] = UNKNOWN
        states["rng"] = 0
        assert states.tobytes() == view.tobytes()
    expected = REDEALS / 24
    assert set(counts) == set(permutations((1, 2, 5, 6)))
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 49.7


def test_a_redeal_respects_paid_removed_and_seen_pieces() -> None:
    """Every number is on the board as often as before."""
    for match in scattered():
        for action in at_random(match):
            match.play(action)
            states = concealed(AXXA, match.states, -1)
            states["rng"][0] = (match.next_number, 1)
            loops(AXXA).redeal_one(states, -1)
            for number in range(1, 7):
                assert np.sum(states["piece"] == number) == np.sum(match.states["piece"] == number)


# -------------------------------------------------------------------------------------------------------- what can be undone


def test_a_move_can_be_undone_before_the_choice_to_turn_the_stack_over() -> None:
    match = scene({**FAR, "b6": "1[2]"})
    match.play(move("b6", "b5"))
    assert match.can_undo()


def test_turning_over_reveals_only_an_unseen_piece() -> None:
    for pieces, free in (("1[2]", False), ("12", True)):
        match = scene({**FAR, "b6": pieces}, current=2)
        match.play(move("b6", "b5"))
        match.play(Act.TURN)
        assert match.can_undo() == free


def test_leaving_a_stack_unchanged_reveals_nothing() -> None:
    match = scene({**FAR, "b6": "1[2]"}, current=2)
    match.play(move("b6", "b5"))
    match.play(Act.LEAVE)
    assert match.can_undo()


def test_paying_reveals_only_an_unseen_piece() -> None:
    for pieces, free in (("1[2]", False), ("12", True), ("1", True)):
        match = scene({**FAR, "b6": pieces}, current=2)
        turn(match, "g3", "b3", Act.LEAVE)
        match.play(pay("b6"))
        assert match.can_undo() == free


def test_every_piece_that_a_triplet_exposes_is_a_revelation() -> None:
    match = scene({**FAR, "b6": "1[3]", "c6": "14", "d5": "1[4]"})
    match.play(move("d5", "d6"))
    before = match.state.reveals
    match.play(Act.LEAVE)
    assert match.state.reveals == before + 2


# -------------------------------------------------------------------------------------------------------------------- undo


def test_seen_pieces_stay_seen_after_any_undo() -> None:
    """AX-3.2: after an undo to the deal, at once or in two parts."""
    for match in scattered():
        for action in at_random(match):
            match.play(action)
        _stacks, known = pieces_from_events(match)
        expected = [[known.get((k, place), UNKNOWN) for place in range(3)] for k in range(STACKS)]
        half = match.copy()
        half.undo(len(half.steps) // 2, revealed=True)
        half.undo(len(half.steps), revealed=True)
        match.undo(len(match.steps), revealed=True)
        for back in (match, half):
            assert back.view(0).state.piece.tolist() == expected
            assert back.states["reveals"] == back.undone[-1].steps[0].before["reveals"]


def test_a_piece_seen_in_an_undone_action_is_not_revealed_again() -> None:
    match = scene({**FAR, "d4": "2[5]4"})
    match.play(move("d4", "d6"))
    match.play(Act.TURN)
    assert not match.can_undo()
    match.undo(revealed=True)
    match.play(Act.TURN)
    assert match.can_undo()


def test_replaying_a_record_with_undone_actions_restores_what_was_seen() -> None:
    match = AXXA.match(1, seed="taken back")
    for action in islice(at_random(match), 40):
        match.play(action)
    match.undo(30, revealed=True)
    for action in at_random(match):
        match.play(action)
    again = replay(match.record())
    assert [step.before.tobytes() for step in again.steps] == [step.before.tobytes() for step in match.steps]
    assert again.states.tobytes() == match.states.tobytes()
