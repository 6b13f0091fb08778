"""The balance report: how a game plays, and what a change of it does."""

from meadhall.lab.balance.figures import Figure
from meadhall.lab.balance.page import STYLES
from meadhall.lab.balance.result import Balance
from meadhall.lab.balance.run import balance

__all__ = ["STYLES", "Balance", "Figure", "balance"]
