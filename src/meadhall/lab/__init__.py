"""The laboratory: simulations, tournaments and their reports."""

from pathlib import Path

from meadhall.engine.statistics import Rate, Spread
from meadhall.engine.text.language import add_catalogues
from meadhall.lab.balance import Balance, balance
from meadhall.lab.entrants import without
from meadhall.lab.report import Report
from meadhall.lab.simulate import simulate
from meadhall.lab.standings import Standing, Tournament
from meadhall.lab.tournament import tournament
from meadhall.lab.tuning import Tuning, tune
from meadhall.lab.warm import is_warm, warm

add_catalogues(Path(__file__).parent / "locale")

__all__ = [
    "Balance",
    "Rate",
    "Report",
    "Spread",
    "Standing",
    "Tournament",
    "Tuning",
    "balance",
    "is_warm",
    "simulate",
    "tournament",
    "tune",
    "warm",
    "without",
]
