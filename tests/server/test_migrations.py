"""The schema of the database: an empty database, one of an older version, names of constraints, migrations that fail."""

from __future__ import annotations

import asyncio
import gzip
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, Table, inspect

import meadhall
from meadhall.cli.hall_data import back_up, restore
from meadhall.server.doctor.database import check_database
from meadhall.server.hall.people.accounts import Accounts
from meadhall.server.hall.people.sign_in_limit import Client
from meadhall.server.hall.records.record_check import check_records
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import migrations
from meadhall.server.store.database import open_database
from meadhall.server.store.file_lock import StoreUnusable
from meadhall.server.store.maintenance import run_offline, snapshot
from meadhall.server.store.models import Guest
from meadhall.server.store.queries import entries, guests, tables
from meadhall.server.store.schema import metadata
from meadhall.server.store.store import Store
from server.halls import tally, with_guests
from server.people import OpenHall, Person, open_hall, play_out

HALL_0024 = Path(__file__).parent / "databases" / "hall_0024.sql"

# Its comment says what happened there.
OVER, RUNNING, LOBBY, UPLOAD = "R3dIkRGSiIkw", "4Vt9s70o-EmG", "Sp3yf_uNEe0_", "6tUOvInGj-VVnEPj7T26RJT3"
ADAS_PASSWORD = "correct horse battery"  # noqa: S105
BJORNS_COOKIE = "ImJiNGQ5ZjNiMzM0MzgzMTc2NTIwMWM4OSI.b4Zp35ZWwrKqrTmog7oG_-Ms_Dw"

HALL_B48E365 = Path(__file__).parent / "databases" / "hall_b48e365.db.gz"
"""A data folder's file as commit b48e365 wrote it, the last one for several processes, over HTTP and until a kill.

Two programs have finished a match of each game and play another one, with slow clocks, and one with a bot. Ada has an account
with the same password, and plays Dungeon Allies with Björn: a clock, six actions, two lines of chat, and a draw that she offers.
Björn has begun the puzzle of the day, takes a holiday, and waits for a match of three. There is a lobby.
"""

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


def load(settings: Settings) -> None:
    """Write the database of revision 0024 to the file of these settings."""
    with closing(sqlite3.connect(settings.data / "meadhall.db")) as file:
        file.executescript(HALL_0024.read_text("utf-8"))


async def transact(settings: Settings, work: Callable[[Connection], Any]) -> Any:
    """Run a function in a transaction, on a database that no store has opened."""
    database = open_database(settings.url, Time())
    try:
        return await database.transact(work)
    finally:
        await database.close()


# ----------------------------------------------------------------------------------------------------------------- the schema


async def test_an_empty_database_gets_the_schema_and_the_names_that_the_queries_expect(on_each_empty_database: Settings) -> None:
    def differences(connection: Connection) -> list[object]:
        migrations.upgrade(connection)  # a second time: nothing happens
        return list(compare_metadata(MigrationContext.configure(connection, opts={"compare_server_default": True}), metadata))

    def names(connection: Connection) -> dict[str, set[str | None]]:
        """Return the names of constraints and indexes: a later migration refers to them, on both databases."""
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

    async with Store.open(on_each_empty_database) as store:
        assert await store.transact(differences) == []
        assert await store.transact(names) == {name: expected(table) for name, table in metadata.tables.items()}
        assert await store.alive()


# --------------------------------------------------------------------------------------------------- databases of other versions


