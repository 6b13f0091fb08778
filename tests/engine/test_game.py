"""The registry of games, and the setups that a game allows."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from games_for_tests.every import EVERY_GAME
from games_for_tests.hoard import game as hoard
from meadhall import BadSetup, BrokenGame, UnknownGame, game, game_names
from meadhall.engine import registry
from meadhall.engine.game import Game, Scoring
from meadhall.engine.laws.declaration_laws import rulebook_knows_options
from meadhall.engine.rulebook import rule_ids, rulebook_text, rulings
from meadhall.engine.text.language import LANGUAGES, speaking


def test_an_unknown_game_is_refused_with_a_list_of_known_games() -> None:
    for near in ("axes_and_allies", "Axes and Allies", "AxesAndAllies", "axes-and-alies"):
        with pytest.raises(UnknownGame, match=rf"no game '{near}'; did you mean axes-and-allies\? the games are: "):
            game(near)
    with pytest.raises(UnknownGame, match=r"no game 'chess'; the games are: .*axes-and-allies"):
        game("chess")


@pytest.mark.parametrize("name", [[], None, 1, {}])
def test_a_game_name_must_be_text(name: Any) -> None:
    with pytest.raises(UnknownGame):
        game(name)


def test_a_game_of_another_package_is_loaded_from_its_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("plugged-in", "games_for_tests.hoard:game", registry.GROUP)
    monkeypatch.setattr(registry, "_entry_points", lambda: {"plugged-in": entry})
    monkeypatch.setattr(registry, "_loaded", {})
    assert "plugged-in" in game_names()
    assert game("plugged-in") is hoard


@pytest.fixture
def with_broken_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "cracked_horn.py").write_text("import a_module_that_is_missing\n", encoding="utf-8")
    (tmp_path / "no_horn.py").write_text("game = 'horn'\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    values = {
        "cracked": "cracked_horn:game",
        "torn": "cracked_horn",
        "no-game": "no_horn:game",
        "hoard": "games_for_tests.hoard:game",
    }
    entries = {name: EntryPoint(name, value, registry.GROUP) for name, value in values.items()}
    monkeypatch.setattr(registry, "_entry_points", lambda: entries)
    monkeypatch.setattr(registry, "_loaded", {})
    monkeypatch.setattr(registry, "_broken", set())


@pytest.mark.usefixtures("with_broken_packages")
def test_a_broken_package_is_logged_once_and_skipped(caplog: pytest.LogCaptureFixture) -> None:
    assert game_names() == game_names() == ["hoard"]
    lines = sorted(record.getMessage() for record in caplog.records)
    assert len(lines) == 3
    assert lines[0] == (
        "the game 'cracked' is installed but can't be loaded from cracked_horn:game: "
        "ModuleNotFoundError: No module named 'a_module_that_is_missing'; it is skipped"
    )


@pytest.mark.usefixtures("with_broken_packages")
def test_a_broken_package_is_explained_when_it_is_asked_for_by_name() -> None:
    for _ in range(2):
        with pytest.raises(BrokenGame, match=r"'cracked' is installed .* 'a_module_that_is_missing'") as raised:
            game("cracked")
        assert isinstance(raised.value.__cause__, ModuleNotFoundError)
    with pytest.raises(BrokenGame, match=r"'no-game' .* not a Game but 'horn'"):
        game("no-game")
    with pytest.raises(UnknownGame, match=r"no game 'chess'; the games are: hoard$"):
        game("chess")


def test_the_scoring_may_depend_on_the_options() -> None:
    assert game("axes-and-allies").scoring_of({}) is Scoring.RIVALS
    assert hoard.scoring_of({"mode": "together"}) is Scoring.TOGETHER


def test_parties_are_the_seats_that_win_or_lose_together() -> None:
    assert hoard.parties(3, {"mode": "rivals"}) == ((0,), (1,), (2,))
    assert hoard.parties(3, {"mode": "together"}) == ((0, 1, 2),)
    assert hoard.parties(4, {"mode": "sides"}) == ((0, 2), (1, 3))


def test_a_game_can_refuse_a_combination_of_players_and_options() -> None:
    with pytest.raises(BadSetup, match="2 or 4"):
        hoard.check_setup(3, {"mode": "sides"})
    assert replace(hoard, objection=None).check_setup(3, {"mode": "sides"})[0] == 3


@pytest.mark.parametrize("subject", [each for each in EVERY_GAME if each.options], ids=lambda subject: subject.name)
def test_the_rulebook_has_another_text_for_the_rules_that_an_option_names_and_for_no_other(subject: Game) -> None:
    rulebook_knows_options(subject)
    for language, chosen in (("en", "at this table)"), ("de", "an diesem Tisch)")):
        with speaking(language):
            assert chosen in rulebook_text(subject, subject.check_options({}))
            assert chosen not in rulebook_text(subject)


RULINGS = {
    "axes-and-allies": 9,
    "axxa": 18,
    "dungeon-allies": 30,
    "hoard": 0,
    "viking-axes": 13,
}


@pytest.mark.parametrize("subject", EVERY_GAME, ids=lambda subject: subject.name)
def test_every_ruling_belongs_to_a_rule_and_has_a_reason_in_every_language(subject: Game) -> None:
    english = rulings(subject)
    assert len(english) == RULINGS[subject.name]
    assert set(english) <= set(rule_ids(subject))
    assert all(english.values())
    for language in LANGUAGES:
        with speaking(language):
            translated = rulings(subject)
        assert translated.keys() == english.keys()
        assert all(translated.values())
        assert language == "en" or all(translated[rule] != reason for rule, reason in english.items())
