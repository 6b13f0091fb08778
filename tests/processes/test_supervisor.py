"""Several web processes and one worker under a supervisor: what dies comes back, and what is stopped stops."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
import pytest_asyncio

from forked import run
from meadhall.cli import main
from meadhall.server.ops import child as child_module
from meadhall.server.ops.child import CannotStart, Child
from meadhall.server.reload import CannotReload, ask_to_reload, folder_of_hall
from meadhall.server.settings import Settings
from processes.process import Supervised
from processes.service_manager import Manager, service_manager
from server.people import AXES
from server.postgres import PostgreSQL

pytestmark = pytest.mark.asyncio

PATIENCE = 240.0

PROCESSES = {"worker", "web-1", "web-2"}
RESIDENT = "meadhall_process_resident_bytes"


@dataclass
class Shared:
    """A hall that all tests use. A test that has ended it leaves it to the next one to start it again."""

    hall: Supervised
    manager: Manager


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, postgresql: PostgreSQL) -> Iterator[Shared]:
    """A hall with two web processes, under a service manager. At its end SIGINT stops it."""
    folder = tmp_path_factory.mktemp("hall")
    with service_manager(folder / "notify") as manager:
        hall = Supervised(
            folder,
            MEADHALL_DATABASE_URL=postgresql.new_database(),
            NOTIFY_SOCKET=str(folder / "notify"),
            WATCHDOG_USEC="30000000",
            COVERAGE_PROCESS_CONFIG="",  # to write it would take part of the time that a web process has to stop
        )
        yield Shared(hall, manager)
        assert not hall.running or asyncio.run(hall.end(signal.SIGINT)) == 0


@pytest_asyncio.fixture
async def hall(shared: Shared) -> AsyncIterator[Supervised]:
    """Return the hall with all its processes and an empty log. If the test ends it, none of its processes may be left."""
    hall = shared.hall
    if not hall.running:
        await hall.start()
        await hall.logs("The hall is open")
    await until(lambda: set(hall.children()) == PROCESSES)
    await until_figures(hall, lambda found: all(f'{RESIDENT}{{process="{name}"}}' in found for name in PROCESSES))
    children = hall.children()
    hall.log.write_text("")
    yield hall
    if not hall.running:
        await until(lambda: not any(is_alive(process) for process in children.values()))


async def until_figures(hall: Supervised, holds: Callable[[dict[str, float]], bool]) -> dict[str, float]:
    """Wait for such metrics, and return them."""
    async with asyncio.timeout(PATIENCE):
        while True:
            lines = [line for line in (await ask(hall, "GET", "/metrics")).text.splitlines() if line[0] != "#"]
            found = {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}
            if holds(found):
                return found
            await asyncio.sleep(0.1)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not holds():
            await asyncio.sleep(0.02)


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def ask(
    hall: Supervised, method: str, path: str, headers: dict[str, str] | None = None, body: Any = None
) -> httpx.Response:
    """Send a request on a new connection, which any web process may take."""
    async with httpx.AsyncClient(base_url=hall.url, timeout=PATIENCE) as client:
        return await client.request(method, path, headers=headers, json=body)


async def a_guest(hall: Supervised) -> dict[str, str]:
    answer = await ask(hall, "POST", "/api/v1/guests", body={"name": "Ada"})
    return {"Authorization": f"Bearer {answer.json()['token']}"}


async def a_table(hall: Supervised, headers: dict[str, str], **table: Any) -> str:
    answer = await ask(hall, "POST", "/api/v1/tables", headers, {"game": AXES, **table})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def test_the_hall_answers_while_a_web_process_is_killed_and_restarted(hall: Supervised) -> None:
    headers = await a_guest(hall)
    table = await a_table(hall, headers, players=2)
    killed = hall.children()["web-2"]
    os.kill(killed, signal.SIGKILL)
    while hall.children().get("web-2", killed) == killed:
        assert (await ask(hall, "GET", f"/api/v1/tables/{table}", headers)).status_code == 200
    assert hall.log.read_text().count("killed by SIGKILL") == 1


async def test_the_bots_go_on_after_the_worker_is_killed(hall: Supervised) -> None:
    headers = await a_guest(hall)
    info: dict[str, Any] = {"view": {"legal": []}}
    while not info["view"]["legal"]:  # a bot may win before
        table = await a_table(hall, headers, bots=["random"] * 3)
        info = await my_turn(hall, headers, table)
    os.kill(hall.children()["worker"], signal.SIGKILL)
    action = {"action": info["view"]["legal"][0]["action"], "n": info["view"]["next"]}
    answer = await ask(hall, "POST", f"/api/v1/tables/{table}/actions", headers, action)
    assert answer.status_code == 200, answer.text
    await my_turn(hall, headers, table)


async def my_turn(hall: Supervised, headers: dict[str, str], table: str) -> dict[str, Any]:
    """Return the table when it is the guest's turn, or the match is over."""
    async with asyncio.timeout(PATIENCE):
        while True:
            info: dict[str, Any] = (await ask(hall, "GET", f"/api/v1/tables/{table}", headers)).json()
            if info["status"] != "running" or (info["view"] and info["view"]["legal"]):
                return info
            await asyncio.sleep(0.05)


