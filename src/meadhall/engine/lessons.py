"""Lessons: a guided first game. Its moments are those of one match, whose seed and actions are written down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from meadhall.engine.game import Game
    from meadhall.engine.match import Match

LEARNER = 0
"""The seat of whoever learns."""


@dataclass(frozen=True)
class Lesson:
    """One moment and what is said there.

    Attributes:
        words: for the learner; a message for gettext.
        rule: the id of the rule that it is about, "" if none.
        before: actions that are played before this moment, by whoever is to decide.
        action: what the learner is to do now; None if there is only something to read.
    """

    words: str
    rule: str = ""
    before: tuple[int, ...] = ()
    action: int | None = None

    @property
    def actions(self) -> tuple[int, ...]:
        """All that is played from the moment before to the end of this one."""
        return self.before if self.action is None else (*self.before, self.action)


@dataclass(frozen=True)
class Lessons:
    """A guided first game.

    Attributes:
        seed: the text that chance follows from, found by trying many until the dice or cards fell as the story wants them.
        players: their names in seat order; the first is the learner.
        lessons: its moments in order. The last has no action.
        options: what the match is set up with.
    """

    seed: str
    players: tuple[str, ...]
    lessons: tuple[Lesson, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    def match(self, game: Game) -> Match:
        """The whole match, to its last moment."""
        match = game.match(seed=self.seed, seats=self.players, **self.options)
        for lesson in self.lessons:
            for action in lesson.actions:
                match.play(action)
        return match

    @property
    def positions(self) -> tuple[int, ...]:
        """How many actions have been played at each moment."""
        ends = accumulate(len(lesson.actions) for lesson in self.lessons)
        return tuple(end - (lesson.action is not None) for end, lesson in zip(ends, self.lessons, strict=True))
