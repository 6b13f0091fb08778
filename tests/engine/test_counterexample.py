"""The shortest example of a violation: it reproduces, and it is as small as a person would make it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from games_for_tests.broken import BROKEN, RULES
from games_for_tests.hoard import game as hoard, rules
from meadhall import ConformanceError, check_game
from meadhall.engine.compile.rule import rule
from meadhall.engine.game import Game
from meadhall.engine.laws import check_game as conformance, match_laws
from meadhall.engine.laws.check_game import check_position, shortest, violation
from meadhall.engine.laws.counterexample import Example, Move
from meadhall.engine.registry import registered
from meadhall.engine.state.schema import Grid


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_laws, "MAX_DECISIONS", 60)
    monkeypatch.setattr(conformance, "DEALS", 1)


def first_violation(game: Game) -> ConformanceError:
    with pytest.raises(ConformanceError) as found:
        check_game(game, matches=1)
    return found.value


@rule
def late_play(state: Any, action: int, log: Grid) -> None:
    """HO-2.1: Forget what was revealed, in the third turn."""
    rules.play(state, action, log)
    if state.turns >= 3:
        state.reveals = 0


def test_an_example_gets_shorter_and_reproduces_the_same_law() -> None:
    late = replace(hoard, name="late-hoard", rules=SimpleNamespace(**{**RULES, "play": late_play}))
    found = first_violation(late)
    smallest = shortest(found)
    assert found.example is not None
    assert smallest.example is not None
    assert smallest.law == found.law
    assert smallest.example.size <= found.example.size
    assert (len(smallest.example.moves), smallest.example.players) == (2, 2)
    again = violation(smallest.example)
    assert again is not None
    assert again.law == smallest.law == "reveals"


def test_an_example_has_the_number_of_players_and_the_options_that_were_asked_for() -> None:
    broken, asked = BROKEN["wordless-prompt"].game, {"players": 4, "options": {"hand": "many"}}
    with pytest.raises(ConformanceError) as found:
        check_game(broken, matches=1, **asked)  # type: ignore[arg-type]
    smallest = shortest(found.value, **asked)  # type: ignore[arg-type]
    assert smallest.example is not None
    assert (smallest.example.players, smallest.example.options["hand"]) == (4, "many")
    freely = shortest(found.value).example
    assert freely is not None
    assert freely.players == 2


@pytest.mark.parametrize("name", ["empty-legal", "wordless-ending", "hiding-play", "wordless-prompt"])
def test_the_position_of_a_violation_can_be_checked_again(name: str) -> None:
    smallest = shortest(first_violation(BROKEN[name].game))
    assert smallest.example is not None
    again = violation(smallest.example)
    assert again is not None
    assert again.law == BROKEN[name].law


def test_rules_of_a_violation_are_those_of_the_events_and_of_the_function() -> None:
    found = first_violation(BROKEN["hiding-play"].game)
    assert found.example is not None
    assert "HO-2.4" in found.example.rules(found.law)


def test_a_sound_position_breaks_no_law_and_an_illegal_example_is_none() -> None:
    sound = Example(hoard, 2, hoard.check_options({}), "any")
    with registered(hoard):
        match = sound.match()
        moves = (Move(match.legal()[0].action),)
    check_position(replace(sound, moves=moves))
    assert violation(replace(sound, moves=moves)) is None
    assert violation(replace(sound, moves=(Move(10**6),))) is None


def test_a_violation_without_a_position_stays_as_it_is() -> None:
    found = first_violation(BROKEN["wordless-lesson"].game)
    assert found.example is None
    assert shortest(found) is found


def test_the_command_names_only_what_differs_from_the_default() -> None:
    example = Example(hoard, 3, hoard.check_options({"hand": "many"}), "a seed", (Move(1), Move(2, seat=0)))
    assert example.command("hoard") == "meadhall check hoard --players 3 --option hand=many --seed 'a seed' --actions 1,2@0"
    assert Move.read("2@0") == Move(2, 0)