async def test_the_hall_stops_without_messages_while_streams_are_open_and_tells_the_service_manager(
    hall: Supervised, shared: Shared
) -> None:
    headers = await a_guest(hall)
    table = await a_table(hall, headers, players=2)
    clients = [httpx.AsyncClient(base_url=hall.url, timeout=PATIENCE) for _ in range(8)]  # at both web processes
    opened = [
        await client.send(client.build_request("GET", f"/api/v1/tables/{table}/events", headers=headers), stream=True)
        for client in clients
    ]
    streams = [answer.aiter_bytes() for answer in opened]
    for stream in streams:
        assert b"event: table" in await anext(stream)
    ready = ["READY=1", f"STATUS=The hall is open: {hall.url}/"]
    await until(lambda: ready in shared.manager.told_by(hall.pid) and shared.manager.told_by(hall.pid)[-1] == ["WATCHDOG=1"])
    children = hall.children()
    assert await hall.end(signal.SIGTERM) == 0
    assert not any(is_alive(process) for process in children.values())
    for stream in streams:
        async for _ in stream:  # ends, and without an error
            pass
    for client in clients:
        await client.aclose()
    assert hall.log.read_text() == ""
    await until(lambda: shared.manager.told_by(hall.pid)[-1] == ["STOPPING=1"])
    told = [lines for lines in shared.manager.told_by(hall.pid) if lines[0] not in ("WATCHDOG=1", "EXTEND_TIMEOUT_USEC=60000000")]
    assert (told[0], told[-1]) == (ready, ["STOPPING=1"])  # another test may have reloaded this hall in between
    assert not any(shared.manager.told_by(child) for child in children.values()), "only the main process speaks to systemd"


@pytest.mark.slow("three processes start")
async def test_a_reload_replaces_every_process_and_fails_no_request(hall: Supervised) -> None:
    """Clients ask on connections that they keep, and on new ones, and reads and writes are under way all the time."""
    headers = await a_guest(hall)
    table = await a_table(hall, headers, players=2)
    before = hall.children()
    done = asyncio.Event()

    async def ask_again_and_again(keeps: bool) -> int:
        count = 0
        async with httpx.AsyncClient(base_url=hall.url, timeout=PATIENCE, headers=headers) as kept:
            while not done.is_set():
                for method, path, body in (("GET", f"/api/v1/tables/{table}", None), ("POST", "/api/v1/guests", {"name": "Ada"})):
                    answer = await (kept.request(method, path, json=body) if keeps else ask(hall, method, path, headers, body))
                    assert answer.status_code in (200, 201), answer.text
                    count += 1
                await asyncio.sleep(0.02)
        return count

    clients = [asyncio.create_task(ask_again_and_again(keeps)) for keeps in (True, True, False)]
    asked = await asyncio.to_thread(run, main, ["reload"], environment=hall.environment)
    assert (asked.returncode, asked.stdout, asked.stderr) == (0, "The hall has been reloaded.\n", "")
    after = hall.children()
    done.set()
    assert min(await asyncio.gather(*clients)) > 10
    assert after.keys() == PROCESSES
    assert not set(before.values()) & set(after.values())
    assert "ERROR" not in hall.log.read_text()


