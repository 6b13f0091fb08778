"""Proposals over processes: a vote that was acknowledged survives kill -9, and a proposal expires once, wherever."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from meadhall.server.hall.consent import JOB
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import matches
from meadhall.server.store.models import Entry
from meadhall.server.store.store import Store
from processes.load import Program
from processes.process import PATIENCE, Process, hall_process
from server.people import AXES

pytestmark = pytest.mark.asyncio


async def table_of_two(one: Process, two: Process, game: str = AXES) -> tuple[Program, Program, str]:
    ask, embla = await Program.new(one, "Ask"), await Program.new(two, "Embla")
    table = (await ask.post(one, "/tables", game=game, players=2))["id"]
    await embla.post(two, f"/tables/{table}/join")
    await ask.post(one, f"/tables/{table}/start")
    return ask, embla, table


async def propose(program: Program, hall: Process, table: str, what: str, **more: Any) -> int:
    return int((await program.post(hall, f"/tables/{table}/proposals", what=what, **more))["proposal"]["number"])


async def agree(program: Program, hall: Process, table: str, number: int) -> dict[str, Any]:
    return await program.post(hall, f"/tables/{table}/vote", proposal=number, answer="agree")


async def play(people: dict[int, Program], hall: Process, table: str) -> int:
    view = (await people[0].get(hall, f"/tables/{table}"))["view"]
    actor = people[view["actor"]]
    legal = await actor.get(hall, f"/tables/{table}/legal")
    await actor.post(hall, f"/tables/{table}/actions", action=legal[-1]["action"], n=view["next"])
    return int(view["next"])


def kinds(entries: list[Entry]) -> list[str]:
    return [entry.kind for entry in entries]


async def test_an_open_proposal_and_its_votes_survive_kill_9(tmp_path: Path) -> None:
    async with hall_process(tmp_path) as hall:
        ask, embla, table = await table_of_two(hall, hall)
        first = await play({0: ask, 1: embla}, hall, table)
        number = await propose(ask, hall, table, "take-back", to=first)
        await hall.end(signal.SIGKILL)
        await hall.start()
        told = await embla.get(hall, f"/tables/{table}")
        assert (told["proposal"]["number"], told["proposal"]["asked"]) == (number, [1])
        after = await agree(embla, hall, table, number)
        await hall.end(signal.SIGKILL)
        await hall.start()
        again = await ask.get(hall, f"/tables/{table}")
        assert again["view"] == (after | {"view": again["view"]})["view"]
        assert again["view"]["next"] == first + 1, "the number is not used again"
        assert again["proposal"] is None
        record = await ask.get(hall, f"/tables/{table}/record")
        assert [step["n"] for step in record["undone"][0]["actions"]] == [first]


async def test_a_draw_that_was_acknowledged_survives_kill_9(tmp_path: Path) -> None:
    async with hall_process(tmp_path) as hall:
        ask, embla, table = await table_of_two(hall, hall)
        await agree(embla, hall, table, await propose(ask, hall, table, "draw"))
        await hall.end(signal.SIGKILL)
        await hall.start()
        told = await ask.get(hall, f"/tables/{table}")
        assert (told["status"], told["awarded"]["why"]) == ("abandoned", "agreement")


async def test_a_proposal_whose_time_is_up_while_no_process_runs_expires_once_afterwards(tmp_path: Path) -> None:
    async with hall_process(tmp_path) as hall:
        ask, embla, table = await table_of_two(hall, hall)
        await propose(ask, hall, table, "draw")
        await hall.end(signal.SIGKILL)
        with sqlite3.connect(tmp_path / "meadhall.db") as database:
            changed = database.execute("UPDATE jobs SET due_at = ? WHERE kind = ?", (str(Time().now())[:26], JOB))
            assert changed.rowcount == 1
        database.close()
        await hall.start()
        async with asyncio.timeout(PATIENCE):
            while (await embla.get(hall, f"/tables/{table}"))["proposal"] is not None:
                await asyncio.sleep(0.05)
        await hall.end(signal.SIGKILL)
        await hall.start()
        assert (await ask.get(hall, f"/tables/{table}"))["status"] == "running"
        await hall.end(signal.SIGTERM)
    async with Store.open(Settings(data=tmp_path)) as store:
        assert kinds(store.transact(matches.entries_of, table)) == ["propose", "expire"]
