"""Viking Axes: the values that ``page.html`` draws in a browser."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from meadhall.games.viking_axes.cards import card_title
from meadhall.games.viking_axes.state import NO_CARD, Act, Due, Event, Phase, axes_on, hand_size, is_playable, shields_on
from meadhall.games.viking_axes.story import KINDS as KIND_OF
from meadhall.games.viking_axes.story import Move, Piece, Story, story_of
from meadhall.sdk import View


@dataclass(frozen=True)
class Card:
    """An open card.

    Attributes:
        beat: the beat in which it arrives; None if it was there before the last step.
        used: its shields that are used.
        new: how many of these the last throw used.
    """

    serial: int
    kind: int
    beat: int | None
    used: int = 0
    new: int = 0


@dataclass(frozen=True)
class Place:
    """A player's place at the table.

    Attributes:
        out: the beat in which the player drops out; -1 if that was in an earlier step, None if still in the game.
        new_hits: hits of the last throw.
        struck: the beat in which the last throw has its effect.
        due: ``"skip"`` if the player will miss a turn, ``"turn"`` if the player must play one before missing another, else "".
        due_since: the beat in which this began; None if it was so before the last step.
        hand: the cards held; None for each card that the viewer doesn't know.
    """

    seat: int
    out: int | None
    hits: int
    new_hits: int
    struck: int
    shields: tuple[Card, ...]
    unused: int
    lying: tuple[Card, ...]
    marks: tuple[Card, ...]
    armory: Card | None
    due: str
    due_since: int | None
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
        n: the number of the last step. Ids of new elements contain it, so that each animation runs once.
        offer: whether the seat to move can cash in an armory.
        top: the uppermost discarded cards, the top one last.
        card: the card in play.
        came: the move that brought it into play in the last step; None if it was there before.
        since: beats by name, as in ``Story``.
    """

    n: int
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
    came: Move | None
    moves: tuple[Move, ...]
    since: dict[str, int]


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
        beat: the beat in which the animations of the last step have ended.
        threats: by seat, if axes are to be thrown.
    """

    THROW: ClassVar[int] = Act.THROW
    SKIP: ClassVar[int] = Act.SKIP
    DISARM: ClassVar[int] = Act.DISARM

    strategic: bool
    phase: str
    beat: int
    threats: tuple[Threat | None, ...]
    hand: tuple[Held, ...]


def picture(view: View) -> Picture:
    """Return the values for the board."""
    state, story = view.plain, story_of(view)
    came = next((move for move in story.moves if move.end == "play" and move.beat == story.since.get("play")), None)
    moves = story.moves if state.card == NO_CARD else [move for move in story.moves if move is not came]
    discarded = view.plain.discarded
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
        card=None if state.card == NO_CARD else Kind(state.card, card_title(state.card), 1),
        came=came,
        moves=tuple(moves),
        since=story.since,
    )


def beats(view: View) -> tuple[int, ...]:
    """Return the beat in which the board shows each event of the last step, and the beat after the last."""
    story = story_of(view)
    return (*story.beats, story.since.get("end", 0) + 1 if story.moves else 0)


def _place(view: View, story: Story, seat: int) -> Place:
    state, front = view.plain, story.fronts[seat]
    return Place(
        seat=seat,
        out=story.since.get(f"out-{seat}", -1) if state.out[seat] else None,
        hits=state.hits[seat],
        new_hits=story.hits.get(seat, 0),
        struck=story.since.get("struck", 0),
        shields=tuple(_shields(story, seat, state.unused[seat])),
        unused=state.unused[seat],
        lying=tuple(_card(story, piece) for piece in front.lying),
        marks=tuple(_card(story, piece) for piece in front.marks),
        armory=_card(story, front.armory[0]) if front.armory else None,
        due={Due.NOTHING: "", Due.TURN: "turn", Due.SKIP: "skip"}[Due(state.due[seat])],
        due_since=story.since.get(f"due-{seat}"),
        hand=tuple(_known(view, seat)) or (None,) * hand_size(view.state, seat),
    )


def _card(story: Story, piece: Piece) -> Card:
    return Card(piece.serial, piece.kind, story.beat(piece))


def _shields(story: Story, seat: int, unused: int) -> Iterable[Card]:
    """Yield the shield cards of a pool. The oldest shields are used first, so that used ones stay used in the picture."""
    pieces = story.fronts[seat].shields
    used = sum(shields_on(piece.kind) for piece in pieces) - unused
    before = used - story.blocked.get(seat, 0)
    for piece in pieces:
        count = shields_on(piece.kind)
        here, new = min(used, count), min(used, count) - min(before, count)
        used, before = used - here, before - here + new
        yield Card(piece.serial, piece.kind, story.beat(piece), here, new)


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
        beat=_last_beat(view) if decides else 0,
        threats=tuple(_threat(state, seat) for seat in range(state.players)) if throws else (),
        hand=tuple(_hand(view, decides and state.phase == Phase.HAND)),
    )


def _last_beat(view: View) -> int:
    """Return the beat in which the controls may appear: the card in play is readable, or no animation is left."""
    since = story_of(view).since
    return since.get("play", -1) + 1 if view.plain.card != NO_CARD else since.get("end", 0)


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
