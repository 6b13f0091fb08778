"""``meadhall mcp`` as a real process, and its tools at a real hall, asked with the SDK's own client."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from language_models.mcp_players import AXES, COMMAND, play, refused, standard_streams, use
from meadhall.cli import main
from meadhall.cli.mcp import serve_tools
from meadhall.engine.errors import MeadhallError, how_to_install
from ports import free_port
from processes.process import hall_process


@asynccontextmanager
async def by_http(*arguments: str) -> AsyncIterator[str]:
    """Run the command at a free port, and yield its address."""
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        sys.executable, *COMMAND, "--http", f"127.0.0.1:{port}", *arguments, stderr=subprocess.DEVNULL
    )
    try:
        while True:
            try:
                _reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.close()
                break
            except OSError:
                assert process.returncode is None
                await asyncio.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        await process.wait()


async def is_closed(url: str) -> None:
    """Wait until nothing listens at an address any more."""
    async with asyncio.timeout(60), httpx2.AsyncClient() as person:
        with suppress(httpx2.TransportError):
            while True:
                await person.get(url)
                await asyncio.sleep(0.05)


@pytest.mark.asyncio
@pytest.mark.slow("starts a hall, the command and a client")
async def test_a_model_plays_against_bots_in_a_hall_of_its_own_which_ends_with_it() -> None:
    async with Client(standard_streams("--name", "Ada")) as client:
        table = await use(client, "open_table", game=AXES, players=3, bots=["karl", "thrall"])
        assert (await play(client, table["id"]))["status"] == "over"
        (listed,) = await use(client, "list_tables")
        assert (listed["game"], listed["seats"][0]["name"]) == (AXES, "Ada")
        assert "no such table" in await refused(client, "look", id="nowhere")
        async with httpx2.AsyncClient() as person:
            assert "Ada" in (await person.get(table["url"])).text, "people can watch"
    await is_closed(table["url"])


@pytest.mark.asyncio
@pytest.mark.slow("starts a hall, the command and a client")
async def test_one_player_by_http_whose_hall_ends_when_the_command_is_killed() -> None:
    async with by_http("--name", "Ada") as address, Client(address) as client, httpx2.AsyncClient() as browser:
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        for header in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
            assert (await browser.post(address, json=asked, headers=header)).status_code in (403, 421), "a page of another site"
        table = await use(client, "open_table", game="viking-axes", players=2, bots=["karl"])
        assert (await play(client, table["id"]))["status"] == "over"
    await is_closed(table["url"])


@pytest.mark.asyncio
@pytest.mark.slow("starts a hall, the command and a client")
async def test_by_http_each_client_plays_as_its_own_guest_of_the_hall(tmp_path: Path) -> None:
    async with hall_process(tmp_path) as hall, by_http("--hall", hall.url) as address, AsyncExitStack() as stack:
        async with hall.client() as people:
            tokens = [(await people.post("/api/v1/guests", json={"name": name})).json()["token"] for name in ("Ada", "Bo")]
        async with Client(address) as stranger:
            assert "token" in await refused(stranger, "open_table", game=AXES)
        clients = []
        for token in tokens:
            headers = {"Authorization": f"Bearer {token}"}
            sender = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=60))
            clients.append(await stack.enter_async_context(Client(streamable_http_client(address, http_client=sender))))
        ada, bo = clients
        opened = await use(ada, "open_table", game=AXES, players=2)
        assert [len(await use(each, "list_tables")) for each in clients] == [1, 0]
        assert (await use(bo, "take_seat", id=opened["id"]))["you"] == 1
        assert (await use(ada, "look", id=opened["id"]))["you"] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--hall", "hall.example.org"), "http://"),
        (("--hall", "http://127.0.0.1:1"), "can't be reached"),
        (("--http", "nowhere"), "HOST:PORT"),
        (("--http", "127.0.0.1:x"), "HOST:PORT"),
        (("--http", "0.0.0.0:8765"), "one player"),
        (("--http", "0.0.0.0:8765", "--hall", "http://127.0.0.1:1", "--token", "t"), "one player"),
    ],
)
def test_a_bad_address_is_refused(
    arguments: tuple[str, ...], words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEADHALL_LANG", "en")
    assert main(["mcp", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meadhall.cli.mcp.find_spec", lambda name: None)
    with pytest.raises(MeadhallError, match=re.escape(how_to_install("mcp"))):
        serve_tools(None, None, None, None)
