"""Pig, a dice game for 2 to 6 players: roll as often as you dare."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from meadhall.sdk import CLOCKWISE, ActionKind, Advice, Choice, Elements, Game, marked

from . import heuristics, page, rules, words
from .lessons import LESSONS


def points(state: rules.State, options: Mapping[str, Any]) -> tuple[int, ...]:
    """Return every seat's points, which rank the players behind the winner."""
    return tuple(state.points[seat] for seat in range(state.players))


game = Game(
    name="pig",
    title="Pig",
    tagline=marked("Roll as often as you dare. A one takes it all."),
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
    options=(
        Choice(
            "target",
            {
                "100": (marked("100 points"), marked("The first to hold 100 points wins.")),
                "50": (marked("50 points"), marked("A short game: the first to hold 50 points wins.")),
            },
            title=marked("Target"),
        ),
    ),
    greedy=heuristics.greedy,
    advice=Advice(rollout=heuristics.greedy),
    points=points,
    elements=Elements(
        actions=(
            ActionKind("roll", marked("roll"), range(rules.ROLL, rules.ROLL + 1)),
            ActionKind("hold", marked("hold"), range(rules.HOLD, rules.HOLD + 1)),
        ),
        first_order=CLOCKWISE,
    ),
    goal=marked("Your goal: be the first to reach the target. Roll for more, or hold what is in the pot."),
    lessons=LESSONS,
)
