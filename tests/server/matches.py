"""Matches at tables: opening them, acting at them, and reading what is stored of them."""

from __future__ import annotations

import re
from typing import Any

from meadhall.engine.match.match import Match
from meadhall.server.hall.room import Room
from meadhall.server.store import matches
from meadhall.server.worker.bot_cache import BotCache
from server.people import AXES, OpenHall, Person
from server.worker_threads import WorkerThreads


def bot_cache_of(hall: OpenHall) -> BotCache:
    assert isinstance(hall.hall.worker, WorkerThreads)
    return hall.hall.worker.bots


def match_of(room: Room) -> Match:
    assert room.match is not None
    return room.match


def stored(hall: OpenHall, room: Room) -> list[tuple[str, int, int]]:
    return [(entry.kind, entry.seat, entry.value) for entry in hall.store.transact(matches.entries_of, room.table.id)]


async def at_turn(hall: OpenHall, game: str = AXES) -> tuple[Person, Person, Room, int]:
    """Return a table of two: the person to move, the other one, the room, and the lowest legal action."""
    host, friend, room = await hall.two_at(game)
    match = match_of(room)
    actor, other = (host, friend) if match.actor == 0 else (friend, host)
    return actor, other, room, match.legal()[0].action


def who_thinks(page: str) -> list[int]:
    """Return the seats whose plates show that a bot is thinking. Each plate has the word, and a class that shows it."""
    return [int(seat) for seat in re.findall(r'id="plate-(\d)"[^>]* class="[^"]*\bponders\b', page)]


async def undo(person: Person, room: Room, n: int | None = None) -> Any:
    return await person.ask(f"/tables/{room.table.id}/undo", {} if n is None else {"n": str(n)})


async def bots_and(hall: OpenHall, bots: list[str], game: str = AXES) -> tuple[Any, Room]:
    program = await hall.program()
    table = await program.open(game=game, bots=bots)
    return program, await hall.room(table["id"])


async def ask_hint(person: Person, room: Room) -> Any:
    return await person.ask(f"/tables/{room.table.id}/hint")
