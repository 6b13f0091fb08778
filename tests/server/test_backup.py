"""``meadhall backup`` and ``meadhall restore``: on both databases, with files that are damaged."""

from __future__ import annotations

import asyncio
import copy
import json
import os
import random
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, create_engine

from meadhall.cli.hall_data import back_up, restore
from meadhall.server.settings import Settings
from meadhall.server.store.backup_file import BackupFile, BadBackup
from meadhall.server.store.file_lock import StoreBusy, StoreUnusable
from meadhall.server.store.store import Store
from meadhall.server.store.transfer import NotEmpty, TransferFailed, insert_rows, schema_at
from server.halls import tally, with_guests
from server.people import AXES, OpenHall, Person, open_hall

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


@pytest.fixture(scope="module")
def small_backup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a backup that tests only read."""
    folder = tmp_path_factory.mktemp("small")
    settings = Settings(data=folder, browser=False)
    with_guests(settings, 2)
    back_up(folder / "hall.backup", settings)
    return folder / "hall.backup"


async def test_a_restored_hall_knows_its_guests_and_continues_its_matches(
    on_each_database: Settings, elsewhere: Settings, at_once: None, tmp_path: Path
) -> None:
    async with open_hall(on_each_database) as hall:
        host, friend, room = await hall.two_at(AXES)
        await hall.played_out(AXES)
        program = await hall.program("Robot")
        opened = (await program.open(game=AXES, players=2))["id"]
        await asyncio.to_thread(back_up, tmp_path / "hall.backup", on_each_database)
        stored = await asyncio.to_thread(tally, on_each_database)
    await asyncio.to_thread(restore, tmp_path / "hall.backup", elsewhere, False)
    assert not stored.differences(await asyncio.to_thread(tally, elsewhere))
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
    await asyncio.to_thread(back_up, tmp_path / "hall.backup", settings)
    for _ in range(3):
        async with Store.open(settings) as store:
            stamp = store.stamp()
    await asyncio.to_thread(restore, tmp_path / "hall.backup", settings, True)
    async with Store.open(settings) as store:
        assert store.stamp() > stamp


# --------------------------------------------------------------------------------------------------------------- what is there


def test_a_hall_is_not_overwritten_unless_it_is_asked_for(on_each_database: Settings, backup: Path) -> None:
    there = on_each_database if on_each_database.database_url else replace(on_each_database, data=backup.parent / "there")
    with_guests(there, 3)
    before = tally(there)
    with pytest.raises(NotEmpty, match=r"--replace"):
        restore(backup, there, False)
    assert not tally(there).differences(before)
    restore(backup, there, True)
    assert BackupFile(backup).counts["guests"] == 40
    assert tally(there).differences(before) == ["guests"]


async def test_a_hall_that_has_only_been_started_is_empty(on_sqlite: Settings, tmp_path: Path) -> None:
    async with Store.open(on_sqlite) as store:
        await store.secret("guests")
    await asyncio.to_thread(with_guests, replace(on_sqlite, data=tmp_path / "from", database_url=""), 2)
    await asyncio.to_thread(back_up, tmp_path / "x.backup", replace(on_sqlite, data=tmp_path / "from", database_url=""))
    await asyncio.to_thread(restore, tmp_path / "x.backup", on_sqlite, False)


async def test_a_running_hall_is_not_restored(on_each_database: Settings, tmp_path: Path) -> None:
    async with Store.open(on_each_database):
        await asyncio.to_thread(back_up, tmp_path / "hall.backup", on_each_database)
        with pytest.raises(StoreBusy, match=r"stop it first$"):
            await asyncio.to_thread(restore, tmp_path / "hall.backup", on_each_database, True)


def test_there_must_be_a_hall(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable, match="there is no database"):
        back_up(tmp_path / "x.backup", settings)
    assert not (tmp_path / "x.backup").exists()
    assert not (tmp_path / "meadhall.db").exists()


# --------------------------------------------------------------------------------------------------------------------- files


def test_a_damaged_file_is_refused_before_anything_changes(backup: Path, elsewhere: Settings) -> None:
    with_guests(elsewhere, 3)
    before, whole = tally(elsewhere), backup.read_bytes()
    draw = random.Random(1)
    damaged = [whole[:length] for length in (0, 3, 10, len(whole) // 2, len(whole) - 5, len(whole) - 1)]
    for _ in range(40):
        place = draw.randrange(len(whole))
        damaged.append(whole[:place] + bytes([whole[place] ^ 1 << draw.randrange(8)]) + whole[place + 1 :])
    for content in damaged:
        if _decoded(content) == _decoded(whole):
            continue  # a few bits of zstd's header change nothing
        backup.write_bytes(content)
        with pytest.raises(BadBackup):
            restore(backup, elsewhere, True)
    assert not tally(elsewhere).differences(before)


def test_a_file_whose_lines_were_changed_is_refused(backup: Path, elsewhere: Settings) -> None:
    """It is a valid zstd file, but not the one that was written."""
    lines = zstd.decompress(backup.read_bytes()).splitlines(keepends=True)
    for changed in (
        [*lines[:5], *lines[6:]],
        [line.replace(b"Astrid", b"Gudrun") for line in lines],
        lines[:-1],
        [*lines, lines[5]],
        [lines[0].replace(b'"guests":40', b'"guests":41'), *lines[1:]],
    ):
        backup.write_bytes(zstd.compress(b"".join(changed)))
        with pytest.raises(BadBackup):
            restore(backup, elsewhere, False)
    assert not (elsewhere.data / "meadhall.db").exists()


Lines = list[Any]
"""The lines of a backup but the last one, decoded: the header first, then tables with their columns, and rows."""


def lines_of(backup: Path) -> Lines:
    return [json.loads(line) for line in zstd.decompress(backup.read_bytes()).splitlines()[:-1]]


def write_lines(file: Path, lines: Lines) -> None:
    """Write a backup with these lines, and the digest that fits them."""
    written = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    last = b'{"sha256":"%s"}\n' % sha256(written).hexdigest().encode()
    file.write_bytes(zstd.compress(written + last))


@pytest.mark.parametrize("revision", ["9924", "head", "heads", "base", "+1", "head-1", "002", ""])
def test_a_backup_of_an_unknown_schema_is_refused(small_backup: Path, elsewhere: Settings, tmp_path: Path, revision: str) -> None:
    lines = lines_of(small_backup)
    lines[0]["revision"] = revision
    write_lines(tmp_path / "changed.backup", lines)
    with pytest.raises(BadBackup, match="newer"):
        restore(tmp_path / "changed.backup", elsewhere, False)
    assert not (elsewhere.data / "meadhall.db").exists()


def _with_rows_first(lines: Lines) -> Lines:
    return [lines[0], *sorted(lines[1:], key=lambda line: isinstance(line, dict))]


def _with_doubled_column(lines: Lines) -> Lines:
    return [line | {"columns": [*line["columns"], "name"]} if _is_table(line, "guests") else line for line in lines]


def _without_column(lines: Lines) -> Lines:
    return [line | {"columns": line["columns"][:-1]} if _is_table(line, "guests") else line for line in lines]


def _with_table_twice(lines: Lines) -> Lines:
    return [each for line in lines for each in ([line, line] if _is_table(line, "guests") else [line])]


def _is_table(line: Any, name: str) -> bool:
    return isinstance(line, dict) and line.get("table") == name


def _with_value(value: Any) -> Any:
    def change(lines: Lines) -> Lines:
        """Replace the name of the first guest."""
        place = next(k for k, line in enumerate(lines) if _is_table(line, "guests"))
        lines[place + 1][lines[place]["columns"].index("name")] = value
        return lines

    return change


@pytest.mark.parametrize(
    "change",
    [
        _with_rows_first,
        _with_doubled_column,
        _without_column,
        _with_table_twice,
        *map(_with_value, (None, 5, True, {"a": 1}, ["a"])),
        lambda lines: [lines[0] | {"rows": {}}, *lines[1:]],
        lambda lines: [lines[0] | {"rows": lines[0]["rows"] | {"alembic_version": 0}}, *lines[1:]],
        lambda lines: [lines[0] | {"created_at": "2026-11-27T12:00:00"}, *lines[1:]],
    ],
)
def test_a_file_that_does_not_fit_the_schema_is_refused(small_backup: Path, tmp_path: Path, change: Any) -> None:
    write_lines(tmp_path / "changed.backup", change(lines_of(small_backup)))
    with pytest.raises(BadBackup):
        BackupFile(tmp_path / "changed.backup").check(lambda _: None)


@pytest.mark.parametrize("line", [0, 1, 2])
def test_a_file_with_endless_brackets_is_refused(small_backup: Path, tmp_path: Path, line: int) -> None:
    lines = zstd.decompress(small_backup.read_bytes()).splitlines(keepends=True)[:-1]
    key = b'"x":' if lines[line].startswith(b"{") else b""
    lines[line] = lines[line].rstrip()[:-1] + b"," + key + b"[" * 100_000 + b"\n"
    last = b'{"sha256":"%s"}\n' % sha256(b"".join(lines)).hexdigest().encode()
    (tmp_path / "changed.backup").write_bytes(zstd.compress(b"".join([*lines, last])))
    with pytest.raises(BadBackup):
        BackupFile(tmp_path / "changed.backup").check(lambda _: None)


def test_a_file_without_what_every_hall_has_is_refused(small_backup: Path, elsewhere: Settings, tmp_path: Path) -> None:
    lines = [line for line in lines_of(small_backup) if not (isinstance(line, list) and line[0] == "starts")]
    lines[0]["rows"]["counters"] -= 1
    write_lines(tmp_path / "changed.backup", lines)
    with pytest.raises(TransferFailed, match="starts"):
        restore(tmp_path / "changed.backup", elsewhere, False)
    assert not (elsewhere.data / "meadhall.db").exists()


_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.just("head")
_VALUES = st.recursive(_SCALARS, lambda each: st.lists(each) | st.dictionaries(st.text(), each), max_leaves=5)


@pytest.fixture(scope="module")
def empty(small_backup: Path) -> Iterator[Connection]:
    """Connect to a database with the schema of the backup, and no rows."""
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        schema_at(BackupFile(small_backup).revision).create_all(connection)
        yield connection
    engine.dispose()


@given(data=st.data())
def test_any_changed_file_is_refused_or_can_be_stored(small_backup: Path, empty: Connection, data: st.DataObject) -> None:
    lines = lines_of(small_backup)
    line = data.draw(st.integers(0, len(lines) - 1))
    keys = list(lines[line]) if isinstance(lines[line], dict) else list(range(len(lines[line])))
    match data.draw(st.sampled_from(["value", "value of a list", "removed", "doubled", "replaced"])):
        case "value":
            lines[line][data.draw(st.sampled_from(keys))] = data.draw(_VALUES)
        case "value of a list":
            columns = lines[line].get("columns", []) if isinstance(lines[line], dict) else []
            columns[:1] = data.draw(st.lists(st.sampled_from([*columns, "id"]), max_size=2))
        case "removed":
            del lines[line]
        case "doubled":
            lines.insert(line, copy.deepcopy(lines[line]))
        case "replaced":
            lines[line] = data.draw(_VALUES)
    changed = small_backup.with_name("changed.backup")
    write_lines(changed, lines)
    try:
        file = BackupFile(changed)
        file.check(lambda _: None)
    except BadBackup:
        return
    with suppress(TransferFailed):
        for batch in file.batches():
            insert_rows(empty, schema_at(file.revision).tables[batch.table], batch)
    empty.connection.rollback()


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such modes")
def test_only_the_owner_can_read_a_backup_and_no_other_file_is_overwritten(settings: Settings, backup: Path) -> None:
    before = os.umask(0)
    try:
        backup.unlink()
        back_up(backup, settings)
        backup.chmod(0o644)
        back_up(backup, settings)
    finally:
        os.umask(before)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    database = settings.data / "meadhall.db"
    content = database.read_bytes()
    with pytest.raises(BadBackup, match="is not a backup"):
        back_up(database, settings)
    assert database.read_bytes() == content
    with pytest.raises(BadBackup, match="can't write"):
        back_up(settings.data / "nowhere" / "x.backup", settings)


def _decoded(content: bytes) -> bytes | None:
    """Return what a file holds; None if it can't be decoded."""
    try:
        return zstd.decompress(content)
    except (zstd.ZstdError, EOFError):
        return None
