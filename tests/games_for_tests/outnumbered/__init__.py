"""Outnumbered: one player against two or three, by option or decided in play."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from games_for_tests.outnumbered import rules, words
from meadhall.sdk import CLOCKWISE, Choice, Elements, Game, Scoring, register


def sides(players: int, options: Mapping[str, Any], state: rules.State | None) -> tuple[tuple[int, ...], ...] | None:
    """The hunter against all others. In play they are decided with the option ``dared``."""
    hunter = 0 if options["hunter"] == "fixed" else rules.NOT_DECIDED if state is None else state.hunter
    if hunter == rules.NOT_DECIDED:
        return None
    return (hunter,), tuple(seat for seat in range(players) if seat != hunter)


game = register(
    Game(
        name="outnumbered",
        title="Outnumbered",
        tagline="One against 2 or 3.",
        version=1,
        min_players=3,
        max_players=rules.SEATS,
        actions=rules.ACTIONS,
        elements=Elements(first_order=CLOCKWISE),
        state=rules.State,
        rules=rules,
        words=words,
        events=words.EVENTS,
        folder=Path(__file__).parent,
        options=(
            Choice(
                "hunter",
                {"fixed": ("First", "the first player"), "dared": ("Dared", "the first player who dares")},
                title="Hunter",
            ),
        ),
        greedy=rules.greedy,
        scoring=Scoring.SIDES,
        sides=sides,
    )
)
