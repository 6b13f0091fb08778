"""The registry, and what a game can be set up with."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from games_for_tests.hoard import game as hoard
from meadhall import BadSetup, UnknownGame, game, game_names
from meadhall.engine import game as registry
from meadhall.engine.game import Scoring
from meadhall.engine.rulebook import mark_rules


def test_installed_games_are_found_by_name() -> None:
    assert "axes-and-allies" in game_names()
    assert game("axes-and-allies") is game("axes-and-allies")


def test_an_unknown_game_is_refused_naming_those_there_are() -> None:
    with pytest.raises(UnknownGame, match=r"no game 'chess' here; there are: .*axes-and-allies"):
        game("chess")


@pytest.mark.parametrize("what", [[], None, 1, {}])
def test_what_is_no_name_is_no_game(what: Any) -> None:
    with pytest.raises(UnknownGame):
        game(what)


def test_a_game_of_another_package_is_loaded_from_its_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("plugged-in", "games_for_tests.hoard:game", registry.GROUP)
    monkeypatch.setattr(registry, "_entry_points", lambda: {"plugged-in": entry})
    monkeypatch.setattr(registry, "_loaded", {})
    assert "plugged-in" in game_names()
    assert game("plugged-in") is hoard


def test_who_plays_against_whom_may_depend_on_the_options() -> None:
    assert game("axes-and-allies").scoring_of({}) is Scoring.RIVALS
    assert hoard.scoring_of({"mode": "together"}) is Scoring.TOGETHER


def test_the_seats_that_win_or_lose_together_are_known() -> None:
    assert hoard.parties(3, {"mode": "rivals"}) == ((0,), (1,), (2,))
    assert hoard.parties(3, {"mode": "together"}) == ((0, 1, 2),)
    assert hoard.parties(4, {"mode": "sides"}) == ((0, 2), (1, 3))


def test_options_are_given_to_rules_as_integers() -> None:
    assert hoard.encode_options({"hand": "many", "mode": "sides"}).tolist() == [1, 2]


def test_what_does_not_go_together_is_refused_by_the_game() -> None:
    with pytest.raises(BadSetup, match="2 or 4"):
        hoard.check_setup(3, {"mode": "sides"})
    assert replace(hoard, objection=None).check_setup(3, {"mode": "sides"})[0] == 3


def test_rules_of_a_rulebook_get_anchors() -> None:
    assert mark_rules("<li><strong>AA-3.2</strong> To attack") == '<li><strong class="rule" id="AA-3.2">AA-3.2</strong> To attack'
