"""``meadhall doctor``: real folders, databases, ports and proxies, each with something wrong."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from meadhall.cli import main
from meadhall.engine.registry import game
from meadhall.server.doctor import network
from meadhall.server.doctor.database import check_clock, check_database
from meadhall.server.doctor.examine import examine
from meadhall.server.settings import Settings
from meadhall.server.store.store import Store
from server.findings import about, the_only, troubles
from server.halls import with_guests
from server.prepared import create_schema
from server.rows import table_of

Capture = pytest.CaptureFixture[str]


# ------------------------------------------------------------------------------------------------------------- settings, files


def test_a_new_hall_has_nothing_wrong_and_nothing_is_created(environment: dict[str, str]) -> None:
    found = list(examine(environment))
    assert troubles(found) == []
    assert {finding.check for finding in found} >= {"settings", "folder", "files", "cache", "database", "clock", "port"}
    assert list(Path(environment["MEADHALL_DATA"]).iterdir()) == []


def test_the_command_tells_findings_in_words_or_as_json(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("MEADHALL_LANG", "de")
    assert main(["doctor"]) == 0
    assert "Die Halle kann geöffnet werden." in capsys.readouterr().out
    monkeypatch.setenv("MEADHALL_LANG", "en")
    with_guests(Settings(data=Path(environment["MEADHALL_DATA"])), 1)
    (Path(environment["MEADHALL_DATA"]) / "meadhall.db").write_bytes(b"this is no database, and longer than a header of one" * 20)
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "can't be used" in out
    assert "put a backup in its place" in out
    assert "1 thing is wrong." in out
    assert main(["doctor", "--json", "--data", "/proc/nowhere"]) == 1
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    assert all(set(each) == {"check", "status", "text", "advice"} for each in found)
    assert [each["check"] for each in found if each["status"] == "wrong"] == ["folder"]


def test_a_misspelt_setting_is_named(environment: dict[str, str]) -> None:
    the_only(examine(environment | {"MEADHALL_PROT": "80"}), "warning", "MEADHALL_PROT")


def test_a_setting_that_can_not_be_used_is_explained(environment: dict[str, str]) -> None:
    the_only(examine(environment | {"MEADHALL_PORT": "eighty"}), "wrong", "MEADHALL_PORT must be a number")


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such modes")
def test_a_folder_that_others_can_read_is_named(environment: dict[str, str]) -> None:
    folder = Path(environment["MEADHALL_DATA"])
    folder.chmod(0o755)
    finding = the_only(examine(environment), "warning", "other users")
    assert finding.advice == f"Run: chmod 700 {folder}"


def test_a_folder_that_can_not_be_written_is_wrong(environment: dict[str, str]) -> None:
    the_only(examine(environment | {"MEADHALL_DATA": "/proc/nowhere/hall"}), "wrong", "/proc can't be written")


# -------------------------------------------------------------------------------------------------------------------- database


def test_a_database_is_checked_and_not_changed(on_sqlite: Settings) -> None:
    with_guests(on_sqlite, 2)
    found = list(check_database(on_sqlite))
    assert [finding for finding in found if finding.status == "wrong"] == []
    assert any("stores" in finding.text for finding in found)


def test_a_damaged_file_and_an_unknown_schema_are_told(settings: Settings) -> None:
    file = settings.data / "meadhall.db"
    create_schema(settings)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 9999")
        connection.commit()
    the_only(check_database(settings), "wrong", "newer or another Meadhall")
    file.write_bytes(b"this is no database, and longer than a header of one" * 20)
    the_only(check_database(settings), "wrong", "not a database")


def test_running_matches_that_the_rules_can_not_finish_are_counted(settings: Settings) -> None:
    axes = game("viking-axes").version

    async def add() -> None:
        async with Store.open(settings) as store:
            for id, name, rules, status in [
                ("a1", "viking-axes", axes - 1, "running"),
                ("a2", "viking-axes", axes - 1, "running"),
                ("a3", "viking-axes", axes, "running"),
                ("a4", "viking-axes", axes - 1, "over"),
                ("a5", "no-such-game", 1, "running"),
            ]:
                store.add_table(table_of(id, game=name, rules=rules, status=status))

    asyncio.run(add())
    gone, older = about("matches", check_database(settings))
    assert f"2 running matches of viking-axes began under version {axes - 1} of its rules" in older.text
    assert "ends them" in older.advice
    assert "no-such-game" in gone.text
    assert "not installed" in gone.text


def test_a_clock_that_was_set_back_is_told(settings: Settings) -> None:
    with_guests(settings, 1)
    with closing(sqlite3.connect(settings.data / "meadhall.db")) as connection:
        connection.execute(
            "INSERT INTO tables (id, game, rules, options, status, host, is_public, seed, created_at) "
            "VALUES ('x', 'axxa', 1, '{}', 'closed', 'guest0', 0, zeroblob(32), '2999-01-01 00:00:00.000000')"
        )
        connection.commit()
    the_only(check_database(settings), "warning", "in the future")


def test_a_clock_that_jumps_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [finding.status for finding in check_clock()] == ["ok"]
    moments = iter([1000.0, 4600.0])
    monkeypatch.setattr("meadhall.server.doctor.database.time.time", lambda: next(moments))
    (finding,) = check_clock(0.01)
    assert finding.status == "warning"


# --------------------------------------------------------------------------------------------------------------------- network


def test_a_port_that_another_program_has_is_wrong(environment: dict[str, str]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", int(environment["MEADHALL_PORT"])))
        other.listen()
        network_timeout, network._TIMEOUT = network._TIMEOUT, 0.5  # type: ignore[misc]
        try:
            the_only(examine(environment), "wrong", "can't listen on")
        finally:
            network._TIMEOUT = network_timeout  # type: ignore[misc]
