"""Viking Axes: the values that ``page.html`` draws in a browser."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from meadhall.games.viking_axes.state import (
    COPIES,
    KINDS,
    NO_CARD,
    Act,
    Card,
    Event,
    Phase,
    axes_on,
    card,
    card_title,
    hand_size,
    is_playable,
    shields_on,
)
from meadhall.games.viking_axes.story import KINDS as KIND_OF, Piece, Story, story_of
from meadhall.sdk import PlainState, View, gettext as _

SOUNDS: Final = ("axe", "clang", "thud", "break", "card", "shuffle", "coins", "mug", "drum")
"""The sounds of ``stage.js``, which a page loads at the first tap."""


@dataclass(frozen=True)
class Picture:
    """The public part of the table.

    Attributes:
        offer: whether the seat to move can cash in an armory.
        used: by seat, how many shields of each shield card in front are used.
        hands: by seat, the cards held; None for each card that the viewer doesn't know.
    """

    state: PlainState
    story: Story
    offer: bool
    used: list[tuple[int, ...]]
    hands: list[tuple[int | None, ...]]

    @property
    def titles(self) -> list[str]:
        """By kind, the titles of the cards."""
        return [card_title(kind) for kind in range(KINDS)]

    def notches(self, seat: int) -> str:
        """Return how far a stick has notches, one for each hit: see ``tally`` in ``pieces.html``."""
        return f"{4 + 112 / self.state.limit * min(self.state.hits[seat], self.state.limit):.1f}"

    def facts(self, seat: int) -> tuple[Any, ...]:
        """Return what the line under a seat's name says."""
        state, front = self.state, self.story.fronts[seat]
        unused = state.unused[seat] if front.shields else None
        counts = state.hits[seat], state.limit, state.out[seat], unused
        return *counts, bool(front.armory), _DUES[state.due[seat]], len(self.hands[seat])


@dataclass(frozen=True)
class Own:
    """The values for a seat's controls.

    Attributes:
        phase: the name of the decision; "" while the seat waits.
        threats: if axes are to be thrown, for each possible target how many are blocked, how many hit, and whether it is out.
        hand: the viewer's cards: the kind, the action that uses it, and whether it was just drawn.
    """

    strategic: int
    phase: str
    threats: dict[int, tuple[int, int, bool]]
    hand: list[tuple[int, int, bool]]


_DUES = ("", "turn", "skip")
"""The effects of a wench, by their numbers."""


