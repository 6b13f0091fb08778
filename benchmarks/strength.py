"""The strength of the levels of bots: each against the one below it, for one game and several numbers of players.

    .venv/bin/python benchmarks/strength.py dungeon-allies --players 3,4 --ladder huscarl,jarl,king --games 120 --minutes 60
    .venv/bin/python benchmarks/strength.py viking-axes --players 4 --option variant=strategic --ladder karl,search@2500
    .venv/bin/python benchmarks/strength.py dungeon-allies --players 2,3,4,5 --ladder huscarl,jarl,king --minutes 0

Every finished match is a line in ``results/strength/``, so a measurement of days can be split: each run continues where the last
one ended and prints the totals of all runs. A pair ends after ``--games`` matches (whole rounds in which every bot sits on every
seat) or after ``--minutes``; ``--minutes 0`` only prints. Don't stop early because the result looks good: that biases it.

Prints a line of a Markdown table for each pair: the mean payoff of a seat of the upper bot with its 95 % interval, the same
corrected for luck (except in cooperative games), the fair payoff, and the number of matches. With several numbers of players the
last line is the overall ratio to the fair payoff, corrected for luck. Use ``search@N`` for a level if other work on the machine
would disturb searches by the clock.
"""

from __future__ import annotations

import argparse
import os
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from typing import Any

import numpy as np
from ledger import RESULTS, keep, kept

from meadhall import game
from meadhall.engine.compute.executors import Processes
from meadhall.engine.statistics import Z_95
from meadhall.lab.luck import Adjusted
from meadhall.lab.matches import play_matches
from meadhall.lab.schedule import Schedule, scheduled
from meadhall.lab.standings import Meetings, Standing, standings


def matches(schedule: Schedule, first: int, processes: int) -> Iterator[dict[str, Any]]:
    """Yield the results of the matches of a schedule from number ``first`` on."""
    with closing(play_matches(schedule, schedule.games, Processes(processes), None, chunk=1, first=first)) as outcomes:
        for number, played in enumerate(outcomes, first):
            line: dict[str, Any] = {"bots": schedule.line_up(number)}
            for name, of_seats in (("shares", played.scores), ("luck", played.luck)):
                line[name] = [round(of_seats[party[0]], 4) for party in schedule.parties] if of_seats else None
            yield line


def upper(schedule: Schedule, played: list[dict[str, Any]]) -> Standing:
    """Return the result of the second of two bots."""
    number = {name: k for k, name in enumerate(schedule.bots)}
    players = np.array([[number[name] for name in each["bots"]] for each in played], np.int64)
    payoffs = np.array([each["shares"] for each in played], np.float64)
    parties = len(schedule.parties)
    luck = np.array([each["luck"] for each in played], np.float64) if schedule.luck else None
    meetings = Meetings(players, payoffs, len(number), Z_95, luck)
    return standings(meetings, schedule.bots, 1 / parties if parties > 1 else None)[schedule.bots[1]]


def together(found: list[tuple[Adjusted, float]]) -> tuple[float, float, float]:
    """Return the ratio to the fair payoff over several numbers of players, weighted by precision, and its 95 % interval."""
    times = np.array([each.share / fair for each, fair in found])
    errors = np.array([(each.high - each.low) / (2 * Z_95) / fair for each, fair in found])
    mean, half = float(np.average(times, weights=errors**-2)), Z_95 * float((errors**-2).sum()) ** -0.5
    return mean, mean - half, mean + half


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--players", default="2", help="numbers of players")
    parser.add_argument("--ladder", default="thrall,karl,huscarl,jarl,king", help="bots, the weakest first")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=10.0, help="time limit for each pair")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    given = parser.parse_args()
    subject = game(given.game)
    usual = subject.check_options({})
    options = subject.read_options(dict(option.split("=", 1) for option in given.option))
    chosen = [str(value) for name, value in options.items() if value != usual[name]]
    sure: dict[tuple[str, str], list[tuple[Adjusted, float]]] = defaultdict(list)
    for players in map(int, given.players.split(",")):
        for pair in pairwise(given.ladder.split(",")):
            rivals = len(subject.parties(*subject.check_setup(players, options))) > 1
            schedule = scheduled(subject, pair, given.games, players, "strength", luck=rivals, **options)
            file = RESULTS / "strength" / f"{'-'.join([subject.name, *chosen, str(players), *pair])}.jsonl"
            played = kept(file)
            if given.minutes > 0 and len(played) < schedule.games:
                with closing(matches(schedule, len(played), given.processes)) as more:
                    played.extend(keep(file, more, given.minutes))
            if not played:
                continue
            found = upper(schedule, played)
            if found.adjusted and found.fair:
                sure[pair].append((found.adjusted, found.fair))
            told = [f"{each.share:.1%} | {each.low:.1%}–{each.high:.1%}" if each else " | " for each in (found, found.adjusted)]
            fair = "" if found.fair is None else f"{found.fair:.1%}"
            print(f"| {players} | {' < '.join(pair)} | {' | '.join(told)} | {fair} | {len(played)} |", flush=True)
    for pair, each in sure.items():
        if len(each) > 1:
            mean, low, high = together(each)
            print(f"{' < '.join(pair)}, {len(each)} numbers of players: {mean:.2f} times the fair payoff ({low:.2f}–{high:.2f})")


if __name__ == "__main__":
    main()
