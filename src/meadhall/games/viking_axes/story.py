"""The story of a match of Viking Axes, for who looks at the table: how the cards came to lie where they lie.

The state only counts cards. The events tell in which order they came, and what happened since the last decision, in beats:
what moves when, and from which beat on a new piece is to be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from meadhall.engine import events
from meadhall.engine.view import View
from meadhall.games.viking_axes.cards import TITLES
from meadhall.games.viking_axes.state import ARMORY, CASH_IN, HAND, WENCH, Event, Phase

KINDS = {name: kind for kind, name in enumerate(TITLES)}
"""The kind of a card, by its name in records."""

Spot = int | Literal["pile", "play", "discarded"]
"""Where cards lie: in front of a seat, or in the middle."""

MOVES = Literal["shuffle", "draw", "back", "card", "axes", "blocked", "hits", "spent", "missed", "out"]


@dataclass(frozen=True)
class Piece:
    """A card that lies somewhere. ``serial`` tells it from all others; it came there in beat ``beat`` of chapter ``chapter``."""

    serial: int
    kind: int
    chapter: int
    beat: int


@dataclass(frozen=True)
class Move:
    """Something that moves in beat ``beat``, or shows for a moment: a card, axes, what became of them."""

    beat: int
    kind: MOVES
    start: Spot
    end: Spot
    cards: tuple[int, ...] = ()
    count: int = 1


@dataclass
class Front:
    """What lies in front of a player, in the order in which it came."""

    shields: list[Piece] = field(default_factory=list)
    lying: list[Piece] = field(default_factory=list)
    armory: list[Piece] = field(default_factory=list)
    marks: list[Piece] = field(default_factory=list)


class Story:
    """What the events of a view tell. Its chapters are the setup and the steps; moves and beats are those of the last.

    Attributes:
        fronts: what lies in front of every seat.
        discarded: the discard pile, its top last.
        moves: what moves; nothing, if the moment is only shown again because an action was taken back.
        since: the beats of what is no card: ``"play"``, ``"turn"``, ``"struck"``, ``"out-2"``, ``"due-2"``, ``"end"``.
        blocked, hits: what the throw did, by seat.
    """

    def __init__(self, view: View) -> None:
        strategic = bool(view.state.strategic)
        self.fronts = [Front() for _ in range(view.state.players)]
        self.discarded: list[Piece] = []
        self._serial = 0
        self._chapter = 0
        self._tellers: dict[int, Callable[..., None]] = {
            Event.SHUFFLED: self._shuffled,
            Event.DREW: self._drew_in_secret if strategic else self._drew,
            Event.PLAYS: self._plays,
            Event.DISCARDS: self._discards,
            Event.THROWS: self._throws,
            Event.BLOCKED: self._blocked,
            Event.SHIELDS_SPENT: self._shields_spent,
            Event.HITS: self._hits,
            Event.OUT: self._out,
            Event.PLACES: self._places,
            Event.CASHES_IN: self._cashes_in,
            Event.DISARMS: self._disarms,
            Event.SKIPS: self._skips,
            Event.TURN_SKIPPED: self._turn_skipped,
        }
        self._tell(view.setup, in_play=False)
        if strategic and not view.steps:
            self._deal()
        for step in view.steps:
            self._tell(step.events, in_play=step.action < CASH_IN)
        self._rest()
        if strategic and view.state.phase == Phase.HAND and view.actor is not None:
            self._draw_in_secret(view.actor)
        self.since["end"] = self._beat
        if view.steps and view.next_number != view.steps[-1].n + 1:
            self._keep_still()

    def beat(self, piece: Piece) -> int | None:
        """The beat from which on the piece is seen; None if it was there before."""
        return piece.beat if piece.chapter == self._chapter else None

    # ------------------------------------------------------------------------------------------------------------- telling

    def _tell(self, happened: Iterable[events.Event], in_play: bool) -> None:
        """A chapter. ``in_play``: the action was about a card that lay in the middle."""
        self._chapter += 1
        self._beat, self._struck, self._in_play = 0, False, in_play
        self.moves: list[Move] = []
        self.since: dict[str, int] = {}
        self.blocked: dict[int, int] = {}
        self.hits: dict[int, int] = {}
        for event in happened:
            self._serial += 1
            if event.kind in self._tellers:
                self._tellers[event.kind](*event.arguments)

    def _keep_still(self) -> None:
        self._chapter, self.moves, self.since, self.blocked, self.hits = -1, [], {}, {}, {}

    def _move(self, kind: MOVES, start: Spot, end: Spot, *cards: int, count: int = 1) -> None:
        self.moves.append(Move(self._beat, kind, start, end, cards, count))

    def _piece(self, kind: int) -> Piece:
        """A card that comes to lie somewhere in this beat."""
        return Piece(self._serial, kind, self._chapter, self._beat)

    def _discard(self, *pieces: Piece) -> None:
        self.discarded.extend(replace(piece, chapter=self._chapter, beat=self._beat) for piece in pieces)

    def _rest(self) -> None:
        """All that a blow does is seen in one beat; what comes after it waits for the next."""
        self._beat += self._struck
        self._struck = False

    # --------------------------------------------------------------------------------------------------------------- cards

    def _shuffled(self, _: int) -> None:
        self._rest()
        self.discarded.clear()
        self._move("shuffle", "discarded", "pile")
        self._beat += 1

    def _drew(self, _: int, card: str) -> None:
        self._rest()
        self.since["turn"] = self.since["play"] = self._beat
        self._move("draw", "pile", "play", KINDS[card])
        self._in_play = True
        self._beat += 2  # it is to be read, too

    def _drew_in_secret(self, *_: object) -> None:
        """Not everybody is told: see ``_draw_in_secret``."""

    def _draw_in_secret(self, seat: int) -> None:
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
        self._rest()
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
        (front.armory if kind == ARMORY else front.shields).append(self._piece(kind))

    # ---------------------------------------------------------------------------------------------------------------- axes

    def _throws(self, seat: int, target: int, axes: int) -> None:
        self._move("axes", seat, target, axes - 1, count=axes)
        self._in_play = False
        self._beat += 1
        self._thrown, self._struck = self._piece(axes - 1), True
        self.since["struck"] = self._beat

    def _blocked(self, target: int, count: int) -> None:
        """The card lies on the shields, for the time being."""
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
        """If there were shields, the card thrown is not discarded with them but stays as a mark."""
        if self.discarded and self.discarded[-1].serial == self._thrown.serial:
            self.discarded.pop()
        self._move("hits", target, target, count=count)
        self.fronts[target].marks.append(self._thrown)
        self.hits[target] = count

    def _out(self, seat: int) -> None:
        self._rest()
        self._move("out", seat, seat)
        self.since[f"out-{seat}"] = self._beat
        front = self.fronts[seat]
        self._discard(*front.shields, *front.lying, *front.armory, *front.marks)
        self.fronts[seat] = Front()
        self._beat += 1

    # ---------------------------------------------------------------------------------------------------- armory and wench

    def _cashes_in(self, seat: int) -> None:
        self._move("card", seat, "discarded", ARMORY)
        self._beat += 1
        self._discard(self.fronts[seat].armory.pop())

    def _disarms(self, _: int, target: int) -> None:
        self._move("card", "play", target, WENCH)
        self._beat += 1
        self._move("card", target, "discarded", ARMORY, WENCH)
        self._beat += 1
        self._discard(self.fronts[target].armory.pop(), self._piece(WENCH))

    def _skips(self, _: int, target: int) -> None:
        self._move("card", "play", target, WENCH)
        self._beat += 1
        self.since[f"due-{target}"] = self._beat
        self._move("card", target, "discarded", WENCH)
        self._beat += 1
        self._discard(self._piece(WENCH))

    def _turn_skipped(self, seat: int) -> None:
        self._rest()
        self.since[f"due-{seat}"] = self._beat
        self._move("missed", seat, seat)
        self._beat += 1
