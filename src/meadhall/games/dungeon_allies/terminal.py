"""Dungeon Allies in a terminal: the table as text, and what is typed for an action."""

from __future__ import annotations

from meadhall.engine.language import gettext as _
from meadhall.games.dungeon_allies import names
from meadhall.games.dungeon_allies.state import (
    ACCEPT,
    BID,
    BLESS,
    BUY,
    DECLINE,
    DICE,
    END_TRADE,
    ENHANCE,
    FIGHT,
    FOLLOWER_DIE,
    HAMMER,
    ILLUMINATE,
    PEEK,
    PLACE,
    REROLL,
    ROLL,
    TRADE,
)


def notation(action: int) -> str:
    """What a person types for an action: "d6 Y3", "d4 Treasure 2", "bid 3", "bless d6"."""
    if action < PLACE:
        return (_("first"), _("second"))[action]
    if action < ILLUMINATE:
        target, die = divmod(action - PLACE, DICE)
        return f"{names.die(die)} {names.target(target)}"
    if action == ILLUMINATE:
        return _("illuminate")
    if action in (ROLL, HAMMER, ACCEPT):
        return {ROLL: _("roll"), HAMMER: _("hammer"), ACCEPT: _("accept")}[action]
    if END_TRADE < action < DECLINE:
        line, direction = divmod(action - TRADE, 2)
        return (_("back") if direction else _("line")) + str(line + 1)
    if action >= END_TRADE:
        return {END_TRADE: _("done"), DECLINE: _("leave"), BUY: _("buy")}[action]
    return " ".join(_verb_and_object(action))


def _verb_and_object(action: int) -> tuple[str, str]:
    if action <= BID:
        return _("look"), names.square(action - PEEK)
    if action < FIGHT:
        return _("bid"), str(action - BID)
    if action < ROLL:
        return _("fight"), names.square(action - FIGHT)
    if action < BLESS:
        return _("enhance"), names.die(action - ENHANCE)
    if action < ACCEPT:
        return _("bless"), names.die(action - BLESS)
    if action < FOLLOWER_DIE:
        return _("again"), names.die(action - REROLL)
    return _("take"), names.die(action - FOLLOWER_DIE)
