"""Accounts at two real processes on PostgreSQL: each knows at once what the other has changed, and kills lose nothing."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import httpx
import pytest

from processes.process import Process, hall_process
from server.postgres import PostgreSQL

pytestmark = pytest.mark.asyncio

PASSWORD = "correct horse battery"  # noqa: S105
PAGE = {"Sec-Fetch-Site": "same-origin"}


def browser(hall: Process, cookies: httpx.Cookies | None = None) -> httpx.AsyncClient:
    """Return a browser that has a process open. Another one can go on with its cookies: the port is no part of their domain."""
    return httpx.AsyncClient(base_url=hall.url, headers=PAGE, cookies=cookies, timeout=60)


async def has_account(client: httpx.AsyncClient) -> bool:
    return (await client.get("/account")).status_code == 200


async def test_both_processes_know_who_is_signed_in_and_kills_lose_nothing(postgresql: PostgreSQL, tmp_path: Path) -> None:
    database = {"MEADHALL_DATABASE_URL": postgresql.new_database()}
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    async with hall_process(folders[0], **database) as one, hall_process(folders[1], **database) as two:
        async with browser(one) as laptop:
            assert not await has_account(laptop)
            opened = await laptop.post(
                "/tables", data={"game": "axes-and-allies", "kind": "friends"}, headers={"Accept": "application/json"}
            )
            table = opened.json()["id"]
            async with browser(two, laptop.cookies) as tab:
                assert table in (await tab.get("/")).text, "the guest is known at the other process"
            old = httpx.Cookies(laptop.cookies)
            page = await laptop.post("/account/new", data={"name": "Sigrid", "password": PASSWORD})
            codes = re.findall(r"<code>([^<]{19})</code>", page.text)
            assert len(codes) == 10
            await one.end(signal.SIGKILL)  # at once after the answer
            async with browser(two, old) as thief:
                assert not await has_account(thief)
                assert table not in (await thief.get("/")).text, "the other process refuses the cookie of the guest"
            async with browser(two, laptop.cookies) as tab:
                assert await has_account(tab)
                assert table in (await tab.get("/")).text
        async with browser(two) as phone:
            signed_in = await phone.post("/sign-in", data={"name": "Sigrid", "code": codes[0]})
            assert signed_in.status_code == 303
            await two.end(signal.SIGKILL)
            await one.start()
            async with browser(one, phone.cookies) as tab:
                assert await has_account(tab)
                again = await tab.post("/sign-in", data={"name": "Sigrid", "code": codes[0]})
                assert again.status_code == 403, "a code that was used stays used"
                await two.start()
                async with browser(two, phone.cookies) as other:
                    assert await has_account(other)
                    await tab.post("/account/sessions", data={"end": "all"})
                    assert not await has_account(other), "signed out everywhere, at once"
