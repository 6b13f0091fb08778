"""Commands of the host beside a running hall: they ask it, over a socket that only its user can open."""

from __future__ import annotations

import asyncio
import os
import stat
from dataclasses import replace

import pytest

from meadhall.server.settings import Settings
from server.halls import run_command
from server.people import AXES, OpenHall, open_hall

pytestmark = [pytest.mark.asyncio, pytest.mark.skipif(os.name != "posix", reason="it has no Unix sockets")]


async def named(hall: OpenHall, settings: Settings) -> str:
    """Give a person the name Ada, and return their public id."""
    await hall.person().post("/settings", {"name": "Ada"})
    return (await asyncio.to_thread(run_command, settings, "people", "list", "--name", "Ada")).stdout.split()[0]


async def test_only_the_user_of_the_hall_can_ask_it_and_only_while_it_runs(settings: Settings) -> None:
    socket = settings.data / "meadhall.db.sock"
    async with open_hall(settings):
        assert stat.S_IMODE(socket.stat().st_mode) == 0o600
    assert not socket.exists()


async def test_open_pages_show_at_once_what_a_command_has_changed(hall: OpenHall, settings: Settings) -> None:
    host, _, room = await hall.two_at(AXES)
    await host.post("/settings", {"name": "Ada"})
    person = (await asyncio.to_thread(run_command, settings, "people", "list", "--name", "Ada")).stdout.split()[0]
    version = room.version
    done = await asyncio.to_thread(run_command, settings, "people", "rename", person, "Hild")
    assert (done.returncode, done.stderr) == (0, "")
    assert room.version > version
    assert "Hild" in (await host.get(f"/tables/{room.table.id}")).text
    refused = await asyncio.to_thread(run_command, settings, "people", "rename", "nobody", "Hild")
    assert refused.returncode == 2
    assert "There is no person with the id nobody" in refused.stderr


async def test_a_hall_whose_socket_would_have_too_long_a_path_runs_and_a_command_says_why_it_is_not_possible(
    settings: Settings,
) -> None:
    deep = replace(settings, data=settings.data / ("long" * 30))
    async with open_hall(deep) as hall:
        person = await named(hall, deep)
        done = await asyncio.to_thread(run_command, deep, "people", "rename", person, "Hild")
        assert done.returncode == 2
        assert "the running hall doesn't answer" in done.stderr
        assert "stop it" in done.stderr
    done = await asyncio.to_thread(run_command, deep, "people", "rename", person, "Hild")
    assert (done.returncode, done.stderr) == (0, ""), "without the hall it works"


async def test_what_is_no_command_is_refused_and_the_hall_goes_on(hall: OpenHall, settings: Settings) -> None:
    for sent in (b"\n", b"{}\n", b'{"command": "fly", "arguments": {}, "language": "en"}\n', b"x" * 3_000_000, b""):
        reader, writer = await asyncio.open_unix_connection(settings.data / "meadhall.db.sock")
        writer.write(sent)
        writer.write_eof()
        try:
            assert b'"refused":"' in await reader.read()
        except ConnectionError:
            assert len(sent) > 1_000_000, "it isn't even read"
        writer.close()
    assert (await hall.person().get("/")).status_code == 200
