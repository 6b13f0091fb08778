"""What a browser shows of Viking Axes: the values that ``page.html`` draws."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from meadhall.engine.view import View
from meadhall.games.viking_axes.cards import card_title
from meadhall.games.viking_axes.state import (
    DISARM,
    DISCARD,
    NONE,
    PLAY,
    SHIELD,
    SKIP,
    THROW,
    Due,
    Event,
    Phase,
    hand_size,
    is_playable,
)
from meadhall.games.viking_axes.story import KINDS as KIND_OF
from meadhall.games.viking_axes.story import Move, Piece, Story


@dataclass(frozen=True)
class Card:
    """A card that lies open. ``beat``: when it came, None if it was there. ``used``: of its shields, ``new`` of them newly."""

    serial: int
    kind: int
    beat: int | None
    used: int = 0
    new: int = 0


@dataclass(frozen=True)
class Place:
    """A player and what is theirs. Of the hand's cards those are None that the viewer doesn't know."""

    seat: int
    out: int | None  # since which beat; -1: since long
    hits: int
    new_hits: int
    struck: int  # the beat of what the last throw did
    shields: tuple[Card, ...]
    unused: int
    lying: tuple[Card, ...]
    marks: tuple[Card, ...]
    armory: Card | None
    due: str  # "", "skip": will miss a turn; "turn": has to play one before missing another
    due_since: int | None  # the beat, if it is new
    hand: tuple[int | None, ...]


@dataclass(frozen=True)
class Kind:
    """A kind of card in the discard pile."""

    kind: int
    title: str
    count: int


@dataclass(frozen=True)
class Picture:
    """The table as everybody sees it. ``n`` numbers the moment, so that what is new can be told from what was there."""

    n: int
    players: int
    strategic: bool
    limit: int
    actor: int | None
    offer: bool  # an armory can be cashed in
    places: tuple[Place, ...]
    left: int
    discarded: tuple[Kind, ...]
    top: tuple[Card, ...]  # the uppermost of the discarded cards, the top last
    card: Kind | None  # in play
    came: Move | None  # how it came there, if it has just come
    moves: tuple[Move, ...]
    since: dict[str, int]


@dataclass(frozen=True)
class Threat:
    """What an axe card would do to somebody."""

    blocked: int
    hits: int
    out: bool


@dataclass(frozen=True)
class Held:
    """A card of one's own hand: what choosing it would be, and whether it has just been drawn."""

    kind: int
    title: str
    action: int
    drawn: bool


@dataclass(frozen=True)
class Own:
    """What the controls of a seat need."""

    strategic: bool
    phase: str  # "" while the seat waits
    beat: int  # when what happened before has been shown
    threats: tuple[Threat | None, ...]
    hand: tuple[Held, ...]


def picture(view: View) -> Picture:
    """The picture of a view."""
    state, story = view.state, Story(view)
    came = next((move for move in story.moves if move.end == "play" and move.beat == story.since.get("play")), None)
    moves = story.moves if state.card == NONE else [move for move in story.moves if move is not came]
    discarded = view.states["discarded"][0].tolist()
    return Picture(
        n=view.steps[-1].n if view.steps else 0,
        players=state.players,
        strategic=bool(state.strategic),
        limit=state.limit,
        actor=view.actor,
        offer=view.actor is not None and state.phase == Phase.OFFER,
        places=tuple(_place(view, story, seat) for seat in range(state.players)),
        left=state.left,
        discarded=tuple(Kind(kind, card_title(kind), count) for kind, count in enumerate(discarded) if count),
        top=tuple(_card(story, piece) for piece in story.discarded[-2:]),
        card=None if state.card == NONE else Kind(state.card, card_title(state.card), 1),
        came=came,
        moves=tuple(moves),
        since=story.since,
    )


