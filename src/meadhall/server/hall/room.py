"""A room: one table and its match in this process. Every change goes through here, one at a time.

An action is checked and applied to a copy of the match, and appended to the store. After the commit the copy replaces the match,
and the room publishes the change to its subscribers.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from math import inf
from typing import Any, Literal

from meadhall.engine.errors import MeadhallError
from meadhall.engine.game import Game
from meadhall.engine.match.award import RESIGNATION, TIME
from meadhall.engine.match.match import Match
from meadhall.engine.match.stand_in import Lasting
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import Closing, DatabaseUnavailable, NotSeated, OtherRules, Stale, WrongMoment
from meadhall.server.hall.action_numbers import check_number, was_played
from meadhall.server.hall.bots.bots import BotDriver
from meadhall.server.hall.bots.chart_queue import ChartJob
from meadhall.server.hall.bots.hints import Hints, RequestedHint
from meadhall.server.hall.bots.stand_ins import (
    as_played,
    check_absence,
    check_not_resigned,
    check_own_decision,
    give_back,
    persons_playing,
    take_over,
)
from meadhall.server.hall.consent.bot_votes import BotVotes
from meadhall.server.hall.consent.consent import Consent
from meadhall.server.hall.consent.undoing import check_undo, reveals
from meadhall.server.hall.notices.audience import private_seats
from meadhall.server.hall.notices.presence import Presence, Present
from meadhall.server.hall.notices.pubsub import Channel, Subscriber
from meadhall.server.hall.processes.leases import Leases
from meadhall.server.hall.records.kept_records import keeping
from meadhall.server.hall.replaying import (
    InformationSets,
    Stop,
    continued,
    hinted_by,
    new_clocks,
    new_match,
    replayed,
    replayed_while_legal,
    stored_outcome,
    todays_options,
)
from meadhall.server.hall.seating import check_start
from meadhall.server.hall.talk.chat import Chat
from meadhall.server.hall.time.absences import Absences
from meadhall.server.hall.time.clocks import Clocks
from meadhall.server.hall.time.deadlines import Deadlines, NotUp
from meadhall.server.hall.time.turn_reminders import TurnCalls, calls_after
from meadhall.server.ops.metrics import MATCHES_ENDED
from meadhall.server.store.models import FINISHED, UNTIMED, Conflict, Entry, Guest, News, SeatRow, TableRow, new_link_token
from meadhall.server.store.queries.entries import Change, add
from meadhall.server.store.store import Effect, Store, Within, together
from meadhall.server.worker.client import Worker
from meadhall.server.worker.threads import run_in_thread

log = logging.getLogger(__name__)

VISIT_SECONDS = 20.0
"""How long after a request a guest counts as present. Pages without JavaScript, and hidden ones, reload more often."""

_MAX_VISITS = 200
"""Number of guests whose last request is remembered; beyond it those are forgotten who have left."""

_TRIES = 3
"""Number of attempts at a change when another process has written first."""

_FEW = 20
"""Number of new entries that are applied at once. More of them are applied in a thread."""

_RETRY_DELAY = 1.0
"""Seconds before a room that is behind asks the database again that did not answer."""


class Room:
    """One table, its match, and its subscribers.

    Attributes:
        table: the stored table.
        match: its match; None before the start.
        entry_count: number of stored entries of the match.
        clocks: its clocks; None without a clock, and before the start.
        version: rises with every change that everyone may see, also over restarts. A page keeps the newest version that it
            received; see ``version_for``.
        time: the time of the hall.
        channel: the open pages that show this table.
        chat: the lines of its players and spectators.
        bots: plays for the seats that belong to bots.
        hints: the hints that seats have requested.
        consent: the proposals that people make to each other.
        absences: which players have no open page, and since when.
        newcomers: seats whose guests play this game for the first time; forgotten after a restart in the middle of a match.
        chart_job: the chart of the match, after its end.
        stop: where changed rules ended the replay of a running match, in development mode. Nothing can be played until they
            allow its actions again.
        last_used: when a request last needed this room, in seconds of the monotonic clock.
    """

    def __init__(
        self,
        game: Game,
        table: TableRow,
        store: Store,
        worker: Worker,
        leases: Leases,
        presence: Presence,
        deadlines: Deadlines,
        bot_pause: float,
        development: bool = False,
    ) -> None:
        self.game = game
        self.table = table
        self.match: Match | None = None
        self.entry_count = 0
        self.clocks: Clocks | None = None
        self.time = store.time
        self.version = store.moment()
        self.channel = Channel(store.time)
        self.chat = Chat(table.id, store, self.channel)
        self.bots = BotDriver(self, worker, leases, bot_pause)
        self.hints = Hints(worker, self.publish_to)
        self.consent = Consent(self, store, leases)
        self._votes = BotVotes(self, worker, leases)
        self.newcomers: frozenset[int] = frozenset()
        self.chart_job: ChartJob | None = None
        self.stop: Stop | None = None
        self.last_used = self.time.seconds()
        self._changes_noted = self._changes_read = 0  # how many times other processes have told of changes, and those read
        self._private_versions: dict[int, int] = {}  # by seat, where a change for that seat alone is newer than ``version``
        self._visits: dict[str, float] = {}  # when guests sent their last requests, in seconds of the monotonic clock
        self._hinted = InformationSets()  # where a hint was requested
        self._store = store
        self._development = development
        self._worker = worker
        self._presence = presence
        self._leases = leases
        self._deadlines = deadlines
        self.absences = Absences(self, store, lambda: deadlines.standstills)
        self._lock = asyncio.Lock()
        self._following: asyncio.Task[None] | None = None

    @classmethod
    async def load(
        cls,
        game: Game,
        table: TableRow,
        store: Store,
        worker: Worker,
        leases: Leases,
        presence: Presence,
        deadlines: Deadlines,
        bot_pause: float,
        development: bool = False,
    ) -> Room:
        """Return the room of a stored table. Its match is replayed from its entries."""
        room = cls(game, table, store, worker, leases, presence, deadlines, bot_pause, development)
        await room._restore(table)
        await room.absences.load()
        room.let_bots_act()
        return room

    # ------------------------------------------------------------------------------------------------------ before the match

    async def change_table(self, change: Callable[[TableRow], TableRow]) -> None:
        """Change the table before the match; ``change`` may refuse."""

        async def save() -> None:
            self._check_gathering()
            self.table = await self._store.save_table(change(self.table))

        await self._write(save)

    async def start(self, played: Sequence[Entry] = ()) -> None:
        """Start the match with the seated players. Refuse while a seat is empty, or a player is away and hasn't agreed.

        ``played``: the entries with which the match begins, to continue another one.
        """

        async def begin() -> None:
            self._check_gathering()
            check_start(self.game, self.table, self.is_here)
            begun = replace(self.table, status="running", started_at=self.time.now(), rules=self.game.version)
            match = new_match(self.game, begun)
            clocks = new_clocks(begun, match, self._deadlines.standstills)
            clocks = continued(match, begun, played, clocks).clocks
            newcomers = await self._store.newcomers(begun)
            calls = self._calls(begun, match, clocks)
            entries = partial(add, table=begun.id, entries=played) if played else None
            moved = self._deadlines.moved(begun.id, None, clocks)
            self.table = await self._store.save_table(begun, together(moved, calls, entries))
            self.match, self.newcomers, self.clocks = match, newcomers, clocks
            self.entry_count = len(played)
            self._deadlines.expect(clocks, calls)
            await self._leases.claim(begun.id)

        await self._write(begin)

    async def close_table(self) -> None:
        """Close the table before the match."""
        await self.change_table(lambda table: replace(table, status="closed", finished_at=self.time.now()))

    def _check_gathering(self) -> None:
        if self.table.status == "closed":
            raise WrongMoment(_("The host has closed this table."))
        if self.table.status != "gathering":
            raise WrongMoment(_("The match has already started."))

    # ----------------------------------------------------------------------------------------------------- during the match

    def running_match(self) -> Match:
        """Return the match. Refuse before its start, and if it was given up."""
        if self.match is None:
            raise WrongMoment(_("The host has closed this table.") if self.is_closed else _("The match has not begun yet."))
        if self.table.status == "abandoned":
            raise WrongMoment(_("The match was given up."))
        if self.stop is not None:
            raise WrongMoment(_("The changed rules don't allow this match any more. The debug panel says why."))
        return self.match

    @property
    def running_clocks(self) -> Clocks | None:
        """The clocks while the match is running; None without a clock, before the match, and after its end."""
        return self.clocks if self.table.status == "running" else None

    @property
    def deadline(self) -> datetime | None:
        """When the time of the first of the seats to move is up; None if no clock runs."""
        return None if self.running_clocks is None else self.running_clocks.deadline

    @property
    def following_deadline(self) -> datetime | None:
        """When the time of the next seat after that is up, where several choose at the same time."""
        return None if self.running_clocks is None else self.running_clocks.following_deadline

    @property
    def is_closed(self) -> bool:
        """Whether the host has closed the table before its match."""
        return self.table.status == "closed"

    def seat_of(self, guest: Guest) -> int:
        """Return the guest's seat. Refuse a guest without one."""
        seat = self.table.seat_of(guest.id)
        if seat is None:
            raise NotSeated(_("You have no seat at this table; you are a spectator."))
        return seat

    async def act(self, guest: Guest, action: Any, number: int | None = None) -> None:
        """Play an action for the guest's seat. Refuse if its number in the match would not be ``number``.

        An action that the seat has already played with this number changes nothing: the request may have been repeated after
        its answer was lost.
        """

        def play(match: Match) -> Entry:
            seat = self.seat_of(guest)
            check_own_decision(match, seat)
            check_number(match, seat, number)
            hinted = bool(self._hinted) and (seat, match.information_set(seat)) in self._hinted
            match.play(action, seat, hinted=hinted)
            return Entry(self.entry_count + 1, "hinted" if hinted else "action", seat, match.steps[-1].action)

        try:
            await self.append(play)
        except Stale:
            if self.match is None or not was_played(self.match, self.seat_of(guest), action, number):
                raise

    async def undo(self, guest: Guest, number: int | None = None) -> None:
        """Take back the guest's last decision, and the actions of bots since then. Refuse as ``check_undo`` does.

        Args:
            number: the number of that decision; None: whichever is the last.
        """

        def take_back(match: Match) -> Entry:
            seat = self.seat_of(guest)
            check_own_decision(match, seat)
            count = check_undo(match, self.table, seat, number)
            counted = reveals(match, count)
            match.undo(count, revealed=counted)
            return Entry(self.entry_count + 1, "undo", seat, count, {"revealed": True} if counted else None)

        await self.append(take_back)

    async def request_hint(self, guest: Guest) -> RequestedHint:
        """Find the actions that the strongest bot would consider in the guest's place.

        The request is stored, and the record marks the next action as hinted. Until then the other players learn nothing of it.
        """

        def ask(match: Match) -> Entry:
            seat = self.seat_of(guest)
            check_own_decision(match, seat)
            if seat not in match.deciders:
                raise WrongMoment(_("You have nothing to decide now."))
            return Entry(self.entry_count + 1, "hint", seat, match.decision_of(seat))

        seat = self.seat_of(guest)
        if (seat, self.running_match().information_set(seat)) not in self._hinted:
            await self.append(ask, only=seat)
        hint = self.hints.current(self.match, seat)
        if hint is None:
            hint = self.hints.request(self.running_match(), seat)
            self.publish_to(seat)
        await asyncio.wait({hint.search})  # if the request is cancelled, the search goes on
        if hint.search.cancelled():
            raise Closing(_("The hall is closing for a moment. Ask again when it is back."))
        await hint.search
        return hint

    async def resign(self, guest: Guest) -> None:
        """Give up the guest's seat.

        In a match of two players or sides, the other side wins. With more, a bot plays on to the end, and the result still
        counts for the owner of the seat; if no other person plays, the match is given up.
        """

        async def give_up() -> None:
            match = self.running_match()
            if match.over:
                raise WrongMoment(_("The match is over."))
            seat = self.seat_of(guest)
            check_not_resigned(match, seat)
            await self._give_up(seat, "resigned")

        await self._write(give_up)

    async def _give_up(self, seat: int, why: Literal["resigned", "time"], within: Within | None = None) -> None:
        """Give up a person's seat. ``within`` runs the transaction, together with something else."""
        resigned = self.running_match().copy()
        if self.table.daily is None and self.has_two_sides:
            resigned.resign(seat, RESIGNATION if why == "resigned" else TIME)
        elif len(persons_playing(self.table, resigned)) == 1:
            resigned.abandon("everybody left")
        else:
            await self._append(lambda match: take_over(match, self.entry_count + 1, seat, why, "end"), within)
            return
        ended = replace(self.table, status="abandoned", finished_at=self.time.now(), abandon_reason=resigned.abandoned)
        ended = replace(ended, outcome=stored_outcome(resigned))
        self.table = await self._store.save_table(ended, self._keeping(resigned), within)
        self.match = resigned

    async def let_time_be_up(self, within: Within) -> None:
        """Apply the table's rule for the end of the time of the seat to move.

        ``within`` runs the transaction, together with something else. Raises NotUp if the time of no seat is up.
        """

        async def be_up() -> None:
            await self._note_standstills()
            clocks = self.running_clocks
            if clocks is None or clocks.running is None or clocks.deadline is None or clocks.deadline > self.time.now():
                raise NotUp
            seat = clocks.running
            if clocks.clock.time_up == "resign":
                await self._give_up(seat, "time", within)
            else:
                lasts: Lasting = "decision" if clocks.clock.time_up == "bot_decision" else "return"
                await self._append(lambda match: take_over(match, self.entry_count + 1, seat, "time", lasts), within)

        await self._write(be_up)

    async def let_bot_play(self, guest: Guest, seat: int) -> None:
        """Let a bot play for an absent player until the player returns. Any other person at the match may ask for it.

        Change nothing if a bot plays there already: the request may be repeated. Refuse unless the player has been away for
        long enough.
        """

        def begin(match: Match) -> Entry:
            check_absence(self.table, match, self.seat_of(guest), seat)
            until = self.absences.may_be_replaced_at(seat)
            if until is None or self.is_here(self.table.seats[seat]):
                raise WrongMoment(_("{name} is here.").format(name=self.table.seats[seat].name))
            if until > self.time.now():
                raise WrongMoment(_("{name} has not been away for long enough.").format(name=self.table.seats[seat].name))
            return take_over(match, self.entry_count + 1, seat, "away")

        if seat not in self.running_match().stand_ins:
            await self.append(begin)

    async def take_back_seat(self, guest: Guest) -> None:
        """Give a seat back from a bot to its owner. Change nothing if the owner plays already: the request may be repeated.

        Refuse an owner who has resigned.
        """
        seat = self.seat_of(guest)
        match = self.running_match()
        if match.over or seat in match.stand_ins:
            await self.append(lambda match: give_back(match, self.entry_count + 1, self.seat_of(guest)))

    @property
    def has_two_sides(self) -> bool:
        """Whether two players or two sides play against each other, so that a resignation decides the match."""
        if self.match is not None:
            return len(self.match.parties) == 2
        return len(self.game.parties(len(self.table.seats), self.table.options)) == 2

    async def carry_seat(self, seat: int, guest: Guest) -> None:
        """Share a seat with ``guest``, the same person on another device. Refuse if the guest has another seat here.

        The pages of the seat show how many devices hold it.
        """

        async def carry() -> None:
            if self.table.seat_of(guest.id) not in (None, seat):
                raise WrongMoment(_("You already have another seat at this table."))
            row = next((row for row in self.table.seats if row.seat == seat and row.kind == "human"), None)
            if row is None:
                raise WrongMoment(_("The player has left this seat."))
            self.table = await self._store.save_table(self.table.replace_seat(replace(row, guests=row.guests | {guest.id})))

        await self._write(carry, only=seat)  # its owner is told of the device

    async def renew_link(self, guest: Guest) -> None:
        """Give the guest's seat another private link. Other devices lose the seat, and the old link leads nowhere."""

        async def renew() -> None:
            row = self.table.seats[self.seat_of(guest)]
            alone = replace(row, guests=frozenset({guest.id}), link_token=new_link_token())
            self.table = await self._store.save_table(self.table.replace_seat(alone))

        await self._write(renew)

    async def open_rematch(self, guest: Guest, rematch: Callable[[TableRow], TableRow], instead_of: str | None = None) -> str:
        """Return the table id of the rematch. Open the table that ``rematch`` makes, if there is none. Refuse spectators.

        ``instead_of``: the id of a rematch that was closed; another one is opened in its place.
        """

        async def save() -> None:
            if self.table.status not in FINISHED:
                raise WrongMoment(_("The match is not over yet."))
            self.seat_of(guest)
            if self.table.rematch in (None, instead_of):
                self.table = await self._store.add_rematch(self.table, rematch(self.table))

        await self._write(save)
        assert self.table.rematch is not None
        return self.table.rematch

    def let_bots_act(self) -> None:
        """Let the bots play if it is their turn, and answer an open proposal."""
        if self.stop is None:
            self.bots.play()
            self._votes.answer()

    # --------------------------------------------------------------------------------------------------------------- writing

    async def append(self, change: Callable[[Match], Entry], only: int | None = None, within: Within | None = None) -> None:
        """Apply ``change`` to a copy of the match, store the entry that it returns, and then keep the copy.

        Args:
            only: the one seat that may see the change; None if everyone may.
            within: runs the transaction, together with something else.
        """
        await self._write(partial(self._append, change, within), only)

    async def _append(self, change: Callable[[Match], Entry], within: Within | None = None) -> None:
        await self._note_standstills()
        copy = self.running_match().copy()
        entry = self._timed(change(copy))
        clocks = None if self.clocks is None else self.clocks.after(entry, copy)
        outcome, calls = stored_outcome(copy), self._calls(self.table, copy, clocks)
        also = together(self._deadlines.moved(self.table.id, self.clocks, clocks), calls, self._keeping(copy))
        await self._store.append(self.table.id, entry, copy.over, self.table.version, outcome, also, within)
        self.match, self.clocks = copy, clocks
        self._deadlines.expect(clocks, calls)
        self.entry_count = entry.number
        self._hinted |= hinted_by(entry, copy)
        self.consent.follow([entry])
        if copy.over:
            version = self.table.version + 1
            self.table = replace(self.table, status="over", finished_at=self.time.now(), outcome=outcome, version=version)

    async def append_all(self, change: Callable[[Match], Awaitable[Change]], within: Within | None = None) -> None:
        """Apply ``change`` like ``append``, with several entries and a changed table. ``within``: see ``Store.append_all``."""

        async def append() -> None:
            await self._note_standstills()
            copy = self.running_match().copy()
            new = await change(copy)
            new = replace(new, entries=tuple(map(self._timed, new.entries)))
            clocks = self.clocks
            for entry in new.entries:
                clocks = None if clocks is None else clocks.after(entry, copy)
            calls = self._calls(new.table or self.table, copy, clocks)
            also = together(self._deadlines.moved(self.table.id, self.clocks, clocks), calls, self._keeping(copy))
            self.table = await self._store.append_all(self.table, new, also, within)
            self.match, self.clocks = copy, clocks
            self._deadlines.expect(clocks, calls)
            self.entry_count = new.entries[-1].number
            self.consent.follow(new.entries)

        await self._write(append)

    def _keeping(self, match: Match) -> Effect | None:
        """Return the effect that stores the record of a match that has ended."""
        return None if self._development else keeping(self.table.id, match)

    def _timed(self, entry: Entry) -> Entry:
        return replace(entry, at=self.time.now()) if entry.at == UNTIMED else entry

    def _calls(self, table: TableRow, match: Match, clocks: Clocks | None) -> TurnCalls | None:
        """Return the calls of the players to move, an effect of the transaction that begins their decision."""
        looking = {seat for seat in match.deciders if any(map(self.is_looking, table.seats[seat].guests))}
        return calls_after(table, self.match, match, self.clocks, clocks, looking, self.time.now())

    async def _write(self, attempt: Callable[[], Awaitable[None]], only: int | None = None) -> None:
        """Make a change and publish it, to everyone or ``only`` to one seat. ``attempt`` checks, stores and applies it.

        If another process has written first, read the table from the store and try again.
        """
        async with self._lock:
            had_ended = self.table.status in FINISHED
            for tries_left in reversed(range(_TRIES)):
                moment = self._store.moment()  # before the change: what other processes do after it gets a later version
                try:
                    await attempt()
                    break
                except (Conflict, MeadhallError) as error:
                    refused = isinstance(error, MeadhallError)
                    if refused and not self._store.shared:
                        raise
                    was_behind = await self._take_over()
                    if refused and not was_behind:
                        raise  # else the refusal may be wrong
                    self.let_bots_act()
                    if not tries_left:
                        raise Stale(_("The game has moved on. Look again, then choose.")) from None
            if self.table.status in FINISHED and not had_ended:
                MATCHES_ENDED.labels(self.table.game, self.table.status).inc()
        if only is None:
            self.publish(moment)
        else:
            self.publish_to(only)
        self.let_bots_act()
        if self.match is None and self.tell_presence():  # the guest who sat down is here
            await self._store.synced()

    async def note_standstills(self) -> None:
        """Count the time since the beginning of a new standstill again, and publish it."""
        async with self._lock:
            await self._note_standstills()
        self.publish()

    async def _note_standstills(self) -> None:
        if self.clocks is not None and self.clocks.standstills != self._deadlines.standstills:
            await self._restore(self.table)

    # ------------------------------------------------------------------------------------------- changes by other processes

    def note_change(self, only_entries: bool = False) -> None:
        """Note that another process has changed the table. Read it at once if a page waits for it or a bot may have to move.

        ``only_entries``: whether the match has new entries, but the seats have not changed.
        """
        self._changes_noted += 1
        if (len(self.channel) or self._may_move(only_entries)) and (self._following is None or self._following.done()):
            self._following = asyncio.create_task(self._follow())

    def _may_move(self, only_entries: bool) -> bool:
        """Return whether this process may have to move for a bot now."""
        has_bots = not only_entries or any(as_played(row, self.match).kind == "bot" for row in self.table.seats)
        return has_bots and self._leases.holds(self.table.id)

    @property
    def is_behind(self) -> bool:
        """Whether another process has changed the table since this room last read it."""
        return self._changes_read < self._changes_noted

    async def _follow(self) -> None:
        """Catch up, as often as it takes."""
        while self.is_behind:
            try:
                await self.catch_up()
            except DatabaseUnavailable:
                await self.time.sleep(_RETRY_DELAY)
            except Exception:
                log.exception("table %s: the changes of another process could not be read", self.table.id)
                return

    async def catch_up(self) -> None:
        """Apply changes of other processes, and publish them. The match is continued, not replayed."""
        async with self._lock:
            if self.is_behind or not self._store.is_informed:
                await self._take_over()
                self.let_bots_act()

    async def _take_over(self) -> bool:
        """Apply changes of other processes, and publish them to their audience. Return whether there were any."""
        noted, before = self._changes_noted, self.table
        news = await self._store.news(before.id, before.version, self.entry_count)
        if news.table is not None or news.entries:
            await self._apply(news)
        self._changes_read = noted
        if news.table is None and not news.entries:
            return False
        seats = private_seats(before, self.table, news.entries)
        if seats is None:
            self.publish()
        for seat in seats or ():
            self.publish_to(seat)
        self._resume_hints()
        self.tell_presence()  # its guests may have got seats
        return True

    async def _apply(self, news: News) -> None:
        """Continue the match with new entries, or begin it."""
        table = news.table or self.table
        if self.match is None or table.rules != self.game.version:
            await self._restore(table)
            return
        match = self.match.copy()
        if len(news.entries) <= _FEW:
            found = continued(match, table, news.entries, self.clocks)
        else:
            found = await asyncio.to_thread(continued, match, table, news.entries, self.clocks)
        self.table, self.match, self.clocks = table, found.match, found.clocks
        self.entry_count += len(news.entries)
        self._hinted |= found.hinted
        self.consent.follow(news.entries)
        await self.consent.learn_names()

    def _resume_hints(self) -> None:
        """Search for hints that seats to move have requested at another process, if one of their pages is open here."""
        match = self.match
        if not self._hinted or match is None or self.table.status != "running" or not self._store.shared:
            return
        for seat in match.deciders:
            is_open = any(self.channel.has(guest) for guest in self.table.seats[seat].guests)
            if is_open and self.hints.current(match, seat) is None and (seat, match.information_set(seat)) in self._hinted:
                hint = self.hints.request(match, seat)
                hint.search.add_done_callback(lambda search: search.cancelled() or search.exception())  # shown as no hint

    async def _restore(self, table: TableRow) -> None:
        """Take over a stored table and replay its match. Refuse a match of another rules version: its replay would differ."""
        if table.status in ("gathering", "closed"):
            self.table = replace(table, options=await run_in_thread(todays_options, self.game, table.options))
            return
        if table.rules != self.game.version and self._keeps_match_of(table):
            table = await self._store.save_table(replace(table, rules=self.game.version))
        if table.rules != self.game.version:
            raise OtherRules(
                _(
                    "This match started with version {old} of the rules of {game}; this server has version {new} now. "
                    "It can't be continued or shown here."
                ).format(old=table.rules, new=self.game.version, game=self.game.title),
                table.id if table.status in FINISHED else "",
            )
        news = await self._store.news(table.id, table.version, 0)
        table = news.table or table  # the match may have begun or ended meanwhile
        replay = replayed_while_legal if self._keeps_match_of(table) else replayed
        found = await asyncio.to_thread(replay, self.game, table, news.entries, self._deadlines.standstills)
        self.newcomers = frozenset() if found.match.steps else await self._store.newcomers(table)
        self.table, self.match, self.entry_count = table, found.match, len(news.entries)
        self._hinted, self.clocks, self.stop = found.hinted, found.clocks, found.stop
        self.consent.restart(news.entries)
        await self.consent.learn_names()

    def _keeps_match_of(self, table: TableRow) -> bool:
        """Return whether a match goes on after a change of its rules, as long as they allow its actions."""
        return self._development and table.status == "running"

    # ---------------------------------------------------------------------------------------------------- development mode

    async def reload(self, game: Game) -> None:
        """Replay the match by a game that was imported again, as far as its rules allow the actions.

        Raises whatever the new rules raise at the setup. Then the room keeps the earlier game.
        """
        await self.bots.close()
        async with self._lock:
            before, self.game = self.game, game
            try:
                await self._restore(self.table)
            except Exception:
                self.game = before
                raise
        self.hints.clear()
        self.publish()
        self.let_bots_act()

    async def change_seats(self, change: Callable[[TableRow], TableRow]) -> None:
        """Change the players of seats in a running match."""

        async def save() -> None:
            copy = self.running_match().copy()
            self.table = await self._store.save_table(change(self.table))
            self.match = continued(copy, self.table, (), None).match

        await self._write(save)

    # ------------------------------------------------------------------------------------------------------------ publishing

    def publish(self, moment: int | None = None) -> None:
        """Publish a change that everyone may see to all subscribers. ``moment``: when it was made; None: now."""
        now = self._store.moment() if moment is None else moment
        self.version = max(self.version, *self._private_versions.values(), now - 1) + 1
        self._private_versions.clear()
        self.bots.cancel_outdated_search()
        self.absences.look()
        if self.table.status in FINISHED:
            self._worker.forget(self.table.id)
            self.hints.clear()
        self.channel.publish()

    def publish_to(self, seat: int) -> None:
        """Publish a change to the pages of the one seat that may see it. The others must not even learn that it happened."""
        self._private_versions[seat] = max(self.version_for(seat) + 1, self._store.moment())
        self.channel.publish(self.table.seats[seat].guests)

    def version_for(self, seat: int | None) -> int:
        """Return the version that a seat, or a spectator (None), sees."""
        return self.version if seat is None else self._private_versions.get(seat, self.version)

    def open_pages(self) -> Counter[int | None]:
        """Return the number of open pages by seat, at all processes; the pages of spectators are counted under None."""
        pages = self.channel.guests() + self._presence.pages(self.table.id)
        counts = Counter(self.table.seat_of(guest) for guest in pages.elements())
        counts[None] += self._presence.spectators(self.table.id)
        return counts

    def is_here(self, seat: SeatRow) -> bool:
        """Return whether a seat's player has an open page, or has sent a request a moment ago. A bot is always here."""
        return seat.kind == "bot" or any(self.has_page(guest) for guest in seat.guests)

    def has_page(self, guest: str) -> bool:
        """Return whether a guest is here, at any process: a page is open, or one without JavaScript has just sent a request."""
        return self._is_at_this_process(guest) or self._presence.has(self.table.id, guest)

    def is_looking(self, guest: str) -> bool:
        """Return whether a guest has a page of the table in front of them, at any process. A hidden page has no stream."""
        return self.channel.has(guest) or self._presence.pages(self.table.id)[guest] > 0

    def _is_at_this_process(self, guest: str) -> bool:
        return self.channel.has(guest) or self._visits.get(guest, -inf) > self.time.seconds() - VISIT_SECONDS

    def tell_presence(self) -> bool:
        """Tell the other processes which players are at this one, if that has changed. Return whether it has."""
        if not self._store.shared:
            return False
        pages = self.channel.guests()
        players = {guest for row in self.table.seats for guest in row.guests}
        here = {guest: pages[guest] for guest in players if self._is_at_this_process(guest)}
        return self._presence.tell(self.table.id, Present(here, pages.total() - sum(here.values())))

    def note_visit(self, guest: str) -> None:
        """Record a request of a guest, and publish that they are here now, and later that they are not."""
        was_here, was_at_this_process = self.has_page(guest), self._is_at_this_process(guest)
        self._visits[guest] = self.time.seconds()
        if len(self._visits) > _MAX_VISITS:
            self._visits = {each: at for each, at in self._visits.items() if self._is_at_this_process(each)}
        if not was_at_this_process:
            self.tell_presence()
        if (
            self.table.status in ("gathering", "running")
            and self.table.seat_of(guest) is not None
            and not self.channel.has(guest)
        ):
            if not was_here:
                self.publish()
            self._publish_leaving_later(guest)

    def _publish_leaving_later(self, guest: str) -> None:
        later = VISIT_SECONDS + 0.1  # timers may come a little early
        self.time.call_later(later, partial(self._publish_leaving, guest))

    def _publish_leaving(self, guest: str) -> None:
        if guest in self._visits and not self._is_at_this_process(guest):
            del self._visits[guest]
            self.tell_presence()
            if not self.has_page(guest):
                self.publish()

    @contextmanager
    def subscribe(self, guest: str, page: str = "") -> Iterator[Subscriber]:
        """Subscribe a page of the guest with that id until the end of the block. The other players see the guest online."""
        try:
            with self.channel.subscribe(guest, page) as subscriber:
                self._visits.pop(guest, None)  # from now on the stream tells
                self._publish_presence(guest)
                self.tell_presence()
                self._resume_hints()
                if self.is_behind:
                    self.note_change()
                try:
                    yield subscriber
                finally:
                    self._publish_presence(guest)
                    if guest in self._visits:  # a move made on this page counts as a visit
                        self._publish_leaving_later(guest)
        finally:
            self.tell_presence()
            self.absences.look()

    def _publish_presence(self, guest: str) -> None:
        """Publish that a seat came online or went offline. Spectators are counted at the next change."""
        seat = self.table.seat_of(guest)
        if seat is not None and self.open_pages()[seat] <= 1:
            self.publish()

    async def close(self) -> None:
        """Stop the bots and the searches for hints."""
        if self._following is not None:
            self._following.cancel()
        await self.bots.close()
        await self._votes.close()
        await self.hints.close()
