"""Axes and Allies in words: its events, actions, refusals and prompts."""

from __future__ import annotations

from collections.abc import Sequence

from meadhall.engine import events
from meadhall.engine.events import EventKind, number, seat
from meadhall.engine.language import gettext as _
from meadhall.engine.language import marked
from meadhall.games.axes_and_allies.rules import ALLY, ATTACK, Event, State
from meadhall.games.axes_and_allies.terminal import sketch as sketch

EVENTS: dict[int, EventKind] = {
    Event.ORDER_ROLL: EventKind("order_roll", (seat, number), "AA-1.1", marked("{0} rolls {1} for the first turn")),
    Event.FIRST: EventKind("first", (seat,), "AA-1.1", marked("{0} goes first")),
    Event.POWER: EventKind("power", (seat, number), "AA-2.1", marked("{0}'s axe has power {1}")),
    Event.VOIDED: EventKind("voided", (), "AA-2.2", marked("A one: every alliance is void")),
    Event.LIMITED: EventKind("limited", (seat,), "AA-4.1", marked("{0} is allied with everybody and can only wait")),
    Event.ATTACK: EventKind("attack", (seat, seat), "AA-3.2", marked("{0} attacks {1}")),
    Event.ATTACK_ROLL: EventKind("attack_roll", (seat, number), "AA-3.2", marked("{0} rolls {1}")),
    Event.KILLED: EventKind("killed", (seat, seat), "AA-5.1", marked("{0} hacks {1} to pieces")),
    Event.MISSED: EventKind("missed", (seat, seat), "AA-3.2", marked("{0} misses {1}")),
    Event.ALLIED: EventKind("allied", (seat, seat), "AA-3.4", marked("{0} allies with {1}")),
    Event.WON: EventKind("won", (seat,), "AA-6.1", marked("{0} is the last one standing and wins")),
}


def event(event: events.Event, names: Sequence[str]) -> str:
    """What happened, in words."""
    return EVENTS[event.kind].in_words(event.arguments, names)


def action(state: State, action: int, names: Sequence[str]) -> str:
    """What the actor would do."""
    if action >= ALLY:
        return _("ally with {name}").format(name=names[action - ALLY])
    return _("attack {name}").format(name=names[action - ATTACK])


def refusal(state: State, action: int, names: Sequence[str]) -> tuple[str, str]:
    """Why the player named can't be attacked or allied with now, if so."""
    allying = action >= ALLY
    other = action - ALLY if allying else action - ATTACK
    if other >= state.players:
        return "AA-3.1", _("Nobody sits on seat {seat}.").format(seat=other + 1)
    name = names[other]
    if other == state.actor:
        return "AA-3.1", _("You have to name somebody else.")
    if not state.alive[other]:
        return "AA-5.1", _("{name} is dead.").format(name=name)
    if not state.allied[state.actor, other]:
        return "", ""
    if allying:
        return "AA-3.5", _("{name} is your ally already.").format(name=name)
    return "AA-3.2", _("{name} is your ally: allies don't attack each other.").format(name=name)


def prompt(state: State, names: Sequence[str], viewer: int) -> str:
    """What is to be decided and by whom."""
    if state.actor < 0:
        return _("The match is over.")
    if viewer != state.actor:
        return _("{name}'s axe has power {power}. {name} chooses whom to attack, or to ally with.").format(
            name=names[state.actor], power=state.power
        )
    if state.power == 1:
        return _("Your axe has power 1 and can't kill. Ally with somebody, or strike in vain.")
    return _("Your axe has power {power}: it kills on a roll below {power}. Attack somebody, or ally with somebody.").format(
        power=state.power
    )


def ending(state: State) -> tuple[str, str]:
    """How it ended."""
    return "AA-6.1", _("the last one standing")
