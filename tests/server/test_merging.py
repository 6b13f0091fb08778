"""Two guests become one, and a guest is deleted: for everything that a person has only once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import guests, matches, personal_data, puzzles, schema, tables
from meadhall.server.store.database import Db
from meadhall.server.store.models import Entry, Guest, SeatRow, TableRow, new_id, new_link_token
from meadhall.server.store.schema import GUEST_COLUMNS, GuestColumn
from meadhall.server.store.store import Store
from meadhall.server.store.tables import RequestKey
from server.rows import append

pytestmark = pytest.mark.asyncio

SOURCE, TARGET, OTHER = "aaaa", "bbbb", "cccc"


def table_with(host: str, *owners: str, **changes: object) -> TableRow:
    """Return a table with a person on each seat; several owners of a seat are separated by blanks."""
    seats = tuple(
        SeatRow(k, "human", f"Name {k}", None, frozenset(guests.split()), new_link_token()) for k, guests in enumerate(owners)
    )
    table = TableRow(new_id(), "hoard", 3, {}, "gathering", host, True, b"\0" * 32, Time().now(), seats)
    return replace(table, **changes)  # type: ignore[arg-type]


def stored(store: Store, table: TableRow) -> TableRow:
    found = store.transact(tables.find, table.id)
    assert found is not None
    return found


def merge(store: Store) -> list[str]:
    return store.transact(personal_data.merge_guests, SOURCE, TARGET)


def remove(store: Store, guest: str = SOURCE) -> list[str]:
    return store.transact(personal_data.delete_guest, guest, "former player")


async def test_seats_tables_and_matches_belong_to_the_target(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        for id in (SOURCE, TARGET):
            store.save_guest(Guest(id, id))
        hosted = table_with(SOURCE, SOURCE, OTHER, status="running", started_at=Time().now())
        joined = table_with(OTHER, OTHER, f"{SOURCE} phone", status="over", started_at=Time().now(), finished_at=Time().now())
        waiting, foreign = table_with(OTHER, SOURCE, OTHER), table_with(OTHER, OTHER)
        for table in (hosted, joined, waiting, foreign):
            store.add_table(table)
        append(store, hosted, Entry(1, "action", 0, 14))
        assert merge(store) == sorted((hosted.id, joined.id, waiting.id))
        assert (stored(store, hosted)).host == TARGET
        assert (stored(store, hosted)).version > hosted.version, "open pages learn of it"
        assert (stored(store, hosted)).seats[0].guests == {TARGET}
        assert (stored(store, waiting)).seats[0].stored_crest == Guest(TARGET, TARGET).crest.text
        assert (stored(store, hosted)).seats[0].stored_crest == "", "crests stay during a match"
        assert (stored(store, joined)).seats[1].guests == {TARGET, "phone"}
        assert stored(store, foreign) == foreign
        assert len(store.transact(matches.entries_of, hosted.id)) == 1
        assert {table.id for table in store.transact(tables.of_guest, TARGET)} == {hosted.id, joined.id, waiting.id}
        assert store.transact(tables.of_guest, SOURCE) == []
        assert store.transact(guests.find, SOURCE) is None
        assert merge(store) == [], "a second merge changes nothing"


async def test_a_second_seat_before_a_match_is_opened(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        table = table_with(SOURCE, SOURCE, TARGET)
        store.add_table(table)
        merge(store)
        merged = stored(store, table)
        assert (merged.host, merged.status) == (TARGET, "gathering")
        assert [(row.kind, row.name, row.guests) for row in merged.seats] == [
            ("open", "", frozenset()),
            ("human", "Name 1", {TARGET}),
        ]
        assert merged.seats[0].link_token != table.seats[0].link_token, "its private link leads nowhere"


async def test_a_bot_takes_a_second_seat_in_a_running_match(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        table = table_with(TARGET, TARGET, SOURCE, status="running", started_at=Time().now())
        store.add_table(table)
        merge(store)
        merged = stored(store, table)
        assert merged.status == "running"
        assert [(row.kind, row.bot, row.guests) for row in merged.seats] == [
            ("human", None, {TARGET}),
            ("bot", "jarl", frozenset()),
        ]


async def test_both_seats_of_a_finished_match_and_one_shared_seat_belong_to_the_target(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        over = table_with(TARGET, TARGET, SOURCE, status="over", started_at=Time().now(), finished_at=Time().now())
        shared = table_with(SOURCE, f"{SOURCE} {TARGET}", OTHER, status="running", started_at=Time().now())
        for table in (over, shared):
            store.add_table(table)
        merge(store)
        assert [row.guests for row in (stored(store, over)).seats] == [{TARGET}, {TARGET}]
        assert [row.guests for row in (stored(store, shared)).seats] == [{TARGET}, {OTHER}]
        assert (stored(store, shared)).seats[0].kind == "human"


async def test_of_two_attempts_at_a_puzzle_the_targets_counts_and_the_other_stays_sealed(on_sqlite: Settings) -> None:
    today, yesterday = Time().now().date().isoformat(), (Time().now() - timedelta(days=1)).date().isoformat()
    async with Store.open(on_sqlite) as store:
        own = table_with(TARGET, TARGET, daily=today, status="running")
        second = table_with(
            SOURCE, SOURCE, daily=today, status="over", finished_at=Time().now(), figures={"won": 1}, standing="00"
        )
        only = table_with(SOURCE, SOURCE, daily=yesterday, status="over", finished_at=Time().now())
        for table in (own, second, only):
            store.add_table(table)
        merge(store)
        found = stored(store, second)
        assert (found.daily, found.host, found.standing) == (today, SOURCE, "00")
        assert found.seats[0].guests == {TARGET}
        assert (stored(store, only)).host == TARGET
        attempts = store.transact(puzzles.attempts, today, TARGET)
        assert {table.id for table in attempts} == {own.id, second.id}
        assert min(attempts, key=lambda table: table.host != TARGET).id == own.id


async def test_settings_and_keys_of_the_target_stay_and_the_sources_are_added(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        before = store.save_guest(Guest(TARGET, "Ada", "de", "dark", choices={"axxa": {"players": 2}}))
        store.save_guest(Guest(SOURCE, "Eve", choices={"axxa": {"players": 1}, "hoard": {"players": 3}}))
        opened = {}
        for guest, key in ((TARGET, "both"), (SOURCE, "both"), (SOURCE, "one")):
            opened[guest, key] = table_with(guest, guest)
            store.add_table(opened[guest, key], RequestKey(key, "f" * 64))
        merge(store)
        after = store.transact(guests.find, TARGET)
        assert after == replace(before, choices={"axxa": {"players": 2}, "hoard": {"players": 3}})
        assert after.public_id == before.public_id
        for key, table in (("both", opened[TARGET, "both"]), ("one", opened[SOURCE, "one"])):
            found = store.transact(tables.find_request, TARGET, key)
            assert found is not None
            assert found[1] == table.id
        assert store.transact(tables.find_request, SOURCE, "both") is None


async def test_pairs_of_guests_are_moved_without_doubles_and_without_a_pair_with_oneself(
    on_sqlite: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = tuple(GuestColumn("pairs", column, "move", "delete", "rows") for column in ("who", "whom"))
    monkeypatch.setattr(schema, "GUEST_COLUMNS", (*GUEST_COLUMNS, *columns))

    def create(db: Db) -> None:
        db.run("CREATE TABLE pairs (who VARCHAR(32), whom VARCHAR(32), PRIMARY KEY (who, whom))")
        found = [(SOURCE, OTHER), (TARGET, OTHER), (OTHER, SOURCE), (SOURCE, TARGET), (OTHER, "dddd")]
        db.insert("pairs", *({"who": who, "whom": whom} for who, whom in found))

    def read(db: Db) -> set[tuple[str, str]]:
        return {(who, whom) for who, whom in db.rows("SELECT who, whom FROM pairs")}

    async with Store.open(on_sqlite) as store:
        store.transact(create)
        merge(store)
        assert store.transact(read) == {(TARGET, OTHER), (OTHER, TARGET), (OTHER, "dddd")}
        remove(store, TARGET)
        assert store.transact(read) == {(OTHER, "dddd")}


async def test_matches_of_a_deleted_guest_stay_without_the_name(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        store.save_guest(Guest(SOURCE, "Ada"))
        over = table_with(OTHER, OTHER, SOURCE, status="over", finished_at=Time().now())
        daily = table_with(SOURCE, SOURCE, daily="2026-11-20", status="over", finished_at=Time().now(), standing="00")
        store.add_table(over, RequestKey("key", "f" * 64))
        store.add_table(daily, RequestKey("key", "f" * 64))
        append(store, over, Entry(1, "action", 0, 14))
        assert remove(store) == sorted((over.id, daily.id))
        assert store.transact(guests.find, SOURCE) is None
        assert [(row.name, row.guests) for row in (stored(store, over)).seats] == [
            ("Name 0", {OTHER}),
            ("former player", frozenset()),
        ]
        assert (stored(store, daily)).seats[0].name == "former player"
        assert (stored(store, daily)).standing == "00", "a result of a puzzle stays in the ranking"
        assert len(store.transact(matches.entries_of, over.id)) == 1
        assert store.transact(tables.find_request, SOURCE, "key") is None
        assert store.transact(tables.of_guest, SOURCE) == [stored(store, daily)], "of a row that stays only an unused id is left"
        assert remove(store) == [daily.id], "deleting again does no harm"


async def test_a_deleted_guest_leaves_tables_that_are_not_over(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        running = table_with(SOURCE, SOURCE, OTHER, status="running", started_at=Time().now())
        alone = table_with(SOURCE, SOURCE, status="running", started_at=Time().now())
        lobby = table_with(SOURCE, SOURCE, OTHER)
        waiting = table_with(SOURCE, SOURCE)
        for table in (running, alone, lobby, waiting):
            store.add_table(table)
        remove(store)
        assert [(row.kind, row.name, row.bot) for row in (stored(store, running)).seats] == [
            ("bot", "former player", "jarl"),
            ("human", "Name 1", None),
        ]
        assert (stored(store, running)).host == OTHER
        assert (stored(store, alone)).status == "abandoned"
        assert (stored(store, lobby)).host == OTHER
        assert [row.kind for row in (stored(store, lobby)).seats] == ["open", "human"]
        assert (stored(store, waiting)).status == "closed"
