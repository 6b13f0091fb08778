"""Viking Axes in words: events, actions, refusals and prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from meadhall.games.viking_axes.state import (
    ACTIONS,
    KINDS,
    PHRASES,
    SEATS,
    SHIELD_KINDS,
    Act,
    Card,
    Due,
    Event,
    Phase,
    State,
    axes_on,
    card,
    card_phrase,
    card_title,
    hand_size,
    is_playable,
    shields_on,
)
from meadhall.sdk import PUBLIC, TURN, Argument, Event as GameEvent, EventKind, Part, gettext as _, marked, number, seat

AXES = {1: marked("an axe"), 2: marked("two axes"), 3: marked("three axes")}
HITS = {1: marked("a hit"), 2: marked("two hits"), 3: marked("three hits")}


def axes(value: int) -> int:
    """Write an argument that is a number of axes."""
    return value


def hits(value: int) -> int:
    """Write an argument that is a number of hits."""
    return value


DISCARD_RULES = {"armory": "VA-5.1", "wench": "VA-6.3"}
"""The rules that let a player discard a card. Axes and shields are discarded only by dropping out."""

EVENTS: dict[int, EventKind] = {
    Event.SHUFFLED: EventKind("shuffled", (number,), "VA-1.5", marked("{0} cards are shuffled"), fields=("cards",), beats=2),
    Event.STARTS: EventKind(
        "starts",
        (seat,),
        "VA-1.1",
        marked("{0} goes first"),
        you=(marked("You go first"),),
        brief=(marked("{0} goes first"), marked("you go first")),
    ),
    Event.DREW: EventKind(
        "drew",
        (seat, card),
        "VA-2.1",
        marked("{0} draws {1}"),
        you=(marked("You draw {1}"),),
        turn=TURN,
        brief=(marked("{1} drawn"),),
        joins=("cashes_in", "discards"),
        fields=("seat", "card"),
        beats=4,
    ),
    Event.DEALT: EventKind(
        "dealt", (seat, card), "VA-1.3", marked("{0} is dealt {1}"), you=(marked("You are dealt {1}"),), fields=("seat", "card")
    ),
    Event.PLAYS: EventKind(
        "plays",
        (seat, card),
        "VA-2.3",
        marked("{0} plays {1}"),
        you=(marked("You play {1}"),),
        turn=TURN,
        brief=(marked("{1} played"),),
        joins=("cashes_in", "discards"),
        fields=("seat", "card"),
        beats=3,
    ),
    Event.DISCARDS: EventKind(
        "discards",
        (seat, card),
        "VA-3.7",
        marked("{0} discards {1}"),
        rules=DISCARD_RULES,
        you=(marked("You discard {1}"),),
        turn=(),
        brief=(marked("discarded"),),
        joins=("drew", "plays"),
        fields=("seat", "card"),
        beats=2,
    ),
    Event.THROWS: EventKind(
        "throws",
        (seat, seat, axes),
        "VA-3.1",
        marked("{0} throws {2} at {1}"),
        you=(marked("You throw {2} at {1}"), marked("{0} throws {2} at you")),
        brief=(marked("thrown at {1}"), "", marked("thrown at you")),
        fields=("seat", "target", "axes"),
        beats=4,
    ),
    Event.BLOCKED: EventKind(
        "blocked",
        (seat, axes),
        "VA-3.3",
        marked("{0}'s shields block {1}"),
        you=(marked("Your shields block {1}"),),
        brief=(marked("{1} blocked"),),
        fields=("seat", "axes"),
        beats=2,
    ),
    Event.HITS: EventKind(
        "hits",
        (seat, hits),
        "VA-3.2",
        marked("{0} takes {1}"),
        you=(marked("You take {1}"),),
        brief=(marked("{1} landed"),),
        fields=("seat", "hits"),
        beats=3,
    ),
    Event.SHIELDS_SPENT: EventKind(
        "shields_spent",
        (seat,),
        "VA-3.6",
        marked("{0}'s shields are used up"),
        you=(marked("Your shields are used up"),),
        brief=(marked("shields used up"),),
        beats=2,
    ),
    Event.PLACES: EventKind(
        "places",
        (seat, card),
        "VA-4.1",
        marked("{0} places {1}"),
        rules={"armory": "VA-5.1"},
        you=(marked("You place {1}"),),
        brief=(marked("placed"),),
        fields=("seat", "card"),
        beats=2,
    ),
    Event.CASHES_IN: EventKind(
        "cashes_in",
        (seat,),
        "VA-5.3",
        marked("{0} cashes in an armory"),
        you=(marked("You cash in an armory"),),
        brief=(marked("an armory cashed in"),),
        beats=2,
    ),
    Event.CASHES_IN_EARLY: EventKind(
        "cashes_in",
        (seat,),
        "VA-8.1",
        marked("{0} cashes in an armory"),
        you=(marked("You cash in an armory"),),
        turn=TURN,
        brief=(marked("an armory cashed in"),),
        beats=2,
    ),
    Event.DISARMS: EventKind(
        "disarms",
        (seat, seat),
        "VA-6.1",
        marked("{0}'s wench empties {1}'s armory"),
        you=(marked("Your wench empties {1}'s armory"), marked("{0}'s wench empties your armory")),
        brief=(marked("{1}'s armory emptied"), "", marked("your armory emptied")),
        fields=("seat", "target"),
        beats=4,
    ),
    Event.SKIPS: EventKind(
        "skips",
        (seat, seat),
        "VA-6.1",
        marked("{0}'s wench makes {1} miss a turn"),
        you=(marked("Your wench makes {1} miss a turn"), marked("{0}'s wench makes you miss a turn")),
        brief=(marked("{1} must miss a turn"), "", marked("you must miss a turn")),
        fields=("seat", "target"),
        beats=4,
    ),
    Event.TURN_SKIPPED: EventKind(
        "turn_skipped", (seat,), "VA-6.4", marked("{0} misses a turn"), you=(marked("You miss a turn"),), turn=(), beats=3
    ),
    Event.OUT: EventKind(
        "out",
        (seat,),
        "VA-3.7",
        marked("{0} is out"),
        you=(marked("You are out"),),
        brief=(marked("{0} is out"), marked("you are out")),
        beats=3,
    ),
    Event.WON: EventKind("won", (seat,), "VA-7.1", marked("{0} wins"), you=(marked("You win"),), turn=()),
}


TEXTS: dict[Argument, Mapping[Any, str]] = {card: PHRASES, axes: AXES, hits: HITS}
"""The words for cards, axes and hits; players and plain numbers need none."""


def event(event: GameEvent, names: Sequence[str], viewer: int = PUBLIC, part: Part = Part.LINE) -> str:
    """Return the text of an event. It calls seat ``viewer`` "you"."""
    kind = EVENTS[event.kind]
    values = [_spoken(kind.argument(k), value, names) for k, value in enumerate(event.arguments)]
    return kind.in_words(event.arguments, names, viewer, part, values)


def _spoken(argument: Argument, value: Any, names: Sequence[str]) -> Any:
    if argument is seat:
        return names[value]
    return _(TEXTS[argument][value]) if argument in TEXTS else value


def action(state: State, action: int, names: Sequence[str]) -> str:
    """Return the text of an action."""
    if action < Act.SKIP:
        return _("throw {axes} at {name}").format(axes=_(AXES[axes_on(state.card)]), name=names[action - Act.THROW])
    if action < Act.DISARM:
        return _("make {name} miss a turn").format(name=names[action - Act.SKIP])
    if action < Act.DRAW:
        return _("empty {name}'s armory").format(name=names[action - Act.DISARM])
    if action >= Act.DISCARD:
        return _("discard {card}").format(card=card_phrase(action - Act.DISCARD))
    if action >= Act.PLAY:
        return _("play {card}").format(card=card_phrase(action - Act.PLAY))
    return {
        Act.DRAW: _("discard the armory and draw another card"),
        Act.PLACE: _("place the armory in front of you"),
        Act.CASH_IN: _("cash in your armory and draw another card"),
        Act.END_TURN: _("keep your armory and draw your card") if state.owed else _("end the turn"),
    }[Act(action)]


PHASES = (
    (Act.SKIP, Phase.THROW),
    (Act.DRAW, Phase.WENCH),
    (Act.CASH_IN, Phase.ARMORY),
    (Act.PLAY, Phase.OFFER),
    (ACTIONS, Phase.HAND),
)
"""The decision to which an action belongs: that of the first pair whose number is greater than the action."""


def refusal(state: State, action: int, names: Sequence[str]) -> tuple[str, str]:
    """Return the rule id and the reason why the action is not allowed now; two empty strings if it is allowed."""
    phase = next(phase for end, phase in PHASES if action < end)
    if phase != state.phase:
        return _wrong_phase(state, phase, action)
    if phase == Phase.HAND:
        return _refused_card(state, action)
    if phase in (Phase.THROW, Phase.WENCH):
        return _refused_seat(state, action, names)
    return "", ""


def _wrong_phase(state: State, phase: Phase, action: int) -> tuple[str, str]:
    """Say why there is no decision of this kind now."""
    if phase == Phase.THROW:
        return "VA-3.1", _("You have no axe to throw now.")
    if phase == Phase.WENCH:
        return "VA-6.1", _("You have no wench in play.")
    if phase == Phase.ARMORY:
        return "VA-5.1", _("You have no armory in play.")
    if action == Act.END_TURN:
        return "VA-5.3", _("The turn ends by itself after your card. You end it only when you could cash in an armory.")
    if phase == Phase.OFFER and not state.armory[state.actor]:
        return "VA-5.3", _("You have no armory in front of you to cash in.")
    if phase == Phase.OFFER and not state.offer:
        return "VA-5.4", _("You placed this armory in this turn. You can cash it in from your next turn on.")
    if phase == Phase.OFFER and state.early:
        return "VA-8.1", _("You can cash in an armory from an earlier turn only before or after the turn's first card.")
    if phase == Phase.OFFER:
        return "VA-5.3", _("You can cash in an armory from an earlier turn only after the turn's first card.")
    if state.strategic and state.phase == Phase.OFFER and state.owed:
        return "VA-8.1", _("You have not drawn your card yet. First choose whether to cash in your armory.")
    if state.strategic:
        return "VA-2.3", _("You have already chosen a card. You can't choose another one now.")
    return "VA-1.3", _("Players hold cards only in the strategic variant.")


def _refused_card(state: State, action: int) -> tuple[str, str]:
    """Say why this card of the hand can't be played or discarded."""
    kind = action - (Act.DISCARD if action >= Act.DISCARD else Act.PLAY)
    if not state.hand[state.actor, kind]:
        return "VA-2.3", _("You don't hold the card “{card}”.").format(card=card_title(kind))
    if action >= Act.DISCARD:
        if any(state.hand[state.actor, other] and is_playable(state, other) for other in range(KINDS)):
            return "VA-2.3", _("You can discard a card only if you can't play any.")
    elif not is_playable(state, kind):
        if kind == Card.ARMORY:
            return "VA-5.2", _("You already have an armory in front of you.")
        return "VA-6.3", _("No other player has an armory, and no other player can be made to miss a turn.")
    return "", ""


