"""Viking Axes: where each card lies, derived from the events of a match.

The state only counts cards; the order in which they came follows from the events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from typing import Any, NamedTuple

from meadhall.games.viking_axes.state import TITLES, Card, Event
from meadhall.sdk import Event as GameEvent, View

KINDS = {name: kind for kind, name in enumerate(TITLES)}
"""Kinds of cards by their names in records."""


class Piece(NamedTuple):
    """A card that lies on the table. ``serial`` is unique among all pieces."""

    serial: int
    kind: int


class Front(NamedTuple):
    """The cards in front of a player, oldest first."""

    shields: tuple[Piece, ...] = ()
    lying: tuple[Piece, ...] = ()
    armory: tuple[Piece, ...] = ()
    marks: tuple[Piece, ...] = ()


class Story:
    """The cards on the table, derived from the events of a view.

    Attributes:
        fronts: the cards in front of each seat.
        discarded: the discard pile, its top last.
        throw: the throw of the last step, if there was one: the thrower, the target, and whether it hit.
    """

    def __init__(self, view: View) -> None:
        self.fronts = [Front() for _ in range(view.state.players)]
        self.discarded: list[Piece] = []
        self.throw: tuple[int, int, bool] | None = None
        self._serial = 0
        self._told: tuple[Any, ...] = ()
        self._apply(view.setup)
        self._follow(view)

    def _follow(self, view: View) -> None:
        """Add the steps of a view that are new."""
        for step in view.steps[len(self._told) :]:
            self._apply(step.events)
        self._told = view.steps

    def after(self, view: View) -> Story | None:
        """Return the story of a view that continues this one; None if it doesn't."""
        known = len(self._told)
        if known > len(view.steps) or self._told[-1] is not view.steps[known - 1]:
            return None
        if known == len(view.steps):
            return self
        story = copy(self)
        story.fronts = list(self.fronts)
        story.discarded = list(self.discarded)
        story._follow(view)
        return story

    def _apply(self, happened: Iterable[GameEvent]) -> None:
        self.throw = None
        for event in happened:
            self._serial += 1
            if event.kind in _HANDLERS:
                _HANDLERS[event.kind](self, *event.arguments)

    def _piece(self, kind: int) -> Piece:
        """Return a card that is put down now."""
        return Piece(self._serial, kind)

    def _lay(self, seat: int, pile: str, piece: Piece) -> None:
        """Put a card in front of a player."""
        front = self.fronts[seat]
        self.fronts[seat] = front._replace(**{pile: (*getattr(front, pile), piece)})

    def _discard(self, seat: int, *piles: str) -> None:
        """Discard cards that lie in front of a player."""
        front = self.fronts[seat]
        self.discarded += [piece for pile in piles for piece in getattr(front, pile)]
        self.fronts[seat] = front._replace(**dict.fromkeys(piles, ()))

    # --------------------------------------------------------------------------------------------------------------- cards

    def _shuffled(self, _: int) -> None:
        self.discarded.clear()

    def _discards(self, _: int, card: str) -> None:
        self.discarded.append(self._piece(KINDS[card]))

    def _places(self, seat: int, card: str) -> None:
        kind = KINDS[card]
        self._lay(seat, "armory" if kind == Card.ARMORY else "shields", self._piece(kind))

    # ---------------------------------------------------------------------------------------------------------------- axes

    def _throws(self, seat: int, target: int, axes: int) -> None:
        self.throw = seat, target, False
        self._thrown = self._piece(Card.AXE + axes - 1)

    def _blocked(self, target: int, _: int) -> None:
        """Lay the card on the shields. If they are used up, the next events move it on."""
        self._lay(target, "lying", self._thrown)

    def _shields_spent(self, target: int) -> None:
        self._discard(target, "shields", "lying")

    def _hits(self, target: int, _: int) -> None:
        """Keep the card thrown as a mark. If there were shields, ``_shields_spent`` has discarded it with them: take it back."""
        if self.discarded and self.discarded[-1].serial == self._thrown.serial:
            self.discarded.pop()
        self._lay(target, "marks", self._thrown)
        if self.throw is not None:
            self.throw = self.throw[0], target, True

    def _out(self, seat: int) -> None:
        self._discard(seat, *Front._fields)

    # ---------------------------------------------------------------------------------------------------- armory and wench

    def _cashes_in(self, seat: int) -> None:
        self._discard(seat, "armory")

    def _disarms(self, _: int, target: int) -> None:
        self._discard(target, "armory")
        self.discarded.append(self._piece(Card.WENCH))

    def _skips(self, *_: int) -> None:
        self.discarded.append(self._piece(Card.WENCH))


_HANDLERS: dict[int, Callable[..., None]] = {
    Event.SHUFFLED: Story._shuffled,
    Event.DISCARDS: Story._discards,
    Event.THROWS: Story._throws,
    Event.BLOCKED: Story._blocked,
    Event.SHIELDS_SPENT: Story._shields_spent,
    Event.HITS: Story._hits,
    Event.OUT: Story._out,
    Event.PLACES: Story._places,
    Event.CASHES_IN: Story._cashes_in,
    Event.CASHES_IN_EARLY: Story._cashes_in,
    Event.DISARMS: Story._disarms,
    Event.SKIPS: Story._skips,
}


_stories: dict[int, Story] = {}
"""The stories told last, by the identity of their last step. A later view of the same viewer continues one of them."""

_KEPT, _LOOK_BACK = 200, 24
"""Number of stories that are kept, and of steps that a view looks back for one."""


def story_of(view: View) -> Story:
    """Return the story of a view. It grows with the match: only the new steps are told."""
    for step in reversed(view.steps[-_LOOK_BACK:]):
        known = _stories.get(id(step))
        story = known.after(view) if known is not None else None
        if story is not None:
            _stories.pop(id(step), None)
            break
    else:
        story = Story(view)
    if len(_stories) == _KEPT:
        _stories.clear()
    if view.steps:
        _stories[id(view.steps[-1])] = story
    return story
