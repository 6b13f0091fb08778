"""Viking Axes: the values that ``page.html`` draws in a browser."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from meadhall.games.viking_axes.cards import card_title
from meadhall.games.viking_axes.state import COPIES, NO_CARD, Act, Due, Event, Phase, axes_on, hand_size, is_playable, shields_on
from meadhall.games.viking_axes.story import KINDS as KIND_OF
from meadhall.games.viking_axes.story import Front, Piece, Story, Throw, story_of
from meadhall.sdk import View


@dataclass(frozen=True)
class Card:
    """An open card.

    Attributes:
        used: its shields that are used.
    """

    serial: int
    kind: int
    used: int = 0


@dataclass(frozen=True)
class Place:
    """A player's place at the table.

    Attributes:
        due: ``"skip"`` if the player will miss a turn, ``"turn"`` if the player must play one before missing another, else "".
        hand: the cards held; None for each card that the viewer doesn't know.
    """

    seat: int
    out: bool
    hits: int
    shields: tuple[Card, ...]
    unused: int
    lying: tuple[Card, ...]
    marks: tuple[Card, ...]
    armory: Card | None
    due: str
    hand: tuple[int | None, ...]


@dataclass(frozen=True)
class Kind:
    """A kind of card in the discard pile."""

    kind: int
    title: str
    count: int


@dataclass(frozen=True)
class Picture:
    """The public part of the table.

    Attributes:
        offer: whether the seat to move can cash in an armory.
        top: the uppermost discarded cards, the top one last.
        card: the card in play.
        throw: the throw of the last step, if there was one and the match goes on.
    """

    players: int
    strategic: bool
    limit: int
    actor: int | None
    offer: bool
    places: tuple[Place, ...]
    left: int
    discarded: tuple[Kind, ...]
    top: tuple[Card, ...]
    card: Kind | None
    throw: Throw | None


@dataclass(frozen=True)
class Threat:
    """The effect of throwing the axe card in play at a player."""

    blocked: int
    hits: int
    out: bool


@dataclass(frozen=True)
class Held:
    """A card of the viewer's hand, the action that uses it, and whether it was just drawn."""

    kind: int
    title: str
    action: int
    drawn: bool


@dataclass(frozen=True)
class Own:
    """The values for a seat's controls.

    Attributes:
        phase: the name of the decision; "" while the seat waits.
        threats: by seat, if axes are to be thrown.
    """

    THROW: ClassVar[int] = Act.THROW
    SKIP: ClassVar[int] = Act.SKIP
    DISARM: ClassVar[int] = Act.DISARM

    strategic: bool
    phase: str
    threats: tuple[Threat | None, ...]
    hand: tuple[Held, ...]


