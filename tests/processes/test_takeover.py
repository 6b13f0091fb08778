"""Two hall processes on one PostgreSQL: when the driver of a table is killed, frozen, cut off or stopped, the other goes on."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from sqlalchemy import Connection, make_url, select

import meadhall
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import schema
from meadhall.server.store.models import Entry
from meadhall.server.store.queries import entries
from meadhall.server.store.store import Store
from processes.process import PATIENCE, Process, hall_process
from server.people import AXES

pytestmark = pytest.mark.asyncio

PAUSE = "0.25"


@dataclass
class Two:
    """A hall of two processes. ``one`` drives the table, where a program plays against five bots."""

    one: Process
    two: Process
    store: Store
    headers: dict[str, str]
    table: str

    async def entries(self) -> list[Entry]:
        return await self.store.transact(entries.all_of, self.table)

    async def driver(self) -> int | None:
        """Return the process id of the table's driver, None without one that runs."""

        def read(connection: Connection) -> str | None:
            joined = schema.tables.join(schema.processes, schema.tables.c.driver == schema.processes.c.id)
            alive = select(schema.processes.c.name).select_from(joined).where(~schema.processes.c.has_ended)
            return connection.scalar(alive.where(schema.tables.c.id == self.table))

        name = await self.store.transact(read)
        return None if name is None else int(name.rpartition(" ")[2])

    async def until_driven_by(self, process: Process) -> None:
        await _until(self._is_driven_by(process.pid))

    def _is_driven_by(self, pid: int) -> Callable[[], Any]:
        async def holds() -> bool:
            return await self.driver() == pid

        return holds

    async def until_under_way(self) -> None:
        """Play at the first process until bots have moved, and one of them is the seat to move."""

        async def holds() -> bool:
            has_played = await self.play(self.one)
            assert has_played is not None, "the match is over"
            return not has_played and len(await self.entries()) >= 2

        await _until(holds)

    async def until_bots_move(self, count: int = 1) -> None:
        """Wait for further actions of bots. Play for the program in between, at the second process."""
        before = len([entry for entry in await self.entries() if entry.seat != 0])

        async def holds() -> bool:
            if len([entry for entry in await self.entries() if entry.seat != 0]) >= before + count:
                return True
            return await self.play(self.two) is None

        await _until(holds)

    async def play(self, process: Process) -> bool | None:
        """Play the first legal action, if it is the program's turn. Return whether it was; None when the match is over."""
        async with httpx.AsyncClient(base_url=f"{process.url}/api/v1", headers=self.headers, timeout=PATIENCE) as client:
            info = (await client.get(f"/tables/{self.table}")).json()
            if info["status"] != "running":
                return None
            if not info["view"]["legal"]:
                return False
            action = {"action": info["view"]["legal"][0]["action"], "n": info["view"]["next"]}
            answer = await client.post(f"/tables/{self.table}/actions", json=action)
            return answer.status_code == 200

    async def check(self) -> None:
        """Check that every entry was made once, and that the match can be verified from its record."""
        numbers = [entry.number for entry in await self.entries()]
        assert numbers == list(range(1, len(numbers) + 1))
        async with httpx.AsyncClient(base_url=self.two.url, headers=self.headers, timeout=PATIENCE) as client:
            record = (await client.get(f"/api/v1/tables/{self.table}/record")).json()
        if record["complete"]:
            meadhall.replay(record)


