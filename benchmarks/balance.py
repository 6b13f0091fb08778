"""The balance report against truths that were measured independently, and its speed.

    .venv/bin/python benchmarks/balance.py [GAMES]    (minutes; prints the rows of results/balance.toml)
    .venv/bin/python benchmarks/balance.py --speed    (two variants of Dungeon Allies, 2 to 5 players, precision 1 %)

A truth is met if the two intervals overlap.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from random import Random

import meadhall
from meadhall.bots import PolicyBot
from meadhall.engine.game import Game
from meadhall.engine.match.view import View
from meadhall.engine.statistics import Z_95
from meadhall.lab.balance import Balance, balance

PLACES = {
    2: (1.28, 0.72),
    3: (1.63, 0.89, 0.48),
    4: (0.92, 0.70, 0.62, 1.76),
    5: (0.85, 0.99, 0.97, 1.60, 0.59),
}
"""Dungeon Allies, karl: wins in fair shares by place in the first order."""
GAMES = {2: 6000, 3: 400, 4: 400, 5: 400}
"""The matches behind each of them."""

Row = tuple[str, float, float, float, float, float]
"""What, the truth, the half width of its interval, and the value, low and high that the report finds."""


class RandomTargets:
    """A karl of Viking Axes that draws the targets of its axes."""

    def __init__(self, game: Game) -> None:
        self._karl = PolicyBot(game, "karl", "targets")
        self._draw = Random("targets")
        self._throws = game.elements.actions[0].actions

    def choose(self, view: View) -> int:
        """Choose an action."""
        targets = [action for action in view.legal if action in self._throws]
        return self._draw.choice(targets) if len(targets) > 1 else self._karl.choose(view)


def rows(games: int) -> Iterator[Row]:
    """Yield a row for each truth."""
    for players, truths in PLACES.items():
        figures = _report("dungeon-allies", players, games).figures["built-in", players]
        for place, truth in enumerate(truths, 1):
            figure = figures[f"place.{place}"]
            share = truth / players
            error = Z_95 * players * (share * (1 - share) / GAMES[players]) ** 0.5
            yield f"Dungeon Allies, {players} players, place {place}", truth, error, figure.value, figure.low, figure.high
    variants = {variant: {"variant": variant} for variant in ("standard", "strategic")}
    cards = balance("viking-axes", 2, variants, games=4 * games, depth="quick", seed="truths", seconds=None)
    for variant, truth in (("standard", 1.144), ("strategic", 1.125)):
        figure = cards.figures[variant, 2]["place.1"]
        yield f"Viking Axes, 2 players, {variant}, place 1", truth, 0.035, figure.value, figure.low, figure.high
    armory = _report("viking-axes", 2, games, without=["keep_armory", "discard_armory"]).figures["built-in", 2]
    for kind, who, truth in (("keep_armory", "never", 1.0), ("discard_armory", "always", 0.84)):
        figure = armory[f"without.{kind}"]
        yield f"Viking Axes, 2 players, {who} keeps an armory", truth, 0.05, figure.value, figure.low, figure.high
    rate = meadhall.simulate("viking-axes", [RandomTargets, "karl", "karl", "karl"], games=2 * games, seed="truths").by_bot
    found = rate["RandomTargets"]
    yield "Viking Axes, 4 players, random targets (share)", 0.22, 0.02, found.rate, found.low, found.high
    axes = _report("axes-and-allies", 6, 4 * games, depth="usual").figures["built-in", 6]
    yield "Axes and Allies, 6 players, watching after dropping out", 0.42, 0.01, *_values(axes, "dead")
    report = _report("axes-and-allies", 4, 4 * games, depth="usual").figures["built-in", 4]
    lucky = _report("axes-and-allies", 4, games, depth="usual", bots=["thrall"]).figures["built-in", 4]
    yield "Axes and Allies, 4 random players, winner once under 10 %", 0.28, 0.05, *_values(lucky, "comeback")
    yield "Axes and Allies, 4 players, karl among random players", 1.296, 0.05, *_values(report, "ladder.karl")


def _report(
    game: str, players: int, games: int, depth: str = "quick", without: Sequence[str] = (), bots: Sequence[str] | None = None
) -> Balance:
    return balance(
        game,
        players,
        games=games,
        depth=depth,
        without=without,
        bots=bots,
        seed="truths",
        seconds=None,  # type: ignore[arg-type]
    )


def _values(figures: dict[str, meadhall.lab.balance.Figure], name: str) -> tuple[float, float, float]:
    return figures[name].value, figures[name].low, figures[name].high


def measure_speed() -> None:
    """Print the time of the report that a designer of Dungeon Allies asks for, also as matches of a simulation.

    CPU seconds depend on the machine and on what else runs there; the ratio to a simulation in the same minute hardly does.
    """
    meadhall.simulate("dungeon-allies", ["karl"], players=4, games=10)
    before = os.times()
    meadhall.simulate("dungeon-allies", ["karl"], players=4, games=2000)
    after = os.times()
    simulated = (after.user + after.system - before.user - before.system) / 2000
    began, before = time.monotonic(), os.times()
    options = {"built-in": {}, "same": {}}
    report = balance("dungeon-allies", (2, 3, 4, 5), options, ["karl"], precision=0.01, seed="speed", seconds=None)
    after = os.times()
    spent = after.user + after.system - before.user - before.system
    games, seconds = sum(report.games.values()), time.monotonic() - began
    print(f"{games:,} matches, {seconds:.0f} s, {spent:.0f} CPU seconds: those of {spent / simulated:,.0f} simulated")


def main() -> None:
    """Compare the report with the truths, or measure its speed."""
    if "--speed" in sys.argv:
        measure_speed()
        return
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 1500
    for what, truth, error, value, low, high in rows(games):
        met = low <= truth + error and high >= truth - error
        print(f'  ["{what}", "{truth:.2f}", "{value:.3f} ({low:.3f} to {high:.3f})", "{"yes" if met else "no"}"],', flush=True)


if __name__ == "__main__":
    main()
