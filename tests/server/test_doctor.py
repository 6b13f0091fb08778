"""``meadhall doctor``: real folders, databases, ports and proxies, each with something wrong."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trustme
from sqlalchemy import Connection

from meadhall.cli import main
from meadhall.engine import mode
from meadhall.server.doctor import network
from meadhall.server.doctor.database import check_clock, check_database
from meadhall.server.doctor.examine import examine
from meadhall.server.doctor.findings import Finding
from meadhall.server.doctor.machine import check_compiled_rules, check_files
from meadhall.server.settings import Settings
from meadhall.server.store.database import open_database
from ports import free_port
from server.bad_proxy import bad_proxy
from server.halls import with_guests
from server.process import hall_process

Capture = pytest.CaptureFixture[str]

VERSION_0_1 = Path(__file__).parent / "databases" / "version_0_1.sql"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return the variables of a hall in a private folder, on a free port."""
    folder = tmp_path / "hall"
    folder.mkdir(mode=0o700)
    return {"MEADHALL_DATA": str(folder), "MEADHALL_PORT": str(free_port())}


def about(check: str, found: Iterator[Finding] | list[Finding]) -> list[Finding]:
    return [finding for finding in found if finding.check == check]


def troubles(found: Iterator[Finding] | list[Finding]) -> list[Finding]:
    """Return what is not as it should be, except that these tests may interpret the rules."""
    return [finding for finding in found if finding.status != "ok" and finding.check != "cache"]


def the_only(found: Iterator[Finding] | list[Finding], status: str, words: str) -> Finding:
    """Check that one thing is not as it should be, and return it."""
    (finding,) = troubles(found)
    assert finding.status == status
    assert words in finding.text
    assert finding.advice
    return finding


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
    assert main(["doctor", "--database-url", "postgresql://ada:secret@127.0.0.1:1/hall"]) == 1
    out = capsys.readouterr().out
    assert "can't be used" in out
    assert "Start PostgreSQL" in out
    assert "1 thing is wrong." in out
    assert "secret" not in out
    assert main(["doctor", "--json", "--data", "/proc/nowhere"]) == 1
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    assert all(set(each) == {"check", "status", "text", "advice"} for each in found)
    assert [each["check"] for each in found if each["status"] == "wrong"] == ["folder"]


def test_a_misspelt_setting_is_named(environment: dict[str, str]) -> None:
    the_only(examine(environment | {"MEADHALL_PROT": "80"}), "warning", "MEADHALL_PROT")


def test_a_setting_that_can_not_be_used_is_explained(environment: dict[str, str]) -> None:
    the_only(examine(environment | {"MEADHALL_PORT": "eighty"}), "wrong", "MEADHALL_PORT must be a number")
    assert "PostgreSQL" in the_only(examine(environment | {"MEADHALL_WORKERS": "2"}), "wrong", "2 web processes").text


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such modes")
def test_a_folder_that_others_can_read_is_named(environment: dict[str, str]) -> None:
    folder = Path(environment["MEADHALL_DATA"])
    folder.chmod(0o755)
    finding = the_only(examine(environment), "warning", "other users")
    assert finding.advice == f"Run: chmod 700 {folder}"


def test_a_folder_that_can_not_be_written_is_wrong(environment: dict[str, str]) -> None:
    the_only(examine(environment | {"MEADHALL_DATA": "/proc/nowhere/hall"}), "wrong", "/proc can't be written")


def test_a_small_limit_of_open_files_is_told() -> None:
    script = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200)); "
    script += "from meadhall.server.doctor.machine import check_files; print(*check_files())"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert "status='warning'" in done.stdout
    assert "only 200 files" in done.stdout
    if not 0 <= resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 1024:
        assert [finding.status for finding in check_files()] == ["ok"]


