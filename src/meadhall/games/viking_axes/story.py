"""Viking Axes: where each card lies, and the animations of the last step, both derived from the events of a match.

The state only counts cards; the order in which they came follows from the events. The animations of the last step are timed in
beats: a move runs in one beat, and a new piece is visible from a beat on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from meadhall.games.viking_axes.cards import TITLES
from meadhall.games.viking_axes.state import HAND, Act, Card, Event, Phase
from meadhall.sdk import Event as GameEvent
from meadhall.sdk import View

KINDS = {name: kind for kind, name in enumerate(TITLES)}
"""Kinds of cards by their names in records."""

Location = int | Literal["pile", "play", "discarded"]
"""A seat's place, or one of the places in the middle of the table."""

MoveKind = Literal["shuffle", "draw", "back", "card", "axes", "blocked", "hits", "spent", "missed", "out"]


@dataclass(frozen=True)
class Piece:
    """A card that lies on the table.

    Attributes:
        serial: unique among all pieces.
        chapter: the step in which it came there, counted from 1 for the setup.
        beat: the beat of that step.
    """

    serial: int
    kind: int
    chapter: int
    beat: int


@dataclass(frozen=True)
class Move:
    """An animation of one beat: cards or axes that move, or a symbol that appears briefly."""

    beat: int
    kind: MoveKind
    start: Location
    end: Location
    cards: tuple[int, ...] = ()
    count: int = 1


@dataclass
class Front:
    """The cards in front of a player, oldest first."""

    shields: list[Piece] = field(default_factory=list)
    lying: list[Piece] = field(default_factory=list)
    armory: list[Piece] = field(default_factory=list)
    marks: list[Piece] = field(default_factory=list)


