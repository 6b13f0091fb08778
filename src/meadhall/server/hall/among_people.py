"""What the matches between people in this hall say of a game: how long they last, and how people end, repair and ally in them.

There are only counts, for each number of players, of at least ``LEAST`` matches. They grow by so many further matches at once, so
that two looks at them don't tell how one match went.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from statistics import median_low
from typing import Final, Literal, TypeAlias, get_args

import msgspec

from meadhall.engine.match.match import Match
from meadhall.engine.match.step import RESIGNATION
from meadhall.engine.registry import game, game_names
from meadhall.server.errors import DoesNotFit
from meadhall.server.hall.state import replayed_if_it_fits
from meadhall.server.store import matches, tables
from meadhall.server.store.database import Db
from meadhall.server.store.models import Entry, TableRow
from meadhall.server.store.store import Store

LEAST: Final = 5
"""The least number of matches that are counted together."""
MOST: Final = 1000
"""The number of matches of a game that are counted, the last first."""
MINUTES: Final = (5, 10, 15, 20, 30, 45, 60, 90, 120, 240)
TURNS: Final = (1, 2, 3, 4, 6, 8, 12, 20)
"""The upper ends of the ranges in which durations are told; the last range has no end."""

Ending = Literal["ally", "other", "out", "match"]
"""How a tie between seats ended: in the turn of one of the two, in another's turn, when one dropped out, with the match."""

Range: TypeAlias = tuple[int, int | None]
"""The ends of the range in which the median of durations lies: above the first, up to the second; the last has no second."""


class AmongPeople(msgspec.Struct, frozen=True):
    """What is counted in the matches of one number of players in which no bot had a seat.

    Attributes:
        players: the number of players.
        matches: the number of matches.
        minutes: how many minutes half of them took at most, from the first decision to the end, with all pauses.
        given_up: the matches that all players left.
        resigned: the matches in which a player resigned.
        take_backs: the matches in which actions were taken back.
        ties: how many ties between seats, such as alliances, ended in each way; None if the game declares none, see ``Bond``.
        turns: how many turns half of the ties lasted at most; None if there are none.
    """

    players: int
    matches: int
    minutes: Range
    given_up: int
    resigned: int
    take_backs: int
    ties: dict[Ending, int] | None = None
    turns: Range | None = None


class PeoplesMatches:
    """The counts of all games of a hall. They are computed when they are asked for."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, tuple[list[str], tuple[AmongPeople, ...]]] = {}

    async def of(self, name: str, players: Sequence[int]) -> list[AmongPeople]:
        """Return the counts of a game for these numbers of players; none for a number with too few matches."""
        _ids, found = self._known[name] = await self._store.read(_counted, name, self._known.get(name, ([], ())))
        return [each for each in found if each.players in players]


def _counted(db: Db, name: str, known: tuple[list[str], tuple[AmongPeople, ...]]) -> tuple[list[str], tuple[AmongPeople, ...]]:
    """Return the ids of all matches that count, and the counts: the known ones, if they are of the same matches."""
    found = tables.between_people(db, name, MOST)
    groups = {players: [each for each in found if len(each.seats) == players] for players in {len(each.seats) for each in found}}
    kept = {players: group[len(group) % LEAST :] for players, group in sorted(groups.items())}  # the newest come first
    ids = [each.id for group in kept.values() for each in group]
    if ids == known[0]:
        return known
    entries = {id: matches.entries_of(db, id) for id in ids}
    return ids, tuple(_count(group, entries) for group in kept.values() if group)


def _count(group: Sequence[TableRow], entries: Mapping[str, Sequence[Entry]]) -> AmongPeople:
    times = [(each.started_at, each.finished_at) for each in group]
    minutes = [(end - begin).total_seconds() / 60 for begin, end in times if begin is not None and end is not None]
    ties = _ties(group, entries)
    endings = Counter(how for _turns, how in ties or ())
    return AmongPeople(
        players=len(group[0].seats),
        matches=len(group),
        minutes=_middle(minutes, MINUTES),
        given_up=sum(each.status == "abandoned" for each in group),
        resigned=sum(_is_resigned(each, entries[each.id]) for each in group),
        take_backs=sum(any(entry.kind == "undo" for entry in entries[each.id]) for each in group),
        ties=None if ties is None else {how: endings[how] for how in get_args(Ending)},
        turns=_middle([turns for turns, _how in ties], TURNS) if ties else None,
    )


def _middle(durations: Sequence[float], ends: tuple[int, ...]) -> Range:
    place = bisect_left(ends, median_low(durations))
    return (0, *ends)[place], ends[place] if place < len(ends) else None


def _is_resigned(table: TableRow, entries: Sequence[Entry]) -> bool:
    if table.outcome is not None and table.outcome["why"] == RESIGNATION:
        return True
    return any(entry.kind == "stand_in" and (entry.data or {}).get("why") == "resigned" for entry in entries)


def _ties(group: Sequence[TableRow], entries: Mapping[str, Sequence[Entry]]) -> list[tuple[int, Ending]] | None:
    """Return the ties in the matches that the installed rules can replay."""
    name = group[0].game
    if name not in game_names() or game(name).elements.bond is None:
        return None
    replayed = []
    for table in group:
        if table.rules == game(name).version:
            with suppress(DoesNotFit):
                match = replayed_if_it_fits(game(name), table, entries[table.id]).match
                assert match is not None
                replayed.append(match)
    if len(replayed) < LEAST:
        return None
    return [each for match in replayed for each in ties_of(match)]


def ties_of(match: Match) -> Iterator[tuple[int, Ending]]:
    """Yield for each tie of a match how many turns it lasted, and how it ended."""
    elements = match.game.elements
    bond, out = elements.bond, elements.out
    if bond is None:
        return
    began: dict[frozenset[int], int] = {}
    turns, mover = 0, -1
    for event in (*match.setup, *(event for step in match.steps for event in step.events)):
        told = event.arguments
        if event.kind == elements.turn:
            turns, mover = turns + 1, told[0]
        if event.kind == bond.begun.event:
            began.setdefault(frozenset((told[bond.begun.seat], told[bond.begun.argument])), turns)
        dead = told[out.argument] if out is not None and event.kind == out.event else None
        for pair in [each for each in began if event.kind in bond.ended or dead in each]:
            yield turns - began.pop(pair), "out" if dead in pair else "ally" if mover in pair else "other"
    for first in began.values():
        yield turns - first, "match"
