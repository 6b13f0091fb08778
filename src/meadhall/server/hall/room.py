"""A room: one table and its match in this process, its guests, and what they see of it.

Every change of the table goes through ``hall.move``, one at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import Closing
from meadhall.server.hall import changes, move
from meadhall.server.hall.bots.bots import BotDriver
from meadhall.server.hall.bots.chart_queue import ChartJob
from meadhall.server.hall.bots.hints import Hints, RequestedHint
from meadhall.server.hall.consent.bot_votes import BotVotes
from meadhall.server.hall.consent.consent import Consent
from meadhall.server.hall.following import Follower
from meadhall.server.hall.notices.pubsub import Channel
from meadhall.server.hall.notices.visits import Visits
from meadhall.server.hall.replaying import Stop
from meadhall.server.hall.services import Services
from meadhall.server.hall.state import TableState
from meadhall.server.hall.talk.chat import Chat
from meadhall.server.hall.time.absences import Absences
from meadhall.server.hall.time.clocks import Clocks
from meadhall.server.store.models import FINISHED, Entry, Guest, Job, TableRow


class Room:
    """One table, its match, and its subscribers.

    Attributes:
        game: the game of the table.
        services: the services of the hall.
        state: the table and its match, as they are stored.
        lock: lets changes of the table come one at a time.
        version: rises with every change that everyone may see, also over restarts. A page keeps the newest version that it
            received; see ``version_for``.
        time: the time of the hall.
        channel: the open pages that show this table.
        visits: the guests who are here.
        follower: keeps the state at what other processes store.
        chat: the lines of its players and spectators.
        bots: plays for the seats that belong to bots.
        hints: the hints that seats have requested.
        consent: the proposals that people make to each other.
        absences: which players have no open page, and since when.
        chart_job: the chart of the match, after its end.
        last_used: when a request last needed this room, in seconds of the monotonic clock.
    """

    def __init__(self, game: Game, table: TableRow, services: Services) -> None:
        store = services.store
        self.game = game
        self.services = services
        self.state = TableState(table)
        self.lock = asyncio.Lock()
        self.time = store.time
        self.version = store.moment()
        self.channel = Channel(store.time)
        self.visits = Visits(self, services)
        self.follower = Follower(self, services)
        self.chat = Chat(table.id, store, self.channel)
        self.bots = BotDriver(self, services)
        self.hints = Hints(services.worker, self.publish_to)
        self.consent = Consent(self, services)
        self.absences = Absences(self, store, lambda: services.deadlines.standstills)
        self.chart_job: ChartJob | None = None
        self.last_used = self.time.seconds()
        self._votes = BotVotes(self, services)
        self._private_versions: dict[int, int] = {}  # by seat, where a change for that seat alone is newer than ``version``

    @classmethod
    async def load(cls, game: Game, table: TableRow, services: Services) -> Room:
        """Return the room of a stored table. Its match is replayed from its entries."""
        room = cls(game, table, services)
        await room.follower.restore(table)
        await room.absences.load()
        room.let_bots_act()
        return room

    async def close(self) -> None:
        """Stop the bots and the searches for hints."""
        self.follower.close()
        await self.bots.close()
        await self._votes.close()
        await self.hints.close()

    # ----------------------------------------------------------------------------------------------------------------- state

    @property
    def table(self) -> TableRow:
        """The stored table."""
        return self.state.table

    @property
    def match(self) -> Match | None:
        """The match; None before the start."""
        return self.state.match

    @property
    def clocks(self) -> Clocks | None:
        """The clocks of the match; None without a clock, and before the start."""
        return self.state.clocks

    @property
    def entry_count(self) -> int:
        """The number of stored entries of the match."""
        return self.state.entry_count

    @property
    def newcomers(self) -> frozenset[int]:
        """The seats whose guests play this game for the first time."""
        return self.state.newcomers

    @property
    def stop(self) -> Stop | None:
        """Where changed rules ended the replay of a running match, in development mode."""
        return self.state.stop

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

    # --------------------------------------------------------------------------------------------------------------- changes

    async def change(self, edit: move.Edit, for_seat: int | None = None) -> None:
        """Change the table, and publish that to everyone, or ``for_seat`` alone. See ``hall.move.change``."""
        await move.change(self, edit, for_seat)

    async def change_table(self, change: Callable[[TableRow], TableRow]) -> None:
        """Change the table before the match; ``change`` may refuse."""
        await self.change(partial(changes.rearrange, change=change))

    async def close_table(self) -> None:
        """Close the table before the match."""
        await self.change_table(lambda table: replace(table, status="closed", finished_at=self.time.now()))

    async def start(self, played: Sequence[Entry] = ()) -> None:
        """Start the match with the seated players, as ``changes.start`` says."""
        await self.change(partial(changes.start, room=self, played=played))
        await self.services.leases.claim(self.table.id)
        self.let_bots_act()

    async def act(self, guest: Guest, action: Any, number: int | None = None) -> None:
        """Play an action for the guest's seat. Refuse if its number in the match would not be ``number``."""
        await move.act(self, guest, action, number)

    async def undo(self, guest: Guest, number: int | None = None) -> None:
        """Take back the guest's last decision, which has this number (None: any), and the actions of bots since then."""
        await self.change(partial(changes.take_back, guest=guest, number=number))

    async def request_hint(self, guest: Guest) -> RequestedHint:
        """Find the actions that the strongest bot would consider in the guest's place.

        The request is stored, and the record marks the next action as hinted. Until then the other players learn nothing of it.
        """
        seat = self.seat_of(guest)
        self.running_match()
        if not self.state.is_hinted(seat):
            await self.change(partial(changes.ask_for_hint, guest=guest), for_seat=seat)
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
        """Give up the guest's seat."""
        await self.change(partial(changes.resign, guest=guest))

    async def let_time_be_up(self, job: Job) -> None:
        """Apply the table's rule for the end of the time of the seat to move. Raises NotUp if the time of no seat is up."""
        await self.change(partial(changes.let_time_be_up, job=job))

    async def let_bot_play(self, guest: Guest, seat: int) -> None:
        """Let a bot play for an absent player until the player returns. Any other person at the match may ask for it.

        Change nothing if a bot plays there already: the request may be repeated.
        """
        if seat not in self.running_match().stand_ins:
            await self.change(partial(changes.let_bot_play, room=self, guest=guest, seat=seat))

    async def take_back_seat(self, guest: Guest) -> None:
        """Give a seat back from a bot to its owner. Change nothing if the owner plays already: the request may be repeated."""
        seat, match = self.seat_of(guest), self.running_match()
        if match.over or seat in match.stand_ins:
            await self.change(partial(changes.take_back_seat, guest=guest))

    async def carry_seat(self, seat: int, guest: Guest) -> None:
        """Share a seat with ``guest``, the same person on another device, and show its pages how many devices hold it."""
        await self.change(partial(changes.carry_seat, seat=seat, guest=guest), for_seat=seat)

    async def renew_link(self, guest: Guest) -> None:
        """Give the guest's seat another private link. Other devices lose the seat, and the old link leads nowhere."""
        await self.change(partial(changes.renew_link, guest=guest))

    async def open_rematch(self, guest: Guest, rematch: Callable[[TableRow], TableRow], instead_of: str | None = None) -> str:
        """Return the table id of the rematch. Open the table that ``rematch`` makes, if there is none. Refuse spectators.

        ``instead_of``: the id of a rematch that was closed; another one is opened in its place.
        """
        await self.change(partial(changes.open_rematch, guest=guest, rematch=rematch, instead_of=instead_of))
        assert self.table.rematch is not None
        return self.table.rematch

    async def count_standstills(self) -> None:
        """Count the time since the beginning of a new standstill again, and publish it."""
        async with self.lock:
            await self.follower.count_standstills()
        self.publish()

    async def reload(self, game: Game) -> None:
        """Replay the match by a game that was imported again, as far as its rules allow the actions.

        Raises whatever the new rules raise at the setup. Then the room keeps the earlier game.
        """
        await self.bots.close()
        async with self.lock:
            before, self.game = self.game, game
            try:
                await self.follower.restore(self.table)
            except Exception:
                self.game = before
                raise
        self.hints.clear()
        self.publish()
        self.let_bots_act()

    # ------------------------------------------------------------------------------------------------------------ publishing

    def let_bots_act(self) -> None:
        """Let the bots play if it is their turn, and answer an open proposal."""
        if self.stop is None:
            self.bots.play()
            self._votes.answer()

    def publish(self, moment: int | None = None) -> None:
        """Publish a change that everyone may see to all subscribers. ``moment``: when it was made; None: now."""
        now = self.services.store.moment() if moment is None else moment
        self.version = max(self.version, *self._private_versions.values(), now - 1) + 1
        self._private_versions.clear()
        self.bots.cancel_outdated_search()
        self.absences.look()
        if self.table.status in FINISHED:
            self.services.worker.forget(self.table.id)
            self.hints.clear()
        self.channel.publish()

    def publish_to(self, seat: int) -> None:
        """Publish a change to the pages of the one seat that may see it. The others must not even learn that it happened."""
        self._private_versions[seat] = max(self.version_for(seat) + 1, self.services.store.moment())
        self.channel.publish(self.table.seats[seat].guests)

    def version_for(self, seat: int | None) -> int:
        """Return the version that a seat, or a spectator (None), sees."""
        return self.version if seat is None else self._private_versions.get(seat, self.version)
