"""The store: queries, file locks, databases that can't be opened. See also its laws."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import guests, matches, tables
from meadhall.server.store.files import StoreBusy, StoreUnusable
from meadhall.server.store.models import Entry, Guest
from meadhall.server.store.store import Store
from server.rows import append, save, table_of

pytestmark = pytest.mark.asyncio


async def test_stored_values_are_found_again(on_sqlite: Settings) -> None:
    guest = Guest("a1", "Ada Ǻsa", "de", "dark")
    table = table_of("a1", options={"hand": "many", "mode": "sides"}, started_at=Time().now(), seed=bytes(range(32)))
    async with Store.open(on_sqlite) as store:
        store.save_guest(guest)
        store.add_table(table)
        append(store, table, Entry(1, "action", 0, 14))
        append(store, table, Entry(2, "undo", 0, 1))
        key, secret = store.transact(matches.add_upload, '{"name": "Ǻ"}'), store.secret("guests")
    async with Store.open(on_sqlite) as store:
        assert store.transact(guests.find, "a1") == replace(guest, is_stored=True)
        assert store.transact(guests.find, "nobody") is None
        assert store.transact(tables.find, table.id) == table
        assert store.transact(tables.find, "nowhere") is None
        assert store.transact(tables.find_by_link, table.seats[1].link_token) == (table, 1)
        assert store.transact(tables.find_by_link, "wrong") is None
        assert store.transact(matches.entries_of, table.id) == [Entry(1, "action", 0, 14), Entry(2, "undo", 0, 1)]
        assert store.transact(matches.find_upload, key) == '{"name": "Ǻ"}'
        assert store.transact(matches.find_upload, "wrong") is None
        assert store.secret("guests") == secret
        assert store.secret("csrf") != secret
        assert await store.alive()


async def test_tables_are_found_by_guest_and_by_status(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        first, second = table_of("a1"), table_of("b1")
        running, hidden = table_of("b1", status="running"), table_of("b1", status="running", is_public=False)
        for table in (first, second, running, hidden):
            store.add_table(table)
        assert [table.id for table in store.transact(tables.of_guest, "a1")] == [first.id]
        assert [table.id for table in store.transact(tables.of_guest, "a12")] == [first.id], (
            "a seat that was moved to another device"
        )
        assert [table.id for table in store.transact(tables.public, "running")] == [running.id]
        assert store.transact(tables.running_with_bots, "hoard") == [hidden.id, running.id]
        assert store.transact(tables.running_with_bots, "axxa") == []
        assert store.transact(tables.count_unfinished, "b1", {"hoard": 3}) == 3
        assert [table.id for table in store.transact(tables.of_guest, "b1")] == [hidden.id, running.id, second.id]
        save(store, replace(running, status="over", finished_at=Time().now()))
        assert store.transact(tables.count_unfinished, "b1", {"hoard": 3}) == 2
        assert [table.id for table in store.transact(tables.of_guest, "b1")] == [hidden.id, second.id, running.id], (
            "unfinished ones first"
        )
        assert [table.id for table in store.transact(tables.of_guest, "b1", limit=1)] == [hidden.id]
        finished = store.transact(tables.find, running.id)
        assert finished is not None
        assert finished.status == "over"
        assert finished.finished_at is not None


async def test_old_lobbies_and_matches_of_other_rules_do_not_count_against_the_limit(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        for table in (
            table_of("a1", status="running"),
            table_of("a1", created_at=Time().now() - timedelta(hours=23)),
            table_of("a1", created_at=Time().now() - timedelta(hours=25)),
            table_of("a1", status="running", rules=2),
            table_of("a1", status="running", created_at=Time().now() - timedelta(days=300)),
        ):
            store.add_table(table)
        assert store.transact(tables.count_unfinished, "a1", {"hoard": 3, "axxa": 2}) == 3
        assert store.transact(tables.count_unfinished, "a1", {"axxa": 3}) == 1, "the game is not installed"


async def test_the_oldest_uploads_are_deleted(on_sqlite: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "UPLOADS_KEPT", 3)
    async with Store.open(on_sqlite) as store:
        keys = [store.transact(matches.add_upload, str(k)) for k in range(5)]
        assert [store.transact(matches.find_upload, key) for key in keys] == [None, None, "2", "3", "4"]


# ---------------------------------------------------------------------------------------------------- what can't be opened


async def test_a_second_process_on_the_same_file_by_another_path_is_refused(settings: Settings) -> None:
    (settings.data / "link").symlink_to(settings.data)
    async with Store.open(settings):
        with pytest.raises(StoreBusy, match=r"meadhall\.db"):
            async with Store.open(replace(settings, data=settings.data / "link")):
                pass


async def test_a_folder_may_have_special_characters(settings: Settings) -> None:
    odd = replace(settings, data=settings.data / "a b?c=d#e%41")
    async with Store.open(odd) as store:
        store.save_guest(Guest("a1", "Ada"))
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


async def test_a_new_guest_gets_a_public_id_that_stays(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        saved = [store.save_guest(Guest("a1", f"Ada {k}")) for k in range(8)]
        (public_id,) = {guest.public_id for guest in saved}
        other = store.save_guest(Guest("b1", "Björn"))
        renamed = store.save_guest(replace(saved[0], name="Ada Lovelace", public_id=""))
        assert public_id == renamed.public_id != other.public_id
        assert store.transact(guests.find_public, public_id) == renamed
        assert store.transact(guests.find_public, "nobody") is None
        found = store.transact(guests.find, "a1")
        assert found is not None
        assert found.public_id == public_id
