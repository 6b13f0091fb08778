"""Pig, a dice game for 2 to 6 players: roll as often as you dare."""

from meadhall.sdk import CLOCKWISE, Choice, Elements, Game

from . import rules

game = Game(
    name="pig",
    min_players=2,
    max_players=rules.SEATS,
    actions=rules.ACTIONS,
    state=rules.State,
    rules=rules,
    options=(
        Choice(
            "target",
            {"100": ("100 points", "The first to hold 100 points wins."), "50": ("50 points", "A short game.")},
            title="Target",
        ),
    ),
    elements=Elements(first_order=CLOCKWISE),
)
