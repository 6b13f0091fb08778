"""AxxA: sliding stacks, for 1 to 6 together or for two sides against each other."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from meadhall.engine.game import Choice, Game, Scoring
from meadhall.engine.language import gettext as _
from meadhall.engine.language import marked
from meadhall.games.axxa import heuristics, page, rules, words
from meadhall.games.axxa.advice import ADVICE
from meadhall.games.axxa.daily import DAILY
from meadhall.games.axxa.hidden import recall
from meadhall.games.axxa.lessons import LESSONS
from meadhall.games.axxa.solver import solution
from meadhall.games.axxa.state import ACTIONS, SEATS, SIDES, State, side_of, triplets_of

TOGETHER, VERSUS = "together", "versus"


def scoring(options: Mapping[str, Any]) -> Scoring:
    """AX-6.1, AX-7.1: all together, or two sides."""
    return Scoring.SIDES if options["mode"] == VERSUS else Scoring.TOGETHER


def objection(players: int, options: Mapping[str, Any]) -> str:
    """AX-7.1: two sides are of equal size."""
    return _("Two sides need 2, 4 or 6 players.") if options["mode"] == VERSUS and players % SIDES else ""


def points(state: State, options: Mapping[str, Any]) -> tuple[int, ...] | None:
    """AX-7.1: against each other, the triplets of each seat's side."""
    if options["mode"] == TOGETHER:
        return None
    return tuple(triplets_of(state, side_of(seat)) for seat in range(state.players))


game = Game(
    name="axxa",
    title="AxxA",
    tagline=marked("A puzzle of sliding stacks, solved together by 1 to 6, or against each other."),
    version=1,
    min_players=1,
    max_players=SEATS,
    actions=ACTIONS,
    state=State,
    rules=rules,
    words=words,
    events=words.EVENTS,
    page=page,
    folder=Path(__file__).parent,
    greedy=heuristics.greedy,
    advice=ADVICE,
    recall=recall,
    solver=solution,
    options=(
        Choice(
            "mode",
            {
                TOGETHER: marked("All win or all lose"),
                VERSUS: marked("Two sides against each other; whoever removes more triplets wins"),
            },
        ),
        Choice(
            "touching",
            {
                "all": marked("Pieces of a triplet touch at sides or corners"),
                "orthogonal": marked("Pieces of a triplet touch at sides only: harder"),
            },
        ),
    ),
    scoring=scoring,
    points=points,
    objection=objection,
    lessons=LESSONS,
    daily=DAILY,
)
