"""The server as a process: it stops on a signal, loses nothing when killed, and explains why it does not start."""

from __future__ import annotations

import asyncio
import random
import signal
import socket
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

import meadhall
from meadhall.server.listener import CannotListen
from meadhall.server.run import serve
from meadhall.server.settings import Settings
from processes.load import Player, guest, new_table
from processes.process import Process, hall_process
from server.halls import run_command
from server.people import AXES, HOARD

pytestmark = pytest.mark.asyncio


async def test_the_server_stops_without_messages_while_streams_are_open(tmp_path: Path) -> None:
    async with hall_process(tmp_path) as hall, httpx.AsyncClient(base_url=hall.url, timeout=60) as client:
        headers = await guest(client, "Ada")
        table = await new_table(client, headers, game=AXES, players=2)
        async with (
            client.stream("GET", f"/tables/{table}/stream") as page,
            client.stream("GET", f"/api/v1/tables/{table}/events", headers=headers) as events,
        ):
            page_bytes, event_bytes = page.aiter_bytes(), events.aiter_bytes()
            assert b'id="frame"' in await anext(page_bytes)
            while b"event: table" not in await anext(event_bytes):  # the pause before a retry may come alone
                pass
            assert await hall.end(signal.SIGTERM) == 0  # without our code it would wait for the streams
            for stream in (page_bytes, event_bytes):
                async for _ in stream:  # ends, and without an error
                    pass
    lines = hall.log.read_text().splitlines()
    assert [line for line in lines if line] == hall.greeting


async def test_a_stop_does_not_wait_for_a_search(tmp_path: Path) -> None:
    """The search is lost, and the match continues after the next start."""
    async with (
        hall_process(tmp_path, MEADHALL_TEST_SLOW_BOTS="1") as hall,
        httpx.AsyncClient(base_url=hall.url, timeout=60) as client,
    ):
        headers = await guest(client, "Ada")
        table = await new_table(client, headers, game=HOARD, bots=["karl"])
        answer = await client.post(f"/api/v1/tables/{table}/actions", json={"action": 12}, headers=headers)
        assert answer.status_code == 200
        while "thinking" not in hall.log.read_text():
            await asyncio.sleep(0.01)
        assert await hall.end(signal.SIGTERM) == 0


async def test_a_stop_that_hangs_is_cut_short(tmp_path: Path) -> None:
    """It leaves no Unix socket behind."""
    path = tmp_path / "hall.sock"
    async with hall_process(tmp_path, MEADHALL_TEST_SLOW_STOP="1", MEADHALL_SOCKET=str(path)) as hall:
        assert path.is_socket()
        assert await hall.end(signal.SIGTERM) == 0
        assert not path.exists()


async def test_a_stop_answers_a_request_that_waits_for_a_hint(tmp_path: Path) -> None:
    async with (
        hall_process(tmp_path, MEADHALL_TEST_SLOW_BOTS="1") as hall,
        httpx.AsyncClient(base_url=hall.url, timeout=60) as client,
    ):
        headers = await guest(client, "Ada")
        table = await new_table(client, headers, game=HOARD, bots=["karl"])
        asking = asyncio.create_task(client.post(f"/api/v1/tables/{table}/hint", headers=headers))
        while "thinking" not in hall.log.read_text():
            await asyncio.sleep(0.01)
        assert await hall.end(signal.SIGTERM) == 0
        answer = await asking
        assert (answer.status_code, answer.json()["error"]) == (503, "closing")
        assert "ERROR" not in hall.log.read_text()


async def test_a_killed_server_loses_no_acknowledged_action(tmp_path: Path) -> None:
    """Three tables with three players each. Kill the server at random moments under load, then start it again."""
    draw = random.Random(6)
    players: list[Player] = []
    tables: list[str] = []
    async with hall_process(tmp_path) as hall:
        async with httpx.AsyncClient(base_url=hall.url, timeout=60) as client:
            guests = [await guest(client, name) for name in ("Ada", "Björn", "Cecilia")]
            for k in range(3):
                table = await new_table(client, guests[0], game=(AXES, HOARD)[k % 2], players=3)
                for headers in guests[1:]:
                    await client.post(f"/api/v1/tables/{table}/join", json={}, headers=headers)
                assert (await client.post(f"/api/v1/tables/{table}/start", headers=guests[0])).status_code == 200
                tables.append(table)
            players = [Player(headers, tables) for headers in guests]

        for _ in range(2):
            playing = [asyncio.create_task(player.play(hall.url, draw)) for player in players]
            before = sum(len(player.acknowledged) for player in players)
            enough = before + draw.randint(2, 14)
            while sum(len(player.acknowledged) for player in players) < enough and not await _all_over(hall.url, players, tables):
                await asyncio.sleep(0.001)
            assert await hall.end(signal.SIGKILL) == -signal.SIGKILL
            await asyncio.gather(*playing)
            await hall.start()
            await _check(hall.url, players, tables)

        await _finish(hall.url, players, tables)
        await _check(hall.url, players, tables)
        async with httpx.AsyncClient(base_url=hall.url, timeout=60) as client:
            for table in tables:
                record = (await client.get(f"/tables/{table}/record")).json()
                assert record["complete"]
                assert meadhall.replay(record).over
        assert await hall.end(signal.SIGTERM) == 0


