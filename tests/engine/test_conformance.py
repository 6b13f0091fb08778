"""check_game accepts sound games and finds the mistakes of others."""

from __future__ import annotations

import random
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from games_for_tests.broken import BROKEN, RULES
from games_for_tests.hoard import game as hoard
from meadhall import ConformanceError, check_game
from meadhall.engine.compile.rule import rule
from meadhall.engine.game import Choice, Game, Scoring
from meadhall.engine.laws import check_game as conformance, knowledge, match_laws
from meadhall.engine.registry import game, game_names
from sizes import LONG, sized

FEW = Choice("hand", {"few": ("Few", "")}, title="Hand")


@pytest.fixture
def few_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "DEALS", sized(20, 200))


@pytest.mark.usefixtures("few_deals")
def test_axes_and_allies_obeys_every_law() -> None:
    subject = replace(game("axes-and-allies"), name="small-axes", max_players=sized(3, 6))
    assert check_game(subject, matches=sized(1, 5)) > 5


@pytest.mark.usefixtures("few_deals")
def test_a_game_with_hidden_hands_and_options_obeys_every_law() -> None:
    subject = hoard if LONG else replace(hoard, name="small-hoard", max_players=2, options=(FEW, hoard.options[1]))
    assert check_game(subject, matches=sized(1, 4)) > 30


def test_every_allowed_combination_of_players_and_options_is_tried() -> None:
    tried = [(players, options["hand"], options["mode"]) for players, options in conformance.setups(hoard)]

    assert len(tried) == len(set(tried)) == 2 * (3 + 2 + 3)
    assert (3, "few", "sides") not in tried
    assert (4, "many", "sides") in tried


def test_the_seed_determines_the_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "DEALS", 1)
    subject = replace(
        hoard, name="duel-hoard", max_players=2, options=(FEW, Choice("mode", {"rivals": ("Rivals", "")}, title="Mode"))
    )
    first = check_game(subject, matches=1, seed="a")
    assert check_game(subject, matches=1, seed="a") == first
    assert check_game(subject, matches=1, seed="b") != first


def test_checking_a_game_leaves_the_registry_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "DEALS", 1)
    double = replace(hoard, max_players=2, options=(FEW, Choice("mode", {"rivals": ("Rivals", "")}, title="Mode")))
    stranger = replace(double, name="stranger")
    check_game(double, matches=1)
    check_game(stranger, matches=1)
    assert game("hoard") is not double
    assert "stranger" not in game_names()


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_game_is_detected(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = BROKEN[name]
    monkeypatch.setattr(match_laws, "MAX_DECISIONS", 60)
    monkeypatch.setattr(conformance, "DEALS", 200 if broken.law in ("knowledge", "redeal") else 1)

    with pytest.raises(ConformanceError) as found:
        check_game(simple(broken.game), matches=1)

    assert (found.value.law, broken.message in found.value.reason) == (broken.law, True), found.value
    assert broken.game.name in found.value.place
    of_all_matches = broken.law == "compile" or name == "orderless"
    assert of_all_matches or ("1 player" if broken.law == "daily" else "2 players") in found.value.place


def simple(subject: Game) -> Game:
    """Return the game for two players, which is enough to show every mistake."""
    return replace(subject, max_players=2)


@rule
def first_half_wins(state: Any, out: Any) -> None:
    for seat in range(state.players):
        out[seat] = 1.0 if 2 * seat < state.players else 0.0


def test_the_seats_of_two_sides_alternate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "DEALS", 1)
    subject = replace(
        hoard,
        name="hoard-of-halves",
        min_players=4,
        options=(FEW, Choice("mode", {"sides": ("Sides", "")}, title="Mode")),
        scoring=Scoring.SIDES,
        rules=SimpleNamespace(**{**RULES, "score": first_half_wins}),
    )
    with pytest.raises(ConformanceError, match="declared as sides"):
        check_game(subject, matches=1)


def test_redeals_may_equal_the_true_state_only_as_often_as_by_chance() -> None:
    knowledge.true_state_is_not_leaked(knowledge.Coincidences(truth=0, chance=0))
    knowledge.true_state_is_not_leaked(knowledge.Coincidences(truth=60, chance=50))
    knowledge.true_state_is_not_leaked(knowledge.Coincidences(truth=2, chance=60))
    with pytest.raises(knowledge.Broken, match="in 60 of 62 cases"):
        knowledge.true_state_is_not_leaked(knowledge.Coincidences(truth=60, chance=2))


def test_a_large_action_space_is_swept_in_the_course_of_a_match() -> None:
    actions, draw = 500, random.Random(0)
    match = replace(hoard, name="wide-hoard", actions=actions).match(players=2, seed="any")
    tried: set[int] = set()
    for number in range(1, 9):  # the positions after the setup
        legal = [action.action for action in match.legal()]
        match.play(max(legal) if number % 2 else min(legal))
        tried.update(match_laws._illegal(match_laws.Trial(match, "any", draw), set()))
    assert tried == set(range(actions))
