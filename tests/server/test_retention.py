"""What a hall doesn't keep for ever: lobbies, given-up matches, chats and guests."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise

import pytest

from meadhall.server.hall.upkeep.housekeeping import delete_old
from meadhall.server.settings import Retention, Settings
from meadhall.server.store import matches, tables
from meadhall.server.store.database import Db
from meadhall.server.store.models import Entry, Guest, TableRow
from meadhall.server.store.retention import STEP
from meadhall.server.store.store import Store
from server.manual_time import ManualTime
from server.people import AXES, OpenHall
from server.rows import append, table_of

pytestmark = pytest.mark.asyncio

SLICES = 64


@pytest.mark.parametrize("kept", [Retention(30, 90, 90, 90), Retention(0, 0, 0, 0)])
async def test_what_is_older_than_the_host_wants_to_keep_is_deleted(
    on_sqlite: Settings, time: ManualTime, kept: Retention
) -> None:
    old, new = time.now() - timedelta(days=100), time.now() - timedelta(days=20)
    outcome = {"winners": [0], "scores": [1, 0, 0], "why": "resignation"}
    opened = {
        "old lobby": {"status": "gathering", "created_at": old},
        "lobby in use": {"status": "gathering", "created_at": old},
        "new lobby": {"status": "gathering", "created_at": new},
        "closed": {"status": "closed", "created_at": old, "finished_at": old},
        "given up": {"status": "abandoned", "created_at": old, "started_at": old, "finished_at": old},
        "just given up": {"status": "abandoned", "created_at": old, "started_at": old, "finished_at": new},
        "resigned": {"status": "abandoned", "created_at": old, "started_at": old, "finished_at": old, "outcome": outcome},
        "puzzle": {"status": "abandoned", "created_at": old, "started_at": old, "finished_at": old, "daily": "2026-01-01"},
        "running": {"status": "running", "created_at": old, "started_at": old},
        "over": {"status": "over", "created_at": old, "started_at": old, "finished_at": old, "outcome": outcome},
    }
    guests = ("old", "new", "seated", "admitted", "shut out", "account", "spoke")
    async with Store.open(on_sqlite, time) as store:
        for id, values in opened.items():
            store.add_table(replace(table_of("seated"), id=id, **values))  # type: ignore[arg-type]
        for id in guests:
            store.save_guest(Guest(id, f"Guest {id}"))
        store.transact(partial(_age, old=old))
        for _ in range(SLICES):
            await delete_old(store, kept, lambda: {"lobby in use"})
            await time.advance(3600)

        def left(db: Db) -> list[set[str]]:
            return [set(db.values(f"SELECT id FROM {table}")) for table in ("tables", "chat_lines", "guests")]  # noqa: S608

        deleted = [{"old lobby", "closed", "given up"}, {"over"}, {"old"}] if kept.lobbies else [set[str]()] * 3
        everything = [set(opened), {"over", "running"}, set(guests)]
        assert store.transact(left) == [all_ - gone for all_, gone in zip(everything, deleted, strict=True)]


def _age(db: Db, old: object) -> None:
    """Let guests be old, and have the old lines of chat and whatever else keeps them."""
    db.run("UPDATE guests SET created_at = ? WHERE id != 'new'", old)
    db.run("UPDATE guests SET admitted_at = ? WHERE id = 'admitted'", old)
    db.run("UPDATE guests SET closed_at = ? WHERE id = 'shut out'", old)
    account = {"guest": "account", "drawn_name": "a", "folded_name": "a", "handle": "a", "created_at": old}
    db.insert("accounts", account)
    for table in ("over", "running"):
        line = {"table_id": table, "audience": "players", "number": 1, "id": table, "guest": "spoke", "name": "", "text": "Skål"}
        db.insert("chat_lines", {**line, "created_at": old})


def _left_of(store: Store) -> int:
    """Return the number of the entries and lines of chat that are left."""
    return int(
        store.transact(lambda db: db.value("SELECT (SELECT count(*) FROM match_entries) + (SELECT count(*) FROM chat_lines)"))
    )


async def _with_long_match(store: Store, at: datetime) -> TableRow:
    """Store a match that was given up long ago, with many entries and lines of chat."""
    table = replace(table_of("ada"), status="abandoned", created_at=at, started_at=at, finished_at=at)
    store.add_table(table)
    append(store, table, *(Entry(number, "action", 0, 0, at=at) for number in range(1, 4 * STEP)))
    with store.change() as db:
        for number in range(3 * STEP):
            line = {"table_id": table.id, "audience": "players", "number": number, "id": f"line{number}", "guest": "ada"}
            db.insert("chat_lines", {**line, "name": "Ada", "text": "Skål", "created_at": at})
    return table


async def test_a_long_deletion_lets_the_hall_do_other_work_after_some_rows(on_sqlite: Settings, time: ManualTime) -> None:
    async with Store.open(on_sqlite, time) as store:
        await _with_long_match(store, time.now() - timedelta(days=100))
        deletion = asyncio.create_task(delete_old(store, Retention(30, 90, 90, 90), set))
        seen = []
        while not deletion.done():
            seen.append(_left_of(store))
            await asyncio.sleep(0)
        await deletion
        assert _left_of(store) == 0
        assert store.transact(lambda db: db.value("SELECT count(*) FROM tables")) == 0
        assert max(before - after for before, after in pairwise([*seen, 0])) <= STEP


async def test_a_table_that_is_opened_while_it_is_deleted_stays_and_can_be_read(on_sqlite: Settings, time: ManualTime) -> None:
    async with Store.open(on_sqlite, time) as store:
        table = await _with_long_match(store, time.now() - timedelta(days=100))

        def in_use() -> set[str]:
            return {table.id} if len(store.transact(matches.entries_of, table.id)) < 3 * STEP else set()

        await delete_old(store, Retention(30, 90, 0, 90), in_use)
        assert store.transact(tables.find, table.id) == table
        kept = store.transact(matches.entries_of, table.id)
        assert [entry.number for entry in kept] == [*range(1, len(kept) + 1)]
        assert STEP < len(kept) < 3 * STEP


async def test_a_rematch_that_was_deleted_is_opened_again(hall: OpenHall, at_once: None) -> None:
    host, _friend, room = await hall.two_at(AXES)
    assert (await host.ask(f"/tables/{room.table.id}/resign")).status_code == 200
    paths = []
    for _ in range(2):
        answer = await host.post(f"/tables/{room.table.id}/rematch")
        assert answer.status_code == 303
        paths.append(answer.headers["location"])
        gone = answer.headers["location"].rpartition("/")[2]
        hall.hall._rooms.pop(gone)
        with hall.store.change() as db:
            db.run("DELETE FROM tables WHERE id = ?", gone)
    assert paths[0] != paths[1]