@pytest.mark.long
async def test_a_reload_that_can_not_start_changes_nothing(hall: Supervised, shared: Shared) -> None:
    """The new processes find a database with another schema, which those that run don't look at again."""
    before = hall.children()
    connection = await asyncpg.connect(hall.environment["MEADHALL_DATABASE_URL"].replace("+asyncpg", ""))
    revision = await connection.fetchval("SELECT version_num FROM alembic_version")
    await connection.execute("UPDATE alembic_version SET version_num = '0000'")
    os.kill(hall.pid, signal.SIGHUP)
    try:
        await until(lambda: "the hall goes on as before" in hall.log.read_text())
    finally:
        await connection.execute("UPDATE alembic_version SET version_num = $1", revision)
        await connection.close()
    assert hall.children() == before
    assert (await ask(hall, "GET", "/health/ready")).status_code == 200
    told = [lines[0] for lines in shared.manager.told_by(hall.pid) if lines != ["WATCHDOG=1"]]
    assert told[-2:] == ["RELOADING=1", "READY=1"]


async def test_metrics_cover_all_processes_that_run(hall: Supervised) -> None:
    headers = await a_guest(hall)
    table = await a_table(hall, headers, players=2)
    clients: list[httpx.AsyncClient] = []

    async def follow() -> None:
        clients.append(client := httpx.AsyncClient(base_url=hall.url, timeout=PATIENCE))
        await client.send(client.build_request("GET", f"/api/v1/tables/{table}/events", headers=headers), stream=True)

    for _ in range(12):
        await follow()
    asked = 'meadhall_requests_total{method="POST",path="/api/v1/tables",status_code="201"}'
    while (found := await until_figures(hall, lambda found: "meadhall_streams" in found))["meadhall_streams"] < 12:
        await asyncio.sleep(2.0)  # streams are counted every second
        await follow()  # in place of one that has ended: a web process that a busy machine has kept waiting is replaced
    streams = found["meadhall_streams"]
    for process in ("web-1", "web-2"):
        assert found[f'meadhall_event_loop_lag_seconds_count{{process="{process}"}}'] > 0
    for process in ("web-1", "web-2", "worker"):
        assert found[f'meadhall_process_resident_bytes{{process="{process}"}}'] > 1e7
    count = found[asked]
    assert found['meadhall_database_connections{which="most"}'] == 20.0, "those of both processes"
    assert found['meadhall_transactions_total{outcome="committed"}'] > 0
    answered = [found.get(f'meadhall_worker_task_seconds_count{{task="{task}"}}', 0.0) for task in ("LoadRules", "WarmRules")]
    assert sum(answered) > 0
    assert found['meadhall_process_cpu_seconds_total{process="worker"}'] > 0

    os.kill(hall.children()["web-1"], signal.SIGKILL)
    found = await until_figures(hall, lambda found: found["meadhall_streams"] < streams)
    assert found["meadhall_streams"] > 0, "those of the other process are still open"
    assert found[asked] == count > 0, "a counter remembers what was counted by a process that has ended"
    for client in clients:
        await client.aclose()


async def test_no_process_outlives_a_killed_supervisor(hall: Supervised) -> None:
    """The fixture looks for them."""
    assert await hall.end(signal.SIGKILL) == -signal.SIGKILL


