"""The schema of the database: an empty database, one of an older version, names of constraints, migrations that fail."""

from __future__ import annotations

import asyncio
import gzip
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Table, inspect

import meadhall
from meadhall.cli.hall_data import back_up, restore
from meadhall.server.hall.match_records import check_records
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import migrations
from meadhall.server.store.database import Database
from meadhall.server.store.file_lock import StoreUnusable
from meadhall.server.store.maintenance import snapshot
from meadhall.server.store.models import Guest
from meadhall.server.store.queries import guests, tables
from meadhall.server.store.schema import metadata
from meadhall.server.store.store import Store
from server.halls import HALL_B48E365, with_guests
from server.manual_time import ManualTime
from server.people import open_hall, play_out

ADAS_PASSWORD = "correct horse battery"  # noqa: S105

WITH_PEOPLE = "gq6H54w0h1oc"
BJORNS_LATER_COOKIE = "IjlmMGQ5N2I3M2I3NGRhNWQyMmYzOWQyMCI.Ley6Ryc74Ve9Wa7oCsvHNLGLqhI"

NEWEST = migrations.newest_revision()

LATER = """
import sqlalchemy as sa
from alembic import op

revision = "later"
down_revision = "NEWEST"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("guests", sa.Column("rune", sa.String(8), nullable=True))
    op.execute("UPDATE guests SET rune = 'algiz'")
    op.execute("CREATE INDEX ix_guests_rune ON guests (rune)")
"""
"""A migration of a later version."""


async def transact(settings: Settings, work: Callable[[Connection], Any]) -> Any:
    """Run a function in a transaction, on a database that no store has opened."""
    database = Database(settings.database, Time())
    try:
        return database.transact(work)
    finally:
        await database.close()


# ----------------------------------------------------------------------------------------------------------------- the schema


async def test_an_empty_database_gets_the_schema_and_the_names_that_the_queries_expect(settings: Settings) -> None:
    def again(connection: Connection) -> list[object]:
        migrations.upgrade(connection)  # nothing happens
        return migrations.differences(connection)

    def names(connection: Connection) -> dict[str, set[str | None]]:
        """Return the names of constraints and indexes: a later migration refers to them."""
        inspector = inspect(connection)
        return {
            table: {
                inspector.get_pk_constraint(table)["name"],
                *(each["name"] for each in inspector.get_foreign_keys(table)),
                *(each["name"] for each in inspector.get_unique_constraints(table)),
                *(each["name"] for each in inspector.get_indexes(table) if not each.get("duplicates_constraint")),
            }
            for table in metadata.tables
        }

    def expected(table: Table) -> set[str | None]:
        named: list[Any] = [*table.constraints, *table.indexes]
        return {str(each.name) for each in named}

    async with Store.open(settings) as store:
        assert store.transact(again) == []
        assert store.transact(names) == {name: expected(table) for name, table in metadata.tables.items()}
        assert await store.alive()


# --------------------------------------------------------------------------------------------------- databases of other versions


@pytest.mark.slow(reason="it replays eleven matches, and plays one to its end")
async def test_a_hall_that_was_made_for_several_processes_goes_on_as_one(settings: Settings, at_once: None) -> None:
    (settings.data / "meadhall.db").write_bytes(gzip.decompress(HALL_B48E365.read_bytes()))
    time = ManualTime()
    time.set_date(datetime(2026, 11, 28, 2, 52, tzinfo=UTC))  # soon after it was killed: the draw can still be declined
    async with Store.open(settings, time) as store:
        assert store.transact(migrations.differences) == []
        assert len(store.transact(tables.days)) == 1
    checked = await asyncio.to_thread(check_records, partial(snapshot, settings.database), lambda _done: None)
    assert (checked.verified, checked.wrong) == (11, {})
    async with open_hall(settings, time=time) as hall:
        ada, bjorn = hall.person(), hall.person("10.0.0.2")
        assert (await ada.post("/sign-in", {"name": "Ada", "password": ADAS_PASSWORD})).status_code == 303
        bjorn.http.cookies.set("meadhall_guest", BJORNS_LATER_COOKIE, domain="hall.test")
        assert "Skål!" in (await ada.get(f"/tables/{WITH_PEOPLE}")).text
        counted = hall.store.transact(lambda each: each.exec_driver_sql("SELECT count(*) FROM holidays").scalar_one())
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


