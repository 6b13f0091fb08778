"""The puzzle of the day: everybody who opens it meets the same deal, alone and once, and then sees how the others did.

The deal follows from the day and a secret of the hall, so nobody can work it out before, and it is the same in every process. As
long as the day lasts (in UTC), its seed is *sealed*: whoever is done can't give it to somebody who still plays.
"""

from __future__ import annotations

import asyncio
import hmac
from dataclasses import dataclass
from datetime import date

from meadhall.engine.daily import Daily
from meadhall.engine.game import Game, game, game_names
from meadhall.engine.language import gettext as _
from meadhall.engine.match import Match
from meadhall.server.errors import NotFound, WrongMoment
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.room import Room
from meadhall.server.store.store import FINISHED, Conflict, Guest, SeatRow, Store, TableRow, new_id, new_key, now

_WON = "won"
"""Beside the game's own figures: 1 if the puzzle was solved."""


@dataclass(frozen=True)
class Attempt:
    """How somebody did. ``place`` is shared by all who did as well."""

    table: str
    guest: str
    name: str
    won: bool
    figures: dict[str, int]
    place: int


def today() -> str:
    """The day whose puzzle is played now, e.g. ``"2026-11-21"``."""
    return now().date().isoformat()


def hours_left() -> int:
    """In so many hours, at most, today is over."""
    return 24 - now().hour


def puzzle_of(day: str) -> Game | None:
    """The game whose puzzle a day has: of those that have one, in turn."""
    puzzles = [each for each in map(game, game_names()) if each.daily is not None]
    return puzzles[date.fromisoformat(day).toordinal() % len(puzzles)] if puzzles else None


def terms(subject: Game) -> Daily:
    """What a game says of itself as the puzzle of the day."""
    assert subject.daily is not None
    return subject.daily


def is_sealed(table: TableRow) -> bool:
    """Whether the deal of this table can still be met by others today."""
    return table.daily is not None and table.daily >= today()


async def seed_of(store: Store, day: str) -> bytes:
    """The seed of a day's puzzle, in this hall."""
    return hmac.digest(bytes.fromhex(await store.secret("daily")), f"daily {day}".encode(), "sha256")


# ----------------------------------------------------------------------------------------------------------------- attempts


async def own_attempt(store: Store, day: str, guest: Guest) -> TableRow | None:
    """The guest's attempt at the puzzle of a day: begun by them, or carried to this device of theirs."""
    mine = await store.attempts(day, guest.id) if guest.known else []
    return min(mine, key=lambda table: table.host != guest.id, default=None)


async def begin(hall: Hall, guest: Guest) -> Room:
    """The table of the guest's one attempt of today: begun now, or gone on with."""
    day = today()
    subject = puzzle_of(day)
    if subject is None:
        raise NotFound(_("No game here has a puzzle of the day."))
    hall.ready.check(subject.name)
    found = await own_attempt(hall.store, day, guest)
    if found is not None:
        return await hall.room(found.id)
    guest = await hall.store.save_guest(guest)
    table = TableRow(
        id=new_id(),
        game=subject.name,
        rules=subject.version,
        options=subject.check_setup(1, terms(subject).options)[1],
        status="running",
        host=guest.id,
        public=False,
        seed=await seed_of(hall.store, day),
        created=now(),
        started=now(),
        seats=(SeatRow(0, "human", guest.name, None, frozenset({guest.id}), new_key()),),
        daily=day,
    )
    try:
        await hall.store.add_table(table)
    except Conflict:  # another page of theirs was faster
        return await begin(hall, guest)
    return await hall.room(table.id)


async def visited(hall: Hall, guest: Guest, id: str) -> Room:
    """The room of a table. Refuses to show somebody else's attempt of today to who is not done with their own."""
    room = await hall.room(id)
    table = room.table
    if is_sealed(table) and guest.id != table.host and table.seat_of(guest.id) is None:
        own = await own_attempt(hall.store, today(), guest)
        if own is None or own.status not in FINISHED:
            raise WrongMoment(_("Somebody is at today's puzzle here. Play your own first, then you may look."))
    return room


def check_hint(table: TableRow) -> None:
    """Refuse a hint where all are to find the way themselves."""
    if table.daily is not None:
        raise WrongMoment(_("There are no hints in the puzzle of the day."))


def check_rematch(table: TableRow) -> None:
    """Refuse to play the same deal once more."""
    if table.daily is not None:
        raise WrongMoment(_("The puzzle of the day is played once. Tomorrow there is another."))


# ------------------------------------------------------------------------------------------------------------------ results


async def results(hall: Hall, tables: list[TableRow]) -> list[Attempt]:
    """How those did who finished within the day, the best first."""
    counted = [table for table in tables if counts(table)]
    told = [(table, figures) for table in counted if (figures := await figures_of(hall, table)) is not None]
    told.sort(key=lambda each: (_order(*each), each[0].finished))
    orders = [_order(*each) for each in told]
    return [
        Attempt(
            table=table.id,
            guest=table.host,
            name=table.seats[0].name,
            won=bool(figures[_WON]),
            figures=figures,
            place=1 + orders.index(_order(table, figures)),
        )
        for table, figures in told
    ]


def counts(table: TableRow) -> bool:
    """Whether it was finished on its day: afterwards its seed is open."""
    assert table.daily is not None
    return table.status in FINISHED and table.finished is not None and table.finished.date().isoformat() <= table.daily


def _order(table: TableRow, figures: dict[str, int]) -> tuple[int, ...]:
    return (-figures[_WON], *terms(game(table.game)).order(figures))


async def figures_of(hall: Hall, table: TableRow) -> dict[str, int] | None:
    """How a finished attempt went, measured once; None if it was played by rules that are no longer installed."""
    if table.figures is not None or not hall.can_show(table):
        return table.figures
    room = await hall.room(table.id)
    assert room.match is not None
    figures = await asyncio.to_thread(_measured, room.match)
    await hall.store.save_figures(table.id, figures)
    return figures


def _measured(match: Match) -> dict[str, int]:
    result = match.result()
    return {_WON: int(result is not None and bool(result.winners)), **terms(match.game).measure(match)}
