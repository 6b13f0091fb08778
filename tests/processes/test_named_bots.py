"""Bots that the host has named, in a hall run by the command: they play, and the hall plays for those that fail."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

import meadhall
from meadhall.engine.match.view import legal_actions
from processes.process import Command

pytestmark = pytest.mark.asyncio

_PATIENCE = 120.0

BOTS = """
import time

def first(view):
    print("thinking", flush=True)
    return view.legal[0]

def broken(view):
    raise RuntimeError("out of ideas")

def cheat(view):
    return next(action for action in range(view.game.actions) if action not in view.legal)

def endless(view):
    while True:
        time.sleep(0.01)
"""


class Hall(Command):
    """A hall with four named bots."""

    arguments = (
        *(f"--bot={name}=bots_of_hall:{name}" for name in ("broken", "cheat", "endless")),
        "--bot=axes-and-allies/ada=bots_of_hall:first",
    )


@asynccontextmanager
async def hall_with_bots(folder: Path) -> AsyncIterator[Hall]:
    (folder / "bots_of_hall.py").write_text(BOTS, "utf-8")
    hall = Hall(folder, PYTHONPATH=str(folder))
    try:
        await hall.start()
        yield hall
    finally:
        if hall.running:
            await hall.end(signal.SIGINT)


async def play(client: httpx.AsyncClient, bots: list[str]) -> dict[str, Any]:
    """Play a match against bots with the first legal action each time, and return its table.

    The first legal action is an attack. Players who prefer alliances can play without end.
    """
    opened = await client.post("/api/v1/tables", json={"game": "axes-and-allies", "players": len(bots) + 1, "bots": bots})
    assert opened.status_code == 201, opened.text
    table: dict[str, Any] = opened.json()
    async with asyncio.timeout(_PATIENCE):
        while table["status"] == "running":
            if table["view"]["legal"]:
                choice = {"action": table["view"]["legal"][0]["action"], "n": table["view"]["next"]}
                await client.post(f"/api/v1/tables/{table['id']}/actions", json=choice)
            await asyncio.sleep(0.05)
            table = (await client.get(f"/api/v1/tables/{table['id']}")).json()
    return table


async def test_named_bots_play_and_the_hall_plays_for_those_that_fail(tmp_path: Path) -> None:
    async with hall_with_bots(tmp_path) as hall, hall.client() as client:
        guest = (await client.post("/api/v1/guests", json={"name": "Ida"})).json()
        client.headers["Authorization"] = f"Bearer {guest['token']}"
        games = {each["name"]: each["bots"] for each in (await client.get("/api/v1/games")).json()}
        assert {"ada", "broken", "cheat", "endless"} <= set(games["axes-and-allies"])
        assert "ada" not in games["axxa"]

        table = await play(client, ["ada", "broken", "cheat"])
        assert table["status"] == "over", table
        record = (await client.get(f"/api/v1/tables/{table['id']}/record")).json()
        assert [seat.get("bot") for seat in record["seats"]] == [None, "ada", "broken", "cheat"]
        match = meadhall.replay(record)
        by_seat = {seat: [step for step in match.steps if step.seat == seat] for seat in range(4)}
        assert all(step.action == legal_actions(match.game, step.before)[0] for step in by_seat[1])
        log = hall.log.read_text()
        if by_seat[2]:
            assert "bot broken on seat 2 failed" in log
            assert "out of ideas" in log
        if by_seat[3]:
            assert "bot cheat on seat 3 failed" in log
            assert "is not a legal action" in log

        seats: set[int] = set()
        while 1 not in seats:  # the other player may win before
            table = await play(client, ["endless"])
            assert table["status"] == "over", table
            record = (await client.get(f"/api/v1/tables/{table['id']}/record")).json()
            seats = {step.seat for step in meadhall.replay(record).steps}
        assert "bot endless on seat 1 took too long" in hall.log.read_text()