def _place(view: View, story: Story, seat: int) -> Place:
    state, front = view.state, story.fronts[seat]
    return Place(
        seat=seat,
        out=story.since.get(f"out-{seat}", -1) if state.out[seat] else None,
        hits=int(state.hits[seat]),
        new_hits=story.hits.get(seat, 0),
        struck=story.since.get("struck", 0),
        shields=tuple(_shields(story, seat, int(state.unused[seat]))),
        unused=int(state.unused[seat]),
        lying=tuple(_card(story, piece) for piece in front.lying),
        marks=tuple(_card(story, piece) for piece in front.marks),
        armory=_card(story, front.armory[0]) if front.armory else None,
        due={Due.NOTHING: "", Due.TURN: "turn", Due.SKIP: "skip"}[Due(int(state.due[seat]))],
        due_since=story.since.get(f"due-{seat}"),
        hand=tuple(_known(view, seat)) or (None,) * hand_size(state, seat),
    )


def _card(story: Story, piece: Piece) -> Card:
    return Card(piece.serial, piece.kind, story.beat(piece))


def _shields(story: Story, seat: int, unused: int) -> Iterable[Card]:
    """The shield cards of a pool; those that came first are used first, so that nothing shifts."""
    pieces = story.fronts[seat].shields
    used = sum(piece.kind - SHIELD + 1 for piece in pieces) - unused
    before = used - story.blocked.get(seat, 0)
    for piece in pieces:
        count = piece.kind - SHIELD + 1
        here, new = min(used, count), min(used, count) - min(before, count)
        used, before = used - here, before - here + new
        yield Card(piece.serial, piece.kind, story.beat(piece), here, new)


def _known(view: View, seat: int) -> Iterable[int]:
    """The cards of a hand, as far as the viewer knows them."""
    for kind, copies in enumerate(view.states["hand"][0, seat].tolist()):
        yield from [kind] * copies


def own(view: View) -> Own:
    """The values for a seat's controls."""
    state, decides = view.state, view.actor == view.viewer
    throws = decides and state.phase == Phase.THROW
    return Own(
        strategic=bool(state.strategic),
        phase=Phase(state.phase).name.lower() if decides else "",
        beat=_shown(view) if decides else 0,
        threats=tuple(_threat(state, seat) for seat in range(state.players)) if throws else (),
        hand=tuple(_hand(view, decides and state.phase == Phase.HAND)),
    )


def _shown(view: View) -> int:
    """The beat in which the decision is reached: the card in play can be read, or there is nothing more to be told."""
    since = Story(view).since
    return since.get("end", 0) if view.state.card == NONE else since.get("play", -1) + 1


def _threat(state: Any, seat: int) -> Threat | None:
    if state.out[seat] or seat == state.actor:
        return None
    blocked = min(state.card + 1, int(state.unused[seat]))
    hits = state.card + 1 - blocked
    return Threat(blocked, hits, hits > 0 and state.hits[seat] + hits >= state.limit)


def _hand(view: View, decides: bool) -> Iterable[Held]:
    """VA-2.3: cards are to be played; only if none can be, to be discarded."""
    state = view.state
    hand = list(_known(view, view.viewer))
    first = DISCARD if decides and not any(is_playable(state, kind) for kind in hand) else PLAY
    drawn = _drawn(view) if decides else NONE
    for place, kind in enumerate(hand):
        yield Held(kind, card_title(kind), first + kind, kind == drawn and kind not in hand[place + 1 :])


def _drawn(view: View) -> int:
    """The card that the viewer drew last."""
    happened = view.steps[-1].events if view.steps else view.setup
    drawn = [event.arguments[1] for event in happened if event.kind == Event.DREW and event.audience == view.viewer]
    return KIND_OF[drawn[-1]] if drawn else NONE


def offered(view: View) -> Iterable[int]:
    """Everybody else for an axe, who is not out for the wench, every card held: so that what can't be chosen says why."""
    others = [seat for seat in range(view.state.players) if seat != view.viewer]
    if view.state.phase == Phase.THROW:
        return [THROW + seat for seat in others]
    if view.state.phase == Phase.WENCH:
        return [first + seat for first in (SKIP, DISARM) for seat in others if not view.state.out[seat]]
    if view.state.phase == Phase.HAND:
        return [PLAY + kind for kind in _known(view, view.viewer)]
    return ()
