"""The hall: all rooms of this process, and what is done across tables."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from time import monotonic
from typing import Any

from meadhall.bots import UnknownBot, bot_names
from meadhall.bots.ranks import HUSCARL
from meadhall.engine import chance
from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.game import Document, Game, game, game_names
from meadhall.engine.language import gettext as _
from meadhall.server.errors import DatabaseAway, NotFound, NotSeated, TooMany, WrongMoment
from meadhall.server.hall.chart_queue import Charts
from meadhall.server.hall.daily_outcomes import Deals
from meadhall.server.hall.names import bot_name, clean_name
from meadhall.server.hall.pubsub import Turns
from meadhall.server.hall.readiness import Readiness
from meadhall.server.hall.room import Room
from meadhall.server.hall.uploads import Readings
from meadhall.server.settings import Settings
from meadhall.server.store.store import Guest, SeatRow, Store, TableRow, new_id, new_key, now
from meadhall.server.worker.client import Thinker
from meadhall.server.worker.threads import beside

log = logging.getLogger(__name__)

_ROOMS_KEPT = 2000
"""How many rooms stay in memory; beyond that the ones that nobody watches, nor has just come for, are let go. They come back from
the store."""

_IN_USE = 60.0
"""Seconds for which a room stays at least after somebody came for it: whatever they do there is done by then."""

_AGAIN = 5.0
"""Seconds before the database is asked again when it did not answer."""


@dataclass
class _Loading:
    lock: asyncio.Lock
    waiting: int = 0


class Hall:
    """Everything that the pages and the API act on."""

    def __init__(self, settings: Settings, store: Store, thinker: Thinker) -> None:
        self.settings = settings
        self.store = store
        self.thinker = thinker
        self.ready = Readiness(thinker)
        self.closing = asyncio.Event()
        self._rooms: OrderedDict[str, Room] = OrderedDict()  # who was last come for last
        self._turns = Turns()
        self.charts = Charts(thinker)
        self.deals = Deals(thinker)
        self.readings = Readings()
        self._loading: dict[str, _Loading] = {}
        self._opening = asyncio.Lock()

    # ---------------------------------------------------------------------------------------------------------------- rooms

    async def room(self, id: str) -> Room:
        """The room of a table. Refuses when there is none."""
        if id not in self._rooms:
            async with self._only_loader(id):
                if id not in self._rooms:
                    self._rooms[id] = await self._load(id)
        room = self._rooms[id]
        room.used = monotonic()
        self._rooms.move_to_end(id)
        return room

    async def _load(self, id: str) -> Room:
        table = await self.store.table(id)
        if table is None:
            raise NotFound(_("There is no such table here."))
        self.ready.check(table.game)
        self._make_room()
        return await Room.load(game(table.game), table, self.store, self.thinker, self._turns, self.settings.bot_pause)

    @asynccontextmanager
    async def _only_loader(self, id: str) -> Any:
        """Two requests for the same table load it once."""
        loading = self._loading.setdefault(id, _Loading(asyncio.Lock()))
        loading.waiting += 1
        try:
            async with loading.lock:
                yield
        finally:
            loading.waiting -= 1
            if loading.waiting == 0:
                self._loading.pop(id, None)

    def _make_room(self) -> None:
        if len(self._rooms) >= _ROOMS_KEPT:
            idle = [id for id, room in self._rooms.items() if _is_idle(room)]
            for id in idle[: len(self._rooms) - _ROOMS_KEPT + 1]:
                del self._rooms[id]
                self.thinker.tell("forget", id)

    def can_show(self, table: TableRow) -> bool:
        """Whether the table's match can be played again here and now: its game is ready, and its rules are still the same."""
        return table.game in self.ready and table.rules == game(table.game).version

    def rooms(self) -> Sequence[Room]:
        """The rooms in memory."""
        return tuple(self._rooms.values())

    async def resume(self, name: str) -> None:
        """Let the bots of a game go on where a restart has interrupted them."""
        for id in await self._interrupted(name):
            try:
                (await self.room(id)).used = -inf  # nobody has come for it
            except MeadhallError as error:
                log.warning("table %s is not resumed: %s", id, error)
            except Exception:
                log.exception("table %s could not be resumed", id)

    async def _interrupted(self, name: str) -> list[str]:
        """The tables where bots of a game may be to decide, once the database answers."""
        while True:
            try:
                return await self.store.running_with_bots(name)
            except DatabaseAway:
                await asyncio.sleep(_AGAIN)

    async def close(self) -> None:
        """Let everybody go."""
        self.closing.set()
        for room in self._rooms.values():
            room.hub.wake()
            await room.close()
        await self.charts.close()
        await self.thinker.close()

    # ----------------------------------------------------------------------------------------------------------- new tables

    async def open_table(
        self,
        host: Guest,
        name: str,
        players: int | None = None,
        options: Mapping[str, Any] | None = None,
        bots: Sequence[str] = (),
        public: bool = True,
    ) -> Room:
        """A new table: the host on seat 0, then the bots, the rest open. Refuses what the game can't be played with."""
        subject = game(name)
        self.ready.check(name)
        count = subject.check_players(players if players is not None else max(subject.min_players, 1 + len(bots)))
        if len(bots) >= count:
            raise BadSetup(_("There are more bots than seats."))
        host = await self.store.save_guest(host)
        seats = [SeatRow(0, "human", host.name, None, frozenset({host.id}), new_key())]
        for seat, rank in enumerate(bots, 1):
            seats.append(bot_seat(subject, seat, rank))
        chosen = await beside(subject.check_options, options or {})
        if len(seats) == count:
            subject.check_setup(count, chosen)  # it begins at once
        seats += [open_seat(seat) for seat in range(len(seats), count)]
        table = TableRow(
            id=new_id(),
            game=name,
            rules=subject.version,
            options=chosen,
            status="gathering",
            host=host.id,
            public=public,
            seed=chance.new_seed(),
            created=now(),
            seats=tuple(seats),
        )
        await self._add_within_limit(table)
        return await self.room(table.id)

    async def _add_within_limit(self, table: TableRow) -> None:
        """Store a new table. Refuses who hosts too many; of several that a guest opens at once, each counts those before."""
        async with self._opening:
            rules = {name: game(name).version for name in game_names()}
            if await self.store.count_unfinished(table.host, rules) >= self.settings.tables_per_guest:
                raise TooMany(_("You host too many unfinished tables; finish one first."))
            await self.store.add_table(table)

    async def play_now(self, host: Guest, name: str, players: int | None = None) -> Room:
        """A table against bots, begun at once."""
        subject = game(name)
        count = subject.check_players(players if players is not None else min(4, subject.max_players))
        room = await self.open_table(host, name, count, bots=[HUSCARL.name] * (count - 1), public=False)
        await room.start()
        return room

    async def rematch(self, room: Room, guest: Guest) -> Room:
        """The same people, bots and options once more: the first to ask opens the table, the others find their seats there."""

        def once_more(old: TableRow) -> TableRow:
            return replace(
                old,
                id=new_id(),
                rules=room.game.version,
                status="gathering",
                host=guest.id,
                seed=chance.new_seed(),
                created=now(),
                started=None,
                finished=None,
                abandoned=None,
                seats=tuple(replace(seat, key=new_key()) for seat in old.seats),
                version=0,
            )

        again = await self.room(await room.open_rematch(guest, once_more))
        if sum(seat.kind == "human" for seat in again.table.seats) == 1 and again.table.status == "gathering":
            await again.start()
        return again

    # ------------------------------------------------------------------------------------------------- seats at a new table

    async def join(self, room: Room, guest: Guest, seat: int | None = None) -> int:
        """Sit down: on ``seat``, or the first that is open. Refuses when it is taken."""
        guest = await self.store.save_guest(guest)
        taken: list[int] = []

        def sit(table: TableRow) -> TableRow:
            mine = table.seat_of(guest.id)
            if mine is not None and seat is None:
                taken.append(mine)
                return table
            choice = seat if seat is not None else next((row.seat for row in table.seats if row.kind == "open"), None)
            if choice is None:
                raise WrongMoment(_("All seats are taken."))
            row = _row(table, choice)
            if row.kind != "open":
                raise WrongMoment(_("That seat is taken."))
            taken.append(choice)
            if mine is not None:
                table = table.replace_seat(open_seat(mine))
            return table.replace_seat(
                replace(row, kind="human", name=_unlike_others(table, guest.name), guests=frozenset({guest.id}))
            )

        await room.change_table(sit)
        return taken[-1]

    async def leave(self, room: Room, guest: Guest) -> None:
        """Stand up again before the match."""
        await room.change_table(lambda table: table.replace_seat(open_seat(room.seat_of(guest))))

    async def start(self, room: Room, guest: Guest) -> None:
        """Begin the match; its host says when."""
        self._check_host(room, guest)
        await room.start()

    async def arrange(self, room: Room, guest: Guest, change: Callable[[TableRow], TableRow]) -> None:
        """Change something at the table that only its host may change."""
        self._check_host(room, guest)
        await room.change_table(change)

    async def bring(self, room: Room, guest: Guest, name: str, content: bytes | None) -> None:
        """Play with a document that the host brings for the option of that name; None: with the built-in one again."""
        self._check_host(room, guest)
        option = document_of(room.game, name)
        value = option.default if content is None else await beside(option.check, content)
        await room.change_table(with_options(room.game, {name: value}))

    def _check_host(self, room: Room, guest: Guest) -> None:
        if room.table.host != guest.id:
            raise NotSeated(_("Only the host of the table can do that."))

    # -------------------------------------------------------------------------------------------------------- afterwards

    def want_chart(self, room: Room) -> None:
        """Have the chart of a finished match drawn, unless it is there already. A puzzle of the day ends without one."""
        match = room.match
        if match is not None and match.ended and match.steps and room.table.daily is None:
            watched = partial(bool, room.hub)
            room.drawing = self.charts.chart(room.table.id, match, done=room.look_again, watched=watched)


