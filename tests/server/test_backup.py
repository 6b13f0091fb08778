"""``meadhall backup`` and ``meadhall restore``: with files that are damaged."""

from __future__ import annotations

import asyncio
import gzip
import os
import random
import shutil
import sqlite3
import stat
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from meadhall.cli.hall_data import backup as back_up, restore
from meadhall.server.settings import Settings
from meadhall.server.store.backups import BadBackup, NotEmpty
from meadhall.server.store.files import StoreBusy, StoreUnusable
from meadhall.server.store.store import Store
from server.halls import HALL_B48E365, tally, with_guests
from server.people import AXES, OpenHall, Person, open_hall


async def test_a_restored_hall_knows_its_guests_and_continues_its_matches(
    on_sqlite: Settings, elsewhere: Settings, at_once: None, tmp_path: Path
) -> None:
    async with open_hall(on_sqlite) as hall:
        host, friend, room = await hall.two_at(AXES)
        await hall.played_out(AXES)
        program = await hall.program("Robot")
        opened = (await program.open(game=AXES, players=2))["id"]
        await asyncio.to_thread(back_up, tmp_path / "hall.backup", on_sqlite.data)
        stored = await asyncio.to_thread(tally, on_sqlite)
    await asyncio.to_thread(restore, tmp_path / "hall.backup", elsewhere.data, False)
    assert stored == await asyncio.to_thread(tally, elsewhere)
    async with open_hall(elsewhere) as hall:
        people = [same(person, hall) for person in (host, friend)]
        match = (await hall.room(room.table.id)).match
        assert match is not None
        assert match.actor is not None
        assert (await people[match.actor].act(room.table.id, match.legal()[0].action)).status_code == 200
        again = await hall.program()
        again.http.headers["Authorization"] = program.http.headers["Authorization"]
        assert (await again.read(f"/tables/{opened}")).json()["you"] == 0


def same(person: Person, hall: OpenHall) -> Person:
    again = hall.person(person.address)
    again.http.cookies.update(person.http.cookies)
    return again


async def test_versions_of_open_pages_rise_after_an_old_backup_was_restored(settings: Settings, tmp_path: Path) -> None:
    async with Store.open(settings):
        pass
    await asyncio.to_thread(back_up, tmp_path / "hall.backup", settings.data)
    for _ in range(3):
        async with Store.open(settings) as store:
            stamp = store.stamp()
    await asyncio.to_thread(restore, tmp_path / "hall.backup", settings.data, True)
    async with Store.open(settings) as store:
        assert store.stamp() > stamp


# --------------------------------------------------------------------------------------------------------------- what is there


def test_a_hall_is_not_overwritten_unless_it_is_asked_for(on_sqlite: Settings, backup: Path) -> None:
    there = replace(on_sqlite, data=backup.parent / "there")
    with_guests(there, 3)
    before = tally(there)
    with pytest.raises(NotEmpty, match=r"--replace"):
        restore(backup, there.data, False)
    assert tally(there) == before
    restore(backup, there.data, True)
    assert [name for name, digest in tally(there).items() if digest != before[name]] == ["guests"]


