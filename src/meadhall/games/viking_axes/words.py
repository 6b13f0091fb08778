"""Viking Axes in words: its events, actions, refusals and prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from meadhall.engine import events
from meadhall.engine.events import Argument, EventKind, number, seat
from meadhall.engine.language import gettext as _
from meadhall.engine.language import marked
from meadhall.games.viking_axes.cards import PHRASES, card, card_phrase, card_title
from meadhall.games.viking_axes.state import (
    ACTIONS,
    ARMORY,
    CASH_IN,
    DISARM,
    DISCARD,
    DRAW,
    END_TURN,
    KINDS,
    PLACE,
    PLAY,
    SEATS,
    SKIP,
    Event,
    Phase,
    State,
    is_playable,
)
from meadhall.games.viking_axes.terminal import sketch as sketch

AXES = {1: marked("an axe"), 2: marked("two axes"), 3: marked("three axes")}
HITS = {1: marked("a hit"), 2: marked("two hits"), 3: marked("three hits")}


def axes(value: int) -> int:
    """An argument that is a number of axes."""
    return value


def hits(value: int) -> int:
    """An argument that is a number of hits."""
    return value


WHY_DISCARDED = {"armory": "VA-5.1", "wench": "VA-6.3"}
"""The rule that lets a card be discarded. Axes and shields can always be played: only who goes out discards them."""

EVENTS: dict[int, EventKind] = {
    Event.SHUFFLED: EventKind("shuffled", (number,), "VA-1.5", marked("{0} cards are shuffled")),
    Event.STARTS: EventKind("starts", (seat,), "VA-1.1", marked("{0} starts")),
    Event.DREW: EventKind("drew", (seat, card), "VA-2.1", marked("{0} draws {1}")),
    Event.DEALT: EventKind("dealt", (seat, card), "VA-1.3", marked("{0} is dealt {1}")),
    Event.PLAYS: EventKind("plays", (seat, card), "VA-2.3", marked("{0} plays {1}")),
    Event.DISCARDS: EventKind("discards", (seat, card), "VA-3.7", marked("{0} discards {1}"), rules=WHY_DISCARDED),
    Event.THROWS: EventKind("throws", (seat, seat, axes), "VA-3.1", marked("{0} throws {2} at {1}")),
    Event.BLOCKED: EventKind("blocked", (seat, axes), "VA-3.3", marked("{0}'s shields block {1}")),
    Event.HITS: EventKind("hits", (seat, hits), "VA-3.2", marked("{0} takes {1}")),
    Event.SHIELDS_SPENT: EventKind("shields_spent", (seat,), "VA-3.6", marked("{0}'s shields are used up")),
    Event.PLACES: EventKind("places", (seat, card), "VA-4.1", marked("{0} places {1}"), rules={"armory": "VA-5.1"}),
    Event.CASHES_IN: EventKind("cashes_in", (seat,), "VA-5.3", marked("{0} cashes in the armory")),
    Event.DISARMS: EventKind("disarms", (seat, seat), "VA-6.1", marked("{0}'s wench empties {1}'s armory")),
    Event.SKIPS: EventKind("skips", (seat, seat), "VA-6.1", marked("{0}'s wench turns the head of {1}, who will miss a turn")),
    Event.TURN_SKIPPED: EventKind("turn_skipped", (seat,), "VA-6.4", marked("{0} misses a turn")),
    Event.OUT: EventKind("out", (seat,), "VA-3.7", marked("{0} is out")),
    Event.WON: EventKind("won", (seat,), "VA-7.1", marked("{0} wins")),
}


TEXTS: dict[Argument, Mapping[Any, str]] = {card: PHRASES, axes: AXES, hits: HITS}
"""How arguments are put that are neither players nor plain numbers."""


def event(event: events.Event, names: Sequence[str]) -> str:
    """What happened, in words."""
    kind = EVENTS[event.kind]
    phrases = (TEXTS.get(kind.argument(k)) for k in range(len(event.arguments)))
    told = [_(phrase[value]) if phrase else value for phrase, value in zip(phrases, event.arguments, strict=True)]
    return kind.in_words(told, names)


def action(state: State, action: int, names: Sequence[str]) -> str:
    """What the actor would do."""
    if action < SKIP:
        return _("throw {axes} at {name}").format(axes=_(AXES[state.card + 1]), name=names[action])
    if action < DISARM:
        return _("make {name} miss a turn").format(name=names[action - SKIP])
    if action < DRAW:
        return _("empty {name}'s armory").format(name=names[action - DISARM])
    if action >= DISCARD:
        return _("discard {card}").format(card=card_phrase(action - DISCARD))
    if action >= PLAY:
        return _("play {card}").format(card=card_phrase(action - PLAY))
    return {
        DRAW: _("discard the armory and draw another card"),
        PLACE: _("place the armory in front of you"),
        CASH_IN: _("cash in your armory and draw another card"),
        END_TURN: _("end the turn"),
    }[action]


PHASES = (
    (SKIP, Phase.THROW),
    (DRAW, Phase.WENCH),
    (CASH_IN, Phase.ARMORY),
    (PLAY, Phase.OFFER),
    (ACTIONS, Phase.HAND),
)
"""Which actions belong to which decision: those below the number, down to the one before."""


def refusal(state: State, action: int, names: Sequence[str]) -> tuple[str, str]:
    """Why this can't be done now, if so."""
    phase = next(phase for end, phase in PHASES if action < end)
    if phase != state.phase:
        return _not_now(state, phase)
    if phase == Phase.HAND:
        return _refused_card(state, action)
    if phase in (Phase.THROW, Phase.WENCH):
        return _refused_seat(state, action, names)
    return "", ""