def _is_idle(room: Room) -> bool:
    return len(room.hub) == 0 and room.bot_to_decide() is None and monotonic() - room.used > _IN_USE


def with_bot(subject: Game, seat: int, rank: str) -> Callable[[TableRow], TableRow]:
    """The change that puts a bot on a seat."""

    def change(table: TableRow) -> TableRow:
        row = _row(table, seat)
        if row.kind == "human":
            raise WrongMoment(_("Somebody sits there."))
        return table.replace_seat(bot_seat(subject, seat, rank))

    return change


def emptied(seat: int) -> Callable[[TableRow], TableRow]:
    """The change that frees a seat, whoever sat there."""
    return lambda table: table.replace_seat(open_seat(_row(table, seat).seat))


def resized(subject: Game, players: int) -> Callable[[TableRow], TableRow]:
    """The change to another number of seats: open ones and bots give way, the last first; people don't."""

    def change(table: TableRow) -> TableRow:
        subject.check_players(players)
        seats = list(table.seats)
        for row in reversed(table.seats):
            if len(seats) > players and row.kind != "human":
                seats.remove(row)
        if len(seats) > players:
            raise WrongMoment(_("More people than that are seated."))
        rows = [replace(row, seat=seat) for seat, row in enumerate(seats)]
        return replace(table, seats=tuple(rows + [open_seat(seat) for seat in range(len(rows), players)]))

    return change


