"""The hall: all rooms, and everything that concerns more than one table."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from math import inf
from typing import Any, TypeVar

from meadhall.bots.ranks import HUSCARL
from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.registry import game, game_names
from meadhall.engine.state import chance
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import DatabaseUnavailable, KeyReused, NotFound, NotSeated, TooMany, WrongMoment
from meadhall.server.hall import consent, match_changes, waits
from meadhall.server.hall.among_people import PeoplesMatches
from meadhall.server.hall.analysis import ChartQueue
from meadhall.server.hall.daily_puzzle import DailyOutcomes
from meadhall.server.hall.deadlines import Deadlines, turn_due
from meadhall.server.hall.evening.evenings import Evenings
from meadhall.server.hall.holidays import Holidays
from meadhall.server.hall.house import House, Switches
from meadhall.server.hall.lobby_changes import (
    agreed,
    arranged,
    bot_seat,
    check_host,
    document_of,
    open_seat,
    person_seat,
    renamed,
    with_options,
    with_person,
)
from meadhall.server.hall.mails import Mails, Waiting
from meadhall.server.hall.match_records import Uploads
from meadhall.server.hall.notifications import Notification, Notifications, game_and_players
from meadhall.server.hall.orders import Orders
from meadhall.server.hall.people.accounts import Accounts
from meadhall.server.hall.people.acquaintances import Acquaintances, Ignoring
from meadhall.server.hall.people.links import Admission, IdentityLinks
from meadhall.server.hall.presence import Attendance
from meadhall.server.hall.push_service import PushServices
from meadhall.server.hall.questions import Questions
from meadhall.server.hall.room import Room
from meadhall.server.hall.services import Services
from meadhall.server.hall.state import stored_outcome
from meadhall.server.hall.talk import Talk
from meadhall.server.hall.upkeep.housekeeping import delete_hourly
from meadhall.server.hall.upkeep.readiness import Readiness
from meadhall.server.hall.upkeep.scheduler import Scheduler, at_table
from meadhall.server.hall.uptime import Uptime
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import tables
from meadhall.server.store.host_log import Done, carried_out
from meadhall.server.store.models import RULES_CHANGED, Clock, Guest, TableRow, new_id
from meadhall.server.store.store import Store
from meadhall.server.store.tables import RequestKey
from meadhall.server.worker.client import Worker
from meadhall.server.worker.threads import run_in_thread

T = TypeVar("T")

log = logging.getLogger(__name__)

_MAX_ROOMS = 2000
"""Rooms in memory. Beyond that, rooms without subscribers are evicted, least recently used first. The store still has them."""

_FINISHED_AGE = 120.0
"""Seconds since its last use after which a room whose match has ended is released, if no page shows it."""

_MIN_AGE = 60.0
"""Seconds since its last use before a room may be evicted. Every request that uses it has ended by then."""

_RETRY_DELAY = 1.0
"""Seconds before the database is asked again after it did not answer."""


@dataclass
class _Loading:
    lock: asyncio.Lock
    waiting: int = 0
    is_outdated: bool = False  # whether the table was changed meanwhile


class Hall:
    """Everything that the pages and the API act on.

    Attributes:
        time: the time of the hall.
        ready: the games that can be played already.
        closing: set when the server stops.
        charts: the charts of finished matches.
        switches: what the host has switched off or limited.
        house: the texts that the host writes.
        orders: the reports and prints that guests order.
        questions: what guests ask in the workshop.
        peoples_matches: counts of the matches between people.
        outcomes: the best possible results of the puzzles of the day.
        uploads: the uploaded records.
        attendance: how many guests are in the hall, and how many matches are played.
        scheduler: does work at its time.
        accounts: the accounts of guests who keep their name.
        notifications: push messages to guests who are away.
        mails: mails to people with an account.
        talk: lets guests talk at tables.
        acquaintances: the people that guests have met, and invitations.
        uptime: the downtimes of the hall.
        deadlines: the jobs that wait until the time of a seat is up.
        holidays: the days in which the slow clocks of a guest stand.
        evenings: several rounds of matches, which a guest leads.
        admission: lets in the guests that may play here.
        identity: links that make another device the same guest.
        matching: held while a guest is seated at a table of a quick match.
    """

    def __init__(self, settings: Settings, store: Store, worker: Worker) -> None:
        self.settings = settings
        self.store = store
        self.time = store.time
        self.worker = worker
        self.ready = Readiness(worker)
        self.closing = asyncio.Event()
        self.charts = ChartQueue(worker, store.time)
        self.switches = Switches(store)
        self.house = House(settings.data / "house")
        self.orders = Orders(store, self.closing, self.switches)
        self.questions = Questions(store, self.orders)
        self.peoples_matches = PeoplesMatches(store)
        self.outcomes = DailyOutcomes(worker, store.time)
        self.uploads = Uploads()
        self.scheduler = Scheduler(store)
        self.talk = Talk(store, Ignoring(store, self._call_pages), self.switches)
        self.uptime = Uptime(store)
        self.uptime.on_change = self._note_outages
        self.deadlines = Deadlines(self.scheduler, self.uptime)
        self.deadlines.register(self._room_for_work)
        self.holidays = Holidays(store, self.scheduler, self._room_for_work)
        self.matching = asyncio.Lock()
        self.evenings = Evenings(store, self.scheduler, self.room, self.note_changes, self.ready.check)
        self.scheduler.register(waits.JOB, at_table(self._room_for_work, waits.end_wait))
        self.scheduler.register(consent.JOB, at_table(self._room_for_work, lambda room, job: room.consent.expire(job)))
        self._rooms: OrderedDict[str, Room] = OrderedDict()  # least recently used first
        self._loading: dict[str, _Loading] = {}
        self.accounts = Accounts(store, self.note_changes)
        self.accounts.on_session_change(self._end_pages)
        self.admission = Admission(store, settings.admission, self.switches)
        self.identity = IdentityLinks(store, self.accounts, self.note_changes)
        self.attendance = Attendance(store.time)
        self._services = Services(store, worker, self.scheduler, self.deadlines, settings.bot_pause, self.switches)
        push_services = PushServices(settings.push_services, settings.public_url, store.time)
        self.notifications = Notifications(store, self.scheduler, push_services, self._is_looking, settings.sub_path)
        for kind in ("turn", "short"):
            self.notifications.check_with(kind, self._turn_due)
        self.notifications.check_with("proposal", self._is_proposed)
        self.mails = Mails(settings, store, self.scheduler, self._waiting_for, self.attendance.is_here)
        self.acquaintances = Acquaintances(store, self.scheduler, self.notifications, self.talk.ignoring)
        self._resuming: set[asyncio.Task[None]] = set()

    # ---------------------------------------------------------------------------------------------------------------- rooms

    async def room(self, id: str) -> Room:
        """Return the room of a table. Raises NotFound, NotReady, OtherRules."""
        if id not in self._rooms:
            async with self._loading_once(id):
                if id not in self._rooms:
                    self._rooms[id] = await self._load(id)
                    if self._loading[id].is_outdated:
                        self._rooms[id].refresh()
        room = self._rooms[id]
        room.last_used = self.time.seconds()
        self._rooms.move_to_end(id)
        return room

    async def _load(self, id: str) -> Room:
        table = self.store.transact(tables.find, id)
        if table is None:
            raise NotFound(_("There is no such table here."))
        self.ready.check(table.game)
        self._evict_rooms()
        return await Room.load(game(table.game), table, self._services)

    @asynccontextmanager
    async def _loading_once(self, id: str) -> Any:
        """Let only one of several requests for a table load it."""
        loading = self._loading.setdefault(id, _Loading(asyncio.Lock()))
        loading.waiting += 1
        try:
            async with loading.lock:
                yield
        finally:
            loading.waiting -= 1
            if loading.waiting == 0:
                self._loading.pop(id, None)

    def _evict_rooms(self) -> None:
        if len(self._rooms) >= _MAX_ROOMS:
            idle = [id for id, room in self._rooms.items() if _is_idle(room)]
            for id in idle[: len(self._rooms) - _MAX_ROOMS + 1]:
                self._release(id)

    def release_finished_rooms(self) -> None:
        """Release the rooms of finished matches that no page shows. A later request loads them again."""
        for id, room in tuple(self._rooms.items()):
            if (
                room.table.status not in ("gathering", "running")
                and len(room.channel) == 0
                and room.time.seconds() - room.last_used > _FINISHED_AGE
            ):
                self._release(id)

    def _release(self, id: str) -> None:
        del self._rooms[id]
        self.worker.forget(id)

    async def turns_of(self, guest: Guest) -> list[str]:
        """Return the ids of the tables where it is the guest's turn, first those whose time is up first."""
        found: list[tuple[bool, datetime, str]] = []
        for table in self.store.transact(tables.of_guest, guest.id) if guest.is_stored else []:
            if table.status == "running" and self.can_show(table):
                with suppress(MeadhallError):  # a table that can't be opened is left out
                    room = await self.room(table.id)
                    if room.state.has_turn(table.seat_of(guest.id)):
                        found.append((room.deadline is None, room.deadline or table.created_at, table.id))
        return [id for *_order, id in sorted(found)]

    async def _waiting_for(self, guest: Guest) -> list[Waiting]:
        """Return the tables without a live clock that wait for a guest. Raises NotReady while games are still being set up."""
        for each in self.ready.by_game():
            self.ready.check(each)
        rooms = [await self.room(id) for id in await self.turns_of(guest)]
        slow = [room for room in rooms if room.table.clock is None or not room.table.clock.is_live]
        return [(game_and_players(room.table, guest.id), f"/tables/{room.table.id}", room.deadline) for room in slow]

    def can_show(self, table: TableRow) -> bool:
        """Return whether the table's match can be replayed: its game is ready, and its rules have not changed."""
        return table.game in self.ready and table.rules == game(table.game).version

    def rooms(self) -> Sequence[Room]:
        """Return the rooms in memory."""
        return tuple(self._rooms.values())

    def note_at_table(self, room: Room, guest: Guest) -> None:
        """Note that a guest is at a table, as a player of a running match or not."""
        plays = room.table.status == "running" and room.table.seat_of(guest.id) is not None
        self.attendance.note(guest.id, room.table.id if plays else "")

    async def _turn_due(self, note: Notification, guest: str) -> bool | datetime:
        """Return whether a player still has the decision that they are told of, or from when on their time is short."""
        return turn_due((await self.room(note.table)).state, note, guest)

    async def _is_proposed(self, note: Notification, guest: str) -> bool:
        """Return whether the proposal of which a guest was told still waits for their answer."""
        return (await self.room(note.table)).consent.waits_for(guest, note.number)

    def _is_looking(self, table: str, guest: str) -> bool:
        """Return whether a guest has a page of a table in front of them."""
        return table in self._rooms and self._rooms[table].visits.is_looking(guest)

    # --------------------------------------------------------------------------------------------- changes beside the rooms

    def note_changes(self, ids: Iterable[str]) -> None:
        """Note that tables were changed in the database, but not by their rooms. Call it right after the transaction."""
        for id in ids:
            if id in self._loading:
                self._loading[id].is_outdated = True
            if id in self._rooms:
                self._rooms[id].refresh()
            else:  # a bot may have to move
                self._in_background(self._resume_tables([id]))

    def _end_pages(self, guest: str) -> None:
        """End the streams of a guest's pages. Those that may still show the guest's seats come back at once."""
        for room in self._rooms.values():
            room.channel.end(guest)
            if room.chat.concerns(guest):  # the lines of a guest are deleted with the guest, or become those of another one
                room.chat.note_change()
        self.evenings.end_pages(guest)
        self.talk.ignoring.forget(guest)

    def do(self, by: str, deed: str, work: Callable[..., Done], /, **arguments: Any) -> Any:
        """Carry out a deed of a host or helper, and let the open pages show it. Return its answer.

        ``by``: their public id, "" for a command. See ``host_log.carried_out``.
        """
        done = self.store.transact(carried_out, by, deed, work, **arguments)
        is_told = self.switches.read()
        self.note_changes(done.tables)
        self.note_chats(done.chats)
        self.accounts.announce_sessions_changed(*done.guests)
        for room in self._rooms.values() if is_told else ():
            room.channel.call()
        self.admission.note_closings(done.shut_out)
        return done.answer

    def note_chats(self, ids: Iterable[str]) -> None:
        """Note that lines of chat at tables were changed in the database."""
        for id in ids:
            if id in self._rooms:
                self._rooms[id].chat.note_change()

    def _call_pages(self, guests: Collection[str]) -> None:
        """Let the open pages of guests look for changes beside their tables."""
        for room in self._rooms.values():
            room.channel.call(guests)

    # --------------------------------------------------------------------------------------------------------------- starting

    async def resume(self, name: str) -> None:
        """Let the bots of a game continue the matches that a restart has interrupted. Close those of older rules."""
        await self._close_outdated(name)
        await self._resume_tables(await _until_answered(self.time, lambda: self.store.transact(tables.running_with_bots, name)))

    def background(self) -> Sequence[Coroutine[Any, Any, None]]:
        """Return what the hall does in the background, until it is cancelled."""
        always = (self.uptime.beat_regularly, self.scheduler.run, self._delete_expired)
        return [_run_until_stopped(self.time, work) for work in always]

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._resuming.add(task)
        task.add_done_callback(self._resuming.discard)

    async def _resume_tables(self, ids: Iterable[str]) -> None:
        for id in ids:
            await self._resume_table(id)

    async def _room_for_work(self, id: str) -> Room:
        """Return the room of a table. If it was not in memory, it may be evicted at once: this is no visit."""
        was_in_memory = id in self._rooms
        room = await self.room(id)
        if not was_in_memory:
            room.last_used = -inf
        return room

    def _note_outages(self) -> None:
        """Count the clocks again after a downtime."""
        clocked = [room for room in self._rooms.values() if room.running_clocks is not None]
        self._in_background(self._count_again(clocked))

    async def _count_again(self, rooms: Iterable[Room]) -> None:
        for room in rooms:
            try:
                await _until_answered(self.time, room.count_outages)
                room.publish()
            except Exception:
                log.exception("the clocks of table %s could not be counted again", room.table.id)
            await asyncio.sleep(0)  # a long match takes a moment

    async def _resume_table(self, id: str) -> None:
        """Let the bots of a running table play."""
        try:
            while True:
                try:
                    table = self.store.transact(tables.find, id)
                    if table is not None and table.status == "running":
                        (await self._room_for_work(id)).let_bots_act()
                    return
                except DatabaseUnavailable:
                    await self.time.sleep(_RETRY_DELAY)
        except MeadhallError as error:
            log.warning("table %s is not resumed: %s", id, error)
        except Exception:
            log.exception("table %s could not be resumed", id)

    async def _close_outdated(self, name: str) -> None:
        """Close the running matches of older rules: they can't be played to the end here."""
        version = game(name).version
        closed = await _until_answered(
            self.time, lambda: self.store.transact(tables.close_outdated, name, version, RULES_CHANGED)
        )
        self.note_changes(closed)
        for id in closed:
            log.warning("table %s is closed: its match began under older rules of %s than version %d", id, name, version)

    async def _delete_expired(self) -> None:
        """Delete outdated rows, from time to time."""
        kept = self.settings.retention
        await _until_answered(self.time, lambda: delete_hourly(self.scheduler, self.store, kept, self._rooms.keys))

    def stop_waiting(self) -> None:
        """End the streams of all open pages, and the requests that wait for a hint."""
        self.closing.set()
        self.evenings.end_pages()
        for room in self._rooms.values():
            room.channel.publish()
            room.absences.close()
            room.hints.cancel()

    async def close(self) -> None:
        """End all streams, stop all bots, and close the worker."""
        self.stop_waiting()
        for task in self._resuming:
            task.cancel()
        for room in self.rooms():
            await room.close()
        await self.charts.close()
        await self.orders.close()
        await self.notifications.close()
        await self.worker.close()

    # ----------------------------------------------------------------------------------------------------------- new tables

    async def open_table(
        self,
        host: Guest,
        name: str,
        players: int | None = None,
        options: Mapping[str, Any] | None = None,
        bots: Sequence[str] = (),
        public: bool = True,
        request: RequestKey | None = None,
        clock: Clock | None = None,
    ) -> Room:
        """Open a table: the host on seat 0, then the bots, then open seats.

        With a ``request`` that the host has made before, return the table that it opened.

        Raises:
            BadSetup, UnknownGame, UnknownBot, NotReady, TooMany: the table can't be opened.
            KeyReused: the key belongs to another request.
        """
        if (opened := self._opened_for(host, request)) is not None:
            return await self.room(opened)
        subject = game(name)
        self.ready.check(name)
        count = subject.check_players(players if players is not None else max(subject.min_players, 1 + len(bots)))
        if len(bots) >= count:
            raise BadSetup(_("There are more bots than seats."))
        host = self.store.save_guest(host)
        seats = [person_seat(0, host.name, host)]
        for seat, rank in enumerate(bots, 1):
            seats.append(bot_seat(subject, seat, rank, {row.name for row in seats}))
        chosen = await run_in_thread(subject.check_options, options or {})
        if len(seats) == count:
            subject.check_setup(count, chosen)  # the match starts at once
        seats += [open_seat(seat) for seat in range(len(seats), count)]
        table = TableRow(
            id=new_id(),
            game=name,
            rules=subject.version,
            options=chosen,
            status="gathering",
            host=host.id,
            is_public=public,
            seed=chance.new_seed(),
            created_at=self.time.now(),
            seats=tuple(seats),
            clock=clock,
        )
        if (opened := self._opened_for(host, request)) is not None:  # the same request came twice at the same time
            return await self.room(opened)
        room = await self.add_table(table, request)
        room.visits.note(host.id)
        return room

    def _opened_for(self, host: Guest, request: RequestKey | None) -> str | None:
        """Return the id of the table that an earlier request with this key opened. Raises KeyReused if it was another one."""
        found = None if request is None else self.store.transact(tables.find_request, host.id, request.key)
        if found is None or request is None:
            return None
        fingerprint, table = found
        if fingerprint != request.fingerprint:
            raise KeyReused(_("This Idempotency-Key belongs to another request. Use a new key."))
        return table

    async def add_table(self, table: TableRow, request: RequestKey | None = None) -> Room:
        """Store a new table and return its room. Raises TooMany for a guest who hosts too many, UnderMaintenance."""
        self.switches.check_new_match()
        rules = {name: game(name).version for name in game_names()}
        if self.store.transact(tables.count_unfinished, table.host, rules) >= self.switches.quota("tables_per_guest"):
            raise TooMany(_("You host too many unfinished tables; finish one first."))
        self.store.add_table(table, request)
        return await self.room(table.id)

    async def play_now(
        self,
        host: Guest,
        name: str,
        players: int | None = None,
        bot: str = HUSCARL.name,
        options: Mapping[str, Any] | None = None,
    ) -> Room:
        """Open a table against bots of one level and start the match."""
        subject = game(name)
        count = subject.check_players(subject.default_players if players is None else players)
        room = await self.open_table(host, name, count, options, bots=[bot] * (count - 1), public=False)
        room.start()
        return room

    async def with_friends(self, host: Guest, name: str, players: int | None = None) -> Room:
        """Open a table with an empty seat for at least one friend, which the hall doesn't list."""
        subject = game(name)
        if subject.max_players < 2:
            raise BadSetup(_("{game} is for one player.").format(game=subject.title))
        return await self.open_table(host, name, max(2, subject.min_players, players or 0), public=False)

    async def rematch(self, room: Room, guest: Guest, level: str = "") -> Room:
        """Return the room of the rematch, with the same people, bots and options.

        The first request opens the table. The other players already have their seats at it. It starts when all people have
        asked for the rematch; against bots only, at once. ``level``: of all bots, in place of their levels. Raises UnknownBot.
        """
        if room.table.rematch is None:
            self.switches.check_new_match()
        room.change(match_changes.open_rematch, room, guest, level)
        opened = self.store.transact(tables.find, room.table.rematch or "")
        if opened is None or opened.status == "closed":  # old tables are deleted
            room.change(match_changes.open_rematch, room, guest, level, instead_of=room.table.rematch)
        again = await self.room(room.table.rematch or "")
        with suppress(WrongMoment, NotSeated):  # it has begun already, or the guest has left it
            again.change_table(renamed(guest))
            again.change_table(agreed(guest, is_ready=True))
            if all(seat.is_ready for seat in again.table.seats if seat.kind == "human"):
                again.start()
        room.publish()  # its pages say who waits in the rematch
        return again

    # ------------------------------------------------------------------------------------------------- seats at a new table

    def join(self, room: Room, guest: Guest, seat: int | None = None) -> None:
        """Give the guest a seat: ``seat``, or the first open one. Refuse if it is taken."""
        guest = self.store.save_guest(guest)
        room.change_table(with_person(guest, seat))

    async def rename(self, guest: Guest) -> None:
        """Give the guest's seats before a match their new name and crest."""
        for table in self.store.transact(tables.of_guest, guest.id):
            if table.status == "gathering" and table.seat_of(guest.id) is not None:
                with suppress(WrongMoment):  # the match has begun meanwhile
                    (await self.room(table.id)).change_table(renamed(guest))

    def offered(self) -> list[TableRow]:
        """Return public tables with an open seat where a player is present, newest first."""
        offered = [room.table for room in self._rooms.values() if _is_offered(room)]
        return sorted(offered, key=lambda table: table.created_at, reverse=True)

    async def set_document(self, room: Room, guest: Guest, name: str, content: bytes | dict[str, Any] | None) -> None:
        """Set a document option to the host's file or data, or back to the built-in document (None). Refuse other guests."""
        check_host(room.table, guest)
        option = document_of(room.game, name)
        value = option.default if content is None else await run_in_thread(option.check, content)
        room.change_table(arranged(with_options(room.game, {name: value})))

    # ------------------------------------------------------------------------------------------------------ after the match

    async def with_outcome(self, table: TableRow) -> TableRow:
        """Return a finished table with its outcome. A match that ended before outcomes were stored is replayed once."""
        if table.status != "over" or table.outcome is not None or not self.can_show(table):
            return table
        match = (await self.room(table.id)).match
        outcome = stored_outcome(match) if match is not None else None
        if outcome is not None:
            self.store.transact(tables.save_outcome, table.id, outcome)
            self.note_changes([table.id])
        return replace(table, outcome=outcome)

    def request_chart(self, room: Room) -> None:
        """Request the chart of a match that has ended. A puzzle of the day gets none."""
        match = room.match
        if match is not None and match.ended and match.steps and room.table.daily is None:
            has_subscribers = partial(bool, room.channel)
            room.chart_job = self.charts.request(room.table.id, match, when_done=room.publish, has_subscribers=has_subscribers)


def _is_offered(room: Room) -> bool:
    table = room.table
    waits = table.status == "gathering" and table.is_public and any(row.kind == "open" for row in table.seats)
    return waits and any(row.kind == "human" and room.visits.is_here(row) for row in table.seats)


async def _run_until_stopped(time: Time, work: Callable[[], Awaitable[None]]) -> None:
    """Run ``work``. If it fails unexpectedly, log that and run it again after a while."""
    while True:
        try:
            return await work()
        except Exception:
            log.exception("%s has failed and is started again", getattr(work, "__qualname__", work))
            await time.sleep(_RETRY_DELAY)


async def _until_answered(time: Time, ask: Callable[[], T]) -> T:
    """Ask the database until it answers."""
    while True:
        try:
            return ask()
        except DatabaseUnavailable:
            await time.sleep(_RETRY_DELAY)


def _is_idle(room: Room) -> bool:
    return len(room.channel) == 0 and room.bots.next_seat() is None and room.time.seconds() - room.last_used > _MIN_AGE
