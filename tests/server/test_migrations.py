"""The schema of the database: an empty database, one of an older version, names of constraints, migrations that fail."""

from __future__ import annotations

import asyncio
import gzip
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import meadhall
from meadhall.cli.hall_data import backup as back_up, restore
from meadhall.server.hall.match_records import check_records
from meadhall.server.settings import Settings
from meadhall.server.store import guests, puzzles, schema
from meadhall.server.store.database import Db
from meadhall.server.store.files import StoreUnusable, snapshot
from meadhall.server.store.store import Store
from server.halls import HALL_B48E365, with_guests
from server.manual_time import ManualTime
from server.people import open_hall, play_out

ADAS_PASSWORD = "correct horse battery"  # noqa: S105

WITH_PEOPLE = "gq6H54w0h1oc"
BJORNS_LATER_COOKIE = "IjlmMGQ5N2I3M2I3NGRhNWQyMmYzOWQyMCI.Ley6Ryc74Ve9Wa7oCsvHNLGLqhI"

NEWEST = schema.newest_version()

LATER = (
    "ALTER TABLE guests ADD COLUMN rune VARCHAR(8)",
    "UPDATE guests SET rune = 'algiz'",
    "CREATE INDEX ix_guests_rune ON guests (rune)",
)
"""A migration of a later version."""


def read(settings: Settings, work: Callable[[Db], Any]) -> Any:
    """Run a query on a database that no store has opened."""
    with snapshot(settings.database) as db:
        return work(db)


# ----------------------------------------------------------------------------------------------------------------- the schema


async def test_an_empty_database_gets_the_schema(settings: Settings) -> None:
    async with Store.open(settings) as store:
        store.transact(schema.upgrade)  # nothing happens
        assert store.transact(schema.differences) == []
        assert store.transact(schema.current_version) == NEWEST
        assert await store.alive()


@pytest.mark.parametrize(
    "change",
    [
        "DROP INDEX ix_seat_guests_guest",
        "ALTER TABLE guests ADD COLUMN rune VARCHAR(8)",
        "ALTER TABLE guests DROP COLUMN crest",
        "DROP TABLE notes",
        "CREATE TABLE runes (id INTEGER)",
    ],
)
async def test_a_database_with_another_schema_is_told_from_a_hall(on_sqlite: Settings, change: str) -> None:
    async with Store.open(on_sqlite) as store:
        store.transact(lambda db: db.run(change))
        assert store.transact(schema.differences) != []


# --------------------------------------------------------------------------------------------------- databases of other versions


@pytest.mark.slow(reason="it replays eleven matches, and plays one to its end")
async def test_a_hall_that_was_made_for_several_processes_goes_on_as_one(settings: Settings, at_once: None) -> None:
    (settings.data / "meadhall.db").write_bytes(gzip.decompress(HALL_B48E365.read_bytes()))
    time = ManualTime()
    time.set_date(datetime(2026, 11, 28, 2, 52, tzinfo=UTC))  # soon after it was killed: the draw can still be declined
    async with Store.open(settings, time) as store:
        assert store.transact(schema.differences) == []
        assert len(store.transact(puzzles.attempted_days)) == 1
    checked = await asyncio.to_thread(check_records, partial(snapshot, settings.database), lambda _done: None)
    assert (checked.verified, checked.wrong) == (11, {})
    async with open_hall(settings, time=time) as hall:
        ada, bjorn = hall.person(), hall.person("10.0.0.2")
        assert (await ada.post("/sign-in", {"name": "Ada", "password": ADAS_PASSWORD})).status_code == 303
        bjorn.http.cookies.set("meadhall_guest", BJORNS_LATER_COOKIE, domain="hall.test")
        assert "Skål!" in (await ada.get(f"/tables/{WITH_PEOPLE}")).text
        counted = hall.store.transact(lambda db: db.value("SELECT count(*) FROM holidays"))
        assert counted == 1
        room = await hall.room(WITH_PEOPLE)
        assert room.match is not None
        assert len(room.match.steps) == 6
        assert room.consent.proposals.open is not None
        declined = await bjorn.ask(f"/tables/{WITH_PEOPLE}/vote", {"proposal": "1", "answer": "decline"})
        assert declined.status_code == 200, declined.text
        people = [bjorn if "Björn" in row.name else ada for row in room.table.seats]
        await play_out(room, dict(enumerate(people)))
        assert meadhall.replay((await ada.get(f"/tables/{WITH_PEOPLE}/record")).json()).over


