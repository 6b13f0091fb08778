"""Hints: the actions that the strongest bot considers best, using only the asking seat's information."""

from __future__ import annotations

from dataclasses import dataclass, replace

from meadhall.bots.policy import PolicyBot
from meadhall.bots.ranks import KING
from meadhall.bots.search import Budget, Search
from meadhall.engine.checks import Seed, check_seed
from meadhall.engine.game import Scoring
from meadhall.engine.match.view import View
from meadhall.engine.search_settings import Solution
from meadhall.engine.text.language import decimal, gettext as _

MAX_HINTS = 3
"""The largest number of actions in a hint."""

MIN_VISITS = 100
"""The visits an action needs before its chance is shown: its standard error is then at most 5 percentage points."""

_KING_BUDGET = KING.budget or Budget()


@dataclass(frozen=True)
class Hint:
    """A recommended action.

    Attributes:
        action: a legal action.
        chance: the expected payoff of the seat to move, 0 to 1 or in points; None if there is only one legal action.
        sure: whether the chance is exact rather than estimated.
        points: whether the payoffs of the game are points or chips (``Scoring.POINTS``), not shares of a win.
    """

    action: int
    chance: float | None
    sure: bool
    points: bool = False


def hints(view: View, budget: Budget = _KING_BUDGET, seed: Seed | None = None) -> tuple[Hint, ...]:
    """Return up to three recommended actions for the seat to move: first the king's choice, then the next best.

    The chances of actions that the game's solver knows are exact; a search with this budget estimates the others. The search is
    deterministic for a given seed (see ``check_seed``) if the budget counts iterations. Raises BadSetup for an invalid seed.

    Examples:
        >>> import meadhall
        >>> from meadhall.bots import Budget, hints
        >>> match = meadhall.game("axes-and-allies").match(players=3, seed="mead")
        >>> view = match.view(match.actor)
        >>> given = hints(view, Budget(iterations=400, trees=1), seed="mead")
        >>> given[0].action in view.legal
        True
    """
    seed = check_seed(seed)
    points = not view.game.scoring_of(view.options).is_shared
    return tuple(replace(hint, points=points) for hint in _hints(view, budget, seed))


def _hints(view: View, budget: Budget, seed: bytes) -> tuple[Hint, ...]:
    if len(view.legal) == 1:
        return (Hint(view.legal[0], None, sure=True),)
    solution = view.game.solver(view) if view.game.solver else None
    known = () if solution is None else _solved(view, solution)
    if len(known) == min(MAX_HINTS, len(view.legal)):
        return known
    named = {hint.action for hint in known}
    others = [hint for hint in _searched(view, budget, seed) if hint.action not in named]
    return (*known, *others)[:MAX_HINTS]


def _solved(view: View, solution: Solution) -> tuple[Hint, ...]:
    def worth(action: int) -> tuple[float, float]:
        known = solution.payoffs.get(action)
        return solution.policy.get(action, 0.0), known[view.viewer] if known else 0.0

    known = sorted({*solution.policy, *solution.payoffs}, key=lambda action: (*worth(action), -action), reverse=True)
    return tuple(Hint(action, worth(action)[1], sure=True) for action in known[:MAX_HINTS])


def _searched(view: View, budget: Budget, seed: bytes) -> tuple[Hint, ...]:
    search = Search(view.game, budget, seed)
    findings = search.consider(view)
    default_action = PolicyBot(view.game, "karl", seed).choose(view)
    likeliest = [each.action for each in findings.considered[:MAX_HINTS]]
    findings = search.examine(view, (default_action, *likeliest), MIN_VISITS)
    first = search.choose(findings, default_action)
    others = [each for each in findings.considered if each.action != first and each.visits >= MIN_VISITS]
    others.sort(key=lambda each: (-each.payoff, each.action))
    return tuple(Hint(each.action, each.payoff, sure=False) for each in (findings.of(first), *others)[:MAX_HINTS])


def chance_in_words(hint: Hint) -> str:
    """Return the chance as text, in percent or in points; "" if there is only one legal action.

    Examples:
        >>> from meadhall.bots import Hint, chance_in_words
        >>> chance_in_words(Hint(action=0, chance=0.5, sure=False)).replace("\N{NO-BREAK SPACE}", " ")
        '50 %'
    """
    if hint.chance is None:
        return ""
    return points_in_words(hint.chance) if hint.points else percent_in_words(hint.chance, sure=hint.sure)


def bar_of(view: View, hint: Hint) -> float:
    """Return the length of a bar that shows the chance, 0 to 1: of points their place in the range of the payoffs.

    Examples:
        >>> import meadhall
        >>> from meadhall.bots import Hint
        >>> from meadhall.bots.hints import bar_of
        >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
        >>> bar_of(match.view(match.actor), Hint(action=0, chance=0.25, sure=False))
        0.25
    """
    if hint.chance is None:
        return 0.0
    payoffs = view.game.payoffs_of(len(view.seats), view.options)
    return (hint.chance - payoffs.smallest) / payoffs.span


def points_in_words(points: float) -> str:
    """Return an expected number of points with its sign.

    Examples:
        >>> from meadhall.bots.hints import points_in_words
        >>> points_in_words(12.5)
        '+12.5'
    """
    rounded = round(points, 1) + 0.0  # without the sign of zero
    return f"{'+' if rounded > 0 else ''}{decimal(rounded, 1, exactly=False)}".replace("-", "\N{MINUS SIGN}")


def percent_in_words(chance: float, *, sure: bool) -> str:
    """Return a chance in whole percents. Only an exact chance is shown as 0 % or 100 %."""
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
    """Return a text that says what the chances of a hint refer to.

    Examples:
        >>> import meadhall
        >>> from meadhall.bots import chance_of_what
        >>> match = meadhall.game("axes-and-allies").match(players=3, seed="mead")
        >>> view = match.view(match.actor)
        >>> chance_of_what(view)
        'your chance of winning'
    """
    scoring = view.game.scoring_of(view.options)
    if scoring is Scoring.POINTS:
        return _("the points you can expect")
    if scoring is Scoring.SIDES:
        return _("your side's chance of winning")
    if scoring is Scoring.TOGETHER and len(view.seats) > 1:
        return _("your shared chance of winning")
    return _("your chance of winning")


def in_words(view: View, given: tuple[Hint, ...]) -> str:
    """Return the hints as one line, e.g. ``"1. attack Karl: 54 % · 2. ally with Karl: 49 % (your chance of winning)"``.

    Examples:
        >>> import meadhall
        >>> from meadhall.bots import Hint, in_words
        >>> match = meadhall.game("axes-and-allies").match(players=3, seed="mead")
        >>> view = match.view(match.actor)
        >>> in_words(view, (Hint(0, 0.5, sure=False),)).replace("\N{NO-BREAK SPACE}", " ")
        '1. attack Player 1: 50 % (your chance of winning)'
    """
    texts = [view.game.words.action(view.state, hint.action, view.names) for hint in given]
    if given[0].chance is None:
        return _("You have only one legal action: {action}.").format(action=texts[0])
    listed = " · ".join(
        f"{place}. {text}: {chance_in_words(hint)}" for place, (text, hint) in enumerate(zip(texts, given, strict=True), 1)
    )
    return f"{listed} ({chance_of_what(view)})"
