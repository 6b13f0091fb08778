"""Tasks: the parts of a report that are measured for each cell, with the number of matches that each plays.

Some are experiments, whose matches are played for one figure: without a kind of action, between levels, with searches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from math import nan
from typing import Literal, TypeAlias

import numpy as np

from meadhall.bots import Budget, Search
from meadhall.bots.policy import POLICIES
from meadhall.engine.compute.bulk import Floats, seed_number
from meadhall.engine.compute.executors import Pieces
from meadhall.engine.game import Game
from meadhall.lab.balance.chances import measured_chances
from meadhall.lab.balance.figures import Column, Columns, counted
from meadhall.lab.balance.measures import measured
from meadhall.lab.balance.trace import CellPlan, Ints, Trace, Tracer
from meadhall.lab.entrants import action_kinds, kind_mask, kinds_by_action, play_out
from meadhall.lab.luck import values_and_luck

Depth: TypeAlias = Literal["quick", "usual", "deep"]
"""How much a report measures: matches alone; chances, skill and luck, too; searches, too."""


ITERATIONS = 400
"""The iterations of the search of a decision."""
RUNGS = ("thrall", "karl", "search@100", "search@400")
"""The ladder: random players, players by heuristics, and searches with a number of iterations, each stronger than the one before.
The levels huscarl to king search by the clock, so the same seed would give other matches."""
HIGH_RUNGS = ("search@1600", "search@6400")
"""The rungs of a deep report alone."""
GOOD = "search@100"
"""The players among whom luck is measured."""
PLAYOUTS = 32
"""The rollouts that value a position for luck. Few make luck noisy, but its share in results no smaller or larger."""
DEALS = 8
"""The number of other deals that say what a seat can expect before the deal."""
DECISIONS = 6
"""The number of decisions of a match that are searched."""


class Task(Enum):
    """A part of a report."""

    PLAY = "play"
    CHANCES = "chances"
    WORTH = "worth"  # the chances at every position, of long matches
    WITHOUT = "without"
    OWN = "own"  # an own function
    LADDER = "ladder"
    LUCK = "luck"
    SEARCH = "search"


SIZES = {
    Task.CHANCES: 32,
    Task.WITHOUT: 1024,
    Task.OWN: 512,
    Task.LADDER: 24,
    Task.LUCK: 24,
    Task.SEARCH: 48,
    Task.WORTH: 32,
}
"""The number of matches of each task. They don't depend on the time."""
HEURISTIC = 256
"""The number of matches of the rung without searches."""

USUAL = (Task.CHANCES, Task.LADDER, Task.LUCK)
DEEP = (Task.SEARCH, Task.WORTH)
"""The tasks of a deep report alone, which take long: the most useful for its time first. High rungs of the ladder follow them."""

SHORT_FOR = {Task.CHANCES: 400_000, Task.LADDER: 100_000, Task.LUCK: 100_000}
"""The decisions of a match, times the actions of its game, up to which a task plays more than the usual number of matches."""
TIMES = 8
"""How many times as many matches short ones are."""

CHUNKS = {Task.PLAY: 64, Task.CHANCES: 2, Task.WORTH: 1, Task.SEARCH: 2, Task.LADDER: 1, Task.LUCK: 4}
"""The number of matches in a chunk for an executor; 16 where nothing stands here. Matches of searches and functions: 2."""


def works_of(cell: CellPlan, depth: Depth, without: Sequence[str], *, is_first: bool) -> Iterator[Measuring]:
    """Yield the work of a cell after the play, in its order.

    Args:
        without: the kinds of actions to leave out.
        is_first: whether no cell before has the same variant and number of players: the ladder and luck don't depend on the bot.
    """
    yield from (Measuring(cell, Task.WITHOUT, kind) for kind in without)
    yield from (Measuring(cell, Task.OWN, name) for name in cell.own.functions)
    are_rivals = len(cell.subject.parties(cell.players, cell.options)) > 1
    for task in () if depth == "quick" else USUAL if depth == "usual" else USUAL + DEEP:
        if task is Task.LADDER:
            yield from (Measuring(cell, task, level) for level in rungs(cell.subject) if is_first)
        elif task is not Task.LUCK or (are_rivals and is_first):
            yield Measuring(cell, task)
    if depth == "deep" and is_first:
        yield from (Measuring(cell, Task.LADDER, level) for level in HIGH_RUNGS)


