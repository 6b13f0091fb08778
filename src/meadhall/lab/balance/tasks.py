"""Tasks: the parts of a report that are measured for each cell, with the number of matches that each plays.

Some are experiments, whose matches are played for one figure: without a kind of action, among random players, with searches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from math import nan
from typing import Literal, TypeAlias

import numpy as np

from meadhall.bots import Budget, Search
from meadhall.bots.policy import POLICIES
from meadhall.engine.compute.executors import Pieces
from meadhall.engine.game import Game
from meadhall.engine.loops import RANDOM
from meadhall.lab.balance.chances import measured_chances
from meadhall.lab.balance.figures import Column, Columns, counted
from meadhall.lab.balance.measures import measured
from meadhall.lab.balance.trace import CellPlan, Tracer
from meadhall.lab.entrants import action_kinds, kind_mask, kinds_by_action

Depth: TypeAlias = Literal["quick", "usual", "deep"]
"""How much a report measures: matches alone; chances, skill and deals, too; searches, too."""


REPEATS = 16
"""The number of matches of random players with the same deal."""

ITERATIONS = 400
"""The iterations of the search of a decision."""
LADDER = 100
"""The iterations of the weaker search of a ladder, which decides everything in its matches."""
DECISIONS = 6
"""The number of decisions of a match that are searched."""


class Task(Enum):
    """A part of a report."""

    PLAY = "play"
    CHANCES = "chances"
    WORTH = "worth"  # the chances at every position, of long matches
    AGENCY = "agency"
    DEALS = "deals"
    WITHOUT = "without"
    SEARCH = "search"
    LADDER = "ladder"


SIZES = {
    Task.CHANCES: 32,
    Task.AGENCY: 256,
    Task.DEALS: 48,
    Task.WITHOUT: 1024,
    Task.SEARCH: 48,
    Task.WORTH: 32,
    Task.LADDER: 32,
}
"""The number of matches of each task (of deals for ``DEALS``) in their order after the play. They don't depend on the time."""

DEEP = (Task.SEARCH, Task.WORTH, Task.LADDER)
"""The tasks of a deep report alone, which take long: the most useful for its time first."""

CHUNKS = {Task.PLAY: 64, Task.CHANCES: 2, Task.WORTH: 1, Task.SEARCH: 2, Task.LADDER: 1, Task.DEALS: 4}
"""The number of matches in a chunk for an executor; 16 where nothing stands here. Matches of searches and functions: 2."""


def tasks_of(cell: CellPlan, depth: Depth) -> list[Task]:
    """Return the tasks of a cell after the play, apart from ``WITHOUT``."""
    if depth == "quick":
        return []
    are_rivals = len(cell.subject.parties(cell.players, cell.options)) > 1
    tasks = [Task.CHANCES, Task.DEALS, *(DEEP if depth == "deep" else [])]
    if are_rivals and cell.players > 1 and POLICIES.get(cell.bots[0]) != RANDOM:
        tasks.append(Task.AGENCY)
    return [task for task in tasks if are_rivals or task is not Task.LADDER]


@dataclass(frozen=True)
class Measuring:
    """The work of one task in one cell: returns the columns of a chunk of matches."""

    plan: CellPlan
    task: Task
    kind: str = ""  # of actions, for ``Task.WITHOUT``
    every: bool = False  # whether ``Task.CHANCES`` values every position

    @property
    def subject(self) -> Game:
        """Return the game that is played."""
        return self.plan.subject

    def __call__(self, chunk: range, pieces: Pieces) -> Columns:
        """Measure the matches with these numbers."""
        numbers = [number for piece in pieces.of(chunk) for number in piece]
        return {} if not numbers else self._measure(numbers)

    def _measure(self, numbers: list[int]) -> Columns:
        plan = self.plan
        if self.task is Task.PLAY:
            return measured(Tracer(plan).trace(numbers))
        measures: dict[Task, Callable[[CellPlan, Sequence[int]], Columns]] = {
            Task.CHANCES: partial(measured_chances, every=self.every),
            Task.WORTH: partial(measured_chances, every=True),
            Task.AGENCY: measured_agency,
            Task.DEALS: measured_deals,
            Task.WITHOUT: partial(measured_without, kind=self.kind),
            Task.SEARCH: measured_search,
            Task.LADDER: measured_ladder,
        }
        return counted(measures[self.task](plan, numbers))

    @property
    def is_compiled(self) -> bool:
        """Return whether threads can do the work, because it spends its time in compiled loops."""
        return self.plan.is_compiled and self.task not in (Task.SEARCH, Task.LADDER)

    @property
    def chunk(self) -> int:
        """Return the number of matches in a chunk."""
        return CHUNKS.get(self.task, 16) if self.plan.is_compiled else 2

    def compile(self) -> None:
        """Compile everything that the work needs."""
        self._measure([0])


@dataclass(frozen=True)
class Rounds:
    """The work of several cells as one: each part is a chunk of matches of a cell. So one pool does all of it."""

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
        for work in {work.subject.name: work for work, _numbers in self.parts}.values():
            work.compile()


