"""Goofspiel: all players bid at the same time for a prize (Ross, 1971)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from games_for_tests.goofspiel import page, rules, words
from meadhall.sdk import CLOCKWISE, Choice, Elements, Game, register


def points(state: rules.State, options: Mapping[str, Any]) -> tuple[int, ...]:
    return tuple(state.pile[seat] for seat in range(state.players))


game = register(
    Game(
        name="goofspiel",
        title="Goofspiel",
        tagline="Bids for 2 to 4.",
        version=1,
        min_players=2,
        max_players=rules.SEATS,
        actions=rules.ACTIONS,
        elements=Elements(first_order=CLOCKWISE),
        state=rules.State,
        rules=rules,
        words=words,
        events=words.EVENTS,
        folder=Path(__file__).parent,
        page=page,
        options=(Choice("cards", {"four": ("Four", "four prizes"), "six": ("Six", "six prizes")}, title="Prizes"),),
        greedy=rules.greedy,
        points=points,
    )
)