def components(_options: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    """VA-1.1: Return the titles of the cards, and how many there are of each."""
    return tuple((card_title(kind), count) for kind, count in enumerate(COPIES))


def picture(view: View) -> Picture:
    """Return the values for the board."""
    state, story, seats = view.plain, story_of(view), range(view.plain.players)
    sizes = [hand_size(view.state, seat) for seat in seats] if state.strategic else [0] * len(seats)
    return Picture(
        state=state,
        story=story,
        offer=state.actor >= 0 and state.phase == Phase.OFFER,
        used=[tuple(_used(story.fronts[seat].shields, state.unused[seat])) for seat in seats],
        hands=[tuple(_known(view, seat)) or (None,) * size for seat, size in enumerate(sizes)],
    )


def regions(page: Any) -> dict[str, Any]:
    """Return the parts of the board that change, by their ids."""
    picture: Picture = page.picture
    state, story = picture.state, picture.story
    winners = page.result.winners if page.result else ()
    title = card_title(state.card) if state.card != NO_CARD else ""
    lit, (thrower, target, hit) = state.actor >= 0 and not page.result, story.throw or (0, 0, False)
    shot = story.throw and state.actor >= 0 and (not page.result or winners)
    parts: dict[str, Any] = {
        "va-light": {"class": _classes("va-light", f"at-{state.actor}" if lit else "off", offer=lit and picture.offer)},
        "trail": {"class": _classes(f"va-trail from-seat f-{thrower} to-seat t-{target}", hit=hit, off=not shot)},
        "pile": {"class": f"va-pile high-{min(3, (state.left + 19) // 20)}"},
        "left": ("number", "left", state.left),
        "thrown": ("number", "thrown", sum(state.discarded)),
        "in-play": {"href": f"#va-{card(state.card)}" if title else None},
        "in-play-title": ("title", title),
        "victory": ("victory", () if title and len(winners) > 1 else winners),
    }
    for place, piece in enumerate([None, None, *story.discarded][-2:]):
        tilt = f"rotate({(-5, 3, 8)[piece.serial % 3]} 50 70)" if piece else None
        parts[f"top-{place}"] = {"href": f"#va-{card(piece.kind)}" if piece else None, "transform": tilt}
    for kind, number in enumerate(state.discarded):
        parts[f"thrown-{kind}"] = {"data-number": number, "hidden": None if number else ""}
    for seat in page.seats:
        parts |= _place(picture, seat)
    return parts


def _classes(*names: str, **flags: bool | int) -> str:
    return " ".join([*names, *(name for name, holds in flags.items() if holds)])


def _place(picture: Picture, seat: Any) -> dict[str, Any]:
    """Return the parts of a player's place."""
    k, state, front, hand = seat.seat, picture.state, picture.story.fronts[seat.seat], picture.hands[seat.seat]
    due = "dead" if state.out[k] else f"due-{_DUES[state.due[k]]}" if state.due[k] else "off"
    shields = [(piece.kind - Card.ONE_SHIELD + 1, used) for piece, used in zip(front.shields, picture.used[k], strict=True)]
    flags = {"out": state.out[k], "open": bool(hand) and hand[0] is not None, "winner": seat.winner}
    parts: dict[str, Any] = {
        f"place-{k}": {"class": _classes(f"va-place at-{k} seat-{k}", **flags)},
        f"name-{k}": ("named", k, seat.name),
        f"cut-{k}": {"width": picture.notches(k)},
        f"hits-{k}": ("number", f"hits-{k}", state.hits[k]),
        f"marks-{k}": ("marks", k, tuple([piece.serial % 3 for piece in front.marks])),
        f"due-{k}": {"class": f"va-mark {due}"},
        f"shields-{k}": ("shields", k, tuple(shields), tuple([piece.kind + 1 for piece in front.lying]), state.unused[k]),
        f"armory-{k}": {"class": "va-slot va-armory" if front.armory else "va-slot va-armory off"},
        f"facts-{k}": ("facts", k, *picture.facts(k)),
    }
    for place in range(3 if state.strategic else 0):
        kind = hand[-1 - place] if place < len(hand) else NO_CARD  # from the right
        parts[f"back-{k}-{place}"] = {"href": None if kind == NO_CARD else f"#va-{'back' if kind is None else card(kind)}"}
    return parts


_ACTS_AT = {"throw": (Act.THROW,), "wench": (Act.SKIP, Act.DISARM)}
"""By phase, the first actions of the ranges that have one for each seat."""


def control_regions(page: Any) -> dict[str, Any]:
    """Return the choices beside the other seats or below the card in play, and the viewer's hand."""
    own, choices, url = page.own, page.choices or page.ahead, "" if page.choices else page.url
    legal = [choice.action for choice in choices if not choice.refusal]
    keys = {action: key for key, action in enumerate(legal, 1)}
    offered = {choice.action: (choice, keys.get(choice.action)) for choice in choices}
    acts = _ACTS_AT.get(own.phase, ())
    at = {seat.seat: tuple([offered[act + seat.seat] for act in acts if act + seat.seat in offered]) for seat in page.seats}
    spots = tuple([(k, page.seats[k].name, own.threats.get(k), choices) for k, choices in at.items() if choices])
    buttons = tuple(offered.values()) if own.phase in ("armory", "offer") else ()
    throws = [(seat.seat, seat.name, *offered[Act.THROW + seat.seat]) for seat in page.seats if Act.THROW + seat.seat in offered]
    parts: dict[str, Any] = {
        "choosing": ("choosing", own.phase, spots, buttons),
        "early": ("early", url, page.intended, tuple(throws) if page.ahead and not own.strategic else ()),
    }
    if own.strategic:
        held = [(kind, action, card_title(kind), drawn, *offered.get(action, (None, None))) for kind, action, drawn in own.hand]
        parts["hand"] = ("held", tuple(held), url, page.intended)
    return parts


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
        hand=list(_hand(view, decides and state.phase == Phase.HAND)) if state.strategic else [],
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
