"""Liar's Dice, a game of hidden dice for 2 to 6 players: bid what lies under all cups, and doubt the bids of others."""

from __future__ import annotations

from pathlib import Path

from meadhall.sdk import Advice, Elements, Game, Mention, marked

from . import heuristics, page, rules, words
from .lessons import LESSONS


def is_out(state: rules.State, seat: int) -> bool:
    """Return whether a player has lost all dice."""
    return state.left[seat] == 0


game = Game(
    name="liars-dice",
    title="Liar's Dice",
    tagline=marked("Bid what lies under all cups. Doubt what can't be true."),
    version=1,
    min_players=2,
    max_players=rules.SEATS,
    actions=rules.ACTIONS,
    state=rules.State,
    rules=rules,
    words=words,
    events=words.EVENTS,
    folder=Path(__file__).parent,
    page=page,
    greedy=heuristics.greedy,
    advice=Advice(rollout=heuristics.greedy),
    is_out=is_out,
    elements=Elements(first_order=rules.Event.ROUND, out=Mention(rules.Event.OUT, 0)),
    goal=marked("Your goal: be the last one with dice. Bid what all dice together may show, or doubt the last bid."),
    lessons=LESSONS,
)