async def test_a_hall_of_the_first_release_goes_on(settings: Settings, at_once: None) -> None:
    load(settings)
    written = await asyncio.to_thread(tally, settings)
    async with Store.open(settings):
        pass
    # which names look alike, by which invitation guests came, what they took back, and their crests
    changed = ["accounts", "guests", "results", "seats"]
    assert written.differences(await asyncio.to_thread(tally, settings)) == changed
    async with open_hall(settings) as hall:
        ada, bjorn = await signed_in(hall)
        assert 'data-theme="dark"' in (await ada.get("/settings")).text
        page = (await bjorn.get("/settings")).text
        assert 'lang="de"' in page
        assert 'value="Björn"' in page
        for path in ("/", f"/tables/{LOBBY}", f"/tables/{OVER}/replay", f"/replay/{UPLOAD}"):
            assert (await ada.get(path)).status_code == 200, path
        assert "Well played!" in (await ada.get(f"/tables/{OVER}")).text
        assert meadhall.replay((await ada.get(f"/tables/{OVER}/record")).json()).over
        room = await hall.room(RUNNING)
        assert [(entry.kind, entry.seat, entry.value) for entry in await hall.store.transact(entries.all_of, RUNNING)] == [
            ("action", 0, 14),
            ("undo", 0, 1),
            ("action", 0, 13),
        ]
        assert "Skål!" in (await ada.get(f"/tables/{RUNNING}")).text
        await play_out(room, {0: ada, 1: bjorn})
        assert meadhall.replay((await ada.get(f"/tables/{RUNNING}/record")).json()).over
        stored = await hall.store.transact(tables.find, RUNNING)
        assert stored is not None
        assert stored.status == "over", "its clock didn't run while the hall was down"


@pytest.mark.slow(reason="it replays eleven matches, and plays one to its end")
async def test_a_hall_that_was_made_for_several_processes_goes_on_as_one(settings: Settings, at_once: None) -> None:
    (settings.data / "meadhall.db").write_bytes(gzip.decompress(HALL_B48E365.read_bytes()))
    async with Store.open(settings) as store:
        assert len(await store.transact(tables.days)) == 1
    checked = await asyncio.to_thread(run_offline, lambda: check_records(partial(snapshot, settings.url), lambda _done: None))
    assert (checked.verified, checked.wrong) == (11, {})
    async with open_hall(settings) as hall:
        ada, bjorn = hall.person(), hall.person("10.0.0.2")
        assert (await ada.post("/sign-in", {"name": "Ada", "password": ADAS_PASSWORD})).status_code == 303
        bjorn.http.cookies.set("meadhall_guest", BJORNS_LATER_COOKIE, domain="hall.test")
        assert "Skål!" in (await ada.get(f"/tables/{WITH_PEOPLE}")).text
        counted = await hall.store.transact(lambda each: each.exec_driver_sql("SELECT count(*) FROM holidays").scalar_one())
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


async def test_accounts_whose_names_look_alike_only_now_keep_their_names(settings: Settings) -> None:
    load(settings)
    with closing(sqlite3.connect(settings.data / "meadhall.db")) as file, file:
        (bjorn,) = file.execute("UPDATE guests SET name = 'A·da' WHERE name = 'Björn' RETURNING id").fetchone()
        file.execute(
            "INSERT INTO accounts (guest, drawn_name, folded_name, handle, password, created_at) "
            "SELECT ?, 'drawn', 'folded', 'handle', password, '2026-11-27 12:00:00' FROM accounts",
            (bjorn,),
        )
    async with Store.open(settings) as store:
        accounts = Accounts(store, lambda _tables: None)
        found = [await accounts.by_password(name, ADAS_PASSWORD, Client("10.0.0.1")) for name in ("Ada", "A·da", "ADA")]
        assert [account.name for account in found] == ["Ada", "A·da", "Ada"]


async def signed_in(hall: OpenHall) -> tuple[Person, Person]:
    """Return Ada, who signs in, and Björn, who has the cookie of then."""
    ada, bjorn = hall.person(), hall.person("10.0.0.2")
    assert (await ada.post("/sign-in", {"name": "Ada", "password": ADAS_PASSWORD})).status_code == 303
    bjorn.http.cookies.set("meadhall_guest", BJORNS_COOKIE, domain="hall.test")
    return ada, bjorn


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
    on_each_database: Settings, migration: Callable[[str], None], tmp_path: Path
) -> None:
    def runes(connection: Connection) -> list[str]:
        return list(connection.exec_driver_sql("SELECT rune FROM guests").scalars())

    await asyncio.to_thread(with_guests, on_each_database, 3)
    migration(LATER)
    findings = await asyncio.to_thread(lambda: list(check_database(on_each_database)))
    (advice,) = [finding.advice for finding in findings if f"older schema ({NEWEST})" in finding.text]
    assert "backup" in advice
    if not on_each_database.embedded:
        with pytest.raises(StoreUnusable, match="Make a backup first"):
            async with Store.open(on_each_database):
                pass
        assert await transact(on_each_database, migrations.current_revision) == NEWEST
        await asyncio.to_thread(back_up, tmp_path / "hall.backup", on_each_database)
    for _ in range(2):
        async with Store.open(on_each_database) as store:
            assert await store.transact(runes) == ["algiz"] * 3


