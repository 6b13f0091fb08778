"""Axes and Allies: the values that ``page.html`` draws in a browser, beside the fields of the state."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from meadhall.games.axes_and_allies.rules import ALLY, ATTACK, Event, killing_rolls
from meadhall.games.axes_and_allies.words import rolls_that_kill
from meadhall.sdk import PlainState, View, gettext as _

SOUNDS: Final = ("die", "axe", "thud", "clang", "rope", "snap")
"""The sounds of ``stage.js``, which a page loads at the first tap."""

RADIUS = 322
"""The distance of a warrior from the middle of the table, in the units of the picture."""

REACH = 76
"""The distance from the middle of a shield to its rim, where cords and throws start and end."""


@dataclass(frozen=True)
class Picture:
    """The board.

    Attributes:
        rolls: those that kill with the power of this turn, "" if none does.
        allies: by seat, the allies of a living player.
        blow: the attack of the last step while the match goes on: attacker, target, roll, and whether it killed.
        killer: the seat that killed each dead player.
    """

    state: PlainState
    rolls: str
    allies: list[list[int]]
    blow: tuple[int, int, int, bool] | None
    killer: dict[int, int]


@dataclass(frozen=True)
class Own:
    """What a seat's controls show. ``odds``: how many rolls of the viewer's axe kill, and the sides of the die."""

    alive: list[int]
    odds: tuple[int, int]


def picture(view: View) -> Picture:
    """Return the values for the board."""
    state, seats = view.plain, range(view.plain.players)
    allies = [[ally for ally in seats if state.allied[seat][ally] and state.alive[ally] and state.alive[seat]] for seat in seats]
    deaths = [] if all(state.alive[: len(seats)]) else [e for step in view.steps for e in step.events if e.kind == Event.KILLED]
    killers = {victim: killer for killer, victim in (death.arguments for death in deaths)}
    return Picture(state, rolls_that_kill(view.state), allies, _blow(view) if view.actor is not None else None, killers)


def regions(page: Any) -> dict[str, Any]:
    """Return the parts of the board that change, by their ids."""
    picture: Picture = page.picture
    state, players, result = picture.state, picture.state.players, page.result
    acting = state.actor if not result else -1
    winners = result.winners[:1] if result else ()
    shown = "won" if winners else "on" if state.power else "off"
    parts: dict[str, Any] = {
        "beam": {"class": "on" if acting >= 0 else "off", "transform": f"rotate({360 * max(acting, 0) / players:g})"},
        "hearth": {"class": f"hearth {shown}{' at-any-power' if state.kills_on else ''}"},
        "power": {"href": f"#die-{state.power or 1}"},
        "odds": ("odds", state.power, picture.rolls),
        "victory": ("victory", winners),
        **_throw(players, picture.blow if not result or winners else None),  # no throw has ended a draw
    }
    for seat in page.seats:
        k = seat.seat
        flags = (("fallen", not state.alive[k]), ("acting", acting == k), ("winner", seat.winner))
        parts[f"warrior-{k}"] = {"class": " ".join(["warrior", f"seat-{k}", f"w-{k}", *(name for name, holds in flags if holds)])}
        parts[f"name-{k}"] = ("plate", k, seat.name)
        for ally in range(k + 1, players):
            parts[f"cord-{k}-{ally}"] = {"class": "cord" if ally in picture.allies[k] else "cord off"}
    return parts


def _throw(players: int, blow: tuple[int, int, int, bool] | None) -> dict[str, Any]:
    """Return the path of the last throw and its die, in the coordinates of ``page.html``."""
    if blow is None:
        return {name: {"class": "off"} for name in ("blow", "trail", "trail-head", "rolled", "rolled-up", "rolled-die")}
    seat, target, roll, hit = blow
    turn, apart = 360 / players, (target - seat) % players
    length = 2 * RADIUS * math.sin(math.pi * apart / players)
    way = f"rotate({turn * seat:g}) translate(0 {RADIUS}) rotate({180 + turn / 2 * apart:g})"
    return {
        "blow": {"class": "hit" if hit else "miss", "transform": way},
        "trail": {"class": "trail", "d": f"M{REACH + 14} 0H{length - REACH - 66:.0f}"},
        "trail-head": {"class": "trail-head", "transform": f"translate({length - REACH - 46:.0f})"},
        "rolled": {"class": "hit" if hit else "miss", "transform": f"rotate({turn * target:g}) translate(0 {RADIUS})"},
        "rolled-up": {"transform": f"rotate({-turn * target:g}) translate(-52 -62)"},
        "rolled-die": {"href": f"#die-{roll}"},
    }


def control_regions(page: Any) -> dict[str, Any]:
    """Return the controls beside every other seat: two buttons, each with its shortcut and its tooltip."""
    choices = page.choices or page.ahead
    by = {choice.action: choice for choice in choices}
    keys = {choice.action: key for key, choice in enumerate([each for each in choices if not each.refusal], 1)}
    mode = "" if page.choices else " early" if page.ahead else " waiting"
    parts: dict[str, Any] = {"spots": {"class": f"square spots rests{mode}"}}
    for seat in page.seats:
        k, alive = seat.seat, page.own.alive[seat.seat]
        if k == page.viewer:
            continue
        parts[f"spot-{k}"] = {"class": f"spot spot-{(k - page.viewer) % len(page.seats)}{'' if alive else ' fallen'}"}
        for kind, action in (("attack", ATTACK + k), ("ally", ALLY + k)):
            choice, odds = by.get(action), page.own.odds if kind == "attack" else None
            chosen = None if page.choices else action == page.intended
            parts[f"act-{action}"] = _button(page, kind, choice, keys.get(action))
            parts[f"key-{action}"] = ("shortcut", action, keys.get(action))
            parts[f"why-{action}"] = ("why", action, choice, odds, chosen)
    return parts


def _button(page: Any, kind: str, choice: Any, key: int | None) -> dict[str, Any]:
    """Return the changing attributes of a button: for a decision, for one that is chosen ahead, or at rest."""
    if choice is None or choice.refusal:
        return {"class": f"act {kind}", "aria-disabled": "true", "tabindex": None if choice else -1}
    if page.choices:
        return {"class": f"act {kind}", "name": "action", "value": choice.action, "data-key": key}
    chosen = choice.action == page.intended
    ahead = {"aria-pressed": "true" if chosen else "false", "formaction": f"{page.url}/ahead"}
    return {"class": f"act ahead {kind}", "name": "action", "value": "" if chosen else choice.action, "data-key": key, **ahead}


def own(view: View) -> Own:
    """Return the values for a seat's controls."""
    return Own(view.plain.alive, (killing_rolls(view.state) if view.actor == view.viewer else 0, view.plain.sides))


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
