"""Tuning: search values of components towards targets, with the balance report as judge."""

from meadhall.lab.tuning.result import Point, Tuning
from meadhall.lab.tuning.run import tune

__all__ = ["Point", "Tuning", "tune"]
