"""A room: one table and its match in this process. All that changes it goes through here, one at a time.

What happens to an action: check it and apply it to a copy, append it to the store, and only when that is committed take the copy
for the truth and wake everybody who watches.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from meadhall.bots import Hint
from meadhall.bots.ranks import JARL
from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.game import Game
from meadhall.engine.language import gettext as _
from meadhall.engine.match import Match, Seat, View
from meadhall.server.errors import DatabaseAway, NotSeated, OtherRules, Stale, WrongMoment
from meadhall.server.hall.chart_queue import Drawing
from meadhall.server.hall.pubsub import Hub, Turns, Watcher
from meadhall.server.store.store import FINISHED, Conflict, Entry, Guest, SeatRow, Store, TableRow, now
from meadhall.server.worker.client import Thinker
from meadhall.server.worker.threads import beside

log = logging.getLogger(__name__)

_TRIES = 3
"""How often a change is tried when another process has written first."""

_WAITING_KEPT = 32

_LONGEST = 3.8
"""Seconds after which a bot plays at the latest, whatever there was to think of or to look at: people see it within four."""

_READ_AT_ONCE = 3
"""How many events people take in while a bot seems to think; for more they are given more time."""

_BREATH = 1.0
"""Seconds before the next try when even ``random`` could not play, e.g. because the database is away."""


@dataclass(frozen=True)
class AskedHint:
    """A hint that a seat has asked for: of which decision, as the seat saw it, and the thinking of it."""

    view: View
    decision: int
    thinking: asyncio.Task[tuple[Hint, ...]]

    @property
    def given(self) -> tuple[Hint, ...]:
        """What came of it; nothing yet while it is being thought of, and for ever if that failed."""
        failed = not self.thinking.done() or self.thinking.cancelled() or self.thinking.exception() is not None
        return () if failed else self.thinking.result()


class Room:
    """One table.

    Attributes:
        table: what is known of it; ``match`` its match, None while the players gather.
        hub: who watches.
        used: when somebody last came for it, in seconds of the monotonic clock.
        version: rises with every change that can be seen, over restarts too: a page keeps to the newest it was sent.
    """

    def __init__(self, game: Game, table: TableRow, store: Store, thinker: Thinker, turns: Turns, bot_pause: float) -> None:
        self.game = game
        self.table = table
        self.match: Match | None = None
        self.hub = Hub(turns)
        self.used = time.monotonic()
        self.version = _moment()
        self.cache: dict[Any, Any] = {}  # whatever was rendered of this version
        self.waiting: dict[Any, bytes] = {}  # what the private parts of waiting seats look like
        self.drawing: Drawing | None = None  # the chart of the match, once it is over
        self._entries = 0
        self._asked: set[tuple[int, bytes]] = set()  # the seats that have asked for a hint, and what they saw of the position
        self._advice: dict[int, AskedHint] = {}  # by seat
        self._store = store
        self._thinker = thinker
        self._turns = turns
        self._bot_pause = bot_pause
        self._lock = asyncio.Lock()
        self._bots: asyncio.Task[None] | None = None
        self._thought: tuple[int, asyncio.Task[int]] | None = None  # after which entry, and what a bot thinks of then

    @classmethod
    async def load(cls, game: Game, table: TableRow, store: Store, thinker: Thinker, turns: Turns, bot_pause: float) -> Room:
        """The room of a stored table, its match played again from its entries."""
        room = cls(game, table, store, thinker, turns, bot_pause)
        await room._take(table)
        room.let_bots_play()
        return room

    # ------------------------------------------------------------------------------------------------------------ gathering

    async def change_table(self, change: Callable[[TableRow], TableRow]) -> None:
        """Change the table while the players gather; ``change`` may refuse."""

        async def save() -> None:
            self._check_gathering()
            self.table = await self._store.save_table(change(self.table))

        await self._write(save)

    async def start(self) -> None:
        """Begin the match with those who are seated."""

        async def begin() -> None:
            self._check_gathering()
            if any(seat.kind == "open" for seat in self.table.seats):
                raise WrongMoment(_("A seat is still empty: fill it or take it away."))
            begun = replace(self.table, status="running", started=now(), rules=self.game.version)
            match = new_match(self.game, begun)
            self.table = await self._store.save_table(begun)
            self.match = match

        await self._write(begin)

    def _check_gathering(self) -> None:
        if self.table.status != "gathering":
            raise WrongMoment(_("The match has begun already."))

    # ---------------------------------------------------------------------------------------------------------------- playing

    def running_match(self) -> Match:
        """The match. Refuses before it has begun and when it was given up."""
        if self.match is None:
            raise WrongMoment(_("The match has not begun yet."))
        if self.table.status == "abandoned":
            raise WrongMoment(_("The match was given up."))
        return self.match

    def seat_of(self, guest: Guest) -> int:
        """The guest's seat. Refuses who has none."""
        seat = self.table.seat_of(guest.id)
        if seat is None:
            raise NotSeated(_("You have no seat at this table: you are watching."))
        return seat

    async def act(self, guest: Guest, action: Any, number: int | None = None) -> None:
        """Play an action for the guest's seat. ``number``: the one that the guest's page expects it to have."""

        def play(match: Match) -> Entry:
            seat = self.seat_of(guest)
            self._check_number(match, number)
            hinted = bool(self._asked) and (seat, match.information_set(seat)) in self._asked
            match.play(action, seat, hinted=hinted)
            return Entry(self._entries + 1, "hinted" if hinted else "action", seat, match.steps[-1].action)

        await self._append(play)

    async def undo(self, guest: Guest, number: int | None = None) -> None:
        """Take back the guest's last action, as long as nothing was revealed since."""

        def take_back(match: Match) -> Entry:
            seat = self.seat_of(guest)
            self._check_number(match, number)
            if match.over:
                raise WrongMoment(_("The match is over."))
            if match.steps and match.steps[-1].seat != seat:
                raise NotSeated(_("The last action was not yours to take back."))
            match.undo()
            return Entry(self._entries + 1, "undo", seat, 1)

        await self._append(take_back)

    def _check_number(self, match: Match, number: int | None) -> None:
        if number is not None and number != match.next_number:
            raise Stale(_("The game has moved on since: look again and choose."))

    async def _append(self, change: Callable[[Match], Entry]) -> None:
        """Check and apply ``change`` on a copy, persist it, then make it true."""
        await self._turns.turn()

        async def append() -> None:
            twin = self.running_match().copy()
            entry = change(twin)
            await self._store.append(self.table.id, entry, twin.over, self.table.version)
            self.match = twin
            self._entries = entry.entry
            self._asked |= asked(entry, twin)
            if twin.over:
                self.table = replace(self.table, status="over", finished=now(), version=self.table.version + 1)

        await self._write(append)

    async def resign(self, guest: Guest) -> None:
        """Leave a running match: a bot takes the seat. When no person is left, the match is given up."""

        async def give_up() -> None:
            match = self.running_match()
            if match.over:
                raise WrongMoment(_("The match is over."))
            seat = self.seat_of(guest)
            name = JARL.name
            left = self.table.seats[seat]
            table = self.table.replace_seat(replace(left, kind="bot", bot=name, guests=frozenset()))
            if not any(other.kind == "human" for other in table.seats):
                table = replace(table, status="abandoned", finished=now(), abandoned="everybody left")
            self.table = await self._store.save_table(table)
            match.rename(seat, Seat(left.name, "bot", name))
            if table.abandoned is not None:
                match.abandon(table.abandoned)

        await self._write(give_up)

    async def carry_seat(self, seat: int, guest: Guest) -> None:
        """Let the seat belong to ``guest`` too: the same person on another device. Refuses who has another seat here."""

        async def carry() -> None:
            if self.table.seat_of(guest.id) not in (None, seat):
                raise WrongMoment(_("You have another seat at this table."))
            row = next((row for row in self.table.seats if row.seat == seat and row.kind == "human"), None)
            if row is None:
                raise WrongMoment(_("Nobody sits there any more."))
            self.table = await self._store.save_table(self.table.replace_seat(replace(row, guests=row.guests | {guest.id})))

        await self._write(carry)

    async def open_rematch(self, guest: Guest, rematch: Callable[[TableRow], TableRow]) -> str:
        """Open the table of the rematch for somebody who played, unless there is one already; its id. ``rematch`` makes one."""

        async def save() -> None:
            if self.table.status not in FINISHED:
                raise WrongMoment(_("The match is not over yet."))
            self.seat_of(guest)
            if self.table.rematch is None:
                self.table = await self._store.add_rematch(self.table, rematch(self.table))

        await self._write(save)
        assert self.table.rematch is not None
        return self.table.rematch

    # --------------------------------------------------------------------------------------------------------------- writing

    async def _write(self, attempt: Callable[[], Awaitable[None]]) -> None:
        """Let ``attempt`` check, persist and make true a change, and tell of it. When another process was first, look again."""
        async with self._lock:
            for tries_left in reversed(range(_TRIES)):
                try:
                    await attempt()
                    break
                except (Conflict, MeadhallError) as error:
                    if isinstance(error, MeadhallError) and not await self._is_behind():
                        raise
                    await self._reload()
                    self._changed()
                    self.let_bots_play()
                    if not tries_left:
                        raise Stale(_("The game has moved on since: look again and choose.")) from None
        self._changed()
        self.let_bots_play()

    async def _is_behind(self) -> bool:
        """Whether another process has written what this one has not heard of: then nothing is refused before it has looked."""
        if not self._store.shared:
            return False
        stored = await self._store.table(self.table.id)
        assert stored is not None
        return stored.version != self.table.version or await self._store.count_entries(self.table.id) > self._entries

    async def _reload(self) -> None:
        """Take the table from the store anew."""
        table = await self._store.table(self.table.id)
        assert table is not None
        await self._take(table)

    async def _take(self, table: TableRow) -> None:
        """Take a table as it was stored, and play its match again, if it has begun. Refuses a match of other rules than today's:
        it would become another match.
        """
        if table.status == "gathering":
            self.table = replace(table, options=await beside(todays_options, self.game, table.options))
            return
        if table.rules != self.game.version:
            raise OtherRules(
                _("This match was begun under version {old} of the rules of {game}; the hall plays version {new} now.").format(
                    old=table.rules, new=self.game.version, game=self.game.title
                )
            )
        entries = await self._store.entries(table.id)
        match, hinted = await asyncio.to_thread(replayed, self.game, table, entries)
        self.table, self.match, self._entries, self._asked = table, match, len(entries), hinted

    # ------------------------------------------------------------------------------------------------------------------- bots

    def bot_to_decide(self) -> SeatRow | None:
        """The bot that is to decide now, if it is one."""
        if self.match is None or self.table.status != "running" or self.match.actor is None:
            return None
        seat = self.table.seats[self.match.actor]
        return seat if seat.kind == "bot" else None

    def let_bots_play(self) -> None:
        """See to it that bots play as long as one is to decide."""
        if self.bot_to_decide() is not None and (self._bots is None or self._bots.done()):
            self._bots = asyncio.create_task(self._play_bots())

    async def _play_bots(self) -> None:
        while (seat := self.bot_to_decide()) is not None:
            await self._play_bot(seat)

    def _pause(self) -> float:
        """Seconds that a bot seems to think: the longer, the more has just happened that people are still looking at."""
        assert self.match is not None
        happened = len(self.match.steps[-1].events) if self.match.steps else 0
        pause = self._bot_pause * random.uniform(0.7, 1.3) * max(1.0, happened / _READ_AT_ONCE)
        return min(pause, max(_LONGEST, self._bot_pause))

    async def _play_bot(self, seat: SeatRow) -> None:
        """One decision of a bot. If it fails, the game's heuristics decide in its place, or anything that is legal."""
        match, entries = self.running_match(), self._entries
        until = asyncio.get_running_loop().time() + self._pause()

        def play(match: Match, action: int) -> Entry:
            if self._entries != entries:
                raise Stale(_("The game has moved on since: look again and choose."))
            match.play(action, seat.seat)
            return Entry(entries + 1, "action", seat.seat, action)

        heuristics = ["greedy"] if self.game.greedy is not None else []
        for name in dict.fromkeys([seat.bot or "random", *heuristics, "random"]):
            self._thought = entries, asyncio.create_task(self._think(match, seat.seat, name, until))
            try:
                await self._append(partial(play, action=await self._thought[1]))
            except (Stale, WrongMoment):  # somebody has taken back an action, or everybody has left, while it was stored
                return
            except asyncio.CancelledError:
                if _is_cancelled():
                    raise
                return  # the same, while it thought
            except DatabaseAway:
                break
            except TimeoutError:
                log.warning("table %s: bot %s on seat %s took too long", self.table.id, name, seat.seat)
            except Exception:
                log.exception(
                    "table %s: bot %s on seat %s failed at action %s", self.table.id, name, seat.seat, match.next_number
                )
            else:
                return
            finally:
                self._thought = None
        await asyncio.sleep(_BREATH)

    async def _think(self, match: Match, seat: int, name: str, until: float) -> int:
        """What a bot does, thought of beside the event loop while people look at what has happened, and told at ``until``."""
        await self._thinker.ask("prepare", self.game.name)  # at once, unless what thinks has just begun: that is not thinking
        async with asyncio.timeout(_LONGEST):
            action: int = await self._thinker.ask("choose", self.table.id, name, match.view(seat))
        await asyncio.sleep(until - asyncio.get_running_loop().time())
        return action

    # ------------------------------------------------------------------------------------------------------------------ hints

    async def hint(self, guest: Guest) -> AskedHint:
        """What the strongest bot would consider in the guest's place. That it was asked for is stored, and marks the action."""

        def ask(match: Match) -> Entry:
            seat = self.seat_of(guest)
            if match.actor != seat:
                raise WrongMoment(_("There is nothing for you to decide now."))
            return Entry(self._entries + 1, "hint", seat, match.decision)

        seat = self.seat_of(guest)
        if (seat, self.running_match().information_set(seat)) not in self._asked:
            await self._append(ask)
        advice = self.asked_hint(seat)
        if advice is None:
            view, before = self.running_match().view(seat), self._advice.get(seat)
            thinking = asyncio.create_task(self._advise(view, before))
            advice = self._advice[seat] = AskedHint(view, self.running_match().decision, thinking)
            self._changed()
        await asyncio.shield(advice.thinking)
        return advice

    async def _advise(self, view: View, before: AskedHint | None) -> tuple[Hint, ...]:
        if before is not None:  # one at a time
            await asyncio.wait({before.thinking})
        try:
            given: tuple[Hint, ...] = await self._thinker.ask("hint", view)
            return given
        except Exception:
            latest = self._advice.get(view.viewer)
            if latest is not None and latest.thinking is asyncio.current_task():
                del self._advice[view.viewer]
            raise
        finally:
            asyncio.get_running_loop().call_soon(self._changed)

    def asked_hint(self, seat: int) -> AskedHint | None:
        """The hint that a seat has asked for at the decision that it is to make now."""
        match, found = self.match, self._advice.get(seat)
        current = match is not None and found is not None and (match.actor, match.decision) == (seat, found.decision)
        return found if current else None

    # --------------------------------------------------------------------------------------------------------------- watching

    def _changed(self) -> None:
        self.version = max(self.version + 1, _moment())
        self.cache.clear()
        if self._thought is not None and (self._thought[0] != self._entries or self.table.status != "running"):
            self._thought[1].cancel()
        if self.table.status in FINISHED:
            self._thinker.tell("forget", self.table.id)
            self._advice.clear()
        self.hub.wake()

    def keep_waiting(self, key: Any, rendered: bytes) -> None:
        """Remember what a waiting seat's private part looks like; forget old ones when there are many."""
        if len(self.waiting) >= _WAITING_KEPT:
            self.waiting.clear()
        self.waiting[key] = rendered

    def look_again(self) -> None:
        """Something outside the match that can be seen has changed."""
        self._changed()

    def here(self) -> Counter[int | None]:
        """How many pages are open for each seat; None counts those of spectators."""
        return Counter(self.table.seat_of(guest) for guest in self.hub.guests().elements())

    @contextmanager
    def watching(self, guest: str) -> Iterator[Watcher]:
        """Watch as the guest with that id, seen by the others as long as the block lasts."""
        with self.hub.watching(guest) as watcher:
            self._came_or_left(guest)
            try:
                yield watcher
            finally:
                self._came_or_left(guest)

    def _came_or_left(self, guest: str) -> None:
        """A guest has opened or closed a page here. Spectators are only counted at the next change."""
        seat = self.table.seat_of(guest)
        if seat is not None and self.here()[seat] <= 1:
            self._changed()

    async def close(self) -> None:
        """Stop the bots, and let go of what they have thought."""
        tasks = [task for task in (self._bots, *(advice.thinking for advice in self._advice.values())) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._thinker.tell("forget", self.table.id)


def _is_cancelled() -> bool:
    """Whether this task itself is to end, not only what it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _moment() -> int:
    """Milliseconds, so that versions of before a restart are lower."""
    return time.time_ns() // 1_000_000


def todays_options(game: Game, stored: Mapping[str, Any]) -> dict[str, Any]:
    """What was chosen of the options that the game has now; where that is none of an option's values any more, the default."""
    chosen = {}
    for option in game.options:
        with suppress(BadSetup):
            chosen[option.name] = option.check(stored.get(option.name, option.default))
    return game.check_options(chosen)


def new_match(game: Game, table: TableRow) -> Match:
    """The match of a table, at its beginning."""
    return Match(
        game,
        players=len(table.seats),
        seed=table.seed,
        seats=[Seat(seat.name, "bot" if seat.kind == "bot" else "human", seat.bot) for seat in table.seats],
        options=table.options,
        started=table.started.replace(microsecond=0) if table.started else None,
    )


def replayed(game: Game, table: TableRow, entries: list[Entry]) -> tuple[Match, set[tuple[int, bytes]]]:
    """The match of a table after its entries, and who has asked for a hint where."""
    match, hinted = new_match(game, table), set[tuple[int, bytes]]()
    for entry in entries:
        hinted |= asked(entry, match)
        if entry.kind == "undo":
            match.undo(entry.value, revealed=True)
        elif entry.kind != "hint":
            match.play(entry.value, entry.seat, hinted=entry.kind == "hinted")
    if table.abandoned is not None and not match.over:
        match.abandon(table.abandoned)
    return match, hinted


def asked(entry: Entry, match: Match) -> set[tuple[int, bytes]]:
    """If the entry asks for a hint: the seat, and what it sees of the position, to which it may come back after an undo."""
    return {(entry.seat, match.information_set(entry.seat))} if entry.kind == "hint" else set()
