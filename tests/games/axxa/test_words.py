"""The texts of AxxA in English and German, and the board in a terminal."""

from __future__ import annotations

import re

import pytest

from games.axxa.scenes import AXXA, FAR, SPACE, at_random, move, pay, remove, scattered, scene, stacks_of, targets, turn
from meadhall import IllegalAction, Match, Seat
from meadhall.engine.rulebook import rulebook_text
from meadhall.engine.text.language import speaking
from meadhall.games.axxa.state import NAMES, Act, Phase
from meadhall.games.axxa.words import notation
from sizes import sized

# ------------------------------------------------------------------------------------------------------------ the rulebook


def test_the_rulebook_and_the_board_agree_on_the_starting_spaces() -> None:
    starts = "c7, d7, e7 at the top, g5, g4, g3 on the right, e1, d1, c1 at the bottom and a3, a4, a5 on the left"
    words = " ".join(rulebook_text(AXXA).split())
    assert starts in words
    assert re.findall(r"\b[a-g]\d\b", starts) == list(NAMES[25:])


def test_the_example_in_the_rulebook_is_correct() -> None:
    others = {"a3": "666", "a4": "1", "a5": "444", "c1": "555", "g3": "333", "b6": "4"}
    match = scene({**others, "c3": "12", "d3": "12", "e7": "41", "d2": "2"})
    assert {"e3", "g5"} <= targets(match, "e7")
    events = [event[:3] for event in turn(match, "e7", "e3", Act.TURN) if event[0] in ("turned", "removed", "praise")]
    assert events == [["turned", 0, "e3"], ["removed", 0, 1], ["removed", 0, 2], ["praise", 0, 2]]
    turn(match, "b6", "b2")
    assert match.play(pay("a4"))[-1].name == "stack_gone"


# ---------------------------------------------------------------------------------------------------------------- refusals

CROWD = {**FAR, "b6": "4[1]", "d4": "3", "b4": "1", "f6": "2", "f5": "2", "f4": "2"}


@pytest.mark.parametrize(
    ("action", "rule", "why"),
    [
        (move("d2", "d3"), "AX-2.1", "There is no stack on d2."),
        (move("d4", "d4"), "AX-2.2", "A move must end on a different space."),
        (move("d4", "a3"), "AX-2.2", "a3 is too far away: a 3 moves exactly 3, and the distance is 4."),
        (move("d4", "e3"), "AX-2.2", "e3 is too close: a 3 moves exactly 3, and the distance is 2."),
        (move("d4", "d3"), "AX-2.2", "d3 is only 1 away: a 3 would have to turn more than one corner."),
        (move("d4", "f5"), "AX-2.3", "There is already a stack on f5."),
        (move("b6", "b2"), "AX-2.3", "The stack on b4 is in the way."),
        (Act.LEAVE, "AX-3.1", "You turn a stack over or leave it after moving it. Move one first."),
        (Act.TURN, "AX-3.1", "You turn a stack over or leave it after moving it. Move one first."),
        (remove("b2", "c2", "d2"), "AX-4.1", "There is no stack on b2."),
        (remove("c7", "d7", "b6"), "AX-4.1", "There is no stack on d7."),
        (remove("f6", "f5", "f4"), "AX-4.2", "These are 2s; only 1s can be removed now."),
        (remove("f4", "f5", "g5"), "AX-4.1", "f4, f5 and g5 don't show the same number."),
        (pay("g5"), "AX-5.1", "You pay after a move that removes nothing. Move a stack first."),
    ],
)
def test_a_refusal_names_the_rule_and_the_most_helpful_reason(action: int, rule: str, why: str) -> None:
    check_refusal(scene(CROWD), action, rule, why)


def check_refusal(match: Match, action: int, rule: str, why: str) -> None:
    with pytest.raises(IllegalAction) as error:
        match.play(action)
    assert (error.value.rule, error.value.reason) == (rule, why)


def test_other_actions_are_refused_before_the_choice_to_turn_over() -> None:
    match = scene({**FAR, "b6": "4[1]", "d3": "1", "d2": "1", "e2": "1"})
    match.play(move("b6", "b2"))
    check_refusal(match, move("d3", "c3"), "AX-2.1", "You have already moved a stack. Now choose whether to turn it over.")
    check_refusal(match, pay("d3"), "AX-5.1", "You pay at the end of the move. First choose whether to turn the stack over.")
    check_refusal(
        match,
        remove("d3", "d2", "e2"),
        "AX-4.3",
        "Triplets are removed at the end of the move. First choose whether to turn the stack over.",
    )


def test_other_actions_are_refused_before_the_choice_of_a_triplet() -> None:
    match = scene({**FAR, **dict.fromkeys(("b6", "c6", "d6", "e6"), "1")})
    turn(match, "g3", "b3", Act.LEAVE)
    for action in (move("b6", "b5"), Act.LEAVE, Act.TURN):
        check_refusal(match, action, "AX-4.3", "First choose which triplet to remove.")
    check_refusal(match, pay("b6"), "AX-4.3", "This move is free. Choose which triplet to remove.")


