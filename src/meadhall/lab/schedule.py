"""The schedule of a tournament: the bots of every match and their seats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from random import Random
from typing import Any

from meadhall.engine.checks import Seed, check_count, check_run_seed
from meadhall.engine.compute.bulk import LIMIT, MOST_DECISIONS
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game
from meadhall.lab.entrants import Entrant, entered
from meadhall.lab.matches import Plan

MAX_GAMES = 100_000_000
"""Largest number of games of a tournament. It keeps the outcome of each of them, unlike a simulation."""


@dataclass(frozen=True)
class Schedule(Plan):
    """A balanced schedule: all bots meet each other, and sit on every seat, equally often.

    The parties of a match (its seats, its two sides, or all seats together) are divided among the bots as evenly as possible. Two
    bots on four seats get two each, on three seats two and one or one and two; of three bots on two seats one sits out. All such
    lineups take turns, and each is played with every bot at every party. The seating order within a lineup is drawn at random in
    each round. In a cooperative game there is one party: the bots play one after the other with the same dice and shuffles.

    Attributes:
        bots: the bots, each once.
        parties: the seats that win or lose together, as one tuple per party.
        wanted: the number of matches asked for. ``games`` is the number played, a multiple of ``round``.
    """

    parties: tuple[tuple[int, ...], ...] = ()
    wanted: int = 1

    @property
    def players(self) -> int:
        """Return the number of players of a match."""
        return sum(map(len, self.parties))

    @cached_property
    def lineups(self) -> tuple[tuple[str, ...], ...]:
        """Return all ways to divide the parties among the bots."""
        each, rest = divmod(len(self.parties), len(self.bots))
        return tuple((*self.bots * each, *others) for others in combinations(self.bots, rest))

    @property
    def round(self) -> int:
        """Return the number of matches of a round, after which the schedule is balanced."""
        return comb(len(self.bots), len(self.parties) % len(self.bots)) * len(self.parties)

    @property
    def games(self) -> int:
        """Return the number of matches played: whole rounds."""
        return -(-self.wanted // self.round) * self.round

    def line_up(self, number: int) -> tuple[str, ...]:
        """Return the bots of match ``number`` by party."""
        turn, place = divmod(number, self.round)
        shift, way = divmod(place, len(self.lineups))
        order = list(self.lineups[way])
        Random(f"{self.label}/{turn}/{way}").shuffle(order)
        return (*order[shift:], *order[:shift])

    def seating(self, number: int) -> tuple[str, ...]:
        """Return the bots of match ``number`` by seat."""
        seats = {seat: name for party, name in zip(self.parties, self.line_up(number), strict=True) for seat in party}
        return tuple(seats[seat] for seat in sorted(seats))

    def deal(self, number: int) -> int:
        """Return the key of the dice and shuffles: the same for all bots in a cooperative game."""
        return number if len(self.parties) > 1 else number // self.round


def scheduled(
    subject: Game,
    bots: Sequence[Entrant],
    games: int,
    players: int | None = None,
    seed: Seed | None = None,
    *,
    luck: bool = False,
    limit: int = LIMIT,
    **options: Any,
) -> Schedule:
    """Make the schedule of a tournament of at least ``games`` games. Raises BadSetup, UnknownBot or BadBot."""
    count, chosen = subject.check_setup(subject.min_players if players is None else players, options)
    parties = subject.parties(count, chosen)
    least = min(2, len(parties))
    if isinstance(bots, str) or not isinstance(bots, Sequence):
        raise BadSetup("bots must be a list of bots")
    if len(bots) < least:
        raise BadSetup(f"too few bots for a tournament of {subject.title}: {len(bots)} instead of at least {least}")
    names, entrants = entered(subject, bots)
    if twice := [name for name in names if names.count(name) > 1]:
        raise BadSetup(f"each bot must be named only once, but {twice[0]} is named more than once")
    if luck and len(parties) == 1:
        raise BadSetup("in a cooperative game all bots have the same luck, so measuring it gains nothing")
    wanted, used = check_count(games, "games", MAX_GAMES), check_run_seed(seed)
    most = check_count(limit, "decisions", MOST_DECISIONS)
    schedule = Schedule(
        subject.name, names, chosen, used, luck=luck, entrants=entrants, limit=most, parties=parties, wanted=wanted
    )
    if schedule.round > MAX_GAMES:
        raise BadSetup(f"a round of {len(bots)} bots has {schedule.round:,} games; the limit is {MAX_GAMES:,}")
    return schedule