def test_a_cache_that_can_not_be_written_is_wrong_and_a_cold_one_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mode, "interpreted", False)
    monkeypatch.setenv("MEADHALL_CACHE", "/proc/cache")
    (finding,) = check_compiled_rules()
    assert finding.status == "wrong"
    assert "/proc/cache" in finding.text
    environment = os.environ | {"MEADHALL_CACHE": str(tmp_path), "MEADHALL_INTERPRET": ""}
    script = "from meadhall.server.doctor.machine import check_compiled_rules; print(*check_compiled_rules())"
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    assert "status='warning'" in done.stdout
    assert "AxxA" in done.stdout
    assert "meadhall warm" in done.stdout


# -------------------------------------------------------------------------------------------------------------------- database


def test_a_database_is_checked_and_not_changed(on_each_database: Settings) -> None:
    with_guests(on_each_database, 2)
    found = list(check_database(on_each_database, 10))
    assert [finding for finding in found if finding.status == "wrong"] == []
    assert any("stores" in finding.text for finding in found)


async def test_a_hall_that_runs_is_not_disturbed(environment: dict[str, str], compiled: None, tmp_path: Path) -> None:
    async with hall_process(Path(environment["MEADHALL_DATA"])) as hall:
        found = await asyncio.to_thread(lambda: list(examine(environment | {"MEADHALL_PORT": str(hall.port)})))
        assert troubles(found) == []
        assert "a hall answers" in about("port", found)[0].text
        assert "ERROR" not in hall.log.read_text()
        public = environment | {"MEADHALL_URL": hall.url, "MEADHALL_PORT": str(hall.port)}
        assert len(about("proxy", await asyncio.to_thread(lambda: list(examine(public))))) == 4
    the_only(await asyncio.to_thread(lambda: list(examine(public))), "warning", "was not tried")


def test_a_damaged_file_and_an_unknown_or_older_schema_are_told(settings: Settings) -> None:
    file = settings.data / "meadhall.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(VERSION_0_1.read_text())
    assert "Make a backup" in the_only(check_database(settings, 10), "warning", "older schema").advice
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    the_only(check_database(settings, 10), "wrong", "newer or another Meadhall")
    file.write_bytes(b"this is no database, and longer than a header of one" * 20)
    the_only(check_database(settings, 10), "wrong", "not a database")


def test_a_clock_that_was_set_back_is_told(settings: Settings) -> None:
    with_guests(settings, 1)
    with closing(sqlite3.connect(settings.data / "meadhall.db")) as connection:
        connection.execute(
            "INSERT INTO tables (id, game, rules, options, status, host, is_public, seed, created_at) "
            "VALUES ('x', 'axxa', 1, '{}', 'closed', 'guest0', 0, zeroblob(32), '2999-01-01 00:00:00.000000')"
        )
        connection.commit()
    the_only(check_database(settings, 10), "warning", "in the future")


def test_a_clock_that_jumps_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [finding.status for finding in check_clock()] == ["ok"]
    moments = iter([1000.0, 4600.0])
    monkeypatch.setattr("meadhall.server.doctor.database.time.time", lambda: next(moments))
    (finding,) = check_clock(0.01)
    assert finding.status == "warning"


def change(settings: Settings, *statements: str) -> None:
    """Run statements in a PostgreSQL database."""

    async def run() -> None:
        database = open_database(settings.url)
        for statement in statements:
            await database.transact(partial(Connection.exec_driver_sql, statement=statement))
        await database.close()

    asyncio.run(run())


