"""``meadhall move``: from SQLite to PostgreSQL and back, and every way in which it may fail."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection, inspect

from meadhall.cli.hall_data import move, verify_hall
from meadhall.server.ops.time import Time
from meadhall.server.settings import BadSetting, Settings
from meadhall.server.store.database import open_database
from meadhall.server.store.file_lock import StoreBusy, StoreUnusable
from meadhall.server.store.maintenance import run_offline, snapshot, sole_use
from meadhall.server.store.models import Guest
from meadhall.server.store.queries import guests, tables
from meadhall.server.store.store import Store
from meadhall.server.store.transfer import DatabaseSource, NotEmpty, TransferFailed, load
from server.halls import run_command, tally, with_guests
from server.manual_time import settled
from server.people import AXES, open_hall

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def back_again(settings: Settings, tmp_path: Path) -> Settings:
    """Return settings of a third hall, on SQLite."""
    return replace(settings, data=tmp_path / "back", database_url=f"sqlite:///{tmp_path}/back/meadhall.db")


def tables_in(settings: Settings) -> list[str]:
    """Return the names of all tables of a PostgreSQL database."""

    async def read() -> list[str]:
        database = open_database(settings.url, Time())
        try:
            return await database.transact(lambda connection: inspect(connection).get_table_names())
        finally:
            await database.close()

    return asyncio.run(read())


async def test_a_hall_moves_to_postgresql_and_back_with_its_sessions_matches_and_keys(
    settings: Settings, on_postgresql: Settings, back_again: Settings, at_once: None
) -> None:
    async with open_hall(settings) as hall:
        await hall.played_out(AXES)
        host, _friend, room = await hall.two_at(AXES)
        program = await hall.program("Robot")
        table = (await program.open(game=AXES, players=2))["id"]
        token = program.http.headers["Authorization"]
    async with Store.open(settings) as store:
        await store.rotate_secret("daily", Time().now())  # leaves a numbered row
    there = await asyncio.to_thread(run_command, settings, "move", "--to", on_postgresql.database_url)
    assert (there.returncode, there.stderr) == (0, "")
    assert "can be opened" in there.stdout
    assert not (await asyncio.to_thread(tally, settings)).differences(await asyncio.to_thread(tally, on_postgresql))
    async with open_hall(on_postgresql) as hall:
        program = await hall.program()
        program.http.headers["Authorization"] = token
        assert (await program.read(f"/tables/{table}")).json()["you"] == 0
        people = [hall.person(), hall.person("10.0.0.2")]
        people[0].http.cookies.update(host.http.cookies)
        assert (await people[0].ask(f"/tables/{room.table.id}/resign")).status_code == 200
        await hall.store.rotate_secret("guests", Time().now())  # the numbers of rows continue
    again = await asyncio.to_thread(
        run_command, settings, "move", "--from", on_postgresql.database_url, "--to", back_again.database_url
    )
    assert (again.returncode, again.stderr) == (0, "")
    verified = await asyncio.to_thread(run_command, back_again, "verify-hall")
    assert (verified.returncode, verified.stderr) == (0, "")
    assert "2 matches verified" in verified.stdout
    assert not (await asyncio.to_thread(tally, on_postgresql)).differences(await asyncio.to_thread(tally, back_again))
    async with Store.open(back_again) as store:
        await store.rotate_secret("guests", Time().now())
        found = await store.transact(tables.find, room.table.id)
        assert found is not None
        assert found.status == "abandoned"


@pytest.mark.parametrize("target", ["sqlite", "postgresql"])
def test_a_hall_is_not_moved_onto_another(settings: Settings, on_postgresql: Settings, back_again: Settings, target: str) -> None:
    other = back_again if target == "sqlite" else on_postgresql
    with_guests(settings, 2)
    with_guests(other, 3)
    before = tally(other)
    with pytest.raises(NotEmpty, match="already a hall"):
        move(str(settings.url), other.database_url)
    assert not tally(other).differences(before)


async def test_a_running_hall_is_not_moved(on_each_database: Settings, back_again: Settings) -> None:
    source = on_each_database.database_url or str(on_each_database.url)
    async with Store.open(on_each_database) as store:
        with pytest.raises(StoreBusy, match=r"stop it first$"):
            await asyncio.to_thread(move, source, back_again.database_url)
        await store.save_guest(Guest("a", "Astrid"))
    assert not (back_again.data / "meadhall.db").exists()


async def test_a_hall_is_not_moved_to_a_database_that_a_hall_uses(
    settings: Settings, on_postgresql: Settings, back_again: Settings
) -> None:
    await asyncio.to_thread(with_guests, settings, 1)
    for other in (on_postgresql, back_again):
        async with Store.open(other):
            with pytest.raises(StoreBusy, match=r"stop it first$"):
                await asyncio.to_thread(move, str(settings.url), other.database_url)


async def test_no_hall_starts_on_postgresql_while_it_is_moved_there(settings: Settings, on_empty_postgresql: Settings) -> None:
    """It waits, and then opens the hall that was moved."""
    await asyncio.to_thread(with_guests, settings, 3)
    opening: list[asyncio.Task[Guest | None]] = []
    loop = asyncio.get_running_loop()

    async def open_there() -> Guest | None:
        async with Store.open(on_empty_postgresql) as store:
            return await store.transact(guests.find, "guest1")

    def progress(_rows: int) -> None:
        if not opening:
            opening.append(asyncio.run_coroutine_threadsafe(_task(open_there), loop).result())
        asyncio.run_coroutine_threadsafe(settled(), loop).result()

    async def _task(work: object) -> asyncio.Task[Guest | None]:
        return asyncio.create_task(work())  # type: ignore[operator]

    def work() -> None:
        with snapshot(settings.url) as source, sole_use(on_empty_postgresql.url, on_empty_postgresql.data) as target:
            load(target, DatabaseSource.open(source), progress)
            assert not opening[0].done()

    await asyncio.to_thread(run_offline, work)
    found = await opening[0]
    assert found is not None
    assert found.name == "Astrid"


@pytest.mark.parametrize("target", ["sqlite", "postgresql"])
def test_nothing_is_left_of_a_move_that_is_interrupted(
    settings: Settings, on_empty_postgresql: Settings, back_again: Settings, target: str
) -> None:
    other = back_again if target == "sqlite" else on_empty_postgresql
    with_guests(settings, 5)

    def interrupted(_rows: int) -> None:
        raise KeyboardInterrupt

    def work() -> None:
        with snapshot(settings.url) as source, sole_use(other.url, other.data) as connection:
            load(connection, DatabaseSource.open(source), interrupted)

    with pytest.raises(KeyboardInterrupt):
        run_offline(work)
    if target == "sqlite":
        assert [path.name for path in other.data.iterdir()] == ["meadhall.db.lock"]
    else:
        assert tables_in(other) == []
    move(str(settings.url), other.database_url)


def test_a_row_that_can_not_be_stored_is_named_and_nothing_is_copied(settings: Settings, on_empty_postgresql: Settings) -> None:
    with_guests(settings, 2)
    with sqlite3.connect(settings.data / "meadhall.db") as connection:
        connection.execute("UPDATE guests SET name = ? WHERE id = 'guest1'", ("x" * 50,))
    connection.close()
    with pytest.raises(TransferFailed, match=r"a row of guests can't be stored: value too long"):
        move(str(settings.url), on_empty_postgresql.database_url)
    assert tables_in(on_empty_postgresql) == []


async def test_a_copy_that_is_not_the_same_is_refused(settings: Settings, back_again: Settings) -> None:
    await asyncio.to_thread(with_guests, settings, 2)

    def work() -> None:
        with snapshot(settings.url) as source, sole_use(back_again.url, back_again.data) as target:
            load(target, DatabaseSource.open(source), lambda _: spoil(target))

    def spoil(connection: Connection) -> None:
        connection.exec_driver_sql("UPDATE guests SET choices = NULL WHERE id = 'guest1'")

    with pytest.raises(TransferFailed, match="not the same as the original: guests"):
        await asyncio.to_thread(run_offline, work)
    assert not (back_again.data / "meadhall.db").exists()


async def test_matches_that_do_not_verify_are_copied_and_named_beside_the_running_hall(
    settings: Settings, back_again: Settings, at_once: None, capsys: Capture
) -> None:
    async with open_hall(settings) as hall:
        ids = [(await hall.played_out(AXES)).table.id for _ in range(5)]
    with sqlite3.connect(settings.data / "meadhall.db") as connection:
        connection.execute("UPDATE match_entries SET value = 9999 WHERE number = 1 AND table_id = ?", ids[:1])
        connection.execute("DELETE FROM match_entries WHERE number = 1 AND table_id = ?", ids[1:2])
        connection.execute("UPDATE tables SET seed = zeroblob(32) WHERE id = ?", ids[2:3])
        connection.execute("UPDATE tables SET rules = 0 WHERE id = ?", ids[3:4])
    connection.close()
    await asyncio.to_thread(move, str(settings.url), back_again.database_url)
    capsys.readouterr()
    async with open_hall(back_again):
        assert await asyncio.to_thread(verify_hall, back_again) == 1
    out, err = capsys.readouterr()
    assert "1 match verified" in out
    assert f"1 match of {AXES} was played under version 0 of its rules" in out
    for id in ids[:3]:
        assert f"the match at table {id} does not verify: " in err


def test_urls_are_checked(settings: Settings, on_postgresql: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEADHALL_DATA", str(settings.data))
    monkeypatch.delenv("MEADHALL_DATABASE_URL", raising=False)
    with pytest.raises(StoreUnusable, match="there is no database"):
        move(None, f"sqlite:///{tmp_path}/new.db")
    assert not (tmp_path / "new.db").exists()
    with_guests(settings, 1)
    with pytest.raises(BadSetting, match="--to must be a URL"):
        move(None, "mysql://x/y")
    with pytest.raises(BadSetting, match="same database"):
        move(None, str(settings.url))
    with pytest.raises(StoreUnusable, match="unexpected keyword"):
        move(None, f"{on_postgresql.database_url}?nonsense=1")
    with pytest.raises(StoreUnusable, match="can't be used") as refusal:
        move(None, "postgresql://ada:secret@127.0.0.1:1/hall")
    assert "secret" not in str(refusal.value)
    move(None, f"sqlite:///{tmp_path}/new.db")
