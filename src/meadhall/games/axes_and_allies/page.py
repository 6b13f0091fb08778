"""Axes and Allies: the values that ``page.html`` draws in a browser, beside the fields of the state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from meadhall.games.axes_and_allies.rules import ALLY, ATTACK, Event
from meadhall.sdk import PlainState, View


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


def picture(view: View) -> Picture:
    """Return the values for the board."""
    state, seats = view.plain, range(view.plain.players)
    allies = [[ally for ally in seats if state.allied[seat][ally] and state.alive[ally] and state.alive[seat]] for seat in seats]
    deaths = [] if all(state.alive[: len(seats)]) else [e for step in view.steps for e in step.events if e.kind == Event.KILLED]
    killers = {victim: killer for killer, victim in (death.arguments for death in deaths)}
    return Picture(state, allies, _blow(view) if view.actor is not None else None, killers)


def regions(page: Any) -> dict[str, Any]:
    """Return the parts of the board that change, by their ids."""
    picture: Picture = page.picture
    state, players, result = picture.state, picture.state.players, page.result
    acting = state.actor if not result else -1
    blow = picture.blow if not result or result.winners else None  # no throw has ended a draw
    turn = f"rotate({360 * max(acting, 0) / players:g})"
    parts: dict[str, Any] = {
        "beam": {"class": "aa-beam" if acting >= 0 else "aa-beam off", "transform": turn},
        "hearth": ("hearth", state.power, result.winners[:1] if result else ()),
        "path": ("path", players, blow),
        "rolled": ("rolled", players, blow),
    }
    for seat in page.seats:
        k = seat.seat
        flags = (("fallen", not state.alive[k]), ("acting", acting == k), ("winner", seat.winner))
        shown = " ".join(name for name, holds in flags if holds)
        parts[f"warrior-{k}"] = {"class": f"warrior seat-{k} w-{k} {shown}".strip()}
        parts[f"name-{k}"] = ("plate", k, seat.name)
        for ally in range(k + 1, players):
            parts[f"cord-{k}-{ally}"] = {"class": "cord" if ally in picture.allies[k] else "cord off"}
    return parts


def control_regions(page: Any) -> dict[str, Any]:
    """Return the controls beside every other seat."""
    by = {choice.action: choice for choice in page.choices}
    keys = {choice.action: key for key, choice in enumerate([each for each in page.choices if not each.refusal], 1)}
    parts: dict[str, Any] = {"spots": {"class": "square spots" if page.choices else "square spots waiting"}}
    for seat in page.seats:
        k, shown = seat.seat, page.own
        if k != page.viewer:
            deeds = [(action, by.get(action), keys.get(action)) for action in (ATTACK + k, ALLY + k)]
            place = (k - page.viewer) % len(page.seats)
            parts[f"spot-{k}"] = ("spot", k, seat.name, place, shown.alive[k], shown.power, tuple(deeds))
    return parts


def own(view: View) -> Own:
    """Return the values for a seat's controls."""
    return Own(view.plain.alive, view.plain.power if view.actor == view.viewer else 0)


def offered(view: View) -> Iterable[int]:
    """Return the actions to show: an attack on every other seat and an alliance with it. The page explains the illegal ones."""
    others = [seat for seat in range(view.plain.players) if seat != view.viewer]
    return [ATTACK + seat for seat in others] + [ALLY + seat for seat in others]


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
