"""Lessons: a guided first game. Its steps are positions of one scripted match with a fixed seed and fixed actions."""

from __future__ import annotations

from collections.abc import Mapping
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
