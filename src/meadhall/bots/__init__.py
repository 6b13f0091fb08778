"""Bots: players that are given a view of a match and return an action."""

from pathlib import Path

from meadhall.bots.bot import BadAnswer, BadBot, Bot, NamedBot, UnknownBot, bot, bot_names, ranks
from meadhall.bots.hints import Hint, bar_of, chance_in_words, chance_of_what, hints, in_words, points_in_words
from meadhall.bots.policy import PolicyBot
from meadhall.bots.ranks import RANKS, Rank
from meadhall.bots.search import Budget, Considered, Findings, Search, SearchBot
from meadhall.engine.text.language import add_catalogues

add_catalogues(Path(__file__).parent / "locale")

__all__ = [
    "RANKS",
    "BadAnswer",
    "BadBot",
    "Bot",
    "Budget",
    "Considered",
    "Findings",
    "Hint",
    "NamedBot",
    "PolicyBot",
    "Rank",
    "Search",
    "SearchBot",
    "UnknownBot",
    "bar_of",
    "bot",
    "bot_names",
    "chance_in_words",
    "chance_of_what",
    "hints",
    "in_words",
    "points_in_words",
    "ranks",
]
