"""Bots: players that are given a concealed table and return an action."""

from meadhall.bots.bot import Bot, UnknownBot, bot, bot_names, ranks
from meadhall.bots.policy import PolicyBot
from meadhall.bots.ranks import RANKS, Rank
from meadhall.bots.search import Budget, Considered, Findings, Search, SearchBot

__all__ = [
    "RANKS",
    "Bot",
    "Budget",
    "Considered",
    "Findings",
    "PolicyBot",
    "Rank",
    "Search",
    "SearchBot",
    "UnknownBot",
    "bot",
    "bot_names",
    "ranks",
]
