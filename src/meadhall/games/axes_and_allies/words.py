"""Axes and Allies in words: events, actions, refusals and prompts."""

from __future__ import annotations

from collections.abc import Sequence

from meadhall.games.axes_and_allies.rules import ALLY, ATTACK, DUEL, Event, State, killing_rolls, kills
from meadhall.sdk import PUBLIC, TURN, Event as GameEvent, EventKind, Part, gettext as _, marked, number, seat

EVENTS: dict[int, EventKind] = {
    Event.ORDER_ROLL: EventKind(
        "order_roll",
        (seat, number),
        "AA-1.1",
        marked("{0} rolls {1} for the first turn"),
        you=(marked("You roll {1} for the first turn"),),
        fields=("seat", "roll"),
    ),
    Event.FIRST: EventKind(
        "first",
        (seat,),
        "AA-1.1",
        marked("{0} goes first"),
        you=(marked("You go first"),),
        brief=(marked("{0} goes first"), marked("you go first")),
    ),
    Event.POWER: EventKind(
        "power",
        (seat, number),
        "AA-2.1",
        marked("{0}'s axe has power {1}"),
        you=(marked("Your axe has power {1}"),),
        turn=TURN,
        brief=(marked("power {1}"),),
        fields=("seat", "power"),
    ),
    Event.VOIDED: EventKind(
        "voided", (), "AA-2.2", marked("A one: every alliance is void"), brief=(marked("every alliance void"),), beats=2
    ),
    Event.LIMITED: EventKind(
        "limited",
        (seat,),
        "AA-4.1",
        marked("{0} is allied with everyone and can only roll"),
        you=(marked("You are allied with everyone and can only roll"),),
        brief=(marked("only allies left"),),
        beats=2,
    ),
    Event.ATTACK: EventKind(
        "attack",
        (seat, seat),
        "AA-3.2",
        marked("{0} attacks {1}"),
        you=(marked("You attack {1}"), marked("{0} attacks you")),
        brief=(marked("attack on {1}"), "", marked("attack on you")),
        fields=("seat", "target"),
        beats=3,
    ),
    Event.ATTACK_ROLL: EventKind(
        "attack_roll",
        (seat, number),
        "AA-3.2",
        marked("{0} rolls {1}"),
        you=(marked("You roll {1}"),),
        brief=(marked("roll {1}"),),
        fields=("seat", "roll"),
        beats=3,
    ),
    Event.KILLED: EventKind(
        "killed",
        (seat, seat),
        "AA-5.1",
        marked("{0} hacks {1} to pieces"),
        you=(marked("You hack {1} to pieces"), marked("{0} hacks you to pieces")),
        brief=(marked("killed"),),
        fields=("seat", "target"),
        beats=3,
    ),
    Event.MISSED: EventKind(
        "missed",
        (seat, seat),
        "AA-3.2",
        marked("{0} misses {1}"),
        you=(marked("You miss {1}"), marked("{0} misses you")),
        brief=(marked("missed"),),
        fields=("seat", "target"),
        beats=2,
    ),
    Event.ALLIED: EventKind(
        "allied",
        (seat, seat),
        "AA-3.4",
        marked("{0} allies with {1}"),
        you=(marked("You ally with {1}"), marked("{0} allies with you")),
        brief=(marked("alliance with {1}"), "", marked("alliance with you")),
        fields=("seat", "ally"),
        beats=2,
    ),
    Event.WON: EventKind(
        "won",
        (seat,),
        "AA-6.1",
        marked("{0} is the last one standing and wins"),
        you=(marked("You are the last one standing and win"),),
        turn=(),
    ),
}


def event(event: GameEvent, names: Sequence[str], viewer: int = PUBLIC, part: Part = Part.LINE) -> str:
    """Return the text of an event. It calls seat ``viewer`` "you"."""
    return EVENTS[event.kind].in_words(event.arguments, names, viewer, part)


def action(state: State, action: int, names: Sequence[str]) -> str:
    """Return the text of an action."""
    if action >= ALLY:
        return _("ally with {name}").format(name=names[action - ALLY])
    return _("attack {name}").format(name=names[action - ATTACK])


