"""The puzzle of the day: all guests get the same deal, play it alone and once, and then see the results of the others.

The deal follows from the day and a secret of the database. So it can't be computed in advance.
Until the end of the day (in UTC) its seed is *sealed*: a guest who has finished can't pass it on to one who still plays.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta

from meadhall.engine.game import Game
from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.lessons import Daily, Outcome
from meadhall.server.errors import NotFound, WrongMoment
from meadhall.server.hall.lobby_changes import person_seat
from meadhall.server.ops.time import Time
from meadhall.server.store import puzzles, secrets
from meadhall.server.store.models import FINISHED, Guest, TableRow, new_id
from meadhall.server.store.store import Store
from meadhall.server.worker.client import Worker, WorkerLost
from meadhall.server.worker.tasks import SolveDeal

DAYS_BACK = 30
"""For this many days a past puzzle can be played, also one without attempts."""


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


# ---------------------------------------------------------------------------------------------------------- best possible results

# Best possible results of the puzzles of the day. The worker solves each puzzle once.


log = logging.getLogger(__name__)

MAX_WAIT = 1.0
"""Seconds that a page waits for a result. After that it says that the result is not known yet."""


class DailyOutcomes:
    """Cache of the results, by day."""

    def __init__(self, worker: Worker, time: Time) -> None:
        self._time = time
        self._worker = worker
        self._solving: dict[str, asyncio.Task[Outcome]] = {}

    async def outcome(self, day: str, table: TableRow) -> Outcome | None:
        """Return the best possible result of a day's deal, which is played at this table; None while it is being solved."""
        if day not in self._solving:
            self._solving[day] = asyncio.create_task(self._solve(day, table))
        with suppress(TimeoutError):
            async with self._time.timeout(MAX_WAIT):
                return await asyncio.shield(self._solving[day])
        return None

    async def _solve(self, day: str, table: TableRow) -> Outcome:
        try:
            return await self._worker.run(SolveDeal(table.game, table.seed, table.options))
        except WorkerLost:
            log.warning("the worker process ended while it solved the puzzle of %s", day)
            self._solving.pop(day)  # the next request starts again
            return Outcome(None)
        except Exception:
            log.exception("the puzzle of %s could not be solved", day)
            return Outcome(None)