def rungs(subject: Game) -> list[str]:
    """Return the levels of a usual report's ladder above random players. Without heuristics a game has no karl."""
    return [level for level in RUNGS[1:] if level != "karl" or subject.greedy is not None]


@dataclass(frozen=True)
class Measuring:
    """The work of one task in one cell: returns the columns of a chunk of matches."""

    plan: CellPlan
    task: Task
    kind: str = ""  # of actions, for ``Task.WITHOUT``; the name of a figure, for ``OWN``; a level, for ``LADDER``
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
        measures: dict[Task, Callable[[CellPlan, Sequence[int]], Columns]] = {
            Task.PLAY: lambda plan, numbers: measured(Tracer(plan).trace(numbers)),
            Task.CHANCES: partial(measured_chances, every=self.every),
            Task.WORTH: partial(measured_chances, every=True),
            Task.WITHOUT: partial(measured_without, kind=self.kind),
            Task.OWN: partial(measured_own, name=self.kind),
            Task.SEARCH: measured_search,
            Task.LADDER: partial(measured_rung, level=self.kind),
            Task.LUCK: measured_luck,
        }
        return counted(measures[self.task](self.plan, numbers))

    @property
    def is_compiled(self) -> bool:
        """Return whether threads can do the work, because it spends its time in compiled loops."""
        return self.plan.is_compiled and self.task not in (Task.SEARCH, Task.LADDER, Task.LUCK, Task.OWN)

    @property
    def stage(self) -> Task | str:
        """Return its task, or its level for a high rung of the ladder."""
        return self.kind if self.task is Task.LADDER and self.kind in HIGH_RUNGS else self.task

    def size(self, decisions: float) -> int:
        """Return the number of matches, if one has so many decisions. Short ones are more, because they take less time."""
        least = HEURISTIC if self.task is Task.LADDER and self.kind in POLICIES else SIZES[self.task]
        room = SHORT_FOR.get(self.task, 0) / max(1.0, decisions * self.subject.actions)
        return int(least * min(max(room, 1), TIMES if self.every or self.task is not Task.CHANCES else 1))

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


def measured_without(plan: CellPlan, numbers: Sequence[int], kind: str) -> Columns:
    """Return the wins of a bot that avoids a kind of action, among bots that don't, for each win where it doesn't either.

    Both play the same matches with the same choices, so that only what the ban changes makes a difference. The second column is
    how often the ban changes a decision: choices of this kind by the free bot, of all its decisions that offer it beside another.
    """
    mask = kind_mask(plan.subject, [kind])
    trace = Tracer(plan).trace(numbers)
    banned = first_wins(Tracer(replace(plan, avoided=(mask, *(0,) * (plan.players - 1)))).trace(numbers))
    here = (trace.seat == first_seats(trace)[trace.match]) & (trace.offered & mask != 0) & (trace.offered & ~mask != 0)
    kinds = kinds_by_action(plan.subject)[trace.action]
    chosen = here & (kinds >= 0) & ((mask >> np.maximum(kinds, 0)) & 1 == 1)
    return {
        f"without.{kind}": Column(banned.sums, first_wins(trace).sums),
        f"banned.{kind}": Column(trace.count(trace.match[chosen]), trace.count(trace.match[here]), most=1.0),
    }


def first_wins(trace: Trace) -> Column:
    """Return the wins in fair shares of the first bot of the plan of these matches, which sits on every seat in turn."""
    won = trace.fair_shares[np.arange(trace.matches), first_seats(trace)]
    return Column(won, np.ones(trace.matches), most=float(len(trace.parties)))


