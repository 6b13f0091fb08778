"""Horn, a small game for two: one to three gulps a turn, and the player who empties the horn loses."""

from pathlib import Path

from meadhall.sdk import Game

from . import rules, words

game = Game(
    name="horn",
    title="Horn",
    tagline="Drink, but not the last gulp.",
    version=1,
    min_players=2,
    max_players=2,
    actions=rules.ACTIONS,
    state=rules.State,
    rules=rules,
    words=words,
    events=words.EVENTS,
    folder=Path(__file__).parent,
)
