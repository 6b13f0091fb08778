"""Viking Axes: the values that ``page.html`` draws in a browser."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from meadhall.games.viking_axes.state import (
    COPIES,
    KINDS,
    NO_CARD,
    Act,
    Event,
    Phase,
    axes_on,
    card_title,
    hand_size,
    is_playable,
    shields_on,
)
from meadhall.games.viking_axes.story import KINDS as KIND_OF
from meadhall.games.viking_axes.story import Piece, Story, story_of
from meadhall.sdk import PlainState, View
from meadhall.sdk import gettext as _

SOUNDS: Final = ("axe", "clang", "thud", "break", "card", "shuffle", "coins", "mug", "drum")
"""The sounds of ``stage.js``, which a page loads at the first tap."""


@dataclass(frozen=True)
class Picture:
    """The public part of the table.

    Attributes:
        offer: whether the seat to move can cash in an armory.
        used: by seat, how many shields of each shield card in front are used.
        hands: by seat, the cards held; None for each card that the viewer doesn't know.
        titles: by kind, the titles of the cards.
    """

    state: PlainState
    story: Story
    offer: bool
    used: list[tuple[int, ...]]
    hands: list[tuple[int | None, ...]]
    titles: list[str]


@dataclass(frozen=True)
class Own:
    """The values for a seat's controls.

    Attributes:
        phase: the name of the decision; "" while the seat waits.
        threats: if axes are to be thrown, for each possible target how many are blocked, how many hit, and whether it is out.
        hand: the viewer's cards: the kind, the action that uses it, and whether it was just drawn.
    """

    THROW: ClassVar[int] = Act.THROW
    SKIP: ClassVar[int] = Act.SKIP
    DISARM: ClassVar[int] = Act.DISARM
    DISCARD: ClassVar[int] = Act.DISCARD

    strategic: int
    phase: str
    threats: dict[int, tuple[int, int, bool]]
    hand: list[tuple[int, int, bool]]
    titles: list[str]


def components(_options: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    """VA-1.1: Return the titles of the cards, and how many there are of each."""
    return tuple((card_title(kind), count) for kind, count in enumerate(COPIES))


def picture(view: View) -> Picture:
    """Return the values for the board."""
    state, story, seats = view.plain, story_of(view), range(view.plain.players)
    return Picture(
        state=state,
        story=story,
        offer=state.actor >= 0 and state.phase == Phase.OFFER,
        used=[tuple(_used(story.fronts[seat].shields, state.unused[seat])) for seat in seats],
        hands=[tuple(_known(view, seat)) or (None,) * hand_size(view.state, seat) for seat in seats],
        titles=_titles(),
    )


def _titles() -> list[str]:
    return [card_title(kind) for kind in range(KINDS)]


def _used(shields: tuple[Piece, ...], unused: int) -> Iterable[int]:
    """Yield how many shields of each card are used. The oldest are used first, so that used ones stay used in the picture."""
    used = sum(shields_on(piece.kind) for piece in shields) - unused
    for piece in shields:
        here = min(used, shields_on(piece.kind))
        used -= here
        yield here


def _known(view: View, seat: int) -> Iterable[int]:
    """Yield the cards of a hand that the viewer knows."""
    for kind, copies in enumerate(view.plain.hand[seat]):
        yield from [kind] * copies


def own(view: View) -> Own:
    """Return the values for a seat's controls."""
    state, decides = view.plain, view.actor == view.viewer
    throws = decides and state.phase == Phase.THROW
    targets = [seat for seat in range(state.players) if throws and not state.out[seat] and seat != state.actor]
    return Own(
        strategic=state.strategic,
        phase=Phase(state.phase).name.lower() if decides else "",
        threats={seat: _threat(state, seat) for seat in targets},
        hand=list(_hand(view, decides and state.phase == Phase.HAND)),
        titles=_titles(),
    )


def _threat(state: PlainState, seat: int) -> tuple[int, int, bool]:
    axes = axes_on(state.card)
    blocked = min(axes, state.unused[seat])
    hits = axes - blocked
    return blocked, hits, hits > 0 and state.hits[seat] + hits >= state.limit


def _hand(view: View, decides: bool) -> Iterable[tuple[int, int, bool]]:
    """VA-2.3: A card is played. One is discarded only if none can be played."""
    hand = list(_known(view, view.viewer))
    first = Act.DISCARD if decides and not any(is_playable(view.state, kind) for kind in hand) else Act.PLAY
    drawn = _drawn(view) if decides else NO_CARD
    for place, kind in enumerate(hand):
        yield kind, first + kind, kind == drawn and kind not in hand[place + 1 :]


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


def ahead(view: View) -> dict[int, str]:
    """Return what can be decided before the next card is known: whom an axe hits, or which card of the hand is played."""
    state, words = view.plain, view.game.words
    if state.out[view.viewer]:
        return {}
    if state.strategic:
        return {Act.PLAY + kind: words.action(view.state, Act.PLAY + kind, view.names) for kind in _known(view, view.viewer)}
    others = [seat for seat in range(state.players) if seat != view.viewer and not state.out[seat]]
    return {Act.THROW + seat: _("throw at {name}").format(name=view.names[seat]) for seat in others}
