"""The notation of actions at the terminal."""

from __future__ import annotations

from meadhall.games.dungeon_allies import names
from meadhall.games.dungeon_allies.actions import Act, parse
from meadhall.games.dungeon_allies.names import Names
from meadhall.games.dungeon_allies.pieces import DICE
from meadhall.sdk import gettext as _
from meadhall.sdk import marked

VERBS = {
    Act.ILLUMINATE: marked("illuminate"),
    Act.PEEK: marked("look"),
    Act.BID: marked("bid"),
    Act.FIGHT: marked("fight"),
    Act.ROLL: marked("roll"),
    Act.HAMMER: marked("hammer"),
    Act.ENHANCE: marked("enhance"),
    Act.BLESS: marked("bless"),
    Act.ACCEPT: marked("accept"),
    Act.REROLL: marked("again"),
    Act.FOLLOWER_DIE: marked("take"),
    Act.KEEP_OFFERING: marked("keep"),
    Act.FREE: marked("free"),
    Act.END_TRADE: marked("done"),
    Act.DECLINE: marked("leave"),
    Act.BUY: marked("buy"),
}


def notation(action: int, pieces: Names) -> str:
    """Return what a person types for an action: "d6 Y3", "d4 Treasure 2", "bid 3", "bless d6"."""
    kind, argument = parse(action)
    match kind:
        case Act.ASSIGN:
            return (_("first"), _("second"))[argument]
        case Act.PLACE:
            target, die = divmod(argument, DICE)
            return f"{names.die(die)} {pieces.target(target)}"
        case Act.TRADE:
            line, direction = divmod(argument, 2)
            return (_("back") if direction else _("line")) + str(line + 1)
        case Act.BID:
            return f"{_(VERBS[kind])} {argument}"
        case Act.PEEK | Act.FIGHT:
            return f"{_(VERBS[kind])} {pieces.square(argument)}"
        case Act.ENHANCE | Act.BLESS | Act.REROLL | Act.FOLLOWER_DIE:
            return f"{_(VERBS[kind])} {names.die(argument)}"
        case _:
            return _(VERBS[kind])
