"""simulate: play many games of bots against bots."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from meadhall.bots import bot
from meadhall.bots.policy import POLICIES
from meadhall.engine.bulk import Floats, counted_tournament
from meadhall.engine.checks import Seed, check_count, check_run_seed, check_text, quoted
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game, game, registered
from meadhall.engine.statistics import Counts
from meadhall.lab.matches import MAX_GAMES, Plan, check_processes, play_matches
from meadhall.lab.report import Report, report


def simulate(
    name: str | Game,
    bots: Sequence[str] = ("random",),
    games: int = 10_000,
    seed: Seed | None = None,
    players: int | None = None,
    progress: Callable[[int], None] | None = None,
    records: Path | str | None = None,
    processes: int = 1,
    **options: Any,
) -> Report:
    """Play ``games`` games of bots against bots. The bots rotate over the seats.

    Games among compiled bots (random, greedy) run in compiled loops on all cores, a million games in seconds. Other bots, and
    games with records, are played as whole matches, whose dice differ from those of the compiled loops. There a search grows one
    tree, and its time is CPU time, as in ``tournament``.

    Args:
        name: the game, e.g. ``"axes-and-allies"``, or a ``Game``.
        bots: the bots; if there are fewer than players, they are repeated in the same order.
        games: the number of games.
        seed: a text, bytes or an integer, see ``check_seed``; the same seed gives the same games. By default a random text, which
            the report states.
        players: the number of players; by default the number of bots, but at least the game's minimum.
        progress: called with the number of games finished since its last call.
        records: a file for the match records, one per line, with the number of legal actions of every decision.
        processes: the number of processes for whole matches. More than one requires multiprocessing's
            ``if __name__ == "__main__":`` guard.
        options: the game's options by name.

    Raises:
        BadSetup: an argument is invalid.
        UnknownGame, UnknownBot: there is no game or bot with this name.
    """
    subject = game(name)
    chosen = subject.check_options(options)
    line_up = seated(subject, bots, players)
    games, used = check_count(games, "games", MAX_GAMES), check_run_seed(seed)
    check_count(processes, "processes")
    if not isinstance(records, str | Path | None):
        raise BadSetup(f"records must be the name of a file, not {quoted(records)}")
    if "\0" in check_text(str(records), "the name of a file"):
        raise BadSetup(f"{quoted(records)} is not a valid file name")
    if records is None and all(who in POLICIES for who in line_up):
        policies = [POLICIES[who] for who in line_up]
        counted_tournament(subject, policies, 1, used, chosen)  # compile before the clock starts
        began = time.perf_counter()
        shares, lengths, counts = counted_tournament(subject, policies, games, used, chosen, progress=progress)
    else:
        processes = check_processes(processes, subject)
        plan = Plan(subject.name, line_up, chosen, used, records is not None)
        began = time.perf_counter()
        with registered(subject):
            shares, lengths, counts = _whole_matches(plan, games, processes, progress, records)
    return report(subject, chosen, line_up, used, shares, lengths, counts, time.perf_counter() - began)


def seated(subject: Game, bots: Sequence[str], players: int | None) -> tuple[str, ...]:
    """Return one bot per seat. Raises BadSetup or UnknownBot."""
    if isinstance(bots, str) or not isinstance(bots, Sequence) or not bots:
        raise BadSetup("bots must be a list of at least one name")
    count = subject.check_players(max(len(bots), subject.min_players) if players is None else players)
    if len(bots) > count:
        raise BadSetup(f"{len(bots)} bots for {count} players")
    for name in bots:
        bot(subject, name)
    return tuple(bots[seat % len(bots)] for seat in range(count))


def _whole_matches(
    plan: Plan, games: int, processes: int, progress: Callable[[int], None] | None, records: Path | str | None
) -> tuple[Floats, npt.NDArray[np.int64], Counts]:
    shares = np.zeros((games, len(plan.bots)), np.float64)
    lengths = np.zeros(games, np.int64)
    counts = np.zeros((games, game(plan.game).statistics.counters), np.int64)
    with nullcontext() if records is None else Path(records).open("w", encoding="utf-8") as file:
        for number, outcome in enumerate(play_matches(plan, games, processes, progress)):
            shares[number], lengths[number], counts[number] = outcome.scores, outcome.decisions, outcome.counts
            if file:
                print(outcome.record, file=file)
    return shares, lengths, counts
