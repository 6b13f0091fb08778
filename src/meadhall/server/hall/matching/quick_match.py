"""Quick match: seat people together who look for the same game, number of players, options and clock.

A guest who looks for a match has a *match request* in the database, so a reload or a restart doesn't end the wait. The request
that completes a group seats the group: in one transaction the table is stored, all its requests name it, and a job is stored that
starts the match. So each guest is seated once, and the match begins even after a kill.

A guest waits as long as a page is open, or a program asks. When the time of a guest is up, bots take the empty seats.
"""

from __future__ import annotations

import logging
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from meadhall.bots import UnknownBot, bot_names
from meadhall.bots.ranks import HUSCARL
from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.registry import game, game_names
from meadhall.engine.state import chance
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import DatabaseUnavailable, WrongMoment
from meadhall.server.hall.notices.pubsub import Channel, Subscriber
from meadhall.server.hall.room import Room
from meadhall.server.hall.seating import bot_seat, open_seat, with_person
from meadhall.server.hall.upkeep.scheduler import Scheduler, at_table
from meadhall.server.store import acquaintances, guests, jobs, match_requests, tables
from meadhall.server.store.database import Db
from meadhall.server.store.jobs import Job
from meadhall.server.store.match_requests import MatchRequest
from meadhall.server.store.models import Clock, Guest, TableRow, new_id
from meadhall.server.store.store import Store
from meadhall.server.worker.threads import run_in_thread

log = logging.getLogger(__name__)

SIGN_INTERVAL: Final = 5.0
"""Seconds between two signs that a page is open, and between two looks at the waiting guests."""

_FILL_AFTER: Final = "quick-match-bots"
_START: Final = "quick-match-start"

_START_AFTER: Final = timedelta(seconds=1)
"""When the job starts a match that was not started when its players were seated."""

_JUST_NOW: Final = timedelta(seconds=3)
"""How long after a guest was seated another request for a match leads to the same table: it was sent before."""

_SHOWN_FOR: Final = timedelta(minutes=5)
"""How long the page of a guest who was seated leads to the table."""


@dataclass(frozen=True)
class Queue:
    """People who wait for the same match, the longest wait first.

    Attributes:
        request: what a guest looks for, with the guest's own time: the guest who asks, or else the first of them.
        names: the names of the people.
    """

    request: MatchRequest
    names: tuple[str, ...]