async def test_after_a_downgrade_the_version_that_wrote_the_data_is_named_and_the_backup_is_restored(
    on_each_database: Settings, migration: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await asyncio.to_thread(with_guests, on_each_database, 3)
    await asyncio.to_thread(back_up, tmp_path / "hall.backup", on_each_database)
    migration(LATER)
    async with Store.open(on_each_database) as store:
        await store.transact(lambda connection: connection.exec_driver_sql("UPDATE release SET meadhall = '9.9'"))
    monkeypatch.undo()
    migrations.known_revisions.cache_clear()
    with pytest.raises(StoreUnusable, match=r"version 9\.9, schema later"):
        async with Store.open(on_each_database):
            pass
    with pytest.raises(StoreUnusable, match=r"version 9\.9, schema later"):
        await asyncio.to_thread(back_up, tmp_path / "other.backup", on_each_database)
    findings = await asyncio.to_thread(lambda: list(check_database(on_each_database)))
    assert any("9.9, schema later" in finding.text for finding in findings)
    if on_each_database.embedded:  # PostgreSQL may have tables of others
        await asyncio.to_thread(restore, on_each_database.data / f"meadhall-{NEWEST}.backup", on_each_database, True)
        async with Store.open(on_each_database) as store:
            assert await store.transact(guests.find, "guest2") is not None


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
    on_each_database: Settings, migration: Callable[[str], None], tmp_path: Path
) -> None:
    """Its last step fails."""
    await asyncio.to_thread(with_guests, on_each_database, 1)
    await asyncio.to_thread(back_up, tmp_path / "hall.backup", on_each_database)
    migration(LATER.replace("ON guests (rune)", "ON guests (ruin)"))
    with pytest.raises(StoreUnusable, match="ruin"):
        async with Store.open(on_each_database):
            pass

    def columns(connection: Connection) -> set[str]:
        return {column["name"] for column in inspect(connection).get_columns("guests")}

    assert await transact(on_each_database, columns) == {column.name for column in metadata.tables["guests"].columns}
    assert await transact(on_each_database, migrations.current_revision) == NEWEST


async def test_a_process_that_joins_a_running_hall_upgrades_nothing(
    on_each_database: Settings, migration: Callable[[str], None]
) -> None:
    """During a reload processes of the earlier version still use the database."""
    await asyncio.to_thread(with_guests, on_each_database, 1)
    async with Store.open(on_each_database, upgrades=False):
        pass
    migration(LATER)
    with pytest.raises(StoreUnusable, match="while no hall runs on it"):
        async with Store.open(on_each_database, upgrades=False):
            pass
    assert await transact(on_each_database, migrations.current_revision) == NEWEST


def test_a_backup_of_an_older_version_is_restored_and_migrated(
    on_each_database: Settings, tmp_path: Path, migration: Callable[[str], None]
) -> None:
    old = replace(on_each_database, data=tmp_path / "old", database_url="")
    with_guests(old, 2)
    back_up(tmp_path / "old.backup", old)
    migration(LATER)
    restore(tmp_path / "old.backup", on_each_database, True)

    async def read() -> Guest | None:
        async with Store.open(on_each_database) as store:
            return await store.transact(guests.find, "guest1")

    found = asyncio.run(read())
    assert found is not None
    assert (found.name, found.choices) == ("Astrid", {"axxa": {"players": 1}})
    assert asyncio.run(transact(on_each_database, migrations.current_revision)) == "later"