async def _until(holds: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await holds():
            await asyncio.sleep(0.05)


async def _new_table(process: Process) -> tuple[dict[str, str], str]:
    async with httpx.AsyncClient(base_url=f"{process.url}/api/v1", timeout=PATIENCE) as client:
        token = (await client.post("/guests", json={"name": "Ada"})).json()["token"]
        headers = {"Authorization": f"Bearer {token}"}
        answer = await client.post("/tables", json={"game": AXES, "bots": ["random"] * 5}, headers=headers)
        assert answer.status_code == 201, answer.text
        return headers, str(answer.json()["id"])


@asynccontextmanager
async def two_processes(settings: Settings, folder: Path, url_of_one: str = "") -> AsyncIterator[Two]:
    url = settings.database_url
    (folder / "one").mkdir()
    (folder / "two").mkdir()
    async with (
        Store.open(replace(settings)) as store,
        hall_process(folder / "one", MEADHALL_DATABASE_URL=url_of_one or url, MEADHALL_BOT_PAUSE=PAUSE) as one,
        hall_process(folder / "two", MEADHALL_DATABASE_URL=url, MEADHALL_BOT_PAUSE=PAUSE) as two,
    ):
        driver = None
        while driver != one.pid:  # on a busy machine the lease of a process may end at any time
            hall = Two(one, two, store, *await _new_table(one))
            await _until(hall.driver)
            driver = await hall.driver()
        yield hall


@pytest_asyncio.fixture
async def hall(on_postgresql: Settings, tmp_path: Path) -> AsyncIterator[Two]:
    async with two_processes(on_postgresql, tmp_path) as opened:
        yield opened


async def test_a_move_at_the_other_process_wakes_the_bots_of_the_driver(hall: Two) -> None:
    await hall.until_bots_move(3)
    assert await hall.driver() == hall.one.pid
    await hall.check()


async def test_when_the_driver_is_killed_the_other_process_goes_on_with_a_table_that_it_has_never_seen(hall: Two) -> None:
    await hall.until_under_way()
    assert await hall.one.end(signal.SIGKILL) == -signal.SIGKILL
    before = len(await hall.entries())
    await hall.until_driven_by(hall.two)

    async def has_moved() -> bool:
        return len(await hall.entries()) > before

    await _until(has_moved)
    await hall.until_bots_move(3)
    await hall.check()


async def test_when_the_driver_is_frozen_the_other_process_goes_on_and_the_driver_finds_out(hall: Two) -> None:
    await hall.until_under_way()
    os.kill(hall.one.pid, signal.SIGSTOP)
    try:
        await hall.until_driven_by(hall.two)
        await hall.until_bots_move(2)
    finally:
        os.kill(hall.one.pid, signal.SIGCONT)
    await hall.until_bots_move(2)
    assert await hall.driver() == hall.two.pid
    await _until_logged(hall.one, "did not renew its lease in time; others drive its 1 tables now")
    _, other = await _new_table(hall.one)
    await replace(hall, table=other).until_driven_by(hall.one)  # it takes part again
    await hall.check()
    assert "Traceback" not in hall.one.log.read_text() + hall.two.log.read_text()


async def _until_logged(process: Process, text: str) -> None:
    async def holds() -> bool:
        return text in process.log.read_text()

    await _until(holds)


async def test_a_driver_that_stops_hands_over_at_once(hall: Two) -> None:
    await hall.until_under_way()
    stopping = asyncio.create_task(hall.one.end(signal.SIGTERM))
    await hall.until_driven_by(hall.two)
    assert await stopping == 0
    assert await hall.driver() == hall.two.pid
    await hall.until_bots_move(3)
    await hall.check()


async def test_a_job_is_done_once_when_the_process_that_works_on_it_is_killed(hall: Two) -> None:
    """Each of the jobs is claimed by one process or the other. Kill one in the middle of them."""
    due, columns = Time().now(), schema.jobs.c

    def put(connection: Connection) -> None:
        rows: list[dict[str, Any]] = [
            {"id": f"j{k}", "kind": "count", "key": str(k), "due_at": due, "payload": {}, "attempts": 0, "claimed_by": None}
            for k in range(60)
        ]
        connection.execute(schema.jobs.insert(), rows)

    async def left() -> int:
        return len(await hall.store.transact(lambda c: c.execute(select(columns.id).where(columns.kind == "count")).all()))

    async def some_are_done() -> bool:
        return await left() < 45

    async def all_are_done() -> bool:
        return await left() == 0

    await hall.store.transact(put)
    await _until(some_are_done)
    await hall.one.end(signal.SIGKILL)
    assert await left() > 0, "it was killed too late"
    await _until(all_are_done)

    def done(connection: Connection) -> dict[str, int]:
        return {row.name: row.value for row in connection.execute(select(schema.counters)) if row.name.startswith("job-")}

    assert await hall.store.transact(done) == {f"job-{k}": 1 for k in range(60)}


# ------------------------------------------------------------------------------------------------------------- a cut network


class Cable:
    """A connection to PostgreSQL that can be cut: nothing arrives any more, and no end learns of it."""

    def __init__(self, port: int) -> None:
        self.port = 0
        self._target = port
        self._whole = asyncio.Event()
        self._whole.set()
        self._tasks: set[asyncio.Task[None]] = set()

    def cut(self) -> None:
        self._whole.clear()

    def mend(self) -> None:
        self._whole.set()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield
        finally:
            server.close()
            for task in self._tasks:
                task.cancel()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._whole.wait()
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
        for source, sink in ((reader, far_writer), (far_reader, writer)):
            task = asyncio.create_task(self._carry(source, sink))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65536):
                await self._whole.wait()
                sink.write(data)
                await sink.drain()
        except OSError:
            pass
        finally:
            sink.close()


async def test_when_the_network_of_the_driver_is_cut_the_other_process_goes_on(on_postgresql: Settings, tmp_path: Path) -> None:
    url = make_url(on_postgresql.database_url)
    assert url.port is not None
    cable = Cable(url.port)
    async with cable.open():
        cut_off = url.set(port=cable.port).render_as_string(hide_password=False)
        async with two_processes(on_postgresql, tmp_path, cut_off) as hall:
            await hall.until_under_way()
            cable.cut()
            await hall.until_driven_by(hall.two)
            await hall.until_bots_move(2)
            cable.mend()
            await _until_logged(hall.one, "did not renew its lease in time")
            await hall.until_bots_move(2)
            assert await hall.driver() == hall.two.pid
            await hall.check()
