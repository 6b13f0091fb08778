"""The puzzle of the day, as a game declares it: its setup, its figures and the order of attempts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Figures = Mapping[str, int]
"""The result of an attempt, e.g. ``{"triplets": 4, "moves": 12, "payments": 8}``."""


@dataclass(frozen=True)
class Figure:
    """One number in the result of an attempt.

    Attributes:
        name: as in ``Figures``.
        title: the label; a message for gettext.
        most: the highest possible value, None if there is no limit.
    """

    name: str
    title: str
    most: int | None = None


@dataclass(frozen=True)
class Outcome:
    """The best possible result of a deal with everything face up.

    Attributes:
        won: whether the deal can be won; None if the solver could not decide.
        moves: the length of a winning line.
        line: the actions of that line from the beginning; empty unless the deal can be won.
    """

    won: bool | None
    moves: int = 0
    line: tuple[int, ...] = ()


@dataclass(frozen=True)
class Daily:
    """A puzzle for one player. On each day every player gets the same deal.

    Attributes:
        goal: the goal, in a sentence or two; a message for gettext.
        figures: the numbers shown for an attempt, the most important first.
        measure: returns the figures of a ``Match`` that has ended or was given up.
        order: returns the sort key of an attempt's figures; the best attempt sorts first.
        options: the options of the match.
        outcome: returns the best possible result of the deal of a ``Match``; it may take a while. None if there is no solver.
    """

    goal: str
    figures: tuple[Figure, ...]
    measure: Callable[[Any], Figures]
    order: Callable[[Figures], tuple[int, ...]]
    options: Mapping[str, Any] = field(default_factory=dict)
    outcome: Callable[[Any], Outcome] | None = None