def test_other_actions_are_refused_before_the_payment() -> None:
    match = scene({**FAR, "b6": "4"}, touching="orthogonal")
    match.play(move("b6", "b2"))
    check_refusal(match, move("b2", "b6"), "AX-2.1", "You have already moved a stack. Now pay for the move.")
    check_refusal(match, Act.LEAVE, "AX-3.1", "There is nothing more to decide about the stack. Now pay for the move.")
    check_refusal(match, Act.TURN, "AX-3.1", "It's too late to turn the stack over. Now pay for the move.")
    check_refusal(match, pay("b6"), "AX-5.2", "There is no stack on b6.")


def test_a_refusal_says_if_corners_do_not_count() -> None:
    match = scene({**FAR, "b6": "1", "c5": "1", "d4": "1"}, touching="orthogonal")
    why = "These stacks only touch at corners. At this table they must be side by side."
    check_refusal(match, remove("b6", "c5", "d4"), "AX-4.1", why)


# ---------------------------------------------------------------------------------------------------------------- terminal


def test_the_sketch_shows_the_stacks_from_the_top_and_the_status_of_each_number() -> None:
    match = scene({"c7": "2[2]5", "d4": "633", "a3": "4", "g5": "35"}, current=3, takers={1: 1}, mode="versus")
    match.rename(1, Seat("Björn"))
    assert AXXA.words.sketch(match.view(0).state, match.names).splitlines() == [  # type: ignore[union-attr]
        "7            2?5   ·    ·",
        "6        ·    ·    ·    ·    ·            1: 0 left, 3 paid, removed by Björn",
        "5   ·    ·    ·    ·    ·    ·   35       2: 2 left, 4 paid, skipped",
        "4   ·    ·    ·   633   ·    ·    ·     > 3: 3 left, 3 paid",
        "3   4    ·    ·    ·    ·    ·    ·       4: 1 left, 5 paid, out of reach",
        "2        ·    ·    ·    ·    ·            5: 2 left, 4 paid, out of reach",
        "1             ·    ·    ·                 6: 1 left, 5 paid, out of reach",
        "    a    b    c    d    e    f    g",
    ]


STACKS = {"c7": "111", "d7": "333", "e7": "444", "g5": "555"}
STATUSES = {
    "skip": ["> 1: 3 left, 3 paid", "  2: 0 left, 6 paid, out of reach", "  3: 3 left, 3 paid", "  4: 3 left, 3 paid"],
    "strict": ["> 1: 3 left, 3 paid", "  2: 0 left, 6 paid, out of reach", "  3: 3 left, 3 paid, out of reach"],
    "any": ["> 1: 3 left, 3 paid", "  2: 0 left, 6 paid, out of reach", "> 3: 3 left, 3 paid", "> 4: 3 left, 3 paid"],
}


@pytest.mark.parametrize("order", STATUSES)
def test_the_status_of_a_number_depends_on_the_order(order: str) -> None:
    match = scene(STACKS, mode="versus", order=order)
    lines = AXXA.words.sketch(match.view(0).state, match.names).splitlines()  # type: ignore[union-attr]
    assert [line[40:] for line in lines[1:]][: len(STATUSES[order])] == STATUSES[order]


def test_the_status_names_all_who_removed_a_number_twice() -> None:
    match = scene({"c7": "111"}, mode="versus", order="any", takers={5: (0, 1)})
    lines = AXXA.words.sketch(match.view(0).state, ("Astrid", "Björn")).splitlines()  # type: ignore[union-attr]
    assert lines[5][40:] == "  5: 0 left, 0 paid, removed by Astrid and Björn"


def test_after_six_triplets_the_refusal_says_that_no_other_can_be_removed() -> None:
    match = scene({**dict.fromkeys(("b6", "c6", "d6"), "1")}, mode="versus", order="strict", current=7)
    why = "A triplet of every number has been removed. No other can be removed."
    check_refusal(match, remove("b6", "c6", "d6"), "AX-4.2", why)


def test_typed_actions_are_short_and_in_the_current_language() -> None:
    actions = [move("c7", "c4"), Act.LEAVE, Act.TURN, remove("c4", "d4", "d5"), pay("g5")]
    assert [notation(action) for action in actions] == ["c7 c4", "leave", "turn", "take c4 d4 d5", "pay g5"]
    with speaking("de"):
        assert [notation(action) for action in actions] == ["c7 c4", "lassen", "umschichten", "nimm c4 d4 d5", "zahl g5"]


def test_scenes_hold_the_stacks_they_were_given() -> None:
    assert stacks_of(scene(CROWD)) == CROWD
    assert len(SPACE) == 37


def test_refusals_agree_with_legal_actions() -> None:
    phases = set()
    for match in scattered():
        for count, action in enumerate(at_random(match)):
            phase = Phase(match.state.phase)
            if phase == Phase.REMOVE or count % sized(29, 5) == 0:
                phases.add(phase)
                view = match.view(match.actor)
                allowed = [number for number in range(AXXA.actions) if view.refusal(number) == ("", "")]
                assert allowed == list(view.legal)
            match.play(action)
    assert Phase.REMOVE in phases
