"""Kuhn poker: the smallest poker (Kuhn, 1950). Its payoffs are chips that one player wins and the other loses."""

from pathlib import Path

from games_for_tests.kuhn import rules, words
from meadhall.sdk import CLOCKWISE, Elements, Game, PayoffRange, Scoring, register

game = register(
    Game(
        name="kuhn",
        title="Kuhn poker",
        tagline="Three cards for 2.",
        version=1,
        min_players=2,
        max_players=2,
        actions=rules.ACTIONS,
        elements=Elements(first_order=CLOCKWISE),
        state=rules.State,
        rules=rules,
        words=words,
        events=words.EVENTS,
        folder=Path(__file__).parent,
        greedy=rules.greedy,
        scoring=Scoring.POINTS,
        payoffs=PayoffRange(-2, 2, total=0),
        max_length=3,
    )
)
