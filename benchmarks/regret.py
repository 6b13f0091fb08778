"""What a bot would gain from the search time of the level above it: how often the two disagree, and the value of the difference.

    .venv/bin/python benchmarks/regret.py viking-axes --players 4 --option variant=strategic

Bots of the lower level play matches. At every ``--every``-th decision with a choice the upper level is asked too. Where the two
disagree a referee, a search with twice the time of the upper level, estimates the payoff of both actions. The referee has the
same blind spots as any search of its kind. Where many decisions differ by little, as in Dungeon Allies, its errors are as large
as the differences.

Whole matches are less sensitive: to see a gain of one percent where a quarter is fair takes about four thousand matches.
"""

from __future__ import annotations

import argparse
import statistics
import time
from math import sqrt

from meadhall.bots import Budget, Search, bot
from meadhall.bots.hints import MIN_VISITS
from meadhall.bots.ranks import RANKS
from meadhall.engine.match.view import View
from meadhall.engine.registry import game
from meadhall.engine.state.chance import new_seed

SECONDS = {rank.name: rank.budget.seconds for rank in RANKS if rank.budget}
"""The search time of a level in seconds."""

PATIENCE = 2.0
"""The search time of the referee, as a multiple of the upper level's."""


def loss(view: View, seconds: float, action: int, better: int) -> float | None:
    """Return how much less payoff one action brings than another by a referee; None if it has too few visits of either."""
    findings = Search(view.game, Budget(seconds, trees=1, alone=True), new_seed()).consider(view)
    lower, upper = findings.of(action), findings.of(better)
    return upper.payoff - lower.payoff if min(lower.visits, upper.visits) >= MIN_VISITS else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--lower", default="jarl")
    parser.add_argument("--upper", default="king", choices=list(SECONDS))
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--every", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=20.0)
    given = parser.parse_args()
    seconds = PATIENCE * SECONDS[given.upper]
    options = dict(option.split("=", 1) for option in given.option)

    losses: list[float] = []  # one per decision examined
    per_seat: list[float] = []  # decisions with a choice, one number per finished match
    differing = unjudged = 0
    until = time.monotonic() + 60 * given.minutes
    while time.monotonic() < until or not per_seat:
        match = game(given.game).match(players=given.players, **options)
        players = [bot(match.game, given.lower, alone=True) for _ in match.seats]
        choices = 0
        while match.actor is not None and (time.monotonic() < until or not per_seat):
            view = match.view(match.actor)
            action = players[match.actor].choose(view)
            if len(view.legal) > 1:
                choices += 1
                if choices % given.every == 0:
                    better = bot(match.game, given.upper, alone=True).choose(view)
                    differing += better != action
                    lost = loss(view, seconds, action, better) if better != action else 0.0
                    if lost is None:
                        unjudged += 1
                    else:
                        losses.append(lost)
            match.play(action)
        if match.over:
            per_seat.append(choices / given.players)

    mean, decisions = statistics.fmean(losses), statistics.fmean(per_seat)
    error = statistics.stdev(losses) / sqrt(len(losses))
    print(
        f"{given.game}, {given.players} players {' '.join(given.option)}: {len(losses)} decisions of {len(per_seat)} matches, "
        f"{given.upper} differs from {given.lower} in {differing}, of which {unjudged} could not be judged; "
        f"a decision loses {mean:.3%} ± {1.96 * error:.3%} of the win, "
        f"a match of {decisions:.1f} decisions {decisions * mean:.2%} ± {1.96 * decisions * error:.2%}"
    )


if __name__ == "__main__":
    main()
