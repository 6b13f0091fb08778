"""The texts that a person can type for an action."""

from __future__ import annotations

import pytest

import meadhall
from meadhall.engine.match.telling import Choices
from meadhall.engine.match.view import Action

AA = Choices(meadhall.game("axes-and-allies"))
AXXA = Choices(meadhall.game("axxa"))


def test_without_a_notation_actions_are_numbers() -> None:
    assert AA.written(7) == "7"
    assert AA.read("7") == 7
    assert AA.read("attack") is None
    assert list(AA.lines([Action(1, "attack Astrid"), Action(7, "ally with Astrid")])) == [
        ("1", "attack Astrid"),
        ("7", "ally with Astrid"),
    ]


@pytest.mark.parametrize("typed", ["c7 c4", "C7-C4", "c7c4"])
def test_a_notation_is_read_in_every_spelling(typed: str) -> None:
    action = AXXA.read(typed)
    assert action is not None
    assert AXXA.written(action) == "c7 c4"


def test_a_number_is_no_action_of_a_game_with_a_notation() -> None:
    assert AXXA.read("936") is None


def test_every_action_is_read_from_its_notation() -> None:
    actions = range(meadhall.game("axxa").actions)
    assert [AXXA.read(AXXA.written(action)) for action in actions] == list(actions)


def test_text_that_is_no_action_reads_as_none() -> None:
    assert AXXA.read("c7") is None
    assert AXXA.read("") is None


def test_choices_are_listed_by_their_first_word() -> None:
    match = meadhall.game("axxa").match(players=1, seed="hall")
    lines = dict(AXXA.lines(match.legal()))
    assert lines["c7"] == "f5 · e4 · b3 · d3 · c2"
    assert lines["g5"] == "f5"
    match.play(AXXA.read("c7 f5"))
    assert list(AXXA.lines(match.legal())) == [("leave", "leave the 5 on top"), ("turn", "turn it over and see what comes up")]
