"""Hoard for one player, as a puzzle of the day."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from meadhall.engine.match.match import Match
from meadhall.engine.text.lessons import Daily, Figure, Figures
from server import hoard_on_a_page

ENOUGH = 30


def measure(match: Match) -> Figures:
    table: Any = match.state
    return {"coins": int(table.pile[0]), "turns": int(table.turns)}


def order(figures: Figures) -> tuple[int, ...]:
    return (-figures["coins"], figures["turns"])


HOARD_ALONE = replace(
    hoard_on_a_page.game,
    min_players=1,
    daily=Daily(
        goal="Lay out all the coins you can.",
        figures=(Figure("coins", "Coins"), Figure("turns", "Turns", most=12)),
        measure=measure,
        order=order,
        options={"hand": "many", "mode": "together"},
    ),
)
