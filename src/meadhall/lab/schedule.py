"""The schedule of a tournament: who meets whom in which match, and who sits where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from random import Random
from typing import Any

from meadhall.bots import bot
from meadhall.engine.checks import check_count, check_seed_text
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game
from meadhall.lab.matches import MOST_GAMES, Plan


@dataclass(frozen=True)
class Schedule(Plan):
    """A schedule in which everybody meets everybody and sits everywhere, equally often.

    The parties of a match, which are its seats, two sides, or all together, are shared among the bots as evenly as possible: two
    bots at four seats have two each, at three seats two and one or one and two, and of three bots at two seats one pauses. All
    ways to do so take turns; each is played with every bot at every party. In which order the bots of a way sit around the table
    is drawn anew for each round. Together, in one party, the bots play one after the other, with the same dice and shuffles.

    Attributes:
        bots: who takes part, each once.
        parties: the seats that win or lose together, party by party.
        wanted: how many matches are asked for; ``games`` are played, which is whole rounds.
    """

    parties: tuple[tuple[int, ...], ...] = ()
    wanted: int = 1

    @cached_property
    def lineups(self) -> tuple[tuple[str, ...], ...]:
        """All ways to share the parties among the bots."""
        each, rest = divmod(len(self.parties), len(self.bots))
        return tuple((*self.bots * each, *others) for others in combinations(self.bots, rest))

    @property
    def round(self) -> int:
        """Matches after which everybody has met everybody and sat everywhere equally often."""
        return comb(len(self.bots), len(self.parties) % len(self.bots)) * len(self.parties)

    @property
    def games(self) -> int:
        """How many matches are played: whole rounds."""
        return -(-self.wanted // self.round) * self.round

    def line_up(self, number: int) -> tuple[str, ...]:
        """The bots of match ``number``, party by party."""
        turn, place = divmod(number, self.round)
        shift, way = divmod(place, len(self.lineups))
        order = list(self.lineups[way])
        Random(f"{self.seed}/{turn}/{way}").shuffle(order)
        return (*order[shift:], *order[:shift])

    def seating(self, number: int) -> tuple[str, ...]:
        """The bots of match ``number``, seat by seat."""
        seats = {seat: name for party, name in zip(self.parties, self.line_up(number), strict=True) for seat in party}
        return tuple(seats[seat] for seat in sorted(seats))

    def deal(self, number: int) -> int:
        """The same for all bots where each plays on its own."""
        return number if len(self.parties) > 1 else number // self.round


def scheduled(
    subject: Game,
    bots: Sequence[str],
    games: int,
    players: int | None = None,
    seed: str | None = None,
    *,
    luck: bool = False,
    **options: Any,
) -> Schedule:
    """The schedule of a tournament of at least so many games. Raises BadSetup or UnknownBot."""
    count, chosen = subject.check_setup(subject.min_players if players is None else players, options)
    parties = subject.parties(count, chosen)
    check_bots(subject, bots, min(2, len(parties)))
    if luck and len(parties) == 1:
        raise BadSetup("where all win or lose together all have the same luck: nothing is gained by measuring it")
    wanted, text = check_count(games, "games", MOST_GAMES), check_seed_text(seed)
    schedule = Schedule(subject.name, tuple(bots), chosen, text, luck=luck, parties=parties, wanted=wanted)
    if schedule.round > MOST_GAMES:
        raise BadSetup(f"a round of {len(bots)} bots has {schedule.round:,} games; at most {MOST_GAMES:,} are played")
    return schedule


def check_bots(subject: Game, bots: Sequence[str], least: int) -> None:
    """BadSetup or UnknownBot unless these are bots of the game, each named once, and enough."""
    if isinstance(bots, str) or not isinstance(bots, Sequence):
        raise BadSetup("bots are a list of names")
    if len(bots) < least:
        raise BadSetup(f"too few bots for a tournament of {subject.title}: {len(bots)} of at least {least}")
    for name in bots:
        bot(subject, name)
        if bots.count(name) > 1:
            raise BadSetup(f"each bot is named once, {name} more often")
