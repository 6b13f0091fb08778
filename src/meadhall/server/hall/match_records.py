"""Records of finished matches: of one, or all of a person, one a line (JSON Lines), as ``meadhall verify`` reads them.

A record is written when it is asked for: the match is replayed from its entries. By other rules than the installed ones it can't
be replayed. Then its record says what the hall has stored: the seed, the options, the actions and the result, without the events
and texts that the rules would give.
"""

from __future__ import annotations

import asyncio
import hashlib
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from cachetools import LRUCache

from meadhall.engine.errors import MeadhallError, RecordError
from meadhall.engine.match.match import Match
from meadhall.engine.match.record import FORMAT, MatchRecord, dumps, loads, written_time
from meadhall.engine.registry import game, game_names
from meadhall.engine.replay import every_action, replay
from meadhall.engine.text.language import gettext as _
from meadhall.server.hall.daily_puzzle import is_sealed
from meadhall.server.hall.state import replayed, stored_outcome
from meadhall.server.store import matches, profiles, tables
from meadhall.server.store.database import Db
from meadhall.server.store.models import FINISHED, RULES_CHANGED, Entry, TableRow
from meadhall.server.store.store import Store

_AS_GZIP: Final = 16 + zlib.MAX_WBITS
"""zlib's ``wbits`` for the header of gzip."""


class MatchRecords:
    """Downloads of records. The hall replays one match at a time for them.

    Args:
        store: the database.
        can_show: returns whether the match of a table can be replayed.
    """

    def __init__(self, store: Store, can_show: Callable[[TableRow], bool]) -> None:
        self._store = store
        self._can_show = can_show
        self._lock = asyncio.Lock()

    async def of(self, guest: str) -> AsyncIterator[bytes]:
        """Yield the records of a guest's finished matches as lines, the first finished first.

        Matches whose deal others still play today are left out.
        """
        for id in await self._store.read(profiles.tables_with_record, guest):
            table = self._store.transact(tables.find, id)
            record = None if table is None else await self.of_table(table)
            if record is not None:
                yield record.encode() + b"\n"

    async def of_table(self, table: TableRow) -> str | None:
        """Return the record of a finished match as one line; None if there is none, or not yet."""
        if table.status not in FINISHED or table.started_at is None or is_sealed(table, self._store.time):
            return None
        found = self._store.transact(matches.entries_of, table.id)
        if self._can_show(table):
            async with self._lock:  # not while the line is sent: a slow reader would hold up all others
                return await asyncio.to_thread(_written, table, found)
        if table.game in game_names() and table.rules == game(table.game).version:
            return None  # the game is not ready
        return dumps(bare(table, found))


def _written(table: TableRow, entries: Sequence[Entry]) -> str:
    match = replayed(game(table.game), table, entries).match
    assert match is not None
    return dumps(match.record())


def bare(table: TableRow, entries: Sequence[Entry]) -> MatchRecord:
    """Return the record of a finished match without what only its rules know."""
    actions, undone = _actions(entries)
    return {
        "format": FORMAT,
        "game": table.game,
        "rules": table.rules,
        "options": dict(table.options),
        "seats": [
            {"name": seat.name, "kind": "bot" if seat.kind == "bot" else "human", **({"bot": seat.bot} if seat.bot else {})}
            for seat in table.seats
        ],
        "started": written_time(table.started_at or table.created_at),
        **({"clock": table.clock.to_json()} if table.clock is not None else {}),
        "commitment": hashlib.sha256(table.seed).hexdigest(),
        "seed": table.seed.hex(),
        "complete": False,
        "setup": [],
        "actions": actions,
        "undone": undone,
        **_ending(table),
    }


def _ending(table: TableRow) -> MatchRecord:
    found = table.outcome or {"why": None}
    if "reason" in found:
        result = {name: found[name] for name in ("winners", "scores", "points", "reason") if name in found}
        return {"result": result | {"scores": found.get("payoffs", found["scores"])}}
    ending: MatchRecord = {"result": None, "abandoned": table.abandon_reason or RULES_CHANGED}
    if found["why"] is not None:
        ending["awarded"] = {name: found[name] for name in ("winners", "scores", "why")}
    return ending


def _actions(entries: Sequence[Entry]) -> tuple[list[MatchRecord], list[MatchRecord]]:
    """Return the actions of a match in the form of records, and those that were taken back."""
    actions: list[MatchRecord] = []
    undone: list[MatchRecord] = []
    number = 0
    for entry in entries:
        if entry.kind in ("action", "hinted"):
            number += 1
            hinted = {"hinted": True} if entry.kind == "hinted" else {}
            actions.append({"n": number, "seat": entry.seat, "action": entry.value, "text": "", "events": [], **hinted})
        elif entry.kind == "undo":
            kept = len(actions) - entry.value
            undone.append({"after": actions[kept - 1]["n"] if kept else 0, "actions": actions[kept:]})
            actions = actions[:kept]
    return actions, undone


