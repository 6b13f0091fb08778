"""``meadhall mcp`` as a real process, and its tools at a real hall, asked with the SDK's own client."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx2
import pytest
import pytest_asyncio
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from language_models.mcp_players import COMMAND, MATCHES, check_end, play, refused, standard_streams, use
from meadhall.cli import main
from meadhall.engine.compile import mode
from meadhall.mcp.hall import HallTables
from meadhall.mcp.server import build
from ports import free_port
from processes.process import Process, hall_process

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hall(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Process]:
    """Run a hall whose bots answer soon where players have secrets. Other tests measure its coverage."""
    settings = {"MEADHALL_TEST_BOT_SECONDS": "0.4", "COVERAGE_PROCESS_CONFIG": ""}
    async with hall_process(tmp_path_factory.mktemp("hall"), **settings) as started:
        yield started


@asynccontextmanager
async def by_http(*arguments: str) -> AsyncIterator[str]:
    """Run the command at a free port, and yield its address."""
    port = free_port()
    environment = {**os.environ, "MEADHALL_INTERPRET": "1", "MEADHALL_LANG": "en"}
    process = await asyncio.create_subprocess_exec(
        sys.executable, *COMMAND, "--http", f"127.0.0.1:{port}", *arguments, env=environment, stderr=subprocess.DEVNULL
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
        process.send_signal(signal.SIGKILL)
        await process.wait()


@asynccontextmanager
async def at(url: str, name: str) -> AsyncIterator[Client]:
    """Connect a client to tools that play in a hall, in this process, and close the connections to the hall at the end."""
    tables = HallTables(url, name)
    async with Client(build(tables)) as client:
        yield client
    await tables.close()


async def test_a_whole_match_on_standard_streams() -> None:
    async with Client(standard_streams("--name", "Ada")) as client:
        game, setup = MATCHES[0]
        position, rules = await play(client, game, **setup)
        check_end(position, rules)
        tables = await use(client, "list_tables")
        assert [table["game"] for table in tables["yours"]] == [game]
        assert tables["yours"][0]["seats"][0] == {"seat": 0, "name": "Ada", "player": "you", "bot": ""}
        assert "no table" in await refused(client, "look", table="nowhere")


async def test_a_whole_match_by_http_without_a_hall() -> None:
    async with by_http("--name", "Ada") as address, Client(address) as client:
        position, rules = await play(client, "viking-axes", players=2)
        check_end(position, rules)


@pytest.mark.parametrize(
    ("game", "setup"),
    [
        pytest.param(*each, id=each[0], marks=[pytest.mark.long] if each[0] in ("axxa", "dungeon-allies") else [])
        for each in MATCHES
    ],
)
async def test_a_whole_match_in_a_hall(hall: Process, game: str, setup: dict[str, Any]) -> None:
    async with at(hall.url, "Ada") as client:
        position, rules = await play(client, game, **setup)
        check_end(position, rules)
    async with hall.client() as person:
        page = await person.get(position["watch"])
        assert "Ada" in page.text, "people can watch"


async def test_two_models_play_each_other_in_a_hall(hall: Process) -> None:
    async with at(hall.url, "Ada") as ada, at(f"{hall.url}/", "Bo") as bo:
        assert "axes-and-allies" in {each["game"] for each in (await use(ada, "list_games"))["games"]}
        opened = await use(ada, "open_table", game="axes-and-allies", players=2, open_seats=1, public=True)
        assert opened["status"] == "gathering"
        assert [table["table"] for table in (await use(bo, "list_tables"))["open"]] == [opened["table"]]
        joined = await use(bo, "take_seat", table=opened["watch"])
        assert joined["your_seat"] == 1
        position = await use(ada, "start_match", table=opened["table"])
        assert position["status"] == "running"
        while position["status"] != "over":
            for player in (ada, bo):
                position = await use(player, "wait_for_turn", table=opened["table"], seconds=0.2)
                if position["your_turn"]:
                    action = position["legal"][0]["action"]
                    position = await use(player, "act", table=opened["table"], action=action, wait_seconds=0)
        assert position["winners"] in (["Ada"], ["Bo"])


async def test_by_http_each_client_plays_as_its_own_guest_of_the_hall(hall: Process) -> None:
    async with hall.client() as people:
        tokens = [(await people.post("/api/v1/guests", json={"name": name})).json()["token"] for name in ("Ada", "Bo")]
    async with by_http("--hall", hall.url) as address, AsyncExitStack() as stack:
        async with httpx2.AsyncClient() as stranger:
            for credentials in ({}, {"Authorization": "Bearer nonsense"}):
                asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
                assert (await stranger.post(address, json=asked, headers=credentials)).status_code == 401
        clients = []
        for token in tokens:
            headers = {"Authorization": f"Bearer {token}"}
            sender = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=60))
            clients.append(await stack.enter_async_context(Client(streamable_http_client(address, http_client=sender))))
        ada, bo = clients
        opened = await use(ada, "open_table", game="axes-and-allies", players=2, open_seats=1)
        assert [len((await use(each, "list_tables"))["yours"]) for each in clients] == [1, 0]
        joined = await use(bo, "take_seat", table=opened["table"])
        assert (joined["your_seat"], (await use(ada, "look", table=opened["table"]))["your_seat"]) == (1, 0)


async def test_a_hall_that_can_not_be_reached_is_said_in_words() -> None:
    async with at(f"http://127.0.0.1:{free_port()}", "Ada") as client:
        assert "can't be reached" in await refused(client, "list_games")


async def test_a_wrong_token_is_said_in_words(hall: Process) -> None:
    async with Client(standard_streams("--hall", hall.url, "--token", "nonsense")) as client:
        assert "token" in await refused(client, "list_tables")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--hall", "hall.example.org"), "http://"),
        (("--http", "nowhere"), "HOST:PORT"),
        (("--http", "127.0.0.1:x"), "HOST:PORT"),
        (("--http", "0.0.0.0:8765"), "one player"),
        (("--http", "0.0.0.0:8765", "--hall", "http://127.0.0.1:1", "--token", "t"), "one player"),
    ],
)
async def test_a_bad_address_is_refused(
    arguments: tuple[str, ...], words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(mode, "prefer_interpreted", lambda: None)  # it is too late here
    monkeypatch.setenv("MEADHALL_LANG", "en")
    assert main(["mcp", *arguments]) == 2
    assert words in capsys.readouterr().err
