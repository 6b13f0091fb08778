"""Tree search: iterations per second, side by side with OpenSpiel's search in C++.

    make bench        (or: .venv/bin/python benchmarks/search.py)

Axes and Allies with 4 players is compared with Monte Carlo tree search on pig with 4, and Viking Axes, strategic, with 4 players
with information-set Monte Carlo tree search on hearts. Each search starts at the first decision of a match and plays a rollout
from every new node; ours uses the bots' rollout policy and cutoff. One core in CPU time; medians of ratios of figures taken side
by side.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pyspiel
from rich.console import Console
from rich.table import Table

import meadhall
from meadhall.bots.search import Tree

BUILD = Path(__file__).parent / "build"
PLAYERS = 4
ITERATIONS = 20_000
REPETITIONS = 9
GOAL = 3.0
EXPLORATION = 0.7
MEMORY = 1000
"""Memory limit in megabytes, more than the trees need."""


def ours(name: str, **options: str) -> Callable[[], float]:
    """Return iterations per second of one new tree."""
    match = meadhall.game(name).match(PLAYERS, seed="search", **options)
    view = match.view(match.actor)
    tree = Tree(match.game)
    tree.grow(view.states, view.viewer, 1, 0)

    def grow() -> None:
        tree.clear()
        tree.grow(view.states, view.viewer, ITERATIONS, 1)

    return lambda: speed(grow)


def openspiel(name: str, make: Callable[[Any, Any], Any]) -> Callable[[], float]:
    """Return iterations per second of an OpenSpiel bot at the first decision with a choice."""
    game = pyspiel.load_game(name)
    state = game.new_initial_state()
    while state.is_chance_node() or len(state.legal_actions()) == 1:
        state.apply_action(state.legal_actions()[0])
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)

    def grow() -> None:
        make(game, evaluator).step(state)

    return lambda: speed(grow)


def mcts(game: Any, evaluator: Any) -> Any:
    return pyspiel.MCTSBot(game, evaluator, EXPLORATION, ITERATIONS, MEMORY, False, 1, False)


def ismcts(_game: Any, evaluator: Any) -> Any:
    return pyspiel.ISMCTSBot(1, evaluator, EXPLORATION, ITERATIONS)


def speed(grow: Callable[[], None]) -> float:
    """Return iterations per second of CPU time of this thread."""
    began = time.thread_time()
    grow()
    return ITERATIONS / (time.thread_time() - began)


def main() -> None:
    pairs = {
        ("Axes and Allies, 4 players", "OpenSpiel's MCTS, pig with 4"): (
            ours("axes-and-allies"),
            openspiel(f"pig(players={PLAYERS})", mcts),
        ),
        ("Viking Axes, strategic, 4 players", "OpenSpiel's ISMCTS, hearts"): (
            ours("viking-axes", variant="strategic"),
            openspiel("hearts(pass_cards=false)", ismcts),
        ),
    }
    figures: dict[str, list[float]] = {name: [] for names in pairs for name in names}
    for _ in range(REPETITIONS):
        for names, searches in pairs.items():
            for name, search in zip(names, searches, strict=True):
                figures[name].append(search())
    table = Table(title=f"Tree search on one core, {ITERATIONS:,} iterations, median of {REPETITIONS}")
    for heading in ("", "iterations/s", "ratio"):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    verdicts = []
    for mine, theirs in pairs:
        ratio = median(a / b for a, b in zip(figures[mine], figures[theirs], strict=True))
        table.add_row(mine, f"{median(figures[mine]):,.0f}", f"{ratio:.1f}")
        table.add_row(theirs, f"{median(figures[theirs]):,.0f}", "1")
        verdicts.append(f"{'reached' if ratio >= GOAL else 'MISSED'}:  {ratio:.1f} times {theirs} (goal: {GOAL:.0f})")
    console = Console(width=max(100, Console().width))
    console.print(table, *verdicts, sep="\n", highlight=False)
    BUILD.mkdir(exist_ok=True)
    (BUILD / "search.json").write_text(json.dumps({"iterations_per_second": figures}, indent=1))


if __name__ == "__main__":
    main()