def components(_options: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    """VA-1.1: Return the titles of the cards, and how many there are of each."""
    return tuple((card_title(kind), count) for kind, count in enumerate(COPIES))


def picture(view: View) -> Picture:
    """Return the values for the board."""
    state, story = view.plain, story_of(view)
    return Picture(
        players=state.players,
        strategic=bool(state.strategic),
        limit=state.limit,
        actor=view.actor,
        offer=view.actor is not None and state.phase == Phase.OFFER,
        places=tuple(_place(view, story, seat) for seat in range(state.players)),
        left=state.left,
        discarded=tuple(Kind(kind, card_title(kind), count) for kind, count in enumerate(state.discarded) if count),
        top=tuple(map(_card, story.discarded[-2:])),
        card=None if state.card == NO_CARD else Kind(state.card, card_title(state.card), 1),
        throw=story.throw if view.actor is not None else None,
    )


def beats(view: View) -> int:
    """Return how long the board shows the last step, in beats (see ``stage.js``)."""
    return sum(LENGTHS.get(Event(event.kind), 0) for event in view.steps[-1].events)


LENGTHS = {
    Event.SHUFFLED: 2,
    Event.DREW: 4,
    Event.PLAYS: 3,
    Event.DISCARDS: 2,
    Event.THROWS: 4,
    Event.BLOCKED: 2,
    Event.HITS: 3,
    Event.SHIELDS_SPENT: 2,
    Event.OUT: 3,
    Event.PLACES: 2,
    Event.CASHES_IN: 2,
    Event.CASHES_IN_EARLY: 2,
    Event.DISARMS: 4,
    Event.SKIPS: 4,
    Event.TURN_SKIPPED: 3,
}
"""How long the board shows each event, in beats."""


def _place(view: View, story: Story, seat: int) -> Place:
    state, front = view.plain, story.fronts[seat]
    return Place(
        seat=seat,
        out=bool(state.out[seat]),
        hits=state.hits[seat],
        shields=tuple(_shields(front, state.unused[seat])),
        unused=state.unused[seat],
        lying=tuple(map(_card, front.lying)),
        marks=tuple(map(_card, front.marks)),
        armory=_card(front.armory[0]) if front.armory else None,
        due={Due.NOTHING: "", Due.TURN: "turn", Due.SKIP: "skip"}[Due(state.due[seat])],
        hand=tuple(_known(view, seat)) or (None,) * hand_size(view.state, seat),
    )


def _card(piece: Piece) -> Card:
    return Card(piece.serial, piece.kind)


def _shields(front: Front, unused: int) -> Iterable[Card]:
    """Yield the shield cards of a pool. The oldest shields are used first, so that used ones stay used in the picture."""
    used = sum(shields_on(piece.kind) for piece in front.shields) - unused
    for piece in front.shields:
        here = min(used, shields_on(piece.kind))
        used -= here
        yield Card(piece.serial, piece.kind, here)


def _known(view: View, seat: int) -> Iterable[int]:
    """Yield the cards of a hand that the viewer knows."""
    for kind, copies in enumerate(view.plain.hand[seat]):
        yield from [kind] * copies


def own(view: View) -> Own:
    """Return the values for a seat's controls."""
    state, decides = view.plain, view.actor == view.viewer
    throws = decides and state.phase == Phase.THROW
    return Own(
        strategic=bool(state.strategic),
        phase=Phase(state.phase).name.lower() if decides else "",
        threats=tuple(_threat(state, seat) for seat in range(state.players)) if throws else (),
        hand=tuple(_hand(view, decides and state.phase == Phase.HAND)),
    )


def _threat(state: Any, seat: int) -> Threat | None:
    if state.out[seat] or seat == state.actor:
        return None
    axes = axes_on(state.card)
    blocked = min(axes, state.unused[seat])
    hits = axes - blocked
    return Threat(blocked, hits, hits > 0 and state.hits[seat] + hits >= state.limit)


def _hand(view: View, decides: bool) -> Iterable[Held]:
    """VA-2.3: A card is played. One is discarded only if none can be played."""
    hand = list(_known(view, view.viewer))
    first = Act.DISCARD if decides and not any(is_playable(view.state, kind) for kind in hand) else Act.PLAY
    drawn = _drawn(view) if decides else NO_CARD
    for place, kind in enumerate(hand):
        yield Held(kind, card_title(kind), first + kind, kind == drawn and kind not in hand[place + 1 :])


def _drawn(view: View) -> int:
    """Return the card that the viewer drew in the last step, NO_CARD if none."""
    happened = view.steps[-1].events if view.steps else view.setup
    drawn = [event.arguments[1] for event in happened if event.kind == Event.DREW and event.audience == view.viewer]
    return KIND_OF[drawn[-1]] if drawn else NO_CARD


def offered(view: View) -> Iterable[int]:
    """Return the actions to show. The page explains the illegal ones.

    For an axe these are all other players, for a wench those still in the game, for a hand all its cards.
    """
    return sorted({*view.legal, *_explained(view)})


def _explained(view: View) -> Iterable[int]:
    """Return the actions of which some may be illegal."""
    others = [seat for seat in range(view.plain.players) if seat != view.viewer]
    if view.plain.phase == Phase.THROW:
        return [Act.THROW + seat for seat in others]
    if view.plain.phase == Phase.WENCH:
        return [first + seat for first in (Act.SKIP, Act.DISARM) for seat in others if not view.plain.out[seat]]
    if view.plain.phase == Phase.HAND:
        return [Act.PLAY + kind for kind in _known(view, view.viewer)]
    return ()
