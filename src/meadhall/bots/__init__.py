"""Bots: players that are given a concealed table and return an action."""

from meadhall.bots.bot import Bot, UnknownBot, bot, bot_names
from meadhall.bots.policy import PolicyBot

__all__ = ["Bot", "PolicyBot", "UnknownBot", "bot", "bot_names"]
