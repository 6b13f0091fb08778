"""Barter: players offer goods to each other. The payoffs are points, and both traders can gain (a general-sum game)."""

from pathlib import Path

from games_for_tests.barter import rules, words
from meadhall.sdk import CLOCKWISE, Elements, Game, PayoffRange, Scoring, register

game = register(
    Game(
        name="barter",
        title="Barter",
        tagline="Trade for 2 to 4.",
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
        greedy=rules.greedy,
        scoring=Scoring.POINTS,
        payoffs=PayoffRange(rules.GOODS, rules.GOODS + 3),
    )
)
