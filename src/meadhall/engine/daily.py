"""The puzzle of the day, as a game declares it: what it is set up with, and what is told of how somebody did."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from meadhall.engine.match import Match

Figures = Mapping[str, int]
"""How far somebody came, e.g. ``{"triplets": 4, "moves": 12, "payments": 8}``."""


@dataclass(frozen=True)
class Figure:
    """One of the numbers that are told of an attempt.

    Attributes:
        name: as in ``Figures``.
        title: for people; a message for gettext.
        most: the highest that can be reached, None if there is no such limit.
    """

    name: str
    title: str
    most: int | None = None


@dataclass(frozen=True)
class Outcome:
    """What somebody who knew everything from the beginning could have made of a deal.

    Attributes:
        won: whether it could be won; None if that could not be found out.
        moves: how many moves a line takes that wins.
    """

    won: bool | None
    moves: int = 0


@dataclass(frozen=True)
class Daily:
    """A puzzle for one player: on each day all meet the same deal, each alone.

    Attributes:
        goal: what is to be done, in a sentence or two; a message for gettext.
        figures: what is told of an attempt, the most important first.
        measure: these figures of a match, whether it has ended or was given up.
        order: what attempts are sorted by, the best first.
        options: what the match is set up with.
        outcome: what could be made of the deal of a match; it may take a while. None if nobody can tell.
    """

    goal: str
    figures: tuple[Figure, ...]
    measure: Callable[[Match], Figures]
    order: Callable[[Figures], tuple[int, ...]]
    options: Mapping[str, Any] = field(default_factory=dict)
    outcome: Callable[[Match], Outcome] | None = None