@pytest.mark.parametrize("version", [34, 35])
async def test_a_hall_whose_schema_alembic_has_made_is_upgraded(settings: Settings, version: int) -> None:
    """Its own versions of the schema were noted as this Meadhall's are, but in another place."""
    settings.database.write_bytes(gzip.decompress(HALL_B48E365.read_bytes()))
    with closing(sqlite3.connect(settings.database)) as connection, connection:
        for number in range(34, version + 1):
            for statement in schema.MIGRATIONS[number]:
                connection.execute(statement)
        connection.execute("UPDATE alembic_version SET version_num = ?", (f"00{version}",))
        bots = connection.execute("UPDATE seats SET bot = 'greedy' WHERE kind = 'bot'").rowcount
    async with Store.open(settings) as store:
        assert store.transact(schema.differences) == []
        assert store.transact(schema.current_version) == NEWEST
        named = store.transact(lambda db: db.value("SELECT count(*) FROM seats WHERE bot = 'karl'"))
        assert named == bots > 0, "a bot of an earlier name has that of its level"


@pytest.fixture
def migration(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that makes this the Meadhall of a later version, with one more migration."""

    def add(*statements: str) -> None:
        monkeypatch.setattr(schema, "MIGRATIONS", {**schema.MIGRATIONS, NEWEST + 1: statements})

    return add


async def test_an_older_database_is_migrated_when_it_is_opened(
    on_sqlite: Settings, migration: Callable[..., None], tmp_path: Path
) -> None:
    def runes(db: Db) -> list[str]:
        return db.values("SELECT rune FROM guests")

    await asyncio.to_thread(with_guests, on_sqlite, 3)
    migration(*LATER)
    for _ in range(2):
        async with Store.open(on_sqlite) as store:
            assert store.transact(runes) == ["algiz"] * 3


async def test_after_a_downgrade_the_version_that_wrote_the_data_is_named_and_the_backup_is_restored(
    on_sqlite: Settings, migration: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await asyncio.to_thread(with_guests, on_sqlite, 3)
    await asyncio.to_thread(back_up, tmp_path / "hall.backup", on_sqlite.data)
    migration(*LATER)
    async with Store.open(on_sqlite) as store:
        store.transact(lambda db: db.run("UPDATE release SET meadhall = '9.9'"))
    monkeypatch.undo()
    with pytest.raises(StoreUnusable, match=rf"version 9\.9, schema {NEWEST + 1}"):
        async with Store.open(on_sqlite):
            pass
    with pytest.raises(StoreUnusable, match=rf"version 9\.9, schema {NEWEST + 1}"):
        await asyncio.to_thread(back_up, tmp_path / "other.backup", on_sqlite.data)
    await asyncio.to_thread(restore, on_sqlite.data / f"meadhall-{NEWEST}.backup", on_sqlite.data, True)
    async with Store.open(on_sqlite) as store:
        assert store.transact(guests.find, "guest2") is not None


async def test_a_migration_without_a_place_for_its_backup_is_refused(on_sqlite: Settings, migration: Callable[..., None]) -> None:
    (on_sqlite.data / f"meadhall-{NEWEST}.backup").write_text("of another program")
    migration(*LATER)
    with pytest.raises(StoreUnusable, match="no backup, so the database is not migrated"):
        async with Store.open(on_sqlite):
            pass
    assert await asyncio.to_thread(read, on_sqlite, schema.current_version) == NEWEST


async def test_a_migration_that_fails_changes_nothing(
    on_sqlite: Settings, migration: Callable[..., None], tmp_path: Path
) -> None:
    """Its last step fails."""
    await asyncio.to_thread(with_guests, on_sqlite, 1)
    await asyncio.to_thread(back_up, tmp_path / "hall.backup", on_sqlite.data)
    migration(*LATER[:-1], "CREATE INDEX ix_guests_rune ON guests (ruin)")
    with pytest.raises(StoreUnusable, match="ruin"):
        async with Store.open(on_sqlite):
            pass

    assert await asyncio.to_thread(read, on_sqlite, schema.differences) == []
    assert await asyncio.to_thread(read, on_sqlite, schema.current_version) == NEWEST


def test_a_backup_of_an_older_version_is_restored_and_migrated(
    on_sqlite: Settings, tmp_path: Path, migration: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "differences", lambda _db: [])  # the later Meadhall has this column in its schema.sql
    old = replace(on_sqlite, data=tmp_path / "old")
    with_guests(old, 2)
    back_up(tmp_path / "old.backup", old.data)
    migration(*LATER)
    restore(tmp_path / "old.backup", on_sqlite.data, True)

    found = read(on_sqlite, lambda db: guests.find(db, "guest1"))
    assert found is not None
    assert (found.name, found.choices) == ("Astrid", {"axxa": {"players": 1}})
    assert read(on_sqlite, schema.current_version) == NEWEST + 1
