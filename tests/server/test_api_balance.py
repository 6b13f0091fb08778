"""Balance reports of the API: a process makes them one at a time, within limits, for their guest alone."""

from __future__ import annotations

from typing import Any

import pytest

from meadhall.server.hall.balance_jobs import BalanceJob
from meadhall.server.store.models import Guest
from server.people import AXES, OpenHall, Program
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
    job = hall.hall.balance_jobs._jobs[info["id"]]
    assert (await ada.post("/balance", {"game": AXES, "players": [2]})).status_code == 429
    await until(lambda: not job.is_open)
    done = (await ada.read(f"/balance/{info['id']}")).json()
    assert (done["state"], done["error"]) == ("done", "")
    assert done["report"]["cells"][0]["figures"]["place.1"]["games"] >= 64
    assert (await other.read(f"/balance/{info['id']}")).status_code == 404
    hall.hall.balance_jobs.delete(guest_of(hall, job), info["id"])
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
    job = hall.hall.balance_jobs.start(Guest("id", "Ada", "de"), {**request, "variants": {"one": {}, "<two>": {}}})
    await until(lambda: not job.is_open)
    assert (job.state, '<html lang="de">' in job.page, "&lt;two&gt;" in job.page) == ("done", True, True)


def guest_of(hall: OpenHall, job: BalanceJob) -> Any:
    """Return something with the id of the guest of a job."""

    class Owner:
        id = job.owner

    return Owner()


async def test_a_report_is_stopped_when_it_is_deleted(hall: OpenHall) -> None:
    ada = await hall.program("Ada")
    info = await ask(ada, precision=0.005, seconds=120, seed="long")
    jobs = hall.hall.balance_jobs
    job = jobs._jobs[info["id"]]
    await until(lambda: jobs._process is not None)
    process = jobs._process
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