def _refused_seat(state: State, action: int, names: Sequence[str]) -> tuple[str, str]:
    """Say why this player can't be the target of an axe or a wench."""
    other, rule = action % SEATS, "VA-3.1" if action < Act.SKIP else "VA-6.1"
    if other >= state.players:
        return rule, _("There is no player in seat {seat}.").format(seat=other + 1)
    if other == state.actor:
        return rule, _("You can't choose yourself.")
    name = names[other]
    if state.out[other]:
        return "VA-3.1" if action < Act.SKIP else "VA-6.4", _("{name} is out.").format(name=name)
    if action >= Act.DISARM:
        return ("", "") if state.armory[other] else ("VA-6.1", _("{name} has no armory.").format(name=name))
    if action >= Act.SKIP and state.due[other]:
        return "VA-6.2", _("{name} must play a turn before missing another.").format(name=name)
    return "", ""


def prompt(state: State, names: Sequence[str], viewer: int) -> str:
    """Return the prompt for the viewer: the pending decision, and the player who must make it."""
    if state.actor < 0:
        return _("The match is over.")
    axes = _(AXES[axes_on(state.card)]) if state.phase == Phase.THROW else ""
    if viewer == state.actor:
        return _own_prompt(state).format(axes=axes)
    return {
        Phase.HAND: _("{name} is choosing a card to play."),
        Phase.THROW: _("{name} has {axes} to throw and is choosing a target."),
        Phase.ARMORY: _("{name} has an armory and can discard it to draw another card, or place it."),
        Phase.WENCH: _("{name} has a wench: she can empty an armory or make a player miss a turn."),
        Phase.OFFER: _("{name} can cash in an armory to draw another card."),
    }[Phase(state.phase)].format(name=names[state.actor], axes=axes)


