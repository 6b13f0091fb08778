"""Reports and prints: a process makes each of them, in a fair order, within limits, for its guest alone."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from meadhall.server.errors import TooMany
from meadhall.server.hall.orders import COMMAND, Order, Orders
from meadhall.server.settings import Settings
from meadhall.server.store.models import Guest
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
    info = await ask(ada, bots=["random"], seconds=0.5, seed="mead")
    job = hall.hall.orders._orders[info["id"]]
    assert (await ada.post("/balance", {"game": AXES, "players": [2]})).status_code == 429
    await until(lambda: not job.is_open)
    done = (await ada.read(f"/balance/{info['id']}")).json()
    assert (done["state"], done["error"]) == ("done", "")
    assert done["report"]["cells"][0]["figures"]["place.1"]["games"] >= 64
    assert (await other.read(f"/balance/{info['id']}")).status_code == 404
    hall.hall.orders.delete(guest_of(hall, job), info["id"])
    assert (await ada.read(f"/balance/{info['id']}")).status_code == 404


async def test_a_request_with_a_language_gets_a_page_in_it(hall: OpenHall) -> None:
    request = {
        "name": AXES,
        "players": [2],
        "depth": "quick",
        "precision": 0.5,
        "bots": ["random"],
        "seconds": 0.5,
        "language": "de",
    }
    job = hall.hall.orders.start(
        Guest("id", "Ada", "de"), "10.0.0.9", "report", {**request, "variants": {"one": {}, "<two>": {}}}
    )
    await until(lambda: not job.is_open)
    assert (job.state, '<html lang="de">' in job.page, "&lt;two&gt;" in job.page) == ("done", True, True)


def guest_of(hall: OpenHall, job: Order) -> Any:
    """Return something with the id of the guest of a job."""

    class Owner:
        id = job.owner

    return Owner()


async def test_a_report_is_stopped_when_it_is_deleted(hall: OpenHall) -> None:
    ada = await hall.program("Ada")
    info = await ask(ada, precision=0.005, seconds=120, seed="long")
    jobs = hall.hall.orders
    job = jobs._orders[info["id"]]
    await until(lambda: job.process is not None)
    process = job.process
    assert process is not None
    jobs.delete(guest_of(hall, job), info["id"])
    await until(lambda: process.returncode is not None)


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({"game": "chess"}, "chess"),
        ({"players": [9]}, "2 to 6"),
        ({"players": []}, "length"),
        ({"without": ["fly"]}, "no kind of action"),
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

    def __init__(self) -> None:
        super().__init__()
        self.begun: list[str] = []
        self._ends: dict[str, asyncio.Event] = {}

    async def _run(self, order: Order) -> None:
        self.begun.append(order.owner)
        await self._ends.setdefault(order.owner, asyncio.Event()).wait()
        order.page, order.pdf = "a report", b"a print"

    async def end(self, order: Order) -> None:
        self._ends.setdefault(order.owner, asyncio.Event()).set()
        await until(lambda: not order.is_open)


def ordered(queue: Orders, owner: str, address: str, kind: Any = "report") -> Order:
    return queue.start(Guest(owner, "Ada", "en"), address, kind, {"seconds": 60.0})


async def test_eight_guests_of_one_address_dont_hold_the_reports_of_others() -> None:
    queue = Queue()
    first, *others = [ordered(queue, f"crowd {k}", "10.0.0.66") for k in range(8)]
    victim = ordered(queue, "victim", "10.0.0.7")
    await queue.end(first)
    assert (victim.state, {each.state for each in others}) == ("running", {"waiting"})
    await queue.end(victim)
    assert [each.state for each in others[:2]] == ["running", "waiting"]
    await queue.close()


async def test_loops_of_one_address_dont_keep_others_from_printing() -> None:
    queue = Queue()
    crowd = [ordered(queue, f"crowd {k}", "10.0.0.66", "print") for k in range(6)]
    for turn in range(12):
        victim = ordered(queue, f"victim {turn}", "10.0.0.7", "print")
        await queue.end(next(each for each in crowd if each.state == "running"))
        assert victim.state == "running"
        crowd.append(ordered(queue, f"again {turn}", "10.0.0.66", "print"))
        await queue.end(victim)
    await queue.close()


async def test_a_guest_has_one_report_and_an_address_a_dozen_in_the_queue() -> None:
    queue = Queue()
    for k in range(12):
        ordered(queue, f"crowd {k}", "10.0.0.66")
    for owner, address in (("crowd 3", "10.0.0.7"), ("more", "10.0.0.66")):
        with pytest.raises(TooMany):
            ordered(queue, owner, address)
    assert ordered(queue, "victim", "10.0.0.7").is_open
    await queue.close()


async def test_a_crowd_of_guests_displaces_only_its_own_reports() -> None:
    queue = Queue()
    kept = ordered(queue, "victim", "10.0.0.7")
    await queue.end(kept)
    for k in range(70):
        await queue.end(ordered(queue, f"crowd {k}", "10.0.0.66"))
    assert queue.find(Guest("victim", "Ada", "en"), kept.id) is kept
    assert len(queue._orders) == 64
    for _ in range(6):
        await queue.end(last := ordered(queue, "victim", "10.0.0.7"))
    assert sum(each.owner == "victim" for each in queue._orders.values()) == 4
    assert last.id in queue._orders
    await queue.close()


@pytest.mark.slow("a report begins in a new process")
async def test_the_process_of_an_order_ends_without_a_traceback_when_its_hall_is_killed(tmp_path: Path) -> None:
    """In place of a hall, a process starts the order and is killed while it is made."""
    wanted = {"kind": "report", "name": AXES, "players": [2], "bots": ["random"], "precision": 0.005, "seconds": 120}
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
    async with open_hall(replace(settings, reports=False)) as hall:
        shown = (await hall.person().get("/workshop/dungeon-allies/components")).text
        assert ('value="export"' in shown, 'value="report"' in shown, 'value="print"' in shown) == (True, False, False)
        for do in ("report", "print"):
            assert (await hall.person().post("/workshop/dungeon-allies/components", {"do": do})).status_code == 404
        answer = await (await hall.program("Ada")).post("/balance", {"game": AXES, "players": [2]})
        assert answer.status_code == 404
