"""The puzzle of the day: all guests get the same deal, play it alone and once, and then see the results of the others.

The deal follows from the day and a secret of the database. So it can't be computed in advance.
Until the end of the day (in UTC) its seed is *sealed*: a guest who has finished can't pass it on to one who still plays.
"""

from __future__ import annotations

import asyncio
import hmac
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.registry import game, game_names
from meadhall.engine.text.daily import Daily
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound, WrongMoment
from meadhall.server.hall.seating import person_seat
from meadhall.server.ops.time import Time
from meadhall.server.store import puzzles, secrets, tables
from meadhall.server.store.models import FINISHED, Guest, TableRow, new_id
from meadhall.server.store.puzzles import Score
from meadhall.server.store.store import Store

if TYPE_CHECKING:
    from meadhall.server.hall.hall import Hall
    from meadhall.server.hall.room import Room

DAYS_BACK = 30
"""For this many days a past puzzle can be played, also one without attempts."""

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


def today(time: Time) -> str:
    """Return the current day in UTC, e.g. ``"2026-11-21"``."""
    return time.now().date().isoformat()


def hours_left(time: Time) -> int:
    """Return the number of hours until the day ends, rounded up."""
    return 24 - time.now().hour


def ends_at(day: str) -> datetime:
    """Return the end of a day: midnight in UTC."""
    return datetime.fromisoformat(day).replace(tzinfo=UTC) + timedelta(days=1)


def recent_days(time: Time) -> list[str]:
    """Return today and the days before it whose puzzle can still be played, unranked, the latest first."""
    return [(time.now().date() - timedelta(days=back)).isoformat() for back in range(1 + DAYS_BACK)]


def puzzle_of(day: str) -> Game | None:
    """Return the game of a day's puzzle: the games with puzzles take turns. None if there are none."""
    puzzles = [each for each in map(game, game_names()) if each.daily is not None]
    return puzzles[date.fromisoformat(day).toordinal() % len(puzzles)] if puzzles else None


def terms(subject: Game) -> Daily:
    """Return a game's declaration of its daily puzzle."""
    assert subject.daily is not None
    return subject.daily


def is_sealed(table: TableRow, time: Time) -> bool:
    """Return whether the table has today's deal, which other guests may still play."""
    return table.daily is not None and table.daily >= today(time)


def seed_of(store: Store, day: str) -> bytes:
    """Return the seed of a day's puzzle. It is specific to this database. A new key counts from the next day on."""
    begins = datetime.fromisoformat(day).replace(tzinfo=UTC)
    before = [secret.value for secret in store.transact(secrets.retired, "daily") if secret.valid_until > begins]
    key = before[0] if before else store.secret("daily")
    return hmac.digest(bytes.fromhex(key), f"daily {day}".encode(), "sha256")


# ----------------------------------------------------------------------------------------------------------------- attempts


def own_attempt(store: Store, day: str, guest: Guest) -> TableRow | None:
    """Return the guest's attempt at the puzzle of a day, whether it was started on this device or carried to it."""
    mine = store.transact(puzzles.attempts, day, guest.id) if guest.is_stored else []
    return min(mine, key=lambda table: table.host != guest.id, default=None)


async def begin(hall: Hall, guest: Guest) -> Room:
    """Return the room of the guest's attempt of today. Start the attempt if there is none. Raises NotFound, NotReady."""
    day = today(hall.time)
    subject = puzzle_of(day)
    if subject is None:
        raise NotFound(_("No game here has a puzzle of the day."))
    hall.ready.check(subject.name)
    found = own_attempt(hall.store, day, guest)
    if found is not None:
        return await hall.room(found.id)
    guest = hall.store.save_guest(guest)
    table = replace(deal(hall.store, subject, day, guest), daily=day)
    hall.store.add_table(table)
    return await hall.room(table.id)


def deal(store: Store, subject: Game, day: str, guest: Guest) -> TableRow:
    """Return a table where the guest plays the deal of a day. It isn't stored, and doesn't count as an attempt."""
    return TableRow(
        id=new_id(),
        game=subject.name,
        rules=subject.version,
        options=subject.check_setup(1, terms(subject).options)[1],
        status="running",
        host=guest.id,
        is_public=False,
        seed=seed_of(store, day),
        created_at=store.time.now(),
        started_at=store.time.now(),
        seats=(person_seat(0, guest.name, guest),),
    )


async def play_unranked(hall: Hall, guest: Guest, day: str) -> Room:
    """Open a table with the deal of a past day, which counts nowhere. Raises NotFound, NotReady, WrongMoment, TooMany."""
    if day >= today(hall.time):
        raise WrongMoment(_("The day of this puzzle has not ended: it is played ranked, and once."))
    subject = puzzle_on(hall.store, day)
    hall.ready.check(subject.name)
    return await hall.add_table(deal(hall.store, subject, day, hall.store.save_guest(guest)))


def puzzle_on(store: Store, day: str) -> Game:
    """Return the game of a day's puzzle: that of its attempts if there are any. Raises NotFound."""
    attempted = store.transact(puzzles.attempted_game, day)
    subject = game(attempted) if attempted in game_names() else puzzle_of(day) if day in recent_days(store.time) else None
    if subject is None or subject.daily is None:
        raise NotFound(_("There is no puzzle for that day."))
    return subject


def check_visible(store: Store, table: TableRow, guest: Guest) -> None:
    """Refuse to show another guest's attempt of today until the guest has finished their own. Raises WrongMoment."""
    if is_sealed(table, store.time) and guest.id != table.host and table.seat_of(guest.id) is None:
        own = own_attempt(store, today(store.time), guest)
        if own is None or own.status not in FINISHED:
            raise WrongMoment(_("This is another player's attempt at today's puzzle. Play your own first, then you can look."))


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
            hall.store.transact(puzzles.rank, table.id, day, figures, _standing(_order(table, figures)))
            hall.note_changes([table.id])


def _standing(order: tuple[int, ...]) -> str:
    """Return a text that sorts as the tuple does."""
    return "".join(f"{number + _HALF:08x}" for number in order)


def counts(table: TableRow) -> bool:
    """Return whether an attempt counts: it was finished on its day, while the seed was sealed."""
    assert table.daily is not None
    return table.status in FINISHED and table.finished_at is not None and table.finished_at.date().isoformat() <= table.daily


def _order(table: TableRow, figures: dict[str, int]) -> tuple[int, ...]:
    return (-figures[_WON], *terms(game(table.game)).order(figures))


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
