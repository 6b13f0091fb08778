"""Reports and prints: a process makes each of them, in a fair order, within limits, for its guest alone."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from base64 import b64encode
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from meadhall.server.errors import NotFound, TooMany
from meadhall.server.hall import orders
from meadhall.server.hall.house import Switches
from meadhall.server.hall.orders import COMMAND, Order, Orders
from meadhall.server.settings import Settings
from meadhall.server.store import jobs, personal_data
from meadhall.server.store.models import Guest
from meadhall.server.store.store import Store
from server.people import AXES, OpenHall, Program, open_hall
from server.waiting import until

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def ask(program: Program, **request: Any) -> dict[str, Any]:
    """Ask for a small report."""
    answer = await program.post("/balance", {"game": AXES, "players": [2], "depth": "quick", "precision": 0.1, **request})
    assert answer.status_code == 202, answer.text
    info: dict[str, Any] = answer.json()
    return info


async def test_a_program_gets_a_report(hall: OpenHall) -> None:
    ada, other = await hall.program("Ada"), await hall.program("Björn")
    info = await ask(ada, bots=["thrall"], seconds=0.5, seed="mead", counters={"kills": "killed"})
    job = hall.hall.orders._orders[info["id"]]
    assert (await ada.post("/balance", {"game": AXES, "players": [2]})).status_code == 429
    await until(lambda: not job.is_open)
    done = (await ada.read(f"/balance/{info['id']}")).json()
    assert (done["state"], done["progress"], done["error"]) == ("done", 1.0, "")
    assert done["report"]["cells"][0]["figures"]["place.1"]["games"] >= 64
    assert done["report"]["cells"][0]["figures"]["own.kills"]["value"] == 1  # of two players
    assert (await other.read(f"/balance/{info['id']}")).status_code == 404
    assert (await ada.http.delete(f"/api/v1/balance/{info['id']}")).status_code == 204
    assert (await ada.read(f"/balance/{info['id']}")).status_code == 404


async def test_a_report_is_stopped_when_it_is_deleted(hall: OpenHall) -> None:
    ada = await hall.program("Ada")
    info = await ask(ada, precision=0.005, seconds=120, seed="long")
    jobs = hall.hall.orders
    job = jobs._orders[info["id"]]
    await until(lambda: job.process is not None)
    process = job.process
    assert process is not None
    assert (await ada.http.delete(f"/api/v1/balance/{info['id']}")).status_code == 204
    await until(lambda: process.returncode is not None)


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({"game": "chess"}, "chess"),
        ({"players": [9]}, "2 to 6"),
        ({"players": []}, "length"),
        ({"without": ["fly"]}, "no kind of action"),
        ({"counters": {"it": "kiled"}}, "did you mean killed"),
        ({"counters": {"it": "os:system"}}, "has no event"),
        ({"seconds": 1e9}, "120"),
        ({"bots": ["os:system"]}, "os:system"),
        ({"variants": {"a": {"variant": "x"}}}, "variant"),
    ],
)
async def test_a_bad_request_starts_nothing(hall: OpenHall, request_: dict[str, Any], said: str) -> None:
    ada = await hall.program("Ada")
    answer = await ada.post("/balance", {"game": AXES, "players": [2], **request_})
    assert answer.status_code in (400, 404)
    assert said in answer.text


class Queue(Orders):
    """Orders that end when a test says so, in place of processes."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, asyncio.Event(), Switches(store))
        self.begun: list[str] = []
        self.empty = False
        self._ends: dict[str, asyncio.Event] = {}

    async def _run(self, order: Order) -> None:
        self.begun.append(order.owner)
        await self._ends.setdefault(order.owner, asyncio.Event()).wait()
        if self.empty:
            return
        order.answer = {"report": {}} if order.kind == "report" else {"pdf": b64encode(b"a print").decode()}

    async def end(self, order: Order) -> None:
        self._ends.setdefault(order.owner, asyncio.Event()).set()
        await until(lambda: not order.is_open)