def without_seat(subject: Game, seat: int) -> Callable[[TableRow], TableRow]:
    """The change that takes a seat away."""

    def change(table: TableRow) -> TableRow:
        row = _row(table, seat)
        if row.kind == "human":
            raise WrongMoment(_("Somebody sits there."))
        subject.check_players(len(table.seats) - 1)
        left = [other for other in table.seats if other is not row]
        return replace(table, seats=tuple(replace(other, seat=k) for k, other in enumerate(left)))

    return change


def with_options(subject: Game, options: Mapping[str, Any]) -> Callable[[TableRow], TableRow]:
    """The change of some options."""
    return lambda table: replace(table, options=subject.check_options({**table.options, **options}))


def document_of(subject: Game, name: str) -> Document[Any]:
    """The option of that name, a document. Refuses what is none."""
    for option in subject.options:
        if option.name == name and isinstance(option, Document):
            return option
    raise NotFound(_("There is no such document of this game."))


def listed(public: bool) -> Callable[[TableRow], TableRow]:
    """The change that lists the table in the hall, or takes it off the list."""
    return lambda table: replace(table, public=public)


def open_seat(seat: int) -> SeatRow:
    """A seat that anybody may take."""
    return SeatRow(seat, "open", "", None, frozenset(), new_key())


def bot_seat(subject: Game, seat: int, rank: str) -> SeatRow:
    """A seat with a bot on it."""
    if rank not in bot_names(subject):
        raise UnknownBot(f"{subject.title} has no bot {rank!r}; it has: {', '.join(bot_names(subject))}")
    return SeatRow(seat, "bot", bot_name(seat), rank, frozenset(), new_key())


def _row(table: TableRow, seat: int) -> SeatRow:
    if not 0 <= seat < len(table.seats):
        raise BadSetup(_("There is no seat {seat}.").format(seat=seat))
    return table.seats[seat]


def _unlike_others(table: TableRow, name: str) -> str:
    """The name, numbered when somebody at the table is called so already."""
    taken = {seat.name for seat in table.seats}
    return next(candidate for k in range(1, 99) if (candidate := name if k == 1 else f"{clean_name(name)[:20]} {k}") not in taken)
