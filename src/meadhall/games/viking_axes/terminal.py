"""Viking Axes: a sketch of the state for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from meadhall.games.viking_axes.cards import card_title
from meadhall.games.viking_axes.state import KINDS, SHIELD_KINDS, Card, Due, State, hand_size, shields_on
from meadhall.sdk import gettext as _


def sketch(state: State, names: Sequence[str]) -> str:
    """Draw the piles, and a line for each player: hits as notches up to the limit, and the cards in front."""
    width = max(map(len, names))
    discarded = sum(state.discarded[kind] for kind in range(KINDS))
    lines = [_("draw pile {left}, discarded {discarded}").format(left=state.left, discarded=discarded)]
    for seat, name in enumerate(names):
        marker = ">" if seat == state.actor else " "
        lines.append(f"{marker} {name:<{width}}  {_notches(state, seat)}  {'; '.join(_facts(state, seat))}".rstrip())
    return "\n".join(lines)


def _notches(state: State, seat: int) -> str:
    hits = min(state.hits[seat], state.limit)
    return f"[{'x' * hits}{'.' * (state.limit - hits)}] {state.hits[seat]:>2}/{state.limit}"


def _facts(state: State, seat: int) -> list[str]:
    if state.out[seat]:
        return [_("out")]
    facts = []
    if shields := sum(state.shields[seat, kind] * shields_on(Card.ONE_SHIELD + kind) for kind in range(SHIELD_KINDS)):
        facts.append(_("shields {unused}/{shields}").format(unused=state.unused[seat], shields=shields))
    if state.armory[seat]:
        facts.append(_("armory"))
    if state.due[seat] == Due.SKIP:
        facts.append(_("misses the next turn"))
    return facts + _hand(state, seat)


def _hand(state: State, seat: int) -> list[str]:
    """Name the cards in hand that the viewer knows; otherwise say only how many there are."""
    known = [card_title(kind) for kind in range(KINDS) for _copy in range(state.hand[seat, kind])]
    if known:
        return [_("in hand: {cards}").format(cards=", ".join(known))]
    return [_("{count} cards in hand").format(count=hand_size(state, seat))] if state.strategic else []
