"""How strong the ranks of bots are: each against the one below it, for one game and several numbers of players.

    .venv/bin/python benchmarks/strength.py viking-axes --players 2,3,4 --option variant=strategic
    .venv/bin/python benchmarks/strength.py viking-axes --players 4 --ladder karl,search@2500,search@25000

Prints a line of a Markdown table for each pair: what one seat of the upper bot wins on average and its interval, the same without
luck (where not all win or lose together), and the fair share. A pair ends when it is sure, after ``--games``, or after
``--minutes``. ``search@N`` stands for a rank where other work on the machine would take time from those who think by the clock.
Everything is added to ``build/strength.jsonl``, too.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from meadhall import game
from meadhall.lab.tournament import tournament

BUILD = Path(__file__).parent / "build"


def until(deadline: float) -> Callable[[int], None]:
    """Ends a tournament as Ctrl-C does, once it is late."""

    def check(_games: int) -> None:
        if time.monotonic() > deadline:
            raise KeyboardInterrupt

    return check


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--players", default="2", help="numbers of players, one after the other")
    parser.add_argument("--ladder", default="thrall,karl,huscarl,jarl,king", help="bots, the weakest first")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=10.0, help="of each pair at most")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    given = parser.parse_args()
    options = dict(option.split("=", 1) for option in given.option)
    subject = game(given.game)
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "strength.jsonl").open("a", encoding="utf-8") as file:
        for players in map(int, given.players.split(",")):
            for pair in pairwise(given.ladder.split(",")):
                report = tournament(
                    given.game,
                    pair,
                    given.games,
                    players,
                    processes=given.processes,
                    progress=until(time.monotonic() + 60 * given.minutes),
                    until_sure=True,
                    luck=len(subject.parties(*subject.check_setup(players, options))) > 1,
                    **options,
                )
                lower, upper = (report.standings[name] for name in pair)
                fair = "" if upper.fair is None else f"{upper.fair:.1%}"
                shares = " | ".join(
                    f"{each.share:.1%} | {each.low:.1%}–{each.high:.1%}" if each else " | " for each in (upper, upper.adjusted)
                )
                played = f"{report.games} | {report.ended}"
                print(f"| {players} | {' < '.join(pair)} | {shares} | {fair} | {lower.share:.1%} | {played} |", flush=True)
                print(json.dumps(report.to_dict()), file=file, flush=True)


if __name__ == "__main__":
    main()
