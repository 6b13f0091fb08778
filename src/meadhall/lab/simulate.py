"""simulate: play many games of bots against bots."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from meadhall.bots.policy import POLICIES
from meadhall.engine.checks import Seed, check_count, check_run_seed
from meadhall.engine.compute import bulk
from meadhall.engine.compute.bulk import LIMIT, MOST_DECISIONS, Played, TournamentLoop, bulk_executor
from meadhall.engine.compute.executors import Executor, Pieces, Progress, Work, run_chunks
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game
from meadhall.engine.registry import game, registered
from meadhall.lab import matches
from meadhall.lab.entrants import Entrant, Entrants, entered
from meadhall.lab.matches import MatchWork, Outcome, Plan, match_executor
from meadhall.lab.output import Files, Outputs, check_outputs
from meadhall.lab.report import Aggregate, Report, report


def simulate(
    name: str | Game,
    bots: Sequence[Entrant] = ("thrall",),
    games: int = 10_000,
    seed: Seed | None = None,
    players: int | None = None,
    progress: Progress | None = None,
    processes: int = 1,
    *,
    out: Files = None,
    cluster: str | None = None,
    limit: int = LIMIT,
    **options: Any,
) -> Report:
    """Play ``games`` games of bots against bots. The bots rotate over the seats.

    Games among compiled bots (thrall, karl) run in compiled loops on all cores, a million games in seconds. Other bots, and
    games with records, are played as whole matches, whose dice differ from those of the compiled loops. There a search grows one
    tree, and its time is CPU time, as in ``tournament``.

    The same seed gives the same report and the same files on one core, on all cores and on a cluster.

    The memory that a run needs doesn't depend on the number of games.

    Args:
        name: the game, e.g. ``"axes-and-allies"``, or a ``Game``.
        bots: names, ``module:function``, functions of a view, classes with ``choose(view)``, or ``without(…)``. If there are
            fewer than players, they are repeated in the same order.
        games: the number of games.
        seed: a text, bytes or an integer, see ``check_seed``; the same seed gives the same games. By default a random text, which
            the report states.
        players: the number of players; by default the number of bots, but at least the game's minimum.
        progress: called with the number of games finished since its last call.
        processes: the number of processes for whole matches. More than one requires multiprocessing's
            ``if __name__ == "__main__":`` guard.
        out: a file or several: ``FILE.jsonl``, ``FILE.jsonl.gz`` or ``FILE.jsonl.zst`` gets the match records, one per line, with
            the number of legal actions of every decision; ``FILE.json`` the report, ``FILE.csv`` or ``FILE.parquet`` its table. A
            file appears at the end. After Ctrl-C a file of records holds the matches so far; after another error it is not
            written.
        cluster: a Ray cluster instead of processes: ``local``, ``auto`` or ``ray://HOST:PORT``; see ``docs/library/cluster.md``.
        limit: the number of decisions after which a game is stopped: bots can play for ever. The report says how many were.
        options: the game's options by name.

    Raises:
        BadSetup: an argument is invalid.
        UnknownGame, UnknownBot: there is no game or bot with this name.
        NoPolars, NoCluster: a package is missing, or there is no such cluster.
        ClusterFailed: the cluster can't finish the run.

    Examples:
        >>> import meadhall
        >>> report = meadhall.simulate("axes-and-allies", bots=["karl", "thrall"], games=200, seed="mead")
        >>> report.games, sorted(report.bots)
        (200, ['karl', 'thrall'])
    """
    subject = game(name)
    chosen = subject.check_options(options)
    line_up, entrants = seated(subject, bots, players)
    games, used = check_count(games, "games"), check_run_seed(seed)
    check_count(processes, "processes")
    limit = check_count(limit, "decisions", MOST_DECISIONS)
    files = check_outputs(out)
    plan = Plan(subject.name, line_up, chosen, used, bool(files.records), entrants=entrants, limit=limit)
    with registered(subject):
        if plan.records or not all(who in POLICIES for who in line_up):
            with match_executor(subject, processes, cluster) as executor:
                return _simulate(plan, MatchWork(plan), executor, games, matches.CHUNK, files, progress)
        loop = TournamentLoop.of(subject, [POLICIES[who] for who in line_up], used, chosen, limit)
        with bulk_executor(subject, cluster=cluster) as executor:
            if cluster is None:
                loop.compile()  # before the clock starts
            return _simulate(plan, loop, executor, games, bulk.CHUNK, files, progress)


def seated(subject: Game, bots: Sequence[Entrant], players: int | None) -> tuple[tuple[str, ...], Entrants]:
    """Return the name of one bot per seat, and the bots that are no names. Raises BadSetup, UnknownBot or BadBot."""
    if isinstance(bots, str) or not isinstance(bots, Sequence) or not bots:
        raise BadSetup("bots must be a list of at least one bot")
    count = subject.check_players(max(len(bots), subject.min_players) if players is None else players)
    if len(bots) > count:
        raise BadSetup(f"{len(bots)} bots for {count} players")
    names, entrants = entered(subject, bots)
    return tuple(names[seat % len(names)] for seat in range(count)), entrants


@dataclass(frozen=True)
class _Summed:
    """Work whose matches are summed up where they are played, so that only sums travel unless a file wants the records."""

    plan: Plan
    work: Work[Played] | Work[list[Outcome]]

    @property
    def subject(self) -> Game:
        """Return the game that is played."""
        return self.work.subject

    def __call__(self, chunk: range, pieces: Pieces) -> tuple[Aggregate, tuple[str, ...]]:
        """Play a chunk and return its sums, and the records of its matches if a file wants them."""
        found = self.work(chunk, pieces)
        if isinstance(found, Played):
            return Aggregate.of(self.subject, self.plan, chunk.start, found), ()
        played = Played(
            np.array([outcome.scores for outcome in found], np.float64),
            np.array([outcome.decisions for outcome in found], np.int64),
            np.array([outcome.counts for outcome in found], np.int64),
            np.array([outcome.order for outcome in found], np.int8),
        )
        records = tuple(outcome.record for outcome in found if outcome.record)
        return Aggregate.of(self.subject, self.plan, chunk.start, played), records

    def compile(self) -> None:
        """Compile everything that the work needs."""
        self.work.compile()


def _simulate(
    plan: Plan,
    work: Work[Played] | Work[list[Outcome]],
    executor: Executor,
    games: int,
    chunk: int,
    files: Outputs,
    progress: Progress | None,
) -> Report:
    summed = _Summed(plan, work)
    began = time.perf_counter()
    sums = Aggregate.nothing(plan)
    with files.written() as write, closing(run_chunks(executor, summed, range(games), chunk, progress)) as parts:
        for more, records in parts:
            sums += more
            write(records)
    found = report(summed.subject, plan, sums, time.perf_counter() - began)
    files.finish(found)
    return found
