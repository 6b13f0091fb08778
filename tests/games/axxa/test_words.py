"""The texts of AxxA in English and German, and the board in a terminal."""

from __future__ import annotations

import re

import pytest

from games.axxa.scenes import AXXA, FAR, SPACE, at_random, move, pay, remove, scattered, scene, stacks_of
from meadhall import Seat
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


# ---------------------------------------------------------------------------------------------------------------- refusals

CROWD = {**FAR, "b6": "4[1]", "d4": "3", "b4": "1", "f6": "2", "f5": "2", "f4": "2"}


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
