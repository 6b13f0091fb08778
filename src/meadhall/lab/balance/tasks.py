"""Tasks: the parts of a report that are measured for each cell, with the number of matches that each plays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Literal, TypeAlias

from meadhall.bots.policy import POLICIES
from meadhall.engine.compute.executors import Pieces
from meadhall.engine.game import Game
from meadhall.engine.loops import RANDOM
from meadhall.lab.balance.choice import choice
from meadhall.lab.balance.columns import Columns, counted
from meadhall.lab.balance.course import measured_course
from meadhall.lab.balance.deep import measured_ladder, measured_search
from meadhall.lab.balance.fairness import fairness
from meadhall.lab.balance.length import length
from meadhall.lab.balance.scores import attacks, scores
from meadhall.lab.balance.skill import measured_agency, measured_luck, measured_without
from meadhall.lab.balance.trace import Setting, Tracer
from meadhall.lab.balance.use import use_of_actions, use_of_pieces

Depth: TypeAlias = Literal["quick", "usual", "deep"]
"""How much a report measures: matches alone; chances, skill and luck, too; searches, too."""

GROUPS = (fairness, length, choice, use_of_actions, use_of_pieces, scores, attacks)
"""The part of a report that is computed from the traces of matches."""


class Task(Enum):
    """A part of a report."""

    PLAY = "play"
    COURSE = "course"
    WORTH = "worth"  # the course with every position, of long matches
    AGENCY = "agency"
    LUCK = "luck"
    WITHOUT = "without"
    SEARCH = "search"
    LADDER = "ladder"


SIZES = {
    Task.COURSE: 32,
    Task.AGENCY: 256,
    Task.LUCK: 48,
    Task.WITHOUT: 1024,
    Task.SEARCH: 48,
    Task.WORTH: 32,
    Task.LADDER: 32,
}
"""The number of matches of each task (of deals for luck), apart from the play itself. They don't depend on the time."""

DEEP = (Task.SEARCH, Task.WORTH, Task.LADDER)
"""The tasks of a deep report alone, which take long: the most useful for its time first."""

CHUNKS = {Task.PLAY: 64, Task.COURSE: 2, Task.WORTH: 1, Task.SEARCH: 2, Task.LADDER: 1, Task.LUCK: 4}
"""The number of matches in a chunk for an executor; 16 where nothing stands here. Matches of searches and functions: 2."""


def tasks_of(players: int, parties: int, bot: str, depth: Depth) -> list[Task]:
    """Return the tasks of a cell after the play, the most useful first."""
    if depth == "quick":
        return []
    rivals = parties > 1
    usual = [Task.COURSE, *([Task.AGENCY, Task.LUCK] if rivals and players > 1 else [Task.LUCK])]
    deep = [task for task in DEEP if rivals or task is not Task.LADDER] if depth == "deep" else []
    return [task for task in (*usual, *deep) if task is not Task.AGENCY or POLICIES.get(bot) != RANDOM]


@dataclass(frozen=True)
class Measuring:
    """The work of one task in one cell: returns the columns of a chunk of matches."""

    setting: Setting
    task: Task
    kind: str = ""  # of actions, for ``Task.WITHOUT``
    every: bool = False  # whether ``Task.COURSE`` values every position

    @property
    def subject(self) -> Game:
        """Return the game that is played."""
        return self.setting.subject

    def __call__(self, chunk: range, pieces: Pieces) -> Columns:
        """Measure the matches with these numbers."""
        numbers = [number for piece in pieces.of(chunk) for number in piece]
        return {} if not numbers else self._measure(numbers)

    def _measure(self, numbers: list[int]) -> Columns:
        setting = self.setting
        if self.task is Task.PLAY:
            trace = Tracer(setting).trace(numbers)
            return counted({name: column for group in GROUPS for name, column in group(trace).items()}, trace.stopped)
        measures: dict[Task, Callable[[Setting, Sequence[int]], Columns]] = {
            Task.COURSE: partial(measured_course, every=self.every),
            Task.WORTH: partial(measured_course, every=True),
            Task.AGENCY: measured_agency,
            Task.LUCK: measured_luck,
            Task.WITHOUT: partial(measured_without, kind=self.kind),
            Task.SEARCH: measured_search,
            Task.LADDER: measured_ladder,
        }
        return counted(measures[self.task](setting, numbers))

    @property
    def is_compiled(self) -> bool:
        """Return whether threads can do the work, because it spends its time in compiled loops."""
        return self.setting.is_compiled and self.task not in (Task.SEARCH, Task.LADDER)

    @property
    def chunk(self) -> int:
        """Return the number of matches in a chunk."""
        return CHUNKS.get(self.task, 16) if self.setting.is_compiled else 2

    def compile(self) -> None:
        """Compile everything that the work needs."""
        self._measure([0])


@dataclass(frozen=True)
class Rounds:
    """The work of a task in several cells as one: each part is a chunk of matches of a cell. So one pool does all of it."""

    parts: tuple[tuple[Measuring, range], ...]

    @property
    def subject(self) -> Game:
        """Return the game that is played."""
        return self.parts[0][0].subject

    @property
    def is_compiled(self) -> bool:
        """Return whether threads can do the work."""
        return all(work.is_compiled for work, _numbers in self.parts)

    def __call__(self, chunk: range, pieces: Pieces) -> Columns:
        """Measure the part with this number."""
        [number] = chunk
        work, numbers = self.parts[number]
        return work(numbers, pieces)

    def compile(self) -> None:
        """Compile everything that the work needs."""
        self.parts[0][0].compile()
