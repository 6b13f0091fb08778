"""Hoard: hidden hands, a look at the deck, boasts that can be undone, and coins counted one by one."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from games_for_tests.hoard import rules, words
from meadhall.sdk import CLOCKWISE, Choice, Elements, Game, Scoring, register

SCORINGS = {"rivals": Scoring.RIVALS, "together": Scoring.TOGETHER, "sides": Scoring.SIDES}


def scoring(options: Mapping[str, Any]) -> Scoring:
    return SCORINGS[options["mode"]]


def objection(players: int, options: Mapping[str, Any]) -> str:
    return "two sides need 2 or 4 players" if options["mode"] == "sides" and players % 2 else ""


def points(state: rules.State, options: Mapping[str, Any]) -> tuple[int, ...]:
    return tuple(state.pile[seat] for seat in range(state.players))


game = register(
    Game(
        name="hoard",
        title="Hoard",
        tagline="Coins for 2 to 4.",
        version=3,
        min_players=2,
        max_players=rules.SEATS,
        actions=rules.ACTIONS,
        elements=Elements(first_order=CLOCKWISE),
        state=rules.State,
        rules=rules,
        words=words,
        events=words.EVENTS,
        folder=Path(__file__).parent,
        options=(
            Choice("hand", {"few": ("Few", "two cards each"), "many": ("Many", "three cards each")}, title="Hand"),
            Choice("mode", {each: (each.title(), "who plays against whom") for each in SCORINGS}, title="Mode"),
        ),
        greedy=rules.greedy,
        scoring=scoring,
        points=points,
        objection=objection,
    )
)
