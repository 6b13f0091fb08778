"""What a game offers beside its matches: the guided first game (``Lessons``) and the puzzle of the day (``Daily``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

LEARNER = 0
"""The learner's seat."""


@dataclass(frozen=True)
class Lesson:
    """One step of the guided game.

    Attributes:
        words: the text for the learner; a message for gettext.
        rule: the id of the rule it explains, "" if none.
        before: the actions, of any seat, that are played before the text is shown.
        action: the action that the learner must play now; None if there is only a text to read.
    """

    words: str
    rule: str = ""
    before: tuple[int, ...] = ()
    action: int | None = None

    @property
    def actions(self) -> tuple[int, ...]:
        """Return all actions of this step: those before the text, then the learner's."""
        return self.before if self.action is None else (*self.before, self.action)


@dataclass(frozen=True)
class Lessons:
    """A guided first game.

    Attributes:
        seed: the seed, a text. It was chosen among many for dice or cards that suit the lessons.
        players: the players' names in seat order; the learner comes first.
        lessons: the steps in order. The last has no action.
        options: the options of the match.
        minutes: how long a learner takes, in minutes. A test compares it with the number of words and actions.
    """

    seed: str
    players: tuple[str, ...]
    lessons: tuple[Lesson, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    minutes: int = 2

    @property
    def positions(self) -> tuple[int, ...]:
        """Return, for each step, the number of actions played before its text is shown."""
        ends = accumulate(len(lesson.actions) for lesson in self.lessons)
        return tuple(end - (lesson.action is not None) for end, lesson in zip(ends, self.lessons, strict=True))


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
