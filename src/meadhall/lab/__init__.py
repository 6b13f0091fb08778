"""The laboratory: simulations and what they show."""

from meadhall.lab.report import Length, Rate, Report
from meadhall.lab.simulate import simulate
from meadhall.lab.warm import warm

__all__ = ["Length", "Rate", "Report", "simulate", "warm"]
