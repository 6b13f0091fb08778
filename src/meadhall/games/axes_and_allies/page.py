"""Axes and Allies: the values that ``page.html`` draws in a browser."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal

from meadhall.games.axes_and_allies.rules import ALLY, ATTACK, Event
from meadhall.sdk import Event as GameEvent
from meadhall.sdk import View


@dataclass(frozen=True)
class Warrior:
    """A player at the table."""

    seat: int
    alive: bool
    allies: tuple[int, ...]


@dataclass(frozen=True)
class Animation:
    """An event of the last step that the board shows: an attack with its roll, an alliance, a one, or a turn without a choice.

    Attributes:
        beat: when it begins.
        until: of an alliance, the beat in which a one voids it; None if it lasts.
    """

    kind: Literal["attack", "ally", "voided", "limited"]
    beat: int
    seat: int
    target: int | None = None
    roll: int | None = None
    hit: bool | None = None
    power: int = 0
    until: int | None = None


@dataclass(frozen=True)
class Picture:
    """The public part of the table.

    Attributes:
        n: the number of the next action. Ids of new elements contain it, so that each animation runs once.
        killer: by seat, the seat that killed it; None for the living.
        rolled: the beat in which the power is rolled.
    """

    warriors: tuple[Warrior, ...]
    players: int
    actor: int | None
    power: int
    alliances: tuple[tuple[int, int], ...]
    animations: tuple[Animation, ...]
    n: int
    killer: tuple[int | None, ...]
    rolled: int


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
    state = view.state
    seats = range(state.players)
    alive = _alive(view)
    allied = view.states["allied"][0].tolist()
    killers = _killers(view) if not all(alive) else {}
    alliances = tuple((a, b) for a in seats for b in seats if a < b and alive[a] and alive[b] and allied[a][b])
    return Picture(
        warriors=tuple(Warrior(seat, alive[seat], _allies(alliances, seat)) for seat in seats),
        players=state.players,
        actor=view.actor,
        power=state.power,
        alliances=alliances,
        animations=tuple(_animations(_happened(view))),
        n=view.next_number,
        killer=tuple(killers.get(seat) for seat in seats),
        rolled=max([0, *(beat for beat, event in _timed(_happened(view)) if event.kind == Event.POWER)]),
    )


def own(view: View) -> Own:
    """Return the values for a seat's controls."""
    return Own(view.state.players, _alive(view), view.state.power if view.actor == view.viewer else 0)


def _alive(view: View) -> tuple[bool, ...]:
    return tuple(map(bool, view.states["alive"][0].tolist()[: view.state.players]))


def offered(view: View) -> Iterable[int]:
    """Return the actions to show: an attack on every other seat and an alliance with it. The page explains the illegal ones."""
    others = [seat for seat in range(view.state.players) if seat != view.viewer]
    return [ATTACK + seat for seat in others] + [ALLY + seat for seat in others]


def _allies(alliances: Iterable[tuple[int, int]], seat: int) -> tuple[int, ...]:
    return tuple(a + b - seat for a, b in alliances if seat in (a, b))


def _killers(view: View) -> dict[int, int]:
    """Return the killer of each dead player."""
    return {event.arguments[1]: event.arguments[0] for step in view.steps for event in step.events if event.kind == Event.KILLED}


def beats(view: View) -> tuple[int, ...]:
    """Return the beat in which the board shows each event of the last step, and the beat after the last."""
    timed = list(_timed(_happened(view)))
    return (*(beat for beat, _ in timed), timed[-1][0] + LENGTHS.get(Event(timed[-1][1].kind), 0) if timed else 0)


LENGTHS = {Event.ATTACK: 1, Event.KILLED: 1, Event.MISSED: 1, Event.ALLIED: 2, Event.VOIDED: 2, Event.LIMITED: 2}
"""The length of each event's animation in beats. The next event begins after it."""


def _happened(view: View) -> tuple[GameEvent, ...]:
    return view.steps[-1].events if view.steps else view.setup


def _timed(happened: Iterable[GameEvent]) -> Iterable[tuple[int, GameEvent]]:
    """Yield each event with its beat."""
    beat = 0
    for event in happened:
        yield beat, event
        beat += LENGTHS.get(Event(event.kind), 0)


def _animations(happened: Iterable[GameEvent]) -> Iterable[Animation]:
    power, roll, thrown = 0, 0, 0
    seat = 0
    timed = list(_timed(happened))
    voided = [beat for beat, event in timed if event.kind == Event.VOIDED]
    for beat, event in timed:
        match event.kind:
            case Event.POWER:
                seat, power = event.arguments
            case Event.VOIDED:
                yield Animation("voided", beat, seat, power=power)
            case Event.LIMITED:
                yield Animation("limited", beat, seat, power=power)
            case Event.ATTACK:
                thrown = beat
            case Event.ATTACK_ROLL:
                roll = event.arguments[1]
            case Event.KILLED | Event.MISSED:
                attacker, victim = event.arguments
                yield Animation("attack", thrown, attacker, victim, roll, event.kind == Event.KILLED)
            case Event.ALLIED:
                one, other = event.arguments
                yield Animation("ally", beat, one, other, until=voided[0] if voided else None)