def _own_prompt(state: State) -> str:
    if state.phase == Phase.HAND:
        playable = any(state.hand[state.actor, kind] and is_playable(state, kind) for kind in range(KINDS))
        return _("Play one of your cards.") if playable else _("You can't play any of your cards. Discard one.")
    return {
        Phase.THROW: _("You have {axes} to throw. Choose a target."),
        Phase.ARMORY: _("An armory! Discard it to draw another card now, or place it for a later turn?"),
        Phase.WENCH: _("A wench! Choose whose armory she empties, or who misses a turn."),
        Phase.OFFER: _("Cash in your armory for a card before the card of your turn, or keep it for now?")
        if state.owed
        else _("Cash in your armory to draw another card, or end your turn?"),
    }[Phase(state.phase)]


def ending(state: State) -> tuple[str, str]:
    """Return the rule id and the words for how the match ended."""
    if state.living == 1:
        return "VA-7.1", _("the last one standing")
    return "VA-7.2", _("all axes have been thrown, and the fewest hits win")


def sketch(state: State, names: Sequence[str]) -> str:
    """Draw the piles, and a line for each player: hits as notches up to the limit, and the cards in front."""
    width = max(map(len, names))
    discarded = sum(state.discarded[kind] for kind in range(KINDS))
    lines = [_("draw pile {left}, discarded {discarded}").format(left=state.left, discarded=discarded)]
    for player, name in enumerate(names):
        marker = ">" if player == state.actor else " "
        lines.append(f"{marker} {name:<{width}}  {_notches(state, player)}  {'; '.join(_facts(state, player))}".rstrip())
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