async def gzipped(lines: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the same lines as a gzip file (RFC 1952)."""
    compressor = zlib.compressobj(wbits=_AS_GZIP)
    async for line in lines:
        part = compressor.compress(line)
        if part:
            yield part
    yield compressor.flush()


# --------------------------------------------------------------------------------------------------------------- uploaded records

# Uploaded records, replayed so that they can be shown.


MAX_ACTIONS = 5000
"""Limit of the actions in a record, undone ones included. The longest matches have about a twentieth of it."""

MAX_BYTES = 32 * 1024 * 1024
"""Memory for replayed matches. Most take less than 1 MB."""

_EVENT_SIZE, _STEP_SIZE = 800, 2000
"""Bytes of an event and of a step without its state, as several viewers see them."""


class Uploads:
    """Replays uploaded records, one at a time.

    The rules run as plain Python in this process, so a replay holds the GIL and delays requests.
    """

    def __init__(self) -> None:
        self._matches: LRUCache[bytes, Match] = LRUCache(MAX_BYTES, size_of)
        self._lock = asyncio.Lock()

    async def verify(self, text: str | bytes) -> Match:
        """Return the match of a new record, fully verified. Raises RecordError."""
        async with self._lock:
            return await asyncio.to_thread(_replay, text)

    async def match(self, text: str) -> Match:
        """Return the match of a record that was verified when it was uploaded. Recent ones come from memory."""
        key = sha256(text.encode()).digest()
        match = self._matches.get(key)
        if match is None:
            async with self._lock:
                match = self._matches.get(key)  # another request may have replayed it meanwhile
                if match is None:
                    match = await asyncio.to_thread(_replay, text)
                    with suppress(ValueError):  # it is larger than the whole cache
                        self._matches[key] = match
        return match


def size_of(match: Match) -> int:
    """Return roughly how many bytes a match takes in memory."""
    steps = [*match.steps, *(step for undone in match.undone for step in undone.steps)]
    return sum(step.before.nbytes + _STEP_SIZE + _EVENT_SIZE * len(step.events) for step in steps) + _STEP_SIZE


def _replay(text: str | bytes) -> Match:
    record = loads(text)
    count = len(every_action(record))
    if count > MAX_ACTIONS:
        problem = _("this server shows matches of at most {most} actions, and this one has {count}")
        raise RecordError("actions", problem.format(most=MAX_ACTIONS, count=count))
    return replay(record)


# ----------------------------------------------------------------------------------------------------------- checking all records

# Check every stored match by replaying it: its dice, its actions, its result.


_BATCH: Final = 200
"""Tables that are read together, with their entries."""

Connect = Callable[[], AbstractContextManager[Db]]
"""Connects to a database for reading, as it is at this moment."""

_ANY_REASON: Final = "checked"
"""Written into the record of a running match, which has to end to be replayed."""


@dataclass
class RecordCheck:
    """What was found.

    Attributes:
        verified: number of matches whose record is right.
        other_rules: number of matches by game and version of the rules that aren't installed, so they can't be replayed.
        wrong: what is wrong with a match, by the id of its table.
    """

    verified: int = 0
    other_rules: Counter[tuple[str, int]] = field(default_factory=Counter)
    wrong: dict[str, str] = field(default_factory=dict)


def check_records(connect: Connect, progress: Callable[[int], None]) -> RecordCheck:
    """Replay every match in the database. ``progress`` is told of each.

    No connection is open during replays: a long transaction would let SQLite's log grow.
    """
    found = RecordCheck()
    for table, stored in _matches(connect):
        if table.game not in game_names() or game(table.game).version != table.rules:
            found.other_rules[table.game, table.rules] += 1
        else:
            try:
                check_match(table, stored)
            except MeadhallError as error:
                found.wrong[table.id] = str(error)
            else:
                found.verified += 1
        progress(1)
    return found


def check_match(table: TableRow, stored: list[Entry]) -> None:
    """Replay the match of a table, and replay and verify its record. Raises MeadhallError."""
    numbers = [entry.number for entry in stored]
    if numbers != list(range(1, len(stored) + 1)):
        raise MeadhallError(_("an entry is missing"))
    match = replayed(game(table.game), table, stored).match
    assert match is not None
    if match.ended != (table.status != "running"):
        raise MeadhallError(_("the entries end at another point than the match"))
    found = stored_outcome(match) or {}
    if table.outcome is not None and any(found.get(name) != value for name, value in table.outcome.items()):
        raise MeadhallError(_("the entries lead to another result than the stored one"))
    replay(match.record(abandoned=None if match.ended else _ANY_REASON))


def _matches(connect: Connect) -> Iterator[tuple[TableRow, list[Entry]]]:
    """Yield every table with a match and its entries, in the order of their ids."""
    last = ""
    while True:
        with connect() as db:
            rows = tables.with_match_after(db, last, _BATCH)
            found = [(row, matches.entries_of(db, row.id)) for row in rows]
        if not found:
            return
        yield from found
        last = rows[-1].id