# --------------------------------------------------------------------------------------------------------------- experiments


def measured_agency(plan: CellPlan, numbers: Sequence[int]) -> Columns:
    """Return the wins in fair shares of the plan's bot among random players."""
    return {"agency": first_bot(replace(plan, bots=(plan.bots[0], *("thrall",) * (plan.players - 1))), numbers)}


def measured_without(plan: CellPlan, numbers: Sequence[int], kind: str) -> Columns:
    """Return the wins of a bot that avoids a kind of action, among bots that don't, for each win where it doesn't either.

    Both play the same matches with the same choices, so that only what the ban changes makes a difference.
    """
    mask = kind_mask(plan.subject, [kind])
    avoiding = replace(plan, avoided=(mask, *(0,) * (plan.players - 1)))
    banned, free = (first_bot(each, numbers).sums for each in (avoiding, plan))
    return {f"without.{kind}": Column(banned, free)}


def first_bot(plan: CellPlan, numbers: Sequence[int]) -> Column:
    """Return the wins in fair shares of the first bot of a plan, which sits on every seat in turn."""
    trace = Tracer(plan).trace(numbers)
    seats = (-trace.numbers) % plan.players  # see ``Plan.seating``
    return Column(trace.fair_shares[np.arange(trace.matches), seats], np.ones(trace.matches))


def measured_deals(plan: CellPlan, numbers: Sequence[int]) -> Columns:
    """Return how much of the variance of results between random players is between deals (the intraclass correlation).

    The noise of a finite number of matches for each deal is taken out. ``numbers`` are those of deals. Goodman, Perez-Liebana,
    Lucas: Seeding for Success (2025) have other measures of the same.
    """
    players = plan.players
    thralls = replace(plan, bots=("thrall",) * players, repeats=REPEATS)
    tracer = Tracer(thralls)
    trace = tracer.trace([REPEATS * deal + k for deal in numbers for k in range(REPEATS)])
    seats = [party[0] for party in trace.parties]
    shares = trace.shares[:, seats].reshape(len(numbers), REPEATS, len(seats))
    rates = shares.mean(axis=1)
    squares = (shares**2).mean(axis=1)
    ended = shares[~np.isnan(shares)]
    fair = 1 / len(seats) if len(seats) > 1 else float(ended.mean()) if ended.size else nan
    same = (REPEATS * rates**2 - squares) / (REPEATS - 1)  # an unbiased estimate of the square of the true rate
    return {"decided_by_deal": Column((same - fair**2).sum(axis=1), (squares - fair**2).sum(axis=1))}


def measured_search(plan: CellPlan, numbers: Sequence[int]) -> Columns:
    """Return the columns of searches of some decisions of these matches, those with a choice."""
    subject = plan.subject
    kinds, names = kinds_by_action(subject), [kind.name for kind in action_kinds(subject)]
    trace = Tracer(plan).trace(numbers)
    sums: dict[str, list[list[float]]] = {}

    def add(name: str, row: int, value: float) -> None:
        cells = sums.setdefault(name, [[0.0, 0.0] for _ in numbers])
        cells[row][0] += value
        cells[row][1] += 1

    for row, number in enumerate(numbers):
        match = plan.match(number)
        here = trace.match == row
        actions, legal = trace.action[here].tolist(), trace.legal[here]
        if trace.stopped[row]:
            continue
        free = np.flatnonzero(legal > 1)
        wanted = set(free[np.linspace(0, len(free) - 1, min(DECISIONS, len(free))).astype(int)].tolist()) if len(free) else set()
        for step, action in enumerate(actions):
            if step in wanted:
                view = match.view(match.actor)
                budget = Budget(iterations=ITERATIONS, trees=1, alone=True)
                found = Search(match.game, budget, f"{plan.bot_seed(number, -2)}/{step}").consider(view, whole_budget=True)
                tried = [each for each in found.considered if each.visits > 0]
                visits = np.array([each.visits for each in tried], float)
                values = np.array([each.payoff for each in tried], float)
                shares = visits / visits.sum()
                add("effective", row, float(np.exp(-(shares * np.log(shares)).sum())))
                add("stakes", row, float(values[visits.argmax()] - values.mean()))
                chosen = next((each.payoff for each in tried if each.action == action), None)
                if chosen is not None and kinds[action] >= 0:
                    add(f"loss.{names[kinds[action]]}", row, float(values[visits.argmax()] - chosen))
            match.play(action)
    return {name: Column(*np.array(cells).T.copy()) for name, cells in sums.items()}


def measured_ladder(plan: CellPlan, numbers: Sequence[int]) -> Columns:
    """Return what a search with twice the iterations wins among searches, in fair shares."""
    bots = (f"search@{2 * LADDER}", *(f"search@{LADDER}",) * (plan.players - 1))
    return {"ladder": first_bot(replace(plan, bots=bots), numbers)}