def test_what_the_replaced_hall_had_only_in_its_log_does_not_come_back(settings: Settings, backup: Path) -> None:
    """A killed hall leaves its write-ahead log, which SQLite would take for a part of the restored database."""
    there = replace(settings, data=backup.parent / "there")
    with_guests(there, 1)
    with closing(sqlite3.connect(there.database)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("UPDATE guests SET name = 'Gudrun'")
        connection.commit()
        for file in there.data.glob("meadhall.db*"):
            shutil.copy(file, backup.parent / f"killed-{file.name}")
    for file in backup.parent.glob("killed-*"):
        shutil.copy(file, there.data / file.name.removeprefix("killed-"))
    restore(backup, there.data, True)
    with closing(sqlite3.connect(there.database)) as connection:
        assert connection.execute("SELECT DISTINCT name FROM guests").fetchall() == [("Astrid",)]


async def test_a_running_hall_is_not_restored(on_sqlite: Settings, tmp_path: Path) -> None:
    async with Store.open(on_sqlite):
        await asyncio.to_thread(back_up, tmp_path / "hall.backup", on_sqlite.data)
        with pytest.raises(StoreBusy, match=r"stop it first$"):
            await asyncio.to_thread(restore, tmp_path / "hall.backup", on_sqlite.data, True)


def test_there_must_be_a_hall(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable, match="there is no database"):
        back_up(tmp_path / "x.backup", settings.data)
    assert not (tmp_path / "x.backup").exists()
    assert not (tmp_path / "meadhall.db").exists()


# --------------------------------------------------------------------------------------------------------------------- files


def test_a_damaged_file_is_refused_before_anything_changes(backup: Path, elsewhere: Settings) -> None:
    with_guests(elsewhere, 3)
    before, whole = tally(elsewhere), backup.read_bytes()
    draw = random.Random(1)
    damaged = [whole[:length] for length in (0, 3, 10, 100, len(whole) // 2, len(whole) - 1)]
    damaged += [whole[: 4096 * page] + draw.randbytes(4096) + whole[4096 * (page + 1) :] for page in range(12)]
    for content in damaged:
        backup.write_bytes(content)
        with pytest.raises(BadBackup):
            restore(backup, elsewhere.data, True)
    assert tally(elsewhere) == before
    assert not list(elsewhere.data.glob("*.unfinished*"))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("PRAGMA user_version = 9924", "newer"),
        ("PRAGMA user_version = 0", "not a backup"),
        ("DROP TABLE release", "was changed"),
        ("DELETE FROM counters", "was changed"),
        ("DROP TABLE notes", "was changed"),
        ("ALTER TABLE guests DROP COLUMN crest", "was changed"),
        ("ALTER TABLE guests ADD COLUMN rune TEXT", "was changed"),
        ("CREATE TABLE runes (id INTEGER)", "was changed"),
        ("CREATE VIEW runes AS SELECT 1", "was changed"),
        ("CREATE TRIGGER runes AFTER INSERT ON guests BEGIN DELETE FROM guests; END", "was changed"),
        ("INSERT INTO seats (table_id, seat, kind, name, link_token) VALUES ('none', 0, 'bot', 'x', 'x')", "was changed"),
    ],
)
def test_a_file_that_is_no_whole_hall_is_refused(backup: Path, elsewhere: Settings, change: str, reason: str) -> None:
    with closing(sqlite3.connect(backup, isolation_level=None)) as connection:
        connection.execute(change)
    with pytest.raises(BadBackup, match=reason):
        restore(backup, elsewhere.data, False)
    assert not elsewhere.database.exists() or not elsewhere.database.stat().st_size


def test_a_match_that_does_not_replay_is_named_and_the_hall_restored(
    settings: Settings, elsewhere: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere.data.mkdir(parents=True, exist_ok=True)
    file = settings.data / "hall.backup"
    settings.database.write_bytes(gzip.decompress(HALL_B48E365.read_bytes()))
    with closing(sqlite3.connect(settings.database)) as connection, connection:
        (table,) = connection.execute("SELECT id FROM tables WHERE status = 'over' LIMIT 1").fetchone()
        connection.execute("UPDATE match_entries SET value = 9999 WHERE table_id = ? AND number = 1", (table,))
    back_up(file, settings.data)
    assert restore(file, elsewhere.data, False) == 1
    assert table in capsys.readouterr().err
    assert tally(elsewhere)["match_entries"]


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such modes")
def test_only_the_owner_can_read_a_backup_and_no_other_file_is_overwritten(settings: Settings, backup: Path) -> None:
    before = os.umask(0)
    try:
        backup.unlink()
        back_up(backup, settings.data)
        backup.chmod(0o644)
        back_up(backup, settings.data)
    finally:
        os.umask(before)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert [file.name for file in backup.parent.glob("*.backup*")] == [backup.name], "it is one file"
    content = settings.database.read_bytes()
    (settings.data / "letter").write_text("Dear Astrid")
    for other in (settings.database, settings.data / "letter"):
        with pytest.raises(BadBackup, match="is not a backup"):
            back_up(other, settings.data)
    assert settings.database.read_bytes() == content
    with pytest.raises(BadBackup, match="can't write"):
        back_up(settings.data / "nowhere" / "x.backup", settings.data)
