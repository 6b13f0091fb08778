"""The attempts at the puzzles of the day: begin one, rank those that are finished."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.registry import game
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound, WrongMoment
from meadhall.server.hall.daily_puzzle import deal, own_attempt, puzzle_of, puzzle_on, terms, today
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.room import Room
from meadhall.server.store import puzzles, tables
from meadhall.server.store.models import FINISHED, Guest, TableRow
from meadhall.server.store.puzzles import Score

_WON = "won"
"""A figure beside the game's own: 1 if the puzzle was solved, else 0."""


_MEASURED_AT_ONCE = 20
"""Number of attempts after which a visit of the page measures no more. The next visits go on."""

_HALF = 1 << 31


@dataclass(frozen=True)
class Attempt:
    """The result of one guest. Equal results share a ``place``, counted from 1."""

    table: str
    guest: str
    name: str
    won: bool
    figures: dict[str, int]
    place: int


async def begin(hall: Hall, guest: Guest) -> Room:
    """Return the room of the guest's attempt of today. Start the attempt if there is none.

    Raises NotFound, NotReady, UnderMaintenance.
    """
    day = today(hall.time)
    subject = puzzle_of(day)
    if subject is None:
        raise NotFound(_("No game here has a puzzle of the day."))
    hall.ready.check(subject.name)
    found = own_attempt(hall.store, day, guest)
    if found is not None:
        return await hall.room(found.id)
    hall.switches.check_new_match()
    guest = hall.store.save_guest(guest)
    table = replace(deal(hall.store, subject, day, guest), daily=day)
    hall.store.add_table(table)
    return await hall.room(table.id)


async def play_unranked(hall: Hall, guest: Guest, day: str) -> Room:
    """Open a table with the deal of a past day, which counts nowhere. Raises NotFound, NotReady, WrongMoment, TooMany."""
    if day >= today(hall.time):
        raise WrongMoment(_("The day of this puzzle has not ended: it is played ranked, and once."))
    subject = puzzle_on(hall.store, day)
    hall.ready.check(subject.name)
    return await hall.add_table(deal(hall.store, subject, day, hall.store.save_guest(guest)))


# ------------------------------------------------------------------------------------------------------------------ results


@dataclass(frozen=True)
class Results:
    """The results of a day: the ``best`` attempts, the guest's own (``mine``), and how often there is each score."""

    best: tuple[Attempt, ...]
    mine: Attempt | None
    scores: tuple[Score, ...]

    @property
    def finished(self) -> int:
        """The number of attempts that count."""
        return sum(score.attempts for score in self.scores)


async def results(hall: Hall, subject: Game, day: str, own: TableRow | None, shown: int) -> Results:
    """Return the results of a day, with the best ``shown`` attempts. The work doesn't depend on the number of attempts."""
    await _rank_new(hall, subject, day)
    found = hall.store.transact(puzzles.scores, day)
    places: dict[str, int] = {}
    better = 0
    for score in found:
        places.setdefault(score.standing, 1 + better)
        better += score.attempts

    def attempt(table: TableRow) -> Attempt:
        assert table.figures is not None
        assert table.standing is not None
        place = places.get(table.standing, 1)
        return Attempt(table.id, table.host, table.seats[0].name, bool(table.figures[_WON]), table.figures, place)

    best = tuple(map(attempt, hall.store.transact(puzzles.best, day, shown)))
    mine = None if own is None else hall.store.transact(tables.find, own.id)
    return Results(best, attempt(mine) if mine is not None and mine.standing is not None else None, tuple(found))


async def _rank_new(hall: Hall, subject: Game, day: str) -> None:
    """Measure and rank the attempts that were finished since the last visit of the page."""
    measured = 0
    while measured < _MEASURED_AT_ONCE:
        new = hall.store.transact(puzzles.unranked, day, subject.name, subject.version)
        if not new:
            return
        for table in new:
            measured += table.figures is None
            figures = await figures_of(hall, table)
            if figures is None:  # its rules are still being compiled
                return
            order = (-figures[_WON], *terms(game(table.game)).order(figures))
            standing = "".join(f"{number + _HALF:08x}" for number in order)  # a text that sorts as the numbers do
            hall.store.transact(puzzles.rank, table.id, day, figures, standing)
            hall.note_changes([table.id])


def counts(table: TableRow) -> bool:
    """Return whether an attempt counts: it was finished on its day, while the seed was sealed."""
    assert table.daily is not None
    return table.status in FINISHED and table.finished_at is not None and table.finished_at.date().isoformat() <= table.daily


async def figures_of(hall: Hall, table: TableRow) -> dict[str, int] | None:
    """Return the figures of a finished attempt, measured once and then stored; None if the installed rules have changed since."""
    if table.figures is not None or not hall.can_show(table):
        return table.figures
    room = await hall.room(table.id)
    assert room.match is not None
    figures = await asyncio.to_thread(_measured, room.match)
    hall.store.transact(puzzles.save_figures, table.id, figures)
    hall.note_changes([table.id])
    return figures


def _measured(match: Match) -> dict[str, int]:
    result = match.result()
    return {_WON: int(result is not None and bool(result.winners)), **terms(match.game).measure(match)}
