"""tournament: bots against bots, balanced, rated."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from meadhall.engine.bulk import Floats
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game, game, registered
from meadhall.engine.statistics import Spread
from meadhall.lab.looks import all_sure, looks, width
from meadhall.lab.matches import Outcome, check_processes, play_matches
from meadhall.lab.schedule import Schedule, scheduled
from meadhall.lab.standings import Ended, Meetings, Tournament, standings, win_matrix


def tournament(
    name: str | Game,
    bots: Sequence[str],
    games: int = 1000,
    players: int | None = None,
    seed: str | None = None,
    processes: int = 1,
    progress: Callable[[int], None] | None = None,
    *,
    until_sure: bool = False,
    luck: bool = False,
    **options: Any,
) -> Tournament:
    """Let bots play ``games`` games against each other, so that everybody meets everybody and sits everywhere equally often.

    A search grows one tree, on one core, and its seconds are that core's: what is compared is what bots make of the same time,
    however busy the machine is.

    Args:
        name: the game, e.g. ``"axes-and-allies"``, or a ``Game`` of your own.
        bots: who takes part, each once; the weakest first, if it is about the order of ranks.
        games: how many games at least; as many as make whole rounds are played, see ``Schedule``.
        players: by default as few as the game needs.
        seed: any text; the same seed gives the same games where the bots are deterministic: not if they search by the clock.
        processes: how many play. More than one asks for the ``if __name__ == "__main__":`` of multiprocessing.
        progress: called with the number of games done since the last call.
        until_sure: end as soon as it is clear that each bot is better than the one named before it, see ``looks``.
        luck: measure everybody's luck too, and report what they won without it, see ``luck`` and ``adjusted``.
        options: the game's options by name.

    Ctrl-C ends it early: the report is of what was played, and says so.

    Raises:
        BadSetup: the game can't be played so, or a single bot is to be surely better.
        UnknownGame, UnknownBot: there is none of that name.
    """
    subject = game(name)
    schedule = scheduled(subject, bots, games, players, seed, luck=luck, **options)
    with registered(subject):
        return hold(schedule, processes, progress, until_sure=until_sure)


def hold(
    schedule: Schedule, processes: int = 1, progress: Callable[[int], None] | None = None, *, until_sure: bool = False
) -> Tournament:
    """Play a schedule, as ``tournament`` does."""
    processes = check_processes(processes, game(schedule.game))
    if until_sure and len(schedule.bots) < 2:
        raise BadSetup("a single bot is compared with no other: there is nothing to be sure of")
    began = time.perf_counter()
    ends = looks(schedule.games, schedule.round) if until_sure else (schedule.games,)
    z = width(len(ends))
    played: list[Outcome] = []
    ended: Ended = "complete"
    with closing(play_matches(schedule, schedule.games, processes, progress, chunk=1)) as outcomes:
        try:
            for outcome in outcomes:
                played.append(outcome)
                if len(played) in ends[:-1] and all_sure(_meetings(schedule, played, z)):
                    ended = "sure"
                    break
        except KeyboardInterrupt:
            if len(played) < schedule.round:
                raise
            ended = "interrupted"
    return _report(schedule, played, ended, time.perf_counter() - began, z)


def _meetings(schedule: Schedule, played: Sequence[Outcome], z: float) -> Meetings:
    def by_party(of_seats: Callable[[Outcome], Sequence[float]]) -> Floats:
        return np.array([[of_seats(outcome)[party[0]] for party in schedule.parties] for outcome in played], np.float64)

    luck = by_party(lambda outcome: outcome.luck) if schedule.luck else None
    return Meetings.of(schedule, by_party(lambda outcome: outcome.scores), z, luck)


def _report(schedule: Schedule, played: Sequence[Outcome], ended: Ended, seconds: float, z: float) -> Tournament:
    meetings = _meetings(schedule, played, z)
    parties = len(schedule.parties)
    return Tournament(
        game=schedule.game,
        players=sum(map(len, schedule.parties)),
        options=schedule.options,
        scoring=game(schedule.game).scoring_of(schedule.options).value,
        bots=schedule.bots,
        seed=schedule.seed,
        games=len(played),
        planned=schedule.games,
        round=schedule.round,
        luck=schedule.luck,
        ended=ended,
        standings=standings(meetings, schedule.bots, 1 / parties if parties > 1 else None),
        ahead=win_matrix(meetings, schedule.bots),
        length=Spread.of(np.array([outcome.decisions for outcome in played])),
        seconds=seconds,
    )
