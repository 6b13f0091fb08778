"""Elements: what a game tells the laboratory about itself, so that reports can name its actions, its pieces and its first order.

A game that declares nothing gets reports all the same: every action is a kind of its own. Its first order is a guess, and reports
say so: clockwise from the seat that decides first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from meadhall.engine.errors import BadGame

MOST_KINDS: Final = 62
"""The largest number of kinds of actions: a set of them is a mask of bits in one integer."""

CLOCKWISE: Final = -1
"""The first order of a game without an event for it: clockwise from the seat that decides first in a match."""


def clockwise(first: int, players: int) -> Sequence[int]:
    """Return all seats in the order of their first turns, if ``first`` has the first and the next is always at the left.

    Examples:
        >>> from meadhall.sdk import clockwise
        >>> clockwise(2, 4)
        [2, 3, 0, 1]
    """
    return [(first + step) % players for step in range(players)]


@dataclass(frozen=True)
class ActionKind:
    """A kind of action: a range of action numbers with one name.

    Attributes:
        name: its name in reports and on the command line, e.g. ``"end_trade"``.
        text: its name for people; a message for gettext.
        actions: its action numbers.
    """

    name: str
    text: str
    actions: range


@dataclass(frozen=True)
class Mention:
    """A kind of event that mentions a piece or a seat.

    Attributes:
        event: the number of the kind of event.
        argument: the index of the argument with the piece, or with the other seat.
        seat: the index of the argument with the seat that acts; -1 if the event has none.
    """

    event: int
    argument: int
    seat: int = 0


@dataclass(frozen=True)
class PieceKind:
    """A kind of piece that players can have: cards, prisoners, shields.

    Attributes:
        name: its name in reports.
        text: its name for people; a message for gettext.
        acquired: the event in which a seat gets one.
        shown: the event in which one is offered to the players; None if all are there from the beginning.
        used: the event in which a seat uses one; None if there is none.
        word: ``word(options, number)`` returns the name of a piece for people, in the current language; by default its name in
            records.
        numbers: ``numbers(options)`` returns the numbers of all pieces, so that reports show those that are never acquired.
        placed: the event in which a piece comes to a place, if ``acquired`` has the place instead of the piece. Its ``seat`` is
            the index of the argument with the place.
        squares: ``squares(options)`` returns the row and the column of each piece, in the order of their numbers from 0, if they
            are squares of a board. Reports then draw the board.
    """

    name: str
    text: str
    acquired: Mention
    shown: Mention | None = None
    used: Mention | None = None
    word: Callable[[Mapping[str, Any], int], str] | None = None
    numbers: Callable[[Mapping[str, Any]], Iterable[int]] | None = None
    placed: Mention | None = None
    squares: Callable[[Mapping[str, Any]], Sequence[tuple[int, int]]] | None = None


@dataclass(frozen=True)
class Ceiling:
    """How often the best players could win together at most, as far as it is known.

    Attributes:
        share: the share of the matches.
        text: how it is known, a sentence with ``{value}``; a message for gettext.
    """

    share: float
    text: str


@dataclass(frozen=True)
class Bond:
    """A tie between two seats, such as an alliance.

    Attributes:
        text: what several of them are called for people, e.g. ``"alliances"``; a message for gettext.
        begun: the event in which a seat ties itself to another one, its ``argument``. Its ``seat`` is one of the two.
        ended: the numbers of the events that end all ties. A tie of a seat that drops out (``Elements.out``) ends, too.
    """

    text: str
    begun: Mention
    ended: tuple[int, ...] = ()


@dataclass(frozen=True)
class Elements:
    """The elements of a game.

    Attributes:
        actions: the kinds of actions. They need not cover all actions.
        pieces: the kinds of pieces.
        first_order: the number of the event whose arguments are the seats in the order of their first turns, or the first seat
            alone; ``CLOCKWISE`` without such an event. ``meadhall check`` asks for it in games with rivals, because the order of
            decisions is no substitute: a seat that drops out or misses its turn may never have one.
        first_turns: ``first_turns(first, players)`` returns all seats in the order of their first turns, where only the first is
            known; by default clockwise.
        turn: the number of an event that is told once in each turn, of one player or of all. Without it reports count runs of
            decisions of one seat instead, which leave out a turn without a decision.
        out: the event in which a player drops out, whose ``argument`` is the seat; None if no player does.
        attacks: the event in which one seat attacks another; None if there is none.
        ceiling: ``ceiling(options)`` returns how often players could win together at most, or None if that isn't known.
        bond: what ties two seats; None if nothing does. It needs ``turn``, an event whose first argument is the seat.

    Examples:
        >>> from meadhall.engine.report_terms import ActionKind, Elements
        >>> Elements(actions=(ActionKind("roll", "roll", range(1)), ActionKind("hold", "hold", range(1, 2)))).actions[1].name
        'hold'
    """

    actions: tuple[ActionKind, ...] = ()
    pieces: tuple[PieceKind, ...] = ()
    first_order: int | None = None
    first_turns: Callable[[int, int], Sequence[int]] = clockwise
    turn: int | None = None
    out: Mention | None = None
    attacks: Mention | None = None
    ceiling: Callable[[Mapping[str, Any]], Ceiling | None] | None = None
    bond: Bond | None = None

    def __post_init__(self) -> None:
        if len(self.actions) > MOST_KINDS:
            raise BadGame(f"{len(self.actions)} kinds of actions are declared; there can be {MOST_KINDS}")
        names = [kind.name for kind in self.actions]
        for name in names:
            if names.count(name) > 1:
                raise BadGame(f"two kinds of actions are called {name}")
