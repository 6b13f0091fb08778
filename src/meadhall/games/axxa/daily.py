"""AxxA as the puzzle of the day."""

from __future__ import annotations

from collections import Counter

from meadhall.engine.daily import Daily, Figure, Figures, Outcome
from meadhall.engine.language import marked
from meadhall.engine.match import Match
from meadhall.games.axxa.solver import Verdict, winnable
from meadhall.games.axxa.state import NUMBERS, Event


def measure(match: Match) -> Figures:
    """AX-6.1: how many triplets were removed. AX-5.1: in how many moves, and what was paid for them."""
    happened = Counter(event.kind for step in match.steps for event in step.events)
    return {"triplets": happened[Event.REMOVED], "moves": happened[Event.MOVED], "payments": happened[Event.PAID]}


def order(figures: Figures) -> tuple[int, ...]:
    """More triplets are better. Among those who have all, the one who paid less, then who needed fewer moves."""
    solved = figures["triplets"] == NUMBERS
    return (-figures["triplets"], figures["payments"], figures["moves"]) if solved else (-figures["triplets"],)


def outcome(match: Match) -> Outcome:
    """Whether the shuffle could be won with all pieces known."""
    proof = winnable(match)
    return Outcome(None if proof.verdict == Verdict.OPEN else proof.verdict == Verdict.WON, proof.moves)


DAILY = Daily(
    goal=marked(
        "Slide the stacks until three equal numbers touch, and they leave: the ones first, then the twos, up to the sixes. "
        "A move that removes nothing costs a piece."
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