class QuickMatch:
    """Seats people together that look for the same match.

    Args:
        store: the database.
        scheduler: does what is due at a certain time.
        room: returns the room of a table.
        check_new: refuses a guest who can't begin a match of this game now.
    """

    def __init__(
        self,
        store: Store,
        scheduler: Scheduler,
        room: Callable[[str], Awaitable[Room]],
        check_new: Callable[[Guest, str], None],
    ) -> None:
        self._store = store
        self._time = store.time
        self._scheduler = scheduler
        self._room = room
        self._check_new = check_new
        self._channel = Channel(store.time)
        self._open: Counter[str] = Counter()  # the number of open pages by guest
        scheduler.register(_FILL_AFTER, self._fill)
        scheduler.register(_START, at_table(scheduler, room, self._start_late))

    # ---------------------------------------------------------------------------------------------------------------- waiting

    async def look(
        self,
        guest: Guest,
        name: str,
        players: int | None = None,
        options: Mapping[str, Any] | None = None,
        bots_after: int | None = None,
        bot: str = "",
        clock: Clock | None = None,
    ) -> str | None:
        """Let a guest wait for a match, and return the id of a table if there are enough people.

        Another wait of the guest ends. The same wait goes on with its new time.

        Args:
            guest: the guest.
            name: the name of the game.
            players: the number of players; None: as many as usual.
            options: the options of the match.
            bots_after: seconds after which bots fill the empty seats; None: never.
            bot: the level of these bots.
            clock: the clock of the match.

        Raises:
            BadSetup, UnknownGame, UnknownBot, NotReady, TooMany: the guest can't wait for such a match.
        """
        self._check_new(guest, name)
        subject = game(name)
        count = subject.check_players(subject.default_players if players is None else players)
        if count < 2:
            raise BadSetup(_("A quick match needs at least two players."))
        chosen = await run_in_thread(subject.check_options, options or {})
        subject.check_setup(count, chosen)
        level = bot or HUSCARL.name
        if bots_after is not None and level not in bot_names(subject):
            raise UnknownBot(f"{subject.title} has no bot {level!r}; it has: {', '.join(bot_names(subject))}")
        guest = self._store.save_guest(guest)
        at = self._time.now()
        request = MatchRequest(new_id(), guest.id, name, count, chosen, level, bots_after, clock, at, at)
        return await self._started(self._store.transact(self._enter, request))

    def _enter(self, db: Db, request: MatchRequest) -> str | None:
        before = match_requests.find(db, request.guest)
        if before is not None and before.matched_at is not None and before.matched_at > self._time.now() - _JUST_NOW:
            return before.table_id
        if before is not None and before.table_id is None:
            if before.queue == request.queue and before.seen_at > self._time.now() - match_requests.PRESENT_FOR:
                request = replace(request, created_at=before.created_at)
            jobs.cancel(db, _FILL_AFTER, before.id)
        match_requests.put(db, request)
        if request.bots_at is not None:
            jobs.put(db, _FILL_AFTER, request.id, request.bots_at)
        return self._seat(db, request, with_bots=False)

    async def state_of(self, guest: Guest, hidden: bool = False) -> Queue | str | None:
        """Return what a guest waits for, or the id of the table where the guest was seated; None without either.

        It is a sign that the guest still waits. ``hidden``: of a hidden page, whose next sign may come late.
        """

        def read(db: Db) -> Queue | str | None:
            request = match_requests.find(db, guest.id)
            if request is None:
                return None
            if request.matched_at is not None:
                return request.table_id if request.matched_at > self._time.now() - _SHOWN_FOR else None
            match_requests.touch(db, guest.id, hidden)
            was_away = request.seen_at <= self._time.now() - match_requests.PRESENT_FOR  # the others could not see it
            if was_away and (table := self._seat(db, request, with_bots=False)) is not None:
                return table
            apart = acquaintances.blocks_of(db, guest.id)
            others = [other for other in match_requests.waiting(db, request.queue) if other.guest not in apart]
            return Queue(request, _names(db, others))

        found = self._store.transact(read)
        return await self._started(found) if isinstance(found, str) else found

    def end(self, guest: Guest) -> None:
        """End the wait of a guest."""

        def stop(db: Db) -> None:
            request = match_requests.end(db, guest.id)
            if request is not None:
                jobs.cancel(db, _FILL_AFTER, request.id)

        self._store.transact(stop)
        self._channel.publish()

    def queues(self, guest: Guest) -> list[Queue]:
        """Return the queues of all people who wait, except the guest and blocked people, the longest wait first."""

        def read(db: Db) -> list[Queue]:
            by_queue: dict[str, list[MatchRequest]] = {}
            found = match_requests.waiting(db)
            apart = {guest.id, *(acquaintances.blocks_of(db, guest.id) if found else ())}
            for request in found:
                if request.guest not in apart and request.game in game_names():
                    by_queue.setdefault(request.queue, []).append(request)
            return [Queue(group[0], _names(db, group)) for group in by_queue.values()]

        return self._store.transact(read)

    @contextmanager
    def page_of(self, guest: Guest) -> Iterator[Subscriber]:
        """Let the guest wait during the block. The subscriber is notified when a guest comes, leaves or is seated."""
        self._open[guest.id] += 1
        try:
            with self._channel.subscribe(guest.id) as subscriber:
                yield subscriber
        finally:
            self._open[guest.id] -= 1
            if not self._open[guest.id]:
                del self._open[guest.id]

    def end_pages(self, guest: str) -> None:
        """End the streams of a guest's pages."""
        self._channel.end(guest)

    def left(self, guest: Guest, hidden: bool = False) -> None:
        """Note that a page of the guest was closed, or hidden. Unless another one is open, the wait ends soon."""
        if guest.id not in self._open:
            with suppress(DatabaseUnavailable):
                self._store.transact(partial(match_requests.leave, guest=guest.id, hidden=hidden))

    # ----------------------------------------------------------------------------------------------------------------- seating

    def _seat(self, db: Db, request: MatchRequest, with_bots: bool) -> str | None:
        """Seat the guest with others of the queue, and return the id of the table; None if too few wait.

        With bots, those come along who accept bots at all.
        """
        group, apart = [request], set(acquaintances.blocks_of(db, request.guest))
        for other in match_requests.waiting(db, request.queue):
            accepts = not with_bots or other.bots_after is not None
            if len(group) < request.players and other.guest != request.guest and other.guest not in apart and accepts:
                group.append(other)
                apart |= acquaintances.blocks_of(db, other.guest)
        if len(group) < request.players and not with_bots:
            return None
        people = [person for each in group if (person := guests.find(db, each.guest)) is not None]
        table = _table_for(request, people, self._time.now())
        tables.add(db, table)
        match_requests.matched(db, [each.guest for each in group], table.id)
        for each in group:
            if each is not request or not with_bots:  # with bots this is the effect of the guest's own job
                jobs.cancel(db, _FILL_AFTER, each.id)
        jobs.put(db, _START, table.id, self._time.now() + _START_AFTER)
        return table.id

    async def _fill(self, job: Job) -> None:
        """Let bots fill the empty seats: the time of a guest is up."""

        def fill(db: Db) -> str | None:
            guest = match_requests.guest_of(db, job.key)
            request = None if guest is None else match_requests.find(db, guest)
            if request is None or request.id != job.key or request.table_id is not None:
                return None
            if request.seen_at <= self._time.now() - match_requests.PRESENT_FOR:
                match_requests.end(db, request.guest)
                return None
            return self._seat(db, request, with_bots=True)

        await self._started(self._scheduler.finish(job, fill))

    async def _started(self, table: str | None) -> str | None:
        """Start the match at a table whose players were just seated, and tell the pages that wait. Return the table's id."""
        self._scheduler.wake()
        if table is not None:
            try:
                self._start(await self._room(table))
            except MeadhallError as error:
                log.warning("the quick match at table %s will start later: %s", table, error)
        self._channel.publish()
        return table

    def _start_late(self, room: Room, _job: Job) -> None:
        self._start(room)

    def _start(self, room: Room) -> None:
        if room.table.status == "gathering":
            with suppress(WrongMoment):  # a player has just left: then the host starts it
                room.start()


def _names(db: Db, group: Sequence[MatchRequest]) -> tuple[str, ...]:
    found = guests.names_of(db, [request.guest for request in group])
    return tuple(found[request.guest] for request in group if request.guest in found)


def _table_for(request: MatchRequest, people: Collection[Guest], at: datetime) -> TableRow:
    """Return the table where these people play, on random seats. They have all agreed to a start."""
    subject = game(request.game)
    seats = random.SystemRandom().sample(range(request.players), request.players)
    table = TableRow(
        id=new_id(),
        game=request.game,
        rules=subject.version,
        options=dict(request.options),
        status="gathering",
        host=request.guest,
        is_public=True,
        seed=chance.new_seed(),
        created_at=at,
        seats=tuple(open_seat(seat) for seat in range(request.players)),
        clock=request.clock,
    )
    for guest, seat in zip(people, seats, strict=False):
        table = with_person(guest, seat)(table)
    for seat in seats[len(people) :]:
        table = table.replace_seat(bot_seat(subject, seat, request.bot))
    agreed = (replace(seat, is_ready=seat.kind == "human") for seat in table.seats)
    return replace(table, seats=tuple(agreed))
