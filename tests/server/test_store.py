"""The store on SQLite and on PostgreSQL: queries, time limits, file locks, databases that can't be opened. See also its laws."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from meadhall.server.errors import DatabaseUnavailable
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import database
from meadhall.server.store import store as store_module
from meadhall.server.store.file_lock import StoreBusy, StoreUnusable
from meadhall.server.store.models import Conflict, Entry, Guest
from meadhall.server.store.queries import entries, guests, tables, uploads
from meadhall.server.store.store import Store
from server.rows import append, save, table_of

pytestmark = pytest.mark.asyncio


async def test_stored_values_are_found_again(on_each_database: Settings) -> None:
    guest = Guest("a1", "Ada Ǻsa", "de", "dark")
    table = table_of("a1", options={"hand": "many", "mode": "sides"}, started_at=Time().now(), seed=bytes(range(32)))
    async with Store.open(on_each_database) as store:
        await store.save_guest(guest)
        await store.add_table(table)
        await append(store, table, Entry(1, "action", 0, 14))
        await append(store, table, Entry(2, "undo", 0, 1))
        key, secret = await store.transact(uploads.add, '{"name": "Ǻ"}'), await store.secret("guests")
    async with Store.open(on_each_database) as store:
        assert await store.transact(guests.find, "a1") == replace(guest, is_stored=True)
        assert await store.transact(guests.find, "nobody") is None
        assert await store.transact(tables.find, table.id) == table
        assert await store.transact(tables.find, "nowhere") is None
        assert await store.transact(tables.find_by_link, table.seats[1].link_token) == (table, 1)
        assert await store.transact(tables.find_by_link, "wrong") is None
        assert await store.transact(entries.all_of, table.id) == [Entry(1, "action", 0, 14), Entry(2, "undo", 0, 1)]
        assert await store.transact(uploads.find, key) == '{"name": "Ǻ"}'
        assert await store.transact(uploads.find, "wrong") is None
        assert await store.secret("guests") == secret
        assert await store.secret("csrf") != secret
        assert await store.alive()


async def test_an_entry_has_the_same_time_and_data_as_the_listener_reads_it(on_postgresql: Settings) -> None:
    table = table_of("a1")
    written = [Entry(1, "action", 0, 14), Entry(2, "undo", 0, 1, {"why": "Ǻ", "to": [1, None]})]
    async with Store.open(on_postgresql) as store, store.listening():
        await store.add_table(table)
        for entry in written:
            await append(store, table, entry)
        by_listener = await store.changes_since(table.id, version=0, entry_count=0)
        by_pool = await store.transact(partial(entries.changes_since, table=table.id, version=0, entry_count=0))
        alone = await store.transact(entries.all_of, table.id)
    for read in (list(by_listener.entries), list(by_pool.entries), alone):
        assert read == written
        assert [entry.at for entry in read] == [entry.at for entry in written]


async def test_an_entry_is_refused_if_another_process_has_changed_the_table(on_postgresql: Settings) -> None:
    table = table_of("a1", started_at=Time().now())
    async with Store.open(on_postgresql) as one, Store.open(on_postgresql) as two:
        await one.add_table(table)
        changed = await save(two, replace(table, status="running"))
        with pytest.raises(Conflict):
            await append(one, table, Entry(1, "action", 0, 14))
        await append(one, changed, Entry(1, "action", 0, 14))


async def test_tables_are_found_by_guest_and_by_status(on_each_database: Settings) -> None:
    async with Store.open(on_each_database) as store:
        first, second = table_of("a1"), table_of("b1")
        running, hidden = table_of("b1", status="running"), table_of("b1", status="running", is_public=False)
        for table in (first, second, running, hidden):
            await store.add_table(table)
        assert [table.id for table in await store.transact(tables.of_guest, "a1")] == [first.id]
        assert [table.id for table in await store.transact(tables.of_guest, "a12")] == [first.id], (
            "a seat that was moved to another device"
        )
        assert [table.id for table in await store.transact(tables.public, "running")] == [running.id]
        assert await store.transact(tables.running_with_bots, "hoard") == [hidden.id, running.id]
        assert await store.transact(tables.running_with_bots, "axxa") == []
        assert await store.transact(tables.count_unfinished, "b1", {"hoard": 3}) == 3
        assert [table.id for table in await store.transact(tables.of_guest, "b1")] == [hidden.id, running.id, second.id]
        await save(store, replace(running, status="over", finished_at=Time().now()))
        assert await store.transact(tables.count_unfinished, "b1", {"hoard": 3}) == 2
        assert [table.id for table in await store.transact(tables.of_guest, "b1")] == [hidden.id, second.id, running.id], (
            "unfinished ones first"
        )
        assert [table.id for table in await store.transact(tables.of_guest, "b1", limit=1)] == [hidden.id]
        finished = await store.transact(tables.find, running.id)
        assert finished is not None
        assert finished.status == "over"
        assert finished.finished_at is not None


async def test_old_lobbies_and_matches_of_other_rules_do_not_count_against_the_limit(on_each_database: Settings) -> None:
    async with Store.open(on_each_database) as store:
        for table in (
            table_of("a1", status="running"),
            table_of("a1", created_at=Time().now() - timedelta(hours=23)),
            table_of("a1", created_at=Time().now() - timedelta(hours=25)),
            table_of("a1", status="running", rules=2),
            table_of("a1", status="running", created_at=Time().now() - timedelta(days=300)),
        ):
            await store.add_table(table)
        assert await store.transact(tables.count_unfinished, "a1", {"hoard": 3, "axxa": 2}) == 3
        assert await store.transact(tables.count_unfinished, "a1", {"axxa": 3}) == 1, "the game is not installed"


async def test_the_oldest_uploads_are_deleted(on_sqlite: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "UPLOADS_KEPT", 3)
    async with Store.open(on_sqlite) as store:
        keys = [await store.transact(uploads.add, str(k)) for k in range(5)]
        assert [await store.transact(uploads.find, key) for key in keys] == [None, None, "2", "3", "4"]


async def test_processes_that_start_together_upgrade_once_and_share_their_secrets(on_empty_postgresql: Settings) -> None:
    async with AsyncExitStack() as stack:
        stores = await asyncio.gather(*(stack.enter_async_context(Store.open(on_empty_postgresql)) for _ in range(4)))
        secrets = await asyncio.gather(*(store.secret("guests") for store in stores))
        assert len(set(secrets)) == 1


async def test_a_lost_connection_is_refused_as_unavailable(on_postgresql: Settings) -> None:
    """The next request gets another connection."""
    async with Store.open(on_postgresql) as store:
        with pytest.raises(DatabaseUnavailable):
            await store.transact(lambda connection: connection.exec_driver_sql("SELECT pg_terminate_backend(pg_backend_pid())"))
        assert await store.alive()


async def test_a_database_that_does_not_answer_in_time_is_unavailable(
    on_postgresql: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "open_database", partial(database.open_database, timeout=1.0))
    async with Store.open(on_postgresql) as store:
        with pytest.raises(DatabaseUnavailable):
            await store.transact(lambda connection: connection.exec_driver_sql("SELECT pg_sleep(600)"))
        assert await store.alive(), "the next query works"


# ---------------------------------------------------------------------------------------------------- what can't be opened


async def test_a_second_process_on_the_same_folder_is_refused(settings: Settings) -> None:
    async with Store.open(settings):
        with pytest.raises(StoreBusy, match=r"meadhall\.db; stop it first"):
            async with Store.open(settings):
                pass
    async with Store.open(settings) as again:
        assert await again.alive()


@pytest.mark.parametrize("way", ["{0}/hall.db", "{0}/other/../hall.db", "{0}/link.db"])
async def test_a_second_process_on_the_same_file_is_refused(settings: Settings, way: str) -> None:
    """Also with another data folder, and by another path to the file."""
    folder = settings.data
    (folder / "other").mkdir()
    (folder / "link.db").symlink_to(folder / "hall.db")
    first = replace(settings, data=folder / "first", database_url=f"sqlite:///{folder}/hall.db")
    second = replace(settings, data=folder / "second", database_url=f"sqlite:///{way.format(folder)}")
    async with Store.open(first):
        with pytest.raises(StoreBusy, match=r"hall\.db"):
            async with Store.open(second):
                pass
    async with Store.open(second) as again:
        assert await again.alive()


async def test_two_files_in_one_folder_can_be_open(settings: Settings) -> None:
    other = replace(settings, database_url=f"sqlite:///{settings.data}/meadhall.sqlite")
    async with Store.open(settings), Store.open(other) as second:
        assert await second.alive()


async def test_a_folder_may_have_special_characters(settings: Settings) -> None:
    odd = replace(settings, data=settings.data / "a b?c=d#e%41")
    async with Store.open(odd) as store:
        await store.save_guest(Guest("a1", "Ada"))
    assert (odd.data / "meadhall.db").exists()


async def test_a_file_in_place_of_the_folder_is_refused(settings: Settings) -> None:
    (settings.data / "file").write_text("x")
    with pytest.raises(StoreUnusable, match="MEADHALL_DATA"):
        async with Store.open(replace(settings, data=settings.data / "file")):
            pass


async def test_a_file_that_is_not_a_database_is_refused(settings: Settings) -> None:
    (settings.data / "meadhall.db").write_bytes(b"This is a diary, not a database. " * 100)
    with pytest.raises(StoreUnusable, match="not a database"):
        async with Store.open(settings):
            pass


async def test_a_database_of_a_newer_hall_is_refused(settings: Settings) -> None:
    async with Store.open(settings):
        pass
    with sqlite3.connect(settings.data / "meadhall.db") as newer:
        newer.execute("UPDATE alembic_version SET version_num = '9999'")
    newer.close()
    with pytest.raises(StoreUnusable, match=r"a newer or another Meadhall .*9999"):
        async with Store.open(settings):
            pass


async def test_an_address_with_an_unknown_parameter_is_refused(on_postgresql: Settings) -> None:
    with pytest.raises(StoreUnusable, match="sslmode"):
        async with Store.open(replace(on_postgresql, database_url=on_postgresql.database_url + "?sslmode=require")):
            pass


async def test_a_database_that_does_not_answer_is_refused_without_its_password(settings: Settings) -> None:
    away = replace(settings, database_url="postgresql+asyncpg://meadhall:secret@127.0.0.1:1/hall")
    with pytest.raises(StoreUnusable, match=r"127\.0\.0\.1") as refusal:
        async with Store.open(away):
            pass
    assert "secret" not in str(refusal.value)


async def test_a_new_guest_gets_a_public_id_that_stays(on_each_database: Settings) -> None:
    async with Store.open(on_each_database) as store:
        saved = await asyncio.gather(*(store.save_guest(Guest("a1", f"Ada {k}")) for k in range(8)))
        (public_id,) = {guest.public_id for guest in saved}
        other = await store.save_guest(Guest("b1", "Björn"))
        renamed = await store.save_guest(replace(saved[0], name="Ada Lovelace", public_id=""))
        assert public_id == renamed.public_id != other.public_id
        assert await store.transact(guests.find_public, public_id) == renamed
        assert await store.transact(guests.find_public, "nobody") is None
        found = await store.transact(guests.find, "a1")
        assert found is not None
        assert found.public_id == public_id
