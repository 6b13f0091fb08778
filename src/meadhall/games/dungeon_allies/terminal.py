"""Dungeon Allies in a terminal: the table as text, and what is typed for an action."""

from __future__ import annotations

from meadhall.engine.language import gettext as _
from meadhall.games.dungeon_allies import names
from meadhall.games.dungeon_allies.state import (
    ACCEPT,
    BID,
    BLESS,
    BUY,
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
    if action < ROLL:
        return _searching(action)
    if action < FOLLOWER_DIE:
        return _fighting(action)
    if action < END_TRADE:
        return f"{_('take')} {names.die(action - FOLLOWER_DIE)}"
    if TRADE <= action < TRADE + 8:
        line, direction = divmod(action - TRADE, 2)
        return f"{_('back') if direction else _('line')}{line + 1}"
    return _("done") if action == END_TRADE else _("buy") if action == BUY else _("leave")


def _searching(action: int) -> str:
    if action == ILLUMINATE:
        return _("illuminate")
    if action <= BID:
        return f"{_('look')} {names.square(action - PEEK)}"
    if action < FIGHT:
        return f"{_('bid')} {action - BID}"
    return f"{_('fight')} {names.square(action - FIGHT)}"


def _fighting(action: int) -> str:
    if action in (ROLL, HAMMER, ACCEPT):
        return {ROLL: _("roll"), HAMMER: _("hammer"), ACCEPT: _("accept")}[action]
    if action < BLESS:
        return f"{_('enhance')} {names.die(action - ENHANCE)}"
    if action < ACCEPT:
        return f"{_('bless')} {names.die(action - BLESS)}"
    return f"{_('again')} {names.die(action - REROLL)}"