async def test_the_folder_of_a_killed_supervisor_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders of running halls stay, and everything that isn't a hall's."""
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    foreign = tmp_path / "meadhall-photos"
    foreign.mkdir()
    with folder_of_hall(Settings(port=1)) as running, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(running / "reload.sock"))
        listener.listen()
        killed = tmp_path / "meadhall-killed"
        shutil.copytree(running, killed, ignore=shutil.ignore_patterns("*.sock"))
        with socket.socket(socket.AF_UNIX) as gone:
            gone.bind(str(killed / "reload.sock"))
        with folder_of_hall(Settings(port=2)) as second:
            assert {*os.listdir(tmp_path)} == {foreign.name, running.name, second.name}  # noqa: PTH208
            with pytest.raises(CannotReload, match="a hall of one process can only be restarted"):
                ask_to_reload(Settings(port=3))


async def test_sqlite_is_refused(tmp_path: Path) -> None:
    done = await asyncio.to_thread(run, main, ["serve", "--workers", "2"], environment=Supervised(tmp_path).environment)
    assert done.returncode == 2
    (message,) = done.stderr.splitlines()
    assert message.startswith("meadhall: 2 web processes need PostgreSQL")
    assert os.listdir(tmp_path) == []  # noqa: PTH208


async def test_a_hall_that_can_not_start_says_why_once(tmp_path: Path) -> None:
    hall = Supervised(tmp_path, MEADHALL_DATABASE_URL="postgresql://meadhall@127.0.0.1:1/hall", MEADHALL_LOG="json")
    hall.launch()
    assert await hall.wait() == 2
    reason, end = map(json.loads, hall.log.read_text().splitlines())
    assert (reason["process"], end["process"]) == ("web-1", "supervisor")
    assert (reason["level"], reason["logger"]) == ("CRITICAL", "meadhall.server.web_process")
    assert reason["message"].startswith("the database")
    assert end["message"] == "web-1 could not start (exit status 1); what it wrote above says why"


# ---------------------------------------------------------------------------------------------------------------- one child


def a_child(program: str, *inherited: socket.socket, beats: bool = True, turn: asyncio.Lock | None = None) -> Child:
    command = [sys.executable, "-c", f"import os, time\n{program}"]
    return Child("the child", command, inherited, os.environ, lambda _: None, beats=beats, grace=0.5, turn=turn)


READY = "os.write(0, b'!')"


async def test_a_child_that_fails_at_its_start_is_not_started_again() -> None:
    with pytest.raises(CannotStart, match=r"the child could not start \(exit status 3\)"):
        await a_child("exit(3)").keep_running()


async def test_a_child_that_starts_in_an_open_hall_is_started_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """For example while the database has no free connection. The other web processes answer meanwhile."""
    monkeypatch.setattr(child_module, "_FIRST_DELAY", 0.01)
    is_open = asyncio.Event()
    is_open.set()
    running = asyncio.create_task(a_child("exit(3)").keep_running(after=is_open))
    await until(lambda: caplog.text.count("has ended (exit status 3)") > 2)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_children_start_one_after_the_other() -> None:
    """Two that start together would both be ready late. When the first one is ready, the second one begins."""
    turn = asyncio.Lock()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        program = f"os.write({theirs.fileno()}, b'.'); os.read({theirs.fileno()}, 1); {READY}; os.read(0, 1)"
        children = [a_child(program, theirs, beats=False, turn=turn) for _ in range(2)]
        running = [asyncio.create_task(child.keep_running()) for child in children]
        for number, child in enumerate(children, 1):
            assert await asyncio.to_thread(ours.recv, 1) == b"."  # it has started
            assert sum(each._process is not None for each in children) == number
            ours.send(b".")
            await asyncio.wait_for(child.ready.wait(), PATIENCE)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def test_a_child_whose_program_is_away_for_a_while_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(child_module, "_FIRST_DELAY", 0.01)
    program = tmp_path / "program"
    child = Child("the child", [str(program)], [], os.environ, lambda _: None, beats=False, grace=0.5)
    with pytest.raises(CannotStart, match="No such file"):
        await child.keep_running()
    program.write_text("#!/bin/sh\nprintf ! >&0\n")
    program.chmod(0o700)
    running = asyncio.create_task(child.keep_running())
    await until(lambda: "exit status 0" in caplog.text)
    program.rename(tmp_path / "away")
    await until(lambda: "No such file" in caplog.text)
    caplog.clear()
    (tmp_path / "away").rename(program)
    await until(lambda: "exit status 0" in caplog.text)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_child_whose_event_loop_stands_still_is_killed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(child_module, "_SILENCE", 0.2)
    running = asyncio.create_task(a_child(f"{READY}\ntime.sleep(60)").keep_running())
    await until(lambda: "killed by SIGKILL" in caplog.text)
    assert "has not answered" in caplog.text
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_child_that_fails_again_and_again_is_started_ever_later(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(child_module, "_FIRST_DELAY", 0.01)
    monkeypatch.setattr(child_module, "_LAST_DELAY", 0.03)
    running = asyncio.create_task(a_child(f"{READY}\nexit(1)").keep_running())
    await until(lambda: caplog.text.count("exit status 1") >= 5)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    delays = [line.rpartition("again in ")[2] for line in caplog.text.splitlines() if "again in" in line]
    assert delays[:5] == ["0 s", "0.01 s", "0.02 s", "0.03 s", "0.03 s"]


@pytest.mark.parametrize("program", ["os.read(0, 1)", "time.sleep(60)"])
async def test_a_child_is_stopped_by_the_end_of_its_line_or_killed(program: str) -> None:
    child = a_child(f"{READY}\n{program}", beats=False)
    running = asyncio.create_task(child.keep_running())
    await asyncio.wait_for(child.ready.wait(), PATIENCE)
    running.cancel()
    await asyncio.wait_for(asyncio.gather(running, return_exceptions=True), PATIENCE / 2)
    assert child._process is not None
    assert child._process.returncode == (0 if "read" in program else -signal.SIGKILL)
