"""Hints: what the strongest bot would consider in a person's place, knowing what the person knows."""

from __future__ import annotations

from dataclasses import dataclass

from meadhall.bots.policy import PolicyBot
from meadhall.bots.ranks import KING
from meadhall.bots.search import Budget, Search
from meadhall.engine.chance import new_seed
from meadhall.engine.game import Scoring
from meadhall.engine.language import gettext as _
from meadhall.engine.solution import Solution
from meadhall.engine.view import View

SHOWN = 3
"""How many actions a hint names at most."""

ENOUGH = 100
"""How often an action must have been considered for its chance to be told: a standard error of 5 percentage points at most."""

_KING_THINKS = KING.budget or Budget()


@dataclass(frozen=True)
class Hint:
    """An action that is worth considering.

    Attributes:
        action: one of the legal ones.
        chance: the expected share of the win, 0 to 1, for the one who decides; None where there is nothing to choose.
        sure: whether that is exact, not estimated.
    """

    action: int
    chance: float | None
    sure: bool


def hints(view: View, budget: Budget = _KING_THINKS, seed: bytes | None = None) -> tuple[Hint, ...]:
    """The best actions of the viewer, who is to decide: first what a king would play, then the next best, at most three.

    Exact as far as the game's solver knows the actions; a search of this budget tells of others, deterministic for a seed when
    that counts iterations.
    """
    if len(view.legal) == 1:
        return (Hint(view.legal[0], None, sure=True),)
    solution = view.game.solver(view) if view.game.solver else None
    known = () if solution is None else _solved(view, solution)
    if len(known) == min(SHOWN, len(view.legal)):
        return known
    named = {hint.action for hint in known}
    others = [hint for hint in _searched(view, budget, seed or new_seed()) if hint.action not in named]
    return (*known, *others)[:SHOWN]


def _solved(view: View, solution: Solution) -> tuple[Hint, ...]:
    def worth(action: int) -> tuple[float, float]:
        known = solution.payoffs.get(action)
        return solution.policy.get(action, 0.0), known[view.viewer] if known else 0.0

    known = sorted({*solution.policy, *solution.payoffs}, key=lambda action: (*worth(action), -action), reverse=True)
    return tuple(Hint(action, worth(action)[1], sure=True) for action in known[:SHOWN])


def _searched(view: View, budget: Budget, seed: bytes) -> tuple[Hint, ...]:
    search = Search(view.game, budget, seed)
    findings = search.consider(view)
    default_action = PolicyBot(view.game, "greedy", seed).choose(view)
    likeliest = [each.action for each in findings.considered[:SHOWN]]
    findings = search.examine(view, (default_action, *likeliest), ENOUGH)
    first = search.choose(findings, default_action)
    others = [each for each in findings.considered if each.action != first and each.visits >= ENOUGH]
    others.sort(key=lambda each: (-each.payoff, each.action))
    return tuple(Hint(each.action, each.payoff, sure=False) for each in (findings.of(first), *others)[:SHOWN])


def chance_in_words(hint: Hint) -> str:
    """The chance, "" where there is nothing to choose."""
    return "" if hint.chance is None else percent_in_words(hint.chance, sure=hint.sure)


def percent_in_words(chance: float, *, sure: bool) -> str:
    """A chance in whole percents; all and nothing are said only of what is certain."""
    percent = round(100 * chance)
    certain = sure and chance in (0, 1)
    if percent >= 100 and not certain:
        return _("over {percent}").format(percent=_percent(99))
    if percent <= 0 and not certain:
        return _("under {percent}").format(percent=_percent(1))
    return _percent(percent)


def _percent(whole: int) -> str:
    return f"{whole}\N{NO-BREAK SPACE}%"


def chance_of_what(view: View) -> str:
    """What the chances are chances of, in words."""
    scoring = view.game.scoring_of(view.options)
    if scoring is Scoring.SIDES:
        return _("chance that your side wins")
    if scoring is Scoring.TOGETHER and len(view.seats) > 1:
        return _("chance that you all win")
    return _("chance that you win")


def in_words(view: View, given: tuple[Hint, ...]) -> str:
    """The hints in one line, e.g. ``"1. attack Karl: 54 % · 2. ally with Karl: 49 % (chance that you win)"``."""
    texts = [view.game.words.action(view.state, hint.action, view.names) for hint in given]
    if given[0].chance is None:
        return _("There is only one thing to do: {action}.").format(action=texts[0])
    listed = " · ".join(
        f"{place}. {text}: {chance_in_words(hint)}" for place, (text, hint) in enumerate(zip(texts, given, strict=True), 1)
    )
    return f"{listed} ({chance_of_what(view)})"
