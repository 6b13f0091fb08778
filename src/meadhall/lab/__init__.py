"""The laboratory: simulations and what they show."""

from meadhall.engine.statistics import Rate, Spread
from meadhall.lab.report import Report
from meadhall.lab.simulate import simulate
from meadhall.lab.warm import warm

__all__ = ["Rate", "Report", "Spread", "simulate", "warm"]