def ordered(queue: Orders, owner: str, address: str, kind: Any = "report") -> Order:
    return queue.start(Guest(owner, "Ada", "en"), address, kind, {"seconds": 60.0})


@pytest.fixture
def queue(hall: OpenHall) -> Queue:
    for id, *_ in hall.hall.store.transact(jobs.all_orders):
        hall.hall.store.transact(jobs.remove_order, id)
    return Queue(hall.hall.store)


async def test_eight_guests_of_one_address_dont_hold_the_reports_of_others(queue: Queue) -> None:
    first, *others = [ordered(queue, f"crowd {k}", "10.0.0.66") for k in range(8)]
    victim = ordered(queue, "victim", "10.0.0.7")
    await queue.end(first)
    assert (victim.state, {each.state for each in others}) == ("running", {"waiting"})
    await queue.end(victim)
    assert [each.state for each in others[:2]] == ["running", "waiting"]
    await queue.close()


async def test_loops_of_one_address_dont_keep_others_from_printing(queue: Queue) -> None:
    crowd = [ordered(queue, f"crowd {k}", "10.0.0.66", "print") for k in range(6)]
    for turn in range(12):
        victim = ordered(queue, f"victim {turn}", "10.0.0.7", "print")
        await queue.end(next(each for each in crowd if each.state == "running"))
        assert victim.state == "running"
        crowd.append(ordered(queue, f"again {turn}", "10.0.0.66", "print"))
        await queue.end(victim)
    await queue.close()


async def test_a_guest_has_one_report_and_an_address_a_dozen_in_the_queue(queue: Queue) -> None:
    for k in range(12):
        ordered(queue, f"crowd {k}", "10.0.0.66")
    for owner, address in (("crowd 3", "10.0.0.7"), ("more", "10.0.0.66")):
        with pytest.raises(TooMany):
            ordered(queue, owner, address)
    assert ordered(queue, "victim", "10.0.0.7").is_open
    await queue.close()


async def test_a_crowd_of_guests_displaces_only_its_own_reports(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders, "_MAX_KEPT", 64)
    kept = ordered(queue, "victim", "10.0.0.7")
    await queue.end(kept)
    for k in range(70):
        await queue.end(ordered(queue, f"crowd {k}", "10.0.0.66"))
    assert queue.answer(queue.find(Guest("victim", "Ada", "en"), kept.id)) == {"report": {}}
    assert len(queue._orders) == 64
    for _ in range(14):
        await queue.end(last := ordered(queue, "victim", "10.0.0.7"))
    assert sum(each.owner == "victim" for each in queue._orders.values()) == 12
    assert last.id in queue._orders
    await queue.close()


async def test_an_order_survives_a_restart_and_so_does_its_answer(hall: OpenHall, queue: Queue) -> None:
    """In place of a restart, other orders are opened with the same database while those before are stopped."""
    ada = Guest("ada", "Ada", "en")
    done = ordered(queue, "ada", "10.0.0.7")
    await queue.end(done)
    running, waiting = ordered(queue, "björn", "10.0.0.8"), ordered(queue, "chloe", "10.0.0.9")
    assert (running.state, waiting.state) == ("running", "waiting")
    queue._closing.set()
    await queue.close()

    after = Queue(hall.hall.store)
    assert after.answer(after.find(ada, done.id)) == {"report": {}}
    assert after.begun == []
    after.go_on()
    await asyncio.sleep(0)
    assert after.begun == ["björn"]
    await after.end(after._orders[running.id])
    await after.end(after._orders[waiting.id])
    for owner, order in (("björn", running), ("chloe", waiting)):
        assert after.answer(after.find(Guest(owner, "", "en"), order.id)) == {"report": {}}
    await after.close()


