"""``python quick_hall.py``: run the hall like ``meadhall serve``, but its bots think for a moment only, and in this process.

Its games include the examples for authors of games. Settings are read from the environment.
"""

from __future__ import annotations

import sys
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Final

import numpy as np

sys.path.remove(str(Path(__file__).parent))  # it has modules with names of others
sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "pig" / "src"))

from meadhall.bots import analysis
from meadhall.bots.playouts import Rollouts
from meadhall.bots.ranks import RANKS
from meadhall.engine.compute.bulk import Floats
from meadhall.engine.match.view import EVERYTHING
from meadhall.engine.registry import register
from meadhall.engine.state.schema import States
from meadhall.server import run
from meadhall.server.hall import bots, hall, orders, presence, uptime
from meadhall.server.routes import evenings
from meadhall.server.settings import Settings
from server.ready import ReadyAtOnce, name_guests_in_turn
from server.worker_threads import WorkerThreads

MOMENT: Final = 0.02
"""Seconds that a bot searches. Rules are interpreted, so that each search takes a few times as long."""

VISITS: Final = 2
"""Number of visits after which a hint shows the chance of an action."""

MOST_PLAYERS: Final = 7

VISIT_SECONDS: Final = 8.0
"""Seconds after which a player without an open page is away: more than a busy machine takes from one request to the next."""

REPLACED: Final = timedelta(0)
"""The time after which a bot may play for a player who is away."""

REPORT: Final = (sys.executable, str(Path(__file__).parent / "quick_report.py"))
"""The command that makes a report of the workshop."""

LOOK: Final = 0.3
"""Seconds after which the page of an evening looks whether a match has ended."""

NO_DOWNTIME: Final = timedelta(hours=1)
"""The gap that counts as a downtime of the hall, in which clocks stand: more than a busy machine makes."""


def guess(_rollouts: Rollouts, _states: States, viewer: int, count: int, position: int, _first: int = 0) -> Floats:
    """Return the sums of some payoffs, for a chart. Rollouts by interpreted rules take minutes for a match."""
    return np.random.default_rng((viewer - EVERYTHING, position)).dirichlet(np.ones(MOST_PLAYERS)) * count


def think_for_a_moment() -> None:
    """Shorten the searches of bots and hints, and the analyses of charts."""
    for rank in RANKS:
        if rank.budget is not None:
            vars(rank.budget).update(seconds=MOMENT, trees=1)
    vars(import_module("meadhall.bots.hints"))["MIN_VISITS"] = VISITS
    vars(analysis).update(MAX_SECONDS=MOMENT)
    Rollouts.shares = guess  # type: ignore[assignment, method-assign]


if __name__ == "__main__":
    for module in ("pig", "games_for_tests.least"):
        register(import_module(module).game)
    think_for_a_moment()
    name_guests_in_turn()
    vars(presence)["VISIT_SECONDS"] = VISIT_SECONDS
    vars(presence)["LIVE_LIMIT"] = REPLACED
    vars(orders)["COMMAND"] = REPORT
    vars(uptime)["GAP"] = NO_DOWNTIME
    vars(evenings)["LOOK"] = LOOK
    vars(bots)["has_secrets"] = lambda _match: False  # else a bot that computes for longer than its budget waits for seconds
    vars(hall)["Readiness"] = ReadyAtOnce
    vars(run)["new_worker"] = lambda _cluster: WorkerThreads()
    run.serve(Settings.from_environment())
