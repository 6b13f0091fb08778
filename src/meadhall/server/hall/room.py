"""A room: one table and its match in memory, its guests and its open pages. Every change goes through ``hall.move``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from operator import attrgetter
from typing import Any, cast

from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import Closing, OtherRules
from meadhall.server.hall import match_changes, waits
from meadhall.server.hall.analysis import ChartJob, Hints, RequestedHint
from meadhall.server.hall.bots import BotDriver, BotVotes
from meadhall.server.hall.chat import Chat
from meadhall.server.hall.clocks import Clocks
from meadhall.server.hall.consent import Consent
from meadhall.server.hall.daily_puzzle import check_visible
from meadhall.server.hall.move import change
from meadhall.server.hall.notices.pubsub import Channel
from meadhall.server.hall.presence import Absences, Visits
from meadhall.server.hall.services import Edit, P, Services
from meadhall.server.hall.state import TableState, replayed_if_it_fits, todays_options
from meadhall.server.store import matches, tables
from meadhall.server.store.jobs import Job
from meadhall.server.store.models import FINISHED, Guest, TableRow

Told = tuple[TableState, tuple[object, ...], dict[int | None, Any]]
"""What programs have been told, by seat, and before it everything that this depends on."""


class Room:
    """One table, its match, and its subscribers.

    Attributes:
        game: the game of the table.
        services: the services of the hall.
        state: the table and its match, as they are stored.
        table: the stored table.
        match: the match; None before the start.
        version: rises with every change that everyone may see, also over restarts. A page keeps the newest version that it
            received; see ``version_for``.
        time: the time of the hall.
        channel: the open pages that show this table.
        visits: the guests who are here.
        chat: the lines of its players and spectators.
        bots: plays for the seats that belong to bots.
        hints: the hints that seats have requested.
        consent: the proposals that people make to each other.
        absences: which players have no open page, and since when.
        chart_job: the chart of the match, after its end.
        last_used: when a request last needed this room, in seconds of the monotonic clock.
        told: what programs have been told of the table as it is now.
    """

    # A move reads them a hundred times, so no function of Python stands between.
    table: TableRow = cast("TableRow", property(attrgetter("state.table")))
    match: Match | None = cast("Match | None", property(attrgetter("state.match")))

    def __init__(self, game: Game, table: TableRow, services: Services) -> None:
        store = services.store
        self.game = game
        self.services = services
        self.state = TableState(table)
        self.time = store.time
        self.version = store.stamp()
        self.channel = Channel(store.time)
        self.absences = Absences(self, store, lambda: services.deadlines.outages)
        self.visits = Visits(self, self.absences.look)
        self.chat = Chat(table.id, store, self.channel)
        self.bots = BotDriver(self)
        self.hints = Hints(services.worker, lambda seat: self.publish(for_seat=seat))
        self.consent = Consent(self)
        self.chart_job: ChartJob | None = None
        self.last_used = self.time.seconds()
        self.told: Told | None = None
        self._votes = BotVotes(self, self.bots, self.consent)
        self._private_versions: dict[int, int] = {}  # by seat, where a change for that seat alone is newer than ``version``

    @classmethod
    async def load(cls, game: Game, table: TableRow, services: Services) -> Room:
        """Return the room of a stored table. Its match is replayed from its entries."""
        room = cls(game, table, services)
        room._restore(await asyncio.to_thread(room._replay()))
        room.absences.load()
        room.let_bots_act()
        return room

    async def close(self) -> None:
        """Stop the bots and the searches for hints."""
        await self.bots.close()
        await self._votes.close()
        await self.hints.close()

    # ----------------------------------------------------------------------------------------------------------------- state

    @property
    def running_clocks(self) -> Clocks | None:
        """The clocks while the match is running; None without a clock, before the match, and after its end."""
        return self.state.running_clocks

    @property
    def deadline(self) -> datetime | None:
        """When the time of the first of the seats to move is up; None if no clock runs."""
        return None if self.running_clocks is None else self.running_clocks.deadline

    @property
    def is_closed(self) -> bool:
        """Whether the host has closed the table before its match."""
        return self.table.status == "closed"

    @property
    def has_two_sides(self) -> bool:
        """Whether two players or two sides play against each other, so that a resignation decides the match."""
        if self.match is not None:
            return len(self.match.parties) == 2
        return len(self.game.parties(len(self.table.seats), self.table.options)) == 2

    def running_match(self) -> Match:
        """Return the match. Refuse before its start, and if it was given up."""
        return self.state.running_match()

    def seat_of(self, guest: Guest) -> int:
        """Return the guest's seat. Refuse a guest without one."""
        return self.state.seat_of(guest)

    def check_visible(self, guest: Guest) -> None:
        """Refuse to show another player's attempt at today's puzzle before the guest has finished one. Raises WrongMoment."""
        check_visible(self.services.store, self.table, guest)

    # --------------------------------------------------------------------------------------------------------------- changes

    def change(self, edit: Edit[P], *args: P.args, **kwargs: P.kwargs) -> None:
        """Change the table by ``edit``, see ``hall.move``."""
        change(self, edit, *args, **kwargs)

    def change_table(self, change: Callable[[TableRow], TableRow]) -> None:
        """Change the table before the match; ``change`` may refuse."""
        self.change(waits.rearrange, self, change)

    def close_table(self) -> None:
        """Close the table before the match."""
        self.change_table(lambda table: replace(table, status="closed", finished_at=self.time.now()))

    def start(self) -> None:
        """Start the match with the seated players, as ``match_changes.start`` says."""
        self.change(match_changes.start, self)

    def let_time_be_up(self, job: Job) -> None:
        """Apply the table's rule for the end of the time of the seat to move. Raises NotUp if the time of no seat is up."""
        self.change(match_changes.let_time_be_up, job)

    async def request_hint(self, guest: Guest) -> RequestedHint:
        """Find the actions that the strongest bot would consider in the guest's place.

        The request is stored, and the record marks the next action as hinted. Until then the other players learn nothing of it.
        """
        self.change(match_changes.ask_for_hint, guest)
        seat = self.seat_of(guest)
        hint = self.hints.current(self.match, seat)
        if hint is None:
            hint = self.hints.request(self.running_match(), seat)
            self.publish(for_seat=seat)
        await asyncio.wait({hint.search})  # if the request is cancelled, the search goes on
        if hint.search.cancelled():
            raise Closing(_("The hall is closing for a moment. Ask again when it is back."))
        await hint.search
        return hint

    # ------------------------------------------------------------------------------------------------------------- restoring

    def _restore(self, state: TableState) -> None:
        """Begin with a state that was replayed."""
        self.state = state
        if self.match is not None and not self.match.steps:
            self.state.newcomers = self.services.store.transact(tables.newcomers, self.table)

    def _check_rules(self) -> None:
        """Refuse a match of another version of the rules. Raises OtherRules."""
        table = self.table
        if table.rules == self.game.version:
            return
        raise OtherRules(
            _(
                "This match started with version {old} of the rules of {game}; this server has version {new} now. "
                "It can't be continued or shown here."
            ).format(old=table.rules, new=self.game.version, game=self.game.title),
            table.id if table.status in FINISHED else "",
        )

    def _replay(self) -> Callable[[], TableState]:
        """Return a function that replays the stored match and returns its state, without asking the database.

        Raises OtherRules if the match began under another version of the rules: its replay would differ. The function raises
        DoesNotFit.
        """
        if self.table.status in ("gathering", "closed"):
            table = replace(self.table, options=todays_options(self.game, self.table.options))
            return partial(TableState, table, wait=self.services.store.transact(waits.wait_at, table.id))
        self._check_rules()
        found = self.services.store.transact(matches.entries_of, self.table.id)
        return partial(replayed_if_it_fits, self.game, self.table, found, self.services.deadlines.outages)

    def count_outages(self) -> None:
        """Count the clocks again if there is a new outage."""
        clocks = self.state.clocks
        if clocks is not None and clocks.outages != self.services.deadlines.outages:
            self.state = replace(self._replay()(), newcomers=self.state.newcomers)

    def refresh(self) -> None:
        """Take over what was stored about the table in another way than by a change of this room, and publish it."""
        table, before = self.services.store.transact(tables.find, self.table.id), self.table
        if table is None or table.version == before.version:
            return
        state = self.state.draft(self.time.now())
        if state.match is None:
            state.table = replace(table, options=before.options)
        else:
            state.follow(table, ())
        self.state = state
        seats = _private_seats(before, table)
        for seat in (None,) if seats is None else seats:
            self.publish(seat)
        self.let_bots_act()

    # ------------------------------------------------------------------------------------------------------------ publishing

    def let_bots_act(self) -> None:
        """Let the bots play if it is their turn, and answer an open proposal."""
        self.bots.play()
        self._votes.answer()

    def publish(self, for_seat: int | None = None) -> None:
        """Publish a change to all subscribers.

        With ``for_seat`` only the pages of that seat may see it. The others must not even learn that it happened.
        """
        now = self.services.store.stamp()
        if for_seat is not None:
            self._private_versions[for_seat] = max(self.version_for(for_seat) + 1, now)
            self.channel.publish(self.table.seats[for_seat].guests)
            return
        self.version = max(self.version, *self._private_versions.values(), now - 1) + 1
        self._private_versions.clear()
        self.bots.cancel_outdated_search()
        self.absences.look()
        if self.table.status in FINISHED:
            self.services.worker.forget(self.table.id)
            self.hints.clear()
        self.channel.publish()

    def version_for(self, seat: int | None) -> int:
        """Return the version that a seat, or a spectator (None), sees."""
        return self.version if seat is None else self._private_versions.get(seat, self.version)


def _private_seats(before: TableRow, after: TableRow) -> set[int] | None:
    """Return the seats that may learn of a change of a table; None if everyone may.

    Only the seat may learn that its player has another device.
    """
    if _without_devices(before) != _without_devices(after):
        return None
    return {old.seat for old, new in zip(before.seats, after.seats, strict=True) if old.guests != new.guests}


def _without_devices(table: TableRow) -> TableRow:
    """Return the table with one guest on each seat that has any, and without its version."""
    seats = tuple(replace(row, guests=frozenset({"a guest"} if row.guests else ())) for row in table.seats)
    return replace(table, seats=seats, version=0)