def first_seats(trace: Trace) -> Ints:
    """Return the seat of the first bot of the plan in each match, see ``Plan.seating``, int64 (matches,)."""
    return (-trace.numbers) % trace.plan.players


def measured_own(plan: CellPlan, numbers: Sequence[int], name: str) -> Columns:
    """Return the figure of an own function. It isn't asked about stopped matches. Raises FigureFailed."""
    trace = Tracer(plan).trace(numbers)
    pairs = np.full((len(numbers), 2), nan)
    for row, match in enumerate(numbers):
        if not trace.stopped[row]:
            played = plan.match(match)
            for action in trace.action[trace.match == row].tolist():
                played.play(action)
            pairs[row] = plan.own.measure(name, played)
    return {f"own.{name}": Column(pairs[:, 0].copy(), pairs[:, 1].copy())}


def measured_search(plan: CellPlan, numbers: Sequence[int]) -> Columns:
    """Return the columns of searches of some decisions of these matches, those with a choice."""
    subject = plan.subject
    kinds, names = kinds_by_action(subject), [kind.name for kind in action_kinds(subject)]
    trace = Tracer(plan).trace(numbers)
    sums: dict[str, Floats] = {}

    def add(name: str, row: int, value: float) -> None:
        sums.setdefault(name, np.zeros((len(numbers), 2)))[row] += value, 1

    for row in np.flatnonzero(~trace.stopped).tolist():
        number, here = numbers[row], trace.match == row
        match, free = plan.match(number), np.flatnonzero(trace.legal[here] > 1)
        wanted = set(free[np.linspace(0, len(free) - 1, min(DECISIONS, len(free))).astype(int)].tolist())
        for step, action in enumerate(trace.action[here].tolist()):
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
    return {name: Column(*cells.T.copy()) for name, cells in sums.items()}


def measured_rung(plan: CellPlan, numbers: Sequence[int], level: str) -> Columns:
    """Return what one player of a level wins among players of the level below, in fair shares; or players of the level together.

    All levels and variants have the same deals.
    """
    players = plan.players
    if len(plan.subject.parties(players, plan.options)) == 1:
        together = Tracer(replace(plan, bots=(level,) * players)).trace(numbers)
        return {f"solved.{level}": replace(first_wins(together), most=1.0)}
    levels = [RUNGS[0], *rungs(plan.subject), *HIGH_RUNGS]
    below = levels[levels.index(level) - 1]
    among = Tracer(replace(plan, bots=(level, *(below,) * (players - 1)))).trace(numbers)
    return {f"ladder.{level}": first_wins(among)}


def measured_luck(plan: CellPlan, numbers: Sequence[int]) -> Columns:
    """Return the part of the variance of results between good players that goes with luck, and its parts.

    A seat's result differs from what it can expect before the deal by luck, see ``luck``, and by what all of them choose. What
    luck explains is the covariance of both with the difference: rollouts make luck noisy, but their noise has no covariance with
    results, so the estimate needs no correction for it.
    """
    good = replace(plan, bots=(GOOD,) * plan.players)
    seats = [party[0] for party in plan.subject.parties(plan.players, plan.options)]
    deals = [replace(good, seed=f"{plan.label}/luck").match(number) for number in range(DEALS)]
    expected = np.mean([values_and_luck(deal, number, PLAYOUTS)[0][seats] for number, deal in enumerate(deals)], axis=0)
    sums = np.full((len(numbers), 3), nan)
    for row, number in enumerate(numbers):
        match = good.match(number)
        play_out(match, good.bots_of(number), good.limit)
        result = match.result()
        if result is not None:
            first, later = values_and_luck(match, seed_number(f"{plan.label}/{number}/luck"), PLAYOUTS)
            beyond = np.array(result.shares)[seats] - expected
            sums[row] = beyond @ (first[seats] - expected), beyond @ later[seats], beyond @ beyond
    deal, dice, whole = sums.T.copy()
    return {
        "luck": Column(deal + dice, whole, most=1.0),
        "luck_of_deal": Column(deal, whole, most=1.0),
        "luck_of_dice": Column(dice, whole, most=1.0),
    }