def refusal(state: State, action: int, names: Sequence[str]) -> tuple[str, str]:
    """Return the rule id and the reason why the action is not allowed now; two empty strings if it is allowed."""
    allying = action >= ALLY
    other = action - ALLY if allying else action - ATTACK
    if other >= state.players:
        return "AA-3.1", _("There is no player in seat {seat}.").format(seat=other + 1)
    name = names[other]
    if other == state.actor:
        return "AA-3.1", _("You can't choose yourself.")
    if not state.alive[other]:
        return "AA-5.1", _("{name} is dead.").format(name=name)
    if not state.allied[state.actor, other]:
        if allying and state.last_two_fight and state.living == DUEL:
            return "AA-7.1", _("The last two may not ally.")
        return "", ""
    if allying:
        return "AA-3.5", _("{name} is already your ally.").format(name=name)
    return "AA-3.2", _("{name} is your ally. Allies can't attack each other.").format(name=name)


def prompt(state: State, names: Sequence[str], viewer: int) -> str:
    """Return the prompt for the viewer: the pending decision, and the player who must make it."""
    if state.actor < 0:
        return _("The match is over.")
    if state.last_two_fight and state.living == DUEL:
        return _duel_prompt(state, names, viewer)
    if viewer != state.actor:
        return _("{name}'s axe has power {power}. {name} is choosing a player to attack or ally with.").format(
            name=names[state.actor], power=state.power
        )
    if not killing_rolls(state):
        return _("Your axe has power 1 and can't kill. Ally with a player, or make an attack that can only miss.")
    if state.kills_on:
        return _("Your axe has power {power}: it kills on {rolls}. Attack a player, or ally with one.").format(
            power=state.power, rolls=rolls_that_kill(state)
        )
    return _("Your axe has power {power}: it kills on a roll below {power}. Attack a player, or ally with one.").format(
        power=state.power
    )


def rolls_that_kill(state: State) -> str:
    """Return the rolls that kill with the power of this turn: "1–2, 5–6"; "" if none does."""
    found = [value for value in range(1, state.sides + 1) if kills(state, value)]
    runs = [value for value in found if value - 1 not in found], [value for value in found if value + 1 not in found]
    return ", ".join(str(low) if low == high else f"{low}–{high}" for low, high in zip(*runs, strict=True))


def _duel_prompt(state: State, names: Sequence[str], viewer: int) -> str:
    """AA-7.1: The last two may not ally, so only an attack is left."""
    if viewer != state.actor:
        return _("{name}'s axe has power {power}. {name} must attack: the last two may not ally.").format(
            name=names[state.actor], power=state.power
        )
    if not killing_rolls(state):
        return _("Your axe has power 1 and can't kill. The last two may not ally, so your attack can only miss.")
    if state.kills_on:
        return _("Your axe has power {power}: it kills on {rolls}. Attack: the last two may not ally.").format(
            power=state.power, rolls=rolls_that_kill(state)
        )
    return _("Your axe has power {power}: it kills on a roll below {power}. Attack: the last two may not ally.").format(
        power=state.power
    )


def ending(state: State) -> tuple[str, str]:
    """Return the rule id and the words for how the match ended."""
    return "AA-6.1", _("the last one standing")


def sketch(state: State, names: Sequence[str]) -> str:
    """Draw a line for each player: alive or dead, the power of the seat to move, and allies."""
    width = max(map(len, names))
    lines = []
    for player, name in enumerate(names):
        marker = ">" if player == state.actor else " "
        lines.append(f"{marker} {name:<{width}}  {'; '.join(_facts(state, player, names))}".rstrip())
    return "\n".join(lines)


def _facts(state: State, seat: int, names: Sequence[str]) -> list[str]:
    if not state.alive[seat]:
        return [_("dead")]
    facts = [_("axe power {power}").format(power=state.power)] if seat == state.actor else []
    allies = [names[other] for other in range(state.players) if state.alive[other] and state.allied[seat, other]]
    if allies:
        facts.append(_("allied with {names}").format(names=", ".join(allies)))
    return facts
