"""Searches: how many choices are effective, what is at stake, and what each kind of action loses against the best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from meadhall.bots import Budget, Search
from meadhall.lab.balance.columns import Column, Columns
from meadhall.lab.balance.skill import first_bot
from meadhall.lab.balance.trace import Setting, Tracer
from meadhall.lab.kinds import action_kinds, kinds_by_action

ITERATIONS = 400
"""The iterations of the search of a decision."""
LADDER = 100
"""The iterations of the weaker search of a ladder, which decides everything in its matches."""
DECISIONS = 6
"""The number of decisions of a match that are searched."""


def measured_search(setting: Setting, numbers: Sequence[int]) -> Columns:
    """Return the columns of searches of some decisions of these matches, those with a choice."""
    subject = setting.subject
    kinds, names = kinds_by_action(subject), [kind.name for kind in action_kinds(subject)]
    trace = Tracer(setting).trace(numbers)
    sums: dict[str, list[list[float]]] = {}

    def add(name: str, row: int, value: float) -> None:
        cells = sums.setdefault(name, [[0.0, 0.0] for _ in numbers])
        cells[row][0] += value
        cells[row][1] += 1

    for row, number in enumerate(numbers):
        match = setting.match(number)
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
                found = Search(match.game, budget, f"{setting.bot_seed(number, -2)}/{step}").consider(view, whole_budget=True)
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


def measured_ladder(setting: Setting, numbers: Sequence[int]) -> Columns:
    """Return what a search with twice the iterations wins among searches, in fair shares."""
    players = setting.players
    ladder = Setting(
        setting.game,
        (f"search@{2 * LADDER}", *(f"search@{LADDER}",) * (players - 1)),
        setting.options,
        setting.label,
        (0,) * players,
        limit=setting.limit,
    )
    return {"ladder": first_bot(ladder, numbers)}