async def test_an_order_whose_process_stops_with_the_hall_is_made_again(hall: OpenHall, queue: Queue) -> None:
    order = ordered(queue, "ada", "10.0.0.7")
    await asyncio.sleep(0)
    queue._closing.set()
    queue.empty = True  # as a process that systemd has stopped before the hall
    queue._ends["ada"].set()
    await asyncio.gather(*queue._working)
    assert [(each.id, each.state) for each in Orders(hall.hall.store, asyncio.Event(), hall.hall.switches)._orders.values()] == [
        (order.id, "waiting")
    ]


async def test_a_print_that_was_ordered_before_a_restart_is_read_once(hall: OpenHall, queue: Queue) -> None:
    ada, request = Guest("ada", "Ada", "en"), {"name": AXES}
    printing = asyncio.create_task(queue.printed(ada, "10.0.0.7", request))
    await asyncio.sleep(0)
    queue._closing.set()
    printing.cancel()
    await queue.close()

    after = Queue(hall.hall.store)
    after.go_on()
    (order,) = after._orders.values()
    await after.end(order)
    assert await after.printed(ada, "10.0.0.7", request) == b"a print"
    assert after._orders == {}
    assert list(hall.hall.store.transact(jobs.all_orders)) == []


async def test_a_report_is_in_the_download_of_its_guest_and_deleted_with_them(hall: OpenHall, queue: Queue) -> None:
    guest = hall.hall.store.save_guest(Guest("doris", "Doris", "en"))
    await queue.end(queue.start(guest, "10.0.0.7", "report", {"name": AXES}))
    (row,) = hall.hall.store.transact(personal_data.export, guest.id)["orders"]
    assert (row["kind"], row["request"], row["answer"]) == ("report", {"name": AXES}, {"report": {}})
    assert "10.0.0.7" not in str(row)
    hall.hall.store.transact(personal_data.delete_guest, guest.id, "former player")
    with pytest.raises(NotFound):
        queue.find(guest, row["id"])
    assert list(hall.hall.store.transact(jobs.all_orders)) == []


@pytest.mark.slow("a report begins in a new process")
async def test_the_process_of_an_order_ends_without_a_traceback_when_its_hall_is_killed(tmp_path: Path) -> None:
    """In place of a hall, a process starts the order and is killed while it is made."""
    wanted = {"kind": "report", "name": AXES, "players": [2], "bots": ["thrall"], "precision": 0.005, "seconds": 120}
    read, write = os.pipe()
    program = (
        "import subprocess, sys\n"
        f"child = subprocess.Popen({list(COMMAND)!r}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[{write}])\n"
        f"child.stdin.write({(json.dumps(wanted) + chr(10)).encode()!r}); child.stdin.flush()\n"
        "sys.stdout.buffer.write(child.stdout.readline()); sys.stdout.flush()\n"
        "sys.stdin.read()\n"
    )
    errors = tmp_path / "errors"

    def kill_a_hall() -> None:
        with (
            errors.open("wb") as told,
            subprocess.Popen([sys.executable, "-c", program], stdin=PIPE, stdout=PIPE, stderr=told, pass_fds=[write]) as hall,
        ):
            os.close(write)
            assert hall.stdout is not None
            assert b"progress" in hall.stdout.readline()
            hall.kill()
        assert os.read(read, 1) == b"", "the last process that holds the other end has ended"
        os.close(read)

    await asyncio.to_thread(kill_a_hall)
    assert errors.read_text() == ""


@pytest.mark.usefixtures("at_once")
async def test_a_hall_without_reports_offers_none(settings: Settings) -> None:
    async with open_hall(settings) as hall:
        hall.switch("reports", "off")
        hall.switch("prints", "off")
        person = hall.person()
        path = (await person.post("/workshop", {"game": "dungeon-allies", "document": "components"})).headers["location"]
        shown = (await person.get(path)).text
        assert ('id="export"' in shown, 'value="report"' in shown, 'value="print"' in shown) == (True, False, False)
        assert (await person.post(path, {"do": "print"})).status_code == 403
        answer = await (await hall.program("Ada")).post("/balance", {"game": AXES, "players": [2]})
        assert (answer.status_code, answer.json()["error"]) == (403, "switched-off")