def test_the_settings_of_postgresql_are_checked(on_postgresql: Settings) -> None:
    with_guests(on_postgresql, 1)
    name = str(on_postgresql.url.database)
    found = troubles(check_database(on_postgresql, 10))
    assert ["fsync" in finding.text for finding in found] == [True], "the PostgreSQL of the tests doesn't flush"
    found = troubles(check_database(on_postgresql, 100))
    assert any(finding.status == "wrong" and "100 connections" in finding.text for finding in found)
    change(on_postgresql, f"ALTER DATABASE {name} CONNECTION LIMIT 5")
    assert any("only 5 are free" in finding.text for finding in check_database(on_postgresql, 10))
    change(
        on_postgresql,
        f"ALTER DATABASE {name} CONNECTION LIMIT -1",
        "CREATE SCHEMA late",
        "CREATE FUNCTION late.clock_timestamp() RETURNS timestamptz LANGUAGE sql "
        "AS $$ SELECT pg_catalog.clock_timestamp() + interval '1 hour' $$",
        f"ALTER DATABASE {name} SET search_path = late, pg_catalog, public",
    )
    (clock,) = about("clock", troubles(check_database(on_postgresql, 10)))
    assert "3600 s" in clock.text
    change(on_postgresql, f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    found = troubles(check_database(on_postgresql, 10))
    assert any(finding.status == "wrong" and "read-only" in finding.text for finding in found)


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


async def test_a_hall_on_a_unix_socket_is_asked_there(environment: dict[str, str], compiled: None) -> None:
    data = Path(environment["MEADHALL_DATA"])
    unix = {"MEADHALL_SOCKET": str(data / "hall.sock")}
    found = about("port", await asyncio.to_thread(lambda: list(examine(environment | unix))))
    assert "is free" in found[0].text
    async with hall_process(data, **unix):
        found = about("port", await asyncio.to_thread(lambda: list(examine(environment | unix))))
        assert "a hall answers" in found[0].text


async def test_what_a_proxy_does_wrong_is_told(tmp_path: Path, compiled: None) -> None:
    async with hall_process(tmp_path) as hall:

        def statuses(url: str) -> list[Finding]:
            return list(network.check_proxy(url))

        async def through(headers: dict[str, str], buffers: bool = False) -> list[Finding]:
            with bad_proxy(hall.port, headers, buffers) as url:
                return await asyncio.to_thread(statuses, url)

        good = {"x-forwarded-for": "198.51.100.7", "x-forwarded-proto": "http"}
        assert troubles(await through(good)) == []
        the_only(await through(good, buffers=True), "wrong", "holds streams back")
        the_only(await through(good | {"host": "localhost"}), "wrong", "localhost instead of 127.0.0.1")
        the_only(await through(good | {"x-forwarded-proto": "https"}), "wrong", "takes this request for https")
        await hall.end(signal.SIGTERM)
        the_only(statuses(hall.url), "wrong", "no hall answers")


async def test_a_proxy_that_the_hall_does_not_trust_is_named(tmp_path: Path, compiled: None) -> None:
    async with hall_process(tmp_path, MEADHALL_PROXIES="10.1.2.3") as hall:
        with bad_proxy(hall.port, {"x-forwarded-for": "198.51.100.7"}) as url:
            finding = the_only(
                await asyncio.to_thread(lambda: list(network.check_proxy(url))), "wrong", "does not trust the proxy"
            )
    assert "MEADHALL_PROXIES=127.0.0.1" in finding.advice


async def test_https_is_checked(tmp_path: Path, compiled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    authority, stranger = trustme.CA(), trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "authority.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))

    async with hall_process(tmp_path) as hall:

        async def through(signer: trustme.CA, headers: dict[str, str]) -> list[Finding]:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            signer.issue_cert("127.0.0.1").configure_cert(context)
            with bad_proxy(hall.port, headers, tls=context) as url:
                return await asyncio.to_thread(lambda: list(network.check_proxy(url)))

        good = {"x-forwarded-for": "198.51.100.7", "x-forwarded-proto": "https"}
        the_only(await through(authority, good), "warning", "does not speak HTTP/2")
        the_only(await through(stranger, good), "wrong", "the certificate of")
        found = troubles(await through(authority, {}))
        assert ["client" in finding.text or "takes this request for http," in finding.text for finding in found[:2]] == [True] * 2
