"""``meadhall mcp`` as a real process, asked with the SDK's own client: whole matches of every game, here and in a hall."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client

from language_models.mcp_players import COMMAND, MATCHES, check_end, play, refused, standard_streams, use
from ports import free_port
from processes.process import hall_process

pytestmark = [pytest.mark.asyncio, pytest.mark.compiled]


@asynccontextmanager
async def by_http(*arguments: str) -> AsyncIterator[Client]:
    """Run the command at a free port and connect a client."""
    port = free_port()
    environment = {**os.environ, "MEADHALL_INTERPRET": "1", "MEADHALL_LANG": "en"}
    process = await asyncio.create_subprocess_exec(
        sys.executable, *COMMAND, "--http", f"127.0.0.1:{port}", *arguments, env=environment, stderr=subprocess.DEVNULL
    )
    try:
        for _attempt in range(300):
            try:
                _reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.close()
                break
            except OSError:
                await asyncio.sleep(0.1)
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            yield client
    finally:
        process.send_signal(signal.SIGKILL)
        await process.wait()


async def test_a_whole_match_of_every_game_on_standard_streams() -> None:
    async with Client(standard_streams("--name", "Ada")) as client:
        listed = {each["game"]: each for each in (await use(client, "list_games"))["games"]}
        explained: dict[str, str] = {}
        for game, setup in MATCHES:
            assert listed[game]["min_players"] <= setup["players"] <= listed[game]["max_players"]
            position, rules = await play(client, game, **setup)
            check_end(position, rules)
            explained |= rules
        assert explained
        tables = await use(client, "list_tables")
        assert [table["game"] for table in tables["yours"]] == [game for game, _setup in MATCHES]
        assert tables["yours"][0]["seats"][0] == {"seat": 0, "name": "Ada", "player": "you", "bot": ""}
        assert "no table" in await refused(client, "look", table="nowhere")


async def test_a_whole_match_by_http_without_a_hall() -> None:
    async with by_http("--name", "Ada") as client:
        position, rules = await play(client, "viking-axes", players=2)
        check_end(position, rules)


async def test_a_whole_match_of_every_game_in_a_hall_by_http(tmp_path: Path) -> None:
    quick = {"MEADHALL_TEST_BOT_SECONDS": "0.4"}  # of bots whose answer is late where players have secrets
    async with hall_process(tmp_path, **quick) as hall, by_http("--hall", hall.url, "--name", "Ada") as client:
        explained: dict[str, str] = {}
        for game, setup in MATCHES:
            position, rules = await play(client, game, **setup)
            check_end(position, rules)
            explained |= rules  # a match may end before the first turn
            async with hall.client() as person:
                page = await person.get(position["watch"])
                assert "Ada" in page.text, "people can watch"
        assert explained


async def test_two_models_play_each_other_in_a_hall(tmp_path: Path) -> None:
    async with (
        hall_process(tmp_path) as hall,
        Client(standard_streams("--hall", hall.url, "--name", "Ada")) as ada,
        Client(standard_streams("--hall", f"{hall.url}/", "--name", "Bo")) as bo,
    ):
        opened = await use(ada, "open_table", game="axes-and-allies", players=2, open_seats=1, public=True)
        assert opened["status"] == "gathering"
        assert [table["table"] for table in (await use(bo, "list_tables"))["open"]] == [opened["table"]]
        joined = await use(bo, "take_seat", table=opened["watch"])
        assert joined["your_seat"] == 1
        position = await use(ada, "start_match", table=opened["table"])
        assert position["status"] == "running"
        for _decision in range(200):
            for player in (ada, bo):
                position = await use(player, "wait_for_turn", table=opened["table"], seconds=0.2)
                if position["your_turn"]:
                    action = position["legal"][0]["action"]
                    position = await use(player, "act", table=opened["table"], action=action, wait_seconds=0)
            if position["status"] == "over":
                break
        assert position["status"] == "over"
        assert position["winners"] in (["Ada"], ["Bo"])


async def test_a_hall_that_can_not_be_reached_is_said_in_words() -> None:
    async with Client(standard_streams("--hall", f"http://127.0.0.1:{free_port()}")) as client:
        assert "can't be reached" in await refused(client, "list_games")


async def test_a_wrong_token_is_said_in_words(tmp_path: Path) -> None:
    async with hall_process(tmp_path) as hall, Client(standard_streams("--hall", hall.url, "--token", "nonsense")) as client:
        assert "token" in await refused(client, "list_tables")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(("--hall", "hall.example.org"), "http://"), (("--http", "nowhere"), "HOST:PORT"), (("--http", "127.0.0.1:x"), "HOST:PORT")],
)
async def test_a_bad_address_is_refused(arguments: tuple[str, ...], words: str) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, *COMMAND, *arguments, env={**os.environ, "MEADHALL_LANG": "en"}, stderr=asyncio.subprocess.PIPE
    )
    _out, said = await process.communicate()
    assert process.returncode == 2
    assert words in said.decode()
