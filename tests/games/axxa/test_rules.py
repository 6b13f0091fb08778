"""Tests of AxxA, rule by rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from games.axxa.scenes import (
    AXXA,
    FAR,
    as_lists,
    legal,
    matches,
    move,
    pay,
    play_at_random,
    remove,
    scene,
    stacks_of,
    targets,
    turn,
)
from meadhall import BadSetup, IllegalAction, Match, MatchOver
from meadhall.engine.state.chance import seed_from_text, shuffle, step_key
from meadhall.games.axxa import MAX_LENGTH
from meadhall.games.axxa.state import NAMES, POSITIONS, Act, Phase

STARTS = "c7 d7 e7 g5 g4 g3 e1 d1 c1 a3 a4 a5".split()
PASSING_MOVE = ("g3", "b3", Act.LEAVE)
"""A move of the stack of 5s in FAR, which affects nothing else."""


def state_of(match: Match) -> Any:
    return match.state


def reason(match: Match) -> tuple[str, tuple[float, ...]]:
    result = match.result()
    assert result is not None
    return result.reason, result.scores


# --------------------------------------------------------------------------------------------------- AX-1 board and starting


def test_AX_1_1_there_are_37_spaces_25_of_them_in_the_square() -> None:
    assert len(POSITIONS) == len(set(POSITIONS)) == 37
    assert [POSITIONS[space] for space in (0, 24, 25, 27, 28, 30, 31, 33, 34, 36)] == [
        (0, 0), (4, 4), (-1, 1), (-1, 3), (1, 5), (3, 5), (5, 3), (5, 1), (3, -1), (1, -1),
    ]  # fmt: skip


def test_AX_1_2_twelve_stacks_of_three_are_dealt_in_order_first_piece_on_top() -> None:
    for match in matches(2):
        pieces = np.array([1 + k // 6 for k in range(36)], np.int8)
        rng = np.array(step_key(match.seed, 0), np.uint64)
        shuffle(rng, pieces, 36)
        dealt = [f"{a}[{b}][{c}]" for a, b, c in pieces.reshape(12, 3)]
        assert stacks_of(match) == dict(zip(STARTS, dealt, strict=True))
        assert as_lists(match.setup)[:12] == [["stacks", name, int(dealt[k][0])] for k, name in enumerate(STARTS)]


def test_AX_1_3_players_take_turns_from_the_first_seat() -> None:
    for match in matches(mode="together"):
        assert match.actor == 0
        assert len(match.setup) == 12
        seats = seats_of_turns(play_at_random(match))
        assert seats == [k % match.players for k in range(len(seats))]


def test_AX_1_3_in_mode_versus_a_random_seat_starts() -> None:
    starting: dict[int, set[int]] = {players: set() for players in range(2, 7)}
    for match in (AXXA.match(players=players, seed=f"{number}", mode="versus") for players in starting for number in range(30)):
        first = match.actor
        assert first is not None
        assert match.setup[12:] == match.setup[-1:]
        assert as_lists(match.setup)[12:] == [["starts", first]]
        starting[match.players].add(first)
    assert starting == {players: set(range(players)) for players in range(2, 7)}


def seats_of_turns(match: Match) -> list[int]:
    return [step.seat for step in match.steps if step.action < Act.LEAVE]


# ------------------------------------------------------------------------------------------------------------- AX-2 moving


def test_AX_2_2_from_the_centre_a_4_reaches_twelve_spaces_and_a_5_or_6_none() -> None:
    assert targets(scene({"d4": "4"}), "d4") == set("b6 f6 b2 f2 c7 e7 g5 g3 e1 c1 a3 a5".split())
    assert legal(scene({"d4": "5"})) == []
    assert legal(scene({"d4": "6"})) == []


def test_AX_2_2_the_top_piece_alone_sets_the_length_of_the_move() -> None:
    assert targets(scene({"c7": "1[6][6]"}), "c7") == {"c6", "d7"}
    assert targets(scene({"c7": "6[1][1]"}), "c7") == {"b2", "d2", "e3", "f4", "c1", "a3", "g5"}
    assert targets(scene({"b2": "2"}), "b2") == {"b4", "c3", "d2", "c1", "a3"}


def test_AX_2_3_a_stack_can_not_jump_over_or_land_on_another() -> None:
    assert targets(scene({"b4": "3", "d4": "1", "b5": "2"}), "b4") == {"c6", "d3", "c2"}
    assert targets(scene({"b4": "2", "d4": "1"}), "b4") == {"b6", "c5", "c3", "b2", "a5", "a3"}


def test_AX_2_4_starting_spaces_can_be_entered_and_crossed() -> None:
    match = scene({"c7": "2", "b5": "1"})
    assert "e7" in targets(match, "c7")  # through d7
    assert "a5" in targets(match, "b5")


# -------------------------------------------------------------------------------------------------------- AX-3 turning over


def test_AX_3_2_covered_pieces_that_were_seen_stay_known_to_all() -> None:
    match = scene({**FAR, "b6": "1[2][3]"})
    match.play(move("b6", "b5"))
    match.play(Act.TURN)
    match.play(pay("b5"))
    assert stacks_of(match)["b5"] == "31"
    for viewer in (-1, 0, 1):
        state = match.view(viewer).state
        stack = state.stack_at[NAMES.index("b5")]
        assert state.piece[stack].tolist() == [1, 3, 0]


# -------------------------------------------------------------------------------------------------------------- AX-5 paying


def test_AX_5_3_a_triplet_uncovered_by_a_payment_counts_at_the_end_of_the_next_move() -> None:
    match = scene({**FAR, "c5": "1", "d5": "1", "e5": "31"})
    turn(match, *PASSING_MOVE)
    assert as_lists(match.play(pay("e5"))) == [["paid", 0, "e5", 3], ["exposed", "e5", 1]]
    with pytest.raises(IllegalAction, match="at the end of the next move") as refused:
        match.play(remove("c5", "d5", "e5"))
    assert refused.value.rule == "AX-5.3"
    broken = match.copy()
    assert turn(match, "b3", "g3", Act.LEAVE)[0] == ["removed", 1, 1, "c5", "d5", "e5"]
    assert (match.actor, state_of(match).phase) == (0, Phase.MOVE)
    assert turn(broken, "c5", "b5") == []
    assert (broken.actor, state_of(broken).phase) == (1, Phase.PAY)


# ------------------------------------------------------------------------------------------------------------ AX-6 together


def test_AX_6_1_all_win_with_the_sixth_triplet() -> None:
    match = scene({"b6": "6", "c6": "6", "d1": "6", "g3": "1"}, current=6, players=3)
    assert turn(match, "d1", "d7")[-1] == ["won"]
    assert reason(match) == ("AX-6.1", (1.0, 1.0, 1.0))
    assert match.result().winners == (0, 1, 2)  # type: ignore[union-attr]
    with pytest.raises(MatchOver, match="all six triplets have been removed"):
        match.play(0)


# --------------------------------------------------------------------------------------------------------------- AX-7 versus


def test_AX_7_1_two_to_six_players_form_two_sides() -> None:
    with pytest.raises(BadSetup, match="at least 2 players"):
        AXXA.match(players=1, mode="versus")
    sides = [AXXA.parties(AXXA.match(players=players, mode="versus").players, {"mode": "versus"}) for players in range(2, 7)]
    assert sides == [((0,), (1,)), ((0, 2), (1,)), ((0, 2), (1, 3)), ((0, 2, 4), (1, 3)), ((0, 2, 4), (1, 3, 5))]


@pytest.mark.parametrize(
    ("players", "first", "turns"),
    [
        (2, 1, [1, 0, 1, 0]),
        (3, 0, [0, 1, 2, 1, 0, 1, 2, 1]),
        (3, 1, [1, 2, 1, 0, 1, 2, 1, 0]),
        (3, 2, [2, 1, 0, 1, 2, 1, 0, 1]),
        (4, 2, [2, 3, 0, 1, 2, 3]),
        (5, 0, [0, 1, 2, 3, 4, 1, 0, 3, 2, 1, 4, 3, 0]),
        (5, 3, [3, 4, 1, 0, 3, 2, 1, 4]),
        (5, 4, [4, 1, 0, 3, 2, 1, 4, 3]),
        (6, 5, [5, 0, 1, 2, 3, 4, 5, 0]),
    ],
)
def test_AX_7_1_the_sides_alternate_and_the_seats_of_a_side_take_turns(players: int, first: int, turns: list[int]) -> None:
    match = next(
        match
        for number in range(100)
        if (match := AXXA.match(players=players, seed=f"order {number}", mode="versus", order="strict")).actor == first
    )
    assert seats_of_turns(play_at_random(match))[: len(turns)] == turns


def test_AX_7_1_mode_together_has_no_points() -> None:
    match = play_at_random(AXXA.match(players=2, seed="points"))
    assert match.result().points is None  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("takers", "last_event", "scores"),
    [
        ({1: 0}, ["side_won", 0, 1, 0], (1.0, 0.0)),
        ({1: 1}, ["side_won", 1, 0, 1], (0.0, 1.0)),
        ({}, ["drawn", 0, 0], (0.5, 0.5)),
    ],
)
def test_AX_7_2_the_match_ends_when_no_stack_of_three_is_left(
    takers: dict[int, int], last_event: list[Any], scores: tuple[float, ...]
) -> None:
    match = scene({"e7": "333", "g5": "44", "g3": "55"}, mode="versus", current=3, takers=takers)
    turn(match, *PASSING_MOVE)
    other = match.copy()
    assert as_lists(match.play(pay("e7")))[-1] == last_event
    assert reason(match) == ("AX-7.2", scores)
    other.play(pay("g5"))
    assert not other.over


def test_AX_7_3_the_order_of_the_numbers_is_an_option_of_two_sides_only() -> None:
    for order in ("strict", "any"):
        with pytest.raises(BadSetup, match=f"order={order} is only for mode=versus; with mode=together, order must be skip"):
            AXXA.match(players=2, order=order)
        assert AXXA.match(players=2, mode="versus", order=order).options["order"] == order
    assert AXXA.match(players=2, mode="versus").options["order"] == "skip"


def test_AX_7_3_strict_skips_nothing_and_every_move_is_paid_from_then_on() -> None:
    match = scene({"d4": "666", "b2": "4", "c2": "4", "d2": "4", "f2": "3", "g5": "33"}, mode="versus", current=3, order="strict")
    assert turn(match, "f2", "f5") == []
    assert as_lists(match.play(pay("f5"))) == [["paid", 0, "f5", 3], ["stack_gone", "f5"]]
    assert state_of(match).current == 3
    assert not match.over
    assert "No triplet can be removed any more" in match.view(match.actor).prompt()
    assert turn(match, "c2", "c6") == []
    assert state_of(match).phase == Phase.PAY
    why = "These are 6s; only 3s could be removed, and too few of them are left."
    with pytest.raises(IllegalAction, match=why) as refused:
        scene({"d4": "666", "d5": "6", "d3": "6", "f2": "3"}, mode="versus", current=3, order="strict", takers={1: 0, 2: 1}).play(
            remove("d3", "d4", "d5")
        )
    assert refused.value.rule == "AX-7.3"


def test_AX_7_3_with_any_the_player_chooses_also_between_triplets_that_lie_apart() -> None:
    stacks = {**dict.fromkeys(("b6", "c6", "d6"), "1"), **dict.fromkeys(("b2", "c2", "d2"), "4"), "g3": "555", "e7": "333"}
    match = scene(stacks, mode="versus", order="any")
    turn(match, *PASSING_MOVE)
    assert legal(match) == [remove("b6", "c6", "d6"), remove("b2", "c2", "d2")]
    assert match.view(0).prompt() == "There is more than one triplet. Choose the next one to remove."
    assert [choice.text for choice in match.legal()] == ["remove the 1s on b6, c6 and d6", "remove the 4s on b2, c2 and d2"]
    events = as_lists(match.play(remove("b2", "c2", "d2")))
    assert [event for event in events if event[0] != "stack_gone"] == [
        ["removed", 0, 4, "b2", "c2", "d2"],
        ["removed", 0, 1, "b6", "c6", "d6"],
        ["praise", 0, 2],
    ]
    assert match.actor == 1


# -------------------------------------------------------------------------------------------------------------- house rules


def test_AX_8_1_two_diagonals_lead_around_a_stack_in_the_same_column() -> None:
    around = {"d4": "21", "d5": "1", "c5": "1"}
    match = scene({**around, "e5": "1", **FAR}, directions="any")
    with pytest.raises(IllegalAction, match=r"All routes are blocked, by the stacks on c5, d5 and e5\."):
        match.play(move("d4", "d6"))
    match = scene({**around, **FAR}, directions="any")
    turn(match, "d4", "d6", Act.TURN)
    assert AXXA.page.picture(match.view(0)).trail == tuple(NAMES.index(name) for name in ("d4", "e5", "d6"))  # type: ignore[union-attr]


def test_AX_8_2_a_triplet_must_include_the_moved_stack_or_an_uncovered_piece() -> None:
    far = {"e7": "333", "g5": "444", "g3": "555", "e1": "666", "c1": "4"}
    match = scene({**far, "b6": "12", "c6": "12", "d6": "1", "c5": "2"}, triplets="moved")
    turn(match, *PASSING_MOVE)
    assert state_of(match).phase == Phase.PAY, "the 1s wait"
    with pytest.raises(IllegalAction, match="only with the stack that was moved") as refused:
        match.copy().play(remove("b6", "c6", "d6"))
    assert refused.value.rule == "AX-8.2"
    match.play(pay("c1"))
    told = [event[:3] for event in turn(match, "d6", "d5") if event[0] in ("removed", "praise")]
    assert told == [["removed", 1, 1], ["removed", 1, 2], ["praise", 1, 2]], "the 2s include uncovered pieces"


def test_AX_8_4_a_move_costs_as_many_pieces_as_the_table_chose() -> None:
    for seed in range(4):
        match = AXXA.match(players=2, seed=f"payment {seed}", payment=3, mode="versus")
        while not match.over:
            match.play(match.legal()[len(match.steps) * 7 % len(match.legal())])
        paid = removed = 0
        first = True
        for event in (event for step in match.steps for event in step.events):
            if event.name == "moved":
                assert paid == (0 if removed or first else 3)
                first = False
                paid = removed = 0
            paid, removed = paid + (event.name == "paid"), removed + (event.name == "removed")
        assert len(match.steps) <= MAX_LENGTH
    assert AXXA.solver is not None
    assert AXXA.solver(AXXA.match(players=1, seed="payment", payment=2).view(0)) is None


# ------------------------------------------------------------------------------------------------------------------ all ids


def test_a_text_can_be_the_seed_of_a_match() -> None:
    assert AXXA.match(players=1, seed="axxa").seed == seed_from_text("axxa")
