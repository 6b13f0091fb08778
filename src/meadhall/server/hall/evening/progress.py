"""How far an evening is: everything that follows from its rows and from its matches."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations
from typing import Final

from meadhall.engine.game import Game
from meadhall.engine.registry import game
from meadhall.server.hall.evening.seating import Standing, points_of
from meadhall.server.hall.people.names import unlike_others
from meadhall.server.store import evenings
from meadhall.server.store.database import Db, Row
from meadhall.server.store.evenings import Evening, Sitting
from meadhall.server.store.models import FINISHED, Guest, TableRow

_NO_PLACE: Final = 99
"""Sorts a person behind all others for whom a bot has played to the end."""


@dataclass(frozen=True)
class Placed(Standing):
    """A person in the standings.

    Attributes:
        place: from 1 on; people with equal points share it.
        by_round: the points of each round that has ended for them, by its number.
        is_here: whether they take part in the next round.
    """

    guest: Guest
    name: str
    place: int
    by_round: Mapping[int, Fraction]
    is_here: bool


@dataclass(frozen=True)
class Progress:
    """How far an evening is.

    Attributes:
        mark: changes with everything else here.
        people: all who have ever joined, in that order.
        here: the ids of those who take part in the next round.
        sittings: who has sat where.
        tables: the tables of the last round, by their ids.
    """

    mark: Row | None
    evening: Evening
    people: Sequence[Guest]
    here: Collection[str]
    sittings: Sequence[Sitting]
    tables: Mapping[str, TableRow]

    @property
    def round(self) -> int:
        """The number of the last round; 0 before the first one."""
        return self.sittings[-1].round if self.sittings else 0

    @cached_property
    def open(self) -> Collection[str]:
        """The ids of the tables that still play."""
        return {id for id, table in self.tables.items() if table.status not in FINISHED}

    @property
    def is_over(self) -> bool:
        """Whether there are no more rounds."""
        return self.evening.ended_at is not None or (self.round >= self.evening.rounds and not self.open)

    def game(self, number: int) -> Game:
        """Return the game of a round."""
        return game(self.evening.games[(number - 1) % len(self.evening.games)])

    def table_of(self, guest: Guest) -> TableRow | None:
        """Return the table where a guest sits in the last round; None without one."""
        at = (sitting.table for sitting in self.sittings if (sitting.guest, sitting.round) == (guest.id, self.round))
        return self.tables.get(next(at, ""))

    @cached_property
    def seated(self) -> Mapping[tuple[int, str], Sequence[Sitting]]:
        """Who has sat together, by the number of the round and the id of the table."""
        found = defaultdict[tuple[int, str], list[Sitting]](list)
        for sitting in self.sittings:
            found[sitting.round, sitting.table].append(sitting)
        return found

    @property
    def met(self) -> Mapping[frozenset[str], int]:
        """How often each pair has sat at the same table."""
        pairs = (combinations([each.guest for each in sittings], 2) for sittings in self.seated.values())
        return Counter(map(frozenset, chain.from_iterable(pairs)))

    @cached_property
    def points(self) -> Mapping[str, Mapping[int, Fraction]]:
        """The points of the rounds by the ids of the people. Tables that still play give none; without a result all are tied."""
        found = defaultdict[str, dict[int, Fraction]](dict)
        for (number, table), sittings in self.seated.items():
            if table not in self.open:
                ranks = {each.guest: (-(each.score or 0), each.place or _NO_PLACE) for each in sittings}
                for guest, points in points_of(ranks).items():
                    found[guest][number] = points
        return found

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The names of the people by their ids, all different."""
        found: dict[str, str] = {}
        for guest in self.people:
            found[guest.id] = unlike_others(guest.name, found.values())
        return found

    @cached_property
    def standings(self) -> Sequence[Placed]:
        """Everyone who is here or has played, by their points."""
        byes = Counter(sittings[0].guest for sittings in self.seated.values() if len(sittings) == 1)
        shown = [guest for guest in self.people if guest.id in self.here or guest.id in self.points]
        rounds = {guest.id: self.points.get(guest.id, {}) for guest in shown}
        totals = {id: sum(rounds[id].values(), Fraction()) for id in rounds}
        places = sorted(totals.values(), reverse=True)
        placed = [
            Placed(id, total, byes[id], guest, self.names[id], 1 + places.index(total), rounds[id], id in self.here)
            for guest, (id, total) in zip(shown, totals.items(), strict=True)
        ]
        return sorted(placed, key=lambda each: each.place)

    @property
    def winners(self) -> Sequence[Placed]:
        """Those with the most points; none before a round has ended."""
        return [each for each in self.standings if each.place == 1 and each.points > 0]


def read(db: Db, id: str, mark: Row | None) -> Progress:
    """Read how far an evening is. Raises NotFound."""
    evening, sittings = evenings.find(db, id), evenings.sittings_of(db, id)
    tables = evenings.tables_of(db, id, sittings[-1].round) if sittings else {}
    return Progress(mark, evening, *evenings.people_of(db, id), sittings, tables)