def _not_now(state: State, phase: Phase) -> tuple[str, str]:
    """Why there is nothing of this kind to decide."""
    if phase == Phase.THROW:
        return "VA-3.1", _("There is no axe in play to be thrown.")
    if phase == Phase.WENCH:
        return "VA-6.1", _("There is no wench in play.")
    if phase == Phase.ARMORY:
        return "VA-5.1", _("There is no armory in play.")
    if phase == Phase.OFFER:
        return "VA-5.3", _("Only when the turn's first card is dealt with, an armory from an earlier turn can be cashed in.")
    if state.strategic:
        return "VA-2.3", _("A card of yours is in play, or has been: it is not the moment for another.")
    return "VA-1.3", _("Only in the strategic variant players hold cards.")


def _refused_card(state: State, action: int) -> tuple[str, str]:
    """Why this card of the hand can't be played, or discarded."""
    kind = action - (DISCARD if action >= DISCARD else PLAY)
    if not state.hand[state.actor, kind]:
        return "VA-2.3", _("You hold no card “{card}”.").format(card=card_title(kind))
    if action >= DISCARD:
        if any(state.hand[state.actor, other] and is_playable(state, other) for other in range(KINDS)):
            return "VA-2.3", _("You hold a card that can be played, so none is discarded.")
    elif not is_playable(state, kind):
        if kind == ARMORY:
            return "VA-5.2", _("There is an armory in front of you already.")
        return "VA-6.3", _("Nobody else has an armory, and nobody can be made to miss a turn.")
    return "", ""


def _refused_seat(state: State, action: int, names: Sequence[str]) -> tuple[str, str]:
    """Why this player can't be chosen for an axe, or for the wench."""
    other, rule = action % SEATS, "VA-3.1" if action < SKIP else "VA-6.1"
    if other >= state.players:
        return rule, _("Nobody sits on seat {seat}.").format(seat=other + 1)
    if other == state.actor:
        return rule, _("You have to choose somebody else.")
    name = names[other]
    if state.out[other]:
        return "VA-3.1" if action < SKIP else "VA-6.4", _("{name} is out.").format(name=name)
    if action >= DISARM:
        return ("", "") if state.armory[other] else ("VA-6.1", _("{name} has no armory.").format(name=name))
    if action >= SKIP and state.due[other]:
        return "VA-6.2", _("{name} has to play a turn before missing another.").format(name=name)
    return "", ""


def prompt(state: State, names: Sequence[str], viewer: int) -> str:
    """What is to be decided and by whom."""
    if state.actor < 0:
        return _("The match is over.")
    axes = _(AXES[state.card + 1]) if state.phase == Phase.THROW else ""
    if viewer == state.actor:
        return _own_prompt(state).format(axes=axes)
    return {
        Phase.HAND: _("{name} chooses a card to play."),
        Phase.THROW: _("{name} has {axes} to throw and chooses at whom."),
        Phase.ARMORY: _("{name} has an armory: to discard and draw another card, or to place."),
        Phase.WENCH: _("{name} has a wench: to empty somebody's armory, or to make somebody miss a turn."),
        Phase.OFFER: _("{name} can cash in the armory and draw another card."),
    }[Phase(state.phase)].format(name=names[state.actor], axes=axes)


def _own_prompt(state: State) -> str:
    if state.phase == Phase.HAND:
        playable = any(state.hand[state.actor, kind] and is_playable(state, kind) for kind in range(KINDS))
        return _("Play one of your cards.") if playable else _("None of your cards can be played. Discard one.")
    return {
        Phase.THROW: _("You have {axes} to throw. At whom?"),
        Phase.ARMORY: _("An armory! Discard it and draw another card at once, or place it for a later turn?"),
        Phase.WENCH: _("A wench! Whose armory does she empty, or who misses a turn?"),
        Phase.OFFER: _("Cash in your armory and draw another card, or end the turn?"),
    }[Phase(state.phase)]


def ending(state: State) -> tuple[str, str]:
    """How it ended."""
    if state.living == 1:
        return "VA-7.1", _("the last one on their feet")
    return "VA-7.2", _("every axe has been thrown, and the fewest hits count")
