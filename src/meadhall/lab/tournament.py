"""tournament: play a balanced, rated tournament of bots.

With ``until_sure`` a sequential test may end it early. Checking often enough will show a false difference sooner or later. So
there are only a few check points, each after 1.5 times as many games as the one before, and with n check points each interval has
the level 1 - 5 % / n (Bonferroni). All intervals together then hold with a probability of 95 %.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from math import isnan
from statistics import NormalDist
from typing import Any

import numpy as np

from meadhall.engine.checks import Named, Seed
from meadhall.engine.compute.bulk import LIMIT, Floats
from meadhall.engine.compute.executors import Progress
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game
from meadhall.engine.registry import game, registered
from meadhall.engine.statistics import Rate, Spread
from meadhall.lab.entrants import Entrant
from meadhall.lab.luck import MIN_MATCHES, regress_on_luck, student_quantile
from meadhall.lab.matches import Outcome, match_executor, play_matches, shares_of
from meadhall.lab.output import Files, check_outputs
from meadhall.lab.schedule import Schedule, scheduled
from meadhall.lab.standings import Ended, Meetings, Tournament, standings

FIRST = 50
"""The smallest number of games before the first check point."""
GROWTH = 1.5
"""The smallest factor from one check point to the next."""
ERROR = 0.05
"""Family-wise error rate of the sequential test."""


def tournament(
    name: str | Game,
    bots: Sequence[Entrant],
    games: int = 1000,
    players: int | None = None,
    seed: Seed | None = None,
    processes: int = 1,
    progress: Progress | None = None,
    *,
    until_sure: bool = False,
    luck: bool = False,
    out: Files = None,
    cluster: str | None = None,
    limit: int = LIMIT,
    **options: Any,
) -> Tournament:
    """Let bots play a balanced tournament: all bots meet each other, and sit on every seat, equally often.

    A search grows one tree on one core, and its time is CPU time, so the comparison doesn't depend on the load of the machine.
    Ctrl-C ends the tournament early. The report then covers the games played, and says so.

    Args:
        name: the game, e.g. ``"axes-and-allies"``, or a ``Game``.
        bots: the bots, each once, as in ``simulate``. With ``until_sure``, the weakest first.
        games: the smallest number of games; it is rounded up to whole rounds, see ``Schedule``.
        players: the number of players; by default the game's minimum.
        seed: a text, bytes or an integer, see ``check_seed``; the same seed gives the same games if the bots are deterministic,
            which searches with a time limit are not. By default a random text, which the report states.
        processes: the number of processes. More than one requires multiprocessing's ``if __name__ == "__main__":`` guard.
        progress: called with the number of games finished since its last call.
        until_sure: end as soon as each bot is significantly better than the one before it, see ``sequential_test``.
        luck: also measure luck and report results corrected for it, see ``luck`` and ``control_variate``.
        out: files for the records or the report, see ``simulate``. They hold the games that the report covers.
        cluster: a Ray cluster instead of processes: ``local``, ``auto`` or ``ray://HOST:PORT``; see ``docs/library/cluster.md``.
        limit: the number of decisions after which a game is stopped, as in ``simulate``.
        options: the game's options by name.

    Raises:
        BadSetup: an argument is invalid, or ``until_sure`` is given with a single bot.
        UnknownGame, UnknownBot: there is no game or bot with this name.
        NoPolars, NoCluster: a package is missing, or there is no such cluster.
        ClusterFailed: the cluster can't finish the tournament.

    Examples:
        >>> from meadhall.lab import tournament
        >>> table = tournament("axes-and-allies", ["thrall", "karl"], games=100, seed="mead")
        >>> table.games >= 100, table.ended
        (True, 'complete')
    """
    subject = game(name)
    schedule = scheduled(subject, bots, games, players, seed, luck=luck, limit=limit, **options)
    with registered(subject):
        return play_schedule(schedule, processes, progress, until_sure=until_sure, out=out, cluster=cluster)


def play_schedule(
    schedule: Schedule,
    processes: int = 1,
    progress: Progress | None = None,
    *,
    until_sure: bool = False,
    out: Files = None,
    cluster: str | None = None,
) -> Tournament:
    """Play a schedule, as ``tournament`` does."""
    files = check_outputs(out)
    schedule = replace(schedule, records=bool(files.records))
    if until_sure and len(schedule.bots) < 2:
        raise BadSetup("a single bot can't be compared: until_sure needs at least two bots")
    began = time.perf_counter()
    ends = check_points(schedule.games, schedule.round) if until_sure else (schedule.games,)
    z = width(len(ends))
    played: list[Outcome] = []
    ended: Ended = "complete"
    with (
        match_executor(game(schedule.game), processes, cluster) as executor,
        files.written() as write,
        closing(play_matches(schedule, schedule.games, executor, progress, chunk=1)) as outcomes,
    ):
        try:
            for outcome in outcomes:
                if outcome.record:
                    write([outcome.record])
                played.append(outcome)
                if len(played) in ends[:-1] and all_sure(_meetings(schedule, played, z)):
                    ended = "sure"
                    break
        except KeyboardInterrupt:
            if len(played) < schedule.round:
                raise
            ended = "interrupted"
    found = _report(schedule, played, ended, time.perf_counter() - began, z)
    files.finish(found)
    return found


def check_points(games: int, round_: int) -> tuple[int, ...]:
    """Return the numbers of games after which to check: whole rounds, the last one after all games."""
    found = []
    wanted = float(FIRST)
    while wanted < games:
        found.append(-(-int(wanted) // round_) * round_)
        wanted = GROWTH * found[-1]
    return (*(number for number in found if number < games), games)


def width(count: int) -> float:
    """Return the normal quantile of the intervals at each of ``count`` check points."""
    return NormalDist().inv_cdf(1 - ERROR / 2 / count)


def all_sure(meetings: Meetings) -> bool:
    """Return whether each bot is significantly better than the one before it."""
    return all(is_better(meetings, one, other) for other, one in pairwise(range(meetings.bots)))


def is_better(meetings: Meetings, one: int, other: int) -> bool:
    """Return whether one bot wins significantly more than another.

    If luck was measured, the comparison is corrected for it. Otherwise it uses only the meetings that one of the two won.
    """
    if meetings.luck is not None:
        lead, lucky = (np.subtract(*each[:, [one, other]].T) for each in (meetings.mean_shares, meetings.means(meetings.luck)))
        there = ~np.isnan(lead)
        if np.count_nonzero(there) < MIN_MATCHES:
            return False
        gain = regress_on_luck(lead[there], lucky[there])
        return gain.mean > student_quantile(meetings.z, gain.freedom) * gain.error
    shares = meetings.mean_shares[:, [one, other]]
    shares = shares[shares.sum(axis=1) > 0]
    return Rate.of((np.sign(shares[:, 0] - shares[:, 1]) + 1) / 2, meetings.z).low > 1 / 2


def _meetings(schedule: Schedule, played: Sequence[Outcome], z: float) -> Meetings:
    def by_party(of_seats: Callable[[Outcome], Sequence[float]]) -> Floats:
        return np.array([[of_seats(outcome)[party[0]] for party in schedule.parties] for outcome in played], np.float64)

    subject = game(schedule.game)
    luck = by_party(lambda outcome: outcome.luck) if schedule.luck else None
    payoffs = None if subject.scoring_of(schedule.options).is_shared else by_party(lambda outcome: outcome.scores)
    shares = shares_of(subject, np.array([outcome.scores for outcome in played], np.float64), schedule.options)
    return Meetings.of(schedule, shares[:, [party[0] for party in schedule.parties]], z, luck, payoffs)


def _report(schedule: Schedule, played: Sequence[Outcome], ended: Ended, seconds: float, z: float) -> Tournament:
    meetings = _meetings(schedule, played, z)
    parties, numbered = len(schedule.parties), tuple(enumerate(schedule.bots))
    ended_after = [outcome.decisions for outcome in played if not isnan(outcome.scores[0])]
    return Tournament(
        game=schedule.game,
        players=schedule.players,
        options=schedule.options,
        scoring=game(schedule.game).scoring_of(schedule.options).value,
        bots=schedule.bots,
        seed=schedule.seed,
        games=len(played),
        planned=schedule.games,
        limit=schedule.limit,
        stopped=len(played) - len(ended_after),
        round=schedule.round,
        luck=schedule.luck,
        ended=ended,
        standings=standings(meetings, schedule.bots, 1 / parties if parties > 1 else None),
        ahead=Named({name: Named({other: meetings.ahead(k, j) for j, other in numbered if j != k}) for k, name in numbered}),
        length=Spread.of(np.array(ended_after, np.int64)),
        seconds=seconds,
    )
