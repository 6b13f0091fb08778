"""Axes and Allies: the values that ``page.html`` draws in a browser."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from meadhall.games.axes_and_allies.rules import ALLY, ATTACK, Event
from meadhall.sdk import View


@dataclass(frozen=True)
class Warrior:
    """A player at the table."""

    seat: int
    alive: bool
    allies: tuple[int, ...]


@dataclass(frozen=True)
class Blow:
    """The attack of the last step, with its roll."""

    seat: int
    target: int
    roll: int
    hit: bool


@dataclass(frozen=True)
class Picture:
    """The public part of the table.

    Attributes:
        blow: the last step, if it was an attack and the match goes on.
        killer: by seat, the seat that killed it; None for the living.
    """

    warriors: tuple[Warrior, ...]
    players: int
    actor: int | None
    power: int
    alliances: tuple[tuple[int, int], ...]
    blow: Blow | None
    killer: tuple[int | None, ...]


@dataclass(frozen=True)
class Own:
    """The values for a seat's controls.

    Attributes:
        power: the power of the viewer's axe; 0 while the seat waits.
    """

    ATTACK: ClassVar[int] = ATTACK
    ALLY: ClassVar[int] = ALLY

    players: int
    alive: tuple[bool, ...]
    power: int


def picture(view: View) -> Picture:
    """Return the values for the board."""
    plain, alive = view.plain, _alive(view)
    seats, allied = range(plain.players), plain.allied
    killers = _killers(view) if not all(alive) else {}
    alliances = tuple((a, b) for a in seats for b in seats if a < b and alive[a] and alive[b] and allied[a][b])
    return Picture(
        warriors=tuple(Warrior(seat, alive[seat], _allies(alliances, seat)) for seat in seats),
        players=plain.players,
        actor=view.actor,
        power=plain.power,
        alliances=alliances,
        blow=_blow(view) if view.actor is not None else None,
        killer=tuple(killers.get(seat) for seat in seats),
    )


def own(view: View) -> Own:
    """Return the values for a seat's controls."""
    return Own(view.plain.players, _alive(view), view.plain.power if view.actor == view.viewer else 0)


def _alive(view: View) -> tuple[bool, ...]:
    return tuple(map(bool, view.plain.alive[: view.plain.players]))


def offered(view: View) -> Iterable[int]:
    """Return the actions to show: an attack on every other seat and an alliance with it. The page explains the illegal ones."""
    others = [seat for seat in range(view.plain.players) if seat != view.viewer]
    return [ATTACK + seat for seat in others] + [ALLY + seat for seat in others]


def _allies(alliances: Iterable[tuple[int, int]], seat: int) -> tuple[int, ...]:
    return tuple(a + b - seat for a, b in alliances if seat in (a, b))


def _killers(view: View) -> dict[int, int]:
    """Return the killer of each dead player."""
    return {event.arguments[1]: event.arguments[0] for step in view.steps for event in step.events if event.kind == Event.KILLED}


def beats(view: View) -> int:
    """Return how long the board shows the last step, in beats (see ``stage.js``)."""
    return sum(LENGTHS.get(Event(event.kind), 0) for event in view.steps[-1].events)


LENGTHS = {
    Event.ATTACK: 3,
    Event.ATTACK_ROLL: 3,
    Event.KILLED: 3,
    Event.MISSED: 2,
    Event.ALLIED: 2,
    Event.VOIDED: 2,
    Event.LIMITED: 2,
}
"""How long the board shows each event, in beats."""


def _blow(view: View) -> Blow | None:
    """Return the attack of the last step, if it was one."""
    roll = 0
    for event in view.steps[-1].events if view.steps else ():
        if event.kind == Event.ATTACK_ROLL:
            roll = event.arguments[1]
        elif event.kind in (Event.KILLED, Event.MISSED):
            attacker, target = event.arguments
            return Blow(attacker, target, roll, event.kind == Event.KILLED)
    return None
