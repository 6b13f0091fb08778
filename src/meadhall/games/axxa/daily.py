"""AxxA as the puzzle of the day: what is measured, how results are ranked, and whether the deal could be won."""

from __future__ import annotations

from collections import Counter

from meadhall.games.axxa.solver import Verdict, winnable
from meadhall.games.axxa.state import NUMBERS, Event
from meadhall.sdk import Daily, Figure, Figures, Match, Outcome, marked


def measure(match: Match) -> Figures:
    """AX-6.1, AX-5.1: Count the triplets removed, the moves and the payments of a match."""
    counts = Counter(event.kind for step in match.steps for event in step.events)
    return {"triplets": counts[Event.REMOVED], "moves": counts[Event.MOVED], "payments": counts[Event.PAID]}


def order(figures: Figures) -> tuple[int, ...]:
    """Return a sort key, best result first: more triplets; with all six removed, fewer payments, then fewer moves."""
    solved = figures["triplets"] == NUMBERS
    return (-figures["triplets"], figures["payments"], figures["moves"]) if solved else (-figures["triplets"],)


def outcome(match: Match) -> Outcome:
    """Return whether the deal could be won with all pieces known, and in how many moves."""
    result = winnable(match)
    return Outcome(None if result.verdict == Verdict.OPEN else result.verdict == Verdict.WON, result.moves, result.variation)


DAILY = Daily(
    goal=marked(
        "Slide the stacks to bring three equal numbers together and remove them: first the 1s, then the 2s, up to the 6s. "
        "Every move that removes nothing costs a piece."
    ),
    figures=(
        Figure("triplets", marked("Triplets"), most=NUMBERS),
        Figure("moves", marked("Moves")),
        Figure("payments", marked("Payments")),
    ),
    measure=measure,
    order=order,
    outcome=outcome,
)
