"""Hints: the king's three best actions with their chances, computed from the view of the seat to move."""

from __future__ import annotations

from dataclasses import replace

import pytest

from games.axxa.scenes import scene
from games_for_tests.hoard import game as hoard
from games_for_tests.hoard.rules import BOAST
from meadhall import Match, Seat, game
from meadhall.bots import Budget, Hint, Search, chance_in_words, chance_of_what, hints, in_words
from meadhall.bots.hints import MIN_VISITS
from meadhall.bots.ranks import KING
from meadhall.engine.match.view import View
from meadhall.engine.search_settings import Solution
from meadhall.engine.text.language import speaking

AA = game("axes-and-allies")
BUDGET = Budget(iterations=60, trees=1)
SEED = b"a seed of a hint"


def view_of(match: Match) -> View:
    assert match.actor is not None
    return match.view(match.actor)


def test_hints_have_the_budget_of_the_king_by_default() -> None:
    assert hints.__defaults__ is not None
    assert hints.__defaults__[0] == KING.budget


def test_hints_are_at_most_three_legal_actions_ordered_by_chance() -> None:
    view = view_of(hoard.match(players=3, seed="a hint"))
    given = hints(view, BUDGET, SEED)
    assert 1 <= len(given) <= 3
    assert len({hint.action for hint in given}) == len(given)
    assert {hint.action for hint in given} <= set(view.legal)
    assert all(hint.chance is not None and 0 <= hint.chance <= 1 and not hint.sure for hint in given)
    others = [hint.chance or 0.0 for hint in given[1:]]
    assert others == sorted(others, reverse=True)


def test_rarely_visited_actions_are_examined_before_they_become_hints() -> None:
    """Three hints are wanted, so a search that visited little else than the best action examines two more."""
    view = view_of(hoard.match(players=3, seed="a hint"))
    budget = Budget(iterations=20, trees=1)
    assert all(each.visits < MIN_VISITS for each in Search(hoard, budget, SEED).consider(view).considered)
    assert len({hint.action for hint in hints(view, budget, SEED)}) == 3


def test_a_single_legal_action_is_the_hint_without_a_search() -> None:
    view = view_of(hoard.match(players=2, seed="x"))
    view.legal = (BOAST,)
    assert hints(view, Budget(seconds=3600)) == (Hint(BOAST, None, sure=True),)
    assert in_words(view, hints(view)) == "You have only one legal action: boast."


def test_hints_of_a_solved_position_are_exact() -> None:
    """The most probable action of the solution comes first, then the others by chance. Unknown actions are omitted."""
    view = view_of(hoard.match(players=2, seed="x"))
    first, second, third, fourth = view.legal[:4]
    me = view.viewer
    payoffs = {action: tuple(payoff if seat == me else 1 - payoff for seat in range(2)) for action, payoff in
              ((first, 0.2), (second, 0.75), (third, 0.75), (fourth, 0.1))}  # fmt: skip
    view.game = replace(hoard, solver=lambda _: Solution(payoffs, {third: 0.9, second: 0.1}))
    assert hints(view, Budget(seconds=3600)) == (Hint(third, 0.75, True), Hint(second, 0.75, True), Hint(first, 0.2, True))


@pytest.mark.compiled
def test_actions_unknown_to_the_solver_are_estimated_and_follow_the_proved_one() -> None:
    """The solver proves one winning line and knows nothing about other actions."""
    view = scene({"b6": "6", "c6": "6", "d4": "26", "a5": "1"}, current=6, players=3).view(0)
    solution = view.game.solver(view) if view.game.solver else None
    assert solution is not None
    first, *others = hints(view, Budget(iterations=300, trees=1), SEED)
    assert first == Hint(solution.line[0], 1.0, sure=True)
    assert all(not hint.sure and hint.action != first.action for hint in others)
    assert others


@pytest.mark.parametrize(
    ("hint", "words"),
    [
        (Hint(0, 0.536, sure=False), "54 %"),
        (Hint(0, 0.998, sure=False), "over 99 %"),
        (Hint(0, 1.0, sure=False), "over 99 %"),
        (Hint(0, 0.999, sure=True), "over 99 %"),
        (Hint(0, 1.0, sure=True), "100 %"),
        (Hint(0, 0.003, sure=True), "under 1 %"),
        (Hint(0, 0.0, sure=False), "under 1 %"),
        (Hint(0, 0.0, sure=True), "0 %"),
        (Hint(0, None, sure=True), ""),
    ],
)
def test_chances_are_whole_percents_and_only_certain_ones_are_0_or_100(hint: Hint, words: str) -> None:
    assert chance_in_words(hint).replace("\N{NO-BREAK SPACE}", " ") == words


def test_hints_in_words() -> None:
    match = AA.match(seats=[Seat("Astrid"), Seat("Björn"), Seat("Cnut")], seed="words")
    view = view_of(match)
    first, second = view.legal[:2]
    given = Hint(second, 0.536, sure=False), Hint(first, 0.41, sure=False)
    texts = [action.text for action in match.legal()[:2]]
    assert in_words(view, given) == f"1. {texts[1]}: 54\xa0% · 2. {texts[0]}: 41\xa0% (your chance of winning)"
    with speaking("de"):
        assert "(deine Siegchance)" in in_words(view, given)


@pytest.mark.parametrize(
    ("players", "options", "words"),
    [
        (1, {}, "your chance of winning"),
        (3, {}, "your shared chance of winning"),
        (2, {"mode": "versus"}, "your side's chance of winning"),
    ],
)
def test_the_meaning_of_a_chance_depends_on_the_scoring_of_the_game(players: int, options: dict[str, str], words: str) -> None:
    assert chance_of_what(view_of(game("axxa").match(players=players, **options))) == words
