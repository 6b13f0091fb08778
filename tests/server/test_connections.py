"""Connections to PostgreSQL: through PgBouncer in each of its modes, and when there are too few of them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from asyncpg import ConnectionDoesNotExistError
from sqlalchemy import URL, Connection
from sqlalchemy.exc import DBAPIError

from games_for_tests.hoard.rules import BOAST
from meadhall.server.doctor.database import check_database
from meadhall.server.doctor.findings import Finding
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import connections
from meadhall.server.store.database import Database, NoAnswer, open_database
from meadhall.server.store.file_lock import StoreUnusable
from meadhall.server.store.queries import leases
from meadhall.server.store.store import Store
from server.halls import run_command
from server.people import HOARD, PATIENCE, open_hall
from server.pgbouncer import pgbouncer

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("at_once")]


async def findings(settings: Settings) -> list[Finding]:
    """Return what the doctor says about the database, except that the PostgreSQL of the tests doesn't flush."""
    found = await asyncio.to_thread(lambda: list(check_database(settings)))
    return [finding for finding in found if "fsync" not in finding.text]


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a busy machine take longer for a connection."""
    monkeypatch.setattr(connections, "_PROBE_TIMEOUT", PATIENCE)


def shown(connection: Connection, name: str) -> object:
    """Return a setting of a connection."""
    return connection.exec_driver_sql(f"SHOW {name}").scalar_one()


@pytest.mark.usefixtures("patient")
async def test_a_hall_plays_through_a_pooler_that_keeps_its_connections(on_postgresql: Settings, tmp_path: Path) -> None:
    with pgbouncer(on_postgresql, tmp_path, "session") as settings:
        async with open_hall(settings) as one, open_hall(replace(settings)) as two:
            host, _friend, room = await one.two_at(HOARD)
            assert two.store.listener is not None
            heard = asyncio.Event()
            two.store.listener.on("entry", lambda _notice: heard.set())
            assert (await host.act(room.table.id, BOAST)).status_code == 200
            await asyncio.wait_for(heard.wait(), PATIENCE)
            assert await two.store.transact(shown, "idle_in_transaction_session_timeout") == "4s"
            found = await findings(settings)
            assert {finding.status for finding in found} == {"ok"}
            assert any("a connection pooler gives the hall 12 connections" in finding.text for finding in found)
        backup = await asyncio.to_thread(run_command, settings, "backup", tmp_path / "hall.backup")
        assert backup.returncode == 0, backup.stderr


@pytest.mark.parametrize("is_prepared", [False, True])
async def test_a_frozen_process_loses_its_locks(
    is_prepared: bool, on_postgresql: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lock(connection: Connection) -> bool:
        return bool(connection.exec_driver_sql("SELECT pg_try_advisory_xact_lock(1)").scalar_one())

    async def freeze(store: Store, pool: connections.Connections) -> None:
        async with pool.transaction() as connection:
            assert await connection.run_sync(lock)
            driver: Any = (await connection.get_raw_connection()).driver_connection
            if is_prepared:
                await driver.prepare("SELECT 1")
            while not await store.transact(lock):
                await store.transact(leases.end_frozen)
            freed.set()

    freed = asyncio.Event()
    for module in (connections, leases):
        monkeypatch.setattr(module, "IDLE_TIMEOUT", 0.5)
    async with Store.open(on_postgresql) as store:
        frozen = connections.Connections(on_postgresql.url, PATIENCE, size=1)
        with pytest.raises((DBAPIError, ConnectionDoesNotExistError)):
            await freeze(store, frozen)
        assert freed.is_set()
        await frozen.engine.dispose()


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("mode", ["transaction", "statement"])
async def test_a_pooler_that_shares_connections_is_refused_in_words(mode: str, on_postgresql: Settings, tmp_path: Path) -> None:
    with pgbouncer(on_postgresql, tmp_path, mode) as settings:
        for _again in range(2):  # the second time, PgBouncer has connections that were used
            with pytest.raises(StoreUnusable, match=r"gives each transaction another connection.*pool_mode = session"):
                async with Store.open(settings):
                    pass
            (finding,) = await findings(settings)
            assert (finding.check, finding.status) == ("database", "wrong")
            assert "pool_mode = session" in finding.advice
        backup = await asyncio.to_thread(run_command, settings, "backup", tmp_path / "hall.backup")
        assert backup.returncode != 0
        assert "pool_mode = session" in backup.stderr


async def test_a_pooler_with_too_few_connections_is_told(
    on_postgresql: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_PROBE_TIMEOUT", 4.0)
    with pgbouncer(on_postgresql, tmp_path, "session", pool_size=5) as settings:
        (finding,) = [each for each in await findings(settings) if each.status != "ok"]
        assert re.search(r"may need 12 connections, and the connection pooler gives [1-5]$", finding.text)
        assert "default_pool_size" in finding.advice


# ----------------------------------------------------------------------------------------------------- too few connections


async def backends(database: Database | Store, count: int) -> set[int]:
    """Run transactions at the same time, and return the processes of PostgreSQL that served them."""

    def backend(connection: Connection) -> int:
        return int(connection.exec_driver_sql("SELECT pg_backend_pid() FROM pg_sleep(0.01)").scalar_one())

    return set(await asyncio.gather(*(database.transact(backend) for _number in range(count))))


@pytest_asyncio.fixture
async def as_role(on_postgresql: Settings) -> AsyncIterator[Callable[[int], Awaitable[URL]]]:
    """Return a function that makes a role with so many connections and returns its address of the database."""
    async with Store.open(on_postgresql) as store:

        async def make(limit: int) -> URL:
            name = f"of_{on_postgresql.url.database}"
            await store.transact(
                lambda connection: connection.exec_driver_sql(f"CREATE ROLE {name} LOGIN CONNECTION LIMIT {limit}")
            )
            return on_postgresql.url.set(username=name)

        yield make


async def test_requests_wait_for_the_connections_that_there_are(as_role: Callable[[int], Awaitable[URL]]) -> None:
    database = open_database(await as_role(2), Time(), connections=10)
    assert 1 <= len(await backends(database, 40)) <= 2
    await database.close()


async def test_a_request_without_a_connection_fails_in_time(as_role: Callable[[int], Awaitable[URL]]) -> None:
    database = open_database(await as_role(0), Time(), timeout=0.2, connections=10)
    with pytest.raises(NoAnswer, match="too many connections"):
        await backends(database, 1)
    await database.close()


async def test_requests_wait_when_a_pooler_lets_new_connections_wait(
    on_postgresql: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_SET_TIMEOUT", 2.0)
    with pgbouncer(on_postgresql, tmp_path, "session", pool_size=2) as settings:
        database = open_database(settings.url, Time(), connections=4)
        assert len(await backends(database, 20)) == 2
        await database.close()


async def test_a_process_has_as_many_connections_as_the_setting_says(on_postgresql: Settings) -> None:
    async with Store.open(replace(on_postgresql, database_connections=2)) as store:
        assert len(await backends(store, 20)) == 2
