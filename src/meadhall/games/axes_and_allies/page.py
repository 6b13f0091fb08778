"""Axes and Allies: the values that ``page.html`` draws in a browser, beside the fields of the state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from meadhall.games.axes_and_allies.rules import ALLY, ATTACK, Event
from meadhall.sdk import PlainState, View
from meadhall.sdk import gettext as _


@dataclass(frozen=True)
class Picture:
    """The board.

    Attributes:
        allies: by seat, the allies of a living player.
        blow: the attack of the last step while the match goes on: attacker, target, roll, and whether it killed.
        killer: the seat that killed each dead player.
    """

    state: PlainState
    allies: list[list[int]]
    blow: tuple[int, int, int, bool] | None
    killer: dict[int, int]


@dataclass(frozen=True)
class Own:
    """What a seat's controls show. ``power``: of the viewer's axe; 0 while the seat waits."""

    alive: list[int]
    power: int

    attack: ClassVar[int] = ATTACK
    ally: ClassVar[int] = ALLY


def picture(view: View) -> Picture:
    """Return the values for the board."""
    state, seats = view.plain, range(view.plain.players)
    allies = [[ally for ally in seats if state.allied[seat][ally] and state.alive[ally] and state.alive[seat]] for seat in seats]
    deaths = [] if all(state.alive[: len(seats)]) else [e for step in view.steps for e in step.events if e.kind == Event.KILLED]
    killers = {victim: killer for killer, victim in (death.arguments for death in deaths)}
    return Picture(state, allies, _blow(view) if view.actor is not None else None, killers)


def own(view: View) -> Own:
    """Return the values for a seat's controls."""
    return Own(view.plain.alive, view.plain.power if view.actor == view.viewer else 0)


def offered(view: View) -> Iterable[int]:
    """Return the actions to show: an attack on every other seat and an alliance with it. The page explains the illegal ones."""
    others = [seat for seat in range(view.plain.players) if seat != view.viewer]
    return [ATTACK + seat for seat in others] + [ALLY + seat for seat in others]


def ahead(view: View) -> dict[int, str]:
    """Return what can be decided before the roll for power: an attack on another living player, or an alliance with them."""
    alive, names = view.plain.alive, view.names
    others = [seat for seat in range(len(names)) if alive[seat] and alive[view.viewer] and seat != view.viewer]
    kinds = (ATTACK, _("attack {name}")), (ALLY, _("ally with {name}"))
    return {kind + seat: words.format(name=names[seat]) for kind, words in kinds for seat in others}


def _blow(view: View) -> tuple[int, int, int, bool] | None:
    """Return the attack of the last step, if it was one."""
    roll = 0
    for event in view.steps[-1].events if view.steps else ():
        if event.kind == Event.ATTACK_ROLL:
            roll = event.arguments[1]
        elif event.kind in (Event.KILLED, Event.MISSED):
            attacker, target = event.arguments
            return attacker, target, roll, event.kind == Event.KILLED
    return None
