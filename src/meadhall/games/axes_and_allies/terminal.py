"""Axes and Allies: a sketch of the state for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from meadhall.games.axes_and_allies.rules import State
from meadhall.sdk import gettext as _


def sketch(state: State, names: Sequence[str]) -> str:
    """Draw a line for each player: alive or dead, the power of the seat to move, and allies."""
    width = max(map(len, names))
    lines = []
    for seat, name in enumerate(names):
        marker = ">" if seat == state.actor else " "
        lines.append(f"{marker} {name:<{width}}  {'; '.join(_facts(state, seat, names))}".rstrip())
    return "\n".join(lines)


def _facts(state: State, seat: int, names: Sequence[str]) -> list[str]:
    if not state.alive[seat]:
        return [_("dead")]
    facts = [_("axe power {power}").format(power=state.power)] if seat == state.actor else []
    allies = [names[other] for other in range(state.players) if state.alive[other] and state.allied[seat, other]]
    if allies:
        facts.append(_("allied with {names}").format(names=", ".join(allies)))
    return facts
