"""The SQLite file of a running hall: other programs that lock it, its write-ahead log, and what is deleted from it."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event

import pytest

from meadhall.server.errors import DatabaseUnavailable
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import database, matches, talk
from meadhall.server.store.models import Entry, Guest
from meadhall.server.store.store import Store
from server.halls import run_command
from server.manual_time import ManualTime
from server.people import AXES, OpenHall
from server.rows import append, table_of
from server.waiting import PATIENCE

pytestmark = pytest.mark.asyncio

_LINE = "the hidden hoard"


@pytest.fixture
def hall_time(time: ManualTime) -> Time:
    return time


@pytest.fixture
def flushed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list to which every flush to the disk adds the number of the file."""
    found: list[int] = []
    fsync = os.fsync

    def flush(descriptor: int) -> None:
        found.append(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", flush)
    return found


@contextmanager
def other_program(settings: Settings, begin: str) -> Iterator[sqlite3.Connection]:
    """Connect to the file of a hall as another program does, and begin a transaction."""
    with closing(sqlite3.connect(settings.data / "meadhall.db", isolation_level=None)) as db:
        db.execute(begin)
        yield db


async def pass_until(time: ManualTime, holds: Callable[[], object]) -> None:
    """Let time pass until a condition holds. A thread may have to do something for it."""
    async with asyncio.timeout(PATIENCE):
        while not holds():
            await time.advance(1)


def files_of(settings: Settings) -> list[Path]:
    """Return the database and the files beside it, but not the socket for commands."""
    return [file for file in settings.data.glob("meadhall.db*") if file.is_file()]


def log_of(settings: Settings) -> bytes:
    return (settings.data / "meadhall.db-wal").read_bytes()


# --------------------------------------------------------------------------------------------------------------------- locks


async def test_while_another_program_holds_the_lock_readers_go_on_and_writers_wait(
    hall: OpenHall, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    host, friend, room = await hall.two_at(AXES)
    assert room.match is not None
    mover = (host, friend)[room.match.actor or 0]
    with other_program(settings, "BEGIN IMMEDIATE"):
        act = asyncio.create_task(mover.act(room.table.id, room.match.legal()[0].action))
        renamed = [asyncio.create_task(person.post("/settings", {"name": "Ulrika"})) for person in (host, friend)]
        writers = [act, *renamed]
        await asyncio.sleep(0)
        for path in ("/", f"/tables/{room.table.id}", "/games"):
            assert (await hall.person("10.0.0.9").get(path)).status_code in (200, 404)
        assert not any(writer.done() for writer in writers)
    answers = await asyncio.gather(*writers)
    assert (answers[0].status_code, [answer.is_error for answer in answers]) == (200, [False] * 3)
    assert caplog.records == []


async def test_a_lock_that_stays_is_told_as_unavailable_in_one_line(
    hall: OpenHall, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    host, friend, room = await hall.two_at(AXES)
    assert room.match is not None
    mover, action = (host, friend)[room.match.actor or 0], room.match.legal()[0].action
    with other_program(settings, "BEGIN IMMEDIATE"):
        act = asyncio.create_task(mover.act(room.table.id, action))
        renamed = [asyncio.create_task(person.ask("/settings", {"name": "Ulrika"})) for person in (host, friend)]
        await pass_until(hall.time, lambda: all(task.done() for task in (act, *renamed)))
    refused = [await task for task in (act, *renamed)]
    assert [answer.status_code for answer in refused] == [503] * 3
    assert {answer.json()["error"] for answer in refused} == {"database-away"}
    (line,) = caplog.records
    assert (line.levelno, line.exc_info) == (logging.WARNING, None)
    assert "another program holds its lock" in line.getMessage()
    assert (await mover.act(room.table.id, action)).status_code == 200


async def test_an_error_of_a_driver_that_is_not_listed_means_unavailable(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        table = table_of("a1")
        store.add_table(table)
        with pytest.raises(DatabaseUnavailable):
            store.transact(lambda db: db.value("SELECT nonsense"))
        store.transact(lambda db: db.run("DROP TABLE match_entries"))
        with pytest.raises(DatabaseUnavailable):
            append(store, table, Entry(1, "action", 0, 0))
        assert await store.alive()


# ----------------------------------------------------------------------------------------------------------------------- log


async def test_an_idle_hall_writes_nothing(hall: OpenHall, settings: Settings, flushed: list[int]) -> None:
    await pass_until(hall.time, lambda: flushed)
    await hall.time.advance(5)
    flushed.clear()
    files = {file: file.read_bytes() for file in files_of(settings)}
    await hall.time.advance(30)
    await asyncio.to_thread(lambda: None)
    assert flushed == []
    assert {file: file.read_bytes() for file in files_of(settings)} == files


async def test_the_log_is_flushed_to_the_disk_soon_after_a_transaction(
    settings: Settings, time: ManualTime, flushed: list[int]
) -> None:
    async with Store.open(settings, time) as store:
        log = (settings.data / "meadhall.db-wal").stat().st_ino
        await pass_until(time, lambda: flushed.count(log) == 1)
        for number in range(50):
            store.save_guest(Guest("a", f"Astrid {number}"))
        await pass_until(time, lambda: flushed.count(log) == 2)
        await time.advance(10)
        assert flushed.count(log) == 2, "many transactions share a flush"


async def test_a_transaction_during_a_flush_gets_a_flush_too(
    settings: Settings, time: ManualTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = Event(), Event()
    flushes: list[int] = []

    def flush(descriptor: int) -> None:
        flushes.append(descriptor)
        begun.set()
        go_on.wait(60)

    async with Store.open(settings, time) as store:
        monkeypatch.setattr(os, "fsync", flush)
        store.save_guest(Guest("a", "Astrid"))
        await time.advance(1)
        await asyncio.to_thread(begun.wait, 60)
        store.save_guest(Guest("a", "Ulrika"))
        go_on.set()
        await pass_until(time, lambda: len(flushes) == 2)


async def test_the_log_does_not_grow_without_end(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_CHECKPOINT_INTERVAL", 1 << 30)  # as if something was always written while it is copied
    monkeypatch.setattr(database, "_LARGEST_LOG", 100)
    async with Store.open(settings) as store:
        table = table_of("a1")
        store.add_table(table)
        for number in range(1, 501):
            append(store, table, Entry(number, "action", 0, 0))
        assert len(log_of(settings)) < 150 * (4096 + 24)
        assert len(store.transact(matches.entries_of, table.id)) == 500


# ----------------------------------------------------------------------------------------------------------------- deletions


def holders(settings: Settings) -> list[str]:
    """Return the names of the files that have the secret in them."""
    return sorted(file.name for file in files_of(settings) if _LINE.encode() in file.read_bytes())


def say(store: Store) -> str:
    """Say the secret at a table and return the id of the line."""
    table = table_of("a1")
    store.add_table(table)
    line = talk.NewLine("line", table.id, "players", "a1", 0, "Ada", _LINE, None, None)
    store.transact(lambda db: talk.add_line(db, line))
    return line.id


async def test_a_deleted_line_is_in_no_file_any_more(hall: OpenHall, settings: Settings) -> None:
    """The command deletes it beside the hall."""
    line = say(hall.store)
    assert holders(settings) == ["meadhall.db-wal"]
    with other_program(settings, "BEGIN") as backup:
        backup.execute("SELECT * FROM chat_lines").fetchall()
        assert (await asyncio.to_thread(run_command, settings, "chat", "delete", line)).returncode == 0
        await hall.time.advance(5)
        assert "meadhall.db-wal" in holders(settings), "the backup still reads it"
    await pass_until(hall.time, lambda: not holders(settings))


async def test_a_deleted_person_is_in_no_file_any_more(hall: OpenHall, settings: Settings) -> None:
    person = hall.person()
    await person.post("/settings", {"name": _LINE})
    assert holders(settings) == ["meadhall.db-wal"]
    assert (await person.post("/privacy/delete", {"sure": "on"})).headers["location"] == "/privacy"
    await pass_until(hall.time, lambda: not holders(settings))


async def test_what_is_deleted_while_much_is_written_is_soon_in_no_file_any_more(
    settings: Settings, time: ManualTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_copied, go_on = Event(), Event()
    copy_log = database.Database._copy_log

    def copy_slowly(self: database.Database) -> bool:
        result = copy_log(self)
        is_copied.set()
        go_on.wait(PATIENCE)
        go_on.clear()
        return result

    monkeypatch.setattr(database.Database, "_copy_log", copy_slowly)
    monkeypatch.setattr(database, "_PATIENCE", 3)
    async with Store.open(settings, time) as store:
        line = say(store)
        store.transact(lambda db: talk.erase_lines(db, talk.LineFilter(ids=[line])))
        for attempt in range(3):
            assert "meadhall.db-wal" in holders(settings)
            await pass_until(time, is_copied.is_set)
            is_copied.clear()
            store.save_guest(Guest("a", f"Astrid {attempt}"))
            go_on.set()
        await pass_until(time, lambda: not holders(settings))
        go_on.set()