async def _all_over(url: str, players: list[Player], tables: list[str]) -> bool:
    async with httpx.AsyncClient(base_url=url, headers=players[0].headers, timeout=60) as client:
        return all([(await client.get(f"/api/v1/tables/{table}")).json()["status"] == "over" for table in tables])


async def _finish(url: str, players: list[Player], tables: list[str]) -> None:
    draw = random.Random(7)
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        while not await _all_over(url, players, tables):
            for player in players:
                client.headers.update(player.headers)
                for table in tables:
                    await player.play_once(client, table, draw)


async def _check(url: str, players: list[Player], tables: list[str]) -> None:
    """Check that all acknowledged actions are in the matches."""
    async with httpx.AsyncClient(base_url=url, headers=players[0].headers, timeout=60) as client:
        for table in tables:
            record = (await client.get(f"/api/v1/tables/{table}/record")).json()
            kept = {(table, action["n"], action["action"]) for action in record["actions"]}
            acknowledged = {each for player in players for each in player.acknowledged if each[0] == table}
            assert acknowledged <= kept, f"lost: {acknowledged - kept}"


# ------------------------------------------------------------------------------------------------------------ not starting


async def test_a_second_server_on_the_same_data_is_refused(tmp_path: Path) -> None:
    async with hall_process(tmp_path) as hall:
        second = Process(tmp_path)
        second.log = tmp_path / "second.txt"
        second.launch()
        assert await second.wait() == 1
        (message,) = second.log.read_text().splitlines()
        assert message.startswith("refused: ")
        assert message.endswith("meadhall.db; stop it first")
        assert await hall.end(signal.SIGTERM) == 0


async def test_a_port_that_is_taken_is_refused(settings: Settings) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(CannotListen, match="MEADHALL_PORT"):
            serve(replace(settings, port=taken.getsockname()[1]))
    with pytest.raises(CannotListen, match=r"127\.0\.0\.1:70000"):
        serve(replace(settings, port=70000))
    with pytest.raises(CannotListen, match=r"\[2001:db8::1\]:8000"):
        serve(replace(settings, host="2001:db8::1"))


async def test_a_hall_on_all_addresses_prints_that_of_the_network_and_commands_know_it(tmp_path: Path) -> None:
    async with hall_process(tmp_path, MEADHALL_HOST="0.0.0.0") as hall:  # noqa: S104 - in the network of this machine
        network = Settings(host="0.0.0.0", port=hall.port).url_for_others  # noqa: S104
        if network:
            await hall.logs(f"The hall is open: {network}/\nOn this machine also: {hall.url}/\n")
        else:
            await hall.logs(f"The hall is open: {hall.url}/\nOnly this machine can open it: it is in no network.\n")
        invited = await asyncio.to_thread(run_command, Settings(data=tmp_path), "invite")
        assert invited.stdout.startswith(f"{network or hall.url}/admission/")


@pytest.mark.parametrize("host", ["::1", "[::1]", "::"])
async def test_a_hall_listens_on_an_ipv6_address_and_prints_it_in_brackets(tmp_path: Path, host: str) -> None:
    hall = Process(tmp_path, MEADHALL_HOST=host)
    hall.url = f"http://[::1]:{hall.port}"
    try:
        await hall.start()
        await hall.logs(f": http://[::1]:{hall.port}/\n")
        async with httpx.AsyncClient() as client:
            assert (await client.get(hall.url)).status_code == 200
            if host == "::":
                assert (await client.get(f"http://127.0.0.1:{hall.port}")).status_code == 200, "all addresses, those of IPv4, too"
    finally:
        if hall.running:
            await hall.end(signal.SIGKILL)
