"""Lines of chat are kept: over kill -9, and until the host of the hall deletes them."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from meadhall.server.settings import Settings
from processes.load import Program
from processes.process import PATIENCE, Process, hall_process
from server.halls import command

pytestmark = pytest.mark.asyncio

GAME = "axes-and-allies"


async def players_at(one: Process, two: Process) -> tuple[list[Program], str]:
    """Start a match of two programs; the second one is at the second process."""
    players = [await Program.new(one, "Ask"), await Program.new(two, "Embla")]
    table = str((await players[0].post(one, "/tables", game=GAME, players=2))["id"])
    await players[1].post(two, f"/tables/{table}/join")
    await players[0].post(one, f"/tables/{table}/start")
    return players, table


async def texts(program: Program, hall: Process, table: str) -> list[str]:
    chat = await program.get(hall, f"/tables/{table}/chat")
    return [line["text"] for line in chat["lines"]]


async def line(events: AsyncIterator[tuple[str, Any]], text: str) -> dict[str, Any]:
    """Wait for a line with this text."""
    async with asyncio.timeout(PATIENCE):
        async for name, data in events:
            if name == "chat" and data["text"] == text:
                found: dict[str, Any] = data
                return found
    raise StreamEnded


class StreamEnded(Exception):
    """The hall has ended a stream. Its client comes back at once."""


async def deleted_line(program: Program, hall: Process, table: str) -> dict[str, Any]:
    """Wait for a line that was deleted, as a page does that comes back when its stream ends."""
    while True:
        async with program.events(hall, table) as events:
            with suppress(StreamEnded):
                return await line(events, "")


async def test_acknowledged_lines_survive_a_kill_and_a_repeated_request_says_nothing_twice(tmp_path: Path) -> None:
    async with hall_process(tmp_path) as hall:
        players, table = await players_at(hall, hall)
        for number in range(4):
            await players[number % 2].post(hall, f"/tables/{table}/chat", key=f"k{number}", text=f"line {number}")
        await hall.end(signal.SIGKILL)
        await hall.start()
        assert await texts(players[0], hall, table) == [f"line {number}" for number in range(4)]
        again = await players[1].post(hall, f"/tables/{table}/chat", key="k3", text="line 3")
        assert again["text"] == "line 3", "the answer was lost, so the program has sent it again"
        assert await texts(players[1], hall, table) == [f"line {number}" for number in range(4)]


async def test_the_host_of_a_hall_reviews_and_deletes_lines_while_it_runs(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    async with hall_process(tmp_path) as hall:
        players, table = await players_at(hall, hall)
        await players[0].post(hall, f"/tables/{table}/chat", text="Skal!")
        bad = await players[1].post(hall, f"/tables/{table}/chat", text="Something bad")
        async with players[0].events(hall, table) as events:
            await line(events, "Something bad")
            shown = await asyncio.to_thread(command, settings, "chat", "show", "--table", table)
            assert shown.returncode == 0, shown.stderr
            assert shown.stdout.splitlines()[1].endswith("Embla (seat 2): Something bad")
            deleted = await asyncio.to_thread(command, settings, "chat", "delete", bad["id"])
            assert deleted.stdout == "1 line deleted\n", deleted.stderr
        gone = await deleted_line(players[0], hall, table)
        assert (gone["id"], gone["deleted"]) == (bad["id"], True), "open pages lose it within a second"
        assert await texts(players[1], hall, table) == ["Skal!", ""]
        shown = await asyncio.to_thread(command, settings, "chat", "show")
        assert "Something bad" not in shown.stdout
        assert shown.stdout.splitlines()[1].endswith("[deleted]")
        refused = await asyncio.to_thread(command, settings, "chat", "delete")
        assert refused.returncode != 0
        assert "Say which lines" in refused.stderr
        nothing = await asyncio.to_thread(command, settings, "chat", "show", "--since", "2099-01-01")
        assert (nothing.returncode, nothing.stdout) == (0, "There are no such lines.\n")