class Story:
    """The cards on the table and the animations of the last step, derived from the events of a view.

    Each chapter is the setup or a step. Moves and beats are those of the last chapter.

    Attributes:
        fronts: the cards in front of each seat.
        discarded: the discard pile, its top last.
        moves: the animations; none if this state is shown again because an action was undone.
        since: the beats of changes other than cards: ``"play"``, ``"turn"``, ``"struck"``, ``"out-2"``, ``"due-2"``, ``"end"``.
        blocked, hits: the effects of the last throw, by seat.
        beats: the beat of each event of the last step.
    """

    def __init__(self, view: View) -> None:
        self._strategic = bool(view.state.strategic)
        self._told: tuple[Any, ...] = ()
        self.fronts = [Front() for _ in range(view.state.players)]
        self.discarded: list[Piece] = []
        self.moves: list[Move] = []
        self.beats: list[int] = []
        self.since: dict[str, int] = {}
        self.blocked: dict[int, int] = {}
        self.hits: dict[int, int] = {}
        self._serial = 0
        self._chapter = 0
        self._apply(view.setup, in_play=False)
        if self._strategic and not view.steps:
            self._deal()
        self._follow(view)

    def _follow(self, view: View) -> None:
        """Add the steps of a view that are new, and what its position tells about the last one."""
        for step in view.steps[len(self._told) :]:
            self._apply(step.events, in_play=step.action < Act.CASH_IN)
        self._told, self._position = view.steps, _position(view)
        self._finish_throw()
        if self._strategic and view.state.phase == Phase.HAND and view.actor is not None:
            self._animate_secret_draw(view.actor)
        self.since["end"] = self._beat
        self._is_shown = not view.steps or view.next_number == view.steps[-1].n + 1
        if not self._is_shown:
            self.moves, self.since, self.blocked, self.hits = [], {}, {}, {}
            self.beats = [0] * len(self.beats)

    def after(self, view: View) -> Story | None:
        """Return the story of a view that continues this one; None if it doesn't."""
        known = len(self._told)
        if known > len(view.steps) or self._told[-1] is not view.steps[known - 1]:
            return None
        if known == len(view.steps):
            return self if self._position == _position(view) else None
        story = copy(self)
        story.fronts = [Front(*map(list, (one.shields, one.lying, one.armory, one.marks))) for one in self.fronts]
        story.discarded = list(self.discarded)
        story._follow(view)
        return story

    def beat(self, piece: Piece) -> int | None:
        """Return the beat from which the piece is visible; None if it was there before the last step."""
        return piece.beat if self._is_shown and piece.chapter == self._chapter else None

    # ------------------------------------------------------------------------------------------------------------ chapters

    def _apply(self, happened: Iterable[GameEvent], in_play: bool) -> None:
        """Apply the events of a chapter. ``in_play`` says whether its action used the card in the middle."""
        self._chapter += 1
        self._beat, self._struck, self._in_play = 0, False, in_play
        self.moves, self.beats, self.since, self.blocked, self.hits = [], [], {}, {}, {}
        for event in happened:
            self._serial += 1
            moved = len(self.moves)
            if event.kind in _HANDLERS:
                _HANDLERS[event.kind](self, *event.arguments)
            self.beats.append(self.moves[moved].beat if len(self.moves) > moved else self._beat)

    def _move(self, kind: MoveKind, start: Location, end: Location, *cards: int, count: int = 1) -> None:
        self.moves.append(Move(self._beat, kind, start, end, cards, count))

    def _piece(self, kind: int) -> Piece:
        """Return a card that is put down in this beat."""
        return Piece(self._serial, kind, self._chapter, self._beat)

    def _discard(self, *pieces: Piece) -> None:
        self.discarded.extend(replace(piece, chapter=self._chapter, beat=self._beat) for piece in pieces)

    def _finish_throw(self) -> None:
        """Begin the next beat after a throw. All effects of a throw share one beat."""
        self._beat += self._struck
        self._struck = False

    # --------------------------------------------------------------------------------------------------------------- cards

    def _shuffled(self, _: int) -> None:
        self._finish_throw()
        self.discarded.clear()
        self._move("shuffle", "discarded", "pile")
        self._beat += 1

    def _drew(self, _: int, card: str) -> None:
        if self._strategic:
            return  # the event is private, and all viewers get the animation of ``_animate_secret_draw``
        self._finish_throw()
        self.since["turn"] = self.since["play"] = self._beat
        self._move("draw", "pile", "play", KINDS[card])
        self._in_play = True
        self._beat += 2  # one beat more, to read the card

    def _animate_secret_draw(self, seat: int) -> None:
        self.since["turn"] = self._beat
        self._move("back", "pile", seat)
        self._beat += 1

    def _deal(self) -> None:
        for _ in range(HAND):
            for seat in range(len(self.fronts)):
                self._move("back", "pile", seat)
            self._beat += 1

    def _plays(self, seat: int, card: str) -> None:
        self.since["play"] = self._beat
        self._move("card", seat, "play", KINDS[card])
        self._in_play = True
        self._beat += 2

    def _discards(self, seat: int, card: str) -> None:
        self._finish_throw()
        self._move("card", "play" if self._in_play else seat, "discarded", KINDS[card])
        self._in_play = False
        self._beat += 1
        self._discard(self._piece(KINDS[card]))

    def _places(self, seat: int, card: str) -> None:
        kind = KINDS[card]
        self._move("card", "play", seat, kind)
        self._in_play = False
        self._beat += 1
        front = self.fronts[seat]
        (front.armory if kind == Card.ARMORY else front.shields).append(self._piece(kind))

    # ---------------------------------------------------------------------------------------------------------------- axes

    def _throws(self, seat: int, target: int, axes: int) -> None:
        card = Card.AXE + axes - 1
        self._move("axes", seat, target, card, count=axes)
        self._in_play = False
        self._beat += 1
        self._thrown, self._struck = self._piece(card), True
        self.since["struck"] = self._beat

    def _blocked(self, target: int, count: int) -> None:
        """Lay the card on the shields. If they are used up, the next events move it on."""
        self._move("blocked", target, target, count=count)
        self.fronts[target].lying.append(self._thrown)
        self.blocked[target] = count

    def _shields_spent(self, target: int) -> None:
        front = self.fronts[target]
        self._move("spent", target, target, *(piece.kind for piece in front.shields))
        self._discard(*front.shields, *front.lying)
        front.shields.clear()
        front.lying.clear()

    def _hits(self, target: int, count: int) -> None:
        """Keep the card thrown as a mark. If there were shields, ``_shields_spent`` has discarded it with them: take it back."""
        if self.discarded and self.discarded[-1].serial == self._thrown.serial:
            self.discarded.pop()
        self._move("hits", target, target, count=count)
        self.fronts[target].marks.append(self._thrown)
        self.hits[target] = count

    def _out(self, seat: int) -> None:
        self._finish_throw()
        self._move("out", seat, seat)
        self.since[f"out-{seat}"] = self._beat
        front = self.fronts[seat]
        self._discard(*front.shields, *front.lying, *front.armory, *front.marks)
        self.fronts[seat] = Front()
        self._beat += 1

    # ---------------------------------------------------------------------------------------------------- armory and wench

    def _cashes_in(self, seat: int) -> None:
        self._move("card", seat, "discarded", Card.ARMORY)
        self._beat += 1
        self._discard(self.fronts[seat].armory.pop())

    def _disarms(self, _: int, target: int) -> None:
        self._move("card", "play", target, Card.WENCH)
        self._beat += 1
        self._move("card", target, "discarded", Card.ARMORY, Card.WENCH)
        self._beat += 1
        self._discard(self.fronts[target].armory.pop(), self._piece(Card.WENCH))

    def _skips(self, _: int, target: int) -> None:
        self._move("card", "play", target, Card.WENCH)
        self._beat += 1
        self.since[f"due-{target}"] = self._beat
        self._move("card", target, "discarded", Card.WENCH)
        self._beat += 1
        self._discard(self._piece(Card.WENCH))

    def _turn_skipped(self, seat: int) -> None:
        self._finish_throw()
        self.since[f"due-{seat}"] = self._beat
        self._move("missed", seat, seat)
        self._beat += 1


_HANDLERS: dict[int, Callable[..., None]] = {
    Event.SHUFFLED: Story._shuffled,
    Event.DREW: Story._drew,
    Event.PLAYS: Story._plays,
    Event.DISCARDS: Story._discards,
    Event.THROWS: Story._throws,
    Event.BLOCKED: Story._blocked,
    Event.SHIELDS_SPENT: Story._shields_spent,
    Event.HITS: Story._hits,
    Event.OUT: Story._out,
    Event.PLACES: Story._places,
    Event.CASHES_IN: Story._cashes_in,
    Event.DISARMS: Story._disarms,
    Event.SKIPS: Story._skips,
    Event.TURN_SKIPPED: Story._turn_skipped,
}


def _position(view: View) -> tuple[int, int, int | None]:
    """Return what a story takes from the position: it changes without a step after an undo or an edit."""
    return view.next_number, view.state.phase, view.actor


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
