"""The types of the library as a program of a user sees them. ``make lint`` checks them: mypy reads tests strictly.

An ignored error that is no longer one is an error, too.
"""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import pytest

import meadhall
from meadhall import Game, Match, View
from meadhall.games.axes_and_allies import game
from meadhall.games.axes_and_allies.rules import State


def strength(view: View[State]) -> int:
    return view.state.power + view.state.alive[0]


def of_any_game(view: View, match: Match, game: Game) -> str:
    return f"{view!r} {match.state} {game.name}"


def test_the_fields_of_a_state_are_known_to_type_checkers() -> None:
    match = game.match(players=3, seed=7)
    assert_type(match, Match[State])
    assert_type(match.state, State)
    assert_type(match.state.power, int)
    assert_type(match.view(0).state.power, int)
    assert_type(meadhall.game(game), Game[State])
    assert strength(match.view()) == match.state.power + 1
    with pytest.raises(AttributeError):
        _ = match.state.no_such_field  # type: ignore[attr-defined]


def test_a_game_found_by_its_name_has_a_state_of_any_type() -> None:
    match = meadhall.game("axes-and-allies").match(players=3, seed=b"any")
    power: int = match.state.power
    living: list[int] = [*match.state.alive[:2], match.state.allied[0][1]]
    assert (power, living) == (match.state.power, [1, 1, 0])
    assert of_any_game(match.view(), match, meadhall.game(match.game)).endswith("axes-and-allies")


def test_programs_outside_the_project_see_the_types() -> None:
    assert (Path(meadhall.__file__).parent / "py.typed").exists()
