"""The history of the schema: an empty database, a database of the last version, names of constraints, migrations that fail."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from itsdangerous import URLSafeSerializer
from sqlalchemy import Connection, MetaData, create_engine, insert, inspect, select

from meadhall.engine.game import registered
from meadhall.engine.record.format import loads
from meadhall.engine.record.replay import replay
from meadhall.server.hall import daily
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import migrations
from meadhall.server.store.database import open_database
from meadhall.server.store.file_lock import StoreUnusable
from meadhall.server.store.models import Entry, Guest
from meadhall.server.store.schema import metadata
from meadhall.server.store.store import Store
from server.hoard_alone import HOARD_ALONE
from server.people import HOARD, OpenHall, Person, open_hall, play_out
from server.rows import table_of

pytestmark = pytest.mark.asyncio

VERSION_0_1 = Path(__file__).parent / "databases" / "version_0_1.sql"

# Its comment says which guest and which table is which.
ADA, BJORN, EVE, KARI = (
    "eaacad1d7cfee1f9338bf3d2",
    "703f7a914db8020e58dcdd29",
    "af87828caca11961519ef555",
    "07028d1bf66129896244b808",
)
OVER, REMATCH, RUNNING, LOBBY, ABANDONED = "e3MqY-CQjiBC", "cNpI1wqiF6aU", "BaR_xs6FNjwP", "BQih2R3jxAuF", "frhmGnOgMIgh"
DAY, DAILY_OVER, DAILY_RUNNING = "2026-11-26", "nByV2ZeLgXI8", "tqeMDE1sUlcq"
UPLOAD = "HD6EYN9Vvq_AKKOHDKqn5V7V"


async def run(settings: Settings, work: Any) -> Any:
    """Run a function in a transaction, on a database that no store has opened."""
    database = open_database(settings.url, Time())
    try:
        return await database.transact(work)
    finally:
        await database.close()


# ----------------------------------------------------------------------------------------------------------------- the schema


async def test_the_migrations_create_the_schema_that_the_queries_expect(on_each_database: Settings) -> None:
    def differences(connection: Connection) -> list[object]:
        migrations.upgrade(connection)  # a second time: nothing happens
        return list(compare_metadata(MigrationContext.configure(connection, opts={"compare_server_default": True}), metadata))

    async with Store.open(on_each_database) as store:
        assert await store.transact(differences) == []


async def test_constraints_and_indexes_have_the_same_names_on_both_databases(on_each_database: Settings) -> None:
    def names(connection: Connection) -> dict[str, set[str | None]]:
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

    async with Store.open(on_each_database) as store:
        assert await store.transact(names) == {
            "secrets": {"pk_secrets"},
            "retired_secrets": {"pk_retired_secrets"},
            "counters": {"pk_counters"},
            "daily_scores": {"pk_daily_scores"},
            "admission_links": {"pk_admission_links", "uq_admission_links_token"},
            "identity_links": {"pk_identity_links", "ix_identity_links_guest", "ix_identity_links_expires_at"},
            "push_subscriptions": {"pk_push_subscriptions", "uq_push_subscriptions_endpoint", "ix_push_subscriptions_guest"},
            "seeks": {"pk_seeks", "uq_seeks_id", "ix_seeks_seen_at", "ix_seeks_pool"},
            "guests": {"pk_guests", "uq_guests_public_id"},
            "tables": {
                "pk_tables",
                "uq_tables_daily_host",
                "ix_tables_status_created_at",
                "ix_tables_host_status",
                "ix_tables_daily_standing_finished_at",
                "ix_tables_driver_game_rules",
            },
            "seats": {"pk_seats", "fk_seats_table_id_tables", "uq_seats_link_token"},
            "seat_guests": {"pk_seat_guests", "fk_seat_guests_table_id_seat_seats", "ix_seat_guests_guest"},
            "match_entries": {"pk_match_entries", "fk_match_entries_table_id_tables", "ix_match_entries_table_id"},
            "results": {
                "pk_results",
                "fk_results_table_id_tables",
                "ix_results_table_id",
                "ix_results_guest_daily_finished_at_score",
            },
            "uploads": {"pk_uploads", "ix_uploads_created_at"},
            "accounts": {
                "pk_accounts",
                "uq_accounts_drawn_name",
                "uq_accounts_folded_name",
                "uq_accounts_handle",
            },
            "passkeys": {"pk_passkeys", "ix_passkeys_guest"},
            "recovery_codes": {"pk_recovery_codes"},
            "sessions": {"pk_sessions", "uq_sessions_token", "ix_sessions_guest", "ix_sessions_last_used_at"},
            "challenges": {"pk_challenges", "ix_challenges_expires_at"},
            "failed_attempts": {"pk_failed_attempts", "ix_failed_attempts_last_at"},
            "health_checks": {"pk_health_checks"},
            "processes": {"pk_processes"},
            "pulse": {"pk_pulse"},
            "downtimes": {"pk_downtimes"},
            "departures": {"pk_departures", "fk_departures_table_id_tables"},
            "jobs": {"pk_jobs", "ix_jobs_due_at", "uq_jobs_kind_key"},
            "idempotency_keys": {"pk_idempotency_keys", "ix_idempotency_keys_created_at"},
            "chat_lines": {
                "pk_chat_lines",
                "fk_chat_lines_table_id_tables",
                "uq_chat_lines_id",
                "ix_chat_lines_guest_created_at",
            },
            "closed_chats": {"pk_closed_chats", "fk_closed_chats_table_id_tables"},
            "ignored_guests": {"pk_ignored_guests", "ix_ignored_guests_other"},
            "invitations": {
                "pk_invitations",
                "fk_invitations_table_id_tables",
                "ix_invitations_guest",
                "ix_invitations_inviter",
            },
        }


async def test_all_migrations_can_be_downgraded_and_upgraded_again(on_each_database: Settings) -> None:
    def down_and_up(connection: Connection) -> None:
        migrations.downgrade(connection, "base")
        migrations.upgrade(connection)

    async with Store.open(on_each_database) as store:
        await store.transact(down_and_up)
        assert await store.alive()


@pytest.mark.parametrize("revision", ["0001", "0002", "0003"])
async def test_rows_survive_a_downgrade_and_an_upgrade(on_each_database: Settings, revision: str) -> None:
    async with Store.open(on_each_database) as store:
        table = table_of("a1", status="running")
        await store.save_guest(Guest("a1", "Ada"))
        await store.add_table(table)
        await store.append(table.id, Entry(1, "action", 0, 14), over=False)
        upload = await store.add_upload("{}")
        await store.transact(lambda connection: migrations.downgrade(connection, revision))
    async with Store.open(on_each_database) as store:
        assert await store.table(table.id) == table
        assert await store.entries(table.id) == [Entry(1, "action", 0, 14)]
        assert await store.guest("a1") == Guest("a1", "Ada", is_stored=True)
        assert await store.upload(upload) == "{}"


# ------------------------------------------------------------------------------------------------ a database of the last version


@pytest_asyncio.fixture
async def of_last_version(on_each_database: Settings) -> Settings:
    """Settings with a database that version 0.1 has written: the SQLite file itself, or its rows on PostgreSQL."""
    settings = on_each_database
    sql = VERSION_0_1.read_text("utf-8")
    if settings.embedded:
        with sqlite3.connect(settings.data / "meadhall.db") as file:
            file.executescript(sql)
        file.close()
        return settings

    file = sqlite3.connect(settings.data / "old.db")
    file.executescript(sql)
    file.close()
    engine = create_engine(f"sqlite:///{settings.data}/old.db")
    old = MetaData()
    with engine.connect() as connection:
        old.reflect(connection)
        rows = {
            table.name: [_with_time_zones(dict(row._mapping)) for row in connection.execute(select(table))]
            for table in old.sorted_tables
            if table.name != "alembic_version"
        }
    engine.dispose()

    def copy(connection: Connection) -> None:
        migrations.upgrade(connection, "0003")
        schema = MetaData()
        schema.reflect(connection)
        for table, of_table in rows.items():
            connection.execute(insert(schema.tables[table]), of_table)

    await run(settings, copy)
    return settings


def _with_time_zones(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value.replace(tzinfo=UTC) if isinstance(value, datetime) else value for name, value in row.items()}


@pytest_asyncio.fixture
async def upgraded(of_last_version: Settings, at_once: None, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OpenHall]:
    """A hall that has opened it."""
    with registered(HOARD_ALONE):
        monkeypatch.setattr(daily, "game_names", lambda: [HOARD])
        async with open_hall(of_last_version) as hall:
            yield hall


async def person(hall: OpenHall, guest: str) -> Person:
    """A guest of then, with the cookie that the old version gave them."""
    cookie = URLSafeSerializer(await hall.store.secret("guests"), salt="guest").dumps(guest)
    someone = hall.person()
    someone.http.cookies.set("meadhall_guest", str(cookie), domain="hall.test")
    return someone


async def test_guests_are_known_by_their_old_cookies(upgraded: OpenHall) -> None:
    for guest, name, theme in ((ADA, "Ada", "dark"), (BJORN, "Björn", "auto"), (EVE, "Eve", "auto")):
        page = (await (await person(upgraded, guest)).get("/settings")).text
        assert f'value="{name}"' in page
        assert f'data-theme="{theme}"' in page
    stored = await upgraded.store.guest(BJORN)
    assert stored == Guest(BJORN, "Björn", "de", "auto", is_stored=True)


async def test_guests_of_then_have_got_different_public_ids(upgraded: OpenHall) -> None:
    found = [await upgraded.store.guest(guest) for guest in (ADA, BJORN, EVE, KARI)]
    public_ids = {guest.public_id for guest in found if guest is not None}
    assert len(public_ids) == len([guest for guest in found if guest is not None]) > 1
    assert all(len(public_id) == 12 for public_id in public_ids)


async def test_tables_and_seats_are_unchanged(upgraded: OpenHall) -> None:
    tables = {}
    for id in (OVER, REMATCH, RUNNING, LOBBY, ABANDONED, DAILY_OVER, DAILY_RUNNING):
        table = await upgraded.store.table(id)
        assert table is not None
        tables[id] = table
    told = {id: (table.status, table.is_public, [seat.guests for seat in table.seats]) for id, table in tables.items()}
    ada, bjorn, eve, none = frozenset({ADA}), frozenset({BJORN}), frozenset({EVE}), frozenset[str]()
    assert told == {
        OVER: ("over", True, [ada, bjorn]),
        REMATCH: ("gathering", True, [ada, bjorn]),
        RUNNING: ("running", False, [ada, frozenset({BJORN, KARI})]),
        LOBBY: ("gathering", True, [eve, none, none]),
        ABANDONED: ("abandoned", False, [none, none]),
        DAILY_OVER: ("over", False, [ada]),
        DAILY_RUNNING: ("running", False, [eve]),
    }
    over, given_up, puzzle = tables[OVER], tables[ABANDONED], tables[DAILY_OVER]
    assert (over.host, over.rematch, over.version, over.options) == (ADA, REMATCH, 5, {"hand": "few", "mode": "rivals"})
    assert over.created_at == datetime(2026, 11, 26, 9, 40, 41, 10905, UTC)
    assert over.started_at == datetime(2026, 11, 26, 9, 40, 41, 541583, UTC)
    assert over.finished_at == datetime(2026, 11, 26, 9, 40, 41, 721043, UTC)
    assert over.seed.hex().startswith("8318fbe120046bab")
    assert given_up.abandon_reason == "everybody left"
    assert (puzzle.daily, puzzle.figures) == (DAY, {"won": 0, "coins": 17, "turns": 3})
    assert [(seat.kind, seat.bot) for seat in tables[LOBBY].seats] == [("human", None), ("bot", "random"), ("open", None)]


async def test_a_running_match_can_be_continued(upgraded: OpenHall) -> None:
    assert await upgraded.store.entries(RUNNING) == [
        Entry(1, "action", 0, 14),
        Entry(2, "undo", 0, 1),
        Entry(3, "hint", 0, 0),
        Entry(4, "hinted", 0, 1),
    ]
    ada, phone = await person(upgraded, ADA), await person(upgraded, KARI)
    await play_out(await upgraded.room(RUNNING), {0: ada, 1: phone})
    record = loads((await ada.get(f"/tables/{RUNNING}/record")).content)
    assert replay(record).over
    stored = await upgraded.store.table(RUNNING)
    assert stored is not None
    assert stored.status == "over"
    assert stored.finished_at is not None


async def test_a_lobby_can_be_filled_and_started(upgraded: OpenHall) -> None:
    eve, friend = await person(upgraded, EVE), upgraded.person("10.0.0.9")
    assert (await eve.get(f"/tables/{LOBBY}")).status_code == 200
    assert LOBBY in (await friend.get("/")).text, "its host is there"
    assert (await friend.ask(f"/tables/{LOBBY}/seats", {"set": "sit"})).status_code == 200
    assert (await eve.ask(f"/tables/{LOBBY}/start")).status_code == 200
    assert (await upgraded.room(LOBBY)).match is not None


async def test_finished_matches_and_records_are_shown(upgraded: OpenHall) -> None:
    ada = await person(upgraded, ADA)
    for path in (f"/tables/{OVER}", f"/tables/{OVER}/replay", f"/tables/{ABANDONED}", f"/replay/{UPLOAD}", "/"):
        assert (await ada.get(path)).status_code == 200, path
    assert replay(loads((await ada.get(f"/tables/{OVER}/record")).content)).over
    rematch = await ada.post(f"/tables/{OVER}/rematch")
    assert rematch.headers["location"] == f"/tables/{REMATCH}"


async def test_private_links_still_lead_to_their_seats(upgraded: OpenHall) -> None:
    table = await upgraded.store.table(RUNNING)
    assert table is not None
    device = upgraded.person("10.0.0.9")
    answer = await device.post(f"/seat/{table.seats[0].link_token}")
    assert answer.headers["location"] == f"/tables/{RUNNING}"
    assert (await device.ask(f"/tables/{RUNNING}/resign")).status_code == 200


async def test_attempts_at_a_daily_puzzle_are_ranked(upgraded: OpenHall) -> None:
    assert await upgraded.store.days() == [DAY]
    assert await upgraded.store.attempted_game(DAY) == HOARD
    page = (await (await person(upgraded, ADA)).get(f"/daily/{DAY}")).text
    assert "17" in page
    eve = await person(upgraded, EVE)
    await play_out(await upgraded.room(DAILY_RUNNING), {0: eve})


async def test_a_new_table_can_be_opened_beside_the_old_ones(upgraded: OpenHall) -> None:
    ada = await person(upgraded, ADA)
    new = await ada.open(HOARD)
    assert {table.id for table in await upgraded.store.tables_of(ADA)} >= {new, OVER, RUNNING}


async def test_all_secrets_are_kept_except_the_one_for_csrf_tokens(of_last_version: Settings) -> None:
    async with Store.open(of_last_version) as store:
        assert (await store.secret("daily")).startswith("c92e87be")
        names = await store.transact(
            lambda connection: connection.exec_driver_sql("SELECT name FROM secrets ORDER BY name").scalars().all()
        )
        assert list(names) == ["daily", "guests"]


async def test_a_failed_migration_leaves_the_database_unchanged(
    of_last_version: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoil(connection: Connection) -> None:
        """Give the last step of the migration something that it can't do."""
        connection.exec_driver_sql("ALTER TABLE records RENAME COLUMN created TO made")

    def mend(connection: Connection) -> None:
        connection.exec_driver_sql("ALTER TABLE records RENAME COLUMN made TO created")

    await run(of_last_version, spoil)
    with pytest.raises(StoreUnusable, match="created"):
        async with Store.open(of_last_version):
            pass
    await run(of_last_version, mend)
    async with Store.open(of_last_version) as store:
        assert len(await store.entries(OVER)) == 4
        assert await store.upload(UPLOAD) is not None