@pytest.fixture
def migration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Return a function that makes this the Meadhall of a later version, with one more migration."""
    folder = tmp_path / "migrations"
    shutil.copytree(Path(migrations.__file__).parent, folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(migrations, "__file__", str(folder / "__init__.py"))

    def add(code: str) -> None:
        (folder / "versions" / "later.py").write_text(code.replace("NEWEST", NEWEST))
        migrations.known_revisions.cache_clear()

    yield add
    migrations.known_revisions.cache_clear()


async def test_an_older_database_is_migrated_when_it_is_opened(
    on_sqlite: Settings, migration: Callable[[str], None], tmp_path: Path
) -> None:
    def runes(connection: Connection) -> list[str]:
        return list(connection.exec_driver_sql("SELECT rune FROM guests").scalars())

    await asyncio.to_thread(with_guests, on_sqlite, 3)
    migration(LATER)
    for _ in range(2):
        async with Store.open(on_sqlite) as store:
            assert store.transact(runes) == ["algiz"] * 3


async def test_after_a_downgrade_the_version_that_wrote_the_data_is_named_and_the_backup_is_restored(
    on_sqlite: Settings, migration: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await asyncio.to_thread(with_guests, on_sqlite, 3)
    await asyncio.to_thread(back_up, tmp_path / "hall.backup", on_sqlite)
    migration(LATER)
    async with Store.open(on_sqlite) as store:
        store.transact(lambda connection: connection.exec_driver_sql("UPDATE release SET meadhall = '9.9'"))
    monkeypatch.undo()
    migrations.known_revisions.cache_clear()
    with pytest.raises(StoreUnusable, match=r"version 9\.9, schema later"):
        async with Store.open(on_sqlite):
            pass
    with pytest.raises(StoreUnusable, match=r"version 9\.9, schema later"):
        await asyncio.to_thread(back_up, tmp_path / "other.backup", on_sqlite)
    await asyncio.to_thread(restore, on_sqlite.data / f"meadhall-{NEWEST}.backup", on_sqlite, True)
    async with Store.open(on_sqlite) as store:
        assert store.transact(guests.find, "guest2") is not None


async def test_a_migration_without_a_place_for_its_backup_is_refused(
    on_sqlite: Settings, migration: Callable[[str], None]
) -> None:
    (on_sqlite.data / f"meadhall-{NEWEST}.backup").write_text("of another program")
    migration(LATER)
    with pytest.raises(StoreUnusable, match="no backup, so the database is not migrated"):
        async with Store.open(on_sqlite):
            pass
    assert await transact(on_sqlite, migrations.current_revision) == NEWEST


async def test_a_migration_that_fails_changes_nothing(
    on_sqlite: Settings, migration: Callable[[str], None], tmp_path: Path
) -> None:
    """Its last step fails."""
    await asyncio.to_thread(with_guests, on_sqlite, 1)
    await asyncio.to_thread(back_up, tmp_path / "hall.backup", on_sqlite)
    migration(LATER.replace("ON guests (rune)", "ON guests (ruin)"))
    with pytest.raises(StoreUnusable, match="ruin"):
        async with Store.open(on_sqlite):
            pass

    def columns(connection: Connection) -> set[str]:
        return {column["name"] for column in inspect(connection).get_columns("guests")}

    assert await transact(on_sqlite, columns) == {column.name for column in metadata.tables["guests"].columns}
    assert await transact(on_sqlite, migrations.current_revision) == NEWEST


def test_a_backup_of_an_older_version_is_restored_and_migrated(
    on_sqlite: Settings, tmp_path: Path, migration: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "differences", lambda _connection: [])  # the later Meadhall has this column in its schema.py
    old = replace(on_sqlite, data=tmp_path / "old")
    with_guests(old, 2)
    back_up(tmp_path / "old.backup", old)
    migration(LATER)
    restore(tmp_path / "old.backup", on_sqlite, True)

    async def read() -> Guest | None:
        async with Store.open(on_sqlite) as store:
            return store.transact(guests.find, "guest1")

    found = asyncio.run(read())
    assert found is not None
    assert (found.name, found.choices) == ("Astrid", {"axxa": {"players": 1}})
    assert asyncio.run(transact(on_sqlite, migrations.current_revision)) == "later"
