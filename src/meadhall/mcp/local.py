"""Matches in this process: the player against bots."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import anyio
import anyio.to_thread

from meadhall.bots import Bot, bot, bot_names
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import Seat
from meadhall.engine.options import Choice
from meadhall.engine.registry import game, game_names
from meadhall.mcp.answers import GameAnswer, SeatAnswer, TableAnswer
from meadhall.mcp.tables import NotPossible, Position

MAX_TABLES = 20
"""Tables that are kept. A new one takes the place of the oldest finished one."""

BOT_NAMES = ("Astrid", "Björn", "Sigrid", "Torsten", "Freydis", "Knut", "Gudrun")


def described(subject: Game, bots: Sequence[str] | None = None) -> GameAnswer:
    """Describe an installed game."""
    return GameAnswer(
        game=subject.name,
        title=subject.title,
        about=subject.tagline,
        min_players=subject.min_players,
        max_players=subject.max_players,
        usual_players=subject.default_players,
        options={
            option.name: {value: option.explained(value) for value in option.values}
            for option in subject.options
            if isinstance(option, Choice)
        },
        bots=list(bot_names(subject) if bots is None else bots),
    )


def usual_bot(subject: Game) -> str:
    """Return the bot that plays where none is named."""
    return "karl" if subject.greedy is not None else "thrall"


@dataclass
class _Table:
    """A match and its bots. ``told``: the number of the last action of which the player was told."""

    id: str
    match: Match
    bots: dict[int, Bot]
    seat: int = 0
    told: int = -1
    lock: anyio.Lock = field(default_factory=anyio.Lock)


class LocalTables:
    """The tables of this process. The player sits on seat 0, bots on the others."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._tables: dict[str, _Table] = {}

    async def games(self) -> list[GameAnswer]:
        """Return the installed games."""
        return [described(game(name)) for name in game_names()]

    async def listed(self) -> tuple[list[TableAnswer], list[TableAnswer]]:
        """Return the tables; there are none of others."""
        return [_table_answer(table) for table in self._tables.values()], []

    async def open(
        self, game: str, players: int | None, bots: Sequence[str], open_seats: int, options: Mapping[str, Any], public: bool
    ) -> Position:
        """Open a table and start its match."""
        if open_seats or public:
            raise NotPossible("Without a hall nobody else can join: open_seats must be 0 and public false.")
        match, seated = await anyio.to_thread.run_sync(self._new_match, game, players, bots, dict(options))
        self._make_room()
        table = _Table(secrets.token_urlsafe(6), match, seated)
        self._tables[table.id] = table
        async with table.lock:
            await anyio.to_thread.run_sync(_let_bots_play, table)
            return _position(table)

    def _new_match(
        self, name: str, players: int | None, bots: Sequence[str], options: dict[str, Any]
    ) -> tuple[Match, dict[int, Bot]]:
        subject = game(name)
        count = subject.check_players(players if players is not None else len(bots) + 1 if bots else subject.default_players)
        if len(bots) > count - 1:
            raise BadSetup(f"{len(bots)} bots are too many for {count} players, of whom you are one")
        levels = [bots[k % len(bots)] if bots else usual_bot(subject) for k in range(count - 1)]
        names = [each for each in BOT_NAMES if each != self._name]
        seats = [Seat(self._name), *(Seat(names[k], "bot", level) for k, level in enumerate(levels))]
        seated = {seat: bot(subject, who.bot) for seat, who in enumerate(seats) if who.bot is not None}
        return subject.match(seats=seats, **options), seated

    def _make_room(self) -> None:
        if len(self._tables) >= MAX_TABLES:
            finished = next((table.id for table in self._tables.values() if table.match.ended), None)
            if finished is None:
                raise NotPossible(f"{MAX_TABLES} matches are running. Finish or resign one first.")
            del self._tables[finished]

    async def join(self, table: str, seat: int | None) -> Position:  # noqa: ARG002 - a hall needs it
        """Refuse: bots have the other seats."""
        self._table(table)
        raise NotPossible("Without a hall you sit at each table that you open, and bots have all other seats.")

    async def start(self, table: str) -> Position:
        """Refuse: the match has begun."""
        self._table(table)
        raise NotPossible("Without a hall a match begins when its table is opened.")

    async def look(self, table: str, *, tell: bool = True) -> Position:
        """Return the table as the player may see it."""
        found = self._table(table)
        async with found.lock:
            return _position(found, tell)

    async def act(self, table: str, action: int, number: int | None) -> Position:
        """Play an action, and let bots play until it is the player's turn again."""
        found = self._table(table)
        async with found.lock:
            match = found.match
            if number is not None and number != match.next_number:
                raise NotPossible(f"The next action is number {match.next_number}, not {number}. Look at the table again.")
            match.play(action, found.seat)
            await anyio.to_thread.run_sync(_let_bots_play, found)
            return _position(found)

    async def wait(self, table: str, seconds: float) -> Position:  # noqa: ARG002 - a hall needs it
        """Return at once: bots have already played."""
        return await self.look(table)

    async def resign(self, table: str) -> Position:
        """End the match without a result."""
        found = self._table(table)
        async with found.lock:
            if found.match.ended:
                raise NotPossible("The match is over.")
            found.match.abandon("resigned")
            return _position(found)

    def _table(self, id: str) -> _Table:
        if id not in self._tables:
            raise NotPossible(f"There is no table {id!r}. Your tables: {', '.join(self._tables) or 'none'}.")
        return self._tables[id]


def _let_bots_play(table: _Table) -> None:
    match = table.match
    while (seat := next((each for each in match.deciders if each in table.bots), None)) is not None:
        match.play(table.bots[seat].choose(match.view(seat)), seat)


def _position(table: _Table, tell: bool = True) -> Position:
    match = table.match
    view = match.view(table.seat)
    happened = [match.in_words(event, table.seat) for event in view.setup] if table.told < 0 else []
    for step in view.steps:
        if step.n > table.told:
            happened += [match.in_words(event, table.seat) for event in step.events]
    if tell:
        table.told = match.next_number - 1
    result = match.result()
    winners = [match.names[seat] for seat in result.winners] if result else []
    ended = "You have resigned." if match.ended and result is None else ""
    return Position(_table_answer(table), view, [line for line in happened if line], winners, ended)


def _table_answer(table: _Table) -> TableAnswer:
    match = table.match
    return TableAnswer(
        table=table.id,
        game=match.game.name,
        status="running" if not match.ended else "over" if match.over else "abandoned",
        options={name: str(value) for name, value in match.options.items() if not isinstance(value, dict)},
        seats=[
            SeatAnswer(seat=seat, name=who.name, player="you" if seat == table.seat else "bot", bot=who.bot or "")
            for seat, who in enumerate(match.seats)
        ],
        your_seat=table.seat,
    )
