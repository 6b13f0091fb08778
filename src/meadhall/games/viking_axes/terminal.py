"""Viking Axes drawn in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from meadhall.engine.language import gettext as _
from meadhall.games.viking_axes.cards import card_title
from meadhall.games.viking_axes.state import KINDS, SHIELD_KINDS, Due, Table, hand_size


def sketch(table: Table, names: Sequence[str]) -> str:
    """The piles, and a line for each player: hits as notches up to the limit, and what lies in front of them."""
    width = max(map(len, names))
    discarded = sum(table.discarded[kind] for kind in range(KINDS))
    lines = [_("draw pile {left}, discarded {discarded}").format(left=table.left, discarded=discarded)]
    for seat, name in enumerate(names):
        marker = ">" if seat == table.actor else " "
        lines.append(f"{marker} {name:<{width}}  {_notches(table, seat)}  {'; '.join(_facts(table, seat))}".rstrip())
    return "\n".join(lines)


def _notches(table: Table, seat: int) -> str:
    hits = min(table.hits[seat], table.limit)
    return f"[{'x' * hits}{'.' * (table.limit - hits)}] {table.hits[seat]:>2}/{table.limit}"


def _facts(table: Table, seat: int) -> list[str]:
    if table.out[seat]:
        return [_("out")]
    facts = []
    if shields := sum(table.shields[seat, kind] * (kind + 1) for kind in range(SHIELD_KINDS)):
        facts.append(_("shields {unused}/{shields}").format(unused=table.unused[seat], shields=shields))
    if table.armory[seat]:
        facts.append(_("armory"))
    if table.due[seat] == Due.SKIP:
        facts.append(_("misses the next turn"))
    return facts + _hand(table, seat)


def _hand(table: Table, seat: int) -> list[str]:
    """The cards held, as far as the viewer knows them; else only how many they are."""
    known = [card_title(kind) for kind in range(KINDS) for _copy in range(table.hand[seat, kind])]
    if known:
        return [_("in hand: {cards}").format(cards=", ".join(known))]
    return [_("{count} cards in hand").format(count=hand_size(table, seat))] if table.strategic else []
